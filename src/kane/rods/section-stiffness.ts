/**
 * Stiffness of the sections of a rod against the six strains (bend-x, bend-y, twist, shear-x, shear-y, stretch), and their viscosity:
 *   Σ = diag(E I_xx, E I_yy, G J, k_x G A, k_y G A, E A), or as the file gives it, and Υ = η diag(3 I_xx, 3 I_yy, J, A, A, 3 A),
 * of all volumes together, about the line of the rod.
 */
import { evaluate, foldConstants } from '../../symbolic/evaluation/evaluate.ts';
import { integer, plus, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import type { RodMaterial } from '../../description/model/material.ts';
import { dependsOn } from '../../symbolic/graph/traverse.ts';
import type { BodyType, Robot } from '../../description/model/robot.ts';
import type { RodVolume } from '../../description/model/reference-volume.ts';
import type { ParameterValues } from '../kinematics/sample-configurations.ts';
import { rodVolumes, sectionArea } from './rod-section.ts';
import { polarMoment, torsionConstant } from './torsion-constant.ts';

/** 6 × 6 by rows, symmetric: of a section, per length, or of a whole rod. */
export type StrainMatrix = readonly Expr[];

export interface SectionMatrices {
  readonly stiffness: StrainMatrix;
  /** None where nothing is viscous. */
  readonly damping: StrainMatrix | undefined;
}

/** Over the axial coordinate and the parameters of the type. */
export function sectionMatrices(type: BodyType, materials: readonly RodMaterial[]): SectionMatrices {
  const volumes = rodVolumes(type);
  // Equations of strains need no material.
  if (materials.length === 0) return { stiffness: diagonal(NOTHING), damping: undefined };
  const layers = volumes.map((volume, i) => layerMatrices(volume, materials[i]!, volumes.length === 1));
  const viscous = layers.flatMap(({ damping }) => (damping ? [damping] : []));
  return {
    stiffness: total(layers.map(({ stiffness }) => stiffness)),
    damping: viscous.length > 0 ? total(viscous) : undefined,
  };
}

/** @param isAlone - a section that is free to warp; of others J is bounded by the polar moment unless it is given. */
function layerMatrices(volume: RodVolume, material: RodMaterial, isAlone: boolean): SectionMatrices {
  const { area, xx, yy } = sectionArea(volume);
  const given = material.law === 'rod-elasticity' ? material.torsionConstant : undefined;
  const twisted = given ?? (isAlone ? torsionConstant : polarMoment)(volume.shape);
  const stiffness = stiffnessOf(material, { area, xx, yy, twisted });
  const { damping } = material;
  if (!damping) return { stiffness, damping: undefined };
  const { retardationTime = zero, viscosity = zero } = damping;
  const three = integer(3);
  const viscous = diagonal([times(three, yy), times(three, xx), twisted, area, area, times(three, area)]);
  return {
    stiffness,
    damping: stiffness.map((e, k) => plus(times(retardationTime, e), times(viscosity, viscous[k]!))),
  };
}

interface Moments {
  readonly area: Expr;
  /** ∫ x² and ∫ y². */
  readonly xx: Expr;
  readonly yy: Expr;
  readonly twisted: Expr;
}

function stiffnessOf(material: RodMaterial, { area, xx, yy, twisted }: Moments): StrainMatrix {
  if (material.law === 'section-stiffness') return material.entries;
  const { youngsModulus: E, shearModulus: G, shearFactors } = material;
  const [shearX, shearY] = shearFactors.map((k) => times(k, G, area)) as [Expr, Expr];
  return diagonal([times(E, yy), times(E, xx), times(G, twisted), shearX, shearY, times(E, area)]);
}

const NOTHING: readonly Expr[] = [zero, zero, zero, zero, zero, zero];

function diagonal(entries: readonly Expr[]): StrainMatrix {
  return entries.flatMap((own, row) => entries.map((_, column) => (row === column ? own : zero)));
}

function total(matrices: readonly StrainMatrix[]): StrainMatrix {
  return matrices[0]!.map((_, k) => plus(...matrices.map((matrix) => matrix[k]!)));
}

/** left ᵀ S right by its terms; none where an entry of S is zero. */
export function productTerms(S: StrainMatrix, left: readonly Expr[], right: readonly Expr[]): readonly Expr[] {
  return left.flatMap((l, row) => right.flatMap((r, column) => termOf(l, S[6 * row + column]!, r)));
}

function termOf(left: Expr, entry: Expr, right: Expr): Expr[] {
  return entry === zero ? [] : [times(left, entry, right)];
}

/** Stiffness of a section in numbers. */
export interface StiffnessOfSection {
  /** m along the rod, as its axial coordinate. */
  readonly place: number;
  /** 6 × 6 by rows, for bend-x, bend-y, twist, shear-x, shear-y and stretch: N m², N m and N. */
  readonly matrix: readonly number[];
  /** E I of bending about x and y, and G J, in N m²; k G A along x and y, and E A, in N: the diagonal of the matrix. */
  readonly bendX: number;
  readonly bendY: number;
  readonly twist: number;
  readonly shearX: number;
  readonly shearY: number;
  readonly stretch: number;
}

/** Stiffness of the sections of one link. */
export interface StiffnessOfRod {
  readonly link: string;
  /** At one place of a rod whose sections are all alike, at both ends and between them of others. */
  readonly sections: readonly StiffnessOfSection[];
}

/** Of all links that are rods with a material, run-time parameters at their defaults. */
export function stiffnessOfRods({ links, parameters }: Pick<Robot, 'links' | 'parameters'>): readonly StiffnessOfRod[] {
  const defaults = new Map<Expr, Expr>(parameters.map((p) => [p.symbol, p.value]));
  return links.flatMap(({ name: link, body }) => {
    if (body.kind !== 'deformable' || !body.type.materials) return [];
    const numbers = foldConstants(body.parameters, defaults);
    const values = new Map<Expr, number>(body.type.parameters.map((p, i) => [p.symbol, numbers[i]!]));
    return [{ link, sections: stiffnessAlong(body.type, body.type.materials, values) }];
  });
}

/** Places of sections that differ, from end to end. */
const PLACES = [0, 0.5, 1];

function stiffnessAlong(
  type: BodyType,
  materials: readonly RodMaterial[],
  parameters: ParameterValues,
): readonly StiffnessOfSection[] {
  const { stiffness } = sectionMatrices(type, materials);
  const { start, end, axial } = rodVolumes(type)[0];
  const [from, to] = evaluate([start, end], parameters) as [number, number];
  const varies = stiffness.some((e) => dependsOn(e, new Set([axial])));
  return (varies ? PLACES : [0.5]).map((share) => {
    const place = from + share * (to - from);
    const matrix = evaluate(stiffness, new Map<Expr, number>([...parameters, [axial, place]]));
    const of = (strain: number): number => matrix[7 * strain]!;
    return { place, matrix, bendX: of(0), bendY: of(1), twist: of(2), shearX: of(3), shearY: of(4), stretch: of(5) };
  });
}
