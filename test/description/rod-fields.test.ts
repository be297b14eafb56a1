/** Fields along rods under `forces:`: what the file may say, and what it must not. */
import { describe, expect, it } from 'vitest';
import { KanegenError } from '../../src/common/error.ts';
import { formatError } from '../../src/description/source/diagnostics.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { FIELD_AXES, FIELD_SECTION, FIELD_SYMBOLS } from '../../src/description/model/surroundings.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../src/symbolic/graph/expr.ts';

const text = (force: string, base = ''): string => `kanegen: 1
name: blown
${base}parameters: { w: 0.3 N/m, m: 0.1 A m, B: 2 T, F: 2 N, r: 1 1/s, p: { value: 0.2, runtime: true } }
body-types:
  rod:
    parameters: { L: 0.5 m, R: 10 mm }
    coordinates: { b: { unit: rad } }
    volume: { rod: { s: [0, L] }, section: { disc: R, cartesian: [x, y] }, density: 1000 kg/m^3 }
    strain: { bend-y: b/L }
  block:
    parameters: { L: 0.5 m }
    coordinates: { a: {} }
    volume: { box: { x: [0, L], y: [0, L], z: [0, L] }, density: 1000 kg/m^3 }
    position: [x*(1 + a), y, z]
    distal: { pivot: { z: L }, x-axis: { z: L, x: L }, y-axis: { z: L, y: L } }
links:
  - { name: foot, rigid: { mass: 1 kg } }
  - { name: arm, repeat: 2, body: rod }
  - { name: cube, parent: base, body: block }
forces:
  wind: ${force}
`;

const load = (force: string, base?: string) => loadRobotText(text(force, base), 'blown.robot.yaml');

describe('fields along rods', () => {
  it('act on all links of a name, at the time, in vectors of any axes', () => {
    const robot = load('{ through: arm, moment: "cross(m*tangent, [B, 0, 0]) + [0, F*b*sin(r*t), 0]" }');
    const fields = robot.links.map((link) => link.fields ?? []);
    expect(fields.map((own) => own.length)).toEqual([0, 1, 1, 0]);
    expect(robot.time).toBeDefined();
    const [field] = fields[1]!;
    // The tangent along z of a section that is not turned; components in axes a quarter turn about z away.
    const turned = [0, -1, 0, 1, 0, 0, 0, 0, 1];
    const values = new Map<Expr, number>(
      FIELD_SYMBOLS.map((s, i) => [s, [...turned, 1, 0, 0, 0, 1, 0, 0, 0, 1][i] ?? 0]),
    );
    expect([...FIELD_AXES, ...FIELD_SECTION.rotation].every((e) => values.has(e))).toBe(true);
    values.set(field!.time!, Math.PI / 2);
    const { body } = robot.links[1]!;
    if (body.kind === 'deformable') values.set(body.type.coordinates[0]!.symbol, 0.25);
    // z × (2, 0, 0) turned is z × (0, 2, 0); the other component points along −x.
    expect(evaluate(field!.moment, values)).toEqual([-0.2 - 0.5, expect.closeTo(0), 0]);
  });

  it.each([
    ['{ through: arm, force: [F, 0, 0] }', /21:33: a force per length must be a quantity in N\/m, not a force \(N\)/],
    ['{ through: arm, force: 0.3 N }', /must be a quantity in N\/m[^]*write a number with a unit such as `N\/m`/],
    ['{ through: arm, moment: [w, 0, 0] }', /a moment per length must be a quantity in N m\/m, not/],
    [
      '{ through: foot, force: [w, 0, 0] }',
      /21:20: `foot` is rigid: fields act along deformable rods[^]*name a link whose/,
    ],
    ['{ through: cube, force: [w, 0, 0] }', /whose sections stay rigid: `cube` has no centreline: it is not a rod/],
    ['{ through: arms, force: [w, 0, 0] }', /unknown link `arms`[^]*did you mean `arm`/],
    ['{ through: [arm, arm1], force: [w, 0, 0] }', /`arm1` is named twice/],
    ['{ through: arm, force: [w, 0] }', /expected a list of 3, not of 2[^]*write \[x, y, z\]/],
    ['{ through: arm, force: "w*[1, 0]" }', /a force per length has three components, not 2/],
    ['{ through: arm, force: "[w*z, 0, 0]" }', /unknown symbol `z`[^]*place, tangent/],
    ['{ through: arm, moment: "cross(m*rotate(arm, [0, 0, 1]), [B, 0, 0])" }', /write rotate\(section, \[x, y, z\]\)/],
    [
      '{ through: arm, force: "w*[1/(s/L - 1/2), 0, 0]" }',
      /no finite value at S = 0\.5 along the rod[^]*without the pole/,
    ],
    ['{ through: arm, force: [w/(p - 0.2), 0, 0] }', /no finite value at S = 0/],
    ['{ through: arm }', /neither a force nor a moment[^]*N\/m/],
    ['{ through: arm, force: [w, 0, 0], potential: "1" }', /a force with `potential` has no `through`/],
    ['{ force: [w, 0, 0] }', /no `potential`, and acts along no rod[^]*`through: LINK`/],
    ['{ through: arm, force: [w, 0, 0], axes: body }', /expected one of `world`, `section`/],
    ['{ through: arm, force: [w, 0, 0], points: 0 }', /a rod cannot have 0 points/],
  ])('refuse %s', (force, message) => {
    let error: unknown;
    try {
      load(force);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(KanegenError);
    expect(formatError(error as KanegenError, () => text(force))).toMatch(message);
    expect((error as KanegenError).location?.line).toBe(21);
  });

  const kinksIn = (force: string): string[] =>
    load(force)
      .warnings.filter(({ name }) => name === 'moving-kink')
      .map(({ location }) => `${location.line}:${location.column}`);

  it.each([
    ['follow the time', 'abs(S - 0.2 - 0.1*r*t)'],
    ['are passed by a step', 'select(s < 0.1*L + 0.1*L*r*t, 1, 0)'],
    ['follow a coordinate', 'max(0, b - S)'],
    ['follow the pose', 'max(0, dot(tangent, [1, 0, 0]) - s/L)'],
    ['come to be later', 'max(0, r*t - 1 - S)'],
  ])('are told of kinks that %s', (_, formula) => {
    expect(kinksIn(`{ through: arm, force: ['w*${formula}', 0, 0] }`)).toEqual(['21:32']);
    expect(kinksIn(`{ through: arm, moment: ['F*${formula}', 0, 0] }`)).toEqual(['21:33']);
  });

  it.each([
    ['that stand still', 'abs(S - 0.2)*sin(r*t)'],
    ['in time alone', 'max(0, sin(r*t))*S'],
    ['beyond the rod', 'max(0, 2 + r*t - S)'],
    ['of a coordinate alone', 'max(0, b)*S'],
    ['that are none', 'tanh((S - 0.1*r*t)/0.05)'],
  ])('are not told of kinks %s', (_, formula) => {
    expect(kinksIn(`{ through: arm, force: ['w*${formula}', 0, 0] }`)).toEqual([]);
  });

  it('need a base that stays', () => {
    const load_ = (): unknown => load('{ through: arm, force: [w, 0, 0] }', 'base: { rpy: [p, 0, 0] }\n');
    expect(load_).toThrow('fields along rods need a base that does not depend on run-time parameters');
  });
});
