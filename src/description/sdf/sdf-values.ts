/** Masses of links, axes of joints: what elements of SDF say in numbers. */
import { NO_POSE, turned, unit } from '../../common/poses.ts';
import { seenFrom, solidShape, together, type MassProperties, type SolidShape } from '../imported/mass-of-shapes.ts';
import type { XmlElement } from '../imported/xml-document.ts';
import type { DriveLimits } from '../model/robot.ts';
import type { Place } from '../source/source.ts';
import { checkElement, childOf, flagAttribute, flagOf, numberOf, numbersOf, readPose } from './sdf-elements.ts';
import { MODEL, type Scope } from './sdf-scopes.ts';

/** Something to be said about a place of the file. */
export type Tell = (place: Place, message: string) => void;

// ---------------------------------------------------------------------------------------------- masses

/** kg/m³, of shapes that state no density: the default of SDFormat. */
const WATER_DENSITY = 1000;
/** Of links without <inertial>, or without a part of it: the defaults of SDFormat, kg and kg m². */
const STANDARD = { mass: 1, inertia: [1, 1, 1, 0, 0, 0] };
const ENTRIES = ['ixx', 'iyy', 'izz', 'ixy', 'ixz', 'iyz'];

/** @throws KanegenError `not-supported`, `negative-mass`, or what reading values throws. */
export function massOf(link: XmlElement, warn: Tell): MassProperties {
  refuseUnusual(link);
  const inertial = childOf(link, 'inertial');
  if (flagAttribute(inertial, 'auto')) return massOfShapes(link, inertial!);
  if (numberOf(inertial, 'density') !== undefined)
    throw childOf(inertial, 'density')!.place.error(
      'malformed-sdf',
      'a density has a meaning beside auto="true" only',
      'write auto="true", or remove it',
    );
  const stated = numberOf(inertial, 'mass');
  const mass = stated ?? STANDARD.mass;
  if (mass < 0)
    throw childOf(inertial, 'mass')!.place.error('negative-mass', 'the mass is negative', 'write zero or more');
  const matrix = childOf(inertial, 'inertia');
  const missing = [...(stated === undefined ? ['a mass'] : []), ...(matrix ? [] : ['an inertia'])];
  if (missing.length > 0)
    warn(
      (inertial ?? link).place,
      `\`${link.attribute('name')!}\` states ${missing.join(' and ')} nowhere: SDFormat takes ${stated === undefined ? '1 kg' : ''}${missing.length > 1 ? ' and ' : ''}${matrix ? '' : '1 kg m² about each axis'}`,
    );
  const inertia = matrix ? ENTRIES.map((key, i) => numberOf(matrix, key) ?? STANDARD.inertia[i]!) : STANDARD.inertia;
  return seenFrom({ mass, centre: [0, 0, 0], inertia }, inertial ? poseInLink(inertial) : NO_POSE);
}

/** What links may say about their motion that robots do not have. */
function refuseUnusual(link: XmlElement): void {
  const refuse = (name: string, what: string, remedy: string): never => {
    throw childOf(link, name)!.place.error('not-supported', what, remedy);
  };
  if (childOf(link, 'gravity') && !flagOf(link, 'gravity'))
    refuse('gravity', 'links without weight are not read', 'remove <gravity>, and add a force that carries the link');
  if (flagOf(link, 'kinematic'))
    refuse(
      'kinematic',
      'links that follow a motion from outside are not read',
      'remove it, and write a `prescribed` joint',
    );
  if (flagOf(link, 'enable_wind')) refuse('enable_wind', 'wind is not read', 'remove it; add `water:` to the robot');
  const decay = childOf(link, 'velocity_decay');
  for (const key of ['linear', 'angular'])
    if ((numberOf(decay, key) ?? 0) !== 0)
      throw childOf(decay, key)!.place.error(
        'not-supported',
        'a decay of velocities is not read',
        'write damping of joints, and remove it here',
      );
}

/** Poses of masses and shapes are seen from their link. */
function poseInLink(element: XmlElement): readonly number[] {
  const { pose, relativeTo, element: own } = readPose(element);
  if (relativeTo === undefined) return pose;
  throw own!
    .at('relative_to')
    .error('not-supported', `the pose of <${element.name}> is that in its link`, 'leave out `relative_to`');
}

/** `auto="true"`: shapes for collisions, each with its density. */
function massOfShapes(link: XmlElement, inertial: XmlElement): MassProperties {
  for (const name of ['mass', 'inertia', 'pose']) {
    const own = childOf(inertial, name);
    if (own)
      throw own.place.error('malformed-sdf', `<${name}> has no meaning beside auto="true"`, 'remove one of the two');
  }
  const density = numberOf(inertial, 'density') ?? WATER_DENSITY;
  const shapes = link.children.filter(({ name }) => name === 'collision');
  if (shapes.length === 0)
    throw inertial
      .at('auto')
      .error('malformed-sdf', 'there is no <collision> to take the mass of', 'write the inertia');
  return together(
    shapes.map((shape) => shapeMass(shape, density)),
    shapes.map(poseInLink),
  );
}

function shapeMass(collision: XmlElement, standard: number): MassProperties {
  checkElement(collision);
  const shape = childOf(collision, 'geometry')?.children[0];
  if (!shape) throw collision.place.error('malformed-sdf', '<collision> has no <geometry>', 'add one');
  const solid = sizeOf(shape);
  if (!solid)
    throw shape.place.error(
      'not-supported',
      `the mass of a <${shape.name}> is not known here`,
      'write mass and inertia of the link instead of auto="true"',
    );
  if (!solid.size.every((x) => x > 0))
    throw shape.place.error('wrong-value', 'a size of the shape is not above zero', 'write sizes above zero');
  const density = numberOf(collision, 'density') ?? standard;
  if (!(density > 0))
    throw collision.place.error('wrong-value', `the density is ${density}`, 'write a density above zero');
  const { volume, moments } = solidShape(solid.kind, solid.size);
  const mass = density * volume;
  return { mass, centre: [0, 0, 0], inertia: [...moments.map((x) => mass * x), 0, 0, 0] };
}

/** In sizes of MJCF: halves of edges and lengths. */
function sizeOf(shape: XmlElement): { readonly kind: SolidShape; readonly size: readonly number[] } | undefined {
  const number = (name: string): number => {
    const value = numberOf(shape, name);
    if (value !== undefined) return value;
    throw shape.place.error('malformed-sdf', `<${shape.name}> has no <${name}>`, `write <${name}>…</${name}>`);
  };
  const three = (name: string): number[] => {
    const own = childOf(shape, name);
    if (own) return numbersOf(own, [3]);
    throw shape.place.error('malformed-sdf', `<${shape.name}> has no <${name}>`, `write <${name}>…</${name}>`);
  };
  switch (shape.name) {
    case 'box':
      return { kind: 'box', size: three('size').map((x) => x / 2) };
    case 'sphere':
      return { kind: 'sphere', size: [number('radius')] };
    case 'ellipsoid':
      return { kind: 'ellipsoid', size: three('radii') };
    case 'cylinder':
    case 'capsule':
      return { kind: shape.name, size: [number('radius'), number('length') / 2] };
    default:
      return undefined;
  }
}

// ---------------------------------------------------------------------------------------------- axes

interface SdfMimic {
  readonly place: Place;
  readonly joint: string;
  readonly axis: 'axis' | 'axis2';
  /** follower = multiplier · (leader − reference) + offset. */
  readonly multiplier: number;
  readonly offset: number;
  readonly reference: number;
}

/** An axis with what acts along it. */
export interface SdfAxis {
  /** Unit vector, axes of the world, where all joints are at zero. */
  readonly direction: readonly number[];
  readonly place: Place;
  readonly limits: readonly [number, number] | undefined;
  readonly driveLimits: DriveLimits;
  readonly stiffness: number;
  readonly rest: number;
  readonly damping: number;
  readonly friction: number;
  readonly mimic: SdfMimic | undefined;
}

/** SDFormat before 1.9 writes so where there is no limit. */
const ENDLESS = 1e16;

/**
 * @param pose of the joint, seen from the world.
 * @param isBounded does the type of joint have limits?
 * @throws KanegenError `zero-axis`, `wrong-value`, or what reading values throws.
 */
export function readAxis(
  axis: XmlElement,
  pose: readonly number[],
  scope: Scope,
  isBounded: boolean,
  tell: { readonly warn: Tell; readonly note: Tell },
): SdfAxis {
  const dynamics = childOf(axis, 'dynamics');
  const limit = childOf(axis, 'limit');
  const positive = (name: string): number => {
    const value = numberOf(dynamics, name) ?? 0;
    if (value >= 0) return value;
    throw childOf(dynamics, name)!.place.error('wrong-value', `<${name}> is negative`, 'write zero or more');
  };
  const start = numberOf(axis, 'initial_position') ?? 0;
  if (start !== 0)
    tell.note(
      childOf(axis, 'initial_position')!.place,
      `initial positions are left out: write ${start} under \`states:\``,
    );
  const drive = (name: 'effort' | 'velocity'): DriveLimits => {
    const value = numberOf(limit, name, true) ?? Infinity;
    return value > 0 && value < ENDLESS ? { [name]: value } : {};
  };
  return {
    direction: directionOf(axis, pose, scope),
    place: axis.place,
    limits: isBounded ? limitsOf(limit, tell.note) : undefined,
    driveLimits: { ...drive('effort'), ...drive('velocity') },
    stiffness: positive('spring_stiffness'),
    rest: numberOf(dynamics, 'spring_reference') ?? 0,
    damping: positive('damping'),
    friction: positive('friction'),
    mimic: readMimic(childOf(axis, 'mimic')),
  };
}

function directionOf(axis: XmlElement, pose: readonly number[], scope: Scope): readonly number[] {
  const xyz = childOf(axis, 'xyz');
  const stated = xyz?.attribute('expressed_in')?.trim() || undefined;
  const frame =
    stated !== undefined
      ? scope.poseOf(stated, xyz!.at('expressed_in'))
      : flagOf(axis, 'use_parent_model_frame')
        ? scope.poseOf(MODEL, axis.place)
        : pose;
  const direction = xyz ? unit(numbersOf(xyz, [3])) : [0, 0, 1];
  if (direction) return turned(frame, direction);
  throw xyz!.text!.error('zero-axis', 'the axis is the zero vector', 'write for example 0 0 1');
}

function limitsOf(limit: XmlElement | undefined, note: Tell): readonly [number, number] | undefined {
  const lower = numberOf(limit, 'lower', true) ?? -Infinity;
  const upper = numberOf(limit, 'upper', true) ?? Infinity;
  if (lower >= upper) {
    note(limit!.place, `the limits ${lower} to ${upper} leave no room and are ignored`);
    return undefined;
  }
  const isLimited = lower > -ENDLESS && upper < ENDLESS;
  if (!isLimited && (lower > -ENDLESS || upper < ENDLESS))
    note(limit!.place, 'a limit at one end only is ignored: robots have both');
  return isLimited ? [lower, upper] : undefined;
}

function readMimic(mimic: XmlElement | undefined): SdfMimic | undefined {
  if (!mimic) return undefined;
  const joint = mimic.attribute('joint')?.trim();
  if (!joint) throw mimic.place.error('malformed-sdf', '<mimic> names no joint', 'write joint="…"');
  const axis = mimic.attribute('axis')?.trim() || 'axis';
  if (axis !== 'axis' && axis !== 'axis2')
    throw mimic.at('axis').error('wrong-value', `\`${axis}\` is not an axis`, 'write axis or axis2');
  return {
    place: mimic.place,
    joint,
    axis,
    multiplier: numberOf(mimic, 'multiplier') ?? 1,
    offset: numberOf(mimic, 'offset') ?? 0,
    reference: numberOf(mimic, 'reference') ?? 0,
  };
}

// ---------------------------------------------------------------------------------------------- joints

/** Displacement per revolution of a screw, m, positive for a right-handed thread. */
export function pitchOf(joint: XmlElement): number {
  const pitch = numberOf(joint, 'screw_thread_pitch');
  const old = numberOf(joint, 'thread_pitch');
  if (pitch !== undefined && old === undefined) return pitch;
  if (pitch === undefined && old !== undefined && old !== 0) return (-2 * Math.PI) / old;
  throw joint.place.error(
    'malformed-sdf',
    'a screw needs one pitch that is not zero',
    'write <screw_thread_pitch>: metres per revolution, positive for a right-handed thread',
  );
}

/** Does the file ask for a cut of its loop at this joint? Motors of solvers are refused. */
export function mustClose(joint: XmlElement): boolean {
  const physics = childOf(joint, 'physics');
  const ode = childOf(physics, 'ode');
  for (const key of ['max_force', 'velocity'])
    if ((numberOf(ode, key) ?? 0) !== 0)
      throw childOf(ode, key)!.place.error(
        'not-supported',
        'motors of a solver are not read',
        'write a motor and a controller of the robot file, and remove it here',
      );
  return flagOf(childOf(physics, 'simbody'), 'must_be_loop_joint');
}
