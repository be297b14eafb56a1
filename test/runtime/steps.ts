/** Equations of motion with everything that steps of time can get wrong, and linear systems solved by elimination. */
import { KG_OK, type Dynamics, type Status } from '../../src/runtime/driver.ts';
import type { StiffSystem } from '../../src/runtime/rosenbrock.ts';

/** x of A x = b by elimination with row pivots; neither is changed. */
export function solved(A: readonly (readonly number[])[], b: readonly number[]): number[] {
  const rows = A.map((row, i) => [...row, b[i]!]);
  const n = rows.length;
  for (let k = 0; k < n; k++) {
    let best = k;
    for (let i = k + 1; i < n; i++) if (Math.abs(rows[i]![k]!) > Math.abs(rows[best]![k]!)) best = i;
    [rows[k], rows[best]] = [rows[best]!, rows[k]!];
    for (let i = 0; i < n; i++) {
      if (i === k) continue;
      const factor = rows[i]![k]! / rows[k]![k]!;
      for (let j = k; j <= n; j++) rows[i]![j]! -= factor * rows[k]![j]!;
    }
  }
  return rows.map((row, i) => row[n]! / row[i]!);
}

/** Two coupled oscillators, neither linear nor without the time; the third sum of their power is the only one. */
export function rates(t: number, y: ArrayLike<number>): number[] {
  const [a, b, u, v] = [y[0]!, y[1]!, y[2]!, y[3]!];
  return [
    u,
    v,
    -4 * Math.sin(a) + b * v - 0.3 * u + Math.cos(2 * t),
    -2 * b * (1 + a * a) - 0.5 * v * Math.abs(v) + 0.7 * t * u,
    u * u + b * Math.sin(t),
  ];
}

/** What a stiff method is told of them: neither exact nor the same everywhere. */
export function jacobian(y: ArrayLike<number>): number[][] {
  const c = 1 + y[0]! * y[0]!;
  return [
    [0, 0, 1, 0],
    [0, 0, 0, 1],
    [-3.5 * c, 0.4, -0.3, 0.2 * y[1]!],
    [-0.6, -2 * c, 0.1, -0.5 * c],
  ];
}

export type Rates = (t: number, y: ArrayLike<number>) => readonly number[];

/** As a stiff system of two coordinates and one sum. */
export function stiff(
  f: Rates = rates,
  J: (y: ArrayLike<number>) => readonly (readonly number[])[] = jacobian,
): StiffSystem {
  let [linear, matrix]: (readonly (readonly number[])[])[] = [[], []];
  const derivative = (t: number, y: Float64Array, out: Float64Array): Status => {
    out.set(f(t, y));
    return KG_OK;
  };
  return {
    coordinates: 2,
    sums: 1,
    derivative,
    linearise(t, y, out) {
      linear = J(y);
      return derivative(t, y, out);
    },
    factor(g) {
      matrix = linear!.map((row, i) => row.map((x, j) => Number(i === j) - g * x));
      return KG_OK;
    },
    solve(g, r, x) {
      const right = [...r.subarray(0, 4)].map((x) => g * x);
      x.set(solved(matrix!, right));
      return KG_OK;
    },
  };
}

/** A driver of which nothing works but what is given. */
export function driver(functions: Partial<Dynamics>): Dynamics {
  return functions as Dynamics;
}
