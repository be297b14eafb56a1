/** Images of boards run in QEMU as the same code runs on this machine, faults included. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sizeOfSources } from '../../../src/codegen/c/code-size.ts';
import { STRICT_FLAGS } from '../../../src/codegen/c/build-c.ts';
import { load, type RobotCode } from '../../../src/index.ts';
import { isInstalled } from '../../compilers.ts';
import { runInProcess } from '../../cli/in-process.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'kanegen-board-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const CROSS = isInstalled('arm-none-eabi-gcc') && isInstalled('make');
const QEMU = CROSS && isInstalled('qemu-system-arm');

/** Two joints with motors, their limits and controllers, one with a shell that has a law of its own. */
const ARM = `kanegen: 1
name: board-arm
links:
  - { name: upper, joint: { revolute: y, damping: 0.02 N m s/rad },
      rigid: { mass: 0.4 kg, com: [0, 0, 0.1], inertia: { yy: 1e-3 }, distal: { xyz: [0, 0, 0.2] } } }
  - { name: lower, joint: { revolute: y }, rigid: { mass: 0.2 kg, com: [0, 0, 0.1], inertia: { yy: 1e-3 }, distal: { xyz: [0, 0, 0.2] } } }
actuators:
  turn: { motor: upper.angle, limits: [-4 N m, 4 N m] }
  bend: { motor: lower.angle, limits: [-1 N m, 1 N m] }
controllers:
  track: { computed-torque: { kp: 400 1/s^2, kd: 40 1/s } }
  hold: { pd: { kp: 20 N m/rad, kd: 1 N m s/rad, ki: 5 N m/rad/s, period: 2 ms },
    shell: { period: 2 ms, rate: 100 N m/s, blend: 0.2 s, fault: { gravity-and-damping: 1 N m s/rad } } }
  reach: { task-space: { frame: lower, form: torque, stiffness: [0, 0, 0, 20 N/m, 20 N/m, 20 N/m], damping: [0, 0, 0, 1 N s/m, 1 N s/m, 1 N s/m] } }
states:
  out: { upper.angle: 60 deg, lower.angle: -40 deg }
`;
const robotFile = path.join(folder, 'board-arm.robot.yaml');
let code: RobotCode;
beforeAll(async () => {
  writeFileSync(robotFile, ARM);
  code = await (await load(robotFile)).compile();
});

async function written(board: string, controller: string): Promise<string> {
  const out = path.join(folder, controller);
  for (const file of await code.board(board, { controller, to: 'out' })) {
    const place = path.join(out, file.path);
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, file.text);
  }
  return path.join(out, `board-${board}`);
}

const make = (at: string, ...words: string[]): string =>
  execFileSync('make', ['-s', ...words], { cwd: at, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** What a run says, by the fault. */
function runs(said: string): Map<string, { refused: number; outside: number; share: number; error: number }> {
  const lines = said
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('time:'));
  return new Map(
    lines.map((line) => {
      const [, fault, refused, outside, share, error] =
        /^(.*): 2000 periods, (\d+) refused.*, (\d+) inputs beyond limits, .* limit (\S+), error at the end (\S+), bits [0-9a-f]{8}$/.exec(
          line,
        )!;
      return [fault!, { refused: +refused!, outside: +outside!, share: +share!, error: +error! }];
    }),
  );
}

describe('on this machine', () => {
  it('the loop closes without a fault, and inputs stay within their limits with every fault', async () => {
    const found = runs(
      make(
        await written('qemu-m4', 'track'),
        'host',
        `FLAGS=-O1 -ffp-contract=off -DKG_SINGLE -Irobot ${STRICT_FLAGS.join(' ')}`,
      ),
    );
    expect([...found.keys()]).toEqual([
      'none',
      'not a number',
      'stuck encoder',
      'saturation',
      'skipped periods',
      'brown-out',
    ]);
    expect([...found.values()].map(({ outside }) => outside)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(found.get('none')).toMatchObject({ refused: 0 });
    // The error of an exact model; 85 deg away it would be 1.
    expect(found.get('none')!.error).toBeLessThan(1e-4);
    expect(found.get('not a number')!.refused).toBe(300);
    expect(found.get('saturation')!.share).toBe(1);
    expect(found.get('brown-out')!.error).toBeLessThan(0.1);
  });
});

describe.skipIf(!QEMU)('in QEMU (arm-none-eabi-gcc, newlib, qemu-system-arm)', () => {
  it.each([
    ['qemu-m4', 'track'],
    ['stm32f4', 'hold'],
  ])('%s runs %s with the bits of this machine', async (board, controller) => {
    const said = make(await written(board, controller), 'check');
    expect(runs(said).size).toBe(6);
    expect(said).toMatch(/^time: 0 periods too late, longest work [1-9]\d* of \d+ cycles/m);
  });
});

describe('what is refused', () => {
  const board = (...words: string[]): ReturnType<typeof runInProcess> =>
    runInProcess(folder, ['board', robotFile, '--out', 'refused', ...words]);

  it.each([
    [['--board', 'qemu-m5'], 1, 'there is no board "qemu-m5"', 'write qemu-m4'],
    [['--board', 'qemu-m4', '--controller', 'trak'], 1, 'has no controller "trak"', 'write --controller track'],
    [['--board', 'qemu-m4', '--controller', 'reach'], 1, 'is the pose of a frame', 'choose one whose reference'],
    [['--board', 'qemu-m4', '--to', 'ot'], 1, 'has no state "ot"', 'write --to out'],
    [['--board', 'qemu-m4', '--max-bytes', 'few'], 2, '--max-bytes takes a positive integer, not "few"', ''],
  ])('%j', async (words, exitCode, message, remedy) => {
    const ran = await board(...words);
    expect(ran.code).toBe(exitCode);
    expect(ran.err).toContain(message);
    expect(ran.err).toContain(remedy);
    expect(readdirSync(folder)).not.toContain('refused');
  });

  it.skipIf(!CROSS)('an image that is larger than allowed', async () => {
    const ran = await board('--board', 'qemu-m4', '--max-bytes', '5000');
    expect(ran.code).toBe(1);
    expect(ran.err).toMatch(
      /the image of board-arm takes [\d,]+ bytes of code and constants, --max-bytes allows 5,000/,
    );
    expect(readdirSync(folder)).not.toContain('refused');
  });

  it.skipIf(!CROSS)('C that is larger than allowed', async () => {
    const small = await runInProcess(folder, [
      ...['compile', robotFile, '--target', 'c', '--out', 'refused', '--max-bytes', '2000'],
    ]);
    expect(small.code).toBe(1);
    const [, bytes] = /the C of board-arm takes ([\d,]+) bytes/.exec(small.err)!;
    expect(readdirSync(folder)).not.toContain('refused');
    const c = (await code.files({ target: 'c' })).filter(({ path: own }) => own.startsWith('c/'));
    const { text, data } = await sizeOfSources(c.map((own) => ({ ...own, path: own.path.slice(2) })));
    expect((text + data).toLocaleString('en-US')).toBe(bytes);
  });
});
