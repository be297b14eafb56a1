/**
 * Sine and cosine of one angle together: reduction by multiples of π/2 in three pieces (W. J. Cody, W. Waite, Software
 * Manual for the Elementary Functions, 1980), then a polynomial each. Within 2.3e-16 of exact up to 2²² rad; beyond, not a
 * number: what an angle costs does not depend on it. In single precision, turns are taken off in double precision beyond 5,000 rad.
 *
 * The statements are the same in every target and for lanes, so that all agree bit for bit whatever library they meet;
 * it is also faster than asking a library twice. The run time of C has one function for all modules (`sineCosineFunctionC`).
 */
import { decimalText, printProgram, type Target } from './print-arithmetic.ts';
import type { Program } from '../programs/program.ts';
import type { Statement, Tree } from '../programs/statement.ts';
import { minus, number, plus, times } from '../programs/tree.ts';
import { trigonometricPolynomial, type Precision } from './stumpff-polynomials.ts';
import { NO_OPERATIONS } from '../operations/operation-counts.ts';

/** Constants that differ between the scalar types in more than rounding, by the names they have in programs for lanes. */
export const REDUCTION_CONSTANTS = {
  /** Added and subtracted again it rounds to an integer. */
  KG_ROUNDER: { double: 6755399441055744, single: 12582912 },
  /** π/2 in three pieces; multiples of the first two are exact up to the largest angle. */
  KG_QUARTER_1: { double: 1.5707963267341256, single: 1.5703125 },
  KG_QUARTER_2: { double: 6.077100509014471e-11, single: 0.0004837512969970703 },
  KG_QUARTER_3: { double: -2.508278806334166e-20, single: 7.549789954891882e-8 },
} as const;

/** Angles that these pieces reduce, rad. */
export const LARGEST_ANGLE = { double: 4194304, single: 5000 } as const;

type Constant = keyof typeof REDUCTION_CONSTANTS;

/** With k the multiple of π/2 nearest to the angle: k itself, and sine and cosine of angle − k π/2. */
export interface ReducedAngle {
  readonly turns: Tree;
  readonly sine: Tree;
  readonly cosine: Tree;
}

/**
 * Statements that reduce an angle and evaluate the polynomials.
 * @param define appends a statement that names a value, and returns the name; the purpose is the stem of the name.
 * @param correction what the angle lacks, too small to show in it.
 * @param given turns, where a language rounds by itself.
 */
export function reduceAngle(
  angle: Tree,
  precision: Precision,
  define: (purpose: string, value: Tree) => Tree,
  constant: (name: Constant) => Tree,
  correction?: Tree,
  given?: Tree,
): ReducedAngle {
  const rounder = constant('KG_ROUNDER');
  const turns = given ?? define('turns', minus(plus(times(angle, number(2 / Math.PI)), rounder), rounder));
  const part = define('part', minus(angle, times(turns, constant('KG_QUARTER_1'))));
  const smaller = define('part', minus(part, times(turns, constant('KG_QUARTER_2'))));
  const reduced = minus(smaller, times(turns, constant('KG_QUARTER_3')));
  const rest = define('rest', correction ? plus(reduced, correction) : reduced);
  const z = define('square', times(rest, rest));
  const sine = define('sine', minus(rest, times(times(rest, z), polynomial(3, z, precision, define))));
  const tail = minus(number(0.5), times(z, polynomial(4, z, precision, define)));
  return { turns, sine, cosine: define('cosine', minus(number(1), times(z, tail))) };
}

/** Horner's rule, a statement to a coefficient. */
function polynomial(order: 3 | 4, z: Tree, precision: Precision, define: (purpose: string, value: Tree) => Tree): Tree {
  const coefficients = [...trigonometricPolynomial(order, precision)].reverse();
  let value = number(coefficients[0]!);
  for (const c of coefficients.slice(1)) {
    value = times(value, z);
    value = define('series', c < 0 ? minus(value, number(-c)) : plus(value, number(c)));
  }
  return value;
}

// ---------------------------------------------------------------------------------------------- printing

/** Statements from x to values named after `turns`, `sine` and `cosine`, indented. */
function bodyOf(
  target: Target,
  precision: Precision,
  x = 'x',
  nameOf: (purpose: string, time: number) => string = (purpose, time) => (time === 1 ? purpose : `${purpose}_${time}`),
  correction?: Tree,
  turns?: Tree,
): string[] {
  const statements: Statement[] = [];
  const seen = new Map<string, number>();
  const define = (purpose: string, value: Tree): Tree => {
    const time = (seen.get(purpose) ?? 0) + 1;
    seen.set(purpose, time);
    const name = nameOf(purpose, time);
    statements.push({ kind: 'let', name, value });
    return { kind: 'name', name };
  };
  const constant = (name: Constant): Tree => number(REDUCTION_CONSTANTS[name][precision]);
  reduceAngle({ kind: 'name', name: x }, precision, define, constant, correction, turns);
  const program: Program = {
    name: 'sine_and_cosine',
    reads: [],
    writes: [],
    loads: [],
    statements,
    counts: NO_OPERATIONS,
    slots: 0,
  };
  return printProgram(program, target, Infinity).parts[0]!.map((line) => `  ${line}`);
}

/** Inline in the header of the run time. Compilers that do not round as written are sent to the library. */
export function sineCosineFunctionC(target: Target): string {
  return `/* Beyond, sines and cosines are not numbers. */
#define KG_LARGEST_ANGLE KG_REAL(${decimalText(LARGEST_ANGLE.double)})
/* Beyond, whole turns are taken off first, in double. */
#ifdef KG_SINGLE
#define KG_REDUCED_ANGLE KG_REAL(${decimalText(LARGEST_ANGLE.single)})
#else
#define KG_REDUCED_ANGLE KG_LARGEST_ANGLE
#endif

/*
 * Sine and cosine of x: polynomials after reduction by multiples of pi/2, of the same cost whatever x. A null pointer
 * skips an output.
 */
static inline void kg_sine_and_cosine(kg_real x, kg_real *sine_of_x, kg_real *cosine_of_x)
{
  if (!(kg_abs(x) <= KG_REDUCED_ANGLE)) {
    if (!(kg_abs(x) <= KG_LARGEST_ANGLE)) {
      kg_mark(sine_of_x, 1);
      kg_mark(cosine_of_x, 1);
      return;
    }
#ifdef KG_SINGLE
    if (KG_ROUNDS_AS_WRITTEN) {
      const double wide = (double)x;
      const double rounder = 6755399441055744.0;
      x = (kg_real)(wide - (wide * ${1 / (2 * Math.PI)} + rounder - rounder) * ${2 * Math.PI});
    }
#endif
  }
  if (!KG_ROUNDS_AS_WRITTEN) {
    if (sine_of_x != NULL)
      *sine_of_x = kg_sin(x);
    if (cosine_of_x != NULL)
      *cosine_of_x = kg_cos(x);
    return;
  }
  {
#ifdef KG_SINGLE
${indented(bodyOf(target, 'single'))}
#else
${indented(bodyOf(target, 'double'))}
#endif
    const int quadrant = (int)turns & 3;
    const kg_real s = (quadrant & 1) != 0 ? cosine : sine;
    const kg_real c = (quadrant & 1) != 0 ? sine : cosine;
    if (sine_of_x != NULL)
      *sine_of_x = (quadrant & 2) != 0 ? -s : s;
    if (cosine_of_x != NULL)
      *cosine_of_x = ((quadrant + 1) & 2) != 0 ? -c : c;
  }
}`;
}

/**
 * Statements from `angle` and `correction` to `turns`, `sine` and `cosine` of what is left without its turns of π/2, for the
 * Stumpff functions of C.
 */
export function reducedAngleC(target: Target): string {
  const statements = (precision: Precision): string =>
    indented(bodyOf(target, precision, 'angle', undefined, { kind: 'name', name: 'correction' }));
  return `#ifdef KG_SINGLE
${statements('single')}
#else
${statements('double')}
#endif`;
}

/**
 * The same in single precision for WGSL, whose compilers may take sums apart: turns are rounded by a function of the language.
 * @param x name of the angle, rad. @param correction name of what it lacks, rad.
 */
export function reducedAngleWgsl(target: Target, x: string, correction?: string): string[] {
  const name = (own: string): Tree => ({ kind: 'name', name: own });
  const turns = `  ${target.declare('turns', `round(${x} * ${target.number(2 / Math.PI)})`)}`;
  const lacks = correction === undefined ? undefined : name(correction);
  return [turns, ...bodyOf(target, 'single', x, undefined, lacks, name('turns'))];
}

function indented(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}`).join('\n');
}

/** Names within the statements of a sine, which `program-names.ts` gives to no value. */
const ARGUMENT = 'unreduced';
const localName = (purpose: string, time = 1): string =>
  `reduced${purpose[0]!.toUpperCase()}${purpose.slice(1)}${time === 1 ? '' : time}`;

/**
 * Sine, cosine or both of an angle as values under these names, by statements: what a function of TypeScript returns two
 * numbers in costs as much as they do.
 */
export function sineCosineTypeScript(
  target: Target,
  argument: string,
  sine: string | undefined,
  cosine: string | undefined,
): string[] {
  const isName = /^\w+$/.test(argument);
  const x = isName ? argument : ARGUMENT;
  const [turns, own, other, quadrant] = ['turns', 'sine', 'cosine', 'quadrant'].map((purpose) => localName(purpose));
  const turned = (name: string, isSwapped: string, isNegative: string, value: string, swapped: string): string[] => [
    `  ${name} = ${isSwapped} ? ${swapped} : ${value};`,
    `  if (${isNegative}) ${name} = -${name};`,
  ];
  const isOdd = `(${quadrant} & 1) !== 0`;
  const lines = [
    `if (Math.abs(${x}) <= ${LARGEST_ANGLE.double}) {`,
    ...bodyOf(target, 'double', x, localName),
    `  const ${quadrant} = ${turns} & 3;`,
    ...(sine === undefined ? [] : turned(sine, isOdd, `(${quadrant} & 2) !== 0`, own!, other!)),
    ...(cosine === undefined ? [] : turned(cosine, isOdd, `((${quadrant} + 1) & 2) !== 0`, other!, own!)),
    '} else {',
    ...[sine, cosine].flatMap((name) => (name === undefined ? [] : [`  ${name} = NaN;`])),
    '}',
  ];
  return [
    ...[sine, cosine].flatMap((name) => (name === undefined ? [] : [`let ${name}: number;`])),
    ...(isName ? lines : ['{', `  const ${x} = ${argument};`, ...lines.map((line) => `  ${line}`), '}']),
  ];
}
