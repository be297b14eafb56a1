import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { reportFailure } from '../../src/cli/terminal/failure.ts';
import { CompilerError } from '../../src/codegen/c/build-c.ts';
import { builtCommand } from '../built-command.ts';
import { runInProcess, type Outcome } from './in-process.ts';

let cli = '';
let directory = '';

const kanegen = (...words: readonly string[]): Promise<Outcome> => runInProcess(directory, words);

const write = (name: string, text: string): string => {
  writeFileSync(path.join(directory, name), text);
  return name;
};

beforeAll(async () => {
  cli = await builtCommand();
  directory = mkdtempSync(path.join(tmpdir(), 'kanegen-cli-'));
  for (const name of ['planar-cc', 'two-link'])
    cpSync(`examples/${name}.robot.yaml`, path.join(directory, `${name}.robot.yaml`));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const hasCompiler = ((): boolean => {
  try {
    execFileSync('cc', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

describe('kanegen compile', () => {
  it('writes a folder per target and says what it did', async () => {
    const { code, out } = await kanegen('compile', 'planar-cc.robot.yaml', '--json');
    expect(code).toBe(0);
    const summary = JSON.parse(out) as { files: string[]; out: string; coordinates: number };
    expect(summary.coordinates).toBe(3);
    for (const file of summary.files) expect(existsSync(path.join(directory, summary.out, file))).toBe(true);
    expect(readdirSync(path.join(directory, summary.out))).toEqual(expect.arrayContaining(['c', 'typescript']));
  });

  it('writes one target alone where asked', async () => {
    expect((await kanegen('compile', 'two-link.robot.yaml', '--target', 'c', '--out', 'only-c')).code).toBe(0);
    expect(readdirSync(path.join(directory, 'only-c')).sort()).toEqual(['.kanegen', 'c', 'interface.json']);
  });

  it('writes nothing for a robot with mistakes, and leaves what is there', async () => {
    await kanegen('compile', 'planar-cc.robot.yaml', '--out', 'kept');
    const before = readFileSync(path.join(directory, 'kept/c/planar_cc.h'), 'utf8');
    const broken = readFileSync(path.join(directory, 'planar-cc.robot.yaml'), 'utf8').replace(
      'cos(theta))/q',
      'cos(thta))/q',
    );
    const { code, err, out } = await kanegen('compile', write('broken.robot.yaml', broken), '--out', 'kept');
    expect(code).toBe(1);
    expect(out).toBe('');
    expect(err).toMatch(/^broken\.robot\.yaml:\d+:\d+: .*thta/m);
    expect(err).toContain('theta');
    expect(err).not.toMatch(/\n\s+at /);
    expect(readFileSync(path.join(directory, 'kept/c/planar_cc.h'), 'utf8')).toBe(before);
    expect(readdirSync(directory).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it.each<[string, string, string, RegExp]>([
    [
      'a pole that does not cancel',
      '- L*(1 - cos(theta))/q',
      '- L*(2 - cos(theta))/q',
      /:17:9: position\[0\] is not finite at the default values/,
    ],
    [
      'a kinematics that is not smooth',
      'theta: q*s/L ',
      'theta: sqrt(q^2 + q^4)*s/L ',
      /:14:\d+: the first derivative of let\.theta is not finite at the default values/,
    ],
    [
      'a formula that is 0/0 beside what is not analytic',
      'theta: q*s/L ',
      'theta: (q + q*abs(q))*s/L ',
      /:17:9: the second derivative of position\[0\] is not finite at the default values/,
    ],
    [
      'contact points on one line',
      'y-axis: { s: L, y: R }',
      'y-axis: { s: L, x: 2*R }',
      /:\d+:\d+: the distal frame cannot be built/,
    ],
  ])('locates %s in the file', async (_, from, to, message) => {
    const text = readFileSync(path.join(directory, 'planar-cc.robot.yaml'), 'utf8');
    expect(text).toContain(from);
    const { code, err } = await kanegen('compile', write('mistake.robot.yaml', text.replace(from, to)));
    expect(err).toMatch(message);
    expect(err).toContain('→');
    // The states of a body with a mistake are no mistakes of their own.
    expect(err).not.toContain('unknown coordinate');
    expect(code).toBe(1);
  });
});

describe('kanegen compile --straight', () => {
  const leftovers = (name: string): string[] => readdirSync(directory).filter((entry) => entry.includes(name));

  it('writes WebAssembly for many states at once, beside the TypeScript it needs', async () => {
    const options = ['--functions', 'inverse-dynamics', '--target', 'wasm', '--out', 'many', '--json'];
    const { code, out } = await kanegen('compile', 'planar-cc.robot.yaml', '--straight', ...options);
    expect(code).toBe(0);
    const { files } = JSON.parse(out) as { files: string[] };
    expect(files.some((file) => file.startsWith('c/'))).toBe(false);
    const module = files.find((file) => file.endsWith('_straight_batch.ts'))!;
    expect(readFileSync(path.join(directory, 'many', module), 'utf8')).toContain(
      'inverseDynamics(count?: number): Status;',
    );
  });

  it('adds straight-line functions in both languages, to the build too, and says what they cost', async () => {
    const { code, out } = await kanegen('compile', 'two-link.robot.yaml', '--straight', '--json', '--out', 'lines');
    expect(code).toBe(0);
    const { files, straight } = JSON.parse(out) as { files: string[]; straight: string[] };
    expect(straight).toContain('inverseDynamics');
    expect(files).toEqual(
      expect.arrayContaining(['c/two_link_straight.h', 'typescript/two_link_straight.ts', 'straight.json']),
    );
    const text = (name: string): string => readFileSync(path.join(directory, 'lines', name), 'utf8');
    expect(text('c/CMakeLists.txt')).toContain('two_link_straight.c');
    const manifest = JSON.parse(text('straight.json')) as { functions: { name: string; c: string }[] };
    expect(manifest.functions.map((f) => f.name)).toEqual(straight);
    for (const f of manifest.functions) expect(text('c/two_link_straight.h')).toContain(`kg_status ${f.c}(`);
  });

  it('says that actuators are in the driver only, here and in the header', async () => {
    const text = readFileSync(path.join(directory, 'two-link.robot.yaml'), 'utf8');
    writeFileSync(path.join(directory, 'driven.robot.yaml'), `${text}\nactuators: { pull: { motor: elbow.angle } }\n`);
    const options = ['--functions', 'gravity', '--target', 'c', '--out', 'driven'];
    const { code, err } = await kanegen('compile', 'driven.robot.yaml', '--straight', ...options);
    expect(code).toBe(0);
    expect(err).toContain('note: What actuators do (pull) is in the driver only');
    const header = readdirSync(path.join(directory, 'driven/c')).find((file) => file.endsWith('_straight.h'))!;
    expect(readFileSync(path.join(directory, 'driven/c', header), 'utf8')).toContain('What actuators do (pull)');
  });

  it('writes the functions that are asked for, with parameters kept for run time', async () => {
    const options = ['--functions', 'gravity', '--keep', 'l1,gravity', '--target', 'c', '--out', 'few'];
    expect(await kanegen('compile', 'two-link.robot.yaml', '--straight', ...options)).toMatchObject({ code: 0 });
    const source = readFileSync(path.join(directory, 'few/c/two_link_straight.c'), 'utf8');
    expect(source.match(/^kg_status \w+/gm)).toEqual(['kg_status two_link_straight_gravity']);
    for (const read of ['p->l1', 'p->load', 'p->gravity[1]']) expect(source).toContain(read);
    expect(readFileSync(path.join(directory, 'few/c/two_link.h'), 'utf8')).toMatch(/kg_real l1;/);
  });

  it('stops at a robot too large for its budget, says what was reached and what to do, and writes nothing', async () => {
    const outcome = await kanegen(
      ...['compile', 'planar-cc.robot.yaml', '--straight', '--max-operations', '300', '--out', 'large'],
    );
    expect(outcome.code).toBe(1);
    expect(outcome.err).toMatch(/straight-line form of planar-cc-arm|straight-line form of planar-cc/);
    expect(outcome.err).toMatch(/limit of 300 operations.*\d+ operations were reached, with no function optimised/);
    expect(outcome.err).toContain('remove --straight');
    expect(leftovers('large')).toEqual([]);
    const late = await kanegen('compile', 'planar-cc.robot.yaml', '--straight', '--max-seconds', '1e-9');
    expect(late).toMatchObject({ code: 1, err: expect.stringContaining('--max-seconds') as string });
  });

  it('refuses options that make no sense', async () => {
    const compile = (...rest: string[]) => kanegen('compile', 'two-link.robot.yaml', ...rest);
    expect(await compile('--straight', '--functions', 'jerk')).toMatchObject({
      code: 2,
      err: expect.stringContaining('inverse-dynamics') as string,
    });
    expect((await compile('--functions', 'mass-matrx')).err).toContain('"mass-matrx"; did you mean mass-matrix?');
    expect(await compile('--target', 'wasm')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--straight') as string,
    });
    expect(await compile('--straight', '--max-operations', 'many')).toMatchObject({ code: 2 });
    expect(await compile('--straight', '--keep', 'L1')).toMatchObject({
      code: 1,
      err: expect.stringContaining('did you mean `l1`') as string,
    });
  });

  it('leaves nothing behind when it is interrupted', async () => {
    const child = spawn(process.execPath, [cli, 'compile', 'planar-cc.robot.yaml', '--straight', '--out', 'stopped'], {
      cwd: directory,
    });
    const ended = new Promise<readonly [number | null, NodeJS.Signals | null]>((resolve) =>
      child.once('exit', (code, signal) => resolve([code, signal])),
    );
    await new Promise((resolve) => setTimeout(resolve, 300));
    child.kill('SIGINT');
    // A shell reports both as 130.
    expect([
      [130, null],
      [null, 'SIGINT'],
    ]).toContainEqual(await ended);
    expect(leftovers('stopped')).toEqual([]);
  });
});

describe('kanegen evaluate', () => {
  const states = {
    states: [
      { q: [0, 0.4, -0.3], qd: [1, 2, 3], qdd: [0.1, 0.2, 0.3] },
      { q: [0, 0, 0], qd: [0, 0, 0], qdd: [0, 0, 0] },
    ],
  };

  it.each(hasCompiler ? ['ts', 'c'] : ['ts'])(
    'gives the same terms with straight-line functions (%s)',
    async (target) => {
      write('s.json', JSON.stringify(states));
      const run = async (...rest: readonly string[]) => {
        const options = ['--states', 's.json', '--target', target, ...rest];
        const { code, out } = await kanegen('evaluate', 'planar-cc.robot.yaml', ...options);
        expect(code).toBe(0);
        return (JSON.parse(out) as { states: { tau: number[]; c: number[]; g: number[]; M: number[][] }[] }).states;
      };
      const [driver, straight] = [await run(), await run('--straight')];
      straight.forEach((state, s) => {
        expect(Object.keys(state)).toEqual(Object.keys(driver[s]!));
        for (const name of ['tau', 'c', 'g'] as const)
          state[name].forEach((value, i) => expect(value).toBeCloseTo(driver[s]![name][i]!, 12));
        state.M.flat().forEach((value, i) => expect(value).toBeCloseTo(driver[s]!.M.flat()[i]!, 13));
      });
    },
  );

  it.each(hasCompiler ? ['ts', 'c'] : ['ts'])('keeps the contract of its output (%s)', async (target) => {
    write('s.json', JSON.stringify(states));
    const { code, out } = await kanegen('evaluate', 'planar-cc.robot.yaml', '--states', 's.json', '--target', target);
    expect(code).toBe(0);
    const result = JSON.parse(out) as { states: Record<string, number | number[] | number[][]>[] };
    expect(result.states).toHaveLength(2);
    const keys = [
      'M',
      'c',
      'g',
      'tau',
      'elastic',
      'damping',
      'tau_active',
      'stiffness',
      'dissipation',
      'elastic_energy',
      'kinetic_energy',
      'potential_energy',
      'tip_position',
      'tip_rotation',
    ];
    expect(Object.keys(result.states[0]!).sort()).toEqual([...keys].sort());
    const [first, straight] = result.states as unknown as [Record<string, number[]>, Record<string, number[]>];
    const M = first['M'] as unknown as number[][];
    M.forEach((row, a) =>
      expect(
        row.reduce((sum, m, b) => sum + m * states.states[0]!.qdd[b]!, first['c']![a]! + first['g']![a]!),
      ).toBeCloseTo(first['tau']![a]!, 14),
    );
    expect(first['elastic']).toEqual([0, 0, 0]);
    straight['tip_position']!.forEach((value, i) => expect(value).toBeCloseTo([0, 0, 0.6][i]!, 15));
    expect(out).toMatch(/\d\.\d{16}e[+-]\d+/);
  });

  it.each(hasCompiler ? [['ts'], ['c'], ['ts', '--straight'], ['c', '--straight']] : [['ts'], ['ts', '--straight']])(
    'has loads on frames in tau (%s %s)',
    async (...how) => {
      const [state] = states.states;
      write('s.json', JSON.stringify({ states: [{ q: state!.q, qd: state!.qd, tau: [0.1, -0.2, 0.3] }] }));
      const run = async (...loads: string[]): Promise<Record<string, number[]>> => {
        const given = ['--states', 's.json', '--target', ...how, ...loads];
        const { code, out } = await kanegen('evaluate', 'planar-cc.robot.yaml', ...given);
        expect(code).toBe(0);
        return (JSON.parse(out) as { states: [Record<string, number[]>] }).states[0];
      };
      const free = await run();
      const frame = 'seg3';
      const pulled = await run(
        '--load',
        `${frame}=0,0,-2`,
        '--load',
        `${frame}=1,0,0`,
        '--follower',
        `${frame}=0.5,0,0`,
      );
      expect(free['load']).toBeUndefined();
      const R = free['tip_rotation'] as unknown as number[][];
      const force = R.map((row, i) => 0.5 * row[0]! + [1, 0, -2][i]!);
      // Work along a small motion of each coordinate.
      const moved = [0, 1, 2].flatMap((a) =>
        [1e-4, -1e-4].map((by) => ({ ...state, q: state!.q.map((x, b) => (a === b ? x + by : x)) })),
      );
      write('moved.json', JSON.stringify({ states: moved }));
      const { out: there } = await kanegen('evaluate', 'planar-cc.robot.yaml', '--states', 'moved.json');
      const tips = (JSON.parse(there) as { states: { tip_position: number[] }[] }).states;
      for (const a of [0, 1, 2]) {
        const [ahead, back] = tips.slice(2 * a).map(({ tip_position: own }) => own) as [number[], number[]];
        const work = force.reduce((sum, f, i) => sum + (f * (ahead[i]! - back[i]!)) / 2e-4, 0);
        expect(pulled['load']![a]).toBeCloseTo(work, 7);
        for (const name of ['tau', 'tau_active'])
          expect(pulled[name]![a]).toBeCloseTo(free[name]![a]! - pulled['load']![a]!, 13);
      }
      const M = free['M'] as unknown as number[][];
      const change = pulled['qdd']!.map((x, a) => x - free['qdd']![a]!);
      M.forEach((row, a) =>
        expect(row.reduce((sum, m, b) => sum + m * change[b]!, 0)).toBeCloseTo(pulled['load']![a]!, 10),
      );
    },
  );

  it('refuses loads on frames that there are not', async () => {
    const { code, err } = await kanegen('evaluate', 'planar-cc.robot.yaml', '--load', 'nowhere=1,0,0');
    expect({ code, err }).toMatchObject({ code: 2, err: /--load: unknown frame "nowhere"/ });
  });

  it('writes to a file, and overrides parameters', async () => {
    write('t.json', JSON.stringify({ states: [{ q: [0, 0], qd: [0, 0], qdd: [0, 0] }] }));
    const weight = async (...set: string[]): Promise<number> => {
      const run = await kanegen('evaluate', 'two-link.robot.yaml', '--states', 't.json', '--out', 'r.json', ...set);
      expect(run).toEqual({ code: 0, out: '', err: run.err });
      return (JSON.parse(readFileSync(path.join(directory, 'r.json'), 'utf8')) as { states: { g: number[] }[] })
        .states[0]!.g[1]!;
    };
    const light = await weight();
    expect(await weight('--set', 'load=2 kg')).toBeCloseTo(light + 2 * 0.8 * 9.81, 12);
  });

  it('takes the defaults of the robot without states, and the states that it names', async () => {
    const { code, out } = await kanegen('evaluate', 'two-link.robot.yaml');
    expect(code).toBe(0);
    const { states } = JSON.parse(out) as { states: { name: string; tau: number[]; g: number[] }[] };
    expect(states[0]!.name).toBe('default');
    for (const state of states) expect(state.tau).toEqual(state.g);
  });

  it('refuses wrong states, wrong parameters and wrong options, each with its exit code', async () => {
    write('bad.json', JSON.stringify({ states: [states.states[0], { q: [1], qd: [1, 1, 1], qdd: [1, 1, 1] }] }));
    write('s.json', JSON.stringify(states));
    const run = (...rest: string[]) => kanegen('evaluate', 'planar-cc.robot.yaml', ...rest);
    expect(await run('--states', 'bad.json')).toMatchObject({
      code: 1,
      err: expect.stringContaining('state 1, q: 1 numbers') as string,
    });
    expect(await run('--states', 'none.json')).toMatchObject({
      code: 1,
      err: expect.stringContaining('no such file') as string,
    });
    expect(await run('--states', 's.json', '--precision', 'single')).toMatchObject({ code: 2 });
    expect(await run('--states', 's.json', '--target', 'rust')).toMatchObject({ code: 2 });
    expect(await run('--states', 's.json', '--set', 'nothing')).toMatchObject({ code: 2 });
    expect(await run('--states', 's.json', '--set', 'no-such-parameter=1')).toMatchObject({ code: 1 });
  });
});

describe('kanegen verify', () => {
  it('passes on a sound robot and prints a check a line', async () => {
    const { code, out } = await kanegen('verify', 'two-link.robot.yaml', '--states', '1');
    expect(out).toMatch(/checks passed\.\n$/);
    expect(code).toBe(0);
  });
});

describe('kanegen explain', () => {
  it('prints coordinates by index, name, unit and limits', async () => {
    const { out } = await kanegen('explain', 'planar-cc.robot.yaml', '--coordinates');
    expect(out).toMatch(/0 {2}seg1\.q {2}rad/);
    expect(out.split('\n').filter((line) => /^ +\d/.test(line))).toHaveLength(3);
  });

  it('prints kinematics, integrals, terms and operation counts', async () => {
    const { out, code } = await kanegen('explain', 'planar-cc.robot.yaml');
    expect(code).toBe(0);
    expect(out).toContain('∫ U2 · U2 dm: Stumpff calculus');
    expect(out).toMatch(/shape integrals \d+, contraction \d+ operations/);
    expect(out).toContain('∫ r × ṙ dm');
    const data = JSON.parse((await kanegen('explain', 'planar-cc.robot.yaml', '--json')).out) as {
      bodies: { terms: unknown[] }[];
    };
    expect(data.bodies[0]!.terms.length).toBeGreaterThan(10);
  });
});

describe('kanegen explain --states', () => {
  it('gives the terms of the papers as numbers, exact at straight', async () => {
    write('z.json', JSON.stringify({ states: [{ q: [0, 0, 0], qd: [1, 0, 0], qdd: [0, 0, 0] }] }));
    const { out, code } = await kanegen('explain', 'planar-cc.robot.yaml', '--states', 'z.json');
    expect(code).toBe(0);
    const { states } = JSON.parse(out) as { states: { link: string; terms: Record<string, number[]> }[][] };
    expect(states[0]!.map((entry) => entry.link)).toEqual(['seg1', 'seg2', 'seg3']);
    const { terms } = states[0]![0]!;
    const [mass, length, radius] = [1062 * Math.PI * 0.02 ** 2 * 0.2, 0.2, 0.02];
    expect(terms['mass']![0]).toBeCloseTo(mass, 14);
    // A straight cylinder: centre half way down, seen from its distal end; inertia of a solid cylinder.
    terms['centre_of_mass']!.forEach((value, i) => expect(value).toBeCloseTo([0, 0, -length / 2][i]!, 14));
    expect(terms['inertia_about_centre']![1]).toBeCloseTo(mass * (length ** 2 / 12 + radius ** 2 / 4), 14);
    expect(terms['inertia_about_centre']![2]).toBeCloseTo((mass * radius ** 2) / 2, 14);
  });
});

describe('kanegen init', () => {
  it('writes a file that compiles and verifies, and never overwrites', async () => {
    expect((await kanegen('init', 'first')).code).toBe(0);
    expect((await kanegen('verify', 'first.robot.yaml', '--states', '1', '--no-c')).code).toBe(0);
    expect(await kanegen('init', 'first')).toMatchObject({ code: 1, err: expect.stringContaining('exists') as string });
    expect(await kanegen('init', '../x')).toMatchObject({ code: 2 });
  });

  it('names the schema of the nearest installed package, and npx', async () => {
    const { out } = await kanegen('init', 'second');
    expect(out).toMatch(/npx kanegen verify second\.robot\.yaml, then npx kanegen compile second\.robot\.yaml/);
    const heading = (file: string): string => readFileSync(path.join(directory, file), 'utf8').split('\n')[0]!;
    expect(heading('second.robot.yaml')).toBe(
      '# yaml-language-server: $schema=./node_modules/kanegen/dist/robot.schema.json',
    );
    const installed = path.join(directory, 'node_modules/kanegen/dist');
    mkdirSync(installed, { recursive: true });
    mkdirSync(path.join(directory, 'arms/left'), { recursive: true });
    cpSync('dist/robot.schema.json', path.join(installed, 'robot.schema.json'));
    const urdf = write('one.urdf', '<robot name="one"><link name="a"/></robot>');
    expect(await kanegen('import', urdf, '--out', 'arms/left/one.robot.yaml')).toMatchObject({ code: 0 });
    const named = heading('arms/left/one.robot.yaml').split('$schema=')[1]!;
    expect(existsSync(path.join(directory, 'arms/left', named))).toBe(true);
    rmSync(path.join(directory, 'node_modules'), { recursive: true });
  });
});

describe('kanegen import', () => {
  it('writes a robot file that compiles, says what it changed, and never overwrites', async () => {
    cpSync('examples/iiwa.urdf', path.join(directory, 'iiwa.urdf'));
    const { code, out, err } = await kanegen('import', 'iiwa.urdf', '--free');
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringMatching(/^Wrote (\S+)\.robot\.yaml/) as string });
    expect(err).toMatch(/^iiwa\.urdf:\d+:\d+: note: angles within 1e-9 of a multiple of pi\/2/);
    const file = /^Wrote (\S+)\./.exec(out)![1]!;
    const coordinates = await kanegen('explain', file, '--coordinates');
    expect(coordinates).toMatchObject({ code: 0, err: '' });
    expect(coordinates.out).toMatch(/\.d1 .*\n.*\.d2 [^]*iiwa_joint_7/);
    expect(await kanegen('import', 'iiwa.urdf')).toMatchObject({
      code: 1,
      err: expect.stringContaining(`${file} exists`) as string,
    });
    expect(await kanegen('import', 'planar-cc.robot.yaml')).toMatchObject({ code: 1 });
  });

  it('warns of what changes the mechanism', async () => {
    const link = (name: string): string =>
      `<link name="${name}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>`;
    const joint = (name: string, child: string, more: string): string =>
      `<joint name="${name}" type="continuous"><parent link="palm"/><child link="${child}"/>${more}</joint>`;
    const text = `<robot name="grip">\n${link('palm')}${link('a')}${link('b')}\n${joint('left', 'a', '')}\n${joint('right', 'b', '<mimic joint="left"/>')}\n</robot>\n`;
    writeFileSync(path.join(directory, 'grip.urdf'), text);
    const { code, err } = await kanegen('import', 'grip.urdf');
    expect(code).toBe(0);
    expect(err).toMatch(/^grip\.urdf:4:\d+: warning: `right` copies `left` \(<mimic>\) .* \[urdf-left-out\]$/m);
  });
});

it('tells no reach and no sag of a frame that lies on the base', async () => {
  const link = '{ name: a, joint: { revolute: y, stiffness: 3 N m/rad }, rigid: { mass: 1 kg, com: [0, 0, 20 cm] } }';
  writeFileSync(path.join(directory, 'pendulum.robot.yaml'), `kanegen: 1\nname: pendulum\nlinks:\n  - ${link}\n`);
  const { out } = await kanegen('check', 'pendulum.robot.yaml');
  expect(out).toContain('the frame of a lies on the base at the defaults (`frames:` names one at its tip)');
  // √((3 − 9.81 · 0.2)/0.2²)/2π, upright.
  expect(out).toContain('swings at 0.81075 Hz first, mostly a.angle');
});

describe('a failure', () => {
  it('of kanegen itself asks for a report, one of the system says what it was', () => {
    const said: string[] = [];
    const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
    try {
      expect(reportFailure(new RangeError('Maximum call stack size exceeded'))).toBe(1);
      expect(reportFailure(new CompilerError('cc: spawn cc ENOENT'))).toBe(1);
      expect(reportFailure(Object.assign(new Error('no space left'), { syscall: 'write' }))).toBe(1);
    } finally {
      write.mockRestore();
    }
    expect(said[0]).toMatch(/^internal error: Maximum call stack size exceeded\n {2}→ .*please report it/);
    expect(said.slice(1)).toEqual(['error: cc: spawn cc ENOENT\n', 'error: no space left\n']);
  });
});

describe('files that are not robot files', () => {
  it.each([
    ['an endless device', '/dev/zero', /it is a pipe or a device/],
    ['a directory', '.', /it is a directory/],
  ])('are refused before they are read: %s', async (_, file, message) => {
    expect(await kanegen('compile', file)).toMatchObject({ code: 1, err: expect.stringMatching(message) as string });
    expect(await kanegen('evaluate', 'two-link.robot.yaml', '--states', file)).toMatchObject({
      code: 1,
      err: expect.stringMatching(message) as string,
    });
  });

  it('are refused where they would wait for ever, as are those that a robot mentions', async () => {
    execFileSync('mkfifo', [path.join(directory, 'pipe')]);
    const learned = readFileSync('examples/learned.robot.yaml', 'utf8');
    const head = 'kanegen: 1\nname: x\n';
    for (const [name, text] of [
      ['network', learned.replace('learned/segment.safetensors', 'pipe')],
      ['import', `${head}import: { other: pipe }\nlinks: [{ body: other.b }]\n`],
      ['urdf', `${head}links: [{ urdf: { file: pipe, from: a, to: b } }]\n`],
    ] as const) {
      const robot = write(`${name}.robot.yaml`, text);
      const { code, err } = await kanegen('compile', robot);
      expect({ code, err }).toMatchObject({
        code: 1,
        err: expect.stringContaining('it is a pipe or a device') as string,
      });
    }
  });

  it('are refused when they are too large', async () => {
    const { code, err } = await kanegen('compile', write('large.robot.yaml', ' '.repeat(4e6 + 1)));
    expect({ code, err }).toMatchObject({
      code: 1,
      err: expect.stringContaining('more than 4 million bytes') as string,
    });
  });
});

describe('standard output', () => {
  const shell = (line: string) =>
    spawnSync('bash', ['-c', line.replace('kanegen', `"${process.execPath}" "${cli}"`)], {
      cwd: directory,
      encoding: 'utf8',
    });

  it('may be closed by its reader', () => {
    const { stdout, stderr } = shell(
      'kanegen explain planar-cc.robot.yaml --json | head -c 20; echo " ${PIPESTATUS[0]}"',
    );
    expect(stderr).toBe('');
    expect(stdout.slice(20)).toMatch(/^ (0|141)\n$/);
  });

  it.skipIf(!existsSync('/dev/full'))('may be full, which is said in a line (needs /dev/full)', () => {
    const { status, stderr } = shell('kanegen explain planar-cc.robot.yaml --coordinates > /dev/full');
    expect(stderr).toMatch(/^error: cannot write to standard output: .*ENOSPC.*\n$/);
    expect(status).toBe(1);
  });
});

describe('kanegen', () => {
  it.each([
    ['verify', '1e99'],
    ['compare', '1e99'],
    ['verify', '-1'],
    ['verify', ''],
    ['compare', '0'],
  ])('%s refuses --states %j with the range that it takes', async (command, text) => {
    const outcome = await kanegen(command, 'two-link.robot.yaml', `--states=${text}`);
    expect(outcome).toMatchObject({ code: 2, err: expect.stringContaining('to 1000000') as string });
  });

  it('explains itself and refuses unknown commands', async () => {
    expect(await kanegen('--help')).toMatchObject({ code: 0 });
    expect(await kanegen('fly')).toMatchObject({ code: 2 });
    expect(await kanegen('compile', 'missing.robot.yaml')).toMatchObject({
      code: 1,
      err: expect.stringContaining('missing.robot.yaml') as string,
    });
  });
});

describe('kanegen ik --equilibrium', () => {
  const link = (name: string): string =>
    `  - { name: ${name}, joint: { revolute: y }, rigid: { mass: 1, com: [0, 0, -0.1], distal: { xyz: [0, 0, -0.2] } } }`;
  const pendulum = `kanegen: 1\nname: pendulum\nlinks:\n${link('upper')}\n${link('lower')}\n`;
  const motors = `actuators:
  lift: { motor: upper.angle, limits: [-1, 1] }
  bend: { motor: lower.angle, limits: [-1, 1] }
`;

  it('prints inputs that hold the frame there, and says with exit code 1 where they do not suffice', async () => {
    write('driven.robot.yaml', pendulum + motors);
    const { code, out } = await kanegen('ik', 'driven.robot.yaml', '--equilibrium', '--pose=-0.1,0,-0.35', '--json');
    const found = JSON.parse(out) as Record<'inputs' | 'coordinates', Record<string, number>>;
    const [upper, lower] = ['upper', 'lower'].map((name) => Math.sin(found.coordinates[`${name}.angle`]!));
    const turned = Math.sin(Math.asin(upper!) + Math.asin(lower!));
    expect(0.2 * (upper! + turned)).toBeCloseTo(0.1, 8);
    expect(found.inputs['bend']).toBeCloseTo(0.981 * turned, 9);
    expect(found.inputs['lift']).toBeCloseTo(0.981 * (3 * upper! + turned), 9);
    expect(code).toBe(0);
    const far = await kanegen('ik', 'driven.robot.yaml', '--equilibrium', '--pose=-0.3,0,-0.1', '--starts', '2');
    expect(far).toMatchObject({ code: 1, out: expect.stringMatching(/^lift +1 +N m[^]*NOT reached/) as string });
  });

  it('leads two frames, each to the pose that is given beside it', async () => {
    write('driven.robot.yaml', pendulum + motors);
    // Links of 0.2 m, the first at 0.3 rad, the second at 0.3 + 0.4.
    const [x, z] = [0.2 * Math.sin(0.3), 0.2 * Math.cos(0.3)];
    const [far, deep] = [x + 0.2 * Math.sin(0.7), z + 0.2 * Math.cos(0.7)];
    const poses = ['--frame=upper', `--pose=${-x},0,${-z}`, '--frame=lower', `--pose=${-far},0,${-deep}`];
    const { code, out } = await kanegen('ik', 'driven.robot.yaml', ...poses);
    expect(out).toContain('upper, lower are there');
    const angles = [...out.matchAll(/angle +(\S+)/g)].map(([, value]) => Number(value));
    expect([Math.abs(angles[0]!), Math.abs(angles[1]!)]).toEqual([expect.closeTo(0.3, 7), expect.closeTo(0.4, 7)]);
    expect(code).toBe(0);
    const unpaired = await kanegen('ik', 'driven.robot.yaml', '--frame=upper', '--frame=lower', '--pose=0,0,-0.4');
    expect(unpaired).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('give one --frame per --pose') as string,
    });
  });

  it('takes what acts beside: a force of -1 N along x at the tip, which is 0.35 m below the first joint', async () => {
    write('driven.robot.yaml', pendulum + motors);
    const words = ['ik', 'driven.robot.yaml', '--pose=-0.1,0,-0.35', '--load=lower=-1,0,0', '--json'];
    const { code, out } = await kanegen(...words, '--equilibrium');
    const found = JSON.parse(out) as Record<'inputs' | 'coordinates', Record<string, number>>;
    const [first, second] = ['upper', 'lower'].map((name) => found.coordinates[`${name}.angle`]!) as [number, number];
    const turned = first + second;
    expect(found.inputs['bend']).toBeCloseTo(0.981 * Math.sin(turned) - 0.2 * Math.cos(turned), 9);
    expect(found.inputs['lift']).toBeCloseTo(0.981 * (3 * Math.sin(first) + Math.sin(turned)) - 0.35, 9);
    expect(code).toBe(0);
    const without = await kanegen(...words);
    expect(without.err).toContain('--load needs --equilibrium: without it, coordinates do not depend on loads');
    expect([without.code, without.out]).toEqual([2, '']);
  });

  it('takes poses with units, and names coordinates that an equilibrium has outside of their limits', async () => {
    write('driven.robot.yaml', pendulum.replace('revolute: y }', 'revolute: y, limits: [-5 deg, 5 deg] }') + motors);
    const words = ['ik', 'driven.robot.yaml', '--equilibrium', '--pose=-10 cm,0,-350 mm'];
    const { code, out } = await kanegen(...words);
    expect(out).toMatch(/\noutside of their limits: upper\.angle \(-0\.087.* to 0\.087.*\)\nlower is there/);
    expect(code).toBe(0);
    writeFileSync(path.join(directory, 'way.csv'), 't,lower x,lower y,lower z\n0,0,0,-0.4\n1,-0.1,0,-0.35\n');
    const plan = await kanegen('plan', 'driven.robot.yaml', '--equilibrium', '--path=way.csv', '--out=plan.csv');
    expect(plan.out).toContain('1 of 2 waypoints, the first at 1 s, outside of their limits: upper.angle');
    const small = await kanegen('linearise', 'driven.robot.yaml', '--input', 'lift=0.9');
    expect(small.out).toMatch(/\noutside of their limits: upper\.angle \(.*\)\n$/);
    const turned = await kanegen('ik', 'driven.robot.yaml', '--pose=0,0,-0.4,0,30,0', '--starts=1');
    expect(turned.err).toContain('30 rad is more than a turn: write "30 deg" if degrees are meant');
    for (const [pose, message] of [
      ['1,2 kg,3', '2 kg is a mass (kg); write a number of m'],
      ['1e12,0,0', '1e12 is beyond 1000000000 m'],
    ] as const)
      expect(await kanegen('ik', 'driven.robot.yaml', `--pose=${pose}`)).toMatchObject({
        code: 2,
        err: expect.stringContaining(message) as string,
      });
  });

  it('says that there are no actuators', async () => {
    write('loose.robot.yaml', pendulum);
    const { code, out, err } = await kanegen('ik', 'loose.robot.yaml', '--equilibrium', '--pose', '0,0,-0.4');
    expect(err).toMatch(/^loose\.robot\.yaml: --equilibrium searches inputs, and pendulum has no actuators\n/);
    expect([code, out]).toEqual([1, '']);
  });
});
