/**
 * `potential:` and `dissipation:` of a body type: energy and lost power as formulas of its coordinates, for springs,
 * magnets, fluids inside of the body: whatever has no material law.
 */
import { freeSymbols } from '../../symbolic/graph/traverse.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { rateOf, type BodyCoordinate, type BodyType } from '../model/robot.ts';
import type { Place } from '../source/source.ts';
import { readScalar, Scope, type Due, type RawValue } from '../values/scope.ts';
import { multiplyDimensions, parseUnit } from '../values/units.ts';

const POTENTIAL: Due = { what: 'a potential', dimension: [1, 2, -2, 0, 0] };
const DISSIPATION: Due = { what: 'a dissipation function', dimension: [1, 2, -3, 0, 0] };

interface Written {
  readonly value: unknown;
  readonly place: Place;
}

/**
 * @param scope parameters, coordinates, abbreviations and material coordinates of the type.
 * @param elsewhere material coordinates and the time, on which neither may depend.
 * @throws KanegenError `wrong-value`, or what reading formulas throws.
 */
export function readCoordinateEnergies(
  written: { readonly potential: Written | undefined; readonly dissipation: Written | undefined },
  coordinates: readonly BodyCoordinate[],
  scope: Scope,
  elsewhere: ReadonlySet<Expr>,
): Pick<BodyType, 'potential' | 'dissipation'> {
  const { potential, dissipation } = written;
  const read = ({ value, place }: Written, due: Due, own: Scope): Expr => {
    const formula = readScalar(place, value as RawValue, due, own).value;
    const foreign = freeSymbols([formula]).find((name) => elsewhere.has(name));
    if (foreign)
      throw place.error(
        'wrong-value',
        `${due.what} of a body cannot depend on \`${foreign.name.replace(/^.*\./, '')}\``,
        'write it in coordinates and parameters',
      );
    return formula;
  };
  return {
    ...(potential && { potential: read(potential, POTENTIAL, scope) }),
    ...(dissipation && { dissipation: read(dissipation, DISSIPATION, withRates(scope, coordinates)) }),
  };
}

/** `NAME_dot` is the rate of the coordinate NAME, unless the type calls something else so. */
function withRates(scope: Scope, coordinates: readonly BodyCoordinate[]): Scope {
  const own = new Scope(scope);
  for (const { name, symbol, unit } of coordinates) {
    const dimension = multiplyDimensions(parseUnit(unit).dimension, [0, 0, -1, 0, 0]);
    if (!scope.find(`${name}_dot`)) own.imply(`${name}_dot`, rateOf(symbol), dimension);
  }
  return own;
}
