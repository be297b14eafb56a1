/**
 * What statuses promise, of every function of generated C: the part of the self-test that puts unusable and extreme numbers
 * into every argument, for robots of different kinds under sanitizers; and that it notices where a promise is broken.
 */
import { describe, expect, it } from 'vitest';
import { buildC, runProgram } from '../../src/codegen/c/build-c.ts';
import { generateC } from '../../src/codegen/c/c.ts';
import { chooseFunctions } from '../../src/codegen/choice.ts';
import { generateFolder } from '../../src/codegen/folder.ts';
import type { GeneratedFile } from '../../src/codegen/modules/robot-model.ts';
import { generatedCost } from '../../src/codegen/whole-robot/straight-cost.ts';
import { loadRobotFile } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { compileStraight } from '../../src/straight/compile.ts';
import { COMPILERS, QUICK, UNOPTIMISED } from '../compilers.ts';

const UNDER_SANITIZERS = ['-fsanitize=address,undefined', '-fno-sanitize-recover=all', '-g', ...UNOPTIMISED];

/** Batches; a rod, its loops. Where everything is asked for, controllers of all laws, water, closed forms with Stumpff functions, springs and a solid, a learned map. */
const ROBOTS = [
  { name: 'two-link', file: 'examples/two-link', straight: true },
  ...(process.env['KANEGEN_FULL'] === '1'
    ? [
        { name: 'elastic-rod', file: 'examples/elastic-rod', straight: false },
        { name: 'ur10e-motors', file: 'examples/scenarios/ur10e-motors', straight: false },
        { name: 'eel', file: 'examples/eel', straight: false },
        { name: 'planar-cc', file: 'examples/planar-cc', straight: true },
        { name: 'rubber-finger', file: 'examples/rubber-finger', straight: false },
        { name: 'learned', file: 'examples/learned', straight: false },
      ]
    : []),
];

async function sourcesOf(file: string, isStraight: boolean): Promise<readonly GeneratedFile[]> {
  const robot = loadRobotFile(`${file}.robot.yaml`);
  const compiled = compileRobot(robot, { derivatives: true, points: true });
  const straight = isStraight ? compileStraight(robot, { count: generatedCost, keepGravity: true }) : undefined;
  const files = await generateFolder(robot, chooseFunctions(robot, compiled, ['all']), ['c'], straight);
  return files
    .filter(({ path }) => path.startsWith('c/'))
    .map(({ path, text }) => ({ path: path.replace('c/', ''), text }));
}

const [gcc, clang] = COMPILERS;

describe('the self-test of statuses', () => {
  it.skipIf(gcc!.unsanitary && clang!.unsanitary).each(ROBOTS)(
    'finds no promise broken under sanitizers: $name (needs a compiler with sanitizers)',
    async ({ name, file, straight }) => {
      const { compiler } = [gcc!, clang!].find(({ unsanitary }) => !unsanitary)!;
      const program = await buildC(await sourcesOf(file, straight), { compiler, flags: UNDER_SANITIZERS });
      try {
        expect(await runProgram(program)).toBe(`${name.replace(/-/g, '_')}: ok\n`);
      } finally {
        await program.dispose();
      }
    },
  );

  const robot = loadRobotFile('examples/scenarios/ur10e-motors.robot.yaml');
  let generated: Promise<readonly GeneratedFile[]> | undefined;
  const files = (): Promise<readonly GeneratedFile[]> =>
    (generated ??= generateC(robot, compileRobot(robot, { derivatives: true })));

  it.skipIf(gcc!.missing).each([
    ['results that are not finite stay', 'kanegen_runtime.h', /(return KG_OK; \}\n {2})kg_mark\(out, count\);/, '$1'],
    ['NaN passes', 'kanegen_runtime.h', '!kg_finite(x, count) ? KG_NON_FINITE', '!kg_finite(x, 0) ? KG_NON_FINITE'],
    ['time goes backwards and is not a number', 'kanegen_runtime.h', 'kg_accept(status, &h, 1)', 'status'],
    ['an index too many is taken', 'ur10e_motors.c', /index >= \d+\)/, 'index > 1000000000)'],
    [
      'a refused step of a controller hands out what it has',
      'ur10e_motors_track.c',
      'u[i] = state->u[i]',
      'u[i] = y[i]',
    ],
  ])('notices it where %s (needs gcc)', async (_, path, from, to) => {
    const broken = (await files()).map((file) =>
      file.path === path ? { path, text: file.text.replace(from, to) } : file,
    );
    expect(broken).not.toEqual(await files());
    const program = await buildC(broken, { flags: ['-O0', '-Wno-error'], ...(QUICK.compiler && QUICK) });
    try {
      await expect(runProgram(program)).rejects.toThrow();
    } finally {
      await program.dispose();
    }
  });
});
