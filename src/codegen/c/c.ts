/**
 * The C99 target: a module per link type, a module for the robot, the run time, CMakeLists.txt and a self-test, all from
 * templates around printed arithmetic. `float` or `double` by the macro KG_SINGLE.
 */
import type { Robot } from '../../description/model/robot.ts';
import { waterOf } from '../../description/model/what-acts.ts';
import type { CompiledRobot } from '../../kane/kernels/link-type.ts';
import {
  ALWAYS_BELOW,
  inverseFactorial,
  inverseProduct,
  largestFromAbove,
  MAXIMUM_STUMPFF_ORDER,
  seriesTerms,
} from '../../runtime/stumpff.ts';
import { controllersOf, runTimeUses, SHARED_FUNCTIONS, sharedFunctions } from '../controllers/controller-model.ts';
import { observersOf } from '../controllers/observer-model.ts';
import { runTimeC } from '../controllers/run-time.ts';
import { hasRobotFunction, integratorsOf, type RobotFunctionName } from '../sweeps/robot-functions.ts';
import { provenance } from '../modules/header.ts';
import {
  modulesOfLinks,
  printWithinTime,
  robotModel,
  type GeneratedFile,
  type LinkModel,
  closesLoops,
  loopRows,
  type RobotModel,
} from '../modules/robot-model.ts';
import { VERSION } from '../modules/version.ts';
import { layOutWorkspace, type WorkspaceLayout } from '../modules/workspace.ts';
import { reducedAngleC, sineCosineFunctionC } from '../printing/sine-cosine.ts';
import { HIGHEST_ARGUMENT } from '../printing/stumpff-polynomials.ts';
import type { StraightModel } from '../whole-robot/straight-model.ts';
import { controllerC, observerC, shellC } from './controller-c.ts';
import { linkFunctionName } from './driver-c.ts';
import { eliminationC, loopsC } from './elimination-c.ts';
import { linkData, linkFile } from './link-module.ts';
import { linkedName } from '../c-language/linked-names.ts';
import { callsNetworks } from '../printing/network-calls.ts';
import { robotData, usesStumpff } from './robot-module.ts';
import { rowsOf, withinColumns } from '../c-language/source-text.ts';
import type { FrameLoad } from '../modules/evaluation.ts';
import { literal, plainTarget, signedLiteral } from '../c-language/target.ts';
import { straightFilesC } from './straight-c.ts';
import { statusTestData, testedHeaders } from './status-test.ts';
import { bracedFile } from '../c-language/braces.ts';
import { loadTemplates, type Render } from '../c-language/templates.ts';

/** What the build and the self-test of a robot take in beside what they always have. */
export interface BesideC {
  readonly sources: readonly string[];
  readonly headers: readonly string[];
  /** Functions of the self-test, and calls of them. */
  readonly tests: string;
  readonly calls: readonly string[];
}

/**
 * Everything that a folder of generated C holds, but for the straight-line functions themselves (see straight-c.ts).
 * Deterministic: equal robots give equal bytes.
 * @param straight functions that the build and the self-test take in.
 * @param shared the build makes a shared library, with `sharedLibrary`.
 * @param beside what else is written, and tested.
 */
export async function generateC(
  robot: Robot,
  compiled: CompiledRobot,
  straight?: StraightModel,
  shared = false,
  beside?: BesideC,
): Promise<GeneratedFile[]> {
  const render = await loadTemplates();
  const model = robotModel(robot, compiled);
  const layout = layOutWorkspace(model);
  const ofRobot = robotData(model, layout, straight);
  const code = [...ofRobot.driver.sweeps, ...ofRobot.driver.functions].join('\n');
  /** A link type with the functions that the driver calls. */
  const called = (link: LinkModel): LinkModel => ({
    ...link,
    programs: link.programs.filter(({ name }) => code.includes(`${linkFunctionName(model, link, name)}(`)),
  });
  const data = {
    ...ofRobot,
    sources: [...ofRobot.sources, ...(shared ? [`${model.name}_shared.c`] : []), ...(beside?.sources ?? [])],
    besideTests: beside?.tests ?? '',
    besideCalls: beside?.calls ?? [],
    shared,
    provenance: provenance(model),
    name: model.name,
    n: layout.n,
    straightTests: straight ? render('straight-test.c', straightData(straight)) : '',
    straightCalls: straight ? straightTestCalls(straight) : [],
    statusTests: layout.n > 0 ? withinColumns(render('status-test.c', statusTestData(model, layout, straight))) : '',
    testedHeaders: [...testedHeaders(model, straight), ...(beside?.headers ?? [])],
  };
  const linkFiles = modulesOfLinks(model).flatMap((link) => {
    const own = printWithinTime(model, link, () => linkData(model, layout, called(link), render));
    return ['h', 'c'].map((kind) => ({ path: `${linkFile(model, link)}.${kind}`, text: render(`link.${kind}`, own) }));
  });
  const files = [
    { path: `${model.name}.h`, text: render('robot.h', data) },
    { path: `${model.name}.c`, text: withOwnNames(render('robot.c', data), model.name) },
    ...linkFiles,
    ...runtimeFiles(render, usesStumpff(model, straight)),
    ...(model.derivatives ? [eliminationC()] : []),
    ...(closesLoops(model) ? [loopsC()] : []),
    ...(callsNetworks(model.links) ? ['h', 'c'].map((kind) => networkFile(kind, render)) : []),
    ...(integratorsOf(model).length > 0 ? [integratorFile(model, layout, 'drive.h', render)] : []),
    ...integratorsOf(model).flatMap((integrator) =>
      ['h', 'c'].map((kind) => integratorFile(model, layout, `${integrator}.${kind}`, render)),
    ),
    ...controllerFiles(model, render),
    { path: 'CMakeLists.txt', text: render('CMakeLists.txt', data) },
    ...(layout.n > 0 ? [{ path: `${model.name}_selftest.c`, text: render('selftest.c', data) }] : []),
  ];
  return files.map(bracedFile);
}

/** A program that evaluates states from standard input, for tests and for `evaluate`; see its template. */
export async function evaluatorSource(
  robot: Robot,
  compiled: CompiledRobot,
  straight?: StraightModel,
  loads: readonly FrameLoad[] = [],
): Promise<GeneratedFile> {
  const render = await loadTemplates();
  const model = robotModel(robot, compiled);
  const data = {
    name: model.name,
    upper: model.name.toUpperCase(),
    n: robot.coordinates.length,
    nu: robot.actuators.length,
    nr: loopRows(model),
    water: waterOf(robot).forces,
    has: (own: RobotFunctionName) => hasRobotFunction(model, own),
    time: robot.time !== undefined,
    straight: straight && straightData(straight, '&parameters'),
    loads: loads.map(({ frame, wrench, follows }) => ({
      call: `${follows ? 'external_in_frame' : 'external'}(&w, ${frame}`,
      wrench: `{${wrench.map(signedLiteral).join(', ')}}`,
    })),
  };
  return { path: `${model.name}_evaluate.c`, text: render('evaluate.c', data) };
}

/** What templates that call straight-line functions know of them. */
function straightData(
  { robot, functions, parameters, columns }: StraightModel,
  kept = `&${robot.name}_defaults`,
): object {
  return {
    name: robot.name,
    symbol: `${robot.name}_straight`,
    has: functions.map((f) => f.name),
    driver: (own: RobotFunctionName) => hasRobotFunction(robot, own),
    columns: columns.length,
    loops: loopRows(robot) > 0,
    nu: robot.robot.actuators.length,
    water: hasRobotFunction(robot, 'fluid'),
    p: parameters.length > 0 ? `${kept}, ` : '',
  };
}

function straightTestCalls({ functions }: StraightModel): string[] {
  const differentiates = functions.some((f) => f.name.endsWith('Derivatives'));
  const guarded = ['#ifndef KG_SINGLE', '    test_straight_derivatives(state, q, qd, qdd);', '#endif'];
  return ['    test_straight(state, q, qd, qdd);', ...(differentiates ? guarded : [])];
}

function controllerFiles(model: RobotModel, render: Render): GeneratedFile[] {
  const controllers = controllersOf(model);
  const shared = sharedFunctions(controllers);
  return [
    ...controllers.flatMap((controller) => [
      ...controllerC(controller, render),
      ...shellC(controller, controllers, render),
    ]),
    ...(shared ? straightFilesC(shared, SHARED_FUNCTIONS, render) : []),
    ...observersOf(model).flatMap((observer) => observerC(observer, render)),
    ...runTimeC(runTimeUses(model)),
  ];
}

/** Motions in steps. */
function integratorFile(model: RobotModel, layout: WorkspaceLayout, file: string, render: Render): GeneratedFile {
  const { name } = model;
  const functions = file.startsWith('rosenbrock')
    ? ['start', 'restart', 'step', 'step_towards', 'between'].map((end) => `${name}_motion_${end}`)
    : ['start', 'newmark', 'restart', 'step', 'between'].map((end) => `${name}_generalized_alpha_${end}`);
  const text = render(file, {
    name,
    upper: name.toUpperCase(),
    nu: layout.u,
    provenance: provenance(model),
    time: model.robot.time !== undefined,
    loops: layout.r > 0,
    linked: functions.map((symbol) => linkedName(model, symbol, layout)),
  });
  return { path: `${name}_${file}`, text };
}

/** The run time of learned maps, for robots that have some. */
export function networkFile(kind: string, render: Render): GeneratedFile {
  const path = `kanegen_network.${kind}`;
  return { path, text: render(path, { version: VERSION }) };
}

/** Functions of the module itself, called otherwise than its tables: of a robot named `pose` there is `pose_links[]`, and a sweep of that name. */
function withOwnNames(text: string, robot: string): string {
  return text.replace(new RegExp(`\\b${robot}_(?:links|frames|rows|contacts|inputs|coordinates)\\(`, 'g'), 'all_$&');
}

/** The run time, with the general Stumpff functions where functions of modules call them. */
export function runtimeFiles(render: Render, hasStumpff: boolean): GeneratedFile[] {
  const files = ['kanegen_runtime.h', ...(hasStumpff ? ['kanegen_stumpff.h', 'kanegen_stumpff.c'] : [])];
  return files.map((path) => ({ path, text: render(path, runtimeData()) }));
}

function runtimeData(): object {
  const orders = Array.from({ length: MAXIMUM_STUMPFF_ORDER + 1 }, (_, k) => k);
  const numbers = (values: Iterable<number>): string[] => rowsOf([...values].map(literal), 3);
  const rows = (largest: (order: number) => number, tolerance: number): string[] =>
    rowsOf(
      orders.map((k) => String(seriesTerms(k, largest(k), tolerance))),
      16,
    );
  const terms = (largest: (order: number) => number): object => ({
    double: rows(largest, 2e-17),
    single: rows(largest, 1e-8),
  });
  return {
    version: VERSION,
    suffix: VERSION.replace(/[^A-Za-z0-9]+/g, '_'),
    sineAndCosine: sineCosineFunctionC(plainTarget),
    reducedAngle: reducedAngleC(plainTarget),
    maximum: MAXIMUM_STUMPFF_ORDER,
    alwaysBelow: ALWAYS_BELOW,
    inverseFactorial: numbers(inverseFactorial),
    inverseProduct: numbers(inverseProduct.slice(2)),
    termsBelow: terms(() => HIGHEST_ARGUMENT),
    termsAbove: terms(largestFromAbove),
  };
}
