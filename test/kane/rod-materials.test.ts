/** Rods whose material varies along them, and rods of several volumes: energies, forces and matrices by hand. */
import { describe, expect, it } from 'vitest';
import type { KanegenError } from '../../src/description/source/diagnostics.ts';
import { loadRobotText } from '../../src/description/load.ts';
import type { DeformableBody } from '../../src/description/model/robot.ts';
import { foldConstants } from '../../src/symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../src/symbolic/graph/expr.ts';
import type { ForceTerm } from '../../src/kane/body/force-terms.ts';
import { LoopProgram } from '../../src/kane/loops/evaluate-loops.ts';
import { rodElasticity } from '../../src/kane/rods/rod-elasticity.ts';
import { coordinateSymbols } from './rod-chain.ts';

const [L, R, E0] = [0.3, 0.01, 4e5];
const AREA = Math.PI * R ** 2;
const SECOND = (Math.PI * R ** 4) / 4;

interface Rod {
  readonly volume?: string;
  readonly strain: string;
  readonly material?: string;
}

const ROD = 'volume: { rod: { s: [0, L] }, section: { disc: R }, density: 1000 }';

function load({ volume = ROD, strain, material }: Rod): DeformableBody {
  const text = `kanegen: 1
name: rods
body-types:
  rod:
    parameters: { L: ${L} m, R: ${R} m, E0: ${E0} Pa, eta: 50 Pa s }
    coordinates: { q: { unit: rad }, e: { unit: m } }
    ${volume}
    strain: { ${strain} }
${material ? `    material: ${material}\n` : ''}links: [ { body: rod } ]
`;
  return loadRobotText(text, 'rods.yaml').links[0]!.body as DeformableBody;
}

interface Forces {
  readonly loops: number;
  readonly generalized: readonly number[];
  readonly matrix: readonly number[];
  readonly energy: number;
}

/** By kind, at q = (q, e), q̇ = (qd, ed). */
function forcesOf(rod: Rod, q: readonly number[], qd: readonly number[] = [0, 0]): Record<ForceTerm['kind'], Forces> {
  const { type, parameters } = load(rod);
  const symbols = coordinateSymbols(type);
  const bindings = new Map<Expr, Float64Array>();
  const values = foldConstants(parameters, new Map());
  type.parameters.forEach((p, i) => bindings.set(p.symbol, Float64Array.of(values[i]!)));
  symbols.q.forEach((s, i) => bindings.set(s, Float64Array.of(q[i]!)));
  symbols.qd.forEach((s, i) => bindings.set(s, Float64Array.of(qd[i]!)));
  const results = rodElasticity(type, symbols).map(({ kind, generalized, matrix, energy, loops }) => {
    const run = new LoopProgram(loops, [...generalized, ...matrix, ...(energy ? [energy] : [])]).run(bindings, 1);
    const numbers = run.map((column) => column[0]!);
    return [
      kind,
      {
        loops: loops.length,
        generalized: numbers.slice(0, 2),
        matrix: numbers.slice(2, 6),
        energy: numbers[6] ?? 0,
      },
    ];
  });
  return Object.fromEntries(results) as Record<ForceTerm['kind'], Forces>;
}

function expectClose(found: readonly number[], due: readonly number[], digits = 1e-14): void {
  const size = Math.max(...due.map(Math.abs));
  found.forEach((value, i) => expect(Math.abs(value - due[i]!), `entry ${i}`).toBeLessThanOrEqual(digits * size));
}

describe('a material that varies along a rod', () => {
  it('of constant curvature has a stiffness in closed form', () => {
    const rod = {
      strain: 'bend-y: q/L, stretch: e/L',
      material: '{ rod-elasticity: { E: E0*(1 + s/L), nu: 0.5 }, viscosity: eta*S }',
    };
    const { elastic, damping } = forcesOf(rod, [0.8, 0.02], [0.5, -0.1]);
    // ∫ (1 + s/L) ds = 3/2 L, ∫ S ds = L/2
    const bending = (1.5 * E0 * SECOND) / L;
    const stretching = (1.5 * E0 * AREA) / L;
    expect([elastic.loops, damping.loops]).toEqual([0, 0]);
    expectClose(elastic.generalized, [bending * 0.8, stretching * 0.02]);
    expectClose(elastic.matrix, [bending, 0, 0, stretching]);
    expectClose([elastic.energy], [(bending * 0.8 ** 2 + stretching * 0.02 ** 2) / 2]);
    const [turning, pulling] = [SECOND, AREA].map((moment) => (3 * 50 * moment) / (2 * L)) as [number, number];
    expectClose(damping.generalized, [turning * 0.5, -pulling * 0.1]);
    expectClose(damping.matrix, [turning, 0, 0, pulling]);
  });

  it('is summed by points where its integral is not known, strains that are no linear functions included', () => {
    const rod = { strain: 'bend-y: sin(q)/L, stretch: e/L', material: '{ rod-elasticity: { E: E0*exp(S), nu: 0.3 } }' };
    const { elastic } = forcesOf(rod, [0.8, 0.02]);
    const mean = Math.E - 1;
    const [bending, stretching] = [SECOND, AREA].map((moment) => (mean * E0 * moment) / L) as [number, number];
    const [sin, cos] = [Math.sin(0.8), Math.cos(0.8)];
    expectClose(elastic.generalized, [bending * sin * cos, stretching * 0.02]);
    expectClose(elastic.matrix, [bending * (cos ** 2 - sin ** 2), 0, 0, stretching]);
    expectClose([elastic.energy], [(bending * sin ** 2 + stretching * 0.02 ** 2) / 2]);
  });

  it('goes with strains that vary, too', () => {
    const rod = { strain: 'bend-y: q*s/L^2, stretch: e/L', material: '{ rod-elasticity: { E: E0*(1 + S), nu: 0.5 } }' };
    const { elastic } = forcesOf(rod, [0.8, 0]);
    // ∫ (1 + u) u² du = 1/3 + 1/4
    expectClose(elastic.generalized, [((7 / 12) * E0 * SECOND * 0.8) / L, 0]);
  });

  it('gets more points than the motion of the rod where it needs them', () => {
    const w = 90;
    const rod = {
      strain: 'bend-y: q*s/L^2, stretch: e/L',
      material: `{ rod-elasticity: { E: E0*(1 + 0.5*sin(${w}*S)), nu: 0.5 } }`,
    };
    const { elastic } = forcesOf(rod, [0.8, 0]);
    // ∫ u² sin wu du = −cos w/w + 2 sin w/w² + 2 (cos w − 1)/w³
    const wave = -Math.cos(w) / w + (2 * Math.sin(w)) / w ** 2 + (2 * (Math.cos(w) - 1)) / w ** 3;
    expectClose(elastic.generalized, [((1 / 3 + wave / 2) * E0 * SECOND * 0.8) / L, 0], 1e-8);
  });

  it('may change from one place to the next: no rule reaches across', () => {
    const rod = {
      strain: 'bend-y: q*s/L^2, stretch: e/L',
      material: `{ rod-elasticity: { E: "s < L/3 ? 5*E0 : E0", nu: 0.5 } }`,
    };
    const { elastic } = forcesOf(rod, [0.8, 0]);
    // ∫ u² du over the first third is 1/81
    expectClose(elastic.generalized, [((1 / 3 + 4 / 81) * E0 * SECOND * 0.8) / L, 0]);
  });

  it('that no affordable rule resolves is refused at its formula', () => {
    const rod = {
      strain: 'bend-y: q*s/L^2, stretch: e/L',
      material: '{ rod-elasticity: { E: E0*(1 + 0.5*sin(5000*S)), nu: 0.5 } }',
    };
    const error = (() => {
      try {
        forcesOf(rod, [0.8, 0]);
      } catch (caught) {
        return caught as KanegenError;
      }
      return undefined;
    })();
    expect(error).toMatchObject({ code: 'tolerance-not-met', location: { line: 9 } });
  });
});

describe('several volumes of a rod', () => {
  const strain = 'bend-x: q/L, twist: q/L, shear-y: q, stretch: e/L';
  const [CORE, SKIN] = [3e6, 5e5];
  const layers = (core: string, skin: string): string => `volumes:
      core: { rod: { s: [0, L] }, section: { disc: R/2 }, density: 1000${core} }
      skin: { rod: { s: [0, L] }, section: { annulus: [R/2, R] }, density: 1000${skin} }`;
  const core = `{ rod-elasticity: { E: ${CORE}, nu: 0.25, shear-factor: 0.9 }, retardation-time: 0.1 s }`;
  const skin = `{ rod-elasticity: { E: ${SKIN}, G: 2e5 }, viscosity: eta }`;
  const inner = { area: AREA / 4, second: SECOND / 16 };
  const outer = { area: (3 * AREA) / 4, second: (15 * SECOND) / 16 };

  it('have the stiffness of a composite section, and each its damping', () => {
    const volume = layers(`, material: ${core}`, `, material: ${skin}`);
    const { elastic, damping } = forcesOf({ volume, strain }, [0.4, 0.01], [0.3, 0.2]);
    const shear = CORE / 2.5;
    const ofCore = (CORE * inner.second) / L + (shear * 2 * inner.second) / L + 0.9 * shear * inner.area * L;
    const ofSkin = (SKIN * outer.second) / L + (2e5 * 2 * outer.second) / L + 2e5 * outer.area * L;
    const stretching = (CORE * inner.area + SKIN * outer.area) / L;
    expectClose(elastic.matrix, [ofCore + ofSkin, 0, 0, stretching]);
    expectClose(elastic.generalized, [(ofCore + ofSkin) * 0.4, stretching * 0.01]);
    const viscous = 50 * ((3 * outer.second) / L + (2 * outer.second) / L + outer.area * L);
    const pulling = (0.1 * CORE * inner.area + 3 * 50 * outer.area) / L;
    expectClose(damping.generalized, [(0.1 * ofCore + viscous) * 0.3, pulling * 0.2]);
  });

  it('take the material of the body where they have none', () => {
    const apart = forcesOf({ volume: layers(`, material: ${core}`, `, material: ${skin}`), strain }, [0.4, 0.01]);
    const shared = forcesOf({ volume: layers(`, material: ${core}`, ''), strain, material: skin }, [0.4, 0.01]);
    expect(shared).toEqual(apart);
    const whole = forcesOf({ strain, material: skin }, [0.4, 0.01]);
    const both = forcesOf({ volume: layers('', ''), strain, material: skin }, [0.4, 0.01]);
    expectClose(both.elastic.generalized, whole.elastic.generalized);
  });
});
