/**
 * Inverse dynamics in C, all forms of one robot in one program, which runs what it is told on its standard input: so that
 * forms in C take turns with each other and with those in TypeScript.
 */
import { execFile, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { promisify } from 'node:util';
import type { GeneratedFile } from '../src/codegen/modules/robot-model.ts';
import type { Contestant } from './contest.ts';
import { C_COMPILER, C_FLAGS } from './machine.ts';

/** One way to compute inverse dynamics in C. */
export interface NativeForm {
  readonly name: string;
  /** Headers it needs. */
  readonly includes: readonly string[];
  /** Further declarations at file level. */
  readonly declarations?: string;
  /** The torques of state k, `q[k]`, `qd[k]`, `qdd[k]` to `tau[k]`, as a C statement; or those of all states at once: */
  readonly single?: string;
  /** from `q_soa` … to `tau_soa`, coordinate by coordinate. */
  readonly batch?: string;
}

/** A source or header. */
export interface NativeSource extends GeneratedFile {
  /** Instead of C_FLAGS; `-DNAME=OTHER` lets two versions of a function stand in one program. */
  readonly flags?: readonly string[];
}

const runFile = promisify(execFile);

/** A running program. `close` ends it. */
export class NativeTimer {
  private readonly process: ChildProcessWithoutNullStreams;
  private readonly lines: Interface;
  private readonly forms: readonly NativeForm[];
  private readonly states: number;
  private readonly folder: string;
  /** One command at a time. */
  private last: Promise<unknown> = Promise.resolve();

  private constructor(folder: string, states: number, forms: readonly NativeForm[]) {
    this.states = states;
    this.forms = forms;
    this.folder = folder;
    this.process = spawn(path.join(folder, 'timer'));
    this.lines = createInterface(this.process.stdout);
  }

  /**
   * @param files generated sources and headers; paths with folders are allowed.
   * @param states that are gone round, see `timedStates`.
   * @param directory temporary, of the caller.
   * @throws Error with what the compiler said.
   */
  static async start(
    files: readonly NativeSource[],
    states: readonly Float64Array[],
    forms: readonly NativeForm[],
    directory: string,
  ): Promise<NativeTimer> {
    const folder = mkdtempSync(path.join(directory, 'native-'));
    const all: NativeSource[] = [...files, { path: 'timer.c', text: timerSource(states, forms) }];
    for (const file of all) {
      mkdirSync(path.dirname(path.join(folder, file.path)), { recursive: true });
      writeFileSync(path.join(folder, file.path), file.text);
    }
    const objects: string[] = [];
    for (const { path: source, flags = C_FLAGS } of all.filter((f) => f.path.endsWith('.c'))) {
      const object = source.replace(/\.c$/, '.o');
      await runFile(C_COMPILER, [...flags, '-I.', '-c', source, '-o', object], { cwd: folder });
      objects.push(object);
    }
    await runFile(C_COMPILER, [...objects, '-o', 'timer', '-lm'], { cwd: folder });
    return new NativeTimer(folder, states.length, forms);
  }

  /**
   * Instructions of all functions that were compiled from a source, padding left out.
   * @returns null when there is no `objdump`.
   */
  async instructions(source: string): Promise<number | null> {
    const object = path.join(this.folder, source.replace(/\.c$/, '.o'));
    try {
      const options = { maxBuffer: 2 ** 30 };
      const { stdout } = await runFile('objdump', ['-d', '--no-show-raw-insn', object], options);
      const lines = stdout.split('\n').filter((line) => /^\s+[0-9a-f]+:\t/.test(line));
      return lines.filter((line) => !/\t(data16 |cs )*(nop|xchg +%ax,%ax)/.test(line)).length;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  contestants(): Contestant[] {
    return this.forms.map(({ name }, index) => ({
      name,
      states: this.states,
      time: async (sweeps) => Number(await this.command(`${index} ${sweeps}`)),
      torques: async () => (await this.command(`${index} 0`)).trim().split(/\s+/).map(Number),
    }));
  }

  close(): void {
    this.process.stdin.end();
  }

  private command(text: string): Promise<string> {
    const answer = this.last.then(
      () =>
        new Promise<string>((resolve, reject) => {
          const failed = (): void => reject(new Error(`the timed C program ended at ${text}`));
          this.process.once('exit', failed);
          this.lines.once('line', (line) => {
            this.process.off('exit', failed);
            resolve(line);
          });
          this.process.stdin.write(`${text}\n`);
        }),
    );
    this.last = answer;
    return answer;
  }
}

function timerSource(states: readonly Float64Array[], forms: readonly NativeForm[]): string {
  const includes = [...new Set(forms.flatMap((form) => form.includes))];
  const table = states.map((state) => `  { ${[...state].join(', ')} },`);
  return `#define _POSIX_C_SOURCE 199309L
${includes.map((header) => `#include "${header}"`).join('\n')}
#include <stdio.h>
#include <time.h>
enum { N = ${states[0]!.length / 3}, STATES = ${states.length} };
static const double states[STATES][3 * N] = {
${table.join('\n')}
};
static kg_real q[STATES][N], qd[STATES][N], qdd[STATES][N], tau[STATES][N];
static kg_real q_soa[N * STATES], qd_soa[N * STATES], qdd_soa[N * STATES], tau_soa[N * STATES];
${forms.map(({ declarations = '' }) => declarations).join('\n')}
${forms.map(sweepFunction).join('\n')}
static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}
int main(void)
{
  static void (*const sweep[])(long) = { ${forms.map((_, i) => `sweep_${i}`).join(', ')} };
  static const int is_batch[] = { ${forms.map((form) => (form.batch ? 1 : 0)).join(', ')} };
  int form, k, i;
  long sweeps;
  for (k = 0; k < STATES; k++)
    for (i = 0; i < N; i++) {
      q[k][i] = q_soa[i * STATES + k] = states[k][i];
      qd[k][i] = qd_soa[i * STATES + k] = states[k][N + i];
      qdd[k][i] = qdd_soa[i * STATES + k] = states[k][2 * N + i];
    }
  while (scanf("%d %ld", &form, &sweeps) == 2) {
    double start = now();
    sweep[form](sweeps > 0 ? sweeps : 1);
    if (sweeps > 0)
      printf("%.4f", (now() - start) / ((double)sweeps * STATES));
    else
      for (k = 0; k < STATES; k++)
        for (i = 0; i < N; i++)
          printf("%.17g ", (double)(is_batch[form] ? tau_soa[i * STATES + k] : tau[k][i]));
    printf("\\n");
    fflush(stdout);
  }
  return 0;
}
`;
}

function sweepFunction({ single, batch }: NativeForm, index: number): string {
  const body = batch ?? `for (k = 0; k < STATES; k++)\n      ${single!}`;
  return `static void sweep_${index}(long sweeps)
{
  long s;
  int k = 0;
  (void)k;
  for (s = 0; s < sweeps; s++)
    ${body}
}`;
}
