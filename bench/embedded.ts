/**
 * npm run bench:embedded [-- --update] [--only TEXT]: machine instructions, stack and bytes of calls on small processors, counted in QEMU and
 * compared with baseline-embedded.json. Exit code 1 when a number of instructions has risen. Needs arm-none-eabi-gcc with newlib and
 * qemu-system-arm; without them it says so and ends.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { load } from '../src/api/load.ts';
import type { StraightChoice } from '../src/api/straight.ts';
import { compareWithBaseline, describeDifference, isRegression, baselineOf, type Baseline } from './baseline.ts';
import {
  compilerVersion,
  EMPTY,
  measureCall,
  missingTools,
  VARIANTS,
  type MeasuredCall,
  type Variant,
} from './embedded-image.ts';
import type { GeneratedFile } from '../src/codegen/modules/robot-model.ts';
import type { MeasuredRow } from './row.ts';

const BASELINE = fileURLToPath(new URL('baseline-embedded.json', import.meta.url));

interface Kept {
  readonly compiler: string;
  readonly instructions: Baseline;
}

/** A call, and the most instructions that it should take, as `float` without fused multiplications. */
interface Case {
  readonly robot: string;
  readonly call: string;
  readonly bar?: number;
  /** Code of these functions alone. */
  readonly functions?: readonly string[];
  readonly straight?: StraightChoice;
  readonly measured: (names: Names) => MeasuredCall;
}

interface Names {
  readonly name: string;
  readonly n: number;
  readonly u: number;
  /** First argument of straight-line functions of robots with run-time parameters. */
  readonly p: string;
}

const INVERSE: StraightChoice = { functions: ['inverseDynamics'] };

/** q to 4π, the others to 2. */
const state = (n: number, ...others: readonly string[]): MeasuredCall['inputs'] => [
  { name: 'q', size: n, largest: 12.566370614359172 },
  ...others.map((name) => ({ name, size: n, largest: 2 })),
];

const driverCall =
  (call: (name: string) => string) =>
  ({ name, n }: Names): MeasuredCall => ({
    headers: [`${name}.h`],
    declarations: `extern ${name}_workspace w;\n${name}_workspace w;`,
    setup: '',
    call: call(name),
    inputs: state(n, 'qd', 'qdd'),
    outputs: { tau: n },
  });

const straightCall =
  (call: string) =>
  ({ name, n, p }: Names): MeasuredCall => ({
    headers: [`${name}_straight.h`],
    declarations: '',
    setup: '',
    call: `${name}_straight_${call}(${p}q, qd, qdd, tau)`,
    inputs: state(n, 'qd', 'qdd'),
    outputs: { tau: n },
  });

/** @param y numbers of the reference: as many as coordinates or as inputs. */
const step =
  (controller: string, y: 'n' | 'u') =>
  (names: Names): MeasuredCall => {
    const symbol = `${names.name}_${controller}`;
    return {
      headers: [`${symbol}.h`],
      declarations: `extern ${names.name}_workspace w;\n${names.name}_workspace w;\nstatic ${symbol}_state controller;`,
      setup: `${symbol}_reset(&controller);`,
      call: `${symbol}_step(&w, &${names.name}_defaults, &controller, &${symbol}_defaults, q, qd, y, yd, ydd, u)`,
      inputs: [...state(names.n, 'qd'), ...['y', 'yd', 'ydd'].map((name) => ({ name, size: names[y], largest: 2 }))],
      outputs: { u: names.u },
    };
  };

const inverse = driverCall((name) => `${name}_inverse_dynamics_at(&w, &${name}_defaults, q, qd, qdd, tau)`);
const staged = driverCall(
  (name) => `${name}_update(&w, &${name}_defaults, q, qd) | ${name}_inverse_dynamics(&w, qdd, tau)`,
);
const straightInverse = straightCall('inverse_dynamics');
const MOTORS = 'examples/scenarios/ur10e-motors.robot.yaml';

const CASES: readonly Case[] = [
  {
    robot: 'examples/ur10e.robot.yaml',
    call: 'inverse dynamics, straight',
    bar: 700,
    straight: INVERSE,
    measured: straightInverse,
  },
  { robot: 'examples/ur10e.robot.yaml', call: 'inverse dynamics, driver', bar: 1400, measured: inverse },
  { robot: MOTORS, call: 'computed torque', bar: 1150, measured: step('track', 'n') },
  { robot: MOTORS, call: 'pd', bar: 900, measured: step('hold', 'n') },
  {
    robot: 'examples/planar-cc.robot.yaml',
    call: 'inverse dynamics, straight',
    bar: 900,
    straight: INVERSE,
    measured: straightInverse,
  },
  { robot: 'examples/planar-cc.robot.yaml', call: 'inverse dynamics, driver', bar: 2200, measured: inverse },
  {
    robot: 'examples/pcc-3d.robot.yaml',
    call: 'inverse dynamics, straight',
    bar: 4000,
    straight: INVERSE,
    measured: straightInverse,
  },
  {
    robot: 'examples/scenarios/tendon-control.robot.yaml',
    call: 'partial feedback linearisation',
    bar: 16000,
    measured: step('lengths', 'u'),
  },
  { robot: 'examples/elastic-rod.robot.yaml', call: 'update and inverse dynamics', bar: 45000, measured: staged },
  {
    robot: 'examples/elastic-rod.robot.yaml',
    call: 'update and inverse dynamics, no other functions',
    functions: ['inverse-dynamics'],
    measured: staged,
  },
];

async function codeOf({ robot, functions, straight: choice }: Case): Promise<{ files: GeneratedFile[]; names: Names }> {
  const loaded = await load(robot);
  const compiled = await loaded.compile(functions ? { functions } : {});
  const files = await compiled.files({ target: 'c', ...(choice && { straight: choice }) });
  const code = files
    .filter(({ path }) => /^c\/.*\.[ch]$/.test(path) && !path.endsWith('_selftest.c'))
    .map((file) => ({ ...file, path: file.path.slice(2) }));
  const name = code.find(({ path }) => path.endsWith('.h'))!.path.slice(0, -2);
  const header = code.find(({ path }) => path === `${name}_straight.h`);
  const p = header?.text.includes(`const ${name}_parameters *p`) ? `&${name}_defaults, ` : '';
  return { files: code, names: { name, n: loaded.coordinates.length, u: loaded.actuators.length, p } };
}

async function run(only: string | undefined, update: boolean): Promise<void> {
  const missing = missingTools();
  if (missing.length > 0) {
    console.log(
      `skipped: ${missing.join(', ')} missing (Debian: gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm)`,
    );
    return;
  }
  const empty = new Map<Variant, number>();
  for (const variant of VARIANTS) empty.set(variant, (await measureCall([], EMPTY, variant)).code);
  console.log(
    '| robot | call | processor | instructions, most | fewest | bar | refused | bytes of code | workspace | stack |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|---|');
  const rows: MeasuredRow[] = [];
  for (const own of CASES.filter(({ robot, call }) => only === undefined || `${robot} ${call}`.includes(only))) {
    const { files, names } = await codeOf(own);
    for (const variant of VARIANTS) {
      const { most, fewest, refused, stack, code, workspace } = await measureCall(files, own.measured(names), variant);
      rows.push({ workload: names.name, metric: `${own.call}, ${variant.title}`, value: most, unit: 'operations' });
      const bar =
        variant === VARIANTS[0] && own.bar !== undefined ? `${own.bar}${most > own.bar ? ' missed' : ''}` : '';
      const cells = [
        names.name,
        own.call,
        variant.title,
        most,
        fewest,
        bar,
        refused,
        code - empty.get(variant)!,
        workspace,
        stack,
      ];
      console.log(`| ${cells.join(' | ')} |`);
    }
  }
  compare(rows, only, update);
}

function compare(rows: readonly MeasuredRow[], only: string | undefined, update: boolean): void {
  const compiler = compilerVersion();
  if (update) {
    writeFileSync(
      BASELINE,
      `${JSON.stringify({ compiler, instructions: baselineOf(rows) } satisfies Kept, null, 2)}\n`,
    );
    console.log(`\nbench/baseline-embedded.json: ${rows.length} counts written`);
    return;
  }
  const kept = JSON.parse(readFileSync(BASELINE, 'utf8')) as Kept;
  const differences = compareWithBaseline(rows, kept.instructions).filter(
    ({ now }) => only === undefined || now !== undefined,
  );
  console.log('');
  for (const difference of differences) console.log(describeDifference(difference));
  if (differences.length === 0)
    console.log(`${rows.length} numbers of instructions as in bench/baseline-embedded.json`);
  if (compiler !== kept.compiler) console.log(`not judged: the baseline is of ${kept.compiler}, this is ${compiler}`);
  else if (differences.some(isRegression)) {
    console.log('Find out why, or take the counts over on purpose: npm run bench:embedded -- --update');
    process.exitCode = 1;
  }
}

const only = process.argv.indexOf('--only');
await run(only < 0 ? undefined : process.argv[only + 1], process.argv.includes('--update'));
