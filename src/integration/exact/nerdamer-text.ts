/**
 * Expressions in nerdamer's language and back. Names never leave the compiler: every symbol becomes a single letter, and
 * what comes back is parsed like a formula of a robot file whose only names are those letters.
 */
import { KanegenError } from '../../common/error.ts';
import { call, one, symbol, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { formulaValue, isVector, type FormulaScope } from '../../symbolic/formulas/formula.ts';
import { parseFormula } from '../../symbolic/formulas/parse.ts';
import { toText } from '../../symbolic/formulas/print.ts';
import { freeSymbols, postorder, substituteOne, transform } from '../../symbolic/graph/traverse.ts';

/** Letters that mean nothing to nerdamer: neither e nor i, nor its constants. */
const LETTERS = ['a', 'b', 'c', 'd', 'f', 'g', 'h', 'k', 'm', 'n', 'p', 'q', 'r', 'u', 'v', 'w'];
const VARIABLE = 's';
/** Functions that mean the same there. */
const SHARED = new Set(['sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'sinh', 'cosh', 'tanh', 'exp', 'log']);
const EULER = call('exp', one);

/** An integrand as nerdamer reads it, and what its letters stand for. */
export interface NerdamerText {
  readonly text: string;
  readonly variable: string;
  /** Letters by name, the variable of integration among them. */
  readonly symbols: ReadonlyMap<string, SymbolExpr>;
}

const letter = (name: string): SymbolExpr => symbol(`nerdamer.${name}`);

/** undefined where the language has no word for a part of the integrand, or no letter for one of its symbols. */
export function toNerdamer(integrand: Expr, variable: SymbolExpr): NerdamerText | undefined {
  const others = freeSymbols([integrand]).filter((s) => s !== variable);
  if (others.length > LETTERS.length) return undefined;
  const understood = postorder([integrand]).every(
    (e) => !['stumpff', 'select', 'compare', 'logic'].includes(e.kind) && (e.kind !== 'call' || SHARED.has(e.name)),
  );
  if (!understood) return undefined;
  const symbols = new Map<string, SymbolExpr>([
    [VARIABLE, variable],
    ...others.map((s, i) => [LETTERS[i]!, s] as const),
  ]);
  const replaced = substituteOne(integrand, new Map([...symbols].map(([name, s]) => [s, letter(name)])));
  return { text: toText(replaced), variable: VARIABLE, symbols };
}

/**
 * An answer as an expression over the symbols of the question.
 * @returns undefined where it holds anything but functions of these: an integral left as it was, an error function.
 */
export function fromNerdamer(text: string, { symbols }: NerdamerText): Expr | undefined {
  const scope: FormulaScope = {
    value: (name) => symbols.get(name) ?? (name === 'e' ? EULER : undefined),
    macro: () => undefined,
    names: () => [...symbols.keys()],
  };
  try {
    const value = formulaValue(parseFormula(text.trim()), scope);
    return isVector(value) ? undefined : exponentials(value);
  } catch (error) {
    if (error instanceof KanegenError) return undefined;
    throw error;
  }
}

/** e^x arrives as a power of the number e. */
function exponentials(e: Expr): Expr {
  return transform([e], (node) =>
    node.kind === 'call' && node.name === 'pow' && node.arguments[0] === EULER ? call('exp', node.arguments[1]!) : node,
  )[0]!;
}
