/** Which inverse dynamics belongs to forward dynamics: what headers, help and `compile` say, and that it is so. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { generateFolder } from '../../src/codegen/folder.ts';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generatedCost } from '../../src/codegen/whole-robot/straight-cost.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotObject } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { compileStraight } from '../../src/straight/compile.ts';
import { runInProcess } from '../cli/in-process.ts';

const link = { mass: '1 kg', inertia: { xx: '0.1 kg m^2', yy: '0.1 kg m^2', zz: '0.1 kg m^2' } };
const text = (joint: object): object => ({
  kanegen: 1,
  name: 'arm',
  links: [{ name: 'one', joint: { revolute: 'y', ...joint }, rigid: { ...link, com: ['0.2 m', 0, 0] } }],
});
const damped = text({ damping: '0.5 N m s/rad', stiffness: '2 N m/rad' });
const free = text({});

async function heads(robot: Robot): Promise<readonly string[]> {
  const straight = compileStraight(robot, {
    functions: ['inverseDynamics', 'forwardDynamics', 'passiveForces'],
    count: generatedCost,
  });
  const files = await generateFolder(robot, compileRobot(robot), ['ts', 'c'], straight);
  const head = (file: string): string =>
    files
      .find(({ path: own }) => own === file)!
      .text.split('*/')[0]!
      .replace(/\s*\n \* /g, ' ');
  return ['c/arm.h', 'typescript/arm.ts', 'c/arm_straight.h'].map(head);
}

describe('forward dynamics', () => {
  it('is said to undo active inverse dynamics where there are passive forces, first of all', async () => {
    const [c, typescript, straight] = await heads(loadRobotObject(damped));
    expect(c).toContain(
      'forward_dynamics undoes active_inverse_dynamics: M qdd + c + g + elastic + damping = tau. inverse_dynamics leaves elastic and damping out.',
    );
    expect(typescript).toContain(
      'forwardDynamics undoes activeInverseDynamics: M qdd + c + g + elastic + damping = tau.',
    );
    expect(straight).toContain('forward_dynamics undoes inverse_dynamics + passive_forces: M qdd');
    for (const own of await heads(loadRobotObject(free)))
      expect(own).toMatch(/forward_?dynamics undoes inverse_?dynamics: M qdd \+ c \+ g = tau, as this robot has no/i);
  });

  it('undoes what it is said to undo, and nothing else', async () => {
    const robot = loadRobotObject(damped);
    const dynamics = (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
    const [tau, qdd] = [new Float64Array(1), new Float64Array(1)];
    dynamics.update([0.4], [0.7]);
    dynamics.activeInverseDynamics([1.5], tau);
    dynamics.forwardDynamics(tau, qdd);
    expect(qdd[0]).toBeCloseTo(1.5, 12);
    dynamics.inverseDynamics([1.5], tau);
    dynamics.forwardDynamics(tau, qdd);
    // What is left out over the inertia about the joint: (2 · 0.4 + 0.5 · 0.7) / (0.1 + 0.2²).
    expect(qdd[0]).toBeCloseTo(1.5 - (2 * 0.4 + 0.5 * 0.7) / 0.14, 12);
  });

  it('has its pair named when a robot with passive forces is compiled, and by --help', async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'kanegen-test-'));
    try {
      for (const [robot, is] of [
        [damped, true],
        [free, false],
      ] as const) {
        const file = path.join(directory, 'arm.robot.yaml');
        writeFileSync(file, JSON.stringify(robot));
        const compile = ['compile', file, '--target', 'ts', '--out', 'out'];
        const { out } = await runInProcess(directory, compile);
        expect(out.includes('note: forward_dynamics undoes active_inverse_dynamics')).toBe(is);
        const quiet = (await runInProcess(directory, [...compile, '--quiet'])).out;
        expect(quiet).toContain('understood: ');
        expect(quiet).not.toContain('note: ');
      }
      expect((await runInProcess(directory, ['compile', '--help'])).out).toContain(
        'forward_dynamics undoes active_inverse_dynamics',
      );
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
