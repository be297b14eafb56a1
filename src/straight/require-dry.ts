/** Whole-robot functions are formulas, and what water does to a rod is a sum over points along it. */
import { KanegenError } from '../common/error.ts';
import type { Robot } from '../description/model/robot.ts';

/** @throws KanegenError `not-supported` at `water:`. */
export function requireDry({ links }: Robot, what: string): void {
  const water = links.find((link) => link.water)?.water;
  if (!water) return;
  throw new KanegenError('not-supported', `${what} has no forces of water`, {
    remedy: 'use the driver, which sums them along the rods, or leave out `water`',
    location: water.location,
  });
}
