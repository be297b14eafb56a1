/**
 * From pixels to curves: outlines of regions and lines between pixels, by walks along the sides of pixels, with as few corners as
 * a tolerance allows.
 */

/** x, y in pixels. */
export type Corner = readonly [number, number];

/** Sides of pixels between grid points, which are numbered row by row. */
type Sides = Map<number, number[]>;

/** Labels row by row; what is below 0 is no region. */
export interface Labels {
  readonly labels: Int16Array;
  readonly width: number;
  readonly height: number;
}

/**
 * Closed outlines of regions of equal labels, also those of holes.
 * @param tolerance distance in pixels by which an outline may go astray.
 */
export function outlinesOf(picture: Labels, tolerance: number): ReadonlyMap<number, readonly Corner[][]> {
  const { labels, width } = picture;
  const sides = new Map<number, Sides>();
  const at = (pixel: number): number => (pixel < 0 ? -1 : labels[pixel]!);
  const differs = (a: number, b: number): boolean => at(a) !== at(b);
  eachSide(picture, differs, (from, to, right, left) => {
    if (at(right) >= 0) addTo(sides, at(right), from, to);
    if (at(left) >= 0) addTo(sides, at(left), to, from);
  });
  return new Map([...sides].map(([label, own]) => [label, loopsOf(own, width + 1, tolerance)]));
}

/**
 * Open or closed lines between pixels of the same label, by label.
 * @param isLine of two pixels beside each other.
 */
export function linesWithin(
  picture: Labels,
  isLine: (a: number, b: number) => boolean,
  tolerance: number,
): ReadonlyMap<number, readonly Corner[][]> {
  const { labels, width } = picture;
  const sides = new Map<number, Sides>();
  const isWithin = (a: number, b: number): boolean =>
    a >= 0 && b >= 0 && labels[a]! >= 0 && labels[a] === labels[b] && isLine(a, b);
  eachSide(picture, isWithin, (from, to, right) => {
    addTo(sides, labels[right]!, from, to);
    addTo(sides, labels[right]!, to, from);
  });
  return new Map([...sides].map(([label, own]) => [label, linesOf(own, width + 1, tolerance)]));
}

function addTo(sides: Map<number, Sides>, label: number, from: number, to: number): void {
  let own = sides.get(label);
  if (!own) sides.set(label, (own = new Map<number, number[]>()));
  const known = own.get(from);
  if (known) known.push(to);
  else own.set(from, [to]);
}

/**
 * Sides of pixels that are wanted, each from one grid point to another, with the pixels on its right and on its left as one looks at the
 * picture; those outside of the picture are −1. Where nothing is, there are no sides.
 */
function eachSide(
  { labels, width, height }: Labels,
  isWanted: (right: number, left: number) => boolean,
  take: (from: number, to: number, right: number, left: number) => void,
): void {
  const points = width + 1;
  const isEmpty = (row: number): boolean => {
    for (let i = row * width; i < (row + 1) * width; i++) if (labels[i]! >= 0) return false;
    return true;
  };
  let isEmptyBefore = true;
  for (let row = 0; row <= height; row++) {
    const isEmptyHere = row === height || isEmpty(row);
    const isEmptyThere = isEmptyBefore;
    isEmptyBefore = isEmptyHere;
    if (isEmptyHere && isEmptyThere) continue;
    for (let column = 0; column <= width; column++) {
      const point = row * points + column;
      const pixel = row * width + column;
      // To the right along the top of the pixel below it.
      const [below, above] = [row < height ? pixel : -1, row > 0 ? pixel - width : -1];
      if (column < width && isWanted(below, above)) take(point, point + 1, below, above);
      // Down along the left side of the pixel to its right.
      const [before, after] = [column > 0 ? pixel - 1 : -1, column < width ? pixel : -1];
      if (row < height && isWanted(before, after)) take(point, point + points, before, after);
    }
  }
}

function linesOf(sides: Sides, points: number, tolerance: number): Corner[][] {
  const lines: Corner[][] = [];
  const ends = [...sides].filter(([, next]) => next.length !== 2).map(([point]) => point);
  for (const start of [...ends, ...sides.keys()])
    while (sides.get(start)!.length > 0) lines.push(lineFrom(sides, start, points, tolerance));
  return lines;
}

/** Walks that keep their region on the right; where two regions meet at a corner, they turn right. */
function loopsOf(sides: Sides, points: number, tolerance: number): Corner[][] {
  const loops: Corner[][] = [];
  for (const [start, outgoing] of sides)
    while (outgoing.length > 0) {
      const walk: number[] = [start];
      let [from, at] = [start, outgoing.pop()!];
      while (at !== start) {
        walk.push(at);
        const next = sides.get(at)!;
        const right = rightOf(at - from, points);
        const turn = next.length > 1 ? next.findIndex((to) => to - at === right) : 0;
        [from, at] = [at, next.splice(Math.max(turn, 0), 1)[0]!];
      }
      const middles = walk.map((point, i) => middle(point, walk[(i + 1) % walk.length]!, points));
      const loop = simplifiedLoop(middles, tolerance);
      if (loop.length > 2) loops.push(loop);
    }
  return loops;
}

/** The step to the right of a step between grid points. */
function rightOf(step: number, points: number): number {
  if (step === 1) return points;
  if (step === points) return -1;
  return step === -1 ? -points : 1;
}

function lineFrom(sides: Sides, start: number, points: number, tolerance: number): Corner[] {
  const walk: number[] = [start];
  for (let at = start; ;) {
    const next = sides.get(at)!.pop();
    if (next === undefined) break;
    const back = sides.get(next)!;
    back.splice(back.indexOf(at), 1);
    walk.push(next);
    at = next;
    // Ends at a branch, so that lines meet there.
    if (back.length !== 1) break;
  }
  const corners = walk.slice(0, -1).map((point, i) => middle(point, walk[i + 1]!, points));
  return simplified(corners, tolerance);
}

function middle(a: number, b: number, points: number): Corner {
  return [((a % points) + (b % points)) / 2, (Math.floor(a / points) + Math.floor(b / points)) / 2];
}

/** A closed line is cut at two corners far from each other. */
function simplifiedLoop(corners: readonly Corner[], tolerance: number): Corner[] {
  const [first] = corners;
  const distance = ([x, y]: Corner): number => Math.hypot(x - first![0], y - first![1]);
  const far = corners.reduce((best, corner, i) => (distance(corner) > distance(corners[best]!) ? i : best), 0);
  if (far === 0) return [];
  const there = simplified(corners.slice(0, far + 1), tolerance);
  const back = simplified([...corners.slice(far), first!], tolerance);
  return [...there.slice(0, -1), ...back.slice(0, -1)];
}

/** Douglas and Peucker: no corner that is left out is farther from the line than the tolerance. */
export function simplified(corners: readonly Corner[], tolerance: number): Corner[] {
  if (corners.length < 3) return [...corners];
  const kept = new Uint8Array(corners.length);
  kept[0] = kept[corners.length - 1] = 1;
  const open: [number, number][] = [[0, corners.length - 1]];
  for (let span = open.pop(); span; span = open.pop()) {
    const [from, to] = span;
    let [worst, most] = [0, tolerance];
    for (let i = from + 1; i < to; i++) {
      const off = distanceToSegment(corners[i]!, corners[from]!, corners[to]!);
      if (off > most) [worst, most] = [i, off];
    }
    if (worst === 0) continue;
    kept[worst] = 1;
    open.push([from, worst], [worst, to]);
  }
  return corners.filter((_, i) => kept[i] === 1);
}

function distanceToSegment([x, y]: Corner, [ax, ay]: Corner, [bx, by]: Corner): number {
  const [dx, dy] = [bx - ax, by - ay];
  const length = dx * dx + dy * dy;
  const share = length > 0 ? Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / length)) : 0;
  return Math.hypot(x - ax - share * dx, y - ay - share * dy);
}

/** Area within a closed line, positive where it lies on the right of its way. */
export function areaOf(corners: readonly Corner[]): number {
  return corners.reduce((sum, [x, y], i) => {
    const [nextX, nextY] = corners[(i + 1) % corners.length]!;
    return sum + (x * nextY - y * nextX) / 2;
  }, 0);
}
