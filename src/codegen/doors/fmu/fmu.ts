/**
 * Functional Mock-up Units (fmi-standard.org) around the C of a robot: model exchange and co-simulation, FMI 2.0 and 3.0. Variables,
 * units and start values follow from the interface. An archive holds sources, and a binary for this machine where a C compiler is found.
 */
import { host } from '#host';
import { strToU8, zipSync, type Zippable } from 'fflate';
import { KanegenError } from '../../../common/error.ts';
import { printable } from '../../../common/printable.ts';
import { BARE_UNIT, parseUnit } from '../../../description/values/units.ts';
import { loadTemplates } from '../../c-language/templates.ts';
import type { RobotInterface } from '../../interface/robot-interface.ts';
import type { GeneratedFile } from '../../modules/robot-model.ts';
import { packageFile } from '../../modules/assets.ts';
import { commentText } from '../../naming/identifiers.ts';
import { signedLiteral } from '../../c-language/target.ts';
import type { FmiVersion } from './fmi-versions.ts';
import { sharedLibraries } from '../../c/shared-objects.ts';
import { escapedXml } from '../../../common/xml.ts';

/** A variable of a model: its index is its value reference. */
interface Variable {
  readonly name: string;
  readonly causality: 'independent' | 'input' | 'output' | 'local' | 'parameter';
  readonly variability: 'continuous' | 'tunable';
  readonly initial?: 'exact' | 'approx' | 'calculated';
  readonly unit: string;
  readonly start?: number;
  readonly lower?: number | undefined;
  readonly upper?: number | undefined;
  /** The value reference of that whose derivative it is. */
  readonly derivative?: number;
  readonly description?: string | undefined;
}

interface Kind {
  readonly name: string;
  readonly variables: readonly Variable[];
}

/** Numbers by which the model integrates, beside those of the robot. */
interface SolverNumber {
  readonly name: string;
  readonly unit: string;
  readonly start: string;
  readonly description: string;
}

/**
 * One archive for each version, `NAME-fmi2.fmu` and `NAME-fmi3.fmu`.
 * @param code the C of the robot.
 * @param tell hears what is missing.
 * @throws KanegenError `no-fmu` for code that lacks functions; `compiler-failed`.
 */
export async function fmus(
  of: RobotInterface,
  code: readonly GeneratedFile[],
  header: readonly string[],
  versions: readonly FmiVersion[],
  tell: (note: string) => void,
): Promise<GeneratedFile[]> {
  demandFunctions(of);
  const render = await loadTemplates('fmu');
  const { identifier: name } = of.robot;
  const data = dataOf(of, code, header);
  const common = code.filter(({ path }) => /\.[ch]$/.test(path) && !path.endsWith('_selftest.c'));
  const sourcesOf = (version: FmiVersion): GeneratedFile[] => [
    ...common,
    { path: `${name}_fmu.h`, text: render('model.h', data) },
    { path: `${name}_fmu.c`, text: render('model.c', data) },
    { path: `fmi${version}.h`, text: render(`fmi${version}.h`, data) },
    { path: `fmi${version}.c`, text: render(`fmi${version}.c`, data) },
  ];
  const built = await sharedLibraries(
    versions.map((version) => ({
      files: sourcesOf(version),
      flags: { [`fmi${version}.c`]: [`-DFMI${version}_OVERRIDE_FUNCTION_PREFIX`] },
    })),
  );
  if (typeof built === 'string') tell(`the FMUs hold sources only: ${built}`);
  return versions.map((version, i) => {
    const files = sourcesOf(version);
    const own = { ...data, sources: files.map(({ path }) => path).filter((path) => path.endsWith('.c')) };
    const archive: Zippable = {
      'modelDescription.xml': strToU8(render(`modelDescription${version}.xml`, own)),
      ...Object.fromEntries(files.map(({ path, text }) => [`sources/${path}`, strToU8(text)])),
      ...(version === 3 && { 'sources/buildDescription.xml': strToU8(render('buildDescription.xml', own)) }),
      ...(typeof built !== 'string' && { [binaryPath(version, name)]: built[i]! }),
    };
    // Equal models give equal bytes: no times of today.
    const bytes = zipSync(archive, { mtime: new Date(1980, 0, 1) });
    return {
      path: `${name}-fmi${version}.fmu`,
      text: Buffer.from(bytes).toString('base64'),
      encoding: 'base64' as const,
    };
  });
}

/** What models call. */
function demandFunctions(of: RobotInterface): void {
  const needed = [
    'update',
    'forward_dynamics',
    'frame',
    ...(of.inputs.length > 0 ? ['actuate'] : []),
    ...(of.rows.length > 0 ? ['constrained_forward_dynamics', 'constraint_correction'] : []),
  ];
  const missing = needed.filter((name) => !hasFunction(of, name)).map((name) => name.replace(/_/g, '-'));
  if (missing.length > 0)
    throw new KanegenError(
      'no-fmu',
      `an FMU of \`${of.robot.name}\` calls ${missing.join(', ')}, which are not chosen`,
      {
        remedy: 'write --functions default,…',
      },
    );
}

const hasFunction = (of: RobotInterface, name: string): boolean => of.functions.some((own) => own.name === name);

function dataOf(of: RobotInterface, code: readonly GeneratedFile[], header: readonly string[]): object {
  const { identifier: name } = of.robot;
  const isRosenbrock = code.some(({ path }) => path === `${name}_rosenbrock.c`);
  const solver = solverNumbers(of, isRosenbrock);
  const kinds = kindsOf(of, solver);
  const firsts = kinds.map((_, k) => kinds.slice(0, k).reduce((total, own) => total + own.variables.length, 0));
  const variables = kinds.flatMap((kind) => kind.variables);
  const n = of.coordinates.length;
  const first = (kind: string): number => firsts[kinds.findIndex((own) => own.name === kind)]!;
  const all = (kind: string, count: number): number[] => Array.from({ length: count }, (_, i) => first(kind) + i);
  const [q, qd] = [all('COORDINATE', n), all('RATE', n)];
  const tangents = [
    of.rows.length > 0 ? 'constrained_forward_dynamics_tangent' : 'forward_dynamics_tangent',
    ...(of.inputs.length > 0 ? ['actuate_tangent'] : []),
    ...(of.inputs.some((own) => own.rubs) ? ['actuate_rate_tangent'] : []),
  ];
  return {
    name,
    upper: name.toUpperCase(),
    header: header.map(commentText),
    token: tokenOf(of, variables, isRosenbrock),
    modelName: printable(of.robot.name),
    description: printable(of.robot.summary ?? `Dynamics of ${of.robot.name}`),
    generator: of.generator,
    n,
    nu: of.inputs.length,
    rubs: of.inputs.some((own) => own.rubs),
    kinds,
    firsts: [...firsts, variables.length],
    solver,
    rosenbrock: isRosenbrock,
    differentiated: tangents.every((own) => hasFunction(of, own)),
    loops: of.rows.length,
    time: hasFollowing(of),
    start: of.coordinates.map((own) => signedLiteral(own.default)),
    statuses: of.statuses.map((own) => ({ name: own.name, meaning: plainText(own.meaning) })),
    functions2: functionNames('fmi2'),
    functions3: functionNames('fmi3'),
    x: escapedXml,
    attributes,
    units: unitsOf(variables),
    variablesInXml: variables.map((own, reference) => ({ ...own, reference })),
    outputs: [
      ...[...q, ...qd].map((reference) => ({ reference, dependencies: [reference] })),
      ...all('POSITION', 3 * of.frames.length).map((reference) => ({
        reference,
        dependencies: hasFollowing(of) ? [first('TIME'), ...q] : q,
      })),
    ],
    derivatives: [
      ...qd.map((reference) => ({ reference, dependencies: [reference] })),
      ...all('ACCELERATION', n).map((reference) => ({ reference })),
    ],
    initialUnknowns: variables.flatMap(({ initial }, reference) =>
      initial === 'calculated' || initial === 'approx' ? [reference] : [],
    ),
  };
}

/** Do bodies or joints depend on the time? */
const hasFollowing = (of: RobotInterface): boolean => of.parameters.some(({ kind }) => kind === 'time');

function solverNumbers(of: RobotInterface, isRosenbrock: boolean): SolverNumber[] {
  return [
    isRosenbrock
      ? {
          name: 'tolerance',
          unit: '1',
          start: '1e-6',
          description: 'of steps of the Rosenbrock method in co-simulation, relative and absolute',
        }
      : {
          name: 'step',
          unit: 's',
          start: '1e-3',
          description: 'longest step of the Runge-Kutta method in co-simulation',
        },
    ...(of.rows.length > 0
      ? [
          {
            name: 'feedback',
            unit: '1/s',
            start: '10.0',
            description: 'with which loops that have opened by rounding close again',
          },
        ]
      : []),
  ];
}

/** All variables, in the order of value references. */
function kindsOf(of: RobotInterface, solver: readonly SolverNumber[]): Kind[] {
  const n = of.coordinates.length;
  const coordinate = ({ name }: { readonly name: string }): string => `q.${name}`;
  const closes = of.rows.length > 0;
  const state = { causality: 'output', variability: 'continuous', initial: closes ? 'approx' : 'exact' } as const;
  const input = { causality: 'input', variability: 'continuous', start: 0 } as const;
  const tunable = { causality: 'parameter', variability: 'tunable', initial: 'exact' } as const;
  return [
    {
      name: 'TIME',
      variables: [{ name: 'time', causality: 'independent', variability: 'continuous', unit: 's' }],
    },
    {
      name: 'COORDINATE',
      variables: of.coordinates.map((own) => ({
        ...state,
        name: coordinate(own),
        unit: own.unit,
        start: own.default,
        description: own.summary,
      })),
    },
    {
      name: 'RATE',
      variables: of.coordinates.map((own, i) => ({
        ...state,
        name: `der(${coordinate(own)})`,
        unit: own.rateUnit,
        start: 0,
        derivative: 1 + i,
      })),
    },
    {
      name: 'ACCELERATION',
      variables: of.coordinates.map((own, i) => ({
        name: `der(${coordinate(own)},2)`,
        causality: 'local',
        variability: 'continuous',
        initial: 'calculated',
        unit: own.unit === '1' ? '1/s^2' : `${own.unit}/s^2`,
        derivative: 1 + n + i,
      })),
    },
    {
      name: 'INPUT',
      variables: of.inputs.map((own) => ({
        ...input,
        name: `u.${own.name}`,
        unit: own.unit,
        lower: own.lower,
        upper: own.upper,
        description: own.summary ?? `input of ${own.kind} ${own.name}`,
      })),
    },
    {
      name: 'FORCE',
      variables: of.coordinates.map((own) => ({
        ...input,
        name: `tau.${own.name}`,
        unit: own.forceUnit,
        description: 'generalized force beside those of actuators',
      })),
    },
    {
      name: 'POSITION',
      variables: of.frames.flatMap((own) =>
        ['x', 'y', 'z'].map((axis) => ({
          name: `frames.${own.name}.${axis}`,
          causality: 'output' as const,
          variability: 'continuous' as const,
          initial: 'calculated' as const,
          unit: 'm',
          description: 'world position of the origin',
        })),
      ),
    },
    {
      name: 'PARAMETER',
      variables: [
        ...['x', 'y', 'z'].map((axis, i) => ({
          ...tunable,
          name: `parameters.gravity.${axis}`,
          unit: 'm/s^2',
          start: of.gravity[i]!,
          description: 'gravitational acceleration, world axes',
        })),
        ...of.parameters
          .filter(({ kind }) => kind === 'parameter')
          .map((own) => ({
            ...tunable,
            name: `parameters.${own.name}`,
            unit: own.unit === BARE_UNIT ? '1' : own.unit,
            start: own.default,
            lower: own.lower,
            upper: own.upper,
            description: own.summary,
          })),
      ],
    },
    {
      name: 'SOLVER',
      variables: solver.map((own) => ({
        ...tunable,
        name: `solver.${own.name}`,
        unit: own.unit,
        start: Number(own.start),
        lower: 0,
        description: own.description,
      })),
    },
  ];
}

// ---------------------------------------------------------------------------------------------- XML

function attributes({ unit, lower, upper, start }: Variable, derivative: string): string {
  return [
    unit === '1' ? '' : ` unit="${escapedXml(unit)}"`,
    lower === undefined ? '' : ` min="${lower}"`,
    upper === undefined ? '' : ` max="${upper}"`,
    start === undefined ? '' : ` start="${start}"`,
    derivative,
  ].join('');
}

function unitsOf(variables: readonly Variable[]): { readonly name: string; readonly base: string }[] {
  const names = [...new Set(variables.map(({ unit }) => unit))].filter((unit) => unit !== '1');
  return names.map((name) => ({ name, base: baseUnit(name) }));
}

/** `N m/rad` as exponents: angles have one here. */
function baseUnit(unit: string): string {
  const { dimension } = parseUnit(unit);
  const exponents = [
    ...['kg', 'm', 's', 'A', 'K'].map((name, i) => [name, dimension[i]!] as const),
    ['rad', radians(unit)] as const,
  ];
  return exponents
    .filter(([, exponent]) => exponent !== 0)
    .map(([name, exponent]) => ` ${name}="${exponent}"`)
    .join('');
}

function radians(unit: string): number {
  let total = 0;
  for (const [, divided, exponent] of unit.matchAll(/(\/?)\s*\brad\b(?:\^(-?\d+))?/g))
    total += (divided === '/' ? -1 : 1) * Number(exponent ?? 1);
  return total;
}

// ---------------------------------------------------------------------------------------------- identity

/** The same for equal models: what an importer has read of one fits the binary. */
function tokenOf(of: RobotInterface, variables: readonly Variable[], isRosenbrock: boolean): string {
  const hash = host
    .sha256()
    .update(JSON.stringify([of, variables, isRosenbrock]))
    .digest('hex');
  return `{${[8, 4, 4, 4, 12].map((length, i, all) => hash.substring(all.slice(0, i).reduce((a, b) => a + b, 0)).slice(0, length)).join('-')}}`;
}

const plainText = (text: string): string => commentText(text).replace(/["\\]/g, "'");

/** Functions that the template of a version exports, some through macros. */
function functionNames(version: 'fmi2' | 'fmi3'): string[] {
  const text = packageFile(`templates/fmu/${version}.c.eta`);
  const found = text.matchAll(new RegExp(`^(?:FMU_EXPORT .*?|[A-Z_]+\\()(${version}[A-Z]\\w*)[(,]`, 'gm'));
  return [...found].map(([, name]) => name!);
}

/** As each version calls this machine. */
function binaryPath(version: FmiVersion, name: string): string {
  const { platform, arch } = process;
  const system = { linux: 'linux', win32: 'windows', darwin: 'darwin' }[platform as string] ?? platform;
  const processor = { x64: 'x86_64', ia32: 'x86', arm64: 'aarch64' }[arch as string] ?? arch;
  const bits = arch === 'ia32' || arch === 'arm' ? 32 : 64;
  const folder = version === 3 ? `${processor}-${system}` : `${platform === 'win32' ? 'win' : system}${bits}`;
  const extension = { win32: '.dll', darwin: '.dylib' }[platform as string] ?? '.so';
  return `binaries/${folder}/${name}${extension}`;
}
