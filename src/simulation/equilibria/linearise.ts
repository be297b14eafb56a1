/**
 * A robot close to a state: q̈ = f(q, q̇, u) to first order, with the modes of the motion about it.
 */
import { EigenvalueDecomposition, Matrix } from 'ml-matrix';
import type { LoadedRobot } from '../../codegen/typescript/load.ts';
import type { Robot } from '../../description/model/robot.ts';
import { KG_OK, type Status } from '../../runtime/driver.ts';
import { accelerationDerivatives } from './derivatives.ts';
import { actingForces, type StaticLoads } from './statics.ts';

export interface Mode {
  /** Of the eigenvalue λ, in 1/s; of a pair the one with positive imaginary part. */
  readonly real: number;
  readonly imaginary: number;
  /** |λ|/2π in Hz, and −Re λ/|λ|: 1 and above does not swing. */
  readonly frequency: number;
  readonly damping: number;
  /** Amplitude of every coordinate, the largest one 1. */
  readonly shape: readonly number[];
}

export interface Linearisation {
  /** d/dt (q, q̇) = A (q, q̇) + B u of small differences; rows. */
  readonly A: readonly (readonly number[])[];
  readonly B: readonly (readonly number[])[];
  /** q̈ at the state itself: zero at an equilibrium. */
  readonly drift: readonly number[];
  /** From slow to fast. */
  readonly modes: readonly Mode[];
}

export interface StateOfMotion {
  readonly q: readonly number[];
  readonly qd: readonly number[];
}

/** @throws Error where the dynamics have no finite result. */
export function linearise(
  robot: Robot,
  dynamics: LoadedRobot,
  { q, qd }: StateOfMotion,
  loads: StaticLoads = {},
): Linearisation {
  const n = robot.coordinates.length;
  const demand = (status: Status): void => {
    if (status !== KG_OK) throw new Error('the dynamics have no finite result near this state');
  };
  const acceleration = (y: readonly number[], inputs = loads.inputs): number[] => {
    demand(dynamics.update(y.slice(0, n), y.slice(n)));
    const qdd = new Float64Array(n);
    demand(
      dynamics.forwardDynamics(actingForces(dynamics, n, { ...loads, ...(inputs && { inputs }) }, 1, demand), qdd),
    );
    return [...qdd];
  };
  const state = [...q, ...qd];
  const { byCoordinates, byRates } = accelerationDerivatives(dynamics, q, qd, loads, (x, rates) =>
    acceleration([...x, ...rates]),
  );
  const drift = acceleration(state);
  const given = robot.actuators.map((_, j) => loads.inputs?.[j] ?? 0);
  // Accelerations are linear in inputs.
  const byInput = given.map((_, j) =>
    acceleration(
      state,
      given.map((u, k) => (k === j ? u + 1 : u)),
    ),
  );
  const zeros = (count: number): number[] => Array.from({ length: count }, () => 0);
  const A = [
    ...zeros(n).map((_, i) => [...zeros(n), ...zeros(n).map((__, j) => (i === j ? 1 : 0))]),
    ...zeros(n).map((_, i) => [...byCoordinates.getRow(i), ...byRates.getRow(i)]),
  ];
  const B = [
    ...zeros(n).map(() => zeros(given.length)),
    ...zeros(n).map((_, i) => byInput.map((column) => column[i]! - drift[i]!)),
  ];
  return { A, B, drift, modes: modesOf(new Matrix(A), n) };
}

function modesOf(A: Matrix, n: number): Mode[] {
  const { realEigenvalues, imaginaryEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(A);
  const modes: Mode[] = [];
  realEigenvalues.forEach((real, k) => {
    const imaginary = imaginaryEigenvalues[k]!;
    if (imaginary < 0) return;
    // Columns k and k + 1 are real and imaginary part of the vector of a pair.
    const amplitudes = Array.from({ length: n }, (_, i) =>
      Math.hypot(eigenvectorMatrix.get(i, k), imaginary > 0 ? eigenvectorMatrix.get(i, k + 1) : 0),
    );
    const largest = Math.max(...amplitudes);
    const size = Math.hypot(real, imaginary);
    modes.push({
      real,
      imaginary,
      frequency: size / (2 * Math.PI),
      damping: size === 0 ? 0 : -real / size,
      shape: amplitudes.map((x) => (largest === 0 ? 0 : x / largest)),
    });
  });
  return modes.sort((a, b) => a.frequency - b.frequency);
}
