/**
 * Elements of MJCF with what their classes of defaults give them, and what they may say: an element of mechanics says nothing that is
 * not read, for what would be dropped may be what matters.
 */
import { nearest } from '../../common/nearest.ts';
import type { XmlElement } from '../imported/xml-document.ts';
import { decimalIn } from '../imported/xml-values.ts';
import type { Place } from '../source/source.ts';

/** Attributes that are read, and those that say nothing about the mechanics of a tree of rigid bodies. */
interface Known {
  readonly read: readonly string[];
  readonly passed?: readonly string[];
}

const ORIENTATION = ['quat', 'axisangle', 'euler', 'xyaxes', 'zaxis'];
const OF_SOLVER = ['solref', 'solimp', 'solreflimit', 'solimplimit', 'solreffriction', 'solimpfriction'];
const OF_CONTACT =
  'contype conaffinity condim priority friction solmix solref solimp margin gap hfield fitscale surfacevel'.split(' ');
const ACTUATOR = ['name', 'class', 'joint', 'jointinparent', 'gear', 'ctrlrange', 'ctrllimited', 'forcerange'];
const OF_ACTUATOR = ['forcelimited', 'group', 'user', 'lengthrange', 'ctrlnoise'];

const KNOWN: Readonly<Record<string, Known>> = {
  body: { read: ['name', 'childclass', 'pos', ...ORIENTATION, 'mocap', 'gravcomp'], passed: ['user', 'sleep'] },
  frame: { read: ['childclass', 'pos', ...ORIENTATION], passed: ['name'] },
  inertial: { read: ['pos', ...ORIENTATION, 'mass', 'diaginertia', 'fullinertia'] },
  joint: {
    read: 'name class type pos axis range limited stiffness damping frictionloss armature springref ref springdamper'
      .split(' ')
      .concat('actuatorfrcrange', 'actuatorfrclimited'),
    passed: ['group', 'margin', 'user', 'actuatorgravcomp', ...OF_SOLVER],
  },
  freejoint: { read: ['name', 'align'], passed: ['group'] },
  geom: {
    read: ['name', 'class', 'type', 'pos', ...ORIENTATION, 'size', 'fromto', 'mass', 'density', 'shellinertia'],
    passed: ['mesh', 'material', 'rgba', 'group', 'user', 'fluidshape', 'fluidcoef', ...OF_CONTACT],
  },
  site: {
    read: ['name', 'class', 'pos', ...ORIENTATION, 'fromto'],
    passed: ['type', 'size', 'material', 'rgba', 'group', 'user'],
  },
  motor: { read: ACTUATOR, passed: OF_ACTUATOR },
  position: {
    read: [...ACTUATOR, 'kp', 'kv', 'dampratio', 'timeconst'],
    passed: [...OF_ACTUATOR, 'inheritrange'],
  },
  velocity: { read: [...ACTUATOR, 'kv'], passed: OF_ACTUATOR },
  general: {
    read: [...ACTUATOR, 'dyntype', 'gaintype', 'biastype', 'gainprm', 'biasprm'],
    passed: [...OF_ACTUATOR, 'dynprm', 'inheritrange', 'actlimited', 'actrange', 'actdim', 'actearly'],
  },
  connect: { read: ['name', 'class', 'active', 'body1', 'body2', 'anchor', 'site1', 'site2'], passed: OF_SOLVER },
  weld: {
    read: ['name', 'class', 'active', 'body1', 'body2', 'relpose', 'anchor', 'site1', 'site2'],
    passed: ['torquescale', ...OF_SOLVER],
  },
};
/** Of equality, not the joints of bodies. */
const COUPLING: Known = { read: ['name', 'class', 'active', 'joint1', 'joint2', 'polycoef'], passed: OF_SOLVER };

/** @throws KanegenError `unknown-attribute`. */
function checkAttributes(element: XmlElement, { read, passed = [] }: Known): void {
  for (const name of element.attributeNames) {
    if (read.includes(name) || passed.includes(name) || name.includes(':')) continue;
    const close = nearest(name, read);
    throw element.place
      .at(name)
      .keyError(
        'unknown-attribute',
        `\`${name}\` of <${element.name}> is not read`,
        `${close ? `did you mean \`${close}\`? ` : ''}remove it if the mechanism does not depend on it; read: ${read.join(', ')}`,
      );
  }
}

/** Classes of defaults: each says what its elements have unless they, or a class inside of it, say otherwise. */
export class Classes {
  private readonly known = new Map<string, { readonly outer: string | undefined; readonly says: XmlElement[] }>();

  /** @param elements of <default> at the top of the file. */
  constructor(elements: readonly XmlElement[]) {
    for (const element of elements) this.add(element, undefined);
    if (!this.known.has('main')) this.known.set('main', { outer: undefined, says: [] });
  }

  /**
   * @param childclass of the bodies around it.
   * @throws KanegenError `unknown-class`, or `unknown-attribute` where the element says what is not read.
   */
  of(element: XmlElement, childclass: string | undefined, known = KNOWN[element.name]!): Attributes {
    checkAttributes(element, known);
    const own = element.attribute('class');
    const name = own ?? childclass ?? 'main';
    if (!this.known.has(name)) {
      const close = nearest(name, [...this.known.keys()]);
      const at = own === undefined ? element.place : element.at('class');
      throw at.error(
        'unknown-class',
        `there are no defaults of the class \`${name}\``,
        close ? `did you mean \`${close}\`?` : `classes: ${[...this.known.keys()].join(', ')}`,
      );
    }
    return new Attributes(element, [element, ...this.layers(name, element.name)]);
  }

  ofCoupling(element: XmlElement): Attributes {
    return this.of(element, undefined, COUPLING);
  }

  private add(element: XmlElement, outer: string | undefined): void {
    const name = element.attribute('class') ?? outer ?? 'main';
    const isNew = !this.known.has(name);
    const says = isNew ? [] : this.known.get(name)!.says;
    if (isNew) this.known.set(name, { outer, says });
    for (const child of element.children)
      if (child.name === 'default') this.add(child, name);
      else says.push(child);
  }

  /** What the class and those around it say of elements of a kind, the nearest first. `general` speaks of all actuators. */
  private layers(name: string, kind: string): XmlElement[] {
    const layers: XmlElement[] = [];
    const kinds = ['motor', 'position', 'velocity'].includes(kind) ? [kind, 'general'] : [kind];
    for (let at: string | undefined = name; at !== undefined; at = this.known.get(at)!.outer) {
      const says = this.known.get(at)!.says;
      for (const own of kinds) layers.push(...says.filter((each) => each.name === own).reverse());
    }
    return layers;
  }
}

/** What an element and its classes say. */
export class Attributes {
  readonly element: XmlElement;
  private readonly layers: readonly XmlElement[];

  constructor(element: XmlElement, layers: readonly XmlElement[] = [element]) {
    this.element = element;
    this.layers = layers;
  }

  get place(): Place {
    return this.element.place;
  }

  /** The name that the file gives, or none. */
  get name(): string {
    return this.element.attribute('name') ?? '';
  }

  text(name: string): string | undefined {
    return this.saying(name)?.attribute(name)?.trim();
  }

  at(name: string): Place {
    return (this.saying(name) ?? this.element).at(name);
  }

  /** `true` or `false`; undefined also for `auto`. */
  flag(name: string): boolean | undefined {
    const text = this.text(name);
    if (text === undefined || text === 'auto') return undefined;
    if (text === 'true' || text === 'false') return text === 'true';
    throw this.at(name).error('wrong-value', `\`${name}\` is \`${text}\``, 'write true, false or auto');
  }

  /** @throws KanegenError `wrong-value` at a text that is none of these. */
  choice<T extends string>(name: string, choices: readonly T[], standard: T): T {
    const text = this.text(name);
    if (text === undefined) return standard;
    const found = choices.find((each) => each === text);
    if (found !== undefined) return found;
    throw this.at(name).error('wrong-value', `\`${name}\` is \`${text}\``, `read: ${choices.join(', ')}`);
  }

  number(name: string): number | undefined {
    return this.numbers(name, 1)?.[0];
  }

  /**
   * @param least how many at least; exactly so many without `most`.
   * @throws KanegenError `not-a-number` or `wrong-shape`.
   */
  numbers(name: string, least: number, most = least): number[] | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const tokens = text.split(/\s+/).filter((token) => token !== '');
    const values = tokens.map((token) => {
      const value = decimalIn(token);
      if (value !== undefined) return value;
      throw this.at(name).error('not-a-number', `\`${token.slice(0, 40)}\` is not a number`, 'write a decimal number');
    });
    if (values.length < least || values.length > most)
      throw this.at(name).error(
        'wrong-shape',
        `\`${name}\` has ${values.length} numbers, not ${least === most ? least : `${least} to ${most}`}`,
        `write ${least} numbers`,
      );
    return values;
  }

  private saying(name: string): XmlElement | undefined {
    return this.layers.find((layer) => layer.attribute(name) !== undefined);
  }
}
