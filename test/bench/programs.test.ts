/** The programs that are counted compute what their rows say: they are run, and compared with the driver. */
import { describe, expect, it } from 'vitest';
import { derive, modelOf, programs } from '../../bench/programs.ts';
import { stateVectors } from '../../bench/workloads.ts';
import {
  loadGenerated,
  loadStraight,
  type LoadedRobot,
  type StraightArgument,
} from '../../src/codegen/typescript/load.ts';
import { generateStraightTypeScript } from '../../src/codegen/typescript/straight-typescript.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { evaluateState, type Evaluation } from '../../src/verify/generated/evaluation.ts';

/** Outputs of a program by the name of their buffer, and what the driver says at the same state. */
async function outputsOf(name: string): Promise<{ outputs: Record<string, Float64Array>; expected: Evaluation }> {
  const program = programs.find((p) => p.name === name)!;
  const robot = program.workload.robot();
  const model = modelOf(robot, derive(program, robot));
  const [f] = model.functions;
  const driverFiles = await generateTypeScript(robot, compileRobot(robot));
  const driver: LoadedRobot = (await loadGenerated(driverFiles))();
  const state = stateVectors(program.workload.state, robot.coordinates.length);
  const inputs: Record<string, StraightArgument> = { parameters: driver.parameters, ...state };
  const outputs = Object.fromEntries(f!.outputs.map((output) => [output.name, new Float64Array(output.size)]));
  const module = await loadStraight(driverFiles, generateStraightTypeScript(model));
  module[f!.name]!(...f!.reads.map((buffer) => inputs[buffer]!), ...Object.values(outputs));
  return { outputs, expected: evaluateState(driver, robot.tip, state) };
}

/** To 1e-12 of the largest number of the list. */
function expectClose(actual: ArrayLike<number>, expected: readonly number[]): void {
  const scale = Math.max(...expected.map(Math.abs));
  expect(actual.length).toBe(expected.length);
  expected.forEach((value, i) => expect(Math.abs(actual[i]! - value)).toBeLessThanOrEqual(1e-12 * scale));
}

describe('programs that are counted', () => {
  it.each(['planar-pcs-1', 'planar-pcs-2'])(
    '%s: mass matrix, Coriolis and gravity vectors are those terms',
    async (arm) => {
      const { outputs, expected } = await outputsOf(`${arm}: mass matrix, Coriolis and gravity vectors`);
      expectClose(outputs['M']!, expected.M.flat());
      expectClose(outputs['c']!, expected.c);
      expectClose(outputs['g']!, expected.g);
    },
  );

  it('planar-chain-5: the forcing is what is left of the forces without acceleration', async () => {
    const { outputs, expected } = await outputsOf('planar-chain-5: mass matrix and forcing');
    expectClose(outputs['M']!, expected.M.flat());
    expectClose(
      outputs['forcing']!,
      expected.c.map((c, i) => -(c + expected.g[i]!)),
    );
  });

  it.each(['planar-cc-6', 'puma560', 'hyq'])('%s: torques are those of the driver', async (robot) => {
    const { outputs, expected } = await outputsOf(`${robot}: inverse dynamics`);
    expectClose(outputs['tau']!, expected.tau);
  });

  it('have names of their own', () => {
    expect(new Set(programs.map((p) => p.name)).size).toBe(programs.length);
  });
});
