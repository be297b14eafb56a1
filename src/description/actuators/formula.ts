/**
 * `along:`: a formula of coordinates and frames as the actuation coordinate. A sum over links falls apart into terms of one link each;
 * what mixes the coordinates of several links stays one formula of the robot, and what depends on frames is a term that holds them.
 */
import { fraction, one, plus, power, rational, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import { directionalDerivative } from '../../symbolic/graph/differentiate.ts';
import { Rational } from '../../symbolic/graph/rational.ts';
import { freeSymbols } from '../../symbolic/graph/traverse.ts';
import { coordinateSymbol, type ActuatorTerm, type FormulaTerm } from '../model/actuator.ts';
import type { RawActuator } from '../language/actuators.ts';
import { within, type Place } from '../source/source.ts';
import { readScalar, Scope, type Due } from '../values/scope.ts';
import { dimensionless, dimensionText, equalDimensions, parseUnit } from '../values/units.ts';
import type { ActuatorContext, ActuatorReading } from './actuator-context.ts';
import { FrameFunctions } from './frame-functions.ts';

/** @throws KanegenError `wrong-value`, `missing-key`, or what reading the formula throws. */
export function readFormula(place: Place, raw: RawActuator, context: ActuatorContext): ActuatorReading {
  const frames = new FrameFunctions(place, raw.frames ?? {}, context);
  const scope = new Scope(context.scope, frames);
  for (const { name, unit } of context.coordinates)
    scope.define(name, coordinateSymbol(name), parseUnit(unit).dimension);
  const stated = raw.unit === undefined ? undefined : within(place.at('unit'), () => parseUnit(raw.unit!));
  if (stated && !stated.coherent)
    throw place.at('unit').error('wrong-unit', `\`${raw.unit!}\` is not an SI unit`, `write \`${stated.si}\``);
  const due: Due = { what: 'this formula', ...(stated && { dimension: stated.dimension }) };
  const at = place.at('along');
  const { value, dimension } = readScalar(at, raw.along!, due, scope);
  const linkOf = new Map<Expr, number>(context.coordinates.map(({ name, link }) => [coordinateSymbol(name), link]));
  if (!freeSymbols([value]).some((s) => linkOf.has(s)) && !frames.mentions(value))
    throw at.error(
      'wrong-value',
      'this formula depends on no coordinate and no frame',
      'name one, such as `soft1.q` or `distance(base, tool)`',
    );
  within(at, () => requireFinite(at, value, context));
  if (!dimension)
    throw place.keyError('missing-key', 'the formula does not show its unit', 'add `unit: m`, or another SI unit');
  const unit = equalDimensions(dimension, dimensionless) ? '1' : dimensionText(dimension);
  return { coordinateUnit: stated?.si ?? unit, terms: termsOf(value, linkOf, frames, at) };
}

/** Rates and accelerations of the actuation coordinate need two derivatives where the robot starts. */
export function requireFinite(at: Place, value: Expr, { coordinates, defaults }: ActuatorContext): void {
  const symbols = coordinates.map(({ name }) => coordinateSymbol(name));
  const here = new Map<Expr, number>([...defaults, ...symbols.map((s, i) => [s, coordinates[i]!.value] as const)]);
  if (!freeSymbols([value]).every((name) => here.has(name))) return;
  // No two coordinates move alike.
  const direction = new Map(symbols.map((s, i) => [s, fraction(i + 7, i + 5)]));
  const rate = directionalDerivative([value], direction);
  const acceleration = directionalDerivative(rate, direction);
  if (evaluate([value, ...rate, ...acceleration], here).every(Number.isFinite)) return;
  throw at.error(
    'not-finite',
    'this formula, or one of its first two derivatives, is not finite at the default coordinates',
    'write it without the pole, root or kink, or give the coordinate a default away from it',
  );
}

/** What a formula is the sum of. @param moves does a part depend on anything but parameters? */
export function summandsOfFormula(formula: Expr, moves: (e: Expr) => boolean): Expr[] {
  return [...summandsOf(formula, one, moves)].map(({ coefficient, value }) => times(coefficient, value));
}

interface Summand {
  readonly coefficient: Expr;
  readonly value: Expr;
}

/** @param linkOf index of the link of every coordinate. */
function termsOf(
  formula: Expr,
  linkOf: ReadonlyMap<Expr, number>,
  frames: FrameFunctions,
  place: Place,
): readonly ActuatorTerm[] {
  const byLink = new Map<number, Summand[]>();
  const mixed: Expr[] = [];
  const ofFrames: Expr[] = [];
  const constants: Summand[] = [];
  const moves = (e: Expr): boolean => freeSymbols([e]).some((s) => linkOf.has(s)) || frames.mentions(e);
  for (const summand of summandsOf(formula, one, moves)) {
    const links = new Set(freeSymbols([summand.value]).flatMap((s) => linkOf.get(s) ?? []));
    const [link] = links;
    if (frames.mentions(summand.value)) {
      if (link !== undefined)
        throw place.error(
          'not-supported',
          'one summand of this formula depends on both frames and coordinates',
          'express the coordinate by frames, or move it to a summand of its own',
        );
      ofFrames.push(times(summand.coefficient, summand.value));
    } else if (links.size > 1) mixed.push(times(summand.coefficient, summand.value));
    else if (link === undefined) constants.push(summand);
    else byLink.set(link, [...(byLink.get(link) ?? []), summand]);
  }
  const terms: ActuatorTerm[] = [...byLink]
    .sort(([a], [b]) => a - b)
    .map(([link, summands]): FormulaTerm => ({ kind: 'formula', link, summands }));
  const rest = constants.map(({ coefficient, value }) => times(coefficient, value));
  const ofRobot = plus(...mixed, ...rest);
  return [
    ...terms,
    ...(ofRobot === zero ? [] : [{ kind: 'robot-formula' as const, value: ofRobot }]),
    ...frames.terms(ofFrames, place),
  ];
}

/** What a formula is the sum of, with the factors that do not move drawn out. */
function* summandsOf(e: Expr, factor: Expr, moves: (e: Expr) => boolean): Generator<Summand> {
  if (!moves(e)) {
    if (!(e.kind === 'rational' && Rational.isZero(e.value))) yield { coefficient: times(factor, e), value: one };
  } else if (e.kind === 'sum') {
    yield* summandsOf(rational(e.constant), factor, moves);
    for (const { coefficient, term } of e.terms) yield* summandsOf(term, times(factor, rational(coefficient)), moves);
  } else if (e.kind === 'product') {
    const parts = e.factors.map(({ base, exponent }) => power(base, exponent));
    const moving = parts.filter(moves);
    const coefficient = times(factor, rational(e.coefficient), ...parts.filter((part) => !moves(part)));
    const [only] = moving;
    if (moving.length === 1 && only !== e) yield* summandsOf(only!, coefficient, moves);
    else yield { coefficient, value: times(...moving) };
  } else yield { coefficient: factor, value: e };
}
