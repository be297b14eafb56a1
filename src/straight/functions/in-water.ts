/**
 * Water and fields in whole robots: motions against the water and poses carried outwards over the tree of frames, what they take of the
 * bodies at the frames, and the inertia of what moves with them.
 */
import type { MotionInWater } from '../../kane/body/water-on-rod.ts';
import { ARTICULATED, type ArticulatedInertia } from '../../kane/equations/articulated.ts';
import { FROZEN, type InertiaKind } from '../../kane/equations/composite.ts';
import {
  addBodyWrenches,
  addMassMoments,
  addWrenches,
  stepMovingFrame,
  type BodyWrench,
  type MassMoments,
  type Motion,
  type MovingFrame,
  type RelativeMotion,
} from '../../kane/equations/recursion.ts';
import {
  addVectors,
  composeFrames,
  multiplyTransposed,
  negateVector,
  zeroVector,
  type Frame,
  type Vector3,
} from '../../symbolic/graph/vector.ts';
import type { FrameNode, FrameTree } from '../mechanism/frame-tree.ts';

/** What of water is meant: what the mass takes that moves with bodies, part of M and c; drag and buoyancy; both. */
export type WaterEffects = 'added mass' | 'drag and buoyancy' | 'all';

/**
 * What water takes at every frame, about its origin and in its axes; undefined where there is none.
 * @param traced motions of the frames, whose accelerations stand for gravity, too.
 * @param baseAcceleration −gravity, in axes of the base frame.
 */
export function waterWrenches(
  tree: FrameTree,
  traced: { readonly relative: readonly RelativeMotion[]; readonly motions: readonly Motion[] },
  baseAcceleration: Vector3,
  effects: WaterEffects,
): readonly (BodyWrench | undefined)[] {
  if (!tree.nodes.some(({ water }) => water)) return tree.nodes.map(() => undefined);
  const drifts: MovingFrame[] = [];
  const gravities: Vector3[] = [];
  const poses: Frame[] = [];
  return tree.nodes.map(({ parent, step, water }, i) => {
    tree.checkpoint();
    const [before, gravityBefore] =
      parent < 0
        ? [{ ...STILL, velocity: negateVector(tree.current) }, negateVector(baseAcceleration)]
        : [drifts[parent]!, gravities[parent]!];
    const { angularVelocity, angularAcceleration, acceleration } = traced.motions[i]!;
    const { velocity } = stepMovingFrame(step.frame, traced.relative[i]!, before);
    const drift = { ...STILL, angularVelocity, velocity };
    const gravity = multiplyTransposed(step.frame.rotation, gravityBefore);
    drifts.push(drift);
    gravities.push(gravity);
    const placement = composeFrames(parent < 0 ? tree.base : poses[parent]!, step.frame);
    poses.push(placement);
    if (!water) return undefined;
    const accelerated = { ...drift, angularAcceleration, acceleration: addVectors(acceleration, gravity) };
    const motion: MotionInWater = { drift, gravity, accelerated, placement };
    const reaction = effects === 'drag and buoyancy' ? undefined : water.reaction(motion);
    const forces = effects === 'added mass' ? undefined : water.forces(motion);
    return reaction && forces ? addBodyWrenches(reaction, forces) : (reaction ?? forces);
  });
}

const STILL: MovingFrame = {
  angularVelocity: zeroVector,
  velocity: zeroVector,
  angularAcceleration: zeroVector,
  acceleration: zeroVector,
};

/** What unit accelerations of the coordinates of a frame's body take, with the water that moves with it. */
export function unitWrenches({ body, water }: FrameNode): readonly BodyWrench[] {
  const added = water?.addedMass?.units;
  const own = body?.unitWrenches ?? [];
  return added ? own.map((wrench, a) => addBodyWrenches(wrench, added[a]!)) : own;
}

/** Frozen masses, and beside them what resists more in one direction than in another. */
export interface ImmersedInertia {
  readonly frozen: MassMoments | undefined;
  readonly water: ArticulatedInertia | undefined;
}

/** Both kept apart: frozen masses take fewer numbers. */
export const IMMERSED: InertiaKind<ImmersedInertia> = {
  of: (frozen) => ({ frozen, water: undefined }),
  add: (a, b) => ({
    frozen: a.frozen && b.frozen ? addMassMoments(a.frozen, b.frozen) : (a.frozen ?? b.frozen),
    water: a.water && b.water ? ARTICULATED.add(a.water, b.water) : (a.water ?? b.water),
  }),
  step(step, { frozen, water }) {
    const [ofFrozen, ofWater] = [frozen && FROZEN.step(step, frozen), water && ARTICULATED.step(step, water)];
    return {
      atChild: { frozen: ofFrozen?.atChild, water: ofWater?.atChild },
      atParent: { frozen: ofFrozen?.atParent, water: ofWater?.atParent },
    };
  },
  unitWrench(step, i, { frozen, water }) {
    const [first, second] = [
      frozen && FROZEN.unitWrench(step, i, frozen),
      water && ARTICULATED.unitWrench(step, i, water),
    ];
    if (first && second) return addWrenches(first, second);
    return first ?? second ?? { force: zeroVector, moment: zeroVector };
  },
};
