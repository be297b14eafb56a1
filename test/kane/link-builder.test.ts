/** Kernels of links against sums over point masses: joints of several motions that share coordinates, bodies that move. */
import { describe, expect, it } from 'vitest';
import type { Joint } from '../../src/description/model/robot.ts';
import type { ActuationTerm } from '../../src/kane/body/actuation-terms.ts';
import type { BodyPart } from '../../src/kane/body/body-part.ts';
import type { MovingPoint } from '../../src/kane/body/moving-point.ts';
import { inputSymbols } from '../../src/kane/link/link-parts.ts';
import type { Kernel, KernelName, LinkType } from '../../src/kane/kernels/link-type.ts';
import type { Loop } from '../../src/kane/loops/loop.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import { differentiateAll, directionalDerivative } from '../../src/symbolic/graph/differentiate.ts';
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
import {
  cross,
  multiplyMatrices,
  multiplyVector,
  skew,
  unitVectors,
  type Matrix3,
  type Vector3,
} from '../../src/symbolic/graph/vector.ts';
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
    expectClose(run.energies(state, gravity).slice(0, 2), [kinetic + own, potential]);
  });

  it('stand before the wrench of the body under the names of their coordinates', () => {
    const own = movingBody(link(-1, mixedJoint('joint', randomNumbers(7)), randomNumbers(7)), 'body');
    const inputs = inputSymbols(linkParts({ ...own, drives: [{ coordinate: 1, inertia: decimal(2) }] }), []);
    expect(inputs.bodyWrench.map((e) => e.name.replace(/^.*?\./, ''))[0]).toBe('drive_joint.q2');
    expect(inputs.bodyWrench).toHaveLength(9);
  });
});

describe('points of a body', () => {
  const minus = (a: Expr, b: Expr): Expr => plus(a, times(integer(-1), b));

  it.each([3, 4])('move as their place does, which the parent and all coordinates move (%d)', (seed) => {
    const random = randomNumbers(seed);
    const own = movingBody(link(-1, mixedJoint('joint', random), random), 'body');
    const parts = linkParts(own);
    const [u, v] = own.bodyCoordinates.map((c) => c.symbol) as [Expr, Expr];
    const rates = new Map(parts.coordinates.map((c) => [c.symbol as Expr, c.rate as Expr]));
    const along = (e: readonly Expr[]): Vector3 => directionalDerivative(e, rates) as unknown as Vector3;
    const locate = ([x, y, z]: readonly Expr[]): MovingPoint => {
      const position: Vector3 = [plus(x!, times(u, y!)), times(sin(v), z!), plus(z!, times(u, v))];
      const partials = [u, v].map((q) => differentiateAll(position, q) as unknown as Vector3);
      return { position, partials, velocity: along(position), bias: along(along(position)), loops: [] };
    };
    const { kernels, inputs } = linkTypeOf('points', { ...parts, locate });
    const output = (name: KernelName, index: number): readonly Expr[] =>
      kernels.find((kernel) => kernel.name === name)!.outputs[index]!.values;
    const [place, columns, motion] = [output('locate', 0), output('locate', 1), output('track', 0)];
    const pose = randomFrame(random);
    const numbers = evaluate([...pose.rotation, ...pose.translation]);
    const at = new Map<Expr, number>(
      Object.values(inputs).flatMap((symbols) => symbols.map((symbol) => [symbol, random()] as const)),
    );
    inputs.parentPose.forEach((symbol, i) => at.set(symbol, numbers[i]!));
    expectClose(
      evaluate(columns, at),
      evaluate(
        parts.coordinates.flatMap((c) => differentiateAll(place, c.symbol)),
        at,
      ),
    );
    // Ṙ = R [ω]×, ṫ = R v, and v̇ = a − ω × v in turning axes.
    const R = inputs.parentPose.slice(0, 9);
    const [w, velocity, alpha, a] = [0, 3, 6, 9].map((k) =>
      inputs.parentBiasMotion.slice(k, k + 3),
    ) as unknown as Vector3[];
    const turning = multiplyMatrices(R as unknown as Matrix3, skew(w!));
    const shifting = multiplyVector(R as unknown as Matrix3, velocity!);
    const slowing = cross(w!, velocity!);
    const inTime = new Map<Expr, Expr>([
      ...rates,
      ...R.map((e, i) => [e, turning[i]!] as const),
      ...inputs.parentPose.slice(9).map((e, i) => [e, shifting[i]!] as const),
      ...w!.map((e, i) => [e, alpha![i]!] as const),
      ...velocity!.map((e, i) => [e, minus(a![i]!, slowing[i]!)] as const),
    ]);
    const first = directionalDerivative(place, inTime);
    expectClose(evaluate(motion, at), evaluate([...first, ...directionalDerivative(first, inTime)], at));
  });
});

describe('what actuators have within a link', () => {
  const parts = linkParts(movingBody(link(-1, mixedJoint('joint', randomNumbers(7)), randomNumbers(7)), 'body'));
  const term = (name: string, count: number): ActuationTerm => ({
    ...{ name, method: 'given', loops: [] },
    ...{ value: symbol(`${name}.y`), rate: symbol(`${name}.yd`), bias: symbol(`${name}.ydd`) },
    gradient: Array.from({ length: count }, (_, i) => symbol(`${name}.g_${i}`)),
  });

  it('stands at its coordinates, added up where a term names one twice, and drives them by its inputs', () => {
    const [one_, other] = [term('one', 3), term('other', 1)];
    const actuations = [
      { term: one_, coordinates: [3, 1, 1] },
      { term: other, coordinates: [1] },
    ];
    const { kernels, inputs } = linkTypeOf('driven', { ...parts, actuations });
    const [g0, g1, g2] = one_.gradient as [Expr, Expr, Expr];
    const [h] = other.gradient as [Expr];
    const [u1, u2] = inputs.inputs as readonly [Expr, Expr];
    expect(inputs.inputs).toHaveLength(2);
    expect(kernels.slice(-3)).toEqual([
      {
        name: 'actuation',
        outputs: [
          { buffer: 'actuationCoordinates', values: [one_.value, other.value] },
          { buffer: 'actuationGradients', values: [zero, plus(g1, g2), zero, g0, zero, h, zero, zero] },
        ],
      },
      {
        name: 'actuationRates',
        outputs: [{ buffer: 'actuationRates', values: [one_.rate, other.rate, one_.bias, other.bias] }],
      },
      {
        name: 'actuate',
        outputs: [
          {
            buffer: 'generalizedForce',
            values: [zero, plus(times(plus(g1, g2), u1), times(h, u2)), zero, times(g0, u1)],
          },
        ],
      },
    ]);
  });

  it('is nothing without actuators', () => {
    const names = linkTypeOf('free', parts).kernels.map(({ name }) => name);
    for (const name of ['actuation', 'actuationRates', 'actuate'] as const) expect(names).not.toContain(name);
  });
});

describe('links of a robot in water', () => {
  it('hand on the same inertia as others where no water moves with them, as that of articulated bodies', () => {
    const random = randomNumbers(21);
    const parts = linkParts(movingBody(link(-1, mixedJoint('joint', random), random), 'body'));
    const afloat = { forces: true, addedMass: true, wet: true, placed: false, differentiated: false };
    const [dry, wet] = [linkTypeOf('dry', parts), linkTypeOf('wet', { ...parts, afloat })];
    const names = (type: LinkType): KernelName[] => type.kernels.map(({ name }) => name);
    const own: KernelName[] = [
      'dragAndBuoyancy',
      'addedMassWrench',
      'addedMassEnergy',
      'backwardFluid',
      'compositeWithAddedMass',
    ];
    expect(
      names(wet)
        .filter((name) => !names(dry).includes(name))
        .sort(),
    ).toEqual([...own].sort());
    expect(names(wet)).not.toContain('composite');
    // A child: mass, first moment and inertia of a body in the one form, [A, C, B] with B = −[c]× in the other.
    const [m, x, y, z, ...inertia] = Array.from({ length: 10 }, () => random()) as [number, number, number, number];
    const at = (type: LinkType): Map<Expr, number> => {
      const numbers = randomNumbers(22);
      const { q, qd, distalComposite, distalArticulated } = type.inputs;
      const known = new Map<Expr, number>([...q, ...qd].map((e) => [e, numbers()]));
      distalComposite.forEach((e, i) => known.set(e, [m, x, y, z, ...inertia][i]!));
      const entries = [...[m, m, m, 0, 0, 0], ...inertia, ...[0, z, -y, -z, 0, x, y, -x, 0]];
      distalArticulated.forEach((e, i) => known.set(e, entries[i]!));
      return known;
    };
    const outputs = (type: LinkType, name: KernelName): Record<string, number[]> =>
      Object.fromEntries(
        type.kernels
          .find((kernel) => kernel.name === name)!
          .outputs.map(({ buffer, values }) => [buffer, evaluate(values, at(type))]),
      );
    const [composite, burden] = [outputs(dry, 'composite'), outputs(wet, 'compositeWithAddedMass')];
    const { parentComposite, ...rest } = composite;
    const { parentArticulated, ...others } = burden;
    const [mass, cx, cy, cz, ...moments] = parentComposite as [number, number, number, number, ...number[]];
    expect(Object.keys(others)).toEqual(Object.keys(rest));
    for (const [buffer, values] of Object.entries(rest)) expectClose(others[buffer]!, values);
    expectClose(parentArticulated!, [
      ...[mass, mass, mass, 0, 0, 0],
      ...moments,
      ...[0, cz, -cy, -cz, 0, cx, cy, -cx, 0],
    ]);
  });
});

/** Buffers whose changes and whose weights have buffers of their own. */
const DIFFERENTIATED = [
  ...['q', 'qd', 'qdd', 'generalizedForce', 'bodyWrench', 'waterWrench', 'distalWrench'],
  ...[
    'parentVelocity',
    'ownVelocity',
    'parentAcceleration',
    'ownAcceleration',
    'parentLinearVelocityInWater',
    'parentPlacement',
    'ownLinearVelocityInWater',
    'ownPlacement',
  ],
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
    'biasMotion',
    'energy',
    'momentum',
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
      time: 0,
      qd: 4,
      qdd: 4,
      parentVelocity: 3,
      parentAcceleration: 6,
      parentGravity: 3,
      distalWrench: 6,
      appliedWrench: 6,
      bodyWrench: 8,
      distalComposite: 10,
      distalMomentum: 10,
      parentPose: 12,
      parentBiasMotion: 12,
      parentVelocityAndPotential: 10,
      distalArticulated: 21,
      factor: 0,
      addend: 0,
      load: 4,
      quotients: 4,
      parentResponse: 6,
      inputs: 0,
      parentVelocityInWater: 9,
      parentLinearVelocityInWater: 6,
      parentMotionInWater: 12,
      parentPlacement: 12,
      waterWrench: 0,
      material: 3,
      // Of derivatives, which are made apart.
      parametersTangent: 0,
      ...empty('Tangent', [
        ...DIFFERENTIATED,
        'parentPose',
        'ownPose',
        'parentBiasMotion',
        'ownBiasMotion',
        'parentWrench',
        'appliedWrench',
        'parentApplied',
      ]),
      ...empty('Adjoint', [...DIFFERENTIATED, 'parentBiasMotion', 'ownBiasMotion', 'parentWrench']),
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
