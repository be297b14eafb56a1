/**
 * Elastic and damping forces of rods given by their strain, for the independent check: difference quotients of the energy
 * that the material stores, and of the power that it dissipates, both summed over the fibres of the rod from the moduli as
 * they were written. A fibre at (x, y) is stretched by ν_z + y κ_x − x κ_y and sheared by r κ_z, r² = x² + y², and by ν_x, ν_y.
 */
import type { BodyType, RodVolume } from '../../description/model/robot.ts';
import { materialFormulas } from '../../description/model/material.ts';
import type { Decimal } from 'decimal.js';
import { one, type Expr } from '../../symbolic/graph/expr.ts';
import {
  addScaled,
  combine,
  combineRow,
  constantColumn,
  differenceQuotient,
  evaluateColumns,
  FIRST_DERIVATIVE,
  OFFSETS,
  STEP,
  type Column,
} from '../arithmetic/columns.ts';
import { add, multiply, result } from '../arithmetic/double-double.ts';
import { Coarse, doubleDoubleDecimal, onlyDecimal, type PassiveResult } from './passive-result.ts';
import { displaced, fieldFormulas } from '../written/material-field.ts';
import { sampleMaterial, type MaterialPoints, type Scalars } from '../written/material-points.ts';
import { valuesAlong } from '../written/written-formulas.ts';

/** Pa, or Pa s, per axial node: against stretching, shearing and twisting. */
interface Moduli {
  readonly stretch: Float64Array;
  readonly shear: Float64Array;
  readonly twist: Float64Array;
}

/** Nodes along the rod between two breaks. */
const NODES = [12, 24, 48, 96];

export class RodEnergies {
  /** Relative change of the energies when the nodes along the rod were refined for the last time. */
  readonly ruleError: number;
  private readonly type: BodyType;
  private readonly parameters: Scalars;
  private readonly strains: readonly Expr[];
  private readonly rest: readonly Expr[];
  private rods: readonly MaterialPoints[] = [];
  /** Of each volume. */
  private stiffness!: readonly Moduli[];
  private viscosity: readonly Moduli[] | undefined;

  /**
   * @param configurations where the energies are compared when the nodes are refined.
   * @param settled relative change that is as good as none.
   */
  constructor(type: BodyType, parameters: Scalars, configurations: readonly Scalars[], settled: number) {
    const { kinematics } = type;
    if (kinematics.kind !== 'strain' || !type.materials) throw new Error('rod elasticity needs a strain');
    this.type = type;
    this.parameters = parameters;
    this.strains = [...kinematics.angular, ...kinematics.linear];
    this.rest = [...kinematics.rest.angular, ...kinematics.rest.linear];
    let before: number[] | undefined;
    let error = Infinity;
    for (const count of NODES) {
      this.sample(count);
      const now = configurations.map((scalars) => this.energy(this.stiffness, this.excess(scalars)).high[0]!);
      if (before)
        error = Math.max(...now.map((v, i) => (v === before![i] ? 0 : Math.abs(v - before![i]!) / Math.abs(v))));
      if (error < settled) break;
      before = now;
    }
    this.ruleError = Number.isNaN(error) ? Infinity : error;
  }

  /** Points of the sections and moduli at nodes along the rod. */
  private sample(count: number): void {
    const { type, parameters } = this;
    const materials = type.materials!;
    const given = materials.flatMap(materialFormulas);
    // Unit density, so that masses are volumes; Cartesian coordinates, whatever their names, so that three points in every
    // direction give second moments exactly.
    this.rods = type.volumes.map((volume) => {
      const rod: RodVolume = { ...(volume as RodVolume), density: one, coordinates: 'cartesian' };
      const few = { count: 3, graded: false };
      return sampleMaterial({
        volume: rod,
        formulas: [...fieldFormulas(type, rod), ...given],
        scalars: parameters,
        fineness: [{ count, graded: false }, few, few],
      });
    });
    const { nodes } = this.rods[0]!.axial!;
    const bindings = new Map(parameters).set((type.volumes[0] as RodVolume).axial, nodes);
    const value = (e: Expr): Float64Array => evaluateColumns([e], bindings, nodes.high.length)[0]!.high;
    const scaled = (values: Float64Array, factors: Float64Array | number): Float64Array =>
      values.map((x, i) => x * (typeof factors === 'number' ? factors : factors[i]!));
    this.stiffness = materials.map(({ youngsModulus, shearModulus, shearFactor }) => {
      const [E, G, k] = [youngsModulus, shearModulus, shearFactor].map(value) as [
        Float64Array,
        Float64Array,
        Float64Array,
      ];
      return { stretch: E, shear: scaled(G, k), twist: G };
    });
    if (materials.every(({ damping }) => !damping)) return;
    this.viscosity = materials.map(({ damping }, i) => {
      const factor = damping ? value(damping.value) : new Float64Array(nodes.high.length);
      const { stretch, shear, twist } = this.stiffness[i]!;
      // Of an incompressible fluid the stress along a fibre is three times the viscosity.
      return damping?.kind === 'retardation-time'
        ? { stretch: scaled(stretch, factor), shear: scaled(shear, factor), twist: scaled(twist, factor) }
        : { stretch: scaled(factor, 3), shear: factor, twist: factor };
    });
  }

  /** ξ − ξ* at the nodes. */
  private excess(scalars: Scalars): Column[] {
    const { axial } = this.type.volumes[0] as RodVolume;
    const values = valuesAlong(this.type, [...this.strains, ...this.rest], scalars, axial, this.rods[0]!.axial!.nodes);
    return this.strains.map((_, k) => addScaled(values[k]!, -1, values[6 + k]!));
  }

  /** ½ ∫ (stretch ε² + shear (ν_x² + ν_y²) + twist r² κ_z²) dV of strains at the nodes: one row. */
  private energy(all: readonly Moduli[], strain: readonly Column[]): Column {
    const [kx, ky, kz, nx, ny, nz] = strain as [Column, Column, Column, Column, Column, Column];
    let [high, low] = [0, 0];
    const addSquare = (h: number, l: number, weight: number): void => {
      multiply(h, l, h, l);
      multiply(result.high, result.low, weight / 2, 0);
      add(high, low, result.high, result.low);
      [high, low] = [result.high, result.low];
    };
    this.rods.forEach(({ columns, masses, axial, rows }, rod) => {
      const { section } = this.type.volumes[rod] as RodVolume;
      const moduli = all[rod]!;
      const [x, y] = section.map((s) => columns.get(s)!.high) as [Float64Array, Float64Array];
      for (let row = 0; row < rows; row++) {
        const node = Math.floor(row / axial!.rowsPerNode);
        const volume = masses[row]!;
        multiply(kx.high[node]!, kx.low[node]!, y[row]!, 0);
        add(nz.high[node]!, nz.low[node]!, result.high, result.low);
        const [h, l] = [result.high, result.low];
        multiply(ky.high[node]!, ky.low[node]!, -x[row]!, 0);
        add(h, l, result.high, result.low);
        addSquare(result.high, result.low, volume * moduli.stretch[node]!);
        addSquare(nx.high[node]!, nx.low[node]!, volume * moduli.shear[node]!);
        addSquare(ny.high[node]!, ny.low[node]!, volume * moduli.shear[node]!);
        addSquare(kz.high[node]!, kz.low[node]!, volume * moduli.twist[node]! * (x[row]! ** 2 + y[row]! ** 2));
      }
    });
    return constantColumn(high, low);
  }

  /** V in J, +∂V/∂q and +∂R/∂q̇. */
  forces(q: readonly Decimal[], qd: readonly Decimal[], time: number): PassiveResult {
    const at = (direction: readonly number[], seconds: number, factor: number): Column[] =>
      this.excess(displaced(this.type, this.parameters, q, direction, time, seconds, factor * STEP));
    const stored = onlyDecimal(
      this.energy(
        this.stiffness,
        at(
          q.map(() => 0),
          0,
          0,
        ),
      ),
    );
    const units = q.map((_, a) => q.map((__, b) => (a === b ? 1 : 0)));
    const around = units.map((unit) => OFFSETS.map((k) => at(unit, 0, k)));
    const elastic = around.map((strains) =>
      quotient(
        strains.map((strain) => this.energy(this.stiffness, strain)),
        FIRST_DERIVATIVE,
        STEP,
      ),
    );
    const { viscosity } = this;
    if (!viscosity) return { stored, elastic, damping: q.map(() => new Coarse(0)) };
    const slope = (strains: readonly (readonly Column[])[]): Column[] =>
      this.strains.map((_, i) => {
        const values = differenceQuotient(
          strains.map((strain) => strain[i]!),
          FIRST_DERIVATIVE,
          STEP,
        );
        return { high: values, low: new Float64Array(values.length) };
      });
    const speeds = qd.map(Number);
    const rate = slope(OFFSETS.map((k) => at(speeds, 1, k)));
    const damping = around.map((strains, a) => {
      const partial = slope(strains);
      // The rates of strain are linear in q̇, the dissipation is quadratic: any step gives its derivative.
      const step = Math.abs(speeds[a]!) || 1;
      const [after, before] = [step, -step].map((by) =>
        this.energy(
          viscosity,
          rate.map((column, i) => combine(add, column, addScaled(constantColumn(0), by, partial[i]!))),
        ),
      ) as [Column, Column];
      return quotient([after, before], [6, -6], step);
    });
    return { stored, elastic, damping };
  }
}

/** Σ weights · columns / (12 divisor) of one row. */
function quotient(columns: readonly Column[], twelfths: readonly number[], divisor: number): Decimal {
  combineRow(columns, twelfths, 0);
  return doubleDoubleDecimal(result.high, result.low, divisor);
}
