/**
 * Sweeps of derivatives. Those of a group of kernels (`kane/kernels/derivative-kernels.ts`) follow from the sweep of its last kernel:
 *
 *   kept        a state goes in, the kernel keeps what a variant needs
 *   Tangent     directions go in where a state goes in, changes come out where results come out
 *   Variation   the same at given coordinates
 *   Adjoint     the other way round through the links: weights go in where results come out, weights of the state come out
 */
import {
  derivativeKernels,
  VARIANTS,
  type KeepingFunction,
  type Variant,
  type VariantKernel,
} from '../../kane/kernels/derivative-kernels.ts';
import { LINK_FUNCTIONS } from '../../kane/kernels/link-functions.ts';
import { call, direct, load, type DerivativeKind, type LinkStep, type StateArray, type Sweep } from './sweep-steps.ts';

/** Wrenches from outside are carried from one link to the base, by no sweep. */
type SweptKernel = Exclude<VariantKernel, `transmit${string}` | 'motionAdjoint'>;

/** Sweeps of which derivatives are. */
const PRIMALS = ['acceleration', 'backward', 'actuate', 'pose', 'motion'] as const;

type Primal = (typeof PRIMALS)[number];
type Primals = Readonly<Record<Primal, Sweep>>;

const KINDS: Readonly<Record<Variant, DerivativeKind>> = {
  Tangent: 'along directions',
  Variation: 'along parameters',
  Adjoint: 'by weights',
};

/** Directions that the first sweep of several takes; the others find them. Formulas find that of `actuate` before it. */
const DIRECTED: Readonly<Partial<Record<Primal, readonly StateArray[]>>> = {
  acceleration: ['q', 'qd', 'qdd'],
  pose: ['q'],
  motion: ['q', 'qd', 'qdd'],
};

/** Takes the state in, and calls the form that keeps what the variant needs. */
function keeping({ direction, steps }: Sweep, name: KeepingFunction, variant: Variant): Sweep {
  const given = steps.filter((step) => step.step === 'put');
  return {
    purpose: LINK_FUNCTIONS[name].purpose,
    direction,
    derivative: KINDS[variant],
    arrays: given.map(({ array }) => array),
    steps: [...given, call(name)],
  };
}

function along(primal: Sweep, name: SweptKernel, variant: 'Tangent' | 'Variation', source: Primal): Sweep {
  const directed = variant === 'Tangent' ? (DIRECTED[source] ?? []) : [];
  const steps = primal.steps.flatMap((step): LinkStep[] => {
    if (step.step === 'call') return [call(name)];
    if (step.step === 'take' || step.step === 'add')
      return [{ ...step, array: `d${step.array}`, buffer: 'generalizedForceTangent' }];
    return step.step === 'put' ? [] : [step];
  });
  const arrays = [...directed.map((array) => `d${array}`), ...arraysOf(steps)];
  return {
    ...primal,
    purpose: LINK_FUNCTIONS[name].purpose,
    derivative: KINDS[variant],
    ...(arrays.length > 0 && { at: true }),
    arrays,
    steps: [...directed.map((array) => direct(array, `d${array}`)), ...steps],
  };
}

/** @param known coordinates of which earlier sweeps have left weights. */
function transposed(primal: Sweep, name: SweptKernel, state: readonly StateArray[], known: ReadonlySet<string>): Sweep {
  const weights: readonly LinkStep[] = primal.steps.some(({ step }) => step === 'take')
    ? [{ step: 'put', buffer: 'generalizedForceAdjoint', array: 'weights' }]
    : [];
  const results = state.map((array): LinkStep => {
    const step = known.has(array) ? 'add' : 'take';
    return { step, array: `by_${array}`, buffer: `${array}Adjoint` };
  });
  return {
    purpose: LINK_FUNCTIONS[name].purpose,
    direction: primal.direction === 'inwards' ? 'outwards' : 'inwards',
    derivative: 'by weights',
    at: true,
    arrays: arraysOf([...weights, ...results]),
    steps: [...weights, call(name), ...results],
  };
}

const arraysOf = (steps: readonly LinkStep[]): string[] =>
  steps.flatMap((step) => ('array' in step ? [step.array] : []));

function sweepsOf(primals: Primals, variant: Variant): [SweptKernel | KeepingFunction, Sweep][] {
  const known = new Set<string>();
  const kept = (['acceleration', 'backward'] as const).map((source): [KeepingFunction, Sweep] => {
    const name = `${source}For${variant}` as const;
    return [name, keeping(primals[source], name, variant)];
  });
  const variants = derivativeKernels(variant).flatMap((kernel): [SweptKernel, Sweep][] => {
    const source = PRIMALS.find((own) => kernel.of.includes(own));
    if (!source || kernel.name === 'motionAdjoint') return [];
    const name = kernel.name as SweptKernel;
    if (variant !== 'Adjoint') return [[name, along(primals[source], name, variant, source)]];
    const state = (['q', 'qd', 'qdd'] as const).filter((array) => kernel.reads.includes(array));
    const sweep = transposed(primals[source], name, state, new Set(known));
    state.forEach((array) => known.add(array));
    return [[name, sweep]];
  });
  return [...kept, ...variants];
}

/** What follows no rule. */
/** Weights of q and q̇, added to those of callers. */
const ADDED_WEIGHTS = [
  { step: 'add', array: 'by_q', buffer: 'qAdjoint' },
  { step: 'add', array: 'by_qd', buffer: 'qdAdjoint' },
] as const;

const OTHERS = {
  forwardTangentOfCoordinate: {
    purpose: 'Changes of motions and of wrenches of bodies along one coordinate, from its link on.',
    direction: 'outwards',
    from: true,
    at: true,
    derivative: 'along directions',
    formsTangent: true,
    numbers: ['rate', 'acceleration'],
    arrays: [],
    steps: [{ step: 'unit' }, call('forwardTangent')],
  },
  subtractActuateTangent: {
    purpose: 'Changes of generalized forces of the actuators that act within links, from one on, subtracted.',
    direction: 'outwards',
    from: true,
    at: true,
    derivative: 'along directions',
    formsTangent: true,
    arrays: ['u', 'dtau'],
    steps: [
      { step: 'inputs', array: 'u' },
      call('actuateTangent'),
      { step: 'deduct', array: 'dtau', buffer: 'generalizedForceTangent' },
    ],
  },
  eliminateTangent: {
    purpose: 'The tangent of inverse dynamics through the coordinates of all links: their factors.',
    direction: 'inwards',
    derivative: 'along directions',
    formsTangent: false,
    numbers: ['rate', 'acceleration'],
    arrays: ['u'],
    steps: [{ step: 'inputs', array: 'u' }, { step: 'eliminateTangent' }],
  },
  eliminateTangentUnderLoad: {
    purpose: 'The same while a wrench of the caller acts on a frame.',
    direction: 'inwards',
    derivative: 'along directions',
    numbers: ['rate', 'acceleration'],
    arrays: ['u'],
    steps: [
      { step: 'inputs', array: 'u' },
      { step: 'eliminateTangent', underLoad: true },
    ],
  },
  reduceFactored: {
    purpose: 'A right-hand side through the factors of all links, with a column of the border where one is named.',
    direction: 'inwards',
    at: true,
    derivative: 'along directions',
    arrays: [],
    steps: [{ step: 'reduceFactored' }],
  },
  restoreFactored: {
    purpose: 'Changes of all coordinates on it.',
    direction: 'outwards',
    at: true,
    derivative: 'along directions',
    arrays: ['dq'],
    steps: [{ step: 'restoreFactored', array: 'dq' }],
  },
  takeDirection: {
    purpose: 'Takes a direction of the configuration.',
    direction: 'outwards',
    at: true,
    derivative: 'along directions',
    arrays: ['dq'],
    steps: [direct('q', 'dq')],
  },
  reduceWeights: {
    purpose: 'Weights through the coordinates of all links.',
    direction: 'inwards',
    derivative: 'by weights',
    arrays: ['seed'],
    steps: [load('seed'), call('reduceAlone')],
  },
  motionAdjoint: {
    purpose: LINK_FUNCTIONS.motionAdjoint.purpose,
    direction: 'inwards',
    derivative: 'by weights',
    ofLoops: true,
    ofPoints: true,
    at: true,
    arrays: ['by_q', 'by_qd'],
    steps: [call('motionAdjoint'), ...ADDED_WEIGHTS],
  },
  forwardAdjointAlongLoops: {
    purpose: 'Weights of q and qd from those of motions and wrenches of bodies, at given accelerations.',
    direction: 'inwards',
    derivative: 'by weights',
    ofLoops: true,
    at: true,
    arrays: ['by_q', 'by_qd'],
    steps: [call('forwardAdjoint'), ...ADDED_WEIGHTS],
  },
  forwardAdjointOfMotion: {
    purpose: 'Weights of q and qd from those of motions and wrenches of bodies, at given accelerations.',
    direction: 'inwards',
    derivative: 'by weights',
    arrays: ['by_q', 'by_qd'],
    steps: [call('forwardAdjoint'), ...ADDED_WEIGHTS],
  },
  stepTangent: {
    purpose: LINK_FUNCTIONS.stepTangent.purpose,
    direction: 'outwards',
    numbers: ['h'],
    derivative: 'along directions',
    at: true,
    arrays: ['qdd', 'dq', 'dqd', 'dqdd'],
    steps: [direct('q', 'dq'), direct('qd', 'dqd'), { step: 'stepTangent', qdd: 'qdd', array: 'dqdd' }],
  },
  stepAdjoint: {
    purpose: LINK_FUNCTIONS.stepAdjoint.purpose,
    direction: 'outwards',
    numbers: ['h'],
    derivative: 'by weights',
    arrays: ['qdd', 'by_q', 'by_qd'],
    steps: [{ step: 'stepAdjoint', qdd: 'qdd', q: 'by_q', qd: 'by_qd' }],
  },
  parametersAdjoint: {
    purpose: LINK_FUNCTIONS.parametersAdjoint.purpose,
    direction: 'inwards',
    numbers: ['h'],
    derivative: 'by parameters',
    arrays: ['qdd', 'u', 'by_q', 'by_qd'],
    steps: [
      { step: 'repeatStep', array: 'qdd' },
      { step: 'inputs', array: 'u' },
      call('parametersAdjoint'),
      { step: 'take', array: 'by_q', buffer: 'qAdjoint' },
      { step: 'take', array: 'by_qd', buffer: 'qdAdjoint' },
    ],
  },
  reduceTangent: {
    purpose: 'What is left of changes of generalized forces through the coordinates of all links.',
    direction: 'inwards',
    derivative: 'along directions',
    at: true,
    arrays: ['dtau', 'dqdd'],
    steps: [{ step: 'remain', array: 'dtau', less: 'dqdd' }, call('reduceAlone')],
  },
} as const satisfies Record<string, Sweep>;

export type DerivativeSweep = SweptKernel | KeepingFunction | keyof typeof OTHERS;

export function derivativeSweeps(primals: Primals): Readonly<Record<DerivativeSweep, Sweep>> {
  const byRule = VARIANTS.flatMap((variant) => sweepsOf(primals, variant));
  return { ...(Object.fromEntries(byRule) as Record<SweptKernel | KeepingFunction, Sweep>), ...OTHERS };
}
