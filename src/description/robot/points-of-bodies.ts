/** Material points of the bodies of links, and frames that the material carries there, as `frames:` and actuators name them. */
import { zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { freeSymbols } from '../../symbolic/graph/traverse.ts';
import type { RawFrame, RawPoint } from '../language/schema.ts';
import type { BodyType, CarriedFrame, ContactFrame, MaterialPoint } from '../model/robot.ts';
import type { Place } from '../source/source.ts';
import { readScalar, Scope } from '../values/scope.ts';
import { parseUnit } from '../values/units.ts';

/**
 * @param scope parameters of the robot.
 * @returns every coordinate of the type, zero where it is not given.
 * @throws KanegenError `unknown-key`, or what reading values throws.
 */
export function readPointOfBody(place: Place, type: BodyType, raw: RawPoint, scope: Scope): MaterialPoint {
  const own = parameterScope(type, scope);
  const known = new Map(
    type.volumes.flatMap((volume) =>
      (volume.kind === 'rod' ? [...volume.section, volume.axial] : volume.axes).map((axis): [string, SymbolExpr] => [
        axis.name.replace(/^.*\./, ''),
        axis,
      ]),
    ),
  );
  const values = new Map<SymbolExpr, Expr>([...known.values()].map((axis) => [axis, zero]));
  for (const [name, value] of Object.entries(raw)) {
    const axis = known.get(name);
    if (!axis)
      throw place
        .at(name)
        .keyError(
          'unknown-key',
          `\`${name}\` is no material coordinate of ${type.name}`,
          `write { ${[...known.keys()].map((other) => `${other}: …`).join(', ')} }`,
        );
    values.set(axis, readScalar(place.at(name), value, { what: `\`${name}\`` }, own).value);
  }
  return values;
}

/** Parameters of a body type over those of the robot. */
function parameterScope(type: BodyType, outer: Scope): Scope {
  const scope = new Scope(outer);
  for (const { name, symbol: own, unit } of type.parameters)
    scope.define(name, own, unit === 'SI' ? undefined : parseUnit(unit).dimension);
  return scope;
}

/**
 * The frame within a body that `at`, or `pivot` and two axes, name.
 * @throws KanegenError `wrong-shape`, `wrong-value`, or what reading points throws.
 */
export function readCarriedFrame(place: Place, type: BodyType, raw: RawFrame, scope: Scope): CarriedFrame {
  const point = (key: 'at' | 'pivot' | `${'x' | 'y' | 'z'}-axis`): MaterialPoint =>
    readPointOfBody(place.at(key), type, raw[key]!, scope);
  const axes = (['x', 'y', 'z'] as const).filter((axis) => raw[`${axis}-axis`] !== undefined);
  if (raw.at !== undefined) {
    const other = raw.pivot ? 'pivot' : axes[0] && (`${axes[0]}-axis` as const);
    if (other)
      throw place
        .at(other)
        .keyError('several-kinds', `a frame with \`at\` is that of the material and has no \`${other}\``, 'remove one');
    return { at: point('at'), location: place.at('at').location };
  }
  if (!raw.pivot || axes.length !== 2)
    throw place.error(
      'wrong-shape',
      'a frame from points of a body has a `pivot` and two axes',
      'write `pivot` and two of `x-axis`, `y-axis` and `z-axis`, or `at` for the frame of the material',
    );
  const own = new Set(type.parameters.map((p) => p.symbol));
  const rigid = (key: 'pivot' | `${'x' | 'y' | 'z'}-axis`): MaterialPoint => {
    const made = point(key);
    const changing = freeSymbols([...made.values()]).find((s) => !own.has(s));
    if (!changing) return made;
    throw place
      .at(key)
      .error(
        'wrong-variable',
        `\`${changing.name.replace(/^.*\./, '')}\` may change while the code runs, and an area that stays rigid does not move`,
        'use parameters of the body, or `at` for the frame of the material',
      );
  };
  return {
    at: rigid('pivot'),
    axes: Object.fromEntries(axes.map((axis) => [axis, rigid(`${axis}-axis`)])) as ContactFrame['axes'],
    location: place.at('pivot').location,
  };
}
