/**
 * Rods given by their strain ξ(s, q, t): from a body type to the part of a link that marches along it.
 */
import { KanegenError } from '../../symbolic/error.ts';
import { differentiateAll } from '../../symbolic/differentiate.ts';
import { evaluate, foldConstant } from '../../symbolic/evaluate.ts';
import type { BodyType, StrainKinematics } from '../../description/model/robot.ts';
import type { BodyPart } from '../link/body-part.ts';
import { regularStrain } from '../kinematics/point-kinematics.ts';
import type { CoordinateSymbols } from '../equations/recursion.ts';
import { choosePoints, type ChosenPoints, type PointTrial } from './rod-choice.ts';
import type { ForceTerm } from '../link/force-terms.ts';
import { rodElasticity } from './rod-elasticity.ts';
import { JacobianRod } from './rod-jacobian.ts';
import { RodRow } from './rod-march.ts';
import { NewtonEulerRod } from './rod-newton-euler.ts';
import { panelEnds, rodPoints, type RodPoints } from './rod-points.ts';
import { rodVolumes } from './rod-section.ts';
import { defaultParameters, type ParameterValues } from '../kinematics/sample-configurations.ts';
import { atUndefinedPart, irregular } from '../kinematics/smooth-kinematics.ts';

/** A rod with what is known of its accuracy. */
export interface RodBody {
  readonly part: BodyPart;
  readonly forces: readonly ForceTerm[];
  /** Points on every panel between breaks. */
  readonly points: number;
  /** Largest relative error of an inertial term; unknown when the number of points was given. */
  readonly error: number | undefined;
  readonly trials: readonly PointTrial[];
}

/**
 * @param parameters of the links that share the type; the defaults of the type when missing.
 * @throws KanegenError `tolerance-not-met`, `not-supported`, located in the robot file.
 */
export function rodBody(
  type: BodyType,
  symbols: CoordinateSymbols,
  parameters: readonly ParameterValues[] = [defaultParameters(type)],
): RodBody {
  const strain = finiteStrain(type, strainOf(type), parameters[0]!);
  const regular: BodyType = { ...type, kinematics: strain };
  const [volume] = rodVolumes(type);
  const ends = panelEnds(type, volume);
  const { magnus, points: given } = type.integration;
  const pointsOf = (points: number): RodPoints => rodPoints(ends, points, magnus);
  const chosen: ChosenPoints | undefined =
    given === undefined
      ? choosePoints({
          type,
          volume,
          strain,
          symbols,
          part: trial(type, strain, symbols, pointsOf(4)),
          tableOf: (points) => pointsOf(points).table,
          parameters,
        })
      : undefined;
  const points = given ?? chosen!.points;
  const part = rodWith(type, strain, symbols, pointsOf(points));
  return {
    part,
    forces: rodElasticity(regular, symbols, points),
    points,
    error: chosen?.error,
    trials: chosen?.trials ?? [],
  };
}

/** The part alone. */
export function rodPart(type: BodyType, symbols: CoordinateSymbols, parameters?: readonly ParameterValues[]): BodyPart {
  return rodBody(type, symbols, parameters).part;
}

/** The march that the number of points is chosen with, for either form: both have the same steps. */
function trial(type: BodyType, strain: StrainKinematics, symbols: CoordinateSymbols, points: RodPoints): BodyPart {
  const row = new RodRow(type, strain, symbols, points, type.integration.magnus);
  const names = type.coordinates.map((c) => c.name);
  return new NewtonEulerRod(row, names, 'trial');
}

function strainOf({ kinematics, locations }: BodyType): StrainKinematics {
  if (kinematics.kind !== 'strain') throw new Error('a rod given by its strain expected');
  if (!kinematics.sectionPosition) return kinematics;
  throw new KanegenError('not-supported', 'rods by strain whose sections deform are not supported yet', {
    remedy: 'leave out `section-position`, or give the body as `position:` or `compose:`',
  }).at(locations.kinematics);
}

/** Fractions of the rod where strains are looked at; none is where people put ends of intervals. */
const LOOKED_AT = [0.0123, 0.31, 0.57, 0.83, 0.9771];

/**
 * The strain in a form that has values at the default coordinates: 0/0 as written (sin(q s)/q) may be a removable pole.
 * @throws KanegenError `irregular-kinematics` at the kinematics.
 */
function finiteStrain(type: BodyType, strain: StrainKinematics, parameters: ParameterValues): StrainKinematics {
  const { angular, linear } = regularStrain(type, strain);
  const partials = type.coordinates.flatMap((c) => differentiateAll([...angular, ...linear], c.symbol));
  const { axial, start, end } = rodVolumes(type)[0];
  const [from, to] = evaluate([start, end], parameters) as [number, number];
  const state = new Map(parameters);
  for (const c of type.coordinates) state.set(c.symbol, foldConstant(c.value));
  if (type.time) state.set(type.time, 0);
  for (const fraction of LOOKED_AT) {
    state.set(axial, from + fraction * (to - from));
    if (!evaluate([...angular, ...linear, ...partials], state).every(Number.isFinite))
      throw atUndefinedPart(irregular('the strain'), type, parameters);
  }
  return { ...strain, angular, linear };
}

function rodWith(type: BodyType, strain: StrainKinematics, symbols: CoordinateSymbols, points: RodPoints): BodyPart {
  const row = new RodRow(type, strain, symbols, points, type.integration.magnus);
  const names = type.coordinates.map((c) => c.name);
  const steps = `${points.table.rows} Magnus steps of order ${type.integration.magnus} along the rod`;
  return type.integration.recursion === 'jacobian'
    ? new JacobianRod(row, symbols, names, `Jacobians of the sections, ${steps}`)
    : new NewtonEulerRod(row, names, `Newton–Euler, ${steps}`);
}
