/**
 * The part of TypeScript that controllers and their run time are written in, so that C can be translated from it statement
 * by statement (`translate-c.ts`) and its operations counted (`worst-case.ts`): functions of numbers, whole numbers
 * (`Index`), arrays of numbers and records of arrays; declarations, assignments, loops that count, branches, returns.
 * What is not part of it stops the translation: nothing is guessed.
 */
import type { ts as typescript } from 'ts-morph';
import { host } from '#host';

export type TypeScript = typeof typescript;
export type Node = typescript.Node;
export type Expression = typescript.Expression;
export type Statement = typescript.Statement;

/** `record`: of arrays and numbers, by the name of its type. */
export type Type =
  'real' | 'index' | 'boolean' | 'status' | 'reals' | 'buffer' | 'robot' | 'void' | { readonly record: string };

export interface Routine {
  readonly name: string;
  readonly exported: boolean;
  /** Lines of the comment before it. */
  readonly comment: readonly string[];
  readonly parameters: readonly { readonly name: string; readonly type: Type }[];
  readonly result: Type;
  readonly body: readonly Statement[];
  readonly source: typescript.SourceFile;
}

export function compiler(): TypeScript {
  return host.typescript();
}

export function refuse(node: Node, what: string): never {
  throw new Error(`cannot be translated: ${what}: ${node.getText()}`);
}

/** The functions of a module. */
export function routinesOf(text: string): Routine[] {
  const ts = compiler();
  const source = ts.createSourceFile('routines.ts', text, ts.ScriptTarget.ES2022, true);
  return source.statements.filter(ts.isFunctionDeclaration).map((declaration) => ({
    name: declaration.name!.text,
    exported: declaration.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false,
    comment: commentBefore(text, declaration),
    parameters: declaration.parameters.map(({ name, type }) => ({ name: name.getText(), type: typeOf(type!) })),
    result: typeOf(declaration.type!),
    body: [...declaration.body!.statements],
    source,
  }));
}

/** Whole numbers that a module names at its top. */
export function constantsOf(text: string): ReadonlyMap<string, number> {
  const ts = compiler();
  const source = ts.createSourceFile('constants.ts', text, ts.ScriptTarget.ES2022, true);
  const declarations = source.statements.flatMap((s) =>
    ts.isVariableStatement(s) ? s.declarationList.declarations : [],
  );
  return new Map(declarations.map(({ name, initializer }) => [name.getText(), Number(initializer!.getText())]));
}

/** A record whose fields are numbers and whole numbers, as a module declares it. */
export interface RecordType {
  readonly name: string;
  readonly comment: readonly string[];
  readonly fields: readonly { readonly name: string; readonly type: Type; readonly comment: readonly string[] }[];
}

export function recordsOf(text: string): RecordType[] {
  const ts = compiler();
  const source = ts.createSourceFile('records.ts', text, ts.ScriptTarget.ES2022, true);
  return source.statements.filter(ts.isInterfaceDeclaration).map((own) => ({
    name: own.name.text,
    comment: commentBefore(text, own),
    fields: own.members.filter(ts.isPropertySignature).map((field) => ({
      name: field.name.getText(),
      type: typeOf(field.type!),
      comment: commentBefore(text, field),
    })),
  }));
}

/** The last comment before a node, without its marks. */
export function commentBefore(text: string, node: Node): string[] {
  const ranges = compiler().getLeadingCommentRanges(text, node.getFullStart()) ?? [];
  const last = ranges.at(-1);
  if (!last) return [];
  return text
    .slice(last.pos, last.end)
    .replace(/^\/\*\*?|\*\/$|^\/\//g, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
    .filter((line, i, lines) => line.trim() !== '' || (i > 0 && i < lines.length - 1))
    .map((line, i) => (i === 0 ? line.trimStart() : line));
}

const NAMED_TYPES: Readonly<Record<string, Type>> = {
  number: 'real',
  Index: 'index',
  boolean: 'boolean',
  Status: 'status',
  Reals: 'reals',
  'ArrayLike<number>': 'reals',
  Float64Array: 'buffer',
  Dynamics: 'robot',
  void: 'void',
};

export function typeOf(node: Node): Type {
  const text = node.getText();
  const known = NAMED_TYPES[text];
  if (known) return known;
  return /^[A-Z]\w*$/.test(text) ? { record: text } : refuse(node, 'this type');
}

/** Without parentheses and `!`. */
export function bare(node: Expression): Expression {
  const ts = compiler();
  let inner = node;
  while (ts.isParenthesizedExpression(inner) || ts.isNonNullExpression(inner)) inner = inner.expression;
  return inner;
}

/** `let NAME = FROM; NAME < TO; NAME++`, or downwards. */
export interface Counting {
  readonly name: string;
  readonly from: Expression;
  readonly condition: typescript.BinaryExpression;
  readonly down: boolean;
  readonly body: Statement;
}

export function countingLoop(node: typescript.ForStatement): Counting {
  const ts = compiler();
  const { initializer, condition, incrementor, statement } = node;
  const declaration =
    initializer && ts.isVariableDeclarationList(initializer) ? initializer.declarations[0] : undefined;
  if (!declaration?.initializer || !condition || !ts.isBinaryExpression(condition) || !incrementor)
    return refuse(node, 'a loop that does not count');
  if (!ts.isPostfixUnaryExpression(incrementor)) return refuse(node, 'a loop that does not count by one');
  return {
    name: declaration.name.getText(),
    from: declaration.initializer,
    condition,
    down: incrementor.operator === ts.SyntaxKind.MinusMinusToken,
    body: statement,
  };
}

/** Rounds up to which a loop is short. */
const FEW_ROUNDS = 10;

/** Has the loop few rounds whatever the arguments, and none within them? */
export function isShort(loop: typescript.ForStatement): boolean {
  const ts = compiler();
  const { from, condition, down, body } = countingLoop(loop);
  const isBounded =
    ts.isBinaryExpression(condition) && ts.isNumericLiteral(from) && ts.isNumericLiteral(condition.right) && !down;
  const hasLoop = (node: Node): boolean => ts.isForStatement(node) || (ts.forEachChild(node, hasLoop) ?? false);
  return isBounded && Number(condition.right.text) - Number(from.text) <= FEW_ROUNDS && !hasLoop(body);
}

/** The statements of a block, or the one statement itself. */
export function statementsOf(node: Statement): readonly Statement[] {
  return compiler().isBlock(node) ? [...node.statements] : [node];
}
