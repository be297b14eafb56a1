/**
 * Programs printed as statements, already formatted. TypeScript and C share every rule that fixes an order of
 * operations; a target says only how it spells declarations, literals, buffers and calls.
 */
import { requireDouble } from '../../symbolic/evaluation/double.ts';
import type { FunctionName } from '../../symbolic/graph/expr.ts';
import { tick } from '../../common/work-limit.ts';
import type { Place } from '../operations/operation.ts';
import type { Annotations, Program } from '../programs/program.ts';
import type { LoopStatement, NetworkStatement, RowIntegral, Statement, Tree } from '../programs/statement.ts';
import { setOf, type StumpffSet } from './stumpff-set.ts';
import { splitProgram, LENGTH_LIMIT } from './split.ts';

export interface Target {
  declare(name: string, value: string): string;
  /** Declarations of numbers that are read one after the other, where the target has a shorter way than one by one. */
  declareReads?(reads: readonly { readonly name: string; readonly value: string }[]): string[];
  /** Declaration of a variable that both sides of a condition assign. */
  declareOpen(name: string): string;
  number(value: number): string;
  /** A number of a buffer, to be read or to be written. */
  read(place: Place): string;
  write(place: Place): string;
  sqrt(operand: string): string;
  call(name: FunctionName, operands: readonly string[]): string;
  equal: string;
  /** Call that fills the local table of Stumpff functions, and one entry of the table. */
  stumpff(argument: string, set: StumpffSet): string;
  stumpffEntry(order: number): string;
  /** Declares the sine, the cosine or both of an angle under these names. */
  sineAndCosine(argument: string, sine: string | undefined, cosine: string | undefined): string[];
  scratch(index: number): string;
  /** A variable that changes. */
  declareVariable(name: string, value: string): string;
  /** A number of the current row: of a table of constants, or of an array in a buffer, by the place of its first row. */
  readRow(place: Place): string;
  writeRow(place: Place): string;
  /** Head of a loop over rows. */
  loop(rows: number, reversed: boolean): string;
  /**
   * The same loop with several rows side by side, where the target has a way; sums are declared already.
   * @param scalar statements of one row.
   */
  lanes?(statement: LoopStatement, scalar: readonly string[]): string[] | undefined;
  /** Numbers per row that become their integrals along the rows. */
  integrate(integral: RowIntegral): string;
  /** Evaluation of a learned map, declaring the results. */
  network(statement: NetworkStatement, operands: readonly string[]): string[];
  /** A line of its own, or the end of one; targets without comments leave them out. */
  comment?(text: string): string;
  /** Condition that the caller passed an optional buffer. */
  isWanted(buffer: string): string;
}

const PRECEDENCE = { add: 1, subtract: 1, multiply: 2, divide: 2, negate: 3 } as const;
const SIGN = { add: '+', subtract: '-', multiply: '*', divide: '/' } as const;

/** The statements of each part of the program, and the size of the scratch array between the parts. */
export function printProgram(
  program: Program,
  target: Target,
  limit: number = LENGTH_LIMIT,
): { parts: string[][]; scratchSize: number } {
  const { parts, scratchSize } = splitProgram(program, limit);
  return {
    scratchSize,
    parts: parts.map((part) => [
      ...printReads(part, target),
      ...part.statements.flatMap((statement) => printStatement(statement, target, program.annotations)),
    ]),
  };
}

function printReads({ loads }: Pick<Program, 'loads'>, target: Target): string[] {
  const reads = loads.map(({ name, place }) => ({ name, value: target.read(place) }));
  return target.declareReads?.(reads) ?? reads.map(({ name, value }) => target.declare(name, value));
}

/** Columns of a line with a comment behind its statement. */
const WIDTH_WITH_NOTE = 112;

/** Columns of a statement; generated lines have 120. */
const WIDTH = 116;

/** Behind what is assigned or, where nothing is, behind an argument. */
function broken(line: string): string[] {
  if (line.length <= WIDTH) return [line];
  const [left, ...rest] = line.split(' = ');
  if (rest.length > 0) return [`${left} =`, `    ${rest.join(' = ')}`];
  const at = line.lastIndexOf(', ', WIDTH);
  return at < 0 ? [line] : [line.slice(0, at + 1), `    ${line.slice(at + 2)}`];
}

function printStatement(statement: Statement, target: Target, annotations?: Annotations): string[] {
  const lines = printPlain(statement, target, annotations).flatMap(broken);
  if (!target.comment || !annotations) return lines;
  const heading = annotations.headings.get(statement);
  const note = annotations.notes.get(statement);
  const noted = note === undefined ? undefined : `${lines[0]} ${target.comment(note)}`;
  return [
    ...(heading === undefined ? [] : [target.comment(heading)]),
    ...(noted !== undefined && noted.length <= WIDTH_WITH_NOTE ? [noted, ...lines.slice(1)] : lines),
  ];
}

/** Statements without comments, for those who look for names in them. */
export function withoutComments(lines: readonly string[]): string[] {
  return lines.map((line) => line.replace(/\/\*.*?\*\/|\/\/.*$/g, ''));
}

/** Does code name something, outside of comments? */
export function mentions(lines: readonly string[], name: string): boolean {
  const word = new RegExp(`\\b${name}\\b`);
  return withoutComments(lines).some((line) => word.test(line));
}

function printPlain(statement: Statement, target: Target, annotations: Annotations | undefined): string[] {
  tick();
  switch (statement.kind) {
    case 'let':
      return [target.declare(statement.name, printTree(statement.value, target))];
    case 'store':
      return [`${target.write(statement.place)} = ${printTree(statement.value, target)};`];
    case 'restore':
      return [target.declare(statement.name, target.scratch(statement.index))];
    case 'save':
      return [`${target.scratch(statement.index)} = ${statement.name};`];
    case 'guard':
      return [
        `if (${target.isWanted(statement.buffer)}) {`,
        ...statement.statements
          .flatMap((inner) => printStatement(inner, target, annotations))
          .map((line) => `  ${line}`),
        '}',
      ];
    case 'loop':
      return printLoop(statement, target);
    case 'network':
      return target.network(
        statement,
        statement.operands.map((operand) => printTree(operand, target)),
      );
    case 'stumpff':
      return [
        `${target.stumpff(printTree(statement.argument, target), setOf(statement))};`,
        ...statement.names.map(({ order, name }) => target.declare(name, target.stumpffEntry(order))),
      ];
    case 'sine-cosine': {
      const name = (which: 'sin' | 'cos'): string | undefined => statement.names.find(({ of }) => of === which)?.name;
      return target.sineAndCosine(printTree(statement.argument, target), name('sin'), name('cos'));
    }
    case 'select': {
      const side = (statements: readonly Statement[], value: Tree): string[] => [
        ...statements.flatMap((inner) => printStatement(inner, target)).map((line) => `  ${line}`),
        `  ${statement.name} = ${printTree(value, target)};`,
      ];
      return [
        target.declareOpen(statement.name),
        `if (${printTree(statement.condition, target)}) {`,
        ...side(statement.then, statement.thenValue),
        '} else {',
        ...side(statement.otherwise, statement.otherwiseValue),
        '}',
      ];
    }
  }
}

/** All of a row is computed from the carried values as they are before any of them changes. */
function printLoop(statement: LoopStatement, target: Target): string[] {
  const { rows, reversed, columns, carried, sums, writes, statements } = statement;
  const zero = target.number(0);
  const row = [
    ...columns.map(({ name, place }) => target.declare(name, target.readRow(place))),
    ...statements.flatMap((inner) => printStatement(inner, target)),
    ...carried.map(({ following, next }) => target.declare(following, printTree(next, target))),
    ...writes.map(({ place, value }) => `${target.writeRow(place)} = ${printTree(value, target)};`),
    ...sums.map(({ name, term }) => `${name} += ${printTree(term, target)};`),
    ...carried.map(({ name, following }) => `${name} = ${following};`),
  ].map((line) => `  ${line}`);
  return [
    ...carried.map(({ name, initial }) => target.declareVariable(name, printTree(initial, target))),
    ...sums.map(({ name }) => target.declareVariable(name, zero)),
    ...(target.lanes?.(statement, row) ?? [target.loop(rows, reversed), ...row, '}']),
    ...statement.integrals.map((integral) => target.integrate(integral)),
  ];
}

/** Operands of equal precedence are parenthesised on the right only: both languages associate to the left. */
export function printTree(tree: Tree, target: Target, context = 0): string {
  switch (tree.kind) {
    case 'name':
      return tree.name;
    case 'load':
      return target.read(tree.place);
    case 'number':
      return target.number(tree.value);
    case 'sqrt':
      return target.sqrt(printTree(tree.operand, target));
    case 'call':
      return target.call(
        tree.name,
        tree.operands.map((operand) => printTree(operand, target)),
      );
    case 'negate':
      return parenthesised(`-${printTree(tree.operand, target, PRECEDENCE.negate + 1)}`, PRECEDENCE.negate, context);
    case 'compare': {
      const sign = tree.operator === '==' ? target.equal : tree.operator;
      return `${printTree(tree.left, target, 1)} ${sign} ${printTree(tree.right, target, 1)}`;
    }
    case 'logic': {
      const operands = tree.operands.map((operand) => `(${printTree(operand, target)})`);
      return tree.operator === 'not' ? `!${operands[0]!}` : operands.join(tree.operator === 'and' ? ' && ' : ' || ');
    }
    case 'add':
    case 'divide':
    case 'multiply':
    case 'subtract': {
      const own = PRECEDENCE[tree.kind];
      const text = `${printTree(tree.left, target, own)} ${SIGN[tree.kind]} ${printTree(tree.right, target, own + 1)}`;
      return parenthesised(text, own, context);
    }
  }
}

function parenthesised(text: string, own: number, context: number): string {
  return own < context ? `(${text})` : text;
}

/**
 * The shortest decimal that reads back as the same double, always recognisable as a floating-point literal in C.
 * @throws KanegenError `not-finite`: nothing else is ever printed.
 */
export function decimalText(value: number): string {
  const text = String(requireDouble(value));
  return /[.e]/.test(text) ? text : `${text}.0`;
}
