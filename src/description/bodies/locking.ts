/**
 * Bodies that cannot contract across what stretches them, as rods whose sections stay rigid. Laws of rods are for
 * those rods: bending moves E I there. Laws of solids are stiffer on them than their material is, by
 * M/E = (1 − ν)/((1 + ν)(1 − 2ν)) with the modulus M of a bar between rigid walls.
 */
import type { Decimal } from 'decimal.js';
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { decimalOfPrecision, evaluateDecimal, foldConstant } from '../../symbolic/evaluation/evaluate.ts';
import {
  divide,
  integer,
  minus,
  plus,
  sqrt,
  square,
  symbol,
  times,
  zero,
  type Expr,
} from '../../symbolic/graph/expr.ts';
import { substituteOne } from '../../symbolic/graph/traverse.ts';
import { dot, scaleVector, type Vector3, vector3 } from '../../symbolic/graph/vector.ts';
import { STRAIN_MEASURES, type SolidMaterial } from '../model/material.ts';
import type { BodyType } from '../model/robot.ts';
import type { Volume } from '../model/reference-volume.ts';
import { notSmoothAtRest } from './stress-at-rest.ts';
import { sectionsStayRigid } from '../model/section-frame.ts';
import type { Place } from '../source/source.ts';
import { numberUnder } from '../values/requirement.ts';
import type { Caution } from './caution.ts';
import { interiorPoints } from '../volumes/reference-shape.ts';

/** Says nothing. @throws KanegenError `several-kinematics` where sections deform, unless the strain of the rod is given. */
export function cautionOfSections(place: Place, law: string): Caution {
  const of: Caution['of'] = (type, values) => {
    if (type.kinematics.kind === 'strain' || sectionsStayRigid(type, values)) return undefined;
    throw place.keyError(
      'several-kinematics',
      `\`${law}\` is for rods whose sections stay plane and rigid; those of ${type.name} do not`,
      'write a law of solids such as `neo-hookean: { mu: 0.3 MPa }`, or a position c(s) + x d1(s) + y d2(s) with perpendicular unit vectors d1 and d2',
    );
  };
  return { name: 'locking', place, of };
}

/** M/E of a material with the ratio 0.3 of Poisson: metals and most plastics are below. */
const LEAST = 0.7 / (1.3 * 0.4);

/**
 * Of a law of solids on sections that cannot contract.
 * @throws KanegenError `wrong-value` where the law has no stiffness at rest.
 */
export function cautionOfLocking(place: Place, solid: SolidMaterial): Caution {
  const moduli = normalModuli(place, solid);
  const of: Caution['of'] = (type, values) => {
    const numbers = moduli.map((e) => numberUnder(e, values));
    const axes = [0, 1, 2].filter((axis) => (lockingFactor(numbers, axis) ?? 0) >= LEAST * (1 + 1e-9));
    const axis = axes.length > 0 ? stretchedAxis(type, values) : undefined;
    if (axis === undefined || !axes.includes(axis)) return undefined;
    const rounded = Number(lockingFactor(numbers, axis)!.toPrecision(3));
    const isRod = type.volumes.every(({ kind }) => kind === 'rod');
    const what = isRod ? `sections of ${type.name} cannot contract` : `${type.name} cannot contract across its stretch`;
    const other = sectionsStayRigid(type, values)
      ? ': `rod-elasticity: { E: …, nu: … }` bends with E I'
      : ', unless a coordinate lets it contract by nu times its stretch';
    return `${what}, so that this law resists stretching and bending by E(1 - nu)/((1 + nu)(1 - 2nu)), ${rounded} times E${other}`;
  };
  return { name: 'locking', place, of };
}

// ---------------------------------------------------------------------------------------------- law

/** ∂²W/∂e_i∂e_j at rest, 3 × 3 by rows over e_xx, e_yy, e_zz: Pa, over the parameters of the type. */
function normalModuli(place: Place, { energy }: SolidMaterial): readonly Expr[] {
  const e = vector3(['xx', 'yy', 'zz'].map((name) => symbol(`normal.${name}`)));
  const c = e.map((own) => plus(integer(1), times(integer(2), own))) as [Expr, Expr, Expr];
  const [x, y, z] = c;
  const stretches = c.map((own) => sqrt(own));
  const small = stretches.map((own) => minus(own, integer(1)));
  const values: Record<keyof typeof STRAIN_MEASURES, Expr> = {
    I1: plus(x, y, z),
    I2: plus(times(x, y), times(y, z), times(z, x)),
    J: sqrt(times(x, y, z)),
    tr_e: plus(...e),
    e_dot_e: plus(...e.map(square)),
    ...{ e_xx: e[0], e_yy: e[1], e_zz: e[2], e_xy: zero, e_xz: zero, e_yz: zero },
    tr_U: plus(...stretches),
    tr_eps: plus(...small),
    eps_dot_eps: plus(...small.map(square)),
  };
  const W = substituteOne(
    energy,
    new Map(Object.entries(values).map(([name, value]) => [STRAIN_MEASURES[name as keyof typeof values], value])),
  );
  const still = new Map(e.map((own) => [own, zero]));
  try {
    return e.flatMap((first) => {
      const [slope] = differentiateAll([W], first);
      return e.map((second) => substituteOne(differentiateAll([slope!], second)[0]!, still));
    });
  } catch (error) {
    throw notSmoothAtRest(place, error, 'second derivative');
  }
}

/** M/E along an axis: all other normal strains held, or free. */
function lockingFactor(moduli: readonly (number | undefined)[], axis: number): number | undefined {
  if (moduli.some((e) => e === undefined || !Number.isFinite(e))) return undefined;
  const [i, j] = [(axis + 1) % 3, (axis + 2) % 3];
  const at = (row: number, column: number): number => moduli[3 * row + column]!;
  const M = at(axis, axis);
  const [ki, kj, ij] = [at(axis, i), at(axis, j), at(i, j)];
  const E = M - (ki * ki * at(j, j) - 2 * ki * kj * ij + kj * kj * at(i, i)) / (at(i, i) * at(j, j) - ij * ij);
  return E > 0 && M > 0 ? M / E : undefined;
}

// ---------------------------------------------------------------------------------------------- kinematics

const Wide = decimalOfPrecision(50);
/** Away from the defaults, where strains are of first order and formulas such as sin(q)/q have values. */
const STEP = 1e-9;
/** Strains across a fibre of this share of that along it are of second order. */
const SMALL = 1e-4;
/** Smaller strains than this per unit of a coordinate are those of a body that turns or shears. */
const LEAST_SLOPE = 1e-6;
/** Points that are looked at. */
const POINTS = 6;
const ALONG = 2;

/** The axis along which coordinates stretch the body, where none stretches it across: 0, 1 and 2, of rods the last. */
function stretchedAxis(type: BodyType, values: ReadonlyMap<Expr, number>): number | undefined {
  const { kinematics, volumes, coordinates, time, parameters } = type;
  if (kinematics.kind !== 'position') return sectionsStayRigid(type, values) ? ALONG : undefined;
  if (parameters.some((p) => !values.has(p.symbol))) return undefined;
  const axes = volumes.map((volume) => {
    const strains = normalStrains(kinematics.position, volume);
    if (!strains) return sectionsStayRigid(type, values) ? ALONG : undefined;
    const { columns, rows } = interiorPoints(volume, values);
    const largest = [0, 0, 0];
    for (const { symbol: moved } of coordinates)
      for (let i = 0; i < Math.min(POINTS, rows); i++) {
        const row = Math.floor(((i + 0.5) * rows) / POINTS);
        const bindings = new Map([...values].map(([s, x]) => [s, new Wide(x)]));
        for (const [s, column] of columns) bindings.set(s, new Wide(column[row]!));
        if (time) bindings.set(time, new Wide(0));
        for (const { symbol: own, value } of coordinates)
          bindings.set(own, new Wide(foldConstant(value)).plus(own === moved ? 0 : STEP ** 3));
        // What is of second order is the same on both sides.
        const [less, more] = [-STEP, STEP].map((step) => {
          const aside = new Map(bindings).set(moved, bindings.get(moved)!.plus(step));
          return evaluateDecimal(strains, aside, Wide);
        }) as [Decimal[], Decimal[]];
        more.forEach((e, k) => (largest[k] = Math.max(largest[k]!, e.minus(less[k]!).abs().toNumber() / (2 * STEP))));
      }
    const candidates = volume.kind === 'rod' ? [ALONG] : [0, 1, 2];
    return candidates.find((axis) => {
      const [along, ...across] = [largest[axis]!, ...largest.filter((_, k) => k !== axis)];
      return along > LEAST_SLOPE && Number.isFinite(along) && Math.max(...across) < SMALL * along;
    });
  });
  return axes.every((axis) => axis === axes[0]) ? axes[0] : undefined;
}

/** e_xx, e_yy and e_zz, of rods x and y across and z along; of ellipses in polar coordinates none. */
function normalStrains(position: Vector3, volume: Volume): readonly Expr[] | undefined {
  const by = (variable: Expr): Vector3 => vector3(differentiateAll(position, variable));
  const strain = (v: Vector3): Expr => times(divide(integer(1), integer(2)), minus(dot(v, v), integer(1)));
  if (volume.kind !== 'rod') return volume.axes.map((axis) => strain(by(axis)));
  const [u, v] = volume.section;
  if (volume.coordinates === 'cartesian') return [by(u), by(v), by(volume.axial)].map(strain);
  if (volume.shape.shape === 'ellipse') return undefined;
  return [by(u), scaleVector(divide(integer(1), u), by(v)), by(volume.axial)].map(strain);
}
