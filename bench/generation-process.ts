/**
 * A process that generates programs on request, one after the other, and tells what each cost. Timed ones find the
 * compiler warm, but not the robot: it has generated other robots before, and generates each program once in its life.
 */
import { loadRobotFile } from '../src/description/load.ts';
import type { Robot } from '../src/description/model/robot.ts';
import { countsOf, derive, modelOf, programs, sourcesOf, type BenchProgram, type ProgramCounts } from './programs.ts';

export interface GenerationRequest {
  /** Name of a program; `warm-up` for robots that are in no row. */
  readonly name: string;
  /** Print source texts, too. */
  readonly prints: boolean;
}

export interface GenerationReply {
  readonly name: string;
  readonly counts: ProgramCounts;
  /** From the robot in memory to its program, or to source texts in TypeScript and C. */
  readonly seconds: number;
}

async function generate(program: BenchProgram, robot: Robot, prints: boolean): Promise<GenerationReply> {
  const start = performance.now();
  const model = modelOf(robot, derive(program, robot));
  if (prints) await sourcesOf(model);
  const seconds = (performance.now() - start) / 1000;
  return { name: program.name, counts: countsOf(model.functions[0]!), seconds };
}

async function warmUp(): Promise<GenerationReply> {
  const one = async (file: string, task: BenchProgram['task']): Promise<GenerationReply> => {
    const robot = loadRobotFile(file);
    const state = { q: 0, qd: 0, qdd: 0 };
    const workload = { name: robot.name, summary: '', robot: () => robot, keepGravity: false, state };
    return generate({ name: 'warm-up', workload, task }, robot, true);
  };
  await one('examples/planar-cc-elongation.robot.yaml', 'inverse dynamics');
  await one('examples/panda.robot.yaml', 'derivatives of inverse dynamics');
  return one('examples/panda.robot.yaml', 'inverse dynamics');
}

async function answer({ name, prints }: GenerationRequest): Promise<GenerationReply> {
  if (name === 'warm-up') return warmUp();
  const program = programs.find((p) => p.name === name)!;
  return generate(program, program.workload.robot(), prints);
}

process.on('message', (request: GenerationRequest) => {
  void answer(request).then((reply) => process.send!(reply));
});
