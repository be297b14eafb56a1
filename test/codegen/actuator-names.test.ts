/**
 * Actuators may be called anything, links what libraries and headers know: in generated code their names stand behind a prefix. Robots may be
 * called what their code calls its own functions.
 */
import { expect, it } from 'vitest';
import { buildC } from '../../src/codegen/c/build-c.ts';
import { generateC } from '../../src/codegen/c/c.ts';
import { loadRobotObject } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { straightModel } from '../../src/codegen/whole-robot/straight-model.ts';
import { generateStraightC } from '../../src/codegen/c/straight-c.ts';
import { generatedCost } from '../../src/codegen/whole-robot/straight-cost.ts';
import { compileStraight } from '../../src/straight/compile.ts';
import { COMPILERS } from '../compilers.ts';

const NAMES = ['near', 'far', 'double', 'index', 'this', 'default', 'constructor', 'y0'];
const LINKS = ['mount', 'j1', 'errno', 'linux', 'far', 'NAN', 'exp', 'stdin'];
const joint = (name: string): object => ({ name, joint: { revolute: 'y' }, rigid: { mass: '1 kg', com: [0.1, 0, 0] } });
const robot = loadRobotObject({
  kanegen: 1,
  name: 'named',
  links: LINKS.map(joint),
  actuators: Object.fromEntries(NAMES.map((name, i) => [name, { motor: `${LINKS[i]}.angle`, ratio: 2 }])),
  controllers: { lead: { 'partial-feedback-linearisation': { outputs: ['far', 'this'], kp: 1, kd: 1 } } },
});
const COMPILER = COMPILERS.find(({ missing }) => !missing);

it('run in TypeScript', async () => {
  const compiled = compileRobot(robot);
  const create = await loadGenerated(await generateTypeScript(robot, compiled));
  const [u, tau] = [NAMES.map((_, i) => i + 1), new Float64Array(NAMES.length)];
  const dynamics = create();
  dynamics.update(tau, tau);
  expect(dynamics.actuate(u, tau)).toBe(0);
  expect([...tau]).toEqual(u.map((value) => 2 * value));
});

it.skipIf(!COMPILER)('compile in C, where headers make macros of some', async () => {
  const compiled = compileRobot(robot);
  const model = straightModel(
    robot,
    compiled,
    compileStraight(robot, { functions: ['actuation', 'actuate'], count: generatedCost }),
  );
  const files = [...(await generateC(robot, compiled, model)), ...(await generateStraightC(model))];
  const flags = ['-Dnear=', '-Dfar=', '-O0'];
  const program = await buildC(files, { compiler: COMPILER!.compiler, flags }, () => false);
  await program.dispose();
});

it.skipIf(!COMPILER).each(['pose', 'energy', 'forward'])('compile in C in a robot named %s', async (name) => {
  const own = loadRobotObject({ kanegen: 1, name, links: [joint('a'), joint('b')] });
  const program = await buildC(await generateC(own, compileRobot(own)), {
    compiler: COMPILER!.compiler,
    flags: ['-O0'],
  });
  await program.dispose();
});
