/**
 * Bodies in their reference shape: volumes with their cross-sections and densities, material points, and frames that the material
 * carries at points.
 */
import type { SourceLocation } from '../../common/error.ts';
import type { MeshFields } from '../../mesh/element-fields.ts';
import type { TetrahedralMesh } from '../../mesh/mesh.ts';
import { cos, one, sin, symbol, times, zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';

/** Cross-section of a rod in its own axes x, y; dimensions may depend on the axial coordinate (taper). */
export type CrossSection =
  | { readonly shape: 'disc'; readonly radius: Expr }
  | { readonly shape: 'annulus'; readonly innerRadius: Expr; readonly outerRadius: Expr }
  /** Full side lengths along x and y. */
  | { readonly shape: 'rectangle'; readonly width: Expr; readonly height: Expr }
  /** Semi-axes along x and y. */
  | { readonly shape: 'ellipse'; readonly semiAxisX: Expr; readonly semiAxisY: Expr };

/** What the size of a section is told by. */
export function sectionDimensions(shape: CrossSection): Expr[] {
  switch (shape.shape) {
    case 'disc':
      return [shape.radius];
    case 'annulus':
      return [shape.innerRadius, shape.outerRadius];
    case 'ellipse':
      return [shape.semiAxisX, shape.semiAxisY];
    case 'rectangle':
      return [shape.width, shape.height];
  }
}

/** Places where the integrand is not smooth, per material coordinate: no rule reaches across them. */
export type Breaks = ReadonlyMap<SymbolExpr, readonly Expr[]>;

/**
 * Reference volume [start, end] × section; dm = density dx dy ds, in polar coordinates density r dr dphi ds with
 * x = r cos phi, y = r sin phi (for ellipses r runs to 1 and x, y are scaled by the semi-axes).
 */
export interface RodVolume {
  readonly kind: 'rod';
  readonly axial: SymbolExpr;
  /** x and y of the section, or r and phi. */
  readonly section: readonly [SymbolExpr, SymbolExpr];
  readonly coordinates: 'cartesian' | 'polar';
  readonly start: Expr;
  readonly end: Expr;
  readonly shape: CrossSection;
  readonly density: Expr;
  readonly breaks: Breaks;
}

/** Polar coordinates of a round section: those of the body, or others that place its Cartesian ones. */
export interface PolarSection {
  readonly axes: readonly [r: SymbolExpr, phi: SymbolExpr];
  /** x = a r cos phi, y = b r sin phi by the coordinates of the body; empty where they are polar themselves. */
  readonly places: ReadonlyMap<SymbolExpr, Expr>;
  /** dx dy per dr dphi. */
  readonly area: Expr;
}

const RADIUS = symbol('polar.r');
const ANGLE = symbol('polar.phi');

/** Of ellipses r runs to 1. */
export function polarSection({ section, shape, coordinates }: RodVolume): PolarSection {
  const [a, b] = shape.shape === 'ellipse' ? [shape.semiAxisX, shape.semiAxisY] : [one, one];
  const isPolar = coordinates === 'polar';
  const [r, phi] = isPolar ? section : [RADIUS, ANGLE];
  const cartesian: [SymbolExpr, Expr][] = [
    [section[0], times(a, r, cos(phi))],
    [section[1], times(b, r, sin(phi))],
  ];
  return { axes: [r, phi], places: new Map(isPolar ? [] : cartesian), area: times(a, b, r) };
}

/** Of r, in m; of ellipses a share of the semi-axes. */
export function radialRange(shape: Exclude<CrossSection, { readonly shape: 'rectangle' }>): readonly [Expr, Expr] {
  switch (shape.shape) {
    case 'disc':
      return [zero, shape.radius];
    case 'annulus':
      return [shape.innerRadius, shape.outerRadius];
    case 'ellipse':
      return [zero, one];
  }
}

/** Axis-parallel box in three Cartesian material coordinates. */
export interface BoxVolume {
  readonly kind: 'box';
  readonly axes: readonly [SymbolExpr, SymbolExpr, SymbolExpr];
  readonly ranges: readonly [readonly [Expr, Expr], readonly [Expr, Expr], readonly [Expr, Expr]];
  readonly density: Expr;
  readonly breaks: Breaks;
}

/** Tetrahedra in three Cartesian material coordinates. */
export interface MeshVolume {
  readonly kind: 'mesh';
  readonly axes: readonly [SymbolExpr, SymbolExpr, SymbolExpr];
  readonly mesh: TetrahedralMesh;
  readonly density: Expr;
  /** Modes that the kinematics of the body is made of. */
  readonly fields?: MeshFields;
}

export type Volume = RodVolume | BoxVolume | MeshVolume;

/** Symbols of modes over a mesh, which have numbers of their own in every tetrahedron. */
export function fieldSymbols(volume: Volume): readonly SymbolExpr[] {
  return volume.kind === 'mesh' ? (volume.fields?.symbols ?? []) : [];
}

/** A material point by its coordinates in the reference volume; missing ones are zero. In a mesh with modes with the numbers of its tetrahedron. */
export type MaterialPoint = ReadonlyMap<SymbolExpr, Expr>;

/** Cartesian coordinates of the undeformed body, by axis of the proximal frame. */
export type MaterialAxes = Readonly<Record<'x' | 'y' | 'z', SymbolExpr>>;

/** Three points of the rigid contact area (seed paper eqs. 4–7): the pivot and one point along each of two axes. */
export interface ContactFrame {
  readonly pivot: MaterialPoint;
  /** Two of x, y, z; the third axis completes the right-handed frame. */
  readonly axes: Readonly<Partial<Record<'x' | 'y' | 'z', MaterialPoint>>>;
}

/**
 * A frame that the material of a deformable body carries at one of its points. Without `axes` that of the section of a rod with
 * rigid sections, elsewhere x along the image of the x direction and z normal to the image of the x-y plane; with them built
 * from points of an area that stays rigid.
 */
export interface CarriedFrame {
  /** Over parameters of the body type and of the robot. */
  readonly at: MaterialPoint;
  readonly axes?: ContactFrame['axes'];
  readonly location: SourceLocation;
}

/** How the integrals over a body are to be had, and how where its type does not say. */
export interface IntegrationChoice {
  readonly method: 'auto' | 'closed-form' | 'quadrature';
  /** Relative error that the inertial terms may have. */
  readonly tolerance: number;
  /** Replace the points of a rule by fewer that match the same moments. */
  readonly compress: boolean;
  /** Rods given by strain: order of the Magnus steps of the rotations; what costs least when missing. */
  readonly magnus?: 4 | 6 | 8;
  /** Rods given by strain: points along the rod; chosen for the tolerance when missing. */
  readonly points?: number;
  /** Rods given by strain: recursion in the material domain, or one with the Jacobian of every point. */
  readonly recursion: 'newton-euler' | 'jacobian';
}

/** Far below what is known of any soft robot; every further digit costs points. */
const DEFAULT_TOLERANCE = 1e-8;

export const DEFAULT_INTEGRATION: IntegrationChoice = {
  method: 'auto',
  tolerance: DEFAULT_TOLERANCE,
  compress: true,
  recursion: 'newton-euler',
};

/** Meshes stand for their shape to no more digits than this; thousands of points become a few dozen. */
const MESH_TOLERANCE = 1e-6;

/** Where a body type does not say otherwise. */
export function defaultIntegration(volumes: readonly { readonly kind: string }[]): IntegrationChoice {
  const isMeshed = volumes.some((volume) => volume.kind === 'mesh');
  return isMeshed ? { ...DEFAULT_INTEGRATION, tolerance: MESH_TOLERANCE } : DEFAULT_INTEGRATION;
}
