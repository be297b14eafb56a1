/** Forces on a robot as arrows: of contacts, of what closes loops, of loads on frames, and of inputs that are forces. */
import { eachAxis } from '../../common/tuples.ts';
import { heldSymbols, type ReachingTerm } from '../../description/model/frame-terms.ts';
import { contactPairs } from '../../description/model/contact.ts';
import { LOOP_AXES, LOOP_JOINTS, type Loop } from '../../description/model/loop.ts';
import type { Robot } from '../../description/model/robot.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import type { RobotPlaces, RobotShape } from '../robot-shape.ts';
import type { Arrow, Triple } from '../viewer/animation-data.ts';
import { originOf, turned, type Pose } from '../../common/poses.ts';

/** What acts at a state; missing: nothing of the kind is known. */
export interface ActingForces {
  /** By actuator. */
  readonly inputs?: readonly number[];
  /** By pair: place and force, world axes; m, N. */
  readonly contacts?: readonly { readonly position: readonly number[]; readonly force: readonly number[] }[];
  /** By row of the loops. */
  readonly multipliers?: readonly number[];
  /** On frames of the robot, by index. */
  readonly loads?: readonly { readonly frame: number; readonly force: readonly number[]; readonly follows: boolean }[];
}

/** Of the largest force: what is smaller is not seen. */
const LEAST = 1e-4;

export function arrowsOf(robot: Robot, shape: RobotShape, places: RobotPlaces, acting: ActingForces): Arrow[] {
  const arrows = [
    ...ofContacts(robot, acting.contacts ?? []),
    ...ofLoops(robot, shape, places, acting.multipliers ?? []),
    ...ofLoads(robot, shape, places, acting.loads ?? []),
    ...ofInputs(robot, shape, places, acting.inputs ?? []),
  ];
  const most = Math.max(0, ...arrows.map(({ force }) => Math.hypot(...force)));
  return arrows.filter(({ force, at }) => Math.hypot(...force) > LEAST * most && at.every(Number.isFinite));
}

const tripleOf = (numbers: readonly number[]): Triple => [numbers[0]!, numbers[1]!, numbers[2]!];

function ofContacts(robot: Robot, contacts: NonNullable<ActingForces['contacts']>): Arrow[] {
  const names = contacts.length > 0 ? contactPairs(robot) : [];
  return contacts.map(({ position, force }, i) => ({
    name: names[i]!,
    kind: 'contact',
    at: tripleOf(position),
    force: tripleOf(force),
  }));
}

function ofLoops(robot: Robot, shape: RobotShape, places: RobotPlaces, multipliers: readonly number[]): Arrow[] {
  let first = 0;
  return (robot.loops ?? []).flatMap((loop) => {
    const own = multipliers.slice(first, first + loop.rows.length);
    first += loop.rows.length;
    const ends = endsOf(loop, shape, places);
    if (!ends || own.length < loop.rows.length) return [];
    const [a, b] = ends;
    const force = forceOn(loop, a, b, own);
    return [
      { name: loop.name, kind: 'loop' as const, at: originOf(b), force },
      { name: loop.name, kind: 'loop' as const, at: originOf(a), force: eachAxis((axis) => -force[axis]) },
    ];
  });
}

/** Poses of the two frames that a loop joins. */
function endsOf({ kind, parts }: Loop, shape: RobotShape, places: RobotPlaces): readonly [Pose, Pose] | undefined {
  const isJoint = LOOP_JOINTS.some((joint) => joint === kind) || kind === 'distance';
  const [a, b] = parts[0]?.frames ?? [];
  if (!isJoint || a?.kind !== 'frame' || b?.kind !== 'frame') return undefined;
  return [shape.anchored(a, places), shape.anchored(b, places)];
}

/** On the second frame: multipliers of joints are forces in the axes of the first one, that of a distance pushes them apart. */
function forceOn({ kind, rows }: Loop, a: Pose, b: Pose, multipliers: readonly number[]): Triple {
  if (kind === 'distance') {
    const apart = originOf(b).map((x, axis) => x - originOf(a)[axis]!);
    const size = Math.hypot(...apart) || 1;
    return eachAxis((axis) => (multipliers[0]! * apart[axis]!) / size);
  }
  const along = LOOP_AXES.map((axis) => multipliers[rows.findIndex(({ name }) => name.split('.').pop() === axis)] ?? 0);
  return turned(a, tripleOf(along));
}

function ofLoads(
  robot: Robot,
  shape: RobotShape,
  { poses }: RobotPlaces,
  loads: NonNullable<ActingForces['loads']>,
): Arrow[] {
  return loads.flatMap(({ frame, force, follows }) => {
    const { name } = robot.frames[frame]!;
    const pose = poses[shape.frames.findIndex((own) => own.name === name)];
    if (!pose) return [];
    const own = tripleOf(force);
    return [{ name, kind: 'load' as const, at: originOf(pose), force: follows ? turned(pose, own) : own }];
  });
}

/** Inputs that are a force on one frame. */
function ofInputs(robot: Robot, shape: RobotShape, places: RobotPlaces, inputs: readonly number[]): Arrow[] {
  return robot.actuators.flatMap(({ name, kind, terms }, i) => {
    const input = inputs[i] ?? 0;
    if (kind !== 'wrench' || input === 0) return [];
    return terms.flatMap((term) => {
      if (term.kind !== 'reaching' || term.frames.length !== 1) return [];
      const [anchor] = term.frames;
      if (anchor?.kind !== 'frame') return [];
      const pose = shape.anchored(anchor, places);
      const along = directionOf(term, pose);
      return [{ name, kind: 'input' as const, at: originOf(pose), force: eachAxis((axis) => input * along[axis]) }];
    });
  });
}

/** Of a unit wrench; coordinates of forces in world axes are linear in the place of the origin. */
function directionOf({ action }: ReachingTerm, pose: Pose): Triple {
  if (action.kind === 'wrench') {
    const force = tripleOf(action.wrench.slice(3));
    return action.axes === 'frame' ? turned(pose, force) : force;
  }
  if (action.kind === 'sliding') throw new Error('a tendon pulls at more than one frame');
  const { value } = action;
  const symbols = heldSymbols(0);
  const valueAt = (place: readonly number[]): number =>
    evaluate([value], new Map<Expr, number>(symbols.map((own, k) => [own, k < 9 ? 0 : place[k - 9]!])))[0]!;
  const rest = valueAt([0, 0, 0]);
  return eachAxis((axis) => valueAt([0, 1, 2].map((k) => (k === axis ? 1 : 0))) - rest);
}
