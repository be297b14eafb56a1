/** What becomes of the independent evaluation where there is no time for all states. */
import { afterEach, expect, it, vi } from 'vitest';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotObject } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { verifyRobot, type VerificationReport } from '../../src/verify/verify.ts';

const robot = loadRobotObject({
  kanegen: 1,
  name: 'pair',
  links: [
    { name: 'a', joint: { revolute: 'y' }, rigid: { mass: '1 kg', com: [0.1, 0, 0.2], distal: { xyz: [0, 0, 0.3] } } },
    { name: 'b', body: 'planar-cc', parameters: { L: '0.2 m', R: '20 mm', rho: '1062 kg/m^3' } },
  ],
});
const create = await loadGenerated(await generateTypeScript(robot, compileRobot(robot)));

afterEach(() => vi.restoreAllMocks());

/** Where every state takes 70 s of the processor. */
function verified(thorough: boolean): Promise<VerificationReport> {
  let seconds = 0;
  vi.spyOn(process, 'cpuUsage').mockImplementation(() => ({ user: seconds * 1e6, system: 0 }));
  const progress = (message: string): void => {
    if (/^independent evaluation, (?!points)/.test(message)) seconds += 70;
  };
  return verifyRobot(robot, create(), { states: 2, thorough, progress });
}

it('leaves out states once the time is over, at least two of them done, and says so', async () => {
  const { passed, states, notes } = await verified(false);
  expect(passed).toBe(true);
  expect(notes).toEqual([
    `D'Alembert's principle at 2 of these states (random 1, straight): at all of them with --thorough`,
  ]);
  expect(states.length).toBeGreaterThan(2);
});

it('visits all of them when asked to', async () => {
  const { passed, notes } = await verified(true);
  expect(passed).toBe(true);
  expect(notes).toEqual([]);
});

it('says of the states that took too long that they did', async () => {
  let [seconds, isState] = [0, false];
  vi.spyOn(process, 'cpuUsage').mockImplementation(() => ({ user: (seconds += isState ? 130 : 0) * 1e6, system: 0 }));
  const progress = (message: string): void => {
    isState = /^independent evaluation, (?!points)/.test(message);
  };
  const { passed, checks } = await verifyRobot(robot, create(), { states: 2, progress });
  expect(passed).toBe(false);
  expect(checks.find(({ name }) => name.endsWith('the same mass matrix M'))).toMatchObject({
    outcome: 'unchecked',
    where: expect.stringContaining('random 1: the independent evaluation of a state takes more than 120 s') as string,
  });
});
