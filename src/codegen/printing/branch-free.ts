/**
 * Programs without branches, for many states side by side: both sides of a `select` are computed, Stumpff functions are
 * the polynomials that hold below π², sine and cosine those of sine-cosine.ts. States outside the range of these are
 * found by one more output, `range`: above 1 the state has to be computed again by the ordinary function. Angles are in
 * range while those of a state, squared and added, stay below the square of the largest that is reduced.
 */
import { tick } from '../../common/work-limit.ts';
import type { Program } from '../programs/program.ts';
import type { Statement, Tree } from '../programs/statement.ts';
import { minus, number, plus, times } from '../programs/tree.ts';
import { namesIn } from '../programs/slots.ts';
import { LARGEST_ANGLE, reduceAngle, REDUCTION_CONSTANTS } from './sine-cosine.ts';
import { stumpffStatements } from './stumpff-functions.ts';
import { setOf } from './stumpff-set.ts';
import { HIGHEST_ARGUMENT, LOWEST_ARGUMENT } from './stumpff-polynomials.ts';

/** Constants that differ between the scalar types in more than rounding, by the names they have in programs. */
export const NAMED_CONSTANTS = {
  ...REDUCTION_CONSTANTS,
  /** 1 / square of the largest angle. */
  KG_ANGLE_SCALE: { double: LARGEST_ANGLE.double ** -2, single: LARGEST_ANGLE.single ** -2 },
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
    tick();
    switch (statement.kind) {
      case 'let':
      case 'store':
        this.statements.push(statement);
        return;
      case 'sine-cosine':
        this.sineAndCosine(statement);
        return;
      case 'stumpff':
        this.stumpff(statement);
        return;
      case 'select':
        this.select(statement);
        return;
      case 'guard':
      case 'loop':
      case 'network':
      case 'restore':
      case 'save':
        throw new Error(`${statement.kind} in a program that is to be free of branches`);
    }
  }

  private select(statement: Select): void {
    [...statement.then, ...statement.otherwise].forEach((inner) => this.statement(inner));
    this.statements.push({ ...statement, then: [], otherwise: [] });
  }

  private stumpff(statement: Extract<Statement, { kind: 'stumpff' }>): void {
    const x = this.named('x', statement.argument);
    this.largest = this.extreme('largest', this.largest, x);
    this.smallest = this.extreme('smallest', this.smallest, x);
    const wanted = new Map(statement.names.map(({ order, name }) => [order, name]));
    const group = this.fresh('stumpff');
    const nameOf = (order: number, step: number): string =>
      (step === 0 ? wanted.get(order) : undefined) ?? `${group}_${order}_${step}`;
    this.statements.push(...stumpffStatements(setOf(statement), x, nameOf, 'double'));
  }

  /** Turned back from the quadrant k mod 4 in −2 … 2 without branches, exactly as the scalar function does. */
  private sineAndCosine(statement: Extract<Statement, { kind: 'sine-cosine' }>): void {
    const angle = this.named('angle', statement.argument);
    const square = times(angle, angle);
    this.squaredAngles = this.named('angles', this.squaredAngles ? plus(this.squaredAngles, square) : square);
    const define = (purpose: string, value: Tree): Tree => this.named(purpose, value);
    const { turns, sine, cosine } = reduceAngle(angle, 'double', define, constant);
    const quadrant = this.named('quadrant', minus(turns, times(rounded(times(turns, number(0.25))), number(4))));
    const j2 = this.named('quadrant', times(quadrant, quadrant));
    // cos(j π/2) = 1 − j² (7 − j²)/6 and sin(j π/2) = j (4 − j²)/3 for the integers −2 … 2, exactly.
    const even = this.named('even', minus(number(1), times(times(j2, minus(number(7), j2)), number(1 / 6))));
    const odd = this.named('odd', times(times(quadrant, minus(number(4), j2)), number(1 / 3)));
    const values = {
      sin: plus(times(sine, even), times(cosine, odd)),
      cos: minus(times(cosine, even), times(sine, odd)),
    };
    for (const { of, name } of statement.names) this.statements.push({ kind: 'let', name, value: values[of] });
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
