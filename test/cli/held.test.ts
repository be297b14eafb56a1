/** `--hold`: what it takes, and what it says of what it does not take. */
import { describe, expect, it } from 'vitest';
import { outsideText } from '../../src/cli/commands/configurations/statics.ts';
import { frameLoadsOf, heldStartOf } from '../../src/cli/options/acting-loads.ts';
import { loadRobotObject } from '../../src/description/load.ts';

const robot = loadRobotObject({
  kanegen: 1,
  name: 'three',
  links: ['a', 'b', 'c'].map((name) => ({
    name,
    joint: { revolute: 'y', limits: [-1, 2] },
    rigid: { mass: 1 },
  })),
});
const held = (...hold: string[]) => heldStartOf(robot, { hold }, undefined);

describe('--hold', () => {
  it('keeps coordinates where the search begins, or at a value', () => {
    expect(held()).toEqual({ start: undefined, held: [] });
    expect(held('b.angle')).toEqual({ start: undefined, held: [1] });
    expect(held('c.angle=0.5', 'a.angle')).toEqual({ start: [0, 0, 0.5], held: [0, 2] });
    expect(heldStartOf(robot, { hold: ['c.angle=-0.5'] }, [1, 2, 3])).toEqual({ start: [1, 2, -0.5], held: [2] });
  });

  it('keeps all coordinates of a link', () => {
    const floating = loadRobotObject({
      kanegen: 1,
      name: 'floating',
      links: [
        { name: 'leg', joint: { revolute: 'y' }, rigid: { mass: 1 } },
        { name: 'trunk', joint: 'free', rigid: { mass: 1 } },
        { name: 'trunk2', joint: { revolute: 'y' }, rigid: { mass: 1 } },
      ],
    });
    const of = (...hold: string[]) => heldStartOf(floating, { hold }, undefined);
    expect(of('trunk')).toEqual({ start: undefined, held: [1, 2, 3, 4, 5, 6] });
    expect(of('trunk', 'trunk.d3=0.5', 'leg').held).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(() => of('tronk')).toThrow('--hold: unknown coordinate "tronk"');
  });

  it('refuses names that are none, numbers that are none, and a robot without motion', () => {
    expect(() => held('b.angel')).toThrow('--hold: unknown coordinate "b.angel"; did you mean b.angle?');
    expect(() => held('b.angle=far')).toThrow(
      '--hold b.angle=far: "far" is not a number; write a number of rad, or one with a unit',
    );
    expect(() => held('b.angle=3 gon')).toThrow(
      '--hold b.angle=3 gon: unknown unit "gon"; write a number of rad, or one with a unit',
    );
    expect(() => held('b.angle=1,2')).toThrow('--hold takes one number for b.angle');
    expect(() => held('a.angle', 'b.angle', 'c.angle=1')).toThrow('--hold: no coordinate is left to move');
  });
});

it('coordinates that end outside of their limits are named', () => {
  expect(outsideText(robot, [0, 2, -1])).toEqual([]);
  expect(outsideText(robot, [0, 2.5, -1])).toEqual(['outside of their limits: b.angle (-1 to 2)']);
});

it('loads that are no numbers are told how loads are written', () => {
  const load = (text: string) => frameLoadsOf(robot, { load: [text], follower: [] });
  expect(load('c=1,2,3')).toEqual([{ frame: 2, force: [1, 2, 3], follows: false }]);
  expect(() => load('c=1,2,x')).toThrow('--load c=1,2,x: "x" is not a number; write a number of N, or one with a unit');
  expect(() => load('c')).toThrow('--load takes FRAME=FX,FY,FZ or FRAME=FX,FY,FZ,MX,MY,MZ, not');
  expect(() => load('c=1,2')).toThrow('--load takes FRAME=FX,FY,FZ or FRAME=FX,FY,FZ,MX,MY,MZ');
});
