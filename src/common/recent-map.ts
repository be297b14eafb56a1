/** A map that forgets: what was neither set nor asked for longest goes, where there would be more than a number of entries. */
export class RecentMap<Key, Value> {
  private readonly most: number;
  private readonly entries = new Map<Key, Value>();

  constructor(most: number) {
    this.most = most;
  }

  get(key: Key): Value | undefined {
    const value = this.entries.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: Key, value: Value): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size > this.most) this.entries.delete(this.entries.keys().next().value as Key);
  }

  delete(key: Key): void {
    this.entries.delete(key);
  }
}
