/**
 * Bodies whose sections cannot contract. Laws of rods are for those whose sections stay rigid: bending moves E I there. Laws of solids are stiffer on
 * them than their material is, by M/E = (1 − ν)/((1 + ν)(1 − 2ν)) with the modulus M of a bar between rigid walls.
 */
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
import { dot, scaleVector, type Vector3 } from '../../symbolic/graph/vector.ts';
import { STRAIN_MEASURES, type SolidMaterial } from '../model/material.ts';
import type { BodyType, Volume } from '../model/robot.ts';
import { sectionsStayRigid } from '../model/section-frame.ts';
import type { Place } from '../source/source.ts';
import { numberUnder } from '../values/requirement.ts';
import type { Caution } from './caution.ts';
import { interiorPoints } from './reference-shape.ts';

/** Says nothing. @throws KanegenError `several-kinematics` where sections deform. */
export function cautionOfSections(place: Place, law: string): Caution {
  const of: Caution['of'] = (type, values) => {
    if (sectionsStayRigid(type, values)) return undefined;
    throw place.keyError(
      'several-kinematics',
      `\`${law}\` is for rods whose sections stay plane and rigid, and those of ${type.name} do not`,
      'write a law of solids such as `neo-hookean: { mu: 0.3 MPa }`, or a position c(s) + x d1(s) + y d2(s) with perpendicular unit vectors d1 and d2',
    );
  };
  return { name: 'locking', place, of };
}

/** M/E of a material with the ratio 0.3 of Poisson: metals and most plastics are below. */
const LEAST = 0.7 / (1.3 * 0.4);

/** Of a law of solids on sections that cannot contract. */
export function cautionOfLocking(place: Place, solid: SolidMaterial): Caution {
  const moduli = normalModuli(solid);
  const of: Caution['of'] = (type, values) => {
    const factor = lockingFactor(moduli.map((e) => numberUnder(e, values)));
    if (factor === undefined || factor < LEAST * (1 + 1e-9) || !cannotContract(type, values)) return undefined;
    const rounded = Number(factor.toPrecision(3));
    const other = sectionsStayRigid(type, values)
      ? ': `rod-elasticity: { E: …, nu: … }` bends with E I'
      : ', unless a coordinate lets them contract by nu times what stretches them';
    return `sections of ${type.name} cannot contract, so that this law resists stretching and bending by E(1 - nu)/((1 + nu)(1 - 2nu)), ${rounded} times E${other}`;
  };
  return { name: 'locking', place, of };
}

// ---------------------------------------------------------------------------------------------- law

/** ∂²W/∂e_i∂e_j at rest, 3 × 3 by rows over e_xx, e_yy, e_zz: Pa, over the parameters of the type. */
function normalModuli({ energy }: SolidMaterial): readonly Expr[] {
  const e = ['xx', 'yy', 'zz'].map((name) => symbol(`normal.${name}`)) as unknown as readonly [Expr, Expr, Expr];
  const c = e.map((own) => plus(integer(1), times(integer(2), own))) as [Expr, Expr, Expr];
  const [x, y, z] = c;
  const values: Record<keyof typeof STRAIN_MEASURES, Expr> = {
    I1: plus(x, y, z),
    I2: plus(times(x, y), times(y, z), times(z, x)),
    J: sqrt(times(x, y, z)),
    tr_e: plus(...e),
    e_dot_e: plus(...e.map(square)),
    ...{ e_xx: e[0], e_yy: e[1], e_zz: e[2], e_xy: zero, e_xz: zero, e_yz: zero },
  };
  const W = substituteOne(
    energy,
    new Map(Object.entries(values).map(([name, value]) => [STRAIN_MEASURES[name as keyof typeof values], value])),
  );
  const still = new Map(e.map((own) => [own, zero]));
  return e.flatMap((first) => {
    const [slope] = differentiateAll([W], first);
    return e.map((second) => substituteOne(differentiateAll([slope!], second)[0]!, still));
  });
}

/** M/E along z: all other normal strains held, or free. */
function lockingFactor(moduli: readonly (number | undefined)[]): number | undefined {
  if (moduli.some((e) => e === undefined || !Number.isFinite(e))) return undefined;
  const [xx, xy, xz, , yy, yz, , , M] = moduli as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const E = M - (xz * xz * yy - 2 * xz * yz * xy + yz * yz * xx) / (xx * yy - xy * xy);
  return E > 0 && M > 0 ? M / E : undefined;
}

// ---------------------------------------------------------------------------------------------- kinematics

const Wide = decimalOfPrecision(50);
/** Away from the defaults, where strains are of first order and formulas such as sin(q)/q have values. */
const STEP = 1e-9;
/** Strains across a fibre of this share of that along it are of second order. */
const SMALL = 1e-4;
/** Points that are looked at. */
const POINTS = 6;

/** Does no coordinate stretch a section across where some stretches fibres? */
function cannotContract(type: BodyType, values: ReadonlyMap<Expr, number>): boolean {
  if (sectionsStayRigid(type, values)) return true;
  const { kinematics, volumes, coordinates, time, parameters } = type;
  if (kinematics.kind !== 'position' || parameters.some((p) => !values.has(p.symbol))) return false;
  return volumes.every((volume) => {
    const strains = normalStrains(kinematics.position, volume);
    if (!strains) return false;
    const { columns, rows } = interiorPoints(volume, values);
    const largest = [0, 0, 0];
    for (const { symbol: moved } of coordinates)
      for (let i = 0; i < Math.min(POINTS, rows); i++) {
        const row = Math.floor(((i + 0.5) * rows) / POINTS);
        const bindings = new Map([...values].map(([s, x]) => [s, new Wide(x)]));
        for (const [s, column] of columns) bindings.set(s, new Wide(column[row]!));
        if (time) bindings.set(time, new Wide(0));
        for (const { symbol: own, value } of coordinates)
          bindings.set(own, new Wide(foldConstant(value)).plus(own === moved ? STEP : STEP ** 3));
        const now = evaluateDecimal(strains, bindings, Wide).map((e) => Math.abs(e.toNumber()));
        now.forEach((e, k) => (largest[k] = Math.max(largest[k]!, e)));
      }
    const [x, y, z] = largest as [number, number, number];
    return z > 0 && Number.isFinite(z) && Math.max(x, y) < SMALL * z;
  });
}

/** e_xx, e_yy and e_zz, x and y across and z along; of ellipses in polar coordinates none. */
function normalStrains(position: Vector3, volume: Volume): readonly Expr[] | undefined {
  if (volume.kind === 'mesh') return undefined;
  const by = (variable: Expr): Vector3 => differentiateAll(position, variable) as unknown as Vector3;
  const strain = (v: Vector3): Expr => times(divide(integer(1), integer(2)), minus(dot(v, v), integer(1)));
  if (volume.kind === 'box') return axesOf(volume.axes).map((axis) => strain(by(axis)));
  const [u, v] = volume.section;
  if (volume.coordinates === 'cartesian') return [by(u), by(v), by(volume.axial)].map(strain);
  if (volume.shape.shape === 'ellipse') return undefined;
  return [by(u), scaleVector(divide(integer(1), u), by(v)), by(volume.axial)].map(strain);
}

/** z last, by its name. */
function axesOf(axes: readonly Expr[]): readonly Expr[] {
  const along = symbol('material.z');
  return axes.includes(along) ? [...axes.filter((axis) => axis !== along), along] : axes;
}
