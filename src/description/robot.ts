/**
 * The robot as the compiler sees it: every formula an expression, every unit scaled to SI, every name resolved.
 * Made by the loader from a robot file or from the same object in TypeScript; read by `kane/` and by `verify/`.
 *
 * Scopes of symbols: `body.NAME` parameters and coordinates of a body type, `material.NAME` material coordinates,
 * `joint.NAME` coordinates of a joint, `robot.NAME` run-time parameters of the robot. Parameters of the robot that are
 * not run-time are folded: their exact values stand in the expressions.
 */
import type { SourceLocation } from '../symbolic/error.ts';
import type { Expr, SymbolExpr } from '../symbolic/expr.ts';
import type { Frame, Symmetric3, Vector3 } from '../symbolic/vector.ts';

/** A quantity by name: parameter, coordinate or input. Values in SI units. */
export interface Quantity {
  readonly name: string;
  readonly symbol: SymbolExpr;
  /** SI unit as text (`m`, `kg/m^3`, `rad`, `1`). */
  readonly unit: string;
  readonly summary?: string;
  /** Default value, an exact constant. */
  readonly value: Expr;
  readonly lower?: number;
  readonly upper?: number;
}

/** Cross-section of a rod in its own axes x, y; dimensions may depend on the axial coordinate (taper). */
export type CrossSection =
  | { readonly shape: 'disc'; readonly radius: Expr }
  | { readonly shape: 'annulus'; readonly innerRadius: Expr; readonly outerRadius: Expr }
  /** Full side lengths along x and y. */
  | { readonly shape: 'rectangle'; readonly width: Expr; readonly height: Expr }
  /** Semi-axes along x and y. */
  | { readonly shape: 'ellipse'; readonly semiAxisX: Expr; readonly semiAxisY: Expr };

/** Reference volume [start, end] × section, dm = density dx dy ds. */
export interface RodVolume {
  readonly kind: 'rod';
  readonly axial: SymbolExpr;
  /** x and y of the section. */
  readonly section: readonly [SymbolExpr, SymbolExpr];
  readonly start: Expr;
  readonly end: Expr;
  readonly shape: CrossSection;
  readonly density: Expr;
}

/** A material point by its coordinates in the reference volume; missing ones are zero. */
export type MaterialPoint = ReadonlyMap<SymbolExpr, Expr>;

/** Three points of the rigid contact area (seed paper eqs. 4–7): the pivot and one point along each of two axes. */
export interface ContactFrame {
  readonly pivot: MaterialPoint;
  /** Two of x, y, z; the third axis completes the right-handed frame. */
  readonly axes: Readonly<Partial<Record<'x' | 'y' | 'z', MaterialPoint>>>;
}

export type DistalFrame =
  | { readonly kind: 'contact'; readonly contact: ContactFrame }
  | { readonly kind: 'pose'; readonly pose: Frame }
  | { readonly kind: 'none' };

export type BodyKinematics =
  /** p = position(material, q), seen from the proximal frame. */
  | { readonly kind: 'position'; readonly position: Vector3; readonly distal: DistalFrame }
  /** Frame field g(s, q) of a rod with rigid plane sections: p = g.translation + x g_1 + y g_2; distal frame g(end). */
  | { readonly kind: 'pose'; readonly pose: Frame }
  /**
   * Strain field ξ = (κ, ν) of a rod, rest shape included: g' = g ξ^, angular part first, z along the rod.
   * κ = (bend-x, bend-y, twist) in 1/m, ν = (shear-x, shear-y, stretch) with stretch 1 at rest.
   */
  | { readonly kind: 'strain'; readonly angular: Vector3; readonly linear: Vector3 };

/** A kind of deformable body. One generated module serves all links of one type. */
export interface BodyType {
  readonly name: string;
  readonly summary: string;
  readonly parameters: readonly Quantity[];
  readonly coordinates: readonly Quantity[];
  readonly volume: RodVolume;
  readonly kinematics: BodyKinematics;
  /** Where each formula stands, for diagnostics raised while compiling. */
  readonly locations: BodyLocations;
}

export interface BodyLocations {
  readonly whole: Location;
  readonly kinematics: Location;
  readonly distal: Location;
  readonly volume: Location;
}

/** A place in a robot file; objects from TypeScript have an empty `file`, line 0, and the `path` only. */
export type Location = SourceLocation;

export interface RigidBody {
  readonly kind: 'rigid';
  readonly mass: Expr;
  /** Centre of mass from the proximal origin, in proximal axes. */
  readonly centreOfMass: Vector3;
  /** Inertia matrix about the centre of mass, in proximal axes. */
  readonly inertia: Symmetric3;
  /** Proximal → distal. */
  readonly distal: Frame;
}

export interface DeformableBody {
  readonly kind: 'deformable';
  readonly type: BodyType;
  /** Value of each parameter of the type, in its order; free symbols are run-time parameters of the robot. */
  readonly parameters: readonly Expr[];
}

/** One elementary motion; a joint is a product of them, in order. Axes are constant unit vectors. */
export type ElementaryMotion =
  | { readonly kind: 'rotation'; readonly axis: Vector3; readonly angle: Expr }
  | { readonly kind: 'translation'; readonly displacement: Vector3 }
  /** Rotation by the vector |v| about v/|v| (exponential coordinates). */
  | { readonly kind: 'rotation-vector'; readonly vector: Vector3 };

export interface Joint {
  /** `fixed`, `revolute`, … */
  readonly type: string;
  readonly coordinates: readonly Quantity[];
  readonly motions: readonly ElementaryMotion[];
}

export interface Link {
  readonly name: string;
  /** Index of the parent link, −1 for the base; always smaller than the link's own index. */
  readonly parent: number;
  /** Distal frame of the parent → joint. */
  readonly offset: Frame;
  readonly joint: Joint;
  /** Joint → proximal frame of the body. */
  readonly mount: Frame;
  readonly body: RigidBody | DeformableBody;
  readonly location: Location;
}

/** A named output frame, rigidly attached to the distal frame of a link. */
export interface NamedFrame {
  readonly name: string;
  readonly link: number;
  readonly offset: Frame;
}

/** A coordinate of the whole robot, named after its link: `soft1.q`, `shoulder.angle`. */
export interface RobotCoordinate {
  readonly name: string;
  readonly link: number;
  readonly part: 'joint' | 'body';
  readonly unit: string;
  readonly summary: string;
  readonly value: number;
  readonly lower?: number;
  readonly upper?: number;
}

export interface Robot {
  readonly name: string;
  readonly summary: string;
  /** File name without directories, and the SHA-256 of the sources in hexadecimal: for headers of generated files. */
  readonly source: { readonly file: string; readonly hash: string };
  /** Gravitational acceleration in world axes, m/s². */
  readonly gravity: readonly [number, number, number];
  /** World → base frame of the first link. */
  readonly base: Frame;
  /** Run-time parameters only. */
  readonly parameters: readonly Quantity[];
  /** Parents before children. Masses attached to frames come last, as rigid links that no tip refers to. */
  readonly links: readonly Link[];
  /** In the order q is stacked: link by link, joint before body. */
  readonly coordinates: readonly RobotCoordinate[];
  /** The distal frame of every link (under the link's name), then the named frames; unique names. */
  readonly frames: readonly NamedFrame[];
  /** Index into `frames` of the tip. */
  readonly tip: number;
  /** Named configurations, values in the order of `coordinates`. */
  readonly states: Readonly<Record<string, readonly number[]>>;
  readonly warnings: readonly Warning[];
  /** What was decided while reading other people's files: angles made exact, values left out. */
  readonly notes: readonly Warning[];
}

export interface Warning {
  readonly location: Location;
  readonly message: string;
}
