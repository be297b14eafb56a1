/**
 * Material points and masses of any reference volume, for the independent check: products of one-dimensional rules over rods
 * and boxes, Grundmann and Möller's rules over tetrahedra. Nothing here is used by the compiler.
 */
import {
  sectionDimensions,
  type BoxVolume,
  type MeshVolume,
  type RodVolume,
  type Volume,
} from '../../description/model/reference-volume.ts';
import { fieldColumns } from '../../mesh/element-fields.ts';
import { decimalOfPrecision } from '../../symbolic/evaluation/evaluate.ts';
import { zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { postorder } from '../../symbolic/graph/traverse.ts';
import { columnOf, newColumn, type Column } from '../arithmetic/columns.ts';
import { evaluateColumns } from '../arithmetic/evaluate-columns.ts';
import { add, multiply, result } from '../arithmetic/double-double.ts';
import { gaussLegendre } from '../arithmetic/gauss-legendre.ts';

export type Scalars = ReadonlyMap<Expr, Column>;

export interface MaterialPoints {
  readonly rows: number;
  /** Material coordinates, one column per symbol. */
  readonly columns: ReadonlyMap<Expr, Column>;
  /** kg; weights of a rule may be negative. */
  readonly masses: Float64Array;
  /** Of rods: axial nodes in rising order; rows of one node stand together. */
  readonly axial?: AxialNodes;
}

interface AxialNodes {
  readonly nodes: Column;
  readonly rowsPerNode: number;
  /** Ends of the rod and places where strains have kinks, ends first and last. */
  readonly breaks: readonly number[];
}

/** How finely each direction is sampled: nodes per panel, or nodes graded towards the ends of panels. */
export interface Fineness {
  readonly count: number;
  readonly graded: boolean;
}

// ---------------------------------------------------------------------------------------------- one direction

/** A node on (0, 1) by its distances from both ends. */
interface UnitNode {
  readonly fromStart: number;
  readonly fromEnd: number;
  readonly weight: number;
}

const Digits = decimalOfPrecision(30);

function unitRule({ count, graded }: Fineness): UnitNode[] {
  if (!graded)
    return gaussLegendre(count, Digits).map(({ position, weight }) => ({
      fromStart: position.toNumber(),
      fromEnd: new Digits(1).minus(position).toNumber(),
      weight: weight.toNumber(),
    }));
  // Double-exponential: x = (1 + tanh(π/2 sinh t))/2 for |t| ≤ 3.4, beyond which less than 1e-20 of the panel is left.
  const step = 6.8 / (count - 1);
  return Array.from({ length: count }, (_, i) => {
    const t = i * step - 3.4;
    const outer = Math.PI * Math.sinh(t);
    return {
      fromStart: 1 / (1 + Math.exp(-outer)),
      fromEnd: 1 / (1 + Math.exp(outer)),
      weight: (step * Math.PI * Math.cosh(t)) / (2 + Math.exp(outer) + Math.exp(-outer)),
    };
  });
}

interface LineRule {
  /** Positions in double-double, so that the distance from an end keeps its digits. */
  readonly positions: Column;
  readonly weights: Float64Array;
}

/**
 * A rule on [ends_0, ends_1] ∪ [ends_1, ends_2] ∪ …
 * @param outer what the doubles of the first and the last end leave out: a formula may be singular right behind them.
 */
function lineRule(ends: readonly number[], fineness: Fineness, outer: readonly [number, number] = [0, 0]): LineRule {
  const unit = unitRule(fineness);
  const rows = unit.length * (ends.length - 1);
  const positions = newColumn(rows);
  const weights = new Float64Array(rows);
  for (let panel = 0; panel + 1 < ends.length; panel++) {
    const [low, high] = [ends[panel]!, ends[panel + 1]!];
    unit.forEach((node, i) => {
      const row = panel * unit.length + i;
      const nearStart = node.fromStart < node.fromEnd;
      multiply(high - low, 0, nearStart ? node.fromStart : -node.fromEnd, 0);
      const omitted = nearStart && panel === 0 ? outer[0] : !nearStart && panel + 2 === ends.length ? outer[1] : 0;
      add(nearStart ? low : high, omitted, result.high, result.low);
      positions.high[row] = result.high;
      positions.low[row] = result.low;
      weights[row] = (high - low) * node.weight;
    });
  }
  return { positions, weights };
}

/**
 * Places in (low, high) where a condition of the formulas changes along `variable`, together with the given ones and both
 * ends. Only conditions that hold for all other coordinates alike are found: those without them.
 */
export function panelEnds(
  formulas: readonly Expr[],
  variable: SymbolExpr,
  material: ReadonlySet<Expr>,
  [low, high]: readonly [number, number],
  given: readonly number[],
  scalars: Scalars,
): number[] {
  const found = new Set<number>(given);
  for (const { left, right } of conditionsOf(formulas)) {
    const symbols = postorder([left, right]).filter((node) => node.kind === 'symbol');
    if (!symbols.includes(variable) || symbols.some((s) => s !== variable && (material.has(s) || !scalars.has(s))))
      continue;
    for (const root of signChanges(left, right, variable, low, high, scalars)) found.add(root);
  }
  const margin = 1e-9 * (high - low);
  const inner = [...found].filter((place) => place > low + margin && place < high - margin).sort((a, b) => a - b);
  return [low, ...inner.filter((place, i) => i === 0 || place - inner[i - 1]! > margin), high];
}

/** Two expressions at whose equality formulas have a kink or a jump. */
interface Condition {
  readonly left: Expr;
  readonly right: Expr;
}

/** Comparisons, and the signs that `abs` and `sign` ask for. */
export function conditionsOf(formulas: readonly Expr[]): Condition[] {
  return postorder(formulas).flatMap((e) => {
    if (e.kind === 'compare') return [{ left: e.left, right: e.right }];
    const asksForSign = e.kind === 'call' && (e.name === 'abs' || e.name === 'sign');
    return asksForSign ? [{ left: e.arguments[0]!, right: zero }] : [];
  });
}

const SCAN = 400;

/** Roots of left − right by a scan and the secant rule: exact for what is linear in the variable. */
function signChanges(left: Expr, right: Expr, variable: Expr, low: number, high: number, scalars: Scalars): number[] {
  const difference = (positions: readonly number[]): Float64Array => {
    const here = new Map(scalars).set(variable, columnOf(positions));
    const [a, b] = evaluateColumns([left, right], here, positions.length) as [Column, Column];
    return a.high.map((value, i) => value - b.high[i]!);
  };
  const grid = Array.from({ length: SCAN + 1 }, (_, i) => low + ((high - low) * (i + 0.137)) / (SCAN + 0.3));
  const values = difference(grid);
  return grid.flatMap((start, i) => {
    if (i === SCAN || !(values[i]! * values[i + 1]! < 0)) return [];
    let [a, b, fa, fb] = [start, grid[i + 1]!, values[i]!, values[i + 1]!];
    for (let iteration = 0; iteration < 60 && a !== b && fb !== fa; iteration++) {
      const next = a - (fa * (b - a)) / (fb - fa);
      const value = difference([next])[0]!;
      [a, fa, b, fb] = [b, fb, next, value];
      if (value === 0) break;
    }
    return [b];
  });
}

// ---------------------------------------------------------------------------------------------- volumes

/** Directions of a volume in the order of its material coordinates, and formulas whose kinks split them. */
export interface SamplingPlan {
  readonly volume: Volume;
  readonly formulas: readonly Expr[];
  /** Parameters of the body and the robot. */
  readonly scalars: Scalars;
  /** One per direction; of meshes the first counts: the order of the rule. */
  readonly fineness: readonly [Fineness, Fineness, Fineness];
}

const number = (e: Expr, scalars: Scalars): number => evaluateColumns([e], scalars, 1)[0]!.high[0]!;
const rest = (e: Expr, scalars: Scalars): number => evaluateColumns([e], scalars, 1)[0]!.low[0]!;

export function sampleMaterial(plan: SamplingPlan): MaterialPoints {
  switch (plan.volume.kind) {
    case 'rod':
      return sampleRod(plan, plan.volume);
    case 'box':
      return sampleBox(plan, plan.volume);
    case 'mesh':
      return sampleMesh(plan, plan.volume);
  }
}

/** Density times weights. */
function massesOf(
  density: Expr,
  weights: Float64Array,
  columns: ReadonlyMap<Expr, Column>,
  scalars: Scalars,
): Float64Array {
  const [values] = evaluateColumns([density], new Map([...scalars, ...columns]), weights.length) as [Column];
  return weights.map((weight, i) => weight * values.high[i]!);
}

function breaksOf(volume: RodVolume | BoxVolume, variable: SymbolExpr, scalars: Scalars): number[] {
  return (volume.breaks.get(variable) ?? []).map((place) => number(place, scalars));
}

function sampleBox({ formulas, scalars, fineness }: SamplingPlan, volume: BoxVolume): MaterialPoints {
  const material = new Set<Expr>(volume.axes);
  const lines = volume.axes.map((axis, i) => {
    const [low, high] = volume.ranges[i]!.map((e) => number(e, scalars)) as [number, number];
    const ends = panelEnds(formulas, axis, material, [low, high], breaksOf(volume, axis, scalars), scalars);
    return lineRule(ends, fineness[i]!, [rest(volume.ranges[i]![0], scalars), rest(volume.ranges[i]![1], scalars)]);
  }) as [LineRule, LineRule, LineRule];
  const { columns, weights } = product(lines);
  const named = new Map<Expr, Column>(volume.axes.map((axis, i) => [axis, columns[i]!]));
  return { rows: weights.length, columns: named, masses: massesOf(volume.density, weights, named, scalars) };
}

function product(lines: readonly [LineRule, LineRule, LineRule]): { columns: Column[]; weights: Float64Array } {
  const counts = lines.map((line) => line.weights.length) as [number, number, number];
  const rows = counts[0] * counts[1] * counts[2];
  const columns = lines.map(() => newColumn(rows));
  const weights = new Float64Array(rows);
  for (let row = 0; row < rows; row++) {
    const index = [Math.floor(row / (counts[1] * counts[2])), Math.floor(row / counts[2]) % counts[1], row % counts[2]];
    weights[row] = 1;
    lines.forEach((line, i) => {
      const k = index[i]!;
      columns[i]!.high[row] = line.positions.high[k]!;
      columns[i]!.low[row] = line.positions.low[k]!;
      weights[row]! *= line.weights[k]!;
    });
  }
  return { columns, weights };
}

/** A section in coordinates of the unit square or disc, for every axial node alike. */
interface SectionPoints {
  /** The section's two coordinates (x, y or r, phi), over the dimensions at one axial position. */
  readonly points: readonly (readonly [number, number])[];
  readonly areas: readonly number[];
}

function sampleRod(plan: SamplingPlan, volume: RodVolume): MaterialPoints {
  const { formulas, scalars, fineness } = plan;
  const material = new Set<Expr>([volume.axial, ...volume.section]);
  const [start, end] = [number(volume.start, scalars), number(volume.end, scalars)];
  const given = breaksOf(volume, volume.axial, scalars);
  const dimensions = sectionDimensions(volume.shape);
  const conditions = [...formulas, ...dimensions];
  const breaks = panelEnds(conditions, volume.axial, material, [start, end], given, scalars);
  const line = lineRule(breaks, fineness[0], [rest(volume.start, scalars), rest(volume.end, scalars)]);
  const along = new Map(scalars).set(volume.axial, line.positions);
  const sizes = evaluateColumns(dimensions, along, line.weights.length).map((column) => column.high);
  const sections = Array.from(line.weights, (_, k) =>
    sectionPoints(
      plan,
      volume,
      sizes.map((size) => size[k]!),
    ),
  );
  const rowsPerNode = sections[0]!.areas.length;
  const rows = rowsPerNode * sections.length;
  const [axial, first, second] = [newColumn(rows), newColumn(rows), newColumn(rows)];
  const weights = new Float64Array(rows);
  sections.forEach(({ points, areas }, k) =>
    points.forEach(([u, v], i) => {
      const row = k * rowsPerNode + i;
      axial.high[row] = line.positions.high[k]!;
      axial.low[row] = line.positions.low[k]!;
      first.high[row] = u;
      second.high[row] = v;
      weights[row] = line.weights[k]! * areas[i]!;
    }),
  );
  const columns = new Map<Expr, Column>([
    [volume.axial, axial],
    [volume.section[0], first],
    [volume.section[1], second],
  ]);
  return {
    rows,
    columns,
    masses: massesOf(volume.density, weights, columns, scalars),
    axial: { nodes: line.positions, rowsPerNode, breaks },
  };
}

function sectionPoints(plan: SamplingPlan, volume: RodVolume, sizes: readonly number[]): SectionPoints {
  const { shape } = volume.shape;
  const [a, b = a] = sizes as [number, number?];
  if (shape === 'rectangle') {
    const [across, up] = [a, b].map((size, i) => lineRule([-size / 2, size / 2], plan.fineness[i === 0 ? 1 : 2]));
    return pairs(across!, up!, () => 1);
  }
  const [inner, outer] = shape === 'annulus' ? [a, b] : shape === 'disc' ? [0, a] : [0, 1];
  const [scaleX, scaleY] = shape === 'ellipse' ? [a, b] : [1, 1];
  return volume.coordinates === 'polar'
    ? polarPoints(plan, volume, [inner, outer], scaleX * scaleY)
    : roundPoints(plan, [inner, outer], [scaleX, scaleY]);
}

function pairs(first: LineRule, second: LineRule, jacobian: (u: number, v: number) => number): SectionPoints {
  const points: [number, number][] = [];
  const areas: number[] = [];
  first.weights.forEach((w, i) =>
    second.weights.forEach((v, j) => {
      const point: [number, number] = [first.positions.high[i]!, second.positions.high[j]!];
      points.push(point);
      areas.push(w * v * jacobian(...point));
    }),
  );
  return { points, areas };
}

/** r and phi as the user's coordinates: panels between the breaks of both, dA = scale · r dr dphi. */
function polarPoints(
  { formulas, scalars, fineness }: SamplingPlan,
  volume: RodVolume,
  range: readonly [number, number],
  scale: number,
): SectionPoints {
  const material = new Set<Expr>([volume.axial, ...volume.section]);
  const [r, phi] = volume.section;
  const line = (variable: SymbolExpr, [low, high]: readonly [number, number], which: 1 | 2): LineRule =>
    lineRule(
      panelEnds(formulas, variable, material, [low, high], breaksOf(volume, variable, scalars), scalars),
      fineness[which],
    );
  return pairs(line(r, range, 1), line(phi, [0, 2 * Math.PI], 2), (radius) => scale * radius);
}

/** x and y of a function that is smooth in them: Gauss points in r², equally spaced angles. */
function roundPoints(
  { fineness }: SamplingPlan,
  [inner, outer]: readonly [number, number],
  [scaleX, scaleY]: readonly [number, number],
): SectionPoints {
  const angles = 2 * fineness[2].count;
  const points: [number, number][] = [];
  const areas: number[] = [];
  for (const node of unitRule({ count: fineness[1].count, graded: false })) {
    const r = Math.sqrt(inner ** 2 + (outer ** 2 - inner ** 2) * node.fromStart);
    for (let k = 0; k < angles; k++) {
      const angle = (2 * Math.PI * (k + 0.25)) / angles;
      points.push([scaleX * r * Math.cos(angle), scaleY * r * Math.sin(angle)]);
      areas.push(((scaleX * scaleY * Math.PI * (outer ** 2 - inner ** 2)) / angles) * node.weight);
    }
  }
  return { points, areas };
}

// ---------------------------------------------------------------------------------------------- tetrahedra

/** Barycentric points and weights (summing to 1) of degree 2 s + 1. Source: A. Grundmann, H. M. Möller (1978), n = 3. */
function tetrahedronRule(s: number): { readonly point: readonly number[]; readonly weight: number }[] {
  const degree = 2 * s + 1;
  const factorial = (n: number): number => (n < 2 ? 1 : n * factorial(n - 1));
  const rule: { point: number[]; weight: number }[] = [];
  for (let i = 0; i <= s; i++) {
    const size = degree + 3 - 2 * i;
    const weight =
      ((i % 2 === 0 ? 1 : -1) * 2 ** (-2 * s) * size ** degree * 6) / (factorial(i) * factorial(degree + 3 - i));
    for (let a = 0; a <= s - i; a++)
      for (let b = 0; a + b <= s - i; b++)
        for (let c = 0; a + b + c <= s - i; c++)
          rule.push({ point: [a, b, c, s - i - a - b - c].map((k) => (2 * k + 1) / size), weight });
  }
  return rule;
}

function sampleMesh({ scalars, fineness }: SamplingPlan, { mesh, axes, density, fields }: MeshVolume): MaterialPoints {
  const rule = tetrahedronRule(fineness[0].count);
  const count = mesh.tetrahedra.length / 4;
  const rows = count * rule.length;
  const places = axes.map(() => newColumn(rows)) as [Column, Column, Column];
  const weights = new Float64Array(rows);
  for (let t = 0; t < count; t++) {
    const corners = [0, 1, 2, 3].map((i) => {
      const node = mesh.tetrahedra[4 * t + i]!;
      return [0, 1, 2].map((axis) => mesh.nodes[3 * node + axis]!);
    });
    const [o, a, b, c] = corners as [number[], number[], number[], number[]];
    const edge = (p: number[]): number[] => p.map((x, i) => x - o[i]!);
    const [u, v, w] = [edge(a), edge(b), edge(c)] as [number[], number[], number[]];
    const volume =
      (u[0]! * (v[1]! * w[2]! - v[2]! * w[1]!) -
        u[1]! * (v[0]! * w[2]! - v[2]! * w[0]!) +
        u[2]! * (v[0]! * w[1]! - v[1]! * w[0]!)) /
      6;
    rule.forEach(({ point, weight }, k) => {
      const row = t * rule.length + k;
      weights[row] = weight * volume;
      places.forEach((column, axis) => {
        column.high[row] = corners.reduce((sum, corner, i) => sum + point[i]! * corner[axis]!, 0);
      });
    });
  }
  const columns = new Map<Expr, Column>(axes.map((axis, i) => [axis, places[i]!]));
  const ofRows = Array.from({ length: rows }, (_, row) => Math.floor(row / rule.length));
  for (const [own, high] of fieldColumns(fields, ofRows)) columns.set(own, { high, low: new Float64Array(rows) });
  return { rows, columns, masses: massesOf(density, weights, columns, scalars) };
}
