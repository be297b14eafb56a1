/**
 * The stress that a law has where nothing is deformed, ∂W/∂e at F = 1: pressure where it is the same in all directions, which
 * bodies feel whose volume changes, else a stress that all feel.
 */
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { KanegenError } from '../../common/error.ts';
import { integer, one, plus, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { substitute } from '../../symbolic/graph/traverse.ts';
import type { BodyType } from '../model/robot.ts';
import { STRAIN_MEASURES, type SolidMaterial } from '../model/material.ts';
import type { Place } from '../source/source.ts';
import { numberUnder } from '../values/requirement.ts';
import type { Caution } from './caution.ts';
import { changesVolume } from '../volumes/reference-shape.ts';

interface StressAtRest {
  readonly name: string;
  /** Along x, y and z, then xy, xz and yz; Pa, over the parameters of the type. */
  readonly entries: readonly Expr[];
  /** What they are sums of: ∂W by each measure, Pa. */
  readonly parts: readonly Expr[];
}

/** A stress below this share of the largest of its parts is rounding. */
const NOTHING = 1e-9;

const { I1, I2, J, tr_e, tr_U, tr_eps, ...others } = STRAIN_MEASURES;

/**
 * Of a law, said where a body feels its stress at rest.
 * @throws KanegenError `wrong-value` where the law has none.
 */
export function cautionOfStress(place: Place, solid: SolidMaterial): Caution {
  const stress = stressAtRest(place, solid);
  return { name: 'stress-at-rest', place, of: (type, values) => textOf(stress, type, values) };
}

/** What to say of an energy that cannot be differentiated at rest. @throws what is no message for the user. */
export function notSmoothAtRest(place: Place, error: unknown, which: 'derivative' | 'second derivative'): KanegenError {
  if (!(error instanceof KanegenError)) throw error;
  return place.error(
    'wrong-value',
    `this energy has no finite ${which} in the undeformed body (I1 = I2 = 3, J = 1)`,
    'write one that is smooth there, such as mu/2*(I1 - 3) - mu*log(J)',
  );
}

function stressAtRest(place: Place, { name, energy }: SolidMaterial): StressAtRest {
  const three = integer(3);
  const still = new Map<Expr, Expr>([
    ...Object.values(STRAIN_MEASURES).map((own): [Expr, Expr] => [own, zero]),
    [I1, three],
    [I2, three],
    [J, one],
    [tr_U, three],
  ]);
  const by = (measure: Expr): Expr => substitute(differentiateAll([energy], measure), still)[0]!;
  try {
    // dI1 = 2 tr de, dI2 = 4 tr de, dJ = d tr U = d tr ε = tr de; e : e and ε : ε are quadratic.
    const pressure = plus(times(integer(2), by(I1)), times(integer(4), by(I2)), by(J), by(tr_e), by(tr_U), by(tr_eps));
    const { e_xx, e_yy, e_zz, e_xy, e_xz, e_yz } = others;
    const normal = [e_xx, e_yy, e_zz].map((e) => plus(pressure, by(e)));
    const parts = Object.values(STRAIN_MEASURES).map(by);
    return { name, entries: [...normal, ...[e_xy, e_xz, e_yz].map(by)], parts };
  } catch (error) {
    throw notSmoothAtRest(place, error, 'derivative');
  }
}

function textOf(stress: StressAtRest, type: BodyType, values: ReadonlyMap<Expr, number>): string | undefined {
  const numbers = stress.entries.map((e) => numberUnder(e, values));
  const least = NOTHING * Math.max(...stress.parts.map((e) => Math.abs(numberUnder(e, values) ?? 0)));
  if (numbers.some((e) => e === undefined || !Number.isFinite(e))) return undefined;
  const [x, y, z, ...shear] = numbers as number[];
  const largest = Math.max(...(numbers as number[]).map(Math.abs));
  const isPressure = [y! - x!, z! - x!, ...shear].every((e) => Math.abs(e) <= least);
  if (largest <= least || (isPressure && !changesVolume(type, values))) return undefined;
  const what = stress.name === 'energy' ? 'this energy' : `\`${stress.name}\``;
  const why = isPressure
    ? `, and the volume of ${type.name} changes: it does not rest at its default coordinates; \`compressible-neo-hookean\` has no stress there`
    : `: ${type.name} does not rest at its default coordinates`;
  return `${what} has a stress of ${Number(largest.toPrecision(3))} Pa in the undeformed body${why}`;
}
