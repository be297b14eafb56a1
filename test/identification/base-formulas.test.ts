/**
 * Base parameters as formulas of the geometry: against those found in numbers at states, of the same robot and, by the same
 * formulas, of robots with other lengths.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { loadRobotFile, loadRobotText } from '../../src/description/load.ts';
import { baseFormulas, type BaseFormula } from '../../src/identification/base-formulas.ts';
import { baseFormula, baseParameters, type BaseParameters } from '../../src/identification/base-parameters.ts';
import { identifiableRobot } from '../../src/identification/parameters.ts';
import { compileRegressor, Regressor } from '../../src/identification/regressor.ts';
import { foldConstant } from '../../src/symbolic/evaluation/evaluate.ts';
import { formulaValue } from '../../src/symbolic/formulas/formula.ts';
import { parseFormula } from '../../src/symbolic/formulas/parse.ts';
import { decimal, type Expr } from '../../src/symbolic/graph/expr.ts';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { compileRobot } from '../../src/kane/compile.ts';

/** No axis along another, lengths that may change at run time; every joint of the library, and a mass that is bolted on. */
const rigid = (i: number): string =>
  `{ mass: ${1 + 0.3 * i}, com: [0.1, 0.05, -0.04], inertia: { xx: 0.031, yy: 0.045, zz: 0.052, xy: 0.004, xz: -0.006, yz: 0.003 },` +
  ` distal: { xyz: [${['a, -b, c', 'c, a, b', 'b, 2*c, -a'][i % 3]!}], rpy: [0.3, ${-0.2 - 0.1 * i}, 0.5] } }`;
const TREE = `kanegen: 1
name: tree
gravity: [1, -2, -9.5]
base: { rpy: [0.4, 0.3, -0.2] }
parameters:
  a: { value: 0.23 m, runtime: true }
  b: { value: 0.11 m, runtime: true }
  c: { value: 0.17 m, runtime: true }
links:
  - { name: trunk, joint: { revolute: [0, 0.6, 0.8] }, offset: { xyz: [0.1, 0.2, 0.3] }, rigid: ${rigid(0)} }
  - { name: slide, joint: { prismatic: [0.8, 0, 0.6] }, rigid: ${rigid(1)} }
  - { name: hand, joint: { revolute: x }, offset: { xyz: [0, b, 0] }, mount: { xyz: [c, 0, 2*a] }, rigid: ${rigid(2)} }
  - { name: screw, joint: { helical: { axis: y, pitch: 0.9 m } }, rigid: ${rigid(3)} }
  - { name: yoke, parent: trunk, joint: { universal: [x, y] }, rigid: ${rigid(4)} }
  - { name: ball, joint: spherical, rigid: ${rigid(5)} }
  - { name: bolted, joint: fixed, offset: { rpy: [0.1, 0, 0], xyz: [0, 0, a] }, rigid: ${rigid(6)} }
  - { name: table, parent: trunk, joint: { planar: [x, z] }, rigid: ${rigid(7)} }
  - { name: pole, parent: base, joint: { helical: { axis: z, pitch: 0.8 m } }, rigid: ${rigid(8)} }
  - { name: mast, joint: { cylindrical: z }, offset: { xyz: [a, 0, 0] }, rigid: ${rigid(9)} }
`;

interface Grouped {
  readonly regressor: Regressor;
  readonly structure: BaseParameters;
}

async function grouped(robot: ReturnType<typeof loadRobotFile>): Promise<Grouped> {
  const regressor = await compileRegressor(robot, { inertial: true, only: [] });
  return { regressor, structure: baseParameters(regressor) };
}

/** A formula as text, read as those of robot files. */
function valueOf(formula: string, constants: ReadonlyMap<string, number>): number {
  const value = (name: string): Expr | undefined => (constants.has(name) ? decimal(constants.get(name)!) : undefined);
  const names = { value, macro: () => undefined, names: () => [...constants.keys()] };
  return foldConstant(formulaValue(parseFormula(formula.replace('~', '')), names) as Expr);
}

/** Formulas of one robot at the lengths of another: the worst difference from the factors that are found there, of their size. */
function compare(
  formulas: readonly BaseFormula[],
  { structure }: Grouped,
  constants: ReadonlyMap<string, number>,
): number {
  expect(formulas.map(({ index }) => index)).toEqual(structure.base.map(({ index }) => index));
  return Math.max(
    ...formulas.flatMap(({ others }, j) => {
      const found = structure.base[j]!.others;
      expect(others.map(({ index }) => index)).toEqual(found.map(({ index }) => index).sort((a, b) => a - b));
      return others.map(({ index, formula }) => {
        const { factor } = found.find((own) => own.index === index)!;
        return Math.abs(valueOf(formula, constants) - factor) / Math.max(1, Math.abs(factor));
      });
    }),
  );
}

function constantsOf({ structure }: Grouped): Map<string, number> {
  return new Map(structure.formulas!.flatMap(({ constants }) => constants.map(({ name, value }) => [name, value])));
}

describe('a UR10e', () => {
  let arm: Grouped;
  beforeAll(async () => {
    arm = await grouped(loadRobotFile('examples/ur10e.robot.yaml'));
  });

  it('has 36 base parameters, each the combination that is found in numbers', () => {
    const { formulas } = arm.structure;
    expect(formulas).toHaveLength(36);
    expect(compare(formulas!, arm, constantsOf(arm))).toBeLessThan(1e-12);
  });

  it('says them in lengths of the file', () => {
    const { structure, regressor } = arm;
    const texts = structure.base.map((own) => baseFormula(own, structure, regressor.parameters)?.text);
    expect(texts).toContain('wrist_1.Izz + wrist_2.Iyy + wrist_2_distal_z^2 wrist_3.m');
    expect(texts).toContain(
      'elbow.Ixz - elbow_distal_x wrist_1.mz - elbow_distal_x*wrist_1_distal_z wrist_2.m - elbow_distal_x*wrist_1_distal_z wrist_3.m',
    );
    expect(texts[0]).toContain(' + (elbow_distal_x^2 + shoulder_lift_distal_x^2) wrist_1.m');
    expect(constantsOf(arm).get('shoulder_lift_distal_x')).toBe(-0.6127);
  });
});

describe('a tree with a joint of every kind', () => {
  let own: Grouped;
  let dynamics: LoadedRobot;
  beforeAll(async () => {
    const robot = loadRobotText(TREE, 'tree.robot.yaml');
    const { robot: open, parameters } = identifiableRobot(robot, { inertial: true, only: [] });
    dynamics = (await loadGenerated(await generateTypeScript(open, compileRobot(open))))();
    const regressor = new Regressor(open, parameters, dynamics);
    own = { regressor, structure: baseParameters(regressor) };
  });

  it('has the combinations that are found in numbers', () => {
    const { base, formulas } = own.structure;
    const errors = formulas!.flatMap(({ others }, j) =>
      others.map(({ index, factor }) => {
        const found = base[j]!.others.find((one) => one.index === index)!.factor;
        return Math.abs(factor - found) / Math.max(1, Math.abs(found));
      }),
    );
    expect(errors.length).toBeGreaterThan(100);
    expect(Math.max(...errors)).toBeLessThan(1e-12);
    // As text, of twelve digits.
    expect(compare(formulas!, own, constantsOf(own))).toBeLessThan(1e-10);
  });

  it('has formulas that hold with other lengths', () => {
    const lengths = { a: 0.31, b: 0.13, c: -0.19 };
    Object.assign(dynamics.parameters, lengths);
    const there = { ...own, structure: baseParameters(own.regressor) };
    const formulas = own.structure.formulas!;
    const isOpen = (j: number): boolean => formulas[j]!.others.every(({ formula }) => !formula.includes('~'));
    const open = formulas.filter((_, j) => isOpen(j));
    expect(open.length).toBeGreaterThan(formulas.length - 9);
    const base = there.structure.base.filter((_, j) => isOpen(j));
    const found = compare(open, { ...own, structure: { ...there.structure, base } }, new Map(Object.entries(lengths)));
    expect(found).toBeLessThan(1e-10);
    expect(open.some(({ others }) => others.some(({ formula }) => /[abc]/.test(formula)))).toBe(true);
  });
});

describe('by hand', () => {
  const formulasOf = async (links: string, gravity = '[0, 0, -9.81]'): Promise<string[]> => {
    const robot = loadRobotText(`kanegen: 1\nname: hand\ngravity: ${gravity}\nlinks:\n${links}`, 'hand.robot.yaml');
    const { regressor, structure } = await grouped(robot);
    return structure.base.map((one) => baseFormula(one, structure, regressor.parameters)!.text);
  };
  const body =
    '{ mass: 2, com: [0.1, 0.05, -0.04], inertia: { xx: 0.1, yy: 0.12, zz: 0.11 }, distal: { xyz: [0.5, 0, 0] } }';

  it('knows a pendulum, upright and lying', async () => {
    const link = (axis: string): string => `  - { name: rod, joint: { revolute: ${axis} }, rigid: ${body} }\n`;
    expect(await formulasOf(link('z'))).toEqual(['rod.Izz']);
    expect((await formulasOf(link('y'))).sort()).toEqual(['rod.Iyy', 'rod.mx', 'rod.mz']);
  });

  it('knows a screw: inertia and mass by the square of the pitch, weight apart', async () => {
    const link = '  - { name: nut, joint: { helical: { axis: z, pitch: 0.1 m } }, rigid: ' + body + ' }\n';
    expect(await formulasOf(link)).toEqual(['nut.m', 'nut.Izz']);
    const factor = ((2 * Math.PI) / 0.1) ** 2;
    expect(await formulasOf(link, '[9.81, 0, 0]')).toEqual([
      `nut.m + ${Number(factor.toPrecision(12))} nut.Izz`,
      'nut.mx',
      'nut.my',
    ]);
  });

  it('knows two links in a plane', async () => {
    const links = ['upper', 'lower']
      .map((name) => `  - { name: ${name}, joint: { revolute: z }, rigid: ${body} }\n`)
      .join('');
    expect(await formulasOf(links)).toEqual([
      'upper.Izz + upper_distal_x^2 lower.m',
      'lower.mx',
      'lower.my',
      'lower.Izz',
    ]);
  });

  it('has none for soft bodies', () => {
    const robot = loadRobotFile('examples/planar-cc.robot.yaml');
    expect(baseFormulas(robot, [])).toBeUndefined();
  });
});
