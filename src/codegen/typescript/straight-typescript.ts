/**
 * The straight-line functions of a robot in TypeScript: `NAME_straight.ts` beside the robot's module, one exported
 * function each. The text is written ready formatted: there is little in it but arithmetic.
 */
import { pascalCase, wrapped } from '../naming/identifiers.ts';
import { printProgram, withoutComments, type Target } from '../printing/print-arithmetic.ts';
import type { GeneratedFile } from '../modules/robot-model.ts';
import {
  brokenName,
  columnsAbout,
  straightCostText,
  outputLines,
  straightHeader,
} from '../whole-robot/straight-header.ts';
import type { StraightFunctionName } from '../../straight/straight-robot.ts';
import {
  callStumpff,
  inputSize,
  type StraightFunctionModel,
  type StraightModel,
} from '../whole-robot/straight-model.ts';
import { stumpffFunctionTypeScript, stumpffSetsOf } from '../printing/stumpff-functions.ts';
import { finiteness } from './finiteness.ts';
import { typescriptTarget } from './target.ts';
import { checkFunction, checkStatuses, comment } from './checks.ts';

/** @param stem ends the name of the file. */
export function generateStraightTypeScript(model: StraightModel, stem = 'straight'): GeneratedFile {
  const { name } = model.robot;
  const keeps = model.parameters.length > 0;
  const steps = model.functions.some((f) => f.reads.includes('h'));
  const statuses = keeps ? checkStatuses(model.robot) : 'KG_NON_FINITE, KG_OK';
  const [tables, functions] = straightFunctionsTypeScript(model);
  const checked = [...(keeps ? [checkFunction(model.robot)] : []), ...functions];
  const looks = checked.some((text) => text.includes('areFinite('));
  const imports = [
    `import { ${steps ? 'acceptStep, ' : ''}${looks ? 'areFinite, ' : ''}${statuses}, KG_UNDEFINED, mark, type Status } from './runtime/driver.js';`,
    ...(callStumpff(model) ? ["import { stumpff } from './runtime/stumpff.js';"] : []),
    ...(keeps ? [`import type { ${pascalCase(name)}Parameters } from './${name}.js';`] : []),
  ];
  const sections = [
    [comment(straightHeader(model, (spelled) => spelled)), ...imports].join('\n'),
    ...columnsTable(model),
    ...tables,
    ...checked,
  ];
  return { path: `${name}_${stem}.ts`, text: `${sections.join('\n\n')}\n` };
}

/** What the columns of the regressor are multiplied with. */
function columnsTable(model: StraightModel): string[] {
  const { columns } = model;
  if (columns.length === 0) return [];
  const rows = columns.map(({ name, unit, value }) => {
    const text = brokenName(name).map((part) => JSON.stringify(part));
    return `  {\n    name: ${text.join(' +\n      ')},\n    unit: ${JSON.stringify(unit)},\n    value: ${String(value)},\n  },`;
  });
  const type = 'readonly { readonly name: string; readonly unit: string; readonly value: number }[]';
  return [
    `${comment(columnsAbout(model).flatMap((line) => wrapped(line, 114)))}\nexport const columns: ${type} = [\n${rows.join('\n')}\n];`,
  ];
}

/**
 * Arrays that the functions of a robot share, and the functions with all that they call.
 * @param own their names in the module that they belong to; left out, they are exported under their own.
 */
export function straightFunctionsTypeScript(
  model: StraightModel,
  own?: (name: StraightFunctionName) => string,
): readonly [tables: readonly string[], functions: readonly string[]] {
  const printed = model.functions.map((f) => ({ f, ...printProgram(f.program, targetOf(model)) }));
  const programs = model.functions.map((f) => f.program);
  const tops = programs.flatMap(({ counts }) => counts.stumpff);
  const scratchSize = Math.max(0, ...printed.map((p) => p.scratchSize));
  const tables = [
    ...(tops.length > 0 ? [`const stumpffValues = new Float64Array(${Math.max(...tops) + 1});`] : []),
    ...(scratchSize > 0
      ? [
          `/** Values on their way between the parts of a long function. */\nconst scratch = new Float64Array(${scratchSize});`,
        ]
      : []),
  ];
  const functions = [
    ...stumpffSetsOf(programs).map((set) => stumpffFunctionTypeScript(set, targetOf(model)).trimEnd()),
    ...printed.flatMap(({ f, parts }) => functionsOf(model, f, parts, own)),
  ];
  return [tables, functions];
}

function targetOf(model: StraightModel): Target {
  const target = typescriptTarget((buffer, index) => {
    if (buffer === 'h') return buffer;
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
        : { name: buffer, type: buffer === 'h' ? 'number' : 'ArrayLike<number>' },
    ),
    ...f.outputs.map(({ name, optional }) => ({ name, type: optional ? 'Float64Array | null' : 'Float64Array' })),
  ];
}

function functionsOf(
  model: StraightModel,
  f: StraightFunctionModel,
  parts: readonly (readonly string[])[],
  own: ((name: StraightFunctionName) => string) | undefined,
): string[] {
  const name = own ? own(f.name) : f.name;
  const parameters = parametersOf(model, f);
  const about = comment(
    [`${f.summary} ${straightCostText(f)}.`, ...outputLines(f, 'null')].flatMap((l) => wrapped(l, 112)),
  );
  const whole = (lines: readonly string[]): string =>
    `${about}\n${own ? '' : 'export '}${functionText(name, parameters, [...refusals(model, f), ...lines, ...conclusion(f)], 'Status')}`;
  if (parts.length === 1) return [whole(parts[0]!)];
  const passed = parts.map((lines) => parameters.filter((p) => mentions(lines, p.name)));
  const calls = passed.map((list, i) => `${name}Part${i + 1}(${list.map((p) => p.name).join(', ')});`);
  return [...parts.map((lines, i) => functionText(`${name}Part${i + 1}`, passed[i]!, lines)), whole(calls)];
}

/** Columns of statements that are longer than a line, which has 120. */
const WIDTH = 108;

/** The status of a call whose parameters or states cannot be used. */
function refusals(model: StraightModel, f: StraightFunctionModel): string[] {
  const states = f.reads
    .filter((buffer) => buffer !== 'parameters' && buffer !== 'h')
    .map((name) => ({ name, size: inputSize(model, name) }));
  const { lines, finite } = finiteness('ofInputs', states, WIDTH);
  return [
    ...(f.reads.includes('parameters') ? ['if (checkParameters(p) !== KG_OK) return checkParameters(p);'] : []),
    ...(f.reads.includes('h') ? ['if (acceptStep(KG_OK, h) !== KG_OK) return acceptStep(KG_OK, h);'] : []),
    ...lines,
    ...(states.length > 0 ? [`if (!(${finite})) return KG_NON_FINITE;`] : []),
  ];
}

/** The status of a call that was carried out; outputs that are not finite are marked. */
function conclusion({ outputs }: StraightFunctionModel): string[] {
  const { lines, finite } = finiteness('ofOutputs', outputs, WIDTH);
  return [
    ...lines,
    `if (${finite}) return KG_OK;`,
    ...outputs.map(({ name, size }) => `mark(${name}, ${size});`),
    'return KG_UNDEFINED;',
  ];
}

function functionText(
  name: string,
  parameters: readonly Parameter[],
  lines: readonly string[],
  type: 'void' | 'Status' = 'void',
): string {
  // A leading underscore says, to reader and compiler, that the function has no use for the buffer.
  const list = parameters.map((p) => `${mentions(lines, p.name) ? p.name : `_${p.name}`}: ${p.type}`);
  const short = `function ${name}(${list.join(', ')}): ${type} {`;
  const head =
    short.length <= 112 ? short : `function ${name}(\n${list.map((p) => `  ${p},`).join('\n')}\n): ${type} {`;
  return [head, ...lines.map((line) => `  ${line}`), '}'].join('\n');
}

function mentions(lines: readonly string[], name: string): boolean {
  const word = new RegExp(`\\b${name}\\b`);
  return withoutComments(lines).some((line) => word.test(line));
}
