/**
 * `strain: { equilibrium: … }`: rods whose sections balance the tensions of tendons, which are coordinates, and other stress; and
 * `strain: { implicit: … }`: those whose strains solve equations of any kind.
 */
import { nearest } from '../../../common/nearest.ts';
import { differentiateAll } from '../../../symbolic/graph/differentiate.ts';
import {
  compare,
  negate,
  one,
  plus,
  select,
  symbol,
  times,
  zero,
  type Expr,
  type SymbolExpr,
} from '../../../symbolic/graph/expr.ts';
import { dependsOn, freeSymbols, substitute } from '../../../symbolic/graph/traverse.ts';
import { readField } from '../../language/bases.ts';
import { strainNames, type RawEquilibrium, type RawImplicit } from '../../language/schema.ts';
import type { RodVolume } from '../../model/reference-volume.ts';
import type { BodyCoordinate, SectionEquilibrium, SectionProfile, SectionTendon } from '../../model/robot.ts';
import type { Warning } from '../../model/warnings.ts';
import type { Place } from '../../source/source.ts';
import type { MaybeDimension } from '../../values/dimensions.ts';
import type { Dimension } from '../../values/units.ts';
import { dues, readScalar, Scope, type Due, type RawValue } from '../../values/scope.ts';

export interface EquilibriumContext {
  readonly rod: RodVolume;
  readonly coordinates: readonly BodyCoordinate[];
  /** Everything that a formula of the body may use, and parameters alone. */
  readonly scope: Scope;
  readonly parameters: Scope;
  /** Symbols of the coordinates and of the time. */
  readonly configuration: readonly SymbolExpr[];
  /** Strains at rest. */
  readonly rest: readonly Expr[];
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
  requireCartesian(place, context);
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
  const pressures = Object.entries(raw.pressure ?? {}).map(([name, own]) =>
    readPressure(place.at('pressure', name), name, own, context),
  );
  const whole = stress.map((e, c) => (free.includes(c) ? plus(e, ...pressures.map((own) => own[c]!)) : e));
  const unknowns = free.map((component) => ({ component, symbol: unknownOf(component) }));
  const profiles = readProfiles(place, raw, context);
  const potential =
    raw.potential === undefined ? undefined : readPotential(place, raw.potential, unknowns, profiles, context);
  const values = potential && unknowns.map((own) => differentiateAll([potential], own.symbol)[0]!);
  requireUse(place, context, [...tendons.map((own) => own.coordinate), ...whole, ...(values ?? [])]);
  requireLimits(place, context);
  return {
    unknowns,
    tendons,
    stress: whole,
    ...(values && {
      formulas: {
        kind: 'potential',
        values,
        atStart: substituted(
          substitute(
            values,
            new Map(
              profiles.flatMap(
                ({ profile }) =>
                  [
                    [profile.symbol, profile.from],
                    [profile.rate, zero],
                  ] as const,
              ),
            ),
          ),
          unknowns,
          free.map((c) => context.rest[c]!),
        ),
        potential: potential,
      },
    }),
    ...(profiles.length > 0 && { profiles: profiles.map((own) => own.profile) }),
    ...(raw.loads && { loads: { of: raw.loads, location: place.at('loads').location } }),
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

function requireCartesian(place: Place, { rod }: EquilibriumContext): void {
  if (rod.coordinates !== 'cartesian')
    throw place.error(
      'not-supported',
      'an equilibrium in a section with polar coordinates is not supported yet',
      'write the section of the volume as `{ disc: R, cartesian: [x, y] }`',
    );
}

type Unknowns = SectionEquilibrium['unknowns'];

/** With strains in the place of unknowns, one for each. */
const substituted = (values: readonly Expr[], unknowns: Unknowns, strains: readonly Expr[]): readonly Expr[] =>
  substitute(values, new Map(unknowns.map((own, i) => [own.symbol, strains[i]!])));

/** Names of strains in formulas: what is unknown, and what stays at rest. */
function strainScope(place: Place, unknowns: Unknowns, { scope, rest }: EquilibriumContext): Scope {
  const within = new Scope(scope);
  strainNames.forEach((name, component) => {
    const spelt = name.replace('-', '_');
    if (scope.find(spelt))
      throw place.error(
        'duplicate-name',
        `\`${spelt}\` is a strain in this formula, and has another meaning in this body`,
        'choose another name for that',
      );
    const own = unknowns.find((unknown) => unknown.component === component);
    within.define(spelt, own?.symbol ?? rest[component]!, (component < 3 ? dues.curvature : dues.stretch).dimension);
  });
  return within;
}

const ENERGY_DUE: Due = { what: 'a potential of the section', dimension: [1, 1, -2, 0, 0], unit: 'J/m' };

interface ReadProfile {
  readonly profile: SectionProfile;
  /** Of its value. */
  readonly dimension: MaybeDimension;
}

/** @throws KanegenError `missing-key` without a potential, which alone decides them. */
function readProfiles(place: Place, raw: RawEquilibrium, context: EquilibriumContext): readonly ReadProfile[] {
  const given = Object.entries(raw.profiles ?? {});
  if (given.length > 0 && raw.potential === undefined)
    throw place
      .at('profiles')
      .error('missing-key', 'nothing decides a profile without a `potential`', 'write the energy that depends on it');
  return given.map(([name, { from: start }]) => {
    const at = place.at('profiles', name);
    const { value: from, dimension } = readScalar(at.at('from'), start, { what: '`from`' }, context.scope);
    const other = [...context.configuration, ...context.rod.section, context.rod.axial].find((own) =>
      dependsOn(from, new Set<Expr>([own])),
    );
    if (other)
      throw at
        .at('from')
        .error('wrong-variable', `\`from\` depends on \`${shortName(other)}\``, 'write it over parameters only');
    const [own, rate] = [name, `${name}_${shortName(context.rod.axial)}`].map((text) => symbol(`profile.${text}`)) as [
      SymbolExpr,
      SymbolExpr,
    ];
    return { dimension, profile: { name, symbol: own, rate, from, location: at.location } };
  });
}

const overLength = ([mass, length, ...others]: Dimension, power: number): Dimension => [
  mass,
  length + power,
  ...others,
];

/** Profiles under their names, with their derivatives. @throws KanegenError `duplicate-name` */
function defineProfiles(scope: Scope, place: Place, profiles: readonly ReadProfile[]): Scope {
  for (const { profile, dimension } of profiles)
    for (const [own, power] of [
      [profile.symbol, 0],
      [profile.rate, -1],
    ] as const) {
      const name = shortName(own);
      if (scope.find(name))
        throw place
          .at('profiles', profile.name)
          .keyError('duplicate-name', `\`${name}\` has another meaning in this body`, 'choose another name');
      scope.define(name, own, dimension && overLength(dimension, power));
    }
  return scope;
}

function readPotential(
  place: Place,
  raw: RawValue,
  unknowns: Unknowns,
  profiles: readonly ReadProfile[],
  context: EquilibriumContext,
): Expr {
  const at = place.at('potential');
  const scope = defineProfiles(strainScope(at, unknowns, context), place, profiles);
  const e = readScalar(at, raw, ENERGY_DUE, scope).value;
  context.scope.provenance.note(e, at);
  requireAlong(at, e, context);
  for (const { profile } of profiles)
    if (!dependsOnAny([e], profile.rate))
      throw at.error(
        'wrong-value',
        `this potential does not depend on \`${shortName(profile.rate)}\`, and nothing decides how \`${profile.name}\` changes`,
        `write the energy that \`${shortName(profile.rate)}\` takes, or remove the profile`,
      );
  if (!dependsOnAny([e], ...unknowns.map((own) => own.symbol)) && profiles.length === 0)
    throw at.error(
      'wrong-value',
      'this potential depends on no strain that is free, and does nothing',
      'write it over `bend_x`, `bend_y`, `twist`, `shear_x`, `shear_y`, `stretch`, or remove it',
    );
  return e;
}

/** p A (y, −x, 0, 0, 0, 1) of a cavity that goes with its sections: what its volume grows by with the strain. */
function readPressure(
  place: Place,
  name: string,
  raw: NonNullable<RawEquilibrium['pressure']>[string],
  context: EquilibriumContext,
): readonly Expr[] {
  const coordinate = coordinateOf(place, name, context, { what: 'pressure', unit: 'Pa', limits: '[0 Pa, 20 kPa]' });
  const { rod, scope } = context;
  const area = readScalar(
    place.at('area'),
    raw.area,
    { ...dues.length, what: '`area`', dimension: [0, 2, 0, 0, 0], unit: 'm^2' },
    scope,
  ).value;
  requireFixed(place.at('area'), area, 'an area', context);
  const [x, y] = raw.centre
    ? acrossOf(place.at('centre'), raw.centre, 'a centre', context)
    : ([zero, zero] as [Expr, Expr]);
  const { passes } = endsOf(place, raw, rod, context.parameters);
  const pull = times(passes, area, coordinate.symbol);
  const stress = [times(pull, y), negate(times(pull, x)), zero, zero, zero, pull];
  stress.forEach((e) => scope.provenance.note(e, place));
  return stress;
}

/**
 * Equations in place of a balance.
 * @throws KanegenError `duplicate-name`, `wrong-shape`, `wrong-value`, `unknown-coordinate`, `missing-key`, or what reading formulas throws.
 */
export function readImplicit(place: Place, raw: RawImplicit, context: EquilibriumContext): SectionEquilibrium {
  const { unknowns: names, newton } = raw;
  requireCartesian(place, context);
  names.forEach((name, i) => {
    if (names.indexOf(name) < i)
      throw place.at('unknowns', i).error('duplicate-name', `\`${name}\` appears twice`, 'remove it');
  });
  if (raw.equations.length !== names.length)
    throw place
      .at('equations')
      .error(
        'wrong-shape',
        `${raw.equations.length} equations for ${names.length} unknowns`,
        `write ${names.length}, one for each of ${names.join(', ')}`,
      );
  const unknowns = names.map((name) => {
    const component = strainNames.indexOf(name);
    return { component, symbol: unknownOf(component) };
  });
  const scope = strainScope(place.at('equations'), unknowns, context);
  const values = raw.equations.map((text, i) => {
    const at = place.at('equations', i);
    const e = readScalar(at, text, { what: 'an equation of the strain' }, scope).value;
    context.scope.provenance.note(e, at);
    requireAlong(at, e, context);
    if (!dependsOnAny([e], ...unknowns.map((own) => own.symbol)))
      throw at.error(
        'wrong-value',
        'this equation contains none of the unknowns',
        `write it over ${names.map((name) => `\`${name.replace('-', '_')}\``).join(', ')}`,
      );
    return e;
  });
  unknowns.forEach(({ symbol: own }, i) => {
    if (!dependsOnAny(values, own))
      throw place
        .at('unknowns', i)
        .error(
          'wrong-value',
          `no equation has \`${names[i]!.replace('-', '_')}\` in it`,
          'remove it: it stays at rest then',
        );
  });
  for (const name of Object.keys(raw.start ?? {}))
    if (!names.some((own) => own === name))
      throw place
        .at('start', name)
        .keyError('unknown-key', `\`${name}\` is not one of the unknowns`, `unknowns: ${names.join(', ')}`);
  const start = unknowns.map(({ component }): Expr => {
    const name = strainNames[component]!;
    const given = raw.start?.[name];
    if (given === undefined) return context.rest[component]!;
    const at = place.at('start', name);
    const e = readScalar(at, given, component < 3 ? dues.curvature : dues.stretch, context.scope).value;
    requireAlong(at, e, context);
    return e;
  });
  requireUse(place, context, values);
  requireLimits(place, context);
  return {
    unknowns,
    tendons: [],
    stress: strainNames.map(() => zero),
    formulas: { kind: 'equations', values, atStart: substituted(values, unknowns, start), ...(raw.start && { start }) },
    ...(newton !== undefined && { newton }),
    location: place.location,
  };
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

/** The coordinate that a tendon or a cavity is called after. */
function coordinateOf(
  place: Place,
  name: string,
  { coordinates }: EquilibriumContext,
  of: { readonly what: string; readonly unit: string; readonly limits: string },
): BodyCoordinate {
  const coordinate = coordinates.find((own) => own.name === name);
  if (!coordinate) {
    const close = nearest(
      name,
      coordinates.map((own) => own.name),
    );
    const owner = of.what === 'tension' ? 'a tendon' : 'a cavity';
    throw place.keyError(
      'unknown-coordinate',
      `there is no coordinate \`${name}\`: ${owner} is called as the coordinate that is its ${of.what}`,
      close
        ? `did you mean \`${close}\`?`
        : `add it: \`coordinates: { ${name}: { unit: ${of.unit}, limits: ${of.limits} } }\``,
    );
  }
  if (coordinate.unit !== of.unit)
    throw place.keyError(
      'wrong-unit',
      `the ${of.what} \`${name}\` must be in ${of.unit}, and the coordinate is in ${coordinate.unit === '1' ? 'plain numbers' : coordinate.unit}`,
      `write \`${name}: { unit: ${of.unit}, limits: ${of.limits} }\``,
    );
  return coordinate;
}

/** A place in the section, over the place along the rod and parameters. */
function acrossOf(
  place: Place,
  raw: Readonly<Record<string, RawValue>>,
  what: string,
  context: EquilibriumContext,
): [Expr, Expr] {
  const names = context.rod.section.map(shortName);
  for (const key of Object.keys(raw))
    if (!names.includes(key))
      throw place
        .at(key)
        .keyError(
          'unknown-key',
          `\`${key}\` is not a coordinate of the section`,
          `write { ${names.join(': …, ')}: … }`,
        );
  return names.map((key): Expr => {
    const value = raw[key];
    if (value === undefined)
      throw place.error('missing-key', `\`${key}\` is missing`, `write { ${names.join(': …, ')}: … }`);
    const at = place.at(key);
    const e = readScalar(at, value, { ...dues.length, what: `\`${key}\`` }, context.scope).value;
    requireFixed(at, e, what, context);
    return e;
  }) as [Expr, Expr];
}

function requireFixed(at: Place, e: Expr, what: string, { coordinates, rod }: EquilibriumContext): void {
  if (dependsOn(e, new Set<Expr>([...coordinates.map((c) => c.symbol), ...rod.section])))
    throw at.error(
      'wrong-variable',
      `${what} depends on the place along the rod and parameters only`,
      'remove coordinates from the formula',
    );
}

/** Where something begins and ends, and 1 where it passes, else 0. */
function endsOf(
  place: Place,
  raw: {
    readonly from?: Readonly<Record<string, RawValue>> | undefined;
    readonly to?: Readonly<Record<string, RawValue>> | undefined;
  },
  rod: RodVolume,
  parameters: Scope,
): Pick<SectionTendon, 'from' | 'to' | 'passes'> {
  const axial = shortName(rod.axial);
  const end = (key: 'from' | 'to'): Expr | undefined => {
    const given = raw[key];
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
    from: from ?? rod.start,
    to: to ?? rod.end,
    passes: from ? select(compare('<', rod.axial, from), zero, before) : before,
  };
}

function readSectionTendon(
  place: Place,
  name: string,
  raw: NonNullable<RawEquilibrium['tendons']>[string],
  context: EquilibriumContext,
): SectionTendon {
  const coordinate = coordinateOf(place, name, context, { what: 'tension', unit: 'N', limits: '[0 N, 10 N]' });
  return {
    coordinate: coordinate.symbol,
    across: acrossOf(place.at('route'), raw.route, 'a route', context),
    ...endsOf(place, raw, context.rod, context.parameters),
    location: place.location,
  };
}

function requireUse(place: Place, { coordinates }: EquilibriumContext, used: readonly Expr[]): void {
  const idle = coordinates.find((own) => !dependsOnAny(used, own.symbol));
  if (!idle) return;
  throw place.error(
    'unknown-coordinate',
    `nothing that decides the strain uses the coordinate \`${idle.name}\``,
    `give it a tendon, \`${idle.name}: { route: { x: …, y: … } }\`, write it into \`stress\` or another formula, or remove it`,
  );
}

const dependsOnAny = (values: readonly Expr[], ...symbols: readonly SymbolExpr[]): boolean =>
  values.some((e) => dependsOn(e, new Set(symbols)));

function requireLimits(place: Place, { coordinates }: EquilibriumContext): void {
  const open = coordinates.find((own) => own.limits === undefined);
  if (!open) return;
  throw place.error(
    'missing-key',
    `the coordinate \`${open.name}\` has no limits, within which the equilibrium is to be solved`,
    `write \`${open.name}: { unit: ${open.unit}, limits: [0 ${open.unit}, 10 ${open.unit}] }\``,
  );
}
