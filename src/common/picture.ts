/** What all pictures share: fonts, colours, the frame around panels; drawn by Vega without a browser, which is loaded when there is something to draw. */
import type { Spec } from 'vega';

export const FONT = 'Helvetica, Arial, sans-serif';

/** Colours that stay apart for the colour-blind (Okabe and Ito). */
export const COLOURS = {
  blue: '#0072B2',
  vermilion: '#D55E00',
  green: '#009E73',
  purple: '#CC79A7',
  orange: '#E69F00',
  sky: '#56B4E9',
  black: '#000000',
} as const;

/** A picture of panels under a title; the rest of it is the caller's. @param subtitle lines. */
export function framed(title: string, subtitle: string | string[], rest: Spec): Spec {
  return {
    $schema: 'https://vega.github.io/schema/vega/v6.json',
    background: 'white',
    padding: { left: 20, top: 20, bottom: 20, right: 20 },
    title: { text: title, subtitle, anchor: 'start', fontSize: 16, subtitleFontSize: 12, offset: 18 },
    ...rest,
    config: {
      title: { font: FONT, subtitleFont: FONT },
      axis: {
        labelFont: FONT,
        labelFontSize: 11,
        titleFont: FONT,
        titleFontSize: 12,
        titleFontWeight: 'normal',
        gridColor: '#e4e4e4',
        domainColor: '#888',
      },
      legend: { labelFont: FONT, labelFontSize: 11, symbolType: 'stroke', symbolStrokeWidth: 2 },
    },
  };
}

/** @returns SVG text. */
export async function svgOf(picture: Spec): Promise<string> {
  const { parse, View } = await import('vega');
  const view = new View(parse(picture), { renderer: 'none' });
  try {
    return await view.toSVG();
  } finally {
    view.finalize();
  }
}
