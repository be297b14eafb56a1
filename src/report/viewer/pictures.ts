/** Pictures as pages carry them, as numbers again. */
import { bytesOf } from '../../common/bytes.ts';
import type { Pictures } from './animation-data.ts';

/** x, y, z of all points of one picture after the other, m. @param count points of a picture. */
export function picturesAsNumbers({ points, least, scale }: Pictures, count: number): Float32Array[] {
  const quantised = new Uint16Array(bytesOf(points).buffer);
  return Array.from({ length: count > 0 ? quantised.length / (3 * count) : 0 }, (_, k) =>
    Float32Array.from({ length: 3 * count }, (__, i) => least[i % 3]! + scale * quantised[3 * count * k + i]!),
  );
}

/** 32-bit numbers in base 64. */
export function numbersOf(text: string): Float32Array {
  return new Float32Array(bytesOf(text).buffer);
}
