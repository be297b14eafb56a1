/**
 * How far the coordinates of a rod given by its strain are taken to go where the robot file does not say: as far as each alone, and all
 * together, turn or strain the rod.
 */
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { evaluateRows } from '../../symbolic/evaluation/evaluate-rows.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import { decimal, minus, type Expr } from '../../symbolic/graph/expr.ts';
import { substituteOne } from '../../symbolic/graph/traverse.ts';
import type { BodyType } from '../../description/model/robot.ts';
import type { RodVolume } from '../../description/model/reference-volume.ts';
import type { CoordinateSymbols } from '../equations/recursion.ts';
import { Orientation } from '../points/orientation.ts';
import { twistEntries, type Twist } from './rod-twist.ts';
import {
  coordinateRanges,
  drawnTowardsDefaults,
  type CoordinateRange,
  type ParameterValues,
} from '../kinematics/sample-configurations.ts';

export interface StrainedRod {
  readonly type: BodyType;
  readonly volume: RodVolume;
  readonly strain: Twist;
  readonly symbols: Pick<CoordinateSymbols, 'q' | 'time'>;
}

/** A coordinate alone turns the end of the rod by as much as this (rad), or strains it by as much. */
const LARGEST_TURN = Math.PI;
const LARGEST_STRAIN = 0.2;
/** Sums are compared in floating-point arithmetic. */
const MARGIN = 1.001;

/** The range that each coordinate is taken to have: without limits, a large turn or strain of the rod by it alone. */
export function rodRanges(rod: StrainedRod, parameters: ParameterValues): CoordinateRange[] {
  const { type, strain } = rod;
  const defaults = defaultsOf(type);
  const assumed = deforms(type) ? coordinateRanges(type, parameters) : undefined;
  const reaches = type.coordinates.map((c, a) => {
    const change = differentiateAll(twistEntries(strain), c.symbol);
    const { turn, stretch } = sizeAlong(rod, parameters, change, defaults);
    const peak = peakAlong(rod, parameters, change, defaults);
    const reach = Math.min(
      LARGEST_TURN / Math.max(turn, peak.turn / LARGEST_PEAK.turn),
      LARGEST_STRAIN / Math.max(stretch, peak.stretch / LARGEST_PEAK.stretch),
    );
    if (Number.isFinite(reach)) return reach;
    // What deforms sections alone does not go further than in any other body.
    const own = assumed?.[a];
    return own ? (own.high - own.low) / 2 : Math.max(0.5 * Math.abs(defaults[a]!), 0.3);
  });
  return coordinateRanges(type, parameters, reaches);
}

const deforms = ({ kinematics }: BodyType): boolean =>
  kinematics.kind === 'strain' && kinematics.sectionPosition !== undefined;

/** Of what acts in a small part of the rod only: how much more than an even bend or strain it may be there. */
const LARGEST_PEAK = { turn: 10, stretch: 2 };
/** Elements of up to a fiftieth of the rod are seen. */
const PEAK_PLACES = 101;

/** Length times max |κ|, and max |ν|, of a field (κ, ν) along the rod. */
function peakAlong(
  { volume, symbols }: StrainedRod,
  parameters: ParameterValues,
  field: readonly Expr[],
  q: readonly number[],
): { turn: number; stretch: number } {
  const [start, end] = evaluate([volume.start, volume.end], new Map(parameters)) as [number, number];
  const places = Float64Array.from(
    { length: PEAK_PLACES },
    (_, i) => start + ((end - start) * (i + 0.5)) / PEAK_PLACES,
  );
  const scalars = new Map<Expr, number>(parameters);
  symbols.q.forEach((symbol, b) => scalars.set(symbol, q[b]!));
  if (symbols.time) scalars.set(symbols.time, 0);
  const rows = evaluateRows(field, new Map([[volume.axial, places]]), scalars, PEAK_PLACES);
  const sizes = (from: number): Float64Array =>
    places.map((_, i) => Math.hypot(rows[from]![i]!, rows[from + 1]![i]!, rows[from + 2]![i]!));
  return { turn: (end - start) * Math.max(...sizes(0)), stretch: Math.max(...sizes(3)) };
}

const SHRINK = 0.8;
const MOST_SHRINKS = 40;

/**
 * Draws coordinates without limits towards their defaults where the coordinates together turn or strain the rod by more
 * than the sum of what each does alone: products of coordinates grow without bound, and formulas end; and where sections that
 * deform would be folded.
 */
export function withinReach(
  rod: StrainedRod,
  parameters: ParameterValues,
  ranges: readonly CoordinateRange[],
): (q: readonly number[]) => readonly number[] {
  if (ranges.every((range) => range.stated)) return (q) => q;
  const unfolded = deforms(rod.type) && new Orientation(rod.type, undefined, parameters).unfolding(ranges);
  const defaults = ranges.map((range) => range.value);
  const strain = twistEntries(rod.strain);
  const atRest = new Map(rod.symbols.q.map((q, a) => [q, decimal(defaults[a]!)]));
  const change = strain.map((entry) => minus(entry, substituteOne(entry, atRest)));
  const sizeAt = (q: readonly number[]): { turn: number; stretch: number } => sizeAlong(rod, parameters, change, q);
  let [turn, stretch] = [0, 0];
  ranges.forEach(({ low, high, stated }, a) => {
    const ends = stated ? [low, high].map((end) => sizeAt(defaults.map((value, b) => (a === b ? end : value)))) : [];
    turn += Math.max(LARGEST_TURN, ...ends.map((end) => end.turn));
    stretch += Math.max(LARGEST_STRAIN, ...ends.map((end) => end.stretch));
  });
  return (q) => {
    let reached: readonly number[] = unfolded ? unfolded(q) : q;
    for (let shrinks = 0; shrinks < MOST_SHRINKS; shrinks++) {
      const size = sizeAt(reached);
      if (size.turn <= MARGIN * turn && size.stretch <= MARGIN * stretch) return reached;
      reached = drawnTowardsDefaults(reached, ranges, SHRINK);
    }
    return drawnTowardsDefaults(q, ranges, 0);
  };
}

function defaultsOf(type: BodyType): number[] {
  return evaluate(type.coordinates.map((c) => c.value));
}

/** ∫ |κ| ds and max |ν| of a field (κ, ν) along the rod, from a few places. */
function sizeAlong(
  { volume, symbols }: StrainedRod,
  parameters: ParameterValues,
  field: readonly Expr[],
  q: readonly number[],
): { turn: number; stretch: number } {
  const [start, end] = evaluate([volume.start, volume.end], new Map(parameters)) as [number, number];
  let [turn, stretch] = [0, 0];
  for (let i = 0; i <= 8; i++) {
    const at = new Map<Expr, number>([...parameters, [volume.axial, start + ((end - start) * (i + 0.5)) / 9]]);
    symbols.q.forEach((symbol, b) => at.set(symbol, q[b]!));
    if (symbols.time) at.set(symbols.time, 0);
    const entries = evaluate(field, at);
    turn += (Math.hypot(entries[0]!, entries[1]!, entries[2]!) * (end - start)) / 9;
    stretch = Math.max(stretch, Math.hypot(entries[3]!, entries[4]!, entries[5]!));
  }
  return { turn, stretch };
}
