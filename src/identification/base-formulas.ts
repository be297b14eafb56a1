/**
 * Base parameters of rigid robots as formulas of the geometry: trees of links on joints of any kind in the library, about any axes.
 *
 * Let S be what a frame may do on its way: the span of the squares of its twists, by which its kinetic energy is linear in the ten
 * parameters of what moves with it, and of the gravity that it sees, by which its potential energy is. Behind a joint whose screws are s_i,
 * S is the least space with that of the frame before the joint in it which no motion of the joint leaves (joints of the library
 * run through groups of motions: it is had by applying their generators until nothing is added), the products of s_i with twists, and those of
 * s_i with each other. The energy of everything behind the joint, as seen there with all joints behind it at zero, is that of a body fixed in
 * front of the joint exactly where it is orthogonal to all of this that changes with the coordinates of the joint. So forces depend on its
 * products with the latter, for each joint, and on nothing else; rows of products, in reduced echelon form by the order of the parameters, are the
 * base parameters. For revolute joints these are the rules of Gautier & Khalil 1990 (masses on an axis may stand on either side of it).
 */
import { formulasOf } from '../kane/equations/joint.ts';
import { randomNumbers } from '../common/random.ts';
import type { ElementaryMotion, Link, Robot } from '../description/model/robot.ts';
import { fixedStep, stepMassMoments, type MassMoments } from '../kane/equations/recursion.ts';
import { exactUnit, foldConstant, isConstant } from '../symbolic/evaluation/evaluate.ts';
import { isIdenticallyZero } from '../symbolic/evaluation/identically-zero.ts';
import { differentiate } from '../symbolic/graph/differentiate.ts';
import {
  decimal,
  divide,
  negate,
  one,
  plus,
  symbol,
  times,
  zero,
  type Expr,
  type SymbolExpr,
} from '../symbolic/graph/expr.ts';
import { freeSymbols } from '../symbolic/graph/traverse.ts';
import {
  composeFrames,
  cross,
  identityFrame,
  isZeroVector,
  mapMatrix,
  mapVector,
  multiplyMatrices,
  multiplyTransposed,
  skew,
  unitVectors,
  zeroVector,
  type Frame,
  type Symmetric3,
  type Vector3,
  vector3,
  symmetric3,
} from '../symbolic/graph/vector.ts';
import type { IdentifiedParameter } from './parameters.ts';
import {
  basesOf,
  geometricSum,
  isNothing,
  NOTHING,
  sumText,
  type GeometricSum,
  type Lengths,
} from './geometric-sums.ts';
import { bilinear, reduced, timesMatrix, type Products, type Rows } from './row-spaces.ts';

/** A combination of parameters that forces depend on: the first with factor 1. */
export interface BaseFormula {
  /** Index of the parameter that it is called after. */
  readonly index: number;
  /** Factors, and what they are: `arm_distal_x^2`; `~0.25`, the value, where that would be too long to read. */
  readonly others: readonly { readonly index: number; readonly formula: string; readonly factor: number }[];
  /** What formulas have names for. */
  readonly constants: readonly GeometricConstant[];
}

/** A length of the file, `elbow_distal_x`: coordinate x of `distal` of the link `elbow`; or a run-time parameter. */
export interface GeometricConstant {
  readonly name: string;
  readonly unit: string;
  /** In the robot file, SI. */
  readonly value: number;
}

/** Angular part, linear part. */
interface Screw {
  readonly angular: Vector3;
  readonly linear: Vector3;
}

/** One motion of a joint, and all that is fixed behind it. */
interface Node {
  /** Index of the node that it stands on; −1: the base. */
  readonly parent: number;
  /** Frame behind the motion of the parent → frame of this motion. */
  readonly constant: Frame;
  readonly screws: readonly Screw[];
  readonly bodies: { readonly link: number; readonly place: Frame }[];
}

/** What a frame may do, see the top of this file: rows of ten (energies) and of six (twists). */
interface Reach {
  readonly kinetic: Rows;
  readonly potential: Rows;
  readonly twists: Rows;
}

/** Ten numbers: m, m c, inertia, as in `INERTIAL`. */
const TEN = 10;

/**
 * @param parameters of which those of rigid links are grouped.
 * @returns undefined where a body is deformable, something depends on time, or a joint runs through no group of motions with a coordinate for each of its screws.
 */
export function baseFormulas(
  robot: Robot,
  parameters: readonly IdentifiedParameter[],
): readonly BaseFormula[] | undefined {
  if (robot.time) return undefined;
  const geometry = new Geometry(robot);
  const tree = treeOf(robot, geometry);
  if (!tree) return undefined;
  const lengths = geometry.lengths();
  const columns = columnsByLink(parameters);
  const gravity = multiplyTransposed(robot.base.rotation, vector3(robot.gravity.map(decimal)));
  const base: Reach = {
    kinetic: [],
    potential: isZeroVector(gravity) ? [] : rowsOf(lengths, [[zero, ...gravity, ...Array<Expr>(6).fill(zero)]]),
    twists: [],
  };
  const reaches: Reach[] = [];
  const told: Rows[] = [];
  tree.forEach(({ parent, constant, screws }, i) => {
    const passed = behindJoint(reaches[parent] ?? base, constant, screws, lengths);
    reaches[i] = passed.reach;
    told[i] = passed.changing;
  });
  const composites = compositesOf(tree, columns, parameters.length, lengths);
  const rows = reduced(told.flatMap((own, i) => timesMatrix(own, composites[i]!)));
  return rows.map((row) => {
    const index = row.findIndex((entry) => !isNothing(entry));
    const others = row.flatMap((entry, other) =>
      other === index || isNothing(entry) ? [] : [{ index: other, formula: sumText(entry), factor: entry.value }],
    );
    const read = new Set<Expr>(freeSymbols(row.flatMap(basesOf)));
    return { index, others, constants: geometry.constants.filter((own) => read.has(own.symbol)) };
  });
}

/** Indices of the ten parameters of a link. */
function columnsByLink(parameters: readonly IdentifiedParameter[]): ReadonlyMap<number, readonly number[]> {
  const columns = new Map<number, number[]>();
  parameters.forEach(({ link }, i) => {
    if (link !== undefined) columns.set(link, [...(columns.get(link) ?? []), i]);
  });
  return columns;
}

/** Names for the lengths of a robot file; numbers of rotations stay. */
class Geometry {
  readonly constants: (GeometricConstant & { readonly symbol: SymbolExpr })[] = [];

  constructor({ parameters }: Robot) {
    for (const { name, unit, symbol: own, value } of parameters)
      this.constants.push({ name, unit, symbol: own, value: foldConstant(value) });
  }

  frame(name: string, { rotation, translation }: Frame): Frame {
    const named = (['x', 'y', 'z'] as const).map((axis, i): Expr => {
      const length = exactLength(translation[i]!);
      if (length === zero || !isConstant(length)) return length;
      const own = symbol(`geometry.${name}_${axis}`);
      this.constants.push({ name: `${name}_${axis}`, unit: 'm', symbol: own, value: foldConstant(length) });
      return own;
    });
    return { rotation: mapMatrix(rotation, exactUnit), translation: vector3(named) };
  }

  /** Those of the file, and others that have nothing in common with them. */
  lengths(): Lengths {
    const random = randomNumbers(11);
    const values = this.constants.map(({ symbol: own, value }) => [own, value] as const);
    return {
      values: new Map(values),
      others: new Map(values.map(([own, value]) => [own, (value || 1) * (0.6 + random())])),
    };
  }
}

function rowsOf(lengths: Lengths, formulas: readonly (readonly Expr[])[]): Rows {
  return formulas.map((row) => row.map((formula) => geometricSum(formula, lengths)));
}

/** Products of a length with an exact rotation may leave rounding of zero. */
function exactLength(e: Expr): Expr {
  return isConstant(e) && Math.abs(foldConstant(e)) < 1e-15 ? zero : e;
}

function treeOf({ links }: Robot, geometry: Geometry): Node[] | undefined {
  const nodes: Node[] = [];
  /** Of the distal frame of each link. */
  const places: { readonly node: number; readonly frame: Frame }[] = [];
  for (const [i, link] of links.entries()) {
    const { name, parent, offset, mount, body } = link;
    if (body.kind !== 'rigid') return undefined;
    const motions = screwsOf(link);
    if (!motions) return undefined;
    let { node, frame } = places[parent] ?? { node: -1, frame: identityFrame };
    frame = composeFrames(frame, geometry.frame(`${name}_offset`, offset));
    for (const screws of motions) {
      nodes.push({ parent: node, constant: frame, screws, bodies: [] });
      [node, frame] = [nodes.length - 1, identityFrame];
    }
    frame = composeFrames(frame, geometry.frame(`${name}_mount`, mount));
    nodes[node]?.bodies.push({ link: i, place: frame });
    places.push({ node, frame: composeFrames(frame, geometry.frame(`${name}_distal`, body.distal)) });
  }
  return nodes;
}

/** The screws of each motion of a joint; motions that share a coordinate are one screw. */
function screwsOf({ joint }: Link): (readonly Screw[])[] | undefined {
  const symbols = joint.coordinates.map((c): Expr => c.symbol);
  const found: { readonly coordinates: readonly Expr[]; readonly screws: readonly Screw[]; readonly by: Expr }[] = [];
  for (const motion of joint.motions) {
    const moving = formulasOf(motion);
    const coordinates = symbols.filter((own) => moving.some((e) => freeSymbols([e]).includes(own as SymbolExpr)));
    const before = found.find((one_) => one_.coordinates.some((own) => coordinates.includes(own)));
    if (before) {
      const screw = before === found.at(-1) ? combinedScrew(before, motion, coordinates) : undefined;
      if (!screw) return undefined;
      found[found.length - 1] = { ...before, screws: [screw] };
      continue;
    }
    const screws = screwsOfMotion(motion, coordinates);
    if (!screws) return undefined;
    found.push({ coordinates, screws, by: moving[0]! });
  }
  return found.map(({ screws }) => screws);
}

const turning = (angular: Vector3): Screw => ({ angular, linear: zeroVector });
const sliding = (linear: Vector3): Screw => ({ angular: zeroVector, linear });

/** A rotation by one coordinate, a displacement along fixed directions, all rotations. */
function screwsOfMotion(motion: ElementaryMotion, coordinates: readonly Expr[]): readonly Screw[] | undefined {
  if (motion.kind === 'rotation') return coordinates.length === 1 ? [turning(motion.axis)] : undefined;
  if (motion.kind === 'rotation-vector') return coordinates.length === 3 ? unitVectors.map(turning) : undefined;
  const directions = coordinates.map((own) => mapVector(motion.displacement, (e) => differentiate(e, own)));
  const isFixed = directions.every((own) =>
    coordinates.every((q) => own.every((e) => isIdenticallyZero(differentiate(e, q)))),
  );
  return isFixed && coordinates.length > 0 ? directions.map(sliding) : undefined;
}

/** A rotation, and a displacement along its axis in proportion to its angle. */
function combinedScrew(
  before: { readonly coordinates: readonly Expr[]; readonly screws: readonly Screw[]; readonly by: Expr },
  motion: ElementaryMotion,
  coordinates: readonly Expr[],
): Screw | undefined {
  const [own, ...more] = coordinates;
  const [screw, ...others] = before.screws;
  if (motion.kind !== 'translation' || more.length > 0 || others.length > 0) return undefined;
  if (before.coordinates.length !== 1 || isZeroVector(screw!.angular)) return undefined;
  const rate = differentiate(before.by, own!);
  const linear = mapVector(motion.displacement, (e) => divide(differentiate(e, own!), rate));
  const isScrew =
    linear.every((e) => isIdenticallyZero(differentiate(e, own!))) &&
    cross(screw!.angular, linear).every((e) => isIdenticallyZero(e));
  return isScrew ? { angular: screw!.angular, linear } : undefined;
}

// ------------------------------------------------------------------------------------------------ what a frame may do

/** @returns what the frame behind a joint may do, and what of that changes with the coordinates of the joint, as rows of ten. */
function behindJoint(
  before: Reach,
  constant: Frame,
  screws: readonly Screw[],
  lengths: Lengths,
): { readonly reach: Reach; readonly changing: Rows } {
  const carried = rowsOf(lengths, carryMatrix(constant));
  const generators = screws.map((screw) => rowsOf(lengths, generatorOfTen(screw)));
  const turns = screws.map((screw) => rowsOf(lengths, generatorOfTwists(screw)));
  const own = rowsOf(
    lengths,
    screws.map(({ angular, linear }) => [...angular, ...linear]),
  );
  const kinetic = closure(timesMatrix(before.kinetic, carried), generators);
  const potential = closure(timesMatrix(before.potential, carried), generators);
  const twists = closure(timesMatrix(before.twists, rowsOf(lengths, twistMatrix(constant))), turns);
  const products = own.flatMap((s, i) => [...twists, ...own.slice(i)].map((other) => squareOf(s, other)));
  const moved = [...kinetic, ...potential];
  return {
    reach: { kinetic: reduced([...kinetic, ...products]), potential, twists: reduced([...twists, ...own]) },
    changing: reduced([...generators.flatMap((generator) => timesMatrix(moved, generator)), ...products]),
  };
}

/** Basis of the least space with these rows in it that no generator leaves. */
function closure(rows: Rows, generators: readonly Rows[]): Rows {
  let basis = reduced(rows);
  for (;;) {
    const wider = reduced([...basis, ...generators.flatMap((generator) => timesMatrix(basis, generator))]);
    if (wider.length === basis.length) return basis;
    basis = wider;
  }
}

/**
 * B of 2 T = B(ξ, ξ) · (m, m c, I), symmetric in two twists (ω, v): v·v, v × ω (twice), products of ω. Terms [entry of the first, of the
 * second, sign].
 */
const SQUARE: readonly Products[] = [
  [3, 4, 5].map((i) => [i, i, 1]),
  ...[0, 1, 2].map((k): [number, number, 1 | -1][] => {
    const [i, j] = [(k + 1) % 3, (k + 2) % 3];
    return [
      [3 + i, j, 1],
      [3 + j, i, -1],
      [j, 3 + i, 1],
      [i, 3 + j, -1],
    ];
  }),
  ...[0, 1, 2].map((i): [number, number, 1 | -1][] => [[i, i, 1]]),
  ...(
    [
      [0, 1],
      [0, 2],
      [1, 2],
    ] as const
  ).map(([i, j]): [number, number, 1 | -1][] => [
    [i, j, 1],
    [j, i, 1],
  ]),
];

function squareOf(a: readonly GeometricSum[], b: readonly GeometricSum[]): readonly GeometricSum[] {
  return bilinear(a, b, SQUARE);
}

/** Ten numbers of a body in a frame → those of the same body in the frame before it. */
function carryMatrix(frame: Frame): Expr[][] {
  return matrixOf((body) => stepMassMoments(fixedStep(frame), body).atParent);
}

/** Change of the ten numbers of a body that moves along a screw. */
function generatorOfTen({ angular: w, linear: v }: Screw): Expr[][] {
  return matrixOf(({ mass, first, inertia }) => {
    const turned = cross(w, first);
    const [xx, yy, zz, xy, xz, yz] = inertia;
    const T = multiplyMatrices(skew(w), [xx, xy, xz, xy, yy, yz, xz, yz, zz]);
    const along = plus(...first.map((e, i) => times(e, v[i]!)));
    const entry = (i: number, j: number): Expr =>
      plus(
        T[3 * i + j]!,
        T[3 * j + i]!,
        i === j ? times(along, plus(one, one)) : zero,
        negate(plus(times(first[i]!, v[j]!), times(v[i]!, first[j]!))),
      );
    return {
      mass: zero,
      first: vector3(turned.map((e, i) => plus(e, times(mass, v[i]!)))),
      inertia: [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)] as Symmetric3,
    };
  });
}

/** Of a linear function of the ten numbers. */
function matrixOf(f: (body: MassMoments) => MassMoments): Expr[][] {
  const images = Array.from({ length: TEN }, (_, k) => {
    const unit = Array.from({ length: TEN }, (_e, i) => (i === k ? one : zero));
    const { mass, first, inertia } = f({
      mass: unit[0]!,
      first: vector3(unit.slice(1, 4)),
      inertia: symmetric3(unit.slice(4)),
    });
    return [mass, ...first, ...inertia];
  });
  return Array.from({ length: TEN }, (_, row) => images.map((image) => image[row]!));
}

/** Twist of a frame, its axes (a row) → that of a frame fixed to it: Rᵀω, Rᵀ(v + ω × t). */
function twistMatrix({ rotation, translation }: Frame): Expr[][] {
  return unitTwists().map(({ angular, linear }) => [
    ...multiplyTransposed(rotation, angular),
    ...multiplyTransposed(rotation, sumOf(linear, cross(angular, translation))),
  ]);
}

/** Change of the twist of what moves along a screw on a frame, by the same rows. */
function generatorOfTwists({ angular: w, linear: v }: Screw): Expr[][] {
  return unitTwists().map(({ angular, linear }) => [
    ...cross(angular, w),
    ...sumOf(cross(linear, w), cross(angular, v)),
  ]);
}

function unitTwists(): Screw[] {
  return [...unitVectors.map(turning), ...unitVectors.map(sliding)];
}

function sumOf(a: Vector3, b: Vector3): Vector3 {
  return vector3(a.map((e, i) => plus(e, b[i]!)));
}

/** For each motion the ten numbers of all that is behind it, joints at zero, as rows over all parameters. */
function compositesOf(
  tree: readonly Node[],
  columns: ReadonlyMap<number, readonly number[]>,
  count: number,
  lengths: Lengths,
): Rows[] {
  const composites = tree.map((): GeometricSum[][] => {
    return Array.from({ length: TEN }, () => Array.from({ length: count }, () => NOTHING));
  });
  for (let i = tree.length - 1; i >= 0; i--) {
    const { parent, constant, bodies } = tree[i]!;
    for (const { link, place } of bodies) {
      const carried = rowsOf(lengths, carryMatrix(place));
      columns.get(link)?.forEach((column, k) => carried.forEach((row, r) => (composites[i]![r]![column] = row[k]!)));
    }
    if (parent < 0) continue;
    const carried = timesMatrix(rowsOf(lengths, carryMatrix(constant)), composites[i]!);
    // Links stand on one node each: no column has entries from two.
    carried.forEach((row, r) =>
      row.forEach((entry, column) => isNothing(entry) || (composites[parent]![r]![column] = entry)),
    );
  }
  return composites;
}
