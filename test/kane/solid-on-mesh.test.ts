/** Elastic forces of a solid given as a mesh: few of its points stand for all, at states that had no part in their choice, too. */
import { expect, it } from 'vitest';
import { loadRobotObject } from '../../src/description/load.ts';
import { explainRobot } from '../../src/report/explain.ts';

/** A bar of bricks, each of six tetrahedra along one diagonal. */
function bar(across: number, along: number): { nodes: number[][]; tetrahedra: number[][] } {
  const tag = (i: number, j: number, k: number): number => (k * (across + 1) + j) * (across + 1) + i;
  const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
  const nodes = range(along + 1).flatMap((k) =>
    range(across + 1).flatMap((j) => range(across + 1).map((i) => [i / across, j / across, (4 * k) / along])),
  );
  const ways: readonly (readonly [number, number, number])[] = [
    [0, 1, 2],
    [1, 2, 0],
    [2, 0, 1],
    [0, 2, 1],
    [1, 0, 2],
    [2, 1, 0],
  ];
  const tetrahedra = range(along).flatMap((k) =>
    range(across).flatMap((j) =>
      range(across).flatMap((i) =>
        ways.map((steps, way) => {
          const at = [i, j, k];
          const corners = [tag(i, j, k)];
          for (const axis of steps) {
            at[axis] = at[axis]! + 1;
            corners.push(tag(at[0]!, at[1]!, at[2]!));
          }
          return way < 3 ? corners : [corners[0]!, corners[1]!, corners[3]!, corners[2]!];
        }),
      ),
    ),
  );
  return { nodes, tetrahedra };
}

it('is summed over a small share of the points', () => {
  const robot = loadRobotObject({
    kanegen: 1,
    name: 'bar',
    'body-types': {
      bar: {
        parameters: { L: '4 cm' },
        coordinates: {
          e: { limits: [-0.2, 0.2] },
          w: { limits: [-0.2, 0.2] },
          a: { limits: [-0.3, 0.3] },
          b: { limits: [-0.3, 0.3] },
        },
        volume: { mesh: { ...bar(2, 8), unit: 'cm' }, density: '1000 kg/m^3' },
        position: ['x*(1 + e*z/L) + a*z^2/L', 'y*(1 + w*z/L) + b*z^2/L', 'z + e*z^2/L - 2*(a*x + b*y)*z/L'],
        distal: 'none',
        material: { 'compressible-neo-hookean': { mu: '50 kPa', lambda: '100 kPa' } },
        integration: { tolerance: 1e-6 },
      },
    },
    links: [{ body: 'bar' }],
  });
  const [elastic] = explainRobot(robot).bodies[0]!.forces;
  expect(elastic!.points).toBeLessThan(648);
});
