/**
 * What the numbers in buffers of links are called: by the symbols of those that read them, by coordinates, by what a kernel
 * computes. For readers of generated code.
 */
import { MATRIX_ENTRIES, xyz } from '../equations/names.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { BUFFERS, MOST_HELD, type Buffer, type BufferRecord, type InputBuffer } from './buffers.ts';
import type { Kernel, LinkType } from './link-type.ts';

type Entries = (type: LinkType, kernel: Kernel['name']) => readonly string[];

const coordinates = ({ coordinates: own }: LinkType): readonly string[] => own.map(({ name }) => name);

const perCoordinate =
  (stem: string): Entries =>
  (type) =>
    coordinates(type).map((q) => `${stem}_${q}`);

const perPair =
  (stem: string): Entries =>
  (type) =>
    coordinates(type).flatMap((row) => coordinates(type).map((column) => `${stem}_${row}_${column}`));

const perEntry =
  (stems: readonly string[], suffix: string): Entries =>
  (type) =>
    coordinates(type).flatMap((q) => stems.map((stem) => `${stem}_${suffix}_${q}`));

/** Kernels whose generalized forces are all that inverse dynamics takes; those of others are named after their kernel. */
const WHOLE: readonly Kernel['name'][] = ['backward', 'backwardAfloat', 'propagate', 'transmit'];

const STEMS: Partial<Record<Kernel['name'], string>> = { backwardFluid: 'fluid' };

/** The actuators that act within the link are counted. */
const terms = ({ inputs }: LinkType): readonly string[] => inputs.inputs.map((_, k) => `actuation${k + 1}`);

/** Of buffers that no other kernel reads, or that say less to others. */
const ENTRIES: Partial<Record<Buffer, Entries>> = {
  generalizedForce: (type, kernel) =>
    coordinates(type).map((q) => (WHOLE.includes(kernel) ? `tau_${q}` : `${STEMS[kernel] ?? kernel}_force_${q}`)),
  massBlock: perPair('M'),
  forceMatrix: perPair('force_matrix'),
  unitWrenches: perEntry([...xyz('force'), ...xyz('moment')], 'per'),
  jacobianColumns: perEntry([...xyz('omega'), ...xyz('v')], 'per'),
  pointColumns: perEntry(xyz('v'), 'per'),
  accelerations: (type) => coordinates(type).map((q) => `${q}_ddot`),
  pivots: perCoordinate('pivot'),
  ownPose: () => [...MATRIX_ENTRIES.map((entry) => `R_${entry}`), ...xyz('t')],
  pointPosition: () => xyz('position'),
  pointMotion: () => [...xyz('v'), ...xyz('a')],
  actuationCoordinates: terms,
  actuationGradients: (type) => terms(type).flatMap((term) => coordinates(type).map((q) => `${term}_by_${q}`)),
  actuationRates: (type) => ['rate', 'bias'].flatMap((what) => terms(type).map((term) => `${term}_${what}`)),
  heldForce: () => Array.from({ length: MOST_HELD }, (_, k) => `held_force_${k + 1}`),
  energy: () => ['kinetic_energy', 'potential_energy', 'elastic_energy'],
};

/** Whose they are, where both frames have the same. */
const WHOSE: readonly (readonly [RegExp, string])[] = [
  [/^own/, 'own_'],
  [/^parent/, 'parent_'],
];

/** `own_omega_x`, `parent_force_z`, `tau_q1`, `M_q1_q2`; undefined where there is no name for it. */
export function outputName(
  type: LinkType,
  kernel: Kernel['name'],
  buffer: Kernel['outputs'][number]['buffer'],
  index: number,
): string | undefined {
  const whose = WHOSE.find(([pattern]) => pattern.test(buffer))?.[1] ?? '';
  const own = entriesOf(type, kernel, buffer)?.[index];
  if (own !== undefined) return `${whose}${own}`;
  const { becomes, mirrors }: BufferRecord = BUFFERS[buffer];
  if (mirrors !== undefined) {
    const mirrored = outputName(type, kernel, mirrors as Buffer as typeof buffer, index);
    return mirrored && `${buffer.endsWith('Adjoint') ? 'by' : 'd'}_${mirrored}`;
  }
  const reader = type.inputs[(becomes ?? buffer) as InputBuffer] as LinkType['inputs'][InputBuffer] | undefined;
  const name = reader?.[index]?.name.replace(/^.*\./, '');
  return name !== undefined && /^\w+$/.test(name) ? `${whose}${name}` : undefined;
}

/** Lists that are long where a link has many coordinates or actuators, asked for number by number. */
const entries = new WeakMap<LinkType, Map<string, readonly string[]>>();

function entriesOf(type: LinkType, kernel: Kernel['name'], buffer: Buffer): readonly string[] | undefined {
  const read = ENTRIES[buffer];
  if (!read) return undefined;
  const known = entries.get(type) ?? new Map<string, readonly string[]>();
  entries.set(type, known);
  const key = `${kernel} ${buffer}`;
  const names = known.get(key) ?? read(type, kernel);
  known.set(key, names);
  return names;
}

/** Names of all that kernels leave. */
export function outputNames(type: LinkType): ReadonlyMap<Expr, string> {
  const names = new Map<Expr, string>();
  for (const { name: kernel, outputs } of type.kernels)
    for (const { buffer, values } of outputs)
      values.forEach((value, index) => {
        const name = outputName(type, kernel, buffer, index);
        if (name !== undefined && !names.has(value)) names.set(value, name);
      });
  return names;
}
