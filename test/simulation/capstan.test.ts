/** Rods that stick: the capstan by its closed formula, a bristle on its way around a drum, and bristles against the geometry as written. */
import { beforeAll, describe, expect, it } from 'vitest';
import { generateC } from '../../src/codegen/c/c.ts';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { randomNumbers } from '../../src/common/random.ts';
import { loadRobotText } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import type { CompiledRobot } from '../../src/kane/kernels/link-type.ts';
import { integrateInC } from '../../src/simulation/run/run-in-c.ts';
import { simulate, type Run } from '../../src/simulation/run/simulate.ts';
import type { Scenario } from '../../src/simulation/scenario/scenario.ts';
import { prepareAlembert } from '../../src/verify/independent/alembert.ts';
import { buildQuickly, isInstalled, QUICK } from '../compilers.ts';

buildQuickly();

/** A band on a quarter of a drum, whose first end turns about the axis of the drum against a spring, free along the radius. */
const CAPSTAN = `kanegen: 1
name: capstan
gravity: [0, 0, 0]
parameters: { mu: { value: 0.3, runtime: true } }
body-types:
  piece:
    parameters: { R: 51 mm, L: pi*R/6, r: 1 mm }
    coordinates: { b: { unit: rad }, e: { unit: m } }
    volume: { rod: { s: [0, L] }, section: { disc: r, cartesian: [x, y] }, density: 3000 kg/m^3 }
    rest: { bend-y: 1/R }
    strain: { bend-y: b/L, stretch: e/L }
    material: { rod-elasticity: { E: 20 MPa, nu: 0.5 }, retardation-time: 10 ms }
links:
  - { name: arm, joint: { revolute: y, stiffness: 0.1 N m/rad, damping: 2e-3 N m s/rad }, rigid: { mass: 0 } }
  - { name: slide, joint: { prismatic: x }, rigid: { mass: 0, distal: { xyz: [-51 mm, 0, 0] } } }
  - { name: band, body: piece, repeat: 3 }
contacts:
  drum:
    between: [{ rod: { on: band, points: 2 } }, { cylinder: { on: base, axis: y, radius: 50 mm } }]
    law: { hunt-crossley: { stiffness: 100 kN/m^2, damping: 5 s/m } }
    friction: { coefficient: mu, stiffness: 20 kN/m^2, damping: 30 N s/m^2 }
`;

describe('a band on a drum', () => {
  let robot: Robot;
  let compiled: CompiledRobot;
  let create: () => LoadedRobot;
  beforeAll(async () => {
    robot = loadRobotText(CAPSTAN, 'capstan.robot.yaml');
    compiled = compileRobot(robot);
    create = await loadGenerated(await generateTypeScript(robot, compiled));
  });

  const [SPRING, RADIUS, MU] = [0.1, 0.051, 0.3];
  /** Pulled to 0.1 N, held, relaxed to 0.08 N, held, relaxed to 0.02 N, held. */
  const pull = (t: number): number =>
    0.1 * Math.max(0.2, Math.min(10 * t, 1, Math.max(0.8, 1 - 4 * (t - 0.4)), Math.max(0.2, 0.8 - 6 * (t - 0.6))));
  const scenario = (end: number, tolerance: number): Scenario => {
    const zeros = robot.coordinates.map(() => 0);
    return {
      ...{ robot, summary: '', start: 0, end, inputs: [], events: [], expectations: [], q: zeros, qd: zeros },
      loads: [
        { frame: robot.tip, force: [() => 0, () => 0, pull], moment: [() => 0, () => 0, () => 0], follows: true },
      ],
      forces: robot.coordinates.map(() => undefined),
      integrator: { method: 'rosenbrock', tolerance, step: undefined, mostSteps: 1e6 },
      ...{ every: 0.05, frames: [robot.tip], sources: [] },
    };
  };
  /** Tensions at both ends, and the angle that the band turns by. */
  const tensions = (run: Run, time: number): { first: number; last: number; angle: number; rate: number } => {
    const { t, q, qd } = run.samples.find((own) => Math.abs(own.t - time) < 1e-9)!;
    const angle = Math.PI / 2 + q[2]! + q[4]! + q[6]!;
    return { first: (SPRING * q[0]!) / (RADIUS - q[1]!), last: pull(t), angle, rate: qd[0]! };
  };

  it('holds e^{μφ} times what pulls at its other end, either way, and sticks between', () => {
    const run = simulate(scenario(1, 1e-5), create());
    expect(run.failure).toBeUndefined();
    const pulled = tensions(run, 0.4);
    expect(Math.abs(pulled.last / pulled.first / Math.exp(MU * pulled.angle) - 1)).toBeLessThan(1e-3);
    // Less by a fifth: no end slides, the spring loses what the bristles give way by.
    const [held, later] = [0.55, 0.6].map((time) => tensions(run, time)) as [typeof pulled, typeof pulled];
    expect(held.last / held.first / Math.exp(MU * held.angle)).toBeLessThan(0.81);
    expect(held.first / pulled.first).toBeGreaterThan(0.99);
    expect(Math.abs(later.first / held.first - 1)).toBeLessThan(1e-5);
    const back = tensions(run, 1);
    expect(Math.abs(back.first / back.last / Math.exp(MU * back.angle) - 1)).toBeLessThan(1e-3);
    // Weakest friction last: what slipped is lost, and the balance has all of it.
    expect(run.balance!.defect).toBeLessThan(1e-3 * run.samples.at(-1)!.energy.dissipated);
  });

  it('is held by a spring across the normal on its way around the drum: the force of z = R φ on the middle', () => {
    const dynamics = create();
    const zeros = robot.coordinates.map(() => 0);
    // Pressed in by 0.5 mm; bristles have as much room as they want.
    const deep = [0, 5e-4, 0, 0, 0, 0, 0, 0];
    dynamics.parameters.mu = 100;
    expect(dynamics.update(deep, zeros)).toBe(0);
    expect(dynamics.hold!()).toBe(0);
    const force = new Float64Array(zeros.length);
    for (const angle of [-0.02, 0.01, 0.1]) {
      dynamics.update([angle, ...deep.slice(1)], zeros);
      dynamics.fluid(force);
      const gap = new Float64Array(6);
      dynamics.contact!(gap, null, null, null, null, null, null, null);
      // Each section stands for a sixth of the length.
      const share = (RADIUS * Math.PI) / 12;
      const middles = [...gap].map((own) => RADIUS + own);
      const due = middles.reduce((sum, radius) => sum + 20e3 * share * RADIUS * angle * radius, 0);
      expect(Math.abs(force[0]! / due - 1)).toBeLessThan(1e-6);
    }
  });

  it.skipIf(!isInstalled(QUICK.compiler ?? 'cc'))('moves in the same way in C (needs a compiler)', async () => {
    // Pressed in and pushed around.
    const rates = [1, 0, 0, 0, 0, 0, 0, 0];
    const motion = { ...scenario(0.02, 1e-4), loads: [], q: [0, 5e-4, 0, 0, 0, 0, 0, 0], qd: rates };
    const integrator = await integrateInC(motion, await generateC(robot, compiled), 'rosenbrock');
    const inC = simulate(motion, create(), { integrator });
    expect(inC.failure).toBeUndefined();
    const here = simulate(motion, create());
    expect(inC.counts.steps).toBe(here.counts.steps);
    const [a, b] = [inC.samples.at(-1)!, here.samples.at(-1)!];
    a.q.forEach((own, i) => expect(Math.abs(own - b.q[i]!)).toBeLessThan(1e-9));
  });
});

/** A rod in a tube that moves, on a plane, and on another rod that moves. */
const HELD = `kanegen: 1
name: held-rods
links:
  - { name: carriage, joint: { cylindrical: z }, rigid: { mass: 20 g, inertia: { xx: 1e-4, yy: 1e-4, zz: 1e-4 } } }
  - { name: first, body: planar-cc, parameters: { L: 0.2 m, R: 10 mm, rho: 1000 kg/m^3 } }
  - { name: sleeve, parent: base, joint: { cylindrical: [0.3, 1, 0.2] }, rigid: { mass: 20 g, inertia: { xx: 1e-4, yy: 1e-4, zz: 1e-4 } } }
  - { name: second, offset: { xyz: [-9 mm, 84 mm, 170 mm], rpy: [1.8, 0, 0.2] }, body: planar-cc, parameters: { L: 0.2 m, R: 10 mm, rho: 1000 kg/m^3 } }
contacts:
  vessel:
    between: [{ rod: { on: first, points: 2 } }, { tube: { on: sleeve, at: [14 mm, 0, 0], axis: [0.1, 0, 1], radius: 25 mm } }]
    law: { spring-damper: { stiffness: 20 kN/m^2, damping: 5 N s/m^2 } }
    friction: { coefficient: 0.4, stiffness: 5 kN/m^2, damping: 10 N s/m^2 }
  wall:
    between: [{ rod: { on: first, points: 2 } }, { plane: { on: base, at: [-9 mm, 0, 0], axis: [1, 0.1, 0] } }]
    law: { hunt-crossley: { stiffness: 20 kN/m, damping: 1 s/m } }
    friction: { coefficient: 0.4, stiffness: 5 kN/m, damping: 10 N s/m }
    per: point
  crossing:
    between: [{ rod: { on: first, points: 2 } }, { rod: { on: second, points: 2 } }]
    law: { hunt-crossley: { stiffness: 20 kN/m^2, damping: 1 s/m } }
    friction: { coefficient: 0.4, stiffness: 5 kN/m^2, damping: 10 N s/m^2 }
`;

describe('rods that stick', () => {
  it('in a tube that moves, on a plane and on each other agree with the geometry as written', async () => {
    const robot = loadRobotText(HELD, 'held-rods.robot.yaml');
    const create = await loadGenerated(await generateTypeScript(robot, compileRobot(robot)));
    const random = randomNumbers(14);
    const spread = (size: number): number => size * (random() - 0.5);
    const count = 8;
    const [fluid, gap, force, loss] = [robot.coordinates.length, count, 3 * count, count].map(
      (size) => new Float64Array(size),
    ) as [Float64Array, Float64Array, Float64Array, Float64Array];
    const touched = new Set<number>();
    for (let k = 0; k < (process.env.KANEGEN_FULL ? 8 : 2); k++) {
      // Sections in the tube are off its axis, those at the wall press, the rods cross.
      const dynamics = create();
      const q = robot.coordinates.map(() => spread(0.06));
      const still = q.map(() => 0);
      expect(dynamics.update(q, still)).toBe(0);
      expect(dynamics.hold!()).toBe(0);
      const isFar = k % 2 === 1;
      const moved = q.map((e) => e + spread(isFar ? 2e-3 : 1e-4));
      const qd = q.map(() => spread(0.02));
      const values = Object.fromEntries(
        robot.parameters.map(({ name }) => [name, dynamics.parameters[name] as number]),
      );
      dynamics.update(moved, qd);
      dynamics.fluid(fluid);
      const { fluid: due } = prepareAlembert(robot, values, {}).evaluate({ q: moved, qd, qdd: still });
      const scale = Math.max(...fluid.map(Math.abs));
      fluid.forEach((own, a) => expect(Math.abs(own - Number(due[a]))).toBeLessThan((isFar ? 1e-7 : 1e-11) * scale));
      dynamics.contact!(gap, null, null, force, null, null, loss, null);
      gap.forEach((own, pair) => own < 0 && touched.add(pair));
      // What is out of touch has no force, whatever it was held by.
      gap.forEach((own, pair) => own > 0 && expect(Math.hypot(...force.subarray(3 * pair, 3 * pair + 3))).toBe(0));
    }
    // One of every kind at least, and a section between the two pieces, which share the force.
    expect([...touched].sort()).toEqual(expect.arrayContaining([0, 2, 6, 7]));
  });
});
