/** Run-time parameters that move what actuators between links hold on to: which robots have such, and kernels that only they need. */
import { heldSymbols, heldTwist, MOST_POINTS } from '../description/model/frame-terms.ts';
import type { Expr } from '../symbolic/graph/expr.ts';
import { freeSymbols } from '../symbolic/graph/traverse.ts';
import { frameEntries } from '../symbolic/graph/vector.ts';
import { loopExpressions, loopsNeeded } from './loops/loop.ts';
import { movingTerms, type LinkInstance, type LinkType, type Reaching } from './kernels/link-type.ts';
import { OF_MOVING_PLACES, OF_PLACES } from './link/tangent.ts';

/**
 * They move where an offset depends on run-time parameters, or the pose of a link on the way to the base; masses, springs and moduli
 * are none of these. A formula of frames that mentions run-time parameters changes with them as if they moved.
 */
function movesPlaces({ places, shapes }: Reaching, links: readonly LinkInstance[]): boolean {
  const carriers = new Set<number>();
  for (const place of places) for (let link = place.link; link >= 0; link = links[link]!.parent) carriers.add(link);
  const moves = ({ type, parameters }: LinkInstance): boolean => {
    const changing = new Set<Expr>(
      type.parameters.flatMap(({ symbol: own }, i) => (freeSymbols([parameters[i]!]).length > 0 ? [own] : [])),
    );
    const ways = type.kernels.filter(({ name }) => name === 'pose' || name === 'transmit');
    const values = ways.flatMap(({ outputs }) => outputs.flatMap((output) => [...output.values]));
    const within = loopsNeeded(type.loops, values, []).flatMap((loop) => [...loopExpressions(loop)]);
    return freeSymbols([...values, ...within]).some((s) => changing.has(s));
  };
  const ofFrames = new Set<Expr>(
    Array.from({ length: MOST_POINTS }, (_, k) => [...heldSymbols(k), ...heldTwist(k)]).flat(),
  );
  const mentioned = freeSymbols(shapes.flatMap(({ value, wrenches }) => [value, ...wrenches.flat()]));
  return (
    mentioned.some((s) => !ofFrames.has(s)) ||
    freeSymbols(places.flatMap(({ offset }) => frameEntries(offset))).length > 0 ||
    [...carriers].some((link) => moves(links[link]!))
  );
}

/** The instances, with kernels of changes of places along parameters where these move any. */
export function withMovingPlaces(
  links: readonly LinkInstance[],
  reaching: Reaching | undefined,
): { readonly types: readonly LinkType[]; readonly links: readonly LinkInstance[] } {
  const types = [...new Set(links.map(({ type }) => type))];
  const moves = reaching !== undefined && movesPlaces(reaching, links);
  if (moves && movingTerms(reaching).length > 0) return { types, links };
  const left = moves ? OF_MOVING_PLACES : [...OF_PLACES, ...OF_MOVING_PLACES];
  const without = new Map(
    types.map((type) => {
      const kernels = type.kernels.filter(({ name }) => !left.includes(name));
      return [type, kernels.length < type.kernels.length ? { ...type, kernels } : type];
    }),
  );
  return {
    types: [...without.values()],
    links: links.map((link) => ({ ...link, type: without.get(link.type)! })),
  };
}
