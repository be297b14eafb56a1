/**
 * Axes that point against the axis before them turned round, with the sign of the joint's motion changed, so that chains of
 * parallel axes are seen as such.
 */
import { fixedStep, stepMassMoments } from '../../kane/equations/recursion.ts';
import { minusOne, negate, one, zero } from '../../symbolic/graph/expr.ts';
import { composeFrames, zeroVector, type Frame } from '../../symbolic/graph/vector.ts';
import { exactFrame, type FrameMotion, type Mechanism, type MechanismFrame } from './mechanism.ts';

/** Half a turn about x: its own inverse. */
const REVERSAL: Frame = {
  rotation: [one, zero, zero, zero, minusOne, zero, zero, zero, minusOne],
  translation: zeroVector,
};

export function alignAxes(mechanism: Mechanism): Mechanism {
  const { frames } = mechanism;
  const reversed: boolean[] = [];
  const results: MechanismFrame[] = [];
  for (const frame of frames) {
    const before = frame.parent >= 0 && reversed[frame.parent]! ? REVERSAL : undefined;
    const constant = before ? exactFrame(composeFrames(before, frame.constant)) : frame.constant;
    const isReversed = frame.parent >= 0 && isAxial(frame.motion) && constant.rotation[8] === minusOne;
    reversed.push(isReversed);
    results.push(isReversed ? reverse({ ...frame, constant }) : { ...frame, constant });
  }
  return { ...mechanism, frames: results };
}

function isAxial(motion: FrameMotion): boolean {
  return motion.kind === 'rotation' || motion.kind === 'translation';
}

/** Rot(z, θ) seen from the reversed frame is Rot(z, −θ), a shift along z one against it. */
function reverse(frame: MechanismFrame): MechanismFrame {
  const { motion, moments } = frame;
  return {
    ...frame,
    constant: exactFrame(composeFrames(frame.constant, REVERSAL)),
    motion:
      motion.kind === 'rotation'
        ? { ...motion, angle: negate(motion.angle) }
        : motion.kind === 'translation'
          ? { ...motion, displacement: negate(motion.displacement) }
          : motion,
    moments: moments && stepMassMoments(fixedStep(REVERSAL), moments).atParent,
  };
}
