/**
 * What the Kane compiler hands to the code generator: link types, each a set of kernels over expressions.
 *
 * A link is offset → joint → mount → body, fused. Links that differ in numbers only share one type: the numbers are its
 * parameters. A kernel is one straight-line computation between buffers (`kernels.ts`, `buffers.ts`); drivers sequence
 * kernels along the chain and own every buffer. Which subexpressions a kernel computes and which it finds ready in the
 * link's slot is decided by the stages of `codegen/`, not here.
 */
import type { Expr, SymbolExpr } from '../../symbolic/graph/expr.ts';
import type { Frame } from '../../symbolic/graph/vector.ts';
import type { FrameTerm } from '../equations/frame-terms.ts';
import type { Loop } from '../loops/loop.ts';
import type { InputBuffer } from './buffers.ts';
import type { KernelName, LinkFunctionName, OutputBuffer } from './link-functions.ts';

export type { InputBuffer, KernelName, OutputBuffer };

export interface Kernel {
  readonly name: KernelName;
  /** Loops that run for what they write to a buffer; others run because an output needs their results. */
  readonly loops?: readonly Loop[];
  readonly outputs: readonly KernelOutput[];
}

interface KernelOutput {
  readonly buffer: OutputBuffer;
  readonly values: readonly Expr[];
  /** Entries that no link reads in this robot: zeros that are not stored. */
  readonly unread?: ReadonlySet<number>;
}

export interface LinkParameter {
  /** Identifier-safe name, unique within the type: `L`, `offset_x`, `inertia_xx`. */
  readonly name: string;
  readonly symbol: SymbolExpr;
  readonly unit: string;
  readonly summary: string;
}

export interface LinkCoordinate {
  readonly name: string;
  readonly symbol: SymbolExpr;
  readonly rate: SymbolExpr;
  readonly acceleration: SymbolExpr;
  readonly unit: string;
  readonly summary: string;
}

export interface LinkType {
  /** Identifier-safe and unique within the robot: `planar_cc`, `revolute_z_rigid`. */
  readonly name: string;
  readonly summary: string;
  readonly parameters: readonly LinkParameter[];
  readonly coordinates: readonly LinkCoordinate[];
  /** Size of bodyWrench: 6 + coordinates of the body. */
  readonly bodyWrenchSize: number;
  /** The symbols of every input buffer, in order; symbols are the same in all kernels of the type. */
  readonly inputs: Readonly<Record<InputBuffer, readonly SymbolExpr[]>>;
  readonly kernels: readonly Kernel[];
  /** In an order in which each needs only results of those before it. */
  readonly loops: readonly Loop[];
  /** Readable names for expressions, proposed to the code generator (`sin_q`, `inertia_yy`). */
  readonly hints: ReadonlyMap<Expr, string>;
  /** More of them: values that are one of these are called so, whatever formula they come from. */
  readonly quantities?: ReadonlyMap<Expr, string>;
  /** How the body's integrals were obtained, for headers and `explain`. */
  readonly method: string;
  /** What the water around the body does, and how its integrals are had. */
  readonly waterMethod?: string;
  /** The same of each term of actuation coordinates, in the order of `LinkInstance.actuators`. */
  readonly actuationMethods: readonly string[];
}

/** One link of a robot as an instance of a type. */
export interface LinkInstance {
  readonly name: string;
  readonly type: LinkType;
  readonly parent: number;
  /** Value of each parameter of the type; free symbols are run-time parameters of the robot. */
  readonly parameters: readonly Expr[];
  /** Index among the robot's actuators of each term that acts within the link. */
  readonly actuators: readonly number[];
  /**
   * Of instances that are a material point, or a frame within a body, in place of a link: the link on whose body it is. They move by the coordinates of
   * that link, carry nothing and have no mass.
   */
  readonly pointOf?: number;
}

/** A frame that rides on a link, or on a material point by its index among the instances; −1: the base. */
export interface Placement {
  readonly link: number;
  readonly offset: Frame;
}

/** A term of an actuator between or on such frames; see `description/model/frame-terms.ts`. */
export interface PlacedTerm {
  /** None of a force, whose value is an energy. */
  readonly actuator?: number;
  /** What it does, among `shapes`. */
  readonly shape: number;
  /** Its frames, by index. */
  readonly places: readonly number[];
  /** The last link that carries all of them where their wrenches cancel; elsewhere −1, the base. */
  readonly stop: number;
  /** Run-time parameters of its bristles, one after the other; the shape has its own symbols for them. */
  readonly held?: readonly SymbolExpr[];
}

/** Rows of a loop over the same frames. */
export interface PlacedLoop {
  /** Their residuals, among `closures`. */
  readonly closure: number;
  readonly places: readonly number[];
  /** As of terms: the last link that carries all frames, where the wrenches of every row cancel. */
  readonly stop: number;
  /** The first of its rows among those of the robot. */
  readonly row: number;
}

export interface Reaching {
  readonly places: readonly Placement[];
  readonly terms: readonly PlacedTerm[];
  /** Of forces between frames. */
  readonly forces: readonly PlacedTerm[];
  /** Contacts of links with each other. */
  readonly pushes: readonly PlacedTerm[];
  /** Terms that differ in their frames alone share one. */
  readonly shapes: readonly FrameTerm[];
  readonly loops: readonly PlacedLoop[];
  /** Of loops, a term a row; those that differ in their frames alone share one. */
  readonly closures: readonly (readonly FrameTerm[])[];
}

/** Terms whose wrenches depend on motions of their frames: tendons with friction, contacts of links with each other. */
export function movingTerms(reaching: Reaching | null | undefined): readonly PlacedTerm[] {
  const { terms = [], pushes = [], shapes = [] } = reaching ?? {};
  return [...terms, ...pushes].filter(({ shape }) => shapes[shape]!.isMoving);
}

/** A robot ready for code generation. */
export interface CompiledRobot {
  readonly types: readonly LinkType[];
  /** Those of the robot, then material points that actuators hold on to and frames within bodies. */
  readonly links: readonly LinkInstance[];
  /** Those of the robot, in its order. */
  readonly frames: readonly Placement[];
  /** What actuators have beside terms within links; missing where there is nothing. */
  readonly reaching?: Reaching;
  /** The code that is wanted; all that there can be unless given. */
  readonly choice?: Choice;
  /** It has derivatives for what its observers call, not because they were asked for. */
  readonly onlyForObservers?: true;
}

/** Functions that code is wanted of. */
export interface Choice {
  /** Of the robot, as its object has them. */
  readonly functions: ReadonlySet<string>;
  /** Of link types, by the name of the type: the functions that those of the robot call. */
  readonly ofLinks: ReadonlyMap<string, ReadonlySet<LinkFunctionName>>;
}
