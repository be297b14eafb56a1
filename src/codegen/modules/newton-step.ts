/**
 * How the driver solves with the tangent of inverse dynamics, S dq = residual, and what that costs:
 *   through links   the coordinates of one link after the other are eliminated, in time proportional to the number of links; along
 *                   every number of a frame's motion the changes of its link are computed;
 *   as a matrix     a column for each coordinate, from its link on, and a dense LU: cheaper for few coordinates. Only where links
 *                   exchange all forces along the chain.
 */
import type { LinkFunctionName } from '../../kane/kernels/link-functions.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { freeSymbols } from '../../symbolic/graph/traverse.ts';
import { operationsInAll } from '../printing/cost-text.ts';
import { borderOf, OF_LOAD } from './border.ts';
import { linksOf, type InstanceModel, type LinkModel, type RobotModel } from './robot-model.ts';

/** ω, α and a of a frame; of robots in water also its velocity against the water, and gravity; of those in fields its pose. */
const [MOTION, IN_WATER, PLACEMENT] = [9, 6, 12];

/** Sizes of what the tangent of inverse dynamics is solved with: see runtime/elimination.ts. */
export interface Elimination {
  /** Numbers of the motion of a frame. */
  readonly motion: number;
  /** The first, and those of the border. */
  readonly rightHandSides: number;
  /** With those of a wrench of the caller. */
  readonly underLoad: number;
  /** Numbers of a link in `loads`, of a column of its own in `borne`. */
  readonly loads: number;
  readonly stride: number;
  /** Numbers of a link among the factors, and of each of its coordinates. */
  readonly factors: { readonly link: number; readonly coordinate: number };
}

export function eliminationOf(model: RobotModel): Elimination {
  const rightHandSides = 1 + (borderOf(model)?.columns ?? 0);
  const widest = Math.max(0, ...model.instances.map(({ link }) => link.type.coordinates.length));
  const motion = MOTION + (model.wet ? IN_WATER : 0) + (model.placed ? PLACEMENT : 0);
  const underLoad = rightHandSides + OF_LOAD;
  const factors = { link: motion * motion + 36, coordinate: widest + 13 + 2 * motion };
  return { motion, rightHandSides, underLoad, loads: 6 * motion, stride: widest + 6, factors };
}

/**
 * Numbers of the motion of its parent (ω, in fields the pose, α, a) whose changes a link does not see: others are all that its parents
 * have.
 */
export function idleNumbers({ type }: LinkModel, { placed }: RobotModel, motions: number): number[] {
  const kernel = type.kernels.find(({ name }) => name === 'forwardTangent');
  if (!kernel || type.loops.length > 0) return [];
  const used = new Set<Expr>(freeSymbols(kernel.outputs.flatMap(({ values }) => [...values])));
  const { parentVelocityTangent, parentAccelerationTangent, parentLinearVelocityInWaterTangent } = type.inputs;
  const all = [
    ...parentVelocityTangent,
    ...(placed ? type.inputs.parentPlacementTangent : []),
    ...parentAccelerationTangent,
    ...parentLinearVelocityInWaterTangent,
  ].slice(0, motions);
  return all.flatMap((s, k) => (used.has(s) ? [] : [k]));
}

/** Numbers of the wrench at its own frame of whose changes the forces of a link do not know. */
export function idleWrenches({ type }: LinkModel): number[] {
  const kernel = type.kernels.find(({ name }) => name === 'backwardTangent');
  if (!kernel || type.loops.length > 0) return [];
  const used = new Set<Expr>(freeSymbols(kernel.outputs.flatMap(({ values }) => [...values])));
  return type.inputs.distalWrenchTangent.flatMap((s, k) => (used.has(s) ? [] : [k]));
}

/** Is the tangent formed as a matrix? */
export function formsTangent(model: RobotModel): boolean {
  if (!model.derivatives || borderOf(model)) return false;
  const [matrix, links] = [byMatrix(model), throughLinks(model)];
  return matrix.kernels + matrix.elimination < links.kernels + links.elimination;
}

/** Operations of links in a step of Newton's method, from an acceleration on; those of the elimination come on top. */
export function newtonStepOperations(model: RobotModel): number {
  return (formsTangent(model) ? byMatrix(model) : throughLinks(model)).kernels;
}

/** Operations of links, and of the elimination between them with a right-hand side. */
interface StepOperations {
  readonly kernels: number;
  readonly elimination: number;
}

function byMatrix(model: RobotModel): StepOperations {
  const n = model.robot.coordinates.length;
  const kernels = linksOf(model).map((instance) => {
    const movedBy = instance.first + instance.link.type.coordinates.length;
    return (
      movedBy * operationsOf(instance, 'forwardTangent', 'actuateTangent') +
      n * operationsOf(instance, 'backwardTangent')
    );
  });
  return { kernels: total(kernels) + operationsOfMotion(model), elimination: Math.ceil((2 * n ** 3) / 3) + 2 * n * n };
}

/** Eliminated are the rows of a link, from the wrench at its parent and from that which the motion of its own frame takes. */
function throughLinks(model: RobotModel): StepOperations {
  const { motion, rightHandSides: sides } = eliminationOf(model);
  const carrying = new Set(linksOf(model).map(({ parent }) => parent));
  const links = linksOf(model).map((instance, index) => {
    const count = instance.link.type.coordinates.length;
    const columns = count + motion - idleNumbers(instance.link, model, motion).length;
    const wrenches = carrying.has(index) ? 6 - idleWrenches(instance.link).length : 0;
    const moves = carrying.has(index) ? motion * (2 * (count + motion) - 1) : 0;
    const solve = count * (2 * count - 1) + 12 * (count + 6) + 2 * count * (6 + motion) + moves;
    return {
      kernels:
        columns * operationsOf(instance, 'forwardTangent', 'backwardTangent', 'actuateTangent') +
        wrenches * operationsOf(instance, 'transmit'),
      elimination: columns * 12 * motion + 2 * count * (count + 6) * motion + sides * solve,
    };
  });
  return {
    kernels: total(links.map(({ kernels }) => kernels)) + operationsOfMotion(model),
    elimination: total(links.map(({ elimination }) => elimination)),
  };
}

/** Of `linearise` and its way back. */
function operationsOfMotion(model: RobotModel): number {
  return total(
    linksOf(model).map((instance) => operationsOf(instance, 'accelerationForTangent', 'backwardForTangent')),
  );
}

function operationsOf({ link }: InstanceModel, ...names: readonly LinkFunctionName[]): number {
  const own = names.flatMap((name) => link.programOf(name) ?? []);
  return total(own.map(({ counts }) => operationsInAll(counts)));
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
