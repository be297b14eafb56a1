/** Elastic and viscous solids of awkward shapes and laws, against energies summed over the formulas as they are written. */
import { describe, expect, it } from 'vitest';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotObject, loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { verifyRobot } from '../../src/verify/verify.ts';

const FORCES = [
  'difference quotients of the stored energy give the same elastic forces',
  'difference quotients of the dissipation give the same damping forces',
];

const wedge = `
    parameters: { L: 0.15 m, a: 0.03 m, b: 0.02 m, k: 0.2 MPa }
    coordinates: { q: { unit: rad, limits: [-1, 1] }, w: { limits: [-0.2, 0.2] } }
    volume: { rod: { s: [0, L] }, section: { ellipse: [a*(1 - 0.3*s/L), b*(1 - 0.5*(s/L)^2)], polar: [r, phi] }, density: 1000 kg/m^3 }
    let:
      x: a*(1 - 0.3*s/L)*r*cos(phi)
      y: b*(1 - 0.5*(s/L)^2)*r*sin(phi)
      c: x*(1 + w*s/L)
    position: [c*cos(q*s/L) + L*(1 - cos(q*s/L))/q, y*(1 - w*s/L) + 0.1*w*x, L*sin(q*s/L)/q - c*sin(q*s/L)]
    distal: none
    material: { energy: "k*(I1 - 3 - 2*log(J)) + k*(3*e_zz^2 + e_xx*e_zz + 2*e_xy^2 + e_xz^2 + 0.5*e_yz*e_xz)", viscosity: 200 Pa s }
    integration: { tolerance: 1e-6 }`;

const mesh = `
    parameters: { k: 0.2 MPa, h: 0.1 m }
    coordinates: { q: { limits: [-0.4, 0.4] }, e: { limits: [-0.3, 0.3] } }
    volume:
      mesh: { nodes: [[0, 0, 0], [0.1, 0, 0.01], [0, 0.08, 0], [0.01, 0.02, 0.12], [0.09, 0.1, 0.1]], tetrahedra: [[0, 1, 2, 3], [1, 2, 3, 4]] }
      density: 900 kg/m^3
    position: [x + q*z*(1 + x/h), y*(1 + e), z - 0.5*q*y + e*z^2/h]
    distal: none
    material: { compressible-neo-hookean: { mu: k, lambda: 2*k }, viscosity: 50 Pa s }`;

/** Linear in functions of the coordinates, two volumes, parameters of the type that change at run time. */
const modes = `
    parameters: { L: { value: 0.2 m }, w: 0.02 m, G: { value: 0.1 MPa } }
    coordinates: { u: { count: 2, limits: [-0.3, 0.3] }, th: { unit: rad, limits: [-0.8, 0.8] }, e: { limits: [-0.2, 0.2] } }
    volumes:
      bar: { box: { x: [-w/2, w/2], y: [-w/3, w/2], z: [0, L] }, density: 1000 kg/m^3 }
      rib: { box: { x: [w/2, w], y: [0, w/5], z: [L/4, L] }, density: 2000 kg/m^3 }
    let: { t: z/L }
    position: [x*cos(th) - y*sin(th) + L*(u1*t^2 + u2*t^3), x*sin(th) + y*cos(th), z*(1 + e) - x*(2*u1*t + 3*u2*t^2)]
    distal: none
    material: { mooney-rivlin: { c1: G, c2: G/3 }, viscosity: 80 Pa s }`;

/** A law with logarithms in one volume, another one in the second, the third stores nothing: sums over points. */
const composite = `
    parameters: { L: 0.2 m, w: 0.02 m, k: 0.1 MPa }
    coordinates: { e: { limits: [-0.2, 0.2] } }
    volumes:
      bar: { box: { x: [-w/2, w/2], y: [-w/3, w/2], z: [0, L] }, density: 1000 kg/m^3, material: { energy: 3*k*(I1 - 3 - 2*log(J)) } }
      rib: { box: { x: [w/2, w], y: [0, w/5], z: [L/4, L] }, density: 2000 kg/m^3, material: { compressible-neo-hookean: { mu: 5*k, lambda: 3*k }, viscosity: 30 Pa s } }
      core: { box: { x: [-w, -w/2], y: [0, w], z: [0, L] }, density: 500 kg/m^3 }
    position: [x, y*(1 - 0.4*e*z/L), z*(1 + e) + e*x*z/L]
    distal: none
    integration: { tolerance: 1e-4 }`;

describe('forces of solids', () => {
  it.each([
    ['an elliptic taper in polar coordinates with an anisotropic energy', wedge],
    ['a mesh of two tetrahedra', mesh],
    ['two volumes in modes, whose integrals are constants', modes],
    ['volumes with materials of their own, and one without', composite],
  ])('of %s are derivatives of what is stored and dissipated', async (_, type) => {
    const robot = loadRobotText(
      `kanegen: 1\nname: solid\nbody-types:\n  solid:${type}\nparameters: { g: { value: 0.1 MPa, runtime: true }, l: { value: 0.25 m, runtime: true } }
links: [ { joint: { revolute: y, damping: 0.1 }, body: solid${type === modes ? ', parameters: { G: g, L: l }' : ''} } ]\n`,
      'solid.robot.yaml',
    );
    const dynamics = (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
    const { checks } = await verifyRobot(robot, dynamics, { seed: 4, states: 1 });
    expect(checks.map((check) => check.name)).toEqual(expect.arrayContaining(FORCES));
    expect(checks.filter((check) => check.outcome === 'failed')).toEqual([]);
    expect(checks.filter((check) => FORCES.includes(check.name)).every((check) => check.passed)).toBe(true);
  });
});

describe('a bar in uniform tension by constants', () => {
  const [L, A, lambda, mu, eta] = [0.3, 2e-4, 3e5, 1e5, 40];
  /** λ and μ of E and ν. */
  const E = (mu * (3 * lambda + 2 * mu)) / (lambda + mu);
  const nu = lambda / (2 * (lambda + mu));
  const bar = {
    parameters: { L, w: 0.02, h: 0.01, E, nu },
    coordinates: { e: {} },
    volume: { box: { x: [0, 'w'], y: [0, 'h'], z: [0, 'L'] }, density: 1000 },
    position: ['x', 'y', 'z*(1 + e)'],
    distal: 'none',
    material: { 'st-venant-kirchhoff': { E: 'E', nu: 'nu' }, viscosity: `${eta} Pa s` },
  };

  it('adds up the forces of volumes with materials of their own', async () => {
    const volume = (x: readonly [string, string]) => ({ box: { x, y: [0, 'h'], z: [0, 'L'] }, density: 1000 });
    const [soft, stiff] = [
      { 'st-venant-kirchhoff': { E: 'E', nu: 'nu' } },
      { 'st-venant-kirchhoff': { E: '4*E', nu: 'nu' } },
    ];
    const halves = {
      soft: volume([0, 'w/2'] as never),
      stiff: { ...volume(['w/2', 'w']), material: { ...stiff, viscosity: `${eta} Pa s` } },
    };
    const others = Object.fromEntries(Object.entries(bar).filter(([key]) => key !== 'volume'));
    const body = { ...others, volumes: halves, material: soft };
    const robot = loadRobotObject({
      kanegen: 1,
      name: 'bar',
      'body-types': { body },
      links: [{ body: 'body' }],
    });
    const dynamics = (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
    const [elastic, damping, energy] = [new Float64Array(1), new Float64Array(1), new Float64Array(3)];
    const [e, rate] = [0.3, 0.7];
    dynamics.update([e], [rate]);
    dynamics.terms(null, null, elastic, damping);
    dynamics.energies(energy);
    const strain = e + e ** 2 / 2;
    const stored = ((1 + 4) / 2) * A * L * (lambda / 2 + mu) * strain ** 2;
    expect(elastic[0]! / (((1 + 4) / 2) * A * L * (lambda + 2 * mu) * strain * (1 + e))).toBeCloseTo(1, 13);
    expect(damping[0]! / (0.5 * A * L * eta * (1 + e) ** 2 * rate)).toBeCloseTo(1, 13);
    expect(energy[2]! / stored).toBeCloseTo(1, 13);
  });

  it('has the forces, the matrices and the energy that its strain e + e²/2 has, and no loop at run time', async () => {
    const robot = loadRobotObject({ kanegen: 1, name: 'bar', 'body-types': { bar }, links: [{ body: 'bar' }] });
    const compiled = compileRobot(robot);
    const loops = compiled.types.flatMap((type) => type.loops);
    expect(loops.length).toBeGreaterThan(0);
    expect(loops.every(({ stage }) => stage === 0)).toBe(true);
    const dynamics = (await loadGenerated(await generateTypeScript(robot, compiled)))();
    const [elastic, damping, stiffness, dissipation] = Array.from({ length: 4 }, () => new Float64Array(1));
    for (const [e, rate] of [
      [0.3, 0.7],
      [-0.2, -1],
      [1e-9, 1e-9],
    ] as const) {
      dynamics.update([e], [rate]);
      dynamics.terms(null, null, elastic!, damping!);
      dynamics.stiffness(stiffness!);
      dynamics.dissipation(dissipation!);
      const strain = e + e ** 2 / 2;
      const expected = [
        A * L * (lambda + 2 * mu) * strain * (1 + e),
        A * L * eta * (1 + e) ** 2 * rate,
        A * L * (lambda + 2 * mu) * ((1 + e) ** 2 + strain),
        A * L * eta * (1 + e) ** 2,
      ];
      // Stresses vanish with the strain by the difference of F² and 1.
      const scale = Math.max(1, 0.1 / Math.abs(e));
      [elastic, damping, stiffness, dissipation].forEach((found, i) =>
        expect(Math.abs(found![0]! / expected[i]! - 1)).toBeLessThan(1e-15 * (i === 0 ? scale : 1)),
      );
    }
    dynamics.update([0.3], [0]);
    const energies = new Float64Array(3);
    dynamics.energies(energies);
    expect(energies[2]! / ((A * L * (lambda + 2 * mu) * 0.345 ** 2) / 2)).toBeCloseTo(1, 13);
  });
});
