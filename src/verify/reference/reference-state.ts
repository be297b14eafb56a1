/**
 * States of reference files: where they are, and the numbers that they have, by the names of `Evaluation`. Families of files
 * call the same things by names of their own.
 */
import { Decimal } from 'decimal.js';
import { poseLogarithm } from '../../runtime/control.ts';
import { cross } from '../along-rods/plain-vectors.ts';
import type { Expected } from '../generated/deviation.ts';
import type { State } from '../generated/evaluation.ts';
import { DAMPING_KINDS, type DampingKind } from './reference-bodies.ts';
import { isAddedMass, WATER_KINDS, type WaterKind } from './reference-water.ts';

type Numbers = readonly (number | string)[];
type Matrix = readonly (readonly string[])[];

/** How a state says where a base is that floats, in place of `q` and `qd`: world axes, and the coordinates of what it carries. */
interface FreeState {
  readonly base_position: Numbers;
  readonly base_rotation: readonly Numbers[];
  readonly base_velocity: Numbers;
  readonly base_angular_velocity: Numbers;
  readonly q_soft: Numbers;
  readonly qd_soft: Numbers;
}

/** What a state of a file may have; decimal strings. */
export interface ReferenceState extends Partial<FreeState> {
  readonly name: string;
  readonly q?: Numbers;
  /** A configuration at rest, in place of the state. */
  readonly q_star?: Numbers;
  readonly qd?: Numbers;
  readonly qdd?: Numbers;
  readonly M?: Matrix;
  readonly c?: Numbers;
  readonly g?: Numbers;
  readonly tau?: Numbers;
  readonly elastic?: Numbers;
  readonly stiffness?: Matrix;
  /** Of an equilibrium: parts of a stiffness that is not of elastic forces alone. */
  readonly stiffness_of?: { readonly elastic: Matrix };
  readonly stored_energy?: string;
  /** Kinetic, potential and elastic together. */
  readonly energy?: string;
  readonly linear_momentum?: Numbers;
  readonly kinetic_energy?: string;
  readonly potential_energy?: string;
  readonly tip_position?: Numbers;
  readonly tip_rotation?: Matrix;
  /** Of tendons: their tension is the input, and their coordinate is minus the length. */
  readonly tension?: readonly number[] | undefined;
  readonly length?: Numbers;
  /** Of rods whose strain is implicit. */
  readonly strain_gradient?: readonly Matrix[];
  readonly B?: Matrix;
  readonly tip_jacobian?: Matrix;
  /** M q̈ + c + g + elastic + damping − B u */
  readonly tau_total?: Numbers;
  /** Of a rod under a dead force and moment at its tip, with six strains at each station. */
  readonly tip_jacobian_tension?: Matrix;
  readonly tip_jacobian_force?: Matrix;
  readonly tip_jacobian_moment?: Matrix;
  readonly tip_force?: readonly number[];
  readonly tip_moment?: readonly number[];
  readonly base_moment?: Numbers;
  readonly strain?: Matrix;
  readonly length_gradient?: Matrix;
  readonly length_rate?: Numbers;
  readonly tau_tendon?: Numbers;
  /** Of pressure chambers. */
  readonly pressure?: readonly number[];
  readonly volume?: Numbers;
  readonly volume_gradient?: Matrix;
  readonly volume_rate?: Numbers;
  readonly tau_pressure?: Numbers;
  /** Of water, on the right-hand side: `tau_buoyancy`, `tau_drag_…`; and the inertia of what is moved of it. */
  readonly tau_buoyancy?: Numbers;
  readonly [name: `tau_drag_${string}`]: Numbers | undefined;
  /** Along the rod: kinks of |v_t| v_t. */
  readonly sign_changes_of_v_t?: Numbers;
  readonly added_mass_M?: Matrix;
  readonly [name: `added_mass_c_${string}`]: Numbers | undefined;
  /** Of loops. */
  readonly phi?: Numbers;
  readonly phi_rate?: Numbers;
  readonly bias?: Numbers;
  readonly J?: Matrix;
  readonly rank?: number;
  readonly multipliers?: Numbers;
  readonly constraint_force?: Numbers;
  readonly baumgarte?: { readonly alpha: number; readonly beta: number };
  readonly nearest_q?: Numbers;
  readonly nearest_qd?: Numbers;
  /** Damping forces, their matrix and all forces together: `damping`, `damping_matrix`, or `…_retardation`, `…_viscosity`. */
  readonly [name: `damping${string}`]: Numbers | Matrix | undefined;
  readonly [name: `tau_total_${string}`]: Numbers | undefined;
}

/** A state of the files that have all of the dynamics. */
export type DynamicsState = State & Required<Pick<ReferenceState, 'name' | 'M' | 'c' | 'g' | 'tau' | 'tip_position'>>;

/** Rates and accelerations that a file does not have are zero. */
export function stateOf(state: ReferenceState): State {
  const { q, q_star: rest, qd, qdd, tension, pressure } = state;
  const u = tension ?? pressure;
  const free = state.base_rotation ? freeState(state as FreeState) : undefined;
  const place = free?.q ?? (q ?? rest ?? []).map(Number);
  const zeros = place.map(() => 0);
  return { q: place, qd: free?.qd ?? qd?.map(Number) ?? zeros, qdd: qdd?.map(Number) ?? zeros, ...(u && { u }) };
}

/** The coordinates of a free joint are the displacement and the rotation vector of its base. */
function freeState(state: FreeState): Pick<State, 'q' | 'qd'> {
  const vector = rotationVector(state.base_rotation.map((row) => row.map(Number)));
  const rates = rotationRates(vector, state.base_angular_velocity.map(Number));
  return {
    q: [...state.base_position.map(Number), ...vector, ...state.q_soft.map(Number)],
    qd: [...state.base_velocity.map(Number), ...rates, ...state.qd_soft.map(Number)],
  };
}

/** Of a rotation by rows: axis times angle, at most half a turn. */
function rotationVector(R: readonly (readonly number[])[]): number[] {
  const twist = new Float64Array(6);
  poseLogarithm([1, 0, 0, 0, 1, 0, 0, 0, 1], [0, 0, 0], R.flat(), [0, 0, 0], twist);
  return [...twist.subarray(0, 3)];
}

/** Rates of a rotation vector r with the angular velocity w in fixed axes: w − ½ r × w + (1 − θ/2 cot θ/2)/θ² r × (r × w). */
function rotationRates(r: readonly number[], w: readonly number[]): number[] {
  const angle = Math.hypot(...r);
  const half = angle / 2;
  const factor = angle < 1e-3 ? 1 / 12 + angle ** 2 / 720 : (1 - half / Math.tan(half)) / angle ** 2;
  const once = cross(r, w);
  const twice = cross(r, once);
  return w.map((x, i) => x - once[i]! / 2 + factor * twice[i]!);
}

const SUFFIXES: Readonly<Record<DampingKind, string>> = {
  retardation_time: '_retardation',
  viscosity: '_viscosity',
  eta: '',
};

/** @param law of damping, or effect of water, that the robot has. */
export function expectedNumbers(state: ReferenceState, law: DampingKind | WaterKind | undefined): Expected {
  const water = WATER_KINDS.find((kind) => kind === law);
  if (water) return waterNumbers(state, water);
  if (state.strain_gradient) return balancedNumbers(state);
  const damping = DAMPING_KINDS.find((kind) => kind === law);
  const suffix = damping === undefined ? undefined : SUFFIXES[damping];
  const { M, c, g, tau, elastic, kinetic_energy, potential_energy, energy, tip_position, tip_rotation } = state;
  return {
    ...{ M, c, g, tau, elastic, kinetic_energy, potential_energy, energy, tip_position, tip_rotation },
    linear_momentum: state.linear_momentum,
    elastic_energy: state.stored_energy,
    ...actuationNumbers(state),
    stiffness: state.stiffness_of ? state.stiffness_of.elastic : state.stiffness,
    ...(suffix !== undefined && {
      damping: state[`damping${suffix}`] as Numbers | undefined,
      dissipation: state[`damping_matrix${suffix}`] as Matrix | undefined,
      tau_active: suffix === '' ? undefined : state[`tau_total${suffix as '_viscosity'}`],
    }),
  };
}

const Precise = Decimal.clone({ precision: 40 });

/** What difference quotients in 256 bits leave of zero. */
const QUOTIENT_OF_ZERO = 1e-28;

/** Of a rod whose strain is implicit. */
function balancedNumbers(state: ReferenceState): Expected {
  const { M, c, g, elastic, kinetic_energy, stored_energy, tip_position, tip_rotation, tip_jacobian, length, B } =
    state;
  return {
    ...{ M, c, g, kinetic_energy, elastic_energy: stored_energy, tip_position, tip_rotation, tip_jacobian, B },
    tau_active: state.tau_total?.map((total, a) =>
      B![a]!.reduce((sum, b, j) => sum.plus(new Precise(b).times(state.tension![j]!)), new Precise(total)),
    ),
    elastic: elastic?.map((e) => (Math.abs(Number(e)) < QUOTIENT_OF_ZERO ? 0 : e)),
    damping: state.damping_viscosity as Numbers | undefined,
    y: length?.map(negated),
  };
}

function waterNumbers(state: ReferenceState, kind: WaterKind): Expected {
  if (isAddedMass(kind)) return { M: state.added_mass_M, c: state[`added_mass_c_${kind.replace('added_mass_', '')}`] };
  return { fluid: state[`tau_${kind}` as 'tau_buoyancy']?.map(negated) };
}

function actuationNumbers(state: ReferenceState): Pick<Expected, 'y' | 'yd' | 'B' | 'actuation'> {
  const { length, length_gradient, length_rate, tau_tendon, volume, volume_gradient, volume_rate, tau_pressure } =
    state;
  if (volume) return { y: volume, yd: volume_rate, B: transposed(volume_gradient!), actuation: tau_pressure };
  if (!length) return {};
  return {
    y: length.map(negated),
    yd: length_rate?.map(negated),
    B: transposed(length_gradient!).map((row) => row.map(negated)),
    actuation: tau_tendon,
  };
}

const negated = (decimal: number | string): string => `-${decimal}`.replace(/^--/, '');

function transposed(matrix: Matrix): Matrix {
  return (matrix[0] ?? []).map((_, a) => matrix.map((row) => row[a]!));
}
