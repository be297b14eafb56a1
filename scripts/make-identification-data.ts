/**
 * Writes examples/identification/soft-arm.csv: what sensors with noise would record of soft-arm.scenario.yaml, angles (deviation
 * 1e-4 rad), rates (1e-3 rad/s) and tensions (0.1 N). Run: npx tsx scripts/make-identification-data.ts
 */
import { writeFileSync } from 'node:fs';
import { loadScenario, simulate } from '../src/index.ts';
import { loadGenerated } from '../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../src/codegen/typescript/typescript.ts';
import { compileRobot } from '../src/kane/compile.ts';
import { randomNumbers } from '../src/common/random.ts';

const [ANGLE, RATE, TENSION] = [1e-4, 1e-3, 0.1];
const scenario = loadScenario('examples/identification/soft-arm.scenario.yaml');
const { robot, inputs } = scenario;
const create = await loadGenerated(await generateTypeScript(robot, compileRobot(robot)));
const { samples } = simulate(scenario, create());
const random = randomNumbers(1);
const noise = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const names = robot.coordinates.map(({ name }) => name);
const header = ['t', ...names, ...names.map((name) => `${name}_d`), ...robot.actuators.map(({ name }) => name)];
const lines = samples.map(({ t, q, qd }) =>
  [
    t.toFixed(2),
    ...[...q].map((x) => (x + ANGLE * noise()).toFixed(5)),
    ...[...qd].map((x) => (x + RATE * noise()).toFixed(4)),
    ...inputs.map((signal) => (signal!(t) + TENSION * noise()).toFixed(2)),
  ].join(','),
);
writeFileSync('examples/identification/soft-arm.csv', `${[header.join(','), ...lines].join('\n')}\n`);
