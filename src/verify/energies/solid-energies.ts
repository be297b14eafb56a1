/**
 * Elastic and viscous forces of solids, for the independent check: difference quotients of ∫ W dV and of the strain, with the
 * deformation gradient itself from difference quotients of positions in the material coordinates. Nothing is
 * differentiated symbolically; W is evaluated as the law or the file states it.
 */
import type { Decimal } from 'decimal.js';
import type { BodyType } from '../../description/model/robot.ts';
import type { Volume } from '../../description/model/reference-volume.ts';
import { STRAIN_MEASURES, type SolidMaterial } from '../../description/model/material.ts';
import { evaluate, exactDecimal } from '../../symbolic/evaluation/evaluate.ts';
import { one, type Expr } from '../../symbolic/graph/expr.ts';
import { freeSymbols } from '../../symbolic/graph/traverse.ts';
import { dot, minus, plus, times } from '../arithmetic/algebra.ts';
import {
  addScaled,
  combine,
  combineRow,
  constantColumn,
  differenceQuotient,
  FIRST_DERIVATIVE,
  newColumn,
  OFFSETS,
  roomBetween,
  STEP,
  type Column,
} from '../arithmetic/columns.ts';
import { evaluateColumns } from '../arithmetic/evaluate-columns.ts';
import { add, divide, multiply, result } from '../arithmetic/double-double.ts';
import { Coarse, doubleDoubleDecimal, onlyDecimal, type PassiveResult } from './passive-result.ts';
import {
  displaced,
  fieldFormulas,
  MaterialField,
  materialSymbols,
  referencePlaces,
} from '../written/material-field.ts';
import { sampleMaterial, type Fineness, type MaterialPoints, type Scalars } from '../written/material-points.ts';

/** Nodes per panel and direction, with few in the other two; orders of rules over tetrahedra. */
const NODES = [4, 6, 8, 10, 12, 16, 20, 24, 32, 48];
const FEW = 4;
const MESH_ORDERS = [1, 2, 3, 4, 5];

interface Sample {
  readonly volume: Volume;
  readonly solid: SolidMaterial;
  readonly points: MaterialPoints;
  /** Material coordinates of points beside these, by coordinate and offset. */
  readonly beside: readonly (readonly Scalars[])[];
  /** (∂X/∂ξ)⁻¹ by rows, X Cartesian. */
  readonly inverse: readonly (readonly Column[])[];
}

type Measures = Record<keyof typeof STRAIN_MEASURES, Column>;

const STRAINS = ['e_xx', 'e_yy', 'e_zz', 'e_xy', 'e_xz', 'e_yz'] as const;

export class SolidEnergies {
  /** Relative change of the energies when the points were refined for the last time. */
  readonly ruleError: number;
  readonly rows: number;
  private readonly type: BodyType;
  private readonly parameters: Scalars;
  private readonly samples: readonly Sample[];

  /**
   * @param configurations where the energies are compared when the points are refined.
   * @param settled relative change that is as good as none.
   * @param mostPoints of one volume.
   */
  constructor(
    type: BodyType,
    parameters: Scalars,
    configurations: readonly Scalars[],
    settled: number,
    mostPoints: number,
  ) {
    this.type = type;
    this.parameters = parameters;
    const chosen = type.volumes.flatMap((volume, i) => {
      const solid = type.solids![i];
      return solid ? [this.refine({ volume, solid }, configurations, settled, mostPoints)] : [];
    });
    this.samples = chosen.map(({ sample }) => sample);
    this.ruleError = Math.max(...chosen.map(({ error }) => (Number.isNaN(error) ? Infinity : error)));
    this.rows = this.samples.reduce((sum, { points }) => sum + points.rows, 0);
  }

  // -------------------------------------------------------------------------------------------- points

  private refine(
    own: Pick<Sample, 'volume' | 'solid'>,
    configurations: readonly Scalars[],
    settled: number,
    mostPoints: number,
  ): { sample: Sample; error: number } {
    const { volume } = own;
    const smooth = (count: number): Fineness => ({ count, graded: false });
    // Viscous forces need the strain where the energy may depend on the volume alone.
    const measure = (sample: Sample): readonly number[][] => {
      const measured = configurations.map((scalars) => [this.measures(sample, scalars)]);
      return [undefined, STRAIN_MEASURES.e_dot_e].map((density) =>
        measured.map((own) => this.energy([sample], own, density).high[0]!),
      );
    };
    /** Refines with the index until energies stand still. */
    const settle = (
      choices: readonly number[],
      make: (choice: number) => Sample,
    ): { choice: number; sample: Sample; error: number } => {
      let before = make(choices[0]!);
      let known = measure(before);
      let best = { choice: choices[0]!, sample: before, error: Infinity };
      for (const choice of choices.slice(1)) {
        const sample = make(choice);
        if (sample.points.rows > mostPoints) break;
        const now = measure(sample);
        const error = Math.max(...now.map((own, k) => relativeChange(known[k]!, own)));
        [before, known] = [sample, now];
        if (error < best.error) best = { choice, sample: before, error };
        if (error < settled) break;
      }
      return best;
    };
    if (volume.kind === 'mesh')
      return settle(MESH_ORDERS, (order) => this.sample(own, [smooth(order), smooth(order), smooth(order)]));
    const few = smooth(FEW);
    const found = [0, 1, 2].map((direction) =>
      settle(NODES, (count) => {
        const fineness: [Fineness, Fineness, Fineness] = [few, few, few];
        fineness[direction] = smooth(count);
        return this.sample(own, fineness);
      }),
    );
    const [a, b, c] = found.map(({ choice }) => smooth(choice)) as [Fineness, Fineness, Fineness];
    return { sample: this.sample(own, [a, b, c]), error: Math.max(...found.map(({ error }) => error)) };
  }

  private sample(
    { volume, solid }: Pick<Sample, 'volume' | 'solid'>,
    fineness: readonly [Fineness, Fineness, Fineness],
  ): Sample {
    const { type, parameters } = this;
    const unit: Volume = { ...volume, density: one };
    const formulas = fieldFormulas(type, unit);
    const points = sampleMaterial({ volume: unit, formulas, scalars: parameters, fineness });
    const { columns, rows } = points;
    const beside = materialSymbols(volume).map((variable) => OFFSETS.map((k) => aside(columns, variable, k)));
    const slopes = beside.map((own) => {
      const around = own.map((places) => referencePlaces(volume, new Map([...parameters, ...places]), rows));
      return [0, 1, 2].map((i) =>
        differenceQuotient(
          around.map((place) => place[i]!),
          FIRST_DERIVATIVE,
          STEP,
        ),
      );
    });
    return { volume, solid, points, beside, inverse: inverted(slopes, rows) };
  }

  // -------------------------------------------------------------------------------------------- strain

  /** Columns ∂p/∂X of every point, Cartesian: three vectors. */
  private gradient({ volume, points, beside, inverse }: Sample, scalars: Scalars): readonly (readonly Column[])[] {
    const { rows } = points;
    const field = new MaterialField(this.type, [points]);
    const slopes = beside.map((own) => {
      const around = own.map((places) => field.positionsAt(volume, scalars, places, rows));
      return [0, 1, 2].map((i) =>
        slope(
          around.map((place) => place[i]!),
          rows,
        ),
      );
    });
    return [0, 1, 2].map((axis) =>
      [0, 1, 2].map((i) => slopes.map((own, k) => times(own[i]!, inverse[k]![axis]!)).reduce(plus)),
    );
  }

  /** What the energy may be written in. */
  private measures(sample: Sample, scalars: Scalars): Measures {
    const F = this.gradient(sample, scalars) as readonly [Column[], Column[], Column[]];
    const [xx, yy, zz] = F.map((f) => dot(f, f)) as [Column, Column, Column];
    const [xy, xz, yz] = [dot(F[0], F[1]), dot(F[0], F[2]), dot(F[1], F[2])];
    const green = (c: Column, rest: number): Column => times(constantColumn(0.5), plus(c, constantColumn(-rest)));
    const e = [green(xx, 1), green(yy, 1), green(zz, 1), green(xy, 0), green(xz, 0), green(yz, 0)];
    const twice = [3, 4, 5].map((i) => addScaled(times(e[i]!, e[i]!), 1, times(e[i]!, e[i]!)));
    const minor = (i: number, j: number): Column => minus(times(F[1][i]!, F[2][j]!), times(F[1][j]!, F[2][i]!));
    const wanted = freeSymbols([sample.solid.energy]);
    const isWanted = (name: keyof Measures): boolean => wanted.includes(STRAIN_MEASURES[name]);
    const rows = materialSymbols(sample.volume);
    // Columns by x, y and z of the proximal frame, whatever the order of the coordinates.
    const named = ['x', 'y', 'z'].map((name) => rows.findIndex((own) => own.name === `material.${name}`));
    const order = named.includes(-1) ? [0, 1, 2] : named;
    const H = order.map((k, i) => F[k]!.map((f, row) => (row === i ? plus(f, constantColumn(-1)) : f)));
    const small = (i: number, j: number): Column => times(constantColumn(0.5), plus(H[i]![j]!, H[j]![i]!));
    const eps = [small(0, 0), small(1, 1), small(2, 2), small(0, 1), small(0, 2), small(1, 2)];
    const epsSquares = eps.map((own, k) => times(constantColumn(k < 3 ? 1 : 2), times(own, own)));
    return {
      tr_U: isWanted('tr_U') ? sumOfStretches(F) : constantColumn(3),
      tr_eps: [eps[0]!, eps[1]!, eps[2]!].reduce(plus),
      eps_dot_eps: epsSquares.reduce(plus),
      I1: plus(plus(xx, yy), zz),
      I2: minus(
        plus(plus(times(xx, yy), times(yy, zz)), times(zz, xx)),
        plus(plus(times(xy, xy), times(xz, xz)), times(yz, yz)),
      ),
      J: [times(F[0][0]!, minor(1, 2)), times(F[0][1]!, minor(2, 0)), times(F[0][2]!, minor(0, 1))].reduce(plus),
      tr_e: [e[0]!, e[1]!, e[2]!].reduce(plus),
      e_dot_e: [...[0, 1, 2].map((i) => times(e[i]!, e[i]!)), ...twice].reduce(plus),
      ...{ e_xx: e[0]!, e_yy: e[1]!, e_zz: e[2]!, e_xy: e[3]!, e_xz: e[4]!, e_yz: e[5]! },
    };
  }

  /** ∫ W dV, or of another density: one row. @param measured of each of the samples. */
  private energy(samples: readonly Sample[], measured: readonly Measures[], density?: Expr): Column {
    let [high, low] = [0, 0];
    samples.forEach(({ points, solid }, i) => {
      const bindings = new Map<Expr, Column>([...this.parameters, ...points.columns]);
      for (const [name, column] of Object.entries(measured[i]!))
        bindings.set(STRAIN_MEASURES[name as keyof Measures], column);
      const [values] = evaluateColumns([density ?? solid.energy], bindings, points.rows) as [Column];
      for (let row = 0; row < points.rows; row++) {
        multiply(values.high[row]!, values.low[row]!, points.masses[row]!, 0);
        add(high, low, result.high, result.low);
        [high, low] = [result.high, result.low];
      }
    });
    return constantColumn(high, low);
  }

  /** By coordinate, in its unit: steps of quotients are so many times `STEP`. */
  private widths(): readonly number[] {
    const numbers = new Map([...this.parameters].map(([e, { high }]) => [e, high[0]!]));
    return this.type.coordinates.map(({ limits = [] }) => {
      const [lower, upper] = evaluate(limits, numbers);
      return roomBetween(1, lower, upper);
    });
  }

  /** V in J, +∂V/∂q, and ∫ η ė : ∂e/∂q_a dV: one generalized force per coordinate, J over the unit of the coordinate. @param time s */
  forces(q: readonly Decimal[], qd: readonly Decimal[], time: number): PassiveResult {
    const { samples } = this;
    const measuresAt = (direction: readonly number[], seconds: number, factor: number): readonly Measures[] => {
      const scalars = displaced(this.type, this.parameters, q, direction, time, seconds, factor * STEP);
      return samples.map((sample) => this.measures(sample, scalars));
    };
    const still = q.map(() => 0);
    const widths = this.widths();
    const stored = onlyDecimal(this.energy(samples, measuresAt(still, 0, 0)));
    const isViscous = samples.some(({ solid }) => solid.viscosity);
    const path = isViscous ? OFFSETS.map((k) => measuresAt(qd.map(Number), 1, k)) : [];
    const rates = samples.map(({ solid }, i) => (solid.viscosity ? strainSlopes(path.map((own) => own[i]!)) : []));
    const viscosities = samples.map(({ points, solid }) => {
      const bindings = new Map<Expr, Column>([...this.parameters, ...points.columns]);
      return solid.viscosity && evaluateColumns([solid.viscosity], bindings, points.rows)[0]!.high;
    });
    const along = q.map((_, a) => {
      const width = widths[a]!;
      const own = still.map((__, b) => (a === b ? width : 0));
      const around = OFFSETS.map((k) => measuresAt(own, 0, k));
      const energies = around.map((measured) => this.energy(samples, measured));
      let damping = 0;
      samples.forEach(({ points }, i) => {
        const eta = viscosities[i];
        if (!eta) return;
        const partial = strainSlopes(around.map((own) => own[i]!));
        for (let row = 0; row < points.rows; row++) {
          const product = rates[i]!.reduce((sum, own, k) => sum + (k < 3 ? 1 : 2) * own[row]! * partial[k]![row]!, 0);
          damping += points.masses[row]! * eta[eta.length === 1 ? 0 : row]! * product;
        }
      });
      return { elastic: decimalQuotient(energies, STEP * width), damping: damping / width };
    });
    return {
      stored,
      elastic: along.map(({ elastic }) => elastic),
      damping: along.map(({ damping: x }) => (Number.isFinite(x) ? exactDecimal(x, Coarse) : new Coarse(NaN))),
    };
  }
}

const POLAR_STEPS = 10;

/** F : R with the rotation R of F, the limit of R ← ½(R + R⁻ᵀ) from F. */
function sumOfStretches(F: readonly (readonly Column[])[]): Column {
  const over = (a: Column, b: Column): Column => combine(divide, a, b);
  let R = F;
  for (let step = 0; step < POLAR_STEPS; step++) {
    const minor = (k: number, i: number): Column => {
      const at = (column: number, row: number): Column => R[column % 3]![row % 3]!;
      return addScaled(times(at(k + 1, i + 1), at(k + 2, i + 2)), -1, times(at(k + 1, i + 2), at(k + 2, i + 1)));
    };
    const cofactors = [0, 1, 2].map((k) => [0, 1, 2].map((i) => minor(k, i)));
    const determinant = [0, 1, 2].map((i) => times(R[0]![i]!, cofactors[0]![i]!)).reduce(plus);
    R = R.map((column, k) =>
      column.map((own, i) => times(constantColumn(0.5), plus(own, over(cofactors[k]![i]!, determinant)))),
    );
  }
  return F.flatMap((column, k) => column.map((own, i) => times(own, R[k]![i]!))).reduce(plus);
}

/** Slopes of e_xx, e_yy, e_zz, e_xy, e_xz, e_yz over four configurations around one. */
function strainSlopes(around: readonly Measures[]): readonly Float64Array[] {
  return STRAINS.map((name) =>
    differenceQuotient(
      around.map((measured) => measured[name]),
      FIRST_DERIVATIVE,
      STEP,
    ),
  );
}

/** In relation to the largest of the integrals. */
function relativeChange(before: readonly number[], now: readonly number[]): number {
  const scale = Math.max(...now.map(Math.abs));
  return Math.max(...now.map((value, i) => (value === before[i] ? 0 : Math.abs(value - before[i]!) / scale)));
}

/** Material coordinates with one of them `k` steps further on. */
function aside(columns: Scalars, variable: Expr, k: number): Scalars {
  return new Map(columns).set(variable, plus(columns.get(variable)!, constantColumn(k * STEP)));
}

/** The difference quotient without rounding it to doubles. */
function slope(columns: readonly Column[], rows: number): Column {
  const weighted = columns.map((column, i) => times(column, constantColumn(FIRST_DERIVATIVE[i]!))).reduce(plus);
  const scale = exactDecimal(1, Coarse).div(12).div(exactDecimal(STEP, Coarse));
  const high = scale.toNumber();
  const factor = constantColumn(high, scale.minus(exactDecimal(high, Coarse)).toNumber());
  const out = times(weighted, factor);
  return out.high.length === rows
    ? out
    : times(out, { high: new Float64Array(rows).fill(1), low: new Float64Array(rows) });
}

/** Of one row. */
function decimalQuotient(columns: readonly Column[], divisor: number): Decimal {
  combineRow(columns, FIRST_DERIVATIVE, 0);
  return doubleDoubleDecimal(result.high, result.low, divisor);
}

/** @param slopes `slopes[k][i]` = ∂X_i/∂ξ_k. @returns ∂ξ_k/∂X_i at `[k][i]`. */
function inverted(slopes: readonly (readonly Float64Array[])[], rows: number): Column[][] {
  const out = [0, 1, 2].map(() => [0, 1, 2].map(() => newColumn(rows)));
  for (let row = 0; row < rows; row++) {
    const at = (k: number, i: number): number => {
      const own = slopes[k % 3]![i % 3]!;
      return own[own.length === 1 ? 0 : row]!;
    };
    const cofactor = (k: number, i: number): number =>
      at(k + 1, i + 1) * at(k + 2, i + 2) - at(k + 1, i + 2) * at(k + 2, i + 1);
    const determinant = [0, 1, 2].reduce((sum, i) => sum + at(0, i) * cofactor(0, i), 0);
    for (let k = 0; k < 3; k++) for (let i = 0; i < 3; i++) out[k]![i]!.high[row] = cofactor(k, i) / determinant;
  }
  return out;
}
