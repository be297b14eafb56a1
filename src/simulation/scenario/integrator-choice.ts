/** How a scenario is integrated. Users of the library see these types, which need no other package. */

export type Method = 'extrapolation' | 'rosenbrock' | 'implicit-euler' | 'generalized-alpha';

export interface IntegratorChoice {
  readonly method: Method;
  /** Of a step, relative to coordinates and rates; of generalized-alpha for corrections of Newton's method. */
  readonly tolerance: number;
  /** Of implicit-euler and generalized-alpha, in s. */
  readonly step: number | undefined;
  /** Of generalized-alpha. */
  readonly spectralRadius?: number;
  /** γ of Newmark's steps in their place. */
  readonly newmark?: number;
  /** Of generalized-alpha: are the factors of the tangent made anew for every correction, never kept? */
  readonly exact?: boolean;
  readonly mostSteps: number;
}
