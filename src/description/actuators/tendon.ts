/**
 * `tendon:`: a cable through the bodies of links one after the other, along a material curve in each. Its actuation
 * coordinate is minus its length, its input the tension.
 */
import { evaluate } from '../../symbolic/evaluate.ts';
import { divide, minus, one, plus, times, zero, type Expr, type SymbolExpr } from '../../symbolic/expr.ts';
import { isIdentityFrame } from '../../symbolic/vector.ts';
import { nearest } from '../../symbolic/nearest.ts';
import { dependsOn, freeSymbols, substitute } from '../../symbolic/traverse.ts';
import { ROUTE_SHARE, type ActuatorTerm, type Route } from '../model/actuator.ts';
import type { BodyType, DeformableBody, Volume } from '../model/robot.ts';
import type { RawActuator, RawTendon } from '../language/actuators.ts';
import type { Place } from '../source/source.ts';
import { dues, readScalar, Scope, type Due } from '../values/scope.ts';
import { dimensionless, parseUnit } from '../values/units.ts';
import { linksNamed, type ActuatorContext } from './context.ts';
import type { ActuatorReading } from './read-actuators.ts';
import { departure } from './section-check.ts';

/** A body on the way, with the material coordinate that runs along it. */
interface Passage {
  readonly link: number;
  readonly body: DeformableBody;
  readonly axial: SymbolExpr;
  readonly section: readonly SymbolExpr[];
  readonly from: Expr;
  readonly to: Expr;
}

interface Joint {
  readonly passage: Passage;
  readonly route: Route;
}

/** @throws KanegenError `unknown-link`, `wrong-value`, `unknown-key`, `missing-key`, or what reading formulas throws. */
export function readTendon(place: Place, raw: RawActuator, context: ActuatorContext): ActuatorReading {
  return new TendonReader(place.at('tendon'), raw.tendon!, context).read();
}

class TendonReader {
  private readonly place: Place;
  private readonly raw: RawTendon;
  private readonly context: ActuatorContext;

  constructor(place: Place, raw: RawTendon, context: ActuatorContext) {
    this.place = place;
    this.raw = raw;
    this.context = context;
  }

  read(): ActuatorReading {
    const passages = this.ends(this.links().map((link) => this.passage(link)));
    const lengths = passages.map((passage) => this.ofLink(passage, minus(passage.to, passage.from)));
    const total = plus(...lengths);
    let before: Joint | undefined;
    const terms = passages.map((passage, i): ActuatorTerm => {
      const across = this.across(passage);
      const usesShare = [...across.values()].some((e) => dependsOn(e, new Set([ROUTE_SHARE])));
      const share = usesShare
        ? { start: divide(plus(...lengths.slice(0, i)), total), slope: divide(one, total) }
        : { start: zero, slope: zero };
      const { link, axial, from, to } = passage;
      const route: Route = { axial, across, from, to, share, location: this.place.at('route').location };
      this.requireInside(passage, route);
      if (i > 0) this.requireJoined(before!, { passage, route });
      before = { passage, route };
      return { kind: 'route', link, route };
    });
    return { coordinateUnit: 'm', terms };
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
          `\`${name}\` is rigid, and tendons run through deformable bodies`,
          'leave it out: between two bodies a tendon is straight',
        );
      if (i === 0) return;
      let parent = links[link]!.parent;
      while (parent >= 0 && parent !== found[i - 1]!.link && links[parent]!.body.kind === 'rigid')
        parent = links[parent]!.parent;
      if (parent !== found[i - 1]!.link)
        throw place.error(
          'wrong-value',
          `\`${name}\` does not follow \`${links[found[i - 1]!.link]!.name}\`: a tendon runs through one body after the other`,
          `name the links from the base to the tip, without gaps`,
        );
    });
    return found.map(({ link }) => link);
  }

  private passage(link: number): Passage {
    const body = this.context.links[link]!.body as DeformableBody;
    const [volume] = body.type.volumes as [Volume];
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
            `this lies outside of the body, where \`${nameOf(passage.axial)}\` runs from ${start} to ${end}`,
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
    for (const { name, symbol: own, unit } of type.parameters)
      scope.define(name, own, unit === 'SI' ? undefined : parseUnit(unit).dimension);
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
            `\`${key}\` is no coordinate of the sections of ${type.name}`,
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

  /** The end in one body is the beginning in the next, whatever the robot does. */
  private requireJoined(before: Joint, after: Joint): void {
    const { joint, offset, mount, name, parent } = this.context.links[after.passage.link]!;
    const places = [this.placeAt(before, 'to'), this.placeAt(after, 'from')];
    const isRigid = parent === before.passage.link && joint.motions.length === 0;
    const meets = places[0]!.every((x, i) => Math.abs(x - (places[1]![i] ?? NaN)) <= 1e-9);
    if (isRigid && isIdentityFrame(offset) && isIdentityFrame(mount) && meets) return;
    throw this.place
      .at('route')
      .error(
        'not-supported',
        `the route begins elsewhere in \`${name}\` than it ended before: straight pieces between bodies are not supported yet`,
        'write places that agree where bodies meet, and no joints in between',
      );
  }

  private placeAt({ passage, route }: Joint, end: 'from' | 'to'): number[] {
    const { start, slope } = route.share;
    const share = plus(start, times(slope, minus(route[end], route.from)));
    const across = substitute([...route.across.values()], new Map([[ROUTE_SHARE, share]]));
    return this.numbers(passage, substitute(across, new Map([[route.axial, route[end]]]))) ?? [];
  }

  private requireInside(passage: Passage, route: Route): void {
    const { body, link } = passage;
    const bindings = new Map(this.context.defaults);
    const values = this.numbers(
      passage,
      body.type.parameters.map((p) => p.symbol),
    );
    values?.forEach((value, i) => bindings.set(body.type.parameters[i]!.symbol, value));
    const ends = this.numbers(passage, [route.from, route.to, route.share.start, route.share.slope]);
    if (!values || !ends) return;
    const problem = departure(body.type.volumes, route, ends as [number, number, number, number], bindings);
    if (problem === undefined) return;
    throw this.place
      .at('route')
      .error(
        'wrong-value',
        `the route leaves the body of \`${this.context.links[link]!.name}\` ${problem}`,
        'write places within the section, or give the body a volume that reaches as far',
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
