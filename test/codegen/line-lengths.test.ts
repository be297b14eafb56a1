/** Generated lines fit 120 columns, of whatever functions, as long as the robot's name is of ordinary length. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { generateC } from '../../src/codegen/c/c.ts';
import { generateStraightBatchC } from '../../src/codegen/c/straight-batch-c.ts';
import type { GeneratedFile } from '../../src/codegen/modules/robot-model.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { generatedCost } from '../../src/codegen/whole-robot/straight-cost.ts';
import { straightModel } from '../../src/codegen/whole-robot/straight-model.ts';
import { commentC } from '../../src/codegen/translation/translate-c.ts';
import { compileStraight } from '../../src/straight/compile.ts';
import { loadRobotFile } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { branchedRobot } from './sample-robots.ts';

const example = (name: string) => (): Robot => loadRobotFile(`examples/${name}.robot.yaml`);
const full = process.env['KANEGEN_FULL'] === '1';

/** A tree of rigid and soft links, controllers of all kinds; with everything else tendons, a long name. */
const ROBOTS = {
  branched: branchedRobot,
  'ur10e-motors': example('scenarios/ur10e-motors'),
  ...(full && { 'tendon-control': example('scenarios/tendon-control') }),
  ...(full && { 'tendon-arm': example('tendon-arm'), 'planar-cc-elongation': example('planar-cc-elongation') }),
};

it('comments of what is translated into C', () => {
  const words = Array.from({ length: 40 }, (_, i) => `word${i}`);
  for (const lines of [[words.join(' ')], ['Short.', words.join(' ')]]) {
    const text = commentC(lines);
    expect(wideLines([{ path: 'comment', text }])).toEqual([]);
    expect(text.match(/word\d+/g)).toEqual(words);
  }
});

it('what is copied beside generated code', () => {
  const texts = readdirSync('src/runtime').map((own) => ({
    path: own,
    text: readFileSync(`src/runtime/${own}`, 'utf8'),
  }));
  expect(texts.length).toBeGreaterThan(5);
  expect(wideLines(texts)).toEqual([]);
});

it('functions of many states at once, of bodies with long polynomials', async () => {
  const robot = loadRobotFile('examples/pcc-3d.robot.yaml');
  const compiled = compileRobot(robot);
  const straight = compileStraight(robot, { functions: ['inverseDynamics'], keepGravity: true, count: generatedCost });
  const files = await generateStraightBatchC(straightModel(robot, compiled, straight));
  expect(files.length).toBe(2);
  expect(wideLines(files)).toEqual([]);
});

it.each(Object.entries(ROBOTS))('%s, with derivatives and material points', async (_, load) => {
  const robot = load();
  const compiled = compileRobot(robot, { derivatives: true, points: true });
  const files: GeneratedFile[] = [
    ...(await generateC(robot, compiled)),
    ...(await generateTypeScript(robot, compiled)),
  ];
  expect(wideLines(files)).toEqual([]);
});

function wideLines(files: readonly GeneratedFile[]): string[] {
  const code = files.filter(({ path }) => !path.endsWith('.json'));
  return code.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, i) => (line.length > 120 ? [`${path}:${i + 1}: ${line}`] : [])),
  );
}
