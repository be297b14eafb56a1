/**
 * Functions that evaluate one set of Stumpff functions of one argument, specialised to the orders that are wanted: below
 * π² the highest order of each wanted parity by a polynomial, the others by the recurrence c_k = 1/k! − x c_(k+2) going
 * down; elsewhere the general function of the run time.
 *
 * A module that evaluates Stumpff functions holds one such function for each set it needs (`stumpffSetsOf`). The
 * statements are the same in every target, so that all targets agree bit for bit.
 */
import { inverseFactorial, stumpffRoom } from '../../runtime/stumpff.ts';
import { wrapped } from '../naming/identifiers.ts';
import { decimalText, printProgram, type Target } from './print-arithmetic.ts';
import type { Program } from '../programs/program.ts';
import { blocksOf, type Statement, type Tree } from '../programs/statement.ts';
import { number } from '../programs/tree.ts';
import { setOf, stumpffSet, type StumpffSet } from './stumpff-set.ts';
import { HIGHEST_ARGUMENT, LOWEST_ARGUMENT, stumpffPolynomial, type Precision } from './stumpff-polynomials.ts';

/**
 * The sets that programs evaluate, each once, by name. Requests that differ in their tops may share a name (c_1 below
 * tops 2 and 3 is had from c_3): the function then writes the orders of the highest.
 */
export function stumpffSetsOf(programs: readonly Program[]): StumpffSet[] {
  const sets = new Map<string, StumpffSet>();
  const visit = (statement: Statement): void => {
    if (statement.kind === 'stumpff') {
      const set = setOf(statement);
      if (set.top > (sets.get(set.name)?.top ?? 0)) sets.set(set.name, set);
    }
    for (const block of blocksOf(statement)) block.forEach(visit);
  };
  for (const program of programs) program.statements.forEach(visit);
  return [...sets.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Additions and multiplications executed below π² for the wanted orders, when the highest of them is the top. */
export function stumpffOperations(orders: readonly number[]): { readonly add: number; readonly multiply: number } {
  let each = 0;
  for (const { lowest, highest } of stumpffSet(Math.max(2, ...orders), orders).ladders)
    each += stumpffPolynomial(highest, 'double').length - 1 + (highest - lowest) / 2;
  return { add: each, multiply: each };
}

/**
 * Statements that name c_k(x) for every order of the set, valid for LOWEST_ARGUMENT ≤ x < HIGHEST_ARGUMENT.
 * @param nameOf name of a value: of c_k for `nameOf(k, 0)`, of a step on the way to its polynomial for positive steps.
 */
export function stumpffStatements(
  { ladders }: StumpffSet,
  x: Tree,
  nameOf: (order: number, step: number) => string,
  precision: Precision,
): Statement[] {
  const statements: Statement[] = [];
  const define = (name: string, value: Tree): Tree => {
    statements.push({ kind: 'let', name, value });
    return { kind: 'name', name };
  };
  for (const { lowest, highest } of ladders) {
    const coefficients = [...stumpffPolynomial(highest, precision)].reverse();
    let value: Tree = number(coefficients[0]!);
    for (let i = 1; i < coefficients.length; i++) {
      value = plusNumber({ kind: 'multiply', left: value, right: x }, coefficients[i]!);
      const isFull = i % 2 === 1 && i < coefficients.length - 1;
      if (isFull) value = define(nameOf(highest, (i + 1) / 2), value);
    }
    value = define(nameOf(highest, 0), value);
    for (let k = highest - 2; k >= lowest; k -= 2) {
      const factorial = precision === 'single' ? Math.fround(inverseFactorial[k]!) : inverseFactorial[k]!;
      const product: Tree = { kind: 'multiply', left: x, right: value };
      value = define(nameOf(k, 0), { kind: 'subtract', left: number(factorial), right: product });
    }
  }
  return statements;
}

function plusNumber(tree: Tree, value: number): Tree {
  return value < 0
    ? { kind: 'subtract', left: tree, right: number(-value) }
    : { kind: 'add', left: tree, right: number(value) };
}

// ---------------------------------------------------------------------------------------------- printing

/** Orders that the function writes, ascending. */
function ordersOf({ ladders, top }: StumpffSet): number[] {
  return ladders
    .flatMap(({ lowest, highest }) =>
      Array.from({ length: (highest - lowest) / 2 + 1 }, (_, i) => lowest + 2 * i).filter((order) => order <= top),
    )
    .sort((a, b) => a - b);
}

/** Statements from x to c[k], indented. */
function bodyOf(set: StumpffSet, target: Target, precision: Precision): string[] {
  const x: Tree = { kind: 'name', name: 'x' };
  const nameOf = (order: number, step: number): string => (step === 0 ? `c${order}` : `c${order}_${step}`);
  const stores = ordersOf(set).map((order): Statement => ({
    kind: 'store',
    place: { buffer: 'c', index: order },
    value: { kind: 'name', name: nameOf(order, 0) },
  }));
  const statements = [...stumpffStatements(set, x, nameOf, precision), ...stores];
  const counts = { add: 0, multiply: 0, divide: 0, sqrt: 0, call: 0, stumpff: [], loops: [] };
  const program: Program = { name: set.name, reads: [], writes: ['c'], loads: [], statements, counts, slots: 0 };
  return printProgram(program, target, Infinity).parts[0]!.map((line) => `  ${line}`);
}

/** Sentence that says what the function writes. */
function purposeOf(set: StumpffSet): string {
  const orders = ordersOf(set).map((order) => `c_${order}`);
  return `${orders.join(', ')} of x to the entries of their orders: polynomials below pi^2, elsewhere the general function.`;
}

/** Name in C; static, so that modules need not share it. */
export function stumpffNameC({ name }: StumpffSet): string {
  return name;
}

/** The table that the functions called in these lines of C write to, as the line that declares it. */
export function stumpffTableC(lines: readonly string[]): string[] {
  const highest = lines.flatMap((line) => (/\bstumpff_\w+\(/.exec(line)?.[0] ?? '').match(/(?<=_to_)\d+/g) ?? []);
  return highest.length > 0 ? [`kg_real stumpff_values[${Math.max(...highest.map(Number)) + 1}];`] : [];
}

export function stumpffFunctionC(set: StumpffSet, target: Target): string {
  const orders = ordersOf(set);
  const comment = wrapped(purposeOf(set), 114).map((line, i) => (i === 0 ? `/* ${line}` : ` * ${line}`));
  // The general function gets an array of its own: the caller's then never needs an address, and lives in registers.
  return `${comment.join('\n')} */
static inline void ${stumpffNameC(set)}(kg_real x, kg_real c[])
{
  if (!(x >= KG_REAL(${decimalText(LOWEST_ARGUMENT)}) && x < KG_REAL(${decimalText(HIGHEST_ARGUMENT)}))) {
    kg_real all[${stumpffRoom(set.top)}];
    kg_stumpff(x, ${set.top}, all);
${orders.map((order) => `    c[${order}] = all[${order}];`).join('\n')}
    return;
  }
#ifdef KG_SINGLE
${bodyOf(set, target, 'single').join('\n')}
#else
${bodyOf(set, target, 'double').join('\n')}
#endif
}
`;
}

/** In WGSL, in single precision. @param orders that all arrays of the module have room for. */
export function stumpffFunctionWgsl(set: StumpffSet, target: Target, orders: string): string {
  const comment = wrapped(purposeOf(set), 114).map((line) => `// ${line}`);
  return `${comment.join('\n')}
fn ${stumpffNameC(set)}(x: f32) -> array<f32, ${orders}> {
  if (!(x >= ${target.number(LOWEST_ARGUMENT)} && x < ${target.number(HIGHEST_ARGUMENT)})) {
    return kg_stumpff(x, ${set.top});
  }
  var c: array<f32, ${orders}>;
${bodyOf(set, target, 'single').join('\n')}
  return c;
}
`;
}

/** Name in TypeScript. */
export function stumpffNameTypeScript({ name }: StumpffSet): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

export function stumpffFunctionTypeScript(set: StumpffSet, target: Target): string {
  const comment = wrapped(purposeOf(set), 112).map((line) => ` * ${line}`);
  return `/**\n${comment.join('\n')}\n */
function ${stumpffNameTypeScript(set)}(x: number, c: Float64Array): void {
  if (!(x >= ${LOWEST_ARGUMENT} && x < ${HIGHEST_ARGUMENT})) {
    stumpff(x, ${set.top}, c);
    return;
  }
${bodyOf(set, target, 'double').join('\n')}
}
`;
}
