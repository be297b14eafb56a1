/**
 * What calls of the driver cost by kinds of operations, and about how many cycles that is on a small processor: by a table that is told with the
 * result. Branches, waits for memory and the checks of status are not in it.
 */
import type { Robot } from '../description/model/robot.ts';
import { programsCalled } from '../codegen/controllers/call-costs.ts';
import { robotModel, type RobotModel } from '../codegen/modules/robot-model.ts';
import type { OperationCounts } from '../codegen/operations/operation-counts.ts';
import { stumpffOperations } from '../codegen/printing/stumpff-functions.ts';
import { blocksOf, type Statement } from '../codegen/programs/statement.ts';
import type { RobotFunctionName } from '../codegen/sweeps/robot-functions.ts';
import type { CompiledRobot } from '../kane/kernels/link-type.ts';

/** Executed operations. */
interface KindCounts {
  readonly add: number;
  readonly multiply: number;
  readonly divide: number;
  readonly sqrt: number;
  /** sin, cos, exp, … */
  readonly call: number;
}

export interface CallEstimate {
  readonly name: string;
  readonly counts: KindCounts;
  readonly operations: number;
  readonly cycles: number;
  readonly microseconds: number;
}

/** Cycles of each kind of operation. */
export interface Processor {
  readonly name: string;
  readonly megahertz: number;
  readonly cycles: KindCounts;
  /** Of loads and stores, for every operation. */
  readonly moves: number;
  readonly source: string;
}

/** By it cycles are within a factor of two of the instructions that QEMU counts (bench/embedded.ts): a test. */
export const CORTEX_M4F: Processor = {
  name: 'Cortex-M4F, float',
  megahertz: 168,
  cycles: { add: 1, multiply: 1, divide: 14, sqrt: 14, call: 40 },
  moves: 2,
  source:
    'arithmetic by the technical reference manual (VADD, VMUL 1, VDIV, VSQRT 14 cycles); calls, loads and stores such that UR10e and planar-cc have about the instructions that QEMU counts',
};

const KINDS = ['add', 'multiply', 'divide', 'sqrt', 'call'] as const;

/** What callers ask for most, in one call each. */
const CALLS: readonly (readonly [RobotFunctionName, string])[] = [
  ['inverseDynamicsAt', 'inverse dynamics'],
  ['massMatrixAt', 'mass matrix'],
  ['gravityAt', 'gravity'],
];

export function callEstimates(robot: Robot, compiled: CompiledRobot): CallEstimate[] {
  const model = robotModel(robot, compiled);
  return CALLS.flatMap(([call, name]) => {
    const counts = countsOf(model, call);
    const operations = KINDS.reduce((sum, kind) => sum + counts[kind], 0);
    if (operations === 0) return [];
    const cycles =
      KINDS.reduce((sum, kind) => sum + counts[kind] * CORTEX_M4F.cycles[kind], 0) + operations * CORTEX_M4F.moves;
    return [{ name, counts, operations, cycles, microseconds: cycles / CORTEX_M4F.megahertz }];
  });
}

function countsOf(model: RobotModel, call: RobotFunctionName): KindCounts {
  return summed(
    programsCalled(model, call).flatMap(({ counts, statements }) => [
      ...executed(counts, 1),
      ...statements.flatMap((own) => stumpffOf(own)),
    ]),
  );
}

function executed({ loops, ...own }: OperationCounts, times: number): KindCounts[] {
  return [byKind((kind) => times * own[kind]), ...loops.flatMap(({ rows, row }) => executed(row, times * rows))];
}

/** Below π², for every row of a loop. */
function stumpffOf(statement: Statement): KindCounts[] {
  if (statement.kind === 'stumpff') {
    const { add, multiply } = stumpffOperations(statement.names.map(({ order }) => order));
    return [{ add, multiply, divide: 0, sqrt: 0, call: 0 }];
  }
  const times = statement.kind === 'loop' ? statement.rows : 1;
  const inner = blocksOf(statement).flatMap((block) => block.flatMap((own) => stumpffOf(own)));
  return inner.map((own) => byKind((kind) => times * own[kind]));
}

function summed(all: readonly KindCounts[]): KindCounts {
  return byKind((kind) => all.reduce((sum, own) => sum + own[kind], 0));
}

const byKind = (count: (kind: keyof KindCounts) => number): KindCounts =>
  Object.fromEntries(KINDS.map((kind) => [kind, count(kind)])) as unknown as KindCounts;
