/**
 * The regressor of a robot: generalized forces τ = offset + Y π with passive forces, as formulas of q, q̇, q̈. A row of Y is the gradient
 * of one force by all parameters, by reverse accumulation: its cost does not depend on the number of parameters but for
 * the entries themselves.
 */
import { KanegenError } from '../../common/error.ts';
import type { Robot } from '../../description/model/robot.ts';
import { isIdenticallyZero } from '../../symbolic/evaluation/identically-zero.ts';
import { adjoints, differentiate, differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { decimal, one, zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { freeSymbols, substitute } from '../../symbolic/graph/traverse.ts';

/** A run-time parameter that forces may be linear in. */
export interface LinearParameter {
  readonly name: string;
  readonly symbol: SymbolExpr;
  readonly unit: string;
  /** In the robot file, SI. */
  readonly value: number;
}

/** What a regressor is asked for. */
export interface RegressorChoice {
  /** The same robot with what the columns stand for as run-time parameters. */
  readonly robot: Robot;
  /** π in its order: among the parameters of that robot. */
  readonly parameters: readonly LinearParameter[];
  /** Indices of parameters whose columns are wanted, with what these then stand for; every parameter for itself when missing. */
  readonly columns?: readonly RegressorColumn[];
}

/** A number of π, or of the base parameters: what a column of Y is multiplied with. */
export interface RegressorColumn {
  /** Index of the parameter by which forces are differentiated. */
  readonly parameter: number;
  /** `rho`, `elbow.mx`; of base parameters the combination, `elbow.Izz + 0.09 wrist.m`. */
  readonly name: string;
  readonly unit: string;
  /** In the robot file, SI. */
  readonly value: number;
  /** A combination by the geometry of the robot, `elbow.Izz + elbow_distal_x^2 wrist.m`, and the numbers that it names. */
  readonly formula?: {
    readonly text: string;
    readonly constants: readonly { readonly name: string; readonly unit: string; readonly value: number }[];
  };
}

/** Each parameter for itself. */
export function columnsOf({ parameters, columns }: RegressorChoice): readonly RegressorColumn[] {
  return columns ?? parameters.map(({ name, unit, value }, parameter) => ({ parameter, name, unit, value }));
}

/** What parameters are to forces. */
export interface ParameterRoles<P extends LinearParameter = LinearParameter> {
  /** Those in which forces are linear together, taken in their order. */
  readonly linear: readonly P[];
  /** Those of them that no force depends on. */
  readonly idle: readonly P[];
}

/** @param forces over the symbols of the parameters. */
export function rolesIn<P extends LinearParameter>(
  forces: readonly Expr[],
  parameters: readonly P[],
): ParameterRoles<P> {
  const linear: P[] = [];
  const idle: P[] = [];
  for (const own of parameters) {
    const column = differentiateAll(forces, own.symbol);
    const read = new Set(freeSymbols(column));
    const isFree = ({ symbol }: LinearParameter): boolean =>
      !read.has(symbol) || column.every((e) => isIdenticallyZero(differentiate(e, symbol)));
    if (![...linear, own].every(isFree)) continue;
    linear.push(own);
    if (column.every(isIdenticallyZero)) idle.push(own);
  }
  return { linear, idle };
}

/** @throws KanegenError `non-linear-parameter` naming those in which forces are not linear beside the others. */
export function requireLinear(forces: readonly Expr[], parameters: readonly LinearParameter[]): void {
  const { linear } = rolesIn(forces, parameters);
  const bent = parameters.filter((own) => !linear.includes(own)).map(({ name }) => name);
  if (bent.length === 0) return;
  throw new KanegenError('non-linear-parameter', `forces are not linear in ${bent.join(', ')} beside the others`, {
    remedy: 'leave out: --regressor NAMES chooses columns',
  });
}

/**
 * Of forces that are linear in the parameters.
 * @param forces one per coordinate, over the symbols of all parameters.
 * @returns Y: coordinates × columns, row-major, and what the parameters have no part in.
 */
export function regressor(
  forces: readonly Expr[],
  choice: RegressorChoice,
): { readonly Y: readonly Expr[]; readonly offset: readonly Expr[] } {
  const { parameters } = choice;
  const symbols = columnsOf(choice).map(({ parameter }) => parameters[parameter]!.symbol);
  const rows = forces.flatMap((force) => adjoints([force], [one], symbols));
  const offset = substitute(forces, new Map(parameters.map(({ symbol }) => [symbol, zero])));
  // Where parameters remain they cancel: any value serves.
  return { Y: substitute(rows, new Map(parameters.map(({ symbol, value }) => [symbol, decimal(value)]))), offset };
}
