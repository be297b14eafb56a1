/**
 * Materials of bodies: elasticity and damping of rods given by strain, of each of their volumes; those of solids in
 * `solid-material.ts`.
 */
import { divide, fraction, half, minus, one, plus, times, type Expr } from '../../symbolic/graph/expr.ts';
import { dependsOn, substituteOne } from '../../symbolic/graph/traverse.ts';
import { checkRequirements, type Requirement } from '../values/requirement.ts';
import type { RodVolume } from '../model/robot.ts';
import type { RodMaterial, SolidMaterial } from '../model/material.ts';
import type { RawMaterial } from '../language/schema.ts';
import { dues, readScalar, Scope, type Due, type RawValue } from '../values/scope.ts';
import { dimensionless } from '../values/units.ts';
import { refuse, type KinematicsKey } from './kinematics.ts';
import { readSolidMaterial, solidLaws } from './solid-material.ts';
import type { StressAtRest } from './stress-at-rest.ts';
import { within, type Place } from '../source/source.ts';
import type { VolumeReading, Written } from './volume.ts';

export interface MaterialReading {
  /** Of each volume of a rod given by its strain, in their order. */
  readonly materials?: readonly RodMaterial[];
  /** Of each volume of a solid. */
  readonly solids?: readonly (SolidMaterial | undefined)[];
  /** Of their laws. */
  readonly stresses?: readonly StressAtRest[];
  readonly requirements: readonly Requirement[];
}

export interface MaterialContext {
  readonly volumes: readonly VolumeReading[];
  /** Of the body type. */
  readonly parameters: Scope;
  /** How the body moves; unknown after a mistake. */
  readonly kind: KinematicsKey | undefined;
  /** Is there a `section-position`? */
  readonly deforms: boolean;
}

const DAMPING = ['retardation-time', 'viscosity'] as const;
/** Relative slack, so that moduli computed from a Poisson's ratio of 1/2 pass. */
const SLACK = 1e-12;
/** Places where moduli that vary along a rod are looked at, from end to end. */
const PLACES = 16;
const ALONG_ONLY = 'the material of a rod depends on the place along it only';
/** What formulas call the share of the length of a rod, from 0 to 1, unless the type calls something else so. */
const SHARE = 'S';

/** @param whole the material of all volumes that have none of their own. */
export function readMaterials(whole: Written<RawMaterial> | undefined, context: MaterialContext): MaterialReading {
  const { volumes, parameters } = context;
  const of = ({ material }: VolumeReading): Written<RawMaterial> | undefined => material ?? whole;
  const given = [...new Set([whole, ...volumes.map(of)])].filter((own) => own !== undefined);
  const [first] = given;
  if (!first) return { requirements: [] };
  for (const { value, place } of given) checkLaw(place, value, context);
  if (lawOf(first.value) !== undefined) return solidReading(volumes.map(of), given, parameters);
  const bare = volumes.find((volume) => !of(volume));
  if (bare)
    throw bare.place.error(
      'missing-key',
      'this volume has no `material`, and others of the body have one',
      'give every volume a `material`, or the body one for all volumes that have none of their own',
    );
  const readings = volumes.map((volume) => readRodMaterial(of(volume)!, volume, parameters));
  return {
    materials: readings.map(({ material }) => material),
    requirements: readings.flatMap(({ requirements }) => requirements),
  };
}

/** Each material is read once, however many volumes it is of. */
function solidReading(
  ofVolumes: readonly (Written<RawMaterial> | undefined)[],
  given: readonly Written<RawMaterial>[],
  parameters: Scope,
): MaterialReading {
  const readings = new Map(
    given.map((own) => [own, readSolidMaterial(own.place, own.value, lawOf(own.value)!, parameters)]),
  );
  return {
    solids: ofVolumes.map((own) => own && readings.get(own)!.solid),
    stresses: [...readings.values()].map(({ atRest }) => atRest),
    requirements: [...readings.values()].flatMap(({ requirements }) => requirements),
  };
}

/** The law of a solid; none where the material is that of a rod. */
function lawOf(raw: RawMaterial): string | undefined {
  return solidLaws().find((law) => (raw as Record<string, unknown>)[law] !== undefined);
}

/** One law, of the kind that goes with the kinematics. */
function checkLaw(place: Place, raw: RawMaterial, { kind, deforms }: MaterialContext): void {
  const laws = [...solidLaws(), 'rod-elasticity'].filter((law) => (raw as Record<string, unknown>)[law] !== undefined);
  const [law, other] = laws;
  if (other !== undefined) throw place.at(other).keyError('wrong-shape', 'a material has one law', 'keep one of them');
  if (law === undefined)
    throw place.error(
      'missing-key',
      'the material names no law',
      'write `material: { rod-elasticity: { E: 1 MPa, nu: 0.5 } }`, for solids `{ neo-hookean: { mu: 0.3 MPa } }`',
    );
  const isRod = law === 'rod-elasticity';
  if (!isRod && raw['retardation-time'] !== undefined)
    throw place.at('retardation-time').keyError('wrong-shape', 'solids have a `viscosity`', 'write `viscosity: …`');
  if (!isRod && kind === 'strain' && !deforms)
    throw place.keyError(
      'several-kinematics',
      `\`${law}\` is a law of solids, and this body is given by its strains`,
      'write `rod-elasticity`, or give the body by `position`, `pose`, `compose` or `network`',
    );
  if (isRod && kind !== undefined && kind !== 'strain')
    throw place.keyError(
      'several-kinematics',
      `\`rod-elasticity\` is for rods given by \`strain\` whose sections stay plane and rigid`,
      'write a law of solids such as `neo-hookean: { mu: 0.3 MPa }`, or give the body by its strains',
    );
}

/** The material of one volume of a rod, by formulas in its axial coordinate. */
function readRodMaterial(
  { value: raw, place }: Written<RawMaterial>,
  volume: VolumeReading,
  parameters: Scope,
): { readonly material: RodMaterial; readonly requirements: readonly Requirement[] } {
  const requirements: Requirement[] = [];
  const elasticity = raw['rod-elasticity']!;
  const at = place.at('rod-elasticity');
  const rod = rodOf(volume);
  const scope = scopeAlong(volume, rod, parameters);
  const read = (where: Place, value: RawValue, due: Due): Expr => {
    const e = readScalar(where, value, due, scope).value;
    if (rod)
      refuse(where, [e], rod.section, ALONG_ONLY, 'make each part of the section a volume with its own `material`');
    return e;
  };
  const positive = (where: Place, value: Expr, what: string, zeroToo = false): Expr => {
    requirements.push(
      ...everywhere(rod, {
        place: where,
        value,
        holds: (number) => number > 0 || (zeroToo && number === 0),
        code: 'wrong-value',
        message: (number) => `${what} is ${number}`,
        remedy: zeroToo ? 'write zero or more' : 'write a number above zero',
      }),
    );
    return value;
  };
  const youngsModulus = positive(at.at('E'), read(at.at('E'), elasticity.E, dues.pressure), "Young's modulus");
  const shearModulus = readShearModulus(at, elasticity, youngsModulus, { read, positive, rod, requirements });
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
  const elastic = { law: 'rod-elasticity', youngsModulus, shearModulus, shearFactor } as const;
  if (kind === undefined) return { material: elastic, requirements };
  const due = kind === 'viscosity' ? dues.viscosity : dues.time;
  const value = positive(place.at(kind), read(place.at(kind), raw[kind]!, due), `the ${kind}`, true);
  return { material: { ...elastic, damping: { kind, value } }, requirements };
}

function rodOf({ volume }: VolumeReading): RodVolume | undefined {
  return volume.kind === 'rod' ? volume : undefined;
}

/** Parameters, material coordinates, and the share of the length. */
function scopeAlong({ coordinates }: VolumeReading, rod: RodVolume | undefined, parameters: Scope): Scope {
  const scope = new Scope(parameters);
  for (const { name, symbol, dimension } of coordinates) scope.define(name, symbol, dimension);
  if (rod && !scope.find(SHARE))
    scope.imply(SHARE, divide(minus(rod.axial, rod.start), minus(rod.end, rod.start)), dimensionless);
  return scope;
}

/** The requirement at places along the rod, where its value varies. */
function everywhere(rod: RodVolume | undefined, requirement: Requirement): readonly Requirement[] {
  const { value, message } = requirement;
  if (!rod || !dependsOn(value, new Set([rod.axial]))) return [requirement];
  return Array.from({ length: PLACES + 1 }, (_, i): Requirement => {
    const place = plus(rod.start, times(fraction(i, PLACES), minus(rod.end, rod.start)));
    return {
      ...requirement,
      value: within(requirement.place, () => substituteOne(value, new Map([[rod.axial, place]]))),
      message: (number) => `${message(number)} at S = ${i / PLACES} along the rod`,
    };
  });
}

interface ModulusReader {
  readonly read: (where: Place, value: RawValue, due: Due) => Expr;
  readonly positive: (where: Place, value: Expr, what: string) => Expr;
  readonly rod: RodVolume | undefined;
  readonly requirements: Requirement[];
}

/** G, given or E/(2(1 + ν)); sections of rods resist bending at ν = 1/2 like at any other. */
function readShearModulus(
  at: Place,
  raw: NonNullable<RawMaterial['rod-elasticity']>,
  youngsModulus: Expr,
  { read, positive, rod, requirements }: ModulusReader,
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
  const bounds = everywhere(rod, {
    place: at.at('nu'),
    value: nu,
    holds: (number) => number > -1 && number <= 0.5 * (1 + SLACK),
    code: 'wrong-value',
    message: (number) => `Poisson's ratio is ${number}`,
    remedy: 'materials that are the same in all directions have a ratio above -1 and up to 0.5',
  });
  // A ratio of −1 has to be found before it is divided by.
  checkRequirements(bounds, new Map());
  requirements.push(...bounds);
  return times(half, divide(youngsModulus, plus(one, nu)));
}
