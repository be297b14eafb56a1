/**
 * npx tsx bench/vectors.ts: arithmetic instructions on packed and on single numbers in the generated C of bodies that are
 * integrated by points, function by function, as the compiler of this machine makes them.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { formatTable } from '../src/cli/terminal/table.ts';
import { generateC } from '../src/codegen/c/c.ts';
import { loadRobotObject } from '../src/description/load.ts';
import { compileRobot } from '../src/kane/compile.ts';
import { C_COMPILER, C_FLAGS } from './machine.ts';

const BODIES = ['lvp-8', 'variable-radius'];
const FUNCTIONS = ['link_configure', 'link_move', 'link_forward', 'link_energy'];

/** x86: …pd and …ps work on vectors, …sd and …ss on one number; AArch64 says it by the shape of the operands. */
const PACKED = /\bv?f?n?m?(?:add|sub|mul|div|sqrt|madd|msub)\w*p[ds]\b|\bf(?:add|sub|mul|div|sqrt|mla|mls)\s+v\d/;
const SINGLE = /\bv?f?n?m?(?:add|sub|mul|div|sqrt|madd|msub)\w*s[ds]\b|\bf(?:add|sub|mul|div|sqrt|madd|msub)\s+[ds]\d/;

async function disassembly(body: string, directory: string): Promise<string> {
  const robot = loadRobotObject({ kanegen: 1, name: body, links: [{ name: 'body', body }] });
  const files = await generateC(robot, compileRobot(robot));
  for (const file of files) writeFileSync(path.join(directory, file.path), file.text);
  const source = files.find(({ path: name }) => /^link_.*\.c$/.test(name))!.path;
  execFileSync(C_COMPILER, [...C_FLAGS, '-c', source, '-o', 'link.o'], { cwd: directory });
  return execFileSync('objdump', ['-d', '--no-show-raw-insn', 'link.o'], {
    cwd: directory,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
}

/** Packed and single of each function, its parts together. */
function countsOf(text: string): Map<string, { packed: number; single: number }> {
  const counts = new Map(FUNCTIONS.map((name) => [name, { packed: 0, single: 0 }]));
  for (const part of text.split(/\n(?=[0-9a-f]+ <)/)) {
    const own = counts.get((/<(\w+)>:/.exec(part)?.[1] ?? '').replace(/_part\d+$/, ''));
    if (!own) continue;
    const lines = part.split('\n');
    own.packed += lines.filter((line) => PACKED.test(line)).length;
    own.single += lines.filter((line) => SINGLE.test(line)).length;
  }
  return counts;
}

const rows = [['body', 'function', 'packed', 'single']];
for (const body of BODIES) {
  const directory = mkdtempSync(path.join(tmpdir(), 'kanegen-vectors-'));
  try {
    for (const [name, { packed, single }] of countsOf(await disassembly(body, directory)))
      rows.push([body, name, String(packed), String(single)]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
console.log(formatTable(rows, [2, 3]));
