/** What `contact` reports of pairs: against places by hand, forces through Jacobians of frames, powers and energies; the same in C. */
import { beforeAll, describe, expect, it } from 'vitest';
import { buildC, runProgram } from '../../src/codegen/c/build-c.ts';
import { generateC } from '../../src/codegen/c/c.ts';
import { chooseFunctions } from '../../src/codegen/choice.ts';
import { interfaceOf } from '../../src/codegen/interface/robot-interface.ts';
import { wholeModel } from '../../src/codegen/modules/robot-model.ts';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { randomNumbers } from '../../src/common/random.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { contactPairs } from '../../src/description/model/contact.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import type { CompiledRobot } from '../../src/kane/kernels/link-type.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { isInstalled, QUICK } from '../compilers.ts';

/** A rod by formula and one by strain on a bar, an end with a capsule on a table, a ball on that end; equal links make a loop. */
const TEXT = `kanegen: 1
name: touchy
parameters: { mu: { value: 0.4, runtime: true } }
body-types:
  bent:
    parameters: { L: 0.1 m }
    coordinates: { k: {}, a: {} }
    volume: { rod: { s: [0, L] }, section: { disc: 8 mm }, density: 1000 kg/m^3 }
    strain: { bend-y: "k/L + a*s/L^2" }
    integration: { points: 3 }
links:
  - { name: arm, body: planar-cc, parameters: { L: 0.1 m, R: 10 mm, rho: 1000 kg/m^3 } }
  - { name: end, joint: { revolute: z }, rigid: { mass: 20 g, com: [1 mm, 2 mm, 3 mm], inertia: { xx: 2e-6, yy: 2e-6, zz: 2e-6 } } }
  - { name: whip, parent: base, offset: { xyz: [0.3, 0, 0] }, repeat: 4, body: bent, parameters: { L: 50 mm } }
  - { name: ball, parent: base, joint: free, rigid: { mass: 50 g, inertia: { xx: 2e-5, yy: 2e-5, zz: 3e-5 } } }
contacts:
  bar:
    between: [{ rod: { on: arm, points: 24 } }, { cylinder: { on: base, at: [20 mm, 0, 60 mm], axis: y, radius: 15 mm } }]
    law: { hunt-crossley: { stiffness: 5 kN/m^2, damping: 0.5 s/m } }
    friction: { coefficient: mu, at: 1 cm/s }
  whipped:
    between: [{ rod: { on: whip, points: 24 } }, { plane: { on: base, at: [0.3, 0, 0.04], axis: [0, 0, -1] } }]
    law: { spring-damper: { stiffness: 5 kN/m^2, damping: 3 N s/m^2 } }
  table:
    between: [{ plane: { on: base, at: [0, 0, 0.11], axis: [0, 0.6, 0.8] } }, { capsule: { on: end, axis: x, length: 20 mm, radius: 12 mm } }]
    law: { spring-damper: { stiffness: 2 kN/m, damping: 3 N s/m } }
    friction: { coefficient: 0.2, at: 1 cm/s }
  meet:
    between: [{ sphere: { on: ball, radius: 50 mm } }, { sphere: { on: end, at: [1 cm, 0, 0], radius: 30 mm } }]
    law: { hunt-crossley: { stiffness: 2 kN/m, damping: 1 s/m } }
    friction: { coefficient: 0.3, at: 1 cm/s }
`;

const NUMBERS = { gap: 1, normal: 3, position: 3, force: 3, energy: 1, power: 1, loss: 1 } as const;
type Report = Record<keyof typeof NUMBERS, Float64Array>;

describe('contact', () => {
  let robot: Robot;
  let compiled: CompiledRobot;
  let dynamics: LoadedRobot;
  let pairs: readonly string[];
  let states: readonly { readonly q: readonly number[]; readonly qd: readonly number[] }[];
  beforeAll(async () => {
    robot = loadRobotText(TEXT, 'touchy.robot.yaml');
    compiled = compileRobot(robot);
    dynamics = (await loadGenerated(await generateTypeScript(robot, compiled)))();
    pairs = contactPairs(robot);
    const random = randomNumbers(11);
    states = Array.from({ length: 6 }, () => {
      const q = robot.coordinates.map(({ name }) => (/^whip/.test(name) ? 0.2 : 0.4) * (random() - 0.5));
      const qd = robot.coordinates.map(() => 0.6 * (random() - 0.5));
      // The ball where it presses against the end.
      const at = robot.coordinates.findIndex(({ name }) => name.startsWith('ball.'));
      const origin = new Float64Array(3);
      dynamics.update(q, qd);
      dynamics.frame(frame('end'), null, origin, null);
      [0.03, 0.02, 0.05].forEach((x, i) => (q[at + i] = origin[i]! + x));
      return { q, qd };
    });
  });

  const frame = (name: string): number => robot.frames.findIndex((own) => own.name === name);
  const reportAt = (q: readonly number[], qd: readonly number[]): Report => {
    const found = Object.fromEntries(
      Object.entries(NUMBERS).map(([name, size]) => [name, new Float64Array(size * pairs.length)]),
    ) as Report;
    const { gap, normal, position, force, energy, power, loss } = found;
    expect(dynamics.update(q, qd)).toBe(0);
    expect(dynamics.contact!(gap, normal, position, force, energy, power, loss, null)).toBe(0);
    return found;
  };
  const vectorOf = (numbers: Float64Array, pair: number): number[] => [...numbers.subarray(3 * pair, 3 * pair + 3)];

  it('names its pairs, in the interface too: a capsule has two on a plane, a rod one, repeated rods one each', () => {
    expect(pairs).toEqual(['bar', 'table.1', 'table.2', 'whipped.1', 'whipped.2', 'whipped.3', 'whipped.4', 'meet']);
    const { contacts, sizes, functions } = interfaceOf(wholeModel(robot, compiled));
    expect([contacts, sizes.contacts]).toEqual([pairs, 8]);
    const shapes = functions.find(({ name }) => name === 'contact')!.arguments.map(({ shape }) => shape);
    expect(shapes.slice(1)).toEqual([[8], [8, 3], [8, 3], [8, 3], [8], [8], [8], [8, 7]]);
  });

  it('has gaps and normals of places by hand', () => {
    const { q, qd } = states[0]!;
    const { gap, normal, position } = reportAt(q, qd);
    const [R, t, ball] = [new Float64Array(9), new Float64Array(3), new Float64Array(3)];
    dynamics.frame(frame('end'), R, t, null);
    dynamics.frame(frame('ball'), null, ball, null);
    const column = (j: number): number[] => [R[j]!, R[3 + j]!, R[6 + j]!];
    const along = (place: readonly number[], by: number): number[] => place.map((x, i) => x + by * column(0)[i]!);
    const height = (p: readonly number[]): number => 0.6 * p[1]! + 0.8 * (p[2]! - 0.11);
    [0.01, -0.01].forEach((by, k) => {
      expect(gap[1 + k]).toBeCloseTo(height(along([...t], by)) - 0.012, 14);
      expect(height(vectorOf(position, 1 + k))).toBeCloseTo(gap[1 + k]!, 14);
    });
    const apart = along([...t], 0.01).map((x, i) => ball[i]! - x);
    const distance = Math.hypot(...apart);
    const meet = pairs.indexOf('meet');
    expect(gap[meet]).toBeCloseTo(distance - 0.08, 13);
    vectorOf(normal, meet).forEach((x, i) => expect(x).toBeCloseTo(apart[i]! / distance, 12));
  });

  it('has forces whose Jacobians give what the term fluid has, and powers that are its own', () => {
    for (const { q, qd } of states) {
      const { position, force, power } = reportAt(q, qd);
      const [fluid, taken] = [new Float64Array(q.length), new Float64Array(q.length)];
      dynamics.fluid(fluid);
      const push = (on: string, pair: number, sign: 1 | -1): void => {
        const [p, f] = [vectorOf(position, pair), vectorOf(force, pair).map((x) => sign * x)] as [number[], number[]];
        const t = new Float64Array(3);
        dynamics.frame(frame(on), null, t, null);
        const [x, y, z] = p.map((e, i) => e - t[i]!) as [number, number, number];
        const moment = [y * f[2]! - z * f[1]!, z * f[0]! - x * f[2]!, x * f[1]! - y * f[0]!];
        dynamics.external(frame(on), [...moment, ...f], taken);
      };
      push('end', 1, 1);
      push('end', 2, 1);
      push('ball', 7, 1);
      push('end', 7, -1);
      // Coordinates that rods do not meet an obstacle by: the joint of the end, and the ball.
      robot.coordinates.forEach(({ name }, a) => {
        if (!/^(arm|whip)/.test(name)) expect(Math.abs(fluid[a]! + taken[a]!)).toBeLessThan(1e-12);
      });
      expect(Math.abs(fluid.reduce((sum, x, a) => sum + x * qd[a]!, 0) - sum(power))).toBeLessThan(1e-11);
    }
  });

  it('has stored energy that grows by power less loss, and loss that is never below zero', () => {
    const touched = new Set<number>();
    for (const { q, qd } of states) {
      const { energy, power, loss } = reportAt(q, qd);
      const later = (h: number): Float64Array =>
        reportAt(
          q.map((x, a) => x + h * qd[a]!),
          qd,
        ).energy;
      const [h, after, before] = [1e-6, later(1e-6), later(-1e-6)];
      pairs.forEach((_, k) => {
        if (energy[k]! > 0) touched.add(k);
        const stored = power[k]! - loss[k]!;
        expect(Math.abs((after[k]! - before[k]!) / (2 * h) - stored)).toBeLessThan(2e-6 * (Math.abs(stored) + 1));
        expect(loss[k]).toBeGreaterThanOrEqual(0);
      });
    }
    // Each of them touches somewhere, so that the numbers above are some.
    expect(touched.size).toBe(pairs.length);
  });

  it('has the section of a rod that is nearest, and sums of all', async () => {
    const { q, qd } = states[0]!;
    const { gap, position, force } = reportAt(q, qd);
    // The arm is an arc: the distance of its middle from the axis of the bar, on a fine grid.
    const bend = q[0]!;
    const at = (s: number): [number, number] => {
      const angle = (bend * s) / 0.1;
      return [(0.1 * (1 - Math.cos(angle))) / bend, (0.1 * Math.sin(angle)) / bend];
    };
    const distances = Array.from({ length: 10001 }, (_, i) => {
      const [x, z] = at((0.1 * i) / 10000);
      return Math.hypot(x - 0.02, z - 0.06) - 0.025;
    });
    const least = Math.min(...distances);
    expect(gap[0]! - least).toBeGreaterThan(-1e-9);
    expect(gap[0]! - least).toBeLessThan(1e-4);
    const [x, , z] = vectorOf(position, 0) as [number, number, number];
    expect(Math.hypot(x - 0.02, z - 0.06) - 0.015).toBeCloseTo(gap[0]!, 12);
    const still = reportAt(
      q,
      qd.map(() => 0),
    ).force;
    const push = (5000 * distances.reduce((total, own) => total + Math.max(0, -own), 0) * 0.1) / 10000;
    expect(Math.hypot(...vectorOf(still, 0)) / push).toBeGreaterThan(0.9);
    expect(Math.hypot(...vectorOf(still, 0)) / push).toBeLessThan(1.01);
    expect(vectorOf(force, 0)).not.toEqual(vectorOf(still, 0));
  });

  it.skipIf(!isInstalled(QUICK.compiler ?? 'cc'))('is the same in C (needs a compiler)', async () => {
    const { q, qd } = states[1]!;
    const n = q.length;
    const total = Object.values(NUMBERS).reduce((all, size) => all + size, 0) * pairs.length;
    const names = Object.keys(NUMBERS);
    const main = `#include "touchy.h"
#include <stdio.h>
int main(void)
{
  static touchy_workspace w;
  touchy_parameters p = touchy_defaults;
  const kg_real q[${n}] = {${q.join(', ')}}, qd[${n}] = {${qd.join(', ')}};
  kg_real ${Object.entries(NUMBERS)
    .map(([name, size]) => `${name}[${size} * TOUCHY_NK]`)
    .join(', ')};
  int i;
  if (touchy_update(&w, &p, q, qd) || touchy_contact(&w, ${names.join(', ')}, NULL))
    return 1;
${names.map((name) => `  for (i = 0; i < (int)(sizeof ${name} / sizeof ${name}[0]); i++) printf("%.17g ", ${name}[i]);`).join('\n')}
  printf("%s", touchy_contacts[7]);
  return 0;
}
`;
    const files = await generateC(robot, chooseFunctions(robot, compiled, ['contact']));
    const isTest = (path: string): boolean => path.endsWith('_selftest.c');
    const program = await buildC([...files, { path: 'main.c', text: main }], QUICK, isTest);
    const output = (await runProgram(program).finally(() => program.dispose())).trim().split(' ');
    expect(output.pop()).toBe('meet');
    const found = output.map(Number);
    const expected = Object.values(reportAt(q, qd)).flatMap((numbers) => [...numbers]);
    expect(found).toHaveLength(total);
    found.forEach((x, i) => expect(Math.abs(x - expected[i]!)).toBeLessThan(1e-12 * (1 + Math.abs(expected[i]!))));
  });
});

const sum = (numbers: Float64Array): number => numbers.reduce((total, x) => total + x, 0);
