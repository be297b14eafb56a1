/** `contacts:` of a robot file: bodies and rods that press against obstacles. */
import type { KanegenError } from '../../common/error.ts';
import { half, minus, power, sqrt, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { freeSymbols } from '../../symbolic/graph/traverse.ts';
import {
  composeFrames,
  dot,
  frameEntries,
  identityFrame,
  scaleVector,
  unitVectors,
  vector3,
  zeroVector,
  type Frame,
  type Vector3,
} from '../../symbolic/graph/vector.ts';
import { linksNamed, type ActuatorContext } from '../actuators/actuator-context.ts';
import { readAnchor } from '../actuators/anchor.ts';
import { MOST_POINTS } from '../bodies/integration-choice.ts';
import { centrelineProblem } from '../robot/water.ts';
import type { RobotParameters } from '../robot/robot-parameters.ts';
import type { RawAnchor } from '../language/actuators.ts';
import type { RawContact, RawContactEnd } from '../language/contacts.ts';
import {
  bristleParts,
  meetings,
  SECTIONS_ON_MOVING,
  SECTIONS_ON_ROD,
  shapeIn,
  USUAL_POINTS,
  type Bristle,
  type Contact,
  type ContactLaw,
  type MutualContact,
  type Shape,
  type Touching,
} from '../model/contact.ts';
import type { Problems } from '../source/diagnostics.ts';
import type { Anchor } from '../model/frame-terms.ts';
import type { DeformableBody } from '../model/robot.ts';
import type { Place } from '../source/source.ts';
import { readContactLaw, readPositive } from './contact-law.ts';
import { ballOf, lawOfSection, pieceOf, sectionsOf, type RodSection, type RodSections } from './rod-sections.ts';
import { nameProblem } from '../values/reserved-names.ts';
import { dues, knownNumber, readVector, type RawValue } from '../values/scope.ts';

/** Of one entry, with the index of the link. */
export interface PlacedContact {
  readonly link: number;
  readonly contact: Contact;
}

/** With what adds parameters to the robot. */
export interface ContactContext extends ActuatorContext {
  readonly parameters: Pick<RobotParameters, 'own'>;
}

export interface ContactReading {
  readonly withObstacles: readonly PlacedContact[];
  readonly mutual: readonly MutualContact[];
}

/** What stands under `between`: shapes that ride on one rigid part, or rods. */
type End = { readonly at: Place } & (
  | {
      readonly kind: 'fixed';
      readonly kinds: ShapeKey;
      readonly shapes: readonly Shape[];
      readonly own: OwnShapes;
    }
  | {
      readonly kind: 'moving';
      readonly kinds: ShapeKey;
      readonly link: number;
      readonly shapes: readonly Shape[];
      readonly own: OwnShapes;
    }
  | { readonly kind: 'rod'; readonly links: readonly number[]; readonly radius?: Expr; readonly points?: number }
);

/** In axes of the frame that they are given in. */
interface OwnShapes {
  readonly anchor: Anchor;
  readonly shapes: readonly Shape[];
}

type RodEnd = Extract<End, { readonly kind: 'rod' }>;
type FixedEnd = Extract<End, { readonly kind: 'fixed' }>;

type Meeting = readonly [Shape, Shape];

const SHAPES = ['plane', 'sphere', 'capsule', 'cylinder', 'tube', 'points'] as const;
type ShapeKey = (typeof SHAPES)[number];

/** Pairs that touch along a line or an area, where no point is the nearest. */
const FLAT: Readonly<Partial<Record<ShapeKey, readonly ShapeKey[]>>> = {
  plane: ['plane', 'cylinder', 'tube'],
  cylinder: ['plane', 'cylinder', 'tube'],
  tube: ['plane', 'cylinder', 'tube'],
};

/** Of a rod against a body that moves: each is a point of its own, integrated to from the base of the rod. */
const MOST_SECTIONS = 64;

/** Of rods on rods. */
const MOST_ON_ROD = 16;

interface RawShape {
  readonly on: string;
  readonly frame?: 'proximal' | undefined;
  readonly axis?: string | readonly RawValue[];
  readonly radius?: RawValue | undefined;
  readonly length?: RawValue;
  /** A point, or several. */
  readonly at?: unknown;
}

type RawRod = Pick<NonNullable<Exclude<RawContactEnd, string>['rod']>, 'on' | 'radius' | 'points'>;

/** In the order of the file; problems are noted. @param base of the robot. @param isFlowing does its water move? */
export function readContacts(
  place: Place,
  raws: Readonly<Record<string, RawContact>>,
  base: Frame,
  isFlowing: boolean,
  context: ContactContext,
  problems: Problems,
): ContactReading {
  const all = Object.entries(raws).flatMap(([name, raw]) => {
    const at = place.at(name);
    const found = problems.attempt((): ContactReading => {
      const problem = nameProblem(at, name, 'a contact', 'prefixed', 'key');
      if (problem) throw problem;
      if (freeSymbols(frameEntries(base)).length > 0)
        throw at.keyError(
          'not-supported',
          'contacts need a base that does not depend on run-time parameters',
          'put the part that changes into the `offset` of the first link',
        );
      if (isFlowing)
        throw at.keyError(
          'not-supported',
          'contacts are made for water at rest, and the water of this robot has a `current`',
          'leave out one of them',
        );
      return new ContactReader(at, name, raw, base, context).read();
    });
    return found ? [found] : [];
  });
  return {
    withObstacles: all.flatMap(({ withObstacles }) => withObstacles),
    mutual: all.flatMap(({ mutual }) => mutual),
  };
}

class ContactReader {
  private readonly place: Place;
  private readonly name: string;
  private readonly raw: RawContact;
  private readonly base: Frame;
  private readonly context: ContactContext;
  /** Pairs that have a bristle so far. */
  private bristles = 0;

  constructor(place: Place, name: string, raw: RawContact, base: Frame, context: ContactContext) {
    this.place = place;
    this.name = name;
    this.raw = raw;
    this.base = base;
    this.context = context;
  }

  read(): ContactReading {
    const at = this.place.at('between');
    const [first, second] = this.raw.between.map((end, i) => this.end(at.at(i), end)) as [End, End];
    const [own, other] = first.kind === 'fixed' ? [second, first] : [first, second];
    if (own.kind === 'fixed')
      throw at.keyError(
        'wrong-value',
        'both shapes of this contact move rigidly together: nothing brings them closer',
        'put one of them on a link that moves',
      );
    if (own.kind === 'rod' && other.kind === 'rod') return this.rodOnRod(at, own, other);
    if (this.raw.apart !== undefined)
      throw this.place
        .at('apart')
        .keyError('unknown-key', 'only rods that touch themselves have sections that must be `apart`', 'remove it');
    return other.kind === 'rod'
      ? this.between(other, own as Exclude<End, FixedEnd | RodEnd>)
      : this.between(own, other);
  }

  private between(own: Exclude<End, FixedEnd>, other: Exclude<End, RodEnd>): ContactReading {
    const { place, name, raw } = this;
    const at = place.at('between');
    const isRod = own.kind === 'rod';
    if (!isRod && FLAT[own.kinds]?.includes(other.kinds))
      throw at.keyError(
        'not-supported',
        `a ${own.kinds} and a ${other.kinds} touch along a line or an area, where no point is the nearest`,
        'give one of them a shape with ends: a capsule, spheres, or the `points` of its corners',
      );
    this.demandRoom(own, other);
    if (raw.per !== undefined && !isRod)
      throw place.at('per').keyError('unknown-key', 'only rods have a law `per` length or point', 'remove `per`');
    const perPoint = raw.per === 'point';
    if (perPoint && own.kind === 'rod' && own.points === undefined)
      throw place
        .at('per')
        .keyError(
          'missing-key',
          'the force of a law of each point grows with the number of points, which is not given',
          'write { rod: { on: LINK, points: 24 } }, or `per: length`',
        );
    if (perPoint && own.kind === 'rod' && own.points! > USUAL_POINTS)
      throw own.at
        .at('points')
        .error(
          'wrong-value',
          `with a law \`per: point\` a rod cannot have ${own.points!} points`,
          `write at most ${USUAL_POINTS}, or \`per: length\``,
        );
    const law = readContactLaw(this.place, this.raw, isRod && !perPoint, this.context);
    // Each section has a bristle of its own.
    const isApart = isRod && (other.kind === 'moving' || law.friction?.kind === 'bristle');
    if (isApart && (own.points ?? 0) > MOST_SECTIONS)
      throw own.at
        .at('points')
        .error(
          'wrong-value',
          `${other.kind === 'moving' ? 'against a body that moves' : 'with friction that sticks'} a rod cannot have ${own.points!} points`,
          `write at most ${MOST_SECTIONS}`,
        );
    const common = { name, summary: raw.summary ?? '', law, location: place.location };
    const touching: Touching = isRod
      ? {
          kind: 'rod',
          perPoint,
          ...(own.radius && { radius: own.radius }),
          points: own.points ?? USUAL_POINTS,
        }
      : { kind: 'shapes', shapes: own.shapes };
    if (isApart) return { withObstacles: [], mutual: this.sections(own, other, perPoint, common) };
    if (own.kind === 'moving' && other.kind === 'moving')
      return { withObstacles: [], mutual: this.mutual(at, own, other, common) };
    const links = own.kind === 'rod' ? own.links : [own.link];
    const all = other.shapes.length * (own.kind === 'rod' ? 1 : own.shapes.length);
    const withObstacles = links.flatMap((link) =>
      other.shapes.map((obstacle) => {
        const met = own.kind === 'rod' ? [] : own.shapes.map((shape): Meeting => [shape, obstacle]);
        return { link, contact: { ...common, touching, obstacle, ...this.held(law, met, all, false) } };
      }),
    );
    return { withObstacles, mutual: [] };
  }

  /** What is in a tube is thinner than its bore. */
  private demandRoom(...ends: readonly End[]): void {
    const radiiOf = (end: End): readonly (Expr | undefined)[] =>
      end.kind === 'rod' ? [end.radius] : end.shapes.map(({ radius }) => radius);
    const numbersOf = (end: End): number[] =>
      radiiOf(end).map((radius) => (radius && knownNumber(radius, this.context.defaults)) ?? 0);
    ends.forEach((tube, k) => {
      if (tube.kind === 'rod' || tube.kinds !== 'tube') return;
      const [bore, inside] = [Math.min(...numbersOf(tube)), Math.max(...numbersOf(ends[1 - k]!))];
      if (bore > 0 && inside >= bore)
        throw tube.at
          .at('radius')
          .error(
            'wrong-value',
            `the bore of this tube has a radius of ${bore} m, and what is in it one of ${inside} m`,
            'write a wider bore; `cylinder` is what touches from outside',
          );
    });
  }

  /** Bristles of pairs that stick, with parameters of their own, one after the other. @param all pairs of shapes of this entry. */
  private held(
    { friction }: ContactLaw,
    met: readonly Meeting[],
    all: number,
    isSection: boolean,
  ): { readonly bristles?: readonly Bristle[] } {
    if (friction?.kind !== 'bristle') return {};
    const count = met.reduce((sum, shapes) => sum + meetings(...shapes), 0);
    const isOne = all === 1 && count === 1;
    const bristles = Array.from({ length: count }, (): Bristle => {
      this.bristles++;
      const stem = `${this.name}${isOne ? '' : `_${this.bristles}`}`;
      const [isHeld, ...places] = bristleParts(isSection).map((part) =>
        this.context.parameters.own(
          this.place,
          `${stem}_${part}`,
          part === 'held' ? '1' : 'm',
          part === 'held'
            ? `does the bristle of ${this.name} have a place`
            : `where the bristle of ${this.name} is held`,
        ),
      );
      const own = !isSection && { own: vector3(places.slice(0, 3)) };
      return { isHeld: isHeld!, ...own, other: vector3(places.slice(-3)) };
    });
    return { bristles };
  }

  private mutual(
    at: Place,
    first: End & { readonly kind: 'moving' },
    second: End & { readonly kind: 'moving' },
    common: Pick<MutualContact, 'name' | 'summary' | 'law' | 'location'>,
  ): readonly MutualContact[] {
    if (first.link === second.link)
      throw at.keyError(
        'wrong-value',
        'both shapes of this contact move rigidly together: nothing brings them closer',
        'put them on links that move against each other',
      );
    const frames = [first.own.anchor, second.own.anchor] as const;
    const all = first.own.shapes.length * second.own.shapes.length;
    return first.own.shapes.flatMap((a) =>
      second.own.shapes.map((b) => {
        const shapes = [a, b] as const;
        return { ...common, frames, shapes, ...this.held(common.law, [shapes], all, false) };
      }),
    );
  }

  /** Sections of a rod that press against shapes by themselves: material points, each for the same length of the rod. */
  private sections(
    { links, radius, points = SECTIONS_ON_MOVING }: RodEnd,
    other: Exclude<End, RodEnd>,
    perPoint: boolean,
    common: Pick<MutualContact, 'name' | 'summary' | 'law' | 'location'>,
  ): readonly MutualContact[] {
    const { law, location } = common;
    const all = links.length * points * other.own.shapes.length;
    return links.flatMap((link) => {
      const body = this.context.links[link]!.body as DeformableBody;
      const { length, sections } = sectionsOf(body, link, points, radius, location);
      const own = { ...common, law: perPoint ? law : lawOfSection(law, length), isSection: true } as const;
      return sections.flatMap((section) =>
        other.own.shapes.map((met) => this.ofSection(own, section, other.own.anchor, met, all)),
      );
    });
  }

  /** Against a shape in a frame. @param all pairs of this entry. */
  private ofSection(
    own: Omit<MutualContact, 'frames' | 'shapes'>,
    section: RodSection,
    anchor: Anchor,
    met: Shape,
    all: number,
  ): MutualContact {
    const shapes = [ballOf(section), met] as const;
    return { ...own, frames: [section.anchor, anchor], shapes, ...this.held(own.law, [shapes], all, true) };
  }

  /** Sections of the first rod that press against pieces of the second; of one rod, against those behind them. */
  private rodOnRod(at: Place, first: RodEnd, second: RodEnd): ContactReading {
    const { place, name, raw } = this;
    for (const { links, at: where, points = SECTIONS_ON_ROD } of [first, second]) {
      if (links.length > 1)
        throw at.keyError(
          'not-supported',
          `this side has ${links.length} rods, and rods touch one by one`,
          'write an entry for each two of them, by their own names',
        );
      if (points > MOST_ON_ROD)
        throw where
          .at('points')
          .error(
            'wrong-value',
            `against a rod a rod cannot have ${points} points`,
            `write at most ${MOST_ON_ROD}: each meets each piece of the other one`,
          );
    }
    if (raw.per !== undefined)
      throw place
        .at('per')
        .keyError('unknown-key', 'rods on rods have the law of a length of the first one', 'remove `per`');
    const law = readContactLaw(this.place, this.raw, true, this.context);
    const common = { name, summary: raw.summary ?? '', location: place.location };
    const [a, b] = [first, second].map(({ links: [link], points = SECTIONS_ON_ROD, radius }) =>
      sectionsOf(this.context.links[link!]!.body as DeformableBody, link!, points, radius, place.location),
    ) as [RodSections, RodSections];
    const isSelf = first.links[0] === second.links[0];
    const apart = this.apart(at, first, second, a);
    const own = { ...common, law: lawOfSection(law, a.length), isSection: true } as const;
    const mutual = a.sections.flatMap((section) =>
      b.sections.flatMap(({ place: middle }, k): MutualContact[] => {
        const way = minus(minus(middle, section.place), times(half, b.length));
        if (isSelf && !((knownNumber(way, this.context.defaults) ?? 0) >= apart)) return [];
        const { anchor, shape } = pieceOf(b, k);
        return [this.ofSection(own, section, anchor, shape, a.sections.length * b.sections.length)];
      }),
    );
    if (mutual.length === 0)
      throw place
        .at('apart')
        .error(
          'wrong-value',
          `no sections of this rod are ${apart} m apart`,
          'write a shorter length, or more `points`',
        );
    return { withObstacles: [], mutual };
  }

  /** m along a rod that touches itself, between sections that do. */
  private apart(at: Place, { links: [a] }: RodEnd, { links: [b] }: RodEnd, { sections }: RodSections): number {
    const { place, raw } = this;
    const { links, defaults } = this.context;
    const [first, second] = [links[a!]!, links[b!]!];
    if (a !== b && raw.apart !== undefined)
      throw place.at('apart').keyError('unknown-key', '`apart` is of a rod that touches itself', 'remove it');
    if (second.parent === a || first.parent === b)
      throw at.keyError(
        'not-supported',
        `\`${first.name}\` and \`${second.name}\` hang on each other: they overlap where they meet`,
        'write a rigid link between them',
      );
    if (a !== b) return 0;
    if (raw.apart === undefined)
      throw at.keyError(
        'missing-key',
        `\`${first.name}\` would touch itself: neighbouring sections of a rod always overlap`,
        'write the length along it beyond which sections may touch: `apart: 50 mm`',
      );
    const length =
      knownNumber(readPositive(place.at('apart'), raw.apart, dues.length, '`apart`', this.context), defaults) ?? 0;
    const width = 2 * Math.max(...sections.map(({ radius }) => knownNumber(radius, defaults) ?? 0));
    if (!(length > width))
      throw place
        .at('apart')
        .error(
          'wrong-value',
          `sections that are ${length} m apart overlap where this rod is straight, for it is ${width} m wide`,
          `write more than ${width} m`,
        );
    return length;
  }

  // -------------------------------------------------------------------------------------------- ends

  private end(at: Place, raw: RawContactEnd): End {
    if (typeof raw === 'string') return this.rod(at, at, { on: raw });
    const [kind, ...others] = ([...SHAPES, 'rod'] as const).filter((own) => raw[own] !== undefined);
    if (kind === undefined || others.length > 0)
      throw at.error(
        kind === undefined ? 'missing-key' : 'several-kinds',
        kind === undefined
          ? 'this side of the contact has no shape'
          : `this side is a \`${kind}\` or a \`${others[0]!}\`, not both`,
        `write one of ${SHAPES.join(', ')}, rod`,
      );
    const where = at.at(kind);
    return kind === 'rod' ? this.rod(where, where.at('on'), raw.rod!) : this.shapes(where, kind, raw);
  }

  private shapes(at: Place, kind: ShapeKey, raw: Exclude<RawContactEnd, string>): End {
    const { on, frame, ...own }: RawShape = raw[kind]!;
    const { scope } = this.context;
    const anchorAt = kind === 'points' ? undefined : (own.at as RawAnchor['at']);
    const anchor = readAnchor(
      at,
      { on, ...(frame && { frame }), ...(anchorAt !== undefined && { at: anchorAt }) },
      this.context,
    );
    const link = this.context.links[anchor.link];
    if (anchor.kind === 'material' || link?.body.kind === 'deformable') throw onDeformable(at, on);
    const radius =
      own.radius === undefined
        ? kind === 'points' && zero
        : readPositive(at.at('radius'), own.radius, dues.length, 'the radius', this.context);
    const size = {
      ...(radius && { radius }),
      ...(own.axis !== undefined && { axis: this.axis(at.at('axis'), own.axis) }),
      ...(own.length !== undefined && {
        half: times(half, readPositive(at.at('length'), own.length, dues.length, 'the length', this.context)),
      }),
    };
    const places =
      kind === 'points'
        ? (own.at as readonly (string | RawValue[])[]).map((point, i) =>
            readVector(at.at('at', i), point, dues.position, scope),
          )
        : [zeroVector];
    const shapes = places.map((place): Shape => ({ kind: kind === 'points' ? 'sphere' : kind, place, ...size }));
    const carrier = this.carrier(anchor.link);
    const inCarrier = shapes.map((shape) => shapeIn(composeFrames(carrier.pose, anchor.offset), shape));
    return carrier.link < 0
      ? {
          at,
          kind: 'fixed',
          kinds: kind,
          shapes: inCarrier.map((shape) => shapeIn(this.base, shape)),
          own: { anchor, shapes },
        }
      : { at, kind: 'moving', kinds: kind, link: carrier.link, shapes: inCarrier, own: { anchor, shapes } };
  }

  /**
   * The rigid link whose joint moves a link, with the pose of the distal frame of the latter in its proximal frame; −1: the base, with
   * the pose in its frame.
   */
  private carrier(index: number): { readonly link: number; readonly pose: Frame } {
    const link = this.context.links[index];
    if (!link || link.body.kind === 'deformable') return { link: index, pose: identityFrame };
    const { distal } = link.body;
    const parent = this.context.links[link.parent];
    if (link.joint.motions.length > 0 || parent?.body.kind === 'deformable') return { link: index, pose: distal };
    const { link: carrier, pose } = this.carrier(link.parent);
    return { link: carrier, pose: [link.offset, link.mount, distal].reduce(composeFrames, pose) };
  }

  private axis(at: Place, raw: string | readonly RawValue[]): Vector3 {
    if (typeof raw === 'string') return unitVectors[['x', 'y', 'z'].indexOf(raw)]!;
    const v = readVector(at, [...raw], dues.plain, this.context.scope);
    const length = sqrt(dot(v, v));
    if (knownNumber(length, this.context.defaults) === 0)
      throw at.error('wrong-value', 'this axis has no direction', 'write three numbers that are not all zero');
    return scaleVector(power(length, -1), v);
  }

  private rod(at: Place, where: Place, { on, radius, points }: RawRod): End {
    const { links } = this.context;
    const found = linksNamed(where, on, this.context);
    for (const link of found) {
      const { body, name } = links[link]!;
      if (body.kind === 'rigid')
        throw where.error(
          'no-centreline',
          `\`${name}\` is rigid, and its shape is not known`,
          `write the shape: { sphere: { on: ${on}, radius: 10 mm } }; shapes are ${SHAPES.join(', ')}`,
        );
      const problem = centrelineProblem(body.type, radius !== undefined);
      if (problem)
        throw where.error(
          'no-centreline',
          `\`${name}\` ${problem.what}`,
          problem.remedy.replace('write a `radius` for the water', `write { rod: { on: ${on}, radius: 10 mm } }`),
        );
    }
    if (points !== undefined && points > MOST_POINTS)
      throw at
        .at('points')
        .error('wrong-value', `a rod cannot have ${points} points`, `write a whole number from 1 to ${MOST_POINTS}`);
    return {
      ...{ at, kind: 'rod', links: found },
      ...(radius !== undefined && {
        radius: readPositive(at.at('radius'), radius, dues.length, 'the radius', this.context),
      }),
      ...(points !== undefined && { points }),
    };
  }
}

function onDeformable(at: Place, name: string): KanegenError {
  return at
    .at('on')
    .error(
      'not-supported',
      `\`${name}\` rides on a deformable body: shapes sit on rigid links and on the base`,
      'name the link alone for the sections of a rod, or end it in a `rigid` link of a small mass with the shape on it',
    );
}
