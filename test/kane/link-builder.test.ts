/** Kernels of links against sums over point masses: joints of several motions that share coordinates, bodies that move. */
import { describe, expect, it } from 'vitest';
import type { Joint } from '../../src/description/model/robot.ts';
import type { BodyPart } from '../../src/kane/body/body-part.ts';
import { inputSymbols } from '../../src/kane/link/link-parts.ts';
import type { Kernel, KernelName } from '../../src/kane/link/link-type.ts';
import type { Loop } from '../../src/kane/loops/loop.ts';
import {
  decimal,
  integer,
  one,
  plus,
  sin,
  square,
  symbol,
  times,
  zero,
  type Expr,
} from '../../src/symbolic/graph/expr.ts';
import { unitVectors, type Vector3 } from '../../src/symbolic/graph/vector.ts';
import { KernelInterpreter, type State } from './interpreter.ts';
import {
  compiledTree,
  coordinate,
  dampers,
  linkParts,
  linkTypeOf,
  PointReferee,
  randomFrame,
  randomNumbers,
  randomVector,
  springs,
  type PointLink,
  type PointMass,
} from './point-masses.ts';

/** Two coordinates that move three steps together: each has a cross term with itself and with the other. */
function mixedJoint(name: string, random: () => number): Joint {
  const coordinates = [coordinate(`${name}.q1`), coordinate(`${name}.q2`)];
  const [q1, q2] = coordinates.map((c) => c.symbol) as [Expr, Expr];
  const some = (e: Expr): Expr => times(decimal(0.5 + Math.abs(random())), e);
  return {
    type: 'mixed',
    coordinates,
    motions: [
      { kind: 'rotation', axis: unitVectors[2], angle: some(q1) },
      { kind: 'translation', displacement: [some(q1), some(q2), some(times(q1, q2))] },
      { kind: 'rotation', axis: [decimal(0.6), zero, decimal(-0.8)], angle: plus(some(q1), some(q2)) },
    ],
  };
}

function revolute(name: string): Joint {
  const coordinates = [coordinate(`${name}.angle`)];
  return {
    type: 'revolute',
    coordinates,
    motions: [{ kind: 'rotation', axis: unitVectors[1], angle: coordinates[0]!.symbol }],
  };
}

function rigidPoints(random: () => number): PointMass[] {
  return [0, 1].map(() => ({ mass: decimal(1.2 + random()), position: randomVector(random) }));
}

function link(parent: number, joint: Joint, random: () => number): PointLink {
  return {
    parent,
    joint,
    offset: randomFrame(random),
    mount: randomFrame(random),
    bodyCoordinates: [],
    points: rigidPoints(random),
    distal: randomFrame(random),
  };
}

/** A body of two points that its two coordinates move, as well as its distal frame. */
function movingBody(plain: PointLink, name: string): PointLink {
  const bodyCoordinates = [coordinate(`${name}.u`), coordinate(`${name}.v`)];
  const [u, v] = bodyCoordinates.map((c) => c.symbol) as [Expr, Expr];
  const moving: Vector3 = [times(decimal(0.3), u), sin(v), plus(times(u, v), decimal(0.2))];
  const { rotation } = plain.distal;
  return {
    ...plain,
    bodyCoordinates,
    points: [{ mass: decimal(0.7), position: moving }, ...plain.points],
    distal: { rotation, translation: [square(u), plus(u, v), sin(v)] },
  };
}

/** A tree with a branch: mixed – moving body – (mixed, revolute). */
function tree(seed: number): PointLink[] {
  const random = randomNumbers(seed);
  return [
    link(-1, mixedJoint('first', random), random),
    movingBody(link(0, revolute('second'), random), 'soft'),
    link(1, mixedJoint('third', random), random),
    link(1, revolute('fourth'), random),
  ];
}

function expectClose(actual: readonly number[], expected: readonly number[]): void {
  expect(actual).toHaveLength(expected.length);
  const scale = Math.max(1, ...expected.map(Math.abs));
  actual.forEach((value, i) => expect(Math.abs(value - expected[i]!), `entry ${i}`).toBeLessThan(1e-12 * scale));
}

const gravity = [1.5, -2.5, -9];

describe.each([1, 2])('links of point masses (%d)', (seed) => {
  // Made anew by every test, so that mutation testing sees which tests make the kernels.
  const made = (): { run: KernelInterpreter; state: State; referee: PointReferee } => {
    const links = tree(seed);
    const random = randomNumbers(100 + seed);
    const run = new KernelInterpreter(compiledTree(links));
    const values = (): number[] => Array.from({ length: run.size }, random);
    const state: State = { q: values(), qd: values(), qdd: values() };
    return { run, state, referee: new PointReferee(links, state) };
  };

  it('have the poses of their steps, one after the other', () => {
    const { run, state, referee } = made();
    expectClose(run.poses(state).flat(), referee.poses().flat());
  });

  it('have the mass matrix of the points, cross terms of a joint whose steps share coordinates included', () => {
    const { run, state, referee } = made();
    expectClose(run.massMatrix(state).flat(), referee.massMatrix().flat());
  });

  it('need the forces that move the points', () => {
    const { run, state, referee } = made();
    expectClose(run.inverseDynamics(state, gravity), referee.forces(gravity, true));
  });

  it('bear the weight of the points', () => {
    const { run, state, referee } = made();
    expectClose(run.gravity(state, gravity), referee.forces(gravity, false));
  });

  it('have the energies of the points', () => {
    const { run, state, referee } = made();
    expectClose(run.energies(state, gravity), referee.energies(gravity));
  });

  it('have Jacobian columns that move the distal frame', () => {
    const { run, state, referee } = made();
    const columns = run.jacobians(state);
    let first = 0;
    columns.forEach((own, i) => {
      const all = referee.jacobian(i);
      expectClose(own.flat(), all.slice(first, first + own.length).flat());
      first += own.length;
    });
  });
});

const fixedJoint: Joint = { type: 'fixed', coordinates: [], motions: [] };

describe('drives, which turn with coordinates but not with links', () => {
  const inertias = [
    [0, 0, 0.4],
    [1, 1, 0.25],
    [1, 2, 0.6],
    [3, 0, 0.9],
  ] as const;
  const firstOf = [0, 2, 5, 7];

  it('add their inertia to M and its force to the others, not to gravity, and have ½ I q̇² of kinetic energy', () => {
    const links = tree(3);
    const driven = links.map((own, i) => ({
      ...own,
      drives: inertias.flatMap(([link, coordinate, inertia]) =>
        link === i ? [{ coordinate, inertia: decimal(inertia) }] : [],
      ),
    }));
    const [without, run] = [new KernelInterpreter(compiledTree(links)), new KernelInterpreter(compiledTree(driven))];
    const random = randomNumbers(33);
    const values = (): number[] => Array.from({ length: run.size }, random);
    const state: State = { q: values(), qd: values(), qdd: values() };
    const diagonal = Array.from({ length: run.size }, () => 0);
    for (const [link, coordinate, inertia] of inertias) diagonal[firstOf[link]! + coordinate] = inertia;
    const M = without.massMatrix(state).map((row, i) => row.map((m, j) => m + (i === j ? diagonal[i]! : 0)));
    expectClose(run.massMatrix(state).flat(), M.flat());
    const forces = without.inverseDynamics(state, gravity).map((f, i) => f + diagonal[i]! * state.qdd[i]!);
    expectClose(run.inverseDynamics(state, gravity), forces);
    expectClose(run.gravity(state, gravity), without.gravity(state, gravity));
    const [kinetic, potential] = without.energies(state, gravity);
    const own = diagonal.reduce((sum, inertia, i) => sum + (inertia / 2) * state.qd[i]! ** 2, 0);
    expectClose(run.energies(state, gravity).slice(0, 2), [kinetic! + own, potential!]);
  });

  it('stand before the wrench of the body under the names of their coordinates', () => {
    const own = movingBody(link(-1, mixedJoint('joint', randomNumbers(7)), randomNumbers(7)), 'body');
    const inputs = inputSymbols(linkParts({ ...own, drives: [{ coordinate: 1, inertia: decimal(2) }] }), []);
    expect(inputs.bodyWrench.map((e) => e.name.replace(/^.*?\./, ''))[0]).toBe('drive_joint.q2');
    expect(inputs.bodyWrench).toHaveLength(9);
  });
});

/** Buffers whose changes and whose weights have buffers of their own. */
const DIFFERENTIATED = [
  ...['q', 'qd', 'qdd', 'generalizedForce', 'bodyWrench', 'waterWrench', 'distalWrench'],
  ...['parentVelocity', 'ownVelocity', 'parentAcceleration', 'ownAcceleration', 'parentStream', 'ownStream'],
];

const empty = (suffix: string, buffers: readonly string[]): Record<string, number> =>
  Object.fromEntries(buffers.map((buffer) => [`${buffer}${suffix}`, 0]));

describe('the kernels of a link', () => {
  const random = randomNumbers(7);
  const plain = link(-1, mixedJoint('joint', random), random);
  const [u, v] = [symbol('test.force_u'), symbol('test.force_v')];
  const names = (kernels: readonly Kernel[]): KernelName[] => kernels.map((k) => k.name);
  const usual: KernelName[] = [
    'velocity',
    'acceleration',
    'gravity',
    'backward',
    'propagate',
    'transmit',
    'composite',
    'articulate',
    'reduce',
    'reduceAlone',
    'restore',
    'pose',
    'jacobian',
    'drift',
    'energy',
  ];

  it('are the same for every rigid body', () => {
    expect(names(linkTypeOf('plain', linkParts(plain)).kernels)).toEqual(usual);
  });

  it('put forces of the body behind the coordinates of the joint', () => {
    const [K, D] = ['K', 'D'].map((name) => [1, 2, 3, 4].map((i) => symbol(`test.${name}_${i}`)));
    const forces = [springs([u, v], K), dampers([v, u], D)];
    const { kernels } = linkTypeOf('passive', linkParts({ ...movingBody(plain, 'body'), forces }));
    expect(names(kernels)).toEqual([...usual, 'elastic', 'damping', 'stiffness', 'dissipation']);
    const values = kernels.slice(-4).map((k) => k.outputs);
    const block = ([a, b, c, d]: readonly Expr[]): Expr[] => [
      ...Array.from({ length: 8 }, () => zero),
      ...[zero, zero, a!, b!],
      ...[zero, zero, c!, d!],
    ];
    expect(values).toEqual([
      [{ buffer: 'generalizedForce', values: [zero, zero, u, v] }],
      [{ buffer: 'generalizedForce', values: [zero, zero, v, u] }],
      [{ buffer: 'forceMatrix', values: block(K!) }],
      [{ buffer: 'forceMatrix', values: block(D!) }],
    ]);
  });

  it('add up what joint and body offer on the same coordinate', () => {
    const parts = linkParts(movingBody(plain, 'body'));
    const forces = [
      { term: springs([u], [v]), coordinates: [1] },
      { term: springs([v, u], [one, u, u, v]), coordinates: [3, 1] },
    ];
    const { kernels } = linkTypeOf('sprung', { ...parts, forces });
    expect(kernels.slice(-2)).toEqual([
      { name: 'elastic', outputs: [{ buffer: 'generalizedForce', values: [zero, times(integer(2), u), zero, v] }] },
      {
        name: 'stiffness',
        outputs: [
          {
            buffer: 'forceMatrix',
            values: [
              ...[zero, zero, zero, zero],
              ...[zero, times(integer(2), v), zero, u],
              ...[zero, zero, zero, zero],
              ...[zero, u, zero, one],
            ],
          },
        ],
      },
    ]);
  });

  it('leave out what the body does not have', () => {
    const forces = [dampers([v, u])];
    const { kernels } = linkTypeOf('damped', linkParts({ ...movingBody(plain, 'body'), forces }));
    expect(names(kernels)).toEqual([...usual, 'damping', 'dissipation']);
  });

  it('read buffers of fixed sizes, every place by a symbol of its own', () => {
    const inputs = inputSymbols(linkParts(movingBody(plain, 'body')), [u]);
    const sizes = Object.entries(inputs).map(([name, symbols]) => [name, symbols.length]);
    expect(Object.fromEntries(sizes)).toEqual({
      parameters: 1,
      q: 4,
      qd: 4,
      qdd: 4,
      parentVelocity: 3,
      parentAcceleration: 6,
      parentGravity: 3,
      distalWrench: 6,
      appliedWrench: 6,
      bodyWrench: 8,
      distalComposite: 10,
      parentPose: 12,
      parentDrift: 12,
      parentTravel: 10,
      distalArticulated: 21,
      factor: 0,
      addend: 0,
      load: 4,
      quotients: 4,
      parentResponse: 6,
      inputs: 0,
      parentFlow: 9,
      parentStream: 6,
      parentSurge: 12,
      waterWrench: 0,
      material: 3,
      // Of derivatives, which are made apart.
      parametersTangent: 0,
      ...empty('Tangent', [
        ...DIFFERENTIATED,
        'parentPose',
        'ownPose',
        'parentWrench',
        'appliedWrench',
        'parentApplied',
      ]),
      ...empty('Adjoint', [...DIFFERENTIATED, 'parentWrench']),
    });
    const all = Object.values(inputs).flat();
    expect(new Set(all.map((s) => s.name)).size).toBe(all.length);
    expect(inputs.bodyWrench.map((s) => s.name.replace(/^.*\./, '')).slice(6)).toEqual(['pi_1', 'pi_2']);
  });

  it('name the motion of the proximal frame', () => {
    const { hints, kernels } = linkTypeOf('named', linkParts(plain));
    const found = new Set(hints.values());
    for (const axis of ['x', 'y', 'z'])
      for (const quantity of ['omega', 'alpha', 'a']) expect(found).toContain(`${quantity}_proximal_${axis}`);
    expect(kernels.every((kernel) => !('loops' in kernel))).toBe(true);
  });

  /** A body that works by loops: it keeps rows of numbers in the buffer of body wrenches. */
  function looped(stage: Loop['stage']): ReturnType<typeof linkTypeOf> {
    const parts = linkParts({ ...plain, joint: fixedJoint });
    const loop: Loop = {
      name: 'rows',
      stage,
      table: { name: 'rows', rows: 3, columns: [] },
      reversed: false,
      reads: [],
      networks: [],
      carried: [],
      sums: [],
      writes: [],
    };
    const body: BodyPart = {
      method: 'rows',
      bodyWrenchSize: 9,
      loops: () => [loop],
      velocity: (w) => parts.body.velocity(w),
      accelerate: (motion, purpose) => {
        const { own } = parts.body.accelerate(motion, purpose);
        return { own, wrench: [], loops: [loop] };
      },
      weigh: (a) => ({ ...parts.body.weigh(a), loops: [] }),
      backward: (distal, wrench) => parts.body.backward(distal, wrench),
      composite: (kind, distal) => parts.body.composite(kind, distal),
      step: parts.body.step,
      pose: (frame) => parts.body.pose(frame),
      jacobian: (frame) => parts.body.jacobian(frame),
      drift: () => parts.body.drift(),
      energy: (travel) => parts.body.energy(travel),
      names: () => new Map([[u, 'from_the_body']]),
    };
    return linkTypeOf('looped', { ...parts, body });
  }

  it('include one for all of the motion when loops depend on the configuration', () => {
    const { kernels, loops, hints, inputs } = looped(1);
    expect(names(kernels)).toEqual([...usual, 'forward']);
    expect(names(looped(0).kernels)).toEqual(usual);
    expect(loops).toHaveLength(1);
    expect(hints.get(u)).toBe('from_the_body');
    const buffers = (name: KernelName): string[] =>
      kernels.find((k) => k.name === name)!.outputs.map((output) => output.buffer);
    expect(buffers('forward')).toEqual(['ownVelocity', 'ownAcceleration']);
    expect(buffers('acceleration')).toEqual(['ownAcceleration']);
    expect(buffers('gravity')).toEqual(['ownGravity', 'bodyWrench']);
    expect(kernels.filter((k) => k.loops).map((k) => k.name)).toEqual(['acceleration', 'forward']);
    expect(inputs.bodyWrench.map((s) => s.name.replace(/^.*\./, '')).slice(6)).toEqual([
      'entry_7',
      'entry_8',
      'entry_9',
    ]);
  });
});
