/**
 * The terms of the papers as numbers: for comparison, term by term, with other tools at given states.
 */
import type { Link, Robot } from '../description/model/robot.ts';
import { bodyTerms } from '../kane/body-terms.ts';
import { compileBodies } from '../kane/compile.ts';
import { evaluate, foldConstants } from '../symbolic/evaluation/evaluate.ts';
import type { Expr } from '../symbolic/graph/expr.ts';

export interface TermState {
  readonly q: readonly number[];
  readonly qd: readonly number[];
  readonly qdd: readonly number[];
}

/** Values of every term of one deformable link, by the term's name; SI units, frames as `bodyTerms` says. */
export interface LinkTermValues {
  readonly link: string;
  readonly terms: Readonly<Record<string, readonly number[]>>;
}

/**
 * @param state in the order of the robot's coordinates.
 * @returns one entry per deformable link, run-time parameters at their defaults.
 */
export function bodyTermValues(robot: Robot, state: TermState): LinkTermValues[] {
  const defaults = new Map<Expr, Expr>(robot.parameters.map((p) => [p.symbol, p.value]));
  const bodies = compileBodies(robot);
  return robot.links.flatMap((link, index) => {
    if (link.body.kind !== 'deformable') return [];
    const { type } = link.body;
    const compiled = bodies.get(type)!;
    const { symbols } = compiled;
    const bindings = new Map<Expr, number>();
    const parameters = foldConstants(link.body.parameters, defaults);
    type.parameters.forEach((p, i) => bindings.set(p.symbol, parameters[i]!));
    const first = firstBodyCoordinate(robot, link, index);
    symbols.q.forEach((_, i) => {
      bindings.set(symbols.q[i]!, state.q[first + i]!);
      bindings.set(symbols.qd[i]!, state.qd[first + i]!);
      bindings.set(symbols.qdd[i]!, state.qdd[first + i]!);
    });
    const terms = bodyTerms(compiled).map((t) => [t.name, evaluate(t.values, bindings)] as const);
    return [{ link: link.name, terms: Object.fromEntries(terms) }];
  });
}

function firstBodyCoordinate(robot: Robot, link: Link, index: number): number {
  const before = robot.coordinates.findIndex((c) => c.link === index && c.part === 'body');
  if (before < 0) throw new Error(`link ${link.name} has no body coordinates`);
  return before;
}
