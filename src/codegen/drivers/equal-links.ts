/**
 * The links of a robot in runs of links of one type, one after the other: a sweep is a few calls in a row, and a loop where
 * links are equal but for their numbers.
 */
import { linksOf, type InstanceModel, type LinkModel, type RobotModel } from '../modules/robot-model.ts';
import { hasFormulas } from './robot-programs.ts';

export interface Run {
  readonly link: LinkModel;
  /** Index of the first link and of the one after the last. */
  readonly from: number;
  readonly to: number;
  /** All are visited first among their siblings on the way back: they write to the parent's block, others add. */
  readonly writesFirst: boolean;
  /** Constants stand in tables; otherwise parameters of the robot determine them. */
  readonly isFolded: boolean;
  /** No actuator has two terms within a link, nor a formula before them: entries of its column of B are theirs alone. */
  readonly writesColumns: boolean;
}

export function runsOf(model: RobotModel): readonly Run[] {
  const { instances } = model;
  // Nothing comes inwards from material points.
  const last = new Map(linksOf(model).map(({ parent }, index) => [parent, index]));
  const isAdding = hasFormulas(model);
  const runs: Run[] = [];
  instances.forEach(({ link, parent, constants, actuators }, index) => {
    const own = {
      link,
      writesFirst: last.get(parent) === index,
      isFolded: constants !== null,
      writesColumns: !isAdding && new Set(actuators).size === actuators.length,
    };
    const before = runs.at(-1);
    const continues =
      before?.link === own.link &&
      !link.has.has('hold') &&
      before.writesFirst === own.writesFirst &&
      before.isFolded === own.isFolded &&
      before.writesColumns === own.writesColumns;
    if (continues) runs.push({ ...runs.pop()!, to: index + 1 });
    else runs.push({ ...own, from: index, to: index + 1 });
  });
  return runs;
}

/** Some links of a sweep, and those of them at which something stands before it, to which children add. */
export interface Among {
  readonly links: ReadonlySet<number>;
  readonly laden: ReadonlySet<number>;
  /** Material points on which nothing acts are passed over. */
  readonly acting?: true;
}

/** Runs of these links alone. */
export function runsAmong({ instances }: RobotModel, runs: readonly Run[], { links, laden }: Among): readonly Run[] {
  const last = new Map([...links].sort((a, b) => a - b).map((index) => [instances[index]!.parent, index]));
  return runs.flatMap((run) => {
    const own: Run[] = [];
    for (let index = run.from; index < run.to; index++) {
      if (!links.has(index)) continue;
      const { parent } = instances[index]!;
      const writesFirst = last.get(parent) === index && !laden.has(parent);
      const before = own.at(-1);
      if (before?.to === index && before.writesFirst === writesFirst) own.push({ ...own.pop()!, to: index + 1 });
      else own.push({ ...run, from: index, to: index + 1, writesFirst });
    }
    return own;
  });
}

/** Indices of the links, or of some of them, that carry no other of these. */
export function leavesOf(model: RobotModel, among?: Among): readonly number[] {
  const links = linksOf(model);
  const all = links.map((_, index) => index).filter((index) => among?.links.has(index) ?? true);
  const parents = new Set(all.map((index) => links[index]!.parent));
  return all.filter((index) => !parents.has(index) && !among?.laden.has(index));
}

/** A link and all that carry it. */
export function wayFrom({ instances }: Pick<RobotModel, 'instances'>, index: number): number[] {
  const way: number[] = [];
  for (let i = index; i >= 0; i = instances[i]!.parent) way.push(i);
  return way;
}

/** Link types of a robot that links have, in the order of the table of links. */
export function typesUsed({ links, instances }: RobotModel): readonly LinkModel[] {
  return links.filter((link) => instances.some((instance: InstanceModel) => instance.link === link));
}
