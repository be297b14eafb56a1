/**
 * How many Newton steps a balance of sections needs within the limits of its coordinates, and whether it can be solved there: by solving it
 * in numbers at the corners of the limits, or at as many drawn at random and at both ends of each coordinate alone, and once more in decimals where it
 * converges last: there rounding errors neither hide nor hold up the convergence. Whether the coordinates are
 * independent is told by the scaled Gram matrix ∫ [g_a]ᵀ H⁻¹ [g_b] ds at rest and at some of these states.
 */
import type { NewtonStudy } from '../link/body-way.ts';
import { KanegenError } from '../../common/error.ts';
import { randomNumbers } from '../../common/random.ts';
import { decimalOfPrecision, evaluate } from '../../symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import type { BodyType } from '../../description/model/robot.ts';
import type { CoordinateSymbols } from '../equations/rates.ts';
import { coordinateRanges, type CoordinateRange, type ParameterValues } from '../kinematics/sample-configurations.ts';
import { runAlong } from '../rod-points/line-points.ts';
import { smallestEigenvector } from './small-matrices.ts';
import { NumericBalance } from './numeric-balance.ts';
import type { BalancedRod } from './solved-strain.ts';

/** Corners that are all looked at, and states where there are more. */
const MOST_CORNERS = 1024;
const RANDOM_STATES = 1000;
/** Shares of every panel where sections are looked at. */
const PLACES = [0.02, 0.37, 0.71, 0.98];
const MOST_STEPS = 12;
/** States that are solved again, each at its worst place, and in how many digits. */
const AGAIN = 10;
const DIGITS = 50;
/** What the last step may change of a strain: of shear and stretch, and of curvature times the reach of the tendons. */
const SETTLED = 1e-13;
/** What curvatures are compared with strains by where there are no tendons, of the length of the rod. */
const REACH = 0.02;
/** Smallest eigenvalue of the scaled Gram matrix of coordinates that are independent. */
const INDEPENDENT = 1e-10;
/** States at which it is formed. */
const GRAM_STATES = 3;

/**
 * @param ends of panels.
 * @throws KanegenError `not-convex`, `too-many-steps` or `redundant-coordinates` at the equilibrium.
 */
export function studyNewton(
  type: BodyType,
  rod: Omit<BalancedRod, 'steps'>,
  symbols: Pick<CoordinateSymbols, 'q'>,
  ends: readonly Expr[],
  parameters: readonly ParameterValues[],
): NewtonStudy {
  const { formulas } = rod.equilibrium;
  const written = new NumericBalance(rod, symbols);
  const order = written.isSymmetric ? undefined : new Study(type, rod, written, ends, parameters[0]!).order();
  const ordered = order
    ? {
        ...rod,
        equilibrium: { ...rod.equilibrium, formulas: { ...formulas!, values: order.map((i) => formulas!.values[i]!) } },
      }
    : rod;
  const balance = order ? new NumericBalance(ordered, symbols) : written;
  const studies = parameters.map((numbers) => new Study(type, ordered, balance, ends, numbers).result());
  return {
    steps: Math.max(...studies.map((own) => own.steps)),
    once: balance.isUniform,
    independence: Math.min(...studies.map((own) => own.independence)),
    ...(order && { order }),
  };
}

class Study {
  private readonly rod: Omit<BalancedRod, 'steps'>;
  private readonly balance: NumericBalance;
  private readonly parameters: ParameterValues;
  private readonly ranges: readonly CoordinateRange[];
  private readonly places: readonly number[];
  /** Largest distance of a tendon from the axis. */
  private readonly reach: number;

  constructor(
    type: BodyType,
    rod: Omit<BalancedRod, 'steps'>,
    balance: NumericBalance,
    ends: readonly Expr[],
    parameters: ParameterValues,
  ) {
    this.rod = rod;
    this.balance = balance;
    this.parameters = parameters;
    this.ranges = coordinateRanges(type, parameters);
    const borders = evaluate(ends, new Map(parameters));
    this.places = borders.slice(1).flatMap((to, i) => PLACES.map((share) => borders[i]! + share * (to - borders[i]!)));
    const across = rod.equilibrium.tendons.flatMap((own) => own.across);
    const columns = runAlong(across, new Map([[rod.axial, Float64Array.from(this.places)]]), parameters);
    const reach = Math.max(0, ...columns.flatMap((column) => [...column].map(Math.abs)));
    this.reach = reach > 0 ? reach : REACH * Math.abs(borders.at(-1)! - borders[0]!);
  }

  result(): Pick<NewtonStudy, 'steps' | 'independence'> {
    const states = statesWithin(this.ranges);
    const steps = this.rod.equilibrium.newton ?? this.stepsFor(states);
    return { steps, independence: this.independence(states) };
  }

  /** Of equations, in which they have pivots at the defaults. @throws KanegenError `singular-equations`. */
  order(): readonly number[] {
    const { balance, parameters, places } = this;
    const rows = rowsOf(places, [this.ranges.map(({ value }) => value)]);
    const values = balance.at(rows.places, rows.states, balance.restAt(rows.places, parameters), parameters);
    const found = balance.orderAt(values, Math.floor(rows.count / 2));
    if (found) return found;
    throw new KanegenError(
      'singular-equations',
      'the Jacobian of the equations is singular where the strain begins, at the defaults of the coordinates',
      { remedy: 'write equations that decide every unknown, or another `start`' },
    ).at(this.rod.equilibrium.location);
  }

  private stepsFor(states: readonly (readonly number[])[]): number {
    const { failed, steps = 0, changes, rows } = this.solve(states, MOST_STEPS);
    if (failed !== undefined) throw this.notConvex(states[failed]!);
    const worst = this.worstRows(changes);
    const again = worst.map((row) => this.stepsInDecimals(rows.places[row]!, states[this.stateOf(row)]!));
    const unsolved = again.indexOf(undefined);
    if (unsolved >= 0) throw this.tooManySteps(states[this.stateOf(worst[unsolved]!)]!);
    return Math.max(steps, ...(again as number[]));
  }

  private stateOf(row: number): number {
    return Math.floor(row / this.places.length);
  }

  /** Of the states that change most, the place where they do. */
  private worstRows(changes: Float64Array): readonly number[] {
    const { length } = this.places;
    const ofStates = Array.from({ length: changes.length / length }, (_, state) => {
      const own = changes.subarray(state * length, (state + 1) * length);
      return state * length + own.indexOf(Math.max(...own));
    });
    return ofStates.sort((a, b) => changes[b]! - changes[a]!).slice(0, AGAIN);
  }

  /** The last of them changes nothing; none where the most do not suffice. */
  private stepsInDecimals(place: number, state: readonly number[]): number | undefined {
    const { balance, parameters } = this;
    const Number_ = decimalOfPrecision(DIGITS);
    let strain = balance.restInDecimals(place, parameters, Number_);
    for (let step = 1; step <= MOST_STEPS; step++) {
      const change = balance.stepInDecimals(place, state, strain, parameters, Number_);
      strain = strain.map((e, i) => e.minus(change[i]!));
      if (change.every((e, i) => this.scaled(i, e.toNumber()) <= SETTLED)) return step;
    }
    return undefined;
  }

  private scaled(unknown: number, change: number): number {
    return Math.abs(change) * (this.rod.equilibrium.unknowns[unknown]!.component < 3 ? this.reach : 1);
  }

  /** Of all places at all states, until the last change is none; or which state has no positive definite matrix. */
  private solve(
    states: readonly (readonly number[])[],
    most: number,
  ): {
    readonly steps?: number;
    readonly failed?: number;
    /** By row, of the last step that still changed some. */
    readonly changes: Float64Array;
    readonly values: readonly Float64Array[];
    readonly rows: Rows;
  } {
    const { balance, parameters, places } = this;
    const { size } = balance;
    const rows = rowsOf(places, states);
    const strain = balance.restAt(rows.places, parameters);
    let changes = new Float64Array(rows.count);
    for (let step = 1; ; step++) {
      const values = balance.at(rows.places, rows.states, strain, parameters);
      const before = changes;
      changes = new Float64Array(rows.count);
      for (let row = 0; row < rows.count; row++) {
        const factor = balance.factorAt(values, row);
        if (!factor) return { failed: this.stateOf(row), changes, values, rows };
        const right = Array.from({ length: size }, (_, i) => values[i]![row]!);
        factor(right).forEach((change, i) => {
          strain[i]![row]! -= change;
          changes[row] = Math.max(changes[row]!, this.scaled(i, change));
        });
      }
      const undefinedRow = changes.findIndex(Number.isNaN);
      if (undefinedRow >= 0) return { failed: this.stateOf(undefinedRow), changes, values, rows };
      if (changes.every((own) => own <= SETTLED))
        return { steps: step, changes: step > 1 ? before : changes, values, rows };
      if (step === most) return { changes, values, rows };
    }
  }

  /** The first state on the way from the defaults to another at which the most steps do not solve the balance. */
  private firstUnsolved(state: readonly number[]): readonly number[] {
    const at = (share: number): number[] => this.ranges.map(({ value }, a) => value + share * (state[a]! - value));
    let [low, high] = [0, 1];
    for (let k = 0; k < 20; k++) {
      const middle = (low + high) / 2;
      if (this.solve([at(middle)], MOST_STEPS).steps === undefined) high = middle;
      else low = middle;
    }
    return at(high);
  }

  private notConvex(state: readonly number[]): KanegenError {
    const { location } = this.rod.equilibrium;
    if (!this.balance.isSymmetric) {
      const first = this.named(this.firstUnsolved(state));
      return new KanegenError('singular-equations', `the Jacobian of the equations has no pivot at ${first}`, {
        remedy: 'write narrower `limits`, or another `start`',
      }).at(location);
    }
    if (this.solve([this.ranges.map(({ value }) => value)], 1).failed !== undefined)
      return new KanegenError(
        'not-convex',
        'the equilibrium is not a minimum of energy at the defaults of the coordinates',
        { remedy: 'write a `default` of each tension at which it does not push, or a stiffer `material`' },
      ).at(location);
    const values = this.firstUnsolved(state);
    const worst = values.reduce((least, value, a) => (value < values[least]! ? a : least), 0);
    const { name, unit } = this.ranges[worst]!;
    const others = this.ranges.flatMap((range, a) => (a === worst ? [] : [`${range.name} = ${rounded(values[a]!)}`]));
    const rest = others.length > 0 ? `, with the others at ${others.join(', ')}` : '';
    return new KanegenError(
      'not-convex',
      `the equilibrium is not a minimum of energy for all coordinates within their limits: not below ${rounded(values[worst]!)} ${unit} of \`${name}\`${rest}`,
      { remedy: `write \`limits\` of \`${name}\` above that` },
    ).at(location);
  }

  private tooManySteps(state: readonly number[]): KanegenError {
    const first = this.named(this.firstUnsolved(state));
    const take = this.balance.isSymmetric ? 'the equilibrium takes' : 'the equations take';
    return new KanegenError(
      'too-many-steps',
      `${take} more than ${MOST_STEPS} Newton steps within the limits of its coordinates: at ${first} already`,
      { remedy: 'write narrower `limits`, or a stiffer section' },
    ).at(this.rod.equilibrium.location);
  }

  private named(state: readonly number[]): string {
    return this.ranges.map(({ name, unit }, a) => `${name} = ${rounded(state[a]!)} ${unit}`).join(', ');
  }

  /** Smallest eigenvalue of the scaled Gram matrix. */
  private independence(states: readonly (readonly number[])[]): number {
    const { balance } = this;
    const { size } = balance;
    const scale = this.rod.equilibrium.unknowns.map(({ component }) => (component < 3 ? this.reach ** 2 : 1));
    const count = this.ranges.length;
    const looked = [this.ranges.map((range) => range.value), ...states.slice(0, GRAM_STATES)];
    const gram = Array.from({ length: count }, () => new Array<number>(count).fill(0));
    const { values, rows } = this.solve(looked, MOST_STEPS);
    for (let row = 0; row < rows.count; row++) {
      const factor = balance.factorAt(values, row);
      if (!factor) continue;
      const from = balance.fields;
      const fields = Array.from({ length: count }, (_, a) =>
        Array.from({ length: size }, (__, i) => values[from + size * a + i]![row]!),
      );
      const divided = fields.map(factor);
      // Of equations of any kind the changes of strain alone.
      const others = balance.isSymmetric ? fields : divided.map((own) => own.map((e, i) => e * scale[i]!));
      for (let a = 0; a < count; a++)
        for (let b = 0; b < count; b++) gram[a]![b]! += others[a]!.reduce((sum, e, i) => sum + e * divided[b]![i]!, 0);
    }
    const idle = gram.findIndex((own, a) => !(own[a]! > 0));
    if (idle >= 0) throw this.redundant([idle], 0);
    const scales = gram.map((own, a) => 1 / Math.sqrt(own[a]!));
    const scaled = gram.map((own, a) => own.map((e, b) => e * scales[a]! * scales[b]!));
    const worst = smallestEigenvector(scaled);
    if (worst.value >= INDEPENDENT) return worst.value;
    const largest = Math.max(...worst.vector.map(Math.abs));
    throw this.redundant(
      worst.vector.flatMap((e, a) => (Math.abs(e) > 1e-3 * largest ? [a] : [])),
      worst.value,
    );
  }

  private redundant(which: readonly number[], value: number): KanegenError {
    const names = which.map((a) => `\`${this.ranges[a]!.name}\``);
    const [only] = names;
    return new KanegenError(
      'redundant-coordinates',
      names.length === 1
        ? `the coordinate ${only!} changes no strain that is free`
        : `${names.join(', ')} change the strains of the rod in dependent ways: some combination of them does nothing (smallest eigenvalue ${value.toExponential(1)})`,
      {
        remedy:
          names.length === 1
            ? 'remove it, or let its tendon run beside the axis'
            : 'remove one of them, or change its route',
      },
    ).at(this.rod.equilibrium.location);
  }
}

const rounded = (value: number): string => String(Number(value.toPrecision(2)));

/** Every place at every state, places first. */
interface Rows {
  readonly count: number;
  readonly places: Float64Array;
  readonly states: readonly Float64Array[];
}

function rowsOf(places: readonly number[], states: readonly (readonly number[])[]): Rows {
  const count = places.length * states.length;
  return {
    count,
    places: Float64Array.from({ length: count }, (_, row) => places[row % places.length]!),
    states: states[0]!.map((_, a) =>
      Float64Array.from({ length: count }, (__, row) => states[Math.floor(row / places.length)]![a]!),
    ),
  };
}

function statesWithin(ranges: readonly CoordinateRange[]): readonly (readonly number[])[] {
  const corners = 2 ** ranges.length;
  if (corners <= MOST_CORNERS)
    return Array.from({ length: corners }, (_, k) =>
      ranges.map(({ low, high }, a) => (Math.floor(k / 2 ** a) % 2 === 0 ? high : low)),
    );
  const random = randomNumbers(11);
  const drawn = Array.from({ length: RANDOM_STATES }, () =>
    ranges.map(({ low, high }) => low + random() * (high - low)),
  );
  const alone = ranges.flatMap(({ low, high }, a) =>
    [low, high].map((end) => ranges.map(({ value }, b) => (a === b ? end : value))),
  );
  return [ranges.map(({ high }) => high), ...drawn, ...alone];
}
