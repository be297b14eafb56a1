/** Loops of a reference file, between several chains from the base, in the language of robot files; and its numbers of them. */
import { Decimal } from 'decimal.js';
import type { Expected } from '../generated/deviation.ts';
import type { State } from '../generated/evaluation.ts';
import type { ExpectedLoops } from '../generated/loop-deviation.ts';
import type { Segment, Vector } from './reference-bodies.ts';
import { stateOf, type ReferenceState } from './reference-state.ts';

/** The distal frame of the last link of a chain, −1: the base, times a constant transform. */
interface ReferenceEnd {
  readonly chain: number;
  readonly R?: readonly Vector[];
  readonly p?: Vector;
}

export interface ReferenceLoop {
  readonly name: string;
  readonly type: string;
  readonly a?: ReferenceEnd;
  readonly b?: ReferenceEnd;
  /** Of a `distance`, m. */
  readonly length?: number;
  /** Of a `formula`, in coordinates q1, q2, … */
  readonly phi?: string;
}

/** One chain of several. */
export interface ReferenceChain {
  readonly links: readonly Segment[];
}

/** Several chains that close loops, in place of one. */
export function hasLoops(parameters: unknown): boolean {
  return typeof parameters === 'object' && parameters !== null && 'chains' in parameters && 'loops' in parameters;
}

/** Joints by the names that reference files have for them: the key of a loop, and what it has beside its ends. */
const JOINTS: Readonly<Record<string, readonly [key: string, more: object]>> = {
  pin_xy: ['point-on-line', { axis: 'z' }],
  pin_xz: ['point-on-line', { axis: 'y' }],
  weld_xz: ['weld', { rows: ['x', 'z', 'ry'] }],
  point_on_plane: ['point-on-plane', { axis: 'x' }],
  revolute: ['revolute', { axis: 'z' }],
  spherical: ['spherical', {}],
};

/** @returns the first type that does not exist; undefined when all do. */
export function unknownLoop(loops: readonly ReferenceLoop[]): string | undefined {
  return loops.find(({ type }) => !(type in JOINTS) && type !== 'distance' && type !== 'formula')?.type;
}

/**
 * @param ends the last link of each chain.
 * @param coordinates names in the order of q; asked for by formulas alone.
 */
export function referenceLoops(
  loops: readonly ReferenceLoop[],
  ends: readonly string[],
  coordinates: () => readonly string[],
): object {
  const end = ({ chain, R, p }: ReferenceEnd): object => ({
    on: ends[chain] ?? 'base',
    ...((R !== undefined || p !== undefined) && { offset: { matrix: R, xyz: p } }),
  });
  const content = ({ type, a, b, length, phi }: ReferenceLoop): object => {
    if (type === 'formula') return { constraint: phi!.replace(/\bq(\d+)\b/g, (_, k) => coordinates()[Number(k) - 1]!) };
    const frames = { a: end(a!), b: end(b!) };
    if (type === 'distance') return { distance: { ...frames, length } };
    const [key, more] = JOINTS[type]!;
    return { [key]: { ...frames, ...more } };
  };
  return Object.fromEntries(loops.map((loop) => [loop.name, content(loop)]));
}

/** Forces are given, and loops make accelerations of them. */
export function loopState(state: ReferenceState): State {
  const own = stateOf(state);
  const { tau, baumgarte } = state;
  return { ...own, forces: tau?.map(Number) ?? own.q.map(() => 0), ...(baumgarte && { feedback: baumgarte }) };
}

/** Potential energies of these files have the elastic one in them. */
export function loopNumbers(state: ReferenceState): Expected {
  const { M, c, g, elastic, qdd, kinetic_energy: kinetic, potential_energy: potential } = state;
  const whole = potential === undefined ? undefined : new Decimal(kinetic!).plus(potential).toString();
  const { phi, phi_rate, bias, J, rank, multipliers, constraint_force, nearest_qd } = state;
  const loops: ExpectedLoops = { phi, phi_rate, bias, J, rank, multipliers, constraint_force, nearest_qd, qdd };
  return { M, c, g, elastic, qdd, kinetic_energy: kinetic, energy: state.energy ?? whole, loops };
}
