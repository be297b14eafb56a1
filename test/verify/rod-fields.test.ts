/**
 * Fields along rods: virtual work against sums over points of the formulas as they were written; uniform ones against gravity and a
 * couple at the tip; what they cost; their work in the balance of energy of a run.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { robotModel } from '../../src/codegen/modules/robot-model.ts';
import { operationsInAll } from '../../src/codegen/printing/cost-text.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { compileLagrange } from '../../src/lagrange/compile.ts';
import { compileStraight } from '../../src/straight/compile.ts';
import { modulesOfRobot } from '../../src/codegen/assembled/link-interface.ts';
import { prepareAlembert } from '../../src/verify/independent/alembert.ts';

/** Bending about both axes that varies along the rod, and stretch, behind a joint on a turned base. */
const SPATIAL = `kanegen: 1
name: vane
base: { rpy: [0.3, -0.5, 0.7], xyz: [0.1, 0.2, -0.3] }
parameters: { w: 2 N/m, r: 3 1/s, c: 0.5 m, m: 0.4 A m, B: { value: 0.5 T, runtime: true } }
body-types:
  rod:
    parameters: { L: 0.4 m, R: 10 mm }
    coordinates: { a: { count: 2, unit: rad, limits: [-1, 1] }, b: { count: 2, unit: rad, limits: [-1, 1] }, e: { limits: [-0.2, 0.2] } }
    volume: { rod: { s: [0, L] }, section: { disc: R, cartesian: [x, y] }, density: 1100 kg/m^3 }
    strain: { bend-x: (a1 + a2*s/L)/L, bend-y: (b1 + b2*s/L)/L, stretch: e*s/L }
    integration: { points: 16 }
links:
  - { name: foot, joint: { revolute: x }, rigid: { mass: 0.2 kg, inertia: { xx: 1e-4, yy: 1e-4, zz: 1e-4 }, distal: { xyz: [0, 0.1, 0.2], rpy: [0, 0.4, 0] } } }
  - { name: arm, body: rod }
forces:
`;
const MAGNET = '  magnet: { through: arm, moment: "cross(m*tangent, [B, 0, 0.3*B])" }\n';
const OTHERS = `  wind: { through: arm, force: ["w*sin(r*t + s/L)", 0, "w*dot(place, [0, 1, 0])/c"] }
  follower: { through: arm, force: [w*S, 0, w], moment: ["w*c*b1", 0, 0], axes: section }
  tilt: { through: arm, force: "w*rotate(section, [1, 0, dot(tangent, [1, 0, 0])])" }
`;

/** Bent alike all along. */
const planar = (gravity: string, forces: string): string => `kanegen: 1
name: bow
gravity: ${gravity}
parameters: { w: 3 N/m, k: 2 N, r: 3 1/s }
links: [ { name: arm, mount: { rpy: [0.2, 0.5, -0.4] }, body: planar-cc, parameters: { L: 0.2 m, R: 15 mm, rho: 1000 kg/m^3 } } ]
${forces}`;

async function generated(text: string): Promise<LoadedRobot> {
  const robot = loadRobotText(text, 'field.robot.yaml');
  return (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
}

function fluidOf(robot: LoadedRobot, q: readonly number[], qd: readonly number[] = q.map(() => 0)): number[] {
  const fluid = new Float64Array(robot.coordinates);
  robot.update(q, qd);
  robot.fluid(fluid);
  return [...fluid];
}

function gravityOf(robot: LoadedRobot, q: readonly number[]): number[] {
  const g = new Float64Array(robot.coordinates);
  robot.update(
    q,
    q.map(() => 0),
  );
  robot.terms(null, g, null, null);
  return [...g];
}

describe('fields along a rod in space whose strain varies', () => {
  const described = loadRobotText(`${SPATIAL}${MAGNET}${OTHERS}`, 'vane.robot.yaml');
  let robot: LoadedRobot;
  beforeAll(async () => {
    robot = (await loadGenerated(await generateTypeScript(described, compileRobot(described))))();
  }, 60_000);
  const q = [0.4, 0.6, -0.5, 0.7, 0.3, 0.1];
  const qd = [0.5, -0.4, 0.3, 0.8, -0.6, 0.2];

  it('do the virtual work, and have the power, that sums over points of the centreline have', () => {
    const time = 0.7;
    robot.parameters['time'] = time;
    const own = fluidOf(robot, q, qd);
    const state = { q, qd, qdd: q.map(() => 0), t: time };
    const { fluid } = prepareAlembert(described).evaluate(state);
    const size = Math.max(...own.map(Math.abs));
    expect(size).toBeGreaterThan(0.1);
    fluid.forEach((due, a) => expect(Math.abs(own[a]! - Number(due))).toBeLessThan(1e-9 * size));
    const power = (forces: readonly number[]): number => forces.reduce((sum, f, a) => sum + f * qd[a]!, 0);
    expect(Math.abs(power(own) - power(fluid.map(Number)))).toBeLessThan(1e-9 * size);
  });

  it('cost no more than 60 operations a point', () => {
    const one = loadRobotText(`${SPATIAL}${MAGNET}`, 'vane.robot.yaml');
    const bare = loadRobotText(SPATIAL.replace('forces:\n', ''), 'vane.robot.yaml');
    const operations = (own: typeof one): number => {
      const { links } = robotModel(own, compileRobot(own));
      const programs = links.flatMap((link) => link.programs.filter(({ name }) => COUNTED.has(name)));
      return programs.reduce((sum, { counts }) => sum + operationsInAll(counts), 0);
    };
    const [points, aLink] = [16, 300];
    expect(operations(one) - operations(bare)).toBeLessThan(60 * points + aLink);
  });
});

const COUNTED: ReadonlySet<string> = new Set([
  'configure',
  'velocity',
  'acceleration',
  'backward',
  'dragAndBuoyancy',
  'backwardFluid',
]);

describe('uniform fields along a rod', () => {
  const q = [0.8];

  it('of force are the weight by another gravity', async () => {
    const area = Math.PI * 0.015 ** 2 * 1000;
    const robot = await generated(planar('[0, 0, -9.81]', 'forces: { wind: { through: arm, force: [w, 0, 2*w] } }'));
    const tilted = await generated(planar(`[${3 / area}, 0, ${-9.81 + 6 / area}]`, ''));
    const [sum, due] = [fluidOf(robot, q)[0]! + gravityOf(robot, q)[0]!, gravityOf(tilted, q)[0]!];
    expect(Math.abs(sum - due)).toBeLessThan(1e-12 * Math.abs(due));
    expect(Math.abs(fluidOf(robot, q)[0]!)).toBeGreaterThan(1e-3);
  });

  it('of moment are a couple at the tip of half the size where the strain is the same all along', async () => {
    const forces = 'forces: { twist: { through: arm, moment: ["0.3*k", k, "-0.2*k"] } }';
    const robot = await generated(planar('[0, 0, 0]', forces));
    const own = fluidOf(robot, q)[0]!;
    const tau = new Float64Array(1);
    robot.external(0, [-0.3 * 0.2, -2 * 0.1, 0.2 * 0.2, 0, 0, 0], tau);
    expect(Math.abs(own - tau[0]!)).toBeLessThan(1e-12 * Math.abs(own));
    expect(Math.abs(own)).toBeGreaterThan(1e-2);
  });
});

describe('fields along rods are refused', () => {
  const load = (force: string) =>
    loadRobotText(planar('[0, 0, 0]', `forces: { wind: { through: arm, force: [${force}, 0, 0] } }`), 'bow.robot.yaml');

  it('by the equations of Lagrange and by link modules', () => {
    const robot = load('w');
    expect(() => compileLagrange(robot)).toThrow('code by Lagrange’s equations has no fields along rods');
    expect(() => modulesOfRobot(robot, compileRobot(robot))).toThrow('link modules have no fields along rods yet');
  });

  it('by straight-line code where they depend on the time', () => {
    const count = (outputs: readonly unknown[]): number => outputs.length;
    expect(() => compileStraight(load('"w*sin(r*t)"'), { count })).toThrow(
      'straight-line code has no time, on which `wind`',
    );
  });
});
