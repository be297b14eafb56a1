/**
 * Elastic and viscous forces of solids and their matrices against numbers of another origin: exact quadrature of the same laws in 256-bit
 * arithmetic, where forces and matrices come from derivatives by an independent method.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotObject } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';

interface ForceState {
  readonly name: string;
  readonly q: readonly number[];
  readonly qd: readonly number[];
  readonly elastic: readonly string[];
  readonly damping: readonly string[];
  readonly stiffness: readonly (readonly string[])[];
  readonly damping_matrix: readonly (readonly string[])[];
}

type Kind = 'elastic' | 'damping' | 'stiffness' | 'damping_matrix';

interface ForceFile {
  readonly parameters: { readonly links: readonly Record<string, unknown>[] };
  readonly states: readonly ForceState[];
}

const box = {
  parameters: { L: 0.2, a: 0.04, b: 0.03 },
  coordinates: { q: { count: 6, limits: [-0.6, 0.6] } },
  volume: { box: { x: ['-a/2', 'a/2'], y: ['-b/2', 'b/2'], z: [0, 'L'] }, density: 1062 },
  let: { t: 'z/L' },
  position: [
    'x + L*(q1*t^2 + q2*t^3) + q6*x*t*(1 - t)',
    'y + L*q3*t^2 + q6*y*t*(1 - t)',
    'z + L*q5*t - x*(2*q1*t + 3*q2*t^2) + q4*x*t - 2*y*q3*t',
  ],
  distal: 'none',
};
const cavity = {
  parameters: { L: 0.08, Ri: 0.015, Ro: 0.022 },
  coordinates: { q: { count: 5 } },
  volume: { rod: { z: [0, 'L'] }, section: { annulus: ['Ri', 'Ro'], cartesian: ['x', 'y'] }, density: 1062 },
  let: { t: 'z/L', f: '3*t^2 - 2*t^3', a: 'Ri^2*(q1*f + q2*4*t*(1 - t))' },
  compose: [
    { map: ['x*sqrt(1 + a/(x^2 + y^2))', 'y*sqrt(1 + a/(x^2 + y^2))', 'z'] },
    { elongation: { axis: 'z', displacement: 'q3*L*(3*(z/L)^2 - 2*(z/L)^3)' } },
    { bending: { axis: 'z', direction: 'x', curvature: 'q4/L' } },
    { bending: { axis: 'z', direction: 'y', curvature: 'q5/L' } },
  ],
  distal: 'none',
};

/** Type of the body, coordinates as wide as the states go. */
const bodies: Record<string, (link: Record<string, unknown>) => object> = {
  box_ritz: () => box,
  lvp: () => ({ extends: 'lvp' }),
  planar_cc: () => ({ extends: 'planar-cc' }),
  planar_cce: () => ({ extends: 'planar-cc-elongation' }),
  var_radius: ({ phi0_over_pi: turn, L, bump_numerator_power_of_L: power }) => ({
    extends: 'variable-radius',
    parameters: { phi0: `${String(turn)}*pi`, c: (L as number) ** (power as number) },
  }),
  lvp_cavity: () => cavity,
};

const laws: Record<string, (law: Record<string, number>) => object> = {
  st_venant_kirchhoff: ({ E, nu }) => ({ 'st-venant-kirchhoff': { E, nu } }),
  neo_hookean_incompressible: ({ mu }) => ({ 'neo-hookean': { mu } }),
};

/** Largest difference in relation to the largest force or entry of the state. */
async function worstError(file: string, tolerance: number): Promise<Record<Kind, number>> {
  const text = readFileSync(new URL(`../reference/forces/${file}.json`, import.meta.url), 'utf8');
  const { parameters, states } = JSON.parse(text) as ForceFile;
  const [link] = parameters.links as [Record<string, unknown>];
  const { law, ...constants } = link['material'] as { law: string } & Record<string, number>;
  const { eta } = link['damping'] as { eta: number };
  const type = {
    ...bodies[link['type'] as string]!(link),
    material: { ...laws[law]!(constants), viscosity: eta },
    integration: { tolerance },
  };
  const own = link['R'] === undefined ? {} : { parameters: { L: link['L'], R: link['R'], rho: link['rho'] } };
  const robot = loadRobotObject({
    kanegen: 1,
    name: 'solid',
    'body-types': { solid: type },
    links: [{ body: 'solid', ...own }],
  });
  const dynamics = (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
  const n = robot.coordinates.length;
  const worst = { elastic: 0, damping: 0, stiffness: 0, damping_matrix: 0 };
  for (const state of states) {
    const [elastic, damping] = [new Float64Array(n), new Float64Array(n)];
    dynamics.update(state.q, state.qd);
    expect(dynamics.terms(null, null, elastic, damping), state.name).toBe(0);
    const [K, D] = [new Float64Array(n * n), new Float64Array(n * n)];
    expect([dynamics.stiffness(K), dynamics.dissipation(D)], state.name).toEqual([0, 0]);
    for (const matrix of [K, D])
      matrix.forEach((entry, i) => expect(entry).toBe(matrix[(i % n) * n + Math.floor(i / n)]));
    const compare = (kind: Kind, found: Float64Array): void => {
      const expected = state[kind].flat().map(Number);
      const size = Math.max(...expected.map(Math.abs));
      expected.forEach((x, a) => (worst[kind] = Math.max(worst[kind], Math.abs(found[a]! - x) / (size || 1))));
    };
    compare('elastic', elastic);
    compare('damping', damping);
    compare('stiffness', K);
    compare('damping_matrix', D);
  }
  return worst;
}

describe('forces of solids and their matrices', () => {
  it.each([
    ['L2_planar_cc_toy', 1e-10, 1e-9],
    ['L2_planar_cce', 1e-10, 1e-9],
    ['L2_box_ritz', 1e-10, 1e-9],
    ['L2_lvp', 1e-10, 1e-9],
    ['L2_hollow_cavity', 1e-8, 1e-7],
    ['L2_var_radius_phi0', 1e-8, 1e-7],
  ])('of %s are those of exact quadrature', async (file, tolerance, bar) => {
    const worst = await worstError(file, tolerance);
    for (const kind of Object.keys(worst) as Kind[]) expect(worst[kind], kind).toBeLessThan(bar);
  });
});
