/**
 * Contacts: shapes on links and sections of rods that press against obstacles. Between cores a and b (points, lines, segments) with
 * radii, or a plane, the gap is the distance of the nearest points less the radii. What a contact pushes with and how it rubs is its law;
 * with the overlap δ = −gap > 0, the normal n from the obstacle to the body and the velocity v of the body's surface,
 *   spring-damper  f = k δ − b min(0, n · v)
 *   hunt-crossley  f = k δ max(0, 1 − d n · v)
 *   friction       −μ f v_t / √(v_t² + v_s²), v_t across the normal, or that of a bristle.
 * A bristle is a spring across the normal between a place on either surface, of a section of a rod its middle. Its force −k z − b v_t is cut off at μ f: there it slips. The
 * places are run-time parameters, so that forces are functions of the state; after a step they follow what slipped (`BRISTLE_PARTS`).
 * Sources: K. H. Hunt and F. R. E. Crossley, J. Appl. Mech. 42 (1975), with exponent 1; the spring and damper that only pushes is common.
 */
import { KanegenError, type SourceLocation } from '../../common/error.ts';
import type { Anchor } from './frame-terms.ts';
import { decimal, type Expr } from '../../symbolic/graph/expr.ts';
import {
  multiplyTransposed,
  multiplyVector,
  subtractVectors,
  transformPoint,
  type Frame,
  type Vector3,
} from '../../symbolic/graph/vector.ts';

/**
 * Pieces of a rod are straight, along its tangent at their middles. What lies beside the way from one middle to the next meets both, with
 * shares that go from 1 to 0 there: 3 u² − 2 u³, u = 1 − |s|/2h, h half of the length of a piece, s the place along it. Shares of a force
 * have potentials: with that of a spring, V, goes the force −V ∂share/∂s along the piece.
 *
 * All that are nearer to a core than `radius`, of a tube all that are farther; a plane has half of the space behind it. Lengths in m.
 */
export interface Shape {
  readonly kind: 'plane' | 'sphere' | 'capsule' | 'cylinder' | 'tube' | 'piece';
  /** A point of the plane, else the middle of the core. */
  readonly place: Vector3;
  /** Unit vector out of the plane, else along the core; a sphere has none. */
  readonly axis?: Vector3;
  /** Half of the length of the core of a capsule. Those of cylinders and tubes have no ends. */
  readonly half?: Expr;
  /** Of a tube that of its bore. Missing: a plane. */
  readonly radius?: Expr;
  /** Of a piece of a rod: which of its ends, against and along the axis, are those of the rod. The others fade into the next pieces. */
  readonly ends?: readonly [boolean, boolean];
}

export interface ContactLaw {
  readonly kind: 'spring-damper' | 'hunt-crossley';
  /** N/m; along rods N/m² unless each point of the rod counts. */
  readonly stiffness: Expr;
  /** b in N s/m, along rods N s/m², or d in s/m. */
  readonly damping: Expr;
  readonly friction?: Friction;
}

export type Friction = { readonly coefficient: Expr } & (
  | {
      readonly kind: 'smooth';
      /** v_s, m/s. */
      readonly speed: Expr;
    }
  | {
      readonly kind: 'bristle';
      /** N/m and N s/m. */
      readonly stiffness: Expr;
      readonly damping: Expr;
    }
);

/** What holds a pair: parameters of the robot. */
export interface Bristle {
  /** 1; 0 before the first step, when there are no places yet. */
  readonly isHeld: Expr;
  /** On the body, in axes of its proximal frame, or of the frame of the first of two bodies; m. Sections of rods are held at their middles. */
  readonly own?: Vector3;
  /** On the obstacle, world axes, or in the frame of the second body; m. */
  readonly other: Vector3;
}

/** What of a body touches. */
export type Touching =
  /** In axes of the proximal frame. */
  | { readonly kind: 'shapes'; readonly shapes: readonly Shape[] }
  | {
      readonly kind: 'rod';
      /** In place of that of its round section, m. */
      readonly radius?: Expr;
      /** Along the rod, on every panel between its breaks; it may have more for other reasons, unless each counts. */
      readonly points: number;
      /** Does the law hold for each point of the rod, in place of a length? */
      readonly perPoint: boolean;
    };

/** Of one link; numbers over run-time parameters of the robot. */
export interface Contact {
  readonly name: string;
  readonly summary: string;
  readonly touching: Touching;
  /** World axes, about the world origin. */
  readonly obstacle: Shape;
  readonly law: ContactLaw;
  /** By pair, where friction sticks. */
  readonly bristles?: readonly Bristle[];
  readonly location: SourceLocation;
}

/** Of two bodies that both move, or of a section of a rod and a body or a piece of a rod. */
export interface MutualContact {
  readonly name: string;
  readonly summary: string;
  /** Is the first one a section of a rod? Forces act on its middle, whose velocity counts. */
  readonly isSection?: true;
  /** With a shape each, in the axes of their frames. */
  readonly frames: readonly [Anchor, Anchor];
  readonly shapes: readonly [Shape, Shape];
  readonly law: ContactLaw;
  readonly bristles?: readonly Bristle[];
  readonly location: SourceLocation;
}

/** Of rods whose contacts do not say how many, on every panel: edges of contact lie within a few hundredths of the length. */
export const USUAL_POINTS = 32;

/** Of rods against bodies that move, along the whole rod. */
export const SECTIONS_ON_MOVING = 16;

/** Of rods on each other, each. */
export const SECTIONS_ON_ROD = 8;

/** √(x² + this²) in place of |x|, m or m/s: far below what matters, so that there are derivatives at zero. */
export const LEAST_LENGTH = decimal(1e-12);

/** Its numbers. */
export const contactNumbers = (contact: MutualContact): readonly Expr[] => [
  ...givenNumbers(contact),
  ...(contact.bristles ?? []).flatMap(bristleNumbers),
];

/** Those of shapes and law. */
export function givenNumbers({ shapes, law }: MutualContact): readonly Expr[] {
  const { stiffness, damping, friction } = law;
  const ofShapes = shapes.flatMap(({ place, axis = [], half, radius }) => [
    ...place,
    ...axis,
    ...(half ? [half] : []),
    ...(radius ? [radius] : []),
  ]);
  return [...ofShapes, stiffness, damping, ...(friction ? frictionNumbers(friction) : [])];
}

function frictionNumbers(friction: Friction): readonly Expr[] {
  const { coefficient } = friction;
  return friction.kind === 'smooth'
    ? [coefficient, friction.speed]
    : [coefficient, friction.stiffness, friction.damping];
}

/** In the order of `BRISTLE_PARTS`, without those of missing places. */
export const bristleNumbers = ({ isHeld, own, other }: Bristle): readonly Expr[] => [isHeld, ...(own ?? []), ...other];

/** The parts of a bristle that are parameters. */
export const bristleParts = (isSection: boolean): readonly (typeof BRISTLE_PARTS)[number][] =>
  BRISTLE_PARTS.filter((part) => !(isSection && part.startsWith('own')));

/** A shape given in a frame, seen from where the frame is seen from. */
export function shapeIn(frame: Frame, { place, axis, ...rest }: Shape): Shape {
  return { ...rest, place: transformPoint(frame, place), ...(axis && { axis: multiplyVector(frame.rotation, axis) }) };
}

/** A shape seen from a frame. */
export function shapeFrom(frame: Frame, { place, axis, ...rest }: Shape): Shape {
  return {
    ...rest,
    place: multiplyTransposed(frame.rotation, subtractVectors(place, frame.translation)),
    ...(axis && { axis: multiplyTransposed(frame.rotation, axis) }),
  };
}

/** Of a robot: links with obstacles, and links with each other. */
interface Touched {
  readonly links: readonly { readonly contacts?: readonly Contact[] }[];
  readonly touching?: readonly MutualContact[];
}

/** Names of the parameters of a bristle, by what they have in addition to the name of the pair. */
export const BRISTLE_PARTS = ['held', 'own_x', 'own_y', 'own_z', 'other_x', 'other_y', 'other_z'] as const;

/** Numbers that are reported of every pair, in this order; the last: what parameters of its bristle become, zero without one. */
export const PAIR_PARTS = {
  gap: 1,
  normal: 3,
  position: 3,
  force: 3,
  energy: 1,
  power: 1,
  loss: 1,
  bristle: 7,
} as const;

export const PAIR_SIZE = Object.values(PAIR_PARTS).reduce<number>((sum, size) => sum + size, 0);

/** Does it surround, so that the ends of what touches it do that by themselves? */
export const isHollow = ({ kind }: Pick<Shape, 'kind'>): boolean => kind === 'plane' || kind === 'tube';

/** Points of a shape that touch a plane or a tube by themselves: both ends of a capsule. */
export const endsOf = ({ axis, half }: Shape): 1 | 2 => (axis && half ? 2 : 1);

/** Where two shapes touch, which are not both flat. */
export const meetings = (first: Shape, second: Shape): number =>
  isHollow(second) ? endsOf(first) : isHollow(first) ? endsOf(second) : 1;

/** Of a contact with an obstacle: a rod touches it as a whole. */
const pairsOf = ({ touching, obstacle }: Contact): number =>
  touching.kind === 'rod' ? 1 : touching.shapes.reduce((sum, shape) => sum + meetings(shape, obstacle), 0);

const pairsOfAll = (contacts: readonly Contact[] = []): number =>
  contacts.reduce((sum, contact) => sum + pairsOf(contact), 0);

/** Of all obstacles that links meet before this one, in the order of `contactPairs`. */
export function pairsBefore({ links }: Pick<Touched, 'links'>, link: number): number {
  return links.slice(0, link).reduce((sum, { contacts }) => sum + pairsOfAll(contacts), 0);
}

/**
 * The contact that each pair of points belongs to, in the order of generated code: of links with obstacles, link by link, then of bodies
 * that both move.
 */
export function contactsOfPairs({ links, touching = [] }: Touched): readonly (Contact | MutualContact)[] {
  const times = <T>(own: T, count: number): T[] => Array.from({ length: count }, () => own);
  return [
    ...links.flatMap(({ contacts = [] }) => contacts.flatMap((own) => times(own, pairsOf(own)))),
    ...touching.flatMap((own) => times(own, meetings(...own.shapes))),
  ];
}

/** Names of these pairs. A contact of several pairs counts them: `floor.1`. */
export function contactPairs(robot: Touched): readonly string[] {
  const named = contactsOfPairs(robot).map(({ name }) => name);
  const seen = new Map<string, number>();
  return named.map((name) => {
    if (named.indexOf(name) === named.lastIndexOf(name)) return name;
    seen.set(name, (seen.get(name) ?? 0) + 1);
    return `${name}.${seen.get(name)!}`;
  });
}

/** Run-time parameters of bristles, with their place in the output `bristle` of `contact`. */
export function bristleParameters(
  robot: Touched & { readonly parameters: readonly { readonly name: string; readonly symbol: Expr }[] },
): {
  readonly name: string;
  readonly index: number;
}[] {
  const names = new Map<Expr, string>(robot.parameters.map(({ symbol, name }) => [symbol, name]));
  return contactsOfPairs(robot).flatMap((own, pair, all) => {
    const bristle = own.bristles?.[pair - all.indexOf(own)];
    const parts = bristle ? bristleParts(!bristle.own) : [];
    return parts.map((part, k) => ({
      name: names.get(bristleNumbers(bristle!)[k]!)!,
      index: BRISTLE_PARTS.length * pair + BRISTLE_PARTS.indexOf(part),
    }));
  });
}

/** @param what is not possible yet where links touch. @throws KanegenError `not-supported` at the first contact. */
export function refuseContacts({ links, touching = [] }: Touched, what: string): void {
  const [first] = [...links.flatMap(({ contacts = [] }) => contacts), ...touching];
  if (!first) return;
  throw new KanegenError('not-supported', `${what} no contacts, and this robot has \`${first.name}\``, {
    location: first.location,
    remedy: 'remove `contacts`, or use the driver',
  });
}
