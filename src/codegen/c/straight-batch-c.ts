/**
 * Inverse and forward dynamics and implicit steps of many states at once in C99, beside the straight-line functions:
 * `NAME_straight_batch.h` and `.c`, `NAME_straight_forward_batch.h` and `.c`, `NAME_straight_implicit_batch.h` and `.c`.
 * Structure of arrays, `q[coordinate * count + state]`. As many states as fit a vector register are computed side by
 * side, without branches and calls, on the vector types of gcc and clang (their loop vectorisers give up on programs of
 * this length); other compilers get plain numbers. States outside the range of the polynomials are computed again one by
 * one.
 */
import { branchFree, NAMED_CONSTANTS, RANGE } from '../printing/branch-free.ts';
import { linkedName } from '../c-language/linked-names.ts';
import { braced } from '../c-language/braces.ts';
import { loadTemplates } from '../c-language/templates.ts';
import { commentBlock, withinColumns } from '../c-language/source-text.ts';
import { cTarget } from '../c-language/target.ts';
import { provenance } from '../modules/header.ts';
import { snakeCaseOf } from '../naming/identifiers.ts';
import { signature } from '../naming/statement-lines.ts';
import { hasLane, laneSpelling, lanesData, laneStatement } from '../c-language/lane-statements.ts';
import type { Target } from '../printing/print-arithmetic.ts';
import type { Program } from '../programs/program.ts';
import type { Tree } from '../programs/statement.ts';
import type { GeneratedFile } from '../modules/robot-model.ts';
import { namesIn } from '../programs/slots.ts';
import { splitProgram, type ProgramPart } from '../printing/split.ts';
import {
  batchForms,
  type BatchForm,
  type StraightFunctionModel,
  type StraightModel,
} from '../whole-robot/straight-model.ts';

/** Operations in one function: long ones keep more values in registers. */
const PART_LIMIT = 8000;

/** Nothing when the robot has none of them in straight-line form. */
export async function generateStraightBatchC(model: StraightModel): Promise<GeneratedFile[]> {
  const render = await loadTemplates();
  const { name } = model.robot;
  return batchForms(model).flatMap((form) => {
    const f = model.functions.find((one) => one.name === form.name)!;
    const file = `${name}_${form.file}`;
    const data = { ...batchData(model, f, form, file, render), name, file, provenance: provenance(model.robot) };
    return ['h', 'c'].map((kind) => ({
      path: `${file}.${kind}`,
      text: braced(withinColumns(render(`straight_batch.${kind}`, data))),
    }));
  });
}

interface Parameter {
  readonly name: string;
  readonly text: string;
}

function batchData(
  model: StraightModel,
  f: StraightFunctionModel,
  { about }: BatchForm,
  file: string,
  render: (template: string, data: object) => string,
): object {
  const { name, robot } = model.robot;
  const keeps = f.reads.includes('parameters');
  const p: Parameter[] = keeps ? [{ name: 'p', text: `const ${name}_parameters *p` }] : [];
  const steps = f.reads.includes('h');
  const h: Parameter[] = steps ? [{ name: 'h', text: 'kg_real h' }] : [];
  const inputs = f.reads.filter((buffer) => buffer !== 'parameters' && buffer !== 'h');
  const outputs = f.outputs.map((output) => output.name);
  const read = inputs.map((buffer): Parameter => ({ name: buffer, text: `const kg_real *KG_RESTRICT ${buffer}` }));
  const stride: Parameter = { name: 'stride', text: 'size_t stride' };
  const results = outputs.map((output): Parameter => ({ name: output, text: `kg_real *KG_RESTRICT ${output}` }));
  const local = ['scratch', RANGE].map((buffer): Parameter => ({
    name: buffer,
    text: `kg_real *KG_RESTRICT ${buffer}`,
  }));
  const program = branchFree(f.program);
  const { parts, scratchSize } = partsOf(model, program, outputs);
  const passed = parts.map((lines) =>
    [...p, ...h, stride, ...read, ...local, ...results].filter((q) => mentions(lines, q.name)),
  );
  const single = `${name}_straight_${snakeCaseOf(f.name)}`;
  const symbol = `${single}_batch`;
  const head = `kg_status ${symbol}(`;
  const publicParameters = [
    ...p.map((q) => q.text),
    'size_t count',
    ...h.map((own) => own.text),
    ...inputs.map((buffer) => `const kg_real ${buffer}[]`),
    ...outputs.map((output) => `kg_real ${output}[]`),
  ];
  const [passedP, passedH] = [keeps ? ['p'] : [], steps ? ['h'] : []];
  const blocks = outputs.map((output) => `${output}_block`);
  const argumentsOf = (suffix: string): string[] => inputs.map((buffer) => `${buffer}${suffix}`);
  return {
    guard: `${file.toUpperCase()}_H`,
    single,
    outputs,
    about,
    linked: linkedName(model.robot, symbol),
    keeps,
    steps,
    n: robot.coordinates.length,
    lanes: render(
      'lanes.c',
      lanesData(program.statements, { inLoops: false, hasSums: false, hasStores: true }),
    ).trimEnd(),
    comment: commentBlock(
      `${about} of count states: ${inputs.join(', ')}${outputs.length > 1 ? ', ' : ' and '}${outputs.join(' and ')} ` +
        `hold number i of state s at i * count + s. Arrays must not overlap` +
        (steps ? ', but for q_next, which may be q, and qd_next, which may be qd.' : '.'),
    ),
    prototype: `${signature(head, publicParameters)};`,
    head: signature(head, publicParameters),
    head_calls: {
      full: [...passedP, ...passedH, 'count', ...argumentsOf(' + first'), ...blocks].join(', '),
      rest: [...passedP, ...passedH, 'LANES', ...argumentsOf('_rest'), ...blocks].join(', '),
    },
    functions: parts.map((lines, i) => partFunction(`part${i + 1}`, passed[i]!, lines)),
    scratchSize,
    alone: {
      parameters: [...p, ...h, stride, ...read, { name: 'stride_out', text: 'size_t stride_out' }, ...results]
        .map((q) => q.text)
        .join(', '),
      inputs,
      call: [...passedP, ...passedH, ...inputs.map((b) => `${b}_one`), ...outputs.map((b) => `${b}_one`)].join(', '),
    },
    block: {
      parameters: [...p, ...h, stride, ...read, ...results].map((q) => q.text).join(', '),
      calls: passed.map((list, i) => `part${i + 1}(${list.map((q) => q.name).join(', ')});`),
      alone: [
        ...passedP,
        ...passedH,
        'stride',
        ...inputs.map((buffer) => `${buffer} + lane`),
        'LANES',
        ...outputs.map((output) => `${output} + lane`),
      ].join(', '),
    },
  };
}

function partsOf(
  model: StraightModel,
  program: Program,
  outputs: readonly string[],
): { parts: string[][]; scratchSize: number } {
  const { parts, scratchSize } = splitProgram(program, PART_LIMIT);
  const target = laneTarget(model, outputs);
  return {
    scratchSize,
    parts: parts.map((part) => linesOf(part, target)),
  };
}

/** Inputs are read where they are first used, so that they do not wait in registers. */
function linesOf({ loads, statements }: ProgramPart, target: Target): string[] {
  const pending = new Map(loads.map((load) => [load.name, load.place]));
  return statements.flatMap((statement) => {
    const first = namesIn([statement]).filter((name) => pending.has(name));
    const reads = first.map((name) => target.declare(name, target.read(pending.get(name)!)));
    first.forEach((name) => pending.delete(name));
    return [...reads, laneStatement(statement, target, isLane)];
  });
}

function laneTarget(model: StraightModel, outputs: readonly string[]): Target {
  const offset = (index: number, stride: string): string => (index === 0 ? '0' : `${index} * ${stride}`);
  const target = cTarget((buffer, index) => {
    if (buffer === RANGE) return RANGE;
    if (buffer === 'h') return 'BROADCAST(h)';
    if (outputs.includes(buffer)) return `${buffer} + ${offset(index, 'LANES')}`;
    if (buffer !== 'parameters') return `lanes_load(${buffer} + ${offset(index, 'stride')})`;
    const { member, index: entry } = model.parameters[index]!;
    return `BROADCAST(p->${entry === undefined ? member : `${member}[${entry}]`})`;
  });
  return { ...laneSpelling(target), scratch: (index) => `scratch + ${offset(index, 'LANES')}` };
}

/** Names of literals and numbers are none; everything else of a batch is a vector. */
function isLane(tree: Tree): boolean {
  return hasLane(tree, (leaf) => leaf.kind === 'load' || !(leaf.name in NAMED_CONSTANTS));
}

function mentions(lines: readonly string[], name: string): boolean {
  const word = new RegExp(`\\b${name}\\b`);
  return lines.some((line) => word.test(line));
}

function partFunction(name: string, parameters: readonly Parameter[], lines: readonly string[]): string {
  const head = signature(
    `static void ${name}(`,
    parameters.map((q) => q.text),
  );
  return `${head}\n{\n${lines.map((line) => `  ${line}`).join('\n')}\n}\n`;
}
