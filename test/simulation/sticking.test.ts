/** Friction that sticks: bristles against an evaluation of the written geometry, and bodies that rest, slide and roll; the same in C. */
import { beforeAll, describe, expect, it } from 'vitest';
import { generateC } from '../../src/codegen/c/c.ts';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { randomNumbers } from '../../src/common/random.ts';
import { loadRobotText } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import type { CompiledRobot } from '../../src/kane/kernels/link-type.ts';
import type { IntegratorChoice } from '../../src/simulation/scenario/integrator-choice.ts';
import type { Scenario } from '../../src/simulation/scenario/scenario.ts';
import { integrateInC } from '../../src/simulation/run/run-in-c.ts';
import { simulate, type Run } from '../../src/simulation/run/simulate.ts';
import { prepareAlembert } from '../../src/verify/independent/alembert.ts';
import { buildQuickly, isInstalled, QUICK } from '../compilers.ts';

buildQuickly();

const [G, MASS, RADIUS, STIFFNESS, MU] = [9.81, 0.5, 0.02, 2000, 0.4];

const TEXT = `kanegen: 1
name: stuck
parameters: { theta: { value: 0.3, runtime: true } }
links:
  - { name: rail, parent: base, joint: { prismatic: x }, rigid: { mass: 0 kg } }
  - { name: block, joint: { prismatic: z }, rigid: { mass: 0.3 kg } }
  - { name: way, parent: base, joint: { prismatic: x }, rigid: { mass: 0 kg } }
  - { name: lift, joint: { prismatic: z }, rigid: { mass: 0 kg } }
  - { name: wheel, joint: { revolute: y }, rigid: { mass: 0.5 kg, inertia: { xx: 8e-5, yy: 8e-5, zz: 8e-5 } } }
  - { name: ball, parent: base, joint: free, rigid: { mass: 0.5 kg, inertia: { xx: 8e-5, yy: 9e-5, zz: 8e-5 } } }
contacts:
  ramp:
    between: [{ points: { on: block, at: [[0, 0, 0]] } }, { plane: { on: base, axis: ["sin(theta)", 0, "cos(theta)"] } }]
    law: { hunt-crossley: { stiffness: 5 kN/m, damping: 20 s/m } }
    friction: { coefficient: 0.4, stiffness: 20 kN/m, damping: 50 N s/m }
  floor:
    between: [{ plane: { on: base, axis: z } }, { sphere: { on: wheel, radius: 20 mm } }]
    law: { hunt-crossley: { stiffness: 2 kN/m, damping: 1 s/m } }
    friction: { coefficient: 0.4, stiffness: 100 kN/m, damping: 30 N s/m }
  both:
    between: [{ sphere: { on: ball, at: [1 mm, 2 mm, 0], radius: 50 mm } }, { capsule: { on: wheel, axis: y, length: 0.2, radius: 30 mm } }]
    law: { hunt-crossley: { stiffness: 2 kN/m, damping: 1 s/m } }
    friction: { coefficient: 0.4, stiffness: 1 kN/m, damping: 3 N s/m }
`;

describe('friction that sticks', () => {
  let robot: Robot;
  let compiled: CompiledRobot;
  let create: () => LoadedRobot;
  beforeAll(async () => {
    robot = loadRobotText(TEXT, 'stuck.robot.yaml');
    compiled = compileRobot(robot);
    create = await loadGenerated(await generateTypeScript(robot, compiled));
  });

  const scenario = (
    q: readonly number[],
    qd: readonly number[],
    end: number,
    by: Partial<IntegratorChoice>,
  ): Scenario => ({
    ...{ robot, summary: '', start: 0, end, inputs: [], loads: [], events: [], expectations: [] },
    // The ball flies far away.
    ...{ q: [...q, 9, 9, 900, 0, 0, 0], qd: [...qd, 0, 0, 0, 0, 0, 0] },
    forces: robot.coordinates.map(() => undefined),
    integrator: { method: 'rosenbrock', tolerance: 1e-9, step: undefined, mostSteps: 1e6, ...by },
    every: end / 50,
    frames: [robot.tip],
    sources: [],
  });
  const run = (motion: Scenario, set: Record<string, number> = {}): Run => {
    const dynamics = create();
    Object.assign(dynamics.parameters, set);
    const found = simulate(motion, dynamics);
    expect(found.failure).toBeUndefined();
    return found;
  };
  const still = RADIUS - (MASS * G) / STIFFNESS;
  const ZEROS = [0, 0, 0, 0, 0];

  it.each([
    ['rosenbrock', undefined],
    ['extrapolation', undefined],
    ['implicit-euler', 2e-4],
  ] as const)('rests on a slope below the angle of friction without creep: %s', (method, step) => {
    const { samples, balance } = run(scenario([0, 0, 0, still, 0], ZEROS, 12, { method, step }));
    const late = samples.filter(({ t }) => t >= 2);
    expect(late.length).toBeGreaterThan(40);
    for (const { q, qd } of late) {
      expect(Math.abs(q[0]! - late[0]!.q[0]!)).toBeLessThan(1e-9);
      expect(Math.abs(qd[0]!)).toBeLessThan(1e-6);
    }
    // The bristle has what holds the weight: k z = m g sin θ along the slope, the spring below m g cos θ.
    const [x, z] = [late[0]!.q[0]!, late[0]!.q[1]!];
    const [sin, cos] = [Math.sin(0.3), Math.cos(0.3)];
    expect(Math.abs(x * sin + z * cos + (0.3 * G * cos) / 5000)).toBeLessThan(1e-8);
    // Downhill of where it began, by the length of the spring and what it slipped while it sank in.
    expect(x * cos - z * sin).toBeGreaterThan((0.3 * G * sin) / 20000);
    expect(Math.abs(x * cos - z * sin)).toBeLessThan(2 * ((0.3 * G * sin) / 20000));
    if (step === undefined) expect(balance!.defect).toBeLessThan(1e-8);
  });

  it('slides on a steeper one with g (sin θ − μ cos θ)', () => {
    const steep = 0.5;
    const { samples } = run(scenario([0, 0, 0, still, 0], ZEROS, 0.6, {}), { theta: steep });
    const [before, after] = [samples.at(-11)!, samples.at(-1)!];
    const acceleration = (after.qd[0]! - before.qd[0]!) / Math.cos(steep) / (after.t - before.t);
    expect(Math.abs(acceleration / (G * (Math.sin(steep) - MU * Math.cos(steep))) - 1)).toBeLessThan(1e-6);
  });

  it('lets a ball roll after a while of slipping, with 5/7 of the speed', () => {
    const v0 = 0.7;
    const [duration, way] = [(2 * v0) / (7 * MU * G), (12 * v0 ** 2) / (49 * MU * G)];
    const end = 3 * duration;
    const { samples } = run(scenario([0, 1e3, 0, still, 0], [0, 0, v0, 0, 0], end, {}));
    const { q, qd } = samples.at(-1)!;
    expect(Math.abs(qd[2]! / ((5 / 7) * v0) - 1)).toBeLessThan(1e-6);
    expect(Math.abs(qd[4]! * RADIUS - qd[2]!)).toBeLessThan(1e-6);
    // The bristle is loaded on a way of μ m g/k first.
    expect(Math.abs(q[2]! - (way + (5 / 7) * v0 * (end - duration)))).toBeLessThan((MU * MASS * G) / 1e5);
    // Slipping takes what is missing, and rolling takes nothing.
    const lost = (MASS * v0 ** 2) / 7;
    expect(Math.abs(samples.at(-1)!.energy.dissipated / lost - 1)).toBeLessThan(1e-4);
    const rolling = samples.filter(({ t }) => t > 1.2 * duration).map(({ energy }) => energy.dissipated);
    expect(Math.max(...rolling) - Math.min(...rolling)).toBeLessThan(1e-4 * lost);
  });

  it('agrees with the geometry as written, of bodies on the base and on each other, and holds what it has slipped', () => {
    const dynamics = create();
    const random = randomNumbers(5);
    const n = robot.coordinates.length;
    const spread = (size: number): number => size * (random() - 0.5);
    const fluid = new Float64Array(n);
    const regimes = new Set<string>();
    for (let k = 0; k < 12; k++) {
      // Pressed in, at rest or not; then moved a little with its bristles held.
      const q = [0.1, -0.0325, 0.05, 0.018, 0.4, 0, 0, 0, 0.2, 0.1, 0.3].map((x) => x + spread(0.002));
      // The ball on the wheel, a little lower than the sum of the radii.
      const [x, z] = [q[2]!, q[3]!];
      [x + 0.03, spread(0.05), z + 0.07].forEach((e, i) => (q[5 + i] = e));
      dynamics.parameters.theta = 0.3;
      expect(
        dynamics.update(
          q,
          q.map(() => 0),
        ),
      ).toBe(0);
      expect(dynamics.hold!()).toBe(0);
      const isFar = k % 2 === 1;
      const size = isFar ? 4e-3 : 2e-4;
      const moved = q.map((e) => e + spread(size));
      const qd = q.map(() => spread(0.02));
      const values = Object.fromEntries(
        robot.parameters.map(({ name }) => [name, dynamics.parameters[name] as number]),
      );
      dynamics.update(moved, qd);
      dynamics.fluid(fluid);
      const { fluid: due } = prepareAlembert(robot, values, {}).evaluate({ q: moved, qd, qdd: q.map(() => 0) });
      const scale = Math.max(...fluid.map(Math.abs));
      fluid.forEach((own, a) => expect(Math.abs(own - Number(due[a]))).toBeLessThan((isFar ? 1e-7 : 1e-10) * scale));
      const [gap, force, bristle] = [3, 9, 21].map((count) => new Float64Array(count)) as [
        Float64Array,
        Float64Array,
        Float64Array,
      ];
      dynamics.contact!(gap, null, null, force, null, null, null, bristle);
      gap.forEach((own) => regimes.add(own < 0 ? 'touches' : 'apart'));
      // Held anew, forces do not change but by the damper where they slip.
      dynamics.hold!();
      dynamics.update(moved, qd);
      const again = new Float64Array(9);
      dynamics.contact!(null, null, null, again, null, null, null, null);
      for (let pair = 0; pair < 3; pair++) {
        const sizeOf = (f: Float64Array): number => Math.hypot(...f.subarray(3 * pair, 3 * pair + 3));
        expect(Math.abs(sizeOf(again) - sizeOf(force))).toBeLessThan(2e-3 * (sizeOf(force) + 0.1));
      }
    }
    expect(regimes).toContain('touches');
  });

  it.skipIf(!isInstalled(QUICK.compiler ?? 'cc'))('moves in the same way in C (needs a compiler)', async () => {
    const motion = scenario([0, 1e3, 0, still, 0], [0, 0, 0.7, 0, 0], 0.1, { tolerance: 1e-7 });
    const files = await generateC(robot, compiled);
    const integrator = await integrateInC(motion, files, 'rosenbrock');
    const inC = simulate(motion, create(), { integrator });
    expect(inC.failure).toBeUndefined();
    const here = run(motion);
    expect(inC.counts.steps).toBe(here.counts.steps);
    const [a, b] = [inC.samples.at(-1)!, here.samples.at(-1)!];
    a.q.forEach((x, i) => expect(Math.abs(x - b.q[i]!)).toBeLessThan(1e-11 * (1 + Math.abs(x))));
    a.contacts![1]!.force.forEach((x, i) => expect(Math.abs(x - b.contacts![1]!.force[i]!)).toBeLessThan(1e-6));
  });
});
