/**
 * Material points of a body under a learned map, p = offset + N(z(x, q, t)): rows evaluate the network with derivatives
 * along ∂z/∂q_a, ż and what is left of z̈; its results stand in p, p_a, ṗ and p̈ as symbols.
 */
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { plus, symbol, zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { addVectors, dot, scaleVector, zeroVector, type Vector3 } from '../../symbolic/graph/vector.ts';
import type { NetworkKinematics } from '../../description/model/robot.ts';
import type { NetworkCall } from '../loops/network-call.ts';
import { xyz } from '../equations/names.ts';
import { FormulaField, type PointDemand, type PointField, type PointTerms } from './point-field.ts';
import { timeDerivative, type CoordinateSymbols } from '../equations/rates.ts';

export class NetworkField implements PointField {
  private readonly kinematics: NetworkKinematics;
  private readonly symbols: CoordinateSymbols;
  private readonly offset: FormulaField;

  /**
   * @param offset that of the kinematics, regular where it is 0/0 as written.
   * @param symbols the body's own coordinates.
   */
  constructor(kinematics: NetworkKinematics, offset: Vector3, symbols: CoordinateSymbols) {
    this.kinematics = kinematics;
    this.symbols = symbols;
    this.offset = new FormulaField(offset, symbols);
  }

  at(demand: PointDemand): PointTerms {
    const { symbols } = this;
    const { inputs, network } = this.kinematics;
    const call = new CallBuilder(`network.${purposeOf(demand)}`);
    const needsPartials = demand.partials || demand.projection || demand.acceleration === 'driven';
    const partials = needsPartials
      ? symbols.q.map((q, a) => call.along(differentiateAll(inputs, q), `by_${a + 1}`))
      : [];
    const rate = timeDerivative(inputs, symbols);
    const needsRate = demand.velocity || demand.acceleration;
    const velocity = needsRate ? call.along(rate, 'rate') : zeroVector;
    let acceleration = zeroVector;
    if (demand.acceleration) {
      // z̈ = Σ ∂z/∂q_a q̈_a + what the motion alone brings: zero for inputs that depend linearly on q.
      const coasting = { ...symbols, qdd: symbols.qdd.map(() => zero) };
      const rest = call.along(timeDerivative(rate, coasting), 'bend');
      const driven = partials.map((partial, a) => scaleVector(symbols.qdd[a]!, partial));
      acceleration = addVectors(call.secondAlong(rate), rest, ...(demand.acceleration === 'driven' ? driven : []));
    }
    const own = this.offset.at(demand);
    return {
      position: addVectors(own.position, call.value),
      partials: own.partials.map((partial, a) => addVectors(partial, partials[a]!)),
      velocity: addVectors(own.velocity, velocity),
      acceleration: addVectors(own.acceleration, acceleration),
      project: (force) => own.project(force).map((value, a) => plus(value, dot(partials[a]!, force))),
      networks: [call.build(network, inputs)],
    };
  }
}

/** Loops of different purposes have results of their own. */
function purposeOf({ partials, velocity, acceleration, projection }: PointDemand): string {
  const parts = [partials && 'partials', velocity && 'velocity', acceleration, projection && 'projection'];
  return parts.filter((part) => part).join('_') || 'position';
}

/** Collects the directions of a call; a direction that is zero takes none. */
class CallBuilder {
  readonly value: readonly [SymbolExpr, SymbolExpr, SymbolExpr];
  private readonly prefix: string;
  private readonly directions: { direction: readonly Expr[]; derivative: readonly SymbolExpr[] }[] = [];
  private second: NetworkCall['second'];

  constructor(prefix: string) {
    this.prefix = prefix;
    this.value = this.results('map');
  }

  private results(name: string): [SymbolExpr, SymbolExpr, SymbolExpr] {
    const [x, y, z] = xyz(name).map((label) => symbol(`${this.prefix}.${label}`));
    return [x!, y!, z!];
  }

  /** ∂N/∂z · direction */
  along(direction: readonly Expr[], name: string): Vector3 {
    if (direction.every((e) => e === zero)) return zeroVector;
    const derivative = this.results(`map_${name}`);
    this.directions.push({ direction, derivative });
    return derivative;
  }

  /** ∂²N/∂z² [direction, direction] of a direction that was asked for before. */
  secondAlong(direction: readonly Expr[]): Vector3 {
    const along = this.directions.findIndex((known) => known.direction === direction);
    if (along < 0) return zeroVector;
    const derivative = this.results('map_curvature');
    this.second = { along, derivative };
    return derivative;
  }

  build(network: NetworkCall['network'], inputs: readonly Expr[]): NetworkCall {
    const { value, directions, second } = this;
    return { network, inputs, value, directions, ...(second ? { second } : {}) };
  }
}
