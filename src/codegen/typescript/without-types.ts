/**
 * TypeScript without its types, everything else where it was: what Node takes, at a tenth of the time of the compiler, which
 * prints all anew.
 */
import type { ts as typescript } from 'ts-morph';
import { host } from '#host';

type Node = typescript.Node;

/**
 * JavaScript of a module; blanks stand where types were.
 * @returns null where JavaScript lacks more than types: enumerations, namespaces, abstract classes, properties declared as
 * parameters.
 */
export function withoutTypes(text: string): string | null {
  const ts = host.typescript();
  const source = ts.createSourceFile('module.ts', text, ts.ScriptTarget.ES2022, false);
  const kept: string[] = [];
  let next = 0;
  const blank = (from: number, to: number): void => {
    kept.push(text.slice(next, from), text.slice(from, to).replace(/[^\n]/g, ' '));
    next = to;
  };
  let isPlain = true;
  const blankAll = (node: Node): void => blank(node.getStart(source), node.end);
  /** `<…>`, whose brackets stand beside the list. */
  const blankList = (list: typescript.NodeArray<Node> | undefined): void => {
    if (list) blank(list.pos - 1, text.indexOf('>', list.end) + 1);
  };
  /** With the colon before it. */
  const blankType = (type: Node | undefined): void => {
    if (type) blank(type.pos - 1, type.end);
  };
  /** With the comma behind it. */
  const blankSpecifiers = (list: readonly (Node & { readonly isTypeOnly: boolean })[]): void => {
    for (const own of list.filter(({ isTypeOnly }) => isTypeOnly)) {
      const comma = /^\s*,/.exec(text.slice(own.end))?.[0].length ?? 0;
      blank(own.getStart(source), own.end + comma);
    }
  };
  const modifiersOf = (node: Node): readonly Node[] => (ts.canHaveModifiers(node) && ts.getModifiers(node)) || [];
  const hasModifier = (node: Node, kind: typescript.SyntaxKind): boolean =>
    modifiersOf(node).some((own) => own.kind === kind);
  const isDeclared = (node: Node): boolean => hasModifier(node, ts.SyntaxKind.DeclareKeyword);
  const { StaticKeyword, AsyncKeyword, ExportKeyword, DefaultKeyword } = ts.SyntaxKind;
  const stays = new Set<typescript.SyntaxKind>([StaticKeyword, AsyncKeyword, ExportKeyword, DefaultKeyword]);
  const blankModifiers = (node: Node): void => {
    for (const own of modifiersOf(node)) if (!stays.has(own.kind)) blankAll(own);
  };
  const visit = (node: Node): void => {
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || isDeclared(node)) blankAll(node);
    else if (ts.isImportDeclaration(node)) {
      const clause = node.importClause;
      if (clause?.isTypeOnly) blankAll(node);
      else if (clause?.namedBindings && ts.isNamedImports(clause.namedBindings))
        blankSpecifiers(clause.namedBindings.elements);
    } else if (ts.isExportDeclaration(node)) {
      if (node.isTypeOnly) blankAll(node);
      else if (node.exportClause && ts.isNamedExports(node.exportClause)) blankSpecifiers(node.exportClause.elements);
    } else if (ts.isNonNullExpression(node)) {
      visit(node.expression);
      blank(node.end - 1, node.end);
    } else if (ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) {
      visit(node.expression);
      blank(node.expression.end, node.end);
    } else if (ts.isVariableDeclaration(node)) {
      visit(node.name);
      blankType(node.type);
      if (node.initializer) visit(node.initializer);
    } else if (ts.isParameter(node)) {
      // A property of its class.
      isPlain &&= !node.modifiers;
      visit(node.name);
      if (node.questionToken) blankAll(node.questionToken);
      blankType(node.type);
      if (node.initializer) visit(node.initializer);
    } else if (ts.isFunctionDeclaration(node) && !node.body) blankAll(node);
    else if (ts.isFunctionLike(node) && 'body' in node) {
      blankModifiers(node);
      blankList(node.typeParameters);
      node.parameters.forEach(visit);
      blankType(node.type);
      if (node.body) visit(node.body);
    } else if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      visit(node.expression);
      blankList(node.typeArguments);
      node.arguments?.forEach(visit);
    } else if (ts.isClassLike(node)) {
      blankList(node.typeParameters);
      for (const clause of node.heritageClauses ?? [])
        if (clause.token === ts.SyntaxKind.ImplementsKeyword) blankAll(clause);
        else isPlain &&= !clause.types.some((own) => own.typeArguments);
      node.members.forEach(visit);
      isPlain &&= !hasModifier(node, ts.SyntaxKind.AbstractKeyword);
    } else if (ts.isPropertyDeclaration(node)) {
      blankModifiers(node);
      const mark = node.questionToken ?? node.exclamationToken;
      if (mark) blankAll(mark);
      blankType(node.type);
      if (node.initializer) visit(node.initializer);
    } else if (ts.isEnumDeclaration(node) || ts.isModuleDeclaration(node)) isPlain = false;
    else ts.forEachChild(node, visit);
  };
  ts.forEachChild(source, visit);
  return isPlain ? kept.join('') + text.slice(next) : null;
}
