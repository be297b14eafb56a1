/**
 * Which function of a link module computes what: the kernels of a link type cut at the stages of their values, into the
 * functions of `kane/kernels/link-functions.ts`.
 *
 * `forward` is velocity and acceleration fused for calls that need nothing else; it leaves in the slot what `backward`
 * needs. All functions share one operation graph, so that the staged and the fused way give the same bits.
 */
import { BUFFERS, INPUT_BUFFERS, type LinkSizes } from '../../kane/kernels/buffers.ts';
import {
  LINK_FUNCTION_NAMES,
  linkFunction,
  type KernelName,
  type LinkFunctionName,
  type LinkFunctionRecord,
} from '../../kane/kernels/link-functions.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import type { Kernel, LinkType } from '../../kane/kernels/link-type.ts';
import type { RowArray } from '../../kane/loops/loop.ts';
import { accumulate } from './accumulate.ts';
import { OperationGraph } from './operation-graph.ts';
import {
  operationsBelow,
  type InputDeclaration,
  type LoopSource,
  type Operation,
  type Place,
  type Stage,
} from '../operations/operation.ts';

/** A function to be generated: outputs computed from inputs and from values found ready. */
interface FunctionPlan {
  readonly name: LinkFunctionName;
  /** Buffers read and then buffers written, in the order of the parameters. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly outputs: readonly { readonly place: Place; readonly value: Operation }[];
  /** Operations found ready in a buffer. */
  readonly ready: ReadonlyMap<Operation, Place>;
  /** Loops that run for the buffers they write to. */
  readonly loops: readonly LoopSource[];
  /** Where arrays of numbers per row begin. */
  readonly arrays: ReadonlyMap<RowArray, Place>;
}

/** A link type with the operations of all its kernels, whatever functions are wanted: bits do not depend on that. */
export interface LinkGraph {
  readonly type: LinkType;
  readonly graph: OperationGraph;
  readonly kernels: ReadonlyMap<KernelName, KernelParts>;
}

export interface StagedLink {
  readonly type: LinkType;
  readonly graph: OperationGraph;
  /** What the tables hold, one after the other. */
  readonly constants: readonly Operation[];
  readonly slot: readonly Operation[];
  readonly linearised: readonly Operation[];
  readonly sizes: LinkSizes;
  readonly functions: readonly FunctionPlan[];
}

const DIRECTION_STAGE: Stage = 4;

/** Functions of one kernel each, with everything of earlier stages found ready. */
const LAST = LINK_FUNCTION_NAMES.filter((name) => linkFunction(name).stage === 'last');

type Output = FunctionPlan['outputs'][number];

/** Literals, and negations of values that are ready anyway, are not worth a place in a table; truths are no numbers, their operands are. */
function isImmediate({ kind }: Operation): boolean {
  return kind === 'number' || kind === 'negate' || kind === 'compare' || kind === 'logic';
}

export function graphOfLink(type: LinkType): LinkGraph {
  const rootsOf = (isWanted: (name: KernelName) => boolean): readonly Expr[] =>
    type.kernels.filter(({ name }) => isWanted(name)).flatMap(({ outputs }) => outputs.flatMap(({ values }) => values));
  const graph = new OperationGraph(
    rootsOf((name) => !ASIDE.has(name)),
    inputDeclarations(type),
    type.hints,
    'quick',
    type.loops,
  );
  graph.addOver(rootsOf((name) => ASIDE.has(name)));
  const kernels = new Map(type.kernels.map((kernel) => [kernel.name, kernelParts(kernel, graph)]));
  for (const [name, expected] of DIRECTIONS) {
    const found = kernels.get(name);
    if (found) kernels.set(name, accumulatedParts(found, graph, expected));
  }
  return { type, graph, kernels };
}

/** @param wanted functions of the module, all unless given; tables hold what these find ready. */
export function stageLink({ type, graph, kernels }: LinkGraph, wanted?: ReadonlySet<LinkFunctionName>): StagedLink {
  const isWanted = (name: LinkFunctionName): boolean => wanted?.has(name) ?? true;
  const isAlone = (name: LinkFunctionName): boolean => {
    const { alone, aloneWithLoops } = linkFunction(name);
    return alone === true || (aloneWithLoops === true && type.loops.length > 0);
  };
  const part = (name: KernelName): KernelParts => {
    const found = kernels.get(name);
    if (!found) throw new Error(`link type ${type.name} has no kernel ${name}`);
    return found;
  };
  // Material points move and have neither mass nor anything that they carry.
  const isPoint = !kernels.has('backward');
  const late = LAST.flatMap((name) => {
    const kernel = linkFunction(name).kernel as KernelName;
    const isThere = kernels.has(kernel) || !(isPoint || linkFunction(name).optional);
    return isThere && isWanted(name) ? [{ name, ...part(kernel) }] : [];
  });
  const velocity = part('velocity').outputs;
  const acceleration = isPoint ? NOTHING : part('acceleration');
  const direct = kernels.get('forward') ?? { ...acceleration, outputs: [...velocity, ...acceleration.outputs] };
  const weight = isPoint ? NOTHING : part('gravity');
  const tables = new Tables();
  for (const { name, outputs, loops } of late)
    if (!isAlone(name)) tables.collect([...valuesOf(outputs), ...valuesOfLoops(loops)], 3);
  const ofWanted = (stage: LinkFunctionRecord['stage']): ReturnType<typeof ofStage> =>
    ofStage(stage, kernels).filter(({ name }) => isWanted(name));
  // Functions that compute the same without directions need this, too, where they are wanted.
  if (wanted)
    for (const { outputs, loops } of ofWanted('linearised'))
      tables.collect([...valuesOf(outputs), ...valuesOfLoops(loops)], 3);
  const located = (['locate', 'track'] as const).flatMap((name) =>
    kernels.has(name) && isWanted(name) ? [{ name, ...part(name) }] : [],
  );
  const directions = ofWanted('direction');
  const roots = [
    ...(isWanted('velocity') ? [{ outputs: velocity, loops: [] }] : []),
    ...(isWanted('forward') ? [direct] : []),
    ...(isWanted('gravityAt') ? [weight] : []),
    ...late,
    ...located,
    ...ofWanted('linearised'),
    ...directions,
  ].flatMap(({ outputs, loops }) => [...valuesOf(outputs), ...valuesOfLoops(loops)]);
  const needed = new Set(operationsBelow(roots));
  tables.keep(graph.arrays.filter((array) => needed.has(array)));
  tables.collect([...(isWanted('velocity') ? valuesOf(velocity) : []), ...tables.moving], 2);
  tables.collect(tables.configured, 1);
  // All in one goes straight from constants; a kernel of its own may need others.
  for (const [name, { outputs, loops }] of [['forward', direct] as const, ['gravityAt', weight] as const])
    if (isWanted(name)) tables.collect([...valuesOf(outputs), ...valuesOfLoops(loops)], 1);
  for (const { name, outputs, loops } of late)
    if (isAlone(name)) tables.collect([...valuesOf(outputs), ...valuesOfLoops(loops)], 1);
  // A point takes all of the configuration anew: nothing that it needs is kept for it.
  for (const { outputs, loops } of located) tables.collect([...valuesOf(outputs), ...valuesOfLoops(loops)], 1);
  const linearised = ofWanted('linearised').map((own) => {
    const direction = linkFunction(own.name).prepares as LinkFunctionName;
    const kernel = part(linkFunction(direction).kernel as KernelName);
    return { ...own, values: tables.linearise([...valuesOf(kernel.outputs), ...valuesOfLoops(kernel.loops)]) };
  });
  for (const { outputs, loops } of directions) tables.linearise([...valuesOf(outputs), ...valuesOfLoops(loops)]);
  for (const { outputs, loops } of ofWanted('linearised'))
    tables.complete([...valuesOf(outputs), ...valuesOfLoops(loops)]);

  const slot = [...tables.configured, ...tables.moving, ...tables.late];
  const constants = [...tables.constants];
  const inConstants = places('constants', constants);
  const kept = [...new Set(linearised.flatMap(({ values }) => values))].filter((value) => value.kind !== 'array');
  const inLinearised = places('linearised', kept);
  const inSlot = places('slot', slot);
  const arrays = placesOfArrays(type, graph, new Map([...inConstants, ...inSlot]));
  const isEarly = ([operation]: readonly [Operation, Place]): boolean => !tables.late.has(operation);
  const inBoth = new Map([...inConstants, ...inSlot].filter(isEarly));
  const configured = new Map([...inConstants, ...[...tables.configured].map((o) => [o, inSlot.get(o)!] as const)]);
  const store = (buffer: ReadonlyMap<Operation, Place>, values: Iterable<Operation>): Output[] =>
    [...values].map((value) => ({ place: buffer.get(value)!, value }));
  const back = isPoint || !isWanted('backward') ? NOTHING : part('backward');
  const early = new Map([...inSlot].filter(isEarly));
  const forBackward = slotValuesOf([...valuesOf(back.outputs), ...valuesOfLoops(back.loops)], early);

  const plan = (
    name: LinkFunctionName,
    outputs: readonly Output[],
    ready: ReadonlyMap<Operation, Place>,
    loops: readonly LoopSource[] = [],
  ): FunctionPlan => {
    const { reads, writes } = linkFunction(name);
    return { name, reads, writes, outputs, ready, loops, arrays };
  };
  const functions = [
    plan('prepare', store(inConstants, constants), new Map()),
    plan('configure', store(inSlot, tables.configured), inConstants),
    plan('velocity', [...store(inSlot, tables.moving), ...velocity], configured),
    ...(isPoint
      ? []
      : [
          plan('forward', [...store(inSlot, forBackward), ...direct.outputs], inConstants, direct.loops),
          plan('gravityAt', [...store(inSlot, forBackward), ...weight.outputs], inConstants, weight.loops),
        ]),
    ...located.map(({ name, outputs, loops }) => plan(name, outputs, inConstants, loops)),
    ...late.map(({ name, outputs, loops }) => plan(name, outputs, inBoth, loops)),
    ...linearised.map(({ name, outputs, loops, values }) => {
      const own = values.map((value) => ({ place: (inLinearised.get(value) ?? inSlot.get(value))!, value }));
      return plan(name, [...own, ...outputs], inBoth, loops);
    }),
    ...directions.map(({ name, outputs, loops }) => {
      const { finds = [] } = linkFunction(name);
      const by = linearised.filter((own) => linkFunction(own.name).prepares === name || finds.includes(own.name));
      const left = by
        .flatMap(({ values }) => values)
        .map((value) => [value, (inLinearised.get(value) ?? inSlot.get(value))!] as const);
      return plan(name, outputs, new Map([...inBoth, ...left]), loops);
    }),
  ];
  const sizes = {
    coordinates: type.coordinates.length,
    parameters: type.parameters.length,
    time: type.inputs.time.length,
    bodyWrench: type.bodyWrenchSize,
    factor: type.inputs.factor.length,
    addend: type.inputs.addend.length,
    actuations: type.inputs.inputs.length,
    waterWrench: type.inputs.waterWrench.length,
    waterForce: kernels.has('backwardFluid') ? type.coordinates.length : 0,
    contactPairs: kernels.get('contacts')?.outputs.length ?? 0,
    constants: sizeOf(constants),
    slot: sizeOf(slot),
    linearised: sizeOf(kept),
  };
  return {
    type,
    graph,
    constants,
    slot,
    linearised: kept,
    sizes,
    functions: functions.filter((f) => isWanted(f.name)),
  };
}

/** Kernels that are formed on their own. */
const ASIDE: ReadonlySet<string | undefined> = new Set(
  LINK_FUNCTION_NAMES.filter((name) => linkFunction(name).aside).map((name) => linkFunction(name).kernel),
);

/** Kernels that are linear in what is known last, with how many sets of it there are for a state. */
const DIRECTIONS = LINK_FUNCTION_NAMES.flatMap((name): [KernelName, number][] => {
  const { kernel, expected } = linkFunction(name);
  return expected === undefined ? [] : [[kernel as KernelName, expected]];
});

function accumulatedParts({ outputs, loops }: KernelParts, graph: OperationGraph, expected: number): KernelParts {
  const values = accumulate(
    graph,
    outputs.map(({ value }) => value),
    DIRECTION_STAGE,
    expected,
  );
  return { outputs: outputs.map(({ place }, i) => ({ place, value: values[i]! })), loops };
}

function inputDeclarations(type: LinkType): InputDeclaration[] {
  return INPUT_BUFFERS.flatMap((buffer) =>
    type.inputs[buffer].map((symbol, index) => ({ symbol, place: { buffer, index }, stage: BUFFERS[buffer].stage })),
  );
}

/** Functions of a stage that the link has, with what their kernels compute. */
function ofStage(
  stage: LinkFunctionRecord['stage'],
  kernels: ReadonlyMap<KernelName, KernelParts>,
): readonly (KernelParts & { readonly name: LinkFunctionName })[] {
  const has = (name: LinkFunctionName): boolean => {
    const { prepares } = linkFunction(name);
    return kernels.has(linkFunction((prepares as LinkFunctionName | undefined) ?? name).kernel as KernelName);
  };
  return LINK_FUNCTION_NAMES.filter((name) => linkFunction(name).stage === stage && has(name)).map((name) => {
    const { kernel, afloat } = linkFunction(name);
    return { name, ...(kernels.get(afloat as KernelName) ?? kernels.get(kernel as KernelName)!) };
  });
}

interface KernelParts {
  /** Without entries that nothing reads. */
  readonly outputs: readonly Output[];
  readonly loops: readonly LoopSource[];
}

function kernelParts(kernel: Kernel, graph: OperationGraph): KernelParts {
  const outputs = kernel.outputs.flatMap(({ buffer, values, unread }) =>
    values.flatMap((value, index) =>
      unread?.has(index) ? [] : [{ place: { buffer, index }, value: graph.of(value) }],
    ),
  );
  const loops = (kernel.loops ?? []).map((loop) => graph.loops.find((source) => source.loop === loop)!);
  return { outputs, loops };
}

const NOTHING: KernelParts = { outputs: [], loops: [] };

function valuesOfLoops(loops: readonly LoopSource[]): Operation[] {
  return loops.flatMap((source) => [...source.outer]);
}

function valuesOf(outputs: readonly Output[]): Operation[] {
  return outputs.map((output) => output.value);
}

/** Numbers that an entry of a table takes. */
function widthOf(operation: Operation): number {
  return operation.kind === 'array' ? operation.array.rows * operation.array.columns.length : 1;
}

function sizeOf(operations: readonly Operation[]): number {
  return operations.reduce((total, operation) => total + widthOf(operation), 0);
}

function places(buffer: string, operations: readonly Operation[]): Map<Operation, Place> {
  let next = 0;
  return new Map(
    operations.map((operation) => {
      const index = next;
      next += widthOf(operation);
      return [operation, { buffer, index }];
    }),
  );
}

/** Arrays that are a buffer stand at its end. */
function placesOfArrays(
  type: LinkType,
  graph: OperationGraph,
  inTables: ReadonlyMap<Operation, Place>,
): ReadonlyMap<RowArray, Place> {
  const result = new Map<RowArray, Place>();
  for (const operation of graph.arrays) {
    const place = inTables.get(operation);
    if (place) result.set(operation.array, place);
  }
  for (const { writes, reads } of type.loops)
    for (const array of [...writes.map((write) => write.array), ...reads])
      if (array.buffer)
        result.set(array, {
          buffer: array.buffer,
          index: type.bodyWrenchSize - array.rows * array.columns.length,
        });
  return result;
}

/** The slot entries that functions with these outputs read. */
function slotValuesOf(roots: readonly Operation[], inSlot: ReadonlyMap<Operation, Place>): Operation[] {
  return operationsBelow(roots, (operation) => inSlot.has(operation)).filter((operation) => inSlot.has(operation));
}

/** The values that cross from one stage to a later one, each in the order of first use. */
class Tables {
  readonly constants = new Set<Operation>();
  readonly configured = new Set<Operation>();
  readonly moving = new Set<Operation>();
  /** Arrays from one loop to another of the same function. */
  readonly late = new Set<Operation>();

  /** Finds, below the roots of a function of `stage`, the maximal values of earlier stages. */
  collect(roots: Iterable<Operation>, stage: Stage): void {
    const crosses = (operation: Operation): boolean =>
      operation.stage < stage && !isImmediate(operation) && !(operation.kind === 'input' && operation.stage > 0);
    for (const operation of operationsBelow([...roots], crosses))
      if (crosses(operation)) this.tableOf(operation.stage).add(operation);
  }

  /** What functions of a direction need of the motion and do not find in these tables; constants are added to theirs. */
  linearise(roots: Iterable<Operation>): readonly Operation[] {
    const crosses = (operation: Operation): boolean =>
      operation.stage < 4 && !isImmediate(operation) && !(operation.kind === 'input' && operation.stage > 0);
    const known = operationsBelow([...roots], crosses).filter(crosses);
    this.collect(known, 1);
    return known.filter(
      (operation) => operation.stage > 0 && !this.configured.has(operation) && !this.moving.has(operation),
    );
  }

  /** Adds parameters that a function with these roots would read beside what is in the tables. */
  complete(roots: Iterable<Operation>): void {
    const isKnown = (operation: Operation): boolean =>
      this.constants.has(operation) || this.configured.has(operation) || this.moving.has(operation);
    for (const operation of operationsBelow([...roots], isKnown))
      if (operation.kind === 'input' && operation.stage === 0) this.constants.add(operation);
  }

  /** Arrays that anything reads have their places whether or not they cross stages. */
  keep(arrays: readonly Operation[]): void {
    for (const array of arrays) this.tableOf(array.stage).add(array);
  }

  private tableOf(stage: Stage): Set<Operation> {
    return [this.constants, this.configured, this.moving, this.late, this.late][stage]!;
  }
}
