/** Bodies that touch: motions against closed solutions, rods against obstacles, what friction takes. */
import { beforeAll, describe, expect, it } from 'vitest';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { randomNumbers } from '../../src/common/random.ts';
import { loadRobotText } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { simulate, type Run } from '../../src/simulation/run/simulate.ts';

const [G, MASS, RADIUS, STIFFNESS, DAMPING, MU, CREEP] = [9.81, 0.5, 0.02, 2000, 3, 0.4, 1e-3];

/** A ball that only rises and falls, a point on an incline, a ball that rolls. */
const MARBLES = `kanegen: 1
name: marbles
parameters: { theta: { value: 0.3, runtime: true }, slow: { value: 1e-3, runtime: true } }
links:
  - { name: ball, parent: base, joint: { prismatic: z }, rigid: { mass: 0.5 kg } }
  - { name: rail, parent: base, joint: { prismatic: x }, rigid: { mass: 0 kg } }
  - { name: block, joint: { prismatic: z }, rigid: { mass: 0.3 kg } }
  - { name: way, parent: base, joint: { prismatic: x }, rigid: { mass: 0 kg } }
  - { name: lift, joint: { prismatic: z }, rigid: { mass: 0 kg } }
  - { name: wheel, joint: { revolute: y }, rigid: { mass: 0.5 kg, inertia: { xx: 8e-5, yy: 8e-5, zz: 8e-5 } } }
contacts:
  bounce:
    between: [{ sphere: { on: ball, radius: 20 mm } }, { plane: { on: base, axis: z } }]
    law: { spring-damper: { stiffness: 2 kN/m, damping: 3 N s/m } }
  ramp:
    between: [{ points: { on: block, at: [[0, 0, 0]] } }, { plane: { on: base, axis: ["sin(theta)", 0, "cos(theta)"] } }]
    law: { hunt-crossley: { stiffness: 5 kN/m, damping: 20 s/m } }
    friction: { coefficient: 0.4, at: 1 mm/s }
  floor:
    between: [{ plane: { on: base, axis: z } }, { sphere: { on: wheel, radius: 20 mm } }]
    law: { hunt-crossley: { stiffness: 2 kN/m, damping: 1 s/m } }
    friction: { coefficient: 0.4, at: slow }
`;

const compiled = async (text: string): Promise<{ robot: Robot; create: () => LoadedRobot }> => {
  const robot = loadRobotText(text, 'touching.robot.yaml');
  return { robot, create: await loadGenerated(await generateTypeScript(robot, compileRobot(robot))) };
};

describe('bodies on obstacles', () => {
  let marbles: Awaited<ReturnType<typeof compiled>>;
  beforeAll(async () => {
    marbles = await compiled(MARBLES);
  });

  const run = (q: readonly number[], qd: readonly number[], end: number, set: Record<string, number> = {}): Run => {
    const { robot, create } = marbles;
    const dynamics = create();
    Object.assign(dynamics.parameters, set);
    const found = simulate(
      {
        ...{ robot, summary: '', q, qd, start: 0, end, inputs: [], loads: [], events: [], expectations: [] },
        forces: robot.coordinates.map(() => undefined),
        integrator: { method: 'extrapolation', tolerance: 1e-12, step: undefined, mostSteps: 1e6 },
        every: end / 50,
        frames: [robot.tip],
        sources: [],
      },
      dynamics,
    );
    expect(found.failure).toBeUndefined();
    return found;
  };
  /** The others rest on the floor, far from it, or hang in the air. */
  const still = (MASS * G) / STIFFNESS;
  const resting = (ball: number): number[] => [ball, 0, 1e3, 0, RADIUS - still, 0];

  it('bounce as a damped spring on the way in and a spring on the way out, flight by flight', () => {
    const height = 0.1;
    const omega = Math.sqrt(STIFFNESS / MASS);
    const decay = DAMPING / (2 * MASS);
    const damped = Math.sqrt(omega ** 2 - decay ** 2);
    // One touch: overlap still + e^(−decay t) (A cos + B sin) until it is the largest, then still + (d − still) cos.
    let [time, speed, rise] = [Math.sqrt((2 * height) / G), Math.sqrt(2 * G * height), height];
    const tops: [time: number, height: number][] = [];
    for (let k = 0; k < 3; k++) {
      const [A, B] = [-still, (speed - decay * still) / damped];
      const deepest = Math.atan2(damped * B - decay * A, damped * A + decay * B) / damped;
      const overlap =
        still + Math.exp(-decay * deepest) * (A * Math.cos(damped * deepest) + B * Math.sin(damped * deepest));
      const out = Math.acos(-still / (overlap - still)) / omega;
      const left = (overlap - still) * omega * Math.sin(omega * out);
      rise = left ** 2 / (2 * G);
      time += deepest + out + left / G;
      tops.push([time, RADIUS + rise]);
      time += left / G;
      speed = left;
    }
    expect(rise).toBeLessThan(0.9 * height);
    for (const [at, top] of tops) {
      const { q, qd } = run(
        resting(RADIUS + height),
        Array.from({ length: 6 }, () => 0),
        at,
      ).samples.at(-1)!;
      expect(Math.abs(q[0]! - top)).toBeLessThan(1e-9);
      expect(Math.abs(qd[0]!)).toBeLessThan(1e-7);
    }
  });

  it('creep on an incline at v_s tan θ/√(μ² − tan² θ), and slide on a steeper one', () => {
    const theta = 0.3;
    const creep = (CREEP * Math.tan(theta)) / Math.sqrt(MU ** 2 - Math.tan(theta) ** 2);
    const [down, along] = [-Math.sin(theta), Math.cos(theta)];
    const start = [RADIUS - still, 0, 0, 0, RADIUS - still, 0];
    const zeros = start.map(() => 0);
    const { qd } = run(start, zeros, 0.4).samples.at(-1)!;
    const speed = qd[1]! / along;
    expect(Math.abs(speed / creep - 1)).toBeLessThan(1e-6);
    expect(Math.abs(qd[2]! - down * speed)).toBeLessThan(1e-6 * creep);
    const steep = 0.5;
    const { samples } = run(start, zeros, 0.6, { theta: steep });
    const [before, after] = [samples.at(-11)!, samples.at(-1)!];
    const acceleration = (after.qd[1]! - before.qd[1]!) / Math.cos(steep) / (after.t - before.t);
    expect(Math.abs(acceleration / (G * (Math.sin(steep) - MU * Math.cos(steep))) - 1)).toBeLessThan(1e-5);
  });

  it('roll after a while of slipping, with 5/7 of the speed', () => {
    const v0 = 0.7;
    const [duration, way] = [(2 * v0) / (7 * MU * G), (12 * v0 ** 2) / (49 * MU * G)];
    const end = 3 * duration;
    const start = [RADIUS - still, 0, 1e3, 0, RADIUS - still, 0];
    const { q, qd } = run(start, [0, 0, 0, v0, 0, 0], end, { slow: 1e-5 }).samples.at(-1)!;
    expect(Math.abs(qd[3]! / ((5 / 7) * v0) - 1)).toBeLessThan(1e-9);
    expect(Math.abs(qd[5]! * RADIUS - qd[3]!)).toBeLessThan(1e-9);
    expect(Math.abs(q[3]! / (way + (5 / 7) * v0 * (end - duration)) - 1)).toBeLessThan(1e-5);
  });
});

/** Two bodies in space that press against each other, without damping. */
const PAIR = `kanegen: 1
name: pair
gravity: [0, 0, 0]
links:
  - { name: left, parent: base, joint: free, rigid: { mass: 1 kg, com: [0.1, 0, 0], inertia: { xx: 1e-2, yy: 2e-2, zz: 3e-2 } } }
  - { name: right, parent: base, joint: free, rigid: { mass: 2 kg, inertia: { xx: 1e-2, yy: 2e-2, zz: 3e-2 } } }
contacts:
  both:
    between: [{ sphere: { on: left, at: [0.1, 0, 0.02], radius: 0.2 } }, { capsule: { on: right, axis: [0, 0.6, 0.8], length: 0.3, radius: 0.1 } }]
    law: { spring-damper: { stiffness: 500 N/m } }
    friction: { coefficient: 0.3, at: 10 mm/s }
`;

describe('bodies that both move', () => {
  it('push each other with opposite forces along one line, which friction only takes energy of', async () => {
    const dynamics = (await compiled(PAIR)).create();
    const random = randomNumbers(3);
    const fluid = new Float64Array(12);
    let touches = 0;
    for (let k = 0; k < 40; k++) {
      const place = [0, 1, 2].map(() => 0.3 * (random() - 0.5));
      const qd = Array.from({ length: 12 }, () => random() - 0.5);
      // Not turned: generalized forces are a force and the moment about the origin of the body.
      dynamics.update([0, 0, 0, 0, 0, 0, ...place, 0, 0, 0], qd);
      expect(dynamics.fluid(fluid)).toBe(0);
      const [f, m, g, l] = [0, 3, 6, 9].map((from) => [...fluid.subarray(from, from + 3)]) as [
        number[],
        number[],
        number[],
        number[],
      ];
      if (f.every((x) => x === 0)) continue;
      touches++;
      const about = [
        place[1]! * g[2]! - place[2]! * g[1]!,
        place[2]! * g[0]! - place[0]! * g[2]!,
        place[0]! * g[1]! - place[1]! * g[0]!,
      ];
      for (let i = 0; i < 3; i++) {
        expect(Math.abs(f[i]! + g[i]!)).toBeLessThan(1e-13);
        expect(Math.abs(m[i]! + l[i]! + about[i]!)).toBeLessThan(1e-12);
      }
      // Power, and what the spring takes of it: its overlap by a difference quotient along the motion.
      const power = -fluid.reduce((sum, x, a) => sum + x * qd[a]!, 0);
      const stored = (t: number): number => {
        const at = place.map((x, i) => x + t * (qd[6 + i]! - qd[i]!));
        const turned = (w: readonly number[], v: readonly number[]): number[] =>
          v.map((x, i) => x + t * (w[(i + 1) % 3]! * v[(i + 2) % 3]! - w[(i + 2) % 3]! * v[(i + 1) % 3]!));
        const sphere = turned(qd.slice(3, 6), [0.1, 0, 0.02]);
        const axis = turned(qd.slice(9, 12), [0, 0.6, 0.8]);
        const apart = sphere.map((x, i) => x - at[i]!);
        const along = Math.min(
          0.15,
          Math.max(
            -0.15,
            apart.reduce((sum, x, i) => sum + x * axis[i]!, 0),
          ),
        );
        const overlap = 0.3 - Math.hypot(...apart.map((x, i) => x - along * axis[i]!));
        return 250 * Math.max(0, overlap) ** 2;
      };
      const rubbed = power + (stored(1e-5) - stored(-1e-5)) / 2e-5;
      expect(rubbed).toBeLessThan(1e-6);
    }
    expect(touches).toBeGreaterThan(20);
  });
});

/** A pusher that follows the time, and a puck that it hits at its side again and again, held by a spring. */
const LED = `kanegen: 1
name: led
gravity: [0, 0, 0]
parameters: { stroke: 20 mm }
links:
  - { name: pusher, joint: { prismatic: x, prescribed: "stroke*sin(9*t)" }, rigid: { mass: 1 kg } }
  - { name: way, parent: base, offset: { xyz: [58 mm, 0, 0] }, joint: { prismatic: x, stiffness: 20 N/m }, rigid: { mass: 0.1 kg } }
  - { name: puck, joint: { prismatic: y, stiffness: 20 N/m }, rigid: { mass: 0.2 kg } }
contacts:
  hit:
    between: [{ sphere: { on: pusher, radius: 30 mm } }, { sphere: { on: puck, at: [0, 5 mm, 0], radius: 30 mm } }]
    law: { hunt-crossley: { stiffness: 2 kN/m, damping: 1 s/m } }
    friction: { coefficient: 0.3, at: 10 mm/s }
`;

it('pushers that follow the time put in what a contact passes on and loses', async () => {
  const { robot, create } = await compiled(LED);
  const found = simulate(
    {
      ...{ robot, summary: '', q: [0, 0], qd: [0, 0], start: 0, end: 1, inputs: [], loads: [], events: [] },
      ...{ expectations: [], forces: [undefined, undefined], every: 0.02, frames: [robot.tip], sources: [] },
      integrator: { method: 'extrapolation', tolerance: 1e-10, step: undefined, mostSteps: 1e6 },
    },
    create(),
  );
  expect(found.failure).toBeUndefined();
  const { energy } = found.samples.at(-1)!;
  expect(energy.dissipated).toBeGreaterThan(1e-4);
  expect(energy.work).toBeGreaterThan(energy.dissipated);
  expect(found.balance!.defect).toBeLessThan(1e-6 * found.balance!.exchanged);
});

describe('rods on bodies that move', () => {
  const thrown = (points: number, per: string, base: boolean): string => `kanegen: 1
name: thrown
gravity: [0, 0, 0]
links:
  - { name: arm, ${base ? '' : 'joint: free, '}body: planar-cc, parameters: { L: 0.2 m, R: 15 mm, rho: 1000 kg/m^3 } }
  - { name: bar, parent: base, joint: free, rigid: { mass: 1 kg, inertia: { xx: 1e-3, yy: 1e-3, zz: 1e-3 } } }
contacts:
  grip:
    between: [{ rod: { on: arm, points: ${points} } }, { capsule: { on: ${base ? 'base' : 'bar'}, at: [${base ? '40 mm, 0, 120 mm' : '0, 0, 0'}], axis: y, length: 0.5, radius: 30 mm } }]
    law: { spring-damper: { stiffness: ${per === 'length' ? '5 kN/m^2' : '5 kN/m'}, damping: 2 } }
    friction: { coefficient: 0.3, at: 10 mm/s }
    per: ${per}
`;
  const taken = async (points: number, per: string, qd: readonly number[]): Promise<Float64Array> => {
    const robot = (await compiled(thrown(points, per, false))).create();
    const fluid = new Float64Array(13);
    robot.update([0, 0, 0, 0, 0, 0, 0.1, 0.04, 0, 0.12, 0, 0, 0], qd);
    expect(robot.fluid(fluid)).toBe(0);
    return fluid;
  };
  const still = new Array<number>(13).fill(0);

  it('push these with opposite forces along one line', async () => {
    const fluid = await taken(16, 'length', [0.1, 0.2, 0.3, 1, 2, -1, 2, -0.3, 0.1, 0, 1, -1, 2]);
    const [x, y, z] = [0.04, 0, 0.12];
    const [f, g] = [0, 7].map((from) => [...fluid.subarray(from, from + 3)]) as [number[], number[]];
    const [m, l] = [3, 10].map((from) => [...fluid.subarray(from, from + 3)]) as [number[], number[]];
    const about = [y * g[2]! - z * g[1]!, z * g[0]! - x * g[2]!, x * g[1]! - y * g[0]!];
    expect(Math.min(...f.map(Math.abs))).toBeGreaterThan(0.01);
    for (let i = 0; i < 3; i++) {
      expect(Math.abs(f[i]! + g[i]!)).toBeLessThan(1e-13);
      expect(Math.abs(m[i]! + l[i]! + about[i]!)).toBeLessThan(1e-13);
    }
  });

  it('are pushed as by obstacles in the same place, and twice as hard by twice the points where each counts', async () => {
    const obstacle = (await compiled(thrown(64, 'length', true))).create();
    const fluid = new Float64Array(7);
    obstacle.update([0.1, ...still.slice(0, 6)], still.slice(0, 7));
    obstacle.fluid(fluid);
    const [many, once, twice] = [
      await taken(64, 'length', still),
      await taken(8, 'point', still),
      await taken(16, 'point', still),
    ];
    expect(fluid[0]).toBeGreaterThan(0);
    expect(Math.abs(many[6]! / fluid[0]! - 1)).toBeLessThan(0.01);
    expect(Math.abs(twice[6]! / once[6]! - 2)).toBeLessThan(0.2);
  });
});

describe('rods on a cylinder', () => {
  const held = (points: number, per: string): string => `kanegen: 1
name: pressed
links: [{ name: arm, body: planar-cc, parameters: { L: 0.2 m, R: 15 mm, rho: 1000 kg/m^3 } }]
contacts:
  grip:
    between: [{ rod: { on: arm, points: ${points} } }, { cylinder: { on: base, at: [40 mm, 0, 120 mm], axis: y, radius: 30 mm } }]
    law: { spring-damper: { stiffness: ${per === 'length' ? '5 kN/m^2' : '5 kN/m'}, damping: 2 } }
    friction: { coefficient: 0.3, at: 1 mm/s }
    per: ${per}
`;
  const pushed = async (points: number, per: string): Promise<number> => {
    const robot = (await compiled(held(points, per))).create();
    const fluid = new Float64Array(1);
    robot.update([0.1], [0]);
    robot.fluid(fluid);
    return fluid[0]!;
  };

  it('are pushed by the same force with twice the points, and by twice the force where each point counts', async () => {
    const [few, many] = [await pushed(32, 'length'), await pushed(64, 'length')];
    expect(few).toBeGreaterThan(0);
    expect(Math.abs(many / few - 1)).toBeLessThan(0.01);
    const [once, twice] = [await pushed(16, 'point'), await pushed(32, 'point')];
    expect(Math.abs(twice / once - 2)).toBeLessThan(0.2);
  });
});
