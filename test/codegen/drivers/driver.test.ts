/** Generated drivers against sums over point masses: of a tree of different links, and of runs of equal ones. */
import { describe, expect, it } from 'vitest';
import { loadGenerated } from '../../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../../src/codegen/typescript/typescript.ts';
import type { RobotFunction } from '../../../src/codegen/sweeps/robot-function.ts';
import { robotFunction } from '../../../src/codegen/sweeps/robot-functions.ts';
import type { Joint, Robot } from '../../../src/description/model/robot.ts';
import type { CompiledRobot, LinkType } from '../../../src/kane/kernels/link-type.ts';
import { linkCoordinate } from '../../../src/kane/link/link-coordinate.ts';
import { KG_NO_FRAME, KG_NON_FINITE, type Dynamics } from '../../../src/runtime/driver.ts';
import { evaluate } from '../../../src/symbolic/evaluation/evaluate.ts';
import { decimal, integer, plus, sin, times, type Expr } from '../../../src/symbolic/graph/expr.ts';
import {
  composeFrames,
  frameEntries,
  identityFrame,
  unitVectors,
  type Frame,
} from '../../../src/symbolic/graph/vector.ts';
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
} from '../../kane/point-masses.ts';

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

const entry = (e: Expr | number): Expr => (typeof e === 'number' ? integer(e) : e);

/** A body with two coordinates, springs and dampers on them. */
function soft(plain: PointLink): PointLink {
  const bodyCoordinates = [coordinate('soft.u'), coordinate('soft.v')];
  const [u, v] = bodyCoordinates.map(linkCoordinate);
  const at = { mass: decimal(0.7), position: [u!.symbol, sin(v!.symbol), times(u!.symbol, v!.symbol)] as const };
  const forces = [
    springs(
      [times(integer(2), u!.symbol), times(integer(3), v!.symbol)],
      [6, u!.symbol, 7, 8].map(entry),
      times(integer(5), u!.symbol, u!.symbol),
    ),
    dampers([times(integer(4), u!.rate), times(integer(5), v!.rate)], [9, 10, v!.rate, 11].map(entry)),
  ];
  const { rotation } = plain.distal;
  const distal: Frame = { rotation, translation: [u!.symbol, plus(u!.symbol, v!.symbol), decimal(0.1)] };
  return { ...plain, bodyCoordinates, points: [at, ...plain.points], distal, forces };
}

/** trunk – soft – (slide – turn, fixed, turn): three children of one link, a chain beyond the first of them. */
const tree = [
  link(-1, 'trunk', 'turn'),
  soft(link(0, 'soft', 'turn')),
  link(1, 'slide', 'slide'),
  link(2, 'elbow', 'turn'),
  link(1, 'lamp', 'fixed'),
  link(1, 'wrist', 'turn'),
];

/** The same link again, turned by a coordinate of its own. */
const again = (other: PointLink, parent: number, name: string): PointLink => ({
  ...other,
  parent,
  joint: joint(name, 'turn'),
});

/** A trunk with a chain of five equal links, and four more of them on its root: loops that set and loops that add. */
const segment = link(0, 'segment', 'turn');
const runs = [
  link(-1, 'trunk', 'turn'),
  segment,
  ...[1, 2, 3, 4].map((parent) => again(segment, parent, `segment${parent}`)),
  ...[1, 2, 3, 4].map((i) => again(segment, 1, `twig${i}`)),
];

const base = randomFrame(random);
const offsets = [identityFrame, randomFrame(random), randomFrame(random), randomFrame(random)];
const frameLinks = [-1, 3, 1, 5];
const gravity = [1.5, -2.5, -9];

/** As much of a robot as code generation asks for. */
function robotOf(links: readonly PointLink[]): Robot {
  const coordinates = links.flatMap((own) => [...own.joint.coordinates, ...own.bodyCoordinates]);
  return {
    name: 'points',
    summary: '',
    source: { file: 'points.robot.yaml', hash: '0' },
    gravity,
    base,
    parameters: [],
    links: links.map(() => ({ joint: {}, body: { kind: 'rigid' } })),
    coordinates: coordinates.map((own) => ({ ...own, value: 0 })),
    frames: offsets.map((offset, i) => ({ name: `frame${i}`, link: frameLinks[i]!, offset })),
    tip: 0,
    actuators: [],
  } as unknown as Robot;
}

/** Links that were made again are of the type of the first. */
function compiledRuns(links: readonly PointLink[]): CompiledRobot {
  const indexOf = (link: PointLink): number => links.findIndex((other) => other.points === link.points);
  const originals = links.filter((link, i) => indexOf(link) === i);
  const { types } = compiledTree(originals);
  const typeOf = (link: PointLink): LinkType => types[originals.findIndex((other) => other.points === link.points)]!;
  return {
    types,
    frames: robotOf(links).frames,
    links: links.map((link, i) => ({
      name: `link ${i}`,
      type: typeOf(link),
      parent: link.parent,
      parameters: [],
      actuators: [],
    })),
  };
}

async function createOf(links: readonly PointLink[]) {
  return loadGenerated(await generateTypeScript(robotOf(links), compiledRuns(links)));
}

interface Case {
  readonly n: number;
  readonly state: { readonly q: number[]; readonly qd: number[]; readonly qdd: number[] };
  readonly referee: PointReferee;
  readonly still: PointReferee;
  readonly create: Awaited<ReturnType<typeof createOf>>;
}

async function caseOf(links: readonly PointLink[]): Promise<Case> {
  const n = robotOf(links).coordinates.length;
  const values = (): number[] => Array.from({ length: n }, random);
  const state = { q: values(), qd: values(), qdd: values() };
  const [trunk, ...others] = links as [PointLink, ...PointLink[]];
  const onBase = [{ ...trunk, offset: composeFrames(base, trunk.offset) }, ...others];
  return {
    n,
    state,
    referee: new PointReferee(onBase, state),
    still: new PointReferee(onBase, { ...state, qdd: state.qdd.map(() => 0) }),
    create: await createOf(links),
  };
}

function expectClose(actual: ArrayLike<number>, expected: readonly number[]): void {
  expect(actual).toHaveLength(expected.length);
  const scale = Math.max(1, ...expected.map(Math.abs));
  Array.from(actual).forEach((value, i) =>
    expect(Math.abs(value - expected[i]!), `entry ${i}`).toBeLessThan(1e-12 * scale),
  );
}

const filled = (count: number): Float64Array => new Float64Array(count).fill(7);

function updated({ create, n, state }: Case): Dynamics {
  const values = (): number[] => Array.from({ length: n }, random);
  const dynamics = create();
  // What an earlier state left behind must not matter.
  dynamics.update(values(), values());
  dynamics.inverseDynamics(values(), filled(n));
  expect(dynamics.update(state.q, state.qd)).toBe(0);
  return dynamics;
}

const cases = [
  ['a tree', await caseOf(tree)],
  ['runs of equal links', await caseOf(runs)],
] as const;

describe.each(cases)('the driver of %s', (name, own) => {
  const { n, state, referee, still } = own;

  it('knows how many coordinates there are, and expects as many numbers', () => {
    const dynamics = updated(own);
    expect(dynamics.coordinates).toBe(n);
    const [right, wrong] = [filled(n), filled(n + 1)];
    expect(() => dynamics.update(wrong, right)).toThrow(RangeError);
    expect(() => dynamics.update(right, wrong)).toThrow(`expected ${n} numbers, one per coordinate, not ${n + 1}`);
    expect(() => dynamics.inverseDynamics(wrong, right)).toThrow(RangeError);
    expect(() => dynamics.inverseDynamicsAt(wrong, right, right, filled(n))).toThrow(RangeError);
    expect(() => dynamics.inverseDynamicsAt(right, wrong, right, filled(n))).toThrow(RangeError);
    expect(() => dynamics.inverseDynamicsAt(right, right, wrong, filled(n))).toThrow(RangeError);
    expect(() => dynamics.massMatrixAt(wrong, filled(n * n))).toThrow(RangeError);
    expect(() => dynamics.gravityAt(wrong, filled(n))).toThrow(RangeError);
  });

  it('sums the wrenches of a tree: inverse dynamics, with gravity and without', () => {
    const dynamics = updated(own);
    const tau = filled(n);
    dynamics.inverseDynamics(state.qdd, tau);
    expectClose(tau, referee.forces(gravity, true));
    dynamics.inertialInverseDynamics(state.qdd, tau);
    expectClose(tau, referee.forces([0, 0, 0], true));
    dynamics.inverseDynamicsAt(state.q, state.qd, state.qdd, tau);
    expectClose(tau, referee.forces(gravity, true));
  });

  it('has the mass matrix of the points, alone, with inverse dynamics, and in one call', () => {
    const dynamics = updated(own);
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

  it('finds the accelerations that forces cause, against gravity, springs and dampers', () => {
    const dynamics = updated(own);
    const [elastic, damping, found] = [filled(n), filled(n), filled(n)];
    dynamics.terms(null, null, elastic, damping);
    const tau = referee.forces(gravity, true).map((force, a) => force + elastic[a]! + damping[a]!);
    expect(dynamics.forwardDynamics(tau, found)).toBe(0);
    expectClose(found, state.qdd);
    const same = Float64Array.from(tau);
    expect(dynamics.forwardDynamics(same, same)).toBe(0);
    expect([...same]).toEqual([...found]);
  });

  it('solves for columns of the mass matrix', () => {
    const dynamics = updated(own);
    const columns = Float64Array.from(referee.massMatrix().flat());
    const identity = Array.from({ length: n * n }, (_, i) => (i % (n + 1) === 0 ? 1 : 0));
    const found = filled(n * n);
    expect(dynamics.solveMass(n, columns, found)).toBe(0);
    expectClose(found, identity);
    expect(dynamics.solveMass(n, columns, columns)).toBe(0);
    expect([...columns]).toEqual([...found]);
    expect(dynamics.solveMass(0, [], found)).toBe(0);
    expect(() => dynamics.solveMass(2, filled(n), found)).toThrow(`expected ${2 * n} numbers, one per entry, not ${n}`);
  });

  it('has Coriolis, gravity, elastic and viscous forces apart, and leaves out what is not wanted', () => {
    const dynamics = updated(own);
    const [c, g, elastic, damping] = [filled(n), filled(n), filled(n), filled(n)];
    dynamics.terms(c, g, elastic, damping);
    expectClose(c, still.forces([0, 0, 0], true));
    expectClose(g, referee.forces(gravity, false));
    const isSoft = name === 'a tree';
    const passive = (numbers: readonly number[], one: number, other: number): number[] =>
      numbers.map((value, i) => (isSoft && i === 2 ? one * value : isSoft && i === 3 ? other * value : 0));
    expectClose(elastic, passive(state.q, 2, 3));
    expectClose(damping, passive(state.qd, 4, 5));
    const [tau, active] = [filled(n), filled(n)];
    dynamics.inverseDynamics(state.qdd, tau);
    dynamics.activeInverseDynamics(state.qdd, active);
    expectClose(
      active,
      [...tau].map((force, a) => force + elastic[a]! + damping[a]!),
    );
    dynamics.terms(null, null, null, null);
    const alone = filled(n);
    dynamics.terms(null, alone, null, null);
    expectClose(alone, [...g]);
    dynamics.gravityAt(state.q, alone.fill(7));
    expectClose(alone, [...g]);
  });

  it('has matrices of elastic and damping forces, a block per link, rows first', () => {
    const dynamics = updated(own);
    const block = (a: number, b: number, c: number, d: number): number[] => {
      const matrix = Array.from({ length: n * n }, () => 0);
      if (name === 'a tree') [2, 2, 3, 3].forEach((row, k) => (matrix[row * n + 2 + (k % 2)] = [a, b, c, d][k]!));
      return matrix;
    };
    const [K, D] = [filled(n * n), filled(n * n)];
    expect(dynamics.stiffness(K)).toBe(0);
    expectClose(K, block(6, state.q[2]!, 7, 8));
    expect(dynamics.dissipation(D)).toBe(0);
    expectClose(D, block(9, 10, state.qd[3]!, 11));
  });

  it('has the energies of the points, zero at the world origin', () => {
    const energy = filled(3);
    updated(own).energies(energy);
    expectClose(energy, [...referee.energies(gravity), name === 'a tree' ? 5 * state.q[2]! ** 2 : 0]);
  });

  it('has poses and Jacobians of frames on any link, and on the base', () => {
    const dynamics = updated(own);
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

  it('adds what wrenches on frames do: moment and force in world axes, or in axes of the frame', () => {
    const dynamics = updated(own);
    frameLinks.forEach((_, k) => {
      const [R, J] = [filled(9), filled(6 * n)];
      dynamics.frame(k, R, null, J);
      const wrench = Array.from({ length: 6 }, random);
      const before = Array.from({ length: n }, random);
      const expected = before.map((value, a) => wrench.reduce((sum, w, row) => sum + w * J[row * n + a]!, value));
      const tau = Float64Array.from(before);
      expect(dynamics.external(k, wrench, tau)).toBe(0);
      expectClose(tau, expected);
      const local = wrench.map((__, row) =>
        [0, 1, 2].reduce((sum, i) => sum + R[3 * i + (row % 3)]! * wrench[row - (row % 3) + i]!, 0),
      );
      tau.set(before);
      expect(dynamics.externalInFrame(k, local, tau)).toBe(0);
      expectClose(tau, expected);
    });
    const tau = filled(n);
    expect(dynamics.external(frameLinks.length, [0, 0, 0, 0, 0, 0], tau)).toBe(KG_NO_FRAME);
    expect(dynamics.external(0, [0, 0, NaN, 0, 0, 0], tau)).toBe(KG_NON_FINITE);
    expect(() => dynamics.external(0, [0, 0, 0], tau)).toThrow('expected 6 numbers, one per entry, not 3');
    expect(tau).toEqual(filled(n));
  });

  it('reads gravity anew in every call', () => {
    const dynamics = own.create();
    dynamics.parameters.gravity.fill(0);
    dynamics.gravityAt(state.q, filled(n));
    dynamics.parameters.gravity.set(gravity);
    const weight = filled(n);
    dynamics.gravityAt(state.q, weight);
    expectClose(weight, referee.forces(gravity, false));
  });
});

it('functions are not printed where an output would stay as the caller left it', async () => {
  const forgetful = robotFunction('momentum') as { actions: RobotFunction['actions'] };
  const { actions } = forgetful;
  forgetful.actions = actions.filter((action) => !('momentum' in action));
  try {
    const message = 'nothing writes h of momentum: no action takes it, or no link has what its sweeps call';
    await expect(createOf(tree)).rejects.toThrow(message);
  } finally {
    forgetful.actions = actions;
  }
});
