/**
 * Hash consing: the node of given parts is looked up before it is made, so that equal structure is the same object. It is looked up by a
 * number made of the parts, which are compared with those of what is found: nodes that exist cost no texts.
 */
import { tick } from '../../common/work-limit.ts';
import type { Expr, NodeBase } from './nodes.ts';
import { ONE, Rational } from './rational.ts';

type PartsOf<Node> = Node extends NodeBase ? Omit<Node, keyof NodeBase> : never;
type Parts = PartsOf<Expr>;

/**
 * The youngest nodes, and those before them as long as somebody has them, by key; where that is taken, by the key and as many times the
 * number of all keys as it takes to be free.
 */
let young = new Map<number, Expr>();
let old = new Map<number, WeakRef<Expr>>();
const MOST_YOUNG = 131_072;
let mostOld = MOST_YOUNG;
let nextId = 0;

/** Nodes made in this process. */
export function internedCount(): number {
  return nextId;
}

/** The node of parts, which are canonical. */
export function intern(parts: Parts): Expr {
  const key = partsMixed(parts) & LAST_KEY;
  let place = key;
  for (let node = young.get(place); node !== undefined; node = young.get(place)) {
    if (isOf(node, parts)) return node;
    place += LAST_KEY + 1;
  }
  const found = oldNode(key, parts) ?? made(parts);
  young.set(place, found);
  if (young.size > MOST_YOUNG) grow();
  return found;
}

function oldNode(key: number, parts: Parts): Expr | undefined {
  let place = key;
  for (let known = old.get(place); known !== undefined; known = old.get(place)) {
    const node = known.deref();
    if (node && isOf(node, parts)) return node;
    place += LAST_KEY + 1;
  }
  return undefined;
}

function made(parts: Parts): Expr {
  tick();
  const { structure, size } = described(parts);
  return { ...parts, id: nextId++, hash: hashText(structure), size: Math.min(size, 1e15) };
}

/** The young become old ones. */
function grow(): void {
  for (const [place, node] of young) keep(place & LAST_KEY, node);
  young = new Map();
  if (old.size > mostOld) forget();
}

/** What nobody has any more; when the old ones have become twice as many, so that it costs a share of what making them did. */
function forget(): void {
  const before = old;
  old = new Map();
  for (const [place, known] of before) {
    const node = known.deref();
    if (node) keep(place & LAST_KEY, node, known);
  }
  mostOld = Math.max(2 * old.size, MOST_YOUNG);
}

function keep(key: number, node: Expr, known?: WeakRef<Expr>): void {
  let place = key;
  for (let other = old.get(place); other !== undefined; other = old.get(place)) {
    if (other.deref() === node) return;
    place += LAST_KEY + 1;
  }
  old.set(place, known ?? new WeakRef(node));
}

// ---------------------------------------------------------------------------------------------- keys

/** Keys are small integers, which maps know without an object for each. */
const LAST_KEY = 0x3fffffff;

/** Multiplicative hashing by 2^32 over the golden ratio (D. E. Knuth, The Art of Computer Programming 3, 6.4). */
function mixed(key: number, part: number): number {
  const product = Math.imul(key ^ part, 0x9e3779b1);
  return product ^ (product >>> 15);
}

const mixedText = (key: number, text: string): number => {
  let own = key;
  for (let i = 0; i < text.length; i++) own = mixed(own, text.charCodeAt(i));
  return own;
};

const DOUBLE = new Float64Array(1);
const WORDS = new Uint32Array(DOUBLE.buffer);

/** Of all bits of the nearest double where 32 bits are too few: the lowest 32 of a large one are zero. */
function mixedInteger(key: number, value: bigint): number {
  const number = Number(value);
  if (number === (number | 0)) return mixed(key, number);
  if (!Number.isFinite(number)) return mixedText(key, value.toString(16));
  DOUBLE[0] = number;
  return mixed(mixed(key, WORDS[0]!), WORDS[1]!);
}

/** Most coefficients and exponents are one. */
function mixedRational(key: number, value: Rational): number {
  if (value === ONE) return mixed(key, 1);
  const own = mixedInteger(key, value.numerator);
  return value.denominator === 1n ? own : mixedInteger(own, value.denominator);
}

const mixedNodes = (key: number, nodes: readonly Expr[]): number => nodes.reduce((own, { id }) => mixed(own, id), key);

function partsMixed(parts: Parts): number {
  switch (parts.kind) {
    case 'sum': {
      let key = mixedRational(1, parts.constant);
      for (const { coefficient, term } of parts.terms) key = mixedRational(mixed(key, term.id), coefficient);
      return key;
    }
    case 'product': {
      let key = mixedRational(2, parts.coefficient);
      for (const { base, exponent } of parts.factors) key = mixedRational(mixed(key, base.id), exponent);
      return key;
    }
    case 'rational':
      return mixedRational(3, parts.value);
    case 'constant':
    case 'symbol':
      return mixedText(4, parts.name);
    case 'call':
      return mixedNodes(mixedText(5, parts.name), parts.arguments);
    case 'stumpff':
      return mixed(mixed(6, parts.order), parts.argument.id);
    case 'select':
      return mixedNodes(7, [parts.condition, parts.then, parts.otherwise]);
    case 'compare':
      return mixedNodes(mixedText(8, parts.operator), [parts.left, parts.right]);
    case 'logic':
      return mixedNodes(mixedText(9, parts.operator), parts.operands);
  }
}

// ---------------------------------------------------------------------------------------------- parts

const isSame = (a: Rational, b: Rational): boolean => a === b || Rational.equals(a, b);
const areSame = (a: readonly Expr[], b: readonly Expr[]): boolean =>
  a.length === b.length && a.every((own, i) => own === b[i]);

function isOf(node: Expr, parts: Parts): boolean {
  switch (parts.kind) {
    case 'sum': {
      if (node.kind !== 'sum' || node.terms.length !== parts.terms.length) return false;
      for (let i = 0; i < parts.terms.length; i++) {
        const [own, other] = [node.terms[i]!, parts.terms[i]!];
        if (own.term !== other.term || !isSame(own.coefficient, other.coefficient)) return false;
      }
      return isSame(node.constant, parts.constant);
    }
    case 'product': {
      if (node.kind !== 'product' || node.factors.length !== parts.factors.length) return false;
      for (let i = 0; i < parts.factors.length; i++) {
        const [own, other] = [node.factors[i]!, parts.factors[i]!];
        if (own.base !== other.base || !isSame(own.exponent, other.exponent)) return false;
      }
      return isSame(node.coefficient, parts.coefficient);
    }
    case 'rational':
      return node.kind === 'rational' && isSame(node.value, parts.value);
    case 'constant':
    case 'symbol':
      return node.kind === parts.kind && node.name === parts.name;
    case 'call':
      return node.kind === 'call' && node.name === parts.name && areSame(node.arguments, parts.arguments);
    case 'stumpff':
      return node.kind === 'stumpff' && node.order === parts.order && node.argument === parts.argument;
    case 'select':
      return (
        node.kind === 'select' &&
        node.condition === parts.condition &&
        node.then === parts.then &&
        node.otherwise === parts.otherwise
      );
    case 'compare':
      return (
        node.kind === 'compare' &&
        node.operator === parts.operator &&
        node.left === parts.left &&
        node.right === parts.right
      );
    case 'logic':
      return node.kind === 'logic' && node.operator === parts.operator && areSame(node.operands, parts.operands);
  }
}

// ---------------------------------------------------------------------------------------------- structure

/** A text that is the same in every process, and the number of nodes as a tree. */
function described(parts: Parts): { readonly structure: string; readonly size: number } {
  const text = Rational.toString;
  const listed = (nodes: readonly Expr[]): string => `(${nodes.map(({ hash }) => hash).join(',')})`;
  const sizeOf = (nodes: readonly Expr[]): number => nodes.reduce((total, node) => total + node.size, 1);
  switch (parts.kind) {
    case 'rational':
      return { structure: `r${text(parts.value)}`, size: 1 };
    case 'constant':
      return { structure: parts.name, size: 1 };
    case 'symbol':
      return { structure: `s${parts.name}`, size: 1 };
    case 'sum': {
      const terms = parts.terms.map(({ coefficient, term }) => `,${text(coefficient)}*${term.hash}`);
      return {
        structure: `+${text(parts.constant)}${terms.join('')}`,
        size: sizeOf(parts.terms.map(({ term }) => term)),
      };
    }
    case 'product': {
      const factors = parts.factors.map(({ base, exponent }) => `,${base.hash}^${text(exponent)}`);
      return {
        structure: `*${text(parts.coefficient)}${factors.join('')}`,
        size: sizeOf(parts.factors.map(({ base }) => base)),
      };
    }
    case 'call':
      return { structure: `f${parts.name}${listed(parts.arguments)}`, size: sizeOf(parts.arguments) };
    case 'stumpff':
      return { structure: `c${parts.order}(${parts.argument.hash})`, size: parts.argument.size + 1 };
    case 'select': {
      const { condition, then, otherwise } = parts;
      return {
        structure: `if${condition.hash}:${then.hash}:${otherwise.hash}`,
        size: sizeOf([condition, then, otherwise]),
      };
    }
    case 'compare': {
      const { left, operator, right } = parts;
      return { structure: `?${left.hash}${operator}${right.hash}`, size: sizeOf([left, right]) };
    }
    case 'logic':
      return { structure: `${parts.operator}${listed(parts.operands)}`, size: sizeOf(parts.operands) };
  }
}

function hashText(text: string): number {
  // Two multiplicative 32-bit hashes side by side, 53 bits kept.
  let h1 = 0x9e3779b1 ^ text.length;
  let h2 = 0x85ebca6b;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    h1 = Math.imul(h1 ^ code, 2654435761);
    h2 = Math.imul(h2 ^ code, 1597334677);
  }
  h1 = Math.imul(h1 ^ (h1 >>> 16), 2246822507) ^ Math.imul(h2 ^ (h2 >>> 13), 3266489909);
  h2 = Math.imul(h2 ^ (h2 >>> 16), 2246822507) ^ Math.imul(h1 ^ (h1 >>> 13), 3266489909);
  return 4294967296 * (2097151 & h2) + (h1 >>> 0);
}
