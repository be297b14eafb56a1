/**
 * The straight-line functions of a robot in TypeScript: `NAME_straight.ts` beside the robot's module, one exported
 * function each. The text is written ready formatted: there is little in it but arithmetic.
 */
import { pascalCase, wrapped } from './names.ts';
import { printProgram, type Target } from './print-arithmetic.ts';
import type { GeneratedFile } from './robot-model.ts';
import { costText, outputLines, straightHeader } from './straight-header.ts';
import { useSineCosine } from './sine-cosine.ts';
import type { StraightFunctionModel, StraightModel } from './straight-model.ts';
import { stumpffFunctionTypeScript, stumpffSetsOf } from './stumpff-functions.ts';
import { comment, sineCosineTypeScript, typescriptTarget } from './typescript.ts';

export function generateStraightTypeScript(model: StraightModel): GeneratedFile {
  const { name } = model.robot;
  const printed = model.functions.map((f) => ({ f, ...printProgram(f.program, targetOf(model)) }));
  const sets = stumpffSetsOf(model.functions.map((f) => f.program));
  const tops = model.functions.flatMap((f) => f.program.counts.stumpff);
  const scratchSize = Math.max(0, ...printed.map((p) => p.scratchSize));
  const imports = [
    ...(tops.length > 0 ? ["import { stumpff } from './runtime/stumpff.js';"] : []),
    ...(model.parameters.length > 0 ? [`import type { ${pascalCase(name)}Parameters } from './${name}.js';`] : []),
  ];
  const tables = [
    ...(tops.length > 0 ? [`const stumpffValues = new Float64Array(${Math.max(...tops) + 1});`] : []),
    ...(scratchSize > 0
      ? [
          `/** Values on their way between the parts of a long function. */\nconst scratch = new Float64Array(${scratchSize});`,
        ]
      : []),
  ];
  const sections = [
    [comment(straightHeader(model, (spelled) => spelled)), ...imports].join('\n'),
    ...tables,
    ...sets.map((set) => stumpffFunctionTypeScript(set, targetOf(model)).trimEnd()),
    ...(useSineCosine(model.functions.map((f) => f.program)) ? [sineCosineTypeScript()] : []),
    ...printed.flatMap(({ f, parts }) => functionsOf(model, f, parts)),
  ];
  return { path: `${name}_straight.ts`, text: `${sections.join('\n\n')}\n` };
}

function targetOf(model: StraightModel): Target {
  const target = typescriptTarget((buffer, index) => {
    if (buffer !== 'parameters') return undefined;
    const { member, index: entry } = model.parameters[index]!;
    return entry === undefined ? `p.${member}` : `p.${member}[${entry}]!`;
  });
  return { ...target, isWanted: (buffer) => `${buffer} !== null` };
}

interface Parameter {
  readonly name: string;
  readonly type: string;
}

function parametersOf(model: StraightModel, f: StraightFunctionModel): Parameter[] {
  return [
    ...f.reads.map((buffer) =>
      buffer === 'parameters'
        ? { name: 'p', type: `${pascalCase(model.robot.name)}Parameters` }
        : { name: buffer, type: 'Float64Array' },
    ),
    ...f.outputs.map(({ name, optional }) => ({ name, type: optional ? 'Float64Array | null' : 'Float64Array' })),
  ];
}

function functionsOf(model: StraightModel, f: StraightFunctionModel, parts: readonly (readonly string[])[]): string[] {
  const parameters = parametersOf(model, f);
  const about = comment([`${f.summary} ${costText(f)}.`, ...outputLines(f, 'null')].flatMap((l) => wrapped(l, 112)));
  if (parts.length === 1) return [`${about}\nexport ${functionText(f.name, parameters, parts[0]!)}`];
  const passed = parts.map((lines) => parameters.filter((p) => mentions(lines, p.name)));
  const calls = passed.map((list, i) => `${f.name}Part${i + 1}(${list.map((p) => p.name).join(', ')});`);
  return [
    ...parts.map((lines, i) => functionText(`${f.name}Part${i + 1}`, passed[i]!, lines)),
    `${about}\nexport ${functionText(f.name, parameters, calls)}`,
  ];
}

function functionText(name: string, parameters: readonly Parameter[], lines: readonly string[]): string {
  // A leading underscore says, to reader and compiler, that the function has no use for the buffer.
  const list = parameters.map((p) => `${mentions(lines, p.name) ? p.name : `_${p.name}`}: ${p.type}`);
  const short = `function ${name}(${list.join(', ')}): void {`;
  const head = short.length <= 112 ? short : `function ${name}(\n${list.map((p) => `  ${p},`).join('\n')}\n): void {`;
  return [head, ...lines.map((line) => `  ${line}`), '}'].join('\n');
}

function mentions(lines: readonly string[], name: string): boolean {
  const word = new RegExp(`\\b${name}\\b`);
  return lines.some((line) => word.test(line));
}
