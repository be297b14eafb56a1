/**
 * ∂τ/∂q and ∂τ/∂q̇ by recursion over the tree of frames, in O(N · depth): no column is differentiated on its own.
 *
 * A coordinate changes two things about what lies beyond its step: the motion of the child frame, seen from that frame, and
 * the axes in which its wrench arrives. The wrench answers through the moments of the moving composite
 * (`moving-composite.ts`). So every step adds, per coordinate,
 *   – a column: the change of the wrench. On its way to the base every step it passes reads an entry above the diagonal.
 *   – a row: how the coordinate's own force answers to the motion of a frame before it, δτ = F·δa + N·β + D·δω. On its way
 *     to the base every step it passes applies its own changes of motion: the entries below the diagonal.
 * β = δα + ω × δω is the same for all frames that are carried along, and rows move as wrenches do:
 *   F ← R F,   N ← R N + t × F,   D ← R D + 2 (ω × t + v_r) × F.
 * Formulas: docs/mathematics.md, "Derivatives of inverse dynamics". The same theory in spatial vectors and world axes:
 * Carpentier and Mansard 2018; Singh, Russo and Wensing 2022.
 */
import {
  addWrenches,
  project,
  shiftToParent,
  spinMatrix,
  stepWrench,
  turnWrench,
  type FrameStep,
  type Motion,
  type RelativeMotion,
  type Wrench,
} from '../../kane/equations/recursion.ts';
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { plus, zero, type Expr } from '../../symbolic/graph/expr.ts';
import {
  addVectors,
  cross,
  dot,
  isZeroVector,
  multiplySymmetric,
  multiplyTransposed,
  multiplyVector,
  scaleVector,
  zeroVector,
  type Matrix3,
  type Vector3,
  vector3,
} from '../../symbolic/graph/vector.ts';
import { bodyDerivatives } from './body-derivatives.ts';
import type { FrameNode, FrameTree } from '../mechanism/frame-tree.ts';
import {
  addComposites,
  deformingComposite,
  inertiaOf,
  massless,
  respond,
  rigidComposite,
  stepComposite,
  twice,
  type MotionChange,
  type MovingComposite,
  type Row,
  type SteppedComposite,
} from './moving-composite.ts';
import { inverseDynamics, nodeWrench, traceMotion, waterForces, type TracedMotion } from './trace.ts';

export interface InverseDynamicsDerivatives {
  /** The forces, on which the derivatives build. */
  readonly torque: readonly Expr[];
  /** ∂τ_i/∂q_j by rows. */
  readonly byPosition: readonly (readonly Expr[])[];
  /** ∂τ_i/∂q̇_j by rows. */
  readonly byVelocity: readonly (readonly Expr[])[];
}

/** Changes of the wrench beyond a frame, about its origin and in its axes. */
interface Column {
  readonly byPosition: Wrench;
  readonly byVelocity: Wrench;
}

/** @param baseAcceleration −gravity, in axes of the base frame. */
export function inverseDynamicsDerivatives(tree: FrameTree, baseAcceleration: Vector3): InverseDynamicsDerivatives {
  // The recursion takes projectors for derivatives of frames, which sums along a rod are to its tolerance only.
  const isExact = tree.nodes.every(({ step }) => !step.bias);
  if (!isExact) return differentiated(tree, inverseDynamics(tree, baseAcceleration));
  const own = new Derivation(tree, baseAcceleration).run();
  if (!tree.nodes.some(({ water }) => water?.addedMass)) return own;
  const added = differentiated(tree, waterForces(tree, baseAcceleration, 'added mass'));
  const sum = (a: readonly Expr[], b: readonly Expr[]): Expr[] => a.map((e, i) => plus(e, b[i]!));
  return {
    torque: sum(own.torque, added.torque),
    byPosition: own.byPosition.map((row, a) => sum(row, added.byPosition[a]!)),
    byVelocity: own.byVelocity.map((row, a) => sum(row, added.byVelocity[a]!)),
  };
}

/** Of forces as they are computed, a column at a time. */
export function differentiated({ symbols }: FrameTree, torque: readonly Expr[]): InverseDynamicsDerivatives {
  const by = (variables: readonly Expr[]): Expr[][] => {
    const columns = variables.map((variable) => differentiateAll(torque, variable));
    return torque.map((_, a) => columns.map((column) => column[a]!));
  };
  return { torque, byPosition: by(symbols.q), byVelocity: by(symbols.qd) };
}

/** What is needed of a step to go from its child frame to its parent; all vectors in parent axes. */
interface Passage {
  readonly step: FrameStep;
  readonly relative: RelativeMotion;
  /** Index of the parent frame, −1: the base. */
  readonly parent: number;
  /** Of the parent. */
  readonly motion: Motion;
  readonly spin: Matrix3;
  /** Of all that lies beyond the step. */
  readonly composite: SteppedComposite;
  /** Of all that lies beyond the step, about the child's origin. */
  readonly wrench: Wrench;
}

class Derivation {
  private readonly tree: FrameTree;
  private readonly traced: TracedMotion;
  private readonly base: Motion;
  private readonly torque: Expr[];
  private readonly byPosition: Expr[][];
  private readonly byVelocity: Expr[][];
  private readonly wrenches: Wrench[] = [];
  private readonly composites: MovingComposite[] = [];
  private readonly columns: Map<number, Column>[];
  private readonly rows: Map<number, Row>[];

  constructor(tree: FrameTree, baseAcceleration: Vector3) {
    this.tree = tree;
    this.traced = traceMotion(tree, baseAcceleration);
    this.base = { angularVelocity: zeroVector, angularAcceleration: zeroVector, acceleration: baseAcceleration };
    const n = tree.symbols.q;
    this.torque = n.map(() => zero);
    this.byPosition = n.map(() => n.map(() => zero));
    this.byVelocity = n.map(() => n.map(() => zero));
    this.columns = tree.nodes.map(() => new Map<number, Column>());
    this.rows = tree.nodes.map(() => new Map<number, Row>());
  }

  run(): InverseDynamicsDerivatives {
    this.tree.nodes.forEach((node, i) => this.enter(node, i));
    for (let i = this.tree.nodes.length - 1; i >= 0; i--) this.leave(this.tree.nodes[i]!, i);
    return { torque: this.torque, byPosition: this.byPosition, byVelocity: this.byVelocity };
  }

  private add(matrix: Expr[][], row: number, column: number, value: Expr): void {
    matrix[row]![column] = plus(matrix[row]![column]!, value);
  }

  /** What is fixed to a frame. */
  private enter(node: FrameNode, i: number): void {
    const { symbols } = this.tree;
    const [motion, spin] = [this.traced.motions[i]!, this.traced.spins[i]!];
    const wrench = nodeWrench(node, motion, spin);
    this.wrenches.push(wrench);
    const rigid = node.moments ? rigidComposite(node.moments) : massless;
    if (!node.body) {
      this.composites.push(rigid);
      return;
    }
    this.composites.push(addComposites(rigid, deformingComposite(node.body, node.bodyCoordinates, symbols)));
    const own = bodyDerivatives(node.body, node.bodyCoordinates, symbols, motion, spin);
    node.bodyCoordinates.forEach((a, k) => {
      this.torque[a] = plus(this.torque[a]!, wrench.generalized[k]!);
      const [byPosition, byVelocity] = [own.byPosition[k]!, own.byVelocity[k]!];
      this.columns[i]!.set(a, { byPosition, byVelocity });
      this.rows[i]!.set(a, own.rows[k]!);
      node.bodyCoordinates.forEach((b, j) => {
        this.add(this.byPosition, b, a, byPosition.generalized[j]!);
        this.add(this.byVelocity, b, a, byVelocity.generalized[j]!);
      });
    });
  }

  /** From a frame to its parent. */
  private leave({ parent, step }: FrameNode, i: number): void {
    this.tree.checkpoint();
    const relative = this.traced.relative[i]!;
    const passage: Passage = {
      step,
      relative,
      parent,
      motion: parent < 0 ? this.base : this.traced.motions[parent]!,
      spin: parent < 0 ? spinMatrix(this.base) : this.traced.spins[parent]!,
      composite: stepComposite(step, relative, this.composites[i]!),
      wrench: turnWrench(step, this.wrenches[i]!),
    };
    const changes = step.coordinates.map((a, k) => this.changeOf(passage, a, k));
    this.passColumns(passage, i);
    this.passRows(passage, changes, i);
    const through = stepWrench(step, this.wrenches[i]!);
    step.coordinates.forEach((a, k) => {
      this.torque[a] = plus(this.torque[a]!, through.generalized[k]!);
      this.addColumn(passage, changes[k]!, a, k);
      this.collectRow(parent, a, rowAtParent(passage, ownRow(passage, k)));
    });
    if (parent < 0) return;
    this.wrenches[parent] = addWrenches(this.wrenches[parent]!, through.wrench);
    this.composites[parent] = addComposites(this.composites[parent]!, passage.composite.atParent);
  }

  private changeOf(passage: Passage, a: number, k: number): CoordinateChange {
    const { q, qd } = this.tree.symbols;
    return { byPosition: positionChange(passage, q[a]!, k), byVelocity: velocityChange(passage, qd[a]!, k) };
  }

  /** Columns of coordinates beyond the step give the entries above the diagonal. */
  private passColumns({ step, parent }: Passage, i: number): void {
    for (const [a, { byPosition, byVelocity }] of this.columns[i]!) {
      const position = stepWrench(step, byPosition);
      const velocity = stepWrench(step, byVelocity);
      step.coordinates.forEach((b, k) => {
        this.add(this.byPosition, b, a, position.generalized[k]!);
        this.add(this.byVelocity, b, a, velocity.generalized[k]!);
      });
      this.collectColumn(parent, a, { byPosition: position.wrench, byVelocity: velocity.wrench });
    }
  }

  /** Rows of coordinates beyond the step give the entries below the diagonal. */
  private passRows(passage: Passage, changes: readonly CoordinateChange[], i: number): void {
    const { step, parent } = passage;
    for (const [b, row] of this.rows[i]!) {
      const turned = turnRow(step, row);
      step.coordinates.forEach((a, k) => {
        this.add(this.byPosition, b, a, answer(turned, changes[k]!.byPosition));
        this.add(this.byVelocity, b, a, answer(turned, changes[k]!.byVelocity));
      });
      this.collectRow(parent, b, rowAtParent(passage, turned));
    }
  }

  /** The column of the step's k-th coordinate, and the block of the step's own coordinates. */
  private addColumn(
    { step, parent, motion, composite, wrench }: Passage,
    change: CoordinateChange,
    a: number,
    k: number,
  ): void {
    const [t, w] = [step.linear[k]!, step.angular[k]!];
    const response = respond(composite.atChild, motion.angularVelocity, change.byPosition);
    const position: Wrench = {
      force: addVectors(response.force, cross(w, wrench.force)),
      moment: addVectors(response.moment, cross(w, wrench.moment)),
    };
    const velocity = respond(composite.atChild, motion.angularVelocity, change.byVelocity);
    step.coordinates.forEach((b, j) => {
      const turning = projectorDerivative(step, j, this.tree.symbols.q[a]!, wrench);
      this.add(this.byPosition, b, a, plus(project(step, j, position), turning));
      this.add(this.byVelocity, b, a, project(step, j, velocity));
    });
    const shifted = shiftToParent(step, position);
    const displaced = { ...shifted, moment: addVectors(shifted.moment, cross(t, wrench.force)) };
    this.collectColumn(parent, a, { byPosition: displaced, byVelocity: shiftToParent(step, velocity) });
  }

  private collectColumn(node: number, a: number, column: Column): void {
    if (node < 0) return;
    const before = this.columns[node]!.get(a);
    this.columns[node]!.set(a, before ? addColumns(before, column) : column);
  }

  private collectRow(node: number, b: number, row: Row): void {
    if (node < 0) return;
    const before = this.rows[node]!.get(b);
    const sum = before && { ...addWrenches(before, row), spin: addVectors(before.spin, row.spin) };
    this.rows[node]!.set(b, sum ?? row);
  }
}

function addColumns(a: Column, b: Column): Column {
  return {
    byPosition: addWrenches(a.byPosition, b.byPosition),
    byVelocity: addWrenches(a.byVelocity, b.byVelocity),
  };
}

/** How the motion of a step's child frame changes with one of the step's coordinates, in parent axes. */
interface CoordinateChange {
  readonly byPosition: MotionChange;
  readonly byVelocity: MotionChange;
}

/** What a given wrench does on the change of the step's j-th projectors with the coordinate q. */
function projectorDerivative(step: FrameStep, j: number, q: Expr, { force, moment }: Wrench): Expr {
  const linear = vector3(differentiateAll(step.linear[j]!, q));
  const angular = vector3(differentiateAll(step.angular[j]!, q));
  return plus(dot(linear, force), dot(angular, moment));
}

/**
 * The child frame moves by t_a and turns by w_a: seen from itself,
 *   δω = κ + ω × w_a,   κ = ∂ω_r/∂q_a − w_a × ω_r,
 *   β = U w_a + λ + 2 ω × κ,   λ = ∂α_r/∂q_a − w_a × α_r + ω_r × κ,
 *   δa = U t_a + 2 ω × ∂v_r/∂q_a + ∂a_r/∂q_a − w_a × a_child.
 */
function positionChange({ step, relative, motion, spin }: Passage, q: Expr, k: number): MotionChange {
  const [t, w] = [step.linear[k]!, step.angular[k]!];
  const { angularVelocity: omega, angularAcceleration: alpha } = motion;
  const partial = (v: Vector3): Vector3 => vector3(differentiateAll(v, q));
  const kappa = addVectors(partial(relative.angularVelocity), cross(relative.angularVelocity, w));
  const lambda = addVectors(
    partial(relative.angularAcceleration),
    cross(relative.angularAcceleration, w),
    cross(relative.angularVelocity, kappa),
  );
  const turning = cross(omega, kappa);
  return {
    angularVelocity: addVectors(kappa, cross(omega, w)),
    angularAcceleration: addVectors(lambda, turning, cross(alpha, w)),
    carriedAcceleration: addVectors(multiplyVector(spin, w), lambda, twice(turning)),
    acceleration: addVectors(
      multiplyVector(spin, t),
      cross(omega, twice(partial(relative.velocity))),
      partial(relative.acceleration),
      cross(childAcceleration(step, relative, motion, spin), w),
    ),
  };
}

/** Acceleration of the child's origin in parent axes: the same terms as in the recursion. */
function childAcceleration(step: FrameStep, relative: RelativeMotion, motion: Motion, spin: Matrix3): Vector3 {
  const w = motion.angularVelocity;
  return addVectors(
    motion.acceleration,
    multiplyVector(spin, step.frame.translation),
    cross(addVectors(w, w), relative.velocity),
    relative.acceleration,
  );
}

/** δω = w_a, β = λ + 2 ω × w_a, δa = 2 ω × t_a + ∂a_r/∂q̇_a, with λ = ∂α_r/∂q̇_a + ω_r × w_a. */
function velocityChange({ step, relative, motion }: Passage, rate: Expr, k: number): MotionChange {
  const [t, w] = [step.linear[k]!, step.angular[k]!];
  const omega = motion.angularVelocity;
  const partial = (v: Vector3): Vector3 => vector3(differentiateAll(v, rate));
  const lambda = addVectors(partial(relative.angularAcceleration), cross(relative.angularVelocity, w));
  const turning = cross(omega, w);
  return {
    angularVelocity: w,
    angularAcceleration: addVectors(lambda, turning),
    carriedAcceleration: addVectors(lambda, twice(turning)),
    acceleration: addVectors(cross(twice(omega), t), partial(relative.acceleration)),
  };
}

/**
 * The row of the step's k-th coordinate about the child's origin, parent axes:
 * F = m t_a + w_a × c, N = c × t_a + I w_a, D = 2 P (ω × w_a) + (V + 2 ω × c) × t_a + Dᵀ w_a.
 */
function ownRow({ step, motion, composite }: Passage, k: number): Row {
  const [t, w] = [step.linear[k]!, step.angular[k]!];
  const { mass, first, second, twiceMomentum, coriolis } = composite.atChild;
  const omega = motion.angularVelocity;
  return {
    force: addVectors(scaleVector(mass, t), cross(w, first)),
    moment: addVectors(cross(first, t), multiplySymmetric(inertiaOf(second), w)),
    spin: addVectors(
      multiplySymmetric(second, twice(cross(omega, w))),
      isZeroVector(t) ? zeroVector : cross(addVectors(twiceMomentum, cross(twice(omega), first)), t),
      multiplyTransposed(coriolis, w),
    ),
  };
}

/** A row at the child, into parent axes. */
function turnRow(step: FrameStep, row: Row): Row {
  return { ...turnWrench(step, row), spin: multiplyVector(step.frame.rotation, row.spin) };
}

/** A row about the child's origin, in parent axes, about the parent's origin. */
function rowAtParent({ step, relative, motion }: Passage, row: Row): Row {
  const velocity = addVectors(cross(motion.angularVelocity, step.frame.translation), relative.velocity);
  return { ...shiftToParent(step, row), spin: addVectors(row.spin, cross(twice(velocity), row.force)) };
}

/** δτ */
function answer(row: Row, change: MotionChange): Expr {
  return plus(
    dot(row.force, change.acceleration),
    dot(row.moment, change.carriedAcceleration),
    dot(row.spin, change.angularVelocity),
  );
}
