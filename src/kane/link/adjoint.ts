/**
 * Kernels that carry the derivatives of a weighted sum of generalized forces from what kernels of inverse dynamics write to what they read:
 * reverse accumulation over their expressions, the transposes of the kernels of `tangent.ts`. The cost does not depend on the number
 * of coordinates.
 */
import { recordOf } from '../../common/tuples.ts';
import { negate, plus, symbol, zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import type { Loop } from '../loops/loop.ts';
import { ADJOINTS, adjointOf, type Buffer } from '../kernels/buffers.ts';
import { derivativeKernels } from '../kernels/derivative-kernels.ts';
import type { InputBuffer, Kernel, KernelName, LinkType, OutputBuffer } from '../kernels/link-type.ts';
import { adjointsThroughLoops, areTransposable, keepingCarried } from './loop-adjoints.ts';
import { forcesOfStep, withWater } from './tangent.ts';

/** Buffers that have derivatives of weighted sums. */
type Weighed = (typeof ADJOINTS)[number];

interface AdjointKernel {
  readonly name: KernelName;
  /** Kernels whose transpose it is together; generalized forces of several are added. */
  readonly of: readonly KernelName[];
  readonly reads: readonly Weighed[];
  readonly writes: readonly Weighed[];
}

const weighed = (buffers: readonly Buffer[]): Weighed[] =>
  buffers.filter((buffer): buffer is Weighed => (ADJOINTS as readonly Buffer[]).includes(buffer));

/** Transposes read what their kernels write, and write what those read. */
const ADJOINT_KERNELS: readonly AdjointKernel[] = derivativeKernels('Adjoint').map(({ reads, writes, ...kernel }) => ({
  ...kernel,
  reads: weighed(writes),
  writes: weighed(reads),
}));

type LinkKernels = Pick<LinkType, 'kernels' | 'loops' | 'inputs'>;

/** Inputs of links without such kernels. */
export const NO_ADJOINTS = recordOf(ADJOINTS.map(adjointOf), (): readonly SymbolExpr[] => []);

/** What a transpose reads and writes of these links: those in dry air know of no stream. */
function ofLink({ kernels, inputs }: LinkKernels, { of, reads, writes }: AdjointKernel): Omit<AdjointKernel, 'name'> {
  const own = of.map((name) => withWater(kernels, name));
  const sources = kernels.filter(({ name }) => own.includes(name));
  const afloat = kernels.find(({ name }) => name === 'accelerationAfloat');
  const carries = (own: Buffer): boolean => afloat?.outputs.some(({ buffer }) => buffer === own) ?? false;
  const isOwn = (buffer: Weighed): boolean => {
    if (buffer === 'parentLinearVelocityInWater') return carries('ownLinearVelocityInWater');
    if (buffer === 'parentPlacement') return carries('ownPlacement');
    return buffer !== 'waterWrench' || inputs.waterWrench.length > 0;
  };
  const isWritten = (buffer: Weighed): boolean =>
    sources.some(({ outputs }) => outputs.some((output) => output.buffer === buffer));
  return { of: own, reads: reads.filter(isWritten), writes: writes.filter(isOwn) };
}

/** Kernels with those of derivatives of weighted sums. Of links with loops of too many operations there are none. */
export function withAdjoints(link: LinkKernels): LinkKernels {
  const { inputs } = link;
  const all = ADJOINT_KERNELS.map(({ name, ...kind }) => ({ name, ...ofLink(link, { name, ...kind }) }));
  const isTransposable = (names: readonly KernelName[]): boolean =>
    areTransposable(link.loops, outputsOf(link.kernels, names), writtenBy(link.kernels, names));
  const dynamics = all.filter(({ name, reads }) => name !== 'motionAdjoint' && reads.length > 0);
  const motion = all.filter(
    ({ name, of, reads }) => name === 'motionAdjoint' && reads.length > 0 && isTransposable(of),
  );
  const kinds = [...dynamics, ...motion];
  if (kinds.length === 0 || !isTransposable([...SOURCES, ...dynamics.flatMap(({ of }) => of)])) return link;
  const { kernels, loops } = withCarriedKept(link);
  const seeds = new Map<Buffer, SymbolExpr[]>();
  const transposed: Loop[] = [];
  const made = kinds.map(({ name, of, reads, writes }): Kernel => {
    const outputs = reads.map((buffer) => added(kernels, of, buffer as OutputBuffer));
    reads.forEach((buffer, k) =>
      seeds.set(
        adjointOf(buffer),
        outputs[k]!.map((_, i) => symbol(`adjoint.${buffer}*${i}`)),
      ),
    );
    // Loops write what sections of rods have of the wrench, at its end.
    const alone = inputs.bodyWrench.slice(0, inputs.bodyWrench.length - entriesOfRows(loops));
    const variables = writes.map((buffer) => (buffer === 'bodyWrench' ? alone : inputs[buffer as InputBuffer]));
    const weighted = {
      roots: outputs.flat(),
      seeds: reads.flatMap((buffer) => seeds.get(adjointOf(buffer))!),
      variables: variables.flat(),
      written: writtenBy(kernels, of),
      byBodyWrench: writes.includes('bodyWrench'),
    };
    const { values, loops: own, writing } = adjointsThroughLoops([...loops, ...transposed], weighted, name);
    transposed.push(...own);
    let next = 0;
    return {
      name,
      ...(writing.length > 0 && { loops: writing }),
      outputs: writes.map((buffer, k) => ({
        buffer: adjointOf(buffer) as OutputBuffer,
        values: values.slice(next, (next += variables[k]!.length)),
      })),
    };
  });
  const own = { ...inputs, ...Object.fromEntries(seeds) };
  // Material points move, and nothing else.
  const step = dynamics.length > 0 ? stepAdjoint({ kernels, loops, inputs: own }) : { kernels: [], loops: [] };
  return {
    kernels: [...kernels, ...made, ...step.kernels],
    loops: [...loops, ...transposed, ...step.loops],
    inputs: own,
  };
}

/** The same link, whose loops leave what they carry. */
function withCarriedKept({ kernels, loops, inputs }: LinkKernels): LinkKernels {
  const kept = new Map(loops.map((loop) => [loop, loop.stage < 4 ? keepingCarried(loop) : loop]));
  return {
    kernels: kernels.map((kernel) =>
      kernel.loops ? { ...kernel, loops: kernel.loops.map((loop) => kept.get(loop)!) } : kernel,
    ),
    loops: [...kept.values()],
    inputs,
  };
}

/** Numbers of the wrench of the body that loops leave row by row. */
function entriesOfRows(loops: readonly Loop[]): number {
  const array = loops.flatMap(({ writes }) => writes).find((write) => write.array.buffer === 'bodyWrench')?.array;
  return array ? array.rows * array.columns.length : 0;
}

function outputsOf(kernels: readonly Kernel[], names: readonly KernelName[]): readonly Expr[] {
  const sources = kernels.filter(({ name }) => names.includes(name));
  return sources.flatMap(({ outputs }) => outputs.flatMap(({ values }) => [...values]));
}

/** Loops that run for the wrench of the body that they write. */
function writtenBy(kernels: readonly Kernel[], names: readonly KernelName[]): readonly Loop[] {
  return kernels.filter(({ name }) => names.includes(name)).flatMap((kernel) => kernel.loops ?? []);
}

/** Other kernels whose outputs are differentiated. */
const SOURCES: readonly KernelName[] = ['stiffness', 'dissipation', 'actuate'];

/**
 * Of weights · (D qdd + K load), the matrices of damping and elastic forces: what implicit steps add to generalized forces, where they
 * depend on the state.
 */
function stepAdjoint({ kernels, loops, inputs }: LinkKernels): Pick<LinkKernels, 'kernels' | 'loops'> {
  const { q, qd, qdd, load } = inputs;
  const weights = inputs.generalizedForceAdjoint;
  const forces = forcesOfStep(kernels, { qdd, load });
  const weighted = { roots: forces, seeds: weights, variables: [...q, ...qd] };
  const { values, loops: made } = adjointsThroughLoops(loops, weighted, 'stepAdjoint');
  if (values.every((value) => value === zero)) return { kernels: [], loops: [] };
  const kernel: Kernel = {
    name: 'stepAdjoint',
    outputs: [
      { buffer: 'qAdjoint', values: values.slice(0, q.length) },
      { buffer: 'qdAdjoint', values: values.slice(q.length) },
    ],
  };
  return { kernels: [kernel], loops: made };
}

/**
 * Kernels of a link that has those of weighted sums with the one of all their derivatives, by parameters, too, in one reverse
 * accumulation: what they have in common is computed once. By parameters of inverse dynamics, of what an implicit step adds,
 * whose rates grow by qddTangent, less the forces of actuators within the link; by motions the same without what a step adds.
 * @param changing parameters that depend on run-time parameters in some link.
 */
export function withParameterAdjoints(link: LinkKernels, changing: ReadonlySet<SymbolExpr>): LinkKernels {
  const { kernels, loops, inputs } = link;
  if (!kernels.some(({ name }) => name === 'forwardAdjoint')) return link;
  const { q, load, parameters, qddTangent, generalizedForceAdjoint: weights } = inputs;
  const weighed = ADJOINT_KERNELS.filter(({ name }) => name !== 'motionAdjoint').flatMap((kernel) => {
    const { of, reads } = ofLink(link, kernel);
    return reads.map((buffer) => ({ of, buffer }));
  });
  const outputs = weighed.map(({ of, buffer }) => added(kernels, of, buffer as OutputBuffer));
  const seeds = weighed.map(({ buffer }) => inputs[adjointOf(buffer) as InputBuffer]);
  const drive = kernels.find(({ name }) => name === 'actuate')?.outputs[0]!.values ?? q.map(() => zero);
  const others = forcesOfStep(kernels, { qdd: qddTangent, load });
  const motion = ofLink(link, ADJOINT_KERNELS[1]!).writes.filter((buffer) => buffer !== 'qdd');
  const variables = motion.map((buffer) => inputs[buffer as InputBuffer]);
  const varied = parameters.filter((s) => changing.has(s));
  const { values, loops: made } = adjointsThroughLoops(
    loops,
    {
      roots: [...outputs.flat(), ...drive.map(negate)],
      seeds: [...seeds.flat(), ...weights],
      variables: [...variables.flat(), ...varied],
      written: writtenBy(
        kernels,
        weighed.flatMap(({ of }) => of),
      ),
    },
    'parametersAdjoint',
  );
  const weightedStep = { roots: others, seeds: weights, variables: varied };
  const ofStep = adjointsThroughLoops(loops, weightedStep, 'stepParametersAdjoint');
  let next = 0;
  const take = (symbols: readonly SymbolExpr[]): readonly Expr[] => values.slice(next, (next += symbols.length));
  const ofMotion = motion.map((buffer, k) => ({
    buffer: adjointOf(buffer) as OutputBuffer,
    values: take(variables[k]!),
  }));
  const byParameter = new Map(take(varied).map((value, i) => [varied[i]!, plus(value, ofStep.values[i]!)]));
  const kernel: Kernel = {
    name: 'parametersAdjoint',
    outputs: [
      ...ofMotion,
      {
        buffer: 'parametersAdjoint',
        values: parameters.map((s) => byParameter.get(s) ?? zero),
      },
    ],
  };
  return { ...link, kernels: [...kernels, kernel], loops: [...loops, ...made, ...ofStep.loops] };
}

/** What kernels write to a buffer, together. */
function added(kernels: readonly Kernel[], of: readonly KernelName[], buffer: OutputBuffer): readonly Expr[] {
  const all = kernels
    .filter(({ name }) => of.includes(name))
    .flatMap(({ outputs }) => outputs.filter((output) => output.buffer === buffer));
  return all[0]!.values.map((_, i) => plus(...all.map(({ values }) => values[i]!)));
}
