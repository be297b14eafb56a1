/** A robot that is looked at: where its points are, its equilibria, modes and motion, by the questions of the page. */
import type { SymbolicRobot } from '../../api/robot.ts';
import { take } from '../../api/run-time-values.ts';
import type { LoadedRobot } from '../../codegen/typescript/load.ts';
import { randomNumbers } from '../../common/random.ts';
import { eachAxis } from '../../common/tuples.ts';
import type { Actuator } from '../../description/model/actuator.ts';
import { rowsOf } from '../../description/model/loop.ts';
import { contactPairs } from '../../description/model/contact.ts';
import type { Quantity, Robot } from '../../description/model/robot.ts';
import { boundsOf, currentOf, pointsOf, posesOf, structureOf, textOf } from '../../report/animation.ts';
import { arrowsOf, type ActingForces } from '../../report/drawing/arrows.ts';
import { RobotShape, type RobotPlaces } from '../../report/robot-shape.ts';
import type { Arrow, Triple } from '../../report/viewer/animation-data.ts';
import type {
  Acting,
  Answers,
  Balanced,
  Description,
  Modes,
  Moved,
  Placed,
  Question,
  Slider,
} from '../../report/viewer/live-messages.ts';
import { KG_OK, type Drive, type Dynamics, type Status } from '../../runtime/driver.ts';
import { DrivenRobot, Rosenbrock } from '../../runtime/rosenbrock.ts';
import { assemble, OpenLoops, openText } from '../../simulation/equilibria/assembly.ts';
import { NoEquilibrium, noEquilibriumText } from '../../simulation/equilibria/equilibrium.ts';
import { linearise } from '../../simulation/small-motions/linearise.ts';
import { equilibrium } from '../../simulation/equilibria/statics.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import { decimal } from '../../symbolic/graph/expr.ts';
import { NotNow } from './not-now.ts';

/** Pictures at random configurations that say how much room a robot needs. */
const TRIED = 12;
/** Of a step of the motion. */
const TOLERANCE = 1e-5;
/** s of wall time for one answer about the motion. */
const PATIENCE = 0.04;
/** Pictures of a mode, and the share of the robot's size that its largest amplitude moves a coordinate by. */
const PHASES = 24;
const AMPLITUDE = 0.1;
const MOST_MODES = 12;

/** What is answered at once. */
export type Asked = Exclude<Question, { ask: 'play' }>;

export class ViewedRobot {
  /** With the values that were asked for last. */
  model: Robot;
  private readonly opened: SymbolicRobot;
  private shape: RobotShape;
  private running: LoadedRobot | undefined;
  /** At rest, at the time zero. */
  private stands: LoadedRobot | undefined;
  /** s of the next step of the motion; zero: chosen anew. */
  private stepSize = 0;

  constructor(opened: SymbolicRobot) {
    this.opened = opened;
    this.model = opened.model;
    this.shape = new RobotShape(opened.model);
  }

  /** Compiles what motion needs. @throws KanegenError */
  async compile(): Promise<void> {
    const dynamics: LoadedRobot = await (await this.opened.compile({ derivatives: true })).run();
    take(dynamics, this.model);
    this.stands = await this.opened.standing();
    take(this.stands, this.model);
    this.running = dynamics;
  }

  /** @throws NotNow, KanegenError */
  answer<Kind extends Asked['ask']>(question: Extract<Asked, { ask: Kind }>): Answers[Kind];
  answer(question: Asked): Answers[Asked['ask']] {
    if (question.ask === 'robot') return this.describe();
    this.act(question);
    switch (question.ask) {
      case 'place':
        return this.placed(this.closed(question.q, question.held), { inputs: question.inputs });
      case 'statics':
        return this.balanced(question.q, question.inputs);
      case 'modes':
        return this.modes(question.q, question.inputs);
      case 'move':
        return this.moved(question);
    }
  }

  /** As the file has it. */
  private describe(): Description {
    const { model } = this.opened;
    this.take(model);
    const named = Object.entries(model.states).map(([name, q]) => ({ name, q }));
    // What loops hold together is seldom closed where all coordinates are zero: a state that has a name is meant.
    const isNamed = model.loops !== undefined && named.length > 0;
    const rest = isNamed ? named[0]!.q : model.coordinates.map(({ value }) => value);
    const coordinates = model.coordinates.map((own, i) =>
      sliderOf(own, rest[i]!, own.unit === 'm' ? 0.1 : own.unit === 'rad' ? Math.PI : 1),
    );
    const places = this.shape.place(rest, 0);
    const structure = structureOf(this.shape, places, model.gravity);
    const current = currentOf(model);
    const random = randomNumbers(1);
    const tried = Array.from({ length: TRIED }, () =>
      coordinates.map(({ lower, upper }) => (lower + upper) / 2 + ((upper - lower) / 2) * (random() - 0.5)),
    );
    const shown = [rest, ...Object.values(model.states), ...(isNamed ? [] : tried)];
    const pictures = shown.map((q) => pointsOf(this.shape.place(q, 0)));
    return {
      name: model.name,
      summary: model.summary,
      file: this.opened.file,
      structure,
      bounds: boundsOf(
        pictures.filter((points) => points.every(Number.isFinite)),
        structure.up,
      ),
      coordinates,
      inputs: model.actuators.map((own) => inputSlider(own)),
      parameters: model.parameters.map((own) => parameterSlider(own)),
      gravity: model.gravity,
      ...(current && { current }),
      recordings: [],
      states: isNamed ? named : [{ name: 'default', q: rest }, ...named],
      notes: this.shape.notes,
    };
  }

  /** With these values of parameters and gravity. */
  private act({ parameters, gravity }: Acting): void {
    this.take({
      ...this.model,
      gravity,
      parameters: this.model.parameters.map((own, i) => ({ ...own, value: decimal(parameters[i]!) })),
    });
  }

  private take(model: Robot): void {
    const before = this.model;
    const isMoved = model.parameters.some(({ value }, i) => value !== before.parameters[i]!.value);
    const isOther = isMoved || model.gravity.some((g, axis) => g !== before.gravity[axis]);
    if (!isOther) return;
    if (isMoved) this.shape = new RobotShape(model);
    for (const running of [this.running, this.stands]) if (running) take(running, model);
    this.model = model;
  }

  private dynamics(): LoadedRobot {
    if (!this.running) throw new NotNow('the robot is being compiled');
    return this.running;
  }

  private resting(): LoadedRobot {
    if (!this.stands) throw new NotNow('the robot is being compiled');
    return this.stands;
  }

  private pointsAt(q: readonly number[]): string {
    return pictureOf(this.shape.place(q, 0));
  }

  /** The configuration nearest to q that closes the loops, once the robot is compiled. @throws NotNow where there is none near by. */
  private closed(q: readonly number[], held: readonly number[] = []): readonly number[] {
    const { running, model } = this;
    if (!model.loops || !running) return q;
    try {
      return assemble(model, running, q, held).q;
    } catch (error) {
      if (error instanceof OpenLoops) throw new NotNow(openText(error));
      throw error;
    }
  }

  /** @param acting with multipliers where they mean something. */
  private placed(q: readonly number[], acting: ActingForces & { readonly push?: Arrow }): Placed {
    const { running, model, shape } = this;
    const places = shape.place(q, 0);
    const place = new Float64Array(3);
    const still = new Float64Array(q.length);
    const hasTip = running?.update(q, still) === KG_OK && running.frame(model.tip, null, place, null) === KG_OK;
    const tip: Triple = [place[0]!, place[1]!, place[2]!];
    const contacts = hasTip ? this.contacts(running) : undefined;
    const arrows = [
      ...arrowsOf(model, shape, places, { ...acting, ...(contacts && { contacts }) }),
      ...(acting.push ? [{ ...acting.push, at: tip }] : []),
    ];
    return { q, points: pictureOf(places), arrows, ...(hasTip && { tip }) };
  }

  /** At the staged state. */
  private contacts(running: LoadedRobot): ActingForces['contacts'] {
    const pairs = contactPairs(this.model).length;
    if (pairs === 0) return undefined;
    const [position, force] = [new Float64Array(3 * pairs), new Float64Array(3 * pairs)];
    if (running.contact!(null, null, position, force, null, null, null, null) !== KG_OK) return undefined;
    const at = (vectors: Float64Array, k: number): number[] => [...vectors.subarray(3 * k, 3 * k + 3)];
    return Array.from({ length: pairs }, (_, k) => ({ position: at(position, k), force: at(force, k) }));
  }

  /** Of the rows of loops at a state; nothing where they contradict each other. */
  private multipliers(q: readonly number[], qd: readonly number[], inputs: readonly number[]): readonly number[] {
    const rows = rowsOf(this.model);
    if (rows === 0) return [];
    const dynamics = this.dynamics();
    const [tau, qdd, lambda] = [new Float64Array(q.length), new Float64Array(q.length), new Float64Array(rows)];
    const isFound =
      dynamics.update(q, qd) === KG_OK &&
      dynamics.actuate(inputs, tau) === KG_OK &&
      dynamics.constrainedForwardDynamics!(0, 0, tau, qdd, lambda) === KG_OK;
    return isFound ? [...lambda] : [];
  }

  private balanced(start: readonly number[], inputs: readonly number[]): Balanced {
    const { q, smallestEigenvalue } = this.equilibrium(start, inputs);
    const still = q.map(() => 0);
    const placed = this.placed(q, { inputs, multipliers: this.multipliers(q, still, inputs) });
    return { ...placed, stable: smallestEigenvalue > 0, smallestEigenvalue };
  }

  private equilibrium(start: readonly number[], inputs: readonly number[]): ReturnType<typeof equilibrium> {
    try {
      return equilibrium(this.model, this.resting(), { inputs }, start);
    } catch (error) {
      if (error instanceof NoEquilibrium) throw new NotNow(noEquilibriumText(error));
      throw error;
    }
  }

  private modes(start: readonly number[], inputs: readonly number[]): Modes {
    const { q } = this.equilibrium(start, inputs);
    const { modes } = linearise(this.model, this.resting(), { q, qd: q.map(() => 0) }, { inputs });
    return {
      modes: modes.slice(0, MOST_MODES).map(({ frequency, damping, shape }) => ({
        frequency,
        damping,
        pictures: Array.from({ length: PHASES }, (_, k) => {
          const share = AMPLITUDE * Math.sin((2 * Math.PI * k) / PHASES);
          return this.pointsAt(q.map((x, i) => x + share * this.rangeOf(i) * shape[i]!));
        }),
      })),
    };
  }

  /** Of a coordinate: how far it may go. */
  private rangeOf(index: number): number {
    const { lower = -1, upper = 1 } = this.model.coordinates[index]!;
    return Math.min(upper - lower, Math.PI);
  }

  private moved({ q: from, qd, seconds: asked, inputs, push }: Extract<Question, { ask: 'move' }>): Moved {
    const n = from.length;
    const dynamics = this.dynamics();
    const demand = (status: Status): void => {
      if (status !== KG_OK) throw new NotNow('the motion has no finite next step: begin again, or lower what acts');
    };
    const drive: Drive = (_, acting, __, ___, tau) => {
      const status = inputs.some((u) => u !== 0) ? acting.actuate(inputs, tau) : KG_OK;
      return status === KG_OK && push.some((a) => a !== 0) ? this.push(acting, push, tau) : status;
    };
    const motion = new Rosenbrock(new DrivenRobot<Dynamics>(dynamics, drive), TOLERANCE);
    demand(motion.start(0, [...from, ...qd]));
    const began = performance.now();
    motion.stepSize = this.stepSize;
    while (motion.t < asked && performance.now() - began < 1000 * PATIENCE) demand(motion.stepTowards(asked));
    this.stepSize = motion.stepSize;
    const [q, rates] = [motion.y.slice(0, n), motion.y.slice(n, 2 * n)];
    const energy = new Float64Array(3);
    demand(dynamics.update(q, rates));
    demand(dynamics.energies(energy));
    const multipliers = this.multipliers([...q], [...rates], inputs);
    const force = push.some((a) => a !== 0) ? this.pushForce(dynamics, push) : undefined;
    const arrow: Arrow | undefined = force && { name: 'push', kind: 'load', at: [0, 0, 0], force };
    const placed = this.placed([...q], { inputs, multipliers, ...(arrow && { push: arrow }) });
    return { ...placed, qd: [...rates], seconds: motion.t, energy: energy.reduce((sum, part) => sum + part, 0) };
  }

  /** tau += Jᵀ f of the force on the tip that accelerates it so. */
  private push(dynamics: Dynamics, acceleration: Triple, tau: Float64Array): Status {
    const force = this.pushForce(dynamics, acceleration);
    return force ? dynamics.external(this.model.tip, [0, 0, 0, ...force], tau) : KG_OK;
  }

  /** At the staged state: |f| = |a|/(n · J M⁻¹ Jᵀ n) along n = a/|a|; undefined where no force moves the tip so. */
  private pushForce(dynamics: Dynamics, acceleration: Triple): Triple | undefined {
    const n = this.model.coordinates.length;
    const size = Math.hypot(...acceleration);
    const [along, answer] = [new Float64Array(n), new Float64Array(n)];
    const direction = [0, 0, 0, ...acceleration.map((a) => a / size)];
    if (dynamics.external(this.model.tip, direction, along) !== KG_OK) return undefined;
    if (dynamics.solveMass(1, along, answer) !== KG_OK) return undefined;
    const mobility = along.reduce((sum, x, i) => sum + x * answer[i]!, 0);
    return mobility > 0 ? eachAxis((axis) => acceleration[axis] / mobility) : undefined;
  }
}

/** Points and poses. */
export function pictureOf(places: RobotPlaces): string {
  const [points, poses] = [pointsOf(places), posesOf(places)];
  const numbers = new Float32Array(points.length + poses.length);
  numbers.set(points);
  numbers.set(poses, points.length);
  return textOf(numbers);
}

interface Limited {
  readonly name: string;
  readonly unit: string;
  readonly lower?: number;
  readonly upper?: number;
}

/** Tendons pull, and pressures are above that around, where nothing else is said. */
function inputSlider(own: Actuator): Slider {
  const lower = own.lower ?? (own.kind === 'tendon' || own.kind === 'pressure' ? 0 : undefined);
  const limited = { ...own, ...(lower !== undefined && { lower }) };
  return sliderOf(limited, inside(limited, 0), own.kind === 'pressure' ? 20_000 : 10);
}

const inside = ({ lower = -Infinity, upper = Infinity }: Limited, value: number): number =>
  Math.min(upper, Math.max(lower, value));

/** @param reach of what has no limits, about its value. */
function sliderOf({ name, unit, lower, upper }: Limited, value: number, reach: number): Slider {
  return {
    name,
    unit,
    value,
    lower: lower ?? Math.min(value - reach, (upper ?? value) - reach),
    upper: upper ?? Math.max(value + reach, (lower ?? value) + reach),
  };
}

function parameterSlider({ name, unit, value, lower, upper }: Quantity): Slider {
  const number = evaluate([value])[0]!;
  const reach = number === 0 ? 1 : Math.abs(number);
  const low = lower ?? (number > 0 ? number / 4 : number - reach);
  return { name, unit, value: number, lower: low, upper: upper ?? Math.max(number + 2 * reach, low + reach) };
}
