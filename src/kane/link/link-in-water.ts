/** The kernels of a link in water: what carries the motion against the water outwards, with what water does to the body. */
import { zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { addVectors, multiplyTransposed, scaleVector, zeroVector, type Vector3 } from '../../symbolic/graph/vector.ts';
import {
  stepMovingFrame,
  type BodyWrench,
  type FrameStep,
  type MovingFrame,
  type RelativeMotion,
} from '../equations/recursion.ts';
import type { BodyPart } from '../body/body-part.ts';
import { motionEntries, vectorAt as vector, type LinkParts } from './link-parts.ts';
import type { InputBuffer, Kernel } from './link-type.ts';
import { flattenWrench } from './step-terms.ts';
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
      { ...this.flowAtBody(), surge: this.surgeAtBody() },
      parts.bodyCoordinates.map((a) => inputs.qdd[a]!),
    );
  }

  /** Of the proximal frame of the body, as `parentFlow` has it of the parent. */
  private flowAtBody(): Pick<MotionInWater, 'drift' | 'gravity'> {
    const p = this.inputs.parentFlow;
    let drift: MovingFrame = {
      angularVelocity: vector(p, 0),
      velocity: vector(p, 3),
      angularAcceleration: zeroVector,
      acceleration: zeroVector,
    };
    let gravity = vector(p, 6);
    for (const step of this.parts.jointSteps) {
      drift = stepMovingFrame(step.frame, this.motionOf(step), drift);
      gravity = multiplyTransposed(step.frame.rotation, gravity);
    }
    return { drift, gravity };
  }

  private surgeAtBody(): MovingFrame {
    const p = this.inputs.parentSurge;
    let surge: MovingFrame = {
      angularVelocity: vector(p, 0),
      velocity: vector(p, 3),
      angularAcceleration: vector(p, 6),
      acceleration: vector(p, 9),
    };
    for (const step of this.parts.jointSteps) surge = stepMovingFrame(step.frame, this.motionOf(step), surge);
    return surge;
  }

  /** `flow` of the own frame. */
  private ownFlow(): readonly Expr[] {
    const { frame, relative } = this.drift();
    const { drift, gravity } = this.flowAtBody();
    const { angularVelocity, velocity } = stepMovingFrame(frame, relative, drift);
    return [...angularVelocity, ...velocity, ...multiplyTransposed(frame.rotation, gravity)];
  }

  flow(): Kernel {
    return {
      name: 'flow',
      outputs: [{ buffer: 'ownFlow', values: this.ownFlow() }, ...this.waterWrench(this.terms?.forces)],
    };
  }

  surge(): Kernel {
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
    const own = stepMovingFrame(frame, accelerated, this.surgeAtBody());
    return {
      name: 'surge',
      outputs: [{ buffer: 'ownSurge', values: motionEntries(own) }, ...this.waterWrench(this.terms?.addedMass?.wrench)],
    };
  }

  /** Zeros where water does nothing of the kind to the body. */
  private waterWrench(wrench: BodyWrench | undefined): Kernel['outputs'] {
    const { waterWrench } = this.inputs;
    if (waterWrench.length === 0) return [];
    return [{ buffer: 'waterWrench', values: wrench ? flattenWrench(wrench) : waterWrench.map(() => zero) }];
  }

  stir(): Kernel {
    const kinetic = this.terms?.addedMass?.kineticEnergy ?? zero;
    return {
      name: 'stir',
      outputs: [
        { buffer: 'ownFlow', values: this.ownFlow() },
        { buffer: 'energy', values: [kinetic, zero, zero] },
      ],
    };
  }
}
