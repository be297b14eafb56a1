/** The optimiser on the robots of the benchmark: never worse than common subexpressions alone. */
import { describe, expect, test } from 'vitest';
import { workloads } from '../../../bench/workloads.ts';
import { OperationGraph } from '../../../src/codegen/programs/operation-graph.ts';
import { operationsBelow, type Operation } from '../../../src/codegen/operations/operation.ts';
import { generatedCost } from '../../../src/codegen/whole-robot/straight-cost.ts';
import { compileStraight } from '../../../src/straight/compile.ts';

const COUNTED: ReadonlySet<Operation['kind']> = new Set(['add', 'subtract', 'multiply', 'divide', 'sqrt', 'call']);
const names = ['planar-cc-2', 'planar-chain-3', 'ur10e', 'puma560', 'iiwa', 'planar-pcs-2'];

describe.each(workloads.filter((w) => names.includes(w.name)))('$name', ({ robot, keepGravity }) => {
  test.each(['inverseDynamics', 'massMatrix', 'gravity'] as const)('%s takes fewer operations, never more', (name) => {
    const straight = compileStraight(robot(), { functions: [name], keepGravity, count: generatedCost });
    const outputs = straight.functions[0]!.outputs.flatMap((o) => o.values);
    const inputs = Object.values(straight.inputs)
      .flat()
      .map((symbol, index) => ({ symbol, place: { buffer: 'q', index }, stage: 1 as const }));
    const count = (effort: 'none' | 'quick' | 'normal'): number => {
      const graph = new OperationGraph(outputs, inputs, new Map(), effort);
      return operationsBelow(outputs.map((value) => graph.of(value))).filter((o) => COUNTED.has(o.kind)).length;
    };
    const plain = count('none');
    expect(count('quick')).toBeLessThanOrEqual(plain);
    expect(count('normal')).toBeLessThanOrEqual(count('quick'));
    if (name === 'inverseDynamics') expect(count('normal')).toBeLessThan(plain);
  });
});
