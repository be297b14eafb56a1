/**
 * Regenerates generated/NAME/{typescript,c} for every example, with the straight-line functions of those named in
 * examples/straight.json. Run after a build: npm run generate.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { execFileSync } from 'node:child_process';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const straight = JSON.parse(readFileSync(path.join(root, 'examples/straight.json'), 'utf8'));
for (const file of readdirSync(path.join(root, 'examples')).filter((f) => f.endsWith('.robot.yaml'))) {
  const name = file.replace('.robot.yaml', '');
  const options = straight.includes(name) ? ['--straight'] : [];
  execFileSync(
    process.execPath,
    [
      path.join(root, 'dist/cli.js'),
      'compile',
      path.join('examples', file),
      ...options,
      '--out',
      path.join('generated', name),
    ],
    { cwd: root, stdio: 'inherit' },
  );
}
