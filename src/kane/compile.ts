/**
 * The Kane compiler: from a robot to link types with their kernels. Links that differ in numbers only share a type; a
 * constant that is exactly 0 or ±1 is part of the type (it folds away), any other is a parameter.
 */
import { countOperations, totalOperations } from '../symbolic/cost.ts';
import { KanegenError } from '../symbolic/error.ts';
import { exactUnit, foldConstants } from '../symbolic/evaluate.ts';
import { minusOne, one, symbol, zero, type Expr, type SymbolExpr } from '../symbolic/expr.ts';
import { freeSymbols, postorder } from '../symbolic/traverse.ts';
import { children } from '../symbolic/expr.ts';
import {
  composeFrames,
  frameEntries,
  frameFromEntries,
  identityFrame,
  isIdentityFrame,
  type Frame,
  type Symmetric3,
  type Vector3,
} from '../symbolic/vector.ts';
import { RodIntegrals, type IntegralReport } from '../integration/gram.ts';
import {
  rodOf,
  type BodyType,
  type DeformableBody,
  type Link,
  type MaterialPoint,
  type Quantity,
  type RigidBody,
  type Robot,
} from '../description/robot.ts';
import type { BodyModel } from './body-model.ts';
import { bodyKinematics, type BodyKinematicsTerms } from './body-kinematics.ts';
import { BodyFields, ContractionModel, MaterialFamily } from './contraction.ts';
import { jointSteps } from './joint.ts';
import { simplest } from './rates.ts';
import { inputSymbols, LinkKernelBuilder, type LinkParts } from './link-builder.ts';
import type { CompiledRobot, LinkCoordinate, LinkInstance, LinkParameter, LinkType } from './link-type.ts';
import { fixedStep, type CoordinateSymbols, type FrameStep } from './recursion.ts';
import { mapIntegrals, rigidModel, ShapeIntegralModel, type ShapeIntegrals } from './shape-integrals.ts';

/** A body type compiled once: kinematics, integrals, and the cheaper of the two models. */
export interface CompiledBody {
  readonly type: BodyType;
  readonly kinematics: BodyKinematicsTerms;
  readonly symbols: CoordinateSymbols;
  readonly fields: BodyFields;
  readonly model: BodyModel;
  /** Shape integrals in their shortest form; computed on demand. */
  readonly integrals: () => ShapeIntegrals;
  readonly reports: readonly IntegralReport[];
  /** Operations of inverse dynamics under each model. */
  readonly costs: Readonly<Record<'shapeIntegrals' | 'contraction', number>>;
}

const rate = (s: SymbolExpr): SymbolExpr => symbol(`rate.${s.name}`);
const acceleration = (s: SymbolExpr): SymbolExpr => symbol(`acceleration.${s.name}`);

function coordinateOf(c: Quantity): LinkCoordinate {
  return {
    name: c.name,
    symbol: c.symbol,
    rate: rate(c.symbol),
    acceleration: acceleration(c.symbol),
    unit: c.unit,
    summary: c.summary ?? '',
  };
}

/**
 * Are shape integrals worth forming, to compare their cost? They win where products of coefficients collapse by the
 * Stumpff relations: few coordinates and one of them alone in each bending angle. With an angle made of several
 * coordinates (|κ| in space) they were three times as expensive at three coordinates and take seconds to form at four.
 */
function mayFavourShapeIntegrals(type: BodyType, { form }: BodyKinematicsTerms): boolean {
  const own = new Set<Expr>(type.coordinates.map((c) => c.symbol));
  const angles = new Set(form.flatMap((t) => (t.function.argument ? [t.function.argument] : [])));
  const planar = [...angles].every((angle) => freeSymbols([angle]).filter((s) => own.has(s)).length <= 1);
  return type.coordinates.length <= (planar ? 4 : 2);
}

const compiledBodies = new Map<string, CompiledBody>();

/** Identity of all that a body type's terms depend on: equal formulas are compiled once, whatever file they come from. */
function structureKey(type: BodyType): string {
  const { kinematics } = type;
  const volume = rodOf(type);
  const vectors: (readonly Expr[])[] = [[volume.start, volume.end, volume.density, volume.axial, ...volume.section]];
  const sectionKeys = Object.entries(volume.shape).map(([k, v]) => `${k}=${typeof v === 'string' ? v : v.id}`);
  let distal = '';
  if (kinematics.kind === 'position') {
    vectors.push(kinematics.position);
    if (kinematics.distal.kind === 'pose') vectors.push(frameEntries(kinematics.distal.pose));
    if (kinematics.distal.kind === 'contact') {
      const { pivot, axes } = kinematics.distal.contact;
      const point = (p: MaterialPoint): string => [...p].map(([s, e]) => `${s.id}:${e.id}`).join(',');
      distal = `${point(pivot)};${Object.entries(axes)
        .map(([name, p]) => `${name}@${point(p)}`)
        .join(';')}`;
    }
  } else if (kinematics.kind === 'pose') vectors.push(frameEntries(kinematics.pose));
  else if (kinematics.kind === 'strain') vectors.push(kinematics.angular, kinematics.linear);
  const quantities = [...type.parameters, ...type.coordinates].map((quantity) => [quantity.symbol, quantity.value]);
  const ids = [...vectors, ...quantities].map((v) => v.map((e) => e.id).join(','));
  return [kinematics.kind, type.parameters.length, ...ids, ...sectionKeys, distal].join('|');
}

/**
 * Kinematics and integrals of a body type.
 * @throws KanegenError located in the robot file when the kinematics is irregular or has no closed form.
 */
export function compileBody(type: BodyType): CompiledBody {
  const key = structureKey(type);
  const known = compiledBodies.get(key);
  if (known) return known;
  const kinematics = bodyKinematics(type);
  const { locations } = type;
  const volume = rodOf(type);
  try {
    const integrals = new RodIntegrals({ ...volume, shape: volume.shape });
    const coordinates = type.coordinates.map(coordinateOf);
    const symbols: CoordinateSymbols = {
      q: coordinates.map((c) => c.symbol),
      qd: coordinates.map((c) => c.rate),
      qdd: coordinates.map((c) => c.acceleration),
    };
    const fields = new BodyFields(new MaterialFamily(kinematics.form, integrals), symbols);
    let shape: ShapeIntegrals | undefined;
    const shapeIntegrals = (): ShapeIntegrals => (shape ??= mapIntegrals(fields.shapeIntegrals(), simplest));
    const contraction = new ContractionModel(fields);
    const parameters = new Set<Expr>(type.parameters.map((p) => p.symbol));
    const costs = { shapeIntegrals: Infinity, contraction: costOf(type, kinematics, contraction, parameters) };
    let model: BodyModel = contraction;
    if (mayFavourShapeIntegrals(type, kinematics)) {
      const byShape = new ShapeIntegralModel(shapeIntegrals(), symbols);
      costs.shapeIntegrals = costOf(type, kinematics, byShape, parameters);
      if (costs.shapeIntegrals <= costs.contraction) model = byShape;
    }
    const result = {
      type,
      kinematics,
      symbols,
      fields,
      model,
      integrals: shapeIntegrals,
      reports: integrals.reports,
      costs,
    };
    requireFinite(type, result);
    compiledBodies.set(key, result);
    return result;
  } catch (error) {
    if (error instanceof KanegenError) throw error.at(locations.kinematics);
    throw error;
  }
}

/** Operations of acceleration and backward kernels of a body on its own; parameters-only parts are free. */
function costOf(
  type: BodyType,
  kinematics: BodyKinematicsTerms,
  model: BodyModel,
  parameters: ReadonlySet<Expr>,
): number {
  const parts: LinkParts = {
    jointSteps: [],
    bodyStep: kinematics.distal,
    model,
    coordinates: type.coordinates.map(coordinateOf),
    bodyCoordinates: type.coordinates.map((_, i) => i),
  };
  const builder = new LinkKernelBuilder(
    parts,
    inputSymbols(parts.coordinates, [...parameters] as SymbolExpr[], type.coordinates.length),
  );
  const values = [builder.acceleration(), builder.backward(true)].flatMap((k) =>
    k.outputs.flatMap((o) => [...o.values]),
  );
  return totalOperations(countOperations(values, constantNodes(values, parameters)));
}

/** Predicate: does the node depend on parameters only? */
function constantNodes(roots: readonly Expr[], parameters: ReadonlySet<Expr>): (e: Expr) => boolean {
  const constant = new Set<Expr>();
  for (const e of postorder(roots)) {
    const leaf = e.kind === 'symbol' ? parameters.has(e) : children(e).every((o) => constant.has(o));
    if (leaf) constant.add(e);
  }
  return (e) => constant.has(e);
}

/** The straight configuration (every default) must give finite integrals and projectors. */
function requireFinite(type: BodyType, body: CompiledBody): void {
  const entries = [
    ...frameEntries(body.kinematics.distal.frame),
    ...body.kinematics.form.flatMap((t) => [...t.coefficient]),
  ];
  const known = new Map<Expr, Expr>(
    [...type.parameters, ...type.coordinates].map((quantity) => [quantity.symbol, quantity.value]),
  );
  if (freeSymbols(entries).some((s) => !known.has(s))) return; // parameters without defaults: checked per link
  const values = foldConstants(entries, known);
  if (values.every(Number.isFinite)) return;
  throw new KanegenError(
    'irregular-kinematics',
    'the kinematics is not finite at the default values of its coordinates',
    {
      remedy: 'remove the pole that does not cancel, or give the coordinate a default where the formula is finite',
    },
  );
}

// ---------------------------------------------------------------------------------------------- link types

/** Constants of a link sorted into what belongs to the type (0, ±1) and parameters with this link's values. */
class ParameterTable {
  readonly parameters: LinkParameter[] = [];
  readonly values: Expr[] = [];
  private pattern = '';

  /** A stand-in for `value`: the value itself when it is exactly 0 (or ±1 where units fold), else a new parameter. */
  place(value: Expr, name: string, unit: string, summary: string, foldUnits = false): Expr {
    if (value === zero || (foldUnits && (value === one || value === minusOne))) {
      this.pattern += value === zero ? '0' : value === one ? '+' : '-';
      return value;
    }
    this.pattern += '#';
    const parameter: LinkParameter = { name, symbol: symbol(`link.${name}`), unit, summary };
    this.parameters.push(parameter);
    this.values.push(value);
    return parameter.symbol;
  }

  add(parameter: LinkParameter, value: Expr): void {
    this.parameters.push(parameter);
    this.values.push(value);
  }

  get key(): string {
    return this.pattern;
  }
}

const AXES = ['x', 'y', 'z'] as const;
const ENTRIES = AXES.flatMap((row) => AXES.map((col) => `${row}${col}`));

function placeFrame(table: ParameterTable, frame: Frame, stem: string): Frame {
  const entries = frameEntries(frame).map((e, i) =>
    i < 9
      ? table.place(exactUnit(e), `${stem}_rotation_${ENTRIES[i]}`, '1', `${stem} rotation, entry ${ENTRIES[i]}`, true)
      : table.place(e, `${stem}_${AXES[i - 9]}`, 'm', `${stem} translation along ${AXES[i - 9]}`),
  );
  return frameFromEntries(entries);
}

interface PreparedLink {
  readonly parts: LinkParts;
  readonly table: ParameterTable;
  readonly key: string;
  readonly name: string;
  readonly summary: string;
}

const RIGID_INERTIA = ['xx', 'yy', 'zz', 'xy', 'xz', 'yz'];

function prepareRigid(body: RigidBody, table: ParameterTable): { model: BodyModel; step: FrameStep } {
  const mass = table.place(body.mass, 'mass', 'kg', 'mass');
  const centre = body.centreOfMass.map((e, i) =>
    table.place(e, `com_${AXES[i]}`, 'm', `centre of mass along ${AXES[i]}, proximal frame`),
  ) as unknown as Vector3;
  const inertia = body.inertia.map((e, i) =>
    table.place(
      e,
      `inertia_${RIGID_INERTIA[i]}`,
      'kg m^2',
      `inertia about the centre of mass, entry ${RIGID_INERTIA[i]}, proximal axes`,
    ),
  ) as unknown as Symmetric3;
  return { model: rigidModel(mass, centre, inertia), step: fixedStep(placeFrame(table, body.distal, 'distal')) };
}

function prepareDeformable(
  body: DeformableBody,
  table: ParameterTable,
  firstCoordinate: number,
): { model: BodyModel; step: FrameStep } {
  const compiled = compileBody(body.type);
  body.type.parameters.forEach((p, i) =>
    table.add(
      {
        name: p.name,
        symbol: p.symbol,
        unit: p.unit,
        summary: p.summary ?? `parameter ${p.name} of ${body.type.name}`,
      },
      body.parameters[i]!,
    ),
  );
  const { distal } = compiled.kinematics;
  return {
    model: compiled.model,
    step: { ...distal, coordinates: distal.coordinates.map((i) => firstCoordinate + i) },
  };
}

function prepareLink(link: Link): PreparedLink {
  const table = new ParameterTable();
  const joint = jointSteps(link.joint);
  const merged = joint.length === 0;
  const offset = placeFrame(table, merged ? composeFrames(link.offset, link.mount) : link.offset, 'offset');
  const mount = merged ? identityFrame : placeFrame(table, link.mount, 'mount');
  const jointCount = link.joint.coordinates.length;
  const { model, step } =
    link.body.kind === 'rigid' ? prepareRigid(link.body, table) : prepareDeformable(link.body, table, jointCount);
  const bodyCoordinates = link.body.kind === 'rigid' ? [] : link.body.type.coordinates;
  const around = (frame: Frame): FrameStep[] => (isIdentityFrame(frame) ? [] : [fixedStep(frame)]);
  const parts: LinkParts = {
    jointSteps: [...around(offset), ...joint, ...around(mount)],
    bodyStep: step,
    model,
    coordinates: [...link.joint.coordinates, ...bodyCoordinates].map(coordinateOf),
    bodyCoordinates: bodyCoordinates.map((_, i) => jointCount + i),
  };
  const bodyName = link.body.kind === 'rigid' ? 'rigid' : link.body.type.name;
  const axis = axisName(link);
  const jointName = link.joint.type === 'fixed' ? '' : `${link.joint.type}${axis}_`;
  return {
    parts,
    table,
    key: [link.joint.type, motionKey(link), table.key, bodyName].join('|'),
    name: `${jointName}${bodyName}`.replace(/[^A-Za-z0-9]+/g, '_'),
    summary: `${link.joint.type === 'fixed' ? '' : `${link.joint.type} joint${axis.replace('_', ' about ')}, then `}${
      link.body.kind === 'rigid' ? 'rigid body' : link.body.type.summary || link.body.type.name
    }`,
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

/**
 * Compiles every link of a robot.
 * @throws KanegenError with the place in the robot file.
 */
export function compileRobot(robot: Robot): CompiledRobot {
  const types = new Map<string, { type: LinkType; body: BodyType | undefined }>();
  const usedNames = new Set<string>();
  const links: LinkInstance[] = robot.links.map((link) => {
    const prepared = prepareLink(link);
    const body = link.body.kind === 'deformable' ? link.body.type : undefined;
    let entry = types.get(prepared.key);
    if (!entry) {
      let name = prepared.name;
      for (let n = 2; usedNames.has(name); n++) name = `${prepared.name}_${n}`;
      usedNames.add(name);
      entry = { type: buildType(prepared, name), body };
      types.set(prepared.key, entry);
    }
    return { name: link.name, type: entry.type, parent: link.parent, parameters: prepared.table.values };
  });
  return { types: [...types.values()].map((t) => t.type), links };
}

function buildType(prepared: PreparedLink, name: string): LinkType {
  const { parts, table } = prepared;
  const inputs = inputSymbols(
    parts.coordinates,
    table.parameters.map((p) => p.symbol),
    parts.bodyCoordinates.length,
  );
  const builder = new LinkKernelBuilder(parts, inputs);
  const kernels = builder.build();
  return {
    name,
    summary: prepared.summary,
    parameters: table.parameters,
    coordinates: parts.coordinates,
    bodyWrenchSize: 6 + parts.bodyCoordinates.length,
    inputs,
    kernels,
    loops: [],
    hints: builder.hints,
    method: parts.model.method,
  };
}
