/**
 * Loops over the points of quadrature rules: sums over all points of a body's volumes, formed when they are asked for.
 * What the parameters alone decide is computed once per point and kept in arrays.
 */
import type { PointRule } from '../../integration/rules/point-rule.ts';
import { children, plus, symbol, times, zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { substitute } from '../../symbolic/graph/traverse.ts';
import type { Loop, LoopStage, RowArray, RowTable } from '../loops/loop.ts';
import { mapNetwork, networkOperands, networkResults, type NetworkCall } from '../loops/network-call.ts';
import { isWorthKeeping, separateParts } from '../loops/row-constants.ts';

/** Sums of one loop as they are asked for: integrands over material coordinates, to be multiplied by dm. */
interface Demand {
  readonly name: string;
  readonly stage: LoopStage;
  readonly integrands: Map<string, Expr>;
  readonly networks: readonly NetworkCall[];
}

/** The points of one volume. */
interface VolumeRows {
  readonly table: RowTable;
  /** '' for the first volume, `_2`, `_3`, … for others: ends every name. */
  readonly suffix: string;
  /** Symbols of the rows for material coordinates and mass. */
  readonly material: ReadonlyMap<Expr, Expr>;
  readonly mass: Expr;
  /** Numbers that rows keep from the beginning, over columns of the table and parameters. */
  readonly kept: readonly KeptValue[];
}

interface KeptValue {
  readonly symbol: SymbolExpr;
  readonly value: Expr;
}

export class PointLoops {
  private readonly volumes: readonly VolumeRows[];
  private readonly parameters: ReadonlySet<Expr>;
  private readonly demands: Demand[] = [];

  /**
   * @param rules one per volume.
   * @param parameters symbols of the body type's parameters; the time is none of them.
   * @param family tells loops over one rule from those over another of the same body: ends all names.
   */
  constructor(rules: readonly PointRule[], parameters: readonly SymbolExpr[], family = '') {
    this.volumes = rules.map((rule, i) => volumeRows(rule, i === 0 ? family : `${family}_${i + 1}`));
    this.parameters = new Set<Expr>(parameters);
  }

  /** Points of all volumes. */
  get points(): number {
    return this.volumes.reduce((total, { table }) => total + table.rows, 0);
  }

  /**
   * Symbols for ∫ integrand dm over the whole body. Integrals asked for under one name share a loop.
   * @param integrands by label: a label in a loop always stands for the same integral.
   */
  integrate(
    name: string,
    stage: LoopStage,
    integrands: ReadonlyMap<string, Expr>,
    networks: readonly NetworkCall[] = [],
  ): Expr[] {
    let demand = this.demands.find((d) => d.name === name);
    if (!demand) this.demands.push((demand = { name, stage, integrands: new Map(), networks }));
    return [...integrands].map(([label, integrand]) => {
      if (integrand === zero) return zero;
      const before = demand.integrands.get(label);
      if (before && before !== integrand) throw new Error(`two integrals over points have the name ${name}_${label}`);
      demand.integrands.set(label, integrand);
      return plus(...this.volumes.map((rows) => sumSymbol(name, label, rows)));
    });
  }

  /** Mass of the body, and of nothing else in the loop that the parameters decide. */
  mass(): Expr {
    return plus(...this.volumes.map((rows) => massSymbol(rows)));
  }

  /** All loops asked for, and before them those that keep what the parameters decide. */
  loops(): readonly Loop[] {
    return this.volumes.flatMap((rows) => this.loopsOver(rows));
  }

  private loopsOver(rows: VolumeRows): Loop[] {
    const { table, suffix, kept } = rows;
    const differs = new Set<Expr>([...table.columns.map((c) => c.symbol), ...kept.map((k) => k.symbol)]);
    const isDecided = (s: SymbolExpr): boolean => differs.has(s) || this.parameters.has(s);
    const all = this.demands.flatMap((demand) => [
      ...[...demand.integrands.values()].map((e) => times(rows.mass, atRow(e, rows, demand))),
      ...demand.networks.flatMap((call) => networkOperands(call)).map((e) => atRow(e, rows, demand)),
    ]);
    const separated = separateParts(
      all,
      isDecided,
      (part) => dependsOnAny(part, differs) && isWorthKeeping(part),
      (i) => `row${suffix}.kept_${i + 1}`,
    );
    const array: RowArray = {
      name: `kept${suffix}`,
      rows: table.rows,
      columns: [...kept, ...separated.parts].map((k) => k.symbol),
    };
    const keeping: Loop = {
      ...loopFrame(`keep${suffix}`, 0, table, []),
      sums: [{ symbol: massSymbol(rows), term: substituteKept([rows.mass], kept)[0]! }],
      writes:
        array.columns.length === 0
          ? []
          : [
              {
                array,
                values: substituteKept(
                  [...kept, ...separated.parts].map((k) => k.value),
                  kept,
                ),
              },
            ],
    };
    const reads = array.columns.length > 0 ? [array] : [];
    let taken = 0;
    const take = (count: number): readonly Expr[] => separated.values.slice(taken, (taken += count));
    const loops = this.demands.map((demand): Loop => {
      const terms = take(demand.integrands.size);
      const results = resultNames(demand, rows);
      const networks = demand.networks.map((call) =>
        mapNetwork(
          call,
          (operands) => take(operands.length),
          (result) => results.get(result)!,
        ),
      );
      return {
        ...loopFrame(`${demand.name}${suffix}`, demand.stage, table, reads),
        networks,
        sums: [...demand.integrands.keys()].map((label, i) => ({
          symbol: sumSymbol(demand.name, label, rows),
          term: terms[i]!,
        })),
      };
    });
    return [keeping, ...loops];
  }
}

/** An integrand, or an operand of a learned map, at a point of one volume. */
function atRow(e: Expr, rows: VolumeRows, demand: Demand): Expr {
  return substitute([e], new Map<Expr, Expr>([...rows.material, ...resultNames(demand, rows)]))[0]!;
}

function loopFrame(name: string, stage: LoopStage, table: RowTable, reads: readonly RowArray[]): Loop {
  return { name, stage, table, reversed: false, reads, networks: [], carried: [], sums: [], writes: [] };
}

function volumeRows(rule: PointRule, suffix: string): VolumeRows {
  const rename = new Map<Expr, Expr>(
    rule.columns.map(({ symbol: s }) => [s, symbol(`row${suffix}.${s.name.replace(/^.*\./, '')}`)]),
  );
  const kept: KeptValue[] = [];
  // A value that is a column as it stands is read from the table, any other is kept under a name of its own.
  const keep = (value: Expr, name: string): Expr => {
    const [own] = substitute([value], rename) as [Expr];
    if (children(own).length === 0) return own;
    const made = symbol(`row${suffix}.${name}`);
    kept.push({ symbol: made, value: own });
    return made;
  };
  const material = new Map<Expr, Expr>();
  for (const [s, value] of rule.material) material.set(s, keep(value, `at_${s.name.replace(/^.*\./, '')}`));
  return {
    suffix,
    table: {
      name: `points${suffix}`,
      rows: rule.rows,
      columns: rule.columns.map(({ symbol: s, values }) => ({ symbol: rename.get(s) as SymbolExpr, values })),
    },
    material,
    mass: keep(rule.mass, 'mass'),
    kept,
  };
}

function sumSymbol(loop: string, label: string, { suffix }: VolumeRows): SymbolExpr {
  return symbol(`sum.${loop}_${label}${suffix}`);
}

function massSymbol({ suffix }: VolumeRows): SymbolExpr {
  return symbol(`sum.mass${suffix}`);
}

/** Values over kept symbols as values over columns and parameters: all of an array is written at once. */
function substituteKept(values: readonly Expr[], kept: readonly KeptValue[]): Expr[] {
  return substitute(values, new Map(kept.map((k) => [k.symbol, k.value])));
}

function dependsOnAny(e: Expr, symbols: ReadonlySet<Expr>): boolean {
  const stack = [e];
  const seen = new Set<Expr>();
  while (stack.length > 0) {
    const node = stack.pop()!;
    if (symbols.has(node)) return true;
    if (seen.has(node)) continue;
    seen.add(node);
    stack.push(...children(node));
  }
  return false;
}

// ---------------------------------------------------------------------------------------------- learned maps

/** Every volume has a loop, and every loop results of its own. */
function resultNames({ networks }: Demand, { suffix }: VolumeRows): Map<Expr, SymbolExpr> {
  return new Map(networks.flatMap(networkResults).map((s) => [s, symbol(`${s.name}${suffix}`)]));
}
