/**
 * Body types: the keys of a type, merged with those it extends, → volume, kinematics, parameters, coordinates.
 */
import type { KanegenError } from '../symbolic/error.ts';
import { evaluate } from '../symbolic/evaluate.ts';
import { minus, one, plus, symbol, zero, type Expr, type SymbolExpr } from '../symbolic/expr.ts';
import { nearest } from '../symbolic/nearest.ts';
import { freeSymbols, substitute } from '../symbolic/traverse.ts';
import { frameEntries, type Vector3 } from '../symbolic/vector.ts';
import type { Problems } from './diagnostics.ts';
import { readPose } from './pose.ts';
import { nameProblem } from './reserved-names.ts';
import {
  DEFAULT_INTEGRATION,
  soleRod,
  type BodyKinematics,
  type BodyType,
  type CrossSection,
  type DistalFrame,
  type MaterialPoint,
  type Quantity,
  type RodVolume,
} from './robot.ts';
import {
  strainNames,
  type RawBodyType,
  type RawCoordinate,
  type RawDistal,
  type RawParameter,
  type RawPose,
  type RawStrain,
  type RawVector,
  type RawVolume,
} from './schema.ts';
import { constantNumber, dues, readAny, readScalar, readVector, type Due, type RawValue, Scope } from './scope.ts';
import type { Place } from './source.ts';
import { dimensionless, parseUnit, type Dimension } from './units.ts';

/** A value with the place it was written at, which may be in another file than the type that inherits it. */
export interface Written<T = unknown> {
  readonly value: T;
  readonly place: Place;
}

/** The keys of a body type after `extends`. */
export interface BodySource {
  readonly name: string;
  readonly place: Place;
  readonly keys: ReadonlyMap<string, Written>;
  readonly parameters: ReadonlyMap<string, Written<RawParameter>>;
  readonly lets: ReadonlyMap<string, Written<RawVector | RawValue>>;
}

const KINEMATICS = ['position', 'pose', 'strain'] as const;
/** Keys that make sense beside one kind of kinematics only. */
const COMPANIONS: Readonly<Record<string, (typeof KINEMATICS)[number]>> = { distal: 'position', rest: 'strain' };

/** What is given replaces, parameters and `let` name by name; a new kind of kinematics drops the inherited one. */
export function mergeBody(name: string, place: Place, raw: RawBodyType, inherited: BodySource | undefined): BodySource {
  const keys = new Map<string, Written>(inherited?.keys);
  const own = KINEMATICS.filter((key) => raw[key] !== undefined);
  if (own.length > 0) {
    for (const key of KINEMATICS) keys.delete(key);
    for (const [key, owner] of Object.entries(COMPANIONS)) if (!own.includes(owner)) keys.delete(key);
  }
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
}

export interface ParameterDefault {
  readonly name: string;
  readonly due: Due;
  /** Undefined for a parameter that every link must give. */
  readonly value: Expr | undefined;
}

interface Parameters {
  readonly quantities: Quantity[];
  readonly defaults: ParameterDefault[];
}

class BodyReader {
  private readonly source: BodySource;
  private readonly problems: Problems;
  /** Where each name of the type was given, over all kinds of names. */
  private readonly taken = new Map<string, string>();
  private readonly parameterScope = new Scope();

  constructor(source: BodySource, problems: Problems) {
    this.source = source;
    this.problems = problems;
  }

  read(): ResolvedBodyType | undefined {
    const { source } = this;
    const { quantities, defaults } = this.parameters(this.parameterScope);
    const scope = new Scope(this.parameterScope);
    const coordinates = this.coordinates(scope);
    const volume = this.problems.attempt(() => this.volume(this.parameterScope, scope));
    if (!volume) return undefined;
    this.lets(scope);
    const kinematics = this.problems.attempt(() => this.kinematics(volume, scope));
    if (!kinematics) return undefined;
    const at = (key: string): Place => source.keys.get(key)?.place ?? source.place;
    const kind = KINEMATICS.find((key) => source.keys.has(key))!;
    const type: BodyType = {
      name: source.name,
      summary: (source.keys.get('summary')?.value as string | undefined) ?? '',
      parameters: quantities,
      coordinates,
      volumes: [volume],
      kinematics,
      integration: DEFAULT_INTEGRATION,
      locations: {
        whole: source.place.location,
        kinematics: at(kind).location,
        distal: (source.keys.get('distal')?.place ?? at(kind)).location,
        volume: at('volume').location,
      },
    };
    return { type, defaults, source };
  }

  /** Notes a name of the type. @returns false when it cannot be used. */
  private claim(place: Place, name: string, what: string, at: 'key' | 'value' = 'key'): boolean {
    const before = this.taken.get(name);
    const problem: KanegenError | undefined = before
      ? place.keyError('duplicate-name', `\`${name}\` is the name of ${before} already`, 'choose another name')
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
              'parameters of body types are arguments of the generated code anyway',
              'remove `runtime`',
            ),
        );
      const due: Due = { what: `the parameter \`${name}\``, ...(read.dimension ? { dimension: read.dimension } : {}) };
      const exact = read.value && substitute([read.value], known)[0]!;
      if (exact) known.set(own, exact);
      result.defaults.push({ name, due, value: read.value });
      result.quantities.push({ ...read.bounds, name, symbol: own, unit: read.unit, value: exact ?? one });
    }
    return result;
  }

  private coordinates(scope: Scope): Quantity[] {
    const entry = this.source.keys.get('coordinates') as Written<Record<string, RawCoordinate | null>> | undefined;
    const result: Quantity[] = [];
    for (const [name, raw] of Object.entries(entry?.value ?? {})) {
      const place = entry!.place.at(name);
      const quantities = this.problems.attempt(() => readCoordinate(place, name, raw ?? {}, 'body'));
      for (const { quantity, dimension } of quantities ?? []) {
        scope.define(quantity.name, quantity.symbol, dimension);
        if (this.claim(place, quantity.name, 'a coordinate')) result.push(quantity);
      }
    }
    return result;
  }

  private volume(parameters: Scope, scope: Scope): RodVolume {
    const entry = this.source.keys.get('volume') as Written<RawVolume> | undefined;
    if (!entry)
      throw this.source.place.keyError(
        'missing-key',
        '`volume` is missing',
        'write `volume: { rod: { s: [0, L] }, section: { disc: R }, density: rho }`',
      );
    const { value: raw, place } = entry;
    const rods = Object.entries(raw.rod);
    if (rods.length !== 1)
      throw place
        .at('rod')
        .error('wrong-shape', `a rod has one axial coordinate, not ${rods.length}`, 'write `rod: { s: [0, L] }`');
    const [axialName, [from, to]] = rods[0]! as [string, [RawValue, RawValue]];
    const names = raw.section.cartesian ?? ['x', 'y'];
    const material = (name: string, at: Place, kind: 'key' | 'value'): SymbolExpr => {
      this.claim(at, name, 'a material coordinate', kind);
      const own = symbol(`material.${name}`);
      scope.define(name, own, dues.length.dimension);
      return own;
    };
    const axial = material(axialName, place.at('rod', axialName), 'key');
    const cartesian = raw.section.cartesian === undefined ? place.at('section') : undefined;
    const section = [0, 1].map((i) => material(names[i]!, cartesian ?? place.at('section', 'cartesian', i), 'value'));
    const range = (i: number, value: RawValue): Expr =>
      readScalar(place.at('rod', axialName, i), value, { ...dues.length, what: 'the range of a rod' }, parameters)
        .value;
    const tapered = new Scope(parameters);
    tapered.define(axialName, axial, dues.length.dimension);
    return {
      kind: 'rod',
      axial,
      section: [section[0]!, section[1]!],
      coordinates: 'cartesian',
      breaks: new Map(),
      start: range(0, from),
      end: range(1, to),
      shape: readSection(place.at('section'), raw.section, tapered),
      density: readScalar(place.at('density'), raw.density, dues.density, parameters).value,
    };
  }

  private lets(scope: Scope): void {
    for (const [name, { value, place }] of this.source.lets) {
      this.claim(place, name, 'an abbreviation');
      const read = this.problems.attempt(() =>
        Array.isArray(value)
          ? readRows(place, value as readonly RawValue[], scope)
          : readAny(place, value as RawValue, scope),
      );
      // After a mistake the name stays known, so that it is reported once.
      scope.define(name, read?.value ?? zero, read?.dimension);
    }
  }

  private kinematics(volume: RodVolume, scope: Scope): BodyKinematics {
    const { keys, place } = this.source;
    const given = KINEMATICS.filter((key) => keys.has(key));
    if (given.length === 0)
      throw place.keyError(
        'missing-kinematics',
        `the body type \`${this.source.name}\` says nowhere how it moves`,
        'give `position:` with `distal:`, or `strain:`, or `pose:`',
      );
    const [kind] = given as [(typeof KINEMATICS)[number]];
    const extra = given[1] ?? Object.keys(COMPANIONS).find((key) => keys.has(key) && COMPANIONS[key] !== kind);
    if (extra)
      throw keys
        .get(extra)!
        .place.keyError(
          'several-kinematics',
          `\`${kind}\` says how the body moves, \`${extra}\` does not go with it`,
          `remove \`${extra}\``,
        );
    const written = keys.get(kind)!;
    switch (kind) {
      case 'position': {
        const position = readVector(written.place, written.value as RawVector, dues.position, scope);
        return { kind, position, distal: this.distal(volume, scope) };
      }
      case 'pose': {
        const pose = readPose(written.place, written.value as RawPose, scope);
        refuse(
          written.place,
          frameEntries(pose),
          volume.section,
          'the pose of a section depends on s and the coordinates only',
        );
        return { kind, pose };
      }
      case 'strain':
        return this.strain(written as Written<RawStrain>, volume, scope);
    }
  }

  private distal(volume: RodVolume, scope: Scope): DistalFrame {
    const entry = this.source.keys.get('distal') as Written<RawDistal> | undefined;
    if (!entry)
      throw this.source.place.keyError(
        'missing-key',
        '`distal` is missing: where does the next link begin?',
        'write `distal: { pivot: { s: L }, x-axis: { s: L, x: R }, y-axis: { s: L, y: R } }`, or `distal: none` for a last body',
      );
    const { value: raw, place } = entry;
    if (raw === 'none') return { kind: 'none' };
    if ('pose' in raw) {
      const pose = readPose(place.at('pose'), raw.pose, scope);
      const material = [volume.axial, ...volume.section];
      refuse(
        place.at('pose'),
        frameEntries(pose),
        material,
        'the distal frame depends on the coordinates only',
        'put the end of the rod in place of s',
      );
      return { kind: 'pose', pose };
    }
    const axes = (['x', 'y', 'z'] as const).filter((axis) => raw[`${axis}-axis`] !== undefined);
    if (axes.length !== 2)
      throw place.error(
        'wrong-shape',
        `a contact frame has two axes, not ${axes.length}`,
        'give two of `x-axis`, `y-axis` and `z-axis`',
      );
    const point = (key: 'pivot' | `${'x' | 'y' | 'z'}-axis`): MaterialPoint =>
      this.materialPoint(place.at(key), raw[key]!, volume);
    return {
      kind: 'contact',
      contact: { pivot: point('pivot'), axes: Object.fromEntries(axes.map((axis) => [axis, point(`${axis}-axis`)])) },
    };
  }

  private materialPoint(place: Place, raw: Readonly<Record<string, RawValue>>, volume: RodVolume): MaterialPoint {
    const names = new Map([volume.axial, ...volume.section].map((s) => [s.name.replace('material.', ''), s]));
    return new Map(
      Object.entries(raw).map(([name, value]) => {
        const own = names.get(name);
        if (!own) {
          const close = nearest(name, [...names.keys()]);
          throw place
            .at(name)
            .keyError(
              'unknown-symbol',
              `\`${name}\` is not a material coordinate`,
              close ? `did you mean \`${close}\`?` : `known here: ${[...names.keys()].join(', ')}`,
            );
        }
        return [own, readScalar(place.at(name), value, dues.length, this.parameterScope).value] as const;
      }),
    );
  }

  private strain(written: Written<RawStrain>, volume: RodVolume, scope: Scope): BodyKinematics {
    const rest = this.source.keys.get('rest') as Written<RawStrain> | undefined;
    const unstressed: Expr[] = [];
    const total = strainNames.map((name) => {
      const due = strainNames.indexOf(name) < 3 ? dues.curvature : dues.stretch;
      const read = (from: Written<RawStrain> | undefined): Expr | undefined => {
        const value = from?.value[name];
        if (value === undefined) return undefined;
        const place = from!.place.at(name);
        const e = readScalar(place, value, due, scope).value;
        refuse(place, [e], volume.section, 'a strain depends on s and the coordinates only');
        return e;
      };
      unstressed.push(read(rest) ?? (name === 'stretch' ? one : zero));
      return plus(unstressed[unstressed.length - 1]!, read(written) ?? zero);
    });
    const angularPart = (strains: readonly Expr[]): Vector3 => strains.slice(0, 3) as unknown as Vector3;
    const linearPart = (strains: readonly Expr[]): Vector3 => strains.slice(3) as unknown as Vector3;
    return {
      kind: 'strain',
      angular: angularPart(total),
      linear: linearPart(total),
      rest: { angular: angularPart(unstressed), linear: linearPart(unstressed) },
    };
  }
}

function readRows(
  place: Place,
  rows: readonly RawValue[],
  scope: Scope,
): { value: readonly Expr[]; dimension: Dimension | undefined } {
  const read = rows.map((row, i) => readScalar(place.at(i), row, { what: 'this' }, scope));
  return { value: read.map((r) => r.value), dimension: read.find((r) => r.dimension)?.dimension };
}

function refuse(
  place: Place,
  entries: readonly Expr[],
  symbols: readonly SymbolExpr[],
  why: string,
  remedy?: string,
): void {
  const wrong = freeSymbols(entries).find((s) => symbols.includes(s));
  if (!wrong) return;
  throw place.error(
    'wrong-variable',
    `\`${wrong.name.replace('material.', '')}\` cannot stand here: ${why}`,
    remedy ?? 'remove it',
  );
}

function readSection(place: Place, raw: RawVolume['section'], scope: Scope): CrossSection {
  const shapes = (['disc', 'annulus', 'rectangle', 'ellipse'] as const).filter((shape) => raw[shape] !== undefined);
  if (shapes.length !== 1)
    throw place.error(
      'wrong-shape',
      shapes.length === 0 ? 'the section has no shape' : `a section has one shape, not ${shapes.length}`,
      'give one of `disc`, `annulus`, `rectangle`, `ellipse`',
    );
  const shape = shapes[0]!;
  const read = (value: RawValue, ...path: (string | number)[]): Expr =>
    readScalar(place.at(shape, ...path), value, { ...dues.length, what: `the size of a ${shape}` }, scope).value;
  if (shape === 'disc') return { shape, radius: read(raw.disc!) };
  const [a, b] = raw[shape]!.map((value, i) => read(value, i)) as [Expr, Expr];
  if (shape === 'annulus') return { shape, innerRadius: a, outerRadius: b };
  return shape === 'rectangle' ? { shape, width: a, height: b } : { shape, semiAxisX: a, semiAxisY: b };
}

export interface Bounds {
  summary?: string;
  lower?: number;
  upper?: number;
}

export interface ParameterReading {
  /** Undefined when the parameter must be given by every link. */
  readonly value: Expr | undefined;
  readonly dimension: Dimension | undefined;
  readonly unit: string;
  readonly bounds: Bounds;
}

/** Unit text of a parameter given as a bare number: SI in a dimension that only its use shows. */
const BARE_UNIT = 'SI';

function siUnit(place: Place, text: string): { dimension: Dimension; si: string } {
  try {
    const unit = parseUnit(text);
    if (unit.coherent) return unit;
  } catch (error) {
    throw place.located(error as KanegenError);
  }
  throw place.error(
    'wrong-unit',
    `coordinates and interfaces are in SI units, \`${text}\` is not`,
    `write \`${parseUnit(text).si}\`; values may still be given in ${text}`,
  );
}

/** A parameter of a body type or of the robot. */
export function readParameter(place: Place, raw: RawParameter, scope: Scope): ParameterReading {
  if (typeof raw !== 'object') {
    const { value, dimension, unit } = readScalar(place, raw, { what: 'this parameter' }, scope);
    return { value, dimension, unit: unit ?? BARE_UNIT, bounds: {} };
  }
  const stated = raw.unit === undefined ? undefined : siUnit(place.at('unit'), raw.unit);
  const due: Due = { what: 'this parameter', ...(stated ? { dimension: stated.dimension } : {}) };
  const read = raw.value === undefined ? undefined : readScalar(place.at('value'), raw.value, due, scope);
  const dimension = stated?.dimension ?? read?.dimension;
  const bounds: Bounds = {};
  const boundDue: Due = { what: 'this bound', ...(dimension ? { dimension } : {}) };
  const bound = (key: 'min' | 'max'): number =>
    constantNumber(place.at(key), readScalar(place.at(key), raw[key]!, boundDue, scope).value);
  if (raw.summary !== undefined) bounds.summary = raw.summary;
  if (raw.min !== undefined) bounds.lower = bound('min');
  if (raw.max !== undefined) bounds.upper = bound('max');
  if (bounds.lower !== undefined && bounds.upper !== undefined && bounds.lower > bounds.upper)
    throw place.at('max').error('wrong-value', '`max` is below `min`', 'swap them');
  return { value: read?.value, dimension, unit: stated?.si ?? read?.unit ?? BARE_UNIT, bounds };
}

/** Refuses a value outside of `min`, `max`. */
export function checkBounds(
  place: Place,
  value: number | undefined,
  { lower, upper }: Pick<Bounds, 'lower' | 'upper'>,
): void {
  if (value === undefined) return;
  if (lower !== undefined && value < lower) throw place.error('out-of-range', `${value} is below the minimum ${lower}`);
  if (upper !== undefined && value > upper) throw place.error('out-of-range', `${value} is above the maximum ${upper}`);
}

/** One coordinate, or NAME1 … NAMEcount. */
export function readCoordinate(
  place: Place,
  name: string,
  raw: RawCoordinate,
  scope: 'body' | 'joint',
): { quantity: Quantity; dimension: Dimension }[] {
  const unit = raw.unit === undefined ? { dimension: dimensionless, si: '1' } : siUnit(place.at('unit'), raw.unit);
  const due: Due = { what: 'this', dimension: unit.dimension };
  const constants = new Scope();
  const value = raw.default === undefined ? zero : readScalar(place.at('default'), raw.default, due, constants).value;
  const bounds: Bounds = raw.summary === undefined ? {} : { summary: raw.summary };
  if (raw.limits) Object.assign(bounds, readLimits(place.at('limits'), raw.limits, unit.dimension, constants));
  const names = raw.count === undefined ? [name] : Array.from({ length: raw.count }, (_, i) => `${name}${i + 1}`);
  return names.map((own) => ({
    quantity: { ...bounds, name: own, symbol: symbol(`${scope}.${own}`), unit: unit.si, value },
    dimension: unit.dimension,
  }));
}

export function readLimits(
  place: Place,
  raw: readonly RawValue[],
  dimension: Dimension,
  scope: Scope,
): { lower: number; upper: number } {
  const due: Due = { what: 'this limit', dimension };
  const [lower, upper] = raw.map((value, i) =>
    constantNumber(place.at(i), readScalar(place.at(i), value, due, scope).value),
  ) as [number, number];
  if (!(lower < upper))
    throw place.error(
      'wrong-value',
      `the lower limit ${lower} is not below the upper limit ${upper}`,
      'write [lower, upper]',
    );
  return { lower, upper };
}

/** @returns undefined after noting what is wrong. */
export function readBodyType(source: BodySource, problems: Problems): ResolvedBodyType | undefined {
  return new BodyReader(source, problems).read();
}

/**
 * Refuses sizes that no body has, where they are known as numbers: lengths and radii that are not positive, negative
 * densities.
 */
export function checkVolume(place: Place, type: BodyType, values: ReadonlyMap<Expr, number>): void {
  const volume = soleRod(type);
  if (!volume) return;
  const at = (e: Expr, s?: number): number | undefined => {
    const bindings = s === undefined ? values : new Map([...values, [volume.axial as Expr, s]]);
    return freeSymbols([e]).every((name) => bindings.has(name)) ? evaluate([e], bindings)[0] : undefined;
  };
  const start = at(volume.start);
  const end = at(volume.end);
  if (start === undefined || end === undefined) return;
  if (!(end > start))
    throw place.error('wrong-size', `the rod has the length ${end - start} m`, 'give it a positive length');
  const density = at(volume.density);
  if (density !== undefined && !(density >= 0))
    throw place.error('negative-mass', `the density is ${density} kg/m^3`, 'write a density of zero or more');
  for (const [what, size] of sizes(volume.shape))
    for (const s of [start, (start + end) / 2, end]) {
      const value = at(size, s);
      // A cone may end in a point.
      if (value === undefined || value > 0 || (value === 0 && s !== (start + end) / 2)) continue;
      throw place.error('wrong-size', `the ${what} is ${value} m at s = ${s} m`, 'make it positive all along the rod');
    }
}

function sizes(shape: CrossSection): (readonly [string, Expr])[] {
  switch (shape.shape) {
    case 'disc':
      return [['radius', shape.radius]];
    case 'annulus':
      return [
        ['outer radius', shape.outerRadius],
        ['wall thickness', minus(shape.outerRadius, shape.innerRadius)],
      ];
    case 'rectangle':
      return [
        ['width', shape.width],
        ['height', shape.height],
      ];
    case 'ellipse':
      return [
        ['semi-axis along x', shape.semiAxisX],
        ['semi-axis along y', shape.semiAxisY],
      ];
  }
}
