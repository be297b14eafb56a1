/** Plain text tables for the terminal. */

/** Columns padded to the widest cell, two spaces apart; the first row is the heading. */
export function formatTable(rows: readonly (readonly string[])[], right: readonly number[] = []): string {
  const width = (rows[0] ?? []).map((_, c) => Math.max(...rows.map((row) => [...(row[c] ?? '')].length)));
  return rows
    .map((row) =>
      row
        .map((cell, c) => {
          const padding = ' '.repeat(width[c]! - [...cell].length);
          return right.includes(c) ? padding + cell : cell + padding;
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** A number with few digits, for reading. */
export function shortNumber(value: number): string {
  if (value === 0) return '0';
  const magnitude = Math.abs(value);
  return magnitude >= 1e-3 && magnitude < 1e5 ? String(Number(value.toPrecision(5))) : value.toExponential(2);
}

/** The same for readers who compare it with others of its kind: what is rounding beside the largest of them is zero. */
export function shortNumberBeside(largest: number): (value: number) => string {
  return (value) => shortNumber(Math.abs(value) < 1e-12 * largest ? 0 : value);
}
