/**
 * The crate for Rust: structures and declarations are those of C, names are names; where there is cargo (KANEGEN_FULL=1), it
 * computes what generated TypeScript computes, to the bit.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RobotInterface } from '../../../src/codegen/interface/robot-interface.ts';
import { load, type GeneratedFile } from '../../../src/index.ts';
import { isInstalled } from '../../compilers.ts';

const isFull = process.env['KANEGEN_FULL'] === '1';
const hasRust = isInstalled('rustc');
const hasCargo = hasRust && isInstalled('cargo');

/** Everything is named by a word of Rust. */
const ROBOT = {
  kanegen: 1,
  name: 'match',
  summary: 'a "quoted" \\ [arm] <b> `text` */ of $5',
  parameters: {
    fn: { value: '1 kg', min: '0 kg', max: '9 kg', runtime: true, summary: 'mass of [all] {} "self"' },
    Self: { value: '0.1 m', runtime: true },
  },
  links: [
    { name: 'self', joint: { revolute: 'y', limits: [-2, 2] }, rigid: { mass: 'fn', com: [0.01, 0, 'Self'] } },
    {
      name: 'option',
      joint: { prismatic: 'x', stiffness: '10 N/m', damping: '1 N s/m' },
      rigid: { mass: '1 kg', com: [0, 0.02, 'Self'] },
    },
  ],
  actuators: {
    mut: { motor: 'self.angle', limits: ['-20 N m', '20 N m'] },
    trait: { motor: 'option.displacement', limits: ['-20 N', '20 N'] },
  },
  states: { super: { 'self.angle': 1 } },
  controllers: {
    option: {
      'computed-torque': { kp: '225 1/s^2', kd: '30 1/s' },
      shell: {
        period: '1 ms',
        rate: ['400 N m/s', '400 N/s'],
        blend: '1 s',
        velocity: { 'tracking-loop': '120 1/s' },
        fault: { 'gravity-and-damping': ['0.1 N m s', '1 N s/m'] },
      },
    },
  },
  observers: {
    watch: {
      kalman: {
        period: '1 ms',
        measurements: [
          { actuator: 'mut', noise: '1 mrad' },
          { actuator: 'trait', noise: '1 mm' },
        ],
        process: ['1 mN m', '1 mN'],
        uncertainty: 0.5,
      },
    },
  },
};

const folder = mkdtempSync(path.join(tmpdir(), 'kanegen-rust-'));
const root = path.join(folder, 'rust');
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const code = await (await load(ROBOT)).compile({ functions: isFull ? ['all'] : ['default', 'solve-mass'] });
let files: readonly GeneratedFile[];
let told: RobotInterface;
const textOf = (name: string): string => files.find((file) => file.path === `rust/${name}`)!.text;
beforeAll(async () => {
  files = await code.files({ target: 'rust' });
  told = JSON.parse(files.find((file) => file.path === 'interface.json')!.text) as RobotInterface;
  for (const file of files) {
    mkdirSync(path.dirname(path.join(folder, file.path)), { recursive: true });
    writeFileSync(path.join(folder, file.path), file.text);
  }
});

const REAL = 'Real';

/** `[[Real; 2]; 3]` → 6. */
const countOf = (type: string): number =>
  [...type.matchAll(/; (\d+)\]/g)].reduce((product, [, size]) => product * Number(size), 1);

interface Structure {
  readonly name: string;
  readonly members: readonly { readonly name: string; readonly type: string }[];
}

function structures(): Structure[] {
  const text = `${textOf('src/lib.rs')}\n${textOf('src/controllers.rs')}`;
  return [...text.matchAll(/#\[repr\(C\)\]\n#\[derive\(.*\)\]\npub struct (\w+) \{\n([\s\S]*?)\n\}/g)].map(
    ([, name, body]) => ({
      name: name!,
      members: [...body!.matchAll(/^ {4}pub (\w+): (.*),$/gm)].map(([, own, type]) => ({ name: own!, type: type! })),
    }),
  );
}

/** As `repr(C)` lays them out: sizes, and the places of members. */
function layouts(real: number): Map<string, { size: number; align: number; places: number[] }> {
  const found = new Map<string, { size: number; align: number; places: number[] }>();
  const all = structures();
  // Shells have laws of faults in them, whose structures come later.
  const isOuter = ({ name }: Structure): boolean => name.endsWith('Shell');
  for (const { name, members } of [...all.filter((own) => !isOuter(own)), ...all.filter(isOuter)]) {
    let [end, align] = [0, 1];
    const places = members.map(({ type }) => {
      const [element] = /\w+::\w+|\w+(?=[;,]|$)/.exec(type)!;
      const scalar = element === REAL ? real : 4;
      const known = found.get(element);
      const own = known ?? { size: scalar * countOf(type), align: scalar };
      const place = Math.ceil(end / own.align) * own.align;
      end = place + own.size;
      align = Math.max(align, own.align);
      return place;
    });
    found.set(name, { size: Math.ceil(end / align) * align, align, places });
  }
  return new Map(all.map(({ name }) => [name, found.get(name)!]));
}

/** Declarations of `sys.rs`: names, linked names in both precisions, types. */
function declarations() {
  const found = textOf('src/sys.rs').matchAll(
    /link_name = "(\w+)"\)\]\n.*link_name = "(\w+)"\)\]\n\s*pub fn (\w+)\(([^)]*)\)( -> Int)?;/g,
  );
  return [...found].map(([, float32, float64, name, parameters, result]) => ({
    name: name!,
    linked: { float32: float32!, float64: float64! },
    types: parameters!
      .split(',')
      .map((own) => own.trim().replace(/^\w+: /, ''))
      .filter((own) => own !== ''),
    hasResult: result !== undefined,
  }));
}

describe('crates for Rust', () => {
  it('declare every function of the interface, with as many arguments, and its linked names', () => {
    const declared = new Map(declarations().map((own) => [own.name, own]));
    const { controllers, observers = [], linkedSuffix } = told;
    for (const f of told.functions) {
      const own = declared.get(f.symbol)!;
      expect(own.types.length, f.name).toBe(f.arguments.length);
      expect(own.linked).toEqual({
        float32: f.symbol + linkedSuffix.float32,
        float64: f.symbol + linkedSuffix.float64,
      });
    }
    const symbols = [...controllers, ...observers, ...controllers.flatMap(({ shell }) => shell ?? [])];
    expect(symbols.length).toBe(4);
    for (const { symbol } of symbols)
      expect([declared.has(`${symbol}_step`), declared.has(`${symbol}_reset`)]).toEqual([true, true]);
  });

  it('have methods over arrays of the shapes of the interface', () => {
    const lib = textOf('src/lib.rs').replace(/\s+/g, ' ');
    for (const f of told.functions) {
      const [, given, result] = new RegExp(`pub fn ${f.name}\\(([^)]*)\\) -> Result<(.*?), Status> \\{`).exec(lib)!;
      const [inputs, outputs] = ['input', 'output'].map((role) => f.arguments.filter((own) => own.role === role));
      const returned = outputs!.filter(({ optional, adds, shape }) => !optional && !adds && shape![0] !== 'columns');
      const shapes = (all: typeof f.arguments): number[] =>
        all.map(({ shape }) => shape!.reduce<number>((product, own) => product * (own === 'columns' ? 1 : own), 1));
      const given2 = given!.split(/, (?=\w+: )/).slice(1);
      const arrays = given2.filter((own) => own.includes('['));
      const left = outputs!.filter((own) => !returned.includes(own));
      expect(arrays.map(countOf), f.name).toEqual(shapes([...inputs!, ...left]));
      expect(
        arrays.map((own) => own.includes('&mut')),
        f.name,
      ).toEqual([...inputs!.map(() => false), ...left.map(() => true)]);
      if (f.state !== 'stages')
        expect(
          [...result!.matchAll(/\[+Real(; \d+\])+/g)].map(([type]) => countOf(type)),
          f.name,
        ).toEqual(shapes(returned));
    }
  });

  it('pass on what they are given in the order of C', () => {
    const lib = textOf('src/lib.rs').replace(/\s+/g, ' ');
    for (const f of told.functions) {
      const [, call] = new RegExp(`sys::${f.symbol}\\((.*?)\\) \\}\\)`).exec(lib)!;
      const names = [...call!.matchAll(/(?:^|, )\s*(?:&mut |&)?([\w.]+)/g)].map(([, name]) => name!.split('.'));
      const expected = f.arguments.map(({ name, role }) => {
        if (role === 'workspace' || role === 'parameters') return role;
        return role === 'frame' || role === 'link' ? role : name;
      });
      const found = names
        .filter(([first]) => first !== 'core' && first !== 'own')
        .map(([first, ...rest]) => {
          if (first === 'self') return rest.at(-1);
          return rest[0] === 'len' ? 'columns' : first;
        });
      expect(found, f.name).toEqual(expected);
    }
  });

  it('name nothing by words of Rust, and keep text of users in comments and strings', () => {
    const lib = textOf('src/lib.rs');
    expect(textOf('Cargo.toml')).toContain('name = "match_robot"');
    expect(lib).toMatch(/pub fn_: Real,/);
    expect(lib).toMatch(/\n {4}Self_ = 0,/);
    expect(lib).toContain(`Signal { name: "trait", unit: "N", default: 0.0, lower: -20.0, upper: 20.0 },`);
    expect(lib).toContain('/// mass of \\[all\\] {} "self" (kg), from 0, to 9');
    expect(structures().map(({ name }) => name)).toEqual([
      'Parameters',
      'ShellCore',
      'OptionGains',
      'OptionState',
      'OptionShell',
      'OptionSafeGains',
      'OptionSafeState',
      'WatchObserver',
    ]);
    expect(textOf('src/controllers.rs')).toContain('impl Option_2 {');
    const own = files.filter((file) => /\.(rs|toml)$|_rust\.c$/.test(file.path));
    const lines = own.flatMap(({ text }) => text.split('\n'));
    expect(lines.filter((line) => line.length > 120 && !/description = |=> "/.test(line))).toEqual([]);
  });

  it.skipIf(!isInstalled('gcc'))('have structures and declarations of C, in both precisions (needs gcc)', () => {
    const c = path.join(root, 'c');
    const typeInC: Readonly<Record<string, string>> = {
      Real: 'kg_real',
      Int: 'int',
      Workspace: 'match_workspace',
      Parameters: 'match_parameters',
      OptionGains: 'match_option_parameters',
      OptionState: 'match_option_state',
      OptionShell: 'match_option_shell',
      OptionSafeGains: 'match_option_safe_parameters',
      OptionSafeState: 'match_option_safe_state',
      WatchObserver: 'match_watch_observer',
    };
    const spelled = (type: string): string => {
      const [, pointer, name] = /^(\*mut |\*const |)(\w+)$/.exec(type)!;
      return `${pointer === '*const ' ? 'const ' : ''}${typeInC[name!]!}${pointer ? ' *' : ''}`;
    };
    const all = declarations();
    const checked = all.map(({ name, types, hasResult }, i) => {
      const result = name.includes('_rust_') ? 'int' : 'kg_status';
      return `${hasResult ? result : 'void'} (*const check_${i})(${types.map(spelled).join(', ')}) = ${name};`;
    });
    const source = path.join(c, 'check.c');
    const text = `#include "match_rust.c"
#include <stdio.h>
#define TEXT(name) #name
#define LINKED(name) TEXT(name)
${checked.join('\n')}
int main(void)
{
  int i;
  for (i = 0; i < (int)(sizeof match_rust_layout / sizeof match_rust_layout[0]); i++)
    printf("%d\\n", match_rust_layout[i]);
${all.map(({ name }) => `  puts(LINKED(${name}));`).join('\n')}
  return 0;
}
`;
    writeFileSync(source, text);
    for (const [precision, real] of [
      ['float64', 8],
      ['float32', 4],
    ] as const) {
      const program = path.join(folder, `check-${precision}`);
      const flags = [
        '-std=c99',
        '-Wall',
        '-Wextra',
        '-Wno-unused-const-variable',
        '-Werror',
        ...(real === 4 ? ['-DKG_SINGLE'] : []),
      ];
      // Declarations are compared by the compiler; what they name is not linked.
      const preprocessed = [...flags, '-Wl,--unresolved-symbols=ignore-all', '-no-pie', source, '-lm', '-o', program];
      execFileSync('gcc', preprocessed, { stdio: 'pipe' });
      const printed = execFileSync(program, { encoding: 'utf8' }).trim().split('\n');
      const numbers = [...layouts(real).values()].flatMap(({ size, places }) => [size, ...places]);
      expect(printed.slice(0, -all.length).map(Number)).toEqual([real, real * told.sizes.workspace, ...numbers]);
      expect(printed.slice(-all.length)).toEqual(all.map(({ linked }) => linked[precision]));
    }
    rmSync(source);
  });

  it.skipIf(!hasRust)('are Rust without a warning, here without std and in f32 (needs rustc)', () => {
    const words = ['--edition', '2021', '--crate-type', 'lib', '--crate-name', 'match_robot', '--emit', 'metadata'];
    const cfg = ['--cfg', 'feature="single"', '-D', 'warnings', '-A', 'unexpected_cfgs', '--out-dir', folder];
    execFileSync('rustc', [...words, ...cfg, path.join(root, 'src/lib.rs')], { stdio: 'pipe' });
  });

  it.runIf(isFull && hasRust)('name the compiler that is missing (needs rustc)', () => {
    const builder = path.join(folder, 'build-script');
    execFileSync('rustc', ['--edition', '2021', '-D', 'warnings', path.join(root, 'build.rs'), '-o', builder], {
      stdio: 'pipe',
    });
    const run = (target: string, own: object): string =>
      spawnSync(builder, {
        env: {
          PATH: folder,
          OUT_DIR: folder,
          CARGO_MANIFEST_DIR: root,
          HOST: 'x86_64-unknown-linux-gnu',
          TARGET: target,
          ...own,
        },
        encoding: 'utf8',
      }).stderr;
    expect(run('x86_64-unknown-linux-gnu', {})).toBe(
      'match: no C compiler for x86_64-unknown-linux-gnu: looked for cc, gcc, clang; install one (Debian: apt-get install gcc), ' +
        'or name it in CC_x86_64_unknown_linux_gnu\n',
    );
    expect(run('thumbv7em-none-eabihf', { CARGO_CFG_TARGET_OS: 'none' })).toContain(
      'install one (Debian: apt-get install gcc-arm-none-eabi libnewlib-arm-none-eabi)',
    );
    expect(run('aarch64-unknown-linux-gnu', {})).toContain('looked for aarch64-linux-gnu-gcc; ');
    expect(run('x86_64-unknown-linux-gnu', { CC: '/bin/false' })).toContain('match: this command failed: "/bin/false"');
  });
});

type Values = (string | number)[];
type Arm = Record<string, (...values: unknown[]) => number> & { parameters: Record<string, number> };

/** Numbers in their shape, as Rust writes them. */
function literal(values: readonly number[], shape: readonly number[]): string {
  if (shape.length === 0) return Number.isNaN(values[0]) ? 'Real::NAN' : `${values[0]!}_f64`;
  const [count, ...rest] = shape;
  const size = values.length / count!;
  const parts = Array.from({ length: count! }, (_, i) => literal(values.slice(size * i, size * (i + 1)), rest));
  return `[${parts.join(', ')}]`;
}

const bits = (value: number): string => {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return view.getBigUint64(0).toString(16);
};

const COLUMNS = 2;
const STATE = [
  [0.1, 0.2],
  [0.4, -0.5],
] as const;

describe.runIf(isFull && hasCargo)('crates built by cargo (needs cargo, gcc)', () => {
  const env = { ...process.env, CC: 'gcc', CFLAGS: '-O0', CARGO_TARGET_DIR: path.join(folder, 'target') };
  const cargo = (...words: string[]): string =>
    execFileSync('cargo', [...words, '--offline', '--quiet'], { cwd: root, env, encoding: 'utf8', stdio: 'pipe' });

  it('pass their own tests in f64, in f32 and without std', () => {
    for (const words of [[], ['--features', 'single'], ['--no-default-features']]) {
      const said = cargo('test', ...words);
      expect(said).toContain('match: ok');
      expect([...said.matchAll(/test result: ok/g)].length).toBe(3);
    }
  }, 300_000);

  it.runIf(spawnSync('cargo', ['clippy', '--version']).status === 0)(
    'satisfy clippy and rustdoc',
    () => {
      execFileSync('cargo', ['clippy', '--offline', '--quiet', '--all-targets', '--', '-D', 'warnings'], {
        cwd: root,
        env,
        stdio: 'pipe',
      });
      execFileSync('cargo', ['doc', '--offline', '--quiet'], {
        cwd: root,
        env: { ...env, RUSTDOCFLAGS: '-D warnings' },
        stdio: 'pipe',
      });
    },
    300_000,
  );

  it('compute what TypeScript computes', async () => {
    const arm = (await code.run()) as unknown as Arm;
    const [lines, expected]: [string[], Values[]] = [[], []];
    const [q, qd] = STATE.map((own) => literal(own, [2]));
    for (const f of told.functions) {
      if (f.state === 'stages' || f.arguments.every(({ role }) => role !== 'output')) continue;
      if (f.after !== undefined) continue;
      arm['update']!(...STATE);
      const outputs: Float64Array[] = [];
      const [passed, given, left, returned]: [unknown[], string[], string[], string[]] = [[], [], [], []];
      f.arguments.forEach(({ name, role, shape: sizes, optional, adds }, k) => {
        const isColumned = sizes?.[0] === 'columns';
        const shape = (sizes ?? []).map((own) => (own === 'columns' ? COLUMNS : own));
        const count = shape.reduce((product, own) => product * own, 1);
        if (role === 'columns') passed.push(COLUMNS);
        if (role === 'number') passed.push(0.01);
        if (role === 'number') given.push('0.01');
        if (role === 'frame' || role === 'link') passed.push(1);
        if (role === 'frame' || role === 'link') given.push(`${role === 'frame' ? 'Frame' : 'Link'}::Option`);
        if (role === 'input') {
          const values = Array.from({ length: count }, (_, i) => 0.1 * (i + 1) - 0.07 * k);
          passed.push(values);
          given.push(optional ? `Some(&${literal(values, shape)})` : `&${literal(values, shape)}`);
        }
        if (role !== 'output') return;
        outputs.push(new Float64Array(count));
        passed.push(outputs.at(-1));
        const rust = `${name}_`;
        if (!optional && !adds && !isColumned) returned.push(rust);
        else {
          left.push(`let mut ${rust} = ${literal(new Array<number>(count).fill(0), shape)};`);
          given.push(optional ? `Some(&mut ${rust})` : `&mut ${rust}`);
        }
      });
      expect(arm[f.method]!(...passed), f.name).toBe(0);
      expected.push([f.name, ...outputs.flatMap((own) => [...own].map(bits))]);
      const on = f.state === 'staged' ? `robot.update(&${q}, &${qd}).unwrap()` : 'robot';
      const all = f.arguments.filter(({ role }) => role === 'output');
      const flat = all.map(({ name, shape }) => `flat(${name}_${'.concat()'.repeat(shape!.length - 1)}.as_ref());`);
      const pattern = returned.length === 1 ? returned[0]! : `(${returned.join(', ')})`;
      lines.push(
        `name("${f.name}"); ${left.join(' ')} let ${pattern} = ${on}.${f.name}(${given.join(', ')}).unwrap(); ${flat.join(' ')}`,
      );
    }
    expect(lines.length).toBeGreaterThan(20);

    const robot = await code.run();
    const loaded = robot.controllers.get('match_option')!;
    const [gains, memory, u] = [loaded.createParameters(), loaded.createState(), new Float64Array(2)];
    (gains['kp'] as Float64Array).fill(100);
    lines.push('let mut law = Option_2::new(); law.gains.kp = [100.0; 2];');
    const references = [
      [0.2, 0.1],
      [0.3, 0],
      [0.1, 0],
    ] as const;
    const row = references.map((own) => `&${literal(own, [2])}`).join(', ');
    expect(loaded.step(robot, memory, gains, ...STATE, ...references, u)).toBe(0);
    expected.push(['law', ...[...u].map(bits)]);
    lines.push(`name("law"); flat(&law.step(&mut robot, &${q}, &${qd}, ${row}).unwrap());`);

    const shell = loaded.shell!;
    const record = shell.create();
    record.blend = 0.05;
    lines.push('let mut shell = OptionShell::new(); shell.blend = 0.05;');
    for (const [k, ask] of [0, 3, 3, 3].entries()) {
      const at = [k === 3 ? NaN : 0.1 + 1e-3 * k, 0.2];
      const status = shell.step(robot, record, ask, 1e-3, at, STATE[1], ...references, u);
      expected.push(['shell', ...[...u].map(bits), record.core.mode, record.core.reason, status]);
      lines.push(
        `let (u, status) = shell.step(&mut robot, Wanted::${ask === 0 ? 'Off' : 'Run'}, 1e-3, &${literal(at, [2])}, &${qd}, ${row});`,
        'name("shell"); flat(&u); print!(" {} {}", shell.core.mode() as i32, shell.core.reason().map_or(0, |own| own as i32));',
        'print!(" {}", status.err().map_or(0, |own| own as i32));',
      );
    }
    const filter = robot.observers.get('match_watch_observer')!;
    const observer = filter.create();
    observer.q[0] = 0.3;
    lines.push('let mut observer = WatchObserver::new(); observer.q[0] = 0.3;');
    for (const z of [
      [0.1, 0.2],
      [0.12, NaN],
    ]) {
      expect(filter.step(robot, observer, 1e-3, [0.5, 0.1], z)).toBe(0);
      expected.push(['observer', ...[...observer.q, ...observer.qd].map(bits), observer.used]);
      lines.push(
        `observer.step(&mut robot, 1e-3, &[0.5, 0.1], &${literal(z, [2])}).unwrap();`,
        'name("observer"); flat(&observer.q); flat(&observer.qd); print!(" {}", observer.used);',
      );
    }
    // Statuses, and parameters by name.
    lines.push('robot.parameters.fn_ = 12.0; name("refused");');
    lines.push(`print!(" {:?}", robot.update(&${q}, &${qd}).err());`);
    expected.push(['refused', 'Some(OutOfRange)']);
    const program = `#![allow(non_snake_case)]
use match_robot::*;

fn name(text: &str) { print!("\n{}", text); }
fn flat(values: &[f64]) { for own in values { print!(" {:x}", own.to_bits()); } }

fn main() {
    let mut robot = Robot::new();
    ${lines.join('\n    ')}
    println!();
}
`;
    mkdirSync(path.join(root, 'examples'), { recursive: true });
    writeFileSync(path.join(root, 'examples/values.rs'), program);
    const found = cargo('run', '--example', 'values').trim().split('\n');
    expect(found).toEqual(expected.map((own) => own.join(' ')));
  }, 300_000);
});
