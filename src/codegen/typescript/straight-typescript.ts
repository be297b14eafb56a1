/**
 * The straight-line functions of a robot in TypeScript: `NAME_straight.ts` beside the robot's module, one exported
 * function each. The text is written ready formatted: there is little in it but arithmetic.
 */
import { pascalCase, wrapped } from '../naming/identifiers.ts';
import { printProgram, mentions, type Target } from '../printing/print-arithmetic.ts';
import type { GeneratedFile } from '../modules/robot-model.ts';
import {
  brokenName,
  columnsAbout,
  straightCostText,
  outputLines,
  straightHeader,
} from '../whole-robot/straight-header.ts';
import { isNumber, type StraightFunctionName } from '../../straight/straight-robot.ts';
import {
  callStumpff,
  inputSize,
  programsOf,
  type StraightFunctionModel,
  type StraightModel,
} from '../whole-robot/straight-model.ts';
import { stumpffRoom } from '../../runtime/stumpff.ts';
import { stumpffFunctionTypeScript, stumpffSetsOf } from '../printing/stumpff-functions.ts';
import { finiteness } from './finiteness.ts';
import { typescriptTarget } from './target.ts';
import { checkFunction, checkStatuses, comment } from './checks.ts';

/** @param stem ends the name of the file. */
export function generateStraightTypeScript(model: StraightModel, stem = 'straight'): GeneratedFile {
  const { name } = model.robot;
  const keeps = model.parameters.length > 0;
  const steps = model.functions.some((f) => f.reads.includes('h'));
  const refuses = model.functions.some(({ closing }) => closing?.isStrict);
  const statuses = `${refuses ? 'KG_CONTRADICTORY, ' : ''}${keeps ? checkStatuses(model.robot) : 'KG_NON_FINITE, KG_OK'}`;
  const closings = ['closeLoops', 'yieldLoops'].filter((name) =>
    model.functions.some((f) => closingCalls(f).includes(name)),
  );
  const [tables, functions] = straightFunctionsTypeScript(model);
  const checked = [...(keeps ? [checkFunction(model.robot)] : []), ...functions];
  const looks = checked.some((text) => text.includes('areFinite('));
  const imports = [
    `import { ${steps ? 'acceptStep, ' : ''}${looks ? 'areFinite, ' : ''}${statuses}, KG_UNDEFINED, mark, type Status } from './runtime/driver.js';`,
    ...(callStumpff(model) ? ["import { stumpff } from './runtime/stumpff.js';"] : []),
    ...(closings.length > 0 ? [`import { ${closings.join(', ')} } from './runtime/loops.js';`] : []),
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
 * @param own their names in the module that they belong to, which has checked what goes in; left out, they are exported under
 * their own, and check it.
 */
export function straightFunctionsTypeScript(
  model: StraightModel,
  own?: (name: StraightFunctionName) => string,
): readonly [tables: readonly string[], functions: readonly string[]] {
  const printed = model.functions.map((f) => ({
    f,
    halves: programsOf(f).map((own) => printProgram(own, targetOf(model))),
  }));
  const programs = model.functions.flatMap(programsOf);
  const tops = programs.flatMap(({ counts }) => counts.stumpff);
  const scratchSize = Math.max(0, ...printed.flatMap(({ halves }) => halves.map((own) => own.scratchSize)));
  const closings = new Map<string, number>();
  for (const { closing } of model.functions)
    for (const [name, size] of closing?.arrays ?? []) closings.set(name, Math.max(size, closings.get(name) ?? 0));
  const tables = [
    ...(tops.length > 0 ? [`const stumpffValues = new Float64Array(${stumpffRoom(Math.max(2, ...tops))});`] : []),
    ...(scratchSize > 0
      ? [
          `/** Values on their way between the parts of a long function. */\nconst scratch = new Float64Array(${scratchSize});`,
        ]
      : []),
    ...(closings.size > 0
      ? [
          `/** Where functions that close loops are in the midst. */\n${[...closings].map(([array, size]) => `const ${array} = new Float64Array(${size});`).join('\n')}`,
        ]
      : []),
  ];
  const functions = [
    ...stumpffSetsOf(programs).map((set) => stumpffFunctionTypeScript(set, targetOf(model)).trimEnd()),
    ...printed.flatMap(({ f, halves }) =>
      functionsOf(
        model,
        f,
        halves.map(({ parts }) => parts),
        own,
      ),
    ),
  ];
  return [tables, functions];
}

function targetOf(model: StraightModel): Target {
  const target = typescriptTarget((buffer, index) => {
    if (isNumber(buffer)) return buffer;
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
        : { name: buffer, type: isNumber(buffer) ? 'number' : 'ArrayLike<number>' },
    ),
    ...f.outputs.map(({ name, optional }) => ({ name, type: optional ? 'Float64Array | null' : 'Float64Array' })),
  ];
}

/** What closes the loops between two halves of a function; its statements. */
function closingCalls({ closing }: StraightFunctionModel): string {
  if (!closing) return '';
  const { rows, isStrict, isStep, isYielding, arrays } = closing;
  const giving = isYielding ? 'loopKinds, loopSoftness' : 'loopTargets, loopTargets';
  return [
    ...(isYielding
      ? [
          `yieldLoops(\n  ${rows}, ${isStep ? '1, h' : '0, 0'}, loopStiffness, loopDamping, loopRopes, loopTaut, loopResiduals, loopRates,`,
          '  loopKinds, loopSoftness, loopTargets, loopMultipliers,\n);',
        ]
      : []),
    `${arrays.has('loopRank') ? 'loopRank[0] = ' : ''}closeLoops(\n  ${rows}, ${arrays.get('loopPivots')!}, loopColumns, loopPivots, freeQuotients, loopTargets,`,
    `  ${isStrict}, ${isYielding}, ${giving}, loopWork, loopMultipliers,\n);`,
    ...(isStrict ? ['if (loopRank[0] < 0) return KG_CONTRADICTORY;'] : []),
  ].join('\n');
}

function functionsOf(
  model: StraightModel,
  f: StraightFunctionModel,
  halves: readonly (readonly (readonly string[])[])[],
  own: ((name: StraightFunctionName) => string) | undefined,
): string[] {
  const name = own ? own(f.name) : f.name;
  const parameters = parametersOf(model, f);
  const about = comment(
    [`${f.summary} ${straightCostText(f)}.`, ...outputLines(f, 'null')].flatMap((l) => wrapped(l, 112)),
  );
  const whole = (lines: readonly string[]): string =>
    `${about}\n${own ? '' : 'export '}${functionText(name, parameters, [...(own ? unread(lines) : refusals(model, f)), ...lines, ...(own && f.judged === false ? ['return KG_OK;'] : conclusion(f))], 'Status')}`;
  const unread = (lines: readonly string[]): string[] =>
    parameters.filter((p) => !mentions(lines, p.name)).map((p) => `void ${p.name};`);
  const apart: string[] = [];
  const [before, after] = halves.map((parts): readonly string[] => {
    if (parts.length === 1) return parts[0]!;
    return parts.map((lines) => {
      const part = `${name}Part${apart.length + 1}`;
      const passed = parameters.filter((p) => mentions(lines, p.name));
      apart.push(functionText(part, passed, lines));
      return `${part}(${passed.map((p) => p.name).join(', ')});`;
    });
  });
  const block = (lines: readonly string[]): string[] => ['{', ...lines.map((line) => `  ${line}`), '}'];
  const lines = after ? [...block(before!), ...closingCalls(f).split('\n'), ...block(after)] : before!;
  return [...apart, whole(lines)];
}

/** Columns of statements that are longer than a line, which has 120. */
const WIDTH = 108;

/** The status of a call whose parameters or states cannot be used. */
function refusals(model: StraightModel, f: StraightFunctionModel): string[] {
  const states = f.reads
    .filter((buffer) => buffer !== 'parameters' && !isNumber(buffer))
    .map((name) => ({ name, size: inputSize(model, name) }));
  const { lines, finite } = finiteness('ofInputs', states, WIDTH);
  const numbers = f.reads.filter((buffer) => buffer !== 'h' && isNumber(buffer));
  return [
    ...(f.reads.includes('parameters') ? ['if (checkParameters(p) !== KG_OK) return checkParameters(p);'] : []),
    ...(f.reads.includes('h') ? ['if (acceptStep(KG_OK, h) !== KG_OK) return acceptStep(KG_OK, h);'] : []),
    ...numbers.map((buffer) => `if (!Number.isFinite(${buffer})) return KG_NON_FINITE;`),
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
