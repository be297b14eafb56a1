/**
 * Where a rod given by its strain is looked at: Gauss–Legendre points along s carry the mass of the sections, Magnus steps
 * lead from point to point and from the last one to the end. A row of the table is one step and the section at its end.
 * Breaks cut the rod into panels with a rule each; the last row of a panel leads to its end and carries no mass.
 */
import { Decimal } from 'decimal.js';
import { KanegenError } from '../../symbolic/error.ts';
import { foldConstants } from '../../symbolic/evaluate.ts';
import { fraction, integer, negate, plus, sqrt, times, zero, type Expr } from '../../symbolic/expr.ts';
import { freeSymbols } from '../../symbolic/traverse.ts';
import type { BodyType, RodVolume } from '../../description/model/robot.ts';
import type { RowTable, TableColumn } from '../loops/loop.ts';
import type { MagnusOrder } from './rod-magnus.ts';
import { rodSymbol } from './rod-rows.ts';

export interface RodPoints {
  readonly table: RowTable;
  /** Axial coordinate of the nodes of the step, of the section; over the columns and the parameters. */
  readonly nodes: readonly Expr[];
  readonly section: Expr;
  /** Length of the step, and length of rod that the section stands for. */
  readonly step: Expr;
  readonly weight: Expr;
}

const Wide = Decimal.clone({ precision: 34 });

/** Weights of h·ξ at the nodes in α_1, α_2, α_3. */
export function magnusWeights(order: MagnusOrder): readonly (readonly Expr[])[] {
  if (order === 4) {
    const difference = sqrt(integer(3));
    return [
      [fraction(1, 2), fraction(1, 2)],
      [negate(difference), difference],
    ];
  }
  const difference = times(fraction(1, 3), sqrt(integer(15)));
  return [
    [zero, integer(1), zero],
    [negate(difference), zero, difference],
    [fraction(10, 3), fraction(-20, 3), fraction(10, 3)],
  ];
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
  let [before, value] = [new Wide(1), x as Decimal];
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

/** Ends of the panels: start, breaks in between in order, end. */
export function panelEnds(type: BodyType, volume: RodVolume): readonly Expr[] {
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
  readonly from: Decimal;
  readonly to: Decimal;
  readonly weight: Decimal;
}

function rowsOf(panels: number, rule: readonly RuleNode[]): readonly Row[] {
  const stops = [...rule, { position: new Wide(1), weight: new Wide(0) }];
  return Array.from({ length: panels }, (_, panel) =>
    stops.map(({ position, weight }, i) => ({
      panel,
      from: i === 0 ? new Wide(0) : stops[i - 1]!.position,
      to: position,
      weight,
    })),
  ).flat();
}

/**
 * Gauss points in groups of four, or as nearly so as the number allows. A Magnus step is as accurate as it is short, and
 * the points of one long rule stand half as dense in the middle as they do on average; groups cost nothing, because steps
 * reach across from one to the next.
 */
function compositeRule(points: number): readonly RuleNode[] {
  const groups = Math.max(1, Math.floor(points / POINTS_TOGETHER));
  const rule: RuleNode[] = [];
  for (let group = 0; group < groups; group++) {
    const size = Math.floor((points * (group + 1)) / groups) - rule.length;
    const width = new Wide(size).div(points);
    const start = new Wide(rule.length).div(points);
    for (const { position, weight } of gaussRule(size))
      rule.push({ position: position.times(width).plus(start), weight: weight.times(width) });
  }
  return rule;
}

/** Measured on affine and Gaussian strains: a fourth of the error of one rule with as many points; 3 and 6 are worse. */
const POINTS_TOGETHER = 4;

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
 * @param ends of the panels.
 * @param points on every panel.
 */
export function rodPoints(ends: readonly Expr[], points: number, order: MagnusOrder): RodPoints {
  const rows = rowsOf(ends.length - 1, compositeRule(points));
  const combinations = new EndCombinations(ends, rows);
  const nodes = gaussRule(order / 2).map(({ position: node }, i) =>
    combinations.position(`node_${i + 1}`, ({ from, to }) => from.plus(to.minus(from).times(node))),
  );
  const section = combinations.position('section', ({ to }) => to);
  const step = combinations.length('step', ({ from, to }) => to.minus(from));
  const weight = combinations.length('weight', (row) => row.weight);
  return { table: { name: 'rod', rows: rows.length, columns: combinations.columns }, nodes, section, step, weight };
}

/** Points along a rod for integrals without a march. */
export function sectionPoints(
  ends: readonly Expr[],
  points: number,
  name: string,
): { readonly table: RowTable; readonly section: Expr; readonly weight: Expr } {
  const rows = rowsOf(ends.length - 1, gaussRule(points)).filter((row) => !row.weight.isZero());
  const combinations = new EndCombinations(ends, rows);
  const section = combinations.position(`${name}_section`, ({ to }) => to);
  const weight = combinations.length(`${name}_weight`, (row) => row.weight);
  return { table: { name, rows: rows.length, columns: combinations.columns }, section, weight };
}
