/**
 * Bodies and materials by the names that reference files have for them, in the language of robot files.
 */

import type { BodyElement, ReferenceTendon } from './reference-actuators.ts';

export type Vector = readonly number[];
type Matrix = readonly Vector[];

/** One segment of a reference file. */
export interface Segment {
  readonly type: string;
  readonly axis?: string | Vector;
  /** Rotation of a constant transform, or radius of a rod. */
  readonly R?: Matrix | number;
  readonly p?: Vector;
  readonly mass?: number;
  readonly com?: Vector;
  readonly inertia?: Matrix;
  readonly inertial_frame?: 'proximal' | 'distal';
  readonly L?: number;
  readonly a?: number;
  readonly b?: number;
  readonly rho?: number;
  /** Of rods that taper, and of those of family F. */
  readonly R_base?: number;
  readonly R_tip?: number;
  readonly R_inner?: number;
  readonly R_outer?: number;
  readonly sigma?: number;
  readonly bump_numerator_power_of_L?: number;
  readonly phi0_over_pi?: number;
  /** Strain without stress, by name. */
  readonly rest?: Readonly<Record<string, number>>;
  readonly material?: { readonly law: string } & Readonly<Record<string, number | string>>;
  readonly damping?: Readonly<Record<string, number>>;
  /** Of rods whose strain is implicit: unit moments on a strain from one place to another. */
  readonly moments?: readonly { readonly of: string; readonly from: number; readonly to: number }[];
}

/** A body, and what its dynamics may be off by: nothing but rounding when its integrals are closed forms. */
export interface LibraryBody {
  /** In the library. */
  readonly body: string;
  /** In place of the library's. */
  readonly type?: object;
  /** Coordinates of the type where it has chambers: as far as the states of those go. */
  readonly driven?: object;
  /** Relative, where integrals are computed to a tolerance of `integrals`. */
  readonly tolerance?: number;
  /** In place of the tolerance that the type has in the library. */
  readonly integrals?: number;
  /** The same of bodies with the material of a solid, whose forces may be off by ten times as much. */
  readonly solid?: number;
  /** The material coordinate that runs along it, where that is not s. */
  readonly axial?: string;
  parameters(segment: Segment): object;
}

const cylinder = ({ L, R, R_base: R0, R_tip: R1, rho }: Segment): object =>
  R0 === undefined ? { L, R, rho } : { L, R0, R1, rho };

const affine = { parameters: cylinder, tolerance: 1e-11, integrals: 1e-11 };

/** A Ritz basis of six polynomials over a box. */
const box = {
  parameters: { L: 0.2, a: 0.04, b: 0.03, rho: 1000 },
  coordinates: { q: { count: 6, limits: [-0.6, 0.6] } },
  volume: { box: { x: ['-a/2', 'a/2'], y: ['-b/2', 'b/2'], z: [0, 'L'] }, density: 'rho' },
  let: { t: 'z/L' },
  position: [
    'x + L*(q1*t^2 + q2*t^3) + q6*x*t*(1 - t)',
    'y + L*q3*t^2 + q6*y*t*(1 - t)',
    'z + L*q5*t - x*(2*q1*t + 3*q2*t^2) + q4*x*t - 2*y*q3*t',
  ],
  distal: 'none',
};

/** A hollow cylinder whose cavity widens, and which stretches and bends, without change of volume. */
const cavity = {
  parameters: { L: 0.08, Ri: 0.015, Ro: 0.022, rho: 1000 },
  coordinates: { q: { count: 5 } },
  volume: { rod: { z: [0, 'L'] }, section: { annulus: ['Ri', 'Ro'], cartesian: ['x', 'y'] }, density: 'rho' },
  let: { t: 'z/L', f: '3*t^2 - 2*t^3', a: 'Ri^2*(q1*f + q2*4*t*(1 - t))' },
  compose: [
    { map: ['x*sqrt(1 + a/(x^2 + y^2))', 'y*sqrt(1 + a/(x^2 + y^2))', 'z'] },
    { elongation: { axis: 'z', displacement: 'q3*L*(3*(z/L)^2 - 2*(z/L)^3)' } },
    { bending: { axis: 'z', direction: 'x', curvature: 'q4/L' } },
    { bending: { axis: 'z', direction: 'y', curvature: 'q5/L' } },
  ],
  distal: 'none',
};

/** Curvature with a bump whose height, width and place are coordinates, on a polynomial. */
const octopus = {
  parameters: { L: 0.2, R0: 0.01, R1: 0.001, rho: 1000 },
  // As far as the states go.
  coordinates: {
    q1: { limits: [-15, 15] },
    q2: { limits: [-11, 11] },
    q3: { default: 0.5, limits: [0.2, 1.2] },
    ...{ q4: {}, q5: {}, q6: {} },
  },
  volume: { rod: { s: [0, 'L'] }, section: { disc: 'R0 + (R1 - R0)*s/L' }, density: 'rho' },
  let: { X: 's/L' },
  strain: { 'bend-y': '(q1/(1 + (q2*(X - q3))^2) + q4 + q5*X + q6*X^2)/L' },
};

/** By the names that reference files have for them. */
export const BODIES: ReadonlyMap<string, LibraryBody> = new Map<string, LibraryBody>([
  ['planar_cc', { body: 'planar-cc', parameters: cylinder }],
  ['planar_cce', { body: 'planar-cc-elongation', parameters: cylinder }],
  ['pcc3d', { body: 'pcc-3d', parameters: cylinder }],
  ['pcs', { body: 'pcs', parameters: cylinder }],
  ['gvs_affine_planar', { body: 'gvs-affine-planar', ...affine }],
  ['gvs_affine_3d', { body: 'gvs-affine-3d', ...affine }],
  ['octopus', { body: 'octopus', type: octopus, ...affine, tolerance: 1e-9 }],
  ['lvp', { body: 'lvp', ...affine, axial: 'z' }],
  ['box_ritz', { body: 'box', type: box, parameters: ({ L, a, b, rho }) => ({ L, a, b, rho }) }],
  [
    'lvp_cavity',
    {
      body: 'cavity',
      type: cavity,
      driven: {
        ...{ q1: { limits: [-0.5, 0.5] }, q2: { limits: [-0.5, 0.5] }, q3: { limits: [-0.15, 0.15] } },
        ...{ q4: { limits: [-1, 1] }, q5: { limits: [-1, 1] } },
      },
      tolerance: 1e-6,
      solid: 1e-8,
      axial: 'z',
      parameters: ({ L, R_inner: Ri, R_outer: Ro, rho }) => ({ L, Ri, Ro, rho }),
    },
  ],
  [
    'pgc',
    {
      body: 'pgc',
      tolerance: 1e-9,
      integrals: 1e-11,
      parameters: ({ L, R_base: R0, R_tip: R1, rho, sigma }) => ({ L, R0, R1, rho, sigma }),
    },
  ],
  [
    'var_radius',
    {
      body: 'variable-radius',
      tolerance: 1e-9,
      integrals: 1e-10,
      solid: 1e-8,
      parameters: ({ L, R, rho, bump_numerator_power_of_L: power, phi0_over_pi: turn }) => ({
        ...{ L, R, rho },
        phi0: `${turn}*pi`,
        c: L! ** power!,
      }),
    },
  ],
]);

/** Laws of damping that a file may give numbers for, by the name of their constant. */
export type DampingKind = 'retardation_time' | 'viscosity' | 'eta';

export const DAMPING_KINDS: readonly DampingKind[] = ['retardation_time', 'viscosity', 'eta'];

const LAWS: Readonly<Record<string, (constants: Readonly<Record<string, number | string>>) => object>> = {
  st_venant_kirchhoff: ({ E, nu }) => ({ 'st-venant-kirchhoff': { E, nu } }),
  neo_hookean_incompressible: ({ mu }) => ({ 'neo-hookean': { mu } }),
  rod_elasticity: ({ E, nu = 0.5, shear_factor: factor = 1 }) => ({
    'rod-elasticity': { E, nu, 'shear-factor': factor },
  }),
};

/** What a segment says beyond the dynamics of its body: material, strain at rest, taper; nothing for most. */
export function elasticType(
  { body, type }: LibraryBody,
  { material, damping, rest, R_base: R0, R_tip: R1 }: Segment,
  kind: DampingKind | undefined,
): object | undefined {
  if (!material && !rest) return undefined;
  const constant = kind && damping?.[kind];
  const viscous = constant !== undefined && {
    [kind === 'retardation_time' ? 'retardation-time' : 'viscosity']: constant,
  };
  const tapers = R0 !== undefined && !type;
  const strain =
    rest && Object.fromEntries(Object.entries(rest).map(([name, value]) => [name.replace(/_/g, '-'), value]));
  const isPlanar = body === 'planar-cc' && material?.law === 'rod_elasticity';
  return {
    ...(tapers && {
      parameters: { R0, R1 },
      volume: { rod: { s: [0, 'L'] }, section: { disc: 'R0 + (R1 - R0)*s/L' }, density: 'rho' },
    }),
    ...(strain && { rest: strain }),
    // E I of a body that is given by its position.
    ...(isPlanar && { parameters: { E: material['E'] }, potential: 'E*pi*R^4/8*q^2/L' }),
    ...(material && !isPlanar && { material: { ...LAWS[material.law]!(material), ...viscous } }),
  };
}

/** As far as tensions and moments go within which rules are chosen. */
const TENSION = [-2, 30];
const MOMENT = [-0.15, 0.15];

/** The coordinate that is the tension of a tendon. */
export const tensionName = (index: number): string => `T${index + 1}`;

/** A rod whose strain balances tensions of tendons, its coordinates, and amplitudes of moments. */
export function balancedType(
  { L, R_base: R0, R_tip: R1, rho, rest, material, moments = [] }: Segment,
  tendons: readonly ReferenceTendon[],
  tolerance: number,
): object {
  const numbers: Record<string, number> = {};
  const known = (value: number): string => {
    const name = `number${Object.keys(numbers).length + 1}`;
    numbers[name] = value;
    return name;
  };
  const formula = (text: string): string =>
    text
      .replace(/\bR_base\b/g, 'R0')
      .replace(/\bR_tip\b/g, 'R1')
      .replace(/(?<![\w.])\d+(\.\d+)?([eE][+-]?\d+)?/g, (number) => known(Number(number)));
  const dashed = (name: string): string => name.replace(/_/g, '-');
  const routes = tendons.map(({ path }, j) => {
    const { from, to, x, y } = path[0] as BodyElement;
    return [
      tensionName(j),
      {
        route: { x: formula(x), y: formula(y) },
        ...(from > 0 && { from: { s: from } }),
        ...(to < L! && { to: { s: to } }),
      },
    ] as const;
  });
  const names = moments.map((_, k) => `m${k + 1}`);
  const stress: Record<string, string> = {};
  moments.forEach(({ of, from, to }, k) => {
    const own = `select(s < ${known(from)}, 0, select(s < ${known(to)}, ${names[k]!}, 0))`;
    const before = stress[dashed(of)];
    stress[dashed(of)] = before === undefined ? own : `${before} + ${own}`;
  });
  const viscosity = material?.['viscosity'];
  return {
    parameters: { L, R0, R1, rho, ...numbers },
    coordinates: {
      ...Object.fromEntries(tendons.map((_, j) => [tensionName(j), { unit: 'N', limits: TENSION }])),
      ...Object.fromEntries(names.map((name) => [name, { unit: 'N m', limits: MOMENT }])),
    },
    volume: { rod: { s: [0, 'L'] }, section: { disc: 'R0 + (R1 - R0)*s/L' }, density: 'rho' },
    ...(rest && { rest: Object.fromEntries(Object.entries(rest).map(([name, value]) => [dashed(name), value])) }),
    strain: { equilibrium: { tendons: Object.fromEntries(routes), ...(moments.length > 0 && { stress }) } },
    material: { ...LAWS['rod_elasticity']!(material!), ...(viscosity !== undefined && { viscosity }) },
    integration: { tolerance },
  };
}
