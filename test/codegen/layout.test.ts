/** Layout of robot modules and drivers: what prettier would make of them, without it. */
import { format } from 'prettier';
import { expect, it, vi } from 'vitest';
import { commentsWithinColumns, layOut } from '../../src/codegen/typescript/layout.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotFile } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { branchedRobot } from './sample-robots.ts';

vi.mock('prettier/standalone', () => {
  throw new Error('prettier is not needed here');
});

const byPrettier = (text: string): Promise<string> =>
  format(text, { parser: 'typescript', singleQuote: true, printWidth: 120 });

it.each([
  ['of rigid and soft links', branchedRobot],
  ['with run-time parameters', () => loadRobotFile('examples/two-link.robot.yaml')],
])('modules of a robot %s are as prettier leaves them', async (_, load) => {
  const robot = load();
  const files = await generateTypeScript(robot, compileRobot(robot, { points: true }));
  const written = files.filter(({ path }) => !/^(?:link_|runtime)/.test(path));
  expect(written.length).toBe(2);
  for (const { text } of written) expect(text).toBe(await byPrettier(text));
});

const numbers = Array.from({ length: 40 }, (_, i) => Number((i * Math.PI).toFixed(i % 9))).join(', ');
const names = Array.from({ length: 20 }, (_, i) => `own${i}: number`).join(', ');
const columns = Array.from({ length: 12 }, (_, i) => `column === ${i}`).join(' || ');
it.each([
  ['imports', `import { ${names.replaceAll(': number', '')} } from './driver.js';`],
  ['heads of functions', `export function f(${names}): void {\nreturn;\n}`],
  ['tables of numbers', `const table = new Float64Array([${numbers}]);`],
  ['rows of records', `const rows = [\n{ ${names.replaceAll('number', '1')} },\n{ own: 1 },\n];`],
  ['calls', `f(${numbers.replaceAll(/[\d.]+/g, 'values[1]!')});`],
  ['conditions before statements', `if (a) throw new RangeError(\`${'x'.repeat(110)}\`);`],
  ['conditions of many', `if (!(${columns})) {\nf(1);\n}`],
  ['long sums', `const ofOutputs = ${Array.from({ length: 12 }, (_, i) => `0 * A[${i}]!`).join(' + ')};`],
  ['sums', `block0[1] = block0[1]! - h * (${'a'.repeat(60)} + ${'b'.repeat(20)} * c);`],
  ['switches', `switch (l.type) {\ncase 0:\nf({ a: [1] });\nbreak;\ndefault:\nif (a) {\ng();\n}\n}\nh();`],
  ['comments and empty lines', `{\n\n/**\n* One.\n*/\nf(1); // (\n\n\n/* Two. */\ng('(');\n\n}`],
])('%s', async (_, text) => {
  expect(layOut(text)).toBe(await byPrettier(text));
});

it('tables of more lines than a call takes arguments', () => {
  const long = Array.from({ length: 150_000 }, () => '0'.repeat(60)).join(', ');
  expect(layOut(`const table = new Float64Array([${long}]);`)?.split('\n')).toHaveLength(150_003);
});

it('leaves to prettier what it does not know', () => {
  expect(layOut(`return ${columns};`)).toBeUndefined();
  expect(layOut(`const value = ${columns};`)).toBeUndefined();
  expect(layOut(`f(${columns});`)).toBeUndefined();
});

it('breaks long lines of comments, and no others', () => {
  const words = Array.from({ length: 40 }, (_, i) => `word${i}`);
  const long = words.join(' ');
  for (const text of [
    `/** ${long} */\nf();`,
    `/**\n * Short.\n * ${long}\n */\nf();`,
    `if (a) {\n  /** ${long} */\n}`,
  ]) {
    const own = commentsWithinColumns(text);
    expect(Math.max(...own.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
    expect(own.match(/word\d+/g)).toEqual(words);
    expect(own.replace(/\s*\/\*\*[^]*?\*\//, '')).toBe(text.replace(/\s*\/\*\*[^]*?\*\//, ''));
    expect(commentsWithinColumns(own)).toBe(own);
  }
  const other = `f('${long}'); // ${long}`;
  expect(commentsWithinColumns(other)).toBe(other);
});
