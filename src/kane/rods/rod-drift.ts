/**
 * The end of a rod given by its strain as it moves in the axes of the rod's base, while the coordinates do not accelerate.
 */
import { addVectors, cross, zeroVector } from '../../symbolic/graph/vector.ts';
import { xyz } from '../equations/names.ts';
import type { BodyPart } from '../body/body-part.ts';
import { vectorOf, type RodFrames } from './rod-frames.ts';
import type { RodMotion } from './rod-motion.ts';

/** Integrals along the rod, made when they are asked for: nothing else needs motions relative to the base. */
export function rodDrift(frames: RodFrames, motion: RodMotion): ReturnType<BodyPart['drift']> {
  const { row, end } = motion.angularVelocity(zeroVector);
  // v' = ω × R ν + R ν̇
  const { whole } = frames.loops.integrate({
    name: 'drift_velocity',
    stage: 3,
    direction: 'from start',
    labels: xyz('v'),
    values: addVectors(cross(row, frames.row.tangent), motion.stretching()),
  });
  const { angularAcceleration, acceleration } = motion.drift();
  return {
    frame: frames.end,
    relative: { angularVelocity: end, velocity: vectorOf(whole), angularAcceleration, acceleration },
  };
}
