/**
 * Loops: what closes a tree of links. A loop holds functions of the poses of frames, or of coordinates, at zero: its rows. The
 * multiplier of a row is a force or a moment, in the unit that does work on the row.
 */
import { KanegenError, type SourceLocation } from '../../common/error.ts';
import { addVectors, column, cross, dot, subtractVectors, type Vector3 } from '../../symbolic/graph/vector.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import { divide, integer, minus, sqrt, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { heldFrame, type Anchor } from './frame-terms.ts';

/** Residuals over `heldFrame`s, one for each row of the loop. */
export interface LoopPart {
  readonly frames: readonly Anchor[];
  readonly values: readonly Expr[];
}

/** Multiplier −(φ / compliance + damping φ̇): formulas of run-time parameters, in SI units. */
export interface LoopYield {
  readonly compliance: Expr;
  readonly damping: Expr;
}

/** In SI units, zero of rigid rows. */
export type YieldNumbers = Readonly<Record<keyof LoopYield, number>>;

/** Of all rows. @param given run-time parameters by name. */
export function yieldNumbers(
  { loops = [], parameters }: { readonly loops?: readonly Loop[]; readonly parameters: readonly Named[] },
  given: Readonly<Record<string, unknown>>,
): readonly YieldNumbers[] {
  const known = new Map<Expr, number>(parameters.map(({ symbol, name }) => [symbol, given[name] as number]));
  return loops.flatMap(({ rows }) =>
    rows.map(({ yields }): YieldNumbers => {
      const [compliance, damping] = yields ? evaluate([yields.compliance, yields.damping], known) : [0, 0];
      return { compliance: compliance!, damping: damping! };
    }),
  );
}

interface Named {
  readonly name: string;
  readonly symbol: SymbolExpr;
}

interface LoopRow {
  /** `tip.x`. */
  readonly name: string;
  /** SI units of the residual and of the multiplier. */
  readonly unit: string;
  readonly forceUnit: string;
  /** Of rows that give way; others are rigid. */
  readonly yields?: LoopYield;
  /** Of a rope: it pulls, and never pushes. */
  readonly isRope?: true;
}

export interface Loop {
  readonly name: string;
  /** The key of the robot file that it was given by: `spherical`, `distance`, … */
  readonly kind: string;
  readonly summary: string;
  readonly rows: readonly LoopRow[];
  /** The residual of a row is the sum of what its parts have for it, */
  readonly parts: readonly LoopPart[];
  /** of a function of `coordinateSymbol`s and the time, of loops with one row, */
  readonly formula?: Expr;
  /** and of the coordinate of an actuator, by its index. */
  readonly actuator?: number;
  /** Stands for the time in these, where they depend on it. */
  readonly time?: SymbolExpr;
  readonly location: SourceLocation;
}

/** Does a row go slack and become taut at once? Ropes that give way are springs, which do so by themselves. */
export const isRigidRope = ({ isRope, yields }: LoopRow): boolean => isRope === true && !yields;

/** @param what is not possible yet where loops close the tree of links. @throws KanegenError `not-supported` at the first loop. */
export function refuseLoops({ loops: [first] = [] }: { readonly loops?: readonly Loop[] }, what: string): void {
  if (!first) return;
  throw new KanegenError('not-supported', `${what}: the robot has loops, and this is made for trees of links`, {
    location: first.location,
    remedy: 'remove `loops`, or use the functions and commands that know them: simulate, assemble, statics, verify',
  });
}

/** Rows of all loops. */
export const rowsOf = ({ loops = [] }: { readonly loops?: readonly Loop[] }): number =>
  loops.reduce((total, { rows }) => total + rows.length, 0);

/** More than that many rows in all are refused: their cost grows with the third power. */
export const MOST_ROWS = 64;

export const LOOP_AXES = ['x', 'y', 'z'] as const;
type Axis = 0 | 1 | 2;

/** A row of a joint between two frames, a and b. */
export interface JointRow {
  /** `x`, `y`, `z`: a place in the axes of a; `rx`, …: a turn about them. */
  readonly name: string;
  readonly kind: 'place' | 'turn';
  readonly value: Expr;
}

/** Loop joints by name: along and about which axes of frame a frame b may move, seen from the axis of the joint. */
const JOINTS = {
  weld: { slides: 'none', turns: 'none' },
  revolute: { slides: 'none', turns: 'about' },
  prismatic: { slides: 'along', turns: 'none' },
  cylindrical: { slides: 'along', turns: 'about' },
  universal: { slides: 'none', turns: 'cross' },
  spherical: { slides: 'none', turns: 'all' },
  'point-on-line': { slides: 'along', turns: 'all' },
  'point-on-plane': { slides: 'across', turns: 'all' },
} as const;

export type LoopJoint = keyof typeof JOINTS;
export const LOOP_JOINTS = Object.keys(JOINTS) as readonly LoopJoint[];

/** Has the joint an axis of its own? */
export const hasAxis = (joint: LoopJoint): boolean =>
  joint !== 'weld' && joint !== 'spherical' && joint !== 'universal';

const ALL: readonly Axis[] = [0, 1, 2];

/**
 * Residuals of a joint between two frames, a then b, in a's axes. They are chosen so that at zero the rate of each is a component of the
 * relative twist: multipliers are forces and moments of a on b in a's axes.
 * @param axis of frame a that the joint turns about or slides along; that of a plane is its normal.
 * @param second of a universal joint: the axis of b that stays perpendicular to `axis` of a.
 */
export function jointRows(joint: LoopJoint, axis: Axis, second: Axis): readonly JointRow[] {
  const { slides, turns } = JOINTS[joint];
  const [a, b] = [heldFrame(0), heldFrame(1)];
  const [ofA, ofB] = [a, b].map(({ rotation }) => ALL.map((k) => column(rotation, k))) as [Vector3[], Vector3[]];
  const apart = subtractVectors(b.translation, a.translation);
  const isClosed = (k: Axis): boolean =>
    slides === 'none' || (slides === 'along' && k !== axis) || (slides === 'across' && k === axis);
  const places = ALL.filter(isClosed).map((k): JointRow => ({
    name: LOOP_AXES[k],
    kind: 'place',
    value: dot(ofA[k]!, apart),
  }));
  const turn = (k: Axis, about: Vector3): JointRow => ({
    name: `r${LOOP_AXES[k]}`,
    kind: 'turn',
    value: dot(ofA[k]!, about),
  });
  switch (turns) {
    case 'all':
      return places;
    case 'none': {
      // Half the sum of the turns that align each pair of axes: unique below a right angle.
      const whole = addVectors(...ALL.map((k) => cross(ofA[k]!, ofB[k]!)));
      const half = ALL.map((k) => turn(k, whole)).map((row) => ({ ...row, value: divide(row.value, integer(2)) }));
      return [...places, ...half];
    }
    case 'about':
      return [...places, ...ALL.filter((k) => k !== axis).map((k) => turn(k, cross(ofA[axis]!, ofB[axis]!)))];
    case 'cross':
      return [...places, { name: 'perpendicular', kind: 'turn', value: dot(ofA[axis]!, ofB[second]!) }];
  }
}

/** Distance of the origins of two frames, less a length: its multiplier pushes them apart. */
export function distanceValue(length: Expr): Expr {
  const apart = subtractVectors(heldFrame(1).translation, heldFrame(0).translation);
  return minus(sqrt(dot(apart, apart)), length);
}
