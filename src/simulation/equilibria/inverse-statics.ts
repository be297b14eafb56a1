/**
 * Inverse statics: inputs within their limits at whose equilibrium frames have poses, or come nearest to them, by the search of
 * inverse kinematics with inputs for coordinates. Equilibria are g(q) + elastic(q) = forces + B(q) u + Σ Jᵀ w, so that
 * K ∂q/∂u = B with K the tangent stiffness ∂(g + elastic − loads)/∂q, and J ∂q/∂u is the Jacobian of the frame by the inputs.
 */
import { refuseLoops } from '../../description/model/loop.ts';
import type { LoadedRobot } from '../../codegen/typescript/load.ts';
import type { Robot } from '../../description/model/robot.ts';
import { KG_OK } from '../../runtime/driver.ts';
import {
  areNumbers,
  checkSearch,
  PoseSearch,
  takeTime,
  type PoseGoal,
  type PoseSearchOptions,
  type PoseSearchResult,
  type Unknowns,
} from './pose-search.ts';
import { NoEquilibrium, type Equilibrium } from './equilibrium.ts';
import { checkLoads, equilibrium, responseToInputs } from './statics.ts';
import type { StaticLoads } from './static-loads.ts';

export interface InverseStaticsOptions extends PoseSearchOptions {
  /** Inputs where the search begins; zero, or the limit next to it, when missing. */
  readonly inputs?: readonly number[];
  /** Coordinates from which the first equilibrium of each start is sought; the defaults when missing. */
  readonly start?: readonly number[];
  /** What acts beside the inputs. */
  readonly loads?: Omit<StaticLoads, 'inputs'>;
}

export interface InverseStaticsResult extends PoseSearchResult {
  /** By actuator. */
  readonly inputs: readonly number[];
  /** Their equilibrium: the one that is found by changing the inputs little by little. */
  readonly equilibrium: Equilibrium;
}

/**
 * @param goal of one frame, or of several at once.
 * @throws NoEquilibrium where there is none at any start.
 * @throws RangeError when there are no actuators, and when numbers are missing or not finite.
 */
export function inverseStatics(
  robot: Robot,
  dynamics: LoadedRobot,
  goal: PoseGoal | readonly PoseGoal[],
  options: InverseStaticsOptions = {},
): InverseStaticsResult {
  refuseLoops(robot, 'inverse statics');
  const goals = checkSearch(robot, goal, options);
  takeTime(robot, dynamics, options.time);
  const m = robot.actuators.length;
  if (m === 0) throw new RangeError(`${robot.name} has no actuators`);
  const { inputs, start } = options;
  const n = robot.coordinates.length;
  if ((inputs && !areNumbers(inputs, m)) || (start && !areNumbers(start, n)))
    throw new RangeError(`\`inputs\` takes ${m} and \`start\` ${n} finite numbers`);
  checkLoads(robot, options.loads ?? {});
  const unknowns = new Inputs(robot, dynamics, goals, options);
  const { x, ...found } = new PoseSearch(goals, { ...options, radian: unknowns.radian }, unknowns).run();
  return { ...found, inputs: unknowns.inputsOf(x), equilibrium: unknowns.nearest() };
}

/** Inputs in units in which they move the frames alike: of their limits, or of what turns the one that it moves most by 1 rad at the start. */
class Inputs implements Unknowns {
  readonly first: readonly number[];
  readonly lower: readonly number[];
  readonly upper: readonly number[];
  readonly width = 1;
  readonly radian: number;
  private readonly units: readonly number[];
  private readonly robot: Robot;
  private readonly dynamics: LoadedRobot;
  private readonly loads: StaticLoads;
  private readonly start: readonly number[] | undefined;
  private readonly rest: Float64Array;
  private readonly byCoordinates: Float64Array;
  private last: Equilibrium | undefined;
  /** Of coordinates to inputs, there. */
  private response: ReturnType<typeof responseToInputs>;
  private taken: Equilibrium | undefined;
  private best: Equilibrium | undefined;
  private failure: NoEquilibrium | undefined;

  constructor(robot: Robot, dynamics: LoadedRobot, goals: readonly PoseGoal[], options: InverseStaticsOptions) {
    const { actuators, coordinates } = robot;
    const limits = actuators.map(({ lower = -Infinity, upper = Infinity }) => ({ lower, upper }));
    const given = options.inputs ?? limits.map(() => 0);
    const first = limits.map(({ lower, upper }, i) => Math.min(Math.max(given[i]!, lower), upper));
    this.robot = robot;
    this.dynamics = dynamics;
    this.loads = options.loads ?? {};
    this.start = options.start;
    this.rest = new Float64Array(coordinates.length);
    this.byCoordinates = new Float64Array(6 * coordinates.length);
    this.units = first.map(() => 1);
    const [R, t, J] = [new Float64Array(9), new Float64Array(3), new Float64Array(6 * first.length)];
    const isFound = this.take(Float64Array.from(first));
    const found = goals.flatMap(({ frame }) =>
      isFound && this.pose(frame, R, t, J) ? [{ distance: Math.hypot(...t), columns: J.slice() }] : [],
    );
    this.radian = options.radian ?? (Math.max(0, ...found.map(({ distance }) => distance)) || 1);
    this.units = limits.map(({ lower, upper }, k) => {
      const ways = found.map(({ columns }) =>
        Math.hypot(...[0, 1, 2, 3, 4, 5].map((i) => (i < 3 ? this.radian : 1) * columns[i * first.length + k]!)),
      );
      const moved = Math.max(0, ...ways);
      const unit = Math.min(moved > 0 ? this.radian / moved : Infinity, upper - lower);
      return unit > 0 && unit < Infinity ? unit : 1;
    });
    const scaled = (values: readonly number[]): number[] => values.map((value, k) => value / this.units[k]!);
    this.first = scaled(first);
    // What pulls at held coordinates alone stays as it is.
    const isIdle = this.idle();
    this.lower = scaled(limits.map(({ lower }, k) => (isIdle[k] ? first[k]! : lower)));
    this.upper = scaled(limits.map(({ upper }, k) => (isIdle[k] ? first[k]! : upper)));
  }

  /** By actuator: has it a share in no force but those on held coordinates, at the first equilibrium? */
  private idle(): boolean[] {
    const { actuators, coordinates } = this.robot;
    const { held = [] } = this.loads;
    const m = actuators.length;
    const B = new Float64Array(coordinates.length * m);
    if (held.length === 0 || !this.last) return actuators.map(() => false);
    this.dynamics.update(this.last.q, this.rest);
    if (this.dynamics.actuation(null, null, null, B) !== KG_OK) return actuators.map(() => false);
    return actuators.map((_, k) => coordinates.every((__, i) => held.includes(i) || B[i * m + k] === 0));
  }

  /** Limits are met to the last digit. */
  inputsOf(x: ArrayLike<number>): number[] {
    return this.robot.actuators.map(({ lower = -Infinity, upper = Infinity }, k) =>
      Math.min(Math.max(x[k]! * this.units[k]!, lower), upper),
    );
  }

  nearest(): Equilibrium {
    if (!this.best) throw this.failure ?? new NoEquilibrium(0, 'the frame has no finite pose there');
    return this.best;
  }

  take(x: Float64Array): boolean {
    const { robot, dynamics } = this;
    const loads = { ...this.loads, inputs: this.inputsOf(x) };
    try {
      this.last = equilibrium(robot, dynamics, loads, this.taken?.q ?? this.start);
      this.response = responseToInputs(robot, dynamics, loads, this.last.q);
      return this.response !== undefined && dynamics.update(this.last.q, this.rest) === KG_OK;
    } catch (error) {
      if (!(error instanceof NoEquilibrium)) throw error;
      this.failure ??= error;
      return false;
    }
  }

  pose(frame = this.robot.tip, R: Float64Array, t: Float64Array, J: Float64Array): boolean {
    const { robot, dynamics, byCoordinates, units } = this;
    const [n, m] = [robot.coordinates.length, units.length];
    if (dynamics.frame(frame, R, t, byCoordinates) !== KG_OK) return false;
    for (let i = 0; i < 6; i++)
      for (let k = 0; k < m; k++) {
        let sum = 0;
        for (let a = 0; a < n; a++) sum += byCoordinates[i * n + a]! * this.response![k]![a]!;
        J[i * m + k] = sum * units[k]!;
      }
    return true;
  }

  begin(): void {
    this.taken = undefined;
  }

  keep(isNearest: boolean): void {
    this.taken = this.last;
    if (isNearest) this.best = this.last;
  }
}
