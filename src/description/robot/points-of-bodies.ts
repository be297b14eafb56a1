/** Material points of the bodies of links, and frames that the material carries there, as `frames:` and actuators name them. */
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import { zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { freeSymbols } from '../../symbolic/graph/traverse.ts';
import type { RawFrame, RawPoint } from '../language/schema.ts';
import { leftAlong, withinOutline } from '../volumes/within-volume.ts';
import { withinMesh } from '../volumes/within-mesh.ts';
import type { BodyType, DeformableBody } from '../model/robot.ts';
import type { CarriedFrame, MaterialPoint, Volume } from '../model/reference-volume.ts';
import type { Place } from '../source/source.ts';
import { readScalar, Scope } from '../values/scope.ts';
import { dimensionOf } from '../values/units.ts';

/** A frame within a body. */
export type RawCarriedFrame = Omit<RawFrame, 'at' | 'frame'> & { readonly at?: RawPoint };

/** Parameters of the robot, and numbers of those that may change at run time. */
export interface PointContext {
  readonly scope: Scope;
  readonly defaults: ReadonlyMap<Expr, number>;
}

/**
 * @returns every coordinate of the type, zero where it is not given; of a mesh with modes the numbers of the tetrahedron as well.
 * @throws KanegenError `unknown-key`, `wrong-value` where the body is not there, or what reading values throws.
 */
export function readPointOfBody(
  place: Place,
  body: DeformableBody,
  raw: RawPoint,
  { scope, defaults }: PointContext,
): MaterialPoint {
  const { type } = body;
  const own = parameterScope(type, scope);
  const known = new Map(
    type.volumes.flatMap((volume) =>
      (volume.kind === 'rod' ? [...volume.section, volume.axial] : volume.axes).map((axis): [string, SymbolExpr] => [
        nameOf(axis),
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
          `\`${name}\` is not a material coordinate of ${type.name}`,
          `write { ${[...known.keys()].map((other) => `${other}: …`).join(', ')} }`,
        );
    values.set(axis, readScalar(place.at(name), value, { what: `\`${name}\`` }, own).value);
  }
  requireWithin(place, body, values, defaults, Object.keys(raw));
  return withinMesh(place, type.volumes[0]!, values);
}

/** In the range of the axes; within the outer boundary of sections that deform: rigid ones may carry a point beside them. */
function requireWithin(
  place: Place,
  { type, parameters }: DeformableBody,
  point: MaterialPoint,
  defaults: ReadonlyMap<Expr, number>,
  written: readonly string[],
): void {
  const known = new Map(defaults);
  if (!freeSymbols(parameters).every((s) => known.has(s))) return;
  evaluate(parameters, defaults).forEach((value, i) => known.set(type.parameters[i]!.symbol, value));
  if (!freeSymbols([...point.values()]).every((s) => known.has(s))) return;
  const here = new Map(known);
  const numbers = evaluate([...point.values()], known);
  [...point.keys()].forEach((axis, i) => here.set(axis, numbers[i]!));
  const { kinematics, volumes } = type;
  const areRigid = kinematics.kind === 'pose' || (kinematics.kind === 'strain' && !kinematics.sectionPosition);
  const isIn = (volume: Volume): boolean =>
    !leftAlong(volume, here) && (areRigid || volume.kind !== 'rod' || withinOutline(volume, here));
  if (volumes.some(isIn)) return;
  const short = (value: number): string => String(Number(value.toPrecision(4)));
  const broken = [...point.keys()].find((axis) => !Number.isFinite(here.get(axis)));
  if (broken)
    throw (written.includes(nameOf(broken)) ? place.at(nameOf(broken)) : place).error(
      'not-finite',
      `\`${nameOf(broken)}\` is not a finite number at the defaults of the parameters`,
      'write a point of the body; mind poles, logarithms and roots of negative numbers',
    );
  const left = leftAlong(volumes[0]!, here);
  const what = left
    ? `\`${nameOf(left.axis)}\` is ${short(here.get(left.axis)!)} here, and the body of ${type.name} goes from ${left.range.map(short).join(' to ')}`
    : `the section of ${type.name} does not reach this point`;
  throw (left && written.includes(nameOf(left.axis)) ? place.at(nameOf(left.axis)) : place).error(
    'wrong-value',
    what,
    'write a point of the body; for a point beside it use `offset`, or `at` of a frame within the body',
  );
}

const nameOf = (axis: { readonly name: string }): string => axis.name.replace(/^.*\./, '');

/** Parameters of a body type over those of the robot. */
function parameterScope(type: BodyType, outer: Scope): Scope {
  const scope = new Scope(outer);
  for (const { name, symbol: own, unit } of type.parameters) scope.define(name, own, dimensionOf(unit));
  return scope;
}

/**
 * The frame within a body that `at`, or `pivot` and two axes, name.
 * @throws KanegenError `wrong-shape`, `wrong-value`, or what reading points throws.
 */
export function readCarriedFrame(
  place: Place,
  body: DeformableBody,
  raw: RawCarriedFrame,
  context: PointContext,
): CarriedFrame {
  const point = (key: 'at' | 'pivot' | `${'x' | 'y' | 'z'}-axis`): MaterialPoint =>
    readPointOfBody(place.at(key), body, raw[key]!, context);
  const axes = (['x', 'y', 'z'] as const).filter((axis) => raw[`${axis}-axis`] !== undefined);
  if (raw.at !== undefined) {
    const other = raw.pivot ? 'pivot' : axes[0] && (`${axes[0]}-axis` as const);
    if (other)
      throw place
        .at(other)
        .keyError(
          'several-kinds',
          `a frame with \`at\` has the axes of the material, and no \`${other}\``,
          'remove one',
        );
    return { at: point('at'), location: place.at('at').location };
  }
  if (!raw.pivot || axes.length !== 2)
    throw place.error(
      'wrong-shape',
      'a frame from points of a body needs a `pivot` and two axes',
      'write `pivot` and two of `x-axis`, `y-axis` and `z-axis`, or `at` for the frame of the material',
    );
  const own = new Set(body.type.parameters.map((p) => p.symbol));
  const rigid = (key: 'pivot' | `${'x' | 'y' | 'z'}-axis`): MaterialPoint => {
    const made = point(key);
    const changing = freeSymbols([...made.values()]).find((s) => !own.has(s));
    if (!changing) return made;
    throw place
      .at(key)
      .error(
        'wrong-variable',
        `\`${nameOf(changing)}\` may change while the code runs; a rigid area does not move`,
        'use parameters of the body, or `at` for the frame of the material',
      );
  };
  return {
    at: rigid('pivot'),
    axes: Object.fromEntries(axes.map((axis) => [axis, rigid(`${axis}-axis`)])),
    location: place.at('pivot').location,
  };
}
