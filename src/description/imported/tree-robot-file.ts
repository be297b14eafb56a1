/**
 * A robot out of a tree of bodies, written out as a robot file: a link for every joint, what is fixed to it one rigid body with it; sites and
 * bodies at the ends of branches as frames; motors, loops, named states.
 */
import { host } from '#host';
import {
  composed,
  minus,
  NO_POSE,
  NO_ROTATION,
  originOf,
  poseOf,
  product,
  rotationVectorOf,
  scaled,
  transposed,
  turned,
  type Pose,
} from '../../common/poses.ts';
import type { Remark } from '../model/warnings.ts';
import {
  axisText,
  driveEntries,
  numbersText,
  numberText,
  poseText,
  robotName,
  shown,
  withoutDust,
} from './file-text.ts';
import { ImportedNames } from './imported-names.ts';
import { SMOOTH_BELOW, type ImportedRobot } from './imported-robot.ts';
import { seenFrom, together, type MassProperties } from './mass-of-shapes.ts';
import { meantRotationOfQuaternion } from './meant-rotations.ts';
import {
  bodiesOf,
  POSITIONS,
  type TreeBody,
  type TreeEnd,
  type TreeEquation,
  type TreeJoint,
  type BodyTree,
  type TreeMotor,
  type TreeSite,
} from './body-tree.ts';

const EARTH = [0, 0, -9.81];

/** @param heading put in front of the file. */
export function robotFileOfTree(model: BodyTree, { heading }: { readonly heading?: string } = {}): ImportedRobot {
  const writer = new Writer(model);
  const name = robotName(model.name);
  const count = bodiesOf(model.world).reduce((sum, { joints }) => sum + joints.length, 0);
  const lines = [
    ...(heading === undefined ? [] : [heading]),
    `# Made of ${shown(host.paths.basename(model.document.file))} by kanegen import: m, kg, rad; inertias about centres of mass.`,
    'kanegen: 1',
    `name: ${name}`,
    `summary: ${count} joint${count === 1 ? '' : 's'}`,
    ...(model.gravity.every((x, i) => x === EARTH[i]) ? [] : [`gravity: ${numbersText(model.gravity)}`]),
    '',
    ...writer.lines(),
  ];
  return { name, text: `${lines.join('\n')}\n`, warnings: model.warnings, notes: [...model.notes, ...writer.notes] };
}

/** A link of the robot; what it carries is seen from its distal frame. */
interface LinkDraft {
  readonly name: string;
  readonly parent: string;
  readonly offset: Pose;
  readonly joint: TreeJoint;
  /** Seen from the joint. */
  readonly distal: Pose;
  readonly masses: MassProperties[];
}

/** Where a body is: on a link, or the base. */
interface Seat {
  readonly link: string;
  readonly pose: Pose;
}

/** Keys of loops that have axes. */
const LOOP_AXES_TEXT: Readonly<Record<string, string>> = {
  revolute: ', axis: z',
  prismatic: ', axis: z',
  universal: ', axes: [x, y]',
};

class Writer {
  private readonly model: BodyTree;
  private readonly names = new ImportedNames('link', '');
  private readonly jointNames = new ImportedNames('joint', '');
  private readonly otherNames = new ImportedNames('link', '');
  private readonly links: LinkDraft[] = [];
  private readonly seats = new Map<TreeBody, Seat>();
  /** `LINK.COORDINATE` of hinges and slides. */
  private readonly coordinates = new Map<TreeJoint, string>();
  private readonly parameters: string[] = [];
  /** Frames that do not move, which robots cannot name. */
  private readonly still: TreeSite[] = [];

  constructor(model: BodyTree) {
    this.model = model;
    // Links have names first, frames give way.
    for (const body of bodiesOf(model.world)) if (body.joints.length > 0) this.names.of(body);
    this.place(model.world, { link: 'base', pose: NO_POSE });
  }

  get notes(): Remark[] {
    const [first] = this.still;
    const names = this.still.map(({ name }) => `\`${name}\``).join(', ');
    const left = first && { location: first.place.location, message: `frames that do not move are left out: ${names}` };
    return [...(left ? [left] : []), ...this.names.notes, ...this.jointNames.notes, ...this.otherNames.notes];
  }

  lines(): string[] {
    const { motors, equations } = this.model;
    const section = (title: string, entries: readonly string[]): string[] =>
      entries.length === 0 ? [] : [`${title}:`, ...entries];
    const loops = equations.map((equation) => this.loopLine(equation));
    const links = this.links.flatMap((link, i) => this.linkLines(link, this.links[i - 1]?.name));
    return [
      ...(this.parameters.length === 0 ? [] : [`parameters: { ${this.parameters.join(', ')} }`, '']),
      'links:',
      ...(links.length > 0 ? links : ['  - { name: body, rigid: {} }']),
      ...section('frames', this.frames()),
      ...section('loops', loops),
      ...section(
        'actuators',
        motors.map((motor) => this.motorLine(motor)),
      ),
      ...section('controllers', this.servo()),
      ...section('states', this.states()),
    ];
  }

  /** @param seat of what the body is on. */
  private place(body: TreeBody, seat: Seat): void {
    const pose = composed(seat.pose, body.pose);
    if (body.joints.length === 0) {
      this.seats.set(body, { link: seat.link, pose });
      const carrier = this.links.find(({ name }) => name === seat.link);
      carrier?.masses.push(seenFrom(body.mass, pose));
    } else this.seats.set(body, this.joined(body, { link: seat.link, pose }));
    for (const child of body.children) this.place(child, this.seats.get(body)!);
  }

  /** A link for every joint of the body, the last of which is the body. */
  private joined(body: TreeBody, seat: Seat): Seat {
    let { link: parent, pose } = seat;
    for (const [i, joint] of body.joints.entries()) {
      const isLast = i === body.joints.length - 1;
      const own = this.names.of(body);
      const name = isLast
        ? own
        : this.names.of({ name: `${own}_${joint.name || `joint${i + 1}`}`, place: joint.place });
      const offset = composed(pose, poseOf(NO_ROTATION, joint.anchor));
      const distal = poseOf(NO_ROTATION, scaled(-1, joint.anchor));
      this.links.push({ name, parent, offset, joint, distal, masses: isLast ? [body.mass] : [] });
      if (POSITIONS[joint.kind] === 1) this.coordinates.set(joint, `${name}.${this.jointNames.of(joint)}`);
      [parent, pose] = [name, NO_POSE];
    }
    return { link: parent, pose: NO_POSE };
  }

  private linkLines({ name, parent, offset, joint, distal, masses }: LinkDraft, before: string | undefined): string[] {
    const seat = poseText(offset);
    const shift = poseText(distal);
    const { mass, centre, inertia } = together(masses);
    const keys = ['xx', 'yy', 'zz', 'xy', 'xz', 'yz'];
    const entries = keys.flatMap((key, i) => (inertia[i] === 0 ? [] : [`${key}: ${numberText(inertia[i]!)}`]));
    const weight = [
      ...(shift === '{}' ? [] : ['frame: distal']),
      `mass: ${numberText(mass)}`,
      ...(centre.every((x) => x === 0) ? [] : [`com: ${numbersText(centre)}`]),
      ...(entries.length === 0 ? [] : [`inertia: { ${entries.join(', ')} }`]),
      ...(shift === '{}' ? [] : [`distal: ${shift}`]),
    ];
    const isMassless = mass === 0 && entries.length === 0;
    return [
      `  - name: ${name}`,
      ...(parent === (before ?? 'base') ? [] : [`    parent: ${parent}`]),
      ...(seat === '{}' ? [] : [`    offset: ${seat}`]),
      `    joint: ${this.jointText(joint)}`,
      ...(isMassless
        ? [`    rigid: ${shift === '{}' ? '{}' : `{ distal: ${shift} }`}`]
        : ['    rigid:', ...weight.map((line) => `      ${line}`)]),
    ];
  }

  private jointText(joint: TreeJoint): string {
    const { kind, axis, limits, stiffness, rest, damping, friction, armature, driveLimits = {}, pitch = 0 } = joint;
    if (kind === 'free') return 'free';
    const isBall = kind === 'ball';
    const all = (text: string): string => (isBall ? `{ r1: ${text}, r2: ${text}, r3: ${text} }` : text);
    const dry = `{ coulomb: ${numberText(friction)}, at: ${SMOOTH_BELOW[kind === 'slide' ? 'sliding' : 'turning']} }`;
    const keys = [
      ...(limits ? [`limits: ${numbersText(limits)}`] : []),
      ...driveEntries(driveLimits),
      ...(stiffness === 0 ? [] : [`stiffness: ${all(numberText(stiffness))}`]),
      ...(stiffness === 0 || withoutDust(rest) === 0 ? [] : [`rest: ${numberText(withoutDust(rest))}`]),
      ...(damping === 0 ? [] : [`damping: ${all(numberText(damping))}`]),
      ...(friction === 0 ? [] : [`friction: ${all(dry)}`]),
      ...(armature === 0 ? [] : [`armature: ${all(numberText(armature))}`]),
    ];
    if (isBall) return keys.length === 0 ? 'spherical' : `{ ${['spherical: {}', ...keys].join(', ')} }`;
    const type = {
      hinge: `revolute: ${axisText(axis)}`,
      slide: `prismatic: ${axisText(axis)}`,
      screw: `helical: { axis: ${axisText(axis)}, pitch: ${numberText(pitch)} }`,
    }[kind];
    const own = this.coordinates.get(joint)!;
    return `{ ${[type, ...keys, `names: [${own.slice(own.indexOf('.') + 1)}]`].join(', ')} }`;
  }

  /** Sites, and bodies without joints at the ends of branches that move. */
  private frames(): string[] {
    return bodiesOf(this.model.world).flatMap((body) => {
      const seat = this.seats.get(body)!;
      const isEnd = body.joints.length === 0 && body.children.length === 0;
      if (seat.link === 'base') {
        this.still.push(...body.sites);
        return [];
      }
      const sites = body.sites.map((site) => this.frameLine(site, { ...seat, pose: composed(seat.pose, site.pose) }));
      return [...(isEnd ? [this.frameLine(body, seat)] : []), ...sites];
    });
  }

  private frameLine(named: Parameters<ImportedNames['of']>[0], { link, pose }: Seat): string {
    const offset = poseText(pose);
    return `  ${this.names.of(named)}: { on: ${link}${offset === '{}' ? '' : `, offset: ${offset}`} }`;
  }

  private endText({ body, pose }: TreeEnd): string {
    const seat = this.seats.get(body)!;
    const offset = poseText(composed(seat.pose, pose));
    return offset === '{}' ? seat.link : `{ on: ${seat.link}, offset: ${offset} }`;
  }

  private loopLine(equation: TreeEquation): string {
    const name = this.otherNames.of({ name: equation.name, place: equation.place });
    if (equation.kind !== 'joint') {
      const { kind, a, b } = equation;
      return `  ${name}: { ${kind}: { a: ${this.endText(a)}, b: ${this.endText(b)}${LOOP_AXES_TEXT[kind] ?? ''} } }`;
    }
    const { joint, other, coefficients } = equation;
    const terms = coefficients.flatMap((c, i) => {
      if (c === 0) return [];
      const power = i === 0 ? '' : `*${this.coordinates.get(other!)!}${i === 1 ? '' : `^${i}`}`;
      return [
        `${this.coefficientText(c, Number(joint.kind === 'slide') - i * Number(other?.kind === 'slide'))}${power}`,
      ];
    });
    const sum = terms.length === 0 ? '' : ` - (${terms.join(' + ').replaceAll('+ -', '- ')})`;
    return `  ${name}: { constraint: "${this.coordinates.get(joint)!}${sum}" }`;
  }

  /** Formulas of robots check units, those of MJCF have none: what has a unit becomes a parameter. */
  private coefficientText(value: number, power: number): string {
    if (power === 0) return numberText(value);
    const name = `c${this.parameters.length + 1}`;
    const metres = power === 1 ? 'm' : `1/m${power === -1 ? '' : `^${-power}`}`;
    this.parameters.push(`${name}: ${numberText(value)} ${metres}`);
    return name;
  }

  private motorLine({ name, place, joint, ratio, limits }: TreeMotor): string {
    const own = this.otherNames.of({ name: name || 'motor', place });
    const entries = [
      `motor: ${this.coordinates.get(joint)!}`,
      ...(ratio === 1 ? [] : [`ratio: ${numberText(ratio)}`]),
      ...(limits ? [`limits: ${numbersText(limits)}`] : []),
    ];
    return `  ${own}: { ${entries.join(', ')} }`;
  }

  /** The law of servos, where they are all that moves the robot. */
  private servo(): string[] {
    const { motors } = this.model;
    const all = this.links.map(({ joint }) => motors.filter((motor) => motor.joint === joint));
    const isPlain = all.every(
      (own) => own.length === 1 && own[0]!.servo && own[0]!.servo.kp > 0 && own[0]!.ratio === 1,
    );
    if (!isPlain || all.length === 0) return [];
    const gains = (key: 'kp' | 'kv'): string => numbersText(all.map(([own]) => own!.servo![key]));
    return [`  servo: { pd: { kp: ${gains('kp')}, kd: ${gains('kv')} } }`];
  }

  private states(): string[] {
    return this.model.keyframes.flatMap(({ name, place, positions }) => {
      if (positions.length === 0) return [];
      const rest = [...positions];
      const values = this.links.flatMap(({ name: link, joint, offset }) => {
        const own = rest.splice(0, POSITIONS[joint.kind]);
        if (POSITIONS[joint.kind] === 1) return [[this.coordinates.get(joint)!, own[0]! - joint.reference] as const];
        const quaternion = own.slice(-4);
        if (quaternion.every((x) => x === 0)) return [];
        const R = meantRotationOfQuaternion(quaternion);
        if (joint.kind === 'ball') return rotationVectorOf(R).map((x, i) => [`${link}.r${i + 1}`, x] as const);
        const back = transposed(offset);
        const d = turned(back, minus(own.slice(0, 3), originOf(offset)));
        const r = rotationVectorOf(product(back, R));
        return [
          ...d.map((x, i) => [`${link}.d${i + 1}`, x] as const),
          ...r.map((x, i) => [`${link}.r${i + 1}`, x] as const),
        ];
      });
      const entries = values.flatMap(([key, value]) => (value === 0 ? [] : [`${key}: ${numberText(value)}`]));
      return [`  ${this.otherNames.of({ name, place })}: { ${entries.join(', ')} }`];
    });
  }
}
