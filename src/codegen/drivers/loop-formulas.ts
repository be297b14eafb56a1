/**
 * Parts of the functions of loops, which `loop-closure.ts` and `loop-derivatives.ts` print. Derivatives of rows, or parts of them, that are
 * formulas of coordinates: what rows ask of accelerations, and what their multipliers do, changed along a direction or weighed, in one
 * program for all. And rows that give way, and ropes: `GivingRows`.
 */
import { coordinateSymbol } from '../../description/model/actuator.ts';
import type { LoopYield } from '../../description/model/loop.ts';
import { adjoints, directionalDerivative } from '../../symbolic/graph/differentiate.ts';
import { divide, negate, one, plus, square, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { loopRows, loopTime, yieldsLoops, type RobotModel } from '../modules/robot-model.ts';
import type { Place } from '../operations/operation.ts';
import { sum, type DriverFunction, type DriverLanguage, type Index } from './driver-language.ts';
import type { SharedPart } from '../modules/workspace.ts';
import type { Among } from './equal-links.ts';
import type { Target } from '../printing/print-arithmetic.ts';
import type { Program } from '../programs/program.ts';
import type { SweepName } from '../sweeps/sweeps.ts';
import { named, programOf, timeBuffer, type Buffer, type Result } from './robot-programs.ts';

/** The driver around these functions. */
export interface PrintedDriver {
  readonly n: Index;
  readonly u: Index;
  readonly frames: number;
  has(name: SweepName): boolean;
  program(program: Program, target: Partial<Target>): string[];
  /** A coordinate of the robot, or its rate, in the block of its link. */
  coordinate(buffer: 'q' | 'qd' | 'qdd' | 'qTangent' | 'qdTangent', index: number): string;
  /** Coordinates of all actuators and their gradients, or rates and second derivatives, added to two arrays. */
  actuation(what: 'values' | 'rates', arrays: readonly string[]): string[];
  /** Statements of a sweep over all links, or some. */
  sweep(name: SweepName, among?: Among): string[];
}

/** What feedback of residuals and their rates is weighed by. */
export const FEEDBACK: readonly Buffer[] = ['alpha', 'beta'].map((buffer) => ({ buffer, symbols: named(buffer, 1) }));

export const isFeedback = ({ buffer }: Place): boolean => FEEDBACK.some((own) => own.buffer === buffer);

/** φ̈ + 2α φ̇ + β² φ: zero at accelerations that keep a row; of rows that give way φ / compliance + damping φ̇, the opposite of the multiplier. */
export function demand(value: Expr, rate: Expr, acceleration: Expr, yields?: LoopYield): Expr {
  if (yields) return plus(divide(value, yields.compliance), times(yields.damping, rate));
  const [alpha, beta] = FEEDBACK.map(({ symbols }) => symbols[0]!) as [Expr, Expr];
  return plus(acceleration, times(alpha, rate), times(alpha, rate), times(square(beta), value));
}

/** An element of an array of a number a row, in a column. */
export const ofColumn = (array: string, rows: number, row: Index): string =>
  `${array}[${sum(`${rows} * column`, row)}]`;

const pairsOf = (of: readonly Expr[], changes: readonly Expr[]): Map<Expr, Expr> =>
  new Map(of.map((e, i) => [e, changes[i]!]));

/** See `changeLoops` and `weighLoops` of loop-derivatives.ts. */
export function formulaChanges(
  printer: PrintedDriver,
  language: DriverLanguage,
  model: RobotModel,
  what: 'change' | 'weigh',
): string[] {
  const { robot, held } = model;
  const rows = loopRows(model);
  let next = 0;
  const formulas = (robot.loops ?? []).flatMap(({ rows: own, formula }) => {
    const row = next;
    next += own.length;
    return formula ? [{ row, formula, yields: own[0]!.yields }] : [];
  });
  if (formulas.length === 0) return [];
  const n = robot.coordinates.length;
  const q = robot.coordinates.map(({ name }) => coordinateSymbol(name));
  const [qd, qdd, dq, dqd] = [named('qd', n), named('qdd', n), named('dq', n), named('dqd', n)] as const;
  const [lambda, weights] = [named('lambda', rows), named('weights', rows)];
  const arrays = {
    tau: named('tau', n),
    demand: named('demand', rows),
    by_q: named('byQ', n),
    by_qd: named('byQd', n),
  };
  const time = loopTime(model);
  const passing: readonly [Expr, Expr][] = time ? [[time, one]] : [];
  const demands = formulas.map(({ formula, yields }) => {
    const moving = [...pairsOf(q, qd), ...passing];
    const [rate] = directionalDerivative([formula], new Map(moving));
    const [acceleration] = directionalDerivative([rate!], new Map([...moving, ...pairsOf(qd, qdd)]));
    return demand(formula, rate!, acceleration!, yields);
  });
  const added = (buffer: keyof typeof arrays, from: number, value: Expr): Result[] =>
    value === zero ? [] : [{ buffer, from, values: [plus(arrays[buffer][from]!, value)] }];
  const potential = plus(...formulas.map(({ row, formula }) => times(lambda[row]!, formula)));
  // Second derivatives are symmetric: the transpose is the same.
  const turned = directionalDerivative(adjoints([potential], [one], q), pairsOf(q, dq)).map(negate);
  const results = ((): Result[] => {
    if (what === 'change') {
      const changes = directionalDerivative(demands, new Map([...pairsOf(q, dq), ...pairsOf(qd, dqd)]));
      return [
        ...formulas.flatMap(({ row }, i) => added('demand', row, changes[i]!)),
        ...turned.flatMap((value, a) => added('tau', a, value)),
      ];
    }
    const total = negate(plus(...formulas.map(({ row }, i) => times(weights[row]!, demands[i]!))));
    const slopes = adjoints([total], [one], [...q, ...qd]);
    return [
      ...turned.flatMap((value, a) => added('by_q', a, plus(value, slopes[a]!))),
      ...qd.flatMap((_, a) => added('by_qd', a, slopes[n + a]!)),
    ];
  })();
  const inputs: readonly Buffer[] = [
    ...Object.entries({ q, qd, qdd, dq, dqd, lambda, weights, ...arrays }).map(([buffer, symbols]) => ({
      buffer,
      symbols,
    })),
    { buffer: 'formulaParameters', symbols: held },
    ...timeBuffer(model),
    ...FEEDBACK,
  ];
  const element = ({ buffer, index }: Place): string | undefined => {
    if (buffer === 'demand') return ofColumn('dlambda', rows, index);
    if (buffer === 'weights') return ofColumn('by_bias', rows, index);
    if (buffer === 'lambda') return `lambda[${index}]`;
    return ['tau', 'by_q', 'by_qd'].includes(buffer) ? `${buffer}[${sum('at', index)}]` : undefined;
  };
  const inBlocks = new Map(Object.entries({ q: 'q', qd: 'qd', qdd: 'qdd', dq: 'qTangent', dqd: 'qdTangent' } as const));
  const lines = printer.program(programOf('loops', inputs, results), {
    read: (place) => {
      const inBlock = inBlocks.get(place.buffer);
      if (inBlock) return printer.coordinate(inBlock, place.index);
      if (isFeedback(place)) return place.buffer;
      const own = element(place);
      return own === undefined ? language.target.read(place) : language.value(own);
    },
    write: (place) => element(place) ?? language.target.write(place),
  });
  return ['{', ...lines.map((line) => `  ${line}`), '}'];
}

/**
 * In the transpose of an implicit step: changes of what multipliers of formulas do along a direction, taken off by_q.
 * @param from arrays of the multipliers and of the direction.
 */
export function formulaForces(
  printer: PrintedDriver,
  language: DriverLanguage,
  model: RobotModel,
  from: { readonly lambda: (row: number) => string; readonly direction: (coordinate: number) => string },
  passing: Expr = zero,
): string[] {
  const { robot, held } = model;
  let next = 0;
  const lambda = named('lambda', loopRows(model));
  const parts = (robot.loops ?? []).flatMap(({ rows: own, formula }) => {
    const row = next;
    next += own.length;
    return formula ? [times(lambda[row]!, formula)] : [];
  });
  if (parts.length === 0) return [];
  const n = robot.coordinates.length;
  const q = robot.coordinates.map(({ name }) => coordinateSymbol(name));
  const [dq, byQ, h] = [named('dq', n), named('byQ', n), named('h', 1)];
  const time = loopTime(model);
  const direction = new Map([...pairsOf(q, dq), ...(time ? [[time, passing] as const] : [])]);
  const forces = directionalDerivative(adjoints([plus(...parts)], [one], q), direction);
  const results = forces.flatMap((value, a): Result[] =>
    value === zero ? [] : [{ buffer: 'by_q', from: a, values: [plus(byQ[a]!, negate(value))] }],
  );
  const inputs: readonly Buffer[] = [
    ...Object.entries({ q, dq, lambda, by_q: byQ, h }).map(([buffer, symbols]) => ({ buffer, symbols })),
    { buffer: 'formulaParameters', symbols: held },
    ...timeBuffer(model),
  ];
  const lines = printer.program(programOf('loops', inputs, results), {
    read: (place) => {
      if (place.buffer === 'q') return printer.coordinate('q', place.index);
      if (place.buffer === 'h') return 'h';
      if (place.buffer === 'lambda') return language.value(from.lambda(place.index));
      if (place.buffer === 'dq') return language.value(from.direction(place.index));
      return place.buffer === 'by_q' ? language.value(`by_q[${place.index}]`) : language.target.read(place);
    },
    write: (place) => (place.buffer === 'by_q' ? `by_q[${place.index}]` : language.target.write(place)),
  });
  return ['{', ...lines.map((line) => `  ${line}`), '}'];
}

/** What a driver does for rows that give way, and for ropes. */
export class GivingRows {
  private readonly printer: PrintedDriver;
  private readonly language: DriverLanguage;
  private readonly model: RobotModel;
  private readonly rows: number;
  readonly isYielding: boolean;

  constructor(printer: PrintedDriver, language: DriverLanguage, model: RobotModel) {
    this.printer = printer;
    this.language = language;
    this.model = model;
    this.rows = loopRows(model);
    this.isYielding = yieldsLoops(model);
  }

  /** Multipliers of rows that give way, and what is asked of them otherwise; `yieldLoops` of the run time says when by `what`. */
  yields(what: number): string[] {
    const { language, rows } = this;
    if (!this.isYielding) return [];
    const parts = ['loopStiffness', 'loopDamping', 'loopRopes', 'loopTaut', 'loopResiduals', 'loopRates'] as const;
    const results = ['loopKinds', 'loopSoftness', 'loopTargets', 'loopMultipliers'] as const;
    const given = [...parts, ...results].map((part) => language.shared(part));
    const h = what === 1 || what === 2 ? 'h' : language.target.number(0);
    return [language.call('yieldsOfLoops', []), `${language.runTime('yieldLoops', [rows, what, h, ...given])};`];
  }

  /** The same for derivatives at `lambda`, with changes of what rows ask as targets. */
  changes(isTranspose: boolean): string[] {
    const { language, rows } = this;
    if (!this.isYielding) return [];
    const own = (parts: readonly SharedPart[]): string[] => parts.map((part) => language.shared(part));
    const given = [
      ...[rows, ...own(['loopStiffness', 'loopRopes']), 'lambda', ...own(['loopTargets'])],
      ...[language.flag(isTranspose), ...own(['loopKinds', 'loopSoftness', 'loopMultipliers'])],
    ];
    return [language.call('yieldsOfLoops', []), `${language.runTime('yieldChanges', given)};`];
  }

  /** For the transpose of an implicit step. */
  ofStep(): string[] {
    const { language, rows } = this;
    if (!this.isYielding) return [];
    const own = (parts: readonly SharedPart[]): string[] => parts.map((part) => language.shared(part));
    const given = [
      ...[rows, 'h', ...own(['loopStiffness', 'loopDamping', 'loopRopes']), 'lambda'],
      ...own(['loopKinds', 'loopSoftness', 'loopMultipliers']),
    ];
    return [language.call('yieldsOfLoops', []), `${language.runTime('stepYields', given)};`];
  }

  /** After a solution of the transpose. */
  weights(): string[] {
    const { language, rows, printer } = this;
    if (!this.isYielding) return [];
    const parts = ['loopColumns', 'loopPivots', 'freeQuotients', 'loopTargets', 'loopKinds'] as const;
    const own = (names: readonly SharedPart[]): string[] => names.map((part) => language.shared(part));
    const given = [...own([...parts, 'loopStiffness', 'loopRopes']), 'lambda', ...own(['loopMultipliers'])];
    return [`${language.runTime('weighYielding', [rows, printer.n, ...given])};`];
  }

  stiffTargets(): string[] {
    const { language, rows, printer } = this;
    const [stiffness, damping, gradients] = (['loopStiffness', 'loopDamping', 'loopGradients'] as const).map((part) =>
      language.shared(part),
    ) as [string, string, string];
    const given = [rows, printer.n, 'h', stiffness, damping, gradients, 'rq', 'rv', language.shared('loopTargets')];
    return [`${language.runTime('stiffTargets', given)};`];
  }

  stiffnesses(): DriverFunction {
    const { robot, held } = this.model;
    const all = (robot.loops ?? []).flatMap((loop) => loop.rows);
    const parameters = { buffer: 'formulaParameters', symbols: held };
    const results: Result[] = [
      { buffer: 'loopStiffness', values: all.map(({ yields }) => (yields ? divide(one, yields.compliance) : zero)) },
      { buffer: 'loopDamping', values: all.map(({ yields }) => yields?.damping ?? zero) },
      { buffer: 'loopRopes', values: all.map(({ isRope }) => (isRope ? one : zero)) },
    ];
    return {
      name: 'yieldsOfLoops',
      purpose: 'Stiffness and damping of rows, zero of rigid ones, and 1 for those of ropes.',
      parameters: [],
      lines: this.printer.program(programOf('yields', [parameters], results), {}),
    };
  }

  distribute(): string[] {
    const { language, rows, printer } = this;
    const { isYielding } = this;
    const gradients = language.shared('loopGradients');
    const given = [
      ...[rows, printer.n, gradients, 'capacity', language.flag(isYielding)],
      ...[isYielding ? language.shared('loopKinds') : gradients, language.shared('loopEfforts'), 'tau'],
      language.shared('loopMultipliers'),
    ];
    return [
      language.call('jacobianOfLoops', [gradients]),
      ...(isYielding
        ? [
            language.call('ratesOfLoops', [language.shared('loopRates'), language.nothing]),
            language.call('residualsOfLoops', [language.shared('loopResiduals')]),
            ...this.yields(0),
          ]
        : []),
      `${language.runTime('distributeForces', given)};`,
    ];
  }
}
