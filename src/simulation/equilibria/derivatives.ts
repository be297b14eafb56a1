/**
 * Derivatives of the dynamics by the coordinates and their rates: exact ones of robots that are compiled with them, and differences
 * of fourth order, good to ten digits, of those of callers who compiled without.
 */
import { Matrix } from 'ml-matrix';
import type { LoadedRobot } from '../../codegen/typescript/load.ts';
import { KG_OK, type Derivatives, type LoopDerivatives, type Status } from '../../runtime/driver.ts';
import { KanegenError } from '../../common/error.ts';
import type { StaticLoads } from './static-loads.ts';

/** A state about which a robot has no linear motion. */
export class UndefinedMotion extends KanegenError {
  constructor(message: string) {
    super('undefined-motion', message, {
      remedy: 'choose another state, at which every coordinate moves some mass',
    });
  }
}

/** What acts on a robot, as far as it depends on the configuration. */
export type Loads = Pick<StaticLoads, 'inputs' | 'wrenches'>;

/** Directions along every coordinate alone, one column each. */
function units(n: number): Float64Array {
  const all = new Float64Array(n * n);
  for (let i = 0; i < n; i++) all[i * n + i] = 1;
  return all;
}

function exact(dynamics: LoadedRobot): (LoadedRobot & Derivatives) | undefined {
  // Code for observers has some of them.
  const has = dynamics.inverseDynamicsTangent && dynamics.forwardDynamicsTangent && dynamics.externalTangent;
  return has ? (dynamics as LoadedRobot & Derivatives) : undefined;
}

/** Entries of columns that stand one after the other. */
const fromColumns = (n: number, columns: Float64Array): Matrix => Matrix.from1DArray(n, n, columns).transpose();

/** ∂f/∂x of f(x) by central differences. */
function differences(x: readonly number[], f: (x: readonly number[]) => ArrayLike<number>): Matrix {
  const columns = x.map((value, a) => {
    const step = 1e-4 * Math.max(1e-2, Math.abs(value));
    const [m2, m1, p1, p2] = [-2, -1, 1, 2].map((k) => f(x.with(a, value + k * step))) as [
      ArrayLike<number>,
      ArrayLike<number>,
      ArrayLike<number>,
      ArrayLike<number>,
    ];
    return x.map((_, i) => (m2[i]! - 8 * m1[i]! + 8 * p1[i]! - p2[i]!) / (12 * step));
  });
  return new Matrix(columns).transpose();
}

/** The changes of B u + Σ Jᵀ w along every coordinate, column by column, at the staged state. */
function loadChanges(dynamics: Derivatives, n: number, loads: Loads, demand: (status: Status) => void): Float64Array {
  const changes = new Float64Array(n * n);
  const { inputs = [], wrenches = [] } = loads;
  if (inputs.some((u) => u !== 0)) demand(dynamics.actuateTangent(n, inputs, units(n), changes));
  for (const { frame, wrench, follows = false } of wrenches)
    demand(dynamics[follows ? 'externalInFrameTangent' : 'externalTangent'](n, frame, wrench, units(n), changes));
  return changes;
}

/** The changes of B u along every rate, in the same way: of tendons with friction. */
function rateChanges(
  dynamics: Derivatives,
  n: number,
  { inputs = [] }: Loads,
  demand: (status: Status) => void,
): Float64Array {
  const changes = new Float64Array(n * n);
  if (dynamics.actuateRateTangent && inputs.some((u) => u !== 0))
    demand(dynamics.actuateRateTangent(n, inputs, units(n), changes));
  return changes;
}

/**
 * ∂/∂q of g + elastic − loads of a robot at rest.
 * @param forces the same forces, which stages the state.
 */
export function tangentStiffness(
  dynamics: LoadedRobot,
  q: readonly number[],
  loads: Loads,
  forces: (q: readonly number[]) => readonly number[],
  demand: (status: Status) => void,
): Matrix {
  const own = exact(dynamics);
  if (!own) return differences(q, forces);
  const n = q.length;
  forces(q);
  const columns = new Float64Array(n * n);
  demand(own.inverseDynamicsTangent(n, new Float64Array(n), units(n), null, null, columns));
  loadChanges(own, n, loads, demand).forEach((change, k) => (columns[k] = columns[k]! - change));
  return fromColumns(n, columns);
}

/**
 * Derivatives of the generalized forces that a motion takes, less those of loads, by q̈, q̇ and q; none of robots that are compiled without.
 * @param qdd at which forces are in balance.
 */
export function forceDerivatives(
  dynamics: LoadedRobot,
  q: readonly number[],
  qd: readonly number[],
  qdd: readonly number[],
  loads: Loads,
): { readonly mass: Matrix; readonly damping: Matrix; readonly stiffness: Matrix } | undefined {
  const own = exact(dynamics);
  if (!own) return undefined;
  const n = q.length;
  const demand = (status: Status): void => {
    if (status !== KG_OK) throw new UndefinedMotion('the robot has no finite derivatives of its forces at this state');
  };
  demand(dynamics.update(q, qd));
  type Direction = Float64Array | null;
  const along = (dq: Direction, dqd: Direction, dqdd: Direction): Float64Array => {
    const columns = new Float64Array(n * n);
    demand(own.inverseDynamicsTangent(n, qdd, dq, dqd, dqdd, columns));
    return columns;
  };
  const less = (all: Float64Array, changes: Float64Array): Matrix =>
    fromColumns(
      n,
      all.map((change, k) => change - changes[k]!),
    );
  return {
    mass: fromColumns(n, along(null, null, units(n))),
    damping: less(along(null, units(n), null), rateChanges(own, n, loads, demand)),
    stiffness: less(along(units(n), null, null), loadChanges(own, n, loads, demand)),
  };
}

/**
 * ∂q̈/∂q and ∂q̈/∂q̇ under loads.
 * @param accelerations q̈ of a state, which they stage.
 * @param multipliers of robots with loops, those of the accelerations asked for last.
 */
export function accelerationDerivatives(
  dynamics: LoadedRobot,
  q: readonly number[],
  qd: readonly number[],
  loads: Loads,
  accelerations: (q: readonly number[], qd: readonly number[]) => readonly number[],
  multipliers?: () => ArrayLike<number>,
): { readonly byCoordinates: Matrix; readonly byRates: Matrix } {
  const own = exact(dynamics);
  if (!own || (multipliers && !dynamics.constrainedForwardDynamicsTangent))
    return {
      byCoordinates: differences(q, (x) => accelerations(x, qd)),
      byRates: differences(qd, (x) => accelerations(q, x)),
    };
  const n = q.length;
  const demand = (status: Status): void => {
    if (status !== KG_OK)
      throw new UndefinedMotion('the robot has no finite derivatives of its accelerations at this state');
  };
  const qdd = accelerations(q, qd);
  const [changes, ofRates] = [loadChanges, rateChanges].map((of) => of(own, n, loads, demand)) as [
    Float64Array,
    Float64Array,
  ];
  const [byCoordinates, byRates] = [new Float64Array(n * n), new Float64Array(n * n)];
  type Direction = Float64Array | null;
  const lambda = multipliers?.();
  const change = (dq: Direction, dqd: Direction, dtau: Direction, dqdd: Float64Array): void => {
    if (!lambda) return demand(own.forwardDynamicsTangent(n, qdd, dq, dqd, dtau, dqdd));
    const dlambda = new Float64Array(n * lambda.length);
    const { constrainedForwardDynamicsTangent: along } = own as typeof own & LoopDerivatives;
    demand(along(n, 0, 0, qdd, lambda, dq, dqd, dtau, dqdd, dlambda));
  };
  change(units(n), null, changes, byCoordinates);
  change(null, units(n), ofRates, byRates);
  return { byCoordinates: fromColumns(n, byCoordinates), byRates: fromColumns(n, byRates) };
}
