/** Results of searches for equilibria: what was found, or why nothing was. */

export interface Equilibrium {
  readonly q: readonly number[];
  /** Largest generalized force that is left, and the largest of those that balance. */
  readonly residual: number;
  readonly scale: number;
  readonly iterations: number;
  /**
   * Of the symmetric part of the tangent stiffness ∂(g + elastic − loads)/∂q: stable when positive; zero where some motion
   * costs nothing. Of the coordinates that are not held.
   */
  readonly smallestEigenvalue: number;
  /** The motion of that eigenvalue by coordinate, of length 1 and its largest change above zero: all zeros where nothing can move. */
  readonly softest: readonly number[];
  /** By coordinate, the generalized force of what holds it: zero where nothing does. */
  readonly holding: readonly number[];
  /** Did the way lead along the path of growing loads? */
  readonly byContinuation: boolean;
  /** Of robots with loops, by row: the force or moment that does work on it, SI units. */
  readonly multipliers?: readonly number[];
}

/** Why there is no equilibrium, and at which share of the loads the search ended. */
export class NoEquilibrium extends Error {
  readonly loadFactor: number;

  constructor(loadFactor: number, message: string) {
    super(message);
    this.loadFactor = loadFactor;
  }
}

/** `no equilibrium beyond 12 % of gravity and loads: …` */
export function noEquilibriumText({ loadFactor, message }: NoEquilibrium): string {
  const share = Number((100 * loadFactor).toPrecision(3));
  const where = `beyond ${share} % of gravity and loads`;
  const reached = share > 0 ? where : 'of gravity and loads: the path of equilibria turns back';
  // All of them: the search ended where it began.
  return `no equilibrium${share === 0 || share >= 100 ? '' : ` ${reached}`}: ${message}`;
}
