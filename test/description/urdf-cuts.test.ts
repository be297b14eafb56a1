/** A part that several `urdf:` of a robot share is there once: every cut of a tree has the dynamics of the whole. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RigidBody } from '../../src/description/model/robot.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import { joint, link, loadLinks, robotOf, write } from './urdf-text.ts';
import { CART, expectSame, numbersOf, tree, urdfOf, type Twig } from './urdf-trees.ts';

/** Links from one down to another, every pair of a tree: [p, d] where p carries d, or is d. */
function pairsOf(twigs: readonly Twig[]): [number, number][] {
  const parents = [-1, ...twigs.map(({ parent }) => parent)];
  return parents.flatMap((_, d) => {
    const above: [number, number][] = [];
    for (let p = d; p >= 0; p = parents[p]!) above.push([p, d]);
    return above;
  });
}

describe('a part that several urdf entries share is there once', () => {
  it('fixed joints only, as part of a chain that holds them already', () => {
    const file = write(
      robotOf(
        link('base'),
        link('hand', 1.2, '0 0 0.1'),
        link('tool', 0.7, '0.1 0 0.2'),
        joint('turn', 'revolute', 'base', 'hand', '<axis xyz="0 1 0"/>'),
        joint('bolt', 'fixed', 'hand', 'tool', '<origin xyz="0 0 0.3"/>'),
      ),
    );
    const arm = { name: 'arm', urdf: { file, to: 'hand' } };
    const grip = { name: 'grip', parent: 'arm.hand', urdf: { file, from: 'hand', to: 'tool' } };
    const alone = numbersOf(loadLinks([arm]));
    const both = loadLinks([arm, grip]);
    expectSame(numbersOf(both), alone);
    expect(both.links.map((own) => own.name)).toEqual(['arm.hand', 'grip.tool']);
    // Seen through other links, the robot's own among them, that are fixed to the hand.
    const plate = { name: 'plate', parent: 'arm.hand', offset: { xyz: [0, 0, 0.3] }, rigid: {} };
    const more = ['plate', 'grip.tool'].map((parent, i) => ({ name: `t${i}`, parent, urdf: { file, from: 'tool' } }));
    expectSame(numbersOf(loadLinks([arm, grip, plate, ...more])), alone);
  });

  it('joints that move, with everything they carry', () => {
    const file = write(
      robotOf(
        link('pelvis', 3),
        link('torso', 5, '0 0 0.2'),
        link('left', 1, '0.2 0 0'),
        link('right', 1, '0.2 0 0'),
        joint('waist', 'revolute', 'pelvis', 'torso', '<axis xyz="0 0 1"/>'),
        joint('l', 'revolute', 'torso', 'left', '<origin xyz="0 0.2 0.5"/><axis xyz="0 1 0"/>'),
        joint('r', 'revolute', 'torso', 'right', '<origin xyz="0 -0.2 0.5"/><axis xyz="0 1 0"/>'),
      ),
    );
    const robot = loadLinks([
      { name: 'a', parent: 'base', urdf: { file, to: 'left' } },
      { name: 'b', parent: 'base', urdf: { file, to: 'right' } },
    ]);
    expect(robot.coordinates.map(({ name }) => name)).toEqual(['a.waist', 'a.l', 'b.r']);
    expect(robot.warnings).toEqual([]);
    expect(robot.notes.map(({ message }) => message)).toEqual([
      '`b` shares joints with an earlier part of the same file; they exist once: waist',
    ]);
    expectSame(numbersOf(robot), numbersOf(loadLinks([{ name: 'all', urdf: { file } }])));
    // What follows sits on the end of the second, although all of it is shared.
    const again = loadLinks([
      { name: 'a', parent: 'base', urdf: { file } },
      { name: 'b', parent: 'base', urdf: { file, to: 'left' } },
      { name: 'tip', rigid: {} },
    ]);
    expect(again.links.map(({ name, parent }) => [name, parent])).toEqual([
      ['a.torso', -1],
      ['a.left', 0],
      ['a.right', 0],
      ['b.left', 1],
      ['tip', 3],
    ]);
  });

  it('only at the same place, whatever run-time parameters are', () => {
    const file = write(robotOf(link('post', 2, '0 0 1')));
    const at = (x: string, name: string): object => ({
      name,
      parent: 'cart',
      offset: { xyz: [x, 0, 0] },
      urdf: { file },
    });
    const mass = (...entries: object[]): number => {
      const { links } = loadLinks(entries, {
        parameters: { x1: { value: '0.1 m', runtime: true }, x2: { value: '0.1 m', runtime: true } },
      });
      return links.reduce((sum, { body }) => sum + evaluate([(body as RigidBody).mass])[0]!, 0);
    };
    expect(mass(CART, at('x1', 'a'), at('x1', 'b'))).toBe(4);
    expect(mass(CART, at('x1', 'a'), at('x2', 'b'))).toBe(6);
    expect(mass(CART, at('x1', 'a'), at('0.1', 'b'))).toBe(6);
  });

  it('every cut of random trees against the whole', () => {
    fc.assert(
      fc.property(tree, (twigs) => {
        const file = write(urdfOf(twigs));
        const onCart = { parent: 'cart' };
        const whole = numbersOf(loadLinks([CART, { name: 'all', ...onCart, urdf: { file } }]));
        const pairs = pairsOf(twigs);
        // A chain down to any link, another from any link above it down to any below, then the rest.
        for (const [p, d] of pairs) {
          const cut = [
            { name: 'a', ...onCart, urdf: { file, to: `l${p}` } },
            { name: 'b', parent: `a.l${p}`, urdf: { file, from: `l${p}`, to: `l${d}` } },
            { name: 'rest', ...onCart, urdf: { file } },
          ];
          expectSame(numbersOf(loadLinks([CART, ...cut])), whole);
        }
        // Cut at every link, and at every link the whole of what it carries.
        const single = twigs.map(({ parent }, i) => ({
          name: `s${i + 1}`,
          parent: parent === 0 ? 'cart' : `s${parent}.l${parent}`,
          urdf: { file, from: `l${parent}`, to: `l${i + 1}` },
        }));
        expectSame(numbersOf(loadLinks([CART, ...single])), whole);
        const subtrees = twigs.map((_, i) => ({
          name: `t${i}`,
          parent: `all.l${i + 1}`,
          urdf: { file, from: `l${i + 1}` },
        }));
        expectSame(numbersOf(loadLinks([CART, { name: 'all', ...onCart, urdf: { file } }, ...subtrees])), whole);
      }),
      { numRuns: process.env.KANEGEN_FULL ? 60 : 4, seed: 20261 },
    );
  });
});
