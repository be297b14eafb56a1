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
});

describe('inverse kinematics of a planar arm of 0.5 m and 0.3 m', () => {
  const solve = (x: number, y: number) =>
    inverseKinematics(planar.robot, planar.dynamics, { position: [x, y, 0] }, { restarts: 10 });

  it('points where the goal is when that is too far', () => {
    const { reached, distance, q } = solve(0.9, 1.2);
    expect(reached).toBe(false);
    expect(distance).toBeCloseTo(0.7, 9);
    expect(q[0]).toBeCloseTo(Math.atan2(1.2, 0.9), 5);
    expect(q[1]).toBeCloseTo(0, 5);
  });

  it('bends as far as its limit lets it when that is too near', () => {
    const { reached, distance, q } = solve(0.1, 0.1);
    const least = Math.sqrt(0.25 + 0.09 - 0.15);
    expect(reached).toBe(false);
    expect(q[1]).toBeCloseTo((2 * Math.PI) / 3, 9);
    expect(distance).toBeCloseTo(least - Math.hypot(0.1, 0.1), 9);
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
