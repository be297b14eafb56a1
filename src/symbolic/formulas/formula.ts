/**
 * The meaning of a parsed formula: syntax tree + names in scope → expression, or vector of expressions.
 * Names are data that the caller resolves; nothing of a formula is ever evaluated as code.
 */
import { BASIS_CALLS } from './basis-functions.ts';
import { KanegenError } from '../../common/error.ts';
import {
  call,
  compare,
  logic,
  negate,
  one,
  pi,
  plus,
  power,
  rational,
  select,
  sqrt,
  square,
  times,
  zero,
  type Expr,
  type FunctionName,
} from '../graph/expr.ts';
import { KNOWN_FUNCTIONS, partsOf, type ComparisonSign, type Formula } from './parse.ts';
import { nearest } from '../../common/nearest.ts';
import { Rational } from '../graph/rational.ts';
import { cross, vector3 } from '../graph/vector.ts';

/** A scalar, or a vector as the list of its entries. */
export type FormulaValue = Expr | readonly Expr[];

/** A scalar function of its own arguments alone: `smooth(t): 3*t^2 - 2*t^3`. */
export interface Macro {
  readonly parameters: readonly string[];
  readonly body: Formula;
}

/** Functions that some formulas have beside those of all: of names that are no values, such as frames. */
export interface FurtherFunctions {
  readonly names: readonly string[];
  /** @param valueOf what an operand means. @returns undefined for functions that are none of these. */
  value(
    formula: Formula & { readonly kind: 'call' },
    valueOf: (operand: Formula) => FormulaValue,
  ): FormulaValue | undefined;
  /** What components that are written one by one mean, where that is not themselves. */
  vector?(entries: readonly Expr[]): readonly Expr[];
}

/** The names that a formula may use. They win over `pi` and over the names of functions. */
export interface FormulaScope {
  value(name: string): FormulaValue | undefined;
  macro(name: string): Macro | undefined;
  /** All names, for suggestions. */
  names(): readonly string[];
  readonly further?: FurtherFunctions | undefined;
  /** Is this the name of a unit, which formulas do not have? For suggestions. */
  isUnit?(name: string): boolean;
  /** What to write in place of a name that has a meaning elsewhere. */
  remedyFor?(name: string): string | undefined;
  /** Told of every part of a formula with what it became; `offset` is that of its first character. */
  note?(part: Expr, offset: number): void;
}

export function isVector(value: FormulaValue): value is readonly Expr[] {
  return Array.isArray(value);
}

const ONE_ARGUMENT = new Set<string>([
  'sin',
  'cos',
  'tan',
  'asin',
  'acos',
  'atan',
  'sinh',
  'cosh',
  'tanh',
  'exp',
  'log',
  'sqrt',
  'abs',
  'sign',
  'norm',
]);
/** Bits of an exact constant beyond which a power of it is refused: far above anything a double can hold. */
const LARGEST_CONSTANT = 20_000;
/** Macro calls one formula may expand to. */
const MOST_CALLS = 20_000;

/** What to do where a mistake has no remedy of its own. */
const REMEDIES: Readonly<Record<string, string>> = {
  'division-by-zero': 'write the limit, or divide by a quantity that is zero at isolated points only',
  'formula-too-large': 'name its parts under `let:`, or write the constant as a number',
  'outside-domain': 'check the sign of the argument',
  'wrong-argument-count': 'give as many arguments as the function takes',
  'wrong-shape': 'write vectors as [a, b, c], and choices as condition ? a : b',
};

function fail(code: string, message: string, formula: Formula, remedy = REMEDIES[code]): KanegenError {
  return new KanegenError(code, message, { offset: formula.at, remedy });
}

function bits(value: Rational): number {
  return value.numerator.toString(16).length * 4 + value.denominator.toString(16).length * 4;
}

function coefficientOf(e: Expr): Rational | undefined {
  if (e.kind === 'rational') return e.value;
  return e.kind === 'product' ? e.coefficient : undefined;
}

function isCondition(value: FormulaValue): boolean {
  return !isVector(value) && (value.kind === 'compare' || value.kind === 'logic');
}

class Meaning {
  private calls = 0;

  /** Vector, scalar or condition. */
  value(formula: Formula, scope: FormulaScope): FormulaValue {
    const value = this.meaning(formula, scope);
    if (scope.note) for (const e of isVector(value) ? value : [value]) scope.note(e, formula.at);
    return value;
  }

  private meaning(formula: Formula, scope: FormulaScope): FormulaValue {
    switch (formula.kind) {
      case 'number':
        return rational(formula.value);
      case 'name':
        return this.name(formula, scope);
      case 'call':
        return this.call(formula, scope);
      case 'sum':
        return this.sum(formula, scope);
      case 'product':
        return this.product(formula, scope);
      case 'power':
        return powerOf(this.scalar(formula.base, scope), this.scalar(formula.exponent, scope), formula);
      case 'vector':
        return this.vector(formula, scope);
      case 'select':
        return this.choice(formula.condition, formula.then, formula.otherwise, formula, scope);
      case 'compare':
        return comparison(formula.operator, this.scalar(formula.left, scope), this.scalar(formula.right, scope));
      case 'logic':
        return logic(formula.operator, ...formula.operands.map((operand) => this.condition(operand, scope)));
    }
  }

  scalar(formula: Formula, scope: FormulaScope): Expr {
    const value = this.value(formula, scope);
    if (isVector(value))
      throw fail('wrong-shape', 'expected a number, not a vector', formula, 'name the component you mean');
    if (isCondition(value))
      throw fail('wrong-shape', 'expected a number, not a condition', formula, 'write condition ? a : b');
    return value;
  }

  private condition(formula: Formula, scope: FormulaScope): Expr {
    const value = this.value(formula, scope);
    if (isVector(value) || !isCondition(value))
      throw fail(
        'wrong-shape',
        'expected a condition, not a number',
        formula,
        'write a comparison such as x < 1, in parentheses after `not`',
      );
    return value;
  }

  private vector({ entries }: Formula & { kind: 'vector' }, scope: FormulaScope): readonly Expr[] {
    const own = entries.map((entry) => this.scalar(entry, scope));
    return scope.further?.vector?.(own) ?? own;
  }

  private name(formula: Formula & { kind: 'name' }, scope: FormulaScope): FormulaValue {
    const value = scope.value(formula.name);
    if (value !== undefined) return value;
    if (formula.name === 'pi') return pi;
    throw unknownName(formula, scope);
  }

  private sum(formula: Formula & { kind: 'sum' }, scope: FormulaScope): FormulaValue {
    const values = formula.terms.map(({ term }) => this.value(term, scope));
    const vector = values.find(isVector);
    if (!vector) {
      const terms = formula.terms.map(({ negative, term }, i) => {
        if (isCondition(values[i]!)) throw fail('wrong-shape', 'expected a number, not a condition', term);
        return negative ? negate(values[i] as Expr) : (values[i] as Expr);
      });
      return plus(...terms);
    }
    const length = vector.length;
    for (const [i, value] of values.entries()) {
      const term = formula.terms[i]!.term;
      if (!isVector(value))
        throw fail('wrong-shape', 'a number is added to a vector', term, 'multiply it by a vector such as [1, 0, 0]');
      if (value.length !== length)
        throw fail('wrong-shape', `a vector of ${value.length} entries is added to one of ${length}`, term);
    }
    return Array.from({ length }, (_, k) =>
      plus(
        ...formula.terms.map(({ negative }, i) => {
          const entry = (values[i] as readonly Expr[])[k]!;
          return negative ? negate(entry) : entry;
        }),
      ),
    );
  }

  private product(formula: Formula & { kind: 'product' }, scope: FormulaScope): FormulaValue {
    const scalars: Expr[] = [];
    let vector: readonly Expr[] | undefined;
    for (const { inverse, factor } of formula.factors) {
      const value = this.value(factor, scope);
      if (isVector(value)) {
        if (inverse) throw fail('wrong-shape', 'division by a vector', factor, 'divide by norm(v) or by a component');
        if (vector) throw fail('wrong-shape', 'vector times vector', factor, 'write dot(a, b) or cross(a, b)');
        vector = value;
        continue;
      }
      if (isCondition(value)) throw fail('wrong-shape', 'expected a number, not a condition', factor);
      if (inverse && value === zero) throw fail('division-by-zero', 'division by zero', factor);
      scalars.push(inverse ? power(value, -1) : value);
    }
    return vector ? vector.map((entry) => times(...scalars, entry)) : times(...scalars);
  }

  private choice(c: Formula, a: Formula, b: Formula, whole: Formula, scope: FormulaScope): FormulaValue {
    const condition = this.condition(c, scope);
    const then = this.value(a, scope);
    const otherwise = this.value(b, scope);
    if (!isVector(then) && !isVector(otherwise)) return select(condition, this.scalar(a, scope), this.scalar(b, scope));
    if (!isVector(then) || !isVector(otherwise) || then.length !== otherwise.length)
      throw fail(
        'wrong-shape',
        'the two branches have different shapes',
        whole,
        'give both the same number of entries',
      );
    return then.map((entry, k) => select(condition, entry, otherwise[k]!));
  }

  private call(formula: Formula & { kind: 'call' }, scope: FormulaScope): FormulaValue {
    const { name, operands } = formula;
    const macro = scope.macro(name);
    if (macro) return this.expand(formula, macro, scope);
    if (scope.value(name) !== undefined || name === 'pi')
      throw fail(
        'unknown-function',
        `\`${name}(…)\` reads as a call, but ${name} is not a function`,
        formula,
        `write ${name}*(…) for a product`,
      );
    const further = scope.further?.value(formula, (operand) => this.value(operand, scope));
    if (further !== undefined) return further;
    if (!KNOWN_FUNCTIONS.has(name)) throw unknownFunction(formula, scope);
    checkCount(formula);
    if (name === 'select') return this.choice(operands[0]!, operands[1]!, operands[2]!, formula, scope);
    if (name === 'dot' || name === 'cross' || name === 'norm') return this.vectorFunction(formula, scope);
    return scalarFunction(
      name,
      operands.map((operand) => this.scalar(operand, scope)),
      formula,
    );
  }

  private expand(formula: Formula & { kind: 'call' }, macro: Macro, scope: FormulaScope): Expr {
    if (formula.operands.length !== macro.parameters.length)
      throw fail(
        'wrong-argument-count',
        `${formula.name} takes ${macro.parameters.length} argument${macro.parameters.length === 1 ? '' : 's'}, not ${formula.operands.length}`,
        formula,
        `write ${formula.name}(${macro.parameters.join(', ')})`,
      );
    if (++this.calls > MOST_CALLS)
      throw fail('formula-too-large', `more than ${MOST_CALLS} function calls in one formula`, formula);
    const values = new Map(macro.parameters.map((name, i) => [name, this.scalar(formula.operands[i]!, scope)]));
    const inner: FormulaScope = {
      value: (name) => values.get(name),
      macro: (name) => scope.macro(name),
      names: () => [...values.keys()],
    };
    try {
      return this.scalar(macro.body, inner);
    } catch (error) {
      // Offsets inside the function's own text mean nothing in the formula that calls it.
      if (!(error instanceof KanegenError)) throw error;
      throw fail(error.code, `in ${formula.name}: ${error.message}`, formula, error.remedy);
    }
  }

  private vectorFunction(formula: Formula & { kind: 'call' }, scope: FormulaScope): FormulaValue {
    const vectors = formula.operands.map((operand) => {
      const value = this.value(operand, scope);
      if (!isVector(value)) throw fail('wrong-shape', `${formula.name} takes vectors`, operand, 'write [a, b, c]');
      return value;
    });
    const a = vectors[0]!;
    const b = vectors[1] ?? a;
    if (a.length !== b.length) throw fail('wrong-shape', 'the two vectors have different lengths', formula);
    if (formula.name === 'cross') {
      if (a.length !== 3) throw fail('wrong-shape', 'cross takes vectors of three entries', formula);
      return cross(vector3(a), vector3(b));
    }
    const product = plus(...a.map((entry, k) => times(entry, b[k]!)));
    return formula.name === 'dot' ? product : sqrt(product);
  }
}

function checkCount(formula: Formula & { kind: 'call' }): void {
  const { name, operands } = formula;
  const count = operands.length;
  const basis = BASIS_CALLS.get(name);
  const [least, most] = basis
    ? [basis.count, basis.count]
    : name === 'select'
      ? [3, 3]
      : name === 'min' || name === 'max'
        ? [2, 64]
        : name === 'hypot'
          ? [1, 64]
          : ONE_ARGUMENT.has(name)
            ? [1, 1]
            : [2, 2];
  if (count >= least && count <= most) return;
  const due = least === most ? `${least}` : `at least ${least}`;
  throw fail('wrong-argument-count', `${name} takes ${due} argument${due === '1' ? '' : 's'}, not ${count}`, formula);
}

function basisCall(operands: readonly Expr[], formula: Formula & { kind: 'call' }): Expr {
  try {
    return BASIS_CALLS.get(formula.name)!.apply(operands);
  } catch (error) {
    throw error instanceof KanegenError ? fail(error.code, error.message, formula, error.remedy) : error;
  }
}

function scalarFunction(name: string, operands: readonly Expr[], formula: Formula & { kind: 'call' }): Expr {
  const [x, y] = operands as [Expr, Expr];
  if (BASIS_CALLS.has(name)) return basisCall(operands, formula);
  switch (name) {
    case 'sqrt':
      return powerOf(x, rational({ numerator: 1n, denominator: 2n }), formula);
    case 'pow':
      return powerOf(x, y, formula);
    case 'hypot':
      return sqrt(plus(...operands.map(square)));
    case 'min':
      return operands.reduce((least, next) => select(compare('<=', least, next), least, next));
    case 'max':
      return operands.reduce((most, next) => select(compare('<=', next, most), most, next));
    case 'log':
      if (x.kind === 'rational' && (x === zero || Rational.isNegative(x.value)))
        throw fail('outside-domain', 'the logarithm of a number that is not positive', formula);
      return call('log', x);
    default:
      return call(name as FunctionName, ...operands);
  }
}

function powerOf(base: Expr, exponent: Expr, formula: Formula): Expr {
  if (exponent.kind !== 'rational') return call('pow', base, exponent);
  const { value } = exponent;
  if (base === zero && Rational.isNegative(value)) throw fail('division-by-zero', 'zero to a negative power', formula);
  const times = Math.max(1, Math.abs(Rational.toNumber(value)));
  // The square root of 17/4 to the power 1e9 is a rational number as well.
  for (const root of rootsIn(base))
    if (bits(root) * times > LARGEST_CONSTANT)
      throw fail('formula-too-large', 'this power of a constant is too large to be exact', formula);
  const coefficient = coefficientOf(base);
  if (coefficient && !Rational.isOne(coefficient)) {
    if (bits(coefficient) * times > LARGEST_CONSTANT || value.denominator > BigInt(LARGEST_CONSTANT))
      throw fail('formula-too-large', 'this power of a constant is too large to be exact', formula);
    if (Rational.isNegative(coefficient) && !Rational.isInteger(value) && base.kind === 'rational')
      throw fail('outside-domain', 'a root of a negative number', formula);
  }
  return power(base, value);
}

/** Constants that a product holds roots of. */
function rootsIn(base: Expr): Rational[] {
  if (base.kind !== 'product') return [];
  return base.factors.flatMap((factor) => coefficientOf(factor.base) ?? []).filter((root) => !Rational.isOne(root));
}

function comparison(operator: ComparisonSign, left: Expr, right: Expr): Expr {
  switch (operator) {
    case '<':
    case '<=':
    case '==':
      return compare(operator, left, right);
    case '>':
      return compare('<', right, left);
    case '>=':
      return compare('<=', right, left);
    case '!=':
      return logic('not', compare('==', left, right));
  }
}

function unknownName(formula: Formula & { kind: 'name' }, scope: FormulaScope): KanegenError {
  const { name } = formula;
  if (KNOWN_FUNCTIONS.has(name) || scope.macro(name))
    return fail('unknown-symbol', `${name} is a function`, formula, `write ${name}(…)`);
  if (name.length > 1 && scope.isUnit?.(name)) {
    const remedy = `formulas have no units: name the quantity under parameters (\`c: 6 ${name}\`) and write c`;
    return fail('unknown-symbol', `unknown symbol \`${name}\``, formula, remedy);
  }
  const elsewhere = scope.remedyFor?.(name);
  if (elsewhere) return fail('unknown-symbol', `unknown symbol \`${name}\``, formula, elsewhere);
  const close = nearest(name, [...scope.names(), 'pi']);
  const known =
    scope.names().length > 0 ? `known here: ${scope.names().slice(0, 30).join(', ')}` : 'no names are known here';
  return fail('unknown-symbol', `unknown symbol \`${name}\``, formula, close ? `did you mean \`${close}\`?` : known);
}

function unknownFunction(formula: Formula & { kind: 'call' }, scope: FormulaScope): KanegenError {
  const further = scope.further?.names ?? [];
  const close = nearest(formula.name, [
    ...KNOWN_FUNCTIONS,
    ...further,
    ...scope.names().filter((name) => scope.macro(name)),
  ]);
  return fail(
    'unknown-function',
    `unknown function \`${formula.name}\``,
    formula,
    close ? `did you mean \`${close}\`?` : `for a product write ${formula.name}*(…)`,
  );
}

/**
 * The value of a formula: a scalar expression or a vector of them.
 * @throws KanegenError with the offset of the mistake: `unknown-symbol`, `unknown-function`, `wrong-shape`,
 * `wrong-argument-count`, `division-by-zero`, `outside-domain`, `formula-too-large`.
 */
export function formulaValue(formula: Formula, scope: FormulaScope): FormulaValue {
  const value = new Meaning().value(formula, scope);
  if (isCondition(value))
    throw fail('wrong-shape', 'expected a number, not a condition', formula, 'write condition ? a : b');
  return value;
}

/** Checks a macro where it is defined: it may use its own arguments, `pi`, functions and macros defined before it. */
export function checkMacro(macro: Macro, earlier: (name: string) => Macro | undefined): void {
  const arguments_ = new Map(macro.parameters.map((name) => [name, one]));
  for (const part of partsOf(macro.body)) {
    if (part.kind === 'name' && !arguments_.has(part.name) && part.name !== 'pi')
      throw fail(
        'unknown-symbol',
        `unknown symbol \`${part.name}\`: a function sees only its own arguments`,
        part,
        `make \`${part.name}\` an argument`,
      );
    if (part.kind === 'vector') throw fail('wrong-shape', 'functions are scalar', part, 'use `let:` for vectors');
    if (part.kind === 'call' && !KNOWN_FUNCTIONS.has(part.name) && !earlier(part.name))
      throw fail('unknown-function', `unknown function \`${part.name}\``, part, 'define it above this one');
  }
}
