/** Arrays of NumPy's files: as Python writes them, and what is refused. */
import { spawnSync } from 'node:child_process';
import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { KanegenError } from '../../src/common/error.ts';
import { readNumpy } from '../../src/mesh/npy.ts';
import { npyFile, npzFile, zipFile } from '../../scripts/numpy-files.ts';

function refusal(bytes: Uint8Array): KanegenError {
  try {
    readNumpy(bytes, 'modes.npz');
  } catch (error) {
    if (error instanceof KanegenError) return error;
    throw error;
  }
  throw new Error('the file was accepted');
}

const values = [1.5, -2, 3, 4, 5, 6e-300];
const array = { shape: [2, 3], values };

/** An .npy file with any header. */
function withHeader(header: string, data = Buffer.alloc(0)): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16LE(header.length + 1);
  return Buffer.concat([Buffer.from('\x93NUMPY\x01\x00', 'latin1'), length, Buffer.from(`${header}\n`), data]);
}

const shown = (bytes: Uint8Array): unknown =>
  [...readNumpy(bytes, 'modes.npz')].map(([name, { shape, values: own }]) => [name, shape, [...own]]);

describe('arrays', () => {
  it('are read from .npy and .npz', () => {
    expect(shown(npyFile(array))).toEqual([['modes', [2, 3], values]]);
    expect(shown(npzFile({ a: array, b: { shape: [1], values: [7] } }))).toEqual([
      ['a', [2, 3], values],
      ['b', [1], [7]],
    ]);
  });

  it.each([
    ['<f4', (out: Buffer, x: number, at: number) => out.writeFloatLE(x, 4 * at), 4],
    ['>f8', (out: Buffer, x: number, at: number) => out.writeDoubleBE(x, 8 * at), 8],
    ['<i4', (out: Buffer, x: number, at: number) => out.writeInt32LE(x, 4 * at), 4],
    ['>i8', (out: Buffer, x: number, at: number) => out.writeBigInt64BE(BigInt(x), 8 * at), 8],
  ] as const)('may have entries of type %s, in the order of Fortran', (type, write, size) => {
    const data = Buffer.alloc(6 * size);
    // Columns of two one after the other.
    [1, 4, 2, 5, 3, 6].forEach((x, at) => write(data, x, at));
    const bytes = withHeader(`{'descr': '${type}', 'fortran_order': True, 'shape': (2, 3), }`, data);
    expect(shown(bytes)).toEqual([['modes', [2, 3], [1, 2, 3, 4, 5, 6]]]);
  });

  const python = `import numpy, sys, io
for write in numpy.savez, numpy.savez_compressed:
  out = io.BytesIO()
  write(out, modes=numpy.arange(24.).reshape(2, 4, 3), quadratic=numpy.ones((1, 1, 2, 3), order='F'))
  print(out.getvalue().hex())`;

  it('are those that Python writes, packed or not', (context) => {
    const { status, stdout } = spawnSync('python3', ['-c', python], { encoding: 'utf8' });
    context.skip(status !== 0, 'Python has no NumPy here');
    const files = stdout.trim().split('\n');
    expect(files).toHaveLength(2);
    for (const file of files)
      expect(shown(Buffer.from(file, 'hex'))).toEqual([
        ['modes', [2, 4, 3], Array.from({ length: 24 }, (_, i) => i)],
        ['quadratic', [1, 1, 2, 3], new Array<number>(6).fill(1)],
      ]);
  });
});

describe('files that are refused', () => {
  it.each([
    ['text', Buffer.from('1 2 3\n'), /neither/],
    [
      'complex numbers',
      withHeader("{'descr': '<c16', 'fortran_order': False, 'shape': (0,), }"),
      /'<c16'[\s\S]*real parts/,
    ],
    ['objects', withHeader("{'descr': '|O', 'fortran_order': False, 'shape': (0,), }"), /type '\|O'/],
    ['records', withHeader("{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (0,), }"), /with names/],
    ['no shape', withHeader("{'descr': '<f8', 'fortran_order': False, }"), /header/],
    ['a later version', Buffer.from('\x93NUMPY\x09\x00\x00\x00\x00\x00', 'latin1'), /version 9/],
    [
      'more numbers than there are',
      withHeader("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999, 99999999), }", Buffer.alloc(8)),
      /8 bytes of numbers/,
    ],
    [
      'a size without end',
      withHeader(`{'descr': '<f8', 'fortran_order': False, 'shape': (${'9'.repeat(400)},), }`),
      /header/,
    ],
    ['an entry that is no array', zipFile([['modes.npy', Buffer.from('no array at all')]]), /not an array/],
    ['too many entries', zipFile(Array.from({ length: 65 }, (_, i) => [`${i}.npy`, npyFile(array)])), /65 arrays/],
  ] as const)('%s', (_, bytes, message) => {
    const error = refusal(bytes);
    expect(error.code).toBe('bad-modes');
    expect(`${error.message} → ${error.remedy}`).toMatch(message);
  });

  it('cut off anywhere', () => {
    for (const whole of [npyFile(array), npzFile({ modes: array })])
      for (let length = 0; length < whole.length; length++)
        expect(refusal(whole.subarray(0, length)).code).toBe('bad-modes');
  });

  it('damaged in one byte of the numbers', () => {
    const bytes = npzFile({ modes: array });
    const at = bytes.indexOf(Buffer.from(Float64Array.of(1.5).buffer));
    bytes[at] = 1;
    expect(refusal(bytes).message).toMatch(/damaged/);
  });

  it('packed to more than it says, or to more than there is room for', () => {
    const zeros = deflateRawSync(Buffer.alloc(50e6));
    // Says method 8 and a size of its own, in both places.
    const bomb = (size: number): Buffer => {
      const bytes = zipFile([['modes.npy', zeros]]);
      const central = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2]));
      bytes.writeUInt16LE(8, 8);
      bytes.writeUInt16LE(8, central + 10);
      bytes.writeUInt32LE(size, central + 24);
      return bytes;
    };
    const before = process.memoryUsage().arrayBuffers;
    expect(refusal(bomb(1000)).message).toMatch(/damaged/);
    expect(refusal(bomb(4e9)).message).toMatch(/256 MB/);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(5e6);
  });
});
