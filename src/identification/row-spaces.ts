/** Linear algebra over numbers of the geometry: rows times matrices, reduced echelon forms. */
import {
  isNothing,
  negated,
  NOTHING,
  numberOf,
  productOf,
  quotientOf,
  ROUNDING,
  sumOf,
  UNIT,
  type GeometricSum,
} from './geometric-sums.ts';

/** Between the same numbers by two ways. */
const SAME = 1e-10;

/** More than any sum that has terms. */
const LONG = 1000;

/** A row for each of some vectors. */
export type Rows = readonly (readonly GeometricSum[])[];

export function timesMatrix(rows: Rows, matrix: Rows): Rows {
  const columns = matrix[0]?.length ?? 0;
  return rows.map((row) => {
    const terms: GeometricSum[][] = Array.from({ length: columns }, () => []);
    row.forEach((entry, k) => {
      if (isNothing(entry)) return;
      matrix[k]!.forEach((factor, j) => isNothing(factor) || terms[j]!.push(productOf(entry, factor)));
    });
    return terms.map(sumOf);
  });
}

/** A bilinear function of two vectors, a component a list of products `[entry of a, entry of b, sign]`. */
export type Products = readonly (readonly [number, number, 1 | -1])[];

export function bilinear(
  a: readonly GeometricSum[],
  b: readonly GeometricSum[],
  components: readonly Products[],
): readonly GeometricSum[] {
  return components.map((products) =>
    sumOf(
      products
        .map(([i, j, sign]) => (sign < 0 ? negated(productOf(a[i]!, b[j]!)) : productOf(a[i]!, b[j]!)))
        .filter((term) => !isNothing(term)),
    ),
  );
}

/** Reduced row echelon form: a basis of what the rows span, each beginning with 1 in a column in which the others are 0. */
export function reduced(rows: Rows): Rows {
  return plainBasis(rows) ?? reducedInSums(rows);
}

/** Most spaces are the same for all lengths: then their basis is the same numbers for those of the file and others. */
function plainBasis(rows: Rows): Rows | undefined {
  const own = reducedInNumbers(rows.map((row) => row.map(({ value, size }) => ({ value, size }))));
  const other = reducedInNumbers(
    rows.map((row) =>
      row.map(({ elsewhere, size }) => ({
        value: elsewhere,
        size: Math.max(size, Math.abs(elsewhere)),
      })),
    ),
  );
  if (own.length !== other.length) return undefined;
  const isSame = own.every((row, i) =>
    row.every((entry, j) => Math.abs(entry.value - other[i]![j]!.value) <= SAME * Math.max(entry.size, 1)),
  );
  return isSame ? own.map((row) => row.map(({ value }) => numberOf(value))) : undefined;
}

interface Rounded {
  readonly value: number;
  readonly size: number;
}

function reducedInNumbers(rows: readonly (readonly Rounded[])[]): Rounded[][] {
  const left = rows.map((row) => [...row]);
  const done: Rounded[][] = [];
  const columns = rows[0]?.length ?? 0;
  for (let column = 0; column < columns && left.length > 0; column++) {
    const sizes = left.map((row) => Math.abs(row[column]!.value));
    const largest = Math.max(...sizes);
    if (!(largest > 0)) continue;
    const [own] = left.splice(sizes.indexOf(largest), 1) as [Rounded[]];
    const head = own[column]!;
    const unit = own.map(({ value, size }, j) =>
      j === column
        ? { value: 1, size: 1 }
        : { value: value / head.value, size: Math.max(size, (Math.abs(value) * head.size) / largest) / largest },
    );
    for (const row of [...left, ...done]) {
      const factor = row[column]!;
      if (factor.value === 0) continue;
      unit.forEach((entry, j) => {
        const value = j === column ? 0 : row[j]!.value - factor.value * entry.value;
        const size = Math.max(row[j]!.size, factor.size * Math.abs(entry.value), Math.abs(factor.value) * entry.size);
        row[j] = { value: Math.abs(value) > ROUNDING * size ? value : 0, size };
      });
    }
    done.push(unit);
  }
  return done;
}

function reducedInSums(rows: Rows): Rows {
  const left = rows.map((row) => [...row]);
  const done: GeometricSum[][] = [];
  const columns = rows[0]?.length ?? 0;
  for (let column = 0; column < columns && left.length > 0; column++) {
    const pivot = simplest(left, column);
    if (pivot === undefined) continue;
    const [own] = left.splice(pivot, 1) as [GeometricSum[]];
    const head = own[column]!;
    const unit = own.map((entry, j) => (j === column ? UNIT : quotientOf(entry, head)));
    for (const row of [...left, ...done]) eliminate(row, unit, column);
    done.push(unit);
  }
  return done;
}

/** Of the rows with something in a column the one with the shortest sum there, and the shortest in all. */
function simplest(rows: Rows, column: number): number | undefined {
  let found: number | undefined;
  let shortest = [Infinity, Infinity];
  rows.forEach((row, i) => {
    if (isNothing(row[column]!)) return;
    const lengths = [lengthOf(row[column]!), row.reduce((total, entry) => total + lengthOf(entry), 0)];
    if (!(lengths[0]! < shortest[0]! || (lengths[0] === shortest[0] && lengths[1]! < shortest[1]!))) return;
    [found, shortest] = [i, lengths];
  });
  return found;
}

function lengthOf({ terms }: GeometricSum): number {
  if (!terms) return LONG;
  let length = 0;
  for (const { powers } of terms.values()) length += 1 + powers.size;
  return length;
}

function eliminate(row: GeometricSum[], unit: readonly GeometricSum[], column: number): void {
  const factor = row[column]!;
  if (isNothing(factor)) return;
  unit.forEach((entry, j) => {
    if (isNothing(entry)) return;
    row[j] = j === column ? NOTHING : sumOf([row[j]!, negated(productOf(factor, entry))].filter((e) => !isNothing(e)));
  });
}
