/**
 * A robot as text and back: equal in all that it holds but where its formulas were written, which only mistakes in them need. Faster
 * to read than a robot file, and without the parsers of its language.
 */
import { base64, bytesOf } from '../common/bytes.ts';
import {
  call,
  children,
  compare,
  logic,
  pi,
  plus,
  power,
  rational,
  scale,
  select,
  stumpff,
  symbol,
  times,
  type Comparison,
  type Expr,
  type FunctionName,
  type LogicExpr,
} from '../symbolic/graph/expr.ts';
import { ratio, Rational } from '../symbolic/graph/rational.ts';
import { postorder } from '../symbolic/graph/traverse.ts';
import { Provenance } from './model/provenance.ts';
import type { Robot } from './model/robot.ts';

/** Of an object: its kind, then what it consists of. Objects come after those that they hold. */
type Entry = readonly [kind: string, ...parts: readonly Coded[]];
/** A plain value, or in brackets the index of an entry or the text of a number that JSON has not. */
type Coded = string | number | boolean | null | readonly [number | string];

/** @returns undefined where a robot holds what has no text. */
export function robotText(robot: Robot): string | undefined {
  const writer = new Writer();
  const whole = writer.code(robot);
  return writer.isPlain ? JSON.stringify({ entries: writer.entries, whole }) : undefined;
}

/** @param text what robotText returned. */
export function robotOfText(text: string): Robot {
  const { entries, whole } = JSON.parse(text) as { readonly entries: readonly Entry[]; readonly whole: Coded };
  const made: unknown[] = [];
  const value = (coded: Coded | undefined): unknown => {
    if (!Array.isArray(coded)) return coded;
    const [of] = coded as readonly [number | string];
    return typeof of === 'number' ? made[of] : of === 'undefined' ? undefined : Number(of);
  };
  for (const [kind, ...parts] of entries) made.push(objectOf(kind, parts, value));
  return value(whole) as Robot;
}

class Writer {
  readonly entries: Entry[] = [];
  isPlain = true;
  private readonly known = new Map<object, Coded>();

  code(value: unknown): Coded {
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return value;
      case 'number':
        return Number.isFinite(value) && !Object.is(value, -0) ? value : [Object.is(value, -0) ? '-0' : String(value)];
      case 'undefined':
        return ['undefined'];
      case 'object':
        return value === null ? null : this.ofObject(value);
      case 'bigint':
      case 'function':
      case 'symbol':
        this.isPlain = false;
        return null;
    }
  }

  private ofObject(value: object): Coded {
    const known = this.known.get(value);
    if (known) return known;
    if (isExpression(value)) return this.ofExpression(value);
    return this.add(value, this.entryOf(value));
  }

  private entryOf(value: object): Entry {
    if (Array.isArray(value)) return ['list', ...value.map((part) => this.code(part))];
    if (value instanceof Map) return ['map', ...[...value].flat().map((part) => this.code(part))];
    if (value instanceof Float64Array || value instanceof Int32Array)
      return [value.constructor.name, base64(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))];
    if (value instanceof Provenance) return ['provenance'];
    if (Object.getPrototypeOf(value) !== Object.prototype) this.isPlain = false;
    return ['object', ...Object.entries(value).flatMap(([key, part]) => [key, this.code(part)])];
  }

  private ofExpression(value: Expr): Coded {
    // One after the other: formulas may be nested deeper than calls may.
    for (const e of postorder([value])) if (!this.known.has(e)) this.add(e, this.entryOfExpression(e));
    return this.known.get(value)!;
  }

  private entryOfExpression(e: Expr): Entry {
    const operands = children(e).map((operand) => this.known.get(operand)!);
    const pairs = (numbers: readonly Rational[]): Coded[] =>
      numbers.flatMap((number, i) => [Rational.toString(number), operands[i]!]);
    switch (e.kind) {
      case 'rational':
        return [e.kind, Rational.toString(e.value)];
      case 'constant':
        return [e.kind];
      case 'symbol':
        return [e.kind, e.name];
      case 'sum':
        return [e.kind, Rational.toString(e.constant), ...pairs(e.terms.map(({ coefficient }) => coefficient))];
      case 'product':
        return [e.kind, Rational.toString(e.coefficient), ...pairs(e.factors.map(({ exponent }) => exponent))];
      case 'call':
        return [e.kind, e.name, ...operands];
      case 'stumpff':
        return [e.kind, e.order, ...operands];
      case 'select':
        return [e.kind, ...operands];
      case 'compare':
      case 'logic':
        return [e.kind, e.operator, ...operands];
    }
  }

  private add(value: object, entry: Entry): Coded {
    const coded: Coded = [this.entries.length];
    this.entries.push(entry);
    this.known.set(value, coded);
    return coded;
  }
}

function isExpression(value: object): value is Expr {
  return 'kind' in value && 'id' in value && 'hash' in value && typeof value.id === 'number';
}

function objectOf(kind: string, parts: readonly Coded[], value: (coded: Coded | undefined) => unknown): unknown {
  const all = (from: number): Expr[] => parts.slice(from).map((part) => value(part) as Expr);
  const pairs = (make: (number: Rational, operand: Expr) => Expr): Expr[] =>
    parts.slice(1).flatMap((part, i) => (i % 2 === 0 ? [make(number(part), value(parts[i + 2]) as Expr)] : []));
  switch (kind) {
    case 'list':
      return parts.map(value);
    case 'map':
      return new Map(parts.flatMap((part, i) => (i % 2 === 0 ? [[value(part), value(parts[i + 1])] as const] : [])));
    case 'object':
      return Object.fromEntries(
        parts.flatMap((part, i) => (i % 2 === 0 ? [[part as string, value(parts[i + 1])]] : [])),
      );
    case 'Float64Array':
      return new Float64Array(bytes(parts[0]));
    case 'Int32Array':
      return new Int32Array(bytes(parts[0]));
    case 'provenance':
      return new Provenance();
    case 'rational':
      return rational(number(parts[0]));
    case 'constant':
      return pi;
    case 'symbol':
      return symbol(parts[0] as string);
    case 'sum':
      return plus(rational(number(parts[0])), ...pairs(scale));
    case 'product':
      return times(rational(number(parts[0])), ...pairs((exponent, base) => power(base, exponent)));
    case 'call':
      return call(parts[0] as FunctionName, ...all(1));
    case 'stumpff':
      return stumpff(parts[0] as number, all(1)[0]!);
    case 'select':
      return select(...(all(0) as [Expr, Expr, Expr]));
    case 'compare':
      return compare(parts[0] as Comparison, ...(all(1) as [Expr, Expr]));
    case 'logic':
      return logic(parts[0] as LogicExpr['operator'], ...all(1));
  }
  throw new Error(`the text of a robot has an entry \`${kind}\``);
}

function number(coded: Coded | undefined): Rational {
  const [numerator, denominator = '1'] = (coded as string).split('/');
  return ratio(BigInt(numerator!), BigInt(denominator));
}

/** In memory of their own, aligned for numbers. */
function bytes(coded: Coded | undefined): ArrayBuffer {
  return bytesOf(coded as string).buffer;
}
