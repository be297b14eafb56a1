/**
 * Terms of the tangent of inverse dynamics beyond those that links exchange along the chain: actuators that reach from link to
 * link, or act from the world, and formulas over several links. Their loads change by Σ column × number, one number each for
 * the entries of a wrench on a link that they hold, and for a coordinate that a formula pulls: a border of few columns around
 * what is eliminated link by link.
 */
import { coordinateSymbol } from '../../description/model/actuator.ts';
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { freeSymbols } from '../../symbolic/graph/traverse.ts';
import type { RobotModel } from './robot-model.ts';

/** Columns of a wrench of the caller on a frame, behind those of actuators. */
export const OF_LOAD = 6;

export interface Border {
  /** Instances that actuators hold, first those on which forces turn or change against the link as it moves. */
  readonly held: readonly { readonly instance: number; readonly host: number }[];
  /** How many of them these are: each has six columns. */
  readonly turning: number;
  /** Coordinates whose forces by formulas change, a column each. */
  readonly pulled: readonly { readonly coordinate: number; readonly host: number }[];
  readonly columns: number;
}

/** Undefined if links exchange all terms along the chain. */
export function borderOf(model: RobotModel): Border | undefined {
  const { instances, reaching, robot, derivatives } = model;
  if (!derivatives) return undefined;
  const { places = [], shapes = [] } = reaching ?? {};
  const terms = [...(reaching?.terms ?? []), ...(reaching?.forces ?? []), ...(reaching?.pushes ?? [])];
  const heldIn = (axes: 'world' | 'frame'): number[] =>
    terms.flatMap((term) => (shapes[term.shape]!.axes === axes ? term.places.map((place) => places[place]!.link) : []));
  const [turning, following] = [heldIn('world'), heldIn('frame')];
  const distinct = (all: readonly number[]): number[] => [...new Set(all)].filter((link) => link >= 0);
  const all = distinct([...distinct(turning), ...following]);
  const hostOf = (coordinate: number): number =>
    instances.findIndex(({ first, link }) => coordinate < first + link.type.coordinates.length);
  const symbols = robot.coordinates.map(({ name }) => coordinateSymbol(name));
  const formulas = robot.actuators.flatMap(({ terms: own }) =>
    own.flatMap((term) => (term.kind === 'robot-formula' ? [term.value] : [])),
  );
  const known = new Set<Expr>(symbols);
  const pulled = symbols.flatMap((symbol, coordinate) => {
    const changes = freeSymbols(differentiateAll(formulas, symbol)).some((e) => known.has(e));
    return changes ? [{ coordinate, host: hostOf(coordinate) }] : [];
  });
  if (all.length + pulled.length === 0) return undefined;
  const count = distinct(turning).length;
  return {
    held: all.map((instance) => ({ instance, host: instances[instance]!.pointOf ?? instance })),
    turning: count,
    pulled,
    columns: 6 * count + pulled.length,
  };
}
