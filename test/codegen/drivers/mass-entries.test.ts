/** The mass matrix where its entries are gathered in the first link of each tree: against inverse dynamics, in both languages. */
import { describe, expect, it } from 'vitest';
import { buildC, runProgram } from '../../../src/codegen/c/build-c.ts';
import { generateC } from '../../../src/codegen/c/c.ts';
import { gathersMass } from '../../../src/codegen/modules/mass-entries.ts';
import { robotModel } from '../../../src/codegen/modules/robot-model.ts';
import { loadGenerated } from '../../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../../src/codegen/typescript/typescript.ts';
import { loadRobotObject } from '../../../src/description/load.ts';
import { compileRobot } from '../../../src/kane/compile.ts';
import { isInstalled } from '../../compilers.ts';

const rigid = (mass: number): object => ({
  mass,
  com: [0.02, -0.03, 0.1],
  inertia: { xx: 0.02, yy: 0.021, zz: 0.004, xy: 0.001, xz: 0.0005, yz: 0.0007 },
  distal: { xyz: [0.01, 0.02, 0.2], rpy: [0.1, 0, 0.2] },
});
const mixed = (i: number): object => (i % 3 === 2 ? { prismatic: 'x' } : { revolute: i % 3 === 0 ? 'y' : 'z' });
const chain = (name: string, parent: string | null, count: number, joint = mixed): object[] =>
  Array.from({ length: count }, (_, i) => ({
    name: `${name}${i + 1}`,
    ...(i === 0 && parent !== null && { parent }),
    joint: joint(i),
    rigid: rigid(1 + 0.1 * i),
  }));
const segment = (name: string, parent?: string): object => ({
  name,
  ...(parent && { parent }),
  body: 'pcc-3d',
  parameters: { L: 0.2, R: 0.02, rho: 1062 },
});

/** A floating trunk with two arms, one of them with a soft end; and on the base a second tree, whose links are of one type. */
const branched = loadRobotObject({
  kanegen: 1,
  name: 'branched',
  base: { xyz: [1, 2, 3], rpy: [0.3, 0.2, 0.1] },
  links: [
    { name: 'trunk', joint: 'free', rigid: rigid(4) },
    ...chain('left', 'trunk', 8),
    segment('tail'),
    segment('end'),
    ...chain('right', 'trunk', 9),
    ...chain('other', 'base', 5, () => ({ revolute: [1, 2, 3] })),
  ],
});
const unbranched = loadRobotObject({
  kanegen: 1,
  name: 'unbranched',
  base: { rpy: [0.3, 0.2, 0.1] },
  links: [...chain('arm', null, 12), segment('end')],
});
/** Right angles alone: most entries of poses are zero, others of them in the first link than from the base. */
const square = loadRobotObject({
  kanegen: 1,
  name: 'square',
  base: { rpy: ['90 deg', 0, 0] },
  links: [
    { name: 'first', offset: { rpy: [0, '90 deg', 0] }, joint: { prismatic: 'z' }, rigid: rigid(1) },
    ...Array.from({ length: 24 }, (_, i) => ({
      name: `planar${i + 1}`,
      joint: { revolute: 'z' },
      rigid: { ...rigid(1 + 0.1 * i), distal: { xyz: [0.2, 0.01, 0] } },
    })),
  ],
});

describe.each(process.env['KANEGEN_FULL'] === '1' ? [branched, unbranched, square] : [branched, square])(
  'the mass matrix of $name, gathered',
  (robot) => {
    const n = robot.coordinates.length;
    const compiled = compileRobot(robot);
    const q = Array.from({ length: n }, (_, i) => 0.3 * Math.sin(1.3 * i + 1));
    const still = q.map(() => 0);
    const M = new Float64Array(n * n);

    it('is made of the columns of inverse dynamics', async () => {
      expect(gathersMass(robotModel(robot, compiled))).toBe(true);
      const dynamics = (await loadGenerated(await generateTypeScript(robot, compiled)))();
      dynamics.update(q, still);
      dynamics.massMatrix(M);
      const scale = Math.max(...M.map(Math.abs));
      const tau = new Float64Array(n);
      let worst = 0;
      q.forEach((_, column) => {
        dynamics.inertialInverseDynamics(
          q.map((_, a) => (a === column ? 1 : 0)),
          tau,
        );
        tau.forEach((value, row) => (worst = Math.max(worst, Math.abs(value - M[row * n + column]!))));
      });
      expect(worst / scale).toBeLessThan(2e-15);
      const again = new Float64Array(n * n);
      dynamics.massMatrixAt(q, again);
      expect(again).toEqual(M);
      // Translations of the floating base come first.
      const far = q.map((value, a) => (robot === branched && a < 3 ? value + 1e4 : value));
      dynamics.massMatrixAt(far, again);
      again.forEach((value, i) => expect(Math.abs(value - M[i]!) / scale).toBeLessThan(1e-12));
    });

    it.skipIf(!isInstalled('gcc'))('has the same bits in C', async () => {
      const source = `#include "${robot.name}.h"
#include <stdio.h>
int main(void)
{
  static ${robot.name}_workspace w;
  const kg_real q[${n}] = {${q.join(', ')}}, qd[${n}] = {0};
  kg_real M[${n * n}];
  int i, status = (int)${robot.name}_update(&w, &${robot.name}_defaults, q, qd) + (int)${robot.name}_mass_matrix(&w, M);
  for (i = 0; i < ${n * n}; i++)
    printf("%.17g ", M[i]);
  return status;
}
`;
      const files = await generateC(robot, compiled);
      const all = [...files, { path: 'main.c', text: source }];
      const program = await buildC(all, { flags: ['-O0'] }, (path) => path.endsWith('_selftest.c'));
      const output = await runProgram(program).finally(() => program.dispose());
      const values = output.trim().split(/\s+/).map(Number);
      expect(values).toEqual([...M]);
    });
  },
);
