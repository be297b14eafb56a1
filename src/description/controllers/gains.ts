/** Gains of controllers: one value for all, or a list with one for each; finite, not negative, in their units. */
import type { Gain } from '../model/controller.ts';
import type { RawGain } from '../language/controllers.ts';
import type { Place } from '../source/source.ts';
import { constantNumber, readScalar, type Scope } from '../values/scope.ts';
import { dimensionText, type Dimension } from '../values/units.ts';

/** What a gain is given for: its name for messages, and the dimension that it has there. */
export interface GainDue {
  readonly of: string;
  readonly dimension: Dimension;
}

/**
 * @param each what the values of the gain belong to, in order.
 * @param what one of these is called: `coordinate`.
 * @throws KanegenError `wrong-shape`, `wrong-unit` or `wrong-value` at the value.
 */
export function readGain(
  place: Place,
  raw: RawGain,
  named: { readonly name: string; readonly summary: string },
  each: readonly GainDue[],
  what: string,
  scope: Scope,
): Gain {
  const { name } = named;
  if (Array.isArray(raw) && raw.length !== each.length)
    throw place.error(
      'wrong-shape',
      `\`${name}\` has ${raw.length} ${raw.length === 1 ? 'value' : 'values'} for ${each.length} ${each.length === 1 ? what : plural(what)}`,
      `write one value for all, or a list of ${each.length}: ${each
        .slice(0, 8)
        .map(({ of }) => of)
        .join(', ')}${each.length > 8 ? ', …' : ''}`,
    );
  const values = each.map(({ of, dimension }, i) => {
    const at = Array.isArray(raw) ? place.at(i) : place;
    const due = { what: `\`${name}\` of \`${of}\``, dimension };
    const number = constantNumber(at, readScalar(at, Array.isArray(raw) ? raw[i]! : raw, due, scope).value);
    if (number < 0)
      throw at.error('wrong-value', `\`${name}\` of \`${of}\` is negative`, 'write a value of zero or more');
    return number;
  });
  return { ...named, values, units: each.map(({ dimension }) => dimensionText(dimension)) };
}

const plural = (what: string): string => (what === 'axis' ? 'axes' : `${what}s`);
