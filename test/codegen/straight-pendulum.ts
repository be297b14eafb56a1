/**
 * A chain of n equal pendulums, as a robot and, by Lagrange's equations written out here, as straight-line functions:
 * a case for the code generator that shares no derivation with the recursion. The mass of a link is known at run time.
 */
import { loadRobotObject } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import type { StraightRobot } from '../../src/straight/straight-robot.ts';
import { differentiate, directionalDerivative, gradient } from '../../src/symbolic/graph/differentiate.ts';
import {
  cos,
  decimal,
  half,
  minus,
  negate,
  plus,
  sin,
  square,
  symbol,
  times,
  zero,
  type Expr,
  type SymbolExpr,
} from '../../src/symbolic/graph/expr.ts';

const LENGTH = decimal(0.7);
const GRAVITY = decimal(9.81);
/** Inertia of a link about its centre, across its axis, in kg m². */
const INERTIA = decimal(0.03);

/** Links along z at rest that turn about y, gravity against z, coordinates `joint1.angle`, …; the mass `m` at run time. */
export function pendulumRobot(n: number): Robot {
  return loadRobotObject({
    kanegen: 1,
    name: `pendulum-${n}`,
    parameters: { m: { value: '1.3 kg', runtime: true, summary: 'mass of a link' } },
    links: Array.from({ length: n }, (_, i) => ({
      name: `joint${i + 1}`,
      joint: { revolute: 'y' },
      rigid: { mass: 'm', com: [0, 0, '0.35 m'], inertia: { xx: 0.03, yy: 0.03 }, distal: { xyz: [0, 0, '0.7 m'] } },
    })),
  });
}

interface Mechanics {
  readonly q: readonly SymbolExpr[];
  readonly qd: readonly SymbolExpr[];
  readonly qdd: readonly SymbolExpr[];
  readonly kinetic: Expr;
  readonly potential: Expr;
}

function energies(n: number, mass: Expr): Mechanics {
  const symbols = (stem: string): SymbolExpr[] => Array.from({ length: n }, (_, i) => symbol(`${stem}.joint${i + 1}`));
  const [q, qd, qdd] = [symbols('q'), symbols('qd'), symbols('qdd')];
  let [kinetic, potential, x, z]: Expr[] = [zero, zero, zero, zero];
  for (let i = 0; i < n; i++) {
    const angle = plus(...q.slice(0, i + 1));
    const rate = plus(...qd.slice(0, i + 1));
    const centre = [plus(x!, times(half, LENGTH, sin(angle))), plus(z!, times(half, LENGTH, cos(angle)))];
    const velocity = directionalDerivative(centre, new Map(q.map((s, k) => [s as Expr, qd[k]!])));
    kinetic = plus(kinetic!, times(half, mass, plus(...velocity.map(square))), times(half, INERTIA, square(rate)));
    potential = plus(potential!, times(mass, GRAVITY, centre[1]!));
    x = plus(x!, times(LENGTH, sin(angle)));
    z = plus(z!, times(LENGTH, cos(angle)));
  }
  return { q, qd, qdd, kinetic: kinetic!, potential: potential! };
}

/** All six functions of the chain, both outputs optional where there are two. */
export function pendulumStraight(robot: Robot): StraightRobot {
  const n = robot.coordinates.length;
  const [parameter] = robot.parameters;
  const { q, qd, qdd, kinetic, potential } = energies(n, parameter!.symbol);
  const momenta = gradient(kinetic, qd);
  const M = momenta.flatMap((p) => gradient(p, qd));
  const g = gradient(potential, q);
  const along = new Map<Expr, Expr>([
    ...q.map((s, i) => [s, qd[i]!] as const),
    ...qd.map((s, i) => [s, qdd[i]!] as const),
  ]);
  const rates = directionalDerivative(momenta, along);
  const forces = gradient(kinetic, q);
  const tau = rates.map((rate, i) => plus(minus(rate, forces[i]!), g[i]!));
  const bias = directionalDerivative(momenta, new Map(q.map((s, i) => [s as Expr, qd[i]!])));
  const forcing = bias.map((b, i) => negate(plus(minus(b, forces[i]!), g[i]!)));
  const jacobian = (by: readonly Expr[]): Expr[] => tau.flatMap((t) => by.map((s) => differentiate(t, s)));
  const required = { optional: false };
  const optional = { optional: true };
  const TAU = { buffer: 'tau', values: tau, summary: 'generalized forces' };
  const MASS = { buffer: 'M', values: M, summary: 'mass matrix' };
  return {
    parameters: [{ name: parameter!.name, symbol: parameter!.symbol, unit: parameter!.unit, value: 1.3 }],
    inputs: { parameters: [parameter!.symbol], h: [], alpha: [], beta: [], q, qd, qdd, u: [], tau: [] },
    functions: [
      {
        name: 'inverseDynamics',
        summary: 'M qdd + c + g.',
        reads: ['parameters', 'q', 'qd', 'qdd'],
        outputs: [{ ...TAU, ...required }],
      },
      {
        name: 'massMatrix',
        summary: 'The mass matrix.',
        reads: ['parameters', 'q'],
        outputs: [{ ...MASS, ...required }],
      },
      {
        name: 'inverseDynamicsAndMassMatrix',
        summary: 'Both at once.',
        reads: ['parameters', 'q', 'qd', 'qdd'],
        outputs: [
          { ...TAU, ...optional },
          { ...MASS, ...optional },
        ],
      },
      {
        name: 'gravity',
        summary: 'The gravity terms.',
        reads: ['parameters', 'q'],
        outputs: [{ buffer: 'g', values: g, summary: 'gravity terms', ...required }],
      },
      {
        name: 'massMatrixAndForcing',
        summary: 'M and forcing with M qdd = forcing.',
        reads: ['parameters', 'q', 'qd'],
        outputs: [
          { ...MASS, ...optional },
          { buffer: 'forcing', values: forcing, summary: 'forcing', ...optional },
        ],
      },
      {
        name: 'inverseDynamicsDerivatives',
        summary: 'Derivatives of tau.',
        reads: ['parameters', 'q', 'qd', 'qdd'],
        outputs: [
          { buffer: 'dtau_dq', values: jacobian(q), summary: 'by coordinates', ...optional },
          { buffer: 'dtau_dqd', values: jacobian(qd), summary: 'by rates', ...optional },
        ],
      },
    ],
    hints: new Map(),
    method: 'Lagrange’s equations of a chain of pendulums.',
  };
}
