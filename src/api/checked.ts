/** Generated code whose functions throw where their status is not `KG_OK`: the function, the status, what it means and where. */
import type { LoadedController, LoadedRobot } from '../codegen/typescript/load.ts';
import { parameterIdentifiers } from '../codegen/naming/identifiers.ts';
import { KanegenError } from '../common/error.ts';
import type { Robot } from '../description/model/robot.ts';
import { unsolvedAt, unsolvedSection } from '../simulation/run/unsolved-section.ts';
import {
  KG_NO_FRAME,
  KG_NO_STATE,
  KG_CONTRADICTORY,
  KG_NO_STEP,
  KG_NON_FINITE,
  KG_OK,
  KG_OUT_OF_RANGE,
  KG_SINGULAR,
  KG_UNDEFINED,
} from '../runtime/driver.ts';

/** What went wrong in a call. */
interface FailedCall {
  readonly robot: Robot;
  readonly running: LoadedRobot;
  /** Of the function that was called. */
  readonly name: string;
  /** By the names of the function's parameters. */
  readonly given: ReadonlyMap<string, unknown>;
}

interface Meaning {
  readonly name: string;
  readonly code: string;
  readonly text: (call: FailedCall) => string;
  readonly remedy: string;
}

const MEANINGS: ReadonlyMap<unknown, Meaning> = new Map([
  [
    KG_NON_FINITE,
    {
      name: 'KG_NON_FINITE',
      code: 'status-non-finite',
      text: notFinite,
      remedy: 'give finite numbers, and finite values to `parameters`',
    },
  ],
  [
    KG_OUT_OF_RANGE,
    {
      name: 'KG_OUT_OF_RANGE',
      code: 'status-out-of-range',
      text: outOfRange,
      remedy: 'keep parameters within their limits, and steps of time positive',
    },
  ],
  [
    KG_UNDEFINED,
    {
      name: 'KG_UNDEFINED',
      code: 'status-undefined',
      text: undefinedResult,
      remedy: 'choose a state within the limits of the coordinates',
    },
  ],
  [
    KG_NO_FRAME,
    {
      name: 'KG_NO_FRAME',
      code: 'status-no-frame',
      text: noFrame,
      remedy: 'find the index by name: robot.frames, robot.links',
    },
  ],
  [
    KG_NO_STATE,
    {
      name: 'KG_NO_STATE',
      code: 'status-no-state',
      text: () => 'no state is staged',
      remedy: 'call `update` first, and again after functions that end in `At`; of controllers, reset the state',
    },
  ],
  [
    KG_SINGULAR,
    {
      name: 'KG_SINGULAR',
      code: 'status-singular',
      text: singular,
      remedy: 'give the link mass or inertia along all of its coordinates, or an `armature` to its joint',
    },
  ],
  [
    KG_CONTRADICTORY,
    {
      name: 'KG_CONTRADICTORY',
      code: 'status-contradictory',
      text: contradictory,
      remedy: 'remove a row (`rows` of the loop), or a loop that asks for what others forbid',
    },
  ],
  [
    KG_NO_STEP,
    {
      name: 'KG_NO_STEP',
      code: 'status-no-step',
      text: () => "no step of time has an error within the tolerance, or Newton's method does not converge in it",
      remedy: 'shorten the step, or raise the tolerance',
    },
  ],
]);

/** Functions whose results are no statuses. */
const OTHERS: ReadonlySet<string> = new Set(['singularLink', 'constraintRank', 'twin']);

/**
 * The same robot, sharing its workspace and parameters, with functions that throw.
 * @returns functions still return their status, which is always `KG_OK`; `twin` gives a robot that throws, too.
 */
export function checked<Running extends LoadedRobot>(running: Running, robot: Robot): Running {
  const entries = Object.entries(running).map(([name, value]: [string, unknown]) => {
    if (name === 'twin') return [name, () => checked({ ...running, ...running.twin() }, robot)];
    if (typeof value !== 'function' || OTHERS.has(name)) return [name, value];
    return [name, throwing(value as Call, { robot, running, name })];
  });
  const controllers = [...running.controllers].map(([name, own]): [string, LoadedController] => [
    name,
    { ...own, step: throwing(own.step as Call, { robot, running, name: `${name}.step` }) as LoadedController['step'] },
  ]);
  return { ...(Object.fromEntries(entries) as Running), controllers: new Map(controllers) };
}

type Call = (...given: readonly unknown[]) => unknown;

function throwing(work: Call, call: Omit<FailedCall, 'given'>): Call {
  const calling = (...given: readonly unknown[]): unknown => {
    const status = work(...given);
    if (status === KG_OK) return status;
    const { name, code, text, remedy } = MEANINGS.get(status)!;
    const failed = { ...call, given: byParameter(work, given) };
    const error = new KanegenError(code, `${call.name} of ${call.robot.name}: ${name}: ${text(failed)}`, { remedy });
    // The trace begins at the call.
    Error.captureStackTrace(error, calling);
    throw error;
  };
  return calling;
}

/** Generated functions have their parameters in front: `update(q, qd) {`. */
function byParameter(work: Call, given: readonly unknown[]): ReadonlyMap<string, unknown> {
  const [, list = ''] = /\(([^)]*)\)/.exec(work.toString()) ?? [];
  const names = list.split(',').map((name) => name.trim());
  return new Map(given.map((value, i) => [names[i] || `argument ${i + 1}`, value]));
}

function notFinite({ given, running }: FailedCall): string {
  for (const [name, value] of [...given, ...Object.entries(running.parameters)])
    for (const [i, number] of numbersIn(value).entries())
      if (!Number.isFinite(number)) return `${name}${typeof value === 'number' ? '' : `[${i}]`} is ${String(number)}`;
  return 'a number of the staged state is not finite';
}

function numbersIn(value: unknown): readonly unknown[] {
  if (typeof value === 'number') return [value];
  return Array.isArray(value) || value instanceof Float64Array ? Array.from(value as ArrayLike<unknown>) : [];
}

function outOfRange({ robot, running, given }: FailedCall): string {
  const names = parameterIdentifiers(robot.parameters);
  for (const [i, { name, lower = -Infinity, upper = Infinity }] of robot.parameters.entries()) {
    const value = running.parameters[names[i]!];
    if (typeof value === 'number' && (value < lower || value > upper))
      return `the parameter \`${name}\` is ${value}, outside of ${lower} to ${upper}`;
  }
  const h = given.get('h');
  return typeof h === 'number' ? `the step h is ${h}` : 'a parameter or gain is out of its range';
}

/** Functions that end in `At` leave no state that could be asked. */
function undefinedResult({ robot, running, given }: FailedCall): string {
  const q = given.get('q') as ArrayLike<number> | undefined;
  const unsolved = q ? unsolvedAt(q, robot, running) : unsolvedSection(robot, running);
  return `the result is not finite: ${unsolved ?? 'a formula overflows or has a pole at this state'}`;
}

function noFrame({ robot, given }: FailedCall): string {
  const [what, all] = given.has('link') ? (['link', robot.links] as const) : (['frame', robot.frames] as const);
  const index = given.get('link') ?? given.get('index');
  return `there is no ${what} ${String(index)}, only 0 to ${all.length - 1}`;
}

function contradictory({ robot, running }: FailedCall): string {
  const rows = (robot.loops ?? []).flatMap((loop) => loop.rows);
  const row = rows[-1 - (running.constraintRank?.() ?? 0)];
  return `the row ${row ? `\`${row.name}\`` : ''} of the loops contradicts others at this state`;
}

function singular({ robot, running }: FailedCall): string {
  const link = robot.links[running.singularLink()];
  const where = link ? `: no force accelerates some motion of the link \`${link.name}\` finitely` : '';
  return `the mass matrix, or the matrix of the step, is not positive definite at this state${where}`;
}
