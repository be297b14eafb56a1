/** A heavy strip lifted off a floor: how long its free part is, by the force that lifts it, from soft floors to hard ones. */
import { expect, it } from 'vitest';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { loadRobotFile } from '../../src/description/load.ts';
import { contactPairs } from '../../src/description/model/contact.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { equilibrium } from '../../src/simulation/equilibria/statics.ts';

const [PIECES, PIECE, RADIUS, E, DENSITY, G, HEIGHT] = [20, 6e-3, 1e-3, 1e7, 1000, 9.81, 2e-3];

it('leaves the floor (24 EI h/w)^¼ before a hinge, (72 EI h/w)^¼ before a level clamp, to 0.3 %, and rests', async () => {
  const robot = loadRobotFile('examples/scenarios/strip.robot.yaml');
  const dynamics = (await loadGenerated(await generateTypeScript(robot, compileRobot(robot, { derivatives: true }))))();
  const stiffness = (E * Math.PI * RADIUS ** 4) / 4;
  const weight = DENSITY * Math.PI * RADIUS ** 2 * G;
  const pairs = contactPairs(robot).length;
  expect(pairs).toBe(2 * PIECES);
  for (const k of [1e5, 1e8]) {
    dynamics.parameters.k = k;
    const { q, smallestEigenvalue, residual, scale } = equilibrium(robot, dynamics);
    expect(smallestEigenvalue).toBeGreaterThan(0);
    // Places are rounded to 1e-17 m, which the hard floor answers.
    expect(residual).toBeLessThan(1e-8 * scale);
    const force = new Float64Array(3 * pairs);
    dynamics.update(
      q,
      q.map(() => 0),
    );
    dynamics.contact!(null, null, null, force, null, null, null, null);
    // A half of the weight of the free part hangs on a hinge, two thirds on a clamp: moments about where it leaves the floor.
    for (const [k, [factor, share]] of [[24, 1 / 2] as const, [72, 2 / 3] as const].entries()) {
      const borne = Array.from({ length: PIECES }, (_, i) => force[3 * (PIECES * k + i) + 2]!).reduce((a, b) => a + b);
      const free = (weight * PIECES * PIECE - borne) / (share * weight);
      expect(Math.abs(free / ((factor * stiffness * HEIGHT) / weight) ** 0.25 - 1)).toBeLessThan(3e-3);
    }
  }
});
