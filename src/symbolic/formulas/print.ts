/**
 * Expressions printed back as mathematics: plain text (readable by the robot-file parser, but for c_k) and LaTeX.
 */
import type { Expr } from '../graph/expr.ts';
import { HALF, Rational } from '../graph/rational.ts';
import { postorder } from '../graph/traverse.ts';

interface Notation {
  number(value: Rational): string;
  symbol(name: string): string;
  pi: string;
  product(parts: readonly string[]): string;
  quotient(numerator: string, denominator: string): string;
  power(base: string, exponent: string): string;
  root(radicand: string): string;
  call(name: string, operands: readonly string[]): string;
  stumpff(order: number, argument: string): string;
  select(condition: string, then: string, otherwise: string): string;
  comparison: Record<'<' | '<=' | '==', string>;
  parenthesise(text: string): string;
}

/** Scopes end in a dot: `body.q`, `rate.body.q`. */
function bareName(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

/** `rate` or `acceleration` for time derivatives of coordinates. */
function derivativeScope(name: string): string {
  return name.slice(0, name.indexOf('.'));
}

const plain: Notation = {
  number: (value) => Rational.toString(value),
  symbol: (name) => `${bareName(name)}${{ rate: '_dot', acceleration: '_ddot' }[derivativeScope(name)] ?? ''}`,
  pi: 'pi',
  product: (parts) => parts.join('*'),
  quotient: (n, d) => `${n}/${d}`,
  power: (base, exponent) => `${base}^${exponent}`,
  root: (radicand) => `sqrt(${radicand})`,
  call: (name, operands) => `${name}(${operands.join(', ')})`,
  stumpff: (order, argument) => `c${order}(${argument})`,
  select: (c, a, b) => `select(${c}, ${a}, ${b})`,
  comparison: { '<': '<', '<=': '<=', '==': '==' },
  parenthesise: (text) => `(${text})`,
};

const latex: Notation = {
  number: (value) =>
    Rational.isInteger(value)
      ? value.numerator.toString()
      : `${Rational.isNegative(value) ? '-' : ''}\\frac{${Rational.absolute(value).numerator}}{${value.denominator}}`,
  symbol(name) {
    const bare = bareName(name);
    const match = /^([A-Za-z]+?)_?(\d+|[A-Za-z]+(?<=_.*))?$/.exec(bare);
    const greek = [
      'alpha',
      'beta',
      'gamma',
      'theta',
      'kappa',
      'lambda',
      'mu',
      'nu',
      'rho',
      'sigma',
      'tau',
      'phi',
      'omega',
    ];
    const head = match?.[1] ?? bare;
    const body = greek.includes(head) ? `\\${head}` : head.length > 1 ? `\\mathrm{${head.replace(/_/g, '\\_')}}` : head;
    const accent = { rate: '\\dot', acceleration: '\\ddot' }[derivativeScope(name)];
    const accented = accent ? `${accent}{${body}}` : body;
    return match?.[2] ? `${accented}_{${match[2]}}` : accented;
  },
  pi: '\\pi',
  product: (parts) => parts.join(' '),
  quotient: (n, d) => `\\frac{${n}}{${d}}`,
  power: (base, exponent) => `${base}^{${exponent}}`,
  root: (radicand) => `\\sqrt{${radicand}}`,
  call: (name, operands) =>
    ['sin', 'cos', 'tan', 'exp', 'log', 'sinh', 'cosh', 'tanh'].includes(name)
      ? `\\${name}\\left(${operands.join(', ')}\\right)`
      : `\\operatorname{${name}}\\left(${operands.join(', ')}\\right)`,
  stumpff: (order, argument) => `c_{${order}}\\left(${argument}\\right)`,
  select: (c, a, b) => `\\begin{cases}${a} & ${c}\\\\ ${b} & \\text{otherwise}\\end{cases}`,
  comparison: { '<': '<', '<=': '\\le', '==': '=' },
  parenthesise: (text) => `\\left(${text}\\right)`,
};

const SUM = 1;
const PRODUCT = 2;
const POWER = 3;
const ATOM = 4;

interface Printed {
  text: string;
  precedence: number;
}

/** Expressions with more nodes than this (as trees) print as an ellipsis: nobody reads them. */
const LIMIT = 4_000;

/** Memoised by node: shared subexpressions are printed once. */
function print(e: Expr, notation: Notation, memo: Map<Expr, Printed>): Printed {
  const known = memo.get(e);
  if (known) return known;
  if (e.size > LIMIT) {
    const ellipsis = { text: '…', precedence: ATOM };
    memo.set(e, ellipsis);
    return ellipsis;
  }
  const sub = (child: Expr, minimum: number): string => {
    const printed = print(child, notation, memo);
    return printed.precedence < minimum ? notation.parenthesise(printed.text) : printed.text;
  };
  let result: Printed;
  switch (e.kind) {
    case 'rational': {
      const negative = Rational.isNegative(e.value);
      result = {
        text: notation.number(e.value),
        precedence: negative ? SUM : Rational.isInteger(e.value) ? ATOM : PRODUCT,
      };
      break;
    }
    case 'constant':
      result = { text: notation.pi, precedence: ATOM };
      break;
    case 'symbol':
      result = { text: notation.symbol(e.name), precedence: ATOM };
      break;
    case 'sum': {
      let text = '';
      if (!Rational.isZero(e.constant)) text = notation.number(e.constant);
      for (const { coefficient, term } of e.terms) {
        const negative = Rational.isNegative(coefficient);
        const magnitude = Rational.absolute(coefficient);
        const part = Rational.isOne(magnitude)
          ? sub(term, PRODUCT)
          : notation.product([notation.number(magnitude), sub(term, PRODUCT)]);
        if (text === '') text = negative ? `-${part}` : part;
        else text += negative ? ` - ${part}` : ` + ${part}`;
      }
      result = { text, precedence: SUM };
      break;
    }
    case 'product':
      result = printProduct(e, notation, sub);
      break;
    case 'call':
      result = {
        text: notation.call(
          e.name,
          e.arguments.map((a) => sub(a, 0)),
        ),
        precedence: ATOM,
      };
      break;
    case 'stumpff':
      result = { text: notation.stumpff(e.order, sub(e.argument, 0)), precedence: ATOM };
      break;
    case 'select':
      result = { text: notation.select(sub(e.condition, 0), sub(e.then, 0), sub(e.otherwise, 0)), precedence: ATOM };
      break;
    case 'compare':
      result = { text: `${sub(e.left, SUM)} ${notation.comparison[e.operator]} ${sub(e.right, SUM)}`, precedence: 0 };
      break;
    case 'logic':
      result = {
        text:
          e.operator === 'not'
            ? `not (${sub(e.operands[0]!, 0)})`
            : e.operands.map((o) => sub(o, SUM)).join(` ${e.operator} `),
        precedence: 0,
      };
      break;
  }
  memo.set(e, result);
  return result;
}

function printProduct(
  e: Expr & { kind: 'product' },
  notation: Notation,
  sub: (child: Expr, minimum: number) => string,
): Printed {
  const above: string[] = [];
  const below: string[] = [];
  const magnitude = Rational.absolute(e.coefficient);
  if (magnitude.numerator !== 1n) above.push(magnitude.numerator.toString());
  if (magnitude.denominator !== 1n) below.push(magnitude.denominator.toString());
  for (const { base, exponent } of e.factors) {
    const positive = Rational.absolute(exponent);
    const text = Rational.isOne(positive)
      ? sub(base, POWER)
      : Rational.equals(positive, HALF)
        ? notation.root(sub(base, 0))
        : notation.power(
            sub(base, ATOM),
            Rational.isInteger(positive)
              ? Rational.toString(positive)
              : notation.parenthesise(Rational.toString(positive)),
          );
    (Rational.isNegative(exponent) ? below : above).push(text);
  }
  const numerator = above.length === 0 ? '1' : notation.product(above);
  const denominator =
    below.length > 1 && notation === plain ? notation.parenthesise(notation.product(below)) : notation.product(below);
  const text = below.length === 0 ? numerator : notation.quotient(numerator, denominator);
  const negative = Rational.isNegative(e.coefficient);
  const single = above.length + below.length === 1 && below.length === 0;
  return { text: negative ? `-${text}` : text, precedence: negative ? SUM : single ? POWER : PRODUCT };
}

function printAll(e: Expr, notation: Notation): string {
  const memo = new Map<Expr, Printed>();
  for (const node of postorder([e])) print(node, notation, memo); // operands first: no deep recursion
  return memo.get(e)!.text;
}

/** Plain text; scopes (`body.`) are dropped from names. */
export function toText(e: Expr): string {
  return printAll(e, plain);
}

export function toLatex(e: Expr): string {
  return printAll(e, latex);
}
