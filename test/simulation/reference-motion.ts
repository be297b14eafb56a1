/** Reference files of motions (test/reference/motion) and equilibria (test/reference/forces) as robots with their code. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { loadRobot, type RobotInMemory } from '../../src/index.ts';
import { referenceLaws, referenceRobot } from '../../src/verify/reference/reference-robot.ts';

const directoryOf = (name: string): string =>
  path.join(import.meta.dirname, '../reference', name.startsWith('X') ? 'motion' : 'forces');

export interface ReferenceMotion {
  readonly parameters: Record<string, unknown>;
  readonly initial?: { readonly q: readonly number[]; readonly qd: readonly number[] };
  readonly states: readonly Readonly<Record<string, unknown>>[];
}

interface NamedReference extends ReferenceMotion {
  readonly name: string;
}

/** @param change what else the robot of the file is, before it is loaded. */
export function referenceFile(
  name: string,
  change: (parameters: ReferenceMotion['parameters']) => void = () => undefined,
): NamedReference {
  const text = readFileSync(path.join(directoryOf(name), `${name}.json`), 'utf8');
  const file = JSON.parse(text) as ReferenceMotion;
  change(file.parameters);
  return { ...file, name };
}

/** @param added keys of the robot file. */
export async function loadReference({ name, parameters }: NamedReference, added: object = {}): Promise<RobotInMemory> {
  const law = referenceLaws(parameters)[0];
  const found = referenceRobot(parameters, name.toLowerCase().replaceAll('_', '-'), 1e-12, law);
  if ('unsupported' in found) throw new Error(found.unsupported);
  return loadRobot({ ...found.robot, ...added });
}

/** @param added see `loadReference`. */
export async function referenceMotion(name: string, added: object = {}): Promise<ReferenceMotion & RobotInMemory> {
  const file = referenceFile(name);
  return { ...file, ...(await loadReference(file, added)) };
}

/** Printed decimals as doubles. */
export const numbers = (values: unknown): number[] => (values as readonly (string | number)[]).map(Number);
