/**
 * Markers at rest: a line of the table is an equilibrium. At r(q, p) = 0 the places x(q, p) change by dx/dp = ∂x/∂p − ∂x/∂q (∂r/∂q)⁻¹ ∂r/∂p; ∂r/∂q and
 * ∂x/∂q are those of generated code, derivatives by p at a fixed q are quotients of fourth order.
 */
import { Matrix } from 'ml-matrix';
import type { LoadedRobot } from '../../codegen/typescript/load.ts';
import { KanegenError } from '../../common/error.ts';
import { refuseLoops } from '../../description/model/loop.ts';
import type { Robot } from '../../description/model/robot.ts';
import { KG_OK, type Status } from '../../runtime/driver.ts';
import { Balance, solve } from '../../simulation/equilibria/balance.ts';
import { NoEquilibrium, noEquilibriumText, type Equilibrium } from '../../simulation/equilibria/equilibrium.ts';
import { movingCoordinates } from '../../simulation/equilibria/softest-motion.ts';
import { equilibrium } from '../../simulation/equilibria/statics.ts';
import { misfit, samplesWithin, slopeOf, type Changes, type MarkerProblem, type Misfit } from './marker-problem.ts';
import type { MarkerTable } from './marker-table.ts';

/** Of a parameter, for quotients. */
const QUOTIENT = 1e-3;

/** Of a marker by a unit of a coordinate, m: less is none. */
const UNMOVED = 1e-9;

export class RestingMarkers implements MarkerProblem {
  readonly stages = [1];
  readonly settled = 1e-9;
  private readonly robot: Robot;
  private readonly dynamics: LoadedRobot;
  private readonly table: MarkerTable;
  private readonly names: readonly string[];
  /** By line, what was found last. */
  private found: readonly Equilibrium[] = [];

  /** @throws KanegenError where the robot has loops. */
  constructor(robot: Robot, dynamics: LoadedRobot, table: MarkerTable, names: readonly string[]) {
    refuseLoops(robot, 'identification by markers at rest');
    this.robot = robot;
    this.dynamics = dynamics;
    this.table = table;
    this.names = names;
  }

  /** @throws KanegenError `no-equilibrium` */
  at(values: readonly number[], lines: number): Misfit {
    const { robot, dynamics, table } = this;
    this.set(values);
    const found: Equilibrium[] = [];
    const places = table.inputs.slice(0, lines).flatMap((inputs, line) => {
      const near = this.found[line] ?? found[line - 1];
      try {
        found.push(equilibrium(robot, dynamics, { inputs }, near?.q));
      } catch (error) {
        if (!(error instanceof NoEquilibrium)) throw error;
        throw new KanegenError('no-equilibrium', `line ${line + 1} of the markers: ${noEquilibriumText(error)}`, {
          remedy: 'begin closer to the data: --set NAME=VALUE',
        });
      }
      return this.placesAt(found[line]!.q);
    });
    this.found = found;
    return misfit(table.places.slice(0, lines).flat(), places);
  }

  sensitivities(values: readonly number[], { sizes, bounds }: Changes, lines: number): Matrix {
    const { table, names } = this;
    const all = values.map((value, i) => samplesWithin(value, QUOTIENT * sizes[i]!, bounds[i]!));
    const rows = table.inputs.slice(0, lines).flatMap((inputs, line) => {
      const { q } = this.found[line]!;
      const balance = new Balance(this.robot, this.dynamics, { inputs });
      this.set(values);
      const tangent = balance.tangent(q, 1);
      const byCoordinate = this.jacobianAt(q);
      const columns = all.map((samples, i) => {
        const around = samples.map(({ change }) => {
          this.set(values.with(i, values[i]! + change));
          return { r: balance.at(q, 1), x: this.placesAt(q) };
        });
        const by = (of: (at: (typeof around)[number]) => readonly number[]): number[] =>
          slopeOf(samples, around.map(of)).map((x) => x * sizes[i]!);
        const moved =
          solve(
            tangent,
            by(({ r }) => r),
          ) ?? q.map(() => NaN);
        return by(({ x }) => x).map((own, k) => own - moved.reduce((sum, dq, j) => sum + byCoordinate[k]![j]! * dq, 0));
      });
      this.set(values);
      return table.places[line]!.map((seen, k) =>
        Number.isFinite(seen) ? columns.map((column) => column[k]!) : names.map(() => 0),
      );
    });
    return new Matrix(rows);
  }

  /** Of coordinates that move markers and that nothing brings to where they were. */
  get notes(): readonly string[] {
    const told = this.found.flatMap(({ q, smallestEigenvalue, softest }) => {
      if (smallestEigenvalue !== 0) return [];
      const moved = this.jacobianAt(q).map((row) => row.reduce((sum, x, i) => sum + x * softest[i]!, 0));
      if (Math.max(...moved.map(Math.abs)) < UNMOVED) return [];
      return movingCoordinates(this.robot, softest).map(({ name }) => name);
    });
    const names = [...new Set(told)];
    if (names.length === 0) return [];
    const stays = names.length === 1 ? 'it stays at its default' : 'they stay near their defaults';
    return [
      `nothing at rest determines ${names.join(', ')}, and markers move with that: ${stays}; a spring at what was measured (\`stiffness\`, \`rest\`) brings it there`,
    ];
  }

  private set(values: readonly number[]): void {
    this.names.forEach((name, i) => (this.dynamics.parameters[name] = values[i]!));
  }

  private placesAt(q: readonly number[]): number[] {
    const { dynamics, table } = this;
    demand(dynamics.update(q, new Float64Array(q.length)));
    const place = new Float64Array(3);
    return table.columns.map(({ frame, axis }) => {
      demand(dynamics.frame(frame, null, place, null));
      return place[axis]!;
    });
  }

  private jacobianAt(q: readonly number[]): number[][] {
    const { dynamics, table } = this;
    const n = q.length;
    demand(dynamics.update(q, new Float64Array(n)));
    const J = new Float64Array(6 * n);
    return table.columns.map(({ frame, axis }) => {
      demand(dynamics.frame(frame, null, null, J));
      return [...J.subarray((3 + axis) * n, (4 + axis) * n)];
    });
  }
}

function demand(status: Status): void {
  if (status !== KG_OK) throw new KanegenError('no-equilibrium', 'the robot has no finite place there');
}
