/**
 * Strains of sections in equilibrium, for the independent check: the balance of forces and moments about the centreline as the file has it,
 *   Σ (ξ − ξ*) + Σ_j T_j (d_j × t_j; t_j) + ∂w/∂ξ = m,
 * with Σ from the sizes of the section in numbers, or the equations that the file has in place of it, solved by Newton's method in double precision and corrected in more digits.
 */
import type { Decimal } from 'decimal.js';
import { KanegenError } from '../../common/error.ts';
import { materialFormulas } from '../../description/model/material.ts';
import type { BodyType, SectionEquilibrium } from '../../description/model/robot.ts';
import { sectionDimensions, type RodVolume } from '../../description/model/reference-volume.ts';
import { decimalOfPrecision, evaluate, evaluateDecimal, exactDecimal } from '../../symbolic/evaluation/evaluate.ts';
import { evaluateRows, RowProgram } from '../../symbolic/evaluation/evaluate-rows.ts';
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import {
  children,
  minus,
  negate,
  plus,
  power,
  sqrt,
  symbol,
  times,
  zero,
  type Expr,
  type SymbolExpr,
} from '../../symbolic/graph/expr.ts';
import { freeSymbols, postorder, substitute } from '../../symbolic/graph/traverse.ts';
import { addVectors, cross, dot, scaleVector, vector3, type Vector3 } from '../../symbolic/graph/vector.ts';
import { combine, constantColumn, newColumn, type Column } from '../arithmetic/columns.ts';
import { evaluateColumns } from '../arithmetic/evaluate-columns.ts';
import { add } from '../arithmetic/double-double.ts';
import type { Scalars } from './material-points.ts';
import { areaOf, secondMoments, twistConstant } from './section-twist.ts';

type DecimalConstructor = typeof Decimal;

const STEPS = 40;
/** Change of a strain by the last step in double precision, relative to 1 and 1/m. */
const SETTLED = 1e-12;
/** Of motion by steps of 1e-16: second quotients have 28 digits left. */
const DIGITS = 60;
/** Solutions at places that are kept: tendons and fields ask for the same ones. */
const MOST_KEPT = 10_000;
/** Each takes away as many digits as double precision has. */
const CORRECTIONS = 2;
const DIGITS_PER_CORRECTION = 13;
const GUARD_DIGITS = 10;

const solutions = new WeakMap<SectionEquilibrium, SectionSolution>();

/** Of a type whose strains are solved for; none of others. */
export function sectionSolution(type: BodyType): SectionSolution | undefined {
  const { kinematics } = type;
  if (kinematics.kind !== 'strain' || !kinematics.equilibrium) return undefined;
  const known = solutions.get(kinematics.equilibrium) ?? new SectionSolution(type, kinematics.equilibrium);
  solutions.set(kinematics.equilibrium, known);
  return known;
}

/** Stands for entries of Σ. */
const stiffnessSymbol = (entry: number): SymbolExpr => symbol(`check.stiffness_${entry + 1}`);

/** Formulas with symbols for their largest parts that mention none of some symbols. */
interface Reduced {
  readonly parts: readonly Expr[];
  /** In the order of the parts. */
  readonly symbols: readonly SymbolExpr[];
  readonly formulas: readonly Expr[];
}

/** What stays at places along the rod whatever its shape. */
interface AtPlaces {
  /** Of parameters and all else that is the same. */
  readonly key: string;
  readonly columns: ReadonlyMap<Expr, Column>;
}

export class SectionSolution {
  readonly unknowns: readonly Expr[];
  private readonly type: BodyType;
  private readonly axial: Expr;
  /** Of the unknowns, and of what stays while Newton's method goes on: parts of the balance, and where it starts. */
  private readonly residual: Reduced;
  /** These parts and the start, with symbols for what stays at a place. */
  private readonly state: Reduced;
  /** Entries of Σ that matter: their index by rows. */
  private readonly entries: readonly number[];
  private readonly program: RowProgram;
  /** All that a solution depends on: what stays at a place, and coordinates. */
  private readonly fixed: readonly Expr[];
  private readonly moving: readonly Expr[];
  /** What is known when the residual is evaluated. */
  private readonly leaves: readonly Expr[];
  private readonly places = new Map<string, ReadonlyMap<Expr, Decimal>>();
  private readonly solved = new Map<string, ReadonlyMap<Expr, Decimal>>();
  private readonly found = new WeakMap<Column, AtPlaces>();

  constructor(type: BodyType, equilibrium: SectionEquilibrium) {
    const { kinematics, volumes } = type;
    if (kinematics.kind !== 'strain') throw new Error('a rod given by its strain expected');
    if (equilibrium.loads) throw new Error('weights that are no part of the stress yet');
    const { angular, linear, rest } = kinematics;
    const strain = [...angular, ...linear];
    const start = [...rest.angular, ...rest.linear];
    const balance = tractions(strain, start);
    for (const { coordinate, across, passes } of equilibrium.tendons) {
      const d = vector3([...across, zero]);
      const slope = vector3(differentiateAll(d, (volumes[0] as RodVolume).axial));
      const tangent = addVectors(vector3(strain.slice(3)), cross(vector3(strain.slice(0, 3)), d), slope);
      const pull: Vector3 = scaleVector(times(passes, coordinate, power(sqrt(dot(tangent, tangent)), -1)), tangent);
      [...cross(d, pull), ...pull].forEach((e, c) => (balance[c] = plus(balance[c]!, e)));
    }
    this.type = type;
    this.axial = (volumes[0] as RodVolume).axial;
    this.unknowns = equilibrium.unknowns.map((own) => own.symbol);
    const { formulas, stress } = equilibrium;
    const further = (own: SymbolExpr): Expr =>
      formulas?.potential ? differentiateAll([formulas.potential], own)[0]! : zero;
    const residual =
      formulas?.kind === 'equations'
        ? formulas.values
        : equilibrium.unknowns.map((own) =>
            plus(balance[own.component]!, negate(stress[own.component]!), further(own.symbol)),
          );
    const begin = formulas?.start ?? equilibrium.unknowns.map(({ component }) => start[component]!);
    const mentioned = freeSymbols(residual);
    this.entries = Array.from({ length: 36 }, (_, k) => k).filter((k) => mentioned.includes(stiffnessSymbol(k)));
    const stiffness = this.entries.map(stiffnessSymbol);
    const coordinates = new Set<Expr>(type.coordinates.map((c) => c.symbol));
    this.residual = reduced(residual, new Set(this.unknowns), 'state');
    this.state = reduced([...this.residual.parts, ...begin], coordinates, 'place');
    const balanced = this.residual.formulas;
    const jacobian = this.unknowns.flatMap((s) => differentiateAll(balanced, s));
    this.leaves = freeSymbols(balanced);
    this.program = new RowProgram(
      [...balanced, ...jacobian],
      [this.axial, ...stiffness, ...this.residual.symbols, ...this.unknowns],
    );
    const own = new Set<Expr>([...this.unknowns, ...stiffness]);
    const sections = volumes.flatMap((volume) => sectionDimensions((volume as RodVolume).shape));
    const moduli = (type.materials ?? []).flatMap(materialFormulas);
    const given = freeSymbols([this.axial, ...residual, ...begin, ...sections, ...moduli]);
    this.fixed = given.filter((e) => !own.has(e) && !coordinates.has(e));
    this.moving = given.filter((e) => coordinates.has(e));
  }

  /** Of formulas: do they mention strains that are solved for? */
  isMentioned(formulas: readonly Expr[]): boolean {
    return freeSymbols(formulas).some((s) => this.unknowns.includes(s));
  }

  /** By symbol, at places along the rod. */
  along(scalars: Scalars, places: Column): ReadonlyMap<Expr, Column> {
    const rows = places.high.length;
    const { strain, known, jacobians } = this.roughly(scalars, places);
    const here = new Map([...scalars, ...known]);
    let solved: Column[] = strain.map((high) => ({ high, low: new Float64Array(rows) }));
    for (let k = 0; k < CORRECTIONS; k++) {
      this.unknowns.forEach((s, i) => here.set(s, solved[i]!));
      const residual = evaluateColumns(this.residual.formulas, here, rows);
      const changes = solved.map(() => newColumn(rows));
      for (let row = 0; row < rows; row++)
        solveDense(
          jacobians[row]!,
          residual.map(({ high }) => high[row]!),
        ).forEach((e, i) => (changes[i]!.high[row] = -e));
      solved = solved.map((own, i) => combine(add, own, changes[i]!));
    }
    return new Map(this.unknowns.map((s, i) => [s, solved[i]!]));
  }

  /** The same in double precision, in the order of the unknowns. */
  inDoubles(numbers: ReadonlyMap<Expr, number>, places: Float64Array): readonly Float64Array[] {
    const scalars = new Map([...numbers].map(([s, value]) => [s, constantColumn(value)] as const));
    return this.roughly(scalars, { high: places, low: new Float64Array(places.length) }).strain;
  }

  private roughly(
    scalars: Scalars,
    places: Column,
  ): {
    readonly strain: readonly Float64Array[];
    /** All that the balance mentions beside the unknowns. */
    readonly known: ReadonlyMap<Expr, Column>;
    readonly jacobians: readonly (readonly number[])[];
  } {
    const rows = places.high.length;
    const numbers = new Map<Expr, number>([...scalars].map(([s, { high }]) => [s, high[0]!]));
    const fixed = this.atPlaces(scalars, numbers, places);
    const state = evaluateColumns(this.state.formulas, new Map([...scalars, ...fixed]), rows);
    const { symbols } = this.residual;
    const known = new Map([...fixed, ...symbols.map((s, i) => [s, state[i]!] as const)]);
    const columns = new Map<Expr, Float64Array>([...known].map(([s, { high }]) => [s, high]));
    const strain = state.slice(symbols.length).map(({ high }) => high);
    return { strain, known, jacobians: this.newton(strain, columns, numbers, rows) };
  }

  /** The axial coordinate, Σ, and parts of formulas. Quotients by coordinates look at the same places again and again. */
  private atPlaces(scalars: Scalars, numbers: ReadonlyMap<Expr, number>, places: Column): ReadonlyMap<Expr, Column> {
    const key = this.fixed.map((e) => (e === this.axial ? '' : textOf(scalars.get(e)!))).join(' ');
    const before = this.found.get(places);
    if (before?.key === key) return before.columns;
    const rows = places.high.length;
    const valuesOf = (formulas: readonly Expr[]): readonly Float64Array[] =>
      evaluateRows(formulas, new Map([[this.axial, places.high]]), numbers, rows);
    const columns = new Map<Expr, Column>([[this.axial, places]]);
    for (const k of this.entries)
      columns.set(stiffnessSymbol(k), { high: stiffnessAt(this.type, k, valuesOf), low: new Float64Array(rows) });
    const values = evaluateColumns(this.state.parts, new Map([...scalars, ...columns]), rows);
    this.state.symbols.forEach((s, i) => columns.set(s, values[i]!));
    this.found.set(places, { key, columns });
    return columns;
  }

  /** By symbol, at one place, to `DIGITS`. @param bindings of parameters, coordinates and the axial coordinate. */
  at(bindings: ReadonlyMap<Expr, Decimal>, Number_: DecimalConstructor): ReadonlyMap<Expr, Decimal> {
    const text = (symbols: readonly Expr[]): string => symbols.map((e) => bindings.get(e)!.toString()).join(' ');
    const place = `${Number_.precision} ${text(this.fixed)}`;
    return kept(this.solved, `${place} ${text(this.moving)}`, () => {
      const known = kept(this.places, place, () => this.atPlace(bindings, Number_));
      return this.solve(new Map([...bindings, ...known]), Number_);
    });
  }

  /** Σ, and parts of the residual. */
  private atPlace(bindings: ReadonlyMap<Expr, Decimal>, Number_: DecimalConstructor): ReadonlyMap<Expr, Decimal> {
    const numbers = inNumbers(bindings);
    const entries = this.entries.map((k): [Expr, Decimal] => {
      const [own] = stiffnessAt(this.type, k, (formulas) => evaluate(formulas, numbers).map((e) => Float64Array.of(e)));
      return [stiffnessSymbol(k), exactDecimal(own!, Number_)];
    });
    const values = evaluateDecimal(this.state.parts, new Map([...bindings, ...entries]), Number_);
    return new Map([...entries, ...this.state.symbols.map((e, i): [Expr, Decimal] => [e, values[i]!])]);
  }

  /** @param bindings beside what `at` is given, that of the place. */
  private solve(bindings: ReadonlyMap<Expr, Decimal>, Number_: DecimalConstructor): ReadonlyMap<Expr, Decimal> {
    const { symbols } = this.residual;
    const state = evaluateDecimal(this.state.formulas, bindings, Number_);
    const known = new Map(bindings);
    symbols.forEach((e, i) => known.set(e, state[i]!));
    const numbers = inNumbers(known);
    const columns = new Map<Expr, Float64Array>(
      [this.axial, ...this.entries.map(stiffnessSymbol), ...symbols].map((e) => [e, Float64Array.of(numbers.get(e)!)]),
    );
    const strain = state.slice(symbols.length).map((e) => Float64Array.of(e.toNumber()));
    const [jacobian] = this.newton(strain, columns, numbers, 1);
    let solved = strain.map(([e]) => exactDecimal(e!, Number_));
    const due = Math.min(DIGITS, Number_.precision);
    for (let digits = DIGITS_PER_CORRECTION; digits < due; digits += DIGITS_PER_CORRECTION) {
      this.unknowns.forEach((s, i) => known.set(s, solved[i]!));
      // The residual is that much smaller than its terms.
      const Enough = decimalOfPrecision(Math.min(Number_.precision, digits + DIGITS_PER_CORRECTION + GUARD_DIGITS));
      const rounded = this.leaves.map((e): [Expr, Decimal] => [
        e,
        new Enough(known.get(e)!).toSignificantDigits(Enough.precision),
      ]);
      const residual = evaluateDecimal(this.residual.formulas, new Map(rounded), Enough);
      // Of any size: the largest counts one.
      const exponent = Math.max(...residual.map((e) => (e.isZero() ? -Infinity : e.e)));
      if (exponent === -Infinity) break;
      const unit = new Number_(10).pow(exponent);
      const change = solveDense(
        jacobian!,
        residual.map((e) => e.div(unit).toNumber()),
      );
      solved = solved.map((e, i) => e.minus(unit.times(exactDecimal(change[i]!, Number_))));
    }
    return new Map(this.unknowns.map((s, i) => [s, solved[i]!]));
  }

  /** In double precision, in place. @returns the Jacobian of every row, columns of unknowns one after the other. */
  private newton(
    strain: readonly Float64Array[],
    columns: ReadonlyMap<Expr, Float64Array>,
    numbers: ReadonlyMap<Expr, number>,
    rows: number,
  ): number[][] {
    const size = this.unknowns.length;
    const known = new Map(columns);
    this.unknowns.forEach((s, i) => known.set(s, strain[i]!));
    const values = Array.from({ length: size * (size + 1) }, () => new Float64Array(rows));
    for (let step = 0; step < STEPS; step++) {
      this.program.run(known, numbers, rows, (first, count, registers) =>
        registers.forEach((register, i) => values[i]!.set(register.subarray(0, count), first)),
      );
      let largest = 0;
      const jacobians = Array.from({ length: rows }, (_, row) => values.slice(size).map((own) => own[row]!));
      for (let row = 0; row < rows; row++)
        solveDense(
          jacobians[row]!,
          values.slice(0, size).map((own) => own[row]!),
        ).forEach((change, i) => {
          strain[i]![row]! -= change;
          if (!(Math.abs(change) <= largest)) largest = Math.abs(change);
        });
      if (largest <= SETTLED) return jacobians;
    }
    const { location } = (this.type.kinematics as { readonly equilibrium: SectionEquilibrium }).equilibrium;
    throw new KanegenError('not-convex', 'the equilibrium as it is written has no solution at this state').at(location);
  }
}

const inNumbers = (bindings: ReadonlyMap<Expr, Decimal>): ReadonlyMap<Expr, number> =>
  new Map([...bindings].map(([e, value]) => [e, value.toNumber()]));

/** What has been found before, or is found now. */
function kept<T>(known: Map<string, T>, key: string, find: () => T): T {
  let found = known.get(key);
  if (found === undefined) {
    found = find();
    if (known.size >= MOST_KEPT) known.clear();
    known.set(key, found);
  }
  return found;
}

/** The largest parts that mention none of `varying`, without symbols, numbers and conditions themselves, get symbols. */
function reduced(formulas: readonly Expr[], varying: ReadonlySet<Expr>, name: string): Reduced {
  const nodes = postorder(formulas);
  const all = new Set(varying);
  for (const e of nodes) if (children(e).some((own) => all.has(own))) all.add(e);
  const found = new Set([...formulas, ...nodes.filter((e) => all.has(e)).flatMap(children)]);
  const isPart = ({ kind }: Expr): boolean => !['symbol', 'rational', 'compare', 'logic'].includes(kind);
  const parts = [...found].filter((e) => !all.has(e) && isPart(e));
  const symbols = parts.map((_, i) => symbol(`check.${name}_${i}`));
  return { parts, symbols, formulas: substitute(formulas, new Map(parts.map((e, i) => [e, symbols[i]!]))) };
}

const textOf = ({ high, low }: Column): string => `${high[0]!} ${low[0]!}`;

/** Σ (ξ − ξ*) by components. */
function tractions(strain: readonly Expr[], rest: readonly Expr[]): Expr[] {
  return strain.map((_, row) =>
    plus(...strain.map((e, column) => times(stiffnessSymbol(6 * row + column), minus(e, rest[column]!)))),
  );
}

/** Of formulas at places. */
type ValuesOf = (formulas: readonly Expr[]) => readonly Float64Array[];

/** Entries of Σ by rows, of all volumes together, at places. */
function stiffnessAt({ volumes, materials = [] }: BodyType, entry: number, valuesOf: ValuesOf): Float64Array {
  const [row, column] = [Math.floor(entry / 6), entry % 6];
  const parts = materials.map((material, i): Float64Array => {
    if (material.law === 'section-stiffness') return valuesOf([material.entries[entry]!])[0]!;
    const { shape } = volumes[i] as RodVolume;
    const { youngsModulus, shearModulus, shearFactors, torsionConstant } = material;
    const dimensions = sectionDimensions(shape);
    const given = [youngsModulus, shearModulus, ...shearFactors, ...(torsionConstant ? [torsionConstant] : [])];
    const all = valuesOf([...dimensions, ...given]);
    return all[0]!.map((_, place) => {
      const numbers = all.map((own) => own[place]!);
      const sizes = numbers.slice(0, dimensions.length);
      const [E, G, kx, ky, J] = numbers.slice(dimensions.length) as [number, number, number, number, number?];
      const area = areaOf(shape.shape, sizes);
      const [xx, yy] = secondMoments(shape.shape, sizes);
      const twisted = (): number => J ?? (volumes.length > 1 ? xx + yy : twistConstant(shape.shape, sizes));
      const diagonal = [E * yy, E * xx, row === 2 ? G * twisted() : 0, kx * G * area, ky * G * area, E * area];
      return row === column ? diagonal[row]! : 0;
    });
  });
  return parts[0]!.map((_, place) => parts.reduce((sum, own) => sum + own[place]!, 0));
}

/** By elimination with pivots. @param matrix column after column. */
function solveDense(matrix: readonly number[], right: readonly number[]): number[] {
  const n = right.length;
  const a = right.map((b, row) => [...right.map((_, column) => matrix[n * column + row]!), b]);
  for (let k = 0; k < n; k++) {
    let best = k;
    for (let row = k + 1; row < n; row++) if (Math.abs(a[row]![k]!) > Math.abs(a[best]![k]!)) best = row;
    [a[k], a[best]] = [a[best]!, a[k]!];
    for (let row = k + 1; row < n; row++) {
      const factor = a[row]![k]! / a[k]![k]!;
      for (let c = k; c <= n; c++) a[row]![c]! -= factor * a[k]![c]!;
    }
  }
  const x = new Array<number>(n).fill(0);
  for (let k = n - 1; k >= 0; k--) {
    let e = a[k]![n]!;
    for (let c = k + 1; c < n; c++) e -= a[k]![c]! * x[c]!;
    x[k] = e / a[k]![k]!;
  }
  return x;
}
