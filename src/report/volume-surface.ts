/**
 * The surface of a body for pictures: vertices by their material coordinates, and triangles between them. What encloses a
 * volume of the undeformed body encloses the deformed one.
 */
import { mapTuple } from '../common/tuples.ts';
import {
  sectionDimensions,
  type BoxVolume,
  type MeshVolume,
  type RodVolume,
  type Volume,
} from '../description/model/reference-volume.ts';
import { fieldColumns } from '../mesh/element-fields.ts';
import { evaluate } from '../symbolic/evaluation/evaluate.ts';
import type { Expr } from '../symbolic/graph/expr.ts';
import { columnOf, type Column } from '../verify/arithmetic/columns.ts';
import type { MaterialPoints } from '../verify/written/material-points.ts';

export interface VolumeSurface {
  /** The vertices, without masses. */
  readonly points: MaterialPoints;
  /** Three vertices each, counter-clockwise from outside. */
  readonly triangles: readonly number[];
  /** Vertices that it would have, where it is drawn coarser. */
  readonly coarsened?: number;
}

type Scalars = ReadonlyMap<Expr, number>;
type Point = readonly [number, number];

/** Vertices around a section. */
const AROUND = 20;
/** Of sides of boxes. */
const ACROSS = 8;
/** Vertices of a mesh that are drawn as they are. */
const MOST_VERTICES = 40_000;
/**
 * Share of the length, and of a turn, by which the outermost sections and the first angle lie within: formulas may have no value at
 * the very end of a range, as exp(−1/(s (L − s))), and the first pose of a rod is nowhere listed.
 */
export const INSIDE = 1e-9;

/** @param along sections of a rod. */
export function volumeSurface(volume: Volume, scalars: Scalars, along: number): VolumeSurface {
  switch (volume.kind) {
    case 'rod':
      return rodSurface(volume, scalars, along);
    case 'box':
      return boxSurface(volume, scalars);
    case 'mesh':
      return meshSurface(volume);
  }
}

function pointsOf(
  symbols: readonly Expr[],
  places: readonly (readonly number[])[],
  axial?: MaterialPoints['axial'],
): MaterialPoints {
  const columns = new Map<Expr, Column>(symbols.map((s, i) => [s, columnOf(places.map((place) => place[i]!))]));
  return { rows: places.length, columns, masses: new Float64Array(places.length), ...(axial && { axial }) };
}

/**
 * Material points along a curve through a body.
 * @param symbols material coordinates; of a rod the axial one is the first.
 * @param places values of these, of the first rising.
 */
export function pointsAlong(
  volume: Volume,
  scalars: Scalars,
  symbols: readonly Expr[],
  places: readonly (readonly number[])[],
): MaterialPoints {
  const nodes = places.map(([at]) => at!);
  return pointsOf(symbols, places, volume.kind === 'rod' ? axialNodes(volume, scalars, nodes, 1) : undefined);
}

/** The same through a rod. @param nodes rising axial positions, with the other coordinates of each. */
export function curvePoints(
  volume: RodVolume,
  scalars: Scalars,
  nodes: readonly number[],
  across: (axial: number) => Point,
): MaterialPoints {
  const places = nodes.map((s) => [s, ...across(s)]);
  return pointsAlong(volume, scalars, [volume.axial, ...volume.section], places);
}

/** @param nodes rising; the first section of the rod is not among them. */
function axialNodes(
  volume: RodVolume,
  scalars: Scalars,
  nodes: readonly number[],
  rowsPerNode: number,
): MaterialPoints['axial'] {
  const [start, end] = evaluate([volume.start, volume.end], scalars) as [number, number];
  const breaks = (volume.breaks.get(volume.axial) ?? []).map((place) => evaluate([place], scalars)[0]!);
  const inner = breaks.filter((place) => place > start && place < end).sort((a, b) => a - b);
  return { nodes: columnOf(nodes), rowsPerNode, breaks: [start, ...inner, end] };
}

/** Outlines of sections one after the other, of tubes two each; the ends are closed. */
function rodSurface(volume: RodVolume, scalars: Scalars, along: number): VolumeSurface {
  const [start, end] = evaluate([volume.start, volume.end], scalars) as [number, number];
  const within = (share: number): number => Math.min(1 - INSIDE, Math.max(INSIDE, share));
  const nodes = Array.from({ length: along }, (_, k) => start + (end - start) * within(k / (along - 1)));
  const sections = nodes.map((s) => sectionOutline(volume, new Map(scalars).set(volume.axial, s)));
  const rowsPerNode = sections[0]!.length;
  const isTube = volume.shape.shape === 'annulus';
  return {
    points: pointsOnRings(volume, scalars, nodes, sections),
    triangles: isTube ? tube(along, rowsPerNode / 2) : lofted(along, rowsPerNode),
  };
}

/** Triangles over rings one after the other, the outer one of each before the inner one; the ends are closed. */
function tube(rings: number, outline: number): number[] {
  const vertex = (k: number, i: number): number => 2 * outline * k + (i % outline);
  const inner = (k: number, i: number): number => outline + vertex(k, i);
  const triangles: number[] = [];
  const quad = (a: number, b: number, c: number, d: number): number => triangles.push(a, b, c, a, c, d);
  const last = rings - 1;
  for (let i = 0; i < outline; i++) {
    for (let k = 0; k < last; k++) {
      quad(vertex(k, i), vertex(k, i + 1), vertex(k + 1, i + 1), vertex(k + 1, i));
      quad(inner(k, i), inner(k + 1, i), inner(k + 1, i + 1), inner(k, i + 1));
    }
    quad(vertex(0, i), inner(0, i), inner(0, i + 1), vertex(0, i + 1));
    quad(vertex(last, i), vertex(last, i + 1), inner(last, i + 1), inner(last, i));
  }
  return triangles;
}

/** Rows of section coordinates at axial positions, as many in each. */
export function pointsOnRings(
  volume: RodVolume,
  scalars: Scalars,
  nodes: readonly number[],
  rings: readonly (readonly Point[])[],
): MaterialPoints {
  const places = rings.flatMap((ring, k) => ring.map(([u, v]) => [nodes[k]!, u, v]));
  return pointsOf([volume.axial, ...volume.section], places, axialNodes(volume, scalars, nodes, rings[0]!.length));
}

/** Triangles over outlines one after the other, a point in the middle of each behind its corners; the ends are closed. */
export function lofted(rings: number, rowsPerRing: number): number[] {
  const outline = rowsPerRing - 1;
  const vertex = (k: number, i: number): number => k * rowsPerRing + (i % outline);
  const triangles: number[] = [];
  const last = rings - 1;
  for (let k = 0; k < last; k++)
    for (let i = 0; i < outline; i++) {
      const [a, b, c, d] = [vertex(k, i), vertex(k, i + 1), vertex(k + 1, i + 1), vertex(k + 1, i)];
      triangles.push(a, b, c, a, c, d);
    }
  for (let i = 0; i < outline; i++) {
    triangles.push(outline, vertex(0, i + 1), vertex(0, i));
    triangles.push(last * rowsPerRing + outline, vertex(last, i), vertex(last, i + 1));
  }
  return triangles;
}

/** The outline of a section counter-clockwise, in the user's coordinates; then that of its hole, or its middle. */
function sectionOutline({ shape, coordinates }: RodVolume, scalars: Scalars): Point[] {
  const [a, b = a] = evaluate(sectionDimensions(shape), scalars) as [number, number?];
  if (shape.shape === 'rectangle') return [...rectangle(a, b), [0, 0]];
  const angles = Array.from({ length: AROUND }, (_, i) => 2 * Math.PI * (i / AROUND + INSIDE));
  const ring = (x: number, y: number): Point[] =>
    angles.map((phi) =>
      coordinates === 'cartesian'
        ? [x * Math.cos(phi), y * Math.sin(phi)]
        : // Of ellipses the radius runs to one.
          [shape.shape === 'ellipse' ? 1 : x, phi],
    );
  if (shape.shape === 'annulus') return [...ring(b, b), ...ring(a, a)];
  return [...ring(a, b), [0, 0]];
}

function rectangle(width: number, height: number): Point[] {
  const corners: Point[] = [
    [1, -1],
    [1, 1],
    [-1, 1],
    [-1, -1],
  ];
  const perSide = AROUND / 4;
  return corners.flatMap(([x, y], side) => {
    const [nextX, nextY] = corners[(side + 1) % 4]!;
    return Array.from({ length: perSide }, (_, i): Point => {
      const share = i / perSide;
      return [((x + (nextX - x) * share) * width) / 2, ((y + (nextY - y) * share) * height) / 2];
    });
  });
}

/** Six faces, each a grid with vertices of its own. */
function boxSurface(volume: BoxVolume, scalars: Scalars): VolumeSurface {
  const ranges = volume.ranges.map((range) => evaluate(range, scalars) as [number, number]);
  const places: number[][] = [];
  const triangles: number[] = [];
  for (const axis of [0, 1, 2])
    for (const side of [0, 1]) {
      const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
      const first = places.length;
      for (let i = 0; i <= ACROSS; i++)
        for (let j = 0; j <= ACROSS; j++) {
          const place = [0, 0, 0];
          place[axis] = ranges[axis]![side]!;
          for (const [direction, k] of [
            [u, i],
            [v, j],
          ] as const) {
            const [low, high] = ranges[direction]!;
            place[direction] = low + ((high - low) * k) / ACROSS;
          }
          places.push(place);
        }
      for (let i = 0; i < ACROSS; i++)
        for (let j = 0; j < ACROSS; j++) {
          const a = first + i * (ACROSS + 1) + j;
          const [b, c, d] = [a + ACROSS + 1, a + ACROSS + 2, a + 1];
          triangles.push(...(side === 1 ? [a, b, c, a, c, d] : [a, c, b, a, d, c]));
        }
    }
  return { points: pointsOf(volume.axes, places), triangles };
}

/** Faces that belong to one tetrahedron, with the nodes that they need. */
function meshSurface({ axes, mesh, fields }: MeshVolume): VolumeSurface {
  const faces = new Map<string, readonly number[]>();
  for (let t = 0; t < mesh.tetrahedra.length; t += 4) {
    const [a, b, c, d] = mapTuple([0, 1, 2, 3] as const, (corner) => mesh.tetrahedra[t + corner]!);
    for (const face of [
      [a, c, b],
      [a, b, d],
      [b, c, d],
      [a, d, c],
    ]) {
      const key = [...face].sort((x, y) => x - y).join(' ');
      if (!faces.delete(key)) faces.set(key, face);
    }
  }
  const whole = [...faces.values()].flat();
  const outside = coarseTriangles(whole, mesh.nodes, MOST_VERTICES);
  const used = [...new Set(outside)].sort((a, b) => a - b);
  const index = new Map(used.map((node, i) => [node, i]));
  const places = used.map((node) => [0, 1, 2].map((axis) => mesh.nodes[3 * node + axis]!));
  const owner = new Int32Array(mesh.nodes.length / 3);
  mesh.tetrahedra.forEach((node, k) => (owner[node] = Math.floor(k / 4)));
  const points = pointsOf(axes, places);
  const ofNodes = [
    ...fieldColumns(
      fields,
      Array.from(used, (node) => owner[node]!),
    ),
  ];
  const columns = new Map([
    ...points.columns,
    ...ofNodes.map(([own, values]) => [own, columnOf([...values])] as const),
  ]);
  return {
    points: { ...points, columns },
    triangles: outside.map((node) => index.get(node)!),
    ...(outside !== whole && { coarsened: new Set(whole).size }),
  };
}

/**
 * Triangles between the first vertices of cells, where there are too many vertices: a closed surface stays closed.
 * @param nodes x, y, z of each. @param enough vertices, about.
 * @returns the same list where there are no more.
 */
export function coarseTriangles(
  triangles: readonly number[],
  nodes: ArrayLike<number>,
  enough: number,
): readonly number[] {
  const used = [...new Set(triangles)];
  if (used.length <= enough) return triangles;
  const least = [Infinity, Infinity, Infinity];
  const most = [-Infinity, -Infinity, -Infinity];
  for (const node of used)
    for (let axis = 0; axis < 3; axis++) {
      least[axis] = Math.min(least[axis]!, nodes[3 * node + axis]!);
      most[axis] = Math.max(most[axis]!, nodes[3 * node + axis]!);
    }
  const cell = Math.max(...most.map((high, axis) => high - least[axis]!)) / Math.sqrt(enough / 6);
  const first = new Map<string, number>();
  const stands = new Map<number, number>();
  for (const node of used) {
    const key = least.map((low, axis) => Math.floor((nodes[3 * node + axis]! - low) / cell)).join(' ');
    if (!first.has(key)) first.set(key, node);
    stands.set(node, first.get(key)!);
  }
  const kept: number[] = [];
  for (let i = 0; i < triangles.length; i += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => stands.get(triangles[i + k]!)!) as [number, number, number];
    if (a !== b && b !== c && c !== a) kept.push(a, b, c);
  }
  return kept;
}
