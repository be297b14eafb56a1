/**
 * Sections in balance: derivatives of the equation against differentiated expressions, and derivatives of the dynamics along directions, which
 * take the place of those of the Newton steps, against difference quotients; energies and tendons by laws that hold at any number of points.
 */
import { readFileSync } from 'node:fs';
import { Decimal } from 'decimal.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { loadRobotObject, loadRobotText } from '../../src/description/load.ts';
import type { RodVolume } from '../../src/description/model/reference-volume.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { SectionBalance, type TendonAtSection } from '../../src/kane/sections/section-balance.ts';
import { factorise, solve, solveTransposed } from '../../src/kane/sections/section-factor.ts';
import { SectionFormulas } from '../../src/kane/sections/section-formulas.ts';
import { balanceAt } from '../../src/kane/sections/solved-strain.ts';
import { defaultParameters } from '../../src/kane/kinematics/sample-configurations.ts';
import { twistEntries } from '../../src/kane/rod-points/rod-twist.ts';
import { sectionMatrices } from '../../src/kane/rods/section-stiffness.ts';
import { KG_OK, KG_UNDEFINED, type Derivatives, type Dynamics } from '../../src/runtime/driver.ts';
import { referenceRobot } from '../../src/verify/reference/reference-robot.ts';
import { sectionSolution } from '../../src/verify/written/section-solution.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import { differentiateAll, directionalDerivative } from '../../src/symbolic/graph/differentiate.ts';
import { decimal, one, plus, power, square, symbol, times, zero, type Expr } from '../../src/symbolic/graph/expr.ts';

const xi = Array.from({ length: 6 }, (_, c) => symbol(`xi${c}`));
const q = [symbol('q0'), symbol('q1')];

function tendon(coordinate: number, [x, y, dx, dy]: readonly number[]): TendonAtSection {
  const [X, Y] = [decimal(x!), decimal(y!)];
  const squares = [square(X), times(X, Y), square(Y), plus(square(X), square(Y))] as const;
  return {
    coordinate,
    tension: q[coordinate]!,
    passes: one,
    place: [X, Y],
    slope: [decimal(dx!), decimal(dy!)],
    squares,
  };
}

const STIFFNESS = [2, 3, 1.5, 40, 50, 120];
const FREE = [0, 1, 2, 4, 5];
const free = FREE.map((c) => xi[c]!);
/** Some that are the gradient of nothing. */
const formulas = new SectionFormulas({
  values: [
    plus(times(decimal(3), xi[0]!), times(xi[1]!, xi[5]!, q[0]!)),
    plus(square(xi[0]!), times(decimal(4), xi[1]!)),
    times(xi[2]!, q[1]!, q[0]!),
    plus(xi[1]!, times(decimal(2), xi[4]!, q[0]!)),
    plus(times(xi[4]!, xi[0]!), power(xi[5]!, 3)),
  ],
  unknowns: free,
  components: FREE,
  q,
  isGradient: false,
});
const PARTS = {
  tendons: [tendon(0, [0.3, -0.2, 0.1, 0.4]), tendon(1, [-0.1, 0.5, 0, -0.3])],
  free: FREE,
  stiffness: Array.from({ length: 36 }, (_, k) => (k % 7 === 0 ? decimal(STIFFNESS[k / 7]!) : zero)),
  rest: [0.1, 0, -0.2, 0.05, 0, 1.02].map(decimal),
  stress: [times(q[0]!, square(q[1]!)), ...Array.from({ length: 5 }, (): Expr => zero)],
  q,
  isAlone: false,
};
const numbers = new Map<Expr, number>([
  ...xi.map((s, c) => [s, [0.7, -0.4, 0.9, 0.05, 0.03, 1.1][c]!] as const),
  [q[0]!, 0.8],
  [q[1]!, 1.7],
]);
const values = (list: readonly Expr[]): number[] => evaluate(list, numbers);
const rate = [0.3, -0.6, 0.2, 0, 0.7, -0.4];

function expectClose(found: readonly number[], due: readonly number[], relative: number): void {
  const scale = Math.max(...due.map(Math.abs));
  expect(scale).toBeGreaterThan(0);
  found.forEach((value, i) => expect(Math.abs(value - due[i]!), `entry ${i}`).toBeLessThanOrEqual(relative * scale));
}

describe.each([
  ['tendons and stress', new SectionBalance(PARTS)],
  ['formulas beside them', new SectionBalance({ ...PARTS, formulas })],
  [
    'formulas alone',
    new SectionBalance({ ...PARTS, tendons: [], stress: xi.map(() => zero), formulas, isAlone: true }),
  ],
])('the balance of a section with %s', (_, balance) => {
  const strain = balance.whole(free);
  const state = balance.at(strain);
  const residual = balance.residual(state);
  const jacobian = balance.jacobian(state);
  const due = free.map((s) => differentiateAll(residual, s));

  it('has the Jacobian of its residual, which its factor divides, and the transposed one', () => {
    const entry = (i: number, k: number): Expr => (balance.isSymmetric && k > i ? jacobian[k]![i]! : jacobian[i]![k]!);
    const full = free.map((__, k) => free.map((___, i) => entry(i, k)));
    expectClose(values(full.flat()), values(due.flat()), 1e-13);
    const factor = factorise(jacobian, balance.isSymmetric);
    const right = free.map((__, i) => decimal(i + 1));
    expectClose(values(balance.product(jacobian, solve(factor, right))), [1, 2, 3, 4, 5], 1e-12);
    const turned = solveTransposed(factor, right);
    const product = free.map((__, k) => plus(...turned.map((e, i) => times(entry(i, k), e))));
    expectClose(values(product), [1, 2, 3, 4, 5], 1e-12);
  });

  it('changes with coordinates, and a second time along a motion', () => {
    q.forEach((own, a) =>
      expectClose(values(balance.byCoordinate(a, state)), values(differentiateAll(residual, own)), 1e-14),
    );
    const along = new Map<Expr, Expr>([
      ...xi.map((s, c) => [s, decimal(rate[c]!)] as const),
      [q[0]!, decimal(0.3)],
      [q[1]!, decimal(-0.9)],
    ]);
    const twice = directionalDerivative(directionalDerivative(residual, along), along);
    const found = balance.secondRate(state, rate.map(decimal), [decimal(0.3), decimal(-0.9)]);
    expectClose(values(found), values(twice), 1e-13);
  });

  it('has the second derivatives of a weighted sum', () => {
    const weights = [0.7, -0.3, 1.1, 0, 0.4, -0.8];
    const sum = plus(...residual.map((e, i) => times(decimal(weights[FREE[i]!]!), e)));
    const { bySection, mixed, byCoordinates } = balance.second(state, weights.map(decimal));
    const of = (a: Expr, b: Expr): number => values(differentiateAll(differentiateAll([sum], a), b))[0]!;
    const found = FREE.flatMap((r) => FREE.map((c) => bySection[r]![c]!));
    expectClose(
      values(found),
      FREE.flatMap((r) => FREE.map((c) => of(xi[r]!, xi[c]!))),
      1e-12,
    );
    q.forEach((own, a) =>
      expectClose(
        [...values(FREE.map((c) => mixed[a]![c]!)), ...values([byCoordinates(a, 1)])],
        [...FREE.map((c) => of(own, xi[c]!)), of(own, q[1]!)],
        1e-12,
      ),
    );
  });
});

interface SectionState {
  readonly name: string;
  readonly q: readonly number[];
  readonly qd: readonly number[];
  readonly qdd: readonly number[];
  /** Stations × 6, and stations × 6 × n. */
  readonly strain: readonly (readonly string[])[];
  readonly strain_rate: readonly (readonly string[])[];
  readonly strain_acceleration: readonly (readonly string[])[];
  readonly strain_gradient: readonly (readonly (readonly string[])[])[];
}

describe('sections of reference files', () => {
  const read = (file: string): { parameters: { stations: number[] }; states: SectionState[] } =>
    JSON.parse(readFileSync(`test/reference/equilibria/${file}.json`, 'utf8')) as ReturnType<typeof read>;

  it.each(['R1_rod3', 'R1_arm10_p'])('have strain, gradient, rate and acceleration of %s to 1e-13', (file) => {
    const { parameters, states } = read(file);
    const source = referenceRobot(parameters, 'section');
    if ('unsupported' in source) throw new Error(source.unsupported);
    const [link] = loadRobotObject(source.robot).links;
    if (link!.body.kind !== 'deformable') throw new Error('a rod');
    const { type } = link!.body;
    if (type.kinematics.kind !== 'strain') throw new Error('a rod');
    const { equilibrium, rest } = type.kinematics;
    const { axial } = type.volumes[0] as RodVolume;
    const { stiffness } = sectionMatrices(type, type.materials!);
    const coordinates = type.coordinates.map((c) => c.symbol);
    const speeds = coordinates.map((c) => symbol(`rate of ${c.name}`));
    const rod = { equilibrium: equilibrium!, axial, rest, stiffness, steps: 0 };
    const section = balanceAt(rod, { q: coordinates }, axial, (_, e) => e);
    const at = section.at(xi);
    const factor = section.factor(at);
    const steps = solve(factor, section.residual(at));
    const gradient = coordinates.map((_, a) => solve(factor, section.byCoordinate(a, at)));
    const motion = xi.map((_, c) => symbol(`rate${c}`));
    const coasting = solve(factor, section.secondRate(at, motion, speeds));
    const known = new Map<Expr, number>(defaultParameters(type));
    const minus = (list: readonly Expr[]): number[] => evaluate(list, known).map((e) => -e);
    for (const state of states) {
      coordinates.forEach((c, a) => known.set(c, state.q[a]!).set(speeds[a]!, state.qd[a]!));
      const found = parameters.stations.map((s) => {
        known.set(axial, s);
        let strain = evaluate(twistEntries(rest), known);
        for (let k = 0; k < 8; k++) {
          strain.forEach((e, c) => known.set(xi[c]!, e));
          const change = minus(steps);
          strain = strain.map((e, c) => e + change[c]!);
        }
        const columns = gradient.map(minus);
        const along = (factors: readonly number[]): number[] =>
          xi.map((_, c) => columns.reduce((sum, own, a) => sum + own[c]! * factors[a]!, 0));
        const rates = along(state.qd);
        rates.forEach((e, c) => known.set(motion[c]!, e));
        const driven = along(state.qdd);
        const acceleration = minus(coasting).map((e, c) => e + driven[c]!);
        return { strain, rates, acceleration, gradient: xi.map((_, c) => columns.map((own) => own[c]!)) };
      });
      // Curvatures, then shears and stretch.
      for (const part of [
        [0, 1, 2],
        [3, 4, 5],
      ]) {
        const compare = (own: readonly number[][], due: readonly (readonly string[])[]): void =>
          expectClose(
            own.flatMap((entries) => part.map((c) => entries[c]!)),
            due.flatMap((entries) => part.map((c) => Number(entries[c]!))),
            1e-13,
          );
        compare(
          found.map((own) => own.strain),
          state.strain,
        );
        compare(
          found.map((own) => own.rates),
          state.strain_rate,
        );
        compare(
          found.map((own) => own.acceleration),
          state.strain_acceleration,
        );
        expectClose(
          found.flatMap((own) => part.flatMap((c) => own.gradient[c]!)),
          state.strain_gradient.flatMap((own) => part.flatMap((c) => own[c]!.map(Number))),
          1e-13,
        );
      }
    }
  });
});

describe('sections beside 50 digits', () => {
  const robot = (equilibrium: string, limits = '[-1 N, 3 N]'): string => `kanegen: 1
name: digits
body-types:
  arm:
    parameters: { L: 0.3 m, r: 7 mm, R: 10 mm, M: 4 mN m }
    coordinates: { T: { count: 2, unit: N, limits: ${limits} }, m: { limits: [-1, 1] } }
    volume: { rod: { s: [0, L] }, section: { disc: R*(1 - s/L/5), cartesian: [x, y] }, density: 1000 }
    rest: { bend-y: 1, shear-x: 0.02 }
    strain: { equilibrium: ${equilibrium} }
    material: { rod-elasticity: { E: 0.5 MPa, nu: 0.5 } }
links: [ { name: arm, body: arm } ]
`;
  const tendons =
    'tendons: { T1: { route: { x: r*cos(5*s/L), y: r*sin(5*s/L) } }, T2: { route: { x: -r/2, y: r/3 } } }';
  const stress = 'stress: { bend-x: M*m*(1 + m/3)*s/L }';

  it.each([
    ['tendons and stress', robot(`{ ${tendons}, ${stress} }`), [1.4, 0.6, 0.5]],
    [
      'tendons that push, with held strains',
      robot(`{ ${tendons}, ${stress}, hold: [shear-x, twist] }`),
      [-0.4, -0.2, 0.5],
    ],
    ['a potential', robot(`{ ${tendons}, ${stress}, potential: M*L*bend_x^2*(m + bend_y*L)/20 }`), [1.4, 0.6, 0.5]],
    ['slack tendons', robot(`{ ${tendons}, ${stress} }`), [0, 0, 0]],
  ])('have the gradient, the rate and the acceleration of their solution: %s', (_, source, state) => {
    const { body } = loadRobotText(source, 'digits.yaml').links[0]!;
    if (body.kind !== 'deformable' || body.type.kinematics.kind !== 'strain') throw new Error('a rod');
    const { type } = body;
    const { equilibrium, rest } = body.type.kinematics;
    const { axial } = type.volumes[0] as RodVolume;
    const { stiffness } = sectionMatrices(type, type.materials!);
    const coordinates = type.coordinates.map((c) => c.symbol);
    const [place, qd, qdd] = [0.11, [3, -2, 1.5], [-20, 7, 4]];
    const Wide = Decimal.clone({ precision: 60 });
    const written = sectionSolution(type)!;
    // By the time along a motion of constant acceleration, or along one coordinate.
    const solvedAt = (q_: readonly Decimal[]): Decimal[] => {
      const known = [...defaultParameters(type)].map(([s, e]) => [s, new Wide(e)] as const);
      const bindings = new Map<Expr, Decimal>([
        ...known,
        [axial, new Wide(place)],
        ...q_.map((e, a) => [coordinates[a]!, e] as const),
      ]);
      return [...written.at(bindings, Wide).values()];
    };
    const h = new Wide('1e-14');
    const moved = (t: Decimal): Decimal[] =>
      solvedAt(state.map((e, a) => new Wide(e).plus(t.times(qd[a]!)).plus(t.times(t).times(qdd[a]!).div(2))));
    const [before, at, after] = [moved(h.neg()), moved(new Wide(0)), moved(h)];
    const along = (a: number, t: Decimal): Decimal[] =>
      solvedAt(state.map((e, b) => (a === b ? t.plus(e) : new Wide(e))));
    const halved = (x: readonly Decimal[], y: readonly Decimal[]): number[] =>
      x.map((e, i) => e.minus(y[i]!).div(h.times(2)).toNumber());
    const due = {
      gradient: coordinates.map((__, a) => halved(along(a, h), along(a, h.neg()))),
      rate: halved(after, before),
      acceleration: at.map((e, i) => after[i]!.plus(before[i]!).minus(e.times(2)).div(h.times(h)).toNumber()),
    };
    // The same by the balance, at the strain as a double.
    const unknowns = equilibrium!.unknowns;
    const rod = { equilibrium: equilibrium!, axial, rest, stiffness, steps: 0 };
    const section = balanceAt(rod, { q: coordinates }, axial, (__, e) => e);
    const here = section.at(section.whole(unknowns.map((own) => own.symbol)));
    const factor = section.factor(here);
    const speeds = coordinates.map((c) => symbol(`rate of ${c.name}`));
    const motion = xi.map((__, c) => symbol(`rate${c}`));
    const numbersOf = new Map<Expr, number>([
      ...defaultParameters(type),
      [axial, place],
      ...unknowns.map((own, i) => [own.symbol, at[i]!.toNumber()] as const),
      ...coordinates.flatMap((c, a) => [[c, state[a]!] as const, [speeds[a]!, qd[a]!] as const]),
    ]);
    const minus = (list: readonly Expr[]): number[] => evaluate(list, numbersOf).map((e) => -e);
    const gradient = coordinates.map((__, a) => minus(solve(factor, section.byCoordinate(a, here))));
    const combined = (factors: readonly number[]): number[] =>
      unknowns.map((__, i) => gradient.reduce((sum, own, a) => sum + own[i]! * factors[a]!, 0));
    const rates = combined(qd);
    motion.forEach((s, c) => numbersOf.set(s, rates[unknowns.findIndex((own) => own.component === c)] ?? 0));
    const driven = combined(qdd);
    const acceleration = minus(solve(factor, section.secondRate(here, motion, speeds))).map((e, i) => e + driven[i]!);
    // Curvatures, then shears and stretch.
    for (const isPart of [(c: number) => c < 3, (c: number) => c >= 3]) {
      const part = (list: readonly number[]): number[] => list.filter((__, i) => isPart(unknowns[i]!.component));
      expectClose(gradient.flatMap(part), due.gradient.flatMap(part), 1e-13);
      expectClose(part(rates), part(due.rate), 1e-13);
      expectClose(part(acceleration), part(due.acceleration), 1e-13);
    }
  });
});

/** Few points, so that code is small: laws hold whatever their number. */
const ROBOT = `kanegen: 1
name: balanced
gravity: [1, -2, 9]
body-types:
  arm:
    parameters: { L: 0.3 m, r: 7 mm, M: 4 mN m }
    coordinates: { T: { unit: N, limits: [-1 N, 3 N] }, m: { limits: [-1, 1] } }
    volume: { rod: { s: [0, L] }, section: { disc: 10 mm }, density: 1000 }
    rest: { bend-y: 1 }
    strain: { equilibrium: { tendons: { T: { route: { x: r*cos(5*s/L), y: r*sin(5*s/L) } } }, stress: { bend-x: M*m*(1 + m/3)*s/L }, hold: [shear-x, shear-y] } }
    material: { rod-elasticity: { E: 0.5 MPa, nu: 0.5 }, viscosity: 300 }
    integration: { points: 3, magnus: 4 }
links: [ { name: arm, body: arm } ]
actuators: { pull: { drives: arm.T } }
`;

describe('a rod in equilibrium', () => {
  let dynamics: Dynamics & Derivatives;
  const state = { q: [1.4, 0.5], qd: [3, -1.3], qdd: [-20, 8] };
  const directions = [
    [0.7, 0.25],
    [-2, 1],
    [9, 5],
  ] as const;

  beforeAll(async () => {
    const robot = loadRobotText(ROBOT, 'balanced.yaml');
    const compiled = compileRobot(robot, { derivatives: true });
    dynamics = (await loadGenerated(await generateTypeScript(robot, compiled)))() as Dynamics & Derivatives;
  }, 120_000);

  /** Forces, passive ones included, at the state plus a share of the directions. */
  function forces(share: number): number[] {
    const at = (which: 0 | 1 | 2, values_: readonly number[]): number[] =>
      values_.map((x, a) => x + share * directions[which][a]!);
    const tau = new Float64Array(2);
    expect(dynamics.update(at(0, state.q), at(1, state.qd))).toBe(KG_OK);
    expect(dynamics.activeInverseDynamics(at(2, state.qdd), tau)).toBe(KG_OK);
    return [...tau];
  }

  it('has the tangent of its forces, to all digits of difference quotients, and the transpose', () => {
    const step = 1e-3;
    const sides = [-2, -1, 1, 2].map((k) => forces(k * step));
    const due = [0, 1].map(
      (a) => (sides[0]![a]! - 8 * sides[1]![a]! + 8 * sides[2]![a]! - sides[3]![a]!) / (12 * step),
    );
    dynamics.update(state.q, state.qd);
    const found = new Float64Array(2);
    const [dq, dqd, dqdd] = directions.map((own) => [...own]) as [number[], number[], number[]];
    expect(dynamics.inverseDynamicsTangent(1, state.qdd, dq, dqd, dqdd, found)).toBe(KG_OK);
    expectClose([...found], due, 1e-9);
    const weights = [0.3, 2];
    const by = [0, 1, 2].map(() => new Float64Array(2)) as [Float64Array, Float64Array, Float64Array];
    expect(dynamics.inverseDynamicsAdjoint!(1, state.qdd, weights, ...by)).toBe(KG_OK);
    const sum = by.reduce((total, own, k) => total + own[0]! * directions[k]![0] + own[1]! * directions[k]![1], 0);
    expectClose([sum], [weights[0]! * found[0]! + weights[1]! * found[1]!], 1e-12);
  });

  it('keeps the digits of strains that are small', () => {
    const [elastic, matrix] = [new Float64Array(2), new Float64Array(4)];
    const tiny = [1e-9, 2e-9];
    expect(dynamics.update(tiny, [0, 0])).toBe(KG_OK);
    expect(dynamics.terms(null, null, elastic, null)).toBe(KG_OK);
    expect(dynamics.stiffness(matrix)).toBe(KG_OK);
    const linear = [0, 1].map((a) => matrix[2 * a]! * tiny[0]! + matrix[2 * a + 1]! * tiny[1]!);
    // What is not linear is smaller by as much as the tensions.
    expectClose([...elastic], linear, 1e-8);
  });

  it('is held by actuators with the tensions of its shape', () => {
    const [elastic, tau] = [new Float64Array(2), new Float64Array(2)];
    for (const [tension, held] of [
      [1.4, true],
      [-0.7, true],
      [1.3, false],
    ] as const) {
      expect(dynamics.update([held ? tension : 1.4, 0], [0, 0])).toBe(KG_OK);
      expect(dynamics.terms(null, null, elastic, null)).toBe(KG_OK);
      tau.fill(0);
      expect(dynamics.actuate([tension], tau)).toBe(KG_OK);
      const left = Math.max(...elastic.map((e, a) => Math.abs(e - tau[a]!))) / Math.max(...elastic.map(Math.abs));
      if (held) expect(left).toBeLessThan(1e-14);
      else expect(left).toBeGreaterThan(1e-2);
    }
  });

  it('has results at the ends of its limits, and says that it has none where the steps do not suffice', () => {
    const tau = new Float64Array(2);
    const statusAt = (q_: readonly number[]): number => {
      dynamics.update(q_, state.qd);
      return dynamics.inverseDynamics(state.qdd, tau);
    };
    for (const q_ of [
      [3, 1],
      [-1, -1],
      [0, 0],
      [3, -1],
    ])
      expect(statusAt(q_)).toBe(KG_OK);
    for (const q_ of [
      [400, 1],
      [4000, 1],
    ])
      expect(statusAt(q_), `${q_[0]} N`).toBe(KG_UNDEFINED);
  });
});
