/** A robot in a page, whatever draws it: three.js, or outlines where the browser has no WebGL. */
import type { Arrow, Bounds, Triple } from '../animation-data.ts';

/** How bodies are coloured. */
export type Colouring = 'body' | 'strain';

/** What is drawn beside the robot. */
export interface Surroundings {
  /** World axes; m/s², m/s. */
  readonly gravity: Triple;
  readonly current?: Triple;
}

export interface ShownRobot {
  /** @param numbers of a picture, in the order of the structure. */
  place(numbers: ArrayLike<number>, arrows?: readonly Arrow[]): void;
  /** @param colourOf a tendon or a chamber by its actuator; undefined leaves it as it is. */
  paint(colourOf: (actuator: string) => string | undefined): void;
  setColouring(colouring: Colouring): void;
  /** The largest size of a strain that was shown so far. */
  readonly mostStrain: number;
  setFrames(areShown: boolean): void;
  setSurroundings(surroundings: Surroundings): void;
  setGround(colour: string): void;
  /** The whole way of the tip. */
  setTrace(points: Float32Array): void;
  showTrace(count: number): void;
  /** To the right and upwards in the picture, in world axes. */
  screenAxes(): readonly [Triple, Triple];
  home(bounds: Bounds): void;
  /** Pixels of 1 m in the middle of what is looked at, now and after every change. */
  onScale(listener: (pixels: number) => void): void;
  dispose(): void;
}

/** Colours of arrows. */
export const ARROW_COLOURS: Readonly<Record<Arrow['kind'], string>> = {
  contact: '#d1242f',
  loop: '#8250df',
  load: '#0a7d4f',
  input: '#bf6a02',
};
export const GRAVITY_COLOUR = '#667085';
export const CURRENT_COLOUR = '#1f7fd1';

/** Of the largest arrow, as a share of the size of the robot. */
export const LONGEST_ARROW = 0.22;

/** A square of a plane about the place of it that is nearest to a point. @returns corners one after the other around it. */
export function planeSquare(
  { at, normal }: { readonly at: Triple; readonly normal: Triple },
  centre: Triple,
  half: number,
): readonly Triple[] {
  const away = dot(normal, [centre[0] - at[0], centre[1] - at[1], centre[2] - at[2]]);
  const middle: Triple = [centre[0] - away * normal[0], centre[1] - away * normal[1], centre[2] - away * normal[2]];
  const start: Triple = Math.abs(normal[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
  const u = unit(cross(normal, start));
  const v = cross(normal, u);
  return ([[1, 1], [-1, 1], [-1, -1], [1, -1]] as const).map(([a, b]): Triple => [
    middle[0] + half * (a * u[0] + b * v[0]),
    middle[1] + half * (a * u[1] + b * v[1]),
    middle[2] + half * (a * u[2] + b * v[2]),
  ]); // prettier-ignore
}

const dot = (a: Triple, b: Triple): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Triple, b: Triple): Triple => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
const unit = (a: Triple): Triple => {
  const size = Math.hypot(...a);
  return [a[0] / size, a[1] / size, a[2] / size];
};
