/** How many Newton steps the compiler gives a section: against steps by hand in 60 digits. */
import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { loadRobotText } from '../../src/description/load.ts';
import { defaultParameters } from '../../src/kane/kinematics/sample-configurations.ts';
import { panelEnds } from '../../src/kane/rod-points/rod-points.ts';
import { rodVolumes } from '../../src/kane/rods/rod-section.ts';
import { sectionMatrices } from '../../src/kane/rods/section-stiffness.ts';
import { studyNewton } from '../../src/kane/sections/newton-steps.ts';

const LENGTH = 0.3;

function stepsOf(strain: string, coordinate: string): number {
  const text = `kanegen: 1
name: counted
body-types:
  arm:
    parameters: { L: ${LENGTH}, R: 10 mm, u: 1 m }
    coordinates: { T: ${coordinate} }
    volume: { rod: { s: [0, L] }, section: { disc: R, cartesian: [x, y] }, density: 1000 }
    strain: ${strain}
    material: { section-stiffness: [2, 3, 1.5, 40, 50, 120] }
links: [{ name: arm, body: arm }]
`;
  const { body } = loadRobotText(text, 'counted.robot.yaml').links[0]!;
  if (body.kind !== 'deformable' || body.type.kinematics.kind !== 'strain') throw new Error('a rod');
  const { type } = body;
  const { equilibrium, rest } = body.type.kinematics;
  const [rod] = rodVolumes(type);
  const { stiffness } = sectionMatrices(type, type.materials!);
  const source = { equilibrium: equilibrium!, axial: rod.axial, rest, stiffness };
  const symbols = { q: type.coordinates.map((own) => own.symbol) };
  return studyNewton(type, source, symbols, panelEnds(type, rod), [defaultParameters(type)]).steps;
}

/** Until the last step changes less than 1e-13, of curvature times the reach of sections. */
function stepsByHand(f: (k: Decimal) => Decimal, slope: (k: Decimal) => Decimal, reach: number): number {
  let k = new Wide(0);
  for (let step = 1; ; step++) {
    const change = f(k).div(slope(k));
    k = k.minus(change);
    if (change.abs().toNumber() * reach <= 1e-13) return step;
  }
}
const Wide = Decimal.clone({ precision: 60 });

describe('Newton steps of a section', () => {
  it.each([
    ['in which doubles lose digits', 1e8, 4, 3],
    ['in which they lose none', 3, 4, 7],
  ])('suffice in 50 digits, of an equation %s', (_, a, most, due) => {
    const equation = `(${a} + bend_y*u)^2 - ${a * a} - ${2 * a}*T*(1 + s/L)`;
    const found = stepsOf(`{ implicit: { unknowns: [bend-y], equations: [${equation}] } }`, `{ limits: [0, ${most}] }`);
    const byHand = [0.02, 0.37, 0.71, 0.98].map((place) =>
      stepsByHand(
        (k) =>
          k
            .plus(a)
            .pow(2)
            .minus(a * a)
            .minus(new Wide(2 * a * most).times(1 + place)),
        (k) => k.plus(a).times(2),
        0.02 * LENGTH,
      ),
    );
    expect([found, Math.max(...byHand)]).toEqual([due, due]);
  });

  it('suffice for a tendon on one bend', () => {
    // 3 k + T d cos(angle): the tangent of the tendon is (0, 0, 1 − d k), and its length has no second derivative.
    const held = 'hold: [bend-x, twist, shear-x, shear-y, stretch]';
    expect(
      stepsOf(
        `{ equilibrium: { tendons: { T: { route: { x: 6 mm, y: 0 } } }, ${held} } }`,
        '{ unit: N, limits: [0 N, 9 N] }',
      ),
    ).toBe(2);
  });
});
