/**
 * How the sections of a rod deform, ρ(X, s, q) = Σ_m β_m(X, s) b_m(s, q) in their own plane, with the mass of the section
 * weighed by the modes: ∫ β_m dm and ∫ β_m β_n dm per length. Of what is no such sum modes are numbers at the points of a rule.
 */
import { KanegenError } from '../../common/error.ts';
import type { StateSample } from '../../integration/rules/compress.ts';
import { evaluate, foldConstant, isConstant } from '../../symbolic/evaluation/evaluate.ts';
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { decimal, one, plus, power, rational, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { substitute } from '../../symbolic/graph/traverse.ts';
import type { BodyType, StrainKinematics } from '../../description/model/robot.ts';
import type { RodVolume } from '../../description/model/reference-volume.ts';
import type { CoordinateSymbols } from '../equations/rates.ts';
import { regularVector } from '../kinematics/point-kinematics.ts';
import { defaultParameters, type ParameterValues } from '../kinematics/sample-configurations.ts';
import { Orientation } from '../points/orientation.ts';
import { separateRows } from '../points/separate-rows.ts';
import { SectionIntegrals } from './section-integrals.ts';

export interface SectionModes {
  /** b_m along the axes of the section, over the axial coordinate, parameters, coordinates and the time. */
  readonly coefficients: readonly (readonly [Expr, Expr])[];
  /** ∫ dm, and ∫ β_m dm, over the axial coordinate and parameters. */
  readonly mass: Expr;
  readonly first: readonly Expr[];
  /** ∫ β_m β_n dm, symmetric. */
  readonly second: readonly (readonly Expr[])[];
  /** For reports. */
  readonly description: string;
}

/** Beyond which sums over modes are more work than points. */
const MOST_MODES = 16;
/** The same where modes are numbers at points. */
const MOST_POINTS = 128;
/** Of the tolerance of the body: errors of several integrals add up. */
const SHARE = 0.1;
/** Of its largest size, that is rounding. */
const NOTHING = 1e-14;
/** Places along the rod, in shares of it, where rules of sections are chosen. */
const PLACES = [0.0123, 0.31, 0.57, 0.9771, 0.17, 0.83];
const CONFIGURATIONS = 12;

/** Where a point of a section goes, regular where it is 0/0 as written. */
export function regularSection(type: BodyType, { sectionPosition }: StrainKinematics): readonly [Expr, Expr] {
  const [x, y] = regularVector(type, [...sectionPosition!, zero]);
  return [x, y];
}

/**
 * @param volumes of the body, which share their coordinates.
 * @param parameters of the links that share the type.
 * @throws KanegenError `tolerance-not-met` and `unsupported-section` at the volume, `not-supported` at the kinematics.
 */
export function sectionModes(
  type: BodyType & { readonly kinematics: StrainKinematics },
  volumes: readonly [RodVolume, ...RodVolume[]],
  symbols: CoordinateSymbols,
  parameters: readonly ParameterValues[] = [defaultParameters(type)],
): SectionModes {
  const position = regularSection(type, type.kinematics);
  const [{ section }] = volumes;
  const moving = new Set<Expr>([...symbols.q, ...(symbols.time ? [symbols.time] : [])]);
  const samples = samplesOf(type, volumes[0], symbols, parameters);
  const integrals = new SectionIntegrals(type, volumes, samples, SHARE * type.integration.tolerance);
  const modes = separateRows(position, new Set<Expr>(section), moving, MOST_MODES);
  if (!modes) return byPoints(type, position, symbols, integrals, samples);
  const functions = modes.map(({ mode }) => mode);
  const pairs = functions.flatMap((_, m) => functions.slice(0, m + 1).map((__, n) => [m, n] as const));
  const products = pairs.map(([m, n]) => times(functions[m]!, functions[n]!));
  const [mass, ...all] = integrals.of([one, ...functions, ...products]);
  const first = all.slice(0, functions.length);
  const entry = (m: number, n: number): Expr => {
    const [high, low] = m > n ? [m, n] : [n, m];
    return all[functions.length + (high * (high + 1)) / 2 + low]!;
  };
  const vanishes = zerosAt(samples);
  const own = functions.map((_, m) => entry(m, m));
  const points = integrals.points === 0 ? 'exact' : `by ${integrals.points} points`;
  return {
    coefficients: modes.map(({ coefficient: [x, y] }) => [x!, y!] as const),
    mass: mass!,
    first: first.map((e, m) => (vanishes(e, mass!, own[m]!) ? zero : e)),
    second: functions.map((_, m) =>
      functions.map((__, n) => (m !== n && vanishes(entry(m, n), own[m]!, own[n]!) ? zero : entry(m, n))),
    ),
    description: `sections of ${functions.length} modes, integrals ${points}`,
  };
}

/** Is an integral of a product zero at all samples, beside the integrals of both squares? */
function zerosAt(samples: readonly StateSample[]): (e: Expr, a: Expr, b: Expr) => boolean {
  return (e, a, b) =>
    samples.every((sample) => {
      const [value, left, right] = evaluate([e, a, b], sample) as [number, number, number];
      return Math.abs(value) <= NOTHING * Math.sqrt(Math.abs(left * right));
    });
}

/** Numbers of a mode at points of the section, by index, and what it is multiplied by. */
interface PointMode {
  readonly coefficient: readonly [Expr, Expr];
  readonly values: Map<number, number>;
}

function byPoints(
  type: BodyType,
  position: readonly [Expr, Expr],
  symbols: CoordinateSymbols,
  integrals: SectionIntegrals,
  samples: readonly StateSample[],
): SectionModes {
  // Whatever a section is asked for is a sum of products of these: by one axis, as all around a round section tells nothing of each.
  const moved = [...position, ...symbols.q.flatMap((q) => differentiateAll(position, q))].filter((e) => e !== zero);
  const products = moved.flatMap((a, i) => moved.slice(0, i + 1).map((b) => times(a, b)));
  const points = integrals.rule([one, ...moved, ...products]);
  const modes = modesOfPoints(points.map(({ place }) => substitute(position, place)));
  if (modes.length > MOST_POINTS)
    throw new KanegenError(
      'not-supported',
      `the sections of \`${type.name}\` move in ${modes.length} ways at the points of a rule, and at most ${MOST_POINTS} are supported`,
      {
        remedy:
          'write `section-position` as functions of the point times functions of the coordinates, for example x*(1 + q*f), or raise the `tolerance` of `integration`',
      },
    ).at(type.locations.kinematics);
  const masses = points.map(({ mass }) => mass);
  const sum = (values: ReadonlyMap<number, number>): Expr =>
    plus(...[...values].map(([k, value]) => times(decimal(value), masses[k]!)));
  const mass = plus(...masses);
  const first = modes.map(({ values }) => sum(values));
  const second = modes.map((left) =>
    modes.map((right) => {
      const common = [...left.values].filter(([k]) => right.values.has(k));
      return sum(new Map(common.map(([k, value]) => [k, value * right.values.get(k)!])));
    }),
  );
  const vanishes = zerosAt(samples);
  return {
    coefficients: modes.map(({ coefficient }) => coefficient),
    mass,
    first: first.map((e, m) => (vanishes(e, mass, second[m]![m]!) ? zero : e)),
    second: second.map((row, m) =>
      row.map((e, n) => (m !== n && vanishes(e, second[m]![m]!, second[n]![n]!) ? zero : e)),
    ),
    description: `sections of ${modes.length} modes at ${points.length} points`,
  };
}

/**
 * What points of a section have in common but for factors that are numbers is one mode: all around a round section sums of such factors vanish
 * exactly, which they would not in the end.
 */
function modesOfPoints(places: readonly (readonly Expr[])[]): readonly PointMode[] {
  const modes = new Map<string, PointMode>();
  places.forEach((place, k) =>
    place.forEach((e, axis) => {
      for (const [factor, term] of termsOf(e)) {
        const key = `${axis} ${term.id}`;
        const coefficient = axis === 0 ? ([term, zero] as const) : ([zero, term] as const);
        const mode = modes.get(key) ?? { coefficient, values: new Map<number, number>() };
        modes.set(key, mode);
        mode.values.set(k, (mode.values.get(k) ?? 0) + factor);
      }
    }),
  );
  return [...modes.values()];
}

/** A sum by terms, each a number times what is none. */
function termsOf(e: Expr): readonly (readonly [number, Expr])[] {
  if (e.kind !== 'sum') return [numberTimes(e)];
  const constant = rational(e.constant);
  return [
    ...(constant === zero ? [] : [[foldConstant(constant), one] as const]),
    ...e.terms.map(({ coefficient, term }) => numberTimes(times(rational(coefficient), term))),
  ];
}

function numberTimes(e: Expr): readonly [number, Expr] {
  if (isConstant(e)) return [foldConstant(e), one];
  if (e.kind !== 'product') return [1, e];
  const powers = e.factors.map(({ base, exponent }) => power(base, exponent));
  const number = times(rational(e.coefficient), ...powers.filter(isConstant));
  return [foldConstant(number), times(...powers.filter((own) => !isConstant(own)))];
}

/** Three states of one link, three of the next, … */
function samplesOf(
  type: BodyType,
  { axial, start, end }: RodVolume,
  symbols: CoordinateSymbols,
  parameters: readonly ParameterValues[],
): readonly StateSample[] {
  return parameters.flatMap((numbers) => {
    const [from, to] = evaluate([start, end], numbers) as [number, number];
    return new Orientation(type, undefined, numbers).configurations(CONFIGURATIONS).map((q, k) => {
      const sample = new Map<Expr, number>(numbers);
      sample.set(axial, from + PLACES[k % PLACES.length]! * (to - from));
      symbols.q.forEach((s, a) => sample.set(s, q[a]!));
      if (symbols.time) sample.set(symbols.time, 0.37 * k);
      return sample;
    });
  });
}
