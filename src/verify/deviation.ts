/**
 * How far two results of the same dynamics are apart, on the scale of the terms that make up each number:
 * |Δτ_a|, |Δc_a|, |Δg_a| against Σ_b |M_ab||q̈_b| + |c_a| + |g_a| or against what these consist of; |ΔM_ab| against √(M_aa M_bb); the tip against the
 * robot's length; accelerations by the forces that their difference takes; energies against what they are made of; elastic and viscous forces against the largest of their kind.
 */
import { Decimal } from 'decimal.js';
import type { Evaluation, State } from './evaluation.ts';

/** Numbers to compare with: doubles, or decimals of more digits, subtracted before they are rounded. */
export interface Expected {
  readonly M: readonly (readonly Decimal.Value[])[];
  readonly c: readonly Decimal.Value[];
  readonly g: readonly Decimal.Value[];
  readonly tau: readonly Decimal.Value[];
  readonly elastic?: readonly Decimal.Value[] | undefined;
  readonly damping?: readonly Decimal.Value[] | undefined;
  /** What forward dynamics should yield; when missing, the accelerations of the state. */
  readonly qdd?: readonly Decimal.Value[] | undefined;
  readonly kinetic_energy: Decimal.Value;
  readonly potential_energy: Decimal.Value;
  readonly elastic_energy?: Decimal.Value | undefined;
  readonly tip_position?: readonly Decimal.Value[] | undefined;
  readonly tip_rotation?: readonly (readonly Decimal.Value[])[] | undefined;
}

export type ComparedQuantity = 'tau' | 'qdd' | 'c' | 'g' | 'M' | PassiveQuantity | 'energies' | 'stored' | 'tip';

export type PassiveQuantity = 'elastic' | 'damping';

const PASSIVE: readonly PassiveQuantity[] = ['elastic', 'damping'];

/** An error relative to its scale, and the entry that has it (`tau[3]`, `M[0][2]`). */
export interface Deviation {
  readonly quantity: ComparedQuantity;
  readonly entry: string;
  readonly error: number;
}

export const COMPARED_QUANTITIES: readonly ComparedQuantity[] = [
  'tau',
  'qdd',
  'c',
  'g',
  'M',
  ...PASSIVE,
  'energies',
  'stored',
  'tip',
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
  /** In place of Σ_b |M_ab||q̈_b| + |c_a| + |g_a|. */
  readonly forces: readonly ForceScales[];
  /** What elastic and viscous forces are compared on at least. */
  readonly passive?: Readonly<Record<PassiveQuantity, number>>;
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
  actual: Evaluation,
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
  const size = expected.M.map((row, a) => Math.sqrt(Math.abs(Number(row[a]))) + (rows?.inertia[a] ?? 0));
  const missing = actual.qdd?.map((x, b) => new Precise(expected.qdd?.[b] ?? state.qdd[b]!).minus(x).toNumber());
  expected.M.forEach((row, a) => {
    const inertia = row.reduce<number>((sum, m, b) => sum + Math.abs(Number(m) * state.qdd[b]!), 0);
    const terms = inertia + Math.abs(Number(expected.c[a])) + Math.abs(Number(expected.g[a]));
    for (const quantity of ['tau', 'c', 'g'] as const) {
      const scale = rows?.forces[a]![quantity] ?? terms;
      add(quantity, `${quantity}[${a}]`, relative(actual[quantity][a]!, expected[quantity][a]!, scale));
    }
    if (missing) {
      const force = row.reduce<number>((sum, m, b) => sum + Number(m) * missing[b]!, 0);
      add('qdd', `M qdd[${a}]`, relative(force, 0, rows?.forces[a]!.tau ?? terms));
    }
    row.forEach((m, b) => add('M', `M[${a}][${b}]`, relative(actual.M[a]![b]!, m, size[a]! * size[b]!)));
  });
  for (const quantity of PASSIVE) {
    const forces = expected[quantity] ?? [];
    const scale = Math.max(rows?.passive?.[quantity] ?? 0, ...forces.map((x) => Math.abs(Number(x))));
    forces.forEach((x, a) => add(quantity, `${quantity}[${a}]`, relative(actual[quantity][a]!, x, scale)));
  }
  const leastMotion = state.qd.reduce((sum, v, a) => sum + Math.abs(v) * (rows?.inertia[a] ?? 0), 0);
  const kineticScale = quadraticForm(expected.M, state.qd) + leastMotion ** 2 / 2;
  add('energies', 'kinetic energy', relative(actual.kinetic_energy, expected.kinetic_energy, kineticScale));
  const potentialScale = Math.max(Math.abs(Number(expected.potential_energy)), energyScale);
  add('energies', 'potential energy', relative(actual.potential_energy, expected.potential_energy, potentialScale));
  if (expected.elastic_energy !== undefined) {
    const scale = Math.max(Math.abs(Number(expected.elastic_energy)), energyScale);
    add('stored', 'elastic energy', relative(actual.elastic_energy, expected.elastic_energy, scale));
  }
  expected.tip_position?.forEach((p, i) =>
    add('tip', `tip position[${i}]`, relative(actual.tip_position[i]!, p, lengthScale)),
  );
  expected.tip_rotation?.forEach((row, i) =>
    row.forEach((r, j) => add('tip', `tip rotation[${i}][${j}]`, relative(actual.tip_rotation[i]![j]!, r, 1))),
  );
  return COMPARED_QUANTITIES.map((quantity) => worst(found.filter((d) => d.quantity === quantity))).filter(
    (d) => d !== undefined,
  );
}

/** ½ Σ |q̇_a M_ab q̇_b| */
function quadraticForm(massMatrix: readonly (readonly Decimal.Value[])[], qd: readonly number[]): number {
  let total = 0;
  massMatrix.forEach((row, a) => row.forEach((m, b) => (total += Math.abs(qd[a]! * Number(m) * qd[b]!) / 2)));
  return total;
}

function worst(list: readonly Deviation[]): Deviation | undefined {
  return list.reduce<Deviation | undefined>((most, d) => (most && most.error >= d.error ? most : d), undefined);
}
