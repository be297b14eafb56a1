/**
 * Rods whose strain varies along them while their sections deform: against sums over material points that are placed by steps of Runge and
 * Kutta, against rods of the same motion by other ways, and by Newton–Euler against Jacobians.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { gaussLegendre } from '../../src/integration/rules/gauss.ts';
import { KernelInterpreter, type State } from './interpreter.ts';

type Triple = readonly [number, number, number];

const GRAVITY: Triple = [1.3, -2.1, -9.81];
const [L, R, TIP, RHO] = [0.2, 0.02, 0.012, 1062];

/** Bending in both directions and torsion that vary, sections that grow on one side more than on the other, unlike along x and y. */
const arm = (more: string, position: string, strain = STRAIN): KernelInterpreter => {
  const robot = loadRobotText(
    `kanegen: 1
name: deforming
body-types:
  arm:
    parameters: { L: ${L} m, R: ${R} m, T: ${TIP} m }
    coordinates:
      b: { count: 2, unit: rad, limits: [-1.5 rad, 1.5 rad] }
      c: { unit: rad, limits: [-1 rad, 1 rad] }
      w: { unit: rad, limits: [-1 rad, 1 rad] }
      r: { count: 2, unit: m, limits: [-4 mm, 6 mm] }
    volume: { rod: { s: [0, L] }, section: { disc: R + (T - R)*s/L }, density: ${RHO} }
    strain: { ${strain} }
    section-position: [${position}]
    ${more}
links: [ { name: arm, joint: { revolute: y }, body: arm } ]
`,
    'deforming.robot.yaml',
  );
  return new KernelInterpreter(compileRobot(robot));
};

const STRAIN = 'bend-y: (b1 + b2*s/L)/L, bend-x: c*(s/L)^2/L, twist: w*(1 - s/L)/L, stretch: 0.1*b2*s/L';
const SEPARATE = '"x*(1 + r1/R*sin(pi*s/L)*(1 + x/R))", "y*(1 + r2/R*s/L*x/R) + r1*r2/R*(s/L)^2"';
/** No sum of functions of the point times functions of the coordinates. */
const ENTANGLED = '"x*exp(r1*x/R^2)", "y + r2*s/L*(x/R)^2"';

type Section = (x: number, y: number, s: number, r: readonly [number, number]) => readonly [number, number];
const separate: Section = (x, y, s, [r1, r2]) => [
  x * (1 + (r1 / R) * Math.sin((Math.PI * s) / L) * (1 + x / R)),
  y * (1 + (((r2 / R) * s) / L) * (x / R)) + ((r1 * r2) / R) * (s / L) ** 2,
];
const entangled: Section = (x, y, s, [r1, r2]) => [x * Math.exp((r1 * x) / R ** 2), y + ((r2 * s) / L) * (x / R) ** 2];

const state: State = {
  q: [0.4, 0.9, -0.7, 0.5, 0.6, 0.004, -0.003],
  qd: [0.3, -1.1, 0.8, 0.5, -0.9, 0.02, -0.03],
  qdd: [-0.6, 0.7, 1.2, -0.4, 0.8, -0.05, 0.04],
};

// ---------------------------------------------------------------------------------------------- material points

const { nodes, weights } = gaussLegendre(14);
const ANGLES = 14;
const RADII = gaussLegendre(6);

/** Rows of [R | p] at the nodes. */
function poses([, b1, b2, c, w]: readonly number[]): number[][] {
  const slope = (s: number, g: readonly number[]): number[] => {
    const [kx, ky, kz] = [(c! * (s / L) ** 2) / L, (b1! + (b2! * s) / L) / L, (w! * (1 - s / L)) / L];
    const stretch = 1 + (0.1 * b2! * s) / L;
    return [0, 1, 2].flatMap((i) => {
      const [x, y, z] = [g[4 * i]!, g[4 * i + 1]!, g[4 * i + 2]!];
      return [y * kz - z * ky, z * kx - x * kz, x * ky - y * kx, z * stretch];
    });
  };
  let g = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];
  let s = 0;
  return nodes.map((u) => {
    const steps = 16;
    const h = (u * L - s) / steps;
    for (let k = 0; k < steps; k++) {
      const after = (by: readonly number[], share: number): number[] => g.map((e, i) => e + share * h * by[i]!);
      const k1 = slope(s, g);
      const k2 = slope(s + h / 2, after(k1, 0.5));
      const k3 = slope(s + h / 2, after(k2, 0.5));
      const k4 = slope(s + h, after(k3, 1));
      g = g.map((e, i) => e + (h / 6) * (k1[i]! + 2 * k2[i]! + 2 * k3[i]! + k4[i]!));
      s += h;
    }
    return g;
  });
}

/** Mass and place of all points, one after the other. */
function points(q: readonly number[], section: Section): { masses: number[]; places: number[] } {
  const [sin, cos] = [Math.sin(q[0]!), Math.cos(q[0]!)];
  const masses: number[] = [];
  const places: number[] = [];
  poses(q).forEach((g, i) => {
    const s = nodes[i]! * L;
    const radius = R + (TIP - R) * nodes[i]!;
    RADII.nodes.forEach((t, j) => {
      for (let k = 0; k < ANGLES; k++) {
        const angle = (2 * Math.PI * (k + 0.3)) / ANGLES;
        const [x, y] = section(radius * t * Math.cos(angle), radius * t * Math.sin(angle), s, [q[5]!, q[6]!]);
        masses.push(RHO * L * weights[i]! * radius ** 2 * t * RADII.weights[j]! * ((2 * Math.PI) / ANGLES));
        const p = [0, 1, 2].map((row) => g[4 * row + 3]! + g[4 * row]! * x + g[4 * row + 1]! * y);
        places.push(cos * p[0]! + sin * p[2]!, p[1]!, cos * p[2]! - sin * p[0]!);
      }
    });
  });
  return { masses, places };
}

const FIRST = [-1 / 60, 3 / 20, -3 / 4, 0, 3 / 4, -3 / 20, 1 / 60];
const SECOND = [1 / 90, -3 / 20, 3 / 2, -49 / 18, 3 / 2, -3 / 20, 1 / 90];

/** Quotients of sixth order. */
function quotient(at: (step: number) => readonly number[], h: number, by: readonly number[], order: number): number[] {
  const around = by.map((_, k) => at((k - 3) * h));
  return around[3]!.map((_, i) => by.reduce((sum, weight, k) => sum + weight * around[k]![i]!, 0) / h ** order);
}

function bySums(section: Section) {
  const { masses, places } = points(state.q, section);
  const steps = [1e-2, 1e-2, 1e-2, 1e-2, 1e-2, 2e-4, 2e-4];
  const moved = (a: number, h: number): number[] => state.q.map((e, b) => (a === b ? e + h : e));
  const partials = state.q.map((_, a) => quotient((h) => points(moved(a, h), section).places, steps[a]!, FIRST, 1));
  const along = (t: number): number[] =>
    points(
      state.q.map((e, a) => e + state.qd[a]! * t + (state.qdd[a]! * t * t) / 2),
      section,
    ).places;
  const velocity = quotient(along, 1e-2, FIRST, 1);
  const acceleration = quotient(along, 2e-2, SECOND, 2);
  const sum = (a: readonly number[], b: readonly number[]): number =>
    a.reduce((total, e, i) => total + masses[Math.floor(i / 3)]! * e * b[i]!, 0);
  const weight = places.map((_, i) => GRAVITY[i % 3]!);
  return {
    M: partials.map((a) => partials.map((b) => sum(a, b))),
    tau: partials.map((own) => sum(own, acceleration) - sum(own, weight)),
    g: partials.map((own) => -sum(own, weight)),
    energies: [sum(velocity, velocity) / 2, -sum(places, weight)],
  };
}

/** In units of what each coordinate has of the mass matrix. */
function expectSame(robot: KernelInterpreter, section: Section, tolerance: number): void {
  const due = bySums(section);
  const size = due.M.map((row, a) => Math.sqrt(row[a]!));
  const M = robot.massMatrix(state);
  const errors = M.flatMap((row, a) => row.map((e, b) => Math.abs(e - due.M[a]![b]!) / (size[a]! * size[b]!)));
  expect(Math.max(...errors)).toBeLessThan(tolerance);
  for (const [found, wanted] of [
    [robot.inverseDynamics(state, GRAVITY), due.tau],
    [robot.gravity(state, GRAVITY), due.g],
  ] as const) {
    const largest = Math.max(...wanted.map((e, a) => Math.abs(e) / size[a]!));
    found.forEach((e, a) => expect(Math.abs(e - wanted[a]!) / size[a]! / largest).toBeLessThan(tolerance));
  }
  robot.energies(state, GRAVITY).forEach((e, i) => expect(Math.abs(e / due.energies[i]! - 1)).toBeLessThan(tolerance));
}

const FINE = 'integration: { tolerance: 1e-10 }';
const robots = new Map<string, KernelInterpreter>();
beforeAll(() => {
  robots.set('separate', arm(FINE, SEPARATE));
  robots.set('entangled', arm('integration: { tolerance: 1e-7 }', ENTANGLED));
  robots.set('jacobian', arm('integration: { tolerance: 1e-10, recursion: jacobian }', SEPARATE));
});

describe('sections that deform on a rod whose strain varies', () => {
  it('move as their material points do', () => {
    expectSame(robots.get('separate')!, separate, 2e-9);
  });

  it('by Jacobians of the sections, too', () => {
    expectSame(robots.get('jacobian')!, separate, 2e-9);
  });

  it('where point and coordinates cannot be told apart', () => {
    expectSame(robots.get('entangled')!, entangled, 1e-6);
  });

  it('that stay as they are move as a rigid section does', () => {
    const deforming = arm('integration: { points: 12, magnus: 8 }', 'x, y');
    const text = `kanegen: 1
name: rigid
body-types:
  arm:
    parameters: { L: ${L} m, R: ${R} m, T: ${TIP} m }
    coordinates: { b: { count: 2, unit: rad }, c: { unit: rad }, w: { unit: rad }, r: { count: 2, unit: m } }
    volume: { rod: { s: [0, L] }, section: { disc: R + (T - R)*s/L }, density: ${RHO} }
    strain: { ${STRAIN} }
    integration: { points: 12, magnus: 8 }
links: [ { name: arm, joint: { revolute: y }, body: arm } ]
`;
    const rigid = new KernelInterpreter(compileRobot(loadRobotText(text, 'rigid.robot.yaml')));
    const [a, b] = [deforming, rigid].map((own) => own.inverseDynamics(state, GRAVITY)) as [number[], number[]];
    const size = Math.max(...b.map(Math.abs));
    a.forEach((e, i) => expect(Math.abs(e - b[i]!)).toBeLessThan(1e-14 * size));
  });

  it('are refused where they take too many points', () => {
    const entangled = '"x*cos(x*r1/R^2) - y*sin(y*r1/R^2)", "x*sin(y*r1/R^2) + y*exp(x*r2/R^2)"';
    expect(() => arm('integration: { tolerance: 1e-9 }', entangled)).toThrow(
      expect.objectContaining({
        code: 'not-supported',
        message: expect.stringMatching(/sections of `arm` move in \d+ ways/) as string,
        remedy: expect.stringContaining('functions of the point times functions of the coordinates') as string,
      }) as Error,
    );
  });

  it('of a strain that is the same all along move as the body with a closed backbone does', () => {
    const strain = 'bend-y: b1/L, bend-x: c/L, twist: w/L, stretch: 0.1*b2';
    const [marched, closed] = ['material: { rod-elasticity: { E: 1 MPa, nu: 0.5 } }', ''].map((material) =>
      arm(`${material}\n    integration: { tolerance: 1e-11, compress: false }`, SEPARATE, strain),
    ) as [KernelInterpreter, KernelInterpreter];
    const [a, b] = [marched, closed].map((own) => own.inverseDynamics(state, GRAVITY)) as [number[], number[]];
    const M = closed.massMatrix(state);
    const [found, due] = [a, b].map((own) => own.map((e, i) => e / Math.sqrt(M[i]![i]!))) as [number[], number[]];
    const size = Math.max(...due.map(Math.abs));
    found.forEach((e, i) => expect(Math.abs(e - due[i]!)).toBeLessThan(1e-10 * size));
  });
});
