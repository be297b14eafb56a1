/** `contacts:` of robot files: what they may say, and what they must not. */
import { describe, expect, it } from 'vitest';
import { KanegenError } from '../../src/common/error.ts';
import { formatError } from '../../src/description/source/diagnostics.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';

const LAW = 'law: { hunt-crossley: { stiffness: 5 kN/m, damping: 0.5 s/m } }';
const ALONG = 'law: { hunt-crossley: { stiffness: 5 kN/m^2 } }';
const text = (contact: string, more = ''): string => `kanegen: 1
name: touching
base: { xyz: [0, 0, 1] }
parameters: { r: { value: 5 mm, runtime: true } }
body-types:
  strip:
    parameters: { L: 0.5 m }
    coordinates: { b: { unit: rad } }
    volume: { rod: { s: [0, L] }, section: { rectangle: [10 mm, 1 mm] }, density: 1000 kg/m^3 }
    strain: { bend-y: b/L }
links:
  - { name: foot, rigid: { mass: 1 kg, distal: { xyz: [0.1, 0, 0] } } }
  - { name: arm, joint: { revolute: y }, rigid: { mass: 1 kg, inertia: { yy: 0.1 }, distal: { xyz: [0, 0, 0.3] } } }
  - { name: hand, offset: { xyz: [0, 0, 0.1] }, rigid: { mass: 0.1 kg } }
  - { name: other, parent: foot, joint: { prismatic: x }, rigid: { mass: 1 kg } }
  - { name: soft, parent: foot, repeat: 2, body: strip }
${more}contacts:
  touch: ${contact}
`;
const load = (contact: string, more?: string) => loadRobotText(text(contact, more), 'touching.robot.yaml');

const FLOOR = '{ plane: { on: base, axis: z } }';

describe('contacts', () => {
  it('place shapes in the frame that carries them, and obstacles in the world', () => {
    const robot = load(
      `{ between: [{ capsule: { on: foot, at: [0, 0.2, 0], axis: [3, 0, 4], length: 0.2, radius: r } }, { sphere: { on: hand, at: [0.01, 0, 0], radius: r } }], ${LAW} }`,
    );
    expect(robot.links.map(({ contacts = [] }) => contacts.length)).toEqual([0, 1, 0, 0, 0, 0]);
    const [{ obstacle, touching }] = robot.links[1]!.contacts as [NonNullable<(typeof robot.links)[1]['contacts']>[0]];
    expect(evaluate([...obstacle.place, ...obstacle.axis!, obstacle.half!])).toEqual(
      [0.1, 0.2, 1, 0.6, 0, 0.8, 0.1].map((x) => expect.closeTo(x, 12) as number),
    );
    // The hand is fixed to the arm: its sphere is one of the arm.
    expect(touching.kind === 'shapes' && evaluate(touching.shapes[0]!.place)).toEqual([0.01, 0, expect.closeTo(0.4)]);
  });

  it('hold two bodies that both move by the frames of their shapes', () => {
    const robot = load(
      `{ between: [{ points: { on: arm, frame: proximal, at: [[0, 0, 0], [0.1, 0, 0]] } }, { sphere: { on: other, radius: r } }], ${LAW} }`,
    );
    expect(robot.links.every(({ contacts }) => contacts === undefined)).toBe(true);
    expect(robot.touching!.map(({ frames }) => frames.map(({ link }) => link))).toEqual([
      [1, 3],
      [1, 3],
    ]);
    expect(evaluate(robot.touching![1]!.frames[0].offset!.translation)).toEqual([0, 0, -0.3]);
  });

  it('are many between rods and bodies that move, one for each section, for the length that it stands for', () => {
    const { touching = [] } = load(
      `{ between: [{ sphere: { on: arm, radius: r } }, { rod: { on: soft, radius: 1 mm, points: 4 } }], ${ALONG} }`,
    );
    expect(touching.map(({ frames }) => frames.map(({ link }) => link))).toEqual(
      [4, 4, 4, 4, 5, 5, 5, 5].map((link) => [link, 1]),
    );
    const [first] = touching as [NonNullable<typeof touching>[0]];
    const [anchor] = first.frames;
    expect(evaluate([first.law.stiffness, first.shapes[0].radius!])).toEqual([5000 / 8, 1e-3]);
    expect(anchor.kind === 'material' && [...anchor.at.keys()].map(({ name }) => name)).toHaveLength(3);
  });

  it('see that links with prescribed joints move', () => {
    const robot = loadRobotText(
      text(`{ between: [{ sphere: { on: crank, radius: r } }, ${FLOOR}], ${LAW} }`).replace(
        '  - { name: arm,',
        '  - { name: crank, joint: { revolute: y, prescribed: "2*t" }, rigid: { mass: 1 kg, inertia: { yy: 1 } } }\n  - { name: arm, parent: foot,',
      ),
      'touching.robot.yaml',
    );
    expect(robot.links.findIndex(({ contacts }) => contacts !== undefined)).toBe(1);
  });

  it('name all rods of a common name', () => {
    const robot = load(
      `{ between: [{ rod: { on: soft, radius: 1 mm } }, ${FLOOR}], ${ALONG}, friction: { coefficient: 0.2, at: 1 mm/s } }`,
    );
    expect(robot.links.map(({ contacts = [] }) => contacts.length)).toEqual([0, 0, 0, 0, 1, 1]);
  });

  it.each<readonly [string, RegExp]>([
    [`{ between: [{ sphere: { on: arm, radius: 0 } }, ${FLOOR}], ${LAW} }`, /18:51: the radius is 0[^]*above zero/],
    [
      `{ between: [{ capsule: { on: arm, axis: x, length: -1 mm, radius: r } }, ${FLOOR}], ${LAW} }`,
      /the length is -0\.001/,
    ],
    [
      `{ between: [{ sphere: { on: arm, radius: r } }, { plane: { on: base, axis: [0, 0, 0] } }], ${LAW} }`,
      /no direction/,
    ],
    [`{ between: [{ sphere: { on: leg, radius: r } }, ${FLOOR}], ${LAW} }`, /18:38: unknown frame `leg`/],
    [`{ between: [leg, ${FLOOR}], ${LAW} }`, /18:22: unknown link `leg`/],
    [`{ between: [arm, ${FLOOR}], ${LAW} }`, /`arm` is rigid, and its shape is not known[^]*\{ sphere: \{ on: arm/],
    [`{ between: [soft, ${FLOOR}], ${ALONG} }`, /`soft1` has no round section[^]*\{ rod: \{ on: soft, radius/],
    [
      `{ between: [{ rod: { on: soft, radius: r } }, ${FLOOR}], ${LAW} }`,
      /the stiffness must be a quantity in N\/m\^2/,
    ],
    [
      `{ between: [{ sphere: { on: arm, radius: r } }, ${FLOOR}], law: { spring-damper: { stiffness: -1 } } }`,
      /the stiffness is -1/,
    ],
    [
      `{ between: [{ sphere: { on: arm, radius: r } }, ${FLOOR}], law: { spring-damper: { stiffness: 1, damping: -1 } } }`,
      /the damping is -1/,
    ],
    [
      `{ between: [{ sphere: { on: arm, radius: r } }, ${FLOOR}], ${LAW}, friction: { coefficient: -0.1, at: 1 mm/s } }`,
      /friction is -0\.1/,
    ],
    [
      `{ between: [{ sphere: { on: arm, radius: r } }, ${FLOOR}], ${LAW}, friction: { coefficient: 0.1, at: 0 } }`,
      /smooth is 0/,
    ],
    ...(
      [
        ['coefficient: 0.1', /this friction neither sticks nor is smooth/],
        ['coefficient: 0.1, at: 1 mm/s, stiffness: 1 kN/m', /smooth, or it sticks, not both/],
        ['coefficient: 0.1, stiffness: 1 kN/m', /this bristle has no `damping`/],
        ['coefficient: 0.1, at: 1 mm/s, damping: 1', /smooth friction has no `damping`/],
        ['coefficient: 0.1, stiffness: 0, damping: 1', /stiffness of the bristle is 0/],
        ['coefficient: 0.1, stiffness: 1 kN, damping: 1', /N\/m/],
      ] as const
    ).map(([friction, message]): [string, RegExp] => [
      `{ between: [{ sphere: { on: arm, radius: r } }, ${FLOOR}], ${LAW}, friction: { ${friction} } }`,
      message,
    ]),
    [
      `{ between: [{ rod: { on: soft, radius: r } }, ${FLOOR}], ${ALONG}, friction: { coefficient: 0.1, stiffness: 1 kN/m, damping: 1 } }`,
      /the stiffness of the bristle must be a quantity in N\/m\^2/,
    ],
    [
      `{ between: [{ rod: { on: soft, radius: r, points: 65 } }, ${FLOOR}], ${ALONG}, friction: { coefficient: 0.1, stiffness: 1, damping: 1 } }`,
      /with friction that sticks a rod cannot have 65 points/,
    ],
    [`{ between: [{ sphere: { on: arm, radius: r } }, ${FLOOR}], law: {} }`, /this contact has no law/],
    [
      `{ between: [{ sphere: { on: arm, radius: r } }, { sphere: { on: hand, radius: r } }], ${LAW} }`,
      /move rigidly together/,
    ],
    [`{ between: [{ sphere: { on: foot, radius: r } }, ${FLOOR}], ${LAW} }`, /move rigidly together/],
    [
      `{ between: [{ sphere: { on: arm, radius: r } }, { rod: { on: soft, radius: r, points: 65 } }], ${ALONG} }`,
      /against a body that moves a rod cannot have 65 points/,
    ],
    [
      `{ between: [{ rod: { on: soft1, radius: r } }, { rod: { on: soft2, radius: r } }], ${ALONG} }`,
      /`soft1` and `soft2` hang on each other/,
    ],
    [
      `{ between: [{ rod: { on: soft, radius: r } }, { rod: { on: soft1, radius: r } }], ${ALONG} }`,
      /this side has 2 rods, and rods touch one by one/,
    ],
    ...(
      [
        ['', /`soft1` would touch itself: neighbouring sections of a rod always overlap\n.*`apart: 50 mm`/],
        ['apart: 10 mm', /sections that are 0.01 m apart overlap where this rod is straight, for it is 0.02 m wide/],
        ['apart: 10 m', /no sections of this rod are 10 m apart/],
        ['apart: 1 s', /length/],
        ['apart: 30 mm, per: point', /rods on rods have the law of a length/],
        [
          'apart: 30 mm, friction: { coefficient: 0.1, stiffness: 1 kN/m, damping: 1 N s/m^2 }',
          /bristle must be a quantity in N\/m\^2/,
        ],
      ] as const
    ).map(([more, message]): [string, RegExp] => [
      `{ between: [{ rod: { on: soft1, radius: 10 mm } }, { rod: { on: soft1, radius: 10 mm } }], ${ALONG}${more && `, ${more}`} }`,
      message,
    ]),
    [
      `{ between: [{ rod: { on: soft1, radius: r, points: 17 } }, { rod: { on: soft1, radius: r } }], ${ALONG}, apart: 1 m }`,
      /against a rod a rod cannot have 17 points/,
    ],
    [
      `{ between: [{ sphere: { on: arm, radius: r } }, ${FLOOR}], ${LAW}, apart: 1 m }`,
      /only rods that touch themselves/,
    ],
    [`{ between: [{ sphere: { on: soft2, radius: r } }, ${FLOOR}], ${LAW} }`, /`soft2` rides on a deformable body/],
    [
      `{ between: [{ cylinder: { on: arm, axis: x, radius: r } }, ${FLOOR}], ${LAW} }`,
      /a cylinder and a plane touch along a line/,
    ],
    [
      `{ between: [{ tube: { on: arm, axis: x, radius: r } }, ${FLOOR}], ${LAW} }`,
      /a tube and a plane touch along a line/,
    ],
    [
      `{ between: [{ sphere: { on: arm, radius: 20 mm } }, { tube: { on: base, axis: x, radius: 20 mm } }], ${LAW} }`,
      /the bore of this tube has a radius of 0\.02 m, and what is in it one of 0\.02 m/,
    ],
    [
      `{ between: [{ rod: { on: soft, radius: 30 mm } }, { tube: { on: base, axis: x, radius: 20 mm } }], ${ALONG} }`,
      /write a wider bore/,
    ],
    [`{ between: [{ sphere: { on: arm, radius: r } }, ${FLOOR}], ${LAW}, per: point }`, /only rods/],
    [
      `{ between: [{ rod: { on: soft, radius: r } }, ${FLOOR}], law: { spring-damper: { stiffness: 1 } }, per: point }`,
      /number of points, which is not given/,
    ],
    [
      `{ between: [{ sphere: { on: arm, radius: r }, capsule: { on: arm, axis: x, length: 1, radius: r } }, ${FLOOR}], ${LAW} }`,
      /a `sphere` or a `capsule`, not both/,
    ],
  ])('refuses %s', (contact, message) => {
    try {
      load(contact);
    } catch (error) {
      expect(error).toBeInstanceOf(KanegenError);
      expect(formatError(error as KanegenError)).toMatch(message);
      expect(formatError(error as KanegenError)).toMatch(/^touching\.robot\.yaml:18:\d+: /);
      return;
    }
    expect.unreachable();
  });
});
