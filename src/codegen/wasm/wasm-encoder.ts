/**
 * WebAssembly modules in binary, as much of the format as straight-line arithmetic on pairs of doubles needs
 * (WebAssembly Core Specification 2.0, chapter 5, with the vector instructions of §5.4.8).
 */

const VALUE_TYPE = { i32: 0x7f, f64: 0x7c, v128: 0x7b } as const;
type ValueType = keyof typeof VALUE_TYPE;

/** Instructions without immediate operands. */
export const INSTRUCTION = {
  end: [0x0b],
  return: [0x0f],
  i32Add: [0x6a],
  i32Sub: [0x6b],
  i32Mul: [0x6c],
  i32LessUnsigned: [0x49],
  f64x2Splat: vector(0x14),
  f64x2Equal: vector(0x47),
  f64x2Less: vector(0x49),
  f64x2LessEqual: vector(0x4b),
  v128Not: vector(0x4d),
  v128And: vector(0x4e),
  v128Or: vector(0x50),
  v128BitSelect: vector(0x52),
  f64x2Abs: vector(0xec),
  f64x2Negate: vector(0xed),
  f64x2Sqrt: vector(0xef),
  f64x2Add: vector(0xf0),
  f64x2Subtract: vector(0xf1),
  f64x2Multiply: vector(0xf2),
  f64x2Divide: vector(0xf3),
} as const;

export type Bytes = readonly number[];

export const localGet = (index: number): Bytes => [0x20, ...unsigned(index)];
export const localSet = (index: number): Bytes => [0x21, ...unsigned(index)];
export const call = (index: number): Bytes => [0x10, ...unsigned(index)];
export const i32Const = (value: number): Bytes => [0x41, ...signed(value)];
/** Opens a loop that leaves nothing on the stack. */
export const loop: Bytes = [0x03, 0x40];
export const branchIf = (depth: number): Bytes => [0x0d, ...unsigned(depth)];
/** Loads and stores of 16 bytes need no alignment; they run fastest when aligned to 8. */
export const v128Load: Bytes = [...vector(0x00), 3, 0];
export const v128Load64Splat: Bytes = [...vector(0x0a), 3, 0];
export const v128Store: Bytes = [...vector(0x0b), 3, 0];
export const extractLane = (lane: 0 | 1): Bytes => [...vector(0x21), lane];
export const replaceLane = (lane: 0 | 1): Bytes => [...vector(0x22), lane];

/** Both lanes the same. */
export function f64x2Const(value: number): Bytes {
  const half = [...new Uint8Array(new Float64Array([value]).buffer)];
  if (new Uint8Array(new Uint16Array([1]).buffer)[0] === 0) half.reverse(); // the format is little-endian
  return [...vector(0x0c), ...half, ...half];
}

export interface FunctionType {
  readonly parameters: readonly ValueType[];
  readonly results: readonly ValueType[];
}

export interface WasmModule {
  /** Functions that the host gives, with the lowest indices. */
  readonly imports: readonly { readonly module: string; readonly name: string; readonly type: FunctionType }[];
  /** The one function of the module; it follows the imports. The memory is the import `host.memory`. */
  readonly exported: {
    readonly name: string;
    readonly type: FunctionType;
    /** Types of the local variables after the parameters, with how many of each. */
    readonly locals: readonly { readonly type: ValueType; readonly count: number }[];
    readonly code: Uint8Array;
  };
}

/** The module in binary. */
export function encodeModule({ imports, exported }: WasmModule): Uint8Array {
  const types = [...imports.map((i) => i.type), exported.type];
  const imported = [
    [...name('host'), ...name('memory'), 0x02, 0x00, 0x01],
    ...imports.map((i, index) => [...name(i.module), ...name(i.name), 0x00, ...unsigned(index)]),
  ];
  const locals = list(exported.locals.map(({ type, count }) => [...unsigned(count), VALUE_TYPE[type]]));
  const body = concatenate([Uint8Array.from(locals), exported.code, Uint8Array.from(INSTRUCTION.end)]);
  const code = concatenate([Uint8Array.from([1, ...unsigned(body.length)]), body]);
  return concatenate([
    Uint8Array.from([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]),
    section(1, Uint8Array.from(list(types.map(functionType)))),
    section(2, Uint8Array.from(list(imported))),
    section(3, Uint8Array.from(list([unsigned(imports.length)]))),
    section(7, Uint8Array.from(list([[...name(exported.name), 0x00, ...unsigned(imports.length)]]))),
    section(10, code),
  ]);
}

function functionType({ parameters, results }: FunctionType): number[] {
  return [0x60, ...list(parameters.map((t) => [VALUE_TYPE[t]])), ...list(results.map((t) => [VALUE_TYPE[t]]))];
}

function section(id: number, content: Uint8Array): Uint8Array {
  return concatenate([Uint8Array.from([id, ...unsigned(content.length)]), content]);
}

function list(items: readonly Bytes[]): number[] {
  return [...unsigned(items.length), ...items.flat()];
}

function name(text: string): number[] {
  const bytes = [...new TextEncoder().encode(text)];
  return [...unsigned(bytes.length), ...bytes];
}

function vector(opcode: number): number[] {
  return [0xfd, ...unsigned(opcode)];
}

/** LEB128. */
function unsigned(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest % 128) + 128);
  }
}

/** LEB128 in two's complement. */
function signed(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7) {
    const low = rest & 0x7f;
    if ((rest >> 7 === 0 && low < 64) || (rest >> 7 === -1 && low >= 64)) return [...bytes, low];
    bytes.push(low | 0x80);
  }
}

export function concatenate(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((total, piece) => total + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
