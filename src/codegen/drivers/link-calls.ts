/** How a driver calls the functions of a link in a sweep: arguments, what they hand inwards, and where buffers stand in blocks. */
import { PAIR_PARTS, PAIR_SIZE } from '../../description/model/contact.ts';
import { BUFFERS, type Buffer, type BufferRecord } from '../../kane/kernels/buffers.ts';
import { QUANTITY_RECORDS, type Quantity } from '../../kane/kernels/quantities.ts';
import { linkFunction, type LinkFunctionName } from '../../kane/kernels/link-functions.ts';
import type { LinkModel } from '../modules/robot-model.ts';
import type { Place } from '../operations/operation.ts';
import type { Program } from '../programs/program.ts';
import {
  BLOCK,
  bufferStarts,
  ownBuffers,
  regionSignature,
  startOfFrame,
  type BlockPlace,
  type Region,
  type SharedPart,
} from '../modules/workspace.ts';
import { PAIR_ARRAYS } from '../sweeps/arrays.ts';
import {
  added,
  multiple,
  sum,
  type DriverLanguage,
  type Index,
  type LinkAccess,
  type LinkRegion,
} from './driver-language.ts';
import type { Run } from './equal-links.ts';

/** A link in a sweep. */
export interface LinkPlace {
  readonly run: Run;
  readonly access: LinkAccess;
  readonly index: Index;
  /** Where arrays begin. */
  readonly start: Index;
}

/** Statements that follow each other rather than stand in a loop, at most. */
export const UNROLLED = 3;

/** Statements for each of so many numbers, in a loop where they are many. */
export function each(
  language: DriverLanguage,
  variable: string,
  count: Index,
  lines: (index: Index) => readonly string[],
): string[] {
  if (typeof count === 'number' && count <= UNROLLED) return Array.from({ length: count }, (_, a) => lines(a)).flat();
  return language.loop(variable, 0, count, lines(variable));
}

/** A function of a link as it stands. */
export function invocation(
  language: DriverLanguage,
  name: LinkFunctionName,
  { run, access }: Pick<LinkPlace, 'run' | 'access'>,
): string {
  const argument = (region: Region): string =>
    LINK_REGIONS.has(region) ? access.array(region as LinkRegion) : language.shared(region as SharedPart);
  return language.callLink(run.link, name, regionSignature(name).regions.map(argument));
}

/** The same, where what it leaves for the parent is added to what other children left there. */
export function callOf(
  language: DriverLanguage,
  name: LinkFunctionName,
  { run, access }: Pick<LinkPlace, 'run' | 'access'>,
): string[] {
  const { atRunTime } = language;
  if (run.link.isIdle(name)) return [];
  if (!atRunTime || handedInwards(name).length === 0) return callAs(language, name, { run, access });
  const { writesFirst } = atRunTime;
  return [true, false].flatMap((first) =>
    language.branch(
      first ? writesFirst : `!${writesFirst}`,
      callAs(language, name, { run: { ...run, writesFirst: first }, access }),
    ),
  );
}

function callAs(
  language: DriverLanguage,
  name: LinkFunctionName,
  { run, access }: Pick<LinkPlace, 'run' | 'access'>,
): string[] {
  const handed = handedBy(language, [run.link], name);
  const adds = !run.writesFirst && handed.some((own) => isReadThere(own, access));
  const copy = run.link.copyOf(name);
  if (copy) return copied(language, name, copy, { run, access });
  const argument = (region: Region): string => {
    if (adds && handed.some(({ block }) => block === region)) return language.shared('addend');
    if (name === 'prepare' && region === 'constants') return access.array('madeConstants');
    return LINK_REGIONS.has(region) ? access.array(region as LinkRegion) : language.shared(region as SharedPart);
  };
  const { regions } = regionSignature(name);
  const call = language.callLink(run.link, name, regions.map(argument));
  if (!adds) return [call];
  // What stands in the parent's block is read where it will be written, too.
  const readings = readFromParent(name).flatMap(({ place, size, block }) => {
    if (!handed.some((own) => own.block === block)) return [];
    return language.loop('k', 0, size, [
      `${language.addendNumber(place, 'k')} = ${language.value(access.number(block, place, 'k'))};`,
    ]);
  });
  const additions = handed.flatMap(({ place, size, block }) => {
    const total = access.number(block, place, 'k');
    const part = language.addendNumber(place, 'k');
    return language.loop('k', 0, size, [added(language, total, part)]);
  });
  return [...readings, call, ...additions];
}

/** What a function that only copies and clears does, in its place. */
function copied(
  language: DriverLanguage,
  name: LinkFunctionName,
  { loads, statements }: Program,
  { run, access }: Pick<LinkPlace, 'run' | 'access'>,
): string[] {
  const starts = bufferStarts(run.link.staged, name);
  const named = new Map(loads.map((own) => [own.name, own.place]));
  const regionOf = ({ buffer }: Place): Region => starts.get(buffer as Buffer)!.region;
  const element = (place: Place): string => {
    const at = starts.get(place.buffer as Buffer)!;
    const { region } = at;
    if (region === 'own' || region === 'parent') return access.number(region, at.place!, place.index);
    if (!LINK_REGIONS.has(region)) return language.sharedNumber(region as SharedPart, place.index);
    const array = access.array(region as LinkRegion);
    const [, all, from] = /^(\w+) \+ (\w+)$/.exec(array) ?? [];
    return all === undefined ? `${array}[${place.index}]` : `${all}[${sum(from!, place.index)}]`;
  };
  return statements.flatMap((statement) => {
    if (statement.kind !== 'store') return [];
    const { value } = statement;
    const isHanded = regionOf(statement.place) === 'parent';
    const adds = isHanded && !run.writesFirst && handedInwards(name).some((own) => isReadThere(own, access));
    const to = element(statement.place);
    if (value.kind === 'number')
      return adds && value.value === 0 ? [] : [`${to} = ${language.target.number(value.value)};`];
    const from = value.kind === 'load' ? value.place : value.kind === 'name' ? named.get(value.name)! : undefined;
    if (!from) throw new Error(`${name} of ${run.link.name} is no copy`);
    const read = language.value(element(from));
    return [adds ? `${to} = ${language.value(to)} + ${read};` : `${to} = ${read};`];
  });
}

const LINK_REGIONS: ReadonlySet<string> = new Set<LinkRegion>([
  ...([
    'constants',
    'parameters',
    'parametersTangent',
    'parametersAdjoint',
    'parent',
    'own',
    'parentTangent',
    'ownTangent',
  ] as const),
]);

const isChange = (buffer: Buffer): boolean => (BUFFERS[buffer] as BufferRecord).mirrors !== undefined;

export function blockOf(buffer: Buffer): 'own' | 'ownTangent' {
  return isChange(buffer) ? 'ownTangent' : 'own';
}

/** A quantity at the parent's frame, in its block or in that of its changes. */
interface Handed {
  readonly buffer: Buffer;
  readonly place: Quantity;
  readonly size: number;
  readonly block: 'parent' | 'parentTangent';
}

/** What links find in their blocks from their children. */
export interface Left {
  readonly place: Quantity;
  readonly size: number;
  readonly block: 'own' | 'ownTangent';
}

/** What a function leaves at the parent's frame. */
function handedInwards(name: LinkFunctionName): Handed[] {
  const { writes, apart = [] } = linkFunction(name);
  return ofParent(writes.filter((buffer) => !apart.includes(buffer)));
}

/** The same of these links, as far as they are known: what none of their kernels writes is left out. */
export function handedBy(
  { atRunTime }: DriverLanguage,
  links: readonly Pick<LinkModel, 'type'>[],
  name: LinkFunctionName,
): Handed[] {
  if (atRunTime) return handedInwards(name);
  const written = new Set(
    links.flatMap(({ type }) => type.kernels.flatMap(({ outputs }) => outputs.map(({ buffer }): Buffer => buffer))),
  );
  return handedInwards(name).filter(({ buffer }) => written.has(buffer));
}

/** What several links hand to the base need not be added up where the base makes nothing of it. */
const IDLE_AT_BASE: ReadonlySet<string> = new Set(
  QUANTITY_RECORDS.flatMap(({ base, written }) => (base === 'reads nothing' ? [written, `${written}Tangent`] : [])),
);

function isReadThere({ buffer }: Handed, { parentIndex }: LinkAccess): boolean {
  return parentIndex !== -1 || !IDLE_AT_BASE.has(buffer);
}

function readFromParent(name: LinkFunctionName): Handed[] {
  const { reads, apart = [] } = linkFunction(name);
  return ofParent(reads.filter((buffer) => !apart.includes(buffer)));
}

/** Those of the buffers that stand in the block of the parent. */
function ofParent(buffers: readonly Buffer[]): Handed[] {
  return buffers.flatMap((buffer): Handed[] => {
    const { place, size }: BufferRecord = BUFFERS[buffer];
    if (typeof place !== 'object' || place.block !== 'parent') return [];
    return [{ buffer, place: place.of, size: size as number, block: isChange(buffer) ? 'parentTangent' : 'parent' }];
  });
}

export function hasFunction(link: LinkModel, name: LinkFunctionName): boolean {
  return link.has.has(name);
}

/** Statements for links that have a function. */
export function whereHas(
  language: DriverLanguage,
  link: LinkModel,
  name: LinkFunctionName,
  lines: () => readonly string[],
): string[] {
  if (!hasFunction(link, name)) return [];
  const isOptional = linkFunction(name).optional && language.atRunTime;
  return isOptional ? language.branch(isOptional.has(name), lines()) : [...lines()];
}

/** Coordinates of a link. */
export function countOf({ atRunTime }: DriverLanguage, { type }: LinkModel): Index {
  return atRunTime?.count ?? type.coordinates.length;
}

/** Numbers of its addend to the mass matrix. */
export function addendOf({ atRunTime }: DriverLanguage, { type }: LinkModel): Index {
  return atRunTime?.addend ?? type.inputs.addend.length;
}

/** Where something begins in the block of links of a type. */
export function startOf({ staged }: Pick<LinkModel, 'staged'>, wanted: BlockPlace): number {
  const ofFrame = startOfFrame(wanted);
  if (ofFrame !== undefined) return ofFrame;
  let next = BLOCK;
  const { mirrors = wanted }: BufferRecord = BUFFERS[wanted as Buffer];
  for (const { buffer, size } of ownBuffers(staged)) {
    if (buffer === mirrors) return next;
    next += size;
  }
  throw new Error(`${wanted} is no buffer of a block`);
}

/**
 * What is reported of pairs of contacts, from the workspace to arrays of the caller.
 * @param first of so many pairs, among those of the robot.
 */
export function pairLines(language: DriverLanguage, count: number, first: Index): string[] {
  let from = 0;
  return PAIR_ARRAYS.flatMap((array) => {
    const size = PAIR_PARTS[array];
    const start = from;
    from += size;
    const lines = Array.from({ length: count }, (_, pair) =>
      Array.from({ length: size }, (__, i) => {
        const to = `${array}[${sum(multiple(size, sum(first, pair)), i)}]`;
        return `${to} = ${language.value(language.sharedNumber('contactPairs', PAIR_SIZE * pair + start + i))};`;
      }),
    );
    return language.branch(language.isGiven(array), lines.flat());
  });
}
