/** Branches by file and line over any number of builds, from what gcov writes as JSON. */

interface Report {
  readonly files: readonly {
    readonly file: string;
    readonly lines: readonly {
      readonly line_number: number;
      readonly branches: readonly { readonly count: number; readonly throw: boolean }[];
    }[];
  }[];
}

export interface FileBranches {
  readonly file: string;
  readonly all: number;
  readonly taken: number;
  /** Lines with branches that are never taken. */
  readonly missing: readonly number[];
}

export class Branches {
  /** How often branches were taken, by file, then by line and number within it. */
  private readonly counts = new Map<string, Map<string, number>>();

  /** @param text of `gcov --json-format --stdout`: an object a line. A header counts once, whoever includes it. */
  add(text: string): void {
    for (const report of text.split('\n').filter(Boolean))
      for (const { file, lines } of (JSON.parse(report) as Report).files) {
        if (file.startsWith('/') || file.endsWith('_selftest.c')) continue;
        const own = this.counts.get(file) ?? new Map<string, number>();
        this.counts.set(file, own);
        for (const line of lines)
          for (const [i, { count }] of line.branches.entries()) {
            const key = `${line.line_number}:${i}`;
            own.set(key, (own.get(key) ?? 0) + count);
          }
      }
  }

  files(): FileBranches[] {
    return [...this.counts].sort().map(([file, own]) => {
      const never = [...own].filter(([, count]) => count === 0);
      const missing = [...new Set(never.map(([key]) => Number(key.split(':')[0])))].sort((a, b) => a - b);
      return { file, all: own.size, taken: own.size - never.length, missing };
    });
  }
}
