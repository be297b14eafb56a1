/**
 * A material point of a rod given by its strain, with the axes of its section: a rod that ends at the section of the point, with
 * as many points as the body has along its whole length, so that the frame there is at least as exact as the distal one. The
 * point is fixed in a section that stays rigid, and moves in one that deforms.
 */
import { compare, integer, select, zero } from '../../symbolic/graph/expr.ts';
import {
  addVectors,
  cross,
  frameEntries,
  frameFromEntries,
  multiplyVector,
  scaleVector,
  zeroVector,
  type Vector3,
} from '../../symbolic/graph/vector.ts';
import type { RodVolume } from '../../description/model/reference-volume.ts';
import type { BodyType, StrainKinematics } from '../../description/model/robot.ts';
import { xyz } from '../equations/names.ts';
import { spinMatrix, type CoordinateSymbols } from '../equations/recursion.ts';
import { atPoint } from '../kinematics/distal-frame.ts';
import { earliestStage, formulaPoint, sectionPoint } from '../kinematics/material-point.ts';
import type { FrameInBody, PointRequest } from '../body/moving-point.ts';
import { relabelled } from '../loops/relabel.ts';
import { RodFrames, vectorOf } from './rod-frames.ts';
import { RodMotion } from './rod-motion.ts';
import { panelEnds, rodPlaces } from '../rod-points/rod-points.ts';
import type { MagnusOrder } from '../rod-points/rod-rotation.ts';
import { regularSection } from '../rod-points/section-modes.ts';
import { rodVolumes } from './rod-section.ts';

/**
 * @param strain finite at the defaults.
 * @param points of the body, on every panel of the rod between breaks.
 */
export function rodPoint(
  type: BodyType & { readonly kinematics: StrainKinematics },
  symbols: CoordinateSymbols,
  points: number,
  order: MagnusOrder,
  request: PointRequest,
): FrameInBody {
  const volumes = rodVolumes(type);
  const s = request.at.get(volumes[0].axial) ?? zero;
  const [start, ...beyond] = panelEnds(type, volumes[0]);
  // Panels beyond the point have no length.
  const before = beyond.slice(0, -1).map((end) => select(compare('<', end, s), end, s));
  const frames = new RodFrames(
    type,
    type.kinematics,
    symbols,
    rodPlaces(type, [start!, ...before, s], points, order),
    order,
  );
  const made = movingEnd(frames, placeOf(type, volumes, symbols, request));
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

/** A point in the axes of the section, which moves where the section deforms. */
interface PlaceInSection {
  readonly across: Vector3;
  /** ∂/∂q_a; none of a rigid section. */
  readonly partials: readonly Vector3[];
  readonly rate: Vector3;
  /** Second rate where the coordinates do not accelerate. */
  readonly bias: Vector3;
}

function placeOf(
  type: BodyType & { readonly kinematics: StrainKinematics },
  volumes: readonly RodVolume[],
  symbols: CoordinateSymbols,
  { at }: PointRequest,
): PlaceInSection {
  if (!type.kinematics.sectionPosition)
    return { across: sectionPoint(volumes, at), partials: [], rate: zeroVector, bias: zeroVector };
  const [x, y] = regularSection(type, type.kinematics);
  const point = formulaPoint(atPoint([x, y, zero], volumes, at), symbols);
  return { across: point.position, partials: point.partials, rate: point.velocity, bias: point.bias };
}

function movingEnd(frames: RodFrames, place: PlaceInSection): Omit<FrameInBody, 'loops'> {
  const { frame, linear, angular } = frames.wholeStep;
  const turned = (v: Vector3): Vector3 => multiplyVector(frame.rotation, v);
  const [arm, armRate, armBias] = [turned(place.across), turned(place.rate), turned(place.bias)];
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
  return {
    frame: { rotation: frame.rotation, translation: addVectors(frame.translation, arm) },
    linear: linear.map((v, a) => addVectors(v, cross(angular[a]!, arm), turned(place.partials[a] ?? zeroVector))),
    angular,
    relative: {
      angularVelocity: w,
      velocity: addVectors(vectorOf(whole), cross(w, arm), armRate),
      angularAcceleration: end.angularAcceleration,
      acceleration: addVectors(
        end.acceleration,
        multiplyVector(spinMatrix(end), arm),
        scaleVector(integer(2), cross(w, armRate)),
        armBias,
      ),
    },
  };
}
