/**
 * Independent volumes of chambers: against exact quadrature of the same maps in 256-bit arithmetic, and as the check that
 * generated code with wrong volumes does not pass.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { KanegenError } from '../../src/common/error.ts';
import { loadRobotObject } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { evaluateRobot, type Evaluation, type State } from '../../src/verify/generated/evaluation.ts';
import { chamberMotion } from '../../src/verify/independent/chamber-volumes.ts';
import { ACTUATION, checkActuation } from '../../src/verify/laws/actuation-check.ts';
import { Ledger, type Check } from '../../src/verify/laws/ledger.ts';

/** Of a region and what a wall encloses, of a rod given by its strain, by its poses and by position. */
const chambers = {
  half: { s: ['L/4', 'L'], r: ['R/4', 'R/2'], phi: [0, 'pi'] },
  narrow: { wall: { r: 'R*(1 - s/(2*L))' }, s: ['L/10', 'L'] },
};

const parameters = { L: 0.1, R: 0.02 };
const volume = { rod: { s: [0, 'L'] }, section: { disc: 'R', cartesian: ['x', 'y'] }, density: 1000 };

const arm = {
  kanegen: 1,
  name: 'arm',
  'body-types': {
    strained: { extends: 'planar-cc-elongation', chambers },
    twisted: {
      parameters,
      volume,
      coordinates: { w: { unit: 'rad', limits: [-1, 1] }, e: { limits: [-0.3, 0.3] } },
      pose: { xyz: ['w*s^2/L', 0, 's*(1 + e)'], rpy: ['w*s/L', 0, 0] },
      chambers,
      integration: { tolerance: 1e-6 },
    },
    mapped: {
      parameters,
      volume,
      coordinates: { u: { limits: [-0.3, 0.3] }, v: { limits: [-0.3, 0.3] } },
      position: ['x*(1 + u*s/L)', 'y*(1 + v*x/R) + v*s', 's + u*s^2/L + v*x*s/L'],
      distal: 'none',
      chambers: {
        ...chambers,
        moving: { s: [0, 'L/2'], x: ['-R/3', 'R/3 + R*u/8'], y: ['-R/4', 'R/4 + s/8 + R*u*v/4'] },
        corner: {
          mesh: {
            nodes: [
              [0, 0, 0],
              [0.01, 0, 0],
              [0, 0.01, 0],
              [0, 0, 0.05],
            ],
            tetrahedra: [[0, 1, 2, 3]],
          },
        },
      },
    },
  },
  links: [
    { name: 'strained', body: 'strained' },
    { name: 'twisted', body: 'twisted' },
    { name: 'mapped', joint: { revolute: 'x' }, body: 'mapped' },
  ],
  actuators: {
    s1: { pressure: 'strained.half' },
    s2: { pressure: 'strained.narrow' },
    t1: { pressure: 'twisted.half' },
    t2: { pressure: 'twisted.narrow' },
    m1: { pressure: 'mapped.half' },
    m2: { pressure: 'mapped.narrow' },
    m3: { pressure: 'mapped.corner' },
    m4: { pressure: 'mapped.moving' },
  },
};

// strained: q1 (rad), q2 (m); twisted; the joint; mapped
const states: (State & { readonly name: string })[] = [
  { name: 'one', q: [0.6, 0.02, 0.7, 0.1, 0.5, 0.2, -0.1], qd: [0.7, -0.1, 0.4, 0.3, 1, -0.6, 0.9], qdd: [] },
  { name: 'straight', q: [0, 0, 0, 0, 0, 0, 0], qd: [-0.3, 0.2, 0.5, 0.4, 1, 0.8, 0.3], qdd: [] },
].map((state) => ({ ...state, qdd: state.q.map(() => 0) }));

describe('independent volumes of chambers', () => {
  let robot: Robot;
  let results: readonly Evaluation[];

  beforeAll(async () => {
    robot = loadRobotObject(arm);
    results = await evaluateRobot(robot, compileRobot(robot), states, { target: 'ts', precision: 'double' });
  }, 60_000);

  const check = (
    found: readonly Evaluation[],
    inTime: Parameters<typeof checkActuation>[4] = (work) => work(),
    checked: Robot = robot,
  ): Check[] => {
    const ledger = new Ledger();
    checkActuation(ledger, checked, states.slice(0, found.length), found, inTime);
    return ledger.checks();
  };
  /** At the first state, of one chamber alone, whose results are `changed`. */
  const withChange = (j: number, changed: (result: Evaluation) => Evaluation): Record<string, string> => {
    const [{ y, yd, ydd0, B, ...rest }] = results as [Evaluation, ...Evaluation[]];
    const only = { ...rest, y: [y![j]!], yd: [yd![j]!], ydd0: [ydd0![j]!], B: B!.map((row) => [row[j]!]) };
    return outcomes(check([changed(only)], (work) => work(), { ...robot, actuators: [robot.actuators[j]!] }));
  };
  const outcomes = (checks: readonly Check[]): Record<string, string> =>
    Object.fromEntries(checks.map(({ name, outcome }) => [name, outcome]));

  it('are those of generated code', () => {
    const found = check(results);
    for (const name of [ACTUATION.coordinates, ACTUATION.rates, ACTUATION.gradients])
      expect(found.find((own) => own.name === name)).toMatchObject({ outcome: 'passed' });
  });

  const ALL = [ACTUATION.coordinates, ACTUATION.rates, ACTUATION.gradients];
  const off = ([x]: readonly number[]): number[] => [1.001 * x!];

  it.each([0, 1, 2, 3, 4, 5, 6, 7])('show a wrong volume, rate or gradient of chamber %i', (j) => {
    const found = withChange(j, ({ y, yd, B, ...rest }) => ({
      ...rest,
      y: off(y!),
      yd: off(yd!),
      B: B!.map((row) => off(row)),
    }));
    for (const name of ALL) expect(found[name]).toBe('failed');
  });

  it('show wrong second derivatives', () => {
    const found = withChange(4, ({ ydd0, ...rest }) => ({ ...rest, ydd0: off(ydd0!) }));
    expect(ALL.map((name) => found[name])).toEqual(['passed', 'failed', 'passed']);
  });

  it('say what could not be computed in time', () => {
    const late = check(results, () => new KanegenError('too-slow', 'an hour'));
    for (const own of late)
      expect(own).toMatchObject({ outcome: 'unchecked', where: expect.stringContaining('an hour') as string });
  });
});

interface PressureState extends State {
  readonly volume: readonly string[];
  readonly volume_gradient: readonly (readonly string[])[];
  readonly volume_rate: readonly string[];
}

describe('volumes of formulas as they were written', () => {
  it.each([
    [
      'P_planar_cce',
      {
        extends: 'planar-cc-elongation',
        parameters: { wall: '4 mm' },
        chambers: { inner: { r: [0, 'R - wall'], phi: ['-pi/2', 'pi/2'] } },
      },
      1e-11,
    ],
    [
      'P_hollow_cavity',
      {
        parameters: { L: 0.08, Ri: 0.015, Ro: 0.022 },
        coordinates: { q1: {}, q2: {}, q3: {}, q4: {}, q5: {} },
        volume: { rod: { z: [0, 'L'] }, section: { annulus: ['Ri', 'Ro'], cartesian: ['x', 'y'] }, density: 1062 },
        let: { t: 'z/L', f: '3*t^2 - 2*t^3', a: 'Ri^2*(q1*f + q2*4*t*(1 - t))' },
        compose: [
          { map: ['x*sqrt(1 + a/(x^2 + y^2))', 'y*sqrt(1 + a/(x^2 + y^2))', 'z'] },
          { elongation: { axis: 'z', displacement: 'q3*L*(3*(z/L)^2 - 2*(z/L)^3)' } },
          { bending: { axis: 'z', direction: 'x', curvature: 'q4/L' } },
          { bending: { axis: 'z', direction: 'y', curvature: 'q5/L' } },
        ],
        distal: 'none',
        chambers: { cavity: { wall: { r: 'Ri' } } },
      },
      1e-7,
    ],
  ])('are those of exact quadrature: %s', (file, body, bar) => {
    const text = readFileSync(new URL(`../reference/forces/${file}.json`, import.meta.url), 'utf8');
    const { parameters: given, states: all } = JSON.parse(text) as {
      readonly parameters: { readonly links: readonly [Record<string, number>] };
      readonly states: readonly PressureState[];
    };
    const { L, R, rho } = given.links[0];
    const own = 'extends' in body ? { ...body, parameters: { ...body.parameters, L, R, rho } } : body;
    const robot = loadRobotObject({
      kanegen: 1,
      name: 'one',
      'body-types': { own },
      links: [{ name: 'a', body: 'own' }],
    });
    const { body: used } = robot.links[0]!;
    if (used.kind !== 'deformable') throw new Error('a deformable body expected');
    const [state] = all as [PressureState];
    const motion = chamberMotion(robot, { kind: 'chamber', link: 0, chamber: used.type.chambers![0]! }, state, 1e-8);
    if (typeof motion === 'string') throw new Error(motion);
    const exact = state.volume_gradient[0]!.map(Number);
    const scale = Math.max(...exact.map(Math.abs));
    expect(Math.abs(motion.value / Number(state.volume[0]) - 1)).toBeLessThan(bar);
    expect(Math.abs(motion.rate - Number(state.volume_rate[0])) / scale).toBeLessThan(bar);
    exact.forEach((slope, a) => expect(Math.abs(motion.partials[a]! - slope) / scale).toBeLessThan(bar));
  });

  it('split chambers where formulas have kinks across the coordinates of the chamber', () => {
    const robot = loadRobotObject({
      kanegen: 1,
      name: 'creased',
      'body-types': {
        own: {
          parameters,
          volume,
          coordinates: { u: {} },
          position: ['x*(1 + u*abs(x)/R)', 'y', 's + u*s^2/L'],
          distal: 'none',
          chambers: { half: { r: [0, 'R/2'], phi: [0, 'pi'] } },
        },
      },
      links: [{ name: 'a', body: 'own' }],
    });
    const { body } = robot.links[0]!;
    if (body.kind !== 'deformable') throw new Error('a deformable body expected');
    const state = { q: [0.2], qd: [0.7], qdd: [0] };
    const motion = chamberMotion(robot, { kind: 'chamber', link: 0, chamber: body.type.chambers![0]! }, state, 1e-9);
    if (typeof motion === 'string') throw new Error(motion);
    // ∫ (1 + 2 u |x|/R)(1 + 2 u s/L) dX: |x| is 4/(3 π) R/2 and s is L/2 in the mean.
    const [rest, a] = [(Math.PI * 0.02 ** 2 * 0.1) / 8, 4 / (3 * Math.PI)];
    expect(motion.value / (rest * (1 + 0.2 * a) * 1.2)).toBeCloseTo(1, 9);
    expect(motion.partials[0]! / (rest * (a + 1 + 0.4 * a))).toBeCloseTo(1, 8);
    expect(motion.acceleration / (rest * 2 * a * 0.49)).toBeCloseTo(1, 8);
  });
});
