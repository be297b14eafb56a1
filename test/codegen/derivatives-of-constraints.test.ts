/**
 * Derivatives of constrained forward dynamics: of a four-bar against quotients of its saddle system in 60 digits, of loops of every kind
 * against their residuals, the adjoint against the tangent, dependent rows, and C against TypeScript.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Decimal } from 'decimal.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildC, runProgram } from '../../src/codegen/c/build-c.ts';
import { generateC } from '../../src/codegen/c/c.ts';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotFile, loadRobotText } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import type { CompiledRobot } from '../../src/kane/kernels/link-type.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { KG_NO_STATE, KG_NON_FINITE, KG_OK, type LoopDerivatives, type Loops } from '../../src/runtime/driver.ts';
import { COMPILERS, UNOPTIMISED } from '../compilers.ts';

type Dynamics = LoadedRobot & Loops & Required<LoopDerivatives>;
type Vector = readonly number[];

interface Made {
  readonly robot: Robot;
  readonly compiled: CompiledRobot;
  readonly dynamics: Dynamics;
  readonly n: number;
  readonly r: number;
}

let fourBar: Promise<Made> | undefined;

async function made(robot: Robot): Promise<Made> {
  const compiled = compileRobot(robot, { derivatives: true });
  const dynamics = (await loadGenerated(await generateTypeScript(robot, compiled)))() as Dynamics;
  const r = robot.loops!.reduce((sum, { rows }) => sum + rows.length, 0);
  return { robot, compiled, dynamics, n: robot.coordinates.length, r };
}

const here = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const FOUR_BAR = here('examples/mechanisms/four-bar.robot.yaml');
const values = (count: number, phase: number, size = 1): number[] =>
  Array.from({ length: count }, (_, i) => size * Math.sin(1.7 * i + phase));
const [ALPHA, BETA] = [3, 5];
const zeros = (count: number): Float64Array => new Float64Array(count).fill(NaN);
const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((sum, x, i) => sum + x * b[i]!, 0);
const largest = (x: ArrayLike<number>): number => Math.max(...Array.from(x, Math.abs));
const unit = (n: number, a: number): number[] => Array.from({ length: n }, (_, b) => (a === b ? 1 : 0));

interface State {
  readonly q: Vector;
  readonly qd: Vector;
  readonly tau: Vector;
}

function solved(
  { dynamics, n, r }: Made,
  { q, qd, tau }: State,
  feedback = [ALPHA, BETA],
): readonly [number[], number[]] {
  expect(dynamics.update(q, qd)).toBe(KG_OK);
  const [qdd, lambda] = [zeros(n), zeros(r)];
  expect(dynamics.constrainedForwardDynamics(feedback[0]!, feedback[1]!, tau, qdd, lambda)).toBe(KG_OK);
  return [[...qdd], [...lambda]];
}

function tangent(
  { dynamics, n, r }: Made,
  [qdd, lambda]: readonly [Vector, Vector],
  [dq, dqd, dtau]: readonly (Vector | null)[],
  feedback = [ALPHA, BETA],
): readonly [number[], number[]] {
  const [dqdd, dlambda] = [zeros(n), zeros(r)];
  const status = dynamics.constrainedForwardDynamicsTangent(
    ...([1, feedback[0]!, feedback[1]!, qdd, lambda] as const),
    ...([dq!, dqd!, dtau!, dqdd, dlambda] as const),
  );
  expect(status).toBe(KG_OK);
  return [[...dqdd], [...dlambda]];
}

/** Of every entry of the transpose, what columns of the tangent weigh. */
function expectTransposed(own: Made, at: State, within: number): void {
  const { dynamics, n, r } = own;
  const solution = solved(own, at);
  const [weights, ofRows] = [values(n, 7), values(r, 2)];
  const [byQ, byQd, byTau, byBias] = [zeros(n), zeros(n), zeros(n), zeros(r)];
  const status = dynamics.constrainedForwardDynamicsAdjoint(
    ...([1, ALPHA, BETA, ...solution, weights, ofRows] as const),
    ...([byQ, byQd, byTau, byBias] as const),
  );
  expect(status).toBe(KG_OK);
  [byQ, byQd, byTau].forEach((found, which) => {
    const due = found.map((_, a) => {
      const [dqdd, dlambda] = tangent(
        own,
        solution,
        [0, 1, 2].map((k) => (k === which ? unit(n, a) : null)),
      );
      return dot(weights, dqdd) + dot(ofRows, dlambda);
    });
    expect(largest(due)).toBeGreaterThan(0);
    due.forEach((x, a) => expect(Math.abs(found[a]! - x), `${which}, ${a}`).toBeLessThan(within * largest(due)));
  });
}

// ---------------------------------------------------------------------------------------------- a four-bar in many digits

const Wide = Decimal.clone({ precision: 60 });
type Wide = Decimal;

/** Absolute angles θ: bars of mass m, length l, centre c and inertia i about it, the first two in a chain, the last at 0.5 m. */
const BARS = [
  { m: 0.4, l: 0.15, c: 0.075, i: 0.0011 },
  { m: 0.9, l: 0.45, c: 0.225, i: 0.016 },
  { m: 0.7, l: 0.35, c: 0.175, i: 0.0075 },
].map((bar) => ({ m: new Wide(bar.m), l: new Wide(bar.l), c: new Wide(bar.c), i: new Wide(bar.i) }));

/** (q̈, λ) of crank, coupler relative to it, and rocker, by elimination from the saddle system. */
function byHand(q: readonly Wide[], qd: readonly Wide[], tau: readonly Wide[]): Wide[] {
  const [crank, coupler, rocker] = BARS as [(typeof BARS)[0], (typeof BARS)[0], (typeof BARS)[0]];
  const g = new Wide(9.81);
  const angles = [q[0]!, q[0]!.plus(q[1]!), q[2]!];
  const rates = [qd[0]!, qd[0]!.plus(qd[1]!), qd[2]!];
  const [s, c] = [angles.map((x) => x.sin()), angles.map((x) => x.cos())];
  const zero = new Wide(0);
  const coupling = coupler.m.times(crank.l).times(coupler.c);
  const [near, across] = [angles[0]!.minus(angles[1]!).cos(), angles[0]!.minus(angles[1]!).sin()];
  const inertia = (bar: (typeof BARS)[0]): Wide => bar.i.plus(bar.m.times(bar.c.pow(2)));
  const M = [
    [inertia(crank).plus(coupler.m.times(crank.l.pow(2))), coupling.times(near), zero],
    [coupling.times(near), inertia(coupler), zero],
    [zero, zero, inertia(rocker)],
  ];
  const weights = [
    crank.m.times(crank.c).plus(coupler.m.times(crank.l)),
    coupler.m.times(coupler.c),
    rocker.m.times(rocker.c),
  ];
  const h = [
    coupling.times(across).times(rates[1]!.pow(2)),
    coupling.times(across).times(rates[0]!.pow(2)).neg(),
    zero,
  ].map((x, k) => x.plus(weights[k]!.times(g).times(c[k]!)));
  // Generalized forces of absolute angles; the coupler's acts on the crank's coordinate, too.
  const load = [tau[0]!.minus(tau[1]!), tau[1]!, tau[2]!];
  const sign = [-1, -1, 1];
  const lengths = BARS.map(({ l }, k) => l.times(sign[k]!));
  const place = [
    lengths.reduce((sum, l, k) => sum.plus(l.times(c[k]!)), new Wide(0.5)),
    lengths.reduce((sum, l, k) => sum.plus(l.times(s[k]!)), zero),
  ];
  const J = [lengths.map((l, k) => l.times(s[k]!).neg()), lengths.map((l, k) => l.times(c[k]!))];
  const bias = [
    lengths.reduce((sum, l, k) => sum.minus(l.times(c[k]!).times(rates[k]!.pow(2))), zero),
    lengths.reduce((sum, l, k) => sum.minus(l.times(s[k]!).times(rates[k]!.pow(2))), zero),
  ];
  // Residuals are in the axes of the coupler, which turns: R = Rᵀ(p_b − p_a).
  const [C, S, w] = [c[1]!, s[1]!, rates[1]!];
  const turn = ([x, y]: Wide[]): Wide[] => [C.times(x!).plus(S.times(y!)), C.times(y!).minus(S.times(x!))];
  const own = turn(place);
  const [px, py] = [J[0]!, J[1]!].map((row) => row.reduce((sum, e, k) => sum.plus(e.times(rates[k]!)), zero)) as [
    Wide,
    Wide,
  ];
  const moved = turn([px, py]);
  const velocity = [moved[0]!.plus(w.times(own[1]!)), moved[1]!.minus(w.times(own[0]!))];
  const accelerated = turn(bias);
  const gamma = [
    accelerated[0]!.plus(w.times(2).times(moved[1]!)).minus(w.pow(2).times(own[0]!)),
    accelerated[1]!.minus(w.times(2).times(moved[0]!)).minus(w.pow(2).times(own[1]!)),
  ];
  const columns = [0, 1, 2].map((k) => turn([J[0]![k]!, J[1]![k]!]));
  const rows = [0, 1].map((j) => columns.map((column) => column[j]!));
  rows[0]![1] = rows[0]![1]!.plus(own[1]!);
  rows[1]![1] = rows[1]![1]!.minus(own[0]!);
  const right = [0, 1].map((j) =>
    gamma[j]!.plus(velocity[j]!.times(2 * ALPHA))
      .plus(own[j]!.times(BETA ** 2))
      .neg(),
  );
  const system = [
    ...M.map((row, a) => [...row, rows[0]![a]!.neg(), rows[1]![a]!.neg(), load[a]!.minus(h[a]!)]),
    ...rows.map((row, j) => [...row, zero, zero, right[j]!]),
  ];
  const [first, second, third, x, y] = eliminated(system) as [Wide, Wide, Wide, Wide, Wide];
  return [first, second.minus(first), third, x, y];
}

function eliminated(rows: Wide[][]): Wide[] {
  const n = rows.length;
  for (let k = 0; k < n; k++) {
    const best = rows.slice(k).reduce((at, row, i) => (row[k]!.abs().gt(rows[at]![k]!.abs()) ? k + i : at), k);
    [rows[k], rows[best]] = [rows[best]!, rows[k]!];
    for (let i = 0; i < n; i++) {
      if (i === k) continue;
      const factor = rows[i]![k]!.div(rows[k]![k]!);
      rows[i] = rows[i]!.map((e, j) => e.minus(factor.times(rows[k]![j]!)));
    }
  }
  return rows.map((row, k) => row[n]!.div(row[k]!));
}

describe('a four-bar', () => {
  const state = { q: [0.9, -0.4, 1.7], qd: [1.5, -2.5, 0.75], tau: [0.5, -0.25, 1.25] };
  const directions = [values(3, 4), values(3, 5), values(3, 6)] as const;
  let own: Made;
  beforeAll(async () => {
    own = await (fourBar ??= made(loadRobotFile(FOUR_BAR)));
  });

  const wide = (x: Vector, along: Vector | null, h: Wide): Wide[] =>
    x.map((e, i) => new Wide(e).plus(along ? h.times(along[i]!) : 0));

  it('has the accelerations and multipliers of the saddle system by hand', () => {
    const due = byHand(...(Object.values(state).map((x) => wide(x, null, new Wide(0))) as [Wide[], Wide[], Wide[]]));
    const found = solved(own, state).flat();
    due.forEach((x, i) => expect(Math.abs(found[i]! - x.toNumber())).toBeLessThan(1e-12 * largest(found)));
  });

  it.each([
    ['q', [0]],
    ['qd', [1]],
    ['tau', [2]],
    ['all', [0, 1, 2]],
  ])('changes as its quotients in 60 digits along %s', (_, which) => {
    const given = directions.map((own, k) => (which.includes(k) ? own : null));
    const at = (h: string): Wide[] => {
      const [q, qd, tau] = Object.values(state).map((x, k) => wide(x, given[k]!, new Wide(h))) as [
        Wide[],
        Wide[],
        Wide[],
      ];
      return byHand(q, qd, tau);
    };
    const [before, after] = [at('-1e-20'), at('1e-20')];
    const due = after.map((x, i) => x.minus(before[i]!).div('2e-20').toNumber());
    const found = tangent(own, solved(own, state), given);
    [due.slice(0, 3), due.slice(3)].forEach((part, k) =>
      part.forEach((x, i) => expect(Math.abs(found[k]![i]! - x)).toBeLessThan(1e-11 * largest(part))),
    );
  });

  it('has them transposed', () => {
    expectTransposed(own, state, 1e-12);
  });

  it('refuses what is no number, and states that are none', () => {
    const [qdd, lambda] = solved(own, state);
    const call = (given: Vector): number =>
      own.dynamics.constrainedForwardDynamicsTangent(
        1,
        ALPHA,
        BETA,
        given,
        lambda,
        null,
        null,
        null,
        zeros(3),
        zeros(2),
      );
    expect(call([NaN, 0, 0])).toBe(KG_NON_FINITE);
    own.dynamics.update([NaN, 0, 0], [0, 0, 0]);
    expect(call(qdd)).not.toBe(KG_OK);
    own.dynamics.inverseDynamicsAt(state.q, state.qd, qdd, zeros(3));
    expect(call(qdd)).toBe(KG_NO_STATE);
  });
});

describe('dependent rows', () => {
  it('have no multipliers, and leave changes of accelerations as they are', async () => {
    // On the loop and along it the four rows beside those in the plane ask for nothing.
    const text = readFileSync(FOUR_BAR, 'utf8');
    const spatial = await made(
      loadRobotText(
        text.replace('point-on-line', 'revolute').replace('name: four-bar', 'name: spatial'),
        'spatial.robot.yaml',
      ),
    );
    const planar = await (fourBar ??= made(loadRobotFile(FOUR_BAR)));
    const q = Object.values(planar.robot.states)[0]!.map(Number);
    const tau = [0.5, -0.25, 1.25];
    // Rates along the loop: what is left of others once the loop has them.
    const rates = (own: Made): number[] => {
      own.dynamics.update(q, [2, 0.5, -1]);
      const [dq, dqd] = [zeros(3), zeros(3)];
      own.dynamics.constraintCorrection(dq, dqd);
      return [2, 0.5, -1].map((x, a) => x + dqd[a]!);
    };
    const qd = rates(planar);
    const results = [planar, spatial].map((own) => {
      const solution = solved(own, { q, qd, tau }, [0, 0]);
      return tangent(own, solution, [qd, values(3, 2), values(3, 3)], [0, 0]);
    });
    expect(spatial.r).toBe(5);
    expect(spatial.dynamics.constraintRank()).toBe(2);
    const [due, found] = results as [[number[], number[]], [number[], number[]]];
    due[0].forEach((x, a) => expect(Math.abs(found[0][a]! - x)).toBeLessThan(1e-11 * largest(due[0])));
    expect(found[1].filter((x) => x !== 0)).toHaveLength(2);
    expectTransposed(spatial, { q, qd, tau }, 1e-12);
  });
});

// ---------------------------------------------------------------------------------------------- loops of every kind

describe('loops between links, material points, the base and formulas', () => {
  let own: Made;
  let state: State;
  beforeAll(async () => {
    const text = readFileSync(here('test/simulation/many-loops.robot.yaml'), 'utf8');
    own = await made(loadRobotText(text.replace('body: pcc-3d', 'body: planar-cc'), 'many-loops.robot.yaml'));
    const { n, robot } = own;
    state = {
      q: robot.coordinates.map(({ value }, i) => value + values(n, 1, 0.1)[i]!),
      qd: values(n, 2),
      tau: values(n, 3),
    };
  });

  it('change so that the saddle system stays solved', () => {
    const { dynamics, n, r } = own;
    const [dq, dqd, dtau] = [values(n, 4), values(n, 5), values(n, 6)];
    const [qdd, lambda] = solved(own, state);
    const [dqdd, dlambda] = tangent(own, [qdd, lambda], [dq, dqd, dtau]);
    const moved = (x: Vector, along: Vector, h: number): number[] => x.map((e, i) => e + h * along[i]!);
    const left = (h: number): number[] => {
      const [q, qd, acceleration, forces] = [
        moved(state.q, dq, h),
        moved(state.qd, dqd, h),
        moved(qdd, dqdd, h),
        moved(lambda, dlambda, h),
      ];
      dynamics.update(q, qd);
      const [tau, phi, rate, bias, J] = [zeros(n), zeros(r), zeros(r), zeros(r), zeros(r * n)];
      dynamics.activeInverseDynamics(acceleration, tau);
      dynamics.constraint(phi, rate, bias);
      dynamics.constraintJacobian(J);
      const row = (j: number): Float64Array => J.subarray(n * j, n * j + n);
      const forced = tau.map(
        (x, a) => x - state.tau[a]! - h * dtau[a]! - forces.reduce((sum, f, j) => sum + f * row(j)[a]!, 0),
      );
      const asked = phi.map((x, j) => dot(row(j), acceleration) + bias[j]! + 2 * ALPHA * rate[j]! + BETA ** 2 * x);
      return [...forced, ...asked];
    };
    // Of a seventh-order rule: what remains is rounding of numbers of the size of what cancels.
    const weights = [4 / 5, -1 / 5, 4 / 105, -1 / 280];
    const step = 1e-2;
    const slopes = Array.from({ length: n + r }, () => 0);
    weights.forEach((weight, k) => {
      const [after, before] = [left((k + 1) * step), left(-(k + 1) * step)];
      after.forEach((x, i) => (slopes[i]! += (weight * (x - before[i]!)) / step));
    });
    const sizes = [largest(qdd), largest(dqdd)];
    slopes.slice(0, n).forEach((x, a) => expect(Math.abs(x), `force ${a}`).toBeLessThan(1e-9 * largest(dlambda)));
    slopes.slice(n).forEach((x, j) => expect(Math.abs(x), `row ${j}`).toBeLessThan(1e-10 * Math.max(...sizes)));
  });

  it('have changes transposed', () => {
    expectTransposed(own, state, 1e-12);
  });

  it('change steps as their difference quotients, and transposed', () => {
    const { dynamics, n, r } = own;
    const h = 0.01;
    const step = (x: number): readonly [number[], number[]] => {
      const along = (e: Vector, phase: number): number[] => e.map((y, i) => y + x * values(n, phase)[i]!);
      const [q, qd, tau] = [along(state.q, 4), along(state.qd, 5), along(state.tau, 6)];
      const [rates, lambda] = [zeros(n), zeros(r)];
      expect(dynamics.update(q, qd)).toBe(KG_OK);
      expect(dynamics.constrainedImplicitStep(h, tau, zeros(n), rates, lambda)).toBe(KG_OK);
      return [[...rates].map((y, i) => (y - qd[i]!) / h), [...lambda]];
    };
    const [after, before] = [1, -1].map((sign) => [1, 2, 3].map((k) => step(sign * k * 3e-4).flat())) as [
      number[][],
      number[][],
    ];
    const central = (k: number, i: number): number => after[k]![i]! - before[k]![i]!;
    const due = after[0]!.map((_, i) => (45 * central(0, i) - 9 * central(1, i) + central(2, i)) / (60 * 3e-4));
    const [qdd, lambda] = step(0);
    const [dqdd, dlambda] = [zeros(n), zeros(r)];
    const directions = [values(n, 4), values(n, 5), values(n, 6)] as const;
    dynamics.constrainedImplicitStepTangent(1, h, qdd, lambda, ...directions, dqdd, dlambda);
    for (const [found, expected] of [
      [dqdd, due.slice(0, n)],
      [dlambda, due.slice(n)],
    ] as const)
      expected.forEach((x, i) => expect(Math.abs(found[i]! - x), `${i}`).toBeLessThan(1e-9 * largest(expected)));
    const seed = values(n, 7);
    const [byTau, byQ, byQd] = [zeros(n), zeros(n), zeros(n)];
    dynamics.update(state.q, state.qd);
    dynamics.constrainedImplicitStepAdjoint(h, qdd, lambda, seed, byTau, byQ, byQd);
    const weighed = [-dot(byQ, directions[0]), -dot(byQd, directions[1]), dot(byTau, directions[2])];
    const bound = 1e-11 * largest(weighed);
    expect(Math.abs(weighed.reduce((sum, x) => sum + x, 0) - dot(seed, dqdd))).toBeLessThan(bound);
  });

  it('take several columns, one after the other', () => {
    const { dynamics, n, r } = own;
    const solution = solved(own, state);
    const columns = [1, 2].map((phase) => [values(n, phase), values(n, phase + 2), null] as const);
    const single = columns.map((column) => tangent(own, solution, column));
    const [dqdd, dlambda] = [zeros(2 * n), zeros(2 * r)];
    const both = [0, 1].map((k) => columns.flatMap((column) => column[k as 0 | 1]));
    dynamics.constrainedForwardDynamicsTangent(2, ALPHA, BETA, ...solution, both[0]!, both[1]!, null, dqdd, dlambda);
    expect([...dqdd]).toEqual(single.flatMap(([first]) => first));
    expect([...dlambda]).toEqual(single.flatMap(([, second]) => second));
  });

  describe.each(COMPILERS.slice(0, 1))('in C compiled by $compiler', ({ compiler, missing }) => {
    it.skipIf(missing)(`are the same (needs ${compiler})`, async () => {
      const { robot, compiled, dynamics, n, r } = own;
      const [qdd, lambda] = solved(own, state);
      const [dq, dqd, dtau, weights] = [values(n, 4), values(n, 5), values(n, 6), values(n, 7)];
      const list = (x: Vector): string => `{ ${x.map((e) => e.toPrecision(17)).join(', ')} }`;
      const arrays = { q: state.q, qd: state.qd, qdd, lambda, dq, dqd, dtau, weights, ofRows: values(r, 2) };
      const main = `#include <stdio.h>
#include "many_loops.h"
static many_loops_workspace w;
${Object.entries(arrays)
  .map(([name, x]) => `static const kg_real ${name}[] = ${list(x)};`)
  .join('\n')}
static kg_real dqdd[${n}], dlambda[${r}], by_q[${n}], by_qd[${n}], by_tau[${n}], by_bias[${r}];
static void show(const kg_real *x, int count) { for (int i = 0; i < count; i++) printf("%.17g ", (double)x[i]); }
int main(void)
{
  int status = (int)many_loops_update(&w, &many_loops_defaults, q, qd);
  status += (int)many_loops_constrained_forward_dynamics_tangent(&w, 1, ${ALPHA}, ${BETA}, qdd, lambda, dq, dqd, dtau, dqdd, dlambda);
  show(dqdd, ${n}); show(dlambda, ${r});
  status += (int)many_loops_constrained_forward_dynamics_adjoint(&w, 1, ${ALPHA}, ${BETA}, qdd, lambda, weights, ofRows, by_q, by_qd, by_tau, by_bias);
  show(by_q, ${n}); show(by_qd, ${n}); show(by_tau, ${n}); show(by_bias, ${r});
  printf("%d", status);
  return 0;
}
`;
      const files = [...(await generateC(robot, compiled)), { path: 'main.c', text: main }];
      const program = await buildC(files, { compiler, flags: UNOPTIMISED }, (path) => path.endsWith('_selftest.c'));
      const words = (await runProgram(program).finally(() => program.dispose())).trim().split(/\s+/).map(Number);
      expect(words.pop()).toBe(0);
      const changes = tangent(own, [qdd, lambda], [dq, dqd, dtau]);
      const [byQ, byQd, byTau, byBias] = [zeros(n), zeros(n), zeros(n), zeros(r)];
      dynamics.constrainedForwardDynamicsAdjoint(
        ...([1, ALPHA, BETA, qdd, lambda, weights, arrays.ofRows, byQ, byQd, byTau, byBias] as const),
      );
      for (const due of [...changes, byQ, byQd, byTau, byBias])
        words.splice(0, due.length).forEach((x, i) => expect(Math.abs(x - due[i]!)).toBeLessThan(1e-13 * largest(due)));
      expect(words).toEqual([]);
    });
  });
});
