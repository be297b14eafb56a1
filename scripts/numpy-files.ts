/** Writes arrays of doubles as NumPy does: `.npy`, and `.npz` with one entry per array, nothing packed. */

export interface Written {
  readonly shape: readonly number[];
  /** In C order. */
  readonly values: Iterable<number>;
}

/** An `.npy` file of version 1. */
export function npyFile({ shape, values }: Written): Buffer {
  const tuple = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const text = `{'descr': '<f8', 'fortran_order': False, 'shape': (${tuple}), }`;
  const header = `${text.padEnd(Math.ceil((text.length + 11) / 64) * 64 - 11)}\n`;
  const start = Buffer.from([0x93, ...Buffer.from('NUMPY'), 1, 0, header.length & 255, header.length >> 8]);
  return Buffer.concat([start, Buffer.from(header), Buffer.from(Float64Array.from(values).buffer)]);
}

/** An `.npz` file of arrays by name. */
export function npzFile(arrays: Readonly<Record<string, Written>>): Buffer {
  return zipFile(Object.entries(arrays).map(([name, array]) => [`${name}.npy`, npyFile(array)]));
}

/** A ZIP archive. @param files names and contents. */
export function zipFile(files: readonly (readonly [string, Buffer])[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, content] of files) {
    const common = fields(
      [2, 20],
      [2, 0],
      [2, 0],
      [2, 0],
      [2, 0x21],
      [4, checksum(content)],
      [4, content.length],
      [4, content.length],
      [2, name.length],
      [2, 0],
    );
    const local = Buffer.concat([fields([4, 0x04034b50]), common, Buffer.from(name), content]);
    directory.push(
      fields([4, 0x02014b50], [2, 20]),
      common,
      fields([2, 0], [2, 0], [2, 0], [4, 0], [4, at]),
      Buffer.from(name),
    );
    parts.push(local);
    at += local.length;
  }
  const central = Buffer.concat(directory);
  const end = fields(
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, files.length],
    [2, files.length],
    [4, central.length],
    [4, at],
    [2, 0],
  );
  return Buffer.concat([...parts, central, end]);
}

/** Little-endian whole numbers of so many bytes. */
function fields(...numbers: readonly (readonly [bytes: number, value: number])[]): Buffer {
  return Buffer.concat(
    numbers.map(([bytes, value]) => {
      const out = Buffer.alloc(bytes);
      out.writeUIntLE(value, 0, bytes);
      return out;
    }),
  );
}

/** CRC-32, bit by bit. */
function checksum(content: Buffer): number {
  let value = 0xffffffff;
  for (const byte of content) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  }
  return (value ^ 0xffffffff) >>> 0;
}
