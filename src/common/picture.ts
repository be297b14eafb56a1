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

/** More colours than a panel has curves, each seen on white and on black. */
export const CURVE_COLOURS = [
  '#2f7fc1',
  COLOURS.vermilion,
  COLOURS.green,
  COLOURS.purple,
  COLOURS.orange,
  '#7a6fd0',
  '#8a8f98',
  '#b04a5a',
] as const;

/** For readers whose colour scheme is dark; the ground is transparent, and what says nothing of its own is dark otherwise. */
const DARK_SCHEME =
  '<style>@media (prefers-color-scheme: dark){' +
  'svg.picture{background:#16191d}svg.picture text{fill:#d7dbe0}' +
  'svg.picture .role-axis-grid line{stroke:#343a42}svg.picture .role-axis-domain line,svg.picture .role-axis-tick line{stroke:#8a9099}' +
  '}</style>';

/** A picture of panels under a title; the rest of it is the caller's. @param subtitle lines. */
export function framed(title: string, subtitle: string | string[], rest: Spec): Spec {
  return styled({
    padding: 20,
    title: { text: title, subtitle, anchor: 'start', fontSize: 16, subtitleFontSize: 12, offset: 18 },
    ...rest,
  });
}

/** The same without a title. */
export function styled(rest: Spec): Spec {
  return {
    $schema: 'https://vega.github.io/schema/vega/v6.json',
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
    const svg = await view.toSVG();
    return svg.replace('class="marks"', 'class="picture"').replace('>', `>${DARK_SCHEME}`);
  } finally {
    view.finalize();
  }
}
