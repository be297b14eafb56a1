/**
 * Elements of SDFormat 1.6 to 1.11 and their values. What is drawn, measured or tuned for a solver is passed over; what else an element
 * holds is read or refused, for what would be dropped may be what matters.
 */
import { nearest } from '../../common/nearest.ts';
import { NO_POSE, poseOf, rotationOfAngles } from '../../common/poses.ts';
import { meantRotation, meantRotationOfQuaternion } from '../imported/meant-rotations.ts';
import type { XmlElement } from '../imported/xml-document.ts';
import { decimalIn, unknownAttribute } from '../imported/xml-values.ts';

interface Known {
  readonly attributes?: string;
  readonly read?: string;
  readonly passed?: string;
  /** What to do about elements that say something about mechanics and are not read. */
  readonly refused?: Readonly<Record<string, string>>;
}

const AXIS: Known = {
  read: 'xyz limit dynamics mimic use_parent_model_frame initial_position',
};
const STATE = 'write the state under `states:` of the robot file, and remove it here';

const KNOWN: Readonly<Record<string, Known>> = {
  sdf: { attributes: 'version', read: 'model world', passed: 'actor light' },
  world: {
    attributes: 'name',
    read: 'gravity model include frame joint',
    passed:
      'audio wind physics scene light magnetic_field atmosphere spherical_coordinates gui plugin road actor ' +
      'allow_auto_disable',
    refused: { state: STATE, population: 'place each model by an element of its own' },
  },
  model: {
    attributes: 'name canonical_link placement_frame namespace',
    read: 'static pose link joint frame model include enable_wind',
    passed: 'self_collide allow_auto_disable plugin',
    refused: { gripper: 'write what it holds as a loop of the robot file, and remove it here' },
  },
  include: {
    attributes: 'merge',
    read: 'uri name pose placement_frame static',
    passed: 'plugin namespace',
  },
  frame: { attributes: 'name attached_to', read: 'pose' },
  pose: { attributes: 'relative_to rotation_format degrees frame' },
  link: {
    attributes: 'name',
    read: 'pose inertial gravity enable_wind kinematic velocity_decay collision',
    passed:
      'self_collide must_be_base_link visual sensor projector audio_source audio_sink battery light particle_emitter',
    refused: { frame: 'move it to the model: <frame attached_to="…">' },
  },
  velocity_decay: { read: 'linear angular' },
  inertial: {
    attributes: 'auto',
    read: 'pose mass inertia density',
    passed: 'auto_inertia_params',
    refused: { fluid_added_mass: 'remove it; add `water:` to the robot' },
  },
  inertia: { read: 'ixx iyy izz ixy ixz iyz' },
  collision: {
    attributes: 'name',
    read: 'pose geometry density',
    passed: 'laser_retro max_contacts surface auto_inertia_params',
  },
  geometry: { read: 'empty box capsule cone cylinder ellipsoid heightmap image mesh plane polyline sphere' },
  joint: {
    attributes: 'name type',
    read: 'pose parent child axis axis2 physics gearbox_ratio gearbox_reference_body thread_pitch screw_thread_pitch',
    passed: 'sensor plugin',
  },
  axis: AXIS,
  axis2: AXIS,
  xyz: { attributes: 'expressed_in' },
  limit: { read: 'lower upper effort velocity', passed: 'stiffness dissipation' },
  dynamics: { read: 'damping friction spring_reference spring_stiffness' },
  mimic: { attributes: 'joint axis', read: 'multiplier offset reference' },
  physics: { read: 'simbody ode', passed: 'provide_feedback' },
  simbody: { read: 'must_be_loop_joint' },
  ode: {
    read: 'max_force velocity',
    passed: 'provide_feedback cfm_damping implicit_spring_damper fudge_factor cfm erp bounce limit suspension',
  },
};

const words = (text = ''): string[] => text.split(' ').filter((word) => word !== '');
const isOfOthers = (name: string): boolean => name.includes(':') || name.startsWith('xmlns');

/**
 * Everything that the element holds is known.
 * @throws KanegenError `unknown-attribute`, `unknown-element`, `not-supported`, `malformed-sdf` at text, or at elements that stand twice.
 */
export function checkElement(element: XmlElement): void {
  const known = KNOWN[element.name] ?? {};
  const attributes = words(known.attributes);
  for (const name of element.attributeNames) {
    if (attributes.includes(name) || isOfOthers(name)) continue;
    throw unknownAttribute(element, name, attributes);
  }
  const read = words(known.read);
  for (const child of element.children) {
    const { name } = child;
    if (read.includes(name) || words(known.passed).includes(name) || isOfOthers(name)) continue;
    const refused = known.refused?.[name];
    if (refused !== undefined)
      throw child.place.error('not-supported', `<${name}> of <${element.name}> is not read`, refused);
    const close = nearest(name, [...read, ...words(known.passed)]);
    const all = read.length === 0 ? 'it holds a value only' : `read: ${read.map((own) => `<${own}>`).join(', ')}`;
    throw child.place.error(
      'unknown-element',
      `<${element.name}> has no element <${name}> that is read`,
      close ? `did you mean <${close}>? ${all}` : `remove it if the mechanism does not depend on it; ${all}`,
    );
  }
  if (read.length > 0 && element.text)
    throw element.text.error(
      'malformed-sdf',
      `<${element.name}> holds text, which has no meaning there`,
      'write its values as elements, or the text as a comment',
    );
}

/** The child of that name, undefined without one; all that it holds is known. @throws KanegenError `malformed-sdf` */
export function childOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  const [first, second] = element?.children.filter((child) => child.name === name) ?? [];
  if (second) throw second.place.error('malformed-sdf', `<${element!.name}> has two <${name}>`, 'remove one of them');
  if (first) checkElement(first);
  return first;
}

/** The text of a child, undefined without one. @throws KanegenError `malformed-sdf` where it is empty. */
export function textOf(element: XmlElement | undefined, name: string): string | undefined {
  const child = childOf(element, name);
  if (!child) return undefined;
  if (child.content === '')
    throw child.place.error('malformed-sdf', `<${name}> is empty`, `write <${name}>…</${name}>`);
  return child.content;
}

/** @throws KanegenError `malformed-sdf` without it. */
export function nameOf(element: XmlElement): string {
  const name = element.attribute('name')?.trim();
  if (!name)
    throw element.place.error('malformed-sdf', `<${element.name}> has no name`, `write <${element.name} name="…">`);
  if (name.includes('::') || name.startsWith('__'))
    throw element
      .at('name')
      .error(
        'reserved-name',
        `\`${name}\` is not a valid name in SDFormat`,
        'leave out `::`, and `__` at its beginning',
      );
  return name;
}

export function flagOf(element: XmlElement | undefined, name: string): boolean {
  const text = textOf(element, name);
  return text !== undefined && truthOf(text, childOf(element, name)!.text!);
}

export function flagAttribute(element: XmlElement | undefined, name: string): boolean {
  const text = element?.attribute(name)?.trim();
  return text !== undefined && truthOf(text, element!.at(name));
}

function truthOf(text: string, at: XmlElement['place']): boolean {
  if (/^(true|1)$/i.test(text)) return true;
  if (/^(false|0)$/i.test(text)) return false;
  throw at.error('wrong-value', `\`${text}\` is neither true nor false`, 'write true or false');
}

/** One number of a child. @param isEndless infinities are numbers. */
export function numberOf(element: XmlElement | undefined, name: string, isEndless = false): number | undefined {
  const child = childOf(element, name);
  return child && numbersOf(child, [1], isEndless)[0]!;
}

/** @param counts that are possible. @throws KanegenError `not-a-number`, `wrong-shape`. */
export function numbersOf(element: XmlElement, counts: readonly number[], isEndless = false): number[] {
  const example = `write <${element.name}>${Array.from({ length: counts[0]! }, () => '0').join(' ')}</${element.name}>`;
  if (!element.text) throw element.place.error('wrong-shape', `<${element.name}> is empty`, example);
  const at = element.text;
  const tokens = [...element.content.matchAll(/\S+/g)];
  const values = tokens.map((token) => {
    const [text] = token;
    const value = decimalIn(text);
    if (value !== undefined) return value;
    if (isEndless && /^[+-]?inf(inity)?$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
    throw at.error('not-a-number', `\`${text.slice(0, 40)}\` is not a number`, 'write a decimal number', token.index);
  });
  if (!counts.includes(values.length))
    throw at.error('wrong-shape', `<${element.name}> has ${values.length} numbers, not ${counts[0]!}`, example);
  return values;
}

/** What <pose> of an element says: none is no shift and no turn. */
export interface SdfPose {
  readonly pose: readonly number[];
  /** The frame that it is given in, where the element says so. */
  readonly relativeTo: string | undefined;
  readonly element: XmlElement | undefined;
}

/** @throws KanegenError `not-a-rotation`, or what reading numbers throws. */
export function readPose(element: XmlElement): SdfPose {
  const own = childOf(element, 'pose');
  if (!own) return { pose: NO_POSE, relativeTo: undefined, element: undefined };
  if (own.attribute('frame')?.trim())
    throw own
      .at('frame')
      .error(
        'not-supported',
        '`frame` of a pose has no meaning that all readers share',
        'write SDFormat 1.7, and `relative_to`',
      );
  const format = own.attribute('rotation_format')?.trim() ?? 'euler_rpy';
  const isInDegrees = flagAttribute(own, 'degrees');
  const relativeTo = own.attribute('relative_to')?.trim() || undefined;
  if (!own.text) return { pose: NO_POSE, relativeTo, element: own };
  if (format === 'quat_xyzw') {
    if (isInDegrees) throw own.at('degrees').error('malformed-sdf', 'a quaternion has no degrees', 'remove `degrees`');
    const [x, y, z, ...[qx, qy, qz, qw]] = numbersOf(own, [7]) as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    if ([qx, qy, qz, qw].every((entry) => entry === 0))
      throw own.text.error('not-a-rotation', 'the quaternion is zero', 'write x y z w: 0 0 0 1 for no rotation');
    return { pose: poseOf(meantRotationOfQuaternion([qw, qx, qy, qz]), [x, y, z]), relativeTo, element: own };
  }
  if (format !== 'euler_rpy')
    throw own
      .at('rotation_format')
      .error('wrong-value', `\`${format}\` is not a rotation format`, 'write euler_rpy or quat_xyzw');
  const values = numbersOf(own, [6]);
  const angles = values.slice(3).map((angle) => (isInDegrees ? (angle * Math.PI) / 180 : angle));
  return { pose: poseOf(meantRotation(rotationOfAngles(angles)), values.slice(0, 3)), relativeTo, element: own };
}
