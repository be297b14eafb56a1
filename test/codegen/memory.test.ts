/** Robots that nobody has any more leave the memory: studies load thousands. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { evaluator } from '../../src/codegen/typescript/evaluate-modules.ts';
import { loadRobot } from '../../src/index.ts';
import { plus, symbol, times } from '../../src/symbolic/graph/expr.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const full = process.env['KANEGEN_FULL'] === '1';

/** Another one for each number. */
async function torqueOf(i: number): Promise<number> {
  const { dynamics } = await loadRobot({
    kanegen: 1,
    name: 'one',
    gravity: [0, 0, -10],
    links: [{ name: 'a', joint: { revolute: 'y' }, rigid: { mass: 1 + i / 1000, com: [0.1, 0, 0] } }],
  });
  const tau = new Float64Array(1);
  dynamics.update([0], [0]);
  dynamics.inverseDynamics([0], tau);
  return tau[0]!;
}

async function heapAfter(first: number, count: number): Promise<number> {
  for (let i = first; i < first + count; i++)
    expect(Math.abs(await torqueOf(i))).toBeCloseTo((1 + i / 1000) * 10 * 0.1, 12);
  collectGarbage();
  return process.memoryUsage().heapUsed / 1e6;
}

describe('memory', () => {
  it(
    `does not grow with the robots that were loaded: ${full ? 2000 : 20} different ones`,
    { timeout: 900_000 },
    async () => {
      // As many as are kept at hand, first.
      const before = await heapAfter(0, 70);
      const after = await heapAfter(70, full ? 2000 : 20);
      // 1.1 MB each where modules stay for ever.
      expect(after - before).toBeLessThan(full ? 40 : 8);
    },
  );

  it('keeps expressions that somebody has the same, whatever was made since', () => {
    const [x, y] = [symbol('memory.x'), symbol('memory.y')];
    const kept = times(plus(x, y), y);
    for (let i = 0; i < 300_000; i++) symbol(`memory.other${i}`);
    expect(times(plus(symbol('memory.x'), symbol('memory.y')), y)).toBe(kept);
  });
});

describe('modules as functions', () => {
  const files = (text: string) => [
    { path: 'main.js', text },
    {
      path: 'a/other.js',
      text: "import { two } from '../numbers.js';\nexport const four = two + two;\nexport class Five {}",
    },
    {
      path: 'numbers.js',
      text: 'export function one() { return 1; }\nconst two = 2, third = 3;\nexport { two, third as three };',
    },
  ];

  it('have what they import under the names that they give it, and export what they pass on', () => {
    const main =
      "import { four as quad, Five } from './a/other.js';\nexport { one, three as drei } from './numbers.js';\nexport const all = [quad, Five.name];";
    const { all, one, drei } = evaluator(files(main))('main.js') as {
      readonly all: unknown;
      readonly one: () => number;
      readonly drei: number;
    };
    expect([all, one(), drei]).toEqual([[4, 'Five'], 1, 3]);
  });

  it.each([
    ["import { x } from './nowhere.js';", /module nowhere\.js is missing/],
    ["import * as all from './numbers.js';", /main\.js: import \* as all .* is no import or export/],
    ['export default 3;', /no import or export/],
  ])('are refused where they are of another form: %s', (text, message) => {
    expect(() => evaluator(files(text))('main.js')).toThrow(message);
  });
});
