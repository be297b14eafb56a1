/** How the kernels of a link type are cut into functions. */
import { describe, expect, it } from 'vitest';
import { operationsBelow, type Operation } from '../../src/codegen/operations/operation.ts';
import type { Program } from '../../src/codegen/programs/program.ts';
import { robotModel } from '../../src/codegen/modules/robot-model.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { interpret } from './interpret.ts';
import { branchedRobot, planarCcChain } from './sample-robots.ts';

const robot = branchedRobot();
const model = robotModel(robot, compileRobot(robot));
const links = model.links.map((link) => [link.name, link] as const);

function buffersFor(program: Program, shared: Record<string, Float64Array>): Record<string, Float64Array> {
  const buffers: Record<string, Float64Array> = {};
  for (const name of [...program.reads, ...program.writes]) buffers[name] = shared[name] ??= sample(name);
  return buffers;
}

/** Fixed numbers between −1 and 1 for a buffer. */
function sample(name: string): Float64Array {
  return Float64Array.from({ length: 600 }, (_, i) => Math.sin(1.3 * i + name.length));
}

describe.each(links)('link type %s', (_, link) => {
  const run = (shared: Record<string, Float64Array>, ...names: string[]): Record<string, Float64Array> => {
    for (const name of names) {
      const program = link.programs.find((candidate) => candidate.name === name)!;
      interpret(program, buffersFor(program, shared));
    }
    return shared;
  };

  it('gives the same bits staged and fused', () => {
    const staged = run({}, 'prepare', 'configure', 'velocity', 'acceleration', 'backward');
    const fused = run({}, 'prepare', 'forward', 'backward');
    for (const buffer of ['ownVelocity', 'ownAcceleration', 'bodyWrench', 'generalizedForce', 'parentWrench'])
      expect([...fused[buffer]!]).toEqual([...staged[buffer]!]);
  });

  it('stores nothing in a table that no function reads', () => {
    for (const [table, entries] of [
      ['constants', link.staged.constants],
      ['slot', link.staged.slot],
    ] as const) {
      const read = new Set<number>();
      for (const plan of link.staged.functions) {
        const roots = plan.outputs.map((output) => output.value);
        for (const operation of operationsBelow(roots, (o) => plan.ready.has(o))) {
          const place = plan.ready.get(operation);
          if (place?.buffer === table) read.add(place.index);
        }
      }
      expect(read.size).toBe(entries.length);
    }
  });

  it('reads parameters in prepare only, and puts earlier stages into earlier functions', () => {
    const latest: Record<string, number> = { prepare: 0, configure: 1, move: 2 };
    for (const { name, outputs, ready } of link.staged.functions) {
      const computed = operationsBelow(
        outputs.map((o) => o.value),
        (o) => ready.has(o),
      );
      const inputs = computed.filter((o): o is Operation & { kind: 'input' } => o.kind === 'input' && !ready.has(o));
      if (name !== 'prepare') expect(inputs.filter((o) => o.place.buffer === 'parameters')).toEqual([]);
      expect(Math.max(0, ...inputs.map((o) => o.stage))).toBeLessThanOrEqual(latest[name] ?? 3);
    }
  });
});

describe('constants', () => {
  it('are folded from exact parameters, equal links sharing one table', () => {
    const chain = planarCcChain(20);
    const { instances } = robotModel(chain, compileRobot(chain));
    expect(new Set(instances.map((instance) => instance.constants)).size).toBe(1);
    const mass = Math.PI * 0.02 ** 2 * 0.2 * 1062;
    expect(Math.min(...instances[0]!.constants!.map((value) => Math.abs(value / mass - 1)))).toBeLessThan(1e-15);
  });

  it('stay open for links that depend on run-time parameters', () => {
    expect(model.instances.map((instance) => [instance.name, instance.constants === null])).toEqual([
      ['trunk', false],
      ['soft1', false],
      ['gripper', true],
      ['shoulder', false],
      ['soft2', false],
    ]);
  });
});
