/** Indices and sizes in generated code: known now, or expressions. */
export type Index = number | string;

/** `sum(3, 'i')` → `i + 3`; numbers are added. */
export function sum(a: Index, b: Index): Index {
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  if (a === 0) return b;
  return b === 0 ? a : `${a} + ${b}`;
}

/** `multiple(60, 'i + 1')` → `60 * (i + 1)`. */
export function multiple(factor: number, a: Index): Index {
  return typeof a === 'number' ? factor * a : `${factor} * (${a})`;
}

/** `product(3, 'n')` → `3 * n`, of names and numbers. */
export function product(a: Index, b: Index): Index {
  if (typeof a === 'number' && typeof b === 'number') return a * b;
  if (a === 0 || b === 0) return 0;
  if (a === 1) return b;
  return b === 1 ? a : `${a} * ${b}`;
}

export function matrixIndex(row: Index, column: Index, width: Index): Index {
  if (typeof row === 'number') return sum(product(row, width), column);
  return `${/ /.test(row) ? `(${row})` : row} * ${width} + ${column}`;
}
