/**
 * Kernels of a material point that something holds on to: where it is, how it moves, and what a wrench on it does. They go
 * from the distal frame of the parent through the joint and the body of a link, by the coordinates of that link. The own
 * frame has its origin at the point and the axes of the proximal frame of the body.
 */
import { plus, zero, type Expr } from '../../symbolic/graph/expr.ts';
import {
  composeFrames,
  dot,
  cross,
  addVectors,
  frameEntries,
  identityFrame,
  zeroVector,
  type Frame,
} from '../../symbolic/graph/vector.ts';
import {
  backwardStep,
  coasting,
  relativeMotion,
  stepMovingFrame,
  stepVelocity,
  type CoordinateSymbols,
  type FrameStep,
  type MovingFrame,
  type Wrench,
} from '../equations/recursion.ts';
import { inputSymbols, motionEntries, vectorAt } from './link-parts.ts';
import type { Kernel, LinkCoordinate, LinkParameter, LinkType } from './link-type.ts';
import type { MovingPoint } from '../body/moving-point.ts';
import { withTangents } from './tangent.ts';

/** Everything about a point that its kernels are made of; see `LinkParts`. */
export interface PointParts {
  readonly jointSteps: readonly FrameStep[];
  readonly point: MovingPoint;
  readonly coordinates: readonly LinkCoordinate[];
  readonly bodyCoordinates: readonly number[];
  readonly parameters: readonly LinkParameter[];
}

/** @param derivatives also kernels of changes along a direction. */
export function pointKernels(
  parts: PointParts,
  derivatives: boolean,
): Pick<LinkType, 'kernels' | 'loops' | 'inputs' | 'bodyWrenchSize'> {
  const { jointSteps, point, coordinates, bodyCoordinates } = parts;
  const none = { body: { bodyWrenchSize: 0 }, drives: [], actuations: [], forces: [] };
  const inputs = inputSymbols(
    { ...none, coordinates, bodyCoordinates },
    parts.parameters.map((p) => p.symbol),
  );
  const symbols: CoordinateSymbols = { q: inputs.q, qd: inputs.qd, qdd: inputs.qdd };
  const own: Frame = { ...identityFrame, translation: point.position };

  const velocity = (): Kernel => {
    const values = jointSteps.reduce(
      (w, step) => stepVelocity(step, relativeMotion(step, symbols), w),
      vectorAt(inputs.parentVelocity, 0),
    );
    return { name: 'velocity', outputs: [{ buffer: 'ownVelocity', values }] };
  };
  const transmit = (): Kernel => {
    const generalized: Expr[] = symbols.q.map(() => zero);
    const [force, moment] = [vectorAt(inputs.appliedWrench, 0), vectorAt(inputs.appliedWrench, 3)];
    bodyCoordinates.forEach((a, i) => (generalized[a] = plus(generalized[a]!, dot(point.partials[i]!, force))));
    let wrench: Wrench = { force, moment: addVectors(moment, cross(point.position, force)) };
    for (const step of [...jointSteps].reverse()) wrench = backwardStep(step, wrench, generalized);
    return {
      name: 'transmit',
      outputs: [
        { buffer: 'generalizedForce', values: generalized },
        { buffer: 'parentApplied', values: [...wrench.force, ...wrench.moment] },
      ],
    };
  };
  const pose = (): Kernel => {
    const p = inputs.parentPose;
    let frame: Frame = { rotation: p.slice(0, 9) as unknown as Frame['rotation'], translation: vectorAt(p, 9) };
    for (const step of jointSteps) frame = composeFrames(frame, step.frame);
    return { name: 'pose', outputs: [{ buffer: 'ownPose', values: frameEntries(composeFrames(frame, own)) }] };
  };
  const drift = (): Kernel => {
    const p = inputs.parentDrift;
    let moving: MovingFrame = {
      angularVelocity: vectorAt(p, 0),
      velocity: vectorAt(p, 3),
      angularAcceleration: vectorAt(p, 6),
      acceleration: vectorAt(p, 9),
    };
    for (const step of jointSteps)
      moving = stepMovingFrame(step.frame, relativeMotion(step, coasting(symbols)), moving);
    const { velocity: speed, bias } = point;
    const still = { angularVelocity: zeroVector, angularAcceleration: zeroVector };
    const values = motionEntries(stepMovingFrame(own, { ...still, velocity: speed, acceleration: bias }, moving));
    return { name: 'drift', outputs: [{ buffer: 'ownDrift', values }] };
  };

  const changing = { kernels: [transmit(), pose()], loops: point.loops, inputs };
  const made = derivatives ? withTangents(changing) : changing;
  return { ...made, kernels: [velocity(), ...made.kernels, drift()], bodyWrenchSize: 0 };
}
