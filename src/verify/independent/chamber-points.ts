/**
 * Points in pressure chambers for the independent check: Gauss points over regions and surfaces in coordinates of their own,
 * and difference quotients along these, for which all displaced points are evaluated at once.
 */
import type { ChamberMesh, ChamberRegion } from '../../description/model/chamber.ts';
import type { BodyType, DeformableBody } from '../../description/model/robot.ts';
import type { Breaks, Volume } from '../../description/model/reference-volume.ts';
import { decimalOfPrecision, exactDecimal } from '../../symbolic/evaluation/evaluate.ts';
import { zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { freeSymbols, substitute } from '../../symbolic/graph/traverse.ts';
import { plus, times } from '../arithmetic/algebra.ts';
import {
  constantColumn,
  decimalColumn,
  FIRST_DERIVATIVE,
  newColumn,
  OFFSETS,
  type Column,
} from '../arithmetic/columns.ts';
import { evaluateColumns } from '../arithmetic/evaluate-columns.ts';
import { gaussLegendre } from '../arithmetic/gauss-legendre.ts';
import { fieldFormulas } from '../written/material-field.ts';
import { panelEnds, sampleMaterial, type Scalars } from '../written/material-points.ts';

/** Steps of material coordinates, of their ranges. */
const ASIDE = 2e-5;

/** Of a range, where nothing happens by symmetry. */
const MIDDLE = 0.437;

const Digits = decimalOfPrecision(60);

/** Nodes in each direction that a rule may be refined in. */
export type Fineness = readonly number[];

// ---------------------------------------------------------------------------------------------- points

/** Points of a rule over coordinates of their own. */
export interface Points {
  readonly axes: readonly SymbolExpr[];
  /** One per axis. */
  readonly columns: readonly Column[];
  readonly weights: Float64Array;
  /** Material coordinates that are none of the axes. */
  readonly material: ReadonlyMap<SymbolExpr, Expr>;
}

type Ranges = readonly (readonly [Expr, Expr])[];

/** Gauss points between the breaks of each axis; ranges may depend on the axes before. */
export function gaussPoints(
  { type, volume }: { readonly type: BodyType; readonly volume: Volume },
  {
    axes,
    ranges,
    breaks,
    material,
  }: Pick<Points, 'axes' | 'material'> & { readonly ranges: Ranges; readonly breaks: Breaks },
  parameters: Scalars,
  fineness: Fineness,
): Points {
  const formulas = substitute(fieldFormulas(type, volume), material);
  // Conditions with several axes split each of them where the others are about in their middle.
  const middle = new Map(parameters);
  axes.forEach((axis, i) => {
    const [low, high] = evaluateColumns(ranges[i]!, middle, 1).map((column) => column.high[0]!) as [number, number];
    middle.set(axis, constantColumn(low + MIDDLE * (high - low)));
  });
  let columns: Float64Array[] = [];
  let weights = Float64Array.of(1);
  axes.forEach((axis, i) => {
    const known = new Map(parameters);
    axes.slice(0, i).forEach((before, k) => known.set(before, exactColumn(columns[k]!)));
    const [low, high] = evaluateColumns(ranges[i]!, known, weights.length).map((column) => column.high) as [
      Float64Array,
      Float64Array,
    ];
    const given = evaluateColumns([zero, ...(breaks.get(axis) ?? [])], parameters, 1).slice(1);
    const widest: [number, number] = [Math.min(...low), Math.max(...high)];
    const ends = panelEnds(
      formulas,
      axis,
      new Set(),
      widest,
      given.map((place) => place.high[0]!),
      middle,
    );
    const rule = gaussLegendre(fineness[i]!, Digits);
    const rows: { readonly from: number; readonly place: number; readonly weight: number }[] = [];
    weights.forEach((weight, from) => {
      const own = [low[from]!, ...ends.filter((e) => e > low[from]! && e < high[from]!), high[from]!];
      for (let panel = 1; panel < own.length; panel++) {
        const [start, width] = [own[panel - 1]!, own[panel]! - own[panel - 1]!];
        for (const node of rule)
          rows.push({
            from,
            place: start + width * node.position.toNumber(),
            weight: weight * width * node.weight.toNumber(),
          });
      }
    });
    columns = [
      ...columns.map((column) => Float64Array.from(rows, ({ from }) => column[from]!)),
      Float64Array.from(rows, ({ place }) => place),
    ];
    weights = Float64Array.from(rows, (row) => row.weight);
  });
  return { axes, columns: columns.map(exactColumn), weights, material };
}

export function regionPoints(
  body: DeformableBody,
  region: ChamberRegion,
  parameters: Scalars,
  fineness: Fineness,
): Points {
  return gaussPoints(bodyWithVolume(body), region, parameters, fineness);
}

export function meshPoints({ mesh }: ChamberMesh, parameters: Scalars, [order]: Fineness): Points {
  const one = { count: order!, graded: false };
  const sampled = sampleMaterial({ volume: mesh, formulas: [], scalars: parameters, fineness: [one, one, one] });
  const columns = mesh.axes.map((axis) => sampled.columns.get(axis)!);
  return { axes: mesh.axes, columns, weights: sampled.masses, material: new Map() };
}

const exactColumn = (high: Float64Array): Column => ({ high, low: new Float64Array(high.length) });

/** Positions refer to coordinates of the first volume. */
export const bodyWithVolume = ({ type }: DeformableBody): { readonly type: BodyType; readonly volume: Volume } => ({
  type,
  volume: type.volumes[0]!,
});

// ---------------------------------------------------------------------------------------------- slopes

/** Values at points and their slopes along every axis. */
export interface Slopes {
  readonly values: readonly Column[];
  /** `along[k]`: by axis k. */
  readonly along: readonly (readonly Column[])[];
}

/** Difference quotients along the axes of functions of material coordinates: all displaced points are evaluated at once. */
export class DisplacedPoints {
  readonly rows: number;
  readonly total: number;
  private readonly axes: Scalars;
  private readonly material: Points['material'];
  /** The same at every configuration. */
  private readonly still: Scalars | undefined;
  private readonly steps: readonly number[];

  constructor({ axes, columns, weights, material }: Points, parameters: Scalars) {
    this.rows = weights.length;
    this.total = this.rows * (1 + OFFSETS.length * axes.length);
    this.steps = columns.map(({ high }) => ASIDE * (extreme(high, Math.max) - extreme(high, Math.min) || 1));
    const all = new Map<Expr, Column>(
      axes.map((axis, k) => {
        const variants = axes.flatMap((_, other) =>
          OFFSETS.map((offset) => (other === k ? shifted(columns[k]!, offset * this.steps[k]!) : columns[k]!)),
        );
        return [axis, joined([columns[k]!, ...variants])];
      }),
    );
    this.axes = all;
    this.material = material;
    const isKnown = (own: Expr): boolean => parameters.has(own) || all.has(own);
    this.still = freeSymbols([...material.values()]).every(isKnown) ? this.columnsAt(parameters) : undefined;
  }

  /**
   * Material coordinates at the points, then at those displaced along the first axis, and so on.
   * @param scalars parameters, coordinates and the time.
   */
  columns(scalars: Scalars): Scalars {
    return this.still ?? this.columnsAt(scalars);
  }

  private columnsAt(scalars: Scalars): Scalars {
    const { axes, material, total } = this;
    const others = evaluateColumns([...material.values()], new Map([...scalars, ...axes]), total);
    return new Map([...axes, ...[...material.keys()].map((own, i) => [own, others[i]!] as const)]);
  }

  /** @param values over `columns`. */
  slopes(values: readonly Column[]): Slopes {
    const { rows } = this;
    const part = ({ high, low }: Column, k: number): Column => ({
      high: high.subarray(k * rows, (k + 1) * rows),
      low: low.subarray(k * rows, (k + 1) * rows),
    });
    return {
      values: values.map((column) => part(column, 0)),
      along: this.steps.map((step, axis) =>
        values.map((column) => {
          const sum = OFFSETS.map((_, i) =>
            times(part(column, 1 + axis * OFFSETS.length + i), constantColumn(FIRST_DERIVATIVE[i]!)),
          ).reduce(plus);
          return times(sum, reciprocal(12, step));
        }),
      ),
    };
  }
}

/** 1/(a b) */
export function reciprocal(a: number, b: number): Column {
  return decimalColumn([new Digits(1).div(exactDecimal(a, Digits).times(exactDecimal(b, Digits)))]);
}

const extreme = (values: Float64Array, pick: (a: number, b: number) => number): number =>
  values.reduce((a, b) => pick(a, b));

const shifted = (column: Column, by: number): Column => plus(column, constantColumn(by));

function joined(columns: readonly Column[]): Column {
  const rows = columns[0]!.high.length;
  const out = newColumn(rows * columns.length);
  columns.forEach(({ high, low }, k) => {
    out.high.set(high, k * rows);
    out.low.set(low, k * rows);
  });
  return out;
}
