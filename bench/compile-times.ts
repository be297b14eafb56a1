/** Wall time of the command `kanegen compile`, from process start. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { median, type Measurement, type RowName } from './row.ts';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const EXAMPLES = ['planar-cc-20', 'pcs', 'pcs-tapered'];
const ROUNDS = 3;

/** Driver code for both targets; straight-line code beside it. */
const COMMANDS = [
  { metric: 'kanegen compile, TypeScript and C, from process start', options: [] as string[], of: EXAMPLES },
  {
    metric: 'kanegen compile --straight, TypeScript and C, from process start',
    options: ['--straight'],
    of: ['planar-cc', 'ur10e'],
  },
];

/** Interleaved. @param directory temporary, of the caller. */
export function compileTimes(wanted: (name: RowName) => boolean, directory: string): Measurement {
  const commands = COMMANDS.flatMap(({ metric, options, of }) =>
    of.map((workload) => ({ workload, metric, options, seconds: [] as number[] })),
  ).filter(wanted);
  return {
    names: commands.map(({ workload, metric }) => ({ workload, metric })),
    measure() {
      for (let round = 0; round < ROUNDS; round++)
        for (const { workload, options, seconds } of commands) {
          const file = path.join(root, 'examples', `${workload}.robot.yaml`);
          const out = path.join(directory, `out-${workload}`);
          const start = performance.now();
          const command = [path.join(root, 'dist/cli.js'), 'compile', file, '--out', out, ...options];
          execFileSync(process.execPath, command, { stdio: 'pipe' });
          seconds.push((performance.now() - start) / 1000);
        }
      return Promise.resolve(
        commands.map(({ workload, metric, seconds }) => ({ workload, metric, value: median(seconds), unit: 's' })),
      );
    },
  };
}
