/**
 * Elastic and viscous forces of rods against the energy and the dissipation of their material points: an axial strain
 * ε = ν_z + κ_x y − κ_y x and shears that twist and shear cause at every point of a section without symmetry.
 */
import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import type { BodyType } from '../../src/description/model/robot.ts';
import type { RodVolume } from '../../src/description/model/reference-volume.ts';
import { REST_STRAIN } from './bodies.ts';
import type { RodMaterial } from '../../src/description/model/material.ts';
import { LoopProgram } from '../../src/kane/loops/evaluate-loops.ts';
import { rodElasticity } from '../../src/kane/rods/rod-elasticity.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import {
  decimal,
  minus,
  one,
  plus,
  sin,
  square,
  symbol,
  times,
  zero,
  type Expr,
} from '../../src/symbolic/graph/expr.ts';
import type { Vector3 } from '../../src/symbolic/graph/vector.ts';
import { gaussLegendre } from '../../src/verify/arithmetic/gauss-legendre.ts';
import { L, q, s } from './bodies.ts';
import { randomNumbers } from './point-masses.ts';
import { coordinateSymbols } from './rod-chain.ts';
import { torsionOfEllipse, torsionOfRectangle } from './torsion.ts';
import { strainRod, u } from './rods.ts';

const MODULUS = 3.1;
const SHEAR = 1.7;
const SHEAR_FACTOR = 0.8;
const VISCOSITY = 0.6;
const LENGTH = 0.7;
const time = symbol('test.time');

type Shape = RodVolume['shape'];

/** Points of equal weight with the area and the second moments of a section, at an axial coordinate, and its torsion constant. */
function sectionPoints(shape: Shape, at: number): { area: number; torsion: number; points: [number, number][] } {
  const size = (e: Expr): number => evaluate([e], new Map<Expr, number>([...known, [s, at]]))[0]!;
  const signs = [1, -1];
  if (shape.shape === 'rectangle') {
    const [w, h] = [size(shape.width), size(shape.height)];
    const points = signs.flatMap((i) =>
      signs.map((j): [number, number] => [(i * w) / Math.sqrt(12), (j * h) / Math.sqrt(12)]),
    );
    return { area: w * h, torsion: torsionOfRectangle(w, h), points };
  }
  if (shape.shape !== 'ellipse') throw new Error('rectangles and ellipses only');
  const [a, b] = [size(shape.semiAxisX), size(shape.semiAxisY)];
  const points = signs.flatMap((i): [number, number][] => [
    [(i * a) / Math.SQRT2, 0],
    [0, (i * b) / Math.SQRT2],
  ]);
  return { area: Math.PI * a * b, torsion: torsionOfEllipse(a, b), points };
}

const known = new Map<Expr, number>([[L, LENGTH]]);

interface Moduli {
  readonly axial: number;
  readonly shear: number;
  readonly shearFactor: number;
}
const STIFFNESS: Moduli = { axial: MODULUS, shear: SHEAR, shearFactor: SHEAR_FACTOR };
const NEWTONIAN: Moduli = { axial: 3 * VISCOSITY, shear: VISCOSITY, shearFactor: 1 };

/** Exact for the polynomials of degree eleven that all of these rods have along their length. */
const NODES = gaussLegendre(8, Decimal).map(({ position, weight }) => [Number(position), Number(weight)] as const);

/** ∫∫ ½ (axial ε² + shear γ²) dA ds; `strain` is that of the material, or its rate. */
function quadraticForm(type: BodyType, strain: (at: number) => readonly number[], moduli: Moduli): number {
  let total = 0;
  for (const [position, share] of NODES) {
    const at = LENGTH * position;
    const [kx, ky, kz, nx, ny, nz] = strain(at) as [number, number, number, number, number, number];
    const weight = LENGTH * share;
    for (const volume of type.volumes as readonly RodVolume[]) {
      const { area, torsion, points } = sectionPoints(volume.shape, at);
      // Nobody knows how one of several sections warps.
      const isAlone = type.volumes.length === 1;
      if (isAlone) total += (weight * moduli.shear * torsion * kz * kz) / 2;
      for (const [x, y] of points) {
        const stretch = nz + kx * y - ky * x;
        const twist = isAlone ? 0 : kz * kz * (x * x + y * y);
        const density = moduli.axial * stretch ** 2 + moduli.shear * (moduli.shearFactor * (nx * nx + ny * ny) + twist);
        total += (weight * area * density) / (2 * points.length);
      }
    }
  }
  return total;
}

interface Numbers {
  readonly q: readonly number[];
  readonly qd: readonly number[];
  readonly time: number;
}

const KELVIN_VOIGT = 0.4;
const H = 1e-5;

/** Forces as derivatives of energy and dissipation, by central differences. */
function referee(type: BodyType, state: Numbers): { elastic: number[]; viscous: number[]; retarded: number[] } {
  const { kinematics } = type;
  if (kinematics.kind !== 'strain') throw new Error('a strain expected');
  const { angular, linear, rest } = kinematics;
  const strainAt = (values: readonly number[], when: number, at: number): number[] => {
    const bindings = new Map<Expr, number>([...known, [s, at], [time, when]]);
    type.coordinates.forEach((c, i) => bindings.set(c.symbol, values[i]!));
    return evaluate(
      [...angular, ...linear].map((e, i) => minus(e, [...rest.angular, ...rest.linear][i]!)),
      bindings,
    );
  };
  const energy = (values: readonly number[]): number =>
    quadraticForm(type, (at) => strainAt(values, state.time, at), STIFFNESS);
  const dissipation = (rates: readonly number[], moduli: Moduli): number => {
    const moved = (d: number): number[] => state.q.map((e, a) => e + d * rates[a]!);
    const rate = (at: number): number[] => {
      const behind = strainAt(moved(-H), state.time - H, at);
      return strainAt(moved(H), state.time + H, at).map((e, c) => (e - behind[c]!) / (2 * H));
    };
    return quadraticForm(type, rate, moduli);
  };
  const gradient = (f: (values: readonly number[]) => number, at: readonly number[]): number[] =>
    at.map((_, a) => {
      const shifted = (d: number): number => f(at.map((e, i) => (i === a ? e + d : e)));
      return (shifted(1e-4) - shifted(-1e-4)) / 2e-4;
    });
  return {
    elastic: gradient(energy, state.q),
    viscous: gradient((rates) => dissipation(rates, NEWTONIAN), state.qd),
    retarded: gradient((rates) => dissipation(rates, STIFFNESS), state.qd).map((e) => KELVIN_VOIGT * e),
  };
}

function compiled(type: BodyType, state: Numbers, damping: NonNullable<RodMaterial['damping']>): number[][] {
  const material: RodMaterial = {
    law: 'rod-elasticity',
    youngsModulus: decimal(MODULUS),
    shearModulus: decimal(SHEAR),
    shearFactors: [decimal(SHEAR_FACTOR), decimal(SHEAR_FACTOR)],
    damping,
  };
  const symbols = coordinateSymbols(type);
  const forces = rodElasticity({ ...type, materials: type.volumes.map(() => material) }, symbols);
  const bindings = new Map<Expr, Float64Array>();
  const bind = (e: Expr, value: number): void => void bindings.set(e, Float64Array.of(value));
  symbols.q.forEach((e, i) => bind(e, state.q[i]!));
  symbols.qd.forEach((e, i) => bind(e, state.qd[i]!));
  bind(L, LENGTH);
  bind(time, state.time);
  expect(forces.map((term) => term.kind)).toEqual(['elastic', 'damping']);
  return forces.map(({ generalized, loops }) =>
    new LoopProgram(loops, generalized).run(bindings, 1).map((column) => column[0]!),
  );
}

const narrow = (width: number, height: number): Shape => ({
  shape: 'rectangle',
  width: decimal(width),
  height: decimal(height),
});
const tapered: Shape = {
  shape: 'ellipse',
  semiAxisX: times(decimal(0.9), minus(one, times(decimal(0.5), u))),
  semiAxisY: plus(decimal(0.3), times(decimal(0.2), square(u))),
};

/** Sections: narrow in x, narrow in y, tapered, two rods one beside the other's middle. */
const SECTIONS: Readonly<Record<string, readonly Shape[]>> = {
  'a section narrow in x': [narrow(0.3, 1.1)],
  'a section narrow in y': [narrow(1.3, 0.4)],
  'an ellipse that changes along the rod': [tapered],
  'two sections of a core and its cover': [narrow(0.5, 0.2), tapered],
};

function withSections(type: BodyType, shapes: readonly Shape[]): BodyType {
  const [volume] = type.volumes as [RodVolume];
  return { ...type, volumes: shapes.map((shape) => ({ ...volume, shape })) };
}

/** A strain of its own for every component, a rest strain that is none at q = 0, all by random numbers. */
function rod(kind: 'constant' | 'linear' | 'nonlinear' | 'of time', seed: number): BodyType {
  const random = randomNumbers(seed);
  const some = (): Expr => decimal(Number((random() + Math.sign(random())).toFixed(3)));
  const along = (e: Expr): Expr =>
    kind === 'constant' ? times(some(), e) : times(e, plus(some(), times(some(), u), times(some(), square(u))));
  const component = (i: number): Expr => {
    const own = plus(along(q(i)), along(q(1 + (i % 6))), some());
    if (kind === 'nonlinear') return plus(own, times(some(), u, square(q(i))), sin(times(some(), q(i))));
    return kind === 'of time' ? plus(own, times(some(), u, square(time)), times(some(), time)) : own;
  };
  const vector = (from: number): Vector3 => [from, from + 1, from + 2].map(component) as unknown as Vector3;
  const plain = strainRod(`${kind} ${seed}`, 6, vector(1), vector(4));
  const rest = { angular: [some(), some(), some()], linear: [some(), some(), plus(one, some())] } as const;
  const varying = kind === 'linear' ? { ...rest, angular: [times(s, some()), zero, some()] as const } : rest;
  const kinematics = { ...(plain.kinematics as BodyType['kinematics'] & { kind: 'strain' }), rest: varying };
  return { ...plain, kinematics, ...(kind === 'of time' && { time }) };
}

function expectClose(actual: readonly number[], expected: readonly number[]): void {
  const scale = Math.max(...expected.map(Math.abs));
  actual.forEach((value, i) =>
    expect(Math.abs(value - expected[i]!), `force ${i + 1}: ${value}`).toBeLessThan(1e-7 * scale),
  );
}

describe.each(Object.entries(SECTIONS))('a rod with %s', (name, shapes) => {
  it.each(['constant', 'linear', 'nonlinear', 'of time'] as const)(
    'has forces that are derivatives of energy and dissipation (strain %s)',
    (kind) => {
      const type = withSections(rod(kind, name.length), shapes);
      const random = randomNumbers(kind.length);
      const values = (): number[] => Array.from({ length: 6 }, random);
      const state = { q: values(), qd: values(), time: 0.6 };
      const expected = referee(type, state);
      const [elastic, viscous] = compiled(type, state, { viscosity: decimal(VISCOSITY) });
      expectClose(elastic!, expected.elastic);
      expectClose(viscous!, expected.viscous);
      const retardationTime = decimal(KELVIN_VOIGT);
      const [, retarded] = compiled(type, state, { retardationTime });
      expectClose(retarded!, expected.retarded);
      const [, both] = compiled(type, state, { retardationTime, viscosity: decimal(VISCOSITY) });
      expectClose(
        both!,
        expected.retarded.map((force, i) => force + expected.viscous[i]!),
      );
    },
  );
});

const TWIST = 2;

describe('a rod of one coordinate', () => {
  /** Force on the only coordinate when only one strain moves, with unit length and no rest strain but REST_STRAIN. */
  function force(component: number, value: number): number {
    const entries: Expr[] = [...REST_STRAIN.angular, ...REST_STRAIN.linear];
    entries[component] = plus(entries[component]!, q(1));
    const [a, b, c, d, e, f] = entries as [Expr, Expr, Expr, Expr, Expr, Expr];
    const type = withSections(strainRod('one', 1, [a, b, c], [d, e, f]), [narrow(0.3, 1.1)]);
    const state = { q: [value], qd: [0], time: 0 };
    return compiled(type, state, { viscosity: decimal(VISCOSITY) })[0]![0]! / (LENGTH * value);
  }

  it('has E I_xx = E w h³/12 about x, E I_yy = E h w³/12 about y and G J against twist', () => {
    const [w, h] = [0.3, 1.1];
    const area = w * h;
    const [xx, yy] = [(area * h * h) / 12, (area * w * w) / 12];
    const shear = SHEAR_FACTOR * SHEAR * area;
    const expected = [MODULUS * xx, MODULUS * yy, SHEAR * torsionOfRectangle(w, h), shear, shear, MODULUS * area];
    expected.forEach((stiffness, component) =>
      expect(force(component, 0.8) / stiffness).toBeCloseTo(1, component === TWIST ? 7 : 13),
    );
  });
});
