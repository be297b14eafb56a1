/**
 * The Kane compiler: from a robot to link types with their kernels. Links that differ in numbers only share a type; a
 * constant that is exactly 0 or ±1 is part of the type (it folds away), any other is a parameter.
 */
import { KanegenError } from '../common/error.ts';
import { demandOptions } from '../common/options.ts';
import { foldConstants } from '../symbolic/evaluation/evaluate.ts';
import { one, zero, type Expr, type SymbolExpr } from '../symbolic/graph/expr.ts';
import {
  frameEntries,
  transformPoint,
  type Symmetric3,
  type Vector3,
  vector3,
  symmetric3,
} from '../symbolic/graph/vector.ts';
import { rigidPoint } from './kinematics/material-point.ts';
import type { MovingPoint } from './body/moving-point.ts';
import { blamingExtremes } from '../description/model/extremes.ts';
import { freeSymbols, substitute } from '../symbolic/graph/traverse.ts';
import {
  FIELD_SYMBOLS,
  type DragCoefficients,
  type Matrix6,
  type RigidWater,
  type RodField,
  type Water,
} from '../description/model/surroundings.ts';
import { rubs } from '../description/model/actuator.ts';
import { givenNumbers } from '../description/model/contact.ts';
import { fieldPoints } from './fluid/field-points.ts';
import { fieldTerms } from './fluid/field-terms.ts';
import { contactPoints, contactsKey, placeContacts, requirePoints } from './contact-parameters.ts';
import { contactsOnRigid } from './fluid/contact-terms.ts';
import { waterOnRigid } from './fluid/rigid-water.ts';
import { waterTerms, type Surroundings } from './fluid/water-terms.ts';
import { allWaters, type WaterOnBody, entriesOfMotion } from './body/water-on-rod.ts';
import {
  rateUnit,
  timeOf,
  type BodyType,
  type CoordinateForces,
  type DeformableBody,
  type Link,
  type Quantity,
  type RigidBody,
  type Robot,
} from '../description/model/robot.ts';
import type { Volume } from '../description/model/reference-volume.ts';
import { waterOf } from '../description/model/what-acts.ts';
import { withinTime } from '../common/work-limit.ts';
import { localShares, prepareActuation, type LocalShare } from './actuation.ts';
import type { BodyModel } from './body/body-model.ts';
import type { BodyPart } from './body/body-part.ts';
import type { BodyWay } from './link/body-way.ts';
import { ClosedPart } from './closed/closed-part.ts';
import { compileBody, type CompiledBody } from './compile-body.ts';
import { symbolsOf } from './link/step-terms.ts';
import { jointForceTerms } from './body/coordinate-forces.ts';
import { linkCoordinate } from './link/link-coordinate.ts';
import { withLoads } from './loaded/loads-in-balance.ts';
import { LinkKernelBuilder, type Derivatives } from './link/link-builder.ts';
import { inputSymbols, type LinkParts } from './link/link-parts.ts';
import type { CompiledRobot, LinkInstance, LinkType } from './kernels/link-type.ts';
import { fixedStep } from './equations/recursion.ts';
import type { ParameterValues } from './kinematics/sample-configurations.ts';
import { momentsModel, rigidModel } from './closed/shape-integrals.ts';
import { AXES, ParameterTable, addBodyParameters, placeFrame, placeJoint } from './parameter-table.ts';
import { compilePoints } from './points-on-bodies.ts';
import { withMovingPlaces } from './moving-places.ts';
import { placeRobot } from './placed-terms.ts';
import { tooSlow } from './too-slow.ts';
import { BARE_UNIT } from '../description/values/units.ts';

/**
 * The body types of a robot, compiled, with the weights that their equilibria take. Rules of quadrature are chosen for the parameter values of all links of a type,
 * run-time parameters at their defaults.
 */
export function compileBodies(robot: Robot): ReadonlyMap<BodyType, CompiledBody> {
  const defaults = new Map<Expr, Expr>(robot.parameters.map((p) => [p.symbol, p.value]));
  const links = new Map<BodyType, ParameterValues[]>();
  const weighed = new Map<BodyType, BodyType>();
  const { links: all } = withLoads(robot);
  for (const [i, { body }] of robot.links.entries()) {
    if (body.kind !== 'deformable') continue;
    weighed.set(body.type, (all[i]!.body as DeformableBody).type);
    const numbers = foldConstants(body.parameters, defaults);
    const values = new Map<Expr, number>(body.type.parameters.map((p, i) => [p.symbol, numbers[i]!]));
    links.set(body.type, [...(links.get(body.type) ?? []), values]);
  }
  return new Map([...links].map(([type, values]) => [type, compileBody(weighed.get(type)!, values)]));
}

// ---------------------------------------------------------------------------------------------- link types

/** The forces along a coordinate of a joint, over parameters of the link type. */
function placeForces(table: ParameterTable, forces: CoordinateForces, { name, unit }: Quantity): CoordinateForces {
  const place = (key: keyof CoordinateForces, ofUnit: string, summary: string): Expr =>
    table.place(forces[key], `joint_${key}_${name}`, ofUnit, `${summary} along ${name}`);
  const force = unit === 'm' ? 'N' : unit === 'rad' ? 'N m' : `J/(${unit})`;
  const stiffness = place('stiffness', `${force}/${unit}`, 'stiffness');
  const friction = place('friction', force, 'dry friction');
  return {
    stiffness,
    rest: stiffness === zero ? zero : place('rest', unit, 'rest position of the spring'),
    damping: place('damping', `${force} s/${unit}`, 'viscous friction'),
    friction,
    slowness: friction === zero ? one : place('slowness', rateUnit(unit), 'speed below which dry friction is smooth'),
    armature: place('armature', `${force} s^2/${unit}`, 'inertia of the drive'),
  };
}

interface PreparedLink {
  /** Made once for all links with the same key, from the numbers of their parameters. */
  readonly parts: (numbers: readonly ParameterValues[]) => LinkParts;
  readonly table: ParameterTable;
  readonly key: string;
  /** Of the terms within the link, see LinkInstance. */
  readonly actuators: readonly number[];
  readonly name: string;
  readonly summary: string;
}

const RIGID_INERTIA = ['xx', 'yy', 'zz', 'xy', 'xz', 'yz'];

/** A body and the forces that it brings. */
interface BodyAndForces extends Pick<BodyWay, 'part' | 'forces'> {
  /** A point by its material coordinates, or by its place in the distal frame. */
  readonly locate: (x: readonly SymbolExpr[]) => MovingPoint;
}

function prepareRigid(body: RigidBody, table: ParameterTable): BodyAndForces {
  const model = body.moments ? placeMoments(body.mass, body.moments, table) : placeMassData(body, table);
  const distal = placeFrame(table, body.distal, 'distal');
  const step = fixedStep(distal);
  const part = (): BodyPart => new ClosedPart({ step, model, coordinates: [] });
  const locate = (x: readonly SymbolExpr[]): MovingPoint => rigidPoint(transformPoint(distal, vector3(x)));
  return { part, forces: () => [], locate };
}

function placeMassData(body: RigidBody, table: ParameterTable): BodyModel {
  const mass = table.place(body.mass, 'mass', 'kg', 'mass');
  const centre = vector3(
    body.centreOfMass.map((e, i) =>
      table.place(e, `com_${AXES[i]}`, 'm', `centre of mass along ${AXES[i]}, proximal frame`),
    ),
  );
  return rigidModel(mass, centre, placeInertia(body.inertia, table, 'the centre of mass'));
}

function placeMoments(mass: Expr, { first, inertia }: RigidBody['moments'] & object, table: ParameterTable): BodyModel {
  return momentsModel({
    mass: table.place(mass, 'mass', 'kg', 'mass'),
    first: vector3(
      first.map((e, i) =>
        table.place(e, `first_${AXES[i]}`, 'kg m', `first moment of mass along ${AXES[i]}, proximal frame`),
      ),
    ),
    inertia: placeInertia(inertia, table, 'the proximal origin'),
  });
}

function placeInertia(inertia: Symmetric3, table: ParameterTable, about: string): Symmetric3 {
  return symmetric3(
    inertia.map((e, i) =>
      table.place(
        e,
        `inertia_${RIGID_INERTIA[i]}`,
        'kg m^2',
        `inertia about ${about}, entry ${RIGID_INERTIA[i]}, proximal axes`,
      ),
    ),
  );
}

function prepareDeformable({ type, chosen }: CompiledBody): BodyAndForces {
  const [volume] = type.volumes as readonly [Volume];
  const axes = volume.kind === 'rod' ? [...volume.section, volume.axial] : volume.axes;
  const locate = (x: readonly SymbolExpr[]): MovingPoint =>
    chosen.point({ at: new Map(axes.map((axis, i) => [axis, x[i]!])), name: 'located' });
  return { part: () => chosen.part(), forces: () => chosen.forces(), locate };
}

function prepareLink(
  robot: Robot,
  index: number,
  bodies: ReadonlyMap<BodyType, CompiledBody>,
  shares: readonly LocalShare[],
  { points = false, derivatives = false }: CompileOptions,
): PreparedLink {
  const link = robot.links[index]!;
  const table = new ParameterTable();
  const steps = placeJoint(table, link);
  const jointCount = link.joint.coordinates.length;
  const body =
    link.body.kind === 'rigid' ? prepareRigid(link.body, table) : prepareDeformable(bodies.get(link.body.type)!);
  if (link.body.kind !== 'rigid') addBodyParameters(link.body, table);
  const bodyCoordinates = link.body.kind === 'rigid' ? [] : link.body.type.coordinates;
  const ownCoordinates = bodyCoordinates.map((_, i) => jointCount + i);
  const jointForces = (link.joint.forces ?? []).map((own, i) => placeForces(table, own, link.joint.coordinates[i]!));
  const actuation = prepareActuation(robot, index, shares, table);
  const ofFields = link.fields?.find((field) => field.time)?.time;
  const time = timeOf(link) ?? actuation.time ?? ofFields;
  const water = link.water && link.body.kind !== 'rigid' ? placeWater(link.water, table) : undefined;
  const rigidWater = link.rigidWater && placeRigidWater(link.rigidWater, table);
  const fields = link.body.kind === 'rigid' ? [] : placeFields(link, table);
  const contacts = placeContacts(link.contacts, table);
  const surroundings = { ...(water && { water }), fields, contacts };
  const isSurrounded = (water ?? rigidWater) !== undefined || fields.length + contacts.length > 0;
  const afloat = { ...waterOf({ links: robot.links }), differentiated: derivatives };
  const parts = (numbers: readonly ParameterValues[]): LinkParts => {
    const part = body.part();
    return {
      jointSteps: steps,
      body: part,
      ...(points && { locate: body.locate }),
      coordinates: [...link.joint.coordinates, ...bodyCoordinates].map(linkCoordinate),
      ...(time && { time }),
      bodyCoordinates: ownCoordinates,
      forces: [
        ...jointForceTerms(jointForces, symbolsOf(link.joint.coordinates.map(linkCoordinate))).map((term) => ({
          term,
          coordinates: jointForces.map((_, i) => i),
        })),
        ...[...(part.solved?.forces() ?? []), ...body.forces()].map((term) => ({ term, coordinates: ownCoordinates })),
      ],
      actuations: actuation.terms(numbers, part),
      ...(isSurrounded && {
        water:
          link.body.kind === 'rigid'
            ? allWaters([
                ...(rigidWater ? [waterOnRigid(rigidWater)] : []),
                ...(contacts.length > 0 ? [contactsOnRigid(contacts)] : []),
              ])
            : waterOnRod(link.body.type, surroundings, bodies, numbers, part),
      }),
      afloat,
      ...(robot.loops && { isLooped: true as const }),
      drives: jointForces.flatMap(({ armature }, coordinate) =>
        armature === zero ? [] : [{ coordinate, inertia: armature }],
      ),
    };
  };
  const bodyName =
    link.body.kind === 'deformable' ? link.body.type.name : link.body.moments ? 'rigid_by_moments' : 'rigid';
  const axis = axisName(link);
  const jointName = link.joint.type === 'fixed' ? '' : `${link.joint.type}${axis}_`;
  return {
    parts,
    table,
    key: [
      ...[link.joint.type, motionKey(link), table.key, bodyName, actuation.key],
      ...[waterKey(link.water), fieldsKey(fields), contactsKey(contacts), rigidWaterKey(link.rigidWater)],
    ].join('|'),
    actuators: actuation.actuators,
    name: `${jointName}${bodyName}`.replace(/[^A-Za-z0-9]+/g, '_'),
    summary: `${link.joint.type === 'fixed' ? '' : `${link.joint.type} joint${axis.replace('_', ' about ')}, then `}${
      link.body.kind === 'rigid' ? 'rigid body' : link.body.type.summary || link.body.type.name
    }`,
  };
}

const WATER_UNITS = { density: 'kg/m^3', drag: '1', linearDrag: 'Pa s', addedMass: '1', radius: 'm' } as const;

/** Its numbers as parameters of the link type. */
function placeWater(water: Water, table: ParameterTable): Water {
  const place = (e: Expr, key: keyof typeof WATER_UNITS, name: string, summary: string): Expr =>
    table.place(e, `water_${name}`, WATER_UNITS[key], `${summary} of the water`);
  const { drag, linearDrag, addedMass, radius } = water;
  const both = (key: 'drag' | 'linearDrag', { normal, tangential }: DragCoefficients): DragCoefficients => ({
    normal: place(normal, key, `${key}_normal`, 'coefficient across the rod'),
    tangential: place(tangential, key, `${key}_tangential`, 'coefficient along the rod'),
  });
  return {
    ...water,
    density: place(water.density, 'density', 'density', 'density'),
    ...(drag && {
      drag: {
        form: drag.form,
        ...both('drag', drag),
        ...(drag.lift && { lift: place(drag.lift, 'drag', 'lift', 'coefficient across the axis and the velocity') }),
      },
    }),
    ...(linearDrag && { linearDrag: both('linearDrag', linearDrag) }),
    ...(addedMass && {
      addedMass: {
        form: addedMass.form,
        coefficient: place(addedMass.coefficient, 'addedMass', 'added_mass', 'coefficient of added mass'),
      },
    }),
    ...(radius && { radius: place(radius, 'radius', 'radius', 'radius that meets it') }),
  };
}

/** What it does, and by how many points. */
function waterKey(water: Water | undefined): string {
  if (!water) return '';
  const { drag, linearDrag, buoyancy, addedMass, radius, points } = water;
  return `water ${JSON.stringify([drag?.form, !!drag?.lift, !!linearDrag, buoyancy, addedMass?.form, !!radius, points])}`;
}

const TWIST = ['wx', 'wy', 'wz', 'vx', 'vy', 'vz'];

/** The same of a rigid body. */
function placeRigidWater(water: RigidWater, table: ParameterTable): RigidWater {
  const matrix = (of: Matrix6, name: string, isSymmetric: boolean): Matrix6 => {
    const placed: Expr[] = [];
    of.forEach((e, k) => {
      const [i, j] = [Math.floor(k / 6), k % 6];
      const place = (): Expr =>
        table.place(
          e,
          `water_${name}_${TWIST[i]}_${TWIST[j]}`,
          BARE_UNIT,
          `${name} of the water, ${TWIST[i]} by ${TWIST[j]}`,
        );
      placed.push(isSymmetric && j < i ? placed[6 * j + i]! : place());
    });
    return placed;
  };
  const point = (v: Vector3, name: string, summary: string): Vector3 =>
    vector3(
      v.map((e, i) => table.place(e, `water_${name}_${AXES[i]}`, 'm', `${summary} along ${AXES[i]}, proximal frame`)),
    );
  const { drag, linearDrag, addedMass, buoyancy } = water;
  return {
    ...water,
    at: point(water.at, 'at', 'point of the water'),
    density: buoyancy ? table.place(water.density, 'water_density', 'kg/m^3', 'density of the water') : water.density,
    ...(drag && { drag: matrix(drag, 'drag', false) }),
    ...(linearDrag && { linearDrag: matrix(linearDrag, 'linear_drag', false) }),
    ...(addedMass && { addedMass: matrix(addedMass, 'added_mass', true) }),
    ...(buoyancy && {
      buoyancy: {
        volume: table.place(buoyancy.volume, 'water_volume', 'm^3', 'volume of the displaced water'),
        centre: point(buoyancy.centre, 'centre', 'centre of buoyancy'),
      },
    }),
  };
}

function rigidWaterKey(water: RigidWater | undefined): string {
  return water
    ? `rigid ${JSON.stringify([!!water.drag, !!water.linearDrag, !!water.addedMass, !!water.buoyancy])}`
    : '';
}

/** Fields along the rod of a link over parameters of its type: run-time parameters of the robot become such. */
function placeFields({ fields = [], body }: Link, table: ParameterTable): readonly RodField[] {
  if (fields.length === 0 || body.kind === 'rigid') return [];
  const [volume] = body.type.volumes;
  const { parameters, coordinates } = body.type;
  const kept = new Set<Expr>([...FIELD_SYMBOLS, ...[...parameters, ...coordinates].map((own) => own.symbol)]);
  if (volume?.kind === 'rod') kept.add(volume.axial);
  return fields.map((field) => {
    const values = [...field.force, ...field.moment];
    const known = new Map<Expr, Expr>();
    for (const s of freeSymbols(values))
      if (!kept.has(s) && s !== field.time) {
        const name = s.name.replace(/^.*\./, '');
        known.set(s, table.place(s, `${field.name}_${name}`, BARE_UNIT, `${name} of the field ${field.name}`));
      }
    const own = substitute(values, known);
    return { ...field, force: vector3(own.slice(0, 3)), moment: vector3(own.slice(3)) };
  });
}

function fieldsKey(fields: readonly RodField[]): string {
  const entries = fields.map(({ force, moment, axes, points }) => [
    ...[...force, ...moment].map((e) => e.id),
    axes,
    points,
  ]);
  return fields.length > 0 ? `fields ${JSON.stringify(entries)}` : '';
}

/**
 * @param surroundings with numbers over whatever stands for them; one of them at least.
 * @param numbers of what their formulas depend on beside coordinates and the time, for links of the type: points are chosen for them.
 * @param part of the body, whose points are shared where they suffice.
 */
export function waterOnRod(
  type: BodyType,
  surroundings: Surroundings,
  bodies: ReadonlyMap<BodyType, CompiledBody>,
  numbers: readonly ParameterValues[],
  part?: BodyPart,
): WaterOnBody {
  const { chosen } = bodies.get(type)!;
  const { water, fields, contacts } = surroundings;
  const asked = Math.max(fieldPoints(type, fields, numbers), contactPoints(contacts));
  return {
    terms: (motion, accelerations, together) => {
      const own = water || contacts.length > 0 ? undefined : part?.sections?.();
      if (own && own.points >= asked) return fieldTerms(type, fields, own, motion, together);
      const entries = [motion, together].flatMap((each) => (each ? entriesOfMotion(each) : []));
      const times = fields.flatMap((field) => field.time ?? []);
      const moving = new Set<Expr>([...freeSymbols(entries), ...times]);
      const request = { name: 'water', moving };
      const usual = chosen.centreline({ ...request, ...(water?.points && { points: water.points }) });
      const line = usual.points >= asked ? usual : chosen.centreline({ ...request, points: asked });
      requirePoints(contacts, line.points);
      return water || contacts.length > 0
        ? waterTerms(type, surroundings, line, motion, accelerations, together)
        : fieldTerms(type, fields, line, motion, together);
    },
  };
}

/** `_x`, `_y`, `_z` when the joint moves about or along one coordinate axis. */
function axisName(link: Link): string {
  const axes = new Set(
    link.joint.motions.map((m) => {
      const v = m.kind === 'rotation' ? m.axis : m.kind === 'translation' ? m.displacement : m.vector;
      const along = v.map((e, i) => (e === zero ? '' : AXES[i]!)).join('');
      return along.length === 1 ? along : '';
    }),
  );
  const [only] = axes;
  return axes.size === 1 && only ? `_${only}` : '';
}

/** The expressions of the joint's motions, by identity: links of one type trace the same joint. */
function motionKey(link: Link): string {
  return link.joint.motions
    .map((m) => {
      const entries =
        m.kind === 'rotation' ? [...m.axis, m.angle] : m.kind === 'translation' ? m.displacement : m.vector;
      return `${m.kind}:${entries.map((e) => e.id).join(',')}`;
    })
    .join(';');
}

export interface CompileOptions {
  /** With derivatives of the dynamics along directions. */
  readonly derivatives?: boolean;
  /** With places of material points that are given at run time. */
  readonly points?: boolean;
}

/**
 * Compiles every link of a robot.
 * @throws KanegenError with the place in the robot file; `wrong-shape` where options are none.
 */
export function compileRobot(robot: Robot, options: CompileOptions = {}): CompiledRobot {
  demandOptions(options);
  return blamingExtremes(robot, () => compileLinks(robot, options));
}

function compileLinks(robot: Robot, options: CompileOptions): CompiledRobot {
  // Observers are made of them.
  const derivatives = options.derivatives === true || robot.observers !== undefined;
  const bodies = compileBodies(robot);
  const types = new Map<string, LinkType>();
  const usedNames = new Set<string>();
  const shares = localShares(robot);
  const all = robot.links.map((_, index) =>
    prepareLink(robot, index, bodies, shares[index]!, { ...options, derivatives }),
  );
  const isParametric =
    freeSymbols([
      ...frameEntries(robot.base),
      ...(robot.current ?? []),
      ...all.flatMap(({ table }) => table.values),
      ...(robot.touching ?? []).flatMap(givenNumbers),
    ]).length > 0;
  const ofMotions = robot.loops || robot.touching || robot.actuators.some(rubs) ? ({ ofMotions: true } as const) : {};
  const links: LinkInstance[] = robot.links.map((link, index) => {
    const prepared = all[index]!;
    let type = types.get(prepared.key);
    if (!type) {
      const name = unusedName(prepared.name, usedNames);
      const wanted = derivatives
        ? { ...ofMotions, ...(isParametric && { changing: changingOf(all, prepared.key) }) }
        : undefined;
      const build = (): LinkType => buildType(prepared, name, numbersOf(robot, all, prepared.key), wanted);
      type = withinLinkTime(link, 'the derivation of the terms of this link', build);
      types.set(prepared.key, type);
    }
    const { table, actuators } = prepared;
    return { name: link.name, type, parent: link.parent, parameters: table.values, actuators };
  });
  const { points, frames, ...reaching } = placeRobot(robot, bodies);
  const held = compilePoints(robot, bodies, points, {
    derivatives: derivatives ? { isParametric, ...ofMotions } : undefined,
    linkKey: (link) => all[link]!.key,
    nameType: (wanted) => unusedName(wanted, usedNames),
  });
  const { terms, forces, loops, pushes } = reaching;
  const placed = terms.length + forces.length + loops.length + pushes.length > 0 ? reaching : undefined;
  return {
    ...withMovingPlaces([...links, ...held.instances], placed),
    frames,
    ...(derivatives && options.derivatives !== true && { onlyForObservers: true as const }),
    ...(placed && { reaching: placed }),
  };
}

/** Parameters of a type that depend on run-time parameters in some link. */
function changingOf(links: readonly PreparedLink[], key: string): ReadonlySet<SymbolExpr> {
  const own = links.filter((link) => link.key === key);
  const isChanging = (i: number): boolean => own.some(({ table }) => freeSymbols([table.values[i]!]).length > 0);
  return new Set(own[0]!.table.parameters.flatMap(({ symbol }, i) => (isChanging(i) ? [symbol] : [])));
}

/** Numbers of the parameters of all links of a type, run-time parameters at their defaults. */
function numbersOf(robot: Robot, links: readonly PreparedLink[], key: string): ParameterValues[] {
  const defaults = new Map<Expr, Expr>(robot.parameters.map((p) => [p.symbol, p.value]));
  return links
    .filter((link) => link.key === key)
    .map(({ table: { parameters, values } }) => {
      const numbers = foldConstants(values, defaults);
      return new Map<Expr, number>(parameters.map((p, i) => [p.symbol, numbers[i]!]));
    });
}

/** The result of `work` on one link, which may take no longer than any work on a body type. */
export function withinLinkTime<T>({ body, location }: Link, what: string, work: () => T): T {
  if (body.kind === 'deformable') return withinTime(tooSlow(body.type, what), work);
  return withinTime(
    (seconds) =>
      new KanegenError('too-slow', `${what} takes more than ${seconds} s of the processor`, {
        remedy: 'allow more time with --max-seconds',
        location,
      }),
    work,
  );
}

/** The name, or with the next number that makes it one; it is used then. */
function unusedName(wanted: string, used: Set<string>): string {
  let name = wanted;
  for (let n = 2; used.has(name); n++) name = `${wanted}_${n}`;
  used.add(name);
  return name;
}

function buildType(
  prepared: PreparedLink,
  name: string,
  numbers: readonly ParameterValues[],
  derivatives: Derivatives | undefined,
): LinkType {
  const { table } = prepared;
  const parts = prepared.parts(numbers);
  const symbols = inputSymbols(
    parts,
    table.parameters.map((p) => p.symbol),
  );
  const builder = new LinkKernelBuilder(parts, symbols);
  const { kernels, loops, hints, quantities, inputs, waterMethod } = builder.build(derivatives);
  return {
    name,
    summary: prepared.summary,
    parameters: table.parameters,
    coordinates: parts.coordinates,
    bodyWrenchSize: inputs.bodyWrench.length,
    inputs,
    kernels,
    loops,
    hints,
    quantities,
    method: parts.body.method,
    ...(waterMethod !== undefined && { waterMethod }),
    actuationMethods: parts.actuations.map(({ term }) => `${term.name}, ${term.method}`),
  };
}
