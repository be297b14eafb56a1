/**
 * Formulas that divide by coordinates, for the independent check of bodies with many points: as the user wrote them they may
 * read 0/0 where coordinates are zero, and lose digits nearby. They are evaluated in many digits a little beside that place.
 */
import type { Decimal } from 'decimal.js';
import type { BodyType } from '../../description/model/robot.ts';
import { evaluateDecimal, exactDecimal } from '../../symbolic/evaluation/evaluate.ts';
import { children, power, rational, symbol, times, type Expr } from '../../symbolic/graph/expr.ts';
import { Rational } from '../../symbolic/graph/rational.ts';
import { dependsOn, postorder, rebuild } from '../../symbolic/graph/traverse.ts';
import { decimalColumn, newColumn, type Column } from '../arithmetic/columns.ts';
import { evaluateColumns } from '../arithmetic/evaluate-columns.ts';
import { smallestDenominator } from './local-kinematics.ts';
import type { Scalars } from './material-points.ts';
import { sectionSolution } from './section-solution.ts';
import { decimalForFormulas } from '../arithmetic/trigonometry.ts';

const Wide = decimalForFormulas(140);
/** Less than the last digits of double-double numbers. */
const NUDGE = 1e-34;

/** Denominators above this cost double-double numbers no digits that matter. */
const SMALL = 1e-4;

/** Values of formulas without material coordinates, one row each. */
export function writtenValues(type: BodyType, formulas: readonly Expr[], scalars: Scalars): Column[] {
  return evaluateDecimal(formulas, besideZero(type, scalars), Wide).map((value) => decimalColumn([value]));
}

/** Values of formulas at places along a rod. */
export function valuesAlong(
  type: BodyType,
  formulas: readonly Expr[],
  scalars: Scalars,
  axial: Expr,
  places: Column,
): Column[] {
  const solution = sectionSolution(type);
  if (solution?.isMentioned(formulas)) {
    const bindings = new Map([...scalars, ...solution.along(scalars, places)]).set(axial, places);
    return evaluateColumns(formulas, bindings, places.high.length);
  }
  const middle = places.high[places.high.length >> 1]!;
  const values = rowOf(scalars, 0).set(axial, middle);
  if (smallestDenominator(formulas, values, coordinatesOf(type)) > SMALL)
    return evaluateColumns(formulas, new Map(scalars).set(axial, places), places.high.length);
  const bindings = besideZero(type, scalars);
  const rows = Array.from(places.high, (_, i) => {
    bindings.set(axial, decimalAt(places, i));
    return evaluateDecimal(formulas, bindings, Wide);
  });
  return formulas.map((_, i) => decimalColumn(rows.map((row) => row[i]!)));
}

/**
 * Values of formulas at material points. What divides by a small number and varies with one material coordinate only is
 * evaluated in many digits once per value of that coordinate; where that is not enough, all formulas at every point are.
 * @param columns of the material coordinates; the scalars are parameters, coordinates and the time.
 */
export function valuesAtPoints(
  type: BodyType,
  formulas: readonly Expr[],
  scalars: Scalars,
  columns: Scalars,
  rows: number,
): Column[] {
  const bindings = new Map([...scalars, ...columns]);
  const coordinates = coordinatesOf(type);
  if (smallestDenominator(formulas, rowOf(bindings, Math.floor(0.37 * rows)), coordinates) > SMALL)
    return evaluateColumns(formulas, bindings, rows);
  const parts = new Parts(coordinates, [...columns.keys()]);
  const reduced = formulas.map((e) => parts.reduce(e));
  const exact = besideZero(type, scalars);
  const known = new Map(bindings);
  for (const [variable, found] of parts.found) {
    const values = found.size > 0 ? valuesOfOne([...found.keys()], variable, columns.get(variable)!, exact) : [];
    [...found.values()].forEach((name, i) => known.set(name, values[i]!));
    if (values.some(({ high }) => high.some((x) => !(Math.abs(x) < LARGE))))
      return valuesAtEvery(formulas, columns, rows, exact);
  }
  if (smallestDenominator(reduced, rowOf(known, 0), coordinates) <= SMALL)
    return valuesAtEvery(formulas, columns, rows, exact);
  return evaluateColumns(reduced, known, rows);
}

/** Beyond, digits of what is left in double-double numbers would cancel. */
const LARGE = 1e4;

const coordinatesOf = (type: BodyType): ReadonlySet<Expr> => new Set(type.coordinates.map((c) => c.symbol));

const rowOf = (columns: Scalars, row: number): Map<Expr, number> =>
  new Map([...columns].map(([name, { high }]) => [name, high[high.length === 1 ? 0 : row]!]));

/** In many digits, once per different value of the variable. */
function valuesOfOne(
  formulas: readonly Expr[],
  variable: Expr,
  column: Column,
  exact: ReadonlyMap<Expr, Decimal>,
): Column[] {
  const rows = column.high.length;
  const results = formulas.map(() => newColumn(rows));
  const known = new Map<string, readonly { readonly high: number; readonly low: number }[]>();
  for (let row = 0; row < rows; row++) {
    const key = `${column.high[row]!} ${column.low[row]!}`;
    let values = known.get(key);
    if (!values) {
      const here = new Map(exact).set(variable, decimalAt(column, row));
      values = evaluateDecimal(formulas, here, Wide).map((value) => {
        const { high, low } = decimalColumn([value]);
        return { high: high[0]!, low: low[0]! };
      });
      known.set(key, values);
    }
    values.forEach(({ high, low }, i) => {
      results[i]!.high[row] = high;
      results[i]!.low[row] = low;
    });
  }
  return results;
}

function valuesAtEvery(
  formulas: readonly Expr[],
  columns: Scalars,
  rows: number,
  exact: ReadonlyMap<Expr, Decimal>,
): Column[] {
  const here = new Map(exact);
  const values = Array.from({ length: rows }, (_, row) => {
    for (const [name, column] of columns) here.set(name, decimalAt(column, row));
    return evaluateDecimal(formulas, here, Wide);
  });
  return formulas.map((_, i) => decimalColumn(values.map((row) => row[i]!)));
}

const decimalAt = ({ high, low }: Column, row: number): Decimal =>
  exactDecimal(high[row]!, Wide).plus(exactDecimal(low[row]!, Wide));

/** Takes out of formulas the parts that divide by coordinates and vary with one material coordinate, or with none. */
class Parts {
  /** Per material coordinate: the parts, and the symbols that stand for them. */
  readonly found: ReadonlyMap<Expr, Map<Expr, Expr>>;
  private readonly coordinates: ReadonlySet<Expr>;
  private readonly material: readonly Expr[];
  private readonly known = new Map<Expr, Expr>();

  constructor(coordinates: ReadonlySet<Expr>, material: readonly Expr[]) {
    this.coordinates = coordinates;
    this.material = material;
    this.found = new Map(material.map((variable) => [variable, new Map<Expr, Expr>()]));
  }

  reduce(e: Expr): Expr {
    const known = this.known.get(e);
    if (known) return known;
    const reduced = this.divides(e) ? (this.take(e) ?? this.inside(e)) : e;
    this.known.set(e, reduced);
    return reduced;
  }

  /** Does it divide by a coordinate anywhere? */
  private divides(e: Expr): boolean {
    return postorder([e]).some(
      (node) =>
        node.kind === 'product' &&
        node.factors.some((f) => Rational.isNegative(f.exponent) && dependsOn(f.base, this.coordinates)),
    );
  }

  private variables(e: Expr): Expr[] {
    return this.material.filter((variable) => dependsOn(e, new Set([variable])));
  }

  /** A symbol in place of what varies with at most one material coordinate. */
  private take(e: Expr): Expr | undefined {
    const variables = this.variables(e);
    if (variables.length > 1 || e.kind === 'compare' || e.kind === 'logic') return undefined;
    const own = this.found.get(variables[0] ?? this.material[0]!)!;
    const name = own.get(e) ?? symbol(`check.part${e.id}`);
    own.set(e, name);
    return name;
  }

  /** Of a product, the factors that vary with the coordinate that most of them vary with go together, constants with them. */
  private inside(e: Expr): Expr {
    if (e.kind !== 'product') return rebuild(e, (operand) => this.reduce(operand));
    const factors = e.factors.map((f) => ({ value: power(f.base, f.exponent), variables: this.variables(f.base), f }));
    const alone = (variable: Expr) => factors.filter((x) => x.variables.every((v) => v === variable));
    const groups = this.material.map(alone).sort((a, b) => moving(b, this.coordinates) - moving(a, this.coordinates));
    const together = groups[0]!;
    const others = factors.filter((x) => !together.includes(x));
    const part = this.reduce(times(...together.map((x) => x.value)));
    return times(rational(e.coefficient), part, ...others.map(({ f }) => power(this.reduce(f.base), f.exponent)));
  }
}

/** How many of the factors vary with coordinates of the body. */
function moving(factors: readonly { readonly value: Expr }[], coordinates: ReadonlySet<Expr>): number {
  return factors.filter(({ value }) => dependsOn(value, coordinates) && children(value).length > 0).length;
}

/** Coordinates displaced by √1, √2, √3, … times the nudge. */
function besideZero(type: BodyType, scalars: Scalars): Map<Expr, Decimal> {
  const coordinates = type.coordinates.map((c) => c.symbol as Expr);
  return new Map(
    [...scalars].map(([name, { high, low }]) => {
      const offset = new Wide(coordinates.indexOf(name) + 1).sqrt().times(NUDGE);
      return [name, exactDecimal(high[0]!, Wide).plus(exactDecimal(low[0]!, Wide)).plus(offset)] as const;
    }),
  );
}
