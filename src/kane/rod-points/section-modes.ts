/**
 * How the sections of a rod deform, ρ(X, s, q) = Σ_m β_m(X, s) b_m(s, q) in their own plane, with the mass of the section
 * weighed by the modes: ∫ β_m dm and ∫ β_m β_n dm per length. What is no such sum moves by points of the section, each with a
 * mode of its own that is one there and zero at the others.
 */
import { KanegenError } from '../../common/error.ts';
import type { StateSample } from '../../integration/rules/compress.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { one, plus, square, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
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
/** Points of a section, where modes are points. */
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
  if (!modes) return byPoints(type, position, symbols, integrals);
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

function byPoints(
  type: BodyType,
  position: readonly [Expr, Expr],
  symbols: CoordinateSymbols,
  integrals: SectionIntegrals,
): SectionModes {
  const partials = symbols.q.map((q) => differentiateAll(position, q)).filter((own) => own.some((e) => e !== zero));
  const lengths = [position, ...partials].map(([x, y]) => plus(square(x!), square(y!)));
  const products = partials.map((own) => plus(...own.map((e, i) => times(e, position[i]!))));
  const points = integrals.rule([one, ...position, ...partials.flat(), ...lengths, ...products]);
  if (points.length > MOST_POINTS)
    throw new KanegenError(
      'not-supported',
      `sections of \`${type.name}\` take ${points.length} points each, and at most ${MOST_POINTS} are supported, where their deformation is no sum of functions of the point times functions of the coordinates`,
      {
        remedy:
          'write `section-position` as such a sum, for example x*(1 + q*f(s)), or raise the `tolerance` of `integration`',
      },
    ).at(type.locations.kinematics);
  return {
    coefficients: points.map(({ place }) => {
      const [x, y] = substitute(position, place);
      return [x!, y!] as const;
    }),
    mass: plus(...points.map(({ mass }) => mass)),
    first: points.map(({ mass }) => mass),
    second: points.map(({ mass }, m) => points.map((_, n) => (m === n ? mass : zero))),
    description: `sections of ${points.length} points`,
  };
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
