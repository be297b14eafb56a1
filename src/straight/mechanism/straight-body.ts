/**
 * What a whole robot takes of a body: its closed form, or, where it has none, its sums over points or along a rod written out.
 * Either is one frame step moved by its coordinates, and inertial terms as formulas of the motion of the proximal frame.
 */
import { KanegenError } from '../../common/error.ts';
import { closedFormOf, demandTimeless, type CompiledBody } from '../../kane/compile-body.ts';
import type { BodyType } from '../../description/model/robot.ts';
import { FROZEN } from '../../kane/equations/composite.ts';
import {
  type FrameStep,
  type MassMoments,
  type Motion,
  type Wrench,
  wrenchFromEntries,
} from '../../kane/equations/recursion.ts';
import type { BodyModel } from '../../kane/body/body-model.ts';
import type { BodyPart, Carried } from '../../kane/body/body-part.ts';
import type { BodyWay } from '../../kane/link/body-way.ts';
import type { ForceTerm } from '../../kane/body/force-terms.ts';
import { unrolled } from '../../kane/loops/unroll.ts';
import { symbol, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { substitute } from '../../symbolic/graph/traverse.ts';
import { frameEntries, zeroVector, type Vector3, matrix3, vector3, symmetric3 } from '../../symbolic/graph/vector.ts';

export interface StraightBody {
  readonly model: BodyModel;
  /** Proximal → distal; coordinates are indices into the body's own. */
  readonly distal: FrameStep;
  readonly forces: () => readonly ForceTerm[];
}

const WHAT = 'a straight-line function';
const NO_WRENCH: Wrench = { force: zeroVector, moment: zeroVector };
const NO_MASS: MassMoments = { mass: zero, first: zeroVector, inertia: [zero, zero, zero, zero, zero, zero] };

const known = new WeakMap<CompiledBody, StraightBody>();

/** @throws KanegenError `not-supported` where the body depends on the time or is a learned map. */
export function refuseUnwritable(type: BodyType): void {
  demandTimeless(type, WHAT);
  if (type.kinematics.kind !== 'network') return;
  throw new KanegenError('not-supported', `${WHAT} calls no learned maps, and ${type.name} is one`, {
    remedy: 'use the driver, which evaluates them layer by layer',
  }).at(type.locations.whole);
}

/**
 * @param most operations that inverse dynamics of the body may take when its sums are written out.
 * @throws KanegenError `not-supported` where the body depends on the time or is a learned map, `too-large`.
 */
export function straightBody(compiled: CompiledBody, most = Infinity): StraightBody {
  const { type, closed, chosen } = compiled;
  refuseUnwritable(type);
  if (closed) return closed;
  const { operations, rows } = chosen.cost;
  if (operations > most)
    throw new KanegenError(
      'too-large',
      `the sums over the ${rows} points of ${type.name}, written out, take ${operations.toLocaleString('en')} operations for inverse dynamics of ` +
        `one link alone, beyond the limit of ${most.toLocaleString('en')} operations (--max-operations)`,
      {
        remedy:
          'use the driver, which loops over points or along rods, raise the limit, or ask for a larger `tolerance`',
      },
    ).at(type.locations.whole);
  const found = known.get(compiled) ?? writtenOut(compiled);
  known.set(compiled, found);
  return found;
}

function writtenOut(compiled: CompiledBody): StraightBody {
  const { chosen } = compiled;
  return {
    model: {
      ...writtenModel(() => chosen.part(), chosen.description),
      kineticEnergy: (...motion) =>
        closedFormOf(compiled, 'the kinetic energy of a whole robot').model.kineticEnergy(...motion),
    },
    distal: writtenStep(chosen),
    forces: () => chosen.forces(),
  };
}

function writtenStep(way: BodyWay): FrameStep {
  const part = way.part();
  const { frame, coordinates, linear, angular } = part.step;
  const entries = unrolled([...frameEntries(frame), ...linear.flat(), ...angular.flat()], part.loops());
  const columns = (from: number): Vector3[] => coordinates.map((_, i) => vectorAt(entries, from + 3 * i));
  const step = {
    frame: { rotation: matrix3(entries.slice(0, 9)), translation: vectorAt(entries, 9) },
    coordinates,
    linear: columns(12),
    angular: columns(12 + 3 * coordinates.length),
  };
  if (way.method !== 'points along the rod') return step;
  const other = way.part();
  const { relative } = other.drift();
  const bias = unrolled([...relative.acceleration, ...relative.angularAcceleration], other.loops());
  return { ...step, bias: { linear: vectorAt(bias, 0), angular: vectorAt(bias, 3) } };
}

const vectorAt = (values: readonly Expr[], from: number): Vector3 => vector3(values.slice(from, from + 3));

/** @param make a part of its own for every question: each may be asked once. */
function writtenModel(make: () => BodyPart, method: string): Omit<BodyModel, 'kineticEnergy'> {
  const back = (carry: (part: BodyPart) => Carried<unknown>): readonly Expr[] => {
    const part = make();
    const { wrench, loops } = carry(part);
    const { wrench: own, generalized } = part.backward(NO_WRENCH, wrench);
    return unrolled([...own.force, ...own.moment, ...generalized], part.loops(), loops);
  };
  const moving = back((part) => part.accelerate(MOTION, 'direct'));
  const weighed = back((part) => part.weigh(MOTION.acceleration));
  return {
    method,
    ...inertiaOf(make()),
    wrench: (motion) => wrenchFromEntries(substitute(moving, motionBindings(motion))),
    weight: (acceleration) => wrenchFromEntries(substitute(weighed, pairs(MOTION.acceleration, acceleration))),
  };
}

function inertiaOf(part: BodyPart): Pick<BodyModel, 'moments' | 'unitWrenches'> {
  const { inertia, block, columns } = part.composite(FROZEN, NO_MASS);
  const units = columns.flatMap(({ force, moment }, a) => [...force, ...moment, ...block[a]!]);
  const values = unrolled([inertia.mass, ...inertia.first, ...inertia.inertia, ...units], part.loops());
  const [mass, ...rest] = values;
  const size = 6 + columns.length;
  return {
    moments: {
      mass: mass!,
      first: vectorAt(rest, 0),
      inertia: symmetric3(rest.slice(3, 9)),
    },
    unitWrenches: columns.map((_, a) => wrenchFromEntries(rest.slice(9 + a * size, 9 + (a + 1) * size))),
  };
}

const vector = (stem: string): Vector3 => vector3(['x', 'y', 'z'].map((axis) => symbol(`written.${stem}_${axis}`)));
const MOTION: Motion = {
  angularVelocity: vector('omega'),
  angularAcceleration: vector('alpha'),
  acceleration: vector('a'),
};

const pairs = (from: readonly Expr[], to: readonly Expr[]): Map<Expr, Expr> => new Map(from.map((e, i) => [e, to[i]!]));

function motionBindings(motion: Motion): Map<Expr, Expr> {
  return new Map([
    ...pairs(MOTION.angularVelocity, motion.angularVelocity),
    ...pairs(MOTION.angularAcceleration, motion.angularAcceleration),
    ...pairs(MOTION.acceleration, motion.acceleration),
  ]);
}
