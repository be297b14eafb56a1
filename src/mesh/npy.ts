/**
 * Arrays of numbers from NumPy's files: `.npy`, one array, and `.npz`, a ZIP archive of such files.
 * Sources: NumPy, "A simple file format for NumPy arrays" (NEP 1), versions 1 to 3; PKWARE, APPNOTE.TXT.
 */
import { inflateSync } from 'fflate';
import { crc32, latin1, utf8 } from '../common/bytes.ts';
import { KanegenError } from '../common/error.ts';

export interface NumericArray {
  readonly shape: readonly number[];
  /** In C order: the last index runs first. */
  readonly values: Float64Array;
}

/** Bytes of all arrays of an archive together, unpacked. */
const MOST_UNPACKED = 256e6;
const MOST_ARRAYS = 64;
const MOST_HEADER = 65_536;
const MOST_DIMENSIONS = 8;
/** Of Unix: an archive may end with a comment of so many bytes. */
const MOST_COMMENT = 65_535;

const SAVE_AGAIN = 'write the file again, with numpy.savez or numpy.save';

export function badModes(message: string, remedy: string): KanegenError {
  return new KanegenError('bad-modes', message, { remedy });
}

/**
 * The arrays of a file by name; that of an `.npy` file is called `modes`.
 * @param file its name, for messages; the ending does not count, the first bytes do.
 * @throws KanegenError `bad-modes`: files that are damaged or cut off, other formats, arrays of anything but real numbers,
 * more than 256 MB of them.
 */
export function readNumpy(bytes: Uint8Array, file: string): ReadonlyMap<string, NumericArray> {
  if (startsWith(bytes, NPY)) return new Map([['modes', readNpy(bytes, file)]]);
  if (startsWith(bytes, [0x50, 0x4b])) return readNpz(bytes, file);
  throw badModes(`${file} is neither an .npy nor an .npz file of NumPy`, SAVE_AGAIN);
}

function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, i) => bytes[i] === byte);
}

// ---------------------------------------------------------------------------------------------- one array

/** \x93NUMPY */
const NPY = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];

type Reader = (view: DataView, at: number, littleEndian: boolean) => number;
const READERS: Readonly<Record<string, readonly [bytes: number, read: Reader]>> = {
  f8: [8, (view, at, little) => view.getFloat64(at, little)],
  f4: [4, (view, at, little) => view.getFloat32(at, little)],
  i8: [8, (view, at, little) => Number(view.getBigInt64(at, little))],
  i4: [4, (view, at, little) => view.getInt32(at, little)],
};

function readNpy(bytes: Uint8Array, what: string): NumericArray {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const cutOff = (): KanegenError => badModes(`${what} is cut off`, SAVE_AGAIN);
  if (bytes.length < 12) throw cutOff();
  const version = bytes[6]!;
  if (version < 1 || version > 3)
    throw badModes(`${what} is of version ${version} of NumPy's format; 1 to 3 are read`, SAVE_AGAIN);
  const start = version === 1 ? 10 : 12;
  const length = version === 1 ? view.getUint16(8, true) : view.getUint32(8, true);
  if (length > MOST_HEADER) throw badModes(`${what} has a header of ${length} bytes`, SAVE_AGAIN);
  if (start + length > bytes.length) throw cutOff();
  const header = latin1(bytes.subarray(start, start + length));
  const { order, kind, isFortran, shape } = readHeader(header, what);
  const [size, read] = READERS[kind]!;
  const count = shape.reduce((product, n) => product * n, 1);
  const there = bytes.length - start - length;
  if (count * size !== there)
    throw badModes(
      `${what} has ${there} bytes of numbers, and its shape (${shape.join(', ')}) needs ${count * size}`,
      SAVE_AGAIN,
    );
  const stored = new Float64Array(count);
  for (let i = 0; i < count; i++) stored[i] = read(view, start + length + size * i, order !== '>');
  return { shape, values: isFortran ? inOrder(stored, shape) : stored };
}

interface Header {
  readonly order: string;
  readonly kind: string;
  readonly isFortran: boolean;
  readonly shape: readonly number[];
}

/** A dictionary of Python: `{'descr': '<f8', 'fortran_order': False, 'shape': (12, 40, 3), }`. */
function readHeader(header: string, what: string): Header {
  const type = /'descr'\s*:\s*'([^']{1,16})'/.exec(header)?.[1];
  const fortran = /'fortran_order'\s*:\s*(True|False)/.exec(header)?.[1];
  const dimensions = /'shape'\s*:\s*\(([\d\s,L]*)\)/.exec(header)?.[1];
  if (fortran === undefined || dimensions === undefined || !header.includes("'descr'"))
    throw badModes(`the header of ${what} is damaged`, SAVE_AGAIN);
  const [, order, kind] = /^([<>=|]?)([a-zA-Z]\d+)$/.exec(type ?? '') ?? [];
  if (kind === undefined || !Object.hasOwn(READERS, kind))
    throw badModes(
      `${what} has entries of type ${type === undefined ? 'with names' : `'${type.replace(/[^\x20-\x7e]/g, '·')}'`}, which are not real numbers of 4 or 8 bytes`,
      'write numbers: array.astype(numpy.float64); of complex modes their real parts',
    );
  const shape = dimensions
    .split(',')
    .map((text) => text.replace('L', '').trim())
    .filter((text) => text !== '')
    .map(Number);
  if (shape.length > MOST_DIMENSIONS || !shape.every((n) => Number.isSafeInteger(n) && n <= MOST_UNPACKED))
    throw badModes(`the header of ${what} is damaged`, SAVE_AGAIN);
  return { order: order!, kind, isFortran: fortran === 'True', shape };
}

/** From Fortran's order, where the first index runs first. */
function inOrder(stored: Float64Array, shape: readonly number[]): Float64Array {
  const strides = shape.map((_, i) => shape.slice(0, i).reduce((product, n) => product * n, 1));
  return stored.map((_, i) => {
    let [rest, at] = [i, 0];
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      at += (rest % shape[axis]!) * strides[axis]!;
      rest = Math.floor(rest / shape[axis]!);
    }
    return stored[at]!;
  });
}

// ---------------------------------------------------------------------------------------------- archives

const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const END = 0x06054b50;
const [STORED, DEFLATED] = [0, 8];

function readNpz(bytes: Uint8Array, file: string): ReadonlyMap<string, NumericArray> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const damaged = (): KanegenError => badModes(`${file} is cut off or damaged`, SAVE_AGAIN);
  let end = bytes.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== END) end = end < bytes.length - 22 - MOST_COMMENT ? -1 : end - 1;
  if (end < 0) throw damaged();
  const count = view.getUint16(end + 10, true);
  if (count > MOST_ARRAYS) throw badModes(`${file} has ${count} arrays`, 'write `modes` and `quadratic` only');
  const arrays = new Map<string, NumericArray>();
  let left = MOST_UNPACKED;
  let at = view.getUint32(end + 16, true);
  for (let i = 0; i < count; i++) {
    if (at + 46 > end || view.getUint32(at, true) !== CENTRAL) throw damaged();
    const [flags, method] = [view.getUint16(at + 8, true), view.getUint16(at + 10, true)];
    const [sum, packed, size] = [16, 20, 24].map((offset) => view.getUint32(at + offset, true)) as [
      number,
      number,
      number,
    ];
    const [nameLength, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true)) as [
      number,
      number,
      number,
    ];
    const local = view.getUint32(at + 42, true);
    const name = utf8(bytes.subarray(at + 46, at + 46 + nameLength));
    at += 46 + nameLength + extra + comment;
    const shown = `${name.replace(/[^\x20-\x7e]/g, '·').slice(0, 40)} of ${file}`;
    if (flags & 1 || (method !== STORED && method !== DEFLATED))
      throw badModes(`${shown} is encrypted or packed in a way that is not read`, SAVE_AGAIN);
    if (size > left)
      throw badModes(`the arrays of ${file} take more than ${MOST_UNPACKED / 1e6} MB`, 'write fewer modes');
    left -= size;
    if (local + 30 > bytes.length || view.getUint32(local, true) !== LOCAL) throw damaged();
    const from = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    if (from + packed > bytes.length) throw damaged();
    const content = unpacked(bytes.subarray(from, from + packed), method, size);
    if (content?.length !== size || crc32(content) !== sum) throw badModes(`${shown} is damaged`, SAVE_AGAIN);
    if (!startsWith(content, NPY)) throw badModes(`${shown} is not an array`, SAVE_AGAIN);
    arrays.set(name.replace(/\.npy$/, ''), readNpy(content, shown));
  }
  return arrays;
}

/** Never more than `size` bytes; undefined where they are no such data. */
function unpacked(packed: Uint8Array, method: number, size: number): Uint8Array | undefined {
  if (method === STORED) return packed;
  try {
    return inflateSync(packed, { out: new Uint8Array(size) });
  } catch {
    return undefined;
  }
}
