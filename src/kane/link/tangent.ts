/**
 * Changes of what kernels compute along a direction: kernels whose outputs are the directional derivatives of those of others, by one
 * traversal of their expressions (forward mode, Griewank & Walther, Evaluating Derivatives, 2008, ch. 3). They are linear in the
 * direction; everything else in them is known once the motion is.
 *
 * The change of a loop is a loop over the same rows: it carries the same values, each with its change, and leaves changes of
 * sums and arrays.
 */
import { recordOf } from '../../common/tuples.ts';
import { directionalDerivative } from '../../symbolic/graph/differentiate.ts';
import { plus, symbol, times, zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import {
  differentiable,
  loopsNeeded,
  thawed,
  type CarriedValue,
  type Loop,
  type LoopSum,
  type RowArray,
  type RowWrite,
} from '../loops/loop.ts';
import { networkOperands, networkResults, type NetworkCall } from '../loops/network-call.ts';
import { withOwnNetworks } from '../loops/relabel.ts';
import { TANGENTS, tangentOf, type Buffer, type TangentBuffer } from '../kernels/buffers.ts';
import { COORDINATES, derivativeKernels, IN_WATER } from '../kernels/derivative-kernels.ts';
import type { InputBuffer, Kernel, KernelName, LinkType, OutputBuffer } from '../kernels/link-type.ts';

/** Kernels along parameters that only robots have whose run-time parameters move what is held between links. */
export const OF_PLACES: readonly KernelName[] = ['poseVariation', 'transmitVariation'];
/** The same where velocities count there: of contacts. */
export const OF_MOVING_PLACES: readonly KernelName[] = ['motionVariation'];

/** What changes of parameters change on their way through the links. */
const VARIED: ReadonlySet<Buffer> = new Set(
  derivativeKernels('Variation')
    .flatMap(({ reads }) => reads)
    .filter((buffer) => !COORDINATES.includes(buffer)),
);

/** What links of robots in water have in the place of a kernel; of others the kernel itself. */
export function withWater(kernels: readonly Kernel[], name: KernelName): KernelName {
  const afloat = IN_WATER.get(name);
  return afloat && kernels.some((kernel) => kernel.name === afloat) ? afloat : name;
}

type LinkKernels = Pick<LinkType, 'kernels' | 'loops' | 'inputs'>;

/** Inputs of links without such kernels. */
export const NO_TANGENTS = {
  ...recordOf(TANGENTS.map(tangentOf), (): readonly SymbolExpr[] => []),
  parametersTangent: [] as readonly SymbolExpr[],
};

/** The change of a value that a symbol stands for. */
const changeOf = ({ name }: SymbolExpr, mark = "'"): SymbolExpr => symbol(`${name}${mark}`);

/** Kernels with those of their changes. */
export function withTangents(link: LinkKernels): LinkKernels {
  const { kernels, loops, inputs } = link;
  const changes = new Changes("'");
  const ofInputs = TANGENTS.flatMap((buffer): [TangentBuffer, readonly SymbolExpr[]][] => {
    if (!(buffer in inputs)) return [];
    const symbols = inputs[buffer as InputBuffer];
    const own = symbols.map((s) => changeOf(s));
    symbols.forEach((s, i) => changes.add(s, own[i]!));
    return [[tangentOf(buffer), own]];
  });
  const made = [...changedKernels(link, 'Tangent', changes), ...stepTangent(link, changes)];
  return {
    kernels: [...kernels, ...made],
    loops: [...loops, ...changes.loops.values()],
    inputs: { ...inputs, ...Object.fromEntries(ofInputs) },
  };
}

const MATRICES = [
  ['dissipation', 'qdd'],
  ['stiffness', 'load'],
] as const;

/** An entry of a matrix of forces; zero of links that have none. */
function entry(kernels: readonly Kernel[], name: 'dissipation' | 'stiffness', index: number): Expr {
  return kernels.find((kernel) => kernel.name === name)?.outputs[0]!.values[index] ?? zero;
}

/** D qdd + K load, the matrices of damping and elastic forces: what implicit steps add to generalized forces. */
export function forcesOfStep(
  kernels: readonly Kernel[],
  factors: Readonly<Record<'qdd' | 'load', readonly Expr[]>>,
): readonly Expr[] {
  const count = factors.qdd.length;
  return factors.qdd.map((_, a) =>
    plus(
      ...factors.qdd.flatMap((_b, b) =>
        MATRICES.map(([name, of]) => times(entry(kernels, name, a * count + b), factors[of][b]!)),
      ),
    ),
  );
}

/** The change of these forces at the same qdd and load, where the matrices depend on the state. */
function stepTangent({ kernels, loops, inputs }: LinkKernels, changes: Changes): readonly Kernel[] {
  const forces = forcesOfStep(kernels, inputs);
  for (const loop of loopsNeeded(loops, forces, [])) if (!changes.loops.has(loop)) changes.addLoop(loop);
  const values = changes.of(forces, new Map(inputs.qdd.map((s) => [s, zero])));
  if (values.every((value) => value === zero)) return [];
  return [{ name: 'stepTangent', outputs: [{ buffer: 'generalizedForceTangent', values }] }];
}

/**
 * Kernels of a link that has those of changes with those of changes along its parameters.
 * @param own kernels before the others were added.
 * @param changing parameters that depend on run-time parameters in some link.
 */
export function withVariations(own: LinkKernels, link: LinkKernels, changing: ReadonlySet<SymbolExpr>): LinkKernels {
  const { parameters } = own.inputs;
  const parametersTangent = parameters.map((s) => changeOf(s));
  const changes = new Changes("''");
  parameters.forEach((s, i) => changing.has(s) && changes.add(s, parametersTangent[i]!));
  for (const buffer of TANGENTS) {
    if (!VARIED.has(buffer)) continue;
    own.inputs[buffer as InputBuffer].forEach((s, i) =>
      changes.add(s, link.inputs[tangentOf(buffer) as InputBuffer][i]!),
    );
  }
  const made = changedKernels(own, 'Variation', changes);
  return {
    kernels: [...link.kernels, ...made],
    loops: [...link.loops, ...changes.loops.values()],
    inputs: { ...link.inputs, parametersTangent },
  };
}

/** Kernels of the changes of others; the changes of loops that they need are added to those of `changes`. */
function changedKernels(
  { kernels, loops }: LinkKernels,
  variant: 'Tangent' | 'Variation',
  changes: Changes,
): readonly Kernel[] {
  const made = derivativeKernels(variant).flatMap(({ name, of }) => {
    const own = of.map((source) => withWater(kernels, source));
    const sources = kernels.filter((kernel) => own.includes(kernel.name));
    return sources.length > 0 ? [{ name, sources }] : [];
  });
  const wanted = made.flatMap(({ sources }) => sources);
  const roots = wanted.flatMap((kernel) => kernel.outputs.flatMap(({ values }) => [...values]));
  for (const loop of loopsNeeded(
    loops,
    roots,
    wanted.flatMap((kernel) => kernel.loops ?? []),
  ))
    changes.addLoop(loop);
  return made.map(({ name, sources }) => tangentKernel(name, sources, changes));
}

function tangentKernel(name: KernelName, sources: readonly Kernel[], changes: Changes): Kernel {
  const outputs = new Map<OutputBuffer, Expr[]>();
  for (const { buffer, values } of sources.flatMap((source) => source.outputs)) {
    const before = outputs.get(buffer);
    outputs.set(buffer, before ? before.map((value, i) => plus(value, values[i]!)) : [...values]);
  }
  const buffers = [...outputs.keys()];
  const flat = changes.of([...outputs.values()].flat());
  let next = 0;
  const loops = sources.flatMap((source) => (source.loops ?? []).flatMap((loop) => changes.loops.get(loop) ?? []));
  return {
    name,
    ...(loops.length > 0 && { loops }),
    outputs: buffers.map((buffer) => ({
      buffer: `${buffer}Tangent` as OutputBuffer,
      values: flat.slice(next, (next += outputs.get(buffer)!.length)),
    })),
  };
}

/** Changes of symbols, of arrays and of the loops that make them, as far as they are not zero. */
class Changes {
  /** Of loops that were added. */
  readonly loops = new Map<Loop, Loop>();
  private readonly direction = new Map<Expr, Expr>();
  private readonly arrays = new Map<RowArray, RowArray>();
  private readonly mark: string;

  /** @param mark ends the names of changes; changes along other directions of the same link have another. */
  constructor(mark: string) {
    this.mark = mark;
  }

  private changeOf(of: SymbolExpr): SymbolExpr {
    return changeOf(of, this.mark);
  }

  private nameOf(name: string): string {
    return this.mark === "'" ? `${name}_change` : `${name}_variation`;
  }

  add(of: SymbolExpr, change: Expr): void {
    this.direction.set(of, change);
  }

  of(values: readonly Expr[], inRow: ReadonlyMap<Expr, Expr> = new Map()): readonly Expr[] {
    return directionalDerivative(values, inRow.size > 0 ? new Map([...this.direction, ...inRow]) : this.direction);
  }

  /** The changes of what a loop leaves; loops before it were added. */
  addLoop(original: Loop): void {
    const loop = withOwnNetworks(original, `${this.mark}0`);
    const inRow = new Map<Expr, Expr>();
    const reads = [...loop.reads];
    for (const array of loop.reads) {
      const change = array.buffer === undefined ? this.arrays.get(array) : this.inBuffer(array);
      if (!change) continue;
      reads.push(change);
      for (const column of array.columns) {
        const own = this.changeOf(column);
        if (change.columns.includes(own)) inRow.set(column, own);
      }
    }
    const networks = loop.networks.map((call) => this.network(call, inRow));
    const carried = this.carried(loop, inRow);
    const terms = this.of(
      loop.sums.map(({ term }) => term),
      inRow,
    );
    const sums = loop.sums.flatMap((sum, i): LoopSum[] => {
      if (terms[i] === zero) return [];
      const own = this.changeOf(sum.symbol);
      this.add(sum.symbol, own);
      return [{ symbol: own, term: terms[i]! }];
    });
    const writes = loop.writes.flatMap((write) => this.write(write, inRow));
    reads.push(...loop.writes.filter((write) => write.changes).map(({ array }) => array));
    if (carried.length + sums.length + writes.length === 0) return;
    // What changes is not known before the direction is; the values themselves are found again on the way.
    const again = loop.carried.map((value) => ({ ...value, final: symbol(`${value.final.name}${this.mark}0`) }));
    this.loops.set(original, {
      ...loop,
      name: this.nameOf(loop.name),
      stage: 4,
      reads,
      networks,
      carried: [...again, ...carried],
      sums,
      writes,
    });
  }

  /** A learned map with the changes of its results, where what it is evaluated at changes. */
  private network(call: NetworkCall, inRow: Map<Expr, Expr>): NetworkCall {
    const changes = this.of(networkOperands(call), inRow);
    if (changes.every((value) => value === zero)) return call;
    const width = call.inputs.length;
    const own = networkResults(call);
    const results = own.map((s) => this.changeOf(s));
    own.forEach((s, i) => inRow.set(s, results[i]!));
    const directions = call.directions.map((_, k) => changes.slice((k + 1) * width, (k + 2) * width));
    return { ...call, change: { inputs: changes.slice(0, width), directions, results } };
  }

  /** Which carried values change is found by supposing of none that it does, and taking in those that turn out to. */
  private carried({ carried }: Loop, inRow: Map<Expr, Expr>): CarriedValue[] {
    const initial = this.of(carried.map((value) => value.initial));
    const isChanging = carried.map((_, i) => initial[i] !== zero);
    for (;;) {
      carried.forEach((value, i) => isChanging[i] && inRow.set(value.symbol, this.changeOf(value.symbol)));
      const next = this.of(
        carried.map((value) => value.next),
        inRow,
      );
      const late = carried.flatMap((_, i) => (!isChanging[i] && next[i] !== zero ? [i] : []));
      for (const i of late) isChanging[i] = true;
      if (late.length > 0) continue;
      return carried.flatMap((value, i): CarriedValue[] => {
        if (!isChanging[i]) return [];
        const final = this.changeOf(value.final);
        this.add(value.final, final);
        return [{ symbol: this.changeOf(value.symbol), initial: initial[i]!, next: next[i]!, final }];
      });
    }
  }

  /** Arrays that are a buffer have the same columns; of others those that do not change are left out. */
  private write(write: RowWrite, inRow: ReadonlyMap<Expr, Expr>): RowWrite[] {
    const { array, integrated } = write;
    const all = thawed(this.of(differentiable(write), inRow), write.changes ? [array] : []);
    const kept = all.map((value) => array.buffer !== undefined || value !== zero);
    if (!kept.some(Boolean)) return [];
    const columns = array.columns.filter((_, i) => kept[i]).map((column) => this.changeOf(column));
    // Terms that share an array have a loop each that writes it.
    const ofArray = (): RowArray => this.arrays.get(array) ?? this.changeOfArray(array, columns);
    const change = array.buffer === undefined ? ofArray() : this.inBuffer(array);
    this.arrays.set(array, change);
    return [{ array: change, values: all.filter((_, i) => kept[i]), ...(integrated && { integrated }) }];
  }

  private inBuffer(array: RowArray): RowArray {
    const change = this.arrays.get(array) ?? {
      ...this.changeOfArray(
        array,
        array.columns.map((column) => this.changeOf(column)),
      ),
      buffer: 'bodyWrenchTangent',
    };
    this.arrays.set(array, change);
    return change;
  }

  private changeOfArray({ name, rows }: RowArray, columns: readonly SymbolExpr[]): RowArray {
    return { name: this.nameOf(name), rows, columns };
  }
}
