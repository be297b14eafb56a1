/** Contacts of rods with each other, and of a rod with itself: virtual work in another way, laws of mechanics, sums by hand. */
import { describe, expect, it } from 'vitest';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { contactPairs } from '../../src/description/model/contact.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { evaluateRobot } from '../../src/verify/generated/evaluation.ts';
import { verifyRobot } from '../../src/verify/verify.ts';

const FULL = process.env['KANEGEN_FULL'] === '1';

/** m, at zero coordinates. */
const BESIDE = 0.014;

/** Two rods that move and bend in one plane. */
const robotText = (points: number, radius = 'R', law = 'hunt-crossley: { stiffness: 20 kN/m^2, damping: 0.5 s/m }') => `
kanegen: 1
name: two-rods
parameters: { R: 10 mm }
links:
  - { name: a, joint: { planar: [z, x] }, body: planar-cc, parameters: { L: 0.1 m, R: ${radius}, rho: 1000 kg/m^3 } }
  - { name: b, parent: base, offset: { xyz: [${BESIDE}, 0, 0] }, joint: { planar: [z, x] }, body: planar-cc, parameters: { L: 0.1 m, R: R, rho: 1000 kg/m^3 } }
contacts:
  on:
    between: [{ rod: { on: a, points: ${points} } }, { rod: { on: b, points: ${points - 1} } }]
    law: { ${law} }
    friction: { coefficient: 0.3, at: 2 cm/s }
`;

/** Out of one plane. */
const CROSSING = `
kanegen: 1
name: crossing
links:
  - { name: a, body: planar-cc, parameters: { L: 0.1 m, R: 10 mm, rho: 1000 kg/m^3 } }
  - { name: b, parent: base, offset: { xyz: [15 mm, 0, 10 mm] }, joint: { revolute: [1, 1, 0] }, body: planar-cc, parameters: { L: 0.1 m, R: 12 mm, rho: 1000 kg/m^3 } }
contacts:
  on:
    between: [{ rod: { on: a, points: ${FULL ? 3 : 2} } }, { rod: { on: b, points: 2 } }]
    law: { hunt-crossley: { stiffness: 20 kN/m^2, damping: 0.5 s/m } }
    friction: { coefficient: 0.3, at: 2 cm/s }
`;

const COIL = `
kanegen: 1
name: coil
links: [{ name: a, body: planar-cc, parameters: { L: 0.1 m, R: 12 mm, rho: 1000 kg/m^3 } }]
contacts:
  itself:
    between: [a, { rod: { on: a, points: 5 } }]
    apart: 25 mm
    law: { spring-damper: { stiffness: 20 kN/m^2 } }
`;

/** Bent towards each other, moving. */
const Q = [0.01, 0.002, 0.1, 0.9, 0, 0.002, -0.1, 0.4];
const QD = [0.3, 0.1, -1, 2, -0.2, -0.3, 0.5, 1];

const running = async (robot: Robot, derivatives = false): Promise<LoadedRobot> =>
  (await loadGenerated(await generateTypeScript(robot, compileRobot(robot, { derivatives }))))();

const models = new Map<string, Promise<{ robot: Robot; dynamics: LoadedRobot }>>();
/** Compiled once. */
async function rodsOf(text: string): Promise<{ robot: Robot; dynamics: LoadedRobot }> {
  const robot = loadRobotText(text, 'rods.robot.yaml');
  const known = models.get(text) ?? running(robot).then((dynamics) => ({ robot, dynamics }));
  models.set(text, known);
  return known;
}

function reportOf({ robot, dynamics }: { robot: Robot; dynamics: LoadedRobot }, q: number[], qd: number[]) {
  const k = contactPairs(robot).length;
  const [force, energy, power, loss] = [3, 1, 1, 1].map((size) => new Float64Array(size * k)) as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  const fluid = new Float64Array(q.length);
  expect(dynamics.update(q, qd)).toBe(0);
  expect(dynamics.contact!(null, null, null, force, energy, power, loss, null)).toBe(0);
  dynamics.fluid(fluid);
  const sum = (values: Float64Array): number => values.reduce((all, x) => all + x, 0);
  return { fluid: [...fluid], force, energy: sum(energy), power: sum(power), loss: sum(loss) };
}

const along = (q: readonly number[], qd: readonly number[], h: number): number[] => q.map((x, i) => x + h * qd[i]!);

describe('rods on rods', () => {
  it('are verified, with derivatives in the full tests', async () => {
    const robot = loadRobotText(CROSSING, 'crossing.robot.yaml');
    const report = await verifyRobot(robot, await running(robot, FULL), { states: 1 });
    expect(report.checks.filter((check) => !check.passed)).toEqual([]);
  }, 240_000);

  it('have opposite forces and moments, friction included', async () => {
    const { fluid } = reportOf(await rodsOf(robotText(4)), Q, QD);
    const [a, b] = [0, 4].map((first) => {
      const [z, x] = Q.slice(first, first + 2) as [number, number];
      const [fz, fx, moment] = fluid.slice(first, first + 3) as [number, number, number];
      return [fz, fx, moment + z * fx - (x + (first === 0 ? 0 : BESIDE)) * fz];
    }) as [number[], number[]];
    const size = Math.hypot(a[0]!, a[1]!);
    expect(size).toBeGreaterThan(1);
    a.forEach((own, i) => expect(Math.abs(own + b[i]!)).toBeLessThan(1e-12 * size));
  });

  it('keep energy but for damping and friction, where sections pass from piece to piece, too', async () => {
    const rods = await rodsOf(robotText(4));
    const h = 1e-6;
    for (const shift of [-0.02, -0.011, 0, 0.007]) {
      const q = Q.map((x, i) => x + (i === 4 ? shift : 0));
      const { fluid, energy, power, loss } = reportOf(rods, q, QD);
      const [after, before] = [h, -h].map((t) => reportOf(rods, along(q, QD, t), QD).energy) as [number, number];
      expect(energy).toBeGreaterThan(0);
      expect(loss).toBeGreaterThan(0);
      expect(fluid.reduce((sum, x, i) => sum + x * QD[i]!, 0)).toBeCloseTo(power, 12);
      expect(Math.abs((after - before) / (2 * h) - (power - loss))).toBeLessThan(1e-6 * (Math.abs(power) + 1));
    }
  });

  it.runIf(FULL)('press with k δ a length where they lie side by side, whatever the pieces', async () => {
    const law = 'spring-damper: { stiffness: 20 kN/m^2 }';
    for (const points of [4, 5]) {
      const rods = await rodsOf(robotText(points, 'R/2', law));
      // The thinner one beside the other, overlapping by 1 mm, and within its length by 3 mm of shift.
      const { fluid } = reportOf(
        rods,
        [0.003, 0, 0, 0, 0, 0, 0, 0],
        Q.map(() => 0),
      );
      expect(fluid[1]).toBeCloseTo(20e3 * 0.001 * 0.1, 9);
      expect(fluid[5]).toBeCloseTo(-20e3 * 0.001 * 0.1, 9);
      expect(Math.abs(fluid[0]!)).toBeLessThan(1e-10);
    }
  });

  it.runIf(FULL)(
    'do the same in C',
    async () => {
      const robot = loadRobotText(robotText(3), 'rods.robot.yaml');
      const states = [{ q: Q, qd: QD, qdd: Q }];
      const [inTs, inC] = await Promise.all(
        (['ts', 'c'] as const).map((target) =>
          evaluateRobot(robot, compileRobot(robot), states, { target, precision: 'double' }),
        ),
      );
      const [due, found] = [inTs![0]!.fluid!, inC![0]!.fluid!];
      expect(Math.max(...due.map(Math.abs))).toBeGreaterThan(1);
      found.forEach((x, i) => expect(x).toBeCloseTo(due[i]!, 12));
    },
    120_000,
  );

  it('are one rod that coils up, whose sections behind each other touch', async () => {
    const rods = await rodsOf(COIL);
    // Of five sections and eight, those that begin 25 mm apart.
    const places = Array.from({ length: 8 }, (_, i) => (i + 0.5) / 80);
    const due = places.flatMap((s) => [0, 1, 2, 3, 4].filter((j) => j / 50 - s >= 0.025)).length;
    expect(contactPairs(rods.robot)).toHaveLength(due);
    const straight = reportOf(rods, [0.3], [0]);
    expect(straight.energy).toBe(0);
    const { fluid, energy } = reportOf(rods, [5.5], [0]);
    const [after, before] = [1e-6, -1e-6].map((h) => reportOf(rods, [5.5 + h], [0]).energy) as [number, number];
    expect(energy).toBeGreaterThan(0);
    // Its own potential, which it gives back.
    expect(fluid[0]).toBeCloseTo((after - before) / 2e-6, 6);
  });
});
