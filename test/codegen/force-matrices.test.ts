/**
 * Stiffness and damping matrices of joints, rods and formulas: against difference quotients of the forces in sixty digits;
 * driver and straight-line functions, TypeScript and C.
 */
import type { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { buildC, runProgram } from '../../src/codegen/c/build-c.ts';
import { generateC } from '../../src/codegen/c/c.ts';
import { generateStraightC } from '../../src/codegen/c/straight-c.ts';
import { loadGenerated, loadStraight } from '../../src/codegen/typescript/load.ts';
import { generateStraightTypeScript } from '../../src/codegen/typescript/straight-typescript.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { generatedCost } from '../../src/codegen/whole-robot/straight-cost.ts';
import { straightModel } from '../../src/codegen/whole-robot/straight-model.ts';
import { loadRobotObject } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import type { ForceKind } from '../../src/kane/body/force-terms.ts';
import { compileStraight } from '../../src/straight/compile.ts';
import { robotForces, totalForces } from '../../src/straight/functions/forces.ts';
import { decimalOfPrecision, evaluateDecimal } from '../../src/symbolic/evaluation/evaluate.ts';
import { symbol, type Expr, type SymbolExpr } from '../../src/symbolic/graph/expr.ts';
import { isInstalled, QUICK } from '../compilers.ts';

/** Every kind of term, none of them diagonal in the coordinates of its body; the second link has none. */
const robot = loadRobotObject({
  kanegen: 1,
  name: 'passive-arm',
  parameters: { E: { value: '2 MPa', runtime: true } },
  'body-types': {
    curling: {
      parameters: { L: '0.2 m', a: '12 mm', b: '7 mm', E: '1 MPa', U: '0.01 J', P: '1e-3 J s' },
      coordinates: { q1: { unit: 'rad' }, q2: { unit: 'rad' }, q3: { unit: 'm' } },
      volume: { rod: { s: [0, 'L'] }, section: { ellipse: ['a*(1 - s/(2*L))', 'b'] }, density: '1000 kg/m^3' },
      rest: { twist: '0.3/L' },
      strain: { 'bend-y': 'sin(q1 + 0.3*q2)/L', 'bend-x': '(0.2*q2^2 - q1)/L', stretch: 'q3*exp(q1)/L' },
      material: { 'rod-elasticity': { E: 'E', G: '0.4 MPa' }, viscosity: '40 Pa s' },
      potential: 'U*(q1^2*q2 + cos(q2))',
      dissipation: 'P*(q1_dot^2*(1 + q2^2) + q1_dot*q2_dot + q2_dot^2)',
    },
  },
  links: [
    {
      name: 'arm',
      joint: {
        revolute: 'y',
        stiffness: '3 N m/rad',
        rest: 0.1,
        damping: '0.2 N m s/rad',
        friction: { coulomb: '0.3 N m', at: '0.5 rad/s' },
      },
      body: 'curling',
      parameters: { E: 'E' },
    },
    { name: 'hand', joint: { prismatic: 'z' }, rigid: { mass: '0.2 kg' } },
    { name: 'tip', body: 'curling' },
  ],
});

const n = robot.coordinates.length;
const q = [0.3, -0.7, 0.5, 0.01, 0.02, 0.4, 0.2, -0.02];
const qd = [0.2, 0.5, -0.3, 0.02, 0.1, -0.6, 0.9, 0.03];

/** ∂(forces)/∂(q or q̇) by difference quotients of fourth order. */
function quotients(kind: ForceKind): number[] {
  const Number_ = decimalOfPrecision(60);
  const of = (stem: string): SymbolExpr[] => robot.coordinates.map((_, i) => symbol(`test.${stem}_${i}`));
  const symbols = { q: of('q'), qd: of('qd'), qdd: of('qdd') };
  const forces = totalForces(robotForces(robot, symbols), kind, n);
  const [moved, values] = kind === 'elastic' ? [symbols.q, q] : [symbols.qd, qd];
  const state = new Map<Expr, Decimal>([
    ...symbols.q.map((s, i) => [s, new Number_(q[i]!)] as const),
    ...symbols.qd.map((s, i) => [s, new Number_(qd[i]!)] as const),
    ...robot.parameters.map((p) => [p.symbol, new Number_('2e6')] as const),
  ]);
  const h = new Number_('1e-11');
  const matrix = Array.from({ length: n * n }, () => 0);
  moved.forEach((s, b) => {
    const at = (steps: number): Decimal[] =>
      evaluateDecimal(forces, new Map([...state, [s, new Number_(values[b]!).plus(h.times(steps))]]), Number_);
    const [p1, m1, p2, m2] = [at(1), at(-1), at(2), at(-2)];
    for (let a = 0; a < n; a++) {
      const wide = p2[a]!.minus(m2[a]!);
      const near = p1[a]!.minus(m1[a]!).times(8);
      matrix[a * n + b] = near.minus(wide).dividedBy(h.times(12)).toNumber();
    }
  });
  return matrix;
}

function expectClose(found: ArrayLike<number>, expected: readonly number[]): void {
  expect(found).toHaveLength(n * n);
  expected.forEach((x, i) => {
    const [row, column] = [Math.floor(i / n), i % n];
    const scale = Math.sqrt(Math.abs(expected[row * n + row]! * expected[column * n + column]!));
    expect(Math.abs(found[i]! - x), `${row}, ${column}`).toBeLessThanOrEqual(1e-13 * scale);
    expect(found[i], `symmetry of ${row}, ${column}`).toBe(found[column * n + row]);
  });
}

describe('matrices of passive forces', () => {
  const compiled = compileRobot(robot);
  const straight = compileStraight(robot, { functions: ['stiffness', 'dissipation'], count: generatedCost });
  const model = straightModel(robot, compiled, straight);
  const expected = { K: quotients('elastic'), D: quotients('damping') };

  it('are the derivatives of the forces, in the driver and in straight-line functions', async () => {
    const files = await generateTypeScript(robot, compiled);
    const { stiffness, dissipation } = await loadStraight(files, generateStraightTypeScript(model));
    const dynamics = (await loadGenerated(files))();
    const matrix = new Float64Array(n * n);
    dynamics.update(q, qd);
    expect(dynamics.stiffness(matrix)).toBe(0);
    expectClose(matrix, expected.K);
    expect(dynamics.dissipation(matrix.fill(7))).toBe(0);
    expectClose(matrix, expected.D);
    stiffness!(dynamics.parameters, q, matrix.fill(7));
    expectClose(matrix, expected.K);
    dissipation!(dynamics.parameters, q, qd, matrix.fill(7));
    expectClose(matrix, expected.D);
  });

  it('couple the coordinates of a body, and nothing else', () => {
    const blocks = [[0], [1, 2, 3], [4], [5, 6, 7]];
    for (const matrix of [expected.K, expected.D])
      matrix.forEach((x, i) => {
        const isInside = blocks.some((block) => block.includes(Math.floor(i / n)) && block.includes(i % n));
        if (!isInside) expect(x).toBe(0);
      });
    expect(expected.K[1 * n + 2]).not.toBe(0);
    expect(expected.D[1 * n + 3]).not.toBe(0);
  });

  it.skipIf(!isInstalled('cc'))('are the same in C, and the self-test compares both (needs cc)', async () => {
    const source = `#include "passive_arm.h"
#include <stdio.h>
int main(void)
{
  static passive_arm_workspace w;
  const kg_real q[${n}] = {${q.join(', ')}}, qd[${n}] = {${qd.join(', ')}};
  kg_real K[${n * n}], D[${n * n}];
  int i, status = (int)passive_arm_update(&w, &passive_arm_defaults, q, qd);
  status += (int)passive_arm_stiffness(&w, K) + (int)passive_arm_dissipation(&w, D);
  for (i = 0; i < ${n * n}; i++)
    printf("%.17g %.17g\\n", K[i], D[i]);
  return status;
}
`;
    const files = [...(await generateC(robot, compiled, model)), ...(await generateStraightC(model))];
    const program = await buildC([...files, { path: 'main.c', text: source }], QUICK, (path) =>
      path.endsWith('_selftest.c'),
    );
    const output = await runProgram(program).finally(() => program.dispose());
    const rows = output
      .trim()
      .split('\n')
      .map((line) => line.split(' ').map(Number));
    expectClose(
      rows.map(([k]) => k!),
      expected.K,
    );
    expectClose(
      rows.map(([, d]) => d!),
      expected.D,
    );
    const test = await buildC(files, QUICK);
    expect(await runProgram(test).finally(() => test.dispose())).toBe('passive_arm: ok\n');
  });
});
