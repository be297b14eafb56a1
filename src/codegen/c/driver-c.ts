/**
 * The driver of a robot in C: the table of its links, sweeps as static functions of its module, and its functions
 * themselves. Numbers of blocks stand at fixed places of the workspace `w`.
 */
import { BASE_MOTIONS, type BaseMotion } from '../../kane/equations/base-and-frames.ts';
import { quantityOfBase } from '../../kane/kernels/quantities.ts';
import { type ParameterKind } from '../sweeps/actuator-functions.ts';
import { STEP_TIME, type RobotFunction } from '../sweeps/robot-function.ts';
import { callArguments } from '../sweeps/call-arguments.ts';
import { INPUTS, isDirection, sizeOf, type RobotSizes, type Size } from '../sweeps/arrays.ts';
import { robotFunction, functionNames, type RobotFunctionName } from '../sweeps/robot-functions.ts';
import { isReadBy } from '../sweeps/sweep-steps.ts';
import { sweepOf, SWEEP_NAMES } from '../sweeps/sweeps.ts';
import {
  sum,
  within,
  type DriverFunction,
  type DriverLanguage,
  type Index,
  type LinkAccess,
  type LinkRegion,
} from '../drivers/driver-language.ts';
import { applyFunction, baseFunction, sweepFunction } from '../sweeps/function-names.ts';
import { DriverPrinter } from '../drivers/print-driver.ts';
import { reachable, type Definition } from '../modules/reachable.ts';
import { baseProgram, frameProgram, motionProgram, wrenchProgram } from '../drivers/robot-programs.ts';
import { typesUsed } from '../drivers/equal-links.ts';
import type { InstanceModel, LinkModel, RobotModel } from '../modules/robot-model.ts';
import { IN_WORKSPACE, startOfFrame, type SharedPart, type WorkspaceLayout } from '../modules/workspace.ts';
import { placeName } from './place-names.ts';
import { commentText, snakeCase, snakeCaseOf, wrapped } from '../naming/identifiers.ts';
import { onLines, signature } from '../naming/statement-lines.ts';
import type { Program } from '../programs/program.ts';
import { inRuns, withoutBraces } from '../c-language/runs.ts';
import { commentBlock } from '../c-language/source-text.ts';
import { cTarget } from '../c-language/target.ts';
import { WorkspaceNames } from './workspace-names.ts';
import { functionsBetweenLinks } from '../drivers/bordering.ts';

/** The function of a link type, as other modules call it. Two robots in one program may have types of the same name. */
export function linkFunctionName(model: RobotModel, link: LinkModel, name: string): string {
  return `${model.name}_link_${link.name}_${snakeCaseOf(name)}`;
}

/** What the template's own function for parameters calls. */
const CALLED_BY_SET_UP = (['prepare', 'takeTime'] as const).map((name) => snakeCaseOf(sweepFunction(name))).join(' ');

/** By the name of the function. */
function definitionOf(text: string): Definition {
  return { names: [/^static \w+ (\w+)\(/m.exec(text)![1]!], text };
}

/** @param tableOf name of the table of a link's constants. */
export function driverC(
  model: RobotModel,
  layout: WorkspaceLayout,
  tableOf: (instance: InstanceModel) => string,
): {
  readonly links: LinkTable;
  /** Actuators of the terms that act within links, link by link; empty where no loop asks for them. */
  readonly linkActuators: readonly number[];
  readonly sweeps: readonly string[];
  readonly functions: readonly string[];
  /** Of actuators, over several links, and of run-time parameters. */
  readonly formulas: readonly Program[];
  readonly names: WorkspaceNames;
} {
  const names = new WorkspaceNames(model, layout);
  const language = languageC(model, layout, tableOf, names);
  const printer = new DriverPrinter(model, layout, language);
  const w = { name: 'w', text: 'kg_real w[]' };
  const array = (name: string): Parameter =>
    name === 'at' ? integer(name) : name === 'u' ? read(name) : written(name);
  const sweeps = sweepFunctionsC(printer, w);
  const formulas = printer.formulas.map(({ name, purpose, arrays, lines }) =>
    cFunction(name, purpose, [w, ...arrays.map(array)], lines),
  );
  const bases = printer.baseMotions.map((motion) =>
    cFunction(baseFunction(motion), BASE_MOTIONS[motion], [w], baseLines(model, language, printer, motion)),
  );
  const jacobian = cFunction(
    'jacobian',
    'Columns of the Jacobian of the frame whose pose was asked for last, of a link and of all that carry it.',
    [w, integer('link'), written('J')],
    printer.walks.jacobian(),
  );
  const transmit = cFunction(
    'transmit',
    'Adds what a wrench on a link does on its coordinates, and on those of all that carry it.',
    [w, integer('link'), integer('stop'), written('tau'), integer('at'), integer('stride')],
    printer.walks.transmit(),
  );
  const own = (f: DriverFunction): string => ownFunctionC(f, w);
  const reaching = functionsBetweenLinks(printer, language, model).map(own);
  const frameFunctions = [
    framePose(layout, names, printer),
    ...(['world', 'frame'] as const).map((axes) => applyWrench(layout, names, printer, axes)),
    keepDrift(names),
    frameMotion(layout, names, printer),
  ];
  const functions = functionNames(model).map((name) => robotFunctionC(model, layout, names, printer, name));
  const definitions = [
    ...bases,
    ...[...printer.entries, ...printer.momenta].map(own),
    ...sweeps,
    ...formulas,
    ...frameFunctions,
    jacobian,
    transmit,
    ...reaching,
  ].map(definitionOf);
  const called = reachable(definitions, [...functions, CALLED_BY_SET_UP]).map(({ text }) => text);
  const asks = called.some((text) => text.includes('link_actuators['));
  return {
    links: linkTable(model, names, tableOf, [...called, ...functions].join('\n')),
    names,
    linkActuators: asks ? model.instances.flatMap(({ actuators }) => actuators) : [],
    sweeps: called,
    formulas: printer.ownPrograms,
    functions,
  };
}

/** What the base hands to its children, by the name of the quantity. */
export function baseLines(
  model: RobotModel,
  language: DriverLanguage,
  printer: DriverPrinter,
  motion: BaseMotion,
): string[] {
  const of = motion === 'rest' ? 'acceleration' : quantityOfBase(motion);
  return printer.program(baseProgram(model, motion), {
    write: ({ index }) => language.baseNumber(of, index - startOfFrame(of)!),
  });
}

const read = (name: string): Parameter => ({ name, text: `const kg_real ${name}[]` });
const written = (name: string): Parameter => ({ name, text: `kg_real ${name}[]` });
const integer = (name: string): Parameter => ({ name, text: `int ${name}` });

/** Sweeps over links. @param workspace what all functions of the driver take first. */
export function sweepFunctionsC(printer: DriverPrinter, workspace: Parameter): string[] {
  return SWEEP_NAMES.filter((name) => printer.has(name)).map((name) => {
    const { purpose, arrays, upTo, from, at, numbers = [] } = sweepOf(name);
    const isRead = (array: string): boolean => isReadBy(sweepOf(name), array);
    const bounds = [...(upTo ? [integer('last')] : []), ...(from ? [integer('start')] : [])];
    const indices = [...bounds, ...(at ? [integer('at')] : [])];
    const given = numbers.map((own) => ({ name: own, text: `kg_real ${own}` }));
    const parameters = [
      workspace,
      ...indices,
      ...given,
      ...arrays.map((array) => (isRead(array) ? read(array) : written(array))),
    ];
    return cFunction(sweepFunction(name), purpose, parameters, printer.sweep(name));
  });
}

/** A function that callers do not see. */
export function ownFunctionC(f: DriverFunction, workspace: Parameter): string {
  const kinds: Readonly<Record<ParameterKind, (name: string) => Parameter>> = {
    index: integer,
    number: (name) => ({ name, text: `kg_real ${name}` }),
    read,
    handed: read,
    direction: read,
    written,
    wanted: written,
  };
  const given = Object.entries(f.parameters).map(([name, kind]) => kinds[kind](name));
  return cFunction(f.name, f.purpose, [workspace, ...given], f.lines);
}

// ---------------------------------------------------------------------------------------------- the language

function hasOpenLinks({ instances }: RobotModel): boolean {
  return instances.some(({ constants }) => constants === null);
}

/** Where the actuators of each link begin in the table of all. */
function actuatorPlaces({ instances }: RobotModel): readonly number[] {
  let next = 0;
  return instances.map(({ actuators }) => (next += actuators.length) - actuators.length);
}

export function languageC(
  model: RobotModel,
  layout: WorkspaceLayout,
  tableOf: (instance: InstanceModel) => string,
  names = new WorkspaceNames(model, layout),
): DriverLanguage {
  const { shared } = layout;
  const array = (name: string): string => `w + ${name}`;
  const inPart = (name: string, index: Index): string => `w[${sum(name, index)}]`;
  const place = (buffer: string, index: number): string => {
    if (buffer === 'input') return buffer;
    return IN_WORKSPACE.has(buffer) ? inPart(names.shared(buffer as SharedPart), index) : `${buffer}[${index}]`;
  };
  const hasOpen = hasOpenLinks(model);
  const firstActuators = actuatorPlaces(model);
  return {
    target: { ...cTarget(place), isWanted: (buffer) => `${buffer} != NULL` },
    value: (element) => element,
    link: (index) => {
      const instance = model.instances[index]!;
      const { parent, constants } = instance;
      const arrays: Readonly<Record<LinkRegion, () => string>> = {
        constants: () => (constants ? tableOf(instance) : array(names.ofLink(index, 'constants'))),
        madeConstants: () => array(names.ofLink(index, 'constants')),
        parameters: () => array(names.ofLink(index, 'parameters')),
        parent: () => array(names.ofLink(parent, 'block')),
        own: () => array(names.ofLink(index, 'block')),
        parentTangent: () => array(names.ofLink(parent, 'tangent')),
        ownTangent: () => array(names.ofLink(index, 'tangent')),
        parametersTangent: () => array(names.ofLink(index, 'parametersTangent')),
        parametersAdjoint: () => array(names.ofLink(index, 'parametersTangent')),
      };
      const numbers = {
        own: [index, 'block'],
        parent: [parent, 'block'],
        ownTangent: [index, 'tangent'],
        parentTangent: [parent, 'tangent'],
      } as const;
      return {
        first: instance.first,
        parentIndex: instance.parent,
        actuator: (k) =>
          typeof k === 'number' ? instance.actuators[k]! : `link_actuators[${sum(firstActuators[index]!, k)}]`,
        array: (region) => arrays[region](),
        number: (region, of, i) => {
          const [block, part] = numbers[region];
          return inPart(names.inLink(block, part, of), i);
        },
        placeOf: (of) => names.inBlock(of, instance.link),
      };
    },
    row: (index, link) => {
      const arrays: Record<Parameters<LinkAccess['array']>[0], string> = {
        constants: hasOpen ? 'constants_of(w, l)' : 'l->constants',
        madeConstants: 'w + l->at_constants',
        parameters: 'w + l->at_parameters',
        parent: 'w + l->at_parent',
        own: 'w + l->at_own',
        parentTangent: 'w + l->at_parent_tangent',
        ownTangent: 'w + l->at_own_tangent',
        parametersTangent: 'w + l->at_parameters_tangent',
        parametersAdjoint: 'w + l->at_parameters_tangent',
      };
      return {
        declarations: [`const struct link *const l = &links[${index}];`],
        first: 'l->first',
        parentIndex: 'l->parent',
        type: 'l->type',
        count: 'l->count',
        actuator: (k) => `link_actuators[${sum('l->at_actuators', k)}]`,
        array: (region) => arrays[region],
        number: (region, of, i) => `w[l->at_${snakeCaseOf(region)} + ${sum(names.inBlock(of, link), i)}]`,
        placeOf: (of) => names.inBlock(of, link),
      };
    },
    inBlock: (block, of, index) => `${block}[${sum(names.inBlock(of), index)}]`,
    baseNumber: (of, index) => inPart(names.inLink(-1, 'block', of), index),
    addendNumber: (of, index) => inPart(names.inAddend(of), index),
    shared: (part) => array(names.shared(part)),
    sharedNumber: (part, index) => inPart(names.shared(part), index),
    unitWrench: (a) => `w + ${sum(names.shared('unitWrenches'), typeof a === 'number' ? 6 * a : `6 * ${a}`)}`,
    callLink: (link, name, parameters) => `${linkFunctionName(model, link, name)}(${parameters.join(', ')});`,
    call: (name, parameters) => `${snakeCaseOf(name)}(${['w', ...parameters].join(', ')});`,
    runTime: (name, parameters) => `kg_${snakeCaseOf(name)}(${parameters.join(', ')})`,
    clear: (name, size) => `kg_clear(${name}, ${size});`,
    clearBlock: (index, of, size, region) =>
      `kg_clear(w + ${names.inLink(index, region === 'own' ? 'block' : 'tangent', of)}, ${size});`,
    frameOffset: (index) =>
      `${shared.frameOffsets.size === 0 ? 'frame_offsets' : array(names.shared('frameOffsets'))} + 12 * ${index}`,
    declareFrameBlock: (name, frame) =>
      `kg_real *const ${name} = w + (frame_link[${frame}] < 0 ? ${names.shared('base')} : links[frame_link[${frame}]].at_own);`,
    clearShared: (part) => `kg_clear(w + ${names.shared(part)}, ${shared[part].size});`,
    loop: (variable, from, to, lines, inwards = false, condition = '') => {
      const and = condition && ` && ${condition}`;
      const head = inwards
        ? `int ${variable} = ${sum(to, -1)}; ${variable} >= ${from}${and}; --${variable}`
        : `int ${variable} = ${from}; ${variable} < ${to}${and}; ++${variable}`;
      return within(`for (${head}) {`, lines);
    },
    parentOfLink: 'links[link].parent',
    branch: (condition, lines) => within(`if (${condition}) {`, lines),
    about: (name, lines) => {
      const [first, ...rest] = lines;
      if (first === undefined) return [];
      // Places say by their names whose they are.
      if (lines.some((line) => line.includes(`${placeName(snakeCase(name))}_`))) return [...lines];
      const noted = `${first} /* ${name} */`;
      return noted.length <= 116 ? [noted, ...rest] : [`/* ${name} */`, first, ...rest];
    },
    isGiven: (output) => `${output} != NULL`,
    refuse: (status) => `return ${status};`,
    nothing: 'NULL',
    placeDrift: (k) => `w + ${sum(names.shared('placeDrifts'), 12 * k)}`,
    placeDriftTangent: (k) => `w + ${sum(names.shared('placeDriftTangents'), 12 * k)}`,
    declareRead: (name, value) => `const kg_real *${name} = ${value};`,
    declareWritten: (name, value) => `kg_real *${name} = ${value};`,
    asNumber: (index) => `(kg_real)(${index})`,
    flag: (is) => (is ? '1' : '0'),
    declareIndex: (name, value) => `const int ${name} = ${value};`,
    equal: '==',
  };
}

// ---------------------------------------------------------------------------------------------- the module

/** Rows of the table of links: constants, type, parent, first coordinate and number of them, places in the workspace. */
function linkTable(
  model: RobotModel,
  names: WorkspaceNames,
  tableOf: (instance: InstanceModel) => string,
  code: string,
): LinkTable {
  const types = typesUsed(model);
  const firstActuators = actuatorPlaces(model);
  const columns: readonly (readonly [string, (instance: InstanceModel, index: number) => string | number])[] = [
    ['type', ({ link }) => types.indexOf(link)],
    ['parent', ({ parent }) => parent],
    ['first', ({ first }) => first],
    ['count', ({ link }) => link.type.coordinates.length],
    ['at_parent', ({ parent }) => names.ofLink(parent, 'block')],
    ['at_own', (_, index) => names.ofLink(index, 'block')],
    ['at_constants', ({ constants }, index) => (constants ? 0 : names.ofLink(index, 'constants'))],
    ['at_parameters', ({ constants }, index) => (constants ? 0 : names.ofLink(index, 'parameters'))],
    ['at_actuators', (_, index) => firstActuators[index]!],
    ['at_parent_tangent', ({ parent }) => names.ofLink(parent, 'tangent')],
    ['at_own_tangent', (_, index) => names.ofLink(index, 'tangent')],
    ['at_parameters_tangent', (_, index) => names.ofLink(index, 'parametersTangent')],
  ];
  // The template's own function asks for constants that are made at run time.
  const mentions = (column: string): boolean =>
    column === 'parent' ||
    new RegExp(`(?:->|\\.)${column}\\b`).test(code) ||
    (column === 'at_constants' && code.includes('constants_of('));
  const used = columns.filter(([column]) => mentions(column));
  const rows = model.instances.map((instance, index) => {
    const numbers = used.map(([, of]) => of(instance, index));
    const row = `{${[instance.constants ? tableOf(instance) : 'NULL', ...numbers].join(', ')}},`;
    return wrapped(`${row} /* ${commentText(instance.name)} */`, 114);
  });
  return { members: used.map(([column]) => column).join(', '), rows: rows.flat() };
}

export interface LinkTable {
  readonly members: string;
  readonly rows: readonly string[];
}

function framePose(layout: WorkspaceLayout, names: WorkspaceNames, printer: DriverPrinter): string {
  const lines = printer.program(frameProgram(), {
    read: ({ buffer, index }) => `${buffer}[${index}]`,
    write: ({ buffer, index }) =>
      `${buffer === 'point' ? `w[${sum(names.shared('point'), index)}` : `${buffer}[${index}`}]`,
  });
  const parameters = [
    { name: 'w', text: 'kg_real w[]' },
    { name: 'frame', text: 'int frame' },
    { name: 'R', text: 'kg_real R[]' },
    { name: 't', text: 'kg_real t[]' },
  ];
  return cFunction('framePose', 'World pose of a frame from that of its link.', parameters, [
    'const int link = frame_link[frame];',
    `const kg_real *const pose = w + ${blockOfLink(names)} + ${names.inBlock('pose')};`,
    offsetOfFrame(layout, names),
    ...lines,
  ]);
}

const blockOfLink = (names: WorkspaceNames): string => `(link < 0 ? ${names.shared('base')} : links[link].at_own)`;

function offsetOfFrame({ shared: { frameOffsets } }: WorkspaceLayout, names: WorkspaceNames): string {
  const isFixed = frameOffsets.size === 0;
  return `const kg_real *const offset = ${isFixed ? 'frame_offsets' : `w + ${names.shared('frameOffsets')}`} + 12 * frame;`;
}

function applyWrench(
  layout: WorkspaceLayout,
  names: WorkspaceNames,
  printer: DriverPrinter,
  axes: 'world' | 'frame',
): string {
  const lines = printer.program(wrenchProgram(axes), {
    read: ({ buffer, index }) => `${buffer}[${index}]`,
    write: ({ index }) => `own[${sum(names.inBlock('applied'), index)}]`,
  });
  const parameters = [
    { name: 'w', text: 'kg_real w[]' },
    { name: 'frame', text: 'int frame' },
    { name: 'wrench', text: 'const kg_real wrench[]' },
  ];
  return cFunction(applyFunction(axes), `A wrench on a frame, in axes of the ${axes}, to its link.`, parameters, [
    'const int link = frame_link[frame];',
    `kg_real *const own = w + ${blockOfLink(names)};`,
    ...(axes === 'world' ? [`const kg_real *const pose = own + ${names.inBlock('pose')};`] : []),
    offsetOfFrame(layout, names),
    ...lines,
  ]);
}

function keepDrift(names: WorkspaceNames): string {
  const parameters = [
    { name: 'w', text: 'kg_real w[]' },
    { name: 'link', text: 'int link' },
    { name: 'drift', text: 'kg_real drift[]' },
  ];
  return cFunction('keepDrift', 'Motion of a link, whose place its pose will take.', parameters, [
    `const kg_real *const motion = w + ${blockOfLink(names)} + ${names.inBlock('biasMotion')};`,
    'for (int k = 0; k < 12; ++k)',
    '  drift[k] = motion[k];',
  ]);
}

function frameMotion(layout: WorkspaceLayout, names: WorkspaceNames, printer: DriverPrinter): string {
  const lines = printer.program(motionProgram(), {
    read: ({ buffer, index }) => `${buffer}[${index}]`,
    write: ({ buffer, index }) => `${buffer}[${index}]`,
  });
  const parameters = [
    { name: 'w', text: 'kg_real w[]' },
    { name: 'frame', text: 'int frame' },
    { name: 'drift', text: 'const kg_real drift[]' },
    { name: 'velocity', text: 'kg_real velocity[]' },
    { name: 'bias', text: 'kg_real bias[]' },
  ];
  return cFunction('frameMotion', 'Motion of a frame from pose and motion of its link.', parameters, [
    'const int link = frame_link[frame];',
    `const kg_real *const pose = w + ${blockOfLink(names)} + ${names.inBlock('pose')};`,
    offsetOfFrame(layout, names),
    ...lines,
  ]);
}

export interface Parameter {
  readonly name: string;
  readonly text: string;
}

/** Parameters of a function of the robot, as its header declares them. */
function robotParameters(model: RobotModel, f: RobotFunction): Parameter[] {
  const types = {
    workspace: `${model.name}_workspace *`,
    parameters: `const ${model.name}_parameters *`,
    columns: 'int ',
    number: 'kg_real ',
    frame: 'int ',
    link: 'int ',
    input: 'const kg_real ',
    output: 'kg_real ',
  };
  return callArguments(f).map(({ name, role, size }) => ({
    name,
    text: `${types[role]}${name}${size === undefined ? '' : `[${fixedSize(size)}]`}`,
  }));
}

/** As headers say it of arrays: sizes that depend on the robot they leave out. */
export const fixedSize = (size: Size): string => (typeof size === 'number' ? String(size) : '');

/** `kg_status NAME_mass_matrix(NAME_workspace *workspace, kg_real M[])` */
export function robotPrototype(model: RobotModel, name: RobotFunctionName): string {
  const list = robotParameters(model, robotFunction(name)).map(({ text }) => text);
  return signature(`kg_status ${model.name}_${snakeCaseOf(name)}(`, list);
}

function robotFunctionC(
  model: RobotModel,
  layout: WorkspaceLayout,
  names: WorkspaceNames,
  printer: DriverPrinter,
  name: RobotFunctionName,
): string {
  const f = robotFunction(name);
  const lines = [
    'kg_real *const w = workspace->w;',
    ...accepted(f, model, layout, names),
    ...printer.actions(name),
    ...concluded(f, layout),
  ];
  return `${robotPrototype(model, name)}\n{\n${withoutBraces(lines)
    .flatMap((line) => onLines(`  ${line}`))
    .join('\n')}\n}\n`;
}

/** The status of a call whose state, parameters or inputs cannot be used. */
function accepted(
  { state, inputs, ofFrame, ofLink, numbers = [] }: RobotFunction,
  model: RobotModel,
  sizes: WorkspaceLayout,
  names: WorkspaceNames,
): string[] {
  const at = `w + ${names.shared('staged')}`;
  const ready = state === 'staged' ? `kg_staged(${at})` : 'set_up(w, p)';
  const first = numbers.reduce(
    (before, own) => (own === STEP_TIME ? `kg_accept_step(${before}, ${own})` : `kg_accept(${before}, &${own}, 1)`),
    ready,
  );
  const isWhole = state === 'at' && inputs.length === 3;
  const status = isWhole
    ? first
    : inputs.reduce((before, name) => {
        const accept = isDirection(name) ? 'kg_accept_given' : 'kg_accept';
        return `${accept}(${before}, ${name}, ${sizeOf(INPUTS[name], sizes)})`;
      }, first);
  const kept = state === 'stages' ? `kg_stage(${at}, ${status})` : status;
  return [
    `const kg_status status = ${kept};`,
    ...(state === 'at' ? [`kg_unstage(${at});`] : []),
    ...(ofFrame ? [`if (index < 0 || index >= ${model.frames.length})`, '  return KG_NO_FRAME;'] : []),
    ...(ofLink ? [`if (link < 0 || link >= ${model.robot.links.length})`, '  return KG_NO_FRAME;'] : []),
    'if (status != KG_OK)',
    '  return status;',
    ...(isWhole ? [`if (!kg_finite_state(${inputs.join(', ')}, ${sizes.n}))`, '  return KG_NON_FINITE;'] : []),
    ...(ofFrame ? ['const int link = frame_link[index];'] : []),
  ];
}

/** The status of a call that was carried out; outputs that are not finite are marked. */
export function concluded({ outputs, optional }: RobotFunction, sizes: RobotSizes): string[] {
  const sized = outputs.map(({ name, size }) => ({ name, size: sizeOf(size, sizes) }));
  const [only, ...others] = sized;
  if (!only) return ['return KG_OK;'];
  if (others.length === 0) return [`return kg_finished(${only.name}, ${only.size});`];
  const finite = sized.map(({ name, size }) =>
    optional ? `(${name} == NULL || kg_finite(${name}, ${size}))` : `kg_finite(${name}, ${size})`,
  );
  return [
    ...onLines(`if (${finite.join(' && ')})`, 110),
    '  return KG_OK;',
    ...sized.map(({ name, size }) => `kg_mark(${name}, ${size});`),
    'return KG_UNDEFINED;',
  ];
}

export function cFunction(
  name: string,
  purpose: string,
  parameters: readonly Parameter[],
  lines: readonly string[],
): string {
  const body = lines.join('\n');
  const unused = parameters.filter((p) => !new RegExp(`\\b${p.name}\\b`).test(body)).map((p) => `(void)${p.name};`);
  const head = signature(
    `static void ${snakeCaseOf(name)}(`,
    parameters.map(({ text }) => text),
  );
  const statements = [...withoutBraces(inRuns(lines)), ...unused].flatMap((line) => onLines(`  ${line}`));
  return `${commentBlock(purpose)}\n${head}\n{\n${statements.join('\n')}\n}\n`;
}
