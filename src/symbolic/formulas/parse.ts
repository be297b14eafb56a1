/**
 * Text of a formula → a small syntax tree of our own, with exact numbers and character offsets.
 *
 * mathjs parses; its tree is converted at once and never evaluated or differentiated. It has no positions and keeps
 * numbers as doubles, so the text is split into tokens first: the leaves of the tree come in the order of the tokens,
 * which gives every leaf its offset and its literal. What mathjs accepts and a formula does not mean is refused here.
 */
import { create, parseDependencies } from 'mathjs/number';
import type {
  ArrayNode,
  ConditionalNode,
  FunctionNode,
  MathNode,
  OperatorNode,
  ParenthesisNode,
  RelationalNode,
} from 'mathjs';
import { BASIS_CALLS } from './basis-functions.ts';
import { KanegenError } from '../../common/error.ts';
import { RecentMap } from '../../common/recent-map.ts';
import { Rational } from '../graph/rational.ts';

export type ComparisonSign = '<' | '<=' | '>' | '>=' | '==' | '!=';

/** `at` is the offset of the first character in the text of the formula. */
export type Formula =
  | { readonly kind: 'number'; readonly at: number; readonly value: Rational }
  | { readonly kind: 'name'; readonly at: number; readonly name: string }
  | { readonly kind: 'call'; readonly at: number; readonly name: string; readonly operands: readonly Formula[] }
  /** A whole chain a + b − c as one node. */
  | { readonly kind: 'sum'; readonly at: number; readonly terms: readonly SignedTerm[] }
  /** A whole chain a·b/c as one node. */
  | { readonly kind: 'product'; readonly at: number; readonly factors: readonly ProductFactor[] }
  | { readonly kind: 'power'; readonly at: number; readonly base: Formula; readonly exponent: Formula }
  | { readonly kind: 'vector'; readonly at: number; readonly entries: readonly Formula[] }
  | {
      readonly kind: 'select';
      readonly at: number;
      readonly condition: Formula;
      readonly then: Formula;
      readonly otherwise: Formula;
    }
  | {
      readonly kind: 'compare';
      readonly at: number;
      readonly operator: ComparisonSign;
      readonly left: Formula;
      readonly right: Formula;
    }
  | {
      readonly kind: 'logic';
      readonly at: number;
      readonly operator: 'and' | 'or' | 'not';
      readonly operands: readonly Formula[];
    };

interface SignedTerm {
  readonly negative: boolean;
  readonly term: Formula;
}
interface ProductFactor {
  readonly inverse: boolean;
  readonly factor: Formula;
}

const LONGEST_TEXT = 20_000;
const DEEPEST_NESTING = 200;

// ---------------------------------------------------------------------------------------------- tokens

interface Token {
  readonly kind: 'number' | 'name' | 'sign';
  readonly text: string;
  readonly at: number;
}

const TOKEN =
  /(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z][A-Za-z0-9_]*)*)|(<=|>=|==|!=|[-+*/^()[\],?:<>])|\s+/y;

/** What mathjs or other notations know and formulas do not, with what to write instead. */
const FOREIGN_SIGNS: readonly (readonly [RegExp, string, string])[] = [
  [/\*\*/y, '** is not a power', 'write a^b'],
  [/\.[*/^]/y, 'elementwise operators are not part of formulas', 'write *, / or ^, and numbers as 2.0 or 2'],
  [/&&|&/y, 'unknown operator', 'write `and`'],
  [/\|\||\|/y, 'unknown operator', 'write `or`, and abs(x) for the absolute value'],
  [/%/y, 'percent signs are not part of formulas', 'write 10/100 for 10%'],
  [/!/y, 'factorials are not part of formulas', 'write the number, or `not` for a negation'],
  [
    /(?<=[\w)\]])'/y,
    "a prime (x') is not part of formulas",
    'derivatives are taken by the compiler: write the formula itself',
  ],
  [/["'`]/y, 'strings are not part of formulas', 'remove the quotes'],
  [/=/y, 'assignments are not part of formulas', 'give the name its own line under `let:`, or compare with =='],
  [/[{}]/y, 'braces are not part of formulas', 'write parentheses'],
  [/;/y, 'semicolons are not part of formulas', 'write one formula, and vectors as [a, b, c]'],
  [/π/y, 'π is spelled pi', 'write pi'],
  [/[−–—]/y, 'this is a dash, not a minus sign', 'write -'],
  [/[·×]/y, 'this is not a product sign', 'write *'],
  [/[²³]/y, 'superscripts are not part of formulas', 'write x^2'],
  [/√/y, 'root signs are not part of formulas', 'write sqrt(x)'],
];
const FOREIGN_WORDS = new Map([
  ['mod', 'a remainder is not smooth: write the formula without it'],
  ['to', 'units stand only after a number that is a value of its own, such as `L: 20 mm`'],
  ['in', 'units stand only after a number that is a value of its own, such as `L: 20 mm`'],
  ['xor', 'write (a or b) and not (a and b)'],
  ['true', 'write a comparison'],
  ['false', 'write a comparison'],
  ['null', 'write a number'],
  ['undefined', 'write a number'],
  ['NaN', 'write a finite number'],
  ['Infinity', 'write a finite number'],
]);
const OPERATOR_WORDS = new Set(['and', 'or', 'not']);

function malformed(message: string, offset: number, remedy = 'check the signs and brackets around here'): KanegenError {
  return new KanegenError('malformed-formula', message, { offset, remedy });
}

function tokenise(text: string): Token[] {
  if (text.length > LONGEST_TEXT)
    throw new KanegenError(
      'formula-too-large',
      `the formula has ${text.length} characters, at most ${LONGEST_TEXT} are read`,
      { offset: 0, remedy: 'name its parts under `let:`' },
    );
  if (text.trim() === '') throw malformed('the formula is empty', 0, 'write a formula, or 0');
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    const foreign = FOREIGN_SIGNS.find(([sign]) => {
      sign.lastIndex = at;
      return (
        sign.test(text) && !(text[at] === '!' && text[at + 1] === '=') && !(text[at] === '=' && text[at + 1] === '=')
      );
    });
    if (foreign) throw malformed(`${foreign[1]}: \`${excerpt(text, at)}\``, at, foreign[2]);
    if (!match) throw malformed(`unexpected character \`${String.fromCodePoint(text.codePointAt(at)!)}\``, at);
    const [whole, number, name, sign] = match;
    if (number !== undefined) tokens.push({ kind: 'number', text: number, at });
    else if (name !== undefined) tokens.push({ kind: 'name', text: checkedWord(name, at), at });
    else if (sign !== undefined) tokens.push({ kind: 'sign', text: sign, at });
    at += whole.length;
  }
  checkNesting(tokens);
  checkNeighbours(tokens);
  return tokens;
}

function checkedWord(name: string, at: number): string {
  const remedy = FOREIGN_WORDS.get(name);
  if (remedy !== undefined) throw malformed(`\`${name}\` is not part of formulas`, at, remedy);
  return name;
}

function excerpt(text: string, at: number): string {
  return text.slice(Math.max(0, at - 8), at + 8).trim();
}

function checkNesting(tokens: readonly Token[]): void {
  const open: Token[] = [];
  for (const token of tokens) {
    if (token.kind !== 'sign') continue;
    if (token.text === '(' || token.text === '[') open.push(token);
    if (token.text === ')' || token.text === ']') {
      const opening = open.pop();
      if (!opening || (opening.text === '(') !== (token.text === ')'))
        throw malformed(`\`${token.text}\` has no opening partner`, token.at);
    }
    if (open.length > DEEPEST_NESTING) throw tooDeep(token.at);
  }
  const unclosed = open.pop();
  if (unclosed) throw malformed(`\`${unclosed.text}\` is never closed`, unclosed.at);
}

function tooDeep(at: number): KanegenError {
  return new KanegenError('formula-too-large', `the formula is nested more than ${DEEPEST_NESTING} deep`, {
    offset: at,
    remedy: 'name its parts under `let:`',
  });
}

/** Products without a sign are accepted only as `2 x` and `2(x + 1)`, where no one can read anything else. */
function checkNeighbours(tokens: readonly Token[]): void {
  for (let i = 1; i < tokens.length; i++) {
    const left = tokens[i - 1]!;
    const right = tokens[i]!;
    const endsOperand = left.kind === 'number' || left.text === ')' || left.text === ']' || isOperandName(left);
    const startsOperand = right.kind === 'number' || right.text === '(' || isOperandName(right);
    if (right.text === '[' && endsOperand)
      throw malformed('indexing is not part of formulas', right.at, 'name the component you mean, such as q1');
    if (!endsOperand || !startsOperand) continue;
    if (left.kind === 'name' && right.text === '(') continue; // a call, or a mistaken product: known when names are
    if (left.text === '0' && right.at === left.at + 1)
      throw malformed(
        'binary, octal and hexadecimal numbers are not part of formulas',
        left.at,
        'write decimal numbers',
      );
    if (left.kind === 'number' && right.kind !== 'number') {
      const before = tokens[i - 2]?.text;
      if (before !== '/' && before !== '^') continue;
      throw malformed(
        `\`${before}${left.text} ${right.text}\` can be read in two ways`,
        left.at,
        `write ${before}(${left.text}*${right.text}…) or ${before}${left.text}*${right.text}…`,
      );
    }
    throw missingSign(left, right);
  }
}

function isOperandName(token: Token): boolean {
  return token.kind === 'name' && !OPERATOR_WORDS.has(token.text);
}

function missingSign(left: Token, right: Token): KanegenError {
  const looksLikeCall = left.kind === 'name' && KNOWN_FUNCTIONS.has(left.text);
  const remedy = looksLikeCall ? `write ${left.text}(${right.text})` : `write ${left.text}*${right.text}`;
  return malformed(`an operator is missing between \`${left.text}\` and \`${right.text}\``, right.at, remedy);
}

/** Names of functions that a formula may call. */
export const KNOWN_FUNCTIONS: ReadonlySet<string> = new Set(
  [
    'sin',
    'cos',
    'tan',
    'asin',
    'acos',
    'atan',
    'atan2',
    'sinh',
    'cosh',
    'tanh',
    'exp',
    'log',
    'sqrt',
    'abs',
    'sign',
    'min',
    'max',
    'hypot',
    'pow',
    'select',
    'dot',
    'cross',
    'norm',
  ].concat([...BASIS_CALLS.keys()]),
);

// ---------------------------------------------------------------------------------------------- mathjs → Formula

type Parse = (text: string) => MathNode;
let mathParse: Parse | undefined;

function parseWithMathjs(text: string): MathNode {
  mathParse ??= (create({ parseDependencies: parseDependencies! }) as unknown as { parse: Parse }).parse;
  try {
    return mathParse(text);
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep(0);
    const { message, char } = error as { message: string; char?: number };
    const plain = message.replace(/\s*\(char \d+\)\s*$/, '').replace(/^./, (first) => first.toLowerCase());
    throw malformed(`malformed formula: ${plain}`, Math.min(Math.max((char ?? 1) - 1, 0), text.length));
  }
}

/** Walks the tree of mathjs in the order of the text, taking a token for every leaf. */
class Conversion {
  private readonly leaves: readonly Token[];
  private next = 0;

  constructor(tokens: readonly Token[]) {
    this.leaves = tokens.filter((token) => token.kind === 'number' || isOperandName(token));
  }

  private take(): Token {
    const token = this.leaves[this.next++];
    if (!token) throw malformed('malformed formula', 0);
    return token;
  }

  /** Offset of the next leaf. */
  private get here(): number {
    return this.leaves[this.next]?.at ?? 0;
  }

  /** The whole tree: every token must have found its leaf. */
  all(node: MathNode): Formula {
    const formula = this.convert(node, 0);
    const left = this.leaves[this.next];
    if (left) throw malformed(`\`${left.text}\` cannot stand here`, left.at);
    return formula;
  }

  private convert(node: MathNode, depth: number): Formula {
    if (depth > 2 * DEEPEST_NESTING) throw tooDeep(this.here);
    const at = this.here;
    switch (node.type) {
      case 'ConstantNode':
        return this.number();
      case 'SymbolNode':
        return { kind: 'name', at, name: this.take().text };
      case 'ParenthesisNode':
        return this.convert((node as ParenthesisNode).content, depth + 1);
      case 'ArrayNode': {
        const { items } = node as ArrayNode;
        return { kind: 'vector', at, entries: items.map((item) => this.convert(item, depth + 1)) };
      }
      case 'FunctionNode':
        return this.call(node as FunctionNode, depth);
      case 'ConditionalNode': {
        const { condition, trueExpr, falseExpr } = node as ConditionalNode;
        const [c, a, b] = [condition, trueExpr, falseExpr].map((n) => this.convert(n, depth + 1));
        return { kind: 'select', at, condition: c!, then: a!, otherwise: b! };
      }
      case 'RelationalNode':
        return this.relation(node as RelationalNode, depth);
      case 'OperatorNode':
        return this.operator(node as OperatorNode, depth);
      case 'RangeNode':
        throw malformed('ranges (a:b) are not part of formulas', at, 'a choice is written condition ? a : b');
      default:
        throw malformed('malformed formula', at);
    }
  }

  private number(): Formula {
    const token = this.take();
    const value = Rational.parse(token.text);
    const double = value && Rational.toNumber(value);
    if (
      value === undefined ||
      double === undefined ||
      !Number.isFinite(double) ||
      (double === 0 && !Rational.isZero(value))
    )
      throw new KanegenError('number-out-of-range', `${token.text} is outside the range of double precision`, {
        offset: token.at,
        remedy: 'write a number between 1e-300 and 1e300',
      });
    return { kind: 'number', at: token.at, value };
  }

  private call(node: FunctionNode, depth: number): Formula {
    const at = this.here;
    if ((node.fn as unknown as MathNode).type !== 'SymbolNode')
      throw malformed('only functions can be called', at, 'write a * sign');
    const name = this.take().text;
    return { kind: 'call', at, name, operands: node.args.map((argument) => this.convert(argument, depth + 1)) };
  }

  /** a < b <= c */
  private relation(node: RelationalNode, depth: number): Formula {
    const at = this.here;
    const operands = node.params.map((operand) => this.convert(operand, depth + 1));
    const pairs = node.conditionals.map((name, i): Formula => ({
      kind: 'compare',
      at: operands[i]!.at,
      operator: COMPARISONS.get(name)!,
      left: operands[i]!,
      right: operands[i + 1]!,
    }));
    return { kind: 'logic', at, operator: 'and', operands: pairs };
  }

  private operator(node: OperatorNode, depth: number): Formula {
    const at = this.here;
    const name: string = node.fn;
    const operand = (i: number): Formula => this.convert(node.args[i]!, depth + 1);
    const comparison = COMPARISONS.get(name);
    if (comparison) {
      const left = operand(0);
      return { kind: 'compare', at, operator: comparison, left, right: operand(1) };
    }
    switch (name) {
      case 'add':
      case 'subtract':
        return this.sum(node, depth);
      case 'multiply':
      case 'divide':
        return this.product(node, depth);
      case 'unaryMinus':
        return { kind: 'sum', at, terms: [{ negative: true, term: operand(0) }] };
      case 'unaryPlus':
        return operand(0);
      case 'pow': {
        const base = operand(0);
        return { kind: 'power', at, base, exponent: operand(1) };
      }
      case 'and':
      case 'or':
        return this.chain(node, name, depth);
      case 'not':
        return { kind: 'logic', at, operator: 'not', operands: [operand(0)] };
      default:
        throw malformed(`the operator \`${node.op as string}\` is not part of formulas`, at);
    }
  }

  /** Long chains lean to the left: walked in a loop, so that their length is no depth. */
  private spine(node: OperatorNode, names: readonly string[]): { first: MathNode; rest: OperatorNode[] } {
    const rest: OperatorNode[] = [];
    let current: MathNode = node;
    while (current.type === 'OperatorNode' && names.includes((current as OperatorNode).fn)) {
      rest.push(current as OperatorNode);
      current = (current as OperatorNode).args[0]!;
    }
    return { first: current, rest: rest.reverse() };
  }

  private sum(node: OperatorNode, depth: number): Formula {
    const at = this.here;
    const { first, rest } = this.spine(node, ['add', 'subtract']);
    const terms: SignedTerm[] = [{ negative: false, term: this.convert(first, depth + 1) }];
    for (const next of rest)
      terms.push({ negative: next.fn === 'subtract', term: this.convert(next.args[1]!, depth + 1) });
    return { kind: 'sum', at, terms };
  }

  private product(node: OperatorNode, depth: number): Formula {
    const at = this.here;
    const { first, rest } = this.spine(node, ['multiply', 'divide']);
    const factors: ProductFactor[] = [{ inverse: false, factor: this.convert(first, depth + 1) }];
    for (const next of rest)
      factors.push({ inverse: next.fn === 'divide', factor: this.convert(next.args[1]!, depth + 1) });
    return { kind: 'product', at, factors };
  }

  private chain(node: OperatorNode, operator: 'and' | 'or', depth: number): Formula {
    const at = this.here;
    const { first, rest } = this.spine(node, [operator]);
    const operands = [this.convert(first, depth + 1)];
    for (const next of rest) operands.push(this.convert(next.args[1]!, depth + 1));
    return { kind: 'logic', at, operator, operands };
  }
}

const COMPARISONS = new Map<string, ComparisonSign>([
  ['smaller', '<'],
  ['smallerEq', '<='],
  ['larger', '>'],
  ['largerEq', '>='],
  ['equal', '=='],
  ['unequal', '!='],
]);

const parsed = new RecentMap<string, Formula>(5000);

/**
 * The syntax tree of a formula.
 * @throws KanegenError `malformed-formula`, `formula-too-large` or `number-out-of-range`, with the offset of the mistake.
 */
export function parseFormula(text: string): Formula {
  const known = parsed.get(text);
  if (known) return known;
  const tokens = tokenise(text);
  // A line break would end a statement in mathjs; here it is white space. The dot of `soft1.q` is part of the name.
  const plain = text.replace(/\s/g, ' ').replace(/(?<=[A-Za-z_0-9])\.(?=[A-Za-z])/g, '_');
  const formula = new Conversion(tokens).all(parseWithMathjs(plain));
  parsed.set(text, formula);
  return formula;
}

/** Every part of a formula, operators before their operands. */
export function* partsOf(formula: Formula): Generator<Formula> {
  const pending: Formula[] = [formula];
  while (pending.length > 0) {
    const part = pending.pop()!;
    yield part;
    pending.push(...operandsOf(part).reverse());
  }
}

function operandsOf(formula: Formula): Formula[] {
  switch (formula.kind) {
    case 'number':
    case 'name':
      return [];
    case 'call':
    case 'logic':
      return [...formula.operands];
    case 'sum':
      return formula.terms.map((t) => t.term);
    case 'product':
      return formula.factors.map((f) => f.factor);
    case 'power':
      return [formula.base, formula.exponent];
    case 'vector':
      return [...formula.entries];
    case 'select':
      return [formula.condition, formula.then, formula.otherwise];
    case 'compare':
      return [formula.left, formula.right];
  }
}
