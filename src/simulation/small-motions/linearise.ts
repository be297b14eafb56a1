/**
 * A robot close to a state: q̈ = f(q, q̇, u) to first order, with the modes of the motion about it.
 */
import { Matrix, solve } from 'ml-matrix';
import type { LoadedRobot } from '../../codegen/typescript/load.ts';
import type { Robot } from '../../description/model/robot.ts';
import { rowsOf } from '../../description/model/loop.ts';
import { KG_OK, type Loops, type Status } from '../../runtime/driver.ts';
import { accelerationDerivatives, forceDerivatives, UndefinedMotion } from '../equilibria/derivatives.ts';
import { TangentSpace } from '../equilibria/loop-tangent.ts';
import { modesOf, type Mode } from './modes.ts';
import type { StaticLoads } from '../equilibria/static-loads.ts';
import { actingForces } from '../equilibria/balance.ts';
import { checkLoads } from '../equilibria/statics.ts';

export interface Linearisation {
  /** Indices of the coordinates that may move: all that are not held; of robots with loops, those on which all others depend. */
  readonly free: readonly number[];
  /** Of robots with loops: how every coordinate moves with each free one, rows. */
  readonly basis?: readonly (readonly number[])[];
  /** d/dt (q, q̇) = A (q, q̇) + B u of small differences of the free coordinates; rows. */
  readonly A: readonly (readonly number[])[];
  readonly B: readonly (readonly number[])[];
  /** q̈ at the state itself, of every coordinate: zero at an equilibrium. */
  readonly drift: readonly number[];
  /** From slow to fast. */
  readonly modes: readonly Mode[];
}

export interface StateOfMotion {
  readonly q: readonly number[];
  readonly qd: readonly number[];
}

/**
 * About a state in which what is held does not move; of robots with loops one at rest, with closed loops.
 * @throws RangeError of a state or loads of other than finite numbers, as many as there are coordinates, and of `checkLoads`.
 * @throws UndefinedMotion where the dynamics have no finite result.
 */
export function linearise(
  robot: Robot,
  dynamics: LoadedRobot,
  { q, qd }: StateOfMotion,
  loads: StaticLoads = {},
): Linearisation {
  const n = robot.coordinates.length;
  checkLoads(robot, loads);
  for (const numbers of [q, qd])
    if (numbers?.length !== n || !numbers.every(Number.isFinite))
      throw new RangeError(`the state must be { q, qd } with ${n} finite numbers each`);
  if (robot.loops && qd.some((x) => x !== 0))
    throw new RangeError('small motions of robots with loops are about a state at rest');
  const demand = (status: Status): void => {
    if (status !== KG_OK) throw new UndefinedMotion('the robot has no finite accelerations near this state');
  };
  const multipliers = new Float64Array(rowsOf(robot));
  const acceleration = (y: readonly number[], under: StaticLoads): number[] => {
    demand(dynamics.update(y.slice(0, n), y.slice(n)));
    const qdd = new Float64Array(n);
    const acting = actingForces(dynamics, n, under, 1, demand);
    demand(
      robot.loops
        ? (dynamics as LoadedRobot & Loops).constrainedForwardDynamics(0, 0, acting, qdd, multipliers)
        : dynamics.forwardDynamics(acting, qdd),
    );
    return [...qdd];
  };
  const state = [...q, ...qd];
  const unheld = acceleration(state, loads);
  const held = loads.held ?? [];
  // Ropes without tension, and rows that give way, close no motion.
  const rigid = (robot.loops ?? [])
    .flatMap(({ rows }) => rows)
    .map(({ yields, isRope }, j) => !yields && !(isRope && !(multipliers[j]! < 0)));
  const loops = robot.loops && new TangentSpace(dynamics as LoadedRobot & Loops, rigid, held);
  const holds = loops ?? new Holds(dynamics, n, held);
  // What holds them does not change with the state to begin with: what is left moves nothing where it should not.
  const forces = holds.forces(unheld).map((force, i) => force + (loads.forces?.[i] ?? 0));
  const acting = { ...loads, forces };
  const near = (x: readonly number[], rates: readonly number[]): number[] => acceleration([...x, ...rates], acting);
  const lambda = robot.loops && (() => multipliers);
  const { byCoordinates, byRates } = accelerationDerivatives(dynamics, q, qd, loads, near, lambda);
  const drift = acceleration(state, acting);
  const given = robot.actuators.map((_, j) => loads.inputs?.[j] ?? 0);
  // Accelerations are linear in inputs.
  const byInput = given.map((_, j) => {
    const inputs = given.map((u, k) => (k === j ? u + 1 : u));
    return acceleration(state, { ...acting, inputs }).map((x, i) => x - drift[i]!);
  });
  const { free } = holds;
  const zeros = (count: number): number[] => Array.from({ length: count }, () => 0);
  const basis = loops?.basis ?? Matrix.eye(n).selection([...Array(n).keys()], [...free]);
  const [positions, rates] = [byCoordinates, byRates].map((full) => holds.applied(full).mmul(basis).to2DArray());
  const A = [
    ...free.map((_, i) => [...zeros(free.length), ...free.map((__, j) => (i === j ? 1 : 0))]),
    ...free.map((_, i) => [...positions![i]!, ...rates![i]!]),
  ];
  const columns = given.length === 0 ? [] : holds.applied(new Matrix(byInput).transpose()).to2DArray();
  const B = [...free.map(() => zeros(given.length)), ...free.map((_, i) => columns[i] ?? [])];
  // Of trees from forces themselves, for what M⁻¹ has gone through has the rounding errors of the fastest accelerations.
  const own = loops ? undefined : forceDerivatives(dynamics, q, qd, drift, loads);
  const inBasis = (full: Matrix): number[][] => basis.transpose().mmul(full).mmul(basis).to2DArray();
  const mass = inBasis(own?.mass ?? massMatrix(dynamics, n));
  const forcesOf = (accelerations: number[][]): number[][] =>
    new Matrix(mass).mmul(new Matrix(accelerations)).mul(-1).to2DArray();
  const equations = own
    ? { mass, damping: inBasis(own.damping), stiffness: inBasis(own.stiffness) }
    : { mass, damping: forcesOf(rates!), stiffness: forcesOf(positions!) };
  const modes = free.length === 0 ? [] : modesOf(equations, basis.to2DArray());
  return { free, ...(loops && { basis: basis.to2DArray() }), A, B, drift, modes };
}

/** At the staged state. */
function massMatrix(dynamics: LoadedRobot, n: number): Matrix {
  const M = new Float64Array(n * n);
  if (dynamics.massMatrix(M) !== KG_OK) throw new UndefinedMotion('the mass matrix is not finite at this state');
  return Matrix.from1DArray(n, n, M);
}

/** Forces that keep coordinates from accelerating, at the staged state. */
class Holds {
  readonly free: readonly number[];
  private readonly held: readonly number[];
  private readonly massMatrix: Matrix | undefined;
  /** ∂q̈/∂q̈ as if nothing were held: M_ff⁻¹ M_fh, free by held. */
  private readonly carried: Matrix | undefined;

  constructor(dynamics: LoadedRobot, n: number, held: readonly number[]) {
    this.held = held;
    this.free = Array.from({ length: n }, (_, i) => i).filter((i) => !held.includes(i));
    if (held.length === 0) return;
    const mass = massMatrix(dynamics, n);
    this.massMatrix = mass;
    this.carried = solve(mass.selection([...this.free], [...this.free]), mass.selection([...this.free], [...held]));
  }

  /** Rows of the free coordinates, of accelerations (one column each) as if nothing were held: M_ff q̈_f = (M q̈)_f. */
  applied(unheld: Matrix): Matrix {
    const columns = Array.from({ length: unheld.columns }, (_, j) => j);
    const own = unheld.selection([...this.free], columns);
    return this.carried ? own.add(this.carried.mmul(unheld.selection([...this.held], columns))) : own;
  }

  /** By coordinate. */
  forces(unheld: readonly number[]): number[] {
    const forces = unheld.map(() => 0);
    if (!this.carried || !this.massMatrix) return forces;
    const moved = this.applied(Matrix.columnVector([...unheld]));
    const change = unheld.map((x) => -x);
    this.free.forEach((i, k) => (change[i] = change[i]! + moved.get(k, 0)));
    const needed = this.massMatrix.mmul(Matrix.columnVector(change));
    for (const i of this.held) forces[i] = needed.get(i, 0);
    return forces;
  }
}
