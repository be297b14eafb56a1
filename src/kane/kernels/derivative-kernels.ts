/**
 * Kernels of derivatives, by rule. A group of kernels that follow each other has, as far as its record says:
 *
 *   Tangent     the change of what it writes along a change of all that it reads at given parameters
 *   Variation   the same along a change of the parameters of the link, at given coordinates
 *   Adjoint     derivatives of a weighted sum by what it reads, from those by what it writes: the transpose of the tangent
 *
 * Generalized forces of the kernels of a group are added. The tangent of a group costs less than those of its kernels: what they share
 * is computed once. All are linear in what they are called for (stage `direction`), and find ready what depends on the motion
 * alone: a form of the last kernel of the group keeps it, one for each variant.
 */
import { ADJOINTS, adjointOf, TANGENTS, tangentOf, type Buffer } from './buffers.ts';
import { PRIMAL_FUNCTIONS, type LinkFunctionRecord, type PrimalFunction } from './kernels.ts';

export const VARIANTS = ['Tangent', 'Variation', 'Adjoint'] as const;

export type Variant = (typeof VARIANTS)[number];

interface Group {
  readonly of: readonly PrimalFunction[];
  readonly variants: readonly Variant[];
  /** The function that keeps what variants need, and what it is where links are in water. Groups without find little. */
  readonly kept?: PrimalFunction;
  readonly afloat?: { readonly kernel: string; readonly reads: readonly Buffer[]; readonly writes: readonly Buffer[] };
  /** Tangents for a state where work is counted, see `LinkFunctionRecord`. */
  readonly expected?: number;
  /** See `LinkFunctionRecord`. */
  readonly aside?: true;
  /** What its kernels compute. */
  readonly result: string;
}

/**
 * A few: for one direction and for each of eight inverse dynamics of two rods of six strains count 4.1 and 1.8 times themselves when two are
 * expected, 4.6 and 1.45 times when four are, 5.7 and 1.3 times when eight are; Newton's method takes one per coordinate.
 */
const DIRECTIONS = 4;

const GROUPS = {
  motion: {
    of: ['motion'],
    variants: ['Tangent', 'Variation', 'Adjoint'],
    aside: true,
    result: 'velocities and accelerations of the own frame',
  },
  forward: {
    of: ['velocity', 'acceleration'],
    variants: ['Tangent', 'Variation', 'Adjoint'],
    kept: 'acceleration',
    afloat: {
      kernel: 'accelerationAfloat',
      reads: ['parentLinearVelocityInWater', 'parentPlacement'],
      writes: ['ownLinearVelocityInWater', 'ownPlacement', 'waterWrench'],
    },
    expected: DIRECTIONS,
    result: 'motion of the own frame and wrench of the body',
  },
  backward: {
    of: ['backward', 'elastic', 'damping'],
    variants: ['Tangent', 'Variation', 'Adjoint'],
    kept: 'backward',
    afloat: { kernel: 'backwardAfloat', reads: ['waterWrench'], writes: [] },
    expected: DIRECTIONS,
    result: 'generalized forces, elastic and damping ones included, and wrench at the parent frame',
  },
  actuate: {
    of: ['actuate'],
    variants: ['Tangent'],
    result: 'generalized forces of the actuators that act within the link, at the same inputs',
  },
  pose: {
    of: ['pose'],
    variants: ['Tangent', 'Variation'],
    result: 'world pose of the own frame',
  },
  transmit: {
    of: ['transmit'],
    variants: ['Tangent', 'Variation'],
    result: 'generalized forces of a wrench from outside, and wrench at the parent frame',
  },
} as const satisfies Record<string, Group>;

type Groups = typeof GROUPS;
type GroupName = keyof Groups;
type With<V extends Variant> = {
  [G in GroupName]: V extends Groups[G]['variants'][number] ? G : never;
}[GroupName];

/** Kernels of derivatives: `poseTangent`. */
export type VariantKernel = { [V in Variant]: `${With<V>}${V}` }[Variant];

/** Forms of functions that keep what a variant needs: `backwardForTangent`. */
export type KeepingFunction = {
  [G in GroupName]: Groups[G] extends { readonly kept: infer K extends string }
    ? `${K}For${Groups[G]['variants'][number]}`
    : never;
}[GroupName];

type Afloat = Extract<Groups[GroupName], { readonly afloat: unknown }>['afloat'];

/** Kernels that have derivatives. */
type SourceKernel = Groups[GroupName]['of'][number];

/** Kernels in whose place those of links of robots in water stand. */
export const IN_WATER: ReadonlyMap<string, Afloat['kernel']> = new Map(
  Object.values<Groups[GroupName]>(GROUPS).flatMap((group): [string, Afloat['kernel']][] =>
    'afloat' in group ? [[group.kept, group.afloat.kernel]] : [],
  ),
);

/** A group with a variant: its name, and what its kernels read and write together, coordinates last. */
export interface DerivativeKernel {
  readonly name: VariantKernel;
  /** The kernels whose derivative it is. */
  readonly of: readonly SourceKernel[];
  readonly reads: readonly Buffer[];
  readonly writes: readonly Buffer[];
}

const TABLES: readonly Buffer[] = ['constants', 'slot'];
export const COORDINATES: readonly Buffer[] = ['q', 'qd', 'qdd'];

const groupOf = (name: GroupName): Group => GROUPS[name];
const GROUP_NAMES = Object.keys(GROUPS) as readonly GroupName[];

/** Groups with a variant, in the order in which it runs through them. */
function groupsWith(variant: Variant): readonly GroupName[] {
  const names = GROUP_NAMES.filter((name) => groupOf(name).variants.includes(variant));
  return variant === 'Adjoint' ? names.reverse() : names;
}

function buffersOf(name: GroupName, end: 'reads' | 'writes'): readonly Buffer[] {
  const { of, afloat } = groupOf(name);
  const own = of.flatMap((f): readonly Buffer[] => PRIMAL_FUNCTIONS[f][end]);
  const all = [...new Set([...own, ...(afloat?.[end] ?? [])])].filter((buffer) => !TABLES.includes(buffer));
  const isCoordinate = (buffer: Buffer): boolean => COORDINATES.includes(buffer);
  return [...all.filter((buffer) => !isCoordinate(buffer)), ...COORDINATES.filter((buffer) => all.includes(buffer))];
}

/** Kernels of a variant, in the order in which they follow each other. */
export function derivativeKernels(variant: Variant): readonly DerivativeKernel[] {
  return groupsWith(variant).map((name) => ({
    name: `${name}${variant}` as VariantKernel,
    of: GROUPS[name].of,
    reads: buffersOf(name, 'reads'),
    writes: buffersOf(name, 'writes'),
  }));
}

const changesOf = (buffers: readonly Buffer[]): Buffer[] =>
  TANGENTS.filter((buffer) => buffers.includes(buffer)).map(tangentOf);
const weightsOf = (buffers: readonly Buffer[]): Buffer[] =>
  ADJOINTS.filter((buffer) => buffers.includes(buffer)).map(adjointOf);

/** What a variant reads beside what its group does, and what it writes. */
function ends(name: GroupName, variant: Variant): { reads: Buffer[]; writes: Buffer[] } {
  const [reads, writes] = [buffersOf(name, 'reads'), buffersOf(name, 'writes')];
  switch (variant) {
    case 'Tangent':
      return { reads: changesOf(reads), writes: changesOf(writes) };
    case 'Variation': {
      const handed = reads.filter((buffer) => !COORDINATES.includes(buffer));
      return { reads: ['parametersTangent', ...changesOf(handed)], writes: changesOf(writes) };
    }
    case 'Adjoint':
      return { reads: weightsOf(writes), writes: weightsOf(reads) };
  }
}

const PURPOSES: Readonly<Record<Variant, string>> = {
  Tangent: 'Jacobian-vector product: change of … along a direction of the motion.',
  Variation: 'Change of … along the parameters of the link.',
  Adjoint: 'Transpose of the tangent: weights of what … depend on, from weights of these.',
};

function variantRecord(name: GroupName, variant: Variant): LinkFunctionRecord {
  const { of, kept, expected, aside, result } = groupOf(name);
  const { reads, writes } = ends(name, variant);
  const apart = of.flatMap((f) => changesOf((PRIMAL_FUNCTIONS[f] as LinkFunctionRecord).apart ?? []));
  return {
    reads: [...TABLES, ...(kept ? (['linearised'] as const) : []), ...buffersOf(name, 'reads'), ...reads],
    writes: ['slot', ...writes],
    ...(apart.length > 0 && { apart }),
    stage: 'direction',
    ...(variant === 'Tangent' && expected !== undefined && { expected }),
    ...(aside && { aside }),
    optional: true,
    purpose: PURPOSES[variant].replace('…', result),
  };
}

/** What the kept function of a group does, and what a variant needs of it. */
function keepingRecord(name: GroupName, variant: Variant): LinkFunctionRecord {
  const { kept, afloat } = groupOf(name);
  const { writes, purpose } = PRIMAL_FUNCTIONS[kept!];
  return {
    kernel: kept!,
    ...(afloat && { afloat: afloat.kernel }),
    reads: [...TABLES, ...buffersOf(name, 'reads')],
    writes: [...writes, ...(afloat?.writes ?? []), 'linearised'],
    stage: 'linearised',
    prepares: `${name}${variant}`,
    optional: true,
    purpose: `${purpose} Keeps what the ${variant.toLowerCase()} needs.`,
  };
}

type VariantFunction = VariantKernel | KeepingFunction;

const VARIANT_FUNCTIONS = Object.fromEntries(
  VARIANTS.flatMap((variant): [string, LinkFunctionRecord][] => [
    ...GROUP_NAMES.flatMap((name): [string, LinkFunctionRecord][] => {
      const { kept, variants } = groupOf(name);
      if (!kept || !variants.includes(variant)) return [];
      return [[`${kept}For${variant}`, keepingRecord(name, variant)]];
    }),
    ...groupsWith(variant).map((name): [string, LinkFunctionRecord] => [
      `${name}${variant}`,
      variantRecord(name, variant),
    ]),
  ]),
) as Record<VariantFunction, LinkFunctionRecord>;

/** What follows no rule: derivatives of what implicit steps have beside inverse dynamics, and by parameters. */
const OTHER_DERIVATIVES = {
  stepTangent: {
    reads: ['constants', 'slot', 'q', 'qd', 'qdd', 'load', 'qTangent', 'qdTangent'],
    writes: ['slot', 'generalizedForceTangent'],
    stage: 'direction',
    optional: true,
    purpose: 'Change along q and qd of what implicit steps add to generalized forces: D qdd + K load.',
  },
  stepAdjoint: {
    reads: ['constants', 'slot', 'q', 'qd', 'qdd', 'load', 'generalizedForceAdjoint'],
    writes: ['slot', 'qAdjoint', 'qdAdjoint'],
    stage: 'direction',
    optional: true,
    purpose: 'Weights of q and qd from those of what implicit steps add to generalized forces: D qdd + K load.',
  },
  parametersAdjoint: {
    finds: ['accelerationForAdjoint', 'backwardForAdjoint'],
    reads: [
      ...VARIANT_FUNCTIONS.forwardAdjoint.reads,
      ...VARIANT_FUNCTIONS.backwardAdjoint.reads,
      ...(['load', 'inputs', 'qddTangent'] as const),
    ],
    writes: [
      ...VARIANT_FUNCTIONS.forwardAdjoint.writes.filter((buffer) => buffer !== 'qddAdjoint'),
      'parametersAdjoint',
    ],
    stage: 'direction',
    optional: true,
    purpose:
      'Both adjoints of inverse dynamics together, and weights of the parameters of the link: of generalized forces and of what an implicit step adds to them, whose rates grow by qddTangent, less those of actuators within the link.',
  },
} as const satisfies Record<string, LinkFunctionRecord>;

export const DERIVATIVE_FUNCTIONS: Readonly<
  Record<VariantFunction | keyof typeof OTHER_DERIVATIVES, LinkFunctionRecord>
> = { ...VARIANT_FUNCTIONS, ...OTHER_DERIVATIVES };

export type DerivativeFunction = keyof typeof DERIVATIVE_FUNCTIONS;

/** Kernels of derivatives, and those of links in water of which they are. */
export type DerivativeKernelName = VariantKernel | keyof typeof OTHER_DERIVATIVES | Afloat['kernel'];

/** Buffers of which derivatives are, and that they write where links are in water. */
export type AfloatOutput = Afloat['writes'][number];
