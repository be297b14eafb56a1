/**
 * A robot out of a URDF file, written out as a robot file: a link for every joint that moves, what fixed joints hold together
 * one rigid body, the ends of side branches as frames.
 */
import { host } from '#host';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import { isZero, type Expr } from '../../symbolic/graph/expr.ts';
import {
  composeFrames,
  identityFrame,
  isIdentityFrame,
  type Frame,
  type Vector3,
} from '../../symbolic/graph/vector.ts';
import { reservedReason } from '../values/reserved-names.ts';
import { hasPossibleInertia } from '../bodies/rigid-body.ts';
import { DRIVE_LIMITS, type DriveLimits } from '../model/robot.ts';
import type { Remark } from '../model/warnings.ts';
import { Scope } from '../values/scope.ts';
import { Place, objectDocument } from '../source/source.ts';
import { planeAcross } from './urdf-links.ts';
import type { UrdfJoint, UrdfRobot } from './urdf-contents.ts';
import { UrdfNames } from './urdf-names.ts';
import {
  composeAngles,
  hasMass,
  partOf,
  rigidBodyOf,
  type UrdfBody,
  type UrdfBranch,
  type UrdfPart,
} from './urdf-part.ts';

export interface ImportOptions {
  /** The URDF link to begin with; the root when missing. */
  readonly from?: string;
  /** Is the first link free to move? It is the base of the robot otherwise. */
  readonly free: boolean;
  /** Put in front of the file. */
  readonly heading?: string;
}

export interface ImportedRobot {
  /** As generated files will be called. */
  readonly name: string;
  readonly text: string;
  /** What changes the mechanism. */
  readonly warnings: readonly Remark[];
  /** What else was renamed, changed or ignored. */
  readonly notes: readonly Remark[];
}

/** @throws KanegenError `several-roots`, `unknown-link` or `negative-inertia`. */
export function robotFileOf(urdf: UrdfRobot, options: ImportOptions): ImportedRobot {
  const place = new Place(objectDocument({ from: options.from }));
  const part = partOf(urdf, { place, from: options.from, to: undefined });
  const writer = new Writer(part, options.free);
  const name = robotName(urdf.name);
  const count = part.branches.length;
  const lines = [
    ...(options.heading === undefined ? [] : [options.heading]),
    `# Made of ${shown(host.paths.basename(urdf.document.file))} by kanegen import${options.free ? ' --free' : ''}: m, kg, rad; inertias about centres of mass.`,
    'kanegen: 1',
    `name: ${name}`,
    `summary: ${count} joint${count === 1 ? '' : 's'}${options.free ? ' on a free base' : ''}`,
    '',
    'links:',
    ...writer.links(),
    ...writer.frames(),
  ];
  const warnings = part.warnings.map(({ place: { location }, message }) => ({ location, message }));
  return { name, text: `${lines.join('\n')}\n`, warnings, notes: [...part.notes, ...writer.notes] };
}

/** Small letters and digits, joined by dashes. */
function robotName(name: string): string {
  const dashed = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 50);
  const robot = /^[a-z]/.test(dashed) ? dashed.replace(/-$/, '') : `robot${dashed && `-${dashed}`}`.replace(/-$/, '');
  return reservedReason(robot) === undefined ? robot : `${robot}-robot`;
}

/** Text of a URDF file in a comment. */
const shown = (text: string): string => text.replace(/[^ -~]/g, '?').slice(0, 80);

class Writer {
  private readonly part: UrdfPart;
  private readonly isFree: boolean;
  private readonly linkNames: UrdfNames;
  private readonly jointNames = new UrdfNames('joint', '');

  constructor(part: UrdfPart, isFree: boolean) {
    this.part = part;
    this.isFree = isFree;
    this.linkNames = new UrdfNames('link', '');
  }

  get notes(): Remark[] {
    return [...this.linkNames.notes, ...this.jointNames.notes];
  }

  links(): string[] {
    const { base, branches } = this.part;
    // Names of links come first: frames give way.
    for (const { link } of this.bodies.map(({ members }) => members[0]!)) this.linkNames.of(link);
    const first = this.isFree || branches.length === 0 ? this.baseLink(base) : this.baseComment(base);
    return [...first, ...branches.flatMap((branch, i) => this.branchLink(branch, i))];
  }

  /** The links that carry nothing, other than those that name a body; and which of them is the tip. */
  frames(): string[] {
    const { base, branches, end } = this.part;
    const own = this.bodies.flatMap((body) =>
      body.members.slice(1).flatMap((member) => (member.link.outgoing.length === 0 ? [{ body, ...member }] : [])),
    );
    const lines = own.map(({ body, link, frame, angles }) => {
      const pose = isIdentityFrame(frame) ? '' : `, offset: ${poseText(frame, angles)}`;
      return `  ${this.linkNames.of(link)}: { on: ${this.nameOf(body)}${pose} }`;
    });
    const last = end === undefined ? undefined : (branches[end]?.body ?? base);
    const tip = last && own.find(({ link }) => link === last.named.link);
    return [
      ...(lines.length > 0 ? ['', 'frames:', ...lines] : []),
      ...(tip ? [`tip: ${this.linkNames.of(tip.link)}`] : []),
    ];
  }

  /** Those that are links of the robot. */
  private get bodies(): UrdfBody[] {
    const { base, branches } = this.part;
    const carried = branches.map(({ body }) => body);
    return this.isFree || carried.length === 0 ? [base, ...carried] : carried;
  }

  private nameOf({ members }: UrdfBody): string {
    return this.linkNames.of(members[0]!.link);
  }

  private baseComment({ members }: UrdfBody): string[] {
    const weighs = hasMass(members) ? ', whose mass has no effect' : '';
    return [`  # The base is ${shown(members[0]!.link.name)}${weighs}.`];
  }

  private baseLink(base: UrdfBody): string[] {
    return [
      `  - name: ${this.nameOf(base)}${remark(base)}`,
      ...(this.isFree ? ['    joint: free'] : []),
      ...rigidLines(base),
    ];
  }

  private branchLink({ joint, carrier, seat, body }: UrdfBranch, index: number): string[] {
    const on = carrier < 0 ? this.part.base : this.part.branches[carrier]!.body;
    const parent = carrier < 0 && !this.isFree ? 'base' : this.nameOf(on);
    const follows = carrier === index - 1 && (index > 0 || this.isFree);
    const angles = composeAngles(seat.angles, joint.origin.angles);
    const offset = poseText(composeFrames(seat.frame, joint.origin.frame), angles);
    const { mimic } = joint;
    return [
      `  - name: ${this.nameOf(body)}${remark(body)}`,
      ...(follows || (index === 0 && parent === 'base') ? [] : [`    parent: ${parent}`]),
      ...(offset === '{}' ? [] : [`    offset: ${offset}`]),
      ...(mimic
        ? [
            `    # In the file it copies ${shown(mimic.joint)}: ${shown(mimic.multiplier)}*${shown(mimic.joint)} + ${shown(mimic.offset)}.`,
          ]
        : []),
      `    joint: ${this.jointText(joint)}`,
      ...rigidLines(body),
    ];
  }

  private jointText(joint: UrdfJoint): string {
    const { type, axis, bounds, forces, driveLimits } = joint;
    if (type === 'floating') return 'free';
    if (type === 'spherical') return 'spherical';
    if (type === 'planar')
      return `{ planar: { first: ${axisText(planeAcross(axis)[0])}, second: ${axisText(planeAcross(axis)[1])} } }`;
    const limits =
      bounds.lower === undefined ? '' : `, limits: [${numberText(bounds.lower)}, ${numberText(bounds.upper!)}]`;
    const kind = type === 'prismatic' ? 'prismatic' : 'revolute';
    return `{ ${kind}: ${axisText(axis)}${limits}${driveText(driveLimits)}${forcesText(forces)}, names: [${this.jointNames.of(joint)}] }`;
  }
}

function driveText(limits: DriveLimits): string {
  const entries = DRIVE_LIMITS.flatMap((key) =>
    limits[key] === undefined ? [] : [`${key}: ${numberText(limits[key])}`],
  );
  return entries.length === 0 ? '' : `, drive-limits: { ${entries.join(', ')} }`;
}

function forcesText({ damping, friction, slowness }: UrdfJoint['forces']): string {
  const dry = friction && `{ coulomb: ${valueText(friction)}, at: ${valueText(slowness!)} }`;
  return `${damping ? `, damping: ${valueText(damping)}` : ''}${dry ? `, friction: ${dry}` : ''}`;
}

/** What else is part of a body. */
function remark({ members }: UrdfBody): string {
  const others = members.slice(1).flatMap(({ link }) => (link.inertial ? [shown(link.name)] : []));
  return others.length === 0 ? '' : `   # with ${others.slice(0, 6).join(', ')}${others.length > 6 ? ', …' : ''}`;
}

function rigidLines({ members }: UrdfBody): string[] {
  const { mass, centreOfMass, inertia } = rigidBodyOf(members, identityFrame);
  if ([mass, ...inertia].every(isZero)) return ['    rigid: {}'];
  const keys = ['xx', 'yy', 'zz', 'xy', 'xz', 'yz'];
  const entries = keys.flatMap((key, i) => (isZero(inertia[i]!) ? [] : [`${key}: ${valueText(inertia[i]!)}`]));
  const { place } = members.find(({ link }) => link.inertial)!.link.inertial!;
  const isPossible = hasPossibleInertia(
    place,
    { mass, inertia },
    {
      scope: new Scope(),
      defaults: new Map(),
      warn: () => undefined,
      note: () => undefined,
    },
  );
  if (!isPossible) entries.push('unphysical: true');
  return [
    '    rigid:',
    `      mass: ${valueText(mass)}`,
    ...(centreOfMass.every(isZero) ? [] : [`      com: ${listText(centreOfMass)}`]),
    ...(entries.length === 0 ? [] : [`      inertia: { ${entries.join(', ')} }`]),
  ];
}

// ---------------------------------------------------------------------------------------------- values

function numberText(value: number): string {
  return String(value === 0 ? 0 : value);
}

function valueText(e: Expr): string {
  return numberText(evaluate([e])[0]!);
}

function listText(entries: readonly Expr[]): string {
  return `[${entries.map(valueText).join(', ')}]`;
}

function axisText(axis: Vector3): string {
  const values = evaluate(axis);
  const only = values.findIndex((value) => Math.abs(value) === 1);
  if (only < 0) return `[${values.map(numberText).join(', ')}]`;
  return `${values[only]! < 0 ? '-' : ''}${'xyz'[only]!}`;
}

/** Radians, or degrees where the angle is a multiple of a right one. */
function angleText(angle: number): string {
  const turns = Math.round(angle / (Math.PI / 2));
  const isRight = turns !== 0 && Math.abs(angle - turns * (Math.PI / 2)) <= 1e-15 * Math.abs(turns) * 2;
  return isRight ? `${90 * turns} deg` : numberText(angle);
}

function poseOf(translation: Vector3, rotation: string): string {
  const parts = [
    ...(translation.every(isZero) ? [] : [`xyz: ${listText(translation)}`]),
    ...(rotation ? [rotation] : []),
  ];
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
}

function rpyText(angles: readonly number[]): string {
  return angles.every((angle) => angle === 0) ? '' : `rpy: [${angles.map(angleText).join(', ')}]`;
}

/** @param angles - roll, pitch and yaw where they are known; else they are computed, or near their pole a quaternion. */
function poseText(frame: Frame, angles: Vector3 | undefined): string {
  if (angles) return poseOf(frame.translation, rpyText(evaluate(angles)));
  const R = evaluate(frame.rotation);
  const across = Math.hypot(R[0]!, R[3]!);
  if (across > 1e-15 && across < 0.01) return poseOf(frame.translation, `quaternion: [${quaternion(R).join(', ')}]`);
  const pitch = Math.atan2(-R[6]!, across);
  const [roll, yaw] =
    across > 1e-15 ? [Math.atan2(R[7]!, R[8]!), Math.atan2(R[3]!, R[0]!)] : [Math.atan2(-R[5]!, R[4]!), 0];
  return poseOf(frame.translation, rpyText([roll, pitch, yaw].map((angle) => (Math.abs(angle) < 1e-16 ? 0 : angle))));
}

/** [w, x, y, z] of a rotation by rows, from its largest component. */
function quaternion(R: readonly number[]): number[] {
  const [xx, yy, zz] = [R[0]!, R[4]!, R[8]!];
  const [wx, wy, wz] = [R[7]! - R[5]!, R[2]! - R[6]!, R[3]! - R[1]!];
  const [xy, xz, yz] = [R[1]! + R[3]!, R[2]! + R[6]!, R[5]! + R[7]!];
  // Four times the products of one component with all of them.
  const rows = [
    [1 + xx + yy + zz, wx, wy, wz],
    [wx, 1 + xx - yy - zz, xy, xz],
    [wy, xy, 1 - xx + yy - zz, yz],
    [wz, xz, yz, 1 - xx - yy + zz],
  ];
  const largest = rows.map((row, i) => row[i]!).reduce((best, value, i, all) => (value > all[best]! ? i : best), 0);
  const row = rows[largest]!;
  return row.map((value) => value / Math.hypot(...row));
}
