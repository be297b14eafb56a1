/**
 * Forward dynamics of a whole robot: coordinates eliminated one by one over its tree of frames (`kane/equations/elimination.ts`),
 * against what bodies need while coordinates do not accelerate.
 */
import { ARTICULATED, type ArticulatedInertia } from '../../kane/equations/articulated.ts';
import { joinBody, joinComposites, MassMatrix, stepComposite, type Composite } from '../../kane/equations/composite.ts';
import {
  eliminate,
  reduce,
  restore,
  splitStep,
  stepResponse,
  takeOff,
  type Pivot,
  type Response,
} from '../../kane/equations/elimination.ts';
import {
  addMassMoments,
  addWrenches,
  stepWrench,
  type FrameStep,
  type Wrench,
} from '../../kane/equations/recursion.ts';
import { zero, type Expr } from '../../symbolic/graph/expr.ts';
import { substitute } from '../../symbolic/graph/traverse.ts';
import { zeroVector, type Vector3, vector3 } from '../../symbolic/graph/vector.ts';
import type { FrameNode, FrameTree } from '../mechanism/frame-tree.ts';
import type { Elimination } from './dense-solution.ts';
import { unitWrenches } from './in-water.ts';
import { takenWrenches, traceMotion } from './trace.ts';

/** A node on the way to the base: its body, then the motion of its coordinates, then the way to its parent. */
interface Station {
  readonly fixed: FrameStep;
  readonly moving: FrameStep;
  /** Coordinates that move nothing nearer to the base, at the frame itself and after its motion. */
  readonly withBody: readonly number[];
  readonly withStep: readonly number[];
}

interface NodePivots {
  readonly ofBody: readonly Pivot[];
  readonly ofStep: readonly Pivot[];
}

/**
 * q̈ of M q̈ + c + g = load, with what water takes on the left.
 * @param load generalized forces, springs and dampers taken off.
 * @param baseAcceleration −gravity, in axes of the base frame.
 * @param addend of M, n × n, row-major, symmetric, zero between coordinates of different links; nothing when missing.
 */
export function forwardDynamics(
  tree: FrameTree,
  baseAcceleration: Vector3,
  load: readonly Expr[],
  addend: readonly Expr[] = [],
): readonly Expr[] {
  const elimination = eliminated(tree, baseAcceleration, addend);
  return elimination.restore(elimination.reduceMoving(load));
}

/** The coordinates of a tree. */
export interface TreeElimination extends Elimination {
  /** The same as `reduce` of what is left of a load when bodies have taken what they need while no coordinate accelerates. */
  reduceMoving(load: readonly Expr[]): readonly Expr[];
}

/** See `forwardDynamics`. */
export function eliminated(
  tree: FrameTree,
  baseAcceleration: Vector3,
  addend: readonly Expr[] = [],
): TreeElimination {
  const stations = stationsOf(tree);
  const pivots = factorise(tree, stations, addend);
  const { nodes, symbols } = tree;
  const reduced = (load: readonly Expr[], wrenches: readonly TakenWrench[] | undefined): readonly Expr[] => {
    const residual = [...load];
    const quotients: Expr[] = symbols.q.map(() => zero);
    const total: Wrench[] = nodes.map((_, i) => wrenches?.[i] ?? { force: zeroVector, moment: zeroVector });
    for (let i = nodes.length - 1; i >= 0; i--) {
      tree.checkpoint();
      const { parent, bodyCoordinates } = nodes[i]!;
      const { moving, fixed } = stations[i]!;
      if (wrenches) takeOff(residual, bodyCoordinates, wrenches[i]!.generalized);
      let wrench = reduce(pivots[i]!.ofBody, total[i]!, residual, quotients);
      const moved = stepWrench(moving, wrench);
      takeOff(residual, moving.coordinates, moved.generalized);
      wrench = stepWrench(fixed, reduce(pivots[i]!.ofStep, moved.wrench, residual, quotients)).wrench;
      if (parent >= 0) total[parent] = addWrenches(total[parent]!, wrench);
    }
    return quotients;
  };
  const restored = (quotients: readonly Expr[]): readonly Expr[] => {
    const accelerations: Expr[] = symbols.q.map(() => zero);
    const responses: Response[] = [];
    nodes.forEach(({ parent }, i) => {
      tree.checkpoint();
      const { moving, fixed } = stations[i]!;
      const before = parent < 0 ? { angular: zeroVector, linear: zeroVector } : responses[parent]!;
      const turned = stepResponse(fixed, before, accelerations);
      restore(pivots[i]!.ofStep, turned, quotients, accelerations);
      const response = stepResponse(moving, turned, accelerations);
      restore(pivots[i]!.ofBody, response, quotients, accelerations);
      responses.push(response);
    });
    return accelerations;
  };
  const all = pivots.flatMap(({ ofBody, ofStep }) => [...ofBody, ...ofStep]);
  return {
    pivots: symbols.q.map((_, a) => all.find(({ coordinate }) => coordinate === a)!.pivot),
    reduce: (right) => reduced(right, undefined),
    reduceMoving: (load) => reduced(load, restingWrenches(tree, baseAcceleration)),
    restore: restored,
  };
}

/** Coordinates that move no mass, whatever the configuration, and have nothing of an addend. */
export function motionless(tree: FrameTree, addend: readonly Expr[] = []): readonly number[] {
  const pivots = factorise(tree, stationsOf(tree), addend).flatMap(({ ofBody, ofStep }) => [...ofBody, ...ofStep]);
  return tree.symbols.q.flatMap((_, a) => (pivots.some((p) => p.coordinate === a && p.pivot !== zero) ? [] : [a]));
}

function stationsOf({ nodes, symbols }: FrameTree): Station[] {
  const moves = (node: FrameNode, a: number): boolean => node.step.coordinates.includes(a);
  const nearest = symbols.q.map((_, a) => nodes.findIndex((n) => moves(n, a) || n.bodyCoordinates.includes(a)));
  return nodes.map((node, i) => ({
    ...splitStep(node.step, symbols.q),
    withBody: node.bodyCoordinates.filter((a) => nearest[a] === i && !moves(node, a)),
    withStep: node.step.coordinates.filter((a) => nearest[a] === i),
  }));
}

function factorise(
  { nodes, symbols, armature, checkpoint }: FrameTree,
  stations: readonly Station[],
  addend: readonly Expr[],
): NodePivots[] {
  const count = symbols.q.length;
  const M = new MassMatrix(count);
  armature.forEach((value, a) => M.take({ a, b: a, value }));
  addend.forEach((value, k) => {
    const [a, b] = [Math.floor(k / count), k % count];
    if (a <= b && value !== zero) M.take({ a, b, value });
  });
  const composites = nodes.map(({ moments, body, water }): Composite<ArticulatedInertia> => {
    const own = moments && body ? addMassMoments(moments, body.moments) : (moments ?? body?.moments);
    const [frozen, added] = [own && ARTICULATED.of(own), water?.addedMass?.inertia];
    return { inertia: frozen && added ? ARTICULATED.add(frozen, added) : (frozen ?? added), units: new Map() };
  });
  const found: NodePivots[] = [];
  for (let i = nodes.length - 1; i >= 0; i--) {
    checkpoint();
    const { parent, bodyCoordinates } = nodes[i]!;
    const { moving, fixed, withBody, withStep } = stations[i]!;
    const own = { inertia: undefined, units: unitWrenches(nodes[i]!), coordinates: bodyCoordinates };
    const ofBody = eliminate(joinBody(ARTICULATED, composites[i]!, own, M.take), M, withBody);
    const ofStep = eliminate(stepComposite(ARTICULATED, moving, ofBody.composite, M.take), M, withStep);
    const composite = stepComposite(ARTICULATED, fixed, ofStep.composite, M.take);
    if (parent >= 0) composites[parent] = joinComposites(ARTICULATED, composites[parent]!, composite);
    found[i] = { ofBody: ofBody.pivots, ofStep: ofStep.pivots };
  }
  return found;
}

type TakenWrench = Wrench & { readonly generalized: readonly Expr[] };

/** What masses and water of every frame need while no coordinate accelerates. */
function restingWrenches(
  tree: FrameTree,
  baseAcceleration: Vector3,
): readonly TakenWrench[] {
  const taken = takenWrenches(tree, traceMotion(tree, baseAcceleration), baseAcceleration, 'all');
  const atRest = new Map<Expr, Expr>(tree.symbols.qdd.map((s) => [s, zero]));
  return taken.map(({ force, moment, generalized }) => {
    const values = substitute([...force, ...moment, ...generalized], atRest);
    const vector = (from: number): Vector3 => vector3(values.slice(from, from + 3));
    return { force: vector(0), moment: vector(3), generalized: values.slice(6) };
  });
}
