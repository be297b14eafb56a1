/**
 * Deformation primitives: a body's map as a list of steps, each applied to the point that the step before it left.
 *
 * All but `map` preserve volume locally, det ∂p/∂x = 1, whatever the mode functions are, and all are regular where their
 * parameters vanish. In the formulas of a step (and in abbreviations they use) the material coordinates mean the point as
 * the step before left it. Formulas and proofs: docs/mathematics.md, "Deformation primitives".
 */
import * as z from 'zod';
import { differentiate } from '../../symbolic/graph/differentiate.ts';
import {
  cos,
  divide,
  integer,
  minus,
  one,
  plus,
  power,
  sin,
  sqrt,
  square,
  stumpff,
  times,
  type Expr,
  type SymbolExpr,
} from '../../symbolic/graph/expr.ts';
import { HALF, Rational } from '../../symbolic/graph/rational.ts';
import { freeSymbols, substitute, substituteOne } from '../../symbolic/graph/traverse.ts';
import { type Vector3, vector3 } from '../../symbolic/graph/vector.ts';
import type { ComposedStep, DomainCondition } from '../model/robot.ts';
import type { MaterialAxes } from '../model/reference-volume.ts';
import { value, vector } from './schema-values.ts';
import { dues, readScalar, readVector, type Due, type RawValue, type Scope } from '../values/scope.ts';
import type { Place } from '../source/source.ts';

const axisNames = ['x', 'y', 'z'] as const;
type AxisName = (typeof axisNames)[number];
const axis = z.enum(axisNames);

const elongation = z
  .strictObject({ axis, displacement: value.describe('how far a section moves along the axis, a function of it') })
  .describe('stretch along an axis; the section shrinks as much as volume demands');
const twist = z
  .strictObject({ axis, angle: value.describe('rotation of a section about the axis, a function of it') })
  .describe('sections turn about the axis');
const shear = z
  .strictObject({ axis, direction: axis, displacement: value.describe('how far a section slides') })
  .describe('sections slide along one direction');
const bending = z
  .strictObject({
    axis,
    direction: axis.describe('the axis bends towards it'),
    curvature: value.optional().describe('the same everywhere: the axis becomes an arc and keeps its length'),
    deflection: value.optional().describe('of the axis, a function of it; sections stay at right angles to the axis'),
  })
  .describe('bending in a plane');
const cavity = z
  .strictObject({ axis, growth: value.describe("a in r'^2 = r^2 + a, a function of the axis; below zero: a sink") })
  .describe('flow out of the axis, as a cavity along it makes it');

/** One step of `compose:`, a map with one key. */
export const composeStep = z.strictObject({
  elongation: elongation.optional(),
  twist: twist.optional(),
  shear: shear.optional(),
  bending: bending.optional(),
  cavity: cavity.optional(),
  map: vector.optional().describe('your own: where the point goes, in terms of where it is'),
});

export type RawComposeStep = z.infer<typeof composeStep>;

export interface Composition {
  /** Over the material coordinates, parameters and coordinates of the body. */
  readonly position: Vector3;
  /** What must hold at every material point for the steps to be defined. */
  readonly domain: readonly DomainCondition[];
  readonly steps: readonly ComposedStep[];
}

/** Everything a step is read with. */
interface Reader {
  readonly scope: Scope;
  readonly material: MaterialAxes;
}

/** A step as a map of the material coordinates themselves: what they are replaced by, and where that is defined. */
interface Step {
  readonly image: Vector3;
  readonly domain: readonly DomainCondition[];
}

/**
 * The steps of `compose:` one after the other.
 * @param material - the Cartesian coordinates of the undeformed body along the axes of the proximal frame; names in `scope`.
 * @throws KanegenError at the formula or key that is wrong.
 */
export function readCompose(
  place: Place,
  raw: readonly RawComposeStep[],
  material: MaterialAxes,
  scope: Scope,
): Composition {
  let position: Vector3 = [material.x, material.y, material.z];
  const domain: DomainCondition[] = [];
  const steps: ComposedStep[] = [];
  for (const [i, step] of raw.entries()) {
    const { image, domain: own } = readStep(place.at(i), step, { scope, material });
    const current = new Map<Expr, Expr>(axisNames.map((name, k) => [material[name], position[k]!]));
    domain.push(...own.map((condition) => ({ ...condition, positive: substituteOne(condition.positive, current) })));
    position = vector3(substitute(image, current));
    steps.push({ name: `compose[${i}].${Object.keys(step).join()}`, position });
  }
  return { position, domain, steps };
}

function readStep(place: Place, raw: RawComposeStep, reader: Reader): Step {
  const given = Object.keys(raw);
  if (given.length !== 1)
    throw place.error(
      'wrong-shape',
      given.length === 0 ? 'this step has no deformation' : `this step names ${given.length} deformations`,
      'give every step one key, such as `- twist: { axis: z, angle: q*z/L }`',
    );
  if (raw.elongation) return readElongation(place.at('elongation'), raw.elongation, reader);
  if (raw.twist) return readTwist(place.at('twist'), raw.twist, reader);
  if (raw.shear) return readShear(place.at('shear'), raw.shear, reader);
  if (raw.bending) return readBending(place.at('bending'), raw.bending, reader);
  if (raw.cavity) return readCavity(place.at('cavity'), raw.cavity, reader);
  const { scope } = reader;
  return {
    image: readVector(place.at('map'), raw.map as RawValue | readonly RawValue[], dues.position, scope),
    domain: [],
  };
}

// ---------------------------------------------------------------------------------------------- modes and axes

/** A mode function: of the material coordinates it may depend on the one along `along` only (none when null). */
function readMode(place: Place, raw: RawValue, due: Due, along: AxisName | null, { scope, material }: Reader): Expr {
  const mode = readScalar(place, raw, due, scope).value;
  const axial = along && material[along];
  const wrong = freeSymbols([mode]).find((s) => s.name.startsWith('material.') && s !== axial);
  if (!wrong) return mode;
  const name = (which: SymbolExpr): string => which.name.replace('material.', '');
  const allowed = axial ? `${name(axial)} and the coordinates of the body` : 'the coordinates of the body';
  throw place.error(
    'wrong-variable',
    `\`${name(wrong)}\` cannot stand here: ${due.what} depends on ${allowed} only`,
    'write the step as `map: [x, y, z]` for anything else',
  );
}

/** The other two axes, so that (first, second, axis) is right-handed. */
function lateralAxes(along: AxisName): readonly [AxisName, AxisName] {
  const i = axisNames.indexOf(along);
  return [axisNames[(i + 1) % 3]!, axisNames[(i + 2) % 3]!];
}

function image(material: MaterialAxes, changed: Partial<Record<AxisName, Expr>>): Vector3 {
  return vector3(axisNames.map((name) => changed[name] ?? material[name]));
}

function checkDirection(place: Place, { axis: along, direction }: { axis: AxisName; direction: AxisName }): void {
  if (along === direction)
    throw place
      .at('direction')
      .error('wrong-value', '`direction` is the axis itself', 'name one of the two axes across it');
}

function condition(place: Place, positive: Expr, message: string, remedy: string): DomainCondition {
  return { positive, message, remedy, location: place.location };
}

const due = (what: string, dimension: Due['dimension']): Due => ({ what, ...(dimension ? { dimension } : {}) });
const lengthDue = (what: string): Due => due(what, dues.length.dimension);

// ---------------------------------------------------------------------------------------------- primitives

/** z' = z + w(z); x and y shrink by 1/√(1 + w'(z)). */
function readElongation(place: Place, raw: z.infer<typeof elongation>, reader: Reader): Step {
  const { material } = reader;
  const at = place.at('displacement');
  const displacement = readMode(at, raw.displacement, lengthDue('the displacement of an elongation'), raw.axis, reader);
  const stretch = plus(one, differentiate(displacement, material[raw.axis]));
  const shrink = power(stretch, Rational.negate(HALF));
  const [first, second] = lateralAxes(raw.axis);
  const changed = {
    [raw.axis]: plus(material[raw.axis], displacement),
    [first]: times(shrink, material[first]),
    [second]: times(shrink, material[second]),
  };
  const domain = condition(
    at,
    stretch,
    'this elongation turns the material inside out: 1 + its derivative along the axis is not positive everywhere',
    'choose a displacement whose slope stays above -1',
  );
  return { image: image(material, changed), domain: [domain] };
}

/** Rotation of every section about the axis, right-handed. */
function readTwist(place: Place, raw: z.infer<typeof twist>, reader: Reader): Step {
  const { material } = reader;
  const angle = readMode(
    place.at('angle'),
    raw.angle,
    due('the angle of a twist', dues.angle.dimension),
    raw.axis,
    reader,
  );
  const [first, second] = lateralAxes(raw.axis);
  const cosine = cos(angle);
  const sine = sin(angle);
  const changed = {
    [first]: minus(times(cosine, material[first]), times(sine, material[second])),
    [second]: plus(times(sine, material[first]), times(cosine, material[second])),
  };
  return { image: image(material, changed), domain: [] };
}

function readShear(place: Place, raw: z.infer<typeof shear>, reader: Reader): Step {
  checkDirection(place, raw);
  const { material } = reader;
  const at = place.at('displacement');
  const displacement = readMode(at, raw.displacement, lengthDue('the displacement of a shear'), raw.axis, reader);
  return { image: image(material, { [raw.direction]: plus(material[raw.direction], displacement) }), domain: [] };
}

function readBending(place: Place, raw: z.infer<typeof bending>, reader: Reader): Step {
  checkDirection(place, raw);
  if ((raw.curvature === undefined) === (raw.deflection === undefined))
    throw place.error(
      'wrong-shape',
      'a bending is given by its curvature or by the deflection of the axis',
      'give one of `curvature` and `deflection`',
    );
  return raw.curvature === undefined
    ? bendToDeflection(place.at('deflection'), raw.deflection!, raw, reader)
    : bendToArc(place.at('curvature'), raw.curvature, raw, reader);
}

/**
 * u = 2x/(1 + √(1 − 2kx)) across the arc keeps the area: (1 − k u) du = dx, and 1 − k u = √(1 − 2kx). Then
 * x' = (1 − cos kz)/k + u cos kz, z' = (1 − k u) sin(kz)/k, with Stumpff functions of (kz)².
 */
function bendToArc(place: Place, raw: RawValue, axes: z.infer<typeof bending>, reader: Reader): Step {
  const { material } = reader;
  const k = readMode(place, raw, due('the curvature of a bending', dues.curvature.dimension), null, reader);
  const across = material[axes.direction];
  const along = material[axes.axis];
  const argument = square(times(k, along));
  const radicand = minus(one, times(integer(2), k, across));
  const root = sqrt(radicand);
  const offset = divide(times(integer(2), across), plus(one, root));
  const changed = {
    [axes.direction]: plus(times(k, square(along), stumpff(2, argument)), times(offset, stumpff(0, argument))),
    [axes.axis]: times(along, stumpff(1, argument), root),
  };
  return { image: image(material, changed), domain: [tooSharp(place, radicand)] };
}

/**
 * The axis goes to (f(z), z) and points across it along its normal, at a distance u with v u − θ' u²/2 = x where
 * v = √(1 + f'²) and θ' = f''/v²: area along and across the axis is kept, u = 2x/(v + √(v² − 2 θ' x)).
 */
function bendToDeflection(place: Place, raw: RawValue, axes: z.infer<typeof bending>, reader: Reader): Step {
  const { material } = reader;
  const deflection = readMode(place, raw, lengthDue('the deflection of a bending'), axes.axis, reader);
  const across = material[axes.direction];
  const along = material[axes.axis];
  const slope = differentiate(deflection, along);
  const speedSquared = plus(one, square(slope));
  const speed = sqrt(speedSquared);
  const turning = divide(differentiate(slope, along), speedSquared);
  const radicand = minus(speedSquared, times(integer(2), turning, across));
  const offset = divide(times(integer(2), across), plus(speed, sqrt(radicand)));
  const changed = {
    [axes.direction]: plus(deflection, divide(offset, speed)),
    [axes.axis]: minus(along, divide(times(offset, slope), speed)),
  };
  return { image: image(material, changed), domain: [tooSharp(place, radicand)] };
}

function tooSharp(place: Place, radicand: Expr): DomainCondition {
  return condition(
    place,
    radicand,
    'this bending is too sharp: the inner side of the body would have a negative length',
    'bend less by default, or make the body thinner',
  );
}

/** r'² = r² + a(z) about the axis. */
function readCavity(place: Place, raw: z.infer<typeof cavity>, reader: Reader): Step {
  const { material } = reader;
  const at = place.at('growth');
  const area = due('the growth of a cavity', [0, 2, 0, 0, 0]);
  const growth = readMode(at, raw.growth, area, raw.axis, reader);
  const [first, second] = lateralAxes(raw.axis);
  const radiusSquared = plus(square(material[first]), square(material[second]));
  const factor = sqrt(plus(one, divide(growth, radiusSquared)));
  const changed = { [first]: times(factor, material[first]), [second]: times(factor, material[second]) };
  const domain = [
    condition(
      place,
      radiusSquared,
      'the body touches the axis of this cavity, where the flow begins',
      'remove the axis from the volume, for example with `section: { annulus: [r, R] }`',
    ),
    condition(
      at,
      plus(radiusSquared, growth),
      'this cavity is outside its domain: r^2 + growth is not positive everywhere',
      'choose a growth that stays above minus the square of the inner radius',
    ),
  ];
  return { image: image(material, changed), domain };
}
