/**
 * One call of generated code in an image for the boards of QEMU: machine instructions over random states, stack, bytes.
 *
 * QEMU counts instructions as time (`-icount`): one takes 256 ns, the timer of the processor counts every 40 ns. A number of
 * ticks is a number of instructions without rest, the same on every machine.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { buildC } from '../src/codegen/c/build-c.ts';
import { CROSS } from '../src/codegen/c/code-size.ts';
import { boardOf, startUp } from '../src/codegen/doors/board/board.ts';
import type { GeneratedFile } from '../src/codegen/modules/robot-model.ts';

const STATES = 1000;

export interface MeasuredCall {
  /** Headers that it needs. */
  readonly headers: readonly string[];
  /** Statements at the level of a file. */
  readonly declarations: string;
  /** Statements before the first call. */
  readonly setup: string;
  /** The call: its status is the value of the expression. Reads and writes arrays by their names. */
  readonly call: string;
  /** Arrays of random numbers by the largest absolute value, and arrays of results: numbers in each. */
  readonly inputs: readonly { readonly name: string; readonly size: number; readonly largest: number }[];
  readonly outputs: Readonly<Record<string, number>>;
}

/** How an image is compiled, and what runs it. */
export interface Variant {
  readonly title: string;
  readonly board: string;
  readonly precision: 'single' | 'double';
  readonly flags: readonly string[];
}

export const VARIANTS: readonly Variant[] = [
  { title: 'float', board: 'qemu-m4', precision: 'single', flags: ['-ffp-contract=off'] },
  { title: 'float, FMA', board: 'qemu-m4', precision: 'single', flags: ['-ffp-contract=fast'] },
  { title: 'double, M7', board: 'qemu-m7', precision: 'double', flags: ['-ffp-contract=off'] },
];

export interface Measured {
  /** Instructions of a call, the most and the fewest. */
  readonly most: number;
  readonly fewest: number;
  /** States for which the call returned something else than KG_OK. */
  readonly refused: number;
  /** Bytes. */
  readonly stack: number;
  readonly code: number;
  readonly workspace: number;
}

/** What is missing to measure; empty where all is there. */
export function missingTools(): string[] {
  const tools = [`${CROSS}gcc`, `${CROSS}size`, 'qemu-system-arm'];
  return tools.filter((tool) => spawnSync(tool, ['--version']).error !== undefined);
}

/** The compiler and its version: instructions are those of one compiler. */
export function compilerVersion(): string {
  return `${CROSS}gcc ${execFileSync(`${CROSS}gcc`, ['-dumpfullversion'], { encoding: 'utf8' }).trim()}`;
}

/** @throws CompilerError */
export async function measureCall(
  code: readonly GeneratedFile[],
  call: MeasuredCall,
  variant: Variant,
): Promise<Measured> {
  const board = boardOf(variant.board);
  const files = [...code, ...(await startUp(board)), { path: 'main.c', text: mainText(call) }];
  const flags = [
    ...variant.flags,
    ...board.cpu.split(' '),
    ...'-DBOARD_IN_QEMU -ffunction-sections -fdata-sections -Wl,--gc-sections -nostartfiles -T board.ld'.split(' '),
    ...'--specs=nosys.specs -Wl,--no-warnings'.split(' '),
  ];
  const built = await buildC(files, { compiler: `${CROSS}gcc`, precision: variant.precision, flags });
  try {
    const { executable } = built;
    const numbers = run(board.machine, executable);
    const [text, data] = tool('size', executable).split('\n')[1]!.trim().split(/\s+/).map(Number);
    const symbols = tool('nm', '--print-size', executable)
      .split('\n')
      .map((line) => line.split(' '));
    const sizeOf = (name: string): number => parseInt(symbols.find((own) => own.at(-1) === name)?.[1] ?? '0', 16);
    const [most, fewest, refused, stack] = numbers as [number, number, number, number];
    return { most, fewest, refused, stack, code: text! + data!, workspace: sizeOf('w') };
  } finally {
    await built.dispose();
  }
}

function tool(name: string, ...parameters: string[]): string {
  return execFileSync(CROSS + name, parameters, { encoding: 'utf8', maxBuffer: 1 << 26 });
}

/** What the image says: numbers on a line. */
function run(machine: string, image: string): number[] {
  const words =
    `-machine ${machine} -icount shift=8,sleep=off -display none -monitor none -serial none ` +
    '-chardev stdio,id=console -semihosting-config enable=on,target=native,chardev=console -kernel';
  const said = execFileSync('qemu-system-arm', [...words.split(' '), image], { encoding: 'utf8', timeout: 300_000 });
  const numbers = said.trim().split(' ').map(Number);
  if (numbers.length !== 4 || !numbers.every(Number.isInteger)) throw new Error(`the image said ${said}`);
  return numbers;
}

/** The image itself takes so many bytes: an empty call is subtracted. */
export const EMPTY: MeasuredCall = { headers: [], declarations: '', setup: '', call: '0', inputs: [], outputs: {} };

function mainText({ headers, declarations, setup, call, inputs, outputs }: MeasuredCall): string {
  const arrays = [...inputs.map(({ name, size }) => [name, size] as const), ...Object.entries(outputs)];
  return `#include "board.h"
#include <string.h>
${headers.map((header) => `#include "${header}"`).join('\n')}
#define REGISTER(address) (*(volatile uint32_t *)(address))
#define PAINT 0x5a17c0deu
enum { PAINTED = 65536 };
${arrays.map(([name, size]) => `static kg_real ${name}[${size}];`).join('\n')}
${declarations}
static volatile int status;
static volatile uint32_t ticks;
static uint32_t seed = 2463534242u;

__attribute__((unused)) static void draw(${inputs.length > 0 ? 'kg_real x[], int count, kg_real largest' : 'void'})
{
${
  inputs.length > 0
    ? `  int i;
  for (i = 0; i < count; i++) {
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    x[i] = largest * ((kg_real)(seed >> 8) / KG_REAL(8388608.0) - KG_REAL(1.0));
  }`
    : '  (void)seed;'
}
}

__attribute__((noinline)) static void nothing(void)
{
  __asm__ volatile("");
}

__attribute__((noinline)) static void call(void)
{
  status = (int)(${call});
}

__attribute__((noinline)) static void take(void (*work)(void))
{
  const uint32_t start = REGISTER(0xE000E018u);
  work();
  ticks = (start - REGISTER(0xE000E018u)) & 0xFFFFFFu;
}

static uint32_t instructions(void (*work)(void))
{
  take(work);
  return (ticks * 5u + 16u) / 32u;
}

static void say(uint32_t number)
{
  char digits[12];
  int i = 11;
  digits[11] = '\\0';
  do {
    i--;
    digits[i] = (char)('0' + (int)(number % 10u));
    number /= 10u;
  } while (number > 0u);
  board_say(digits + i);
}

int main(void)
{
  uint32_t most = 0u, fewest = 0xFFFFFFFFu, refused = 0u, state;
  volatile uint32_t *stack, *at;
  __asm__ volatile("mov %0, sp" : "=r"(stack));
  for (at = stack - PAINTED; at < stack; at++) {
    *at = PAINT;
  }
  REGISTER(0xE000E014u) = 0xFFFFFFu;
  REGISTER(0xE000E018u) = 0u;
  REGISTER(0xE000E010u) = 5u;
  ${setup}
  for (state = 0u; state < ${STATES}u; state++) {
    uint32_t count;
    ${inputs.map(({ name, size, largest }) => `draw(${name}, ${size}, KG_REAL(${largest}));`).join('\n    ')}
    ${Object.keys(outputs)
      .map((name) => `memset(${name}, 0, sizeof ${name});`)
      .join('\n    ')}
    count = instructions(call) - instructions(nothing);
    most = count > most ? count : most;
    fewest = count < fewest ? count : fewest;
    refused += status != 0 ? 1u : 0u;
  }
  for (at = stack - PAINTED; at < stack && *at == PAINT; at++) {
  }
  say(most);
  board_say(" ");
  say(fewest);
  board_say(" ");
  say(refused);
  board_say(" ");
  say((uint32_t)(stack - at) * 4u);
  return 0;
}
`;
}
