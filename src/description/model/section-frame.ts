/**
 * Sections of a rod whose points have positions: where their middle goes and what becomes of their axes; and whether
 * they stay plane and rigid, p = c(s) + x d_1(s) + y d_2(s) with orthonormal d_1, d_2.
 */
import type { Decimal } from 'decimal.js';
import { KanegenError } from '../../common/error.ts';
import { randomNumbers } from '../../common/random.ts';
import { decimalOfPrecision, evaluateDecimal } from '../../symbolic/evaluation/evaluate.ts';
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import {
  cos,
  divide,
  half,
  minus,
  negate,
  one,
  pi,
  plus,
  sin,
  times,
  zero,
  type Expr,
  type SymbolExpr,
} from '../../symbolic/graph/expr.ts';
import { freeSymbols, substitute, transform } from '../../symbolic/graph/traverse.ts';
import { addVectors, dot, scaleVector, subtractVectors, type Vector3, vector3 } from '../../symbolic/graph/vector.ts';
import type { BodyType, DeformingSections } from './robot.ts';
import type { RodVolume } from './reference-volume.ts';

export interface SectionFrame {
  readonly centre: Vector3;
  /** d_1 and d_2, images of the x and y axes of the section. */
  readonly first: Vector3;
  readonly second: Vector3;
}

/** @param position over the material coordinates of the rod. */
export function sectionFrame(position: Vector3, { section: [u, v], coordinates, shape }: RodVolume): SectionFrame {
  const at = (vector: readonly Expr[], angle: Expr): Vector3 =>
    vector3(
      substitute(
        vector,
        new Map<Expr, Expr>([
          [u, zero],
          [v, angle],
        ]),
      ),
    );
  const centre = at(position, zero);
  if (coordinates === 'cartesian')
    return { centre, first: at(differentiateAll(position, u), zero), second: at(differentiateAll(position, v), zero) };
  const outwards = differentiateAll(position, u);
  const [a, b] = shape.shape === 'ellipse' ? [shape.semiAxisX, shape.semiAxisY] : [one, one];
  return {
    centre,
    first: scaleVector(divide(one, a), at(outwards, zero)),
    second: scaleVector(divide(one, b), at(outwards, times(half, pi))),
  };
}

/** Formulas are looked at in so many digits, and are zero below this. */
const Wide = decimalOfPrecision(50);
const NOTHING = 1e-25;
const TRIALS = 2;
/** Combinations of branches that are looked at; the first two are all of one kind. */
const BRANCHINGS = 10;

/**
 * Do the sections of this body stay plane and rigid, whatever its coordinates? So it is for rods by their strain or as
 * a frame field; formulas of positions are looked at where the numbers have no structure, on all sides of their kinks.
 * @param values numbers of the parameters, as far as they are known.
 */
export function sectionsStayRigid(type: BodyType, values: ReadonlyMap<Expr, number>): boolean {
  const { kinematics, volumes } = type;
  if (volumes.some(({ kind }) => kind !== 'rod') || kinematics.kind === 'network') return false;
  if (kinematics.kind === 'pose') return true;
  if (kinematics.kind === 'strain') return !kinematics.sectionPosition;
  const constants = new Set<Expr>(type.parameters.map((p) => p.symbol));
  return (volumes as readonly RodVolume[]).every((rod) => {
    const residuals = residualsOf(kinematics.position, rod);
    if (!residuals) return false;
    const random = randomNumbers(1);
    const at = (entries: readonly Expr[]): readonly Decimal[] => withoutStructure(constants, entries, values, random);
    for (let k = 0; k < TRIALS; k++) if (!at(residuals).every((e) => e.abs().lt(NOTHING))) return false;
    const branches = Array.from({ length: BRANCHINGS }, (_, k) => () => (k < 2 ? k === 0 : random() < 0.5));
    return branches.every((isSo) => {
      const branch = branchOf(residuals, constants, isSo);
      return branch === residuals || !at(branch).some((e) => e.abs().gte(NOTHING));
    });
  });
}

/** Numbers near to these, and none of them zero, that no formula has by chance: what holds for them holds for all. */
export function numbersWithoutStructure(values: ReadonlyMap<Expr, number>): Map<Expr, number> {
  const random = randomNumbers(3);
  return new Map([...values].map(([s, x]) => [s, x === 0 ? 0.3 + random() / 7 : x * (1 + random() / 7)]));
}

/** Formulas as they go on from one side of each kink; they themselves where only constants decide between sides. */
function branchOf(entries: readonly Expr[], constants: ReadonlySet<Expr>, isSo: () => boolean): readonly Expr[] {
  const sides = new Map<Expr, boolean>();
  const sideOf = (e: Expr): boolean | undefined => {
    if (!sides.has(e) && !freeSymbols([e]).every((s) => constants.has(s))) sides.set(e, isSo());
    return sides.get(e);
  };
  const taken = transform(entries, (e) => {
    const deciding = e.kind === 'select' ? e.condition : isKinked(e) ? e.arguments[0]! : undefined;
    const side = deciding && sideOf(deciding);
    if (side === undefined) return e;
    if (e.kind === 'select') return side ? e.then : e.otherwise;
    const sign = side ? one : negate(one);
    return isKinked(e) && e.name === 'abs' ? times(sign, e.arguments[0]!) : sign;
  });
  return sides.size === 0 ? entries : taken;
}

function isKinked(e: Expr): e is Expr & { kind: 'call' } {
  return e.kind === 'call' && (e.name === 'abs' || e.name === 'sign');
}

/** None where the formulas have no value on the axes of a section: those of a plane have one everywhere. */
function residualsOf(position: Vector3, rod: RodVolume): readonly Expr[] | undefined {
  try {
    return residualsOfPlane(position, rod);
  } catch (error) {
    if (error instanceof KanegenError) return undefined;
    throw error;
  }
}

function residualsOfPlane(position: Vector3, rod: RodVolume): readonly Expr[] {
  const { centre, first, second } = sectionFrame(position, rod);
  const [x, y] = placeInSection(rod);
  const plane = addVectors(centre, scaleVector(x, first), scaleVector(y, second));
  return [
    ...subtractVectors(position, plane),
    minus(dot(first, first), one),
    minus(dot(second, second), one),
    dot(first, second),
  ];
}

/** x and y of a material point. */
export function placeInSection({ section: [u, v], coordinates, shape }: RodVolume): readonly [Expr, Expr] {
  if (coordinates === 'cartesian') return [u, v];
  const [a, b] = shape.shape === 'ellipse' ? [shape.semiAxisX, shape.semiAxisY] : [one, one];
  return [times(a, u, cos(v)), times(b, u, sin(v))];
}

/** Parameters by their numbers, everything else by small ones, so that roots and quotients are within their domains. */
function withoutStructure(
  constants: ReadonlySet<Expr>,
  entries: readonly Expr[],
  values: ReadonlyMap<Expr, number>,
  random: () => number,
): readonly Decimal[] {
  const bindings = new Map(
    freeSymbols(entries).map((s) => {
      const value = values.get(s) ?? (constants.has(s) ? 1 + random() / 3 : SMALL * (1 + random() / 2));
      return [s, new Wide(value)];
    }),
  );
  return evaluateDecimal(entries, bindings, Wide);
}

/** Of coordinates, and of places in m. */
const SMALL = 0.01;

/**
 * det ∂p/∂(u, v, s) of sections (X, Y) that stay plane, on a rod of the strain (κ, ν):
 * (∂X/∂u ∂Y/∂v − ∂X/∂v ∂Y/∂u) (ν_z + κ_x Y − κ_y X).
 */
export function ratioOfSections({ angular, linear, position }: DeformingSections, section: RodVolume['section']): Expr {
  const [X, Y] = position;
  return times(areaRatio(position, section), plus(linear[2], times(angular[0], Y), negate(times(angular[1], X))));
}

/** ∂(X, Y)/∂(u, v) */
export function areaRatio(position: readonly [Expr, Expr], [u, v]: readonly [SymbolExpr, SymbolExpr]): Expr {
  const [alongU, alongV] = [differentiateAll(position, u), differentiateAll(position, v)];
  return minus(times(alongU[0]!, alongV[1]!), times(alongV[0]!, alongU[1]!));
}
