/**
 * Where the map of a body keeps the orientation of the material, det ∂f/∂x > 0: at the default configuration it must, and
 * configurations at which the compiler makes numerical decisions stay where it does.
 */
import { mapTuple } from '../../common/tuples.ts';
import { KanegenError } from '../../common/error.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import { RowProgram } from '../../symbolic/evaluation/evaluate-rows.ts';
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { cos, power, sin, type Expr } from '../../symbolic/graph/expr.ts';
import { cross, dot, vector3, type Vector3 } from '../../symbolic/graph/vector.ts';
import type { BodyType } from '../../description/model/robot.ts';
import type { Volume } from '../../description/model/reference-volume.ts';
import { materialCoordinates } from '../kinematics/distal-frame.ts';
import { boundRule, choosePointRules } from './point-rules.ts';
import { volumeRatio } from './volume-ratio.ts';
import {
  coordinateRanges,
  cornersOf,
  drawnTowardsDefaults,
  sampleConfigurations,
  type CoordinateRange,
  type ParameterValues,
} from '../kinematics/sample-configurations.ts';
import { atUndefinedPart, irregular } from '../kinematics/smooth-kinematics.ts';

/** A high power of a function asks for points that look at it closely, of a coordinate for points near its ends. */
const CLOSELY = 12;
/** A configuration is kept if going on by this factor does not fold the body either. */
const MARGIN = 1.3;
const SHRINK = 0.7;
const MOST_SHRINKS = 12;
/** Of the smallest determinant at the default configuration. */
const LEAST_SHARE = 0.1;
/** Corners of the limits at which the body must have a shape. */
const MOST_CORNERS = 64;

interface Extreme {
  /** Smallest determinant; −∞ where one is not finite. */
  readonly determinant: number;
  /** Values of the material coordinates there. */
  readonly place: readonly number[];
}

/** Functions over a volume whose integrals are right only with points close to all of its ends. */
function closeLooks(volume: Volume): Expr[] {
  const axes = materialCoordinates(volume);
  if (volume.kind !== 'rod' || volume.coordinates !== 'polar') return axes.map((s) => power(s, CLOSELY));
  // All around a section, functions of the angle are periodic.
  const [radius, angle] = volume.section;
  return [volume.axial, radius, cos(angle), sin(angle)].map((e) => power(e, CLOSELY));
}

function determinantOf(position: Vector3, volume: Volume): Expr {
  const [a, b, c] = mapTuple(materialCoordinates(volume), (s) => vector3(differentiateAll(position, s)));
  return dot(cross(a, b), c);
}

export class Orientation {
  private readonly type: BodyType;
  private readonly parameters: ParameterValues;
  private readonly volumes: readonly {
    readonly volume: Volume;
    readonly program: RowProgram;
    readonly columns: ReadonlyMap<Expr, Float64Array>;
    readonly rows: number;
  }[];

  /** @param position of the material points; none of rods by strain whose sections deform. */
  constructor(type: BodyType, position: Vector3 | undefined, parameters: ParameterValues) {
    this.type = type;
    this.parameters = parameters;
    const start = this.scalars(this.defaults);
    const integration = { ...type.integration, compress: false, tolerance: 1e-3 };
    this.volumes = type.volumes.map((volume) => {
      const ratio = position ? determinantOf(position, volume) : volumeRatio(type).regular();
      const watched = closeLooks(volume);
      const [chosen] = choosePointRules({ ...type, volumes: [volume], integration }, watched, [start]);
      const { rule } = chosen!;
      const { columns } = boundRule(rule, start);
      return { volume, program: new RowProgram([ratio], [...columns.keys()]), columns, rows: rule.rows };
    });
  }

  private get defaults(): number[] {
    return evaluate(this.type.coordinates.map((c) => c.value));
  }

  private scalars(configuration: readonly number[]): Map<Expr, number> {
    const scalars = new Map<Expr, number>(this.parameters);
    this.type.coordinates.forEach((c, i) => scalars.set(c.symbol, configuration[i]!));
    if (this.type.time) scalars.set(this.type.time, 0);
    return scalars;
  }

  private least(configuration: readonly number[]): Extreme & { readonly volume: Volume } {
    const scalars = this.scalars(configuration);
    let found = { determinant: Infinity, place: [] as number[], volume: this.volumes[0]!.volume };
    for (const { volume, program, columns, rows } of this.volumes)
      program.run(columns, scalars, rows, (first, count, [values]) => {
        for (let k = 0; k < count; k++) {
          const determinant = Number.isFinite(values![k]!) ? values![k]! : -Infinity;
          if (determinant >= found.determinant) continue;
          const place = materialCoordinates(volume).map((s) => columns.get(s)![first + k]!);
          found = { determinant, place, volume };
        }
      });
    return found;
  }

  /** @throws KanegenError `folded-body`, `irregular-kinematics` at the kinematics. */
  requireUnfolded(): void {
    const { determinant, place, volume } = this.least(this.defaults);
    if (determinant > 0) return;
    const at = materialCoordinates(volume)
      .map((s, i) => `${s.name.replace(/^.*\./, '')} = ${Number(place[i]!.toPrecision(4))}`)
      .join(', ');
    const { kinematics } = this.type.locations;
    if (determinant === -Infinity)
      throw atUndefinedPart(irregular(`the kinematics at ${at}`), this.type, this.parameters);
    throw new KanegenError(
      'folded-body',
      `the body is folded at its default configuration: det ∂f/∂x = ${Number(determinant.toPrecision(3))} at ${at}`,
      {
        remedy:
          'material must keep its orientation: check the formula and the default coordinates there, and that the section coordinates and the axial one are right-handed in this order',
      },
    ).at(kinematics);
  }

  /**
   * Limits are where the body has a shape: no cavity collapses, no root turns negative.
   * @throws KanegenError `wrong-value` at the limits.
   */
  requireShape(): void {
    const { defaults } = this;
    const ranges = coordinateRanges(this.type, this.parameters);
    const stated = ranges.flatMap((range, i) => (range.stated ? [i] : []));
    const hasShape = (q: readonly number[]): boolean => this.least(q).determinant > -Infinity;
    const ends = stated.flatMap((i) => [ranges[i]!.high, ranges[i]!.low].map((end) => ({ i, end })));
    const alone = ends.find(({ i, end }) => !hasShape(defaults.with(i, end)));
    if (alone) throw this.shapeless(alone.i, defaults.with(alone.i, alone.end), hasShape);
    for (const corner of cornersOf(stated.length, MOST_CORNERS)) {
      const q = [...defaults];
      corner.forEach((side, k) => (q[stated[k]!] = side ? ranges[stated[k]!]!.high : ranges[stated[k]!]!.low));
      if (!hasShape(q)) throw this.shapeless(stated[0]!, q, hasShape);
    }
  }

  /** @param i the coordinate whose limits are to blame, or the first of several. */
  private shapeless(i: number, q: readonly number[], hasShape: (q: readonly number[]) => boolean): KanegenError {
    const { defaults } = this;
    const short = (value: number): string => String(Number(value.toPrecision(3)));
    const at = (share: number): number[] => q.map((value, k) => defaults[k]! + share * (value - defaults[k]!));
    let [low, high] = [0, 1];
    for (let step = 0; step < 20; step++) {
      const middle = (low + high) / 2;
      if (hasShape(at(middle))) low = middle;
      else high = middle;
    }
    const { coordinates, locations } = this.type;
    const moved = coordinates.flatMap((c, k) => (q[k] === defaults[k] ? [] : [{ name: c.name, k }]));
    const place = moved.map(({ name, k }) => `${name} = ${short(q[k]!)}`).join(', ');
    const last = moved.map(({ name, k }) => `${name} = ${short(at(low)[k]!)}`).join(', ');
    return new KanegenError(
      'wrong-value',
      `these limits go further than the body: its position has no value everywhere at ${place}`,
      {
        remedy: `the way there from the default ends at ${last}: a cavity is closed then, or a formula leaves its domain; write limits that end before`,
        location: coordinates[i]!.limitsAt ?? locations.kinematics,
      },
    );
  }

  /**
   * Sample configurations. Coordinates without limits are drawn towards their defaults where they fold the body or leave the
   * domain of its formulas; limits are taken at their word.
   */
  configurations(count: number): number[][] {
    const ranges = coordinateRanges(this.type, this.parameters);
    const unfolded = this.unfolding(ranges);
    return sampleConfigurations(ranges, count).map(unfolded);
  }

  /** What draws configurations there. */
  unfolding(ranges: readonly CoordinateRange[]): (q: readonly number[]) => number[] {
    const enough = LEAST_SHARE * this.least(this.defaults).determinant;
    if (!(enough > 0)) return (q) => [...q];
    return (q) => {
      for (let share = 1, shrinks = 0; shrinks < MOST_SHRINKS; shrinks++, share *= SHRINK)
        if (this.least(drawnTowardsDefaults(q, ranges, MARGIN * share)).determinant > enough)
          return drawnTowardsDefaults(q, ranges, share);
      return drawnTowardsDefaults(q, ranges, 0);
    };
  }
}
