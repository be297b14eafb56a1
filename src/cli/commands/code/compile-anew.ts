/** The work of `kanegen compile`: the dynamics code of a robot as TypeScript and C. */
import path from 'node:path';
import { RobotCode } from '../../../api/code.ts';
import { parseTargets, takesStraight, TARGETS, type CompileTarget } from '../../../codegen/folder.ts';
import { demandTargets } from '../../../codegen/target-demands.ts';
import type { ScenarioTable } from '../../../codegen/doors/python/scenario-table.ts';
import { parseFmiVersions, type FmiVersion } from '../../../codegen/doors/fmu/fmi-versions.ts';
import type { SymbolicRobot } from '../../../api/robot.ts';
import type { StraightChoice } from '../../../api/straight.ts';
import { pairText } from '../../../codegen/modules/header.ts';
import { functionCName, onlyInDriver } from '../../../codegen/whole-robot/straight-header.ts';
import { straightModel } from '../../../codegen/whole-robot/straight-model.ts';
import { passiveForcesOf } from '../../../description/model/what-acts.ts';
import type { Robot } from '../../../description/model/robot.ts';
import type { Warning } from '../../../description/model/warnings.ts';
import { writeGeneratedFolder, type OutputFile } from '../../../files/generated-folder.ts';
import {
  callCost,
  callCostText,
  dearText,
  formCosts,
  formText,
  type CallCost,
  type FormCost,
} from '../../../report/call-cost.ts';
import { suspectBodies, understoodLinks, type UnderstoodLink } from '../../../report/understanding/bodies.ts';
import { suspectSizes } from '../../../report/understanding/sizes.ts';
import { idleActuators } from '../../../simulation/equilibria/idle-actuators.ts';
import { unseenMotions } from '../../../simulation/small-motions/observability.ts';
import { tryStates } from '../../../simulation/run/trial.ts';
import { reportWarnings } from '../../files/file-options.ts';
import { openRobot, reportLosses, reportNotes } from '../../files/load.ts';
import { withProgress } from '../../terminal/progress.ts';
import type { CodeSize } from '../../../codegen/c/code-size.ts';
import { demandBytes, demandCrossCompiler, maximumBytes } from '../../options/bytes.ts';
import { checkStraightOptions, keptParameters, straightChoice, wantedOfDriver } from '../../options/straight.ts';
import { shortNumber } from '../../terminal/table.ts';
import { UsageError } from '../../terminal/failure.ts';
import { complain } from '../../terminal/terminal.ts';
import type { Compiled, CompileOptions } from '../../options/compiled.ts';

/**
 * @returns what was written, and what is said of it.
 * @throws UsageError, and KanegenError of the robot and its compilation.
 */
export async function compileAnew(file: string, given: CompileOptions): Promise<Compiled> {
  const targets = targetsOf(given);
  const options = takesStraight(targets) ? { ...given, straight: true } : given;
  const fmi = fmiVersions(options, targets);
  checkStraightOptions(options);
  const maximum = maximumBytes(options.maxBytes);
  if (maximum !== undefined && !targets.includes('c'))
    throw new UsageError('--max-bytes counts bytes of C: add c to --target');
  if (maximum !== undefined) await demandCrossCompiler();
  const opened = openRobot(file, options, keptParameters(options.keep));
  const { model: robot } = opened;
  demandTargets(robot, targets, options.straight === true);
  reportNotes(robot);
  const { derivatives = false, points = false } = options;
  const functions = wantedOfDriver(options.functions);
  const choice = options.straight ? straightChoice(options) : undefined;
  const code = await during(`compiling ${robot.name}`, () =>
    opened.compile({ derivatives, points, ...(functions && { functions }) }),
  );
  const compiled = await code.compiled();
  reportLosses(robot);
  reportWarnings(await during('running the generated code once', () => tried(code, choice)));
  reportWarnings([...suspectBodies(robot), ...suspectSizes(robot)]);
  const wanted = choice && (await withRegressor(choice, opened, options));
  const straight = wanted && (await withProgress((progress) => code.straightForm({ ...wanted, progress }, 'files')));
  const { modules = false, rodStatics, sourceMap, lineDirectives, amalgamate, shared, packaging, wheel } = options;
  const scenarios = await scenarioTables(robot, options.scenario ?? []);
  const files: OutputFile[] = await during('writing the code', () =>
    code.files({
      target: targets,
      modules,
      rodStatics,
      sourceMap,
      lineDirectives,
      amalgamate,
      shared,
      packaging,
      wheel,
      scenarios,
      fmi,
      note: (text) => complain(`note: ${text}\n`),
      ...(wanted && { straight: wanted }),
    }),
  );
  if (maximum !== undefined)
    demandBytes(
      `the C of ${robot.name}`,
      await during('counting bytes', () => sizeOfC(files)),
      maximum,
      'write fewer functions with --functions, or leave out --derivatives and --straight',
    );
  if (options.terms) files.push(await termsFile(robot));
  const out = options.out ?? path.join('generated', robot.name);
  writeGeneratedFolder(out, files);
  const summary = {
    robot: robot.name,
    coordinates: robot.coordinates.length,
    links: robot.links.length,
    linkTypes: [...new Set(compiled.links.slice(0, robot.links.length).map(({ type }) => type.name))],
    ...(straight && {
      straight: straight.functions.map((f) => f.name),
      forms: formCosts(straightModel(robot, compiled, straight)),
    }),
    out,
    files: files.map((f) => f.path),
    inverseDynamics: callCost(robot, compiled),
    passiveForces: passiveForcesOf(robot),
    pair: pairText(robot, functionCName),
    understood: understoodLinks(robot),
  };
  const left = straight ? onlyInDriver(robot, straight.functions) : '';
  if (left !== '') complain(`note: ${left}\n`);
  return { out, files, read: robot.source.read, summary, ...summaryText(summary) };
}

/** Scenarios of this robot, sampled. @throws UsageError of those of another one. */
async function scenarioTables(robot: Robot, paths: readonly string[]): Promise<readonly ScenarioTable[]> {
  if (paths.length === 0) return [];
  const [{ loadScenario }, { scenarioTable }] = await Promise.all([
    import('../../../simulation/scenario/scenario.ts'),
    import('../../../simulation/run/scenario-table.ts'),
  ]);
  const namesOf = ({ coordinates, actuators }: Robot): string =>
    [coordinates, actuators].map((all) => all.map(({ name }) => name).join(', ')).join('; ');
  return paths.map((own) => {
    const scenario = loadScenario(own);
    if (namesOf(scenario.robot) !== namesOf(robot))
      throw new UsageError(
        `--scenario ${own} is of ${scenario.robot.name}, whose coordinates or actuators are not those of ${robot.name}`,
      );
    return scenarioTable(path.basename(own).replace(/(\.scenario)?\.ya?ml$/, ''), scenario);
  });
}

/** Bytes of the files in the folder `c`. */
async function sizeOfC(files: readonly OutputFile[]): Promise<CodeSize> {
  const { sizeOfSources } = await import('../../../codegen/c/code-size.ts');
  return sizeOfSources(
    files.filter(({ path: own }) => own.startsWith('c/')).map((own) => ({ ...own, path: own.path.slice(2) })),
  );
}

/** What statics of rods are written in. */
const ROD_TARGETS: readonly CompileTarget[] = ['ts', 'js', 'c'];

/** The languages. @throws UsageError of options that do not go together. */
function targetsOf(options: CompileOptions): readonly CompileTarget[] {
  const targets = parseTargets(options.target);
  if (!targets)
    throw new UsageError(
      `--target takes ${TARGETS.join(', ')}, several with commas, not ${JSON.stringify(options.target)}`,
    );
  if (targets.includes('wasm') && !options.straight && !takesStraight(targets))
    throw new UsageError('--target wasm computes straight-line functions: add --straight');
  if (options.lineDirectives && !targets.includes('c'))
    throw new UsageError('--line-directives writes #line into C: add c to --target');
  if (options.amalgamate && !targets.includes('c'))
    throw new UsageError('--amalgamate writes C as two files: add c to --target');
  if (options.shared && !targets.includes('c'))
    throw new UsageError('--shared builds the C as a shared library: add c to --target');
  if (options.packaging && !targets.includes('c'))
    throw new UsageError('--packaging adds files to the C: add c to --target');
  if (options.scenario?.length && !targets.includes('python'))
    throw new UsageError('--scenario makes environments of the package for Python: add python to --target');
  if (options.wheel && !targets.includes('python'))
    throw new UsageError('--wheel packs the package for Python: add python to --target');
  if (options.rodStatics && !targets.some((own) => ROD_TARGETS.includes(own)))
    throw new UsageError('--rod-statics is written in ts, js and c: add one of them to --target');
  if (options.shared && options.amalgamate) throw new UsageError('--amalgamate excludes --shared: leave one out');
  if (options.amalgamate && (options.lineDirectives || options.sourceMap))
    throw new UsageError(
      `--amalgamate excludes --${options.sourceMap ? 'source-map' : 'line-directives'}: leave out --amalgamate to see places in the robot file`,
    );
  if (options.modules) checkModuleOptions(options, targets);
  return targets;
}

/** Versions of FMUs; both when missing. @throws UsageError */
function fmiVersions({ fmi }: CompileOptions, targets: readonly CompileTarget[]): readonly FmiVersion[] | undefined {
  if (fmi === undefined) return undefined;
  if (!targets.includes('fmu')) throw new UsageError('--fmi chooses versions of FMUs: add fmu to --target');
  const versions = parseFmiVersions(fmi);
  if (!versions) throw new UsageError(`--fmi takes 2, 3 or 2,3, not ${JSON.stringify(fmi)}`);
  return versions;
}

/** Link modules have the functions that drivers have by default, in TypeScript and C. */
function checkModuleOptions(options: CompileOptions, targets: readonly CompileTarget[]): void {
  const others = [
    ...(
      [
        'derivatives',
        'points',
        'rodStatics',
        'straight',
        'sourceMap',
        'lineDirectives',
        'amalgamate',
        'shared',
        'packaging',
        'wheel',
        'maxBytes',
      ] as const
    ).filter((name) => options[name]),
  ];
  const [other] = others.map((name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
  if (options.functions !== undefined)
    throw new UsageError('--modules excludes --functions: link modules have the functions of every tree');
  if (other) throw new UsageError(`--modules excludes --${other}: leave out --modules to compile the complete robot`);
  const [target] = targets.filter((own) => own !== 'ts' && own !== 'c');
  if (target) throw new UsageError(`--modules writes ts and c, not ${target}`);
}

const during = <Result>(what: string, work: () => Result | Promise<Result>): Promise<Result> =>
  withProgress((show) => {
    show(what);
    return work();
  });

/** Identification is loaded for regressors only. */
async function withRegressor(
  choice: StraightChoice,
  robot: SymbolicRobot,
  options: CompileOptions,
): Promise<StraightChoice> {
  if (options.regressor === undefined) return choice;
  const { regressorChoice } = await import('../../options/regressor.ts');
  const regressor = await during('looking for parameters in which forces are linear', () =>
    regressorChoice(robot, options),
  );
  return { ...choice, regressor };
}

/** The code of the robot run once. @throws KanegenError where what it computes is not finite. */
async function tried(code: RobotCode, straight: StraightChoice | undefined): Promise<readonly Warning[]> {
  const { robot } = code;
  const dynamics = await tryStates(robot, (own) =>
    own === robot ? code.trial(straight) : new RobotCode(own, {}).run(),
  );
  return [...idleActuators(robot, dynamics), ...unseenMotions(robot, dynamics)];
}

interface Summary {
  readonly robot: string;
  readonly coordinates: number;
  readonly links: number;
  readonly linkTypes: readonly string[];
  readonly straight?: readonly string[];
  readonly forms?: readonly FormCost[];
  readonly out: string;
  readonly files: readonly string[];
  readonly inverseDynamics: CallCost;
  readonly passiveForces: readonly string[];
  readonly pair: string;
  /** Masses, lengths and stiffness of links. */
  readonly understood: readonly UnderstoodLink[];
}

/** In two parts: what was written, and what it costs. */
function summaryText(s: Summary): Pick<Compiled, 'head' | 'rest'> {
  const types = s.linkTypes.length === 1 ? 'one link type' : `${s.linkTypes.length} link types`;
  const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;
  const straight = s.straight ? ` and ${count(s.straight.length, 'straight-line function')}` : '';
  return {
    head: `${s.robot}: ${count(s.coordinates, 'coordinate')}, ${count(s.links, 'link')} of ${types}${straight} → ${s.files.length} files in ${s.out}`,
    rest: [
      callCostText(s.inverseDynamics),
      dearText(s.inverseDynamics),
      formText(s.forms ?? []),
      s.passiveForces.length > 0 ? `note: ${s.pair}` : '',
      understoodText(s.understood),
    ]
      .filter(Boolean)
      .join('\n'),
  };
}

function understoodText(links: readonly UnderstoodLink[]): string {
  const five = (x: number): string => shortNumber(Number(x.toPrecision(5)));
  const total = (of: (link: UnderstoodLink) => number): number => links.reduce((sum, link) => sum + of(link), 0);
  const length = total((link) => link.length ?? 0);
  const rods = length > 0 ? `, ${five(length)} m of rods` : '';
  return `understood: ${five(total(({ mass }) => mass))} kg${rods} (kanegen check says more)`;
}

async function termsFile(robot: Robot): Promise<OutputFile> {
  const { explainRobot } = await import('../../../report/explain.ts');
  return { path: 'terms.json', text: `${JSON.stringify(explainRobot(robot).bodies, null, 2)}\n` };
}
