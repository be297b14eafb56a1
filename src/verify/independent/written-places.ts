/**
 * Where points and frames of a robot are, for the independent check: joints as products of their motions, bodies from the formulas
 * as they were written in double-double arithmetic, composed in decimals link by link. Nothing of it is differentiated.
 */
import type { Decimal } from 'decimal.js';
import type { Anchor, MaterialAnchor } from '../../description/model/frame-terms.ts';
import type { BodyType, DeformableBody, Link, Robot } from '../../description/model/robot.ts';
import { fieldSymbols, type CarriedFrame, type Volume } from '../../description/model/reference-volume.ts';
import { hasDistalFrame } from '../../description/robot/robot-frames.ts';
import { decimalOfPrecision, evaluateDecimal, exactDecimal } from '../../symbolic/evaluation/evaluate.ts';
import {
  call,
  decimal,
  divide,
  integer,
  one,
  pi,
  plus,
  sqrt,
  square,
  times,
  zero,
  type Expr,
  type SymbolExpr,
} from '../../symbolic/graph/expr.ts';
import { DECIMALS } from '../arithmetic/algebra.ts';
import { columnOf, decimalColumn, type Column } from '../arithmetic/columns.ts';
import { multiplyPoses, poseOf, rotationOf, translationOf, type Pose } from '../arithmetic/decimal-pose.ts';
import { evaluateFrame, jointPose, type Bindings } from '../written/local-kinematics.ts';
import { MaterialField, materialSymbols } from '../written/material-field.ts';
import type { MaterialPoints, Scalars } from '../written/material-points.ts';
import { onlyDecimal } from '../energies/passive-result.ts';

const Wide = decimalOfPrecision(60);
const IDENTITY = [1, 0, 0, 0, 1, 0, 0, 0, 1].map((e) => new Wide(e));
/** A march along a rod has no node where it starts. */
const BEHIND_START = '1e-25';

/** Of places of one point: quotients by coordinates of other links ask for the same ones. */
const MOST_KEPT = 1000;

type Place = ReadonlyMap<SymbolExpr, Expr>;

/** `q` is of the whole robot, and behind it the time. */
export class WrittenPlaces {
  private readonly robot: Robot;
  private readonly defaults: Bindings;
  private readonly base: Pose;
  private readonly links: readonly WrittenLink[];

  /** @param parameters of the run time by name, in place of their defaults. */
  constructor(robot: Robot, parameters: Readonly<Record<string, number>> = {}) {
    this.robot = robot;
    this.defaults = new Map(
      robot.parameters.map(({ name, symbol, value }) => [
        symbol,
        parameters[name] === undefined
          ? evaluateDecimal([value], new Map(), Wide)[0]!
          : exactDecimal(parameters[name], Wide),
      ]),
    );
    this.base = evaluateFrame(robot.base, this.defaults, Wide);
    let first = 0;
    this.links = robot.links.map((link) => {
      const own = new WrittenLink(link, first, this.defaults);
      first += own.count;
      return own;
    });
  }

  /** Pose of an anchor in the world. A point of a body has the axes of the body's proximal frame. */
  pose(anchor: Anchor, q: readonly Decimal[]): Pose {
    if (anchor.kind === 'frame')
      return multiplyPoses(this.distal(anchor.link, q), evaluateFrame(anchor.offset, this.defaults, Wide), 1);
    if (anchor.offset)
      return multiplyPoses(this.carried(anchor, q), evaluateFrame(anchor.offset, this.defaults, Wide), 1);
    return multiplyPoses(this.proximal(anchor.link, q), poseOf(IDENTITY, this.pointInProximal(anchor, q)), 1);
  }

  /** Of the frame that the material carries at a point, in the world. */
  carried(anchor: MaterialAnchor, q: readonly Decimal[]): Pose {
    return multiplyPoses(this.proximal(anchor.link, q), this.carriedInProximal(anchor.link, anchor, q), 1);
  }

  /** The same in the proximal frame of the body. */
  carriedInProximal(link: number, frame: CarriedFrame, q: readonly Decimal[]): Pose {
    return this.links[link]!.carried(frame, q);
  }

  /** Of a point of a body, in the proximal frame of the body. */
  pointInProximal({ link, at }: MaterialAnchor, q: readonly Decimal[]): readonly Decimal[] {
    return this.links[link]!.point(at, q);
  }

  /** Of a point of a body, in its distal frame; nothing where it has none. */
  pointInDistal({ link, at }: MaterialAnchor, q: readonly Decimal[]): readonly Decimal[] | undefined {
    const own = this.links[link]!;
    if (!hasDistalFrame(this.robot.links[link]!)) return undefined;
    const distal = own.distal(q);
    const [place, origin, rotation] = [own.point(at, q), translationOf(distal), rotationOf(distal)];
    return [0, 1, 2].map((j) =>
      [0, 1, 2].reduce((sum, i) => sum.plus(rotation[3 * i + j]!.times(place[i]!.minus(origin[i]!))), new Wide(0)),
    );
  }

  /** A point of a body with axes of its distal frame, in the world. */
  poseInDistal(anchor: MaterialAnchor, q: readonly Decimal[]): Pose {
    const place = translationOf(this.pose(anchor, q));
    return poseOf(rotationOf(this.distal(anchor.link, q)), place);
  }

  private proximal(index: number, q: readonly Decimal[]): Pose {
    return multiplyPoses(this.distal(this.robot.links[index]!.parent, q), this.links[index]!.proximal(q), 1);
  }

  private distal(index: number, q: readonly Decimal[]): Pose {
    return index < 0 ? this.base : multiplyPoses(this.proximal(index, q), this.links[index]!.distal(q), 1);
  }
}

/** What a link adds, remembered: of many configurations that differ in one coordinate most links have few. */
class WrittenLink {
  readonly count: number;
  private readonly link: Link;
  private readonly first: number;
  private readonly defaults: Bindings;
  private readonly known = new Map<string, Pose>();
  private readonly fields = new Map<Place, MaterialField>();
  /** Places of points by coordinates. */
  private readonly points = new Map<Place, Map<string, readonly Decimal[]>>();
  private readonly frames = new Map<CarriedFrame, readonly Direction[]>();
  /** Parameters of the body and the robot. */
  private given: Bindings | undefined;
  private columns: Scalars | undefined;

  /** @param first index of its first coordinate. */
  constructor(link: Link, first: number, defaults: Bindings) {
    this.link = link;
    this.first = first;
    this.defaults = defaults;
    this.count = link.joint.coordinates.length + (link.body.kind === 'rigid' ? 0 : link.body.type.coordinates.length);
  }

  /** In the distal frame of the parent. */
  proximal(q: readonly Decimal[]): Pose {
    const { offset, joint, mount } = this.link;
    const coordinates = q.slice(this.first, this.first + joint.coordinates.length);
    const own = joint.prescribed ? [...coordinates, q.at(-1)!] : coordinates;
    return this.remembered('proximal', own, () => {
      const [before, after] = [offset, mount].map((frame) => evaluateFrame(frame, this.defaults, Wide)) as [Pose, Pose];
      return multiplyPoses(multiplyPoses(before, jointPose(joint, own, this.defaults, Wide), 1), after, 1);
    });
  }

  /** In the proximal frame. */
  distal(q: readonly Decimal[]): Pose {
    const { body } = this.link;
    if (body.kind === 'rigid')
      return this.remembered('distal', [], () => evaluateFrame(body.distal, this.defaults, Wide));
    const own = this.bodyCoordinates(q);
    return this.remembered('distal', own, () => {
      const entries = this.field(body, NOWHERE).end(this.scalars(body, own))!.map(onlyDecimal);
      return poseOf(entries.slice(0, 9), entries.slice(9));
    });
  }

  /** Of a material point, in the proximal frame. */
  point(at: Place, q: readonly Decimal[]): readonly Decimal[] {
    const body = this.link.body as DeformableBody;
    const own = this.bodyCoordinates(q);
    const known = this.points.get(at) ?? new Map<string, readonly Decimal[]>();
    this.points.set(at, known);
    const key = own.join(' ');
    const found = known.get(key) ?? this.field(body, at).points(this.scalars(body, own))[0]!.map(onlyDecimal);
    if (known.size >= MOST_KEPT) known.clear();
    known.set(key, found);
    return found;
  }

  /** The frame that the material carries at a point, in the proximal frame. */
  carried(frame: CarriedFrame, q: readonly Decimal[]): Pose {
    const { type } = this.link.body as DeformableBody;
    const found = this.frames.get(frame) ?? lookedAt(type, frame);
    this.frames.set(frame, found);
    const origin = this.point(frame.at, q);
    const columns = found.map(({ places, weights }) => {
      const points = places.map((place) => this.point(place, q));
      return [0, 1, 2].map((i) =>
        points.reduce((sum, point, k) => sum.plus(point[i]!.times(weights[k]!)), new Wide(0)),
      );
    });
    return poseOf(rotationWith(columns, found.map(({ axis }) => axis) as [Axis, Axis]), origin);
  }

  /** Of the body, and the time behind them where it depends on it. */
  private bodyCoordinates(q: readonly Decimal[]): readonly Decimal[] {
    const { joint, body } = this.link;
    const own = q.slice(this.first + joint.coordinates.length, this.first + this.count);
    return body.kind === 'deformable' && body.type.time ? [...own, q.at(-1)!] : own;
  }

  private remembered(what: string, q: readonly Decimal[], make: () => Pose): Pose {
    const key = `${what} ${q.join(' ')}`;
    const found = this.known.get(key) ?? make();
    this.known.set(key, found);
    return found;
  }

  private parameters({ type, parameters }: DeformableBody): Bindings {
    if (this.given) return this.given;
    const values = evaluateDecimal(parameters, this.defaults, Wide);
    return (this.given = new Map([
      ...this.defaults,
      ...type.parameters.map((p, i): [Expr, Decimal] => [p.symbol, values[i]!]),
    ]));
  }

  private scalars(body: DeformableBody, q: readonly Decimal[]): Scalars {
    this.columns ??= new Map([...this.parameters(body)].map(([s, e]): [Expr, Column] => [s, decimalColumn([e])]));
    const scalars = new Map(this.columns);
    const { coordinates, time } = body.type;
    [...coordinates.map((c) => c.symbol), ...(time ? [time] : [])].forEach((symbol, i) =>
      scalars.set(symbol, decimalColumn([q[i]!])),
    );
    return scalars;
  }

  /** The body with one material point. */
  private field(body: DeformableBody, at: Place): MaterialField {
    const parameters = this.parameters(body);
    const found = this.fields.get(at) ?? new MaterialField(body.type, samplesAt(body, at, parameters));
    this.fields.set(at, found);
    return found;
  }
}

const NOWHERE: Place = new Map();

type Axis = 'x' | 'y' | 'z';

/** Where the image of an axis points: a weighted sum of positions, of any length. */
interface Direction {
  readonly axis: Axis;
  readonly places: readonly Place[];
  readonly weights: readonly number[];
}

/** m: difference quotients of fourth order across the material. */
const APART = 2 ** -26;

function lookedAt(type: BodyType, { at, axes }: CarriedFrame): readonly Direction[] {
  if (axes) return (Object.keys(axes) as Axis[]).map((axis) => ({ axis, places: [axes[axis]!, at], weights: [1, -1] }));
  const [volume] = type.volumes as readonly [Volume];
  const symbols = volume.kind === 'rod' ? [...volume.section, volume.axial] : volume.axes;
  const here = new Map(symbols.map((s) => [s, at.get(s) ?? zero] as const));
  const isPolar = volume.kind === 'rod' && volume.coordinates === 'polar';
  const { kinematics } = type;
  const deforms = kinematics.kind === 'position' || (kinematics.kind === 'strain' && !!kinematics.sectionPosition);
  if (deforms && isPolar) {
    // Beside the point along x and y, up to the size of the section.
    const [r, phi] = volume.section;
    const [x, y] = (['cos', 'sin'] as const).map((f) => times(here.get(r)!, call(f, here.get(phi)!))) as [Expr, Expr];
    return (['x', 'y'] as const).map((axis) => {
      const places = [-2, -1, 1, 2].map((k) => {
        const [u, v] = [plus(x, decimal(axis === 'x' ? k * APART : 0)), plus(y, decimal(axis === 'y' ? k * APART : 0))];
        return new Map(here).set(r, sqrt(plus(square(u), square(v)))).set(phi, call('atan2', v, u));
      });
      return { axis, places, weights: [1, -8, 8, -1] };
    });
  }
  if (deforms) {
    const named = (axis: 'x' | 'y'): SymbolExpr =>
      symbols.every((s) => /\.[xyz]$/.test(s.name))
        ? symbols.find((s) => s.name.endsWith(`.${axis}`))!
        : symbols[axis === 'x' ? 0 : 1];
    return (['x', 'y'] as const).map((axis) => {
      const own = named(axis);
      const places = [-2, -1, 1, 2].map((k) => new Map(here).set(own, plus(here.get(own)!, decimal(k * APART))));
      return { axis, places, weights: [1, -8, 8, -1] };
    });
  }
  // Sections are plane and rigid: from their centre along their axes, in polar coordinates, too.
  const [u, v] = symbols as [SymbolExpr, SymbolExpr];
  const section = (x: Expr, y: Expr): Place => new Map(here).set(u, x).set(v, y);
  const along = { x: section(one, zero), y: isPolar ? section(one, divide(pi, integer(2))) : section(zero, one) };
  return (['x', 'y'] as const).map((axis) => ({ axis, places: [along[axis], section(zero, zero)], weights: [1, -1] }));
}

/** By rows: the first direction exactly, the second as near as can be, the third by the right-hand rule. */
function rotationWith(directions: readonly (readonly Decimal[])[], [first, second]: readonly [Axis, Axis]): Decimal[] {
  const unit = (v: readonly Decimal[]): Decimal[] => v.map((e) => e.div(Wide.hypot(...v)));
  const a = unit(directions[0]!);
  const along = a.reduce((sum, e, i) => sum.plus(e.times(directions[1]![i]!)), new Wide(0));
  const b = unit(directions[1]!.map((e, i) => e.minus(along.times(a[i]!))));
  const columns: Partial<Record<Axis, Decimal[]>> = { [first]: a, [second]: b };
  const { x, y, z } = columns;
  const all = [x ?? DECIMALS.cross(y!, z!), y ?? DECIMALS.cross(z!, x!), z ?? DECIMALS.cross(x!, y!)];
  return [0, 1, 2].flatMap((row) => all.map((own) => own[row]!));
}

function samplesAt({ type }: DeformableBody, at: Place, parameters: Bindings): readonly MaterialPoints[] {
  return type.volumes.map((volume: Volume): MaterialPoints => {
    const symbols = [...materialSymbols(volume), ...fieldSymbols(volume)];
    const places = evaluateDecimal(
      symbols.map((s) => at.get(s) ?? zero),
      parameters,
      Wide,
    );
    if (volume.kind === 'rod' && type.kinematics.kind === 'strain') {
      const [start] = evaluateDecimal([volume.start], parameters, Wide) as [Decimal];
      if (places[0]!.lte(start)) places[0] = start.plus(BEHIND_START);
    }
    const columns = new Map(symbols.map((s, i) => [s as Expr, decimalColumn([places[i]!])]));
    const sample = { rows: 1, columns, masses: Float64Array.of(1) };
    if (volume.kind !== 'rod') return sample;
    const ends = evaluateDecimal(
      [volume.start, ...(volume.breaks.get(volume.axial) ?? []), volume.end],
      parameters,
      Wide,
    );
    const breaks = ends.map(Number).sort((a, b) => a - b);
    return { ...sample, axial: { nodes: columnOf([Number(places[0]!)]), rowsPerNode: 1, breaks } };
  });
}
