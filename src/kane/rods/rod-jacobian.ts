/**
 * A rod given by its strain as a body, the Jacobian form: every section knows its velocity per unit rate of every
 * coordinate, and the inertial terms of the body are sums over the sections. The dual of the Newton–Euler form, for
 * comparison and for few coordinates: a step costs as much as there are coordinates, or their square for the mass matrix.
 * Source: A. Ouyoucef et al., "Duality of the existing geometric variable strain models", RA-L 10 (2025).
 */
import { plus, times, zero, type Expr, type SymbolExpr } from '../../symbolic/expr.ts';
import {
  addVectors,
  composeFrames,
  cross,
  dot,
  frameEntries,
  frameFromEntries,
  identityFrame,
  multiplyTransposed,
  scaleVector,
  zeroVector,
  type Frame,
  type Symmetric3,
  type Vector3,
} from '../../symbolic/vector.ts';
import type { BodyPart, Carried } from '../link/body-part.ts';
import { backwardThroughStep, compositeWithStep, flattenWrench, jacobianOfStep } from '../link/step-terms.ts';
import type { Loop } from '../loops/loop.ts';
import { MATRIX_ENTRIES, SYMMETRIC_ENTRIES, xyz } from '../equations/names.ts';
import {
  fixedStep,
  jacobianColumns,
  project,
  rigidWrench,
  spinMatrix,
  stepMassMoments,
  stepMotion,
  stepWrench,
  unitWrench,
  type BodyWrench,
  type CoordinateSymbols,
  type FrameStep,
  type MassMoments,
  type Motion,
  type Travel,
  type Wrench,
} from '../equations/recursion.ts';
import { marchEnergy } from './rod-energy.ts';
import type { RodRow } from './rod-march.ts';

const FRAME = [...MATRIX_ENTRIES.map((entry) => `R_${entry}`), ...xyz('t')];
const MOMENTS = ['mass', ...xyz('first'), ...SYMMETRIC_ENTRIES.map((entry) => `inertia_${entry}`)];
const WRENCH = [...xyz('force'), ...xyz('moment')];

/** Sums over the sections, proximal axes about the proximal origin. */
interface Integrals {
  readonly moments: MassMoments;
  /** Wrench and generalized forces that a unit acceleration of each coordinate takes. */
  readonly units: readonly BodyWrench[];
  readonly distal: FrameStep;
  /** Per row: frame of the section, and ∂/∂q of its motion with the linear part at the proximal origin. */
  readonly section: Frame;
  readonly columns: FrameStep;
}

/** What the velocities cause at accelerations of zero. */
interface Bias {
  readonly angularVelocity: Vector3;
  /** Of the distal frame, own axes. */
  readonly own: Motion;
  readonly wrench: BodyWrench;
}

export class JacobianRod implements BodyPart {
  readonly method: string;
  readonly bodyWrenchSize: number;
  private readonly row: RodRow;
  private readonly symbols: CoordinateSymbols;
  private readonly coordinates: readonly string[];
  private readonly biases = new Map<string, Bias>();
  private sums: Integrals | undefined;

  /** @param coordinates names of the body's coordinates. */
  constructor(row: RodRow, symbols: CoordinateSymbols, coordinates: readonly string[], method: string) {
    this.row = row;
    this.symbols = symbols;
    this.coordinates = coordinates;
    this.method = method;
    this.bodyWrenchSize = WRENCH.length + coordinates.length;
  }

  loops(): readonly Loop[] {
    return this.row.loops.loops();
  }

  private integrals(): Integrals {
    if (this.sums) return this.sums;
    const { loops, step, stepByCoordinates, section } = this.row;
    const { coordinates: names } = this;
    const name = 'integrate';
    const twists = names.flatMap((c) => [...xyz(`angular_${c}`), ...xyz(`linear_${c}`)]);
    const values = loops.march(
      name,
      [...FRAME, ...twists],
      [...frameEntries(identityFrame), ...twists.map(() => zero)],
    );
    const { symbols } = values;
    const before = frameFromEntries(symbols);
    const pose = composeFrames(before, step.frame);
    const added = jacobianColumns(stepByCoordinates, before);
    const columns: FrameStep = {
      frame: identityFrame,
      coordinates: names.map((_, a) => a),
      angular: added.map(({ angular }, a) => addVectors(vectorOf(symbols, 12 + 6 * a), angular)),
      linear: added.map(({ linear }, a) => addVectors(vectorOf(symbols, 15 + 6 * a), linear)),
    };
    const moments = stepMassMoments(fixedStep(pose), section).atParent;
    const units = names.map((_, a) => unitWrench(columns, a, moments));
    const pairs = names.flatMap((_, a) => names.slice(0, a + 1).map((__, b) => [a, b] as const));
    const twistValues = names.flatMap((_, a) => [...columns.angular[a]!, ...columns.linear[a]!]);
    const record = loops.record('frame', [...frameEntries(pose), ...twistValues], [...FRAME, ...twists]);
    const { final, sums } = loops.add({
      name,
      stage: 1,
      carried: { values, next: [...frameEntries(pose), ...twistValues] },
      writes: [record.write],
      sums: [
        ...[moments.mass, ...moments.first, ...moments.inertia].map((term, i) => ({ label: MOMENTS[i]!, term })),
        ...units.flatMap((unit, a) =>
          [...unit.force, ...unit.moment].map((term, i) => ({ label: `${names[a]}_${WRENCH[i]}`, term })),
        ),
        ...pairs.map(([a, b]) => ({ label: `of_${names[a]}_and_${names[b]}`, term: project(columns, a, units[b]!) })),
      ],
    });
    const gram = (a: number, b: number): Expr =>
      sums[10 + 6 * names.length + pairs.findIndex(([i, j]) => i === Math.max(a, b) && j === Math.min(a, b))]!;
    const frame = frameFromEntries(final);
    const angular = names.map((_, a) => vectorOf(final, 12 + 6 * a));
    const { seen } = record;
    this.sums = {
      moments: { mass: sums[0]!, first: vectorOf(sums, 1), inertia: sums.slice(4, 10) as unknown as Symmetric3 },
      units: names.map((_, a) => ({
        force: vectorOf(sums, 10 + 6 * a),
        moment: vectorOf(sums, 13 + 6 * a),
        generalized: names.map((__, b) => gram(a, b)),
      })),
      distal: {
        frame,
        coordinates: columns.coordinates,
        angular,
        linear: angular.map((w, a) => addVectors(vectorOf(final, 15 + 6 * a), cross(w, frame.translation))),
      },
      section: frameFromEntries(seen),
      columns: {
        frame: identityFrame,
        coordinates: columns.coordinates,
        angular: names.map((_, a) => vectorOf(seen, 12 + 6 * a)),
        linear: names.map((_, a) => vectorOf(seen, 15 + 6 * a)),
      },
    };
    return this.sums;
  }

  // ---------------------------------------------------------------------------------------------- motion

  private bias(angularVelocity: Vector3): Bias {
    const key = angularVelocity.map((e) => e.id).join(',');
    const known = this.biases.get(key);
    if (known) return known;
    const { section: pose, columns } = this.integrals();
    const { loops, step, section } = this.row;
    const name = this.biases.size === 0 ? 'move' : `move_${this.biases.size + 1}`;
    const values = loops.march(
      name,
      [...xyz('omega'), ...xyz('alpha'), ...xyz('a')],
      [...angularVelocity, ...zeroVector, ...zeroVector],
    );
    const before = motionOf(values.symbols);
    const after = stepMotion(step, this.row.motionAtRate(), before, spinMatrix(before));
    const own = rigidWrench(section, after, spinMatrix(after));
    const { wrench } = stepWrench(fixedStep(pose), own);
    const { final, sums } = loops.add({
      name,
      stage: 2,
      carried: { values, next: [...after.angularVelocity, ...after.angularAcceleration, ...after.acceleration] },
      sums: [
        ...[...wrench.force, ...wrench.moment].map((term, i) => ({ label: WRENCH[i]!, term })),
        ...this.coordinates.map((c, a) => ({ label: `on_${c}`, term: project(columns, a, wrench) })),
      ],
    });
    const result = {
      angularVelocity: vectorOf(final),
      own: motionOf(final),
      wrench: { force: vectorOf(sums), moment: vectorOf(sums, 3), generalized: sums.slice(6) },
    };
    this.biases.set(key, result);
    return result;
  }

  velocity(angularVelocity: Vector3): Vector3 {
    return this.bias(angularVelocity).angularVelocity;
  }

  accelerate(motion: Motion): Carried<Motion> {
    const { moments, units, distal } = this.integrals();
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
      angularAcceleration: combine(distal.angular),
      acceleration: combine(distal.linear),
    };
    const driven = stepMotion(distal, relative, still, spinMatrix(still));
    const own: Motion = {
      angularVelocity: bias.angularVelocity,
      angularAcceleration: addVectors(driven.angularAcceleration, bias.own.angularAcceleration),
      acceleration: addVectors(driven.acceleration, bias.own.acceleration),
    };
    return { own, wrench: flattenWrench(wrench), loops: [] };
  }

  weigh(acceleration: Vector3): Carried<Vector3> {
    const { moments, units, distal } = this.integrals();
    const wrench: BodyWrench = {
      force: scaleVector(moments.mass, acceleration),
      moment: cross(moments.first, acceleration),
      generalized: units.map((unit) => dot(unit.force, acceleration)),
    };
    return {
      own: multiplyTransposed(distal.frame.rotation, acceleration),
      wrench: flattenWrench(wrench),
      loops: [],
    };
  }

  energy(travel: Travel): ReturnType<BodyPart['energy']> {
    return marchEnergy(this.row, travel);
  }

  // ---------------------------------------------------------------------------------------------- wrenches

  backward(
    distal: Wrench,
    bodyWrench: readonly SymbolExpr[] | null,
  ): { readonly wrench: Wrench; readonly generalized: readonly Expr[] } {
    return backwardThroughStep(this.integrals().distal, this.coordinates.length, distal, bodyWrench);
  }

  composite(distal: MassMoments): ReturnType<BodyPart['composite']> {
    const { moments, units, distal: step } = this.integrals();
    return compositeWithStep(step, moments, units, distal);
  }

  pose(proximal: Frame): Frame {
    return composeFrames(proximal, this.integrals().distal.frame);
  }

  jacobian(proximal: Frame): ReturnType<BodyPart['jacobian']> {
    return jacobianOfStep(this.integrals().distal, this.coordinates.length, proximal);
  }

  names(): ReadonlyMap<Expr, string> {
    return new Map();
  }
}

function vectorOf(entries: readonly Expr[], from = 0): Vector3 {
  return entries.slice(from, from + 3) as unknown as Vector3;
}

function motionOf(entries: readonly Expr[]): Motion {
  return {
    angularVelocity: vectorOf(entries),
    angularAcceleration: vectorOf(entries, 3),
    acceleration: vectorOf(entries, 6),
  };
}
