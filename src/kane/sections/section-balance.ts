/**
 * The balance of a section under tendons, f = Σ (ξ − ξ*) + Σ_j q_j g_j − m + e = 0 with g_j = ∂|ρ'_j|/∂ξ = (d_j × t_j; t_j), and its derivatives:
 * with the strain ξ = (κ, ν), ρ' = ν + κ × d + d', t = ρ'/|ρ'|, u = 1/|ρ'| and D = ∂ρ'/∂ξ, so that Dᵀ w = (d × w; w),
 *   ∂g/∂ξ = u (DᵀD − g gᵀ),   ġ = Dᵀ ṫ with ṫ = u (D ξ̇ − t τ), τ = g · ξ̇,   g̈ = −Dᵀ (2 u τ ṫ + |ṫ|² t) where ξ̈ = 0.
 * e are formulas of the strain (section-formulas.ts); equations of any kind are e alone. Strains that are held have no part in
 * f: vectors and matrices of what is free are over the components that `free` lists.
 */
import {
  minus,
  minusOne,
  negate,
  one,
  plus,
  power,
  square,
  times,
  zero,
  type Expr,
} from '../../symbolic/graph/expr.ts';
import { differentiateAll, directionalDerivative } from '../../symbolic/graph/differentiate.ts';
import type { Rational } from '../../symbolic/graph/rational.ts';
import { ratio } from '../../symbolic/graph/rational.ts';
import { addVectors, dot, scaleVector, vector3, type Vector3 } from '../../symbolic/graph/vector.ts';
import { factorise, type Factor } from './section-factor.ts';
import type { SectionFormulas } from './section-formulas.ts';

/** A tendon at one section. */
export interface TendonAtSection {
  /** Index of its coordinate. */
  readonly coordinate: number;
  /** q, or 0 where it does not pass; and 1 or 0. */
  readonly tension: Expr;
  readonly passes: Expr;
  /** d and d', in the plane of the section. */
  readonly place: readonly [Expr, Expr];
  readonly slope: readonly [Expr, Expr];
  /** x², x y, y² and x² + y². */
  readonly squares: readonly [Expr, Expr, Expr, Expr];
}

/** What the strain of a section makes of a tendon. */
export interface TendonTangent {
  /** t and 1/|ρ'| */
  readonly direction: Vector3;
  readonly inverse: Expr;
  /** g */
  readonly gradient: readonly Expr[];
}

const INVERSE_ROOT: Rational = ratio(-1, 2);

/** @param strain six components. */
export function tendonTangent({ place: [x, y], slope }: TendonAtSection, strain: readonly Expr[]): TendonTangent {
  const [kx, ky, kz, nx, ny, nz] = strain as [Expr, Expr, Expr, Expr, Expr, Expr];
  const tangent: Vector3 = [
    plus(nx, negate(times(kz, y)), slope[0]),
    plus(ny, times(kz, x), slope[1]),
    plus(nz, minus(times(kx, y), times(ky, x))),
  ];
  const inverse = power(dot(tangent, tangent), INVERSE_ROOT);
  const direction = scaleVector(inverse, tangent);
  return tendonTangentFrom([x, y], direction, inverse);
}

export function tendonTangentFrom(place: readonly [Expr, Expr], direction: Vector3, inverse: Expr): TendonTangent {
  return { direction, inverse, gradient: transposed(place, direction) };
}

/** Dᵀ w */
function transposed([x, y]: readonly [Expr, Expr], w: Vector3): readonly Expr[] {
  return [times(y, w[2]), negate(times(x, w[2])), minus(times(x, w[1]), times(y, w[0])), ...w];
}

/** D v */
function displaced([x, y]: readonly [Expr, Expr], v: readonly Expr[]): Vector3 {
  const [kx, ky, kz, nx, ny, nz] = v as [Expr, Expr, Expr, Expr, Expr, Expr];
  return [minus(nx, times(kz, y)), plus(ny, times(kz, x)), plus(nz, minus(times(kx, y), times(ky, x)))];
}

/** Entry of DᵀD. */
function squareEntry({ place: [x, y], squares }: TendonAtSection, row: number, column: number): Expr {
  const [a, b] = row <= column ? [row, column] : [column, row];
  const [xx, xy, yy, rr] = squares;
  const known: Readonly<Record<string, Expr>> = {
    ...{ '0,0': yy, '0,1': negate(xy), '1,1': xx, '2,2': rr, '3,3': one, '4,4': one, '5,5': one },
    ...{ '0,5': y, '1,5': negate(x), '2,3': negate(y), '2,4': x },
  };
  return known[`${a},${b}`] ?? zero;
}

/** ξ̇ → ṫ, and τ = g · ξ̇. */
export function tendonTurn(
  { place }: TendonAtSection,
  { direction, inverse }: TendonTangent,
  rate: readonly Expr[],
): { readonly turn: Vector3; readonly along: Expr } {
  const moved = displaced(place, rate);
  const along = dot(direction, moved);
  return { turn: scaleVector(inverse, addVectors(moved, scaleVector(negate(along), direction))), along };
}

const sumOf = (terms: readonly Expr[]): Expr => plus(...terms);

/** What a balance is of, over whatever stands for its numbers. */
interface BalanceParts {
  readonly tendons: readonly TendonAtSection[];
  readonly free: readonly number[];
  /** 6 × 6 by rows. */
  readonly stiffness: readonly Expr[];
  readonly rest: readonly Expr[];
  readonly stress: readonly Expr[];
  readonly formulas?: SectionFormulas;
  /** Are the formulas the equations, with nothing beside them? */
  readonly isAlone: boolean;
  readonly q: readonly Expr[];
}

/** Tangents of all tendons at a strain, and this strain; and ξ − ξ*, of which as many digits are known as there are of a strain that is small. */
export interface SectionState {
  readonly strain: readonly Expr[];
  readonly departure: readonly Expr[];
  readonly tangents: readonly TendonTangent[];
}

/** The balance of a section over whatever stands for its numbers. */
export class SectionBalance {
  readonly tendons: readonly TendonAtSection[];
  readonly formulas: SectionFormulas | undefined;
  readonly isSymmetric: boolean;
  private readonly parts: BalanceParts;
  private readonly free: readonly number[];

  constructor(parts: BalanceParts) {
    this.parts = parts;
    this.tendons = parts.tendons;
    this.formulas = parts.formulas;
    this.free = parts.free;
    this.isSymmetric = parts.formulas?.isGradient ?? true;
  }

  /** Six components from those that are free; the others are at rest. */
  whole(free: readonly Expr[], held: readonly Expr[] = this.parts.rest): readonly Expr[] {
    return held.map((e, c) => free[this.free.indexOf(c)] ?? e);
  }

  /** ξ − ξ* */
  departure(strain: readonly Expr[]): readonly Expr[] {
    return strain.map((e, c) => minus(e, this.parts.rest[c]!));
  }

  /** ξ, from how far it departs from rest. */
  strainAt(departure: readonly Expr[]): readonly Expr[] {
    return departure.map((e, c) => plus(this.parts.rest[c]!, e));
  }

  /** Of Σ. */
  entry(row: number, column: number): Expr {
    return this.parts.stiffness[6 * row + column]!;
  }

  /** Σ (ξ − ξ*) */
  elastic(departure: readonly Expr[]): readonly Expr[] {
    return departure.map((_, row) => plus(...departure.map((e, column) => times(this.entry(row, column), e))));
  }

  /** What is free of six components. */
  restricted(v: readonly Expr[]): readonly Expr[] {
    return this.free.map((c) => v[c]!);
  }

  /** @param departure from rest, which has more digits than the difference. */
  at(strain: readonly Expr[], departure: readonly Expr[] = this.departure(strain)): SectionState {
    return { strain, departure, tangents: this.tendons.map((tendon) => tendonTangent(tendon, strain)) };
  }

  /** f */
  residual({ strain, departure, tangents }: SectionState): readonly Expr[] {
    const { formulas, stress, isAlone } = this.parts;
    const own = formulas?.residual(strain);
    if (own && isAlone) return own;
    const elastic = this.elastic(departure);
    return this.free.map((row, i) =>
      plus(
        elastic[row]!,
        ...this.tendons.map(({ tension }, j) => times(tension, tangents[j]!.gradient[row]!)),
        negate(stress[row]!),
        own?.[i] ?? zero,
      ),
    );
  }

  /** H = ∂f/∂ξ by rows: the lower triangle of a symmetric one. */
  jacobian({ strain, tangents }: SectionState): readonly (readonly Expr[])[] {
    const { formulas, isAlone } = this.parts;
    const own = formulas?.jacobian(strain);
    const factors = this.tendons.map(({ tension }, j) => times(tension, tangents[j]!.inverse));
    const scaled = tangents.map(({ gradient }, j) => gradient.map((g) => times(factors[j]!, g)));
    return this.free.map((row, i) =>
      this.free
        .slice(0, this.isSymmetric ? i + 1 : undefined)
        .map((column, k) =>
          plus(
            isAlone ? zero : this.entry(row, column),
            ...this.tendons.flatMap((tendon, j) => [
              times(factors[j]!, squareEntry(tendon, row, column)),
              negate(times(scaled[j]![row]!, tangents[j]!.gradient[column]!)),
            ]),
            own?.[i]![k] ?? zero,
          ),
        ),
    );
  }

  factor(state: SectionState): Factor {
    return factorise(this.jacobian(state), this.isSymmetric);
  }

  /** H v of free components. */
  product(jacobian: readonly (readonly Expr[])[], v: readonly Expr[]): readonly Expr[] {
    const entry = (i: number, k: number): Expr =>
      this.isSymmetric ? jacobian[Math.max(i, k)]![Math.min(i, k)]! : jacobian[i]![k]!;
    return v.map((_, i) => plus(...v.map((e, k) => times(entry(i, k), e))));
  }

  /** ∂f/∂q_a where the strain stays. */
  byCoordinate(a: number, { strain, tangents }: SectionState): readonly Expr[] {
    const { stress, q, formulas, isAlone } = this.parts;
    const own = formulas?.byCoordinate(a, strain);
    if (own && isAlone) return own;
    const slopes = differentiateAll(stress, q[a]!);
    return this.free.map((row, i) =>
      plus(
        ...this.tendons.map(({ coordinate, passes }, j) =>
          coordinate === a ? times(passes, tangents[j]!.gradient[row]!) : zero,
        ),
        negate(slopes[row]!),
        own?.[i] ?? zero,
      ),
    );
  }

  /** Second derivative of f along a motion, where ξ̈ = 0 and q̈ = 0. @param rate ξ̇, six components. @param speeds q̇. */
  secondRate({ strain, tangents }: SectionState, rate: readonly Expr[], speeds: readonly Expr[]): readonly Expr[] {
    const { stress, q, formulas } = this.parts;
    const along = new Map<Expr, Expr>(q.map((own, a) => [own, speeds[a]!]));
    const bend = directionalDerivative(directionalDerivative(stress, along), along);
    const own = formulas?.secondRate(strain, rate, speeds);
    // 2 q̇ ġ + q g̈, before Dᵀ.
    const pulls = this.tendons.map((tendon, j) => {
      const { coordinate, tension, passes, place } = tendon;
      const { direction, inverse } = tangents[j]!;
      const { turn, along: rateAlong } = tendonTurn(tendon, tangents[j]!, rate);
      const speed = times(passes, speeds[coordinate]!);
      const ofTurn = minus(speed, times(tension, inverse, rateAlong));
      const ofDirection = negate(times(tension, dot(turn, turn)));
      return transposed(
        place,
        addVectors(scaleVector(plus(ofTurn, ofTurn), turn), scaleVector(ofDirection, direction)),
      );
    });
    return this.free.map((row, i) => plus(...pulls.map((pull) => pull[row]!), negate(bend[row]!), own?.[i] ?? zero));
  }

  /**
   * Second derivatives of f · λ: by ξ twice (6 × 6), by ξ and each coordinate (six components), by two coordinates.
   * @param load λ, six components.
   */
  second(
    state: SectionState,
    load: readonly Expr[],
  ): {
    readonly bySection: readonly (readonly Expr[])[];
    readonly mixed: readonly (readonly Expr[])[];
    byCoordinates(a: number, b: number): Expr;
  } {
    const { strain, tangents } = state;
    const { stress, q, formulas, free } = this.parts;
    const own = formulas?.second(strain, this.restricted(load));
    const ofTendons = this.jacobianChange(tangents, load);
    const turned = this.tendons.map((tendon, j) =>
      transposed(tendon.place, tendonTurn(tendon, tangents[j]!, load).turn),
    );
    const place = (c: number): number => free.indexOf(c);
    const spread = (v: readonly Expr[] | undefined, c: number): Expr => (v && v[place(c)]) ?? zero;
    return {
      bySection: load.map((_, row) =>
        load.map((__, column) =>
          plus(
            ofTendons[Math.max(row, column)]![Math.min(row, column)]!,
            place(row) < 0 ? zero : spread(own?.bySection[place(row)], column),
          ),
        ),
      ),
      mixed: q.map((_, a) =>
        load.map((__, c) =>
          plus(
            ...this.tendons.map(({ coordinate, passes }, j) =>
              coordinate === a ? times(passes, turned[j]![c]!) : zero,
            ),
            spread(own?.mixed[a], c),
          ),
        ),
      ),
      byCoordinates: (a, b) => {
        const curved = differentiateAll(differentiateAll(stress, q[a]!), q[b]!);
        return plus(negate(sumOf(load.map((e, c) => times(e, curved[c]!)))), own?.byCoordinates(a, b) ?? zero);
      },
    };
  }

  /** Σ q_j ∂²g_j/∂ξ² along a vector: 6 × 6, lower triangle by rows. */
  private jacobianChange(tangents: readonly TendonTangent[], v: readonly Expr[]): readonly Expr[][] {
    const parts = this.tendons.map((tendon, j) => {
      const { inverse, gradient } = tangents[j]!;
      const { turn, along } = tendonTurn(tendon, tangents[j]!, v);
      const turned = transposed(tendon.place, turn);
      return { factor: times(tendon.tension, inverse), slower: times(inverse, along), gradient, turn: turned, tendon };
    });
    return Array.from({ length: 6 }, (_, row) =>
      Array.from({ length: row + 1 }, (__, column) =>
        plus(
          ...parts.map(({ factor, slower, gradient, turn, tendon }) =>
            times(
              minusOne,
              factor,
              plus(
                times(slower, squareEntry(tendon, row, column)),
                negate(times(slower, gradient[row]!, gradient[column]!)),
                times(turn[row]!, gradient[column]!),
                times(gradient[row]!, turn[column]!),
              ),
            ),
          ),
        ),
      ),
    );
  }
}

/** |ṫ|² |ρ'|: the second rate of |ρ'| beside g · ξ̈. */
export function speedBias({ inverse }: TendonTangent, turn: Vector3): Expr {
  return times(power(inverse, -1), sumOf([...vector3(turn)].map(square)));
}
