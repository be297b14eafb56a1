/** Bodies that are integrated by points or steps: rows of their loops, operations and time per row. */
import { robotModel, type LinkModel } from '../src/codegen/modules/robot-model.ts';
import { stumpffTops } from '../src/codegen/programs/statement.ts';
import { loadRobotObject } from '../src/description/load.ts';
import type { Robot } from '../src/description/model/robot.ts';
import { compileRobot } from '../src/kane/compile.ts';
import type { LinkFunctionName } from '../src/kane/kernels/link-functions.ts';
import { Contest, refuseDifferences } from './contest.ts';
import { formsOf, type FormName } from './forms.ts';
import { C_COMPILER } from './machine.ts';
import type { MeasuredRow, Measurement, RowName } from './row.ts';
import { timedStates } from './states.ts';
import type { OperationCounts } from '../src/codegen/operations/operation-counts.ts';

const BOTH: ReadonlySet<FormName> = new Set<FormName>(['driver, TypeScript', 'driver, C']);

interface PointWorkload {
  readonly name: string;
  readonly body: string;
  /** More keys of the body type. */
  readonly keys?: Readonly<Record<string, unknown>>;
}

/** One link each, with the parameters that the library gives. */
const workloads: readonly PointWorkload[] = [
  { name: 'lvp', body: 'lvp' },
  { name: 'lvp-8', body: 'lvp-8' },
  { name: 'variable-radius', body: 'variable-radius' },
  { name: 'pgc', body: 'pgc' },
  { name: 'gvs-legendre-1e-9', body: 'gvs-legendre', keys: { integration: { tolerance: 1e-9 } } },
  { name: 'gvs-affine-planar', body: 'gvs-affine-planar' },
  { name: 'gvs-affine-3d', body: 'gvs-affine-3d' },
  { name: 'gvs-affine-3d-jacobian', body: 'gvs-affine-3d', keys: { integration: { recursion: 'jacobian' } } },
];

/** Of the coordinates of timed states: further out, formulas of some bodies are beyond their domain. */
const REACH = 0.3;

const METRICS = {
  rows: 'rows of the loops of inverse dynamics',
  operations: 'operations per row, inverse dynamics',
  c: 'inverse dynamics per row, C',
  typescript: 'inverse dynamics per row, TypeScript',
  ratio: 'inverse dynamics, TypeScript / C',
} as const;

function robotOf({ name, body, keys }: PointWorkload): Robot {
  const type = keys ? { 'body-types': { [name]: { extends: body, ...keys } } } : {};
  return loadRobotObject({ kanegen: 1, name, ...type, links: [{ name: 'body', body: keys ? name : body }] });
}

/** Additions, multiplications, divisions, roots and calls; a Stumpff evaluation counts as one call. */
export function totalOfRow(counts: OperationCounts): number {
  const { add, multiply, divide, sqrt, call } = counts;
  return add + multiply + divide + sqrt + call + stumpffTops(counts).length;
}

/** Rows of the longest loop of some functions of a link, and operations of all their loops divided by them. */
export function loopCosts(
  { programs }: LinkModel,
  functions: readonly LinkFunctionName[] = ['forward', 'backward'],
): { rows: number; operations: number } {
  const loops = programs
    .filter(({ name }) => functions.includes(name as LinkFunctionName))
    .flatMap((program) => program.counts.loops);
  const rows = Math.max(0, ...loops.map((loop) => loop.rows));
  const work = loops.reduce((sum, loop) => sum + loop.rows * totalOfRow(loop.row), 0);
  return { rows, operations: rows === 0 ? 0 : work / rows };
}

function measurementOf(workload: PointWorkload, directory: string): Measurement {
  const { name } = workload;
  return {
    names: Object.values(METRICS).map((metric) => ({ workload: name, metric })),
    async measure() {
      const robot = robotOf(workload);
      const { rows, operations } = loopCosts(robotModel(robot, compileRobot(robot)).links[0]!);
      const forms = await formsOf(robot, BOTH, directory, timedStates(robot.coordinates.length, REACH));
      try {
        await refuseDifferences(forms.contestants);
        const contest = await Contest.hold(forms.contestants);
        const perRow = (form: FormName): number | null => {
          const time = contest.time(form);
          return time === null || rows === 0 ? null : time / rows;
        };
        const missing = (value: number | null): { note: string } | object =>
          value === null ? { note: rows === 0 ? 'closed form: no loop' : `no C compiler (${C_COMPILER})` } : {};
        const c = perRow('driver, C');
        const typescript = perRow('driver, TypeScript');
        const ratio = contest.ratio('driver, TypeScript', 'driver, C');
        return [
          { workload: name, metric: METRICS.rows, value: rows, unit: 'rows' },
          { workload: name, metric: METRICS.operations, value: Math.round(operations), unit: 'operations' },
          { workload: name, metric: METRICS.c, value: c, unit: 'ns', ...missing(c) },
          { workload: name, metric: METRICS.typescript, value: typescript, unit: 'ns', ...missing(typescript) },
          { workload: name, metric: METRICS.ratio, value: ratio, unit: 'ratio', ...missing(ratio) },
        ] satisfies MeasuredRow[];
      } finally {
        forms.close();
      }
    },
  };
}

/** @param directory temporary, of the caller. */
export function pointTimes(wanted: (name: RowName) => boolean, directory: string): Measurement[] {
  return workloads
    .map((workload) => measurementOf(workload, directory))
    .map(({ names, measure }) => ({
      names: names.filter(wanted),
      measure: async () => (await measure()).filter(wanted),
    }))
    .filter(({ names }) => names.length > 0);
}
