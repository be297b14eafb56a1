/**
 * The strain of a rod as its rows see it: at the section of a row, times the length that the section stands for, with
 * derivatives in the coordinates and in time; and over the two halves of a row, the α of a Magnus step (rod-rotation.ts).
 * Components that are linear in q need numbers only, known with the parameters; others are evaluated with the
 * configuration. Time counts as a coordinate that moves with rate one.
 */
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { decimal, one, plus, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { dependsOn, substituteOne } from '../../symbolic/graph/traverse.ts';
import type { Vector3 } from '../../symbolic/graph/vector.ts';
import { simplest, timeDerivative, type CoordinateSymbols } from '../equations/rates.ts';
import { differenceWeights, type RodPoints, type RodStretch } from '../rod-points/rod-points.ts';
import type { MagnusOrder } from '../rod-points/rod-rotation.ts';
import type { KeptValues } from '../rod-points/rod-rows.ts';
import type { RowStrain } from '../sections/row-strain.ts';
import { combineTwists, twistEntries, twistFromEntries, type Twist } from '../rod-points/rod-twist.ts';

const COMPONENTS = ['kappa_x', 'kappa_y', 'kappa_z', 'nu_x', 'nu_y', 'nu_z'];

export interface StrainSource {
  readonly strain: Twist;
  readonly axial: Expr;
  readonly symbols: CoordinateSymbols;
  /** Names of the coordinates, for labels. */
  readonly names: readonly string[];
  /** Of a rod that slides out of its base: length that rows add along the axis, see RodPoints. */
  readonly retreat?: Expr;
}

/** A component of the strain, times the length of the row. */
interface SampledComponent {
  readonly value: Expr;
  /** ∂/∂q_a, then ∂/∂time if the strain depends on it. */
  readonly by: readonly Expr[];
  /** Second derivative along the velocity at q̈ = 0. */
  readonly bias: Expr;
  /** α_1, α_2, … of each half of the row. */
  readonly alpha: readonly (readonly Expr[])[];
}

export class SampledStrain implements RowStrain {
  /** ξ times the length of the row. */
  readonly value: Twist;
  /** ∂ξ/∂q_a times the length of the row, for every coordinate; then ∂ξ/∂time. */
  readonly partial: readonly Twist[];
  /** The rest of ξ̈: second derivatives along the velocity. */
  readonly bias: Twist;
  /** α_1, α_2, … of the curvature over each half of the row. */
  readonly alpha: readonly (readonly Vector3[])[];
  private readonly symbols: CoordinateSymbols;

  constructor(
    source: StrainSource,
    points: RodPoints,
    order: MagnusOrder,
    kept: { readonly constants: KeptValues; readonly steps: KeptValues },
  ) {
    this.symbols = source.symbols;
    const components = new Sampling(source, points, order, kept).components();
    const twist = (pick: (component: SampledComponent) => Expr): Twist => twistFromEntries(components.map(pick));
    this.value = twist(({ value }) => value);
    this.partial = components[0]!.by.map((_, a) => twist(({ by }) => by[a]!));
    this.bias = twist(({ bias }) => bias);
    this.alpha = points.halves.map((_, half) =>
      differenceWeights(order).map((__, j) => twist(({ alpha }) => alpha[half]?.[j] ?? zero).angular),
    );
  }

  /** ξ̇ times the length of the row. */
  rate(): Twist {
    return combineTwists(this.partial, this.symbols.time ? [...this.symbols.qd, one] : this.symbols.qd);
  }

  /** The part of ξ̈ that q̈ causes, times the length of the row. */
  driven(): Twist {
    return combineTwists(this.partial, this.symbols.qdd);
  }
}

class Sampling {
  private readonly source: StrainSource;
  private readonly constants: KeptValues;
  private readonly steps: KeptValues;
  private readonly variables: readonly Expr[];
  private readonly names: readonly string[];
  private readonly weights: readonly (readonly number[])[];
  private readonly section: Expr;
  private readonly length: Expr;
  private readonly halves: readonly RodStretch[];
  private readonly derivatives = new Map<Expr, Expr[]>();

  constructor(
    source: StrainSource,
    points: RodPoints,
    order: MagnusOrder,
    { constants, steps }: { readonly constants: KeptValues; readonly steps: KeptValues },
  ) {
    this.source = source;
    this.constants = constants;
    this.steps = steps;
    const { symbols } = source;
    this.variables = symbols.time ? [...symbols.q, symbols.time] : symbols.q;
    this.names = [...source.names, 'time'];
    this.weights = differenceWeights(order);
    this.section = constants.keep('section', points.section);
    this.length = constants.keep('length', points.weight);
    this.halves = points.halves.map(({ nodes, length }, half) => ({
      nodes: nodes.map((node, i) => constants.keep(`node_${half + 1}_${i + 1}`, node)),
      length: constants.keep(`length_${half + 1}`, length),
    }));
  }

  components(): SampledComponent[] {
    const { strain, retreat } = this.source;
    const sampled = twistEntries(strain).map((f, c) => this.component(f, COMPONENTS[c]!, c < 3));
    if (!retreat) return sampled;
    const stretch = sampled.at(-1)!;
    const by = this.variables.map((q, a) => plus(stretch.by[a]!, differentiateAll([retreat], q)[0]!));
    return [...sampled.slice(0, -1), { ...stretch, value: plus(stretch.value, retreat), by }];
  }

  private component(f: Expr, label: string, turns: boolean): SampledComponent {
    const { constants, steps, variables, names } = this;
    const moving = new Set<Expr>(variables);
    const partials = variables.map((q) => simplest(differentiateAll([f], q)[0]!));
    const isLinear = partials.every((p) => !dependsOn(p, moving));
    const where = isLinear ? constants : steps;
    const rest = isLinear ? substituteOne(f, new Map(variables.map((q) => [q, zero]))) : zero;
    /** A value of the component by name from what has its value for any part of the strain. */
    const valueOf = (name: string, sample: (e: Expr) => Expr): { value: Expr; by: readonly Expr[] } => {
      const by = partials.map((p, a) => where.keep(`${name}_by_${names[a]}`, sample(p)));
      if (!isLinear) return { value: steps.keep(name, sample(f)), by };
      const fixed = constants.keep(`${name}_rest`, sample(rest));
      return { value: steps.keep(name, plus(fixed, ...by.map((p, a) => times(p, variables[a]!)))), by };
    };
    const atSection = (e: Expr): Expr => times(this.length, this.at(e, this.section));
    const alphaOf = (half: RodStretch, i: number): readonly Expr[] =>
      this.weights.map((_, j) => valueOf(`alpha_${i + 1}_${j + 1}_${label}`, (e) => this.difference(e, half, j)).value);
    return {
      ...valueOf(label, atSection),
      bias: isLinear ? zero : atSection(this.secondRate(f)),
      alpha: turns ? this.halves.map(alphaOf) : [],
    };
  }

  private at(e: Expr, place: Expr): Expr {
    return substituteOne(e, new Map([[this.source.axial, place]]));
  }

  private secondRate(f: Expr): Expr {
    const { symbols } = this.source;
    return timeDerivative(timeDerivative([f], symbols), { ...symbols, qdd: symbols.q.map(() => zero) })[0]!;
  }

  /** α_(j+1) of a function of the axial coordinate over a half; exactly zero for polynomials of degree below j. */
  private difference(e: Expr, { nodes, length }: RodStretch, j: number): Expr {
    const { axial } = this.source;
    if (this.derivative(e, j) === zero) return zero;
    if (!dependsOn(e, new Set([axial]))) return times(length, e);
    const terms = this.weights[j]!.map((w, k) => (w === 0 ? zero : times(decimal(w), this.at(e, nodes[k]!))));
    return times(length, plus(...terms));
  }

  /** Along the rod. */
  private derivative(e: Expr, order: number): Expr {
    const known = this.derivatives.get(e) ?? [e];
    this.derivatives.set(e, known);
    for (let j = known.length; j <= order; j++)
      known.push(simplest(differentiateAll([known[j - 1]!], this.source.axial)[0]!));
    return known[order]!;
  }
}
