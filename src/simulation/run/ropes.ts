/**
 * Ropes of a run: which are taut between switches. A taut one is a rigid row until it would push; a slack one does nothing until it is as
 * long as it can be, where rates lose what would lengthen it, as in an inelastic impact.
 */
import { isRigidRope } from '../../description/model/loop.ts';
import type { Robot } from '../../description/model/robot.ts';
import type { LoadedRobot } from '../../codegen/typescript/load.ts';
import type { Loops, Ropes as RopeFunctions } from '../../runtime/driver.ts';
import { demand, type Step } from '../integrators/integrator.ts';

/** Of ropes that are taut, and of those that must become so, m. */
const CLOSE = 1e-9;
const TOO_LONG = 1e-10;
/** The last corrections of a state that a step interpolates leave rounding. */
const CORRECTIONS = 3;
/** Why a run ends whose ropes switch too often between two times of interest. */
export const MOST_SWITCHES = 10_000;
export const RESTLESS = 'ropes go slack and taut without end';
/** Parts of a step at whose ends a switch is looked for. */
const PARTS = 8;

/** What a run has of the robot, for states (q, q̇, …) at a time. */
export interface RopedSystem {
  readonly robot: Robot;
  readonly dynamics: LoadedRobot & Loops & RopeFunctions;
  stage(t: number, y: Float64Array): void;
  /** Multipliers of all rows there. */
  multipliers(t: number, y: Float64Array): Float64Array;
  /** For all states that follow, also those of integrators; a number a row, see `keepRopes`. */
  keep(t: number, y: Float64Array, taut: readonly number[]): void;
}

export class Ropes {
  private readonly system: RopedSystem;
  /** Rows of ropes that do not give way: those that do are springs, which need no switch. */
  private readonly rows: readonly number[];
  private readonly count: number;
  private readonly names: readonly string[];
  private taut: ReadonlySet<number> = new Set();

  constructor(system: RopedSystem) {
    this.system = system;
    const all = (system.robot.loops ?? []).flatMap(({ rows }) => rows);
    this.count = all.length;
    this.names = all.map(({ name }) => name.replace(/\.length$/, ''));
    this.rows = all.flatMap((row, j) => (isRigidRope(row) ? [j] : []));
  }

  /**
   * At the start, and where a rope has switched: rates go where ropes let them, and ropes with tension are taut.
   * @param y is corrected.
   * @returns the energy that is lost, J, and what ropes have switched to.
   */
  settle(t: number, y: Float64Array): { readonly lost: number; readonly events: readonly string[] } {
    const { system, rows, taut } = this;
    if (rows.length === 0) return { lost: 0, events: [] };
    const { dynamics } = system;
    const n = dynamics.coordinates;
    const phi = this.residuals(t, y);
    const near = (j: number): boolean => this.taut.has(j) || phi[j]! > -CLOSE;
    system.keep(
      t,
      y,
      this.states((j) => (near(j) ? 0 : -1)),
    );
    const [dq, dqd] = [new Float64Array(n), new Float64Array(n)];
    for (let k = 0; k < CORRECTIONS; k++) {
      system.stage(t, y);
      demand(t, dynamics.constraintCorrection(dq, dqd));
      dq.forEach((x, a) => (y[a]! += x));
    }
    const before = this.kinetic(t, y);
    dqd.forEach((x, a) => (y[n + a]! += x));
    const lost = before - this.kinetic(t, y);
    const multipliers = system.multipliers(t, y);
    this.taut = new Set(rows.filter((j) => multipliers[j]! < 0));
    system.keep(
      t,
      y,
      this.states((j) => (this.taut.has(j) ? 1 : -1)),
    );
    const events = rows.flatMap((j) => {
      if (taut.has(j) === this.taut.has(j)) return [];
      return [`${this.names[j]!} ${taut.has(j) ? 'slack' : 'taut'}`];
    });
    return { lost, events };
  }

  /** The first time within a step at which a rope switches, and the state then; undefined where none does. */
  switchIn(step: Step, before: Float64Array): { readonly t: number; readonly y: Float64Array } | undefined {
    if (this.rows.length === 0) return undefined;
    const inside = new Float64Array(before.length);
    const isOver = (t: number): boolean => {
      if (t === step.to) inside.set(step.y);
      else step.at(t, inside);
      return this.isOver(t, inside);
    };
    let low = step.from;
    for (let k = 1; k <= PARTS; k++) {
      let high = k === PARTS ? step.to : step.from + ((step.to - step.from) * k) / PARTS;
      if (!isOver(high)) {
        low = high;
        continue;
      }
      while (high - low > 4 * Number.EPSILON * Math.max(Math.abs(high), step.to - step.from)) {
        const middle = low + (high - low) / 2;
        if (middle <= low || middle >= high) break;
        if (isOver(middle)) high = middle;
        else low = middle;
      }
      isOver(high);
      return { t: high, y: inside };
    }
    return undefined;
  }

  /** Ropes are judged by states again. */
  release(t: number, y: Float64Array): void {
    if (this.rows.length > 0)
      this.system.keep(
        t,
        y,
        this.states(() => 0),
      );
  }

  private isOver(t: number, y: Float64Array): boolean {
    const phi = this.residuals(t, y);
    if (this.rows.some((j) => !this.taut.has(j) && phi[j]! > TOO_LONG)) return true;
    if (this.taut.size === 0) return false;
    const multipliers = this.system.multipliers(t, y);
    return [...this.taut].some((j) => multipliers[j]! > 0);
  }

  private states(of: (row: number) => number): readonly number[] {
    return Array.from({ length: this.count }, (_, j) => (this.rows.includes(j) ? of(j) : 0));
  }

  private residuals(t: number, y: Float64Array): Float64Array {
    const phi = new Float64Array(this.count);
    this.system.stage(t, y);
    demand(t, this.system.dynamics.constraint(phi, null, null));
    return phi;
  }

  private kinetic(t: number, y: Float64Array): number {
    const energy = new Float64Array(3);
    this.system.stage(t, y);
    demand(t, this.system.dynamics.energies(energy));
    return energy[0]!;
  }
}
