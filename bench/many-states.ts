/**
 * Times of forward dynamics and of implicit steps of many states at once against single calls, in C: two rods of six strains,
 * elastic and damped, as sampling controllers move them.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateC } from '../src/codegen/c/c.ts';
import { generateStraightBatchC } from '../src/codegen/c/straight-batch-c.ts';
import { generateStraightC } from '../src/codegen/c/straight-c.ts';
import { generatedCost } from '../src/codegen/whole-robot/straight-cost.ts';
import { straightModel } from '../src/codegen/whole-robot/straight-model.ts';
import { loadRobotFile } from '../src/description/load.ts';
import { compileRobot } from '../src/kane/compile.ts';
import { compileStraight } from '../src/straight/compile.ts';
import { Contest, refuseDifferences } from './contest.ts';
import { C_COMPILER, describeMachine } from './machine.ts';
import { NativeTimer, type NativeForm } from './native.ts';
import type { MeasuredRow, Measurement, RowName } from './row.ts';
import { timedStates } from './states.ts';

const WORKLOAD = 'two-rods-spatial';
const FILE = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), 'examples', 'scenarios');
/** Strains times length: further out rods are torn. */
const REACH = 0.03;

interface Pair {
  readonly function: 'forwardDynamics' | 'implicitStep';
  readonly metric: string;
  /** The forms of the robot in C; what they write to `tau` is compared. */
  readonly forms: (name: string) => readonly [batch: NativeForm, single: NativeForm];
}

const PAIRS: readonly Pair[] = [
  {
    function: 'forwardDynamics',
    metric: 'forward dynamics, batch / single calls, C',
    forms: (name) => [
      {
        name: 'batch',
        includes: [`${name}_straight_forward_batch.h`],
        batch: `${name}_straight_forward_dynamics_batch(STATES, q_soa, qd_soa, qdd_soa, tau_soa);`,
      },
      {
        name: 'single',
        includes: [`${name}_straight.h`],
        single: `${name}_straight_forward_dynamics(q[k], qd[k], qdd[k], tau[k]);`,
      },
    ],
  },
  {
    function: 'implicitStep',
    metric: 'implicit step, batch / single calls, C',
    forms: (name) => [
      {
        name: 'batch',
        includes: [`${name}_straight_implicit_batch.h`],
        declarations: 'static kg_real next_soa[N * STATES];',
        batch: `${name}_straight_implicit_step_batch(STATES, KG_REAL(1e-3), q_soa, qd_soa, qdd_soa, next_soa, tau_soa);`,
      },
      {
        name: 'single',
        includes: [`${name}_straight.h`],
        declarations: 'static kg_real next_one[N];',
        single: `${name}_straight_implicit_step(KG_REAL(1e-3), q[k], qd[k], qdd[k], next_one, tau[k]);`,
      },
    ],
  },
];

/** @param directory temporary, of the caller. */
export function manyStatesTimes(wanted: (name: RowName) => boolean, directory: string): Measurement[] {
  return PAIRS.filter(({ metric }) => wanted({ workload: WORKLOAD, metric })).map((pair) => ({
    names: [{ workload: WORKLOAD, metric: pair.metric }],
    measure: async () => [await measure(pair, directory)],
  }));
}

async function measure({ function: f, metric, forms }: Pair, directory: string): Promise<MeasuredRow> {
  const row = { workload: WORKLOAD, metric, unit: 'ratio' } as const;
  if (describeMachine().compiler === null) return { ...row, value: null, note: `no C compiler (${C_COMPILER})` };
  const robot = loadRobotFile(path.join(FILE, `${WORKLOAD}.robot.yaml`));
  const compiled = compileRobot(robot);
  const model = straightModel(robot, compiled, compileStraight(robot, { functions: [f], count: generatedCost }));
  const files = [
    ...(await generateC(robot, compiled)).filter((file) => !file.path.endsWith('_selftest.c')),
    ...(await generateStraightC(model)),
    ...(await generateStraightBatchC(model)),
  ];
  const states = timedStates(robot.coordinates.length, REACH);
  const timer = await NativeTimer.start(files, states, forms(model.robot.name), directory);
  try {
    const contestants = timer.contestants();
    await refuseDifferences(contestants);
    const contest = await Contest.hold(contestants);
    return { ...row, value: contest.ratio('batch', 'single') };
  } finally {
    timer.close();
  }
}
