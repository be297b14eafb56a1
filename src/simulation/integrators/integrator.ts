/**
 * What integrators are given and what they give: the state y = (q, q̇, w) of a mechanical system, w quantities that are only
 * added up (work done), and steps between which y can be read anywhere.
 */

/** y' = f(t, y), and what the stiff methods need of it. */
export interface FirstOrderSystem {
  /** Coordinates n; y has n + n + sums numbers. */
  readonly coordinates: number;
  readonly sums: number;
  /** f. @throws IntegrationFailure where the dynamics have no finite result. */
  derivative(t: number, y: Float64Array, out: Float64Array): void;
  /** The same system linearised at a state as far as stiffness and damping go. */
  linearise(t: number, y: Float64Array): StiffPart;
}

/** M q̈ + Υ q̇ + K q = Q(t) of one state, block by link: what is stiff. */
export interface StiffPart {
  /** out = ∂Q/∂t */
  forceRate(out: Float64Array): void;
  /** out = M a */
  inertia(a: Float64Array, out: Float64Array): void;
  /** out += factor K x */
  addStiffness(factor: number, x: Float64Array, out: Float64Array): void;
  /** out += factor Υ x */
  addDamping(factor: number, x: Float64Array, out: Float64Array): void;
  /** Makes ready to solve (M + g Υ + g² K) x = r. @param g in s. */
  factorise(g: number): void;
  /** In place. */
  solve(r: Float64Array): void;
}

/** One step that was accepted. */
export interface Step {
  readonly from: number;
  readonly to: number;
  /** y at the end of the step. */
  readonly y: Float64Array;
  /** y between the ends, to the order of the method or nearly so. */
  at(t: number, out: Float64Array): void;
}

export interface Tolerances {
  /** Of a step, relative to the size of numbers, which counts as `floor` at least. */
  readonly tolerance: number;
  readonly mostSteps: number;
}

/** An integrator between two times; it keeps the size of its steps from one call to the next. */
export interface Integrator {
  readonly name: string;
  /**
   * @param take is told each step; false ends the integration there.
   * @throws IntegrationFailure naming the time.
   */
  advance(from: number, y: Float64Array, to: number, take: (step: Step) => boolean): void;
  readonly counts: IntegrationCounts;
}

export interface IntegrationCounts {
  steps: number;
  rejected: number;
  /** Of the equations of motion. */
  evaluations: number;
  factorisations: number;
}

export function noCounts(): IntegrationCounts {
  return { steps: 0, rejected: 0, evaluations: 0, factorisations: 0 };
}

/** Why an integration did not come to its end. */
export class IntegrationFailure extends Error {
  /** In s. */
  readonly time: number;

  constructor(time: number, message: string) {
    super(message);
    this.time = time;
  }
}

/** Cubic through both ends with their derivatives. */
export function hermite(
  from: number,
  to: number,
  [y0, f0]: readonly [Float64Array, Float64Array],
  [y1, f1]: readonly [Float64Array, Float64Array],
): Step['at'] {
  const h = to - from;
  return (t, out) => {
    const s = (t - from) / h;
    const [a, b] = [s * s * (3 - 2 * s), s * (1 - s)];
    for (let i = 0; i < y0.length; i++)
      out[i] = y0[i]! + a * (y1[i]! - y0[i]!) + h * b * ((1 - s) * f0[i]! - s * f1[i]!);
  };
}
