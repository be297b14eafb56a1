/**
 * `strain: { equilibrium: … }`: rods whose sections balance the tensions of tendons, which are coordinates, and other stress.
 */
import { nearest } from '../../../common/nearest.ts';
import { compare, one, select, symbol, zero, type Expr, type SymbolExpr } from '../../../symbolic/graph/expr.ts';
import { dependsOn, freeSymbols } from '../../../symbolic/graph/traverse.ts';
import { readField } from '../../language/bases.ts';
import { strainNames, type RawEquilibrium } from '../../language/schema.ts';
import type { RodVolume } from '../../model/reference-volume.ts';
import type { BodyCoordinate, SectionEquilibrium, SectionTendon } from '../../model/robot.ts';
import type { Warning } from '../../model/warnings.ts';
import type { Place } from '../../source/source.ts';
import { dues, readScalar, type Due, type RawValue, type Scope } from '../../values/scope.ts';

export interface EquilibriumContext {
  readonly rod: RodVolume;
  readonly coordinates: readonly BodyCoordinate[];
  /** Everything that a formula of the body may use, and parameters alone. */
  readonly scope: Scope;
  readonly parameters: Scope;
  /** Symbols of the coordinates and of the time. */
  readonly configuration: readonly SymbolExpr[];
}

const STRESS_DUES: readonly [Due, Due] = [
  { what: 'an internal moment', dimension: [1, 2, -2, 0, 0], unit: 'N m' },
  { what: 'an internal force', dimension: [1, 1, -2, 0, 0], unit: 'N' },
];

/** Stands for a strain that the equilibrium decides. */
const unknownOf = (component: number): SymbolExpr => symbol(`equilibrium.${strainNames[component]!.replace('-', '_')}`);

/** @throws KanegenError `unknown-coordinate`, `wrong-value`, `missing-key`, `wrong-variable`, or what reading formulas throws. */
export function readEquilibrium(place: Place, raw: RawEquilibrium, context: EquilibriumContext): SectionEquilibrium {
  const { hold = [], newton } = raw;
  const free = strainNames.flatMap((name, component) => (hold.includes(name) ? [] : [component]));
  if (free.length === 0)
    throw place.at('hold').error('wrong-value', 'all strains are held, so that nothing moves', 'leave one out');
  const { rod } = context;
  if (rod.coordinates !== 'cartesian')
    throw place.error(
      'not-supported',
      'an equilibrium in a section with polar coordinates is not supported yet',
      'write the section of the volume as `{ disc: R, cartesian: [x, y] }`',
    );
  const tendons = Object.entries(raw.tendons ?? {}).map(([name, own]) =>
    readSectionTendon(place.at('tendons', name), name, own, context),
  );
  const stress = strainNames.map((name, component): Expr => {
    const value = raw.stress?.[name];
    if (value === undefined) return zero;
    const at = place.at('stress', name);
    const e = readField(at, value, STRESS_DUES[component < 3 ? 0 : 1], context);
    context.scope.provenance.note(e, at);
    requireAlong(at, e, context);
    return free.includes(component) ? e : zero;
  });
  requireUse(place, context, [...tendons.map((own) => own.coordinate), ...stress]);
  requireLimits(place, context);
  return {
    unknowns: free.map((component) => ({ component, symbol: unknownOf(component) })),
    tendons,
    stress,
    ...(newton !== undefined && { newton }),
    location: place.location,
  };
}

/** Stress on strains that are held. */
export function heldStresses(place: Place, { hold = [], stress = {} }: RawEquilibrium): Warning[] {
  return hold.flatMap((name): Warning[] => {
    if (stress[name] === undefined) return [];
    const message = `\`${name}\` is held, and a stress on it does nothing: remove it, or take the strain out of \`hold\``;
    return [{ name: 'held-strain', location: place.at('stress', name).location, message }];
  });
}

function requireAlong(at: Place, e: Expr, { rod, configuration, coordinates }: EquilibriumContext): void {
  const time = configuration.filter((s) => coordinates.every((own) => own.symbol !== s));
  const [wrong] = freeSymbols([e]).filter((s) => [...rod.section, ...time].includes(s));
  if (wrong)
    throw at.error(
      'wrong-variable',
      `\`${shortName(wrong)}\` is not allowed here: a stress depends on the place along the rod and the coordinates only`,
      'remove it',
    );
}

const shortName = (own: SymbolExpr): string => own.name.replace(/^[a-z]+\./, '');

function readSectionTendon(
  place: Place,
  name: string,
  raw: NonNullable<RawEquilibrium['tendons']>[string],
  { rod, coordinates, parameters, scope }: EquilibriumContext,
): SectionTendon {
  const coordinate = coordinates.find((own) => own.name === name);
  if (!coordinate) {
    const close = nearest(
      name,
      coordinates.map((own) => own.name),
    );
    throw place.keyError(
      'unknown-coordinate',
      `there is no coordinate \`${name}\`: a tendon is called as the coordinate that is its tension`,
      close ? `did you mean \`${close}\`?` : `add it: \`coordinates: { ${name}: { unit: N, limits: [0 N, 10 N] } }\``,
    );
  }
  if (coordinate.unit !== 'N')
    throw place.keyError(
      'wrong-unit',
      `the tension \`${name}\` must be in N, and the coordinate is in ${coordinate.unit === '1' ? 'plain numbers' : coordinate.unit}`,
      `write \`${name}: { unit: N, limits: [0 N, 10 N] }\``,
    );
  const names = rod.section.map(shortName);
  for (const key of Object.keys(raw.route))
    if (!names.includes(key))
      throw place
        .at('route', key)
        .keyError(
          'unknown-key',
          `\`${key}\` is not a coordinate of the section`,
          `write { ${names.join(': …, ')}: … }`,
        );
  const across = names.map((key): Expr => {
    const value = raw.route[key];
    if (value === undefined)
      throw place.at('route').error('missing-key', `\`${key}\` is missing`, `write { ${names.join(': …, ')}: … }`);
    const at = place.at('route', key);
    const e = readScalar(at, value, { ...dues.length, what: `\`${key}\`` }, scope).value;
    const own = new Set<Expr>([...coordinates.map((c) => c.symbol), ...rod.section]);
    if (dependsOn(e, own))
      throw at.error(
        'wrong-variable',
        'a route depends on the place along the rod and parameters only',
        'remove coordinates from the formula',
      );
    return e;
  }) as [Expr, Expr];
  const axial = shortName(rod.axial);
  const end = (key: 'from' | 'to'): Expr | undefined => {
    const given = raw[key] as Readonly<Record<string, RawValue>> | undefined;
    if (given === undefined) return undefined;
    const at = place.at(key);
    const [only, ...others] = Object.keys(given);
    if (only !== axial || others.length > 0)
      throw at.error('unknown-key', 'an end is a place along the rod', `write \`${key}: { ${axial}: … }\``);
    return readScalar(at.at(axial), given[axial]!, { ...dues.length, what: `\`${key}\`` }, parameters).value;
  };
  const [from, to] = [end('from'), end('to')];
  const before = to ? select(compare('<', rod.axial, to), one, zero) : one;
  return {
    coordinate: coordinate.symbol,
    across,
    from: from ?? rod.start,
    to: to ?? rod.end,
    passes: from ? select(compare('<', rod.axial, from), zero, before) : before,
    location: place.location,
  };
}

function requireUse(place: Place, { coordinates }: EquilibriumContext, used: readonly Expr[]): void {
  const idle = coordinates.find((own) => !dependsOnAny(used, own.symbol));
  if (!idle) return;
  throw place.error(
    'unknown-coordinate',
    `no tendon and no stress uses the coordinate \`${idle.name}\``,
    `give it a tendon, \`${idle.name}: { route: { x: …, y: … } }\`, write it into \`stress\`, or remove it`,
  );
}

const dependsOnAny = (values: readonly Expr[], s: SymbolExpr): boolean =>
  values.some((e) => dependsOn(e, new Set([s])));

function requireLimits(place: Place, { coordinates }: EquilibriumContext): void {
  const open = coordinates.find((own) => own.limits === undefined);
  if (!open) return;
  throw place.error(
    'missing-key',
    `the coordinate \`${open.name}\` has no limits, within which the equilibrium is to be solved`,
    `write \`${open.name}: { unit: ${open.unit}, limits: [0 ${open.unit}, 10 ${open.unit}] }\``,
  );
}
