/** How laws bring generalized forces about by inputs of actuators: by motors of coordinates, or by a system of equations. */
import { undrivenCoordinates } from '../../description/controllers/driven-coordinates.ts';
import { coordinateSymbol } from '../../description/model/actuator.ts';
import { rowsOf } from '../../description/model/loop.ts';
import type { Robot } from '../../description/model/robot.ts';
import { foldConstant } from '../../symbolic/evaluation/evaluate.ts';
import { freeSymbols } from '../../symbolic/graph/traverse.ts';
import { demand, each, type Working } from './law-text.ts';
import type { StraightCalls } from './straight-calls.ts';

/** An input that is demanded more than its limits allow. */
const isHeld = (k: number | string): string =>
  `state.u[${k}]! < state.demand[${k}]! || state.u[${k}]! > state.demand[${k}]!`;

/** `state.demand` from the generalized forces. */
export interface Distribution {
  /** Where these are: in `state.demand` itself where every input is the force of its coordinate. */
  readonly forces: 'tau' | 'demand';
  /** Asks for B at the staged state. */
  readonly reads: boolean;
  readonly working: readonly Working[];
  readonly lines: readonly string[];
  readonly holding: readonly string[];
  /** What its purpose says about it. */
  readonly remark: string;
}

/** The array for them, where they have one. */
export const tauOf = ({ forces }: Distribution, n: number): readonly Working[] =>
  forces === 'tau' ? [{ name: 'tau', size: n }] : [];

export const everyActuator = ({ actuators }: Robot): readonly number[] => actuators.map((_, i) => i);

/**
 * @param actuators that have inputs; the others are demanded nothing.
 * @param integral B is wanted afterwards, for `holding`.
 * @param staged whether the driver has the state staged at which B is wanted: `elsewhere` where it has another one;
 * `at the reference`: B is wanted there, which is staged.
 */
export function distribute(
  robot: Robot,
  actuators: readonly number[],
  integral: boolean,
  staged: 'there' | 'elsewhere' | 'at the reference',
  straight?: StraightCalls,
): Distribution {
  const all = robot.actuators.length;
  const isPart = actuators.length < all;
  const ratios = isPart ? undefined : motorRatios(robot);
  if (ratios) {
    const share = ({ coordinate, ratio }: Motor): string =>
      ratio === 1 ? `state.tau[${coordinate}]!` : `state.tau[${coordinate}]! / ${ratio < 0 ? `(${ratio})` : ratio}`;
    const inOrder = ratios.every(({ coordinate }, i) => coordinate === i);
    const direct = inOrder && ratios.every(({ ratio }) => ratio === 1);
    const shares = direct ? [] : ratios.map((motor, i) => `state.demand[${i}] = ${share(motor)};`);
    return {
      forces: direct ? 'demand' : 'tau',
      reads: false,
      working: [],
      lines: [...shares, 'return KG_OK;'],
      holding: inOrder
        ? [each(all, `if (${isHeld('i')}) state.held[i] = 1;`)]
        : ratios.map(({ coordinate }, i) => `if (${isHeld(i)}) state.held[${coordinate}] = 1;`),
      remark: '',
    };
  }
  const [n, own, rows] = [robot.coordinates.length, actuators.length, rowsOf(robot)];
  /** Inputs, and behind them multipliers of loops. */
  const u = own + rows;
  const named = actuators.map((i) => robot.actuators[i]!.name).join(', ');
  const columns = actuators.map((i, j) => each(n, `state.columns[${u} * i + ${j}] = state.B[${all} * i + ${i}]!;`));
  const used = actuators.map((i) => robot.actuators[i]!);
  const left = rows > 0 ? [] : undrivenCoordinates(robot, used);
  const nothing = left.length > 0 ? `; nothing acts on ${left.join(', ')}` : '';
  const isSquare = n === u;
  const isShared = isPart || rows > 0;
  // What is solved with row pivots is overwritten.
  const isApart = isShared || (isSquare && integral);
  const [B, share] = [isApart ? 'columns' : 'B', isShared ? 'share' : 'demand'];
  const k = Math.min(n, u);
  const solved = isSquare
    ? `solveColumns(${n}, 1, state.${B}, state.${share})`
    : `dampedLeastSquares(${n}, ${u}, state.${B}, state.tau, 0, state.${share}, state.work)`;
  return {
    forces: 'tau',
    reads: true,
    working: [
      { name: 'B', size: n * all },
      ...(isApart ? [{ name: 'columns', size: n * u }] : []),
      ...(rows > 0 ? [{ name: 'J', size: rows * n }] : []),
      ...(isShared ? [{ name: 'share', size: u }] : []),
      ...(isSquare ? [] : [{ name: 'work', size: k * (k + 1) }]),
    ],
    lines: [
      ...(straight
        ? demand(
            straight.call('actuation', staged === 'at the reference' ? ['y', 'state.rest'] : ['q', 'qd'], {
              B: 'state.B',
            }),
          )
        : [
            ...(staged === 'elsewhere' ? demand('robot.update(q, qd)') : []),
            ...demand('robot.actuation(null, null, null, state.B)'),
          ]),
      ...(rows > 0 ? demand('robot.constraintJacobian(state.J)') : []),
      ...(isApart ? columns : []),
      ...(rows > 0
        ? [
            `for (let i = 0; i < ${n}; i++)`,
            `for (let j = 0; j < ${rows}; j++) state.columns[${u} * i + ${own} + j] = state.J[${n} * j + i]!;`,
          ]
        : []),
      ...(isSquare ? [each(n, `state.${share}[i] = state.tau[i]!;`)] : []),
      `if (!${solved}) return KG_SINGULAR;`,
      ...(isPart ? [each(all, 'state.demand[i] = 0;')] : []),
      ...(isShared ? actuators.map((i, j) => `state.demand[${i}] = state.share[${j}]!;`) : []),
      'return KG_OK;',
    ],
    holding: actuators.flatMap((i) => [
      `if (${isHeld(i)})`,
      `for (let j = 0; j < ${n}; j++) if (Math.abs(state.B[${all} * j + ${i}]!) > 0) state.held[j] = 1;`,
    ]),
    remark: `${rows > 0 ? `; multipliers of ${rows} row${rows === 1 ? '' : 's'} of loops, J' lambda, do their share of B u` : ''}${isPart ? `; u of ${named} only` : ''}${isSquare ? '' : '; u the shortest that is nearest to it (least squares)'}${nothing}`,
  };
}

interface Motor {
  readonly coordinate: number;
  readonly ratio: number;
}

/** Where each coordinate has a motor of its own with a ratio that never changes; in the order of the actuators. */
function motorRatios({ coordinates, actuators }: Robot): readonly Motor[] | undefined {
  const motors = actuators.flatMap(({ terms }) => {
    const [term, ...others] = terms;
    if (term?.kind !== 'formula' || others.length > 0 || term.summands.length !== 1) return [];
    const [{ coefficient, value }] = term.summands as [(typeof term.summands)[0]];
    const coordinate = coordinates.findIndex(({ name }) => coordinateSymbol(name) === value);
    return coordinate < 0 || freeSymbols([coefficient]).length > 0
      ? []
      : [{ coordinate, ratio: foldConstant(coefficient) }];
  });
  const driven = new Set(motors.map(({ coordinate }) => coordinate));
  return motors.length === actuators.length && driven.size === coordinates.length && motors.length === driven.size
    ? motors
    : undefined;
}
