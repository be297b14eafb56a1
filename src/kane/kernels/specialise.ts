/**
 * Kernels of a robot's link types with what its tree makes zero, and without what nothing reads: the links of a planar arm
 * turn about one axis, a base that rests does not turn at all, nothing hangs on the last link, and a force along an axis
 * that no coordinate sees need not be computed.
 *
 * Both are fixpoints over the buffers that links hand to each other (`becomes` in `buffers.ts`), one pattern per buffer of a
 * type, so that a robot has as many types as before:
 *   zeros   an entry that a type reads is zero where all that is handed to its links is; assumed of all, then taken back;
 *   needs   an entry is needed where one that is computed from it is; assumed of none, then added.
 * What types with loops hand to their own kernels may come from loops: it is left as it is.
 */
import { KanegenError } from '../../common/error.ts';
import { zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { freeSymbols, substitute } from '../../symbolic/graph/traverse.ts';
import { frameEntries, frameFromEntries, identityFrame, inverseFrame } from '../../symbolic/graph/vector.ts';
import { loopExpressions } from '../loops/loop.ts';
import { withZerosInLoops } from '../loops/zeros-in-loops.ts';
import { BUFFERS, type Buffer, type BufferRecord, type InputBuffer } from './buffers.ts';
import type { OutputBuffer } from './link-functions.ts';
import type { FromBase, ToBase } from './quantities.ts';
import type { CompiledRobot, Kernel, LinkType } from './link-type.ts';

type WithTangents<B extends string> = B | Extract<Buffer, `${B}Tangent`>;

/** What the base hands to its children: every quantity, and its changes. */
export type BaseValues = Readonly<Record<WithTangents<FromBase>, readonly Expr[]>>;

/** Entries that the base reads of what its children hand to it: every quantity with its changes, and derivatives by what it hands to them. */
export type BaseNeeds = Readonly<
  Record<WithTangents<ToBase> | Extract<Buffer, `${FromBase}Adjoint`>, readonly number[]>
>;

const recordOf = (buffer: Buffer): BufferRecord => BUFFERS[buffer];

export function specialise(robot: CompiledRobot, base: BaseValues, wanted: BaseNeeds): CompiledRobot {
  const zeros = findZeros(robot, base);
  const reduced = new Map(robot.types.map((type) => [type, withZeros(type, zeros.get(type)!)]));
  const needs = findNeeds(robot, reduced, wanted);
  const types = new Map(robot.types.map((type) => [type, without(reduced.get(type)!, needs.get(type)!)]));
  return {
    types: robot.types.map((type) => types.get(type)!),
    links: robot.links.map((link) => ({ ...link, type: types.get(link.type)! })),
    frames: robot.frames,
    ...(robot.reaching && { reaching: robot.reaching }),
  };
}

const isOpen = (type: LinkType): boolean => type.loops.length > 0;

/** Loops write to buffers of their own link what stands in no kernel: nothing in them is known to be zero, all of it is needed. */
function isHandedOn(type: LinkType, buffer: InputBuffer): boolean {
  return !isOpen(type) || recordOf(buffer).becomes !== buffer;
}

/** Types of the links on either side of those of a type; the base is none. */
interface Neighbours {
  readonly parents: Set<LinkType>;
  readonly children: Set<LinkType>;
}

function neighboursIn({ types, links }: CompiledRobot): ReadonlyMap<LinkType, Neighbours> {
  const all = new Map(types.map((type) => [type, { parents: new Set<LinkType>(), children: new Set<LinkType>() }]));
  for (const { type, parent } of links) {
    if (parent < 0) continue;
    all.get(type)!.parents.add(links[parent]!.type);
    all.get(links[parent]!.type)!.children.add(type);
  }
  return all;
}

/** Types of the links that a buffer of a type is handed to. */
function receivers(type: LinkType, { parents, children }: Neighbours, buffer: OutputBuffer): Iterable<LinkType> {
  if (recordOf(buffer).becomes === buffer) return [type];
  const { place } = recordOf(buffer);
  return typeof place === 'object' && place.block === 'own' ? children : parents;
}

/** Every entry of a buffer that kernels of a type write, with the buffer that it becomes and its place there. */
function* handed(type: LinkType): Generator<{ buffer: OutputBuffer; to: InputBuffer; index: number; value: Expr }> {
  for (const { outputs } of type.kernels)
    for (const { buffer, values } of outputs) {
      const to = recordOf(buffer).becomes as InputBuffer | undefined;
      if (to === undefined) continue;
      const width = type.inputs[to].length;
      for (let i = 0; i < values.length; i++) yield { buffer, to, index: i % width, value: values[i]! };
    }
}

// ---------------------------------------------------------------------------------------------- zeros

/** Symbols of a type's inputs that are zero in all its links. */
type Zeros = ReadonlySet<SymbolExpr>;

function findZeros(robot: CompiledRobot, base: BaseValues): ReadonlyMap<LinkType, Zeros> {
  const read = new Set(
    Object.values(BUFFERS).flatMap((record: BufferRecord) => record.becomes ?? []),
  ) as Set<InputBuffer>;
  for (const buffer of read) if (recordOf(buffer).ofCallers) read.delete(buffer);
  let zeros = new Map<LinkType, Zeros>(
    robot.types.map((type) => [
      type,
      new Set([...read].flatMap((buffer) => (isHandedOn(type, buffer) ? [...type.inputs[buffer]] : []))),
    ]),
  );
  const neighbours = neighboursIn(robot);
  const isFirst = (index: number): boolean => index >= 0 && robot.links[index]!.parent < 0;
  /** Zeros are only ever taken back: where there are as many as before, they are the same. */
  const known = new Map<LinkType, { readonly size: number; readonly type: LinkType }>();
  const reduced = (type: LinkType): LinkType => {
    const own = zeros.get(type)!;
    const found = known.get(type);
    if (found?.size === own.size) return found.type;
    known.set(type, { size: own.size, type: withZeros(type, own) });
    return known.get(type)!.type;
  };
  for (;;) {
    const next = new Map<LinkType, Set<SymbolExpr>>([...zeros].map(([type, own]) => [type, new Set(own)]));
    for (const { type, parent } of robot.links) {
      const hand = (buffer: InputBuffer, values: readonly Expr[]): void =>
        values.forEach((value, i) => value !== zero && next.get(type)!.delete(type.inputs[buffer][i]!));
      if (parent < 0) {
        for (const [buffer, values] of Object.entries(base) as [InputBuffer, readonly Expr[]][]) hand(buffer, values);
        hand('parentPose', baseFromFirst(reduced(type)));
      }
      if (parent < 0 || isFirst(parent)) hand('parentPose', AT_REST);
    }
    for (const type of robot.types)
      for (const { buffer, to, index, value } of handed(reduced(type)))
        if (value !== zero)
          for (const receiver of receivers(type, neighbours.get(type)!, buffer))
            next.get(receiver)!.delete(receiver.inputs[to][index]!);
    if (robot.types.every((type) => next.get(type)!.size === zeros.get(type)!.size)) return zeros;
    zeros = next;
  }
}

const AT_REST = frameEntries(identityFrame);

/** The mass matrix is gathered in the first link of a tree, which takes the place of the base: the pose of the base there. */
function baseFromFirst(type: LinkType): readonly Expr[] {
  const own = type.kernels.flatMap(({ outputs }) =>
    outputs.flatMap(({ buffer, values }) => (buffer === 'ownPose' ? [...values] : [])),
  );
  if (own.length === 0) return AT_REST;
  const symbols = type.inputs.parentPose;
  const seen = substitute(own, new Map<Expr, Expr>(symbols.map((s, i) => [s, AT_REST[i]!])));
  return frameEntries(inverseFrame(frameFromEntries(seen)));
}

function withZeros(type: LinkType, known: Zeros): LinkType {
  if (known.size === 0) return type;
  const { loops, zeros } = withZerosInLoops(type.loops, known);
  const replacements = new Map<Expr, Expr>([...zeros].map((symbol) => [symbol, zero]));
  const ofKernels = type.kernels.map(({ outputs }) => outputs.flatMap((output) => [...output.values]));
  const named = [...type.hints.keys()];
  const quantities = [...(type.quantities?.keys() ?? [])];
  const replaced = substitutedTogether([...ofKernels, named, quantities], replacements);
  let next = 0;
  const kernels = type.kernels.map((kernel): Kernel => ({
    ...kernel,
    ...(kernel.loops && { loops: kernel.loops.map((loop) => loops.get(loop)!) }),
    outputs: kernel.outputs.map(({ buffer, values: own }) => ({
      buffer,
      values: replaced.slice(next, (next += own.length)),
    })),
  }));
  const renamed = (before: ReadonlyMap<Expr, string> = new Map()): ReadonlyMap<Expr, string> => {
    const names = [...before.values()];
    return new Map(replaced.slice(next, (next += names.length)).map((value, i) => [value, names[i]!]));
  };
  return {
    ...type,
    kernels,
    loops: [...loops.values()],
    hints: renamed(type.hints),
    quantities: renamed(type.quantities),
  };
}

/** Where a pivot would be zero by its formula, its kernel stays as it is: there is a status for that at run time. */
function substitutedTogether(
  parts: readonly (readonly Expr[])[],
  replacements: ReadonlyMap<Expr, Expr>,
): readonly Expr[] {
  try {
    return substitute(parts.flat(), replacements);
  } catch (error) {
    if (!(error instanceof KanegenError)) throw error;
    if (parts.length === 1) return parts[0]!;
    return parts.flatMap((part) => substitutedTogether([part], replacements));
  }
}

// ---------------------------------------------------------------------------------------------- needs

/** Entries of the buffers that links of a type are handed. */
type Needs = ReadonlyMap<OutputBuffer, ReadonlySet<number>>;

/** @param reduced types as they are computed; the robot's own stand for them. */
function findNeeds(
  robot: CompiledRobot,
  reduced: ReadonlyMap<LinkType, LinkType>,
  wanted: BaseNeeds,
): ReadonlyMap<LinkType, Needs> {
  const needs = new Map(robot.types.map((type) => [type, new Map<OutputBuffer, Set<number>>()]));
  for (const { type, parent } of robot.links)
    if (parent < 0)
      for (const [buffer, entries] of Object.entries(wanted) as [OutputBuffer, readonly number[]][])
        needs.get(type)!.set(buffer, new Set(entries));
  const read = new Map(
    robot.types.map((type) => {
      const ofLoops = reduced.get(type)!.loops.flatMap((loop) => [...loopExpressions(loop)]);
      return [type, { values: new Set(ofLoops), inputs: new Set<Expr>(freeSymbols(ofLoops)) }];
    }),
  );
  /** Inputs that what is needed of a type is computed from: needs only grow, and every value is looked at once. */
  const inputsOf = (type: LinkType): ReadonlySet<Expr> => {
    const { values: known, inputs } = read.get(type)!;
    const added = reduced
      .get(type)!
      .kernels.flatMap(({ outputs }) =>
        outputs.flatMap(({ buffer, values }) =>
          values.filter((value, i) => !known.has(value) && isNeeded(type, needs.get(type)!, buffer, i)),
        ),
      );
    for (const value of added) known.add(value);
    for (const symbol of freeSymbols(added)) inputs.add(symbol);
    return inputs;
  };
  const neighbours = neighboursIn(robot);
  for (let grows = true; grows;) {
    grows = false;
    const inputs = new Map(robot.types.map((type) => [type, inputsOf(type)]));
    for (const type of robot.types)
      for (const { buffer, to, index } of handed(type)) {
        const own = needs.get(type)!.get(buffer) ?? new Set<number>();
        const isRead = [...receivers(type, neighbours.get(type)!, buffer)].some((receiver) =>
          inputs.get(receiver)!.has(receiver.inputs[to][index]!),
        );
        if (!isRead || own.has(index)) continue;
        needs.get(type)!.set(buffer, own.add(index));
        grows = true;
      }
  }
  return needs;
}

/** What no link is handed is for callers. */
function isNeeded(type: LinkType, needs: Needs, buffer: OutputBuffer, index: number): boolean {
  const to = recordOf(buffer).becomes as InputBuffer | undefined;
  if (to === undefined || recordOf(buffer).ofCallers || !isHandedOn(type, to)) return true;
  return needs.get(buffer)?.has(index % type.inputs[to].length) ?? false;
}

/** Do kernels of links alone read it? Drivers take wrenches of unit accelerations, and changes of all that moves, whole. */
function isForLinks(buffer: OutputBuffer): boolean {
  const { place, mirrors } = recordOf(buffer);
  return place !== 'apart' && mirrors === undefined;
}

function without(type: LinkType, needs: Needs): LinkType {
  const kernels = type.kernels.map((kernel): Kernel => ({
    ...kernel,
    outputs: kernel.outputs.map(({ buffer, values }) => {
      const unread = new Set(values.flatMap((_, i) => (isNeeded(type, needs, buffer, i) ? [] : [i])));
      const kept = values.map((value, i) => (unread.has(i) ? zero : value));
      return { buffer, values: kept, ...(unread.size > 0 && isForLinks(buffer) && { unread }) };
    }),
  }));
  return { ...type, kernels };
}
