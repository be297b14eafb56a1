/**
 * The strain of a rod as its Magnus steps see it: weighted differences α of ξ(s, q, t) over the nodes of a step, with their
 * derivatives in the coordinates. Components that are linear in q need numbers only, known with the parameters; others are
 * evaluated with the configuration. Time counts as a coordinate that moves with rate one.
 */
import { differentiateAll } from '../../symbolic/differentiate.ts';
import { one, plus, times, zero, type Expr } from '../../symbolic/expr.ts';
import { dependsOn, substituteOne } from '../../symbolic/traverse.ts';
import { simplest, timeDerivative, type CoordinateSymbols } from '../equations/rates.ts';
import { magnusWeights, type RodPoints } from './rod-points.ts';
import type { MagnusOrder } from './rod-magnus.ts';
import type { KeptValues } from './rod-rows.ts';
import { twistEntries, twistFromEntries, type Twist } from './rod-twist.ts';

const COMPONENTS = ['kappa_x', 'kappa_y', 'kappa_z', 'nu_x', 'nu_y', 'nu_z'];

export interface StrainSource {
  readonly strain: Twist;
  readonly axial: Expr;
  readonly symbols: CoordinateSymbols;
  /** Names of the coordinates, for labels. */
  readonly names: readonly string[];
}

export class SampledStrain {
  /** α_1, α_2 (, α_3) by name. */
  readonly alpha: readonly Twist[];
  /** ∂α/∂q_a by name, for every coordinate; then ∂α/∂time if the strain depends on it. */
  readonly partial: readonly (readonly Twist[])[];
  private readonly symbols: CoordinateSymbols;
  private readonly biases: readonly Twist[];

  constructor(
    source: StrainSource,
    points: RodPoints,
    order: MagnusOrder,
    kept: { readonly constants: KeptValues; readonly steps: KeptValues },
  ) {
    const { symbols, axial } = source;
    this.symbols = symbols;
    const { constants, steps } = kept;
    const nodes = points.nodes.map((node, i) => constants.keep(`node_${i + 1}`, node));
    const h = constants.keep('step', points.step);
    const weights = magnusWeights(order);
    const variables = symbols.time ? [...symbols.q, symbols.time] : symbols.q;
    const names = [...source.names, 'time'];
    const moving = new Set<Expr>(variables);
    /** The j-th weighted difference over the step; exactly zero for polynomials of degree below j. */
    const difference = (f: Expr, j: number): Expr => {
      if (vanishingDerivative(f, axial, j)) return zero;
      if (!dependsOn(f, new Set([axial]))) return times(h, f);
      const terms = weights[j]!.map((w, k) =>
        w === zero ? zero : times(w, substituteOne(f, new Map([[axial, nodes[k]!]]))),
      );
      return times(h, plus(...terms));
    };
    const columns = twistEntries(source.strain).map((f, c) => {
      const partials = variables.map((q) => simplest(differentiateAll([f], q)[0]!));
      const linear = partials.every((p) => !dependsOn(p, moving));
      const label = COMPONENTS[c]!;
      const where = linear ? constants : steps;
      return weights.map((_, j) => {
        const by = partials.map((p, a) => where.keep(`alpha_${j + 1}_${label}_by_${names[a]}`, difference(p, j)));
        if (!linear) {
          const second = timeDerivative(timeDerivative([f], symbols), { ...symbols, qdd: symbols.q.map(() => zero) });
          return {
            value: steps.keep(`alpha_${j + 1}_${label}`, difference(f, j)),
            by,
            bias: difference(second[0]!, j),
          };
        }
        const rest = substituteOne(f, new Map(variables.map((q) => [q, zero])));
        const fixed = constants.keep(`alpha_${j + 1}_${label}_rest`, difference(rest, j));
        const value = plus(fixed, ...by.map((p, a) => times(p, variables[a]!)));
        return { value: steps.keep(`alpha_${j + 1}_${label}`, value), by, bias: zero };
      });
    });
    const twists = (pick: (entry: { value: Expr; by: readonly Expr[]; bias: Expr }) => Expr): readonly Twist[] =>
      weights.map((_, j) => twistFromEntries(columns.map((column) => pick(column[j]!))));
    this.alpha = twists((entry) => entry.value);
    this.partial = variables.map((_, a) => twists((entry) => entry.by[a]!));
    this.biases = twists((entry) => entry.bias);
  }

  private combine(factors: readonly Expr[]): readonly Twist[] {
    return this.alpha.map((_, j) => {
      const entries = COMPONENTS.map((_component, c) =>
        plus(...factors.map((factor, a) => times(factor, twistEntries(this.partial[a]![j]!)[c]!))),
      );
      return twistFromEntries(entries);
    });
  }

  /** α̇ */
  rate(): readonly Twist[] {
    return this.combine(this.symbols.time ? [...this.symbols.qd, one] : this.symbols.qd);
  }

  /** The part of α̈ that q̈ causes. */
  driven(): readonly Twist[] {
    return this.combine(this.symbols.qdd);
  }

  /** The rest of α̈: second derivatives of the strain along the velocity. */
  bias(): readonly Twist[] {
    return this.biases;
  }
}

/** Is the derivative of this order along the rod exactly zero? */
function vanishingDerivative(f: Expr, axial: Expr, order: number): boolean {
  let derivative = f;
  for (let i = 0; i < order; i++) derivative = simplest(differentiateAll([derivative], axial)[0]!);
  return derivative === zero;
}
