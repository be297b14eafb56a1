/** Self-tests of the examples on other processors, by QEMU: Cortex-M4F as float, Cortex-M7 as double, and one whose bytes stand the other way. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { EXAMPLES, generateExample } from '../../scripts/generated-examples.ts';
import { buildProgram } from '../../src/codegen/c/build-c.ts';
import { boardOf, startUp } from '../../src/codegen/doors/board/board.ts';
import type { GeneratedFile } from '../../src/codegen/modules/robot-model.ts';
import { isInstalled } from '../compilers.ts';

const FULL = process.env['KANEGEN_FULL'] === '1';

interface Processor {
  readonly name: string;
  readonly missing: boolean;
  /** Runs a self-test. @throws with what it printed where it fails. */
  readonly run: (files: readonly GeneratedFile[]) => Promise<string>;
}

/** The C library talks to QEMU; its start-up code is that of the board. */
const MAIN = `#include <stdio.h>
int selftest(void);
void initialise_monitor_handles(void);
int main(void)
{
  int failed;
  initialise_monitor_handles();
  failed = selftest();
  fflush(stdout);
  return failed;
}
`;

const renamed = (file: GeneratedFile): GeneratedFile => ({
  ...file,
  text: file.text.replace('int main(void)', 'int selftest(void)'),
});

function board(name: string, ...flags: readonly string[]): Processor {
  const { cpu, machine } = boardOf(name);
  return {
    name: `${name} ${flags.join(' ')}`,
    missing: !isInstalled('arm-none-eabi-gcc') || !isInstalled('qemu-system-arm'),
    run: async (files) =>
      ran(
        [...files.map(renamed), ...(await startUp(boardOf(name))), { path: 'main.c', text: MAIN }],
        'arm-none-eabi-gcc',
        [
          ...`-O1 -ffp-contract=off -DBOARD_IN_QEMU ${cpu} -nostartfiles -T board.ld --specs=rdimon.specs`.split(' '),
          ...flags,
        ],
        `qemu-system-arm -machine ${machine} -display none -monitor none -serial none -chardev stdio,id=console -semihosting-config enable=on,target=native,chardev=console -kernel`,
      ),
  };
}

const PROCESSORS: readonly Processor[] = [
  board('qemu-m4', '-DKG_SINGLE'),
  board('qemu-m7'),
  {
    name: 's390x, big-endian',
    missing: !isInstalled('s390x-linux-gnu-gcc') || !isInstalled('qemu-s390x'),
    run: (files) => ran(files, 's390x-linux-gnu-gcc', ['-O1', '-ffp-contract=off', '-static'], 'qemu-s390x'),
  },
];

async function ran(
  files: readonly GeneratedFile[],
  compiler: string,
  flags: readonly string[],
  emulator: string,
): Promise<string> {
  const built = await buildProgram(files, { compiler, flags: ['-std=gnu99', ...flags], libraries: ['m'] });
  try {
    const [command, ...words] = emulator.split(' ');
    return (await promisify(execFile)(command!, [...words, built.executable], { timeout: 300_000 })).stdout;
  } catch (error) {
    throw new Error(`the self-test failed: ${(error as { stdout?: string }).stdout ?? ''}`, { cause: error });
  } finally {
    await built.dispose();
  }
}

/** The committed C of an example, of others as `npm run generate` writes it. */
async function codeOf(example: string): Promise<GeneratedFile[]> {
  const folder = `generated/${example}/c`;
  const isKept = readdirSync('generated').includes(example);
  const files = isKept
    ? readdirSync(folder).map((path) => ({ path, text: readFileSync(`${folder}/${path}`, 'utf8') }))
    : (await generateExample(example)).files
        .filter(({ path }) => path.startsWith('c/'))
        .map((file) => ({ ...file, path: file.path.slice(2) }));
  return files.filter(({ path }) => /\.[ch]$/.test(path));
}

describe.each(FULL ? EXAMPLES : ['two-link'])('the self-test of %s', (example) => {
  for (const { name, missing, run } of PROCESSORS)
    it.skipIf(missing)(`passes on ${name}`, { timeout: 600_000 }, async () => {
      expect(await run(await codeOf(example))).toBe(`${example.replaceAll('-', '_')}: ok\n`);
    });
});
