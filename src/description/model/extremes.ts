/**
 * Numbers that have no double are found where constants are put together from many formulas: to blame is the largest or
 * smallest number that was written, where one is out of all proportion; else the formulas themselves.
 */
import { KanegenError } from '../../common/error.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { Rational } from '../../symbolic/graph/rational.ts';
import { postorder } from '../../symbolic/graph/traverse.ts';
import type { Provenance } from './provenance.ts';
import type { Robot } from './robot.ts';

/** Decimal orders of magnitude of numbers that no robot has, in SI units, but by mistake. */
const EXTREME = 20;

/**
 * The result of `work`; a constant that it finds to have no double is reported at the most extreme number of the robot.
 * @param formulas - where what `work` is about stands: to blame where all numbers are ordinary; the first link when missing.
 */
export function blamingExtremes<T>(robot: Robot, work: () => T, formulas = robot.links[0]!.location): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof KanegenError) || error.location || error.code !== 'not-finite') throw error;
    const found = mostExtreme(robot);
    throw found && found.size >= EXTREME
      ? found.provenance.locate(error, found.formula, robot.links[0]!.location)
      : error.at(formulas);
  }
}

/** Decimal orders of magnitude of the numbers in one node, at most; 0 without any. */
function orders(e: Expr): number {
  const numbers =
    e.kind === 'rational'
      ? [e.value]
      : e.kind === 'product'
        ? [e.coefficient]
        : e.kind === 'sum'
          ? [e.constant, ...e.terms.map((t) => t.coefficient)]
          : [];
  return Math.max(0, ...numbers.filter((value) => !Rational.isZero(value)).map((value) => Math.abs(logarithm(value))));
}

function logarithm({ numerator, denominator }: Rational): number {
  return digits(numerator) - digits(denominator);
}

function digits(value: bigint): number {
  return value.toString().replace('-', '').length;
}

function mostExtreme(
  robot: Robot,
): { readonly formula: Expr; readonly provenance: Provenance; readonly size: number } | undefined {
  const types = robot.links.flatMap(({ body }) => (body.kind === 'deformable' ? [body.type.provenance] : []));
  let found: { formula: Expr; provenance: Provenance; size: number } | undefined;
  for (const provenance of new Set([robot.provenance, ...types]))
    for (const formula of provenance.formulas) {
      const size = Math.max(...postorder([formula]).map(orders));
      if (!found || size > found.size) found = { formula, provenance, size };
    }
  return found;
}
