/** Formulas over columns of double-double numbers, marches and lengths along rods that are made of them, against decimals and by hand. */
import type { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { loadRobotText } from '../../src/description/load.ts';
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
