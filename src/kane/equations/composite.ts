/**
 * The sweep towards the base that makes the mass matrix (docs/mathematics.md, "Mass matrix"): everything beyond a frame,
 * frozen, is one inertia, and every coordinate beyond it has the wrench at the frame that a unit acceleration of the
 * coordinate takes. A step between two frames carries both to its parent frame; what it adds to M is the work of the
 * wrenches on the step's own coordinates. Links, bodies between two frames and whole robots are such sweeps.
 *
 * With u_a the wrench of a coordinate a beyond the step in the axes of the parent, J_a the motion that a coordinate of the step
 * gives the child and I the inertia: u_a does J_b · u_a on a coordinate b of the step, and I J_b is added to the wrenches.
 * What kind of inertia is carried is left open: frozen bodies here, articulated ones in `articulated.ts`.
 */
import { half, plus, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { scaleVector } from '../../symbolic/graph/vector.ts';
import {
  addMassMoments,
  addWrenches,
  project,
  shiftToParent,
  stepMassMoments,
  turnWrench,
  unitWrench,
  type BodyWrench,
  type FrameStep,
  type MassMoments,
  type Wrench,
} from './recursion.ts';

/** What the sweep asks of a kind of inertia; inertias are about the origin of a frame, in its axes. */
export interface InertiaKind<I> {
  /** That of a frozen body. */
  of(moments: MassMoments): I;
  add(a: I, b: I): I;
  /** An inertia given at the child of a step, in parent axes: about the child's origin, and about the parent's. */
  step(step: FrameStep, inertia: I): { readonly atChild: I; readonly atParent: I };
  /** Wrench about the child's origin, parent axes, that a unit acceleration of the step's i-th coordinate takes. */
  unitWrench(step: FrameStep, i: number, atChild: I): Wrench;
}

/** Mass, first moment and moment of inertia of frozen bodies. */
export const FROZEN: InertiaKind<MassMoments> = {
  of: (moments) => moments,
  add: addMassMoments,
  step: stepMassMoments,
  unitWrench,
};

/** All that lies beyond a frame, and all that is fixed to it. */
export interface Composite<I> {
  /** Undefined: nothing has mass. */
  readonly inertia: I | undefined;
  /** By coordinate: the wrench at the frame that a unit acceleration takes. */
  readonly units: ReadonlyMap<number, Wrench>;
}

/** An addend of the entries (a, b) and (b, a) of the mass matrix. */
interface MassShare {
  readonly a: number;
  readonly b: number;
  readonly value: Expr;
}

/** Takes shares of the mass matrix. */
export type ShareTaker = (share: MassShare) => void;

/** From the child of a step to its parent. */
export function stepComposite<I>(
  kind: InertiaKind<I>,
  step: FrameStep,
  beyond: Composite<I>,
  take: ShareTaker,
): Composite<I> {
  const stepped = beyond.inertia === undefined ? undefined : kind.step(step, beyond.inertia);
  const own = stepped && step.coordinates.map((_, i) => kind.unitWrench(step, i, stepped.atChild));
  const turned = new Map([...beyond.units].map(([a, wrench]) => [a, turnWrench(step, wrench)]));
  for (const [a, wrench] of turned)
    if (!step.coordinates.includes(a))
      step.coordinates.forEach((b, i) => take({ a, b, value: project(step, i, wrench) }));
  shareAmongOwn(step, turned, own, take);
  const units = new Map([...turned].map(([a, wrench]) => [a, shiftToParent(step, wrench)]));
  own?.forEach((unit, i) => {
    const a = step.coordinates[i]!;
    const before = turned.get(a);
    units.set(a, shiftToParent(step, before ? addWrenches(before, unit) : unit));
  });
  return { inertia: stepped?.atParent, units };
}

/**
 * Shares of pairs of the step's own coordinates. Coordinates that moved steps beyond this one meet their wrenches from
 * there, once for either order of the two: J_b · (u_a + ½ I J_a) + J_a · (u_b + ½ I J_b).
 */
function shareAmongOwn(
  step: FrameStep,
  turned: ReadonlyMap<number, Wrench>,
  own: readonly Wrench[] | undefined,
  take: ShareTaker,
): void {
  const before = step.coordinates.map((a) => turned.get(a));
  const withHalf = before.map((wrench, i) => wrench && (own ? addWrenches(wrench, halved(own[i]!)) : wrench));
  step.coordinates.forEach((a, i) =>
    step.coordinates.slice(i).forEach((b, k) => {
      const j = i + k;
      const [first, second] = [withHalf[i], withHalf[j]];
      if (first && second) return take({ a, b, value: plus(project(step, j, first), project(step, i, second)) });
      const wrenches: readonly (readonly [number, Wrench | undefined])[] = [
        [j, before[i]],
        [i, before[j]],
        [j, own?.[i]],
      ];
      const values = wrenches.flatMap(([on, wrench]) => (wrench ? [project(step, on, wrench)] : []));
      if (values.length > 0) take({ a, b, value: plus(...values) });
    }),
  );
}

function halved({ force, moment }: Wrench): Wrench {
  return { force: scaleVector(half, force), moment: scaleVector(half, moment) };
}

/** What is fixed to a frame: its inertia, and per coordinate of a deforming body the wrench of a unit acceleration. */
export interface FixedBody<I> {
  readonly inertia: I | undefined;
  readonly units: readonly BodyWrench[];
  /** Of the units, in order. */
  readonly coordinates: readonly number[];
}

/** All that lies beyond a frame, with a body that is fixed to it. */
export function joinBody<I>(
  kind: InertiaKind<I>,
  { inertia, units: beyond }: Composite<I>,
  body: FixedBody<I>,
  take: ShareTaker,
): Composite<I> {
  const units = new Map(beyond);
  body.units.forEach((unit, i) => {
    const a = body.coordinates[i]!;
    unit.generalized.forEach((value, j) => j >= i && take({ a, b: body.coordinates[j]!, value }));
    addUnit(units, a, unit);
  });
  return { inertia: joined(kind, inertia, body.inertia), units };
}

/** Of several children of a frame. */
export function joinComposites<I>(kind: InertiaKind<I>, a: Composite<I>, b: Composite<I>): Composite<I> {
  const units = new Map(a.units);
  for (const [coordinate, wrench] of b.units) addUnit(units, coordinate, wrench);
  return { inertia: joined(kind, a.inertia, b.inertia), units };
}

function addUnit(units: Map<number, Wrench>, coordinate: number, { force, moment }: Wrench): void {
  const before = units.get(coordinate);
  units.set(coordinate, before ? addWrenches(before, { force, moment }) : { force, moment });
}

function joined<I>(kind: InertiaKind<I>, a: I | undefined, b: I | undefined): I | undefined {
  return a === undefined ? b : b === undefined ? a : kind.add(a, b);
}

/** The mass matrix of some coordinates, of the shares that it is given. */
export class MassMatrix {
  /** Full and symmetric. */
  readonly rows: readonly Expr[][];

  constructor(size: number) {
    this.rows = Array.from({ length: size }, () => Array.from({ length: size }, () => zero));
  }

  readonly take: ShareTaker = ({ a, b, value }) => {
    const sum = plus(this.rows[a]![b]!, value);
    this.rows[a]![b] = sum;
    this.rows[b]![a] = sum;
  };

  /** Nothing is left of a coordinate. */
  remove(a: number): void {
    this.rows.forEach((row, b) => {
      row[a] = zero;
      this.rows[a]![b] = zero;
    });
  }
}
