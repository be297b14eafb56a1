/** Estimates of calls on a small processor: within a factor of two of the instructions that QEMU counts, and by kinds of operations as they are executed. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { robotModel } from '../../src/codegen/modules/robot-model.ts';
import { programsCalled } from '../../src/codegen/controllers/call-costs.ts';
import { executedOperations } from '../../src/codegen/whole-robot/straight-cost.ts';
import { loadRobotFile } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { callEstimates, CORTEX_M4F } from '../../src/report/call-estimate.ts';

const counted = JSON.parse(readFileSync('bench/baseline-embedded.json', 'utf8')) as {
  instructions: Record<string, Record<string, number>>;
};

const isFull = process.env['KANEGEN_FULL'] === '1';

describe('estimates of calls', () => {
  it.each(['planar-cc', ...(isFull ? ['ur10e'] : [])])(
    'of %s are within a factor of two of counted instructions',
    (name) => {
      const robot = loadRobotFile(`examples/${name}.robot.yaml`);
      const compiled = compileRobot(robot);
      const [inverse] = callEstimates(robot, compiled);
      const instructions = counted.instructions[name.replace('-', '_')]!['inverse dynamics, driver, float']!;
      expect(inverse!.cycles / instructions).toBeGreaterThan(0.5);
      expect(inverse!.cycles / instructions).toBeLessThan(2);
      // Another way of counting, which has no kinds.
      const executed = programsCalled(robotModel(robot, compiled), 'inverseDynamicsAt').map(executedOperations);
      expect(inverse!.operations).toBe(executed.reduce((sum, own) => sum + own, 0));
      expect(inverse!.microseconds).toBeCloseTo(inverse!.cycles / CORTEX_M4F.megahertz, 9);
    },
  );

  it.runIf(isFull)('count rows of loops as often as they run', () => {
    const robot = loadRobotFile('examples/elastic-rod.robot.yaml');
    const compiled = compileRobot(robot);
    const executed = programsCalled(robotModel(robot, compiled), 'gravityAt').map(executedOperations);
    const gravity = callEstimates(robot, compiled).find(({ name }) => name === 'gravity')!;
    expect(gravity.operations).toBe(executed.reduce((sum, own) => sum + own, 0));
  });
});
