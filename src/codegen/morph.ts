/**
 * ts-morph, loaded when code is emitted: it brings the TypeScript compiler, most of a second of start-up.
 * Through require: importing a CommonJS module of this size as an ES module scans its text for exports first.
 */
import { createRequire } from 'node:module';
import type * as tsMorph from 'ts-morph';

export type Morph = typeof tsMorph;

export function loadMorph(): Morph {
  return createRequire(import.meta.url)('ts-morph') as Morph;
}
