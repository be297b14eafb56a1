/**
 * Arbitrary calls of robots in memory: functions of generated code with arrays of any length and numbers of any kind, equilibria and
 * searches with loads and options of any kind, robots as objects of any kind.
 */
import fc from 'fast-check';
import { KanegenError } from '../../src/common/error.ts';
import { loadRobotObject } from '../../src/description/load.ts';
import {
  equilibrium,
  inverseKinematics,
  linearise,
  loadRobot,
  NoEquilibrium,
  type RobotInMemory,
} from '../../src/index.ts';
import { KG_OK, KG_UNDEFINED } from '../../src/runtime/driver.ts';
import { UndefinedMotion } from '../../src/simulation/equilibria/derivatives.ts';
import { refusal, type Outcome } from './outcome.ts';

const ROBOT = {
  kanegen: 1,
  name: 'called',
  parameters: { m: { value: '1 kg', min: 0, runtime: true } },
  'body-types': { soft: { extends: 'planar-cc', parameters: { E: '1 MPa' }, potential: 'E*R^4/L*q^2' } },
  links: [
    { name: 'a', joint: { revolute: 'z', limits: [-2, 2], damping: 0.1 }, rigid: { mass: 'm', com: [0.1, 0, 0] } },
    { name: 'b', joint: { universal: ['x', 'y'] }, body: 'soft' },
  ],
  actuators: { turn: { motor: 'a.angle' } },
};
let robot: Promise<RobotInMemory> | undefined;

// ---------------------------------------------------------------------------------------------- arbitrary calls

/** JSON has no others. */
const number = fc.oneof(
  { weight: 8, arbitrary: fc.double({ min: -2, max: 2, noNaN: true }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('NaN', 'Infinity', '-Infinity', 1e308, -1e308, 5e-324, -0, 0, 1e5, 9, -1, 0.5),
  },
);
const array = fc
  .tuple(
    fc.constantFrom(0, 1, 3, 3, 4, 4, 4, 4, 4, 4, 6, 6, 9, 12, 16, 24),
    fc.array(number, { minLength: 1, maxLength: 6 }),
  )
  .map(([length, values]) => Array.from({ length }, (_, i) => values[i % values.length]!));
const argument = fc.oneof(
  { weight: 6, arbitrary: array },
  { weight: 2, arbitrary: number },
  { weight: 1, arbitrary: fc.constant(null) },
);
const call = fc.record({
  name: fc.nat(999),
  /** As many as the function takes. */
  arguments: fc.array(argument, { minLength: 8, maxLength: 8 }),
});
const loads = fc.record(
  {
    inputs: array,
    forces: array,
    held: fc.array(fc.constantFrom(0, 1, 3, 4, 9, -1, 0.5), { maxLength: 3 }),
    wrenches: fc.array(fc.record({ frame: fc.constantFrom(0, 1, 2, 9), wrench: array }), { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const goal = fc.record(
  { frame: fc.constantFrom(0, 1, 9, -1, 0.5), position: array, rotation: array },
  { requiredKeys: ['position'] },
);
const search = fc.record(
  { start: array, restarts: fc.constantFrom(0, 1, 2), within: number, radian: number, seed: number },
  { requiredKeys: ['restarts'] },
);
/** What may stand anywhere in an object. */
const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(
    { toString: 1 },
    [{ valueOf: 0, toString: 0 }],
    'a.angle',
    'L',
    '1 mm',
    'x',
    '1/0',
    '(',
    'soft',
    'base',
    -1,
    0,
    1e308,
    null,
  ),
);

/** Several calls one after the other, as JSON. */
export const calls: fc.Arbitrary<string> = fc
  .oneof(
    fc.record({ functions: fc.array(call, { minLength: 1, maxLength: 6 }) }),
    fc.record({ loads, start: fc.option(array, { nil: undefined }) }),
    fc.record({ goal, search }),
    fc.record({ put: anything, at: fc.array(fc.nat(99), { minLength: 1, maxLength: 5 }) }),
  )
  .map((one) => JSON.stringify(one));

// ---------------------------------------------------------------------------------------------- what becomes of them

type Argument = readonly (number | string)[] | number | string | null;
interface Call {
  readonly functions?: readonly { readonly name: number; readonly arguments: readonly Argument[] }[];
  readonly loads?: object;
  readonly start?: readonly (number | string)[];
  readonly goal?: object;
  readonly search?: object;
  readonly put?: unknown;
  readonly at?: readonly number[];
}

/** `NaN` and its like, which JSON has not, in numbers; everything else as it is. */
function revived(value: unknown): unknown {
  if (value === 'NaN' || value === 'Infinity' || value === '-Infinity') return Number(value);
  if (Array.isArray(value)) return value.map(revived);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, own]) => [key, revived(own)]));
}

export async function outcomeOfCalls(input: string): Promise<Outcome> {
  robot ??= loadRobot(ROBOT, { derivatives: true, points: true });
  const { robot: model, dynamics } = await robot;
  const given = JSON.parse(input) as Call;
  try {
    if (given.functions) return callAll(dynamics, given.functions);
    if (given.at) return loaded(given.at, given.put, input);
    if (given.goal) {
      const { q, distance, angle, reached } = inverseKinematics(
        model,
        dynamics,
        revived(given.goal) as never,
        revived(given.search) as never,
      );
      // What has no pose at any start is infinitely far.
      return finite('searched', reached ? [...q, distance, angle] : q);
    }
    const found = equilibrium(model, dynamics, revived(given.loads) as never, revived(given.start) as never);
    const { modes, A } = linearise(
      model,
      dynamics,
      { q: found.q, qd: found.q.map(() => 0) },
      revived(given.loads) as never,
    );
    return finite('rests', [...found.q, ...A.flat(), ...modes.map(({ frequency }) => frequency)]);
  } catch (error) {
    if (error instanceof RangeError && !/undefined|Maximum/.test(error.message)) return { result: 'RangeError' };
    if (error instanceof NoEquilibrium || error instanceof UndefinedMotion) return { result: error.constructor.name };
    if (error instanceof KanegenError) return refusal(error, input);
    return { result: 'internal', problem: String((error as Error).stack) };
  }
}

function finite(result: string, numbers: readonly number[]): Outcome {
  return { result, ...(numbers.every(Number.isFinite) ? {} : { problem: `not finite: ${numbers.join(' ')}` }) };
}

/** A robot with one value replaced is loaded, or refused. */
function loaded(at: readonly number[], put: unknown, input: string): Outcome {
  const object = structuredClone(ROBOT) as unknown as Record<string, unknown>;
  let inner: Record<string, unknown> = object;
  for (const [depth, pick] of at.entries()) {
    const keys = Object.keys(inner);
    const key = keys[pick % keys.length];
    if (key === undefined) break;
    const next = inner[key];
    if (depth === at.length - 1 || typeof next !== 'object' || next === null) {
      inner[key] = put;
      break;
    }
    inner = next as Record<string, unknown>;
  }
  try {
    loadRobotObject(object);
    return { result: 'loaded' };
  } catch (error) {
    if (error instanceof KanegenError && error.problems.every(({ location }) => location))
      return { result: error.code };
    return refusal(error, input);
  }
}

/** What a status promises: all that was written is finite by KG_OK; nothing is written by others, NaN by KG_UNDEFINED. */
function callAll(dynamics: RobotInMemory['dynamics'], list: NonNullable<Call['functions']>): Outcome {
  const functions = Object.entries(dynamics as unknown as Record<string, unknown>).filter(
    (entry): entry is [string, (...numbers: unknown[]) => number] =>
      typeof entry[1] === 'function' && !/^(twin|singularLink|mapped)$/.test(entry[0]),
  );
  dynamics.update([0.1, 0.2, 0.3, 0.4], [1, -1, 0.5, 0]);
  let result = 'called';
  for (const own of list) {
    const [name, f] = functions[own.name % functions.length]!;
    const taken = own.arguments.slice(0, f.length).map((one) => {
      const value = revived(one);
      return Array.isArray(value) ? Float64Array.from(value as number[]) : value;
    });
    const before = taken.map((value) => (value instanceof Float64Array ? value.slice() : value));
    let status: number;
    try {
      status = f.apply(dynamics, taken);
    } catch (error) {
      // Numbers in place of arrays, and null, are what the types of TypeScript exclude.
      const isTyped = taken.every((value) => value instanceof Float64Array);
      if (error instanceof RangeError || (!isTyped && error instanceof TypeError)) {
        result = error.constructor.name;
        continue;
      }
      return { result: 'internal', problem: `${name}: ${String((error as Error).stack)}` };
    }
    if (!taken.some((value) => value instanceof Float64Array)) continue;
    for (const [i, value] of taken.entries()) {
      if (!(value instanceof Float64Array)) continue;
      for (const [k, x] of value.entries()) {
        const was = (before[i] as Float64Array)[k]!;
        if (Object.is(x, was)) continue;
        const may = status === KG_OK ? Number.isFinite(x) : status === KG_UNDEFINED && Number.isNaN(x);
        if (!may)
          return {
            result: 'called',
            problem: `${name} has status ${status}, and argument ${i}[${k}] went from ${was} to ${x}`,
          };
      }
    }
    result = `status ${status}`;
  }
  return { result };
}
