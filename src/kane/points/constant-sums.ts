/**
 * Integrals over a body that are constants. Over a mesh with modes they are summed when the robot is compiled: generated code has one
 * number per integral, and no points. Parameters stay factors of them. Over other volumes, and where a parameter or a function stands
 * within an integrand, loops over points form them once per set of parameters.
 */
import type { BodyType } from '../../description/model/robot.ts';
import type { PointRule } from '../../integration/rules/point-rule.ts';
import { evaluateRows } from '../../symbolic/evaluation/evaluate-rows.ts';
import { one, plus, symbol, times, zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { postorder, substitute } from '../../symbolic/graph/traverse.ts';
import type { Loop } from '../loops/loop.ts';
import { PointLoops } from './point-loops.ts';
import { separateRows } from './separate-rows.ts';

/** Parameters that multiply a sum over the points. */
interface Share {
  readonly factor: Expr;
  readonly integrand: Expr;
}

/** Functions of parameters in one integrand. */
const MOST_FACTORS = 12;

export class ConstantSums {
  private readonly type: BodyType;
  private readonly rules: readonly PointRule[];
  private readonly name: string;
  private readonly family: string;
  private readonly loopsOverPoints: PointLoops;
  private readonly parameters: ReadonlySet<Expr>;
  /** By the symbol of the integral. */
  private readonly integrals = new Map<SymbolExpr, readonly Share[]>();
  private hasLoops = false;

  /**
   * @param rules one per volume of the type.
   * @param name of the loop; ends with the family where a body has several.
   * @param family ends the names of loops and their results.
   */
  constructor(type: BodyType, rules: readonly PointRule[], name: string, family = '') {
    [this.type, this.rules, this.name, this.family] = [type, rules, name, family];
    const parameters = type.parameters.map((p) => p.symbol);
    this.loopsOverPoints = new PointLoops(rules, parameters, family);
    this.parameters = new Set<Expr>(parameters);
  }

  /** Points of all volumes. */
  get points(): number {
    return this.loopsOverPoints.points;
  }

  /** ∫ integrand dm over the whole body. @param label a label always stands for the same integral. */
  integrate(label: string, integrand: Expr): Expr {
    if (integrand === zero) return zero;
    return (
      this.summed(label, integrand) ??
      this.overPoints(this.loopsOverPoints.integrate(this.name, 0, new Map([[label, integrand]]))[0]!)
    );
  }

  mass(): Expr {
    return this.summed('mass', one) ?? this.overPoints(this.loopsOverPoints.mass());
  }

  loops(): readonly Loop[] {
    const loops = this.hasLoops ? this.loopsOverPoints.loops() : [];
    return this.integrals.size > 0 ? [this.loopOfNumbers(), ...loops] : loops;
  }

  private overPoints(integral: Expr): Expr {
    this.hasLoops = true;
    return integral;
  }

  /** undefined where it is to be summed over points. */
  private summed(label: string, integrand: Expr): Expr | undefined {
    const [volume] = this.type.volumes;
    if (volume?.kind !== 'mesh' || !volume.fields) return undefined;
    const own = symbol(`sum.${this.name}${this.family}_${label}`);
    if (this.integrals.has(own)) return own;
    const [{ material, mass, columns }] = this.rules as [PointRule];
    const term = times(mass, substitute([integrand], material)[0]!);
    const ofRows = new Set<Expr>(columns.map((column) => column.symbol));
    const shares = separateRows([term], this.parameters, ofRows, MOST_FACTORS);
    if (!shares?.every(({ coefficient }) => isArithmetic(coefficient[0]!))) return undefined;
    this.integrals.set(
      own,
      shares.map(({ mode, coefficient }) => ({ factor: mode, integrand: coefficient[0]! })),
    );
    return own;
  }

  /** Of one row: a column for every sum over the points. */
  private loopOfNumbers(): Loop {
    const [{ columns, rows }] = this.rules as [PointRule];
    const integrands = [...new Set([...this.integrals.values()].flat().map((share) => share.integrand))];
    const values = evaluateRows(
      integrands,
      new Map(columns.map((column) => [column.symbol, Float64Array.from(column.values)])),
      new Map(),
      rows,
    );
    const numbers = integrands.map((_, k) => ({
      symbol: symbol(`row${this.family}.${this.name}_${k + 1}`),
      values: [total(values[k]!)],
    }));
    const numberOf = new Map(integrands.map((integrand, k) => [integrand, numbers[k]!.symbol]));
    return {
      name: `${this.name}${this.family}`,
      stage: 0,
      table: { name: `integrals_${this.name}${this.family}`, rows: 1, columns: numbers },
      reversed: false,
      reads: [],
      networks: [],
      carried: [],
      sums: [...this.integrals].map(([own, shares]) => ({
        symbol: own,
        term: plus(...shares.map(({ factor, integrand }) => times(factor, numberOf.get(integrand)!))),
      })),
      writes: [],
    };
  }
}

/** Sums, products and square roots: the same numbers on every machine. */
function isArithmetic(e: Expr): boolean {
  return postorder([e]).every(
    (own) =>
      ['rational', 'symbol', 'sum'].includes(own.kind) ||
      (own.kind === 'product' && own.factors.every(({ exponent }) => exponent.denominator <= 2n)),
  );
}

/** Compensated: to the last digit of the largest term. */
function total(terms: Float64Array): number {
  let [sum, lost] = [0, 0];
  for (const term of terms) {
    const next = sum + term;
    lost += Math.abs(sum) >= Math.abs(term) ? sum - next + term : term - next + sum;
    sum = next;
  }
  return sum + lost;
}
