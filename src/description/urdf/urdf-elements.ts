/**
 * What elements of URDF may hold. Shapes, materials and extensions of simulators are passed over; an element that says something
 * about mechanics says nothing that is not read, for what would be dropped may be what matters.
 */
import { nearest } from '../../common/nearest.ts';
import type { Problems } from '../source/diagnostics.ts';
import type { Place } from '../source/source.ts';
import type { XmlElement } from '../imported/xml-document.ts';
import { unknownAttribute } from '../imported/xml-values.ts';

/** Elements with a meaning here or elsewhere; what is close to one of them is a misspelling. */
const KNOWN_ELEMENTS: Readonly<Record<string, readonly string[]>> = {
  robot: ['link', 'joint', 'material', 'transmission', 'gazebo'],
  link: ['inertial', 'visual', 'collision'],
  inertial: ['origin', 'mass', 'inertia'],
  joint: ['origin', 'parent', 'child', 'axis', 'calibration', 'dynamics', 'limit', 'mimic', 'safety_controller'],
};

/** Attributes of the elements that are read, with what URDF 1.1 and 1.2 added. */
const ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  inertial: [],
  origin: ['xyz', 'rpy', 'quat_xyzw'],
  mass: ['value'],
  inertia: ['ixx', 'iyy', 'izz', 'ixy', 'ixz', 'iyz'],
  joint: ['name', 'type'],
  parent: ['link'],
  child: ['link'],
  axis: ['xyz'],
  limit: ['lower', 'upper', 'effort', 'velocity', 'acceleration', 'deceleration', 'jerk'],
  dynamics: ['damping', 'friction'],
  mimic: ['joint', 'multiplier', 'offset'],
};

/** Attributes that files found in the wild carry for one program only, which other readers pass over. */
const FOREIGN: Readonly<Record<string, readonly string[]>> = {
  joint: ['dont_collapse'],
  limit: ['command_effort', 'current', 'gear_velocity'],
  dynamics: ['D', 'K', 'mu_coulomb', 'mu_viscous'],
};

/** Newer files may say what is not known here. */
const NEWEST = { major: 1, minor: 2 };

export interface UrdfVersion {
  readonly major: number;
  readonly minor: number;
}

/** 1.0 when nothing is said. @throws KanegenError `not-supported` or `wrong-value`. */
export function versionOf(robot: XmlElement): UrdfVersion {
  const text = robot.attribute('version')?.trim() ?? '';
  if (text === '') return { major: 1, minor: 0 };
  const [, major, minor] = /^(\d{1,6})(?:\.(\d{1,6}))?(?:\.\d+)*$/.exec(text) ?? [];
  if (major === undefined)
    throw robot.at('version').error('wrong-value', `\`${text}\` is not a version of URDF`, 'write 1.0, 1.1 or 1.2');
  const version = { major: Number(major), minor: Number(minor ?? 0) };
  if (version.major > NEWEST.major || (version.major === NEWEST.major && version.minor > NEWEST.minor))
    throw robot
      .at('version')
      .error('not-supported', `URDF ${text} is newer than kanegen reads`, 'convert the file to URDF 1.2 or older');
  return version;
}

/** Unknown elements are passed over; not so misspelled ones, and nothing within an inertia. */
export function checkElements(element: XmlElement, problems: Problems): void {
  const known = KNOWN_ELEMENTS[element.name]!;
  for (const child of element.children) {
    if (known.includes(child.name) || isOfOthers(child.name)) continue;
    const close = nearest(child.name, known);
    if (!close && element.name !== 'inertial') continue;
    const remedy = close ? `did you mean <${close}>?` : `its elements: ${list(known)}`;
    problems.add(child.place.error('unknown-element', `unknown element <${child.name}>`, remedy));
  }
}

/** What a joint says that is passed over although it may be about mechanics: elements, and attributes of some program. */
export function passedOver(joint: XmlElement): readonly { readonly place: Place; readonly what: string }[] {
  const elements = joint.children.filter(({ name }) => !KNOWN_ELEMENTS['joint']!.includes(name) && !isOfOthers(name));
  const foreign = [joint, ...joint.children].flatMap((element) => {
    const names = (FOREIGN[element.name] ?? []).filter((name) => element.attribute(name) !== undefined);
    return names.map((name) => ({ place: element.place.at(name), what: `\`${name}\` of <${element.name}>` }));
  });
  return [...elements.map(({ name, place }) => ({ place, what: `<${name}>` })), ...foreign];
}

/**
 * Everything that an element of mechanics says must be read.
 * @throws KanegenError `unknown-attribute`, or `malformed-urdf` at text or elements inside of it.
 */
export function checkMechanics(element: XmlElement): void {
  const known = ATTRIBUTES[element.name]!;
  for (const name of element.attributeNames) {
    if (known.includes(name) || FOREIGN[element.name]?.includes(name)) continue;
    if (isOfOthers(name) || saysNothing(element, name)) continue;
    throw unknownAttribute(element, name, known);
  }
  if (KNOWN_ELEMENTS[element.name]) return;
  const child = element.children.find(({ name }) => !isOfOthers(name));
  const inside = element.text ?? child?.place;
  if (inside)
    throw inside.error(
      'malformed-urdf',
      `<${element.name}> holds ${element.text ? 'text' : `<${child!.name}>`}, which has no meaning there`,
      `write attributes: <${element.name} ${known.map((name) => `${name}="…"`).join(' ')}/>`,
    );
}

/** Prefixes name the program that reads it: `drake:acceleration`. */
const isOfOthers = (name: string): boolean => name.includes(':') || name === 'xmlns';

/** An axis is written with a rotation of zero by exporters of CAD programs. */
function saysNothing(element: XmlElement, name: string): boolean {
  return element.name === 'axis' && name === 'rpy' && /^[\s,0.+-]*$/.test(element.attribute(name)!);
}

const list = (names: readonly string[]): string => names.map((name) => `<${name}>`).join(', ');

export function duplicate(place: Place, message: string): Error {
  return place.error('duplicate-name', message, 'rename one of them');
}

/** @throws KanegenError `malformed-urdf` when the attribute is missing or blank. */
export function required(element: XmlElement, attribute: string, example: string): string {
  const text = element.attribute(attribute)?.trim();
  if (text) return text;
  throw element.place.error('malformed-urdf', `<${element.name}> has no \`${attribute}\``, `write <${example}>`);
}

/**
 * The child of that name, undefined without one; all that it says is known. Two that say the same are one.
 * @throws KanegenError `malformed-urdf`, or what {@link checkMechanics} throws.
 */
export function single(element: XmlElement, name: string): XmlElement | undefined {
  const [first, ...others] = element.children.filter((child) => child.name === name);
  const other = others.find((each) => !each.equals(first!));
  if (other) throw other.place.error('malformed-urdf', `<${element.name}> has two <${name}>`, 'remove one of them');
  if (first) checkMechanics(first);
  return first;
}
