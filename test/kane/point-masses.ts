/**
 * Trees of links made by hand whose bodies are a few point masses, and the referee for them: every law of mechanics as a
 * sum over the points, from their positions alone.
 */
import type { ElementaryMotion, Joint, Quantity } from '../../src/description/model/robot.ts';
import { ClosedPart } from '../../src/kane/closed/closed-part.ts';
import { jointSteps, rotationAbout } from '../../src/kane/equations/joint.ts';
import { LinkKernelBuilder } from '../../src/kane/link/link-builder.ts';
import { inputSymbols, type Drive, type LinkParts } from '../../src/kane/link/link-parts.ts';
import { linkCoordinate } from '../../src/kane/link/link-coordinate.ts';
import type { CompiledRobot, LinkType } from '../../src/kane/kernels/link-type.ts';
import { fixedStep, type CoordinateSymbols, type FrameStep } from '../../src/kane/equations/recursion.ts';
import type { ForceTerm } from '../../src/kane/body/force-terms.ts';
import { ShapeIntegralModel, type ShapeIntegrals } from '../../src/kane/closed/shape-integrals.ts';
import { differentiateAll, directionalDerivative } from '../../src/symbolic/graph/differentiate.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import { decimal, plus, symbol, times, zero, type Expr } from '../../src/symbolic/graph/expr.ts';
import {
  addSymmetric,
  addVectors,
  composeFrames,
  cross,
  dot,
  identityFrame,
  identityMatrix,
  mapSymmetric,
  multiplyMatrices,
  pointInertia,
  scaleVector,
  transformPoint,
  transpose,
  unskew,
  zeroVector,
  type Frame,
  type Matrix3,
  type Symmetric3,
  type Vector3,
} from '../../src/symbolic/graph/vector.ts';
import type { State } from './interpreter.ts';

/** Numbers in (−1, 1), the same for the same seed. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 31 - 1;
  };
}

export function randomVector(random: () => number): Vector3 {
  return [0, 0, 0].map(() => decimal(Number(random().toFixed(3)))) as unknown as Vector3;
}

export function randomFrame(random: () => number): Frame {
  const turned = rotationAbout([decimal(0.6), zero, decimal(0.8)], decimal(3 * random()));
  const again = rotationAbout([zero, decimal(-0.8), decimal(0.6)], decimal(3 * random()));
  return { rotation: multiplyMatrices(turned, again), translation: randomVector(random) };
}

export interface PointMass {
  readonly mass: Expr;
  readonly position: Vector3;
}

/** What a link of the tree is made of; all expressions over the symbols of its own coordinates. */
export interface PointLink {
  readonly parent: number;
  readonly offset: Frame;
  readonly joint: Joint;
  readonly mount: Frame;
  readonly bodyCoordinates: readonly Quantity[];
  /** In the proximal frame. */
  readonly points: readonly PointMass[];
  readonly distal: Frame;
  /** Of the body's coordinates; none when missing. */
  readonly forces?: readonly ForceTerm[];
  readonly drives?: readonly Drive[];
}

export function coordinate(name: string): Quantity {
  return { name, symbol: symbol(`test.${name}`), unit: 'rad', value: zero };
}

/** m, c, I, H, G and Y of points, by their definitions. */
function integralsOf(points: readonly PointMass[], coordinates: readonly Expr[]): ShapeIntegrals {
  const partial = (p: PointMass, a: Expr): Vector3 => differentiateAll(p.position, a) as unknown as Vector3;
  const sum = (f: (p: PointMass) => Vector3): Vector3 =>
    addVectors(zeroVector, ...points.map((p) => scaleVector(p.mass, f(p))));
  const inertias = points.map((p) => mapSymmetric(pointInertia(p.position), (e) => times(p.mass, e)));
  return {
    mass: plus(...points.map((p) => p.mass)),
    first: sum((p) => p.position),
    inertia: addSymmetric(...(inertias as [Symmetric3, ...Symmetric3[]])),
    angular: coordinates.map((a) => sum((p) => cross(p.position, partial(p, a)))),
    gram: coordinates.map((a) =>
      coordinates.map((b) => plus(...points.map((p) => times(p.mass, dot(partial(p, a), partial(p, b)))))),
    ),
    gyroscopic: coordinates.map((a) => coordinates.map((b) => sum((p) => cross(partial(p, a), partial(p, b))))),
  };
}

/** The step that a frame makes when coordinates move it, its projectors by differentiation. */
function stepOf(frame: Frame, coordinates: readonly Expr[]): FrameStep {
  return {
    frame,
    coordinates: coordinates.map((_, i) => i),
    linear: coordinates.map((q) => differentiateAll(frame.translation, q) as unknown as Vector3),
    angular: coordinates.map((q) => angularProjector(frame, q)),
  };
}

/** (∂R/∂q Rᵀ)^∨ */
function angularProjector({ rotation }: Frame, q: Expr): Vector3 {
  const rate = differentiateAll(rotation, q) as unknown as Matrix3;
  return unskew(multiplyMatrices(rate, transpose(rotation)));
}

export function linkParts(link: PointLink): LinkParts {
  const own = link.bodyCoordinates.map(linkCoordinate);
  const symbols: CoordinateSymbols = {
    q: own.map((c) => c.symbol),
    qd: own.map((c) => c.rate),
    qdd: own.map((c) => c.acceleration),
  };
  const model = new ShapeIntegralModel(integralsOf(link.points, symbols.q), symbols);
  const body = new ClosedPart({
    step: stepOf(link.distal, symbols.q),
    model,
    coordinates: own,
  });
  const joints = link.joint.coordinates.length;
  const bodyCoordinates = own.map((_, i) => joints + i);
  return {
    jointSteps: [fixedStep(link.offset), ...jointSteps(link.joint), fixedStep(link.mount)],
    body,
    coordinates: [...link.joint.coordinates.map(linkCoordinate), ...own],
    bodyCoordinates,
    forces: (link.forces ?? []).map((term) => ({ term, coordinates: bodyCoordinates })),
    actuations: [],
    drives: link.drives ?? [],
  };
}

export function linkTypeOf(name: string, parts: LinkParts): LinkType {
  const { kernels, loops, hints, inputs } = new LinkKernelBuilder(parts, inputSymbols(parts, [])).build();
  const { bodyWrenchSize, method } = parts.body;
  const { coordinates } = parts;
  const actuationMethods: string[] = [];
  return {
    ...{ name, summary: '', parameters: [], coordinates, bodyWrenchSize, inputs, kernels, loops, hints, method },
    actuationMethods,
  };
}

export function compiledTree(links: readonly PointLink[]): CompiledRobot {
  const types = links.map((link, i) => linkTypeOf(`link_${i}`, linkParts(link)));
  return {
    types,
    links: types.map((type, i) => ({ name: type.name, type, parent: links[i]!.parent, parameters: [], actuators: [] })),
    frames: [],
  };
}

function motionFrame(motion: ElementaryMotion): Frame {
  if (motion.kind === 'translation') return { rotation: identityMatrix, translation: motion.displacement };
  if (motion.kind === 'rotation')
    return { rotation: rotationAbout(motion.axis, motion.angle), translation: zeroVector };
  throw new Error('no rotation vectors here');
}

/** The laws of mechanics for a tree of links, by sums over its points. */
export class PointReferee {
  readonly coordinates: readonly Expr[];
  private readonly frames: Frame[] = [];
  private readonly points: PointMass[] = [];
  private readonly at: Map<Expr, number>;
  private readonly forward: ReadonlyMap<Expr, Expr>;
  private readonly masses: readonly number[];
  /** ∂p/∂q_a, per point and coordinate. */
  private readonly partials: readonly (readonly number[][])[];

  constructor(links: readonly PointLink[], state: State) {
    const all = links.flatMap((link) => [...link.joint.coordinates, ...link.bodyCoordinates]).map(linkCoordinate);
    this.coordinates = all.map((c) => c.symbol);
    this.at = new Map(
      all.flatMap((c, i) => [
        [c.symbol, state.q[i]!],
        [c.rate, state.qd[i]!],
        [c.acceleration, state.qdd[i]!],
      ]),
    );
    this.forward = new Map(
      all.flatMap((c) => [
        [c.symbol, c.rate],
        [c.rate, c.acceleration],
      ]),
    );
    for (const link of links) {
      const parent = link.parent < 0 ? identityFrame : this.frames[link.parent]!;
      const proximal = [link.offset, ...link.joint.motions.map(motionFrame), link.mount].reduce(composeFrames, parent);
      for (const { mass, position } of link.points)
        this.points.push({ mass, position: transformPoint(proximal, position) });
      this.frames.push(composeFrames(proximal, link.distal));
    }
    this.masses = this.numbers(this.points.map((p) => p.mass));
    const positions = this.points.flatMap((p) => [...p.position]);
    const columns = this.coordinates.map((q) => this.numbers(differentiateAll(positions, q)));
    this.partials = this.points.map((_, k) => columns.map((column) => column.slice(3 * k, 3 * k + 3)));
  }

  private numbers(values: readonly Expr[]): number[] {
    return evaluate(values, this.at);
  }

  private rate(v: readonly Expr[]): Vector3 {
    return directionalDerivative(v, this.forward) as unknown as Vector3;
  }

  /** Rotation, row-major, and origin of every distal frame. */
  poses(): number[][] {
    return this.frames.map((f) => this.numbers([...f.rotation, ...f.translation]));
  }

  massMatrix(): number[][] {
    return this.coordinates.map((_, a) =>
      this.coordinates.map((__, b) => this.sum((k) => product(this.partials[k]![a]!, this.partials[k]![b]!))),
    );
  }

  /** Σ m p_a · (p̈ − g), or without motion −Σ m p_a · g. */
  forces(gravity: readonly number[], isMoving: boolean): number[] {
    const driving = this.points.map(({ position }) => {
      const own = isMoving ? this.numbers(this.rate(this.rate(position))) : [0, 0, 0];
      return own.map((e, i) => e - gravity[i]!);
    });
    return this.coordinates.map((_, a) => this.sum((k) => product(this.partials[k]![a]!, driving[k]!)));
  }

  energies(gravity: readonly number[]): [number, number] {
    const positions = this.points.map(({ position }) => this.numbers(position));
    const velocities = this.points.map(({ position }) => this.numbers(this.rate(position)));
    return [
      this.sum((k) => product(velocities[k]!, velocities[k]!) / 2),
      -this.sum((k) => product(positions[k]!, gravity)),
    ];
  }

  /** Σ m f over the points. */
  private sum(f: (k: number) => number): number {
    return this.masses.reduce((total, m, k) => total + m * f(k), 0);
  }

  /** Per coordinate: angular velocity of a link's distal frame per unit rate, velocity of its point at the world origin. */
  jacobian(link: number): number[][] {
    const frame = this.frames[link]!;
    const origin = this.numbers(frame.translation);
    return this.coordinates.map((q) => {
      const [x, y, z] = this.numbers(angularProjector(frame, q)) as [number, number, number];
      const [a, b, c] = this.numbers(differentiateAll(frame.translation, q)) as [number, number, number];
      const [ox, oy, oz] = origin as [number, number, number];
      return [x, y, z, a - (y * oz - z * oy), b - (z * ox - x * oz), c - (x * oy - y * ox)];
    });
  }
}

function product(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, e, i) => sum + e * b[i]!, 0);
}

/** Springs and dampers on a body's coordinates: forces, matrices and energy as given, zero where it does not matter. */
const passive =
  (name: string, kind: ForceTerm['kind']) =>
  (
    generalized: readonly Expr[],
    matrix: readonly Expr[] = generalized.flatMap(() => generalized.map(() => zero)),
    energy?: Expr,
  ): ForceTerm => ({ name, kind, generalized, matrix, ...(energy && { energy }), loops: [] });
export const springs = passive('springs', 'elastic');
export const dampers = passive('dampers', 'damping');
