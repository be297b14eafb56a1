/**
 * An extended Kalman filter as both languages have it: what it keeps, what may be set, and the text of its step over the
 * functions of the robot and `runtime/kalman.ts`.
 */
import { rubs } from '../../description/model/actuator.ts';
import { numbersOf, rowsOf, type Measurement, type Observer } from '../../description/model/controller.ts';
import { forceUnit, type Robot } from '../../description/model/robot.ts';
import type { RobotModel } from '../modules/robot-model.ts';
import { camelCase, pascalCase, snakeCase } from '../naming/identifiers.ts';
import type { OperationCounts } from '../operations/operation-counts.ts';
import { routinesOf, type Routine } from '../translation/subset.ts';
import { robotCallCosts } from './call-costs.ts';
import { demand, each } from './law-text.ts';
import { BEGUN, type RecordField, type SteppedRecord } from './record-model.ts';
import { runTimeRoutines } from './run-time.ts';
import { worstCase } from './worst-case.ts';

export interface ObserverModel extends SteppedRecord {
  readonly observer: Observer;
  /** What z has, in order; a name for each number, and its unit. */
  readonly measured: readonly { readonly name: string; readonly unit: string }[];
  readonly cost: OperationCounts;
}

const models = new WeakMap<RobotModel, readonly ObserverModel[]>();

/** The observers of a robot, in the order of its file. */
export function observersOf(robot: RobotModel): readonly ObserverModel[] {
  const { observers = [] } = robot.robot;
  const { whole } = robot;
  const known =
    models.get(robot) ??
    (whole
      ? observersOf(whole).map((own) => ({ ...own, robot }))
      : observers.map((observer) => observerModel(robot, observer)));
  models.set(robot, known);
  return known;
}

function observerModel(robot: RobotModel, observer: Observer): ObserverModel {
  const [camel, pascal] = [`${camelCase(observer.name)}Observer`, `${pascalCase(observer.name)}Observer`];
  const text = stepText(robot.robot, observer, camel, pascal);
  const routine = routinesOf(text)[0]!;
  const runTime = new Map((['control', 'kalman'] as const).map((name) => [name, runTimeRoutines(name)]));
  const named = (name: 'control' | 'kalman'): string[] =>
    runTime.get(name)!.flatMap((own) => (new RegExp(`\\b${own.name}\\(`).test(text) ? [own.name] : []));
  const routines = new Map<string, Routine>([...runTime.values()].flat().map((own) => [own.name, own]));
  return {
    observer,
    robot,
    name: `${robot.name}_${snakeCase(observer.name)}_observer`,
    camel,
    pascal,
    variable: 'observer',
    parts: [],
    steps: [],
    settings: settingsOf(robot.robot, observer),
    memory: memoryOf(robot.robot, observer),
    text,
    calls: { control: named('control'), kalman: named('kalman') },
    robotCalls: [...new Set([...text.matchAll(/\brobot\.(\w+)/g)].map(([, name]) => name!))],
    measured: observer.measurements.flatMap((own) => numberNames(own)),
    cost: worstCase(routine, routines, robotCallCosts(robot)),
  };
}

const AXES = ['x', 'y', 'z'] as const;

function numberNames({ name, of, unit }: Measurement): readonly { readonly name: string; readonly unit: string }[] {
  if (of.kind === 'position') return of.axes.map((axis) => ({ name: `${name}, ${AXES[axis]!}`, unit }));
  if (of.kind === 'rotation')
    return AXES.flatMap((row) => AXES.map((column) => ({ name: `${name}, R ${row}${column}`, unit: '1' })));
  return [{ name, unit }];
}

function settingsOf({ coordinates }: Robot, { period, measurements, process }: Observer): readonly RecordField[] {
  const units = [...new Set(coordinates.map(({ unit }) => forceUnit(unit)))].join(', ');
  return [
    {
      name: 'period',
      type: 'real',
      summary: 'time from one step to the next [s]: ten of it between steps are refused',
      values: [period],
    },
    {
      name: 'noise',
      type: 'buffer',
      size: measurements.length,
      summary: 'standard deviations of the measurements, each of all of its numbers',
      values: measurements.map((own) => own.noise),
    },
    {
      name: 'process',
      type: 'buffer',
      size: coordinates.length,
      summary: `standard deviations of generalized forces that the model lacks, others in every step [${units}]`,
      values: process,
    },
  ];
}

const rowCount = (measurements: readonly Measurement[]): number =>
  measurements.reduce((sum, own) => sum + rowsOf(own), 0);

function memoryOf({ coordinates, actuators }: Robot, observer: Observer): readonly RecordField[] {
  const { measurements, start, uncertainty, rateUncertainty } = observer;
  const [n, u, rows] = [coordinates.length, actuators.length, rowCount(measurements)];
  const N = 2 * n;
  const kinds = new Set(measurements.map(({ of }) => of.kind));
  const array = (name: string, size: number, summary: string, values?: readonly number[]): RecordField => ({
    name,
    type: 'buffer',
    size,
    summary,
    ...(values && { values }),
  });
  const diagonal = (size: number, value: number): number[] =>
    Array.from({ length: size * size }, (_, i) => (i % (size + 1) === 0 ? value : 0));
  return [
    {
      name: 'begun',
      type: 'index',
      summary: 'tells an observer that was reset',
      values: [BEGUN],
    },
    array('q', n, 'coordinates, as they are estimated; may be set after a reset', start),
    array('qd', n, 'their rates, likewise'),
    array('U', N * N, "of the covariance U D U' of (q, qd)", diagonal(N, 1)),
    array(
      'D',
      N,
      'its diagonal',
      [...uncertainty, ...rateUncertainty].map((sigma) => sigma * sigma),
    ),
    { name: 'used', type: 'index', summary: 'numbers that the last step could use', values: [0] },
    array('along', n * n, 'directions of all coordinates', diagonal(n, 1)),
    ...(u > 0
      ? [array('against', n * n, 'the opposite directions', diagonal(n, -1)), array('y', u, 'of actuators')]
      : []),
    array('tau', n, 'generalized forces of the inputs'),
    array('qdd', n, 'accelerations'),
    array('M', n * n, 'mass matrix'),
    array('byPosition', n * n, 'changes of forces with coordinates'),
    array('byRate', n * n, 'changes of forces with rates'),
    array('system', n * n, 'of the implicit step'),
    array('tangent', 3 * n * n, 'of the rates after it'),
    array('position', n, 'coordinates after it'),
    array('rate', n, 'rates after it'),
    array('change', N, 'of the state by what was measured'),
    array('rows', 3 * n * N, 'of the covariance'),
    array('weights', 6 * n, 'of these rows'),
    array('gain', N, 'of a measured number'),
    array('spread', N, 'of its variance'),
    array('expected', rows * n, 'changes of measured numbers with coordinates, or with rates'),
    array('difference', rows, 'measured numbers less those that were expected'),
    array('present', rows, 'one where there is a measured number'),
    ...(kinds.has('actuator') ? [array('B', n * u, 'gradients of actuation coordinates')] : []),
    ...(kinds.has('position') || kinds.has('rotation')
      ? [array('R', 9, 'of a frame'), array('t', 3, 'of a frame'), array('J', 6 * n, 'of a frame')]
      : []),
    ...(kinds.has('rotation')
      ? [
          array('goal', 9, 'a measured rotation'),
          array('origin', 3, 'zeros'),
          array('error', 6, 'rotation from the expected to the measured one'),
        ]
      : []),
  ];
}

function stepText(robot: Robot, observer: Observer, camel: string, pascal: string): string {
  const [n, u, N] = [robot.coordinates.length, robot.actuators.length, 2 * robot.coordinates.length];
  const { measurements } = observer;
  const driven = u > 0;
  const own = (name: string): string => `observer.${name}`;
  const isActuated = measurements.some(({ of }) => of.kind === 'actuator');
  const step = [
    ...demand(`robot.update(${own('q')}, ${own('qd')})`),
    each(n, `${own('tau')}[i] = 0;`),
    ...(driven ? demand(`robot.actuate(u, ${own('tau')})`) : []),
    ...demand(`robot.forwardDynamics(${own('tau')}, ${own('qdd')})`),
    ...demand(`robot.massMatrix(${own('M')})`),
    ...demand(`robot.inverseDynamicsTangent(${n}, ${own('qdd')}, ${own('along')}, null, null, ${own('byPosition')})`),
    ...demand(`robot.inverseDynamicsTangent(${n}, ${own('qdd')}, null, ${own('along')}, null, ${own('byRate')})`),
    ...(driven ? demand(`robot.actuateTangent(${n}, u, ${own('against')}, ${own('byPosition')})`) : []),
    ...(robot.actuators.some(rubs)
      ? demand(`robot.actuateRateTangent(${n}, u, ${own('against')}, ${own('byRate')})`)
      : []),
    `rateSystem(${n}, dt, ${['M', 'byPosition', 'byRate', 'system', 'tangent'].map(own).join(', ')});`,
    `if (!solveColumns(${n}, ${3 * n}, ${own('system')}, ${own('tangent')})) return KG_SINGULAR;`,
    `stepState(${n}, dt, ${['tangent', 'qdd', 'q', 'qd', 'position', 'rate'].map(own).join(', ')});`,
    `if (!areFinite(${own('position')}, ${n}) || !areFinite(${own('rate')}, ${n})) return KG_UNDEFINED;`,
    '// What is expected there.',
    ...demand(`robot.update(${own('position')}, ${own('rate')})`),
    ...(isActuated ? demand(`robot.actuation(${own('y')}, null, null, ${own('B')})`) : []),
    ...expectations(robot, measurements),
    '// From here on there is a result.',
    `propagate(${n}, dt, ${['tangent', 'process', 'U', 'D', 'rows', 'weights'].map(own).join(', ')});`,
    each(N, `${own('change')}[i] = 0;`),
    `${own('used')} = 0;`,
    ...corrections(n, N, measurements),
    each(n, `${own('q')}[i] = ${own('position')}[i]! + ${own('change')}[i]!;`),
    each(n, `${own('qd')}[i] = ${own('rate')}[i]! + ${own('change')}[${n} + i]!;`),
    `if (!areFinite(${own('q')}, ${n}) || !areFinite(${own('qd')}, ${n}) || !areFinite(${own('D')}, ${N})) {`,
    `${own('begun')} = 0;`,
    'return KG_UNDEFINED;',
    '}',
    'return KG_OK;',
  ];
  const unset = [
    `!(${own('period')} > 0)`,
    `!(dt > 0 && dt < 10 * ${own('period')})`,
    ...measurements.map((_, i) => `!(${own('noise')}[${i}]! > 0)`),
    `!areFinite(${own('noise')}, ${measurements.length})`,
    `!areNotNegative(${own('process')}, ${n})`,
    `!areFinite(${own('process')}, ${n})`,
  ];
  return `
/**
 * One period: the estimate (q, qd) of the observer goes on by dt, the time since the last step in s, under the inputs u
 * that acted in it, and is corrected by the measurements z. Numbers of z that are not finite are left out; of a
 * rotation all nine. Where it returns something else than KG_OK, the estimate is what it was: KG_NON_FINITE of u,
 * KG_OUT_OF_RANGE of dt (not above zero, or ten periods) and of settings, KG_SINGULAR where the step has no solution,
 * KG_UNDEFINED where numbers overflow, after which the observer may need a reset, as KG_NO_STATE says.
 */
export function ${camel}Step(robot: Dynamics, observer: ${pascal}, dt: number, ${driven ? 'u' : '_u'}: ArrayLike<number>, z: ArrayLike<number>): Status {
if (observer.begun !== ${BEGUN}) return KG_NO_STATE;
if (${unset.join(' || ')}) return KG_OUT_OF_RANGE;
${driven ? `if (!areFinite(u, ${u})) return KG_NON_FINITE;` : ''}
let status: Status = KG_OK;
${step.join('\n')}
}
`;

  /** Numbers that are expected, and how they change, row by row. */
  function expectations({ actuators }: Robot, all: readonly Measurement[]): string[] {
    const lines: string[] = [];
    let [row, number, staged] = [0, 0, -1];
    const read = (frame: number): void => {
      if (staged !== frame) lines.push(...demand(`robot.frame(${frame}, ${own('R')}, ${own('t')}, ${own('J')})`));
      staged = frame;
    };
    const scalar = (at: number, from: number, value: string): string[] => [
      `${own('present')}[${at}] = 0;`,
      `if (Number.isFinite(z[${from}]!)) {`,
      `${own('present')}[${at}] = 1;`,
      `${own('difference')}[${at}] = z[${from}]! - ${value};`,
      '}',
    ];
    const place = (at: number): string => (at === 0 ? 'i' : `${n * at} + i`);
    for (const measurement of all) {
      const { of } = measurement;
      switch (of.kind) {
        case 'actuator':
          lines.push(
            ...scalar(row, number, `${own('y')}[${of.index}]!`),
            each(n, `${own('expected')}[${place(row)}] = ${own('B')}[${actuators.length} * i + ${of.index}]!;`),
          );
          break;
        case 'coordinate':
        case 'rate': {
          const part = of.kind === 'rate' ? 'rate' : 'position';
          lines.push(
            ...scalar(row, number, `${own(part)}[${of.index}]!`),
            `${own('expected')}[${n * row + of.index}] = 1;`,
          );
          break;
        }
        case 'position':
          read(of.frame);
          of.axes.forEach((axis, i) =>
            lines.push(
              ...scalar(row + i, number + i, `${own('t')}[${axis}]!`),
              each(n, `${own('expected')}[${place(row + i)}] = ${own('J')}[${n * (3 + axis)} + i]!;`),
            ),
          );
          break;
        case 'rotation':
          read(of.frame);
          lines.push(
            each(3, `${own('present')}[${row} + i] = 0;`),
            each(9, `${own('goal')}[i] = z[${number} + i]!;`),
            `if (areFinite(${own('goal')}, 9)) {`,
            `poseLogarithm(${['R', 'origin', 'goal', 'origin', 'error'].map(own).join(', ')});`,
            `for (let i = 0; i < 3; i++) {`,
            `${own('present')}[${row} + i] = 1;`,
            `${own('difference')}[${row} + i] = ${own('error')}[i]!;`,
            `for (let j = 0; j < ${n}; j++) ${own('expected')}[${n} * (${row} + i) + j] = ${[0, 1, 2].map((k) => `${own('R')}[${3 * k} + i]! * ${own('J')}[${n * k} + j]!`).join(' + ')};`,
            '}',
            '}',
          );
          break;
      }
      row += rowsOf(measurement);
      number += numbersOf(measurement);
    }
    return lines;
  }

  function corrections(count: number, size: number, all: readonly Measurement[]): string[] {
    let row = 0;
    return all.flatMap((measurement, k) => {
      const [first, many] = [row, rowsOf(measurement)];
      row += many;
      const from = measurement.of.kind === 'rate' ? count : 0;
      const arrays = ['U', 'D', 'change', 'spread', 'gain'].map(own).join(', ');
      return [
        `for (let i = ${first}; i < ${first + many}; i++) {`,
        `if (${own('present')}[i]! > 0) {`,
        `correct(${size}, ${from}, ${count}, ${count} * i, ${own('expected')}, ${own('noise')}[${k}]!, ${own('difference')}[i]!, ${arrays});`,
        `${own('used')} = ${own('used')} + 1;`,
        '}',
        '}',
      ];
    });
  }
}
