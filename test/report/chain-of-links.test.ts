import { describe, expect, it } from 'vitest';
import { loadRobotFile, loadRobotObject } from '../../src/description/load.ts';
import { chainOf } from '../../src/report/chain-of-links.ts';
import { branchedRobot } from '../codegen/sample-robots.ts';

describe('chains made from a robot', () => {
  const arm = loadRobotFile('examples/planar-cc.robot.yaml');

  it('are its first links when they are shorter than it', () => {
    const { links, coordinates, tip, frames } = chainOf(arm, 2);
    expect(links.map((link) => [link.name, link.parent])).toEqual([
      ['seg1', -1],
      ['seg2', 0],
    ]);
    expect(coordinates.map((c) => [c.name, c.link])).toEqual([
      ['seg1.q', 0],
      ['seg2.q', 1],
    ]);
    expect(frames[tip]!.link).toBe(1);
  });

  it('go on with its last link when they are longer, every link and coordinate under a name of its own', () => {
    const { links, coordinates } = chainOf(arm, 6);
    expect(links.map((link) => link.parent)).toEqual([-1, 0, 1, 2, 3, 4]);
    expect(links[5]!.body).toBe(arm.links[2]!.body);
    expect(new Set(coordinates.map((c) => c.name)).size).toBe(6);
    expect(coordinates[5]!.name).toBe(`${links[5]!.name}.q`);
  });

  it('follow the way to the tip through a branched robot', () => {
    const branched = branchedRobot();
    const tipLink = branched.frames[branched.tip]!.link;
    expect(chainOf(branched, 2).links.map((link) => link.name)).toEqual(['trunk', 'soft1']);
    expect(chainOf(branched, 3).links[2]!.name).toBe(branched.links[tipLink]!.name);
  });

  it('leave attached masses behind', () => {
    const robot = loadRobotObject({
      kanegen: 1,
      name: 'loaded',
      links: [{ name: 'a', body: 'planar-cc' }],
      attach: [{ name: 'load', to: 'a', rigid: { mass: 1 } }],
    });
    expect(robot.links).toHaveLength(2);
    expect(chainOf(robot, 3).links.every((link) => link.body.kind === 'deformable')).toBe(true);
  });
});
