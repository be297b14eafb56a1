/** Robots at the times of a run, or at configurations, as postures. */
import type { Robot } from '../../description/model/robot.ts';
import { actingAt, pointsOf as pointsOfPlaces, posesOf, structureOf } from '../animation.ts';
import { arrowsOf, type ActingForces } from '../drawing/arrows.ts';
import { RobotShape, type RobotPlaces } from '../robot-shape.ts';
import type { Scenario } from '../../simulation/scenario/scenario.ts';
import type { Sample as RunSample } from '../../simulation/run/simulate.ts';
import { InputColours, reachOf } from '../viewer/space/input-colours.ts';
import { OBSTACLE, postureOf, type Posture } from './posture.ts';

/** What a picture needs of a sample of a run. */
export interface Sample {
  readonly t: number;
  readonly q: readonly number[];
  /** By actuator. */
  readonly u?: readonly number[];
  /** Nothing that is known where it is missing. */
  readonly acting?: ActingForces;
}

/** With what acted when it was taken. */
export function sampleOfRun(sample: RunSample, loads: Scenario['loads']): Sample {
  const { t, q, u } = sample;
  return { t, q, u, acting: actingAt(sample, loads) };
}

/**
 * @param samples at rising times.
 * @returns the robot at these times.
 */
export function posturesOf(robot: Robot, samples: readonly Sample[]): Posture[] {
  const shape = new RobotShape(robot);
  const places = samples.map(({ t, q }) => shape.place(q, t));
  const structure = structureOf(shape, places[0]!, robot.gravity);
  const inputs = samples.map(({ u }) => u ?? robot.actuators.map(() => 0));
  const colours = new InputColours(structure, robot.actuators, reachOf(inputs));
  const arrows = places.map((own, k) => arrowsOf(robot, shape, own, samples[k]!.acting ?? {}));
  const mostForce = Math.max(0, ...arrows.flat().map(({ force }) => Math.hypot(...force)));
  const size = sizeOf(places);
  return places.map((own, k) =>
    postureOf(structure, [...pointsOfPlaces(own), ...posesOf(own)], {
      ...{ t: samples[k]!.t, size, mostForce, arrows: arrows[k]! },
      colourOf: colours.colourOf(inputs[k]!),
    }),
  );
}

/** All points of postures, to see them all. */
export function pointsOf(postures: readonly Posture[]): Float64Array[] {
  return postures.flatMap(({ surfaces, tendons, arrows }) => [
    ...surfaces.flatMap(({ position, part }) => (part === OBSTACLE ? [] : [position])),
    ...tendons.map(({ points }) => points),
    ...arrows.map(({ from, to }) => Float64Array.from([...from, ...to])),
  ]);
}

/** The sample at a time, between two of a run by a straight line; forces are those of the nearer one. @param samples at rising times. */
export function sampleAt(samples: readonly Sample[], t: number): Sample {
  let after = samples.findIndex((sample) => sample.t >= t);
  if (after < 0) after = samples.length - 1;
  const [a, b] = [samples[Math.max(after - 1, 0)]!, samples[after]!];
  const share = b.t > a.t ? Math.min(1, Math.max(0, (t - a.t) / (b.t - a.t))) : 1;
  const between = (from: readonly number[], to: readonly number[]): number[] =>
    to.map((value, i) => from[i]! + share * (value - from[i]!));
  const near = share < 0.5 ? a : b;
  return {
    ...{ t, q: between(a.q, b.q) },
    ...(a.u && b.u && { u: between(a.u, b.u) }),
    ...(near.acting && { acting: near.acting }),
  };
}

/** Diagonal of the box around a robot at its first time. */
function sizeOf(places: readonly RobotPlaces[]): number {
  const [low, high] = [
    [Infinity, Infinity, Infinity],
    [-Infinity, -Infinity, -Infinity],
  ];
  const take = (value: number, axis: number): void => {
    low[axis] = Math.min(low[axis]!, value);
    high[axis] = Math.max(high[axis]!, value);
  };
  for (const { vertices, lines } of places.slice(0, 1)) {
    for (const own of vertices) own.forEach((value, i) => take(value, i % 3));
    for (const point of lines.flat()) point.forEach(take);
  }
  return Math.max(...high.map((value, i) => value - low[i]!), 1e-6);
}
