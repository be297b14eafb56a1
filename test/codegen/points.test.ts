/**
 * Places of material points given at run time, for every way of having a body: against the formulas as they were written, and
 * difference quotients of them; C against TypeScript.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { buildC, runProgram } from '../../src/codegen/c/build-c.ts';
import { generateC } from '../../src/codegen/c/c.ts';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { KG_NO_FRAME, KG_NO_STATE, KG_NON_FINITE, KG_OK } from '../../src/runtime/driver.ts';
import { COMPILERS, QUICK } from '../compilers.ts';
import { randomNumbers } from '../kane/point-masses.ts';
import { derivativesAlong, Wide, writtenPlace } from '../verify/written-places.ts';

/** Closed forms by strain, constant tensors, points of a formula, a rod by steps, a rigid link; a branch. */
const TREE = `
kanegen: 1
name: located
parameters: { lift: { value: 0.05 m, runtime: true } }
body-types:
  solid:
    parameters: { L: 0.15 m, w: 0.02 m, rho: 1000 kg/m^3 }
    coordinates: { q1: { unit: rad }, q2: { unit: rad } }
    volume: { box: { x: [-w, w], y: [-w, w], z: [0, L] }, density: rho }
    position: [ "x*(1 + 0.3*q1*z*(L - z)/L^2) + q1*z^2/L", "y + q2*z^2/L + 0.2*q1*q2*z", "z*(1 - 0.2*q1^2) + 0.1*q2*x" ]
    distal: { pose: { xyz: [ q1*L, q2*L + 0.2*q1*q2*L, L*(1 - 0.2*q1^2) ] } }
  lump:
    parameters: { L: 0.1 m, w: 0.02 m, rho: 1000 kg/m^3 }
    coordinates: { q1: { unit: rad, limits: [-1, 1] }, q2: { unit: rad, limits: [-1, 1] } }
    volume: { box: { x: [-w, w], y: [-w, w], z: [0, L] }, density: rho }
    position: [ "x*exp(q1*z/L) + 0.1*w*sin(q2*z/L)", "y + w*sin(q1*q2*z/L)", "z + 0.2*x*cos(q2 + 2*z/L)" ]
    distal: none
    integration: { tolerance: 1e-4 }
  bending:
    parameters: { L: 0.3 m, R: 0.015 m, rho: 1000 kg/m^3 }
    coordinates: { q1: { unit: rad }, q2: { unit: rad }, q3: { unit: rad } }
    volume: { rod: { s: [0, L] }, section: { disc: R }, density: rho }
    strain: { bend-x: "q1*cos(2*s/L)/L", bend-y: "(q2 + q3*s/L)/L", twist: "0.3*q1*s/L^2", stretch: "0.05*q3*s/L" }
    integration: { points: 12 }
base: { xyz: [0.01, -0.02, 0.03], rpy: [0.2, 0, 0.4] }
links:
  - { name: first, joint: { revolute: y }, offset: { xyz: [0, 0.01, lift] }, mount: { rpy: [0.1, 0.2, 0] }, body: pcc-3d, parameters: { L: 0.2, R: 0.02, rho: 1070 } }
  - { name: plate, joint: { prismatic: x }, rigid: { mass: 0.1, com: [0, 0, 0.02], inertia: { xx: 1e-4, yy: 1e-4, zz: 1e-4 }, distal: { xyz: [0.01, 0, 0.05], rpy: [0, 0.3, 0] } } }
  - { name: second, body: solid }
  - { name: third, joint: { revolute: x }, parent: plate, body: bending }
  - { name: last, parent: third, body: lump }
`;

/** Link, and its material coordinates in the order of the body. */
const POINTS: readonly {
  readonly link: number;
  readonly x: readonly [number, number, number];
  readonly names: string;
}[] = [
  { link: 0, x: [0.012, -0.007, 0.13], names: 'x y s' },
  { link: 1, x: [0.03, -0.02, 0.01], names: '' },
  { link: 2, x: [0.01, -0.015, 0.06], names: 'x y z' },
  { link: 3, x: [0.01, 0.006, 0.17], names: 'x y s' },
  { link: 3, x: [-0.01, 0.002, 0.3], names: 'x y s' },
  { link: 4, x: [-0.013, 0.004, 0.08], names: 'x y z' },
];

const robot = loadRobotText(TREE, 'located.robot.yaml');
const compiled = compileRobot(robot, { points: true });
const N = robot.coordinates.length;
const random = randomNumbers(11);
const numbers = (): number[] => Array.from({ length: N }, () => 1.4 * random() - 0.7);
const [q, qd] = [numbers(), numbers()];
let dynamics: LoadedRobot;

beforeAll(async () => {
  dynamics = (await loadGenerated(await generateTypeScript(robot, compiled)))();
});

function located(
  link: number,
  x: readonly number[],
): { position: number[]; J: number[]; velocity: number[]; bias: number[] } {
  const [position, J] = [new Float64Array(3), new Float64Array(3 * N).fill(7)];
  expect(dynamics.point!(link, x, position, J)).toBe(KG_OK);
  const [velocity, bias] = [new Float64Array(3), new Float64Array(3)];
  expect(dynamics.pointMotion!(link, x, velocity, bias)).toBe(KG_OK);
  return { position: [...position], J: [...J], velocity: [...velocity], bias: [...bias] };
}

const written = ({ link, x, names }: (typeof POINTS)[number]) => ({
  link,
  at: names === '' ? x : Object.fromEntries(names.split(' ').map((name, i) => [name, x[i]!])),
});

describe('points of links', () => {
  it.each(POINTS)('are where the formulas say, of link $link at $x', (point) => {
    dynamics.update(q, qd);
    const { position, J } = located(point.link, point.x);
    const place = writtenPlace(
      robot,
      q.map((value) => new Wide(value)),
      written(point),
    ).map(Number);
    place.forEach((value, i) => expect(Math.abs(position[i]! - value)).toBeLessThan(1e-14));
    const { velocity, bias } = located(point.link, point.x);
    for (const i of [0, 1, 2]) {
      const along = derivativesAlong((at) => writtenPlace(robot, at, written(point))[i]!, q, qd);
      expect(Math.abs(velocity[i]! - along.first)).toBeLessThan(1e-13);
      expect(Math.abs(bias[i]! - along.second)).toBeLessThan(1e-12);
    }
    for (const direction of [qd, numbers()])
      for (const i of [0, 1, 2]) {
        const along = derivativesAlong((at) => writtenPlace(robot, at, written(point))[i]!, q, direction);
        const found = direction.reduce((sum, d, a) => sum + d * J[i * N + a]!, 0);
        expect(Math.abs(found - along.first)).toBeLessThan(1e-13);
      }
  });

  it('are those of frames at their origins, and rest where nothing carries them', () => {
    dynamics.update(q, qd);
    const [t, J] = [new Float64Array(3), new Float64Array(6 * N)];
    for (const [link, x] of [
      [0, [0, 0, 0.2]],
      [1, [0, 0, 0]],
      [3, [0, 0, 0.3]],
    ] as const) {
      const index = robot.frames.findIndex((frame) => frame.link === link);
      dynamics.frame(index, null, t, J);
      const found = located(link, x);
      t.forEach((value, i) => expect(Math.abs(found.position[i]! - value)).toBeLessThan(1e-15));
      J.slice(3 * N).forEach((value, i) => expect(Math.abs(found.J[i]! - value)).toBeLessThan(1e-14));
    }
    const above = robot.coordinates.flatMap((c, a) => (c.link > 1 ? [a] : []));
    for (const a of above) for (const i of [0, 1, 2]) expect(located(1, [0.1, 0, 0]).J[i * N + a]).toBe(0);
  });

  it('leave a state staged, skip what is not wanted, and refuse what is not there', () => {
    dynamics.update(q, qd);
    const [before, after, position] = [new Float64Array(N), new Float64Array(N), new Float64Array(3)];
    dynamics.inverseDynamics(qd, before);
    expect(dynamics.point!(3, [0, 0, 0.1], position, null)).toBe(KG_OK);
    expect(dynamics.point!(3, [0, 0, 0.1], null, null)).toBe(KG_OK);
    expect(dynamics.pointMotion!(3, [0, 0, 0.1], null, position)).toBe(KG_OK);
    expect(dynamics.pointMotion!(5, [0, 0, 0], position, null)).toBe(KG_NO_FRAME);
    dynamics.inverseDynamics(qd, after);
    expect([...after]).toEqual([...before]);
    expect(dynamics.point!(5, [0, 0, 0], position, null)).toBe(KG_NO_FRAME);
    expect(dynamics.point!(-1, [0, 0, 0], position, null)).toBe(KG_NO_FRAME);
    expect(dynamics.point!(0, [0, NaN, 0], position, null)).toBe(KG_NON_FINITE);
    expect(() => dynamics.point!(0, [0, 0], position, null)).toThrow(RangeError);
    const other = dynamics.twin() as LoadedRobot;
    expect(other.point!(0, [0, 0, 0], position, null)).toBe(KG_NO_STATE);
  });

  it('are of robots that are compiled with them', async () => {
    const plain = (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
    expect(plain.point).toBeUndefined();
  });
});

const nameOf = (link: number): string => `LOCATED_LINK_${robot.links[link]!.name.toUpperCase()}`;
const list = (x: readonly number[]): string => `{${x.join(', ')}}`;

describe.skipIf(COMPILERS.length === 0)('points of links in C', () => {
  it('pass the self-test, single precision included', async () => {
    const generated = await generateC(robot, compiled);
    expect(generated.find(({ path }) => path.endsWith('_selftest.c'))!.text).toContain('test_points(state, q, qd);');
    for (const precision of ['double', 'single'] as const) {
      const program = await buildC(generated, { precision, ...QUICK });
      expect(await runProgram(program).finally(() => program.dispose())).toMatch(/ok/);
    }
  });

  it('are those of TypeScript', async () => {
    dynamics.update(q, qd);
    const expected = POINTS.flatMap(({ link, x }) => Object.values(located(link, x)).flat());
    const calls = POINTS.map(({ link, x }) =>
      [
        `  status += (int)located_point(&w, ${nameOf(link)}, (const kg_real[]) ${list(x)}, t, J);`,
        `  status += (int)located_point_motion(&w, ${link}, (const kg_real[]) ${list(x)}, v, a);\n  show();`,
      ].join('\n'),
    );
    const text = `
#include <stdio.h>
#include "located.h"
static located_workspace w;
static kg_real t[3], J[${3 * N}], v[3], a[3];
static void show(void)
{
  int i;
  for (i = 0; i < 3; i++)
    printf("%.17g ", t[i]);
  for (i = 0; i < ${3 * N}; i++)
    printf("%.17g ", J[i]);
  for (i = 0; i < 6; i++)
    printf("%.17g ", i < 3 ? v[i] : a[i - 3]);
}
int main(void)
{
  kg_real q[] = ${list(q)}, qd[] = ${list(qd)};
  int status = (int)located_update(&w, &located_defaults, q, qd);
${calls.join('\n')}
  status += (int)located_point(&w, 2, q, NULL, NULL);
  printf("%d %d\\n", status, (int)located_point(&w, ${robot.links.length}, q, t, J));
  return 0;
}
`;
    const generated = await generateC(robot, compiled);
    const files = [...generated, { path: 'place.c', text }];
    const program = await buildC(files, QUICK, (path) => path.endsWith('_selftest.c'));
    const printed = (await runProgram(program).finally(() => program.dispose())).trim().split(' ').map(Number);
    expect(printed.pop()).toBe(KG_NO_FRAME);
    expect(printed.pop()).toBe(KG_OK);
    expect(printed).toHaveLength(expected.length);
    printed.forEach((value, i) => expect(Math.abs(value - expected[i]!)).toBeLessThan(1e-15));
  });
});
