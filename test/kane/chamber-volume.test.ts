/**
 * Volumes of chambers and their derivatives, by interpreting the terms: against exact quadrature of the same maps in 256-bit
 * arithmetic, and against sums over fine grids and difference quotients.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadRobotObject } from '../../src/description/load.ts';
import type { BodyType } from '../../src/description/model/robot.ts';
import { linkCoordinate } from '../../src/kane/link/link-coordinate.ts';
import type { ActuationTerm } from '../../src/kane/body/actuation-terms.ts';
import { chamberVolume } from '../../src/kane/points/chamber-volume.ts';
import { defaultParameters } from '../../src/kane/kinematics/sample-configurations.ts';
import { zero, type Expr } from '../../src/symbolic/graph/expr.ts';
import { freeSymbols } from '../../src/symbolic/graph/traverse.ts';
import { evaluateLooped } from './interpreter.ts';

const isFull = process.env['KANEGEN_FULL'] === '1';

interface Chambers {
  readonly type: BodyType;
  readonly terms: readonly ActuationTerm[];
}

const known = new Map<object, Chambers>();

function chambersOf(definition: object): Chambers {
  const before = known.get(definition);
  if (before) return before;
  const robot = loadRobotObject({
    kanegen: 1,
    name: 'chambers',
    'body-types': { own: definition },
    links: [{ body: 'own' }],
  });
  const { body } = robot.links[0]!;
  if (body.kind !== 'deformable') throw new Error('a deformable body expected');
  const { type } = body;
  const coordinates = type.coordinates.map(linkCoordinate);
  const symbols = {
    q: coordinates.map((c) => c.symbol),
    qd: coordinates.map((c) => c.rate),
    qdd: coordinates.map((c) => c.acceleration),
  };
  const own = {
    type,
    terms: type.chambers!.map((one) => chamberVolume(type, one, symbols, [defaultParameters(type)])),
  };
  known.set(definition, own);
  return own;
}

interface Numbers {
  readonly value: number;
  readonly gradient: readonly number[];
  readonly rate: number;
  readonly bias: number;
}

function numbersOf({ type }: Chambers, term: ActuationTerm, q: readonly number[], qd: readonly number[]): Numbers {
  const state = new Map<Expr, number>(defaultParameters(type));
  type.coordinates.map(linkCoordinate).forEach((c, i) => {
    state.set(c.symbol, q[i]!);
    state.set(c.rate, qd[i]!);
  });
  const [value, rate, bias, ...gradient] = evaluateLooped(
    [term.value, term.rate, term.bias, ...term.gradient],
    term.loops,
    state,
  ) as [number, number, number, ...number[]];
  return { value, rate, bias, gradient };
}

interface PressureFile {
  readonly parameters: { readonly links: readonly [Record<string, number>] };
  readonly states: readonly {
    readonly name: string;
    readonly q: readonly number[];
    readonly qd: readonly number[];
    readonly volume: readonly string[];
    readonly volume_gradient: readonly (readonly string[])[];
    readonly volume_rate: readonly string[];
  }[];
}

const cavity = {
  parameters: { L: 0.08, Ri: 0.015, Ro: 0.022 },
  coordinates: {
    ...{ q1: { limits: [-0.5, 0.5] }, q2: { limits: [-0.3, 0.5] }, q3: { limits: [-0.15, 0.15] } },
    ...{ q4: { limits: [-1, 1] }, q5: { limits: [-1, 1] } },
  },
  volume: { rod: { z: [0, 'L'] }, section: { annulus: ['Ri', 'Ro'], cartesian: ['x', 'y'] }, density: 1062 },
  let: { t: 'z/L', f: '3*t^2 - 2*t^3', a: 'Ri^2*(q1*f + q2*4*t*(1 - t))' },
  compose: [
    { map: ['x*sqrt(1 + a/(x^2 + y^2))', 'y*sqrt(1 + a/(x^2 + y^2))', 'z'] },
    { elongation: { axis: 'z', displacement: 'q3*L*(3*(z/L)^2 - 2*(z/L)^3)' } },
    { bending: { axis: 'z', direction: 'x', curvature: 'q4/L' } },
    { bending: { axis: 'z', direction: 'y', curvature: 'q5/L' } },
  ],
  distal: 'none',
  integration: { tolerance: 1e-7 },
  chambers: { cavity: { wall: { r: 'Ri' } } },
};

const size = ({ L, R, rho }: Record<string, number>): object => ({ L: L!, R: R!, rho: rho!, wall: '4 mm' });

const bodies: Record<string, (link: Record<string, number>) => object> = {
  planar_cce: (link) => ({
    extends: 'planar-cc-elongation',
    parameters: size(link),
    chambers: {
      inner: { r: [0, 'R - wall'], phi: ['-pi/2', 'pi/2'] },
      outer: { r: [0, 'R - wall'], phi: ['pi/2', '3*pi/2'] },
    },
  }),
  var_radius: (link) => ({
    extends: 'variable-radius',
    parameters: { ...size(link), phi0: `${link['phi0_over_pi']!}*pi`, c: link['L']! ** 2 },
    chambers: { upper: { r: [0, 'R - wall'], phi: [0, 'pi'] }, lower: { r: [0, 'R - wall'], phi: ['pi', '2*pi'] } },
  }),
  lvp_cavity: () => cavity,
};

function reference(file: string): PressureFile {
  const text = readFileSync(new URL(`../reference/forces/${file}.json`, import.meta.url), 'utf8');
  return JSON.parse(text) as PressureFile;
}

/** Largest error of a volume relative to it, and of a gradient relative to its largest entry. */
function worstError(file: string): { volume: number; gradient: number; rate: number; terms: readonly ActuationTerm[] } {
  const { parameters, states } = reference(file);
  const [link] = parameters.links;
  const own = chambersOf(bodies[String(link['type'])]!(link));
  const worst = { volume: 0, gradient: 0, rate: 0, terms: own.terms };
  for (const state of states)
    own.terms.forEach((term, k) => {
      const { value, gradient, rate } = numbersOf(own, term, state.q, state.qd);
      const exact = state.volume_gradient[k]!.map(Number);
      const scale = Math.max(...exact.map(Math.abs));
      worst.volume = Math.max(worst.volume, Math.abs(value / Number(state.volume[k]) - 1));
      worst.rate = Math.max(worst.rate, Math.abs(rate - Number(state.volume_rate[k])) / scale);
      exact.forEach((e, a) => (worst.gradient = Math.max(worst.gradient, Math.abs(gradient[a]! - e) / scale)));
    });
  return worst;
}

/** Values, rates and second rates of all chambers of a type on a path q + t q̇, held against difference quotients. */
function expectConsistent(own: Chambers, q: readonly number[], qd: readonly number[], bar: number): void {
  const h = 1e-4;
  const along = (t: number): number[] => q.map((x, a) => x + t * qd[a]!);
  for (const term of own.terms) {
    const [before, here, after] = [-h, 0, h].map((t) => numbersOf(own, term, along(t), qd)) as [
      Numbers,
      Numbers,
      Numbers,
    ];
    const scale = Math.max(...here.gradient.map(Math.abs)) * Math.hypot(...qd);
    expect(Math.abs((after.value - before.value) / (2 * h) - here.rate) / scale, `${term.name}: rate`).toBeLessThan(
      bar,
    );
    expect(Math.abs((after.rate - before.rate) / (2 * h) - here.bias) / scale, `${term.name}: bias`).toBeLessThan(bar);
    const sum = here.gradient.reduce((total, e, a) => total + e * qd[a]!, 0);
    expect(Math.abs(sum - here.rate) / scale).toBeLessThan(1e-13);
  }
}

describe('volumes of chambers', () => {
  it.each([
    ['P_planar_cce', 1e-14, 'closed form'],
    ['P_var_radius_phi90', 1e-9, 'constants'],
    ...(isFull
      ? ([
          ['P_var_radius_phi0', 1e-9, 'constants'],
          ['P_hollow_cavity', 1e-6, 'points'],
        ] as const)
      : []),
  ] as const)('of %s are those of exact quadrature', (file, bar, method) => {
    const { volume, gradient, rate, terms } = worstError(file);
    expect(volume).toBeLessThan(bar);
    expect(gradient).toBeLessThan(bar);
    expect(rate).toBeLessThan(bar);
    expect(terms[0]!.method).toContain(method);
  });

  it('have rates and second rates', () => {
    const growing = chambersOf(bodies['var_radius']!(reference('P_var_radius_phi90').parameters.links[0]));
    expectConsistent(growing, [0.5, 0.02, 0.4, -0.3], [-0.7, 0.03, 0.3, 0.5], 1e-6);
    const swelling = chambersOf({
      coordinates: { q1: { unit: '1/m', limits: [-4, 4] }, q2: { limits: [-1, 1] } },
      volume: { box: { x: [0, 0.1], y: [0, 0.1], z: [0, 0.1] }, density: 1000 },
      position: ['x*exp(q1*x)', 'y*(1 + q2*sin(q1*x))', 'z'],
      distal: 'none',
      chambers: { one: { x: [0.02, 0.1] } },
    });
    expect(swelling.terms[0]!.method).toContain('in every configuration');
    expectConsistent(swelling, [3, 0.4], [-5, 0.6], 1e-5);
  });

  it('are linear in the coordinates of bodies with constant curvature, without a loop', () => {
    const { terms } = chambersOf(bodies['planar_cce']!(reference('P_planar_cce').parameters.links[0]));
    for (const { loops, bias, gradient } of terms) {
      expect(loops).toEqual([]);
      expect(bias).toBe(zero);
      expect(gradient.flatMap((e) => freeSymbols([e])).some((s) => s.name.startsWith('body.q'))).toBe(false);
    }
  });

  it.each([
    ['a sector', { s: ['L/4', 'L'], r: ['R/4', '3*R/4'], phi: ['pi/6', 'pi'] }],
    ['a sector that narrows', { r: [0, 'R*(1 - s/(2*L))'], phi: ['-pi/3', 'pi/2'] }],
    ['a channel of rectangular section', { s: [0, 'L/2'], x: ['R/8', 'R/2'], y: ['-R/3', 'R/4'] }],
    ['what a wall encloses', { wall: { r: 'R*(1 - s/(3*L))' }, s: ['L/10', 'L'] }],
  ])('of %s are the same by strain and by position', (_, chamber) => {
    const q = [0.6, -0.8, 0.03];
    const [strain, position] = ['pcc-3d', 'pcc-3d-by-position'].map((name) => {
      const own = chambersOf({ extends: name, chambers: { one: chamber }, integration: { tolerance: 1e-10 } });
      return numbersOf(own, own.terms[0]!, q, [0.3, 0.2, -0.01]);
    }) as [Numbers, Numbers];
    const scale = Math.max(...strain.gradient.map(Math.abs));
    expect(Math.abs(position.value / strain.value - 1)).toBeLessThan(1e-9);
    strain.gradient.forEach((e, a) => expect(Math.abs(position.gradient[a]! - e) / scale).toBeLessThan(1e-9));
    // Linear in the coordinates, however it is put together.
    expect(strain.bias).toBe(0);
    expect(Math.abs(position.bias) / scale).toBeLessThan(1e-9);
  });

  it('along rods whose strain varies need constants only, where it is linear in the coordinates', () => {
    const chambers = { one: { s: ['L/5', 'L'], r: [0, 'R/2'], phi: [0, 'pi'] } };
    const own = chambersOf({ extends: 'gvs-affine-3d', chambers });
    const [{ loops, bias, gradient }] = own.terms as [ActuationTerm];
    expect(loops.every((loop) => loop.stage === 0)).toBe(true);
    expect(bias).toBe(zero);
    expect(gradient.length).toBe(6);
    // ν_z A + κ_x S_y with S_y = ∫ y dA = 2/3 (R/2)³, over 4/5 of the length; bend-x = (q1 + q2 s/L)/L
    const { value } = numbersOf(own, own.terms[0]!, [0.4, -0.2, 0, 0, 0, 0.01], [0, 0, 0, 0, 0, 0]);
    const [L, R] = [0.2, 0.02];
    const bend = 0.4 * 0.8 - 0.2 * ((1 - 0.04) / 2);
    expect(value / ((1 + 0.01 / L) * ((Math.PI * R * R) / 8) * 0.8 * L + bend * ((2 / 3) * (R / 2) ** 3))).toBeCloseTo(
      1,
      12,
    );
  });

  it('of boxes, meshes and elliptical rods are those of their maps', () => {
    // x stretches by 1 + q x: ∫ (1 + 2 q x) over the region
    const map = { coordinates: { q: { unit: '1/m' } }, position: ['x + q*x^2', 'y', 'z'], distal: 'none' };
    const tetrahedron = {
      nodes: [
        [0, 0, 0],
        [0.1, 0, 0],
        [0, 0.1, 0],
        [0, 0, 0.1],
      ],
      tetrahedra: [[0, 1, 2, 3]],
    };
    const volumes = {
      box: [
        { box: { x: [0, 0.1], y: [0, 0.1], z: [0, 0.1] }, density: 1000 },
        { x: [0.02, 0.06], z: [0.05, 0.1] },
        0.04 * 0.1 * 0.05,
        0.04,
      ],
      mesh: [{ mesh: tetrahedron, density: 1000 }, {}, 1e-3 / 6, 0.025],
      group: [
        { box: { x: [0, 0.1], y: [0, 0.1], z: [0, 0.1] }, density: 1000 },
        { mesh: tetrahedron },
        1e-3 / 6,
        0.025,
      ],
      ellipse: [
        { rod: { z: [0, 0.1] }, section: { ellipse: [0.02, 0.01] }, density: 1000 },
        { r: [0, 0.5], phi: ['-pi/2', 'pi/2'] },
        (0.1 * Math.PI * 0.01 * 0.005) / 2,
        (4 * 0.01) / (3 * Math.PI),
      ],
    } as const;
    for (const [name, [volume, chamber, size, mean]] of Object.entries(volumes)) {
      const own = chambersOf({ ...map, volume, chambers: { one: chamber } });
      const { value, gradient } = numbersOf(own, own.terms[0]!, [0.7], [0]);
      expect(value / (size * (1 + 1.4 * mean)), name).toBeCloseTo(1, 9);
      expect(gradient[0]! / (2 * size * mean), name).toBeCloseTo(1, 9);
    }
  });

  it.each([
    [
      'the material of a body that keeps its volume',
      { extends: 'lvp', chambers: { one: { r: [0, 0.015], phi: [0, 'pi'] } } },
      (Math.PI / 2) * 0.015 ** 2 * 0.2,
    ],
    [
      'the whole section where only bending is possible',
      { extends: 'planar-cc', chambers: { one: {} } },
      Math.PI * 0.02 ** 2 * 0.2,
    ],
  ])('have no force where they cannot change: %s', (_, definition, volume) => {
    const own = chambersOf(definition);
    const n = own.type.coordinates.length;
    const { value, gradient, rate, bias } = numbersOf(
      own,
      own.terms[0]!,
      own.type.coordinates.map((_, i) => 0.3 + 0.2 * i),
      own.type.coordinates.map((_, i) => 0.5 - 0.3 * i),
    );
    expect(value / volume).toBeCloseTo(1, 12);
    expect([...gradient, rate, bias]).toEqual(new Array(n + 2).fill(0));
  });

  it('within walls of constant thickness are those between surfaces of the swollen section', () => {
    const [L, R, c, wall, phi0] = [0.2, 0.02, 0.002, 0.004, 0.7];
    const own = chambersOf({
      extends: 'variable-radius',
      parameters: { c: '0.002 m^2', wall: '4 mm', phi0 },
      coordinates: Object.fromEntries(
        [1, 2, 3, 4].map((i) => [`q${i}`, { unit: i === 1 ? 'rad' : 'm', limits: i === 1 ? [-1, 1] : [-4e-3, 0.01] }]),
      ),
      let: { lining: 'R - wall/(1 + along*around/R)' },
      chambers: { one: { s: ['L/10', 'L'], r: ['R/5', 'lining'], phi: [0, 'pi'] } },
    });
    // In the swollen section: from radius (1 + δ/R) R/5 to R + δ − wall, material stretched by 1 + q2/L − q1/L x.
    const volume = ([q1, q2, q3]: readonly number[]): number => {
      let sum = 0;
      const [along, around] = [1500, 300];
      for (let i = 0; i < along; i++)
        for (let k = 0; k < around; k++) {
          const s = L / 10 + (0.9 * L * (i + 0.5)) / along;
          const phi = (Math.PI * (k + 0.5)) / around;
          const growth = q3! * Math.exp(-c / (s * (L - s))) * Math.exp(-1 / (phi * (Math.PI - phi)));
          const [inner, outer] = [((1 + growth / R) * R) / 5, R + growth - wall];
          const moment = ((outer ** 3 - inner ** 3) / 3) * Math.cos(phi - phi0);
          sum += ((outer ** 2 - inner ** 2) / 2) * (1 + q2! / L) - (q1! / L) * moment;
        }
      return (sum * 0.9 * L * Math.PI) / along / around;
    };
    const q = [0.6, 0.008, 0.007, -0.002];
    const { value, gradient } = numbersOf(own, own.terms[0]!, q, [0, 0, 0, 0]);
    expect(value / volume(q)).toBeCloseTo(1, 6);
    q.forEach((_, a) => {
      const [after, before] = [1e-5, -1e-5].map((h) => volume(q.map((x, i) => (i === a ? x + h : x)))) as [
        number,
        number,
      ];
      expect(gradient[a]! / R ** 2).toBeCloseTo((after - before) / 2e-5 / R ** 2, 5);
    });
    expectConsistent(own, q, [-0.7, 0.03, 0.02, 0.01], 1e-6);
  });

  it.each([
    [{ r: [0, 'R + q3'] }, /reaches 0\.01 beyond the body along r where `q3` is at its upper limit/],
    [{ r: ['R/2', 'R/2 - q3'] }, /the range of r has the length 0: the chamber has no volume/],
    [{ r: ['R/2', 'R/2 + q3 + wall'] }, /the length -0\.003.*: the chamber has no volume where `q3` is at its lower/],
    [{ r: [0, 'R/2 + x/4'] }, /the range of r depends on `x`/],
    [{ r: [0, 'R/2'], phi: [0, '3 + q1'] }, /the range of phi depends on `q1`/],
    [{ s: [0, 'L - q2'] }, /unknown symbol `q2`/],
  ])('are refused where ranges that move are wrong: %j', (chamber, message) => {
    const angle = { unit: 'rad' };
    const coordinates = { q1: angle, q2: angle, q3: { unit: 'm', limits: [-0.008, 0.01] } };
    const parameters = { wall: '5 mm' };
    expect(() => chambersOf({ extends: 'pcc-3d', parameters, coordinates, chambers: { one: chamber } })).toThrow(
      message,
    );
  });

  it.each([
    [{ r: ['R', 'R/2'] }, /the range of r has the length -0\.01: the chamber has no volume/],
    [{ r: [0, '2*R'] }, /reaches 0\.02 beyond the body along r/],
    // At both ends and in the middle within the body.
    [{ r: [0, 'R*(1/2 + 16*s*(L - s)*(L - 2*s)^2/L^4)'] }, /beyond the body along r/],
    [{ s: ['-L', 'L'] }, /reaches 0\.2 beyond the body along s/],
    [{ phi: [0, '3*pi'] }, /beyond a full turn/],
    [{ x: [0, 'R/2'] }, /the range of y is missing/],
    [{ x: [0, 'R/2'], y: [0, '2*R'] }, /beyond the body along y/],
    [{ radius: [0, 'R'] }, /`radius` is not a coordinate of this chamber/],
    [{ r: [0, 'R/s'] }, /must be a length/],
    [{ wall: { r: '2*R' } }, /this wall lies 0\.02 outside the body/],
    [{ wall: { s: 'R' } }, /a wall is a surface of one radius/],
    [{ volume: 'core' }, /this body has no volume `core`/],
    [{ r: 'R' }, /chambers|list|range/],
  ])('are refused where the region is wrong: %j', (chamber, message) => {
    expect(() => chambersOf({ extends: 'pcc-3d', chambers: { one: chamber } })).toThrow(message);
  });
});
