/**
 * Runs the kernels of a compiled robot along the chain by evaluating their expressions directly: the referee between the
 * Kane compiler and generated code. Slow and plain; sequences kernels exactly as drivers do.
 */
import { evaluate, foldConstants } from '../../src/symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../src/symbolic/graph/expr.ts';
import type {
  CompiledRobot,
  InputBuffer,
  KernelName,
  LinkInstance,
  LinkType,
  OutputBuffer,
} from '../../src/kane/kernels/link-type.ts';
import { integrateRows } from '../../src/kane/loops/integrate-rows.ts';
import { loopsNeeded, type Loop, type RowArray } from '../../src/kane/loops/loop.ts';
import { networkOperands, networkResults, type NetworkCall } from '../../src/kane/loops/network-call.ts';
import { evaluateCall } from '../network/evaluate-network.ts';

export interface State {
  readonly q: readonly number[];
  readonly qd: readonly number[];
  readonly qdd: readonly number[];
}

type Buffers = Partial<Record<InputBuffer, readonly number[]>>;

export class KernelInterpreter {
  private readonly robot: CompiledRobot;
  private readonly parameters: number[][];
  private readonly time: number;
  private readonly offsets: number[] = [];
  readonly size: number;

  constructor(robot: CompiledRobot, time = 0) {
    this.robot = robot;
    this.time = time;
    this.parameters = robot.links.map((link) => foldConstants(link.parameters));
    let total = 0;
    for (const link of robot.links) {
      this.offsets.push(total);
      total += link.type.coordinates.length;
    }
    this.size = total;
  }

  private run(index: number, name: KernelName, buffers: Buffers): Record<string, number[]> {
    const { type } = this.robot.links[index]!;
    const bindings = new Map<Expr, number>();
    const bind = (buffer: InputBuffer, values: readonly number[]): void =>
      type.inputs[buffer].forEach((s, i) => bindings.set(s, values[i]!));
    bind('parameters', this.parameters[index]!);
    bind('time', [this.time]);
    for (const [buffer, values] of Object.entries(buffers)) bind(buffer as InputBuffer, values);
    const kernel = type.kernels.find((k) => k.name === name)!;
    const arrays = new LoopRunner(type, bindings, buffers.bodyWrench);
    const roots = kernel.outputs.flatMap((output) => [...output.values]);
    for (const loop of loopsNeeded(type.loops, roots, kernel.loops ?? [])) arrays.run(loop);
    const result: Partial<Record<OutputBuffer, number[]>> = {};
    for (const output of kernel.outputs) result[output.buffer] = evaluate(output.values, bindings);
    if (arrays.bodyWrench) result.bodyWrench = [...(result.bodyWrench ?? []), ...arrays.bodyWrench];
    return result;
  }

  private slice(index: number, values: readonly number[]): number[] {
    const n = this.robot.links[index]!.type.coordinates.length;
    return values.slice(this.offsets[index], this.offsets[index]! + n);
  }

  private coordinates(index: number, s: State): Buffers {
    return { q: this.slice(index, s.q), qd: this.slice(index, s.qd), qdd: this.slice(index, s.qdd) };
  }

  /** Generalized forces from body wrenches, tip to base. */
  private collect(s: State, bodyWrenches: readonly number[][], name: 'backward' | 'propagate' = 'backward'): number[] {
    const { links } = this.robot;
    const wrenches = links.map(() => [0, 0, 0, 0, 0, 0]);
    const tau = new Array<number>(this.size).fill(0);
    for (let i = links.length - 1; i >= 0; i--) {
      const out = this.run(i, name, {
        ...this.coordinates(i, s),
        distalWrench: wrenches[i]!,
        bodyWrench: bodyWrenches[i]!,
      });
      out['generalizedForce']!.forEach((value, k) => (tau[this.offsets[i]! + k] = value));
      const parent = links[i]!.parent;
      if (parent >= 0) out['parentWrench']!.forEach((value, k) => (wrenches[parent]![k]! += value));
    }
    return tau;
  }

  inverseDynamics(s: State, gravity: readonly number[]): number[] {
    const { links } = this.robot;
    const velocities: number[][] = [];
    const accelerations: number[][] = [];
    const bodyWrenches = links.map((link, i) => {
      const at = (list: number[][], base: number[]): number[] => (link.parent < 0 ? base : list[link.parent]!);
      const buffers = {
        ...this.coordinates(i, s),
        parentVelocity: at(velocities, [0, 0, 0]),
        parentAcceleration: at(accelerations, [0, 0, 0, ...gravity.map((g) => -g)]),
      };
      velocities[i] = this.run(i, 'velocity', buffers)['ownVelocity']!;
      const out = this.run(i, 'acceleration', buffers);
      accelerations[i] = out['ownAcceleration']!;
      return out['bodyWrench']!;
    });
    return this.collect(s, bodyWrenches);
  }

  gravity(s: State, gravity: readonly number[]): number[] {
    const rest: number[][] = [];
    const bodyWrenches = this.robot.links.map((link, i) => {
      const parentGravity = link.parent < 0 ? gravity.map((g) => -g) : rest[link.parent]!;
      const out = this.run(i, 'gravity', { ...this.coordinates(i, s), parentGravity });
      rest[i] = out['ownGravity']!;
      return out['bodyWrench']!;
    });
    return this.collect(s, bodyWrenches);
  }

  /** Elastic forces of every link, and their derivatives by its coordinates, row-major. */
  elastic(s: State): { readonly forces: number[]; readonly stiffness: readonly number[][] } {
    const links = this.robot.links.map((_, i) => ({
      forces: this.run(i, 'elastic', this.coordinates(i, s))['generalizedForce']!,
      stiffness: this.run(i, 'stiffness', this.coordinates(i, s))['forceMatrix']!,
    }));
    return { forces: links.flatMap((link) => link.forces), stiffness: links.map((link) => link.stiffness) };
  }

  massMatrix(s: State): number[][] {
    const { links } = this.robot;
    const M = Array.from({ length: this.size }, () => new Array<number>(this.size).fill(0));
    const composites = links.map(() => new Array<number>(10).fill(0));
    for (let i = links.length - 1; i >= 0; i--) {
      const n = links[i]!.type.coordinates.length;
      const out = this.run(i, 'composite', { ...this.coordinates(i, s), distalComposite: composites[i]! });
      const parent = links[i]!.parent;
      if (parent >= 0) out['parentComposite']!.forEach((value, k) => (composites[parent]![k]! += value));
      for (let a = 0; a < n; a++) {
        for (let b = 0; b < n; b++) M[this.offsets[i]! + a]![this.offsets[i]! + b] = out['massBlock']![a * n + b]!;
        let wrench = out['unitWrenches']!.slice(6 * a, 6 * a + 6);
        for (let j = parent; j >= 0; j = links[j]!.parent) {
          const up = this.run(j, 'propagate', { ...this.coordinates(j, s), distalWrench: wrench });
          up['generalizedForce']!.forEach((value, b) => {
            M[this.offsets[j]! + b]![this.offsets[i]! + a] = value;
            M[this.offsets[i]! + a]![this.offsets[j]! + b] = value;
          });
          wrench = up['parentWrench']!;
        }
      }
    }
    return M;
  }

  /** World pose of each own frame, row-major rotation then origin. */
  poses(s: State): number[][] {
    const poses: number[][] = [];
    this.robot.links.forEach((link: LinkInstance, i) => {
      const parentPose = link.parent < 0 ? [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0] : poses[link.parent]!;
      poses[i] = this.run(i, 'pose', { ...this.coordinates(i, s), parentPose })['ownPose']!;
    });
    return poses;
  }

  /** Jacobian columns of each link's own coordinates, 6 per coordinate. */
  jacobians(s: State): number[][][] {
    const poses = this.poses(s);
    return this.robot.links.map((link, i) => {
      const parentPose = link.parent < 0 ? [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0] : poses[link.parent]!;
      const columns = this.run(i, 'jacobian', { ...this.coordinates(i, s), parentPose })['jacobianColumns']!;
      return link.type.coordinates.map((_, a) => columns.slice(6 * a, 6 * a + 6));
    });
  }

  /** Kinetic and potential energy. */
  energies(s: State, gravity: readonly number[]): [number, number] {
    const travels: number[][] = [];
    let [kinetic, potential] = [0, 0];
    this.robot.links.forEach((link, i) => {
      const parentVelocityAndPotential = link.parent < 0 ? [0, 0, 0, 0, 0, 0, ...gravity, 0] : travels[link.parent]!;
      const out = this.run(i, 'energy', { ...this.coordinates(i, s), parentVelocityAndPotential });
      travels[i] = out['ownVelocityAndPotential']!;
      kinetic += out['energy']![0]!;
      potential += out['energy']![1]!;
    });
    return [kinetic, potential];
  }
}

/** Runs loops row by row; their results are added to the bindings. */
class LoopRunner {
  private readonly type: Pick<LinkType, 'bodyWrenchSize'>;
  private readonly bindings: Map<Expr, number>;
  private readonly given: readonly number[] | undefined;
  private readonly arrays = new Map<RowArray, number[][]>();
  /** What a loop wrote to the buffer, column by column. */
  bodyWrench: number[] | undefined;

  constructor(
    type: Pick<LinkType, 'bodyWrenchSize'>,
    bindings: Map<Expr, number>,
    bodyWrench: readonly number[] | undefined,
  ) {
    this.type = type;
    this.bindings = bindings;
    this.given = bodyWrench;
  }

  private column(array: RowArray, column: number, row: number): number {
    if (array.buffer === undefined) return this.arrays.get(array)![column]![row]!;
    const start = this.type.bodyWrenchSize - array.rows * array.columns.length;
    return this.given![start + column * array.rows + row]!;
  }

  run(loop: Loop): void {
    const row = new Map(this.bindings);
    const carried = evaluate(
      loop.carried.map((c) => c.initial),
      this.bindings,
    );
    const sums = loop.sums.map(() => 0);
    const written = loop.writes.map(({ values }) => values.map(() => new Array<number>(loop.table.rows).fill(0)));
    for (let step = 0; step < loop.table.rows; step++) {
      const k = loop.reversed ? loop.table.rows - 1 - step : step;
      for (const { symbol, values } of loop.table.columns) row.set(symbol, values[k]!);
      for (const array of loop.reads) array.columns.forEach((symbol, c) => row.set(symbol, this.column(array, c, k)));
      loop.carried.forEach((c, i) => row.set(c.symbol, carried[i]!));
      for (const call of loop.networks) bindResults(call, row);
      evaluate(
        loop.sums.map((sum) => sum.term),
        row,
      ).forEach((term, i) => (sums[i] = sums[i]! + term));
      loop.writes.forEach(({ values }, i) => evaluate(values, row).forEach((value, c) => (written[i]![c]![k] = value)));
      evaluate(
        loop.carried.map((c) => c.next),
        row,
      ).forEach((value, i) => (carried[i] = value));
    }
    loop.sums.forEach((sum, i) => this.bindings.set(sum.symbol, sums[i]!));
    loop.carried.forEach((c, i) => this.bindings.set(c.final, carried[i]!));
    loop.writes.forEach(({ array, integrated }, i) => {
      if (integrated) for (const column of written[i]!) integrateRows(column, loop.table, integrated);
      if (array.buffer === undefined) this.arrays.set(array, written[i]!);
      else this.bodyWrench = written[i]!.flat();
    });
  }
}

/** Values over results of loops, learned maps included. */
export function evaluateLooped(
  values: readonly Expr[],
  loops: readonly Loop[],
  bindings: ReadonlyMap<Expr, number>,
): number[] {
  const all = new Map(bindings);
  const runner = new LoopRunner({ bodyWrenchSize: 0 }, all, undefined);
  for (const loop of loopsNeeded(loops, values, [])) runner.run(loop);
  return evaluate(values, all);
}

/** Values for the results of a learned map in a row. */
function bindResults(call: NetworkCall, row: Map<Expr, number>): void {
  const values = evaluateCall(call, evaluate(networkOperands(call), row));
  networkResults(call).forEach((result, i) => row.set(result, values[i]!));
}
