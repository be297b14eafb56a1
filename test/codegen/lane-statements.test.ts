/** Statements in lanes: numbers and values that are the same in all lanes stand where vectors do, in every kind of expression. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { hasLane, lanesData, laneSpelling, laneStatement } from '../../src/codegen/c-language/lane-statements.ts';
import { plainTarget } from '../../src/codegen/c-language/target.ts';
import { loadTemplates } from '../../src/codegen/c-language/templates.ts';
import { number } from '../../src/codegen/programs/tree.ts';
import type { Statement, Tree } from '../../src/codegen/programs/statement.ts';
import { COMPILERS } from '../compilers.ts';

/** A vector, and what is the same in all lanes. */
const [v, s]: Tree[] = ['v', 's'].map((name) => ({ kind: 'name', name }));
const ALL = [v!, s!, number(3)];

const pairs = (of: (left: Tree, right: Tree) => Tree): Tree[] => ALL.flatMap((a) => ALL.map((b) => of(a, b)));
const trees: Tree[] = [
  ...(['add', 'subtract', 'multiply', 'divide'] as const).flatMap((kind) =>
    pairs((left, right) => ({ kind, left, right })),
  ),
  ...(['atan2', 'pow'] as const).flatMap((name) => pairs((a, b) => ({ kind: 'call', name, operands: [a, b] }))),
  ...ALL.flatMap((operand): Tree[] => [
    { kind: 'sqrt', operand },
    { kind: 'negate', operand },
    { kind: 'call', name: 'abs', operands: [operand] },
    { kind: 'sqrt', operand: { kind: 'divide', left: number(2), right: operand } },
    { kind: 'multiply', left: v!, right: { kind: 'call', name: 'exp', operands: [operand] } },
  ]),
];
const statements: Statement[] = [
  ...trees.map((value, i): Statement => ({ kind: 'let', name: `t${i}`, value })),
  ...pairs((left, right) => ({ kind: 'compare', operator: '<', left, right })).map((condition, i): Statement => ({
    kind: 'select',
    name: `choice${i}`,
    condition,
    then: [],
    thenValue: number(1),
    otherwise: [],
    otherwiseValue: s!,
  })),
];

describe.each(COMPILERS)('lanes compiled by $compiler', ({ compiler, missing }) => {
  it.skipIf(missing).each([
    ['vectors', []],
    ['plain numbers', ['-U__SSE2__', '-U__ARM_NEON', '-U__aarch64__']],
  ])(`take numbers wherever they take vectors, as %s (needs ${compiler})`, async (_, flags) => {
    const render = await loadTemplates();
    const target = laneSpelling(plainTarget);
    const isLane = (tree: Tree): boolean => hasLane(tree, (leaf) => leaf.kind === 'name' && leaf.name === 'v');
    const lines = statements.map((statement) => laneStatement(statement, target, isLane));
    const names = statements.map((statement) => (statement as { readonly name: string }).name);
    const functions = ['sqrt', 'abs', 'exp', 'atan2', 'pow'];
    const text = [
      '#include <math.h>\n#include <string.h>\n#include <stddef.h>\ntypedef double kg_real;\n#define KG_REAL(x) x',
      ...functions.map((name) => `#define kg_${name} ${name === 'abs' ? 'fabs' : name}`),
      render('lanes.c', lanesData(statements, { inLoops: false, hasSums: false, hasStores: true })),
      'void each(kg_real *from, kg_real s, kg_real *to);',
      'void each(kg_real *from, kg_real s, kg_real *to)\n{\n  const lanes v = lanes_load(from);',
      ...lines.map((line) => `  ${line}`),
      ...names.map((name) => `  lanes_store(to, ${name});`),
      '}\n',
    ].join('\n');
    const said = execFileSync(compiler, ['-std=c99', ...flags, '-fsyntax-only', '-x', 'c', '-'], {
      input: text,
      encoding: 'utf8',
    });
    expect(said).toBe('');
  });
});
