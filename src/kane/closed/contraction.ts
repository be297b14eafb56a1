/**
 * Body model by contraction: with p = Σ_i β_i b_i and the total acceleration of a material point Σ_j β_j A_j,
 *   F = Σ w_j A_j,   N = Σ_i b_i × Z_i,   π_a = Σ_i b_(a,i) · Z_i,   Z_i = Σ_j W_ij A_j:
 * no tensor is formed, the cost is linear in the number of coordinates (docs/mathematics.md, "Separate, and contract").
 * Derivatives of β with respect to its Stumpff argument are functions of their own.
 */
import { half, minusOne, negate, plus, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import {
  addVectors,
  cross,
  dot,
  multiplyVector,
  scaleVector,
  zeroVector,
  type Matrix3,
  type Symmetric3,
  type Vector3,
  vector3,
} from '../../symbolic/graph/vector.ts';
import type { RodIntegrals } from '../../integration/exact/gram.ts';
import { differentiateCombination, single, type MaterialCombination } from '../../integration/exact/gram.ts';
import type { MaterialForm } from '../../integration/exact/material-form.ts';
import type { BodyModel } from '../body/body-model.ts';
import type { ShapeIntegrals } from './shape-integrals.ts';
import { NameProposals, xyz } from '../equations/names.ts';
import { timeDerivative, type CoordinateSymbols } from '../equations/rates.ts';
import type { BodyWrench, MassMoments, Motion } from '../equations/recursion.ts';

/** A vector field over the body: Σ coefficient · material function, by index into the family. */
type Field = ReadonlyMap<number, Vector3>;

/** Material functions that the fields of a body are combinations of, with their derivatives and integrals. */
export interface FieldFamily {
  /** Coefficients of the position, one per function from index 1 on; index 0 is the constant function. */
  readonly form: readonly { readonly coefficient: Vector3 }[];
  /** What function i contains of the coordinates: scalars, each with the index of the derivative with respect to it. */
  scalars(index: number): readonly FunctionScalar[];
  /** W_ij = ∫ β_i β_j dm */
  product(i: number, j: number): Expr;
  /** Those that were asked for, by `i,j`. */
  readonly products?: ReadonlyMap<string, Expr>;
}

export interface FunctionScalar {
  readonly value: Expr;
  readonly derivative: number;
}

/** The material functions of a body with their first and second derivatives in the Stumpff argument, and their integrals. */
export class MaterialFamily implements FieldFamily {
  readonly form: MaterialForm;
  /** 0: the constant function; then those of the form; then derivatives as they are needed. */
  private readonly combinations: MaterialCombination[] = [];
  private readonly derivatives = new Map<number, number>();
  private readonly integrals: RodIntegrals;
  readonly products = new Map<string, Expr>();

  constructor(form: MaterialForm, integrals: RodIntegrals) {
    this.form = form;
    this.integrals = integrals;
    this.combinations.push(single({ x: 0, y: 0, s: 0 }));
    for (const t of form) this.combinations.push(single(t.function));
  }

  static readonly constant = 0;

  /** χ and ∂β/∂χ, where it does not vanish. */
  scalars(index: number): readonly FunctionScalar[] {
    const value = this.combinations[index]!.parts.find((part) => part.function.argument)?.function.argument;
    if (!value) return [];
    const derivative = this.derivative(index);
    return derivative === undefined ? [] : [{ value, derivative }];
  }

  private derivative(index: number): number | undefined {
    const known = this.derivatives.get(index);
    if (known !== undefined) return known;
    const combination = differentiateCombination(this.combinations[index]!);
    if (combination.parts.length === 0) return undefined;
    this.combinations.push(combination);
    this.derivatives.set(index, this.combinations.length - 1);
    return this.combinations.length - 1;
  }

  product(i: number, j: number): Expr {
    const key = i < j ? `${i},${j}` : `${j},${i}`;
    const known = this.products.get(key);
    if (known) return known;
    const value = this.integrals.product(this.combinations[Math.min(i, j)]!, this.combinations[Math.max(i, j)]!);
    this.products.set(key, value);
    return value;
  }
}

function addField(into: Map<number, Vector3>, index: number, v: Vector3): void {
  if (v.every((e) => e === zero)) return;
  const before = into.get(index);
  into.set(index, before ? addVectors(before, v) : v);
}

/** Fields of position, partial derivatives, velocity and acceleration of a body in separated form. */
export class BodyFields {
  readonly family: FieldFamily;
  readonly symbols: CoordinateSymbols;
  readonly position: Field;
  /** ∂p/∂q_a */
  readonly partial: readonly Field[];

  constructor(family: FieldFamily, symbols: CoordinateSymbols) {
    this.family = family;
    this.symbols = symbols;
    this.position = new Map(family.form.map((t, i) => [i + 1, t.coefficient]));
    this.partial = symbols.q.map((q) => this.differentiated((entries) => differentiateAll(entries, q)));
  }

  /** Derivative of the position field by a derivation on expressions: b' β + Σ (θ' b) ∂β/∂θ. */
  private differentiated(derivation: (entries: readonly Expr[]) => Expr[]): Field {
    const result = new Map<number, Vector3>();
    this.family.form.forEach((t, i) => {
      addField(result, i + 1, vector3(derivation(t.coefficient)));
      for (const { value, derivative } of this.family.scalars(i + 1)) {
        const [rate] = derivation([value]) as [Expr];
        if (rate !== zero) addField(result, derivative, scaleVector(rate, t.coefficient));
      }
    });
    return result;
  }

  /** ṗ relative to the proximal frame. */
  velocity(): Field {
    return this.differentiated((entries) => timeDerivative(entries, this.symbols));
  }

  /** p̈ relative to the proximal frame: b̈ β + Σ_k (2 θ̇_k ḃ + θ̈_k b) ∂β/∂θ_k + Σ_kl θ̇_k θ̇_l b ∂²β/∂θ_k∂θ_l. */
  acceleration(): Field {
    const result = new Map<number, Vector3>();
    const rateOf = (e: Expr): Expr => timeDerivative([e], this.symbols)[0]!;
    this.family.form.forEach((t, i) => {
      const b = t.coefficient;
      const bDot = vector3(timeDerivative(b, this.symbols));
      addField(result, i + 1, vector3(timeDerivative(bDot, this.symbols)));
      for (const first of this.family.scalars(i + 1)) {
        const rate = rateOf(first.value);
        const second = rateOf(rate);
        addField(result, first.derivative, addVectors(scaleVector(plus(rate, rate), bDot), scaleVector(second, b)));
        for (const { value, derivative } of this.family.scalars(first.derivative))
          addField(result, derivative, scaleVector(times(rate, rateOf(value)), b));
      }
    });
    return result;
  }

  /** Σ_j W_ij A_j */
  contract(i: number, field: Field): Vector3 {
    return addVectors(zeroVector, ...[...field].map(([j, v]) => scaleVector(this.family.product(i, j), v)));
  }

  /** ∫ f · g dm */
  inner(f: Field, g: Field): Expr {
    return plus(...[...f].map(([i, v]) => dot(v, this.contract(i, g))));
  }

  /** ∫ f × g dm */
  outer(f: Field, g: Field): Vector3 {
    return addVectors(zeroVector, ...[...f].map(([i, v]) => cross(v, this.contract(i, g))));
  }

  /** ∫ f dm */
  total(f: Field): Vector3 {
    return this.contract(MaterialFamily.constant, f);
  }

  /** ∫ (p·p 1 − p pᵀ) dm */
  inertia(): Symmetric3 {
    const moment = (r: number, c: number): Expr => {
      const terms: Expr[] = [];
      for (const [i, v] of this.position)
        for (const [j, u] of this.position) terms.push(times(this.family.product(i, j), v[r]!, u[c]!));
      return plus(...terms);
    };
    const [xx, yy, zz] = [moment(0, 0), moment(1, 1), moment(2, 2)];
    return [plus(yy, zz), plus(xx, zz), plus(xx, yy), negate(moment(0, 1)), negate(moment(0, 2)), negate(moment(1, 2))];
  }

  shapeIntegrals(): ShapeIntegrals {
    return {
      mass: this.family.product(MaterialFamily.constant, MaterialFamily.constant),
      first: this.total(this.position),
      inertia: this.inertia(),
      angular: this.partial.map((p) => this.outer(this.position, p)),
      gram: this.partial.map((a, i) => this.partial.map((b, j) => (i <= j ? this.inner(a, b) : this.inner(b, a)))),
      gyroscopic: this.partial.map((a, i) =>
        this.partial.map((b, j) =>
          i === j ? zeroVector : i < j ? this.outer(a, b) : scaleVector(minusOne, this.outer(b, a)),
        ),
      ),
    };
  }
}

const lastWord = (symbol: Expr): string => (symbol.kind === 'symbol' ? symbol.name.replace(/^.*\./, '') : '');

export class ContractionModel implements BodyModel {
  readonly method: string = 'contraction of Gram integrals';
  private readonly fields: BodyFields;
  private readonly proposals = new NameProposals();

  constructor(fields: BodyFields) {
    this.fields = fields;
  }

  get moments(): MassMoments {
    const { fields } = this;
    return {
      mass: fields.family.product(MaterialFamily.constant, MaterialFamily.constant),
      first: fields.total(fields.position),
      inertia: fields.inertia(),
    };
  }

  quantities(): ReadonlyMap<Expr, string> {
    const { family, position, partial, symbols } = this.fields;
    this.nameField('shape', position);
    partial.forEach((field, a) => this.nameField('shape', field, `_by_${lastWord(symbols.q[a]!)}`));
    for (const [key, value] of family.products ?? []) this.proposals.add([value], [`gram_${key.replace(',', '_')}`]);
    return this.proposals.names;
  }

  private nameField(stem: string, field: Field, suffix = ''): void {
    for (const [i, v] of field)
      this.proposals.add(
        v,
        xyz(`${stem}${i}`).map((name) => `${name}${suffix}`),
      );
  }

  /** Wrench of an acceleration field over the body. @param name of its reactions, where they have one. */
  private respond(acceleration: Field, name?: string): BodyWrench {
    const { fields } = this;
    const reactions = new Map<number, Vector3>();
    const reaction = (i: number): Vector3 => {
      const known = reactions.get(i) ?? fields.contract(i, acceleration);
      reactions.set(i, known);
      if (name !== undefined) this.proposals.add(known, xyz(`${name}${i}`));
      return known;
    };
    return {
      force: reaction(MaterialFamily.constant),
      moment: addVectors(zeroVector, ...[...fields.position].map(([i, b]) => cross(b, reaction(i)))),
      generalized: fields.partial.map((partial) => plus(...[...partial].map(([i, b]) => dot(b, reaction(i))))),
    };
  }

  wrench(motion: Motion, spin: Matrix3): BodyWrench {
    const { fields } = this;
    const total = new Map<number, Vector3>([[MaterialFamily.constant, motion.acceleration]]);
    const w = motion.angularVelocity;
    for (const [i, b] of fields.position) addField(total, i, multiplyVector(spin, b));
    for (const [i, v] of fields.velocity()) addField(total, i, cross(addVectors(w, w), v));
    const relative = fields.acceleration();
    for (const [i, a] of relative) addField(total, i, a);
    this.nameField('shape_dot', fields.velocity());
    this.nameField('shape_ddot', relative);
    this.nameField('acceleration', total);
    return this.respond(total, 'reaction');
  }

  weight(acceleration: Vector3): BodyWrench {
    return this.respond(new Map([[MaterialFamily.constant, acceleration]]));
  }

  get unitWrenches(): readonly BodyWrench[] {
    return this.fields.partial.map((partial) => this.respond(partial));
  }

  kineticEnergy(w: Vector3, v: Vector3): Expr {
    const { fields } = this;
    const total = new Map<number, Vector3>([[MaterialFamily.constant, v]]);
    for (const [i, b] of fields.position) addField(total, i, cross(w, b));
    for (const [i, rate] of fields.velocity()) addField(total, i, rate);
    return times(half, fields.inner(total, total));
  }
}
