/** Bodies that keep the orientation of their material, and the configurations at which they do. */
import { describe, expect, it } from 'vitest';
import type { BodyType, Quantity } from '../../src/description/model/robot.ts';
import { Orientation } from '../../src/kane/points/orientation.ts';
import {
  coordinateRanges,
  defaultParameters,
  sampleConfigurations,
} from '../../src/kane/kinematics/sample-configurations.ts';
import { KanegenError } from '../../src/common/error.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import {
  decimal,
  divide,
  integer,
  minus,
  negate,
  one,
  plus,
  sqrt,
  square,
  times,
  type Expr,
} from '../../src/symbolic/graph/expr.ts';
import type { Vector3 } from '../../src/symbolic/graph/vector.ts';
import { bodyType, contact, L, q, R, s, x, y } from './bodies.ts';

function body(position: Vector3, coordinates = 1, defaults: readonly number[] = []): BodyType {
  const type = bodyType('block', coordinates, { kind: 'position', position, distal: contact });
  const own = type.coordinates.map((c, i): Quantity => ({ ...c, unit: '1', value: decimal(defaults[i] ?? 0) }));
  return { ...type, coordinates: own };
}

function orientation(position: Vector3, type: BodyType): Orientation {
  return new Orientation(type, position, defaultParameters(type));
}

function refusal(position: Vector3, defaults: readonly number[] = []): KanegenError | undefined {
  const type = body(position, 1, defaults);
  try {
    orientation(position, type).requireUnfolded();
  } catch (error) {
    if (error instanceof KanegenError) return error;
    throw error;
  }
  return undefined;
}

/** Stretched along s by 1 + q, uniformly or more towards the end. */
const stretched: Vector3 = [x, y, times(s, plus(one, q(1)))];
const tapering: Vector3 = [x, y, plus(s, divide(times(q(1), square(s)), L))];

describe('the orientation of material', () => {
  it('is kept by bodies as they are made, turned and stretched', () => {
    expect(refusal(stretched)).toBeUndefined();
    expect(refusal([negate(x), negate(y), s])).toBeUndefined();
    expect(refusal([s, x, y])).toBeUndefined();
    expect(refusal(tapering)).toBeUndefined();
    expect(refusal(stretched, [-0.99])).toBeUndefined();
  });

  it('is lost by mirrors, by swapped axes, by what is pressed flat or turned inside out', () => {
    for (const position of [
      [negate(x), y, s],
      [y, x, s],
      [x, y, negate(s)],
      [x, y, x],
    ] as const)
      expect(refusal(position)?.code).toBe('folded-body');
    expect(refusal(stretched, [-1.01])?.code).toBe('folded-body');
    expect(refusal(stretched, [-1])?.code).toBe('folded-body');
  });

  it('is looked at close to the ends, and the message says where it is lost', () => {
    // det = 1 + 2 q s/L: negative beyond 91 % of the length.
    const error = refusal(tapering, [-0.55])!;
    expect(error.code).toBe('folded-body');
    const [, determinant, place] = /det ∂f\/∂x = (\S+) at x = \S+, y = \S+, s = ([\d.]+)/
      .exec(error.message)!
      .map(Number);
    expect(place).toBeGreaterThan(0.91 * 0.2);
    expect(place).toBeLessThan(0.2);
    expect(determinant).toBeCloseTo(1 - (1.1 * place!) / 0.2, 2);
    // det = 1 + q x/R across the section.
    expect(refusal([plus(x, divide(times(q(1), square(x)), times(integer(2), R))), y, s], [-1.1])?.code).toBe(
      'folded-body',
    );
    expect(refusal([plus(x, divide(times(q(1), square(x)), times(integer(2), R))), y, s], [-0.8])).toBeUndefined();
  });

  it('cannot be told where the formula has no value', () => {
    const error = refusal([x, y, divide(s, q(1))])!;
    expect(error.code).toBe('irregular-kinematics');
    expect(error.message).toMatch(/ at x = \S+, y = \S+, s = /);
  });
});

describe('limits', () => {
  /** Over √(1 − c q1 q2): there is no shape where the product is large. */
  const rooted = (argument: Expr): Vector3 => [divide(x, sqrt(argument)), y, s];
  const limited = (position: Vector3, limits: readonly (readonly [number, number])[]): BodyType => {
    const type = body(position, limits.length);
    const coordinates = type.coordinates.map((c, i) => ({
      ...c,
      limits: limits[i]!.map((limit) => decimal(limit)) as unknown as readonly [Expr, Expr],
      limitsAt: { file: 'limits', line: i + 1, column: 1, path: '' },
    }));
    return { ...type, coordinates };
  };
  const refusalOf = (position: Vector3, limits: readonly (readonly [number, number])[]): KanegenError | undefined => {
    try {
      orientation(position, limited(position, limits)).requireShape();
    } catch (error) {
      if (error instanceof KanegenError) return error;
      throw error;
    }
    return undefined;
  };

  it('lie where the body has a shape', () => {
    const position = rooted(minus(one, q(1)));
    expect(refusalOf(position, [[-3, 0.99]])).toBeUndefined();
    const error = refusalOf(position, [[-3, 2]])!;
    expect(error.code).toBe('wrong-value');
    expect(error.message).toContain('at q1 = 2');
    expect(error.remedy).toContain('ends at q1 = 1:');
    expect(error.location?.line).toBe(1);
    expect(refusalOf(rooted(plus(one, q(1))), [[-4, 1]])!.remedy).toContain('ends at q1 = -1:');
  });

  it('lie there together, too, and the first of those that do not is to blame', () => {
    const position = rooted(minus(one, times(q(1), q(2))));
    expect(
      refusalOf(position, [
        [-0.9, 0.9],
        [-0.9, 0.9],
      ]),
    ).toBeUndefined();
    const error = refusalOf(position, [
      [-0.5, 2],
      [-0.5, 2],
    ])!;
    expect(error.message).toContain('at q1 = 2, q2 = 2');
    expect(error.remedy).toContain('ends at q1 = 1, q2 = 1:');
    const second = refusalOf(rooted(minus(one, q(2))), [
      [-1, 5],
      [-1, 2],
    ])!;
    expect(second.message).toContain('at q2 = 2');
    expect(second.location?.line).toBe(2);
  });
});

describe('configurations at which decisions are made', () => {
  it('are the usual ones where nothing folds', () => {
    const type = body(stretched);
    const found = orientation(stretched, type).configurations(6);
    expect(found).toEqual(sampleConfigurations(coordinateRanges(type, defaultParameters(type)), 6));
  });

  /** The smallest determinant, which is at the end of the body. */
  const share = ([value]: readonly number[], k: number): number => 1 + k * value!;

  it('are drawn towards the default one as far as the body folds, with something to spare', () => {
    const steep = 6;
    const position: Vector3 = [x, y, plus(s, divide(times(integer(steep / 2), q(1), square(s)), L))];
    const type = body(position);
    const usual = sampleConfigurations(coordinateRanges(type, defaultParameters(type)), 8);
    const found = orientation(position, type).configurations(8);
    expect(found).toHaveLength(8);
    expect(usual.some((value) => share(value, steep) < 0)).toBe(true);
    found.forEach((value, i) => {
      expect(
        share(
          value.map((e) => 1.3 * e),
          steep,
        ),
      ).toBeGreaterThan(0);
      const factor = usual[i]![0] === 0 ? 0 : Math.log(value[0]! / usual[i]![0]!) / Math.log(0.7);
      expect(Math.abs(factor - Math.round(factor))).toBeLessThan(1e-9);
      // No nearer than needed: one step further out the margin is gone.
      if (factor > 0.5)
        expect(
          share(
            value.map((e) => (1.3 * e) / 0.7),
            steep,
          ),
        ).toBeLessThan(0.15);
    });
  });

  it('are drawn towards defaults other than zero', () => {
    const position: Vector3 = [x, y, times(s, plus(one, times(integer(4), minus(q(1), decimal(0.5)))))];
    const type = body(position, 1, [0.5]);
    const found = orientation(position, type).configurations(6);
    const usual = sampleConfigurations(coordinateRanges(type, defaultParameters(type)), 6);
    found.forEach(([value], i) => {
      expect(1 + 4 * 1.3 * (value! - 0.5)).toBeGreaterThan(0);
      const [before] = usual[i]!;
      if (before! > 0.5) expect(value).toBe(before);
      else if (before! < 0.3) expect(value).toBeGreaterThan(before!);
    });
  });

  it('keep a tenth of the determinant at the default one, and are that one where nothing else helps', () => {
    const folding: Expr = times(integer(1000), q(1));
    const position: Vector3 = [x, y, times(s, minus(one, square(folding)))];
    const type = body(position);
    for (const value of orientation(position, type).configurations(5)) {
      const [e] = value as [number];
      expect(e === 0 || 1 - (1300 * e) ** 2 > 0.1).toBe(true);
    }
    expect(orientation(position, type).configurations(5).slice(1)).toContainEqual([0]);
  });

  it('are left as they are when the body is folded at the default one already', () => {
    const position: Vector3 = [negate(x), y, times(s, plus(one, q(1)))];
    const type = body(position);
    const found = orientation(position, type).configurations(5);
    expect(found).toEqual(sampleConfigurations(coordinateRanges(type, defaultParameters(type)), 5));
  });

  it('depend on time at its beginning', () => {
    const type = body(stretched);
    expect(evaluate(type.coordinates.map((c) => c.value))).toEqual(orientation(stretched, type).configurations(1)[0]);
  });
});
