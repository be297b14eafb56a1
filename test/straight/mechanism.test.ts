/** The rewriting of mechanisms: what each step is for, on robots where it can be seen. */
import { describe, expect, test } from 'vitest';
import { loadRobotFile, loadRobotObject } from '../../src/description/load.ts';
import { alignAxes } from '../../src/straight/mechanism/align.ts';
import { compileStraight, type CountOperations } from '../../src/straight/compile.ts';
import { frameTreeOf, parallelFrames } from '../../src/straight/mechanism/frame-tree.ts';
import { lump } from '../../src/straight/mechanism/lump.ts';
import { mechanismOf, type Mechanism } from '../../src/straight/mechanism/mechanism.ts';
import { normalForm } from '../../src/straight/mechanism/normal-form.ts';
import { countOperations, totalOperations } from '../../src/symbolic/graph/cost.ts';
import { foldConstants } from '../../src/symbolic/evaluation/evaluate.ts';
import { half, minusOne, negate, one, plus, symbol, times, zero, type Expr } from '../../src/symbolic/graph/expr.ts';
import { freeSymbols } from '../../src/symbolic/graph/traverse.ts';

const iiwa = (): Mechanism => mechanismOf(loadRobotFile('examples/iiwa.robot.yaml'));
const ur10e = (): Mechanism => mechanismOf(loadRobotFile('examples/ur10e.robot.yaml'));
const count: CountOperations = (outputs) => totalOperations(countOperations(outputs));

function translations(mechanism: Mechanism): Expr[] {
  return mechanism.frames.flatMap((f) => [...f.constant.translation]).filter((e) => e !== zero);
}

describe('the normal form', () => {
  test.each(['before', 'after'] as const)(
    'leaves the iiwa two lengths, shoulder to elbow and elbow to wrist (%s)',
    (origins) => {
      expect(translations(iiwa()).length).toBeGreaterThan(6);
      const lengths = foldConstants(translations(normalForm(iiwa(), origins))).map(Math.abs);
      expect(lengths).toHaveLength(2);
      expect(lengths[0]).toBeCloseTo(0.42, 12);
      expect(lengths[1]).toBeCloseTo(0.4, 12);
    },
  );

  test('keeps constant turns at right angles exact', () => {
    for (const { constant } of normalForm(iiwa(), 'before').frames)
      for (const entry of constant.rotation) expect([zero, one, minusOne]).toContain(entry);
  });

  test('puts the frames of crossing axes at their common normal, whatever the turn between them', () => {
    const robot = loadRobotObject({
      kanegen: 1,
      name: 'skew',
      links: [
        {
          name: 'a',
          joint: { revolute: 'z' },
          rigid: { mass: 1, distal: { xyz: [0.3, 0.4, 0.7], rpy: ['35 deg', '50 deg', 0] } },
        },
        { name: 'b', joint: { revolute: 'z' }, rigid: { mass: 1, com: [0.1, 0, 0] } },
      ],
    });
    const [, second] = normalForm(mechanismOf(robot), 'before').frames;
    const { rotation, translation } = second!.constant;
    const [xx, , , yx, , , zx] = foldConstants(rotation);
    expect([xx, yx, zx]).toEqual([1, 0, 0]);
    expect(translation[1]).toBe(zero);
  });
});

describe('lumping', () => {
  test('leaves a turning body no mass, no moment along its axis and no second moment along it', () => {
    const { frames } = lump(iiwa(), 'second-moment');
    for (const { moments } of frames) {
      const { mass, first, inertia } = moments!;
      expect(mass).toBe(zero);
      expect(first[2]).toBe(zero);
      const [xx, yy, zz] = inertia;
      expect(foldConstants([times(half, plus(xx, yy, negate(zz)))])[0]).toBeCloseTo(0, 14);
    }
  });

  test('moves the whole inertia of a sliding body and keeps its mass', () => {
    const robot = loadRobotObject({
      kanegen: 1,
      name: 'slide',
      links: [
        { name: 'turn', joint: { revolute: 'z' }, rigid: { mass: 1 } },
        {
          name: 'rail',
          joint: { prismatic: 'z' },
          rigid: { mass: 2, inertia: { about: 'com', xx: 0.1, yy: 0.2, zz: 0.25 } },
        },
      ],
    });
    const { frames } = lump(mechanismOf(robot), 'second-moment');
    expect(foldConstants([frames[1]!.moments!.mass, ...frames[1]!.moments!.inertia])).toEqual([2, 0, 0, 0, 0, 0, 0]);
    expect(foldConstants([frames[0]!.moments!.inertia[2]])[0]).toBeCloseTo(0.25, 14);
  });
});

describe('parallel axes', () => {
  test('are found in the UR10e: the second, third and fourth', () => {
    expect([...parallelFrames(normalForm(ur10e(), 'before'))].sort()).toEqual([1, 2, 3]);
  });

  test('are found when one of them points the other way', () => {
    const link = (axis: string) => ({
      joint: { revolute: axis },
      rigid: { mass: 1, com: [0.2, 0, 0], distal: { xyz: [0.4, 0, 0] } },
    });
    const robot = loadRobotObject({ kanegen: 1, name: 'zigzag', links: [link('z'), link('-z')] });
    const mechanism = mechanismOf(robot);
    expect(parallelFrames(mechanism).size).toBe(0);
    expect([...parallelFrames(alignAxes(mechanism))].sort()).toEqual([0, 1]);
  });

  test('need the rotation of what passes through them once only', () => {
    const mechanism = normalForm(ur10e(), 'before');
    const tree = frameTreeOf(mechanism, parallelFrames(mechanism));
    const isTurned = tree.nodes.map(({ step }) => freeSymbols(step.frame.rotation).length > 0);
    expect(isTurned.slice(1, 4)).toEqual([false, false, false]);
    expect(isTurned[4]).toBe(true);
  });
});

describe('compiling a whole robot', () => {
  test('keeps parameters that are marked for run time, and gravity where there is any when asked', () => {
    const robot = loadRobotObject({
      kanegen: 1,
      name: 'pendulum',
      parameters: { m: { value: '1 kg', runtime: true }, l: '0.5 m' },
      links: [{ name: 'rod', joint: { revolute: 'y' }, rigid: { mass: 'm', com: [0, 0, 'l'] } }],
    });
    const folded = compileStraight(robot, { functions: ['inverseDynamics'], count });
    expect(folded.parameters.map((p) => p.name)).toEqual(['m']);
    const kept = compileStraight(robot, { functions: ['inverseDynamics'], keepGravity: true, count });
    expect(kept.parameters.map((p) => [p.name, p.value])).toEqual([
      ['gravity_z', -9.81],
      ['m', 1],
    ]);
    const used = freeSymbols(kept.functions[0]!.outputs[0]!.values);
    expect(used).toContain(kept.parameters[0]!.symbol);
    expect(used).toContain(kept.parameters[1]!.symbol);
  });

  test('stops when it is told to', () => {
    const stop = new Error('enough');
    const robot = loadRobotFile('examples/two-link.robot.yaml');
    let calls = 0;
    const checkpoint = (): void => {
      if (++calls === 3) throw stop;
    };
    expect(() => compileStraight(robot, { count, checkpoint })).toThrow(stop);
  });

  test('chooses the form that counts least', () => {
    const robot = loadRobotFile('examples/ur10e.robot.yaml');
    const seen: number[] = [];
    const watching: CountOperations = (outputs, _, accuracy) => {
      const cost = totalOperations(countOperations(outputs));
      if (accuracy === 'exact') seen.push(cost);
      return cost;
    };
    const { functions } = compileStraight(robot, { functions: ['gravity'], count: watching });
    expect(seen.length).toBeGreaterThan(1);
    expect(totalOperations(countOperations(functions[0]!.outputs[0]!.values))).toBe(Math.min(...seen));
  });
});

test('symbols of a mechanism are those of the robot, by name', () => {
  expect(iiwa().symbols.q[0]).toBe(symbol(`q.${loadRobotFile('examples/iiwa.robot.yaml').coordinates[0]!.name}`));
});
