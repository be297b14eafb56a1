/**
 * Where a rod given by its strain is looked at: Gauss–Legendre points along s. A row of the table is one point, with the
 * section there, and the length of rod that it stands for, its weight: these lengths tile the rod, and each point lies in its
 * own. A row leads the rotation from the start of its length to the point (one half) and on to the end (the other).
 * Breaks cut the rod into panels with a rule each; many points on a panel are blocks of a rule with fewer.
 */
import { Decimal } from 'decimal.js';
import { KanegenError } from '../../common/error.ts';
import { foldConstants } from '../../symbolic/evaluation/evaluate.ts';
import { compare, half, minus, plus, power, select, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { freeSymbols } from '../../symbolic/graph/traverse.ts';
import type { BodyType, SlidingRod } from '../../description/model/robot.ts';
import type { RodVolume } from '../../description/model/reference-volume.ts';
import type { RowIntegration, RowTable, TableColumn } from '../loops/loop.ts';
import type { MagnusOrder } from './rod-rotation.ts';
import { rodSymbol } from './rod-rows.ts';

/** Part of a row that a Magnus step leads across. */
export interface RodStretch {
  /** Axial coordinates of the Gauss–Legendre nodes of the step, rising. */
  readonly nodes: readonly Expr[];
  readonly length: Expr;
}

/** Steps from section to section and to the ends of blocks, within which integrals along the rod are of one polynomial. */
export interface RowSteps {
  /** 1 in the first row of a block, else 0; the same of the last. */
  readonly first: Expr;
  readonly last: Expr;
  /** Axial coordinate that moments are about. */
  readonly origin: Expr;
  /** To the section, from the one before or the start of the block; and on to the end of the block, in its last row alone. */
  readonly halves: readonly { readonly middle: Expr; /** 1/length */ readonly inverse: Expr }[];
}

/** Expressions over the columns of the table and the parameters. */
export interface RodPoints {
  readonly table: RowTable;
  /** On every panel. */
  readonly points: number;
  /** Axial coordinate of the section. */
  readonly section: Expr;
  /** Length of rod that the section stands for. */
  readonly weight: Expr;
  /** From the start of that length to the section, and from there to the end. */
  readonly halves: readonly [RodStretch, RodStretch];
  /** Of a rod that slides out of its base: how far the row leads back along the axis, in rows before those of the rod. */
  readonly retreat?: Expr;
  /** For rotations that know the strain at the sections alone. */
  readonly turns: RowSteps;
}

const Wide = Decimal.clone({ precision: 34 });

/**
 * Weights of κ at the Gauss–Legendre nodes of a step in α_1, α_2, …: the coefficients of the polynomial through the nodes in
 * powers of the distance from the middle, in units of the step.
 */
export function differenceWeights(order: MagnusOrder): readonly (readonly number[])[] {
  const nodes = gaussRule(order / 2).map(({ position }) => position.minus('0.5'));
  const lagrange = nodes.map((node, k) => {
    let coefficients = [new Wide(1)];
    nodes.forEach((other, i) => {
      if (i === k) return;
      const width = node.minus(other);
      const shifted = [new Wide(0), ...coefficients];
      coefficients = shifted.map((e, j) => e.minus(other.times(coefficients[j] ?? 0)).div(width));
    });
    return coefficients;
  });
  // What symmetry makes zero is zero to the last digit.
  const rounded = (e: Decimal): number => (e.abs().lt('1e-25') ? 0 : e.toNumber());
  return nodes.map((_, j) => lagrange.map((coefficients) => rounded(coefficients[j]!)));
}

interface RuleNode {
  readonly position: Decimal;
  readonly weight: Decimal;
}

const rules = new Map<number, readonly RuleNode[]>();

/** Gauss–Legendre on [0, 1], correct to the last digit of a double. */
function gaussRule(points: number): readonly RuleNode[] {
  const known = rules.get(points);
  if (known) return known;
  const half: RuleNode[] = [];
  for (let i = 0; i < Math.ceil(points / 2); i++) {
    const guess = -Math.cos((Math.PI * (i + 0.75)) / (points + 0.5));
    let x = 2 * i + 1 === points ? new Wide(0) : new Wide(newton(points, guess));
    let slope = new Wide(1);
    for (let polish = 0; polish < 3; polish++) {
      const at = legendre(points, x);
      slope = at.slope;
      if (polish < 2) x = x.minus(at.value.div(slope));
    }
    const weight = new Wide(1).div(new Wide(1).minus(x.times(x)).times(slope).times(slope));
    half.push({ position: x.plus(1).div(2), weight });
  }
  const mirrored = half
    .slice(0, Math.floor(points / 2))
    .reverse()
    .map(({ position, weight }) => ({ position: new Wide(1).minus(position), weight }));
  const rule = [...half, ...mirrored];
  rules.set(points, rule);
  return rule;
}

function legendre(order: number, x: Decimal): { value: Decimal; slope: Decimal } {
  let [before, value] = [new Wide(1), x];
  for (let k = 2; k <= order; k++)
    [before, value] = [
      value,
      x
        .times(value)
        .times(2 * k - 1)
        .minus(before.times(k - 1))
        .div(k),
    ];
  return { value, slope: x.times(value).minus(before).times(order).div(x.times(x).minus(1)) };
}

/** The root near `guess` in double precision: a start for the digits. */
function newton(order: number, guess: number): number {
  let x = guess;
  for (let iteration = 0; iteration < 12; iteration++) {
    let [before, value] = [1, x];
    for (let k = 2; k <= order; k++) [before, value] = [value, ((2 * k - 1) * x * value - (k - 1) * before) / k];
    x -= value / ((order * (x * value - before)) / (x * x - 1));
  }
  return x;
}

/** Of a rod that slides out of its base. */
export function slidingOf({ kinematics }: BodyType): SlidingRod | undefined {
  return kinematics.kind === 'strain' ? kinematics.slides : undefined;
}

/** @throws KanegenError `not-supported` where the rod slides out of its base. */
export function requireFixedBase(type: BodyType, what: string): void {
  if (!slidingOf(type)) return;
  throw new KanegenError(
    'not-supported',
    `${what} of \`${type.name}\`, which slides out of its base, are not supported yet`,
    {
      remedy: 'remove `slides-out`, or what acts along the rod',
    },
  ).at(type.locations.kinematics);
}

/** Stage in which places along a rod are known: the border of one that slides moves with the coordinates. */
export function placesKnown(type: BodyType): 0 | 1 {
  return slidingOf(type) ? 1 : 0;
}

/**
 * Ends of the panels: start, breaks in between in order, end. Of a rod that slides out of its base on both sides of the border, where breaks that
 * are on the other side leave panels without length.
 */
export function panelEnds(type: BodyType, volume: RodVolume): readonly Expr[] {
  const ends = fixedEnds(type, volume);
  const sliding = slidingOf(type);
  if (!sliding) return ends;
  const { border } = sliding;
  const inner = ends.slice(1, -1);
  const isInside = (at: Expr): Expr => compare('<', at, border);
  return [
    volume.start,
    ...inner.map((at) => select(isInside(at), at, border)),
    border,
    ...inner.map((at) => select(isInside(at), border, at)),
    volume.end,
  ];
}

function fixedEnds(type: BodyType, volume: RodVolume): readonly Expr[] {
  const breaks = volume.breaks.get(volume.axial) ?? [];
  if (breaks.length === 0) return [volume.start, volume.end];
  const defaults = new Map<Expr, Expr>(type.parameters.map((p) => [p.symbol, p.value]));
  const all = [volume.start, volume.end, ...breaks];
  const unknown = freeSymbols(all).find((s) => !defaults.has(s));
  if (unknown)
    throw new KanegenError('not-supported', 'breaks along a rod depend on parameters of the body only', {
      remedy: 'write them in terms of parameters with default values',
    }).at(type.locations.volume);
  const [start, end, ...positions] = foldConstants(all, defaults) as [number, number, ...number[]];
  const inside = breaks
    .map((at, i) => ({ at, position: positions[i]! }))
    .filter(({ position }) => position > start && position < end)
    .sort((a, b) => a.position - b.position)
    .filter(({ position }, i, list) => i === 0 || position > list[i - 1]!.position);
  return [volume.start, ...inside.map(({ at }) => at), volume.end];
}

interface Row {
  readonly panel: number;
  /** On the panel, from 0 to 1: the length that the row stands for, and its point. */
  readonly from: Decimal;
  readonly to: Decimal;
  readonly position: Decimal;
}

function rowsOf(panels: number, rule: readonly RuleNode[]): readonly Row[] {
  let from = new Wide(0);
  const rows = rule.map(({ position, weight }, i) => {
    const start = from;
    from = i === rule.length - 1 ? new Wide(1) : start.plus(weight);
    return { from: start, to: from, position };
  });
  return Array.from({ length: panels }, (_, panel) => rows.map((row) => ({ panel, ...row }))).flat();
}

/** The longest rule; more points are blocks of shorter ones, because integrals along a block cost its length per point. */
const MOST_TOGETHER = 32;

/** Blocks that a number of points on a panel is cut into, and the points of each. */
function blocksOf(points: number): { readonly blocks: number; readonly block: number } {
  const blocks = Math.ceil(points / MOST_TOGETHER);
  return { blocks, block: Math.ceil(points / blocks) };
}

/** The number of points on a panel that there is a rule for: the next one that is blocks of equal size. */
export function possiblePoints(points: number): number {
  const { blocks, block } = blocksOf(points);
  return blocks * block;
}

function compositeRule(points: number): readonly RuleNode[] {
  const { blocks, block } = blocksOf(points);
  return Array.from({ length: blocks }, (_, k) =>
    gaussRule(block).map(({ position, weight }) => ({
      position: position.plus(k).div(blocks),
      weight: weight.div(blocks),
    })),
  ).flat();
}

const integrations = new Map<number, RowIntegration>();

/**
 * Integrals up to the points of a Gauss–Legendre rule of the polynomial through what is given there (collocation): with the
 * nodes x in [−1, 1] and given values times their weights
 *   1/2 + S_ij = (1 + x_i + Σ_(k ≥ 1) P_k(x_j) (P_(k+1)(x_i) − P_(k−1)(x_i)))/2.
 */
function integrationOf(block: number): RowIntegration {
  const known = integrations.get(block);
  if (known) return known;
  const nodes = gaussRule(block).map(({ position }) => position.times(2).minus(1).toNumber());
  const functions = nodes.map((x) => legendreValues(block, x));
  const S = (i: number, j: number): number => {
    let value = nodes[i]!;
    for (let k = 1; k < block; k++) value += functions[j]![k]! * (functions[i]![k + 1]! - functions[i]![k - 1]!);
    return value / 2;
  };
  const half = Math.ceil(block / 2);
  const last = block - 1;
  const entries = (of: (i: number, j: number) => number): number[] =>
    Array.from({ length: half * half }, (_, at) => of(at % half, Math.floor(at / half)));
  const integration = {
    block,
    even: entries((i, j) => (2 * i === last ? 0 : 2 * j === last ? S(i, j) : (S(i, j) + S(i, last - j)) / 2)),
    odd: entries((i, j) => (2 * j === last ? 0 : (S(i, j) - S(i, last - j)) / 2)),
  };
  integrations.set(block, integration);
  return integration;
}

/** P_0 … P_n at x. */
function legendreValues(n: number, x: number): number[] {
  const values = [1, x];
  for (let k = 1; k < n; k++) values.push(((2 * k + 1) * x * values[k]! - k * values[k - 1]!) / (k + 1));
  return values;
}

/** Columns of a table for expressions Σ_k share_k · end_k over the ends of panels. */
class EndCombinations {
  readonly columns: TableColumn[] = [];
  private readonly ends: readonly Expr[];
  private readonly rows: readonly Row[];

  constructor(ends: readonly Expr[], rows: readonly Row[]) {
    this.ends = ends;
    this.rows = rows;
  }

  /** The position with coordinate u in [0, 1] on the row's panel. */
  position(label: string, u: (row: Row) => Decimal): Expr {
    return this.combination(label, (row) => [new Wide(1).minus(u(row)), u(row)]);
  }

  /** A share of the length of the row's panel. */
  length(label: string, share: (row: Row) => Decimal): Expr {
    return this.combination(label, (row) => [share(row).neg(), share(row)]);
  }

  /** 1 where it holds, else 0. */
  flag(label: string, holds: (row: Row) => boolean): Expr {
    return this.share(label, (row) => new Wide(holds(row) ? 1 : 0));
  }

  /** A number for each row. */
  share(label: string, of: (row: Row) => Decimal): Expr {
    const symbol = rodSymbol(label);
    this.columns.push({ symbol, values: this.rows.map((row) => of(row).toNumber()) });
    return symbol;
  }

  /** Shares of the ends of the row's panel; an end at zero needs none. */
  private combination(label: string, shares: (row: Row) => readonly [Decimal, Decimal]): Expr {
    const { ends, rows } = this;
    const single = ends.length === 2 && ends[0] === zero;
    const terms = ends.map((end, k) => {
      if (end === zero) return zero;
      const values = rows.map((row) => {
        const [lower, upper] = shares(row);
        return k === row.panel ? lower.toNumber() : k === row.panel + 1 ? upper.toNumber() : 0;
      });
      const symbol = rodSymbol(single ? label : `${label}_${k}`);
      this.columns.push({ symbol, values });
      return times(symbol, end);
    });
    return plus(...terms);
  }
}

/**
 * Points of a rod, with a panel without length or mass before the others where it slides out of its base: its rows lead back to where the rod begins.
 * @param ends of the panels.
 * @param points on every panel, see possiblePoints.
 */
export function rodPlaces(type: BodyType, ends: readonly Expr[], points: number, order: MagnusOrder): RodPoints {
  const sliding = slidingOf(type);
  if (!sliding) return rodPoints(ends, points, order);
  const start = ends[0]!;
  return rodPoints([start, ...ends], points, order, minus(start, sliding.border));
}

/**
 * @param ends of the panels.
 * @param points on every panel, see possiblePoints.
 * @param back along the axis in the first panel.
 */
export function rodPoints(ends: readonly Expr[], points: number, order: MagnusOrder, back?: Expr): RodPoints {
  const rows = rowsOf(ends.length - 1, compositeRule(points));
  const combinations = new EndCombinations(ends, rows);
  const stretch = (which: number, start: (row: Row) => Decimal, end: (row: Row) => Decimal): RodStretch => ({
    nodes: gaussRule(order / 2).map(({ position: node }, i) =>
      combinations.position(`node_${which}_${i + 1}`, (row) => start(row).plus(end(row).minus(start(row)).times(node))),
    ),
    length: combinations.length(`length_${which}`, (row) => end(row).minus(start(row))),
  });
  const point = (row: Row): Decimal => row.position;
  const halves = [stretch(1, (row) => row.from, point), stretch(2, point, (row) => row.to)] as const;
  const section = combinations.position('section', point);
  const weight = combinations.length('weight', ({ from, to }) => to.minus(from));
  const { blocks, block } = blocksOf(points);
  const integration = integrationOf(block);
  const table = { name: 'rod', rows: rows.length, columns: combinations.columns, integration };
  const turns = turnsOf(ends, rows, combinations, block);
  const retreat =
    back &&
    times(
      combinations.share('retreat', (row) => (row.panel === 0 ? row.to.minus(row.from) : new Wide(0))),
      back,
    );
  return { table, points: blocks * block, section, weight, halves, turns, ...(retreat && { retreat }) };
}

/** Zero where there is no length, of panels beyond the point where a rod ends. */
export function inverseLength(length: Expr): Expr {
  return length === zero ? zero : select(compare('==', length, zero), zero, power(length, -1));
}

/** Columns that no value mentions are left out of tables. */
function turnsOf(ends: readonly Expr[], rows: readonly Row[], combinations: EndCombinations, block: number): RowSteps {
  const indexOf = new Map(rows.map((row, i) => [row, i]));
  const place = (row: Row): number => indexOf.get(row)! % block;
  const isLast = (row: Row): boolean => place(row) === block - 1;
  const before = (row: Row): Decimal => (place(row) === 0 ? row.from : rows[indexOf.get(row)! - 1]!.position);
  const middle = (a: Decimal, b: Decimal): Decimal => a.plus(b).div(2);
  const leading = {
    middle: combinations.position('leading_middle', (row) => middle(before(row), row.position)),
    inverse: inverseLength(combinations.length('leading_length', (row) => row.position.minus(before(row)))),
  };
  // The length of a row stands for one that is not there.
  const trailing = {
    middle: combinations.position('trailing_middle', (row) =>
      isLast(row) ? middle(row.position, row.to) : row.position,
    ),
    inverse: inverseLength(
      combinations.length('trailing_length', (row) => row.to.minus(isLast(row) ? row.position : row.from)),
    ),
  };
  return {
    first: combinations.flag('block_start', (row) => place(row) === 0),
    last: combinations.flag('block_end', isLast),
    origin: times(half, plus(ends[0]!, ends.at(-1)!)),
    halves: [leading, trailing],
  };
}

/** Points along a rod for integrals without a march. */
export function sectionPoints(
  ends: readonly Expr[],
  points: number,
  name: string,
): { readonly table: RowTable; readonly section: Expr; readonly weight: Expr } {
  const rows = rowsOf(ends.length - 1, compositeRule(points));
  const combinations = new EndCombinations(ends, rows);
  const section = combinations.position(`${name}_section`, (row) => row.position);
  const weight = combinations.length(`${name}_weight`, ({ from, to }) => to.minus(from));
  return { table: { name, rows: rows.length, columns: combinations.columns }, section, weight };
}
