/**
 * Strain of the centreline of bodies whose points have positions and whose sections stay plane and rigid: with the
 * frame (d_1, d_2, d_3) of the section and its middle c, ν = (d_i · c') and κ = (d_3 · d_2', −d_3 · d_1', d_2 · d_1').
 * At rest the rod is straight, z along it.
 */
import type { Decimal } from 'decimal.js';
import { randomNumbers } from '../../common/random.ts';
import { KanegenError } from '../../common/error.ts';
import { decimalOfPrecision, evaluateDecimal } from '../../symbolic/evaluation/evaluate.ts';
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { negate, one, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { dependsOn, freeSymbols, substitute } from '../../symbolic/graph/traverse.ts';
import { cross, dot, zeroVector, type Vector3, vector3 } from '../../symbolic/graph/vector.ts';
import type { BodyType, StrainKinematics } from '../../description/model/robot.ts';
import type { RodVolume } from '../../description/model/reference-volume.ts';
import { numbersWithoutStructure, sectionFrame } from '../../description/model/section-frame.ts';
import { mayHaveKinks } from '../../symbolic/graph/kinks.ts';
import { regularPosition } from './point-kinematics.ts';
import type { ParameterValues } from './sample-configurations.ts';

/**
 * @param type of rods whose sections stay rigid, moved by one map.
 * @param parameters numbers at which the formulas make sense.
 * @returns the strain as it is given, or that of the centreline; components that do not vary along the rod without its
 *   axial coordinate.
 */
export function sectionStrain(type: BodyType, parameters: ParameterValues): StrainKinematics {
  const { kinematics } = type;
  if (kinematics.kind === 'strain') return kinematics;
  const rod = type.volumes[0] as RodVolume;
  const { centre, first, second } = sectionFrame(regularPosition(type), rod);
  const third = cross(first, second);
  const along = (v: Vector3): Vector3 => vector3(differentiateAll(v, rod.axial));
  const [rate, turnFirst, turnSecond] = [along(centre), along(first), along(second)];
  const written = [
    ...[dot(third, turnSecond), negate(dot(third, turnFirst)), dot(second, turnFirst)],
    ...[dot(first, rate), dot(second, rate), dot(third, rate)],
  ];
  const entries = written.map((e) => withoutPlace(e, rod, parameters));
  return {
    kind: 'strain',
    angular: vector3(entries.slice(0, 3)),
    linear: vector3(entries.slice(3)),
    rest: { angular: zeroVector, linear: [zero, zero, one] },
  };
}

const Wide = decimalOfPrecision(60);
/** Formulas that differ by less are the same. */
const NOTHING = 1e-30;
const TRIALS = 3;
/** Shares of the rod that are looked at. */
const PLACES = [0.2137, 0.7391] as const;

/**
 * The formula at the start of the rod where it has the same value everywhere: cos² + sin² and the like say so at numbers
 * without structure only, and at the start rotations are none.
 */
function withoutPlace(e: Expr, rod: RodVolume, parameters: ParameterValues): Expr {
  if (!dependsOn(e, new Set([rod.axial]))) return e;
  const trials = trialsAlong(e, rod, parameters);
  if (!isSameAlong(trials)) return e;
  for (const [value, known] of [
    [0, zero],
    [1, one],
  ] as const)
    if (trials.every(([a]) => isSame(a, new Wide(value)))) return known;
  return atStart([e], rod)?.[0] ?? e;
}

/**
 * Has this formula the same value all along the rod, whatever the coordinates and parameters? Unknown where there are
 * kinks: no.
 */
export function staysAlong(e: Expr, rod: RodVolume, parameters: ParameterValues): boolean {
  return !dependsOn(e, new Set([rod.axial])) || isSameAlong(trialsAlong(e, rod, parameters));
}

/** None where a formula has no value there. */
export function atStart(entries: readonly Expr[], { axial, start }: RodVolume): readonly Expr[] | undefined {
  try {
    return substitute(entries, new Map([[axial, start]]));
  } catch (error) {
    if (error instanceof KanegenError) return undefined;
    throw error;
  }
}

/** Values at two places, at numbers without structure; none where there are kinks. */
function trialsAlong(
  e: Expr,
  { axial, start, end }: RodVolume,
  parameters: ParameterValues,
): (readonly [Decimal, Decimal])[] {
  if (mayHaveKinks([e])) return [];
  const random = randomNumbers(3);
  const others = numbersWithoutStructure(parameters);
  return Array.from({ length: TRIALS }, () => {
    const bindings = new Map(
      freeSymbols([e, start, end]).map((s) => [s as Expr, new Wide((others.get(s) ?? 0.3) * (1 + random() / 7))]),
    );
    const [from, to] = evaluateDecimal([start, end], bindings, Wide);
    const at = (share: number): Decimal => {
      bindings.set(axial, from!.plus(to!.minus(from!).times(share)));
      return evaluateDecimal([e], bindings, Wide)[0]!;
    };
    return [at(PLACES[0]), at(PLACES[1])] as const;
  });
}

function isSame(a: Decimal, b: Decimal): boolean {
  return a.minus(b).abs().lt(a.abs().plus(1).times(NOTHING));
}

function isSameAlong(trials: readonly (readonly [Decimal, Decimal])[]): boolean {
  return trials.length > 0 && trials.every(([a, b]) => isSame(a, b));
}
