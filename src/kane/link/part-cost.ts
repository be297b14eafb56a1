/**
 * What inverse dynamics of a body costs, loops included: the number by which the compiler chooses between ways to the same
 * result. What depends on parameters alone is free.
 */
import { countOperations, totalOperations } from '../../symbolic/graph/cost.ts';
import { children, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { postorder } from '../../symbolic/graph/traverse.ts';
import type { BodyPart } from '../body/body-part.ts';
import { LinkKernelBuilder } from './link-builder.ts';
import { inputSymbols, type LinkParts } from './link-parts.ts';
import type { LinkCoordinate } from '../kernels/link-type.ts';
import { loopExpressions, loopsNeeded, type Loop, type RowTable, type RowWrite } from '../loops/loop.ts';
import { networkChannels, networkResults, type NetworkCall } from '../loops/network-call.ts';
import { operationsPerRow } from '../loops/row-constants.ts';

export interface PartCost {
  /** Operations of inverse dynamics in one call of a link with nothing but the body. */
  readonly operations: number;
  /** Rows of the loops among them, and operations per row of all loops over these rows together. */
  readonly rows: number;
  readonly perRow: number;
  /** Numbers per row that are integrated along the rows, see integralOperations; contained in perRow. */
  readonly integrals: number;
}

export function costOfPart(
  body: BodyPart,
  coordinates: readonly LinkCoordinate[],
  parameters: readonly SymbolExpr[],
): PartCost {
  const bodyCoordinates = coordinates.map((_, i) => i);
  const parts: LinkParts = {
    jointSteps: [],
    body,
    coordinates,
    bodyCoordinates,
    forces: [],
    actuations: [],
    drives: [],
  };
  const builder = new LinkKernelBuilder(parts, inputSymbols(parts, parameters));
  const kernels = [builder.acceleration('direct'), builder.backward()];
  const values = kernels.flatMap((k) => k.outputs.flatMap((o) => [...o.values]));
  const written = kernels.flatMap((k) => [...(k.loops ?? [])]);
  const loops = loopsNeeded(body.loops(), values, written).filter((loop) => loop.stage > 0);
  const known = new Set<Expr>(parameters);
  for (const loop of body.loops()) if (loop.stage === 0) for (const sum of loop.sums) known.add(sum.symbol);
  const outside = totalOperations(countOperations(values, constantNodes(values, known)));
  const inLoops = loops.map((loop) => ({ rows: loop.table.rows, perRow: costOfRow(loop) }));
  return {
    operations: outside + inLoops.reduce((sum, l) => sum + l.rows * l.perRow, 0),
    rows: Math.max(0, ...inLoops.map((l) => l.rows)),
    perRow: inLoops.reduce((sum, l) => sum + l.perRow, 0),
    integrals: loops.flatMap(({ writes }) => writes).reduce((sum, write) => sum + integralsOf(write), 0),
  };
}

/** Operations of one row of a loop, apart from what is the same in every row. */
export function costOfRow(loop: Loop): number {
  const differs = new Set<Expr>([
    ...loop.table.columns.map((c) => c.symbol),
    ...loop.reads.flatMap((array) => [...array.columns]),
    ...loop.carried.map((c) => c.symbol),
    ...loop.networks.flatMap(networkResults),
  ]);
  const values = loopExpressions(loop).filter((e) => !loop.carried.some((c) => c.initial === e));
  return (
    operationsPerRow(values, differs) +
    loop.sums.length +
    loop.writes.reduce((sum, write) => sum + integralsOf(write) * integralOperations(loop.table), 0) +
    loop.networks.reduce((sum, call) => sum + costOfNetwork(call), 0)
  );
}

function integralsOf({ array, integrated }: RowWrite): number {
  return integrated ? array.columns.length : 0;
}

/** Operations per row of one integral along the rows. */
export function integralOperations({ integration }: RowTable): number {
  return integration ? 2 * Math.ceil(integration.block / 2) + 4 : 0;
}

function costOfNetwork(call: NetworkCall): number {
  return call.network.layers.reduce((sum, layer) => sum + 2 * networkChannels(call) * layer.inputs * layer.outputs, 0);
}

/** Predicate: does the node depend on `known` only? */
function constantNodes(roots: readonly Expr[], known: ReadonlySet<Expr>): (e: Expr) => boolean {
  const constant = new Set<Expr>();
  for (const e of postorder(roots)) {
    const leaf = e.kind === 'symbol' ? known.has(e) : children(e).every((o) => constant.has(o));
    if (leaf) constant.add(e);
  }
  return (e) => constant.has(e);
}
