/**
 * The balance of a section under tendons, f = Σ (ξ − ξ*) + Σ_j q_j g_j − m = 0 with g_j = ∂|ρ'_j|/∂ξ = (d_j × t_j; t_j), and its derivatives:
 * with the strain ξ = (κ, ν), ρ' = ν + κ × d + d', t = ρ'/|ρ'|, u = 1/|ρ'| and D = ∂ρ'/∂ξ, so that Dᵀ w = (d × w; w),
 *   ∂g/∂ξ = u (DᵀD − g gᵀ),   ġ = Dᵀ ṫ with ṫ = u (D ξ̇ − t τ), τ = g · ξ̇,   g̈ = −Dᵀ (2 u τ ṫ + |ṫ|² t) where ξ̈ = 0.
 * Strains that are held have no part in f: vectors and matrices of what is free are over the components that `free` lists.
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
import type { Rational } from '../../symbolic/graph/rational.ts';
import { ratio } from '../../symbolic/graph/rational.ts';
import { addVectors, dot, scaleVector, vector3, type Vector3 } from '../../symbolic/graph/vector.ts';

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
  return { direction, inverse, gradient: transposed([x, y], direction) };
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

/** ξ̇ → ġ, and g̈ where ξ̈ = 0. */
export function tendonRates(
  tendon: TendonAtSection,
  { direction, inverse, gradient }: TendonTangent,
  rate: readonly Expr[],
): { readonly first: readonly Expr[]; readonly second: readonly Expr[]; readonly turn: Vector3 } {
  const along = sumOf(gradient.map((g, c) => times(g, rate[c]!)));
  const turn = scaleVector(
    inverse,
    addVectors(displaced(tendon.place, rate), scaleVector(times(minusOne, along), direction)),
  );
  const twice = scaleVector(times(minusOne, plus(along, along), inverse), turn);
  const bend = scaleVector(negate(dot(turn, turn)), direction);
  return {
    first: transposed(tendon.place, turn),
    second: transposed(tendon.place, addVectors(twice, bend)),
    turn,
  };
}

const sumOf = (terms: readonly Expr[]): Expr => plus(...terms);

/** The balance of a section over whatever stands for its numbers. */
export class SectionBalance {
  readonly tendons: readonly TendonAtSection[];
  private readonly free: readonly number[];
  /** 6 × 6 by rows. */
  private readonly stiffness: readonly Expr[];
  private readonly rest: readonly Expr[];
  readonly stress: readonly Expr[];

  constructor(parts: {
    readonly tendons: readonly TendonAtSection[];
    readonly free: readonly number[];
    readonly stiffness: readonly Expr[];
    readonly rest: readonly Expr[];
    readonly stress: readonly Expr[];
  }) {
    this.tendons = parts.tendons;
    this.free = parts.free;
    this.stiffness = parts.stiffness;
    this.rest = parts.rest;
    this.stress = parts.stress;
  }

  /** Six components from those that are free; the others are at rest. */
  whole(free: readonly Expr[], held: readonly Expr[] = this.rest): readonly Expr[] {
    return held.map((e, c) => free[this.free.indexOf(c)] ?? e);
  }

  /** ξ − ξ* */
  departure(strain: readonly Expr[]): readonly Expr[] {
    return strain.map((e, c) => minus(e, this.rest[c]!));
  }

  /** Of Σ. */
  entry(row: number, column: number): Expr {
    return this.stiffness[6 * row + column]!;
  }

  /** Σ (ξ − ξ*) */
  elastic(departure: readonly Expr[]): readonly Expr[] {
    return departure.map((_, row) => plus(...departure.map((e, column) => times(this.entry(row, column), e))));
  }

  /** What is free of six components. */
  restricted(v: readonly Expr[]): readonly Expr[] {
    return this.free.map((c) => v[c]!);
  }

  /** f and its Jacobian H, lower triangle by rows. */
  at(strain: readonly Expr[]): { readonly residual: readonly Expr[]; readonly jacobian: readonly Expr[][] } {
    const tangents = this.tendons.map((tendon) => tendonTangent(tendon, strain));
    return { residual: this.residual(strain, tangents), jacobian: this.jacobian(tangents) };
  }

  tangents(strain: readonly Expr[]): readonly TendonTangent[] {
    return this.tendons.map((tendon) => tendonTangent(tendon, strain));
  }

  residual(strain: readonly Expr[], tangents = this.tangents(strain)): readonly Expr[] {
    const elastic = this.elastic(this.departure(strain));
    return this.free.map((row) =>
      plus(
        elastic[row]!,
        ...this.tendons.map(({ tension }, j) => times(tension, tangents[j]!.gradient[row]!)),
        negate(this.stress[row]!),
      ),
    );
  }

  jacobian(tangents: readonly TendonTangent[]): readonly Expr[][] {
    const factors = this.tendons.map(({ tension }, j) => times(tension, tangents[j]!.inverse));
    const scaled = tangents.map(({ gradient }, j) => gradient.map((g) => times(factors[j]!, g)));
    return this.free.map((row, i) =>
      this.free
        .slice(0, i + 1)
        .map((column) =>
          plus(
            this.entry(row, column),
            ...this.tendons.flatMap((tendon, j) => [
              times(factors[j]!, squareEntry(tendon, row, column)),
              negate(times(scaled[j]![row]!, tangents[j]!.gradient[column]!)),
            ]),
          ),
        ),
    );
  }

  /** H v of free components. */
  product(jacobian: readonly (readonly Expr[])[], v: readonly Expr[]): readonly Expr[] {
    return v.map((_, i) => plus(...v.map((e, k) => times(jacobian[Math.max(i, k)]![Math.min(i, k)]!, e))));
  }

  /** ∂f/∂q_a where the strain stays. @param slopes ∂m/∂q_a. */
  byCoordinate(a: number, tangents: readonly TendonTangent[], slopes: readonly Expr[]): readonly Expr[] {
    return this.free.map((row) =>
      plus(
        ...this.tendons.map(({ coordinate, passes }, j) =>
          coordinate === a ? times(passes, tangents[j]!.gradient[row]!) : zero,
        ),
        negate(slopes[row]!),
      ),
    );
  }

  /** Second derivative of f along a motion, where ξ̈ = 0 and q̈ = 0. @param rate ξ̇, six components. @param bend of m. */
  secondRate(
    tangents: readonly TendonTangent[],
    rate: readonly Expr[],
    speeds: readonly Expr[],
    bend: readonly Expr[],
  ): readonly Expr[] {
    const rates = this.tendons.map((tendon, j) => tendonRates(tendon, tangents[j]!, rate));
    return this.free.map((row) =>
      plus(
        ...this.tendons.flatMap(({ coordinate, tension, passes }, j) => {
          const speed = times(passes, speeds[coordinate]!);
          return [times(plus(speed, speed), rates[j]!.first[row]!), times(tension, rates[j]!.second[row]!)];
        }),
        negate(bend[row]!),
      ),
    );
  }

  /** Of each tendon the matrix ∂g/∂ξ times a vector of six, six components. */
  turned(tangents: readonly TendonTangent[], v: readonly Expr[]): readonly (readonly Expr[])[] {
    return this.tendons.map((tendon, j) => tendonRates(tendon, tangents[j]!, v).first);
  }

  /** Σ q_j ∂²g_j/∂ξ² along a vector: 6 × 6, lower triangle by rows. */
  jacobianChange(tangents: readonly TendonTangent[], v: readonly Expr[]): readonly Expr[][] {
    const parts = this.tendons.map((tendon, j) => {
      const { inverse, gradient } = tangents[j]!;
      const along = sumOf(gradient.map((g, c) => times(g, v[c]!)));
      const turn = tendonRates(tendon, tangents[j]!, v).first;
      return { factor: times(tendon.tension, inverse), slower: times(inverse, along), gradient, turn, tendon };
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

/** L D Lᵀ of a symmetric matrix: L below its diagonal of ones by rows, and 1/D. */
export interface Factor {
  readonly lower: readonly (readonly Expr[])[];
  readonly inverse: readonly Expr[];
}

/** @param matrix lower triangle by rows, positive definite. */
export function factorise(matrix: readonly (readonly Expr[])[]): Factor {
  const lower: Expr[][] = [];
  const inverse: Expr[] = [];
  const pivots: Expr[] = [];
  matrix.forEach((entries, i) => {
    // L_ik D_k
    const scaled: Expr[] = [];
    const own: Expr[] = [];
    for (let k = 0; k < i; k++) {
      const value = plus(entries[k]!, ...own.map((_, m) => negate(times(scaled[m]!, lower[k]![m] ?? zero))));
      scaled.push(value);
      own.push(times(value, inverse[k]!));
    }
    const pivot = plus(entries[i]!, ...own.map((e, k) => negate(times(e, scaled[k]!))));
    lower.push(own);
    pivots.push(pivot);
    inverse.push(power(pivot, -1));
  });
  return { lower, inverse };
}

/** The matrix divides a vector. */
export function solve({ lower, inverse }: Factor, right: readonly Expr[]): readonly Expr[] {
  const half: Expr[] = [];
  right.forEach((e, i) => half.push(plus(e, ...half.map((h, k) => negate(times(lower[i]![k]!, h))))));
  const result = half.map((e, i) => times(e, inverse[i]!));
  for (let i = result.length - 1; i >= 0; i--)
    result[i] = plus(result[i]!, ...result.flatMap((e, k) => (k > i ? [negate(times(lower[k]![i]!, e))] : [])));
  return result;
}

/** The entries of a factor in one list, and back. */
export function factorEntries({ lower, inverse }: Factor): readonly Expr[] {
  return [...lower.flat(), ...inverse];
}

export function factorFrom(entries: readonly Expr[], size: number): Factor {
  const below = (size * (size - 1)) / 2;
  const lower = Array.from({ length: size }, (_, i) => entries.slice((i * (i - 1)) / 2, (i * (i - 1)) / 2 + i));
  return { lower, inverse: entries.slice(below, below + size) };
}

/** |ṫ|² |ρ'|: the second rate of |ρ'| beside g · ξ̈. */
export function speedBias({ inverse }: TendonTangent, turn: Vector3): Expr {
  return times(power(inverse, -1), sumOf([...vector3(turn)].map(square)));
}
