/**
 * Chains of different lengths made from one robot, for curves of cost against length: the links from the base to the
 * tip, cut short, or continued with the last one again and again.
 */
import type { Link, Robot, RobotCoordinate } from '../description/model/robot.ts';
import { identityFrame } from '../symbolic/graph/vector.ts';

/** The robot with `length` links in a row. Branches, attached masses, named frames and states are dropped. */
export function chainOf(robot: Robot, length: number): Robot {
  const path = pathToTip(robot);
  const sources = Array.from({ length }, (_, i) => path[Math.min(i, path.length - 1)]!);
  const links = sources.map((source, i): Link => {
    const link = robot.links[source]!;
    return { ...link, name: i < path.length ? link.name : `${link.name}_${i + 1}`, parent: i - 1 };
  });
  const coordinates = sources.flatMap((source, i): RobotCoordinate[] => {
    const prefix = robot.links[source]!.name;
    return robot.coordinates
      .filter((c) => c.link === source)
      .map((c) => ({ ...c, link: i, name: `${links[i]!.name}${c.name.slice(prefix.length)}` }));
  });
  return {
    ...robot,
    name: `${robot.name}-${length}`,
    links,
    coordinates,
    frames: links.map((link, i) => ({ name: link.name, link: i, offset: identityFrame })),
    tip: length - 1,
    states: {},
  };
}

/** Indices of the links from the base to the one that carries the tip. */
function pathToTip({ links, frames, tip }: Robot): number[] {
  const path: number[] = [];
  for (let link = frames[tip]?.link ?? -1; link >= 0; link = links[link]!.parent) path.unshift(link);
  return path;
}
