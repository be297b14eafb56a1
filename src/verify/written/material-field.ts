/**
 * Where the material points and the distal frame of a body go, for the independent check: from formulas, frame fields,
 * networks and strains as they were given, over columns of points in double-double arithmetic.
 */
import type { Decimal } from 'decimal.js';
import { equilibriumFormulas, type BodyType, type SlidingRod } from '../../description/model/robot.ts';
import {
  fieldSymbols,
  type ContactFrame,
  type MaterialPoint,
  type RodVolume,
  type Volume,
} from '../../description/model/reference-volume.ts';
import { minus, zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { column as columnOfMatrix, frameEntries } from '../../symbolic/graph/vector.ts';
import type { Activation, Network } from '../../network/network.ts';
import { apply, constantColumn, decimalColumn, newColumn, type Column } from '../arithmetic/columns.ts';
import { evaluateColumns } from '../arithmetic/evaluate-columns.ts';
import {
  add,
  divide,
  exponential,
  hyperbolic,
  logarithm,
  multiply,
  result,
  sine,
} from '../arithmetic/double-double.ts';
import { COLUMNS, plus, times } from '../arithmetic/algebra.ts';
import type { MaterialPoints, Scalars } from './material-points.ts';
import { march, planMarch, type MarchPlan } from './strain-march.ts';
import { valuesAlong, valuesAtPoints, writtenValues } from './written-formulas.ts';

/** Places at one configuration; `distal` has 12 columns of one row: rotation row-major, then translation. */
export interface Placement {
  readonly points: readonly (readonly Column[])[];
  readonly distal: readonly Column[] | undefined;
}

/** Material coordinates of a volume, in its order. */
export function materialSymbols(volume: Volume): readonly SymbolExpr[] {
  return volume.kind === 'rod' ? [volume.axial, ...volume.section] : volume.axes;
}

/** All formulas whose kinks matter to the sampling of a volume. */
export function fieldFormulas({ kinematics }: BodyType, volume: Volume): readonly Expr[] {
  switch (kinematics.kind) {
    case 'position':
      return [...kinematics.position, volume.density];
    case 'pose':
      return [...frameEntries(kinematics.pose), volume.density];
    case 'network':
      return [...kinematics.inputs, ...kinematics.offset, volume.density];
    case 'strain':
      return [
        ...(kinematics.equilibrium
          ? equilibriumFormulas(kinematics.equilibrium)
          : [...kinematics.angular, ...kinematics.linear]),
        ...kinematics.rest.angular,
        ...kinematics.rest.linear,
        ...(kinematics.sectionPosition ?? []),
        volume.density,
      ];
  }
}

/** A body with its points; one entry per volume. */
export class MaterialField {
  private readonly type: BodyType;
  private readonly samples: readonly MaterialPoints[];
  private readonly plans: readonly MarchPlan[];

  constructor(type: BodyType, samples: readonly MaterialPoints[]) {
    this.type = type;
    this.samples = samples;
    this.plans =
      type.kinematics.kind === 'strain' ? samples.map(({ axial }) => planMarch(axial!.nodes, axial!.breaks)) : [];
  }

  /** @param scalars parameters, coordinates and the time. */
  place(scalars: Scalars): Placement {
    if (this.type.kinematics.kind === 'strain') return this.marched(scalars);
    return { points: this.points(scalars), distal: this.distal(scalars) };
  }

  /** The points alone. */
  points(scalars: Scalars): Placement['points'] {
    const { kinematics, volumes } = this.type;
    if (kinematics.kind === 'strain') return this.marched(scalars).points;
    return volumes.map((volume, k) => {
      const { columns, rows } = this.samples[k]!;
      return this.positions(volume, scalars, columns, rows);
    });
  }

  /** The distal frame alone. Bodies whose points have positions need no other points for it, which may lie where nothing is. */
  end(scalars: Scalars): readonly Column[] | undefined {
    return this.type.kinematics.kind === 'strain' ? this.marched(scalars).distal : this.distal(scalars);
  }

  /** At any material coordinates, of rods by strain at as many places along them as their points are at. */
  positionsAt(volume: Volume, scalars: Scalars, columns: Scalars, rows: number): readonly Column[] {
    return this.positions(volume, scalars, columns, rows);
  }

  /** @param columns of the material coordinates. */
  private positions(volume: Volume, scalars: Scalars, columns: Scalars, rows: number): Column[] {
    const { kinematics } = this.type;
    const values = (formulas: readonly Expr[]): Column[] => valuesAtPoints(this.type, formulas, scalars, columns, rows);
    switch (kinematics.kind) {
      case 'position':
        return values(kinematics.position);
      case 'pose': {
        const { rotation, translation } = kinematics.pose;
        const [x, y] = sectionPlace(volume as RodVolume, new Map([...scalars, ...columns]), rows);
        const field = [translation, columnOfMatrix(rotation, 0), columnOfMatrix(rotation, 1)].map(values) as [
          Column[],
          Column[],
          Column[],
        ];
        return field[0].map((t, i) => plus(t, plus(times(x, field[1][i]!), times(y, field[2][i]!))));
      }
      case 'network': {
        const inputs = values(kinematics.inputs);
        const offset = values(kinematics.offset);
        return networkColumns(kinematics.network, inputs).map((value, i) => plus(value, offset[i]!));
      }
      case 'strain': {
        const { axial } = this.samples[0]!;
        const places = columns.get((volume as RodVolume).axial)!;
        const nodes = newColumn(rows / axial!.rowsPerNode);
        nodes.high.forEach((_, i) => {
          nodes.high[i] = places.high[i * axial!.rowsPerNode]!;
          nodes.low[i] = places.low[i * axial!.rowsPerNode]!;
        });
        const sample = { columns, rows, masses: new Float64Array(), axial: { ...axial!, nodes } };
        return this.marchedPoints(volume as RodVolume, sample, planMarch(nodes, axial!.breaks), scalars).points;
      }
    }
  }

  /** Poses by collocation, sections carried along: p = t + R (X, Y, 0). */
  private marched(scalars: Scalars): Placement {
    const made = this.type.volumes.map((volume, k) =>
      this.marchedPoints(volume as RodVolume, this.samples[k]!, this.plans[k]!, scalars),
    );
    return { points: made.map(({ points }) => points), distal: made.at(-1)!.distal };
  }

  private marchedPoints(
    volume: RodVolume,
    { columns, rows, axial }: MaterialPoints,
    fixed: MarchPlan,
    scalars: Scalars,
  ): { readonly points: Column[]; readonly distal: Column[] } {
    const { kinematics } = this.type;
    if (kinematics.kind !== 'strain') throw new Error('not a strain field');
    const strain = [...kinematics.angular, ...kinematics.linear];
    const sliding = kinematics.slides && slidTo(kinematics.slides, volume.start, scalars);
    const plan = sliding ? planMarch(axial!.nodes, withPlace(axial!.breaks, sliding.border)) : fixed;
    const poses = march(plan, (places) => valuesAlong(this.type, strain, scalars, volume.axial, places));
    const last = poses.high.length - 12;
    /** A rod that slides begins behind its base. */
    const shifted = (i: number, e: Column): Column => (sliding && i === 11 ? plus(e, sliding.begin) : e);
    const bindings = new Map([...scalars, ...columns]);
    const [x, y] = kinematics.sectionPosition
      ? evaluateColumns(kinematics.sectionPosition, bindings, rows)
      : sectionPlace(volume, bindings, rows);
    const entry = (i: number): Column => {
      const out = newColumn(rows);
      for (let row = 0; row < rows; row++) {
        const at = 12 * plan.nodes[Math.floor(row / axial!.rowsPerNode)]! + i;
        out.high[row] = poses.high[at]!;
        out.low[row] = poses.low[at]!;
      }
      return shifted(i, out);
    };
    return {
      points: [0, 1, 2].map((i) => plus(entry(9 + i), plus(times(x!, entry(3 * i)), times(y!, entry(3 * i + 1))))),
      distal: Array.from({ length: 12 }, (_, i) =>
        shifted(i, constantColumn(poses.high[last + i]!, poses.low[last + i])),
      ),
    };
  }

  private distal(scalars: Scalars): readonly Column[] | undefined {
    const { kinematics, volumes } = this.type;
    const [volume] = volumes as readonly [Volume];
    if (kinematics.kind === 'strain') throw new Error('the distal frame of a strain field is the end of its march');
    if (kinematics.kind === 'pose') {
      const rod = volume as RodVolume;
      const [end] = evaluateColumns([rod.end], scalars, 1) as [Column];
      return writtenValues(this.type, frameEntries(kinematics.pose), new Map(scalars).set(rod.axial, end));
    }
    const { distal } = kinematics;
    if (distal.kind === 'none') return undefined;
    if (distal.kind === 'pose') return writtenValues(this.type, frameEntries(distal.pose), scalars);
    return this.contact(volume, distal.contact, scalars);
  }

  private contact(volume: Volume, contact: ContactFrame, scalars: Scalars): Column[] {
    const coordinates = materialSymbols(volume);
    const material = [...coordinates, ...fieldSymbols(volume)];
    const image = (point: MaterialPoint): { reference: Column[]; place: Column[] } => {
      const values = evaluateColumns(
        material.map((m) => point.get(m) ?? zero),
        scalars,
        1,
      );
      const columns = new Map(material.map((m, i) => [m as Expr, values[i]!]));
      const bindings = new Map([...scalars, ...columns]);
      const reference = volume.kind === 'rod' ? [values[0]!, ...sectionPlace(volume, bindings, 1)] : values.slice(0, 3);
      return { reference, place: this.positions(volume, scalars, columns, 1) };
    };
    return COLUMNS.contactFrame(contact, image);
  }
}

/** Where the border of a rod that slides is along it, and where on the axis of the base it begins. */
function slidTo(
  { border }: SlidingRod,
  start: Expr,
  scalars: Scalars,
): { readonly border: number; readonly begin: Column } {
  const [at, begin] = evaluateColumns([border, minus(start, border)], scalars, 1) as [Column, Column];
  return { border: at.high[0]!, begin };
}

/** In order, if it is not one of them and within. */
function withPlace(places: readonly number[], at: number): readonly number[] {
  const isNew = at > places[0]! && at < places.at(-1)! && !places.includes(at);
  return isNew ? [...places, at].sort((a, b) => a - b) : places;
}

/** Coordinates q + factor · direction, and the time along with them. */
export function displaced(
  type: BodyType,
  parameters: Scalars,
  q: readonly Decimal[],
  direction: readonly number[],
  time: number,
  seconds: number,
  factor: number,
): Scalars {
  const scalars = new Map(parameters);
  type.coordinates.forEach((c, i) => {
    const { high, low } = decimalColumn([q[i]!]);
    multiply(direction[i]!, 0, factor, 0);
    add(high[0]!, low[0]!, result.high, result.low);
    scalars.set(c.symbol, constantColumn(result.high, result.low));
  });
  if (type.time) {
    add(time, 0, seconds * factor, 0);
    scalars.set(type.time, constantColumn(result.high, result.low));
  }
  return scalars;
}

/** Cartesian coordinates of points of the undeformed body: across a rod and along it, or those of a box or a mesh. */
export function referencePlaces(volume: Volume, bindings: Scalars, rows: number): readonly Column[] {
  if (volume.kind === 'rod') return [...sectionPlace(volume, bindings, rows), bindings.get(volume.axial)!];
  return volume.axes.map((axis) => bindings.get(axis)!);
}

/** x and y of a section's points from the user's coordinates. */
export function sectionPlace(volume: RodVolume, bindings: Scalars, rows: number): [Column, Column] {
  const [first, second] = volume.section.map((s) => bindings.get(s)!) as [Column, Column];
  if (volume.coordinates === 'cartesian') return [first, second];
  const turn = apply((h, l) => sine(h, l), second);
  const halfPi = constantColumn(1.5707963267948966, 6.123233995736766e-17);
  const cosine = apply((h, l) => sine(h, l), plus(second, halfPi));
  const place: [Column, Column] = [times(first, cosine), times(first, turn)];
  if (volume.shape.shape !== 'ellipse') return place;
  const axes = evaluateColumns([volume.shape.semiAxisX, volume.shape.semiAxisY], bindings, rows);
  return [times(place[0], axes[0]!), times(place[1], axes[1]!)];
}

// ---------------------------------------------------------------------------------------------- networks

/** Dense layers, one after the other. */
function networkColumns({ layers }: Network, inputs: readonly Column[]): Column[] {
  return layers.reduce<readonly Column[]>((values, layer) => {
    const rows = Math.max(...values.map((v) => v.high.length));
    return Array.from({ length: layer.outputs }, (_, o) => {
      const out = newColumn(rows);
      for (let row = 0; row < rows; row++) {
        let [high, low] = [layer.biases[o]!, 0];
        for (let i = 0; i < layer.inputs; i++) {
          const value = values[i]!;
          const k = value.high.length === 1 ? 0 : row;
          multiply(layer.weights[o * layer.inputs + i]!, 0, value.high[k]!, value.low[k]!);
          add(high, low, result.high, result.low);
          [high, low] = [result.high, result.low];
        }
        out.high[row] = high;
        out.low[row] = low;
      }
      return apply(activation(layer.activation), out);
    });
  }, inputs) as Column[];
}

function activation(name: Activation): (h: number, l: number) => void {
  switch (name) {
    case 'identity':
      return (h, l) => add(h, l, 0, 0);
    case 'tanh':
      return (h, l) => hyperbolic('tanh', h, l);
    case 'sine':
      return sine;
    case 'softplus':
      // log(1 + e^x), from the side that does not overflow.
      return (h, l) => {
        const positive = h > 0;
        exponential(positive ? -h : h, positive ? -l : l);
        add(1, 0, result.high, result.low);
        logarithm(result.high, result.low);
        if (positive) add(result.high, result.low, h, l);
      };
    case 'silu':
      return (h, l) => {
        exponential(-h, -l);
        add(1, 0, result.high, result.low);
        divide(h, l, result.high, result.low);
      };
  }
}
