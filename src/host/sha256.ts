/** SHA-256 (FIPS 180-4) for machines that offer it to those only who wait. */
import type { Hash } from './host.ts';

/** Bytes that are digested at a time. */
const BLOCK = 64;

/** The first 32 bits of the fractional parts of roots of the first primes: square roots at first, cube roots for each round. */
const { INITIAL, ROUNDS } = constants();

export class Sha256 implements Hash {
  private readonly state = Uint32Array.from(INITIAL);
  private readonly block = new Uint8Array(BLOCK);
  private readonly words = new Uint32Array(64);
  private length = 0;

  update(part: string | Uint8Array): this {
    const bytes = typeof part === 'string' ? new TextEncoder().encode(part) : part;
    for (const byte of bytes) {
      this.block[this.length++ % BLOCK] = byte;
      if (this.length % BLOCK === 0) this.compress();
    }
    return this;
  }

  digest(): string {
    const bits = 8 * this.length;
    this.update(Uint8Array.of(0x80));
    while (this.length % BLOCK !== BLOCK - 8) this.update(Uint8Array.of(0));
    const size = new DataView(new ArrayBuffer(8));
    size.setUint32(0, Math.floor(bits / 2 ** 32));
    size.setUint32(4, bits % 2 ** 32);
    this.update(new Uint8Array(size.buffer));
    return [...this.state].map((word) => word.toString(16).padStart(8, '0')).join('');
  }

  private compress(): void {
    const { block, state, words: w } = this;
    const view = new DataView(block.buffer);
    for (let i = 0; i < 16; i++) w[i] = view.getUint32(4 * i);
    for (let i = 16; i < 64; i++) {
      const [early, late] = [w[i - 15]!, w[i - 2]!];
      const first = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
      const second = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
      w[i] = w[i - 16]! + first + w[i - 7]! + second;
    }
    let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
    for (let i = 0; i < 64; i++) {
      const ofE = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
      const choice = (e & f) ^ (~e & g);
      const added = (h + ofE + choice + ROUNDS[i]! + w[i]!) | 0;
      const ofA = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
      const majority = (a & b) ^ (a & c) ^ (b & c);
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + added) | 0, c, b, a, (added + ofA + majority) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] = state[i]! + word));
  }
}

/** To the right, by bits. */
const turned = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));

function constants(): { readonly INITIAL: readonly number[]; readonly ROUNDS: readonly number[] } {
  const primes: bigint[] = [];
  for (let n = 2n; primes.length < 64; n++) if (primes.every((prime) => n % prime !== 0n)) primes.push(n);
  return {
    INITIAL: primes.slice(0, 8).map((prime) => fraction(prime, 2n)),
    ROUNDS: primes.map((prime) => fraction(prime, 3n)),
  };
}

/** Of the fractional part of a root: floor(2³² n^(1/degree)) by bisection, exactly. */
function fraction(n: bigint, degree: bigint): number {
  const wanted = n << (32n * degree);
  let [low, high] = [0n, n << 32n];
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** degree <= wanted) low = middle;
    else high = middle;
  }
  return Number(low & 0xffffffffn);
}
