/** `kanegen reference`: a line per reference file with its worst relative error; exit code 1 when one misses or is refused. */
import type { TargetName } from '../../codegen/folder.ts';
import type { Precision } from '../../verify/generated/evaluation.ts';
import { KanegenError } from '../../common/error.ts';
import {
  readReferenceDirectory,
  triedReference,
  type ReferenceResult,
} from '../../verify/reference/compare-reference.ts';
import { requireC } from './evaluate.ts';
import { print } from '../terminal/terminal.ts';

interface ReferenceCommandOptions {
  readonly target: TargetName;
  readonly precision: Precision;
  readonly only?: string;
  readonly straight?: boolean;
}

export async function referenceCommand(directory: string, options: ReferenceCommandOptions): Promise<void> {
  requireC(options);
  const prefixes =
    options.only
      ?.split(',')
      .map((p) => p.trim())
      .filter((p) => p !== '') ?? [];
  const files = readReferenceDirectory(directory, prefixes);
  if (files.length === 0)
    throw new KanegenError(
      'no-reference',
      `${directory} has no reference file${prefixes.length > 0 ? ` that begins with ${prefixes.join(', ')}` : ''}`,
      {
        remedy: 'write JSON files with "parameters" and "states"; see test/reference',
      },
    );
  const width = Math.max(...files.map((f) => f.file.length));
  const counts = { passed: 0, failed: 0, refused: 0, skipped: 0 };
  for (const file of files) {
    const result = await triedReference(file, options);
    counts[result.outcome] += 1;
    print(`${resultLine(result, width)}\n`);
  }
  print(`${counts.passed} passed, ${counts.failed} failed, ${counts.refused} refused, ${counts.skipped} skipped\n`);
  if (counts.failed + counts.refused > 0) process.exitCode = 1;
}

function resultLine(result: ReferenceResult, width: number): string {
  const name = result.file.padEnd(width);
  if ('reason' in result) return `${name}  ${result.outcome}  ${result.reason}`;
  const word = result.outcome === 'passed' ? 'ok     ' : 'MISSED ';
  const { error, tolerance, where, equilibria } = result;
  const left = equilibria === undefined ? '' : `; its ${equilibria} equilibria are skipped`;
  return `${name}  ${word}  ${error.toExponential(1)} of ${tolerance.toExponential(0)} at ${where}${left}`;
}
