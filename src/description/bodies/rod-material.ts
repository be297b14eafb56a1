/**
 * Materials of rods, volume by volume: moduli that the section multiplies, or the stiffness of a section itself, and damping; by formulas of
 * the place along the rod.
 */
import type { Quantity } from '../model/robot.ts';
import { divide, fraction, half, minus, one, plus, square, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { dependsOn, substituteOne } from '../../symbolic/graph/traverse.ts';
import { checkRequirements, type Requirement } from '../values/requirement.ts';
import type { RodVolume } from '../model/reference-volume.ts';
import type { RodElasticity, RodMaterial, SectionStiffness } from '../model/material.ts';
import { implyTime, TIME, TIME_OF_BODY } from './quantity.ts';
import { strainNames, type RawMaterial } from '../language/schema.ts';
import { dues, readScalar, Scope, type Due, type RawValue } from '../values/scope.ts';
import { dimensionless } from '../values/units.ts';
import type { Caution } from './caution.ts';
import { refuse } from './kinematics.ts';
import { within, type Place } from '../source/source.ts';
import type { VolumeReading, Written } from '../volumes/volume.ts';

/** Relative slack, so that moduli computed from a Poisson's ratio of 1/2 pass. */
const SLACK = 1e-12;
/** Places where moduli that vary along a rod are looked at, from end to end. */
const PLACES = 16;
const ALONG_ONLY = 'the material of a rod depends on the place along it only';
/** What formulas call the share of the length of a rod, from 0 to 1, unless the type calls something else so. */
const SHARE = 'S';

/** The keys of `material` that name a law of rods. */
export const ROD_LAWS = ['rod-elasticity', 'section-stiffness'] as const;

export interface RodMaterialReading {
  readonly material: RodMaterial;
  /** Where J follows from the section: of sections beside others that are not round. */
  readonly twist: Caution | undefined;
  readonly requirements: readonly Requirement[];
}

/** The material of one volume of a rod. */
export function readRodMaterial(
  written: Written<RawMaterial>,
  volume: VolumeReading,
  parameters: Scope,
): RodMaterialReading {
  const reader = new RodMaterialReader(volume, parameters);
  const material = reader.material(written);
  const place = written.place.at(material.law);
  return { material, twist: twistCaution(place, material), requirements: reader.requirements };
}

function twistCaution(place: Place, material: RodMaterial): Caution | undefined {
  const isGiven = material.law === 'rod-elasticity' && material.torsionConstant !== undefined;
  const needed = material.law === 'rod-elasticity' || material.damping?.viscosity !== undefined;
  if (isGiven || !needed) return undefined;
  const message =
    'no formula gives the torsion constant of several volumes that warp together; kanegen takes the sum of their polar moments, an upper bound; ' +
    'write `torsion-constant` in the `rod-elasticity` of each volume';
  return { name: 'torsion-bound', place, of: () => message };
}

/** Strains without stress, six of them, beyond those of `rest`. */
export interface NaturalReading {
  readonly strains: readonly Expr[];
  readonly requirements: readonly Requirement[];
}

/** By formulas of the place along the rod, the parameters and the time, unless a coordinate has its name. */
export function readNaturalStrain(
  { value, place }: Written<NonNullable<RawMaterial['natural']>>,
  volume: VolumeReading,
  parameters: Scope,
  coordinates: readonly Quantity[],
): NaturalReading {
  const scope = new Scope(parameters);
  // For a message of their own; one that is called as the time has its symbol.
  for (const { name, symbol } of coordinates) scope.imply(name, symbol, undefined);
  implyTime(scope);
  const reader = new RodMaterialReader(volume, scope);
  const strains = strainNames.map((name, i): Expr => {
    const raw = value[name];
    return raw === undefined
      ? zero
      : reader.natural(place.at(name), raw, i < 3 ? dues.curvature : dues.stretch, coordinates);
  });
  return { strains, requirements: reader.requirements };
}

/** By formulas in the axial coordinate of the volume. */
class RodMaterialReader {
  readonly requirements: Requirement[] = [];
  private readonly rod: RodVolume | undefined;
  private readonly scope: Scope;

  constructor({ volume, coordinates }: VolumeReading, parameters: Scope) {
    this.rod = volume.kind === 'rod' ? volume : undefined;
    this.scope = new Scope(parameters);
    for (const { name, symbol, dimension } of coordinates) this.scope.define(name, symbol, dimension);
    if (!this.rod || this.scope.find(SHARE)) return;
    const { axial, start, end } = this.rod;
    this.scope.imply(SHARE, divide(minus(axial, start), minus(end, start)), dimensionless);
  }

  material({ value: raw, place }: Written<RawMaterial>): RodMaterial {
    const stiffness = raw['section-stiffness'];
    const law = stiffness
      ? this.stiffness(place.at('section-stiffness'), stiffness)
      : this.elasticity(place.at('rod-elasticity'), raw['rod-elasticity']!);
    const retardationTime = this.damping(place, raw, 'retardation-time');
    const viscosity = this.damping(place, raw, 'viscosity');
    if (!retardationTime && !viscosity) return law;
    return { ...law, damping: { ...(retardationTime && { retardationTime }), ...(viscosity && { viscosity }) } };
  }

  /** Of no coordinate, finite at the start. */
  natural(place: Place, raw: RawValue, due: Due, coordinates: readonly Quantity[]): Expr {
    const value = this.read(place, raw, due);
    refuse(
      place,
      [value],
      coordinates.map(({ symbol }) => symbol),
      'it is a coordinate, and natural strains depend on the place along the rod, parameters and the time only',
      `write \`strain\` by coordinates; where one is called \`${TIME}\`, rename it to write of the time`,
    );
    this.required({
      place,
      value: within(place, () => substituteOne(value, new Map([[TIME_OF_BODY, zero]]))),
      holds: Number.isFinite,
      code: 'not-finite',
      message: (number) => `the natural strain is ${number}`,
      remedy: 'write it without the pole',
    });
    return value;
  }

  private damping(place: Place, raw: RawMaterial, kind: 'retardation-time' | 'viscosity'): Expr | undefined {
    const given = raw[kind];
    if (given === undefined) return undefined;
    const due = kind === 'viscosity' ? dues.viscosity : dues.time;
    return this.positive(place.at(kind), this.read(place.at(kind), given, due), `the ${kind}`, true);
  }

  // -------------------------------------------------------------------------------------------- values

  private read(where: Place, value: RawValue, due: Due): Expr {
    const e = readScalar(where, value, due, this.scope).value;
    if (this.rod)
      refuse(
        where,
        [e],
        this.rod.section,
        ALONG_ONLY,
        'make each part of the section a volume with its own `material`',
      );
    return e;
  }

  private positive(where: Place, value: Expr, what: string, zeroToo = false): Expr {
    return this.required({
      place: where,
      value,
      holds: (number) => number > 0 || (zeroToo && number === 0),
      code: 'wrong-value',
      message: (number) => `${what} is ${number}`,
      remedy: zeroToo ? 'write zero or more' : 'write a number above zero',
    });
  }

  /** At places along the rod, where the value varies; at once where it is a number, so that formulas of it have one. */
  private required(requirement: Requirement): Expr {
    const bounds = everywhere(this.rod, requirement);
    checkRequirements(bounds, new Map());
    this.requirements.push(...bounds);
    return requirement.value;
  }

  // -------------------------------------------------------------------------------------------- moduli

  private elasticity(at: Place, raw: NonNullable<RawMaterial['rod-elasticity']>): RodElasticity {
    const youngsModulus = this.positive(at.at('E'), this.read(at.at('E'), raw.E, dues.pressure), "Young's modulus");
    const shearModulus = this.shearModulus(at, raw, youngsModulus);
    const shearFactors = this.shearFactors(at.at('shear-factor'), raw['shear-factor']);
    const constant = raw['torsion-constant'];
    const where = at.at('torsion-constant');
    return {
      ...{ law: 'rod-elasticity', youngsModulus, shearModulus, shearFactors },
      ...(constant !== undefined && {
        torsionConstant: this.positive(where, this.read(where, constant, TORSION_CONSTANT), 'the torsion constant'),
      }),
    };
  }

  /** One of both directions, or those along x and y. */
  private shearFactors(at: Place, raw: RawValue | readonly RawValue[] | undefined): readonly [Expr, Expr] {
    if (raw === undefined) return [one, one];
    const factor = (where: Place, value: RawValue): Expr =>
      this.positive(where, this.read(where, value, dues.plain), 'the shear factor');
    if (typeof raw === 'object') return [factor(at.at(0), raw[0]!), factor(at.at(1), raw[1]!)];
    const both = factor(at, raw);
    return [both, both];
  }

  /** G, given or E/(2(1 + ν)); sections of rods resist bending at ν = 1/2 like at any other. */
  private shearModulus(at: Place, raw: NonNullable<RawMaterial['rod-elasticity']>, youngsModulus: Expr): Expr {
    if (raw.nu !== undefined && raw.G !== undefined)
      throw at.at('G').keyError('wrong-shape', '`nu` and `G` are two values of the same modulus', 'keep one of them');
    if (raw.G !== undefined)
      return this.positive(at.at('G'), this.read(at.at('G'), raw.G, dues.pressure), 'the shear modulus');
    if (raw.nu === undefined)
      throw at.error(
        'missing-key',
        'the stiffness against twist and shear is missing',
        "give Poisson's ratio `nu`, 0.5 for rubber, or the shear modulus `G`",
      );
    // A ratio of −1 has to be found before it is divided by.
    const nu = this.required({
      place: at.at('nu'),
      value: this.read(at.at('nu'), raw.nu, dues.plain),
      holds: (number) => number > -1 && number <= 0.5 * (1 + SLACK),
      code: 'wrong-value',
      message: (number) => `Poisson's ratio is ${number}`,
      remedy: 'write a ratio above -1 and at most 0.5',
    });
    return times(half, divide(youngsModulus, plus(one, nu)));
  }

  // -------------------------------------------------------------------------------------------- whole sections

  /** The diagonal, or six rows of six. */
  private stiffness(at: Place, raw: readonly (RawValue | readonly RawValue[])[]): SectionStiffness {
    const isDiagonal = raw.every((row) => typeof row !== 'object');
    const odd = raw.findIndex((row) => typeof row !== 'object' || row.length !== STRAINS);
    if (!isDiagonal && odd >= 0)
      throw at
        .at(odd)
        .error(
          'wrong-shape',
          `this row does not have ${STRAINS} numbers`,
          'write six numbers, for bend-x, bend-y, twist, shear-x, shear-y and stretch, or six rows of six numbers',
        );
    const placeOf = (row: number, column: number): Place => (isDiagonal ? at.at(row) : at.at(row, column));
    const entries = raw.flatMap((given, row) =>
      Array.from({ length: STRAINS }, (_, column): Expr => {
        if (typeof given !== 'object' && row !== column) return zero;
        const value = typeof given === 'object' ? given[column]! : given;
        return this.read(placeOf(row, column), value, stiffnessDue(row, column));
      }),
    );
    const matrix = Array.from({ length: STRAINS }, (_, row) => entries.slice(STRAINS * row, STRAINS * (row + 1)));
    matrix.forEach((own, row) =>
      own.slice(0, row).forEach((e, column) => this.symmetric(placeOf(row, column), e, matrix[column]![row]!)),
    );
    this.positiveMatrix(at, matrix);
    return { law: 'section-stiffness', entries };
  }

  private symmetric(place: Place, below: Expr, above: Expr): void {
    const difference = minus(below, above);
    if (difference === zero) return;
    this.required({
      place,
      value: divide(square(difference), plus(square(below), square(above))),
      holds: (number) => number < SLACK ** 2,
      code: 'wrong-value',
      message: () => 'this entry differs from the one on the other side of the diagonal',
      remedy: 'write the same number: a stiffness is symmetric',
    });
  }

  /** Every pivot of its elimination is above zero. */
  private positiveMatrix(place: Place, matrix: readonly (readonly Expr[])[]): void {
    let left = matrix;
    for (let step = 0; step < STRAINS; step++) {
      const [[pivot, ...across], ...others] = left as [[Expr, ...Expr[]], ...Expr[][]];
      this.required({
        place,
        value: pivot,
        holds: (number) => number > 0,
        code: 'wrong-value',
        message: (number) =>
          matrix[step]![step] === pivot
            ? `the stiffness of ${strainNames[step]} is ${number}`
            : `this stiffness is not positive definite: the pivot of ${strainNames[step]} in its elimination is ${number}`,
        remedy:
          'write a matrix that is positive definite, with a positive number even for strains that the body does not have',
      });
      left = others.map(([first, ...row]) =>
        row.map((e, column) => (first === zero ? e : minus(e, divide(times(first!, across[column]!), pivot)))),
      );
    }
  }
}

const STRAINS = strainNames.length;
const TORSION_CONSTANT: Due = { what: 'the torsion constant', dimension: [0, 4, 0, 0, 0] };

/** N m² between bending and twist, N m between them and shears or stretch, N between these. */
function stiffnessDue(row: number, column: number): Due {
  const lengths = 1 + (row < 3 ? 1 : 0) + (column < 3 ? 1 : 0);
  return { what: 'this stiffness', dimension: [1, lengths, -2, 0, 0] };
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
