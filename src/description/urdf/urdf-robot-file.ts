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
import { hasPossibleInertia } from '../bodies/rigid-body.ts';
import type { Remark } from '../model/warnings.ts';
import type { ImportedRobot } from '../imported/imported-robot.ts';
import { Scope } from '../values/scope.ts';
import { Place, objectDocument } from '../source/source.ts';
import { planeAcross } from './urdf-links.ts';
import {
  axisText,
  driveEntries,
  numberText,
  placeText,
  robotName,
  rotationText,
  rpyText,
  shown,
} from '../imported/file-text.ts';
import type { UrdfJoint, UrdfRobot } from './urdf-contents.ts';
import { ImportedNames } from '../imported/imported-names.ts';
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

class Writer {
  private readonly part: UrdfPart;
  private readonly isFree: boolean;
  private readonly linkNames: ImportedNames;
  private readonly jointNames = new ImportedNames('joint', '');

  constructor(part: UrdfPart, isFree: boolean) {
    this.part = part;
    this.isFree = isFree;
    this.linkNames = new ImportedNames('link', '');
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
      return `{ planar: { first: ${axisText(evaluate(planeAcross(axis)[0]))}, second: ${axisText(evaluate(planeAcross(axis)[1]))} } }`;
    const limits =
      bounds.lower === undefined ? '' : `, limits: [${numberText(bounds.lower)}, ${numberText(bounds.upper!)}]`;
    const kind = type === 'prismatic' ? 'prismatic' : 'revolute';
    return `{ ${kind}: ${axisText(evaluate(axis))}${limits}${driveEntries(driveLimits)
      .map((entry) => `, ${entry}`)
      .join('')}${forcesText(forces)}, names: [${this.jointNames.of(joint)}] }`;
  }
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

const valueText = (e: Expr): string => numberText(evaluate([e])[0]!);

const listText = (entries: readonly Expr[]): string => `[${entries.map(valueText).join(', ')}]`;

/** @param angles roll, pitch and yaw where they are known. */
function poseText({ translation, rotation }: Frame, angles: Vector3 | undefined): string {
  return placeText(evaluate(translation), angles ? rpyText(evaluate(angles)) : rotationText(evaluate(rotation)));
}
