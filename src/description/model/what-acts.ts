/** What acts on a robot beside inertia, weight and actuators: springs, dampers, materials, water. */
import { zero, type Expr } from '../../symbolic/graph/expr.ts';
import { dependsOn } from '../../symbolic/graph/traverse.ts';
import { formulasOf, prescribedNames, type Robot } from './robot.ts';

/** Does anything of a robot store energy, or dissipate it? */
export function forcesOf({ links, forces = [] }: Pick<Robot, 'links' | 'forces'>): {
  readonly elastic: boolean;
  readonly damping: boolean;
} {
  const joints = links.flatMap(({ joint }) => joint.forces ?? []);
  const types = links.flatMap(({ body }) => (body.kind === 'deformable' ? [body.type] : []));
  return {
    elastic:
      forces.length > 0 ||
      joints.some(({ stiffness }) => stiffness !== zero) ||
      types.some(({ materials, solids, potential }) => (materials ?? solids ?? potential) !== undefined),
    damping:
      joints.some(({ damping, friction }) => damping !== zero || friction !== zero) ||
      types.some(
        ({ materials = [], solids = [], dissipation }) =>
          materials.some(({ damping }) => damping) ||
          solids.some((solid) => solid?.viscosity !== undefined) ||
          dissipation !== undefined,
      ),
  };
}

/**
 * What surrounds a robot: water, fields along rods, obstacles.
 * `forces`: drag, buoyancy, fields or contacts, those of links with each other too, which neither of the others counts; `wet`: do velocities count, of water or contacts; `placed`: do poses, in fields and contacts?
 */
export function waterOf({ links, touching: mutual = [] }: Pick<Robot, 'links' | 'touching'>): {
  readonly forces: boolean;
  readonly addedMass: boolean;
  readonly wet: boolean;
  readonly placed: boolean;
} {
  const waters = links.flatMap(({ water }) => water ?? []);
  const ofRigid = links.flatMap(({ rigidWater }) => rigidWater ?? []);
  const touching = links.some(({ contacts }) => contacts !== undefined);
  const placed = touching || links.some(({ fields }) => fields !== undefined);
  return {
    wet: touching || waters.length + ofRigid.length > 0,
    placed,
    forces:
      placed ||
      ofRigid.some(({ drag, linearDrag, buoyancy }) => (drag ?? linearDrag ?? buoyancy) !== undefined) ||
      mutual.length > 0 ||
      waters.some(({ drag, linearDrag, buoyancy }) => drag !== undefined || linearDrag !== undefined || buoyancy),
    addedMass: [...waters, ...ofRigid].some(({ addedMass }) => addedMass !== undefined),
  };
}

/** Are there fields along rods, which do work? */
export function isInFields({ links }: Pick<Robot, 'links'>): boolean {
  return links.some(({ fields }) => fields !== undefined);
}

/** What forward dynamics and the forces that move a robot know beside M q̈ + c + g, by the names of generated code. */
export function passiveForcesOf(
  robot: Pick<Robot, 'links' | 'forces' | 'touching'>,
): readonly ('elastic' | 'damping' | 'fluid')[] {
  const { elastic, damping } = forcesOf(robot);
  const { forces: fluid } = waterOf(robot);
  const all = { elastic, damping, fluid };
  return (['elastic', 'damping', 'fluid'] as const).filter((kind) => all[kind]);
}

/** Does a body move by the time alone, whose work nothing counts? Actuators and natural strains that depend on the time do not. */
function isPrescribed({ links }: Pick<Robot, 'links'>): boolean {
  return links.some(
    ({ body }) =>
      body.kind === 'deformable' &&
      body.type.time !== undefined &&
      dependsOnAny(formulasOf(body.type.kinematics), body.type.time),
  );
}

/** Do strains without stress move with the time, and so put energy into a body? */
export function isGrowing({ links }: Pick<Robot, 'links'>): boolean {
  return links.some(({ body }) => {
    if (body.kind === 'rigid') return false;
    const { natural = [], time } = body.type;
    return time !== undefined && dependsOnAny(natural, time);
  });
}

export function dependsOnAny(formulas: readonly Expr[], time: Expr): boolean {
  return formulas.some((e) => dependsOn(e, new Set([time])));
}

type Balanced = Pick<Robot, 'links' | 'forces' | 'loops' | 'touching'>;

/** Is all work on a robot that of what drives it? */
export const hasBalance = (robot: Balanced): boolean => workWithoutSource(robot) === undefined;

/** The work on a robot that nothing counts, in words; undefined without one. */
export function workWithoutSource(robot: Balanced): string | undefined {
  if (isPrescribed(robot)) return 'bodies move by the time alone';
  if (!isConservative(robot)) return 'added mass by `normal-acceleration` does work of its own';
  // Of joints that follow the time, what holds several frames takes a share that is not known apart.
  const shared = robot.loops
    ? 'loops'
    : robot.forces
      ? 'forces between frames'
      : touchingInWater(robot) && 'contacts in water';
  return shared && prescribedNames(robot).length > 0
    ? `what ${shared} take of joints that follow the time is not known apart`
    : undefined;
}

/** Contacts of two bodies, where what they take of a motion is not all that contacts, water and fields take. */
function touchingInWater({ links, touching }: Pick<Robot, 'links' | 'touching'>): Robot['touching'] {
  const isDry = links.every(({ water, rigidWater, fields }) => !water && !rigidWater && !fields);
  return isDry ? undefined : touching;
}

/** Does the inertia of the water do no work of its own? */
export function isConservative({ links }: Pick<Robot, 'links'>): boolean {
  return links.every(({ water }) => water?.addedMass?.form !== 'normal-acceleration');
}
