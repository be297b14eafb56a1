/** Mass, centre and inertia of shapes of uniform density, and of several bodies together; in numbers. */
import { NO_POSE, type Pose } from '../../common/poses.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import { decimal } from '../../symbolic/graph/expr.ts';
import { frameFromEntries, symmetric3, vector3 } from '../../symbolic/graph/vector.ts';
import { rigidTogether } from './rigid-together.ts';

/** Of a body, in the axes of its frame. */
export interface MassProperties {
  /** kg. */
  readonly mass: number;
  /** From its origin, m. */
  readonly centre: readonly number[];
  /** About the centre, xx, yy, zz, xy, xz, yz, kg m². */
  readonly inertia: readonly number[];
}

export const NO_MASS: MassProperties = { mass: 0, centre: [0, 0, 0], inertia: [0, 0, 0, 0, 0, 0] };

/** Shapes with a volume that their size says; sizes as MJCF has them. */
export const SOLID_SHAPES = ['sphere', 'capsule', 'ellipsoid', 'cylinder', 'box'] as const;
export type SolidShape = (typeof SOLID_SHAPES)[number];

/** How many numbers of `size` a shape has; capsules and cylinders without `fromto` have their half-length as well. */
export const SIZES: Readonly<Record<SolidShape, number>> = { sphere: 1, capsule: 2, ellipsoid: 3, cylinder: 2, box: 3 };

/**
 * @param size as MJCF has it, m: radius; radius and half-length along z; semi-axes; half of the edges.
 * @returns the volume, m³, and the moments of inertia about x, y, z through the centre for a mass of 1 kg, kg m².
 */
export function solidShape(
  shape: SolidShape,
  size: readonly number[],
): { readonly volume: number; readonly moments: readonly [number, number, number] } {
  const [a, b, c] = size as [number, number, number];
  switch (shape) {
    case 'sphere':
      return { volume: (4 / 3) * Math.PI * a ** 3, moments: [0.4 * a * a, 0.4 * a * a, 0.4 * a * a] };
    case 'ellipsoid':
      return {
        volume: (4 / 3) * Math.PI * a * b * c,
        moments: [(b * b + c * c) / 5, (a * a + c * c) / 5, (a * a + b * b) / 5],
      };
    case 'box':
      return { volume: 8 * a * b * c, moments: [(b * b + c * c) / 3, (a * a + c * c) / 3, (a * a + b * b) / 3] };
    case 'cylinder': {
      const across = (3 * a * a + 4 * b * b) / 12;
      return { volume: 2 * Math.PI * a * a * b, moments: [across, across, (a * a) / 2] };
    }
    case 'capsule': {
      const [barrel, ends] = [2 * Math.PI * a * a * b, (4 / 3) * Math.PI * a ** 3];
      const volume = barrel + ends;
      // Half a ball has its centre at 3/8 of its radius.
      const across = (barrel * (3 * a * a + 4 * b * b)) / 12 + ends * (0.4 * a * a + b * b + 0.75 * a * b);
      const along = (barrel * a * a) / 2 + ends * 0.4 * a * a;
      return { volume, moments: [across / volume, across / volume, along / volume] };
    }
  }
}

/** The same body from a frame in which its own has this pose. */
export const seenFrom = (body: MassProperties, pose: Pose): MassProperties => together([body], [pose]);

/**
 * Several bodies that are fixed to each other.
 * @param poses of their frames, where they have not the same one.
 */
export function together(parts: readonly MassProperties[], poses: readonly Pose[] = []): MassProperties {
  const decimals = (values: ArrayLike<number>): ReturnType<typeof decimal>[] => Array.from(values, decimal);
  const { mass, centreOfMass, inertia } = rigidTogether(
    parts.map((part, i) => ({
      frame: frameFromEntries(decimals(poses[i] ?? NO_POSE)),
      mass: decimal(part.mass),
      centreOfMass: vector3(decimals(part.centre)),
      inertia: symmetric3(decimals(part.inertia)),
    })),
  );
  return { mass: evaluate([mass])[0]!, centre: evaluate(centreOfMass), inertia: evaluate(inertia) };
}
