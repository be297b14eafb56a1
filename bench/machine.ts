/** What a run was measured on. */
import { execFileSync } from 'node:child_process';
import { cpus, totalmem, type } from 'node:os';

export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memory: string;
  readonly system: string;
  readonly node: string;
  /** First line of what the C compiler says of itself; null when there is none. */
  readonly compiler: string | null;
  readonly flags: string;
}

/** The C compiler: `cc` unless KANEGEN_CC names another. */
export const C_COMPILER = process.env['KANEGEN_CC'] ?? 'cc';

/** Flags of everything in C that is timed against something else: all the machine has, no option that changes results. */
export const C_FLAGS: readonly string[] = ['-O3', '-march=native'];

/** Flags of C for any machine of its kind: no fused multiply-add, the instructions that JavaScript has. */
export const PORTABLE_FLAGS: readonly string[] = ['-O2'];

/** Flags of C that send angles to the sines and cosines of the library. */
export const LIBRARY_FLAGS: readonly string[] = [...C_FLAGS, '-DKG_ROUNDS_AS_WRITTEN=0'];

export function describeMachine(): Machine {
  const processors = cpus();
  return {
    processor: processors[0]?.model ?? 'unknown',
    cores: processors.length,
    memory: `${Math.round(totalmem() / 2 ** 30)} GB`,
    system: `${type()} ${process.arch}`,
    node: process.version,
    compiler: compilerVersion(),
    flags: C_FLAGS.join(' '),
  };
}

function compilerVersion(): string | null {
  try {
    return execFileSync(C_COMPILER, ['--version'], { encoding: 'utf8' }).split('\n')[0]!.trim();
  } catch {
    return null;
  }
}

export function machineText({ processor, cores, memory, system, node, compiler, flags }: Machine): string {
  return [
    `${processor}, ${cores} cores, ${memory}, ${system}, Node ${node}`,
    compiler === null ? `no C compiler (${C_COMPILER}): rows in C are left empty` : `C: ${compiler}, ${flags}`,
  ].join('\n');
}
