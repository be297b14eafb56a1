/**
 * The kernels of a link in water or in fields: what carries the motion against the water, and the pose in the world, outwards, with
 * what surrounds the body does to it.
 */
import { zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import {
  addVectors,
  composeFrames,
  frameEntries,
  frameFromEntries,
  multiplyTransposed,
  scaleVector,
  zeroVector,
  type Vector3,
} from '../../symbolic/graph/vector.ts';
import {
  stepMovingFrame,
  type BodyWrench,
  type FrameStep,
  type MovingFrame,
  type RelativeMotion,
  wrenchEntries,
} from '../equations/recursion.ts';
import type { BodyPart } from '../body/body-part.ts';
import { motionEntries, vectorAt as vector, type LinkParts } from './link-parts.ts';
import type { InputBuffer, Kernel } from '../kernels/link-type.ts';
import type { MotionInWater, WaterTerms } from '../body/water-on-rod.ts';

export class LinkInWater {
  /** Of the water around the body, where there is some. */
  readonly terms: WaterTerms | undefined;
  private readonly parts: LinkParts;
  private readonly inputs: Record<InputBuffer, readonly SymbolExpr[]>;
  private readonly motionOf: (step: FrameStep) => RelativeMotion;
  private readonly drift: () => ReturnType<BodyPart['drift']>;

  /**
   * @param motionOf of a step of the joint.
   * @param drift of the body.
   */
  constructor(
    parts: LinkParts,
    inputs: Record<InputBuffer, readonly SymbolExpr[]>,
    motionOf: (step: FrameStep) => RelativeMotion,
    drift: () => ReturnType<BodyPart['drift']>,
  ) {
    this.parts = parts;
    this.inputs = inputs;
    this.motionOf = motionOf;
    this.drift = drift;
    this.terms = parts.water?.terms(
      { ...this.velocityAtBody(), accelerated: this.motionAtBody(), ...this.placementAtBody() },
      parts.bodyCoordinates.map((a) => inputs.qdd[a]!),
      parts.afloat?.differentiated ? this.togetherAtBody() : undefined,
    );
  }

  /** Of the proximal frame of the body, as `parentVelocityInWater` has it of the parent. */
  private velocityAtBody(): Pick<MotionInWater, 'drift' | 'gravity'> {
    const p = this.inputs.parentVelocityInWater;
    return this.biasAtBody(vector(p, 0), vector(p, 3), vector(p, 6));
  }

  /** Of the motion of the parent against the water, and gravity in its axes. */
  private biasAtBody(
    angularVelocity: Vector3,
    velocity: Vector3,
    gravityAtParent: Vector3,
  ): Pick<MotionInWater, 'drift' | 'gravity'> {
    let drift: MovingFrame = {
      angularVelocity,
      velocity,
      angularAcceleration: zeroVector,
      acceleration: zeroVector,
    };
    let gravity = gravityAtParent;
    for (const step of this.parts.jointSteps) {
      drift = stepMovingFrame(step.frame, this.motionOf(step), drift);
      gravity = multiplyTransposed(step.frame.rotation, gravity);
    }
    return { drift, gravity };
  }

  /** World pose of the proximal frame of the body, of robots in fields. */
  private placementAtBody(): Pick<MotionInWater, 'placement'> {
    if (!this.parts.afloat?.placed) return {};
    const parent = frameFromEntries(this.inputs.parentPlacement);
    return { placement: this.parts.jointSteps.reduce((pose, { frame }) => composeFrames(pose, frame), parent) };
  }

  /** `ownPlacement`, of robots in fields. */
  private ownPlacement(): Kernel['outputs'] {
    const { placement } = this.placementAtBody();
    if (!placement) return [];
    return [{ buffer: 'ownPlacement', values: frameEntries(composeFrames(placement, this.drift().frame)) }];
  }

  private motionAtBody(): MovingFrame {
    const p = this.inputs.parentMotionInWater;
    return this.accelerated({
      angularVelocity: vector(p, 0),
      velocity: vector(p, 3),
      angularAcceleration: vector(p, 6),
      acceleration: vector(p, 9),
    });
  }

  private accelerated(parent: MovingFrame): MovingFrame {
    return this.parts.jointSteps.reduce(
      (motion, step) => stepMovingFrame(step.frame, this.motionOf(step), motion),
      parent,
    );
  }

  /** Both from what inverse dynamics carries outwards, whose accelerations stand for gravity, too, and `parentLinearVelocityInWater`. */
  private togetherAtBody(): MotionInWater {
    const { parentVelocity, parentAcceleration, parentLinearVelocityInWater } = this.inputs;
    const [angularVelocity, velocity, gravity] = [
      vector(parentVelocity, 0),
      vector(parentLinearVelocityInWater, 0),
      vector(parentLinearVelocityInWater, 3),
    ];
    const accelerated = this.accelerated({
      angularVelocity,
      velocity,
      angularAcceleration: vector(parentAcceleration, 0),
      acceleration: addVectors(vector(parentAcceleration, 3), gravity),
    });
    return { ...this.biasAtBody(angularVelocity, velocity, gravity), accelerated, ...this.placementAtBody() };
  }

  /** ω, v and gravity of the own frame. */
  private beyond({ drift, gravity }: Pick<MotionInWater, 'drift' | 'gravity'>): readonly [Vector3, Vector3, Vector3] {
    const { frame, relative } = this.drift();
    const { angularVelocity, velocity } = stepMovingFrame(frame, relative, drift);
    return [angularVelocity, velocity, multiplyTransposed(frame.rotation, gravity)];
  }

  /** `velocityInWater` of the own frame. */
  private ownVelocityInWater(): readonly Expr[] {
    return this.beyond(this.velocityAtBody()).flat();
  }

  /**
   * What `acceleration` of the link has beside its own in water and fields: velocity of the own frame against the water and gravity, its
   * pose, and the whole fluid wrench.
   */
  besideAcceleration(): Kernel['outputs'] {
    return [...this.linearVelocity(), ...this.ownPlacement(), ...this.waterWrench(this.terms?.together)];
  }

  private linearVelocity(): Kernel['outputs'] {
    if (!this.parts.afloat?.wet) return [];
    const [, ...own] = this.beyond(this.togetherAtBody());
    return [{ buffer: 'ownLinearVelocityInWater', values: own.flat() }];
  }

  dragAndBuoyancy(): Kernel {
    return {
      name: 'dragAndBuoyancy',
      outputs: [
        ...(this.parts.afloat?.wet
          ? [{ buffer: 'ownVelocityInWater' as const, values: this.ownVelocityInWater() }]
          : []),
        ...this.ownPlacement(),
        ...this.waterWrench(this.terms?.forces),
      ],
    };
  }

  /** Of links that meet obstacles. */
  contacts(): readonly Kernel[] {
    const { pairs } = this.terms ?? {};
    return pairs ? [{ name: 'contacts', outputs: [{ buffer: 'contactPairs', values: pairs }] }] : [];
  }

  addedMassWrench(): Kernel {
    const { frame, relative } = this.drift();
    const { body, bodyCoordinates } = this.parts;
    const { angular, linear, coordinates } = body.step;
    const driven = (by: readonly Vector3[]): readonly Vector3[] =>
      by.map((v, i) => scaleVector(this.inputs.qdd[bodyCoordinates[coordinates[i]!]!]!, v));
    const accelerated = {
      ...relative,
      angularAcceleration: addVectors(relative.angularAcceleration, ...driven(angular)),
      acceleration: addVectors(relative.acceleration, ...driven(linear)),
    };
    const own = stepMovingFrame(frame, accelerated, this.motionAtBody());
    return {
      name: 'addedMassWrench',
      outputs: [
        { buffer: 'ownMotionInWater', values: motionEntries(own) },
        ...this.waterWrench(this.terms?.addedMass?.wrench),
      ],
    };
  }

  /** Zeros where water does nothing of the kind to the body. */
  private waterWrench(wrench: BodyWrench | undefined): Kernel['outputs'] {
    const { waterWrench } = this.inputs;
    if (waterWrench.length === 0) return [];
    return [{ buffer: 'waterWrench', values: wrench ? wrenchEntries(wrench) : waterWrench.map(() => zero) }];
  }

  addedMassEnergy(): Kernel {
    const kinetic = this.terms?.addedMass?.kineticEnergy ?? zero;
    return {
      name: 'addedMassEnergy',
      outputs: [
        { buffer: 'ownVelocityInWater', values: this.ownVelocityInWater() },
        { buffer: 'energy', values: [kinetic, zero, zero] },
      ],
    };
  }
}
