/** Link modules in C, and `kanegen_driver.h/.c`: the driver of robots that are put together of them at run time. */
import { BASE_MOTIONS } from '../../kane/equations/base-and-frames.ts';
import type { Robot } from '../../description/model/robot.ts';
import type { CompiledRobot } from '../../kane/kernels/link-type.ts';
import {
  baseLines,
  cFunction,
  concluded,
  fixedSize,
  languageC,
  linkFunctionName,
  ownFunctionC,
  sweepFunctionsC,
  type Parameter,
} from '../c/driver-c.ts';
import { WorkspaceNames } from '../c/workspace-names.ts';
import { networkFile, runtimeFiles } from '../c/c.ts';
import { linkData, linkFile } from '../c/link-module.ts';
import { linkedName } from '../c-language/linked-names.ts';
import { commentBlock, quoted } from '../c-language/source-text.ts';
import { cTarget, signedLiteral } from '../c-language/target.ts';
import { loadTemplates, type Render } from '../c-language/templates.ts';
import { STEP_TIME } from '../sweeps/robot-function.ts';
import { INPUTS, sizeOf } from '../sweeps/arrays.ts';
import { sum, type DriverLanguage } from '../drivers/driver-language.ts';
import { applyFunction, baseFunction } from '../sweeps/function-names.ts';
import { DriverPrinter } from '../drivers/print-driver.ts';
import { robotFunction, type RobotFunctionName } from '../sweeps/robot-functions.ts';
import { frameProgram, motionProgram, wrenchProgram } from '../drivers/robot-programs.ts';
import { packageVersion } from '../modules/assets.ts';
import { printWithinTime, type GeneratedFile, type LinkModel, type RobotModel } from '../modules/robot-model.ts';
import {
  BLOCK,
  IN_WORKSPACE,
  layOutWorkspace,
  regionSignature,
  startOfFrame,
  type BlockPlace,
} from '../modules/workspace.ts';
import { commentText, snakeCase, snakeCaseOf } from '../naming/identifiers.ts';
import { signature } from '../naming/statement-lines.ts';
import { callsNetworks } from '../printing/network-calls.ts';
import { stumpffSetsOf } from '../printing/stumpff-functions.ts';
import {
  ANY,
  assembledFunctions,
  FIXED_PARTS,
  INTERFACE_FUNCTIONS,
  isOptional,
  modulesOfRobot,
  numbersOf,
  parameterValues,
  PER_COORDINATE,
  TOLD,
  WIDEST_PARTS,
  type Modules,
} from './link-interface.ts';

/** A module per link type, the driver, and the run time beside them. */
export async function assembledC(robot: Robot, compiled: CompiledRobot): Promise<GeneratedFile[]> {
  const render = await loadTemplates();
  const modules = modulesOfRobot(robot, compiled);
  const usesNetworks = callsNetworks(modules.links);
  const driver = driverData();
  return [
    ...['h', 'c'].map((kind) => ({ path: `kanegen_driver.${kind}`, text: render(`kanegen_driver.${kind}`, driver) })),
    ...modules.links.flatMap((link) => {
      const data = printWithinTime(modules.model, link, () => moduleData(modules, link, render));
      return ['h', 'c'].map((kind) => ({
        path: `${linkFile(modules.model, link)}.${kind}`,
        text: render(`module.${kind}`, data),
      }));
    }),
    ...runtimeFiles(render, stumpffSetsOf(modules.links.flatMap(({ programs }) => programs)).length > 0),
    ...(usesNetworks ? ['h', 'c'].map((kind) => networkFile(kind, render)) : []),
  ];
}

// ---------------------------------------------------------------------------------------------- modules

/** `arm_link_segment` */
export const moduleSymbol = ({ name }: RobotModel, link: LinkModel): string => `${name}_link_${link.name}`;

function moduleData({ model, instances }: Modules, link: LinkModel, render: Render): object {
  const layout = layOutWorkspace(model);
  const symbol = moduleSymbol(model, link);
  const { coordinates, parameters, constants, block, addend, starts } = numbersOf(link);
  const has = new Set(link.programs.map(({ name }) => name));
  const sizes = [coordinates, parameters, constants, block, addend, ...TOLD.map((buffer) => starts[buffer])];
  return {
    ...linkData(model, layout, link, render, 'static '),
    symbol,
    linked: linkedName(model, symbol, layout),
    parameters: link.type.parameters.map((p) => ({
      name: p.name,
      comment: commentBlock(`${commentText(p.summary)} [${commentText(p.unit)}]`),
    })),
    instances: instances
      .filter((instance) => instance.link === link)
      .map((instance) => {
        const own = `${model.name}_${snakeCase(instance.name)}`;
        const values = parameterValues(model.robot, instance).map(signedLiteral);
        return { symbol: own, linked: linkedName(model, own, layout), values };
      }),
    entries: [
      quoted(link.name),
      sizes.join(', '),
      'default_parameters',
      ...INTERFACE_FUNCTIONS.map((name) => (has.has(name) ? linkFunctionName(model, link, name) : 'NULL')),
    ],
  };
}

// ---------------------------------------------------------------------------------------------- the driver

const R: Parameter = { name: 'r', text: 'kg_robot *r' };

const partName = (part: string): string => (part === 'gravity' ? 'staged_gravity' : snakeCaseOf(part));

/** The same for every robot file. */
function driverData(): object {
  const names = new WorkspaceNames(ANY, layOutNothing());
  const language = languageAtRunTime(names);
  const printer = new DriverPrinter(ANY, { n: 0, u: 0, p: 0, r: 0, s: 0, k: 0, links: [] }, language);
  const functions = assembledFunctions().filter((name) => !IDLE.includes(name));
  const driver = [
    ...printer.baseMotions.map((motion) =>
      cFunction(baseFunction(motion), BASE_MOTIONS[motion], [R], baseLines(ANY, language, printer, motion)),
    ),
    ...[...printer.entries, ...printer.momenta].map((f) => ownFunctionC(f, R)),
    ...sweepFunctionsC(printer, R),
    ...frameFunctions(printer, names),
    ...functions.map((name) => robotFunctionText(name, printer)),
  ];
  return {
    version: packageVersion(),
    told: TOLD.map(snakeCaseOf),
    functions: INTERFACE_FUNCTIONS.map((name) => ({
      name: snakeCaseOf(name),
      parameters: regionParameters(name),
      optional: isOptional(name),
    })),
    fixed: FIXED_PARTS.filter(([part]) => part !== 'basePose').map(([part, size]) => ({ name: partName(part), size })),
    widest: WIDEST_PARTS.map(([part, size]) => ({ name: partName(part), size: size.replace(/widest/g, 'c') })),
    perCoordinate: PER_COORDINATE,
    block: BLOCK,
    prototypes: functions.map((name) => ({
      name: `kg_robot_${snakeCaseOf(name)}`,
      comment: commentBlock(robotFunction(name).purpose || AT[name]!),
      text: prototype(name),
    })),
    places: names.names.definitions(driver.join('\n')).join('\n\n'),
    driver,
  };
}

/** Modules have neither actuators nor water. */
const IDLE: readonly RobotFunctionName[] = ['actuation', 'actuate', 'fluid'];

/** What others do for a staged state. */
const AT: Partial<Record<RobotFunctionName, string>> = {
  massMatrix: 'n x n, row-major, symmetric.',
  inverseDynamicsAt: 'The same without staging, for one result of a state; afterwards no state is staged.',
  massMatrixAt: 'The mass matrix, in the same way.',
  gravityAt: 'Gravity alone, in the same way.',
};

function regionParameters(name: (typeof INTERFACE_FUNCTIONS)[number]): string {
  const { regions, written } = regionSignature(name);
  return regions.map((region) => `${written.has(region) ? '' : 'const '}kg_real *${snakeCaseOf(region)}`).join(', ');
}

function languageAtRunTime(names: WorkspaceNames): DriverLanguage {
  const language = languageC(ANY, layOutNothing(), () => '', names);
  const place = (buffer: string, index: number): string =>
    `${IN_WORKSPACE.has(buffer) ? `r->${partName(buffer)}` : buffer}[${index}]`;
  const block = { own: 'l->own', parent: 'l->parent' };
  const array = (region: string): string => `l->${snakeCaseOf(region)}`;
  const startIn = (of: BlockPlace): string =>
    startOfFrame(of) === undefined ? `l->module->at_${snakeCaseOf(of)}` : names.inBlock(of);
  return {
    ...language,
    target: { ...cTarget(place), isWanted: (buffer) => `${buffer} != NULL` },
    row: (index) => ({
      declarations: [`const kg_robot_link *const l = &r->link[${index}];`],
      first: 'l->first',
      parentIndex: 'l->parent_index',
      type: '0',
      count: 'l->count',
      actuator: () => '0',
      array,
      number: (region, of, i) => `${block[region as 'own' | 'parent']}[${sum(startIn(of), i)}]`,
      placeOf: startIn,
    }),
    baseNumber: (of, index) => `r->base[${sum(names.inBlock(of), index)}]`,
    addendNumber: (of, index) => `r->addend[${sum(names.inBlock(of), index)}]`,
    shared: (part) => `r->${partName(part)}`,
    sharedNumber: (part, index) => `r->${partName(part)}[${index}]`,
    unitWrench: (a) => `r->unit_wrenches + 6 * ${a}`,
    callLink: (_, name, parameters) => `l->module->${snakeCaseOf(name)}(${parameters.join(', ')});`,
    call: (name, parameters) => `${snakeCaseOf(name)}(${['r', ...parameters].join(', ')});`,
    parentOfLink: 'r->link[link].parent_index',
    atRunTime: {
      coordinates: 'r->n',
      links: 'r->links',
      count: 'l->count',
      addend: 'l->module->addend',
      has: (name) => `l->module->${snakeCaseOf(name)} != NULL`,
      writesFirst: 'l->writes_first',
      isLeaf: 'l->is_leaf',
      clearOwn: (of, size) => `kg_clear(l->own + ${startIn(of)}, ${size});`,
    },
  };
}

const layOutNothing = () => layOutWorkspace({ ...ANY, links: [], instances: [] });

const parameter = (text: string): Parameter => ({ name: /(\w+)(?:\[\])?$/.exec(text)![1]!, text });

/** Poses, motions and wrenches of distal frames. */
function frameFunctions(printer: DriverPrinter, names: WorkspaceNames): string[] {
  const [index, pose] = ['int index', `const kg_real *const pose = r->link[index].own + ${names.inBlock('pose')};`];
  const offset = 'const kg_real *const offset = no_offset;';
  const read = ({ buffer, index: k }: { buffer: string; index: number }): string => `${buffer}[${k}]`;
  const of = (name: string, purpose: string, parameters: readonly string[], lines: readonly string[]): string =>
    cFunction(name, purpose, [R, ...parameters.map(parameter)], lines);
  return [
    of(
      'framePose',
      'World pose of a frame from that of its link.',
      [index, 'kg_real R[]', 'kg_real t[]'],
      [
        pose,
        offset,
        ...printer.program(frameProgram(), {
          read,
          write: ({ buffer, index: k }) => (buffer === 'point' ? `r->point[${k}]` : `${buffer}[${k}]`),
        }),
      ],
    ),
    ...(['world', 'frame'] as const).map((axes) =>
      of(
        applyFunction(axes),
        `A wrench on a frame, in axes of the ${axes}, to its link.`,
        [index, 'const kg_real wrench[]'],
        [
          'kg_real *const own = r->link[index].own;',
          offset,
          ...printer.program(wrenchProgram(axes), {
            read: (at) => (at.buffer === 'pose' ? `own[${sum(names.inBlock('pose'), at.index)}]` : read(at)),
            write: ({ index: k }) => `own[${sum(names.inBlock('applied'), k)}]`,
          }),
        ],
      ),
    ),
    of(
      'keepDrift',
      'Motion of a link, whose place its pose will take.',
      ['int link', 'kg_real drift[]'],
      [`kg_copy(drift, r->link[link].own + ${names.inBlock('biasMotion')}, 12);`],
    ),
    of(
      'frameMotion',
      'Motion of a frame from pose and motion of its link.',
      [index, 'const kg_real drift[]', 'kg_real velocity[]', 'kg_real bias[]'],
      [pose, offset, ...printer.program(motionProgram(), { read, write: read })],
    ),
    of(
      'jacobian',
      'Columns of the Jacobian of the frame whose pose was asked for last, of a link and of all that carry it.',
      ['int link', 'kg_real J[]'],
      printer.walks.jacobian(),
    ),
    of(
      'transmit',
      'Adds what a wrench on a link does on its coordinates, and on those of all that carry it.',
      ['int link', 'int stop', 'kg_real tau[]', 'int at', 'int stride'],
      printer.walks.transmit(),
    ),
  ];
}

/** `kg_status kg_robot_mass_matrix(kg_robot *r, kg_real M[])` */
function prototype(name: RobotFunctionName): string {
  const f = robotFunction(name);
  const list = [
    R.text,
    ...(f.ofColumns ? ['int columns'] : []),
    ...(f.numbers ?? []).map((own) => `kg_real ${own}`),
    ...(f.ofFrame ? ['int index'] : []),
    ...f.inputs.map((own) => `const kg_real ${own}[${fixedSize(INPUTS[own])}]`),
    ...f.outputs.map(({ name: own, size }) => `kg_real ${own}[${fixedSize(size)}]`),
  ];
  return signature(`kg_status kg_robot_${snakeCaseOf(name)}(`, list);
}

function robotFunctionText(name: RobotFunctionName, printer: DriverPrinter): string {
  const f = robotFunction(name);
  const ready = f.state === 'staged' ? 'kg_staged(&r->staged)' : 'set_up(r)';
  const first = (f.numbers ?? []).reduce(
    (before, own) => (own === STEP_TIME ? `kg_accept_step(${before}, ${own})` : `kg_accept(${before}, &${own}, 1)`),
    ready,
  );
  const accepted = f.inputs.reduce<string>(
    (before, own) => `kg_accept(${before}, ${own}, ${sizeOf(INPUTS[own], printer)})`,
    first,
  );
  const lines = [
    `const kg_status status = ${f.state === 'stages' ? `kg_stage(&r->staged, ${accepted})` : accepted};`,
    ...(f.ofFrame ? ['const int link = index;'] : []),
    ...(f.state === 'at' ? ['kg_unstage(&r->staged);'] : []),
    ...(f.ofFrame ? ['if (index < 0 || index >= r->links)', '  return KG_NO_FRAME;'] : []),
    'if (status != KG_OK)',
    '  return status;',
    ...printer.actions(name),
    ...concluded(f, printer),
  ];
  return `${prototype(name)}\n{\n${lines.map((line) => `  ${line}`).join('\n')}\n}\n`;
}
