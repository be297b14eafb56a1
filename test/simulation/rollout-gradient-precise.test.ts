/**
 * Gradients of rollouts by run-time parameters against difference quotients in 32 digits of the same steps in straight-line form,
 * which shares neither the sweeps over links nor their transposes.
 */
import type { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { loadRobot } from '../../src/index.ts';
import { rolloutGradient } from '../../src/simulation/integrators/rollout-gradient.ts';
import { compileStraight } from '../../src/straight/compile.ts';
import type { StraightFunctionName } from '../../src/straight/straight-robot.ts';
import { decimalOfPrecision, evaluateDecimal, exactDecimal } from '../../src/symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../src/symbolic/graph/expr.ts';

const HELD = {
  ...{ L: '0.3 m', R: '25 mm', rho: '1000 kg/m^3', E: '0.2 MPa', nu: '0.45', eta: '2 kPa s', x: '15 mm', y: '-6 mm' },
  ...{ m: '0.1 kg', cx: '12 mm', cz: '-3 mm', Ixz: '2e-5 kg m^2' },
};
const names = Object.keys(HELD);
const ROD = {
  parameters: { L: '1 m', R: '1 m', rho: '1 kg/m^3', E: '1 Pa', nu: '0.1', eta: '1 Pa s' },
  coordinates: { a: { unit: 'rad' }, c: { unit: 'rad' }, e: { unit: 'm' } },
  volume: { rod: { s: [0, 'L'] }, section: { disc: 'R' }, density: 'rho' },
  strain: { 'bend-x': 'a/L', 'bend-y': '0.3*a/L', twist: 'c/L', stretch: 'e/L' },
  material: { 'rod-elasticity': { E: 'E', nu: 'nu' }, viscosity: 'eta' },
};
const { robot, dynamics } = await loadRobot(
  {
    kanegen: 1,
    name: 'held',
    gravity: [1, -9, 2],
    parameters: Object.fromEntries(Object.entries(HELD).map(([name, value]) => [name, { value, runtime: true }])),
    'body-types': { rod: ROD },
    links: [
      {
        name: 'rod',
        body: 'rod',
        parameters: Object.fromEntries(Object.keys(ROD.parameters).map((name) => [name, name])),
      },
      {
        name: 'disc',
        joint: { revolute: 'x', stiffness: '0.3 N m/rad' },
        rigid: { mass: 'm', com: ['cx', 0.01, 'cz'], inertia: { xx: 2e-4, yy: 3e-4, zz: 4e-4, xz: 'Ixz' } },
      },
    ],
    actuators: { pull: { tendon: { through: ['rod'], route: { x: 'x', y: 'y' } } } },
  },
  { derivatives: true },
);

const n = dynamics.coordinates;
const steps = 2;
const h = 0.0078125;
const start = { q: [0.4, -0.3, 0.01, 0.2], qd: [1.5, 2, -0.1, -3], inputs: [3, 5] };
const weights = [1, -0.5, 3, 0.25, 0.02, 0.01, 0.3, -0.02];

/** Σ weights · (q, q̇) after the steps. */
function preciseValue(changed: number, by: Decimal): Decimal {
  const value = (x: number): Decimal => exactDecimal(x, Precise);
  const held = names.map((name, k) => {
    const own = value((dynamics.parameters as Record<string, number>)[name]!);
    return k === changed ? own.plus(by) : own;
  });
  const run = (name: StraightFunctionName, given: Partial<Record<'q' | 'qd' | 'u' | 'tau' | 'h', Decimal[]>>) => {
    const at = new Map<Expr, Decimal>();
    for (const [buffer, numbers] of Object.entries({ parameters: held, ...given }))
      straight.inputs[buffer as 'q'].forEach((symbol, i) => at.set(symbol, numbers[i]!));
    const { outputs } = straight.functions.find((f) => f.name === name)!;
    return outputs.map((output) => evaluateDecimal(output.values, at, Precise));
  };
  let [q, qd] = [start.q.map(value), start.qd.map(value)];
  for (let k = 0; k < steps; k++) {
    const [tau] = run('actuate', { q, u: [value(start.inputs[k]!)], tau: q.map(() => value(0)) });
    [q, qd] = run('implicitStep', { h: [value(h)], q, qd, tau: tau! }) as [Decimal[], Decimal[]];
  }
  return [...q, ...qd].reduce((sum, x, i) => sum.plus(x.times(value(weights[i]!))), value(0));
}

const Precise = decimalOfPrecision(32);
const straight = compileStraight(robot, { functions: ['implicitStep', 'actuate'], count: (outputs) => outputs.length });

describe('the gradient of a rollout by run-time parameters', () => {
  const { byParameters, value } = rolloutGradient(
    dynamics,
    { ...start, h, steps, parameters: names.length },
    {
      final: (q, qd, byQ, byQd) => {
        weights.forEach((w, i) => (i < n ? (byQ[i] = w) : (byQd[i - n] = w)));
        return weights.reduce((sum, w, i) => sum + w * (i < n ? q[i]! : qd[i - n]!), 0);
      },
    },
  );

  it('is of the same value', () => {
    const exact = preciseValue(-1, new Precise(0)).toNumber();
    expect(Math.abs(value - exact)).toBeLessThan(1e-13 * Math.abs(exact));
  });

  it.each(names.map((name, k) => [name, k] as const))('is a difference quotient in 32 digits by %s', (name, k) => {
    const by = new Precise((dynamics.parameters as Record<string, number>)[name]!).times(1e-12);
    const quotient = preciseValue(k, by).minus(preciseValue(k, by.negated())).div(by.times(2)).toNumber();
    expect(quotient).not.toBe(0);
    expect(Math.abs(byParameters[k]! / quotient - 1)).toBeLessThan(1e-11);
  });
});
