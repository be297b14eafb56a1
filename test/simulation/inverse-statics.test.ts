/** Inverse statics: inputs of a tendon arm are found again from where its tip comes to rest; limits hold; what is out of reach is said. */
import { beforeAll, describe, expect, it } from 'vitest';
import { loadRobot, NoEquilibrium, type RobotInMemory } from '../../src/index.ts';
import { inverseStatics } from '../../src/simulation/equilibria/inverse-statics.ts';
import type { PoseGoal } from '../../src/simulation/equilibria/pose-search.ts';
import { equilibrium, responseToInputs } from '../../src/simulation/equilibria/statics.ts';
import type { StaticLoads } from '../../src/simulation/equilibria/static-loads.ts';

const MOST = 40;

/** Two elastic segments that hang and bend in a plane, and two tendons along both: small, for it is compiled in the test. */
let arm: RobotInMemory;
beforeAll(async () => {
  arm = await loadRobot(
    {
      kanegen: 1,
      name: 'arm',
      base: { rpy: ['180 deg', 0, 0] },
      parameters: { r: '15 mm' },
      'body-types': {
        segment: {
          parameters: { L: 0.2, R: 0.018, rho: 1070 },
          coordinates: { b: { unit: 'rad' }, e: { unit: 'm' } },
          volume: { rod: { s: [0, 'L'] }, section: { disc: 'R', cartesian: ['x', 'y'] }, density: 'rho' },
          strain: { 'bend-y': 'b/L', stretch: 'e/L' },
          material: { 'rod-elasticity': { E: '0.4 MPa', nu: 0.45 } },
        },
      },
      links: [{ name: 'soft', repeat: 2, body: 'segment' }],
      actuators: Object.fromEntries(
        ['r', '-r'].map((x, i) => [
          `t${i + 1}`,
          { tendon: { through: 'soft', route: { x, y: 0 } }, limits: [0, `${MOST} N`] },
        ]),
      ),
    },
    { derivatives: true },
  );
}, 60_000);

/** Uniform in [0, 1), repeatable. */
function numbers(): () => number {
  let state = 12345;
  return () => (state = (state * 16807) % 2147483647) / 2147483647;
}

function tipAt(q: readonly number[]): Required<Omit<PoseGoal, 'frame'>> {
  const [R, t] = [new Float64Array(9), new Float64Array(3)];
  arm.dynamics.update(
    q,
    q.map(() => 0),
  );
  arm.dynamics.frame(arm.robot.tip, R, t, null);
  return { rotation: [...R], position: [...t] as [number, number, number] };
}

const restingAt = (inputs: readonly number[], loads: Omit<StaticLoads, 'inputs'> = {}): readonly number[] =>
  equilibrium(arm.robot, arm.dynamics, { inputs, ...loads }).q;
const pushed = (): Omit<StaticLoads, 'inputs'> => ({
  wrenches: [{ frame: arm.robot.tip, wrench: [0, 0, 0, 0.05, 0, -0.1] }],
});
const distance = (a: readonly number[], b: readonly number[]): number => Math.hypot(...a.map((x, i) => x - b[i]!));

describe('inverse statics of an arm with two tendons', () => {
  it('leads several frames at once, as near as they can come together', () => {
    const middle = arm.robot.frames.findIndex(({ name }) => name === 'soft1');
    const at = (q: readonly number[], frame: number): [number, number, number] => {
      const t = new Float64Array(3);
      arm.dynamics.update(
        q,
        q.map(() => 0),
      );
      arm.dynamics.frame(frame, null, t, null);
      return [...t] as [number, number, number];
    };
    const goalsAt = (q: readonly number[]): PoseGoal[] =>
      [middle, arm.robot.tip].map((frame) => ({ frame, position: at(q, frame) }));
    const inputs = [0.7 * MOST, 0.2 * MOST];
    const goals = goalsAt(restingAt(inputs));
    const found = inverseStatics(arm.robot, arm.dynamics, goals);
    expect(found).toMatchObject({ reached: true });
    goals.forEach(({ frame, position }) =>
      expect(distance(at(found.equilibrium.q, frame!), position)).toBeLessThan(2e-9),
    );
    // The tip where other inputs bring it: the middle cannot stay. Neither is left aside.
    const [first, second] = [goals[0]!, goalsAt(restingAt([0.1 * MOST, 0.6 * MOST]))[1]!];
    const torn = inverseStatics(arm.robot, arm.dynamics, [first, second], { restarts: 2 });
    expect(torn.reached).toBe(false);
    const left = [first, second].map(({ frame, position }) => distance(at(torn.equilibrium.q, frame!), position));
    expect(Math.min(...left)).toBeGreaterThan(1e-3);
    expect(torn.distance).toBeCloseTo(Math.max(...left), 12);
  });

  it('finds the inputs again with which the tip came to rest where it did, and poses with them', () => {
    const random = numbers();
    for (let k = 0; k < 20; k++) {
      const inputs = [0, 1].map(() => MOST * random());
      const { position, rotation } = tipAt(restingAt(inputs));
      const found = inverseStatics(arm.robot, arm.dynamics, k % 4 === 0 ? { position, rotation } : { position });
      expect(found).toMatchObject({ reached: true });
      // By statics alone, from the defaults.
      expect(distance(tipAt(restingAt(found.inputs)).position, position)).toBeLessThan(1e-8);
      expect(distance(tipAt(found.equilibrium.q).position, position)).toBeLessThan(2e-9);
      expect(Math.min(...found.inputs)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...found.inputs)).toBeLessThanOrEqual(MOST);
      // Other inputs may bring the tip to the same place, but turned.
      if (k % 4 === 0) expect(distance(found.inputs, inputs)).toBeLessThan(1e-5 * MOST);
    }
  });

  it('takes how the equilibrium follows the inputs from the tangent stiffness', () => {
    const inputs = [20, 8];
    const q = restingAt(inputs, pushed());
    const response = responseToInputs(arm.robot, arm.dynamics, { inputs, ...pushed() }, q)!;
    inputs.forEach((u, k) => {
      const [before, after] = [-1e-3, 1e-3].map((change) => restingAt(inputs.with(k, u + change), pushed()));
      response[k]!.forEach((slope, i) =>
        expect(Math.abs(slope - (after![i]! - before![i]!) / 2e-3)).toBeLessThan(
          1e-6 * Math.max(...response[k]!.map(Math.abs)),
        ),
      );
    });
  });

  it('lets go where the goal lies below what tendons, which pull only, can reach', () => {
    const hanging = tipAt(restingAt([0, 0])).position;
    const goal: PoseGoal = { position: [0, 0, -2] };
    const found = inverseStatics(arm.robot, arm.dynamics, goal, { restarts: 3 });
    expect(found).toMatchObject({ reached: false, starts: 4, inputs: [0, 0] });
    expect(found.distance).toBeCloseTo(2 + hanging[2], 12);
    expect(inverseStatics(arm.robot, arm.dynamics, goal, { restarts: 3 })).toEqual(found);
  });

  it('comes as near as its limits let it: no inputs beside those found come nearer', () => {
    const goal = [2, 0, -0.5] as const;
    const {
      reached,
      inputs,
      distance: least,
    } = inverseStatics(arm.robot, arm.dynamics, { position: goal }, { restarts: 3 });
    expect(reached).toBe(false);
    const from = (u: readonly number[]): number => distance(tipAt(restingAt(u)).position, goal);
    expect(from(inputs)).toBeCloseTo(least, 9);
    for (const change of [-0.5, 0.5])
      inputs.forEach((u, k) => {
        const beside = inputs.with(k, Math.min(Math.max(u + change, 0), MOST));
        expect(from(beside)).toBeGreaterThanOrEqual(least - 1e-12);
      });
  });

  it('takes loads into account', () => {
    const loads = pushed();
    const { position } = tipAt(restingAt([12, 5], loads));
    const found = inverseStatics(arm.robot, arm.dynamics, { position }, { loads });
    expect(found.reached).toBe(true);
    expect(distance(found.inputs, [12, 5])).toBeLessThan(1e-5);
  });

  it('begins where it is told', () => {
    const { position } = tipAt(restingAt([12, 5]));
    const found = inverseStatics(arm.robot, arm.dynamics, { position }, { inputs: [12, 5] });
    expect(found).toMatchObject({ reached: true, starts: 1, steps: 0 });
  });

  it('refuses inputs that are not numbers, and goals', () => {
    const solve = (x: number, inputs: readonly number[]) => () =>
      inverseStatics(arm.robot, arm.dynamics, { position: [x, 0, 0] }, { inputs });
    expect(solve(NaN, [0, 0])).toThrow(RangeError);
    expect(solve(0, [0])).toThrow(/`inputs` takes 2 and `start` 4 finite numbers/);
    expect(solve(0, [0, NaN])).toThrow(RangeError);
  });
});

const lever = (actuators: object): Promise<RobotInMemory> =>
  loadRobot({
    kanegen: 1,
    name: 'lever',
    links: [
      { name: 'lever', joint: { revolute: 'y' }, rigid: { mass: 1, com: [0.1, 0, 0], distal: { xyz: [0.2, 0, 0] } } },
    ],
    actuators,
  });

describe('inverse statics of a lever with weight', () => {
  it('has the moment that holds it, in closed form, without limits', async () => {
    const { robot, dynamics } = await lever({ m: { motor: 'lever.angle' } });
    const angle = 1.1;
    // Pitch turns x towards −z; weight m g c cos(angle) is held.
    const position = [0.2 * Math.cos(angle), 0, -0.2 * Math.sin(angle)] as const;
    const found = inverseStatics(robot, dynamics, { position }, { start: [1.5] });
    expect(found.reached).toBe(true);
    expect(found.inputs[0]).toBeCloseTo(-9.81 * 0.1 * Math.cos(angle), 7);
  });

  it('says that there are no actuators, and where nothing rests', async () => {
    const { robot, dynamics } = await lever({});
    expect(() => inverseStatics(robot, dynamics, { position: [0, 0, 0] })).toThrow(/lever has no actuators/);
    const held = await lever({ m: { motor: 'lever.angle', limits: ['2 N m', '3 N m'] } });
    expect(() => inverseStatics(held.robot, held.dynamics, { position: [0, 0, 0] }, { restarts: 2 })).toThrow(
      NoEquilibrium,
    );
  });
});
