/** Maps from statements to the robot file: held against the text of the code and of the file. */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildC, runProgram } from '../../src/codegen/c/build-c.ts';
import { COMPILERS, UNOPTIMISED } from '../compilers.ts';
import { generatedCost } from '../../src/codegen/whole-robot/straight-cost.ts';
import { chooseFunctions } from '../../src/codegen/choice.ts';
import { generateFolder } from '../../src/codegen/folder.ts';
import type { GeneratedFile } from '../../src/codegen/modules/robot-model.ts';
import { loadRobotFile } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { compileStraight } from '../../src/straight/compile.ts';

interface Statement {
  readonly value: string;
  readonly for?: readonly string[];
  readonly from?: string;
  readonly at?: string;
  readonly lines: readonly (number | null)[];
}

interface SourceMap {
  readonly links: readonly { readonly name: string; readonly type: string; readonly at: string }[];
  readonly functions: readonly {
    readonly type?: string;
    readonly name: string;
    readonly files: readonly string[];
    readonly statements: readonly Statement[];
  }[];
}

const FILE = 'examples/rubber-finger.robot.yaml';

const literally = (text: string): RegExp => new RegExp(`^${text.replace(/[[\]+]/g, '\\$&')}$`);

let files: readonly GeneratedFile[];
let map: SourceMap;

function sourceLine(at: string): string {
  const [file = '', line, column] = at.split(':');
  return readFileSync(file, 'utf8')
    .split('\n')
    [Number(line) - 1]!.slice(Number(column) - 1);
}

function statement(type: string | undefined, name: string, value: string): Statement {
  const own = map.functions.find((f) => f.type === type && f.name === name)!;
  return own.statements.find((s) => s.value === value)!;
}

beforeAll(async () => {
  const robot = loadRobotFile(FILE);
  const all = chooseFunctions(robot, compileRobot(robot), ['all']);
  files = await generateFolder(robot, all, ['ts', 'c'], undefined, { sourceMap: true });
  map = JSON.parse(files.find(({ path }) => path === 'source-map.json')!.text) as SourceMap;
});

describe('source maps', () => {
  it('give the line of every statement in both languages', () => {
    const texts = new Map(files.map(({ path, text }) => [path, text.split('\n')]));
    let seen = 0;
    for (const { files: own, statements } of map.functions) {
      expect(own.map((path) => path.split('/')[0])).toEqual(['typescript', 'c']);
      for (const { value, lines } of statements)
        lines.forEach((line, i) => {
          const text = texts.get(own[i]!)![line! - 1]!;
          const left = text.trim().split(/ =(?: |$)/)[0]!;
          if (value.includes('[')) expect(left).toMatch(own[i]!.startsWith('c/') ? literally(value) : /^\w+\[\d+\]$/);
          else {
            // Numbers that are read stand several in a line.
            const others = [...text.matchAll(/, (\w+) = /g)].map(([, name]) => name);
            expect([...left.split(/\W+/), ...others]).toContain(value);
          }
          seen += 1;
        });
    }
    expect(seen).toBeGreaterThan(200);
  });

  it('trace values to formulas, parameters and keys of the robot file', () => {
    const formula = map.functions.flatMap((f) => f.statements).find(({ from }) => from === 'let.across')!;
    expect(sourceLine(formula.at!)).toMatch(/^\(?1 - n\)/);
    const parameter = statement('finger', 'elastic', 'mu');
    expect(parameter.from).toBe('parameters.mu');
    expect(sourceLine(parameter.at!)).toMatch(/^0.2 MPa/);
    for (const { name, at } of map.links) expect(sourceLine(at)).toContain(`name: ${name}`);
  });

  it('say what values without a name are for', () => {
    const unnamed = map.functions.flatMap((f) => f.statements).filter(({ value }) => /^t\d+$/.test(value));
    expect(unnamed.length).toBeGreaterThan(10);
    for (const { for: quantities = [] } of unnamed) expect(quantities).not.toHaveLength(0);
    for (const { for: quantities = [] } of unnamed) for (const name of quantities) expect(name).not.toMatch(/^t\d+$/);
  });

  it('trace straight-line code to links, and outputs to coordinates', async () => {
    const robot = loadRobotFile('examples/two-link.robot.yaml');
    const compiled = compileRobot(robot);
    const straight = compileStraight(robot, { functions: ['inverseDynamics', 'massMatrix'], count: generatedCost });
    const folder = await generateFolder(robot, compiled, ['c'], straight, { sourceMap: true });
    map = JSON.parse(folder.find(({ path }) => path === 'source-map.json')!.text) as SourceMap;
    expect(sourceLine(statement('revolute_z_rigid', 'forward', 'a_proximal_x').at!)).toMatch(/^name: shoulder/);
    const second = robot.coordinates[1]!.name;
    expect(statement(undefined, 'inverseDynamics', 'tau[1]').for).toEqual([`tau of ${second}`]);
    expect(statement(undefined, 'massMatrix', 'M[2]').for).toEqual([`M of ${second}`]);
  });
});

describe('#line', () => {
  let directed: readonly GeneratedFile[];
  let plain: ReadonlyMap<string, string>;

  beforeAll(async () => {
    const robot = loadRobotFile('examples/two-link.robot.yaml');
    const compiled = compileRobot(robot);
    const straight = compileStraight(robot, { functions: ['inverseDynamics', 'massMatrix'], count: generatedCost });
    directed = await generateFolder(robot, compiled, ['c'], straight, { lineDirectives: true });
    const files = await generateFolder(robot, compiled, ['c'], straight);
    plain = new Map(files.map(({ path, text }) => [path, text]));
  });

  it('adds nothing else', () => {
    const without = directed.map(({ path, text }) => [path, text.replace(/^#line .*\n/gm, '')]);
    expect(Object.fromEntries(without)).toEqual(Object.fromEntries(plain));
  });

  it('leads to the robot file for one statement, and back to where the next one stands', () => {
    let [away, back] = [0, 0];
    for (const { path, text } of directed) {
      const lines = text.split('\n');
      lines.forEach((line, i) => {
        const [, number, file = ''] = /^#line (\d+) "(.*)"$/.exec(line) ?? [];
        if (number === undefined) return;
        if (!file.endsWith('.yaml')) {
          expect([file, Number(number)]).toEqual([path.split('/').at(-1), i + 2]);
          back += 1;
          return;
        }
        away += 1;
        expect(file).toBe('examples/two-link.robot.yaml');
        const end = lines.findIndex((own, j) => j > i && own.endsWith(';'));
        expect(lines[end + 1]).toMatch(/^#line /);
      });
    }
    expect(back).toBeGreaterThan(30);
    expect(away).toBeGreaterThanOrEqual(back);
  });

  it.each(COMPILERS.filter(({ missing }) => !missing))(
    'compiles without a word with $compiler, and passes the self-test',
    async ({ compiler }) => {
      const sources = directed.filter(({ path }) => path.startsWith('c/'));
      const files = sources.map(({ path, text }) => ({ path: path.slice(2), text }));
      const program = await buildC(files, { compiler, flags: UNOPTIMISED });
      try {
        expect(await runProgram(program)).toContain('ok');
      } finally {
        await program.dispose();
      }
    },
  );
});
