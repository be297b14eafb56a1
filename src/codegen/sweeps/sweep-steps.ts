/** What a link does in a sweep, and what a sweep is: the words in which `sweeps.ts` and `derivative-sweeps.ts` say it. */
import type { LinkFunctionName } from '../../kane/kernels/link-functions.ts';
import type { Input } from './arrays.ts';

/** Arrays of a state, by name of the link buffer that takes a link's part of them. */
export type StateArray = 'q' | 'qd' | 'qdd';

/** What a link does in a sweep. Arrays are named as the sweep names its parameters. */
export type LinkStep =
  /** The link's part of a state into its block; zeros in its place. */
  | {
      readonly step: 'put';
      readonly buffer: StateArray | 'load' | 'quotients' | 'generalizedForceAdjoint';
      readonly array: Input;
    }
  | { readonly step: 'clear'; readonly buffer: StateArray }
  /** The time, where the link depends on it. */
  | { readonly step: 'time' }
  /** The link's part of a direction, zeros where the caller has left it out. */
  | { readonly step: 'direct'; readonly buffer: StateArray; readonly array: Input }
  /** The link's part of a change of one coordinate, at which arrays would begin, its rate and acceleration with it. */
  | { readonly step: 'unit' }
  /** What is left of the change of generalized forces in an array, zero where it is left out, by that of the link in another. */
  | { readonly step: 'remain'; readonly array: Input; readonly less: string }
  /** A function of the link's module. What it leaves for the parent is added to what other children left there. */
  | { readonly step: 'call'; readonly function: LinkFunctionName }
  /** A function that yields generalized forces, which are taken off the load; links that have none are left out. */
  | { readonly step: 'subtract'; readonly function: LinkFunctionName }
  /** The addend of the link's block of the mass matrix. */
  | { readonly step: 'addend'; readonly of: LinkAddend }
  /** The load that a right-hand side of a linearised system stands for, and its solution from the accelerations. */
  | { readonly step: 'implicitLoad'; readonly rq: string; readonly rv: string }
  | {
      readonly step: 'implicitSolution';
      readonly rq: string;
      readonly rv: string;
      readonly xq: string;
      readonly xv: string;
    }
  /** Generalized forces of the water set aside, `more`: added to those that are; and taken off the load. */
  | { readonly step: 'keepWater'; readonly more: boolean }
  | { readonly step: 'subtractWater' }
  /** Changes of forces that a step of h adds, to what an array has. */
  | { readonly step: 'stepTangent'; readonly qdd: string; readonly array: string }
  /** Derivatives of these forces, weighted, to what arrays have. */
  | { readonly step: 'stepAdjoint'; readonly qdd: string; readonly q: string; readonly qd: string }
  /** What such a step of h does to rates, and D and K with it, for derivatives by parameters. */
  | { readonly step: 'repeatStep'; readonly array: string }
  /** Rates and coordinates of the link after a step of h, to their places in arrays. */
  | { readonly step: 'advance'; readonly q: string; readonly qd: string }
  /** Its coordinates eliminated from the tangent of inverse dynamics; a right-hand side inwards through what is left, and outwards to an array. */
  | { readonly step: 'eliminateTangent'; readonly underLoad?: true }
  | { readonly step: 'reduceFactored' }
  | { readonly step: 'restoreFactored'; readonly array: string }
  /** A link with a pivot that is not positive is remembered; not-a-number shows in the outputs. */
  | { readonly step: 'require' }
  /** Generalized forces or accelerations of the link to their places in an array. */
  | {
      readonly step: 'take';
      readonly array: string;
      readonly buffer: TakenBuffer;
    }
  /** Numbers of the link, which are as many for all, added to those of the others. */
  | { readonly step: 'total'; readonly buffer: 'energy'; readonly array: string }
  /** The index of the link, and which section it is, to an array, where this is the first whose strain is not solved for. */
  | { readonly step: 'unsolved'; readonly array: string }
  /** What is reported of contacts of the link to its places in arrays, where they are wanted. */
  | { readonly step: 'pairs' }
  /** What a function yields on coordinates of the joint that follow the time, added to an array of those of all links. */
  | { readonly step: 'held'; readonly function: 'hold' | 'holdFluid'; readonly array: string }
  /** Derivatives of the link's forces to its block of a matrix. */
  | { readonly step: 'block'; readonly array: string }
  /** Generalized forces of the link added to what stands at their places in an array. */
  | { readonly step: 'add'; readonly array: string; readonly buffer?: TakenBuffer }
  /** The same taken off. */
  | { readonly step: 'deduct'; readonly array: string; readonly buffer: TakenBuffer }
  /** The inputs of the actuators that act within the link. */
  | { readonly step: 'inputs'; readonly array: string }
  /**
   * What the link has for its actuators, added where an array of one number per actuator has theirs, or where a matrix has
   * their columns; nothing where the caller wants none. `part`: which of several lists of the buffer.
   */
  | { readonly step: 'shares'; readonly buffer: ShareBuffer; readonly part: number; readonly array: string }
  | { readonly step: 'columns'; readonly buffer: ShareBuffer; readonly array: string }
  /** The link's block of the mass matrix, and what its unit wrenches do at all links between it and the base. */
  | { readonly step: 'entries'; readonly array: string }
  /** Momenta of unit rates of its coordinates about `point`, world axes, and their linear parts. */
  | { readonly step: 'momenta'; readonly all: string; readonly linear: string }
  /** The link's pose in the first link of its tree, and the motions of its coordinates there. */
  | { readonly step: 'motionSubspaces' };

/**
 * What is added to a link's block of the mass matrix: nothing; what an implicit step of h takes, whose load changes, too; the same
 * for steps whose right-hand sides come later, K kept for them.
 */
export type LinkAddend = 'nothing' | 'step' | 'linear';

type TakenBuffer =
  | 'qd'
  | 'generalizedForce'
  | 'generalizedForceTangent'
  | 'accelerations'
  | 'quotients'
  | 'pivots'
  | 'qTangent'
  | 'qAdjoint'
  | 'qdAdjoint'
  | 'qddAdjoint';

/** `by weights`: transposed. */
export type DerivativeKind = 'along directions' | 'along parameters' | 'by weights' | 'by parameters';

type ShareBuffer = 'actuationCoordinates' | 'actuationGradients' | 'actuationRates';

export interface Sweep {
  readonly purpose: string;
  readonly direction: 'outwards' | 'inwards';
  /** Ends at a link that the caller names. */
  readonly upTo?: true;
  /** Begins at a link that the caller names. */
  readonly from?: true;
  /** Its arrays begin at an index that the caller names. */
  readonly at?: true;
  /** Only of links that have this function, too. */
  readonly with?: LinkFunctionName;
  /** Only of links that have not. */
  readonly without?: LinkFunctionName;
  /** Only of links that depend on the time. */
  readonly timed?: true;
  /** Only of robots whose mass matrix is gathered, see codegen/modules/mass-entries.ts. */
  readonly gathers?: true;
  /** Only of robots whose tangent is formed as a matrix, or not, see codegen/modules/newton-step.ts. */
  readonly formsTangent?: boolean;
  /** Only of robots that have momenta: none of their bodies depends on the time. */
  readonly timeless?: true;
  /** Only of robots with coordinates that follow the time. */
  readonly holding?: true;
  /** Only of robots with loops. */
  readonly ofLoops?: true;
  /** Of material points, too, whatever it does. */
  readonly ofPoints?: true;
  /** Numbers that it takes: a step of time h, and the like. */
  readonly numbers?: readonly string[];
  /** Only of robots that are compiled with derivatives, of this kind. */
  readonly derivative?: DerivativeKind;
  readonly arrays: readonly string[];
  readonly steps: readonly LinkStep[];
}

/** What sweeps say beside their purpose, direction, arrays and steps. */
type SweepOptions = Omit<Sweep, 'purpose' | 'direction' | 'arrays' | 'steps'>;
type SweepMaker = (
  purpose: string,
  arrays: readonly string[],
  steps: readonly LinkStep[],
  options?: SweepOptions,
) => Sweep;

export const outwards: SweepMaker = (purpose, arrays, steps, options) => ({
  ...{ purpose, direction: 'outwards', arrays, steps },
  ...options,
});
export const inwards: SweepMaker = (purpose, arrays, steps, options) => ({
  ...{ purpose, direction: 'inwards', arrays, steps },
  ...options,
});

export const put = (array: StateArray): LinkStep => ({ step: 'put', buffer: array, array });
export const direct = (buffer: StateArray, array: Input): LinkStep => ({ step: 'direct', buffer, array });
export const call = (name: LinkFunctionName): LinkStep => ({ step: 'call', function: name });
export const add = (array: string): LinkStep => ({ step: 'add', array });
export const take = (array: string): LinkStep => ({ step: 'take', array, buffer: 'generalizedForce' });
export const load = (array: Input): LinkStep => ({ step: 'put', buffer: 'load', array });

/** Does a sweep read the array, and write none of it? */
export function isReadBy({ steps }: Sweep, array: string): boolean {
  if (steps.some((step) => step.step === 'take' && step.array === array)) return false;
  return steps.some((step) => {
    if (step.step === 'implicitLoad' || step.step === 'implicitSolution') return array === step.rq || array === step.rv;
    if (step.step === 'stepAdjoint' || step.step === 'stepTangent') return array === step.qdd;
    const isTaken =
      step.step === 'put' ||
      step.step === 'inputs' ||
      step.step === 'repeatStep' ||
      step.step === 'direct' ||
      step.step === 'remain';
    return isTaken && step.array === array;
  });
}
