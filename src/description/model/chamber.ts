/**
 * Pressure chambers of bodies: cavities whose volume V(q) is the actuation coordinate that a pressure works on. A chamber
 * is a region of the material coordinates, with V = ∫ det(∂p/∂X) dX, or what a wall encloses, by the flux through the wall.
 */
import type { Expr, SymbolExpr } from '../../symbolic/graph/expr.ts';
import type { SourceLocation } from '../../common/error.ts';
import type { Breaks, MeshVolume } from './reference-volume.ts';

/** A box in coordinates of its own. */
export interface ChamberRegion {
  readonly kind: 'region';
  /** Right-handed up to an even permutation; material coordinates of the body, or others that give them. */
  readonly axes: readonly [SymbolExpr, SymbolExpr, SymbolExpr];
  /** Over parameters and the axes before. */
  readonly ranges: readonly [readonly [Expr, Expr], readonly [Expr, Expr], readonly [Expr, Expr]];
  /** Angle that runs through a whole turn. */
  readonly turn?: SymbolExpr;
  /** Material coordinates over the axes, those that are none of them. */
  readonly material: ReadonlyMap<SymbolExpr, Expr>;
  /** The region is other material at every configuration: `material` depends on coordinates of the body, or on the time. */
  readonly moves?: true;
  /** |∂material/∂axes| */
  readonly measure: Expr;
  readonly breaks: Breaks;
}

/** Tetrahedra in the material coordinates. */
export interface ChamberMesh {
  readonly kind: 'mesh';
  readonly mesh: MeshVolume;
}

/** The surface r = const. around a rod; its rims are closed by straight lines to their mean points. */
export interface ChamberWall {
  readonly kind: 'wall';
  readonly axial: SymbolExpr;
  readonly range: readonly [Expr, Expr];
  /** Material angle, through a whole turn. */
  readonly angle: SymbolExpr;
  /** Section coordinates over axial coordinate and angle, those that are neither. */
  readonly material: ReadonlyMap<SymbolExpr, Expr>;
  readonly breaks: Breaks;
  /** The same volume where sections stay plane and rigid. */
  readonly within: ChamberRegion;
}

export interface Chamber {
  readonly name: string;
  readonly summary: string;
  readonly shape: ChamberRegion | ChamberMesh | ChamberWall;
  readonly location: SourceLocation;
}
