/**
 * What the actuators of a robot have within a link, over parameters and coordinates of its type: so that links through which
 * a tendon runs in the same way share their code.
 */
import { minus, plus, times, zero, type Expr, type SymbolExpr } from '../symbolic/graph/expr.ts';
import { dependsOn, freeSymbols, substitute } from '../symbolic/graph/traverse.ts';
import {
  coordinateSymbol,
  ROUTE_SHARE,
  type FieldTerm,
  type FormulaTerm,
  type LocalTerm,
  type Route,
  type RouteTerm,
} from '../description/model/actuator.ts';
import type { Chamber } from '../description/model/chamber.ts';
import type { DeformableBody, Link, Robot } from '../description/model/robot.ts';
import type { CoordinateSymbols } from './equations/rates.ts';
import {
  formulaActuation,
  type ActuationRequest,
  type ActuationTerm,
  type FieldRequest,
  type LinkActuation,
  type RouteRequest,
} from './body/actuation-terms.ts';
import type { BodyPart } from './body/body-part.ts';
import { differentParameters } from './compile-body.ts';
import { linkCoordinate } from './link/link-coordinate.ts';
import { symbolsOf } from './link/step-terms.ts';
import type { ParameterValues } from './kinematics/sample-configurations.ts';
import { chamberVolume } from './points/chamber-volume.ts';
import { fieldWork } from './routes/field-work.ts';
import { routeTerms } from './routes/route-length.ts';
import { BARE_UNIT } from '../description/values/units.ts';

/** A term with the index of its actuator. */
export interface LocalShare {
  readonly actuator: number;
  readonly term: LocalTerm;
}

/** By index of the link, in the order of the actuators. */
export function localShares({ actuators, links }: Robot): readonly (readonly LocalShare[])[] {
  const shares = links.map((): LocalShare[] => []);
  actuators.forEach(({ terms }, actuator) => {
    for (const term of terms) if ('link' in term) shares[term.link]!.push({ actuator, term });
  });
  return shares;
}

/** Where parameters of a link type are put: returns what stands for the value in the equations. */
export interface ParameterPlaces {
  place(value: Expr, name: string, unit: string, summary: string, foldUnits?: boolean): Expr;
}

export interface PreparedActuation {
  /** Equal for links whose terms differ in the values of parameters only. */
  readonly key: string;
  readonly actuators: readonly number[];
  /** Stands for the time where terms depend on it by themselves. */
  readonly time?: SymbolExpr;
  /** @param numbers of the parameters of all links that share the type. */
  readonly terms: (numbers: readonly ParameterValues[], part?: BodyPart) => readonly LinkActuation[];
}

/** @param shares of the link. */
export function prepareActuation(
  robot: Robot,
  index: number,
  shares: readonly LocalShare[],
  table: ParameterPlaces,
): PreparedActuation {
  const link = robot.links[index]!;
  const coordinates = coordinatesOf(link);
  const own = robot.coordinates.filter((coordinate) => coordinate.link === index);
  const stands = new Map<Expr, Expr>(own.map(({ name }, i) => [coordinateSymbol(name), coordinates[i]!.symbol]));
  const prepared = shares.map(({ actuator, term }, k) => {
    const places = new ShareParameters(table, `actuator_${k + 1}`, robot.actuators[actuator]!.name, stands);
    switch (term.kind) {
      case 'formula':
        return prepareFormula(term, places, symbolsOf(coordinates));
      case 'chamber':
        return { key: `chamber ${term.chamber.name}`, request: term };
      case 'route':
        return prepareRoute(term, places, link.body as DeformableBody, `route_${k + 1}`);
      case 'field':
        return prepareField(term, places, link.body as DeformableBody, `field_${k + 1}`);
    }
  });
  const time = shares.flatMap(({ term }) => (term.kind === 'field' && term.field.time) || []).at(0);
  return {
    ...(time && { time }),
    key: prepared.map((own_) => own_.key).join(';'),
    actuators: shares.map(({ actuator }) => actuator),
    terms: (numbers, part) => {
      const requests = prepared.flatMap(({ request }) => request ?? []);
      const offered = requests.length > 0 ? bodyTerms(link, requests, numbers, part) : [];
      let next = 0;
      return prepared.map(({ term }) => term ?? offered[next++]!);
    },
  };
}

/** What the body of a link has for its actuators. */
function bodyTerms(
  { joint, body }: Link,
  requests: readonly ActuationRequest[],
  numbers: readonly ParameterValues[],
  part: BodyPart | undefined,
): readonly LinkActuation[] {
  const { type } = body as DeformableBody;
  const fields = requests.find((request) => request.kind === 'field' && request.time) as FieldRequest | undefined;
  const symbols = symbolsOf(type.coordinates.map(linkCoordinate), type.time ?? fields?.time);
  const coordinates = type.coordinates.map((_, i) => joint.coordinates.length + i);
  const different = differentParameters(type, numbers);
  // Several pressures may act in one chamber, which has its loops once.
  const volumes = new Map<Chamber, ActuationTerm>();
  const termOf = (request: ActuationRequest): ActuationTerm => {
    if (request.kind === 'field' && part?.solved) return part.solved.field(request);
    if (request.kind === 'field') return fieldWork(type, symbols, request, numbers);
    if (request.kind === 'route' && part?.solved) return part.solved.route(request, numbers);
    if (request.kind === 'route') return routeTerms(type, symbols, [request], numbers)[0]!;
    const { chamber } = request;
    const known = volumes.get(chamber) ?? chamberVolume(type, chamber, symbols, different);
    volumes.set(chamber, known);
    return known;
  };
  return requests.map((request) => ({ term: termOf(request), coordinates }));
}

function coordinatesOf({ joint, body }: Link) {
  return [...joint.coordinates, ...(body.kind === 'rigid' ? [] : body.type.coordinates)].map(linkCoordinate);
}

/** A term, or what is asked of the body for it. */
interface PreparedTerm {
  readonly key: string;
  readonly term?: LinkActuation;
  readonly request?: ActuationRequest;
}

/** Parameters of one term. */
class ShareParameters {
  private readonly table: ParameterPlaces;
  private readonly stem: string;
  private readonly actuator: string;
  private readonly stands: Map<Expr, Expr>;

  constructor(table: ParameterPlaces, stem: string, actuator: string, stands: ReadonlyMap<Expr, Expr>) {
    this.table = table;
    this.stem = stem;
    this.actuator = actuator;
    this.stands = new Map(stands);
  }

  place(value: Expr, name: string, foldUnits = false): Expr {
    return this.table.place(
      value,
      `${this.stem}_${name}`,
      BARE_UNIT,
      `${name} of the actuator ${this.actuator}`,
      foldUnits,
    );
  }

  /** Symbols that mean the same in formulas and equations. */
  keep(...symbols: readonly Expr[]): void {
    for (const s of symbols) this.stands.set(s, s);
  }

  /** A formula over coordinates of the robot and its run-time parameters as one over those of the link type. */
  formula(e: Expr): Expr {
    for (const s of freeSymbols([e]))
      if (!this.stands.has(s)) this.stands.set(s, this.place(s, s.name.replace(/^.*\./, '')));
    return substitute([e], this.stands)[0]!;
  }
}

function prepareFormula({ summands }: FormulaTerm, places: ShareParameters, symbols: CoordinateSymbols): PreparedTerm {
  const parts = summands.map(({ coefficient, value }, i) => ({
    coefficient: places.place(coefficient, `factor_${i + 1}`, true),
    value: places.formula(value),
  }));
  const value = plus(...parts.map((part) => times(part.coefficient, part.value)));
  return {
    key: `formula ${value.id}`,
    term: {
      term: formulaActuation('formula of coordinates', 'closed form', value, symbols),
      coordinates: symbols.q.map((_, i) => i),
    },
  };
}

/** Places in the section that are the same all along are parameters, so that links share a type whatever they are. */
function prepareRoute({ route }: RouteTerm, places: ShareParameters, body: DeformableBody, name: string): PreparedTerm {
  const values = new Map<Expr, Expr>(body.type.parameters.map((p, i) => [p.symbol, body.parameters[i]!]));
  const ofLink = (e: Expr): Expr => substitute([e], values)[0]!;
  const varying = new Set<Expr>([route.axial, ROUTE_SHARE]);
  places.keep(route.axial, ROUTE_SHARE, ...body.type.parameters.map((p) => p.symbol));
  const end = (key: 'from' | 'to'): Expr =>
    route[key] === endOf(body, route)[key] ? route[key] : places.place(ofLink(route[key]), key);
  const [from, to] = [end('from'), end('to')];
  const { start, slope } = route.share;
  const share =
    slope === zero
      ? zero
      : plus(places.place(start, 'share_before'), times(places.place(slope, 'share_growth'), minus(route.axial, from)));
  const across = new Map(
    [...route.across].map(([own, e]) => {
      if (!dependsOn(e, varying)) return [own, places.place(ofLink(e), own.name.replace(/^.*\./, ''))];
      return [own, substitute([places.formula(e)], new Map([[ROUTE_SHARE, share]]))[0]!];
    }),
  );
  const request: RouteRequest = { kind: 'route', name, axial: route.axial, across, from, to, location: route.location };
  const formulas = [...across].map(([own, e]) => `${own.name} ${e.id}`);
  return { key: `route ${route.axial.id} ${formulas.join(' ')} ${from.id} ${to.id}`, request };
}

function prepareField({ field }: FieldTerm, places: ShareParameters, body: DeformableBody, name: string): PreparedTerm {
  const [volume] = body.type.volumes;
  places.keep(...body.type.parameters.map((p) => p.symbol));
  if (volume?.kind === 'rod') places.keep(volume.axial);
  if (field.time) places.keep(field.time);
  const components = field.components.map((e) => places.formula(e));
  const { time, location } = field;
  const request: FieldRequest = { kind: 'field', name, components, ...(time && { time }), location };
  return { key: `field ${components.map((e) => e.id).join(' ')}`, request };
}

/** Ends of a body along the coordinate of a route. */
function endOf(
  { type }: DeformableBody,
  { axial }: Route,
): { readonly from: Expr | undefined; readonly to: Expr | undefined } {
  const [volume] = type.volumes;
  if (volume?.kind === 'rod') return { from: volume.start, to: volume.end };
  const range = volume?.kind === 'box' ? volume.ranges[volume.axes.indexOf(axial)] : undefined;
  return { from: range?.[0], to: range?.[1] };
}
