/** Regenerates generated/NAME/{typescript,c} for every example. Run after a build: npm run generate. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { execFileSync } from 'node:child_process';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
for (const file of readdirSync(path.join(root, 'examples')).filter((f) => f.endsWith('.robot.yaml'))) {
  const name = file.replace('.robot.yaml', '');
  execFileSync(
    process.execPath,
    [path.join(root, 'dist/cli.js'), 'compile', path.join('examples', file), '--out', path.join('generated', name)],
    { cwd: root, stdio: 'inherit' },
  );
}
