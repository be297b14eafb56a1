/**
 * Frames that the material carries within a body whose kinematics is a formula: of the section of a rod that ends there, of the
 * material itself, or built from points of an area that stays rigid, in the same ways as distal frames.
 */
import { KanegenError } from '../../common/error.ts';
import { zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { substitute } from '../../symbolic/graph/traverse.ts';
import {
  addVectors,
  cross,
  frameEntries,
  frameFromEntries,
  mapVector,
  multiplyVector,
  type Frame,
  type Vector3,
} from '../../symbolic/graph/vector.ts';
import { cartesianCoordinates } from '../../description/volumes/volume.ts';
import { materialFrame } from '../../description/model/material-frame.ts';
import { rodsOf, type BodyType } from '../../description/model/robot.ts';
import type { Volume } from '../../description/model/reference-volume.ts';
import type { FrameInBody, FrameRequest } from '../body/moving-point.ts';
import { simplest, type CoordinateSymbols } from '../equations/rates.ts';
import { coasting, relativeMotion, type FrameStep } from '../equations/recursion.ts';
import { bodyKinematics } from './body-kinematics.ts';
import { poseStep } from './distal-frame.ts';
import { sectionPoint } from './material-point.ts';
import { regularDistalStep, regularFrame } from './point-kinematics.ts';
import type { ParameterValues } from './sample-configurations.ts';

/**
 * @param position of material points, regular; of bodies by position.
 * @param parameters numbers at which the formulas make sense.
 * @throws KanegenError `not-supported`, `singular-contact`, `irregular-kinematics`.
 */
export function frameInBody(
  type: BodyType,
  position: Vector3 | undefined,
  symbols: CoordinateSymbols,
  parameters: ParameterValues,
  request: FrameRequest,
): FrameInBody {
  const step = stepTo(type, position, parameters, request);
  const { frame, linear, angular } = step;
  return { frame, linear, angular, relative: relativeMotion(step, coasting(symbols)), loops: [] };
}

function stepTo(
  type: BodyType,
  position: Vector3 | undefined,
  parameters: ParameterValues,
  { at, axes }: FrameRequest,
): FrameStep {
  const { kinematics } = type;
  switch (kinematics.kind) {
    case 'strain':
    case 'pose': {
      if (axes) throw sectionsAreRigid();
      const volumes = rodsOf(type);
      const [{ axial }] = volumes;
      const s = at.get(axial) ?? zero;
      const section =
        kinematics.kind === 'strain'
          ? bodyKinematics({ ...type, volumes: volumes.map((own) => ({ ...own, end: s })) }).distal
          : poseStep(type, simplestOf(regularFrame(type, poseAt(kinematics.pose, axial, s))));
      return beside(section, sectionPoint(volumes, at));
    }
    case 'position': {
      if (axes)
        return regularDistalStep(type, { kind: 'contact', contact: { pivot: at, axes } }, position!, parameters);
      const [volume] = type.volumes as readonly [Volume];
      return poseStep(type, regularFrame(type, materialFrame(position!, cartesianCoordinates(volume), volume, at)));
    }
    case 'network':
      throw new KanegenError('not-supported', 'the axes of the material within a learned map are not known', {
        remedy: 'take a frame at the end of the body, or a force in world axes at a material point',
      });
  }
}

function sectionsAreRigid(): KanegenError {
  return new KanegenError('not-supported', 'sections of this rod are rigid, and have frames already', {
    remedy: 'write `at` for the frame of a section: `at: { s: L/2 }`',
  });
}

const poseAt = (pose: Frame, axial: SymbolExpr, s: Expr): Frame =>
  frameFromEntries(substitute(frameEntries(pose), new Map<Expr, Expr>([[axial, s]])));

const simplestOf = (frame: Frame): Frame => frameFromEntries(frameEntries(frame).map(simplest));

/** The same axes about another point of the section. */
function beside(step: FrameStep, across: Vector3): FrameStep {
  const arm = mapVector(multiplyVector(step.frame.rotation, across), simplest);
  const moved = (linear: Vector3, angular: Vector3): Vector3 => addVectors(linear, cross(angular, arm));
  const { frame, explicit } = step;
  return {
    ...step,
    frame: { ...frame, translation: addVectors(frame.translation, arm) },
    linear: step.linear.map((v, a) => moved(v, step.angular[a]!)),
    ...(explicit && { explicit: { ...explicit, linear: moved(explicit.linear, explicit.angular) } }),
  };
}
