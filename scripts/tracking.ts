/**
 * The same motion of a robot under every controller that it can have: errors, alone and with a load that the controllers do
 * not know, and what a step costs. Writes docs/tracking.md and its plots: every number in them comes from the runs.
 *
 * npm run tracking
 */
import { writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { robotCallCosts } from '../src/codegen/controllers/call-costs.ts';
import { controllersOf } from '../src/codegen/controllers/controller-model.ts';
import { robotModel, type RobotModel } from '../src/codegen/modules/robot-model.ts';
import { grouped, operationsInAll } from '../src/codegen/printing/cost-text.ts';
import { addCounts } from '../src/codegen/programs/statement.ts';
import { loadGenerated, type LoadedRobot } from '../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../src/codegen/typescript/typescript.ts';
import type { Robot } from '../src/description/model/robot.ts';
import { compileRobot } from '../src/kane/compile.ts';
import type { Dynamics } from '../src/runtime/driver.ts';
import { panelsPlot, type Panel } from '../src/simulation/run/run-plot.ts';
import { simulate } from '../src/simulation/run/simulate.ts';
import { Control } from '../src/simulation/run/control.ts';
import type { ControlChoice } from '../src/simulation/scenario/control-choice.ts';
import { loadScenarioText, type Scenario } from '../src/simulation/scenario/scenario.ts';
import {
  actuationOf,
  equilibriumMotion,
  positionOf,
  product,
  ramp,
  referencesFor,
  scaled,
  stateAt,
  wave,
  type Motion,
} from './tracking-motions.ts';

const EVERY = 20e-3;
/** mm or mrad; below, rounding and integration decide. */
const LEAST = 1e-6;

interface Trial {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly robot: string;
  readonly duration: number;
  readonly integrator: string;
  /** Between two steps of a controller in s, inputs held in between; asked all the time when missing. */
  readonly period?: number;
  readonly load: { readonly frame: string; readonly force: readonly number[]; readonly words: string };
  readonly motion: (robot: Robot, dynamics: LoadedRobot) => Motion;
  /** Beside the tip: coordinates, or actuation coordinates. */
  readonly others: { readonly of: 'coordinates' | 'actuators'; readonly words: string; readonly unit: string };
  /** What the table shows, in words. */
  readonly reading: string;
  /** What a step is compared with. */
  readonly beside: 'forwardDynamics' | 'inverseDynamicsAt';
}

const ARM_START = [0, -1.2, 1.4, -0.9, -1.4, 0];
const ARM_SWINGS = [0.6, 0.35, 0.4, 0.3, 0.3, 0.8];

const TRIALS: readonly Trial[] = [
  {
    name: 'ur10e',
    title: 'UR10e',
    about:
      'All joints of the [UR10e](../examples/scenarios/ur10e-motors.robot.yaml) swing at once, each at its own pace, after a start with minimum jerk',
    robot: 'ur10e-motors',
    duration: 3,
    integrator: '{ tolerance: 1e-9 }',
    period: 1e-3,
    load: { frame: 'wrist_3', force: [0, 0, -9.81], words: 'the weight of 1 kg at the hand' },
    motion: () => (t) =>
      ARM_START.map((base, i) => scaled(product(ramp(t, 0, 1), wave(t, 1 + 0.3 * i)), ARM_SWINGS[i]!, base)),
    others: { of: 'coordinates', words: 'joints', unit: 'mrad' },
    reading: `Computed torque and the linearisation of all six motors are the same law; they differ in what a step costs. Without a load, what
is left of their error is the time between two steps. Their gains are accelerations, so that a load that is not in the model turns a joint the further
the less it carries otherwise: the wrist. PD takes no inertia into account, and has forces as gains: its error is there with and without load.
The impedance gives way by design, its spring alone follows the motion. Operational-space control has its gains at the hand: without a load the
position there obeys them. Rates are for drives that follow them exactly.`,
    beside: 'inverseDynamicsAt',
  },
  {
    name: 'soft-arm',
    title: 'Soft arm with three tendons',
    about:
      'The hanging [arm of three elastic segments](../examples/scenarios/tendon-control.robot.yaml), nine coordinates and three tendons, is drawn up by its tendons and then goes round in circles, through the equilibria of tensions that change over time',
    robot: 'tendon-control',
    duration: 4,
    integrator: '{ tolerance: 1e-7 }',
    load: { frame: 'soft3', force: [0.1, 0, 0], words: 'a force of 0.1 N along x at the tip' },
    motion: (robot, dynamics) =>
      equilibriumMotion(robot, dynamics, 4, (t) =>
        [0, 1, 2].map((i) => {
          const [round] = product(ramp(t, 0.5, 1.5), wave(t, Math.PI, (-2 * Math.PI * i) / 3));
          return 6 + 6 * ramp(t, 0, 1)[0] + 4 * round;
        }),
      ),
    others: { of: 'actuators', words: 'tendons', unit: 'mm' },
    reading: `Three tendons lead three numbers of nine. The linearisation leads their lengths exactly, and nothing holds the rest, which swings.
PD, by least squares, adds to the tensions of the equilibrium what is nearest to its gains. The impedance knows nothing but the tip, which
it keeps nearer than these two. Operational-space control leads the tip exactly, while the shape swings. A load bends the arm between the tendons, whatever their lengths.`,
    beside: 'forwardDynamics',
  },
];

/** In mm or mrad. */
interface Errors {
  readonly tip: readonly number[];
  readonly others: readonly number[];
}

interface Row {
  readonly name: string;
  readonly alone: Errors;
  /** None where drives take rates, and hold whatever pulls at the robot. */
  readonly loaded: Errors | undefined;
  readonly operations: number;
  /** Of a step in TypeScript, against that of the call that it is compared with. */
  readonly time: number;
}

interface Result {
  readonly trial: Trial;
  /** Of the samples, s. */
  readonly times: readonly number[];
  readonly rows: readonly Row[];
  /** Operations of the call that steps are compared with. */
  readonly beside: number;
}

const WORDS: Readonly<Record<string, string>> = {
  'computed-torque': 'computed torque',
  pd: 'PD with compensation',
  'partial-feedback-linearisation': 'partial feedback linearisation',
  'task-space velocity': 'task space, rates',
  'task-space torque': 'task space, impedance',
  'task-space acceleration': 'operational space',
};

/** Times of calls, relative to the first of them: medians of rounds in which they take turns. */
function relativeTimes(calls: readonly ((i: number) => void)[]): readonly number[] {
  const [ROUNDS, CALLS] = [31, 500];
  const times = calls.map(() => new Float64Array(ROUNDS));
  for (let round = 0; round < ROUNDS; round++)
    calls.forEach((call, k) => {
      const begin = performance.now();
      for (let i = 0; i < CALLS; i++) call(i);
      times[k]![round] = performance.now() - begin;
    });
  const medians = times.map((all) => all.sort()[ROUNDS >> 1]!);
  return medians.map((time) => time / medians[0]!);
}

function scenarioOf({ robot, duration, integrator, load }: Trial, loaded: boolean): Scenario {
  const text = `kanegen-scenario: 1
robot: ${robot}.robot.yaml
duration: ${duration} s
integrator: ${integrator}
outputs: { every: ${EVERY} s }
${loaded ? `loads: { ${load.frame}: { force: [${load.force.join(', ')}] } }` : ''}
`;
  return loadScenarioText(text, 'examples/scenarios/tracking.scenario.yaml');
}

interface Placed {
  readonly t: number;
  readonly q: ArrayLike<number>;
}

/**
 * Errors of a run at its samples.
 * @param judge stages states: nobody else does in it.
 */
function errorsOf(
  { others: { of } }: Trial,
  motion: Motion,
  samples: readonly Placed[],
  judge: Dynamics,
  tip: number,
): Errors {
  const distance = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
    1e3 * Math.hypot(...Array.from(a, (x, i) => x - b[i]!));
  const rows = samples.map(({ t, q }) => {
    const due = stateAt(motion, t);
    const is = { ...due, q: Float64Array.from(q) };
    const others =
      of === 'coordinates' ? distance(is.q, due.q) : distance(actuationOf(judge, is)[0]!, actuationOf(judge, due)[0]!);
    return { tip: distance(positionOf(judge, tip, is), positionOf(judge, tip, due)), others };
  });
  return { tip: rows.map((row) => row.tip), others: rows.map((row) => row.others) };
}

/** Drives that follow rates, held for a period. */
function drivenByRates(scenario: Scenario, control: Control): Placed[] {
  const period = control.period ?? EVERY;
  const q = [...scenario.q];
  const still = new Float64Array(q.length);
  const perSample = Math.round(EVERY / period);
  const samples: Placed[] = [];
  const steps = Math.round((scenario.end - scenario.start) / period);
  for (let k = 0; k <= steps; k++) {
    if (k % perSample === 0) samples.push({ t: k * period, q: [...q] });
    if (control.step(k * period, q, still) !== 0) throw new Error(`no rates at ${k * period} s`);
    for (let i = 0; i < q.length; i++) q[i]! += period * control.u[i]!;
  }
  return samples;
}

async function resultOf(trial: Trial): Promise<Result> {
  const { robot } = scenarioOf(trial, false);
  const compiled = compileRobot(robot);
  const create = await loadGenerated(await generateTypeScript(robot, compiled));
  const dynamics = create();
  const model = robotModel(robot, compiled);
  const judge = dynamics.twin();
  const motion = trial.motion(robot, create());
  const start = stateAt(motion, 0);
  let times: readonly number[] = [];
  const controls = robot.controllers!.map((controller, index) => ({
    controller: index,
    period: trial.period,
    references: referencesFor(controller, motion, dynamics.twin()),
  }));
  const ratios = timesOf(trial, motion, robot, dynamics, controls);

  const rows = robot.controllers!.map(({ name, law }, index): Row => {
    const isRate = law.kind === 'task-space' && law.form === 'velocity';
    const control = controls[index]!;
    const errors = (loaded: boolean): Errors => {
      const scenario: Scenario = { ...scenarioOf(trial, loaded), q: [...start.q], qd: [...start.qd], control };
      if (isRate) {
        const samples = drivenByRates(scenario, new Control(robot, dynamics, control, scenario.q));
        return errorsOf(trial, motion, samples, judge, robot.tip);
      }
      const run = simulate(scenario, create());
      if (run.failure) throw new Error(`${name} ended at ${run.failure.t} s: ${run.failure.message}`);
      times = run.samples.map(({ t }) => t);
      return errorsOf(trial, motion, run.samples, judge, robot.tip);
    };
    return {
      name: WORDS[law.kind === 'task-space' ? `task-space ${law.form}` : law.kind]!,
      alone: errors(false),
      loaded: isRate ? undefined : errors(true),
      operations: operationsInAll(controllersOf(model)[index]!.cost),
      time: ratios[index]!,
    };
  });
  return { trial, times, rows, beside: operationsBeside(trial, model) };
}

/** Of the call that steps are compared with, from a state to its result. */
function operationsBeside({ beside }: Trial, model: RobotModel): number {
  const cost = robotCallCosts(model);
  const names = beside === 'inverseDynamicsAt' ? [beside] : ['update', beside];
  return operationsInAll(addCounts(names.map((name) => cost(`robot.${name}`, [], []))));
}

/** Of a step of each controller, against those of the call that they are compared with, going round states of the motion. */
function timesOf(
  { duration, beside }: Trial,
  motion: Motion,
  robot: Robot,
  dynamics: LoadedRobot,
  controls: readonly ControlChoice[],
): readonly number[] {
  const COUNT = 64;
  const moments = Array.from({ length: COUNT }, (_, i) => (i / COUNT) * duration);
  const states = moments.map((t) => stateAt(motion, t));
  const own = dynamics.twin();
  const n = robot.coordinates.length;
  const [tau, rest] = [new Float64Array(n), new Float64Array(n)];
  const plain = (i: number): void => {
    const { q, qd } = states[i % COUNT]!;
    if (beside === 'inverseDynamicsAt') own.inverseDynamicsAt(q, qd, rest, tau);
    else {
      own.update(q, qd);
      own.forwardDynamics(rest, tau);
    }
  };
  const all = [...dynamics.controllers.values()];
  const steps = controls.map((choice) => {
    const controller = all[choice.controller]!;
    const [state, parameters] = [controller.createState(), controller.createParameters()];
    const u = new Float64Array(Math.max(n, robot.actuators.length));
    const control = new Control(robot, dynamics, choice, [...states[0]!.q]);
    const references = moments.map((t) => structuredClone(control.referenceAt(t)));
    return (i: number): void => {
      const { q, qd } = states[i % COUNT]!;
      const { y, yd, ydd } = references[i % COUNT]!;
      controller.step(own, state, parameters, q, qd, y, yd, ydd, u);
    };
  });
  return relativeTimes([plain, ...steps]).slice(1);
}

const rootMeanSquare = (all: readonly number[]): number =>
  Math.sqrt(all.reduce((sum, value) => sum + value * value, 0) / all.length);
const shown = (value: number): string => (value < 1e-3 ? value.toExponential(0) : String(Number(value.toPrecision(2))));
const pair = (all: readonly number[]): string => `${shown(rootMeanSquare(all))}, ${shown(Math.max(...all))}`;

const BESIDE = {
  forwardDynamics: '`update` and `forward_dynamics`',
  inverseDynamicsAt: '`inverse_dynamics` in one call',
} as const;

function tableOf({ trial, rows, beside }: Result): string {
  const { others } = trial;
  const [tip, second] = ['tip, mm', `${others.words}, ${others.unit}`];
  const head = [
    ...['controller', tip, second],
    ...[`${tip}, loaded`, `${second}, loaded`],
    ...['operations a step', 'relative', 'relative time'],
  ];
  const cells = rows.map(({ name, alone, loaded, operations, time }) => [
    name,
    ...[alone, loaded].flatMap((errors) => (errors ? [pair(errors.tip), pair(errors.others)] : ['', ''])),
    ...[grouped(operations), (operations / beside).toFixed(2), time.toFixed(1)],
  ]);
  return [head, head.map(() => '---'), ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function plotOf({ trial, times, rows }: Result): Promise<string> {
  const panel = (title: string, of: 'tip' | 'others', unit: string, loaded: boolean): Panel => ({
    title: `${title}${loaded ? ', loaded' : ''}`,
    unit,
    scale: 'log',
    curves: rows.flatMap(({ name, alone, loaded: withLoad }) => {
      const errors = loaded ? withLoad : alone;
      return errors ? [{ name, values: errors[of].map((value) => (value < LEAST ? 0 : value)) }] : [];
    }),
  });
  const { title, others } = trial;
  return panelsPlot(
    { title: `${title}: errors over time`, subtitle: `loaded: ${trial.load.words}` },
    times,
    [false, true].flatMap((loaded) => [
      panel('Position of the tip', 'tip', 'mm', loaded),
      panel(`Of ${others.words}`, 'others', others.unit, loaded),
    ]),
  );
}

function pageOf(results: readonly Result[]): string {
  const parts = results.map((result) => {
    const { trial, beside } = result;
    return `## ${trial.title}

${trial.about}. ${trial.period === undefined ? 'Controllers are asked all the time' : `Controllers are asked once in ${1000 * trial.period} ms, inputs are held in between`}. Load: ${trial.load.words}. Costs are relative to ${BESIDE[trial.beside]}, ${grouped(beside)} operations.

${tableOf(result)}

![Errors of the ${trial.title} over time under each controller](tracking-${trial.name}.svg)

${trial.reading}
`;
  });
  return `# Controllers compared

<!-- Written by \`npm run tracking\`: change scripts/tracking.ts instead. -->

The same motion of the same robot under every controller ([controllers.md](controllers.md)) that it can have. Every reference is made from the same coordinates over time: actuation coordinates, pose, twist of the tip and
its derivative are those of the robot on its way. The model of the controllers is exact; in a second run a load acts that they do not know.

Errors are the root mean square and the maximum over the motion: distance of the tip from where it should be, and the norm of the error of the
coordinates or of the lengths of tendons. Operations are those at most that the header of a controller has; relative times are medians
in TypeScript, on whatever machine made this page.

${parts.join('\n')}`;
}

const results: Result[] = [];
for (const trial of TRIALS) results.push(await resultOf(trial));
for (const result of results) writeFileSync(`docs/tracking-${result.trial.name}.svg`, await plotOf(result));
const options = await resolveConfig('docs/tracking.md');
writeFileSync('docs/tracking.md', await format(pageOf(results), { ...options, parser: 'markdown' }));
for (const result of results) console.log(`${result.trial.title}\n${tableOf(result)}\n`);
