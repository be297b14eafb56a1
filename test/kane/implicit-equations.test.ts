/**
 * Strains that solve equations: the same rod by a balance and by equations without symmetry; pressures and potentials against closed forms and
 * against equations of a rod solved here; `drives` of what is no tendon.
 */
import { describe, expect, it } from 'vitest';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { verifyRobot } from '../../src/verify/verify.ts';
import { KG_OK, type Derivatives } from '../../src/runtime/driver.ts';

const robot = (coordinates: string, strain: string, more: string): string => `kanegen: 1
name: solved
gravity: [0, 0, 0]
body-types:
  arm:
    parameters: { L: 0.3 m, R: 10 mm, E: 1 MPa, c: 0.05, d: 6 mm, A: 60 mm^2, k: 2e-6 N m^4 }
    let: { EA: E*pi*R^2, EI: E*pi*R^4/4, x: d - c*s }
    coordinates: { ${coordinates} }
    volume: { rod: { s: [0, L] }, section: { disc: R, cartesian: [X, Y] }, density: 1000 kg/m^3 }
    strain: ${strain}
    material: { rod-elasticity: { E: E, nu: 0.45 }, viscosity: 400 Pa s }
    integration: { points: 3, magnus: 4 }
links: [{ name: arm, body: arm }]
${more}`;

async function loaded(text: string, derivatives = false): Promise<LoadedRobot & Derivatives> {
  const model = loadRobotText(text, 'solved.robot.yaml');
  const compiled = compileRobot(model, { derivatives });
  return (await loadGenerated(await generateTypeScript(model, compiled)))() as LoadedRobot & Derivatives;
}

function close(found: ArrayLike<number>, due: ArrayLike<number>, relative: number): void {
  const scale = Math.max(...Array.from(due, Math.abs));
  expect(scale).toBeGreaterThan(0);
  Array.from(found, (e, i) => expect(Math.abs(e - due[i]!), `entry ${i}`).toBeLessThanOrEqual(relative * scale));
}

describe('equations', () => {
  const PULL = 'actuators: { pull: { tendon: { through: arm, route: { X: d - c*s, Y: 0 } } } }';
  const T = 'T: { unit: N, limits: [-1 N, 8 N] }';

  it('have the rod of a balance, to rounding errors, whatever their order and symmetry', async () => {
    const held = 'hold: [bend-x, twist, shear-x, shear-y]';
    const balance = `{ equilibrium: { tendons: { T: { route: { X: x, Y: 0 } } }, ${held} } }`;
    // The tangent of the tendon is (−c, 0, stretch − x bend_y).
    const along = '(stretch - x*bend_y)/sqrt(c^2 + (stretch - x*bend_y)^2)';
    const first = `EA*(stretch - 1) + T*${along}`;
    const equations = `['EI*bend_y - x*T*${along} + d*(${first})', '${first}']`;
    const implicit = `{ implicit: { unknowns: [stretch, bend-y], equations: ${equations}, start: { stretch: 0.99 } } }`;
    const [one, other] = await Promise.all([
      loaded(robot(T, balance, PULL), true),
      loaded(robot(T, implicit, PULL), true),
    ]);
    const all = (dynamics: LoadedRobot & Derivatives): number[][] => {
      const results = [1, 1, 1, 1, 1, 1, 1, 1, 6, 3, 3, 1].map((count) => new Float64Array(count));
      const [M, tau, y, yd, ydd0, B, q, qd, J, energy, t, tangent] = results;
      expect(dynamics.update([5.5], [30])).toBe(KG_OK);
      expect(dynamics.massMatrix(M!)).toBe(KG_OK);
      expect(dynamics.activeInverseDynamics([-200], tau!)).toBe(KG_OK);
      expect(dynamics.actuation(y!, yd!, ydd0!, B!)).toBe(KG_OK);
      expect(dynamics.energies(energy!)).toBe(KG_OK);
      expect(dynamics.frame(0, null, t!, J!)).toBe(KG_OK);
      expect(dynamics.inverseDynamicsTangent(1, [-200], [0.3], [-2], [9], tangent!)).toBe(KG_OK);
      expect(dynamics.implicitStep(1e-2, [0.01], q!, qd!)).toBe(KG_OK);
      return results.map((own) => [...own]);
    };
    const due = all(one);
    all(other).forEach((found, k) => close(found, due[k]!, 1e-12));
  }, 120_000);
});

describe('pressure', () => {
  it('bends and stretches as much as its cavity asks for, and is driven through its volume', async () => {
    const strain =
      '{ equilibrium: { pressure: { p: { area: A, centre: { X: d, Y: 0 } } }, hold: [bend-x, twist, shear-x, shear-y] } }';
    const dynamics = await loaded(
      robot('p: { unit: Pa, limits: [0 Pa, 40 kPa] }', strain, 'actuators: { blow: { drives: arm.p } }'),
    );
    const [p, L, R, A, d] = [3e4, 0.3, 0.01, 6e-5, 6e-3];
    const [EA, EI] = [1e6 * Math.PI * R ** 2, (1e6 * Math.PI * R ** 4) / 4];
    const [kappa, nu] = [(-p * A * d) / EI, 1 + (p * A) / EA];
    const [y, B, tau, t] = [1, 1, 1, 3].map((count) => new Float64Array(count));
    expect(dynamics.update([p], [0])).toBe(KG_OK);
    expect(dynamics.frame(0, null, t!, null)).toBe(KG_OK);
    const angle = kappa * L;
    close(t!, [(nu * (1 - Math.cos(angle))) / kappa, 0, (nu * Math.sin(angle)) / kappa], 1e-8);
    expect(dynamics.actuation(y!, null, null, B!)).toBe(KG_OK);
    close(y!, [A * L * (nu - 1 - d * kappa)], 1e-12);
    close(B!, [(A * L * (nu - 1 - d * kappa)) / p], 1e-12);
    // At rest the pressure of the shape holds it.
    expect(dynamics.activeInverseDynamics([0], tau!)).toBe(KG_OK);
    close(tau!, [B![0]! * p], 1e-12);
  }, 60_000);
});

describe('potential', () => {
  it('stands beside elasticity, and its gradient bends the rod', async () => {
    const strain =
      '{ equilibrium: { stress: { bend-y: m*(1 + s/L) }, potential: k*bend_y^4/4, hold: [bend-x, twist, shear-x, shear-y, stretch] } }';
    const dynamics = await loaded(
      robot('m: { unit: N m, limits: [-60 mN m, 60 mN m] }', strain, 'actuators: { turn: { drives: arm.m } }'),
    );
    const [m, L, k] = [0.05, 0.3, 2e-6];
    const EI = (1e6 * Math.PI * 0.01 ** 4) / 4;
    // EI κ + k κ³ = m (1 + s/L) by bisection, at the Gauss points of the rod.
    const bend = (s: number): number => {
      let [low, high] = [0, 1000];
      for (let i = 0; i < 100; i++) {
        const middle = (low + high) / 2;
        if (EI * middle + k * middle ** 3 < m * (1 + s / L)) low = middle;
        else high = middle;
      }
      return low;
    };
    const places = [0.5 - Math.sqrt(0.15), 0.5, 0.5 + Math.sqrt(0.15)].map((own) => own * L);
    const weights = [5, 8, 5].map((own) => (own * L) / 18);
    const sum = (f: (s: number) => number): number => places.reduce((all, s, i) => all + weights[i]! * f(s), 0);
    const slope = (s: number): number => (1 + s / L) / (EI + 3 * k * bend(s) ** 2);
    const [energy, tau, B, R] = [3, 1, 1, 9].map((count) => new Float64Array(count));
    expect(dynamics.update([m], [0])).toBe(KG_OK);
    expect(dynamics.energies(energy!)).toBe(KG_OK);
    close([energy![2]!], [sum((s) => (EI * bend(s) ** 2) / 2)], 1e-12);
    expect(dynamics.activeInverseDynamics([0], tau!)).toBe(KG_OK);
    close(tau!, [sum((s) => EI * bend(s) * slope(s))], 1e-12);
    expect(dynamics.actuation(null, null, null, B!)).toBe(KG_OK);
    close(B!, [sum((s) => (1 + s / L) * slope(s))], 1e-12);
    expect(dynamics.frame(0, R!, null, null)).toBe(KG_OK);
    close([Math.atan2(R![2]!, R![0]!)], [sum(bend)], 1e-12);
  }, 60_000);

  it.each(['E', '{ value: 1 MPa, runtime: true }'])(
    'bends a uniform rod, whose sections all solve the same equation, by its tendon: modulus %s',
    async (modulus) => {
      const text = robot(
        'T: { unit: N, limits: [0 N, 2 N] }',
        '{ equilibrium: { tendons: { T: { route: { X: d, Y: 0 } } }, hold: [shear-x, shear-y] } }',
        modulus === 'E' ? '' : `parameters: { soft: ${modulus} }`,
      ).replace('body: arm }]', modulus === 'E' ? 'body: arm }]' : 'body: arm, parameters: { E: soft } }]');
      const dynamics = await loaded(text);
      const [T, L, d, EI] = [1.5, 0.3, 0.006, (1e6 * Math.PI * 0.01 ** 4) / 4];
      const [energy, R] = [new Float64Array(3), new Float64Array(9)];
      expect(dynamics.update([T], [0])).toBe(KG_OK);
      expect(dynamics.frame(0, R, null, null)).toBe(KG_OK);
      close([Math.abs(Math.atan2(R[2]!, R[0]!))], [(T * d * L) / EI], 1e-12);
      expect(dynamics.energies(energy)).toBe(KG_OK);
      close([energy[2]!], [(L / 2) * ((T * d) ** 2 / EI + T ** 2 / (1e6 * Math.PI * 0.01 ** 2))], 1e-12);
    },
    60_000,
  );
});

const FULL = process.env['KANEGEN_FULL'] === '1';

describe('all that decides a strain', () => {
  const tapered = (strain: string): string => `kanegen: 1
name: solved
body-types:
  arm:
    parameters: { L: 0.25 m, R: 11 mm, r: 6 mm, k: 1e-6 N m^4, A: 40 mm^2, E: 1 MPa }
    let: { EA: E*pi*R^2, EI: E*pi*R^4/4 }
    coordinates:
      T: { unit: N, limits: [0 N, 3 N] }
      p: { unit: Pa, limits: [0 Pa, 20 kPa] }
    volume: { rod: { s: [0, L] }, section: { disc: R, cartesian: [x, y] }, density: 1062 kg/m^3 }
    strain: ${strain}
    material: { rod-elasticity: { E: E, nu: 0.45 }, viscosity: 500 Pa s }
    integration: { tolerance: 1e-5 }
links: [{ name: arm, body: arm }]
actuators: { pull: { tendon: { through: arm, route: { x: r, y: 0 } } } }
`;

  it
    .skipIf(!FULL)
    .each([
      '{ equilibrium: { tendons: { T: { route: { x: r*cos(6*s/L), y: r*sin(6*s/L) } } }, pressure: { p: { area: A*(1 - s/(3*L)), centre: { x: 0, y: -r/2 }, to: { s: 0.6*L } } }, potential: k*bend_x^2*bend_y^2 + k*bend_y^4/4, hold: [shear-x, shear-y] } }',
      "{ implicit: { unknowns: [stretch, bend-y, bend-x], equations: ['EI*bend_y*(1 + (bend_x*L)^2/20) + T*r*(stretch - 0.3*bend_y*r)', 'bend_x*EI - p*A*r*s/L - EI*bend_y*stretch/10', 'EA*(stretch - 1) + T*cos(bend_y*L/10)'], start: { bend-y: -0.1/L } } }",
    ])(
    'agrees with the independent check: %s',
    async (strain) => {
      const model = loadRobotText(tapered(strain), 'solved.robot.yaml');
      const files = await generateTypeScript(model, compileRobot(model));
      const report = await verifyRobot(model, (await loadGenerated(files))(), { states: 2 });
      expect(report.checks.filter(({ passed }) => !passed)).toEqual([]);
      expect(report.checks.length).toBeGreaterThan(20);
    },
    300_000,
  );
});
