/** Walks over statements, however many there are. */
import { describe, expect, it } from 'vitest';
import { treesOf, type Statement } from '../../../src/codegen/programs/statement.ts';

describe('the trees of statements', () => {
  it('are found in blocks of more statements than a call has room for arguments', () => {
    const leaf = { kind: 'name', name: 'a' } as const;
    const one: Statement = { kind: 'let', name: 'b', value: { kind: 'negate', operand: leaf } };
    const many: Statement = { kind: 'guard', buffer: 'M', statements: Array.from({ length: 200_000 }, () => one) };
    const trees = treesOf([one, many]);
    expect(trees).toHaveLength(2 * 200_001);
    expect(trees.filter((tree) => tree === leaf)).toHaveLength(200_001);
  });
});
