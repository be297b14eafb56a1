/** The first line of robot files that kanegen writes: editors with the YAML language server complete and check by it. */
import { existsSync } from 'node:fs';
import path from 'node:path';

const schemaIn = (name: string): string => path.join('node_modules', 'kanegen', 'dist', name);

/**
 * Names the schema of the installed package, seen from a directory: the nearest `node_modules` that has it, as Node would find
 * it. Where there is none, the place it will have once the package is installed beside the file.
 */
export function schemaLine(directory: string, name = 'robot.schema.json'): string {
  const schema = schemaIn(name);
  const start = path.resolve(directory);
  for (let at = start; ; at = path.dirname(at)) {
    if (existsSync(path.join(at, schema))) return lineOf(path.relative(start, path.join(at, schema)));
    if (at === path.dirname(at)) return lineOf(schema);
  }
}

function lineOf(file: string): string {
  const slashed = file.split(path.sep).join('/');
  return `# yaml-language-server: $schema=${slashed.startsWith('.') ? slashed : `./${slashed}`}`;
}
