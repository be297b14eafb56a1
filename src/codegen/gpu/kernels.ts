/**
 * What kernels for many states are told of the straight-line functions of a robot, whatever their language: arrays that go in and
 * out of each function, and ways to make steps of them.
 */
import { isNumber, type StraightFunctionName } from '../../straight/straight-robot.ts';
import { functionCName } from '../whole-robot/straight-header.ts';
import {
  inputSize,
  programsOf,
  type StraightFunctionModel,
  type StraightModel,
} from '../whole-robot/straight-model.ts';

/** Numbers of a state that a function reads or writes. */
interface KernelArray {
  readonly name: string;
  readonly size: number;
  /** A caller may leave it out. */
  readonly optional: boolean;
}

export interface Kernel {
  /** As in C: `inverse_dynamics`. */
  readonly name: string;
  readonly of: StraightFunctionModel;
  readonly summary: string;
  /** Does it read run-time parameters? */
  readonly keeps: boolean;
  /** Inputs that are one number for all states. */
  readonly numbers: readonly string[];
  readonly inputs: readonly KernelArray[];
  /** What stands there is read, and added to. */
  readonly changed: readonly KernelArray[];
  readonly outputs: readonly KernelArray[];
  /** Both, in the order of the function. */
  readonly written: readonly KernelArray[];
}

/** A way to go from one state to the next with forces that are constant meanwhile. */
export interface Stepper {
  /** `runge_kutta`, `implicit`. */
  readonly name: string;
  /** The function that it calls. */
  readonly calls: string;
  readonly about: string;
}

/** Functions without outputs have no kernels. */
export function kernelsOf(model: StraightModel): Kernel[] {
  return model.functions
    .map((of) => {
      const read = (name: string): boolean => programsOf(of)[0]!.reads.includes(name);
      const arrays = of.reads.filter((buffer) => buffer !== 'parameters' && !isNumber(buffer));
      const written = of.outputs.filter(({ size }) => size > 0);
      return {
        name: functionCName(of.name),
        of,
        summary: of.summary,
        keeps: of.reads.includes('parameters'),
        numbers: of.reads.filter(isNumber),
        inputs: arrays.map((name) => ({ name, size: inputSize(model, name), optional: false })),
        changed: written.filter(({ name }) => read(name)),
        outputs: written.filter(({ name }) => !read(name)),
        written,
      };
    })
    .filter(({ written }) => written.length > 0);
}

/** Forward dynamics of robots with loops keeps accelerations along rows, not positions: it makes no steps. */
export function steppersOf(model: StraightModel): Stepper[] {
  const has = (name: StraightFunctionName): boolean => model.functions.some((own) => own.name === name);
  const closes = (name: StraightFunctionName): boolean =>
    model.functions.some((own) => own.name === name && own.closing);
  if (model.robot.robot.coordinates.length === 0) return [];
  return [
    ...(has('forwardDynamics') && !closes('forwardDynamics')
      ? [
          {
            name: 'runge_kutta',
            calls: 'forward_dynamics',
            about: 'Runge-Kutta steps of fourth order of the forward dynamics',
          },
        ]
      : []),
    ...(has('implicitStep')
      ? [
          {
            name: 'implicit',
            calls: 'implicit_step',
            about: 'Linearly implicit Euler steps, springs and dampers at their ends',
          },
        ]
      : []),
  ];
}

/** Do steps take inputs of actuators, or generalized forces? */
export function isActuated({ functions }: StraightModel): boolean {
  return functions.some(({ name }) => name === 'actuate');
}
