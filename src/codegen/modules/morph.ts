/**
 * ts-morph, loaded when code is emitted: it brings the TypeScript compiler, a third of a second of start-up. Required as a
 * CommonJS module, since importing one of this size as an ES module scans its text for exports first.
 */
import { createRequire } from 'node:module';
import type * as morph from 'ts-morph';

export type Morph = typeof morph;

const require = createRequire(import.meta.url);

export function loadMorph(): Morph {
  return require('ts-morph') as Morph;
}
