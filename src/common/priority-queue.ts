/** A binary heap: what precedes all others comes out first. */
export class PriorityQueue<T> {
  private readonly entries: T[] = [];
  private readonly precedes: (a: T, b: T) => boolean;

  /** @param precedes an order without ties, so that what comes out does not depend on the order of going in. */
  constructor(precedes: (a: T, b: T) => boolean) {
    this.precedes = precedes;
  }

  push(entry: T): void {
    const { entries } = this;
    let at = entries.length;
    entries.push(entry);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.precedes(entry, entries[parent]!)) break;
      entries[at] = entries[parent]!;
      at = parent;
    }
    entries[at] = entry;
  }

  pop(): T | undefined {
    const { entries } = this;
    const first = entries[0];
    const last = entries.pop();
    if (!first || entries.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= entries.length) break;
      if (child + 1 < entries.length && this.precedes(entries[child + 1]!, entries[child]!)) child += 1;
      if (!this.precedes(entries[child]!, last!)) break;
      entries[at] = entries[child]!;
      at = child;
    }
    entries[at] = last!;
    return first;
  }
}
