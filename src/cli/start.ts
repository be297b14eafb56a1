/** The `kanegen` command. */
import module from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runCommandLine } from './main.ts';
import { meetStreamErrors } from './terminal/terminal.ts';

// Node 22 and later keep what V8 makes of modules from one run to the next.
(module as { enableCompileCache?: () => unknown }).enableCompileCache?.();
/*
 * A compilation runs much code a few times, and a third of its processor time went into optimised machine code that was
 * hardly used: V8 waits fifteen times as long (in bytes of bytecode that a function executed) before it makes any. Later
 * versions of V8 than those of Node 20 to 24 may call this otherwise, and would complain.
 */
if (Number.parseInt(process.versions.v8, 10) < 14) setFlagsFromString('--interrupt-budget=1000000');
meetStreamErrors();
await runCommandLine(process.argv.slice(2));
