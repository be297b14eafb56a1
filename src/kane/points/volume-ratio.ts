/**
 * det ∂p/∂X: how a body changes the volume of its material, by its own material coordinates. Rods given by their strain
 * need no pose.
 */
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { times, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import {
  addVectors,
  column,
  cross,
  dot,
  mapVector,
  scaleVector,
  type Vector3,
  vector3,
} from '../../symbolic/graph/vector.ts';
import type { BodyType, DeformingSections } from '../../description/model/robot.ts';
import type { RodVolume } from '../../description/model/reference-volume.ts';
import { areaRatio, ratioOfSections } from '../../description/model/section-frame.ts';
import { cartesianCoordinates } from '../../description/volumes/volume.ts';
import { cartesianSection } from '../kinematics/distal-frame.ts';
import { regularPosition, regularStrain } from '../kinematics/point-kinematics.ts';

/** Over material coordinates, parameters and coordinates; per unit of the coordinates of the volume. */
export interface VolumeRatio {
  /** As the formulas of the file have it; may be 0/0 somewhere. */
  readonly written: Expr;
  readonly regular: () => Expr;
}

export function volumeRatio(type: BodyType): VolumeRatio {
  const { kinematics } = type;
  switch (kinematics.kind) {
    case 'position': {
      const { sections, position } = kinematics;
      if (sections) return ofSections(type, sections);
      const axes = materialAxes(type);
      return { written: determinant(position, axes), regular: () => determinant(regularPosition(type), axes) };
    }
    case 'pose': {
      const { rotation, translation } = kinematics.pose;
      const rod = rodOf(type);
      const [x, y] = cartesianSection(rod, rod.section);
      const [d1, d2, normal] = [0, 1, 2].map((i) => column(rotation, i)) as [Vector3, Vector3, Vector3];
      const along = mapVector(
        addVectors(translation, scaleVector(x, d1), scaleVector(y, d2)),
        (e) => differentiateAll([e], rod.axial)[0]!,
      );
      // Sections stay plane and rigid, and coordinates of the section do not depend on the place along the rod.
      const axes = materialAxes(type);
      return {
        written: times(areaRatio([x, y], rod.section), dot(normal, along)),
        regular: () => determinant(regularPosition(type), axes),
      };
    }
    case 'network': {
      const axes = materialAxes(type);
      const ratio = determinant(regularPosition(type), axes);
      return { written: ratio, regular: () => ratio };
    }
    case 'strain': {
      const rod = rodOf(type);
      const position = kinematics.sectionPosition ?? cartesianSection(rod, rod.section);
      return ofSections(type, { angular: kinematics.angular, linear: kinematics.linear, position });
    }
  }
}

function ofSections(type: BodyType, sections: DeformingSections): VolumeRatio {
  const { section } = rodOf(type);
  return {
    written: ratioOfSections(sections, section),
    regular: () => ratioOfSections(regularStrain(type, sections), section),
  };
}

/** Material coordinates in right-handed order. */
function materialAxes({ volumes: [volume] }: BodyType): readonly [SymbolExpr, SymbolExpr, SymbolExpr] {
  if (volume!.kind === 'rod') return [...volume!.section, volume!.axial];
  return cartesianCoordinates(volume!) as readonly [SymbolExpr, SymbolExpr, SymbolExpr];
}

function rodOf({ volumes: [volume] }: BodyType): RodVolume {
  if (volume?.kind !== 'rod') throw new Error('sections belong to a rod');
  return volume;
}

function determinant(position: Vector3, axes: readonly [SymbolExpr, SymbolExpr, SymbolExpr]): Expr {
  const [a, b, c] = axes.map((axis) => vector3(differentiateAll(position, axis)));
  return dot(cross(a!, b!), c!);
}
