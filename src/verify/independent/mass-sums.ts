/** Sums over the bodies of a robot: M, c, g and energies from the moments of their mass and the motion of their frames. */
import type { Decimal } from 'decimal.js';
import { tick } from '../../common/work-limit.ts';
import { exactDecimal } from '../../symbolic/evaluation/evaluate.ts';
import type { Pose } from '../arithmetic/decimal-pose.ts';
import type { AlembertResult } from './alembert-result.ts';
import { Coarse, type MovingPose } from './moving-pose.ts';
import type { PassiveResult } from '../energies/passive-result.ts';
import type { MassMoments } from './point-body.ts';
import type { ContactResult } from '../along-rods/contact-forces.ts';
import type { FieldResult } from '../along-rods/field-forces.ts';
import type { WaterResult } from '../along-rods/water-forces.ts';

/** A vector field over a body as a combination of its generators: three rows of `size` coefficients, sparse. */
type Combination = ReadonlyMap<number, Decimal>[];

/** pose · (p, 1) placed at generator 0, and factor · rotation(pose) at the generator `slot`. */
function combine(
  parts: readonly { readonly pose: Pose; readonly slot: number; readonly factor: number }[],
): Combination {
  return [0, 1, 2].map((row) => {
    const coefficients = new Map<number, Decimal>();
    for (const { pose, slot, factor } of parts)
      for (let column = 0; column < (slot === 0 ? 4 : 3); column++) {
        const value = pose[4 * row + column]!;
        if (!value.isZero()) coefficients.set(slot + column, value.times(factor));
      }
    return coefficients;
  });
}

/** Sums M, c, g, the energies and momenta over bodies. */
export class MassSums {
  readonly size: number;
  readonly gravityVector: readonly Decimal[];
  readonly massMatrix: Decimal[][];
  readonly coriolis: Decimal[];
  readonly gravity: Decimal[];
  readonly elastic: Decimal[];
  readonly damping: Decimal[];
  readonly fluid: Decimal[];
  readonly unsettled: number[];
  readonly steepness: number[];
  /** Both parts of `terms`. */
  readonly motions: Decimal[];
  readonly weights: Decimal[];
  kineticEnergy: Decimal = new Coarse(0);
  potentialEnergy: Decimal = new Coarse(0);
  elasticEnergy: Decimal = new Coarse(0);
  /** Of all bodies, and what their coordinates' unit rates have: angular about the world origin, then linear. */
  readonly momentum: Decimal[] = zeroMomentum();
  readonly momentumColumns: Decimal[][];
  mass: Decimal = new Coarse(0);
  readonly firstMoment: Decimal[] = [0, 0, 0].map((x) => new Coarse(x));

  constructor(size: number, gravityVector: readonly number[]) {
    const zeros = (): Decimal[] => Array.from({ length: size }, () => new Coarse(0));
    this.size = size;
    this.gravityVector = gravityVector.map((x) => exactDecimal(x, Coarse));
    this.massMatrix = zeros().map(zeros);
    this.coriolis = zeros();
    this.gravity = zeros();
    this.elastic = zeros();
    this.damping = zeros();
    this.fluid = zeros();
    this.unsettled = Array.from({ length: size }, () => 0);
    this.steepness = Array.from({ length: size }, () => 0);
    this.motions = zeros();
    this.weights = zeros();
    this.momentumColumns = zeros().map(zeroMomentum);
  }

  addForces({ stored, elastic, damping }: PassiveResult, first: number): void {
    this.elasticEnergy = this.elasticEnergy.plus(stored);
    elastic.forEach((force, i) => (this.elastic[first + i] = this.elastic[first + i]!.plus(force)));
    damping.forEach((force, i) => (this.damping[first + i] = this.damping[first + i]!.plus(force)));
  }

  addFields({ coordinates, fluid }: FieldResult): void {
    coordinates.forEach((a, i) => (this.fluid[a] = this.fluid[a]!.plus(fluid[i]!)));
  }

  addContacts({ coordinates, fluid, unsettled, steepness }: ContactResult): void {
    this.addFields({ coordinates, fluid });
    coordinates.forEach((a, i) => {
      this.unsettled[a] = this.unsettled[a]! + unsettled[i]!;
      this.steepness[a] = this.steepness[a]! + steepness[i]!;
    });
  }

  addWater({ coordinates, fluid, unsettled, massMatrix, coriolis, kineticEnergy }: WaterResult): void {
    this.kineticEnergy = this.kineticEnergy.plus(kineticEnergy);
    coordinates.forEach((a, i) => {
      this.fluid[a] = this.fluid[a]!.plus(fluid[i]!);
      this.unsettled[a] = this.unsettled[a]! + unsettled[i]!;
      this.coriolis[a] = this.coriolis[a]!.plus(coriolis[i]!);
      this.motions[a] = this.motions[a]!.plus(Math.abs(coriolis[i]!));
      coordinates.forEach((b, j) => {
        const row = this.massMatrix[a]!;
        row[b] = row[b]!.plus(massMatrix[i]![j]!);
      });
    });
  }

  /** Adds what turns with single coordinates only. */
  addDrives(inertias: readonly Decimal[], rates: readonly Decimal[], first: number): void {
    inertias.forEach((inertia, i) => {
      const row = this.massMatrix[first + i]!;
      row[first + i] = row[first + i]!.plus(inertia);
      this.kineticEnergy = this.kineticEnergy.plus(inertia.times(rates[i]!.pow(2)).div(2));
    });
  }

  /** Adds a body with proximal frame `frame`, whose own coordinates start at `first`. */
  add(frame: MovingPose, moments: MassMoments, first: number, count: number): void {
    const rateSlot = 4 + 3 * count;
    const deforms = count > 0;
    const fields = new Map<number, Combination>();
    for (const [a, partial] of frame.partials) fields.set(a, combine([{ pose: partial, slot: 0, factor: 1 }]));
    for (let i = 0; i < count; i++) fields.set(first + i, combine([{ pose: frame.value, slot: 4 + 3 * i, factor: 1 }]));
    const velocity = combine([
      { pose: frame.rate, slot: 0, factor: 1 },
      ...(deforms ? [{ pose: frame.value, slot: rateSlot, factor: 1 }] : []),
    ]);
    const acceleration = combine([
      { pose: frame.acceleration, slot: 0, factor: 1 },
      ...(deforms
        ? [
            { pose: frame.rate, slot: rateSlot, factor: 2 },
            { pose: frame.value, slot: rateSlot + 3, factor: 1 },
          ]
        : []),
    ]);
    const mass = moments.entries[3 * moments.size + 3]!;
    const motion = square(acceleration, moments);
    const pull = this.gravityVector
      .reduce((sum, x) => sum.plus(x.times(x)), new Coarse(0))
      .times(mass)
      .sqrt();
    for (const [a, field] of fields) {
      const weighted = applyMoments(field, moments);
      // Weights of a rule may be negative.
      const size = contract(weighted, field).abs().sqrt();
      this.motions[a] = this.motions[a]!.plus(size.times(motion.abs().sqrt()));
      this.weights[a] = this.weights[a]!.plus(size.times(pull));
      for (const [b, other] of fields)
        if (b <= a) {
          const value = contract(weighted, other);
          this.massMatrix[a]![b] = this.massMatrix[a]![b]!.plus(value);
          if (a !== b) this.massMatrix[b]![a] = this.massMatrix[b]![a]!.plus(value);
        }
      this.coriolis[a] = this.coriolis[a]!.plus(contract(weighted, acceleration));
      this.gravity[a] = this.gravity[a]!.minus(this.weight(weighted));
    }
    const half = contract(applyMoments(velocity, moments), velocity).div(2);
    this.kineticEnergy = this.kineticEnergy.plus(half);
    const place = combine([{ pose: frame.value, slot: 0, factor: 1 }]);
    this.mass = this.mass.plus(mass);
    applyMoments(place, moments).forEach((row, i) => (this.firstMoment[i] = this.firstMoment[i]!.plus(row[3]!)));
    addMomentum(this.momentum, velocity, place, moments);
    for (const [a, field] of fields) addMomentum(this.momentumColumns[a]!, field, place, moments);
    this.potentialEnergy = this.potentialEnergy.minus(this.weight(applyMoments(place, moments)));
  }

  /** gravity · ∫ field dm: generator 3 is the constant 1. */
  private weight(weighted: readonly (readonly Decimal[])[]): Decimal {
    return weighted.reduce((sum, row, i) => sum.plus(row[3]!.times(this.gravityVector[i]!)), new Coarse(0));
  }

  finish(qdd: readonly number[]): Omit<AlembertResult, 'frames' | 'tip' | 'followed'> {
    const accelerations = qdd.map((x) => exactDecimal(x, Coarse));
    const torque = this.massMatrix.map((row, a) =>
      row.reduce((sum, m, b) => sum.plus(m.times(accelerations[b]!)), this.coriolis[a]!.plus(this.gravity[a]!)),
    );
    return {
      massMatrix: this.massMatrix,
      coriolis: this.coriolis,
      gravity: this.gravity,
      torque,
      elastic: this.elastic,
      damping: this.damping,
      fluid: this.fluid,
      unsettled: this.unsettled,
      steepness: this.steepness,
      terms: this.motions.map((motion, a) => ({ motion: motion.toNumber(), gravity: this.weights[a]!.toNumber() })),
      kineticEnergy: this.kineticEnergy,
      potentialEnergy: this.potentialEnergy,
      elasticEnergy: this.elasticEnergy,
      momentum: this.momentum,
      momentumColumns: this.momentumColumns,
      mass: this.mass,
      firstMoment: this.firstMoment,
    };
  }
}

/** Coefficients times moments: three rows, one entry per generator. */
function applyMoments(field: Combination, moments: MassMoments): Decimal[][] {
  const { size, entries } = moments;
  return field.map((coefficients) => {
    const row: Decimal[] = Array.from({ length: size }, () => new Coarse(0));
    tick(coefficients.size * size);
    for (const [i, value] of coefficients)
      for (let j = 0; j < size; j++) row[j] = row[j]!.plus(value.times(entries[size * i + j]!));
    return row;
  });
}

const zeroMomentum = (): Decimal[] => [0, 0, 0, 0, 0, 0].map((x) => new Coarse(x));

/** ∫ place × field dm and ∫ field dm: generator 3 is the constant 1. */
function addMomentum(to: Decimal[], field: Combination, place: Combination, moments: MassMoments): void {
  const weighted = applyMoments(field, moments);
  const product = (i: number, j: number): Decimal => {
    let total: Decimal = new Coarse(0);
    for (const [slot, value] of place[i]!) total = total.plus(value.times(weighted[j]![slot]!));
    return total;
  };
  for (let i = 0; i < 3; i++) {
    const [j, k] = [(i + 1) % 3, (i + 2) % 3];
    to[i] = to[i]!.plus(product(j, k)).minus(product(k, j));
    to[3 + i] = to[3 + i]!.plus(weighted[i]![3]!);
  }
}

/** ∫ |field|² dm */
const square = (field: Combination, moments: MassMoments): Decimal => contract(applyMoments(field, moments), field);

function contract(weighted: readonly (readonly Decimal[])[], field: Combination): Decimal {
  let total: Decimal = new Coarse(0);
  field.forEach((coefficients, row) => {
    for (const [j, value] of coefficients) total = total.plus(value.times(weighted[row]![j]!));
  });
  return total;
}
