/**
 * Parts of the functions of loops, which `loop-closure.ts` and `loop-derivatives.ts` print. Derivatives of rows, or parts of them, that are
 * formulas of coordinates: what rows ask of accelerations, and what their multipliers do, changed along a direction or weighed, in one
 * program for all.
 */
import { coordinateSymbol } from '../../../description/model/actuator.ts';
import type { LoopYield } from '../../../description/model/loop.ts';
import { adjoints, directionalDerivative } from '../../../symbolic/graph/differentiate.ts';
import { divide, negate, one, plus, square, times, zero, type Expr } from '../../../symbolic/graph/expr.ts';
import { loopRows, loopTime, type RobotModel } from '../../modules/robot-model.ts';
import type { Place } from '../../operations/operation.ts';
import { sum, within, type DriverLanguage, type Index } from '../driver-language.ts';
import type { PrintedDriver } from '../driver-part.ts';
import { named, programOf, timeBuffer, type Buffer, type Result } from '../robot-programs.ts';

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
  const formulas = formulaRows(model);
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
  return within('{', lines);
}

/** Where programs of formulas find multipliers and a direction, and what they change. */
interface FormulaArrays {
  readonly lambda?: (row: number) => string;
  readonly direction: (coordinate: number) => string;
  readonly result: (index: number) => string;
}

/**
 * Of derivatives of implicit steps: changes of what multipliers of formulas do along a direction, taken off an array.
 * @param passing how much of time passes along the direction.
 */
export function formulaForces(
  printer: PrintedDriver,
  language: DriverLanguage,
  model: RobotModel,
  arrays: FormulaArrays,
  passing: Expr = zero,
): string[] {
  const lambda = named('lambda', loopRows(model));
  const parts = formulaRows(model).map(({ row, formula }) => times(lambda[row]!, formula));
  return turnedFormulas(printer, language, model, arrays, passing, [{ first: 0, value: plus(...parts) }]);
}

/** The same of unit multipliers of each row, along the direction of a step, a row of `loopCurvatures` for each. */
export function curvaturesOfFormulas(
  printer: PrintedDriver,
  language: DriverLanguage,
  model: RobotModel,
  passing: Expr,
): string[] {
  const n = model.robot.coordinates.length;
  const arrays: FormulaArrays = {
    direction: (a) => language.value(language.sharedNumber('loopDirection', a)),
    result: (index) => language.sharedNumber('loopCurvatures', index),
  };
  const values = formulaRows(model).map(({ row, formula }) => ({ first: n * row, value: formula }));
  return turnedFormulas(printer, language, model, arrays, passing, values);
}

function formulaRows({
  robot,
}: RobotModel): { readonly row: number; readonly formula: Expr; readonly yields?: LoopYield }[] {
  let next = 0;
  return (robot.loops ?? []).flatMap(({ rows: own, formula }) => {
    const row = next;
    next += own.length;
    const [{ yields }] = own as [(typeof own)[number]];
    return formula ? [{ row, formula, ...(yields && { yields }) }] : [];
  });
}

/** Changes of gradients of values along a direction, off an array where that of each begins. */
function turnedFormulas(
  printer: PrintedDriver,
  language: DriverLanguage,
  model: RobotModel,
  arrays: FormulaArrays,
  passing: Expr,
  values: readonly { readonly first: number; readonly value: Expr }[],
): string[] {
  const { robot, held } = model;
  const n = robot.coordinates.length;
  const q = robot.coordinates.map(({ name }) => coordinateSymbol(name));
  const size = n * Math.max(1, ...values.map(({ first }) => first / n + 1));
  const [dq, lambda, result, h] = [
    named('dq', n),
    named('lambda', loopRows(model)),
    named('result', size),
    named('h', 1),
  ];
  const time = loopTime(model);
  const direction = new Map([...pairsOf(q, dq), ...(time ? [[time, passing] as const] : [])]);
  const results = values.flatMap(({ first, value }) =>
    directionalDerivative(adjoints([value], [one], q), direction).flatMap((change, a): Result[] => {
      const from = first + a;
      return change === zero ? [] : [{ buffer: 'result', from, values: [plus(result[from]!, negate(change))] }];
    }),
  );
  if (results.length === 0) return [];
  const inputs: readonly Buffer[] = [
    ...Object.entries({ q, dq, lambda, result, h }).map(([buffer, symbols]) => ({ buffer, symbols })),
    { buffer: 'formulaParameters', symbols: held },
    ...timeBuffer(model),
  ];
  const lines = printer.program(programOf('loops', inputs, results), {
    read: (place) => {
      if (place.buffer === 'q') return printer.coordinate('q', place.index);
      if (place.buffer === 'h') return 'h';
      if (place.buffer === 'lambda') return arrays.lambda!(place.index);
      if (place.buffer === 'dq') return arrays.direction(place.index);
      return place.buffer === 'result' ? language.value(arrays.result(place.index)) : language.target.read(place);
    },
    write: (place) => (place.buffer === 'result' ? arrays.result(place.index) : language.target.write(place)),
  });
  return within('{', lines);
}
