/**
 * Moving composites against sums over a handful of moving point masses, in double precision.
 */
import { describe, expect, it } from 'vitest';
import { fixedStep } from '../../src/kane/equations/recursion.ts';
import { rotationAbout } from '../../src/kane/equations/joint.ts';
import type { RelativeMotion } from '../../src/kane/equations/recursion.ts';
import { respond, stepComposite, type MovingComposite } from '../../src/straight/functions/moving-composite.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import { decimal, minusOne, one, symbol, zero, type Expr } from '../../src/symbolic/graph/expr.ts';
import {
  addVectors,
  cross,
  multiplyMatrices,
  multiplyVector,
  rotateMatrix,
  scaleVector,
  subtractVectors,
  transpose,
  unitVectors,
  zeroVector,
  type Matrix3,
  type Symmetric3,
  type Vector3,
} from '../../src/symbolic/graph/vector.ts';

const vector = (x: number, y: number, z: number): Vector3 => [decimal(x), decimal(y), decimal(z)];

interface Point {
  readonly mass: Expr;
  readonly position: Vector3;
  readonly velocity: Vector3;
}

const points: readonly Point[] = [
  { mass: decimal(1.2), position: vector(0.3, -0.2, 0.5), velocity: vector(-0.4, 0.7, 0.2) },
  { mass: decimal(0.7), position: vector(-0.1, 0.4, 0.2), velocity: vector(0.3, 0.1, -0.6) },
  { mass: decimal(2.1), position: vector(0.2, 0.6, -0.3), velocity: vector(0.5, -0.2, 0.8) },
];

const sum = (all: readonly Point[], f: (p: Point) => Vector3): Vector3 =>
  addVectors(...all.map((p) => scaleVector(p.mass, f(p))));

/** The five integrals by their definitions. */
function compositeOf(all: readonly Point[]): MovingComposite {
  const columnsOf = (f: (p: Point, axis: Vector3) => Vector3): Matrix3 =>
    transpose(unitVectors.flatMap((axis) => sum(all, (p) => f(p, axis))) as unknown as Matrix3);
  const P = columnsOf(({ position }, axis) => scaleVector(position[unitVectors.indexOf(axis)]!, position));
  return {
    mass: sum(all, () => unitVectors[0])[0],
    first: sum(all, (p) => p.position),
    second: [P[0], P[4], P[8], P[1], P[2], P[5]] satisfies Symmetric3,
    twiceMomentum: sum(all, (p) => scaleVector(decimal(2), p.velocity)),
    coriolis: columnsOf(({ position, velocity }, axis) =>
      scaleVector(decimal(2), cross(position, cross(axis, velocity))),
    ),
  };
}

const entries = (c: MovingComposite): readonly Expr[] => [
  c.mass,
  ...c.first,
  ...c.second,
  ...c.twiceMomentum,
  ...c.coriolis,
];

function expectEqual(actual: readonly Expr[], expected: readonly Expr[], at = new Map<Expr, number>()): void {
  const values = evaluate(expected, at);
  evaluate(actual, at).forEach((value, i) => expect(value).toBeCloseTo(values[i]!, 12));
}

const angle = symbol('angle');
const skewed = rotationAbout([decimal(0.6), zero, decimal(0.8)], angle);

describe('moving composites', () => {
  it('turn a matrix as R T Rᵀ about every axis, with every relabelling of axes', () => {
    const T = Array.from({ length: 9 }, (_, i) => symbol(`T${i}`)) as unknown as Matrix3;
    const at = new Map<Expr, number>([[angle, 0.7]]);
    T.forEach((e, i) => at.set(e, Math.sin(3 * i + 1)));
    const relabelled: Matrix3 = [zero, zero, one, minusOne, zero, zero, zero, minusOne, zero];
    const turns = unitVectors.map((axis) => rotationAbout(axis, angle));
    const rotations = [...turns, ...turns.map((turn) => multiplyMatrices(relabelled, turn)), relabelled, skewed];
    for (const R of rotations)
      expectEqual(rotateMatrix(R, T), multiplyMatrices(multiplyMatrices(R, T), transpose(R)), at);
  });

  it('are carried through a step that turns and slides', () => {
    const relative: RelativeMotion = {
      angularVelocity: vector(0.3, -0.8, 0.4),
      velocity: vector(0.2, 0.5, -0.1),
      angularAcceleration: zeroVector,
      acceleration: zeroVector,
    };
    const translation = vector(0.4, -0.3, 0.9);
    const carried = (origin: Vector3, velocity: Vector3): Point[] =>
      points.map((p) => {
        const position = multiplyVector(skewed, p.position);
        const own = multiplyVector(skewed, p.velocity);
        const total = addVectors(velocity, cross(relative.angularVelocity, position), own);
        return { mass: p.mass, position: addVectors(origin, position), velocity: total };
      });
    const stepped = stepComposite(fixedStep({ rotation: skewed, translation }), relative, compositeOf(points));
    const at = new Map<Expr, number>([[angle, 0.7]]);
    expectEqual(entries(stepped.atChild), entries(compositeOf(carried(zeroVector, zeroVector))), at);
    expectEqual(entries(stepped.atParent), entries(compositeOf(carried(translation, relative.velocity))), at);
  });

  it('answer to a change of motion as the points do', () => {
    const w = vector(0.5, -0.3, 0.7);
    const dw = vector(0.2, 0.6, -0.4);
    const alpha = vector(-0.8, 0.1, 0.3);
    const a = vector(0.9, -0.5, 0.2);
    // δa + δα × p + δω × (ω × p) + ω × (δω × p) + 2 δω × v
    const change = ({ position: p, velocity: v }: Point): Vector3 =>
      addVectors(
        a,
        cross(alpha, p),
        cross(dw, cross(w, p)),
        cross(w, cross(dw, p)),
        scaleVector(decimal(2), cross(dw, v)),
      );
    const answer = respond(compositeOf(points), w, {
      angularVelocity: dw,
      angularAcceleration: alpha,
      carriedAcceleration: subtractVectors(alpha, cross(dw, w)),
      acceleration: a,
    });
    expectEqual(answer.force, sum(points, change));
    expectEqual(
      answer.moment,
      sum(points, (p) => cross(p.position, change(p))),
    );
  });
});
