/** The cost of a call that `compile` ends with. */
import { describe, expect, it } from 'vitest';
import { robotModel } from '../../src/codegen/modules/robot-model.ts';
import { executedOperations } from '../../src/codegen/whole-robot/straight-cost.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileBodies, compileRobot } from '../../src/kane/compile.ts';
import { callCost, callCostText, dearText } from '../../src/report/call-cost.ts';

const robot = (body: string, repeat: number): ReturnType<typeof loadRobotText> =>
  loadRobotText(`kanegen: 1\nname: arm\nlinks: [ { body: ${body}, repeat: ${repeat} } ]`, 'arm.yaml');

describe('the cost of inverse dynamics', () => {
  it('has no points in closed form, and is that of all links together', () => {
    const [one, three] = [1, 3].map((count) =>
      callCost(robot('planar-cc', count), compileRobot(robot('planar-cc', count))),
    );
    expect(one!.points).toBe(0);
    // As the headers of the link modules say it, outwards and back. A link whose parent rests costs less than others.
    const { instances } = robotModel(robot('planar-cc', 3), compileRobot(robot('planar-cc', 3)));
    const programs = instances.flatMap(({ link }) =>
      link.programs.filter(({ name }) => name === 'forward' || name === 'backward'),
    );
    expect(programs).toHaveLength(6);
    expect(three!.operations).toBe(programs.reduce((sum, program) => sum + executedOperations(program), 0));
    expect(three!.operations).toBeGreaterThan(3 * one!.operations);
    expect(callCostText(one!)).toMatch(/^inverse dynamics: \d+ operations, (about|less than) \S+ µs a call in C/);
  });

  it('says which body is dear, and what would make it cheaper', () => {
    const dear = (cost: object): string | undefined =>
      dearText({ points: 0, operations: 0, microseconds: 0, dearest: null, ...cost });
    expect(dear({})).toBeUndefined();
    const dearest = { type: 'block', points: 2730, tolerance: 1e-7, withoutLimits: ['q1', 'q2'] };
    expect(dear({ dearest })).toMatch(
      /^`block` needs 2,730 points for its tolerance of 1e-7: `limits` for q1, q2 where/,
    );
    expect(dear({ dearest: { ...dearest, withoutLimits: [] } })).toMatch(/: narrower `limits`, or a larger/);
    expect(callCost(robot('planar-cc', 2), compileRobot(robot('planar-cc', 2))).dearest).toBeNull();
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
