/**
 * Part of the self-test in C: every function of a robot called with numbers and indices that it cannot use, one at a time.
 * The template `status-test.c` says what statuses promise; here is what functions take: how many numbers go in and out, and
 * the call on them.
 */
import { controllersOf, type ControllerModel } from '../controllers/controller-model.ts';
import type { RobotFunction } from '../sweeps/robot-function.ts';
import { INPUTS, sizeOf, type Size } from '../sweeps/arrays.ts';
import { functionNames, hasRobotFunction, robotFunction } from '../sweeps/robot-functions.ts';
import type { RobotModel } from '../modules/robot-model.ts';
import type { WorkspaceLayout } from '../modules/workspace.ts';
import { snakeCaseOf } from '../naming/identifiers.ts';
import { functionCName } from '../whole-robot/straight-header.ts';
import { isNumber } from '../../straight/straight-robot.ts';
import { batchForms, inputSize, type StraightModel } from '../whole-robot/straight-model.ts';
import { rowsOf } from '../c-language/source-text.ts';
import { variableName } from '../translation/translate-c.ts';
import { signedLiteral } from '../c-language/target.ts';

/** Columns of functions that take some, and states of batches. */
const COLUMNS = 2;
const STATES = 3;

/** A function under test. */
interface Case {
  readonly name: string;
  /** Statements before the call, and the call, over `in`, `out` and `index`. */
  readonly before: readonly string[];
  readonly call: string;
  /** Does it refer to a staged state? */
  readonly staged: boolean;
  /** Numbers that it can use. */
  readonly inputs: readonly number[];
  /** Where arguments begin and end among them. */
  readonly ends: readonly number[];
  readonly outputs: number;
  /** Things that it can be asked for by an index; 0 where it takes none. */
  readonly indices: number;
  /** What stands in the outputs after a refusal: what stood there, or zeros. */
  readonly refused: 'left alone' | 'zeros';
  /** Arguments of a batch begin here; −1 of all else. */
  readonly batch: number;
}

/** What the template is told. */
export function statusTestData(model: RobotModel, layout: WorkspaceLayout, straight?: StraightModel): object {
  const cases = [
    ...functionNames(model).map((name) => driverCase(model, layout, name, robotFunction(name))),
    ...(straight ? straightCases(straight) : []),
    ...controllersOf(model).map(controllerCase),
  ].filter(({ outputs, inputs }) => outputs > 0 || inputs.length > 0);
  const hasBatches = cases.some(({ batch }) => batch >= 0);
  return {
    name: model.name,
    states: STATES,
    most: { inputs: Math.max(...cases.map(({ inputs }) => inputs.length)), outputs: most(cases) },
    q: rowsOf(defaults(model).map(signedLiteral), 6),
    hasBatches,
    hasIndices: cases.some(({ indices }) => indices > 0),
    hasStaged: cases.some(({ staged }) => staged),
    usable: rowsOf([...cases.flatMap(({ inputs }) => inputs.map(signedLiteral)), signedLiteral(0)], 7),
    ends: rowsOf([...cases.flatMap(({ ends }) => ends.map(String)), '0'], 24),
    cases: cases.map(({ name, before, call, staged, inputs, outputs, indices, ends, refused, batch }) => ({
      name,
      before,
      call,
      row: [
        ...[staged ? 1 : 0, inputs.length, outputs, indices, ends.length, refused === 'zeros' ? 1 : 0],
        ...(hasBatches ? [batch] : []),
      ],
    })),
  };
}

/** Headers of what is tested beside the driver. */
export function testedHeaders(model: RobotModel, straight?: StraightModel): readonly string[] {
  const batches = straight ? batchForms(straight).map(({ file }) => `${model.name}_${file}`) : [];
  return [...batches, ...controllersOf(model).map(({ name }) => name)].map((name) => `${name}.h`);
}

const most = (cases: readonly Case[]): number => Math.max(1, ...cases.map(({ outputs }) => outputs));

const defaults = ({ robot }: RobotModel): readonly number[] => robot.coordinates.map(({ value }) => value);

/** Arguments one after the other. */
class Arguments {
  readonly values: number[] = [];
  readonly ends: number[] = [];

  /** @returns where it begins. */
  take(values: readonly number[]): number {
    const at = this.values.length;
    this.values.push(...values);
    if (values.length > 0) this.ends.push(at);
    if (values.length > 1) this.ends.push(this.values.length - 1);
    return at;
  }

  /** Run-time parameters, as statements that fill them. */
  parameters({ robot, members, name }: RobotModel): string[] {
    const gravity = this.take(robot.gravity);
    const others = this.take(members.map(({ value }) => value));
    return [
      `${name}_parameters p = ${name}_defaults;`,
      ...[0, 1, 2].map((i) => `p.gravity[${i}] = in[${gravity + i}];`),
      ...members.map((member, i) => `p.${member.name} = in[${others + i}];`),
    ];
  }
}

/** Moderate numbers without structure. */
const moderate = (count: number): number[] => Array.from({ length: count }, (_, i) => (((7 * i + 5) % 11) - 4.5) / 50);

/** A limit where there is none. */
const FAR = 1e6;

const NUMBERS: Readonly<Record<string, number>> = { h: 0.01, rate: 150, acceleration: 30000, alpha: 20, beta: 30 };

function driverCase(model: RobotModel, layout: WorkspaceLayout, name: string, f: RobotFunction): Case {
  const size = (of: Size): number => Number(sizeOf(of, layout, COLUMNS));
  const taken = new Arguments();
  const before = f.state === 'staged' ? [] : taken.parameters(model);
  const numbers = (f.numbers ?? []).map((own) => `in[${taken.take([NUMBERS[own]!])}]`);
  const inputs = f.inputs.map((input) => {
    const values = input === 'q' ? defaults(model) : moderate(size(INPUTS[input]));
    return `in + ${taken.take(values)}`;
  });
  let outputs = 0;
  const places = f.outputs.map((output) => `out + ${(outputs += size(output.size)) - size(output.size)}`);
  const own = `${model.name}_${snakeCaseOf(name)}`;
  const given = [
    ...(f.state === 'staged' ? [] : ['&p']),
    ...(f.ofColumns ? [String(COLUMNS)] : []),
    ...numbers,
    ...(f.ofFrame || f.ofLink ? ['index'] : []),
    ...inputs,
    ...places,
  ];
  return {
    name: own,
    before: [
      ...before,
      // Factors of the step that it is to be.
      ...(name === 'implicitSolve' && hasRobotFunction(model, 'implicitFactor')
        ? [`(void)${model.name}_implicit_factor(w, KG_REAL(0.01));`]
        : []),
      ...(name === 'newtonSolve' && hasRobotFunction(model, 'newtonFactor') ? [factoredTangent(model, layout)] : []),
    ],
    call: `${own}(${['w', ...given].join(', ')})`,
    staged: f.state === 'staged',
    inputs: taken.values,
    ends: taken.ends,
    outputs,
    indices: f.ofFrame ? model.frames.length : f.ofLink ? model.robot.links.length : 0,
    refused: 'left alone',
    batch: -1,
  };
}

/** Factors of the tangent at rest, without inputs. */
function factoredTangent({ name }: RobotModel, { n, u }: WorkspaceLayout): string {
  const [rate, acceleration] = [NUMBERS['rate'], NUMBERS['acceleration']].map((x) => `KG_REAL(${x!}.0)`);
  const rest = `static const kg_real rest[${Math.max(1, n, u)}] = {0};`;
  return `{ ${rest} (void)${name}_newton_factor(w, ${rate!}, ${acceleration!}, rest, rest); }`;
}

function straightCases(straight: StraightModel): Case[] {
  const { robot, functions } = straight;
  const n = robot.robot.coordinates.length;
  const single = functions.map((f): Case => {
    const taken = new Arguments();
    const keeps = f.reads.includes('parameters');
    const before = keeps ? taken.parameters(robot) : [];
    const inputs = f.reads
      .filter((buffer) => buffer !== 'parameters')
      .map((buffer) => {
        if (isNumber(buffer)) return `in[${taken.take([NUMBERS[buffer]!])}]`;
        return `in + ${taken.take(buffer === 'q' ? defaults(robot) : moderate(inputSize(straight, buffer)))}`;
      });
    let outputs = 0;
    const places = f.outputs.map(({ size }) => `out + ${(outputs += size) - size}`);
    const own = `${robot.name}_straight_${functionCName(f.name)}`;
    const call = `${own}(${[...(keeps ? ['&p'] : []), ...inputs, ...places].join(', ')})`;
    const { values, ends } = taken;
    const rest = { staged: false, indices: 0, refused: 'left alone', batch: -1 } as const;
    return { name: own, before, call, inputs: values, ends, outputs, ...rest };
  });
  const batches = batchForms(straight).map((form): Case => {
    const f = functions.find((own) => own.name === form.name)!;
    const taken = new Arguments();
    const keeps = f.reads.includes('parameters');
    const before = keeps ? taken.parameters(robot) : [];
    const step = f.reads.includes('h') ? [`in[${taken.take([NUMBERS['h']!])}]`] : [];
    const batch = taken.values.length;
    const arrays = f.reads.filter((buffer) => buffer !== 'parameters' && buffer !== 'h');
    const inputs = arrays.map((buffer) => {
      const one = buffer === 'q' ? defaults(robot) : moderate(n);
      return `in + ${taken.take(one.flatMap((value) => Array.from({ length: STATES }, () => value)))}`;
    });
    const places = f.outputs.map((_, i) => `out + ${i * n * STATES}`);
    const own = `${robot.name}_straight_${functionCName(f.name)}_batch`;
    const given = [...(keeps ? ['&p'] : []), String(STATES), ...step, ...inputs, ...places];
    return {
      name: own,
      before,
      call: `${own}(${given.join(', ')})`,
      staged: false,
      inputs: taken.values,
      ends: taken.ends,
      outputs: f.outputs.length * n * STATES,
      indices: 0,
      refused: 'left alone',
      batch,
    };
  });
  return [...single, ...batches];
}

/** The first step of a state that was reset: inputs are zero where it is refused. */
function controllerCase(model: ControllerModel): Case {
  const { name, robot, parameters, outputs, references } = model;
  const taken = new Arguments();
  const before = [
    ...taken.parameters(robot),
    `${name}_parameters gains = ${name}_defaults;`,
    `static ${name}_state state;`,
    `${name}_reset(&state);`,
  ];
  for (const { name: field, size, values } of parameters) {
    const at = taken.take(values.map((value) => Math.max(-FAR, Math.min(FAR, value))));
    const own = `gains.${variableName(field)}`;
    if (size === undefined) before.push(`${own} = in[${at}];`);
    else before.push(`memcpy(${own}, in + ${at}, sizeof ${own});`);
  }
  const n = robot.robot.coordinates.length;
  const isPose = references.length === 0;
  const q = taken.take(defaults(robot));
  const qd = taken.take(moderate(n));
  const identity = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0.1, 0.2, 0.3];
  const y = taken.take(isPose ? identity : moderate(references.length));
  const yd = taken.take(moderate(isPose ? 6 : references.length));
  // Poses come without second derivatives.
  const ydd = isPose ? yd : taken.take(moderate(references.length));
  const state = [q, qd, y, yd, ydd].map((at) => `in + ${at}`);
  return {
    name: `${name}_step`,
    before,
    call: `${name}_step(${['w', '&p', '&state', '&gains', ...state, 'out'].join(', ')})`,
    staged: false,
    inputs: taken.values,
    ends: taken.ends,
    outputs: outputs.length,
    indices: 0,
    refused: 'zeros',
    batch: -1,
  };
}
