/**
 * Markers in motion: lines of the table are instants of one motion under its inputs, which go straight from line to line. The motion begins at
 * the coordinates and rates of the first line where the table has them, else at rest, in the equilibrium under the inputs of that line. Places
 * change with parameters by quotients of fourth order of whole motions, the initial equilibrium included.
 */
import { Matrix } from 'ml-matrix';
import type { LoadedRobot } from '../../codegen/typescript/load.ts';
import { KanegenError } from '../../common/error.ts';
import type { Robot } from '../../description/model/robot.ts';
import { closedStart } from '../../simulation/closed-start.ts';
import { failureText, simulate } from '../../simulation/run/simulate.ts';
import type { Expectation } from '../../simulation/scenario/expectation.ts';
import type { Scenario } from '../../simulation/scenario/scenario.ts';
import { tableSignal } from '../../simulation/scenario/signal.ts';
import { misfit, samplesWithin, slopeOf, type Changes, type MarkerProblem, type Misfit } from './marker-problem.ts';
import type { MarkerTable } from './marker-table.ts';

/** Of a parameter, for quotients: large enough that errors of steps do not count. */
const QUOTIENT = 3e-3;
const INTEGRATOR = { method: 'rosenbrock', tolerance: 1e-8, step: undefined, mostSteps: 1_000_000 } as const;

export class MovingMarkers implements MarkerProblem {
  /** A wrong modulus swings at a wrong pace: over many swings the squares have minima beside the best one, over few they have not. */
  readonly stages = [1 / 8, 1 / 4, 1 / 2, 1];
  readonly settled = 1e-6;
  readonly notes: readonly string[];
  private readonly dynamics: LoadedRobot;
  private readonly table: MarkerTable;
  private readonly names: readonly string[];
  private readonly scenario: Scenario;
  /** Of a motion that begins at rest: where that was last. */
  private begun: readonly number[];

  /** @param table with times. */
  constructor(robot: Robot, dynamics: LoadedRobot, table: MarkerTable, names: readonly string[]) {
    const { times = [], start } = table;
    this.dynamics = dynamics;
    this.table = table;
    this.names = names;
    this.begun = start?.q ?? robot.coordinates.map(({ value }) => value);
    this.notes = [
      start
        ? 'the motion begins at the coordinates of the first line'
        : 'the motion begins at rest, in the equilibrium under the inputs of the first line',
    ];
    this.scenario = {
      robot,
      summary: '',
      q: this.begun,
      qd: start?.qd ?? this.begun.map(() => 0),
      ...(start ? {} : { equilibrium: true as const }),
      start: times[0]!,
      end: times[times.length - 1]!,
      inputs: robot.actuators.map((_, i) =>
        tableSignal(
          times,
          table.inputs.map((own) => own[i]!),
        ),
      ),
      forces: [],
      loads: [],
      integrator: INTEGRATOR,
      every: times[times.length - 1]! - times[0]!,
      frames: [],
      events: [],
      expectations: [],
      sources: [],
    };
  }

  /** @throws KanegenError `no-motion`, `no-equilibrium` */
  at(values: readonly number[], lines: number): Misfit {
    return misfit(this.seen(lines), this.placesUnder(values, lines, true));
  }

  sensitivities(values: readonly number[], { sizes, bounds }: Changes, lines: number): Matrix {
    const seen = this.seen(lines);
    const columns = values.map((value, i) => {
      const samples = samplesWithin(value, QUOTIENT * sizes[i]!, bounds[i]!);
      const places = samples.map(({ change }) => this.placesUnder(values.with(i, value + change), lines));
      return slopeOf(samples, places).map((x) => x * sizes[i]!);
    });
    return new Matrix(seen.map((own, k) => columns.map((column) => (Number.isFinite(own) ? column[k]! : 0))));
  }

  private seen(lines: number): readonly number[] {
    return this.table.places.slice(0, lines).flat();
  }

  /** @param isKept whether the equilibrium at the start is where the next one is sought. */
  private placesUnder(values: readonly number[], lines: number, isKept = false): number[] {
    const { dynamics, table, names } = this;
    names.forEach((name, i) => (dynamics.parameters[name] = values[i]!));
    const times = table.times!.slice(0, lines);
    const begin = closedStart({ ...this.scenario, q: this.begun }, dynamics);
    if (isKept) this.begun = begin.q;
    const expectations = times.map((at): Expectation => ({
      ...{ at, none: false, within: Infinity, source: '', kind: undefined, notMet: undefined },
      values: table.columns.map(({ name, frame, axis }) => ({ name, of: { frame, axis }, value: 0 })),
    }));
    const end = times[times.length - 1]!;
    const { comparisons, failure } = simulate({ ...begin, end, expectations }, dynamics);
    if (failure)
      throw new KanegenError(
        'no-motion',
        `with ${names.map((name, i) => `${name} = ${Number(values[i]!.toPrecision(4))}`).join(', ')} the motion ${failureText(failure)}`,
        { remedy: 'begin closer to the data: --set NAME=VALUE, and look at the inputs' },
      );
    return comparisons.map(({ found }) => found);
  }
}
