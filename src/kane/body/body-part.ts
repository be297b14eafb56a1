/**
 * The body of a link as the recursion meets it: everything between the proximal and the distal frame, and all the mass.
 * A body that works by closed forms, by points of a quadrature rule or by points along a rod looks the same from outside.
 * Vectors are in proximal axes about the proximal origin unless they are said to be `own`: in the distal frame.
 */
import type { Expr } from '../../symbolic/graph/expr.ts';
import type { Frame, Vector3 } from '../../symbolic/graph/vector.ts';
import type { ActuationTerm, FieldRequest, RouteRequest } from './actuation-terms.ts';
import type { SectionLine } from './centreline.ts';
import type { ForceTerm } from './force-terms.ts';
import type { Loop } from '../loops/loop.ts';
import type { InertiaKind } from '../equations/composite.ts';
import type { FrameStep, Motion, RelativeMotion, Travel, Wrench } from '../equations/recursion.ts';

/** What an outward pass makes of a body. */
export interface Carried<T> {
  /** In the distal frame. */
  readonly own: T;
  /** Numbers for the buffer `bodyWrench`, as far as no loop writes them there. */
  readonly wrench: readonly Expr[];
  /** Loops that write to the buffer `bodyWrench`. */
  readonly loops: readonly Loop[];
}

/** A body with all that hangs on it, seen from its proximal frame. */
export interface BodyComposite<I> {
  readonly inertia: I;
  readonly block: readonly (readonly Expr[])[];
  readonly columns: readonly Wrench[];
}

/** Terms by loops of a body itself, which are asked for once. */
export interface SolvedTerms {
  forces(): readonly ForceTerm[];
  /** @throws KanegenError `not-supported` at the route. */
  route(request: RouteRequest, parameters: readonly ReadonlyMap<Expr, number>[]): ActuationTerm;
  field(request: FieldRequest): ActuationTerm;
  /** One where the strain of all sections is solved for, else zero, and s of the first where it is not; none where it always is. */
  unsolved(): readonly Expr[] | undefined;
}

export interface BodyPart {
  /** How the inertial terms are computed: for headers and `explain`. */
  readonly method: string;
  readonly bodyWrenchSize: number;
  /** Loops in the order they need each other, of all methods called so far. */
  loops(): readonly Loop[];
  /** Angular velocity of the distal frame, own axes. */
  velocity(angularVelocity: Vector3): Vector3;
  /**
   * @param purpose `staged`: velocities were dealt with before, in a function of their own; `direct`: all in one function.
   */
  accelerate(motion: Motion, purpose: 'staged' | 'direct'): Carried<Motion>;
  /** At rest, under an acceleration of the proximal origin (−gravity); own: the same acceleration in own axes. */
  weigh(acceleration: Vector3): Carried<Vector3>;
  /**
   * A wrench at the distal frame (own axes) and the body's own through to the proximal frame.
   * @param bodyWrench the buffer's symbols; null when the distal wrench acts alone.
   * @returns generalized forces of the body's coordinates.
   */
  backward(
    distal: Wrench,
    bodyWrench: readonly Expr[] | null,
  ): { readonly wrench: Wrench; readonly generalized: readonly Expr[] };
  /**
   * @param distal inertia of all that hangs on the distal frame, about its origin, own axes.
   * @returns inertia with the body's, the body's block of the mass matrix (full, symmetric), and per coordinate the wrench
   * that a unit acceleration of it takes.
   */
  composite<I>(kind: InertiaKind<I>, distal: I): BodyComposite<I>;
  /** Proximal → distal with the projectors of the body's coordinates. */
  readonly step: FrameStep;
  /** World pose of the distal frame from that of the proximal one. */
  pose(proximal: Frame): Frame;
  /** Per coordinate: angular velocity of the distal frame per unit rate, velocity of the point at the world origin; world axes. */
  jacobian(proximal: Frame): readonly { readonly angular: Vector3; readonly linear: Vector3 }[];
  /**
   * The distal frame as it moves in the proximal one while its coordinates do not accelerate, proximal axes.
   */
  drift(): { readonly frame: Frame; readonly relative: RelativeMotion };
  energy(travel: Travel): { readonly own: Travel; readonly kinetic: Expr; readonly potential: Expr };
  /** Of a rod with points of its own: its sections there, where what acts on them is summed by loops of this part. Once. */
  sections?(): SectionLine;
  /** Forces of the material that loops of this part sum, and lengths of curves along it; of rods whose sections are in balance. */
  readonly solved?: SolvedTerms | undefined;
  /** Readable names for expressions, proposed to the code generator. */
  names(): ReadonlyMap<Expr, string>;
  /** Quantities that its terms are made of, by name. */
  quantities?(): ReadonlyMap<Expr, string>;
}
