/** Bytes as text, against Node's own. */
import { expect, it } from 'vitest';
import { base64, bytesOf, latin1 } from '../../src/common/bytes.ts';

it.each([0, 1, 2, 3, 4, 255, 8191, 8192, 8193, 20_000])('%i bytes become text, and the same bytes again', (count) => {
  // All values, none of which repeats with the length of a call.
  const bytes = Uint8Array.from({ length: count }, (_, i) => (i * 7919 + (i >> 8)) & 255);
  const own = Buffer.from(bytes);
  expect(latin1(bytes)).toBe(own.toString('latin1'));
  expect(base64(bytes)).toBe(own.toString('base64'));
  expect(own.equals(bytesOf(own.toString('base64')))).toBe(true);
});
