/** The C of the run time against the TypeScript that it was translated from, what cannot be translated, and what steps cost. */
import { describe, expect, it } from 'vitest';
import { buildC, runProgram } from '../../../src/codegen/c/build-c.ts';
import { generateC } from '../../../src/codegen/c/c.ts';
import { controllersOf } from '../../../src/codegen/controllers/controller-model.ts';
import { routinesOf } from '../../../src/codegen/translation/subset.ts';
import { functionC } from '../../../src/codegen/translation/translate-c.ts';
import { worstCase } from '../../../src/codegen/controllers/worst-case.ts';
import { robotCounts } from '../../../src/codegen/modules/header.ts';
import { operationsInAll } from '../../../src/codegen/printing/cost-text.ts';
import { robotModel } from '../../../src/codegen/modules/robot-model.ts';
import { addCounts } from '../../../src/codegen/programs/statement.ts';
import { loadRobotObject } from '../../../src/description/load.ts';
import { compileRobot } from '../../../src/kane/compile.ts';
import * as control from '../../../src/runtime/control.ts';
import * as trajectories from '../../../src/runtime/trajectories.ts';
import { COMPILERS } from '../../compilers.ts';
import { NO_OPERATIONS } from '../../../src/codegen/operations/operation-counts.ts';

const robot = loadRobotObject({
  kanegen: 1,
  name: 'lever',
  links: [{ name: 'a', joint: { revolute: 'y' }, rigid: { mass: '1 kg', com: [0.1, 0, 0.2] } }],
  actuators: { m: { motor: 'a.angle', ratio: 5 } },
  controllers: {
    track: { 'computed-torque': { kp: 4, kd: 4 } },
    hold: { pd: { kp: 1, kd: 1, ki: 1, period: '1 ms' } },
  },
});
const compiled = compileRobot(robot);
const COMPILER = COMPILERS.find(({ missing }) => !missing);

const wave = (count: number, phase: number): number[] =>
  Array.from({ length: count }, (_, i) => Math.sin(0.7 * i * i + phase));
const zeros = (count: number): Float64Array => new Float64Array(count);

/** Each: what C calls, with its arrays filled and its results printed, and the same in TypeScript. */
const square = wave(16, 0.4);
const wide = wave(24, 1.4);
const symmetric = Array.from({ length: 16 }, (_, i) => (i % 5 === 0 ? 3 : Math.cos((i % 4) * Math.floor(i / 4))));
/** 3 × 3, and two rows more. */
const withRows = Array.from({ length: 15 }, (_, i) => (i < 9 && i % 4 === 0 ? 3 : Math.cos(i)));
const right = wave(6, 2);
const CASES: (readonly [c: string, typescript: () => ArrayLike<number>])[] = [
  [
    `COPY(A, 16, ${symmetric.join(', ')}) COPY(b, 4, ${right.slice(0, 4).join(', ')}) if (kg_factorise(4, A)) kg_solve_factored(4, A, b); PRINT(b, 4)`,
    () => {
      const [A, b] = [Float64Array.from(symmetric), Float64Array.from(right.slice(0, 4))];
      expect(control.factorise(4, A)).toBe(true);
      control.solveFactored(4, A, b);
      return b;
    },
  ],
  [
    `COPY(A, 15, ${withRows.join(', ')}) if (kg_factorise_above(3, 5, A)) PRINT(A, 15)`,
    () => {
      const A = Float64Array.from(withRows);
      expect(control.factoriseAbove(3, 5, A)).toBe(true);
      return A;
    },
  ],
  [
    `COPY(A, 16, ${square.join(', ')}) COPY(b, 4, ${right.slice(0, 4).join(', ')}) if (kg_solve_columns(4, 1, A, b)) PRINT(b, 4)`,
    () => {
      const b = Float64Array.from(right.slice(0, 4));
      expect(control.solveColumns(4, 1, Float64Array.from(square), b)).toBe(true);
      return b;
    },
  ],
  ...(
    [
      [4, 6],
      [6, 4],
    ] as const
  ).map(([rows, columns]): (typeof CASES)[number] => [
    `COPY(A, 24, ${wide.join(', ')}) COPY(b, 6, ${right.join(', ')}) if (kg_damped_least_squares(${rows}, ${columns}, A, b, KG_REAL(0.1), x, work)) PRINT(x, ${columns})`,
    () => {
      const x = zeros(columns);
      expect(control.dampedLeastSquares(rows, columns, wide, right, 0.1, x, zeros(20))).toBe(true);
      return x;
    },
  ]),
  ...[-0.2, 0, 0.1, 0.5, 1.1, 1.4, 1.6, 2.9, 3].flatMap((t): (typeof CASES)[number][] => [
    [
      `kg_minimum_jerk(KG_REAL(${t}), KG_REAL(1.6), KG_REAL(-0.3), KG_REAL(0.9), x); PRINT(x, 3)`,
      () => {
        const out = zeros(3);
        trajectories.minimumJerk(t, 1.6, -0.3, 0.9, out);
        return out;
      },
    ],
    ...[1.3, -0.2].map((to): (typeof CASES)[number] => [
      `kg_trapezoid(KG_REAL(${t}), KG_REAL(0.1), KG_REAL(${to}), KG_REAL(0.7), KG_REAL(1.9), x); PRINT(x, 3)`,
      () => {
        const out = zeros(3);
        trajectories.trapezoid(t, 0.1, to, 0.7, 1.9, out);
        return out;
      },
    ]),
  ]),
];

for (const t of [0.2, 0.9, 1.7])
  CASES.push(
    [
      `COPY(b, 6, 0.5, 0.25, -1, 2, -0.5, 0.125) COPY(work, 2, 0.125, 1.5) if (kg_via_points(KG_REAL(${t}), 2, work, b, x)) PRINT(x, 3)`,
      () => {
        const out = zeros(3);
        trajectories.viaPoints(t, 2, [0.125, 1.5], [0.5, 0.25, -1, 2, -0.5, 0.125], out);
        return out;
      },
    ],
    [
      `COPY(b, 3, 0.5, 0.25, -1) if (kg_plan_motion(b, KG_REAL(1.5), KG_REAL(1.25), KG_REAL(3.0), KG_REAL(20.0), work) && kg_planned(KG_REAL(${t}), work, x)) PRINT(x, 3)`,
      () => {
        const [plan, out] = [zeros(19), zeros(3)];
        trajectories.planMotion([0.5, 0.25, -1], 1.5, 1.25, 3, 20, plan);
        trajectories.planned(t, plan, out);
        return out;
      },
    ],
  );

describe('the run time in C', () => {
  it.skipIf(!COMPILER)('has the bits of the TypeScript', async () => {
    const text = `#include "lever_track.h"
#include <stdio.h>
#define COPY(to, count, ...) { const kg_real from[count] = {__VA_ARGS__}; for (i = 0; i < count; i++) to[i] = from[i]; }
#define PRINT(from, count) { for (i = 0; i < count; i++) printf("%.17g ", from[i]); }
int main(void)
{
  kg_real A[24], b[6], x[6], work[20];
  int i;
${CASES.map(([c]) => `  ${c} printf("\\n");`).join('\n')}
  (void)A; (void)b; (void)work;
  return 0;
}
`;
    const program = await buildC(
      [...(await generateC(robot, compiled)), { path: 'main.c', text }],
      { compiler: COMPILER!.compiler, flags: ['-O1'] },
      (path) => path.endsWith('_selftest.c'),
    );
    const lines = (await runProgram(program)).trim().split('\n');
    await program.dispose();
    expect(lines).toHaveLength(CASES.length);
    CASES.forEach(([, typescript], i) =>
      expect(lines[i]!.trim().split(/\s+/).map(Number)).toEqual(Array.from(typescript(), (v) => v + 0)),
    );
  });
});

describe('translation', () => {
  const inC = (body: string, parameters = 'n: Index, x: number, a: Float64Array'): string => {
    const [routine] = routinesOf(`export function f(${parameters}): number {\n${body}\n}`);
    return functionC(routine!, 'f', { callees: new Map() });
  };

  it('keeps whole numbers whole where they are places, and makes numbers of them elsewhere', () => {
    expect(inC('return n / 2 + a[2 * n + 1]! * 3;')).toContain(
      'return (kg_real)n / KG_REAL(2.0) + a[2 * n + 1] * KG_REAL(3.0);',
    );
    expect(inC('return x < 1 ? 1 / 3 : -x;')).toContain('return x < KG_REAL(1.0) ? KG_REAL(1.0) / KG_REAL(3.0) : -x;');
    expect(inC('for (let i = n - 1; i >= 0; i--) a[i] -= i * x;\nreturn 0;')).toContain('a[i] -= (kg_real)i * x;');
  });

  it.each([
    ['return x ** 2;', 'this operator'],
    ['return x % 2;', 'this operator'],
    ['return Math.random();', 'this function'],
    ['return other(x);', 'this function'],
    ['return y;', 'this name'],
    ['while (x > 0) a[0] = 1;\nreturn 0;', 'this statement'],
    ['for (let i = 0; i < n; i += 2) a[i] = 1;\nreturn 0;', 'a loop that does not count by one'],
    ['return [1, 2][0]!;', 'this'],
  ])('refuses %j', (body, why) => expect(() => inC(body)).toThrow(why));
});

describe('the cost of a step', () => {
  it('counts loops by their lengths, calls by what they call, and the dearer of two branches', () => {
    const text = `function f(n: Index, x: number, a: Float64Array): number {
      let sum = 0;
      for (let i = 0; i < n; i++) for (let j = 0; j <= i; j++) sum += a[n * i + j]! * x;
      if (x < 0) return sum / x;
      if (n > 9) return Math.sin(x);
      return Math.sqrt(x) * g(2, x);
    }
    function g(n: Index, x: number): number {
      if (n === 2) return x - 1;
      return x * x * x;
    }`;
    const routines = new Map(routinesOf(text).map((routine) => [routine.name, routine]));
    const cost = worstCase(routines.get('f')!, routines, () => NO_OPERATIONS, new Map([['n', 4]]));
    expect(cost).toEqual({ ...NO_OPERATIONS, add: 10 + 1, multiply: 10 + 1, sqrt: 1 });
  });

  it('is that of inverse dynamics and of the error for computed torque', () => {
    const model = robotModel(robot, compiled);
    const [track] = controllersOf(model);
    const own = { ...NO_OPERATIONS, add: 4, multiply: 2, divide: 1 };
    const [dynamics] = track!.straight!.functions;
    expect(track!.cost).toEqual(addCounts([dynamics!.program.counts, own]));
    const overDriver = operationsInAll(addCounts([robotCounts(model)[0]!.counts, own]));
    expect(operationsInAll(track!.cost)).toBeLessThan(overDriver);
  });
});
