/**
 * What actuators do in a whole robot: coordinates y, their rates, ÿ at q̈ = 0 and B = (∂y/∂q)ᵀ, from the same terms within links
 * that drivers call functions for, formulas that mix links, and terms that reach from link to link.
 */
import { localShares, prepareActuation, type ParameterPlaces } from '../../kane/actuation.ts';
import { linkCoordinate } from '../../kane/link/link-coordinate.ts';
import { unrolled } from '../../kane/loops/unroll.ts';
import type { ParameterValues } from '../../kane/kinematics/sample-configurations.ts';
import { coordinateSymbol } from '../../description/model/actuator.ts';
import type { Robot } from '../../description/model/robot.ts';
import { foldConstants } from '../../symbolic/evaluation/evaluate.ts';
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { plus, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { substitute } from '../../symbolic/graph/traverse.ts';
import type { FrameTree } from '../mechanism/frame-tree.ts';
import { reachingShares, type Share } from './frame-terms.ts';

/** Over the robot's symbols, one entry for each actuator. */
export interface RobotActuation {
  readonly y: readonly Expr[];
  readonly yd: readonly Expr[];
  /** ÿ where coordinates do not accelerate. */
  readonly ydd0: readonly Expr[];
  /** A row for each coordinate. */
  readonly B: readonly (readonly Expr[])[];
}

/** In formulas of whole robots parameters stand for themselves. */
const IN_PLACE: ParameterPlaces = { place: (value) => value };

/** Sums over the points of routes and chambers are written out. */
export function robotActuation(robot: Robot, symbols: FrameTree['symbols']): RobotActuation {
  const shares = [...linkShares(robot, symbols), ...formulaShares(robot, symbols), ...reachingShares(robot, symbols)];
  const total = (actuator: number, of: (share: Share) => Expr): Expr =>
    plus(...shares.filter((share) => share.actuator === actuator).map(of));
  const each = (of: (share: Share) => Expr): Expr[] => robot.actuators.map((_, j) => total(j, of));
  return {
    y: each(({ value }) => value),
    yd: each(({ rate }) => rate),
    ydd0: each(({ bias }) => bias),
    B: robot.coordinates.map((_, a) => each(({ gradient }) => gradient.get(a) ?? zero)),
  };
}

function linkShares(robot: Robot, symbols: FrameTree['symbols']): Share[] {
  const defaults = new Map<Expr, Expr>(robot.parameters.map((p) => [p.symbol, p.value]));
  const ofRobot = robot.parameters.map((p): [Expr, number] => [p.symbol, foldConstants([p.value])[0]!]);
  let first = 0;
  return localShares(robot).flatMap((own, index) => {
    const { joint, body } = robot.links[index]!;
    const type = body.kind === 'rigid' ? undefined : body.type;
    const coordinates = [...joint.coordinates, ...(type?.coordinates ?? [])].map(linkCoordinate);
    const from = first;
    first += coordinates.length;
    if (own.length === 0) return [];
    const bindings = new Map<Expr, Expr>();
    coordinates.forEach(({ symbol, rate, acceleration }, i) => {
      bindings.set(symbol, symbols.q[from + i]!);
      bindings.set(rate, symbols.qd[from + i]!);
      bindings.set(acceleration, symbols.qdd[from + i]!);
    });
    const values = body.kind === 'rigid' ? [] : body.parameters;
    type?.parameters.forEach((p, i) => bindings.set(p.symbol, values[i]!));
    const folded = foldConstants(values, defaults);
    const numbers: ParameterValues = new Map<Expr, number>([
      ...ofRobot,
      ...(type?.parameters ?? []).map((p, i): [Expr, number] => [p.symbol, folded[i]!]),
    ]);
    const { actuators, terms } = prepareActuation(robot, index, own, IN_PLACE);
    return terms([numbers]).map(({ term, coordinates: places }, k): Share => {
      const all = unrolled([term.value, term.rate, term.bias, ...term.gradient], term.loops);
      const [value, rate, bias, ...gradient] = substitute(all, bindings);
      return {
        actuator: actuators[k]!,
        value: value!,
        rate: rate!,
        bias: bias!,
        gradient: new Map(places.map((a, i) => [from + a, gradient[i]!])),
      };
    });
  });
}

function formulaShares({ actuators, coordinates }: Robot, { q, qd }: FrameTree['symbols']): Share[] {
  const bindings = new Map<Expr, Expr>(coordinates.map(({ name }, a) => [coordinateSymbol(name), q[a]!]));
  const along = (value: Expr): Expr => plus(...q.map((own, a) => times(differentiateAll([value], own)[0]!, qd[a]!)));
  return actuators.flatMap(({ terms }, actuator) =>
    terms.flatMap((term): Share[] => {
      if (term.kind !== 'robot-formula') return [];
      const [value] = substitute([term.value], bindings);
      const rate = along(value!);
      const gradient = new Map(q.map((own, a) => [a, differentiateAll([value!], own)[0]!]));
      return [{ actuator, value: value!, rate, bias: along(rate), gradient }];
    }),
  );
}
