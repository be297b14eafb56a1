/**
 * Every joint and every body of the library, and formulas as users write them, through the whole compiler and against
 * D'Alembert's principle, at random, straight and almost straight states.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse as loadYaml } from 'yaml';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { allowSeconds, DEFAULT_SECONDS } from '../../src/common/work-limit.ts';
import { loadRobotObject } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { library } from '../../src/library/index.ts';
import { verifyRobot } from '../../src/verify/verify.ts';

interface LibraryFile {
  readonly 'body-types': Readonly<Record<string, Record<'compose' | 'coordinates' | 'distal', object>>>;
}

async function failures(source: object): Promise<string[]> {
  const robot = loadRobotObject({ kanegen: 1, name: 'catalogue', gravity: [3.1, -1.7, 9.1], ...source });
  const create = await loadGenerated(await generateTypeScript(robot, compileRobot(robot)));
  const report = await verifyRobot(robot, create(), { seed: 3, states: 1 });
  return report.checks
    .filter((check) => !check.passed)
    .map((check) => `${check.name}: ${check.figure} at ${check.where}`);
}

const block = {
  mass: 0.4,
  com: [0.02, -0.01, 0.05],
  inertia: { xx: 2e-3, yy: 1.5e-3, zz: 1e-3, xy: 1e-4 },
  distal: { xyz: [0, 0.01, 0.1] },
};

/** Joints and how a link names them. */
const joints: Record<string, object | string> = {
  fixed: 'fixed',
  revolute: { revolute: [0, 0.6, 0.8] },
  prismatic: { prismatic: 'x' },
  helical: { helical: { axis: 'z', pitch: '5 mm' } },
  cylindrical: { cylindrical: 'y' },
  universal: { universal: {} },
  planar: { planar: {} },
  spherical: { spherical: {} },
  free: { free: {} },
};

describe('joints of the library', () => {
  it.each(library.jointNames())('%s between a turning block and a bending segment', async (name) => {
    expect(joints, 'how a link names it').toHaveProperty([name]);
    const links = [
      { name: 'root', joint: { revolute: 'y' }, rigid: block },
      {
        name: 'middle',
        offset: { xyz: [0.01, 0.02, 0.03], rpy: [0.1, 0.2, 0.3] },
        joint: joints[name],
        mount: { rpy: [0.3, 0, 0.2] },
        body: 'planar-cc',
        parameters: { L: 0.2, R: 0.02, rho: 1000 },
      },
      { name: 'end', rigid: block },
    ];
    expect(await failures({ links })).toEqual([]);
  });
});

const full = process.env['KANEGEN_FULL'] === '1';
/** Half a minute each; reference data check them, or near relatives of theirs, in every run. */
const slow: ReadonlySet<string> = new Set([
  'lvp',
  'lvp-8',
  'variable-radius',
  'helicoid',
  'gvs-legendre',
  'gvs-affine-3d',
  'pcc-3d-by-position',
  'pgc',
  'pcs-tapered',
  'pcs',
  'gvs-affine-planar',
  'ritz-beam',
]);

describe('bodies of the library', () => {
  it.each(library.bodyNames().filter((name) => full || !slow.has(name)))(
    '%s on a revolute joint, twice',
    async (name) => {
      const link = { joint: { revolute: 'x' }, body: name };
      expect(
        await failures({
          links: [
            { name: 'a', ...link },
            { name: 'b', offset: { rpy: [0.2, 0.4, 0.1] }, ...link },
          ],
        }),
      ).toEqual([]);
    },
  );
});

const rod = { rod: { s: [0, 'L'] }, section: { disc: 'R', cartesian: ['x', 'y'] }, density: 'rho' };
const parameters = { L: '0.2 m', R: '20 mm', rho: '1000 kg/m^3' };
const tip = { pivot: { s: 'L' }, 'x-axis': { s: 'L', x: 'R' }, 'y-axis': { s: 'L', y: 'R' } };

/** Half a minute each, the same; tests of rods and of volumes have their likes. */
const long: ReadonlySet<string> = new Set([
  'steps of radius and of density along a rod given by its strain',
  'a core in a cover by steps along the rod',
  'a core in a cover, elastic, in closed form whatever the coordinates of their sections',
  // A box has a kink, an arc a graded density, rods of the library constant and tapered strains.
  'a twist by a product of coordinates, a bend with a kink',
  'an arc written 0/0 whose density is no polynomial',
  'a tapered rod in four strains',
]);

const bodies: Record<string, object> = {
  'half angles, s sin(theta)/theta, a rod that starts away from zero, an elliptic section': {
    parameters,
    coordinates: { q: { unit: 'rad' } },
    volume: { rod: { s: ['L/4', 'L'] }, section: { ellipse: ['R', 'R/2'], cartesian: ['x', 'y'] }, density: 'rho' },
    let: { theta: 'q*s/L' },
    position: ['2*L/q*sin(theta/2)^2 + x*(2*cos(theta/2)^2 - 1)', 'y', 's*sin(theta)/theta - x*sin(theta)'],
    distal: tip,
  },
  'a spatial arc with the rotation written as cos + n n (1 − cos)': {
    parameters,
    coordinates: { kx: { unit: '1/m' }, ky: { unit: '1/m' } },
    volume: rod,
    let: { k: 'sqrt(kx^2 + ky^2)', c: 'cos(k*s)' },
    position: [
      'ky*(1 - c)/k^2 + x*(c + (kx/k)^2*(1 - c)) + y*kx*ky/k^2*(1 - c)',
      '-kx*(1 - c)/k^2 + x*kx*ky/k^2*(1 - c) + y*(c + (ky/k)^2*(1 - c))',
      'sin(k*s)/k - x*ky*sin(k*s)/k + y*kx*sin(k*s)/k',
    ],
    distal: tip,
  },
  'a helix at rest, rectangular, by bending and twist': {
    parameters: { ...parameters, k0: '3 1/m', t0: '2 1/m' },
    coordinates: { q: { unit: 'rad' }, w: { unit: 'rad' } },
    volume: { ...rod, section: { rectangle: ['2*R', 'R'], cartesian: ['x', 'y'] } },
    rest: { 'bend-y': 'k0', twist: 't0' },
    strain: { 'bend-y': 'q/L', twist: 'w/L' },
  },
  'strains that read 0/0 where the rod is straight, elastic': {
    parameters,
    coordinates: { q: { unit: 'rad' } },
    volume: rod,
    strain: { 'bend-y': '(1 - cos(q*s/L))/(L*q)' },
    material: { 'rod-elasticity': { E: '1 MPa', nu: 0.5 } },
  },
  'a frame field, hollow': {
    parameters,
    coordinates: { q: { unit: 'rad' }, e: { unit: 'm' } },
    volume: { ...rod, section: { annulus: ['R/2', 'R'], cartesian: ['x', 'y'] } },
    let: { theta: 'q*s/L' },
    pose: { xyz: ['(L + e)*(1 - cos(theta))/q', 0, '(L + e)*sin(theta)/q'], rpy: [0, 'theta', 0] },
  },
  'a tapered rod in four strains': {
    parameters: { ...parameters, R1: '10 mm' },
    coordinates: { a: { unit: 'rad' }, b: { unit: 'rad' }, t: { unit: 'rad' }, e: { unit: 'm' } },
    volume: { ...rod, section: { disc: 'R + (R1 - R)*s/L', cartesian: ['x', 'y'] } },
    strain: { 'bend-x': 'a/L', 'bend-y': 'b/L', twist: 't/L', stretch: 'e/L' },
  },
  'a section that swells all around, in polar coordinates': {
    parameters,
    coordinates: { k: { unit: 'rad' }, e: { unit: '1' } },
    volume: { ...rod, section: { disc: 'R*(1 - s/(2*L))', polar: ['r', 'phi'] } },
    strain: { 'bend-y': 'k/L', stretch: 'e' },
    'section-position': ['r*cos(phi)/sqrt(1 + e)', 'r*sin(phi)/sqrt(1 + e)'],
  },
  'a twist by a product of coordinates, a bend with a kink': {
    parameters,
    coordinates: { a: { unit: 'rad' }, b: { unit: 'rad' } },
    volume: { ...rod, section: { rectangle: ['R', '2*R'], cartesian: ['x', 'y'] } },
    strain: { 'bend-x': '(a*select(s < L/2, 2*s, 2*L - 2*s) + b*s)/L^2', twist: 'a*b/L' },
    integration: { tolerance: 1e-8 },
  },
  'an arc whose density is graded along it and across it, in closed form': {
    parameters,
    coordinates: { q: { unit: 'rad' } },
    volume: { ...rod, density: 'rho*(1 + s/L + x/(2*R) + x^2*s/(R^2*L))' },
    strain: { 'bend-y': 'q/L' },
    integration: 'closed-form',
  },
  'an arc written 0/0 whose density is no polynomial': {
    parameters,
    coordinates: { q: { unit: 'rad' } },
    volume: { ...rod, density: 'rho*exp(s/L)' },
    position: ['L*(1 - cos(q*s/L))/q + x*cos(q*s/L)', 'y', 'L*sin(q*s/L)/q - x*sin(q*s/L)'],
    distal: tip,
  },
  'steps of radius and of density along a rod given by its strain': {
    parameters,
    coordinates: { b: { count: 2, unit: 'rad' } },
    volume: {
      rod: { s: [0, 'L'] },
      section: { disc: 'select(s < L/3, R, R/2)', cartesian: ['x', 'y'] },
      density: 'rho*select(s < L/2, 1, 3)*(1 + x*y/R^2)',
    },
    strain: { 'bend-x': '0.2/L', 'bend-y': { basis: 'legendre', coordinates: 'b', scale: '1/L' } },
    material: { 'rod-elasticity': { E: '1 MPa', nu: 0.5 } },
    integration: { tolerance: 1e-8 },
  },
  'a core in a cover, elastic, in closed form whatever the coordinates of their sections': {
    parameters,
    coordinates: { a: { unit: 'rad' }, e: { unit: '1' } },
    volumes: {
      core: { rod: { s: [0, 'L'] }, section: { disc: 'R/2', polar: ['r', 'phi'] }, density: '3*rho' },
      cover: {
        rod: { s: [0, 'L'] },
        section: { annulus: ['R/2', 'R'], polar: ['r', 'phi'] },
        density: 'rho*(1 + s/L)',
      },
    },
    strain: { 'bend-x': 'a/L', stretch: 'e' },
    material: { 'rod-elasticity': { E: '1 MPa', nu: 0.5 }, viscosity: '10 Pa s' },
    integration: 'closed-form',
  },
  'a core in a cover by steps along the rod': {
    parameters,
    coordinates: { a: { count: 2, unit: 'rad' } },
    volumes: {
      core: { rod: { s: [0, 'L'] }, section: { disc: 'R/2' }, density: '3*rho' },
      cover: { rod: { s: [0, 'L'] }, section: { annulus: ['R/2', 'R'] }, density: 'rho' },
    },
    strain: { 'bend-x': { basis: 'monomial', coordinates: 'a', scale: '1/L' } },
    material: { 'rod-elasticity': { E: '1 MPa', nu: 0.5 }, 'retardation-time': '0.02 s' },
    integration: { tolerance: 1e-8 },
  },
  'a box with a dense layer, its displacement with a kink': {
    parameters: { a: '40 mm', rho: '1000 kg/m^3' },
    coordinates: { u: { count: 2 } },
    volume: {
      box: { x: [0, 'a'], y: [0, 'a'], z: [0, 'a'] },
      density: 'rho*(1 + x/a + select(y < a/4, 1, 0)*z/a)',
    },
    position: ['x*(1 + u1*z/a)', 'y', 'z + u2*abs(x - a/3)*sin(z/a)'],
    distal: { at: { z: 'a' } },
  },
  'a polynomial deflection that needs no Stumpff function': {
    parameters,
    coordinates: { q: { unit: 'rad' } },
    volume: rod,
    position: ['x + q*s^2/(2*L)', 'y', 's - x*q*s/L'],
    distal: { pose: { xyz: ['q*L/2', 0, 'L'], rpy: [0, 'q', 0] } },
  },
};

describe('formulas as users write them', () => {
  it.each(Object.entries(bodies).filter(([name]) => full || !long.has(name)))('%s', async (_, body) => {
    // One after the other in the full run: chains of library bodies are in every one.
    const links = [{ name: 'a', joint: { revolute: 'x' }, body: 'own', repeat: full ? 2 : 1 }];
    expect(await failures({ 'body-types': { own: body }, links })).toEqual([]);
  });

  it('rules that suffice for all links of a type, however their parameters differ', async () => {
    const waves = {
      parameters: { ...parameters, waves: '1/2' },
      coordinates: { q: { unit: '1' } },
      volume: rod,
      position: ['x + L*exp(q*sin(2*pi*waves*s/L)/4)', 'y', 's + q*L*cos(q*s/L)/8'],
      distal: { pose: { xyz: [0, 0, 'L*(1 + q/8)'] } },
    };
    const link = { joint: { revolute: 'x' }, body: 'waves' };
    const links = [
      { name: 'a', ...link },
      { name: 'b', ...link, parameters: { waves: 3 } },
    ];
    expect(await failures({ 'body-types': { waves }, links })).toEqual([]);
  });
});

describe('large bodies', () => {
  it.runIf(full)(
    'three trimmed helicoids of a mesh with 8 coordinates each are verified in minutes',
    async () => {
      const { compose, coordinates, distal } = (
        loadYaml(readFileSync('src/library/bodies/lvp-8.yaml', 'utf8')) as LibraryFile
      )['body-types']['lvp-8']!;
      const helicoid = {
        parameters: { L: '0.1 m', rho: '1070 kg/m^3' },
        coordinates,
        volume: {
          mesh: { file: path.resolve('examples/meshes/helicoid.msh'), unit: 'mm', group: 'silicone' },
          coordinates: ['x', 'y', 'z'],
          density: 'rho',
        },
        compose,
        distal,
      };
      const functions = { 'smooth(t)': '3*t^2 - 2*t^3', 'between(t)': '16*t^2*(1 - t)^2' };
      const links = [{ name: 'actuator', body: 'helicoid', repeat: 3 }];
      // A state takes about as long as a piece of work may; where other programs share the core, longer.
      allowSeconds(600);
      try {
        expect(await failures({ functions, 'body-types': { helicoid }, links })).toEqual([]);
      } finally {
        allowSeconds(DEFAULT_SECONDS);
      }
    },
    1_800_000,
  );
});
