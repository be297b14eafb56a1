/**
 * Robots written out as the compiler sees them, for tests of the independent check: no loader in between.
 */
import { Provenance } from '../../src/description/model/provenance.ts';
import type {
  BodyKinematics,
  BodyType,
  Joint,
  Link,
  Quantity,
  Robot,
  RobotCoordinate,
} from '../../src/description/model/robot.ts';
import { REST_STRAIN } from '../kane/bodies.ts';
import { DEFAULT_INTEGRATION } from '../../src/description/model/reference-volume.ts';
import {
  cos,
  decimal,
  divide,
  minus,
  plus,
  sin,
  symbol,
  times,
  zero,
  one,
  type Expr,
} from '../../src/symbolic/graph/expr.ts';
import { identityFrame, unitVectors } from '../../src/symbolic/graph/vector.ts';

const location = { file: '', line: 0, column: 0, path: '' };

const quantity = (scope: string, name: string, value = 0): Quantity => ({
  name,
  symbol: symbol(`${scope}.${name}`),
  unit: '1',
  value: decimal(value),
});

function bodyType(name: string, coordinates: readonly string[], kinematics: BodyKinematics): BodyType {
  return {
    name,
    summary: name,
    parameters: ['L', 'R', 'rho'].map((p) => quantity('body', p)),
    coordinates: coordinates.map((c) => quantity('body', c)),
    volumes: [
      {
        kind: 'rod',
        axial: s,
        section: [x, y],
        start: zero,
        end: L,
        shape: { shape: 'disc', radius: symbol('body.R') },
        density: symbol('body.rho'),
        coordinates: 'cartesian',
        breaks: new Map(),
      },
    ],
    integration: { ...DEFAULT_INTEGRATION, tolerance: 1e-11 },
    kinematics,
    provenance: new Provenance(),
    locations: { whole: location, kinematics: location, distal: location, volume: location },
  };
}

const s = symbol('material.s');
const x = symbol('material.x');
const y = symbol('material.y');
const L = symbol('body.L');
const q = symbol('body.q');
const q1 = symbol('body.q1');
const theta = divide(times(q, s), L);

/** Written as users write it: 0/0 at q = 0. */
export const planarConstantCurvature = bodyType('planar-cc', ['q'], {
  kind: 'position',
  position: [
    plus(divide(times(L, minus(one, cos(theta))), q), times(x, cos(theta))),
    y,
    minus(divide(times(L, sin(theta)), q), times(x, sin(theta))),
  ],
  distal: {
    kind: 'contact',
    contact: {
      pivot: new Map([[s, L]]),
      axes: {
        x: new Map<typeof s, Expr>([
          [s, L],
          [x, symbol('body.R')],
        ]),
        y: new Map<typeof s, Expr>([
          [s, L],
          [y, symbol('body.R')],
        ]),
      },
    },
  },
});

const six = ['q1', 'q2', 'q3', 'q4', 'q5', 'q6'];
const perLength = (name: string): Expr => divide(symbol(`body.${name}`), L);

export const constantStrain = bodyType('pcs', six, {
  kind: 'strain',
  rest: REST_STRAIN,
  angular: [divide(q1, L), perLength('q2'), perLength('q3')],
  linear: [perLength('q4'), perLength('q5'), plus(one, perLength('q6'))],
});

const fixed: Joint = { type: 'fixed', coordinates: [], motions: [] };

export const revoluteZ: Joint = {
  type: 'revolute',
  coordinates: [quantity('joint', 'q')],
  motions: [{ kind: 'rotation', axis: unitVectors[2], angle: symbol('joint.q') }],
};

export function softLink(
  type: BodyType,
  parent: number,
  length: number,
  radius: number,
  density: number,
  joint = fixed,
): Link {
  return {
    name: `link${parent + 1}`,
    parent,
    offset: identityFrame,
    joint,
    mount: identityFrame,
    body: { kind: 'deformable', type, parameters: [length, radius, density].map(decimal) },
    location,
  };
}

export interface ReferenceRigid {
  readonly R: readonly (readonly number[])[];
  readonly p: readonly number[];
  readonly mass: number;
  readonly com: readonly number[];
  readonly inertia: readonly (readonly number[])[];
}

const vector = (v: readonly number[]) => v.map(decimal) as [Expr, Expr, Expr];

/** A rigid link with its inertia given in proximal axes. */
export function rigidLink(parent: number, given: ReferenceRigid, joint: Joint): Link {
  const entry = (i: number, j: number): Expr => decimal(given.inertia[i]![j]!);
  const rotation = given.R.flat().map(decimal) as [Expr, Expr, Expr, Expr, Expr, Expr, Expr, Expr, Expr];
  return {
    name: `link${parent + 1}`,
    parent,
    offset: identityFrame,
    joint,
    mount: identityFrame,
    body: {
      kind: 'rigid',
      mass: decimal(given.mass),
      centreOfMass: vector(given.com),
      inertia: [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)],
      distal: { rotation, translation: vector(given.p) },
    },
    location,
  };
}

export function robotOf(gravity: readonly [number, number, number], links: readonly Link[]): Robot {
  const coordinates = links.flatMap((link, index) => {
    const own = (part: 'joint' | 'body', quantities: readonly Quantity[]): RobotCoordinate[] =>
      quantities.map((c) => ({ name: `${link.name}.${c.name}`, link: index, part, unit: '1', summary: '', value: 0 }));
    return [
      ...own('joint', link.joint.coordinates),
      ...own('body', link.body.kind === 'rigid' ? [] : link.body.type.coordinates),
    ];
  });
  return {
    name: 'written',
    summary: '',
    source: { file: '', hash: '' },
    gravity,
    base: identityFrame,
    parameters: [],
    links,
    coordinates,
    frames: links.map((link, index) => ({ name: link.name, link: index, offset: identityFrame })),
    tip: links.length - 1,
    actuators: [],
    states: {},
    warnings: [],
    notes: [],
    provenance: new Provenance(),
  };
}
