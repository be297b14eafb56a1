/** Robots that were compiled before are found by what they say, in the process and in a folder. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { robotDigest } from '../../src/codegen/modules/robot-digest.ts';
import { loadCached } from '../../src/codegen/typescript/code-cache.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotObject } from '../../src/description/load.ts';
import { CacheFolder } from '../../src/files/cache-folder.ts';
import { compileRobot } from '../../src/kane/compile.ts';

interface Change {
  readonly name?: string;
  readonly gravity?: readonly number[];
  readonly length?: number;
  readonly body?: object;
  readonly summary?: string;
}

const source = ({ name = 'arm', gravity = [0, 0, -9.81], length = 0.2, body, summary = 'one' }: Change = {}) => ({
  kanegen: 1,
  name,
  summary,
  gravity,
  'body-types': { segment: { extends: 'planar-cc', parameters: { L: length }, ...body } },
  links: [{ name: 'first', body: 'segment' }],
});
const robotOf = (change?: Change) => loadRobotObject(source(change));

const folder = mkdtempSync(join(tmpdir(), 'kanegen-cache-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the digest of a robot', () => {
  it('does not change with what people read', () => {
    expect(robotDigest(robotOf({ summary: 'two' }))).toBe(robotDigest(robotOf()));
  });

  it.each<[string, Change]>([
    ['its name', { name: 'leg' }],
    ['gravity', { gravity: [0, 0, -1.6] }],
    ['a number of a link', { length: 0.3 }],
    ['limits', { body: { coordinates: { q: { unit: 'rad', limits: [-1, 1] } } } }],
    ['the tolerance of its integrals', { body: { integration: { tolerance: 1e-5 } } }],
  ])('changes with %s', (_, change) => {
    expect(robotDigest(robotOf(change))).not.toBe(robotDigest(robotOf()));
  });

  it('is the same in a process that made other expressions before', async () => {
    const here = robotDigest(robotOf());
    vi.resetModules();
    const { loadRobotObject: load } = await import('../../src/description/load.ts');
    const { robotDigest: digest } = await import('../../src/codegen/modules/robot-digest.ts');
    load(source({ name: 'first', length: 0.7 }));
    expect(digest(load(source()))).toBe(here);
  });
});

describe('robots compiled before', () => {
  it('are not compiled again in the same process, and do not share their workspace', async () => {
    const robot = robotOf({ name: 'twice' });
    const generate = vi.fn(() => generateTypeScript(robot, compileRobot(robot)));
    const [one, two] = [await loadCached(robot, generate), await loadCached(robotOf({ name: 'twice' }), generate)];
    expect(generate).toHaveBeenCalledTimes(1);
    const [a, b] = [one(), two()];
    a.parameters.gravity[2] = -1;
    expect(b.parameters.gravity[2]).toBe(-9.81);
  });

  it('are tried again after a failure', async () => {
    const robot = robotOf({ name: 'again' });
    await expect(loadCached(robot, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const create = await loadCached(robot, () => generateTypeScript(robot, compileRobot(robot)));
    expect(create().parameters.gravity).toHaveLength(3);
  });

  it('are found in the folder by another process, unless the file is damaged', async () => {
    const robot = robotOf({ name: 'kept' });
    const generate = vi.fn(() => generateTypeScript(robot, compileRobot(robot)));
    await loadCached(robot, generate, new CacheFolder(folder));
    const [file, ...others] = readdirSync(folder);
    expect([file, others]).toEqual([`code-${robotDigest(robot)}.kanegen`, []]);
    /** With nothing in memory. */
    const anew = async (): Promise<void> => {
      vi.resetModules();
      const { loadCached: load } = await import('../../src/codegen/typescript/code-cache.ts');
      const dynamics = (await load(robot, generate, new CacheFolder(folder)))();
      expect(dynamics.parameters.gravity[2]).toBe(-9.81);
    };
    await anew();
    expect(generate).toHaveBeenCalledTimes(1);
    const whole = readFileSync(join(folder, file!), 'utf8');
    // Cut off, of another shape, and text of another kind in a whole one.
    const broken = whole.replace('gravity', 'gravitx');
    for (const damaged of [whole.slice(0, 100), '[]', '{}', '[null]', '', 'null', broken]) {
      generate.mockClear();
      writeFileSync(join(folder, file!), damaged);
      await anew();
      expect(generate).toHaveBeenCalledTimes(1);
      expect(readFileSync(join(folder, file!), 'utf8')).toBe(whole);
    }
  });

  it('say where they cannot be kept', async () => {
    const robot = robotOf({ name: 'nowhere' });
    const notFolder = join(folder, 'file');
    writeFileSync(notFolder, '');
    const loaded = loadCached(robot, () => generateTypeScript(robot, compileRobot(robot)), new CacheFolder(notFolder));
    await expect(loaded).rejects.toMatchObject({ code: 'cannot-write' });
  });
});
