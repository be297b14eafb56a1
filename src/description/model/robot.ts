/**
 * The robot as the compiler sees it: every formula an expression, every unit scaled to SI, every name resolved.
 * Made by the loader from a robot file or from the same object in TypeScript; read by `kane/` and by `verify/`.
 *
 * Scopes of symbols: `body.NAME` parameters and coordinates of a body type, `material.NAME` material coordinates,
 * `joint.NAME` coordinates of a joint, `robot.NAME` run-time parameters of the robot. Parameters of the robot that are
 * not run-time are folded: their exact values stand in the expressions.
 */
import type { Remark, Warning, WarningName } from './warnings.ts';
import { KanegenError, type SourceLocation } from '../../common/error.ts';
import { one, symbol, zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { dependsOn, substitute } from '../../symbolic/graph/traverse.ts';
import { frameEntries, vector3, type Frame, type Symmetric3, type Vector3 } from '../../symbolic/graph/vector.ts';
import type { Chamber } from './chamber.ts';
import type { IntegrationChoice } from './reference-volume.ts';
import type { RodMaterial, SolidMaterial } from './material.ts';
import type { Network } from '../../network/network.ts';
import type { Actuator } from './actuator.ts';
import type { Controller, Observer } from './controller.ts';
import type { FrameForce } from './frame-terms.ts';
import type { Loop } from './loop.ts';
import type { Provenance } from './provenance.ts';
import type { ReadFile } from '../source/files.ts';
import type { CarriedFrame, ContactFrame, RodVolume, Volume } from './reference-volume.ts';
import type { Contact, MutualContact } from './contact.ts';
import type { RigidWater, RodField, Water } from './surroundings.ts';

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

/** A coordinate of a body type; its limits may depend on the parameters of the type. */
export interface BodyCoordinate extends Omit<Quantity, 'lower' | 'upper'> {
  readonly limits?: readonly [lower: Expr, upper: Expr];
  /** Where they stand. */
  readonly limitsAt?: Location;
}

/** Stands for the rate of a coordinate in formulas. */
export function rateOf(coordinate: SymbolExpr): SymbolExpr {
  return symbol(`rate.${coordinate.name}`);
}

/** The input of robots with bodies that depend on the time explicitly; no parameter can be called so. */
export const TIME = { name: 'time', unit: 's', summary: 'time that formulas of bodies call t' } as const;

/**
 * The volumes of a body as closed forms need them: rods over the same length, one inside the other, with Cartesian section
 * coordinates, or with any where nothing is said of single points of a section.
 */
export function alignedRods({
  volumes,
  kinematics,
}: Pick<BodyType, 'volumes' | 'kinematics'>): readonly [RodVolume, ...RodVolume[]] | undefined {
  const rods = volumes.filter((own) => own.kind === 'rod');
  const [first, ...others] = rods;
  if (!first || rods.length < volumes.length) return undefined;
  const staysPlane = kinematics.kind === 'strain' && !kinematics.sectionPosition;
  const fits = (own: RodVolume): boolean =>
    [own.axial, ...own.section].every((e, i) => e === [first.axial, ...first.section][i]) &&
    own.start === first.start &&
    own.end === first.end &&
    (own.coordinates === 'cartesian' || (staysPlane && !dependsOn(own.density, new Set<Expr>(own.section))));
  return rods.every(fits) ? [first, ...others] : undefined;
}

/** The same where there must be such, by their common coordinates. @throws KanegenError `no-closed-form` at the volume. */
export function rodsOf(type: BodyType): readonly [RodVolume, ...RodVolume[]] {
  const rods = alignedRods(type);
  if (rods) return rods;
  throw new KanegenError('no-closed-form', 'closed forms need rods of one length with Cartesian section coordinates', {
    remedy: 'remove `integration: closed-form`',
  }).at(type.locations.volume);
}

/** The first of them. @throws KanegenError `no-closed-form` at the volume. */
export function rodOf(type: BodyType): RodVolume {
  return rodsOf(type)[0];
}

/** What must be positive at every material point for a kinematics to be defined, and what to say where it is not. */
export interface DomainCondition {
  readonly positive: Expr;
  readonly message: string;
  readonly remedy: string;
  readonly location: Location;
}

/** A step of `compose:`. */
export interface ComposedStep {
  /** `compose[1].elongation`. */
  readonly name: string;
  /** Where this step leaves the material points. */
  readonly position: Vector3;
}

/** Strain (κ, ν) of the backbone, the same all along it, and where the points of a section go in the section's own axes. */
export interface DeformingSections {
  readonly angular: Vector3;
  readonly linear: Vector3;
  readonly position: readonly [Expr, Expr];
}

export type DistalFrame =
  | { readonly kind: 'contact'; readonly contact: ContactFrame }
  | { readonly kind: 'pose'; readonly pose: Frame }
  | { readonly kind: 'none' };

export type BodyKinematics =
  /** p = position(material, q), seen from the proximal frame. */
  | {
      readonly kind: 'position';
      readonly position: Vector3;
      readonly distal: DistalFrame;
      /** Checked at the default coordinates. */
      readonly domain?: readonly DomainCondition[];
      /** Of `compose:`, to say which one does what a body must not do. */
      readonly steps?: readonly ComposedStep[];
      /** Of rods given by their strain whose sections deform: what the position was made of. */
      readonly sections?: DeformingSections;
    }
  /** Frame field g(s, q) of a rod with rigid plane sections: p = g.translation + x g_1 + y g_2; distal frame g(end). */
  | { readonly kind: 'pose'; readonly pose: Frame }
  | StrainKinematics
  | NetworkKinematics;

/** Everything of a kinematics that moves with the coordinates and the time, as it was written. */
export function formulasOf(kinematics: BodyKinematics): readonly Expr[] {
  switch (kinematics.kind) {
    case 'position':
      return [...kinematics.position, ...distalFormulas(kinematics.distal)];
    case 'network':
      return [...kinematics.inputs, ...kinematics.offset, ...distalFormulas(kinematics.distal)];
    case 'pose':
      return frameEntries(kinematics.pose);
    case 'strain': {
      const { angular, linear, rest, sectionPosition = [], equilibrium } = kinematics;
      if (!equilibrium) return [...angular, ...linear, ...sectionPosition];
      return [...rest.angular, ...rest.linear, ...equilibriumFormulas(equilibrium)];
    }
  }
}

/** As the file gives them, over the axial coordinate, parameters and coordinates. */
export function equilibriumFormulas({ tendons, stress, formulas }: SectionEquilibrium): readonly Expr[] {
  const further = formulas ? [...formulas.atStart, ...(formulas.start ?? [])] : [];
  return [...tendons.flatMap(({ across, passes }) => [...across, passes]), ...stress, ...further];
}

function distalFormulas(distal: DistalFrame): readonly Expr[] {
  return distal.kind === 'pose' ? frameEntries(distal.pose) : [];
}

/**
 * Strain field ξ(s, q, t) = (κ, ν) of a rod, rest shape included: g' = g ξ^, angular part first, z along the rod.
 * κ = (bend-x, bend-y, twist) in 1/m, ν = (shear-x, shear-y, stretch) with stretch 1 at rest. The distal frame is g(end).
 */
export interface StrainKinematics {
  readonly kind: 'strain';
  readonly angular: Vector3;
  readonly linear: Vector3;
  /** Unstressed strains ξ*(s): what elasticity is measured from. */
  readonly rest: { readonly angular: Vector3; readonly linear: Vector3 };
  /** Where the material point of a section goes, in the section's own axes; [x, y] when missing (plane rigid sections). */
  readonly sectionPosition?: readonly [Expr, Expr];
  /** Of a rod that slides out of its base; the strain is that of a straight rod inside. */
  readonly slides?: SlidingRod;
  /** Decides strains that formulas do not give: ξ has its symbols in their places. */
  readonly equilibrium?: SectionEquilibrium;
}

/** The rod begins as far behind its base as is inside: at z = start − border; sections before the border are inside. */
export interface SlidingRod {
  /** The free length. */
  readonly coordinate: SymbolExpr;
  /** End of the rod less the free length, along the axial coordinate. */
  readonly border: Expr;
}

/**
 * Balance of a section, Σ (ξ − ξ*) + Σ_j q_j (d_j × t_j; t_j) = m, in the strains that are not held, with t_j the unit tangent of
 * ρ'_j = ν + κ × d_j + d'_j, beside formulas of the strain: the minimum of ½ (ξ − ξ*)ᵀ Σ (ξ − ξ*) + Σ_j q_j |ρ'_j| − m · ξ. Σ is that of the material.
 */
export interface SectionEquilibrium {
  /** Component of (κ, ν), and the symbol that stands for it. */
  readonly unknowns: readonly { readonly component: number; readonly symbol: SymbolExpr }[];
  readonly tendons: readonly SectionTendon[];
  /** m, six components in N m and N, over the axial coordinate, parameters and coordinates. */
  readonly stress: readonly Expr[];
  readonly formulas?: SectionFormulas;
  /** Functions of the place along the rod that the potential depends on, and that make the energy least together with the strains. */
  readonly profiles?: readonly SectionProfile[];
  /** Weights of what is beyond each section that are no part of the stress yet (kane/loaded/load-field.ts). */
  readonly loads?: SectionLoads;
  /** Newton steps; as many as the limits of the coordinates ask for when missing. */
  readonly newton?: number;
  readonly location: Location;
}

/** Of the rod itself, and of what its end carries. */
export interface SectionLoads {
  readonly of: readonly ('gravity' | 'tip')[];
  readonly location: Location;
}

/** Its value at the start of the rod is given, its end is free. */
export interface SectionProfile {
  readonly name: string;
  /** Stands for its value, and for its derivative by the place along the rod. */
  readonly symbol: SymbolExpr;
  readonly rate: SymbolExpr;
  /** Over parameters. */
  readonly from: Expr;
  readonly location: Location;
}

/** Of strains by the symbols of the unknowns, coordinates, the axial coordinate and parameters. */
interface SectionFormulas {
  /** The gradient of a potential is added to the balance; equations take its place. */
  readonly kind: 'potential' | 'equations';
  /** One for each unknown. */
  readonly values: readonly Expr[];
  /** The values where strains are those that Newton's method begins with: without symbols of unknowns. */
  readonly atStart: readonly Expr[];
  /** As it is written, in J/m. */
  readonly potential?: Expr;
  /** Where Newton's method begins, for each unknown; at rest when missing. */
  readonly start?: readonly Expr[];
}

/** A tendon whose tension is a coordinate of the body. */
export interface SectionTendon {
  readonly coordinate: SymbolExpr;
  /** x and y of d in the section, over the axial coordinate and parameters. */
  readonly across: readonly [Expr, Expr];
  readonly from: Expr;
  readonly to: Expr;
  /** 1 where it passes, else 0. */
  readonly passes: Expr;
  readonly location: Location;
}

/** p = offset + N(inputs): a learned map of material coordinates and q, in metres. */
export interface NetworkKinematics {
  readonly kind: 'network';
  readonly network: Network;
  /** One expression over material coordinates, parameters, q (and t) per input of the network. */
  readonly inputs: readonly Expr[];
  /** Added to the output of the network: an expression like `position`. */
  readonly offset: Vector3;
  readonly distal: DistalFrame;
}

/** A kind of deformable body. One generated module serves all links of one type. */
export interface BodyType {
  readonly name: string;
  readonly summary: string;
  readonly parameters: readonly Quantity[];
  readonly coordinates: readonly BodyCoordinate[];
  /** Parts of the body under one map; at least one. They share their material coordinates by name. */
  readonly volumes: readonly Volume[];
  readonly kinematics: BodyKinematics;
  readonly integration: IntegrationChoice;
  /** Elasticity and damping of rods given by strain: of each of the volumes, in their order. */
  readonly materials?: readonly RodMaterial[];
  /** Strains of the rod without stress, six of them, beyond those at rest; over the place along it, the parameters and `time`. */
  readonly natural?: readonly Expr[];
  /** Elasticity and damping of bodies whose points have positions: of each of the volumes, in their order; some may have none. */
  readonly solids?: readonly (SolidMaterial | undefined)[];
  /** Cavities that pressure acts in. */
  readonly chambers?: readonly Chamber[];
  /** Energy of the coordinates beside that of material and weight: V(q), in J. */
  readonly potential?: Expr;
  /** R(q, q̇) with rates by `rateOf`: the viscous forces are ∂R/∂q̇; in W. */
  readonly dissipation?: Expr;
  /**
   * Stands for the time in kinematics, and natural strains, that depend on it explicitly: an input of such a robot, and of every link of the type.
   */
  readonly time?: SymbolExpr;
  /** Where each formula and every part of it stands, for diagnostics raised while compiling. */
  readonly provenance: Provenance;
  /** Where the keys stand that no formula belongs to. */
  readonly locations: BodyLocations;
}

interface BodyLocations {
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
  /**
   * Counts in place of centre and inertia about it, where forces have to be linear in the mass data (identification): ∫ r dm in
   * kg m and the inertia about the proximal origin in kg m², proximal axes.
   */
  readonly moments?: { readonly first: Vector3; readonly inertia: Symmetric3 };
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

/** What acts along one coordinate of a joint, whatever the robot does. Generalized: N m for angles, N for displacements. */
export interface CoordinateForces {
  /** k of the elastic force k (q − rest); per unit of the coordinate. */
  readonly stiffness: Expr;
  readonly rest: Expr;
  /** d of the viscous force d q̇. */
  readonly damping: Expr;
  /** F of the dry friction F q̇/√(q̇² + v²) with v the slowness. */
  readonly friction: Expr;
  /** Speed below which dry friction is smooth; above zero. */
  readonly slowness: Expr;
  /** Inertia of the drive as the coordinate feels it (rotor inertia times the square of the gear ratio). */
  readonly armature: Expr;
}

export const NO_COORDINATE_FORCES: CoordinateForces = {
  stiffness: zero,
  rest: zero,
  damping: zero,
  friction: zero,
  slowness: one,
  armature: zero,
};

/** In the order in which they are shown. */
export const DRIVE_LIMITS = ['effort', 'velocity', 'acceleration', 'deceleration', 'jerk'] as const;

/**
 * What the drive of a coordinate can do, either way: generalized force, rate, second and third derivative of the coordinate, SI
 * units, above zero. Nothing holds a robot within them: motors take their limits from the effort, runs name where rates are beyond.
 */
export type DriveLimits = Readonly<Partial<Record<(typeof DRIVE_LIMITS)[number], number>>>;

export interface Joint {
  /** `fixed`, `revolute`, … */
  readonly type: string;
  readonly coordinates: readonly Quantity[];
  /** One for each coordinate; none act when missing. */
  readonly forces?: readonly CoordinateForces[];
  /** Of the only coordinate. */
  readonly driveLimits?: DriveLimits;
  readonly motions: readonly ElementaryMotion[];
  /** Coordinates that follow the time; `motions` have their formulas in their place. */
  readonly prescribed?: {
    readonly coordinates: readonly PrescribedCoordinate[];
    /** The motions as they are where these coordinates are free. */
    readonly released: readonly ElementaryMotion[];
    /** Stands for the time in `motions`. */
    readonly time: SymbolExpr;
  };
}

/** A coordinate of a joint that is no coordinate of the robot. */
export interface PrescribedCoordinate {
  readonly quantity: Quantity;
  /** Of the time and of run-time parameters. */
  readonly value: Expr;
  readonly location: SourceLocation;
}

/** A joint with other expressions in the place of symbols in its formulas. */
export function substitutedJoint(joint: Joint, values: ReadonlyMap<Expr, Expr>): Joint {
  const { prescribed } = joint;
  const within = (motion: ElementaryMotion): ElementaryMotion => substitutedMotion(motion, values);
  const coordinates = prescribed?.coordinates.map((own) => ({ ...own, value: substitute([own.value], values)[0]! }));
  return {
    ...joint,
    motions: joint.motions.map(within),
    ...(prescribed && { prescribed: { ...prescribed, coordinates: coordinates! } }),
  };
}

function substitutedMotion(motion: ElementaryMotion, values: ReadonlyMap<Expr, Expr>): ElementaryMotion {
  switch (motion.kind) {
    case 'rotation':
      return { ...motion, angle: substitute([motion.angle], values)[0]! };
    case 'translation':
      return { ...motion, displacement: vector3(substitute(motion.displacement, values)) };
    case 'rotation-vector':
      return { ...motion, vector: vector3(substitute(motion.vector, values)) };
  }
}

/** Names of the coordinates of joints that follow the time, in the order of the links. */
export function prescribedNames({ links }: Pick<Robot, 'links'>): readonly string[] {
  return links.flatMap(({ name, joint }) =>
    (joint.prescribed?.coordinates ?? []).map(({ quantity }) => `${name}.${quantity.name}`),
  );
}

/** Stands for the time where the joint or the body of a link moves by it. */
export function timeOf({ joint, body }: Pick<Link, 'joint' | 'body'>): SymbolExpr | undefined {
  return joint.prescribed?.time ?? (body.kind === 'deformable' ? body.type.time : undefined);
}

/** Are there links that move by the time? */
export const haveTimedLinks = ({ links }: Pick<Robot, 'links'>): boolean =>
  links.some((link) => timeOf(link) !== undefined);

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
  /** Around a deformable body. */
  readonly water?: Water;
  /** Around a rigid body. */
  readonly rigidWater?: RigidWater;
  /** Along a rod whose sections stay rigid; none when missing. */
  readonly fields?: readonly RodField[];
  /** Of its body with obstacles; none when missing. */
  readonly contacts?: readonly Contact[];
  readonly location: Location;
}

/** A named output frame, rigidly attached to the distal frame of a link, or to a frame within its body. */
export interface NamedFrame {
  readonly name: string;
  readonly link: number;
  readonly within?: CarriedFrame;
  readonly offset: Frame;
}

/** A link of a URDF file within the robot, which may have pictures of itself there. */
export interface UrdfPlace {
  /** As messages show it. */
  readonly file: string;
  readonly name: string;
  /** The link of the robot on whose distal frame it sits, −1 for the base. */
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
  readonly driveLimits?: DriveLimits;
}

export interface Robot {
  readonly name: string;
  readonly summary: string;
  /** File name without directories, and the SHA-256 of the sources in hexadecimal, for headers of generated files; all files that it was read from. */
  readonly source: {
    readonly file: string;
    readonly hash: string;
    /** Where it is a file. */ readonly read?: readonly ReadFile[];
  };
  /** Gravitational acceleration in world axes, m/s². */
  readonly gravity: readonly [number, number, number];
  /** Velocity of the water, world axes, m/s; over run-time parameters. It rests when missing. */
  readonly current?: Vector3;
  /** World → base frame of the first link. */
  readonly base: Frame;
  /** Run-time parameters only: they stay from call to call until they are changed. */
  readonly parameters: readonly Quantity[];
  /** Parents before children. Masses attached to frames come last, as rigid links that no tip refers to. */
  readonly links: readonly Link[];
  /** In the order q is stacked: link by link, joint before body. */
  readonly coordinates: readonly RobotCoordinate[];
  /** The distal frame of every link (under the link's name), then the named frames; unique names. */
  readonly frames: readonly NamedFrame[];
  /** Index into `frames` of the tip. */
  readonly tip: number;
  /** None when missing. */
  readonly urdf?: readonly UrdfPlace[];
  /** Inputs, what a robot is given beside its state in every call: the time, and one number u of each actuator, in their order. */
  readonly time?: typeof TIME;
  readonly actuators: readonly Actuator[];
  /** Between frames, and from the world; none when missing. */
  readonly forces?: readonly FrameForce[];
  /** What closes the tree; none when missing. */
  readonly loops?: readonly Loop[];
  /** Contacts of links with each other; none when missing. */
  readonly touching?: readonly MutualContact[];
  /** None when missing. */
  readonly controllers?: readonly Controller[];
  /** None when missing. */
  readonly observers?: readonly Observer[];
  /** Named configurations, values in the order of `coordinates`. */
  readonly states: Readonly<Record<string, readonly number[]>>;
  readonly warnings: readonly Warning[];
  /** Of all formulas outside of body types. */
  readonly provenance: Provenance;
  /** What was decided while reading other people's files: angles made exact, values left out. */
  readonly notes: readonly Remark[];
  /** Kinds of warnings that are left out, since it is meant so; none when missing. */
  readonly silenced?: readonly WarningName[];
}

/** SI unit of the rate of what has a unit; of its acceleration with `s^2`. */
export const rateUnit = (unit: string, per: 's' | 's^2' = 's'): string => `${unit}/${per}`;

/** SI unit of the generalized force that does work on a coordinate: J per unit of the coordinate. */
export function forceUnit(coordinateUnit: string): string {
  if (coordinateUnit === 'm') return 'N';
  return coordinateUnit === 'rad' || coordinateUnit === '1' ? 'N m' : `N m/(${coordinateUnit})`;
}
