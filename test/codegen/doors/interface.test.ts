/** `interface.json` says what headers and running code say. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { RobotInterface } from '../../../src/codegen/interface/robot-interface.ts';
import { interfaceJsonSchema } from '../../../src/index.ts';
import { isInstalled } from '../../compilers.ts';
import { code } from './arm.ts';

const files = await code.files({ target: 'c', shared: true });
const textOf = (name: string): string => files.find((file) => file.path === name)!.text;
const told = JSON.parse(textOf('interface.json')) as RobotInterface;
const header = textOf('c/door_arm.h');

describe('interface.json', () => {
  it('follows the published schema, which refuses what it does not know', () => {
    const schema = z.fromJSONSchema(interfaceJsonSchema());
    expect(schema.safeParse(told).error).toBeUndefined();
    expect(schema.safeParse({ ...told, interface: 2 }).success).toBe(false);
    expect(schema.safeParse({ ...told, more: 1 }).success).toBe(false);
    expect(schema.safeParse({ ...told, coordinates: [{ name: 'q' }] }).success).toBe(false);
  });

  it('has functions, arguments and their order as the header declares them', () => {
    const declared = [...header.matchAll(/^kg_status (\w+)\(([^;]*)\);/gm)].map(([, name, list]) => ({
      name,
      arguments: list!.split(',').map((text) => /(\w+)(?:\[\w*\])?$/.exec(text.trim())![1]),
      pointers: list!.split(',').map((text) => /[*[]/.test(text)),
    }));
    const isPointer = (role: string): boolean => ['workspace', 'parameters', 'input', 'output'].includes(role);
    expect(
      told.functions.map((f) => ({
        name: f.symbol,
        arguments: f.arguments.map(({ name }) => name),
        pointers: f.arguments.map(({ role }) => isPointer(role)),
      })),
    ).toEqual(declared);
    expect(declared.length).toBeGreaterThan(30);
  });

  it('has sizes, members and ABI as the header has them', () => {
    const enumerator = (name: string): number => Number(new RegExp(`DOOR_ARM_${name} = (\\w+)`).exec(header)![1]);
    const { sizes } = told;
    expect([sizes.coordinates, sizes.inputs, sizes.frames, sizes.workspace, told.tip]).toEqual(
      ['NQ', 'NU', 'FRAMES', 'WORK', 'TIP'].map(enumerator),
    );
    expect(Number.parseInt(told.abi, 16)).toBe(enumerator('ABI'));
    const [, members] = /typedef struct \{\n {2}kg_real gravity\[3\][^\n]*\n([^}]*)\} door_arm_parameters/.exec(
      header,
    )!;
    expect(told.parameters.map(({ name }) => name)).toEqual(
      [...members!.matchAll(/kg_real (\w+);/g)].map(([, name]) => name),
    );
    const enumerated = (kind: string): string[] =>
      [...header.matchAll(new RegExp(`DOOR_ARM_${kind}_(\\w+) = `, 'g'))].map(([, name]) => name!);
    const upper = (own: { identifier: string }): string => own.identifier.toUpperCase();
    expect([told.coordinates.map(upper), told.inputs.map(upper)]).toEqual([enumerated('Q'), enumerated('U')]);
    for (const own of told.controllers) {
      const struct = (end: string): RegExpExecArray =>
        new RegExp(`typedef struct \\{\\n([^}]*)\\} ${own.symbol}_${end};`).exec(textOf(`c/${own.symbol}.h`))!;
      const fields = (end: string): unknown[] =>
        [...struct(end)[1]!.matchAll(/kg_real (\w+)(?:\[(\d+)\])?;/g)].map(([, name, size]) => [
          name,
          Number(size ?? 1),
        ]);
      const of = (list: readonly { name: string; size: number }[]): unknown[] =>
        list.map(({ name, size }) => [name, size]);
      expect([of(own.parameters), of(own.state)]).toEqual([fields('parameters'), fields('state')]);
    }
  });

  it('has units, limits and defaults of the robot file', () => {
    const [column, hinge] = told.coordinates;
    expect(column).toMatchObject({
      name: 'column.angle',
      unit: 'rad',
      rateUnit: 'rad/s',
      forceUnit: 'N m',
      lower: -2,
      upper: 2,
    });
    expect(hinge).toMatchObject({ unit: 'm', forceUnit: 'N' });
    expect(hinge).not.toHaveProperty('lower');
    expect(told.parameters[0]).toMatchObject({ name: 'load', unit: 'kg', default: 0.2, lower: 0, upper: 2 });
    expect(told.inputs[2]).toMatchObject({ name: 'pull', kind: 'tendon', unit: 'N', coordinateUnit: 'm', upper: 80 });
    expect(told.statuses.map(({ number, name }) => [number, name]).slice(0, 2)).toEqual([
      [0, 'KG_OK'],
      [1, 'KG_NON_FINITE'],
    ]);
  });

  it('has the shapes that functions fill, knows where they add, and all statuses that they return', async () => {
    const arm = await code.run();
    const { sizes } = told;
    for (const f of told.functions) {
      const method = (arm as unknown as Record<string, (...values: unknown[]) => number>)[f.method]!;
      const entries = (shape: readonly (number | 'columns')[]): number =>
        shape.reduce<number>((all, own) => all * (own === 'columns' ? 2 : own), 1);
      const call = (initial: number, input = 0.3): { status: number; outputs: Float64Array[] } => {
        const outputs: Float64Array[] = [];
        const values = f.arguments.flatMap(({ role, shape }): unknown[] => {
          if (role === 'workspace' || role === 'parameters') return [];
          if (role === 'columns') return [2];
          if (role === 'number') return [0.01];
          if (role === 'frame' || role === 'link') return [sizes.links - 1];
          const array = new Float64Array(entries(shape!)).fill(role === 'input' ? input : initial);
          if (role === 'output') outputs.push(array);
          return [array];
        });
        return { status: method.apply(arm, values), outputs };
      };
      arm.inverseDynamicsAt([0, 0, 0], [0, 0, 0], [0, 0, 0], new Float64Array(3));
      const statuses = f.state === 'staged' ? [call(0).status] : [];
      arm.update([0.1, 0.2, 0.3], [0.4, 0.5, 0.6]);
      if (f.after === 'implicit_factor') arm.implicitFactor(0.01);
      if (f.after === 'newton_factor') arm.newtonFactor(150, 3e4, [0, 0, 0], new Float64Array(sizes.inputs));
      const [first, second] = [call(0), call(1)];
      statuses.push(first.status, call(0, NaN).status);
      expect(first.status, f.name).toBe(0);
      for (const status of statuses) expect(f.statuses, f.name).toContain(status);
      const isAdded = first.outputs.some((output, i) =>
        output.some((x, k) => Math.abs(second.outputs[i]![k]! - x) > 0.5),
      );
      expect(isAdded, f.name).toBe(f.arguments.some(({ adds }) => adds));
    }
  });
});

describe.skipIf(!isInstalled('gcc') || !isInstalled('nm'))('names in object files (needs gcc, nm)', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'kanegen-names-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  for (const { path: file, text } of files.filter((own) => own.path.startsWith('c/')))
    writeFileSync(path.join(folder, path.basename(file)), text);
  const defined = (...flags: string[]): string[] => {
    const sources = ['door_arm.c', 'door_arm_shared.c', 'door_arm_hold.c'];
    execFileSync('gcc', ['-std=c99', '-O0', '-fPIC', '-shared', ...flags, ...sources, '-o', 'arm.so'], { cwd: folder });
    const lines = execFileSync('nm', ['--defined-only', 'arm.so'], { cwd: folder, encoding: 'utf8' })
      .trim()
      .split('\n');
    return lines.map((line) => line.split(' ').at(-1)!);
  };
  const wanted = [...told.functions.map(({ symbol }) => symbol), 'door_arm_hold_step', 'door_arm_abi'];

  it('are plain in shared libraries, with the ABI as a symbol', () => {
    expect(defined('-DKG_PLAIN_NAMES')).toEqual(expect.arrayContaining([...wanted, `door_arm_abi_f64_${told.abi}`]));
  });

  it('end elsewhere as interface.json says', () => {
    const names = wanted.slice(0, -1).map((name) => `${name}${told.linkedSuffix.float64}`);
    expect(defined()).toEqual(expect.arrayContaining(names));
  });
});
