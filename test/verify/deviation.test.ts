import { describe, expect, it } from 'vitest';
import { deviations } from '../../src/verify/generated/deviation.ts';
import type { Evaluation } from '../../src/verify/generated/evaluation.ts';

const state = { q: [0, 0], qd: [1, 2], qdd: [3, -1] };
const exact: Evaluation = {
  M: [
    [4, 1],
    [1, 9],
  ],
  c: [0.5, -0.5],
  g: [10, 0],
  tau: [21.5, -6.5],
  elastic: [0, 0],
  damping: [0, 0],
  tau_active: [21.5, -6.5],
  stiffness: [
    [0, 0],
    [0, 0],
  ],
  dissipation: [
    [0, 0],
    [0, 0],
  ],
  kinetic_energy: 22,
  potential_energy: 0.5,
  elastic_energy: 3,
  tip_position: [0, 0, 1],
  tip_rotation: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
};

const errorOf = (changed: Partial<Evaluation>, quantity: string) =>
  deviations({ ...exact, ...changed }, exact, state, 2, 100).find((d) => d.quantity === quantity)!;

describe('deviations', () => {
  it('are zero for equal results', () => {
    for (const d of deviations(exact, exact, state, 2, 100)) expect(d.error).toBe(0);
  });

  it('measure forces of a coordinate against the terms that make up its row', () => {
    // Row 1: |1·3| + |9·(−1)| + |c| + |g| = 12.5
    const { error, entry } = errorOf({ tau: [21.5, -6.5 + 1e-3] }, 'tau');
    expect(error).toBeCloseTo(1e-3 / 12.5, 12);
    expect(entry).toBe('tau[1]');
  });

  it('measure what accelerations miss by passive forces as well, whose difference to active ones they come from', () => {
    const rows = { inertia: [0, 0], forces: [0, 1].map(() => ({ tau: 100, c: 10, g: 1000 })) };
    const [stiff, moved] = [{ ...exact, elastic: [0, 400], damping: [0, -100] }, [3, -1 + 1e-3]];
    const found = deviations({ ...stiff, qdd: moved }, { ...stiff, qdd: [3, -1] }, state, 2, 100, rows);
    // 9e-3 in row 1 of M, of 100 + 400 + 100; 1e-3 in row 0, of 100.
    const { error, entry } = found.find((d) => d.quantity === 'qdd')!;
    expect(entry).toBe('M qdd[1]');
    expect(error).toBeCloseTo(9e-3 / 600, 12);
  });

  it('measure forces by the scales that are given, each by its own', () => {
    const rows = { inertia: [0, 0], forces: [0, 1].map(() => ({ tau: 100, c: 10, g: 1000 })) };
    const moved = { ...exact, tau: [21.5, -6], c: [0.5, 0], g: [10, 0.5] };
    const found = deviations(moved, exact, state, 2, 100, rows).filter((d) => d.error > 0);
    expect(found.map(({ quantity, error }) => [quantity, error])).toEqual([
      ['tau', 0.5 / 100],
      ['c', 0.5 / 10],
      ['g', 0.5 / 1000],
    ]);
  });

  it('measure accelerations by the forces that their difference takes, where there are any', () => {
    // Row 0: 4·1e-3 of |4·3| + |1·(−1)| + |c| + |g| = 23.5; row 1: 1·1e-3 of 12.5.
    const { error, entry } = errorOf({ qdd: [3 - 1e-3, -1] }, 'qdd');
    expect(error).toBeCloseTo(4e-3 / 23.5, 12);
    expect(entry).toBe('M qdd[0]');
    expect(deviations(exact, exact, state, 2, 100).some((d) => d.quantity === 'qdd')).toBe(false);
    const both = { ...exact, qdd: [3.1, -1] };
    expect(deviations(both, both, state, 2, 100).find((d) => d.quantity === 'qdd')!.error).toBe(0);
  });

  it('measure accelerations beside a row that nothing moves', () => {
    const unmoved = { ...exact, qdd: [3, -1], J: [[0, 0]], rank: 0, bias: [0], multipliers: [0] };
    expect(deviations(unmoved, unmoved, state, 2, 100).filter(({ error }) => error !== 0)).toEqual([]);
    const off = { ...unmoved, qdd: [3 - 1e-3, -1] };
    expect(deviations(off, unmoved, state, 2, 100).find((d) => d.quantity === 'qdd')!.error).toBeGreaterThan(1e-4);
  });

  it('measure forces of actuators that cancel against a hundredth of the largest', () => {
    const driven = { ...exact, B: [[2], [0]], actuation: [6, 0] };
    const off = { ...driven, actuation: [6, 1e-15] };
    const found = deviations(off, driven, { ...state, u: [3] }, 2, 100).find((d) => d.error > 0)!;
    expect([found.entry, found.error]).toEqual(['actuation[1]', 1e-15 / 0.06]);
  });

  it('measure forces of actuators against those of straight pieces and wrenches that cancel in them', () => {
    const driven = { ...exact, B: [[2], [0]], actuation: [6, 0] };
    const actuation = { rates: [0], accelerations: [0], gradients: [5] };
    const off = { ...driven, actuation: [6, 1e-15] };
    const rows = { inertia: [0, 0], forces: [], actuation };
    const found = deviations(off, driven, { ...state, u: [3] }, 2, 100, rows).find((d) => d.quantity === 'actuation')!;
    expect([found.entry, found.error]).toEqual(['actuation[1]', 1e-15 / 15]);
  });

  it('measure elastic and viscous forces against the largest of their kind, or what is given at least', () => {
    const [expected, found] = [
      { ...exact, elastic: [0, 4], damping: [1e-9, 0] },
      { ...exact, elastic: [2e-3, 4], damping: [1e-9, 1e-6] },
    ];
    const passive = { elastic: 1, damping: 0.5 };
    const rows = { inertia: [0, 0], forces: [0, 1].map(() => ({ tau: 100, c: 10, g: 1000 })), passive };
    const errors = deviations(found, expected, state, 2, 100, rows).filter((d) => d.error > 0);
    expect(errors.map(({ entry, error }) => [entry, error])).toEqual([
      ['elastic[0]', 2e-3 / 4],
      ['damping[1]', 1e-6 / 0.5],
    ]);
  });

  it('measure active forces by what passive ones are compared on at least, which cancel in them', () => {
    const rows = {
      inertia: [0, 0],
      forces: [0, 1].map(() => ({ tau: 100, c: 10, g: 1000 })),
      passive: { elastic: 30, damping: 20 },
      fluid: 10,
    };
    // 1e-3 of the 12.5 of row 1, the elastic 2 there, and 30 + 20 + 10.
    const [expected, missed] = [-4.5, -4.5 + 1e-3].map((x) => ({ ...exact, elastic: [0, 2], tau_active: [21.5, x] }));
    const found = deviations(missed!, expected!, state, 2, 100, rows).filter((d) => d.error > 0);
    expect(found).toEqual([
      { quantity: 'tau', entry: 'tau_active[1]', error: expect.closeTo(1e-3 / 74.5, 12) as number },
    ]);
  });

  it('measure rates and gradients of actuators against their terms, or what is given at least', () => {
    const B = [
      [1e-6, 3],
      [0, 1],
    ];
    const [expected, found] = [
      { ...exact, yd: [1e-6, 5], B },
      { ...exact, yd: [1e-6 + 1e-7, 5 + 1e-3], B: [[2e-6, 3], B[1]!] },
    ];
    const forces = [0, 1].map(() => ({ tau: 100, c: 10, g: 1000 }));
    const entryOf = (rates: number[], gradients: number[]) =>
      deviations(found, expected, state, 2, 100, {
        inertia: [0, 0],
        forces,
        actuation: { rates, accelerations: [0, 0], gradients },
      }).find(({ quantity }) => quantity === 'actuation')!;
    // ẏ: 1e-7 of 1e-6·1 and 1e-3 of 3·1 + 1·2; B: 1e-6 of 1e-6.
    expect(entryOf([0, 0], [0, 0])).toMatchObject({ entry: 'B[0][0]', error: 1 });
    expect(entryOf([0, 0], [1, 0]).entry).toBe('yd[0]');
    expect(entryOf([0, 0], [1, 0]).error).toBeCloseTo(0.1, 9);
    expect(entryOf([0.5, 0], [1, 0]).entry).toBe('yd[1]');
    expect(entryOf([0.5, 0], [1, 0]).error).toBeCloseTo(1e-3 / 5, 12);
  });

  it('measure second derivatives of actuation coordinates where the size of their terms is known', () => {
    const [expected, found] = [
      { ...exact, ydd0: [1e-6, 5] },
      { ...exact, ydd0: [1e-6 + 1e-3, 5 + 1e-2] },
    ];
    const forces = [0, 1].map(() => ({ tau: 100, c: 10, g: 1000 }));
    const worst = (accelerations: number[]) =>
      deviations(found, expected, state, 2, 100, {
        inertia: [0, 0],
        forces,
        actuation: { rates: [0, 0], accelerations, gradients: [0, 0] },
      }).find(({ quantity }) => quantity === 'actuation');
    expect(worst([0, 0])).toBeUndefined();
    expect(worst([4, 1])).toMatchObject({ entry: 'ydd0[1]' });
    expect(worst([4, 1])!.error).toBeCloseTo(1e-2 / 5, 12);
    expect(worst([0.1, 100])).toMatchObject({ entry: 'ydd0[0]' });
    expect(worst([0.1, 100])!.error).toBeCloseTo(1e-2, 12);
  });

  it('measure M_ab against √(M_aa M_bb)', () => {
    const M = [
      [4, 1 + 6e-6],
      [1, 9],
    ];
    expect(errorOf({ M }, 'M')).toMatchObject({ entry: 'M[0][1]' });
    expect(errorOf({ M }, 'M').error).toBeCloseTo(1e-6, 12);
  });

  it('measure the tip against the length of the robot and a small potential energy against its weight', () => {
    expect(errorOf({ tip_position: [2e-6, 0, 1] }, 'tip').error).toBeCloseTo(1e-6, 14);
    expect(errorOf({ potential_energy: 0.5 + 1e-4 }, 'energies').error).toBeCloseTo(1e-6, 14);
    expect(errorOf({ elastic_energy: 3 + 1e-4 }, 'stored').error).toBeCloseTo(1e-6, 14);
  });

  it('subtract decimals of more digits before rounding', () => {
    const expected = { ...exact, g: ['10.00000000000000000001', '0'] };
    const [, , g] = deviations(exact, expected, state, 2, 100);
    expect(g!.quantity).toBe('g');
    expect(g!.error).toBeCloseTo(1e-20 / 23.5, 26);
    expect(g!.error).toBeGreaterThan(0);
  });

  it('are infinite for what is not a number', () => {
    expect(errorOf({ c: [NaN, -0.5] }, 'c').error).toBe(Infinity);
    expect(errorOf({ c: [0.5, Infinity] }, 'c').error).toBe(Infinity);
  });

  it('measure columns of the Jacobian of the tip that nearly vanish against a thousandth of the largest', () => {
    const jacobian = (second: number): number[][] => [[0.5, second], ...Array.from({ length: 5 }, () => [0, 0])];
    const errorAt = (due: number, found: number): number =>
      deviations(
        { ...exact, tip_jacobian: jacobian(found) },
        { ...exact, tip_jacobian: jacobian(due) },
        state,
        2,
        100,
      ).find((d) => d.quantity === 'tip')!.error;
    expect(errorAt(0, 1e-9)).toBeCloseTo(1e-9 / 5e-4, 12);
    expect(errorAt(0.1, 0.1 + 1e-6)).toBeCloseTo(1e-5, 12);
  });
});
