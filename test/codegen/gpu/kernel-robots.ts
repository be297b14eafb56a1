/** Robots whose kernels are compared with generated TypeScript, states for them, and what TypeScript computes at these. */
import { generateStraightTypeScript } from '../../../src/codegen/typescript/straight-typescript.ts';
import { generateTypeScript } from '../../../src/codegen/typescript/typescript.ts';
import { loadStraight, type LoadedStraight } from '../../../src/codegen/typescript/load.ts';
import { generatedCost } from '../../../src/codegen/whole-robot/straight-cost.ts';
import { straightModel, type StraightModel } from '../../../src/codegen/whole-robot/straight-model.ts';
import { kernelsOf, type Kernel } from '../../../src/codegen/gpu/kernels.ts';
import { loadRobotObject } from '../../../src/description/load.ts';
import type { Robot } from '../../../src/description/model/robot.ts';
import { compileRobot } from '../../../src/kane/compile.ts';
import { compileStraight } from '../../../src/straight/compile.ts';
import type { StraightFunctionName } from '../../../src/straight/straight-robot.ts';

/** Every function that formulas have, within its domain at all angles. */
const ODD =
  'atan2(1 + hinge.angle, arm.q) + asin(sin(arm.q)/2) + acos(cos(hinge.angle)/2) + atan(3*arm.q) + tan(hinge.angle/4) + ' +
  'sinh(hinge.angle/9) + cosh(arm.q/2) + tanh(hinge.angle/3) + exp(-hinge.angle) + log(2 + arm.q^2) + (1 + hinge.angle^2)^0.3 + abs(arm.q)';

/** A soft segment on a hinge, with a motor and more: Stumpff functions, sine and cosine, a spring, parameters at run time. */
const soft = {
  kanegen: 1,
  name: 'soft-arm',
  parameters: { load: { value: '0.4 kg', runtime: true, min: 0, max: 10 } },
  links: [
    {
      name: 'hinge',
      joint: { revolute: 'y', stiffness: 3, damping: 0.1 },
      rigid: { mass: 'load', com: [0.02, 0, '0.05 m'], inertia: { yy: 0.01 }, distal: { xyz: [0, 0, 0.1] } },
    },
    { name: 'arm', body: 'planar-cc' },
  ],
  actuators: { turn: { motor: 'hinge.angle' }, odd: { along: ODD, unit: '1' } },
};

/** A linkage of two bars between a hinge and a slide: rows of a loop. */
const linkage = {
  kanegen: 1,
  name: 'slider',
  gravity: [0, -9.81, 0],
  links: [
    {
      name: 'crank',
      joint: { revolute: 'z' },
      rigid: { mass: 0.4, com: [0.1, 0, 0], inertia: { zz: 0.001 }, distal: { xyz: [0.2, 0, 0] } },
    },
    {
      name: 'rod',
      joint: { revolute: 'z' },
      rigid: { mass: 0.3, com: [0.2, 0, 0], inertia: { zz: 0.002 }, distal: { xyz: [0.4, 0, 0] } },
    },
    { name: 'slide', parent: 'base', joint: { prismatic: 'x' }, rigid: { mass: 0.5 } },
  ],
  loops: { pin: { 'point-on-line': { a: 'rod', b: 'slide', axis: 'z' } } },
};

/** States of a batch. */
export const COUNT = 5;

/** What became of states, and results: number i of state s at i * COUNT + s. */
export interface Found {
  readonly status: readonly number[];
  readonly results: readonly Float64Array[];
}

/** States of one kernel. */
export interface Batch {
  readonly count: number;
  /** By member of the struct of parameters, of each state; gravity three of each. */
  readonly parameters: readonly (readonly number[])[];
  readonly numbers: Readonly<Record<string, number>>;
  /** Number i of state s at i * count + s. */
  readonly arrays: Readonly<Record<string, Float64Array>>;
}

export class KernelRobot {
  readonly model: StraightModel;
  readonly kernels: readonly Kernel[];
  readonly straight: LoadedStraight;

  private constructor(model: StraightModel, straight: LoadedStraight) {
    this.model = model;
    this.kernels = kernelsOf(model);
    this.straight = straight;
  }

  static async of(robot: Robot, functions: readonly StraightFunctionName[], keepGravity = false): Promise<KernelRobot> {
    const compiled = compileRobot(robot);
    const model = straightModel(
      robot,
      compiled,
      compileStraight(robot, { functions, keepGravity, count: generatedCost }),
    );
    const files = await generateTypeScript(robot, compiled);
    return new KernelRobot(model, await loadStraight(files, generateStraightTypeScript(model)));
  }

  /** Random states; the second has an angle that is not a number, the third a parameter outside of its range where there is one. */
  batch(kernel: Kernel, count: number, seed = 1): Batch {
    const next = randomNumbers(seed);
    // Beyond half a turn of a segment.
    const reach = 3.9;
    const spoilt = kernel.inputs[0]?.name;
    const arrays = [...kernel.inputs, ...kernel.changed].map(({ name, size }) => {
      const values = Float64Array.from({ length: size * count }, () => (name === 'q' ? reach : 1) * next());
      if (name === 'q') this.close(values, count);
      if (name === spoilt && count > 1) values[1] = NaN;
      return [name, values] as const;
    });
    return {
      count,
      parameters: this.parameterValues(count),
      numbers: { h: 0.03, alpha: 5, beta: 7 },
      arrays: Object.fromEntries(arrays),
    };
  }

  /** Statuses and results as arrays of the batch, those of TypeScript; not-a-number where the status is another than zero. */
  expected(kernel: Kernel, { count, numbers, arrays, ...own }: Batch): Found {
    const written = kernel.of.outputs.filter(({ size }) => size > 0);
    const results = written.map(({ size }) => new Float64Array(size * count));
    const status = Array.from({ length: count }, (_, s) => {
      const of = (name: string, size: number): Float64Array =>
        Float64Array.from({ length: size }, (_, i) => arrays[name]?.[i * count + s] ?? 0);
      const outputs = kernel.of.outputs.map(({ name, size }) => of(name, size));
      const found = this.straight[kernel.of.name]!(
        ...(kernel.keeps ? [this.parameters(own.parameters, s)] : []),
        ...kernel.numbers.map((name) => numbers[name]!),
        ...kernel.inputs.map(({ name, size }) => of(name, size)),
        ...outputs,
      );
      results.forEach((result, k) => {
        const one = outputs[kernel.of.outputs.indexOf(written[k]!)]!;
        one.forEach((x, i) => (result[i * count + s] = found === 0 ? x : NaN));
      });
      return found;
    });
    return { status, results };
  }

  /** Rows of loops that are far from closed leave no digits to floats. */
  close(q: Float64Array, count: number): void {
    if (!this.model.robot.robot.loops) return;
    for (let s = 0; s < count; s++) {
      const [crank, rod] = [q[s]!, Math.asin(-Math.sin(q[s]!) / 2)];
      q[count + s] = rod - crank;
      q[2 * count + s] = 0.2 * Math.cos(crank) + 0.4 * Math.cos(rod);
    }
  }

  /** By parameter, by state; the third state has one outside of its range. */
  parameterValues(count: number): number[][] {
    return this.model.parameters.map(({ value }) =>
      Array.from({ length: count }, (_, s) => (s === 2 ? -20 : value * (1 + s / 8))),
    );
  }

  parameters(values: Batch['parameters'], state: number): never {
    const gravity = Float64Array.from(this.model.robot.robot.gravity);
    const made: Record<string, number | Float64Array> = { gravity };
    for (const { member, value } of this.model.robot.parameters.map((p) => ({ member: p.name, value: p.value })))
      made[member] = value;
    this.model.parameters.forEach(({ member, index }, k) => {
      if (index === undefined) made[member] = values[k]![state]!;
      else gravity[index] = values[k]![state]!;
    });
    return made as never;
  }
}

export const softRobot = (): Promise<KernelRobot> =>
  KernelRobot.of(
    loadRobotObject(soft),
    ['inverseDynamics', 'forwardDynamics', 'implicitStep', 'actuation', 'actuate'],
    true,
  );

export const linkageRobot = (): Promise<KernelRobot> =>
  KernelRobot.of(loadRobotObject(linkage), ['constrainedForwardDynamics', 'forwardDynamics', 'implicitStep']);

// ---------------------------------------------------------------------------------------------- rollouts

/** Of each. */
export const STEPS = 4;

/** Where motions begin, and inputs of their steps; the second state is none. */
export function rolloutBatch(robot: KernelRobot, seed: number, count = COUNT): Batch {
  const { coordinates, actuators } = robot.model.robot.robot;
  const n = coordinates.length;
  const next = randomNumbers(seed);
  // Slow enough that no motion loses digits by itself.
  const of = (size: number, scale = 0.2): Float64Array =>
    Float64Array.from({ length: size * count }, () => scale * next());
  const arrays = { q: of(n, 1), qd: of(n), u: of((actuators.length || n) * STEPS, 0.05) };
  robot.close(arrays.q, count);
  arrays.q[1] = NaN;
  return { count, parameters: robot.parameterValues(count), numbers: { h: 0.01 }, arrays };
}

/**
 * Steps by the functions in TypeScript, those of Runge and Kutta as every book has them: statuses; coordinates and rates at the
 * end, then of all steps.
 */
export function rolledOut(robot: KernelRobot, stepper: string, { count, parameters, arrays, numbers }: Batch): Found {
  const { coordinates, actuators } = robot.model.robot.robot;
  const n = coordinates.length;
  const h = numbers['h']!;
  const keeps = robot.model.parameters.length > 0;
  const results = [n, n, n * STEPS, n * STEPS].map((size) => new Float64Array(size * count).fill(NaN));
  const status = Array.from({ length: count }, (_, s) => {
    const own = keeps ? [robot.parameters(parameters, s)] : [];
    const at = (name: string, size: number, first = 0): Float64Array =>
      Float64Array.from({ length: size }, (_, i) => arrays[name]![(first + i) * count + s]!);
    let [q, qd] = [at('q', n), at('qd', n)];
    let found = 0;
    for (let k = 0; k < STEPS && found === 0; k++) {
      const tau = new Float64Array(n);
      const u = at('u', actuators.length || n, k * (actuators.length || n));
      if (actuators.length > 0) found ||= robot.straight.actuate!(...own, q, u, tau);
      else tau.set(u);
      const [to, speed] = [new Float64Array(n), new Float64Array(n)];
      const plus = (x: Float64Array, a: number, y: Float64Array): Float64Array => x.map((own, i) => own + a * y[i]!);
      const slope = (place: Float64Array, rate: Float64Array): Float64Array => {
        const qdd = new Float64Array(n);
        found ||= robot.straight.forwardDynamics!(...own, place, rate, tau, qdd);
        return qdd;
      };
      if (stepper === 'implicit') found ||= robot.straight.implicitStep!(...own, h, q, qd, tau, to, speed);
      else {
        const a1 = slope(q, qd);
        const v2 = plus(qd, h / 2, a1);
        const a2 = slope(plus(q, h / 2, qd), v2);
        const v3 = plus(qd, h / 2, a2);
        const a3 = slope(plus(q, h / 2, v2), v3);
        const v4 = plus(qd, h, a3);
        const a4 = slope(plus(q, h, v3), v4);
        to.set(q.map((x, i) => x + (h / 6) * (qd[i]! + 2 * v2[i]! + 2 * v3[i]! + v4[i]!)));
        speed.set(qd.map((x, i) => x + (h / 6) * (a1[i]! + 2 * a2[i]! + 2 * a3[i]! + a4[i]!)));
      }
      if (found !== 0) break;
      [q, qd] = [to, speed];
      for (let i = 0; i < n; i++) {
        results[2]![(k * n + i) * count + s] = q[i]!;
        results[3]![(k * n + i) * count + s] = qd[i]!;
      }
    }
    for (let i = 0; i < n; i++)
      [results[0]![i * count + s], results[1]![i * count + s]] = found === 0 ? [q[i]!, qd[i]!] : [NaN, NaN];
    return found;
  });
  return { status, results };
}

/** -1 … 1 */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}

/** Largest difference, relative to the largest number of an array; infinite where one is a number and the other is none. */
export function difference(found: ArrayLike<number>, expected: ArrayLike<number>): number {
  let [most, scale] = [0, 0];
  if (found.length !== expected.length) return Infinity;
  for (let i = 0; i < expected.length; i++) {
    if (Number.isNaN(expected[i]!) !== Number.isNaN(found[i]!)) return Infinity;
    if (Number.isNaN(expected[i]!)) continue;
    most = Math.max(most, Math.abs(found[i]! - expected[i]!));
    scale = Math.max(scale, Math.abs(expected[i]!));
  }
  return scale > 0 ? most / scale : most;
}
