/** The shell around laws, on robots in motion: limits, faults, encoders, integrals, and C beside TypeScript. */
import { beforeAll, describe, expect, it } from 'vitest';
import { loadRobotObject } from '../../../src/description/load.ts';
import type { LoadedController, RunningShell } from '../../../src/codegen/typescript/load.ts';
import { KG_NON_FINITE, KG_NO_STATE, KG_OK, KG_OUT_OF_RANGE } from '../../../src/runtime/driver.ts';
import {
  SHELL_BLEND,
  SHELL_FAULT,
  SHELL_HOLD,
  SHELL_LAW,
  SHELL_MEASUREMENT,
  SHELL_OFF,
  SHELL_PERIOD,
  SHELL_POSITION,
  SHELL_RUN,
  SHELL_SETTING,
  shareOf,
} from '../../../src/runtime/shell.ts';
import { interfaceOf } from '../../../src/codegen/interface/robot-interface.ts';
import { robotInterface } from '../../../src/codegen/interface/schema.ts';
import { robotModel } from '../../../src/codegen/modules/robot-model.ts';
import { COMPILERS, QUICK } from '../../compilers.ts';
import { prepare, type Prepared } from './controllers-at-work.ts';
import { buildC, runProgram } from '../../../src/codegen/c/build-c.ts';

const PERIOD = 0.001;
/** The index of the frame at the end of the arm. */
const FORE = 1;
const shell = { period: '1 ms', blend: '1 s', rate: ['400 N m/s', '200 N m/s'] };
const robot = loadRobotObject({
  kanegen: 1,
  name: 'shelled',
  links: [
    {
      name: 'upper',
      joint: { revolute: 'y', limits: ['-3 rad', '3 rad'], damping: '0.2 N m s/rad' },
      rigid: { mass: '3 kg', com: [0, 0, 0.2], inertia: { yy: 0.05 }, distal: { xyz: [0, 0, 0.4] } },
    },
    {
      name: 'fore',
      joint: { revolute: 'y', limits: ['-3 rad', '3 rad'], damping: '0.1 N m s/rad' },
      rigid: { mass: '2 kg', com: [0, 0, 0.15], inertia: { yy: 0.02 }, distal: { xyz: [0, 0, 0.3] } },
    },
  ],
  actuators: {
    m1: { motor: 'upper.angle', limits: ['-60 N m', '60 N m'] },
    m2: { motor: 'fore.angle', limits: ['-25 N m', '25 N m'] },
  },
  controllers: {
    track: {
      'computed-torque': { kp: '225 1/s^2', kd: '30 1/s' },
      shell: { ...shell, observe: '20 1/s', fault: { 'gravity-and-damping': '2 N m s/rad' } },
    },
    count: {
      'computed-torque': { kp: '225 1/s^2', kd: '30 1/s' },
      shell: { ...shell, velocity: { 'tracking-loop': '120 1/s' } },
    },
    differ: {
      pd: { kp: 60, kd: 6 },
      shell: { ...shell, velocity: { 'filtered-difference': '5 ms' }, jerk: '20 rad/s^3' },
    },
    sum: { pd: { kp: 60, kd: 6, ki: 40, period: '1 ms' }, shell: { ...shell, fault: { hold: 20 }, tolerate: 0 } },
    lift: { 'partial-feedback-linearisation': { kp: 100, kd: 20 }, shell },
  },
});

type Law = 'track' | 'count' | 'differ' | 'sum' | 'lift';
type Motion = (t: number) => readonly [y: number[], yd: number[], ydd: number[]];
interface Step {
  readonly t: number;
  readonly q: readonly number[];
  readonly u: readonly number[];
  readonly mode: number;
  readonly status: number;
}

const still =
  (...y: number[]): Motion =>
  () => [y, [0, 0], [0, 0]];

describe('a shell', () => {
  let prepared: Prepared;
  beforeAll(async () => {
    prepared = await prepare(robot);
  });
  const controllerOf = (name: Law): LoadedController => prepared.dynamics.controllers.get(`shelled_${name}`)!;

  /** A motion of the robot under the inputs of a shell, in steps of half a period. */
  function move(
    name: Law,
    from: readonly number[],
    duration: number,
    reference: Motion,
    options: {
      readonly wanted?: (t: number) => number;
      readonly measure?: (t: number, q: readonly number[]) => readonly number[];
      readonly dt?: (t: number) => number;
      readonly change?: (t: number, shell: RunningShell) => void;
      readonly rates?: readonly number[];
      /** Wrench on the end of the arm, world axes. */
      readonly load?: readonly number[];
    } = {},
  ): { readonly steps: readonly Step[]; readonly shell: RunningShell } {
    const own = controllerOf(name).shell!;
    const running = own.create();
    const { dynamics } = prepared;
    const plant = dynamics.twin();
    const [q, qd, qdd, u] = [
      Float64Array.from(from),
      Float64Array.from(options.rates ?? [0, 0]),
      new Float64Array(2),
      new Float64Array(2),
    ];
    const steps: Step[] = [];
    for (let k = 0; k < Math.round(duration / PERIOD); k++) {
      const t = k * PERIOD;
      const wanted = options.wanted?.(t) ?? SHELL_RUN;
      options.change?.(t, running);
      const seen = options.measure?.(t, [...q]) ?? q;
      const status = own.step(dynamics, running, wanted, options.dt?.(t) ?? PERIOD, seen, qd, ...reference(t), u);
      steps.push({ t, q: [...q], u: [...u], mode: running.core.mode, status });
      for (let part = 0; part < 2; part++) {
        plant.update(q, qd);
        const tau = new Float64Array(2);
        plant.actuate(u, tau);
        if (options.load) plant.external(FORE, options.load, tau);
        expect(plant.forwardDynamics(tau, qdd)).toBe(KG_OK);
        for (let i = 0; i < 2; i++) {
          qd[i]! += (PERIOD / 2) * qdd[i]!;
          q[i]! += (PERIOD / 2) * qd[i]!;
        }
      }
    }
    return { steps, shell: running };
  }

  /** Largest change of an input in a period. */
  const largestChange = (steps: readonly Step[], i: number): number =>
    Math.max(...steps.map(({ u }, k) => Math.abs(u[i]! - (steps[k - 1]?.u[i] ?? 0))));

  const LIMITS = [60, 25];
  const SLOPES = [400, 200];

  it.each(['track', 'count', 'differ', 'sum', 'lift'] as const)(
    'leads %s from 1 rad off without leaving its limits',
    (name) => {
      const { steps, shell: running } = move(name, [0.3, 0.2], 3, still(1.3, -0.8));
      for (const [i, limit] of LIMITS.entries()) {
        expect(Math.max(...steps.map(({ u }) => Math.abs(u[i]!)))).toBeLessThanOrEqual(limit);
        expect(largestChange(steps, i)).toBeLessThanOrEqual(SLOPES[i]! * PERIOD * (1 + 1e-9));
      }
      const last = steps.at(-1)!;
      expect(Math.abs(last.q[0]! - 1.3)).toBeLessThan(0.02);
      expect(Math.abs(last.q[1]! + 0.8)).toBeLessThan(0.02);
      expect(running.core.faults).toBe(0);
      expect(new Set(steps.map(({ mode }) => mode))).toEqual(new Set([SHELL_BLEND, SHELL_RUN]));
      // The law alone asks for all that its limits allow in its first step.
      if (name === 'track') {
        const own = controllerOf(name);
        const u = new Float64Array(2);
        own.step(
          prepared.dynamics,
          own.createState(),
          own.createParameters(),
          [0.3, 0.2],
          [0, 0],
          [1.3, -0.8],
          [0, 0],
          [0, 0],
          u,
        );
        expect(u[0]).toBe(60);
      }
    },
  );

  it('keeps the third derivative of its way within what is set, and takes longer for it', () => {
    const { steps, shell: running } = move('differ', [0.3, 0.2], 2.5, still(1.3, -0.8));
    expect(running.core.elapsed).toBeCloseTo((60 / 20) ** (1 / 3), 2);
    expect(steps.findIndex(({ mode }) => mode === SHELL_RUN)).toBe(Math.ceil(1000 * (60 / 20) ** (1 / 3)));
    // Of the reference that the law was given, by third differences.
    const own = controllerOf('differ').shell!;
    const again = own.create();
    const followed = Array.from({ length: 2500 }, () => {
      own.step(
        prepared.dynamics,
        again,
        SHELL_RUN,
        PERIOD,
        [0.3, 0.2],
        [0, 0],
        [1.3, -0.8],
        [0, 0],
        [0, 0],
        new Float64Array(2),
      );
      return [again.y[0]!, again.y[1]!];
    });
    for (const i of [0, 1]) {
      const jerks = followed.slice(3).map((y, k) => {
        const [a, b, c] = [k, k + 1, k + 2].map((at) => followed[at]![i]!) as [number, number, number];
        return Math.abs(y[i]! - 3 * c + 3 * b - a) / PERIOD ** 3;
      });
      expect(Math.max(...jerks)).toBeLessThan(20.5);
      expect(Math.max(...jerks)).toBeGreaterThan(18);
    }
  });

  const lost = (t: number, q: readonly number[]): readonly number[] => (t >= 2 && t < 3 ? [q[0]!, NaN] : q);

  it.each([
    ['count', 'zero'],
    ['sum', 'as it was for 20 steps, then zero'],
    ['track', 'what carries the robot and brakes it'],
  ] as const)(
    'has safe inputs within five periods after an encoder is lost: %s, %s',
    (...[name]: readonly [Law, string]) => {
      const motion: Motion = (t) => [
        [0.8, 0.3 * Math.sin(2 * t)],
        [0, 0.6 * Math.cos(2 * t)],
        [0, -1.2 * Math.sin(2 * t)],
      ];
      const { steps, shell: running } = move(name, [0.8, 0], 3.5, motion, { measure: lost });
      expect(running.core).toMatchObject({ mode: SHELL_FAULT, reason: SHELL_MEASUREMENT, faults: 1 });
      const first = steps.findIndex(({ mode }) => mode === SHELL_FAULT);
      expect(steps[first]!.t).toBeGreaterThanOrEqual(2 - 1e-9);
      expect(steps[first]!.t).toBeLessThan(2 + 5 * PERIOD);
      expect(steps[first]!.status).toBe(KG_NON_FINITE);
      // Nothing of it is undone when the encoder is back.
      const after = steps.slice(first);
      expect(after.every(({ mode }) => mode === SHELL_FAULT)).toBe(true);
      const before = steps[1999]!;
      if (name === 'count') expect(after.every(({ u }) => u.every((value) => value === 0))).toBe(true);
      if (name === 'sum') {
        expect(after.slice(0, 20).every(({ u }) => u[0] === before.u[0] && u[1] === before.u[1])).toBe(true);
        expect(after.slice(20).every(({ u }) => u.every((value) => value === 0))).toBe(true);
      }
      if (name === 'track') {
        // Weight is carried, where zero lets the robot fall.
        const fallen = move('count', [0.8, 0], 3.2, motion, { measure: lost }).steps;
        const way = (own: readonly Step[]): number => Math.abs(own[3000]!.q[0]! - own[1999]!.q[0]!);
        expect(way(steps)).toBeLessThan(0.25 * way(fallen));
        for (const i of [0, 1]) expect(largestChange(steps, i)).toBeLessThanOrEqual(SLOPES[i]! * PERIOD * (1 + 1e-9));
      }
    },
  );

  it('bridges what it tolerates, and no more', () => {
    const gap = (count: number) => (t: number, q: readonly number[]) =>
      t > 1.9995 && t < 1.9995 + count * PERIOD ? [NaN, q[1]!] : q;
    const bridged = move('count', [0.8, 0], 2.5, still(0.8, 0), { measure: gap(2) });
    expect(bridged.shell.core).toMatchObject({ mode: SHELL_RUN, faults: 0 });
    expect(bridged.steps[2001]!.u).toEqual(bridged.steps[1999]!.u);
    expect(move('count', [0.8, 0], 2.5, still(0.8, 0), { measure: gap(3) }).shell.core.mode).toBe(SHELL_FAULT);
  });

  it('has little chatter behind encoders of 12 bits, and little error', () => {
    const count = (2 * Math.PI) / 4096;
    const seen = (_: number, q: readonly number[]): number[] => q.map((x) => count * Math.round(x / count));
    const motion: Motion = (t) => [
      [0.6 + 0.4 * Math.sin(t), 0.5 * Math.sin(1.5 * t)],
      [0.4 * Math.cos(t), 0.75 * Math.cos(1.5 * t)],
      [-0.4 * Math.sin(t), -1.125 * Math.sin(1.5 * t)],
    ];
    const run = (measure?: typeof seen) => move('count', [0.6, 0], 4, motion, measure && { measure }).steps.slice(2000);
    const [coarse, exact] = [run(seen), run()];
    for (const [i, limit] of LIMITS.entries()) {
      const chatter = Math.max(...coarse.map(({ u }, k) => Math.abs(u[i]! - exact[k]!.u[i]!)));
      expect(chatter).toBeLessThan(0.02 * limit);
      expect(Math.max(...coarse.map(({ t, q }) => Math.abs(q[i]! - motion(t)[0][i]!)))).toBeLessThan(5e-3);
    }
  });

  it('leaves integrals of other joints alone where one is at its limit, or as fast as it may be', () => {
    // The same motion with limits that the second joint never reaches, and with limits that it is held at.
    const own = controllerOf('sum').shell!;
    const [free, held] = [own.create(), own.create()];
    held.lower[1] = -0.5;
    held.upper[1] = 0.5;
    const u = [new Float64Array(2), new Float64Array(2)] as const;
    for (let k = 0; k < 400; k++) {
      const q = [0.3 + 0.01 * Math.sin(0.02 * k), 0.2];
      [free, held].forEach((each, i) =>
        own.step(prepared.dynamics, each, SHELL_RUN, PERIOD, q, [0, 0], [0.31, 0.9], [0, 0], [0, 0], u[i]!),
      );
      expect(u[1][0]).toBe(u[0][0]);
    }
    expect(u[1][1]).toBe(0.5);
    expect(held.law['integral']![0]).toBe(free.law['integral']![0]);
    expect(Math.abs(free.law['integral']![0]!)).toBeGreaterThan(1e-4);
    expect(Math.abs(held.law['integral']![1]!)).toBeLessThan(Math.abs(free.law['integral']![1]!));
  });

  it('holds a robot in motion: it stops smoothly, and goes on from there', () => {
    const motion: Motion = (t) => [
      [0.8 * t, 0],
      [0.8, 0],
      [0, 0],
    ];
    const wanted = (t: number): number => (t < 1 ? SHELL_RUN : t < 3 ? SHELL_HOLD : SHELL_RUN);
    const { steps } = move('track', [0, 0], 4.5, (t) => (t < 3 ? motion(t) : still(0.5, 0)(t)), {
      wanted,
      rates: [0.8, 0],
    });
    expect(steps[2900]!.mode).toBe(SHELL_HOLD);
    // From 0.8 rad at 0.8 rad/s, half of the way that it would go in the time of the blend.
    expect(steps[2900]!.q[0]).toBeCloseTo(0.8 + 0.4, 2);
    expect(Math.abs(steps[2990]!.q[0]! - steps[2900]!.q[0]!)).toBeLessThan(1e-4);
    expect(steps.at(-1)!.q[0]).toBeCloseTo(0.5, 2);
    const speeds = steps.slice(1).map(({ q }, k) => (q[0]! - steps[k]!.q[0]!) / PERIOD);
    expect(Math.max(...speeds.slice(1).map((v, k) => Math.abs(v - speeds[k]!)))).toBeLessThan(0.02);
  });

  it('observes forces from outside: a load of 5 kg, and none where there is none', () => {
    const weight = [0, 0, 0, 0, 0, -9.81];
    const direction = new Float64Array(2);
    const find = (load?: readonly number[]): { mass: number; external: Float64Array } => {
      const { shell: running, steps } = move('track', [0.8, 0.3], 1.2, still(0.9, 0.2), load ? { load } : {});
      direction.fill(0);
      prepared.dynamics.update(steps.at(-1)!.q, [0, 0]);
      prepared.dynamics.external(FORE, weight, direction);
      const { external } = running as RunningShell & { readonly external: Float64Array };
      return { mass: shareOf(2, direction, external), external };
    };
    const loaded = find(weight.map((w) => 5 * w));
    expect(Math.abs(loaded.mass - 5)).toBeLessThan(0.03 * 5);
    // Of the whole force, by each joint.
    loaded.external.forEach((force, i) =>
      expect(Math.abs(force - 5 * direction[i]!)).toBeLessThan(0.03 * 5 * Math.hypot(...direction)),
    );
    expect(Math.abs(find().mass)).toBeLessThan(0.05);
  });

  it.each([0, -PERIOD, 10 * PERIOD, NaN])('is at fault where %f s have passed', (dt) => {
    const { shell: running, steps } = move('track', [0.2, 0], 0.3, still(0.2, 0), {
      dt: (t) => (Math.round(t / PERIOD) === 200 ? dt : PERIOD),
    });
    expect(running.core).toMatchObject({ mode: SHELL_FAULT, reason: SHELL_PERIOD });
    expect(steps[200]!.status).toBe(KG_OUT_OF_RANGE);
    expect(steps.every(({ u }) => u.every(Number.isFinite))).toBe(true);
  });

  it('is at fault beyond the limits of coordinates, and can be enabled again after it was off', () => {
    const wanted = (t: number): number => (t > 1 && t < 1.01 ? SHELL_OFF : SHELL_RUN);
    const { shell: running, steps } = move('track', [0.2, 0], 1.5, still(0.2, 0), {
      wanted,
      measure: (t, q) => (Math.round(t / PERIOD) === 500 ? [3.2, q[1]!] : q),
    });
    expect(steps[499]!.mode).toBe(SHELL_BLEND);
    expect(steps[500]!.mode).toBe(SHELL_FAULT);
    expect(running.core).toMatchObject({ reason: SHELL_POSITION, faults: 1 });
    expect(steps[1005]!.u).toEqual([0, 0]);
    expect(steps.at(-1)!.mode).toBe(SHELL_BLEND);
  });

  it.each([
    ['a lower limit above the upper one', SHELL_SETTING, (own: RunningShell) => void (own.lower[1] = 30)],
    ['a period of nothing', SHELL_SETTING, (own: RunningShell) => void (own.period = 0)],
    ['a negative gain', SHELL_LAW, (own: RunningShell) => void ((own.gains['kp'] as Float64Array)[0] = -1)],
    ['a rate of inputs that is none', SHELL_SETTING, (own: RunningShell) => void (own.slope[0] = NaN)],
  ])('says so of %s and leaves u alone, and is at fault where it stays', (_, reason, change) => {
    const { steps, shell: running } = move('count', [0.3, 0], 0.6, still(0.4, 0), {
      change: (t, own) => {
        if (Math.round(t / PERIOD) === 400) change(own);
      },
    });
    for (const k of [400, 401]) {
      expect(steps[k]!.status).toBe(KG_OUT_OF_RANGE);
      expect(steps[k]!.u).toEqual(steps[399]!.u);
    }
    expect(running.core).toMatchObject({ mode: SHELL_FAULT, reason });
  });

  it('stands in the interface with its settings', () => {
    const found = robotInterface.parse(interfaceOf(robotModel(robot, prepared.compiled))).controllers;
    expect(found.map(({ name }) => name)).toEqual(['track', 'track-safe', 'count', 'differ', 'sum', 'lift']);
    expect(found[2]!.shell).toMatchObject({ symbol: 'shelled_count_shell', rates: 'tracking-loop' });
    expect(found[2]!.shell!.settings.find(({ name }) => name === 'bandwidth')).toMatchObject({
      size: 1,
      default: [120],
    });
    expect(found[2]!.shell!.operations).toBeGreaterThan(found[2]!.operations);
  });

  it('has zeros for a shell that was never reset', () => {
    const own = controllerOf('track').shell!;
    const running = own.create();
    (running.core as { begun: number }).begun = 7;
    const u = new Float64Array([1, 1]);
    expect(own.step(prepared.dynamics, running, SHELL_RUN, PERIOD, [0, 0], [0, 0], [0, 0], [0, 0], [0, 0], u)).toBe(
      KG_NO_STATE,
    );
    expect([...u]).toEqual([0, 0]);
  });

  it.skipIf(COMPILERS.every(({ missing }) => missing))(
    'has the bits of TypeScript in C, through enabling, a fault, and enabling again',
    async () => {
      const names: readonly Law[] = ['track', 'count', 'differ', 'sum', 'lift'];
      const [text, steps] = [programOf(names), 240];
      const program = await buildC([...prepared.c, { path: 'main.c', text }], QUICK, (path) =>
        path.endsWith('_selftest.c'),
      );
      const lines = (await runProgram(program)).trim().split('\n');
      await program.dispose();
      expect(lines).toHaveLength(names.length * steps);
      names.forEach((name, at) => {
        const own = controllerOf(name).shell!;
        const running = own.create();
        const u = new Float64Array(2);
        for (let k = 0; k < steps; k++) {
          const { wanted, q, qd, y } = probe(k);
          const status = own.step(prepared.dynamics, running, wanted, PERIOD, q, qd, y, [0.125, 0], [0, 0], u);
          const [inC, mode, faults, ...inputs] = lines[at * steps + k]!.split(' ').map(Number);
          expect([inC, mode, faults]).toEqual([status, running.core.mode, running.core.faults]);
          // The duration of `differ` alone takes functions of libraries.
          if (name === 'differ') inputs.forEach((value, i) => expect(Math.abs(value - u[i]!)).toBeLessThan(1e-12));
          else expect(inputs).toEqual([...u]);
        }
      });
    },
  );
});

/** What the k-th step is given, by numbers that both languages have exactly. */
function probe(k: number) {
  const wanted = k >= 150 && k < 155 ? SHELL_OFF : k < 60 ? SHELL_HOLD : SHELL_RUN;
  const q = [0.25 + k / 1024, k >= 100 && k < 120 ? NaN : 0.5 - k / 512];
  return { wanted, q, qd: [0.125, -0.25], y: [0.75, 0.25] };
}

function programOf(names: readonly Law[]): string {
  return `${names.map((name) => `#include "shelled_${name}_shell.h"`).join('\n')}
#include <stdio.h>
int main(void)
{
  static shelled_workspace w;
  const kg_real yd[2] = {0.125, 0}, ydd[2] = {0, 0}, qd[2] = {0.125, -0.25}, y[2] = {0.75, 0.25};
  kg_real u[2];
  int k;
${names
  .map(
    (name) => `  {
    static shelled_${name}_shell shell;
    shelled_${name}_shell_reset(&shell);
    for (k = 0; k < 240; k++) {
      const int wanted = k >= 150 && k < 155 ? KG_SHELL_OFF : k < 60 ? KG_SHELL_HOLD : KG_SHELL_RUN;
      const kg_real q[2] = {0.25 + k / 1024.0, k >= 100 && k < 120 ? (kg_real)NAN : 0.5 - k / 512.0};
      const kg_status status = shelled_${name}_shell_step(&w, &shelled_defaults, &shell, wanted, 0.001, q, qd, y, yd, ydd, u);
      printf("%d %d %d %.17g %.17g\\n", (int)status, shell.core.mode, shell.core.faults, u[0], u[1]);
    }
  }`,
  )
  .join('\n')}
  return 0;
}
`;
}
