/**
 * Chains of one link type run at many states at once, kernel by kernel as drivers do it, with loops evaluated in
 * double precision: for tests of rods, whose loops are too long for the plain interpreter.
 */
import { LoopProgram, type Samples } from '../../src/kane/loops/evaluate-loops.ts';
import { LinkKernelBuilder } from '../../src/kane/link/link-builder.ts';
import { inputSymbols } from '../../src/kane/link/link-parts.ts';
import type { ForceTerm } from '../../src/kane/body/force-terms.ts';
import type { BodyPart } from '../../src/kane/body/body-part.ts';
import type { InputBuffer, Kernel, KernelName, LinkType } from '../../src/kane/kernels/link-type.ts';
import type { CoordinateSymbols } from '../../src/kane/equations/recursion.ts';
import { symbol, type Expr } from '../../src/symbolic/graph/expr.ts';
import type { BodyType } from '../../src/description/model/robot.ts';

export interface ChainState {
  readonly q: readonly number[];
  readonly qd: readonly number[];
  readonly qdd: readonly number[];
}

export function coordinateSymbols(type: BodyType): CoordinateSymbols {
  const q = type.coordinates.map((c) => c.symbol);
  return {
    q,
    qd: q.map((s) => symbol(`rate.${s.name}`)),
    qdd: q.map((s) => symbol(`acceleration.${s.name}`)),
    ...(type.time && { time: type.time }),
  };
}

/** A link without joint around a body. */
export function linkTypeOf(type: BodyType, body: BodyPart, terms: readonly ForceTerm[] = []): LinkType {
  const symbols = coordinateSymbols(type);
  const coordinates = type.coordinates.map((c, i) => ({
    name: c.name,
    symbol: c.symbol,
    rate: symbols.qd[i] as LinkType['coordinates'][number]['rate'],
    acceleration: symbols.qdd[i] as LinkType['coordinates'][number]['acceleration'],
    unit: c.unit,
    summary: '',
  }));
  const parameters = type.parameters.map((p) => ({ name: p.name, symbol: p.symbol, unit: p.unit, summary: '' }));
  const bodyCoordinates = coordinates.map((_, i) => i);
  const forces = terms.map((term) => ({ term, coordinates: bodyCoordinates }));
  const parts = { jointSteps: [], body, coordinates, bodyCoordinates, forces, actuations: [], drives: [] };
  const symbolsOf = inputSymbols(
    parts,
    parameters.map((p) => p.symbol),
  );
  const { kernels, loops, hints, inputs } = new LinkKernelBuilder(parts, symbolsOf).build();
  const { bodyWrenchSize, method } = body;
  return {
    name: type.name,
    summary: '',
    parameters,
    coordinates,
    bodyWrenchSize,
    inputs,
    kernels,
    loops,
    hints,
    method,
    actuationMethods: [],
  };
}

type Buffers = Partial<Record<InputBuffer, readonly Samples[]>>;
type Outputs = Record<string, Samples[]>;

/** Per state: a vector of numbers. */
export type PerState = number[][];

export class SampledChain {
  private readonly type: LinkType;
  private readonly parameters: readonly ReadonlyMap<string, number>[];
  private readonly states: readonly ChainState[];
  private readonly count: number;
  private readonly time: readonly [Expr, readonly number[]] | undefined;
  private programs = new Map<string, LoopProgram>();

  /** @param parameters of every link, base to tip. */
  constructor(
    type: LinkType,
    parameters: readonly ReadonlyMap<string, number>[],
    states: readonly ChainState[],
    time?: readonly [Expr, readonly number[]],
  ) {
    this.type = type;
    this.parameters = parameters;
    this.states = states;
    this.count = type.coordinates.length;
    this.time = time;
  }

  /** The same chain at other states. */
  at(states: readonly ChainState[]): SampledChain {
    const chain = new SampledChain(this.type, this.parameters, states, this.time);
    chain.programs = this.programs;
    return chain;
  }

  private same(values: readonly number[]): Samples[] {
    return values.map((value) => new Float64Array(this.states.length).fill(value));
  }

  private coordinates(link: number): Buffers {
    const pick = (list: 'q' | 'qd' | 'qdd'): Samples[] =>
      Array.from({ length: this.count }, (_, a) =>
        Float64Array.from(this.states, (s) => s[list][link * this.count + a]!),
      );
    return { q: pick('q'), qd: pick('qd'), qdd: pick('qdd') };
  }

  kernel(name: KernelName): Kernel {
    return this.type.kernels.find((k) => k.name === name)!;
  }

  /** Runs a kernel of a link; `before` runs first for what it leaves in the buffer of body wrenches. */
  run(link: number, name: KernelName, buffers: Buffers, before?: KernelName): Outputs {
    const kernel = this.kernel(name);
    const key = `${name} after ${before}`;
    let program = this.programs.get(key);
    if (!program) {
      const values = [kernel, ...(before ? [this.kernel(before)] : [])].flatMap((k) =>
        k.outputs.flatMap((o) => [...o.values]),
      );
      const loops = before ? (this.kernel(before).loops ?? []) : [];
      program = new LoopProgram(this.type.loops, values, loops);
      this.programs.set(key, program);
    }
    const bindings = new Map<Expr, Samples>();
    const all: Buffers = { ...this.coordinates(link), ...buffers };
    for (const [buffer, values] of Object.entries(all) as [InputBuffer, readonly Samples[]][])
      this.type.inputs[buffer].forEach((s, i) => bindings.set(s, values[i]!));
    for (const p of this.type.parameters)
      bindings.set(p.symbol, this.same([this.parameters[link]!.get(p.name) ?? 0])[0]!);
    if (this.time) bindings.set(this.time[0], Float64Array.from(this.time[1]));
    const results = program.run(bindings, this.states.length);
    const outputs: Outputs = {};
    for (const { buffer, values } of kernel.outputs) outputs[buffer] = results.splice(0, values.length);
    return outputs;
  }

  private perState(columns: readonly Samples[]): PerState {
    return this.states.map((_, k) => columns.map((column) => column[k]!));
  }

  private get links(): number {
    return this.parameters.length;
  }

  /**
   * @param by the kernel that accelerates: `forward` in one go, `acceleration` after `velocity`, `gravity` at rest.
   * @param turning angular velocity of the base, rad/s.
   */
  inverseDynamics(
    gravity: readonly number[],
    by: 'forward' | 'acceleration' | 'gravity' = 'forward',
    turning: readonly number[] = [0, 0, 0],
  ): PerState {
    const inputs: Buffers[] = [];
    let parentVelocity = this.same(turning);
    let parentAcceleration = this.same([0, 0, 0, ...gravity.map((g) => -g)]);
    for (let i = 0; i < this.links; i++) {
      const buffers = { parentVelocity, parentAcceleration, parentGravity: parentAcceleration.slice(3) };
      inputs.push(buffers);
      const out = this.run(i, by, buffers);
      if (by === 'gravity') parentAcceleration = [...this.same([0, 0, 0]), ...out['ownGravity']!];
      else {
        parentAcceleration = out['ownAcceleration']!;
        parentVelocity = out['ownVelocity'] ?? this.run(i, 'velocity', buffers)['ownVelocity']!;
      }
    }
    const tau: Samples[][] = [];
    let distalWrench = this.same([0, 0, 0, 0, 0, 0]);
    for (let i = this.links - 1; i >= 0; i--) {
      const out = this.backward(i, { ...inputs[i], distalWrench }, by);
      tau[i] = out['generalizedForce']!;
      distalWrench = out['parentWrench']!;
    }
    return this.perState(tau.flat());
  }

  /** Bodies whose wrench is not written by loops hand it over as values. */
  private backward(link: number, buffers: Buffers, by: KernelName): Outputs {
    const kernel = this.kernel(by);
    if (kernel.loops?.length) return this.run(link, 'backward', buffers, by);
    const bodyWrench = this.run(link, by, buffers)['bodyWrench']!;
    return this.run(link, 'backward', { ...buffers, bodyWrench });
  }

  /** Row by row, per state. */
  massMatrix(): PerState {
    const n = this.count * this.links;
    const M = this.states.map(() => new Array<number>(n * n).fill(0));
    let distalComposite = this.same(new Array<number>(10).fill(0));
    for (let i = this.links - 1; i >= 0; i--) {
      const out = this.run(i, 'composite', { distalComposite });
      distalComposite = out['parentComposite']!;
      for (let a = 0; a < this.count; a++) {
        const row = i * this.count + a;
        const set = (column: number, values: Samples): void =>
          values.forEach((value, k) => (M[k]![row * n + column] = M[k]![column * n + row] = value));
        for (let b = 0; b < this.count; b++) set(i * this.count + b, out['massBlock']![a * this.count + b]!);
        let distalWrench = out['unitWrenches']!.slice(6 * a, 6 * a + 6);
        for (let j = i - 1; j >= 0; j--) {
          const up = this.run(j, 'propagate', { distalWrench });
          up['generalizedForce']!.forEach((values, b) => set(j * this.count + b, values));
          distalWrench = up['parentWrench']!;
        }
      }
    }
    return M;
  }

  /** Pose of the last distal frame: rotation, row-major, and origin. */
  tip(): PerState {
    let parentPose = this.same([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
    for (let i = 0; i < this.links; i++) parentPose = this.run(i, 'pose', { parentPose })['ownPose']!;
    return this.perState(parentPose);
  }

  /** Jacobian columns of the only link, 6 per coordinate. */
  jacobian(): PerState {
    const parentPose = this.same([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
    return this.perState(this.run(0, 'jacobian', { parentPose })['jacobianColumns']!);
  }

  /** Kinetic and potential energy. */
  energies(gravity: readonly number[]): PerState {
    let parentVelocityAndPotential = this.same([0, 0, 0, 0, 0, 0, ...gravity, 0]);
    const totals = this.same([0, 0]);
    for (let i = 0; i < this.links; i++) {
      const out = this.run(i, 'energy', { parentVelocityAndPotential });
      parentVelocityAndPotential = out['ownVelocityAndPotential']!;
      totals.forEach((total, e) => out['energy']![e]!.forEach((value, k) => (total[k]! += value)));
    }
    return this.perState(totals);
  }

  /** Elastic or damping forces of the only link. */
  passive(name: 'elastic' | 'damping'): PerState {
    return this.perState(this.run(0, name, {})['generalizedForce']!);
  }
}
