/**
 * What controls a robot, and what finds its state: a law that has inputs of actuators, or rates of coordinates, from the state and a reference
 * (y, ẏ, ÿ), with gains that may be changed while it runs; filters of measurements.
 */
import type { SourceLocation } from '../../common/error.ts';
import type { Actuator } from './actuator.ts';

/** A gain, one number or several; what it is per unit of is part of its unit. */
export interface Gain {
  /** Identifier in generated code. */
  readonly name: string;
  readonly summary: string;
  /** SI, one for each value; several where coordinates differ. */
  readonly units: readonly string[];
  readonly values: readonly number[];
  /** One number whatever the robot. */
  readonly single?: true;
  /** What it may be; not below zero unless said. */
  readonly range?: 'any' | 'above zero';
}

export type ControlLaw =
  /** u = B⁻¹ (M v + c + g + elastic + damping), v = ÿ_d + k_d (ẏ_d − q̇) + k_p (y_d − q) + k_i ∫(y_d − q). */
  | { readonly kind: 'computed-torque'; readonly integral: boolean }
  /**
   * u = B⁺ (k_p (y_d − q) + k_d (ẏ_d − q̇) + k_i ∫(y_d − q) + g + elastic + fluid), the last at y_d or at q, at rest; B of the
   * columns of these actuators, the others bring nothing.
   */
  | {
      readonly kind: 'pd';
      readonly integral: boolean;
      readonly compensation: 'reference' | 'state';
      readonly actuators: readonly number[];
    }
  /** u = B⁺ (g + elastic + fluid), all at y_d at rest; of these actuators, the others bring nothing. */
  | { readonly kind: 'feed-forward'; readonly actuators: readonly number[] }
  /**
   * u = y + k_p (y − q) + k_d (ẏ − q̇) of the tensions, by index of the coordinate, that these actuators drive and that are all coordinates of the
   * robot; where there are others, u = y + Bᵀ (k_p (y − q) + k_d (ẏ − q̇)) with a reference of zero for them. The others bring nothing.
   */
  | {
      readonly kind: 'shape';
      readonly actuators: readonly number[];
      readonly tensions: readonly number[];
      readonly all: boolean;
    }
  /** ÿ = v of these actuators, by their indices, through M of all coordinates; the others bring nothing. */
  | { readonly kind: 'partial-feedback-linearisation'; readonly outputs: readonly number[] }
  /** Rates of coordinates that lead a frame, by its index, to a pose; the others towards a posture, where there is one. */
  | { readonly kind: 'task-space'; readonly form: 'velocity'; readonly frame: number; readonly posture: boolean }
  /** A spring and a damper between a frame and a pose, with gravity and springs of the robot compensated. */
  | { readonly kind: 'task-space'; readonly form: 'torque'; readonly frame: number }
  /**
   * Components of the twist of a frame, world axes, angular first, accelerate by v, whatever the rest of the robot does; what that leaves
   * free tends to a posture, where there is one. By these actuators, the others bring nothing.
   */
  | {
      readonly kind: 'task-space';
      readonly form: 'acceleration';
      readonly frame: number;
      readonly axes: readonly number[];
      readonly posture: boolean;
      readonly actuators: readonly number[];
      /** Among all answers; accelerations where each coordinate has an actuator, otherwise inputs. */
      readonly least?: 'accelerations' | 'inputs';
    };

/** Where a shell has rates of coordinates from. */
export type RateSource =
  | { readonly kind: 'measured' }
  | { readonly kind: 'filtered-difference'; /** s */ readonly time: number }
  | { readonly kind: 'tracking-loop'; /** 1/s */ readonly bandwidth: number };

/** States, faults and limits around a law. */
export interface ControllerShell {
  /** Time from one step to the next, s. */
  readonly period: number;
  /** Largest rate of each input. */
  readonly rate: readonly number[];
  /** Time of the way to the reference, s, and the largest third derivative of each reference on it. */
  readonly blend: number;
  readonly jerk: readonly number[];
  /** Largest rate of each coordinate. */
  readonly speed: readonly number[];
  readonly rates: RateSource;
  /** Inputs at a fault: as they were for so many steps, then zero; or of another controller, at the configuration at rest. */
  readonly fault: { readonly steps: number } | { readonly controller: string };
  /** Steps in a row that may be missed. */
  readonly tolerate: number;
  /** Bandwidth of the observer of forces from outside, 1/s; there is none when missing. */
  readonly observe?: number;
}

export interface Controller {
  readonly name: string;
  readonly summary: string;
  readonly law: ControlLaw;
  readonly gains: readonly Gain[];
  readonly shell?: ControllerShell;
  readonly location: SourceLocation;
}

/** A quantity that a controller takes as its reference, with the unit of the position. */
export interface Referred {
  readonly name: string;
  readonly unit: string;
}

/** Numbers that give the pose of a frame: origin, and R = Rz(yaw) Ry(pitch) Rx(roll). */
const POSE_NUMBERS: readonly Referred[] = [
  ...['x', 'y', 'z'].map((name) => ({ name, unit: 'm' })),
  ...['roll', 'pitch', 'yaw'].map((name) => ({ name, unit: 'rad' })),
];

/**
 * What the reference of a controller is given by, in order: coordinates of the robot, or actuation coordinates, which are
 * (y, ẏ, ÿ); or the numbers of a pose.
 */
export function referencesOf(
  { coordinates, actuators }: { readonly coordinates: readonly Referred[]; readonly actuators: readonly Actuator[] },
  { law }: Controller,
): readonly Referred[] {
  if (law.kind === 'task-space') return POSE_NUMBERS;
  if (law.kind === 'shape') return law.tensions.map((i) => coordinates[i]!);
  if (law.kind !== 'partial-feedback-linearisation') return coordinates;
  return law.outputs.map((i) => ({ name: actuators[i]!.name, unit: actuators[i]!.coordinateUnit }));
}

/** Indices of the actuators that a controller has inputs for; those of the others are zero. */
export function actuatorsOf(
  { actuators }: { readonly actuators: readonly Actuator[] },
  { law }: Pick<Controller, 'law'>,
): readonly number[] {
  if (law.kind === 'partial-feedback-linearisation') return law.outputs;
  return 'actuators' in law ? law.actuators : actuators.map((_, i) => i);
}

/** What a filter is told of, in every period or now and then. */
type Measured =
  /** The actuation coordinate of an actuator. */
  | { readonly kind: 'actuator'; readonly index: number }
  /** Entries of the position of a frame, world axes, by their indices. */
  | { readonly kind: 'position'; readonly frame: number; readonly axes: readonly number[] }
  /** R of a frame, row by row. */
  | { readonly kind: 'rotation'; readonly frame: number }
  | { readonly kind: 'coordinate'; readonly index: number }
  | { readonly kind: 'rate'; readonly index: number };

export interface Measurement {
  /** For people: `position of tip`. */
  readonly name: string;
  readonly of: Measured;
  /** Standard deviation of each of its numbers; of a rotation about each axis, rad. */
  readonly noise: number;
  /** Of the noise. */
  readonly unit: string;
}

/** An extended Kalman filter of coordinates and rates. */
export interface Observer {
  readonly name: string;
  readonly summary: string;
  /** Time from one step to the next, s. */
  readonly period: number;
  readonly measurements: readonly Measurement[];
  /** Standard deviation of the generalized force on each coordinate that the model lacks, another one in every period. */
  readonly process: readonly number[];
  /** At the start, where the coordinates are `start`, at rest: standard deviations of coordinates and rates. */
  readonly uncertainty: readonly number[];
  readonly rateUncertainty: readonly number[];
  readonly start: readonly number[];
  /** Of its measurements. */
  readonly location: SourceLocation;
}

/** How many numbers a measurement is given by. */
export function numbersOf({ of }: Measurement): number {
  return of.kind === 'position' ? of.axes.length : of.kind === 'rotation' ? 9 : 1;
}

/** How many numbers are learnt from it. */
export function rowsOf({ of }: Measurement): number {
  return of.kind === 'position' ? of.axes.length : of.kind === 'rotation' ? 3 : 1;
}
