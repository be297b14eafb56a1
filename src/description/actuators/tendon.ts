/**
 * `tendon:`: a cable through the bodies of links one after the other, along a material curve in each. Its actuation
 * coordinate is minus its length, its input the tension.
 */
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import { divide, minus, one, plus, zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { nearest } from '../../common/nearest.ts';
import { dependsOn, freeSymbols, substitute } from '../../symbolic/graph/traverse.ts';
import { ROUTE_SHARE, type Route, type RouteTerm } from '../model/actuator.ts';
import type { BodyType, DeformableBody } from '../model/robot.ts';
import { fieldSymbols, type Volume } from '../model/reference-volume.ts';
import type { RawActuator, RawDiscs, RawPiece, RawTendon } from '../language/actuators.ts';
import type { Place } from '../source/source.ts';
import { dues, readScalar, Scope, type Due } from '../values/scope.ts';
import { dimensionOf, dimensionless } from '../values/units.ts';
import { readAnchor } from './anchor.ts';
import { linksNamed, type ActuatorContext, type ActuatorReading } from './actuator-context.ts';
import { pathTerms, pointOfRoute, slidingTerms, type PathPiece, type PointPiece } from './path.ts';
import { readDiscs, type Discs } from './discs.ts';
import { departure, placesAlong } from './section-check.ts';

/** A body on the way, with the material coordinate that runs along it. */
interface Passage {
  readonly link: number;
  readonly body: DeformableBody;
  readonly axial: SymbolExpr;
  readonly section: readonly SymbolExpr[];
  readonly from: Expr;
  readonly to: Expr;
}

/** A route through the bodies of links one after the other. */
interface Stretch {
  readonly through: string | readonly string[];
  readonly route: Readonly<Record<string, string | number>>;
  readonly from?: Readonly<Record<string, string | number>> | undefined;
  readonly to?: Readonly<Record<string, string | number>> | undefined;
  readonly discs?: RawDiscs | undefined;
}

/** @throws KanegenError `unknown-link`, `wrong-value`, `unknown-key`, `missing-key`, or what reading formulas throws. */
export function readTendon(place: Place, actuator: RawActuator, context: ActuatorContext): ActuatorReading {
  const at = place.at('tendon');
  const raw = actuator.tendon!;
  if (raw.path === undefined) {
    const terms = termsOf(at, raw, [new StretchReader(at, stretchOf(at, raw), context)], context);
    if (terms.length > 0) return { coordinateUnit: 'm', terms };
    throw at
      .at('discs')
      .error('wrong-value', 'one place alone holds this tendon', 'write at least two discs, or `from` and `to`');
  }
  for (const key of ['through', 'route', 'from', 'to', 'discs'] as const)
    if (raw[key] !== undefined)
      throw at
        .at(key)
        .keyError('several-kinds', `a tendon with \`path\` has no \`${key}\``, 'write it in an entry of the path');
  const pieces = raw.path.map((piece, i) => readPiece(at.at('path', i), piece, context));
  return { coordinateUnit: 'm', terms: termsOf(at, raw, pieces, context) };
}

function termsOf(
  place: Place,
  { friction }: RawTendon,
  entries: readonly (PointPiece | StretchReader)[],
  context: ActuatorContext,
): ActuatorReading['terms'] {
  const pieces = piecesOf(entries);
  return friction ? slidingTerms(place, friction, pieces, context) : pathTerms(pieces);
}

/** An entry of a path: a point, or a route. */
function readPiece(place: Place, raw: RawPiece, context: ActuatorContext): PointPiece | StretchReader {
  const { on, at, frame, ...stretch } = raw;
  if (on === undefined) {
    for (const key of ['at', 'frame'] as const)
      if (raw[key] !== undefined)
        throw place.at(key).keyError('unknown-key', `a point needs \`on\``, 'write `on: base` or the name of a link');
    return new StretchReader(place, stretchOf(place, stretch), context);
  }
  for (const key of Object.keys(stretch) as (keyof typeof stretch)[])
    if (stretch[key] !== undefined)
      throw place
        .at(key)
        .keyError('several-kinds', `an entry with \`on\` is a point and has no \`${key}\``, 'make it two entries');
  const anchor = readAnchor(place, { on, ...(at !== undefined && { at }), ...(frame && { frame }) }, context);
  return { kind: 'point', anchor, location: place.location };
}

function stretchOf(place: Place, { through, route, from, to, discs }: Omit<RawTendon, 'path'>): Stretch {
  if (through === undefined)
    throw place.keyError('missing-key', '`through` is missing', 'write `through: LINK`, or points in a `path`');
  if (route === undefined)
    throw place.keyError(
      'missing-key',
      '`route` is missing',
      'write `route: { x: …, y: … }`, the place in the section',
    );
  return { through, route, from, to, discs };
}

/** Routes share one S: its lengths are those of all bodies together. */
function piecesOf(entries: readonly (PointPiece | StretchReader)[]): readonly PathPiece[] {
  const lengths = entries.map((entry) => (entry instanceof StretchReader ? entry.length() : zero));
  const total = plus(...lengths);
  return entries.flatMap((entry, i): readonly PathPiece[] =>
    entry instanceof StretchReader ? entry.pieces(plus(...lengths.slice(0, i)), total) : [entry],
  );
}

class StretchReader {
  private readonly place: Place;
  private readonly raw: Stretch;
  private readonly context: ActuatorContext;
  private readonly passages: readonly Passage[];

  constructor(place: Place, raw: Stretch, context: ActuatorContext) {
    this.place = place;
    this.raw = raw;
    this.context = context;
    this.passages = this.ends(this.links().map((link) => this.passage(link)));
  }

  /** Of all bodies at rest. */
  length(): Expr {
    return plus(...this.lengths());
  }

  private lengths(): readonly Expr[] {
    return this.passages.map((passage) => this.ofLink(passage, minus(passage.to, passage.from)));
  }

  /** @param before length along the bodies before. @param total of the whole tendon. */
  pieces(before: Expr, total: Expr): readonly PathPiece[] {
    const lengths = this.lengths();
    const pieces = this.passages.flatMap((passage, i): readonly PathPiece[] => {
      const across = this.across(passage);
      const usesShare = [...across.values()].some((e) => dependsOn(e, new Set([ROUTE_SHARE])));
      const share = usesShare
        ? { start: divide(plus(before, ...lengths.slice(0, i)), total), slope: divide(one, total) }
        : { start: zero, slope: zero };
      const { link, axial, from, to } = passage;
      const route: Route = { axial, across, from, to, share, location: this.place.at('route').location };
      const term: RouteTerm = { kind: 'route', link, route };
      const discs = this.discs(passage);
      if (!discs?.at) {
        this.requireInside(passage, route, discs);
        return [{ kind: 'route', term }];
      }
      const held = this.held(passage, discs.at, i);
      this.requireInside(passage, route, discs, held);
      return held.map((at) => ({ kind: 'point', anchor: pointOfRoute(term, at), location: route.location }));
    });
    if (pieces.length > 0) return pieces;
    throw this.place
      .at('discs')
      .error('wrong-value', 'no disc holds this tendon between its ends', 'place discs between `from` and `to`');
  }

  private discs({ body: { type }, axial }: Passage): Discs | undefined {
    const { discs } = this.raw;
    if (discs === undefined) return undefined;
    const section = this.parameterScope(type);
    section.define(nameOf(axial), axial, dues.length.dimension);
    return readDiscs(this.place.at('discs'), discs, type, this.parameterScope(type), section);
  }

  /** Where discs hold the tendon in a body, and where it begins and ends if that is said, in order. */
  private held(passage: Passage, at: readonly Expr[], index: number): readonly Expr[] {
    const { from, to } = passage;
    const isLast = index === this.passages.length - 1;
    const ends = this.numbers(passage, [from, to]);
    const places = this.numbers(passage, at);
    if (!ends || !places) return at;
    const [low, high] = ends as [number, number];
    const [start, end] = this.range(passage);
    const slack = 1e-9 * (end - start);
    places.forEach((place, k) => {
      const here = this.place.at('discs').at('at', k);
      if (!(place >= start - slack && place <= end + slack))
        throw here.error(
          'wrong-value',
          `this place is outside the body, where \`${nameOf(passage.axial)}\` runs from ${start} to ${end}`,
          'write a value in between',
        );
      if (k > 0 && !(place > places[k - 1]! + slack))
        throw here.error(
          'wrong-value',
          'this disc comes before the previous one',
          'write them from the base to the tip',
        );
    });
    const between = at.filter((_, k) => places[k]! >= low - slack && places[k]! <= high + slack);
    const inside = between.map((e) => places[at.indexOf(e)]!);
    const begins = index === 0 && this.raw.from !== undefined && !(inside[0]! - low <= slack);
    const stops = isLast && this.raw.to !== undefined && !(high - inside.at(-1)! <= slack);
    return [...(begins ? [from] : []), ...between, ...(stops ? [to] : [])];
  }

  /** Of the axial coordinate in the whole body, in numbers. */
  private range(passage: Passage): readonly [number, number] {
    const [volume] = passage.body.type.volumes;
    const whole = volume?.kind === 'rod' ? [volume.start, volume.end] : [passage.from, passage.to];
    return this.numbers(passage, whole) as [number, number];
  }

  /** The links in order, each on the one before with nothing but rigid links between. */
  private links(): readonly number[] {
    const { through } = this.raw;
    const { links } = this.context;
    const names = typeof through === 'string' ? [through] : through;
    const at = (i: number): Place =>
      typeof through === 'string' ? this.place.at('through') : this.place.at('through', i);
    const found = names.flatMap((name, i) =>
      linksNamed(at(i), name, this.context).map((link) => ({ link, place: at(i) })),
    );
    found.forEach(({ link, place }, i) => {
      const { body, name } = links[link]!;
      if (body.kind === 'rigid')
        throw place.error(
          'wrong-value',
          `\`${name}\` is rigid; tendons run through deformable bodies`,
          'remove it: a tendon is straight between two bodies',
        );
      if (i === 0) return;
      let parent = links[link]!.parent;
      while (parent >= 0 && parent !== found[i - 1]!.link && links[parent]!.body.kind === 'rigid')
        parent = links[parent]!.parent;
      if (parent !== found[i - 1]!.link)
        throw place.error(
          'wrong-value',
          `\`${name}\` does not follow \`${links[found[i - 1]!.link]!.name}\`: a tendon runs through consecutive bodies`,
          `name the links from the base to the tip, without gaps`,
        );
    });
    return found.map(({ link }) => link);
  }

  private passage(link: number): Passage {
    const body = this.context.links[link]!.body as DeformableBody;
    const [volume] = body.type.volumes as [Volume];
    if (fieldSymbols(volume).length > 0)
      throw this.place.error(
        'not-supported',
        `a curve through a body with modes is not supported, and ${body.type.name} has modes`,
        'let the tendon run straight between frames that the body carries: `frames: { tip: { at: … } }`',
      );
    const given = new Set(Object.keys(this.raw.route));
    if (volume.kind === 'rod')
      return { link, body, axial: volume.axial, section: volume.section, from: volume.start, to: volume.end };
    const running = volume.axes.filter((axis) => !given.has(nameOf(axis)));
    const axial = running.length === 1 ? running[0]! : volume.axes[2];
    const section = volume.axes.filter((axis) => axis !== axial);
    const range = volume.kind === 'box' ? volume.ranges[volume.axes.indexOf(axial)]! : this.meshRange(axial);
    return { link, body, axial, section, from: range[0], to: range[1] };
  }

  /** A mesh has no ends of its own. */
  private meshRange(axial: SymbolExpr): readonly [Expr, Expr] {
    for (const end of ['from', 'to'] as const)
      if (this.raw[end] === undefined)
        throw this.place.keyError(
          'missing-key',
          `a route through a mesh needs \`${end}\``,
          `write \`${end}: { ${nameOf(axial)}: … }\``,
        );
    return [zero, one];
  }

  /** With `from` in the first body and `to` in the last. */
  private ends(passages: readonly Passage[]): readonly Passage[] {
    const last = passages.length - 1;
    return passages.map((passage, i) => {
      const from = i === 0 ? this.end('from', passage) : undefined;
      const to = i === last ? this.end('to', passage) : undefined;
      const own = { ...passage, ...(from && { from }), ...(to && { to }) };
      const [low, high, start, end] = this.numbers(passage, [own.from, own.to, passage.from, passage.to]) ?? [];
      if (low === undefined) return own;
      if (!(low < high!))
        throw this.place
          .at(from ? 'from' : 'to')
          .error('wrong-value', 'the route ends before it begins', 'write `from` below `to`');
      const slack = 1e-9 * (end! - start!);
      const isMesh = passage.body.type.volumes[0]!.kind === 'mesh';
      if (!isMesh && (low < start! - slack || high! > end! + slack))
        throw this.place
          .at(low < start! - slack ? 'from' : 'to')
          .error(
            'wrong-value',
            `this place is outside the body, where \`${nameOf(passage.axial)}\` runs from ${start} to ${end}`,
            'write a value in between',
          );
      return own;
    });
  }

  private end(key: 'from' | 'to', passage: Passage): Expr | undefined {
    const raw = this.raw[key];
    if (raw === undefined) return undefined;
    const name = nameOf(passage.axial);
    const place = this.place.at(key);
    for (const other of Object.keys(raw))
      if (other !== name)
        throw place
          .at(other)
          .keyError('unknown-key', `unknown coordinate \`${other}\``, `write \`${key}: { ${name}: … }\``);
    if (raw[name] === undefined)
      throw place.error('missing-key', `\`${name}\` is missing`, `write \`${key}: { ${name}: … }\``);
    const due = { ...dues.length, what: `\`${key}\`` };
    return readScalar(place.at(name), raw[name], due, this.parameterScope(passage.body.type)).value;
  }

  private parameterScope(type: BodyType): Scope {
    const scope = new Scope(this.context.scope);
    for (const { name, symbol: own, unit } of type.parameters) scope.define(name, own, dimensionOf(unit));
    return scope;
  }

  /** Formulas of the coordinates of the section. */
  private across({ body: { type }, axial, section }: Passage): ReadonlyMap<SymbolExpr, Expr> {
    const { route } = this.raw;
    const place = this.place.at('route');
    const names = section.map(nameOf);
    for (const key of Object.keys(route))
      if (!names.includes(key)) {
        const close = nearest(key, names);
        throw place
          .at(key)
          .keyError(
            'unknown-key',
            `\`${key}\` is not a coordinate of the sections of ${type.name}`,
            close ? `did you mean \`${close}\`?` : `write { ${names.map((own) => `${own}: …`).join(', ')} }`,
          );
      }
    const scope = this.parameterScope(type);
    scope.define(nameOf(axial), axial, dues.length.dimension);
    scope.define('S', ROUTE_SHARE, dimensionless);
    return new Map(
      section.map((own) => {
        const name = nameOf(own);
        const raw = route[name];
        if (raw === undefined)
          throw place.error(
            'missing-key',
            `\`${name}\` is missing`,
            `write { ${names.map((n) => `${n}: …`).join(', ')} }`,
          );
        return [own, readScalar(place.at(name), raw, dueOf(type, own), scope).value];
      }),
    );
  }

  /** Over parameters of the robot. */
  private ofLink({ body }: Passage, e: Expr): Expr {
    return substitute([e], new Map(body.type.parameters.map((p, i) => [p.symbol as Expr, body.parameters[i]!])))[0]!;
  }

  /** With run-time parameters at their defaults; undefined where something is not known. */
  private numbers(passage: Passage, values: readonly Expr[]): number[] | undefined {
    const own = values.map((e) => this.ofLink(passage, e));
    const { defaults } = this.context;
    return freeSymbols(own).every((s) => defaults.has(s)) ? evaluate(own, defaults) : undefined;
  }

  private requireInside(passage: Passage, route: Route, discs?: Discs, held?: readonly Expr[]): void {
    const { body, link } = passage;
    const bindings = new Map(this.context.defaults);
    const values = this.numbers(
      passage,
      body.type.parameters.map((p) => p.symbol),
    );
    values?.forEach((value, i) => bindings.set(body.type.parameters[i]!.symbol, value));
    const ends = this.numbers(passage, [route.from, route.to, route.share.start, route.share.slope]);
    if (!values || !ends) return;
    const [from, to, start, slope] = ends as [number, number, number, number];
    const places = held ? this.numbers(passage, held)! : placesAlong(from, to);
    const problem = departure(body.type.volumes, route, places, [from, start, slope], bindings, discs);
    if (problem === undefined) return;
    const name = this.context.links[link]!.name;
    throw discs
      ? this.place
          .at('route')
          .error(
            'wrong-value',
            `the route leaves the discs on \`${name}\` ${problem}`,
            'write places within their radius, or larger discs',
          )
      : this.place
          .at('route')
          .error(
            'wrong-value',
            `the route leaves the body of \`${name}\` ${problem}`,
            'write places within the section, or `discs: true` where discs hold the tendon beside it',
          );
  }
}

function dueOf({ volumes }: BodyType, own: SymbolExpr): Due {
  const isAngle = volumes.some(
    (volume) => volume.kind === 'rod' && volume.coordinates === 'polar' && volume.section[1] === own,
  );
  const isShare = volumes.some(
    (volume) =>
      volume.kind === 'rod' &&
      volume.coordinates === 'polar' &&
      volume.shape.shape === 'ellipse' &&
      volume.section[0] === own,
  );
  return { ...(isAngle || isShare ? dues.angle : dues.length), what: `\`${nameOf(own)}\`` };
}

function nameOf(own: SymbolExpr): string {
  return own.name.replace(/^.*\./, '');
}
