/** Inverse kinematics: poses that can be reached are, others come as near as can be, limits hold. */
import { beforeAll, describe, expect, it } from 'vitest';
import { loadRobot, type RobotInMemory } from '../../src/index.ts';
import { inverseKinematics } from '../../src/simulation/equilibria/inverse-kinematics.ts';
import type { PoseGoal } from '../../src/simulation/equilibria/pose-search.ts';

let arm: RobotInMemory;
let planar: RobotInMemory;
beforeAll(async () => {
  arm = await loadRobot('examples/ur10e.robot.yaml');
  planar = await loadRobot({
    kanegen: 1,
    name: 'planar',
    links: ['first', 'second'].map((name) => ({
      name,
      joint: { revolute: 'z', limits: name === 'second' ? [0, '120 deg'] : ['-170 deg', '170 deg'] },
      rigid: { mass: '1 kg', distal: { xyz: [name === 'first' ? 0.5 : 0.3, 0, 0] } },
    })),
  });
}, 60_000);

/** Uniform in [-1, 1), repeatable. */
function numbers(): () => number {
  let state = 12345;
  return () => (state = (state * 16807) % 2147483647) / 1073741823.5 - 1;
}

function poseAt({ robot, dynamics }: RobotInMemory, q: readonly number[]): Required<Omit<PoseGoal, 'frame'>> {
  const [R, t] = [new Float64Array(9), new Float64Array(3)];
  dynamics.update(
    q,
    q.map(() => 0),
  );
  dynamics.frame(robot.tip, R, t, null);
  return { rotation: [...R], position: [...t] as [number, number, number] };
}

describe('inverse kinematics of a UR10e', () => {
  it('reaches poses that can be reached, within the limits: at least 995 of 1,000 random ones', () => {
    const random = numbers();
    let reached = 0;
    for (let k = 0; k < 1000; k++) {
      const goal = poseAt(
        arm,
        arm.robot.coordinates.map(() => Math.PI * random()),
      );
      const found = inverseKinematics(arm.robot, arm.dynamics, goal, { seed: k + 1 });
      if (!found.reached) continue;
      reached++;
      const pose = poseAt(arm, found.q);
      pose.position.forEach((value, i) => expect(Math.abs(value - goal.position[i]!)).toBeLessThan(2e-9));
      pose.rotation.forEach((value, i) => expect(Math.abs(value - goal.rotation[i]!)).toBeLessThan(2e-9));
      found.q.forEach((value) => expect(Math.abs(value)).toBeLessThanOrEqual(2 * Math.PI));
    }
    expect(reached).toBeGreaterThanOrEqual(995);
  });

  it('leads a position of the elbow and a pose of the tip at once', () => {
    const q = [0.3, -1.1, 1.4, -0.6, 0.5, 0.2];
    const elbow = arm.robot.frames.findIndex(({ name }) => name === 'wrist_1');
    expect(elbow).toBeGreaterThanOrEqual(0);
    const tip = poseAt(arm, q);
    const t = new Float64Array(3);
    arm.dynamics.frame(elbow, null, t, null);
    const goals: PoseGoal[] = [{ frame: elbow, position: [t[0]!, t[1]!, t[2]!] }, tip];
    const found = inverseKinematics(arm.robot, arm.dynamics, goals);
    expect(found).toMatchObject({ reached: true });
    const pose = poseAt(arm, found.q);
    pose.rotation.forEach((value, i) => expect(Math.abs(value - tip.rotation[i]!)).toBeLessThan(2e-9));
    arm.dynamics.frame(elbow, null, t, null);
    t.forEach((value, i) => expect(Math.abs(value - goals[0]!.position[i]!)).toBeLessThan(2e-9));
  });

  it('says what cannot be reached, and is the same each time', () => {
    const goal: PoseGoal = { position: [2, 1, 0.5], rotation: [1, 0, 0, 0, 1, 0, 0, 0, 1] };
    const found = inverseKinematics(arm.robot, arm.dynamics, goal, { restarts: 10 });
    expect(found.reached).toBe(false);
    expect(found.starts).toBe(11);
    // Links and offsets of the arm end to end.
    expect(found.distance).toBeGreaterThan(Math.hypot(2, 1, 0.5 - 0.1807) - 1.62);
    expect(found.distance).toBeLessThan(1.2);
    expect(inverseKinematics(arm.robot, arm.dynamics, goal, { restarts: 10 })).toEqual(found);
  });

  it('stretches towards a place that is too far, to the last digits', () => {
    const goal: PoseGoal = { position: [2, 1, 0.5] };
    const { q, distance } = inverseKinematics(arm.robot, arm.dynamics, goal, { restarts: 10 });
    const [t, J] = [new Float64Array(3), new Float64Array(36)];
    arm.dynamics.update(q, new Float64Array(6));
    arm.dynamics.frame(arm.robot.tip, null, t, J);
    const way = goal.position.map((p, i) => p - t[i]!);
    expect(Math.hypot(...way)).toBeCloseTo(distance, 12);
    // No coordinate moves the tip along the way that is left.
    for (let j = 0; j < 6; j++)
      expect(Math.abs(way.reduce((sum, w, i) => sum + w * J[(3 + i) * 6 + j]!, 0))).toBeLessThan(1e-11);
  });
});

describe('inverse kinematics of a planar arm of 0.5 m and 0.3 m', () => {
  const solve = (x: number, y: number) =>
    inverseKinematics(planar.robot, planar.dynamics, { position: [x, y, 0] }, { restarts: 10 });

  it('points where the goal is when that is too far', () => {
    const { reached, distance, q } = solve(0.9, 1.2);
    expect(reached).toBe(false);
    expect(Math.abs(distance - 0.7)).toBeLessThan(1e-14);
    expect(q[0]).toBeCloseTo(Math.atan2(1.2, 0.9), 9);
    expect(q[1]).toBeCloseTo(0, 9);
  });

  it('bends as far as its limit lets it when that is too near', () => {
    const { reached, distance, q } = solve(0.1, 0.1);
    const least = Math.sqrt(0.25 + 0.09 - 0.15);
    expect(reached).toBe(false);
    expect(q[1]).toBeCloseTo((2 * Math.PI) / 3, 9);
    expect(distance).toBeCloseTo(least - Math.hypot(0.1, 0.1), 9);
  });

  it('comes to rest where neither way nor turn can gain from the other, by difference quotients', () => {
    const rotation = [0, -1, 0, 1, 0, 0, 0, 0, 1];
    const radian = 0.4;
    for (const [x, y] of [
      [0.9, 1.2],
      [-0.2, 0.7],
      [0.1, 0.1],
    ] as const) {
      const goal: PoseGoal = { position: [x, y, 0], rotation };
      const { q, distance, angle } = inverseKinematics(planar.robot, planar.dynamics, goal, { restarts: 10, radian });
      // Angle and way of a planar arm by its formulas.
      const error = ([a, b]: readonly number[]): number =>
        (x - 0.5 * Math.cos(a!) - 0.3 * Math.cos(a! + b!)) ** 2 +
        (y - 0.5 * Math.sin(a!) - 0.3 * Math.sin(a! + b!)) ** 2 +
        (radian * (Math.PI / 2 - a! - b!)) ** 2;
      expect(error(q)).toBeCloseTo(distance ** 2 + (radian * angle) ** 2, 12);
      const isHeld = [false, q[1]! < 1e-12 || q[1]! > (2 * Math.PI) / 3 - 1e-12];
      q.forEach((_, i) => {
        const at = (h: number): number => error(q.map((value, j) => (i === j ? value + h : value)));
        const slope = (8 * (at(1e-3) - at(-1e-3)) - at(2e-3) + at(-2e-3)) / 12e-3;
        if (!isHeld[i]) expect(Math.abs(slope)).toBeLessThan(1e-11);
        else expect(slope * (q[1]! - 1)).toBeLessThan(0);
      });
    }
  });

  it('takes the one of two ways that is within the limits', () => {
    const { reached, q } = solve(0.4, 0.3);
    expect(reached).toBe(true);
    // By the law of cosines.
    expect(q[1]).toBeCloseTo(Math.acos((0.25 - 0.25 - 0.09) / 0.3), 8);
  });

  it('leaves angles out where only a position is asked for, and takes them in otherwise', () => {
    const goal = poseAt(planar, [0.3, 0.8]);
    expect(inverseKinematics(planar.robot, planar.dynamics, goal).reached).toBe(true);
    const turned = { ...goal, rotation: [1, 0, 0, 0, 1, 0, 0, 0, 1] };
    const { reached, angle, distance } = inverseKinematics(planar.robot, planar.dynamics, turned);
    expect(reached).toBe(false);
    expect(angle + distance).toBeGreaterThan(0.1);
  });

  it('refuses goals that are not numbers', () => {
    expect(() => solve(NaN, 0)).toThrow(RangeError);
  });
});

describe('goals and options', () => {
  const position = [0.3, 0.2, 0] as const;
  const turned = (rotation: readonly number[]): PoseGoal => ({ position, rotation });
  const ask = (goal: unknown, options: unknown = {}) =>
    inverseKinematics(planar.robot, planar.dynamics, goal as PoseGoal, options as object);

  it.each<[string, unknown, unknown, RegExp]>([
    ['nine times nine', turned(Array(9).fill(9)), {}, /`rotation` is not a rotation: .* off by 2\.4e\+2/],
    ['a matrix that is scaled', turned([1.001, 0, 0, 0, 1.001, 0, 0, 0, 1.001]), {}, /`rotation` is not a rotation/],
    ['a sheared matrix', turned([1, 0.01, 0, 0, 1, 0, 0, 0, 1]), {}, /`rotation` is not a rotation/],
    ['a reflection', turned([1, 0, 0, 0, 1, 0, 0, 0, -1]), {}, /`rotation` is a reflection/],
    ['the point inversion', turned([-1, 0, 0, 0, -1, 0, 0, 0, -1]), {}, /`rotation` is a reflection/],
    ['eight numbers', turned([1, 0, 0, 0, 1, 0, 0, 0]), {}, /`rotation` takes 9 finite numbers/],
    ['no numbers', turned('rotation!' as never), {}, /`rotation` takes 9 finite numbers/],
    ['two coordinates of a place', { position: [1, 2] }, {}, /`position` takes 3 finite numbers/],
    ['an infinite place', { position: [1, 2, Infinity] }, {}, /`position` takes 3 finite numbers/],
    ['no place', {}, {}, /`position` takes 3/],
    [
      'a frame that is not there',
      { position, frame: 9 },
      {},
      /`frame` must be an index below 2, the number of frames, not 9/,
    ],
    ['a frame before the first', { position, frame: -1 }, {}, /`frame` must be .*, not -1/],
    ['a frame between two', { position, frame: 0.5 }, {}, /`frame` must be .*, not 0.5/],
    ['a frame by its name', { position, frame: 'second' }, {}, /`frame` must be .*, not second/],
    ['nothing', null, {}, /a goal must be an object/],
    ['no goals', [], {}, /at least one goal/],
    ['a short start', { position }, { start: [0] }, /`start` takes 2 finite numbers/],
    ['half a start', { position }, { restarts: 0.5 }, /`restarts` must be .*, not 0.5/],
    ['starts without end', { position }, { restarts: 1e9 }, /`restarts` must be .*, not 1000000000/],
    ['no accuracy', { position }, { within: 0 }, /`within` must be a number above zero, not 0/],
    ['a negative length of an angle', { position }, { radian: -1 }, /`radian` must be .*, not -1/],
    ['a seed below zero', { position }, { seed: -1 }, /`seed` must be .*, not -1/],
  ])('are refused where they are none: %s', (_, goal, options, message) => {
    expect(() => ask(goal, options)).toThrow(RangeError);
    expect(() => ask(goal, options)).toThrow(message);
  });

  it('may be rotations of seven digits, and half turns', () => {
    expect(ask(turned([0.5403023, -0.841471, 0, 0.841471, 0.5403023, 0, 0, 0, 1])).angle).toBeLessThan(4);
    expect(ask(turned([-1, 0, 0, 0, -1, 0, 0, 0, 1])).angle).toBeLessThan(4);
  });
});
