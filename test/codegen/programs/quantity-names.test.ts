/** Names in generated functions: what is called after a quantity has its value, and parts are operands of their whole. */
import { beforeAll, describe, expect, it } from 'vitest';
import { straightModel } from '../../../src/codegen/whole-robot/straight-model.ts';
import { generatedCost } from '../../../src/codegen/whole-robot/straight-cost.ts';
import { expressionsOf, operandsOf, type Operation } from '../../../src/codegen/operations/operation.ts';
import type { Program } from '../../../src/codegen/programs/program.ts';
import { randomNumbers } from '../../../src/common/random.ts';
import { loadRobotFile } from '../../../src/description/load.ts';
import { compileRobot } from '../../../src/kane/compile.ts';
import { compileStraight } from '../../../src/straight/compile.ts';
import { evaluate } from '../../../src/symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../../src/symbolic/graph/expr.ts';
import { freeSymbols } from '../../../src/symbolic/graph/traverse.ts';

const FUNCTIONS = ['inverseDynamics', 'forwardDynamics', 'massMatrix'] as const;

function programs(file: string): { readonly hints: ReadonlyMap<Expr, string>; readonly programs: readonly Program[] } {
  const robot = loadRobotFile(`examples/${file}.robot.yaml`);
  const straight = compileStraight(robot, { functions: FUNCTIONS, count: generatedCost });
  const { functions } = straightModel(robot, compileRobot(robot), straight);
  return { hints: straight.hints, programs: functions.map(({ program }) => program) };
}

const isPart = (name: string): boolean => /_part(_\d+)?$/.test(name);

/** Names of one quantity in several frames of a link, or computed twice, have numbers. */
const isCalled = (name: string, quantity: string): boolean =>
  name.replace(/^minus_/, '').startsWith(quantity) &&
  /^(_\d+)?$/.test(name.replace(/^minus_/, '').slice(quantity.length));

/** `omega_x_elbow` of `minus_omega_x_elbow_2`. */
const quantityOf = (name: string): string => name.replace(/^minus_/, '').replace(/_part(_\d+)?$/, '');

function isBelow(operation: Operation, whole: Operation): boolean {
  const pending = [whole];
  const seen = new Set<Operation>();
  while (pending.length > 0) {
    const next = pending.pop()!;
    if (next === operation) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    pending.push(...operandsOf(next));
  }
  return false;
}

describe.each(['two-link', 'ur10e', 'planar-cc'])('values of %s', (file) => {
  let hints: ReadonlyMap<Expr, string>;
  let all: readonly Program[];
  beforeAll(() => {
    ({ hints, programs: all } = programs(file));
  });

  it('have the value of the quantity that they are called after', () => {
    const next = randomNumbers(11);
    const quantities = new Map<string, Expr[]>();
    for (const [e, name] of hints) quantities.set(name, [...(quantities.get(name) ?? []), e]);
    let compared = 0;
    for (const { values = new Map<string, Operation>() } of all) {
      const named = [...values].filter(([name]) => quantities.has(quantityOf(name)) && !isPart(name));
      const expressions = expressionsOf(named.map(([, operation]) => operation));
      const symbols = freeSymbols([...expressions, ...hints.keys()]);
      const at = new Map<Expr, number>(symbols.map((own) => [own, 2 * next() - 1]));
      const found = evaluate(expressions, at);
      named.forEach(([name], i) => {
        const wanted = evaluate(quantities.get(quantityOf(name))!, at).map((v) => (name.startsWith('minus_') ? -v : v));
        const nearest = Math.min(...wanted.map((v) => Math.abs(found[i]! - v) / Math.max(1, Math.abs(v))));
        expect(nearest, name).toBeLessThan(1e-12);
        compared++;
      });
    }
    expect(compared).toBeGreaterThan(4);
  });

  it('that are parts are operands of their whole', () => {
    let checked = 0;
    for (const { values = new Map<string, Operation>() } of all)
      for (const [name, operation] of values) {
        if (!isPart(name)) continue;
        const wholes = [...values].filter(([own]) => !isPart(own) && isCalled(own, quantityOf(name)));
        // What is stored at once has no statement of its own.
        if (wholes.length === 0) continue;
        const isOperand = wholes.some(([, whole]) => isBelow(operation, whole));
        expect(isOperand, name).toBe(true);
        checked++;
      }
    expect(checked).toBeGreaterThan(0);
  });

  it('have names that say something, seven of ten at least', () => {
    const names = all.flatMap(({ values }) => [...(values?.keys() ?? [])]);
    const opaque = names.filter((name) => /^t\d+$/.test(name));
    expect(opaque.length / names.length).toBeLessThan(0.3);
  });
});
