/**
 * A body with a distal frame in closed form: one frame step moved by its coordinates, inertial terms from a `BodyModel`.
 */
import { minus, plus, times, zero, type Expr, type SymbolExpr } from '../symbolic/expr.ts';
import { composeFrames, dot, multiplyTransposed, zeroVector, type Frame, type Vector3 } from '../symbolic/vector.ts';
import type { BodyModel } from './body-model.ts';
import type { BodyPart, Carried } from './body-part.ts';
import type { LinkCoordinate } from './link-type.ts';
import type { Loop } from './loop.ts';
import { MATRIX_ENTRIES, NameProposals, SYMMETRIC_ENTRIES, xyz } from './names.ts';
import {
  addMassMoments,
  addWrenches,
  jacobianColumns,
  project,
  relativeMotion,
  shiftToParent,
  spinMatrix,
  stepMassMoments,
  stepMotion,
  stepTravel,
  stepVelocity,
  stepWrench,
  unitWrench,
  type BodyWrench,
  type CoordinateSymbols,
  type FrameStep,
  type MassMoments,
  type Motion,
  type RelativeMotion,
  type Travel,
  type Wrench,
} from './recursion.ts';
import type { PassiveForces } from './rod-elasticity.ts';

/** A body at its place in a link. */
export interface ClosedBodyParts {
  /** Proximal → distal; coordinates are indices into the body's own. */
  readonly step: FrameStep;
  readonly model: BodyModel;
  readonly coordinates: readonly LinkCoordinate[];
  /** Stands for the time when the body depends on it. */
  readonly time?: SymbolExpr | undefined;
  /** Elasticity and damping; none when missing. */
  readonly passive?: PassiveForces;
}

export class ClosedPart implements BodyPart {
  readonly method: string;
  readonly bodyWrenchSize: number;
  private readonly step: FrameStep;
  private readonly model: BodyModel;
  private readonly parts: ClosedBodyParts;
  private readonly relative: RelativeMotion;
  private readonly proposals = new NameProposals();

  constructor(parts: ClosedBodyParts) {
    this.parts = parts;
    this.step = parts.step;
    this.model = parts.model;
    this.method = parts.model.method;
    this.bodyWrenchSize = 6 + parts.coordinates.length;
    this.relative = relativeMotion(parts.step, symbolsOf(parts.coordinates, parts.time));
    this.nameConstituents();
  }

  private nameConstituents(): void {
    const { step, coordinates } = this.parts;
    const { proposals } = this;
    nameDistalFrame(step, coordinates, proposals);
    const { mass, first, inertia } = this.model.moments;
    proposals.add([mass], ['mass']);
    proposals.add(first, xyz('first_moment'));
    proposals.add(
      inertia,
      SYMMETRIC_ENTRIES.map((entry) => `inertia_${entry}`),
    );
  }

  loops(): readonly Loop[] {
    return [...(this.model.loops?.() ?? []), ...(this.parts.passive?.loops ?? [])];
  }

  velocity(angularVelocity: Vector3): Vector3 {
    return stepVelocity(this.step, this.relative, angularVelocity);
  }

  accelerate(motion: Motion, purpose: 'staged' | 'direct'): Carried<Motion> {
    const spin = spinMatrix(motion);
    this.proposals.add(
      spin,
      MATRIX_ENTRIES.map((entry) => `spin_${entry}`),
    );
    const direct = purpose === 'direct' ? this.model.directWrench?.(motion) : undefined;
    const wrench = flattenWrench(direct ?? this.model.wrench(motion, spin));
    this.proposals.add(wrench, [...xyz('force'), ...xyz('moment')]);
    return { own: stepMotion(this.step, this.relative, motion, spin), wrench, loops: [] };
  }

  weigh(acceleration: Vector3): Carried<Vector3> {
    return {
      own: multiplyTransposed(this.step.frame.rotation, acceleration),
      wrench: flattenWrench(this.model.weight(acceleration)),
      loops: [],
    };
  }

  backward(
    distal: Wrench,
    bodyWrench: readonly SymbolExpr[] | null,
  ): { readonly wrench: Wrench; readonly generalized: readonly Expr[] } {
    return backwardThroughStep(this.step, this.parts.coordinates.length, distal, bodyWrench);
  }

  composite(distal: MassMoments): ReturnType<BodyPart['composite']> {
    return compositeWithStep(this.step, this.model.moments, this.model.unitWrenches, distal);
  }

  pose(proximal: Frame): Frame {
    return composeFrames(proximal, this.step.frame);
  }

  jacobian(proximal: Frame): ReturnType<BodyPart['jacobian']> {
    return jacobianOfStep(this.step, this.parts.coordinates.length, proximal);
  }

  energy(travel: Travel): ReturnType<BodyPart['energy']> {
    const { model } = this;
    const { mass, first } = model.moments;
    return {
      own: stepTravel(this.step, this.relative, travel),
      kinetic: model.kineticEnergy(travel.angularVelocity, travel.velocity),
      potential: minus(times(mass, travel.potential), dot(travel.gravity, first)),
    };
  }

  elastic(): readonly Expr[] | null {
    return this.parts.passive?.elastic ?? null;
  }

  damping(): readonly Expr[] | null {
    return this.parts.passive?.damping ?? null;
  }

  names(): ReadonlyMap<Expr, string> {
    return this.proposals.names;
  }
}

export function symbolsOf(coordinates: readonly LinkCoordinate[], time: SymbolExpr | undefined): CoordinateSymbols {
  return {
    q: coordinates.map((c) => c.symbol),
    qd: coordinates.map((c) => c.rate),
    qdd: coordinates.map((c) => c.acceleration),
    ...(time && { time }),
  };
}

export function flattenWrench(w: BodyWrench): readonly Expr[] {
  return [...w.force, ...w.moment, ...w.generalized];
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
  bodyWrench: readonly SymbolExpr[] | null,
): { readonly wrench: Wrench; readonly generalized: readonly Expr[] } {
  const generalized: Expr[] = Array.from({ length: count }, () => zero);
  const through = stepWrench(step, distal);
  step.coordinates.forEach((index, i) => (generalized[index] = through.generalized[i]!));
  if (bodyWrench === null) return { wrench: through.wrench, generalized };
  const [force, moment] = [0, 3].map((from) => bodyWrench.slice(from, from + 3) as unknown as Vector3);
  return {
    wrench: addWrenches({ force: force!, moment: moment! }, through.wrench),
    generalized: generalized.map((value, a) => plus(value, bodyWrench[6 + a]!)),
  };
}

/** `composite` of a body with given moments and unit wrenches about the proximal frame. */
export function compositeWithStep(
  step: FrameStep,
  own: MassMoments,
  unitWrenches: readonly BodyWrench[],
  distal: MassMoments,
): ReturnType<BodyPart['composite']> {
  const block: Expr[][] = unitWrenches.map(() => unitWrenches.map(() => zero));
  const columns: Wrench[] = unitWrenches.map(() => ({ force: zeroVector, moment: zeroVector }));
  const add = (a: number, b: number, value: Expr): void => {
    block[a]![b] = plus(block[a]![b]!, value);
    if (a !== b) block[b]![a] = plus(block[b]![a]!, value);
  };
  const { atChild, atParent } = stepMassMoments(step, distal);
  step.coordinates.forEach((a, i) => {
    const wrench = unitWrench(step, i, atChild);
    step.coordinates.slice(i).forEach((b, j) => add(a, b, project(step, i + j, wrench)));
    columns[a] = shiftToParent(step, wrench);
  });
  unitWrenches.forEach((unit, a) => {
    unit.generalized.forEach((value, b) => b >= a && add(a, b, value));
    columns[a] = addWrenches(columns[a]!, unit);
  });
  return { moments: addMassMoments(atParent, own), block, columns };
}

export function jacobianOfStep(step: FrameStep, count: number, proximal: Frame): ReturnType<BodyPart['jacobian']> {
  const columns = Array.from({ length: count }, () => ({ angular: zeroVector, linear: zeroVector }));
  jacobianColumns(step, proximal).forEach((column, i) => (columns[step.coordinates[i]!] = column));
  return columns;
}
