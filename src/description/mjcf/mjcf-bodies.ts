/** Bodies of MJCF: poses, joints, masses out of <inertial> or of shapes, sites. */
import {
  composed,
  cross,
  dot,
  minus,
  NO_POSE,
  NO_ROTATION,
  plus,
  poseOf,
  product,
  rotationAbout,
  rotationOfColumns,
  scaled,
  unit,
  type Pose,
  type Rotation,
  type Vector,
} from '../../common/poses.ts';
import type { Problems } from '../source/diagnostics.ts';
import type { Remark } from '../model/warnings.ts';
import type { Place } from '../source/source.ts';
import type { XmlElement } from '../imported/xml-document.ts';
import {
  NO_MASS,
  seenFrom,
  SIZES,
  SOLID_SHAPES,
  solidShape,
  together,
  type MassProperties,
} from '../imported/mass-of-shapes.ts';
import { meantRotation, meantRotationOfQuaternion } from '../imported/meant-rotations.ts';
import type { Attributes, Classes } from './mjcf-attributes.ts';
import type { TreeBody, TreeJoint, TreeSite } from '../imported/body-tree.ts';
/** What <compiler> says. */
export interface Compiler {
  /** Radians per unit of angle. */
  readonly angle: number;
  /** Joints with a range are limited without saying so. */
  readonly autolimits: boolean;
  readonly eulerseq: string;
  readonly inertiafromgeom: 'auto' | 'true' | 'false';
}

/** Elements of bodies without a meaning for mechanics. */
const PASSED = new Set(['camera', 'light', 'user']);
/** Of shapes that state none, kg/m³: the default of MJCF (MuJoCo's XML reference, `geom/density`). */
const WATER_DENSITY = 1000;

export class BodyReader {
  readonly warnings: Remark[] = [];
  readonly notes: Remark[] = [];
  /** Shapes that may touch others. */
  shapes = 0;
  private readonly compiler: Compiler;
  private readonly classes: Classes;
  private readonly childrenOf: (element: XmlElement) => readonly XmlElement[];
  private readonly problems: Problems;

  /** @param childrenOf an element, files that it includes in their places. */
  constructor(
    compiler: Compiler,
    classes: Classes,
    childrenOf: (element: XmlElement) => readonly XmlElement[],
    problems: Problems,
  ) {
    this.compiler = compiler;
    this.classes = classes;
    this.childrenOf = childrenOf;
    this.problems = problems;
  }

  world(element: XmlElement): TreeBody {
    const { children, sites } = this.contents(element, NO_POSE, element.attribute('childclass'), true);
    return { name: '', place: element.place, pose: NO_POSE, joints: [], mass: NO_MASS, sites, children };
  }

  private body(element: XmlElement, around: Pose, outer: string | undefined, onWorld: boolean): TreeBody {
    const own = this.classes.of(element, undefined);
    if (own.flag('mocap') === true)
      throw own.at('mocap').error('not-supported', 'bodies that follow a motion from outside are not read', MOCAP);
    if ((own.number('gravcomp') ?? 0) !== 0)
      throw own
        .at('gravcomp')
        .error('not-supported', 'compensation of gravity is not read', 'add it in the controller');
    const childclass = own.text('childclass') ?? outer;
    const pose = composed(around, this.pose(own));
    const { joints, shapes, sites, children, inertial } = this.contents(element, NO_POSE, childclass, false);
    const free = joints.find(({ kind }) => kind === 'free');
    if (free && (!onWorld || joints.length > 1))
      throw free.place.error(
        'malformed-mjcf',
        'a free joint is the only joint of a body of the world',
        'move the body to <worldbody>, or remove its other joints',
      );
    const isStated = inertial !== undefined && this.compiler.inertiafromgeom !== 'true';
    const mass = isStated ? inertial : together(shapes.map((shape) => shape()));
    return { name: own.name, place: element.place, pose, joints, mass, sites, children };
  }

  /** @param around pose of what the element frames, seen from the body. */
  private contents(
    element: XmlElement,
    around: Pose,
    childclass: string | undefined,
    isWorld: boolean,
  ): {
    readonly joints: readonly TreeJoint[];
    readonly shapes: readonly (() => MassProperties)[];
    readonly sites: readonly TreeSite[];
    readonly children: readonly TreeBody[];
    readonly inertial: MassProperties | undefined;
  } {
    const joints: TreeJoint[] = [];
    const shapes: (() => MassProperties)[] = [];
    const sites: TreeSite[] = [];
    const children: TreeBody[] = [];
    let inertial: MassProperties | undefined;
    const read = (child: XmlElement): void => {
      if (child.name === 'body') children.push(this.body(child, around, childclass, isWorld));
      else if (child.name === 'joint') joints.push(this.joint(this.classes.of(child, childclass)));
      else if (child.name === 'freejoint') joints.push(this.freeJoint(this.classes.of(child, childclass)));
      else if (child.name === 'inertial') inertial = this.inertial(this.classes.of(child, childclass));
      else if (child.name === 'geom') {
        const own = this.classes.of(child, childclass);
        if (own.number('contype') !== 0) this.shapes++;
        if (!isWorld) shapes.push(() => seenFrom(...this.shape(own, around)));
      } else if (child.name === 'site') {
        const own = this.classes.of(child, childclass);
        sites.push({ name: own.name, place: child.place, pose: composed(around, this.poseOfShape(own)) });
      } else if (child.name === 'frame') {
        const own = this.classes.of(child, undefined);
        const inner = own.text('childclass') ?? childclass;
        const within = this.contents(child, composed(around, this.pose(own)), inner, isWorld);
        sites.push(...within.sites);
        children.push(...within.children);
        shapes.push(...within.shapes);
        joints.push(...within.joints);
      } else if (!PASSED.has(child.name) && !child.name.includes(':'))
        throw child.place.error(
          'not-supported',
          `<${child.name}> is not read`,
          'save the compiled model (`mj_saveLastXML`), where that is expanded, or remove it',
        );
    };
    for (const child of this.childrenOf(element)) this.problems.attempt(() => read(child));
    return { joints, shapes, sites, children, inertial };
  }

  private joint(own: Attributes): TreeJoint {
    const kind = own.choice('type', ['hinge', 'slide', 'ball', 'free'], 'hinge');
    if (kind === 'free') return this.freeJoint(own);
    if (own.text('springdamper') !== undefined)
      throw own
        .at('springdamper')
        .error('not-supported', '`springdamper` is not read', 'write `stiffness` and `damping` as numbers');
    const perUnit = kind === 'slide' ? 1 : this.compiler.angle;
    const reference = perUnit * (kind === 'ball' ? 0 : (own.number('ref') ?? 0));
    const axis = own.numbers('axis', 3) ?? [0, 0, 1];
    const direction = unit(axis);
    if (!direction) throw own.at('axis').error('zero-axis', 'the axis is the zero vector', 'write axis="0 0 1"');
    const joint: TreeJoint = {
      name: own.name,
      place: own.place,
      kind,
      anchor: own.numbers('pos', 3) ?? [0, 0, 0],
      axis: direction,
      reference,
      limits: this.limits(own, kind, perUnit, reference),
      stiffness: this.coefficient(own, 'stiffness'),
      rest: perUnit * (kind === 'ball' ? 0 : (own.number('springref') ?? 0)) - reference,
      damping: this.coefficient(own, 'damping'),
      friction: this.coefficient(own, 'frictionloss'),
      armature: this.coefficient(own, 'armature'),
      effort: range(own, 'actuatorfrcrange', 'actuatorfrclimited', this.compiler.autolimits),
    };
    if (reference !== 0)
      this.note(own.at('ref'), `the coordinate of ${shownName(own)} is zero where the file has the value ${reference}`);
    if (kind === 'ball' && (joint.damping !== 0 || joint.armature !== 0 || joint.friction !== 0))
      this.warn(
        own.place,
        `damping, friction and armature of the ball ${shownName(own)} act on the rates of its rotation vector, those of the file on the angular velocity: they agree near zero`,
      );
    return joint;
  }

  private freeJoint(own: Attributes): TreeJoint {
    if (own.element.name === 'freejoint' && own.flag('align') === true)
      throw own.at('align').error('not-supported', '`align` is not read', 'remove it');
    const nothing = { reference: 0, stiffness: 0, rest: 0, damping: 0, friction: 0, armature: 0 };
    if (own.element.name === 'joint')
      for (const key of ['stiffness', 'damping', 'frictionloss', 'armature'])
        if (this.coefficient(own, key) !== 0)
          throw own.at(key).error('not-supported', `\`${key}\` of a free joint is not read`, 'remove it');
    const [anchor, axis] = [
      [0, 0, 0],
      [0, 0, 1],
    ];
    return {
      name: own.name,
      place: own.place,
      kind: 'free',
      anchor,
      axis,
      limits: undefined,
      effort: undefined,
      ...nothing,
    };
  }

  private limits(
    own: Attributes,
    kind: TreeJoint['kind'],
    perUnit: number,
    reference: number,
  ): readonly [number, number] | undefined {
    const given = range(own, 'range', 'limited', this.compiler.autolimits);
    if (!given) return undefined;
    if (kind === 'ball') {
      this.warn(
        own.at('range'),
        `the range of the ball ${shownName(own)} is left out: it limits an angle, no coordinate`,
      );
      return undefined;
    }
    const [lower, upper] = given.map((x) => perUnit * x - reference) as [number, number];
    if (lower < upper) return [lower, upper];
    this.note(own.at('range'), `the range of ${shownName(own)} leaves no room and is ignored`);
    return undefined;
  }

  /** One number that is not negative; polynomials whose other terms are zero. */
  private coefficient(own: Attributes, name: string): number {
    const [value = 0, ...others] = own.numbers(name, 0, 8) ?? [];
    if (others.some((x) => x !== 0))
      throw own
        .at(name)
        .error('not-supported', `\`${name}\` is not linear`, 'write one number, or a force of the robot');
    if (value < 0) throw own.at(name).error('wrong-value', `\`${name}\` is negative`, 'write zero or more');
    return value;
  }

  private inertial(own: Attributes): MassProperties {
    const mass = own.number('mass');
    if (mass === undefined) throw own.place.error('malformed-mjcf', '<inertial> has no mass', 'write mass="…"');
    if (mass < 0) throw own.at('mass').error('negative-mass', 'the mass is negative', 'write zero or more');
    const full = own.numbers('fullinertia', 6);
    const inertia = full ?? [...(own.numbers('diaginertia', 3) ?? [0, 0, 0]), 0, 0, 0];
    return seenFrom({ mass, centre: [0, 0, 0], inertia }, this.pose(own));
  }

  /** Mass of a shape in its own axes, and its pose seen from the body. */
  private shape(own: Attributes, around: Pose): [MassProperties, Pose] {
    const pose = composed(around, this.poseOfShape(own));
    const stated = own.number('mass');
    const density = own.number('density') ?? WATER_DENSITY;
    const kind = own.text('type') ?? 'sphere';
    if (kind === 'plane' || kind === 'hfield' || stated === 0 || (stated === undefined && density === 0))
      return [NO_MASS, pose];
    const solid = SOLID_SHAPES.find((each) => each === kind);
    if (!solid)
      throw own.place.error(
        'not-supported',
        `the mass of a shape of the type ${kind} is not known here`,
        'give its body an <inertial>, as the saved model of the simulator has it, or the shape mass="0"',
      );
    if (own.flag('shellinertia') === true)
      throw own.at('shellinertia').error('not-supported', 'inertias of shells are not read', 'write an <inertial>');
    const size = this.size(own, SIZES[solid]);
    const { volume, moments } = solidShape(solid, size);
    const mass = stated ?? density * volume;
    return [{ mass, centre: [0, 0, 0], inertia: [...scaled(mass, moments), 0, 0, 0] }, pose];
  }

  private size(own: Attributes, count: number): readonly number[] {
    const ends = own.numbers('fromto', 6);
    const isLong = ends !== undefined && count > 1;
    const given = own.numbers('size', isLong ? count - 1 : count, 3);
    const size = isLong
      ? [...(given ?? []).slice(0, count - 1), Math.hypot(...minus(ends.slice(3), ends.slice(0, 3))) / 2]
      : given?.slice(0, count);
    if (!size || size.length < count || !size.every((x) => x > 0))
      throw own.at('size').error('wrong-shape', `the shape needs ${count} sizes above zero`, `write size="…"`);
    return size;
  }

  /** By both ends of its axis as well. */
  private poseOfShape(own: Attributes): Pose {
    const ends = own.numbers('fromto', 6);
    if (!ends) return this.pose(own);
    const [from, to] = [ends.slice(0, 3), ends.slice(3)];
    const along = unit(minus(from, to));
    if (!along) throw own.at('fromto').error('wrong-value', 'both ends are the same', 'write two places');
    return poseOf(fromZ(along), scaled(0.5, plus(from, to)));
  }

  private pose(own: Attributes): Pose {
    return poseOf(meantRotation(this.rotation(own)), own.numbers('pos', 3) ?? [0, 0, 0]);
  }

  private rotation(own: Attributes): Rotation {
    const { angle, eulerseq } = this.compiler;
    const demand = (key: string, direction: Vector | undefined): Vector => {
      if (direction) return direction;
      throw own.at(key).error('not-a-rotation', `\`${key}\` has no direction`, 'write vectors that are not zero');
    };
    const quaternion = own.numbers('quat', 4);
    if (quaternion) {
      if (quaternion.every((x) => x === 0)) demand('quat', undefined);
      return meantRotationOfQuaternion(quaternion);
    }
    const turn = own.numbers('axisangle', 4);
    if (turn) return rotationAbout(demand('axisangle', unit(turn.slice(0, 3))), angle * turn[3]!);
    const euler = own.numbers('euler', 3);
    if (euler)
      return [...eulerseq].reduce<Rotation>((R, letter, i) => {
        const step = rotationAbout(UNITS['xyz'.indexOf(letter.toLowerCase())]!, angle * euler[i]!);
        // Small letters turn about axes that turn along.
        return letter === letter.toLowerCase() ? product(R, step) : product(step, R);
      }, NO_ROTATION);
    const axes = own.numbers('xyaxes', 6);
    if (axes) {
      const x = demand('xyaxes', unit(axes.slice(0, 3)));
      const across = axes.slice(3);
      const y = demand('xyaxes', unit(minus(across, scaled(dot(x, across), x))));
      return rotationOfColumns([x, y, cross(x, y)]);
    }
    const z = own.numbers('zaxis', 3);
    return z ? fromZ(demand('zaxis', unit(z))) : NO_ROTATION;
  }

  private warn({ location }: Place, message: string): void {
    this.warnings.push({ location, message });
  }

  private note({ location }: Place, message: string): void {
    this.notes.push({ location, message });
  }
}

const MOCAP = 'place the body in the world, or give it joints that are `prescribed` in the robot file';
const UNITS: readonly Vector[] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

const shownName = (own: Attributes): string => `\`${own.name || own.element.name}\``;

/** The shortest turn of z to a unit vector; half a turn about x to −z. */
function fromZ(z: Vector): Rotation {
  const axis = cross(UNITS[2]!, z);
  const direction = unit(axis);
  if (!direction) return z[2]! > 0 ? NO_ROTATION : rotationAbout(UNITS[0]!, Math.PI);
  return rotationAbout(direction, Math.atan2(Math.hypot(...axis), z[2]!));
}

/** A range that holds: one that is said to, or is given where that is enough. */
export function range(
  own: Attributes,
  name: string,
  switchName: string,
  isAutomatic: boolean,
): readonly [number, number] | undefined {
  const given = own.numbers(name, 2) as [number, number] | undefined;
  const isOn = own.flag(switchName) ?? (isAutomatic && given !== undefined);
  return isOn && given ? given : undefined;
}
