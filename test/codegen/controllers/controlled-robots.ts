/** Robots with controllers of every law, compiled, and their steps called from TypeScript. */
import { generateC } from '../../../src/codegen/c/c.ts';
import { loadGenerated, type LoadedRobot } from '../../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../../src/codegen/typescript/typescript.ts';
import { loadRobotFile, loadRobotObject } from '../../../src/description/load.ts';
import type { Robot } from '../../../src/description/model/robot.ts';
import { compileRobot } from '../../../src/kane/compile.ts';
import type { CompiledRobot } from '../../../src/kane/kernels/link-type.ts';

export const numbers = (count: number, phase: number, size = 1): number[] =>
  Array.from({ length: count }, (_, i) => size * Math.sin(1.7 * i + phase));

export interface Prepared {
  readonly compiled: CompiledRobot;
  readonly robot: Robot;
  readonly dynamics: LoadedRobot;
  readonly c: Awaited<ReturnType<typeof generateC>>;
}

export async function prepare(robot: Robot): Promise<Prepared> {
  const compiled = compileRobot(robot);
  const dynamics = (await loadGenerated(await generateTypeScript(robot, compiled)))();
  return { robot, compiled, dynamics, c: await generateC(robot, compiled) };
}

export const arm = await prepare(loadRobotFile('examples/scenarios/ur10e-motors.robot.yaml'));
/** Coordinates that no actuator reaches directly, springs, dampers, a motor beyond a ratio, a tendon through two bodies. */
export const soft = await prepare(
  loadRobotObject({
    kanegen: 1,
    name: 'soft',
    links: [
      {
        name: 'column',
        joint: { revolute: 'x', damping: '0.02 N m s/rad' },
        rigid: {
          mass: '0.4 kg',
          inertia: { xx: '1e-3 kg m^2', yy: '2e-3 kg m^2', zz: '1e-3 kg m^2' },
          distal: { xyz: [0, 0, '0.05 m'] },
        },
      },
      {
        name: 'hinge',
        joint: { revolute: 'y', stiffness: '0.8 N m/rad', damping: '0.01 N m s/rad' },
        rigid: { mass: '0.1 kg', distal: { xyz: [0, 0, '0.02 m'] } },
      },
      { name: 'seg', repeat: 2, body: 'planar-cc', parameters: { L: '0.2 m', R: '20 mm', rho: '1062 kg/m^3' } },
    ],
    actuators: {
      turn: { motor: 'column.angle', ratio: 20, limits: ['-2 N m', '2 N m'] },
      pull: { tendon: { through: 'seg', route: { x: '15 mm', y: '5 mm' } }, limits: ['0 N', '80 N'] },
      other: { along: 'hinge.angle + 0.3*seg2.q^2', unit: 'rad' },
    },
    controllers: {
      both: { 'partial-feedback-linearisation': { outputs: ['other', 'turn'], kp: '25 1/s^2', kd: [8, 9] } },
      near: { pd: { kp: 2, kd: 0.2 } },
      part: { pd: { kp: 2, kd: 0.2, compensation: 'state', actuators: ['other', 'turn'] } },
      sum: { pd: { kp: 2, kd: 0.2, ki: 1, period: '2 ms' } },
      feed: { 'feed-forward': {} },
    },
  }),
);

export interface Reference {
  readonly y: readonly number[];
  readonly yd: readonly number[];
  readonly ydd: readonly number[];
}

export type Controller = (
  q: readonly number[],
  qd: readonly number[],
  r: Reference,
) => Promise<{ status: number; u: number[] }>;

export function inTypeScript({ robot, dynamics }: Prepared, name: string): Controller {
  const controller = dynamics.controllers.get(`${robot.name.replace(/-/g, '_')}_${name}`)!;
  const [state, parameters] = [controller.createState(), controller.createParameters()];
  const u = new Float64Array(robot.actuators.length);
  return async (q, qd, { y, yd, ydd }) => {
    const status = controller.step(dynamics, state, parameters, q, qd, y, yd, ydd, u);
    return { status, u: [...u] };
  };
}
