/**
 * A rod given by its strain as a body, the Jacobian form: every section knows its velocity per unit rate of every
 * coordinate, and the inertial terms of the body are sums over the sections. The dual of the Newton–Euler form, for
 * comparison and for few coordinates: a row costs as much as there are coordinates, or their square for the mass matrix.
 * Source: A. Ouyoucef et al., "Duality of the existing geometric variable strain models", RA-L 10 (2025).
 */
import { plus, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { addVectors, cross, dot, scaleVector, zeroVector, type Vector3 } from '../../symbolic/graph/vector.ts';
import type { Carried } from '../body/body-part.ts';
import { backwardThroughStep } from '../link/step-terms.ts';
import {
  rigidWrench,
  spinMatrix,
  stepMotion,
  type BodyWrench,
  type CoordinateSymbols,
  type Motion,
  type Wrench,
  wrenchEntries,
} from '../equations/recursion.ts';
import { RodBody, WRENCH } from './rod-body.ts';
import { vectorOf, type RodFrames } from './rod-frames.ts';

/** What the velocities cause at accelerations of zero. */
interface Bias {
  /** Of the distal frame, own axes. */
  readonly own: Motion;
  readonly wrench: BodyWrench;
}

export class JacobianRod extends RodBody {
  readonly bodyWrenchSize: number;
  private readonly symbols: CoordinateSymbols;
  private readonly biases = new Map<string, Bias>();

  constructor(frames: RodFrames, symbols: CoordinateSymbols, method: string) {
    super(frames, method);
    this.symbols = symbols;
    this.bodyWrenchSize = WRENCH.length + frames.coordinates.length;
  }

  // ---------------------------------------------------------------------------------------------- motion

  private bias(angularVelocity: Vector3): Bias {
    const key = angularVelocity.map((e) => e.id).join(',');
    const known = this.biases.get(key);
    if (known) return known;
    const { loops, lump, position, coordinates } = this.frames;
    const { angular, linear } = this.frames.columns.row;
    const { row, end } = this.motion.bias(angularVelocity);
    const { force, moment, generalized } = lump.loads({ ...row, flow: 'velocities' });
    const { sums } = loops.add({
      name: this.biases.size === 0 ? 'bias' : `bias_${this.biases.size + 1}`,
      stage: 2,
      sums: [
        ...[...force, ...addVectors(moment, cross(position, force))].map((term, i) => ({ label: WRENCH[i]!, term })),
        ...coordinates.map((c, a) => ({
          label: `on_${c}`,
          term: plus(dot(linear[a]!, force), dot(angular[a]!, moment), generalized[lump.moving.indexOf(a)] ?? zero),
        })),
      ],
    });
    const made = {
      own: this.ownMotion(end),
      wrench: { force: vectorOf(sums), moment: vectorOf(sums, 3), generalized: sums.slice(6) },
    };
    this.biases.set(key, made);
    return made;
  }

  velocity(angularVelocity: Vector3): Vector3 {
    return this.bias(angularVelocity).own.angularVelocity;
  }

  accelerate(motion: Motion): Carried<Motion> {
    const { moments, units } = this.integrals;
    const { step } = this;
    const bias = this.bias(motion.angularVelocity);
    const { qdd } = this.symbols;
    const still = { ...motion, angularVelocity: zeroVector };
    const combine = (vectors: readonly Vector3[]): Vector3 =>
      addVectors(zeroVector, ...vectors.map((v, a) => scaleVector(qdd[a]!, v)));
    const rigid = rigidWrench(moments, still, spinMatrix(still));
    const wrench: BodyWrench = {
      force: addVectors(rigid.force, combine(units.map((u) => u.force)), bias.wrench.force),
      moment: addVectors(rigid.moment, combine(units.map((u) => u.moment)), bias.wrench.moment),
      generalized: units.map((unit, a) =>
        plus(
          dot(unit.force, motion.acceleration),
          dot(unit.moment, motion.angularAcceleration),
          ...unit.generalized.map((e, b) => times(e, qdd[b]!)),
          bias.wrench.generalized[a]!,
        ),
      ),
    };
    const relative = {
      angularVelocity: zeroVector,
      velocity: zeroVector,
      angularAcceleration: combine(step.angular),
      acceleration: combine(step.linear),
    };
    const driven = stepMotion(step, relative, still, spinMatrix(still));
    const own: Motion = {
      angularVelocity: bias.own.angularVelocity,
      angularAcceleration: addVectors(driven.angularAcceleration, bias.own.angularAcceleration),
      acceleration: addVectors(driven.acceleration, bias.own.acceleration),
    };
    return { own, wrench: wrenchEntries(wrench), loops: [] };
  }

  weigh(acceleration: Vector3): Carried<Vector3> {
    const { moments, units } = this.integrals;
    const wrench: BodyWrench = {
      force: scaleVector(moments.mass, acceleration),
      moment: cross(moments.first, acceleration),
      generalized: units.map((unit) => dot(unit.force, acceleration)),
    };
    return {
      own: this.own(acceleration),
      wrench: wrenchEntries(wrench),
      loops: [],
    };
  }

  // ---------------------------------------------------------------------------------------------- wrenches

  backward(
    distal: Wrench,
    bodyWrench: readonly Expr[] | null,
  ): { readonly wrench: Wrench; readonly generalized: readonly Expr[] } {
    return backwardThroughStep(this.step, this.frames.coordinates.length, distal, bodyWrench);
  }
}
