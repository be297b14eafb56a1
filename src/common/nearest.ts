/**
 * The known name that a mistyped one most likely means.
 */

/** Number of insertions, deletions, replacements and swaps of neighbours between two words. */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(replaced, rows[i - 1]![j]! + 1, row[j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, rows[i - 2]![j - 2]! + 1);
      row.push(least);
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}

/** @returns undefined when nothing is near enough to be what was meant. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  if (name.length > 100) return undefined;
  let best: string | undefined;
  let least = Math.max(1, Math.floor(name.length / 3)) + 0.5;
  for (const candidate of candidates) {
    if (candidate === name || Math.abs(candidate.length - name.length) > least) continue;
    const sameLetters = candidate.toLowerCase() === name.toLowerCase();
    const far = sameLetters ? 0.1 : distance(name, candidate);
    // A single letter is no misspelling of another one.
    if (far < least && (sameLetters || Math.max(name.length, candidate.length) > 1)) {
      best = candidate;
      least = far;
    }
  }
  return best;
}
