/** Robots built directly as objects, for tests of the code generator that should not depend on the file format. */
import { Provenance } from '../../src/description/model/provenance.ts';
import type { BodyType, Joint, Link, Location, Quantity, Robot } from '../../src/description/model/robot.ts';
import { DEFAULT_INTEGRATION } from '../../src/description/model/reference-volume.ts';
import {
  cos,
  decimal,
  divide,
  integer,
  minus,
  one,
  plus,
  sin,
  symbol,
  times,
  zero,
  type Expr,
} from '../../src/symbolic/graph/expr.ts';
import { identityFrame, type Vector3 } from '../../src/symbolic/graph/vector.ts';

const location: Location = { file: '', line: 1, column: 1, path: '' };

function quantity(name: string, value: Expr, unit: string): Quantity {
  return { name, symbol: symbol(`body.${name}`), unit, value };
}

/** Planar constant-curvature segment, written with the 0/0 that users write. */
export function planarCcType(): BodyType {
  const [L, R, rho] = [
    quantity('L', decimal(0.2), 'm'),
    quantity('R', decimal(0.02), 'm'),
    quantity('rho', integer(1062), 'kg/m^3'),
  ];
  const q = quantity('q', zero, 'rad');
  const [s, x, y] = [symbol('material.s'), symbol('material.x'), symbol('material.y')];
  const theta = divide(times(q.symbol, s), L.symbol);
  const position: Vector3 = [
    plus(divide(times(L.symbol, minus(one, cos(theta))), q.symbol), times(x, cos(theta))),
    y,
    minus(divide(times(L.symbol, sin(theta)), q.symbol), times(x, sin(theta))),
  ];
  const at = (...entries: [Expr, Expr][]) => new Map(entries) as ReadonlyMap<typeof s, Expr>;
  return {
    name: 'planar-cc',
    summary: 'planar constant-curvature segment',
    parameters: [L, R, rho],
    coordinates: [q],
    volumes: [
      {
        kind: 'rod',
        axial: s,
        section: [x, y],
        start: zero,
        end: L.symbol,
        shape: { shape: 'disc', radius: R.symbol },
        density: rho.symbol,
        coordinates: 'cartesian',
        breaks: new Map(),
      },
    ],
    integration: { ...DEFAULT_INTEGRATION, tolerance: 1e-11 },
    kinematics: {
      kind: 'position',
      position,
      distal: {
        kind: 'contact',
        contact: {
          pivot: at([s, L.symbol]),
          axes: { x: at([s, L.symbol], [x, R.symbol]), y: at([s, L.symbol], [y, R.symbol]) },
        },
      },
    },
    provenance: new Provenance(),
    locations: { whole: location, kinematics: location, distal: location, volume: location },
  };
}

const fixed: Joint = { type: 'fixed', coordinates: [], motions: [] };

function revolute(axis: Vector3): Joint {
  const angle: Quantity = { name: 'q', symbol: symbol('joint.q'), unit: 'rad', value: zero };
  return { type: 'revolute', coordinates: [angle], motions: [{ kind: 'rotation', axis, angle: angle.symbol }] };
}

function softLink(
  index: number,
  parent: number,
  type: BodyType,
  parameters: readonly Expr[],
  joint: Joint = fixed,
): Link {
  return {
    name: `soft${index}`,
    parent,
    offset: identityFrame,
    joint,
    mount: identityFrame,
    body: { kind: 'deformable', type, parameters },
    location,
  };
}

function rigidLink(name: string, parent: number, axis: Vector3, mass: Expr): Link {
  return {
    name,
    parent,
    offset: { ...identityFrame, translation: [decimal(0.1), zero, decimal(0.3)] },
    joint: revolute(axis),
    mount: identityFrame,
    body: {
      kind: 'rigid',
      mass,
      centreOfMass: [decimal(0.02), decimal(-0.01), decimal(0.15)],
      inertia: [decimal(0.021), decimal(0.019), decimal(0.011), decimal(0.001), decimal(-0.002), decimal(0.0015)],
      distal: { ...identityFrame, translation: [zero, decimal(0.05), decimal(0.3)] },
    },
    location,
  };
}

function robotOf(
  name: string,
  links: readonly Link[],
  parameters: readonly Quantity[] = [],
  height: Expr = one,
): Robot {
  const coordinates = links.flatMap((link, index) => [
    ...link.joint.coordinates.map(() => ({
      name: `${link.name}.joint`,
      link: index,
      part: 'joint' as const,
      unit: 'rad',
      summary: '',
      value: 0,
    })),
    ...(link.body.kind === 'deformable'
      ? link.body.type.coordinates.map((c) => ({
          name: `${link.name}.${c.name}`,
          link: index,
          part: 'body' as const,
          unit: c.unit,
          summary: '',
          value: 0,
        }))
      : []),
  ]);
  return {
    name,
    summary: 'a robot for tests',
    source: { file: `${name}.robot.yaml`, hash: '0'.repeat(64) },
    gravity: [0.5, -0.25, -9.81],
    base: { ...identityFrame, translation: [zero, zero, height] },
    parameters,
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

/** A chain of planar constant-curvature segments that share one set of numbers. */
export function planarCcChain(links: number): Robot {
  const type = planarCcType();
  const values = type.parameters.map((p) => p.value);
  return robotOf(
    `planar-cc-${links}`,
    Array.from({ length: links }, (_, i) => softLink(i + 1, i - 1, type, values)),
  );
}

/** Two branches on a turning trunk, soft and rigid links mixed, a mass and the base's height set at run time. */
export function branchedRobot(): Robot {
  const load: Quantity = {
    name: 'load',
    symbol: symbol('robot.load'),
    unit: 'kg',
    value: decimal(0.7),
    summary: 'mass of the gripper',
  };
  const height: Quantity = { name: 'height', symbol: symbol('robot.height'), unit: 'm', value: decimal(1.2) };
  const type = planarCcType();
  const short = [decimal(0.15), decimal(0.01), integer(1100)];
  const links = [
    rigidLink('trunk', -1, [zero, zero, one], integer(3)),
    softLink(
      1,
      0,
      type,
      type.parameters.map((p) => p.value),
    ),
    rigidLink('gripper', 1, [one, zero, zero], load.symbol),
    rigidLink('shoulder', 0, [zero, one, zero], decimal(1.5)),
    softLink(2, 3, type, short, revolute([zero, zero, one])),
  ];
  const robot = robotOf('branched', links, [load, height], height.symbol);
  const tool = {
    name: 'tool',
    link: 2,
    offset: { ...identityFrame, translation: [zero, times(load.symbol, decimal(0.1)), zero] as Vector3 },
  };
  return { ...robot, frames: [...robot.frames, tool], tip: robot.frames.length };
}
