/**
 * A body with a distal frame in closed form: one frame step moved by its coordinates, inertial terms from a `BodyModel`.
 */
import { minus, times, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import {
  composeFrames,
  dot,
  multiplyTransposed,
  multiplyVector,
  type Frame,
  type Vector3,
} from '../../symbolic/graph/vector.ts';
import type { BodyModel } from '../body/body-model.ts';
import type { BodyComposite, BodyPart, Carried } from '../body/body-part.ts';
import type { LinkCoordinate } from '../kernels/link-type.ts';
import type { Loop } from '../loops/loop.ts';
import type { InertiaKind } from '../equations/composite.ts';
import { MATRIX_ENTRIES, NameProposals, SYMMETRIC_ENTRIES, xyz } from '../equations/names.ts';
import {
  coasting,
  relativeMotion,
  spinMatrix,
  stepMotion,
  stepTravel,
  stepVelocity,
  type FrameStep,
  type Motion,
  type RelativeMotion,
  type Travel,
  type Wrench,
  wrenchEntries,
} from '../equations/recursion.ts';
import {
  backwardThroughStep,
  compositeWithStep,
  jacobianOfStep,
  nameDistalFrame,
  symbolsOf,
} from '../link/step-terms.ts';

/** A body at its place in a link. */
export interface ClosedBodyParts {
  /** Proximal → distal; coordinates are indices into the body's own. */
  readonly step: FrameStep;
  readonly model: BodyModel;
  readonly coordinates: readonly LinkCoordinate[];
  /** Stands for the time when the body depends on it. */
  readonly time?: SymbolExpr | undefined;
}

export class ClosedPart implements BodyPart {
  readonly method: string;
  readonly bodyWrenchSize: number;
  readonly step: FrameStep;
  private readonly model: BodyModel;
  private readonly parts: ClosedBodyParts;
  private readonly relative: RelativeMotion;
  private readonly proposals = new NameProposals();
  private readonly known = new NameProposals();

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
    return this.model.loops?.() ?? [];
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
    const wrench = wrenchEntries(direct ?? this.model.wrench(motion, spin));
    this.proposals.add(wrench, [...xyz('force'), ...xyz('moment')]);
    const own = stepMotion(this.step, this.relative, motion, spin);
    const { rotation } = this.step.frame;
    this.known.add(multiplyVector(rotation, own.angularAcceleration), xyz('alpha_distal'));
    this.known.add(multiplyVector(rotation, own.acceleration), xyz('a_distal'));
    return { own, wrench, loops: [] };
  }

  weigh(acceleration: Vector3): Carried<Vector3> {
    return {
      own: multiplyTransposed(this.step.frame.rotation, acceleration),
      wrench: wrenchEntries(this.model.weight(acceleration)),
      loops: [],
    };
  }

  backward(
    distal: Wrench,
    bodyWrench: readonly Expr[] | null,
  ): { readonly wrench: Wrench; readonly generalized: readonly Expr[] } {
    const { rotation } = this.step.frame;
    this.known.add(multiplyVector(rotation, distal.force), xyz('force_from_distal'));
    this.known.add(multiplyVector(rotation, distal.moment), xyz('moment_from_distal'));
    return backwardThroughStep(this.step, this.parts.coordinates.length, distal, bodyWrench);
  }

  composite<I>(kind: InertiaKind<I>, distal: I): BodyComposite<I> {
    return compositeWithStep(kind, this.step, this.model.moments, this.model.unitWrenches, distal);
  }

  pose(proximal: Frame): Frame {
    return composeFrames(proximal, this.step.frame);
  }

  jacobian(proximal: Frame): ReturnType<BodyPart['jacobian']> {
    return jacobianOfStep(this.step, this.parts.coordinates.length, proximal);
  }

  drift(): ReturnType<BodyPart['drift']> {
    const { step, coordinates, time } = this.parts;
    return { frame: step.frame, relative: relativeMotion(step, coasting(symbolsOf(coordinates, time))) };
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

  names(): ReadonlyMap<Expr, string> {
    return this.proposals.names;
  }

  quantities(): ReadonlyMap<Expr, string> {
    return new Map([...this.known.names, ...(this.model.quantities?.() ?? [])]);
  }
}
