/** A rod given by its strain as a body: all that is the same whichever way its motions and wrenches are found. */
import type { Expr } from '../../symbolic/graph/expr.ts';
import {
  addVectors,
  composeFrames,
  cross,
  multiplyTransposed,
  zeroVector,
  type Frame,
  type Vector3,
} from '../../symbolic/graph/vector.ts';
import type { BodyComposite, BodyPart, Carried, SolvedTerms } from '../body/body-part.ts';
import type { SectionLine } from '../body/centreline.ts';
import type { InertiaKind } from '../equations/composite.ts';
import { xyz } from '../equations/names.ts';
import type { FrameStep, Motion, Travel, Wrench } from '../equations/recursion.ts';
import { compositeWithStep, jacobianOfStep } from '../link/step-terms.ts';
import type { Loop } from '../loops/loop.ts';
import { sectionsOf } from './rod-centreline.ts';
import { rodEnergy } from './rod-energy.ts';
import { vectorOf, type RodFrames } from './rod-frames.ts';
import { rodIntegrals, type RodIntegrals } from './rod-integrals.ts';
import { RodMotion } from './rod-motion.ts';

/** Entries of a wrench about the origin of the rod, in the axes that it starts in. */
export const WRENCH = [...xyz('force'), ...xyz('moment')];

export abstract class RodBody implements BodyPart {
  readonly method: string;
  abstract readonly bodyWrenchSize: number;
  protected readonly frames: RodFrames;
  protected readonly motion: RodMotion;
  private knownIntegrals: RodIntegrals | undefined;

  constructor(frames: RodFrames, method: string) {
    this.frames = frames;
    this.method = method;
    this.motion = new RodMotion(frames);
  }

  abstract velocity(angularVelocity: Vector3): Vector3;
  abstract accelerate(motion: Motion, purpose: 'staged' | 'direct'): Carried<Motion>;
  abstract weigh(acceleration: Vector3): Carried<Vector3>;
  abstract backward(distal: Wrench, bodyWrench: readonly Expr[] | null): ReturnType<BodyPart['backward']>;

  loops(): readonly Loop[] {
    return this.frames.loops.loops();
  }

  sections(): SectionLine {
    return sectionsOf(this.frames);
  }

  protected get integrals(): RodIntegrals {
    this.knownIntegrals ??= rodIntegrals(this.frames);
    return this.knownIntegrals;
  }

  /** A vector in the axes of the distal frame. */
  protected own(v: Vector3): Vector3 {
    return multiplyTransposed(this.frames.end.rotation, v);
  }

  protected ownMotion({ angularVelocity, angularAcceleration, acceleration }: Motion): Motion {
    return {
      angularVelocity: this.own(angularVelocity),
      angularAcceleration: this.own(angularAcceleration),
      acceleration: this.own(acceleration),
    };
  }

  /** Integrals along the rod, made when they are asked for: nothing else needs motions relative to the base. */
  drift(): ReturnType<BodyPart['drift']> {
    const { loops, row, end: frame } = this.frames;
    const { row: spin, end } = this.motion.angularVelocity(zeroVector);
    // v' = ω × R ν + R ν̇
    const { whole } = loops.integrate({
      name: 'drift_velocity',
      stage: 3,
      direction: 'from start',
      labels: xyz('v'),
      values: addVectors(cross(spin, row.tangent), this.motion.stretching()),
    });
    const { angularAcceleration, acceleration } = this.motion.drift();
    return { frame, relative: { angularVelocity: end, velocity: vectorOf(whole), angularAcceleration, acceleration } };
  }

  energy(travel: Travel): ReturnType<BodyPart['energy']> {
    return rodEnergy(this.frames, this.motion, travel);
  }

  composite<I>(kind: InertiaKind<I>, distal: I): BodyComposite<I> {
    const { moments, units } = this.integrals;
    return compositeWithStep(kind, this.step, moments, units, distal);
  }

  get solved(): SolvedTerms | undefined {
    return this.frames.solved;
  }

  get step(): FrameStep {
    return this.frames.wholeStep;
  }

  pose(proximal: Frame): Frame {
    return composeFrames(proximal, this.frames.end);
  }

  jacobian(proximal: Frame): ReturnType<BodyPart['jacobian']> {
    return jacobianOfStep(this.step, this.frames.coordinates.length, proximal);
  }

  names(): ReadonlyMap<Expr, string> {
    return new Map();
  }
}
