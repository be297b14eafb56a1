/** Actuators that move nothing whatever the state, found by the generated code; none of those that do is among them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotText } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { idleActuators } from '../../src/simulation/equilibria/idle-actuators.ts';
import { runInProcess } from '../cli/in-process.ts';

const text = (actuators: string, more = ''): string => `kanegen: 1
name: idle
${more}
body-types:
  squashed: { extends: planar-cc, chambers: { one: {} } }
  stretched: { extends: planar-cc-elongation, chambers: { one: {} } }
links:
  - { name: stand, rigid: { mass: 1, inertia: { xx: 1, yy: 1, zz: 1 }, distal: { xyz: [0, 0, 0.1] } } }
  - { name: soft, body: squashed, parameters: { L: 0.3, R: 0.02 } }
  - { name: palm, joint: { revolute: y }, rigid: { mass: 1, inertia: { xx: 1, yy: 1, zz: 1 }, distal: { xyz: [0, 0, 0.1] } } }
  - { name: stretchy, body: stretched }
actuators:
${actuators}`;

/** The arm moves in the plane of x and z; nothing moves the stand. */
const IDLE: Record<string, string> = {
  on_base: '{ wrench: { on: base, force: z } }',
  on_stand: '{ wrench: { on: stand, at: [1, 0, 0], moment: y } }',
  sideways: '{ wrench: { on: palm, force: y } }',
  about: '{ wrench: { on: palm, axes: world, moment: z } }',
  fixed: '{ tendon: { path: [ { on: base, at: [0.1, 0, 0] }, { on: stand, at: [0, 0.1, 0] } ] } }',
  neutral: '{ tendon: { through: soft, route: { x: 0, y: 0.8*R } } }',
  air: '{ pressure: soft.one }',
};
const ACTIVE: Record<string, string> = {
  bend: '{ tendon: { through: soft, route: { x: 1e-3*R, y: 0 } } }',
  reach: '{ tendon: { path: [ { on: base }, { on: palm } ] } }',
  push: '{ wrench: { on: palm, force: x } }',
  turn: '{ wrench: { on: soft, moment: y } }',
  swell: '{ pressure: stretchy.one }',
  sine: "{ along: '1e-6*sin(palm.angle)' }",
};
const lines = (all: Record<string, string>): string =>
  Object.entries(all)
    .map(([name, value]) => `  ${name}: ${value}`)
    .join('\n');

async function idleOf(robot: Robot): Promise<readonly string[]> {
  const dynamics = (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
  return idleActuators(robot, dynamics).map(({ name, message, location }) => {
    expect(name).toBe('no-action');
    const line = Number(location.line) - 1;
    const actuator = /actuator `(\w+)` moves nothing/.exec(message)![1]!;
    expect(text(lines({ ...IDLE, ...ACTIVE })).split('\n')[line]).toContain(`  ${actuator}:`);
    return actuator;
  });
}

it('are those that no coordinate meets, and no others', async () => {
  const robot = loadRobotText(text(lines({ ...IDLE, ...ACTIVE })), 'idle.robot.yaml');
  expect(await idleOf(robot)).toEqual(Object.keys(IDLE));
});

it('say nothing where that is meant so', async () => {
  const robot = loadRobotText(text(lines(IDLE), 'silence: [no-action]'), 'idle.robot.yaml');
  expect(await idleOf(robot)).toEqual([]);
});

it('compress a chamber of constant volume by nothing, exactly', async () => {
  const robot = loadRobotText(text(lines({ air: IDLE['air']! })), 'idle.robot.yaml');
  const dynamics = (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
  const n = robot.coordinates.length;
  const [y, B] = [new Float64Array(1), new Float64Array(n)];
  const q = robot.coordinates.map((_, i) => 0.3 + 0.1 * i);
  dynamics.update(
    q,
    q.map(() => 1),
  );
  dynamics.actuation(y, null, null, B);
  expect([...B]).toEqual(q.map(() => 0));
  expect(y[0]! / (Math.PI * 0.02 ** 2 * 0.3)).toBeCloseTo(1, 12);
});

it('are told of where a robot is compiled', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'kanegen-'));
  try {
    writeFileSync(path.join(folder, 'idle.robot.yaml'), text(lines({ sideways: IDLE['sideways']!, ...ACTIVE })));
    const { code, err } = await runInProcess(folder, ['compile', 'idle.robot.yaml', '--target', 'c']);
    expect(code).toBe(0);
    expect(err.split('\n').filter((line) => line.includes('warning'))).toEqual([
      expect.stringMatching(/^idle\.robot\.yaml:13:\d+: warning: .*`sideways` moves nothing: .*\[no-action\]$/),
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
