/**
 * Functions of robots that are chosen by name: whatever is left out, the rest computes the same bits, and is all that compilers
 * and strict projects ask for.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { chooseFunctions, FUNCTION_OPTIONS } from '../../src/codegen/choice.ts';
import { buildC, runProgram, STRICT_FLAGS } from '../../src/codegen/c/build-c.ts';
import { generateC } from '../../src/codegen/c/c.ts';
import type { Program } from '../../src/codegen/programs/program.ts';
import { INPUTS, sizeOf } from '../../src/codegen/sweeps/arrays.ts';
import { robotFunction, type RobotFunctionName } from '../../src/codegen/sweeps/robot-functions.ts';
import { generateFolder } from '../../src/codegen/folder.ts';
import { robotModel, type GeneratedFile } from '../../src/codegen/modules/robot-model.ts';
import { executedOperations } from '../../src/codegen/whole-robot/straight-cost.ts';
import { besideModules } from '../../src/codegen/typescript/javascript.ts';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import type { KanegenError } from '../../src/common/error.ts';
import { loadRobotFile, loadRobotObject } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import type { CompiledRobot } from '../../src/kane/kernels/link-type.ts';
import type { Status } from '../../src/runtime/driver.ts';
import { COMPILERS, messagesOf, QUICK } from '../compilers.ts';

const COMPILER = COMPILERS.find(({ missing }) => !missing);

/** Water, springs, dampers, actuators within links and between them, a parameter, branches. */
const swimmer = loadRobotObject({
  kanegen: 1,
  name: 'swimmer',
  parameters: { load: { value: '0.3 kg', runtime: true, min: '0 kg' } },
  links: [
    {
      name: 'turn',
      joint: { revolute: 'y', damping: '0.02 N m s/rad' },
      rigid: { mass: '0.5 kg', inertia: { yy: 1e-3 } },
    },
    {
      name: 'seg',
      body: 'planar-cc',
      parameters: { L: '0.2 m', R: '20 mm', rho: '1062 kg/m^3' },
    },
    {
      name: 'slide',
      parent: 'turn',
      joint: { prismatic: [0.6, 0, 0.8], stiffness: '30 N/m' },
      rigid: { mass: 'load', com: ['0.02 m', '0.01 m', 0] },
    },
  ],
  actuators: {
    one: { along: '2*turn.angle + seg.q', unit: 'rad' },
    two: { motor: 'slide.displacement' },
  },
  water: { density: '1000 kg/m^3', drag: { normal: 1.1, tangential: 0.01 }, 'added-mass': 1, points: 4 },
});

const ROBOTS: readonly (readonly [string, Robot, CompiledRobot])[] = [
  ['a planar arm', ...compiled(loadRobotFile('examples/two-link.robot.yaml'))],
  ['a swimmer with derivatives', ...compiled(swimmer, { derivatives: true, points: true })],
];

function compiled(robot: Robot, options = {}): readonly [Robot, CompiledRobot] {
  return [robot, compileRobot(robot, options)];
}

const moderate = (count: number, phase: number): Float64Array =>
  Float64Array.from({ length: count }, (_, i) => 0.3 * Math.sin(1.7 * i + phase));

const isFull = process.env['KANEGEN_FULL'] === '1';
const COLUMNS = 2;
const NUMBERS: Readonly<Record<string, number>> = { h: 0.01, rate: 150, acceleration: 3e4, alpha: 20, beta: 30 };

/** All that a function writes at one state. */
function resultsOf(
  dynamics: LoadedRobot,
  robot: Robot,
  name: RobotFunctionName,
): { status: Status; out: Float64Array[] } {
  const n = robot.coordinates.length;
  const sizes = { n, u: robot.actuators.length, p: robot.parameters.length, r: 0, s: 0, k: 0 };
  const { state, inputs, outputs, numbers = [], ofColumns, ofFrame, ofLink } = robotFunction(name);
  const size = (of: Parameters<typeof sizeOf>[0]): number => {
    const own = sizeOf(of, sizes);
    return typeof own === 'number'
      ? own
      : COLUMNS * (own.startsWith(`${sizes.p} `) && /^p/.test(of as string) ? sizes.p : n);
  };
  if (state === 'staged') dynamics.update(moderate(n, 1), moderate(n, 2));
  if (name === 'implicitSolve') dynamics.implicitFactor(NUMBERS['h']!);
  if (name === 'newtonSolve')
    dynamics.newtonFactor!(NUMBERS['rate']!, NUMBERS['acceleration']!, moderate(n, 3), moderate(sizes.u, 4));
  const out = outputs.map((output) => moderate(size(output.size), 4));
  const given = [
    ...(ofColumns ? [COLUMNS] : []),
    ...numbers.map((own) => NUMBERS[own]!),
    ...(ofFrame || ofLink ? [1] : []),
    ...inputs.map((input, i) => moderate(size(INPUTS[input]), 3 + i)),
    ...out,
  ];
  const call = dynamics[name] as (...arguments_: readonly unknown[]) => Status;
  return { status: call(...given), out };
}

const load = async (robot: Robot, own: CompiledRobot): Promise<LoadedRobot> =>
  (await loadGenerated(await generateTypeScript(robot, own)))();

/** The declarations of the language, read once. */
const declarations = new Map<string, ts.SourceFile | undefined>();

function compilerHost(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (file, ...rest) => {
    if (!path.basename(file).startsWith('lib.')) return read(file, ...rest);
    if (!declarations.has(file)) declarations.set(file, read(file, ...rest));
    return declarations.get(file);
  };
  return host;
}

/** What strict projects say about TypeScript. */
function complaints(files: readonly GeneratedFile[]): readonly string[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'kanegen-choice-'));
  mkdirSync(path.join(folder, 'runtime'));
  for (const file of files) writeFileSync(path.join(folder, file.path), file.text);
  const options: ts.CompilerOptions = {
    strict: true,
    noUnusedLocals: true,
    noUnusedParameters: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: [],
    skipDefaultLibCheck: true,
    noEmit: true,
  };
  const program = ts.createProgram(
    files.filter(({ path: own }) => own.endsWith('.ts')).map((file) => path.join(folder, file.path)),
    options,
    compilerHost(options),
  );
  const found = ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
  rmSync(folder, { recursive: true });
  return found;
}

describe.each(isFull ? ROBOTS : ROBOTS.slice(0, 1))('functions of %s', (_, robot, complete) => {
  const all = chooseFunctions(robot, complete, ['all']);
  const possible = FUNCTION_OPTIONS.filter((name) => {
    try {
      return chooseFunctions(robot, complete, [name]) !== complete;
    } catch {
      return false;
    }
  });
  const whole = load(robot, all);

  it('are all, or those of the README, by name', () => {
    expect(possible).toContain('inverse-dynamics');
    const usual = [...chooseFunctions(robot, complete, ['default']).choice!.functions];
    expect([...all.choice!.functions]).toEqual(expect.arrayContaining(usual));
    const inWater = robot === swimmer;
    const expected = [
      ...['update', 'inverseDynamics', 'forwardDynamics', 'implicitStep', 'terms', 'massMatrix', 'frame', 'external'],
      ...['energies', 'inverseDynamicsAt'],
      ...(inWater ? ['activeInverseDynamics', 'fluid', 'actuation', 'actuate', 'point', 'pointMotion'] : []),
    ];
    expect(usual.filter((name) => robotFunction(name as RobotFunctionName).derivative === undefined).sort()).toEqual(
      expected.sort(),
    );
  });

  it('compute the bits of the complete robot, each alone', async () => {
    // Of the smaller robot all; of the other one in two, unless everything is asked for.
    for (const name of possible.filter((_, i) => isFull || robot !== swimmer || i % 2 === 0)) {
      const choice = chooseFunctions(robot, complete, [name]);
      const own = await load(robot, choice);
      for (const f of choice.choice!.functions as ReadonlySet<RobotFunctionName>) {
        const { after } = robotFunction(f);
        if (after && !choice.choice!.functions.has(after)) continue;
        expect(resultsOf(own, robot, f), `${f} of ${name}`).toEqual(resultsOf(await whole, robot, f));
      }
    }
  });

  it('are TypeScript for strict projects, each alone', async () => {
    for (const name of possible.filter((_, i) => i % 10 === 0)) {
      const files = await generateTypeScript(robot, chooseFunctions(robot, complete, [name]));
      expect(complaints([...files, ...besideModules(files)]), name).toEqual([]);
    }
  });

  it.skipIf(!COMPILER)(
    'are C without a warning, and pass what is left of the self-test, each alone (needs a compiler)',
    async () => {
      // All with KANEGEN_FULL; every seventh one otherwise.
      for (const name of possible.filter((_, i) => isFull || i % 7 === 0)) {
        const files = await generateC(robot, chooseFunctions(robot, complete, [name]));
        expect(await messagesOf(COMPILER!.compiler, STRICT_FLAGS, files), name).toBe('');
        const program = await buildC(files, QUICK);
        const output = await runProgram(program).finally(() => program.dispose());
        expect(output, name).toBe(`${robot.name.replace(/-/g, '_')}: ok\n`);
      }
    },
  );
});

describe('a choice of functions', () => {
  const [, robot, complete] = ROBOTS[0]!;

  it.each([
    [
      'inverse-dynamic',
      /^`inverse-dynamic` is not a function/,
      /choose from default, all, rosenbrock, update, inverse-dynamics/,
    ],
    ['actuation', /cannot have the function `actuation`, which needs `actuators:`/, /choose from/],
    ['fluid', /`water:`/, /choose from/],
    ['stiffness', /elastic/, /choose from/],
    ['newton-step', /`--derivatives`/, /choose from/],
    ['point', /`--points`/, /choose from/],
  ])('refuses %s, and lists the names', (name, message, remedy) => {
    const choose = (): unknown => chooseFunctions(robot, complete, [name]);
    expect(choose).toThrow(message);
    try {
      choose();
    } catch (error) {
      expect((error as KanegenError).remedy).toMatch(remedy);
    }
  });

  it('has the functions that controllers call', async () => {
    const arm = loadRobotObject({
      kanegen: 1,
      name: 'arm',
      links: [
        {
          name: 'hinge',
          repeat: 3,
          joint: { revolute: [0.6, 0, 0.8] },
          rigid: { frame: 'distal', mass: '1 kg', distal: { xyz: ['0.3 m', 0, 0] } },
        },
      ],
      actuators: Object.fromEntries([1, 2, 3].map((i) => [`m${i}`, { motor: `hinge${i}.angle` }])),
      controllers: {
        soft: {
          'task-space': {
            frame: 'hinge3',
            form: 'torque',
            stiffness: [1, 1, 1, 9, 9, 9],
            damping: [1, 1, 1, 9, 9, 9],
          },
        },
      },
    });
    const own = chooseFunctions(arm, compileRobot(arm), ['gravity']);
    expect([...own.choice!.functions]).toEqual([
      'update',
      'terms',
      'frame',
      'externalInFrame',
      'frameMotion',
      'gravityAt',
    ]);
    const files = await generateTypeScript(arm, own);
    expect(complaints([...files, ...besideModules(files)])).toEqual([]);
  });
});

describe('a rod with loops', () => {
  const rod = loadRobotObject({
    kanegen: 1,
    name: 'rod',
    'body-types': {
      rod: {
        parameters: { L: '0.3 m' },
        coordinates: { b: { count: 2, unit: 'rad' } },
        volume: { rod: { s: [0, 'L'] }, section: { disc: '10 mm' }, density: '1100 kg/m^3' },
        strain: { 'bend-y': { basis: 'legendre', coordinates: 'b', scale: '1/L' } },
        integration: { tolerance: 1e-2 },
      },
    },
    links: [{ name: 'rod', body: 'rod' }],
  });
  const complete = compileRobot(rod);
  const programOf = (name: string, ...names: string[]): Program => {
    const { links } = robotModel(rod, chooseFunctions(rod, complete, names));
    return links[0]!.programs.find((program) => program.name === name)!;
  };

  it('sums in functions of the mass matrix what no other needs, and has no arrays for functions that are not wanted', () => {
    const wanted = ['inverse-dynamics', 'mass-matrix'] as const;
    const [few, more] = [programOf('configure', wanted[0]), programOf('configure', ...wanted)];
    expect(executedOperations(few)).toBeLessThan(executedOperations(more));
    expect(programOf('composite', ...wanted).counts.loops).not.toEqual([]);
  });
});

describe('generated C of the examples', () => {
  /** Lines in all, self-test and build files included: what does not shrink must not grow unseen. */
  it.each([
    ['examples/two-link.robot.yaml', 1930],
    ['examples/scenarios/ur10e-motors.robot.yaml', 7730],
  ])('%s has at most %d lines', async (file, most) => {
    const robot = loadRobotFile(file);
    const all = await generateFolder(robot, compileRobot(robot), ['c']);
    const files = all.filter((file) => file.path !== 'interface.json');
    expect(files.reduce((lines, { text }) => lines + text.split('\n').length - 1, 0)).toBeLessThanOrEqual(most);
  });
});
