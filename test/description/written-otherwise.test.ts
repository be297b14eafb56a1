/** What YAML makes of text that was meant otherwise, what comes in the wrong place or shape, and objects of programs that are no data. */
import { describe, expect, it, vi } from 'vitest';
import { loadRobot } from '../../src/index.ts';
import { KanegenError } from '../../src/common/error.ts';
import { loadRobotObject, loadRobotText } from '../../src/description/load.ts';

const LINK = '{ name: a, joint: { revolute: z }, rigid: { mass: 1, com: [0.1, 0, 0] } }';

/** `line:column: message → remedy` of every problem. */
function told(text: string): string[] {
  try {
    loadRobotText(`kanegen: 1\nname: m\n${text}\n`, 'm.robot.yaml');
  } catch (error) {
    if (!(error instanceof KanegenError)) throw error;
    return error.problems.map(
      ({ location, message, remedy }) => `${location?.line}:${location?.column}: ${message} → ${remedy}`,
    );
  }
  return [];
}

describe('a formula with a comma in { }', () => {
  it.each([
    [`parameters: { m: max(1, 2), k: 3 }\nlinks: [${LINK}]`, '3:18: `max(1` is half'],
    [`parameters: { m: max(1, 2, 3) }\nlinks: [${LINK}]`, '3:18: `max(1` is half'],
    [`parameters: { m: { value: min(1, 2) } }\nlinks: [${LINK}]`, '3:27: `min(1` is half'],
    [`links: [ { name: a, joint: { revolute: z }, rigid: { mass: max(1, 2), com: [0.1, 0, 0] } } ]`, '3:60: `max(1`'],
    [`links: [${LINK}]\nactuators: { u: { along: hypot(a.angle, 1), unit: rad } }`, '4:26: `hypot(a.angle` is half'],
    [`links: [${LINK}]\nstates: { s: { a.angle: max(1, 2) } }`, '4:25: `max(1` is half'],
  ])('is to be quoted: %j', (text, message) => {
    const found = told(text);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(message);
    expect(found[0]).toMatch(/→ quote this formula: "\w+\(\S+, …"$/);
  });

  it('does not hide other mistakes', () => {
    const found = told(`parameters: { m: max(1, 2) }\ngravety: [0, 0, 1]\nlinks: [${LINK}]`);
    expect(found).toHaveLength(2);
    expect(found[1]).toMatch(/^4:1: unknown key `gravety`/);
  });

  it('is no half where its brackets close', () => {
    expect(told(`parameters: { m: (1 + 2)*3, "k": "max(1, 2)" }\nlinks: [${LINK}]`)).toEqual([]);
  });
});

describe('keys', () => {
  it('that belong elsewhere nearby are told where', () => {
    expect(told('links: [{ name: a, rigid: { mass: 1 }, com: [0, 0, 1] }]')[0]).toContain(
      'unknown key `com` → write it within `rigid:`',
    );
    expect(told('links: [{ name: a, rigid: { mass: 1, joint: { revolute: z } } }]')[0]).toContain(
      'unknown key `joint` → write it beside `rigid:`, not within',
    );
    expect(told('links: [{ name: a, rigid: { mass: 1 }, xyz: [0, 0, 1] }]')[0]).toContain(
      'unknown key `xyz` → write it within `offset:` or `mount:`',
    );
    expect(told('links: [{ name: a, rigit: { mass: 1 } }]')[0]).toContain(
      'unknown key `rigit` → did you mean `rigid`?',
    );
  });

  it('that are lists or maps are refused, and nothing else is said of them', () => {
    const warned = vi.spyOn(process, 'emitWarning');
    expect(told(`links: [${LINK}]\nstates: { ? [1, 2] : { a.angle: 1 } }`)).toEqual([
      expect.stringMatching(/^4:13: a list cannot be a key → /),
    ]);
    expect(told(`links: [${LINK}]\n? { a: 1 }\n: 3`)).toEqual([
      expect.stringMatching(/^4:3: a map cannot be a key → /),
    ]);
    expect(warned).not.toHaveBeenCalled();
    warned.mockRestore();
  });
});

describe('a parent', () => {
  const two = (first: string, second: string): string =>
    `links:\n  - { name: a, ${first}joint: { revolute: z }, rigid: {} }\n  - { name: b, ${second}joint: { revolute: z }, rigid: {} }`;

  it.each([
    [two('parent: b, ', 'parent: base, '), '4:24: `b` comes later in the file → parents come before their children'],
    [two('parent: b2, ', 'parent: base, repeat: 3, '), '4:24: `b2` comes later in the file'],
    [two('parent: a, ', ''), '4:24: `a` cannot be its own parent → name a link before it, or base'],
    [two('parent: c, ', ''), '4:24: unknown link `c` → there is no link before this one'],
    [two('', 'parent: aa, '), '5:24: unknown link `aa` → did you mean `a`?'],
    [`${two('', '')}\nframes: { f: { on: g }, g: { on: b } }`, '6:20: `g` is a frame, not a link → write the link'],
  ])('is said where it is wrong: %j', (text, message) => {
    expect(told(text).join('\n')).toContain(message);
  });
});

describe('a shape or a number that is not due', () => {
  it.each([
    ['links: 3', 'expected a list, not the number `3` → write [3]'],
    [`links: ${LINK}`, 'expected a list, not a map → begin each entry with `- `'],
    [`links: [${LINK}]\nframes: [{ on: a }]`, 'expected a map, not a list of 1 → give each entry a name'],
    [LINK.replace('{ name: a', 'links: [{ name: a, repeat: 0') + ']', 'expected at least 1 → write 1 or more'],
    [
      `body-types: { b: { coordinates: { q: { count: 9999 } } } }\nlinks: [${LINK}]`,
      'expected at most 1000 → write 1000 or less',
    ],
    [
      `links: [{ name: a, joint: { revolute: z }, rigid: { inertia: { about: centre } } }]`,
      'not the string `centre` → write `com`, for example',
    ],
    [`body-types: { b: { let: { f: true } } }\nlinks: [${LINK}]`, 'a formula, or three of them, not `true`'],
  ])('has a remedy: %j', (text, message) => {
    expect(told(text).join('\n')).toContain(message);
  });
});

it('a text in place of a list is told once, though lists and texts both have lengths', () => {
  const rod = `{ volume: { rod: { s: 0.2 m }, section: { disc: 1 cm }, density: 1 }, position: [x, y, s], distal: none }`;
  const said = told(`body-types: { b: ${rod} }\nlinks: [{ body: b }]`).filter((own) => own.includes('0.2 m'));
  expect(said).toEqual([expect.stringContaining('expected a list, not the string `0.2 m` → write [0.2 m]')]);
});

describe('an object of a program', () => {
  const arm = {
    kanegen: 1,
    name: 'arm',
    links: [{ name: 'a', joint: { revolute: 'z' }, rigid: { mass: 1, com: [0.1, 0, 0] } }],
  };
  const circular: Record<string, unknown> = { ...arm };
  circular['states'] = { s: circular };

  it.each<[string, object, string, RegExp]>([
    ['a bigint', { ...arm, gravity: [0n, 0, 1] }, 'gravity[0]', /the bigint `0` is not a number/],
    ['itself', circular, 'states.s.states', /nested more than 100 deep/],
    [
      'what throws',
      {
        ...arm,
        get gravity(): never {
          throw new Error('no such sensor');
        },
      },
      '',
      /cannot be read: no such sensor/,
    ],
    ['a function', { ...arm, gravity: () => 1 }, 'gravity', /a function is not a value/],
    ['a symbol', { ...arm, gravity: Symbol('g') }, 'gravity', /a symbol is not a value/],
    ['an object of a class', { ...arm, states: new Map() }, 'states', /an object of a class/],
  ])('that holds %s is refused at its place', (_, object, place, message) => {
    try {
      loadRobotObject(object);
      expect.unreachable();
    } catch (error) {
      const { location, message: text } = error as KanegenError;
      expect(error).toBeInstanceOf(KanegenError);
      expect(text).toMatch(message);
      expect(location!.path.startsWith(place)).toBe(true);
    }
  });

  it('may have typed arrays, objects without prototype, and keys without value', () => {
    const gravity = Float64Array.of(1, 2, 3);
    const parameters = Object.assign(Object.create(null) as object, { k: { value: 2, runtime: true } });
    const robot = loadRobotObject({ ...arm, gravity, parameters, states: undefined });
    expect(robot.parameters.map(({ name }) => name)).toEqual(['k']);
    expect(robot.gravity).toEqual([1, 2, 3]);
  });

  it.each<[string, unknown, RegExp]>([
    ['set', { set: null }, /`set` takes a map/],
    ['set', { set: { k: 1n } }, /`set` takes a map/],
    ['keep', { keep: 'k' }, /`keep` takes a list/],
    ['keep', { keep: [null] }, /`keep` takes a list/],
    ['cache', { cache: 5 }, /`cache` takes the path of a folder/],
  ])('has options that are checked: %s', async (_, options, message) => {
    await expect(loadRobot(arm, options as object)).rejects.toThrow(
      expect.objectContaining({ code: 'wrong-shape', message: expect.stringMatching(message) as string }) as Error,
    );
  });

  it('needs no options, and a text that is one', async () => {
    expect((await loadRobot(arm, null as unknown as object)).robot.name).toBe('arm');
    expect(() => loadRobotText(5 as unknown as string, 'x')).toThrow(KanegenError);
  });
});
