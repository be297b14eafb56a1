/**
 * Terms that hold frames in whole robots: of actuators that reach from link to link or act on one from the world, of forces, loops and
 * contacts of bodies that move. What they do are wrenches carried inwards to where they cancel, or to the base.
 */
import { unturned } from '../../kane/body/moving-point.ts';
import { compileBodies } from '../../kane/compile.ts';
import type { CompiledBody } from '../../kane/compile-body.ts';
import {
  backwardStep,
  coasting,
  fixedStep,
  relativeMotion,
  stepMovingFrame,
  type FrameStep,
  type MovingFrame,
  type Wrench,
} from '../../kane/equations/recursion.ts';
import { timeDerivative, type CoordinateSymbols } from '../../kane/equations/rates.ts';
import { cancels, ratesOf, type FrameTerm } from '../../kane/equations/frame-terms.ts';
import type { PlacedTerm, Placement, Reaching } from '../../kane/kernels/link-type.ts';
import { unrolled } from '../../kane/loops/unroll.ts';
import { placeReaching } from '../../kane/placed-terms.ts';
import { heldFrame, heldTwist } from '../../description/model/frame-terms.ts';
import type { BodyType, DeformableBody, Robot } from '../../description/model/robot.ts';
import { negate, plus, symbols, times, zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { freeSymbols, substitute } from '../../symbolic/graph/traverse.ts';
import {
  addVectors,
  composeFrames,
  cross,
  frameEntries,
  frameFromEntries,
  identityFrame,
  multiplyTransposed,
  multiplyVector,
  type Frame,
  type Vector3,
  vector3,
  zeroVector,
} from '../../symbolic/graph/vector.ts';
import { motionStep, type FrameTree } from '../mechanism/frame-tree.ts';
import { exactFrame, mechanismOf, type Mechanism, type MechanismFrame, type Place } from '../mechanism/mechanism.ts';
import { bodyBindings } from '../mechanism/specialise.ts';
import type { PointOnBody } from '../../kane/points-on-bodies.ts';

/** What one term adds to the coordinate of its actuator. */
export interface Share {
  readonly actuator: number;
  readonly value: Expr;
  readonly rate: Expr;
  readonly bias: Expr;
  /** By index among the robot's coordinates. */
  readonly gradient: ReadonlyMap<number, Expr>;
}

/** @returns nothing where no actuator reaches beyond a link. */
export function reachingShares(robot: Robot, symbols: FrameTree['symbols']): readonly Share[] {
  const bodies = compileBodies(robot);
  const { points, ...reaching } = placeReaching(robot, bodies);
  const { terms } = reaching;
  if (terms.length === 0) return [];
  const carriers = new Carriers(robot, bodies, points);
  const still = { ...symbols, qdd: symbols.qdd.map(() => zero) };
  return terms.map((term) => {
    const { value, gradient } = carriers.valueOf(term, reaching);
    const rate = plus(...gradient.map((slope, a) => times(slope, symbols.qd[a]!)));
    const [bias] = timeDerivative([rate], still);
    return { actuator: term.actuator!, value, rate, bias: bias!, gradient: new Map(gradient.map((e, a) => [a, e])) };
  });
}

/** Generalized forces of those between frames: what τ has to overcome, one for each coordinate; none without. */
export function frameForces(robot: Robot, symbols: FrameTree['symbols']): readonly Expr[] | undefined {
  if (!robot.forces?.length) return undefined;
  const bodies = compileBodies(robot);
  const { points, ...reaching } = placeReaching(robot, bodies);
  const carriers = new Carriers(robot, bodies, points);
  const gradients = reaching.forces.map((term) => carriers.valueOf(term, reaching).gradient);
  return symbols.q.map((_, a) => plus(...gradients.map((own) => own[a]!)));
}

/**
 * What tau has to overcome of contacts of bodies that move, one for each coordinate.
 * @param checkpoint called between contacts; may throw to stop.
 */
export function pushingForces(robot: Robot, symbols: FrameTree['symbols'], checkpoint: () => void): readonly Expr[] {
  if (!robot.touching?.length) return symbols.q.map(() => zero);
  const bodies = compileBodies(robot);
  const { points, ...reaching } = placeReaching(robot, bodies);
  const carriers = new Carriers(robot, bodies, points);
  const pushes = reaching.pushes.map((term) => {
    checkpoint();
    return carriers.pushOf(term, reaching, symbols);
  });
  return symbols.q.map((_, a) => negate(plus(...pushes.map((own) => own[a]!))));
}

/** A row of a loop, or a part of it, with its rate and its second derivative where coordinates do not accelerate. */
export interface ReachingRow extends ReachingValue {
  readonly row: number;
  readonly rate: Expr;
  readonly bias: Expr;
}

/** Of rows that hold frames; none without. */
export function reachingRows(robot: Robot, symbols: FrameTree['symbols']): readonly ReachingRow[] {
  if (!robot.loops?.some(({ parts }) => parts.length > 0)) return [];
  const bodies = compileBodies(robot);
  const { points, places, loops, closures } = placeReaching(robot, bodies);
  const carriers = new Carriers(robot, bodies, points);
  return loops.flatMap((loop) =>
    carriers
      .movingValues(
        closures[loop.closure]!,
        loop.places.map((place) => places[place]!),
        symbols,
      )
      .map((own, j) => ({ ...own, row: loop.row + j })),
  );
}

/** A value over the coordinates with its derivatives, or the generalized forces of a wrench that has none. */
interface ReachingValue {
  readonly value: Expr;
  readonly gradient: readonly Expr[];
}

/** From the proximal frame of a body to a point that moves by its coordinates, or to the frame of the material there. */
function pointStep(
  { type, parameters }: DeformableBody,
  bodies: ReadonlyMap<BodyType, CompiledBody>,
  { at, turning }: PointOnBody,
  coordinates: readonly number[],
  symbols: FrameTree['symbols'],
  index: number,
): FrameStep {
  const compiled = bodies.get(type)!;
  const known = new Set<Expr>(freeSymbols([...at.values()]));
  const request = { at, known, name: `point_${index + 1}` };
  const { frame, linear, angular, loops } = turning
    ? compiled.chosen.frame({ ...request, ...(turning.axes && { axes: turning.axes }) })
    : unturned(compiled.chosen.point(request));
  const bindings = bodyBindings(type, parameters, compiled.symbols, symbols, coordinates[0] ?? 0);
  const entries = [...frameEntries(frame), ...linear.flat(), ...angular.flat()];
  const values = substitute(unrolled(entries, loops), bindings);
  const columns = Array.from({ length: 2 * coordinates.length }, (_, i) =>
    vector3(values.slice(12 + 3 * i, 15 + 3 * i)),
  );
  const n = coordinates.length;
  const own = frameFromEntries(values.slice(0, 12));
  return { frame: own, coordinates, linear: columns.slice(0, n), angular: columns.slice(n) };
}

/** Frames that terms hold, seen from the frame `stop`: their poses there, and in `outer` what terms see of them. */
interface HeldPlaces {
  readonly places: readonly Place[];
  readonly stop: number;
  readonly outer: Frame;
  readonly poses: readonly Frame[];
  readonly bindings: ReadonlyMap<Expr, Expr>;
}

const STILL: MovingFrame = {
  angularVelocity: zeroVector,
  velocity: zeroVector,
  angularAcceleration: zeroVector,
  acceleration: zeroVector,
};

const names = (name: string, count: number): readonly SymbolExpr[] => symbols(`held.${name}`, count);

/** Poses of places and what forces there do, by frames of the mechanism as the robot file has it. */
class Carriers {
  private readonly mechanism: Mechanism;
  /** The distal frames of the links, then the material points. */
  private readonly carriers: readonly Place[];
  private readonly base: Frame;

  constructor(robot: Robot, bodies: ReadonlyMap<BodyType, CompiledBody>, points: readonly PointOnBody[]) {
    const { distal, ...mechanism } = mechanismOf(robot);
    const { frames, symbols } = mechanism;
    const held = points.map((point, k): MechanismFrame => {
      const { name, body } = robot.links[point.link]!;
      // The distal frame of a deformable body is the child of its proximal one.
      const parent = frames[distal[point.link]!.frame]!.parent;
      const step = pointStep(body as DeformableBody, bodies, point, frames[parent]!.bodyCoordinates, symbols, k);
      const motion = { kind: 'general', step } as const;
      return {
        name,
        parent,
        constant: identityFrame,
        motion,
        moments: undefined,
        body: undefined,
        bodyCoordinates: [],
      };
    });
    this.mechanism = { ...mechanism, frames: [...frames, ...held] };
    this.carriers = [...distal, ...held.map((_, k) => ({ frame: frames.length + k, constant: identityFrame }))];
    this.base = exactFrame(robot.base);
  }

  valueOf({ shape, places }: PlacedTerm, { places: all, shapes }: Reaching): ReachingValue {
    const term = shapes[shape]!;
    const held = this.held(
      places.map((place) => all[place]!),
      cancels(term),
    );
    return this.valueAt(term, held);
  }

  /** Generalized forces of a contact: its wrenches see motions of its frames, against each other. */
  pushOf(
    { shape, places, held: own = [] }: PlacedTerm,
    { places: all, shapes }: Reaching,
    symbols: FrameTree['symbols'],
  ): readonly Expr[] {
    const term = shapes[shape]!;
    // The forces on both bodies are opposite, at one point.
    const held = this.held(
      places.map((place) => all[place]!),
      true,
    );
    const bindings = new Map(held.bindings);
    held.places.forEach((_, k) => {
      const { angularVelocity, velocity } = this.turnedMotion(held, k, symbols);
      const twist = [...angularVelocity, ...velocity];
      heldTwist(k).forEach((s, i) => bindings.set(s, twist[i]!));
    });
    (term.held ?? []).forEach((s, i) => bindings.set(s, own[i]!));
    return this.valueAt(term, { ...held, bindings }).gradient;
  }

  /** Values of the same frames, with their rates. */
  movingValues(
    terms: readonly FrameTerm[],
    placements: readonly Placement[],
    symbols: FrameTree['symbols'],
  ): readonly Omit<ReachingRow, 'row'>[] {
    const held = this.held(placements, terms.every(cancels));
    const motions = placements.map((_, k) => ({ twist: names(`twist${k}`, 6), bias: names(`bias${k}`, 6) }));
    const bindings = new Map(held.bindings);
    held.places.forEach((_, k) => {
      const { angularVelocity, velocity, angularAcceleration, acceleration } = this.turnedMotion(held, k, symbols);
      const put = (to: readonly Expr[], values: readonly Expr[]): void =>
        to.forEach((s, i) => bindings.set(s, values[i]!));
      put(motions[k]!.twist, [...angularVelocity, ...velocity]);
      put(motions[k]!.bias, [...angularAcceleration, ...acceleration]);
    });
    return terms.map((term) => {
      const { rate, bias } = ratesOf(term, motions);
      const [ownRate, ownBias] = substitute([rate, bias], bindings);
      return { ...this.valueAt(term, held), rate: ownRate!, bias: ownBias! };
    });
  }

  /** @param cancelling where wrenches cancel, terms are the same in axes of the last frame that carries all of them. */
  private held(placements: readonly Placement[], cancelling: boolean): HeldPlaces {
    const places = placements.map((placement) => this.placeOf(placement));
    const stop = cancelling ? places.map(({ frame }) => frame).reduce((a, b) => this.commonFrame(a, b)) : -1;
    const outer = cancelling ? identityFrame : this.base;
    const poses = places.map((place) => this.pose(place, stop));
    const bindings = new Map<Expr, Expr>();
    poses.forEach((pose, k) => {
      const entries = frameEntries(composeFrames(outer, pose));
      frameEntries(heldFrame(k)).forEach((s, i) => bindings.set(s, entries[i]!));
    });
    return { places, stop, outer, poses, bindings };
  }

  private valueAt(
    { value, axes, wrenches }: FrameTerm,
    { places, stop, outer, poses, bindings }: HeldPlaces,
  ): ReachingValue {
    const forces: Expr[] = this.mechanism.symbols.q.map(() => zero);
    places.forEach((place, k) => {
      const own = substitute(wrenches[k]!, bindings);
      const turned = (v: Vector3): Vector3 =>
        axes === 'frame' ? multiplyVector(poses[k]!.rotation, v) : multiplyTransposed(outer.rotation, v);
      const [moment, force] = [own.slice(0, 3), own.slice(3)].map((v) => turned(vector3(v))) as [Vector3, Vector3];
      this.carry(place, { force, moment }, poses[k]!, stop, forces);
    });
    return { value: substitute([value], bindings)[0]!, gradient: forces };
  }

  /** Of one of the places where coordinates do not accelerate, in axes in which terms see it. */
  private turnedMotion({ places, stop, outer, poses }: HeldPlaces, k: number, symbols: CoordinateSymbols): MovingFrame {
    const own = this.motion(places[k]!, stop, coasting(symbols));
    const turned = (v: Vector3): Vector3 => multiplyVector(outer.rotation, multiplyVector(poses[k]!.rotation, v));
    return {
      angularVelocity: turned(own.angularVelocity),
      velocity: turned(own.velocity),
      angularAcceleration: turned(own.angularAcceleration),
      acceleration: turned(own.acceleration),
    };
  }

  /** Of a place, as if the frame `stop` stood still, in own axes. */
  private motion({ frame, constant }: Place, stop: number, symbols: CoordinateSymbols): MovingFrame {
    if (frame === stop) return STILL;
    const parent = this.mechanism.frames[frame]!.parent;
    let moving = this.motion({ frame: parent, constant: identityFrame }, stop, symbols);
    for (const step of [...this.steps(frame), fixedStep(constant)])
      moving = stepMovingFrame(step.frame, relativeMotion(step, symbols), moving);
    return moving;
  }

  private placeOf({ link, offset }: Placement): Place {
    const { frame, constant } = link < 0 ? { frame: -1, constant: identityFrame } : this.carriers[link]!;
    return { frame, constant: exactFrame(composeFrames(constant, offset)) };
  }

  /** Adds what a wrench at a place, in axes of the frame `stop`, does on the coordinates from there on. */
  private carry(place: Place, wrench: Wrench, pose: Frame, stop: number, forces: Expr[]): void {
    // Into axes of the place, then about the origin of its frame.
    const own = (v: Vector3): Vector3 => multiplyVector(place.constant.rotation, multiplyTransposed(pose.rotation, v));
    const force = own(wrench.force);
    let carried: Wrench = { force, moment: addVectors(own(wrench.moment), cross(place.constant.translation, force)) };
    for (let frame = place.frame; frame !== stop; frame = this.mechanism.frames[frame]!.parent)
      for (const step of [...this.steps(frame)].reverse()) carried = backwardStep(step, carried, forces);
  }

  /** Of a place in the frame `stop`, which carries it. */
  private pose({ frame, constant }: Place, stop: number): Frame {
    if (frame === stop) return constant;
    const own = this.steps(frame).reduce((pose, step) => composeFrames(pose, step.frame), identityFrame);
    return composeFrames(this.pose({ frame: this.mechanism.frames[frame]!.parent, constant: own }, stop), constant);
  }

  /** From the parent of a frame to the frame. */
  private steps(frame: number): readonly FrameStep[] {
    const { constant, motion } = this.mechanism.frames[frame]!;
    const { q } = this.mechanism.symbols;
    return motion.kind === 'general' ? [fixedStep(constant), motion.step] : [motionStep(constant, motion, q)];
  }

  private commonFrame(a: number, b: number): number {
    const above = new Set<number>();
    const { frames } = this.mechanism;
    for (let frame = a; frame >= 0; frame = frames[frame]!.parent) above.add(frame);
    let frame = b;
    while (frame >= 0 && !above.has(frame)) frame = frames[frame]!.parent;
    return frame;
  }
}
