/** An observer at work in a simulation: measurements of the robot with the noise of the file, and the estimate that comes of them. */
import type { LoadedObserver, LoadedRobot, RunningObserver } from '../../codegen/typescript/load.ts';
import { cross } from '../../common/poses.ts';
import { normalNumber, randomNumbers } from '../../common/random.ts';
import { numbersOf, type Measurement } from '../../description/model/controller.ts';
import type { Robot } from '../../description/model/robot.ts';
import { KG_OK, type Dynamics, type Status } from '../../runtime/driver.ts';
import type { ObserverChoice } from '../scenario/control-choice.ts';

export class ObserverAtWork {
  readonly period: number;
  private readonly observer: LoadedObserver;
  private readonly running: RunningObserver;
  /** What it computes with, and what is measured. */
  private readonly model: Dynamics;
  private readonly plant: Dynamics;
  private readonly measurements: readonly Measurement[];
  private readonly random: () => number;
  private readonly z: Float64Array;
  private before: number | undefined;

  /** @param plant a robot of its own: states are staged in it. */
  constructor(robot: Robot, model: LoadedRobot, plant: LoadedRobot, choice: ObserverChoice) {
    const own = robot.observers![choice.observer]!;
    this.observer = [...model.observers.values()][choice.observer]!;
    this.running = this.observer.create();
    this.running.q.set(choice.start);
    this.period = own.period;
    this.model = model.twin();
    this.plant = plant.twin();
    this.measurements = own.measurements;
    this.random = randomNumbers(choice.seed);
    this.z = new Float64Array(own.measurements.reduce((sum, one) => sum + numbersOf(one), 0));
  }

  /** The estimate. */
  get q(): Float64Array {
    return this.running.q;
  }

  get qd(): Float64Array {
    return this.running.qd;
  }

  /** The estimate goes on to the time t, where the robot is at (q, qd). @param u inputs that acted since the last step. */
  step(t: number, q: ArrayLike<number>, qd: ArrayLike<number>, u: ArrayLike<number>): Status {
    const { before } = this;
    this.before = t;
    if (before === undefined) return KG_OK;
    const status = this.measure(q, qd);
    return status === KG_OK ? this.observer.step(this.model, this.running, t - before, u, this.z) : status;
  }

  private measure(q: ArrayLike<number>, qd: ArrayLike<number>): Status {
    const { plant, z } = this;
    const [y, R, position] = [plant.actuators, 9, 3].map((size) => new Float64Array(size)) as [
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    let status = plant.update(q, qd);
    if (status === KG_OK) status = plant.actuation(y, null, null, null);
    let at = 0;
    for (const measurement of this.measurements) {
      const { of, noise } = measurement;
      if (of.kind === 'position' || of.kind === 'rotation') {
        if (status === KG_OK) status = plant.frame(of.frame, R, position, null);
        if (of.kind === 'rotation')
          z.set(turned(R, [0, 1, 2].map(() => noise * normalNumber(this.random)) as [number, number, number]), at);
        else of.axes.forEach((axis, i) => (z[at + i] = position[axis]! + noise * normalNumber(this.random)));
      } else {
        const exact = { actuator: y, coordinate: q, rate: qd }[of.kind][of.index]!;
        z[at] = exact + noise * normalNumber(this.random);
      }
      at += numbersOf(measurement);
    }
    return status;
  }
}

/** exp([w]) R, by Rodrigues' formula. */
function turned(R: Float64Array, w: readonly [number, number, number]): number[] {
  const angle = Math.hypot(...w);
  const [sine, versine] = angle > 0 ? [Math.sin(angle) / angle, (1 - Math.cos(angle)) / angle ** 2] : [1, 0.5];
  const columns = [0, 1, 2].map((j) => {
    const column = [R[j]!, R[3 + j]!, R[6 + j]!];
    const once = cross(w, column);
    const twice = cross(w, once);
    return column.map((x, i) => x + sine * once[i]! + versine * twice[i]!);
  });
  return [0, 1, 2].flatMap((i) => columns.map((column) => column[i]!));
}
