/**
 * Rows of what actuators cost that reach from link to link, counted where they are carried out: tendons in straight pieces, forces in
 * world axes, wrenches that follow, formulas of coordinates and of frames.
 */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { generateTypeScript } from '../src/codegen/typescript/typescript.ts';
import type { LoadedRobot } from '../src/codegen/typescript/load.ts';
import { loadRobotObject } from '../src/description/load.ts';
import { compileRobot } from '../src/kane/compile.ts';
import { KG_OK, type Status } from '../src/runtime/driver.ts';
import { countedRobot } from './counted-code.ts';
import type { Measurement, RowName } from './row.ts';

const SOURCE = new URL('robots/terms-between-links.robot.yaml', import.meta.url);

/** Names of the actuators of each kind, and what one of them needs. */
const KINDS = {
  'tendons between links': ['far', 'across', 'through'],
  'forces in world axes': ['lift', 'push', 'wind'],
  'wrenches that follow': ['thrust', 'drag', 'twist'],
  'a formula of coordinates': ['belt'],
  'formulas of frames': ['winch', 'magnet', 'hook'],
} as const;

interface Call {
  readonly robot: Required<LoadedRobot>;
  readonly q: Float64Array;
  readonly qd: Float64Array;
  readonly qdd: Float64Array;
  readonly u: Float64Array;
  /** An array for results. */
  of(size: number): Float64Array;
}

/** Each at a state that is staged already, but for the first. */
const METRICS: Readonly<Record<string, (call: Call) => Status>> = {
  'operations, state, y and B': ({ robot, q, qd, of }) =>
    robot.update(q, qd) || robot.actuation(of(robot.actuators), null, null, of(robot.actuators * robot.coordinates)),
  'operations, rates of y': ({ robot, of }) => robot.actuation(null, of(robot.actuators), of(robot.actuators), null),
  'operations, forces B u': ({ robot, u, of }) => robot.actuate(u, of(robot.coordinates)),
  'operations, a direction of B u': ({ robot, u, q, of }) => robot.actuateTangent(1, u, q, of(robot.coordinates)),
  'operations, transpose of a step': ({ robot, u, qdd, of }) => {
    const n = robot.coordinates;
    return robot.implicitStepGradient(1e-3, qdd, u, qdd, of(n), of(n), of(n), of(2));
  },
  'operations, step of Newton’s method, with elimination': ({ robot, u, qdd, of }) =>
    robot.newtonStep(1e3, 1e6, qdd, u, qdd, of(robot.coordinates)),
};

/** @param wanted rows. */
export function termCounts(wanted: (name: RowName) => boolean): Measurement {
  const names = Object.keys(KINDS)
    .flatMap((workload) => Object.keys(METRICS).map((metric) => ({ workload, metric })))
    .filter(wanted);
  return {
    names,
    async measure() {
      const rows = [];
      for (const kind of new Set(names.map(({ workload }) => workload))) {
        const counts = await countsOf(kind as keyof typeof KINDS);
        for (const { workload, metric } of names)
          if (workload === kind)
            rows.push({ workload, metric, unit: 'operations' as const, value: counts.get(metric)! });
      }
      return rows;
    },
  };
}

async function countsOf(kind: keyof typeof KINDS): Promise<ReadonlyMap<string, number>> {
  const source = parse(readFileSync(SOURCE, 'utf8')) as { readonly actuators: Readonly<Record<string, unknown>> };
  const actuators = Object.fromEntries(KINDS[kind].map((name) => [name, source.actuators[name]]));
  const robot = loadRobotObject({ ...source, actuators });
  const files = await generateTypeScript(robot, compileRobot(robot, { derivatives: true }));
  const { robot: made, operations } = await countedRobot(files);
  const numbers = (size: number, phase: number): Float64Array =>
    Float64Array.from({ length: size }, (_, i) => 0.3 * Math.sin(1.3 * i + phase));
  const { coordinates: n } = made;
  const call: Call = {
    robot: made as Required<LoadedRobot>,
    q: numbers(n, 0.4),
    qd: numbers(n, 5.4),
    qdd: numbers(n, 9.4),
    u: numbers(made.actuators, 1),
    of: (size) => new Float64Array(size),
  };
  // Constants that follow from run-time parameters are there.
  call.robot.update(call.q, call.qd);
  return new Map(
    Object.entries(METRICS).map(([metric, run]) => {
      let status: Status = KG_OK;
      const count = operations(() => (status = run(call)));
      if (status !== KG_OK) throw new Error(`${kind}: ${metric} returns status ${String(status)}`);
      return [metric, count];
    }),
  );
}
