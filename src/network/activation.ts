/** Activation functions of learned maps: their names in files. */
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
