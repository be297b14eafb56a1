/**
 * What bodies whose proximal and distal frames are one frame step apart have in common: their way back, their composite,
 * their Jacobian, whatever their inertial terms come from.
 */
import { plus, zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { zeroVector, type Frame } from '../../symbolic/graph/vector.ts';
import type { BodyComposite, BodyPart } from '../body/body-part.ts';
import type { LinkCoordinate } from '../kernels/link-type.ts';
import { MATRIX_ENTRIES, xyz, type NameProposals } from '../equations/names.ts';
import { joinBody, MassMatrix, stepComposite, type InertiaKind } from '../equations/composite.ts';
import {
  backwardStep,
  addWrenches,
  jacobianColumns,
  type BodyWrench,
  type CoordinateSymbols,
  type FrameStep,
  type MassMoments,
  type Wrench,
  wrenchFromEntries,
} from '../equations/recursion.ts';

export function symbolsOf(coordinates: readonly LinkCoordinate[], time?: SymbolExpr): CoordinateSymbols {
  return {
    q: coordinates.map((c) => c.symbol),
    qd: coordinates.map((c) => c.rate),
    qdd: coordinates.map((c) => c.acceleration),
    ...(time && { time }),
  };
}

export function nameDistalFrame(
  step: FrameStep,
  coordinates: readonly LinkCoordinate[],
  proposals: NameProposals,
): void {
  proposals.add(
    step.frame.rotation,
    MATRIX_ENTRIES.map((entry) => `distal_R_${entry}`),
  );
  proposals.add(step.frame.translation, xyz('distal_t'));
  step.coordinates.forEach((index, i) => {
    proposals.add(step.linear[i]!, xyz(`linear_${coordinates[index]!.name}`));
    proposals.add(step.angular[i]!, xyz(`angular_${coordinates[index]!.name}`));
  });
}

/** `backward` of a body whose bodyWrench is force, moment and π about the proximal frame. */
export function backwardThroughStep(
  step: FrameStep,
  count: number,
  distal: Wrench,
  bodyWrench: readonly Expr[] | null,
): { readonly wrench: Wrench; readonly generalized: readonly Expr[] } {
  const generalized: Expr[] = Array.from({ length: count }, () => zero);
  const through = backwardStep(step, distal, generalized);
  if (bodyWrench === null) return { wrench: through, generalized };
  const { generalized: own, ...wrench } = wrenchFromEntries(bodyWrench);
  return { wrench: addWrenches(wrench, through), generalized: generalized.map((value, a) => plus(value, own[a]!)) };
}

/** `composite` of a body with given moments and unit wrenches about the proximal frame. */
export function compositeWithStep<I>(
  kind: InertiaKind<I>,
  step: FrameStep,
  own: MassMoments,
  unitWrenches: readonly BodyWrench[],
  distal: I,
): BodyComposite<I> {
  const M = new MassMatrix(unitWrenches.length);
  const coordinates = unitWrenches.map((_, a) => a);
  const beyond = stepComposite(kind, step, { inertia: distal, units: new Map() }, M.take);
  const body = { inertia: kind.of(own), units: unitWrenches, coordinates };
  const { inertia, units } = joinBody(kind, beyond, body, M.take);
  return { inertia: inertia!, block: M.rows, columns: coordinates.map((a) => units.get(a)!) };
}

export function jacobianOfStep(step: FrameStep, count: number, proximal: Frame): ReturnType<BodyPart['jacobian']> {
  const columns = Array.from({ length: count }, () => ({ angular: zeroVector, linear: zeroVector }));
  jacobianColumns(step, proximal).forEach((column, i) => (columns[step.coordinates[i]!] = column));
  return columns;
}
