/** Packages for MATLAB in Octave, where it is installed: they are built there, compute, integrate, and write a library of blocks. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RobotInterface } from '../../../src/codegen/interface/robot-interface.ts';
import { isInstalled } from '../../compilers.ts';
import { KEPT, MISTAKES, motion, ofInterface, steps, U, type Call, type Given } from './matlab-calls.ts';

/** Stands in for pictures, which not every machine has, and for what Simulink has for a script that makes a library. */
const STAND_INS: Readonly<Record<string, string>> = {
  'plot.m': "function plot(t, q)\nfprintf('plot %d of %d\\n', size(q, 2), numel(t) == size(q, 1));\nend\n",
  'xlabel.m': "function xlabel(text)\nfprintf('xlabel %s\\n', text);\nend\n",
  'legend.m': "function legend(names, varargin)\nfprintf('legend %s\\n', strjoin(names', ', '));\nend\n",
  'bdIsLoaded.m': 'function own = bdIsLoaded(name)\nown = false;\nend\n',
  'new_system.m': "function new_system(varargin)\nfprintf('new_system %s\\n', strjoin(varargin, ' '));\nend\n",
  'save_system.m':
    "function save_system(name, file)\n[~, own, ending] = fileparts(file);\nfprintf('save_system %s %s%s\\n', name, own, ending);\nend\n",
  'add_block.m':
    "function add_block(varargin)\nfprintf('add_block %s %s |%s\\n', varargin{1:2}, sprintf(' %d', varargin{4}));\nend\n",
  'set_param.m': "function set_param(varargin)\nfprintf('set_param %s\\n', strjoin(varargin, ' '));\nend\n",
  'mex.m':
    "function mex(varargin)\nfprintf('mex %s %d\\n', varargin{4}, all(cellfun(@(own) exist(own, 'file') == 2, varargin(6:end))));\nend\n",
  '+Simulink/+Mask/create.m':
    "function mask = create(block)\nmask = struct('addParameter', @(varargin) fprintf('mask %s %s: %s\\n', varargin{[4, 6]}, mat2str(eval(varargin{10})')));\nend\n",
};

/** @param told the interface of the package in `folder`, once that is written. */
export function describeInOctave(
  folder: string,
  told: () => RobotInterface,
  write: (name: string, text: string) => void,
): void {
  describe.skipIf(!isInstalled('octave') || !isInstalled('mkoctfile'))(
    'packages in Octave (needs octave, mkoctfile)',
    () => {
      const octave = (script: string): string[] => {
        write('script.m', script);
        const env = { ...process.env, CFLAGS: '-O0 -fPIC' };
        const words = ['--no-gui', '--no-init-file', '--quiet', path.join(folder, 'script.m')];
        return execFileSync('octave', words, { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' })
          .trimEnd()
          .split('\n');
      };
      const literal = (own: Given): string => {
        if (own === KEPT) return 'kept';
        if (typeof own === 'string') return `'${own}'`;
        if ('fields' in own)
          return `struct(${Object.entries(own.fields)
            .flatMap(([name, value]) => [`'${name}'`, literal(value)])
            .join(', ')})`;
        const { rows, values, pages = 1, single } = own;
        const text = `reshape([${values.join(' ').replace('Infinity', 'Inf')}], ${[rows, '[]', ...(pages > 1 ? [pages] : [])].join(', ')})`;
        return rows === 0 ? '[]' : single ? `single(${text})` : text;
      };
      /** Prints what calls give as the program over stubs does. */
      const calling = (calls: readonly Call[]): string =>
        calls
          .map(({ name, results, given }) => {
            const own = `end_robot.${name === 'switch' ? 'switch_' : name}(${given.map(literal).join(', ')})`;
            return `try\n  r = cell(1, ${results});\n  [r{:}] = ${own};\n  told(r);\n  kept = r{end};\ncatch e\n  printf('%s|%s\\n', e.identifier, regexprep(e.message, '^end_robot_mex: ', ''));\nend\n`;
          })
          .join('');
      const START = `1;
addpath('${path.join(folder, 'matlab')}');
function tell(own)
  if isstruct(own)
    for [value, name] = own
      printf(' %s', name);
      tell(value);
    end
  elseif isa(own, 'double')
    printf(' [%s]%s', strjoin(arrayfun(@num2str, size(own), 'UniformOutput', false), 'x'), sprintf(' %.17g', own));
  end
end
function told(all)
  cellfun(@tell, all);
  printf('\\n');
end
`;
      const numbers = (line: string): number[][] =>
        line
          .split(' [')
          .slice(1)
          .map((own) =>
            own
              .replace(/^[^\]]*\]/, '')
              .split(' ')
              .filter((word) => /^-?(\d|nan|inf)/i.test(word))
              .map((word) => Number(word.replace(/Inf/, 'Infinity'))),
          );

      it('build the gateway, and compute to the bit; errors have identifiers', async () => {
        const [all, stepped] = [await ofInterface(told()), await steps()];
        const wrong = MISTAKES.filter(({ call }) => call.results < 3);
        const lines = octave(
          `${START}end_robot.build();\n${calling([...all.calls, ...stepped.calls, ...wrong.map(({ call }) => call)])}`,
        );
        for (const [k, own] of all.expected.entries()) expect(numbers(lines[k]!), all.calls[k]!.name).toEqual(own);
        const taken = lines.slice(all.calls.length).filter((_, k) => stepped.calls[k]?.given.length !== 0);
        for (const [k, own] of stepped.expected.slice(0, 6).entries()) expect(numbers(taken[k]!)[0]).toEqual(own);
        expect(lines.slice(-wrong.length)).toEqual(wrong.map(({ error }) => error));
      }, 120_000);

      it('integrate the equations of motion, and write a library of blocks', async () => {
        const derivative = await motion();
        let x: readonly number[] = [0.7, 0, 0, 0];
        const h = 2 ** -9;
        const along = (by: number, slope: readonly number[]): number[] => x.map((value, i) => value + by * slope[i]!);
        for (let k = 0; k < 128; k++) {
          const t = k * h;
          const of = (time: number, at: readonly number[]): number[] => derivative(time, at, U, [0, 0]);
          const a = of(t, x);
          const b = of(t + h / 2, along(h / 2, a));
          const c = of(t + h / 2, along(h / 2, b));
          const d = of(t + h, along(h, c));
          x = x.map((value, i) => value + (h / 6) * (a[i]! + 2 * (b[i]! + c[i]!) + d[i]!));
        }
        for (const [name, text] of Object.entries(STAND_INS)) write(`simulink/${name}`, text);
        const lines = octave(`${START}
f = @(t, x) end_robot.dynamics(t, x, [${U.join('; ')}]);
x = end_robot.start('bent');
for k = 0:127
  h = 2^-9; t = k * h;
  a = f(t, x); b = f(t + h / 2, x + h / 2 * a); c = f(t + h / 2, x + h / 2 * b); d = f(t + h, x + h * c);
  x = x + h / 6 * (a + 2 * (b + c) + d);
end
told({x});
options = odeset('RelTol', 1e-9, 'AbsTol', 1e-11, 'InitialSlope', f(0, end_robot.start('bent')));
[~, stiff] = ode15s(f, [0 0.25], end_robot.start('bent'), odeset(options, 'Jacobian', @(t, x) end_robot.dynamics_jacobian(t, x, [${U.join('; ')}])));
[~, other] = ode45(f, [0 0.25], end_robot.start('bent'), options);
told({stiff(end, :)', other(end, :)'});
addpath('${path.join(folder, 'simulink')}');
[t, x] = end_robot.example(0.1);
told({t(end), x(1, :)'});
try
  end_robot.start('straight');
catch e
  printf('%s|%s\\n', e.identifier, e.message);
end
end_robot.simulink();
`);
        const [own] = numbers(lines[0]!);
        for (const [i, value] of x.entries()) expect(Math.abs(own![i]! - value)).toBeLessThan(1e-12);
        for (const found of numbers(lines[1]!))
          for (const [i, value] of x.entries()) expect(Math.abs(found[i]! - value)).toBeLessThan(2e-6);
        expect(lines.slice(2, 5)).toEqual([
          'plot 2 of 1',
          'xlabel t [s]',
          'legend arm.angle [rad], hand.displacement [m]',
        ]);
        expect(numbers(lines[5]!)).toEqual([[0.1], [0, 0, 0, 0]]);
        expect(lines[6]).toBe('kanegen:end_robot:state|the robot file has no state straight, but: bent');
        expect(lines.slice(7)).toEqual([
          'new_system end_robot_library Library',
          'mex end_robot_sfun 1',
          'add_block built-in/S-Function end_robot_library/robot | 100 40 260 140',
          'mask p on: [0 0 -9.81 1 0]',
          'mask x0 off: [0 0 0 0]',
          'mask frames off: 3',
          'set_param end_robot_library/robot FunctionName end_robot_sfun Parameters p, x0, frames',
          'mex end_dynamics_sfun 1',
          'add_block built-in/S-Function end_robot_library/dynamics | 100 180 260 280',
          'mask p on: [0 0 -9.81 1 0]',
          'mask period off: 0.002',
          'mask gains on: []',
          'set_param end_robot_library/dynamics FunctionName end_dynamics_sfun Parameters p, period, gains',
          'mex end_switch_sfun 1',
          'add_block built-in/S-Function end_robot_library/switch | 100 320 260 420',
          'mask p on: [0 0 -9.81 1 0]',
          'mask period off: 0.001',
          'mask gains on: []',
          'set_param end_robot_library/switch FunctionName end_switch_sfun Parameters p, period, gains',
          'mex end_watch_observer_sfun 1',
          'add_block built-in/S-Function end_robot_library/watch | 100 460 260 560',
          'mask p on: [0 0 -9.81 1 0]',
          'mask period off: 0.001',
          'set_param end_robot_library/watch FunctionName end_watch_observer_sfun Parameters p, period',
          'save_system end_robot_library end_robot_library.slx',
        ]);
      }, 120_000);
    },
  );
}
