/**
 * The recursion run over a tree of frames: the equations of `kane/equations/recursion.ts`, traced through the whole robot.
 */
import {
  FROZEN,
  joinBody,
  joinComposites,
  MassMatrix,
  stepComposite,
  type Composite,
  type InertiaKind,
} from '../../kane/equations/composite.ts';
import {
  backwardStep,
  addBodyWrenches,
  addMassMoments,
  addWrenches,
  relativeMotion,
  rigidWrench,
  spinMatrix,
  stepMotion,
  stepVelocity,
  type BodyWrench,
  type MassMoments,
  type Motion,
  type RelativeMotion,
  type Wrench,
} from '../../kane/equations/recursion.ts';
import { SYMMETRIC_ENTRIES } from '../../kane/equations/names.ts';
import { plus, times, zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { cross, scaleVector, zeroVector, type Matrix3, type Vector3 } from '../../symbolic/graph/vector.ts';
import type { FrameNode, FrameTree } from '../mechanism/frame-tree.ts';
import { IMMERSED, unitWrenches, waterWrenches, type ImmersedInertia, type WaterEffects } from './in-water.ts';

const NO_WRENCH: Wrench = { force: zeroVector, moment: zeroVector };

/** Motion of every frame, in its own axes. */
export interface TracedMotion {
  readonly relative: readonly RelativeMotion[];
  readonly motions: readonly Motion[];
  readonly spins: readonly Matrix3[];
}

/** @param baseAcceleration −gravity, in axes of the base frame. */
export function traceMotion(tree: FrameTree, baseAcceleration: Vector3): TracedMotion {
  const base: Motion = { angularVelocity: zeroVector, angularAcceleration: zeroVector, acceleration: baseAcceleration };
  const baseSpin = spinMatrix(base);
  const relative: RelativeMotion[] = [];
  const motions: Motion[] = [];
  const spins: Matrix3[] = [];
  for (const node of tree.nodes) {
    tree.checkpoint();
    const own = relativeMotion(node.step, tree.symbols);
    const motion = stepMotion(
      node.step,
      own,
      node.parent < 0 ? base : motions[node.parent]!,
      node.parent < 0 ? baseSpin : spins[node.parent]!,
    );
    relative.push(own);
    motions.push(motion);
    spins.push(spinMatrix(motion));
  }
  return { relative, motions, spins };
}

/** What accelerates the masses fixed to a frame. */
export function nodeWrench(node: FrameNode, motion: Motion, spin: Matrix3): BodyWrench {
  const rigid = node.moments ? rigidWrench(node.moments, motion, spin) : NO_WRENCH;
  if (!node.body) return { ...rigid, generalized: [] };
  const own = node.body.wrench(motion, spin);
  return { ...addWrenches(own, rigid), generalized: own.generalized };
}

/** Names for what the recursion computes, by quantity, axis and link. */
export type Names = Map<Expr, string>;

/** τ = M q̈ + c + g, one per coordinate of the robot; on demand with drag and buoyancy. */
export function inverseDynamics(
  tree: FrameTree,
  baseAcceleration: Vector3,
  names?: Names,
  effects: WaterEffects = 'added mass',
): Expr[] {
  const traced = traceMotion(tree, baseAcceleration);
  const { motions, spins } = traced;
  const wrenches = takenWrenches(tree, traced, baseAcceleration, effects);
  if (names) nameMotions(tree, motions, spins, names);
  const { armature, symbols } = tree;
  return backward(tree, wrenches, names).map((force, a) => plus(force, times(armature[a]!, symbols.qdd[a]!)));
}

/** What masses and water take at every frame. */
export function takenWrenches(
  tree: FrameTree,
  traced: TracedMotion,
  baseAcceleration: Vector3,
  effects: WaterEffects,
): readonly BodyWrench[] {
  const ofWater = waterWrenches(tree, traced, baseAcceleration, effects);
  return tree.nodes.map((node, i) => {
    const own = nodeWrench(node, traced.motions[i]!, traced.spins[i]!);
    return ofWater[i] ? addBodyWrenches(own, ofWater[i]) : own;
  });
}

/** What water alone takes, one per coordinate of the robot. */
export function waterForces(tree: FrameTree, baseAcceleration: Vector3, effects: WaterEffects): readonly Expr[] {
  const traced = traceMotion(tree, baseAcceleration);
  const none = ({ bodyCoordinates }: FrameNode): BodyWrench => ({
    ...NO_WRENCH,
    generalized: bodyCoordinates.map(() => zero),
  });
  const ofWater = waterWrenches(tree, traced, baseAcceleration, effects);
  return backward(
    tree,
    tree.nodes.map((node, i) => ofWater[i] ?? none(node)),
  );
}

const AXES = ['x', 'y', 'z'];

/** The last frame of a link has its name, those before it are proximal ones. */
function frameNames({ nodes }: FrameTree): readonly string[] {
  const later = new Map<string, number>();
  for (const { name } of nodes) later.set(name, (later.get(name) ?? 0) + 1);
  return nodes.map(({ name }) => {
    const left = later.get(name)! - 1;
    later.set(name, left);
    return left === 0 ? name : `${name}_proximal${left === 1 ? '' : `_${left}`}`;
  });
}

function nameMotions(tree: FrameTree, motions: readonly Motion[], spins: readonly Matrix3[], names: Names): void {
  frameNames(tree).forEach((name, i) => {
    const motion = motions[i]!;
    nameVector(names, motion.angularVelocity, 'omega', name);
    nameVector(names, motion.angularAcceleration, 'alpha', name);
    nameVector(names, motion.acceleration, 'a', name);
    spins[i]!.forEach((e, k) => propose(names, e, `spin_${AXES[Math.floor(k / 3)]!}${AXES[k % 3]!}_${name}`));
  });
}

function nameVector(names: Names, v: Vector3, quantity: string, link: string): void {
  v.forEach((e, i) => propose(names, e, `${quantity}_${AXES[i]!}_${link}`));
}

/** The first name of a quantity stays: frames of one link follow one another from the base. */
function propose(names: Names, e: Expr, name: string): void {
  const isComposed = e.kind === 'sum' || e.kind === 'product';
  if (isComposed && !names.has(e)) names.set(e, name.replace(/[^A-Za-z0-9_]/g, '_'));
}

/** g: what holds the robot at rest. */
export function gravityForces(tree: FrameTree, baseAcceleration: Vector3): Expr[] {
  const accelerations: Vector3[] = [];
  const wrenches: BodyWrench[] = [];
  for (const node of tree.nodes) {
    const before = node.parent < 0 ? baseAcceleration : accelerations[node.parent]!;
    const a = stepVelocity(node.step, AT_REST, before);
    accelerations.push(a);
    wrenches.push(nodeWeight(node, a));
  }
  return backward(tree, wrenches);
}

const AT_REST: RelativeMotion = {
  angularVelocity: zeroVector,
  velocity: zeroVector,
  angularAcceleration: zeroVector,
  acceleration: zeroVector,
};

function nodeWeight({ moments, body }: FrameNode, a: Vector3): BodyWrench {
  const rigid: Wrench = moments ? { force: scaleVector(moments.mass, a), moment: cross(moments.first, a) } : NO_WRENCH;
  if (!body) return { ...rigid, generalized: [] };
  const own = body.weight(a);
  return { ...addWrenches(own, rigid), generalized: own.generalized };
}

/** Wrenches of every frame carried to the base, projected on the coordinates they pass. */
function backward(tree: FrameTree, wrenches: readonly BodyWrench[], names?: Names): Expr[] {
  const forces: Expr[] = tree.symbols.q.map(() => zero);
  const total: Wrench[] = wrenches.map(({ force, moment }) => ({ force, moment }));
  const frames = frameNames(tree);
  for (let i = tree.nodes.length - 1; i >= 0; i--) {
    tree.checkpoint();
    const node = tree.nodes[i]!;
    node.bodyCoordinates.forEach((a, k) => (forces[a] = plus(forces[a]!, wrenches[i]!.generalized[k]!)));
    if (names) {
      nameVector(names, total[i]!.force, 'force', frames[i]!);
      nameVector(names, total[i]!.moment, 'moment', frames[i]!);
    }
    const wrench = backwardStep(node.step, total[i]!, forces);
    if (node.parent >= 0) total[node.parent] = addWrenches(total[node.parent]!, wrench);
  }
  return forces;
}

/** n × n, by composite bodies; entry (a, b) by rows. */
export function massMatrix(tree: FrameTree, names?: Names): readonly (readonly Expr[])[] {
  return tree.nodes.some(({ water }) => water?.addedMass)
    ? composed(tree, IMMERSED, ownImmersed, ({ frozen }) => frozen, names)
    : composed(tree, FROZEN, ownMoments, (moments) => moments, names);
}

function composed<I>(
  tree: FrameTree,
  kind: InertiaKind<I>,
  own: (node: FrameNode) => I | undefined,
  frozen: (inertia: I) => MassMoments | undefined,
  names: Names | undefined,
): readonly (readonly Expr[])[] {
  const { nodes, symbols } = tree;
  const M = new MassMatrix(symbols.q.length);
  tree.armature.forEach((value, a) => M.take({ a, b: a, value }));
  const frames = frameNames(tree);
  const composites = nodes.map((node): Composite<I> => ({ inertia: own(node), units: new Map() }));
  for (let i = nodes.length - 1; i >= 0; i--) {
    tree.checkpoint();
    const { parent, step, bodyCoordinates } = nodes[i]!;
    const fixed = { inertia: undefined, units: unitWrenches(nodes[i]!), coordinates: bodyCoordinates };
    const composite = joinBody(kind, composites[i]!, fixed, M.take);
    if (names) {
      const moments = composite.inertia && frozen(composite.inertia);
      nameComposite(names, { inertia: moments, units: composite.units }, frames[i]!, symbols.q);
    }
    const stepped = stepComposite(kind, step, composite, M.take);
    if (parent >= 0) composites[parent] = joinComposites(kind, composites[parent]!, stepped);
  }
  return M.rows;
}

function ownImmersed(node: FrameNode): ImmersedInertia | undefined {
  const [frozen, water] = [ownMoments(node), node.water?.addedMass?.inertia];
  return frozen || water ? { frozen, water } : undefined;
}

/** Inertia of all beyond a frame, and what a unit acceleration of each coordinate there takes. */
function nameComposite(
  names: Names,
  { inertia, units }: Composite<MassMoments>,
  node: string,
  coordinates: readonly SymbolExpr[],
): void {
  if (inertia) {
    nameVector(names, inertia.first, 'first_moment', node);
    inertia.inertia.forEach((e, k) => propose(names, e, `inertia_${SYMMETRIC_ENTRIES[k]!}_${node}`));
  }
  for (const [a, { force, moment }] of units) {
    nameVector(names, force, 'force', `${node}_per_${coordinates[a]!.name.replace(/^q\./, '')}_ddot`);
    nameVector(names, moment, 'moment', `${node}_per_${coordinates[a]!.name.replace(/^q\./, '')}_ddot`);
  }
}

function ownMoments({ moments, body }: FrameNode): MassMoments | undefined {
  if (moments && body) return addMassMoments(moments, body.moments);
  return moments ?? body?.moments;
}
