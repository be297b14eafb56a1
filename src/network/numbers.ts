/** Floating-point formats of network files, decoded to doubles. All are little endian. */

export type ElementType = 'F64' | 'F32' | 'F16' | 'BF16';

export const ELEMENT_BYTES: Readonly<Record<ElementType, number>> = { F64: 8, F32: 4, F16: 2, BF16: 2 };

/** @param bytes a whole number of elements. */
export function decodeNumbers(bytes: Uint8Array, type: ElementType): Float64Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = ELEMENT_BYTES[type];
  return Float64Array.from({ length: bytes.byteLength / size }, (_, i) => element(view, i * size, type));
}

function element(view: DataView, offset: number, type: ElementType): number {
  switch (type) {
    case 'F64':
      return view.getFloat64(offset, true);
    case 'F32':
      return view.getFloat32(offset, true);
    case 'F16':
      return halfPrecision(view.getUint16(offset, true));
    case 'BF16':
      return brainFloat(view.getUint16(offset, true));
  }
}

/** IEEE binary16: 5 bits of exponent, 10 of fraction. */
export function halfPrecision(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/** The upper half of an IEEE binary32. */
export function brainFloat(bits: number): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint16(0, bits);
  return view.getFloat32(0);
}
