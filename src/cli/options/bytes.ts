/** `--max-bytes`: a limit to what compiled code takes of a processor. */
import type { CodeSize } from '../../codegen/c/code-size.ts';
import { KanegenError } from '../../common/error.ts';
import { UsageError } from '../terminal/failure.ts';

/** @throws UsageError where it is not a positive integer. */
export function maximumBytes(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new UsageError(`--max-bytes takes a positive integer, not ${JSON.stringify(text)}`);
}

const grouped = (bytes: number): string => bytes.toLocaleString('en-US');

/** @throws KanegenError `too-large` where code and constants take more than the limit. */
export function demandBytes(what: string, { text, data }: CodeSize, maximum: number | undefined, remedy: string): void {
  if (maximum === undefined || text + data <= maximum) return;
  throw new KanegenError(
    'too-large',
    `${what} takes ${grouped(text + data)} bytes of code and constants, --max-bytes allows ${grouped(maximum)}`,
    { remedy },
  );
}

/** A compiler for small processors is needed. @throws UsageError without one. */
export async function demandCrossCompiler(): Promise<void> {
  const { CROSS, hasCrossCompiler } = await import('../../codegen/c/code-size.ts');
  if (!(await hasCrossCompiler()))
    throw new UsageError(
      `--max-bytes counts by ${CROSS}gcc, which is not here: install it (Debian: gcc-arm-none-eabi libnewlib-arm-none-eabi)`,
    );
}
