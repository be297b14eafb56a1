/** Shells, observers and environments of packages for Python, against the same in generated TypeScript. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { platformOf } from '../../../src/codegen/doors/python/wheel.ts';
import { load, loadScenario, scenarioTable } from '../../../src/index.ts';
import type { GeneratedFile } from '../../../src/codegen/modules/robot-model.ts';
import { isInstalled } from '../../compilers.ts';
import { runInProcess } from '../../cli/in-process.ts';

const ROBOT = `
kanegen: 1
name: shelled-arm
parameters: { stroke: 1 mm }
links:
  - { name: shaker, joint: { prismatic: x, prescribed: stroke*sin(9*t) }, rigid: { mass: 1 kg } }
  - { name: arm, joint: { revolute: y, limits: [-2 rad, 2 rad], damping: 0.1 N m s/rad }, rigid: { mass: 1 kg, com: [0, 0, 0.1] } }
actuators: { m: { motor: arm.angle, limits: [-20 N m, 20 N m] } }
controllers:
  track:
    computed-torque: { kp: 225 1/s^2, kd: 30 1/s }
    shell: { period: 1 ms, rate: 400 N m/s, blend: 1 s, velocity: { tracking-loop: 120 1/s } }
observers:
  watch: { kalman: { period: 1 ms, measurements: [{ actuator: m, noise: 1 mrad }], process: 1 mN m, uncertainty: 0.5 rad } }
`;
const SCENARIO = `
kanegen-scenario: 1
robot: arm.robot.yaml
controller: { name: track, period: 4 ms }
reference: { arm.angle: { waypoints: [[0, 0 rad], [0.2 s, 0.5 rad]] } }
forces: { arm.angle: 0.1*t }
loads: { arm: { force: [0.1, 0, 0] } }
duration: 0.4 s
`;
const isFull = process.env['KANEGEN_FULL'] === '1';
const hasNumPy = spawnSync('python3', ['-c', 'import numpy']).status === 0;

const folder = mkdtempSync(path.join(tmpdir(), 'kanegen-python-control-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => path.join(folder, name);
const written = (name: string, text: string): string => {
  writeFileSync(at(name), text);
  return at(name);
};
const robotFile = written('arm.robot.yaml', ROBOT);
const scenarioFile = written('swing.scenario.yaml', SCENARIO);
const fall = written('fall.scenario.yaml', 'kanegen-scenario: 1\nrobot: arm.robot.yaml\nduration: 0.1 s\n');
const code = await (await load(robotFile)).compile();
const scenarios = [scenarioFile, fall].map((file) => scenarioTable(path.basename(file), loadScenario(file)));
const files: readonly GeneratedFile[] = await code.files({ target: 'python', scenarios });

describe('packages with shells, observers and environments', () => {
  const text = (name: string): string => files.find((file) => file.path === `python/${name}`)!.text;

  it('has classes with docstrings and types, and where members are in C', () => {
    expect(text('shelled_arm/__init__.py')).toContain(
      'class TrackShell(ShellBase):\n    """\n    The shell around track',
    );
    expect(text('shelled_arm/__init__.py')).toContain('    bandwidth: of the loop that rates come from [1/s]');
    expect(text('shelled_arm/__init__.pyi')).toContain('class WatchObserver:\n    robot: Robot\n    q: Array');
    expect(text('shelled_arm/c/kanegen_records.c')).toContain('KG_WHOLE(shelled_arm_track_shell, core.mode)');
    expect(text('shelled_arm/c/kanegen_records.c')).toContain('KG_REALS(shelled_arm_watch_observer, noise)');
    expect(files.every(({ text: own }) => !/[ \t]$/m.test(own))).toBe(true);
  });

  it('samples scenarios once a period, the goal at its end', () => {
    const [swing, falls] = scenarios;
    expect(swing).toMatchObject({ name: 'swing.scenario.yaml', period: 0.004, periods: 100, q: [0], qd: [0] });
    expect(swing!.forces[50]).toEqual([0.1 * 0.2]);
    expect(swing!.loads).toEqual([{ frame: 1, wrenches: expect.arrayContaining([[0, 0, 0, 0.1, 0, 0]]) as unknown }]);
    // Minimum jerk: halfway at half of the time.
    expect(swing!.goal!.values[24]![0]).toBeCloseTo(0.25, 12);
    expect(swing!.goal!.values[99]).toEqual([0.5]);
    expect(falls!.goal).toBeUndefined();
  });

  it.each([
    ['statics: true', /is an equilibrium, which environments do not have/],
    ['duration: 1 s\nphases: [{ from: 0.5 s, inputs: { m: 1 } }]', /has `phases`/],
    ['duration: 1 s\nloads: { arm: { force: [1, 0, 0], axes: frame } }', /has loads that follow a frame/],
  ])('refuses a scenario with %s', (text_, message) => {
    const file = written('other.scenario.yaml', `kanegen-scenario: 1\nrobot: arm.robot.yaml\n${text_}\n`);
    expect(() => scenarioTable('other', loadScenario(file))).toThrow(message);
  });

  it.each([
    ['linux_x86_64', '.so', [0x7f, 0x45, 0x4c, 0x46, 2, 1], 18, [62, 0]],
    ['linux_s390x', '.so', [0x7f, 0x45, 0x4c, 0x46, 2, 2], 18, [0, 22]],
    ['macosx_11_0_arm64', '.dylib', [0xcf, 0xfa, 0xed, 0xfe], 4, [0x0c, 0, 0, 1]],
    ['win_amd64', '.dll', [0x4d, 0x5a], 0x3c, [0x40, 0, 0, 0, 0x50, 0x45, 0, 0, 0x64, 0x86]],
  ])('tells %s by the head of a library', (platform, suffix, magic, place, bytes) => {
    const head = new Uint8Array(128);
    head.set(magic);
    head.set(bytes, place);
    expect(platformOf(head)).toEqual({ platform, suffix });
    expect(() => platformOf(new Uint8Array(128))).toThrow(/a machine that wheels have no name for/);
  });

  it('says which options belong to packages', async () => {
    const run = async (...words: string[]): Promise<string> =>
      (await runInProcess(folder, ['compile', robotFile, '--out', at('out'), ...words])).err;
    expect(await run('--target', 'c', '--scenario', scenarioFile)).toMatch(
      /--scenario makes environments of the package/,
    );
    expect(await run('--target', 'c', '--wheel')).toMatch(
      /--wheel packs the package for Python: add python to --target/,
    );
  });

  describe.skipIf(!hasNumPy || !isInstalled('gcc'))('running (needs python3, NumPy, gcc)', () => {
    const root = at('python');
    const env = { ...process.env, CC: 'gcc', CFLAGS: '-O0', PYTHONPATH: root, PYTHONDONTWRITEBYTECODE: '1' };
    const python = (words: readonly string[], input = ''): string =>
      execFileSync('python3', words, { cwd: root, env, input, encoding: 'utf8' });
    beforeAll(async () => {
      await code.write(folder, { target: 'python', scenarios });
      python(['-c', 'import kanegen_build; kanegen_build.build_editable(".")']);
    }, 120_000);

    it('computes what TypeScript computes, in faults too', async () => {
      const steps = Array.from({ length: 60 }, (_, k) => ({
        wanted: k < 2 ? 'SHELL_OFF' : 'SHELL_RUN',
        q: k > 40 ? null : 0.1 + 1e-3 * k,
        qd: 0,
        y: 0.4,
      }));
      const measured = [0.1, 0.11, null, 0.13].map((z) => z ?? 0.12);
      const program = readFileSync(new URL('python-control.py', import.meta.url), 'utf8');
      const found = JSON.parse(python(['-c', program], JSON.stringify({ steps, measured }))) as Found;

      const robot = await code.run();
      const loaded = robot.controllers.get('shelled_arm_track')!.shell!;
      const shell = loaded.create();
      shell.blend = 0.05;
      (shell.gains['kp'] as Float64Array).fill(100);
      const u = new Float64Array(1);
      const expected = steps.map(({ wanted, q, qd, y }) => {
        const ask = wanted === 'SHELL_RUN' ? 3 : 0;
        const status = loaded.step(robot, shell, ask, 1e-3, [q ?? NaN], [qd], [y], [0], [0], u);
        return [u[0], shell.core.mode, shell.core.reason, status, shell.core.faults];
      });
      expect(found.inputs).toEqual(expected);
      expect(found.inputs.at(-1)!.slice(1, 3)).toEqual([4, 1]);

      const filter = robot.observers.get('shelled_arm_watch_observer')!;
      const observer = filter.create();
      observer.q[0] = 0.3;
      observer.noise.fill(2e-3);
      const estimates = measured.map((z) => {
        filter.step(robot, observer, 1e-3, [0.5], [z]);
        return [observer.q[0], observer.qd[0], observer.used];
      });
      expect(found.estimates).toEqual(estimates);
      const [, u01] = observer.U;
      expect(found.deviations[0]).toBeCloseTo(Math.sqrt(observer.D[0]! + u01! * u01! * observer.D[1]!), 14);
    });

    it.runIf(process.env['KANEGEN_FULL'] === '1')(
      'packs a wheel that pip takes',
      async () => {
        const files = await code.files({ target: 'python', wheel: true });
        const wheel = files.find((file) => file.path.endsWith('.whl'))!;
        expect(wheel.path).toMatch(/^python\/shelled_arm-[\d.]+-py3-none-(linux|macosx|win)\w+\.whl$/);
        const parts = unzipSync(Buffer.from(wheel.text, 'base64'));
        const record = Buffer.from(parts[Object.keys(parts).find((name) => name.endsWith('RECORD'))!]!).toString();
        for (const [name, bytes] of Object.entries(parts))
          if (!name.endsWith('RECORD'))
            expect(record).toContain(
              `${name},sha256=${createHash('sha256').update(bytes).digest('base64url')},${bytes.length}\n`,
            );
        expect(Object.keys(parts)).toContain('shelled_arm/library.so');
        const site = path.join(folder, 'wheel');
        const file = path.join(folder, path.basename(wheel.path));
        writeFileSync(file, Buffer.from(wheel.text, 'base64'));
        if (isFull) {
          execFileSync('python3', ['-m', 'pip', 'install', '--no-index', '--no-deps', '--target', site, file], {
            stdio: 'pipe',
          });
          const other = file.replace(/-[a-z]+_[a-z0-9_]+\.whl$/, '-win_arm64.whl');
          copyFileSync(file, other);
          const { stderr } = spawnSync('python3', ['-m', 'pip', 'install', '--no-deps', '--target', site, other], {
            encoding: 'utf8',
          });
          expect(stderr).toMatch(/is not a supported wheel on this platform/);
        } else execFileSync('python3', ['-m', 'zipfile', '-e', file, site], { stdio: 'pipe' });
        const run = (): string =>
          execFileSync(
            'python3',
            ['-c', 'import shelled_arm; print(shelled_arm.Robot().mass_matrix([1], [0]).tolist())'],
            {
              env: { ...env, PYTHONPATH: site },
              encoding: 'utf8',
              stdio: 'pipe',
            },
          );
        expect(run()).toBe(
          python(['-c', 'import shelled_arm; print(shelled_arm.Robot().mass_matrix([1], [0]).tolist())']),
        );
        writeFileSync(path.join(site, 'shelled_arm/library.so'), 'of another machine');
        expect(run).toThrow(
          /the library of this package does not load on .*: it is missing, or the wheel was built for another machine/,
        );
      },
      120_000,
    );

    it('runs a scenario as an environment: a law leads it to its goal', () => {
      const program = readFileSync(new URL('python-control.py', import.meta.url), 'utf8');
      const found = JSON.parse(python(['-c', program], JSON.stringify({ steps: [], measured: [] }))) as Found;
      expect(found.run.length).toBe(found.periods);
      const [q, , goal, reward] = found.run.at(-1)!;
      expect(goal).toBe(0.5);
      expect(reward).toBeCloseTo(-((q! - goal!) ** 2), 12);
      expect(Math.abs(q! - goal!)).toBeLessThan(0.03);
      expect(found.clipped).toEqual([20]);
      // In periods, and in one go: joints that follow the time go on from period to period.
      const [periods, whole] = found.shaken;
      expect(Math.abs(periods! - whole!)).toBeLessThan(1e-15);
      expect(found.errors).toEqual([
        "KeyError: no scenario 'nothing'; there are swing.scenario.yaml, fall.scenario.yaml",
        'RuntimeError: reset the environment before its first step',
        "ValueError: the scenario 'fall.scenario.yaml' has no goal (a `controller` with its `reference`): give a reward",
        'ValueError: track: q: one state at a time, not (1,)',
        expect.stringMatching(/^StatusError: watch, row 0: KG_OUT_OF_RANGE: /),
      ]);
    });
  });
});

interface Found {
  readonly inputs: number[][];
  readonly estimates: number[][];
  readonly deviations: number[];
  readonly run: number[][];
  readonly periods: number;
  readonly clipped: number[];
  readonly shaken: number[];
  readonly errors: string[];
}
