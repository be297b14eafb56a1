/** Rods given by their strain, built by hand, and the reference robots made of them. */
import { readFileSync } from 'node:fs';
import type { BodyType } from '../../src/description/model/robot.ts';
import { REST_STRAIN } from './bodies.ts';
import { DEFAULT_INTEGRATION, type IntegrationChoice } from '../../src/description/model/reference-volume.ts';
import {
  call,
  decimal,
  divide,
  minus,
  negate,
  one,
  plus,
  square,
  symbol,
  times,
  zero,
  type Expr,
} from '../../src/symbolic/graph/expr.ts';
import type { Vector3 } from '../../src/symbolic/graph/vector.ts';
import { rodBody } from '../../src/kane/rods/rod-part.ts';
import { bodyType, L, q, s } from './bodies.ts';
import { coordinateSymbols, linkTypeOf, SampledChain, type ChainState } from './rod-chain.ts';

/** s/L */
export const u = divide(s, L);
export const perLength = (e: Expr): Expr => divide(e, L);
const affine = (a: number, b: number): Expr => perLength(plus(q(a), times(q(b), u)));

export function strainRod(
  name: string,
  coordinates: number,
  angular: Vector3,
  linear: Vector3,
  radius?: Expr,
): BodyType {
  return bodyType(name, coordinates, { kind: 'strain', rest: REST_STRAIN, angular, linear }, radius);
}

/** Planar affine curvature (family E). */
export const planarAffine = (): BodyType =>
  strainRod('planar-affine', 2, [zero, affine(1, 2), zero], [zero, zero, one]);

/** Affine curvatures, torsion and elongation (family E3). */
export const spatialAffine = (): BodyType =>
  strainRod(
    'spatial-affine',
    6,
    [affine(1, 2), affine(3, 4), perLength(q(5))],
    [zero, zero, plus(one, perLength(q(6)))],
  );

/** Gaussian curvatures on a cone (family F). */
export function gaussianCone(): BodyType {
  const [sigma, base, tip] = ['sigma', 'R_base', 'R_tip'].map((name) => symbol(`body.${name}`)) as [Expr, Expr, Expr];
  const bump = call('exp', negate(square(divide(minus(s, divide(L, decimal(2))), sigma))));
  const curvature = (a: number, b: number): Expr => perLength(plus(q(a), times(q(b), bump)));
  const type = strainRod(
    'gaussian-cone',
    5,
    [negate(curvature(3, 4)), curvature(1, 2), zero],
    [zero, zero, plus(one, perLength(q(5)))],
    plus(base, times(minus(tip, base), u)),
  );
  const own = ['sigma', 'R_base', 'R_tip'].map((name) => ({
    name,
    symbol: symbol(`body.${name}`),
    unit: 'm',
    value: decimal({ sigma: 0.1, R_base: 0.01, R_tip: 0.005 }[name]!),
  }));
  return { ...type, parameters: [...type.parameters, ...own] };
}

/** A bump of curvature whose height, width and place are coordinates: nothing of it is linear. */
export function octopus(): BodyType {
  const distance = times(q(2), minus(u, q(3)));
  const type = strainRod(
    'octopus',
    3,
    [zero, perLength(divide(q(1), plus(one, square(distance)))), times(q(1), u)],
    [times(decimal(0.05), q(1)), zero, plus(one, times(decimal(0.02), square(q(1)), u))],
  );
  const defaults = [1.2, 3, 0.5];
  return { ...type, coordinates: type.coordinates.map((c, i) => ({ ...c, value: decimal(defaults[i]!) })) };
}

export function integrating(type: BodyType, choice: Partial<IntegrationChoice>): BodyType {
  return { ...type, integration: { ...DEFAULT_INTEGRATION, method: 'quadrature', tolerance: 1e-11, ...choice } };
}

export const SIZES: ReadonlyMap<string, number> = new Map([
  ['L', 0.2],
  ['R', 0.02],
  ['rho', 1062],
]);

export function chainOf(
  type: BodyType,
  states: readonly ChainState[],
  parameters: readonly ReadonlyMap<string, number>[] = [SIZES],
): SampledChain {
  const { part, forces } = rodBody(type, coordinateSymbols(type));
  return new SampledChain(linkTypeOf(type, part, forces), parameters, states);
}

interface ReferenceState extends ChainState {
  readonly name: string;
  readonly M: readonly (readonly string[])[];
  readonly c: readonly string[];
  readonly g: readonly string[];
  readonly tau: readonly string[];
  readonly kinetic_energy: string;
  readonly potential_energy: string;
  readonly tip_position: readonly string[];
}

export interface ReferenceFile {
  readonly parameters: {
    readonly gravity: readonly number[];
    readonly links: readonly Readonly<Record<string, number>>[];
  };
  readonly states: readonly ReferenceState[];
}

export function readReference(name: string): ReferenceFile {
  return JSON.parse(readFileSync(new URL(`../reference/${name}.json`, import.meta.url), 'utf8')) as ReferenceFile;
}

/** Worst deviations of a chain from a reference file, each relative to the size of its terms. */
export function deviations(type: BodyType, { parameters, states }: ReferenceFile): Record<string, number> {
  const links = parameters.links.map((link) => new Map(Object.entries(link)));
  const chain = chainOf(type, states, links);
  const tau = chain.inverseDynamics(parameters.gravity);
  const gravity = chain.inverseDynamics(parameters.gravity, 'gravity');
  const M = chain.massMatrix();
  const energies = chain.energies(parameters.gravity);
  const tip = chain.tip();
  const worst = { tau: 0, gravity: 0, M: 0, energy: 0, tip: 0 };
  const note = (key: keyof typeof worst, error: number): void => {
    worst[key] = Math.max(worst[key], Number.isNaN(error) ? Infinity : error);
  };
  const weight = Math.max(...states.flatMap((state) => state.g.map((g) => Math.abs(Number(g)))));
  states.forEach((state, k) => {
    const rows = state.M.map((row) => row.map(Number));
    rows.forEach((row, a) => {
      const size = row.reduce(
        (sum, e, b) => sum + Math.abs(e * state.qdd[b]!),
        Math.abs(Number(state.c[a])) + Math.abs(Number(state.g[a])),
      );
      note('tau', Math.abs(tau[k]![a]! - Number(state.tau[a])) / size);
      note('gravity', Math.abs(gravity[k]![a]! - Number(state.g[a])) / weight);
      row.forEach((e, b) =>
        note('M', Math.abs(M[k]![a * rows.length + b]! - e) / Math.sqrt(rows[a]![a]! * rows[b]![b]!)),
      );
    });
    const [kinetic, potential] = energies[k]! as [number, number];
    note('energy', Math.abs(kinetic / Number(state.kinetic_energy) - 1));
    note('energy', Math.abs(potential - Number(state.potential_energy)) / Math.abs(Number(state.potential_energy)));
    state.tip_position.forEach((x, i) => note('tip', Math.abs(tip[k]![9 + i]! - Number(x)) / links[0]!.get('L')!));
  });
  return worst;
}
