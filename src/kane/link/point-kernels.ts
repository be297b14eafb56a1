/**
 * Kernels of a frame within a body that something holds on to: where it is, how it moves, and what a wrench on it does. They go
 * from the distal frame of the parent through the joint and the body of a link, by the coordinates of that link. Of a material
 * point alone, the frame keeps the axes of the proximal frame of the body.
 */
import { plus, zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { composeFrames, frameEntries, type Frame, matrix3 } from '../../symbolic/graph/vector.ts';
import {
  accelerated,
  backwardStep,
  coasting,
  jacobianColumns,
  relativeMotion,
  stepMovingFrame,
  stepVelocity,
  type CoordinateSymbols,
  type FrameStep,
  type MovingFrame,
  type RelativeMotion,
  type Wrench,
} from '../equations/recursion.ts';
import { inputSymbols, motionEntries, vectorAt } from './link-parts.ts';
import type { Kernel, LinkCoordinate, LinkParameter, LinkType } from '../kernels/link-type.ts';
import type { FrameInBody } from '../body/moving-point.ts';
import type { Derivatives } from './link-builder.ts';
import { withAdjoints } from './adjoint.ts';
import { withTangents, withVariations } from './tangent.ts';

/** Everything about a frame that its kernels are made of; see `LinkParts`. */
export interface PointParts {
  readonly jointSteps: readonly FrameStep[];
  readonly within: FrameInBody;
  /** Also its Jacobian. */
  readonly isReported: boolean;
  readonly coordinates: readonly LinkCoordinate[];
  readonly bodyCoordinates: readonly number[];
  readonly time?: SymbolExpr;
  readonly parameters: readonly LinkParameter[];
}

/** @param derivatives also kernels of changes along a direction, and along parameters that change with run-time parameters. */
export function pointKernels(
  parts: PointParts,
  derivatives: Derivatives | undefined,
): Pick<LinkType, 'kernels' | 'loops' | 'inputs' | 'bodyWrenchSize'> {
  const { jointSteps, within, coordinates, bodyCoordinates, time } = parts;
  const none = { body: { bodyWrenchSize: 0 }, drives: [], actuations: [], forces: [] };
  const inputs = inputSymbols(
    { ...none, coordinates, bodyCoordinates, ...(time && { time }) },
    parts.parameters.map((p) => p.symbol),
  );
  const symbols: CoordinateSymbols = { q: inputs.q, qd: inputs.qd, qdd: inputs.qdd, ...(time && { time }) };
  const { frame, linear, angular, relative } = within;
  const ownStep: FrameStep = { frame, coordinates: bodyCoordinates, linear, angular };
  const steps = [...jointSteps, ownStep];

  const velocity = (): Kernel => {
    const carried = jointSteps.reduce(
      (w, step) => stepVelocity(step, relativeMotion(step, symbols), w),
      vectorAt(inputs.parentVelocity, 0),
    );
    const values = stepVelocity(ownStep, relative, carried);
    return { name: 'velocity', outputs: [{ buffer: 'ownVelocity', values }] };
  };
  const transmit = (): Kernel => {
    const generalized: Expr[] = symbols.q.map(() => zero);
    let wrench: Wrench = { force: vectorAt(inputs.appliedWrench, 0), moment: vectorAt(inputs.appliedWrench, 3) };
    for (const step of [...steps].reverse()) wrench = backwardStep(step, wrench, generalized);
    return {
      name: 'transmit',
      outputs: [
        { buffer: 'generalizedForce', values: generalized },
        { buffer: 'parentApplied', values: [...wrench.force, ...wrench.moment] },
      ],
    };
  };
  const parentPose = (): Frame => {
    const p = inputs.parentPose;
    return { rotation: matrix3(p.slice(0, 9)), translation: vectorAt(p, 9) };
  };
  const pose = (): Kernel => {
    const own = steps.reduce((carried, step) => composeFrames(carried, step.frame), parentPose());
    return { name: 'pose', outputs: [{ buffer: 'ownPose', values: frameEntries(own) }] };
  };
  const jacobian = (): Kernel => {
    const columns: Expr[][] = symbols.q.map(() => [zero, zero, zero, zero, zero, zero]);
    let carried = parentPose();
    for (const step of steps) {
      jacobianColumns(step, carried).forEach((column, i) => {
        const a = step.coordinates[i]!;
        columns[a] = [...column.angular, ...column.linear].map((e, k) => plus(columns[a]![k]!, e));
      });
      carried = composeFrames(carried, step.frame);
    }
    return { name: 'jacobian', outputs: [{ buffer: 'jacobianColumns', values: columns.flat() }] };
  };
  const moving = (by: CoordinateSymbols, own: RelativeMotion): readonly Expr[] => {
    const p = inputs.parentBiasMotion;
    let carried: MovingFrame = {
      angularVelocity: vectorAt(p, 0),
      velocity: vectorAt(p, 3),
      angularAcceleration: vectorAt(p, 6),
      acceleration: vectorAt(p, 9),
    };
    for (const step of jointSteps) carried = stepMovingFrame(step.frame, relativeMotion(step, by), carried);
    return motionEntries(stepMovingFrame(frame, own, carried));
  };
  const drift = (): Kernel => {
    const values = moving(coasting(symbols), relative);
    return { name: 'biasMotion', outputs: [{ buffer: 'ownBiasMotion', values }] };
  };
  const motion = (): Kernel => {
    const accelerations = bodyCoordinates.map((a) => symbols.qdd[a]!);
    const values = moving(symbols, accelerated(relative, within, accelerations));
    return { name: 'motion', outputs: [{ buffer: 'ownBiasMotion', values }] };
  };

  const ofMotions = derivatives?.ofMotions ? [motion()] : [];
  const changing = { kernels: [transmit(), pose(), ...ofMotions], loops: within.loops, inputs };
  const tangents = derivatives ? withTangents(changing) : changing;
  const varied = derivatives?.changing ? withVariations(changing, tangents, derivatives.changing) : tangents;
  const made = derivatives?.ofMotions ? withAdjoints(varied) : varied;
  const reported = parts.isReported ? [jacobian()] : [];
  return { ...made, kernels: [velocity(), ...made.kernels, ...reported, drift()], bodyWrenchSize: 0 };
}
