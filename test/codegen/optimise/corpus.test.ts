/**
 * What passes are worth on expressions like those of robots: equal links with numbers for their masses and lengths, and sums
 * with much in common. The choices that a pass makes change no value, so that only their worth shows whether they are made.
 */
import { describe, expect, it } from 'vitest';
import { cancel } from '../../../src/codegen/optimise/cancel.ts';
import { extract } from '../../../src/codegen/optimise/extract.ts';
import { flatten } from '../../../src/codegen/optimise/flatten.ts';
import { arithmeticCost, type Form } from '../../../src/codegen/optimise/form.ts';
import { optimise } from '../../../src/codegen/optimise/optimise.ts';
import { scale } from '../../../src/codegen/optimise/scale.ts';
import {
  cos,
  decimal,
  fraction,
  half,
  integer,
  minus,
  negate,
  plus,
  sin,
  square,
  times,
  zero,
  type Expr,
} from '../../../src/symbolic/graph/expr.ts';
import { randomNumbers } from '../../kane/point-masses.ts';
import { a, b, c, costAfter, d, expectKept, p } from './evaluate-form.ts';

/** Torques of a planar chain of equal links by the recursion of Newton and Euler, with run-time length or a number. */
function chain(mass: Expr, length: Expr, angles: readonly Expr[]): Expr[] {
  const [rates, accelerations] = [
    [d, a, b],
    [c, times(a, b), d],
  ];
  const inertia = decimal(0.00123);
  let [x, y, rate, acceleration]: Expr[] = [zero, decimal(9.81), zero, zero];
  const forces = angles.map((angle, i) => {
    const [cosine, sine] = [cos(angle), sin(angle)];
    [x, y] = [plus(times(cosine, x!), times(sine, y!)), minus(times(cosine, y!), times(sine, x!))];
    rate = plus(rate!, rates[i]!);
    acceleration = plus(acceleration!, accelerations[i]!);
    const [along, across] = [negate(times(length, square(rate))), times(length, acceleration)];
    const own = [times(mass, plus(x, times(half, along))), times(mass, plus(y, times(half, across)))] as const;
    [x, y] = [plus(x, along), plus(y, across)];
    return { own, moment: times(inertia, acceleration), cosine, sine };
  });
  let [fx, fy, moment]: Expr[] = [zero, zero, zero];
  const torques: Expr[] = [];
  for (const { own, moment: turning, cosine, sine } of [...forces].reverse()) {
    moment = plus(moment!, turning, times(half, length, own[1]), times(length, fy!));
    const [along, across] = [plus(own[0], fx!), plus(own[1], fy!)];
    torques.push(moment);
    [fx, fy] = [minus(times(cosine, along), times(sine, across)), plus(times(sine, along), times(cosine, across))];
  }
  return torques;
}

/** Sums of products of a few factors, many of them alike. */
function sums(seed: number): Expr[] {
  const random = randomNumbers(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(((random() + 1) / 2) * from.length)]!;
  const numbers = [integer(2), integer(3), integer(-3), integer(6), fraction(1, 2), fraction(-2, 7), p, times(p, p)];
  let factors: Expr[] = [a, b, c, d, sin(a), cos(a)];
  const roots: Expr[] = [];
  for (let round = 0; round < 8; round++) {
    const terms = Array.from({ length: 2 + (round % 3) }, () =>
      times(pick(numbers), pick(factors), pick([...factors, integer(1)])),
    );
    const sum = plus(...terms);
    factors = [...factors.slice(-7), sum];
    roots.push(sum, times(pick(factors), sum));
  }
  return roots;
}

const corpus: Readonly<Record<string, () => Expr[][]>> = {
  'equal links with numbers': () => [
    chain(decimal(0.0533819), decimal(0.31), [a, b, c]),
    chain(decimal(0.7), integer(2), [a, b]),
  ],
  'links of one length that may change': () => [chain(decimal(0.0533819), p, [a, b, c]), chain(p, p, [b, d])],
  'sums with much in common': () => [1, 2, 3, 4, 5, 6].map(sums),
};

const flattened = (form: Form): void => flatten(form, { products: false });
const passes: Readonly<Record<string, readonly ((form: Form) => void)[]>> = {
  flattening: [flattened],
  'multiplying out': [flatten],
  'opening sums': [flatten, cancel, flatten],
  'shared values': [flatten, extract],
  'shared values without multiplying out': [flattened, extract],
  'units, then shared values': [flatten, scale, flatten, extract],
};

/** Operations by pass, in the order above, then of the optimiser as a whole. */
const WORTH: Readonly<Record<string, readonly number[]>> = {
  'equal links with numbers': [104, 105, 103, 100, 100, 97, 92],
  'links of one length that may change': [108, 105, 105, 101, 105, 93, 93],
  'sums with much in common': [378, 386, 386, 315, 316, 315, 310],
};

describe.each(Object.entries(corpus))('%s', (name, make) => {
  it('cost no more than they did after each of the passes, and by the optimiser as a whole', () => {
    const total = (costOf: (roots: readonly Expr[]) => number): number =>
      make().reduce((sum, roots) => sum + costOf(roots), 0);
    const found = Object.values(passes).map((own) => total((roots) => costAfter(roots, ...own)));
    const whole = total((roots) => {
      const { form } = optimise(roots, (e) => e === p, 'normal');
      expectKept(form, roots);
      return arithmeticCost(form);
    });
    [...found, whole].forEach((cost, i) =>
      expect(cost, Object.keys(passes)[i] ?? 'the whole').toBeLessThanOrEqual(WORTH[name]![i]!),
    );
  });
});
