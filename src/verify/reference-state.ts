/**
 * States of reference files: where they are, and the numbers that they have, by the names of `Evaluation`. Families of files
 * call the same things by names of their own.
 */
import type { Expected } from './deviation.ts';
import type { State } from './evaluation.ts';
import type { DampingKind } from './reference-bodies.ts';

type Numbers = readonly (number | string)[];
type Matrix = readonly (readonly string[])[];

/** What a state of a file may have; decimal strings. */
export interface ReferenceState {
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
  readonly kinetic_energy?: string;
  readonly potential_energy?: string;
  readonly tip_position?: Numbers;
  readonly tip_rotation?: Matrix;
  /** Damping forces, their matrix and all forces together: `damping`, `damping_matrix`, or `…_retardation`, `…_viscosity`. */
  readonly [name: `damping${string}`]: Numbers | Matrix | undefined;
  readonly [name: `tau_total_${string}`]: Numbers | undefined;
}

/** A state of the files that have all of the dynamics. */
export type DynamicsState = State & Required<Pick<ReferenceState, 'name' | 'M' | 'c' | 'g' | 'tau' | 'tip_position'>>;

/** Rates and accelerations that a file does not have are zero. */
export function stateOf({ q, q_star: rest, qd, qdd }: ReferenceState): State {
  const place = (q ?? rest ?? []).map(Number);
  const zeros = place.map(() => 0);
  return { q: place, qd: qd?.map(Number) ?? zeros, qdd: qdd?.map(Number) ?? zeros };
}

const SUFFIXES: Readonly<Record<DampingKind, string>> = {
  retardation_time: '_retardation',
  viscosity: '_viscosity',
  eta: '',
};

/** @param damping the law that the robot has. */
export function expectedNumbers(state: ReferenceState, damping: DampingKind | undefined): Expected {
  const suffix = damping === undefined ? undefined : SUFFIXES[damping];
  const { M, c, g, tau, elastic, kinetic_energy, potential_energy, tip_position, tip_rotation } = state;
  return {
    ...{ M, c, g, tau, elastic, kinetic_energy, potential_energy, tip_position, tip_rotation },
    elastic_energy: state.stored_energy,
    stiffness: state.stiffness_of ? state.stiffness_of.elastic : state.stiffness,
    ...(suffix !== undefined && {
      damping: state[`damping${suffix}`] as Numbers | undefined,
      dissipation: state[`damping_matrix${suffix}`] as Matrix | undefined,
      tau_active: suffix === '' ? undefined : state[`tau_total${suffix as '_viscosity'}`],
    }),
  };
}
