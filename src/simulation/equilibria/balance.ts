/** Forces at rest that are out of balance at a share of the loads, their tangent, and systems of equations where some motions cost nothing. */
import { Matrix, SingularValueDecomposition } from 'ml-matrix';
import type { LoadedRobot } from '../../codegen/typescript/load.ts';
import type { Robot } from '../../description/model/robot.ts';
import { KG_OK, type Status } from '../../runtime/driver.ts';
import { tangentStiffness } from './derivatives.ts';
import { NoEquilibrium } from './equilibrium.ts';
import type { StaticLoads } from './static-loads.ts';

/** Generalized forces of a share of the loads at the staged state. */
export function actingForces(
  dynamics: LoadedRobot,
  size: number,
  loads: StaticLoads,
  factor: number,
  demand: (status: Status) => void,
): Float64Array {
  const acting = Float64Array.from({ length: size }, (_, i) => factor * (loads.forces?.[i] ?? 0));
  const scaled = (values: readonly number[]): number[] => values.map((value) => factor * value);
  if (loads.inputs?.some((u) => u !== 0)) demand(dynamics.actuate(scaled(loads.inputs), acting));
  for (const { frame, wrench, follows = false } of loads.wrenches ?? [])
    demand(dynamics[follows ? 'externalInFrame' : 'external'](frame, scaled(wrench), acting));
  return acting;
}

/** Generalized forces that are out of balance at a share of the loads. */
export class Balance {
  readonly size: number;
  private readonly dynamics: LoadedRobot;
  private readonly loads: StaticLoads;
  private readonly gravity: readonly number[];
  private readonly names: readonly string[];
  /** Indices of the coordinates that nothing holds. */
  readonly free: readonly number[];
  /** Of the last evaluation: the largest force that takes part. */
  scale = 0;

  constructor(robot: Robot, dynamics: LoadedRobot, loads: StaticLoads) {
    this.size = robot.coordinates.length;
    this.names = robot.coordinates.map(({ name }) => name);
    this.dynamics = dynamics;
    this.loads = loads;
    this.gravity = [...dynamics.parameters.gravity];
    this.free = this.names.map((_, i) => i).filter((i) => !loads.held?.includes(i));
  }

  restore(): void {
    this.dynamics.parameters.gravity.set(this.gravity);
  }

  /** Why the path of equilibria ends at a point: the motion that nothing resists and something drives, if there is one. */
  unbalanced(point: readonly number[]): string {
    const [q, factor] = [point.slice(0, this.size), point[this.size]!];
    const r = this.at(q, factor + 1e-3);
    const { values, V, least } = decomposed(this.tangent(q, factor));
    const driven = values.map((value, k) =>
      value > least ? 0 : Math.abs(r.reduce((sum, x, i) => sum + x * V.get(i, k), 0)),
    );
    const free = driven.indexOf(Math.max(...driven));
    if (!(driven[free]! > 1e-9 * this.scale)) return 'the path of equilibria cannot be followed further';
    const shares = r.map((_, i) => Math.abs(V.get(i, free)));
    return `nothing balances the forces on ${this.names[shares.indexOf(Math.max(...shares))]!}`;
  }

  /**
   * What holds a coordinate balances it.
   * @throws NoEquilibrium where the dynamics have no finite result.
   */
  at(q: readonly number[], factor: number): number[] {
    const left = this.withoutHolds(q, factor);
    return left.map((x, i) => (this.free.includes(i) ? x : 0));
  }

  /** The same, undefined where the dynamics have no finite result: a step led too far. */
  tried(q: readonly number[], factor: number): number[] | undefined {
    try {
      return this.at(q, factor);
    } catch (error) {
      if (error instanceof NoEquilibrium) return undefined;
      throw error;
    }
  }

  /** The same as if nothing were held. */
  withoutHolds(q: readonly number[], factor: number): number[] {
    const { dynamics, loads, size } = this;
    const demand = (status: Status): void => {
      if (status !== KG_OK) throw new NoEquilibrium(factor, 'the dynamics have no finite result there');
    };
    dynamics.parameters.gravity.set(this.gravity.map((g) => g * factor));
    demand(dynamics.update(q, new Float64Array(size)));
    // A current past a robot at rest has forces by added mass, which stand in c.
    const [c, g] = [new Float64Array(size), new Float64Array(size)];
    const [elastic, fluid] = [new Float64Array(size), new Float64Array(size)];
    demand(dynamics.terms(c, g, elastic, null));
    demand(dynamics.fluid(fluid));
    const acting = actingForces(dynamics, size, loads, factor, demand);
    const taking = [c, g, elastic, fluid, acting].flatMap((part) => this.free.map((i) => Math.abs(part[i]!)));
    this.scale = Math.max(...taking, Number.MIN_VALUE);
    return Array.from({ length: size }, (_, i) => c[i]! + g[i]! + elastic[i]! + fluid[i]! - acting[i]!);
  }

  /**
   * A step of time from rest under all loads, springs and loops at its end; undefined where it has no finite result, or moves more than
   * `most`.
   */
  stepFromRest(q: readonly number[], h: number, most: number): number[] | undefined {
    const { dynamics, loads, size, free } = this;
    const [next, rates] = [new Float64Array(size), new Float64Array(size)];
    let isFound = dynamics.update(q, new Float64Array(size)) === KG_OK;
    const demand = (status: Status): void => {
      isFound &&= status === KG_OK;
    };
    const acting = actingForces(dynamics, size, loads, 1, demand);
    demand(dynamics.implicitStep(h, acting, next, rates));
    const found = q.map((x, i) => (free.includes(i) ? next[i]! : x));
    return isFound && found.every((x, i) => Math.abs(x - q[i]!) <= most) ? found : undefined;
  }

  /** ∂/∂q; rows and columns of what is held are zero, so that it stays where it is. */
  tangent(q: readonly number[], factor: number): Matrix {
    const { inputs = [], wrenches = [] } = this.loads;
    const scaled = (values: readonly number[]): number[] => values.map((value) => factor * value);
    const loads = {
      inputs: scaled(inputs),
      wrenches: wrenches.map((own) => ({ ...own, wrench: scaled(own.wrench) })),
    };
    const demand = (status: Status): void => {
      if (status !== KG_OK) throw new NoEquilibrium(factor, 'the dynamics have no finite derivatives there');
    };
    const tangent = tangentStiffness(this.dynamics, q, loads, (x) => this.withoutHolds(x, factor), demand);
    for (const i of this.loads.held ?? [])
      for (let j = 0; j < this.size; j++) {
        tangent.set(i, j, 0);
        tangent.set(j, i, 0);
      }
    return tangent;
  }
}

export const largest = (values: readonly number[]): number => Math.max(...values.map(Math.abs));
export const isFinite = (values: readonly number[]): boolean => values.every(Number.isFinite);

/** Singular values below, relative to the largest of the scaled matrix, are those of motions that cost nothing. */
export const INDIFFERENT = 1e-9;

/** U S Vᵀ of a matrix in units in which all coordinates are alike; what is below `least` costs nothing. */
function decomposed(matrix: Matrix): { U: Matrix; V: Matrix; values: number[]; units: number[]; least: number } {
  const units = matrix.to2DArray().map((row) => 1 / Math.sqrt(largest(row) || 1));
  const scaled = new Matrix(matrix.to2DArray().map((row, i) => row.map((x, j) => x * units[i]! * units[j]!)));
  const svd = new SingularValueDecomposition(scaled);
  const values = svd.diagonal;
  const least = INDIFFERENT * (values[0] ?? 0);
  return { U: svd.leftSingularVectors, V: svd.rightSingularVectors, values, units, least };
}

/** The shortest solution: along motions that no force resists, such as that of a joint about the vertical, nothing moves. */
export function solve(matrix: Matrix, right: readonly number[]): number[] | undefined {
  if (!isFinite(matrix.to1DArray())) return undefined;
  const { U, V, values, units, least } = decomposed(matrix);
  const x = right.map(() => 0);
  values.forEach((value, k) => {
    if (!(value > least)) return;
    let share = 0;
    right.forEach((r, i) => (share += U.get(i, k) * r * units[i]!));
    x.forEach((_, i) => (x[i] = x[i]! + ((V.get(i, k) * share) / value) * units[i]!));
  });
  // What no force depends on, such as a coordinate that is held, has no part in it: not that of rounding either.
  return isFinite(x) ? x.map((own, i) => (matrix.getColumn(i).every((k) => k === 0) ? 0 : own)) : undefined;
}
