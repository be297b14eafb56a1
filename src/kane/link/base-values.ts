/** What the base hands to the links on it, as far as the robot says it, and what it reads of what they hand to it: all else is zero, or is not computed. */
import type { Robot } from '../../description/model/robot.ts';
import { directionalDerivative } from '../../symbolic/graph/differentiate.ts';
import { symbol, zero, type Expr } from '../../symbolic/graph/expr.ts';
import type { Vector3 } from '../../symbolic/graph/vector.ts';
import { baseMotions } from '../equations/ends.ts';
import { STREAM } from './buffers.ts';
import type { BaseNeeds, BaseValues } from './specialise.ts';

type Base = Pick<Robot, 'base' | 'current' | 'parameters'>;

/** Gravity is known at run time. */
export function baseValues({ base, current, parameters }: Base): BaseValues {
  const gravity = ['x', 'y', 'z'].map((axis) => symbol(`gravity_${axis}`)) as unknown as Vector3;
  const { velocity, acceleration, weight, still, travel, rest, flow, surge, immersed } = baseMotions(
    base,
    gravity,
    current,
  );
  const along = new Map<Expr, Expr>(parameters.map((p) => [p.symbol, symbol(`change of ${p.name}`)]));
  return {
    parentVelocity: velocity,
    parentVelocityTangent: directionalDerivative(velocity, along),
    parentAcceleration: acceleration,
    parentAccelerationTangent: directionalDerivative(acceleration, along),
    parentGravity: weight,
    parentDrift: still,
    parentTravel: travel,
    parentResponse: rest,
    parentFlow: flow,
    parentSurge: surge,
    parentStream: immersed.slice(STREAM.from),
    parentStreamTangent: directionalDerivative(immersed.slice(STREAM.from), along),
  };
}

/** Gradients by run-time parameters read derivatives by those entries of the motion of the base that depend on them. */
export function baseNeeds(robot: Base): BaseNeeds {
  const { parentAccelerationTangent, parentStreamTangent } = baseValues(robot);
  const changing = (values: readonly Expr[]): number[] => [...values.keys()].filter((i) => values[i] !== zero);
  return {
    parentVelocityAdjoint: [],
    parentAccelerationAdjoint: changing(parentAccelerationTangent),
    parentStreamAdjoint: changing(parentStreamTangent),
    parentWrench: [],
    parentWrenchTangent: [],
    parentApplied: [],
    parentAppliedTangent: [],
    parentComposite: [],
    parentArticulated: [],
  };
}
