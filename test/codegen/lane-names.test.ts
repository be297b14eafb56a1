/** What vector code calls its helpers may not hide, or be hidden by, what functions of links call their buffers. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

it('helpers of vector code begin with the name of the vectors, which no buffer does', () => {
  const text = readFileSync(path.join(import.meta.dirname, '../../templates/c/lanes.c.eta'), 'utf8');
  const helpers = [...text.matchAll(/^static inline \w+ (\S+?)\(/gm)].map(([, name]) => name!);
  expect(helpers.length).toBeGreaterThan(4);
  for (const name of helpers) expect(name).toMatch(/^lanes_/);
});
