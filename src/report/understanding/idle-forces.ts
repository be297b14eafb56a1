/** Forces that do nothing: energies of the places of frames to each other that ride on one body. */
import type { FrameForce, ReachingTerm } from '../../description/model/frame-terms.ts';
import type { Robot } from '../../description/model/robot.ts';
import type { Warning } from '../../description/model/warnings.ts';
import { cancels, frameTerm } from '../../kane/equations/frame-terms.ts';

export function idleForces({ forces = [], silenced }: Robot): readonly Warning[] {
  if (silenced?.includes('no-action')) return [];
  return forces
    .filter(({ terms }) => terms.every(isIdle))
    .map(({ name, location }: FrameForce) => ({
      name: 'no-action',
      location,
      message: `the force \`${name}\` does nothing: its frames ride on one body`,
    }));
}

function isIdle({ frames, action }: ReachingTerm): boolean {
  const [first] = frames;
  const ride = frames.every(({ kind, link }) => kind === 'frame' && link === first!.link);
  return ride && (first!.link < 0 || cancels(frameTerm(action, frames.length)));
}
