/**
 * Forces along single coordinates of a joint, and forces of a body that are derivatives of its `potential:` and
 * `dissipation:`.
 */
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { divide, half, minus, plus, sqrt, square, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import type { BodyType, CoordinateForces } from '../../description/model/robot.ts';
import { simplest, type CoordinateSymbols } from '../equations/rates.ts';
import { forceMatrix, type ForceKind, type ForceTerm } from './force-terms.ts';

/**
 * Springs k (q − rest), and viscous and dry friction d q̇ + F q̇/√(q̇² + v²), one coordinate at a time.
 * @param forces one for each of the coordinates in `symbols`.
 */
export function jointForceTerms(forces: readonly CoordinateForces[], symbols: CoordinateSymbols): ForceTerm[] {
  const springs = forces.map(({ stiffness, rest }, i) => times(stiffness, minus(symbols.q[i]!, rest)));
  const viscous = forces.map(({ damping }, i) => times(damping, symbols.qd[i]!));
  const dry = forces.map(({ friction, slowness }, i) => {
    const rate = symbols.qd[i]!;
    if (friction === zero) return { force: zero, slope: zero };
    const speed = sqrt(plus(square(rate), square(slowness)));
    // As a product: what the rules of differentiation give cancels at speeds beyond v, in single precision to its last digits.
    const slope = times(divide(friction, speed), square(divide(slowness, speed)));
    return { force: times(friction, divide(rate, speed)), slope };
  });
  const stored = plus(
    ...forces.map(({ stiffness, rest }, i) => times(half, stiffness, square(minus(symbols.q[i]!, rest)))),
  );
  return [
    ...termUnlessZero('spring of the joint', 'elastic', springs, symbols.q, stored),
    ...termUnlessZero('viscous friction of the joint', 'damping', viscous, symbols.qd),
    ...termUnlessZero(
      'dry friction of the joint',
      'damping',
      dry.map(({ force }) => force),
      symbols.qd,
    ).map((term) => ({
      ...term,
      matrix: dry.flatMap(({ slope }, i) => dry.map((_, j) => (i === j ? slope : zero))),
    })),
  ];
}

/** +∂V/∂q and +∂R/∂q̇ of what the file writes about the coordinates of a body. */
export function energyTerms(
  { potential, dissipation }: Pick<BodyType, 'potential' | 'dissipation'>,
  symbols: CoordinateSymbols,
): ForceTerm[] {
  const gradient = (of: Expr | undefined, variables: readonly Expr[]): readonly Expr[] =>
    of ? variables.map((variable) => simplest(differentiateAll([of], variable)[0]!)) : [];
  return [
    ...termUnlessZero('potential of the coordinates', 'elastic', gradient(potential, symbols.q), symbols.q, potential),
    ...termUnlessZero('dissipation of the coordinates', 'damping', gradient(dissipation, symbols.qd), symbols.qd),
  ];
}

/** @param variables what the matrix has derivatives by. */
function termUnlessZero(
  name: string,
  kind: ForceKind,
  generalized: readonly Expr[],
  variables: readonly Expr[],
  energy?: Expr,
): ForceTerm[] {
  if (generalized.every((e) => e === zero)) return [];
  const matrix = forceMatrix(generalized, variables);
  return [{ name, kind, generalized, matrix, ...(energy && { energy }), loops: [] }];
}
