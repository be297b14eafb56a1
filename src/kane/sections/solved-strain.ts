/**
 * The strain of a rod whose sections are in balance (section-balance.ts), as its rows see it: solved row by row by Newton's method from the
 * strain at rest with a fixed number of steps, each a loop of its own. The factor of the last step, which is that at the solution, gives
 *   H ξ_a = −∂f/∂q_a   and   H ξ̈ = −f̈ where ξ̈ and q̈ are zero,
 * and the changes of all three along directions; the steps themselves are not differentiated. Rotations take moments of the curvature, integrals from
 * section to section, so that no strain is solved for anywhere else.
 */
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import {
  compare,
  decimal,
  fraction,
  integer,
  logic,
  minus,
  negate,
  one,
  plus,
  power,
  select,
  square,
  times,
  zero,
  type Expr,
  type SymbolExpr,
} from '../../symbolic/graph/expr.ts';
import { dependsOn, substitute } from '../../symbolic/graph/traverse.ts';
import { addVectors, mapVector, scaleVector, vector3, type Vector3 } from '../../symbolic/graph/vector.ts';
import type { SectionEquilibrium } from '../../description/model/robot.ts';
import type { CoordinateSymbols } from '../equations/rates.ts';
import { inverseLength, type RowSteps } from '../rod-points/rod-points.ts';
import type { MagnusOrder } from '../rod-points/rod-rotation.ts';
import type { KeptValues, RodLoops } from '../rod-points/rod-rows.ts';
import { combineTwists, twistEntries, twistFromEntries, type Twist } from '../rod-points/rod-twist.ts';
import type { RowStrain } from './row-strain.ts';
import { SectionBalance, tendonTangentFrom, type SectionState } from './section-balance.ts';
import { factorEntries, factorFrom, solve, type Factor } from './section-factor.ts';
import { SectionFormulas } from './section-formulas.ts';

const COMPONENTS = ['kappa_x', 'kappa_y', 'kappa_z', 'nu_x', 'nu_y', 'nu_z'];

/** What of a body type its sections need, over the axial coordinate and the parameters. */
export interface BalancedRod {
  readonly equilibrium: SectionEquilibrium;
  readonly axial: Expr;
  readonly rest: Twist;
  /** Σ, 6 × 6 by rows. */
  readonly stiffness: readonly Expr[];
  /** Newton steps. */
  readonly steps: number;
}

/** Places of the rows: the section, the length that it stands for, and the steps that turn it. */
export interface BalancedRows {
  readonly section: Expr;
  readonly weight: Expr;
  readonly turns: RowSteps;
}

/** f and what belongs to it at whatever place, with all that only parameters decide kept under names. */
export function balanceAt(
  { equilibrium, axial, rest, stiffness }: BalancedRod,
  symbols: Pick<CoordinateSymbols, 'q'>,
  place: Expr,
  keep: (label: string, e: Expr) => Expr,
): SectionBalance {
  const at = new Map([[axial, place]]);
  const here = (e: Expr): Expr => substitute([e], at)[0]!;
  const tendons = equilibrium.tendons.map(({ coordinate, across, passes }, j) => {
    const name = `tendon_${j + 1}`;
    const own = keep(`${name}_passes`, here(passes));
    const place = across.map((e, i) => keep(`${name}_${'xy'[i]!}`, here(e))) as [Expr, Expr];
    const slope = differentiateAll(across, axial).map((e, i) => keep(`${name}_slope_${'xy'[i]!}`, here(e)));
    const [x, y] = place;
    const index = symbols.q.indexOf(coordinate);
    const squares = [square(x), times(x, y), square(y), plus(square(x), square(y))];
    return {
      coordinate: index,
      tension: times(own, symbols.q[index]!),
      passes: own,
      place,
      slope: slope as [Expr, Expr],
      squares: squares.map((e, i) => keep(`${name}_${['xx', 'xy', 'yy', 'rr'][i]!}`, e)) as [Expr, Expr, Expr, Expr],
    };
  });
  const { unknowns, formulas } = equilibrium;
  const free = unknowns.map(({ component }) => component);
  const further =
    formulas &&
    new SectionFormulas({
      values: formulas.values.map(here),
      unknowns: unknowns.map((own) => own.symbol),
      components: free,
      q: symbols.q,
      isGradient: formulas.kind === 'potential',
    });
  return new SectionBalance({
    tendons,
    ...{ free, q: symbols.q, isAlone: formulas?.kind === 'equations' },
    ...(further && { formulas: further }),
    stiffness: stiffness.map((e, k) => keep(`stiffness_${Math.floor(k / 6) + 1}_${(k % 6) + 1}`, here(e))),
    rest: twistEntries(rest).map((e, c) => keep(`rest_${COMPONENTS[c]!}`, here(e))),
    stress: equilibrium.stress.map((e, c) =>
      affine(here(e), symbols.q, (label, part) => keep(`stress_${COMPONENTS[c]!}${label}`, part)),
    ),
  });
}

/** A sum of the coordinates times what only parameters decide, which is kept; anything else as it is. */
function affine(e: Expr, q: readonly Expr[], keep: (label: string, e: Expr) => Expr): Expr {
  const moving = new Set(q);
  if (!dependsOn(e, moving)) return keep('', e);
  const slopes = q.map((own) => differentiateAll([e], own as SymbolExpr)[0]!);
  if (slopes.some((own) => dependsOn(own, moving))) return e;
  const rest = substitute([e], new Map(q.map((own) => [own as SymbolExpr, zero])))[0]!;
  return plus(keep('_rest', rest), ...slopes.map((own, a) => times(keep(`_by_${a + 1}`, own), q[a]!)));
}

export class SolvedStrain implements RowStrain {
  readonly value: Twist;
  readonly partial: readonly Twist[];
  readonly bias: Twist;
  readonly alpha: readonly (readonly Vector3[])[];
  readonly balance: SectionBalance;
  /** What the strain makes of the balance. */
  readonly state: SectionState;
  /** ξ − ξ*, six components. Solved for in place of ξ, it keeps its digits where it is small. */
  readonly departure: readonly Expr[];
  /** ξ */
  readonly strain: readonly Expr[];
  /** Length of the row, and 1/length. */
  readonly length: Expr;
  readonly inverse: Expr;
  readonly factor: Factor;
  /** One in rows whose balance is solved for, else zero. */
  readonly settled: Expr;
  /** s of the row. */
  readonly section: Expr;
  private readonly loops: RodLoops;
  private readonly symbols: CoordinateSymbols;
  private readonly names: readonly string[];
  private readonly rates: readonly Expr[];
  private readonly free: readonly number[];

  /** @param constants keeps what only parameters decide. */
  constructor(
    rod: BalancedRod,
    symbols: CoordinateSymbols,
    names: readonly string[],
    rows: BalancedRows,
    order: MagnusOrder,
    loops: RodLoops,
    constants: KeptValues,
  ) {
    this.loops = loops;
    this.symbols = symbols;
    this.names = names;
    this.free = rod.equilibrium.unknowns.map(({ component }) => component);
    const keep = (label: string, e: Expr): Expr => constants.keep(label, e);
    const section = keep('section', rows.section);
    this.section = section;
    this.length = keep('length', rows.weight);
    this.inverse = keep('inverse_length', inverseLength(rows.weight));
    this.balance = balanceAt(rod, symbols, section, keep);
    const start = rod.equilibrium.formulas?.start?.map((e, i) =>
      keep(`start_${COMPONENTS[this.free[i]!]!}`, substitute([e], new Map([[rod.axial, section]]))[0]!),
    );
    const { departure, factor, settled } = this.solve(rod.steps, start ?? []);
    const strain = this.balance.strainAt(departure);
    this.departure = departure;
    this.strain = strain;
    this.factor = factor;
    this.settled = settled;
    this.state = this.recorded();
    const slopes = this.slopes();
    const whole = (free: readonly Expr[]): readonly Expr[] => this.balance.whole(free, NOTHING);
    this.value = twistFromEntries(strain.map((e) => times(this.length, e)));
    this.partial = slopes.map((own) => twistFromEntries(whole(own)));
    const { rates, bias } = this.motion();
    this.rates = rates;
    this.bias = twistFromEntries(whole(bias));
    this.alpha = this.moments(rows.turns, section, constants, order);
  }

  rate(): Twist {
    return twistFromEntries(this.rates);
  }

  driven(): Twist {
    return combineTwists(this.partial, this.symbols.qdd);
  }

  private stateAt(departure: readonly Expr[]): SectionState {
    return this.balance.at(this.balance.strainAt(departure), departure);
  }

  private labels(prefix = ''): string[] {
    return this.free.map((c) => `${prefix}${COMPONENTS[c]!}`);
  }

  // ---------------------------------------------------------------------------------------------- strain

  /** Newton steps from rest, or from where the file begins; the last one leaves the factor, and no finite strain where it still changes more than rounding errors do. */
  private solve(
    steps: number,
    start: readonly Expr[],
  ): { readonly departure: readonly Expr[]; readonly factor: Factor; readonly settled: Expr } {
    const { loops, balance, free } = this;
    const { isSymmetric } = balance;
    const from = balance.departure(balance.whole(start));
    let off = start.length > 0 ? from : NOTHING;
    let last: readonly Expr[] = [];
    for (let step = 1; step < steps; step++) {
      const state = this.stateAt(off);
      const correction = solve(balance.factor(state), balance.residual(state));
      const values = free.map((c, i) => minus(off[c]!, correction[i]!));
      if (!loops.vary(values)) {
        // All sections solve the same equation: these steps are taken once.
        off = balance.whole(values, NOTHING);
        continue;
      }
      const name = `iterate_${step}`;
      const record = loops.record(name, values, this.labels('off_'), (frozen) => frozen.map(() => integer(0)));
      loops.add({ name, stage: 1, writes: [record.write] });
      last = record.seen;
      off = balance.whole(last, NOTHING);
    }
    const state = this.stateAt(off);
    const factor = balance.factor(state);
    const correction = solve(factor, balance.residual(state));
    const size = free.length;
    const entries = factorEntries(factor);
    const names = [...this.labels('off_'), ...entries.map((_, k) => `factor_${k + 1}`), 'settled'];
    const settled = this.isSettled(state.strain, correction, factor, new Set<Expr>([...last, ...this.symbols.q]));
    const infinite = power(settled, -1);
    const values = [...free.map((c, i) => times(infinite, minus(off[c]!, correction[i]!))), ...entries, settled];
    const record = loops.record('balance', values, names, (frozen) => {
      const own = balance.whole(frozen.slice(0, size), NOTHING);
      const change = solve(factorFrom(frozen.slice(size), size, isSymmetric), balance.residual(this.stateAt(own)));
      return [...change.map(negate), ...frozen.slice(size).map(() => integer(0))];
    });
    loops.add({ name: 'balance', stage: 1, writes: [record.write] });
    return {
      departure: balance.whole(record.seen.slice(0, size), NOTHING),
      factor: factorFrom(record.seen.slice(size), size, isSymmetric),
      settled: record.seen.at(-1)!,
    };
  }

  /**
   * One where the last step changes little of curvature, and of shear and stretch, and the solution is a minimum; else zero.
   * @param moving what is different from state to state.
   */
  private isSettled(
    strain: readonly Expr[],
    correction: readonly Expr[],
    { inverse }: Factor,
    moving: ReadonlySet<Expr>,
  ): Expr {
    const isStable = this.balance.isSymmetric ? inverse.map((pivot) => compare('<', zero, pivot)) : [];
    const isSmall = [
      { some: (c: number) => c < 3, least: times(LEAST, square(this.inverse)) },
      { some: (c: number) => c >= 3, least: LEAST },
    ].flatMap(({ some, least }) => {
      const changed = correction.filter((_, i) => some(this.free[i]!)).map(square);
      const whole = this.free.filter(some).map((c) => square(strain[c]!));
      return changed.length > 0 ? [compare('<=', plus(...changed), times(SETTLED, plus(...whole, least)))] : [];
    });
    // What holds or not whatever the state is known to the compiler, which has solved the balance.
    const known = [...isStable, ...isSmall].filter((condition) => dependsOn(condition, moving));
    return known.length > 0 ? select(logic('and', ...known), one, zero) : one;
  }

  /** Tangents of tendons under names: all loops behind this one read them. */
  private recorded(): SectionState {
    const { loops, balance, strain, departure } = this;
    const { tangents } = this.stateAt(departure);
    if (tangents.length === 0) return { strain, departure, tangents };
    const labels = tangents.flatMap((_, j) => ['x', 'y', 'z', 'inverse'].map((label) => `${j + 1}_${label}`));
    const values = tangents.flatMap(({ direction, inverse }) => [...direction, inverse]);
    const { seen, write } = loops.record('tangent', values, labels);
    loops.add({ name: 'tangent', stage: 1, writes: [write] });
    const known = balance.tendons.map(({ place }, j) => {
      const [x, y, z, inverse] = seen.slice(4 * j, 4 * j + 4) as [Expr, Expr, Expr, Expr];
      return tendonTangentFrom(place, [x, y, z], inverse);
    });
    return { strain, departure, tangents: known };
  }

  /** ξ_a times the length of the row. */
  private slopes(): readonly (readonly Expr[])[] {
    const { loops, balance, factor, names, symbols, length, free, state } = this;
    const right = symbols.q.map((_, a) => balance.byCoordinate(a, state).map((e) => times(length, e)));
    const values = right.map((own) => solve(factor, own).map(negate));
    const labels = names.flatMap((name) => this.labels(`by_${name}_`));
    const size = free.length;
    const record = loops.record('slope', values.flat(), labels, (frozen) => {
      const jacobian = balance.jacobian(state);
      return right.flatMap((own, a) => {
        const product = balance.product(jacobian, frozen.slice(size * a, size * (a + 1)));
        return solve(
          factor,
          own.map((e, i) => plus(e, product[i]!)),
        ).map(negate);
      });
    });
    loops.add({ name: 'slope', stage: 1, writes: [record.write] });
    return right.map((_, a) => record.seen.slice(size * a, size * (a + 1)));
  }

  /** ξ̇, and ξ̈ where coordinates do not accelerate, times the length of the row. */
  private motion(): { readonly rates: readonly Expr[]; readonly bias: readonly Expr[] } {
    const { loops, balance, factor, symbols, length, state, inverse } = this;
    const values = twistEntries(combineTwists(this.partial, symbols.qd));
    const record = loops.record('rate', values, COMPONENTS);
    loops.add({ name: 'rate', stage: 2, writes: [record.write] });
    const rates = record.seen;
    const speeds = rates.map((e) => times(e, inverse));
    const right = balance.secondRate(state, speeds, symbols.qd).map((e) => times(length, e));
    const bias = loops.record('coasting', solve(factor, right).map(negate), this.labels(), (frozen) => {
      const product = balance.product(balance.jacobian(state), frozen);
      return solve(
        factor,
        right.map((e, i) => plus(e, product[i]!)),
      ).map(negate);
    });
    loops.add({ name: 'coasting', stage: 2, writes: [bias.write] });
    return { rates, bias: bias.seen };
  }

  // ---------------------------------------------------------------------------------------------- rotations

  /**
   * α of the steps from section to section and to the ends of blocks, by moments ∫ (s − m)^k κ ds/h^k about the middle m of a step, with
   * which α_2 = 12 b_1, and α_3 = 180 b_2 − 15 b_0, α_1 = b_0 − α_3/12 in order 6; α_1 = b_0 in order 4.
   */
  private moments(turns: RowSteps, section: Expr, constants: KeptValues, order: MagnusOrder): readonly Vector3[][] {
    const { loops } = this;
    const powers = order / 2;
    const curvature = vector3(twistEntries(this.value).slice(0, 3));
    const offset = constants.keep('offset', minus(section, turns.origin));
    const factors = Array.from({ length: powers }, (_, k) =>
      k === 0 ? one : constants.keep(`offset_${k}`, power(offset, k)),
    );
    const values = factors.flatMap((factor) => [...scaleVector(factor, curvature)]);
    const labels = factors.flatMap((_, k) => [...'xyz'].map((axis) => `moment_${k}_${axis}`));
    const { atRow } = loops.integrate({ name: 'turned', stage: 1, direction: 'from start', labels, values });
    const zeros = values.map(() => integer(0));
    const before = loops.march(
      'advance',
      labels.map((label) => `before_${label}`),
      zeros,
    );
    const whole = loops.march(
      'advance',
      labels.map((label) => `whole_${label}`),
      zeros,
    );
    const sums = values.map((e, i) => plus(whole.symbols[i]!, e));
    const { first, last } = turns;
    const leading = atRow.map((e, i) =>
      minus(e, plus(before.symbols[i]!, times(first, minus(whole.symbols[i]!, before.symbols[i]!)))),
    );
    const trailing = sums.map((e, i) => times(last, minus(e, atRow[i]!)));
    const halves = [leading, trailing].map((own, half) => {
      const { middle, inverse } = turns.halves[half]!;
      const h = constants.keep(`inverse_${half + 1}`, inverse);
      const m = constants.keep(`middle_${half + 1}`, minus(middle, turns.origin));
      const moment = (k: number): Vector3 => vector3(own.slice(3 * k, 3 * k + 3));
      const [M0, M1] = [moment(0), moment(1)];
      const shifted = addVectors(M1, scaleVector(negate(m), M0));
      const b1 = scaleVector(h, shifted);
      const a2 = scaleVector(integer(12), b1);
      if (powers < 3) return [M0, a2];
      const b2 = scaleVector(
        constants.keep(`inverse_square_${half + 1}`, square(h)),
        addVectors(moment(2), scaleVector(times(integer(-2), m), M1), scaleVector(square(m), M0)),
      );
      const a3 = addVectors(scaleVector(integer(180), b2), scaleVector(integer(-15), M0));
      return [addVectors(M0, scaleVector(fraction(-1, 12), a3)), a2, a3];
    });
    const flat = halves.flatMap((own) => own.flatMap((v) => [...v]));
    const names = halves.flatMap((own, half) =>
      own.flatMap((_, j) => [...'xyz'].map((axis) => `alpha_${half + 1}_${j + 1}_${axis}`)),
    );
    const record = loops.record('advance', flat, names);
    const marching = {
      labels: [...before.labels, ...whole.labels],
      symbols: [...before.symbols, ...whole.symbols],
      initial: [...before.initial, ...whole.initial],
    };
    loops.add({
      name: 'advance',
      stage: 1,
      carried: { values: marching, next: [...atRow, ...sums] },
      writes: [record.write],
    });
    let next = 0;
    return halves.map((own) => own.map((v) => mapVector(v, () => record.seen[next++]!)));
  }
}

/** The square of what the last step may change of a strain: as convergence is quadratic, what is left is as small as this. */
const SETTLED = decimal(1e-12);
/** Added to squares of strain, of curvature times the length of a row: strains that vanish have rounding errors. */
const LEAST = decimal(1e-14);

const NOTHING = COMPONENTS.map(() => integer(0));
