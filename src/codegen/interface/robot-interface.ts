/** What generated code offers, as `interface.json` says it: names, units, limits, functions, controllers, sizes. */
import { rubs } from '../../description/model/actuator.ts';
import type * as z from 'zod';
import {
  KG_CONTRADICTORY,
  KG_NO_FRAME,
  KG_NO_STATE,
  KG_NON_FINITE,
  KG_OK,
  KG_OUT_OF_RANGE,
  KG_SINGULAR,
  KG_UNDEFINED,
} from '../../runtime/driver.ts';
import { bristleParameters, contactPairs } from '../../description/model/contact.ts';
import { isRigidRope } from '../../description/model/loop.ts';
import { rateUnit, forceUnit } from '../../description/model/robot.ts';
import { controllersOf, type ControllerModel } from '../controllers/controller-model.ts';
import { observersOf, type ObserverModel } from '../controllers/observer-model.ts';
import type { RecordField } from '../controllers/record-model.ts';
import { abiText } from '../c-language/linked-names.ts';
import { packageFile } from '../modules/assets.ts';
import { robotCounts } from '../modules/header.ts';
import { linksOf, withFields, type GeneratedFile, type RobotModel } from '../modules/robot-model.ts';
import { VERSION } from '../modules/version.ts';
import { layOutWorkspace } from '../modules/workspace.ts';
import { distinct, identifier, snakeCaseOf } from '../naming/identifiers.ts';
import { operationsInAll } from '../printing/cost-text.ts';
import { isDirection, type Size } from '../sweeps/arrays.ts';
import { callArguments } from '../sweeps/call-arguments.ts';
import type { Action, RobotFunction } from '../sweeps/robot-function.ts';
import { functionNames, robotFunction } from '../sweeps/robot-functions.ts';
import { variableName } from '../translation/translate-c.ts';
import type { robotInterface } from './schema.ts';

export type RobotInterface = z.infer<typeof robotInterface>;
type FunctionInterface = RobotInterface['functions'][number];
type ControllerInterface = RobotInterface['controllers'][number];
type Field = ControllerInterface['parameters'][number];
type Shape = NonNullable<FunctionInterface['arguments'][number]['shape']>;

/** @param rodStatics where they are written beside the driver. */
export function interfaceFile(model: RobotModel, rodStatics?: RobotInterface['rodStatics']): GeneratedFile {
  const all = { ...interfaceOf(model), ...(rodStatics && { rodStatics }) };
  return { path: 'interface.json', text: `${JSON.stringify(all, null, 2)}\n` };
}

export function interfaceOf(model: RobotModel): RobotInterface {
  const { robot } = model;
  const layout = layOutWorkspace(model);
  const links = linksOf(model).map(({ name }) => name);
  const rows = (robot.loops ?? []).flatMap((loop) => loop.rows);
  const ofCoordinates = distinct(
    robot.coordinates.map(({ name }) => name),
    identifier,
  );
  const ofInputs = distinct(
    robot.actuators.map(({ name }) => name),
    identifier,
  );
  const bristles = bristleParameters(robot);
  return {
    interface: 1,
    generator: `kanegen ${VERSION}`,
    robot: {
      name: robot.name,
      identifier: model.name,
      ...told('summary', robot.summary),
      source: { file: robot.source.file, sha256: robot.source.hash },
    },
    abi: abiText(model, layout),
    linkedSuffix: { float64: suffix(model, 'f64'), float32: suffix(model, 'f32') },
    sizes: {
      coordinates: layout.n,
      inputs: layout.u,
      parameters: 3 + model.members.length,
      frames: model.frames.length,
      links: links.length,
      rows: layout.r,
      contacts: layout.k,
      workspace: layout.size,
    },
    gravity: [...robot.gravity],
    coordinates: robot.coordinates.map((own, i) => ({
      name: own.name,
      identifier: ofCoordinates[i]!,
      link: links[own.link]!,
      part: own.part,
      unit: own.unit,
      rateUnit: rateUnit(own.unit),
      forceUnit: forceUnit(own.unit),
      default: own.value,
      ...bounds(own),
      ...(own.driveLimits && { drive: own.driveLimits }),
      ...told('summary', own.summary),
    })),
    inputs: robot.actuators.map((own, i) => ({
      name: own.name,
      identifier: ofInputs[i]!,
      kind: own.kind,
      unit: own.unit,
      coordinateUnit: own.coordinateUnit,
      ...bounds(own),
      ...(rubs(own) && { rubs: true as const }),
      ...told('summary', own.summary),
    })),
    parameters: model.members.map((own, i) => ({
      name: own.name,
      kind: i < model.parameters.length ? 'parameter' : 'time',
      unit: own.unit,
      default: own.value,
      ...bounds(own),
      ...bristlePlace(bristles, own.name),
      ...told('summary', own.summary),
    })),
    frames: robot.frames.map(({ name, link }) => ({ name, link: links[link]! })),
    tip: robot.tip,
    links,
    contacts: [...contactPairs(robot)],
    rows: rows.map((row) => ({
      name: row.name,
      unit: row.unit,
      forceUnit: row.forceUnit,
      ...(isRigidRope(row) && { rope: true as const }),
    })),
    states: Object.fromEntries(Object.entries(robot.states).map(([name, values]) => [name, [...values]])),
    functions: functionNames(model).map((name) => functionInterface(model, name, robotFunction(name))),
    controllers: controllersOf(model).map(controllerInterface),
    ...(robot.observers && { observers: observersOf(model).map(observerInterface) }),
    operations: robotCounts(model).map(({ call, counts }) => ({ call, operations: operationsInAll(counts) })),
    statuses: statuses(),
  };
}

const bristlePlace = (bristles: ReturnType<typeof bristleParameters>, name: string): { bristle?: number } => {
  const place = bristles.find((own) => own.name === name)?.index;
  return place === undefined ? {} : { bristle: place };
};

const told = <Key extends string>(key: Key, text: string | undefined): Partial<Record<Key, string>> =>
  text === undefined || text === '' ? {} : ({ [key]: text } as Record<Key, string>);

const bounds = ({
  lower,
  upper,
}: {
  readonly lower?: number;
  readonly upper?: number;
}): { lower?: number; upper?: number } => ({
  ...(lower === undefined ? {} : { lower }),
  ...(upper === undefined ? {} : { upper }),
});

/** As `KG_LINKED` of the run time ends a name. */
function suffix(model: RobotModel, precision: string): string {
  return `_${precision}_${abiText(model, layOutWorkspace(model))}`;
}

function functionInterface(model: RobotModel, name: string, f: RobotFunction): FunctionInterface {
  const pointers = new Set(f.optional ? f.outputs.map((output) => output.name) : []);
  return {
    name: snakeCaseOf(name),
    method: name,
    symbol: `${model.name}_${snakeCaseOf(name)}`,
    purpose: withFields(f.purpose, model),
    state: f.state,
    ...(f.after !== undefined && { after: snakeCaseOf(f.after) }),
    arguments: callArguments(f).map(({ name: own, role, size }) => ({
      name: own,
      role,
      ...(size !== undefined && { shape: shapeOf(own, size, model) }),
      ...((pointers.has(own) || (role === 'input' && isDirection(own))) && { optional: true }),
      ...(f.adds && role === 'output' && { adds: true }),
    })),
    statuses: statusesOf(f, model),
  };
}

/** Bodies of numbers that stand for rotations and vectors have their shape; a column is a row of numbers. */
function shapeOf(name: string, size: Size, model: RobotModel): Shape {
  const { n, u, r, s, k } = layOutWorkspace(model);
  const p = model.parameters.length;
  if (typeof size === 'number') return name === 'R' ? [3, 3] : [size];
  const shapes: Readonly<Record<Exclude<Size, number>, Shape>> = {
    n: [n],
    u: [u],
    p: [p],
    r: [r],
    s: [s],
    k: [k],
    '3 * k': [k, 3],
    '7 * k': [k, 7],
    'n * n': [n, n],
    '3 * n': [3, n],
    '6 * n': [6, n],
    'n * u': [n, u],
    'r * n': [r, n],
    'n * columns': ['columns', n],
    'p * columns': ['columns', p],
    'r * columns': ['columns', r],
  };
  return shapes[size];
}

/** A staged state may be one that was refused. */
/** What loops are asked without a demand on accelerations. */
const NEVER_REFUSED: ReadonlySet<string> = new Set(['jacobian', 'distribute', 'ropes']);

function statusesOf(f: RobotFunction, { robot }: RobotModel): number[] {
  const { outputs, ofFrame, ofLink } = f;
  return [
    KG_OK,
    KG_NON_FINITE,
    KG_OUT_OF_RANGE,
    ...(outputs.length > 0 ? [KG_UNDEFINED] : []),
    ...(ofFrame || ofLink ? [KG_NO_FRAME] : []),
    KG_NO_STATE,
    ...(f.actions.some(mayBeSingular) ? [KG_SINGULAR] : []),
    ...(robot.loops && f.actions.some((action) => 'loops' in action && !NEVER_REFUSED.has(action.loops))
      ? [KG_CONTRADICTORY]
      : []),
  ];
}

function mayBeSingular(action: Action): boolean {
  if ('pivots' in action) return action.pivots === 'require';
  if ('matrix' in action) return action.matrix === 'factor';
  if ('actions' in action)
    return [...action.actions, ...(('otherwise' in action && action.otherwise) || [])].some(mayBeSingular);
  return 'eachColumn' in action && action.eachColumn.some(mayBeSingular);
}

function controllerInterface(own: ControllerModel): ControllerInterface {
  const { law } = own.controller;
  const isPose = law.kind === 'task-space';
  return {
    name: own.controller.name,
    symbol: own.name,
    law: isPose ? `${law.kind}, ${law.form}` : law.kind,
    purpose: own.purpose,
    parameters: own.parameters.map(({ name, size = 1, summary, values }) => ({
      name: variableName(name),
      size,
      summary,
      ...(values.every((value) => Math.abs(value) < Number.MAX_VALUE) && { default: [...values] }),
    })),
    state: own.state.map(({ name, size }) => ({ name: variableName(name), size })),
    references: own.references.map(({ name, unit }) => ({ name, unit })),
    ...(isPose && { frame: own.robot.frames[law.frame]!.name }),
    referenceSizes: own.referenceSizes,
    outputs: own.outputs.map(({ name, unit }) => ({ name, unit })),
    operations: operationsInAll(own.cost),
    ...(own.shell && {
      shell: {
        symbol: `${own.name}_shell`,
        ...('controller' in own.shell.shell.fault && { safe: own.shell.shell.fault.controller }),
        settings: own.shell.settings.map(recordField),
        state: own.shell.memory.map(recordField),
        rates: own.shell.shell.rates.kind,
        operations: operationsInAll(own.shell.cost),
      },
    }),
  };
}

function observerInterface(own: ObserverModel): NonNullable<RobotInterface['observers']>[number] {
  return {
    name: own.observer.name,
    symbol: own.name,
    settings: own.settings.map(recordField),
    state: own.memory.map(recordField),
    measurements: own.measured.map(({ name, unit }) => ({ name, unit })),
    operations: operationsInAll(own.cost),
  };
}

function recordField({ name, type, size = 1, summary, values }: RecordField): Field {
  return {
    name: variableName(name),
    size,
    ...(type === 'index' && { whole: true as const }),
    summary,
    ...(values?.every((value) => Math.abs(value) < Number.MAX_VALUE) && { default: [...values] }),
  };
}

/** From the constants of the run time and what stands before them. */
function statuses(): RobotInterface['statuses'] {
  const found = packageFile('src/runtime/driver.ts').matchAll(
    /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport const (KG_\w+) = (\d+);/g,
  );
  return [...found].map(([, text, name, number]) => ({
    number: Number(number),
    name: name!,
    meaning: text!.replace(/\n \*/g, ' ').replace(/\s+/g, ' ').trim(),
  }));
}
