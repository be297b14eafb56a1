/** `kanegen import`: a URDF, MJCF or SDF file, written out as a robot file. */
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { locationText } from '../../description/source/diagnostics.ts';
import type { ImportedRobot } from '../../description/imported/imported-robot.ts';
import { robotFileOfTree } from '../../description/imported/tree-robot-file.ts';
import { LAWS_OF_IMPORTS, withLaw } from '../../description/law-of-import.ts';
import { readMjcf } from '../../description/mjcf/mjcf-model.ts';
import { readSdf } from '../../description/sdf/sdf-model.ts';
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
  readonly controller?: string;
}

/** @throws KanegenError with the problems of the file, or `file-exists`. */
export function importCommand(file: string, options: ImportOptions): void {
  const law = LAWS_OF_IMPORTS.find((own) => own === options.controller);
  if (options.controller !== undefined && law === undefined)
    throw new UsageError(`--controller is \`${options.controller}\`: write one of ${LAWS_OF_IMPORTS.join(', ')}`);
  const text = readText(file);
  const robot = importer(text, file, options);
  const { name } = robot();
  const out = options.out ?? `${name}.robot.yaml`;
  if (existsSync(out))
    throw new KanegenError('file-exists', `${out} exists`, { remedy: 'choose another name with --out, or remove it' });
  const bare = robot(schemaLine(path.dirname(out)));
  const made = law === undefined ? bare : withLaw(bare, law, out);
  reportWarnings(made.warnings.map((own) => ({ ...own, name: `${formatOf(text)}-left-out` as const })));
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
  const format = formatOf(text);
  if (format === 'urdf') {
    const urdf = readUrdf(text, file);
    return (heading) => robotFileOf(urdf, { ...(from === undefined ? {} : { from }), free, ...given(heading) });
  }
  if (from !== undefined || free)
    throw new UsageError(
      `${format.toUpperCase()} says itself which bodies are free: leave out --${free ? 'free' : 'from'}`,
    );
  const optional = (path: string): string | undefined => (isFile(path) ? readText(path) : undefined);
  const tree = format === 'mjcf' ? readMjcf(text, file, readText) : readSdf(text, file, optional);
  return (heading) => robotFileOfTree(tree, given(heading));
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

/** By its first element. */
function formatOf(text: string): 'urdf' | 'mjcf' | 'sdf' {
  const [, first] = /^(?:\s|\uFEFF|<\?[^]*?\?>|<!--[^]*?-->)*<(mujoco|sdf)[\s>/]/.exec(text) ?? [];
  return first === undefined ? 'urdf' : first === 'sdf' ? 'sdf' : 'mjcf';
}
