/**
 * Elastic and damping forces of rods whose sections stay rigid, for the independent check: difference quotients of the energy
 * that the material stores, and of the power that it dissipates, both summed over the fibres of the rod from the moduli as
 * they were written. A fibre at (x, y) is stretched by ν_z + y κ_x − x κ_y and sheared by ν_x, ν_y; twist shears it as the warping of the section
 * has it (`section-twist.ts`), by r κ_z with r² = x² + y² where a section is one of several. Of a section whose stiffness is given it is ½ ξᵀ Σ ξ.
 */
import type { BodyType } from '../../description/model/robot.ts';
import { sectionDimensions, type RodVolume } from '../../description/model/reference-volume.ts';
import { materialFormulas } from '../../description/model/material.ts';
import type { Decimal } from 'decimal.js';
import { one, zero, type Expr } from '../../symbolic/graph/expr.ts';
import {
  addScaled,
  combine,
  combineRow,
  constantColumn,
  differenceQuotient,
  FIRST_DERIVATIVE,
  OFFSETS,
  STEP,
  type Column,
} from '../arithmetic/columns.ts';
import { evaluateColumns } from '../arithmetic/evaluate-columns.ts';
import { add, multiply, result } from '../arithmetic/double-double.ts';
import { Coarse, doubleDoubleDecimal, onlyDecimal, type PassiveResult } from './passive-result.ts';
import { centrelineStrain } from './centreline-strain.ts';
import { areaOf, twistConstant } from '../written/section-twist.ts';
import { displaced, fieldFormulas } from '../written/material-field.ts';
import { sampleMaterial, type MaterialPoints, type Scalars } from '../written/material-points.ts';
import { valuesAlong } from '../written/written-formulas.ts';

/** Per axial node. */
interface Moduli {
  /** Pa, or Pa s, of the fibres: against stretching, and against shearing along x and y; none where the section is given as a whole. */
  readonly fibres:
    { readonly stretch: Float64Array; readonly shear: readonly [Float64Array, Float64Array] } | undefined;
  /** Of a section as a whole: entries of the upper triangle of Σ, or of Υ, that are not zero. */
  readonly whole: readonly SectionEntry[];
}

interface SectionEntry {
  readonly row: number;
  readonly column: number;
  readonly values: Float64Array;
}

const TWIST = 2;
const STRAINS = 6;

/** Nodes along the rod between two breaks. */
const NODES = [12, 24, 48, 96];

export class RodEnergies {
  /** Relative change of the energies when the nodes along the rod were refined for the last time. */
  readonly ruleError: number;
  private readonly type: BodyType;
  private readonly parameters: Scalars;
  private count: number = NODES[0]!;
  private rods: readonly MaterialPoints[] = [];
  /** m that an axial node stands for, of each volume. */
  private lengths!: readonly Float64Array[];
  /** Of each volume. */
  private stiffness!: readonly Moduli[];
  private viscosity: readonly Moduli[] | undefined;

  /**
   * @param configurations where the energies are compared when the nodes are refined.
   * @param settled relative change that is as good as none.
   */
  constructor(type: BodyType, parameters: Scalars, configurations: readonly Scalars[], settled: number) {
    this.type = type;
    this.parameters = parameters;
    let before: number[] | undefined;
    let error = Infinity;
    for (const count of NODES) {
      this.count = count;
      this.sample(parameters);
      const now = configurations.map((scalars) => this.storedAt(scalars).high[0]!);
      if (before)
        error = Math.max(...now.map((v, i) => (v === before![i] ? 0 : Math.abs(v - before![i]!) / Math.abs(v))));
      if (error < settled) break;
      before = now;
    }
    this.ruleError = Number.isNaN(error) ? Infinity : error;
  }

  private get isSliding(): boolean {
    const { kinematics } = this.type;
    return kinematics.kind === 'strain' && kinematics.slides !== undefined;
  }

  /** Energy of the stiffness; nodes of a rod that slides out of its base are chosen anew, on both sides of the border. */
  private storedAt(scalars: Scalars): Column {
    if (this.isSliding) this.sample(scalars);
    return this.energy(this.stiffness, this.stressed(scalars));
  }

  /**
   * Points of the sections and moduli at nodes along the rod.
   * @param parameters with coordinates where places depend on them.
   */
  private sample(parameters: Scalars): void {
    const { type, count } = this;
    const materials = type.materials!;
    const given = [...materials.flatMap(materialFormulas), ...(type.natural ?? [])];
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
    const value = (e: Expr): Float64Array =>
      everywhere(evaluateColumns([e], bindings, nodes.high.length)[0]!.high, nodes);
    const sections = type.volumes.map((volume, i) => {
      const { shape } = volume as RodVolume;
      const sizes = sectionDimensions(shape).map(value);
      const at = (node: number): number[] => sizes.map((size) => size[node]!);
      return { ...sumsOf(this.rods[i]!), areas: nodes.high.map((_, node) => areaOf(shape.shape, at(node))), shape, at };
    });
    this.lengths = sections.map(({ volumes, areas }) => volumes.map((own, node) => own / areas[node]!));
    /** J where the file gives none. */
    const twisted = ({ shape, at, areas, volumes, polar }: (typeof sections)[number]): Float64Array => {
      if (type.volumes.length > 1) return areas.map((area, node) => (polar[node]! / volumes[node]!) * area);
      const known = new Map<string, number>();
      return areas.map((_, node) => {
        const own = known.get(String(at(node))) ?? twistConstant(shape.shape, at(node));
        known.set(String(at(node)), own);
        return own;
      });
    };
    this.stiffness = materials.map((material, i) => {
      if (material.law === 'section-stiffness') return { fibres: undefined, whole: entriesOf(material.entries, value) };
      const { youngsModulus, shearModulus, shearFactors, torsionConstant } = material;
      const [G, J] = [value(shearModulus), torsionConstant ? value(torsionConstant) : twisted(sections[i]!)];
      const [alongX, alongY] = shearFactors.map((k) => scaled(G, value(k))) as [Float64Array, Float64Array];
      return {
        fibres: { stretch: value(youngsModulus), shear: [alongX, alongY] },
        whole: [{ row: TWIST, column: TWIST, values: scaled(G, J) }],
      };
    });
    if (materials.every(({ damping }) => !damping)) return;
    this.viscosity = materials.map((material, i) => {
      const { damping } = material;
      const none = new Float64Array(nodes.high.length);
      const late = damping?.retardationTime && later(this.stiffness[i]!, value(damping.retardationTime));
      const factor = damping?.viscosity ? value(damping.viscosity) : none;
      const given = material.law === 'rod-elasticity' ? material.torsionConstant : undefined;
      const J = given ? value(given) : twisted(sections[i]!);
      // Of an incompressible fluid the stress along a fibre is three times the viscosity.
      const viscous: Moduli = {
        fibres: { stretch: scaled(factor, 3), shear: [factor, factor] },
        whole: [{ row: TWIST, column: TWIST, values: scaled(factor, J) }],
      };
      return late ? together(late, viscous) : viscous;
    });
  }

  /** ξ − ξ* less the natural strain at the nodes. */
  private stressed(scalars: Scalars): readonly Column[] {
    const excess = this.excess(scalars);
    const { natural, volumes } = this.type;
    if (!natural) return excess;
    const values = valuesAlong(
      this.type,
      natural,
      scalars,
      (volumes[0] as RodVolume).axial,
      this.rods[0]!.axial!.nodes,
    );
    return excess.map((own, k) => addScaled(own, -1, values[k]!));
  }

  /** ξ − ξ* at the nodes. */
  private excess(scalars: Scalars): readonly Column[] {
    const { type } = this;
    const { kinematics } = type;
    const { nodes } = this.rods[0]!.axial!;
    if (kinematics.kind !== 'strain') return centrelineStrain(type, this.rods[0]!, scalars, nodes);
    const formulas = [kinematics, kinematics.rest].flatMap(({ angular, linear }) => [...angular, ...linear]);
    const values = valuesAlong(type, formulas, scalars, (type.volumes[0] as RodVolume).axial, nodes);
    return Array.from({ length: STRAINS }, (_, k) => addScaled(values[k]!, -1, values[STRAINS + k]!));
  }

  /** ½ ∫ (stretch ε² + shear_x ν_x² + shear_y ν_y²) dV and ½ ∫ ξᵀ Σ ξ ds of strains at the nodes: one row. */
  private energy(all: readonly Moduli[], strain: readonly Column[]): Column {
    const [kx, ky, , nx, ny, nz] = strain as [Column, Column, Column, Column, Column, Column];
    let [high, low] = [0, 0];
    const addProduct = (ah: number, al: number, bh: number, bl: number, weight: number): void => {
      multiply(ah, al, bh, bl);
      multiply(result.high, result.low, weight, 0);
      add(high, low, result.high, result.low);
      [high, low] = [result.high, result.low];
    };
    const addSquare = (h: number, l: number, weight: number): void => addProduct(h, l, h, l, weight / 2);
    all.forEach(({ whole }, rod) => {
      for (const { row, column, values } of whole)
        this.lengths[rod]!.forEach((length, node) => {
          const [a, b] = [strain[row]!, strain[column]!];
          const share = row === column ? 0.5 : 1;
          addProduct(a.high[node]!, a.low[node]!, b.high[node]!, b.low[node]!, share * length * values[node]!);
        });
    });
    this.rods.forEach(({ columns, masses, axial, rows }, rod) => {
      const { section } = this.type.volumes[rod] as RodVolume;
      const { fibres } = all[rod]!;
      if (!fibres) return;
      const { stretch, shear } = fibres;
      const [x, y] = section.map((s) => columns.get(s)!.high) as [Float64Array, Float64Array];
      for (let row = 0; row < rows; row++) {
        const node = Math.floor(row / axial!.rowsPerNode);
        const volume = masses[row]!;
        multiply(kx.high[node]!, kx.low[node]!, y[row]!, 0);
        add(nz.high[node]!, nz.low[node]!, result.high, result.low);
        const [h, l] = [result.high, result.low];
        multiply(ky.high[node]!, ky.low[node]!, -x[row]!, 0);
        add(h, l, result.high, result.low);
        addSquare(result.high, result.low, volume * stretch[node]!);
        addSquare(nx.high[node]!, nx.low[node]!, volume * shear[0][node]!);
        addSquare(ny.high[node]!, ny.low[node]!, volume * shear[1][node]!);
      }
    });
    return constantColumn(high, low);
  }

  /** V in J, +∂V/∂q and +∂R/∂q̇. */
  forces(q: readonly Decimal[], qd: readonly Decimal[], time: number): PassiveResult {
    const moved = (direction: readonly number[], seconds: number, factor: number): Scalars =>
      displaced(this.type, this.parameters, q, direction, time, seconds, factor * STEP);
    const still = q.map(() => 0);
    const stored = onlyDecimal(this.storedAt(moved(still, 0, 0)));
    const units = q.map((_, a) => q.map((__, b) => (a === b ? 1 : 0)));
    const beside = units.map((unit) => OFFSETS.map((k) => moved(unit, 0, k)));
    const strained = (): (readonly Column[])[][] => beside.map((all) => all.map((scalars) => this.stressed(scalars)));
    const fixed = this.isSliding ? undefined : strained();
    const stores = fixed
      ? fixed.map((all) => all.map((strain) => this.energy(this.stiffness, strain)))
      : beside.map((all) => all.map((scalars) => this.storedAt(scalars)));
    const elastic = stores.map((energies) => quotient(energies, FIRST_DERIVATIVE, STEP));
    // Rates are those of material at fixed places.
    if (!fixed) this.sample(moved(still, 0, 0));
    const around = fixed ?? strained();
    const { viscosity } = this;
    if (!viscosity) return { stored, elastic, damping: q.map(() => new Coarse(0)) };
    const slope = (strains: readonly (readonly Column[])[]): Column[] =>
      Array.from({ length: STRAINS }, (_, i) => {
        const values = differenceQuotient(
          strains.map((strain) => strain[i]!),
          FIRST_DERIVATIVE,
          STEP,
        );
        return { high: values, low: new Float64Array(values.length) };
      });
    const speeds = qd.map(Number);
    // Viscosity is that of the strain: what moves without stress is no part of it.
    const rate = slope(OFFSETS.map((k) => this.excess(moved(speeds, 1, k))));
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

/** One row stands for all nodes. */
function everywhere(values: Float64Array, { high }: Column): Float64Array {
  return values.length === high.length ? values : high.map(() => values[0]!);
}

function scaled(values: Float64Array, factors: Float64Array | number): Float64Array {
  return values.map((x, i) => x * (typeof factors === 'number' ? factors : factors[i]!));
}

/** Stiffness times a time. */
function later({ fibres, whole }: Moduli, factor: Float64Array): Moduli {
  const shear = fibres?.shear.map((own) => scaled(own, factor)) as [Float64Array, Float64Array] | undefined;
  return {
    fibres: fibres && { stretch: scaled(fibres.stretch, factor), shear: shear! },
    whole: whole.map((entry) => ({ ...entry, values: scaled(entry.values, factor) })),
  };
}

/** The sum of both. */
function together(a: Moduli, b: Moduli): Moduli {
  const sum = (x: Float64Array, y: Float64Array): Float64Array => x.map((value, i) => value + y[i]!);
  const [first, second] = [a.fibres, b.fibres];
  const fibres =
    first && second
      ? {
          stretch: sum(first.stretch, second.stretch),
          shear: [sum(first.shear[0], second.shear[0]), sum(first.shear[1], second.shear[1])] as const,
        }
      : (first ?? second);
  return { fibres, whole: [...a.whole, ...b.whole] };
}

function entriesOf(matrix: readonly Expr[], value: (e: Expr) => Float64Array): SectionEntry[] {
  return matrix.flatMap((e, k) => {
    const [row, column] = [Math.floor(k / 6), k % 6];
    return column < row || e === zero ? [] : [{ row, column, values: value(e) }];
  });
}

/** ∫ dA and ∫ r² dA of every node, times the length that it stands for. */
function sumsOf({ columns, masses, axial, rows }: MaterialPoints): { volumes: Float64Array; polar: Float64Array } {
  const [, first, second] = [...columns.values()] as [Column, Column, Column];
  const [volumes, polar] = [axial!.nodes.high.map(() => 0), axial!.nodes.high.map(() => 0)];
  for (let row = 0; row < rows; row++) {
    const node = Math.floor(row / axial!.rowsPerNode);
    volumes[node]! += masses[row]!;
    polar[node]! += masses[row]! * (first.high[row]! ** 2 + second.high[row]! ** 2);
  }
  return { volumes, polar };
}
