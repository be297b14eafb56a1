/**
 * Base parameters: the fewest combinations of parameters that forces depend on, found in the regressor at states that excite
 * everything (Gautier 1991, Numerical calculation of the base inertial parameters of robots, J. Robotic Systems 8(4)).
 */
import { baseFormulas, type BaseFormula, type GeometricConstant } from './base-formulas.ts';
import type { IdentifiedParameter } from './parameters.ts';
import type { Regressor } from './regressor.ts';
import type { MotionState } from './exciting-states.ts';

/** A combination of parameters that can be identified: the first with factor 1. */
export interface BaseParameter {
  /** Index of the parameter that it is called after. */
  readonly index: number;
  /** What else is in it, and cannot be told from it. */
  readonly others: readonly { readonly index: number; readonly factor: number }[];
}

export interface BaseParameters {
  /** By index. */
  readonly base: readonly BaseParameter[];
  /** Indices of parameters that no force depends on. */
  readonly without: readonly number[];
  /** Root mean square of the forces that a parameter of its size makes at exciting states, by parameter, in units of `forces`. */
  readonly effects: readonly number[];
  /** The largest forces at exciting states, by coordinate. */
  readonly forces: readonly number[];
  /** The same combinations by the geometry, of robots of rigid links. */
  readonly formulas?: readonly BaseFormula[];
}

/** Of the effect of a column: what is left of it beside others is rounding below. */
const TOLERANCE = 1e-9;
/** Factors are lengths, squares of lengths and plain numbers: below this they are rounding. */
const SMALLEST_FACTOR = 1e-9;
const LEAST_STATES = 40;

/**
 * Parameters are taken in their order (run-time parameters, then links from the base outwards, as in Khalil & Dombre 2002,
 * ch. 9), and kept unless they are a combination of those that are kept.
 */
export function baseParameters(regressor: Regressor): BaseParameters {
  const { parameters, coordinates } = regressor;
  const count = Math.max(LEAST_STATES, Math.ceil((3 * parameters.length) / coordinates));
  const found = combinationsAt(regressor, regressor.excitingStates(count), TOLERANCE);
  const formulas = baseFormulas(regressor.robot, parameters);
  return { ...found, ...(formulas && { formulas }) };
}

/** The combinations that forces at these states tell. @param tolerance share of a column that is none of its own. */
export function combinationsAt(
  regressor: Regressor,
  states: readonly MotionState[],
  tolerance: number,
): BaseParameters {
  const { parameters } = regressor;
  const { columns, forces } = stackedColumns(regressor, states);
  const rows = columns[0]!.length;
  const effects = columns.map((column) => norm(column) / Math.sqrt(rows));
  const least = tolerance * Math.max(...effects);
  const kept: { index: number; unit: Float64Array; column: Float64Array }[] = [];
  const without: number[] = [];
  const dependent: { index: number; shares: Float64Array }[] = [];
  columns.forEach((column, index) => {
    if (!(effects[index]! > least)) return void without.push(index);
    const rest = column.slice();
    const shares = new Float64Array(columns.length);
    // Twice is enough (Kahan; Parlett 1980): what is left is orthogonal to rounding.
    for (let pass = 0; pass < 2; pass++)
      kept.forEach(({ unit }, j) => {
        const share = dot(unit, rest);
        shares[j]! += share;
        for (let r = 0; r < rows; r++) rest[r]! -= share * unit[r]!;
      });
    const left = norm(rest);
    if (left > tolerance * norm(column)) kept.push({ index, unit: rest.map((x) => x / left), column });
    else dependent.push({ index, shares });
  });
  const others = kept.map((): { index: number; factor: number }[] => []);
  const size = (index: number): number => parameters[index]!.size;
  for (const { index, shares } of dependent)
    combination(kept, shares).forEach((factor, j) => {
      if (Math.abs(factor) > SMALLEST_FACTOR)
        others[j]!.push({ index, factor: (factor * size(kept[j]!.index)) / size(index) });
    });
  return { base: kept.map(({ index }, j) => ({ index, others: others[j]! })), without, effects, forces };
}

/** Columns of the regressor at exciting states, each for a parameter of its size, coordinates scaled by their forces. */
function stackedColumns(
  regressor: Regressor,
  at: readonly MotionState[],
): { columns: Float64Array[]; forces: number[] } {
  const { parameters, coordinates: n } = regressor;
  const p = parameters.length;
  const states = at.flatMap((state) => regressor.at(state) ?? []);
  const forces = Array.from({ length: n }, (_, k) =>
    Math.max(...states.map(({ Y }) => Math.hypot(...parameters.map(({ size }, i) => Y[k * p + i]! * size)))),
  );
  const columns = parameters.map(({ size }, i) =>
    Float64Array.from({ length: states.length * n }, (_, row) => {
      const k = row % n;
      return (states[Math.floor(row / n)]!.Y[k * p + i]! * size) / (forces[k] || 1);
    }),
  );
  return { columns, forces };
}

/** Factors x of Σ x_j column_j = Σ share_j unit_j, by substitution backwards. */
function combination(
  kept: readonly { unit: Float64Array; column: Float64Array }[],
  shares: Float64Array,
): Float64Array {
  const x = new Float64Array(kept.length);
  for (let j = kept.length - 1; j >= 0; j--) {
    let share = shares[j]!;
    for (let i = j + 1; i < kept.length; i++) share -= x[i]! * dot(kept[j]!.unit, kept[i]!.column);
    x[j] = share / dot(kept[j]!.unit, kept[j]!.column);
  }
  return x;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

function norm(a: Float64Array): number {
  return Math.sqrt(dot(a, a));
}

/** Value of a base parameter for values of all parameters. */
export function baseValue({ index, others }: BaseParameter, values: readonly number[]): number {
  return others.reduce((sum, other) => sum + other.factor * values[other.index]!, values[index]!);
}

/** `link2.Izz + 0.09 link3.m - link3.Iyy`. */
export function baseName({ index, others }: BaseParameter, parameters: readonly IdentifiedParameter[]): string {
  const terms = others.map(({ index: other, factor }) => {
    const size = Math.abs(factor);
    const shown = Math.abs(size - 1) < 1e-9 ? '' : `${Number(size.toPrecision(5))} `;
    return ` ${factor < 0 ? '-' : '+'} ${shown}${parameters[other]!.name}`;
  });
  return `${parameters[index]!.name}${terms.join('')}`;
}

/** A combination as a formula of the geometry, and what it names. */
export interface NamedFormula {
  /** `link2.Izz + link2_distal_x^2 link3.m`. */
  readonly text: string;
  readonly constants: readonly GeometricConstant[];
}

/** Factors by formulas and by states: further apart they are not those of the same combination. */
const SAME_FACTOR = 1e-6;

/** Undefined where parameters other than those of rigid links are in it, or there are no formulas. */
export function baseFormula(
  { index, others }: BaseParameter,
  { formulas }: BaseParameters,
  parameters: readonly IdentifiedParameter[],
): NamedFormula | undefined {
  const own = formulas?.find((one) => one.index === index);
  if (own?.others.length !== others.length) return undefined;
  const isSame = own.others.every(({ index: other, factor }) =>
    others.some((one) => one.index === other && Math.abs(one.factor - factor) <= SAME_FACTOR * Math.abs(factor)),
  );
  if (!isSame) return undefined;
  const terms = own.others.map(({ index: other, formula }) => `${factorText(formula)}${parameters[other]!.name}`);
  return { text: [parameters[index]!.name, ...terms].join(''), constants: own.constants };
}

/** ` + a^2 `, ` - (a + b) `. */
function factorText(formula: string): string {
  const isSum = / [+-] /.test(formula);
  if (isSum) return ` + (${formula}) `;
  const [sign, size] = formula.startsWith('-') ? ['-', formula.slice(1)] : ['+', formula];
  return ` ${sign} ${size === '1' ? '' : `${size} `}`;
}

/** A base parameter as a column of a generated regressor. */
export interface BaseColumn {
  /** Index of the parameter that it is called after. */
  readonly parameter: number;
  readonly name: string;
  readonly unit: string;
  /** In the robot file. */
  readonly value: number;
  readonly formula?: NamedFormula;
}

export function baseColumns(regressor: Regressor): BaseColumn[] {
  const { parameters } = regressor;
  const values = parameters.map(({ value }) => value);
  const structure = baseParameters(regressor);
  return structure.base.map((own) => {
    const formula = baseFormula(own, structure, parameters);
    return {
      parameter: own.index,
      name: baseName(own, parameters),
      unit: parameters[own.index]!.unit,
      value: baseValue(own, values),
      ...(formula && { formula }),
    };
  });
}
