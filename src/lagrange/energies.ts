/**
 * Kinetic and potential energy of a whole robot as expressions, by moving frames: the velocity of every frame is carried
 * along the tree in the frame's own axes, and every body adds its energy by its integrals. Nothing is expanded, nothing
 * refers to the world: the usual advice for keeping a symbolic Lagrangian small.
 */
import { half, minus, plus, square, times, zero, type Expr } from '../symbolic/graph/expr.ts';
import { dot, zeroVector, type Vector3 } from '../symbolic/graph/vector.ts';
import { relativeMotion, stepTravel, type MassMoments, type Travel } from '../kane/equations/recursion.ts';
import { ShapeIntegralModel } from '../kane/closed/shape-integrals.ts';
import type { FrameTree } from '../straight/mechanism/frame-tree.ts';

/** Called between the steps of a derivation with the step just done; may throw to end it. */
export type Checkpoint = (reached: string) => void;

export interface Energies {
  /** T(q, q̇), J. */
  readonly kinetic: Expr;
  /** V(q) of the weight, J; zero where everything is at the origin of the base frame. */
  readonly potential: Expr;
}

/**
 * T and V of a robot.
 * @param gravity gravitational acceleration in the axes of the base frame, m/s².
 */
export function robotEnergies(tree: FrameTree, gravity: Vector3, checkpoint: Checkpoint): Energies {
  const base: Travel = { angularVelocity: zeroVector, velocity: zeroVector, gravity, potential: zero };
  const travels: Travel[] = [];
  const kinetic = tree.armature.map((inertia, a) => times(half, inertia, square(tree.symbols.qd[a]!)));
  const potential: Expr[] = [];
  tree.nodes.forEach(({ parent, step, moments, body }, i) => {
    const travel = stepTravel(step, relativeMotion(step, tree.symbols), parent < 0 ? base : travels[parent]!);
    travels.push(travel);
    for (const model of [...(body ? [body] : []), ...(moments ? [frozen(moments)] : [])]) {
      kinetic.push(model.kineticEnergy(travel.angularVelocity, travel.velocity));
      potential.push(weightEnergy(model.moments, travel));
    }
    checkpoint(`the energies of frame ${i + 1} of ${tree.nodes.length}`);
  });
  return { kinetic: plus(...kinetic), potential: plus(...potential) };
}

function weightEnergy({ mass, first }: MassMoments, travel: Travel): Expr {
  return minus(times(mass, travel.potential), dot(travel.gravity, first));
}

/** A body without coordinates of its own. */
function frozen({ mass, first, inertia }: MassMoments): ShapeIntegralModel {
  const integrals = { mass, first, inertia, angular: [], gram: [], gyroscopic: [] };
  return new ShapeIntegralModel(integrals, { q: [], qd: [], qdd: [] });
}
