/** Sliders with numbers beside them, and buttons, for the page of `kanegen view`. */
import type { Slider } from './live-messages.ts';

/** How numbers of an SI unit are shown. */
const SHOWN: Readonly<Record<string, readonly [unit: string, size: number]>> = {
  m: ['mm', 1e-3],
  Pa: ['kPa', 1e3],
  rad: ['°', Math.PI / 180],
  '1': ['', 1],
};

export const shownUnit = (unit: string): readonly [unit: string, size: number] => SHOWN[unit] ?? [unit, 1];

export const short = (x: number): string => `${Number(x.toPrecision(4))}`;

/** A slider in SI numbers. */
export class SliderRow {
  readonly element = document.createElement('div');
  readonly slider: Slider;
  private readonly range = document.createElement('input');
  private readonly number = document.createElement('input');
  private readonly size: number;
  /** What stands there; undefined where something else may. */
  private shown: number | undefined;

  /** @param moved is told the value; @param release text of a button that sets it to zero. */
  constructor(slider: Slider, moved: (value: number) => void, release?: string) {
    this.slider = slider;
    const [unit, size] = shownUnit(slider.unit);
    this.size = size;
    this.element.className = 'slider';
    const label = document.createElement('label');
    label.textContent = slider.name;
    label.title = slider.name;
    const id = `slider-${SliderRow.count++}`;
    label.htmlFor = id;
    this.range.id = id;
    this.range.type = 'range';
    this.range.min = `${slider.lower / size}`;
    this.range.max = `${slider.upper / size}`;
    this.range.step = 'any';
    this.number.type = 'number';
    this.number.step = 'any';
    this.number.setAttribute('aria-label', `${slider.name}, ${unit}`);
    const value = document.createElement('span');
    value.className = 'value';
    value.append(this.number, unit);
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = release ?? '';
    this.element.append(label, value, ...(release === undefined ? [] : [button]), this.range);
    const take = (from: HTMLInputElement): void => {
      const own = Number(from.value) * size;
      this.shown = undefined;
      if (from.value === '' || !Number.isFinite(own)) return;
      this.show(own, from);
      moved(own);
    };
    this.range.addEventListener('input', () => take(this.range));
    this.number.addEventListener('change', () => take(this.number));
    button.addEventListener('click', () => {
      this.show(0);
      moved(0);
    });
    this.show(slider.value);
  }

  private static count = 0;

  /** @param but leaves the field alone in which somebody types. */
  show(value: number, but?: HTMLInputElement): void {
    if (value === this.shown) return;
    const { lower, upper } = this.slider;
    const isTyped = this.number === but || document.activeElement === this.number;
    this.shown = isTyped ? undefined : value;
    // What is left of rounding is nothing.
    const own = Math.abs(value) < 1e-7 * (upper - lower) ? 0 : value / this.size;
    this.element.classList.toggle('outside', value < lower || value > upper);
    if (this.range !== but) this.range.value = `${own}`;
    if (!isTyped) this.number.value = short(own);
  }
}

export function button(text: string, pressed: () => void, title = ''): HTMLButtonElement {
  const made = document.createElement('button');
  made.type = 'button';
  made.textContent = text;
  made.title = title;
  made.addEventListener('click', pressed);
  return made;
}

export function heading(text: string): HTMLElement {
  const made = document.createElement('h2');
  made.textContent = text;
  return made;
}

export function chips(...buttons: readonly HTMLElement[]): HTMLElement {
  const made = document.createElement('div');
  made.className = 'chips';
  made.append(...buttons);
  return made;
}

/** Rows under a heading that opens and closes. */
export function folded(title: string, open: boolean, rows: readonly HTMLElement[]): HTMLElement {
  const made = document.createElement('details');
  const summary = document.createElement('summary');
  summary.textContent = title;
  made.open = open;
  made.append(summary, ...rows);
  return made;
}

export function checkbox(text: string, isOn: boolean, changed: (isOn: boolean) => void): HTMLElement {
  const label = document.createElement('label');
  label.className = 'check';
  const box = document.createElement('input');
  box.type = 'checkbox';
  box.checked = isOn;
  box.addEventListener('change', () => changed(box.checked));
  label.append(box, text);
  return label;
}
