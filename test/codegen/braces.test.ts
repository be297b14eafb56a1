/** Bodies in C have braces, however they were written, and what else a text says stays as it is. */
import { expect, it } from 'vitest';
import { braced } from '../../src/codegen/c-language/braces.ts';

const long = `${'a'.repeat(60)} = ${'b'.repeat(60)};`;

it.each([
  ['a body below', ['  if (a)', '    return b;'], ['  if (a) { return b; }']],
  ['a body beside', ['  if (a) return b;'], ['  if (a) { return b; }']],
  [
    'a loop of a loop',
    ['for (i = 0; i < 2; i++)', '  for (j = 0; j < 2; j++)', '    x += f(i, j);'],
    ['for (i = 0; i < 2; i++) {', '  for (j = 0; j < 2; j++) { x += f(i, j); }', '}'],
  ],
  [
    'two sides',
    ['if (a)', '  b = c;', 'else', '  b = d;', 'e = f;'],
    ['if (a) {', '  b = c;', '} else {', '  b = d;', '}', 'e = f;'],
  ],
  [
    'three sides',
    ['if (a)', '  b = c;', 'else if (d)', '  b = e;', 'else', '  b = f;'],
    ['if (a) {', '  b = c;', '} else if (d) {', '  b = e;', '} else {', '  b = f;', '}'],
  ],
  ['a condition of two lines', ['if (a ||', '    b)', '  c = d;'], ['if (a ||', '    b) {', '  c = d;', '}']],
  [
    'a statement of two lines',
    ['if (a)', '  b = f(c,', '        d);', 'e = g;'],
    ['if (a) {', '  b = f(c,', '        d);', '}', 'e = g;'],
  ],
  ['a long line', ['if (a)', `  ${long}`], ['if (a) {', `  ${long}`, '}']],
  [
    'a body with braces of its own',
    ['for (i = 0; i < 2; i++)', '  if (a) {', '    b = c;', '  }', 'd = e;'],
    ['for (i = 0; i < 2; i++) {', '  if (a) {', '    b = c;', '  }', '}', 'd = e;'],
  ],
  ['a remark', ['if (a)', '  /* Why. */', '  b = c;'], ['if (a) {', '  /* Why. */', '  b = c;', '}']],
])('stand about %s', (_, given, wanted) => {
  expect(braced(given.join('\n')).split('\n')).toEqual(wanted);
  expect(braced(wanted.join('\n')).split('\n')).toEqual(wanted);
});

it('leaves comments, macros, loops at their end and other statements alone', () => {
  const text =
    '/*\n * for (all)\n   if (that)\n   is so */\n#define F(x) \\\n  if (x) \\\n    g(x)\ndo {\n  a = b;\n} while (c);\nelsewhere = 1;\nwhile (d) {\n  e();\n}\n';
  expect(braced(text)).toBe(text);
});
