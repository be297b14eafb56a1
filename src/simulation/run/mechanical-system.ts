/**
 * A robot with what drives it as a system of first order, computed by its generated code. The state is q, q̇, the work
 * that inputs, forces and loads put in, and what is dissipated, in J.
 */
import { rubs } from '../../description/model/actuator.ts';
import { TIME, type Robot } from '../../description/model/robot.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import { differentiate } from '../../symbolic/graph/differentiate.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { contactPairs } from '../../description/model/contact.ts';
import { forcesOf, isGrowing, isInFields, waterOf } from '../../description/model/what-acts.ts';
import type { LoadedRobot } from '../../codegen/typescript/load.ts';
import {
  KG_OK,
  KG_SINGULAR,
  type Contacts,
  type Derivatives,
  type Loops,
  type Drive,
  type Dynamics,
  type SolvedStrains,
  type Status,
} from '../../runtime/driver.ts';
import { ImplicitRobot, type ImplicitRobotOptions } from '../../runtime/generalized-alpha.ts';
import { DrivenRobot } from '../../runtime/rosenbrock.ts';
import { Control } from './control.ts';
import { demand } from '../integrators/integrator.ts';
import { FeedbackRobot } from './feedback.ts';
import { loadComponents } from './loads-as-actuators.ts';
import { Ropes } from './ropes.ts';
import { unsolvedSection } from './unsolved-section.ts';
import { rowsOf, yieldNumbers } from '../../description/model/loop.ts';
import { exchangesEnergy, powerOfLoops, storedInLoops } from './loop-energies.ts';
import { ObserverAtWork } from './observer-at-work.ts';
import type { Driven, Load, Scenario } from '../scenario/scenario.ts';
import type { Signal } from '../scenario/signal.ts';

/** Places in the sums of the state, after q and q̇. */
export const SUMS = { work: 0, dissipated: 1 } as const;

/** Of the quotient of fourth order for ∂V/∂t, s: twelve digits of what changes in milliseconds, eleven where rounding of V counts. */
const GROWTH_STEP = 1e-5;

/** Energies of a state in J, positions of frames in m, world axes. */
export interface Observation {
  readonly kinetic: number;
  readonly potential: number;
  /** With what springs of contacts and loops store. */
  readonly elastic: number;
  /**
   * T_1 + 2 T_0 of the kinetic energy T = T_2 + T_1 + T_0, by powers of the rates: of water that a current carries. T less this is what
   * changes with the work of forces alone, so that its changes are work of the current.
   */
  readonly carried: number;
  readonly frames: readonly (readonly number[])[];
  /** By pair. */
  readonly contacts: readonly ContactState[];
  /** By row of the loops. */
  readonly multipliers: readonly number[];
}

/** Gap and place in m, and the force on the moving or first body, world axes, N. */
export interface ContactState {
  readonly gap: number;
  readonly position: readonly number[];
  readonly force: readonly number[];
}

/** At a time, for given run-time parameters. */
type FollowedRate = (t: number, parameters: LoadedRobot['parameters']) => number;

function followedRates({ links, parameters }: Robot): readonly FollowedRate[] {
  return links.flatMap(({ joint }) => {
    if (!joint.prescribed) return [];
    const { coordinates, time } = joint.prescribed;
    return coordinates.map(({ value }): FollowedRate => {
      const rate = differentiate(value, time);
      return (t, given) => {
        const known = new Map<Expr, number>(parameters.map(({ symbol, name }) => [symbol, given[name] as number]));
        return evaluate([rate], known.set(time, t))[0]!;
      };
    });
  });
}

type Excitation = Pick<Scenario, 'robot' | 'model' | 'observer' | 'inputs' | 'control' | 'forces' | 'loads' | 'q'>;

export class MechanicalSystem {
  readonly coordinates: number;
  /** What integrators step. */
  readonly driven: DrivenRobot;
  /** What those step that solve with the exact tangent; of robots that are compiled with derivatives. */
  readonly implicit: ImplicitRobot | FeedbackRobot | undefined;
  private readonly robot: Robot;
  private readonly dynamics: LoadedRobot;
  private inputs!: readonly (Signal | undefined)[];
  /** What the other inputs come from. */
  control: Control | undefined;
  /** What gives that the state, where the scenario has an observer. */
  readonly observer: ObserverAtWork | undefined;
  /** What that computes with: another robot's code where the scenario has a model. */
  private readonly model: { readonly robot: Robot; readonly dynamics: LoadedRobot };
  private readonly forces: readonly (Signal | undefined)[];
  private readonly loads: readonly Load[];
  private readonly isDamped: boolean;
  /** Tendons with friction, by their inputs. */
  private readonly rubbing: readonly number[];
  /** ẏ and B of all actuators. */
  private readonly pulled: { readonly rates: Float64Array; readonly gradients: Float64Array };
  /** What tendons with friction took when forces were last asked for, W. */
  private rubbed = 0;
  /** Of loads that are actuators of the compiled robot, behind its own. */
  private readonly components: ReturnType<typeof loadComponents> | undefined;
  /** When forces were last asked for, s. */
  private asked = NaN;
  private first = -Infinity;
  private last = Infinity;
  private readonly u: Float64Array;
  private readonly damping: Float64Array;
  private readonly isInWater: boolean;
  /** Fields do work, and what water takes beside them is taken off it; without them it is dissipated. */
  private readonly isInFields: boolean;
  /** Does kinetic energy depend on what a current does? */
  private readonly isCarried: boolean;
  /** Does work of natural strains belong to the balance of energy? */
  readonly isGrowing: boolean;
  readonly ropes: Ropes | undefined;
  /** Do loops store or lose energy, or do work? */
  readonly isLed: boolean;
  private readonly fluid: Float64Array;
  /** Pairs of contacts, what they take of the motion and what of that is lost, W. */
  private readonly pairs: number;
  private readonly touch: { readonly power: Float64Array; readonly loss: Float64Array };
  /** Rates of the coordinates of joints that follow the time. */
  readonly followed: readonly FollowedRate[];
  private readonly wrench = new Float64Array(6);
  /** In which states of the motion are staged. */
  private readonly twins: readonly (Dynamics & Partial<SolvedStrains>)[];

  /**
   * @param dynamics belongs to this system: nobody else stages states in it.
   * @param model code of the scenario's model, where it has one.
   */
  constructor(
    { robot, model: own, observer, forces, loads, q, ...driven }: Excitation,
    dynamics: LoadedRobot,
    model?: LoadedRobot,
  ) {
    if (own && !model) throw new Error('the model of the scenario has no code');
    this.model = { robot: own ?? robot, dynamics: model ?? dynamics };
    this.observer = observer && new ObserverAtWork(this.model.robot, this.model.dynamics, dynamics, observer);
    const n = robot.coordinates.length;
    this.coordinates = n;
    this.robot = robot;
    this.dynamics = dynamics;
    this.forces = forces;
    this.loads = loads;
    this.isDamped = forcesOf(robot).damping;
    this.rubbing = robot.actuators.flatMap((actuator, j) => (rubs(actuator) ? [j] : []));
    this.u = new Float64Array(dynamics.actuators);
    const pulled = this.rubbing.length > 0 ? dynamics.actuators : 0;
    this.pulled = { rates: new Float64Array(pulled), gradients: new Float64Array(pulled * robot.coordinates.length) };
    const components = loadComponents({ loads });
    if (dynamics.actuators > robot.actuators.length) this.components = components;
    this.damping = new Float64Array(n);
    this.isInWater = waterOf(robot).forces;
    this.isInFields = isInFields(robot);
    this.pairs = contactPairs(robot).length;
    this.touch = { power: new Float64Array(this.pairs), loss: new Float64Array(this.pairs) };
    this.isCarried = waterOf(robot).addedMass && robot.current !== undefined;
    this.isGrowing = isGrowing(robot);
    this.isLed = exchangesEnergy(robot);
    this.fluid = new Float64Array(n);
    this.followed = dynamics.prescribedForces ? followedRates(robot) : [];
    const setTime = robot.time ? { setTime: (t: number) => this.setTime(t) } : {};
    const drive: Drive = (t, staged, q, qd, tau, rates) => this.drive(t, staged, q, qd, tau, rates);
    this.twins = [dynamics.twin(), ...(dynamics.newtonStep ? [dynamics.twin()] : [])];
    const [explicit, implicit] = this.twins;
    this.driven = new DrivenRobot(explicit!, drive, { sums: 2, ...setTime });
    this.implicit =
      implicit && this.solvable(implicit as Dynamics & Derivatives, drive, { sums: 2, ...setTime, inputs: this.u });
    this.driveBy(driven, q);
    this.ropes = this.ropesOf();
  }

  private solvable(
    dynamics: Dynamics & Derivatives,
    drive: Drive<Dynamics & Derivatives>,
    options: ImplicitRobotOptions,
  ): ImplicitRobot | FeedbackRobot {
    const robot = new ImplicitRobot(dynamics, drive, options);
    if (this.robot.actuators.length === 0) return robot;
    return new FeedbackRobot(robot, dynamics, {
      isActive: () => this.control !== undefined && this.control.period === undefined,
      inputsAt: (t, q, qd) => this.inputsAt(t, q, qd),
    });
  }

  /** From now on, at these coordinates. */
  driveBy({ inputs, control }: Driven, q: readonly number[]): void {
    this.inputs = inputs;
    this.control = control && new Control(this.model.robot, this.model.dynamics, control, q);
    this.u.fill(0);
  }

  /** From now on the robot is driven between two times: as it is at the nearer one, asked before or after. */
  driveBetween(first: number, last: number): void {
    this.first = first;
    this.last = last;
  }

  /** Generalized forces of everything that drives the robot at a staged state, and their power. */
  private drive(
    time: number,
    dynamics: Dynamics & Partial<Contacts>,
    q: Float64Array,
    qd: Float64Array,
    tau: Float64Array,
    rates: Float64Array,
  ): Status {
    const { damping, fluid, touch } = this;
    const t = Math.min(Math.max(time, this.first), this.last);
    this.asked = t;
    let status: Status = KG_OK;
    this.forces.forEach((signal, i) => (tau[i] = signal ? signal(t) : 0));
    if (this.control || this.components || this.inputs.some((signal) => signal)) {
      const u = this.inputsAt(t, q, qd);
      const own = this.robot.actuators.length;
      this.components?.forEach(({ signal }, i) => (u[own + i] = signal(t)));
      status = this.control?.status ?? KG_OK;
      if (status === KG_OK) status = dynamics.actuate(u, tau);
    }
    if (status === KG_OK && !this.components) status = this.addLoads(t, dynamics, tau);
    if (status === KG_OK && this.isDamped) status = dynamics.terms(null, null, null, damping);
    if (status === KG_OK && this.isInWater) status = dynamics.fluid(fluid);
    if (status === KG_OK && this.pairs > 0)
      status = dynamics.contact!(null, null, null, null, null, touch.power, touch.loss, null);
    if (status === KG_OK && this.rubbing.length > 0) status = this.rub(dynamics, qd);
    let [work, dissipated] = [this.rubbed, this.rubbed];
    for (let k = 0; k < this.pairs; k++) {
      // What springs of contacts store is energy of the robot, and what all of a contact takes is no work of fields or water.
      const [taken, lost] = [touch.power[k]!, touch.loss[k]!];
      if (this.isInFields) work += taken;
      dissipated += this.isInFields ? lost : lost - taken;
    }
    for (let i = 0; i < qd.length; i++) {
      work += tau[i]! * qd[i]!;
      if (this.isInFields) {
        work -= fluid[i]! * qd[i]!;
        dissipated += damping[i]! * qd[i]!;
      } else dissipated += (damping[i]! + fluid[i]!) * qd[i]!;
    }
    rates[SUMS.work] = work;
    rates[SUMS.dissipated] = dissipated;
    return status;
  }

  /** Finds what inputs put in and friction of tendons takes at a staged state, u (ẏ − Bᵀq̇). */
  private rub(dynamics: Dynamics, qd: Float64Array): Status {
    const { u, pulled } = this;
    const status = dynamics.actuation(null, pulled.rates, null, pulled.gradients);
    this.rubbed = 0;
    for (const j of this.rubbing) {
      let power = pulled.rates[j]!;
      for (let i = 0; i < qd.length; i++) power -= pulled.gradients[u.length * i + j]! * qd[i]!;
      this.rubbed += u[j]! * power;
    }
    return status;
  }

  /** Adds forces and moments at frames of a staged state. */
  private addLoads(t: number, dynamics: Dynamics, tau: Float64Array): Status {
    const { wrench } = this;
    let status: Status = KG_OK;
    for (const { frame, force, moment, follows } of this.loads) {
      for (let i = 0; i < 3; i++) {
        wrench[i] = moment[i]!(t);
        wrench[3 + i] = force[i]!(t);
      }
      if (status === KG_OK) status = dynamics[follows ? 'externalInFrame' : 'external'](frame, wrench, tau);
    }
    return status;
  }

  /** A step of the controller, if one acts. */
  stepControl(t: number, q: Float64Array, qd: Float64Array): Status {
    const { robot, dynamics } = this.model;
    if (dynamics !== this.dynamics && robot.time) dynamics.parameters[TIME.name] = t;
    const { q: seen, qd: rates } = this.observer ?? { q, qd };
    return this.control?.step(t, seen, rates) ?? KG_OK;
  }

  /** A step of the observer, if there is one, under the inputs that acted until now. */
  stepObserver(t: number, q: Float64Array, qd: Float64Array): Status {
    if (!this.observer) return KG_OK;
    const u = this.inputsAt(t, q, qd).subarray(0, this.robot.actuators.length);
    return this.observer.step(t, q, qd, u);
  }

  /** Inputs of the actuators, those of loads behind them; of a controller that works in periods those of the last one. */
  inputsAt(t: number, q: Float64Array, qd: Float64Array): Float64Array {
    const { control, u } = this;
    if (control && control.period === undefined) this.stepControl(t, q, qd);
    this.inputs.forEach((signal, i) => (u[i] = signal?.(t) ?? control?.u[i] ?? 0));
    return u;
  }

  /** What drives the robot with no finite number at a time, or when it was last asked for: `the input \`push\``. */
  undefinedAt(time: number): string | undefined {
    return this.withoutNumber(Math.min(Math.max(time, this.first), this.last)) ?? this.withoutNumber(this.asked);
  }

  /** The name of the link at which the mass matrix of a state is not positive definite, if it is not. @param y see the class. */
  singularLinkAt(t: number, y: Float64Array): string | undefined {
    const n = this.coordinates;
    this.stage(t, y);
    const isSingular = this.dynamics.forwardDynamics(new Float64Array(n), new Float64Array(n)) === KG_SINGULAR;
    return isSingular ? this.robot.links[this.dynamics.singularLink()]?.name : undefined;
  }

  /** Which strain is not solved for where the motion was asked for last, in words. */
  unsolved(): string | undefined {
    return this.twins.map((own) => unsolvedSection(this.robot, own)).find((text) => text !== undefined);
  }

  private withoutNumber(t: number): string | undefined {
    const { robot } = this;
    const isUndefined = (signal: Signal | undefined): boolean => signal !== undefined && !Number.isFinite(signal(t));
    const input = robot.actuators[this.inputs.findIndex(isUndefined)];
    if (input) return `the input \`${input.name}\``;
    const coordinate = robot.coordinates[this.forces.findIndex(isUndefined)];
    if (coordinate) return `the force on \`${coordinate.name}\``;
    const load = this.loads.find(({ force, moment }) => [...force, ...moment].some(isUndefined));
    return load && `the load on \`${robot.frames[load.frame]!.name}\``;
  }

  /** The power of natural strains that move with the time: ∂V/∂t of the elastic energy, W. @param y see the class. */
  growthAt(t: number, y: Float64Array): number {
    const energy = new Float64Array(3);
    const stored = (k: number): number => {
      this.stage(t + k * GROWTH_STEP, y);
      demand(t, this.dynamics.energies(energy));
      return energy[2]!;
    };
    return (8 * (stored(1) - stored(-1)) - (stored(2) - stored(-2))) / (12 * GROWTH_STEP);
  }

  /** Power of joints that follow the time, and what of it the water takes, W. @param y see the class. */
  followedAt(t: number, y: Float64Array): { readonly work: number; readonly dissipated: number } {
    const { coordinates: n, followed } = this;
    const slope = new Float64Array(y.length);
    demand(t, this.driven.derivative(t, y, slope));
    this.stage(t, y);
    const [force, fluid] = [new Float64Array(followed.length), new Float64Array(followed.length)];
    demand(t, this.dynamics.prescribedForces!(slope.subarray(n, 2 * n), force, fluid));
    const rates = followed.map((rate) => rate(t, this.dynamics.parameters));
    const power = (forces: Float64Array): number => rates.reduce((sum, rate, k) => sum + rate * forces[k]!, 0);
    const taken = power(fluid);
    if (this.robot.touching) {
      // Without water and fields all pairs together take what the coordinates and these joints give up, to either side of a pair.
      const [all, own] = [this.touch.power, this.fluid];
      demand(t, this.dynamics.contact!(null, null, null, null, null, all, null, null));
      demand(t, this.dynamics.fluid(own));
      const pairs = all.reduce((sum, x) => sum + x, 0) - own.reduce((sum, x, i) => sum + x * y[n + i]!, 0);
      return { work: power(force) + pairs - taken, dissipated: pairs };
    }
    return this.isInFields ? { work: power(force) - taken, dissipated: 0 } : { work: power(force), dissipated: taken };
  }

  /** Power of loops, W. @param y see the class. */
  ledAt(t: number, y: Float64Array): { readonly work: number; readonly dissipated: number } {
    const { coordinates: n, dynamics, robot } = this;
    const loops = dynamics as LoadedRobot & Loops;
    const qd = y.subarray(n, 2 * n);
    const { status, lambda } = this.multipliersAt(t, y);
    demand(t, status);
    const [J, phi, rate] = [n * lambda.length, lambda.length, lambda.length].map((size) => new Float64Array(size)) as [
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    demand(t, loops.constraintJacobian(J));
    demand(t, loops.constraint(phi, rate, null));
    const moved = lambda.map((_, k) => qd.reduce((sum, v, a) => sum + J[n * k + a]! * v, 0));
    return powerOfLoops(robot, yieldNumbers(robot, dynamics.parameters), { phi, rate, moved, lambda });
  }

  /** Of all rows; the state is staged after it. @param y see the class. */
  private multipliersAt(t: number, y: Float64Array): { readonly status: Status; readonly lambda: Float64Array } {
    const { coordinates: n, dynamics, robot } = this;
    const rows = rowsOf(robot);
    if (rows === 0) return { status: KG_OK, lambda: new Float64Array(0) };
    const [tau, qdd, lambda] = [n, n, rows].map((size) => new Float64Array(size)) as [
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    this.stage(t, y);
    const driven = this.drive(t, dynamics, y.subarray(0, n), y.subarray(n, 2 * n), tau, new Float64Array(2));
    const loops = dynamics as LoadedRobot & Loops;
    return { status: driven === KG_OK ? loops.constrainedForwardDynamics(0, 0, tau, qdd, lambda) : driven, lambda };
  }

  private ropesOf(): Ropes | undefined {
    const { robot, dynamics, driven } = this;
    if (!dynamics.keepRopes) return undefined;
    return new Ropes({
      robot,
      dynamics: dynamics as LoadedRobot & Loops & Required<Pick<LoadedRobot, 'keepRopes'>>,
      stage: (t, y) => this.stage(t, y),
      multipliers: (t, y) => {
        const { status, lambda } = this.multipliersAt(t, y);
        demand(t, status);
        return lambda;
      },
      keep: (t, y, taut) => {
        this.stage(t, y);
        demand(t, dynamics.keepRopes!(taut));
        demand(t, driven.keepRopes(t, y, taut));
      },
    });
  }

  /** J, at the staged state. */
  private storedInLoops(t: number): number {
    const { robot, dynamics } = this;
    const numbers = this.isLed ? yieldNumbers(robot, dynamics.parameters) : [];
    if (numbers.every(({ compliance }) => compliance === 0)) return 0;
    const phi = new Float64Array(numbers.length);
    demand(t, (dynamics as LoadedRobot & Loops).constraint(phi, null, null));
    return storedInLoops(robot, numbers, phi);
  }

  /** Generalized forces beside those of actuators, at a state; undefined where a scenario has none. @param y see the class. */
  pushedAt(t: number, y: Float64Array): number[] | undefined {
    const { forces, loads } = this;
    if (loads.length === 0 && forces.every((signal) => signal === undefined)) return undefined;
    const tau = Float64Array.from(forces, (signal) => signal?.(t) ?? 0);
    this.stage(t, y);
    demand(t, this.addLoads(t, this.dynamics, tau));
    return [...tau];
  }

  private setTime(t: number): void {
    this.dynamics.parameters[TIME.name] = t;
  }

  /** Coordinates of the actuators. @param y see the class. */
  actuationAt(t: number, y: Float64Array): Float64Array {
    const found = new Float64Array(this.dynamics.actuators);
    this.stage(t, y);
    demand(t, this.dynamics.actuation(found, null, null, null));
    return found;
  }

  /** Bristles of contacts give way to what slipped up to a state. @param y see the class. */
  hold(t: number, y: Float64Array): void {
    if (!this.dynamics.hold) return;
    this.stage(t, y);
    demand(t, this.dynamics.hold());
  }

  private stage(t: number, y: Float64Array): void {
    const { coordinates: n } = this;
    if (this.robot.time) this.setTime(t);
    demand(t, this.dynamics.update(y.subarray(0, n), y.subarray(n, 2 * n)));
  }

  private kineticAt(t: number, y: Float64Array): number {
    const energy = new Float64Array(3);
    this.stage(t, y);
    demand(t, this.dynamics.energies(energy));
    return energy[0]!;
  }

  /** @param y see the class. */
  private carriedAt(t: number, y: Float64Array): number {
    if (!this.isCarried) return 0;
    const n = this.coordinates;
    const [still, back] = [y.slice(), y.slice()];
    for (let i = n; i < 2 * n; i++) {
      still[i] = 0;
      back[i] = -y[i]!;
    }
    return (this.kineticAt(t, y) - this.kineticAt(t, back)) / 2 + 2 * this.kineticAt(t, still);
  }

  /** @param y see the class. */
  observe(t: number, y: Float64Array, frames: readonly number[]): Observation {
    const carried = this.carriedAt(t, y);
    this.stage(t, y);
    const energy = new Float64Array(3);
    demand(t, this.dynamics.energies(energy));
    const positions = frames.map((frame) => {
      const position = new Float64Array(3);
      demand(t, this.dynamics.frame(frame, null, position, null));
      return [...position];
    });
    const { contacts, stored } = this.contactsAt(t);
    const elastic = energy[2]! + stored + this.storedInLoops(t);
    // A picture without them is no reason to end a run.
    const { status, lambda } = this.multipliersAt(t, y);
    const multipliers = status === KG_OK ? [...lambda] : [];
    return { kinetic: energy[0]!, potential: energy[1]!, elastic, carried, frames: positions, contacts, multipliers };
  }

  /** At the staged state, with the energy that their springs store, J. */
  private contactsAt(t: number): { readonly contacts: readonly ContactState[]; readonly stored: number } {
    const { pairs } = this;
    if (pairs === 0) return { contacts: [], stored: 0 };
    const [gap, energy] = [new Float64Array(pairs), new Float64Array(pairs)];
    const [position, force] = [new Float64Array(3 * pairs), new Float64Array(3 * pairs)];
    demand(t, this.dynamics.contact!(gap, null, position, force, energy, null, null, null));
    const at = (vectors: Float64Array, k: number): number[] => [...vectors.subarray(3 * k, 3 * k + 3)];
    const contacts = [...gap].map((own, k) => ({ gap: own, position: at(position, k), force: at(force, k) }));
    return { contacts, stored: energy.reduce((sum, own) => sum + own, 0) };
  }
}
