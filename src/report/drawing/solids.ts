/** Solids that keep their shape: obstacles, what of rigid bodies touches them, and what URDF files show of their links. */
import type { Robot } from '../../description/model/robot.ts';
import type { Shape } from '../../description/model/contact.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import { frameEntries, type Frame } from '../../symbolic/graph/vector.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { capsule, cylinder, sphere, trough, type Triangles } from '../meshes/triangles.ts';
import { urdfVisuals } from '../meshes/urdf-visuals.ts';
import type { Solid } from '../viewer/animation-data.ts';
import { composed, movedPoints, originOf, poseAlong, type Pose } from '../../common/poses.ts';

type Scalars = ReadonlyMap<Expr, number>;

/** On what a solid rides: the distal or the proximal frame of a link; −1 is the base. */
interface Seat {
  readonly link: number;
  readonly on: 'distal' | 'proximal';
}

export interface SeatedSolid extends Omit<Solid, 'frame'> {
  /** Undefined: the world. */
  readonly seat?: Seat;
}

/** Half of the length of a cylinder without ends, in radii. */
const LONG = 40;

export function solidsOf(
  robot: Robot,
  parameters: Scalars,
): {
  readonly solids: readonly SeatedSolid[];
  /** Links that meshes show, so that lines need not. */
  readonly shown: ReadonlySet<number>;
  readonly notes: readonly string[];
} {
  const solids = new Map<string, SeatedSolid>();
  const add = (solid: SeatedSolid): void => {
    const { look, seat, plane, position } = solid;
    const key = JSON.stringify([look, seat, plane, position]);
    if (!solids.has(key)) solids.set(key, solid);
  };
  robot.links.forEach(({ contacts = [] }, link) => {
    for (const { name, obstacle, touching } of contacts) {
      add({ name, look: 'obstacle', ...solidOf(obstacle, parameters) });
      if (touching.kind === 'shapes')
        for (const shape of touching.shapes)
          add({ name, look: 'shape', seat: { link, on: 'proximal' }, ...solidOf(shape, parameters) });
    }
  });
  for (const { name, frames, shapes } of robot.touching ?? [])
    frames.forEach((anchor, i) => {
      if (anchor.kind === 'material' || shapes[i]!.kind === 'plane') return;
      const pose = poseOf(anchor.offset, parameters);
      add({
        name,
        look: 'shape',
        seat: { link: anchor.link, on: 'distal' },
        ...solidOf(shapes[i]!, parameters, pose),
      });
    });
  const { visuals, unseen, notes } = urdfVisuals(robot, parameters);
  for (const { link, ...visual } of visuals) add({ ...visual, look: 'mesh', seat: { link, on: 'distal' } });
  const shown = new Set(visuals.flatMap(({ link }) => (unseen.has(link) ? [] : [link])));
  return { solids: [...solids.values()], shown, notes };
}

export const poseOf = (frame: Frame, scalars: Scalars): Pose => evaluate(frameEntries(frame), scalars);

/** @param within pose of the axes in which the shape is given. */
function solidOf(shape: Shape, scalars: Scalars, within?: Pose): Pick<Solid, 'position' | 'triangles' | 'plane'> {
  const place = evaluate(shape.place, scalars);
  const axis = shape.axis ? evaluate(shape.axis, scalars) : [0, 0, 1];
  const [half = 0, radius = 0] = [shape.half, shape.radius].map((own) =>
    own ? evaluate([own], scalars)[0]! : undefined,
  );
  const own = poseAlong(axis, place);
  const pose = within ? composed(within, own) : own;
  if (shape.kind === 'plane') {
    const [x, y, z] = originOf(pose);
    return { position: [], triangles: [], plane: { at: [x, y, z], normal: [pose[2]!, pose[5]!, pose[8]!] } };
  }
  const { position, triangles } = trianglesOf(shape.kind, radius, half);
  return { position: [...movedPoints(pose, position)].map((x) => Number(x.toPrecision(6))), triangles };
}

function trianglesOf(kind: Exclude<Shape['kind'], 'plane'>, radius: number, half: number): Triangles {
  switch (kind) {
    case 'sphere':
      return sphere(radius);
    case 'capsule':
    case 'piece':
      return capsule(radius, half);
    case 'cylinder':
      return cylinder(radius, LONG * radius);
    case 'tube':
      return trough(radius, LONG * radius);
  }
}
