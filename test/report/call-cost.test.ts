/** The cost of a call that `compile` ends with. */
import { describe, expect, it } from 'vitest';
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
    expect(callCostText(one!)).toMatch(/^inverse dynamics: \d+ operations, (about|less than) \S+ µs a call in C/);
  });

  it('counts the steps of all rods', () => {
    const arm = robot('gvs-affine-planar', 2);
    const [body] = compileBodies(arm).values();
    const cost = callCost(arm, compileRobot(arm));
    expect(cost.points).toBe(2 * body!.chosen.cost.rows);
    expect(cost.operations).toBeGreaterThan(cost.points * body!.chosen.cost.perRow);
    expect(callCostText(cost)).toMatch(/: \d+ points, [\d,]+ operations, about \S+ µs/);
  });
});
