/** `kanegen import` of MJCF and SDF files on the command line. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runInProcess, type Outcome } from './in-process.ts';

let directory = '';
const kanegen = (...words: readonly string[]): Promise<Outcome> => runInProcess(directory, words);

beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'kanegen-import-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it('imports MJCF, with the files that it includes, and refuses options of URDF there', async () => {
  const file = path.resolve('test/description/mjcf/cart-arm.xml');
  expect(await kanegen('import', file, '--out', 'cart.robot.yaml')).toMatchObject({ code: 0 });
  expect(readFileSync(path.join(directory, 'cart.robot.yaml'), 'utf8')).toContain('\n  - name: boom\n');
  expect(await kanegen('check', 'cart.robot.yaml')).toMatchObject({ code: 0 });
  const refused = { code: 2, err: expect.stringContaining('leave out --free') as string };
  expect(await kanegen('import', file, '--free', '--out', 'free.robot.yaml')).toMatchObject(refused);
  expect(existsSync(path.join(directory, 'free.robot.yaml'))).toBe(false);
});

it('imports SDF, with models beside it', async () => {
  const file = path.resolve('test/description/sdf/crane.sdf');
  const { code, err } = await kanegen('import', file, '--out', 'crane.robot.yaml');
  expect(code).toBe(0);
  expect(err).toMatch(/hand\/model\.sdf:\d+:\d+: note: `loose::palm` is free/);
  expect(await kanegen('import', file, '--from', 'tower', '--out', 'tower.robot.yaml')).toMatchObject({ code: 2 });
  expect(await kanegen('import', file, '--controller', 'pid', '--out', 'pid.robot.yaml')).toMatchObject({ code: 2 });
  expect(await kanegen('import', file, '--controller', 'computed-torque', '--out', 'law.robot.yaml')).toMatchObject({
    code: 1,
    err: expect.stringContaining('no motor drives `crane_hand_palm.r1`') as string,
  });
  expect(existsSync(path.join(directory, 'law.robot.yaml'))).toBe(false);
  expect(await kanegen('import', file, '--controller', 'pd', '--out', 'law.robot.yaml')).toMatchObject({ code: 0 });
  writeFileSync(path.join(directory, 'wrong.sdf'), '<sdf version="1.9"><model name="m"><lnk/></model></sdf>');
  expect(await kanegen('import', 'wrong.sdf', '--out', 'wrong.robot.yaml')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^wrong\.sdf:1:36: <model> has no element <lnk>/) as string,
  });
  expect(existsSync(path.join(directory, 'wrong.robot.yaml'))).toBe(false);
});

it('says that a robot file needs no import', async () => {
  writeFileSync(path.join(directory, 'own.robot.yaml'), 'kanegen: 1\nname: own\n');
  expect(await kanegen('import', 'own.robot.yaml')).toMatchObject({
    code: 1,
    err: expect.stringMatching(
      /^own\.robot\.yaml:1:1: malformed XML: it does not begin with `<`\n[^]*without import/,
    ) as string,
  });
});
