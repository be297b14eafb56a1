/** What targets cannot be made of, as far as the description of a robot tells it: said before anything is compiled. */
import { contactsOfPairs } from '../description/model/contact.ts';
import { isRigidRope } from '../description/model/loop.ts';
import type { Robot } from '../description/model/robot.ts';
import { KanegenError } from '../common/error.ts';
import { demandStraight } from '../straight/compile.ts';
import { demandForMatlab } from './doors/matlab/matlab-names.ts';
import { takesStraight, type CompileTarget } from './folder.ts';

const DEMANDS: Partial<Record<CompileTarget, (robot: Robot) => void>> = {
  fmu: demandForFmu,
  ros2: demandForRos,
  matlab: demandForMatlab,
  cuda: demandForKernels,
  wgsl: demandForKernels,
};

/**
 * @param isStraight are straight-line functions asked for?
 * @throws KanegenError `no-fmu`, `no-ros2`, `no-matlab`, `no-kernels`; `not-supported` of straight-line functions.
 */
export function demandTargets(robot: Robot, targets: readonly CompileTarget[], isStraight: boolean): void {
  for (const target of targets) DEMANDS[target]?.(robot);
  if (!isStraight) return;
  try {
    demandStraight(robot);
  } catch (error) {
    if (!takesStraight(targets) || !(error instanceof KanegenError)) throw error;
    throw new KanegenError(error.code, error.message, {
      remedy: 'leave `cuda` and `wgsl`, which take straight-line functions, out of --target',
      location: error.location,
    });
  }
}

function demandForFmu({ name, coordinates, links, touching, loops = [] }: Robot): void {
  if (coordinates.length === 0)
    throw new KanegenError('no-fmu', `\`${name}\` has no coordinates: an FMU has nothing to integrate`, {
      remedy: 'leave `fmu` out of --target',
    });
  const sticking = contactsOfPairs({ links, ...(touching && { touching }) }).find((own) => own.bristles);
  if (sticking)
    throw new KanegenError(
      'no-fmu',
      `the contact \`${sticking.name}\` sticks: its bristles follow steps, of which an FMU does not know`,
      {
        remedy: 'write smooth friction, { coefficient: 0.4, at: 1 mm/s }, or leave `fmu` out of --target',
        location: sticking.location,
      },
    );
  const rope = loops.find(({ rows }) => rows.some(isRigidRope));
  if (rope)
    throw new KanegenError(
      'no-fmu',
      `the rope \`${rope.name}\` becomes taut at an impact, which ends a step: an FMU does not know of such steps`,
      {
        remedy: 'give the rope a `compliance`, which makes a spring of it, or leave `fmu` out of --target',
        location: rope.location,
      },
    );
}

function demandForKernels({ name, coordinates }: Robot): void {
  if (coordinates.length > 0) return;
  throw new KanegenError('no-kernels', `\`${name}\` has no coordinates: there are no states for kernels`, {
    remedy: 'leave `cuda` and `wgsl` out of --target',
  });
}

function demandForRos({ name, coordinates }: Robot): void {
  if (coordinates.length > 0) return;
  throw new KanegenError('no-ros2', `\`${name}\` has no coordinates: there is nothing to control`, {
    remedy: 'leave `ros2` out of --target',
  });
}
