/**
 * The straight-line functions of a robot in WGSL, in single precision: a shader module with functions of one state and kernels over
 * many, and a module in JavaScript with types that runs them.
 */
import {
  ALWAYS_BELOW,
  inverseFactorial,
  inverseProduct,
  largestFromAbove,
  seriesTerms,
  stumpffRoom,
} from '../../runtime/stumpff.ts';
import { KanegenError } from '../../common/error.ts';
import { optionName } from '../../straight/straight-robot.ts';
import { loadTemplates } from '../c-language/templates.ts';
import { provenance } from '../modules/header.ts';
import type { GeneratedFile } from '../modules/robot-model.ts';
import { camelCase, commentText, pascalCase, wrapped } from '../naming/identifiers.ts';
import { inColumns } from '../naming/statement-lines.ts';
import { printProgram, mentions, type Target } from '../printing/print-arithmetic.ts';
import { LARGEST_ANGLE, reducedAngleWgsl } from '../printing/sine-cosine.ts';
import { HIGHEST_ARGUMENT } from '../printing/stumpff-polynomials.ts';
import { stumpffFunctionWgsl, stumpffSetsOf } from '../printing/stumpff-functions.ts';
import { outputLines, straightHeader, functionCName } from '../whole-robot/straight-header.ts';
import { programsOf, type StraightModel } from '../whole-robot/straight-model.ts';
import { isActuated, kernelsOf, steppersOf, type Kernel } from './kernels.ts';
import { literal, wgslTarget } from './wgsl-language.ts';

/** @throws KanegenError `no-wgsl` for functions that close loops, and for numbers beyond single precision. */
export async function wgslFiles(given: StraightModel): Promise<GeneratedFile[]> {
  const model = { ...given, columns: [] };
  demandOpen(model);
  const render = await loadTemplates('wgsl');
  const { name, robot } = model.robot;
  const file = `${name}_straight`;
  const kernels = kernelsOf(model).map((kernel) => kernelData(model, kernel));
  const sets = stumpffSetsOf(model.functions.flatMap(programsOf));
  const orders = Math.max(0, ...sets.map(({ top }) => stumpffRoom(top)));
  const plain = wgslTarget(new Set());
  const functions = [
    ...sets.map((set) => stumpffFunctionWgsl(set, plain, 'KG_ORDERS')),
    ...kernels.map((own) => own.definition),
  ].join('\n');
  const data = {
    name,
    file,
    robot: pascalCase(name),
    provenance: provenance(model.robot),
    header: straightHeader(model, functionCName),
    n: robot.coordinates.length,
    nu: robot.actuators.length,
    actuated: isActuated(model),
    kernels,
    steppers: steppersOf(model).map((own) => ({ ...own, method: camelCase(`${own.name}_rollout`) })),
    parameters: model.parameters,
    check: checkLines(model),
    functions,
    orders,
    calls: (own: string) => functions.includes(`${own}(`),
    turned: reducedAngleWgsl(plain, 'x'),
    stumpff: orders > 0 ? stumpffData(plain, orders) : undefined,
    largestAngle: literal(LARGEST_ANGLE.single),
    array: (size: number) => `array<f32, ${size}>`,
    loaded,
    indices: (size: number) => Array.from({ length: size }, (_, i) => i),
  };
  return [
    { path: `${file}.wgsl`, text: render('straight.wgsl', data) },
    { path: `${file}_webgpu.js`, text: render('webgpu.js', data) },
    { path: `${file}_webgpu.d.ts`, text: render('webgpu.d.ts', data) },
  ];
}

function demandOpen({ robot, functions }: StraightModel): void {
  const closed = functions.filter(({ closing }) => closing).map((own) => optionName(own.name));
  if (closed.length === 0) return;
  const open = functions.filter(({ closing }) => !closing).map((own) => optionName(own.name));
  throw new KanegenError(
    'no-wgsl',
    `${closed.join(', ')} of \`${robot.robot.name}\` ${closed.length > 1 ? 'close' : 'closes'} loops, which kernels in WGSL do not`,
    {
      remedy:
        open.length > 0
          ? `write --functions ${open.join(',')}, or \`cuda\` in place of \`wgsl\``
          : 'write other --functions, or `cuda` in place of `wgsl`',
    },
  );
}

interface KernelData extends Kernel {
  readonly definition: string;
}

function kernelData(model: StraightModel, kernel: Kernel): KernelData & object {
  const { keeps, numbers, inputs, changed, written } = kernel;
  const isChanged = (name: string): boolean => changed.some((own) => own.name === name);
  let at = 0;
  // Where numbers stand among those that are given, in units of the number of states.
  const placed = [...inputs, ...changed].map((own) => {
    at += own.size;
    return { ...own, first: at - own.size };
  });
  let to = 0;
  const results = written.map((own) => {
    to += own.size;
    return { ...own, first: to - own.size, isChanged: isChanged(own.name) };
  });
  return {
    ...kernel,
    definition: definitionOf(model, kernel),
    ...{
      method: camelCase(kernel.name),
      summaryLines: wrapped(commentText(kernel.summary), 100),
      placed,
      results,
      given: at,
      found: to,
      call: [
        ...(keeps ? ['p'] : []),
        ...numbers.map((own) => `batch.${own}`),
        ...inputs.map(({ name }) => name),
        ...written.map(({ name }) => `&${name}`),
      ].join(', '),
    },
  };
}

/** `array<f32, 2>(kg_given(4u, state), kg_given(5u, state))` on as many lines as it takes. @param first a number, or the name of one. */
function loaded(first: number | string, size: number): string {
  const place = (i: number): string => (typeof first === 'number' ? `${first + i}u` : `${first} + ${i}u`);
  const values = Array.from({ length: size }, (_, i) => `kg_given(${place(i)}, state)`);
  return `array<f32, ${size}>(${inColumns(values, 88).join('\n    ')})`;
}

const finite = (values: readonly string[]): string[] =>
  wrapped(values.map((value) => `kg_is_finite(${value})`).join(' && '), 104);

const entries = (name: string, size: number): string[] => Array.from({ length: size }, (_, i) => `${name}[${i}]`);

function unless(values: readonly string[], otherwise: string): string[] {
  const lines = finite(values);
  return [
    ...lines.map((line, i) => `${i === 0 ? 'if (!(' : '  '}${line}${i === lines.length - 1 ? ')) {' : ''}`),
    `  ${otherwise}`,
    '}',
  ];
}

/** The function of one state, with the parts that it is cut into. */
function definitionOf(model: StraightModel, { name, of, keeps, numbers, inputs, changed, written }: Kernel): string {
  const isPointer = new Set(of.outputs.map((own) => own.name));
  const target: Target = wgslTarget(isPointer);
  const { parts, scratchSize } = printProgram(of.program, target);
  const parameters = [
    ...(keeps ? [{ name: 'p', type: `array<f32, ${model.parameters.length}>`, passed: 'p' }] : []),
    ...numbers.map((own) => ({ name: own, type: 'f32', passed: own })),
    ...inputs.map((own) => ({ name: own.name, type: `array<f32, ${own.size}>`, passed: own.name })),
    ...written.map((own) => ({ name: own.name, type: `ptr<function, array<f32, ${own.size}>>`, passed: own.name })),
  ];
  const passable = [
    ...parameters,
    { name: 'scratch', type: `ptr<function, array<f32, ${scratchSize}>>`, passed: '&scratch' },
  ];
  const apart: string[] = [];
  const lines =
    parts.length === 1
      ? withStumpff(parts[0]!)
      : parts.map((part) => {
          const own = `${name}_part${apart.length + 1}`;
          const read = passable.filter((one) => mentions(part, one.name));
          apart.push(text(`fn ${own}`, read, '', withStumpff(part)));
          return `${own}(${read.map(({ passed }) => passed).join(', ')});`;
        });
  const read = [
    ...numbers,
    ...inputs.flatMap((own) => entries(own.name, own.size)),
    ...changed.flatMap((own) => entries(`(*${own.name})`, own.size)),
  ];
  const results = written.flatMap((own) => entries(`(*${own.name})`, own.size));
  const about = [
    ...wrapped(commentText(of.summary), 112),
    ...outputLines({ ...of, outputs: of.outputs.map((own) => ({ ...own, optional: false })) }, '').flatMap((line) =>
      wrapped(line, 112),
    ),
  ];
  return [
    ...apart,
    text(`${about.map((line) => `// ${line}`).join('\n')}\nfn ${name}`, parameters, ' -> u32', [
      ...(keeps ? ['let refused = kg_check(p);', 'if (refused != KG_OK) {', '  return refused;', '}'] : []),
      ...(read.length > 0 ? unless(read, 'return KG_NON_FINITE;') : []),
      ...(numbers.includes('h') ? ['if (!(h > 0.0f)) {', '  return KG_OUT_OF_RANGE;', '}'] : []),
      ...(parts.length > 1 ? [`var scratch: array<f32, ${scratchSize}>;`] : []),
      ...lines,
      ...unless(results, 'return KG_UNDEFINED;'),
      'return KG_OK;',
    ]),
  ].join('\n');
}

function text(
  head: string,
  parameters: readonly { readonly name: string; readonly type: string }[],
  type: string,
  lines: readonly string[],
): string {
  const list = parameters.map((own) => `${own.name}: ${own.type}`);
  const columns = inColumns(list, 100).map((line) => `    ${line}`);
  return `${head}(\n${columns.join('\n')})${type} {\n${lines.map((line) => `  ${line}`).join('\n')}\n}\n`;
}

const withStumpff = (lines: readonly string[]): string[] => [
  ...(lines.some((line) => line.includes('stumpff_values')) ? ['var stumpff_values: array<f32, KG_ORDERS>;'] : []),
  ...lines,
];

/** Parameters finite, then within their bounds. */
function checkLines({ robot, parameters }: StraightModel): string[] {
  if (parameters.length === 0) return [];
  const outside = parameters.flatMap(({ member, index }, i) => {
    const own = index === undefined ? robot.members.find(({ name }) => name === member) : undefined;
    return [
      ...(own?.lower === undefined ? [] : [`p[${i}] < ${literal(own.lower)}`]),
      ...(own?.upper === undefined ? [] : [`p[${i}] > ${literal(own.upper)}`]),
    ];
  });
  return [
    ...unless(entries('p', parameters.length), 'return KG_NON_FINITE;'),
    ...outside.flatMap((isOutside) => [`if (${isOutside}) {`, '  return KG_OUT_OF_RANGE;', '}']),
  ];
}

/** Tables of the general Stumpff functions, as far as orders of this robot reach. */
function stumpffData(target: Target, orders: number): object {
  const terms = (largest: (order: number) => number): number[] =>
    Array.from({ length: orders }, (_, k) => seriesTerms(k, largest(k), 1e-8));
  const [below, above] = [terms(() => HIGHEST_ARGUMENT), terms(largestFromAbove)];
  const products = Math.max(...[...below, ...above].map((count, i) => (i % orders) + 1 + 2 * count)) + 1;
  const rows = (values: readonly string[]): string[] => inColumns(values, 100);
  return {
    alwaysBelow: ALWAYS_BELOW,
    factorials: rows([...inverseFactorial.slice(0, orders + 1)].map(literal)),
    factorialCount: orders + 1,
    products: rows([...inverseProduct.slice(0, products)].map(literal)),
    productCount: products,
    below: rows(below.map(String)),
    above: rows(above.map(String)),
    reduced: reducedAngleWgsl(target, 'angle', 'correction'),
  };
}
