/**
 * Refuses energies of coordinates (`potential:`, `dissipation:`) whose forces, or the slopes of these, have no finite value at
 * the default coordinates and at rest: nothing that is computed there would be a number.
 */
import type { BodyType } from '../../description/model/robot.ts';
import { KanegenError } from '../../common/error.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { zero, type Expr } from '../../symbolic/graph/expr.ts';
import type { CoordinateSymbols } from '../equations/rates.ts';
import { energyTerms } from './coordinate-forces.ts';

/** @throws KanegenError `not-finite` at the part of the formula that is to blame. */
export function requireFiniteEnergies(
  type: BodyType,
  symbols: CoordinateSymbols,
  parameters: ReadonlyMap<Expr, number>,
): void {
  const { potential, dissipation, provenance, locations } = type;
  const start = evaluate(
    type.coordinates.map((c) => c.value),
    parameters,
  );
  const here = new Map([
    ...parameters,
    ...symbols.q.map((q, i) => [q, start[i]!] as const),
    ...symbols.qd.map((rate) => [rate, 0] as const),
  ]);
  const areFinite = (formulas: readonly Expr[]): boolean => evaluate(formulas, here).every(Number.isFinite);
  const { q, qd } = symbols;
  for (const [key, formula, variables] of [
    ['potential', potential, q],
    ['dissipation', dissipation, qd],
  ] as const) {
    if (!formula) continue;
    const terms = energyTerms({ [key]: formula }, symbols);
    if (areFinite(terms.flatMap(({ generalized, matrix }) => [...generalized, ...matrix]))) continue;
    const isWrong = (e: Expr): boolean => {
      if (e.kind === 'compare' || e.kind === 'logic') return false;
      const first = slopes([e], variables);
      return !areFinite([e, ...first, ...slopes(first, variables)]);
    };
    const error = new KanegenError(
      'not-finite',
      `the forces of this ${key} are not finite at the default coordinates`,
      {
        remedy: 'write the formula without the pole, root or kink, or give the coordinate a default away from it',
      },
    );
    throw provenance.locate(error, provenance.culprit(formula, isWrong), locations.kinematics);
  }
}

function slopes(formulas: readonly Expr[], variables: readonly Expr[]): Expr[] {
  return variables.flatMap((variable) => differentiateAll(formulas, variable)).filter((d) => d !== zero);
}
