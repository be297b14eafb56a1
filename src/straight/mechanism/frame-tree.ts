/**
 * A robot as a tree of frames: every rotation and translation between two frames one step, every mass fixed to a frame.
 * What the recursion is run over when a whole robot becomes one straight-line function; the rewriting of the mechanism
 * (frames moved along their axes, masses lumped) happens before, in files of their own.
 */
import type { BodyModel } from '../../kane/body/body-model.ts';
import { rotationAbout } from '../../kane/equations/joint.ts';
import { fixedStep, stepMassMoments, type FrameStep, type MassMoments } from '../../kane/equations/recursion.ts';
import { differentiate } from '../../symbolic/graph/differentiate.ts';
import { minusOne, one, plus, zero, type Expr } from '../../symbolic/graph/expr.ts';
import {
  addVectors,
  column,
  identityFrame,
  identityMatrix,
  isIdentityFrame,
  multiplyMatrices,
  multiplyVector,
  scaleVector,
  unitVectors,
  zeroVector,
  type Frame,
  type Matrix3,
  type Vector3,
} from '../../symbolic/graph/vector.ts';
import type { FrameMotion, Mechanism, MechanismFrame, RobotSymbols } from './mechanism.ts';
import type { StraightWater } from './straight-water.ts';

/** A frame, how it hangs on its parent, and what is fixed to it. */
export interface FrameNode {
  /** The link that the frame belongs to, for readable names. */
  readonly name: string;
  /** Index of the parent frame, smaller than this one's; −1: the base frame of the robot. */
  readonly parent: number;
  /** Parent frame → this frame; coordinates are indices into those of the robot. */
  readonly step: FrameStep;
  /** Rigid mass fixed to this frame: mass, first moment, inertia about the origin, in this frame's axes. */
  readonly moments: MassMoments | undefined;
  /** Deformable body whose proximal frame this is, over the robot's coordinate symbols. */
  readonly body: BodyModel | undefined;
  /** Coordinates of the robot that are the body's own, in the body's order; empty without a body. */
  readonly bodyCoordinates: readonly number[];
  /** Around the body. */
  readonly water?: StraightWater | undefined;
}

export interface FrameTree {
  readonly symbols: RobotSymbols;
  /** Inertia of what turns with a coordinate alone, one for each; zero where nothing does. */
  readonly armature: readonly Expr[];
  /** World → base frame. */
  readonly base: Frame;
  /** Velocity of the water, axes of the base frame. */
  readonly current: Vector3;
  /** Parents before children. */
  readonly nodes: readonly FrameNode[];
  /** Called at every frame that a recursion passes; may throw to stop it. */
  readonly checkpoint: () => void;
}

/**
 * The tree over which a mechanism's recursion runs. A constant turn that does not fold away gets a node of its own.
 *
 * @param unturned rotating frames whose nodes keep the axes from before their joint: motions and wrenches pass without
 * being rotated, what is fixed to the body is rotated instead, by the sum of the angles of a chain of parallel axes, and
 * the rotation is done where the next axis has another direction. It pays in chains of parallel axes, for bodies at the
 * end and near the base. Vectors are the same, only their axes differ, so the recursion does not change; but steps
 * then depend on all angles of their chain.
 */
export function frameTreeOf(
  mechanism: Mechanism,
  unturned: ReadonlySet<number> = new Set(),
  checkpoint: () => void = () => undefined,
): FrameTree {
  const builder = new TreeBuilder(mechanism, unturned);
  mechanism.frames.forEach((_, i) => builder.add(i));
  const { symbols, armature, base, current } = mechanism;
  return { symbols, armature, base, current, nodes: builder.nodes, checkpoint };
}

/** Frames that turn about an axis parallel to that of a frame before or after them. */
export function parallelFrames({ frames }: Mechanism): ReadonlySet<number> {
  const found = new Set<number>();
  frames.forEach((frame, i) => {
    if (frame.parent < 0 || frame.motion.kind !== 'rotation') return;
    const isParallel = frames[frame.parent]!.motion.kind === 'rotation' && isIdentityMatrix(frame.constant.rotation);
    if (isParallel) found.add(frame.parent).add(i);
  });
  return found;
}

class TreeBuilder {
  readonly nodes: FrameNode[] = [];
  private readonly mechanism: Mechanism;
  private readonly unturned: ReadonlySet<number>;
  /** Node of each frame, and the angle about z by which the frame is turned from the node's axes. */
  private readonly places: { readonly node: number; readonly turn: Expr | undefined }[] = [];

  constructor(mechanism: Mechanism, unturned: ReadonlySet<number>) {
    this.mechanism = mechanism;
    this.unturned = unturned;
  }

  add(index: number): void {
    const frame = this.mechanism.frames[index]!;
    const { constant, motion, name } = frame;
    const { node: parent, turn } = frame.parent < 0 ? { node: -1, turn: undefined } : this.places[frame.parent]!;
    if (motion.kind === 'rotation' && this.unturned.has(index)) {
      const isInside = turn !== undefined && isIdentityMatrix(constant.rotation);
      const at = isInside
        ? { node: parent, frame: { ...identityFrame, translation: turned(turn, constant.translation) } }
        : this.enter(name, parent, turn, constant);
      const rate = differentiate(motion.angle, this.q[motion.coordinate]!);
      const angular = scaleVector(rate, column(at.frame.rotation, 2));
      const step = { frame: at.frame, coordinates: [motion.coordinate], linear: [zeroVector], angular: [angular] };
      this.push(frame, at.node, step, isInside ? plus(turn, motion.angle) : motion.angle);
      return;
    }
    if (turn !== undefined) {
      this.push(frame, this.leave(name, parent, turn, constant), motionStep(identityFrame, motion, this.q));
      return;
    }
    const folds =
      motion.kind === 'rotation' || motion.kind === 'translation' ? isPermutation(constant.rotation) : false;
    const apart = !folds && !isIdentityFrame(constant);
    if (apart) this.nodes.push(emptyNode(name, parent, fixedStep(constant)));
    this.push(
      frame,
      apart ? this.nodes.length - 1 : parent,
      motionStep(apart ? identityFrame : constant, motion, this.q),
    );
  }

  private get q(): readonly Expr[] {
    return this.mechanism.symbols.q;
  }

  /** Into a group: its axes are those before the joint. A turn that does not fold comes first, in a node of its own. */
  private enter(name: string, parent: number, turn: Expr | undefined, constant: Frame): { node: number; frame: Frame } {
    if (turn !== undefined) return { node: this.leave(name, parent, turn, constant), frame: identityFrame };
    if (isPermutation(constant.rotation)) return { node: parent, frame: constant };
    this.nodes.push(emptyNode(name, parent, fixedStep(constant)));
    return { node: this.nodes.length - 1, frame: identityFrame };
  }

  /** Out of a group: the turn that was put off and the constant one, with the translation in turned axes. */
  private leave(name: string, parent: number, turn: Expr, constant: Frame): number {
    const rotation = multiplyMatrices(rotationAbout(unitVectors[2], turn), constant.rotation);
    this.nodes.push(emptyNode(name, parent, fixedStep({ rotation, translation: turned(turn, constant.translation) })));
    return this.nodes.length - 1;
  }

  private push(frame: MechanismFrame, parent: number, step: FrameStep, turn?: Expr): void {
    const { name, moments, body, bodyCoordinates, water } = frame;
    const own = moments && isMassless(moments) ? undefined : moments;
    this.nodes.push({ name, parent, step, moments: own && turnedMoments(own, turn), body, bodyCoordinates, water });
    this.places.push({ node: this.nodes.length - 1, turn });
  }
}

function emptyNode(name: string, parent: number, step: FrameStep): FrameNode {
  return { name, parent, step, moments: undefined, body: undefined, bodyCoordinates: [] };
}

function turned(turn: Expr, v: Vector3): Vector3 {
  return multiplyVector(rotationAbout(unitVectors[2], turn), v);
}

function turnedMoments(moments: MassMoments, turn: Expr | undefined): MassMoments {
  if (turn === undefined) return moments;
  const step = fixedStep({ rotation: rotationAbout(unitVectors[2], turn), translation: zeroVector });
  return stepMassMoments(step, moments).atParent;
}

function isIdentityMatrix(rotation: Matrix3): boolean {
  return rotation.every((e, i) => e === identityMatrix[i]);
}

function isPermutation(rotation: Matrix3): boolean {
  return rotation.every((e) => e === zero || e === one || e === minusOne);
}

function isMassless({ mass, first, inertia }: MassMoments): boolean {
  return [mass, ...first, ...inertia].every((e) => e === zero);
}

/** The motion of a frame behind a constant transformation, which general ones do not take. */
export function motionStep(constant: Frame, motion: FrameMotion, q: readonly Expr[]): FrameStep {
  const { rotation, translation } = constant;
  const axis = column(rotation, 2);
  switch (motion.kind) {
    case 'fixed':
      return fixedStep(constant);
    case 'general':
      return motion.step;
    case 'rotation':
      return {
        frame: { rotation: multiplyMatrices(rotation, rotationAbout(unitVectors[2], motion.angle)), translation },
        coordinates: [motion.coordinate],
        linear: [zeroVector],
        angular: [scaleVector(differentiate(motion.angle, q[motion.coordinate]!), axis)],
      };
    case 'translation':
      return {
        frame: {
          rotation,
          translation: addVectors(translation, scaleVector(motion.displacement, axis)),
        },
        coordinates: [motion.coordinate],
        linear: [scaleVector(differentiate(motion.displacement, q[motion.coordinate]!), axis)],
        angular: [zeroVector],
      };
  }
}
