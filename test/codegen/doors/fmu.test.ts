/** FMUs are valid by the published schemas and headers, and an importer of our own runs them as `simulate` runs the robot. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { load, simulate, type FileOptions } from '../../../src/index.ts';
import { isInstalled, QUICK } from '../../compilers.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'kanegen-fmu-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A motor, a soft segment with a tendon, a spring, a damper, a mass that can change. */
const ARM = `kanegen: 1
name: soft-arm
summary: an "arm" & more
parameters: { load: { value: 0.2 kg, min: 0, max: 2 kg, runtime: true, summary: mass at the hinge } }
links:
  - { name: upper, joint: { revolute: y, stiffness: 0.5 N m/rad, damping: 0.02 N m s/rad },
      rigid: { mass: load, com: [0, 0, 0.1], inertia: { yy: 1e-3 }, distal: { xyz: [0, 0, 0.2] } } }
  - { name: finger, body: planar-cc, parameters: { L: 0.2 m, R: 20 mm, rho: 1062 kg/m^3 } }
actuators:
  turn: { motor: upper.angle, ratio: 20, limits: [-2 N m, 2 N m] }
  pull: { tendon: { through: finger, route: { x: 15 mm, y: 5 mm } } }
`;
/** Driven by a joint that follows the time, stiff enough for an implicit method. */
const SHAKER = `kanegen: 1
name: shaker
parameters: { stroke: 20 mm, share: { value: 1, runtime: true } } # a bare number has no unit
links:
  - { name: slide, joint: { prismatic: x, prescribed: stroke*sin(9*t) }, rigid: { mass: share, distal: { xyz: [0, 0, 0.1] } } }
  - { name: rod, joint: { revolute: y, stiffness: 40 N m/rad, damping: 0.1 N m s/rad },
      rigid: { mass: 0.5, com: [0, 0, 0.2], inertia: { yy: 0.01 }, distal: { xyz: [0, 0, 0.4] } } }
`;
const CRANK = `kanegen: 1
name: crank
gravity: [0, -9.81, 0]
links:
  - { name: crank, joint: { revolute: z }, rigid: { mass: 0.3 kg, com: [50 mm, 0, 0], inertia: { zz: 3e-4 }, distal: { xyz: [0.1, 0, 0] } } }
  - { name: rod, joint: { revolute: z }, rigid: { mass: 0.5 kg, com: [0.15, 0, 0], inertia: { zz: 4e-3 }, distal: { xyz: [0.3, 0, 0] } } }
  - { name: piston, parent: base, joint: { prismatic: x }, rigid: { mass: 0.8 kg } }
loops:
  pin: { point-on-line: { a: rod, b: piston, axis: z } }
`;

interface Fmu {
  readonly version: 2 | 3;
  readonly library: string;
  readonly token: string;
  readonly xml: string;
  /** Value reference by name. */
  readonly of: (name: string) => number;
  readonly states: number;
  /** Value references of coordinates, then of rates. */
  readonly stateVariables: readonly number[];
}

async function fmus(
  text: string,
  compile: { readonly derivatives?: boolean; readonly functions?: readonly string[] },
  fmi: FileOptions['fmi'] = [2, 3],
): Promise<readonly Fmu[]> {
  const name = /name: (\S+)/.exec(text)![1]!;
  writeFileSync(path.join(folder, `${name}.robot.yaml`), text);
  const robot = await load(path.join(folder, `${name}.robot.yaml`));
  const out = path.join(folder, name);
  await (await robot.compile(compile)).write(out, { target: 'fmu', fmi });
  return fmi.map((version) => {
    const place = path.join(out, `unpacked-${version}`);
    for (const [file, bytes] of Object.entries(
      unzipSync(readFileSync(path.join(out, 'fmu', `${name.replace('-', '_')}-fmi${version}.fmu`))),
    )) {
      mkdirSync(path.dirname(path.join(place, file)), { recursive: true });
      writeFileSync(path.join(place, file), bytes);
    }
    const xml = readFileSync(path.join(place, 'modelDescription.xml'), 'utf8');
    const references = new Map(
      [...xml.matchAll(/<(?:ScalarVariable|Float64) name="([^"]*)" valueReference="(\d+)"/g)].map(([, key, value]) => [
        key!,
        Number(value),
      ]),
    );
    const binaries = path.join(place, 'binaries');
    const [platform] = readdirSync(binaries);
    const rates = [...references.keys()].filter((key) => /^der\([^,]*\)$/.test(key));
    return {
      version,
      xml,
      library: path.join(binaries, platform!, readdirSync(path.join(binaries, platform!))[0]!),
      token: /(?:guid|instantiationToken)="([^"]*)"/.exec(xml)![1]!,
      of: (key) => {
        if (!references.has(key)) throw new Error(`no variable ${key}`);
        return references.get(key)!;
      },
      states: 2 * rates.length,
      stateVariables: [...rates.map((rate) => rate.slice(4, -1)), ...rates].map((key) => references.get(key)!),
    };
  });
}

/** What the importer prints for each command: the status, and numbers. */
function imported(commands: readonly string[]): { readonly status: number; readonly values: readonly number[] }[] {
  const output = execFileSync(path.join(folder, 'importer'), {
    input: `${commands.join('\n')}\n`,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  return output
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map(Number))
    .map(([status, ...values]) => ({ status: status!, values }));
}

const opened = (which: number, fmu: Fmu, mode: 'me' | 'cs'): string[] => [
  `open ${which} ${fmu.version} ${fmu.library} ${fmu.token} ${mode}`,
  `size ${which} ${fmu.states}`,
];

/** The state at the end of a run of `simulate`. */
async function simulated(robot: string, rest: string): Promise<number[]> {
  const file = path.join(folder, `${robot}.scenario.yaml`);
  writeFileSync(file, `kanegen-scenario: 1\nrobot: ${robot}.robot.yaml\n${rest}\n`);
  const { q, qd, frames } = (await simulate(file)).samples.at(-1)!;
  return [...q, ...qd, ...frames.flat()];
}

/** Coordinates and rates with which the last run of a robot began. */
async function startOf(robot: string): Promise<number[]> {
  const { q, qd } = (await simulate(path.join(folder, `${robot}.scenario.yaml`))).samples[0]!;
  return [...q, ...qd];
}

function expectClose(found: readonly number[], expected: readonly number[], within = 1e-9): void {
  expect(found.length).toBe(expected.length);
  found.forEach((x, i) =>
    expect(Math.abs(x - expected[i]!)).toBeLessThan(within * Math.max(1, Math.abs(expected[i]!))),
  );
}

describe.skipIf(process.platform !== 'linux' || !isInstalled('gcc'))('FMUs (needs gcc on Linux)', () => {
  let arms: readonly Fmu[] = [];
  beforeAll(async () => {
    vi.stubEnv('KANEGEN_CC', process.env['KANEGEN_CC'] ?? QUICK.compiler ?? 'gcc');
    const source = path.resolve('test/codegen/doors/fmu-importer.c');
    execFileSync('gcc', [
      '-std=c11',
      '-D_GNU_SOURCE',
      '-Wall',
      '-Wextra',
      '-Werror',
      source,
      '-o',
      path.join(folder, 'importer'),
      '-ldl',
    ]);
    arms = await fmus(ARM, { derivatives: true });
  }, 120_000);
  afterAll(() => void vi.unstubAllEnvs());

  it.skipIf(!isInstalled('xmllint'))('are valid by the published schemas (needs xmllint)', () => {
    const validate = (schema: string, file: string): string =>
      execFileSync('xmllint', ['--noout', '--schema', `test/reference/fmi/${schema}.xsd`, file], {
        encoding: 'utf8',
        stdio: 'pipe',
      });
    const place = (version: number, file: string): string => path.join(folder, `soft-arm/unpacked-${version}`, file);
    validate('2.0/fmi2ModelDescription', place(2, 'modelDescription.xml'));
    validate('3.0/fmi3ModelDescription', place(3, 'modelDescription.xml'));
    validate('3.0/fmi3BuildDescription', place(3, 'sources/buildDescription.xml'));
    const broken = place(3, 'broken.xml');
    writeFileSync(broken, arms[1]!.xml.replace('causality="input"', 'causality="inside"'));
    expect(() => validate('3.0/fmi3ModelDescription', broken)).toThrow();
  });

  it('declare what the published headers declare, and export every function of theirs', () => {
    for (const [version, release] of [
      [2, '2.0'],
      [3, '3.0'],
    ] as const) {
      const sources = path.join(folder, `soft-arm/unpacked-${version}/sources`);
      const headers = path.resolve('test/reference/fmi', release);
      const text = readFileSync(path.join(sources, `fmi${version}.c`), 'utf8').replace(
        `"fmi${version}.h"`,
        `"fmi${version}Functions.h"`,
      );
      writeFileSync(path.join(sources, 'checked.c'), text);
      const flags = [
        '-std=c11',
        '-Wall',
        '-Wextra',
        '-Wconversion',
        '-Wshadow',
        '-Werror',
        '-fsyntax-only',
        `-I${headers}`,
      ];
      execFileSync('gcc', [...flags, `-DFMI${version}_OVERRIDE_FUNCTION_PREFIX`, 'checked.c'], {
        cwd: sources,
        stdio: 'pipe',
      });
      const declared = readFileSync(path.join(headers, `fmi${version}FunctionTypes.h`), 'utf8').matchAll(
        /\b(fmi\d[A-Z]\w*)TYPE\b/g,
      );
      const renamed = readFileSync(path.join(sources, `fmi${version}.h`), 'utf8').matchAll(
        /^#define (fmi\d\w+) soft_arm_\1$/gm,
      );
      expect([...renamed].map(([, name]) => name).sort()).toEqual([...declared].map(([, name]) => name).sort());
    }
  });

  it('run as simulate runs, both versions in both modes, from states that were saved as bytes', async () => {
    const expected = await simulated(
      'soft-arm',
      `initial: { coordinates: { upper.angle: 0.4 }, rates: { upper.angle: -0.5 rad/s } }
inputs: { turn: 0.03 N m, pull: 1.5 N }
forces: { upper.angle: 0.1 }
duration: 0.3 s
integrator: { tolerance: 1e-12 }
outputs: { frames: [finger] }`,
    );
    const commands = arms.map((fmu) => {
      const set = (which: number, name: string, value: number): string => `set ${which} ${fmu.of(name)} ${value}`;
      const begin = (which: number, mode: 'me' | 'cs'): string[] => [
        ...opened(which, fmu, mode),
        set(which, 'q.upper.angle', 0.4),
        set(which, 'der(q.upper.angle)', -0.5),
        set(which, 'u.turn', 0.03),
        set(which, 'u.pull', 1.5),
        set(which, 'tau.upper.angle', 0.1),
        set(which, 'solver.step', 1e-4),
        `start ${which} 0`,
      ];
      const outputs = (which: number): string[] => [
        ...fmu.stateVariables.map((variable) => `get ${which} ${variable}`),
        ...['x', 'y', 'z'].map((axis) => `get ${which} ${fmu.of(`frames.finger.${axis}`)}`),
      ];
      return [
        ...begin(0, 'me'),
        ...begin(1, 'cs'),
        ...begin(2, 'cs'),
        'run 1 0.1 3',
        'save 1',
        'run 1 0.2 2',
        'run 0 0.3 3000',
        'restore 2 1',
        'run 2 0.3 7',
        ...outputs(0),
        ...outputs(2),
        ...[0, 1, 2].map((which) => `close ${which}`),
      ];
    });
    for (const lines of commands) {
      const found = imported(lines);
      expect(found.every(({ status }) => status === 0)).toBe(true);
      const numbers = found.flatMap(({ values }) => values);
      expectClose(numbers.slice(0, numbers.length / 2), expected);
      expectClose(numbers.slice(numbers.length / 2), expected);
    }
  });

  /** How many derivatives of variables by others are not zero; each is its difference quotient. @param fixed what nothing is derived by. */
  function expectDerivatives(
    fmu: Fmu,
    unknowns: readonly string[],
    knowns: Readonly<Record<string, number>>,
    fixed: Readonly<Record<string, number>> = {},
  ): number {
    const h = 1e-5;
    const names = Object.keys(knowns);
    const state = (shifted: string, by: number): string[] => [
      'reset 0',
      ...Object.entries({ ...fixed, ...knowns }).map(
        ([name, x]) => `set 0 ${fmu.of(name)} ${x + (name === shifted ? by : 0)}`,
      ),
    ];
    const asked = unknowns.map((name) => `get 0 ${fmu.of(name)}`);
    const shifts = names.flatMap((name) => [...state(name, h), ...asked, ...state(name, -h), ...asked]);
    const along = unknowns.flatMap((unknown) => names.map((known) => `along 0 ${fmu.of(unknown)} ${fmu.of(known)}`));
    const found = imported([...opened(0, fmu, 'me'), ...state('', 0), 'start 0 0', ...along, ...shifts]);
    expect(found.every(({ status }) => status === 0)).toBe(true);
    const numbers = found.flatMap(({ values }) => values);
    const [exact, values] = [numbers.slice(0, along.length), numbers.slice(along.length)];
    const size = unknowns.length;
    unknowns.forEach((_, u) =>
      names.forEach((__, k) => {
        const quotient = (values[2 * size * k + u]! - values[2 * size * k + size + u]!) / (2 * h);
        expectClose([exact[u * names.length + k]!], [quotient], 1e-6);
      }),
    );
    return exact.filter((x) => x !== 0).length;
  }

  it('have the derivatives of their accelerations and positions along states and inputs', () => {
    for (const fmu of arms) {
      const found = expectDerivatives(
        fmu,
        ['der(q.upper.angle,2)', 'der(q.finger.q,2)', 'frames.finger.x', 'der(q.upper.angle)'],
        { 'q.upper.angle': 0.3, 'q.finger.q': 0.5, 'der(q.upper.angle)': 0.7, 'u.pull': 2, 'tau.upper.angle': 0.1 },
      );
      expect(found).toBeGreaterThan(10);
      expect(fmu.xml).toMatch(/providesDirectionalDerivatives?="true"/);
    }
  });

  it('have them where loops are closed, with the feedback that holds these', async () => {
    const closed = CRANK.replace('name: crank\n', 'name: closed\n').concat(
      'actuators: { motor: { along: sin(crank.angle), unit: "1" } }\n',
    );
    const models = await fmus(closed, { derivatives: true });
    const initial = '{ coordinates: { crank.angle: 0.8, rod.angle: -1.1 }, rates: { crank.angle: 3 rad/s } }';
    await simulated('closed', `initial: ${initial}\nduration: 1 ms`);
    const [q, rates] = [await startOf('closed')].flatMap((all) => [all.slice(0, 3), all.slice(3)]);
    const names = ['crank.angle', 'rod.angle', 'piston.displacement'];
    for (const fmu of models) {
      const found = expectDerivatives(
        fmu,
        [...names.map((name) => `der(q.${name},2)`), 'frames.rod.y'],
        {
          ...Object.fromEntries(names.map((name, i) => [`q.${name}`, q![i]!])),
          ...Object.fromEntries(names.map((name, i) => [`der(q.${name})`, rates![i]!])),
          'u.motor': 0.4,
          'tau.piston.displacement': 2,
        },
        { 'solver.feedback': 30 },
      );
      expect(found).toBe(3 * 8 + 2);
      expect(fmu.xml).toMatch(/providesDirectionalDerivatives?="true"/);
    }
  });

  it('refuse what they cannot do, and stay what they were', () => {
    for (const fmu of arms) {
      const load = fmu.of('parameters.load');
      const found = imported([
        `open 0 ${fmu.version} ${fmu.library} {0} me`,
        ...opened(0, fmu, 'cs'),
        `set 0 ${load} -1`,
        `set 0 ${load} nan`,
        `get 0 ${load}`,
        `set 0 ${load} 0.7`,
        `get 0 ${load}`,
        'get 0 999',
        `set 0 ${fmu.of('frames.finger.x')} 1`,
        'run 0 1 1',
        'start 0 0',
        `set 0 ${fmu.of('q.finger.q')} 1`,
        `set 0 ${fmu.of('u.pull')} 1e300`,
        'run 0 1 1',
        'get 0 0',
      ]).map(({ status, values }) => [status, ...values]);
      const [discard, error] = [[2], [3]];
      const refused = [[1], [0], [0]];
      expect(found).toEqual([
        ...refused,
        ...[error, error, [0, 0.2], [0], [0, 0.7], [3, 0], error, error, [0], error, [0], discard, [0, 0]],
      ]);
    }
  });

  it('of different robots live in one process: joints that follow the time, loops, the Rosenbrock method', async () => {
    const [shaker] = await fmus(SHAKER, { functions: ['default', 'rosenbrock'] }, [3]);
    const [crank] = await fmus(CRANK, {}, [2]);
    const duration = 'duration: 0.2 s\nintegrator: { tolerance: 1e-12 }';
    const expected = [
      await simulated('shaker', `initial: { coordinates: { rod.angle: 0.3 } }\n${duration}`),
      await simulated(
        'crank',
        `initial: { coordinates: { crank.angle: 0.8, rod.angle: -1.1 }, rates: { crank.angle: 3 rad/s } }\n${duration}`,
      ),
    ];
    const begin = (which: number, fmu: Fmu, mode: 'me' | 'cs'): string[] =>
      fmu === shaker
        ? [...opened(which, fmu, mode), `set ${which} ${fmu.of('q.rod.angle')} 0.3`]
        : [
            ...opened(which, fmu, mode),
            ...startOfCrank.map((value, i) => `set ${which} ${i + 1} ${value}`),
            `set ${which} ${fmu.of('solver.step')} 1e-4`,
          ];
    const startOfCrank = await startOf('crank');
    const found = imported([
      ...[shaker!, crank!].flatMap((fmu, i) => [...begin(2 * i, fmu, 'me'), ...begin(2 * i + 1, fmu, 'cs')]),
      ...[0, 1].map((which) => `set ${which} ${shaker!.of('solver.tolerance')} 1e-11`),
      ...[0, 1, 2, 3].map((which) => `start ${which} 0`),
      ...['run 0 0.2 2000', 'run 1 0.2 3', 'run 2 0.2 2000', 'run 3 0.2 3'],
      ...[0, 1, 2, 3].flatMap((which) =>
        (which < 2 ? shaker! : crank!).stateVariables.map((own) => `get ${which} ${own}`),
      ),
    ]);
    expect(found.every(({ status }) => status === 0)).toBe(true);
    const numbers = found.flatMap(({ values }) => values);
    expect(shaker!.xml).toMatch(
      /<Float64 name="parameters.share" [^>]*variability="tunable" initial="exact" start="1"\/>/,
    );
    // Frames follow the time here, which is the variable 0, and coordinates.
    const place = shaker!.of('frames.rod.x');
    expect(shaker!.xml).toContain(`<Output valueReference="${place}" dependencies="0 ${shaker!.of('q.rod.angle')}"/>`);
    expect(crank!.xml).toContain(`index="${crank!.of('frames.rod.x') + 1}" dependencies="2 3 4"/>`);
    expectClose(numbers.slice(0, 2), expected[0]!.slice(0, 2));
    expectClose(numbers.slice(2, 4), expected[0]!.slice(0, 2), 1e-8);
    expectClose(numbers.slice(4, 10), expected[1]!.slice(0, 6));
    expectClose(numbers.slice(10), expected[1]!.slice(0, 6));
  });

  it('are the same bytes again, and without a compiler hold sources and say so', async () => {
    const robot = await load(path.join(folder, 'shaker.robot.yaml'));
    const code = await robot.compile({ functions: ['default', 'rosenbrock'] });
    const [first, again] = [await code.files({ target: 'fmu' }), await code.files({ target: 'fmu' })];
    expect(again).toEqual(first);
    const notes: string[] = [];
    vi.stubEnv('KANEGEN_CC', 'no-such-compiler');
    const files = await code.files({ target: 'fmu', fmi: [3], note: (text) => notes.push(text) });
    vi.stubEnv('KANEGEN_CC', QUICK.compiler ?? 'gcc');
    expect(notes).toEqual([
      expect.stringMatching(/^the FMUs hold sources only: no C compiler `no-such-compiler` is found; install one/),
    ]);
    const names = Object.keys(
      unzipSync(Buffer.from(files.find((file) => file.path === 'fmu/shaker-fmi3.fmu')!.text, 'base64')),
    );
    expect(names.filter((name) => name.startsWith('binaries/'))).toEqual([]);
    expect(names).toContain('sources/shaker_rosenbrock.c');
    const bare = await robot.compile({ functions: ['inverse-dynamics'] });
    await expect(bare.files({ target: 'fmu' })).rejects.toThrow(/calls forward-dynamics, frame, which are not chosen/);
    const roped = CRANK.replace('crank', 'roped').replace(
      /pin: .*/,
      'rope: { distance: { a: base, b: rod, length: 0.3, unilateral: true } }',
    );
    writeFileSync(path.join(folder, 'roped.robot.yaml'), roped);
    const rope = await (await load(path.join(folder, 'roped.robot.yaml'))).compile();
    await expect(rope.files({ target: 'fmu' })).rejects.toThrow(
      /the rope `rope` becomes taut at an impact, which ends a step/,
    );
    await expect(code.files({ target: 'fmu', fmi: [1] as never })).rejects.toThrow(
      /versions of FMI are 2 and 3, not 1/,
    );
  });
});
