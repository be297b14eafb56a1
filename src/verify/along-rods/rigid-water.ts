/**
 * Forces of water on a rigid body, for the independent check: in world axes from the pose of the body and its derivatives. Added mass by the
 * balance of momentum of the water: with the impulse k and the moment of impulse h about the point at which the matrix acts, force k̇ and
 * moment ḣ + v × k, differentiated as vectors of the world.
 */
import type { Decimal } from 'decimal.js';
import type { Expr } from '../../symbolic/graph/expr.ts';
import type { RigidWater } from '../../description/model/surroundings.ts';
import { decimalOfPrecision, evaluateDecimal } from '../../symbolic/evaluation/evaluate.ts';
import type { Bindings } from '../written/local-kinematics.ts';
import { cross, dot, minus, plus, scaled, type Vector } from './plain-vectors.ts';
import type { ProximalMotion } from './centreline-points.ts';
import type { WaterResult } from './water-forces.ts';

type Rows = readonly Vector[];
interface Twist {
  readonly angular: Vector;
  readonly linear: Vector;
}

/** |v| of drag is √(v · v + this²), m/s, as docs/robot-file/water.md says: all that there is where a body only turns about the point. */
const STILL = 1e-12;

export class RigidWaterForces {
  /** Where the matrices act, m, and these, by rows; body axes, SI units. */
  private readonly centre: Vector;
  private readonly drag: Vector | undefined;
  private readonly linearDrag: Vector | undefined;
  private readonly addedMass: Vector | undefined;
  /** N in world axes; its centre in body axes, m. */
  private readonly buoyancy: { readonly lift: Vector; readonly centre: Vector } | undefined;
  private readonly current: Vector;

  constructor(water: RigidWater, world: { gravity: Vector; current: Vector }, robot: Bindings) {
    const Wide = decimalOfPrecision(60);
    const wide = new Map([...robot].map(([s, x]) => [s, new Wide(x)]));
    const numbers = (values: readonly Expr[]): Vector => evaluateDecimal(values, wide, Wide).map(Number);
    const { density, drag, linearDrag, addedMass, buoyancy } = water;
    this.centre = numbers(water.at);
    this.drag = drag && numbers(drag);
    this.linearDrag = linearDrag && numbers(linearDrag);
    this.addedMass = addedMass && numbers(addedMass);
    const [perVolume, volume] = buoyancy ? numbers([density, buoyancy.volume]) : [];
    this.buoyancy = buoyancy && {
      lift: scaled(-perVolume! * volume!, world.gravity),
      centre: numbers(buoyancy.centre),
    };
    ({ current: this.current } = world);
  }

  at(frame: ProximalMotion): WaterResult {
    const { drag, linearDrag, addedMass, buoyancy, centre: at } = this;
    const R = rowsOf(frame.value);
    const [rate, acceleration] = [rowsOf(frame.rate), rowsOf(frame.acceleration)];
    const spin = axial(product(rate, transposed(R)));
    // α× = R̈ Rᵀ − (ω×)².
    const angularAcceleration = axial(
      product(acceleration, transposed(R)).map((row, i) => minus(row, product(cornered(spin), cornered(spin))[i]!)),
    );
    const velocity = minus(plus(turned(rate, at), originOf(frame.rate)), this.current);
    const pull = plus(turned(acceleration, at), originOf(frame.acceleration));
    const twists = [...frame.partials].map(([a, partial]): readonly [number, Twist, Vector] => {
      const turn = axial(product(rowsOf(partial), transposed(R)));
      const linear = plus(turned(rowsOf(partial), at), originOf(partial));
      const lifted = buoyancy?.centre ?? at;
      return [a, { angular: turn, linear }, plus(turned(rowsOf(partial), lifted), originOf(partial))];
    });
    // Of a matrix in body axes, on a twist in world axes.
    const applied = (matrix: readonly number[], { angular, linear }: Twist): Twist => {
      const own = [...turned(transposed(R), angular), ...turned(transposed(R), linear)];
      const entries = [0, 1, 2, 3, 4, 5].map((i) => own.reduce((sum, x, j) => sum + matrix[6 * i + j]! * x, 0));
      return { angular: turned(R, entries.slice(0, 3)), linear: turned(R, entries.slice(3)) };
    };
    const motion: Twist = { angular: spin, linear: velocity };
    const speed = Math.hypot(...velocity, STILL);
    const pushes = [
      ...(drag ? [[applied(drag, motion), speed] as const] : []),
      ...(linearDrag ? [[applied(linearDrag, motion), 1] as const] : []),
    ];
    const work = (wrench: Twist, by: Twist): number => dot(wrench.angular, by.angular) + dot(wrench.linear, by.linear);
    const fluid = twists.map(([, own, centre]) =>
      pushes.reduce(
        (sum, [wrench, factor]) => sum + factor * work(wrench, own),
        buoyancy ? -dot(buoyancy.lift, centre) : 0,
      ),
    );
    const coordinates = twists.map(([a]) => a);
    const nothing = coordinates.map(() => 0);
    if (!addedMass)
      return {
        coordinates,
        fluid,
        unsettled: nothing,
        massMatrix: coordinates.map(() => nothing),
        coriolis: nothing,
        kineticEnergy: 0,
      };
    const momenta = applied(addedMass, motion);
    // d/dt of R M Rᵀ ξ: Ṙ M Rᵀ ξ + R M (Ṙᵀ ξ + Rᵀ ξ̇), with Ṙ = ω × R.
    const turnedBack: Twist = {
      angular: minus(angularAcceleration, cross(spin, spin)),
      linear: minus(pull, cross(spin, velocity)),
    };
    const inside = applied(addedMass, turnedBack);
    const wrench: Twist = {
      linear: plus(cross(spin, momenta.linear), inside.linear),
      angular: plus(plus(cross(spin, momenta.angular), inside.angular), cross(velocity, momenta.linear)),
    };
    return {
      coordinates,
      fluid,
      unsettled: nothing,
      massMatrix: twists.map(([, one]) => twists.map(([, other]) => work(applied(addedMass, one), other))),
      coriolis: twists.map(([, own]) => work(wrench, own)),
      kineticEnergy: work(momenta, motion) / 2,
    };
  }
}

const rowsOf = (pose: readonly Decimal[]): Rows => [0, 1, 2].map((i) => [0, 1, 2].map((j) => Number(pose[4 * i + j])));
const originOf = (pose: readonly Decimal[]): Vector => [0, 1, 2].map((i) => Number(pose[4 * i + 3]));
const transposed = (rows: Rows): Rows => [0, 1, 2].map((i) => rows.map((row) => row[i]!));
const turned = (rows: Rows, v: Vector): Vector => rows.map((row) => dot(row, v));
const product = (a: Rows, b: Rows): Rows => a.map((row) => transposed(b).map((column) => dot(row, column)));
/** Of the skew part. */
const axial = (m: Rows): Vector => [
  (m[2]![1]! - m[1]![2]!) / 2,
  (m[0]![2]! - m[2]![0]!) / 2,
  (m[1]![0]! - m[0]![1]!) / 2,
];
const cornered = (v: Vector): Rows => [
  [0, -v[2]!, v[1]!],
  [v[2]!, 0, -v[0]!],
  [-v[1]!, v[0]!, 0],
];
