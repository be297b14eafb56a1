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

/** Indices of the links that carry no other. */
export function leavesOf(model: RobotModel): readonly number[] {
  const links = linksOf(model);
  const parents = new Set(links.map(({ parent }) => parent));
  return links.map((_, index) => index).filter((index) => !parents.has(index));
}

/** Link types of a robot that links have, in the order of the table of links. */
export function typesUsed({ links, instances }: RobotModel): readonly LinkModel[] {
  return links.filter((link) => instances.some((instance: InstanceModel) => instance.link === link));
}
