/** What the templates of a robot's module say: its sizes, names, tables and parameters, and its driver. */
import { rubs } from '../../description/model/actuator.ts';
import { bristleParameters, contactPairs, PAIR_PARTS } from '../../description/model/contact.ts';
import { prescribedNames } from '../../description/model/robot.ts';
import { waterOf } from '../../description/model/what-acts.ts';
import { controllersOf, runTimeUses, SHARED_FUNCTIONS, sharedFunctions } from '../controllers/controller-model.ts';
import { observersOf } from '../controllers/observer-model.ts';
import { runTimeSources } from '../controllers/run-time.ts';
import {
  absentText,
  functionNames,
  hasRobotFunction,
  integratorsOf,
  possibleFunctions,
  robotFunction,
  type RobotFunctionName,
} from '../sweeps/robot-functions.ts';
import { rangeText, robotHeader } from '../modules/header.ts';
import { middlesOf } from '../modules/material-places.ts';
import {
  closesLoops,
  linksOf,
  modulesOfLinks,
  withFields,
  type InstanceModel,
  type RobotModel,
} from '../modules/robot-model.ts';
import type { SharedPart, WorkspaceLayout } from '../modules/workspace.ts';
import { costText } from '../printing/cost-text.ts';
import { callsNetworks } from '../printing/network-calls.ts';
import { printProgram } from '../printing/print-arithmetic.ts';
import { stumpffSetsOf } from '../printing/stumpff-functions.ts';
import { commentText, distinct, identifier, snakeCaseOf } from '../naming/identifiers.ts';
import { batchForms, programsOf, type StraightModel } from '../whole-robot/straight-model.ts';
import { sum } from '../sweeps/indices.ts';
import { driverC, robotPrototype } from './driver-c.ts';
import type { WorkspaceNames } from './workspace-names.ts';
import { linkFile } from './link-module.ts';
import { abiText, linkedName } from '../c-language/linked-names.ts';
import { commentBlock, commentLine, limit, quoted, rowsOf } from '../c-language/source-text.ts';
import { cTarget, literal, signedLiteral } from '../c-language/target.ts';

export function robotData(
  model: RobotModel,
  layout: WorkspaceLayout,
  straight: StraightModel | undefined,
): Readonly<Record<string, unknown>> & {
  readonly driver: ReturnType<typeof driverC>;
  readonly sources: readonly string[];
} {
  const { robot } = model;
  const upper = model.name.toUpperCase();
  const coordinateNames = distinct(
    robot.coordinates.map((c) => c.name),
    (name) => identifier(name).toUpperCase(),
  );
  const actuatorNames = distinct(
    robot.actuators.map((actuator) => actuator.name),
    (name) => identifier(name).toUpperCase(),
  );
  const followedNames = distinct(prescribedNames(robot), (name) => identifier(name).toUpperCase());
  const frameNames = distinct(
    model.frames.map((f) => f.name),
    (name) => identifier(name).toUpperCase(),
  );
  const linkNames = distinct(model.points ? linksOf(model).map(({ name }) => name) : [], (name) =>
    identifier(name).toUpperCase(),
  );
  const tables = tablesOf(model, layout);
  const driver = driverC(model, layout, (instance) => tables.nameOf(instance));
  const code = [...driver.sweeps, ...driver.functions].join('\n').replace(/\/\*[\s\S]*?\*\//g, '');
  const mentions = (name: string, text = code): boolean => new RegExp(`\\b${name}\\b`).test(text);
  const inCode = { links: mentions('links'), frameLink: mentions('frame_link'), constantsOf: mentions('constants_of') };
  const read = inCode.links ? `${code}\n${driver.links.rows.join('\n')}` : code;
  const setup = setupLines(model, driver.names);
  const present = new Map([
    ['inputs', layout.u],
    ['rows', layout.r],
    ['contacts', layout.k],
  ]);
  const { names } = driver;
  const places = {
    gravity: names.shared('gravity'),
    given: names.shared('given'),
    time: model.robot.time ? names.shared('time') : '',
  };
  const placed = [read, ...setup.lines, ...Object.values(places)].join('\n');
  return {
    upper,
    header: robotHeader(model, snakeCaseOf, absentText(model)).map(commentLine),
    guard: `${upper}_H`,
    work: layout.size,
    sizes: [
      ['NQ', layout.n],
      ['NU', layout.u],
      ['FRAMES', model.frames.length],
      ['TIP', robot.tip],
      ['WORK', layout.size],
      ['REFUSED', layout.shared.refused.at],
      ...(layout.s > 0 ? ([['NS', layout.s]] as const) : []),
      ...(layout.k > 0 ? ([['NK', layout.k]] as const) : []),
      ...(layout.r > 0
        ? ([
            ['NR', layout.r],
            ['RANK', layout.shared.loopRank.at],
          ] as const)
        : []),
    ],
    abi: `0x${abiText(model, layout)}`,
    linked: linkedNames(model)
      .filter((end) => present.get(end) !== 0)
      .map((end) => linkedName(model, `${model.name}_${end}`, layout)),
    check: parameterCheck(model.members, true),
    coordinates: coordinateNames.map((name, i) => `${upper}_Q_${name} = ${i}`),
    followed: followedNames.map((name, i) => `${upper}_S_${name} = ${i}`),
    actuators: actuatorNames.map((name, i) => `${upper}_U_${name} = ${i}`),
    inputs: inputsOf(model),
    nu: layout.u,
    rubs: model.robot.actuators.some(rubs),
    frames: frameNames.map((name, i) => `${upper}_FRAME_${name} = ${i}`),
    links: linkNames.map((name, i) => `${upper}_LINK_${name} = ${i}`),
    parameters: model.members.map((p) => ({
      name: p.name,
      text: `${commentText(p.summary) || p.name} [${commentText(p.unit)}]`,
      range: rangeText(p),
    })),
    includes: modulesOfLinks(model).map((link) => linkFile(model, link)),
    defaults: [`{${robot.gravity.map(signedLiteral).join(', ')}}`, ...model.members.map((p) => signedLiteral(p.value))],
    signals: signalsOf(model),
    frameNames: rowsOf(
      model.frames.map((f) => quoted(f.name)),
      8,
    ),
    linkNames: rowsOf(
      linksOf(model).map(({ name }) => quoted(name)),
      8,
    ),
    linkCount: linksOf(model).length,
    rowNames: rowsOf(
      (robot.loops ?? []).flatMap(({ rows }) => rows.map(({ name }) => quoted(name))),
      8,
    ),
    rowCount: layout.r,
    contactNames: rowsOf(contactPairs(robot).map(quoted), 8),
    contactCount: layout.k,
    bristles: hasRobotFunction(model, 'contact') ? bristleParameters(robot) : [],
    bristleSize: PAIR_PARTS.bristle * contactPairs(robot).length,
    bristleNulls: Object.keys(PAIR_PARTS)
      .slice(1)
      .map(() => 'NULL')
      .join(', '),
    closesLoops: closesLoops(model),
    instances: model.instances.length,
    frameLinks: [...model.frames, ...model.places].map((f) => f.link),
    tables: tables.list.filter(({ name }) => mentions(name, read)),
    inCode,
    driver,
    derivatives: model.derivatives,
    has: (name: RobotFunctionName) => hasRobotFunction(model, name),
    staged: stagedCall(model),
    water: possibleFunctions(model).includes('fluid'),
    parametric: model.parametric,
    prototypes: functionNames(model).map((name) => ({
      purpose: commentBlock(withFields(robotFunction(name).purpose, model)),
      text: robotPrototype(model, name),
    })),
    at: { ...places, definitions: names.names.definitions(placed) },
    prepares: mentions('prepare_links'),
    takesTime: driver.sweeps.some((text) => text.includes('void take_time_links(')),
    setup: setup.lines,
    setupCounts: setup.counts,
    hasDrag: waterOf(robot).forces,
    hasOtherMotion: waterOf(robot).addedMass || robot.time !== undefined,
    places: model.points ? middlesOf(robot).map((x) => `{${x.map(signedLiteral).join(', ')}}`) : [],
    alike: rowsOf(alikeOf(model).map(String), 15),
    selftestHeader: straight ? `${model.name}_straight.h` : `${model.name}.h`,
    sources: [
      `${model.name}.c`,
      ...(straight ? [`${model.name}_straight.c`] : []),
      ...(straight ? batchForms(straight).map(({ file }) => `${model.name}_${file}.c`) : []),
      ...modulesOfLinks(model).map((link) => `${linkFile(model, link)}.c`),
      ...integratorsOf(model).map((integrator) => `${model.name}_${integrator}.c`),
      ...controllersOf(model).flatMap(({ name, shell }) => [`${name}.c`, ...(shell ? [`${name}_shell.c`] : [])]),
      ...(sharedFunctions(controllersOf(model)) ? [`${model.name}_${SHARED_FUNCTIONS}.c`] : []),
      ...(usesStumpff(model, straight) ? ['kanegen_stumpff.c'] : []),
      ...observersOf(model).map(({ name }) => `${name}.c`),
      ...runTimeSources(runTimeUses(model)),
      ...(callsNetworks(model.links) ? ['kanegen_network.c'] : []),
    ],
  };
}

/** A call of a function of a staged state, for the self-test. */
function stagedCall(model: RobotModel): string | undefined {
  const calls = {
    inverseDynamics: 'inverse_dynamics(&w, qd, out)',
    massMatrix: 'mass_matrix(&w, out)',
    terms: 'terms(&w, out, NULL, NULL, NULL)',
    energies: 'energies(&w, out)',
  } as const;
  const [found] = (Object.keys(calls) as (keyof typeof calls)[]).filter((name) => hasRobotFunction(model, name));
  return found && `${model.name}_${calls[found]}`;
}

/** Of every coordinate the first one of the same link and unit. */
function alikeOf(model: RobotModel): number[] {
  const { coordinates } = model.robot;
  return linksOf(model).flatMap(({ first, link }) => {
    const own = coordinates.slice(first, first + link.type.coordinates.length);
    return own.map(({ unit }) => first + own.findIndex((other) => other.unit === unit));
  });
}

function signalsOf(model: RobotModel): string[][] {
  const signals = model.robot.coordinates.map((c) => [
    quoted(c.name),
    quoted(c.unit),
    signedLiteral(c.value),
    limit(c.lower, '-KG_LARGEST'),
    limit(c.upper, 'KG_LARGEST'),
  ]);
  return signals.length > 0 ? signals : [['""', '""', literal(0), literal(0), literal(0)]];
}

/** Inputs of the actuators; none is at rest but zero. */
function inputsOf({ robot }: RobotModel): string[][] {
  return robot.actuators.map(({ name, unit, lower, upper }) => [
    quoted(name),
    quoted(unit),
    literal(0),
    limit(lower, '-KG_LARGEST'),
    limit(upper, 'KG_LARGEST'),
  ]);
}

interface ConstantTable {
  readonly name: string;
  readonly comment: string;
  readonly size: number;
  readonly rows: readonly string[];
}

/** Tables of constants, each once: equal links share theirs. Base pose and frame offsets unless made at run time. */
function tablesOf(
  model: RobotModel,
  layout: WorkspaceLayout,
): { list: ConstantTable[]; nameOf(instance: InstanceModel): string } {
  const names = new Map<readonly number[], string>();
  const list: ConstantTable[] = [];
  const table = (name: string, comment: string, values: readonly number[], width: number): void => {
    list.push({ name, comment, size: values.length, rows: rowsOf(values.map(signedLiteral), width) });
  };
  for (const { constants, link, name } of model.instances) {
    if (!constants || constants.length === 0 || names.has(constants)) continue;
    names.set(constants, `constants_${names.size + 1}`);
    const users = model.instances.filter((other) => other.constants === constants).length;
    table(
      names.get(constants)!,
      commentText(`${link.name}: ${name}${users > 1 ? ` and ${users - 1} more` : ''}`),
      constants,
      7,
    );
  }
  if (layout.shared.frameOffsets.size === 0)
    table(
      'frame_offsets',
      'Frames on their links: rotation, origin',
      [...model.frames, ...model.places].flatMap((f) => f.offset),
      6,
    );
  const nameOf = ({ constants }: InstanceModel): string =>
    constants ? (names.get(constants) ?? 'no_constants') : 'NULL';
  if (model.instances.some((instance) => nameOf(instance) === 'no_constants'))
    table('no_constants', 'links without constants', [0], 1);
  return { list, nameOf };
}

function setupLines(model: RobotModel, names: WorkspaceNames): { lines: string[]; counts: string } {
  if (!model.setup) return { lines: [], counts: '' };
  const parts: Readonly<Record<string, SharedPart>> = {
    base: 'basePose',
    frames: 'frameOffsets',
    linkParameters: 'linkParameters',
  };
  const target = cTarget((buffer, index) =>
    buffer === 'p' ? `p->${model.parameters[index]!.name}` : `w[${sum(names.shared(parts[buffer]!), index)}]`,
  );
  return { lines: printProgram(model.setup, target, Infinity).parts[0]!, counts: `${costText(model.setup.counts)}.` };
}

/** What the module of a robot defines for others, after the robot's name. */
function linkedNames(model: RobotModel): readonly string[] {
  return [
    'defaults',
    'coordinates',
    'inputs',
    'frames',
    'links',
    'rows',
    'contacts',
    ...functionNames(model).map(snakeCaseOf),
  ];
}

/** Statements that return why parameters `p` cannot be used: not finite, then outside of their bounds. */
export function parameterCheck(parameters: RobotModel['members'], hasGravity: boolean): string[] {
  const finite = [
    ...(hasGravity ? ['kg_finite(p->gravity, 3)'] : []),
    ...parameters.map(({ name }) => `kg_finite(&p->${name}, 1)`),
  ];
  const outside = parameters.flatMap(({ name, lower, upper }) => [
    ...(lower === undefined ? [] : [`p->${name} < ${signedLiteral(lower)}`]),
    ...(upper === undefined ? [] : [`p->${name} > ${signedLiteral(upper)}`]),
  ]);
  return [
    ...finite.flatMap((isFinite) => [`if (!${isFinite})`, '  return KG_NON_FINITE;']),
    ...outside.flatMap((isOutside) => [`if (${isOutside})`, '  return KG_OUT_OF_RANGE;']),
  ];
}

/** Do functions of its modules call the general Stumpff functions? */
export function usesStumpff(model: RobotModel, straight: StraightModel | undefined): boolean {
  const beside = [straight, ...controllersOf(model).flatMap((own) => [own.straight, own.shared])];
  const ofStraight = beside.flatMap((own) => own?.functions.flatMap(programsOf) ?? []);
  return stumpffSetsOf([...model.links.flatMap(({ programs }) => programs), ...ofStraight]).length > 0;
}
