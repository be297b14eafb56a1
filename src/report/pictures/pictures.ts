/** Pictures and films of runs and of equilibria as files, in the form that the end of their name says. */
import { KanegenError } from '../../common/error.ts';
import type { Robot } from '../../description/model/robot.ts';
import type { Scenario } from '../../simulation/scenario/scenario.ts';
import type { Run } from '../../simulation/run/simulate.ts';
import { sampleAt, sampleOfRun, type Sample } from './bodies.ts';
import { gifOf, pngOf } from './encoders.ts';
import { stroboscopicFigure, type Look, type Trail } from './figure.ts';
import { filmOf, shadedFigure, vectorFilm } from './film.ts';
import type { FigureForm, FilmForm, VideoForm } from './forms.ts';
import { videoOf } from './video.ts';

export type { Look } from './figure.ts';
export type { FigureForm, FilmForm } from './forms.ts';

/** What a figure of a run shows. */
export interface FigureOptions extends Look {
  /** Times in s, or how many at equal distances; 5 when missing. */
  readonly times?: readonly number[] | number;
}

/** How a film of a run plays. */
export interface FilmOptions extends Look {
  /** Frames a second; 25 when missing. */
  readonly rate?: number;
  /** Seconds of the motion in one second of the film; such that it takes 2 s to 8 s when missing. */
  readonly speed?: number;
}

/** A film with what was chosen for it. */
export interface Film {
  readonly content: Uint8Array | string;
  readonly frames: number;
  readonly rate: number;
  readonly speed: number;
}

const FEW = 5;
const RATE = 25;
const [SHORTEST, LONGEST] = [2, 8];
export const MOST_FRAMES = 3000;

/** The robot at several times of a run in one picture. @throws KanegenError `no-picture`, `unknown-view` */
export function figureOf(
  scenario: Scenario,
  run: Run,
  form: FigureForm,
  options: FigureOptions = {},
): string | Uint8Array {
  const samples = samplesOf(scenario, run);
  const { times = FEW } = options;
  const shown = samples.length === 1 ? samples : timesIn(samples, times).map((t) => sampleAt(samples, t));
  return pictureOf(scenario.robot, shown, form, options, trailOf(scenario, run));
}

/** The robot at configurations in one picture, later ones in front. @throws KanegenError `unknown-view` */
export function pictureOf(
  robot: Robot,
  samples: readonly Sample[],
  form: FigureForm,
  look: Look = {},
  trail?: Trail,
): string | Uint8Array {
  if (form === 'svg') return stroboscopicFigure(robot, samples, trail, look);
  return pngOf({ frames: [shadedFigure(robot, samples, trail, look)], rate: 1 });
}

/** A run as a film. @throws KanegenError `no-picture`, `unknown-view`, `no-encoder` */
export async function filmOfRun(
  scenario: Scenario,
  run: Run,
  form: FilmForm,
  options: FilmOptions = {},
): Promise<Film> {
  const samples = samplesOf(scenario, run);
  const [start, end] = [samples[0]!.t, samples[samples.length - 1]!.t];
  if (end <= start)
    throw new KanegenError('no-picture', 'an equilibrium has no motion to film', {
      remedy: 'draw it with --figure NAME.svg',
    });
  const { rate = RATE } = options;
  const { speed = (end - start) / Math.min(LONGEST, Math.max(SHORTEST, end - start)) } = options;
  const count = Math.max(2, Math.round(((end - start) / speed) * rate));
  if (count > MOST_FRAMES)
    throw new KanegenError('no-picture', `a film of ${count} frames is longer than ${MOST_FRAMES}`, {
      remedy: 'raise --speed or lower --fps',
    });
  const shown = Array.from({ length: count }, (_, k) => sampleAt(samples, start + ((end - start) * k) / (count - 1)));
  const { robot } = scenario;
  const trail = trailOf(scenario, run);
  const content =
    form === 'svg'
      ? vectorFilm(robot, shown, trail, rate, options)
      : await encoded(form, filmOf(robot, shown, trail, rate, options));
  return { content, frames: count, rate, speed };
}

async function encoded(form: 'gif' | 'png' | VideoForm, film: ReturnType<typeof filmOf>): Promise<Uint8Array> {
  if (form === 'gif') return gifOf(film);
  return form === 'png' ? pngOf(film) : videoOf(film, form);
}

function samplesOf({ loads }: Scenario, { samples }: Run): readonly Sample[] {
  if (samples.length === 0)
    throw new KanegenError('no-picture', 'the run has no sample, and nothing to draw', {
      remedy: 'the message of the run says why',
    });
  return samples.map((sample) => sampleOfRun(sample, loads));
}

/** @throws KanegenError `no-picture` for a time before the run or after it. */
function timesIn(samples: readonly Sample[], times: readonly number[] | number): readonly number[] {
  const [start, end] = [samples[0]!.t, samples[samples.length - 1]!.t];
  if (typeof times === 'number')
    return Array.from({ length: times }, (_, k) => (times === 1 ? end : start + ((end - start) * k) / (times - 1)));
  const outside = times.find((t) => t < start - 1e-9 || t > end + 1e-9);
  if (outside !== undefined)
    throw new KanegenError('no-picture', `${outside} s is outside the run, which goes from ${start} s to ${end} s`, {
      remedy: 'write times within it: --times',
    });
  return [...times].sort((a, b) => a - b);
}

/** Where the tip went, if it is among the frames of a run that moves. */
function trailOf({ robot, frames }: Scenario, { samples }: Run): Trail | undefined {
  const tip = frames.indexOf(robot.tip);
  if (tip < 0 || samples.length < 2) return undefined;
  const places = samples.flatMap((sample) => [...sample.frames[tip]!.slice(0, 3)]);
  return { times: samples.map(({ t }) => t), points: Float64Array.from(places) };
}
