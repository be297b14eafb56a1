import { describe, expect, it } from 'vitest';
import { KanegenError } from '../../src/common/error.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import {
  cos,
  divide,
  integer,
  one,
  plus,
  square,
  symbol,
  times,
  zero,
  type Expr,
} from '../../src/symbolic/graph/expr.ts';
import { frameEntries, identityFrame } from '../../src/symbolic/graph/vector.ts';
import { bodyKinematics } from '../../src/kane/kinematics/body-kinematics.ts';
import { bodyTerms } from '../../src/kane/body-terms.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { closedFormOf, compileBody } from '../../src/kane/compile-body.ts';
import { ContractionModel } from '../../src/kane/closed/contraction.ts';
import { spinMatrix } from '../../src/kane/equations/recursion.ts';
import { ShapeIntegralModel } from '../../src/kane/closed/shape-integrals.ts';
import {
  bodyType,
  contact,
  L,
  planarArc,
  planarElongation,
  point,
  q,
  R,
  s,
  sixStrains,
  spatial,
  x,
  y,
} from './bodies.ts';
import type { BodyType, Robot } from '../../src/description/model/robot.ts';
import { REST_STRAIN } from './bodies.ts';
import { DEFAULT_INTEGRATION } from '../../src/description/model/reference-volume.ts';

const numbers: Record<string, number> = {
  L: 0.23,
  R: 0.031,
  rho: 1100,
  q1: 0.7,
  q2: 0.05,
  q3: -0.4,
  q4: 0.01,
  q5: -0.02,
  q6: 0.03,
};

function bindings(type: BodyType, straight = false): Map<Expr, number> {
  const map = new Map<Expr, number>();
  for (const p of type.parameters) map.set(p.symbol, numbers[p.name]!);
  type.coordinates.forEach((c, i) => {
    map.set(c.symbol, straight ? 0 : numbers[c.name]!);
    map.set(symbol(`rate.${c.symbol.name}`), Math.cos(i + 1));
    map.set(symbol(`acceleration.${c.symbol.name}`), Math.sin(3 * i + 2));
  });
  ['w', 'alpha', 'a'].forEach((name, i) =>
    ['x', 'y', 'z'].forEach((axis, k) => map.set(symbol(`${name}.${axis}`), Math.sin(5 * i + k + 1))),
  );
  return map;
}

const vector = (name: string) =>
  ['x', 'y', 'z'].map((axis) => symbol(`${name}.${axis}`)) as unknown as [Expr, Expr, Expr];
const motion = { angularVelocity: vector('w'), angularAcceleration: vector('alpha'), acceleration: vector('a') };

const closed = (type: BodyType) => closedFormOf(compileBody(type), 'the test');
const closedOnly = (type: BodyType): BodyType => ({
  ...type,
  integration: { ...DEFAULT_INTEGRATION, method: 'closed-form' },
});

/** The shape integrals of six strains take seconds. */
const compared = [planarElongation(), spatial(), ...(process.env['KANEGEN_FULL'] === '1' ? [sixStrains()] : [])];

describe('the two body models', () => {
  it.each(compared.map((t) => [t.name, t] as const))(
    'agree on wrench, weight, mass and energy: %s',
    (_, type) => {
      const { symbols } = compileBody(type);
      const { fields, integrals } = closed(type);
      const models = [new ContractionModel(fields), new ShapeIntegralModel(integrals(), symbols)];
      const spin = spinMatrix(motion);
      for (const straight of [false, true]) {
        const values = models.map((model) => {
          const wrenches = [model.wrench(motion, spin), model.weight(motion.acceleration), ...model.unitWrenches];
          const { mass, first, inertia } = model.moments;
          const flat = wrenches.flatMap((w) => [...w.force, ...w.moment, ...w.generalized]);
          return evaluate(
            [...flat, mass, ...first, ...inertia, model.kineticEnergy(motion.angularVelocity, motion.acceleration)],
            bindings(type, straight),
          );
        });
        values[0]!.forEach((value, i) =>
          expect(Math.abs(value - values[1]![i]!)).toBeLessThan(1e-13 * (1 + Math.abs(value))),
        );
      }
    },
    60_000,
  );

  it('find shape integrals cheaper for planar bodies and contraction for six strains', () => {
    expect(closed(planarElongation()).model.method).toBe('shape integrals');
    expect(closed(sixStrains()).model.method).toBe('contraction of Gram integrals');
  });
});

describe('the terms of the papers', () => {
  it('agree with sums over material points and difference quotients in time', () => {
    const type = planarElongation();
    const body = compileBody(type);
    const terms = new Map(bodyTerms(body).map((t) => [t.name, evaluate(t.values, bindings(type))]));
    const b = bindings(type);
    const rates = type.coordinates.map((c) => b.get(symbol(`rate.${c.symbol.name}`))!);
    const accelerations = type.coordinates.map((c) => b.get(symbol(`acceleration.${c.symbol.name}`))!);
    // Positions in the distal frame about the centre of mass, from the arc formula itself.
    const position = planarArc(plus(L, q(2)));
    const frame = frameEntries(closed(type).distal.frame);
    const points: { m: number; at: [number, number, number] }[] = [];
    const [n, r] = [24, 0.031 / Math.SQRT2];
    const nodes = gaussLegendre(n);
    for (const { node, weight } of nodes)
      for (const [px, py] of [
        [r, 0],
        [-r, 0],
        [0, r],
        [0, -r],
      ] as const)
        points.push({ m: (1100 * Math.PI * 0.031 ** 2 * 0.23 * weight) / 4, at: [px, py, 0.23 * node] });
    const relative = (time: number): number[][] => {
      const at = new Map(b);
      type.coordinates.forEach((c, i) =>
        at.set(c.symbol, b.get(c.symbol)! + rates[i]! * time + 0.5 * accelerations[i]! * time * time),
      );
      const f = evaluate(frame, at);
      const world = points.map((p) => evaluate(position, new Map([...at, [x, p.at[0]], [y, p.at[1]], [s, p.at[2]]])));
      const local = world.map((p) =>
        [0, 1, 2].map((i) => [0, 1, 2].reduce((sum, k) => sum + f[3 * k + i]! * (p[k]! - f[9 + k]!), 0)),
      );
      const mass = points.reduce((sum, p) => sum + p.m, 0);
      const centre = [0, 1, 2].map((i) => local.reduce((sum, p, k) => sum + points[k]!.m * p[i]!, 0) / mass);
      return [...local.map((p) => p.map((e, i) => e - centre[i]!)), centre];
    };
    const h = 1e-4;
    const [before, now, after] = [relative(-h), relative(0), relative(h)];
    const velocity = now.map((p, k) => p.map((_, i) => (after[k]![i]! - before[k]![i]!) / (2 * h)));
    const acceleration = now.map((p, k) => p.map((e, i) => (after[k]![i]! - 2 * e + before[k]![i]!) / (h * h)));
    const crossSum = (v: number[][]) =>
      [0, 1, 2].map((i) =>
        points.reduce(
          (sum, p, k) =>
            sum + p.m * (now[k]![(i + 1) % 3]! * v[k]![(i + 2) % 3]! - now[k]![(i + 2) % 3]! * v[k]![(i + 1) % 3]!),
          0,
        ),
      );
    const check = (name: string, expected: number[]) =>
      expected.forEach((e, i) =>
        expect(Math.abs(terms.get(name)![i]! - e), `${name}[${i}]`).toBeLessThan(1e-6 * (0.01 + Math.abs(e))),
      );
    check('centre_of_mass', now.at(-1)!);
    check('centre_of_mass_rate', velocity.at(-1)!);
    check('centre_of_mass_acceleration', acceleration.at(-1)!);
    check('r_cross_rate', crossSum(velocity));
    check('r_cross_acceleration', crossSum(acceleration));
    const inertiaYy = points.reduce((sum, p, k) => sum + p.m * (now[k]![0]! ** 2 + now[k]![2]! ** 2), 0);
    expect(terms.get('inertia_about_centre')![1]).toBeCloseTo(inertiaYy, 8);
  });
});

/** Nodes and weights on [0, 1]. */
function gaussLegendre(n: number): { node: number; weight: number }[] {
  return Array.from({ length: n }, (_, i) => {
    let z = Math.cos((Math.PI * (i + 0.75)) / (n + 0.5));
    let derivative = 1;
    for (let iteration = 0; iteration < 50; iteration++) {
      let [p0, p1] = [1, z];
      for (let k = 2; k <= n; k++) [p0, p1] = [p1, ((2 * k - 1) * z * p1 - (k - 1) * p0) / k];
      derivative = (n * (z * p1 - p0)) / (z * z - 1);
      z -= p1 / derivative;
    }
    return { node: (1 + z) / 2, weight: 1 / ((1 - z * z) * derivative * derivative) };
  });
}

describe('the distal frame', () => {
  it('by contact points equals the pose of the end section, for any two named axes', () => {
    const byPosition = bodyKinematics(planarElongation());
    const zAxis = {
      ...contact,
      contact: { pivot: point({ s: L }), axes: { y: point({ s: L, y: R }), x: point({ s: L, x: R }) } },
    };
    const again = bodyKinematics(
      bodyType('again', 2, { kind: 'position', position: planarArc(plus(L, q(2))), distal: zAxis }),
    );
    const b = bindings(planarElongation());
    evaluate(frameEntries(byPosition.distal.frame), b).forEach((e, i) =>
      expect(evaluate(frameEntries(again.distal.frame), b)[i]).toBeCloseTo(e, 15),
    );
    const [c, sine] = [Math.cos(0.7), Math.sin(0.7)];
    [c, 0, sine, 0, 1, 0, -sine, 0, c].forEach((e, i) =>
      expect(evaluate(frameEntries(byPosition.distal.frame), b)[i]).toBeCloseTo(e, 14),
    );
  });

  it('has a constant angular projector for a planar arc, by the Stumpff relations', () => {
    expect(bodyKinematics(planarElongation()).distal.angular[0]).toEqual([zero, one, zero]);
  });

  it.each<[string, BodyType]>([
    [
      'coinciding points',
      bodyType('a', 1, {
        kind: 'position',
        position: planarArc(L),
        distal: {
          ...contact,
          contact: { pivot: point({ s: L }), axes: { x: point({ s: L }), y: point({ s: L, y: R }) } },
        },
      }),
    ],
    [
      'one axis only',
      bodyType('b', 1, {
        kind: 'position',
        position: planarArc(L),
        distal: { ...contact, contact: { pivot: point({ s: L }), axes: { x: point({ s: L, x: R }) } } },
      }),
    ],
    [
      'axes that are not perpendicular',
      bodyType('c', 1, {
        kind: 'position',
        position: planarArc(L),
        distal: {
          ...contact,
          contact: { pivot: point({ s: L }), axes: { x: point({ s: L, x: R }), y: point({ s: L, x: R, y: R }) } },
        },
      }),
    ],
    [
      'a contact area that stretches',
      bodyType('d', 1, { kind: 'position', position: [times(x, plus(one, q(1))), y, s], distal: contact }),
    ],
  ])('is refused for %s', (_, type) => {
    expect(() => bodyKinematics(type)).toThrow(KanegenError);
    try {
      bodyKinematics(type);
    } catch (error) {
      expect((error as KanegenError).code).toBe('singular-contact');
      expect((error as KanegenError).location).toBeDefined();
    }
  });
});

describe('what has no closed form', () => {
  it('is named: strains that vary along the rod', () => {
    const type = bodyType('e', 1, {
      kind: 'strain',
      rest: REST_STRAIN,
      angular: [zero, divide(times(q(1), s), square(L)), zero],
      linear: [zero, zero, one],
    });
    expect(() => compileBody(closedOnly(type))).toThrow(/vary along the rod/);
  });

  it('is compiled in another way: an integral that mixes two angles', () => {
    const [a, b] = [divide(times(q(1), s), L), divide(times(q(2), s), L)];
    const type = bodyType('f', 2, {
      kind: 'position',
      position: [plus(x, times(L, cos(a))), plus(y, times(L, cos(b))), s],
      distal: { kind: 'pose', pose: identityFrame },
    });
    expect(() => compileBody(type)).not.toThrow(/undefined/);
    const mixed = bodyType('g', 2, {
      kind: 'position',
      position: [plus(x, times(L, plus(cos(a), cos(b)))), y, s],
      distal: { kind: 'pose', pose: identityFrame },
    });
    expect(compileBody(mixed).chosen.description).not.toBe('shape integrals');
  });

  it('is named: a pole at the default configuration', () => {
    const type = bodyType('h', 2, {
      kind: 'position',
      position: [plus(x, divide(s, q(2))), y, s],
      distal: { kind: 'pose', pose: identityFrame },
    });
    expect(() => compileBody(type)).toThrow(KanegenError);
  });
});

describe('tapered rods', () => {
  it('have the mass of a truncated cone', () => {
    const taper = plus(R, divide(times(integer(-1), R, s), times(integer(2), L)));
    const type = bodyType(
      'tapered',
      1,
      { kind: 'strain', rest: REST_STRAIN, angular: [zero, divide(q(1), L), zero], linear: [zero, zero, one] },
      taper,
    );
    const [mass] = evaluate([closed(type).model.moments.mass], bindings(type));
    expect(mass).toBeCloseTo((1100 * Math.PI * 0.23 * (0.031 ** 2 + 0.031 * 0.0155 + 0.0155 ** 2)) / 3, 14);
  });
});

describe('link types', () => {
  it('are shared by links that differ in numbers only', () => {
    const type = planarElongation();
    const link = (parent: number, radius: number) => ({
      name: `l${parent}`,
      parent,
      offset: identityFrame,
      mount: identityFrame,
      joint: { type: 'fixed', coordinates: [], motions: [] },
      body: { kind: 'deformable' as const, type, parameters: [one, divide(one, integer(radius)), integer(1000)] },
      location: { file: '', line: 1, column: 1, path: '' },
    });
    const compiled = compileRobot({
      parameters: [],
      base: identityFrame,
      frames: [],
      actuators: [],
      coordinates: [],
      links: [link(-1, 50), link(0, 60), link(1, 70)],
    } as unknown as Robot);
    expect(compiled.types.length).toBe(1);
    expect(new Set(compiled.links.map((l) => l.type)).size).toBe(1);
  });
});
