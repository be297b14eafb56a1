/**
 * The dimension of a formula, checked on the way: lengths are not added to angles, sines take plain numbers.
 * `undefined` is the dimension of what fits anything: zero, and parameters given as bare numbers.
 */
import { KanegenError } from '../../common/error.ts';
import { formulaValue, isVector, type FormulaScope, type FurtherFunctions } from '../../symbolic/formulas/formula.ts';
import type { Formula } from '../../symbolic/formulas/parse.ts';
import { Rational } from '../../symbolic/graph/rational.ts';
import {
  dimensionName,
  dimensionPower,
  dimensionless,
  equalDimensions,
  multiplyDimensions,
  type Dimension,
} from './units.ts';

export interface DimensionScope extends FormulaScope {
  /** Of a name in scope; undefined when it fits anything. */
  dimension(name: string): Dimension | undefined;
  readonly further?: FurtherDimensions | undefined;
}

/** Functions that some formulas have beside those of all, with the dimensions of their values. */
export interface FurtherDimensions extends FurtherFunctions {
  /** @returns undefined for functions that are none of these. */
  dimension(
    formula: Formula & { readonly kind: 'call' },
    dimensionOf: (operand: Formula) => MaybeDimension,
  ): { readonly is: MaybeDimension } | undefined;
}

export type MaybeDimension = Dimension | undefined;

/** @throws KanegenError `wrong-unit` with the offset of the part that does not fit. */
export function formulaDimension(formula: Formula, scope: DimensionScope): MaybeDimension {
  switch (formula.kind) {
    case 'number':
      return Rational.isZero(formula.value) ? undefined : dimensionless;
    case 'name':
      return scope.value(formula.name) === undefined ? dimensionless : scope.dimension(formula.name);
    case 'sum':
      return common(
        formula.terms.map((t) => t.term),
        scope,
        'is added to',
      );
    case 'product':
      return productDimension(formula.factors, scope);
    case 'power':
      return powerDimension(formula.base, formula.exponent, scope);
    case 'vector':
      return common(formula.entries, scope, 'stands in one vector with');
    case 'select':
      formulaDimension(formula.condition, scope);
      return common([formula.then, formula.otherwise], scope, 'is the alternative to');
    case 'compare':
      common([formula.left, formula.right], scope, 'is compared with');
      return dimensionless;
    case 'logic':
      for (const operand of formula.operands) formulaDimension(operand, scope);
      return dimensionless;
    case 'call':
      return callDimension(formula, scope);
  }
}

function common(parts: readonly Formula[], scope: DimensionScope, verb: string): MaybeDimension {
  let due: MaybeDimension;
  for (const part of parts) {
    const dimension = formulaDimension(part, scope);
    if (dimension === undefined) continue;
    due ??= dimension;
    if (!equalDimensions(due, dimension)) throw mismatch(part, dimension, verb, due, parts);
  }
  return due;
}

function mismatch(
  part: Formula,
  dimension: Dimension,
  verb: string,
  due: Dimension,
  parts: readonly Formula[],
): KanegenError {
  const number = parts.find((p) => p.kind === 'number');
  const unit = dimensionName(number === part ? due : dimension).match(/\(?(\S+( m\^2)?)\)?$/)?.[1] ?? 'm';
  const remedy = number
    ? `numbers inside a formula have no unit: give this one a name under parameters (\`c: 1 ${unit.replace(/[()]/g, '')}\`) and use the name`
    : 'make both sides the same kind of quantity, for example with a parameter `c: 1 m` to multiply or divide by';
  return new KanegenError('wrong-unit', `${dimensionName(dimension)} ${verb} ${dimensionName(due)}`, {
    offset: part.at,
    remedy,
  });
}

function productDimension(
  factors: readonly { readonly inverse: boolean; readonly factor: Formula }[],
  scope: DimensionScope,
): MaybeDimension {
  let total: MaybeDimension = dimensionless;
  for (const { inverse, factor } of factors) {
    const dimension = formulaDimension(factor, scope);
    if (dimension === undefined || total === undefined) total = undefined;
    else total = multiplyDimensions(total, inverse ? dimensionPower(dimension, -1) : dimension);
  }
  return total;
}

function powerDimension(base: Formula, exponent: Formula, scope: DimensionScope): MaybeDimension {
  plain(exponent, scope, 'an exponent');
  const dimension = formulaDimension(base, scope);
  if (dimension === undefined || equalDimensions(dimension, dimensionless)) return dimension;
  const value = formulaValue(exponent, scope);
  if (!isVector(value) && value.kind === 'rational') return dimensionPower(dimension, Rational.toNumber(value.value));
  throw new KanegenError('wrong-unit', `${dimensionName(dimension)} to a variable power`, {
    offset: base.at,
    remedy: 'divide the base by a quantity of its kind first',
  });
}

const TIME: Dimension = [0, 0, 1, 0, 0];

/** Checks that a formula is dimensionless. */
function plain(formula: Formula, scope: DimensionScope, what: string): void {
  const dimension = formulaDimension(formula, scope);
  if (dimension === undefined || equalDimensions(dimension, dimensionless)) return;
  throw new KanegenError('wrong-unit', `${what} must be a plain number or an angle, not ${dimensionName(dimension)}`, {
    offset: formula.at,
    remedy: equalDimensions(dimension, TIME)
      ? 'multiply by a rate: a parameter such as `w: 2 rad/s`'
      : 'divide by a quantity of the same kind, for example by a length such as L',
  });
}

function callDimension(formula: Formula & { kind: 'call' }, scope: DimensionScope): MaybeDimension {
  const { name, operands } = formula;
  const macro = scope.macro(name);
  if (macro) return macroDimension(formula, macro.parameters, macro.body, scope);
  const further = scope.further?.dimension(formula, (operand) => formulaDimension(operand, scope));
  if (further) return further.is;
  switch (name) {
    case 'sqrt': {
      const dimension = formulaDimension(operands[0]!, scope);
      return dimension && dimensionPower(dimension, 0.5);
    }
    case 'abs':
    case 'norm':
      return formulaDimension(operands[0]!, scope);
    case 'min':
    case 'max':
    case 'hypot':
      return common(operands, scope, 'is compared with');
    case 'atan2':
      common(operands, scope, 'is compared with');
      return dimensionless;
    case 'sign':
      formulaDimension(operands[0]!, scope);
      return dimensionless;
    case 'pow':
      return powerDimension(operands[0]!, operands[1]!, scope);
    case 'select':
      formulaDimension(operands[0]!, scope);
      return common(operands.slice(1), scope, 'is the alternative to');
    case 'dot':
    case 'cross':
      return productDimension(
        operands.map((factor) => ({ inverse: false, factor })),
        scope,
      );
    default:
      for (const operand of operands) plain(operand, scope, `the argument of ${name}`);
      return dimensionless;
  }
}

function macroDimension(
  formula: Formula & { kind: 'call' },
  parameters: readonly string[],
  body: Formula,
  scope: DimensionScope,
): MaybeDimension {
  const dimensions = new Map(parameters.map((name, i) => [name, formulaDimension(formula.operands[i]!, scope)]));
  const values = new Map(parameters.map((name, i) => [name, formulaValue(formula.operands[i]!, scope)]));
  const inner: DimensionScope = {
    value: (name) => values.get(name),
    macro: (name) => scope.macro(name),
    names: () => parameters,
    dimension: (name) => dimensions.get(name),
  };
  try {
    return formulaDimension(body, inner);
  } catch (error) {
    if (!(error instanceof KanegenError)) throw error;
    throw new KanegenError(error.code, `in ${formula.name}: ${error.message}`, {
      offset: formula.at,
      remedy: error.remedy,
    });
  }
}
