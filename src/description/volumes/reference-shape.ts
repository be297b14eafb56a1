/**
 * Refuses bodies that have no sound shape at the default values of their coordinates: kinematics outside of its domain,
 * material that overlaps itself or is turned inside out (det ∂p/∂x ≤ 0). Looked at in sample points of every volume, with
 * the numbers of one link. Tells of other configurations whether they are sound.
 */
import { eachAxis, mapTuple, triple } from '../../common/tuples.ts';
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { KanegenError } from '../../common/error.ts';
import { foldConstant } from '../../symbolic/evaluation/evaluate.ts';
import { RowProgram } from '../../symbolic/evaluation/evaluate-rows.ts';
import type { Expr, SymbolExpr } from '../../symbolic/graph/expr.ts';
import { cross, dot, vector3 } from '../../symbolic/graph/vector.ts';
import { ratioOfSections } from '../model/section-frame.ts';
import { numberUnder } from '../values/requirement.ts';
import type { BodyKinematics, BodyType } from '../model/robot.ts';
import {
  fieldSymbols,
  type BoxVolume,
  type MeshVolume,
  type RodVolume,
  type Volume,
} from '../model/reference-volume.ts';

type Values = ReadonlyMap<Expr, number>;
/** Of the material coordinates, then of the fields of a mesh. */
type Triple = readonly [number, number, number, ...number[]];
type PositionKinematics = BodyKinematics & { readonly kind: 'position' };

/** From the default coordinates, where formulas such as (1 − cos q)/q have no value of their own. */
const STEP_ASIDE = 1e-3;
/** Relative changes of volume below it are rounding, along steps of that size. */
const VOLUME_CHANGE = 1e-8;
/** Tetrahedra of a mesh that are looked at. */
const MOST_SAMPLES = 2000;

/** What is evaluated for one volume; kept, since many links share a type. */
interface Probe {
  readonly volume: Volume;
  /** In right-handed order: x, y, z, or radius, angle, axial. */
  readonly material: readonly [SymbolExpr, SymbolExpr, SymbolExpr];
  readonly determinant: RowProgram;
  readonly domain: RowProgram;
}

const probes = new WeakMap<BodyType, readonly Probe[]>();

/**
 * @param values - numbers of the parameters, as far as they are known.
 * @throws KanegenError `outside-domain` at the formula, `folded-body` at the kinematics.
 */
export function checkReferenceShape(type: BodyType, values: Values): void {
  if (type.parameters.some((p) => !values.has(p.symbol))) return;
  for (const probe of probesOf(type)) {
    if (type.kinematics.kind === 'position') checkDomain(probe, type.kinematics, type, values);
    checkFolding(probe, type, values);
  }
}

/**
 * Is every sample point within the domain of the kinematics, its material not turned inside out? Always so for
 * kinematics that are neither a position formula nor sections that deform.
 * @param configuration - values of the coordinates in the order of the type.
 */
export function isSound(type: BodyType, values: Values, configuration: readonly number[]): boolean {
  const scalars = new Map(values);
  type.coordinates.forEach((c, i) => scalars.set(c.symbol, configuration[i]!));
  if (type.time) scalars.set(type.time, 0);
  return probesOf(type).every((probe) => {
    const domain = rowsOf(probe, probe.domain, samplePoints(probe.volume, values, 'closed'), scalars);
    const [ratio] = rowsOf(probe, probe.determinant, samplePoints(probe.volume, values, 'interior'), scalars);
    return [...domain, ratio!].every((column) => column.every((value) => value > 0));
  });
}

/**
 * Is material turned inside out as a whole: is ∫ det(∂p/∂x) over some section of a rod, or over a whole box or mesh, below zero? What is odd
 * across a section, as the part of bending is, counts for nothing.
 * @param configuration - values of the coordinates in the order of the type.
 */
export function isInsideOut(type: BodyType, values: Values, configuration: readonly number[]): boolean {
  return probesOf(type).some((probe) => {
    const points = samplePoints(probe.volume, values, 'interior');
    const scalars = new Map(values);
    type.coordinates.forEach((c, i) => scalars.set(c.symbol, configuration[i]!));
    if (type.time) scalars.set(type.time, 0);
    const [ratios] = rowsOf(probe, probe.determinant, points, scalars);
    const slices = new Map<number, number>();
    points.forEach(([, , axial], row) => {
      const slice = probe.volume.kind === 'rod' ? axial : 0;
      slices.set(slice, (slices.get(slice) ?? 0) + ratios![row]!);
    });
    return [...slices.values()].some((volume) => volume < 0);
  });
}

/** None of others than position formulas and sections that deform. */
function probesOf(type: BodyType): readonly Probe[] {
  const known =
    probes.get(type) ??
    type.volumes.flatMap((volume) => {
      const ratio = ratioOf(type, volume);
      return ratio ? [probeOf(volume, ratio, type.kinematics)] : [];
    });
  probes.set(type, known);
  return known;
}

function ratioOf({ kinematics }: BodyType, volume: Volume): Expr | undefined {
  if (kinematics.kind === 'position') {
    const [a, b, c] = materialOf(volume).map((own) => vector3(differentiateAll(kinematics.position, own)));
    return dot(cross(a!, b!), c!);
  }
  if (kinematics.kind !== 'strain' || !kinematics.sectionPosition || volume.kind !== 'rod') return undefined;
  return ratioOfSections({ ...kinematics, position: kinematics.sectionPosition }, volume.section);
}

/**
 * Does a change of some coordinate change the volume of the body, at the defaults? Unknown of others than position formulas, or of parameters
 * that have no number: no.
 */
export function changesVolume(type: BodyType, values: Values): boolean {
  if (type.parameters.some((p) => !values.has(p.symbol))) return false;
  return probesOf(type).some((probe) => {
    const points = samplePoints(probe.volume, values, 'interior');
    return type.coordinates.some(({ symbol }) => {
      const [less, more] = [-STEP_ASIDE, STEP_ASIDE].map((by) => {
        const scalars = scalarsOf(type, values, 0);
        const ratios = rowsOf(probe, probe.determinant, points, scalars.set(symbol, scalars.get(symbol)! + by))[0]!;
        return ratios.reduce((sum, ratio) => sum + ratio, 0);
      }) as [number, number];
      return Math.abs(more - less) > VOLUME_CHANGE * Math.abs(less);
    });
  });
}

function probeOf(volume: Volume, ratio: Expr, kinematics: BodyKinematics): Probe {
  const { domain = [] } = kinematics.kind === 'position' ? kinematics : {};
  return {
    volume,
    material: materialOf(volume),
    determinant: new RowProgram([ratio], sampled(volume)),
    domain: new RowProgram(
      domain.map((condition) => condition.positive),
      sampled(volume),
    ),
  };
}

/** What the numbers of a sample point are of. */
function sampled(volume: Volume): readonly SymbolExpr[] {
  return [...materialOf(volume), ...fieldSymbols(volume)];
}

function materialOf(volume: Volume): readonly [SymbolExpr, SymbolExpr, SymbolExpr] {
  if (volume.kind === 'rod') return [...volume.section, volume.axial];
  const named = ['x', 'y', 'z'].map((name) => volume.axes.find((own) => own.name === `material.${name}`));
  return named.every((own) => own !== undefined) ? triple(named) : volume.axes;
}

function checkDomain(probe: Probe, { domain = [] }: PositionKinematics, type: BodyType, values: Values): void {
  if (domain.length === 0) return;
  const points = samplePoints(probe.volume, values, 'closed');
  const columns = rowsOf(probe, probe.domain, points, scalarsOf(type, values, 0));
  for (const [i, { message, remedy, location }] of domain.entries()) {
    const at = columns[i]!.findIndex((value) => value <= 0);
    if (at < 0) continue;
    throw new KanegenError('outside-domain', `${message} (${pointText(probe, points[at]!)})`, { remedy, location });
  }
}

function checkFolding(probe: Probe, type: BodyType, values: Values): void {
  const points = samplePoints(probe.volume, values, 'interior');
  for (const aside of [0, STEP_ASIDE]) {
    const [determinant] = rowsOf(probe, probe.determinant, points, scalarsOf(type, values, aside));
    // Poles are found when the body is compiled.
    const at = determinant!.findIndex((value) => value <= 0 && value !== -Infinity);
    if (at >= 0)
      throw new KanegenError(
        'folded-body',
        `without deformation this body is folded or turned inside out: the volume ratio det(dp/dx) is ${determinant![at]!.toPrecision(3)} at ${pointText(probe, points[at]!)}`,
        {
          remedy: 'check signs and defaults: the map must keep volume positive and right-handed',
          location: type.locations.kinematics,
        },
      );
    if (determinant!.every((value) => !Number.isNaN(value))) return;
  }
}

function scalarsOf(type: BodyType, values: Values, aside: number): Map<Expr, number> {
  const scalars = new Map(values);
  for (const { symbol, value } of type.coordinates) scalars.set(symbol, foldConstant(value) + aside);
  if (type.time) scalars.set(type.time, 0);
  return scalars;
}

function rowsOf(
  { volume }: Probe,
  program: RowProgram,
  points: readonly Triple[],
  scalars: ReadonlyMap<Expr, number>,
): Float64Array[] {
  const columns = new Map<Expr, Float64Array>(
    sampled(volume).map((own, i) => [own, Float64Array.from(points, (p) => p[i]!)]),
  );
  const results: number[][] = [];
  program.run(columns, scalars, points.length, (first, count, registers) => {
    registers.forEach((register, i) => {
      const column = (results[i] ??= []);
      for (let row = 0; row < count; row++) column[first + row] = register[row]!;
    });
  });
  return results.map((column) => Float64Array.from(column));
}

function pointText({ material }: Probe, point: Triple): string {
  return material
    .map((own, i) => `${own.name.replace('material.', '')} = ${Number(point[i]!.toPrecision(3))}`)
    .join(', ');
}

// ---------------------------------------------------------------------------------------------- sample points

/** Closed: with the ends, edges and the axis. Interior: without. */
type Sampling = 'closed' | 'interior';

/** Interior points come close to the ends, where formulas such as √(1 + q s) leave their domain first. */
const FRACTIONS: Readonly<Record<Sampling, readonly number[]>> = {
  closed: Array.from({ length: 9 }, (_, i) => i / 8),
  interior: [0.004, ...Array.from({ length: 8 }, (_, i) => (i + 0.5) / 8), 0.996],
};
const RADII: Readonly<Record<Sampling, readonly number[]>> = { closed: [0, 1], interior: [0.3, 0.99] };
/** Turned off the axes inside, on the axes at the edge. */
const TURN: Readonly<Record<Sampling, number>> = { closed: 0, interior: 0.1 };

/** Some points inside of a volume, as columns of its material coordinates; none where sizes are not known. */
export function interiorPoints(
  volume: Volume,
  values: Values,
): { readonly columns: ReadonlyMap<Expr, Float64Array>; readonly rows: number } {
  const points = samplePoints(volume, values, 'interior');
  const columns = sampled(volume).map((own, i) => [own, Float64Array.from(points, (p) => p[i]!)] as const);
  return { columns: new Map<Expr, Float64Array>(columns), rows: points.length };
}

/** Points in the order of the material coordinates of the probe; none where sizes are not known. */
function samplePoints(volume: Volume, values: Values, sampling: Sampling): readonly Triple[] {
  switch (volume.kind) {
    case 'rod':
      return rodPoints(volume, values, sampling);
    case 'box':
      return boxPoints(volume, values, sampling);
    case 'mesh':
      return meshPoints(volume, sampling);
  }
}

function rodPoints(volume: RodVolume, values: Values, sampling: Sampling): readonly Triple[] {
  const start = numberUnder(volume.start, values) ?? Number.NaN;
  const end = numberUnder(volume.end, values) ?? Number.NaN;
  return FRACTIONS[sampling].flatMap((fraction) => {
    const s = start + fraction * (end - start);
    const here = new Map<Expr, number>([...values, [volume.axial, s]]);
    const size = (e: Expr): number => numberUnder(e, here) ?? Number.NaN;
    return sectionPoints(volume, size, sampling)
      .filter((point) => point.every(Number.isFinite))
      .map(([a, b]) => [a, b, s] as const);
  });
}

function sectionPoints(
  { shape, coordinates }: RodVolume,
  size: (e: Expr) => number,
  sampling: Sampling,
): readonly (readonly [number, number])[] {
  if (shape.shape === 'rectangle') {
    const [width, height] = [size(shape.width), size(shape.height)];
    const sides = FRACTIONS[sampling].map((fraction) => fraction - 0.5);
    return sides.flatMap((x) => sides.map((y) => [x * width, y * height] as const));
  }
  const [a, b, inner] =
    shape.shape === 'ellipse'
      ? [size(shape.semiAxisX), size(shape.semiAxisY), 0]
      : shape.shape === 'disc'
        ? [size(shape.radius), size(shape.radius), 0]
        : [size(shape.outerRadius), size(shape.outerRadius), size(shape.innerRadius)];
  return RADII[sampling].flatMap((fraction) =>
    Array.from({ length: 8 }, (_, k) => {
      const angle = (Math.PI / 4) * (k + TURN[sampling]);
      const ratio = inner / a + fraction * (1 - inner / a);
      if (coordinates === 'polar') return [shape.shape === 'ellipse' ? ratio : ratio * a, angle] as const;
      return [ratio * a * Math.cos(angle), ratio * b * Math.sin(angle)] as const;
    }),
  );
}

function boxPoints(volume: BoxVolume, values: Values, sampling: Sampling): readonly Triple[] {
  const [x, y, z] = materialOf(volume).map((own) => {
    const [from, to] = volume.ranges[volume.axes.indexOf(own)]!.map((e) => numberUnder(e, values) ?? Number.NaN);
    return FRACTIONS[sampling].map((fraction) => from! + fraction * (to! - from!));
  });
  const points = x!.flatMap((a) => y!.flatMap((b) => z!.map((c) => [a, b, c] as const)));
  return points.filter((point) => point.every(Number.isFinite));
}

function meshPoints(volume: MeshVolume, sampling: Sampling): readonly Triple[] {
  const { nodes, tetrahedra } = volume.mesh;
  const order = mapTuple(materialOf(volume), (own) => volume.axes.indexOf(own));
  const node = (i: number): readonly [number, number, number] => mapTuple(order, (axis) => nodes[3 * i + axis]!);
  const { symbols = [], rows = [] } = volume.fields ?? {};
  const fieldsOf = (t: number): readonly number[] => symbols.map((_, k) => rows[symbols.length * t + k]!);
  if (sampling === 'closed') {
    const owner = new Int32Array(nodes.length / 3);
    tetrahedra.forEach((corner, k) => (owner[corner] = Math.floor(k / 4)));
    return Array.from(owner, (t, i): Triple => [...node(i), ...fieldsOf(t)]);
  }
  const count = tetrahedra.length / 4;
  const stride = Math.ceil(count / MOST_SAMPLES);
  return Array.from({ length: Math.ceil(count / stride) }, (_, k) => {
    const corners = [0, 1, 2, 3].map((j) => node(tetrahedra[4 * k * stride + j]!));
    const centre = eachAxis((axis) => corners.reduce((sum, corner) => sum + corner[axis] / 4, 0));
    return [...centre, ...fieldsOf(k * stride)];
  });
}
