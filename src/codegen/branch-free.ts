/**
 * Programs without branches and without calls of sine and cosine, for many states side by side: both sides of a `select`
 * are computed, Stumpff functions are the polynomials that hold below π², sine and cosine polynomials after reduction
 * by multiples of π/2 (W. J. Cody, W. Waite, Software Manual for the Elementary Functions, 1980). States outside the
 * range of these are found by one more output, `range`: above 1 the state has to be computed again by the ordinary
 * function.
 *
 * Sine and cosine are within 2 units in the last place while the angles of a state, squared and added, stay
 * below the square of 100,000 rad (5,000 rad in single precision).
 */
import type { Program } from './program.ts';
import type { Statement, Tree } from './statement.ts';
import { namesIn } from './slots.ts';
import { setOf, stumpffStatements } from './stumpff-functions.ts';
import { HIGHEST_ARGUMENT, LOWEST_ARGUMENT, trigonometricPolynomial } from './stumpff-polynomials.ts';

/** Constants that differ between the scalar types in more than rounding, by the names they have in programs. */
export const NAMED_CONSTANTS = {
  /** Added and subtracted again it rounds to an integer. */
  KG_ROUNDER: { double: 6755399441055744, single: 12582912 },
  /** π/2 in three pieces; multiples of the first two are exact up to the largest angle. */
  KG_QUARTER_1: { double: 1.5707963267341256, single: 1.5703125 },
  KG_QUARTER_2: { double: 6.077100506303966e-11, single: 0.0004837512969970703 },
  KG_QUARTER_3: { double: 2.0222662487959506e-21, single: 7.549789954891882e-8 },
  /** 1 / square of the largest angle. */
  KG_ANGLE_SCALE: { double: 1e-10, single: 4e-8 },
} as const;

/** Buffer of the output that says whether the state was in range. */
export const RANGE = 'range';

type Select = Extract<Statement, { kind: 'select' }>;

/**
 * The same program without branches. Every `select` that is left chooses between two values that both exist.
 * @throws Error when an output is optional: guards are branches.
 */
export function branchFree(program: Program): Program {
  const { statements, range } = new Rewriter(program).rewrite(program);
  return {
    ...program,
    writes: [...program.writes, RANGE],
    statements: [...statements, { kind: 'store', place: { buffer: RANGE, index: 0 }, value: range }],
  };
}

class Rewriter {
  private readonly statements: Statement[] = [];
  /** Sine and cosine of an angle, by how the angle is written. */
  private readonly angles = new Map<string, { readonly sin: Tree; readonly cos: Tree }>();
  /** Of the arguments of Stumpff functions so far. */
  private largest: Tree | undefined;
  private smallest: Tree | undefined;
  /** Sum of the squares of the angles so far: no angle is larger than its root, and it costs less than a maximum. */
  private squaredAngles: Tree | undefined;
  private readonly taken: readonly string[];
  private names = 0;

  constructor(program: Program) {
    const names = [...program.loads.map((load) => load.name), ...namesIn(program.statements)];
    this.taken = names.filter((name) => name.startsWith('lane_'));
  }

  rewrite(program: Program): { statements: readonly Statement[]; range: Tree } {
    program.statements.forEach((statement) => this.statement(statement));
    const range = this.range();
    return { statements: this.statements, range };
  }

  private statement(statement: Statement): void {
    switch (statement.kind) {
      case 'let':
      case 'store':
        this.statements.push({ ...statement, value: this.tree(statement.value) });
        return;
      case 'stumpff':
        this.stumpff(statement);
        return;
      case 'select':
        this.select(statement);
        return;
      default:
        throw new Error(`${statement.kind} in a program that is to be free of branches`);
    }
  }

  private select(statement: Select): void {
    [...statement.then, ...statement.otherwise].forEach((inner) => this.statement(inner));
    const [thenValue, otherwiseValue] = [this.tree(statement.thenValue), this.tree(statement.otherwiseValue)];
    const condition = this.tree(statement.condition);
    this.statements.push({ ...statement, condition, then: [], thenValue, otherwise: [], otherwiseValue });
  }

  private stumpff(statement: Extract<Statement, { kind: 'stumpff' }>): void {
    const x = this.named('x', this.tree(statement.argument));
    this.largest = this.extreme('largest', this.largest, x);
    this.smallest = this.extreme('smallest', this.smallest, x);
    const wanted = new Map(statement.names.map(({ order, name }) => [order, name]));
    const group = this.fresh('stumpff');
    const nameOf = (order: number, step: number): string =>
      (step === 0 ? wanted.get(order) : undefined) ?? `${group}_${order}_${step}`;
    this.statements.push(...stumpffStatements(setOf(statement), x, nameOf, 'double'));
  }

  /** The tree with sine and cosine replaced. */
  private tree(tree: Tree): Tree {
    switch (tree.kind) {
      case 'call': {
        const operands = tree.operands.map((operand) => this.tree(operand));
        if (tree.name === 'sin' || tree.name === 'cos') return this.angle(operands[0]!)[tree.name];
        return { ...tree, operands };
      }
      case 'logic':
        return { ...tree, operands: tree.operands.map((operand) => this.tree(operand)) };
      case 'negate':
      case 'sqrt':
        return { ...tree, operand: this.tree(tree.operand) };
      case 'name':
      case 'load':
      case 'number':
        return tree;
      default:
        return { ...tree, left: this.tree(tree.left), right: this.tree(tree.right) };
    }
  }

  private angle(angle: Tree): { readonly sin: Tree; readonly cos: Tree } {
    const key = JSON.stringify(angle);
    let found = this.angles.get(key);
    if (!found) this.angles.set(key, (found = this.sineAndCosine(angle)));
    return found;
  }

  /** With k the multiple of π/2 nearest to the angle: r = angle − k π/2 and the quadrant k mod 4 in −2 … 2. */
  private sineAndCosine(written: Tree): { sin: Tree; cos: Tree } {
    const angle = this.named('angle', written);
    const square = times(angle, angle);
    this.squaredAngles = this.named('angles', this.squaredAngles ? plus(this.squaredAngles, square) : square);
    const k = this.named('turns', rounded(times(angle, number(2 / Math.PI))));
    const first = minus(angle, times(k, constant('KG_QUARTER_1')));
    const second = minus(first, times(k, constant('KG_QUARTER_2')));
    const r = this.named('rest', minus(second, times(k, constant('KG_QUARTER_3'))));
    const quadrant = this.named('quadrant', minus(k, times(rounded(times(k, number(0.25))), number(4))));
    const j2 = this.named('quadrant', times(quadrant, quadrant));
    // cos(j π/2) = 1 − j² (7 − j²)/6 and sin(j π/2) = j (4 − j²)/3 for the integers −2 … 2, exactly.
    const even = this.named('even', minus(number(1), times(times(j2, minus(number(7), j2)), number(1 / 6))));
    const odd = this.named('odd', times(times(quadrant, minus(number(4), j2)), number(1 / 3)));
    const z = this.named('square', times(r, r));
    const s = this.named('sine', minus(r, times(times(r, z), this.polynomial(3, z))));
    const tail = minus(number(0.5), times(z, this.polynomial(4, z)));
    const c = this.named('cosine', minus(number(1), times(z, tail)));
    return {
      sin: this.named('sin', plus(times(s, even), times(c, odd))),
      cos: this.named('cos', minus(times(c, even), times(s, odd))),
    };
  }

  /** Horner's rule, two coefficients to a statement. */
  private polynomial(order: 3 | 4, z: Tree): Tree {
    const coefficients = [...trigonometricPolynomial(order)].reverse();
    let value = number(coefficients[0]!);
    coefficients.slice(1).forEach((c, i) => {
      value = times(value, z);
      value = c < 0 ? minus(value, number(-c)) : plus(value, number(c));
      if (i % 2 === 1) value = this.named('series', value);
    });
    return value;
  }

  /** The larger or smaller of two values. Not a number may get lost here: it reaches the outputs in any case. */
  private extreme(which: 'largest' | 'smallest', known: Tree | undefined, value: Tree): Tree {
    if (!known) return this.named(which, value);
    const candidate = this.named(which, value);
    const [left, right] = which === 'largest' ? [known, candidate] : [candidate, known];
    const name = this.fresh(which);
    const condition: Tree = { kind: 'compare', operator: '<', left, right };
    const choice = { then: [], thenValue: candidate, otherwise: [], otherwiseValue: known };
    this.statements.push({ kind: 'select', name, condition, ...choice });
    return { kind: 'name', name };
  }

  /** How far the state is in the range, 1 at its ends. */
  private range(): Tree {
    const measures = [
      ...(this.largest ? [times(this.largest, number(1 / HIGHEST_ARGUMENT))] : []),
      ...(this.smallest ? [times(this.smallest, number(1 / LOWEST_ARGUMENT))] : []),
      ...(this.squaredAngles ? [times(this.squaredAngles, constant('KG_ANGLE_SCALE'))] : []),
    ];
    return measures.reduce<Tree | undefined>((most, m) => this.extreme('largest', most, m), undefined) ?? number(0);
  }

  /** A name that the program does not use, nor as the beginning of one that it uses. */
  private fresh(purpose: string): string {
    for (;;) {
      const name = `lane_${purpose}_${++this.names}`;
      if (!this.taken.some((taken) => taken.startsWith(name))) return name;
    }
  }

  private named(purpose: string, value: Tree): Tree {
    if (value.kind === 'name') return value;
    const name = this.fresh(purpose);
    this.statements.push({ kind: 'let', name, value });
    return { kind: 'name', name };
  }
}

function rounded(value: Tree): Tree {
  return minus(plus(value, constant('KG_ROUNDER')), constant('KG_ROUNDER'));
}

function constant(name: keyof typeof NAMED_CONSTANTS): Tree {
  return { kind: 'name', name };
}

function number(value: number): Tree {
  return { kind: 'number', value };
}

function plus(left: Tree, right: Tree): Tree {
  return { kind: 'add', left, right };
}

function minus(left: Tree, right: Tree): Tree {
  return { kind: 'subtract', left, right };
}

function times(left: Tree, right: Tree): Tree {
  return { kind: 'multiply', left, right };
}
