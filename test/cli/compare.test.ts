import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadRobotFile } from '../../src/description/load.ts';
import { compareFormulations, type Comparison, type FormulationReport } from '../../src/report/comparison.ts';
import { builtCommand } from '../built-command.ts';
import { buildQuickly } from '../compilers.ts';
import { runInProcess, type Outcome } from './in-process.ts';

buildQuickly();

let cli = '';
let directory = '';

async function compare(...parameters: readonly string[]): Promise<Outcome> {
  try {
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      [cli, 'compare', 'arm.robot.yaml', ...parameters],
      { cwd: directory, maxBuffer: 1 << 26 },
    );
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const failure = error as { code: number; stdout: string; stderr: string };
    return { code: failure.code, out: failure.stdout, err: failure.stderr };
  }
}

/** What is not even begun needs no process of its own. */
const refused = (...parameters: readonly string[]): Promise<Outcome> =>
  runInProcess(directory, ['compare', 'arm.robot.yaml', ...parameters]);

const namesOf = (comparison: Comparison): string[] => comparison.formulations.map((f) => f.formulation);
const reportOf = (comparison: Comparison, name: string): FormulationReport =>
  comparison.formulations.find((f) => f.formulation === name)!;

beforeAll(async () => {
  cli = await builtCommand();
  directory = mkdtempSync(path.join(tmpdir(), 'kanegen-compare-'));
  cpSync('examples/planar-cc.robot.yaml', path.join(directory, 'arm.robot.yaml'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('kanegen compare', { timeout: 240_000 }, () => {
  it('puts the recursion beside both forms of Lagrange and the driver, with the same torques', async () => {
    const comparison = await compareFormulations(loadRobotFile('examples/planar-cc.robot.yaml'), {
      formulations: ['recursion', 'lagrange', 'christoffel'],
      states: 20,
      seed: 1,
      limits: { seconds: 60, operations: 200_000, megabytes: 1e5 },
      rounds: 1,
    });
    expect(comparison).toMatchObject({ robot: 'planar-cc', links: 3, coordinates: 3 });
    expect(namesOf(comparison)).toEqual(['recursion', 'lagrange', 'christoffel', 'driver']);
    for (const report of comparison.formulations) {
      expect(report.stopped).toBeNull();
      expect(report.difference).toBeLessThan(1e-12);
      expect(report.evaluation.typescript).toBeGreaterThan(0);
    }
    const [recursion, lagrange] = ['recursion', 'lagrange'].map((name) => reportOf(comparison, name).operations!.total);
    expect(recursion).toBeLessThan(lagrange!);
  });

  it('prints a table over lengths and writes the picture and the numbers', async () => {
    const some = ['--formulations', 'recursion,lagrange', '--rounds', '1'];
    const { code, out } = await compare('--up-to', '2', '--states', '5', ...some, '--out', 'report');
    expect(code).toBe(0);
    expect(out).toMatch(/planar-cc, chains of 1 to 2 links/);
    expect(out).toMatch(/Lagrange, algorithmic/);
    const comparisons = JSON.parse(readFileSync(path.join(directory, 'report/compare.json'), 'utf8')) as Comparison[];
    expect(comparisons.map((c) => c.links)).toEqual([1, 2]);
    const picture = readFileSync(path.join(directory, 'report/compare.svg'), 'utf8');
    for (const text of ['One call in TypeScript', 'recursion (Kane)', 'Lagrange, algorithmic', 'links', 'operations'])
      expect(picture).toContain(`>${text}</text>`);
  });

  it.runIf(process.env['KANEGEN_FULL'] === '1')(
    'says which limit ended a formulation and leaves it out at greater lengths',
    async () => {
      const { code, out } = await compare(
        ...['--links', '3,4', '--states', '5', '--formulations', 'recursion,christoffel'],
        ...['--max-operations', '1300', '--rounds', '1', '--json'],
      );
      expect(code).toBe(0);
      const [three, four] = JSON.parse(out) as [Comparison, Comparison];
      expect(reportOf(three, 'recursion').stopped).toBeNull();
      const ended = reportOf(three, 'christoffel');
      expect(ended.stopped).toMatch(/^\d+ operations, more than the 1300 that code is made of$/);
      expect(ended).toMatchObject({ operations: null, evaluation: { typescript: null, c: null }, difference: null });
      expect(namesOf(four)).not.toContain('christoffel');
      expect(reportOf(four, 'recursion').stopped).toBeNull();
    },
  );

  it('refuses what it cannot measure, on the command line, and writes nothing', async () => {
    for (const wrong of [
      ['--links', '0'],
      ['--up-to', 'many'],
      ['--formulations', 'newton'],
      ['--max-seconds', '-1'],
      ['--rounds', '0'],
    ]) {
      const { code, err } = await refused(...wrong, '--out', 'nothing');
      expect(code).toBe(2);
      expect(err).toContain(wrong[0]!);
    }
    expect((await refused('--links', '2', '--up-to', '3')).code).toBe(2);
    expect(existsSync(path.join(directory, 'nothing'))).toBe(false);
  });
});

/** Its body type cannot be compiled: whoever says something else has not tried. */
const HOPELESS = `kanegen: 1
name: hopeless
body-types:
  finger:
    parameters: { L: 0.1 m, R: 5 mm }
    coordinates: { q: { unit: rad } }
    volume: { rod: { s: [0, L] }, section: { disc: R }, density: 1000 kg/m^3 }
    position: [x + L*sin(q*sqrt(1 + s^2/L^2)), y, s]
    integration: closed-form
    distal: none
links:
  - { name: crank, joint: { revolute: y }, rigid: { mass: 0.3 kg, distal: { xyz: [0, 0, 0.1] } } }
  - { name: finger, body: finger }
`;

async function refusedOf(addition: string, ...words: readonly string[]): Promise<string> {
  const [command, ...options] = words;
  writeFileSync(path.join(directory, 'hopeless.robot.yaml'), `${HOPELESS}${addition}`);
  const { code, err } = await runInProcess(directory, [command!, 'hopeless.robot.yaml', ...options]);
  expect(code).toBe(1);
  return err;
}

const ROPE = 'loops: { rope: { distance: { a: base, b: crank, length: 0.3, unilateral: true } } }\n';
const STICKS = `contacts:
  floor:
    between: [{ sphere: { on: crank, radius: 10 mm } }, { plane: { on: base, axis: z } }]
    law: { spring-damper: { stiffness: 20 kN/m, damping: 50 N s/m } }
    friction: { coefficient: 0.4, stiffness: 20 kN/m, damping: 50 N s/m }
`;
const DRIVEN = '  - { name: led, parent: base, joint: { revolute: y, prescribed: sin(t) }, rigid: { mass: 1 kg } }\n';

describe('what the description of a robot forbids is refused before anything is compiled', () => {
  it('of FMUs: ropes that become taut, contacts that stick', async () => {
    expect(await refusedOf('', 'compile')).toMatch(/no closed form/);
    expect(await refusedOf(ROPE, 'compile', '--target', 'c,fmu')).toMatch(
      /^hopeless\.robot\.yaml:14:16: the rope `rope` becomes taut at an impact.*\n.*\n.*\n {2}→ give the rope a `compliance`/,
    );
    expect(await refusedOf(STICKS, 'compile', '--target', 'fmu')).toMatch(
      /^hopeless\.robot\.yaml:16:5: the contact `floor` sticks: its bristles follow steps.*\n.*\n.*\n {2}→ write smooth friction/,
    );
  });

  it('of straight-line functions: joints that follow the time', async () => {
    expect(await refusedOf(DRIVEN, 'compile', '--straight')).toMatch(
      /^hopeless.robot.yaml:14:.*straight-line code has no time/,
    );
  });

  it('of comparisons, with the formulations that are left', async () => {
    expect(await refusedOf(ROPE, 'compare')).toMatch(
      /^hopeless\.robot\.yaml:14:16: .*the robot has loops.*\n.*\n.*\n {2}→ compare the recursion with the driver alone: --formulations recursion/,
    );
    expect(await refusedOf(DRIVEN, 'compare')).toMatch(
      /straight-line code has no time, which the joint of `led` follows\n.*\n.*\n {2}→ leave it out: all formulations/,
    );
  });
});
