/** Mass, centre and inertia of the shapes of MJCF, of uniform density, and of several bodies together; in numbers. */
import {
  minus,
  plus,
  product,
  scaled,
  transposed,
  turned,
  type Pose,
  type Rotation,
  type Vector,
} from './rotations.ts';

/** Of a body, in the axes of its frame. */
export interface MassProperties {
  /** kg. */
  readonly mass: number;
  /** From its origin, m. */
  readonly centre: Vector;
  /** About the centre, 3 × 3 by rows, kg m². */
  readonly inertia: Rotation;
}

export const NO_MASS: MassProperties = { mass: 0, centre: [0, 0, 0], inertia: [0, 0, 0, 0, 0, 0, 0, 0, 0] };

/** Shapes with a volume that their size says. */
export const SOLID_SHAPES = ['sphere', 'capsule', 'ellipsoid', 'cylinder', 'box'] as const;
export type SolidShape = (typeof SOLID_SHAPES)[number];

/** How many numbers of `size` a shape has; capsules and cylinders without `fromto` have their half-length as well. */
export const SIZES: Readonly<Record<SolidShape, number>> = { sphere: 1, capsule: 2, ellipsoid: 3, cylinder: 2, box: 3 };

/**
 * @param size as MJCF has it, m: radius; radius and half-length along z; semi-axes; half of the edges.
 * @returns the volume, m³, and the moments of inertia about x, y, z through the centre for a mass of 1 kg, kg m².
 */
export function solidShape(shape: SolidShape, size: Vector): { readonly volume: number; readonly moments: Vector } {
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
export function seenFrom({ mass, centre, inertia }: MassProperties, { translation, rotation }: Pose): MassProperties {
  return {
    mass,
    centre: plus(translation, turned(rotation, centre)),
    inertia: product(product(rotation, inertia), transposed(rotation)),
  };
}

/** Several bodies that are fixed to each other. */
export function together(parts: readonly MassProperties[]): MassProperties {
  const heavy = parts.filter((part) => part.mass !== 0 || part.inertia.some((x) => x !== 0));
  if (heavy.length < 2) return heavy[0] ?? NO_MASS;
  const mass = heavy.reduce((sum, part) => sum + part.mass, 0);
  const moment = heavy.reduce<Vector>((sum, part) => plus(sum, scaled(part.mass, part.centre)), [0, 0, 0]);
  const centre = mass === 0 ? [0, 0, 0] : scaled(1 / mass, moment);
  const inertia = heavy.reduce<readonly number[]>((sum, part) => {
    const d = minus(part.centre, centre);
    const square = d.reduce((total, x) => total + x * x, 0);
    const shift = [0, 1, 2].flatMap((i) => [0, 1, 2].map((j) => part.mass * ((i === j ? square : 0) - d[i]! * d[j]!)));
    return sum.map((x, i) => x + part.inertia[i]! + shift[i]!);
  }, NO_MASS.inertia);
  return { mass, centre, inertia };
}
