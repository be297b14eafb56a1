/** Rigid bodies that are fixed to each other, as one. */
import { divide, isZero, plus, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import {
  addSymmetric,
  addVectors,
  mapSymmetric,
  mapVector,
  pointInertia,
  rotateSymmetric,
  scaleVector,
  subtractVectors,
  transformPoint,
  zeroVector,
  type Frame,
  type Symmetric3,
  type Vector3,
} from '../../symbolic/graph/vector.ts';

interface Mass {
  readonly mass: Expr;
  /** From the origin of the frame, in its axes. */
  readonly centreOfMass: Vector3;
  /** About the centre of mass, in the axes of the frame. */
  readonly inertia: Symmetric3;
}

/** Masses add, and inertias about the common centre of mass. @param parts each in a frame of its own. */
export function rigidTogether(parts: readonly (Mass & { readonly frame: Frame })[]): Mass {
  const placed = parts.map(({ frame, mass, centreOfMass, inertia }) => ({
    mass,
    centreOfMass: transformPoint(frame, centreOfMass),
    inertia: rotateSymmetric(frame.rotation, inertia),
  }));
  const [only, another] = placed;
  if (only && !another) return only;
  const mass = plus(...placed.map((part) => part.mass));
  const noInertia: Symmetric3 = [zero, zero, zero, zero, zero, zero];
  const first = addVectors(zeroVector, ...placed.map((part) => scaleVector(part.mass, part.centreOfMass)));
  const centreOfMass = isZero(mass) ? zeroVector : mapVector(first, (e) => divide(e, mass));
  const shifted = placed.map((part) => {
    const offset = subtractVectors(part.centreOfMass, centreOfMass);
    return addSymmetric(
      part.inertia,
      mapSymmetric(pointInertia(offset), (e) => times(part.mass, e)),
    );
  });
  return { mass, centreOfMass, inertia: addSymmetric(noInertia, ...shifted) };
}
