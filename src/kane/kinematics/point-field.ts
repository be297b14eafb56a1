/**
 * Position, velocity and acceleration of a body's material points, as expressions of one point: what loops over points are
 * made of. All vectors seen from the proximal frame, in its axes.
 */
import { differentiateAll, directionalDerivative, gradient } from '../../symbolic/graph/differentiate.ts';
import { countOperations, totalOperations } from '../../symbolic/graph/cost.ts';
import { symbol, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { substitute } from '../../symbolic/graph/traverse.ts';
import { dot, type Vector3, vector3 } from '../../symbolic/graph/vector.ts';
import type { NetworkCall } from '../loops/network-call.ts';
import { timeDerivative, type CoordinateSymbols } from '../equations/rates.ts';

/** What a loop wants to know of a point beside its position. */
export interface PointDemand {
  /** ∂p/∂q_a for every coordinate. */
  readonly partials?: boolean;
  /** ṗ */
  readonly velocity?: boolean;
  /** p̈, with the accelerations of the coordinates or for those at zero. */
  readonly acceleration?: 'coasting' | 'driven';
  /** Forces at the point will be projected on the coordinates. */
  readonly projection?: boolean;
}

export interface PointTerms {
  readonly position: Vector3;
  readonly partials: readonly Vector3[];
  readonly velocity: Vector3;
  readonly acceleration: Vector3;
  /** p_a · force for every coordinate. */
  project(force: Vector3): readonly Expr[];
  /** Learned maps that a row evaluates first. */
  readonly networks: readonly NetworkCall[];
}

/** The map of a body over its material coordinates: a formula, or a learned map. */
export interface PointField {
  at(demand: PointDemand): PointTerms;
}

const force = vector3(['x', 'y', 'z'].map((axis) => symbol(`placeholder.force_${axis}`)));

/** A map given by a formula. Derivatives in time are taken along the motion: no second partial derivative is formed. */
export class FormulaField implements PointField {
  private readonly position: Vector3;
  private readonly symbols: CoordinateSymbols;
  private projection: readonly Expr[] | undefined;
  private partialDerivatives: readonly Vector3[] | undefined;

  /** @param symbols the body's own coordinates. */
  constructor(position: Vector3, symbols: CoordinateSymbols) {
    this.position = position;
    this.symbols = symbols;
  }

  at(demand: PointDemand): PointTerms {
    const { position, symbols } = this;
    const velocity = vector3(timeDerivative(position, symbols));
    const coasting = { ...symbols, qdd: symbols.qdd.map(() => zero) };
    const acceleration = timeDerivative(velocity, demand.acceleration === 'driven' ? symbols : coasting);
    return {
      position,
      partials: demand.partials ? this.partials() : [],
      velocity,
      acceleration: vector3(acceleration),
      project: (at) => substitute(this.project(), new Map(force.map((symbol, i) => [symbol, at[i]!]))),
      networks: [],
    };
  }

  private partials(): readonly Vector3[] {
    this.partialDerivatives ??= this.symbols.q.map((q) => vector3(differentiateAll(this.position, q)));
    return this.partialDerivatives;
  }

  /** p_a · force by the partial derivatives, or backwards through the formula, whichever is less work. */
  private project(): readonly Expr[] {
    if (this.projection) return this.projection;
    const forward = this.partials().map((partial) => dot(partial, force));
    const backward = gradient(dot(this.position, force), this.symbols.q);
    // The velocity shares most of its work with either.
    const velocity = directionalDerivative(
      this.position,
      new Map(this.symbols.q.map((q, a) => [q, this.symbols.qd[a]!])),
    );
    const cost = (values: readonly Expr[]): number => totalOperations(countOperations([...velocity, ...values]));
    this.projection = cost(backward) < cost(forward) ? backward : forward;
    return this.projection;
  }
}
