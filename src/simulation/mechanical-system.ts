/**
 * A robot with what drives it as a system of first order, computed by its generated code. The state is q, q̇, the work
 * that inputs, forces and loads put in, and what is dissipated, in J.
 */
import { CholeskyDecomposition, Matrix } from 'ml-matrix';
import { dependsOnTime, forcesOf, TIME, type Robot } from '../description/model/robot.ts';
import type { LoadedRobot } from '../codegen/typescript/load.ts';
import { KG_OK, type Status } from '../runtime/driver.ts';
import { IntegrationFailure, type FirstOrderSystem, type StiffPart } from './integrators/integrator.ts';
import type { Load, Scenario } from './scenario.ts';
import type { Signal } from './signal.ts';

/** s */
const RATE_STEP = 1e-7;

/** Places in the sums of the state, after q and q̇. */
export const SUMS = { work: 0, dissipated: 1 } as const;

/** Energies of a state in J, positions of frames in m, world axes. */
export interface Observation {
  readonly kinetic: number;
  readonly potential: number;
  readonly elastic: number;
  readonly frames: readonly (readonly number[])[];
}

const REASONS: Readonly<Record<Exclude<Status, 0>, string>> = {
  1: 'a coordinate, a rate, an input or a parameter is not a finite number',
  2: 'a parameter lies outside of its range',
  3: 'the dynamics have no finite result',
  4: 'there is no such frame',
  5: 'no state is staged',
  6: 'the mass matrix is not positive definite',
};

type Excitation = Pick<Scenario, 'robot' | 'inputs' | 'forces' | 'loads'>;

export class MechanicalSystem implements FirstOrderSystem {
  readonly coordinates: number;
  readonly sums = 2;
  private readonly robot: Robot;
  private readonly dynamics: LoadedRobot;
  private readonly inputs: readonly (Signal | undefined)[];
  private readonly forces: readonly (Signal | undefined)[];
  private readonly loads: readonly Load[];
  private readonly has: ReturnType<typeof forcesOf>;
  private readonly u: Float64Array;
  private readonly driving: Float64Array;
  private readonly qdd: Float64Array;
  private readonly damping: Float64Array;
  private readonly wrench = new Float64Array(6);

  /** @param dynamics belongs to this system: nobody else stages states in it. */
  constructor({ robot, inputs, forces, loads }: Excitation, dynamics: LoadedRobot) {
    const n = robot.coordinates.length;
    this.coordinates = n;
    this.robot = robot;
    this.dynamics = dynamics;
    this.inputs = inputs;
    this.forces = forces;
    this.loads = loads;
    this.has = forcesOf(robot);
    this.u = new Float64Array(inputs.length);
    this.driving = new Float64Array(n);
    this.qdd = new Float64Array(n);
    this.damping = new Float64Array(n);
  }

  derivative(t: number, y: Float64Array, out: Float64Array): void {
    const { coordinates: n, dynamics, driving, qdd, damping } = this;
    this.stage(t, y);
    this.drive(t);
    this.demand(t, dynamics.forwardDynamics(driving, qdd));
    if (this.has.damping) this.demand(t, dynamics.terms(null, null, null, damping));
    let [work, dissipated] = [0, 0];
    for (let i = 0; i < n; i++) {
      const rate = y[n + i]!;
      out[i] = rate;
      out[n + i] = qdd[i]!;
      work += driving[i]! * rate;
      dissipated += damping[i]! * rate;
    }
    out[2 * n + SUMS.work] = work;
    out[2 * n + SUMS.dissipated] = dissipated;
  }

  /** Generalized forces of everything that drives the robot at the staged state. */
  private drive(t: number): void {
    const { dynamics, driving, u, wrench } = this;
    this.forces.forEach((signal, i) => (driving[i] = signal ? signal(t) : 0));
    if (this.inputs.some((signal) => signal)) {
      this.inputs.forEach((signal, i) => (u[i] = signal ? signal(t) : 0));
      this.demand(t, dynamics.actuate(u, driving));
    }
    for (const { frame, force, moment, follows } of this.loads) {
      for (let i = 0; i < 3; i++) {
        wrench[i] = moment[i]!(t);
        wrench[3 + i] = force[i]!(t);
      }
      this.demand(t, dynamics[follows ? 'externalInFrame' : 'external'](frame, wrench, driving));
    }
  }

  private stage(t: number, y: Float64Array): void {
    const { coordinates: n, dynamics } = this;
    if (dependsOnTime(this.robot)) dynamics.parameters[TIME.name] = t;
    this.demand(t, dynamics.update(y.subarray(0, n), y.subarray(n, 2 * n)));
  }

  private demand(t: number, status: Status): void {
    if (status !== KG_OK) throw new IntegrationFailure(t, REASONS[status]);
  }

  linearise(t: number, y: Float64Array): StiffPart {
    const { coordinates: n, dynamics } = this;
    this.stage(t, y);
    const matrix = (wanted: boolean, fill: (out: Float64Array) => Status): Matrix => {
      const entries = new Float64Array(n * n);
      if (wanted) this.demand(t, fill(entries));
      return Matrix.from1DArray(n, n, entries);
    };
    const M = matrix(true, (out) => dynamics.massMatrix(out));
    const K = matrix(this.has.elastic, (out) => dynamics.stiffness(out));
    const D = matrix(this.has.damping, (out) => dynamics.dissipation(out));
    let factor: CholeskyDecomposition;
    const add = (of: Matrix, by: number, x: Float64Array, out: Float64Array): void => {
      for (let i = 0; i < n; i++) {
        let sum = 0;
        for (let j = 0; j < n; j++) sum += of.get(i, j) * x[j]!;
        out[i] = out[i]! + by * sum;
      }
    };
    const combined = (g: number, withStiffness: boolean): CholeskyDecomposition => {
      const sum = Matrix.add(M, Matrix.mul(D, g));
      if (withStiffness) sum.add(Matrix.mul(K, g * g));
      return new CholeskyDecomposition(Matrix.add(sum, sum.transpose()).mul(0.5));
    };
    // Forces change smoothly, or jump in their rate: a difference over a short time is exact enough for either.
    this.drive(t);
    const before = this.driving.slice();
    this.drive(t + RATE_STEP);
    const rate = this.driving.map((force, i) => (force - before[i]!) / RATE_STEP);
    return {
      forceRate: (out) => out.set(rate),
      inertia: (a, out) => {
        out.fill(0);
        add(M, 1, a, out);
      },
      addStiffness: (by, x, out) => add(K, by, x, out),
      addDamping: (by, x, out) => add(D, by, x, out),
      factorise: (g) => {
        // A stiffness that is not convex is left to the explicit part of the step: the order does not depend on it.
        factor = combined(g, true);
        if (!factor.isPositiveDefinite()) factor = combined(g, false);
        if (!factor.isPositiveDefinite()) this.demand(t, 6);
      },
      solve: (r) => r.set(factor.solve(Matrix.columnVector(r)).getColumn(0)),
    };
  }

  /** @param y see the class. */
  observe(t: number, y: Float64Array, frames: readonly number[]): Observation {
    this.stage(t, y);
    const energy = new Float64Array(3);
    this.demand(t, this.dynamics.energies(energy));
    const positions = frames.map((frame) => {
      const position = new Float64Array(3);
      this.demand(t, this.dynamics.frame(frame, null, position, null));
      return [...position];
    });
    return { kinetic: energy[0]!, potential: energy[1]!, elastic: energy[2]!, frames: positions };
  }
}
