/**
 * A robot as a mechanism: moving frames joined by constant transformations, every one-coordinate joint along the z-axis
 * of its own frame, rigid masses gathered on the frames they are fixed to. From this form the rewriting steps
 * (`normal-form`, `lump`) and the frame tree are made; links and their names are gone.
 */
import { KanegenError } from '../../common/error.ts';
import { compileBodies, waterOnRod } from '../../kane/compile.ts';
import { contactsOnRigid } from '../../kane/fluid/contact-terms.ts';
import type { CompiledBody } from '../../kane/compile-body.ts';
import type { BodyModel } from '../../kane/body/body-model.ts';
import { jointSteps } from '../../kane/equations/joint.ts';
import {
  addMassMoments,
  fixedStep,
  stepMassMoments,
  type CoordinateSymbols,
  type FrameStep,
  type MassMoments,
} from '../../kane/equations/recursion.ts';
import { rigidModel } from '../../kane/closed/shape-integrals.ts';
import type { BodyType, DeformableBody, ElementaryMotion, Link, Robot } from '../../description/model/robot.ts';
import {
  minusOne,
  one,
  plus,
  power,
  square,
  sqrt,
  symbol,
  zero,
  times,
  negate,
  type Expr,
  type SymbolExpr,
} from '../../symbolic/graph/expr.ts';
import { exactUnit, foldConstants } from '../../symbolic/evaluation/evaluate.ts';
import { substitute } from '../../symbolic/graph/traverse.ts';
import {
  composeFrames,
  cross,
  fromColumns,
  identityFrame,
  identityMatrix,
  mapMatrix,
  mapVector,
  multiplyTransposed,
  transpose,
  unitVectors,
  zeroVector,
  type Frame,
  type Matrix3,
  type Vector3,
} from '../../symbolic/graph/vector.ts';
import { refuseUnwritable, straightBody } from './straight-body.ts';
import { StraightWater } from './straight-water.ts';
import { bodyBindings, specialiseModel, specialiseStep } from './specialise.ts';

/** How a frame moves relative to the constant transformation before it. */
export type FrameMotion =
  | { readonly kind: 'fixed' }
  /** About the frame's z-axis by `angle`, an expression in one coordinate. */
  | { readonly kind: 'rotation'; readonly angle: Expr; readonly coordinate: number }
  /** Along the frame's z-axis by `displacement`. */
  | { readonly kind: 'translation'; readonly displacement: Expr; readonly coordinate: number }
  /** Any other, in particular proximal → distal of a deformable body. */
  | { readonly kind: 'general'; readonly step: FrameStep };

export interface MechanismFrame {
  /** The link that the frame belongs to. */
  readonly name: string;
  /** Index of the parent frame; −1: the base. */
  readonly parent: number;
  /** Parent frame → this frame at rest; the motion comes after it. */
  readonly constant: Frame;
  readonly motion: FrameMotion;
  readonly moments: MassMoments | undefined;
  readonly body: BodyModel | undefined;
  readonly bodyCoordinates: readonly number[];
  /** Around the body. */
  readonly water?: StraightWater;
}

/** Coordinates of a robot with their rates and accelerations. */
export type RobotSymbols = CoordinateSymbols & Readonly<Record<'q' | 'qd' | 'qdd', readonly SymbolExpr[]>>;

export interface Mechanism {
  readonly symbols: RobotSymbols;
  /** Inertia of what turns with a coordinate alone, one for each; zero where nothing does. */
  readonly armature: readonly Expr[];
  /** World → base frame. */
  readonly base: Frame;
  /** Velocity of the water, axes of the base frame. */
  readonly current: Vector3;
  /** Parents before children. */
  readonly frames: readonly MechanismFrame[];
}

/** A place on the mechanism: a frame (−1: the base) and a constant transformation from it. */
export interface Place {
  readonly frame: number;
  readonly constant: Frame;
}

/** One for each coordinate of a link. */
function armatureOf({ joint, body }: Link): readonly Expr[] {
  const ofBody = body.kind === 'rigid' ? [] : body.type.coordinates;
  return [...joint.coordinates.map((_, i) => joint.forces?.[i]?.armature ?? zero), ...ofBody.map(() => zero)];
}

/**
 * With the distal frames of the links, which have a place as long as frames are not written otherwise.
 * @param most operations that a body whose sums are written out may take.
 * @throws KanegenError as `demandWritten` does; `too-large`.
 */
export function mechanismOf(robot: Robot, most?: number): Mechanism & { readonly distal: readonly Place[] } {
  demandWritten(robot);
  const symbols = {
    q: robot.coordinates.map((c) => symbol(`q.${c.name}`)),
    qd: robot.coordinates.map((c) => symbol(`qd.${c.name}`)),
    qdd: robot.coordinates.map((c) => symbol(`qdd.${c.name}`)),
  };
  const builder = new Builder(robot, symbols, most);
  const distal: Place[] = [];
  let first = 0;
  for (const link of robot.links) {
    const parent = link.parent < 0 ? { frame: -1, constant: identityFrame } : distal[link.parent]!;
    const placed = builder.addLink(link, parent, first);
    distal.push(placed.distal);
    first += placed.coordinates;
  }
  return {
    symbols,
    armature: robot.links.flatMap(armatureOf),
    base: exactFrame(robot.base),
    current: multiplyTransposed(exactFrame(robot.base).rotation, robot.current ?? zeroVector),
    frames: builder.frames,
    distal,
  };
}

class Builder {
  readonly frames: MechanismFrame[] = [];
  private name = '';
  private readonly symbols: RobotSymbols;
  private readonly bodies: ReadonlyMap<BodyType, CompiledBody>;
  private readonly most: number | undefined;
  private readonly defaults: ReadonlyMap<Expr, Expr>;

  constructor(robot: Robot, symbols: RobotSymbols, most: number | undefined) {
    this.symbols = symbols;
    this.defaults = new Map(robot.parameters.map((p) => [p.symbol, p.value]));
    this.bodies = compileBodies(robot);
    this.most = most;
  }

  addLink(link: Link, parent: Place, first: number): { distal: Place; coordinates: number } {
    this.name = link.name;
    let place = moved(parent, link.offset);
    const own = new Map<Expr, Expr>(link.joint.coordinates.map((c, i) => [c.symbol, this.symbols.q[first + i]!]));
    const steps = jointSteps(link.joint, first);
    link.joint.motions.forEach((motion, i) => (place = this.addMotion(place, motion, steps[i]!, own)));
    place = moved(place, link.mount);
    const joints = link.joint.coordinates.length;
    if (link.body.kind === 'rigid') {
      const { mass, centreOfMass, inertia, moments, distal } = link.body;
      this.addMass(place, moments ? { mass, ...moments } : rigidModel(mass, centreOfMass, inertia).moments);
      if (link.contacts)
        this.add({
          ...attached(place),
          water: new StraightWater(contactsOnRigid(link.contacts), [], new Map(), true),
        });
      return { distal: moved(place, distal), coordinates: joints };
    }
    const count = link.body.type.coordinates.length;
    return { distal: this.addBody(place, link, link.body, first + joints), coordinates: joints + count };
  }

  private addMotion(place: Place, motion: ElementaryMotion, step: FrameStep, own: ReadonlyMap<Expr, Expr>): Place {
    const [coordinate] = step.coordinates;
    if (motion.kind === 'rotation' && step.coordinates.length === 1) {
      const turn = rotationToAxis(motion.axis);
      const frame = this.add({
        ...attached(moved(place, turn)),
        motion: { kind: 'rotation', angle: substitute([motion.angle], own)[0]!, coordinate: coordinate! },
      });
      return { frame, constant: inverseRotation(turn) };
    }
    const along = motion.kind === 'translation' ? axisOf(motion.displacement) : undefined;
    if (along && motion.kind === 'translation' && step.coordinates.length === 1) {
      const turn = rotationToAxis(along.axis);
      const displacement = substitute([motion.displacement[along.index]!], own)[0]!;
      const frame = this.add({
        ...attached(moved(place, turn)),
        motion: { kind: 'translation', displacement, coordinate: coordinate! },
      });
      return { frame, constant: inverseRotation(turn) };
    }
    const frame = this.add({ ...attached(place), motion: { kind: 'general', step: specialiseStep(step, own) } });
    return { frame, constant: identityFrame };
  }

  private addBody(
    place: Place,
    { water, fields = [], contacts = [] }: Link,
    { type, parameters }: DeformableBody,
    first: number,
  ): Place {
    const isPlaced = fields.length + contacts.length > 0;
    const compiled = this.bodies.get(type)!;
    const { model, distal } = straightBody(compiled, this.most);
    const bindings = bodyBindings(type, parameters, compiled.symbols, this.symbols, first);
    const coordinates = type.coordinates.map((_, i) => first + i);
    const proximal = this.add({
      ...attached(place),
      motion: { kind: 'fixed' },
      body: specialiseModel(model, bindings),
      bodyCoordinates: coordinates,
      ...((water || isPlaced) && {
        water: new StraightWater(
          waterOnRod(type, { water, fields, contacts }, this.bodies, [this.numbersOf(type, parameters)]),
          compiled.symbols.qdd,
          bindings,
          isPlaced,
        ),
      }),
    });
    const step = specialiseStep({ ...distal, coordinates: distal.coordinates.map((i) => coordinates[i]!) }, bindings);
    const frame = this.add({
      ...attached({ frame: proximal, constant: identityFrame }),
      motion: { kind: 'general', step },
    });
    return { frame, constant: identityFrame };
  }

  /** Of the parameters of a body and of the robot, which may be run-time parameters. */
  private numbersOf({ parameters }: BodyType, values: readonly Expr[]): ReadonlyMap<Expr, number> {
    const numbers = foldConstants(values, this.defaults);
    const ofRobot = [...this.defaults].map(([s, value]) => [s, foldConstants([value])[0]!] as const);
    return new Map<Expr, number>([...ofRobot, ...parameters.map((p, i) => [p.symbol, numbers[i]!] as const)]);
  }

  private addMass(place: Place, moments: MassMoments): void {
    if (place.frame < 0) return; // fixed to the ground
    const frame = this.frames[place.frame]!;
    const carried = stepMassMoments(fixedStep(place.constant), moments).atParent;
    const total = frame.moments ? addMassMoments(frame.moments, carried) : carried;
    this.frames[place.frame] = { ...frame, moments: total };
  }

  private add(frame: Omit<MechanismFrame, 'name'>): number {
    this.frames.push({ name: this.name, ...frame });
    return this.frames.length - 1;
  }
}

/**
 * @throws KanegenError `not-supported` at joints, bodies and fields that depend on the time, at learned maps, and at water around rigid
 * bodies.
 */
export function demandWritten({ links }: Robot): void {
  for (const link of links) {
    refuseUnwritten(link);
    if (link.body.kind === 'deformable') refuseUnwritable(link.body.type);
  }
}

function refuseUnwritten({ name, joint, rigidWater, fields = [] }: Link): void {
  const [followed] = joint.prescribed?.coordinates ?? [];
  if (followed)
    throw new KanegenError('not-supported', `straight-line code has no time, which the joint of \`${name}\` follows`, {
      remedy: 'leave out --straight: the driver has all functions',
      location: followed.location,
    });
  if (rigidWater)
    throw new KanegenError(
      'not-supported',
      `straight-line code knows of no water around rigid bodies, and \`${name}\` is one`,
      { remedy: 'leave out --straight: the driver has all functions', location: rigidWater.location },
    );
  const timed = fields.find((field) => field.time);
  if (timed)
    throw new KanegenError('not-supported', `straight-line code has no time, on which \`${timed.name}\` depends`, {
      remedy: 'leave out --straight, or write what depends on the time as a parameter with `runtime: true`',
      location: timed.location,
    });
}

function attached(place: Place): Omit<MechanismFrame, 'name'> {
  return {
    parent: place.frame,
    constant: place.constant,
    motion: { kind: 'fixed' },
    moments: undefined,
    body: undefined,
    bodyCoordinates: [],
  };
}

function moved(place: Place, frame: Frame): Place {
  return { frame: place.frame, constant: exactFrame(composeFrames(place.constant, frame)) };
}

/** Products of exact rotations have entries that are 0 or ±1: as such. */
export function exactFrame({ rotation, translation }: Frame): Frame {
  return { rotation: mapMatrix(rotation, exactUnit), translation: mapVector(translation, exactUnit) };
}

function inverseRotation({ rotation }: Frame): Frame {
  return { rotation: transpose(rotation), translation: zeroVector };
}

/** The coordinate axis along which a displacement points, when there is only one. */
function axisOf(displacement: Vector3): { axis: Vector3; index: number } | undefined {
  const indices = [0, 1, 2].filter((i) => displacement[i] !== zero);
  return indices.length === 1 ? { axis: unitVectors[indices[0]!]!, index: indices[0]! } : undefined;
}

/** A constant rotation that carries z to the unit vector `axis`; a permutation of axes where that is possible. */
function rotationToAxis(axis: Vector3): Frame {
  const [x, y, z] = axis;
  let rotation: Matrix3;
  if (x === zero && y === zero)
    rotation = z === one ? identityMatrix : fromColumns([one, zero, zero], [zero, minusOne, zero], axis);
  else if (x === zero && z === zero) rotation = fromColumns(unitVectors[0], cross(axis, unitVectors[0]), axis);
  else if (y === zero && z === zero) rotation = fromColumns(cross(unitVectors[1], axis), unitVectors[1], axis);
  else {
    const length = sqrt(plus(square(x), square(y)));
    const across: Vector3 = [times(negate(y), power(length, -1)), times(x, power(length, -1)), zero];
    rotation = fromColumns(across, cross(axis, across), axis);
  }
  return { rotation, translation: zeroVector };
}
