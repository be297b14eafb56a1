/** What derivatives of generated code are compared with: quotients of fourth order along directions without structure. */
import type { Decimal } from 'decimal.js';
import type { LoadedRobot, LoadedStraight } from '../../codegen/typescript/load.ts';
import { contactPairs } from '../../description/model/contact.ts';
import type { Robot } from '../../description/model/robot.ts';
import { randomNumbers } from '../../common/random.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import { zero } from '../../symbolic/graph/expr.ts';
import { KG_OK, type Status } from '../../runtime/driver.ts';
import type { AlembertResult } from '../independent/alembert-result.ts';
import { rangeOf, type SampledState } from '../independent/sample-states.ts';
import { LEAST_FORCE, type TypicalSizes } from './laws.ts';
import type { Ledger } from './ledger.ts';

/** Straight-line functions, with what they take first: parameters where any are kept. */
export interface StraightDerivatives {
  readonly functions: LoadedStraight;
  readonly kept: readonly LoadedRobot['parameters'][];
}

export interface DerivativeContext {
  readonly ledger: Ledger;
  readonly robot: Robot;
  readonly dynamics: LoadedRobot;
  readonly straight?: StraightDerivatives | undefined;
  readonly typical: TypicalSizes;
  /** Length of a typical link, m. */
  readonly length: number;
  /** Of what integrals over the bodies allow. */
  readonly tolerance: number;
}

/**
 * Steps of quotients in units of directions, powers of two: places are exact in binary. So short that drag of a body that moves slowly, which bends
 * within its speed, is smooth over them.
 */
const STEP = 2 ** -13;
/** Where bodies touch: few quotients then reach over an edge, where forces have kinks. In many digits, and in double precision. */
const STEPS_AT_EDGES = [2 ** -16, 2 ** -14] as const;
/** Of places, in units of the range of their coordinate. */
const GRID = 2 ** -24;
/** Of directions. */
const COARSE = 2 ** -7;
/** Of quotients of fourth order with such steps in double precision or better. */
const QUOTIENT = 1e-8;

export type Vector = readonly number[];

/** A state at places that are exact in binary, changes of it, and what functions change along them. */
export class DirectionalQuotients {
  protected readonly context: DerivativeContext;
  protected readonly n: number;
  /** What a coordinate moves by, a power of two. */
  protected readonly sizes: Vector;
  /** What its rate changes by: so little that dry friction is smooth over the steps of a quotient. */
  protected readonly rateSizes: Vector;
  protected readonly q: Vector;
  protected readonly qd: Vector;
  protected readonly qdd: Vector;
  protected readonly u: Vector;
  /** Of D'Alembert's principle, and of functions in double precision. */
  protected readonly preciseStep: number;
  protected readonly step: number;
  protected readonly name: string;
  protected readonly random: () => number;
  protected readonly time: { readonly t?: number };

  constructor(context: DerivativeContext, { q, qd, qdd, t, name }: SampledState) {
    const { robot, dynamics, length } = context;
    this.context = context;
    this.n = q.length;
    [this.preciseStep, this.step] = contactPairs(robot).length > 0 ? STEPS_AT_EDGES : [STEP, STEP];
    this.name = name;
    this.time = t === undefined ? {} : { t };
    this.random = randomNumbers(7);
    const ranges = robot.coordinates.map((c) => rangeOf(c, c.value, length));
    this.sizes = ranges.map(([low, high]) => (high > low ? 2 ** Math.floor(Math.log2((high - low) / 2)) : 1));
    const smooth = smoothSpeeds(robot, dynamics.parameters as Record<string, number>);
    this.rateSizes = this.sizes.map((size, a) =>
      Math.min(2 * size, 2 ** Math.floor(Math.log2(Math.hypot(qd[a]!, smooth[a]!)))),
    );
    const exact = (x: number, a: number): number => Math.round(x / (this.sizes[a]! * GRID)) * this.sizes[a]! * GRID;
    this.q = q.map((x, a) => {
      const [[low, high], room] = [ranges[a]!, 4 * this.step * this.sizes[a]!];
      return exact(Math.min(Math.max(x, low + room), Math.max(high - room, low + room)), a);
    });
    this.qd = qd.map(exact);
    this.qdd = [...qdd];
    this.u = robot.actuators.map(({ lower = -1, upper = lower + 2 }) => lower + (upper - lower) * this.random());
  }

  /** A change without structure, in units of the ranges of the coordinates. */
  protected direction(scale = 1): number[] {
    return this.sizes.map((size) => scale * size * this.share());
  }

  /** A change of the rates. */
  protected rateDirection(): number[] {
    return this.rateSizes.map((size) => size * this.share());
  }

  private share(): number {
    const drawn = 2 * this.random() - 1;
    return COARSE * Math.round((drawn + Math.sign(drawn || 1) * 0.3) / COARSE);
  }

  protected stage(q: Vector = this.q, qd: Vector = this.qd): void {
    this.context.dynamics.update(q, qd);
  }

  /** Of forces by D'Alembert's principle at places along a direction, per unit of it. */
  protected forcesAlong(
    results: readonly AlembertResult[],
    of: (result: AlembertResult, a: number) => Decimal,
  ): number[] {
    return this.q.map((_, a) => {
      const [sum, ...others] = results.map((result, i) => of(result, a).times(OFFSETS[i]![1]));
      return others.reduce((total, x) => total.plus(x), sum!).toNumber() / (12 * this.preciseStep);
    });
  }

  /** Of a function of the staged state in double precision, along changes of it. */
  protected along(value: () => ArrayLike<number>, dq: Vector, dqd: Vector): number[] {
    const total = this.quotient(value, (by) => this.stage(moved(this.q, by, dq), moved(this.qd, by, dqd)));
    this.stage();
    return total;
  }

  protected quotient(value: () => ArrayLike<number>, move: (by: number) => void): number[] {
    let total: number[] | undefined;
    for (const [k, weight] of OFFSETS) {
      move(k * this.step);
      const own = Array.from(value(), (x) => (weight * x) / (12 * this.step));
      total = total ? total.map((x, i) => x + own[i]!) : own;
    }
    return total!;
  }

  /** What changes of tau consist of, by coordinate: magnitudes of the contributions of all coordinates. */
  protected rowSizes(directions: readonly Vector[]): number[] {
    const { dynamics, typical } = this.context;
    const { n } = this;
    this.stage();
    const sizes = typical.force.map(({ tau }) => LEAST_FORCE * tau);
    directions.forEach((direction, which) => {
      const columns = new Float64Array(n * n);
      direction.forEach((x, b) => (columns[b * n + b] = x));
      const given = [0, 1, 2].map((k) => (k === which ? columns : null));
      const dtau = new Float64Array(n * n);
      dynamics.inverseDynamicsTangent!(n, this.qdd, given[0]!, given[1]!, given[2]!, dtau);
      dtau.forEach((x, i) => (sizes[i % n]! += Math.abs(x)));
    });
    return sizes;
  }

  protected compare(
    name: string,
    entry: string,
    found: ArrayLike<number>,
    due: Vector,
    sizes: Vector,
    kinks = 0,
  ): void {
    const { ledger, tolerance } = this.context;
    due.forEach((x, i) => {
      const difference = Math.abs(found[i]! - x);
      const error = difference === 0 ? 0 : difference / sizes[i]!;
      ledger.note(
        name,
        Math.max(QUOTIENT, tolerance, kinks > 0 ? kinks / sizes[i]! : 0),
        error,
        `${entry}[${i}], ${this.name}`,
      );
    });
  }

  protected demand(name: string, status: Status): void {
    if (status !== KG_OK) this.context.ledger.note(name, 0, Infinity, `status ${status}, ${this.name}`);
  }

  protected compareSums(
    name: string,
    entry: string,
    found: ArrayLike<number>,
    terms: readonly Vector[],
    typical: Vector = [],
  ): void {
    const sums = terms.map((own) => own.reduce((sum, x) => sum + x, 0));
    const sizes = terms.map((own) => own.reduce((sum, x) => sum + Math.abs(x), 0));
    const least = LEAST_FORCE * Math.max(...sizes, ...typical);
    this.compare(
      name,
      entry,
      found,
      sums,
      sizes.map((size) => size + least || 1),
    );
  }

  /** One after the other, at values with room on both sides; afterwards parameters are what they were. */
  protected eachParameter(visit: (index: number, unit: number, move: (by: number) => void) => void): void {
    const { dynamics, robot } = this.context;
    const values = dynamics.parameters as Record<string, number>;
    robot.parameters.forEach(({ name, lower = -Infinity, upper = Infinity }, index) => {
      const before = values[name]!;
      const unit = before === 0 ? 2 ** -4 : 2 ** Math.floor(Math.log2(Math.abs(before)));
      const centre = Math.max(lower + 2 * this.step * unit, Math.min(upper - 2 * this.step * unit, before));
      const move = (by: number): void => {
        values[name] = centre + by * unit;
        this.stage();
      };
      move(0);
      visit(index, unit, move);
      values[name] = before;
      this.stage();
    });
  }
}

/** Speeds below which dry friction of joints is smooth, by coordinate; infinite where there is none. */
function smoothSpeeds(robot: Robot, parameters: Readonly<Record<string, number>>): number[] {
  const values = new Map(robot.parameters.map(({ symbol, name }) => [symbol, parameters[name]!]));
  return robot.coordinates.map(({ link, part }, a) => {
    const before = robot.coordinates.slice(0, a).filter((own) => own.link === link).length;
    const forces = part === 'joint' ? robot.links[link]!.joint.forces?.[before] : undefined;
    return forces && forces.friction !== zero ? evaluate([forces.slowness], values)[0]! : Infinity;
  });
}

/** Central differences of fourth order: places and weights, over 12 steps. */
export const OFFSETS = [
  [2, -1],
  [1, 8],
  [-1, -8],
  [-2, 1],
] as const;

export function moved(from: Vector, by: number, direction: Vector): number[] {
  return from.map((x, i) => x + by * direction[i]!);
}

export function dot(a: Vector, b: Vector): number {
  return a.reduce((sum, x, i) => sum + x * b[i]!, 0);
}
