/**
 * Body types: the keys of a type, merged with those it extends, → volume, kinematics, parameters, coordinates.
 */
import { implyTime, TIME_OF_BODY } from './quantity.ts';
import type { Warning } from '../model/warnings.ts';
import type { KanegenError } from '../../common/error.ts';
import { one, symbol, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { freeSymbols, substitute } from '../../symbolic/graph/traverse.ts';
import type { Problems } from '../source/diagnostics.ts';
import type { SourceFiles } from '../source/files.ts';
import { readChamber, type ChamberReading } from './chamber.ts';
import { readCoordinateEnergies } from './coordinate-energies.ts';
import { readIntegration } from './integration-choice.ts';
import {
  COMPANIONS,
  KINEMATICS,
  kinematicsKey,
  readKinematics,
  type KinematicsContext,
  type KinematicsKey,
} from './kinematics.ts';
import { readMaterials, type MaterialReading } from './material.ts';
import { coordinateNames, readBodyLimits, readCoordinate, readParameter, type Unlimited } from './quantity.ts';
import { nameProblem } from '../values/reserved-names.ts';
import type { Requirement } from '../values/requirement.ts';
import { formulasOf, type BodyCoordinate, type BodyType, type Quantity } from '../model/robot.ts';
import { DEFAULT_INTEGRATION, defaultIntegration } from '../model/reference-volume.ts';
import type {
  RawBodyType,
  RawChamber,
  RawCoordinate,
  RawIntegration,
  RawMaterial,
  RawParameter,
  RawVector,
  RawVolume,
} from '../language/schema.ts';
import { readAny, readScalar, type Due, type RawValue, Scope } from '../values/scope.ts';
import { within, type Place } from '../source/source.ts';
import type { Dimension } from '../values/units.ts';
import type { Caution } from './caution.ts';
import { ROD_LAWS } from './rod-material.ts';
import { breakRequirements } from '../volumes/volume-check.ts';
import { readVolume, sharedCoordinates, type VolumeReading, type Written } from '../volumes/volume.ts';

/** The keys of a body type after `extends`. */
export interface BodySource {
  readonly name: string;
  readonly place: Place;
  readonly keys: ReadonlyMap<string, Written>;
  readonly parameters: ReadonlyMap<string, Written<RawParameter>>;
  readonly lets: ReadonlyMap<string, Written<RawVector | RawValue>>;
}

const VOLUMES = ['volume', 'volumes'] as const;

function isRodLaw(material: Written | undefined): boolean {
  return ROD_LAWS.some((law) => Object.hasOwn(material?.value ?? {}, law));
}

/** What is given replaces, parameters and `let` name by name; a new kind of kinematics drops the inherited one. */
export function mergeBody(name: string, place: Place, raw: RawBodyType, inherited: BodySource | undefined): BodySource {
  const keys = new Map<string, Written>(inherited?.keys);
  const own = KINEMATICS.filter((key) => raw[key] !== undefined);
  if (own.length > 0) {
    for (const key of KINEMATICS) keys.delete(key);
    for (const [key, owners] of Object.entries(COMPANIONS))
      if (!own.some((kind) => owners.includes(kind))) keys.delete(key);
    if (isRodLaw(keys.get('material')) !== own.includes('strain')) keys.delete('material');
    // How integrals are to be computed was said of the inherited kinematics.
    if (!own.some((kind) => inherited?.keys.has(kind))) keys.delete('integration');
  }
  if (raw.volume !== undefined || raw.volumes !== undefined) for (const key of VOLUMES) keys.delete(key);
  const merged = <T>(
    key: 'parameters' | 'let',
    before: ReadonlyMap<string, Written<T>> | undefined,
  ): Map<string, Written<T>> => {
    const entries = Object.entries(raw[key] ?? {}) as [string, T][];
    return new Map([
      ...(before ?? []),
      ...entries.map(([n, value]) => [n, { value, place: place.at(key, n) }] as const),
    ]);
  };
  for (const [key, value] of Object.entries(raw))
    if (value !== undefined && !['extends', 'parameters', 'let'].includes(key))
      keys.set(key, { value, place: place.at(key) });
  return {
    name,
    place,
    keys,
    parameters: merged('parameters', inherited?.parameters),
    lets: merged('let', inherited?.lets),
  };
}

/** A body type with the defaults of its parameters as formulas in the ones before them. */
export interface ResolvedBodyType {
  readonly type: BodyType;
  readonly defaults: readonly ParameterDefault[];
  readonly source: BodySource;
  /** Of the parameters of every link. */
  readonly requirements: readonly Requirement[];
  /** Of its materials. */
  readonly cautions: readonly Caution[];
  readonly warnings: readonly Warning[];
  /** Parameters that no formula of the type reads, and what is to be said where nothing else does. */
  readonly unread: readonly { readonly symbol: Expr; readonly warning: Warning }[];
}

interface ParameterDefault {
  readonly name: string;
  readonly due: Due;
  /** Undefined for a parameter that every link must give. */
  readonly value: Expr | undefined;
}

interface Parameters {
  readonly quantities: Quantity[];
  readonly defaults: ParameterDefault[];
}

const NO_MATERIAL: MaterialReading = { cautions: [], requirements: [] };

class BodyReader {
  private readonly source: BodySource;
  private readonly files: SourceFiles;
  private readonly problems: Problems;
  /** Where each name of the type was given, over all kinds of names. */
  private readonly taken = new Map<string, string>();
  private readonly parameterScope = new Scope();
  /** What must hold of the limits of coordinates. */
  private readonly limitRequirements: Requirement[] = [];

  constructor(source: BodySource, files: SourceFiles, problems: Problems) {
    this.source = source;
    this.files = files;
    this.problems = problems;
  }

  read(): ResolvedBodyType | undefined {
    const { source, problems, parameterScope } = this;
    const before = problems.count;
    const { quantities, defaults } = this.parameters(parameterScope);
    const scope = new Scope(parameterScope);
    const time = TIME_OF_BODY;
    implyTime(scope);
    const coordinates = this.coordinates(scope);
    const volumes = problems.attempt(() => this.volumes(scope));
    if (!volumes) return undefined;
    this.lets(scope);
    const context: KinematicsContext = {
      name: source.name,
      place: source.place,
      keys: source.keys,
      volumes,
      materials: [],
      natural: [],
      material: volumes[0]!.coordinates,
      scope,
      parameters: parameterScope,
      coordinates,
      configuration: [...coordinates.map((c) => c.symbol), time],
      files: this.files,
    };
    const kind = problems.attempt(() => kinematicsKey(context));
    const elsewhere = new Set<Expr>([...volumes.flatMap((own) => own.coordinates.map((c) => c.symbol)), time]);
    const energies = problems.attempt(() => this.energies(coordinates, scope, elsewhere)) ?? {};
    const material = problems.attempt(() => this.materials(kind, volumes, coordinates)) ?? NO_MATERIAL;
    const { materials = [], natural = [] } = material;
    const read = kind && problems.attempt(() => readKinematics(kind, { ...context, materials, natural }));
    const chambers = problems.attempt(() => this.chambers(volumes, scope, coordinates)) ?? [];
    if (!read) return undefined;
    const moved = { kinematics: read.kinematics, volumes: read.volumes };
    const integration = problems.attempt(() => this.integration(moved)) ?? DEFAULT_INTEGRATION;
    if (problems.count > before) return undefined; // names of the formulas may have no values
    const at = (...names: string[]): Place =>
      names.map((key) => source.keys.get(key)?.place).find((p) => p) ?? source.place;
    const isNamed = [...quantities, ...coordinates].some((quantity) => quantity.symbol === time);
    const type: BodyType = {
      name: source.name,
      summary: (source.keys.get('summary')?.value as string | undefined) ?? '',
      parameters: quantities,
      coordinates,
      ...moved,
      integration,
      ...(materials.length > 0 && { materials }),
      ...(material.natural && { natural: material.natural }),
      ...(material.solids && { solids: material.solids }),
      ...(chambers.length > 0 && { chambers: chambers.map((own) => own.chamber) }),
      ...energies,
      ...(!isNamed &&
      freeSymbols([...formulasOf(read.kinematics), ...natural, ...chambers.flatMap(movingFormulas)]).includes(time)
        ? { time }
        : {}),
      provenance: scope.provenance,
      locations: {
        whole: source.place.location,
        kinematics: at(kind).location,
        distal: at('distal', kind).location,
        volume: at(...VOLUMES).location,
      },
    };
    const requirements = [
      ...this.limitRequirements,
      ...(read.requirements ?? []),
      ...volumes.flatMap(breakRequirements),
      ...material.requirements,
      ...chambers.flatMap((own) => own.requirements),
    ];
    return {
      type,
      defaults,
      source,
      requirements,
      cautions: material.cautions,
      warnings: [...this.warnings(), ...(read.warnings ?? [])],
      unread: this.unread(quantities),
    };
  }

  /** Angles in doubt. */
  private warnings(): Warning[] {
    return this.parameterScope.suspicions.map((own): Warning => ({ name: 'bare-angle', ...own }));
  }

  /** Parameters that no formula of the type reads; others of the robot may, such as routes of tendons. */
  private unread(quantities: readonly Quantity[]): ResolvedBodyType['unread'] {
    return [...this.source.parameters].flatMap(([name, { place }]) => {
      // A type that extends another need not read all that it was given.
      if (this.parameterScope.isRead(name) || place.location.file !== this.source.place.location.file) return [];
      const message = `nothing reads the parameter \`${name}\` of this body type`;
      const own = quantities.find((quantity) => quantity.name === name);
      return own
        ? [{ symbol: own.symbol, warning: { name: 'unused-parameter', location: place.location, message } }]
        : [];
    });
  }

  /** Notes a name of the type. @returns false when it cannot be used. */
  private claim(place: Place, name: string, what: string, at: 'key' | 'value' = 'key'): boolean {
    const before = this.taken.get(name);
    const problem: KanegenError | undefined = before
      ? place.keyError('duplicate-name', `\`${name}\` is already the name of ${before}`, 'choose another name')
      : nameProblem(place, name, what, 'identifier', at);
    if (problem) this.problems.add(problem);
    else this.taken.set(name, what);
    return !problem;
  }

  private parameters(scope: Scope): Parameters {
    const result: Parameters = { quantities: [], defaults: [] };
    const known = new Map<Expr, Expr>();
    for (const [name, { value: raw, place }] of this.source.parameters) {
      const own = symbol(`body.${name}`);
      const read = this.problems.attempt(() => readParameter(place, raw, scope));
      scope.define(name, own, read?.dimension);
      if (!this.claim(place, name, 'a parameter') || !read) continue;
      if (typeof raw === 'object' && raw.runtime !== undefined)
        this.problems.add(
          place
            .at('runtime')
            .keyError(
              'unknown-key',
              'parameters of body types are always arguments of the generated code',
              'remove `runtime`',
            ),
        );
      const due: Due = { what: `the parameter \`${name}\``, ...(read.dimension ? { dimension: read.dimension } : {}) };
      const { value } = read;
      const exact = value && this.problems.attempt(() => within(place, () => substitute([value], known)[0]!));
      if (exact) known.set(own, exact);
      result.defaults.push({ name, due, value: read.value });
      result.quantities.push({ ...read.bounds, name, symbol: own, unit: read.unit, value: exact ?? one });
    }
    return result;
  }

  private coordinates(scope: Scope): BodyCoordinate[] {
    const entry = this.source.keys.get('coordinates') as Written<Record<string, RawCoordinate | null>> | undefined;
    const result: BodyCoordinate[] = [];
    for (const [name, raw] of Object.entries(entry?.value ?? {})) {
      const place = entry!.place.at(name);
      const read = this.problems.attempt(() => readCoordinate(place, name, raw ?? {}, 'body'));
      // After a mistake the names stay known, so that it is reported once.
      if (!read)
        for (const own of coordinateNames(name, raw ?? {})) scope.define(own, symbol(`body.${own}`), undefined);
      const [first] = read ?? [];
      const limits = raw?.limits && first && this.problems.attempt(() => this.limits(place, raw.limits!, first));
      for (const { quantity, dimension } of read ?? []) {
        scope.define(quantity.name, quantity.symbol, dimension);
        if (this.claim(place, quantity.name, 'a coordinate'))
          result.push(limits ? { ...quantity, limits, limitsAt: place.at('limits').location } : quantity);
      }
    }
    return result;
  }

  private limits(
    place: Place,
    raw: readonly RawValue[],
    coordinate: { readonly quantity: Unlimited; readonly dimension: Dimension },
  ): BodyCoordinate['limits'] {
    const { limits, requirements } = readBodyLimits(place.at('limits'), raw, coordinate, this.parameterScope);
    this.limitRequirements.push(...requirements);
    return limits;
  }

  private volumes(scope: Scope): readonly VolumeReading[] {
    const { keys, place } = this.source;
    const [given, other] = VOLUMES.filter((key) => keys.has(key));
    if (given === undefined)
      throw place.keyError(
        'missing-key',
        '`volume` is missing',
        'write `volume: { rod: { s: [0, L] }, section: { disc: R }, density: rho }`',
      );
    const written = keys.get(given)!;
    if (other !== undefined)
      throw keys
        .get(other)!
        .place.keyError(
          'wrong-shape',
          'a body has `volume` or `volumes`, not both',
          'move `volume` into `volumes`, with a name',
        );
    const entries: (readonly [Place, RawVolume])[] =
      given === 'volume'
        ? [[written.place, written.value as RawVolume]]
        : Object.entries(written.value as Record<string, RawVolume>).map(([name, raw]) => [
            written.place.at(name),
            raw,
          ]);
    if (entries.length === 0)
      throw written.place.error('missing-key', 'this body has no volume', 'add at least one to `volumes`, with a name');
    const shared = new Set<string>();
    const readings = entries.map(([at, raw]) =>
      readVolume(at, raw, {
        parameters: this.parameterScope,
        files: this.files,
        claim: ({ place: where, part }, name) => {
          if (!shared.has(name)) this.claim(where, name, 'a material coordinate', part);
          shared.add(name);
        },
      }),
    );
    const coordinates = sharedCoordinates(readings);
    for (const coordinate of coordinates) scope.define(coordinate.name, coordinate.symbol, coordinate.dimension);
    return readings;
  }

  private materials(
    kind: KinematicsKey | undefined,
    volumes: readonly VolumeReading[],
    coordinates: readonly Quantity[],
  ): MaterialReading {
    const entry = this.source.keys.get('material') as Written<RawMaterial> | undefined;
    const deforms = this.source.keys.has('section-position');
    return readMaterials(entry, { volumes, parameters: this.parameterScope, coordinates, kind, deforms });
  }

  private chambers(
    volumes: readonly VolumeReading[],
    scope: Scope,
    coordinates: readonly BodyCoordinate[],
  ): readonly ChamberReading[] {
    const entry = this.source.keys.get('chambers') as Written<Record<string, RawChamber>> | undefined;
    const { parameterScope: parameters, files } = this;
    return Object.entries(entry?.value ?? {}).flatMap(([name, raw]) => {
      const place = entry!.place.at(name);
      const problem = nameProblem(place, name, 'a chamber', 'identifier', 'key');
      if (problem) this.problems.add(problem);
      const context = { volumes, parameters, scope, coordinates, files };
      return this.problems.attempt(() => readChamber(place, name, raw, context)) ?? [];
    });
  }

  private energies(
    coordinates: readonly BodyCoordinate[],
    scope: Scope,
    elsewhere: ReadonlySet<Expr>,
  ): Pick<BodyType, 'potential' | 'dissipation'> {
    const { keys } = this.source;
    const written = { potential: keys.get('potential'), dissipation: keys.get('dissipation') };
    return readCoordinateEnergies(written, coordinates, scope, elsewhere);
  }

  private integration(moved: Pick<BodyType, 'kinematics' | 'volumes'>): BodyType['integration'] {
    const entry = this.source.keys.get('integration') as Written<RawIntegration> | undefined;
    return entry ? readIntegration(entry.place, entry.value, moved) : defaultIntegration(moved.volumes);
  }

  private lets(scope: Scope): void {
    for (const [name, { value, place }] of this.source.lets) {
      this.claim(place, name, 'an abbreviation');
      const read = this.problems.attempt(() =>
        Array.isArray(value) ? readRows(place, value as readonly RawValue[], scope) : readAny(place, value, scope),
      );
      // After a mistake the name stays known, so that it is reported once.
      scope.define(name, read?.value ?? zero, read?.dimension);
    }
  }
}

/** What says where chambers are that move through the material. */
function movingFormulas({ chamber: { shape } }: ChamberReading): readonly Expr[] {
  return shape.kind === 'region' ? [...shape.material.values()] : [];
}

function readRows(
  place: Place,
  rows: readonly RawValue[],
  scope: Scope,
): { value: readonly Expr[]; dimension: Dimension | undefined } {
  const read = rows.map((row, i) => readScalar(place.at(i), row, { what: 'this' }, scope));
  return { value: read.map((r) => r.value), dimension: read.find((r) => r.dimension)?.dimension };
}

/**
 * @param files what the files that the type mentions are read with.
 * @returns undefined after noting what is wrong.
 */
export function readBodyType(source: BodySource, files: SourceFiles, problems: Problems): ResolvedBodyType | undefined {
  return new BodyReader(source, files, problems).read();
}
