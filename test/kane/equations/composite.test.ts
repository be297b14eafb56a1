/**
 * The sweep that makes the mass matrix against kinetic energy: ∂²T/∂q̇² of point masses whose world positions are formulas,
 * with inertias of frozen bodies and with general 6 × 6 ones, along chains and trees whose coordinates move several steps.
 */
import { describe, expect, it } from 'vitest';
import {
  FROZEN,
  joinBody,
  joinComposites,
  MassMatrix,
  stepComposite,
  type Composite,
  type InertiaKind,
} from '../../../src/kane/equations/composite.ts';
import { rotationAbout } from '../../../src/kane/equations/joint.ts';
import type { BodyWrench, FrameStep, MassMoments } from '../../../src/kane/equations/recursion.ts';
import { differentiateAll } from '../../../src/symbolic/graph/differentiate.ts';
import { evaluate } from '../../../src/symbolic/evaluation/evaluate.ts';
import { decimal, plus, symbol, times, zero, type Expr } from '../../../src/symbolic/graph/expr.ts';
import {
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
  skew,
  transformPoint,
  transpose,
  unitVectors,
  zeroVector,
  type Frame,
  type Matrix3,
  type Vector3,
} from '../../../src/symbolic/graph/vector.ts';
import { randomFrame, randomNumbers, randomVector } from '../point-masses.ts';

const random = randomNumbers(71);
const q = [0, 1, 2, 3].map((i) => symbol(`composite.q${i}`));

/** A frame that hangs on another, with a point mass, or a point that the coordinates move within the frame. */
interface Node {
  readonly parent: number;
  readonly step: FrameStep;
  readonly mass: Expr;
  readonly point: Vector3;
  /** Coordinates that the point depends on. */
  readonly own: readonly number[];
}

/** A turn by one combination of coordinates and a shift by another, behind a constant frame. */
function step(axis: Vector3, weights: readonly number[]): FrameStep {
  const constant = randomFrame(random);
  const combine = (by: readonly Expr[]): Expr => plus(...by.map((w, i) => times(w, q[i]!)));
  const turns = weights.map(decimal);
  const shifts = weights.map((w) => decimal(w * random()));
  const along = randomVector(random);
  const frame = composeFrames(constant, {
    rotation: rotationAbout(axis, combine(turns)),
    translation: scaleVector(combine(shifts), along),
  });
  const coordinates = weights.flatMap((w, i) => (w === 0 ? [] : [i]));
  const turned = (v: Vector3): Vector3 => transformPoint({ ...constant, translation: zeroVector }, v);
  return {
    frame,
    coordinates,
    angular: coordinates.map((i) => turned(scaleVector(turns[i]!, axis))),
    linear: coordinates.map((i) => turned(scaleVector(shifts[i]!, along))),
  };
}

const [x, y, z] = unitVectors;
const mass = (): Expr => decimal(1 + Math.abs(random()));
const rigid = (parent: number, own: FrameStep): Node => ({
  parent,
  step: own,
  mass: mass(),
  point: randomVector(random),
  own: [],
});
/** Coordinates 0 and 1 move two steps of the trunk, 1 moves one of a branch as well, 3 moves a point in its frame. */
const nodes: readonly Node[] = [
  rigid(-1, step(z, [1, 0, 0, 0])),
  rigid(0, step(x, [0.7, 1.3, 0, 0])),
  rigid(1, step(y, [0, 0, 1, 0])),
  rigid(1, step(z, [0, 0, 0, 0.8])),
  {
    ...rigid(0, step(y, [0, 0, 0, 0])),
    point: [plus(decimal(0.2), q[3]!), times(decimal(0.4), q[3]!, q[3]!), decimal(-0.3)],
    own: [3],
  },
];

/** ∂p/∂q_a of the point within its frame. */
const partial = ({ point }: Node, a: number): Vector3 => differentiateAll(point, q[a]!) as unknown as Vector3;

function unitsOf(node: Node): BodyWrench[] {
  return node.own.map((a) => {
    const force = scaleVector(node.mass, partial(node, a));
    return { force, moment: cross(node.point, force), generalized: node.own.map((b) => dot(partial(node, b), force)) };
  });
}

function sweep<I>(kind: InertiaKind<I>, inertiaOf: (node: Node) => I): readonly (readonly Expr[])[] {
  const M = new MassMatrix(q.length);
  const beyond: Composite<I>[] = nodes.map(() => ({ inertia: undefined, units: new Map() }));
  for (let i = nodes.length - 1; i >= 0; i--) {
    const node = nodes[i]!;
    const body = { inertia: inertiaOf(node), units: unitsOf(node), coordinates: node.own };
    const stepped = stepComposite(kind, node.step, joinBody(kind, beyond[i]!, body, M.take), M.take);
    if (node.parent >= 0) beyond[node.parent] = joinComposites(kind, beyond[node.parent]!, stepped);
  }
  return M.rows;
}

const frozen = (node: Node): MassMoments => ({
  mass: node.mass,
  first: scaleVector(node.mass, node.point),
  inertia: mapSymmetric(pointInertia(node.point), (e) => times(node.mass, e)),
});

/** [ N; F ] = [[A, B], [Bᵀ, C]] [ α; a ] with full blocks, nothing known of a mass. */
interface Spatial {
  readonly A: Matrix3;
  readonly B: Matrix3;
  readonly C: Matrix3;
}

const sum = (...list: readonly Matrix3[]): Matrix3 =>
  identityMatrix.map((_, i) => plus(...list.map((m) => m[i]!))) as unknown as Matrix3;
const apply = (m: Matrix3, v: Vector3): Vector3 =>
  [0, 1, 2].map((i) => dot(m.slice(3 * i, 3 * i + 3) as unknown as Vector3, v)) as unknown as Vector3;
const turnedBy = (R: Matrix3, m: Matrix3): Matrix3 => multiplyMatrices(multiplyMatrices(R, m), transpose(R));

const SPATIAL: InertiaKind<Spatial> = {
  of: spatialOf,
  add: (a, b) => ({ A: sum(a.A, b.A), B: sum(a.B, b.B), C: sum(a.C, b.C) }),
  step({ frame: { rotation: R, translation } }, inertia) {
    const [A, B, C] = [inertia.A, inertia.B, inertia.C].map((m) => turnedBy(R, m)) as [Matrix3, Matrix3, Matrix3];
    const T = skew(translation);
    const back = transpose(T);
    const shifted = sum(B, multiplyMatrices(T, C));
    return {
      atChild: { A, B, C },
      atParent: {
        A: sum(
          A,
          multiplyMatrices(T, transpose(B)),
          multiplyMatrices(B, back),
          multiplyMatrices(multiplyMatrices(T, C), back),
        ),
        B: shifted,
        C,
      },
    };
  },
  unitWrench({ linear, angular }, i, { A, B, C }) {
    const [t, w] = [linear[i]!, angular[i]!];
    return {
      force: addVectors(apply(transpose(B), w), apply(C, t)),
      moment: addVectors(apply(A, w), apply(B, t)),
    };
  },
};

function spatialOf({ mass, first, inertia: [xx, yy, zz, xy, xz, yz] }: MassMoments): Spatial {
  return {
    A: [xx, xy, xz, xy, yy, yz, xz, yz, zz],
    B: skew(first),
    C: identityMatrix.map((e) => times(mass, e)) as unknown as Matrix3,
  };
}

/** Σ m ∂P/∂q_a · ∂P/∂q_b of the world positions. */
function byPositions(): Expr[][] {
  const frames: Frame[] = [];
  for (const { parent, step: own } of nodes)
    frames.push(composeFrames(parent < 0 ? identityFrame : frames[parent]!, own.frame));
  const positions = nodes.map((node, i) => transformPoint(frames[i]!, node.point));
  const jacobians = q.map((by) => positions.map((p) => differentiateAll(p, by) as unknown as Vector3));
  return q.map((_, a) =>
    q.map((__, b) => plus(...nodes.map((node, i) => times(node.mass, dot(jacobians[a]![i]!, jacobians[b]![i]!))))),
  );
}

const at = new Map<Expr, number>(q.map((e, i) => [e, [0.4, -0.7, 1.1, 0.3][i]!]));
const numbers = (M: readonly (readonly Expr[])[]): number[] => evaluate(M.flat(), at);

describe('the composite sweep', () => {
  const expected = numbers(byPositions());
  const close = (found: readonly number[]): void =>
    found.forEach((value, i) => expect(value / (expected[i]! || 1)).toBeCloseTo(expected[i] === 0 ? 0 : 1, 12));

  it('gives the mass matrix of frozen bodies', () => close(numbers(sweep(FROZEN, frozen))));

  it('gives it with inertias of another kind', () => close(numbers(sweep(SPATIAL, (node) => spatialOf(frozen(node))))));

  it('carries what has no mass', () => {
    const M = new MassMatrix(q.length);
    const nothing: Composite<MassMoments> = { inertia: undefined, units: new Map() };
    const stepped = stepComposite(FROZEN, nodes[1]!.step, nothing, M.take);
    expect(stepped).toEqual(nothing);
    expect(M.rows.flat().every((e) => e === zero)).toBe(true);
    expect(joinComposites(FROZEN, nothing, nothing)).toEqual(nothing);
  });
});
