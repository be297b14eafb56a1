/**
 * Rigid poses as 3 × 4 matrices [R | t] of decimal numbers, row-major (12 entries), and elementary motions. Differentiated
 * poses are matrices of the same layout: the product rule is all the kinematics that the independent check knows.
 */
import type { Decimal } from 'decimal.js';
import type { DecimalConstructor } from '../../symbolic/evaluation/evaluate.ts';
import { DECIMALS } from './algebra.ts';

/** [R | t], row-major: entries 3, 7, 11 are the translation. */
export type Pose = readonly Decimal[];

/** left · [right; 0 0 0 h] with h = 1 when `right` is a pose and h = 0 when it is the derivative of one. */
export function multiplyPoses(left: Pose, right: Pose, lastEntry: 0 | 1): Decimal[] {
  const product: Decimal[] = [];
  for (let row = 0; row < 3; row++)
    for (let column = 0; column < 4; column++) {
      let entry = left[4 * row]!.times(right[column]!);
      entry = entry.plus(left[4 * row + 1]!.times(right[4 + column]!));
      entry = entry.plus(left[4 * row + 2]!.times(right[8 + column]!));
      if (column === 3 && lastEntry === 1) entry = entry.plus(left[4 * row + 3]!);
      product.push(entry);
    }
  return product;
}

/** From nine rotation entries (row-major) and three of the translation. */
export function poseOf(rotation: readonly Decimal[], translation: readonly Decimal[]): Pose {
  return [0, 1, 2].flatMap((row) => [...rotation.slice(3 * row, 3 * row + 3), translation[row]!]);
}

export function rotationOf(pose: Pose): Decimal[] {
  return [0, 1, 2, 4, 5, 6, 8, 9, 10].map((i) => pose[i]!);
}

export function translationOf(pose: Pose): Decimal[] {
  return [pose[3]!, pose[7]!, pose[11]!];
}

/**
 * Pose reached at s = 1 by a frame that moves with the constant body twist (angular, linear): the exponential of the 4 × 4
 * matrix. With K = [angular]× and χ = |angular|², K³ = −χ K leaves two scalar power series, which converge everywhere:
 * R = 1 + (1 − χ b) K + a K², t = (1 + a K + b K²) linear, a = Σ (−χ)^j/(2j + 2)!, b = Σ (−χ)^j/(2j + 3)!.
 */
export function exponentialPose(
  angular: readonly Decimal[],
  linear: readonly Decimal[],
  Number_: DecimalConstructor,
): Pose {
  const square = angular.reduce((sum, x) => sum.plus(x.times(x)), new Number_(0));
  const a = exponentialSeries(square, 2, Number_);
  const b = exponentialSeries(square, 3, Number_);
  const sine = square.times(b).neg().plus(1);
  const apply = (v: readonly Decimal[], first: Decimal, second: Decimal): Decimal[] => {
    const once = DECIMALS.cross(angular, v);
    const twice = DECIMALS.cross(angular, once);
    return v.map((x, i) => x.plus(first.times(once[i]!)).plus(second.times(twice[i]!)));
  };
  const unit = (axis: number): Decimal[] => [0, 1, 2].map((i) => new Number_(i === axis ? 1 : 0));
  const columns = [...[0, 1, 2].map((axis) => apply(unit(axis), sine, a)), apply(linear, a, b)];
  return [0, 1, 2].flatMap((row) => columns.map((column) => column[row]!));
}

/** Σ_j (−x)^j / (2j + order)! with digits to spare for the cancellation at large x. */
function exponentialSeries(x: Decimal, order: 2 | 3, Number_: DecimalConstructor): Decimal {
  const Wide = Number_.clone({ precision: Number_.precision + 15 });
  const negligible = Wide.pow(10, -Wide.precision);
  const factor = new Wide(x).neg();
  let term: Decimal = new Wide(1).div(order === 2 ? 2 : 6);
  let total = term;
  for (let j = order + 1; term.abs().gt(negligible); j += 2) {
    term = term.times(factor).div(j * (j + 1));
    total = total.plus(term);
  }
  return new Number_(total.toSignificantDigits(Number_.precision));
}
