/**
 * What a whole robot compiles to in straight-line form: a few functions of the state, as expressions over one set of
 * input symbols. The Euler–Lagrange baseline produces the same shape, so that one code generator serves both.
 */
import { KanegenError } from '../common/error.ts';
import { nearest } from '../common/nearest.ts';
import type { Expr, SymbolExpr } from '../symbolic/graph/expr.ts';
import type { StraightClosing } from './functions/loop-rows.ts';
import type { RegressorColumn } from './functions/regressor.ts';

/** Buffers that straight-line functions read. */
export type StraightInput =
  /** Run-time parameters that were kept, in the order of `StraightRobot.parameters`. */
  | 'parameters'
  /** The time of a step, one number. */
  | 'h'
  /** What rates and residuals of loops are fed back by, one number each. */
  | 'alpha'
  | 'beta'
  | 'q'
  | 'qd'
  | 'qdd'
  /** Inputs of actuators. */
  | 'u'
  /** Generalized forces; an output of this name is added to what stands there. */
  | 'tau';

/** Inputs that are numbers by themselves. */
export const isNumber = (buffer: string): boolean => buffer === 'h' || buffer === 'alpha' || buffer === 'beta';

export type StraightFunctionName =
  /** q, q̇, q̈ → tau: M q̈ + c + g. */
  | 'inverseDynamics'
  /** q, q̇, tau → q̈ of M q̈ + c + g + elastic + damping + fluid = tau. */
  | 'forwardDynamics'
  /** q, q̇ → residuals of the rows of loops, their rates, and their second derivatives at q̈ = 0, each optional. */
  | 'constraint'
  /** q → J, rows × n: derivatives of the residuals. */
  | 'constraintJacobian'
  /** alpha, beta, q, q̇, tau → q̈, multipliers and the rank of the rows, the last two optional: φ̈ = −2 alpha φ̇ − beta² φ of independent rows. */
  | 'constrainedForwardDynamics'
  /** h, q, q̇, tau → q and q̇ after a linearly implicit Euler step of time h, springs and dampers at its end. */
  | 'implicitStep'
  /** q → M, n × n, row-major, both triangles. */
  | 'massMatrix'
  /** q, q̇, q̈ → tau, M: both at once. */
  | 'inverseDynamicsAndMassMatrix'
  /** q → g. */
  | 'gravity'
  /** q, q̇, q̈ → tau: M q̈ + c + g + elastic + damping + fluid. */
  | 'activeInverseDynamics'
  /** q, q̇ → elastic and damping forces of materials, each optional; they stand beside M q̈ + c + g on the left. */
  | 'passiveForces'
  /** q, q̇ → what tau has to overcome of drag and buoyancy, which stands there, too; ∂fluid/∂q and ∂fluid/∂q̇, n × n, row i the derivatives of fluid_i. */
  | 'fluid'
  | 'fluidDerivatives'
  /** q → K = ∂elastic/∂q; q, q̇ → D = ∂damping/∂q̇: n × n, row-major, symmetric, zero between coordinates of different links. */
  | 'stiffness'
  | 'dissipation'
  /** q, q̇ → coordinates y of actuators, rates, ÿ at q̈ = 0, B = (∂y/∂q)ᵀ, n × actuators, each optional; q, u, tau → tau + B u. */
  | 'actuation'
  | 'actuate'
  /** q, q̇ → M and forcing f with M q̈ = f when no input acts: f = −(c + g). */
  | 'massMatrixAndForcing'
  /** q, q̇ → M, c (Coriolis and centrifugal forces) and g, each optional: tau = M q̈ + c + g. */
  | 'dynamicsTerms'
  /** q, q̇, q̈ → ∂tau/∂q and ∂tau/∂q̇, n × n, row i the derivatives of tau_i. */
  | 'inverseDynamicsDerivatives'
  /** q, q̇, q̈ → Y, n × columns, and offset: M q̈ + c + g + elastic + damping + fluid = offset + Y π. */
  | 'regressor';

/**
 * What every robot gets; one with elastic or damping forces gets these and their matrices as well, one in water drag and buoyancy, one
 * with actuators theirs.
 */
export const STRAIGHT_FUNCTIONS: readonly StraightFunctionName[] = [
  'inverseDynamics',
  'forwardDynamics',
  'massMatrix',
  'inverseDynamicsAndMassMatrix',
  'gravity',
  'dynamicsTerms',
  'inverseDynamicsDerivatives',
];

/** All that can be asked for by name; a choice of parameters asks for the regressor. */
export const NAMED_STRAIGHT_FUNCTIONS: readonly StraightFunctionName[] = [
  ...STRAIGHT_FUNCTIONS,
  'implicitStep',
  'constraint',
  'constraintJacobian',
  'constrainedForwardDynamics',
  'passiveForces',
  'activeInverseDynamics',
  'stiffness',
  'dissipation',
  'fluid',
  'fluidDerivatives',
  'actuation',
  'actuate',
  'massMatrixAndForcing',
];

/** @throws KanegenError `unknown-function` where a list of names, which JavaScript may give as anything, has others or none. */
export function demandStraightFunctions(names: unknown): void {
  const list: readonly unknown[] | undefined = Array.isArray(names) ? names : undefined;
  const unknown = list?.find((name) => !NAMED_STRAIGHT_FUNCTIONS.some((known) => known === name));
  if (list && list.length > 0 && unknown === undefined) return;
  const close = typeof unknown === 'string' ? nearest(unknown, NAMED_STRAIGHT_FUNCTIONS) : undefined;
  const message = !list
    ? `names of straight-line functions are a list, not ${typeof names}`
    : list.length === 0
      ? 'the list of straight-line functions is empty'
      : `unknown straight-line function ${JSON.stringify(unknown)}`;
  throw new KanegenError('unknown-function', message, {
    remedy: close
      ? `did you mean \`${close}\`?`
      : `functions: ${NAMED_STRAIGHT_FUNCTIONS.join(', ')}${unknown === 'regressor' ? '; `regressor` is an option of its own' : ''}`,
  });
}

/** `inverseDynamics` → `inverse-dynamics`, as options call it. */
export function optionName(name: StraightFunctionName): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export interface StraightOutput {
  /** Name of the buffer in generated code: `tau`, `qdd`, `lambda`, `rank`, `phi`, `rate`, `bias`, `J`, `q_next`, `qd_next`, `M`, `c`, `g`, `forcing`, `elastic`, `damping`, `fluid`, `dfluid_dq`, `dfluid_dqd`, `K`, `D`, `y`, `yd`, `ydd0`, `B`, `dtau_dq`, `dtau_dqd`, `Y`, `offset`. */
  readonly buffer: string;
  readonly values: readonly Expr[];
  /** A caller may leave it out; what only this output needs is then not computed. */
  readonly optional: boolean;
  readonly summary: string;
}

export interface StraightFunction {
  readonly name: StraightFunctionName;
  readonly summary: string;
  readonly reads: readonly StraightInput[];
  readonly outputs: readonly StraightOutput[];
  readonly closing?: StraightClosing;
}

/** All that a function computes. */
export function valuesOf({ outputs, closing }: Pick<StraightFunction, 'outputs' | 'closing'>): readonly Expr[] {
  return [...outputs, ...(closing?.arrays ?? [])].flatMap(({ values }) => [...values]);
}

/** A run-time parameter that stays symbolic; all others are folded. */
export interface StraightParameter {
  /** Name in the robot file; `gravity_x`, `gravity_y`, `gravity_z` for gravity kept. */
  readonly name: string;
  readonly symbol: SymbolExpr;
  readonly unit: string;
  readonly value: number;
}

export interface StraightRobot {
  readonly parameters: readonly StraightParameter[];
  /** Symbols of every input buffer, in order. */
  readonly inputs: Readonly<Record<StraightInput, readonly SymbolExpr[]>>;
  readonly functions: readonly StraightFunction[];
  /** Readable names for expressions, proposed to the code generator. */
  readonly hints: ReadonlyMap<Expr, string>;
  /** What the columns of `regressor` are multiplied with, where there is one. */
  readonly columns?: readonly RegressorColumn[];
  /** How it was made, one line for headers: recursion or Euler–Lagrange, what was lumped and merged. */
  readonly method: string;
}
