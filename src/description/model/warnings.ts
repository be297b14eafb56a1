/**
 * Warnings: content of a file that can be compiled but is probably a mistake. Each kind has a name, by which a robot file (`silence`) and
 * commands (`--silence`) leave it out.
 */
import type { SourceLocation } from '../../common/error.ts';

export const WARNINGS = {
  'bare-angle': 'an angle without a unit, a whole number larger than a turn: degrees?',
  'unused-parameter': 'a parameter that nothing reads',
  'inertia-no-body-has': 'an inertia that no body can have',
  'needless-unphysical': 'an inertia marked `unphysical` that a body can have',
  'urdf-left-out': 'content of a URDF file that is not read, or not part of the robot',
  'mjcf-left-out': 'content of an MJCF file that is not part of the robot, or acts in another way there',
  'sdf-left-out': 'content of an SDF file that is not part of the robot, or acts in another way there',
  'undriven-coordinate': 'a coordinate that a controller cannot move',
  'long-period': 'a period of a controller as long as the way of its shell to the reference, or as a run',
  'stress-at-rest': 'a law of solids with stress in the undeformed body',
  'torsion-bound': 'a section with an upper bound of its torsional stiffness only',
  locking: 'a law of solids in a body whose sections cannot contract: stiffer than its material',
  'no-action': 'an actuator, a wrench, a chamber or a force that moves nothing, whatever the state',
  'moving-kink': 'a field along a rod with a kink or a jump whose place moves',
  'state-beyond-limits': 'a named state beyond the limits of a coordinate',
  'pushing-tendon': 'a tendon whose limits let it push',
  'held-strain': 'an internal stress on a strain that is held',
  'unusual-size':
    'a length, modulus, density, time, inertia, pressure, friction or gravity of a size that robots hardly have: another unit?',
  'folded-back': 'a distal frame that leads the next link back into its parent',
  'inside-out': 'a position that turns the body inside out as it bends',
  'gives-energy': 'a dissipation below zero, which drives the body',
  'deep-overlap': 'bodies that overlap at the defaults or at a named state, and push with far more than the weight',
  'moves-no-mass': 'a coordinate that moves no mass',
  'unseen-motion': 'an observer whose measurements tell nothing of some motion',
  'singular-mass-matrix': 'a singular mass matrix at the defaults',
} as const;

export type WarningName = keyof typeof WARNINGS;

/** A message about a place. */
export interface Remark {
  readonly location: SourceLocation;
  readonly message: string;
}

export interface Warning extends Remark {
  readonly name: WarningName;
}
