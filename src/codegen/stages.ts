/**
 * Which function of a link module computes what: the kernels of a link type cut at the stages of their values.
 *
 *   prepare     parameters → constants                          once per set of parameters
 *   configure   q → slot                                        once per configuration
 *   move        q, q̇, parent velocity → slot, own velocity     once per state
 *   others      what the kernel is for, the rest found ready in constants and slot
 *
 * `forward` is velocity and acceleration fused for calls that need nothing else; it leaves in the slot what `backward`
 * needs. All functions share one operation graph, so that the staged and the fused way give the same bits.
 */
import type { InputBuffer, KernelName, LinkType } from '../kane/link-type.ts';
import { OperationGraph } from './operation-graph.ts';
import { operationsBelow, type InputDeclaration, type Operation, type Place, type Stage } from './operation.ts';

/** A function to be generated: outputs computed from inputs and from values found ready. */
export interface FunctionPlan {
  readonly name: LinkFunctionName;
  /** Buffers read and then buffers written, in the order of the parameters. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly outputs: readonly { readonly place: Place; readonly value: Operation }[];
  /** Operations found ready in a buffer. */
  readonly ready: ReadonlyMap<Operation, Place>;
}

export interface StagedLink {
  readonly type: LinkType;
  readonly graph: OperationGraph;
  /** What the tables hold, by index. */
  readonly constants: readonly Operation[];
  readonly slot: readonly Operation[];
  readonly functions: readonly FunctionPlan[];
}

const STAGE: Record<InputBuffer, Stage> = {
  parameters: 0,
  q: 1,
  qd: 2,
  parentVelocity: 2,
  qdd: 3,
  parentAcceleration: 3,
  parentGravity: 3,
  distalWrench: 3,
  bodyWrench: 3,
  distalComposite: 3,
  parentPose: 3,
  parentTravel: 3,
};

/** Parameters of every function of a link module: the contract with the drivers. */
export const SIGNATURES = {
  prepare: { reads: ['parameters'], writes: ['constants'] },
  configure: { reads: ['constants', 'q'], writes: ['slot'] },
  move: { reads: ['constants', 'q', 'qd', 'parentVelocity'], writes: ['slot', 'ownVelocity'] },
  accelerate: {
    reads: ['constants', 'slot', 'q', 'qd', 'qdd', 'parentVelocity', 'parentAcceleration'],
    writes: ['ownAcceleration', 'bodyWrench'],
  },
  forward: {
    reads: ['constants', 'q', 'qd', 'qdd', 'parentVelocity', 'parentAcceleration'],
    writes: ['slot', 'ownVelocity', 'ownAcceleration', 'bodyWrench'],
  },
  weigh: { reads: ['constants', 'slot', 'q', 'parentGravity'], writes: ['ownGravity', 'bodyWrench'] },
  backward: {
    reads: ['constants', 'slot', 'q', 'distalWrench', 'bodyWrench'],
    writes: ['generalizedForce', 'parentWrench'],
  },
  propagate: { reads: ['constants', 'slot', 'q', 'distalWrench'], writes: ['generalizedForce', 'parentWrench'] },
  composite: {
    reads: ['constants', 'slot', 'q', 'distalComposite'],
    writes: ['parentComposite', 'massBlock', 'unitWrenches'],
  },
  pose: { reads: ['constants', 'slot', 'q', 'parentPose'], writes: ['ownPose'] },
  jacobian: { reads: ['constants', 'slot', 'q', 'parentPose'], writes: ['jacobianColumns'] },
  energy: { reads: ['constants', 'slot', 'q', 'qd', 'parentTravel'], writes: ['ownTravel', 'energy'] },
} as const;

export type LinkFunctionName = keyof typeof SIGNATURES;

/** Kernels that become one function each, with everything before stage 3 found ready. Backward first: see `slotOrder`. */
const LATE: readonly (readonly [KernelName, LinkFunctionName])[] = [
  ['backward', 'backward'],
  ['propagate', 'propagate'],
  ['acceleration', 'accelerate'],
  ['gravity', 'weigh'],
  ['composite', 'composite'],
  ['pose', 'pose'],
  ['jacobian', 'jacobian'],
  ['energy', 'energy'],
];

type Output = FunctionPlan['outputs'][number];

/** Literals, and negations of values that are ready anyway, are not worth a place in a table. */
function isImmediate(operation: Operation): boolean {
  return operation.kind === 'number' || operation.kind === 'negate';
}

export function stageLink(type: LinkType): StagedLink {
  const roots = type.kernels.flatMap((kernel) => kernel.outputs.flatMap((output) => output.values));
  const graph = new OperationGraph(roots, inputDeclarations(type), type.hints, 'quick');
  const outputs = new Map(type.kernels.map((kernel) => [kernel.name, kernelOutputs(type, kernel.name, graph)]));
  const late = LATE.map(([kernel, name]) => ({ name, outputs: outputs.get(kernel) ?? [] }));
  const tables = new Tables();
  for (const { outputs: wanted } of late) tables.collect(valuesOf(wanted), 3);
  const velocity = outputs.get('velocity') ?? [];
  tables.collect([...valuesOf(velocity), ...tables.moving], 2);
  tables.collect(tables.configured, 1);

  const slot = [...tables.configured, ...tables.moving];
  const constants = [...tables.constants];
  const inConstants = places('constants', constants);
  const inSlot = places('slot', slot);
  const inBoth = new Map([...inConstants, ...inSlot]);
  const configured = new Map([...inConstants, ...[...tables.configured].map((o) => [o, inSlot.get(o)!] as const)]);
  const store = (buffer: ReadonlyMap<Operation, Place>, values: Iterable<Operation>): Output[] =>
    [...values].map((value) => ({ place: buffer.get(value)!, value }));
  const acceleration = outputs.get('acceleration') ?? [];
  const forBackward = slotValuesOf(valuesOf(outputs.get('backward') ?? []), inSlot);

  const plan = (
    name: LinkFunctionName,
    computed: readonly Output[],
    ready: ReadonlyMap<Operation, Place>,
  ): FunctionPlan => ({
    name,
    reads: SIGNATURES[name].reads,
    writes: SIGNATURES[name].writes,
    outputs: computed,
    ready,
  });
  const functions = [
    plan('prepare', store(inConstants, constants), new Map()),
    plan('configure', store(inSlot, tables.configured), inConstants),
    plan('move', [...store(inSlot, tables.moving), ...velocity], configured),
    plan('forward', [...store(inSlot, forBackward), ...velocity, ...acceleration], inConstants),
    ...late.map(({ name, outputs: wanted }) => plan(name, wanted, inBoth)),
  ];
  return { type, graph, constants, slot, functions };
}

function inputDeclarations(type: LinkType): InputDeclaration[] {
  return (Object.keys(STAGE) as InputBuffer[]).flatMap((buffer) =>
    type.inputs[buffer].map((symbol, index) => ({ symbol, place: { buffer, index }, stage: STAGE[buffer] })),
  );
}

function kernelOutputs(type: LinkType, name: KernelName, graph: OperationGraph): Output[] {
  const kernel = type.kernels.find((candidate) => candidate.name === name);
  if (!kernel) throw new Error(`link type ${type.name} has no kernel ${name}`);
  return kernel.outputs.flatMap(({ buffer, values }) =>
    values.map((value, index) => ({ place: { buffer, index }, value: graph.of(value) })),
  );
}

function valuesOf(outputs: readonly Output[]): Operation[] {
  return outputs.map((output) => output.value);
}

function places(buffer: string, operations: readonly Operation[]): Map<Operation, Place> {
  return new Map(operations.map((operation, index) => [operation, { buffer, index }]));
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

  /** Finds, below the roots of a function of `stage`, the maximal values of earlier stages. */
  collect(roots: Iterable<Operation>, stage: Stage): void {
    const crosses = (operation: Operation): boolean =>
      operation.stage < stage && !isImmediate(operation) && !(operation.kind === 'input' && operation.stage > 0);
    for (const operation of operationsBelow([...roots], crosses))
      if (crosses(operation)) this.tableOf(operation.stage).add(operation);
  }

  private tableOf(stage: Stage): Set<Operation> {
    return [this.constants, this.configured, this.moving][stage]!;
  }
}
