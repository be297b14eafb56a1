/** Programs generated in processes of their own: what they cost, and how long it took. */
import { fork, type ChildProcess } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { GenerationReply, GenerationRequest } from './generation-process.ts';
import { programs, type BenchProgram, type ProgramCounts } from './programs.ts';
import { median, type Measurement } from './row.ts';

/** A process that generates what it is asked for. */
class Generator {
  private readonly child: ChildProcess = fork(fileURLToPath(new URL('generation-process.ts', import.meta.url)));

  generate(request: GenerationRequest): Promise<GenerationReply> {
    return new Promise((resolve, reject) => {
      const failed = (): void => reject(new Error(`the process that generated ${request.name} ended`));
      this.child.once('exit', failed);
      this.child.once('message', (reply: GenerationReply) => {
        this.child.off('exit', failed);
        resolve(reply);
      });
      this.child.send(request);
    });
  }

  close(): void {
    this.child.disconnect();
  }
}

/** Operations of programs by name; a process per core, each taking the next program. */
export async function countPrograms(wanted: readonly BenchProgram[]): Promise<Map<string, ProgramCounts>> {
  const counts = new Map<string, ProgramCounts>();
  const left = [...wanted];
  const worker = async (): Promise<void> => {
    const generator = new Generator();
    try {
      for (let next = left.shift(); next; next = left.shift())
        counts.set(next.name, (await generator.generate({ name: next.name, prints: false })).counts);
    } finally {
      generator.close();
    }
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), left.length) }, worker));
  return counts;
}

/** Processes that the times are medians of. */
const PASSES = 3;

const metricOf = (program: BenchProgram): string => `generation, ${program.task}`;

/** Times from robots to source texts. Every pass is a process, so that no program is generated twice in one. */
export function generationTimes(wanted: (p: { workload: string; metric: string }) => boolean): Measurement {
  const timed = programs
    .filter((p) => !p.auxiliary)
    .filter((p) => wanted({ workload: p.workload.name, metric: metricOf(p) }));
  return {
    names: timed.map((p) => ({ workload: p.workload.name, metric: metricOf(p) })),
    async measure() {
      const seconds = new Map<string, number[]>(timed.map((p) => [p.name, []]));
      for (let pass = 0; pass < PASSES; pass++) {
        const generator = new Generator();
        await generator.generate({ name: 'warm-up', prints: true });
        for (const { name } of timed)
          seconds.get(name)!.push((await generator.generate({ name, prints: true })).seconds);
        generator.close();
      }
      return timed.map((p) => ({
        workload: p.workload.name,
        metric: metricOf(p),
        value: median(seconds.get(p.name)!),
        unit: 's',
      }));
    },
  };
}
