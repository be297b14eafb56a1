/**
 * Activation functions of learned maps: their names in files, and their values with two derivatives. Each is regular at
 * every argument: nothing overflows, and nothing cancels far from zero.
 */
import { KanegenError } from '../common/error.ts';
import type { Activation } from './network.ts';

const SPELLINGS: Readonly<Record<string, Activation>> = {
  identity: 'identity',
  linear: 'identity',
  none: 'identity',
  tanh: 'tanh',
  sin: 'sine',
  sine: 'sine',
  softplus: 'softplus',
  silu: 'silu',
  swish: 'silu',
};

/** Their second derivative jumps or does not exist, and accelerations need it. */
const NOT_SMOOTH = [
  'relu',
  'relu6',
  'leakyrelu',
  'prelu',
  'rrelu',
  'thresholdedrelu',
  'elu',
  'selu',
  'celu',
  'hardsigmoid',
  'hardswish',
  'hardtanh',
  'softsign',
  'softshrink',
  'shrink',
  'abs',
  'clip',
  'max',
  'min',
  'sign',
];

const REMEDY = 'train with tanh, sine, softplus or silu';

/**
 * The activation of a name as files spell it, in upper or lower case.
 * @param place what mentions it, for the message: `node /2/Relu`.
 * @throws KanegenError `bad-network`.
 */
export function activationNamed(name: string, place: string): Activation {
  const word = name.toLowerCase().replace(/[^a-z0-9]/g, '');
  if (Object.hasOwn(SPELLINGS, word)) return SPELLINGS[word]!;
  const message = NOT_SMOOTH.includes(word)
    ? `${place}: ${name} has no continuous second derivative, and accelerations of the body need one`
    : `${place}: ${name} is not an activation that is known here`;
  throw new KanegenError('bad-network', message, { remedy: REMEDY });
}

/** Writes the value and the first two derivatives at u to out[0 … 2]. */
export function activationJet(activation: Activation, u: number, out: Float64Array): void {
  switch (activation) {
    case 'identity':
      return write(out, u, 1, 0);
    case 'tanh': {
      const value = Math.tanh(u);
      const first = 1 - value * value;
      return write(out, value, first, -2 * value * first);
    }
    case 'sine': {
      const value = Math.sin(u);
      return write(out, value, Math.cos(u), -value);
    }
    case 'softplus': {
      const decay = Math.exp(-Math.abs(u));
      const upper = 1 / (1 + decay);
      const lower = decay * upper;
      return write(out, Math.max(u, 0) + Math.log1p(decay), u >= 0 ? upper : lower, upper * lower);
    }
    case 'silu': {
      const decay = Math.exp(-Math.abs(u));
      const upper = 1 / (1 + decay);
      const lower = decay * upper;
      const logistic = u >= 0 ? upper : lower;
      const slope = upper * lower;
      const drop = u >= 0 ? lower - upper : upper - lower; // 1 − 2 logistic
      return write(out, u * logistic, logistic + u * slope, slope * (2 + u * drop));
    }
  }
}

function write(out: Float64Array, value: number, first: number, second: number): void {
  out[0] = value;
  out[1] = first;
  out[2] = second;
}
