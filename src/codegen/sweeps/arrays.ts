/** Arrays that callers of a driver give: their names and sizes. */

import { PAIR_PARTS } from '../../description/model/contact.ts';
import { product, type Index } from './indices.ts';

/** How many numbers, of a robot with n coordinates, u actuators, p run-time parameters, r rows of loops, s coordinates that follow the time and k pairs of contacts. */
export type Size =
  | number
  | 'n'
  | 'n * n'
  | '3 * n'
  | '6 * n'
  | 'n * columns'
  | 'p * columns'
  | 'u'
  | 'n * u'
  | 'p'
  | 'r'
  | 'r * n'
  | 'r * columns'
  | 's'
  | 'k'
  | '3 * k'
  | '7 * k';

export interface RobotSizes {
  readonly n: Index;
  readonly u: Index;
  /** Run-time parameters. */
  readonly p: Index;
  /** Rows of loops. */
  readonly r: Index;
  /** Coordinates that follow the time. */
  readonly s: Index;
  /** Pairs of contacts. */
  readonly k: Index;
}

/** A number, or an expression of generated code. @param columns how many; the argument of that name unless they are known. */
export function sizeOf(size: Size, { n, u, p, r, s, k }: RobotSizes, columns?: number): Index {
  if (typeof size === 'number') return size;
  const each = (count: Index): Index => (columns === undefined ? `${count} * columns` : product(count, columns));
  const products = {
    'n * columns': each(n),
    'p * columns': each(p),
    'r * columns': each(r),
    'n * n': product(n, n),
    '3 * n': product(3, n),
    '6 * n': product(6, n),
    'n * u': product(n, u),
    'r * n': product(r, n),
    '3 * k': product(3, k),
    '7 * k': product(7, k),
  };
  return { n, p, u, r, s, k, ...products }[size];
}

/** What is reported of pairs of contacts, by name. */
export const PAIR_ARRAYS = Object.keys(PAIR_PARTS) as readonly (keyof typeof PAIR_PARTS)[];

/** Of an array by the numbers of a pair. */
export const SIZES_OF_PAIRS = { 1: 'k', 3: '3 * k', 7: '7 * k' } as const satisfies Record<number, Size>;

export interface Output {
  readonly name: string;
  readonly size: Size;
}

/** Arrays that callers give: parts of a state, and others with their sizes. */
export const INPUTS = {
  q: 'n',
  qd: 'n',
  qdd: 'n',
  wrench: 6,
  tau: 'n',
  u: 'u',
  rhs: 'n * columns',
  rq: 'n',
  rv: 'n',
  dq: 'n * columns',
  dqd: 'n * columns',
  dqdd: 'n * columns',
  dtau: 'n * columns',
  dp: 'p * columns',
  weights: 'n * columns',
  lambda: 'r',
  taut: 'r',
  capacity: 'n',
  weights_lambda: 'r * columns',
  seed: 'n',
  residual: 'n',
  x: 3,
  about: 3,
} as const satisfies Record<string, Size>;

export type Input = keyof typeof INPUTS;

/** Directions, and weights of multipliers, may be left out: what they are of does not change, or is not weighed. */
export const isDirection = (input: string): boolean => /^(d(q|qd|qdd|tau)|weights_lambda)$/.test(input);
