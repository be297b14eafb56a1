/**
 * A rod given by its strain as a body, the Newton–Euler form: motions are integrated outwards along the rod, forces and
 * moments inwards, all in the axes that the rod starts in. No row knows the Jacobian of its point.
 * Source: A. Ouyoucef et al., "Duality of the existing geometric variable strain models", RA-L 10 (2025), the Newton–Euler
 * form, with rotations by Magnus steps.
 */
import { plus, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import {
  addVectors,
  cross,
  multiplyTransposed,
  multiplyVector,
  zeroVector,
  type Vector3,
} from '../../symbolic/graph/vector.ts';
import type { BodyPart, Carried } from '../body/body-part.ts';
import type { RowArray } from '../loops/loop.ts';
import { xyz } from '../equations/names.ts';
import { addWrenches, stepWrench, type Motion, type Wrench } from '../equations/recursion.ts';
import { RodBody, WRENCH } from './rod-body.ts';
import { vectorOf, type RodFrames } from './rod-frames.ts';
import type { MotionAlong } from './rod-motion.ts';
import type { SectionLoads } from '../rod-points/rod-lump.ts';
import { twistEntries } from '../rod-points/rod-twist.ts';

export class NewtonEulerRod extends RodBody {
  readonly bodyWrenchSize: number;
  private readonly wrenches: RowArray;
  private readonly spinLoads = new Map<MotionAlong, SectionLoads>();
  private readonly carriedInwards: {
    readonly of: readonly Expr[];
    readonly result: ReturnType<BodyPart['backward']>;
  }[] = [];

  constructor(frames: RodFrames, method: string) {
    super(frames, method);
    this.wrenches = frames.loops.bodyWrench(WRENCH);
    this.bodyWrenchSize = frames.lump.moving.length + WRENCH.length * frames.loops.table.rows;
  }

  // ---------------------------------------------------------------------------------------------- outwards

  velocity(angularVelocity: Vector3): Vector3 {
    return this.own(this.motion.angularVelocity(angularVelocity).end);
  }

  accelerate(motion: Motion, purpose: 'staged' | 'direct'): Carried<Motion> {
    const { lump } = this.frames;
    if (purpose === 'direct') {
      const { row, end } = this.motion.whole(motion);
      return this.carried('forward', lump.loads({ ...row, flow: 'both' }), this.ownMotion(end));
    }
    const bias = this.motion.bias(motion.angularVelocity);
    const driven = this.motion.driven(motion);
    const still = { ...driven.row, angularVelocity: zeroVector };
    const [own, spun] = [lump.loads({ ...still, flow: 'accelerations' }), this.spinLoadsOf(bias)];
    const loads = { ...addWrenches(own, spun), generalized: own.generalized };
    const carried = this.carried('accelerate', loads, this.ownMotion(addAccelerations(driven.end, bias.end)));
    return { ...carried, wrench: carried.wrench.map((e, i) => plus(e, spun.generalized[i]!)) };
  }

  /** The wrench on the current row, left in an array for accelerations to add theirs; forces on coordinates summed over all rows. */
  private spinLoadsOf(bias: MotionAlong): SectionLoads {
    const known = this.spinLoads.get(bias);
    if (known) return known;
    const { loops, lump } = this.frames;
    const name = this.spinLoads.size === 0 ? 'bias' : `bias_${this.spinLoads.size + 1}`;
    const { force, moment, generalized } = lump.loads({ ...bias.row, flow: 'velocities' });
    const record = loops.record(name, [...force, ...moment], WRENCH);
    const { sums } = loops.add({ name, stage: 2, writes: [record.write], sums: this.onCoordinates(generalized) });
    const made = { force: vectorOf(record.seen), moment: vectorOf(record.seen, 3), generalized: sums };
    this.spinLoads.set(bias, made);
    return made;
  }

  private onCoordinates(generalized: readonly Expr[]): readonly { readonly label: string; readonly term: Expr }[] {
    const { lump, coordinates } = this.frames;
    return generalized.map((term, i) => ({ label: `on_${coordinates[lump.moving[i]!]!}`, term }));
  }

  private carried<T>(name: string, { force, moment, generalized }: SectionLoads, own: T): Carried<T> {
    const write = { array: this.wrenches, values: [...force, ...moment] };
    const { loop, sums } = this.frames.loops.add({
      name,
      stage: 3,
      writes: [write],
      sums: this.onCoordinates(generalized),
    });
    return { own, wrench: sums, loops: [loop] };
  }

  weigh(acceleration: Vector3): Carried<Vector3> {
    const atRest = { angularVelocity: zeroVector, angularAcceleration: zeroVector, acceleration };
    return this.carried('weigh', this.frames.lump.loads({ ...atRest, flow: 'none' }), this.own(acceleration));
  }

  // ---------------------------------------------------------------------------------------------- inwards

  /**
   * With the force F and the moment N that the rod beyond a section needs, about the section, F' = −f and
   * N' = −n − R ν × F along the rod; the coordinates feel (Rᵀ N, Rᵀ F) through the strain.
   */
  backward(
    distal: Wrench,
    bodyWrench: readonly Expr[] | null,
  ): { readonly wrench: Wrench; readonly generalized: readonly Expr[] } {
    // A distal wrench alone needs no march: the rod acts like one step.
    if (bodyWrench === null) return stepWrench(this.step, distal);
    // Several kernels carry the same wrench inwards, by the same loops.
    const key = [...distal.force, ...distal.moment, ...bodyWrench.slice(0, this.frames.lump.moving.length)];
    const known = this.carriedInwards.find(({ of }) => of.every((e, i) => e === key[i]));
    if (known) return known.result;
    const result = this.march(distal, bodyWrench, this.carriedInwards.length);
    this.carriedInwards.push({ of: key, result });
    return result;
  }

  /** @param count of marches before, which have other loops. */
  private march(distal: Wrench, bodyWrench: readonly Expr[], count: number): ReturnType<BodyPart['backward']> {
    const suffix = count === 0 ? '' : `_${count + 1}`;
    const { loops, row, strain, coordinates, end, lump } = this.frames;
    const atEnd = {
      force: multiplyVector(end.rotation, distal.force),
      moment: multiplyVector(end.rotation, distal.moment),
    };
    const integrate = (name: string, values: Vector3): { atRow: Vector3; whole: Vector3 } => {
      const made = loops.integrate({
        name: `${name}${suffix}`,
        stage: 3,
        direction: 'to end',
        labels: xyz(name),
        values,
      });
      return { atRow: vectorOf(made.atRow), whole: vectorOf(made.whole) };
    };
    const forces = integrate('force', vectorOf(this.wrenches.columns));
    const force = addVectors(atEnd.force, forces.atRow);
    const moments = integrate('moment', addVectors(vectorOf(this.wrenches.columns, 3), cross(row.tangent, force)));
    const moment = addVectors(atEnd.moment, moments.atRow);
    const onStrain = [...multiplyTransposed(row.rotation, moment), ...multiplyTransposed(row.rotation, force)];
    const { sums } = loops.add({
      name: `backward${suffix}`,
      stage: 3,
      sums: coordinates.map((c, a) => ({
        label: `on_${c}`,
        term: plus(...twistEntries(strain.partial[a]!).map((e, i) => times(e, onStrain[i]!))),
      })),
    });
    return {
      wrench: {
        force: addVectors(atEnd.force, forces.whole),
        moment: addVectors(atEnd.moment, moments.whole),
      },
      generalized: sums.map((e, a) => plus(e, bodyWrench[lump.moving.indexOf(a)] ?? zero)),
    };
  }
}

function addAccelerations(a: Motion, b: Motion): Motion {
  return {
    angularVelocity: a.angularVelocity,
    angularAcceleration: addVectors(a.angularAcceleration, b.angularAcceleration),
    acceleration: addVectors(a.acceleration, b.acceleration),
  };
}
