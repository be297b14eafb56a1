/**
 * A robot in straight-line form as both targets see it: one optimised program per function, its buffers, its cost.
 */
import type { StraightClosing } from '../../straight/functions/loop-rows.ts';
import type { Robot } from '../../description/model/robot.ts';
import type { CompiledRobot } from '../../kane/kernels/link-type.ts';
import {
  isNumber,
  type StraightFunction,
  type StraightFunctionName,
  type StraightInput,
  type StraightRobot,
} from '../../straight/straight-robot.ts';
import { halvesOf, type HalfOutput, type Halves } from './halves.ts';
import type { RegressorColumn } from '../../straight/functions/regressor.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { annotated } from '../programs/headings.ts';
import { identifier, snakeCaseOf } from '../naming/identifiers.ts';
import { OperationGraph } from '../programs/operation-graph.ts';
import type { InputDeclaration, Place, Stage } from '../operations/operation.ts';
import { buildProgram, type Program } from '../programs/program.ts';
import { scheduled } from '../programs/schedule.ts';
import type { OperationCounts } from '../operations/operation-counts.ts';
import { robotModel, type RobotModel } from '../modules/robot-model.ts';
import { closingOperations, executedOperations } from './straight-cost.ts';
import { splitProgram } from '../printing/split.ts';

/** An output buffer of a function. */
export interface StraightBuffer {
  readonly name: string;
  readonly size: number;
  /** A null pointer is allowed, and saves the work that only this output needs. */
  readonly optional: boolean;
  readonly summary: string;
}

export interface StraightFunctionModel {
  /** As in TypeScript: `inverseDynamics`. */
  readonly name: StraightFunctionName;
  readonly summary: string;
  /** Buffers that are only read, in the order of the parameters; `parameters` always among them when the robot keeps any. */
  readonly reads: readonly StraightInput[];
  readonly outputs: readonly StraightBuffer[];
  /** All of it, or what comes before loops are closed. */
  readonly program: Program;
  /** Functions that it is cut into. */
  readonly parts: number;
  readonly closing?: ClosingModel;
  /** Of a function that belongs to a module: does it look at its results? */
  readonly judged?: boolean;
}

/** Where loops are closed within a function, and what comes after. */
interface ClosingModel {
  readonly program: Program;
  /** Numbers that the function keeps meanwhile, by buffer. */
  readonly arrays: ReadonlyMap<string, number>;
  readonly rows: number;
  readonly isStrict: boolean;
  readonly isStep: boolean;
  readonly isYielding: boolean;
}

/** In the order in which they are carried out. */
export function programsOf({ program, closing }: StraightFunctionModel): readonly Program[] {
  return closing ? [program, closing.program] : [program];
}

export interface StraightModel {
  readonly robot: RobotModel;
  readonly functions: readonly StraightFunctionModel[];
  /** One line: how the functions were made. */
  readonly method: string;
  /** Are values called after quantities of the recursion? */
  readonly namesQuantities: boolean;
  /** What the columns of the regressor are multiplied with; empty without one. */
  readonly columns: readonly RegressorColumn[];
  /** Kept parameters, in the order of the buffer `parameters`. */
  readonly parameters: readonly StraightParameterPlace[];
}

/** A function that also exists for many states at once in C and in WebAssembly. */
export interface BatchForm {
  readonly name: 'inverseDynamics' | 'forwardDynamics' | 'implicitStep';
  /** Its file, after the name of the robot. */
  readonly file: string;
  readonly about: string;
  /** Arrays of a number for each coordinate, whether the robot needs them all or not. */
  readonly inputs: readonly string[];
}

const BATCH_FORMS: readonly BatchForm[] = [
  {
    name: 'inverseDynamics',
    file: 'straight_batch',
    about: 'Generalized forces',
    inputs: ['q', 'qd', 'qdd'],
  },
  { name: 'forwardDynamics', file: 'straight_forward_batch', about: 'Accelerations', inputs: ['q', 'qd', 'tau'] },
  {
    name: 'implicitStep',
    file: 'straight_implicit_batch',
    about: 'Linearly implicit Euler steps',
    inputs: ['q', 'qd', 'tau'],
  },
];

export function batchForms({ robot, functions }: StraightModel): readonly BatchForm[] {
  if (robot.robot.coordinates.length === 0) return [];
  // Pivots of rows differ from state to state.
  const closed = functions.filter(({ closing }) => closing).map(({ name }) => name);
  return BATCH_FORMS.filter(({ name }) => functions.some((f) => f.name === name) && !closed.includes(name));
}

/** Of all its programs together. */
export function countsOf(f: StraightFunctionModel): OperationCounts {
  return programsOf(f)
    .map(({ counts }) => counts)
    .reduce((a, b) => ({
      add: a.add + b.add,
      multiply: a.multiply + b.multiply,
      divide: a.divide + b.divide,
      sqrt: a.sqrt + b.sqrt,
      call: a.call + b.call,
      stumpff: [...a.stumpff, ...b.stumpff],
      loops: [...a.loops, ...b.loops],
    }));
}

/** Operations of a call as executed, the elimination of rows of loops included. */
export function operationsOf(f: StraightFunctionModel): number {
  const { closing } = f;
  const own = programsOf(f).reduce((total, program) => total + executedOperations(program), 0);
  return closing ? own + closingOperations(closing.rows, closing.arrays.get('loopPivots')!) : own;
}

/** Where a kept parameter stands in the struct (C) or object (TypeScript) of the robot's parameters. */
export interface StraightParameterPlace {
  /** Name in the robot file. */
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  /** Member of the struct, and index into it for gravity. */
  readonly member: string;
  readonly index: number | undefined;
}

/** Called before a function is optimised, with what it costs as it is; may throw to stop. */
export type FunctionCheck = (f: StraightFunction) => void;

const models = new WeakMap<StraightRobot, StraightModel>();

/**
 * Builds and optimises the programs of a straight-line robot, once.
 * @param robot and `compiled`: where `straight` comes from, whose names its parameters have in the driver's modules.
 */
export function straightModel(
  robot: Robot,
  compiled: CompiledRobot,
  straight: StraightRobot,
  check: FunctionCheck = () => undefined,
): StraightModel {
  const found = models.get(straight);
  const base = robotModel(robot, compiled);
  if (found?.robot === base) return found;
  // Other functions of the driver beside them make no difference to straight-line functions.
  if (found?.robot.robot === robot) return { ...found, robot: base };
  const model = straightModelOf(base, straight, check);
  models.set(straight, model);
  return model;
}

/** The same of a robot whose driver is there already. */
export function straightModelOf(base: RobotModel, straight: StraightRobot, check: FunctionCheck): StraightModel {
  const functions = straight.functions.map((f) => {
    check(f);
    return functionModel(base, straight, f);
  });
  const parameters = straight.parameters.map(({ name, unit, value }) => ({
    name,
    unit,
    value,
    ...parameterPlace(base, name),
  }));
  return {
    robot: base,
    functions,
    method: straight.method,
    namesQuantities: straight.hints.size > 0,
    columns: straight.columns ?? [],
    parameters,
  };
}

/** Do they need the general Stumpff functions of the run time? */
export function callStumpff({ functions }: StraightModel): boolean {
  return functions.flatMap(programsOf).some(({ counts }) => counts.stumpff.length > 0);
}

function parameterPlace(model: RobotModel, name: string): { member: string; index: number | undefined } {
  const axis = ['gravity_x', 'gravity_y', 'gravity_z'].indexOf(name);
  const index = model.robot.parameters.findIndex((p) => p.name === name);
  if (index < 0 && axis >= 0) return { member: 'gravity', index: axis };
  if (index < 0) throw new Error(`the robot has no run-time parameter ${name}`);
  return { member: model.parameters[index]!.name, index: undefined };
}

/** When the values of a buffer are known. Parameters come with every call: what is made of them is not free. */
const STAGE: Record<StraightInput, Stage> = {
  parameters: 1,
  h: 1,
  alpha: 1,
  beta: 1,
  q: 1,
  qd: 2,
  qdd: 3,
  u: 3,
  tau: 3,
};
const ORDER: readonly StraightInput[] = ['parameters', 'h', 'alpha', 'beta', 'q', 'qd', 'qdd', 'u', 'tau'];

function functionModel(model: RobotModel, straight: StraightRobot, f: StraightFunction): StraightFunctionModel {
  const declarations = ORDER.flatMap((buffer) =>
    straight.inputs[buffer].map((symbol, index): InputDeclaration => ({
      symbol,
      place: { buffer, index },
      stage: STAGE[buffer],
    })),
  );
  const keeps = straight.parameters.length > 0;
  const reads = ORDER.filter((buffer) => (buffer === 'parameters' ? keeps : f.reads.includes(buffer)));
  const halves = f.closing && halvesOf(f.outputs, f.closing);
  const program = programOf(model, straight, f, { declarations, reads, outputs: halves?.first ?? f.outputs });
  const closing = f.closing && halves && closingModel(f.closing, halves);
  return {
    name: f.name,
    summary: f.summary,
    reads: reads.filter((buffer) => f.outputs.every((output) => output.buffer !== buffer)),
    outputs: f.outputs.map(({ buffer, values, optional, summary }) => ({
      name: buffer,
      size: values.length,
      optional,
      summary,
    })),
    program,
    parts: splitProgram(program).parts.length,
    ...(closing && { closing }),
  };

  function closingModel({ isStrict, isStep, arrays }: StraightClosing, { second, left, kept }: Halves): ClosingModel {
    const further = left.flatMap(({ buffer, symbols }) =>
      symbols.map((symbol, index): InputDeclaration => ({ symbol, place: { buffer, index }, stage: 3 })),
    );
    const sizes = new Map(arrays.map(({ buffer, values }) => [buffer, values.length]));
    const rows = sizes.get('loopTargets')!;
    const isYielding = sizes.has('loopStiffness');
    return {
      program: programOf(model, straight, f, {
        declarations: [...declarations, ...further],
        reads: [...reads, ...left.map(({ buffer }) => buffer)],
        outputs: second,
      }),
      arrays: new Map([
        ...sizes,
        ...(kept > 0 ? [['loopKept', kept] as const] : []),
        ['loopMultipliers', rows],
        // Nobody asks for it after a step.
        ...(isStep ? [] : [['loopRank', 1] as const]),
        ['loopWork', 2 * rows * rows + 6 * rows + sizes.get('loopPivots')!],
        ...(isYielding
          ? ([
              ['loopTaut', rows + 1],
              ['loopKinds', rows],
              ['loopSoftness', rows],
            ] as const)
          : []),
      ]),
      rows,
      isStrict,
      isStep,
      isYielding,
    };
  }
}

function programOf(
  model: RobotModel,
  straight: StraightRobot,
  f: StraightFunction,
  {
    declarations,
    reads,
    outputs: made,
  }: {
    readonly declarations: readonly InputDeclaration[];
    readonly reads: readonly string[];
    readonly outputs: readonly HalfOutput[];
  },
): Program {
  const roots: Expr[] = made.flatMap((output) => [...output.values]);
  const graph = new OperationGraph(roots, declarations, straight.hints);
  graph.describe(
    new Map([...straight.hints, ...outputNames(model, f)]),
    declarations.map(({ symbol, place, stage }) => ({ symbol, stage, name: placeName(model, straight, place)! })),
  );
  const outputs = made.flatMap(({ buffer, values, optional = false }) =>
    values.map((value, index) => ({ place: { buffer, index }, value: graph.of(value), optional })),
  );
  const source = { name: f.name, reads, writes: made.map((o) => o.buffer), outputs, ready: new Map() };
  const program = scheduled(buildProgram(source, graph, (place) => placeName(model, straight, place)));
  return annotated(program, {
    quantity: (operation) => graph.names.get(operation) ?? graph.described.get(operation),
    stored: (place) => storedLabel(model, f, place),
    note: () => undefined,
  });
}

/** `tau_seg1_q`, `M_seg1_q_seg2_q`. */
function outputNames({ robot }: RobotModel, { outputs }: StraightFunction): readonly (readonly [Expr, string])[] {
  const names = robot.coordinates.map(({ name }) => identifier(name));
  return outputs.flatMap(({ buffer, values }) => {
    const isMatrix = names.length > 1 && values.length === names.length ** 2;
    const isPerCoordinate = values.length === names.length;
    if (!isMatrix && !isPerCoordinate) return [];
    const row = (i: number): string => (isMatrix ? `${names[Math.floor(i / names.length)]!}_` : '');
    return values.map((value, i) => [value, `${buffer}_${row(i)}${names[i % names.length]!}`] as const);
  });
}

/** What a number of an output belongs to: `tau of seg1.q`, `M, row of seg1.q`. */
function storedLabel({ robot }: RobotModel, f: Pick<StraightFunction, 'outputs'>, { buffer, index }: Place): string {
  // Between the halves: `loopColumns`, `freeQuotients`.
  if (f.outputs.every((output) => output.buffer !== buffer)) return snakeCaseOf(buffer).replaceAll('_', ' ');
  const size = f.outputs.find((output) => output.buffer === buffer)?.values.length ?? 0;
  const n = robot.coordinates.length;
  const isMatrix = n > 1 && size === n * n;
  const row = robot.coordinates[isMatrix ? Math.floor(index / n) : index]?.name;
  if (row === undefined || size % n !== 0) return buffer;
  return isMatrix ? `row ${row} of ${buffer}` : `${buffer} of ${row}`;
}

/** Numbers of a buffer. */
export function inputSize({ robot, parameters }: StraightModel, buffer: StraightInput): number {
  if (buffer === 'parameters') return parameters.length;
  if (isNumber(buffer)) return 1;
  return buffer === 'u' ? robot.robot.actuators.length : robot.robot.coordinates.length;
}

/** What a number of an input is called: `seg1_q`, `seg1_q_dot`, `load_`. */
function placeName(model: RobotModel, straight: StraightRobot, { buffer, index }: Place): string | undefined {
  const coordinate = model.robot.coordinates[index];
  if (buffer === 'parameters') return `${identifier(straight.parameters[index]!.name)}_`;
  if (buffer === 'h') return 'step';
  if (isNumber(buffer)) return `${buffer}_`;
  if (buffer === 'loopKept') return `kept_${index}`;
  if (buffer === 'loopRank') return 'rank_found';
  if (buffer === 'loopMultipliers') return `multiplier_${index}`;
  if (buffer === 'u') return `u_${identifier(model.robot.actuators[index]!.name)}`;
  if (!coordinate) return undefined;
  const name = identifier(coordinate.name);
  if (buffer === 'freeQuotients') return `quotient_${name}`;
  if (buffer === 'tau') return `load_${name}`;
  return buffer === 'q' ? name : buffer === 'qd' ? `${name}_dot` : `${name}_ddot`;
}
