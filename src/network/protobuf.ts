/**
 * The wire format of protocol buffers, as far as reading needs it: a message is a list of numbered fields, each an
 * integer, four or eight bytes, or a run of bytes (text, a nested message, packed numbers).
 * Specification: protobuf.dev, "Encoding".
 */
import { badNetwork } from './chain.ts';

export interface Message {
  /** Runs of bytes under a number, in the order of the file. */
  runs(field: number): readonly Uint8Array[];
  /** Last text under a number; empty when missing. */
  text(field: number): string;
  /** Integers under a number, packed or not. */
  integers(field: number): readonly number[];
  /** Single-precision numbers under a number, packed or not. */
  floats(field: number): readonly number[];
  /** Double-precision numbers under a number, packed or not. */
  doubles(field: number): readonly number[];
  /** Nested messages under a number. */
  messages(field: number): readonly Message[];
  has(field: number): boolean;
}

type Value =
  { readonly kind: 'integer'; readonly value: number } | { readonly kind: 'bytes'; readonly bytes: Uint8Array };

/** @throws KanegenError `bad-network` where the bytes are no message. */
export function readMessage(bytes: Uint8Array): Message {
  const fields = new Map<number, Value[]>();
  let at = 0;
  while (at < bytes.length) {
    const key = integerAt(bytes, at);
    const field = Math.floor(key.value / 8);
    const read = valueAt(bytes, key.next, key.value % 8);
    const known = fields.get(field);
    if (known) known.push(read.value);
    else fields.set(field, [read.value]);
    at = read.next;
  }
  const runs = (field: number): Uint8Array[] =>
    (fields.get(field) ?? []).flatMap((value) => (value.kind === 'bytes' ? [value.bytes] : []));
  return {
    runs,
    text: (field) => new TextDecoder().decode(runs(field).at(-1) ?? new Uint8Array()),
    integers: (field) =>
      (fields.get(field) ?? []).flatMap((value) =>
        value.kind === 'integer' ? [value.value] : packedIntegers(value.bytes),
      ),
    floats: (field) => runs(field).flatMap((run) => fixed(run, 4, (view, offset) => view.getFloat32(offset, true))),
    doubles: (field) => runs(field).flatMap((run) => fixed(run, 8, (view, offset) => view.getFloat64(offset, true))),
    messages: (field) => runs(field).map(readMessage),
    has: (field) => fields.has(field),
  };
}

function valueAt(bytes: Uint8Array, at: number, wireType: number): { value: Value; next: number } {
  switch (wireType) {
    case 0: {
      const { value, next } = integerAt(bytes, at);
      return { value: { kind: 'integer', value }, next };
    }
    case 1:
      return { value: { kind: 'bytes', bytes: runAt(bytes, at, 8) }, next: at + 8 };
    case 2: {
      const { value: length, next } = integerAt(bytes, at);
      return { value: { kind: 'bytes', bytes: runAt(bytes, next, length) }, next: next + length };
    }
    case 5:
      return { value: { kind: 'bytes', bytes: runAt(bytes, at, 4) }, next: at + 4 };
    default:
      throw corrupt(at);
  }
}

function runAt(bytes: Uint8Array, at: number, length: number): Uint8Array {
  if (length < 0 || at + length > bytes.length) throw corrupt(at);
  return bytes.subarray(at, at + length);
}

/** Seven bits per byte, lowest first; as signed 64-bit number. */
function integerAt(bytes: Uint8Array, at: number): { value: number; next: number } {
  let value = 0n;
  for (let i = 0; i < 10; i++) {
    const byte = bytes[at + i];
    if (byte === undefined) break;
    value |= BigInt(byte & 127) << BigInt(7 * i);
    if (byte < 128) return { value: Number(BigInt.asIntN(64, value)), next: at + i + 1 };
  }
  throw corrupt(at);
}

function packedIntegers(run: Uint8Array): number[] {
  const values: number[] = [];
  for (let at = 0; at < run.length;) {
    const { value, next } = integerAt(run, at);
    values.push(value);
    at = next;
  }
  return values;
}

function fixed(run: Uint8Array, size: number, read: (view: DataView, offset: number) => number): number[] {
  if (run.length % size !== 0) throw badNetwork('the file is damaged: packed numbers of a broken length');
  const view = new DataView(run.buffer, run.byteOffset, run.byteLength);
  return Array.from({ length: run.length / size }, (_, i) => read(view, i * size));
}

function corrupt(at: number): ReturnType<typeof badNetwork> {
  return badNetwork(`the file is truncated or damaged: no field can be read at byte ${at} of a message`);
}
