/**
 * Times of compilation and of generated code: npm run bench [-- --json FILE]. Medians of interleaved rounds, on whatever
 * machine this is; compare ratios within one run, not numbers between machines. What is measured: bench/README.md.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { generateC } from '../src/codegen/c.ts';
import { loadGenerated, type LoadedRobot } from '../src/codegen/load.ts';
import { generateTypeScript } from '../src/codegen/typescript.ts';
import { loadRobotFile, loadRobotObject } from '../src/description/load.ts';
import type { Robot } from '../src/description/robot.ts';
import { compileRobot } from '../src/kane/compile.ts';
import { formatTable } from '../src/cli/table.ts';

interface Row {
  readonly workload: string;
  readonly metric: string;
  readonly value: number;
  readonly unit: string;
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
const ROUNDS = 5;

function stateOf(n: number): { q: Float64Array; qd: Float64Array; qdd: Float64Array } {
  const fill = (value: number): Float64Array => new Float64Array(n).fill(value);
  return { q: fill(0.3), qd: fill(0.5), qdd: fill(0.7) };
}

/** Nanoseconds of one call of inverse dynamics in TypeScript. */
function timeTypeScript(dynamics: LoadedRobot, calls: number): number {
  const { q, qd, qdd } = stateOf(dynamics.coordinates);
  const tau = new Float64Array(dynamics.coordinates);
  const start = performance.now();
  for (let i = 0; i < calls; i++) {
    q[0] = 0.3 + 1e-9 * i;
    dynamics.inverseDynamicsAt(q, qd, qdd, tau);
  }
  return ((performance.now() - start) / calls) * 1e6;
}

const timer = (name: string, n: number): string => `#define _POSIX_C_SOURCE 199309L
#include "${name}.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int main(int argc, char **argv)
{
  static ${name}_workspace w;
  static kg_real q[${n}], qd[${n}], qdd[${n}], tau[${n}];
  long i, calls = argc > 1 ? atol(argv[1]) : 1000;
  struct timespec a, b;
  double sum = 0.0;
  for (i = 0; i < ${n}; i++) { q[i] = 0.3; qd[i] = 0.5; qdd[i] = 0.7; }
  clock_gettime(CLOCK_MONOTONIC, &a);
  for (i = 0; i < calls; i++) {
    q[0] = 0.3 + 1e-9 * (double)i;
    ${name}_inverse_dynamics_at(&w, &${name}_defaults, q, qd, qdd, tau);
    sum += tau[0];
  }
  clock_gettime(CLOCK_MONOTONIC, &b);
  printf("%.3f %g\\n", ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / (double)calls, sum);
  return 0;
}
`;

interface Built {
  readonly robot: Robot;
  readonly dynamics: LoadedRobot;
  readonly executable: string;
}

async function build(robot: Robot, directory: string): Promise<Built> {
  const compiled = compileRobot(robot);
  const create = await loadGenerated(await generateTypeScript(robot, compiled));
  const name = robot.name.replace(/-/g, '_');
  const files = (await generateC(robot, compiled)).filter((f) => !f.path.endsWith('_selftest.c'));
  const folder = mkdtempSync(path.join(directory, `${name}-`));
  for (const file of files) writeFileSync(path.join(folder, file.path), file.text);
  writeFileSync(path.join(folder, 'timer.c'), timer(name, robot.coordinates.length));
  const sources = [...files.map((f) => f.path).filter((p) => p.endsWith('.c')), 'timer.c'];
  execFileSync('cc', ['-std=c99', '-O2', ...sources, '-lm', '-o', 'timer'], { cwd: folder });
  return { robot, dynamics: create(), executable: path.join(folder, 'timer') };
}

const timeC = (built: Built, calls: number): number =>
  Number(execFileSync(built.executable, [String(calls)], { encoding: 'utf8' }).split(' ')[0]);

function chain(links: number): Robot {
  return loadRobotObject({
    kanegen: 1,
    name: `chain-${links}`,
    links: [{ body: 'planar-cc', repeat: links, parameters: { L: 0.2, R: 0.02, rho: 1062 } }],
  });
}

async function driverRows(directory: string): Promise<Row[]> {
  const names = ['planar-cc', 'planar-cc-20', 'pcc-3d', 'pcs', 'ur10e', 'panda', 'hybrid'];
  const built: Built[] = [];
  for (const name of names) built.push(await build(loadRobotFile(`examples/${name}.robot.yaml`), directory));
  const chains: Built[] = [];
  for (const links of [10, 100, 1000]) chains.push(await build(chain(links), directory));
  const all = [...built, ...chains];
  const calls = (b: Built): number => Math.max(200, Math.round(200_000 / b.robot.coordinates.length));
  all.forEach((b) => timeTypeScript(b.dynamics, calls(b))); // warm-up
  const times = all.map(() => ({ ts: [] as number[], c: [] as number[] }));
  for (let round = 0; round < ROUNDS; round++)
    all.forEach((b, i) => {
      times[i]!.ts.push(timeTypeScript(b.dynamics, calls(b)));
      times[i]!.c.push(timeC(b, calls(b)));
    });
  return all.flatMap((b, i) => {
    const [ts, c] = [median(times[i]!.ts), median(times[i]!.c)];
    const workload = b.robot.name;
    const perLink = {
      workload,
      metric: 'inverse dynamics in one call, C, per link',
      value: c / b.robot.links.length,
      unit: 'ns',
    };
    return [
      { workload, metric: 'inverse dynamics in one call, TypeScript', value: ts, unit: 'ns' },
      { workload, metric: 'inverse dynamics in one call, C', value: c, unit: 'ns' },
      { workload, metric: 'TypeScript / C', value: ts / c, unit: 'ratio' },
      ...(workload.startsWith('chain') ? [perLink] : []),
    ];
  });
}

/** `kanegen compile` from process start, both targets. */
function compileRows(directory: string): Row[] {
  return ['planar-cc-20', 'pcs', 'pcs-tapered'].map((name) => {
    const times = Array.from({ length: ROUNDS }, () => {
      const start = performance.now();
      execFileSync(process.execPath, [
        'dist/cli.js',
        'compile',
        `examples/${name}.robot.yaml`,
        '--out',
        path.join(directory, `out-${name}`),
      ]);
      return (performance.now() - start) / 1000;
    });
    return {
      workload: name,
      metric: 'kanegen compile, TypeScript and C, from process start',
      value: median(times),
      unit: 's',
    };
  });
}

const directory = mkdtempSync(path.join(tmpdir(), 'kanegen-bench-'));
try {
  const rows = [...compileRows(directory), ...(await driverRows(directory))];
  const machine = `${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores, Node ${process.version}`;
  console.log(machine);
  console.log(
    formatTable(
      [
        ['workload', 'metric', 'value', 'unit'],
        ...rows.map((r) => [r.workload, r.metric, r.value.toPrecision(3), r.unit]),
      ],
      [2],
    ),
  );
  const at = process.argv.indexOf('--json');
  const file = at >= 0 ? process.argv[at + 1] : undefined;
  if (file) writeFileSync(file, `${JSON.stringify({ machine, rows }, null, 2)}\n`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
