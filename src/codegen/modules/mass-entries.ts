/**
 * How the driver has the entries of M between coordinates of a link and those of the links that carry it, from the wrenches that
 * unit accelerations take:
 *   carried    from link to link down to the base: every link that is passed turns and shifts every wrench;
 *   gathered   wrenches and motions of coordinates once in the axes and about the origin of the distal frame of the first link of
 *              their tree: six products an entry. How far that is from the base does not enter.
 */
import type { LinkFunctionName } from '../../kane/kernels/link-functions.ts';
import { operationsInAll } from '../printing/cost-text.ts';
import { addCounts } from '../programs/statement.ts';
import { linksOf, type LinkModel, type RobotModel } from './robot-model.ts';
import { type OperationCounts, NO_OPERATIONS } from '../operations/operation-counts.ts';

/** Operations of a wrench in other axes, about another point; and of an entry. */
const MOVED: OperationCounts = { ...NO_OPERATIONS, multiply: 24, add: 18 };
const ENTRY: OperationCounts = { ...NO_OPERATIONS, multiply: 6, add: 5 };

/** In operations of links, as measured in C and TypeScript on chains of rigid links, where eight are as fast either way: */
const WEIGHTS = {
  /** entries are found side by side with those of other coordinates; */
  entry: 6,
  /** a call of a function that is not known before the driver runs takes this beside its operations. */
  call: 8,
};

/** Does gathering cost less? */
export function gathersMass(model: RobotModel): boolean {
  const { functions, passed, calls, moved, entries } = partsOf(model);
  const gathered = operationsInAll(functions) + moved * operationsInAll(MOVED) + entries * WEIGHTS.entry;
  return gathered < operationsInAll(passed) + calls * WEIGHTS.call;
}

/** What the entries cost beside the sweep towards the base. */
export function massEntriesCounts(model: RobotModel): OperationCounts {
  const { functions, passed, moved, entries } = partsOf(model);
  return gathersMass(model) ? addCounts([functions, repeated(moved, MOVED), repeated(entries, ENTRY)]) : passed;
}

interface Parts {
  /** Of gathering: poses and motions, how many wrenches are moved, how many entries are found. */
  readonly functions: OperationCounts;
  readonly moved: number;
  readonly entries: number;
  /** Of carrying: links that wrenches pass, in how many calls. */
  readonly passed: OperationCounts;
  readonly calls: number;
}

function partsOf(model: RobotModel): Parts {
  const links = linksOf(model);
  const own = links.map(({ link }) => link.type.coordinates.length);
  const beyond = links.map(() => 0);
  for (let i = links.length - 1; i >= 0; i--) {
    const { parent } = links[i]!;
    if (parent >= 0) beyond[parent]! += own[i]! + beyond[i]!;
  }
  const total = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);
  return {
    functions: addCounts(links.flatMap(({ link }) => [costOf(link, 'pose'), costOf(link, 'jacobian')])),
    moved: total(own.filter((_, i) => links[i]!.parent >= 0)),
    entries: total(own.map((count, i) => count * beyond[i]!)),
    passed: addCounts(links.map(({ link }, i) => repeated(beyond[i]!, costOf(link, 'propagate')))),
    calls: total(beyond),
  };
}

function costOf(link: LinkModel, name: LinkFunctionName): OperationCounts {
  return link.programOf(name)?.counts ?? NO_OPERATIONS;
}

function repeated(count: number, { stumpff, loops, ...rest }: OperationCounts): OperationCounts {
  const { add, multiply, divide, sqrt, call } = rest;
  return {
    ...{ add: count * add, multiply: count * multiply, divide: count * divide, sqrt: count * sqrt, call: count * call },
    stumpff: stumpff.length === 0 ? stumpff : Array.from({ length: count }, () => stumpff).flat(),
    loops: loops.map(({ rows, row }) => ({ rows: count * rows, row })),
  };
}
