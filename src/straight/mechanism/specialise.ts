/**
 * Bodies compiled for a type made those of one link of a robot: parameters replaced by their values, coordinates by the
 * robot's. The model of the body stays the same function of the motion of its proximal frame.
 */
import type { BodyType } from '../../description/model/robot.ts';
import type { BodyModel } from '../../kane/body/body-model.ts';
import type { BodyWrench, CoordinateSymbols, FrameStep, Motion } from '../../kane/equations/recursion.ts';
import { symbol, type Expr } from '../../symbolic/graph/expr.ts';
import { substitute } from '../../symbolic/graph/traverse.ts';
import {
  mapMatrix,
  mapVector,
  type Matrix3,
  type Vector3,
  vector3,
  matrix3,
  symmetric3,
} from '../../symbolic/graph/vector.ts';

type Bindings = ReadonlyMap<Expr, Expr>;

/**
 * What stands for the symbols of a body type in one link of a robot.
 * @param values of the type's parameters.
 * @param first index among the robot's coordinates of the first of the body's.
 */
export function bodyBindings(
  type: BodyType,
  values: readonly Expr[],
  own: CoordinateSymbols,
  robot: CoordinateSymbols,
  first: number,
): Bindings {
  const bindings = new Map<Expr, Expr>(type.parameters.map((p, i) => [p.symbol, values[i]!]));
  (['q', 'qd', 'qdd'] as const).forEach((set) => own[set].forEach((s, i) => bindings.set(s, robot[set][first + i]!)));
  return bindings;
}

export function specialiseStep(step: FrameStep, bindings: Bindings): FrameStep {
  const of = (e: Expr): Expr => substitute([e], bindings)[0]!;
  return {
    frame: { rotation: mapMatrix(step.frame.rotation, of), translation: mapVector(step.frame.translation, of) },
    coordinates: step.coordinates,
    linear: step.linear.map((v) => mapVector(v, of)),
    angular: step.angular.map((v) => mapVector(v, of)),
    ...(step.bias && { bias: { linear: mapVector(step.bias.linear, of), angular: mapVector(step.bias.angular, of) } }),
  };
}

const AXES = ['x', 'y', 'z'];
const stems = (stem: string): Vector3 => vector3(AXES.map((axis) => symbol(`place.${stem}_${axis}`)));
const motionSymbols: Motion = {
  angularVelocity: stems('omega'),
  angularAcceleration: stems('alpha'),
  acceleration: stems('a'),
};
const velocitySymbols = stems('v');
const spinSymbols = matrix3(AXES.flatMap((row) => AXES.map((column) => symbol(`place.U_${row}${column}`))));

/** The body's terms are formed once over stand-ins for the motion, then the motion takes their place. */
export function specialiseModel(model: BodyModel, bindings: Bindings): BodyModel {
  const bind = (values: readonly Expr[], more: Bindings = new Map()): Expr[] =>
    substitute(values, new Map([...bindings, ...more]));
  const vector = (values: readonly Expr[], from = 0): Vector3 => vector3(values.slice(from, from + 3));
  const bindWrench = (w: BodyWrench, more?: Bindings): BodyWrench => {
    const values = bind([...w.force, ...w.moment, ...w.generalized], more);
    return { force: vector(values), moment: vector(values, 3), generalized: values.slice(6) };
  };
  const { mass, first, inertia } = model.moments;
  const template = model.wrench(motionSymbols, spinSymbols);
  return {
    method: model.method,
    moments: {
      mass: bind([mass])[0]!,
      first: vector(bind(first)),
      inertia: symmetric3(bind(inertia)),
    },
    wrench: (motion, spin) => bindWrench(template, motionBindings(motion, spin)),
    weight: (acceleration) =>
      bindWrench(model.weight(motionSymbols.acceleration), pairs(motionSymbols.acceleration, acceleration)),
    unitWrenches: model.unitWrenches.map((w) => bindWrench(w)),
    kineticEnergy: (angularVelocity, velocity) =>
      bind(
        [model.kineticEnergy(motionSymbols.angularVelocity, velocitySymbols)],
        new Map([...pairs(motionSymbols.angularVelocity, angularVelocity), ...pairs(velocitySymbols, velocity)]),
      )[0]!,
  };
}

function pairs(from: readonly Expr[], to: readonly Expr[]): Map<Expr, Expr> {
  return new Map(from.map((e, i) => [e, to[i]!]));
}

function motionBindings(motion: Motion, spin: Matrix3): Map<Expr, Expr> {
  return new Map([
    ...pairs(motionSymbols.angularVelocity, motion.angularVelocity),
    ...pairs(motionSymbols.angularAcceleration, motion.angularAcceleration),
    ...pairs(motionSymbols.acceleration, motion.acceleration),
    ...pairs(spinSymbols, spin),
  ]);
}
