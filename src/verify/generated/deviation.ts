/**
 * How far two results of the same dynamics are apart, on the scale of the terms that make up each number:
 * |Δτ_a|, |Δc_a|, |Δg_a| against Σ_b |M_ab||q̈_b| + |c_a| + |g_a| or against what these consist of; |ΔM_ab| against √(M_aa M_bb); the tip against the
 * robot's length; accelerations by the forces that their difference takes; energies against what they are made of; elastic and viscous forces against the largest of their kind;
 * an actuation coordinate against itself, its rate, its gradient and the forces of actuators against what these consist of;
 * of tendons in straight pieces that are the motions of the ends, which cancel where a length hardly changes.
 */
import { Decimal } from 'decimal.js';
import type { Evaluation, State } from './evaluation.ts';
import { loopDeviations, lossOfRows, type ExpectedLoops } from './loop-deviation.ts';

/** Numbers to compare with, as far as they are known: doubles, or decimals of more digits, subtracted before they are rounded. */
export interface Expected {
  readonly M?: readonly (readonly Decimal.Value[])[] | undefined;
  readonly c?: readonly Decimal.Value[] | undefined;
  readonly g?: readonly Decimal.Value[] | undefined;
  readonly tau?: readonly Decimal.Value[] | undefined;
  readonly tau_active?: readonly Decimal.Value[] | undefined;
  readonly elastic?: readonly Decimal.Value[] | undefined;
  readonly damping?: readonly Decimal.Value[] | undefined;
  readonly fluid?: readonly Decimal.Value[] | undefined;
  /** What forward dynamics should yield; when missing, the accelerations of the state. */
  readonly qdd?: readonly Decimal.Value[] | undefined;
  /** Of loops, by the same code in another form. */
  readonly multipliers?: readonly number[] | undefined;
  readonly stiffness?: readonly (readonly Decimal.Value[])[] | undefined;
  readonly dissipation?: readonly (readonly Decimal.Value[])[] | undefined;
  readonly kinetic_energy?: Decimal.Value | undefined;
  readonly potential_energy?: Decimal.Value | undefined;
  readonly elastic_energy?: Decimal.Value | undefined;
  /** Kinetic, potential and elastic together. */
  readonly energy?: Decimal.Value | undefined;
  /** Of robots whose first coordinates are the displacement of a free base, kg m/s: the forces that their rates would take. */
  readonly linear_momentum?: readonly Decimal.Value[] | undefined;
  readonly tip_position?: readonly Decimal.Value[] | undefined;
  readonly tip_rotation?: readonly (readonly Decimal.Value[])[] | undefined;
  /** 6 × n, angular first, world axes. */
  readonly tip_jacobian?: readonly (readonly Decimal.Value[])[] | undefined;
  readonly y?: readonly Decimal.Value[] | undefined;
  readonly yd?: readonly Decimal.Value[] | undefined;
  readonly ydd0?: readonly Decimal.Value[] | undefined;
  readonly B?: readonly (readonly Decimal.Value[])[] | undefined;
  readonly actuation?: readonly Decimal.Value[] | undefined;
  readonly loops?: ExpectedLoops | undefined;
}

export type ComparedQuantity =
  | 'tau'
  | 'qdd'
  | 'c'
  | 'g'
  | 'M'
  | PassiveQuantity
  | PassiveMatrix
  | 'fluid'
  | 'energies'
  | 'stored'
  | 'tip'
  | 'actuation'
  | 'loops';

export type PassiveQuantity = 'elastic' | 'damping';

export type PassiveMatrix = 'stiffness' | 'dissipation';

const PASSIVE: readonly PassiveQuantity[] = ['elastic', 'damping'];
const MATRICES: readonly PassiveMatrix[] = ['stiffness', 'dissipation'];

/** An error relative to its scale, and the entry that has it (`tau[3]`, `M[0][2]`). */
export interface Deviation {
  readonly quantity: ComparedQuantity;
  readonly entry: string;
  readonly error: number;
}

const COMPARED_QUANTITIES: readonly ComparedQuantity[] = [
  ...(['tau', 'qdd', 'c', 'g', 'M'] as const),
  ...PASSIVE,
  ...MATRICES,
  ...(['fluid', 'energies', 'stored', 'tip', 'actuation', 'loops'] as const),
];

const Precise = Decimal.clone({ precision: 40 });

/**
 * |actual − expected| / scale; the difference is formed before rounding. A scale of zero wants exact agreement, and on one
 * that is no number nothing agrees.
 */
export function relative(actual: number, expected: Decimal.Value, scale: number): number {
  if (!Number.isFinite(actual) || !Number.isFinite(scale)) return Infinity;
  const difference = new Precise(actual).minus(expected).abs().toNumber();
  return difference === 0 ? 0 : difference / scale;
}

/** What rows are compared on where more is known than the numbers themselves: the terms that cancel in them. */
export interface RowScales {
  /** Added to √M_aa. */
  readonly inertia: readonly number[];
  /** In place of Σ_b |M_ab||q̈_b| + |c_a| + |g_a|, of rows that have an entry. */
  readonly forces: readonly ForceScales[];
  /** What elastic and viscous forces are compared on at least. */
  readonly passive?: Readonly<Record<PassiveQuantity, number>>;
  /** What forces of water are compared on at least. */
  readonly fluid?: number;
  readonly actuation?: ActuationScales;
}

/** What numbers of each actuator are compared on at least: ends of a tendon move, and its length need not change. */
export interface ActuationScales {
  /** Of ẏ, in its unit. */
  readonly rates: readonly number[];
  /** Of ÿ at q̈ = 0, which is compared where this is known: terms of any size may cancel in it. */
  readonly accelerations: readonly number[];
  /** Of a column of B. */
  readonly gradients: readonly number[];
}

/** What errors of a coordinate's forces are relative to, by what they belong to. */
export type ForceScales = Readonly<Record<'tau' | 'c' | 'g', number>>;

/**
 * The worst deviation of every quantity.
 * @param lengthScale of the robot, m: for tip positions.
 * @param energyScale J: potential energy of the robot's weight at its length, for energies that cancel.
 * @param rows for rows whose terms cancel or vanish at the state.
 */
export function deviations(
  actual: Evaluation & { readonly tip_jacobian?: readonly (readonly number[])[] },
  expected: Expected,
  state: State,
  lengthScale: number,
  energyScale: number,
  rows?: RowScales,
): Deviation[] {
  const found: Deviation[] = [];
  const add = (quantity: ComparedQuantity, entry: string, error: number): void => {
    found.push({ quantity, entry, error: Number.isNaN(error) ? Infinity : error });
  };
  // What is not known is compared with nothing, but has its part in the scales.
  const { M = actual.M, c = actual.c, g = actual.g } = expected;
  const size = M.map((row, a) => Math.sqrt(Math.abs(Number(row[a]))) + (rows?.inertia[a] ?? 0));
  const missing = actual.qdd?.map((x, b) => new Precise(expected.qdd?.[b] ?? state.qdd[b]!).minus(x).toNumber());
  const closed = (expected.multipliers ?? []).map((multiplier, j) => ({
    row: actual.J![j]!,
    multiplier,
    missing: multiplier - actual.multipliers![j]!,
  }));
  const loss = closed.length > 0 && missing ? lossOfRows(actual.M, actual.J!, actual.rank!) : 1;
  closed.forEach(({ row }, j) => {
    if (!missing) return;
    const [left, size] = [missing, actual.qdd!].map((of) => row.map((x, b) => x * of[b]!)) as [number[], number[]];
    const terms = size.reduce((sum, x) => sum + Math.abs(x), Math.abs(actual.bias![j]!));
    add('qdd', `J qdd[${j}]`, relative(left.reduce((sum, x) => sum + x, 0), 0, loss * terms));
  });
  // At rest there is nothing else to measure forces of the weight that vanish by.
  const atRest = expected.tau ? 0 : Math.max(0, ...g.map((x) => Math.abs(Number(x))));
  const leastPassive = (rows?.passive?.elastic ?? 0) + (rows?.passive?.damping ?? 0) + (rows?.fluid ?? 0);
  M.forEach((row, a) => {
    const inertia = row.reduce<number>((sum, m, b) => sum + Math.abs(Number(m) * state.qdd[b]!), 0);
    const terms = inertia + Math.abs(Number(c[a])) + Math.abs(Number(g[a])) + atRest;
    for (const quantity of ['tau', 'c', 'g'] as const) {
      const value = expected[quantity]?.[a];
      const scale = rows?.forces[a]?.[quantity] ?? terms;
      if (value !== undefined) add(quantity, `${quantity}[${a}]`, relative(actual[quantity][a]!, value, scale));
    }
    const passive = leastPassive + Math.abs(actual.elastic[a]!) + Math.abs(actual.damping[a]!) + Math.abs(actual.fluid?.[a] ?? 0);
    if (missing && expected.M) {
      const force = row.reduce<number>((sum, m, b) => sum + Number(m) * missing[b]!, 0);
      // Where loops are closed multipliers have their part, and accelerations may be large.
      const ofLoops = closed.map(({ row: gradient, ...own }) => gradient[a]! * own.missing);
      const whole = row.map((m, b) => Math.abs(Number(m) * actual.qdd![b]!));
      const larger = closed.length === 0 ? [] : [...whole, ...closed.map((own) => Math.abs(own.row[a]! * own.multiplier))];
      const size = [passive, ...larger].reduce((sum, x) => sum + x, rows?.forces[a]?.tau ?? terms);
      add('qdd', `M qdd[${a}]`, relative(force - ofLoops.reduce((sum, x) => sum + x, 0), 0, loss * size));
    }
    const active = expected.tau_active?.[a];
    if (active !== undefined) add('tau', `tau_active[${a}]`, relative(actual.tau_active[a]!, active, terms + passive));
    if (expected.M)
      row.forEach((m, b) => add('M', `M[${a}][${b}]`, relative(actual.M[a]![b]!, m, size[a]! * size[b]!)));
  });
  for (const quantity of MATRICES)
    matrixErrors(actual[quantity], expected[quantity] ?? []).forEach((row, a) =>
      row.forEach((error, b) => add(quantity, `${quantity}[${a}][${b}]`, error)),
    );
  for (const quantity of PASSIVE) {
    const forces = expected[quantity] ?? [];
    const scale = Math.max(rows?.passive?.[quantity] ?? 0, ...forces.map((x) => Math.abs(Number(x))));
    forces.forEach((x, a) => add(quantity, `${quantity}[${a}]`, relative(actual[quantity][a]!, x, scale)));
  }
  const fluid = expected.fluid ?? [];
  const fluidScale = Math.max(rows?.fluid ?? 0, ...fluid.map((x) => Math.abs(Number(x))));
  fluid.forEach((x, a) => add('fluid', `fluid[${a}]`, relative(actual.fluid?.[a] ?? NaN, x, fluidScale)));
  const leastMotion = state.qd.reduce((sum, v, a) => sum + Math.abs(v) * (rows?.inertia[a] ?? 0), 0);
  // Joints that follow the time move without q̇.
  const kineticScale = Math.max(
    quadraticForm(M, state.qd) + leastMotion ** 2 / 2,
    Math.abs(Number(expected.kinetic_energy ?? 0)),
  );
  if (expected.kinetic_energy !== undefined)
    add('energies', 'kinetic energy', relative(actual.kinetic_energy, expected.kinetic_energy, kineticScale));
  if (expected.potential_energy !== undefined) {
    const scale = Math.max(Math.abs(Number(expected.potential_energy)), energyScale);
    add('energies', 'potential energy', relative(actual.potential_energy, expected.potential_energy, scale));
  }
  if (expected.elastic_energy !== undefined) {
    const scale = Math.max(Math.abs(Number(expected.elastic_energy)), energyScale);
    add('stored', 'elastic energy', relative(actual.elastic_energy, expected.elastic_energy, scale));
  }
  if (expected.energy !== undefined) {
    const whole = actual.kinetic_energy + actual.potential_energy + actual.elastic_energy;
    const scale = Math.max(Math.abs(Number(expected.energy)), kineticScale + energyScale);
    add('energies', 'energy', relative(whole, expected.energy, scale));
  }
  expected.linear_momentum?.forEach((p, i) => {
    const parts = actual.M[i]!.map((m, b) => m * state.qd[b]!);
    const scale = parts.reduce((sum, x) => sum + Math.abs(x), 0);
    add('energies', `linear momentum[${i}]`, relative(parts.reduce((sum, x) => sum + x, 0), p, scale));
  });
  expected.tip_position?.forEach((p, i) =>
    add('tip', `tip position[${i}]`, relative(actual.tip_position[i]!, p, lengthScale)),
  );
  expected.tip_rotation?.forEach((row, i) =>
    row.forEach((r, j) => add('tip', `tip rotation[${i}][${j}]`, relative(actual.tip_rotation[i]![j]!, r, 1))),
  );
  const jacobian = expected.tip_jacobian ?? [];
  const sizes = jacobian.length > 0 ? columnSizes({ jacobian }, lengthScale, state.q.length) : [];
  jacobian.forEach((row, i) =>
    row.forEach((x, a) => {
      const size = sizes[a]! * (i < 3 ? 1 : lengthScale);
      add('tip', `J[${i}][${a}] of the tip`, relative(actual.tip_jacobian?.[i]?.[a] ?? NaN, x, size));
    }),
  );
  for (const { entry, error } of actuationErrors(actual, expected, state, rows?.actuation)) add('actuation', entry, error);
  if (expected.loops)
    for (const { entry, error } of loopDeviations(actual, expected.loops, state, lengthScale, relative))
      add('loops', entry, error);
  return COMPARED_QUANTITIES.map((quantity) => worst(found.filter((d) => d.quantity === quantity))).filter(
    (d) => d !== undefined,
  );
}

function actuationErrors(
  { y, yd, ydd0, B, actuation }: Evaluation,
  expected: Expected,
  { qd, u = [] }: State,
  leastScales?: ActuationScales,
): readonly Omit<Deviation, 'quantity'>[] {
  const gradients = expected.B ?? [];
  const column = (j: number): number[] => gradients.map((row) => Math.abs(Number(row[j])));
  const forces = gradients.map((row) => row.reduce<number>((sum, b, j) => sum + Math.abs(Number(b) * (u[j] ?? 0)), 0));
  const parts = (leastScales?.gradients ?? []).reduce((sum, size, j) => sum + Math.abs(size * (u[j] ?? 0)), 0);
  const least = Math.max(LEAST_FORCE * Math.max(0, ...forces), parts);
  return [
    ...(expected.y ?? []).map((due, j) => ({
      entry: `y[${j}]`,
      error: relative(y?.[j] ?? NaN, due, Math.abs(Number(due))),
    })),
    ...(expected.yd ?? []).map((due, j) => {
      const terms = column(j).reduce((sum, b, a) => sum + b * Math.abs(qd[a]!), 0);
      const scale = Math.max(terms, leastScales?.rates[j] ?? 0);
      return { entry: `yd[${j}]`, error: relative(yd?.[j] ?? NaN, due, scale) };
    }),
    ...(expected.ydd0 ?? []).flatMap((due, j) => {
      const scale = leastScales?.accelerations[j] ?? 0;
      const size = Math.max(scale, Math.abs(Number(due)));
      return scale > 0 ? [{ entry: `ydd0[${j}]`, error: relative(ydd0?.[j] ?? NaN, due, size) }] : [];
    }),
    ...gradients.flatMap((row, a) =>
      row.map((due, j) => ({
        entry: `B[${a}][${j}]`,
        error: relative(B?.[a]?.[j] ?? NaN, due, Math.max(leastScales?.gradients[j] ?? 0, ...column(j))),
      })),
    ),
    ...(expected.actuation ?? []).map((due, a) => ({
      entry: `actuation[${a}]`,
      error: relative(actuation?.[a] ?? NaN, due, Math.max(forces[a]!, least)),
    })),
  ];
}

/**
 * Of the largest force of actuators: what others are compared on at least. Those that vanish are sums of terms as large as that, of which
 * codes in different orders differ by some roundings.
 */
export const LEAST_FORCE = 1e-2;

/** Entries against √(K_aa K_bb), where a diagonal entry counts as a millionth of the largest entry at least. */
function matrixErrors(
  actual: readonly (readonly number[])[],
  expected: readonly (readonly Decimal.Value[])[],
): readonly (readonly number[])[] {
  const largest = Math.max(0, ...expected.flatMap((row) => row.map((x) => Math.abs(Number(x)))));
  const size = expected.map((row, a) => Math.sqrt(Math.max(Math.abs(Number(row[a])), LEAST_STIFFNESS * largest)));
  return expected.map((row, a) => row.map((x, b) => relative(actual[a]![b]!, x, size[a]! * size[b]!)));
}

/** Of the largest entry: below, what nearly vanishes at a state is a rounding error. */
const LEAST_STIFFNESS = 1e-6;

/** ½ Σ |q̇_a M_ab q̇_b| */
function quadraticForm(massMatrix: readonly (readonly Decimal.Value[])[], qd: readonly number[]): number {
  let total = 0;
  massMatrix.forEach((row, a) => row.forEach((m, b) => (total += Math.abs(qd[a]! * Number(m) * qd[b]!) / 2)));
  return total;
}

function worst(list: readonly Deviation[]): Deviation | undefined {
  return list.reduce<Deviation | undefined>((most, d) => (most && most.error >= d.error ? most : d), undefined);
}

interface JacobianOnly {
  readonly jacobian: readonly (readonly Decimal.Value[])[];
}

/**
 * Of every column of a Jacobian: its angular part, or its linear part over the length of the robot. A column that nearly vanishes counts as a
 * thousandth of the largest: what is left of it are roundings of the terms that cancel.
 */
export function columnSizes({ jacobian }: JacobianOnly, length: number, n: number): number[] {
  const sizes = Array.from({ length: n }, (_, a) => {
    const entries = jacobian.map((row) => Decimal.abs(row[a]!).toNumber());
    return Math.max(...entries.slice(0, 3), ...entries.slice(3).map((x) => (length > 0 ? x / length : x)));
  });
  const least = LEAST_COLUMN * Math.max(0, ...sizes);
  return sizes.map((size) => Math.max(size, least));
}

const LEAST_COLUMN = 1e-3;
