/** The cost of a call that `compile` ends with. */
import { describe, expect, it } from 'vitest';
import { robotModel } from '../../src/codegen/modules/robot-model.ts';
import { operationsInAll } from '../../src/codegen/printing/cost-text.ts';
import { executedOperations, generatedCost } from '../../src/codegen/whole-robot/straight-cost.ts';
import { straightModel } from '../../src/codegen/whole-robot/straight-model.ts';
import { compileStraight } from '../../src/straight/compile.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileBodies, compileRobot } from '../../src/kane/compile.ts';
import { callCost, callCostText, dearText, formCosts, formText } from '../../src/report/call-cost.ts';

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

  it('has all that a robot in water takes, added mass included', () => {
    const swimmer = loadRobotText(
      `kanegen: 1
name: swimmer
links: [ { body: planar-cc, repeat: 2 } ]
water: { density: 1000 kg/m^3, added-mass: 1, points: 4 }`,
      'swimmer.yaml',
    );
    const dry = callCost(robot('planar-cc', 2), compileRobot(robot('planar-cc', 2)));
    const { operations } = callCost(swimmer, compileRobot(swimmer));
    expect(operations).toBeGreaterThan(1.5 * dry.operations);
    const model = robotModel(swimmer, compileRobot(swimmer));
    const own = model.instances.flatMap(({ link }) => link.programs.filter(({ name }) => name === 'addedMassWrench'));
    expect(own).toHaveLength(2);
    expect(operations).toBeGreaterThan(own.reduce((sum, program) => sum + executedOperations(program), 0));
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

  it('says which form of a function costs less, and why', () => {
    const arm = robot('planar-cc', 3);
    const compiled = compileRobot(arm);
    const straight = compileStraight(arm, {
      functions: ['gravity', 'inverseDynamics', 'massMatrix'],
      count: generatedCost,
    });
    const costs = formCosts(straightModel(arm, compiled, straight));
    expect(costs.map(({ name }) => name)).toEqual(['gravity', 'inverse dynamics', 'mass matrix']);
    const [gravity, dynamics, mass] = costs;
    // Configurations, composites, and what three wrenches do that pass one link or two.
    const [, , outer] = robotModel(arm, compiled).instances;
    const of = (name: string): number => operationsInAll(outer!.link.programs.find((own) => own.name === name)!.counts);
    expect(mass!.driver).toBe(3 * (of('configure') + of('composite') + of('propagate')));
    // Of the driver as the cost of inverse dynamics counts them, but for orders of Stumpff functions that a link leaves out.
    const { operations } = callCost(arm, compiled);
    expect(dynamics!.driver).toBeGreaterThanOrEqual(operations);
    expect(dynamics!.driver).toBeLessThan(1.1 * operations);
    expect(dynamics!.straight).toBeLessThan(dynamics!.driver);
    expect(formText([gravity!, dynamics!])).toMatch(
      /^gravity as straight-line code: \d+ operations, by the driver \d+: call it\ninverse/,
    );
    expect(formText([{ name: 'gravity', straight: 200, driver: 100 }])).toMatch(/call the driver$/);
    expect(formText([{ name: 'gravity', straight: 4000, driver: 9000 }])).toMatch(/measure before you choose$/);
  });
});
