/**
 * Arbitrary robot files: written by a grammar of the language that knows names and keys but little of sense, and the files
 * of the examples and the library with some of their text changed.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';

// ---------------------------------------------------------------------------------------------- grammar

const numbers = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('0', '1', '2', '0.5', '0.1', '3', '10') },
  { weight: 1, arbitrary: fc.constantFrom('1e-9', '1e9', '1e6', '100', '1e59', '1e308', '1e-300', '1e400', '-1') },
);
const functions1 = fc.constantFrom(
  ...['sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'sinh', 'cosh', 'tanh', 'exp', 'log', 'sqrt', 'abs', 'sign'],
);
const functions2 = fc.constantFrom('atan2', 'pow', 'min', 'max', 'hypot');

/** A formula over names, mostly without a dimension: lengths are divided by L. */
function formulas(names: readonly string[]): fc.Arbitrary<string> {
  const { formula } = fc.letrec<{ formula: string }>((tie) => {
    const inner = tie('formula');
    const leaf = fc.oneof(fc.constantFrom(...names), numbers);
    return {
      formula: fc.oneof(
        { maxDepth: 4, depthIdentifier: 'formula', withCrossShrink: true },
        leaf,
        leaf,
        fc.tuple(inner, fc.constantFrom('+', '-', '*', '/'), inner).map(([a, sign, b]) => `(${a} ${sign} ${b})`),
        fc.tuple(inner, fc.constantFrom('2', '3', '-1', '0.5', '(1/3)', '(-2)', '12')).map(([a, n]) => `(${a})^${n}`),
        fc.tuple(functions1, inner).map(([f, a]) => `${f}(${a})`),
        fc.tuple(functions2, inner, inner).map(([f, a, b]) => `${f}(${a}, ${b})`),
        fc.tuple(inner, inner, inner).map(([a, b, c]) => `(${a} < ${b} ? ${c} : ${a})`),
      ),
    };
  });
  return formula;
}

const inBody = formulas(['q', 'a1', 'a2', 's/L', 'x/L', 'y/L', 'pi', 'k']);
const along = formulas(['q', 'a1', 'a2', 's/L', 'pi', 'k']);
const constant = formulas(['k', 'pi']);
const quoted = (formula: fc.Arbitrary<string>): fc.Arbitrary<string> => formula.map((text) => `"${text}"`);

/** A row that leaves the material where it is, but for what the formula adds. */
const row = (base: string): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constant(base),
    inBody.map((text) => `"${base} + L*(${text})"`),
    inBody.map((text) => `"${base}*(1 + 0.1*(${text}))"`),
  );

const moves = fc.oneof(
  fc.tuple(row('x'), row('y'), row('s')).map((rows) => `position: [${rows.join(', ')}]\n    distal: none`),
  fc
    .uniqueArray(fc.constantFrom('bend-x', 'bend-y', 'twist', 'shear-x', 'shear-y', 'stretch'), {
      minLength: 1,
      maxLength: 3,
    })
    .chain((names) =>
      fc.tuple(...names.map((name) => along.map((text) => `${name}: "(${text})${/^s[ht]/.test(name) ? '' : '/L'}"`))),
    )
    .map((entries) => `strain: { ${entries.join(', ')} }`),
  fc.tuple(quoted(along), quoted(along)).map(([bend, turn]) => `pose: { xyz: [0, 0, s], rpy: [${turn}, ${bend}, 0] }`),
);
const section = fc.constantFrom(
  'disc: R',
  'rectangle: [R, 2*R]',
  'annulus: [R/2, R]',
  'ellipse: [R, R/2]',
  'disc: "R*(1 - s/(2*L))"',
);
const density = fc.oneof(
  { weight: 4, arbitrary: fc.constant('rho') },
  constant.map((text) => `"rho*(${text})"`),
);
const limits = fc.constantFrom('', ', limits: [-1, 1]', ', default: 0.3', ', default: "1/3", limits: [0, 1e50]');
const joint = fc.oneof(
  fc.constantFrom('revolute: z', 'prismatic: x', 'spherical: {}', 'universal: {}', 'helical: { axis: z, pitch: 5 mm }'),
  fc.tuple(constant, constant).map(([a, b]) => `revolute: ["${a}", "${b}", 1]`),
);
const rigid = fc
  .tuple(
    constant.map((f) => `"m*(${f})"`),
    constant.map((f) => `"l*(${f})"`),
  )
  .map(
    ([mass, com]) =>
      `{ joint: { revolute: y }, rigid: { mass: ${mass}, com: [0, ${com}, 0], inertia: { xx: 1, yy: 1, zz: 1 } } }`,
  );

const scaled = (unit: string, formula: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  formula.map((text) => `"${unit}*(${text})"`);
const ofCoordinates = formulas(['q', 'a1', 'a2', 'k', 'pi']);
const energies = fc.oneof(
  scaled('U', ofCoordinates).map((V) => `potential: ${V}`),
  scaled('D*q_dot^2', ofCoordinates).map((W) => `dissipation: ${W}`),
);
/** What acts in a rod by strain, and in a solid. */
const inRod = fc.oneof(
  energies,
  scaled('E', formulas(['s/L', 'k', '2'])).map(
    (E) => `material: { rod-elasticity: { E: ${E}, nu: 0.4 }, retardation-time: 0.1 s }`,
  ),
);
const inSolid = fc.oneof(
  energies,
  scaled('E', formulas(['s/L', '2', 'k'])).map((mu) => `material: { neo-hookean: { mu: ${mu} }, viscosity: 10 Pa s }`),
  scaled('E*(I1 - 3)', formulas(['I1', 'J', 'e_xz', '(s/L)', 'k'])).map((W) => `material: { energy: ${W} }`),
);
/** What acts on it from outside. */
const outer = fc.oneof(
  formulas(['soft.q', 'soft.a1', 'k', 'k*l/l']).map(
    (y) => `actuators: { pull: { along: "l*(soft.q + ${y})", unit: m } }`,
  ),
  fc
    .tuple(scaled('R', formulas(['s/L', 'S', 'pi'])), scaled('R', constant))
    .map(([x, y]) => `actuators: { cord: { tendon: { through: soft, route: { x: ${x}, y: ${y} } } } }`),
  fc
    .tuple(
      fc.oneof(fc.constantFrom('0 m', 'L/3', 'L'), scaled('L', constant)),
      fc.constantFrom('frame', 'world'),
      fc.constantFrom('force: z', 'moment: x', 'force: [0, 0, 0]'),
    )
    .map(([s, axes, acts]) => `actuators: { poke: { wrench: { on: soft, at: { s: ${s} }, axes: ${axes}, ${acts} } } }`),
  fc
    .tuple(quoted(constant), quoted(constant))
    .map(
      ([drag, flow]) =>
        `water: { density: 1000 kg/m^3, drag: { normal: ${drag}, tangential: 0.1 }, added-mass: ${flow} }`,
    ),
);
const line = (text: string | null, indent: string): string => (text === null ? '' : `${indent}${text}\n`);

/** A robot of one body type, with a rigid link before it now and then. */
const written = fc
  .record({
    moves,
    inRod: fc.option(inRod),
    inSolid: fc.option(inSolid),
    outer: fc.option(outer),
    section,
    density,
    limits,
    joint,
    rigid: fc.option(rigid),
    k: quoted(constant.map((t) => t.replaceAll('k', '1'))),
  })
  .map(
    (p) => `kanegen: 1
name: fuzz
parameters: { k: ${p.k}, m: 1 kg, l: 0.1 m }
body-types:
  b:
    parameters: { L: 0.2 m, R: 20 mm, rho: 1062 kg/m^3, k: 1, E: 1 MPa, U: 1 N m, D: 1 N m s }
    coordinates: { q: { unit: rad${p.limits} }, a: { unit: rad, count: 2 } }
    volume: { rod: { s: [0, L] }, section: { ${p.section} }, density: ${p.density} }
    integration: { tolerance: 1e-3 }
    ${p.moves}
${line(p.moves.startsWith('strain') ? p.inRod : p.inSolid, '    ')}links:
${line(p.rigid, '  - ')}  - { name: soft, joint: { ${p.joint} }, body: b, parameters: { k: k } }
${line(p.outer, '')}`,
  );

// ---------------------------------------------------------------------------------------------- changed text

const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
const originals = readdirSync(path.join(root, 'examples'))
  .filter((file) => file.endsWith('.robot.yaml') && !/implicit-arm|learned|helicoid|iiwa|planar-cc-20/.test(file))
  .map((file) => readFileSync(path.join(root, 'examples', file), 'utf8').replace(/^\s*#.*\n/gm, ''));

const pieces = fc.constantFrom(
  ...['0', '-1', '1e308', '1e-308', '1e999', 'NaN', 'null', '~', '[]', '{}', '""', '"(("', '((((', '/0', '*q', '^0.5'],
  ...[
    'pi',
    'sqrt(-1)',
    'log(0)',
    'q',
    's',
    'extends: pcs',
    'runtime: true',
    '\u0007',
    '\u202e',
    '\u2028',
    '\ud800',
    '\t',
  ],
  ...['- ', '  ', '\n', ': ', '&a ', '*a', '!!float ', '|', '>', "'", '#', '---\n', '<<: ', '1 mm', 'kg', '30 deg'],
);

type Change = (text: string) => string;
const place = fc.noBias(fc.integer({ min: 0, max: 9999 })).map((n) => n / 10_000);
/** The text between two ends of tokens. */
function tokenAt(text: string, share: number): [number, number] {
  const tokens = [...text.matchAll(/[A-Za-z_][\w-]*|[\d.]+(?:e[+-]?\d+)?|[^\s\w]|\n\s*/g)];
  const token = tokens[Math.floor(share * tokens.length)];
  return token ? [token.index, token.index + token[0].length] : [0, 0];
}
const changes: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(place, pieces).map(([at, piece]) => (text: string) => {
    const [from, to] = tokenAt(text, at);
    return text.slice(0, from) + piece + text.slice(to);
  }),
  fc.tuple(place, pieces).map(([at, piece]) => (text: string) => {
    const [from] = tokenAt(text, at);
    return text.slice(0, from) + piece + text.slice(from);
  }),
  fc.tuple(place, place).map(([one, other]) => (text: string) => {
    const [from, to] = tokenAt(text, one);
    return text.slice(0, from) + text.slice(...tokenAt(text, other)) + text.slice(to);
  }),
  place.map((at) => (text: string) => {
    const lines = text.split('\n');
    lines.splice(Math.floor(at * lines.length), 1);
    return lines.join('\n');
  }),
  fc.tuple(place, place).map(([one, other]) => (text: string) => {
    const lines = text.split('\n');
    lines.splice(Math.floor(one * lines.length), 0, lines[Math.floor(other * lines.length)]!);
    return lines.join('\n');
  }),
);
/** Texts with some of their tokens and lines replaced, removed, or in other places. */
export function changedTexts(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(texts, fc.array(changes, { minLength: 1, maxLength: 3 }))
    .map(([text, list]) => list.reduce((result, change) => change(result), text));
}

/** The examples with some of their numbers changed, which most often are robots still. */
export const changedNumbers: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(...originals),
    fc.array(fc.tuple(place, fc.constantFrom('1', '2', '0.5', '0.3', '3', '0', '-1', '0.01', '7')), {
      minLength: 1,
      maxLength: 4,
    }),
  )
  .map(([text, list]) =>
    list.reduce((result, [at, number]) => {
      const numbersIn = [...result.matchAll(/(?<=[\s:[,(*/+-])\d+(?:\.\d+)?(?:e-?\d+)?(?=[\s,\])*/+}-])/g)];
      const found = numbersIn[Math.floor(at * numbersIn.length)];
      if (!found) return result;
      return result.slice(0, found.index) + number + result.slice(found.index + found[0].length);
    }, text),
  );

const changed = changedTexts(fc.oneof(fc.constantFrom(...originals), written));

export const robotTexts: fc.Arbitrary<string> = fc.oneof(written, changed);
