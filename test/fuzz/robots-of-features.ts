/**
 * Robots at random of what a file may say together: joints with springs and dry friction, or led by the time; rods, among them such with
 * sections that swell, in equilibrium, or with six strains; positions and solids; motors, tendons, chambers, wrenches, fields; forces between
 * frames, water, loops, contacts; parameters given at run time. All of them are valid.
 */
import { randomNumbers } from '../../src/common/random.ts';

type Part = Record<string, unknown>;

interface Soft {
  readonly name: string;
  readonly kind: 'rod' | 'swelling' | 'balanced' | 'position' | 'box';
}

const BODIES: Readonly<Record<Soft['kind'], readonly Part[]>> = {
  rod: [
    {
      coordinates: { b: { unit: 'rad', limits: [-1.5, 1.5] } },
      strain: { 'bend-x': 'b/L' },
      material: { 'rod-elasticity': { E: 'E*(1 + s/L)', nu: 0.4 }, natural: { 'bend-y': 's/L^2' } },
    },
    {
      coordinates: { b: { unit: 'rad', limits: [-1.5, 1.5] }, e: { unit: 'm', limits: ['-0.03*L', '0.1*L'] } },
      strain: { 'bend-y': 'b/L', stretch: 'e/L' },
      rest: { 'bend-y': '0.4/L' },
      material: { 'rod-elasticity': { E: 'E', nu: 0.5 }, 'retardation-time': 'td*(1 + S)', viscosity: '200 Pa s' },
    },
    {
      coordinates: { b: { unit: 'rad', limits: [-1.5, 1.5] } },
      strain: { 'bend-y': '(b + 0.2*sin(w*t))/L' },
    },
    {
      coordinates: {
        b: { count: 3, unit: 'rad', limits: [-1.5, 1.5] },
        g: { unit: 'rad', limits: [-1, 1] },
        e: { count: 2, unit: 'm', limits: ['-0.03*L', '0.1*L'] },
      },
      strain: {
        'bend-x': 'b1/L',
        'bend-y': [
          { basis: 'legendre', coordinates: 'b', scale: '1/L' },
          { basis: 'linear', coordinates: 'e', scale: '1/L^2' },
        ],
        twist: 'g*(1 + s/L)/L',
        'shear-x': 'e1/L',
        stretch: 'e2/L',
      },
      rest: { twist: '0.3/L', 'bend-x': '0.2*s/L^2' },
      material: { 'rod-elasticity': { E: 'E', nu: 0.45, 'shear-factor': '5/6' }, 'retardation-time': 'td' },
    },
  ],
  swelling: [
    {
      coordinates: {
        b: { count: 2, unit: 'rad', limits: [-1.5, 1.5] },
        r: { unit: 'm', limits: ['-0.2*R', '0.3*R'] },
      },
      let: { hat: '(1 - (2*s/L - 1)^2)^2' },
      strain: { 'bend-y': '(b1 + b2*(2*s/L - 1))/L', 'bend-x': '0.5*b2/L' },
      'section-position': ['x*(1 + r*hat/R)', 'y*(1 + 0.4*r*hat/R)'],
      material: { 'rod-elasticity': { E: 'E', nu: 0.45 } },
      potential: 'kr*r^2',
      dissipation: 'kr*td*r_dot^2',
    },
    {
      coordinates: {
        b: { unit: 'rad', limits: [-1.5, 1.5] },
        e: { unit: 'm', limits: ['-0.03*L', '0.1*L'] },
        r: { unit: 'm', limits: ['-0.2*R', '0.3*R'] },
      },
      strain: { 'bend-y': 'b/L', stretch: 'e/L' },
      'section-position': ['x*(1 + r*s/L/R)', 'y*(1 - 0.5*r/R)'],
      material: { 'rod-elasticity': { E: 'E*(1 + s/L)', nu: 0.45 }, 'retardation-time': 'td' },
      potential: 'kr*r^2',
    },
  ],
  balanced: [
    {
      coordinates: { T: { count: 2, unit: 'N', limits: ['0 N', '2 N'], default: '0.7 N' } },
      strain: {
        equilibrium: {
          tendons: {
            T1: { route: { x: '0.6*R', y: 0 } },
            T2: { route: { x: '-0.2*R*(1 - s/L/2)', y: '0.5*R' }, to: { s: 'L/2' } },
          },
        },
      },
      material: { 'rod-elasticity': { E: 'E', nu: 0.45 }, viscosity: '200 Pa s' },
    },
    {
      coordinates: {
        T1: { unit: 'N', limits: ['0 N', '2 N'], default: '0.5 N' },
        m: { unit: 'N m', limits: ['-5e-3 N m', '5e-3 N m'] },
      },
      strain: {
        equilibrium: {
          tendons: { T1: { route: { x: '0.6*R*cos(4*s/L)', y: '0.6*R*sin(4*s/L)' } } },
          stress: { 'bend-x': 'm*(1 - s/L)' },
          hold: ['shear-x', 'shear-y', 'stretch'],
        },
      },
      material: { 'rod-elasticity': { E: 'E', nu: 0.45 }, 'retardation-time': 'td' },
    },
  ],
  position: [
    {
      coordinates: { q: { unit: 'rad', limits: [-1.5, 1.5] }, e: { unit: 'm', limits: ['-0.05*L', '0.1*L'] } },
      let: { th: 'q*s/L' },
      position: '(L + e)/q*[1 - cos(th), 0, sin(th)] + x*[cos(th), 0, -sin(th)] + [0, y, 0]',
      distal: { pivot: { s: 'L' }, 'x-axis': { s: 'L', x: 'R' }, 'y-axis': { s: 'L', y: 'R' } },
      material: { 'rod-elasticity': { E: 'E', nu: 0.4 } },
    },
  ],
  box: [
    {
      coordinates: { q: { limits: [-0.4, 0.4] }, e: { limits: [-0.2, 0.3] } },
      position: '[x + L*q*(z/L)^2, y*(1 - 0.4*e), z*(1 + e) - 2*q*x*z/L]',
      distal: { at: { z: 'L' } },
      material: { 'st-venant-kirchhoff': { E: 'E', nu: 0.3 }, viscosity: '200 Pa s' },
    },
  ],
};

const PARAMETERS = {
  ...{ L: '0.2 m', R: '12 mm', rho: '1080 kg/m^3', E: '1 MPa', td: '0.02 s', w: '3 1/s' },
  kr: '2e4 N/m',
};

/** Units for the numbers of formulas, and some that are given at run time. */
const OF_ROBOT = {
  kb: { value: 40, unit: 'N/m', runtime: true },
  lb: { value: 0.1, unit: 'm', runtime: true },
  mj: '0.3 J',
  mf: '0.01 N m',
  nm: '1 N/m',
  m0: { value: 0.8, unit: 'kg', runtime: true, min: 0 },
  k0: { value: 5, unit: 'N m/rad', runtime: true },
  w: { value: 2, unit: '1/s', runtime: true },
};

class Writer {
  private readonly random: () => number;
  private readonly links: Part[] = [];
  private readonly softs: Soft[] = [];
  private readonly rigids: string[] = [];
  /** What some coordinate moves. */
  private readonly moved = new Set<string>();
  /** Free coordinates of one axis. */
  private readonly turns: string[] = [];

  constructor(seed: number) {
    this.random = randomNumbers(seed);
  }

  robot(seed: number): Part {
    const kind = this.choose(['rod', 'rod', 'rod', 'swelling', 'balanced', 'position', 'box'] as const);
    const [axial, section] = kind === 'box' ? ['z', {}] : ['s', { section: this.section(kind) }];
    const volume =
      kind === 'box'
        ? { box: { x: ['-R', 'R'], y: ['-R', '0.8*R'], z: [0, 'L'] } }
        : { rod: { [axial]: [0, 'L'] }, ...(section as Part) };
    const body = {
      parameters: PARAMETERS,
      volume: { ...volume, density: 'rho' },
      ...this.choose(BODIES[kind]),
      ...(kind === 'swelling' && { chambers: { inner: { s: [0, '0.8*L'], x: ['-R/4', 'R/3'], y: [0, 'R/3'] } } }),
    };
    const count = 2 + Math.floor(2 * this.random());
    for (let i = 0; i < count; i++) this.link(i, kind, i === count - 1);
    const names = [...this.softs.map(({ name }) => name), ...this.rigids];
    const parts = {
      frames: this.maybe(0.5, () => ({ f0: { on: this.choose(names), offset: this.pose(0.1) } })),
      attach: this.maybe(0.3, () => [
        { name: 'load', to: this.choose(names), rigid: { mass: 0.1, com: this.place(0.05) } },
      ]),
      actuators: this.actuators(names),
      forces: this.forces(names),
      water: this.water(),
      loops: this.loops(names.filter((name) => this.moved.has(name))),
      contacts: this.contacts(),
    };
    return {
      kanegen: 1,
      name: `features-${seed}`,
      gravity: [this.number(2), this.number(2), -9.81],
      parameters: OF_ROBOT,
      'body-types': { body },
      links: this.links,
      ...Object.fromEntries(
        Object.entries(parts).filter(([, part]) => part !== undefined && Object.keys(part).length > 0),
      ),
    };
  }

  private link(i: number, kind: Soft['kind'], isLast: boolean): void {
    const name = `l${i}`;
    const isSoft = (isLast && this.softs.length === 0) || this.random() < 0.5;
    const joint = this.joint(name, isSoft, i);
    const parent = i > 1 && this.random() < 0.3 ? { parent: 'l0' } : {};
    const offset = this.random() < 0.5 ? { offset: this.pose(0.1) } : {};
    const isFree = 'joint' in joint && !Object.keys(joint['joint'] as Part).includes('prescribed');
    if (isSoft || isFree || this.moved.has(i > 1 && 'parent' in parent ? 'l0' : `l${i - 1}`)) this.moved.add(name);
    if (isSoft) this.softs.push({ name, kind });
    else this.rigids.push(name);
    const inertia = { xx: 0.011, yy: 0.012, zz: 0.008, xy: 0.001, xz: 3e-4 };
    const rigid = {
      mass: this.random() < 0.3 ? 'm0' : 0.7,
      com: this.place(0.1),
      inertia,
      distal: this.pose(0.2),
      frame: this.choose(['proximal', 'distal']),
    };
    this.links.push({ name, ...parent, ...offset, ...joint, ...(isSoft ? { body: 'body' } : { rigid }) });
  }

  private joint(name: string, isSoft: boolean, i: number): Part {
    const axis = this.choose(['x', '-y', 'z', [0.6, 0, 0.8]]);
    const led = this.random() < 0.15;
    const of = (type: string, by: string, further: Part): Part => {
      if (!led) this.turns.push(`${name}.${by}`);
      return {
        joint: { [type]: axis, ...(led ? { prescribed: by === 'angle' ? '0.3*sin(w*t)' : 'lb*sin(w*t)' } : further) },
      };
    };
    const passive = (stiffness: string | number): Part => ({
      ...this.maybe(0.4, () => ({ stiffness })),
      ...this.maybe(0.4, () => ({ damping: 0.1 })),
      ...this.maybe(0.3, () => ({ friction: { coulomb: 0.3, at: 0.02 } })),
      ...this.maybe(0.3, () => ({ armature: 0.01 })),
    });
    switch (
      this.choose(['turn', 'turn', 'slide', 'none', 'screw', 'cardan', 'ball', 'plane', ...(i === 0 ? ['free'] : [])])
    ) {
      case 'slide':
        return of('prismatic', 'displacement', passive(100));
      case 'screw':
        return { joint: { helical: { axis, pitch: '20 mm' } } };
      case 'cardan':
        return { joint: { universal: ['z', 'x'] } };
      case 'ball':
        return { joint: 'spherical' };
      case 'plane':
        return { joint: { planar: ['x', 'y'] } };
      case 'free':
        return { joint: 'free' };
      case 'none':
        if (isSoft) return {};
    }
    return of('revolute', 'angle', passive('k0'));
  }

  private actuators(names: readonly string[]): Part {
    const soft = this.softs.find(({ kind }) => kind !== 'box');
    const swelling = soft?.kind === 'swelling';
    const balanced = soft?.kind === 'balanced';
    return {
      ...(balanced && this.maybe(0.7, () => ({ pull: { drives: `${soft.name}.T1` } }))),
      ...(swelling && this.maybe(0.7, () => ({ air: { pressure: `${soft.name}.inner` } }))),
      ...this.maybe(0.4, () => (this.turns[0] ? { motor: { motor: this.turns[0], ratio: -3 } } : undefined)),
      ...this.maybe(
        0.5,
        () => soft && { tendon: { tendon: { through: soft.name, route: { x: '0.6*R', y: '0.1*R' } } } },
      ),
      ...this.maybe(0.3, () =>
        soft?.kind === 'rod' ? { field: { field: { through: soft.name, moment: { 'bend-x': 'mf*s/L' } } } } : undefined,
      ),
      ...this.maybe(0.4, () => ({
        push: { wrench: { on: this.choose(names), [this.choose(['force', 'moment'])]: 'x', axes: 'world' } },
      })),
      ...this.maybe(0.4, () => ({
        winch: {
          along: `distance(${this.choose(names)}, hook)`,
          frames: { hook: { on: 'base', at: [0.5, 0.6, 0.7] } },
        },
      })),
    };
  }

  private forces(names: readonly string[]): Part {
    const rod = this.softs.find(({ kind }) => kind === 'rod');
    return {
      ...this.maybe(0.4, () => ({
        band: {
          potential: `kb/2*(distance(${this.choose(names)}, hook) - lb)^2`,
          frames: { hook: { on: 'base', at: [0.4, 0.5, 0.6] } },
        },
      })),
      ...this.maybe(0.3, () => ({
        dipole: { potential: `-mj*dot([0.2, 0, 1], rotate(${this.choose(names)}, [0, 0.5, 1]))` },
      })),
      ...this.maybe(0.3, () =>
        rod
          ? {
              wind: { through: rod.name, force: ['nm*sin(w*t)', 0, '0.1*nm'], axes: this.choose(['world', 'section']) },
            }
          : undefined,
      ),
    };
  }

  private water(): readonly Part[] {
    const rod = this.softs.find(({ kind }) => kind === 'rod');
    const hull = this.rigids[0];
    const parts = [
      this.maybe(0.3, () =>
        rod ? { on: rod.name, drag: { normal: 1.1 }, 'added-mass': 0.7, radius: '15 mm' } : undefined,
      ),
      this.maybe(0.3, () =>
        hull
          ? {
              on: hull,
              rigid: {
                at: [0.1, 0, 0.02],
                volume: '1e-4 m^3',
                drag: [0.05, 0.1, 0.1, 1, 2, 2],
                'added-mass': [0.001, 0, 0, 0.18, 0.19, 0.19],
              },
            }
          : undefined,
      ),
    ];
    return parts
      .filter((part) => part !== undefined && Object.keys(part).length > 0)
      .map((part) => ({ density: 1000, ...part }));
  }

  private loops(names: readonly string[]): Part {
    const end = { on: 'base', at: [0.3, 0.4, 0.5] };
    const last = names.at(-1);
    return this.maybe(0.3, () =>
      this.choose<Part>([
        { rope: { distance: { a: last, b: end, length: 0.5, unilateral: true }, compliance: '1e-3 m/N' } },
        {
          pin: {
            spherical: { a: last, b: end },
            compliance: { translation: '1e-4 m/N' },
            damping: { translation: '5 N s/m' },
          },
        },
        { gear: { constraint: `dot([1, 0.3, 0], position(${last})) - lb*sin(w*t)` } },
      ]),
    );
  }

  private contacts(): Part {
    const hull = this.rigids.at(-1);
    const law = { 'hunt-crossley': { stiffness: '5 kN/m', damping: '0.5 s/m' } };
    const floor = { plane: { on: 'base', at: [0, 0, -0.1], axis: [0, 0.3, 1] } };
    return this.maybe(0.3, () =>
      hull
        ? {
            floor: {
              between: [{ sphere: { on: hull, radius: '50 mm' } }, floor],
              law,
              friction: { coefficient: 0.4, at: '10 mm/s' },
            },
          }
        : undefined,
    );
  }

  private section(kind: Soft['kind']): Part {
    if (kind === 'position') return { disc: 'R', cartesian: ['x', 'y'] };
    if (kind === 'swelling')
      return { ...this.choose([{ disc: 'R' }, { rectangle: ['2*R', '1.6*R'] }]), cartesian: ['x', 'y'] };
    return this.choose([
      { disc: 'R' },
      { ellipse: ['R', '0.6*R'] },
      { rectangle: ['2*R', 'R'] },
      { annulus: ['R/2', 'R'] },
    ]);
  }

  private pose(size: number): Part {
    const angle = (): string => `${Math.round(this.number(180))} deg`;
    return { xyz: this.place(size), ...(this.random() < 0.5 ? { rpy: [angle(), angle(), angle()] } : {}) };
  }

  private place(size: number): number[] {
    return [this.number(size), this.number(size), this.number(size)];
  }

  private number(size: number): number {
    return Math.round(1000 * size * (2 * this.random() - 1)) / 1000;
  }

  private choose<T>(of: readonly T[]): T {
    return of[Math.floor(of.length * this.random())]!;
  }

  private maybe<T extends object>(share: number, make: () => T | '' | undefined): Partial<T> {
    return (this.random() < share && make()) || {};
  }
}

/** The robot of a seed, as a file has it. */
export function robotOfFeatures(seed: number): Record<string, unknown> {
  return new Writer(seed).robot(seed);
}
