/**
 * Plugins for ROS 2: XML is well-formed and names what there is, sources compile against stubs of ROS in its older and newer
 * interface, and compute what generated TypeScript computes. ROS itself is not part of the tests.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { load, type GeneratedFile } from '../../../src/index.ts';
import { isInstalled, QUICK } from '../../compilers.ts';

const ROBOT = {
  kanegen: 1,
  name: 'pendulum',
  summary: 'a "driven" <arm> & its --load-- */',
  parameters: { load: { value: '1 kg', min: '0.1 kg', max: '9 kg', runtime: true }, stroke: '20 mm' },
  links: [
    { name: 'shaker', joint: { prismatic: 'x', prescribed: 'stroke*sin(90*t)' }, rigid: { mass: '1 kg' } },
    {
      name: 'arm',
      joint: { revolute: 'y', damping: '0.1 N m s/rad', limits: ['-2 rad', '2 rad'] },
      rigid: { mass: 'load', com: [0, 0, 0.1] },
    },
  ],
  actuators: { motor: { motor: 'arm.angle', ratio: 2, limits: ['-20 N m', '20 N m'] } },
  controllers: {
    solver: { pd: { kp: 40, kd: 2 } },
    lift: { 'partial-feedback-linearisation': { kp: 40, kd: 2 } },
    track: {
      'computed-torque': { kp: '225 1/s^2', kd: '30 1/s' },
      shell: { period: '1 ms', rate: '400 N m/s', blend: '50 ms', velocity: { 'tracking-loop': '120 1/s' } },
    },
  },
};

const PROGRAM = `
#include "src/solver.cpp"
#include "src/controllers.cpp"

template <typename Law> void run(const char * topic, int bad)
{
  Law law;
  double u = -1;
  const rclcpp_lifecycle::State state;
  law.on_init();
  auto node = law.get_node();
  node->parameters.at("gains.kp").own = std::vector<double>{100.0};
  node->parameters.at("parameters.load").own = 2.5;
  std::printf("%d", static_cast<int>(law.on_configure(state)));
  law.command_interfaces_ = {{&u}};
  law.state_interfaces_ = {{0.1}, {0.2}};
  for (const auto & own : law.state_interface_configuration().names) std::printf(" %s", own.c_str());
  for (const auto & own : law.command_interface_configuration().names) std::printf(" %s", own.c_str());
  law.on_activate(state);
  for (int k = 0; k < 6; k++) {
    if (k == 2) {
      auto point = std::make_shared<trajectory_msgs::msg::JointTrajectoryPoint>();
      point->positions = {0.4};
      point->velocities = {0.3};
      node->send(point);
    }
    if (k == bad) law.state_interfaces_[0].own = NAN;
    const auto status = law.update({}, {1e-3});
    std::printf("\\n%s %a %d", topic, u, static_cast<int>(status));
  }
  law.on_deactivate(state);
  std::printf(" %a\\n", u);
}

int main()
{
  pendulum_ros2::Solver solver;
  auto parameters = std::make_shared<rclcpp::node_interfaces::NodeParametersInterface>();
  parameters->all.insert({"own.load", rclcpp::Parameter{2.5}});
  solver.initialize(parameters, "own");
  const Eigen::VectorXd q{0.3}, qd{0.5}, qdd{-0.7};
  std::printf("%a %a %a %a %a\\n", solver.getInertiaMatrix(q)(0, 0), solver.getCoriolisVector(q, qd)[0],
    solver.getGravityVector(q)[0], solver.getFrictionVector(qd)[0], solver.getTorques(q, qd, qdd)[0]);
  try { (void)solver.getGravityVector({0.1, 0.2}); } catch (const std::exception & error) { std::printf("%s\\n", error.what()); }
  try { (void)solver.getGravityVector({NAN}); } catch (const std::exception & error) { std::printf("%s\\n", error.what()); }
  run<pendulum_ros2::Solver_2>("pd", 5);
  run<pendulum_ros2::Lift>("linear", -1);
  run<pendulum_ros2::Track>("shell", -1);
  Eigen::VectorXd wrong{1};
  pendulum_ros2::Track law;
  law.on_init();
  law.get_node()->parameters.at("joints").own = std::vector<std::string>{"a", "b"};
  std::printf("%d\\n", static_cast<int>(law.on_configure({})));
  pendulum_ros2::Track loaded;
  loaded.on_init();
  loaded.get_node()->parameters.at("parameters.load").own = 0.01;
  std::printf("%d\\n", static_cast<int>(loaded.on_configure({})));
  return 0;
}
`;

const HEADERS = [
  'inverse_dynamics_solver/inverse_dynamics_solver.hpp',
  'pluginlib/class_list_macros.hpp',
  'controller_interface/controller_interface.hpp',
  'rclcpp/rclcpp.hpp',
  'rclcpp_lifecycle/state.hpp',
  'trajectory_msgs/msg/joint_trajectory_point.hpp',
];

const isFull = process.env['KANEGEN_FULL'] === '1';
const folder = mkdtempSync(path.join(tmpdir(), 'kanegen-ros2-'));
const root = path.join(folder, 'ros2');
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const code = await (await load(ROBOT)).compile();
let files: readonly GeneratedFile[];
const textOf = (name: string): string => files.find((file) => file.path === `ros2/${name}`)!.text;
const write = (name: string, text: string): void => {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  writeFileSync(path.join(folder, name), text);
};
beforeAll(async () => {
  files = await code.files({ target: 'ros2' });
  for (const file of files) write(file.path, file.text);
  const stubs = fileURLToPath(new URL('ros2-stubs.hpp', import.meta.url));
  for (const header of HEADERS) write(`stubs/${header}`, `#include "${stubs}"\n`);
});

describe('packages for ROS 2', () => {
  it('name their plugins, sources and what they depend on', () => {
    const cmake = textOf('CMakeLists.txt');
    for (const file of files.filter(({ path: own }) => own.startsWith('ros2/c/') && own.endsWith('.c')))
      expect(cmake).toContain(`\n  ${file.path.slice('ros2/'.length)}\n`);
    const depends = [...textOf('package.xml').matchAll(/<depend>(\w+)<\/depend>/g)].map(([, own]) => own!);
    const found = [...cmake.matchAll(/find_package\((\w+)/g)].map(([, own]) => own!);
    for (const own of found.filter((name) => name !== 'ament_cmake')) expect(depends).toContain(own);
    for (const [xml, source] of [
      ['controllers.xml', 'src/controllers.cpp'],
      ['solver.xml', 'src/solver.cpp'],
    ] as const) {
      const types = [...textOf(xml).matchAll(/type="(pendulum_ros2::\w+)"/g)].map(([, own]) => own!);
      const exported = [...textOf(source).matchAll(/PLUGINLIB_EXPORT_CLASS\(([\w:]+),/g)].map(([, own]) => own!);
      expect(types).toEqual(exported);
      expect(cmake).toContain(`add_library(${/library path="(\w+)"/.exec(textOf(xml))![1]!} SHARED ${source})`);
    }
    const lines = files.filter(({ path: own }) => /\.(cpp|txt)$/.test(own)).flatMap(({ text }) => text.split('\n'));
    expect(lines.filter((line) => line.length > 120)).toEqual([]);
  });

  it.skipIf(!isInstalled('xmllint'))('are well-formed XML (needs xmllint)', () => {
    for (const name of ['package.xml', 'solver.xml', 'controllers.xml'])
      execFileSync('xmllint', ['--noout', path.join(root, name)], { stdio: 'pipe' });
    expect(textOf('package.xml')).toContain('a &quot;driven&quot; &lt;arm&gt; &amp; its --load-- */');
  });

  it.skipIf(!isInstalled('g++'))('compute what TypeScript computes, over stubs of ROS (needs g++)', async () => {
    write('ros2/main.cpp', PROGRAM);
    const sources = files.map((file) => file.path).filter((own) => own.endsWith('.c'));
    const objects = sources.map((own) => `${path.basename(own, '.c')}.o`);
    execFileSync(QUICK.compiler ?? 'gcc', [...QUICK.flags, '-c', ...sources.map((own) => path.join(folder, own))], {
      cwd: folder,
    });
    const flags = ['-std=c++17', '-Wall', '-Wextra', '-Wpedantic', '-Werror', '-I../stubs', '-Ic'];
    if (isFull)
      execFileSync('g++', [...flags, '-DHUMBLE', '-fsyntax-only', 'src/controllers.cpp'], { cwd: root, stdio: 'pipe' });
    const link = ['main.cpp', ...objects.map((own) => `../${own}`), '-lm', '-o', '../program'];
    execFileSync('g++', [...flags, ...link], { cwd: root, stdio: 'pipe' });
    const printed = execFileSync(path.join(folder, 'program'), { encoding: 'utf8' }).trim().split('\n');

    const robot = await code.run();
    robot.parameters.load = 2.5;
    const [M, c, g, elastic, damping, tau] = Array.from({ length: 6 }, () => new Float64Array(1)) as Float64Array[];
    robot.update([0.3], [0.5]);
    robot.massMatrix(M!);
    robot.terms(c!, g!, elastic!, damping!);
    robot.inverseDynamics([-0.7], tau!);
    robot.update([0], [0.5]);
    robot.terms(new Float64Array(1), new Float64Array(1), elastic!, damping!);
    expect(numbersOf(printed[0]!)).toEqual([M![0], c![0], g![0], damping![0], tau![0]]);
    expect(damping![0]).not.toBe(0);
    expect(printed.slice(1, 3)).toEqual([
      'pendulum_ros2: expected 1 numbers, not 2',
      'pendulum_ros2: update: status 1',
    ]);

    robot.parameters.load = 2.5;
    const at = (k: number): void => void (robot.parameters.time = 1e-3 * k);
    const started = '0 arm.angle/position arm.angle/velocity motor/effort';
    const law = robot.controllers.get('pendulum_solver')!;
    const [gains, state, u] = [law.createParameters(), law.createState(), new Float64Array(1)];
    (gains['kp'] as Float64Array).fill(100);
    const pd = [0, 1, 2, 3, 4].map((k) => {
      at(k);
      law.step(robot, state, gains, [0.1], [0.2], [k < 2 ? 0.1 : 0.4], [k < 2 ? 0 : 0.3], [0], u);
      return [u[0], 0];
    });
    expect(printed[3]).toBe(started);
    expect(printed.slice(4, 9).map(numbersOf)).toEqual(pd);
    // A sensor that fails: the last inputs, and ERROR, upon which the manager deactivates the controller: zero.
    expect(numbersOf(printed[9]!)).toEqual([u[0], 1, 0]);

    // The place of the motor, twice the angle, is held until there is a reference.
    const linear = robot.controllers.get('pendulum_lift')!;
    const [own, memory] = [linear.createParameters(), linear.createState()];
    (own['kp'] as Float64Array).fill(100);
    const lift = [0, 1, 2, 3, 4, 5].map((k) => {
      at(k);
      linear.step(robot, memory, own, [0.1], [0.2], [k < 2 ? 0.2 : 0.4], [k < 2 ? 0 : 0.3], [0], u);
      return [u[0], 0, ...(k === 5 ? [0] : [])];
    });
    expect(printed[10]).toBe(started);
    expect(printed.slice(11, 17).map(numbersOf)).toEqual(lift);

    const loaded = robot.controllers.get('pendulum_track')!.shell!;
    const shell = loaded.create();
    (shell.gains['kp'] as Float64Array).fill(100);
    const run = [0, 1, 2, 3, 4, 5].map((k) => {
      const ask = k < 2 ? 1 : 3;
      at(k);
      loaded.step(robot, shell, ask, 1e-3, [0.1], [0.2], [k < 2 ? 0.1 : 0.4], [k < 2 ? 0 : 0.3], [0], u);
      return [u[0], 0, ...(k === 5 ? [0] : [])];
    });
    expect(printed[17]).toBe(started);
    expect(printed.slice(18, 24).map(numbersOf)).toEqual(run);
    expect(run[5]![0]).not.toBe(run[0]![0]);
    expect(printed.slice(24)).toEqual([
      'expected 1 joints and 1 commands, not 2 and 1',
      '2',
      'parameters: a number is not finite, or outside its minimum and maximum',
      '2',
    ]);
  });

  it('are refused where nothing moves, and where functions are missing', async () => {
    const lean = await (await load(ROBOT)).compile({ functions: ['mass-matrix'] });
    await expect(lean.files({ target: 'ros2' })).rejects.toMatchObject({ code: 'no-ros2' });
    const rock = { kanegen: 1, name: 'rock', links: [{ name: 'a', rigid: { mass: 1, com: [0, 0, 0.1] } }] };
    await expect((await (await load(rock)).compile()).files({ target: 'ros2' })).rejects.toMatchObject({
      code: 'no-ros2',
      message: '`rock` has no coordinates: there is nothing to control',
    });
  });
});

/** Numbers of a line, in hexadecimal as C prints them, or whole. */
function numbersOf(line: string): number[] {
  return line
    .split(' ')
    .filter((own) => /\d/.test(own))
    .map((own) => {
      const hex = /^(-?)0x([\da-f]+)\.?([\da-f]*)p([+-]\d+)$/.exec(own);
      if (!hex) return Number(own);
      const [, sign, whole, fraction, exponent] = hex;
      const value = Number.parseInt(whole! + fraction!, 16) * 2 ** (Number(exponent) - 4 * fraction!.length);
      return sign === '-' ? -value : value;
    });
}
