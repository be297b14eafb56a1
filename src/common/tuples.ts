/** Lists whose length is part of their type, and records with one value for each of some keys. */

/** One value for each axis x, y, z. */
export function eachAxis<T>(of: (axis: 0 | 1 | 2) => T): readonly [T, T, T] {
  return [of(0), of(1), of(2)];
}

/** As many values as the list has entries. */
export function mapTuple<L extends readonly unknown[], T>(
  list: L,
  of: (entry: L[number], index: number) => T,
): { readonly [K in keyof L]: T } {
  const values: readonly T[] = list.map(of);
  return values as { readonly [K in keyof L]: T };
}

/** @throws Error where the list has not three entries. */
export function triple<T>(entries: readonly T[]): readonly [T, T, T] {
  if (entries.length !== 3) throw new Error(`${entries.length} entries where 3 are due`);
  return entries as readonly [T, T, T];
}

/** One value for each key. */
export function recordOf<K extends string, T>(keys: readonly K[], of: (key: K) => T): Readonly<Record<K, T>> {
  return Object.fromEntries(keys.map((key) => [key, of(key)])) as Readonly<Record<K, T>>;
}
