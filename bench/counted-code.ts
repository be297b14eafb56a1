/** Generated TypeScript that counts the arithmetic it carries out: what drivers add up between links is in no program that could be counted. */
import ts from 'typescript';
import type { GeneratedFile } from '../src/codegen/modules/robot-model.ts';
import { loadGenerated, type LoadedRobot } from '../src/codegen/typescript/load.ts';

const COUNTED: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.PlusToken,
  ts.SyntaxKind.MinusToken,
  ts.SyntaxKind.AsteriskToken,
  ts.SyntaxKind.SlashToken,
  ts.SyntaxKind.PlusEqualsToken,
  ts.SyntaxKind.MinusEqualsToken,
  ts.SyntaxKind.AsteriskEqualsToken,
  ts.SyntaxKind.SlashEqualsToken,
]);

const COUNTER = 'kanegenOperations';

const counter = globalThis as unknown as Record<typeof COUNTER, number>;

export interface CountedRobot {
  readonly robot: LoadedRobot;
  /** Sums, products and functions of numbers that a call carries out; not those of indices and of heads of loops. */
  operations(call: () => unknown): number;
}

export async function countedRobot(files: readonly GeneratedFile[]): Promise<CountedRobot> {
  const create = await loadGenerated(files.map(({ path, text }) => ({ path, text: counting(path, text) })));
  const robot = create();
  return {
    robot,
    operations(call) {
      counter[COUNTER] = 0;
      call();
      return counter[COUNTER];
    },
  };
}

function counting(path: string, text: string): string {
  if (!path.endsWith('.ts')) return text;
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true);
  const indices = indicesIn(source);
  const inserted: { readonly at: number; readonly text: string }[] = [];
  const visit = (node: ts.Node): void => {
    if (isCounted(node) && !isOfIndices(node, indices))
      inserted.push({ at: node.getStart(), text: `(globalThis.${COUNTER}++, ` }, { at: node.getEnd(), text: ')' });
    ts.forEachChild(node, (child) => {
      if (!isIndexing(node, child)) visit(child);
    });
  };
  visit(source);
  inserted.sort((a, b) => a.at - b.at);
  let [from, counted] = [0, ''];
  for (const own of inserted) {
    counted += text.slice(from, own.at) + own.text;
    from = own.at;
  }
  return counted + text.slice(from);
}

function isCounted(node: ts.Node): boolean {
  if (ts.isBinaryExpression(node)) return COUNTED.has(node.operatorToken.kind);
  return ts.isCallExpression(node) && /^Math\.(?!abs|max|min)/.test(node.expression.getText());
}

/** What is computed there are places and numbers of turns, not quantities. */
function isIndexing(node: ts.Node, child: ts.Node): boolean {
  if (ts.isElementAccessExpression(node)) return child === node.argumentExpression;
  return ts.isForStatement(node) && child !== node.statement;
}

/** Names that stand in brackets of arrays. */
function indicesIn(source: ts.SourceFile): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node, isIndex: boolean): void => {
    if (isIndex && ts.isIdentifier(node)) names.add(node.text);
    ts.forEachChild(node, (child) =>
      visit(child, isIndex || (ts.isElementAccessExpression(node) && isIndexing(node, child))),
    );
  };
  visit(source, false);
  return names;
}

/** Of places and whole numbers alone? */
function isOfIndices(node: ts.Node, indices: ReadonlySet<string>): boolean {
  if (ts.isNumericLiteral(node)) return Number.isInteger(Number(node.text));
  if (ts.isIdentifier(node)) return indices.has(node.text) || /^[A-Z_]+$/.test(node.text);
  if (ts.isParenthesizedExpression(node)) return isOfIndices(node.expression, indices);
  if (ts.isPropertyAccessExpression(node)) return true;
  return ts.isBinaryExpression(node) && isOfIndices(node.left, indices) && isOfIndices(node.right, indices);
}
