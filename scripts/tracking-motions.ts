/**
 * A motion of a robot by its coordinates, and the same motion as every kind of controller takes it: coordinates, actuation
 * coordinates, the pose of a frame.
 */
import type { LoadedRobot } from '../src/codegen/typescript/load.ts';
import type { Controller } from '../src/description/model/controller.ts';
import type { Robot } from '../src/description/model/robot.ts';
import { minimumJerk } from '../src/runtime/trajectories.ts';
import type { Dynamics } from '../src/runtime/driver.ts';
import { equilibrium } from '../src/simulation/equilibria/statics.ts';
import type { Reference } from '../src/simulation/scenario/reference.ts';

export interface State {
  readonly q: Float64Array;
  readonly qd: Float64Array;
  readonly qdd: Float64Array;
}

/** Position, rate and second derivative at a time in s. */
type Course = readonly [position: number, rate: number, second: number];

/** The course of every coordinate at a time. */
export type Motion = (t: number) => readonly Course[];

/** From 0 to 1 with minimum jerk. */
export function ramp(t: number, from: number, duration: number): Course {
  const out = new Float64Array(3);
  minimumJerk(t - from, duration, 0, 1, out);
  return [out[0]!, out[1]!, out[2]!];
}

/** sin(ω t + phase) */
export function wave(t: number, omega: number, phase = 0): Course {
  const [s, c] = [Math.sin(omega * t + phase), Math.cos(omega * t + phase)];
  return [s, omega * c, -omega * omega * s];
}

export const product = (a: Course, b: Course): Course => [
  a[0] * b[0],
  a[1] * b[0] + a[0] * b[1],
  a[2] * b[0] + 2 * a[1] * b[1] + a[0] * b[2],
];

/** base + size · course */
export const scaled = (course: Course, size: number, base = 0): Course => [
  base + size * course[0],
  size * course[1],
  size * course[2],
];

/** Points of the polynomials that `equilibriumMotion` lays through equilibria. */
const POINTS = 8;

/**
 * The equilibria of a robot under inputs over time, 10 ms apart, with polynomials of degree seven between them: a motion
 * that the inputs can bring about but for inertia and damping, whatever the number of coordinates.
 */
export function equilibriumMotion(
  robot: Robot,
  dynamics: LoadedRobot,
  duration: number,
  inputs: (t: number) => readonly number[],
): Motion {
  const step = 0.01;
  const count = Math.max(POINTS, Math.ceil(duration / step) + 1);
  const nodes: (readonly number[])[] = [];
  for (let k = 0; k < count; k++)
    nodes.push(equilibrium(robot, dynamics, { inputs: inputs(k * step) }, nodes[k - 1]).q);
  return (t) => {
    const first = Math.min(Math.max(Math.floor(t / step) + 1 - POINTS / 2, 0), count - POINTS);
    const weights = lagrangeWeights(t / step - first);
    return robot.coordinates.map((_, i) => {
      const sum = (derivative: 0 | 1 | 2): number =>
        weights[derivative].reduce((total, weight, k) => total + weight * nodes[first + k]![i]!, 0) /
        step ** derivative;
      return [sum(0), sum(1), sum(2)];
    });
  };
}

/** Of the values at 0, 1, …, and the first two derivatives of the polynomial through them, at a place among them. */
function lagrangeWeights(x: number): readonly [number[], number[], number[]] {
  const weights: [number[], number[], number[]] = [[], [], []];
  for (let k = 0; k < POINTS; k++) {
    let course: Course = [1, 0, 0];
    for (let j = 0; j < POINTS; j++) if (j !== k) course = product(course, [(x - j) / (k - j), 1 / (k - j), 0]);
    course.forEach((value, derivative) => weights[derivative]!.push(value));
  }
  return weights;
}

export function stateAt(motion: Motion, t: number): State {
  const courses = motion(t);
  const part = (i: number): Float64Array => Float64Array.from(courses, (course) => course[i]!);
  return { q: part(0), qd: part(1), qdd: part(2) };
}

/** Position of a frame at a state. */
export function positionOf(robot: Dynamics, frame: number, { q, qd }: State): Float64Array {
  const t = new Float64Array(3);
  robot.update(q, qd);
  robot.frame(frame, null, t, null);
  return t;
}

/** Actuation coordinates with rates and second derivatives, as three arrays. */
export function actuationOf(robot: Dynamics, { q, qd, qdd }: State): readonly Float64Array[] {
  const [y, yd, ydd] = [0, 1, 2].map(() => new Float64Array(robot.actuators)) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  const B = new Float64Array(robot.coordinates * robot.actuators);
  robot.update(q, qd);
  robot.actuation(y, yd, ydd, B);
  for (let i = 0; i < qdd.length; i++)
    for (let k = 0; k < robot.actuators; k++) ydd[k]! += B[robot.actuators * i + k]! * qdd[i]!;
  return [y, yd, ydd];
}

/** x, y, z, roll, pitch, yaw of a frame, their rates and second derivatives. */
function poseOf(robot: Dynamics, frame: number, { q, qd, qdd }: State): readonly Float64Array[] {
  const n = q.length;
  const [R, t, J] = [new Float64Array(9), new Float64Array(3), new Float64Array(6 * n)];
  const [velocity, acceleration] = [new Float64Array(6), new Float64Array(6)];
  robot.update(q, qd);
  robot.frame(frame, R, t, J);
  robot.frameMotion(frame, velocity, acceleration);
  for (let i = 0; i < 6; i++) for (let j = 0; j < n; j++) acceleration[i]! += J[n * i + j]! * qdd[j]!;
  const pitch = Math.atan2(-R[6]!, Math.hypot(R[0]!, R[3]!));
  const [c, s] = [Math.cos(pitch), Math.sin(pitch)];
  if (c < 0.1) throw new Error('roll and yaw are all but the same here: take another motion');
  const [roll, yaw] = [Math.atan2(R[7]!, R[8]!), Math.atan2(R[3]!, R[0]!)];
  /** Along the axis of roll as seen from above, and of pitch. */
  const turned = ([x, y]: Float64Array): readonly [number, number] => [
    Math.cos(yaw) * x! + Math.sin(yaw) * y!,
    Math.cos(yaw) * y! - Math.sin(yaw) * x!,
  ];
  const [along, pitchRate] = turned(velocity);
  const rollRate = along / c;
  const yawRate = velocity[2]! + s * rollRate;
  const [alongSecond, across] = turned(acceleration);
  const rollSecond = (alongSecond + yawRate * pitchRate + s * pitchRate * rollRate) / c;
  const yawSecond = acceleration[2]! + c * pitchRate * rollRate + s * rollSecond;
  return [
    Float64Array.of(...t, roll, pitch, yaw),
    Float64Array.of(...velocity.subarray(3), rollRate, pitchRate, yawRate),
    Float64Array.of(...acceleration.subarray(3), rollSecond, across - yawRate * along, yawSecond),
  ];
}

/**
 * What a controller follows where the robot moves like this.
 * @param robot stages states: nobody else does in it.
 */
export function referencesFor({ law }: Controller, motion: Motion, robot: Dynamics): readonly Reference[] {
  const numbers = (state: State): readonly Float64Array[] => {
    if (law.kind === 'task-space') return poseOf(robot, law.frame, state);
    if (law.kind !== 'partial-feedback-linearisation') return [state.q, state.qd, state.qdd];
    return actuationOf(robot, state).map((all) => Float64Array.from(law.outputs, (i) => all[i]!));
  };
  let [time, known]: [number, readonly Float64Array[]] = [0, numbers(stateAt(motion, 0))];
  return Array.from(known[0]!, (_, i) => (t: number, out: Float64Array): void => {
    if (t !== time) [time, known] = [t, numbers(stateAt(motion, t))];
    out.set(known.map((part) => part[i]!));
  });
}
