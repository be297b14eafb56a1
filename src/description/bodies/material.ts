/**
 * Materials of bodies: elasticity and damping of rods given by strain; those of solids in `solid-material.ts`.
 */
import { divide, half, one, plus, times, type Expr } from '../../symbolic/graph/expr.ts';
import { checkRequirements, type Requirement } from '../values/requirement.ts';
import type { RodMaterial, SolidMaterial } from '../model/robot.ts';
import type { RawMaterial } from '../language/schema.ts';
import { dues, readScalar, type Due, type RawValue, type Scope } from '../values/scope.ts';
import { readSolidMaterial, solidLaws } from './solid-material.ts';
import type { Place } from '../source/source.ts';

export interface MaterialReading {
  /** One of the two. */
  readonly material?: RodMaterial;
  readonly solid?: SolidMaterial;
  readonly requirements: readonly Requirement[];
}

const DAMPING = ['retardation-time', 'viscosity'] as const;
/** Relative slack, so that moduli computed from a Poisson's ratio of 1/2 pass. */
const SLACK = 1e-12;

/** @param parameters the parameters of the body type. */
export function readMaterial(place: Place, raw: RawMaterial, parameters: Scope): MaterialReading {
  const solid = solidLaws().filter((law) => (raw as Record<string, unknown>)[law] !== undefined);
  const [law] = solid;
  const others = [...solid.slice(1), ...(law && raw['rod-elasticity'] ? ['rod-elasticity'] : [])];
  if (others[0] !== undefined)
    throw place.at(others[0]).keyError('wrong-shape', 'a material has one law', 'keep one of them');
  if (law !== undefined) {
    if (raw['retardation-time'] !== undefined)
      throw place.at('retardation-time').keyError('wrong-shape', 'solids have a `viscosity`', 'write `viscosity: …`');
    return readSolidMaterial(place, raw, law, parameters);
  }
  const requirements: Requirement[] = [];
  const at = place.at('rod-elasticity');
  const elasticity = raw['rod-elasticity'];
  if (!elasticity)
    throw place.error(
      'missing-key',
      'the material names no law',
      'write `material: { rod-elasticity: { E: 1 MPa, nu: 0.5 } }`, for solids `{ neo-hookean: { mu: 0.3 MPa } }`',
    );
  const read = (where: Place, value: RawValue, due: Due): Expr => readScalar(where, value, due, parameters).value;
  const positive = (where: Place, value: Expr, what: string, zeroToo = false): Expr => {
    requirements.push({
      place: where,
      value,
      holds: (number) => number > 0 || (zeroToo && number === 0),
      code: 'wrong-value',
      message: (number) => `${what} is ${number}`,
      remedy: zeroToo ? 'write zero or more' : 'write a number above zero',
    });
    return value;
  };
  const youngsModulus = positive(at.at('E'), read(at.at('E'), elasticity.E, dues.pressure), "Young's modulus");
  const shearModulus = readShearModulus(at, elasticity, youngsModulus, { read, positive, requirements });
  const shearFactor =
    elasticity['shear-factor'] === undefined
      ? one
      : positive(
          at.at('shear-factor'),
          read(at.at('shear-factor'), elasticity['shear-factor'], dues.plain),
          'the shear factor',
        );
  const given = DAMPING.filter((kind) => raw[kind] !== undefined);
  if (given.length > 1)
    throw place
      .at(given[1]!)
      .keyError('wrong-shape', 'damping is a `retardation-time` or a `viscosity`', 'keep one of them');
  const [kind] = given;
  const rod = { law: 'rod-elasticity', youngsModulus, shearModulus, shearFactor } as const;
  if (kind === undefined) return { material: rod, requirements };
  const due = kind === 'viscosity' ? dues.viscosity : dues.time;
  const value = positive(place.at(kind), read(place.at(kind), raw[kind]!, due), `the ${kind}`, true);
  return { material: { ...rod, damping: { kind, value } }, requirements };
}

interface ModulusReader {
  readonly read: (where: Place, value: RawValue, due: Due) => Expr;
  readonly positive: (where: Place, value: Expr, what: string) => Expr;
  readonly requirements: Requirement[];
}

/** G, given or E/(2(1 + ν)); sections of rods resist bending at ν = 1/2 like at any other. */
function readShearModulus(
  at: Place,
  raw: NonNullable<RawMaterial['rod-elasticity']>,
  youngsModulus: Expr,
  { read, positive, requirements }: ModulusReader,
): Expr {
  if (raw.nu !== undefined && raw.G !== undefined)
    throw at.at('G').keyError('wrong-shape', '`nu` and `G` say the same thing twice', 'keep one of them');
  if (raw.G !== undefined) return positive(at.at('G'), read(at.at('G'), raw.G, dues.pressure), 'the shear modulus');
  if (raw.nu === undefined)
    throw at.error(
      'missing-key',
      'how stiff is the rod against twist and shear?',
      "give Poisson's ratio `nu`, 0.5 for rubber, or the shear modulus `G`",
    );
  const nu = read(at.at('nu'), raw.nu, dues.plain);
  const requirement: Requirement = {
    place: at.at('nu'),
    value: nu,
    holds: (number) => number > -1 && number <= 0.5 * (1 + SLACK),
    code: 'wrong-value',
    message: (number) => `Poisson's ratio is ${number}`,
    remedy: 'materials that are the same in all directions have a ratio above -1 and up to 0.5',
  };
  // A ratio of −1 has to be found before it is divided by.
  checkRequirements([requirement], new Map());
  requirements.push(requirement);
  return times(half, divide(youngsModulus, plus(one, nu)));
}
