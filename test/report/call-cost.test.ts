/** The cost of a call that `compile` ends with. */
import { describe, expect, it } from 'vitest';
import { robotModel } from '../../src/codegen/modules/robot-model.ts';
import { executedOperations } from '../../src/codegen/whole-robot/straight-cost.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileBodies, compileRobot } from '../../src/kane/compile.ts';
import { callCost, callCostText } from '../../src/report/call-cost.ts';

const robot = (body: string, repeat: number): ReturnType<typeof loadRobotText> =>
  loadRobotText(`kanegen: 1\nname: arm\nlinks: [ { body: ${body}, repeat: ${repeat} } ]`, 'arm.yaml');

describe('the cost of inverse dynamics', () => {
  it('has no points in closed form, and grows with the links', () => {
    const [one, three] = [1, 3].map((count) =>
      callCost(robot('planar-cc', count), compileRobot(robot('planar-cc', count))),
    );
    expect(one!.points).toBe(0);
    expect(three!.operations).toBe(3 * one!.operations);
    // As the header of the link module says it: outwards and back.
    const [link] = robotModel(robot('planar-cc', 1), compileRobot(robot('planar-cc', 1))).links;
    const [forward, backward] = ['forward', 'backward'].map((name) => link!.programs.find((p) => p.name === name)!);
    expect(one!.operations).toBe(executedOperations(forward!) + executedOperations(backward!));
    expect(one!.operations).toBeGreaterThan(250);
    expect(callCostText(one!)).toMatch(/^inverse dynamics: \d+ operations, (about|less than) \S+ µs a call in C/);
  });

  it('counts the steps of all rods', () => {
    const arm = robot('gvs-affine-planar', 2);
    const [body] = compileBodies(arm).values();
    const cost = callCost(arm, compileRobot(arm));
    expect(cost.points).toBe(2 * body!.chosen.cost.rows);
    // A section takes some hundred operations on the way out and back.
    expect(cost.operations / cost.points).toBeGreaterThan(100);
    expect(cost.operations / cost.points).toBeLessThan(1000);
    expect(callCostText(cost)).toMatch(/: \d+ points, [\d,]+ operations, about \S+ µs/);
  });
});
