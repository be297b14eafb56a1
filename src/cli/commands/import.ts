/** `kanegen import`: a URDF or MJCF file, written out as a robot file. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { locationText } from '../../description/source/diagnostics.ts';
import type { ImportedRobot } from '../../description/imported/imported-robot.ts';
import { readMjcf } from '../../description/mjcf/mjcf-model.ts';
import { robotFileOfMjcf } from '../../description/mjcf/mjcf-robot-file.ts';
import { readUrdf } from '../../description/urdf/urdf-model.ts';
import { robotFileOf } from '../../description/urdf/urdf-robot-file.ts';
import { KanegenError } from '../../common/error.ts';
import { readText } from '../../files/read.ts';
import { reportWarnings } from '../files/file-options.ts';
import { writeFileWhole } from '../files/output.ts';
import { schemaLine } from '../files/schema-line.ts';
import { UsageError } from '../terminal/failure.ts';
import { complain, print } from '../terminal/terminal.ts';

interface ImportOptions {
  readonly from?: string;
  readonly free?: boolean;
  readonly out?: string;
}

/** @throws KanegenError with the problems of the file, or `file-exists`. */
export function importCommand(file: string, options: ImportOptions): void {
  const text = readText(file);
  const robot = importer(text, file, options);
  const { name } = robot();
  const out = options.out ?? `${name}.robot.yaml`;
  if (existsSync(out))
    throw new KanegenError('file-exists', `${out} exists`, { remedy: 'choose another name with --out, or remove it' });
  const made = robot(schemaLine(path.dirname(out)));
  reportWarnings(made.warnings.map((own) => ({ ...own, name: isMjcf(text) ? 'mjcf-left-out' : 'urdf-left-out' })));
  for (const note of made.notes) complain(`${locationText(note.location)}: note: ${note.message}\n`);
  writeFileWhole(out, made.text);
  print(`Wrote ${out}. Next: npx kanegen explain ${out} --coordinates\n`);
}

/** The robot file that the file is written as, behind a heading. */
function importer(
  text: string,
  file: string,
  { from, free = false }: ImportOptions,
): (heading?: string) => ImportedRobot {
  const given = (heading: string | undefined): { heading?: string } => (heading === undefined ? {} : { heading });
  if (!isMjcf(text)) {
    const urdf = readUrdf(text, file);
    return (heading) => robotFileOf(urdf, { ...(from === undefined ? {} : { from }), free, ...given(heading) });
  }
  if (from !== undefined || free)
    throw new UsageError(`MJCF says itself which bodies are free: leave out --${free ? 'free' : 'from'}`);
  const model = readMjcf(text, file, readText);
  return (heading) => robotFileOfMjcf(model, given(heading));
}

/** By its first element. */
const isMjcf = (text: string): boolean => /^(?:\s|\uFEFF|<\?[^]*?\?>|<!--[^]*?-->)*<mujoco[\s>/]/.test(text);
