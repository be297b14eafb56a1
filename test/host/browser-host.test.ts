/** What stands in for Node in pages, against Node. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { posixPaths } from '../../src/host/posix-paths.ts';
import { Sha256 } from '../../src/host/sha256.ts';

it('digests as Node does, in pieces of any size', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.string({ unit: 'grapheme' }))), (parts) => {
      const [own, nodes] = [new Sha256(), createHash('sha256')];
      for (const part of parts) [own, nodes].forEach((hash) => hash.update(part));
      expect(own.digest()).toBe(nodes.digest('hex'));
    }),
    { numRuns: 100 },
  );
});

it('reads paths as Node does', () => {
  const part = fc.constantFrom('.', '..', 'arm', 'b.yaml', '', 'c d');
  const somePath = fc
    .tuple(fc.boolean(), fc.array(part, { minLength: 1, maxLength: 5 }))
    .map(([isAbsolute, parts]) => `${isAbsolute ? '/' : ''}${parts.join('/')}`)
    .filter((text) => text !== '');
  const trimmed = (text: string): string => text.replace(/(?<=.)\/+$/, '');
  fc.assert(
    fc.property(somePath, somePath, (a, b) => {
      const [ownA, ownB] = [path.posix.join('/', a), path.posix.join('/', b)];
      expect(posixPaths.join(a, b)).toBe(trimmed(path.posix.join(a, b)));
      expect(posixPaths.isAbsolute(a)).toBe(path.posix.isAbsolute(a));
      expect(posixPaths.resolve(a)).toBe(trimmed(ownA));
      expect(posixPaths.resolve('/x', a, b)).toBe(trimmed(path.posix.resolve('/x', a, b)));
      expect(posixPaths.relative(ownA, ownB)).toBe(path.posix.relative(ownA, ownB));
      expect(posixPaths.basename(ownA)).toBe(path.posix.basename(ownA));
      expect(posixPaths.dirname(ownA)).toBe(path.posix.dirname(ownA));
      expect(posixPaths.dirname(b)).toBe(trimmed(path.posix.dirname(b)));
    }),
    { numRuns: 300 },
  );
});
