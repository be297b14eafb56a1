/**
 * Reads the mechanics of an MJCF file (`mjcf-contents.ts`), the format of MuJoCo: a tree of rigid bodies, motors and servos, equations
 * between joints and bodies, keyframes. Shapes are read for their masses; what is drawn, measured or tuned for a solver is passed over,
 * and what else is mechanics is refused.
 */
import { host } from '#host';
import { nearest } from '../../common/nearest.ts';
import { composed, NO_POSE, NO_ROTATION, originOf, poseOf, relative, type Pose } from '../../common/poses.ts';
import { meantRotationOfQuaternion } from '../imported/meant-rotations.ts';
import { xmlDocument, type XmlElement } from '../imported/xml-document.ts';
import type { Remark } from '../model/warnings.ts';
import { Problems } from '../source/diagnostics.ts';
import type { Place } from '../source/source.ts';
import { Attributes, Classes } from './mjcf-attributes.ts';
import { BodyReader, range, type Compiler } from './mjcf-bodies.ts';
import {
  bodiesOf,
  POSITIONS,
  type TreeBody,
  type TreeEnd,
  type TreeEquation,
  type TreeJoint,
  type TreeKeyframe,
  type BodyTree,
  type TreeMotor,
} from '../imported/body-tree.ts';

/** Sections without a meaning for the motion of the bodies, or whose meaning is told otherwise. */
const PASSED = ['asset', 'visual', 'statistic', 'size', 'custom', 'sensor', 'extension', 'contact', 'default'];
const READ = ['compiler', 'option', 'worldbody', 'actuator', 'equality', 'keyframe'];

/** Switches of <option><flag>: what is off there is not in the robot either, or is refused. */
const MECHANICAL_FLAGS = [
  'spring',
  'damper',
  'passive',
  'frictionloss',
  'limit',
  'actuation',
  'equality',
  'constraint',
];

/** @param read text of another file, by its path. */
export function readMjcf(text: string, file: string, read: (path: string) => string): BodyTree {
  const { document, root } = xmlDocument(text, file);
  if (root.name !== 'mujoco')
    throw root.place.error(
      'not-mjcf',
      `this is not MJCF: the file begins with <${root.name}>, not with <mujoco>`,
      'name a file of MuJoCo',
    );
  const reader = new Reader(new Includes(file, read));
  const model = reader.model(root);
  return { document, ...model };
}

/** Elements with those of included files in their places. */
class Includes {
  private readonly read: (path: string) => string;
  private readonly folder: string;
  private readonly opened = new Map<string, readonly XmlElement[]>();

  constructor(file: string, read: (path: string) => string) {
    this.read = read;
    this.folder = host.paths.dirname(file);
  }

  readonly childrenOf = (element: XmlElement): readonly XmlElement[] =>
    element.children.flatMap((child) => (child.name === 'include' ? this.included(child) : [child]));

  private included(element: XmlElement): readonly XmlElement[] {
    const name = element.attribute('file');
    if (!name) throw element.place.error('malformed-mjcf', '<include> names no file', 'write file="…"');
    const path = host.paths.join(this.folder, name);
    if (this.opened.has(path))
      throw element.at('file').error('malformed-mjcf', `\`${name}\` is included a second time`, 'include it once');
    this.opened.set(path, []);
    return this.childrenOf(xmlDocument(this.read(path), path).root);
  }
}

class Reader {
  private readonly problems = new Problems();
  private readonly includes: Includes;
  private readonly warnings: Remark[] = [];
  private readonly notes: Remark[] = [];
  private classes = new Classes([]);
  private joints = new Map<string, TreeJoint>();
  private bodies = new Map<string, TreeEnd>();
  private sites = new Map<string, TreeEnd>();

  constructor(includes: Includes) {
    this.includes = includes;
  }

  model(root: XmlElement): Omit<BodyTree, 'document'> {
    const sections = this.includes.childrenOf(root);
    this.checkSections(sections);
    const of = (name: string): XmlElement[] => sections.filter((section) => section.name === name);
    const inside = (name: string): XmlElement[] => of(name).flatMap(this.includes.childrenOf);
    const compiler = this.attempt(() => compilerOf(of('compiler'))) ?? compilerOf([]);
    this.classes = new Classes(of('default').map((section) => section));
    const gravity = this.attempt(() => this.gravity(of('option'))) ?? EARTH;
    const reader = new BodyReader(compiler, this.classes, this.includes.childrenOf, this.problems);
    const worlds = of('worldbody').map((section) => reader.world(section));
    this.problems.finish();
    const [first] = worlds;
    if (!first) throw root.place.error('malformed-mjcf', 'there is no <worldbody>', 'add the bodies of the robot');
    const world = {
      ...first,
      children: worlds.flatMap(({ children }) => children),
      sites: worlds.flatMap(({ sites }) => sites),
    };
    this.learn(world, NO_POSE, world);
    const motors = this.each(inside('actuator'), (element) => this.motor(element, compiler));
    const equations = this.each(inside('equality'), (element) => this.equation(element));
    const keyframes = this.each(inside('keyframe'), (element, i) => this.keyframe(element, i, world));
    this.problems.finish();
    this.tellOfContacts(reader.shapes, world.place);
    return {
      name: root.attribute('model') ?? '',
      gravity,
      world,
      motors: motors.filter((motor) => motor !== undefined),
      equations: equations.filter((equation) => equation !== undefined),
      keyframes,
      warnings: [...reader.warnings, ...this.warnings],
      notes: [...reader.notes, ...this.notes],
    };
  }

  private attempt<T>(work: () => T): T | undefined {
    return this.problems.attempt(work);
  }

  private each<T>(elements: readonly XmlElement[], work: (element: XmlElement, i: number) => T): T[] {
    return elements.flatMap((element, i) => {
      const made = this.attempt(() => [work(element, i)]);
      return made ?? [];
    });
  }

  private checkSections(sections: readonly XmlElement[]): void {
    for (const section of sections) {
      if (PASSED.includes(section.name) || READ.includes(section.name) || section.name.includes(':')) continue;
      const close = nearest(section.name, [...READ, ...PASSED]);
      this.problems.add(
        section.place.error(
          'not-supported',
          `<${section.name}> is not read`,
          close
            ? `did you mean <${close}>?`
            : (REMEDIES[section.name] ?? 'remove it if the mechanism does not depend on it'),
        ),
      );
    }
  }

  private gravity(options: readonly XmlElement[]): readonly number[] {
    let gravity = EARTH;
    for (const element of options) {
      const own = new Attributes(element);
      for (const key of ['wind', 'density', 'viscosity'])
        if (own.numbers(key, 1, 3)?.some((x) => x !== 0))
          throw own
            .at(key)
            .error('not-supported', `the fluid of \`${key}\` is not read`, 'remove it; add `water:` to the robot');
      gravity = own.numbers('gravity', 3) ?? gravity;
      for (const flag of this.includes.childrenOf(element).filter(({ name }) => name === 'flag')) {
        const off = flag.attributeNames.filter((name) => flag.attribute(name) === 'disable');
        const mechanical = off.find((name) => MECHANICAL_FLAGS.includes(name));
        if (mechanical !== undefined)
          throw flag
            .at(mechanical)
            .error('not-supported', `\`${mechanical}\` is switched off`, 'remove the switch, and what it switches off');
        if (off.includes('gravity')) gravity = [0, 0, 0];
      }
    }
    return gravity;
  }

  /** Names of bodies, joints and sites, and where bodies are when all coordinates are zero. */
  private learn(body: TreeBody, pose: Pose, world: TreeBody): void {
    const add = <T>(known: Map<string, T>, name: string, place: Place, value: T): void => {
      if (name === '') return;
      if (known.has(name))
        this.problems.add(place.error('duplicate-name', `the name \`${name}\` is taken`, 'rename one of them'));
      known.set(name, value);
    };
    add(this.bodies, body === world ? 'world' : body.name, body.place, { body, pose });
    for (const joint of body.joints) add(this.joints, joint.name, joint.place, joint);
    for (const site of body.sites) add(this.sites, site.name, site.place, { body, pose: site.pose });
    for (const child of body.children) this.learn(child, composed(pose, child.pose), world);
  }

  private found<T>(known: ReadonlyMap<string, T>, what: string, own: Attributes, key: string): T {
    const name = own.text(key);
    if (name === undefined)
      throw own.place.error('malformed-mjcf', `<${own.element.name}> names no ${what}`, `write ${key}="…"`);
    const found = known.get(name);
    if (found !== undefined) return found;
    const close = nearest(name, [...known.keys()]);
    throw own
      .at(key)
      .error(
        `unknown-${what}`,
        `there is no ${what} \`${name}\``,
        close ? `did you mean \`${close}\`?` : `add the ${what}`,
      );
  }

  private motor(element: XmlElement, { autolimits }: Compiler): TreeMotor | undefined {
    if (!['motor', 'position', 'velocity', 'general'].includes(element.name))
      throw element.place.error('not-supported', `actuators <${element.name}> are not read`, ACTUATORS);
    const other = ['tendon', 'site', 'body', 'cranksite', 'slidersite', 'refsite'].find(
      (key) => element.attribute(key) !== undefined,
    );
    if (other !== undefined)
      throw element.at(other).error('not-supported', `actuators of a ${other} are not read`, ACTUATORS);
    const own = this.classes.of(element, undefined);
    const joint = this.found(this.joints, 'joint', own, own.text('joint') === undefined ? 'jointinparent' : 'joint');
    if (POSITIONS[joint.kind] !== 1)
      throw own.place.error('not-supported', `motors of ${joint.kind} joints are not read`, ACTUATORS);
    const [gear = 1, ...others] = own.numbers('gear', 0, 6) ?? [];
    if (others.some((x) => x !== 0))
      throw own.at('gear').error('not-supported', 'a hinge has one gear', 'write one number');
    if (gear === 0)
      throw own.at('gear').error('wrong-value', 'the gear is zero: the motor does nothing', 'write another');
    const { gain, servo } = lawOf(own);
    const force = range(own, 'forcerange', 'forcelimited', autolimits);
    const control = servo ? undefined : range(own, 'ctrlrange', 'ctrllimited', autolimits);
    const byForce = within(force, control && ordered(control.map((x) => x * gain)));
    const limits = within(byForce, joint.effort && ordered(joint.effort.map((x) => x / gear)));
    if (servo)
      this.note(
        own.place,
        `\`${own.name}\` is a servo in the file: its motor takes a force, and its law (${servo.kp} per position, ${servo.kv} per rate) belongs to a controller`,
      );
    else if (gain !== 1)
      this.note(own.place, `the input of \`${own.name}\` is its force, ${gain} times the control of the file`);
    return { name: own.name, place: own.place, joint, ratio: gear, limits, servo };
  }

  private equation(element: XmlElement): TreeEquation | undefined {
    if (!['connect', 'weld', 'joint'].includes(element.name))
      throw element.place.error('not-supported', `equations <${element.name}> are not read`, EQUATIONS);
    const own = element.name === 'joint' ? this.classes.ofCoupling(element) : this.classes.of(element, undefined);
    if (own.flag('active') === false) {
      this.note(own.place, `the equation \`${own.name || element.name}\` is not active and left out`);
      return undefined;
    }
    const named = { name: own.name || element.name, place: own.place };
    if (element.name !== 'joint')
      return { ...named, kind: element.name === 'weld' ? 'weld' : 'spherical', ...this.ends(own) };
    const joint = this.found(this.joints, 'joint', own, 'joint1');
    const other = own.text('joint2') === undefined ? undefined : this.found(this.joints, 'joint', own, 'joint2');
    for (const each of [joint, other])
      if (each && POSITIONS[each.kind] !== 1)
        throw own.place.error('not-supported', `equations of ${each.kind} joints are not read`, EQUATIONS);
    const [first = 0, ...rest] = own.numbers('polycoef', 1, 5) ?? [0, 1];
    // Both sides count from the values of the file's own position, as coordinates of robots do.
    return { ...named, kind: 'joint', joint, other, coefficients: other ? [first, ...rest] : [first] };
  }

  private ends(own: Attributes): { readonly a: TreeEnd; readonly b: TreeEnd } {
    if (own.text('site1') !== undefined)
      return { a: this.found(this.sites, 'site', own, 'site1'), b: this.found(this.sites, 'site', own, 'site2') };
    const first = this.found(this.bodies, 'body', own, 'body1');
    const second =
      own.text('body2') === undefined ? this.bodies.get('world')! : this.found(this.bodies, 'body', own, 'body2');
    const seen = relative(first.pose, second.pose);
    if (own.element.name === 'connect') {
      const place = own.numbers('anchor', 3);
      if (!place) throw own.place.error('malformed-mjcf', '<connect> has no anchor', 'write anchor="x y z"');
      const anchor = poseOf(NO_ROTATION, place);
      return {
        a: { body: first.body, pose: anchor },
        b: { body: second.body, pose: poseOf(NO_ROTATION, originOf(relative(seen, anchor))) },
      };
    }
    const stated = own.numbers('relpose', 7);
    const isStated = stated?.slice(3).some((x) => x !== 0) ?? false;
    const pose = isStated ? poseOf(meantRotationOfQuaternion(stated!.slice(3)), stated!.slice(0, 3)) : seen;
    return { a: { body: first.body, pose }, b: { body: second.body, pose: NO_POSE } };
  }

  private keyframe(element: XmlElement, index: number, world: TreeBody): TreeKeyframe {
    const own = new Attributes(element);
    const count = bodiesOf(world).reduce(
      (sum, { joints }) => joints.reduce((total, { kind }) => total + POSITIONS[kind], sum),
      0,
    );
    const positions = own.numbers('qpos', count) ?? [];
    if (own.numbers('qvel', 0, 1e6)?.some((x) => x !== 0))
      this.note(own.at('qvel'), 'rates of keyframes are left out: named states have none');
    return { name: own.name || `key${index + 1}`, place: own.place, positions };
  }

  private tellOfContacts(shapes: number, place: Place): void {
    if (shapes > 0)
      this.note(
        place,
        `contacts of ${shapes} shape${shapes === 1 ? '' : 's'} are left out: write the ones that matter under \`contacts:\``,
      );
  }

  private note({ location }: Place, message: string): void {
    this.notes.push({ location, message });
  }
}

const EARTH: readonly number[] = [0, 0, -9.81];
const ACTUATORS = 'write it as an actuator of the robot file (`tendon`, `wrench`, `along`), and remove it here';
const EQUATIONS = 'write it under `loops:` of the robot file, and remove it here';
const REMEDIES: Readonly<Record<string, string>> = {
  tendon: 'write tendons as actuators or forces of the robot file, and remove them here',
  deformable: 'write deformable bodies as bodies of the robot file, and remove them here',
};

function compilerOf(elements: readonly XmlElement[]): Compiler {
  const all = new Attributes(elements.at(-1) ?? NOTHING, [...elements].reverse());
  const refuse = (key: string, remedy: string): never => {
    throw all.at(key).error('not-supported', `\`${key}\` is not read`, remedy);
  };
  if (all.text('coordinate') === 'global') refuse('coordinate', 'convert the file to local coordinates');
  for (const key of ['balanceinertia', 'alignfree']) if (all.flag(key) === true) refuse(key, SAVED);
  for (const key of ['boundmass', 'boundinertia', 'settotalmass']) if ((all.number(key) ?? -1) > 0) refuse(key, SAVED);
  if (all.text('inertiagrouprange') !== undefined) refuse('inertiagrouprange', SAVED);
  const eulerseq = all.text('eulerseq') ?? 'xyz';
  if (!/^[xyzXYZ]{3}$/.test(eulerseq))
    throw all.at('eulerseq').error('wrong-value', `\`eulerseq\` is \`${eulerseq}\``, 'write three axes: xyz, or XYZ');
  return {
    angle: all.choice('angle', ['degree', 'radian'], 'degree') === 'degree' ? Math.PI / 180 : 1,
    autolimits: all.flag('autolimits') ?? true,
    eulerseq,
    inertiafromgeom: all.choice('inertiafromgeom', ['auto', 'true', 'false'], 'auto'),
  };
}

const SAVED = 'save the compiled model (`mj_saveLastXML`), where masses stand as numbers';
const NOTHING = xmlDocument('<compiler/>', '').root;

/** The force of an actuator: gain times control, or that of a servo. */
function lawOf(own: Attributes): { readonly gain: number; readonly servo?: TreeMotor['servo'] } {
  switch (own.element.name) {
    case 'position': {
      for (const key of ['dampratio', 'timeconst'])
        if ((own.number(key) ?? 0) !== 0)
          throw own
            .at(key)
            .error('not-supported', `\`${key}\` is not read`, 'write `kv` as a number, and no `timeconst`');
      return { gain: 1, servo: { kp: own.number('kp') ?? 1, kv: own.number('kv') ?? 0 } };
    }
    case 'velocity':
      return { gain: 1, servo: { kp: 0, kv: own.number('kv') ?? 1 } };
    case 'general': {
      own.choice('dyntype', ['none'], 'none');
      own.choice('gaintype', ['fixed'], 'fixed');
      const bias = own.choice('biastype', ['none', 'affine'], 'none');
      const [gain = 1] = own.numbers('gainprm', 0, 10) ?? [];
      if (bias === 'none') return { gain };
      const [constant = 0, position = 0, rate = 0] = own.numbers('biasprm', 0, 10) ?? [];
      if (constant !== 0)
        throw own.at('biasprm').error('not-supported', 'a constant force of an actuator is not read', ACTUATORS);
      return { gain, servo: { kp: -position, kv: -rate } };
    }
    default:
      return { gain: 1 };
  }
}

const ordered = ([a, b]: readonly number[]): readonly [number, number] => [Math.min(a!, b!), Math.max(a!, b!)];

/** What both ranges allow; each may be missing. */
function within(
  a: readonly [number, number] | undefined,
  b: readonly [number, number] | undefined,
): readonly [number, number] | undefined {
  return a && b ? [Math.max(a[0], b[0]), Math.min(a[1], b[1])] : (a ?? b);
}
