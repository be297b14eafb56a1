/**
 * A material point of a rod given by its strain, with the axes of its section: a rod that ends at the section of the point, with
 * as many points as the body has along its whole length, so that the frame there is at least as exact as the distal one. The
 * point is fixed in a section that stays rigid, and moves in one that deforms.
 */
import { KanegenError } from '../../common/error.ts';
import { compare, integer, select, zero } from '../../symbolic/graph/expr.ts';
import {
  addVectors,
  cross,
  frameEntries,
  frameFromEntries,
  identityMatrix,
  multiplyMatrices,
  multiplyVector,
  scaleVector,
  zeroVector,
  type Frame,
  type Vector3,
} from '../../symbolic/graph/vector.ts';
import { materialFrame } from '../../description/model/material-frame.ts';
import type { BodyType, StrainKinematics } from '../../description/model/robot.ts';
import { cartesianCoordinates } from '../../description/volumes/volume.ts';
import { xyz } from '../equations/names.ts';
import {
  coasting,
  fixedStep,
  relativeMotion,
  spinMatrix,
  type CoordinateSymbols,
  type FrameStep,
  type RelativeMotion,
} from '../equations/recursion.ts';
import { atPoint, poseStep } from '../kinematics/distal-frame.ts';
import { earliestStage, sectionPoint } from '../kinematics/material-point.ts';
import { regularFrame } from '../kinematics/point-kinematics.ts';
import {
  originOf,
  type FrameInBody,
  type FrameRequest,
  type MovingPoint,
  type PointRequest,
} from '../body/moving-point.ts';
import { relabelled } from '../loops/relabel.ts';
import { RodFrames, vectorOf } from './rod-frames.ts';
import { RodMotion } from './rod-motion.ts';
import { panelEnds, rodPlaces } from '../rod-points/rod-points.ts';
import type { MagnusOrder } from '../rod-points/rod-rotation.ts';
import { regularSection } from '../rod-points/section-modes.ts';
import { rodVolumes } from './rod-section.ts';

/** A rod as its inertial terms have it: with a strain that is finite at the defaults, and points on every panel between breaks. */
export interface RodWithin {
  readonly type: BodyType & { readonly kinematics: StrainKinematics };
  readonly symbols: CoordinateSymbols;
  readonly points: number;
  readonly order: MagnusOrder;
}

/** A material point. */
export function rodPoint(rod: RodWithin, request: PointRequest): MovingPoint {
  const { type } = rod;
  const across = placeIn(type, request);
  return originOf(within(rod, request, placeStep(type, { rotation: identityMatrix, translation: across })));
}

/**
 * The frame of the section that stays rigid, or that the material of one that deforms carries there.
 * @throws KanegenError `not-supported`, `irregular-kinematics`.
 */
export function rodFrame(rod: RodWithin, request: FrameRequest): FrameInBody {
  const { type } = rod;
  const { sectionPosition } = type.kinematics;
  if (!sectionPosition) {
    const across = sectionPoint(rodVolumes(type), request.at);
    return within(rod, request, fixedStep({ rotation: identityMatrix, translation: across }));
  }
  if (request.axes)
    throw new KanegenError('not-supported', `no area of the sections of \`${type.name}\` stays rigid: they deform`, {
      remedy: 'write `at` for the frame that the material carries at a point',
    });
  const [volume] = rodVolumes(type);
  const position: Vector3 = [...sectionPosition, zero];
  const frame = materialFrame(position, cartesianCoordinates(volume), volume, request.at);
  return within(rod, request, placeStep(type, regularFrame(type, frame)));
}

/** Of a point in the axes of its section. */
function placeIn(type: RodWithin['type'], { at }: PointRequest): Vector3 {
  const volumes = rodVolumes(type);
  if (!type.kinematics.sectionPosition) return sectionPoint(volumes, at);
  const [x, y] = regularSection(type, type.kinematics);
  return atPoint([x, y, zero], volumes, at);
}

function placeStep(type: RodWithin['type'], frame: Frame): FrameStep {
  return type.kinematics.sectionPosition ? poseStep(type, frame) : fixedStep(frame);
}

/** @param inSection from the section to the frame. */
function within({ type, symbols, points, order }: RodWithin, request: PointRequest, inSection: FrameStep): FrameInBody {
  const volumes = rodVolumes(type);
  const s = request.at.get(volumes[0].axial) ?? zero;
  const [start, ...beyond] = panelEnds(type, volumes[0]);
  // Panels beyond the point have no length.
  const before = beyond.slice(0, -1).map((end) => select(compare('<', end, s), end, s));
  const places = rodPlaces(type, [start!, ...before, s], points, order);
  const frames = new RodFrames(type, type.kinematics, symbols, places, order);
  const made = movingEnd(frames, inSection, relativeMotion(inSection, coasting(symbols)));
  const { frame, linear, angular, relative } = made;
  const { angularVelocity, velocity, angularAcceleration, acceleration } = relative;
  const vectors = [angularVelocity, velocity, angularAcceleration, acceleration, ...linear, ...angular];
  const entries = [...frameEntries(frame), ...vectors.flat()];
  const own = relabelled({ loops: frames.loops.loops(), values: entries }, request.name, earliestStage(type, request));
  const named = vectors.map((_, i) => vectorOf(own.values, 12 + 3 * i));
  return {
    frame: frameFromEntries(own.values.slice(0, 12)),
    relative: {
      angularVelocity: named[0]!,
      velocity: named[1]!,
      angularAcceleration: named[2]!,
      acceleration: named[3]!,
    },
    linear: named.slice(4, 4 + linear.length),
    angular: named.slice(4 + linear.length),
    loops: own.loops,
  };
}

function movingEnd(frames: RodFrames, inSection: FrameStep, own: RelativeMotion): Omit<FrameInBody, 'loops'> {
  const { frame, linear, angular } = frames.wholeStep;
  const turned = (v: Vector3): Vector3 => multiplyVector(frame.rotation, v);
  const arm = turned(inSection.frame.translation);
  const [spin, velocity, spun, accelerated] = [
    own.angularVelocity,
    own.velocity,
    own.angularAcceleration,
    own.acceleration,
  ].map(turned) as [Vector3, Vector3, Vector3, Vector3];
  const motion = new RodMotion(frames);
  const { end } = motion.bias(zeroVector);
  // v' = ω × R ν + R ν̇
  const { whole } = frames.loops.integrate({
    name: 'velocity',
    stage: 2,
    direction: 'from start',
    labels: xyz('v'),
    values: addVectors(cross(motion.angularVelocity(zeroVector).row, frames.row.tangent), motion.stretching()),
  });
  const { angularVelocity: w } = end;
  const by = (projectors: readonly Vector3[], a: number): Vector3 => turned(projectors[a] ?? zeroVector);
  return {
    frame: {
      rotation: multiplyMatrices(frame.rotation, inSection.frame.rotation),
      translation: addVectors(frame.translation, arm),
    },
    linear: linear.map((v, a) => addVectors(v, cross(angular[a]!, arm), by(inSection.linear, a))),
    angular: angular.map((e, a) => addVectors(e, by(inSection.angular, a))),
    relative: {
      angularVelocity: addVectors(w, spin),
      velocity: addVectors(vectorOf(whole), cross(w, arm), velocity),
      angularAcceleration: addVectors(end.angularAcceleration, spun, cross(w, spin)),
      acceleration: addVectors(
        end.acceleration,
        multiplyVector(spinMatrix(end), arm),
        scaleVector(integer(2), cross(w, velocity)),
        accelerated,
      ),
    },
  };
}
