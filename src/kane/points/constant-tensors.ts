/**
 * Bodies whose position is Σ_i β_i(x) b_i(q) with functions β of the material point and the parameters alone (Ritz–Galerkin
 * bodies, whatever their modes and volumes): their Gram integrals ∫ β_i β_j dm are constants, integrated once by a rule,
 * and nothing is summed over points when the robot moves.
 */
import { one, times, type Expr } from '../../symbolic/graph/expr.ts';
import type { Vector3 } from '../../symbolic/graph/vector.ts';
import type { BodyModel } from '../body/body-model.ts';
import { BodyFields, ContractionModel, type FieldFamily, type FunctionScalar } from '../closed/contraction.ts';
import type { Loop } from '../loops/loop.ts';
import type { CoordinateSymbols } from '../equations/rates.ts';
import type { ConstantSums } from './constant-sums.ts';
import { separateRows } from './separate-rows.ts';

/** β(x) · b(q) */
export interface ModeTerm {
  readonly mode: Expr;
  readonly coefficient: Vector3;
}

/**
 * A position in modes, or undefined when it has no such form (or one of too many functions).
 * @param material coordinates of the volumes.
 * @param moving coordinates of the body, and the time.
 * @param whole sums that are one mode each.
 */
export function separateModes(
  position: Vector3,
  material: ReadonlySet<Expr>,
  moving: ReadonlySet<Expr>,
  whole?: ReadonlySet<Expr>,
): readonly ModeTerm[] | undefined {
  return separateRows(position, material, moving, undefined, whole) as readonly ModeTerm[] | undefined;
}

/** ∫ β_i β_j dm, made when they are asked for. */
class ConstantFamily implements FieldFamily {
  readonly form: readonly ModeTerm[];
  private readonly functions: readonly Expr[];
  private readonly sums: ConstantSums;

  constructor(form: readonly ModeTerm[], sums: ConstantSums) {
    this.form = form;
    this.sums = sums;
    this.functions = [one, ...form.map((t) => t.mode)];
  }

  scalars(): readonly FunctionScalar[] {
    return [];
  }

  product(i: number, j: number): Expr {
    const integrand = times(this.functions[i]!, this.functions[j]!);
    return integrand === one
      ? this.sums.mass()
      : this.sums.integrate(`mode_${Math.min(i, j)}_${Math.max(i, j)}`, integrand);
  }
}

/** Contraction of constants. */
export class ConstantTensorModel extends ContractionModel implements BodyModel {
  override readonly method = 'constant tensors';
  private readonly sums: ConstantSums;

  constructor(terms: readonly ModeTerm[], sums: ConstantSums, symbols: CoordinateSymbols) {
    super(new BodyFields(new ConstantFamily(terms, sums), symbols));
    this.sums = sums;
  }

  loops(): readonly Loop[] {
    return this.sums.loops();
  }
}

/** Products of modes, whose integrals the rule must be good for. */
export function modeProducts(terms: readonly ModeTerm[]): Expr[] {
  const functions = [one, ...terms.map((t) => t.mode)];
  return [...new Set(functions.flatMap((f, i) => functions.slice(i).map((g) => times(f, g))))];
}
