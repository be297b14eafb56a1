import { describe, expect, it } from 'vitest';
import { commentText } from '../../src/codegen/naming/identifiers.ts';
import { formatError, KanegenError } from '../../src/description/source/diagnostics.ts';
import { printable, printableInPlace } from '../../src/common/printable.ts';

describe('text of users', () => {
  it.each([
    ['an escape that clears the screen', 'a\u001b[2Jb', 'a\\u001b[2Jb'],
    ['a carriage return that hides what stood before', 'wrong\rright', 'wrong\\u000dright'],
    ['a C1 control character', '\u009b31m', '\\u009b31m'],
    ['an override of the direction', 'x\u202eevil\u202c', 'x\\u202eevil\\u202c'],
    ['an isolate', '\u2066a\u2069', '\\u2066a\\u2069'],
    ['a separator of lines', 'a\u2028b', 'a\\u2028b'],
    ['half a character', 'a\ud800b', 'a\\ud800b'],
  ])('shows %s', (_, text, shown) => {
    expect(printable(text)).toBe(shown);
    expect([...printableInPlace(text)]).toHaveLength([...text].length);
  });

  it('stays as it is in every script, with its line ends and tabs', () => {
    const text = 'q̇ = 0.1, gravité, 機械\n\tذراع 𝛼 → µs';
    expect(printable(text)).toBe(text);
    expect(printableInPlace(text)).toBe(text);
  });

  it('stays the same JSON', () => {
    const data = { summary: 'a\u202eb\u009b' };
    expect(JSON.parse(printable(JSON.stringify(data)))).toEqual(data);
  });

  it('is printable in comments of generated code', () => {
    expect(commentText('arm \u202e/* { */ \u0007')).toBe('arm \\u202e/ * { * / \\u0007');
  });

  it('keeps its columns in the excerpt of an error', () => {
    const location = { file: 'a.yaml', line: 1, column: 5, path: '' };
    const text = formatError(new KanegenError('x', 'wrong', { location }), () => 'a\u202eb wrong');
    expect(text).toBe('a.yaml:1:5: wrong\n  a\ufffdb wrong\n      ^');
  });
});
