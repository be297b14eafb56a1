/**
 * The generated code of the examples: which of it stands in generated/ for people to read, and what the manifest says of
 * all the rest, so that a change of any of it shows as a difference of a line.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { generateFolder } from '../src/codegen/folder.ts';
import { robotModel, type GeneratedFile } from '../src/codegen/modules/robot-model.ts';
import { executedOperations, generatedCost } from '../src/codegen/whole-robot/straight-cost.ts';
import { straightModel } from '../src/codegen/whole-robot/straight-model.ts';
import { loadRobotFile } from '../src/description/load.ts';
import { compileRobot } from '../src/kane/compile.ts';
import { compileStraight } from '../src/straight/compile.ts';

export const EXAMPLES: readonly string[] = readdirSync('examples')
  .filter((file) => file.endsWith('.robot.yaml'))
  .map((file) => file.replace('.robot.yaml', ''))
  .sort();

/** With straight-line functions, and kept in full. */
export const CHOICE = JSON.parse(readFileSync('examples/generated.json', 'utf8')) as {
  readonly straight: readonly string[];
  readonly inFull: readonly string[];
};

export interface GeneratedExample {
  readonly name: string;
  readonly files: readonly GeneratedFile[];
  /** Additions, products, quotients, roots and calls of every function, as they are carried out. */
  readonly operations: ReadonlyMap<string, number>;
}

export async function generateExample(name: string): Promise<GeneratedExample> {
  const robot = loadRobotFile(`examples/${name}.robot.yaml`);
  const compiled = compileRobot(robot);
  const straight = CHOICE.straight.includes(name) ? compileStraight(robot, { count: generatedCost }) : undefined;
  const files = await generateFolder(robot, compiled, ['ts', 'c'], straight);
  const ofLinks = robotModel(robot, compiled).links.flatMap((link) =>
    link.programs.map((program): [string, number] => [`${link.name}.${program.name}`, executedOperations(program)]),
  );
  const whole = straight ? straightModel(robot, compiled, straight).functions : [];
  const ofRobot = whole.map((f): [string, number] => [f.name, executedOperations(f.program)]);
  return { name, files, operations: new Map([...ofLinks, ...ofRobot]) };
}

/** Of the examples that are not kept in full: files with size and hash, functions with their operations. One a line. */
export function manifestText(examples: readonly GeneratedExample[]): string {
  const listed = examples.filter(({ name }) => !CHOICE.inFull.includes(name));
  const blocks = listed.map(({ name, files, operations }) => {
    const ofFiles = [...files].sort((a, b) => (a.path < b.path ? -1 : 1)).map((f) => line(f.path, fingerprint(f)));
    const ofFunctions = [...operations].map(([f, count]) => line(f, count));
    return `  "${name}": {\n    "files": {\n${ofFiles.join(',\n')}\n    },\n    "operations": {\n${ofFunctions.join(',\n')}\n    }\n  }`;
  });
  return `{\n${blocks.join(',\n')}\n}\n`;
}

function line(key: string, value: string | number): string {
  return `      ${JSON.stringify(key)}: ${JSON.stringify(value)}`;
}

function fingerprint({ text }: GeneratedFile): string {
  return `${Buffer.byteLength(text)} bytes, sha256 ${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}
