/**
 * Kernels that carry the derivatives of a weighted sum of generalized forces from what kernels of inverse dynamics write to what they read:
 * reverse accumulation over their expressions, the transposes of the kernels of `tangent.ts`. The cost does not depend on the number
 * of coordinates.
 */
import { adjoints } from '../../symbolic/graph/differentiate.ts';
import { negate, plus, symbol, times, zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { freeSymbols } from '../../symbolic/graph/traverse.ts';
import type { Loop } from '../loops/loop.ts';
import { ADJOINTS, adjointOf, type AdjointBuffer, type Buffer } from './buffers.ts';
import type { InputBuffer, Kernel, KernelName, LinkType, OutputBuffer } from './link-type.ts';

type Weighed = keyof typeof ADJOINTS;

interface AdjointKernel {
  readonly name: KernelName;
  /** Kernels whose transpose it is together; generalized forces of several are added. */
  readonly of: readonly KernelName[];
  readonly reads: readonly Weighed[];
  readonly writes: readonly Weighed[];
}

const ADJOINT_KERNELS: readonly AdjointKernel[] = [
  {
    name: 'backwardAdjoint',
    of: ['backward', 'elastic', 'damping'],
    reads: ['generalizedForce', 'parentWrench'],
    writes: ['distalWrench', 'bodyWrench', 'q', 'qd'],
  },
  {
    name: 'accelerationAdjoint',
    of: ['velocity', 'acceleration'],
    reads: ['ownVelocity', 'ownAcceleration', 'bodyWrench'],
    writes: ['parentVelocity', 'parentAcceleration', 'q', 'qd', 'qdd'],
  },
];

/** What the transposes read, by the kernels that write it. */
const WEIGHED = ADJOINT_KERNELS.flatMap(({ of, reads }) => reads.map((buffer) => ({ of, buffer })));

type LinkKernels = Pick<LinkType, 'kernels' | 'loops' | 'inputs'>;

/** Inputs of links without such kernels. */
export const NO_ADJOINTS = Object.fromEntries(
  (Object.keys(ADJOINTS) as Weighed[]).map((buffer) => [adjointOf(buffer), []]),
) as unknown as Record<AdjointBuffer, readonly SymbolExpr[]>;

/** Kernels with those of derivatives of weighted sums. Of links with loops there are none, unless parameters alone decide their results. */
export function withAdjoints({ kernels, loops, inputs }: LinkKernels): LinkKernels {
  if (loops.some(({ stage }) => stage > 0 && stage < 4)) return { kernels, loops, inputs };
  const seeds = new Map<Buffer, SymbolExpr[]>();
  const made = ADJOINT_KERNELS.map(({ name, of, reads, writes }): Kernel => {
    const outputs = reads.map((buffer) => added(kernels, of, buffer as OutputBuffer));
    reads.forEach((buffer, k) =>
      seeds.set(
        adjointOf(buffer),
        outputs[k]!.map((_, i) => symbol(`adjoint.${buffer}*${i}`)),
      ),
    );
    const variables = writes.map((buffer) => inputs[buffer as InputBuffer]);
    const weights = reads.flatMap((buffer) => seeds.get(adjointOf(buffer))!);
    const values = adjoints(outputs.flat(), weights, variables.flat());
    let next = 0;
    return {
      name,
      outputs: writes.map((buffer, k) => ({
        buffer: adjointOf(buffer) as OutputBuffer,
        values: values.slice(next, (next += variables[k]!.length)),
      })),
    };
  });
  const own = { ...inputs, ...Object.fromEntries(seeds) };
  return { kernels: [...kernels, ...made, ...stepAdjoint(kernels, own)], loops, inputs: own };
}

/**
 * Of weights · (D qdd + K load), the matrices of damping and elastic forces: what implicit steps add to generalized forces, where they
 * depend on the state.
 */
function stepAdjoint(kernels: readonly Kernel[], inputs: LinkKernels['inputs']): Kernel[] {
  const { q, qd, qdd, load } = inputs;
  const weights = inputs.generalizedForceAdjoint;
  const forces = q.map((_, a) =>
    plus(
      ...q.flatMap((_b, b) =>
        MATRICES.map(([name, of]) => times(entry(kernels, name, a * q.length + b), { qdd, load }[of][b]!)),
      ),
    ),
  );
  const values = adjoints(forces, weights, [...q, ...qd]);
  if (values.every((value) => value === zero)) return [];
  return [
    {
      name: 'stepAdjoint',
      outputs: [
        { buffer: 'qAdjoint', values: values.slice(0, q.length) },
        { buffer: 'qdAdjoint', values: values.slice(q.length) },
      ],
    },
  ];
}

const MATRICES = [
  ['dissipation', 'qdd'],
  ['stiffness', 'load'],
] as const;

/**
 * Kernels of a link that has those of weighted sums with the one of their derivatives by parameters: of inverse dynamics, of what an
 * implicit step adds, whose rates grow by qddTangent, less the forces of actuators within the link. Links whose loops
 * depend on such parameters have none.
 * @param changing parameters that depend on run-time parameters in some link.
 */
export function withParameterAdjoints(link: LinkKernels, changing: ReadonlySet<SymbolExpr>): LinkKernels {
  const { kernels, loops, inputs } = link;
  const isLooped = loops.some((loop) => freeSymbols(expressionsOf(loop)).some((s) => changing.has(s)));
  if (isLooped || !kernels.some(({ name }) => name === 'accelerationAdjoint')) return link;
  const { q, load, parameters, qddTangent, generalizedForceAdjoint: weights } = inputs;
  const outputs = WEIGHED.map(({ of, buffer }) => added(kernels, of, buffer as OutputBuffer));
  const seeds = WEIGHED.map(({ buffer }) => inputs[adjointOf(buffer) as InputBuffer]);
  const drive = kernels.find(({ name }) => name === 'actuate')?.outputs[0]!.values ?? q.map(() => zero);
  const others = q.map((_, a) =>
    plus(
      ...q.flatMap((_b, b) =>
        MATRICES.map(([name, of]) => times(entry(kernels, name, a * q.length + b), { qdd: qddTangent, load }[of][b]!)),
      ),
      negate(drive[a]!),
    ),
  );
  const values = adjoints([...outputs.flat(), ...others], [...seeds.flat(), ...weights], parameters);
  const own = values.map((value, i) => (changing.has(parameters[i]!) ? value : zero));
  const kernel: Kernel = { name: 'parametersAdjoint', outputs: [{ buffer: 'parametersAdjoint', values: own }] };
  return { ...link, kernels: [...kernels, kernel] };
}

function expressionsOf({ carried, sums, writes }: Loop): Expr[] {
  return [
    ...carried.flatMap(({ initial, next }) => [initial, next]),
    ...sums.map(({ term }) => term),
    ...writes.flatMap(({ values }) => [...values]),
  ];
}

/** An entry of a matrix of forces; zero of links that have none. */
function entry(kernels: readonly Kernel[], name: 'dissipation' | 'stiffness', index: number): Expr {
  return kernels.find((kernel) => kernel.name === name)?.outputs[0]!.values[index] ?? zero;
}

/** What kernels write to a buffer, together. */
function added(kernels: readonly Kernel[], of: readonly KernelName[], buffer: OutputBuffer): readonly Expr[] {
  const all = kernels
    .filter(({ name }) => of.includes(name))
    .flatMap(({ outputs }) => outputs.filter((output) => output.buffer === buffer));
  return all[0]!.values.map((_, i) => plus(...all.map(({ values }) => values[i]!)));
}
