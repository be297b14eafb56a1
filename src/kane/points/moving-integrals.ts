/**
 * Integrals ∫ f(X, q) dX over boxes of material coordinates, as functions of the coordinates with their first and second
 * derivatives. What can be integrated exactly, is: f is brought to polynomials, sines and cosines of one material coordinate
 * after the other. What is left over is summed over the points of a rule, once with the parameters where f is
 * Σ β_i(X) b_i(q), else in every configuration.
 */
import type { SourceLocation } from '../../common/error.ts';
import {
  decimalOfPrecision,
  evaluate,
  evaluateDecimal,
  foldConstant,
  isConstant,
} from '../../symbolic/evaluation/evaluate.ts';
import { RowProgram } from '../../symbolic/evaluation/evaluate-rows.ts';
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { reduceSquaredSines } from '../../symbolic/graph/expand.ts';
import {
  compare,
  decimal,
  minus,
  one,
  plus,
  times,
  zero,
  type Expr,
  type SymbolExpr,
} from '../../symbolic/graph/expr.ts';
import { dependsOn, freeSymbols, postorder, substitute, substituteOne } from '../../symbolic/graph/traverse.ts';
import { chooseRule } from '../../integration/choice/choose-rule.ts';
import type { StateSample } from '../../integration/rules/compress.ts';
import { exactIntegral } from '../../integration/exact/exact-integral.ts';
import type { PointRule } from '../../integration/rules/point-rule.ts';
import type { BoxDomain } from '../../integration/rules/volume-layout.ts';
import type { BodyType } from '../../description/model/robot.ts';
import type { MeshVolume } from '../../description/model/reference-volume.ts';
import {
  movingValue,
  rateAtRest,
  timeDerivative,
  type CoordinateSymbols,
  type MovingValue,
} from '../equations/rates.ts';
import { loopsNeeded, type Loop } from '../loops/loop.ts';
import { separateRows } from './separate-rows.ts';
import { PointLoops } from './point-loops.ts';
import { boundRule, chooseMeshRule } from './point-rules.ts';

/** A function under the integral, over material coordinates, parameters, coordinates and the time. */
export interface Integrand {
  readonly label: string;
  /** As formulas of the file have it: may be 0/0 at single configurations. */
  readonly written: Expr;
  readonly regular: () => Expr;
}

export type IntegrationDomain = Omit<BoxDomain, 'kind' | 'density'> | { readonly mesh: MeshVolume };

export interface MovingIntegralsContext {
  readonly type: BodyType;
  readonly symbols: CoordinateSymbols;
  /** States at which rules are chosen, in motion. */
  readonly samples: () => readonly StateSample[];
  /** Of messages. */
  readonly location: SourceLocation;
}

/** Sums that a rule stands for, to be had as numbers. */
interface SummedFunction {
  readonly rule: PointRule;
  readonly symbol: Expr;
  readonly integrand: Expr;
}

export class MovingIntegrals {
  private readonly context: MovingIntegralsContext;
  private readonly groups: PointLoops[] = [];
  private readonly summed: SummedFunction[] = [];
  private readonly family: string;
  private readonly methods = new Set<string>();

  /** @param family tells the loops of these integrals from others of the same body. */
  constructor(context: MovingIntegralsContext, family: string) {
    this.context = context;
    this.family = family;
  }

  /** For reports. */
  get method(): string {
    return [...this.methods].join(' and ');
  }

  loops(roots: readonly Expr[]): readonly Loop[] {
    return loopsNeeded(
      this.groups.flatMap((group) => group.loops()),
      roots,
      [],
    );
  }

  /** Values of expressions over integrals as numbers at a state. */
  evaluate(values: readonly Expr[], state: StateSample): number[] {
    const needed = new Set<Expr>(freeSymbols(values));
    const known = new Map<Expr, number>(state);
    const wanted = this.summed.filter((own) => needed.has(own.symbol));
    for (const rule of new Set(wanted.map((own) => own.rule))) {
      const own = wanted.filter((one) => one.rule === rule);
      const totals = sumsOf(
        rule,
        own.map((one) => one.integrand),
        state,
      );
      own.forEach((one, i) => known.set(one.symbol, totals[i]!));
    }
    return evaluate(values, known);
  }

  /** ∫ … over one domain, in the order of the integrands. @throws KanegenError `tolerance-not-met`. */
  over(domain: IntegrationDomain, integrands: readonly Integrand[]): readonly MovingValue[] {
    if ('mesh' in domain)
      return this.byPoints(
        integrands,
        integrands.map((own) => own.regular()),
        domain,
      );
    const written = this.exactly(
      integrands.map((own) => own.written),
      domain,
    );
    if (written?.axes.length === 0 && this.isFinite(written.functions)) {
      this.methods.add('closed form');
      return written.functions.map((value) => movingValue(value, this.context.symbols));
    }
    const functions = this.independent(
      integrands.map((own) => decided(own.regular(), domain)),
      domain,
    );
    const { axes, ranges, functions: left } = this.exactly(functions, domain) ?? { ...domain, functions };
    if (axes.length > 0) return this.byPoints(integrands, left, { ...domain, axes, ranges });
    this.methods.add('closed form');
    return left.map((value) => movingValue(value, this.context.symbols));
  }

  // -------------------------------------------------------------------------------------------- exact integrals

  /** The functions integrated along as many axes as can be, from the last to the first. */
  private exactly(
    functions: readonly Expr[],
    { axes, ranges, breaks }: Omit<BoxDomain, 'kind' | 'density'>,
  ): { axes: readonly SymbolExpr[]; ranges: BoxDomain['ranges']; functions: readonly Expr[] } {
    let current = functions.map((f) => reduceSquaredSines(decided(f, { axes, ranges, breaks })));
    const left: number[] = [];
    for (let i = axes.length - 1; i >= 0; i--) {
      const [from, to] = ranges[i]!;
      const own = new Set<Expr>([axes[i]!]);
      const isNeeded = left.some((k) => ranges[k]!.some((end) => dependsOn(end, own)));
      const whole = isNeeded ? [undefined] : current.map((f) => exactIntegral(f, axes[i]!, from, to));
      if (whole.every((f) => f !== undefined)) current = whole;
      else left.unshift(i);
    }
    return { axes: left.map((i) => axes[i]!), ranges: left.map((i) => ranges[i]!), functions: current };
  }

  /** Values and derivatives at the default coordinates and where they vanish. */
  private isFinite(values: readonly Expr[]): boolean {
    const { symbols } = this.context;
    const all = [...values, ...symbols.q.flatMap((q) => differentiateAll(values, q))];
    const [state] = this.context.samples();
    const straight = new Map(state);
    for (const q of symbols.q) straight.set(q, 0);
    return [state!, straight].every((own) => evaluate(all, own).every(Number.isFinite));
  }

  /** Coordinates that change nothing at any material point have their defaults. */
  private independent(functions: readonly Expr[], domain: Omit<BoxDomain, 'kind' | 'density'>): readonly Expr[] {
    const { symbols, type } = this.context;
    const places = this.context
      .samples()
      .slice(1, 3)
      .map((state, k) => placeIn(domain, state, k));
    return symbols.q.reduce<readonly Expr[]>(
      (current, q, a) =>
        vanish(differentiateAll(current, q), places)
          ? substitute(current, new Map([[q, type.coordinates[a]!.value]]))
          : current,
      functions,
    );
  }

  // -------------------------------------------------------------------------------------------- sums over points

  private byPoints(
    integrands: readonly Integrand[],
    functions: readonly Expr[],
    domain: IntegrationDomain,
  ): readonly MovingValue[] {
    const { symbols } = this.context;
    const axes: readonly SymbolExpr[] = 'mesh' in domain ? domain.mesh.axes : domain.axes;
    const moving = new Set<Expr>([...symbols.q, ...(symbols.time ? [symbols.time] : [])]);
    const modes = separateRows(functions, new Set<Expr>(axes), moving);
    return modes ? this.constants(modes, functions.length, domain) : this.everywhere(integrands, functions, domain);
  }

  /** ∫ β_i dX are constants. */
  private constants(
    modes: NonNullable<ReturnType<typeof separateRows>>,
    count: number,
    domain: IntegrationDomain,
  ): readonly MovingValue[] {
    const wanted = modes.map(({ mode }) => mode);
    const { rule, sums } = this.rule(domain, wanted, 'constants');
    const constants = modes.map(({ mode }, i) => this.sum(sums, rule, 0, 'constants', `mode_${i + 1}`, mode));
    return Array.from({ length: count }, (_, k) =>
      movingValue(
        plus(...modes.map(({ coefficient }, i) => times(coefficient[k]!, constants[i]!))),
        this.context.symbols,
      ),
    );
  }

  /** Sums in every configuration. */
  private everywhere(
    integrands: readonly Integrand[],
    functions: readonly Expr[],
    domain: IntegrationDomain,
  ): readonly MovingValue[] {
    const { symbols, type } = this.context;
    const rates = functions.map((f) => timeDerivative([f], symbols)[0]!);
    const all = functions.map((f, k) => ({
      value: f,
      gradient: symbols.q.map((q) => differentiateAll([f], q)[0]!),
      explicit: symbols.time ? differentiateAll([f], symbols.time)[0]! : zero,
      bias: rateAtRest(rates[k]!, symbols),
    }));
    // Second derivatives are much larger formulas; a rule for all gradients over the range has their functions as well.
    const wanted = all.flatMap((own) => [own.value, ...own.gradient, own.explicit]);
    const { rule, sums } = this.rule(domain, wanted, 'points');
    // As late as they are asked for: whoever does not ask does not pay.
    const sum = (loop: string, label: string, e: Expr): Expr => this.sum(sums, rule, 3, loop, label, e);
    return all.map((own, k): MovingValue => {
      const { label } = integrands[k]!;
      const gradient = own.gradient.map((e, a) => sum('gradient', `${label}_by_${type.coordinates[a]!.name}`, e));
      const explicit = sum('explicit', label, own.explicit);
      return {
        value: sum('value', label, own.value),
        gradient,
        rate: plus(explicit, ...gradient.map((e, a) => times(e, symbols.qd[a]!))),
        bias: sum('bias', label, own.bias),
      };
    });
  }

  private rule(
    domain: IntegrationDomain,
    integrands: readonly Expr[],
    what: 'constants' | 'points',
  ): { rule: PointRule; sums: PointLoops } {
    const { type, location } = this.context;
    const samples = this.context.samples();
    const { tolerance, compress } = type.integration;
    const { rule } =
      'mesh' in domain
        ? chooseMeshRule(domain.mesh, { integrands, samples, tolerance, compress })
        : chooseRule({
            volume: { ...domain, kind: 'box', density: one, breaks: this.inside(domain) },
            integrands,
            samples,
            tolerance,
            // Thinning around and along a wall costs minutes and finds next to nothing.
            compress: compress && (what === 'constants' || domain.axes.length === 3),
            location,
          });
    const suffix = `_${this.family}${this.groups.length === 0 ? '' : `_${this.groups.length + 1}`}`;
    const sums = new PointLoops(
      [rule],
      type.parameters.map((p) => p.symbol),
      suffix,
    );
    this.groups.push(sums);
    this.methods.add(
      what === 'constants'
        ? `constants, once by ${rule.rows} points`
        : `${rule.rows} points (${rule.description}) in every configuration`,
    );
    return { rule, sums };
  }

  /** Breaks that lie within the ranges. */
  private inside({ axes, ranges, breaks }: Omit<BoxDomain, 'kind' | 'density'>): BoxDomain['breaks'] {
    const [state] = this.context.samples();
    return new Map(
      [...breaks].flatMap(([axis, places]) => {
        const range = ranges[axes.indexOf(axis)];
        if (!range) return [];
        const isInside = (place: Expr): boolean => {
          const [from, to, at] = evaluate([...range, place], state) as [number, number, number];
          return at > from && at < to;
        };
        return [[axis, places.filter(isInside)] as const];
      }),
    );
  }

  private sum(sums: PointLoops, rule: PointRule, stage: 0 | 3, loop: string, label: string, e: Expr): Expr {
    if (e === zero) return zero;
    const [symbol] = sums.integrate(loop, stage, new Map([[label, e]])) as [Expr];
    this.summed.push({ rule, symbol, integrand: e });
    return symbol;
  }
}

// ---------------------------------------------------------------------------------------------- arithmetic of values

/** Σ factor · value, with numbers for factors. */
export function addMoving(...terms: readonly (readonly [factor: Expr, value: MovingValue])[]): MovingValue {
  const sum = (pick: (value: MovingValue) => Expr): Expr => plus(...terms.map(([factor, v]) => times(factor, pick(v))));
  return {
    value: sum((v) => v.value),
    gradient: terms[0]![1].gradient.map((_, a) => sum((v) => v.gradient[a]!)),
    rate: sum((v) => v.rate),
    bias: sum((v) => v.bias),
  };
}

export function multiplyMoving(a: MovingValue, b: MovingValue): MovingValue {
  const twice = plus(one, one);
  return {
    value: times(a.value, b.value),
    gradient: a.gradient.map((e, i) => plus(times(e, b.value), times(a.value, b.gradient[i]!))),
    rate: plus(times(a.rate, b.value), times(a.value, b.rate)),
    bias: plus(times(a.bias, b.value), times(twice, a.rate, b.rate), times(a.value, b.bias)),
  };
}

// ---------------------------------------------------------------------------------------------- conditions

/** The function with conditions replaced that have one answer all over the domain, whatever the parameters are. */
function decided(f: Expr, { axes, ranges }: Omit<BoxDomain, 'kind' | 'density'>): Expr {
  const answers = new Map<Expr, Expr>();
  for (const e of postorder([f])) {
    if (e.kind !== 'compare') continue;
    const difference = minus(e.left, e.right);
    const [axis, ...others] = freeSymbols([difference]);
    const range = axis && others.length === 0 ? ranges[axes.indexOf(axis)] : undefined;
    if (!range?.every(isConstant)) continue;
    if (!isConstant(differentiateAll([difference], axis!)[0]!)) continue;
    const at = (place: Expr): number => foldConstant(substituteOne(difference, new Map([[axis!, place]])));
    // Linear, so that it has one sign all over the range unless it has two at the ends.
    const [low, high] = range.map(at) as [number, number];
    if (low * high >= 0 && low !== high) answers.set(e, compare(e.operator, decimal(low + high), zero));
  }
  return substituteOne(f, answers);
}

// ---------------------------------------------------------------------------------------------- numbers

const Wide = decimalOfPrecision(60);
/** What double precision makes of a zero, and what sixty digits do, where lengths are metres and angles radians. */
const ALMOST_NOTHING = 1e-6;
const NOTHING = 1e-36;

/** Are all of these zero at the places, to the last of sixty digits? */
function vanish(values: readonly Expr[], places: readonly StateSample[]): boolean {
  if (values.every((e) => e === zero)) return true;
  const rough = places.flatMap((place) => evaluate(values, place));
  if (!rough.every((x) => Math.abs(x) < ALMOST_NOTHING)) return false;
  return places.every((place) => {
    const exact = new Map([...place].map(([name, x]) => [name, new Wide(x)]));
    return evaluateDecimal(values, exact, Wide).every((x) => x.abs().lt(NOTHING));
  });
}

/** The state with numbers of a place in the domain. */
function placeIn({ axes, ranges }: Omit<BoxDomain, 'kind' | 'density'>, state: StateSample, k: number): StateSample {
  const place = new Map(state);
  axes.forEach((axis, i) => {
    const [from, to] = evaluate(ranges[i]!, place) as [number, number];
    place.set(axis, from + (to - from) * ((0.41 + 0.618 * (i + 1) + 0.38 * k) % 1));
  });
  return place;
}

function sumsOf(rule: PointRule, integrands: readonly Expr[], state: StateSample): number[] {
  const { columns, scalars } = boundRule(rule, state);
  const mass = [...columns.values()].at(-1)!;
  const names = [...columns.keys()].slice(0, -1);
  const totals = integrands.map(() => 0);
  new RowProgram(integrands, names).run(columns, scalars, rule.rows, (first, count, registers) =>
    registers.forEach((values, i) => {
      for (let k = 0; k < count; k++) totals[i] = totals[i]! + values[k]! * mass[first + k]!;
    }),
  );
  return totals;
}
