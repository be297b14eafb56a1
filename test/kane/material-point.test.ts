/**
 * Material points of bodies had in every way, at numbers and at coordinates given with the call, against difference quotients
 * of the formulas as they were written: places in double-double arithmetic, rods by collocation.
 */
import type { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { loadRobotObject } from '../../src/description/load.ts';
import type { BodyType, NetworkKinematics } from '../../src/description/model/robot.ts';
import type { MaterialPoint } from '../../src/description/model/reference-volume.ts';
import { compileBody } from '../../src/kane/compile-body.ts';
import { formulaPoint, rigidPoint } from '../../src/kane/kinematics/material-point.ts';
import type { MovingPoint } from '../../src/kane/body/moving-point.ts';
import { decimalOfPrecision, evaluate, exactDecimal, foldConstant } from '../../src/symbolic/evaluation/evaluate.ts';
import { decimal, plus, sin, square, symbol, times, zero, type Expr } from '../../src/symbolic/graph/expr.ts';
import { freeSymbols } from '../../src/symbolic/graph/traverse.ts';
import { columnOf, constantColumn } from '../../src/verify/arithmetic/columns.ts';
import { displaced, MaterialField, materialSymbols } from '../../src/verify/written/material-field.ts';
import { sampleNetwork } from '../network/sample-network.ts';
import { evaluateLooped } from './interpreter.ts';
import { randomNumbers } from './point-masses.ts';

const Wide = decimalOfPrecision(60);

interface Motion {
  readonly q: readonly number[];
  readonly qd: readonly number[];
  readonly time: number;
}

interface Numbers {
  readonly position: readonly number[];
  readonly partials: readonly (readonly number[])[];
  readonly velocity: readonly number[];
  readonly bias: readonly number[];
}

/** From the formulas as they were written: no derivative of them is formed. */
function independent(type: BodyType, at: ReadonlyMap<Expr, number>, { q, qd, time }: Motion): Numbers {
  const parameters = new Map(type.parameters.map((p) => [p.symbol as Expr, constantColumn(foldConstant(p.value))]));
  const numbers = new Map<Expr, number>(type.parameters.map((p) => [p.symbol, foldConstant(p.value)]));
  const samples = type.volumes.map((volume) => {
    const places = materialSymbols(volume).map((s) => at.get(s) ?? 0);
    const columns = new Map(materialSymbols(volume).map((s, i) => [s as Expr, columnOf([places[i]!])]));
    const own = { rows: 1, columns, masses: Float64Array.of(1) };
    if (volume.kind !== 'rod') return own;
    const breaks = evaluate([volume.start, ...(volume.breaks.get(volume.axial) ?? []), volume.end], numbers);
    return { ...own, axial: { nodes: columnOf([places[0]!]), rowsPerNode: 1, breaks } };
  });
  const field = new MaterialField(type, samples);
  const start = q.map((x) => exactDecimal(x, Wide));
  const place = (direction: readonly number[], factor: number, seconds: number): Decimal[] =>
    field
      .place(displaced(type, parameters, start, direction, time, seconds, factor))
      .points[0]!.map(({ high, low }) => exactDecimal(high[0]!, Wide).plus(exactDecimal(low[0]!, Wide)));
  const h = 2 ** -12;
  /** To fourth order, with steps of one and two h. */
  const derivatives = (direction: readonly number[], seconds: number): { first: number[]; second: number[] } => {
    const [back2, back, here, ahead, ahead2] = [-2, -1, 0, 1, 2].map((k) => place(direction, k * h, seconds)) as [
      Decimal[],
      Decimal[],
      Decimal[],
      Decimal[],
      Decimal[],
    ];
    const entries = [0, 1, 2];
    return {
      first: entries.map((i) =>
        Number(
          ahead[i]!.minus(back[i]!)
            .times(8)
            .minus(ahead2[i]!.minus(back2[i]!))
            .div(12 * h),
        ),
      ),
      second: entries.map((i) =>
        Number(
          ahead[i]!.plus(back[i]!)
            .times(16)
            .minus(ahead2[i]!.plus(back2[i]!))
            .minus(here[i]!.times(30))
            .div(12 * h * h),
        ),
      ),
    };
  };
  const along = derivatives(qd, 1);
  return {
    position: place(
      q.map(() => 0),
      0,
      0,
    ).map(Number),
    partials: q.map(
      (_, a) =>
        derivatives(
          q.map((__, b) => (a === b ? 1 : 0)),
          0,
        ).first,
    ),
    velocity: along.first,
    bias: along.second,
  };
}

/** What is compiled, with the numbers of a motion. */
function compiled(type: BodyType, point: MovingPoint, given: ReadonlyMap<Expr, number>, motion: Motion): Numbers {
  const { symbols } = compileBody(type);
  const bindings = new Map(given);
  for (const p of type.parameters) bindings.set(p.symbol, foldConstant(p.value));
  symbols.q.forEach((e, i) => bindings.set(e, motion.q[i]!));
  symbols.qd.forEach((e, i) => bindings.set(e, motion.qd[i]!));
  if (type.time) bindings.set(type.time, motion.time);
  const of = (values: readonly Expr[]): number[] => evaluateLooped(values, point.loops, bindings);
  return {
    position: of(point.position),
    partials: point.partials.map(of),
    velocity: of(point.velocity),
    bias: of(point.bias),
  };
}

const LENGTH = 0.3;
const random = randomNumbers(19);
const coordinates = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`q${i + 1}`, { unit: 'rad' }]));
const sizes = { f: '0.5 Hz', L: `${LENGTH} m`, R: '20 mm', rho: '1000 kg/m^3' };
const rod = (section: object) => ({ rod: { s: [0, 'L'] }, section, density: 'rho' });

const typeOf = (body: object): BodyType => {
  const { links } = loadRobotObject({
    kanegen: 1,
    name: 'one',
    'body-types': { own: body },
    links: [{ name: 'a', body: 'own' }],
  });
  const [{ body: own }] = links as unknown as [{ body: { type: BodyType } }];
  return own.type;
};

const BODIES: Readonly<Record<string, { readonly body: object; readonly method: string; readonly within?: number }>> = {
  'a formula with a closed form, 0/0 as written': { body: { extends: 'pcc-3d-by-position' }, method: 'closed form' },
  'a constant strain': {
    body: {
      parameters: sizes,
      coordinates: coordinates(4),
      volume: rod({ disc: 'R', polar: ['r', 'phi'] }),
      strain: { 'bend-x': 'q1/L', 'bend-y': '(q2 + 0.3)/L', twist: 'q3/L', stretch: 'q4*q1', 'shear-x': '0.1*q2' },
    },
    method: 'closed form',
  },
  'constant tensors of a solid': {
    body: {
      parameters: { ...sizes, w: '0.1 m' },
      coordinates: coordinates(2),
      volume: { box: { x: ['-w', 'w'], y: ['-w', 'w'], z: [0, 'L'] }, density: 'rho' },
      position: ['x*(1 + q1*z/L)', 'y + q2*sin(3*z/L)*w', 'z*(1 - 0.2*q1) + 0.1*q2^2*x'],
      distal: 'none',
    },
    method: 'constant tensors',
  },
  'points of a solid': {
    body: {
      parameters: { ...sizes, w: '0.02 m' },
      coordinates: coordinates(2),
      volume: { box: { x: ['-w', 'w'], y: ['-w', 'w'], z: [0, 'L'] }, density: 'rho' },
      position: ['x*exp(q1*z/L) + 0.1*w*sin(q2*z/L)', 'y + w*sin(q1*q2*z/L + f*t)', 'z + 0.2*x*cos(q2 + 2*z/L)'],
      distal: 'none',
      integration: { tolerance: 1e-4 },
    },
    method: 'sums over points',
  },
  'points along a rod': {
    body: {
      parameters: sizes,
      coordinates: coordinates(4),
      volume: { ...rod({ disc: 'R', polar: ['r', 'phi'] }), breaks: { s: ['0.4*L'] } },
      strain: {
        'bend-x': 'q1*cos(q4*s/L)/L',
        'bend-y': '(q2 + select(s < 0.4*L, 0.5, 1.3) + 0.4*sin(6*f*t - 2*s/L))/L',
        twist: 'q3*s/L^2',
        'shear-x': '0.05*q1',
        stretch: '0.1*q1*q2*s/L',
      },
      integration: { points: 16 },
    },
    method: 'points along the rod',
    within: 3e-10,
  },
};

const largest = (list: readonly number[]): number => Math.max(...list.map(Math.abs));

function expectClose(found: Numbers, expected: Numbers, within: number): void {
  const close = (values: readonly number[], others: readonly number[], what: string): void => {
    const scale = Math.max(largest(others), 1e-3);
    expect(largest(values.map((x, i) => x - others[i]!)) / scale, what).toBeLessThan(within);
  };
  close(found.position, expected.position, 'position');
  expect(found.partials).toHaveLength(expected.partials.length);
  found.partials.forEach((partial, a) => close(partial, expected.partials[a]!, `partial ${a}`));
  close(found.velocity, expected.velocity, 'velocity');
  close(found.bias, expected.bias, 'bias');
}

/** Places in a volume, as material coordinates. */
function places(type: BodyType): ReadonlyMap<Expr, number>[] {
  const [volume] = type.volumes;
  const material = materialSymbols(volume!);
  const across = [0.011, -0.007];
  return [0.23, 0.81, 1].map((share, k) => {
    const values = volume!.kind === 'rod' ? [share * LENGTH, ...across] : [...across, share * LENGTH];
    return new Map(material.map((s, i): [Expr, number] => [s, k === 2 && s.name.endsWith('.x') ? 0 : values[i]!]));
  });
}

describe.each(Object.entries(BODIES))('a material point of %s', (_, { body, method, within = 1e-11 }) => {
  const type = typeOf(body);
  const way = compileBody(type).chosen;
  const motion: Motion = {
    q: type.coordinates.map(() => 0.9 * random()),
    qd: type.coordinates.map(() => 2 * random()),
    time: type.time ? 0.4 : 0,
  };
  // In many digits along rods, which takes long: once for each place.
  let due: readonly Numbers[] | undefined;
  const expected = (): readonly Numbers[] => (due ??= places(type).map((at) => independent(type, at, motion)));
  const exact = (values: ReadonlyMap<Expr, number>): MaterialPoint =>
    new Map([...values].map(([s, x]) => [s, decimal(x)])) as unknown as MaterialPoint;

  it('is one of the way that it names', () => expect(way.method).toBe(method));

  it('moves as the formulas say, at numbers', () => {
    for (const [i, at] of places(type).entries()) {
      const point = way.point({ at: exact(at), name: 'marker' });
      expectClose(compiled(type, point, new Map(), motion), expected()[i]!, within);
    }
  });

  it('moves as the formulas say, where a call says', () => {
    const names = materialSymbols(type.volumes[0]!).map(
      (s) => [s, symbol(`call.${s.name.replace('material.', '')}`)] as const,
    );
    const point = way.point({ at: new Map(names), name: 'given' });
    expect(point.loops.every((loop) => loop.stage === 3)).toBe(true);
    for (const [i, at] of places(type).entries()) {
      const given = new Map<Expr, number>(names.map(([s, own]) => [own, at.get(s)!]));
      expectClose(compiled(type, point, given, motion), expected()[i]!, within);
    }
  });

  it('moves at the defaults, where formulas may read 0/0', () => {
    const at = places(type)[1]!;
    const q = type.coordinates.map((c) => foldConstant(c.value));
    const point = way.point({ at: exact(at), name: 'marker' });
    const there = { ...motion, q };
    const found = compiled(type, point, new Map(), there);
    const nearby = { ...motion, q: q.map((x) => x + 1e-7) };
    expectClose(found, independent(type, at, nearby), 1e-4);
  });
});

describe('several points of a rod', () => {
  it('have loops and results of their own', () => {
    const type = typeOf(BODIES['points along a rod']!.body);
    const way = compileBody(type).chosen;
    const [s] = materialSymbols(type.volumes[0]!);
    const [one, other] = ['one', 'other'].map((name) => way.point({ at: new Map([[s!, decimal(0.1)]]), name }));
    const names = (point: MovingPoint): string[] => point.loops.map((loop) => loop.name);
    expect(new Set([...names(one!), ...names(other!)]).size).toBe(2 * names(one!).length);
    const results = (point: MovingPoint): Expr[] =>
      freeSymbols([...point.position, ...point.bias]).filter((e) => e.name.startsWith('rod.'));
    expect(results(one!).filter((e) => results(other!).includes(e))).toEqual([]);
  });
});

describe('a material point of a body under a learned map', () => {
  const [x, y, z] = ['x', 'y', 'z'].map((name) => symbol(`material.${name}`)) as [Expr, Expr, Expr];
  const type = typeOf({ ...BODIES['points of a solid']!.body, position: ['x*(1 + 0.1*q1)', 'y', 'z + 0.1*q2*x'] });
  const [a, b] = type.coordinates.map((c) => c.symbol) as unknown as [Expr, Expr];
  const learned: NetworkKinematics = {
    kind: 'network',
    network: {
      ...sampleNetwork([4, 6, 3], 'tanh'),
      layers: sampleNetwork([4, 6, 3], 'tanh').layers.map((layer, i) =>
        i === 1
          ? { ...layer, weights: layer.weights.map((w) => 0.01 * w), biases: layer.biases.map((w) => 0.01 * w) }
          : layer,
      ),
    },
    inputs: [times(x, a), plus(z, square(b)), sin(plus(a, b)), y],
    offset: [plus(x, times(decimal(0.1), square(a), y)), y, z],
    distal: { kind: 'none' },
  };
  const body = { ...type, kinematics: learned } satisfies BodyType;

  it('moves as the map says', () => {
    const way = compileBody(body).chosen;
    const motion: Motion = { q: [0.4, -0.7], qd: [1.1, -0.6], time: 0 };
    for (const at of places(body)) {
      const place = new Map([...at].map(([s, value]) => [s, decimal(value)])) as unknown as MaterialPoint;
      const point = way.point({ at: place, name: 'marker' });
      expect(point.loops.flatMap((loop) => loop.networks)).toHaveLength(2);
      expectClose(compiled(body, point, new Map(), motion), independent(body, at, motion), 1e-11);
    }
  });
});

describe('a point that is fixed', () => {
  it('does not move with coordinates', () => {
    const at = [decimal(0.1), zero, decimal(-0.2)] as const;
    expect(rigidPoint(at)).toEqual(formulaPoint(at, { q: [], qd: [], qdd: [] }));
  });
});
