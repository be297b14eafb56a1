/** Every mistake gets a code, the place it was made at, and what to write instead. */
import { describe, expect, it } from 'vitest';
import { formatError, KanegenError } from '../../src/description/source/diagnostics.ts';
import { loadRobotFile, loadRobotText } from '../../src/description/load.ts';

/** The parts of a correct robot that a case may replace. */
const parts = {
  top: '',
  parameters: '{ L: 0.2 m, R: 20 mm, rho: 1062 kg/m^3 }',
  coordinates: '{ q: { unit: rad } }',
  section: 'disc: R',
  let: '{ theta: q*s/L }',
  x: 'L*(1 - cos(theta))/q + x*cos(theta)',
  position: '',
  distal: '{ pivot: { s: L }, x-axis: { s: L, x: R }, y-axis: { s: L, y: R } }',
  links: '[ { name: a, body: cc } ]',
};

function robot(change: Partial<typeof parts>): string {
  const p = { ...parts, ...change };
  const position =
    p.position !== ''
      ? `position: ${p.position}`
      : `position:\n      - ${p.x}\n      - y\n      - L*sin(theta)/q - x*sin(theta)`;
  return `kanegen: 1
name: bad
${p.top}
body-types:
  cc:
    parameters: ${p.parameters}
    coordinates: ${p.coordinates}
    volume: { rod: { s: [0, L] }, section: { ${p.section} }, density: rho }
    let: ${p.let}
    ${position}
    distal: ${p.distal}
links: ${p.links}
`;
}

function failure(text: string): KanegenError {
  try {
    loadRobotText(text, 'bad.yaml');
  } catch (error) {
    if (error instanceof KanegenError) return error;
    throw error;
  }
  throw new Error('the robot was accepted');
}

/** [change with ¦ before the character that is wrong, code, remedy] */
type Case = [change: Partial<typeof parts>, code: string, remedy: RegExp];

function check([change, code, remedy]: Case): void {
  const marked = robot(change);
  const at = marked.indexOf('¦');
  const before = marked.slice(0, at).split('\n');
  const error = failure(marked.replace('¦', ''));
  const { line, column } = error.location!;
  expect([error.code, line, column]).toEqual([code, before.length, before[before.length - 1]!.length + 1]);
  expect(error.remedy).toMatch(remedy);
  expect(error.location?.file).toBe('bad.yaml');
}

it('the robot without a mistake is accepted', () => {
  expect(loadRobotText(robot({}), 'good.yaml').links).toHaveLength(1);
});

const label = (cases: Case[]): [string, Case][] =>
  cases.map((c) => [`${c[1]}: ${Object.values(c[0])[0]!.replace('¦', '')}`, c]);

describe('names', () => {
  it.each(
    label([
      [{ x: 'L*(1 - cos(¦thetta))/q' }, 'unknown-symbol', /did you mean `theta`/],
      [{ x: 'x + ¦foo' }, 'unknown-symbol', /known here: L, R, rho/],
      [{ x: 'x*¦sinn(q)' }, 'unknown-function', /did you mean `sin`/],
      [{ x: '¦q(x - L)' }, 'unknown-function', /write q\*\(…\)/],
      [{ links: '[ { name: a, joint: { ¦revolut: z }, body: cc } ]' }, 'unknown-joint', /did you mean `revolute`/],
      [{ links: '[ { name: a, joint: ¦hinge, body: cc } ]' }, 'unknown-joint', /joints: .*revolute/],
      [
        { links: '[ { name: a, joint: { helical: z, ¦lead: 5 mm }, body: cc } ]' },
        'unknown-key',
        /`helical: \{ axis: z, pitch: … \}`/,
      ],
      [
        { links: '[ { name: a, joint: { ¦dampin: 1, revolute: z }, body: cc } ]' },
        'unknown-key',
        /did you mean `damping`/,
      ],
      [{ links: '[ { name: a, joint: { revolute: z, ¦prismatic: x }, body: cc } ]' }, 'unknown-key', /`prescribed`/],
      [{ top: 'water: { density: 1000, ¦links: [a] }' }, 'unknown-key', /known here: density, on/],
      [{ links: '[ { name: ¦fl-hip, body: cc } ]' }, 'malformed-name', /no double underscore: fl_hip$/],
      [{ x: 'sin(q) ¦N m' }, 'malformed-formula', /its value are in SI units/],
      [{ links: '[ { name: a, body: ¦planar-ccc } ]' }, 'unknown-body-type', /did you mean `planar-cc`/],
      [{ links: '[ { name: a, body: ¦lab.cc } ]' }, 'unknown-body-type', /body types: cc/],
      [{ links: '[ { name: a, body: cc, parameters: { ¦LL: 3 } } ]' }, 'unknown-parameter', /`L`/],
      [{ top: '¦gravitty: [0, 0, 0]' }, 'unknown-key', /did you mean `gravity`/],
      [{ links: '[ { name: a, ¦jont: fixed, body: cc } ]' }, 'unknown-key', /did you mean `joint`/],
      [{ section: '¦disk: R' }, 'unknown-key', /did you mean `disc`/],
      [
        { distal: '{ pivot: { ¦S: L }, x-axis: { s: L, x: R }, y-axis: { s: L, y: R } }' },
        'unknown-symbol',
        /did you mean `s`/,
      ],
      [{ top: 'tip: ¦b' }, 'unknown-frame', /known here: a/],
      [{ top: 'frames: { f: { on: ¦b } }' }, 'unknown-link', /known here: a/],
      [{ top: 'states: { home: { ¦a.p: 3 } }' }, 'unknown-coordinate', /did you mean `a.q`/],
      [{ parameters: '{ L: 0.2 m, ¦L: 0.3 m, R: 20 mm, rho: 3 }' }, 'duplicate-name', /rename/],
      [{ coordinates: '{ q: { unit: rad }, ¦L: { unit: rad } }' }, 'duplicate-name', /choose another/],
      [{ links: '[ { name: a, body: cc }, { name: ¦a, body: cc } ]' }, 'duplicate-name', /choose another/],
      [{ top: 'frames: { ¦a: { on: a } }' }, 'duplicate-name', /choose another/],
      [{ links: '[ ¦{ name: a, joint: { revolute: z, names: [q] }, body: cc } ]' }, 'duplicate-name', /names: \[pan\]/],
      [{ links: '[ { name: ¦1a, body: cc } ]' }, 'malformed-name', /letters, digits/],
      [{ top: 'parameters: { ¦__proto__: 3 }' }, 'malformed-name', /letters, digits/],
      [{ top: '¦__proto__: { a: 3 }' }, 'unknown-key', /known here/],
      [{ top: 'states: { ¦__proto__: {} }' }, 'malformed-name', /letters, digits/],
    ]),
  )('%s', (_, given) => check(given));

  it.each([
    'double',
    'class',
    'constexpr',
    'function',
    'await',
    'gamma',
    'j1',
    'y0',
    'erf',
    'index',
    'time',
    'link',
    'I',
    'EOF',
    'M_PI',
    'PI',
    'INPUT',
    'errno',
    'min',
    'constructor',
  ])('of generated code are reserved: %s', (name) => {
    check([{ top: `parameters: { ¦${name}: 3 }` }, 'reserved-name', /choose another name/]);
    check([{ coordinates: `{ ¦${name}: { unit: rad }, q: { unit: rad } }` }, 'reserved-name', /choose another name/]);
  });

  it.each(['double', 'await', 'constructor', 'in', 'base'])('of links and frames are reserved: %s', (name) => {
    check([{ links: `[ { name: ¦${name}, body: cc } ]` }, 'reserved-name', /choose another name/]);
    check([{ links: `[ { name: ok, body: cc } ]\nframes: { ¦${name}: { on: ok } }` }, 'reserved-name', /another name/]);
  });

  it.each(['E', 'e', 'phi', 'tau', 'g', 'rho2', 'gravity', 'i', 'kappa_1'])(
    'that mathjs knows are free: %s',
    (name) => {
      expect(loadRobotText(robot({ top: `parameters: { ${name}: 3 }` }), 'good.yaml').parameters).toEqual([]);
    },
  );

  it.each(['I', 'far', 'double', 'index'])('that are prefixes or no part of generated code are free: %s', (name) => {
    const text = `kanegen: 1\nname: ${name.toLowerCase()}\nbody-types: { ${name}: { extends: pcs } }\nlinks: [ { body: ${name} } ]`;
    expect(loadRobotText(text, 'good.yaml').name).toBe(name.toLowerCase());
  });

  it('of robots become file names and are plain', () => {
    for (const name of ['../x', 'Arm', 'a b', 'a--b', '-a', '3d', 'a/b', 'math', 'map', 'kanegen'])
      expect(failure(`kanegen: 1\nname: "${name}"\nlinks: [ { body: pcs } ]`), name).toMatchObject({
        location: { line: 2, column: 7 },
      });
  });
});

describe('units', () => {
  it.each(
    label([
      [{ parameters: '{ L: 0.2 ¦mt, R: 20 mm, rho: 1062 kg/m^3 }' }, 'unknown-unit', /did you mean `m`/],
      [{ parameters: '{ L: 20¦mm, R: 20 mm, rho: 1062 kg/m^3 }' }, 'malformed-unit', /write `20 mm`/],
      [{ parameters: '{ L: 0.2 m, R: 20 mm, rho: 1062 kg/mm¦3 }' }, 'malformed-unit', /mm\^3/],
      [{ links: '[ { name: a, body: cc, parameters: { L: ¦3 kg } } ]' }, 'wrong-unit', /`m`/],
      [
        { links: '[ { name: a, body: cc, parameters: { R: ¦pi*1000*m } } ]', top: 'parameters: { m: 2 kg }' },
        'wrong-unit',
        /powers/,
      ],
      [{ let: '{ theta: q*s }', x: 'L*(1 - cos(¦theta))/q' }, 'wrong-unit', /divide by/],
      [{ x: 'L + ¦0.1' }, 'wrong-unit', /`c: 1 m`/],
      [{ x: 'x + ¦q' }, 'wrong-unit', /same kind/],
      [{ x: '¦q*s/L' }, 'wrong-unit', /multiply by/],
      [{ x: 'x*exp(¦s)' }, 'wrong-unit', /divide by/],
      [{ parameters: '{ L: 0.2 m, R: 20 mm, rho: 1, T: 1 s }', x: 'x*exp(¦T)' }, 'wrong-unit', /by a rate/],
      [{ x: '"x < ¦q ? x : s"' }, 'wrong-unit', /same kind/],
      [{ coordinates: '{ q: { unit: ¦deg } }' }, 'wrong-unit', /write `rad`/],
      [{ coordinates: '{ q: { unit: rad, limits: [¦3 m, 4 m] } }' }, 'wrong-unit', /30 deg/],
      [{ top: 'states: { home: { a.q: ¦3 m } }' }, 'wrong-unit', /30 deg/],
      [{ top: 'gravity: [0, 0, ¦-9.81 m]' }, 'wrong-unit', /m\/s\^2/],
      [{ section: 'disc: ¦rho' }, 'wrong-unit', /check the unit of `rho`/],
    ]),
  )('%s', (_, given) => check(given));

  it('parameters given as bare numbers fit anything', () => {
    expect(
      loadRobotText(robot({ parameters: '{ L: 0.2, R: 0.02, rho: 1062 }', let: '{ theta: q*s/L }' }), 'good.yaml')
        .links,
    ).toHaveLength(1);
  });
});

describe('shapes', () => {
  it.each(
    label([
      [{ position: '¦[x, y]' }, 'wrong-shape', /\[x, y, z\]/],
      [{ position: '¦x + y' }, 'wrong-shape', /vector formula/],
      [{ position: '"[x, y, s] + ¦x"' }, 'wrong-shape', /vector such as/],
      [{ position: '"¦[x, y]"' }, 'wrong-shape', /\[x, y, 0\]/],
      [{ links: '[ { name: a, joint: { revolute: ¦w }, body: cc } ]' }, 'wrong-shape', /write x, y, z/],
      [{ links: '[ { name: a, joint: { revolute: ¦[0, 0, 0] }, body: cc } ]' }, 'zero-axis', /write x, y, z/],
      [{ links: '[ { name: a, joint: { universal: ¦x }, body: cc } ]' }, 'wrong-shape', /universal: \[x, y\]/],
      [{ distal: '¦{ pivot: { s: L }, x-axis: { s: L, x: R } }' }, 'wrong-shape', /two of/],
      [{ top: 'base: { matrix: ¦[[1, 0, 0], [0, 1, 0], [0, 0, 1.1]] }' }, 'not-a-rotation', /digits/],
      [{ top: 'base: { matrix: ¦[[1, 0, 0], [0, 1, 0], [0, 0, -1]] }' }, 'not-a-rotation', /signs/],
      [{ links: '[ { name: a, joint: ¦{ helical: z }, body: cc } ]' }, 'missing-parameter', /pitch/],
      [
        { links: '[ ¦{ name: a, body: cc } ]', parameters: '{ L: { unit: m }, R: 20 mm, rho: 3 }' },
        'missing-parameter',
        /parameters: \{ L: … \}/,
      ],
      [{ links: '[ ¦{ name: a } ]' }, 'missing-key', /body: TYPE/],
    ]),
  )('%s', (_, given) => check(given));

  it('two rotations in one pose are refused at the second', () => {
    check([{ top: 'base: { rpy: [0, 0, 0], ¦quaternion: [1, 0, 0, 0] }' }, 'several-rotations', /keep one/]);
  });

  it('two ways to move are refused', () => {
    const text = robot({ distal: 'none\n    ¦strain: { bend-y: q/L }' });
    const at = text.indexOf('¦');
    expect(failure(text.replace('¦', ''))).toMatchObject({
      code: 'several-kinematics',
      location: { line: text.slice(0, at).split('\n').length, column: 5 },
    });
  });
});

describe('formulas that YAML took apart', () => {
  it.each(
    label([
      [{ position: '[¦hypot(x, y), y, s]' }, 'unquoted-formula', /quote this formula/],
      [{ position: '[x, ¦max(y, x), s]' }, 'unquoted-formula', /quote this formula/],
      [{ x: '¦s < L/2 ? x : y' }, 'unquoted-formula', /quote this formula/],
      [{ position: '[¦s < L/2 ? x : y, y, s]' }, 'unquoted-formula', /quote this formula/],
    ]),
  )('%s', (_, given) => check(given));
});

describe('values', () => {
  it.each(
    label([
      [{ links: '[ { name: a, rigid: { mass: ¦-1 kg } } ]' }, 'negative-mass', /zero or more/],
      [{ links: '[ { name: a, rigid: { mass: ¦.nan } } ]' }, 'not-finite', /finite/],
      [{ links: '[ { name: a, rigid: { mass: ¦1e999 kg } } ]' }, 'number-out-of-range', /1e300/],
      [{ links: '[ { name: a, rigid: { mass: 1, inertia: ¦{ xx: -1 } } } ]' }, 'negative-inertia', /about:/],
      [{ links: '[ { name: a, body: cc, parameters: ¦{ rho: -3 } } ]' }, 'negative-mass', /zero or more/],
      [{ links: '[ { name: a, body: cc, parameters: ¦{ L: 0 } } ]' }, 'wrong-size', /positive/],
      [{ links: '[ { name: a, body: cc, parameters: ¦{ R: -1 mm } } ]' }, 'wrong-size', /positive/],
      [{ coordinates: '{ q: { unit: rad, limits: ¦[3, 2] } }' }, 'wrong-value', /lower, upper/],
      [{ x: 'x/¦0' }, 'division-by-zero', /./],
      [{ top: 'parameters: { g: { value: 9.81, runtime: true } }\ngravity: ¦[0, 0, -g]' }, 'not-constant', /runtime/],
      [
        { links: '[ { name: a, body: cc }, ¦{ name: b, body: cc } ]', distal: 'none' },
        'missing-distal-frame',
        /distal frame/,
      ],
    ]),
  )('%s', (_, given) => check(given));
});

describe('points and wrenches of actuators', () => {
  const actuator = (text: string): Partial<typeof parts> => ({ top: `actuators: { w: { ${text} } }` });
  const path = (text: string): Partial<typeof parts> => actuator(`tendon: { path: [ { on: base }, ${text} ] }`);
  it.each([
    ['no axis', actuator('wrench: ¦{ on: a }'), 'wrong-value', /write `force: z` or `moment: z`/],
    ['two axes', actuator('wrench: ¦{ on: a, force: x, moment: y }'), 'wrong-value', /two actuators/],
    ['an axis of length zero', actuator('wrench: { on: a, force: ¦[0, 0, 0] }'), 'zero-axis', /write x, y, z/],
    ['an unknown frame', actuator('wrench: { on: ¦b, force: x }'), 'unknown-frame', /known here: a/],
    ['a proximal frame of a soft body', path('{ on: a, frame: ¦proximal }'), 'wrong-value', /remove `frame`/],
    ['a material coordinate that is none', path('{ on: a, at: { ¦r: 0 } }'), 'unknown-key', /x: …, y: …, s: …/],
    ['material coordinates on the base', path('{ on: base, at: ¦{ s: 0 } }'), 'wrong-value', /three lengths/],
    ['a point and a route', path('{ on: a, ¦through: a, route: { x: 0, y: 0 } }'), 'several-kinds', /make it two/],
    ['a point of nothing', path('{ ¦at: [0, 0, 0] }'), 'unknown-key', /on: base/],
    [
      'a path beside a route',
      actuator('tendon: { path: [ { on: base }, { on: a } ], ¦route: {} }'),
      'several-kinds',
      /path/,
    ],
    [
      'a point that is no number',
      actuator('wrench: { on: a, at: { s: ¦L*(log(L/R) - 9)^0.5 }, force: x }'),
      'not-finite',
      /roots of negative/,
    ],
    [
      'a formula without derivatives',
      actuator('along: ¦"a.q + sin(pow(0, a.q))", unit: rad'),
      'irregular-kinematics',
      /write the limit/,
    ],
    ['angles for lengths', path('{ on: a, at: [¦1 rad, 0 m, 0 s] }'), 'wrong-unit', /a unit such as/],
  ] as [string, Partial<typeof parts>, string, RegExp][])('are refused: %s', (_, change, code, message) => {
    check([change, code, message]);
  });
});

describe('numbers that are found while bodies are looked at', () => {
  const soft = (parameters: string, kinematics: string, material: string): string => `kanegen: 1
name: bad
parameters: ${parameters}
body-types:
  b:
    parameters: { L: 0.2 m, R: 20 mm, rho: 1062 kg/m^3, k: 1, E: 1 MPa }
    coordinates: { q: { unit: rad } }
    volume: { rod: { s: [0, L] }, section: { disc: R }, density: rho }
    ${kinematics}
    material: ${material}
links: [ { name: soft, body: b, parameters: { k: k } } ]
`;

  it('powers of shares of the length that no computer holds', () => {
    const text = soft(
      '{ k: 1 }',
      'strain: { bend-y: q/L }',
      '{ rod-elasticity: { E: "E*(1 + pow(s/L, 1e308))", nu: 0.4 } }',
    );
    const error = failure(text);
    expect([error.code, error.location!.line]).toEqual(['formula-too-large', 10]);
  });

  it('parameters that have none, in a body under pressure at rest', () => {
    const position = 'position: [x, y, "s*(1 + 0.1*k*q)"]\n    distal: none';
    const text = soft('{ k: "pow(1, (1e400 < 1 ? pi : 1e400))" }', position, '{ neo-hookean: { mu: E } }');
    expect(failure(text).code).toBe('number-out-of-range');
  });
});

describe('parts of the language that do not exist yet', () => {
  it.each([['shape', { section: '¦shape: R' }]] as [string, Partial<typeof parts>][])(
    'are refused by name: %s',
    (_, change) => {
      check([change, 'not-supported', /remove this key/]);
      expect(failure(robot(change).replace('¦', '')).message).toMatch(/not supported yet/);
    },
  );
});

describe('files', () => {
  it.each([
    ['', 'wrong-shape'],
    ['- a\n- b\n', 'wrong-shape'],
    ['42', 'wrong-shape'],
    ['name: a\nlinks: []\n', 'missing-key'],
    ['kanegen: 2\nname: a\nlinks: []\n', 'unsupported-version'],
    ['kanegen: "1"\nname: a\nlinks: []\n', 'unsupported-version'],
    ['kanegen: 1\nname: a\n', 'missing-key'],
    ['kanegen: 1\nlinks: [ { body: pcs } ]\n', 'missing-key'],
    ['kanegen: 1\nname: a\nlinks: [ { body: pcs }\n', 'malformed-yaml'],
    ['kanegen: 1\nname: a\nlinks:\n\t- body: pcs\n', 'malformed-yaml'],
    ['kanegen: 1\nname: "a\n', 'malformed-yaml'],
    ['kanegen: 1\nname: a\nimport: { lab: ./nothing.yaml }\nlinks: [ { body: pcs } ]\n', 'missing-file'],
    [`a: ${'['.repeat(50_000)}`, 'malformed-yaml'],
    [`${'- '.repeat(50_000)}a`, 'malformed-yaml'],
    [
      'a: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n',
      'malformed-yaml',
    ],
  ])('that are no robot files are refused: %.40j', { timeout: 20_000 }, (text, code) => {
    const error = failure(text);
    expect(error.code).toBe(code);
    expect(error.location?.line).toBeGreaterThan(0);
    expect(error.remedy).toBeTruthy();
  });

  it('that are missing say so', () => {
    expect(() => loadRobotFile('no/such.robot.yaml')).toThrow(/there is no such file/);
  });

  it('report all their mistakes at once, each once', () => {
    const text = robot({
      parameters: '{ L: 0.2 mt, R: 20 mm, rho: 1062 kg/m^3 }',
      x: 'x + foo',
      links: '[ { name: a, repeat: 3, body: cc, jont: z } ]',
    });
    expect(failure(text).problems.map((p) => p.code)).toEqual(['unknown-key']);
    const later = robot({
      parameters: '{ L: 0.2 mt, R: 20 mm, rho: 1062 kg/m^3 }',
      x: 'x + foo',
      links: '[ { name: a, repeat: 3, body: cc, joint: { revolute: w } } ]',
    });
    expect(failure(later).problems.map((p) => p.code)).toEqual(['unknown-unit', 'unknown-symbol', 'wrong-shape']);
    // A key of a misspelt name is not missing as well; another one is.
    const shell = 'controllers: { go: { pd: { kp: 1, kd: 1 }, shell: { perod: 1 ms, rate: 1 } } }';
    const misspelt = failure(robot({ top: shell })).problems.map((p) => p.message);
    expect(misspelt).toEqual(['`blend` is missing', 'unknown key `perod`']);
    // Frames within a body that could not be read are no mistakes of their own.
    const within = robot({ x: 'x + foo', top: 'frames: { middle: { on: a, at: { s: L/2 } } }' });
    expect(failure(within).problems.map((p) => p.code)).toEqual(['unknown-symbol']);
  });
});

it('text in formulas is never run', () => {
  const global = globalThis as { touched?: boolean };
  for (const x of [
    'globalThis.touched = true',
    '"constructor(1)"',
    '"evaluate(1)"',
    '"import(x)"',
    '"createUnit(x)"',
    '"parse(x)"',
  ])
    expect(failure(robot({ x })).code, x).toMatch(/malformed-formula|unknown-function/);
  expect(global.touched).toBeUndefined();
});

describe('a message', () => {
  it('says where units belong', () => {
    expect(failure(robot({ x: 'x + 6 mm*cos(q)' }))).toMatchObject({
      message: 'unknown symbol `mm`',
      remedy: 'formulas have no units: name the quantity under parameters (`c: 6 mm`) and write c',
    });
    expect(failure(robot({ x: 'x + 30 Pa s*(1 + q)' }))).toMatchObject({
      message: '`30 Pa s` is a quantity within a formula',
      remedy: 'formulas have no units: name the quantity under parameters (`c: 30 Pa s`) and write c',
    });
    expect(failure(robot({ x: 'x + 30 q q' }))).toMatchObject({ remedy: 'write q*q' });
  });

  it('says how a parameter of the robot gets into a body type', () => {
    expect(failure(robot({ top: 'parameters: { grip: 0.1 }', x: 'x + grip*s' }))).toMatchObject({
      message: 'unknown symbol `grip`',
      remedy: expect.stringMatching(/^body types do not see .* `parameters: \{ grip: grip \}`$/) as string,
    });
  });

  it('says which parameter or abbreviation comes too late', () => {
    expect(failure(robot({ top: 'parameters: { grip: 2*width, width: 0.1 }' }))).toMatchObject({
      message: 'unknown symbol `width`',
      remedy: '`width` comes later: move it above `grip`',
    });
    const link = '{ name: one, rigid: { mass: 1 }, parameters: { L: w, w: 3 } }';
    expect(failure(`kanegen: 1\nname: late\nlinks: [${link}]`).remedy).not.toMatch(/comes later/);
    const type =
      'parameters: { L: 1 }, coordinates: { q: {} }, let: { a: 2*b*q, b: L }, position: [x + a, y, z], volume: { box: { x: [0, L], y: [0, L], z: [0, L] }, density: 1 }';
    expect(failure(`kanegen: 1\nname: late\nbody-types: { t: { ${type} } }\nlinks: [{ body: t }]`)).toMatchObject({
      message: 'unknown symbol `b`',
      remedy: '`b` comes later: move it above `a`',
    });
  });

  it('shows file, line, column, the line with a caret, and what to write instead', () => {
    const text = robot({ x: 'L*(1 - cos(thetta))/q' });
    expect(formatError(failure(text), () => text)).toBe(
      [
        'bad.yaml:11:20: unknown symbol `thetta`',
        '        - L*(1 - cos(thetta))/q',
        '                     ^',
        '  → did you mean `theta`?',
      ].join('\n'),
    );
  });

  it('finds the character in quoted, folded and block formulas', () => {
    const at = (formula: string): number[] => {
      const marked = robot({ position: formula });
      const index = marked.indexOf('foo');
      const { location } = failure(marked);
      const before = marked.slice(0, index).split('\n');
      return [location!.line - before.length, location!.column - before[before.length - 1]!.length - 1];
    };
    expect(at('"[x, y, s + foo]"')).toEqual([0, 0]);
    expect(at("'[x, y, s + foo]'")).toEqual([0, 0]);
    expect(at('>\n      [x,\n      y,\n      s + foo]')).toEqual([0, 0]);
    expect(at('|\n      [x,\n      y, s + foo]')).toEqual([0, 0]);
    expect(at('"[x,\n      y, s + foo]"')).toEqual([0, 0]);
  });

  it('is short for long lines', () => {
    const text = robot({ position: `"[x, y, ${'s + '.repeat(300)}foo]"` });
    const lines = formatError(failure(text), () => text).split('\n');
    expect(Math.max(...lines.slice(1, 3).map((line) => line.length))).toBeLessThan(130);
    expect(lines[1]!.slice(lines[2]!.indexOf('^'))).toMatch(/^foo/);
  });
});
