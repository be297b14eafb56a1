/**
 * Body model by sums over material points: any kinematics, any volume. The mass matrix and gravity come
 * from the inertial moments of the points, inverse dynamics from the accelerations of the points themselves, so that no
 * second derivative by two coordinates is ever formed.
 */
import { half, plus, times, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import {
  addVectors,
  cross,
  dot,
  multiplySymmetric,
  multiplyVector,
  pointInertia,
  scaleVector,
  zeroVector,
  type Symmetric3,
  type Vector3,
  vector3,
  symmetric3,
} from '../../symbolic/graph/vector.ts';
import type { PointRule } from '../../integration/rules/point-rule.ts';
import type { BodyModel } from '../body/body-model.ts';
import { symbolsOf } from '../link/step-terms.ts';
import type { LinkCoordinate } from '../kernels/link-type.ts';
import type { Loop } from '../loops/loop.ts';
import { SYMMETRIC_ENTRIES, xyz } from '../equations/names.ts';
import type { PointField, PointTerms } from '../kinematics/point-field.ts';
import { PointLoops } from './point-loops.ts';
import type { CoordinateSymbols } from '../equations/rates.ts';
import { spinMatrix, type BodyWrench, type MassMoments, type Motion } from '../equations/recursion.ts';

export interface PointBody {
  readonly field: PointField;
  /** One rule per volume. */
  readonly rules: readonly PointRule[];
  readonly coordinates: readonly LinkCoordinate[];
  /** Symbols of the body type's parameters. */
  readonly parameters: readonly SymbolExpr[];
  /** Stands for the time when the body depends on it. */
  readonly time?: SymbolExpr | undefined;
}

/** Everything of a motion that forces at points depend on. */
interface PointMotion {
  readonly motion: Motion;
  readonly accelerations: 'coasting' | 'driven';
}

export class PointModel implements BodyModel {
  readonly method = 'sums over points';
  private readonly sums: PointLoops;
  private readonly field: PointField;
  private readonly coordinates: readonly LinkCoordinate[];
  private readonly symbols: CoordinateSymbols;

  constructor(body: PointBody) {
    this.field = body.field;
    this.coordinates = body.coordinates;
    this.symbols = symbolsOf(body.coordinates, body.time);
    this.sums = new PointLoops(body.rules, body.parameters);
  }

  loops(): readonly Loop[] {
    return this.sums.loops();
  }

  private get names(): readonly string[] {
    return this.coordinates.map((c) => c.name);
  }

  private get mass(): Expr {
    return this.sums.mass();
  }

  /** c, I, c_a, H_a, G_ab in one loop over the configuration. */
  private inertial(): { first: Vector3; inertia: Symmetric3; units: readonly BodyWrench[] } {
    const { position, partials, networks } = this.field.at({ partials: true });
    const { names } = this;
    const integrands = new Map<string, Expr>();
    const put = (labels: readonly string[], values: readonly Expr[]): void =>
      values.forEach((value, i) => integrands.set(labels[i]!, value));
    put(xyz('first'), position);
    put(
      SYMMETRIC_ENTRIES.map((entry) => `inertia_${entry}`),
      pointInertia(position),
    );
    partials.forEach((partial, a) => {
      put(xyz(`first_${names[a]}`), partial);
      put(xyz(`angular_${names[a]}`), cross(position, partial));
    });
    partials.forEach((partial, a) =>
      partials.slice(a).forEach((other, j) => put([`gram_${names[a]}_${names[a + j]}`], [dot(partial, other)])),
    );
    const sums = this.sums.integrate('inertia', 1, integrands, networks);
    const of = new Map([...integrands.keys()].map((label, i) => [label, sums[i]!]));
    const vector = (stem: string): Vector3 => vector3(xyz(stem).map((label) => of.get(label)!));
    return {
      first: vector('first'),
      inertia: symmetric3(SYMMETRIC_ENTRIES.map((entry) => of.get(`inertia_${entry}`)!)),
      units: names.map((a, i) => ({
        force: vector(`first_${a}`),
        moment: vector(`angular_${a}`),
        generalized: names.map((b, j) => of.get(i <= j ? `gram_${a}_${b}` : `gram_${b}_${a}`)!),
      })),
    };
  }

  get moments(): MassMoments {
    const { first, inertia } = this.inertial();
    return { mass: this.mass, first, inertia };
  }

  get unitWrenches(): readonly BodyWrench[] {
    return this.inertial().units;
  }

  /** ∫ f, ∫ p × f, ∫ p_a · f with f = dm · (a + U p + 2 ω × ṗ + p̈). */
  private forces(name: string, stage: 2 | 3, { motion, accelerations }: PointMotion): BodyWrench {
    const point = this.field.at({ velocity: true, acceleration: accelerations, projection: true });
    const total = totalAcceleration(point, motion);
    const integrands = new Map<string, Expr>();
    total.forEach((e, i) => integrands.set(xyz('force')[i]!, e));
    cross(point.position, total).forEach((e, i) => integrands.set(xyz('moment')[i]!, e));
    point.project(total).forEach((e, a) => integrands.set(`pi_${this.names[a]}`, e));
    const sums = this.sums.integrate(name, stage, integrands, point.networks);
    return {
      force: vector3(sums.slice(0, 3)),
      moment: vector3(sums.slice(3, 6)),
      generalized: sums.slice(6),
    };
  }

  /** Straight from the total acceleration of every point. */
  directWrench(motion: Motion): BodyWrench {
    return this.forces('force', 3, { motion, accelerations: 'driven' });
  }

  /** The forces of the velocities by one loop before accelerations are known; these then act through inertial moments. */
  wrench(motion: Motion): BodyWrench {
    const resting: Motion = { ...motion, angularAcceleration: zeroVector, acceleration: zeroVector };
    const bias = this.forces('bias', 2, { motion: resting, accelerations: 'coasting' });
    const { first, inertia, units } = this.inertial();
    const { acceleration: a, angularAcceleration: alpha } = motion;
    const { qdd } = this.symbols;
    const driven = (of: (unit: BodyWrench) => Vector3): Vector3[] =>
      units.map((unit, i) => scaleVector(qdd[i]!, of(unit)));
    return {
      force: addVectors(bias.force, scaleVector(this.mass, a), cross(alpha, first), ...driven((unit) => unit.force)),
      moment: addVectors(
        bias.moment,
        cross(first, a),
        multiplySymmetric(inertia, alpha),
        ...driven((unit) => unit.moment),
      ),
      generalized: units.map(({ force, moment, generalized }, i) =>
        plus(
          bias.generalized[i]!,
          dot(force, a),
          dot(moment, alpha),
          ...generalized.map((value, b) => times(value, qdd[b]!)),
        ),
      ),
    };
  }

  weight(acceleration: Vector3): BodyWrench {
    const { first, units } = this.inertial();
    return {
      force: scaleVector(this.mass, acceleration),
      moment: cross(first, acceleration),
      generalized: units.map(({ force }) => dot(force, acceleration)),
    };
  }

  /** Momentum, angular momentum and energy of the deformation by a loop of their own: they include explicit time. */
  kineticEnergy(w: Vector3, v: Vector3): Expr {
    const { position, velocity, networks } = this.field.at({ velocity: true });
    const values = [...velocity, ...cross(position, velocity), times(half, dot(velocity, velocity))];
    const labels = [...xyz('momentum'), ...xyz('angular'), 'kinetic'];
    const sums = this.sums.integrate('energy', 3, new Map(labels.map((label, i) => [label, values[i]!])), networks);
    const [momentum, angular] = [vector3(sums.slice(0, 3)), vector3(sums.slice(3, 6))];
    const { first, inertia } = this.inertial();
    return plus(
      times(half, this.mass, dot(v, v)),
      dot(v, addVectors(cross(w, first), momentum)),
      times(half, dot(w, multiplySymmetric(inertia, w))),
      dot(w, angular),
      sums[6]!,
    );
  }
}

/** a + U p + 2 ω × ṗ + p̈ */
function totalAcceleration({ position, velocity, acceleration }: PointTerms, motion: Motion): Vector3 {
  const w = motion.angularVelocity;
  return addVectors(
    motion.acceleration,
    multiplyVector(spinMatrix(motion), position),
    cross(addVectors(w, w), velocity),
    acceleration,
  );
}
