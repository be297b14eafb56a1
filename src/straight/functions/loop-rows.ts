/**
 * Rows of loops over the coordinates of a whole robot: residuals, rates, second derivatives and gradients, and rows that give way; and
 * what they are in forward dynamics.
 */
import { coordinateSymbol } from '../../description/model/actuator.ts';
import type { Robot } from '../../description/model/robot.ts';
import { KanegenError } from '../../common/error.ts';
import { differentiateAll, directionalDerivative } from '../../symbolic/graph/differentiate.ts';
import {
  divide,
  integer,
  one,
  plus,
  square,
  symbols,
  times,
  zero,
  type Expr,
  type SymbolExpr,
} from '../../symbolic/graph/expr.ts';
import { substitute } from '../../symbolic/graph/traverse.ts';
import type { FrameTree } from '../mechanism/frame-tree.ts';
import type { RobotActuation } from './actuation.ts';
import type { Elimination } from './dense-solution.ts';
import { reachingRows } from './frame-terms.ts';

/** Over the robot's symbols, in the order of the rows. */
export interface RobotRow {
  /** φ, φ̇, and φ̈ where coordinates do not accelerate. */
  readonly residual: Expr;
  readonly rate: Expr;
  readonly bias: Expr;
  /** ∂φ/∂q, one entry for each coordinate. */
  readonly gradient: readonly Expr[];
  /** Of the spring of a row that gives way; zero of rigid rows. */
  readonly stiffness: Expr;
  readonly damping: Expr;
  readonly isRope: boolean;
}

/** Numbers that the elimination of rows of loops leaves, see `closeLoops` in runtime/loops.ts. */
type ClosingResult = 'freeQuotients' | 'loopMultipliers' | 'loopRank';

/**
 * Rows of loops between two halves of a function: the first leaves arrays, in which `closeLoops` finds multipliers and what they add to
 * quotients, and of its results the second makes the outputs. Rows that give way have `loopStiffness` and what else `yieldLoops` reads.
 */
export interface StraightClosing {
  readonly arrays: readonly { readonly buffer: string; readonly values: readonly Expr[] }[];
  /** Stand for the results in outputs. */
  readonly results: Readonly<Record<ClosingResult, readonly SymbolExpr[]>>;
  /** Whether rows that contradict each other end the function. */
  readonly isStrict: boolean;
  /** Whether rows that give way push as they do at the end of a step of h. */
  readonly isStep: boolean;
}

/** What rows are asked for: accelerations along them, those that feed rates and residuals back, or rates after a step of h that take residuals with them. */
export type RowDemand =
  | { readonly kind: 'accelerations' }
  | { readonly kind: 'feedback'; readonly alpha: Expr; readonly beta: Expr }
  | { readonly kind: 'step'; readonly h: Expr };

type Part = Pick<RobotRow, 'residual' | 'rate' | 'bias' | 'gradient'>;

/**
 * @param state coordinates, rates and accelerations.
 * @param actuation asked for where loops hold coordinates of actuators.
 * @throws KanegenError `not-supported` at loops that follow the time.
 */
export function robotRows(
  robot: Robot,
  state: FrameTree['symbols'],
  actuation: () => RobotActuation,
): readonly RobotRow[] {
  const ofFrames = reachingRows(robot, state);
  let first = 0;
  return (robot.loops ?? []).flatMap((loop) => {
    if (loop.time)
      throw new KanegenError(
        'not-supported',
        `straight-line code has no time, which the loop \`${loop.name}\` follows`,
        {
          remedy: 'leave out functions of loops (--functions), or --straight: the driver has all functions',
          location: loop.location,
        },
      );
    const from = first;
    first += loop.rows.length;
    return loop.rows.map(({ yields, isRope }, j): RobotRow => {
      const parts: Part[] = ofFrames
        .filter(({ row }) => row === from + j)
        .map(({ value, ...own }) => ({ ...own, residual: value }));
      if (loop.formula) parts.push(formulaPart(robot, loop.formula, state));
      if (loop.actuator !== undefined) parts.push(lengthPart(actuation(), loop.actuator));
      return {
        residual: plus(...parts.map(({ residual }) => residual)),
        rate: plus(...parts.map(({ rate }) => rate)),
        bias: plus(...parts.map(({ bias }) => bias)),
        gradient: state.q.map((_, a) => plus(...parts.map(({ gradient }) => gradient[a]!))),
        stiffness: yields ? divide(one, yields.compliance) : zero,
        damping: yields?.damping ?? zero,
        isRope: isRope === true,
      };
    });
  });
}

/**
 * Rows between the halves of forward dynamics or of an implicit step.
 * @param elimination of the coordinates. @param quotients of what drives them.
 * @param demand rows that contradict each other are refused where accelerations are asked for, and compromised with elsewhere.
 */
export function closingOf(
  rows: readonly RobotRow[],
  elimination: Elimination,
  quotients: readonly Expr[],
  demand: RowDemand,
): StraightClosing {
  const gives = rows.some(({ stiffness, isRope }) => stiffness !== zero || isRope);
  const giving: Readonly<Record<string, (row: RobotRow) => Expr>> = {
    loopStiffness: ({ stiffness }) => stiffness,
    loopDamping: ({ damping }) => damping,
    loopRopes: ({ isRope }) => (isRope ? one : zero),
    loopResiduals: ({ residual }) => residual,
    loopRates: ({ rate }) => rate,
  };
  return {
    arrays: [
      { buffer: 'loopColumns', values: rows.flatMap(({ gradient }) => elimination.reduce(gradient)) },
      { buffer: 'loopPivots', values: elimination.pivots },
      { buffer: 'freeQuotients', values: quotients },
      { buffer: 'loopTargets', values: rows.map((row) => targetOf(row, demand)) },
      ...Object.entries(gives ? giving : {}).map(([buffer, of]) => ({ buffer, values: rows.map(of) })),
    ],
    results: {
      freeQuotients: symbols('closed.quotient', quotients.length),
      loopMultipliers: symbols('closed.multiplier', rows.length),
      loopRank: symbols('closed.rank', 1),
    },
    isStrict: demand.kind === 'accelerations',
    isStep: demand.kind === 'step',
  };
}

/** J q̈ + target = 0, in a step with q̈ the change of rates over h. */
function targetOf({ bias, rate, residual }: RobotRow, demand: RowDemand): Expr {
  switch (demand.kind) {
    case 'accelerations':
      return bias;
    case 'feedback':
      return plus(bias, times(integer(2), demand.alpha, rate), times(square(demand.beta), residual));
    case 'step':
      return divide(plus(divide(residual, demand.h), rate), demand.h);
  }
}

function formulaPart({ coordinates }: Robot, formula: Expr, { q, qd }: FrameTree['symbols']): Part {
  const bindings = new Map<Expr, Expr>(coordinates.map(({ name }, a) => [coordinateSymbol(name), q[a]!]));
  const [residual] = substitute([formula], bindings) as [Expr];
  const moving = new Map<Expr, Expr>(q.map((own, a) => [own, qd[a]!]));
  const [rate] = directionalDerivative([residual], moving) as [Expr];
  const [bias] = directionalDerivative([rate], moving) as [Expr];
  return { residual, rate, bias, gradient: q.map((own) => differentiateAll([residual], own)[0]!) };
}

function lengthPart({ y, yd, ydd0, B }: RobotActuation, actuator: number): Part {
  return {
    residual: y[actuator]!,
    rate: yd[actuator]!,
    bias: ydd0[actuator]!,
    gradient: B.map((row) => row[actuator]!),
  };
}
