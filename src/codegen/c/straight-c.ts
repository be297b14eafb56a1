/**
 * The straight-line functions of a robot in C99: `NAME_straight.h` and `NAME_straight.c` beside the files of the driver.
 * Pure functions of their arguments: no globals, no heap, nothing staged; values between the parts of a long function
 * lie on the stack.
 */
import { bracedFile } from '../c-language/braces.ts';
import { inRuns, withoutBraces } from '../c-language/runs.ts';
import { withoutHeadings } from '../programs/headings.ts';
import { commentBlock, commentLine, quoted } from '../c-language/source-text.ts';
import { linkedName } from '../c-language/linked-names.ts';
import { loadTemplates, type Render } from '../c-language/templates.ts';
import { cTarget, signedLiteral } from '../c-language/target.ts';
import { provenance } from '../modules/header.ts';
import { snakeCaseOf } from '../naming/identifiers.ts';
import { onLines, signature } from '../naming/statement-lines.ts';
import { printProgram, mentions, type Target } from '../printing/print-arithmetic.ts';
import type { GeneratedFile } from '../modules/robot-model.ts';
import {
  brokenName,
  columnsAbout,
  straightCostText,
  functionCName,
  outputLines,
  straightHeader,
} from '../whole-robot/straight-header.ts';
import { stumpffFunctionC, stumpffSetsOf, stumpffTableC } from '../printing/stumpff-functions.ts';
import { isNumber, type StraightFunctionName } from '../../straight/straight-robot.ts';
import {
  callStumpff,
  inputSize,
  programsOf,
  type StraightFunctionModel,
  type StraightModel,
} from '../whole-robot/straight-model.ts';

export async function generateStraightC(model: StraightModel): Promise<GeneratedFile[]> {
  return straightFilesC(model, 'straight', await loadTemplates()).map(bracedFile);
}

/** @param stem ends the name of the files, and stands before those of the functions. */
export function straightFilesC(model: StraightModel, stem: string, render: Render): GeneratedFile[] {
  const { name } = model.robot;
  const symbol = (f: string): string => `${name}_${stem}_${functionCName(f)}`;
  const data = {
    name,
    file: `${name}_${stem}`,
    guard: `${name.toUpperCase()}_${stem.toUpperCase()}_H`,
    header: straightHeader(model, functionCName).map(commentLine),
    provenance: provenance(model.robot),
    columns: columnsData(model),
    declarations: model.functions.map((f) => ({
      linked: linkedName(model.robot, symbol(f.name)),
      comment: commentBlock(`${f.summary} ${straightCostText(f)}.`, ...outputLines(f, 'NULL')),
      prototype: `${prototype(symbol(f.name), declaredParameters(model, f))};`,
    })),
    functions: straightFunctionsC(model, symbol),
    stumpff: callStumpff(model),
    loops: model.functions.some(({ closing }) => closing),
  };
  return [
    { path: `${name}_${stem}.h`, text: render('straight.h', data) },
    { path: `${name}_${stem}.c`, text: render('straight.c', data) },
  ];
}

/** The table of what the columns of the regressor are multiplied with; undefined without one. */
function columnsData(model: StraightModel): object | undefined {
  const { robot, columns } = model;
  if (columns.length === 0) return undefined;
  const table = `${robot.name}_straight_columns`;
  return {
    about: commentBlock(...columnsAbout(model)),
    linked: linkedName(robot, table),
    size: `${table.toUpperCase()}_COUNT`,
    count: columns.length,
    table,
    rows: columns.map(({ name, unit, value }) =>
      [
        brokenName(name).map(quoted).join('\n     '),
        ...[quoted(unit), signedLiteral(value), '-KG_LARGEST', 'KG_LARGEST'],
      ].join(', '),
    ),
  };
}

/**
 * The functions of a robot with all that they call.
 * @param before what stands before each: `static` where they belong to one module, which has checked what goes in.
 */
export function straightFunctionsC(
  model: StraightModel,
  symbol: (name: StraightFunctionName) => string,
  before: '' | 'static ' = '',
): string[] {
  const programs = model.functions.flatMap(programsOf);
  return [
    ...stumpffSetsOf(programs).map((set) => stumpffFunctionC(set, targetOf(model))),
    ...model.functions.flatMap((f) => functionsOf(model, f, symbol(f.name), before)),
  ];
}

/** Parameters of functions as names and types: in declarations as C++ reads them, too. */
interface Parameter {
  readonly name: string;
  readonly text: string;
}

const numberParameter = (name: string): Parameter => ({ name, text: `kg_real ${name}` });

function declaredParameters({ robot }: StraightModel, f: StraightFunctionModel): Parameter[] {
  return [
    ...f.reads.map((buffer) => {
      if (buffer === 'parameters') return { name: 'p', text: `const ${robot.name}_parameters *p` };
      return isNumber(buffer) ? numberParameter(buffer) : { name: buffer, text: `const kg_real ${buffer}[]` };
    }),
    ...f.outputs.map(({ name }) => ({ name, text: `kg_real ${name}[]` })),
  ];
}

function definedParameters({ robot }: StraightModel, f: StraightFunctionModel): Parameter[] {
  return [
    ...f.reads.map((buffer) => {
      if (buffer === 'parameters') return { name: 'p', text: `const ${robot.name}_parameters *KG_RESTRICT p` };
      return isNumber(buffer)
        ? numberParameter(buffer)
        : { name: buffer, text: `const kg_real *KG_RESTRICT ${buffer}` };
    }),
    ...f.outputs.map(({ name }) => ({ name, text: `kg_real *KG_RESTRICT ${name}` })),
  ];
}

function functionsOf(
  model: StraightModel,
  f: StraightFunctionModel,
  symbol: string,
  storage: '' | 'static ',
): string[] {
  const isOwn = storage !== '';
  const halves = programsOf(f).map((program) =>
    printProgram(isOwn ? withoutHeadings(program) : program, targetOf(model)),
  );
  const scratchSize = Math.max(...halves.map((half) => half.scratchSize));
  const parameters = definedParameters(model, f);
  const arrays = [...(f.closing?.arrays ?? [])].map(([name, size]) => ({ name: snakeCaseOf(name), size }));
  const passable = [
    ...parameters,
    ...[...arrays.map(({ name }) => name), 'scratch'].map((name) => ({ name, text: `kg_real *KG_RESTRICT ${name}` })),
  ];
  const apart: string[] = [];
  const [before, after] = halves.map(({ parts: printed }): readonly string[] => {
    const parts = isOwn ? printed.map((lines) => withoutBraces(inRuns(lines))) : printed;
    if (parts.length === 1) return withStumpff(parts[0]!);
    return parts.map((lines) => {
      const part = `${functionCName(f.name)}_part${apart.length + 1}`;
      const passed = passable.filter((p) => mentions(lines, p.name));
      apart.push(definition(`static ${prototype(part, passed, 'void')}`, withStumpff(lines)));
      return `${part}(${passed.map((p) => p.name).join(', ')});`;
    });
  });
  // Parts may have nothing to hand over, and C has no arrays without entries.
  const declared = [...arrays, ...(scratchSize > 0 ? [{ name: 'scratch', size: scratchSize }] : [])];
  const block = (lines: readonly string[]): string[] => ['{', ...lines.map((line) => `  ${line}`), '}'];
  const lines = after ? [...block(before!), ...closingCalls(f), ...block(after)] : before!;
  const unread = parameters.filter(({ name }) => !mentions(lines, name)).map(({ name }) => `(void)${name};`);
  return [
    ...apart,
    definition(`${storage}${prototype(symbol, parameters)}`, [
      ...declared.map(({ name, size }) => `kg_real ${name}[${size}];`),
      ...(isOwn ? unread : refusals(model, f)),
      ...lines,
      ...(isOwn && f.judged === false ? ['return KG_OK;'] : conclusion(f)),
    ]),
  ];
}

/** What closes the loops between two halves of a function. */
function closingCalls({ closing }: StraightFunctionModel): string[] {
  const { rows, isStrict, isStep, isYielding, arrays } = closing!;
  const giving = isYielding ? 'loop_kinds, loop_softness' : 'loop_targets, loop_targets';
  return [
    ...(isYielding
      ? [
          `kg_clear(loop_taut, ${rows + 1});`,
          `kg_yield_loops(${rows}, ${isStep ? '1, h' : '0, KG_REAL(0.0)'}, loop_stiffness, loop_damping, loop_ropes, loop_taut, loop_residuals,`,
          '               loop_rates, loop_kinds, loop_softness, loop_targets, loop_multipliers);',
        ]
      : []),
    `${arrays.has('loopRank') ? 'loop_rank[0] = (kg_real)' : '(void)'}kg_close_loops(${rows}, ${arrays.get('loopPivots')!}, loop_columns, loop_pivots, free_quotients,`,
    `                                       loop_targets, ${Number(isStrict)}, ${Number(isYielding)}, ${giving},`,
    '                                       loop_work, loop_multipliers);',
    ...(isStrict ? ['if (loop_rank[0] < KG_REAL(0.0))', '  return KG_CONTRADICTORY;'] : []),
  ];
}

function targetOf(model: StraightModel): Target {
  const target = cTarget((buffer, index) => {
    if (isNumber(buffer)) return buffer;
    if (buffer !== 'parameters') return `${/^(loop|free)/.test(buffer) ? snakeCaseOf(buffer) : buffer}[${index}]`;
    const { member, index: entry } = model.parameters[index]!;
    return entry === undefined ? `p->${member}` : `p->${member}[${entry}]`;
  });
  return { ...target, isWanted: (buffer) => `${buffer} != NULL` };
}

/** The status of a call whose parameters or states cannot be used. */
function refusals(model: StraightModel, f: StraightFunctionModel): string[] {
  const { robot } = model;
  const n = robot.robot.coordinates.length;
  const steps = f.reads.includes('h');
  const states = f.reads.filter((buffer) => buffer !== 'parameters' && !isNumber(buffer));
  const numbers = f.reads.filter((buffer) => buffer !== 'h' && isNumber(buffer));
  const finite =
    states.length === 3
      ? `kg_finite_state(${states.join(', ')}, ${n})`
      : states.map((buffer) => `kg_finite(${buffer}, ${inputSize(model, buffer)})`).join(' && ');
  return [
    ...(f.reads.includes('parameters')
      ? [`if (${robot.name}_check(p) != KG_OK)`, `  return ${robot.name}_check(p);`]
      : []),
    ...(steps ? ['if (kg_accept_step(KG_OK, h) != KG_OK)', '  return kg_accept_step(KG_OK, h);'] : []),
    ...(numbers.length > 0
      ? [`if (!(${numbers.map((buffer) => `kg_finite(&${buffer}, 1)`).join(' && ')}))`, '  return KG_NON_FINITE;']
      : []),
    ...(states.length > 0 ? [`if (!(${finite}))`, '  return KG_NON_FINITE;'] : []),
  ];
}

/** The status of a call that was carried out; outputs that are not finite are marked. */
function conclusion({ outputs }: StraightFunctionModel): string[] {
  const finite = outputs.map(({ name, size, optional }) =>
    optional ? `(${name} == NULL || kg_finite(${name}, ${size}))` : `kg_finite(${name}, ${size})`,
  );
  return [
    ...onLines(`if (${finite.join(' && ')})`, 110),
    '  return KG_OK;',
    ...outputs.map(({ name, size }) => `kg_mark(${name}, ${size});`),
    'return KG_UNDEFINED;',
  ];
}

/** The statements after a table for the Stumpff functions of one argument, when they need one. */
function withStumpff(lines: readonly string[]): readonly string[] {
  return [...stumpffTableC(lines), ...lines];
}

function prototype(symbol: string, parameters: readonly Parameter[], type = 'kg_status'): string {
  return signature(
    `${type} ${symbol}(`,
    parameters.map((p) => p.text),
  );
}

function definition(head: string, lines: readonly string[]): string {
  return `${head}\n{\n${lines.map((line) => `  ${line}`).join('\n')}\n}\n`;
}
