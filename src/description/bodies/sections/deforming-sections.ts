/**
 * Rods whose sections deform while their strain is the same all along them: the backbone has a closed form, so that the
 * body is a map of material points like any other.
 */
import { minus, power, square, stumpff, times, zero, type Expr } from '../../../symbolic/graph/expr.ts';
import {
  addMatrices,
  addVectors,
  cross,
  dot,
  identityMatrix,
  mapMatrix,
  multiplyMatrices,
  multiplyVector,
  scaleVector,
  skew,
  type Frame,
  type Vector3,
} from '../../../symbolic/graph/vector.ts';
import type { BodyKinematics, StrainKinematics } from '../../model/robot.ts';
import type { RodVolume } from '../../model/reference-volume.ts';

/**
 * @param strain - does not depend on the axial coordinate.
 * @param section - where a point of a section goes, in the section's own axes.
 */
export function deformingSections(
  rod: Pick<RodVolume, 'axial' | 'start' | 'end'>,
  { angular, linear }: Pick<StrainKinematics, 'angular' | 'linear'>,
  section: readonly [Expr, Expr],
): BodyKinematics {
  const frame = backbone(angular, linear, minus(rod.axial, rod.start));
  const across: Vector3 = [section[0], section[1], zero];
  return {
    kind: 'position',
    position: addVectors(frame.translation, multiplyVector(frame.rotation, across)),
    distal: { kind: 'pose', pose: backbone(angular, linear, minus(rod.end, rod.start)) },
    sections: { angular, linear, position: section },
  };
}

/**
 * g(s) of a constant strain (κ, ν): R = 1 + U_1 κ^ + U_2 κ^², r = s ν + U_2 κ × ν + U_3 κ × (κ × ν) with
 * U_k = s^k c_k(|κ|² s²); docs/mathematics.md, "Constant strain".
 */
function backbone(angular: Vector3, linear: Vector3, s: Expr): Frame {
  const argument = times(dot(angular, angular), square(s));
  const u = (order: number): Expr => times(power(s, order), stumpff(order, argument));
  const turn = skew(angular);
  const bent = cross(angular, linear);
  return {
    rotation: addMatrices(
      identityMatrix,
      mapMatrix(turn, (e) => times(u(1), e)),
      mapMatrix(multiplyMatrices(turn, turn), (e) => times(u(2), e)),
    ),
    translation: addVectors(scaleVector(s, linear), scaleVector(u(2), bent), scaleVector(u(3), cross(angular, bent))),
  };
}
