/**
 * Internal moments and forces m(s, t) that are spread over a rod: the work that they do on its strain,
 *   y = ∫ m · (ξ − ξ*) ds,   ∂y/∂q_a = ∫ m · ξ_a ds,   ẏ = ∫ ṁ · (ξ − ξ*) + m · ξ̇ ds,
 * in closed form where nothing varies along the rod, by coefficients that are known with the parameters where the strain is
 * linear in the coordinates and the time moves nothing, as sums over Gauss–Legendre points elsewhere, in the last stage.
 */
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { minus, plus, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { dependsOn, substitute } from '../../symbolic/graph/traverse.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import type { BodyType } from '../../description/model/robot.ts';
import { simplest, timeDerivative, type CoordinateSymbols } from '../equations/rates.ts';
import { coordinateRanges, sampleConfigurations, type ParameterValues } from '../kinematics/sample-configurations.ts';
import { formulaActuation, type ActuationTerm, type FieldRequest } from '../body/actuation-terms.ts';
import { sectionStrain } from '../kinematics/section-strain.ts';
import { loopsNeeded } from '../loops/loop.ts';
import type { LineSample } from '../rod-points/line-points.ts';
import { panelEnds, requireFixedBase } from '../rod-points/rod-points.ts';
import { twistEntries } from '../rod-points/rod-twist.ts';
import { SectionSums } from '../rod-points/section-sums.ts';
import { rodVolumes } from '../rods/rod-section.ts';
import { cutPieces, ruleForLine, type RouteRule } from './route-points.ts';

const NAME = 'field along the rod';
const CONFIGURATIONS = 12;
/** Of many links with different parameters. */
const MOST_LINKS = 6;
/** Instants at which rules for fields that move are chosen, s. */
const INSTANTS = [0, 0.5, 1, 2];
/** Of the tolerance of the body: fields of both signs leave a small sum of large parts. */
const SHARE_OF_TOLERANCE = 1e-2;
/** Below this, rounding decides. */
const FINEST = 1e-12;

/**
 * @param request over the symbols of the link type.
 * @param parameters numbers of all parameters of links of the type: rules are chosen for them.
 * @throws KanegenError `tolerance-not-met` or `not-finite` at the field.
 */
export function fieldWork(
  type: BodyType,
  symbols: CoordinateSymbols,
  request: FieldRequest,
  parameters: readonly ParameterValues[],
): ActuationTerm {
  requireFixedBase(type, 'fields');
  const [rod] = rodVolumes(type);
  const { components, name } = request;
  const kinematics = sectionStrain(type, parameters[0]!);
  const rest = twistEntries(kinematics.rest);
  const departure = twistEntries(kinematics).map((e, c) => minus(e, rest[c]!));
  const work = (strains: readonly Expr[]): Expr => plus(...components.map((m, c) => times(m, strains[c]!)));
  const density = work(departure);
  if (!dependsOn(density, new Set([rod.axial])))
    return formulaActuation(NAME, 'closed form', times(minus(rod.end, rod.start), density), symbols);

  const { q, time } = symbols;
  const moving = new Set<Expr>([...q, ...symbols.qd, ...(time ? [time] : [])]);
  const slopes = q.map((own) => work(differentiateAll(departure, own).map(simplest)));
  const ends = panelEnds(type, rod);
  const explicit = time ? differentiateAll([density, ...slopes], time) : [];
  const rule = ruleOf(type, request, [density, ...slopes, ...explicit], ends, symbols, parameters);
  const line = new SectionSums({
    name,
    axial: rod.axial,
    ends: cutPieces(ends, rule.pieces),
    points: rule.points,
    moving,
  });
  const finished = (term: ActuationTerm): ActuationTerm => ({
    ...term,
    loops: loopsNeeded(line.loops(), [term.value, ...term.gradient, term.rate, term.bias], []),
  });
  const count = rule.pieces > 1 ? `${rule.points} points on ${rule.pieces} pieces` : `${rule.points} points`;
  if (!time && slopes.every((e) => !dependsOn(e, moving))) {
    const [atZero] = substitute([density], new Map(q.map((own) => [own, zero])));
    const [start, ...own] = line.integrate('coefficients', 0, [atZero!, ...slopes]);
    const value = plus(start!, ...own.map((slope, a) => times(slope, q[a]!)));
    return finished(formulaActuation(NAME, `closed form in the coordinates, ${count} folded`, value, symbols));
  }
  const still = { ...symbols, qdd: q.map(() => zero) };
  const first = timeDerivative([density], still);
  const [value, ...gradient] = line.integrate('work', 3, [density, ...slopes]);
  const [rate, bias] = line.integrate('rates', 3, [...first, ...timeDerivative(first, still)]);
  return finished({
    name: NAME,
    method: `Gauss-Legendre rule of ${count}`,
    value: value!,
    gradient,
    rate: rate!,
    bias: bias!,
    loops: [],
  });
}

function ruleOf(
  type: BodyType,
  { location, time, components }: FieldRequest,
  integrands: readonly Expr[],
  ends: readonly Expr[],
  symbols: CoordinateSymbols,
  parameters: readonly ParameterValues[],
): RouteRule {
  const { points, tolerance } = type.integration;
  if (points !== undefined) return { points, pieces: 1 };
  const [{ axial, start, end }] = rodVolumes(type);
  const instants = time ? INSTANTS : [0];
  const samples = parameters.slice(0, MOST_LINKS).flatMap((numbers) =>
    sampleConfigurations(coordinateRanges(type, numbers), CONFIGURATIONS).flatMap((q) =>
      instants.flatMap((t): LineSample[] => {
        const values = new Map<Expr, number>(numbers);
        type.coordinates.forEach(({ symbol }, a) => values.set(symbol, q[a]!));
        if (symbols.time) values.set(symbols.time, t);
        // A field may have an end of its time.
        const middle = new Map([...values, [axial, evaluate([start, end], values).reduce((a, b) => (a + b) / 2)]]);
        if (t > 0 && !evaluate(components, middle).every(Number.isFinite)) return [];
        return [{ values, ends: evaluate(ends, values) }];
      }),
    ),
  );
  const finer = Math.min(tolerance, Math.max(SHARE_OF_TOLERANCE * tolerance, FINEST));
  return ruleForLine('field', { axial, location, tolerance: finer }, integrands, samples);
}
