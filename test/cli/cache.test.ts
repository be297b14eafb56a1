/** What commands keep from one to the next: found, told apart, bounded, mended. */
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CacheFolder } from '../../src/files/cache-folder.ts';
import { runInProcess, type Outcome } from './in-process.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'kanegen-cached-'));
const cache = path.join(folder, 'cache');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ROBOT = `kanegen: 1
name: arm
parameters: { k: { value: 2 N m, runtime: true }, m: 1 kg, unread: 3 }
links:
  - name: upper
    joint: { revolute: y, stiffness: k }
    rigid: { mass: m, inertia: { xx: 1 g m^2, yy: 1 g m^2, zz: 1 g m^2 }, distal: { xyz: [0.3 m, 0, 0] }, com: [0.1 m, 0, 0] }
`;
const kinds = (): string[] =>
  readdirSync(cache)
    .map((name) => name.slice(0, name.indexOf('-')))
    .sort();
const run = (...words: string[]): Promise<Outcome> => runInProcess(folder, words);
const angle = async (...words: string[]): Promise<number> => {
  const { out, err, code } = await run('statics', 'arm.robot.yaml', '--json', ...words);
  expect(err.replace(/^.*unused-parameter.*\n/, '')).toBe('');
  expect(code).toBe(0);
  return (JSON.parse(out) as { coordinates: Record<string, number> }).coordinates['upper.angle']!;
};
/** k q = m g r cos q, by the sign of the axis; by bisection. */
function balance(k: number, m: number): number {
  let [low, high] = [0, 1.6];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (k * middle < m * 9.81 * 0.1 * Math.cos(middle)) low = middle;
    else high = middle;
  }
  return low;
}

beforeEach(() => {
  writeFileSync(path.join(folder, 'arm.robot.yaml'), ROBOT);
  rmSync(cache, { recursive: true, force: true });
  vi.stubEnv('KANEGEN_CACHE', cache);
});
afterEach(() => vi.unstubAllEnvs());

describe('commands with a cache', () => {
  it('compile a robot once, whatever its run-time parameters are', async () => {
    expect(await angle()).toBeCloseTo(balance(2, 1), 9);
    expect(kinds()).toEqual(['code', 'robot']);
    expect(await angle()).toBeCloseTo(balance(2, 1), 9);
    expect(await angle('--set', 'k=5 N m')).toBeCloseTo(balance(5, 1), 9);
    expect(kinds()).toEqual(['code', 'robot', 'robot']);
    expect(await angle('--set', 'm=2 kg', '--set', 'k=5 N m')).toBeCloseTo(balance(5, 2), 9);
    expect(kinds().filter((kind) => kind === 'code')).toHaveLength(2);
  });

  it('see what changed in a file, and repeat its warnings', async () => {
    const first = await run('statics', 'arm.robot.yaml');
    expect(await run('statics', 'arm.robot.yaml')).toEqual(first);
    expect(first.err).toContain('arm.robot.yaml:3:');
    writeFileSync(path.join(folder, 'arm.robot.yaml'), ROBOT.replace('m: 1 kg', 'm: 2 kg'));
    expect(await angle()).toBeCloseTo(balance(2, 2), 9);
    writeFileSync(path.join(folder, 'arm.robot.yaml'), 'kanegen: 1');
    expect((await run('statics', 'arm.robot.yaml')).code).toBe(1);
  });

  it('see what changed in an imported file', async () => {
    copyFileSync('examples/pcs.robot.yaml', path.join(folder, 'types.yaml'));
    const text = `kanegen: 1\nname: user\nimport: { lab: types.yaml }\nlinks: [{ name: a, body: lab.rod }]\n`;
    writeFileSync(path.join(folder, 'user.robot.yaml'), text);
    const first = await run('compile', 'user.robot.yaml', '--out', 'user');
    const again = await run('compile', 'user.robot.yaml', '--out', 'user');
    const untimed = ({ out }: Outcome): string => out.replace(/\d+ ms/, '');
    expect(untimed(again)).toBe(untimed(first));
    const types = path.join(folder, 'types.yaml');
    writeFileSync(types, readFileSync(types, 'utf8').replace('L: 0.2 m', 'L: 0.4 m'));
    expect(untimed(await run('compile', 'user.robot.yaml', '--out', 'user'))).not.toBe(untimed(first));
  });

  it('compile: write the same folder again, wherever its files are gone', async () => {
    const first = await run('compile', 'arm.robot.yaml', '--out', 'out', '--json');
    const driver = path.join(folder, 'out', 'typescript', 'arm_driver.ts');
    const text = readFileSync(driver, 'utf8');
    rmSync(path.join(folder, 'out'), { recursive: true });
    const again = await run('compile', 'arm.robot.yaml', '--out', 'out', '--json');
    expect(readFileSync(driver, 'utf8')).toBe(text);
    expect(again.err).toBe(first.err);
    expect({ ...JSON.parse(again.out), milliseconds: 0 }).toEqual({ ...JSON.parse(first.out), milliseconds: 0 });
    expect(kinds()).toContain('folder');
  });

  it('say of damage that it is mended, and go on', async () => {
    await angle();
    for (const name of readdirSync(cache)) writeFileSync(path.join(cache, name), 'x'.repeat(100));
    // Code stays in the memory of this process.
    const { err, out } = await run('statics', 'arm.robot.yaml');
    expect(err).toMatch(/note: the entry .*robot-.* of the cache is damaged: it is made again/);
    expect(out).toContain('upper.angle');
    expect(await angle()).toBeCloseTo(balance(2, 1), 9);
  });

  it('say once where nothing can be kept, and go on', async () => {
    const file = path.join(folder, 'a-file');
    writeFileSync(file, '');
    vi.stubEnv('KANEGEN_CACHE', file);
    const { err, code, out } = await run('statics', 'arm.robot.yaml');
    expect(err.match(/note: the cache .* cannot be written: .*; this run goes on without it/g)).toHaveLength(1);
    expect([code, out.includes('upper.angle')]).toEqual([0, true]);
  });

  it('keep nothing with --no-cache', async () => {
    expect(await angle('--no-cache')).toBeCloseTo(balance(2, 1), 9);
    expect((await run('cache')).out).toMatch(/: 0 entries, 0.0 MB of 256 MB at most/);
  });

  it('cache: say how large it is, and clear what is its own', async () => {
    // Code that this process has in memory is not kept again.
    await angle();
    writeFileSync(path.join(cache, 'letter.txt'), 'mine');
    expect((await run('cache')).out).toMatch(/cache: [12] entr(y|ies), \d\.\d MB of 256 MB at most/);
    expect((await run('cache', 'clear')).out).toMatch(/removed [12] entr/);
    expect(readdirSync(cache)).toEqual(['letter.txt']);
    expect((await run('cache', 'clean')).code).toBe(2);
  });
});

describe('a cache folder', () => {
  const place = path.join(folder, 'bounded');

  it('forgets what was not used longest', () => {
    const kept = new CacheFolder(place, { most: 5000 });
    const text = 'x'.repeat(900);
    const age = (name: string, seconds: number): void => {
      const then = new Date(Date.now() - 1000 * seconds);
      utimesSync(path.join(place, `${name}.kanegen`), then, then);
    };
    for (const [i, name] of ['a', 'b', 'c', 'd', 'e'].entries()) {
      kept.write(name, text);
      age(name, 100 - i);
    }
    expect(kept.read('a')).toBe(text);
    kept.write('f', text);
    expect(['a', 'b', 'c', 'd', 'e', 'f'].filter((name) => kept.read(name) !== undefined)).toEqual(['a', 'e', 'f']);
  });

  it('takes out what a process left half written, once it is old', () => {
    const kept = new CacheFolder(place);
    const [old, young] = ['g.kanegen.1.0', 'h.kanegen.2.0'].map((name) => path.join(place, name));
    for (const partial of [old!, young!]) writeFileSync(partial, 'half');
    const then = new Date(Date.now() - 7_200_000);
    utimesSync(old!, then, then);
    kept.write('i', 'whole');
    expect(readdirSync(place).filter((name) => /\.\d+\.\d+$/.test(name))).toEqual(['h.kanegen.2.0']);
  });

  // The superuser may write everywhere.
  it.skipIf(process.getuid?.() === 0)('reads what it must not write', () => {
    chmodSync(place, 0o500);
    try {
      const said: string[] = [];
      const kept = new CacheFolder(place, { say: (message) => said.push(message) });
      expect(kept.read('i')).toBe('whole');
      kept.write('j', 'x');
      kept.write('k', 'x');
      expect(said).toHaveLength(1);
    } finally {
      chmodSync(place, 0o700);
    }
  });
});
