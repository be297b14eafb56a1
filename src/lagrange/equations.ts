/**
 * Equations of motion from the energies of a robot, in two ways:
 *
 * - by Christoffel symbols, as textbooks have it: M = ∂²T/∂q̇², Γ_ijk = ½ (∂_k M_ij + ∂_j M_ik − ∂_i M_jk),
 *   c_i = Σ_jk Γ_ijk q̇_j q̇_k, g = ∂V/∂q, every entry an expression of its own;
 * - by algorithmic differentiation of Lagrange's equation itself, τ = d/dt ∂T/∂q̇ − ∂T/∂q + ∂V/∂q: gradients by reverse
 *   accumulation, the time derivative along (q̇, q̈). Its cost is a small multiple of that of T, so it grows linearly with
 *   a chain; the strongest form that the Euler–Lagrange method is known to have.
 */
import { differentiateAll, directionalDerivative, gradient } from '../symbolic/graph/differentiate.ts';
import { half, integer, minus, negate, plus, times, zero, type Expr } from '../symbolic/graph/expr.ts';
import { substitute } from '../symbolic/graph/traverse.ts';
import type { FrameTree } from '../straight/mechanism/frame-tree.ts';
import type { Checkpoint, Energies } from './energies.ts';

export type LagrangeMethod = 'christoffel' | 'algorithmic';

/** Terms of τ = M q̈ + c + g, each derived when it is first asked for. */
export interface EquationsOfMotion {
  /** n × n, row-major, symmetric by construction. */
  massMatrix(): readonly Expr[];
  gravity(): readonly Expr[];
  /** c + g. */
  bias(): readonly Expr[];
  inverseDynamics(): readonly Expr[];
}

type Symbols = FrameTree['symbols'];

/** A value computed once, on demand. */
function once<T>(compute: () => T): () => T {
  let value: { readonly result: T } | undefined;
  return () => (value ??= { result: compute() }).result;
}

export function lagrangeEquations(
  energies: Energies,
  symbols: Symbols,
  method: LagrangeMethod,
  checkpoint: Checkpoint,
): EquationsOfMotion {
  const momenta = once(() => gradient(energies.kinetic, symbols.qd));
  const massMatrix = once(() => secondDerivatives(momenta(), symbols, checkpoint));
  const gravity = once(() => gradient(energies.potential, symbols.q));
  if (method === 'christoffel') {
    const centrifugal = once(() => christoffelTerms(massMatrix(), symbols, checkpoint));
    const bias = once(() => centrifugal().map((c, i) => plus(c, gravity()[i]!)));
    return { massMatrix, gravity, bias, inverseDynamics: once(() => product(massMatrix(), symbols.qdd, bias())) };
  }
  const lagrangian = minus(energies.kinetic, energies.potential);
  const forces = (accelerations: readonly Expr[]): Expr[] => {
    const n = symbols.q.length;
    const both = gradient(lagrangian, [...symbols.qd, ...symbols.q]);
    checkpoint('the gradients of the Lagrangian');
    const direction = new Map<Expr, Expr>();
    symbols.q.forEach((q, i) => direction.set(q, symbols.qd[i]!).set(symbols.qd[i]!, accelerations[i]!));
    const rates = directionalDerivative(both.slice(0, n), direction);
    checkpoint('the rates of the momenta');
    return rates.map((rate, i) => minus(rate, both[n + i]!));
  };
  return {
    massMatrix,
    gravity,
    bias: once(() => forces(symbols.qdd.map(() => zero))),
    inverseDynamics: once(() => forces(symbols.qdd)),
  };
}

/** ∂p_i/∂q̇_j for i ≤ j, mirrored. T is quadratic in the rates, so the second derivative is taken at rest. */
function secondDerivatives(momenta: readonly Expr[], { qd }: Symbols, checkpoint: Checkpoint): Expr[] {
  const n = qd.length;
  const atRest = new Map<Expr, Expr>(qd.map((rate) => [rate, zero]));
  const matrix = new Array<Expr>(n * n).fill(zero);
  qd.forEach((rate, j) => {
    const column = substitute(differentiateAll(momenta.slice(0, j + 1), rate), atRest);
    column.forEach((entry, i) => (matrix[n * i + j] = matrix[n * j + i] = entry));
    checkpoint(`column ${j + 1} of ${n} of the mass matrix`);
  });
  return matrix;
}

/** c_i = Σ_j Γ_ijj q̇_j² + 2 Σ_{j<k} Γ_ijk q̇_j q̇_k */
function christoffelTerms(matrix: readonly Expr[], { q, qd }: Symbols, checkpoint: Checkpoint): Expr[] {
  const n = q.length;
  const derivatives = q.map((coordinate, k) => {
    const values = differentiateAll(matrix, coordinate);
    checkpoint(`the derivative of the mass matrix in coordinate ${k + 1} of ${n}`);
    return values;
  });
  const entry = (i: number, j: number, k: number): Expr => derivatives[k]![n * i + j]!;
  const symbolOf = (i: number, j: number, k: number): Expr =>
    times(half, plus(entry(i, j, k), entry(i, k, j), negate(entry(j, k, i))));
  return q.map((_, i) => {
    const terms: Expr[] = [];
    for (let j = 0; j < n; j++)
      for (let k = j; k < n; k++) terms.push(times(j === k ? ONE : TWO, symbolOf(i, j, k), qd[j]!, qd[k]!));
    checkpoint(`the Christoffel symbols of coordinate ${i + 1} of ${n}`);
    return plus(...terms);
  });
}

const ONE = integer(1);
const TWO = integer(2);

/** M v + rest */
function product(matrix: readonly Expr[], v: readonly Expr[], rest: readonly Expr[]): Expr[] {
  const n = v.length;
  return v.map((_, i) => plus(...v.map((entry, j) => times(matrix[n * i + j]!, entry)), rest[i]!));
}
