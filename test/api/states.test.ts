import { describe, expect, it } from 'vitest';
import { ownStates, parseStates } from '../../src/api/states.ts';
import { TIME, type Robot } from '../../src/description/model/robot.ts';

const robot = {
  parameters: [],
  actuators: [],
  coordinates: [
    { name: 'arm.q', value: 0.1 },
    { name: 'soft.e', value: 0 },
  ],
} as unknown as Robot;
const caught = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};
const timed: Robot = { ...robot, time: TIME };
const parse = (data: unknown, of = robot) =>
  parseStates(typeof data === 'string' ? data : JSON.stringify(data), 's.json', of);

describe('state files', () => {
  it('give vectors by position or by name, with defaults for what is not named', () => {
    const states = parse({
      states: [
        { q: [1, 2], qd: { 'soft.e': 3 }, qdd: {} },
        { q: {}, qd: [0, 0], qdd: [5, 6] },
      ],
    });
    expect(states).toEqual([
      { q: [1, 2], qd: [0, 3], qdd: [0, 0] },
      { q: [0.1, 0], qd: [0, 0], qdd: [5, 6] },
    ]);
  });

  it('give rates where they are not zero, and may begin with a byte order mark', () => {
    const zero = [0, 0];
    expect(parse('\ufeff{ "states": [{ "q": [1, 2] }] }')).toEqual([{ q: [1, 2], qd: zero, qdd: zero }]);
    expect(parse({ states: [{ q: [1, 2], qdd: [3, 4] }] })).toEqual([{ q: [1, 2], qd: zero, qdd: [3, 4] }]);
  });

  it('name a key given twice by its place', () => {
    const text = '{ "states": [\n  { "q": [0, 0],\n    "q": [0, 0] }\n] }';
    const error = caught(() => parse(text));
    expect(error).toMatchObject({ code: 'bad-states', location: { file: 's.json', line: 3, column: 5 } });
  });

  it('are not needed: a robot has its defaults and the states that it names', () => {
    const named = { ...timed, states: { home: [1, 2] } } as unknown as Robot;
    const rest = { qd: [0, 0], qdd: [0, 0], t: 0 };
    expect(ownStates(named)).toEqual({ default: { q: [0.1, 0], ...rest }, home: { q: [1, 2], ...rest } });
  });

  it('give the time exactly where the robot depends on it', () => {
    const state = { q: [1, 2], qd: [0, 0], qdd: [0, 0] };
    expect(parse({ states: [{ ...state, t: 0.25 }] }, timed)).toEqual([{ ...state, t: 0.25 }]);
    expect(() => parse({ states: [state] }, timed)).toThrow(/state 0, t: is missing/);
    expect(() => parse({ states: [{ ...state, t: '1' }] }, timed)).toThrow(/state 0, t: "1" is not a finite number/);
    expect(() => parse({ states: [state, { ...state, t: 0 }] })).toThrow(/state 1, t: the robot does not depend/);
  });

  it.each<[string, unknown, RegExp]>([
    ['text that is not JSON', '{', /not JSON/],
    ['no list of states', { state: [] }, /the list "states" is missing/],
    ['a state that is a number', { states: [{ q: [0, 0], qd: [0, 0], qdd: [0, 0] }, 7] }, /state 1 is not an object/],
    ['a wrong length', { states: [{ q: [0], qd: [0, 0], qdd: [0, 0] }] }, /state 0, q: 1 numbers, but the robot has 2/],
    ['a missing configuration', { states: [{ qd: [0, 0] }] }, /state 0, q: is missing/],
    ['an unknown key', { states: [{ q: [0, 0], dq: [0, 0] }] }, /state 0: unknown key "dq"/],
    ['an unknown key beside the states', { states: [], state: [] }, /unknown key "state"/],
    ['a key given twice', '{"states":[{"q":[0,0],"qd":{},"q":[1,1]}]}', /the key "q" appears twice/],
    ['a name given twice', '{"states":[{"q":{"arm.q":0,"arm.q" : 1}}]}', /the key "arm.q" appears twice/],
    ['a key given twice in two spellings', '{"states":[{"q":[0,0],"\\u0071":[1,1]}]}', /the key "q" appears twice/],
    [
      'a string',
      { states: [{ q: [0, '1'], qd: [0, 0], qdd: [0, 0] }] },
      /state 0, q\[1\] \(soft\.e\): "1" is not a finite number/,
    ],
    ['null for NaN', { states: [{ q: [0, null], qd: [0, 0], qdd: [0, 0] }] }, /q\[1\].*null is not a finite number/],
    ['a number beyond doubles', '{"states":[{"q":[0,1e999],"qd":[0,0],"qdd":[0,0]}]}', /is not a finite number/],
    ['an unknown name', { states: [{ q: { 'soft.x': 1 }, qd: [0, 0], qdd: [0, 0] }] }, /no coordinate "soft.x"/],
  ])('are refused with the index of the state for %s', (_, data, message) => {
    expect(() => parse(data)).toThrow(message);
  });
});
