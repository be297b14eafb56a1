import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatError, type KanegenError } from '../../src/description/source/diagnostics.ts';
import { loadRobotFile, loadRobotObject, loadRobotText } from '../../src/description/load.ts';
import {
  rodOf,
  type DeformableBody,
  type Link,
  type RigidBody,
  type Robot,
} from '../../src/description/model/robot.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import {
  divide,
  fraction,
  integer,
  one,
  pi,
  plus,
  scale,
  sqrt,
  symbol,
  times,
  zero,
  type Expr,
} from '../../src/symbolic/graph/expr.ts';
import { toText } from '../../src/symbolic/formulas/print.ts';
import { ratio } from '../../src/symbolic/graph/rational.ts';
import { freeSymbols } from '../../src/symbolic/graph/traverse.ts';

const load = (text: string): Robot => loadRobotText(`kanegen: 1\nname: test\n${text}`, 'test.yaml');
const rigidOf = (link: Link | undefined): RigidBody => link!.body as RigidBody;
const typeOf = (link: Link | undefined): DeformableBody['type'] => (link!.body as DeformableBody).type;
const SEGMENT = `
  seg:
    parameters: { L: 0.2 m, R: 20 mm, rho: 1062 kg/m^3 }
    coordinates: { q: { unit: rad } }
    volume: { rod: { s: [0, L] }, section: { disc: R }, density: rho }
    strain: { bend-y: q/L }
`;

describe('parameters', () => {
  const file = `
parameters:
  L0: 0.2 m
  half: L0/2
  E: { value: 1.06 MPa, min: 0.1 MPa, runtime: true, summary: modulus }
  load: { value: 2*E*half, runtime: true }
body-types: ${SEGMENT}
links:
  - { body: seg, repeat: 3, parameters: { L: half*0.9^index, R: L0/10 } }
`;

  it('are folded exactly unless they are run-time parameters', () => {
    const robot = load(
      file.replace('load: { value: 2*E*half, runtime: true }', 'load: { value: 3 kg, runtime: true }'),
    );
    expect(robot.parameters.map((p) => [p.name, p.symbol.name, p.unit, toText(p.value), p.lower, p.summary])).toEqual([
      ['E', 'robot.E', 'Pa', '1060000', 100_000, 'modulus'],
      ['load', 'robot.load', 'kg', '3', undefined, undefined],
    ]);
    const lengths = robot.links.map((link) => (link.body as DeformableBody).parameters[0]);
    expect(lengths).toEqual([fraction(1, 10), fraction(9, 100), fraction(81, 1000)]);
  });

  it('of run time need a constant default', () => {
    expect(() => load(file)).toThrow(/run time/);
  });

  it('of run time stay symbols in what uses them', () => {
    const robot = load(
      'parameters: { m: { value: 2 kg, runtime: true } }\nlinks: [ { name: a, rigid: { mass: 3*m } } ]',
    );
    expect(rigidOf(robot.links[0]).mass).toBe(scale(ratio(3n), symbol('robot.m')));
  });

  it('can be set from outside, in the units of the file or as formulas', () => {
    const text =
      'kanegen: 1\nname: t\nparameters: { l: 1 m, m: { value: 2 kg, max: 5 kg } }\nlinks: [ { name: a, rigid: { mass: m, com: [l, 0, 0] } } ]';
    const robot = loadRobotText(text, 't.yaml', { set: { m: '3', l: '25 cm' } });
    expect(rigidOf(robot.links[0]).mass).toBe(integer(3));
    expect(rigidOf(robot.links[0]).centreOfMass[0]).toBe(fraction(1, 4));
    expect(robot.source.hash).not.toBe(loadRobotText(text, 't.yaml').source.hash);
    for (const [set, code] of [
      [{ mm: '3' }, 'unknown-parameter'],
      [{ m: '3 m' }, 'wrong-unit'],
      [{ m: '7' }, 'out-of-range'],
      [{ m: '3 +' }, 'malformed-formula'],
    ] as [Record<string, string>, string][])
      expect(() => loadRobotText(text, 't.yaml', { set }), code).toThrow(expect.objectContaining({ code }));
  });
});

describe('links', () => {
  it('are numbered from 1 when repeated or without a name, while index counts from 0', () => {
    const robot = load(`body-types: ${SEGMENT}
links:
  - { body: seg, repeat: 2, offset: { xyz: [0, 0, 10 mm] } }
  - { name: grip, rigid: {} }
  - { rigid: {}, name: finger, repeat: 2, offset: { xyz: [0, 0, "index*d"] } }
parameters: { d: 1 cm }`);
    expect(robot.links.map((link) => link.name)).toEqual(['link1', 'link2', 'grip', 'finger1', 'finger2']);
    expect(robot.links.map((link) => link.parent)).toEqual([-1, 0, 1, 2, 3]);
    expect(robot.links[4]!.offset.translation[2]).toBe(fraction(1, 100));
    expect(robot.frames.map((frame) => frame.name)).toEqual(['link1', 'link2', 'grip', 'finger1', 'finger2']);
    expect(robot.tip).toBe(4);
  });

  it('of one body type share one type object', () => {
    const robot = load('links:\n  - { body: pcs, repeat: 3 }\n  - { body: pcs, parameters: { L: 1 } }');
    expect(new Set(robot.links.map(typeOf)).size).toBe(1);
  });

  it('stack coordinates link by link, joint before body, under the name of the link', () => {
    const robot = load(
      'links:\n  - { name: a, joint: { helical: { axis: x, pitch: 5 mm } }, body: planar-cc-elongation }\n  - { name: b, joint: free, rigid: {} }',
    );
    expect(robot.coordinates.map((c) => `${c.name} ${c.part} ${c.unit}`)).toEqual([
      'a.angle joint rad',
      'a.q1 body rad',
      'a.q2 body m',
      ...['d1', 'd2', 'd3'].map((name) => `b.${name} joint m`),
      ...['r1', 'r2', 'r3'].map((name) => `b.${name} joint rad`),
    ]);
  });

  it('attach masses behind all links, without moving the tip or adding frames', () => {
    const robot = load(`
links: [ { name: a, rigid: {} }, { name: b, rigid: {} } ]
frames: { tcp: { on: a, offset: { xyz: [1, 2, 3] } } }
tip: tcp
attach: [ { name: payload, to: tcp, rigid: { mass: 2, com: [0, 0, 0.1] } } ]
states: { home: {} }`);
    expect(robot.links.map((link) => [link.name, link.parent])).toEqual([
      ['a', -1],
      ['b', 0],
      ['payload', 0],
    ]);
    expect(robot.links[2]!.offset.translation.map(toText)).toEqual(['1', '2', '3']);
    expect(robot.frames.map((frame) => frame.name)).toEqual(['a', 'b', 'tcp']);
    expect(robot.tip).toBe(2);
    expect(robot.states).toEqual({ home: [] });
  });

  it('take states by coordinate name, in any unit of the right kind', () => {
    const robot = load(`body-types: ${SEGMENT}
links: [ { body: seg, repeat: 2 } ]
states: { bent: { link2.q: 90 deg }, both: { link1.q: pi/4, link2.q: -1 } }`);
    expect(robot.states['bent']).toEqual([0, Math.PI / 2]);
    expect(robot.states['both']).toEqual([Math.PI / 4, -1]);
  });
});

describe('joints', () => {
  const motions = (joint: string): Link['joint'] =>
    load(`links: [ { name: a, joint: ${joint}, rigid: {} } ]`).links[0]!.joint;

  it('normalise any axis exactly', () => {
    const [motion] = motions('{ revolute: [1, 2, 2] }').motions;
    expect(motion).toMatchObject({ kind: 'rotation', axis: [fraction(1, 3), fraction(2, 3), fraction(2, 3)] });
    const [diagonal] = motions('{ revolute: [1, 1, 0] }').motions;
    expect(diagonal).toMatchObject({ axis: [divide(one, sqrt(integer(2))), divide(one, sqrt(integer(2))), zero] });
    expect(motions('{ prismatic: -y }').motions[0]).toMatchObject({
      displacement: [zero, scale(ratio(-1n), symbol('joint.displacement')), zero],
    });
  });

  it('are nine, each with its coordinates and motions', () => {
    const shapes = [
      'fixed',
      'revolute',
      'prismatic',
      '{ helical: { pitch: 1 } }',
      'cylindrical',
      'universal',
      'planar',
      'spherical',
      'free',
    ].map((joint) => {
      const { coordinates, motions: steps } = motions(joint);
      return [coordinates.length, steps.map((step) => step.kind).join(' ')];
    });
    expect(shapes).toEqual([
      [0, ''],
      [1, 'rotation'],
      [1, 'translation'],
      [1, 'rotation translation'],
      [2, 'rotation translation'],
      [2, 'rotation rotation'],
      [3, 'translation rotation'],
      [3, 'rotation-vector'],
      [6, 'translation rotation-vector'],
    ]);
  });

  it('screw by the pitch per revolution', () => {
    const angle = symbol('joint.angle');
    const [, step] = motions('{ helical: { axis: z, pitch: 5 mm } }').motions;
    expect(step).toMatchObject({ displacement: [zero, zero, divide(times(fraction(1, 400), angle), pi)] });
  });

  it('of a plane rotate about the normal of their two axes', () => {
    expect(motions('{ planar: [y, z] }').motions[1]).toMatchObject({ axis: [one, zero, zero] });
    expect(() => motions('{ planar: [x, [1, 1, 0]] }')).toThrow(/perpendicular/);
  });

  it('take limits and names', () => {
    const { coordinates } = motions('{ universal: [x, y], names: [tilt, pan], limits: { pan: [-90 deg, 45 deg] } }');
    expect(coordinates.map((c) => [c.name, c.lower, c.upper])).toEqual([
      ['tilt', undefined, undefined],
      ['pan', -Math.PI / 2, Math.PI / 4],
    ]);
    expect(motions('{ revolute: z, limits: [-1, 1] }').coordinates[0]).toMatchObject({ lower: -1, upper: 1 });
  });
});

describe('poses', () => {
  const pose = (text: string): { R: number[]; t: number[] } => {
    const { rotation, translation } = load(`links: [ { name: a, rigid: {}, offset: ${text} } ]`).links[0]!.offset;
    return { R: evaluate(rotation), t: evaluate(translation) };
  };
  const close = (actual: readonly number[], expected: readonly number[]): void =>
    expected.forEach((value, i) => expect(actual[i]).toBeCloseTo(value, 14));

  it('by rpy are Rz(yaw) Ry(pitch) Rx(roll)', () => {
    const [r, p, y] = [0.3, -0.7, 1.1];
    const [cr, sr, cp, sp, cy, sy] = [Math.cos(r), Math.sin(r), Math.cos(p), Math.sin(p), Math.cos(y), Math.sin(y)];
    close(pose('{ rpy: [0.3, -0.7, 1.1] }').R, [
      ...[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
      ...[sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
      ...[-sp, cp * sr, cp * cr],
    ]);
  });

  it('by dh are Rz(theta) Tz(d) Tx(a) Rx(alpha)', () => {
    const { R, t } = pose('{ dh: { a: 2, d: 3, alpha: 90 deg, theta: 90 deg } }');
    close(R, [0, 0, 1, 1, 0, 0, 0, 1, 0]);
    close(t, [0, 2, 3]);
  });

  it('by modified-dh are Rx(alpha) Tx(a) Tz(d) Rz(theta)', () => {
    const { R, t } = pose('{ modified-dh: { a: 2, d: 3, alpha: 90 deg, theta: 90 deg } }');
    close(R, [0, -1, 0, 0, 0, -1, 1, 0, 0]);
    close(t, [2, -3, 0]);
  });

  it('by quaternion are normalised', () => {
    close(pose('{ quaternion: [1, 0, 0, 1] }').R, [0, -1, 0, 1, 0, 0, 0, 0, 1]);
    close(pose('{ quaternion: [2, 2, 2, 2] }').R, [0, 0, 1, 1, 0, 0, 0, 1, 0]);
  });

  it('by matrix are taken as they are, 3 x 3 with xyz or 4 x 4', () => {
    const rows = '[[0, -1, 0], [1, 0, 0], [0, 0, 1]]';
    expect(pose(`{ matrix: ${rows}, xyz: [1, 2, 3] }`)).toEqual(
      pose('{ matrix: [[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]] }'),
    );
  });

  it('of right angles are exact', () => {
    const { rotation } = load('links: [ { name: a, rigid: {}, offset: { rpy: [90 deg, 180 deg, pi/2] } } ]').links[0]!
      .offset;
    for (const entry of rotation) expect([zero, one, integer(-1)]).toContain(entry);
  });
});

describe('rigid bodies', () => {
  it('given in the distal frame are carried to proximal axes about the centre of mass', () => {
    const [link] = load(`links:
  - name: a
    rigid:
      frame: distal
      mass: 2
      com: [1, 2, 3]
      inertia: { xx: 0.1, yy: 0.2, zz: 0.25, xy: 0.01, xz: 0.02, yz: 0.03 }
      distal: { xyz: [10, 20, 30], rpy: [0, 0, 90 deg] }`).links;
    const body = rigidOf(link);
    // Rz(90 deg): x_p = -y_d, y_p = x_d.
    expect(body.centreOfMass.map(toText)).toEqual(['8', '21', '33']);
    expect(body.inertia).toEqual([
      fraction(1, 5),
      fraction(1, 10),
      fraction(1, 4),
      fraction(-1, 100),
      fraction(-3, 100),
      fraction(1, 50),
    ]);
  });

  it('given about another point are moved to the centre of mass', () => {
    const about = (point: string): string[] =>
      rigidOf(
        load(
          `links: [ { name: a, rigid: { mass: 2, com: [1, 0, 0.5], inertia: { about: ${point}, xx: 10, yy: 20, zz: 20, xz: 1 }, distal: { xyz: [0, 0, 0.5] } } } ]`,
        ).links[0],
      ).inertia.map(toText);
    expect(about('com')).toEqual(['10', '20', '20', '0', '1', '0']);
    expect(about('proximal')).toEqual(['19/2', '35/2', '18', '0', '2', '0']);
    expect(about('distal')).toEqual(['10', '18', '18', '0', '1', '0']);
  });

  it('that break the triangle inequality are taken with a warning', () => {
    const robot = load('links: [ { name: a, rigid: { mass: 1, inertia: { yy: 4e-4, zz: 3e-4 } } } ]');
    expect(robot.warnings).toHaveLength(1);
    expect(robot.warnings[0]).toMatchObject({ location: { line: 3, column: 48 } });
    expect(
      load('links: [ { name: a, rigid: { mass: 1, inertia: { xx: 1e-4, yy: 4e-4, zz: 3e-4 } } } ]').warnings,
    ).toEqual([]);
  });

  it('and say so are taken without one, and only these', () => {
    const warnings = (inertia: string): string[] =>
      load(`links: [ { name: a, rigid: { mass: 1, inertia: { ${inertia}, unphysical: true } } } ]`).warnings.map(
        ({ message }) => message,
      );
    expect(warnings('yy: 4e-4, zz: 3e-4')).toEqual([]);
    expect(warnings('xx: 1e-4, yy: 4e-4, zz: 3e-4')[0]).toMatch(/remove `unphysical`/);
  });
});

describe('body types', () => {
  it('inherit with extends: what is given replaces, parameters one by one', () => {
    const robot = load(`body-types: ${SEGMENT}
  longer:
    extends: seg
    parameters: { L: 1 m, w: 0.5 }
    coordinates: { a: { count: 2, unit: rad } }
    rest: { bend-x: w/L }
    strain: { bend-y: (a1 + a2)/L }
links: [ { body: longer } ]`);
    const type = typeOf(robot.links[0]);
    expect(type.parameters.map((p) => p.name)).toEqual(['L', 'R', 'rho', 'w']);
    expect(type.coordinates.map((c) => c.name)).toEqual(['a1', 'a2']);
    expect(
      type.kinematics.kind === 'strain' && [...type.kinematics.angular, ...type.kinematics.linear].map(toText),
    ).toEqual([...['w/L', '(a1 + a2)/L', '0', '0', '0', '1']]);
  });

  it('given another kinematics drop the inherited one with its distal frame', () => {
    const robot = load(
      'body-types: { mine: { extends: planar-cc, strain: { bend-y: q/L } } }\nlinks: [ { body: mine } ]',
    );
    expect(typeOf(robot.links[0]).kinematics.kind).toBe('strain');
  });

  it('compute defaults from the parameters before them, with the values of the link', () => {
    const robot = load(`body-types: ${SEGMENT.replace('R: 20 mm', 'R: L/10')}
links: [ { body: seg, parameters: { L: 1 m } } ]`);
    expect((robot.links[0]!.body as DeformableBody).parameters[1]).toBe(fraction(1, 10));
    expect(typeOf(robot.links[0]).parameters[1]!.value).toBe(fraction(1, 50));
  });

  it('take position formulas with vectors, abbreviations and 0/0 at straight', () => {
    const type = typeOf(loadRobotFile('examples/planar-cc-elongation.robot.yaml').links[0]);
    if (type.kinematics.kind !== 'position') throw new Error('position expected');
    const at = { q1: 0.8, q2: 0.05, L: 0.2, s: 0.13, x: 0.01, y: -0.02 };
    const bindings = new Map<Expr, number>(
      freeSymbols(type.kinematics.position).map((s) => [s, at[s.name.replace(/^\w+\./, '') as keyof typeof at]]),
    );
    const theta = (at.q1 * at.s) / at.L;
    const radius = (at.L + at.q2) / at.q1;
    const expected = [
      radius * (1 - Math.cos(theta)) + at.x * Math.cos(theta),
      at.y,
      radius * Math.sin(theta) - at.x * Math.sin(theta),
    ];
    evaluate(type.kinematics.position, bindings).forEach((value, i) => expect(value).toBeCloseTo(expected[i]!, 14));
  });

  it('take contact points by the names of the material coordinates', () => {
    const type = typeOf(load('links: [ { body: planar-cc } ]').links[0]);
    if (type.kinematics.kind !== 'position' || type.kinematics.distal.kind !== 'contact')
      throw new Error('contact expected');
    const { pivot, axes } = type.kinematics.distal.contact;
    expect([...pivot].map(([k, v]) => [k.name, toText(v)])).toEqual([['material.s', 'L']]);
    expect([...axes.x!].map(([k, v]) => [k.name, toText(v)])).toEqual([
      ['material.s', 'L'],
      ['material.x', 'R'],
    ]);
    expect(axes.z).toBeUndefined();
  });

  it('take every section', () => {
    const shape = (section: string): string =>
      rodOf(typeOf(load(`body-types: ${SEGMENT.replace('disc: R', section)}\nlinks: [ { body: seg } ]`).links[0])).shape
        .shape;
    expect(['annulus: [R/2, R]', 'rectangle: [R, 2*R]', 'ellipse: [R, R - R*s/L/2]'].map(shape)).toEqual([
      'annulus',
      'rectangle',
      'ellipse',
    ]);
  });

  it('take a frame field of formulas as pose', () => {
    const robot =
      load(`body-types: ${SEGMENT.replace('strain: { bend-y: q/L }', 'pose: { xyz: ["L*(1 - cos(q*s/L))/q", 0, "L*sin(q*s/L)/q"], rpy: [0, q*s/L, 0] }')}
links: [ { body: seg } ]`);
    const { kinematics } = typeOf(robot.links[0]);
    expect(kinematics.kind === 'pose' && toText(kinematics.pose.rotation[2])).toBe('sin(q*s/L)');
  });

  it('of the library written out by positions follow the arc and turn the sections with it', () => {
    const written = typeOf(load('links: [ { body: pcc-3d-by-position } ]').links[0]);
    if (written.kinematics.kind !== 'position') throw new Error('position expected');
    const at = { q1: 0.4, q2: -0.7, q3: 0.03, L: 0.2, s: 0.13, x: 0.01, y: -0.02 };
    const bindings = new Map<Expr, number>(
      Object.entries(at).map(([name, v]) => [symbol(`${'sxy'.includes(name) ? 'material' : 'body'}.${name}`), v]),
    );
    // An arc of radius (L + q3)/|(q1, q2)|, turned about the axis (a, b, 0): Rodrigues' formula.
    const whole = Math.hypot(at.q1, at.q2);
    const [a, b, angle, radius] = [at.q1 / whole, at.q2 / whole, (whole * at.s) / at.L, (at.L + at.q3) / whole];
    const [c, n] = [Math.cos(angle), Math.sin(angle)];
    const d1 = [c + a * a * (1 - c), a * b * (1 - c), -b * n];
    const d2 = [a * b * (1 - c), c + b * b * (1 - c), a * n];
    const arc = [radius * b * (1 - c), -radius * a * (1 - c), radius * n];
    evaluate(written.kinematics.position, bindings).forEach((value, i) =>
      expect(value).toBeCloseTo(arc[i]! + at.x * d1[i]! + at.y * d2[i]!, 14),
    );
  });
});

describe('functions', () => {
  it('are pure macros of the file they stand in', () => {
    const robot = load(`functions:
  smooth(t): 3*t^2 - 2*t^3
  bump(t): 'abs(t) < 1 ? exp(-1/(1 - t^2)) : 0'
  twice(t, u): smooth(t) + u
parameters: { m: 2 kg }
links: [ { name: a, rigid: { mass: "m*(twice(0.5, 1) + bump(2))" } } ]`);
    expect(rigidOf(robot.links[0]).mass).toBe(integer(3));
  });
});

describe('imports', () => {
  it('name types of other files, which see their own functions and library only', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kanegen-'));
    try {
      writeFileSync(
        join(folder, 'bodies.yaml'),
        `kanegen: 1\nfunctions: { f(t): t/2 }\nbody-types:${SEGMENT.replace('q/L', 'f(q)/L')}`,
      );
      writeFileSync(
        join(folder, 'arm.robot.yaml'),
        'kanegen: 1\nname: arm\nimport: { lab: ./bodies.yaml }\nfunctions: { f(t): 5*t }\nbody-types: { mine: { extends: lab.seg, parameters: { L: 1 m } } }\nlinks: [ { body: lab.seg }, { body: mine } ]',
      );
      const robot = loadRobotFile(join(folder, 'arm.robot.yaml'));
      expect(robot.links.map((link) => typeOf(link).name)).toEqual(['lab-seg', 'mine']);
      for (const link of robot.links) {
        const { kinematics } = typeOf(link);
        expect(kinematics.kind === 'strain' && toText(kinematics.angular[1])).toBe('q/(2*L)');
      }
      expect(robot.source.file).toBe('arm.robot.yaml');
      writeFileSync(join(folder, 'bodies.yaml'), 'kanegen: 1\nbody-types: { seg: { parameters: { L: 3 qq } } }');
      const error = (() => {
        try {
          loadRobotFile(join(folder, 'arm.robot.yaml'));
        } catch (caught) {
          return caught as KanegenError;
        }
        throw new Error('no error');
      })();
      expect(error.problems.map((problem) => problem.location?.file)).toContain(join(folder, 'bodies.yaml'));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the same robot', () => {
  it('from an object and from JSON text equals that from YAML', () => {
    const object = {
      kanegen: 1,
      name: 'test',
      parameters: { L0: '0.2 m' },
      links: [{ name: 'a', joint: { revolute: [0, 0.6, 0.8] }, body: 'planar-cc', parameters: { L: 'L0/2' } }],
    };
    const shape = (robot: Robot): unknown[] => [
      robot.coordinates,
      robot.links.map((link) => [link.joint.motions, (link.body as DeformableBody).parameters]),
    ];
    expect(shape(loadRobotObject(object))).toEqual(shape(loadRobotText(JSON.stringify(object, null, 2), 'a.json')));
  });

  it('from an object reports the path of keys', () => {
    const object = { kanegen: 1, name: 'test', links: [{ name: 'a', rigid: { mass: '3 m' } }] };
    try {
      loadRobotObject(object);
    } catch (error) {
      expect(formatError(error as KanegenError)).toBe(
        'links[0].rigid.mass: this value must be a mass (kg), not a length (m)\n  → write a number with a unit such as `kg`, or a bare number in SI',
      );
      return;
    }
    throw new Error('no error');
  });

  it('has the same hash on every platform', () => {
    const text = 'kanegen: 1\nname: test\nlinks: [ { body: planar-cc } ]\n';
    expect(loadRobotText(text, 'a.yaml').source.hash).toBe(
      loadRobotText(text.replace(/\n/g, '\r\n'), 'a.yaml').source.hash,
    );
  });
});

it('gravity and base take units and formulas', () => {
  const robot = load(
    'parameters: { g: 9.81 m/s^2 }\ngravity: [0, -g/2, "0"]\nbase: { xyz: [0, 0, 120 cm] }\nlinks: [ { name: a, rigid: {} } ]',
  );
  expect(robot.gravity).toEqual([0, -4.905, 0]);
  expect(robot.base.translation[2]).toBe(fraction(6, 5));
  expect(plus(...robot.base.rotation)).toBe(integer(3));
});
