/** Which section of which link is not solved for: against Newton's method by hand, in TypeScript, in C and in messages. */
import { beforeAll, describe, expect, it } from 'vitest';
import { buildC, runProgram } from '../../src/codegen/c/build-c.ts';
import { generateC } from '../../src/codegen/c/c.ts';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotText } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { load } from '../../src/index.ts';
import type { CompiledRobot } from '../../src/kane/kernels/link-type.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { KG_NO_STATE, KG_OK, KG_UNDEFINED } from '../../src/runtime/driver.ts';
import { isInstalled, QUICK } from '../compilers.ts';

const [LENGTH, BENDING, ARM, STEPS] = [0.2, 8e-3, 6e-3, 3];
/** Two rods behind a joint; what their tendons do grows along them. */
const TEXT = `kanegen: 1
name: pair
body-types:
  arm:
    parameters: { L: ${LENGTH}, B: ${BENDING}, d: ${ARM} }
    coordinates: { T: { limits: [0, 0.4] } }
    volume: { rod: { s: [0, L] }, section: { disc: 10 mm, cartesian: [x, y] }, density: 1000, breaks: { s: [L/2] } }
    strain: { implicit: { unknowns: [bend-y], equations: [B*bend_y*(1 + (bend_y*L)^2) - T*d*s/L], newton: ${STEPS} } }
    integration: { points: 3, magnus: 4 }
links:
  - { name: pin, joint: { revolute: y }, rigid: { mass: 10 g, inertia: { xx: 1e-6, yy: 1e-6, zz: 1e-6 } } }
  - { name: first, body: arm }
  - { name: second, body: arm }
`;

/** The first Gauss point of both halves at which the steps by hand still change the curvature by more than 1e-6 of it. */
function firstUnsolved(tension: number): number | undefined {
  const places = [0, 1].flatMap((half) =>
    [-1, 0, 1].map((sign) => (LENGTH / 2) * (half + (1 + sign * Math.sqrt(0.6)) / 2)),
  );
  return places.find((s) => {
    let [kappa, change] = [0, 0];
    for (let k = 0; k < STEPS; k++) {
      kappa -= change;
      const bent = (kappa * LENGTH) ** 2;
      change = (BENDING * kappa * (1 + bent) - (tension * ARM * s) / LENGTH) / (BENDING * (1 + 3 * bent));
    }
    return Math.abs(change) > 1e-6 * Math.abs(kappa);
  });
}

describe('a section that is not solved for', () => {
  let robot: Robot;
  let compiled: CompiledRobot;
  let dynamics: LoadedRobot;
  beforeAll(async () => {
    robot = loadRobotText(TEXT, 'pair.robot.yaml');
    compiled = compileRobot(robot);
    dynamics = (await loadGenerated(await generateTypeScript(robot, compiled)))();
  }, 60_000);

  /** Tensions of both rods, with the link that fails, if any. */
  const STATES = [
    [0.2, 0.3, -1],
    [0.2, 1, 2],
    [2, 0.3, 1],
    [0.7, 40, 1],
    [0.1, 40, 2],
  ] as const;
  const due = STATES.map(([first, second, link]) => [link, link < 0 ? 0 : firstUnsolved(link === 1 ? first : second)!]);
  const qOf = ([first, second]: (typeof STATES)[number]): number[] => [0.3, first, second];

  it('is named by its link and its place, at the staged state', () => {
    expect(new Set(due.slice(1).map(([, s]) => s)).size).toBeGreaterThan(2);
    expect(STATES.map(([a, b]) => [a, b].findIndex((own) => firstUnsolved(own) !== undefined))).toEqual(
      due.map(([link]) => (link! < 0 ? -1 : link! - 1)),
    );
    const [section, tau] = [new Float64Array(2), new Float64Array(3)];
    const found = STATES.map((state) => {
      expect(dynamics.update(qOf(state), [0, 0, 0])).toBe(KG_OK);
      expect(dynamics.inverseDynamics([0, 0, 0], tau)).toBe(state[2] < 0 ? KG_OK : KG_UNDEFINED);
      expect(dynamics.unsolvedSection!(section)).toBe(KG_OK);
      return [...section];
    });
    found.forEach(([link, s], i) => {
      expect(link).toBe(due[i]![0]);
      expect(s).toBeCloseTo(due[i]![1]!, 14);
    });
    expect(dynamics.inverseDynamicsAt(qOf(STATES[0]), [0, 0, 0], [0, 0, 0], tau)).toBe(KG_OK);
    expect(dynamics.unsolvedSection!(section)).toBe(KG_NO_STATE);
  });

  it('is named in messages of the library', async () => {
    const own = await load(TEXT);
    const running = await (await own.compile()).run({ check: true });
    const [tau, zeros] = [new Float64Array(3), [0, 0, 0]];
    const where = `\`second\` is not found at s = ${Number(due[1]![1]!.toPrecision(4))} m`;
    const q = qOf(STATES[1]);
    running.update(q, zeros);
    expect(() => running.inverseDynamics(zeros, tau)).toThrow(where);
    expect(() => running.inverseDynamicsAt(q, zeros, zeros, tau)).toThrow(where);
    await expect(own.evaluate([{ q, qd: zeros, qdd: zeros }])).rejects.toThrow(where);
  });

  it.skipIf(!isInstalled(QUICK.compiler ?? 'cc'))('is the same in C (needs a compiler)', async () => {
    const main = `#include "pair.h"
#include <stdio.h>
int main(void)
{
  static pair_workspace w;
  static const kg_real q[${STATES.length}][3] = {${STATES.map((state) => `{${qOf(state).join()}}`).join()}};
  static const kg_real zeros[3] = {0};
  kg_real section[2], tau[3];
  int i;
  for (i = 0; i < ${STATES.length}; i++) {
    const kg_status staged = pair_update(&w, &pair_defaults, q[i], zeros);
    const kg_status moved = pair_inverse_dynamics(&w, zeros, tau);
    const kg_status told = pair_unsolved_section(&w, section);
    printf("%d %d %d %d %.17g\\n", (int)staged, (int)moved, (int)told, (int)section[0], section[1]);
  }
  return 0;
}
`;
    const files = [...(await generateC(robot, compiled)), { path: 'main.c', text: main }];
    const program = await buildC(files, QUICK, (path) => path.endsWith('_selftest.c'));
    const lines = (await runProgram(program).finally(() => program.dispose())).trim().split('\n');
    lines.forEach((line, i) => {
      const [link, s] = due[i]! as [number, number];
      const numbers = line.split(' ').map(Number);
      expect(numbers.slice(0, 4)).toEqual([KG_OK, link < 0 ? KG_OK : KG_UNDEFINED, KG_OK, link]);
      expect(numbers[4]).toBeCloseTo(s, 14);
    });
  });
});
