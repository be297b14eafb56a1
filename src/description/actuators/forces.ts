/** `forces:` of a robot file: energies between frames, `{ potential: "k/2*(distance(hand, hook) - L)^2" }`, and fields along rods. */
import { plus } from '../../symbolic/graph/expr.ts';
import { freeSymbols } from '../../symbolic/graph/traverse.ts';
import { frameEntries, type Frame } from '../../symbolic/graph/vector.ts';
import { coordinateSymbol } from '../model/actuator.ts';
import type { FrameForce } from '../model/frame-terms.ts';
import type { RawForce } from '../language/actuators.ts';
import type { Problems } from '../source/diagnostics.ts';
import type { Place } from '../source/source.ts';
import { nameProblem } from '../values/reserved-names.ts';
import { readScalar, Scope, type RawValue } from '../values/scope.ts';
import { parseUnit } from '../values/units.ts';
import type { ActuatorContext } from './actuator-context.ts';
import { FrameFunctions } from './frame-functions.ts';
import { summandsOfFormula } from './formula.ts';
import { readRodFields, type PlacedField } from './rod-fields.ts';

export interface ForceReading {
  readonly betweenFrames: readonly FrameForce[];
  readonly alongRods: readonly PlacedField[];
}

/** In the order of the file; problems are noted. @param base of the robot. */
export function readForces(
  place: Place,
  raws: Readonly<Record<string, RawForce>>,
  base: Frame,
  context: ActuatorContext,
  problems: Problems,
): ForceReading {
  const betweenFrames: FrameForce[] = [];
  const alongRods: PlacedField[] = [];
  for (const [name, raw] of Object.entries(raws)) {
    const at = place.at(name);
    problems.attempt(() => {
      const problem = nameProblem(at, name, 'a force', 'prefixed', 'key');
      if (problem) throw problem;
      const isField = kindOf(at, raw) === 'through';
      if (freeSymbols(frameEntries(base)).length > 0)
        throw at.keyError(
          'not-supported',
          `${isField ? 'fields along rods' : 'forces between frames'} need a base that does not depend on run-time parameters`,
          'put the part that changes into the `offset` of the first link',
        );
      if (isField) alongRods.push(...readRodFields(at, name, raw, context));
      else betweenFrames.push(readForce(at, name, raw, raw.potential!, context));
    });
  }
  return { betweenFrames, alongRods };
}

/** By the key that says the kind: further keys of such a force. */
const KINDS: Readonly<Record<'potential' | 'through', readonly (keyof RawForce)[]>> = {
  potential: ['frames', 'summary'],
  through: ['force', 'moment', 'axes', 'points', 'summary'],
};

function kindOf(place: Place, raw: RawForce): keyof typeof KINDS {
  const kind = raw.potential === undefined ? 'through' : 'potential';
  if (raw[kind] === undefined)
    throw place.keyError(
      'missing-key',
      'this force has no `potential`, and acts along no rod',
      'write `potential: ENERGY` of frames, or `through: LINK` with a `force` or a `moment` per length',
    );
  for (const key of Object.keys(raw) as (keyof RawForce)[])
    if (key !== kind && !KINDS[kind].includes(key))
      throw place.at(key).keyError('unknown-key', `a force with \`${kind}\` has no \`${key}\``, `remove \`${key}\``);
  return kind;
}

function readForce(
  place: Place,
  name: string,
  raw: RawForce,
  potential: RawValue,
  context: ActuatorContext,
): FrameForce {
  const frames = new FrameFunctions(place, raw.frames ?? {}, context);
  const scope = new Scope(context.scope, frames);
  for (const { name: own, unit } of context.coordinates)
    scope.define(own, coordinateSymbol(own), parseUnit(unit).dimension);
  const at = place.at('potential');
  const { value } = readScalar(at, potential, { what: 'a potential', dimension: [1, 2, -2, 0, 0] }, scope);
  const known = new Set(freeSymbols([value]).map((s) => s.name));
  const coordinate = context.coordinates.find((own) => known.has(coordinateSymbol(own.name).name));
  if (coordinate)
    throw at.error(
      'not-supported',
      `\`${coordinate.name}\` is a coordinate: the potential of a force depends on frames`,
      'write energies of coordinates under `stiffness` of their joint or `potential` of their body type',
    );
  if (!frames.mentions(value))
    throw at.error('wrong-value', 'this potential depends on no frame', 'name one, such as `distance(base, tool)`');
  const summands = summandsOfFormula(value, (e) => frames.mentions(e));
  const moving = summands.filter((e) => frames.mentions(e));
  const [first, ...others] = moving;
  const rest = summands.filter((e) => !frames.mentions(e));
  const terms = frames.terms([plus(first!, ...rest), ...others], at);
  return { name, summary: raw.summary ?? '', terms, location: place.location };
}
