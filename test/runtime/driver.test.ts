/** The generic driver over link modules that evaluate their kernels one by one, against sums over point masses. */
import { describe, expect, it } from 'vitest';
import type { Joint } from '../../src/description/model/robot.ts';
import type { InputBuffer, KernelName, LinkType } from '../../src/kane/link/link-type.ts';
import { linkCoordinate } from '../../src/kane/link/link-coordinate.ts';
import { createDynamics, type Dynamics, type LinkModule, type RobotTable } from '../../src/runtime/driver.ts';
import { evaluate } from '../../src/symbolic/evaluate.ts';
import { decimal, integer, plus, sin, times, type Expr } from '../../src/symbolic/expr.ts';
import { composeFrames, frameEntries, identityFrame, unitVectors, type Frame } from '../../src/symbolic/vector.ts';
import {
  compiledTree,
  coordinate,
  dampers,
  PointReferee,
  randomFrame,
  randomNumbers,
  randomVector,
  springs,
  type PointLink,
} from '../kane/point-masses.ts';

/** Places in the block of a link, as the driver hands them over. */
const [PASSED, VELOCITY, WRENCH, OWN] = [10, 22, 25, 31];

/** A module that evaluates the kernels of a link type where generated ones run straight-line code. */
function interpreted(type: LinkType): LinkModule {
  const n = type.coordinates.length;
  const body = OWN + 4 * n;
  const part = (block: Float64Array, from: number, count: number): number[] => [...block.subarray(from, from + count)];
  const run = (name: KernelName, own: Float64Array, buffers: Partial<Record<InputBuffer, number[]>>) => {
    const bindings = new Map<Expr, number>();
    const all = { q: part(own, OWN, n), qd: part(own, OWN + n, n), qdd: part(own, OWN + 2 * n, n), ...buffers };
    for (const [buffer, values] of Object.entries(all))
      type.inputs[buffer as InputBuffer].forEach((s, i) => bindings.set(s, values[i]!));
    const { outputs } = type.kernels.find((k) => k.name === name)!;
    return Object.fromEntries(outputs.map(({ buffer, values }) => [buffer, evaluate(values, bindings)]));
  };
  const move: LinkModule['move'] = (_, parent, own) =>
    own.set(run('velocity', own, { parentVelocity: part(parent, VELOCITY, 3) })['ownVelocity']!, VELOCITY);
  const accelerate: LinkModule['accelerate'] = (_, parent, own) => {
    const parentVelocity = part(parent, VELOCITY, 3);
    const out = run('acceleration', own, { parentVelocity, parentAcceleration: part(parent, PASSED, 6) });
    own.set(out['ownAcceleration']!, PASSED);
    own.set(out['bodyWrench']!, body);
  };
  const passive = (name: 'elastic' | 'damping'): LinkModule['elastic'] =>
    type.kernels.some((k) => k.name === name)
      ? (_, own) => own.set(run(name, own, {})['generalizedForce']!, OWN + 3 * n)
      : null;
  return {
    name: type.name,
    coordinates: n,
    parameters: 0,
    constants: 0,
    block: body + type.bodyWrenchSize,
    prepare: () => undefined,
    configure: () => undefined,
    move,
    accelerate,
    forward: (constants, parent, own) => {
      move(constants, parent, own);
      accelerate(constants, parent, own);
    },
    weigh: (_, parent, own) => {
      const out = run('gravity', own, { parentGravity: part(parent, PASSED, 3) });
      own.set(out['ownGravity']!, PASSED);
      own.set(out['bodyWrench']!, body);
    },
    backward: (_, parent, own) => {
      const out = run('backward', own, {
        distalWrench: part(own, WRENCH, 6),
        bodyWrench: part(own, body, type.bodyWrenchSize),
      });
      own.set(out['generalizedForce']!, OWN + 3 * n);
      parent.set(out['parentWrench']!, WRENCH);
    },
    propagate: (_, own, wrench, generalizedForce, parentWrench) => {
      const out = run('propagate', own, { distalWrench: [...wrench] });
      generalizedForce.set(out['generalizedForce']!);
      parentWrench.set(out['parentWrench']!);
    },
    composite: (_, parent, own, massBlock, unitWrenches) => {
      const out = run('composite', own, { distalComposite: part(own, 0, 10) });
      parent.set(out['parentComposite']!, 0);
      massBlock.set(out['massBlock']!);
      unitWrenches.set(out['unitWrenches']!);
    },
    pose: (_, parent, own) => own.set(run('pose', own, { parentPose: part(parent, PASSED, 12) })['ownPose']!, PASSED),
    jacobian: (_, parent, own, columns) =>
      columns.set(run('jacobian', own, { parentPose: part(parent, PASSED, 12) })['jacobianColumns']!),
    energy: (_, parent, own, energy) => {
      const out = run('energy', own, { parentTravel: part(parent, PASSED, 10) });
      own.set(out['ownTravel']!, PASSED);
      energy.set(out['energy']!);
    },
    elastic: passive('elastic'),
    damping: passive('damping'),
  };
}

const random = randomNumbers(42);

function joint(name: string, kind: 'turn' | 'slide' | 'fixed'): Joint {
  if (kind === 'fixed') return { type: 'fixed', coordinates: [], motions: [] };
  const coordinates = [coordinate(name)];
  const q = coordinates[0]!.symbol;
  const motion =
    kind === 'turn'
      ? ({ kind: 'rotation', axis: unitVectors[1], angle: q } as const)
      : ({ kind: 'translation', displacement: [q, times(decimal(0.5), q), decimal(0)] } as const);
  return { type: kind, coordinates, motions: [motion] };
}

function link(parent: number, name: string, kind: 'turn' | 'slide' | 'fixed'): PointLink {
  const points = [0, 1].map(() => ({ mass: decimal(1.2 + random()), position: randomVector(random) }));
  const [offset, mount, distal] = [randomFrame(random), randomFrame(random), randomFrame(random)];
  return { parent, joint: joint(name, kind), offset, mount, bodyCoordinates: [], points, distal };
}

/** A body with two coordinates, springs and dampers on them. */
function soft(plain: PointLink): PointLink {
  const bodyCoordinates = [coordinate('soft.u'), coordinate('soft.v')];
  const [u, v] = bodyCoordinates.map(linkCoordinate);
  const at = { mass: decimal(0.7), position: [u!.symbol, sin(v!.symbol), times(u!.symbol, v!.symbol)] as const };
  const forces = [
    springs([times(integer(2), u!.symbol), times(integer(3), v!.symbol)]),
    dampers([times(integer(4), u!.rate), times(integer(5), v!.rate)]),
  ];
  const { rotation } = plain.distal;
  const distal: Frame = { rotation, translation: [u!.symbol, plus(u!.symbol, v!.symbol), decimal(0.1)] };
  return { ...plain, bodyCoordinates, points: [at, ...plain.points], distal, forces };
}

/** trunk – soft – (slide – turn, fixed, turn): three children of one link, a chain beyond the first of them. */
const links = [
  link(-1, 'trunk', 'turn'),
  soft(link(0, 'soft', 'turn')),
  link(1, 'slide', 'slide'),
  link(2, 'elbow', 'turn'),
  link(1, 'lamp', 'fixed'),
  link(1, 'wrist', 'turn'),
];
const base = randomFrame(random);
const offsets = [identityFrame, randomFrame(random), randomFrame(random), randomFrame(random)];
const frameLinks = [-1, 3, 1, 5];
const gravity = [1.5, -2.5, -9];
const table: RobotTable = {
  links: compiledTree(links).types.map((type, i) => ({
    module: interpreted(type),
    parent: links[i]!.parent,
    constants: [],
  })),
  base: evaluate(frameEntries(base)),
  frames: offsets.map((offset, i) => ({ link: frameLinks[i]!, offset: evaluate(frameEntries(offset)) })),
  setup: null,
};
const n = 7;
const values = (): number[] => Array.from({ length: n }, random);
const state = { q: values(), qd: values(), qdd: values() };
const [trunk, ...others] = links as [PointLink, ...PointLink[]];
const onBase = [{ ...trunk, offset: composeFrames(base, trunk.offset) }, ...others];
const referee = new PointReferee(onBase, state);
const still = new PointReferee(onBase, { ...state, qdd: state.qdd.map(() => 0) });

function expectClose(actual: ArrayLike<number>, expected: readonly number[]): void {
  expect(actual).toHaveLength(expected.length);
  const scale = Math.max(1, ...expected.map(Math.abs));
  Array.from(actual).forEach((value, i) =>
    expect(Math.abs(value - expected[i]!), `entry ${i}`).toBeLessThan(1e-12 * scale),
  );
}

const filled = (count: number): Float64Array => new Float64Array(count).fill(7);

function updated(): Dynamics {
  const dynamics = createDynamics(table, Float64Array.from(gravity));
  // What an earlier state left behind must not matter.
  dynamics.update(values(), values());
  dynamics.inverseDynamics(values(), filled(n));
  expect(dynamics.update(state.q, state.qd)).toBe(0);
  return dynamics;
}

describe('the driver', () => {
  it('knows how many coordinates there are, and expects as many numbers', () => {
    const dynamics = updated();
    expect(dynamics.coordinates).toBe(n);
    const [right, wrong] = [filled(n), filled(n + 1)];
    expect(() => dynamics.update(wrong, right)).toThrow(RangeError);
    expect(() => dynamics.update(right, wrong)).toThrow('expected 7 numbers, one per coordinate, not 8');
    expect(() => dynamics.inverseDynamics(wrong, right)).toThrow(RangeError);
    expect(() => dynamics.inverseDynamicsAt(wrong, right, right, filled(n))).toThrow(RangeError);
    expect(() => dynamics.inverseDynamicsAt(right, wrong, right, filled(n))).toThrow(RangeError);
    expect(() => dynamics.inverseDynamicsAt(right, right, wrong, filled(n))).toThrow(RangeError);
    expect(() => dynamics.massMatrixAt(wrong, filled(n * n))).toThrow(RangeError);
    expect(() => dynamics.gravityAt(wrong, filled(n))).toThrow(RangeError);
  });

  it('sums the wrenches of a tree: inverse dynamics, with gravity and without', () => {
    const dynamics = updated();
    const tau = filled(n);
    dynamics.inverseDynamics(state.qdd, tau);
    expectClose(tau, referee.forces(gravity, true));
    dynamics.inertialInverseDynamics(state.qdd, tau);
    expectClose(tau, referee.forces([0, 0, 0], true));
    dynamics.inverseDynamicsAt(state.q, state.qd, state.qdd, tau);
    expectClose(tau, referee.forces(gravity, true));
  });

  it('has the mass matrix of the points, alone, with inverse dynamics, and in one call', () => {
    const dynamics = updated();
    const expected = referee.massMatrix().flat();
    const [M, tau] = [filled(n * n), filled(n)];
    dynamics.massMatrix(M);
    expectClose(M, expected);
    M.fill(7);
    dynamics.inverseDynamicsAndMassMatrix(state.qdd, tau, M);
    expectClose(M, expected);
    expectClose(tau, referee.forces(gravity, true));
    M.fill(7);
    dynamics.massMatrixAt(state.q, M);
    expectClose(M, expected);
  });

  it('has Coriolis, gravity, elastic and viscous forces apart, and leaves out what is not wanted', () => {
    const dynamics = updated();
    const [c, g, elastic, damping] = [filled(n), filled(n), filled(n), filled(n)];
    dynamics.terms(c, g, elastic, damping);
    const [, , u, v] = state.q as [number, number, number, number];
    const [, , du, dv] = state.qd as [number, number, number, number];
    expectClose(c, still.forces([0, 0, 0], true));
    expectClose(g, referee.forces(gravity, false));
    expectClose(elastic, [0, 0, 2 * u, 3 * v, 0, 0, 0]);
    expectClose(damping, [0, 0, 4 * du, 5 * dv, 0, 0, 0]);
    dynamics.terms(null, null, null, null);
    const alone = filled(n);
    dynamics.terms(null, alone, null, null);
    expectClose(alone, [...g]);
    dynamics.gravityAt(state.q, alone.fill(7));
    expectClose(alone, [...g]);
  });

  it('has the energies of the points, zero at the world origin', () => {
    const energy = filled(2);
    updated().energies(energy);
    expectClose(energy, referee.energies(gravity));
  });

  it('has poses and Jacobians of frames on any link, and on the base', () => {
    const dynamics = updated();
    const poses = referee.poses();
    frameLinks.forEach((index, k) => {
      const [R, t, J] = [filled(9), filled(3), filled(6 * n)];
      dynamics.frame(k, R, t, J);
      const parent = index < 0 ? evaluate(frameEntries(base)) : poses[index]!;
      const asFrame = (e: readonly number[]): Frame => ({
        rotation: e.slice(0, 9).map(decimal) as unknown as Frame['rotation'],
        translation: e.slice(9).map(decimal) as unknown as Frame['translation'],
      });
      const world = evaluate(frameEntries(composeFrames(asFrame(parent), offsets[k]!)));
      expectClose([...R, ...t], world);
      const columns = index < 0 ? state.q.map(() => [0, 0, 0, 0, 0, 0]) : referee.jacobian(index);
      const [px, py, pz] = world.slice(9) as [number, number, number];
      const expected = columns.map((column) => {
        const [x, y, z, a, b, c] = column as [number, number, number, number, number, number];
        return [x, y, z, a + y * pz - z * py, b + z * px - x * pz, c + x * py - y * px];
      });
      expectClose(
        J,
        [0, 1, 2, 3, 4, 5].flatMap((row) => expected.map((column) => column[row]!)),
      );
      const [alone, origin] = [filled(9), filled(3)];
      dynamics.frame(k, alone, null, null);
      dynamics.frame(k, null, origin, null);
      expect([...alone, ...origin]).toEqual([...R, ...t]);
      const only = filled(6 * n);
      dynamics.frame(k, null, null, only);
      expect(only).toEqual(J);
    });
  });

  it('reads gravity anew in every call', () => {
    const g = Float64Array.from([0, 0, 0]);
    const dynamics = createDynamics(table, g);
    g.set(gravity);
    const weight = filled(n);
    dynamics.gravityAt(state.q, weight);
    expectClose(weight, referee.forces(gravity, false));
  });
});

describe('run-time parameters', () => {
  /** Modules that note what they are prepared with, and on which constants they are called. */
  it('are evaluated at every update, for the links that depend on them', () => {
    const prepared: number[][] = [];
    const used: Float64Array[] = [];
    const plain = table.links[0]!.module;
    const module = (parameters: number): LinkModule => ({
      ...plain,
      parameters,
      constants: 2,
      prepare: (own, constants) => {
        prepared.push([...own]);
        constants.fill(own.length);
      },
      configure: (constants) => void used.push(constants),
    });
    let calls = 0;
    const shared = [1, 2];
    const dynamics = createDynamics(
      {
        base: evaluate(frameEntries(identityFrame)),
        frames: [{ link: -1, offset: evaluate(frameEntries(identityFrame)) }],
        links: [
          { module: module(2), parent: -1, constants: null },
          { module: module(1), parent: 0, constants: shared },
          { module: module(3), parent: 1, constants: null },
          { module: module(1), parent: 2, constants: shared },
        ],
        setup: (pose, frames, parameters) => {
          calls += 1;
          pose[9] = 10 + calls;
          frames[11] = 0.5;
          expect(parameters).toHaveLength(5);
          parameters.set([1, 2, 3, 4, 5].map((e) => e * calls));
        },
      },
      Float64Array.from(gravity),
    );
    const q = [0.1, 0.2, 0.3, 0.4];
    dynamics.update(q, q);
    expect(prepared).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
    expect(used.map((constants) => [...constants])).toEqual([
      [2, 2],
      [1, 2],
      [3, 3],
      [1, 2],
    ]);
    expect(used[1]).toBe(used[3]);
    const t = filled(3);
    dynamics.frame(0, null, t, null);
    expect([...t]).toEqual([11, 0, 0.5]);
    dynamics.inverseDynamicsAt(q, q, q, filled(4));
    expect(prepared.at(-1)).toEqual([6, 8, 10]);
    expect(calls).toBe(2);
  });
});
