/**
 * Motions integrated over forward dynamics against reference motions, which others computed in 64-bit mantissas by two
 * methods each.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotObject } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { KG_OK } from '../../src/runtime/driver.ts';
import { referenceRobot } from '../../src/verify/reference-robot.ts';

interface Motion {
  readonly parameters: unknown;
  readonly initial: { readonly q: readonly number[]; readonly qd: readonly number[] };
  readonly states: readonly {
    readonly t: number;
    readonly q: readonly string[];
    readonly qd: readonly string[];
    readonly qdd: readonly string[];
  }[];
}

type Rates = (y: readonly number[]) => number[];

/** A step of the method of Gragg, Bulirsch and Stoer: modified midpoint rules, extrapolated to order 14. */
function step(f: Rates, y: readonly number[], h: number): number[] {
  const add = (a: readonly number[], b: readonly number[], by: number): number[] => a.map((x, i) => x + by * b[i]!);
  const table: number[][] = [];
  for (let k = 0; k < 7; k++) {
    const n = 2 * (k + 1);
    let [before, now] = [[...y], add(y, f(y), h / n)];
    for (let i = 1; i < n; i++) [before, now] = [now, add(before, f(now), (2 * h) / n)];
    const smooth = before.map((x, i) => (x + now[i]! + (h / n) * f(now)[i]!) / 2);
    table.push(smooth);
    for (let j = k - 1; j >= 0; j--) {
      const ratio = ((k + 1) / (j + 1)) ** 2 - 1;
      table[j] = table[j + 1]!.map((x, i) => x + (x - table[j]![i]!) / ratio);
    }
  }
  return table[0]!;
}

const read = (name: string): Motion =>
  JSON.parse(
    readFileSync(fileURLToPath(new URL(`../reference/motion/${name}.json`, import.meta.url)), 'utf8'),
  ) as Motion;

describe('motions over forward dynamics', () => {
  it.each([
    ['X_planar_cc_N2_swing', 0.0125],
    ['X_UR10e_fall', 0.0125],
  ])('are those of %s to 1e-9', async (name, h) => {
    const motion = read(name);
    const source = referenceRobot(motion.parameters, 'motion');
    if ('unsupported' in source) throw new Error(source.unsupported);
    const robot = loadRobotObject(source.robot);
    const dynamics = (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
    const n = robot.coordinates.length;
    const [none, qdd] = [new Float64Array(n), new Float64Array(n)];
    const rates: Rates = (y) => {
      const status = dynamics.update(y.slice(0, n), y.slice(n)) || dynamics.forwardDynamics(none, qdd);
      if (status !== KG_OK) throw new Error(`status ${status}`);
      return [...y.slice(n), ...qdd];
    };
    let y: number[] = [...motion.initial.q, ...motion.initial.qd];
    let t = 0;
    const scale = (kind: 'q' | 'qd' | 'qdd', a: number): number =>
      Math.max(...motion.states.map((state) => Math.abs(Number(state[kind][a]))));
    for (const state of motion.states) {
      for (; t < state.t - h / 2; t += h) y = step(rates, y, h);
      const found = [...y, ...rates(y).slice(n)];
      (['q', 'qd', 'qdd'] as const).forEach((kind, k) =>
        state[kind].forEach((expected, a) =>
          expect(
            Math.abs(found[k * n + a]! - Number(expected)) / scale(kind, a),
            `${kind}[${a}] at ${state.t} s`,
          ).toBeLessThan(1e-9),
        ),
      );
    }
  });
});
