/**
 * Names of vectors, matrices and their entries, and proposals of names for expressions: what makes generated code readable.
 */
import { symbol, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';

export const SYMMETRIC_ENTRIES: readonly string[] = ['xx', 'yy', 'zz', 'xy', 'xz', 'yz'];
export const MATRIX_ENTRIES: readonly string[] = ['xx', 'xy', 'xz', 'yx', 'yy', 'yz', 'zx', 'zy', 'zz'];

export function xyz(stem: string): string[] {
  return ['x', 'y', 'z'].map((axis) => `${stem}_${axis}`);
}

/** Symbols `scope.NAME`. */
export function symbolsNamed(scope: string, list: readonly string[]): readonly SymbolExpr[] {
  return list.map((name) => symbol(`${scope}.${name}`));
}

/** The first name proposed for an expression stays. */
export class NameProposals {
  readonly names = new Map<Expr, string>();

  add(values: readonly Expr[], labels: readonly string[]): void {
    values.forEach((e, i) => {
      const label = labels[i];
      if (label === undefined) return;
      const nameable = e.kind !== 'rational' && e.kind !== 'symbol' && e.kind !== 'constant';
      if (nameable && !this.names.has(e)) this.names.set(e, label);
    });
  }
}
