/** Options of commands that draw: files whose ends say their form, views, sizes, times. */
import { viewOf } from '../../report/pictures/camera.ts';
import { FIGURE_FORMS, FILM_FORMS } from '../../report/pictures/forms.ts';
import type { FigureForm, FigureOptions, FilmForm, FilmOptions, Look } from '../../report/pictures/pictures.ts';
import { UsageError } from '../terminal/failure.ts';
import { positiveNumber, wholeNumber } from '../terminal/numbers.ts';

export interface LookOptions {
  readonly view?: string;
  /** WIDTH or WIDTHxHEIGHT. */
  readonly size?: string;
}

export interface PictureOptions extends LookOptions {
  readonly figure?: string;
  readonly film?: string;
  /** Times in s with commas between them, or `8x`. */
  readonly times?: string;
  readonly fps?: string;
  readonly speed?: string;
}

/** @throws UsageError where the end of a name is no form of a figure. */
export function figureForm(file: string): FigureForm {
  return formOf('--figure', file, FIGURE_FORMS);
}

/** @throws UsageError where the end of a name is no form of a film. */
export function filmForm(file: string): FilmForm {
  return formOf('--film', file, FILM_FORMS);
}

function formOf<Form extends string>(option: string, file: string, forms: readonly Form[]): Form {
  const end = /\.(\w+)$/.exec(file)?.[1]?.toLowerCase();
  const found = forms.find((form) => form === (end === 'apng' ? 'png' : end));
  if (found) return found;
  const known = forms.map((form) => `NAME.${form}`).join(', ');
  throw new UsageError(`${option} writes ${known}, not ${end === undefined ? 'a name without an end' : `.${end}`}`);
}

/** @throws UsageError */
export function lookOf({ view, size }: LookOptions): Look {
  return { ...(view !== undefined && { view }), ...(size !== undefined && { size: sizeOf(size) }) };
}

const MOST_PIXELS = 4000;

function sizeOf(text: string): NonNullable<Look['size']> {
  const [width, height, ...more] = text.split('x').map((part) => wholeNumber('--size', part, 64, MOST_PIXELS));
  if (more.length > 0) throw new UsageError(`--size takes WIDTH or WIDTHxHEIGHT, not ${JSON.stringify(text)}`);
  return { width: width!, ...(height !== undefined && { height }) };
}

/** @throws UsageError */
export function figureOptions(options: PictureOptions): FigureOptions {
  const { times } = options;
  return { ...lookOf(options), ...(times !== undefined && { times: timesOf(times) }) };
}

const MOST_POSTURES = 100;

function timesOf(text: string): readonly number[] | number {
  const count = /^\s*(\d+)x\s*$/.exec(text)?.[1];
  if (count !== undefined) return wholeNumber('--times', count, 1, MOST_POSTURES);
  const times = text.split(',').map((part) => (part.trim() === '' ? NaN : Number(part)));
  if (times.every(Number.isFinite) && times.length <= MOST_POSTURES) return times;
  throw new UsageError(
    `--times takes up to ${MOST_POSTURES} times in s, as 0,0.5,1, or a number of them, as 8x; not ${JSON.stringify(text)}`,
  );
}

const MOST_RATE = 100;

/** @throws UsageError */
export function filmOptions(options: PictureOptions): FilmOptions {
  const { fps, speed } = options;
  const rate = fps === undefined ? undefined : positiveNumber('--fps', fps);
  if (rate !== undefined && rate > MOST_RATE) throw new UsageError(`--fps takes a number up to ${MOST_RATE}`);
  return {
    ...lookOf(options),
    ...(rate !== undefined && { rate }),
    ...(speed !== undefined && { speed: positiveNumber('--speed', speed) }),
  };
}

/** What is wrong with options of pictures, before anything is computed for them. @throws UsageError */
export function checkPictureOptions(options: PictureOptions): void {
  const { figure, film, view, size, times, fps, speed } = options;
  const needs = (option: string, given: string | undefined, needed: string, there: boolean): void => {
    if (given !== undefined && !there) throw new UsageError(`${option} needs ${needed}`);
  };
  needs('--view', view, '--figure or --film', figure !== undefined || film !== undefined);
  needs('--size', size, '--figure or --film', figure !== undefined || film !== undefined);
  needs('--times', times, '--figure', figure !== undefined);
  needs('--fps', fps, '--film', film !== undefined);
  needs('--speed', speed, '--film', film !== undefined);
  if (figure !== undefined) figureForm(figure);
  if (film !== undefined) filmForm(film);
  figureOptions(options);
  filmOptions(options);
  if (view !== undefined) viewOf(view, [0, 0, 1]);
}
