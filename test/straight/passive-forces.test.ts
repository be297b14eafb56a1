/**
 * Elastic and viscous forces of straight-line robots: against reference numbers, and against difference quotients of the
 * energy that the material stores, for sections without symmetry and rods that are not straight at rest.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { buildC, runProgram } from '../../src/codegen/c/build-c.ts';
import { generateC } from '../../src/codegen/c/c.ts';
import { generateStraightC } from '../../src/codegen/c/straight-c.ts';
import { generatedCost } from '../../src/codegen/whole-robot/straight-cost.ts';
import { loadGenerated, loadStraight } from '../../src/codegen/typescript/load.ts';
import { generateStraightTypeScript } from '../../src/codegen/typescript/straight-typescript.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { straightModel } from '../../src/codegen/whole-robot/straight-model.ts';
import { loadRobotObject } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { compileStraight } from '../../src/straight/compile.ts';
import type { StraightRobot } from '../../src/straight/straight-robot.ts';
import { evaluateRobot, termFunctions, type State } from '../../src/verify/generated/evaluation.ts';
import { verifyRobot, type Evaluator } from '../../src/verify/verify.ts';
import { isInstalled, QUICK } from '../compilers.ts';

const straightOf = (robot: Robot): StraightRobot =>
  compileStraight(robot, { functions: termFunctions(robot), count: generatedCost });

const STRAINS = ['bend-x', 'bend-y', 'twist', 'shear-x', 'shear-y', 'stretch'];

describe('a chain of constant strains, tapered and curved at rest', () => {
  interface Reference {
    readonly states: readonly (Pick<State, 'q' | 'qd'> & Record<'elastic' | `damping_${string}`, readonly string[]>)[];
  }
  const file = new URL('../reference/forces/L1_pcs_tapered_N2.json', import.meta.url);
  const { states } = JSON.parse(readFileSync(file, 'utf8')) as Reference;

  function chain(damping: object): Robot {
    const rod = (extra: object) => ({
      parameters: { L: '0.2 m', R0: '18 mm', R1: '12 mm', rho: '1100 kg/m^3' },
      coordinates: Object.fromEntries(STRAINS.map((_, i) => [`q${i + 1}`, { unit: i < 3 ? 'rad' : 'm' }])),
      volume: { rod: { s: [0, 'L'] }, section: { disc: 'R0 + (R1 - R0)*s/L' }, density: 'rho' },
      strain: Object.fromEntries(STRAINS.map((name, i) => [name, `q${i + 1}/L`])),
      material: { 'rod-elasticity': { E: '1060000 Pa', nu: 0.45, 'shear-factor': 0.9 }, ...damping },
      ...extra,
    });
    return loadRobotObject({
      kanegen: 1,
      name: 'curved-chain',
      'body-types': {
        curved: rod({ rest: { 'bend-x': '0.16/L', 'bend-y': '-0.3/L', twist: '0.12/L' } }),
        plain: rod({}),
      },
      links: [
        { name: 'a', body: 'curved' },
        { name: 'b', body: 'plain', parameters: { L: '0.15 m', R0: '11 mm', R1: '11 mm', rho: '980 kg/m^3' } },
      ],
    });
  }

  const deviation = (found: Float64Array, expected: readonly string[]): number => {
    const size = Math.max(...expected.map((x) => Math.abs(Number(x))));
    return Math.max(...found.map((x, a) => Math.abs(x - Number(expected[a])) / (size || 1)));
  };

  const dampings = [
    ['damping_viscosity', { viscosity: '10000 Pa s' }],
    ['damping_retardation', { 'retardation-time': '0.1 s' }],
  ] as const;
  // The robot of the other tests below is damped in both ways.
  it.each(process.env['KANEGEN_FULL'] === '1' ? dampings : dampings.slice(0, 1))(
    'has the forces of the reference data, %s',
    async (key, damping) => {
      const robot = chain(damping);
      const compiled = compileRobot(robot);
      const straight = compileStraight(robot, { functions: ['passiveForces'], count: generatedCost });
      const module = generateStraightTypeScript(straightModel(robot, compiled, straight));
      const { passiveForces } = await loadStraight(await generateTypeScript(robot, compiled), module);
      const [elastic, viscous] = [new Float64Array(12), new Float64Array(12)];
      for (const state of states) {
        passiveForces!(state.q, state.qd, elastic, viscous);
        expect(deviation(elastic, state.elastic), 'elastic').toBeLessThan(1e-13);
        expect(deviation(viscous, state[key]!), key).toBeLessThan(1e-13);
        passiveForces!(state.q, state.qd, null, viscous.fill(0));
        expect(deviation(viscous, state[key]!), `${key} alone`).toBeLessThan(1e-13);
      }
    },
  );
});

/** A rod whose strain at q = 0 is not that at rest, and one that is not linear in its coordinates. */
const robot = loadRobotObject({
  kanegen: 1,
  name: 'passive-arm',
  parameters: { E: { value: '2 MPa', runtime: true } },
  'body-types': {
    flat: {
      parameters: { L: '0.3 m', w: '30 mm', h: '8 mm', rho: '1100 kg/m^3', E: '1 MPa', eta: '300 Pa s' },
      coordinates: { q1: { unit: 'rad' }, q2: { unit: 'm' } },
      volume: { rod: { s: [0, 'L'] }, section: { rectangle: ['w*(1 - s/(3*L))', 'h'] }, density: 'rho' },
      rest: { 'bend-x': '0.4/L', twist: '-0.2/L' },
      strain: {
        'bend-x': 'q1/L',
        'bend-y': '(0.5*q1 - 0.3)/L',
        twist: '0.3*q1/L',
        'shear-x': '0.02*q1',
        stretch: '(q2 + 0.1*q1*L)/L',
      },
      material: { 'rod-elasticity': { E: 'E', nu: 0.3, 'shear-factor': '5/6' }, viscosity: 'eta' },
    },
    curling: {
      parameters: { L: '0.2 m', a: '12 mm', b: '7 mm', rho: '1000 kg/m^3' },
      coordinates: { q: { unit: 'rad' } },
      volume: { rod: { s: [0, 'L'] }, section: { ellipse: ['a', 'b'] }, density: 'rho' },
      strain: { 'bend-y': 'sin(q)/L', 'bend-x': '0.2*q^2/L' },
      material: { 'rod-elasticity': { E: '0.7 MPa', G: '0.4 MPa' }, 'retardation-time': '50 ms' },
    },
  },
  links: [
    { name: 'arm', body: 'flat', parameters: { E: 'E' } },
    { name: 'tip', body: 'curling' },
  ],
});

describe('sections without symmetry, rods that are not straight at rest', () => {
  it.runIf(process.env['KANEGEN_FULL'] === '1')(
    'have forces that are derivatives of what the material stores and dissipates, and verification says so',
    async () => {
      const compiled = compileRobot(robot);
      const right = straightOf(robot);
      const exchanged: StraightRobot = {
        ...right,
        functions: right.functions.map((f) =>
          f.name === 'passiveForces' ? { ...f, outputs: [f.outputs[1]!, f.outputs[0]!] } : f,
        ),
      };
      const evaluator = (name: string, straight: StraightRobot, target: 'ts' | 'c' = 'ts'): Evaluator => ({
        name,
        precision: 'double',
        isOtherForm: true,
        evaluate: (states) => evaluateRobot(robot, compiled, states, { target, precision: 'double', straight }),
      });
      const dynamics = (await loadGenerated(await generateTypeScript(robot, compiled)))();
      const others = [evaluator('straight', right), evaluator('exchanged', exchanged)];
      if (isInstalled('cc')) others.push(evaluator('straight C', right, 'c'));
      const { checks } = await verifyRobot(robot, dynamics, { states: 1, others });
      expect(checks.map(({ name }) => name)).toEqual(
        expect.arrayContaining([
          'difference quotients of the stored energy give the same elastic forces',
          'difference quotients of the dissipation give the same damping forces',
          'straight agrees with TypeScript',
        ]),
      );
      expect(checks.filter((check) => !check.passed).map(({ name, where }) => [name, where])).toEqual([
        ['exchanged agrees with TypeScript', expect.stringMatching(/elastic|damping/)],
      ]);
    },
  );
});

describe('the function of passive forces', () => {
  const ELASTIC = { material: { 'rod-elasticity': { E: '1 MPa', nu: 0.5 }, viscosity: '300 Pa s' } };
  const finger = (material: object): Robot =>
    loadRobotObject({
      kanegen: 1,
      name: 'finger',
      'body-types': {
        soft: { extends: 'pcs', coordinates: { q: { unit: 'rad' } }, strain: { 'bend-y': 'q/L' }, ...material },
      },
      links: [{ name: 'finger', body: 'soft' }],
    });
  const names = (of: Robot): string[] => compileStraight(of, { count: generatedCost }).functions.map((f) => f.name);

  it('is there where a body has a material, unless others are asked for', () => {
    expect(names(finger({}))).not.toContain('passiveForces');
    expect(names(finger(ELASTIC))).toContain('passiveForces');
  });

  it.skipIf(!isInstalled('cc'))('is held against the driver by the self-test in C (needs cc)', async () => {
    const elastic = finger(ELASTIC);
    const compiled = compileRobot(elastic);
    const straight = compileStraight(elastic, { functions: ['passiveForces'], count: generatedCost });
    const model = straightModel(elastic, compiled, straight);
    const files = [...(await generateC(elastic, compiled, model)), ...(await generateStraightC(model))];
    const said = async (sources: typeof files): Promise<string> => {
      const program = await buildC(sources, QUICK);
      return runProgram(program).finally(() => program.dispose());
    };
    expect(await said(files)).toBe('finger: ok\n');
    const wrong = files.map((f) => ({
      ...f,
      text: f.path.endsWith('_straight.c') ? f.text.replace(/(elastic\[0\] =)/, '$1 1.0 +') : f.text,
    }));
    await expect(said(wrong)).rejects.toThrow(/straight elastic forces differ/);
  });

  it('leaves out what is not wanted', () => {
    const [f] = compileStraight(robot, { functions: ['passiveForces'], count: generatedCost }).functions;
    expect(f!.reads).toEqual(['parameters', 'q', 'qd']);
    expect(f!.outputs.map(({ buffer, optional, values }) => [buffer, optional, values.length])).toEqual([
      ['elastic', true, 3],
      ['damping', true, 3],
    ]);
  });
});
