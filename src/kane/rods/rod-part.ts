/**
 * Rods given by their strain ξ(s, q, t): from a body type to the part of a link that marches along it.
 */
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { evaluate, foldConstant } from '../../symbolic/evaluation/evaluate.ts';
import type { BodyType, SectionEquilibrium, StrainKinematics } from '../../description/model/robot.ts';
import type { BodyPart } from '../body/body-part.ts';
import { regularStrain } from '../kinematics/point-kinematics.ts';
import { linkCoordinate } from '../link/link-coordinate.ts';
import { costOfPart, integralOperations } from '../link/part-cost.ts';
import type { RowTable } from '../loops/loop.ts';
import type { CoordinateSymbols } from '../equations/recursion.ts';
import { choosePoints, type PointTrial, type RodOfOrder } from '../rod-points/rod-choice.ts';
import type { ForceTerm } from '../body/force-terms.ts';
import type { FrameInBody, FrameRequest, MovingPoint, PointRequest } from '../body/moving-point.ts';
import type { Centreline, CentrelineRequest } from '../body/centreline.ts';
import { rodCentreline } from './rod-centreline.ts';
import { rodElasticity } from './rod-elasticity.ts';
import { rodFrame, rodPoint } from './rod-point.ts';
import { JacobianRod } from './rod-jacobian.ts';
import { RodFrames } from './rod-frames.ts';
import { NewtonEulerRod } from './rod-newton-euler.ts';
import { panelEnds, possiblePoints, rodPlaces } from '../rod-points/rod-points.ts';
import { sectionModes, type SectionModes } from '../rod-points/section-modes.ts';
import { MAGNUS_ORDERS, type MagnusOrder } from '../rod-points/rod-rotation.ts';
import { rodVolumes } from './rod-section.ts';
import { sectionMatrices } from './section-stiffness.ts';
import type { NewtonStudy } from '../link/body-way.ts';
import { studyNewton } from '../sections/newton-steps.ts';
import { defaultParameters, type ParameterValues } from '../kinematics/sample-configurations.ts';
import { atUndefinedPart, irregular } from '../kinematics/smooth-kinematics.ts';

/** A rod with what is known of its accuracy. */
export interface RodBody {
  readonly part: BodyPart;
  /** Another part, of the same points. */
  readonly another: () => BodyPart;
  readonly forces: readonly ForceTerm[];
  readonly point: (request: PointRequest) => MovingPoint;
  /** That of a section with its origin at a point of it; where sections deform, that of the material there. */
  readonly frame: (request: FrameRequest) => FrameInBody;
  readonly centreline: (request: CentrelineRequest) => Centreline;
  /** Of a rod whose sections are in balance. */
  readonly balance?: NewtonStudy;
  /** Points on every panel between breaks. */
  readonly points: number;
  /** Of the Magnus steps. */
  readonly order: MagnusOrder;
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
  const given = strainOf(type);
  const modes =
    given.sectionPosition && sectionModes({ ...type, kinematics: given }, rodVolumes(type), symbols, parameters);
  const balance = given.equilibrium && studied(type, given, given.equilibrium, symbols, parameters);
  const strain = balance
    ? { ...given, equilibrium: { ...orderedEquations(given.equilibrium, balance.order), newton: balance.steps } }
    : finiteStrain(type, given, parameters[0]!);
  const regular = { ...type, kinematics: strain };
  const make = (points: number, order: MagnusOrder): BodyPart => rodWith(regular, symbols, points, order, modes);
  const { magnus, points: stated } = type.integration;
  const orders = magnus === undefined ? [...(given.equilibrium ? MOMENT_ORDERS : MAGNUS_ORDERS)].reverse() : [magnus];
  const chosen =
    stated === undefined
      ? choosePoints({
          type,
          volume: rodVolumes(type)[0],
          strain,
          symbols,
          orders: orders.map((order) => rodOfOrder(type, order, make)) as [RodOfOrder, ...RodOfOrder[]],
          parameters,
        })
      : { points: possiblePoints(stated), order: orders[0]!, error: undefined, trials: [] };
  const { points, order, error, trials } = chosen;
  // Loops of the part sum the forces of sections in balance.
  const forces = given.equilibrium ? [] : rodElasticity(regular, symbols, parameters, points);
  const within = { type: regular, symbols, points, order };
  const point = (request: PointRequest): MovingPoint => rodPoint(within, request);
  const frame = (request: FrameRequest): FrameInBody => rodFrame(within, request);
  const centreline = (request: CentrelineRequest): Centreline =>
    rodCentreline(regular, symbols, points, order, request);
  const another = (): BodyPart => make(points, order);
  const rod = { part: another(), another, forces, point, frame, centreline, points, order, error, trials };
  return balance ? { ...rod, balance } : rod;
}

/** Equations in the order in which they have pivots. */
function orderedEquations(equilibrium: SectionEquilibrium, order?: readonly number[]): SectionEquilibrium {
  const { formulas } = equilibrium;
  if (!formulas || !order) return equilibrium;
  return { ...equilibrium, formulas: { ...formulas, values: order.map((i) => formulas.values[i]!) } };
}

/** Of Magnus steps over moments of the curvature. */
const MOMENT_ORDERS: readonly MagnusOrder[] = [4, 6];

/** @throws KanegenError at the equilibrium where it cannot be solved within the limits. */
function studied(
  type: BodyType,
  strain: StrainKinematics,
  equilibrium: SectionEquilibrium,
  symbols: CoordinateSymbols,
  parameters: readonly ParameterValues[],
): NewtonStudy {
  if (equilibrium.loads) throw new Error('weights that are no part of the stress yet');
  const [rod] = rodVolumes(type);
  const { stiffness } = sectionMatrices(type, type.materials ?? []);
  const source = { equilibrium, axial: rod.axial, rest: strain.rest, stiffness };
  return studyNewton(type, source, symbols, panelEnds(type, rod), parameters);
}

/** What the number of points is chosen with, for either form of the recursion: both have the same sections. */
function rodOfOrder(
  type: BodyType,
  order: MagnusOrder,
  make: (points: number, order: MagnusOrder) => BodyPart,
): RodOfOrder {
  const ends = panelEnds(type, rodVolumes(type)[0]);
  const tables = new Map<number, RowTable>();
  const tableOf = (points: number): RowTable => {
    const table = tables.get(points) ?? rodPlaces(type, ends, points, order).table;
    tables.set(points, table);
    return table;
  };
  const coordinates = type.coordinates.map(linkCoordinate);
  const parameters = type.parameters.map((p) => p.symbol);
  const { operations, rows, perRow, integrals } = costOfPart(make(FEW, order), coordinates, parameters);
  const alone = perRow - integrals * integralOperations(tableOf(FEW));
  return {
    order,
    part: make(FEW, order),
    tableOf,
    operations: (points) => {
      const table = tableOf(points);
      return operations - rows * perRow + table.rows * (alone + integrals * integralOperations(table));
    },
  };
}

/** Points of the rods that others are judged by: their tables are exchanged. */
const FEW = 4;

function strainOf({ kinematics }: BodyType): StrainKinematics {
  if (kinematics.kind !== 'strain') throw new Error('a rod given by its strain expected');
  return kinematics;
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

function rodWith(
  type: BodyType & { readonly kinematics: StrainKinematics },
  symbols: CoordinateSymbols,
  points: number,
  order: MagnusOrder,
  modes: SectionModes | undefined,
): BodyPart {
  const places = rodPlaces(type, panelEnds(type, rodVolumes(type)[0]), points, order);
  const frames = new RodFrames(type, type.kinematics, symbols, places, order, modes);
  const rows = `${places.table.rows} points along the rod, rotations by Magnus steps of order ${order}`;
  const along = modes ? `${rows}, ${modes.description}` : rows;
  return type.integration.recursion === 'jacobian'
    ? new JacobianRod(frames, symbols, `Jacobians of the sections, ${along}`)
    : new NewtonEulerRod(frames, `Newton–Euler, ${along}`);
}
