/** Statics of a rod in C: `NAME_rod_statics.h` and `.c`, its sections as straight-line code, the rest translated from the run time. */
import { bracedFile } from '../c-language/braces.ts';
import type { BesideC } from '../c/c.ts';
import { linkedName } from '../c-language/linked-names.ts';
import { commentLine, tableC, withinColumns } from '../c-language/source-text.ts';
import { cTarget, signedLiteral } from '../c-language/target.ts';
import { loadTemplates } from '../c-language/templates.ts';
import { packageFile } from '../modules/assets.ts';
import type { GeneratedFile } from '../modules/robot-model.ts';
import { snakeCaseOf } from '../naming/identifiers.ts';
import { inColumns, signature, WIDTH } from '../naming/statement-lines.ts';
import { decimalText, printProgram } from '../printing/print-arithmetic.ts';
import { constantsOf, routinesOf, type Type } from '../translation/subset.ts';
import { EPSILON } from '../controllers/run-time.ts';
import {
  commentC,
  functionC,
  prototypeC,
  variableName,
  type Callee,
  type Surroundings,
} from '../translation/translate-c.ts';
import { FUNCTION_SUMMARY, rodRecord, rodStaticsHeader, sizeOf, type RodStaticsModel } from './rod-statics-model.ts';

export async function rodStaticsC(model: RodStaticsModel): Promise<{ files: GeneratedFile[]; beside: BesideC }> {
  const render = await loadTemplates();
  const { robot, name, whole, given, carried } = model;
  const upper = robot.name.toUpperCase();
  const type = `${robot.name}_rod`;
  const routines = ['rod-march', 'rod-statics'].flatMap((file) => routinesOf(packageFile(`src/runtime/${file}.ts`)));
  const around = surroundings(whole, type, upper, routines);
  const nameOf = (own: string): string => around.callees.get(own)!.name;
  const data = {
    name,
    type,
    robot: robot.name,
    upper,
    epsilon: EPSILON,
    header: rodStaticsHeader(model).map(commentLine),
    summary: FUNCTION_SUMMARY,
    steps: model.steps,
    more: model.moreSteps,
    failures: inColumns(
      FAILURES.map(([own, value]) => `${upper}_ROD_${own} = ${value}`),
      WIDTH - 4,
    ),
    members: rodRecord()
      .fields.filter((own) => !(own.name in whole))
      .flatMap(({ name: field, type: kind, comment }) => [
        ...commentC(comment).split('\n').filter(Boolean),
        memberC(model, field, kind),
      ]),
    linked: linkedName(robot, name),
    prototype: signature(`kg_status ${name}(`, [
      `${type} *rod`,
      ...['gravity', 'u', 'wrench'].map((own) => `const kg_real ${own}[]`),
      ...['R', 't', 'by_inputs', 'by_wrench'].map((own) => `kg_real ${own}[]`),
    ]),
    constants: inColumns(
      [
        ...CONSTANTS.map(([own, value]) => `ROD_${own} = ${value}`),
        ...Object.entries(whole).map(([own, value]) => `${wholeName(own)} = ${value}`),
      ],
      WIDTH - 4,
    ),
    balance: sectionLines(model, 'balance'),
    rest: sectionLines(model, 'rest'),
    prototypes: routines.map((own) => `static ${prototypeC(own, nameOf(own.name), around)};`),
    functions: routines.map((own) => `${commentC(own.comment)}${functionC(own, nameOf(own.name), around, 'static ')}`),
    tables: [
      ...Object.entries(given).map(([own, values]) => tableC({ name: `rod_${variableName(own)}`, values })),
      ...(carried.length > 0 ? [tableC({ name: 'rod_carried', values: carried.flat() })] : []),
    ],
    copies: Object.entries(given).map(
      ([own, values]) => `rod_copy_numbers(${values.length}, rod_${variableName(own)}, rod->${variableName(own)});`,
    ),
    carried: carried.length,
    inputs: model.inputs,
    probe: model.probe.map(signedLiteral),
    length: decimalText(model.length),
  };
  const files = ['h', 'c'].map((kind) => ({
    path: `${name}.${kind}`,
    text: withinColumns(render(`rod-statics.${kind}`, data)),
  }));
  const beside = {
    sources: [`${name}.c`],
    headers: [`${name}.h`],
    tests: withinColumns(render('rod-statics-test.c', data)),
    calls: ['  test_rod_statics();'],
  };
  return { files: files.map(bracedFile), beside };
}

const FAILURES = [...constantsOf(packageFile('src/runtime/rod-statics.ts'))].filter(([own]) =>
  own.startsWith('FAILED'),
);
const CONSTANTS = ['rod-march', 'rod-statics']
  .flatMap((file) => [...constantsOf(packageFile(`src/runtime/${file}.ts`))])
  .filter(([own]) => !own.startsWith('FAILED'));

function memberC(model: RodStaticsModel, field: string, kind: Type): string {
  const own = variableName(field);
  if (kind === 'index') return `int ${own};`;
  if (kind === 'real') return `kg_real ${own};`;
  const { each, fixed } = sizeOf(model, field);
  // C has no arrays without entries.
  if (each === 0) return `kg_real ${own}[${Math.max(1, fixed)}];`;
  const steps = `${model.robot.name.toUpperCase()}_ROD_STEPS`;
  const all = model.moreSteps === 0 ? steps : `(${steps} + ${model.moreSteps})`;
  return `kg_real ${own}[${each === 1 ? '' : `${each} * `}${all}${fixed === 0 ? '' : ` + ${fixed}`}];`;
}

/** Statements of one section; its numbers begin at `from` and so on. */
function sectionLines(model: RodStaticsModel, program: 'balance' | 'rest'): readonly string[] {
  const target = cTarget((buffer, index) => (buffer === 's' ? 's' : `${buffer}[${index}]`));
  const own = model[program];
  const lines = printProgram(own, target, Infinity).parts[0]!;
  const unread = own.reads.filter((buffer) => !new RegExp(`\\b${buffer}\\b`).test(lines.join('\n')));
  return [...unread.map((buffer) => `(void)${buffer};`), ...lines];
}

/** Of a whole number that stays. */
const wholeName = (field: string): string => `ROD_${variableName(field).toUpperCase()}`;

function surroundings(
  whole: RodStaticsModel['whole'],
  type: string,
  upper: string,
  routines: ReturnType<typeof routinesOf>,
): Surroundings {
  const callees = new Map(
    routines.map((own) => [
      own.name,
      {
        name: `rod_${snakeCaseOf(own.name)}`,
        parameters: own.parameters.map((parameter) => parameter.type),
        result: own.result,
      },
    ]),
  );
  const ofRobot = (name: string): Callee & { readonly before: string } => ({
    name: `rod_${name}`,
    parameters: [{ record: 'Rod' }],
    result: 'void',
    before: '',
  });
  return {
    callees,
    constants: new Map([
      ...CONSTANTS.map(([own]) => [own, `ROD_${own}`] as const),
      ...FAILURES.map(([own]) => [own, `${upper}_ROD_${own}`] as const),
    ]),
    robot: new Map(['rest', 'balance'].map((own) => [own, ofRobot(own)])),
    robotParameters: { declared: '', passed: '', names: [] },
    records: new Map([
      [
        'Rod',
        {
          name: type,
          fields: new Map(rodRecord().fields.map((own) => [own.name, own.type])),
          constants: new Map(Object.keys(whole).map((own) => [own, wholeName(own)])),
        },
      ],
    ]),
  };
}
