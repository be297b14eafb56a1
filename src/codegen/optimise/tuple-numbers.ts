/**
 * Numbers for tuples of whole numbers, in order of first use: a hash table in typed arrays (open addressing, linear probing). A `Map` with
 * texts or large numbers as keys takes many times the memory, and millions of tuples is what the candidates of large forms are.
 */
const EMPTY = -1;

export class TupleNumbers {
  /** How many tuples there are. */
  size = 0;
  private readonly width: number;
  /** Of the tuples, one after the other. */
  private members: Int32Array;
  /** By hash. */
  private numbers: Int32Array;

  /** @param width of a tuple, 2 or 3; @param capacity tuples to begin with, a power of two. */
  constructor(width: 2 | 3, capacity = 512) {
    this.width = width;
    this.members = new Int32Array(width * capacity);
    this.numbers = new Int32Array(2 * capacity).fill(EMPTY);
  }

  /** The number of a tuple: as many as there were before it. Members fit into 32 bits; without a third, it is zero. */
  of(a: number, b: number, c = 0): number {
    const place = this.placeOf(a, b, c);
    const known = this.numbers[place]!;
    if (known !== EMPTY) return known;
    const number = this.size++;
    const at = number * this.width;
    this.members[at] = a;
    this.members[at + 1] = b;
    if (this.width > 2) this.members[at + 2] = c;
    this.numbers[place] = number;
    if (2 * this.size >= this.numbers.length) this.grow();
    return number;
  }

  private placeOf(a: number, b: number, c: number): number {
    const { numbers, members, width } = this;
    const mask = numbers.length - 1;
    let hash = Math.imul(a, 0x9e3779b1) ^ Math.imul(b + 1, 0x85ebca6b) ^ Math.imul(c + 1, 0xc2b2ae35);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    hash ^= hash >>> 13;
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      const number = numbers[place]!;
      if (number === EMPTY) return place;
      const at = number * width;
      if (members[at] === a && members[at + 1] === b && (width < 3 || members[at + 2] === c)) return place;
    }
  }

  private grow(): void {
    const { members, width } = this;
    this.members = new Int32Array(2 * members.length);
    this.members.set(members);
    this.numbers = new Int32Array(2 * this.numbers.length).fill(EMPTY);
    for (let number = 0; number < this.size; number++) {
      const at = number * width;
      this.numbers[this.placeOf(members[at]!, members[at + 1]!, width > 2 ? members[at + 2]! : 0)] = number;
    }
  }
}
