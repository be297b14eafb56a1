/** docs/coming-from/sorosim.md: strains with x along the rod, by the exponential of their twist, against the frames of a rod with z along it. */
import { expect, it } from 'vitest';
import { load } from '../../src/index.ts';

type Matrix = readonly (readonly number[])[];

const product = (a: Matrix, b: Matrix): number[][] =>
  a.map((row) => b[0]!.map((_, j) => row.reduce((sum, x, k) => sum + x * b[k]![j]!, 0)));

/** Of a matrix, by its series. */
function exponential(a: Matrix): number[][] {
  let term: number[][] = a.map((row, i) => row.map((_, j) => (i === j ? 1 : 0)));
  let sum = term;
  for (let k = 1; k < 60; k++) {
    term = product(term, a).map((row) => row.map((x) => x / k));
    sum = sum.map((row, i) => row.map((x, j) => x + term[i]![j]!));
  }
  return sum;
}

it('exchanges axes and strains as its table says', async () => {
  const length = 0.5;
  const [kx, ky, kz, ex, ey, ez] = [1.3, -0.7, 2.1, 1.2, 0.15, -0.1] as const;
  const pose = exponential(
    [
      [0, -kz, ky, ex],
      [kz, 0, -kx, ey],
      [-ky, kx, 0, ez],
      [0, 0, 0, 0],
    ].map((row) => row.map((x) => x * length)),
  );
  const robot = await load({
    kanegen: 1,
    name: 'rod',
    'body-types': {
      rod: {
        volume: { rod: { s: [0, `${length} m`] }, section: { disc: '10 mm' }, density: '1000 kg/m^3' },
        parameters: { k: '1 1/m' },
        coordinates: { q: { unit: '1/m' } },
        strain: {
          twist: `${kx}*k`,
          'bend-x': `${ky}*k`,
          'bend-y': `${kz}*k + q`,
          stretch: ex - 1,
          'shear-x': ey,
          'shear-y': ez,
        },
      },
    },
    links: [{ name: 'rod', body: 'rod' }],
  });
  const [found] = await robot.evaluate([{ q: [0] }]);
  // SoRoSim's x, y, z are z, x, y here.
  const [x, y, z] = [2, 0, 1].map((axis) => found!.tip_position[axis]!);
  expect(x).toBeCloseTo(pose[0]![3]!, 10);
  expect(y).toBeCloseTo(pose[1]![3]!, 10);
  expect(z).toBeCloseTo(pose[2]![3]!, 10);
});
