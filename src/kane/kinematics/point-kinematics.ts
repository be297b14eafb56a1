/**
 * The kinematics of a body that is integrated over points: position of a material point and distal frame, regular where
 * the formula as written is 0/0.
 */
import { KanegenError } from '../../common/error.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import { symbol, zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { Rational } from '../../symbolic/graph/rational.ts';
import { withoutPoles } from '../../symbolic/poles/removable-poles.ts';
import { dependsOn, postorder, substitute } from '../../symbolic/graph/traverse.ts';
import {
  addVectors,
  column,
  frameEntries,
  frameFromEntries,
  scaleVector,
  type Frame,
  type Vector3,
  vector3,
} from '../../symbolic/graph/vector.ts';
import { toMaterialForm } from '../../integration/exact/material-form.ts';
import { networkFormula } from '../../network/formula.ts';
import type { BodyType } from '../../description/model/robot.ts';
import type { RodVolume } from '../../description/model/reference-volume.ts';
import { evaluateForm } from './body-kinematics.ts';
import { atPoint, cartesianSection, distalStep, poseStep, requireRigid } from './distal-frame.ts';
import { NetworkField } from './network-field.ts';
import { FormulaField, type PointField } from './point-field.ts';
import { simplest, type CoordinateSymbols } from '../equations/rates.ts';
import type { FrameStep } from '../equations/recursion.ts';
import type { ParameterValues } from './sample-configurations.ts';
import { atUndefinedPart, irregular } from './smooth-kinematics.ts';

export interface PointKinematics {
  /** Over material coordinates, parameters and coordinates; of a learned map, written out neuron by neuron. */
  readonly position: Vector3;
  /** Proximal → distal. */
  readonly distal: FrameStep;
}

/**
 * @param parameters numbers at which the formulas make sense.
 * @throws KanegenError located in the robot file: `irregular-kinematics`, `singular-contact`, and `no-closed-form` for
 * kinematics that give no position.
 */
export function pointKinematics(type: BodyType, parameters: ParameterValues): PointKinematics {
  const { kinematics } = type;
  const position = regularPosition(type);
  switch (kinematics.kind) {
    case 'position':
      return { position, distal: regularDistalStep(type, kinematics.distal, position, parameters) };
    case 'pose':
      return { position, distal: poseDistalStep(type, kinematics.pose, parameters) };
    case 'network':
      if (kinematics.distal.kind === 'contact') throw learnedContact().at(type.locations.distal);
      return { position, distal: regularDistalStep(type, kinematics.distal, position, parameters) };
    case 'strain':
      throw noPosition(type);
  }
}

function noPosition(type: BodyType): KanegenError {
  return new KanegenError('no-closed-form', 'the position of a material point is not a formula').at(
    type.locations.kinematics,
  );
}

/**
 * The position of a material point over material coordinates, parameters and coordinates; of a learned map, written out.
 * @throws KanegenError `no-closed-form` for rods given by their strain.
 */
export function regularPosition(type: BodyType): Vector3 {
  const { kinematics } = type;
  switch (kinematics.kind) {
    case 'position':
      return regularVector(type, kinematics.position);
    case 'pose':
      return posePosition(type, kinematics.pose);
    case 'network': {
      const learned = vector3(networkFormula(kinematics.network, kinematics.inputs));
      return addVectors(regularVector(type, kinematics.offset), learned);
    }
    case 'strain':
      throw noPosition(type);
  }
}

/** What loops over points are made of. */
export function pointField(type: BodyType, { position }: PointKinematics, symbols: CoordinateSymbols): PointField {
  const { kinematics } = type;
  return kinematics.kind === 'network'
    ? new NetworkField(kinematics, regularVector(type, kinematics.offset), symbols)
    : new FormulaField(position, symbols);
}

function learnedContact(): KanegenError {
  return new KanegenError(
    'singular-contact',
    'the distal frame cannot be built: a learned map does not keep three points at exactly the same distances',
    {
      remedy: 'give the frame that the next link is attached to as a formula, `distal: { pose: … }`, or `distal: none`',
    },
  );
}

/** The distal frame of a body whose position at any material point is given by a formula. */
export function regularDistalStep(
  type: BodyType,
  distal: Parameters<typeof distalStep>[1],
  position: Vector3,
  parameters: ParameterValues,
): FrameStep {
  const step = distalStep(type, distal, {
    at: (point) => regularVector(type, atPoint(position, type.volumes, point)),
    regular: (pose) => regularFrame(type, pose),
    parameters,
  });
  requireFiniteFrame(type, step, parameters);
  return step;
}

function rodOfPose({ volumes: [volume] }: BodyType): RodVolume {
  if (volume?.kind !== 'rod') throw new Error('a frame field belongs to a rod');
  return volume;
}

function posePosition(type: BodyType, pose: Frame): Vector3 {
  const volume = rodOfPose(type);
  const [x, y] = cartesianSection(volume, volume.section);
  return regularVector(
    type,
    addVectors(pose.translation, scaleVector(x, column(pose.rotation, 0)), scaleVector(y, column(pose.rotation, 1))),
  );
}

function poseDistalStep(type: BodyType, pose: Frame, parameters: ParameterValues): FrameStep {
  const volume = rodOfPose(type);
  const end = new Map<Expr, Expr>([[volume.axial, volume.end]]);
  const atEnd = frameFromEntries(substitute(frameEntries(pose), end));
  const frame = simplestFrame(regularFrame(type, atEnd));
  requireRigid(type, [0, 1, 2].map((i) => column(frame.rotation, i)) as [Vector3, Vector3, Vector3], parameters);
  const distal = poseStep(type, frame);
  requireFiniteFrame(type, distal, parameters);
  return distal;
}

function simplestFrame(frame: Frame): Frame {
  return frameFromEntries(frameEntries(frame).map(simplest));
}

/** A pose formula with its removable poles taken out. */
export function regularFrame(type: BodyType, pose: Frame): Frame {
  const entries = frameEntries(pose);
  return frameFromEntries([0, 3, 6, 9].flatMap((i) => [...regularVector(type, vector3(entries.slice(i, i + 3)))]));
}

// ---------------------------------------------------------------------------------------------- regular formulas

const nowhere: readonly [SymbolExpr, SymbolExpr] = [symbol('unused.x'), symbol('unused.y')];

/**
 * The formula in the regular form of the Stumpff calculus along one material coordinate, all others taken as constants, or
 * with its removable poles taken out one scalar after the other; as it is where no power of the coordinates can vanish below
 * a fraction line or a root, or neither applies.
 */
export function regularVector(type: BodyType, v: Vector3): Vector3 {
  const configuration = new Set<Expr>(type.coordinates.map((c) => c.symbol));
  if (!mayBeSingular(v, configuration)) return v;
  const along = new Set(
    type.volumes.flatMap((volume) => (volume.kind === 'rod' ? [volume.axial] : [...volume.axes].reverse())),
  );
  for (const axial of along) {
    try {
      const form = toMaterialForm(v, { axial, section: nowhere }, configuration);
      return evaluateForm(form, { x: zero, y: zero, s: axial });
    } catch (error) {
      // Not a form of this calculus.
      if (!(error instanceof KanegenError)) throw error;
    }
  }
  return vector3(withoutPoles(v, configuration));
}

/** The strain of a rod, its curvature and stretch in regular form. */
export function regularStrain<Strain extends { readonly angular: Vector3; readonly linear: Vector3 }>(
  type: BodyType,
  strain: Strain,
): Strain {
  return { ...strain, angular: regularVector(type, strain.angular), linear: regularVector(type, strain.linear) };
}

function mayBeSingular(v: Vector3, configuration: ReadonlySet<Expr>): boolean {
  return postorder(v).some(
    (e) =>
      e.kind === 'product' &&
      e.factors.some(
        ({ base, exponent }) =>
          (Rational.isNegative(exponent) || !Rational.isInteger(exponent)) && dependsOn(base, configuration),
      ),
  );
}

function requireFiniteFrame(type: BodyType, step: FrameStep, parameters: ParameterValues): void {
  const bindings = new Map<Expr, number>(parameters);
  const defaults = evaluate(type.coordinates.map((c) => c.value));
  type.coordinates.forEach((c, i) => bindings.set(c.symbol, defaults[i]!));
  if (type.time) bindings.set(type.time, 0);
  const projectors = [...step.linear, ...step.angular].flat();
  const values = evaluate([...frameEntries(step.frame), ...projectors], bindings);
  if (values.every(Number.isFinite)) return;
  throw atUndefinedPart(irregular('the distal frame'), type, parameters, type.locations.distal);
}
