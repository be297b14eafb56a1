/**
 * What a robot says as one short text, the same in every process: equal for robots from which the same code is made, but for
 * comments. It follows from what a robot holds; only what people read, and where things stand, is left out.
 */
import { host } from '#host';
import type { Robot } from '../../description/model/robot.ts';
import { BUILD, VERSION } from './version.ts';

const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  'source',
  'summary',
  'provenance',
  'location',
  'locations',
  'limitsAt',
  'warnings',
  'silenced',
  'notes',
]);

/** SHA-256 in hexadecimal of a robot and of the version of kanegen. */
export function robotDigest(robot: Robot): string {
  return sha256(`${VERSION} ${BUILD} ${new Digest().textOf(robot)}`);
}

function sha256(text: string): string {
  return host.sha256().update(text).digest('hex');
}

class Digest {
  /** Of expressions, which share their parts: text without them grows beyond bounds. */
  private readonly digests = new Map<object, string>();

  textOf(value: unknown): string {
    if (typeof value === 'string') return JSON.stringify(value);
    if (typeof value !== 'object' || value === null) return String(value);
    if (Array.isArray(value)) return `[${value.map((part) => this.textOf(part)).join(',')}]`;
    if (value instanceof Map) {
      const entries = [...value].map(([key, part]) => `${this.textOf(key)}=${this.textOf(part)}`);
      return `{${entries.join(',')}}`;
    }
    const own = new Map<string, unknown>(Object.entries(value));
    if (typeof own.get('id') === 'number' && own.has('kind')) return this.ofExpression(value, own);
    // Meshes and networks know the hash of their file.
    if (typeof own.get('hash') === 'string') return `${String(own.get('hash'))} ${this.textOf(own.get('name'))}`;
    return this.ofEntries(own, WITHOUT_EFFECT);
  }

  private ofEntries(own: ReadonlyMap<string, unknown>, left: ReadonlySet<string>): string {
    const told = [...own].filter(([key]) => !left.has(key));
    return `{${told.map(([key, part]) => `${key}:${this.textOf(part)}`).join(',')}}`;
  }

  private ofExpression(e: object, own: ReadonlyMap<string, unknown>): string {
    const known = this.digests.get(e) ?? sha256(this.ofEntries(own, OF_THIS_PROCESS));
    this.digests.set(e, known);
    return known;
  }
}

/** Of an expression: numbers that depend on what was made before it. */
const OF_THIS_PROCESS: ReadonlySet<string> = new Set(['id', 'hash', 'size']);
