import { expect, it } from 'vitest';
import { inRuns, withoutBraces } from '../../src/codegen/c-language/runs.ts';

it('clears and copies neighbours in one call', () => {
  expect(inRuns([3, 4, 5].map((i) => `  w[BASE + ${i}] = KG_REAL(0.0);`))).toEqual(['  kg_clear(w + BASE + 3, 3);']);
  const copies = ['to[0] = w[A]; /* arm */', 'to[1] = w[A + 1];', 'to[2] = w[A + 2];', 'to[4] = w[A + 4];'];
  expect(inRuns(copies)).toEqual(['kg_copy(to, w + A, 3); /* arm */', 'to[4] = w[A + 4];']);
});

it('leaves what is short, what changes its order, and numbers that move onto each other', () => {
  const kept = [
    ['w[A] = KG_REAL(0.0);', 'w[A + 1] = KG_REAL(0.0);'],
    ['w[A] = KG_REAL(0.0);', 'w[B + 1] = KG_REAL(0.0);', 'w[A + 2] = KG_REAL(0.0);'],
    [0, 1, 2].map((i) => `w[A + ${i + 1}] = w[A + ${i}];`),
    [2, 1, 0].map((i) => `w[A + ${i}] = w[B + ${i}];`),
    [0, 1, 2].map((i) => `e[${i}] = e[${i}] + w[${i}];`),
    [0, 1, 2].map((i) => `e[${i}] = -w[${i}];`),
  ];
  for (const lines of kept) expect(inRuns(lines)).toEqual(lines);
});

it('takes braces from one statement, and from nothing else', () => {
  expect(withoutBraces(['if (a(b)) { /* arm */', '  c = d;', '}'])).toEqual(['if (a(b)) /* arm */', '  c = d;']);
  const kept = [
    ['for (;;) {', '  a();', '  b();', '}'],
    ['if (a) {', '  const int b = 0;', '}'],
    ['if (a) {', '  for (;;)', '    b();', '}'],
    ['if (a) {', '  b();', '} else {', '  c();', '}'],
  ];
  for (const lines of kept) expect(withoutBraces(lines)).toEqual(lines);
});
