/**
 * Runs the kernels of a compiled robot along the chain by evaluating their expressions directly: the referee between the
 * Kane compiler and generated code. Slow and plain; sequences kernels exactly as the generic drivers do.
 */
import { evaluate, foldConstants } from '../../src/symbolic/evaluate.ts';
import type { Expr } from '../../src/symbolic/expr.ts';
import type { CompiledRobot, InputBuffer, KernelName, LinkInstance, OutputBuffer } from '../../src/kane/link-type.ts';

export interface State {
  readonly q: readonly number[];
  readonly qd: readonly number[];
  readonly qdd: readonly number[];
}

type Buffers = Partial<Record<InputBuffer, readonly number[]>>;

export class KernelInterpreter {
  private readonly robot: CompiledRobot;
  private readonly parameters: number[][];
  private readonly offsets: number[] = [];
  readonly size: number;

  constructor(robot: CompiledRobot) {
    this.robot = robot;
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
    for (const [buffer, values] of Object.entries(buffers)) bind(buffer as InputBuffer, values);
    const kernel = type.kernels.find((k) => k.name === name)!;
    const result: Partial<Record<OutputBuffer, number[]>> = {};
    for (const output of kernel.outputs) result[output.buffer] = evaluate(output.values, bindings);
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

  /** Kinetic and potential energy. */
  energies(s: State, gravity: readonly number[]): [number, number] {
    const travels: number[][] = [];
    let [kinetic, potential] = [0, 0];
    this.robot.links.forEach((link, i) => {
      const parentTravel = link.parent < 0 ? [0, 0, 0, 0, 0, 0, ...gravity, 0] : travels[link.parent]!;
      const out = this.run(i, 'energy', { ...this.coordinates(i, s), parentTravel });
      travels[i] = out['ownTravel']!;
      kinetic += out['energy']![0]!;
      potential += out['energy']![1]!;
    });
    return [kinetic, potential];
  }
}
