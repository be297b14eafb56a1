/**
 * What the actuators of a robot have within a link, over parameters and coordinates of its type: so that links through which
 * a tendon runs in the same way share their code.
 */
import { KanegenError } from '../symbolic/error.ts';
import { plus, times, type Expr } from '../symbolic/expr.ts';
import { freeSymbols, substitute } from '../symbolic/traverse.ts';
import { coordinateSymbol, type FormulaTerm, type LocalTerm } from '../description/model/actuator.ts';
import type { Link, Robot } from '../description/model/robot.ts';
import type { CoordinateSymbols } from './equations/rates.ts';
import { formulaActuation, type LinkActuation } from './link/actuation-terms.ts';
import { linkCoordinate } from './link/link-coordinate.ts';
import { symbolsOf } from './link/step-terms.ts';

/** A term with the index of its actuator. */
export interface LocalShare {
  readonly actuator: number;
  readonly term: LocalTerm;
}

/** By index of the link, in the order of the actuators. */
export function localShares({ actuators, links }: Robot): readonly (readonly LocalShare[])[] {
  const shares = links.map((): LocalShare[] => []);
  actuators.forEach(({ terms }, actuator) => {
    for (const term of terms) if (term.kind !== 'robot-formula') shares[term.link]!.push({ actuator, term });
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
  readonly terms: () => readonly LinkActuation[];
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
    if (term.kind === 'formula') return prepareFormula(term, places, symbolsOf(coordinates));
    throw new KanegenError('not-supported', 'tendons are not supported yet', { location: term.route.location });
  });
  return {
    key: prepared.map((own_) => own_.key).join(';'),
    actuators: shares.map(({ actuator }) => actuator),
    terms: () => prepared.map((own_) => own_.term()),
  };
}

function coordinatesOf({ joint, body }: Link) {
  return [...joint.coordinates, ...(body.kind === 'rigid' ? [] : body.type.coordinates)].map(linkCoordinate);
}

interface PreparedTerm {
  readonly key: string;
  readonly term: () => LinkActuation;
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
    return this.table.place(value, `${this.stem}_${name}`, 'SI', `${name} of the actuator ${this.actuator}`, foldUnits);
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
    term: () => ({
      term: formulaActuation('formula of coordinates', 'closed form', value, symbols),
      coordinates: symbols.q.map((_, i) => i),
    }),
  };
}
