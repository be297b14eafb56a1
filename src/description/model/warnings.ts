/**
 * Warnings: what a file says that can be computed with, and is probably not what was meant. Each kind has a name, by which a robot file
 * (`silence`) and commands (`--silence`) say that it is meant so.
 */
import type { SourceLocation } from '../../common/error.ts';

export const WARNINGS = {
  'bare-angle': 'an angle without a unit that is larger than a turn, and a whole number: degrees?',
  'unused-parameter': 'a parameter that nothing reads',
  'inertia-no-body-has': 'an inertia that no body can have',
  'needless-unphysical': 'an inertia that a body can have, said to be one that none can',
  'urdf-left-out': 'something of a URDF file that is not read, or not part of the robot',
  'undriven-coordinate': 'a coordinate that a controller cannot move',
  'stress-at-rest': 'a law of solids with stress in the body that is not deformed',
  'torsion-bound': 'a section whose stiffness against torsion is known by an upper bound only',
  locking: 'a law of solids in a body whose sections cannot give way, as its numbers would have them',
  'no-action': 'an actuator, a wrench, a chamber or a force that moves nothing, whatever the state',
  'folded-back': 'a distal frame that leads the next link back into its parent',
  'inside-out': 'a position that turns the body inside out as it bends',
  'moves-no-mass': 'a coordinate behind which there is no mass',
  'singular-mass-matrix': 'no acceleration follows from forces at the defaults',
} as const;

export type WarningName = keyof typeof WARNINGS;

/** Something to be said of a place. */
export interface Remark {
  readonly location: SourceLocation;
  readonly message: string;
}

export interface Warning extends Remark {
  readonly name: WarningName;
}
