/**
 * Motions along a rod that moves with its base, in the axes of the base: with the frame of the section (R, r) and the strain
 * ξ = (κ, ν), along the rod
 *   ω' = R κ̇,   α' = R κ̈ + ω × R κ̇,   a' = R ν̈ + 2 ω × R ν̇ + α × R ν + ω × (ω × R ν),
 * so that angular velocities, angular accelerations and accelerations of all sections are integrals, one after the other.
 */
import { integer } from '../../symbolic/graph/expr.ts';
import { addVectors, cross, scaleVector, zeroVector, type Vector3 } from '../../symbolic/graph/vector.ts';
import { xyz } from '../equations/names.ts';
import type { Motion } from '../equations/recursion.ts';
import type { LoopStage } from '../loops/loop.ts';
import { vectorOf, type RodFrames } from './rod-frames.ts';
import { addTwists, type Twist } from '../rod-points/rod-twist.ts';

/** Of the section of the current row and of the end of the rod, both in the axes of the base. */
export interface MotionAlong {
  readonly row: Motion;
  readonly end: Motion;
}

/** What angular velocities do to the accelerations of the current row. */
interface Spin {
  /** ω at the section. */
  readonly angularVelocity: Vector3;
  /** R κ̇ and R ν̇, times the length of the row. */
  readonly turning: Vector3;
  readonly stretching: Vector3;
}

const AT_REST: Spin = { angularVelocity: zeroVector, turning: zeroVector, stretching: zeroVector };

export class RodMotion {
  private readonly frames: RodFrames;
  private turns: { readonly turning: Vector3; readonly row: Vector3; readonly end: Vector3 } | undefined;
  private readonly biases = new Map<string, MotionAlong>();

  constructor(frames: RodFrames) {
    this.frames = frames;
  }

  /** Angular velocities relative to the base. */
  private relativeTurns(): NonNullable<RodMotion['turns']> {
    if (this.turns) return this.turns;
    const { loops, strain } = this.frames;
    const values = this.frames.turned(strain.rate().angular);
    const labels = xyz('turning');
    const record = loops.record('turning', values, labels);
    const request = { name: 'spin', stage: 2, direction: 'from start', labels: xyz('omega') } as const;
    const { atRow, whole } = loops.integrate({ ...request, values, writes: [record.write] });
    this.turns = { turning: vectorOf(record.seen), row: vectorOf(atRow), end: vectorOf(whole) };
    return this.turns;
  }

  /** Angular velocities for that of the base. */
  angularVelocity(base: Vector3): { readonly row: Vector3; readonly end: Vector3 } {
    const { row, end } = this.relativeTurns();
    return { row: addVectors(base, row), end: addVectors(base, end) };
  }

  /** R ν̇ times the length of the row. */
  stretching(): Vector3 {
    return this.frames.turned(this.frames.strain.rate().linear);
  }

  private spin(base: Vector3): Spin {
    const { turning } = this.relativeTurns();
    return { angularVelocity: this.angularVelocity(base).row, turning, stretching: this.stretching() };
  }

  /** With the second derivatives of the strain given. */
  private accelerate(name: string, stage: LoopStage, spin: Spin, base: Motion, second: Twist): MotionAlong {
    const { loops, row } = this.frames;
    const { angularVelocity: w, turning, stretching } = spin;
    const integrate = (label: string, values: Vector3): { atRow: Vector3; whole: Vector3 } => {
      const request = { name: `${name}_${label}`, stage, direction: 'from start', labels: xyz(label) } as const;
      const { atRow, whole } = loops.integrate({ ...request, values });
      return { atRow: vectorOf(atRow), whole: vectorOf(whole) };
    };
    const turned = integrate('alpha', addVectors(this.frames.turned(second.angular), cross(w, turning)));
    const alpha = addVectors(base.angularAcceleration, turned.atRow);
    const moved = integrate(
      'a',
      addVectors(
        this.frames.turned(second.linear),
        cross(alpha, row.tangent),
        cross(w, addVectors(cross(w, row.tangent), scaleVector(integer(2), stretching))),
      ),
    );
    const velocities = this.angularVelocity(base.angularVelocity);
    return {
      row: {
        angularVelocity: velocities.row,
        angularAcceleration: alpha,
        acceleration: addVectors(base.acceleration, moved.atRow),
      },
      end: {
        angularVelocity: velocities.end,
        angularAcceleration: addVectors(base.angularAcceleration, turned.whole),
        acceleration: addVectors(base.acceleration, moved.whole),
      },
    };
  }

  /** What the velocities cause while neither the base nor the coordinates accelerate. */
  bias(angularVelocity: Vector3): MotionAlong {
    const key = angularVelocity.map((e) => e.id).join(',');
    const known = this.biases.get(key);
    if (known) return known;
    const name = this.biases.size === 0 ? 'move' : `move_${this.biases.size + 1}`;
    const base = { angularVelocity, angularAcceleration: zeroVector, acceleration: zeroVector };
    const made = this.accelerate(name, 2, this.spin(angularVelocity), base, this.frames.strain.bias);
    this.biases.set(key, made);
    return made;
  }

  /** The same of the end alone, of a rod whose base rests, when it is asked for. */
  drift(): Motion {
    const base = { angularVelocity: zeroVector, angularAcceleration: zeroVector, acceleration: zeroVector };
    return this.accelerate('drift', 3, this.spin(zeroVector), base, this.frames.strain.bias).end;
  }

  /** What accelerations of the base and of the coordinates cause; the angular velocity is that of the base. */
  driven(base: Motion): MotionAlong {
    return this.accelerate('accelerate', 3, AT_REST, base, this.frames.strain.driven());
  }

  /** Both at once. */
  whole(base: Motion): MotionAlong {
    const { strain } = this.frames;
    const second = addTwists(strain.driven(), strain.bias);
    return this.accelerate('forward', 3, this.spin(base.angularVelocity), base, second);
  }
}
