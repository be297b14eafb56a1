/** What colours mean: tensions and pressures of inputs, strain of bodies, and the largest force that an arrow shows. */
import type { Arrow } from './animation-data.ts';
import { short, shownUnit } from './panel.ts';
import type { InputColours } from './space/input-colours.ts';
import { ARROW_COLOURS } from './space/shown-robot.ts';
import { loadColour, strainColour } from './space/surface-strain.ts';

/** A scale for each unit. */
export function inputScales({ most }: InputColours): readonly Scale[] {
  return [...most].map(([unit, own]) => {
    const [name, size] = shownUnit(unit);
    return { colours: [0, 0.5, 1].map(loadColour), low: '0', high: `${short(own / size)} ${name}` };
  });
}

interface Scale {
  readonly colours: readonly string[];
  readonly low: string;
  readonly high: string;
}

/** Strains from −most to most. */
export function strainScale(most: number): Scale {
  const colours = [-1, -0.5, 0, 0.5, 1].map((share) => `rgb(${strainColour(share).map(Math.round).join(',')})`);
  const text = `${short(100 * most)} %`;
  return { colours, low: `strain −${text}`, high: text };
}

/** What legends tell, by their elements: another layout of the page is made where that changes only. */
const told = new WeakMap<HTMLElement, string>();

export function showLegend(element: HTMLElement, scales: readonly Scale[], arrows: readonly Arrow[]): void {
  const kinds = (Object.keys(ARROW_COLOURS) as Arrow['kind'][]).flatMap((kind) => {
    const sizes = arrows.filter((own) => own.kind === kind).map(({ force }) => Math.hypot(...force));
    return sizes.length === 0 ? [] : [{ kind, text: `${kind} ${short(Math.max(...sizes))} N` }];
  });
  const text = JSON.stringify([scales, kinds]);
  if (told.get(element) === text) return;
  told.set(element, text);
  element.replaceChildren(
    ...scales.map(({ colours, low, high }) => {
      const bar = document.createElement('i');
      bar.style.background = `linear-gradient(90deg, ${colours.join(', ')})`;
      return row(span(low), bar, span(high));
    }),
    ...kinds.map(({ kind, text: size }) => {
      const mark = span('→');
      mark.style.color = ARROW_COLOURS[kind];
      return row(mark, span(size));
    }),
  );
  element.hidden = element.childElementCount === 0;
}

function span(text: string): HTMLElement {
  const made = document.createElement('span');
  made.textContent = text;
  return made;
}

function row(...parts: readonly HTMLElement[]): HTMLElement {
  const made = document.createElement('div');
  made.append(...parts);
  return made;
}

/** A bar of a round length. @param pixels of 1 m. */
export function showScale(element: HTMLElement, pixels: number): void {
  const reach = 110 / pixels;
  if (!Number.isFinite(reach) || reach <= 0) return;
  const power = 10 ** Math.floor(Math.log10(reach));
  // Between 68 and 137 pixels: its words have room.
  const length = [10, 5, 3, 2, 1].map((digit) => digit * power).find((own) => own <= 1.25 * reach)!;
  element.style.width = `${length * pixels}px`;
  const [size, unit] = length >= 0.999 ? [1, 'm'] : length >= 0.999e-3 ? [1e-3, 'mm'] : [1e-6, 'µm'];
  element.textContent = `${short(length / size)} ${unit}`;
}
