/**
 * Motors, a law and its shell for an imported robot, from what its drives can do: a motor for each joint with one axis that has none, gains
 * by the inertia that it moves at zero.
 */
import { KanegenError } from '../common/error.ts';
import { composed, cross, dot, minus, originOf, plus, turned, NO_POSE, type Vector } from '../common/poses.ts';
import { evaluate } from '../symbolic/evaluation/evaluate.ts';
import type { Expr } from '../symbolic/graph/expr.ts';
import { frameEntries, type Frame } from '../symbolic/graph/vector.ts';
import { numbersText } from './imported/file-text.ts';
import type { ImportedRobot } from './imported/imported-robot.ts';
import { NO_MASS, seenFrom, together, type MassProperties } from './imported/mass-of-shapes.ts';
import { loadRobotText } from './load.ts';
import { coordinateSymbol } from './model/actuator.ts';
import type { Robot, RobotCoordinate } from './model/robot.ts';

export const LAWS_OF_IMPORTS = ['computed-torque', 'pd'] as const;
export type LawOfImport = (typeof LAWS_OF_IMPORTS)[number];

/** Gains to begin with, 1/s² and 1/s: errors decay at 10 rad/s, critically damped. */
const [STIFF, BRAKE] = [100, 20];
/** Inputs may go from none to all within so many seconds. */
const RISE = 0.05;

/**
 * @param file that the robot file will be, for messages.
 * @throws KanegenError `underactuated`, `not-supported` for robots with loops.
 */
export function withLaw(made: ImportedRobot, law: LawOfImport, file: string): ImportedRobot {
  const robot = loadRobotText(made.text, file);
  if (robot.loops)
    throw new KanegenError('not-supported', `${robot.name} has loops: its file does not say which joints have motors`, {
      remedy: 'import it without --controller, and write `actuators:` and `controllers:`',
    });
  const motors = robot.coordinates.filter(
    (coordinate) => !hasMotor(robot, coordinate) && hasOneAxis(robot, coordinate),
  );
  const idle = robot.coordinates.filter((coordinate) => !hasMotor(robot, coordinate) && !motors.includes(coordinate));
  if (idle.length > 0 && (law === 'computed-torque' || idle.length === robot.coordinates.length))
    throw new KanegenError('underactuated', `no motor drives \`${idle[0]!.name}\`: its joint has several axes`, {
      remedy:
        law === 'pd' ? 'write forces on its link as actuators' : 'write --controller pd, or hold its link in the file',
    });
  const taken = new Set(robot.actuators.map(({ name }) => name));
  const written = motors.map(({ name }) => {
    const own = name.slice(name.indexOf('.') + 1);
    return `  ${taken.has(own) ? `${own}_motor` : own}: { motor: ${name} }`;
  });
  const driven = withSection(made.text, 'actuators', written);
  const { actuators } = loadRobotText(driven, file);
  const inertias = robot.coordinates.map((coordinate) =>
    idle.includes(coordinate) ? 0 : inertiaAlong(robot, coordinate),
  );
  const scaled = (factor: number): string => numbersText(inertias.map((own) => rounded(factor * own)));
  const free = actuators.find(({ lower, upper }) => lower === undefined || upper === undefined);
  const jerks = robot.coordinates.map(({ driveLimits }) => driveLimits?.jerk);
  const shell = free
    ? []
    : [
        '    shell:',
        '      period: 1 ms',
        `      rate: ${numbersText(actuators.map(({ lower, upper }) => rounded((upper! - lower!) / 2 / RISE)))}   # all of it within ${1000 * RISE} ms`,
        '      blend: 1 s',
        ...(jerks.every((jerk) => jerk !== undefined) ? [`      jerk: ${numbersText(jerks)}`] : []),
        `      fault: { gravity-and-damping: ${scaled(BRAKE)} }`,
      ];
  const gains = law === 'pd' ? `kp: ${scaled(STIFF)}, kd: ${scaled(BRAKE)}` : `kp: ${STIFF} 1/s^2, kd: ${BRAKE} 1/s`;
  const text = withSection(driven, 'controllers', [
    '  # Gains to begin with: errors decay at 10 rad/s, critically damped, as long as inputs are within their limits.',
    '  track:',
    `    ${law}: { ${gains} }`,
    ...shell,
  ]);
  loadRobotText(text, file);
  return {
    ...made,
    text,
    notes: [
      ...made.notes,
      ...(free
        ? [
            {
              location: free.location,
              message: `the law has no shell: \`${free.name}\` has no limit of effort; give it \`limits\`, and \`track\` a \`shell\``,
            },
          ]
        : []),
    ],
  };
}

/** A robot file with further entries of a section, which is made where there is none. */
function withSection(text: string, key: string, lines: readonly string[]): string {
  if (lines.length === 0) return text;
  const head = `\n${key}:\n`;
  const at = text.indexOf(head);
  const own = lines.map((line) => `${line}\n`).join('');
  if (at < 0) return `${text}${key}:\n${own}`;
  return text.slice(0, at + head.length) + own + text.slice(at + head.length);
}

function hasMotor({ actuators }: Robot, { name }: RobotCoordinate): boolean {
  const own = coordinateSymbol(name);
  return actuators.some(({ terms }) =>
    terms.some((term) => term.kind === 'formula' && term.summands.some(({ value }) => value === own)),
  );
}

const hasOneAxis = ({ links }: Robot, { link, part }: RobotCoordinate): boolean =>
  part === 'joint' && links[link]!.joint.coordinates.length === 1;

/** Three digits. */
const rounded = (value: number): number => Number(value.toPrecision(3));

// ---------------------------------------------------------------------------------------------- inertia

/** M of one coordinate where all are zero: of all that its joint carries, and of its drive; kg m² or kg. */
function inertiaAlong(robot: Robot, { link, name }: RobotCoordinate): number {
  const { joint } = robot.links[link]!;
  const at = joint.coordinates.findIndex((own) => name.endsWith(`.${own.name}`));
  const { symbol } = joint.coordinates[at]!;
  const seats = seatsOf(robot);
  const carried = robot.links.map((_, i) => {
    let on = i;
    while (on > link) on = robot.links[on]!.parent;
    return on === link;
  });
  const { mass, centre, inertia } = together(seats.flatMap(({ body }, i) => (carried[i] ? [body] : [])));
  const seat = seats[link]!.joint;
  // By one radian or metre: motions of joints with one axis grow with their coordinate.
  const moved = (e: readonly Expr[]): number[] => evaluate(e, new Map([[symbol, 1]]));
  let [turn, shift]: [Vector, Vector] = [
    [0, 0, 0],
    [0, 0, 0],
  ];
  for (const motion of joint.motions)
    if (motion.kind === 'rotation') {
      const [angle] = moved([motion.angle]);
      turn = plus(
        turn,
        turned(
          seat,
          evaluate(motion.axis).map((x) => angle! * x),
        ),
      );
    } else if (motion.kind === 'translation') shift = plus(shift, turned(seat, moved(motion.displacement)));
  const speed = plus(shift, cross(turn, minus(centre, originOf(seat))));
  const [xx, yy, zz, xy, xz, yz] = inertia as [number, number, number, number, number, number];
  const spin = [dot([xx, xy, xz], turn), dot([xy, yy, yz], turn), dot([xz, yz, zz], turn)];
  const armature = joint.forces ? evaluate([joint.forces[at]!.armature])[0]! : 0;
  return mass * dot(speed, speed) + dot(spin, turn) + armature;
}

/** By link, seen from the base of the robot where all coordinates are zero. */
function seatsOf({ links }: Robot): readonly { readonly joint: readonly number[]; readonly body: MassProperties }[] {
  const numbers = (frame: Frame): number[] => evaluate(frameEntries(frame));
  const distal: (readonly number[])[] = [];
  return links.map(({ parent, offset, mount, body }) => {
    const joint = composed(parent < 0 ? NO_POSE : distal[parent]!, numbers(offset));
    const proximal = composed(joint, numbers(mount));
    if (body.kind !== 'rigid') throw new Error('imported robots are rigid');
    distal.push(composed(proximal, numbers(body.distal)));
    const [mass] = evaluate([body.mass]);
    const own = { mass: mass!, centre: evaluate(body.centreOfMass), inertia: evaluate(body.inertia) };
    return { joint, body: mass === 0 && own.inertia.every((x) => x === 0) ? NO_MASS : seenFrom(own, proximal) };
  });
}
