/** `kanegen init`: commented files to start from, of several kinds. */
import { existsSync } from 'node:fs';
import { packageFile } from '../../codegen/modules/assets.ts';
import { KanegenError } from '../../common/error.ts';
import { UsageError } from '../terminal/failure.ts';
import { writeFileWhole } from '../files/output.ts';
import { schemaLine } from '../files/schema-line.ts';
import { print } from '../terminal/terminal.ts';

/** What each kind writes: ends of file names, and the texts that they come from. */
const STARTERS = {
  arm: { files: { 'robot.yaml': 'arm.yaml' }, next: 'npx kanegen verify' },
  'tendon-arm': { files: { 'robot.yaml': 'tendon-arm.yaml' }, next: 'npx kanegen view' },
  finger: { files: { 'robot.yaml': 'finger.yaml' }, next: 'npx kanegen view' },
  urdf: { files: { 'robot.yaml': 'urdf.yaml', urdf: 'urdf.urdf' }, next: 'npx kanegen view' },
  scenario: {
    files: { 'robot.yaml': 'tendon-arm.yaml', 'scenario.yaml': 'scenario.yaml' },
    next: 'npx kanegen simulate',
  },
} as const;

type Kind = keyof typeof STARTERS;
export const KINDS = Object.keys(STARTERS) as readonly Kind[];

export function initCommand(name = 'my-robot', { kind: asked = 'arm' }: { readonly kind?: string } = {}): void {
  if (!/^[a-z][a-z0-9-]*$/.test(name))
    throw new UsageError(`the name of a robot has a-z, 0-9 and dashes only, not ${JSON.stringify(name)}`);
  const kind = KINDS.find((own) => own === asked);
  if (!kind) throw new UsageError(`--kind takes ${KINDS.join(', ')}, not ${JSON.stringify(asked)}`);
  const { files, next } = STARTERS[kind];
  const written = Object.entries(files).map(([end, source]) => ({
    file: `${name}.${end}`,
    text: starter(source, name),
  }));
  const taken = written.find(({ file }) => existsSync(file));
  if (taken)
    throw new KanegenError('file-exists', `${taken.file} exists`, {
      remedy: 'choose another name: npx kanegen init NAME',
    });
  for (const { file, text } of written) writeFileWhole(file, text);
  const last = written[written.length - 1]!.file;
  const [robot] = written;
  const shown = kind === 'scenario' ? last : robot!.file;
  print(
    `Wrote ${written.map(({ file }) => file).join(' and ')}. Next: ${next} ${shown}${kind === 'scenario' ? '' : `, then npx kanegen compile ${robot!.file}`}.\n`,
  );
}

/** @param source of `templates/starters`. */
function starter(source: string, name: string): string {
  const text = packageFile(`templates/starters/${source}`).replaceAll('NAME', name);
  if (source.endsWith('.urdf')) return text;
  const schema = source === 'scenario.yaml' ? 'scenario.schema.json' : 'robot.schema.json';
  return `${schemaLine('.', schema)}\n${text}`;
}
