/** Formulas over columns of double-double numbers, marches and lengths along rods that are made of them, against decimals and by hand. */
import type { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { loadRobotText } from '../../src/description/load.ts';
import type { RodVolume } from '../../src/description/model/reference-volume.ts';
import { decimalOfPrecision, evaluateDecimal, exactDecimal } from '../../src/symbolic/evaluation/evaluate.ts';
import {
  call,
  compare,
  decimal,
  divide,
  integer,
  logic,
  minus,
  pi,
  plus,
  power,
  select,
  stumpff,
  symbol,
  times,
  type Expr,
} from '../../src/symbolic/graph/expr.ts';
import { ratio } from '../../src/symbolic/graph/rational.ts';
import { columnOf, constantColumn, newColumn, type Column } from '../../src/verify/arithmetic/columns.ts';
import { exponentialPose } from '../../src/verify/arithmetic/decimal-pose.ts';
import { evaluateColumns } from '../../src/verify/arithmetic/evaluate-columns.ts';
import { expectedActuation } from '../../src/verify/independent/actuation.ts';
import { sectionSolution } from '../../src/verify/written/section-solution.ts';
import { march, planMarch } from '../../src/verify/written/strain-march.ts';

const Wide = decimalOfPrecision(45);

describe('formulas over columns', () => {
  const [x, y, a] = [symbol('columns.x'), symbol('columns.y'), symbol('columns.a')];
  const raised = (e: Expr, numerator: bigint, denominator = 1n): Expr => power(e, ratio(numerator, denominator));
  const isBelow = compare('<', x, times(a, y));
  const formulas: Expr[] = [
    plus(x, y),
    plus(times(decimal(0.1), x), minus(a, y), divide(integer(1), integer(3))),
    times(raised(x, 2n), raised(y, -3n), raised(a, 5n)),
    times(integer(-1), raised(plus(raised(x, 2n), a), -1n, 2n), y),
    raised(plus(integer(2), x), 2n, 3n),
    plus(call('sin', times(a, x)), call('cos', y), call('tan', a), call('exp', x)),
    times(call('log', y), call('atan2', x, y), call('atan2', a, y), call('asin', times(decimal(0.3), x))),
    plus(call('acos', times(decimal(0.3), x)), call('atan', y), call('sinh', x), call('cosh', y), call('tanh', x)),
    call('pow', y, plus(x, a)),
    plus(call('abs', x), call('sign', minus(x, a))),
    plus(stumpff(0, times(x, x)), stumpff(3, y), stumpff(2, a)),
    select(isBelow, raised(x, 3n), call('sin', y)),
    select(logic('and', isBelow, logic('not', compare('<=', y, a))), a, x),
    select(logic('or', compare('==', x, y), compare('<', a, integer(0))), x, times(x, a)),
    select(compare('<', a, integer(0)), x, y),
    times(pi, a),
    a,
    integer(7),
    x,
  ];

  /** @param rows more than are evaluated together. */
  const check = (own: readonly Expr[], xs: readonly number[], ys: readonly number[], value: number): void => {
    const bindings = new Map<Expr, Column>([
      [x, columnOf(xs)],
      [y, columnOf(ys)],
      [a, constantColumn(value, value * 1e-17)],
    ]);
    const found = evaluateColumns(own, bindings, xs.length);
    const exact = (high: number, low: number): Decimal => exactDecimal(high, Wide).plus(exactDecimal(low, Wide));
    for (const row of [0, 511, 512, xs.length - 1]) {
      const numbers = new Map<Expr, Decimal>([
        [x, exact(xs[row]!, 0)],
        [y, exact(ys[row]!, 0)],
        [a, exact(value, value * 1e-17)],
      ]);
      evaluateDecimal(own, numbers, Wide).forEach((due, k) => {
        const error = exact(found[k]!.high[row]!, found[k]!.low[row]!).minus(due).abs().toNumber();
        expect(error, `formula ${k}, row ${row}`).toBeLessThan(1e-27 * (1 + Math.abs(due.toNumber())));
      });
    }
  };
  const rows = Array.from({ length: 700 }, (_, i) => i);

  it('have the values of decimals in every row, with other numbers as well', () => {
    for (const value of [0.7, 1.3])
      check(
        formulas,
        rows.map((i) => Math.sin(i + value)),
        rows.map((i) => 1.5 + Math.cos(2 * i)),
        value,
      );
  });

  it('have them where values of a column are repeated, and where all are', () => {
    const repeated = rows.map((i) => 0.1 + (i % 7) / 10);
    check(
      formulas,
      repeated,
      rows.map((i) => 1.5 + Math.cos(2 * i)),
      0.9,
    );
    check(
      formulas,
      repeated,
      rows.map((i) => 0.4 + Math.floor(i / 100) / 10),
      0.9,
    );
  });

  it('name a symbol that has no value', () => {
    expect(() => evaluateColumns([plus(x, y)], new Map([[x, constantColumn(1)]]), 1)).toThrow('no value for columns.y');
  });
});

describe('marches along rods', () => {
  it('have thirty digits of the pose behind a constant strain', () => {
    const strain = [0.3, -0.8, 0.5, 0.1, -0.05, 1.1];
    const poses = march(planMarch(columnOf([0.31]), [0, 1]), (places) =>
      strain.map((e) => ({ ...newColumn(places.high.length), high: places.high.map(() => e) })),
    );
    const at = poses.high.length - 12;
    const [rotation, shift] = [strain.slice(0, 3), strain.slice(3)].map((v) => v.map((e) => exactDecimal(e, Wide)));
    const due = exponentialPose(rotation!, shift!, Wide);
    const order = [0, 1, 2, 4, 5, 6, 8, 9, 10, 3, 7, 11];
    order.forEach((entry, i) => {
      const found = exactDecimal(poses.high[at + i]!, Wide).plus(exactDecimal(poses.low[at + i]!, Wide));
      expect(found.minus(due[entry]!).abs().toNumber()).toBeLessThan(1e-30);
    });
  });
});

describe('sections in balance', () => {
  it('have the digits of decimals, with other parameters at the same places, too', () => {
    const robot = loadRobotText(
      `kanegen: 1
name: pulled
body-types:
  bar:
    parameters: { L: 0.4 m, R: 20 mm, M: 3 mm }
    coordinates: { T: { unit: N, limits: [-1 N, 3 N] } }
    volume: { rod: { s: [0, L] }, section: { disc: R, cartesian: [x, y] }, density: 1000 }
    strain: { equilibrium: { tendons: { T: { route: { x: R/2*(1 - s/L), y: R/3 } } }, stress: { bend-x: M*T*sin(3*s/L) } } }
    material: { rod-elasticity: { E: 1 MPa, nu: 0.5 } }
links: [{ name: bar, body: bar }]
`,
      'pulled.robot.yaml',
    );
    const { body } = robot.links[0]!;
    if (body.kind !== 'deformable') throw new Error('a rod');
    const { type } = body;
    const solution = sectionSolution(type)!;
    const places = columnOf([0.05, 0.21, 0.39]);
    const { axial } = type.volumes[0] as RodVolume;
    for (const [length, moment, tension] of [
      [0.4, 0.003, 1.5],
      [0.4, 0.003, -0.5],
      [0.5, 0.004, -0.5],
    ] as const) {
      const given = new Map<Expr, number>([
        ...type.parameters.map((p, i) => [p.symbol, [length, 0.02, moment][i]!] as const),
        [type.coordinates[0]!.symbol, tension],
      ]);
      const found = solution.along(new Map([...given].map(([s, value]) => [s, constantColumn(value)])), places);
      places.high.forEach((place, row) => {
        const exact = new Map([...given, [axial, place] as const].map(([s, value]) => [s, exactDecimal(value, Wide)]));
        for (const [unknown, due] of solution.at(exact, Wide)) {
          const { high, low } = found.get(unknown)!;
          const error = exactDecimal(high[row]!, Wide).plus(exactDecimal(low[row]!, Wide)).minus(due).abs();
          expect(error.toNumber()).toBeLessThan(1e-28);
        }
      });
    }
  });
});

describe('lengths of routes along rods by strain', () => {
  it('have the digits of a helix on a rod that twists and stretches', () => {
    const [L, r, w] = [0.4, 0.01, 9];
    const robot = loadRobotText(
      `kanegen: 1
name: twisted
parameters: { r: ${r} m }
body-types:
  bar:
    parameters: { L: ${L} m, R: 20 mm }
    coordinates: { q: { unit: rad }, e: {} }
    volume: { rod: { s: [0, L] }, section: { disc: R, cartesian: [x, y] }, density: 1000 }
    strain: { twist: q/L, stretch: e }
    material: { rod-elasticity: { E: 1 MPa, nu: 0.5 } }
links: [{ name: bar, body: bar }]
actuators: { helix: { tendon: { through: bar, route: { x: r*cos(${w}*S), y: r*sin(${w}*S) } } } }
`,
      'twisted.robot.yaml',
    );
    const [q, e, qd, ed] = [0.8, 0.1, -1.7, 0.3];
    const found = expectedActuation(robot, robot.actuators[0]!, { q: [q, e], qd: [qd, ed], qdd: [0, 0] }, 0);
    if (typeof found === 'string') throw new Error(found);
    // The curve advances by 1 + e and turns by w + q over the rod.
    const [turned, grown] = [(r * (w + q)) / L, 1 + e];
    const speed = Math.hypot(turned, grown);
    const [slopeQ, slopeE] = [(r * turned) / speed, (L * grown) / speed];
    // Of √(a² + b²): (ȧ b − a ḃ)²/√³.
    const [turning, growing] = [(r * qd) / L, ed];
    const bent = (L * (turning * grown - turned * growing) ** 2) / speed ** 3;
    const close = (value: number, due: number): void => expect(Math.abs(value / due - 1)).toBeLessThan(1e-14);
    close(found.y, -L * speed);
    close(found.gradient[0]!, -slopeQ);
    close(found.gradient[1]!, -slopeE);
    close(found.yd, -(slopeQ * qd + slopeE * ed));
    close(found.ydd0, -bent);
  });
});
