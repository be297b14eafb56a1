import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
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
