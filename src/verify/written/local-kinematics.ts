/**
 * Kinematics of one link in its own frames, straight from the user's formulas, in decimal arithmetic: the pose of the joint,
 * the pose of the distal frame and the material points of the body as functions of the link's coordinates. The formulas are
 * evaluated as they were written; no derivative of them is ever formed.
 */
import type { Decimal } from 'decimal.js';
import {
  alignedRods,
  rodOf,
  type BodyType,
  type DeformableBody,
  type ElementaryMotion,
  type Joint,
} from '../../description/model/robot.ts';
import type { ContactFrame, MaterialPoint, RodVolume } from '../../description/model/reference-volume.ts';
import { evaluate, evaluateDecimal, type DecimalConstructor } from '../../symbolic/evaluation/evaluate.ts';
import { expandToMonomials } from '../../symbolic/graph/expand.ts';
import { symbol, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { Rational, ZERO } from '../../symbolic/graph/rational.ts';
import { dependsOn, freeSymbols, postorder, substitute } from '../../symbolic/graph/traverse.ts';
import {
  addVectors,
  column,
  frameEntries,
  scaleVector,
  type Frame,
  type Vector3,
  vector3,
} from '../../symbolic/graph/vector.ts';
import { DECIMALS } from '../arithmetic/algebra.ts';
import { exponentialPose, multiplyPoses, poseOf, type Pose } from '../arithmetic/decimal-pose.ts';
import { gaussLegendre } from '../arithmetic/gauss-legendre.ts';
import { conditionsOf } from './material-points.ts';
import { sectionPointCount, sectionRule } from './section-rule.ts';

export type Bindings = ReadonlyMap<Expr, Decimal>;

/** What moves with the coordinates of a body: its distal frame and its material points, seen from the proximal frame. */
interface BodyConfiguration {
  /** Absent where the body has no distal frame. */
  readonly distal: Pose | undefined;
  readonly points: readonly (readonly Decimal[])[];
}

export interface MaterialBody {
  /** Mass that each material point stands for, kg. */
  readonly masses: readonly Decimal[];
  configuration(q: readonly Decimal[]): BodyConfiguration;
}

export function evaluateFrame(frame: Frame, bindings: Bindings, Number_: DecimalConstructor): Pose {
  const values = evaluateDecimal(frameEntries(frame), bindings, Number_);
  return poseOf(values.slice(0, 9), values.slice(9));
}

/**
 * Pose of the joint's distal side in its proximal side: the product of its elementary motions.
 * @param q its coordinates; of joints that follow the time, the time behind them.
 * @param shifts of coordinates that follow the time, beside their formulas.
 */
export function jointPose(
  joint: Joint,
  q: readonly Decimal[],
  robot: Bindings,
  Number_: DecimalConstructor,
  shifts: readonly Decimal[] = [],
): Pose {
  const { coordinates, prescribed, motions } = joint;
  const bindings = new Map(robot);
  coordinates.forEach((c, i) => bindings.set(c.symbol, q[i]!));
  if (prescribed) {
    bindings.set(prescribed.time, q[coordinates.length]!);
    const values = evaluateDecimal(
      prescribed.coordinates.map(({ value }) => value),
      bindings,
      Number_,
    );
    prescribed.coordinates.forEach(({ quantity }, i) =>
      bindings.set(quantity.symbol, shifts[i] ? values[i]!.plus(shifts[i]) : values[i]!),
    );
  }
  const nothing = [new Number_(0), new Number_(0), new Number_(0)];
  let pose = exponentialPose(nothing, nothing, Number_);
  for (const motion of prescribed?.released ?? motions)
    pose = multiplyPoses(pose, motionPose(motion, bindings, Number_), 1);
  return pose;
}

function motionPose(motion: ElementaryMotion, bindings: Bindings, Number_: DecimalConstructor): Pose {
  const nothing = [new Number_(0), new Number_(0), new Number_(0)];
  switch (motion.kind) {
    case 'translation':
      return exponentialPose(nothing, evaluateDecimal(motion.displacement, bindings, Number_), Number_);
    case 'rotation-vector':
      return exponentialPose(evaluateDecimal(motion.vector, bindings, Number_), nothing, Number_);
    case 'rotation': {
      const [angle, ...axis] = evaluateDecimal([motion.angle, ...motion.axis], bindings, Number_);
      const vector = axis.map((x) => x.times(angle!));
      return exponentialPose(vector, nothing, Number_);
    }
  }
}

/** Where along the rod and in its sections the body is sampled. */
interface Sampling {
  /** One entry per axial node: s, the parameters, and the section points x_k, y_k, bound. */
  readonly nodes: readonly Bindings[];
  readonly masses: readonly Decimal[];
  /** Symbols of the k-th section point. */
  readonly section: readonly (readonly [Expr, Expr])[];
}

/** Exact to 1e-20 for bends of 6 rad: the error of e^(iκs) is (n!)⁴ κ²ⁿ/((2n + 1)(2n)!³), κ = 12 for products of positions. */
const AXIAL_NODES = 16;
/** Moments of p·p are of degree 2 where sections stay plane and rigid; positions that are not affine in x, y get more. */
const AFFINE_DEGREE = 3;
const GENERAL_DEGREE = 15;
/** What a density adds that is no polynomial over the section, and nodes where it varies along the rod. */
const DENSITY_DEGREE = 14;
const GRADED_AXIAL_NODES = 24;

/**
 * A deformable body with numbers for its parameters, sampled by Gauss–Legendre along the rod and a rule in its sections.
 * Formulas that the user wrote may read 0/0 where coordinates are zero or equal: their coordinates are displaced by
 * `nudge` times √1, √2, √3, ….
 */
export function sampleBody(
  body: DeformableBody,
  robot: Bindings,
  nudge: number,
  Number_: DecimalConstructor,
): MaterialBody {
  const { type } = body;
  const values = evaluateDecimal(body.parameters, robot, Number_);
  const parameters = new Map<Expr, Decimal>(type.parameters.map((p, i) => [p.symbol, values[i]!]));
  const naive = type.kinematics.kind !== 'strain';
  const offsets = type.coordinates.map((_, i) => new Number_(i + 1).sqrt().times(naive ? nudge : 0));
  const bind = (q: readonly Decimal[]): Map<Expr, Decimal> =>
    new Map([...parameters, ...type.coordinates.map((c, i) => [c.symbol, q[i]!.plus(offsets[i]!)] as const)]);
  const rod = rodOf(type);
  const sample = (degree: number): Sampling => sampleVolume(rod, degree + densityDegree(rod), parameters, Number_);

  if (!naive) {
    const sampling = sample(AFFINE_DEGREE);
    return { masses: sampling.masses, configuration: (q) => strainConfiguration(type, sampling, bind(q), Number_) };
  }
  const affine = isAffineInSection(type, bind(offsets.map((_, i) => new Number_(37 + i).div(100))), Number_);
  const sampling = sample(affine ? AFFINE_DEGREE : GENERAL_DEGREE);
  const position = sampling.section.flatMap(([x, y]) => positionFormula(type, x, y));
  return {
    masses: sampling.masses,
    configuration: (q) => writtenConfiguration(type, sampling, position, bind(q), Number_),
  };
}

/**
 * Is the body worth 110 digits? Where strains are constant (the exponential costs little), and where the user's formula
 * divides by coordinates: 0/0 and its neighbourhood take digits that double-double arithmetic does not have.
 */
export function isSampledInDecimals(type: BodyType): boolean {
  const [rod, ...others] = alignedRods(type) ?? [];
  if (!rod || others.length > 0 || type.time || type.materials || type.solids || rod.breaks.size > 0) return false;
  if (conditionsOf([rod.density]).length > 0) return false;
  const { kinematics } = type;
  if (kinematics.kind === 'network') return false;
  if (kinematics.kind === 'strain') {
    const strain = [...kinematics.angular, ...kinematics.linear];
    return !kinematics.sectionPosition && !strain.some((e) => dependsOn(e, new Set([rod.axial])));
  }
  const formulas = kinematics.kind === 'position' ? kinematics.position : frameEntries(kinematics.pose);
  // Denominators that vanish with the coordinates, whatever the rest is.
  const coordinates = new Set<Expr>(type.coordinates.map((c) => c.symbol));
  const straight = new Map(freeSymbols(formulas).map((s, i) => [s as Expr, coordinates.has(s) ? 0 : 0.37 + 0.11 * i]));
  return smallestDenominator(formulas, straight, coordinates) <= 1e-12;
}

/** Smallest magnitude of what is divided by and depends on one of `symbols`; 0 where that is no number. */
export function smallestDenominator(
  formulas: readonly Expr[],
  values: ReadonlyMap<Expr, number>,
  symbols: ReadonlySet<Expr>,
): number {
  const denominators = postorder(formulas)
    .flatMap((e) =>
      e.kind === 'product' ? e.factors.flatMap((f) => (Rational.isNegative(f.exponent) ? [f.base] : [])) : [],
    )
    .filter((base) => dependsOn(base, symbols));
  const magnitudes = evaluate(denominators, values).map((value) => Math.abs(value) || 0);
  return Math.min(Infinity, ...magnitudes);
}

/** Degree of the density in the section coordinates. */
function densityDegree({ density, section }: RodVolume): number {
  if (!dependsOn(density, new Set<Expr>(section))) return 0;
  const monomials = expandToMonomials(density, 100);
  const degrees = monomials?.map(({ factors }) => {
    const powers = section.map((s) => factors.get(s) ?? ZERO);
    const isPolynomial =
      powers.every((e) => Rational.isInteger(e) && !Rational.isNegative(e)) &&
      [...factors.keys()].every((base) => section.some((s) => s === base) || !dependsOn(base, new Set<Expr>(section)));
    return isPolynomial ? powers.reduce((sum, e) => sum + Number(e.numerator), 0) : DENSITY_DEGREE;
  });
  return degrees ? Math.max(...degrees) : DENSITY_DEGREE;
}

function sampleVolume(volume: RodVolume, degree: number, parameters: Bindings, Number_: DecimalConstructor): Sampling {
  const [start, end] = evaluateDecimal([volume.start, volume.end], parameters, Number_) as [Decimal, Decimal];
  const length = end.minus(start);
  const count = sectionPointCount(volume.shape, degree);
  const nodesAlong = dependsOn(volume.density, new Set([volume.axial])) ? GRADED_AXIAL_NODES : AXIAL_NODES;
  const section = Array.from({ length: count }, (_, k) => [symbol(`check.x${k}`), symbol(`check.y${k}`)] as const);
  const nodes: Bindings[] = [];
  const masses: Decimal[] = [];
  for (const node of gaussLegendre(nodesAlong, Number_)) {
    const axial = new Map(parameters).set(volume.axial, start.plus(length.times(node.position)));
    const bindings = new Map(axial);
    sectionRule(volume.shape, degree, axial, Number_).forEach((point, k) => {
      bindings.set(section[k]![0], point.x).set(section[k]![1], point.y);
      const here = new Map(axial).set(volume.section[0], point.x).set(volume.section[1], point.y);
      const [density] = evaluateDecimal([volume.density], here, Number_) as [Decimal];
      masses.push(density.times(point.area).times(length).times(node.weight));
    });
    nodes.push(bindings);
  }
  return { nodes, masses, section };
}

/** The user's position at section coordinates x, y; of a frame field [g_1 g_2 g_3 | t]: t + x g_1 + y g_2. */
function positionFormula(type: BodyType, x: Expr, y: Expr): Vector3 {
  const { kinematics } = type;
  const volume = rodOf(type);
  const [sectionX, sectionY] = volume.section as readonly [Expr, Expr];
  if (kinematics.kind === 'strain' || kinematics.kind === 'network')
    throw new Error(`${kinematics.kind} kinematics has no position formula`);
  if (kinematics.kind === 'pose') {
    const { rotation, translation } = kinematics.pose;
    return addVectors(translation, scaleVector(x, column(rotation, 0)), scaleVector(y, column(rotation, 1)));
  }
  return substituteVector(
    kinematics.position,
    new Map([
      [sectionX, x],
      [sectionY, y],
    ]),
  );
}

function substituteVector(vector: Vector3, replacements: ReadonlyMap<Expr, Expr>): Vector3 {
  return vector3(substitute(vector, replacements));
}

/** Is p = p_0 + x p_x + y p_y at a sample of points? Decides the degree of the section rule. */
function isAffineInSection(type: BodyType, bindings: Bindings, Number_: DecimalConstructor): boolean {
  const volume = rodOf(type);
  const [start, end] = evaluateDecimal([volume.start, volume.end], bindings, Number_) as [Decimal, Decimal];
  const here = new Map(bindings).set(volume.axial, start.plus(end.minus(start).times('0.618')));
  const radius = end.minus(start).times('0.01');
  const at = (x: number, y: number): Decimal[] => {
    const formula = positionFormula(type, symbol('check.x'), symbol('check.y'));
    here.set(symbol('check.x'), radius.times(x)).set(symbol('check.y'), radius.times(y));
    return evaluateDecimal(formula, here, Number_);
  };
  const [origin, alongX, alongY] = [at(0, 0), at(1, 0), at(0, 1)];
  const samples = [at(1, 1), at(-2, 1), at(0.5, -1.5)];
  const coordinates = [
    [1, 1],
    [-2, 1],
    [0.5, -1.5],
  ] as const;
  const tolerance = end.minus(start).abs().times(Number_.pow(10, -30));
  return samples.every((p, k) =>
    p.every((value, i) => {
      const [x, y] = coordinates[k]!;
      const linear = origin[i]!.plus(alongX[i]!.minus(origin[i]!).times(x)).plus(alongY[i]!.minus(origin[i]!).times(y));
      return value.minus(linear).abs().lte(tolerance);
    }),
  );
}

function writtenConfiguration(
  type: BodyType,
  sampling: Sampling,
  position: readonly Expr[],
  bindings: Bindings,
  Number_: DecimalConstructor,
): BodyConfiguration {
  const points = sampling.nodes.flatMap((node) => {
    const entries = evaluateDecimal(position, new Map([...node, ...bindings]), Number_);
    return sampling.section.map((_, k) => entries.slice(3 * k, 3 * k + 3));
  });
  return { distal: distalPose(type, bindings, Number_), points };
}

function distalPose(type: BodyType, bindings: Bindings, Number_: DecimalConstructor): Pose | undefined {
  const { kinematics } = type;
  const volume = rodOf(type);
  if (kinematics.kind === 'pose') {
    const [end] = evaluateDecimal([volume.end], bindings, Number_) as [Decimal];
    return evaluateFrame(kinematics.pose, new Map(bindings).set(volume.axial, end), Number_);
  }
  if (kinematics.kind !== 'position' || kinematics.distal.kind === 'none') return undefined;
  const { distal } = kinematics;
  if (distal.kind === 'pose') return evaluateFrame(distal.pose, bindings, Number_);
  return contactPose(type, kinematics.position, distal.contact, bindings, Number_);
}

function contactPose(
  type: BodyType,
  position: Vector3,
  contact: ContactFrame,
  bindings: Bindings,
  Number_: DecimalConstructor,
): Pose {
  const rod = rodOf(type);
  const material = [...rod.section, rod.axial];
  const image = (point: MaterialPoint): { reference: Decimal[]; place: Decimal[] } => {
    const reference = evaluateDecimal(
      material.map((m) => point.get(m) ?? zero),
      bindings,
      Number_,
    );
    const here = new Map([...bindings, ...material.map((m, i) => [m as Expr, reference[i]!] as const)]);
    return { reference, place: evaluateDecimal(position, here, Number_) };
  };
  const entries = DECIMALS.contactFrame(contact, image);
  return poseOf(entries.slice(0, 9), entries.slice(9));
}

/** Poses along a rod of constant strain: exponentials of the strain times the length. */
function strainConfiguration(
  type: BodyType,
  sampling: Sampling,
  bindings: Bindings,
  Number_: DecimalConstructor,
): BodyConfiguration {
  const { kinematics } = type;
  const volume = rodOf(type);
  if (kinematics.kind !== 'strain') throw new Error('not a strain field');
  const strain = [...kinematics.angular, ...kinematics.linear];
  const values = evaluateDecimal(strain, bindings, Number_);
  const [start, end] = evaluateDecimal([volume.start, volume.end], bindings, Number_) as [Decimal, Decimal];
  const poseAt = (s: Decimal): Pose => {
    const scaled = values.map((x) => x.times(s.minus(start)));
    return exponentialPose(scaled.slice(0, 3), scaled.slice(3), Number_);
  };
  const points = sampling.nodes.flatMap((node) => {
    const pose = poseAt(node.get(volume.axial)!);
    return sampling.section.map(([x, y]) =>
      [0, 4, 8].map((row) =>
        pose[row]!.times(node.get(x)!)
          .plus(pose[row + 1]!.times(node.get(y)!))
          .plus(pose[row + 3]!),
      ),
    );
  });
  return { distal: poseAt(end), points };
}
