/** Work that takes more time of the processor than it may ends with an error that says what it was about, at every stage. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { generateC } from '../../src/codegen/c/c.ts';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { formulaProgram } from '../../src/codegen/drivers/robot-programs.ts';
import { robotModel } from '../../src/codegen/modules/robot-model.ts';
import { loadRobotObject, loadRobotText } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileBodies, compileRobot } from '../../src/kane/compile.ts';
import { compileBody } from '../../src/kane/compile-body.ts';
import type { CompiledRobot } from '../../src/kane/kernels/link-type.ts';
import { foldConstant } from '../../src/symbolic/evaluation/evaluate.ts';
import { allowSeconds, DEFAULT_SECONDS } from '../../src/common/work-limit.ts';
import { Verification } from '../../src/verify/verify.ts';

const ALMOST_NOTHING = 1e-6;

afterEach(() => allowSeconds(DEFAULT_SECONDS));

/** A body by points, with a long formula in the second row; `size` makes it another body. */
const text = (size: number): string => `kanegen: 1
name: late
body-types:
  b:
    parameters: { L: 0.2 m, R: 20 mm, rho: 1000 kg/m^3 }
    coordinates: { q: { unit: rad }, e: {} }
    volume: { rod: { s: [0, L] }, section: { disc: R }, density: rho }
    integration: { tolerance: 1e-3 }
    position:
      - x
      - y*(1 + exp(-s/L)/10) + L/${size}*(1 + sin(q*s/L + sin(q*s/L/5) + e*tanh(s/L)))
      - s*(1 + e)
    distal: none
links: [{ body: b }]
`;

describe('the error `too-slow`', () => {
  let robot: Robot;
  let compiled: CompiledRobot;

  beforeAll(() => {
    robot = loadRobotText(text(10), 'late.yaml');
    compiled = compileRobot(robot);
  });

  const late = (message: RegExp, line?: number): unknown =>
    expect.objectContaining({
      code: 'too-slow',
      message: expect.stringMatching(message) as string,
      location: (line === undefined ? expect.anything() : expect.objectContaining({ line })) as object,
    });

  it('ends the reading of a file', () => {
    allowSeconds(ALMOST_NOTHING);
    const terms = Array.from({ length: 300 }, (_, k) => `sin(q*s/L*${k + 2}/7)`).join(' + ');
    const long = text(11).replace(
      'position:\n      - x',
      `let: { f: "${terms}" }\n    position:\n      - x + L*f/1000`,
    );
    expect(() => loadRobotText(long, 'late.yaml')).toThrow(late(/^reading this file takes more than 0\.000001 s/));
  });

  it('ends the choice of a way to integrate a body, at the largest formula', () => {
    const other = loadRobotText(text(12), 'late.yaml');
    const { body } = other.links[0]!;
    if (body.kind !== 'deformable') expect.unreachable();
    allowSeconds(ALMOST_NOTHING);
    expect(() => compileBody(body.type)).toThrow(late(/choice of a way .*largest formula of `b` is position\[1\]/, 11));
  });

  it('ends the derivation of the terms of a link, and its code', () => {
    const other = loadRobotText(text(13), 'late.yaml');
    compileBodies(other);
    allowSeconds(ALMOST_NOTHING);
    expect(() => compileRobot(other)).toThrow(late(/^the derivation of the terms of this link .* position\[1\]/, 11));
    expect(() => robotModel(robot, compiled)).toThrow(late(/^the code of this link .* position\[1\]/, 11));
  });

  it('ends the printing of code in every language', async () => {
    robotModel(robot, compiled);
    allowSeconds(ALMOST_NOTHING);
    await expect(generateTypeScript(robot, compiled)).rejects.toThrow(late(/^printing the code of this link/));
    await expect(generateC(robot, compiled)).rejects.toThrow(late(/^printing the code of this link/));
  });

  it('ends the code of formulas over several links, at the largest', () => {
    const angles = [0, 1, 2].map((i) => `a${i + 1}.angle`);
    const product = angles.flatMap((a) => angles.map((b) => `(1 + ${a}*${b})`)).join('*');
    const several = loadRobotText(
      `kanegen: 1
name: several
links: [{ name: a, repeat: 3, joint: { revolute: z }, rigid: { mass: 1 kg, com: [1, 0, 0] } }]
actuators:
  small: { along: a1.angle + 2*a2.angle, unit: rad }
  large: { along: "${product}", unit: "1" }
`,
      'late.yaml',
    );
    const model = robotModel(several, compileRobot(several));
    allowSeconds(ALMOST_NOTHING);
    expect(() => formulaProgram(model, 'rates')).toThrow(
      late(/^the code of formulas over several links .* `large`/, 6),
    );
  });

  it('leaves unchecked what a verification has no time for', async () => {
    const dynamics = (await loadGenerated(await generateTypeScript(robot, compiled)))();
    allowSeconds(ALMOST_NOTHING);
    const report = await new Verification(robot, { states: 1 }).of(dynamics);
    expect(report.passed).toBe(false);
    const unchecked = report.checks.filter(({ outcome }) => outcome === 'unchecked');
    expect(unchecked.length).toBeGreaterThan(4);
    for (const { where } of unchecked) expect(where).toMatch(/takes more than 0\.000001 s .*--max-seconds/);
    expect(report.checks.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
  });
});

it('types that extend each other a thousand deep are read at once', { timeout: 10_000 }, () => {
  const depth = 1000;
  const root = {
    parameters: { L: '0.2 m', R: '20 mm', rho: '1000 kg/m^3' },
    coordinates: { q: { unit: 'rad' } },
    volume: { rod: { s: [0, 'L'] }, section: { disc: 'R' }, density: 'rho' },
    strain: { 'bend-y': 'q/L' },
  };
  const types = Array.from({ length: depth }, (_, k) => {
    const own = k === depth / 2 ? { parameters: { L: '0.3 m' } } : {};
    return [`t${k}`, k === 0 ? root : { extends: `t${k - 1}`, ...own }] as const;
  });
  const { links } = loadRobotObject({
    kanegen: 1,
    name: 'deep',
    'body-types': Object.fromEntries(types),
    links: [{ body: `t${depth - 1}` }],
  });
  const { body } = links[0]!;
  if (body.kind !== 'deformable') expect.unreachable();
  const values = body.type.parameters.map(({ name, value }) => [name, foldConstant(value)]);
  expect(values).toEqual([
    ['L', 0.3],
    ['R', 0.02],
    ['rho', 1000],
  ]);
});
