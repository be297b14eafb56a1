/**
 * Materials of bodies: which law goes with which volume. Those of rods are read in `rod-material.ts`, those of solids in
 * `solid-material.ts`.
 */
import type { Quantity } from '../model/robot.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import type { Requirement } from '../values/requirement.ts';
import type { RodMaterial, SolidMaterial } from '../model/material.ts';
import type { RawMaterial } from '../language/schema.ts';
import type { Scope } from '../values/scope.ts';
import { cautionOfSections } from './locking.ts';
import type { Caution } from './caution.ts';
import type { KinematicsKey } from './kinematics.ts';
import { readNaturalStrain, readRodMaterial, ROD_LAWS } from './rod-material.ts';
import { readSolidMaterial, solidLaws } from './solid-material.ts';
import type { Place } from '../source/source.ts';
import type { VolumeReading, Written } from '../volumes/volume.ts';

export interface MaterialReading {
  /** Of each volume of a rod given by its strain, in their order. */
  readonly materials?: readonly RodMaterial[];
  /** Strains of the rod without stress, beyond those of `rest`. */
  readonly natural?: readonly Expr[];
  /** Of each volume of a solid. */
  readonly solids?: readonly (SolidMaterial | undefined)[];
  readonly cautions: readonly Caution[];
  readonly requirements: readonly Requirement[];
}

export interface MaterialContext {
  readonly volumes: readonly VolumeReading[];
  /** Of the body type. */
  readonly parameters: Scope;
  readonly coordinates: readonly Quantity[];
  /** How the body moves; unknown after a mistake. */
  readonly kind: KinematicsKey | undefined;
  /** Is there a `section-position`? */
  readonly deforms: boolean;
}

/** @param whole the material of all volumes that have none of their own. */
export function readMaterials(whole: Written<RawMaterial> | undefined, context: MaterialContext): MaterialReading {
  const { volumes, parameters, coordinates } = context;
  const of = ({ material }: VolumeReading): Written<RawMaterial> | undefined => material ?? whole;
  const given = [...new Set([whole, ...volumes.map(of)])].filter((own) => own !== undefined);
  const [first] = given;
  if (!first) return { cautions: [], requirements: [] };
  for (const { value, place } of given) checkLaw(place, value, context);
  const other = given.find(({ value }) => (lawOf(value) === undefined) !== (lawOf(first.value) === undefined));
  if (other)
    throw other.place.keyError(
      'several-kinematics',
      'a body has laws of rods or laws of solids, not both',
      'write `rod-elasticity` for all volumes, or a law of solids for all',
    );
  for (const own of given)
    if (own !== whole && own.value.natural !== undefined)
      throw own.place
        .at('natural')
        .keyError(
          'wrong-shape',
          'all volumes of a rod have one natural strain',
          'write it in the `material` of the body',
        );
  if (lawOf(first.value) !== undefined) return solidReading(volumes.map(of), given, parameters);
  const bare = volumes.find((volume) => !of(volume));
  if (bare)
    throw bare.place.error(
      'missing-key',
      'this volume has no `material`, but others of the body do',
      'give every volume a `material`, or the body one for all others',
    );
  const lawOfRod = ROD_LAWS.find((law) => first.value[law] !== undefined)!;
  const readings = volumes.map((volume) => readRodMaterial(of(volume)!, volume, parameters));
  const twists = readings.flatMap(({ twist }, i) =>
    twist && volumes.length > 1 && mayWarp(volumes[i]!) ? [twist] : [],
  );
  const raw = whole?.value.natural;
  const natural =
    raw && readNaturalStrain({ value: raw, place: whole.place.at('natural') }, volumes[0]!, parameters, coordinates);
  return {
    materials: readings.map(({ material }) => material),
    ...(natural && { natural: natural.strains }),
    cautions: [cautionOfSections(first.place.at(lawOfRod), lawOfRod), ...twists.slice(0, 1)],
    requirements: [...readings.flatMap(({ requirements }) => requirements), ...(natural?.requirements ?? [])],
  };
}

/** Round sections do not. */
function mayWarp({ volume }: VolumeReading): boolean {
  return volume.kind === 'rod' && volume.shape.shape !== 'disc' && volume.shape.shape !== 'annulus';
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
    cautions: [...readings.values()].flatMap(({ cautions }) => cautions),
    requirements: [...readings.values()].flatMap(({ requirements }) => requirements),
  };
}

/** The law of a solid; none where the material is that of a rod. */
function lawOf(raw: RawMaterial): string | undefined {
  return solidLaws().find((law) => (raw as Record<string, unknown>)[law] !== undefined);
}

/** One law, of the kind that goes with the kinematics. */
function checkLaw(place: Place, raw: RawMaterial, { kind, deforms, volumes }: MaterialContext): void {
  const laws = [...solidLaws(), ...ROD_LAWS].filter((law) => (raw as Record<string, unknown>)[law] !== undefined);
  const [law, other] = laws;
  if (other !== undefined) throw place.at(other).keyError('wrong-shape', 'a material has one law', 'keep one of them');
  if (law === undefined)
    throw place.error(
      'missing-key',
      'the material has no law',
      'write `material: { rod-elasticity: { E: 1 MPa, nu: 0.5 } }`, for solids `{ neo-hookean: { mu: 0.3 MPa } }`',
    );
  const isRod = ROD_LAWS.some((own) => own === law);
  const noRod = kind !== 'strain' && volumes.find(({ volume }) => volume.kind !== 'rod')?.volume.kind;
  if (!isRod && raw.natural !== undefined)
    throw place
      .at('natural')
      .keyError('wrong-shape', '`natural` is for laws of rods', 'remove it, or write `rod-elasticity`');
  if (!isRod && raw['retardation-time'] !== undefined)
    throw place.at('retardation-time').keyError('wrong-shape', 'solids have a `viscosity`', 'write `viscosity: …`');
  if (!isRod && kind === 'strain' && !deforms)
    throw place.keyError(
      'several-kinematics',
      `\`${law}\` is a law of solids; this body is a rod by strain`,
      'write `rod-elasticity`, or give the body by `position`, `pose`, `compose` or `network`',
    );
  if (isRod && kind === 'network')
    throw place.keyError(
      'several-kinematics',
      `\`${law}\` is for rods whose sections stay plane and rigid; those of a learned map do not`,
      'write a law of solids such as `neo-hookean: { mu: 0.3 MPa }`',
    );
  if (isRod && noRod)
    throw place
      .at(law)
      .keyError(
        'wrong-volume',
        `\`${law}\` is for rods; a volume of this body is a ${noRod}`,
        'write `volume: { rod: { s: [0, L] }, section: … }`, or a law of solids such as `st-venant-kirchhoff: { E: 1 MPa, nu: 0.3 }`',
      );
}
