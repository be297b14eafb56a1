/** `kanegen import`: a URDF file, written out as a robot file. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { locationText } from '../../description/source/diagnostics.ts';
import { readUrdf } from '../../description/urdf/urdf-model.ts';
import { robotFileOf } from '../../description/urdf/urdf-robot-file.ts';
import { KanegenError } from '../../common/error.ts';
import { readText } from '../../files/read.ts';
import { reportWarnings } from '../files/file-options.ts';
import { writeFileWhole } from '../files/output.ts';
import { schemaLine } from '../files/schema-line.ts';
import { complain, print } from '../terminal/terminal.ts';

interface ImportOptions {
  readonly from?: string;
  readonly free?: boolean;
  readonly out?: string;
}

/** @throws KanegenError with the problems of the file, or `file-exists`. */
export function importCommand(file: string, options: ImportOptions): void {
  const urdf = readUrdf(readText(file), file);
  const request = { ...(options.from === undefined ? {} : { from: options.from }), free: options.free === true };
  const { name } = robotFileOf(urdf, request);
  const out = options.out ?? `${name}.robot.yaml`;
  if (existsSync(out))
    throw new KanegenError('file-exists', `${out} exists`, { remedy: 'choose another name with --out, or remove it' });
  const { text, warnings, notes } = robotFileOf(urdf, { ...request, heading: schemaLine(path.dirname(out)) });
  reportWarnings(warnings.map((own) => ({ ...own, name: 'urdf-left-out' })));
  for (const note of notes) complain(`${locationText(note.location)}: note: ${note.message}\n`);
  writeFileWhole(out, text);
  print(`Wrote ${out}. Next: npx kanegen explain ${out} --coordinates\n`);
}
