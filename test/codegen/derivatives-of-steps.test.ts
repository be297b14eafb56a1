/**
 * Changes of implicit steps that close loops, against difference quotients of the steps and of rollouts, the adjoint against them, dependent
 * rows and ropes, and C against TypeScript to the bit.
 */
import { describe, expect, it } from 'vitest';
import { buildC, runProgram } from '../../src/codegen/c/build-c.ts';
import { generateC } from '../../src/codegen/c/c.ts';
import { robotModel } from '../../src/codegen/modules/robot-model.ts';
import { possibleFunctions } from '../../src/codegen/sweeps/robot-functions.ts';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotText } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { KG_NON_FINITE, KG_OK, type LoopDerivatives, type Loops } from '../../src/runtime/driver.ts';
import { rolloutGradient } from '../../src/simulation/integrators/rollout-gradient.ts';
import { COMPILERS, UNOPTIMISED } from '../compilers.ts';

type Dynamics = LoadedRobot & Loops & Required<LoopDerivatives>;
type Vector = readonly number[];

interface Made {
  readonly robot: Robot;
  readonly compiled: ReturnType<typeof compileRobot>;
  readonly dynamics: Dynamics;
  readonly n: number;
  readonly r: number;
}

const BARS = `
links:
  - { name: crank, joint: { revolute: z }, rigid: { mass: 0.4, com: [0.075, 0, 0], inertia: { xx: 1e-4, yy: 2e-3, zz: 2e-3 }, distal: { xyz: [0.15, 0, 0] } } }
  - { name: coupler, joint: { revolute: z, stiffness: 0.7 N m/rad, damping: 0.02 N m s/rad }, rigid: { mass: 0.9, com: [0.22, 0, 0], inertia: { xx: 1e-4, yy: 2e-3, zz: 2e-3 }, distal: { xyz: [0.45, 0, 0] } } }
  - { name: rocker, parent: base, offset: { xyz: [0.5, 0, 0] }, joint: { revolute: z }, rigid: { mass: 0.7, com: [0.17, 0, 0], inertia: { xx: 1e-4, yy: 2e-3, zz: 2e-3 }, distal: { xyz: [0.35, 0, 0] } } }
`;
const bars = (name: string, loops: string): string => `kanegen: 1
name: ${name}
gravity: [0, -9.81, 0]
${BARS}${loops}`;
const CLOSED = [0.9177284600455726, -0.3808286480920385, 1.6341868044194696];

/** A robot with the place of a step, its rows in all, and how many of them are independent. */
const ROBOTS = {
  'a four-bar, its pin a redundant hinge': {
    text: bars('four-bar', 'loops: { pin: { revolute: { a: coupler, b: rocker, axis: z } } }'),
    q: CLOSED,
    rank: 2,
  },
  'a soft closed chain': {
    text: `kanegen: 1
name: soft-chain
gravity: [0, 0, -9.81]
links:
  - { name: left1, offset: { rpy: [0, 0.2, 0] }, body: planar-cc }
  - { name: left2, joint: { revolute: y }, body: planar-cc }
  - { name: right1, parent: base, offset: { xyz: [0.1, 0, 0], rpy: [0, -0.2, 0] }, body: planar-cc }
  - { name: right2, joint: { revolute: y }, body: planar-cc }
loops: { pin: { point-on-line: { a: left2, b: right2, axis: y } } }
`,
    q: [0.3, 0.1, -0.2, -0.25, -0.15, 0.3],
    rank: 2,
  },
  'springs, a rope, and formulas that follow the time': {
    text: bars(
      'driven-bars',
      `loops:
  pin: { point-on-line: { a: coupler, b: rocker, axis: z }, compliance: { translation: 1e-2 m/N }, damping: { translation: 5 N s/m } }
  rope: { distance: { a: base, b: coupler, length: 0.45 m, unilateral: true } }
  soft: { constraint: "crank.angle*cos(t) + 0.3*crank.angle*rocker.angle^2 - 1.2 + 0.1*t", compliance: 2 rad/(N m), damping: 0.1 N m s }
`,
    ),
    q: CLOSED,
    rank: 4,
  },
  'frames that follow the time': {
    text: bars(
      'led-bars',
      'loops: { lead: { constraint: "dot(rotate(coupler, [1, 0, 0]), [-sin(0.4*sin(3*t)), cos(0.4*sin(3*t)), 0])" } }\n',
    ),
    q: [0.2, -0.1, 1.6],
    rank: 1,
  },
} as const;

type Name = keyof typeof ROBOTS;
const NAMES = Object.keys(ROBOTS) as Name[];
const robots = new Map<Name, Promise<Made>>();

async function made(name: Name): Promise<Made> {
  const robot = loadRobotText(ROBOTS[name].text, 'loops.robot.yaml');
  const compiled = compileRobot(robot, { derivatives: true });
  const dynamics = (await loadGenerated(await generateTypeScript(robot, compiled)))() as Dynamics;
  if ('time' in dynamics.parameters) Object.assign(dynamics.parameters, { time: 0.3 });
  const r = robot.loops!.reduce((sum, { rows }) => sum + rows.length, 0);
  return { robot, compiled, dynamics, n: robot.coordinates.length, r };
}

function own(name: Name): Promise<Made> {
  const found = robots.get(name) ?? made(name);
  robots.set(name, found);
  return found;
}

const values = (count: number, phase: number, size = 1): number[] =>
  Array.from({ length: count }, (_, i) => size * Math.sin(1.7 * i + phase));
const zeros = (count: number): Float64Array => new Float64Array(count).fill(NaN);
const largest = (x: ArrayLike<number>): number => Math.max(...Array.from(x, Math.abs));
const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((sum, x, i) => sum + x * b[i]!, 0);
type Triple = readonly [Vector, Vector, Vector];
/** Three arrays, each along its own. */
const allMoved = (
  [a, b, c]: Triple,
  [da, db, dc]: readonly (Vector | null)[],
  by: number,
): [number[], number[], number[]] => [moved(a, da ?? null, by), moved(b, db ?? null, by), moved(c, dc ?? null, by)];
const moved = (x: Vector, along: Vector | null, by: number): number[] =>
  along ? x.map((e, i) => e + by * along[i]!) : [...x];

const h = 0.01;

/** Off the loops by as much as steps may be. */
function stateOf(name: Name, { n }: Made): Record<'q' | 'qd' | 'tau', Vector> {
  return { q: moved(ROBOTS[name].q, values(n, 1), 1e-3), qd: values(n, 2, 0.5), tau: values(n, 3, 0.3) };
}

function step({ dynamics, n, r }: Made, q: Vector, qd: Vector, tau: Vector): readonly [number[], number[], number[]] {
  const [place, rates, lambda] = [zeros(n), zeros(n), zeros(r)];
  expect(dynamics.update(q, qd)).toBe(KG_OK);
  expect(dynamics.constrainedImplicitStep(h, tau, place, rates, lambda)).toBe(KG_OK);
  return [[...place], [...rates], [...lambda]];
}

/** Of (q⁺, q̇⁺, λ), at the staged state. */
function tangent(
  { dynamics, n, r }: Made,
  [qdd, lambda]: readonly [Vector, Vector],
  [dq, dqd, dtau]: readonly (Vector | null)[],
): readonly [number[], number[], number[]] {
  const [dqdd, dlambda] = [zeros(n), zeros(r)];
  const status = dynamics.constrainedImplicitStepTangent(1, h, qdd, lambda, dq!, dqd!, dtau!, dqdd, dlambda);
  expect(status).toBe(KG_OK);
  const rates = [...dqdd].map((x, i) => (dqd?.[i] ?? 0) + h * x);
  return [rates.map((x, i) => (dq?.[i] ?? 0) + h * x), rates, [...dlambda]];
}

/** The nearest state on the loops, with rates along them. */
function closed({ dynamics, n }: Made, { q, qd }: { readonly q: Vector; readonly qd: Vector }): [number[], number[]] {
  const [dq, dqd] = [zeros(n), zeros(n)];
  let [place, rates] = [[...q], [...qd]];
  for (let round = 0; round < 8; round++) {
    expect(dynamics.update(place, rates)).toBe(KG_OK);
    expect(dynamics.constraintCorrection(dq, dqd)).toBe(KG_OK);
    place = moved(place, [...dq], 1);
    rates = moved(rates, [...dqd], 1);
  }
  return [place, rates];
}

/** d/dx at 0, to sixth order. */
function quotient(value: (x: number) => Vector, size: number): number[] {
  const [after, before] = [1, -1].map((sign) => [1, 2, 3].map((k) => value(sign * k * size))) as [Vector[], Vector[]];
  const central = (k: number, i: number): number => after[k]![i]! - before[k]![i]!;
  return after[0]!.map((_, i) => (45 * central(0, i) - 9 * central(1, i) + central(2, i)) / (60 * size));
}

describe.each(NAMES)('a step that closes %s', (name) => {
  it.each([
    ['q', [0]],
    ['qd', [1]],
    ['tau', [2]],
    ['all', [0, 1, 2]],
  ])('changes as its difference quotients along %s', async (_, which) => {
    const robot = await own(name);
    const { n } = robot;
    const { q, qd, tau } = stateOf(name, robot);
    const given = [4, 5, 6].map((phase, k) => (which.includes(k) ? values(n, phase) : null));
    const at = (x: number) => step(robot, ...allMoved([q, qd, tau], given, x));
    const [, rates, lambda] = at(0);
    expect(robot.dynamics.constraintRank()).toBe(ROBOTS[name].rank);
    const qdd = rates.map((x, i) => (x - qd[i]!) / h);
    const found = tangent(robot, [qdd, lambda], given);
    const due = quotient((x) => at(x).flat(), 3e-4);
    const whole = at(0);
    let next = 0;
    found.forEach((part, k) => {
      const own = due.slice(next, (next += part.length));
      // Quotients have what rounding leaves of the values themselves.
      const bound = 1e-10 * largest(own) + (1e-13 * largest(whole[k]!)) / 3e-4;
      part.forEach((x, i) => expect(Math.abs(x - own[i]!), `part ${k}, ${i}`).toBeLessThan(bound));
    });
  });

  it('is weighed by the transpose', async () => {
    const robot = await own(name);
    const { dynamics, n } = robot;
    const { q, qd, tau } = stateOf(name, robot);
    const [, rates, lambda] = step(robot, q, qd, tau);
    const qdd = rates.map((x, i) => (x - qd[i]!) / h);
    const seed = values(n, 7);
    const [byTau, byQ, byQd] = [zeros(n), zeros(n), zeros(n)];
    expect(dynamics.constrainedImplicitStepAdjoint(h, qdd, lambda, seed, byTau, byQ, byQd)).toBe(KG_OK);
    for (const [k, weights, sign] of [
      [0, byQ, -1],
      [1, byQd, -1],
      [2, byTau, 1],
    ] as const)
      for (let a = 0; a < n; a++) {
        const unit = values(n, 0).map((_, b) => (a === b ? 1 : 0));
        const directions = [0, 1, 2].map((own) => (own === k ? unit : null));
        const [, changed] = tangent(robot, [qdd, lambda], directions);
        const gain = changed.map((x, b) => (x - (k === 1 ? unit[b]! : 0)) / h);
        const bound = 1e-11 * Math.max(largest(weights), largest(gain.map((x, b) => x * seed[b]!)));
        expect(Math.abs(sign * weights[a]! - dot(seed, gain)), `${k}, ${a}`).toBeLessThan(bound);
      }
  });
});

it('several columns are what each gives, to the bit', async () => {
  const robot = await own('a soft closed chain');
  const { dynamics, n, r } = robot;
  const { q, qd, tau } = stateOf('a soft closed chain', robot);
  const [, rates, lambda] = step(robot, q, qd, tau);
  const qdd = rates.map((x, i) => (x - qd[i]!) / h);
  const columns = [1, 2].map((phase) => [values(n, phase), values(n, phase + 2)]);
  const single = columns.map(([dq, dqd]) => {
    const [dqdd, dlambda] = [zeros(n), zeros(r)];
    dynamics.constrainedImplicitStepTangent(1, h, qdd, lambda, dq!, dqd!, null, dqdd, dlambda);
    return [dqdd, dlambda] as const;
  });
  const [dqdd, dlambda] = [zeros(2 * n), zeros(2 * r)];
  const [dq, dqd] = [columns.flatMap(([first]) => first!), columns.flatMap(([, second]) => second!)];
  dynamics.constrainedImplicitStepTangent(2, h, qdd, lambda, dq, dqd, null, dqdd, dlambda);
  expect([...dqdd]).toEqual(single.flatMap(([first]) => [...first]));
  expect([...dlambda]).toEqual(single.flatMap(([, second]) => [...second]));
});

it('refuses what is no number, and no time', async () => {
  const robot = await own('a four-bar, its pin a redundant hinge');
  const { q, qd, tau } = stateOf('a four-bar, its pin a redundant hinge', robot);
  const [, rates, lambda] = step(robot, q, qd, tau);
  const call = (time: number, qdd: Vector): number =>
    robot.dynamics.constrainedImplicitStepTangent(1, time, qdd, lambda, null, null, null, zeros(3), zeros(5));
  expect(call(h, rates)).toBe(KG_OK);
  expect(call(h, [NaN, 0, 0])).toBe(KG_NON_FINITE);
  expect(call(-h, rates)).not.toBe(KG_OK);
});

it('a rope that is slack in a step stays so', async () => {
  const robot = await own('springs, a rope, and formulas that follow the time');
  const [q, qd, tau] = [[0.9, -2.2, 1.6], values(3, 2), values(3, 3)];
  const along = [values(3, 4), values(3, 5), values(3, 6)];
  const at = (x: number) => step(robot, ...allMoved([q, qd, tau], along, x));
  const [, rates, lambda] = at(0);
  expect(robot.dynamics.constraintRank()).toBe(3);
  expect(lambda[2]).toBe(0);
  const [, changes, pulls] = tangent(robot, [rates.map((x, i) => (x - qd[i]!) / h), lambda], along);
  const due = quotient((x) => at(x)[1], 3e-4);
  due.forEach((x, i) => expect(Math.abs(changes[i]! - x)).toBeLessThan(1e-10 * largest(due)));
  expect(pulls[2]).toBe(0);
});

describe.each(['a four-bar, its pin a redundant hinge', 'a soft closed chain'] as const)('a rollout of %s', (name) => {
  it('changes along a direction as its difference quotient, and as its gradient has it', async () => {
    const robot = await own(name);
    const { dynamics, n, r } = robot;
    const { tau, ...near } = stateOf(name, robot);
    const [q, qd] = closed(robot, near);
    const steps = 11;
    const along = [values(n, 4), values(n, 5), values(n, 6)] as const;
    const end = (x: number): number[] => {
      let state = [moved(q, along[0], x), moved(qd, along[1], x)] as [number[], number[]];
      for (let k = 0; k < steps; k++) {
        const [place, rates] = step(robot, ...state, moved(tau, along[2], x));
        state = [place, rates];
      }
      return state.flat();
    };
    let [place, rates]: [Vector, Vector] = [q, qd];
    let changes: readonly Vector[] = along.slice(0, 2);
    for (let k = 0; k < steps; k++) {
      const [after, ratesAfter, lambda] = step(robot, place, rates, tau);
      const qdd = ratesAfter.map((x, i) => (x - rates[i]!) / h);
      const [dq, dqd] = tangent(robot, [qdd, lambda], [...changes, along[2]]);
      changes = [dq, dqd];
      [place, rates] = [after, ratesAfter];
    }
    const found = changes.flat();
    const due = quotient(end, 1e-4);
    due.forEach((x, i) => expect(Math.abs(found[i]! - x), `${i}`).toBeLessThan(1e-8 * largest(due)));
    const weights = values(2 * n, 8);
    const { byQ, byQd, byForces } = rolloutGradient(
      dynamics,
      { q, qd, h, steps, rows: r, forces: Array.from({ length: steps }, () => tau).flat() },
      {
        final: (a, b, byA, byB) => {
          weights.forEach((w, i) => (i < n ? (byA[i]! += w) : (byB[i - n]! += w)));
          return dot(weights, [...a, ...b]);
        },
      },
    );
    const forces = Array.from({ length: steps }, () => along[2]).flat();
    const gradient = dot(byQ, along[0]) + dot(byQd, along[1]) + dot(byForces, forces);
    expect(Math.abs(gradient - dot(weights, found))).toBeLessThan(1e-11 * largest(found));
  });
});

describe.each(COMPILERS.slice(0, 1))('in C compiled by $compiler', ({ compiler, missing }) => {
  it.skipIf(missing).each(['a soft closed chain', 'springs, a rope, and formulas that follow the time'] as const)(
    `%s: the same to the bit (needs ${compiler})`,
    async (name) => {
      const robot = await own(name);
      const { dynamics, n, r } = robot;
      const { q, qd, tau } = stateOf(name, robot);
      const [, rates, lambda] = step(robot, q, qd, tau);
      const qdd = rates.map((x, i) => (x - qd[i]!) / h);
      const [dq, dqd, dtau] = [values(2 * n, 4), values(2 * n, 5), values(2 * n, 6)];
      const id = robot.robot.name.replace(/-/g, '_');
      const list = (x: Vector): string => `{ ${x.map((e) => e.toPrecision(17)).join(', ')} }`;
      const main = `#include <stdio.h>
#include "${id}.h"
static ${id}_workspace w;
${Object.entries({ q, qd, qdd, lambda, dq, dqd, dtau })
  .map(([key, x]) => `static const kg_real ${key}[] = ${list(x)};`)
  .join('\n')}
static kg_real dqdd[${2 * n}], dlambda[${2 * r}];
static void show(const kg_real *x, int count) { for (int i = 0; i < count; i++) printf("%.17g ", (double)x[i]); }
int main(void)
{
  ${id}_parameters p = ${id}_defaults;
  ${'time' in dynamics.parameters ? 'p.time = KG_REAL(0.3);' : ''}
  int status = (int)${id}_update(&w, &p, q, qd);
  status += (int)${id}_constrained_implicit_step_tangent(&w, 2, ${h}, qdd, lambda, dq, dqd, dtau, dqdd, dlambda);
  show(dqdd, ${2 * n}); show(dlambda, ${2 * r});
  status += (int)${id}_constrained_implicit_step_tangent(&w, 1, ${h}, qdd, lambda, NULL, dqd, NULL, dqdd, dlambda);
  show(dqdd, ${n}); show(dlambda, ${r});
  printf("%d", status);
  return 0;
}
`;
      const files = [...(await generateC(robot.robot, robot.compiled)), { path: 'main.c', text: main }];
      const program = await buildC(files, { compiler, flags: UNOPTIMISED }, (path) => path.endsWith('_selftest.c'));
      const words = (await runProgram(program).finally(() => program.dispose())).trim().split(/\s+/).map(Number);
      expect(words.pop()).toBe(0);
      const [both, ofRows, single, ofSingle] = [zeros(2 * n), zeros(2 * r), zeros(n), zeros(r)];
      dynamics.update(q, qd);
      dynamics.constrainedImplicitStepTangent(2, h, qdd, lambda, dq, dqd, dtau, both, ofRows);
      dynamics.constrainedImplicitStepTangent(1, h, qdd, lambda, null, dqd.slice(0, n), null, single, ofSingle);
      expect(words).toEqual([...both, ...ofRows, ...single, ...ofSingle]);
    },
  );
});

describe('implicit steps that close loops', () => {
  it.each([
    ['z', true],
    ['{ revolute: z, prescribed: "0.3*sin(2*t)" }', false],
  ])('have derivatives where no link follows the time: joint %s', async (joint, due) => {
    const robot = loadRobotText(
      `kanegen: 1
name: closed
links:
  - { name: a, joint: { revolute: y }, rigid: { mass: 1, distal: { xyz: [0, 0, 0.2] } } }
  - { name: b, joint: ${joint.startsWith('{') ? joint : `{ revolute: ${joint} }`}, rigid: { mass: 1, distal: { xyz: [0.1, 0, 0.2] } } }
loops: { row: { point-on-plane: { a: base, b: b, axis: x } } }
`,
      'closed.yaml',
    );
    const model = robotModel(robot, compileRobot(robot, { derivatives: true }));
    for (const name of ['constrainedImplicitStepTangent', 'constrainedImplicitStepAdjoint'] as const)
      expect(possibleFunctions(model).includes(name)).toBe(due);
    expect(possibleFunctions(model)).toContain('constrainedForwardDynamicsTangent');
  });
});
