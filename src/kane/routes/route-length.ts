/**
 * Lengths of material curves in a body and their derivatives,
 *   ℓ = ∫ |ρ'| ds,   ∂ℓ/∂q_a = ∫ ρ'·ρ'_a/|ρ'| ds,   ℓ̈ at q̈ = 0: ∫ (ρ̇'·ρ̇' + ρ'·ρ̈')/|ρ'| − (ρ'·ρ̇')²/|ρ'|³ ds,
 * with the tangent ρ' in whatever axes (route-tangent.ts):
 *   in closed form where the integrand does not vary along the curve, and without a root where one component is left;
 *   by coefficients that are known with the parameters where it is such a component and linear in the coordinates;
 *   as sums over Gauss-Legendre points elsewhere, in the last stage, so that nobody pays who does not ask.
 */
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { minus, negate, plus, power, sqrt, square, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { expand } from '../../symbolic/graph/expand.ts';
import { dependsOn, substituteOne } from '../../symbolic/graph/traverse.ts';
import { dot, mapVector, type Vector3, vector3 } from '../../symbolic/graph/vector.ts';
import type { BodyType } from '../../description/model/robot.ts';
import { simplest, timeDerivative, type CoordinateSymbols } from '../equations/rates.ts';
import type { ParameterValues } from '../kinematics/sample-configurations.ts';
import { formulaActuation, type ActuationTerm, type RouteRequest } from '../body/actuation-terms.ts';
import { loopsNeeded } from '../loops/loop.ts';
import type { LineSample } from '../rod-points/line-points.ts';
import { placesKnown, slidingOf } from '../rod-points/rod-points.ts';
import { SectionSums } from '../rod-points/section-sums.ts';
import { cutPieces, routeEnds, routeSamples, ruleForRoute, signOnRoute, type RouteRule } from './route-points.ts';
import { routeTangent } from './route-tangent.ts';

const NAME = 'tendon route';

/**
 * Minus the length of each curve.
 * @param requests of one link type, over its symbols.
 * @param parameters numbers of all parameters of links of the type: rules are chosen for them.
 * @throws KanegenError `tolerance-not-met` at the route.
 */
export function routeTerms(
  type: BodyType,
  symbols: CoordinateSymbols,
  requests: readonly RouteRequest[],
  parameters: readonly ParameterValues[],
): readonly ActuationTerm[] {
  return requests.map((request) => new RouteLength(type, symbols, request, parameters).term());
}

class RouteLength {
  private readonly type: BodyType;
  private readonly symbols: CoordinateSymbols;
  private readonly request: RouteRequest;
  private readonly parameters: readonly ParameterValues[];
  private readonly tangent: Vector3;
  private readonly moving: ReadonlySet<Expr>;

  constructor(
    type: BodyType,
    symbols: CoordinateSymbols,
    request: RouteRequest,
    parameters: readonly ParameterValues[],
  ) {
    this.type = type;
    this.symbols = symbols;
    this.request = request;
    this.parameters = parameters;
    this.tangent = routeTangent(type, symbols, request);
    this.moving = new Set<Expr>([...symbols.q, ...symbols.qd, ...(symbols.time ? [symbols.time] : [])]);
  }

  term(): ActuationTerm {
    const { request, symbols, tangent } = this;
    const speed = this.withoutRoot() ?? sqrt(dot(tangent, tangent));
    if (!dependsOn(speed, new Set([request.axial]))) {
      const length = expand(times(minus(request.to, request.from), speed));
      return formulaActuation(NAME, 'closed form', negate(length), symbols);
    }
    const partials = symbols.q.map((q) => simplest(differentiateAll([speed], q)[0]!));
    const isLinear = !symbols.time && !slidingOf(this.type) && partials.every((e) => !dependsOn(e, this.moving));
    return isLinear ? this.byCoefficients(speed, partials) : this.bySums(speed);
  }

  /** |ρ'| where one component is left, whose sign is the same in all configurations. */
  private withoutRoot(): Expr | undefined {
    const left = this.tangent.filter((e) => e !== zero);
    const [only] = left;
    if (left.length !== 1 || !only) return undefined;
    const sign = signOnRoute(only, this.request.axial, this.samples());
    return sign === 0 ? undefined : sign > 0 ? only : negate(only);
  }

  private samples(): readonly LineSample[] {
    return routeSamples(this.type, this.request, this.parameters);
  }

  /** Value and derivatives at q = 0, integrated once for a set of parameters. */
  private byCoefficients(speed: Expr, partials: readonly Expr[]): ActuationTerm {
    const { q } = this.symbols;
    const atZero = substituteOne(speed, new Map(q.map((own) => [own, zero])));
    const rule = this.rule([atZero, ...partials]);
    const line = this.sums(rule);
    const [start, ...slopes] = line.integrate('coefficients', 0, [atZero, ...partials]);
    const length = plus(start!, ...slopes.map((slope, a) => times(slope, q[a]!)));
    const term = formulaActuation(
      NAME,
      `closed form in the coordinates, ${countOf(rule)} folded`,
      negate(length),
      this.symbols,
    );
    return { ...term, loops: loopsNeeded(line.loops(), [term.value, ...term.gradient, term.rate], []) };
  }

  private bySums(speed: Expr): ActuationTerm {
    const { symbols, tangent } = this;
    const inverse = power(speed, -1);
    const partial = (variable: Expr): Vector3 => mapVector(vector3(differentiateAll(tangent, variable)), simplest);
    const gradient = symbols.q.map((own) => times(dot(tangent, partial(own)), inverse));
    const still = { ...symbols, qdd: symbols.q.map(() => zero) };
    const first = vector3(timeDerivative(tangent, still));
    const second = vector3(timeDerivative(first, still));
    const rate = times(dot(tangent, first), inverse);
    const bias = times(minus(plus(dot(first, first), dot(tangent, second)), square(rate)), inverse);
    const rule = this.rule([speed, ...gradient]);
    const line = this.sums(rule);
    const [length, ...slopes] = line.integrate('length', 3, [speed, ...gradient]);
    const [grown, accelerated] = line.integrate('rates', 3, [rate, bias]);
    const own = {
      name: NAME,
      method: `Gauss-Legendre rule of ${countOf(rule)}`,
      value: negate(length!),
      gradient: slopes.map(negate),
      rate: negate(grown!),
      bias: negate(accelerated!),
    };
    return { ...own, loops: loopsNeeded(line.loops(), [own.value, ...own.gradient, own.rate, own.bias], []) };
  }

  private sums({ points, pieces }: RouteRule): SectionSums {
    const { name, axial } = this.request;
    const ends = cutPieces(routeEnds(this.type, this.request), pieces);
    return new SectionSums({ name, axial, ends, points, moving: this.moving, known: placesKnown(this.type) });
  }

  private rule(integrands: readonly Expr[]): RouteRule {
    return ruleForRoute(this.type, this.request, integrands, this.samples());
  }
}

function countOf({ points, pieces }: RouteRule): string {
  return pieces > 1 ? `${points} points on ${pieces} pieces` : `${points} points`;
}
