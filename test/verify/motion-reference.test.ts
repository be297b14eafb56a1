/**
 * Motions integrated over forward dynamics against reference motions, which others computed in 64-bit mantissas by two
 * methods each.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotObject } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { KG_OK } from '../../src/runtime/driver.ts';
import { referenceRobot } from '../../src/verify/reference/reference-robot.ts';

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

/** No parametrisation of rotations: matrices, and world axes. */
interface FreeMotion {
  readonly parameters: unknown;
  readonly initial: Readonly<
    Record<'base_velocity' | 'base_angular_velocity' | 'q_soft' | 'qd_soft', readonly number[]>
  >;
  readonly states: readonly (Readonly<
    Record<
      | 'base_position'
      | 'base_velocity'
      | 'base_angular_velocity'
      | 'q_soft'
      | 'qd_soft'
      | 'tip_position'
      | 'linear_momentum'
      | 'angular_momentum',
      readonly string[]
    >
  > & { readonly t: number; readonly base_rotation: readonly (readonly string[])[]; readonly energy: string })[];
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

/** q̇ and q̈ of a state without inputs. */
function ratesOf(dynamics: LoadedRobot): Rates {
  const n = dynamics.coordinates;
  const [none, qdd] = [new Float64Array(n), new Float64Array(n)];
  return (y) => {
    const status = dynamics.update(y.slice(0, n), y.slice(n)) || dynamics.forwardDynamics(none, qdd);
    if (status !== KG_OK) throw new Error(`status ${status}`);
    return [...y.slice(n), ...qdd];
  };
}

/** x of A x = b, three by three, by Cramer's rule. */
function solved(A: readonly (readonly number[])[], b: readonly number[]): number[] {
  const determinant = ([a, b, c]: readonly (readonly number[])[]): number =>
    [0, 1, 2].reduce((sum, i) => {
      const [j, k] = [(i + 1) % 3, (i + 2) % 3];
      return sum + a![i]! * (b![j]! * c![k]! - b![k]! * c![j]!);
    }, 0);
  const whole = determinant(A);
  return [0, 1, 2].map(
    (column) => determinant(A.map((row, i) => row.map((x, j) => (j === column ? b[i]! : x)))) / whole,
  );
}

function readAs<T>(name: string): T {
  return JSON.parse(
    readFileSync(fileURLToPath(new URL(`../reference/motion/${name}.json`, import.meta.url)), 'utf8'),
  ) as T;
}

describe('motions over forward dynamics', () => {
  it.each([
    ['X_planar_cc_N2_swing', 0.0125],
    ['X_UR10e_fall', 0.0125],
  ])('are those of %s to 1e-9', async (name, h) => {
    const motion = readAs<Motion>(name);
    const source = referenceRobot(motion.parameters, 'motion');
    if ('unsupported' in source) throw new Error(source.unsupported);
    const robot = loadRobotObject(source.robot);
    const dynamics = (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
    const n = robot.coordinates.length;
    const rates = ratesOf(dynamics);
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

  describe('of a free-flying body with a soft arm', () => {
    const motion = readAs<FreeMotion>('X_free_flying_pcc3d');
    const [P, L] = (['linear_momentum', 'angular_momentum'] as const).map((own) => motion.states[0]![own].map(Number));
    const energy = Number(motion.states[0]!.energy);
    let dynamics: LoadedRobot;
    let rates: Rates;
    let tip = 0;
    beforeAll(async () => {
      const source = referenceRobot(motion.parameters, 'free-flyer');
      if ('unsupported' in source) throw new Error(source.unsupported);
      const robot = loadRobotObject(source.robot);
      dynamics = (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
      rates = ratesOf(dynamics);
      tip = robot.tip;
      // The coordinates of the joint are its displacement and its rotation vector; the base is its first link's frame.
      expect(robot.coordinates).toHaveLength(9);
    });

    /** Rotation and its angular velocity in world axes, momenta about the origin, energy. */
    const measured = (y: readonly number[]) => {
      const [q, qd] = [y.slice(0, 9), y.slice(9)];
      const [M, R, J, all] = [new Float64Array(81), new Float64Array(9), new Float64Array(54), new Float64Array(3)];
      const place = new Float64Array(3);
      dynamics.update(q, qd);
      dynamics.massMatrix(M);
      dynamics.energies(all);
      dynamics.frame(0, R, null, J);
      dynamics.frame(tip, new Float64Array(9), place, null);
      const momenta = q.map((_, a) => qd.reduce((sum, v, b) => sum + M[9 * a + b]! * v, 0));
      // Of the three coordinates of the rotation: ω = A ṙ, and Aᵀ times the angular momentum about the joint is theirs.
      const A = [0, 1, 2].map((i) => [3, 4, 5].map((a) => J[9 * i + a]!));
      const transposed = [0, 1, 2].map((i) => A.map((row) => row[i]!));
      const about = solved(transposed, momenta.slice(3, 6));
      const P = momenta.slice(0, 3);
      const moved = [0, 1, 2].map((i) => q[(i + 1) % 3]! * P[(i + 2) % 3]! - q[(i + 2) % 3]! * P[(i + 1) % 3]!);
      const omega = A.map((row) => row.reduce((sum, a, i) => sum + a * qd[3 + i]!, 0));
      return {
        R: [...R],
        A,
        omega,
        P,
        L: about.map((x, i) => x + moved[i]!),
        energy: all[0]! + all[2]!,
        place: [...place],
      };
    };
    const start = (): number[] => {
      const { base_velocity: v, base_angular_velocity: w, q_soft: q, qd_soft: qd } = motion.initial;
      return [0, 0, 0, 0, 0, 0, ...q, ...v, ...w, ...qd];
    };
    const expectNear = (
      found: readonly number[],
      due: readonly (number | string)[],
      scale: number,
      what: string,
    ): void =>
      due.forEach((x, i) => expect(Math.abs(found[i]! - Number(x)), `${what}[${i}]`).toBeLessThan(1e-9 * scale));

    it('is that of the reference to 1e-9, with its momenta and its energy', () => {
      let [y, t] = [start(), 0];
      for (const state of motion.states) {
        for (; t < state.t - 1e-6; t += 0.00625) y = step(rates, y, 0.00625);
        const { R, omega, P, L, energy, place } = measured(y);
        const at = `at ${state.t} s`;
        expectNear(y.slice(0, 3), state.base_position, 0.1, `position ${at}`);
        expectNear(R, state.base_rotation.flat(), 1, `rotation ${at}`);
        expectNear(y.slice(9, 12), state.base_velocity, 0.1, `velocity ${at}`);
        expectNear(omega, state.base_angular_velocity, 1, `angular velocity ${at}`);
        expectNear(y.slice(6, 9), state.q_soft, 0.5, `q ${at}`);
        expectNear(y.slice(15), state.qd_soft, 8, `rates ${at}`);
        expectNear(place, state.tip_position, 0.1, `tip ${at}`);
        expectNear(P, state.linear_momentum, 0.1, `linear momentum ${at}`);
        expectNear(L, state.angular_momentum, 0.005, `angular momentum ${at}`);
        expectNear([energy], [state.energy], 0.05, `energy ${at}`);
      }
    });

    it('keeps momenta to 1e-9 and energy to 1e-8 for 10 s, past whole turns', () => {
      let y = start();
      let turns = 0;
      for (let k = 0; k < 1600; k++) {
        y = step(rates, y, 0.00625);
        const r = y.slice(3, 6);
        const angle = Math.hypot(...r);
        if (angle > Math.PI) {
          // The same rotation by the shorter way round: beyond a whole turn rotation vectors have no rates.
          const { omega } = measured(y);
          r.forEach((x, i) => (y[3 + i] = x * (1 - (2 * Math.PI) / angle)));
          solved(measured(y).A, omega).forEach((x, i) => (y[12 + i] = x));
          turns++;
        }
      }
      const last = measured(y);
      expect(turns).toBeGreaterThan(0);
      expectNear(last.P, P!, 0.1, 'linear momentum');
      expectNear(last.L, L!, 0.005, 'angular momentum');
      expect(Math.abs(last.energy - energy)).toBeLessThan(1e-8 * energy);
    });
  });
});
