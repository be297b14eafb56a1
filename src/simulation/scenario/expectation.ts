/** What is expected of a run: values at a time, how far they may be off, and where they come from. */
import type { Signal } from './signal.ts';

/** Kinds of sources: printed by a paper, another code, a closed form, true by the law of the run itself, kanegen before. */
export const EXPECTATION_KINDS = ['paper', 'independent', 'exact', 'identity', 'regression'] as const;
export type ExpectationKind = (typeof EXPECTATION_KINDS)[number];

/** A coordinate, or a component of the position of a frame. */
export type Observed =
  { readonly coordinate: number } | { readonly frame: number; /** 0, 1, 2 */ readonly axis: number };

export type Expected =
  | Observed
  | { readonly rate: number }
  | { /** A coordinate, as the observer has it. */ readonly estimate: number }
  | { readonly actuator: number }
  | { /** A pair: its gap, or a component of its force. */ readonly contact: number; readonly axis?: number }
  | { /** A row of a loop; of equilibria. */ readonly multiplier: number }
  | { readonly balance: true }
  | { readonly path: Path; readonly of: 'largest' | 'mean' };

/** Where a frame was in another run. */
export interface Path {
  /** Index in `frames` of the scenario. */
  readonly frame: number;
  /** m, world axes. */
  readonly position: readonly Signal[];
  /** Distances are divided by it, m. */
  readonly over: number;
}

export interface ExpectedValue {
  /** As the file calls it. */
  readonly name: string;
  readonly of: Expected;
  /** SI units. */
  readonly value: number;
}

export interface Expectation {
  /** s */
  readonly at: number;
  /** There is no equilibrium, and no values. */
  readonly none: boolean;
  readonly values: readonly ExpectedValue[];
  /** Of each value, SI units. */
  readonly within: number;
  readonly source: string;
  readonly kind: ExpectationKind | undefined;
  /** Why the values are not met, where that is known. */
  readonly notMet: string | undefined;
}
