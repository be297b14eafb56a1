/** `kanegen demo`: a soft arm and a UR10e compiled, evaluated and verified, with a short summary of each; and a motion. */
import { performance } from 'node:perf_hooks';
import path from 'node:path';
import type { SymbolicRobot } from '../../api/robot.ts';
import { costText } from '../../codegen/printing/cost-text.ts';
import { robotCounts } from '../../codegen/modules/header.ts';
import { robotModel } from '../../codegen/modules/robot-model.ts';
import { packagePath } from '../../host/package-root.ts';
import type { Robot } from '../../description/model/robot.ts';
import { openRobot } from '../files/load.ts';
import { formatTable, shortNumber, shortNumberBeside } from '../terminal/table.ts';
import { withProgress } from '../terminal/progress.ts';
import { foldedText, reportText } from './verify.ts';
import { simulateCommand } from './simulate.ts';
import { print } from '../terminal/terminal.ts';

const EXAMPLES = ['planar-cc', 'ur10e'];
const SCENARIO = 'examples/scenarios/swing.scenario.yaml';

export async function demoCommand({ out }: { readonly out: string }): Promise<void> {
  const report = path.join(out, 'swing.html');
  print(`== ${SCENARIO}: two elastic segments let go across gravity ==\n`);
  await simulateCommand(packagePath(SCENARIO), { report });
  print(`the moving robot: ${report}, for a browser\n\n`);
  for (const name of EXAMPLES) {
    const file = packagePath(`examples/${name}.robot.yaml`);
    const failed = await show(openRobot(file), path.join(out, name), name);
    if (failed) process.exitCode = 1;
  }
  print(
    `The motion is in ${report}, for a browser; the code is in ${out}. Next: npx kanegen init, and docs/tutorial.md.\n`,
  );
}

async function show(robot: SymbolicRobot, out: string, name: string): Promise<boolean> {
  const write = (text: string): void => print(`${text}\n`);
  const { coordinates, links, summary } = robot.model;
  const start = performance.now();
  const code = await robot.compile();
  const files = await code.write(out);
  const elapsed = Math.round(performance.now() - start);
  const compiled = await code.compiled();
  write(`== ${name}: ${summary} ==`);
  write(`compiled examples/${name}.robot.yaml to TypeScript and C in ${elapsed} ms: ${files.length} files in ${out}`);
  write(
    `${coordinates.length} coordinates, ${links.length} links, ${compiled.types.length} link ${compiled.types.length === 1 ? 'type' : 'types'}`,
  );
  for (const { call, counts } of robotCounts(robotModel(robot.model, compiled)))
    write(`  ${call}: ${costText(counts)}`);

  const state = exampleState(robot.model);
  const [result] = await robot.evaluate([state]);
  const force = shortNumberBeside(Math.max(...result!.tau.map(Math.abs)));
  const place = shortNumberBeside(Math.hypot(...result!.tip_position));
  write(`\nat q̇ = 0.1, q̈ = 0.2 on every coordinate, SI units:`);
  write(
    formatTable(
      [
        ['coordinate', 'q', 'c', 'g', 'tau = M q̈ + c + g'],
        ...coordinates.map((c, i) => [
          c.name,
          shortNumber(state.q[i]!),
          ...[result!.c[i]!, result!.g[i]!, result!.tau[i]!].map(force),
        ]),
      ],
      [1, 2, 3, 4],
    ),
  );
  write(`tip at (${result!.tip_position.map(place).join(', ')}) m\n`);

  const report = await withProgress((progress) => robot.verify({ states: 2, progress }));
  write(`${report.passed ? foldedText(report) : reportText(report)}\n`);
  return !report.passed;
}

/** The first named configuration of the robot (or its defaults), moving a little. */
function exampleState(robot: Robot) {
  const named = Object.values(robot.states).at(-1);
  const q = named ?? robot.coordinates.map((c) => c.value);
  return { q, qd: q.map(() => 0.1), qdd: q.map(() => 0.2) };
}
