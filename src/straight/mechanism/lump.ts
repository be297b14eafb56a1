/**
 * Inertial parameters that cannot be told apart from the outside, moved towards the base (docs/mathematics.md, "Operation
 * economy of whole robots"; base parameters of Khalil and Gautier). Of a body turning about z, the mass, the first moment
 * along z and the second moment ∫ z² dm act as if fixed to the parent; of a sliding body the whole inertia does. Torques
 * stay the same; single bodies lose their mass, so that wrenches, energies and validation must use the originals.
 */
import { addMassMoments, fixedStep, stepMassMoments, type MassMoments } from '../../kane/equations/recursion.ts';
import { half, minus, negate, plus, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { zeroVector } from '../../symbolic/graph/vector.ts';
import type { Mechanism, MechanismFrame } from './mechanism.ts';

/** Which multiple of diag(1, 1, 0) leaves a turning body. */
export type LumpedInertia =
  /** ∫ z² dm: the second moment along the axis becomes zero, for the Newton–Euler form over second moments. */
  | 'second-moment'
  /** I_yy: one diagonal entry becomes zero, for composite inertias. */
  | 'diagonal';

/** The same mechanism for torques: kg, kg m and kg m² moved from frame to parent frame, what reaches the ground dropped. */
export function lump(mechanism: Mechanism, choice: LumpedInertia): Mechanism {
  const frames = [...mechanism.frames];
  for (let i = frames.length - 1; i >= 0; i--) {
    const frame = frames[i]!;
    if (!frame.moments || frame.body) continue;
    const parts = divideMoments(frame, frame.moments, choice);
    if (!parts) continue;
    frames[i] = { ...frame, moments: parts.stays };
    if (frame.parent >= 0) frames[frame.parent] = withMass(frames[frame.parent]!, frame, parts.leaves);
  }
  return { ...mechanism, frames };
}

function withMass(parent: MechanismFrame, child: MechanismFrame, leaving: MassMoments): MechanismFrame {
  const carried = stepMassMoments(fixedStep(child.constant), leaving).atParent;
  return { ...parent, moments: parent.moments ? addMassMoments(parent.moments, carried) : carried };
}

function divideMoments(
  frame: MechanismFrame,
  { mass, first, inertia }: MassMoments,
  choice: LumpedInertia,
): { stays: MassMoments | undefined; leaves: MassMoments } | undefined {
  const [xx, yy, zz, xy, xz, yz] = inertia;
  switch (frame.motion.kind) {
    case 'fixed':
      return { stays: undefined, leaves: { mass, first, inertia } };
    case 'translation':
      return {
        stays: { mass, first, inertia: [zero, zero, zero, zero, zero, zero] },
        leaves: { mass: zero, first: zeroVector, inertia },
      };
    case 'rotation': {
      const moved: Expr = choice === 'diagonal' ? yy : times(half, plus(xx, yy, negate(zz)));
      return {
        stays: {
          mass: zero,
          first: [first[0], first[1], zero],
          inertia: [minus(xx, moved), minus(yy, moved), zz, xy, xz, yz],
        },
        leaves: { mass, first: [zero, zero, first[2]], inertia: [moved, moved, zero, zero, zero, zero] },
      };
    }
    case 'general':
      return undefined;
  }
}
