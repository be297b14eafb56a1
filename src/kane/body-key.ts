/**
 * Identity of all that the terms of a body type depend on: types whose formulas, volumes and numbers are equal are
 * compiled once, whatever file they come from and whatever they are called there.
 */
import type { BodyType } from '../description/model/robot.ts';
import type { ParameterValues } from './kinematics/sample-configurations.ts';

/** What people read, and where things stand, changes nothing. Everything else that a body type holds does. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  'name',
  'summary',
  'provenance',
  'location',
  'locations',
  'limitsAt',
  'message',
  'remedy',
]);

/** @param parameters numbers of the links at which rules are chosen. */
export function bodyKey(type: BodyType, parameters: readonly ParameterValues[]): string {
  return `${textOf(type)}|${parameters.map((values) => [...values.values()].join(',')).join(';')}`;
}

/** Expressions are shared by their structure: their numbers stand for them. Meshes and networks have hashes. */
function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(textOf).join(',')}]`;
  if (value instanceof Map) return `{${[...value].map(([key, own]) => `${textOf(key)}=${textOf(own)}`).join(',')}}`;
  const entries = Object.entries(value);
  const own = new Map<string, unknown>(entries);
  if (own.has('hash')) return `${String(own.get('hash'))} ${String(own.get('name') ?? '')}`;
  if (typeof own.get('id') === 'number' && own.has('kind')) return `#${String(own.get('id'))}`;
  const told = entries.filter(([key]) => !WITHOUT_EFFECT.has(key));
  return `{${told.map(([key, part]) => `${key}:${textOf(part)}`).join(',')}}`;
}
