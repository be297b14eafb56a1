/**
 * The shell around the step of a controller, as both languages have it: what it keeps, what may be set, and the text of its
 * step, which calls one state machine of the run time (`runtime/shell.ts`) whatever the law.
 */
import type { Controller, ControllerShell } from '../../description/model/controller.ts';
import { rateUnit, type Robot } from '../../description/model/robot.ts';
import type { RobotModel } from '../modules/robot-model.ts';
import { routinesOf, type Routine, type Type } from '../translation/subset.ts';
import type { OperationCounts } from '../operations/operation-counts.ts';
import { each } from './law-text.ts';
import { BEGUN, type RecordField, type SteppedRecord } from './record-model.ts';
import { runTimeRoutines } from './run-time.ts';
import { worstCase, type ForeignCost } from './worst-case.ts';

export interface ShellModel extends SteppedRecord {
  readonly shell: ControllerShell;
  readonly cost: OperationCounts;
}

/** A controller with what the shell is told of it. */
interface Stepped {
  readonly name: string;
  readonly controller: Controller;
  readonly camel: string;
  readonly pascal: string;
  readonly integral: boolean;
  readonly hasPeriod: boolean;
  /** Names and units of references and of inputs. */
  readonly references: readonly { readonly unit: string }[];
  readonly inputs: readonly { readonly unit: string }[];
  readonly cost: OperationCounts;
}

const SHELL_NAMES =
  /\b(SHELL_[A-Z]+|shell[A-Z]\w+|measuredRates|filteredDifference|trackingLoop|observeForces|arePositive)\b/g;
const CONTROL_NAMES = /\bareOrdered\b/g;

/**
 * @param safe the controller of its faults, where it has one.
 * @param robotCost of calls of the robot.
 */
export function shellModel(
  model: RobotModel,
  own: Stepped,
  safe: Stepped | undefined,
  robotCost: ForeignCost,
): ShellModel {
  const { robot } = model;
  const shell = own.controller.shell!;
  const [camel, pascal] = [`${own.camel}Shell`, `${own.pascal}Shell`];
  const text = stepText(robot, own, safe, shell);
  const runTime = [...runTimeRoutines('control'), ...runTimeRoutines('shell')];
  const routine = routinesOf(text)[0]!;
  const routines = new Map<string, Routine>([...runTime, routine].map((each) => [each.name, each]));
  const steps = new Map([own, ...(safe ? [safe] : [])].map((each) => [`${each.camel}Step`, each.cost]));
  const foreign: ForeignCost = (called, numbers, isNull) => steps.get(called) ?? robotCost(called, numbers, isNull);
  const named = (names: RegExp): string[] => [...new Set(text.match(names))].sort();
  return {
    robot: model,
    name: `${own.name}_shell`,
    camel,
    pascal,
    variable: 'shell',
    shell,
    parts: [
      { name: 'core', type: 'Shell', summary: 'state, reason of the last fault, counters' },
      {
        name: 'gains',
        type: `${own.pascal}Parameters`,
        summary: 'of the law, which may change; its limits are written in every step',
      },
      { name: 'law', type: `${own.pascal}State`, summary: 'of the law' },
      ...(safe
        ? [
            { name: 'safeGains', type: `${safe.pascal}Parameters`, summary: 'of the law of faults, likewise' },
            { name: 'safe', type: `${safe.pascal}State`, summary: 'of the law of faults' },
          ]
        : []),
    ],
    settings: settingsOf(robot, shell),
    memory: memoryOf(robot, own, safe),
    text,
    calls: { control: named(CONTROL_NAMES), shell: named(SHELL_NAMES) },
    robotCalls: [...new Set([...text.matchAll(/\brobot\.(\w+)/g)].map(([, name]) => name!))],
    steps: [own, ...(safe ? [safe] : [])].map((each) => each.camel),
    cost: worstCase(routine, routines, foreign),
  };
}

function settingsOf(robot: Robot, shell: ControllerShell): readonly RecordField[] {
  const { coordinates, actuators } = robot;
  const array = (name: string, values: readonly number[], summary: string): RecordField => ({
    name,
    type: 'buffer',
    size: values.length,
    summary,
    values,
  });
  const number = (name: string, value: number, summary: string, type: Type = 'real'): RecordField => ({
    name,
    type,
    summary,
    values: [value],
  });
  const { rates, fault } = shell;
  return [
    number('period', shell.period, 'time from one step to the next [s]'),
    array(
      'lower',
      actuators.map(({ lower }) => lower!),
      'lower limits of the inputs',
    ),
    array(
      'upper',
      actuators.map(({ upper }) => upper!),
      'upper limits of the inputs',
    ),
    array(
      'slope',
      shell.rate,
      `largest rates of the inputs [${[...new Set(actuators.map(({ unit }) => rateUnit(unit)))].join(', ')}]`,
    ),
    number('blend', shell.blend, 'time of the way to the reference [s]'),
    array('jerk', shell.jerk, 'largest third derivatives of the reference on that way'),
    array(
      'lowest',
      coordinates.map(({ lower }) => lower ?? -Number.MAX_VALUE),
      'least coordinates: beyond is a fault',
    ),
    array(
      'highest',
      coordinates.map(({ upper }) => upper ?? Number.MAX_VALUE),
      'largest coordinates',
    ),
    array('fastest', shell.speed, 'largest rates of coordinates: beyond is a fault'),
    ...(rates.kind === 'tracking-loop'
      ? [number('bandwidth', rates.bandwidth, 'of the loop that rates come from [1/s]')]
      : []),
    ...(rates.kind === 'filtered-difference' ? [number('time', rates.time, 'of the filter of differences [s]')] : []),
    ...('steps' in fault ? [number('steps', fault.steps, 'for which u stays as it is at a fault', 'index')] : []),
    ...(shell.observe === undefined
      ? []
      : [number('observe', shell.observe, 'bandwidth of the observer of forces from outside [1/s]')]),
    number('tolerate', shell.tolerate, 'steps in a row that may be missed', 'index'),
  ];
}

function memoryOf({ coordinates, actuators }: Robot, own: Stepped, safe: Stepped | undefined): readonly RecordField[] {
  const [n, m, count] = [coordinates.length, actuators.length, own.references.length];
  const array = (name: string, size: number, summary: string): RecordField => ({ name, type: 'buffer', size, summary });
  return [
    array('q', n, 'coordinates that the law is given'),
    array('qd', n, 'their rates'),
    array('y', count, 'reference that the law is given'),
    array('yd', count, 'its rate'),
    array('ydd', count, 'its second derivative'),
    array('u', m, 'inputs of the last step'),
    array('next', m, 'inputs that are computed'),
    array('start', 3 * count, 'of the way to the reference'),
    array('held', count, 'where the robot is held'),
    ...(own.controller.law.kind === 'partial-feedback-linearisation'
      ? ['places', 'placeRates']
          .map((name) => array(name, m, 'of actuation coordinates'))
          .concat(['present', 'presentRate'].map((name) => array(name, count, 'of the outputs')))
      : []),
    ...(safe ? [array('rest', n, 'no rates')] : []),
    ...(own.controller.shell!.observe === undefined
      ? []
      : [
          array('external', n, 'generalized forces from outside, as they are observed'),
          array('before', n, 'rates in the last step'),
          array('change', n, 'their change in time'),
          array('effort', n, 'generalized forces that the motion takes'),
          array('pushed', n, 'of those, what the actuators do'),
        ]),
  ];
}

function stepText(robot: Robot, own: Stepped, safe: Stepped | undefined, shell: ControllerShell): string {
  const [n, m, count] = [robot.coordinates.length, robot.actuators.length, own.references.length];
  const { law } = own.controller;
  const estimates = {
    measured: `measuredRates(shell.core, ${n}, dt, q, qd, shell.q, shell.qd)`,
    'filtered-difference': `filteredDifference(shell.core, ${n}, dt, shell.time, q, shell.q, shell.qd)`,
    'tracking-loop': `trackingLoop(shell.core, ${n}, dt, shell.bandwidth, q, shell.q, shell.qd)`,
  } as const;
  const isActuation = law.kind === 'partial-feedback-linearisation';
  const present = isActuation ? ['shell.present', 'shell.presentRate'] : ['shell.q', 'shell.qd'];
  const finite = (name: string, size: number): string => `!areFinite(${name}, ${size})`;
  const numbers: readonly (readonly [string, number])[] = [
    ['shell.lower', m],
    ['shell.upper', m],
    ['shell.slope', m],
    ['shell.jerk', count],
  ];
  const positive = [
    'shell.period',
    'shell.blend',
    ...(shell.rates.kind === 'tracking-loop' ? ['shell.bandwidth'] : []),
    ...(shell.rates.kind === 'filtered-difference' ? ['shell.time'] : []),
    ...(shell.observe === undefined ? [] : ['shell.observe']),
  ];
  const unset = [
    ...numbers.map(([name, size]) => finite(name, size)),
    ...positive.map((name) => `!(${name} > 0) || !Number.isFinite(${name})`),
    `!arePositive(shell.slope, ${m})`,
    `!arePositive(shell.jerk, ${count})`,
    `!areOrdered(shell.lower, shell.upper, ${m})`,
  ];
  const rates = shell.rates.kind === 'measured' ? 'qd' : '_qd';
  return `
/**
 * One period. wanted: SHELL_OFF, SHELL_HOLD or SHELL_RUN (in C, KG_ stands before them); dt: time since the last
 * step, s. The status speaks of this step; the mode of the core tells what the shell does, its reason why there was a
 * fault. u are the inputs to apply, whatever the status: within their limits and, but for zeros while the shell is off
 * or at fault, no farther from the last ones than their rates allow. A step with numbers or settings that cannot be
 * used leaves them as they were.
 */
export function ${own.camel}ShellStep(robot: Dynamics, shell: ${own.pascal}Shell, wanted: Index, dt: number, q: ArrayLike<number>, ${rates}: ArrayLike<number>, y: ArrayLike<number>, yd: ArrayLike<number>, ydd: ArrayLike<number>, u: Float64Array): Status {
if (shell.core.begun !== ${BEGUN}) {
${each(m, 'u[i] = 0;')}
return KG_NO_STATE;
}
let status: Status = KG_OK;
if (${unset.join(' || ')}) {
status = KG_OUT_OF_RANGE;
shellMiss(shell.core, SHELL_SETTING, shell.tolerate);
}
let period = shell.period;
if (status !== KG_OK) period = dt;
const isPaced = shellBegin(shell.core, wanted, dt, period);
if (!isPaced) status = KG_OUT_OF_RANGE;
if (!${estimates[shell.rates.kind]} && status === KG_OK) {
status = KG_NON_FINITE;
shellMiss(shell.core, SHELL_MEASUREMENT, shell.tolerate);
}
const isAsked = wanted === SHELL_HOLD || wanted === SHELL_RUN;
if (isAsked && status === KG_OK && !shellGuard(shell.core, ${n}, shell.q, shell.qd, shell.lowest, shell.highest, shell.fastest)) status = KG_OUT_OF_RANGE;
if (isAsked && status === KG_OK && (${['y', 'yd', 'ydd'].map((name) => finite(name, count)).join(' || ')})) {
status = KG_NON_FINITE;
shellMiss(shell.core, SHELL_REFERENCE, shell.tolerate);
}
if (isAsked && status === KG_OK && shell.core.mode !== SHELL_FAULT) {
${shell.observe === undefined ? '' : observerLines(n).join('\n')}
${isActuation ? presentLines(law.outputs).join('\n') : ''}
shellRefer(shell.core, wanted, ${count}, dt, shell.blend, shell.jerk, ${present.join(', ')}, y, yd, ydd, shell.start, shell.held, shell.y, shell.yd, shell.ydd);
// The law knows how far its inputs may go in this step: what it adds up stops where they stop.
shellLimits(${m}, dt, shell.u, shell.lower, shell.upper, shell.slope, shell.gains.lower, shell.gains.upper);
${own.hasPeriod ? 'shell.gains.period = dt;' : ''}
${isActuation ? 'if (status === KG_OK) ' : ''}status = ${own.camel}Step(robot, shell.law, shell.gains, shell.q, shell.qd, shell.y, shell.yd, shell.ydd, shell.next);
if (status === KG_OK) {
${each(m, 'shell.u[i] = shell.next[i]!;')}
shell.core.missed = 0;
} else {
shellMiss(shell.core, SHELL_LAW, shell.tolerate);
}
}
if (shell.core.mode === SHELL_OFF) {
${each(m, 'shell.u[i] = 0;')}
${own.integral ? each(count, 'shell.law.integral[i] = 0;') : ''}
}
if (shell.core.mode === SHELL_FAULT) {
${safe ? safeLines(safe, n, m).join('\n') : `shellHeld(shell.core, ${m}, shell.steps, shell.u);`}
shell.core.since = shell.core.since + 1;
}
${each(m, 'u[i] = shell.u[i]!;')}
return status;
}
`;
}

/** Forces from outside, of the time since the last step; from nothing on where the shell was off. */
const observerLines = (n: number): string[] => [
  'if (shell.core.mode === SHELL_OFF) {',
  each(n, 'shell.external[i] = 0;'),
  '} else {',
  each(n, 'shell.change[i] = (shell.qd[i]! - shell.before[i]!) / dt;'),
  each(n, 'shell.pushed[i] = 0;'),
  'let seen: Status = robot.update(shell.q, shell.qd);',
  'if (seen === KG_OK) seen = robot.activeInverseDynamics(shell.change, shell.effort);',
  'if (seen === KG_OK) seen = robot.actuate(shell.u, shell.pushed);',
  `if (seen === KG_OK) observeForces(${n}, dt, shell.observe, shell.effort, shell.pushed, shell.external);`,
  '}',
  each(n, 'shell.before[i] = shell.qd[i]!;'),
];

/** Actuation coordinates of the outputs, where the robot is. */
const presentLines = (outputs: readonly number[]): string[] => [
  'status = robot.update(shell.q, shell.qd);',
  'if (status === KG_OK) status = robot.actuation(shell.places, shell.placeRates, null, null);',
  ...outputs.flatMap((output, k) => [
    `shell.present[${k}] = shell.places[${output}]!;`,
    `shell.presentRate[${k}] = shell.placeRates[${output}]!;`,
  ]),
];

const safeLines = ({ camel }: Stepped, n: number, m: number): string[] => [
  '// Nothing is followed: the law of faults carries the robot where it was seen last.',
  'let h = shell.period;',
  'if (isPaced) h = dt;',
  `shellLimits(${m}, h, shell.u, shell.lower, shell.upper, shell.slope, shell.safeGains.lower, shell.safeGains.upper);`,
  each(n, 'shell.rest[i] = 0;'),
  `const carried: Status = ${camel}Step(robot, shell.safe, shell.safeGains, shell.q, shell.qd, shell.q, shell.rest, shell.rest, shell.next);`,
  `for (let i = 0; i < ${m}; i++) {`,
  'if (carried === KG_OK) shell.u[i] = shell.next[i]!;',
  'else shell.u[i] = 0;',
  '}',
];
