/**
 * The regressor of a robot: generalized forces τ = offset + Y π, linear in the parameters π that are identified. A column
 * is τ at a power of two in place of one parameter and zero in place of all others, less the offset: exact but for rounding.
 */
import { refuseLoops } from '../description/model/loop.ts';
import { generateTypeScript } from '../codegen/typescript/typescript.ts';
import { loadCached } from '../codegen/typescript/code-cache.ts';
import type { LoadedRobot } from '../codegen/typescript/load.ts';
import { TIME, type Robot } from '../description/model/robot.ts';
import { compileRobot } from '../kane/compile.ts';
import { KG_OK } from '../runtime/driver.ts';
import { KanegenError } from '../common/error.ts';
import { excitingStates, type MotionState } from './exciting-states.ts';
import { identifiableRobot, type IdentifiedParameter, type ParameterChoice } from './parameters.ts';

/** Forces at a state: τ_k = offset_k + Σ_i Y[k, i] π_i. */
export interface LinearForces {
  /** n numbers: what parameters that are not identified bring. */
  readonly offset: Float64Array;
  /** n × p, row-major: coordinates by parameters, or those that were asked for. */
  readonly Y: Float64Array;
}

/** Of the forces that take part: how far from linear they may be. */
const TOLERANCE = 1e-9;
/** Multiples of the value in the file at which a parameter must act linearly. */
const PROBES = [0, 1, 2, 3.7];
const STATES = 4;

/**
 * Compiles a robot for its regressor.
 * @throws KanegenError of the choice, and `non-linear-parameter` where forces are not linear in what was chosen.
 */
export async function compileRegressor(robot: Robot, choice: ParameterChoice = {}): Promise<Regressor> {
  refuseLoops(robot, 'identification');
  const { robot: open, parameters } = identifiableRobot(robot, choice);
  const create = await loadCached(open, () => generateTypeScript(open, compileRobot(open)));
  const regressor = new Regressor(open, parameters, create());
  regressor.checkLinear(regressor.excitingStates(STATES));
  return regressor;
}

export class Regressor {
  readonly robot: Robot;
  readonly parameters: readonly IdentifiedParameter[];
  /** Number of coordinates. */
  readonly coordinates: number;
  private readonly dynamics: LoadedRobot;
  private readonly scales: readonly number[];

  /** @param dynamics of the robot with its parameters open; belongs to the regressor. */
  constructor(robot: Robot, parameters: readonly IdentifiedParameter[], dynamics: LoadedRobot) {
    this.robot = robot;
    this.parameters = parameters;
    this.coordinates = robot.coordinates.length;
    this.dynamics = dynamics;
    this.scales = parameters.map(({ size }) => 2 ** Math.round(Math.log2(size)));
  }

  /**
   * M q̈ + c + g + elastic + damping − B u at given values of the parameters: what else acts on the coordinates.
   * @returns undefined where the robot has no finite forces.
   */
  forces(state: MotionState, values: readonly number[]): Float64Array | undefined {
    const { dynamics } = this;
    this.parameters.forEach(({ key }, i) => (dynamics.parameters[key] = values[i]!));
    if (this.robot.time) dynamics.parameters[TIME.name] = state.t ?? 0;
    const tau = new Float64Array(this.coordinates);
    if (dynamics.update(state.q, state.qd) !== KG_OK) return undefined;
    if (dynamics.activeInverseDynamics(state.qdd, tau) !== KG_OK) return undefined;
    if (
      state.u &&
      dynamics.actuate(
        Array.from(state.u, (u) => -u),
        tau,
      ) !== KG_OK
    )
      return undefined;
    return tau;
  }

  /**
   * @param columns indices of the parameters that Y has columns of, in their order; all of them when missing.
   * @returns undefined where the robot has no finite forces.
   */
  at(state: MotionState, columns: readonly number[] = this.scales.map((_, i) => i)): LinearForces | undefined {
    const { coordinates: n, scales } = this;
    const p = columns.length;
    const values = scales.map(() => 0);
    const offset = this.forces(state, values);
    if (!offset) return undefined;
    const Y = new Float64Array(n * p);
    for (const [j, i] of columns.entries()) {
      values[i] = scales[i]!;
      const tau = this.forces(state, values);
      values[i] = 0;
      if (!tau) return undefined;
      for (let k = 0; k < n; k++) Y[k * p + j] = (tau[k]! - offset[k]!) / scales[i]!;
    }
    return { offset, Y };
  }

  /**
   * States that show every parameter that can show, always the same ones.
   * @throws KanegenError `undefined-forces` where the robot has no finite forces at most of them.
   */
  excitingStates(count: number): MotionState[] {
    const values = this.parameters.map(({ value }) => value);
    const found = excitingStates(this.robot, 4 * count).filter((state) => this.forces(state, values) !== undefined);
    if (found.length >= count) return found.slice(0, count);
    throw new KanegenError(
      'undefined-forces',
      `${this.robot.name} has no finite forces in most of the range of its coordinates`,
      {
        remedy: 'give the coordinates limits',
      },
    );
  }

  /** @throws KanegenError `non-linear-parameter`, naming those in which forces are not linear. */
  checkLinear(states: readonly MotionState[]): void {
    const bent = new Set<number>();
    for (const state of states) this.parameters.forEach((_, i) => this.isBent(state, i) && bent.add(i));
    const named = [...bent].map((i) => this.parameters[i]!.name).join(', ');
    if (named) throw nonLinear(`forces are not linear in ${named}`, 'leave out');
    for (const state of states) {
      const pair = this.multiplied(state);
      if (pair)
        throw nonLinear(`forces have products of ${pair.join(' and ')}`, 'hold one of them fixed: leave it out');
    }
  }

  /** Is some force at multiples of a value not on a straight line, the others as in the file? */
  private isBent(state: MotionState, i: number): boolean {
    const { value, size } = this.parameters[i]!;
    const unit = value === 0 ? size : value;
    const values = this.parameters.map((parameter) => parameter.value);
    const [f0, f1, ...others] = PROBES.map((multiple) => this.forces(state, values.with(i, multiple * unit)));
    if (!f0 || !f1) return true;
    return others.some(
      (f, j) => !f || f.some((force, k) => differs(force, [f0[k]!, PROBES[j + 2]! * (f1[k]! - f0[k]!)])),
    );
  }

  /** Names of two parameters that multiply each other. */
  private multiplied(state: MotionState): [string, string] | undefined {
    const { parameters } = this;
    const values = parameters.map(({ value }) => value);
    const twice = (i: number): number => 2 * (values[i] === 0 ? parameters[i]!.size : values[i]!);
    const [all, linear] = [
      this.forces(
        state,
        parameters.map((_, i) => twice(i)),
      ),
      this.at(state),
    ];
    const isLinear =
      all && linear && all.every((force, k) => !differs(force, [linear.offset[k]!, ...this.shares(linear, k, twice)]));
    if (isLinear) return undefined;
    const base = this.forces(state, values);
    const single = parameters.map((_, i) => this.forces(state, values.with(i, twice(i))));
    for (let i = 0; i < values.length; i++)
      for (let j = 0; j < i; j++) {
        const both = this.forces(state, values.with(i, twice(i)).with(j, twice(j)));
        if (both && both.every((force, k) => !differs(force, [single[i]![k]!, single[j]![k]!, -base![k]!]))) continue;
        return [parameters[j]!.name, parameters[i]!.name];
      }
    return undefined;
  }

  private shares({ Y }: LinearForces, k: number, value: (i: number) => number): number[] {
    return this.scales.map((_, i) => Y[k * this.scales.length + i]! * value(i));
  }
}

/** Is a force another one than the sum of these, beyond rounding? */
function differs(force: number, terms: readonly number[]): boolean {
  const size = terms.reduce((sum, term) => sum + Math.abs(term), 0);
  return !(Math.abs(force - terms.reduce((sum, term) => sum + term, 0)) <= TOLERANCE * size + Number.MIN_VALUE);
}

function nonLinear(message: string, remedy: string): KanegenError {
  return new KanegenError('non-linear-parameter', message, {
    remedy: `${remedy}; --parameters names the parameters to identify`,
  });
}
