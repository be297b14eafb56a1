/** Joints of an SDF file: what they connect, where they are, what acts along them. */
import { originOf } from '../../common/poses.ts';
import type { XmlElement } from '../imported/xml-document.ts';
import type { Place } from '../source/source.ts';
import { childOf, nameOf, numberOf, readPose, textOf } from './sdf-elements.ts';
import { reference, WORLD, type Scope, type SdfLink } from './sdf-scopes.ts';
import { mustClose, pitchOf, readAxis, type SdfAxis, type Tell } from './sdf-values.ts';

const TYPES = [
  'revolute',
  'continuous',
  'prismatic',
  'ball',
  'screw',
  'universal',
  'revolute2',
  'fixed',
  'gearbox',
] as const;
type SdfJointType = (typeof TYPES)[number];

/** How many axes joints have. */
const AXES: Readonly<Record<SdfJointType, number>> = {
  revolute: 1,
  continuous: 1,
  prismatic: 1,
  ball: 0,
  screw: 1,
  universal: 2,
  revolute2: 2,
  fixed: 0,
  gearbox: 2,
};

export type Carrier = SdfLink | typeof WORLD;

export interface SdfJoint {
  readonly name: string;
  readonly fullName: string;
  readonly place: Place;
  readonly type: SdfJointType;
  readonly parent: Carrier;
  readonly child: Carrier;
  /** World axes, where all joints are at zero. */
  readonly anchor: readonly number[];
  readonly axes: readonly SdfAxis[];
  readonly pitch: number | undefined;
  /** Of a gearbox. */
  readonly gear: { readonly ratio: number; readonly body: Carrier } | undefined;
  readonly mustClose: boolean;
  readonly scope: Scope;
}

/** @throws KanegenError `wrong-value`, `malformed-sdf`, `not-supported`, or what reading values throws. */
export function readJoint(
  { element, scope }: { readonly element: XmlElement; readonly scope: Scope },
  tell: { readonly warn: Tell; readonly note: Tell },
): SdfJoint {
  const name = nameOf(element);
  const text = element.attribute('type')?.trim();
  const type = TYPES.find((own) => own === text);
  if (!type)
    throw element
      .at('type')
      .error('wrong-value', `\`${text ?? ''}\` is not a joint type`, `write one of ${TYPES.join(', ')}`);
  const [parentName, parentAt] = reference(element, 'parent');
  const [childName, childAt] = reference(element, 'child');
  if (childName === WORLD)
    throw childAt.error('malformed-sdf', 'the world cannot be the child of a joint', 'swap <parent> and <child>');
  const pose = scope.poseGiven(readPose(element), childName, childAt);
  const read = [childOf(element, 'axis'), childOf(element, 'axis2')];
  const count = AXES[type];
  const axes = read.slice(0, count).map((axis, i) => {
    if (axis) return readAxis(axis, pose, scope, type !== 'continuous' && type !== 'gearbox', tell);
    throw element.place.error(
      'malformed-sdf',
      `a ${type} joint needs <${i === 0 ? 'axis' : 'axis2'}>`,
      'add it, with <xyz>',
    );
  });
  for (const axis of read.slice(count)) if (axis) requireIdle(axis, type);
  const parent = scope.linkOf(parentName, parentAt);
  const child = scope.linkOf(childName, childAt);
  if (parent === child)
    throw element.place.error('malformed-sdf', `both ends of \`${name}\` are on one link`, 'connect two links');
  return {
    name,
    fullName: `${scope.prefix}${name}`,
    place: element.place,
    type,
    parent,
    child,
    anchor: originOf(pose),
    axes,
    pitch: type === 'screw' ? pitchOf(element) : undefined,
    gear: type === 'gearbox' ? gearOf(element, scope) : undefined,
    mustClose: mustClose(element),
    scope,
  };
}

/** Exporters write an axis for joints that have none, or a second one: it may say nothing about forces. */
function requireIdle(axis: XmlElement, type: SdfJointType): void {
  const dynamics = childOf(axis, 'dynamics');
  for (const key of ['damping', 'friction', 'spring_stiffness'])
    if ((numberOf(dynamics, key) ?? 0) !== 0)
      throw childOf(dynamics, key)!.place.error(
        'not-supported',
        `<${key}> of <${axis.name}> has no meaning in a ${type} joint`,
        'remove it, or choose another type',
      );
  const mimic = childOf(axis, 'mimic');
  if (mimic) throw mimic.place.error('malformed-sdf', `<mimic> has no meaning in a ${type} joint`, 'remove it');
}

function gearOf(element: XmlElement, scope: Scope): NonNullable<SdfJoint['gear']> {
  const body = textOf(element, 'gearbox_reference_body');
  if (body === undefined)
    throw element.place.error(
      'malformed-sdf',
      'a gearbox needs <gearbox_reference_body>',
      'name the link of both shafts',
    );
  const ratio = numberOf(element, 'gearbox_ratio') ?? 1;
  if (ratio === 0)
    throw childOf(element, 'gearbox_ratio')!.place.error('wrong-value', 'the ratio is zero', 'write another number');
  return { ratio, body: scope.linkOf(body, childOf(element, 'gearbox_reference_body')!.text!) };
}

/** Does anything act along an axis of the joint? */
export const isLoaded = ({ axes }: SdfJoint): boolean =>
  axes.some(({ stiffness, damping, friction }) => stiffness !== 0 || damping !== 0 || friction !== 0);

export const isLimited = ({ axes }: SdfJoint): boolean =>
  axes.some(({ limits, driveLimits }) => limits !== undefined || Object.keys(driveLimits).length > 0);
