/**
 * A rod given by its strain as a body: the equations of motion of a link (recursion.ts) run over the steps along the rod,
 * outwards for motions, inwards for wrenches. No row knows the Jacobian of its point; the cost of a step does not grow with
 * the length of the chain before it.
 * Source: A. Ouyoucef et al., "Duality of the existing geometric variable strain models", RA-L 10 (2025), the Newton–Euler
 * form, with Magnus steps in place of their spectral integration.
 */
import { zero, type Expr, type SymbolExpr } from '../../symbolic/expr.ts';
import {
  addVectors,
  composeFrames,
  cross,
  frameEntries,
  frameFromEntries,
  identityFrame,
  multiplyTransposed,
  zeroVector,
  type Frame,
  type Symmetric3,
  type Vector3,
} from '../../symbolic/vector.ts';
import type { BodyPart, Carried } from '../link/body-part.ts';
import { jacobianOfStep } from '../link/step-terms.ts';
import type { Loop, RowArray } from '../loops/loop.ts';
import { MATRIX_ENTRIES, SYMMETRIC_ENTRIES, xyz } from '../equations/names.ts';
import { FROZEN, MassMatrix, stepComposite } from '../equations/composite.ts';
import {
  addMassMoments,
  addWrenches,
  jacobianColumns,
  rigidWrench,
  spinMatrix,
  stepMotion,
  stepWrench,
  type FrameStep,
  type MassMoments,
  type Motion,
  type Travel,
  type Wrench,
} from '../equations/recursion.ts';
import { marchEnergy } from './rod-energy.ts';
import type { RodRow } from './rod-march.ts';

const WRENCH = [...xyz('force'), ...xyz('moment')];
const FRAME = [...MATRIX_ENTRIES.map((entry) => `R_${entry}`), ...xyz('t')];

/** Outcome of the march of angular velocities, and what it leaves for accelerations. */
interface Moving {
  readonly end: Vector3;
  /** Per row: α and a at the section for a frame before that is not accelerated, and the wrench of the spin. */
  readonly bias: Motion;
  readonly wrench: Wrench;
}

export class NewtonEulerRod implements BodyPart {
  readonly method: string;
  readonly bodyWrenchSize: number;
  private readonly row: RodRow;
  /** Names of the body's coordinates. */
  private readonly coordinates: readonly string[];
  private readonly wrenches: RowArray;
  private readonly moving = new Map<string, Moving>();
  private end: Frame | undefined;
  private wholeStep: FrameStep | undefined;

  constructor(row: RodRow, coordinates: readonly string[], method: string) {
    this.row = row;
    this.coordinates = coordinates;
    this.method = method;
    this.wrenches = row.loops.bodyWrench(WRENCH);
    this.bodyWrenchSize = WRENCH.length * row.loops.table.rows;
  }

  loops(): readonly Loop[] {
    return this.row.loops.loops();
  }

  // ---------------------------------------------------------------------------------------------- outwards

  velocity(angularVelocity: Vector3): Vector3 {
    return this.move(angularVelocity).end;
  }

  /** The march of angular velocities; everything that accelerations take from the velocities is left in an array. */
  private move(angularVelocity: Vector3): Moving {
    const key = angularVelocity.map((e) => e.id).join(',');
    const known = this.moving.get(key);
    if (known) return known;
    const { loops, step, section } = this.row;
    const name = this.moving.size === 0 ? 'move' : `move_${this.moving.size + 1}`;
    const values = loops.march(name, xyz('omega'), angularVelocity);
    const before = motionOf(vectorOf(values.symbols), zeroVector, zeroVector);
    const after = stepMotion(step, this.row.motionAtRate(), before, spinMatrix(before));
    const turning = motionOf(after.angularVelocity, zeroVector, zeroVector);
    const wrench = rigidWrench(section, turning, spinMatrix(turning));
    const record = loops.record(
      name,
      [...after.angularAcceleration, ...after.acceleration, ...wrench.force, ...wrench.moment],
      [...xyz('alpha'), ...xyz('a'), ...WRENCH],
    );
    const { final } = loops.add({
      name,
      stage: 2,
      carried: { values, next: after.angularVelocity },
      writes: [record.write],
    });
    const { seen } = record;
    const result = {
      end: vectorOf(final),
      bias: motionOf(zeroVector, vectorOf(seen), vectorOf(seen, 3)),
      wrench: { force: vectorOf(seen, 6), moment: vectorOf(seen, 9) },
    };
    this.moving.set(key, result);
    return result;
  }

  accelerate(motion: Motion, purpose: 'staged' | 'direct'): Carried<Motion> {
    return purpose === 'staged' ? this.accelerateMoving(motion) : this.moveAndAccelerate(motion);
  }

  private accelerateMoving(motion: Motion): Carried<Motion> {
    const { loops, step, section } = this.row;
    const moving = this.move(motion.angularVelocity);
    const name = 'accelerate';
    const values = loops.march(
      name,
      [...xyz('alpha'), ...xyz('a')],
      [...motion.angularAcceleration, ...motion.acceleration],
    );
    const before = motionOf(zeroVector, vectorOf(values.symbols), vectorOf(values.symbols, 3));
    const stepped = stepMotion(step, this.row.motionOfAcceleration(), before, spinMatrix(before));
    const after = motionOf(
      zeroVector,
      addVectors(stepped.angularAcceleration, moving.bias.angularAcceleration),
      addVectors(stepped.acceleration, moving.bias.acceleration),
    );
    const wrench = addWrenches(rigidWrench(section, after, spinMatrix(after)), moving.wrench);
    const { loop, final } = loops.add({
      name,
      stage: 3,
      carried: { values, next: [...after.angularAcceleration, ...after.acceleration] },
      writes: [this.writeWrench(wrench)],
    });
    return { own: motionOf(moving.end, vectorOf(final), vectorOf(final, 3)), wrench: [], loops: [loop] };
  }

  private moveAndAccelerate(motion: Motion): Carried<Motion> {
    const { loops, step, section } = this.row;
    const name = 'forward';
    const values = loops.march(
      name,
      [...xyz('omega'), ...xyz('alpha'), ...xyz('a')],
      [...motion.angularVelocity, ...motion.angularAcceleration, ...motion.acceleration],
    );
    const { symbols } = values;
    const before = motionOf(vectorOf(symbols), vectorOf(symbols, 3), vectorOf(symbols, 6));
    const after = stepMotion(step, this.row.motion(), before, spinMatrix(before));
    const { loop, final } = loops.add({
      name,
      stage: 3,
      carried: { values, next: [...after.angularVelocity, ...after.angularAcceleration, ...after.acceleration] },
      writes: [this.writeWrench(rigidWrench(section, after, spinMatrix(after)))],
    });
    return { own: motionOf(vectorOf(final), vectorOf(final, 3), vectorOf(final, 6)), wrench: [], loops: [loop] };
  }

  weigh(acceleration: Vector3): Carried<Vector3> {
    const { loops, step, section } = this.row;
    const name = 'weigh';
    const values = loops.march(name, xyz('a'), acceleration);
    const after = multiplyTransposed(step.frame.rotation, vectorOf(values.symbols));
    const atRest = motionOf(zeroVector, zeroVector, after);
    const { loop, final } = loops.add({
      name,
      stage: 3,
      carried: { values, next: after },
      writes: [this.writeWrench(rigidWrench(section, atRest, spinMatrix(atRest)))],
    });
    return { own: vectorOf(final), wrench: [], loops: [loop] };
  }

  private writeWrench({ force, moment }: Wrench): Loop['writes'][number] {
    return { array: this.wrenches, values: [...force, ...moment] };
  }

  energy(travel: Travel): ReturnType<BodyPart['energy']> {
    return marchEnergy(this.row, travel);
  }

  // ---------------------------------------------------------------------------------------------- inwards

  backward(
    distal: Wrench,
    bodyWrench: readonly SymbolExpr[] | null,
  ): { readonly wrench: Wrench; readonly generalized: readonly Expr[] } {
    // A distal wrench alone needs no march: the rod acts like one step.
    if (bodyWrench === null) return stepWrench(this.distalStep(), distal);
    const { loops, step } = this.row;
    const name = 'backward';
    const values = loops.march(name, WRENCH, [...distal.force, ...distal.moment]);
    const atSection = addWrenches(wrenchOf(values.symbols), wrenchOf(this.wrenches.columns));
    const stepped = stepWrench(step, atSection);
    const generalized = this.row.generalized(stepped.generalized);
    const { final, sums } = loops.add({
      name,
      stage: 3,
      reversed: true,
      carried: { values, next: [...stepped.wrench.force, ...stepped.wrench.moment] },
      sums: generalized.map((term, a) => ({ label: `on_${this.coordinates[a]}`, term })),
    });
    return { wrench: wrenchOf(final), generalized: sums };
  }

  composite(distal: MassMoments): ReturnType<BodyPart['composite']> {
    const { loops, stepByCoordinates: step, section } = this.row;
    const name = 'composite';
    const moments = ['mass', ...xyz('first'), ...SYMMETRIC_ENTRIES.map((entry) => `inertia_${entry}`)];
    const values = loops.march(
      name,
      [...moments, ...this.coordinates.flatMap((c) => WRENCH.map((entry) => `${c}_${entry}`))],
      [distal.mass, ...distal.first, ...distal.inertia, ...this.coordinates.flatMap(() => WRENCH.map(() => zero))],
    );
    const { symbols } = values;
    const beyond: MassMoments = {
      mass: symbols[0]!,
      first: vectorOf(symbols, 1),
      inertia: symbols.slice(4, 10) as unknown as Symmetric3,
    };
    const M = new MassMatrix(this.coordinates.length);
    const units = new Map(this.coordinates.map((_, a) => [a, wrenchOf(symbols, 10 + 6 * a)]));
    const composite = stepComposite(FROZEN, step, { inertia: addMassMoments(beyond, section), units }, M.take);
    const { mass, first, inertia } = composite.inertia!;
    const pairs = this.coordinates.flatMap((_, a) => this.coordinates.slice(0, a + 1).map((__, b) => [a, b] as const));
    const { final, sums } = loops.add({
      name,
      stage: 3,
      reversed: true,
      carried: {
        values,
        next: [
          mass,
          ...first,
          ...inertia,
          ...this.coordinates.flatMap((_, a) => wrenchEntries(composite.units.get(a)!)),
        ],
      },
      sums: pairs.map(([a, b]) => ({
        label: `of_${this.coordinates[a]}_and_${this.coordinates[b]}`,
        term: M.rows[a]![b]!,
      })),
    });
    const entry = (a: number, b: number): Expr =>
      sums[pairs.findIndex(([i, j]) => i === Math.max(a, b) && j === Math.min(a, b))]!;
    return {
      moments: {
        mass: final[0]!,
        first: vectorOf(final, 1),
        inertia: final.slice(4, 10) as unknown as Symmetric3,
      },
      block: this.coordinates.map((_, a) => this.coordinates.map((__, b) => entry(a, b))),
      columns: this.coordinates.map((_, a) => wrenchOf(final, 10 + 6 * a)),
    };
  }

  // ---------------------------------------------------------------------------------------------- the rod as one step

  /** The distal frame as the proximal one sees it. */
  private distalFrame(): Frame {
    if (this.end) return this.end;
    const { loops, step } = this.row;
    const values = loops.march('pose', FRAME, frameEntries(identityFrame));
    const next = frameEntries(composeFrames(frameFromEntries(values.symbols), step.frame));
    const { final } = loops.add({ name: 'pose', stage: 1, carried: { values, next } });
    return (this.end = frameFromEntries(final));
  }

  /** Proximal → distal with the projectors of the body's coordinates. */
  private distalStep(): FrameStep {
    if (this.wholeStep) return this.wholeStep;
    const frame = this.distalFrame();
    const { loops, stepByCoordinates: step } = this.row;
    const name = 'jacobian';
    const values = loops.march(name, FRAME, frameEntries(identityFrame));
    const pose = frameFromEntries(values.symbols);
    const columns = jacobianColumns(step, pose);
    const { sums } = loops.add({
      name,
      stage: 1,
      carried: { values, next: frameEntries(composeFrames(pose, step.frame)) },
      sums: columns.flatMap(({ angular, linear }, a) =>
        [...angular, ...linear].map((term, i) => ({
          label: [...xyz(`angular_${this.coordinates[a]}`), ...xyz(`linear_${this.coordinates[a]}`)][i]!,
          term,
        })),
      ),
    });
    const angular = columns.map((_, a) => vectorOf(sums, 6 * a));
    this.wholeStep = {
      frame,
      coordinates: columns.map((_, a) => a),
      angular,
      linear: angular.map((w, a) => addVectors(vectorOf(sums, 6 * a + 3), cross(w, frame.translation))),
    };
    return this.wholeStep;
  }

  pose(proximal: Frame): Frame {
    return composeFrames(proximal, this.distalFrame());
  }

  jacobian(proximal: Frame): ReturnType<BodyPart['jacobian']> {
    return jacobianOfStep(this.distalStep(), this.coordinates.length, proximal);
  }

  names(): ReadonlyMap<Expr, string> {
    return new Map();
  }
}

function vectorOf(entries: readonly Expr[], from = 0): Vector3 {
  return entries.slice(from, from + 3) as unknown as Vector3;
}

function motionOf(angularVelocity: Vector3, angularAcceleration: Vector3, acceleration: Vector3): Motion {
  return { angularVelocity, angularAcceleration, acceleration };
}

function wrenchOf(entries: readonly Expr[], from = 0): Wrench {
  return { force: vectorOf(entries, from), moment: vectorOf(entries, from + 3) };
}

function wrenchEntries({ force, moment }: Wrench): readonly Expr[] {
  return [...force, ...moment];
}
