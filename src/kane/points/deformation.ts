/**
 * How a solid is deformed: F = ∂p/∂X in Cartesian axes of the reference volume and e = ½(FᵀF − 1), by H = F − 1 where
 * terms of the size of one cancel in the formulas: e = ½(H + Hᵀ + HᵀH) has the digits of H. No strain sees a rotation:
 * of sections that stay plane and rigid F is taken in their own frame, 1 but for its last column ν + κ × (x, y, 0), of sections
 * that deform on a rod by strain in theirs, with ν + κ × ρ + ∂ρ/∂s for it, and of rods that are deformed in the same way all
 * along at their start, polynomials in place of angles.
 */
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { KanegenError } from '../../common/error.ts';
import {
  cos,
  divide,
  half,
  integer,
  minus,
  negate,
  one,
  plus,
  sin,
  sqrt,
  square,
  times,
  zero,
  type Expr,
} from '../../symbolic/graph/expr.ts';
import { dependsOn } from '../../symbolic/graph/traverse.ts';
import {
  addVectors,
  cross,
  dot,
  scaleVector,
  subtractVectors,
  type Vector3,
  vector3,
} from '../../symbolic/graph/vector.ts';
import { STRAIN_MEASURES } from '../../description/model/material.ts';
import type { BodyType } from '../../description/model/robot.ts';
import type { RodVolume, Volume } from '../../description/model/reference-volume.ts';
import { cartesianCoordinates } from '../../description/volumes/volume.ts';
import { numbersWithoutStructure, placeInSection, sectionsStayRigid } from '../../description/model/section-frame.ts';
import type { ParameterValues } from '../kinematics/sample-configurations.ts';
import { regularStrain, regularVector } from '../kinematics/point-kinematics.ts';
import { atStart, sectionStrain, staysAlong } from '../kinematics/section-strain.ts';

/** In some orthonormal axes of the reference volume, turned by any rotation. */
interface Deformed {
  /** Columns of F. */
  readonly columns: readonly Vector3[];
  /** xx, yy, zz, xy, xz, yz of e. */
  readonly strain: readonly Expr[];
}

export interface Deformation {
  /** Axes of the section and the axial one, or of the box. */
  readonly cartesian: Deformed;
  /** In axes in which formulas are short: invariants are the same. */
  readonly shortest: Deformed;
  /** xx, yy, zz, xy, xz, yz of ε in the axes of the proximal frame; of boxes and meshes. */
  readonly small?: readonly Expr[];
}

/**
 * The same for all volumes, as they share their coordinates.
 * @param position of the points of the body; none of rods by strain.
 * @param parameters of the links that share the type.
 * @throws KanegenError `not-supported` where volumes differ in the kind of their coordinates.
 */
export function deformationOf(
  type: BodyType,
  position: Vector3 | undefined,
  parameters: readonly [ParameterValues, ...ParameterValues[]],
): Deformation {
  if ([...parameters, numbersWithoutStructure(parameters[0])].every((own) => sectionsStayRigid(type, own))) {
    const rod = type.volumes[0] as RodVolume;
    return both(ofRigidSections(type, rod, parameters[0]));
  }
  const along = position ? slopesOf(position) : slopesInSection(type);
  const [first, ...others] = type.volumes.map((volume) => ofSlopes(volume, along, type.volumes[0]!, parameters[0]));
  const isSame = (other: Deformation): boolean =>
    other.cartesian.columns.every((own, i) => own.every((e, k) => e === first!.cartesian.columns[i]![k]));
  if (others.every(isSame)) return first!;
  throw new KanegenError('not-supported', 'the volumes of an elastic solid differ in the kind of their coordinates', {
    remedy: 'give all sections Cartesian coordinates, or the same polar ones',
  }).at(type.locations.volume);
}

/** Stands for every measure in `energy`. */
export function measuresOf(energy: Expr, { cartesian, shortest, small }: Deformation): Map<Expr, Expr> {
  const isWanted = (names: readonly (keyof typeof STRAIN_MEASURES)[]): boolean =>
    dependsOn(energy, new Set<Expr>(names.map((name) => STRAIN_MEASURES[name])));
  const entries = isWanted(['e_xx', 'e_yy', 'e_zz', 'e_xy', 'e_xz', 'e_yz']);
  const { columns: F, strain: e } = entries ? cartesian : shortest;
  const trace = plus(e[0]!, e[1]!, e[2]!);
  const squares = doubleDot(e);
  const [two, four] = [integer(2), integer(4)];
  // Of C = 1 + 2 e.
  const I1 = plus(integer(3), times(two, trace));
  const I2 = plus(integer(3), times(four, trace), times(two, square(trace)), negate(times(two, squares)));
  const J = dot(F[0]!, cross(F[1]!, F[2]!));
  const eps = small ?? (isWanted(['tr_eps', 'eps_dot_eps']) ? noSmallStrain() : e);
  const values: Record<keyof typeof STRAIN_MEASURES, Expr> = {
    I1,
    I2,
    J,
    tr_U: isWanted(['tr_U']) ? sumOfStretches(I1, I2, J) : zero,
    tr_eps: plus(eps[0]!, eps[1]!, eps[2]!),
    eps_dot_eps: doubleDot(eps),
    tr_e: trace,
    e_dot_e: squares,
    e_xx: e[0]!,
    e_yy: e[1]!,
    e_zz: e[2]!,
    e_xy: e[3]!,
    e_xz: e[4]!,
    e_yz: e[5]!,
  };
  return new Map(Object.entries(values).map(([name, value]) => [STRAIN_MEASURES[name as keyof typeof values], value]));
}

function noSmallStrain(): never {
  throw new KanegenError('not-supported', 'the strain of small displacements is that of boxes and meshes only', {
    remedy: 'write `st-venant-kirchhoff`, which is the same for small strains and does not see rotations',
  });
}

/** From √(3 I₁), which is at least as large: good to rounding for stretches from a third to three, and exact at rest. */
const NEWTON_STEPS = 5;

/**
 * t = tr U by Newton's method: with U's second invariant (t² − I₁)/2, whose square is I₂ + 2 J t, t is the largest root of
 * (t² − I₁)² − 4 I₂ − 8 J t. At equal stretches roots of the characteristic polynomial have no derivatives; t has.
 */
function sumOfStretches(I1: Expr, I2: Expr, J: Expr): Expr {
  const [four, eight] = [integer(4), integer(8)];
  let t = sqrt(times(integer(3), I1));
  for (let step = 0; step < NEWTON_STEPS; step++) {
    const over = minus(square(t), I1);
    const value = plus(square(over), negate(times(four, I2)), negate(times(eight, J, t)));
    t = minus(t, divide(value, minus(times(four, t, over), times(eight, J))));
  }
  return t;
}

/** a : b of symmetric matrices, xx, yy, zz, xy, xz, yz. */
export function doubleDot(a: readonly Expr[], b = a): Expr {
  const [xx, yy, zz, ...across] = a.map((entry, i) => times(entry, b[i]!));
  const shear = plus(...across);
  return plus(xx!, yy!, zz!, shear, shear);
}

const both = (deformed: Deformed): Deformation => ({ cartesian: deformed, shortest: deformed });

const UNIT: readonly Vector3[] = [
  [one, zero, zero],
  [zero, one, zero],
  [zero, zero, one],
];

/** @param moved columns of H = F − 1, in the axes of the reference volume. */
function ofDisplacements(moved: readonly Vector3[]): Deformed {
  const entry = (i: number, j: number): Expr =>
    times(half, plus(moved[j]![i]!, moved[i]![j]!, dot(moved[i]!, moved[j]!)));
  return {
    columns: moved.map((own, i) => addVectors(own, UNIT[i]!)),
    strain: [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)],
  };
}

/** @param columns of F, in whatever axes. */
function ofColumns(columns: readonly Vector3[]): Deformed {
  const entry = (i: number, j: number): Expr => {
    const product = dot(columns[i]!, columns[j]!);
    return times(half, i === j ? minus(product, one) : product);
  };
  return { columns, strain: [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)] };
}

/** In axes of the section where it has come to be. */
function ofRigidSections(type: BodyType, rod: RodVolume, parameters: ParameterValues): Deformed {
  const { angular, linear } = sectionStrain(type, parameters);
  const place: Vector3 = [...placeInSection(rod), zero];
  const none: Vector3 = [zero, zero, zero];
  const along = addVectors(subtractVectors(linear, UNIT[2]!), cross(angular, place));
  return ofDisplacements([none, none, along]);
}

/**
 * Columns of F, at the start of the rod where FᵀF is the same all along it: only a rotation is different there, and
 * most often none, so that formulas have no angles.
 */
function unturned(columns: readonly Vector3[], rod: RodVolume, parameters: ParameterValues): readonly Vector3[] {
  const products = columns.flatMap((own, i) => columns.slice(i).map((other) => dot(own, other)));
  if (!products.every((e) => staysAlong(e, rod, parameters))) return columns;
  const there = atStart(columns.flat(), rod);
  return there ? columns.map((_, i) => vector3(there.slice(3 * i, 3 * i + 3))) : columns;
}

/** ∂p/∂X by a material coordinate, in some axes. */
type Slopes = (variable: Expr) => Vector3;

const slopesOf =
  (position: Vector3): Slopes =>
  (variable) =>
    vector3(differentiateAll(position, variable));

/** In the axes of the section, where it takes no pose. */
function slopesInSection(type: BodyType): Slopes {
  const { kinematics, volumes } = type;
  if (kinematics.kind !== 'strain') throw new Error('a rod given by its strain expected');
  const [x, y] = regularVector(type, [...kinematics.sectionPosition!, zero]);
  const { angular, linear } = regularStrain(type, kinematics);
  const across: Vector3 = [x, y, zero];
  const slopes = slopesOf(across);
  return (variable) =>
    variable === (volumes[0] as RodVolume).axial
      ? addVectors(linear, cross(angular, across), slopes(variable))
      : slopes(variable);
}

/** @param leading whose start is that of all volumes of the body. */
function ofSlopes(volume: Volume, along: Slopes, leading: Volume, parameters: ParameterValues): Deformation {
  const moved = (columns: readonly Vector3[]): Deformation =>
    both(ofDisplacements(columns.map((own, i) => subtractVectors(own, UNIT[i]!))));
  if (volume.kind !== 'rod') {
    const H = cartesianCoordinates(volume).map((own, i) => subtractVectors(along(own), UNIT[i]!));
    const entry = (i: number, j: number): Expr => times(half, plus(H[j]![i]!, H[i]![j]!));
    const small = [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)];
    return { ...moved(volume.axes.map(along)), small };
  }
  const { axial, section, coordinates, shape } = volume;
  const [u, v] = section;
  if (coordinates === 'cartesian') {
    const columns = [u, v, axial].map(along);
    return moved(leading.kind === 'rod' ? unturned(columns, leading, parameters) : columns);
  }
  // x = a r cos φ, y = b r sin φ: first as if a = b = 1.
  const [radial, around] = [along(u), scaleVector(divide(one, u), along(v))];
  const inX = subtractVectors(scaleVector(cos(v), radial), scaleVector(sin(v), around));
  const inY = addVectors(scaleVector(sin(v), radial), scaleVector(cos(v), around));
  if (shape.shape !== 'ellipse')
    return { cartesian: ofColumns([inX, inY, along(axial)]), shortest: ofColumns([radial, around, along(axial)]) };
  const { semiAxisX: a, semiAxisY: b } = shape;
  // Where the semi-axes vary along the rod, a material line with X = const crosses lines of r and φ.
  const slopeX = times(u, cos(v), divide(differentiateAll([a], axial)[0]!, a));
  const slopeY = times(u, sin(v), divide(differentiateAll([b], axial)[0]!, b));
  const inZ = subtractVectors(along(axial), addVectors(scaleVector(slopeX, inX), scaleVector(slopeY, inY)));
  return both(ofColumns([scaleVector(divide(one, a), inX), scaleVector(divide(one, b), inY), inZ]));
}
