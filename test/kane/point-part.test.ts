import { describe, expect, it } from 'vitest';
import { compileBody } from '../../src/kane/compile-body.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import type { CompiledRobot } from '../../src/kane/kernels/link-type.ts';
import type { BodyType, Robot } from '../../src/description/model/robot.ts';
import type { BoxVolume } from '../../src/description/model/reference-volume.ts';
import { DEFAULT_INTEGRATION, type IntegrationChoice } from '../../src/description/model/reference-volume.ts';
import {
  call,
  cos,
  decimal,
  divide,
  half,
  integer,
  minus,
  negate,
  one,
  plus,
  power,
  sin,
  square,
  symbol,
  times,
  zero,
  type Expr,
} from '../../src/symbolic/graph/expr.ts';
import { substitute } from '../../src/symbolic/graph/traverse.ts';
import { identityFrame, type Vector3 } from '../../src/symbolic/graph/vector.ts';
import { bodyType, L, planarElongation, q, rho, s, x, y } from './bodies.ts';
import { KernelInterpreter, type State } from './interpreter.ts';

const integrated = (type: BodyType, method: IntegrationChoice['method']): BodyType => ({
  ...type,
  integration: { ...DEFAULT_INTEGRATION, tolerance: 1e-11, method },
});

/** A chain of two links of one body type, on a revolute joint each, so that frames turn. */
function chain(type: BodyType): CompiledRobot {
  const angle = { name: 'angle', symbol: symbol('joint.angle'), unit: 'rad', value: zero };
  const axis: Vector3 = [zero, decimal(0.6), decimal(0.8)];
  const link = (parent: number) => ({
    name: `link${parent + 1}`,
    parent,
    offset: identityFrame,
    mount: identityFrame,
    joint: {
      type: 'revolute',
      coordinates: [angle],
      motions: [{ kind: 'rotation' as const, axis, angle: angle.symbol }],
    },
    body: { kind: 'deformable' as const, type, parameters: [decimal(0.23), decimal(0.031), integer(1100)] },
    location: { file: '', line: 1, column: 1, path: '' },
  });
  return compileRobot({
    ...{ parameters: [], base: identityFrame, coordinates: [], frames: [], actuators: [] },
    links: [link(-1), link(0)],
  } as unknown as Robot);
}

/** `forward` in the place of `acceleration`: inverse dynamics in one call. */
function direct(robot: CompiledRobot): CompiledRobot {
  const types = new Map(
    robot.types.map((type) => {
      const forward = type.kernels.find((k) => k.name === 'forward')!;
      const others = type.kernels.filter((k) => k.name !== 'acceleration');
      return [type, { ...type, kernels: [...others, { ...forward, name: 'acceleration' as const }] }];
    }),
  );
  return {
    types: [...types.values()],
    frames: robot.frames,
    links: robot.links.map((link) => ({ ...link, type: types.get(link.type)! })),
  };
}

const gravity = [1.2, -2.1, -9.4];

function everything(robot: CompiledRobot, state: State, time?: number): number[][] {
  const interpreter = new KernelInterpreter(robot, time);
  return [
    interpreter.inverseDynamics(state, gravity),
    interpreter.gravity(state, gravity),
    interpreter.massMatrix(state).flat(),
    interpreter.energies(state, gravity),
    interpreter.poses(state).flat(),
  ];
}

function stateOf(q_: readonly number[]): State {
  return { q: q_, qd: q_.map((_, i) => Math.sin(3 * i + 1)), qdd: q_.map((_, i) => 2 * Math.cos(2 * i + 0.3)) };
}

function expectEqual(actual: readonly number[][], expected: readonly number[][], tolerance: number): void {
  expected.forEach((list, k) => {
    const scale = Math.max(...list.map(Math.abs));
    list.forEach((value, i) => expect(Math.abs(actual[k]![i]! - value)).toBeLessThanOrEqual(tolerance * scale));
  });
}

/** A soft beam with modes outside of the Stumpff class; nothing but constants is left of its integrals. */
const beamPosition: Vector3 = [
  plus(x, times(q(1), minus(call('exp', divide(s, L)), one))),
  plus(y, times(q(2), square(sin(divide(times(half, s), L))), power(plus(one, divide(s, L)), -1))),
  plus(s, negate(times(x, q(1), divide(one, L)))),
];
const beam = bodyType('beam', 2, { kind: 'position', position: beamPosition, distal: { kind: 'none' } });

describe('a body integrated over points', () => {
  const closed = chain(integrated(planarElongation(), 'closed-form'));
  const points = chain(integrated(planarElongation(), 'quadrature'));

  it.each<[string, number[]]>([
    ['generic', [0.4, 0.7, 0.03, -0.9, -0.4, 0.01]],
    ['straight', [0.4, 0, 0, -0.9, 0, 0]],
    ['nearly straight', [0.4, 1e-7, 0.01, -0.9, -1e-9, 0]],
  ])('equals its closed form at a %s state', (_, configuration) => {
    const state = stateOf(configuration);
    expectEqual(everything(points, state), everything(closed, state), 1e-11);
  });

  it('gives the same inverse dynamics in one call as staged', () => {
    const state = stateOf([0.4, 0.7, 0.03, -0.9, -0.4, 0.01]);
    expectEqual(everything(direct(points), state).slice(0, 1), everything(points, state).slice(0, 1), 1e-13);
  });

  it('is chosen by itself where there is no closed form', () => {
    const position: Vector3 = [plus(x, times(q(1), call('exp', times(q(2), s)))), y, s];
    const type = bodyType('bent', 2, { kind: 'position', position, distal: { kind: 'none' } });
    const compiled = compileBody(type);
    expect(compiled.chosen.method).toBe('sums over points');
    expect(compiled.chosen.error).toBeLessThan(type.integration.tolerance);
  });

  it('has the mass and inertia of all its volumes', () => {
    const box: BoxVolume = {
      kind: 'box',
      axes: [x, y, s],
      ranges: [
        [zero, L],
        [zero, times(integer(2), L)],
        [zero, times(integer(3), L)],
      ],
      density: rho,
      breaks: new Map(),
    };
    const far = {
      ...box,
      ranges: [[L, times(integer(2), L)], ...box.ranges.slice(1)] as unknown as BoxVolume['ranges'],
    };
    const whole = {
      ...box,
      ranges: [[zero, times(integer(2), L)], ...box.ranges.slice(1)] as unknown as BoxVolume['ranges'],
    };
    const twisted: Vector3 = [
      minus(times(x, cos(times(q(1), s))), times(y, sin(times(q(1), s)))),
      plus(times(x, sin(times(q(1), s))), times(y, cos(times(q(1), s)))),
      plus(s, times(q(2), square(s))),
    ];
    const robot = (volumes: readonly BoxVolume[]) =>
      chain({ ...bodyType('twisted', 2, { kind: 'position', position: twisted, distal: { kind: 'none' } }), volumes });
    const state = stateOf([0.4, 0.7, 0.03, -0.9, -0.4, 0.01]);
    expectEqual(everything(robot([box, far]), state), everything(robot([whole]), state), 1e-10);
  });
});

describe('constant tensors', () => {
  it('are found, leave no loop for the configuration, and equal sums over points', () => {
    expect(compileBody(beam).chosen.method).toBe('constant tensors');
    const constants = chain(beam);
    expect(constants.types[0]!.loops.every((loop) => loop.stage === 0)).toBe(true);
    const state = stateOf([0.4, 0.02, 0.03, -0.9, -0.01, 0.01]);
    expectEqual(everything(constants, state), everything(chain(integrated(beam, 'quadrature')), state), 1e-11);
  });
});

describe('kinematics that depends on the time', () => {
  const t = symbol('body.t');
  const at = 0.037;
  /** The second coordinate of an arc driven as 0.3 t². */
  const driven = (type: BodyType): BodyType => {
    const motion = new Map<Expr, Expr>([[q(2), times(decimal(0.3), square(t))]]);
    if (type.kinematics.kind !== 'position') throw new Error('a position expected');
    const position = substitute(type.kinematics.position, motion) as unknown as Vector3;
    return {
      ...type,
      coordinates: type.coordinates.slice(0, 1),
      time: t,
      kinematics: { ...type.kinematics, position },
    };
  };
  const [e, rate, acceleration] = [0.3 * at * at, 0.6 * at, 0.6];

  it.each(['closed-form', 'quadrature'] as const)('moves like a coordinate with the same motion: %s', (method) => {
    const state = {
      q: [0.4, 0.7, e, -0.9, -0.4, e],
      qd: [0.3, -1.1, rate, 0.8, 0.5, rate],
      qdd: [1.2, 0.4, acceleration, -0.6, 2.1, acceleration],
    };
    const kept = (list: readonly number[]): number[] => list.filter((_, i) => i % 3 !== 2);
    const own = { q: kept(state.q), qd: kept(state.qd), qdd: kept(state.qdd) };
    const [expected, , , energies, poses] = everything(chain(integrated(planarElongation(), 'closed-form')), state);
    const [actual, , , ownEnergies, ownPoses] = everything(
      chain(driven(integrated(planarElongation(), method))),
      own,
      at,
    );
    expectEqual([actual!, ownEnergies!, ownPoses!], [kept(expected!), energies!, poses!], 1e-11);
  });
});

describe('a kinematics that cannot be', () => {
  const refused = (position: Vector3, integration: Partial<IntegrationChoice> = {}): string => {
    const type = bodyType('impossible', 2, { kind: 'position', position, distal: { kind: 'none' } });
    try {
      compileBody({ ...type, integration: { ...DEFAULT_INTEGRATION, ...integration } });
    } catch (error) {
      const { code, location } = error as { code: string; location: unknown };
      expect(location).toBeDefined();
      return code;
    }
    return 'compiled';
  };

  it('is refused where the body folds at its default configuration', () => {
    expect(refused([x, y, minus(s, divide(square(s), L))])).toBe('folded-body');
  });

  it('is refused where it has a pole at its default configuration', () => {
    expect(refused([plus(x, divide(s, q(2))), y, s])).toBe('irregular-kinematics');
  });

  it('is refused when points are to meet a tolerance beyond the digits of a double', () => {
    const position: Vector3 = [plus(x, times(q(1), call('exp', times(q(2), s)))), y, s];
    expect(refused(position, { method: 'quadrature', tolerance: 1e-22 })).toBe('tolerance-not-met');
  });
});

describe('the pose of a body as a frame field', () => {
  it('is the position of its sections', () => {
    const angle = divide(times(q(1), s), L);
    const rotation = [cos(angle), zero, sin(angle), zero, one, zero, negate(sin(angle)), zero, cos(angle)] as const;
    const translation: Vector3 = [
      divide(times(L, minus(one, cos(angle))), q(1)),
      zero,
      divide(times(L, sin(angle)), q(1)),
    ];
    const field = bodyType('field', 1, { kind: 'pose', pose: { rotation, translation } });
    const state = stateOf([0.4, 0.7, -0.9, 0]);
    const closed = everything(chain(integrated(field, 'closed-form')), state);
    expectEqual(everything(chain(integrated(field, 'quadrature')), state), closed, 1e-11);
  });
});
