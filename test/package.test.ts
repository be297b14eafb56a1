/**
 * The package as users get it: packed, installed in an empty folder, its commands run as the README writes them, its types
 * checked by a strict program. What the package forgets to bring is missing there, and nowhere else.
 */
import { execFile, execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtCommand } from './built-command.ts';
import { QUICK } from './compilers.ts';

interface PackageJson {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const own = JSON.parse(readFileSync('package.json', 'utf8')) as PackageJson;
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  readonly packages: Readonly<
    Record<string, { readonly version: string; readonly dev?: boolean; readonly optional?: boolean }>
  >;
};
const readme = readFileSync('README.md', 'utf8');
const tsc = path.resolve('node_modules/typescript/bin/tsc');
let folder = '';

async function run(command: string, parameters: readonly string[]): Promise<Outcome> {
  try {
    // What C compilers say of the code, other tests see.
    const env = { ...process.env, KANEGEN_CC: process.env['KANEGEN_CC'] ?? QUICK.compiler };
    const options = { cwd: folder, maxBuffer: 1 << 26, env };
    const { stdout, stderr } = await promisify(execFile)(command, parameters, options);
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const failure = error as { code: number; stdout: string; stderr: string };
    return { code: failure.code, out: failure.stdout, err: failure.stderr };
  }
}

const npx = (line: string): Promise<Outcome> => {
  const [command, ...parameters] = line.split(' ');
  return run(path.join(folder, 'node_modules/.bin', command!), parameters);
};

/** Installs by npm; without a registry the package is unpacked and gets the dependencies that it names, and no others. */
function install(tarball: string): void {
  try {
    const options = ['--prefer-offline', '--no-audit', '--no-fund', '--fetch-retries=0'];
    execFileSync('npm', ['install', tarball, ...options], { cwd: folder, stdio: 'pipe' });
  } catch {
    const modules = path.join(folder, 'node_modules');
    mkdirSync(path.join(modules, 'kanegen'), { recursive: true });
    execFileSync('tar', ['-xzf', tarball, '-C', path.join(modules, 'kanegen'), '--strip-components=1']);
    for (const name of Object.keys(own.dependencies))
      symlinkSync(path.resolve('node_modules', name), path.join(modules, name), 'junction');
    mkdirSync(path.join(modules, '.bin'));
    symlinkSync('../kanegen/dist/cli.js', path.join(modules, '.bin/kanegen'));
  }
}

beforeAll(async () => {
  await builtCommand();
  folder = mkdtempSync(path.join(tmpdir(), 'kanegen-package-'));
  execFileSync(process.execPath, ['scripts/declarations.mjs'], { stdio: 'pipe' });
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { stdio: 'pipe' });
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))!;
  writeFileSync(path.join(folder, 'package.json'), '{ "name": "user", "private": true, "type": "module" }\n');
  install(path.join(folder, tarball));
  const arm = /```yaml\n([\s\S]*?)```/.exec(readme)![1]!;
  writeFileSync(path.join(folder, 'arm.robot.yaml'), arm);
  writeFileSync(path.join(folder, 'swing.urdf'), SWING);
  writeFileSync(path.join(folder, 'driven.robot.yaml'), DRIVEN);
  writeFileSync(path.join(folder, 'path.csv'), 't,link3 x,link3 y,link3 z\n0,0.2,0,0.4\n1,0.2,0,0.42\n');
  writeFileSync(
    path.join(folder, 'swing.scenario.yaml'),
    'kanegen-scenario: 1\nrobot: swing.robot.yaml\nduration: 0.1 s\n',
  );
  const state = { q: [0.1, 0.2, 0.3], qd: [0, 0, 0], qdd: [0, 0, 0] };
  writeFileSync(path.join(folder, 'S.json'), JSON.stringify({ states: [state] }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the package', () => {
  it('brings every package once: in the bundle or as a dependency', () => {
    const licences = readFileSync(path.join(folder, 'node_modules/kanegen/dist/third-party-licences.txt'), 'utf8');
    const bundled = [...licences.matchAll(/^(\S+) \d+\.\d+\.\d+\S* \(.+\)$/gm)].map((match) => match[1]!);
    expect(bundled).toEqual(expect.arrayContaining(['mathjs', 'yaml', 'zod', 'vega']));
    // Pages have no packages: only the code for browsers brings these, too.
    const dist = path.join(folder, 'node_modules/kanegen/dist');
    const scripts = readdirSync(dist).filter((name) => name.endsWith('.js'));
    const code = scripts.map((name) => readFileSync(path.join(dist, name), 'utf8')).join('\n');
    for (const name of Object.keys(own.dependencies)) {
      expect(code).toMatch(new RegExp(`["']${name.replace('.', '\\.')}`));
      expect(existsSync(path.join(folder, 'node_modules', name))).toBe(true);
    }
  });

  it('lists what it is made of: every package in the bundle, and every one that is installed beside it', () => {
    const read = (name: string): string => readFileSync(path.join(folder, 'node_modules/kanegen', name), 'utf8');
    const { bomFormat, components, dependencies } = JSON.parse(read('dist/sbom.cdx.json')) as {
      readonly bomFormat: string;
      readonly components: readonly {
        readonly 'bom-ref': string;
        readonly name: string;
        readonly version: string;
        readonly purl: string;
        readonly hashes: readonly { readonly content: string }[];
        readonly licenses: readonly object[];
        readonly properties: readonly { readonly name: string; readonly value: string }[];
      }[];
      readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
    };
    expect(bomFormat).toBe('CycloneDX');
    const named = components.map(({ name, version }) => `${name} ${version}`);
    const heads = [...read('dist/third-party-licences.txt').matchAll(/^(\S+ \d+\.\d+\.\d+\S*) \(.+\)$/gm)];
    const isBundled = ({ properties }: (typeof components)[number]): boolean =>
      properties.some(({ name }) => name === 'cdx:npm:package:bundled');
    expect(heads.map((match) => match[1]!).sort()).toEqual(named.filter((_, i) => isBundled(components[i]!)).sort());
    for (const [name, { version, dev, optional }] of Object.entries(lock.packages)) {
      const own = name.replace(/^.*node_modules\//, '');
      if (own !== '' && !dev && !optional) expect(named).toContain(`${own} ${version}`);
    }
    expect(named.some((name) => /^(vitest|eslint|esbuild) /.test(name))).toBe(false);
    for (const { purl, version, hashes, licenses } of components) {
      expect(purl).toMatch(/^pkg:npm\//);
      expect(purl.endsWith(`@${version}`)).toBe(true);
      expect(hashes[0]!.content).toMatch(/^[0-9a-f]{40,128}$/);
      expect(licenses).not.toEqual([]);
    }
    const refs = new Set(components.map((component) => component['bom-ref']));
    for (const other of dependencies.flatMap(({ dependsOn }) => dependsOn)) expect(refs).toContain(other);
  });

  it('is what an archive of a few megabytes holds', () => {
    const archive = readdirSync(folder).find((name) => name.endsWith('.tgz'))!;
    // 2.8 MB for Node, and 0.8 MB for pages, which share no file with it: other texts, other packages within.
    expect(readFileSync(path.join(folder, archive)).length).toBeLessThan(3.8e6);
  });
});

const SWING = `<robot name="swing"><link name="base"/><link name="bob"><inertial><mass value="1"/>
<inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="pin" type="continuous"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/></joint></robot>
`;

const DRIVEN = `kanegen: 1
name: driven
links: [{ name: bob, joint: { revolute: y }, rigid: { mass: 1 kg, com: [0, 0, 0.2] } }]
actuators: { turn: { motor: bob.angle, limits: [-5 N m, 5 N m] } }
controllers: { track: { computed-torque: { kp: 100 1/s^2, kd: 20 1/s } } }
states: { up: { bob.angle: 1 rad } }
`;

const EXAMPLE = 'node_modules/kanegen/examples/identification/soft-arm';

/** Every command of the README's table, and what its output says when it worked. */
const LINES: readonly (readonly [line: string, said: RegExp])[] = [
  ['kanegen init', /Wrote my-robot\.robot\.yaml/],
  ['kanegen compile my-robot.robot.yaml', /links of 3 link types → \d+ files in generated\/my-robot/],
  ['kanegen compile arm.robot.yaml', /links of one link type → \d+ files in generated\/planar-cc-arm/],
  ['kanegen compile arm.robot.yaml --straight --target js,c,wasm --out straight', /straight-line functions →/],
  ['kanegen compile arm.robot.yaml --target fmu --fmi 3 --out fmu', /→ 2 files in fmu/],
  [
    `kanegen compile ${EXAMPLE}.robot.yaml --straight --functions gravity --regressor --out regressor`,
    /2 straight-line/,
  ],
  ['kanegen import swing.urdf --out swing.robot.yaml', /swing\.robot\.yaml/],
  ['kanegen evaluate arm.robot.yaml --states S.json', /"tau": \[/],
  ['kanegen check arm.robot.yaml', /0\.80073 kg, 0\.6 m from base to tip/],
  ['kanegen verify arm.robot.yaml --states 1', /checks passed/],
  ['kanegen explain arm.robot.yaml', /Kinematics, regular at every configuration/],
  ['kanegen explain arm.robot.yaml --states S.json', /"states"/],
  ['kanegen statics arm.robot.yaml', /NOT stable: smallest eigenvalue/],
  ['kanegen linearise arm.robot.yaml', /\d Hz/],
  ['kanegen view arm.robot.yaml --html arm.html', /arm\.html: a page that needs nothing else/],
  ['kanegen ik arm.robot.yaml --pose 0.2,0,0.4', /is there, to/],
  ['kanegen plan arm.robot.yaml --path path.csv --out plan.csv', /plan\.csv: t, /],
  [
    'kanegen simulate swing.scenario.yaml --out swing.csv --plot swing.svg --film swing.gif --fps 2 --size 160',
    /balance closes to/,
  ],
  [
    'kanegen compare arm.robot.yaml --links 1,2 --states 2 --rounds 1 --formulations recursion --out compared',
    /recursion/,
  ],
  [
    `kanegen identify ${EXAMPLE}.robot.yaml --data ${EXAMPLE}.csv`,
    /3 combinations of 3 parameters from 401 instants[^]*--set rho=10/,
  ],
  ['kanegen assemble node_modules/kanegen/examples/mechanisms/four-bar.robot.yaml', /degrees? of freedom/],
  ['kanegen board driven.robot.yaml --board qemu-m4 --to up', /driven on Cortex-M4F of QEMU/],
  ['kanegen reference . --only none', /^$/],
  ['kanegen completion bash', /complete -o default -F _kanegen kanegen/],
  ['kanegen cache', /entr(y|ies), \d+\.\d MB of 256 MB at most/],
  ['kanegen demo', /checks passed/],
];

/** Run from the package where everything is asked for: `.ci/run` shows the demo from dist/, and other lines run the same commands. */
const IN_FULL: ReadonlySet<string> = new Set([
  'kanegen demo',
  'kanegen compile my-robot.robot.yaml',
  'kanegen compile arm.robot.yaml --target fmu --fmi 3 --out fmu',
  'kanegen compare arm.robot.yaml --links 1,2 --states 2 --rounds 1 --formulations recursion --out compared',
  'kanegen compile arm.robot.yaml --straight --target js,c,wasm --out straight',
  'kanegen explain arm.robot.yaml --states S.json',
  `kanegen compile ${EXAMPLE}.robot.yaml --straight --functions gravity --regressor --out regressor`,
]);

describe('the commands of the README', () => {
  it('are all among those that run here', () => {
    const commands = [...readme.matchAll(/^\| `kanegen ([\w-]+)/gm)].map((match) => match[1]!);
    expect(commands.length).toBeGreaterThan(7);
    expect(LINES.map(([line]) => line.split(' ')[1])).toEqual(expect.arrayContaining(commands));
  });

  const lines = LINES.filter(([line]) => process.env['KANEGEN_FULL'] === '1' || !IN_FULL.has(line));
  it.each(lines)('%s', async (line, said) => {
    const { code, out, err } = await npx(line);
    expect(err).not.toMatch(/ENOENT|internal/);
    if (line.includes('reference')) expect({ code, err }).toMatchObject({ code: 1, err: /has no reference file/ });
    else expect({ code, err }).toMatchObject({ code: 0 });
    expect(out).toMatch(said);
  });

  it('move its examples, line by line', async () => {
    const block = /## It moves\n\n```sh\n([\s\S]*?)```/.exec(readme)![1]!;
    const lines = block.trim().split('\n');
    expect(lines.length).toBe(3);
    for (const line of lines) {
      const command = /^npx (.+?) +#/.exec(line)![1]!.replaceAll('examples/', 'node_modules/kanegen/examples/');
      expect(await npx(command)).toMatchObject({ code: 0, err: '' });
    }
    expect(existsSync(path.join(folder, 'swing.html'))).toBe(true);
  });

  it.runIf(process.env['KANEGEN_FULL'] === '1')('leave a plot of a comparison', () => {
    expect(readFileSync(path.join(folder, 'compared/compare.svg'), 'utf8')).toMatch(/^<svg/);
  });
});

/** A program against the library that uses its types closely. */
const PROGRAM = `
import { KanegenError, loadRobot, verifyRobot, type RobotInMemory, type VerificationReport } from 'kanegen';
import { load, type RobotCode, type RunningRobot, type SymbolicRobot } from 'kanegen';
import { equilibrium, linearise, loadScenario, simulate } from 'kanegen';
import type { Derivatives, Dynamics, Equilibrium, Linearisation, MaterialPoints, Run, Scenario, Status } from 'kanegen';

const { robot, dynamics }: RobotInMemory = await loadRobot('arm.robot.yaml');
const tau = new Float64Array(robot.coordinates.length);
export const all: Dynamics & Partial<Derivatives & MaterialPoints> = dynamics;
export const status: Status = dynamics.update([0.1, 0.2, 0.3], [0, 0, 0]);
dynamics.inverseDynamics([0, 0, 0], tau);
console.log(JSON.stringify([...tau]));

// Equilibria, small motions about one, and a run.
const exact = await loadRobot('arm.robot.yaml', { derivatives: true });
const found: Equilibrium = equilibrium(exact.robot, exact.dynamics);
const small: Linearisation = linearise(exact.robot, exact.dynamics, { q: found.q, qd: [0, 0, 0] });
const scenario: Scenario = loadScenario('node_modules/kanegen/examples/scenarios/swing.scenario.yaml');
const moving = await loadRobot('node_modules/kanegen/examples/scenarios/swing.robot.yaml');
const run: Run = simulate(scenario, moving.dynamics, (t) => t < 0.2);
console.log(JSON.stringify([found.residual <= 1e-9 * found.scale, small.A.length, run.failure?.message ?? '', run.samples.at(-1)?.q.length ?? 0]));

// The same by verbs of one object; derivatives are there for certain where they are asked for.
const arm: SymbolicRobot = await load('arm.robot.yaml');
const code: RobotCode<{ readonly derivatives: true }> = await arm.compile({ derivatives: true });
const running: RunningRobot<{ readonly derivatives: true }> = await code.run({ check: true });
running.update([0.1, 0.2, 0.3], [0, 0, 0]);
running.inverseDynamicsTangent(1, [0, 0, 0], [1, 0, 0], null, null, tau);
running.inverseDynamics([0, 0, 0], tau);
console.log(JSON.stringify([...tau]));
console.log(JSON.stringify((await code.files({ target: 'c' })).map(({ path }) => path).includes('c/planar_cc_arm.c')));

export async function passes(): Promise<boolean> {
  const report: VerificationReport = await verifyRobot(robot, dynamics, { seed: 1, states: 1 });
  return report.checks.every((check) => check.passed);
}

// @ts-expect-error: a robot file is a path or an object.
await loadRobot(7).catch((error: unknown) => {
  if (!(error instanceof KanegenError)) throw error;
  console.log(error.problems.length);
});
`;

describe('the library', () => {
  // Node's resolution is the stricter one, and what it makes runs below.
  const projects = [
    ['node16', { module: 'node16' }],
    ['bundler', { module: 'esnext', moduleResolution: 'bundler' }],
  ] as const;
  it.each(projects.filter(([name]) => name === 'node16' || process.env['KANEGEN_FULL'] === '1'))(
    'has types for a strict program, its own included (%s)',
    async (name, options) => {
      const project = path.join(folder, name);
      mkdirSync(project);
      writeFileSync(path.join(project, 'main.ts'), PROGRAM);
      writeFileSync(path.join(project, 'console.d.ts'), 'declare const console: { log(text: unknown): void };');
      const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
      const platform = { target: 'es2022', lib: ['es2023'], types: [] };
      writeFileSync(
        path.join(project, 'tsconfig.json'),
        JSON.stringify({ compilerOptions: { ...strict, ...platform, ...options } }),
      );
      expect(await run(process.execPath, [tsc, '-p', name])).toEqual({ code: 0, out: '', err: '' });
    },
  );

  it('computes what the command computes', async () => {
    const { code, out, err } = await run(process.execPath, ['node16/main.js']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const { out: evaluated } = await npx('kanegen evaluate arm.robot.yaml --states S.json');
    const { states } = JSON.parse(evaluated) as { states: { tau: number[] }[] };
    const [tau, motion, same, hasC] = out.split('\n').map((line) => JSON.parse(line || 'null') as unknown);
    expect(tau).toEqual(states[0]!.tau);
    expect(same).toEqual(tau);
    expect(hasC).toBe(true);
    expect(motion).toEqual([true, 6, 'interrupted', 2]);
  });

  // Node 20 has it from 20.19 on.
  const [major, minor] = process.versions.node.split('.').map(Number) as [number, number];
  it.runIf(major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19))(
    'is there for CommonJS',
    async () => {
      const script =
        "const { load } = require('kanegen'); load('arm.robot.yaml').then(({ coordinates }) => console.log(coordinates.length));";
      expect(await run(process.execPath, ['--no-warnings', '-e', script])).toEqual({ code: 0, out: '3\n', err: '' });
    },
  );
});
