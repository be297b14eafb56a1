/**
 * Elastic and damping forces of rods given by their strain, for the independent check: difference quotients of the stored
 * energy ½ ∫ (ξ − ξ*)ᵀ Σ (ξ − ξ*) ds, and the power of the viscous stress, ∫ ξ̇ᵀ Υ ∂ξ/∂q_a ds.
 */
import type { BodyType, RodVolume } from '../description/robot.ts';
import type { Decimal } from 'decimal.js';
import { decimalOfPrecision, exactDecimal } from '../symbolic/evaluate.ts';
import { one, type Expr } from '../symbolic/expr.ts';
import {
  combine,
  differenceQuotient,
  evaluateColumns,
  FIRST_DERIVATIVE,
  OFFSETS,
  STEP,
  type Column,
} from './columns.ts';
import { add } from './double-double.ts';
import { displaced, fieldFormulas } from './material-field.ts';
import { sampleMaterial, type MaterialPoints, type Scalars } from './material-points.ts';
import { valuesAlong } from './written-formulas.ts';

const Coarse = decimalOfPrecision(40);

export class RodEnergies {
  private readonly type: BodyType;
  private readonly parameters: Scalars;
  private readonly points: MaterialPoints;
  private readonly strains: readonly Expr[];
  private readonly rest: readonly Expr[];
  /** Weight along the rod times stiffness and damping, six per axial node: E I_xx, E I_yy, G J, k G A, k G A, E A. */
  private readonly stiffness: readonly Float64Array[];
  private readonly viscosity: readonly Float64Array[] | undefined;

  constructor(type: BodyType, parameters: Scalars) {
    const { kinematics, material } = type;
    if (kinematics.kind !== 'strain' || !material) throw new Error('rod elasticity needs a strain');
    this.type = type;
    this.parameters = parameters;
    this.strains = [...kinematics.angular, ...kinematics.linear];
    this.rest = [...kinematics.rest.angular, ...kinematics.rest.linear];
    // Unit density, so that masses are volumes and sums over a section are its moments times the weight along the rod;
    // Cartesian coordinates, whatever their names, so that three points in every direction give second moments exactly.
    const rods = type.volumes.map((volume) => {
      const rod: RodVolume = { ...(volume as RodVolume), density: one, coordinates: 'cartesian' };
      const fine = { count: 24, graded: false };
      const few = { count: 3, graded: false };
      return sampleMaterial({
        volume: rod,
        formulas: fieldFormulas(type, rod),
        scalars: parameters,
        fineness: [fine, few, few],
      });
    });
    this.points = rods[0]!;
    const moments = sectionSums(type.volumes as readonly RodVolume[], rods);
    const { nodes } = this.points.axial!;
    const bindings = new Map(parameters).set((type.volumes[0] as RodVolume).axial, nodes);
    const value = (e: Expr): Float64Array => evaluateColumns([e], bindings, nodes.high.length)[0]!.high;
    const [E, G, k] = [material.youngsModulus, material.shearModulus, material.shearFactor].map(value) as [
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    const { area, xx, yy } = moments;
    const polar = xx.map((x, i) => x + yy[i]!);
    const scaled = (moment: Float64Array, ...factors: readonly Float64Array[]): Float64Array =>
      moment.map((m, i) => factors.reduce((product, f) => product * f[i]!, m));
    // Bending about x stretches along y: I_xx = ∫ y² dA.
    this.stiffness = [
      scaled(yy, E),
      scaled(xx, E),
      scaled(polar, G),
      scaled(area, k, G),
      scaled(area, k, G),
      scaled(area, E),
    ];
    const { damping } = material;
    if (!damping) return;
    const factor = value(damping.value);
    this.viscosity =
      damping.kind === 'retardation-time'
        ? this.stiffness.map((s) => scaled(s, factor))
        : [yy, xx, polar, area, area, area].map((moment, i) =>
            scaled(moment, factor).map((m) => ([0, 1, 5].includes(i) ? 3 * m : m)),
          );
  }

  private strain(
    q: readonly Decimal[],
    direction: readonly number[],
    time: number,
    seconds: number,
    factor: number,
  ): Column[] {
    const scalars = displaced(this.type, this.parameters, q, direction, time, seconds, factor);
    const { axial } = this.type.volumes[0] as RodVolume;
    const values = valuesAlong(this.type, [...this.strains, ...this.rest], scalars, axial, this.points.axial!.nodes);
    return this.strains.map((_, k) => excess(values[k]!, values[6 + k]!));
  }

  /** +∂V/∂q and +∂R/∂q̇. */
  forces(q: readonly Decimal[], qd: readonly Decimal[], time: number): { elastic: Decimal[]; damping: Decimal[] } {
    const still = q.map(() => 0);
    const now = this.strain(q, still, time, 0, 0);
    const slope = (direction: readonly number[], seconds: number): Float64Array[] => {
      const around = OFFSETS.map((k) => this.strain(q, direction, time, seconds, k * STEP));
      return now.map((_, i) =>
        differenceQuotient(
          around.map((strain) => strain[i]!),
          FIRST_DERIVATIVE,
          STEP,
        ),
      );
    };
    const rate = slope(qd.map(Number), 1);
    const partials = q.map((_, a) =>
      slope(
        q.map((__, b) => (a === b ? 1 : 0)),
        0,
      ),
    );
    const power = (
      weights: readonly Float64Array[],
      stress: readonly Float64Array[],
      test: readonly Float64Array[],
    ): Decimal => {
      let total = 0;
      weights.forEach((weight, i) => weight.forEach((w, row) => (total += w * stress[i]![row]! * test[i]![row]!)));
      return exactDecimal(total, Coarse);
    };
    const none = new Coarse(0);
    return {
      elastic: partials.map((partial) =>
        power(
          this.stiffness,
          now.map((column) => column.high),
          partial,
        ),
      ),
      damping: partials.map((partial) => (this.viscosity ? power(this.viscosity, rate, partial) : none)),
    };
  }
}

/** ξ − ξ* */
const excess = (strain: Column, rest: Column): Column =>
  combine((ah, al, bh, bl) => add(ah, al, -bh, -bl), strain, rest);

/** ∫ dA, ∫ x² dA and ∫ y² dA of all rods at every axial node, times the node's weight along the rod. */
function sectionSums(
  volumes: readonly RodVolume[],
  rods: readonly MaterialPoints[],
): { area: Float64Array; xx: Float64Array; yy: Float64Array } {
  const count = rods[0]!.axial!.nodes.high.length;
  const sums = { area: new Float64Array(count), xx: new Float64Array(count), yy: new Float64Array(count) };
  rods.forEach(({ columns, masses, axial, rows }, k) => {
    const [x, y] = volumes[k]!.section.map((s) => columns.get(s)!.high) as [Float64Array, Float64Array];
    for (let row = 0; row < rows; row++) {
      const node = Math.floor(row / axial!.rowsPerNode);
      sums.area[node]! += masses[row]!;
      sums.xx[node]! += masses[row]! * x[row]! ** 2;
      sums.yy[node]! += masses[row]! * y[row]! ** 2;
    }
  });
  return sums;
}
