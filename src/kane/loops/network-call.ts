/** Learned maps evaluated in the rows of loops: what goes in, what comes out, their changes and transposes. */
import type { Network } from '../../network/network.ts';
import type { Expr, SymbolExpr } from '../../symbolic/graph/expr.ts';

/**
 * A learned map evaluated at z with derivatives along directions in the space of z: N(z), ∂N/∂z·d for every direction d,
 * and ∂²N/∂z²[d, d] for one of them. The results are symbols, different in every row.
 */
export interface NetworkCall {
  readonly network: Network;
  readonly inputs: readonly Expr[];
  readonly value: readonly SymbolExpr[];
  readonly directions: readonly { readonly direction: readonly Expr[]; readonly derivative: readonly SymbolExpr[] }[];
  /** Index of the direction along which the second derivative is wanted too, and its symbols. */
  readonly second?: { readonly along: number; readonly derivative: readonly SymbolExpr[] };
  /** How all of it changes when z and the directions do. */
  readonly change?: NetworkChange;
  /** The derivatives of a weighted sum of it, in its place. */
  readonly transpose?: NetworkTranspose;
}

/** Changes of what a learned map is evaluated at, and symbols for those of its results; of either as many as the call has. */
interface NetworkChange {
  readonly inputs: readonly Expr[];
  readonly directions: readonly (readonly Expr[])[];
  /** In the order of the results of the call itself. */
  readonly results: readonly SymbolExpr[];
}

/** The derivatives of Σ weight · result by what a learned map is evaluated at. */
interface NetworkTranspose {
  /** One for each result of the call itself. */
  readonly weights: readonly Expr[];
  /** One for each operand of the call itself, in their order. */
  readonly results: readonly SymbolExpr[];
}

/** What a learned map is evaluated at: z and the directions; the changes of both, or weights. */
export function networkOperands({ inputs, directions, change, transpose }: NetworkCall): readonly Expr[] {
  return [
    ...inputs,
    ...directions.flatMap((d) => d.direction),
    ...(change ? [...change.inputs, ...change.directions.flat()] : []),
    ...(transpose?.weights ?? []),
  ];
}

/**
 * Symbols that a learned map gives values to: N, its derivatives along the directions, its second derivative; their changes behind them,
 * or the transpose in their place.
 */
export function networkResults({ value, directions, second, change, transpose }: NetworkCall): readonly SymbolExpr[] {
  if (transpose) return transpose.results;
  return [
    ...value,
    ...directions.flatMap((d) => d.derivative),
    ...(second?.derivative ?? []),
    ...(change?.results ?? []),
  ];
}

/** What every layer computes: value, derivative along each direction, second derivative, and the changes of these. */
export function networkChannels({ directions, second, change }: NetworkCall): number {
  return (1 + directions.length + (second ? 1 : 0)) * (change ? 2 : 1);
}

/** The call over other operands, with other symbols for its results. */
export function mapNetwork(
  call: NetworkCall,
  ofOperands: (operands: readonly Expr[]) => readonly Expr[],
  ofResult: (result: SymbolExpr) => SymbolExpr = (result) => result,
): NetworkCall {
  const operands = ofOperands(networkOperands(call));
  let taken = 0;
  const take = (count: number): readonly Expr[] => operands.slice(taken, (taken += count));
  const width = call.inputs.length;
  const { network, second, change, transpose } = call;
  return {
    network,
    inputs: take(width),
    value: call.value.map(ofResult),
    directions: call.directions.map(({ derivative }) => ({
      direction: take(width),
      derivative: derivative.map(ofResult),
    })),
    ...(second && { second: { along: second.along, derivative: second.derivative.map(ofResult) } }),
    ...(change && {
      change: {
        inputs: take(width),
        directions: change.directions.map(() => take(width)),
        results: change.results.map(ofResult),
      },
    }),
    ...(transpose && {
      transpose: { weights: take(transpose.weights.length), results: transpose.results.map(ofResult) },
    }),
  };
}
