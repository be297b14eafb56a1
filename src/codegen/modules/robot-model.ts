/**
 * A compiled robot as both targets see it: one set of programs per link type, tables of exact constants rounded once,
 * and one program for what depends on run-time parameters.
 */
import { blamingExtremes } from '../../description/model/extremes.ts';
import { haveTimedLinks, TIME, type Location, type Robot } from '../../description/model/robot.ts';
import { formulasOfAction } from '../../description/model/frame-terms.ts';
import { contactNumbers } from '../../description/model/contact.ts';
import { rowsOf } from '../../description/model/loop.ts';
import { waterOf } from '../../description/model/what-acts.ts';
import { withinLinkTime } from '../../kane/compile.ts';
import { BUFFERS, INPUT_BUFFERS, type Buffer, type BufferRecord } from '../../kane/kernels/buffers.ts';
import { outputName, outputNames } from '../../kane/kernels/entry-names.ts';
import { linkFunction, type KernelName, type LinkFunctionName } from '../../kane/kernels/link-functions.ts';
import type {
  Choice,
  CompiledRobot,
  InputBuffer,
  LinkInstance,
  LinkType,
  OutputBuffer,
  Reaching,
} from '../../kane/kernels/link-type.ts';
import { baseNeeds, baseValues } from '../../kane/kernels/base-values.ts';
import { specialise } from '../../kane/kernels/specialise.ts';
import type { Expr, SymbolExpr } from '../../symbolic/graph/expr.ts';
import { requireDouble, requireDoubles } from '../../symbolic/evaluation/double.ts';
import { foldConstants } from '../../symbolic/evaluation/evaluate.ts';
import { freeSymbols } from '../../symbolic/graph/traverse.ts';
import { frameEntries } from '../../symbolic/graph/vector.ts';
import { annotated, labelOf } from '../programs/headings.ts';
import { distinct, identifier, parameterIdentifiers, snakeCase, snakeCaseOf } from '../naming/identifiers.ts';
import { OperationGraph } from '../programs/operation-graph.ts';
import { foldTable } from '../programs/fold-tables.ts';
import type { NamedInput } from '../naming/quantity-parts.ts';
import type { Operation, Place } from '../operations/operation.ts';
import { buildProgram, type Program } from '../programs/program.ts';
import { graphOfLink, stageLink, type LinkGraph, type StagedLink } from '../programs/stages.ts';

/** Are there derivatives by run-time parameters that move what actuators between links hold on to? */
export function movesActuators({ gradients, moving }: RobotModel): boolean {
  return gradients && moving;
}

/** Do drivers have changes of what is held between links, as run-time parameters move it? */
export function variesPlaces(model: RobotModel): boolean {
  const { forces = [], pushes = [] } = model.reaching ?? {};
  const isForced = model.parametric && forces.length + pushes.length > 0;
  return movesActuators(model) || (isForced && model.moving);
}

/** Rows of all loops. */
export function loopRows({ robot }: Pick<RobotModel, 'robot'>): number {
  return rowsOf(robot);
}

/** Are there rows that give way, or ropes? */
export function yieldsLoops({ robot }: Pick<RobotModel, 'robot'>): boolean {
  return (robot.loops ?? []).some(({ rows }) => rows.some(({ yields, isRope }) => yields ?? isRope));
}

/** Stands for the time in rows of loops that depend on it. */
export function loopTime({ robot }: Pick<RobotModel, 'robot'>): SymbolExpr | undefined {
  return robot.loops?.find(({ time }) => time)?.time;
}

/** Are there functions that solve for multipliers of loops? */
export function closesLoops(model: RobotModel): boolean {
  const closing = [
    'forwardDynamics',
    'constrainedForwardDynamics',
    'constraintCorrection',
    'implicitStep',
    'constrainedImplicitStep',
    'constrainedInverseDynamics',
  ];
  return loopRows(model) > 0 && closing.some((name) => model.wanted?.has(name) ?? true);
}

/** Do multipliers take part of given generalized forces? */
export function distributesForces(model: RobotModel): boolean {
  return loopRows(model) > 0 && (model.wanted?.has('constrainedInverseDynamics') ?? true);
}

/** Does code have the transpose of implicit steps that close loops? */
export function weighsLoopSteps(model: RobotModel): boolean {
  const isWanted = model.wanted?.has('constrainedImplicitStepAdjoint') ?? true;
  return loopRows(model) > 0 && model.adjoints && isWanted && !haveTimedLinks(model.robot);
}

/** Does it have their changes along directions? */
export function changesLoopSteps(model: RobotModel): boolean {
  const isWanted = model.wanted?.has('constrainedImplicitStepTangent') ?? true;
  return loopRows(model) > 0 && model.derivatives && isWanted && !haveTimedLinks(model.robot);
}

/** A generated file by its path below the output folder. */
export interface GeneratedFile {
  readonly path: string;
  readonly text: string;
  /** The text stands for bytes. */
  readonly encoding?: 'base64';
}

export interface LinkModel {
  readonly type: LinkType;
  /** Identifier of the type, unique in the robot. */
  readonly name: string;
  readonly staged: StagedLink;
  /** The functions that links of the type have, wanted or not. */
  readonly has: ReadonlySet<LinkFunctionName>;
  /** Functions of its module: those that are wanted and do something. */
  readonly programs: readonly Program[];
  /** A function as it is where all are wanted. */
  programOf(name: LinkFunctionName): Program | undefined;
  /** Has the function nothing to do? Then the module lacks it, and nobody calls it. */
  isIdle(name: LinkFunctionName): boolean;
  /** A function that copies and clears a few numbers and no more: the module lacks it, and sweeps do that themselves. */
  copyOf(name: LinkFunctionName): Program | undefined;
}

export interface InstanceModel {
  readonly name: string;
  readonly link: LinkModel;
  readonly parent: number;
  /** Index of its first coordinate. */
  readonly first: number;
  /** Table of constants; null when it depends on run-time parameters. */
  readonly constants: readonly number[] | null;
  readonly expressions: readonly Expr[];
  /** Index among the robot's actuators of each term that acts within the link. */
  readonly actuators: readonly number[];
  /** Of material points that stand beside the links: the link on whose body they are. */
  readonly pointOf?: number;
}

export interface RobotModel {
  readonly robot: Robot;
  /** Functions that are wanted, by the names of its object; undefined: all. */
  readonly wanted: ReadonlySet<string> | undefined;
  /** The same robot with all functions; undefined of that. */
  readonly whole: RobotModel | undefined;
  /** Identifier of the robot, in snake case. */
  readonly name: string;
  readonly links: readonly LinkModel[];
  /** The links of the robot, then material points that actuators hold on to and frames within bodies. */
  readonly instances: readonly InstanceModel[];
  /** Base pose and frame offsets, 12 numbers each; those that depend on run-time parameters hold their defaults. */
  readonly base: readonly number[];
  readonly frames: readonly { readonly name: string; readonly link: number; readonly offset: readonly number[] }[];
  /** Where terms of actuators reach: frames behind those, for the driver alone. */
  readonly places: readonly { readonly link: number; readonly offset: readonly number[] }[];
  readonly reaching: Reaching | null;
  /** Run-time parameters by identifier. */
  readonly parameters: readonly {
    readonly name: string;
    readonly unit: string;
    readonly value: number;
    readonly summary: string;
    /** Values beyond are refused by generated code. */
    readonly lower?: number;
    readonly upper?: number;
  }[];
  /** What callers give beside gravity, in this order: run-time parameters, then the time where the robot depends on it. */
  readonly members: RobotModel['parameters'];
  /** Do all links have the functions of changes along directions? */
  readonly derivatives: boolean;
  /** Is there water; are there fields along rods? */
  readonly wet: boolean;
  readonly placed: boolean;
  /** Those of changes along run-time parameters? */
  readonly parametric: boolean;
  /** Run-time parameters that the driver itself asks for. */
  readonly held: readonly SymbolExpr[];
  /** Do all links tell the places of their material points? */
  readonly points: boolean;
  /** That of all bodies, where none of them depends on the time? */
  readonly momentum: boolean;
  /** Those of weighted sums of generalized forces? */
  readonly adjoints: boolean;
  /** Those of such sums by run-time parameters? */
  readonly gradients: boolean;
  /** Do run-time parameters move what actuators between links hold on to? */
  readonly moving: boolean;
  /** Run-time parameters → buffers `base`, `frames`, `linkParameters`; null when there is nothing to compute. */
  readonly setup: Program | null;
}

/** By the link types of a compiled robot: those that its tree leaves, and what was made of them. */
const models = new WeakMap<CompiledRobot['types'], Models>();
const chosen = new WeakMap<Choice, RobotModel>();

interface Models {
  readonly robot: Robot;
  readonly links: CompiledRobot['links'];
  readonly special: CompiledRobot;
  readonly whole: RobotModel;
}

function modelsOf(robot: Robot, compiled: CompiledRobot): Models {
  const found = models.get(compiled.types);
  if (found?.robot === robot && found.links === compiled.links) return found;
  return blamingExtremes(robot, () => {
    const special = specialise(compiled, baseValues(robot), baseNeeds(robot));
    const made = { robot, links: compiled.links, special, whole: makeModel(robot, special) };
    models.set(compiled.types, made);
    return made;
  });
}

/**
 * The code of the functions that are chosen.
 * @param robot where `compiled` comes from.
 */
export function robotModel(robot: Robot, compiled: CompiledRobot): RobotModel {
  const { special, whole } = modelsOf(robot, compiled);
  const { choice } = compiled;
  const found = choice && chosen.get(choice);
  const model = found?.robot === robot ? found : choice ? makeModel(robot, special, { choice, whole }) : whole;
  if (choice) chosen.set(choice, model);
  blamingExtremes(robot, () => {
    for (const link of model.links)
      withinLinkTime(robot.links[firstUse(model, link)]!, 'the code of this link', () => link.programs);
  });
  return model;
}

/** A robot with all functions, whose code is made where it is asked for. */
export function wholeModel(robot: Robot, compiled: CompiledRobot): RobotModel {
  return modelsOf(robot, compiled).whole;
}

/** The same with kernels that hold for every tree: nothing about the base, other links or gravity is folded in. */
export function moduleModel(robot: Robot, compiled: CompiledRobot): RobotModel {
  return blamingExtremes(robot, () => makeModel(robot, compiled, { keepsIdle: true }));
}

interface Extent {
  readonly choice?: Choice;
  /** Of a choice: the robot with all functions. */
  readonly whole?: RobotModel;
  /** Modules have every function of their interface. */
  readonly keepsIdle?: boolean;
}

function makeModel(robot: Robot, compiled: CompiledRobot, { choice, whole, keepsIdle }: Extent = {}): RobotModel {
  const names = distinct(
    compiled.types.map((type) => type.name),
    snakeCase,
  );
  const links = compiled.types.map((type, i) => {
    const link = robot.links[firstLink(compiled.links, (instance) => instance.type === type)]!;
    return withinLinkTime(link, 'the code of this link', () =>
      linkModel(type, names[i]!, choice?.ofLinks.get(type.name), keepsIdle),
    );
  });
  const defaults = new Map(robot.parameters.map((p) => [p.symbol as Expr, p.value]));
  const parameterNames = parameterIdentifiers(robot.parameters);
  const base = frameEntries(robot.base);
  const frames = robot.frames.map((frame) => frameEntries(frame.offset));
  const places = (compiled.reaching?.places ?? []).map(({ offset }) => frameEntries(offset));
  const instances = instanceModels(robot, compiled, links);
  const ofMass = links.filter(({ has }) => has.has('backward'));
  const all = (name: LinkFunctionName): boolean => ofMass.every(({ has }) => has.has(name));
  const { wet, placed } = waterOf({ links: robot.links });
  const parametric = all('forwardVariation');
  const parameters = robot.parameters.map((p, i) => ({
    name: parameterNames[i]!,
    unit: p.unit,
    value: requireDouble(foldConstants([p.value])[0]!),
    summary: p.summary ?? '',
    ...(p.lower === undefined ? {} : { lower: p.lower }),
    ...(p.upper === undefined ? {} : { upper: p.upper }),
  }));
  const held = parametric ? robot.parameters.map((p) => p.symbol) : formulaSymbols(robot);
  return {
    robot,
    wanted: choice?.functions,
    whole,
    name: snakeCase(robot.name),
    links,
    instances,
    base: requireDoubles(foldConstants(base, defaults)),
    frames: robot.frames.map((frame, i) => ({
      name: frame.name,
      link: compiled.frames[i]!.link,
      offset: requireDoubles(foldConstants(frames[i]!, defaults)),
    })),
    places: places.map((entries, i) => ({
      link: compiled.reaching!.places[i]!.link,
      offset: requireDoubles(foldConstants(entries, defaults)),
    })),
    reaching: compiled.reaching ?? null,
    parameters,
    members: robot.time ? [...parameters, { ...robot.time, value: 0 }] : parameters,
    derivatives: all('forwardTangent'),
    wet,
    placed,
    parametric,
    held,
    points: all('locate'),
    momentum: all('momentum'),
    adjoints: all('forwardAdjoint') && links.every(({ has }) => !has.has('motion') || has.has('motionAdjoint')),
    gradients:
      parametric && all('parametersAdjoint') && (compiled.reaching === undefined || freeSymbols(base).length === 0),
    moving: links.some(({ has }) => has.has('poseVariation')),
    setup: setupProgram(robot, base, [...frames, ...places].flat(), instances, held),
  };
}

/** The first link of the robot whose instance is as wanted, or has a point that is. */
function firstLink<I extends { readonly pointOf?: number }>(
  instances: readonly I[],
  isIt: (own: I) => boolean,
): number {
  const first = instances.findIndex(isIt);
  return instances[first]!.pointOf ?? first;
}

/** The instances that are links of the robot. */
export function linksOf({ instances }: RobotModel): readonly InstanceModel[] {
  return instances.filter(({ pointOf }) => pointOf === undefined);
}

/** Link types with a module: those that have something to do. */
export function modulesOfLinks({ links }: RobotModel): readonly LinkModel[] {
  return links.filter(({ programs }) => programs.length > 0);
}

/** The first link of the type, or that has a point of it. */
function firstUse({ instances }: RobotModel, link: LinkModel): number {
  return firstLink(instances, (instance) => instance.link === link);
}

/** What `print` makes of a link type in some language, within the time that work on a link may take. */
export function printWithinTime<T>(model: RobotModel, link: LinkModel, print: () => T): T {
  return withinLinkTime(model.robot.links[firstUse(model, link)]!, 'printing the code of this link', print);
}

/** A link type with all its functions: operations, what tables hold, programs that were asked for. */
interface WholeLink {
  readonly graphed: LinkGraph;
  readonly staged: StagedLink;
  readonly programs: Map<string, Program>;
}

/** The same in every robot that uses the type. */
const wholeLinks = new WeakMap<LinkType, WholeLink>();

function wholeLink(type: LinkType): WholeLink {
  const found = wholeLinks.get(type);
  if (found) return found;
  const graphed = graphOfLink(type);
  const staged = stageLink(graphed);
  graphed.graph.describe(namedQuantities(type), namedInputs(type), tableEntries(staged));
  const whole = { graphed, staged, programs: new Map<string, Program>() };
  wholeLinks.set(type, whole);
  return whole;
}

function linkModel(type: LinkType, name: string, wanted?: ReadonlySet<LinkFunctionName>, keepsIdle = false): LinkModel {
  const whole = wholeLink(type);
  const staged = wanted ? stageLink(whole.graphed, wanted) : whole.staged;
  const built = (of: StagedLink, plan: StagedLink['functions'][number]): Program =>
    buildProgram(plan, of.graph, (place) => placeName(type, place));
  let programs: readonly Program[] | undefined;
  const copies = new Map<string, Program>();
  const build = (): readonly Program[] => {
    const all = staged.functions.map((plan) => built(staged, plan));
    if (!keepsIdle) for (const program of all) if (isCopy(program)) copies.set(program.name, program);
    const busy = all.filter(({ statements, name: own }) => keepsIdle || (statements.length > 0 && !copies.has(own)));
    return annotatedPrograms(staged, busy);
  };
  return {
    type,
    name,
    staged,
    has: new Set(whole.staged.functions.map((plan) => plan.name)),
    get programs() {
      programs ??= build();
      return programs;
    },
    programOf: (own) => {
      const plan = whole.staged.functions.find((f) => f.name === own);
      if (plan && !whole.programs.has(own)) whole.programs.set(own, built(whole.staged, plan));
      return whole.programs.get(own);
    },
    isIdle: (own) => !copies.has(own) && (programs?.every((program) => program.name !== own) ?? false),
    copyOf: (own) => copies.get(own),
  };
}

/** As many statements take as much room as a function and its calls. */
const MOST_COPIED = 12;

/** Ways from a link to the base call functions by the type of the link. */
const isCalledOnWays = (name: LinkFunctionName): boolean =>
  name === 'jacobian' || linkFunction(name).apart !== undefined;

function isCopy({ name, statements }: Program): boolean {
  const own = name as LinkFunctionName;
  if (linkFunction(own).stage !== 'last' || isCalledOnWays(own)) return false;
  const isPlain = statements.every(
    (statement) => statement.kind === 'store' && ['load', 'name', 'number'].includes(statement.value.kind),
  );
  return isPlain && statements.length > 0 && statements.length <= MOST_COPIED;
}

function tableEntries({ constants, slot, linearised }: StagedLink): readonly Operation[] {
  return [...constants, ...slot, ...linearised].filter(({ kind }) => kind !== 'array');
}

/** The first name of a quantity stays. */
function namedQuantities(type: LinkType): ReadonlyMap<Expr, string> {
  const all = new Map<Expr, string>();
  for (const [e, name] of [...type.hints, ...(type.quantities ?? []), ...outputNames(type)])
    if (!all.has(e)) all.set(e, name);
  return all;
}

const TABLES: readonly string[] = ['constants', 'slot', 'linearised'];

/** With comments: what groups of statements are for, and what is stored in tables. */
function annotatedPrograms({ type, graph }: StagedLink, programs: readonly Program[]): Program[] {
  const key = ({ buffer, index }: Place): string => `${buffer}[${index}]`;
  const readers = new Map<string, string>();
  const names = new Map<string, string>();
  for (const { name: reader, loads } of programs)
    for (const { name, place } of loads) {
      if (!readers.has(key(place))) readers.set(key(place), reader);
      if (!names.has(key(place))) names.set(key(place), name);
    }
  return programs.map((program) => {
    const { kernel } = linkFunction(program.name as LinkFunctionName);
    const isNoted = ({ buffer }: Place): boolean => TABLES.includes(buffer);
    const stored = (place: Place): string | undefined => {
      const reader = readers.get(key(place));
      if (isNoted(place)) return reader && `kept for ${snakeCaseOf(reader)}`;
      const name = outputName(type, kernel as KernelName, place.buffer as OutputBuffer, place.index);
      return name === undefined ? snakeCaseOf(place.buffer) : labelOf(name);
    };
    const quantity = (operation: Operation): string | undefined =>
      graph.names.get(operation) ?? graph.described.get(operation);
    return annotated(program, { quantity, stored, note: (place) => names.get(key(place)) });
  });
}

/** In whose terms values are named. */
function namedInputs(type: LinkType): NamedInput[] {
  return INPUT_BUFFERS.flatMap((buffer) => {
    const { stage } = BUFFERS[buffer];
    return type.inputs[buffer].map((own, index) => ({
      symbol: own,
      stage,
      name: placeName(type, { buffer, index })!,
    }));
  });
}

/** Quantities of these buffers are told apart from the body's own of the same name. */
const WHOSE: Partial<Record<string, string>> = {
  distalWrench: 'distal',
  distalComposite: 'distal',
  bodyWrench: 'body',
};

/** What a number of an input buffer is called: `omega_x`, `q1`, `q1_dot`, `q1_ddot`. */
function placeName(type: LinkType, { buffer, index }: Place): string | undefined {
  const coordinate = type.coordinates[index]?.name;
  if (buffer === 'q') return coordinate;
  if (buffer === 'time') return TIME.name;
  if (buffer === 'qd') return `${coordinate}_dot`;
  if (buffer === 'qdd') return `${coordinate}_ddot`;
  if (buffer === 'parameters') return type.parameters[index]?.name;
  const { mirrors } = (BUFFERS[buffer as Buffer] as BufferRecord | undefined) ?? {};
  if (mirrors !== undefined) {
    const isWeight = buffer.endsWith('Adjoint');
    const mirrored = isWeight
      ? outputName(type, 'backward', mirrors as OutputBuffer, index)
      : placeName(type, { buffer: mirrors, index });
    return mirrored && `${isWeight ? 'by' : 'd'}_${mirrored}`;
  }
  const name = type.inputs[buffer as InputBuffer]?.[index]?.name.replace(/^.*\./, '');
  const prefix = WHOSE[buffer];
  return prefix && name ? `${prefix}_${name}` : name;
}

function instanceModels(robot: Robot, compiled: CompiledRobot, links: readonly LinkModel[]): InstanceModel[] {
  let first = 0;
  const folded = new Map<string, readonly number[]>();
  const models: InstanceModel[] = [];
  for (const instance of compiled.links) {
    const link = links[compiled.types.indexOf(instance.type)]!;
    const { pointOf } = instance;
    models.push({
      name: instance.name,
      link,
      parent: instance.parent,
      first: pointOf === undefined ? first : models[pointOf]!.first,
      constants: blamingExtremes(robot, () => foldedConstants(instance, link, folded), formulasOf(robot, instance)),
      expressions: instance.parameters,
      actuators: instance.actuators,
      ...(pointOf !== undefined && { pointOf }),
    });
    first += instance.type.coordinates.length;
  }
  return models;
}

/** Where the formulas of the body of a link stand. */
function formulasOf({ links }: Robot, { name }: LinkInstance): Location | undefined {
  const link = links.find((own) => own.name === name);
  return link?.body.kind === 'deformable' ? link.body.type.locations.kinematics : link?.location;
}

function foldedConstants(
  instance: LinkInstance,
  link: LinkModel,
  folded: Map<string, readonly number[]>,
): readonly number[] | null {
  if (freeSymbols(instance.parameters).length > 0) return null;
  const key = `${link.name}:${instance.parameters.map((p) => p.id).join(',')}`;
  const found = folded.get(key);
  if (found) return found;
  const bindings = new Map(instance.type.parameters.map((p, i) => [p.symbol as Expr, instance.parameters[i]!]));
  const values = foldTable(link.staged, bindings);
  folded.set(key, values);
  return values;
}

/** Are there actuators with more than links do on their own? */
export function drivesBetweenLinks({ robot, reaching }: Pick<RobotModel, 'robot' | 'reaching'>): boolean {
  return (
    (reaching?.terms.length ?? 0) > 0 ||
    robot.actuators.some(({ terms }) => terms.some((term) => term.kind === 'robot-formula'))
  );
}

/** Run-time parameters that formulas over several links mention; they follow those of the links. */
export function formulaSymbols({
  actuators,
  forces = [],
  loops = [],
  touching = [],
  parameters,
  current,
}: Robot): readonly SymbolExpr[] {
  const formulas = [...actuators, ...forces].flatMap(({ terms }) =>
    terms.flatMap((term) => {
      if (term.kind === 'reaching') return formulasOfAction(term.action);
      return term.kind === 'robot-formula' ? [term.value] : [];
    }),
  );
  const residuals = loops.flatMap(({ parts, formula, rows }) => [
    ...rows.flatMap(({ yields }) => (yields ? [yields.compliance, yields.damping] : [])),
    ...parts.flatMap(({ values }) => values),
    ...(formula ? [formula] : []),
  ]);
  const mentioned = new Set<Expr>(
    freeSymbols([...formulas, ...residuals, ...touching.flatMap(contactNumbers), ...(current ?? [])]),
  );
  return parameters.map((p) => p.symbol).filter((s) => mentioned.has(s));
}

function setupProgram(
  robot: Robot,
  base: readonly Expr[],
  frames: readonly Expr[],
  instances: readonly InstanceModel[],
  held: readonly SymbolExpr[],
): Program | null {
  const runtime = [
    ...instances.filter((instance) => instance.constants === null).flatMap((instance) => instance.expressions),
    ...held,
  ];
  const dependent = (values: readonly Expr[]): readonly Expr[] => (freeSymbols(values).length > 0 ? values : []);
  const all = [...dependent(base), ...dependent(frames), ...runtime];
  if (all.length === 0) return null;
  const inputs = robot.parameters.map((p, index) => ({
    symbol: p.symbol,
    place: { buffer: 'p', index },
    stage: 1 as const,
  }));
  const graph = new OperationGraph(all, inputs);
  const outputs = (buffer: string, values: readonly Expr[]) =>
    values.map((value, index) => ({ place: { buffer, index }, value: graph.of(value) }));
  const source = {
    name: 'setup',
    reads: ['p'],
    writes: ['base', 'frames', 'linkParameters'],
    outputs: [
      ...outputs('base', dependent(base)),
      ...outputs('frames', dependent(frames)),
      ...outputs('linkParameters', runtime),
    ],
    ready: new Map(),
  };
  return buildProgram(source, graph, ({ index }) => `${identifier(robot.parameters[index]!.name)}_`);
}

/** What texts of robots in fields say of all that surrounds a rod, in place of water alone. */
export function withFields(text: string, { placed }: Pick<RobotModel, 'placed'>): string {
  if (!placed) return text;
  return text
    .replace('Motion of the own frame against the water;', 'Pose of the own frame, and its motion against water;')
    .replace('drag and buoyancy', 'drag, buoyancy and fields along rods');
}
