/**
 * A controller at work in a simulation: inputs of the actuators at a time and a state, asked for whenever the integrator wants
 * them, or in periods, between which they are held.
 */
import { eachAxis } from '../../common/tuples.ts';
import type { LoadedController, LoadedRobot, RunningShell } from '../../codegen/typescript/load.ts';
import type { Robot } from '../../description/model/robot.ts';
import { KG_OK, type Dynamics, type Status } from '../../runtime/driver.ts';
import { SHELL_RUN } from '../../runtime/shell.ts';
import type { ControlChoice } from '../scenario/control-choice.ts';
import type { Reference } from '../scenario/reference.ts';
import { faultText, type FaultyStep } from './shell-faults.ts';

/** A fault of the shell of a controller. */
interface ShellFault {
  /** s */
  readonly t: number;
  readonly reason: string;
}

type ReferenceNumbers = Readonly<Record<'y' | 'yd' | 'ydd', Float64Array>>;

export class Control {
  /** The inputs that were computed last. */
  readonly u: Float64Array;
  /** Of the last step that was asked for. */
  status: Status = KG_OK;
  readonly period: number | undefined;
  private readonly controller: LoadedController;
  private readonly robot: Dynamics;
  private readonly state: ReturnType<LoadedController['createState']>;
  private readonly parameters: ReturnType<LoadedController['createParameters']>;
  private readonly references: readonly Reference[];
  /** References as they are given, and as the controller takes them. */
  private readonly given: ReferenceNumbers;
  private readonly taken: ReferenceNumbers;
  private readonly at = new Float64Array(3);
  private readonly faultOf: (step: FaultyStep) => string;
  /** Of the shell, where the controller has one. */
  readonly faults: ShellFault[] = [];
  private readonly shell: RunningShell | undefined;
  private before: number | undefined;
  /** Coordinates as they are measured, and what one count of an encoder is; zero where a coordinate is measured exactly. */
  private readonly measured: Float64Array;
  private readonly counts: readonly number[];
  private readonly lost: NonNullable<ControlChoice['lost']>;

  /** @param part the law alone, without shell and sensors. */
  constructor(
    robot: Robot,
    dynamics: LoadedRobot,
    choice: ControlChoice,
    start: readonly number[],
    part: 'all' | 'law' = 'all',
  ) {
    this.controller = [...dynamics.controllers.values()][choice.controller]!;
    this.faultOf = (step) => faultText(robot, robot.controllers![choice.controller]!, step);
    this.robot = dynamics.twin();
    this.state = this.controller.createState();
    this.parameters = this.controller.createParameters();
    this.period = choice.period;
    if (choice.period !== undefined && 'period' in this.parameters) this.parameters['period'] = choice.period;
    this.shell = part === 'all' ? this.controller.shell?.create() : undefined;
    if (this.shell && choice.period !== undefined) this.shell.period = choice.period;
    this.measured = new Float64Array(robot.coordinates.length);
    this.lost = (part === 'all' && choice.lost) || [];
    this.counts = robot.coordinates.map(({ unit }) =>
      part === 'all' && choice.encoders !== undefined && unit === 'rad' ? (2 * Math.PI) / 2 ** choice.encoders : 0,
    );
    this.u = new Float64Array(robot.actuators.length);
    const rest = this.restingAt(robot, choice, start);
    this.references = choice.references.map((reference, i) => reference ?? ((_, out) => out.set([rest[i]!, 0, 0])));
    const isPose = robot.controllers![choice.controller]!.law.kind === 'task-space';
    const arrays = (y: number, yd: number, ydd: number): ReferenceNumbers => ({
      y: new Float64Array(y),
      yd: new Float64Array(yd),
      ydd: new Float64Array(ydd),
    });
    const count = this.references.length;
    this.given = arrays(count, count, count);
    this.taken = isPose ? arrays(12, 6, 6) : this.given;
  }

  /** What the controller refers to, at the start. */
  private restingAt(robot: Robot, { controller }: ControlChoice, start: readonly number[]): readonly number[] {
    const own = robot.controllers![controller]!;
    if (own.law.kind === 'shape') return own.law.tensions.map((i) => start[i]!);
    if (own.law.kind !== 'partial-feedback-linearisation' && own.law.kind !== 'task-space') return start;
    this.robot.update(
      start,
      start.map(() => 0),
    );
    if (own.law.kind === 'task-space') return poseNumbers(this.robot, own.law.frame);
    const y = new Float64Array(robot.actuators.length);
    this.robot.actuation(y, null, null, null);
    return own.law.outputs.map((i) => y[i]!);
  }

  /** The reference at a time as the controller takes it; the arrays are used again. */
  referenceAt(t: number): ReferenceNumbers {
    const { given, taken, at } = this;
    this.references.forEach((reference, i) => {
      reference(t, at);
      given.y[i] = at[0]!;
      given.yd[i] = at[1]!;
      given.ydd[i] = at[2]!;
    });
    if (taken !== given) poseReference(given, taken);
    return taken;
  }

  /** Inputs at a state from now on. */
  step(t: number, q: ArrayLike<number>, qd: ArrayLike<number>): Status {
    const { y, yd, ydd } = this.referenceAt(t);
    const seen = this.measure(t, q);
    const { shell, controller, robot, u } = this;
    if (!shell) {
      this.status = controller.step(robot, this.state, this.parameters, seen, qd, y, yd, ydd, u);
      return this.status;
    }
    // A shell has inputs whatever happens.
    const dt = this.before === undefined ? shell.period : t - this.before;
    this.before = t;
    const { faults } = shell.core;
    controller.shell!.step(robot, shell, SHELL_RUN, dt, seen, qd, y, yd, ydd, u);
    if (shell.core.faults > faults)
      this.faults.push({ t, reason: this.faultOf({ shell, dt, q: seen, qd, references: [y, yd, ydd] }) });
    return KG_OK;
  }

  private measure(t: number, q: ArrayLike<number>): Float64Array {
    const { measured, counts, lost } = this;
    counts.forEach((count, i) => (measured[i] = count > 0 ? count * Math.round(q[i]! / count) : q[i]!));
    for (const { coordinate, from, to } of lost) if (t >= from && t < to) measured[coordinate] = NaN;
    return measured;
  }
}

/** x, y, z, roll, pitch, yaw of a frame at the staged state. */
function poseNumbers(robot: Dynamics, frame: number): number[] {
  const [R, t] = [new Float64Array(9), new Float64Array(3)];
  robot.frame(frame, R, t, null);
  const pitch = Math.atan2(-R[6]!, Math.hypot(R[0]!, R[3]!));
  return [...t, Math.atan2(R[7]!, R[8]!), pitch, Math.atan2(R[3]!, R[0]!)];
}

/** Rotation, origin, twist and its derivative of the numbers of a pose, their rates and second derivatives. */
function poseReference(from: ReferenceNumbers, to: ReferenceNumbers): void {
  const [roll, pitch, yaw] = eachAxis((axis) => from.y[3 + axis]!);
  const [rollRate, pitchRate, yawRate] = eachAxis((axis) => from.yd[3 + axis]!);
  const [rollSecond, pitchSecond, yawSecond] = eachAxis((axis) => from.ydd[3 + axis]!);
  const [cr, sr, cp, sp] = [Math.cos(roll), Math.sin(roll), Math.cos(pitch), Math.sin(pitch)];
  const [cy, sy] = [Math.cos(yaw), Math.sin(yaw)];
  to.y.set([
    ...[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
    ...[sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
    ...[-sp, cp * sr, cp * cr],
    ...from.y.subarray(0, 3),
  ]);
  to.yd.set([
    cy * cp * rollRate - sy * pitchRate,
    sy * cp * rollRate + cy * pitchRate,
    yawRate - sp * rollRate,
    ...from.yd.subarray(0, 3),
  ]);
  to.ydd.set([
    cy * cp * rollSecond -
      sy * pitchSecond -
      (sy * cp * yawRate + cy * sp * pitchRate) * rollRate -
      cy * yawRate * pitchRate,
    sy * cp * rollSecond +
      cy * pitchSecond +
      (cy * cp * yawRate - sy * sp * pitchRate) * rollRate -
      sy * yawRate * pitchRate,
    yawSecond - sp * rollSecond - cp * pitchRate * rollRate,
    ...from.ydd.subarray(0, 3),
  ]);
}
