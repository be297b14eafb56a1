/** What D'Alembert's principle says of a robot at a state. */
import type { Decimal } from 'decimal.js';

export interface State {
  readonly q: readonly number[];
  readonly qd: readonly number[];
  readonly qdd: readonly number[];
  /** Seconds; 0 when missing. */
  readonly t?: number;
}

/**
 * Terms of M q̈ + c + g = τ in SI units. About 20 digits are good where all bodies are sampled in decimals (nudged
 * coordinates: an error of 1e-20 in q), 15 with bodies of many points.
 */
export interface AlembertResult {
  /** n × n, by rows. */
  readonly massMatrix: readonly (readonly Decimal[])[];
  readonly coriolis: readonly Decimal[];
  readonly gravity: readonly Decimal[];
  readonly torque: readonly Decimal[];
  /** +∂V/∂q of elastic energies, and +∂R/∂q̇; zero without. */
  readonly elastic: readonly Decimal[];
  readonly damping: readonly Decimal[];
  /** Drag and buoyancy of water; zero without. */
  readonly fluid: readonly Decimal[];
  /** How far these are from sums of few points along rods. */
  readonly unsettled: readonly number[];
  /** Errors of places where bodies touch, relative to their distance from the origin, change these by so many times as much. */
  readonly steepness: readonly number[];
  /** What c and g of every coordinate consist of. */
  readonly terms: readonly ForceTerms[];
  /** J */
  readonly kineticEnergy: Decimal;
  /** J, zero for mass at the world origin. */
  readonly potentialEnergy: Decimal;
  /** J */
  readonly elasticEnergy: Decimal;
  /** Of all bodies: angular about the world origin, then linear; and the same of unit rates, a row per coordinate. */
  readonly momentum: readonly Decimal[];
  readonly momentumColumns: readonly (readonly Decimal[])[];
  readonly mass: Decimal;
  readonly firstMoment: readonly Decimal[];
  /** Of coordinates that follow the time. */
  readonly followed: readonly FollowedResult[];
  /** In the order of the robot's frames; absent on a body without distal frame. */
  readonly frames: readonly (FrameResult | undefined)[];
  /** The one of them that is the tip. */
  readonly tip: FrameResult | undefined;
}

/** What moves a coordinate that follows the time. */
interface FollowedResult {
  readonly force: Decimal;
  /** The share of drag and buoyancy, and how far it is from a sum of few points along rods. */
  readonly fluid: Decimal;
  readonly unsettled: number;
  /** What the force consists of, however much of it cancels. */
  readonly size: number;
}

/**
 * Sums over bodies that bound |c_a| and |g_a| by Cauchy and Schwarz, and do not cancel where these do, in their units:
 * √(∫ |∂P/∂q_a|² dm ∫ |P̈|² dm) with q̈ = 0, and √(∫ |∂P/∂q_a|² dm ∫ |gravity|² dm).
 */
export interface ForceTerms {
  readonly motion: number;
  readonly gravity: number;
}

/** World axes. */
export interface FrameResult {
  readonly position: readonly Decimal[];
  /** By rows. */
  readonly rotation: readonly Decimal[];
  /** 6 × n by rows: angular velocity, then velocity of the origin, per unit rate of each coordinate. */
  readonly jacobian: readonly (readonly Decimal[])[];
}
