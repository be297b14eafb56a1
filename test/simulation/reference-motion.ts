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

/** @param added keys of the robot file. */
export async function referenceMotion(name: string, added: object = {}): Promise<ReferenceMotion & RobotInMemory> {
  const file = JSON.parse(readFileSync(path.join(directoryOf(name), `${name}.json`), 'utf8')) as ReferenceMotion;
  const found = referenceRobot(
    file.parameters,
    name.toLowerCase().replaceAll('_', '-'),
    1e-12,
    referenceLaws(file.parameters)[0],
  );
  if ('unsupported' in found) throw new Error(found.unsupported);
  return { ...file, ...(await loadRobot({ ...found.robot, ...added })) };
}

/** Printed decimals as doubles. */
export const numbers = (values: unknown): number[] => (values as readonly (string | number)[]).map(Number);
