/**
 * Vectors and frames of bodies over any kind of number: decimals, or columns of double-double numbers (one operation for all rows).
 */
import type { Decimal } from 'decimal.js';
import type { ContactFrame, MaterialPoint } from '../../description/model/reference-volume.ts';
import { apply, combine, constantColumn, type Column } from './columns.ts';
import { add, divide, multiply, squareRoot } from './double-double.ts';

interface Numbers<N> {
  readonly plus: (a: N, b: N) => N;
  readonly minus: (a: N, b: N) => N;
  readonly times: (a: N, b: N) => N;
  readonly over: (a: N, b: N) => N;
  readonly root: (a: N) => N;
}

/** A material point of a body: Cartesian coordinates in the undeformed body, and where it is. */
interface Image<N> {
  readonly reference: readonly N[];
  readonly place: readonly N[];
}

class Algebra<N> {
  readonly plus: (a: N, b: N) => N;
  readonly minus: (a: N, b: N) => N;
  readonly times: (a: N, b: N) => N;
  private readonly over: (a: N, b: N) => N;
  private readonly root: (a: N) => N;

  constructor({ plus, minus, times, over, root }: Numbers<N>) {
    [this.plus, this.minus, this.times, this.over, this.root] = [plus, minus, times, over, root];
  }

  dot(a: readonly N[], b: readonly N[]): N {
    return a.map((x, i) => this.times(x, b[i]!)).reduce((sum, x) => this.plus(sum, x));
  }

  cross(a: readonly N[], b: readonly N[]): N[] {
    return [0, 1, 2].map((i) => {
      const [j, k] = [(i + 1) % 3, (i + 2) % 3];
      return this.minus(this.times(a[j]!, b[k]!), this.times(a[k]!, b[j]!));
    });
  }

  /**
   * A frame that the material carries: axes along images of material lines, e = (p(x_1) − p(x_0)) / |x_1 − x_0|, the third by the cross
   * product. Entries: the rotation, row-major, then the translation.
   */
  contactFrame({ pivot, axes }: ContactFrame, imageOf: (point: MaterialPoint) => Image<N>): N[] {
    const from = imageOf(pivot);
    const given = [axes.x, axes.y, axes.z].map((point) => {
      if (!point) return undefined;
      const to = imageOf(point);
      const apart = to.reference.map((x, i) => this.minus(x, from.reference[i]!));
      const distance = this.root(this.dot(apart, apart));
      return to.place.map((x, i) => this.over(this.minus(x, from.place[i]!), distance));
    });
    const columns = given.map((e, i) => e ?? this.cross(given[(i + 1) % 3]!, given[(i + 2) % 3]!));
    return [...[0, 1, 2].flatMap((row) => columns.map((e) => e[row]!)), ...from.place];
  }
}

export const DECIMALS = new Algebra<Decimal>({
  plus: (a, b) => a.plus(b),
  minus: (a, b) => a.minus(b),
  times: (a, b) => a.times(b),
  over: (a, b) => a.div(b),
  root: (a) => a.sqrt(),
});

export const COLUMNS = new Algebra<Column>({
  plus: (a, b) => combine(add, a, b),
  minus: (a, b) => combine((ah, al, bh, bl) => add(ah, al, -bh, -bl), a, b),
  times: (a, b) => combine(multiply, a, b),
  over: (a, b) => combine(divide, a, b),
  root: (a) => apply(squareRoot, a),
});

export const { plus, minus, times } = COLUMNS;
export const dot = (a: readonly Column[], b: readonly Column[]): Column => COLUMNS.dot(a, b);
export const cross = (a: readonly Column[], b: readonly Column[]): Column[] => COLUMNS.cross(a, b);
export const negated = (a: Column): Column => times(constantColumn(-1), a);
