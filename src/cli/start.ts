/** The `kanegen` command. */
import module from 'node:module';
import { runCommandLine } from './main.ts';
import { meetStreamErrors } from './terminal/terminal.ts';

// Node 22 and later keep what V8 makes of modules, ts-morph and prettier above all, from one run to the next.
(module as { enableCompileCache?: () => unknown }).enableCompileCache?.();
meetStreamErrors();
await runCommandLine(process.argv.slice(2));
