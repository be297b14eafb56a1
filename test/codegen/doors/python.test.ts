/** The package for Python computes what generated TypeScript computes, to the bit, in rows and one by one. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RobotInterface } from '../../../src/codegen/interface/robot-interface.ts';
import { load } from '../../../src/index.ts';
import { isInstalled } from '../../compilers.ts';
import { code } from './arm.ts';

const hasNumPy = spawnSync('python3', ['-c', 'import numpy']).status === 0;
const isFull = process.env['KANEGEN_FULL'] === '1';

const PROGRAM = `
import json, pickle, sys
import numpy as np
import door_arm

robot = door_arm.Robot(threads=2)
given = json.load(sys.stdin)
found = {}
for call in given["calls"]:
    method = getattr(robot, call["name"])
    rows = {name: np.array(own) for name, own in call["arrays"].items()}
    together = method(**rows, **call["others"])
    alone = [method(**{name: own[i] for name, own in rows.items()}, **call["others"]) for i in range(2)]
    listed = lambda own: [x.tolist() for x in own] if isinstance(own, tuple) else [own.tolist()]
    found[call["name"]] = [[x[i] for x in listed(together)] for i in range(2)]
    assert found[call["name"]] == [listed(own) for own in alone], call["name"]

hold = door_arm.Hold(robot)
hold.gains["kp"][:] = 3
found["controller"] = [hold.step(*x).tolist() for x in given["steps"]]
errors = []
for wrong in (
    lambda: robot.mass_matrix([0, np.nan, 0], [0, 0, 0]),
    lambda: robot.mass_matrix([0, 0], [0, 0, 0]),
    lambda: robot.frame([0, 0, 0], [0, 0, 0], "nowhere"),
    lambda: robot.parameters["mass"],
    lambda: robot.inverse_dynamics(None, [0, 0, 0], [0, 0, 0]),
    lambda: robot.frame([0, 0, 0], [0, 0, 0], "finger", outputs=["T"]),
    lambda: robot.frame([0, 0, 0], [0, 0, 0], 1.5),
    lambda: robot.inverse_dynamics_tangent([0, 0, 0], [0, 0, 0], [0, 0, 0], [1, 0, 0]),
    lambda: robot.inverse_dynamics_tangent([0, 0, 0], [0, 0, 0], [0, 0, 0]),
    lambda: robot.rollout([0, 0, 0], [0, 0, 0], 1e-3, u=[0, 0, 0]),
):
    try:
        wrong()
    except Exception as error:
        errors.append(f"{type(error).__name__}: {error.args[0]}")
robot.check = False
marked = robot.mass_matrix([[0, np.nan, 0], [0, 0, 0]], [0, 0, 0])
found["marked"] = [bool(np.isnan(marked[0]).all()), bool(np.isfinite(marked[1]).all()), robot.status.tolist()]
before = robot.gravity_at([1, 0, 0]).tolist()
robot.parameters["load"] = 1.0
found["changed"] = [before, robot.gravity_at([1, 0, 0]).tolist()]
robot.check = True
robot.parameters["load"] = 3.0
found["shown"] = repr(robot.parameters)
try:
    robot.mass_matrix(np.zeros((2, 3)), [0, 0, 0])
except door_arm.StatusError as error:
    found["outside"] = str(pickle.loads(pickle.dumps(error)))
functions = {name: own.__doc__ for name, own in vars(door_arm.Robot).items() if not name.startswith("_")}
found["documented"] = {name: " ".join((own or "").split()) for name, own in functions.items()}
found["package"] = door_arm.__doc__
found["errors"] = errors
again = pickle.loads(pickle.dumps(door_arm.StatusError("mass_matrix", 1, 7)))
found["pickled"] = [type(again).__name__, again.name, again.row]
robot.check, robot.parameters["load"] = False, 1.0
sent, held = pickle.loads(pickle.dumps((robot, hold)))
assert held.robot is sent is not robot and sent.threads == 2 and not sent.check
assert (sent.gravity_at([1, 0, 0]) == robot.gravity_at([1, 0, 0])).all()
assert held.step(*given["steps"][0]).tolist() == hold.step(*given["steps"][0]).tolist()
sent.parameters["load"], held.gains["kp"][:] = 2.0, 5
assert robot.parameters["load"] == 1.0 and hold.gains["kp"][0] == 3
found["sent"] = [held.gains["kp"].tolist(), sent.parameters["load"]]
json.dump(found, sys.stdout)
`;

/** Interpreters with NumPy that have PyTorch or JAX as well: `KANEGEN_PYTHON`, that of PATH, that of Debian. */
const withFrameworks = [...new Set([process.env['KANEGEN_PYTHON'] ?? 'python3', 'python3', '/usr/bin/python3'])].filter(
  (interpreter) => {
    const found = 'import importlib.util as u, numpy, sys; sys.exit(not any(u.find_spec(x) for x in ("torch", "jax")))';
    return spawnSync(interpreter, ['-c', found]).status === 0;
  },
);

interface Gradients {
  readonly tested: Readonly<Record<string, unknown>>;
  readonly errors: readonly string[];
}

const STATES = [0, 1].map((row) => [
  [0.1, 0.2, 0.3].map((x) => x * (row + 1)),
  [0.4, -0.5, 0.6].map((x) => x / (row + 1)),
]);

type Arm = Record<string, (...values: unknown[]) => number> & { parameters: { load: number } };

describe.skipIf(!hasNumPy || !isInstalled('gcc'))('the Python package (needs python3, NumPy, gcc)', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'kanegen-python-'));
  const root = path.join(folder, 'python');
  const env = { ...process.env, CC: 'gcc', CFLAGS: '-O0', PYTHONPATH: root, PYTHONDONTWRITEBYTECODE: '1' };
  const python = (program: string, input = ''): string =>
    execFileSync('python3', ['-c', program], { cwd: root, env, input, encoding: 'utf8' });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  beforeAll(async () => {
    await code.write(folder, { target: 'python' });
    python('import kanegen_build; kanegen_build.build_editable(".")');
  }, 120_000);

  it('calls every function with one state and with rows, controllers, and says what is wrong', async () => {
    const files = await code.files({ target: 'python' });
    const told = JSON.parse(files.find((file) => file.path === 'interface.json')!.text) as RobotInterface;
    const arm = (await code.run()) as unknown as Arm;
    const calls: object[] = [];
    const expected: Record<string, number[][][]> = {};
    for (const f of told.functions) {
      if (f.after !== undefined || f.arguments.every(({ role }) => role !== 'output')) continue;
      const inputs = f.arguments.filter(({ role }) => role === 'input');
      const rows = STATES.map((state, row) =>
        inputs.map(({ name, shape }, k) => {
          if (name === 'q' || name === 'qd') return state[name === 'q' ? 0 : 1]!;
          const size = shape!.reduce<number>((all, own) => all * (own === 'columns' ? 2 : own), 1);
          return Array.from({ length: size }, (_, i) => 0.1 * (i + 1) - 0.07 * k + 0.05 * row);
        }),
      );
      const others = Object.fromEntries(
        f.arguments.flatMap(({ name, role }) => {
          if (role === 'number') return [[name, 0.01]];
          return role === 'frame' || role === 'link' ? [[role, 2]] : [];
        }),
      ) as Record<string, number>;
      const results = rows.map((values, row) => {
        arm['update']!(...STATES[row]!);
        const outputs: number[][] = [];
        const buffers: Float64Array[] = [];
        let next = 0;
        const passed = f.arguments.flatMap(({ role, shape }): unknown[] => {
          if (role === 'workspace' || role === 'parameters') return [];
          if (role === 'columns') return [2];
          if (role === 'number') return [0.01];
          if (role === 'frame' || role === 'link') return [2];
          if (role === 'input') return [values[next++]];
          const size = shape!.reduce<number>((all, own) => all * (own === 'columns' ? 2 : own), 1);
          buffers.push(new Float64Array(size));
          return [buffers.at(-1)];
        });
        expect(arm[f.method]!(...passed), f.name).toBe(0);
        outputs.push(...buffers.map((own) => [...own]));
        return outputs;
      });
      const arrays = inputs.map(({ name, shape }, k) => [
        name,
        rows.map((values) => (shape![0] === 'columns' ? chunked(values[k]!, Number(shape![1])) : values[k]!)),
      ]);
      const state = f.state === 'staged' ? ['q', 'qd'].map((name, k) => [name, STATES.map((own) => own[k])]) : [];
      calls.push({ name: f.name, arrays: Object.fromEntries([...state, ...arrays]) as object, others });
      expected[f.name] = results;
    }
    const steps = [0, 1, 2].map((k) => [...STATES[0]!, [0.2 * k, 0.1, 0], [0, 0.1, 0], [0, 0, 0]]);
    const found = JSON.parse(python(PROGRAM, JSON.stringify({ calls, steps }))) as Record<string, unknown>;
    const flat = (values: unknown): unknown =>
      Array.isArray(values) ? (values as unknown[][]).map((x) => [x].flat(4)) : values;
    expect(calls.length).toBeGreaterThan(30);
    for (const [name, rows] of Object.entries(expected))
      expect((found[name] as unknown[][]).map(flat), name).toEqual(rows.map(flat));

    const law = (await code.run()).controllers.get('door_arm_hold')!;
    const gains = law.createParameters();
    (gains['kp'] as Float64Array).fill(3);
    const state = law.createState();
    const robot = await code.run();
    const inputs = steps.map(([q, qd, y, yd, ydd]) => {
      const u = new Float64Array(told.sizes.inputs);
      expect(law.step(robot, state, gains, q!, qd!, y!, yd!, ydd!, u)).toBe(0);
      return [...u];
    });
    expect(found['controller']).toEqual(inputs);
    expect(inputs[0]).not.toEqual(inputs[1]);

    expect(found['marked']).toEqual([true, true, [1, 0]]);
    expect(found['errors']).toEqual([
      expect.stringMatching(/^StatusError: mass_matrix, row 0: KG_NON_FINITE: /),
      'ValueError: mass_matrix: q: expected an array of shape (…, 3), not (2,)',
      "KeyError: no frame 'nowhere'; there are column, hinge, finger",
      "KeyError: no run-time parameter 'mass'; there are gravity, load, lambda",
      'ValueError: inverse_dynamics: q: expected an array, not None',
      "ValueError: frame: no output 'T'; there are R, t, J",
      expect.stringMatching(/^TypeError: 'float' object cannot be interpreted as an integer/),
      'ValueError: inverse_dynamics_tangent: dq: expected an array of shape (…, columns, 3), not (3,)',
      'ValueError: inverse_dynamics_tangent: how many columns? Give one of dq, dqd, dqdd',
      'ValueError: rollout: u: expected an array of shape (…, steps, 3), not (3,)',
    ]);
    expect(found['pickled']).toEqual(['StatusError', 'KG_NON_FINITE', 7]);
    expect(found['outside']).toMatch(/^mass_matrix, row 0: KG_OUT_OF_RANGE: .* load is 3, not within 0 to 2\.$/);
    expect(found['shown']).toBe('Parameters(gravity=[ 0.    0.   -9.81], load=3.0, lambda=0.1)');
    expect(found['package']).toMatch(
      /^    load \[kg\], 0 to 2 mass at the hinge\n    lambda \[N m\/rad\], at least 0$/m,
    );
    // Each by itself: help() has them in the order of their names.
    const documented = found['documented'] as Record<string, string>;
    expect(documented['frame']).toMatch(
      /^World pose of a frame, and its Jacobian\. takes frame: its name, or its index /,
    );
    expect(documented['gravity_at']).toMatch(/^Gravity in one call\./);
    for (const [name, text] of Object.entries(documented))
      expect(text, name).toMatch(/^(?!The same|Its |The transpose)(?!.*(null pointer|as above|by its index)).{3,}/);
    expect(found['sent']).toEqual([expect.arrayContaining([5]), 2]);
    const [before, after] = found['changed'] as [number[], number[]];
    expect(Math.abs(before[0]! - after[0]!)).toBeGreaterThan(0.1);
  });

  it('has rollouts whose tangents, adjoints and gradients of 100 steps are those of differences', () => {
    const program = readFileSync(new URL('python-gradients.py', import.meta.url), 'utf8');
    const found = JSON.parse(python(program)) as Gradients;
    expect(found.errors.slice(0, 3)).toEqual([
      'rollout: u: expected an array of shape (…, steps, 3), not (100, 2)',
      'rollout: h: expected a time above zero, not -1.0',
      'rollout: how many steps? Give u, tau or steps',
    ]);
  });

  it('has rollouts of robots with loops, whose tangents are those of differences and adjoints their transposes', async () => {
    const rigid = { mass: 0.4, com: [0.1, 0, 0], inertia: { zz: 2e-3 }, distal: { xyz: [0.2, 0, 0] } };
    const robot = await load({
      kanegen: 1,
      name: 'closed',
      gravity: [0, -9.81, 0],
      links: [
        { name: 'crank', joint: { revolute: 'z', damping: '0.02 N m s/rad' }, rigid },
        { name: 'rod', joint: { revolute: 'z', stiffness: '0.3 N m/rad' }, rigid },
        { name: 'piston', parent: 'base', joint: { prismatic: 'x' }, rigid: { mass: 0.8 } },
      ],
      loops: { pin: { 'point-on-line': { a: 'rod', b: 'piston', axis: 'z' } } },
      actuators: { turn: { along: 'sin(crank.angle)', unit: '1' } },
    });
    const own = path.join(folder, 'closed');
    await (await robot.compile({ derivatives: true })).write(own, { target: 'python' });
    const program = `
import numpy as np
import kanegen_build
kanegen_build.build_editable(".")
import closed
from closed._derivatives import call
rng = np.random.default_rng(3)
robot = closed.Robot()
angle = 0.7
q = np.array([angle, -2 * angle, 0.4 * np.cos(angle)])
given = {"q": q, "qd": np.array([1, -2, -0.4 * np.sin(angle)]), "u": rng.normal(size=(9, 1)), "tau": rng.normal(size=(9, 3))}
own, arrays, _ = call(robot, "rollout", 1e-3, **given)
results = own.value(*arrays)
directions = [rng.normal(size=x.shape) for x in arrays]
weights = [rng.normal(size=x.shape) for x in results]
changes = own.tangent(arrays, results, directions)
for i, change in enumerate(changes):
    along = lambda s: own.value(*(x + s * d for x, d in zip(arrays, directions)))[i]
    h = 1e-4
    due = (45 * (along(h) - along(-h)) - 9 * (along(2 * h) - along(-2 * h)) + along(3 * h) - along(-3 * h)) / (60 * h)
    assert np.max(np.abs(change - due)) < 1e-8 * np.max(np.abs(due)), (i, change, due)
forwards = sum((w * change).sum() for w, change in zip(weights, changes))
backwards = sum((by * d).sum() for by, d in zip(own.adjoint(arrays, results, weights), directions))
assert abs(forwards - backwards) < 1e-11 * max(abs(w * change).sum() for w, change in zip(weights, changes))
print(len(arrays))
`;
    const given = { cwd: path.join(own, 'python'), env: { ...env, PYTHONPATH: '.' }, encoding: 'utf8' } as const;
    expect(execFileSync('python3', ['-c', program], given)).toBe('4\n');
  });

  it.skipIf(withFrameworks.length === 0).each(withFrameworks)(
    'is differentiated by PyTorch and JAX, where %s has them',
    (interpreter) => {
      const program = readFileSync(new URL('python-gradients.py', import.meta.url), 'utf8');
      const { tested, errors } = JSON.parse(
        execFileSync(interpreter, ['-c', program], { cwd: root, env, encoding: 'utf8' }),
      ) as Gradients;
      expect(Object.keys(tested)).not.toEqual([]);
      if (tested['torch'])
        expect(errors.at(-1)).toBe('rollout: qd: expected float32 or float64, the same for all, not torch.float64');
    },
    120_000,
  );

  it.runIf(isFull)('is installed by pip from its folder, without a network', () => {
    const site = path.join(folder, 'site');
    const words = ['-m', 'pip', 'install', '--no-index', '--no-deps', '--target', site, root];
    execFileSync('python3', words, { env, stdio: 'pipe' });
    expect(readdirSync(path.join(site, 'door_arm'))).toContain('library.so');
    const printed = execFileSync('python3', ['-c', 'import door_arm; print(door_arm.__file__)'], {
      cwd: folder,
      env: { ...env, PYTHONPATH: site },
      encoding: 'utf8',
    });
    expect(printed).toContain(site);
  });

  it('names the compiler that is missing, and a library of other sources', () => {
    const executable = python('import sys; print(sys.executable)').trim();
    const build = spawnSync(executable, ['-c', 'import kanegen_build; kanegen_build.build_wheel(".")'], {
      cwd: root,
      env: { ...env, CC: '', PATH: folder },
      encoding: 'utf8',
    });
    expect(build.stderr).toMatch(/door_arm: no C compiler: looked for cc, gcc, clang; install one/);
    const file = path.join(root, 'door_arm/interface.json');
    const told = JSON.parse(readFileSync(file, 'utf8')) as RobotInterface;
    writeFileSync(file, JSON.stringify({ ...told, abi: '00000000' }));
    const { stderr } = spawnSync('python3', ['-c', 'import door_arm'], { cwd: root, env, encoding: 'utf8' });
    expect(stderr).toMatch(/built from other sources than interface.json: install the package again/);
  });
});

function chunked(values: readonly number[], width: number): number[][] {
  return Array.from({ length: values.length / width }, (_, i) => values.slice(i * width, (i + 1) * width));
}
