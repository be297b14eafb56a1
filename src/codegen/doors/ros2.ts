/**
 * A package for ROS 2 around the C of a robot: a plugin of `inverse_dynamics_solver`, and a controller of `ros2_control` for each
 * controller of the robot file. All of it follows from the interface.
 */
import { KanegenError } from '../../common/error.ts';
import { loadTemplates } from '../c-language/templates.ts';
import type { RobotInterface } from '../interface/robot-interface.ts';
import type { GeneratedFile } from '../modules/robot-model.ts';
import { VERSION } from '../modules/version.ts';
import { commentText, distinct, listed, pascalCase, wrapped } from '../naming/identifiers.ts';
import { escapedXml } from '../../common/xml.ts';

type Controller = RobotInterface['controllers'][number];

/** Names that the sources have for something else. */
const OWN = ['Base', 'Reference', 'Solver', 'CallbackReturn', 'InterfaceConfiguration', 'Interface', 'NAN'];

/** Of lists and comments. */
const WIDTH = 100;

/**
 * @param code the C of the robot. @param header where it comes from, for comments.
 * @throws KanegenError `no-ros2` for robots that do not move, and for code that lacks functions.
 */
export async function rosPackage(
  of: RobotInterface,
  code: readonly GeneratedFile[],
  header: readonly string[],
): Promise<GeneratedFile[]> {
  demandFunctions(of);
  const render = await loadTemplates('ros2');
  const { identifier: name } = of.robot;
  const sources = code.filter(({ path }) => /\.[ch]$/.test(path) && !path.endsWith('_selftest.c'));
  const types = distinct([...OWN, ...of.controllers.map((own) => own.name)], (own) =>
    OWN.includes(own) ? own : pascalCase(own),
  ).slice(OWN.length);
  const data = {
    name,
    package: `${name}_ros2`,
    version: VERSION,
    header: header.map((line) => commentText(line).replace(/--+/g, '-')),
    comment: commentText(of.robot.name),
    description: of.robot.summary ?? `Dynamics of ${of.robot.name}`,
    x: escapedXml,
    n: of.sizes.coordinates,
    nu: of.sizes.inputs,
    time: of.parameters.some(({ kind }) => kind === 'time'),
    parameters: of.parameters
      .filter(({ kind, bristle }) => kind === 'parameter' && bristle === undefined)
      .map((own) => own.name),
    joints: listed(
      of.coordinates.map((own) => quoted(own.name)),
      WIDTH,
    ),
    sources: sources.filter(({ path }) => path.endsWith('.c')).map(({ path }) => `c/${path}`),
    controllers: of.controllers.map((own, i) => controllerData(of, own, types[i]!)),
  };
  const made = [
    'package.xml',
    'CMakeLists.txt',
    'solver.xml',
    'solver.cpp',
    ...(data.controllers.length > 0 ? ['controllers.xml', 'controllers.cpp'] : []),
  ];
  return [
    ...made.map((path) => ({ path: path.endsWith('.cpp') ? `src/${path}` : path, text: render(path, data) })),
    ...sources.map(({ path, text }) => ({ path: `c/${path}`, text })),
  ];
}

/** What the solver calls. */
function demandFunctions(of: RobotInterface): void {
  const needed = ['update', 'terms', 'mass_matrix', 'inverse_dynamics'];
  if (of.controllers.some((own) => placesOf(of, own).some(({ isActuation }) => isActuation))) needed.push('actuation');
  const missing = needed.filter((name) => of.functions.every((own) => own.name !== name));
  if (missing.length > 0)
    throw new KanegenError(
      'no-ros2',
      `the package for ROS 2 of \`${of.robot.name}\` calls ${missing.map((own) => own.replace(/_/g, '-')).join(', ')}, which are not chosen`,
      { remedy: 'write --functions default,…' },
    );
}

/** Where the references of a law are read off the robot: none of poses. */
function placesOf(
  of: RobotInterface,
  { references }: Controller,
): readonly { readonly isActuation: boolean; readonly text: string }[] {
  return references.map(({ name }) => {
    const index = of.coordinates.findIndex((own) => own.name === name);
    if (index >= 0) return { isActuation: false, text: `q_[${index}]` };
    return { isActuation: true, text: `place[${of.inputs.findIndex((own) => own.name === name)}]` };
  });
}

function controllerData(of: RobotInterface, own: Controller, type: string): object {
  const places = placesOf(of, own);
  const { y, yd, ydd } = own.referenceSizes;
  const within = own.shell ? 'shell_.gains.' : 'gains_.';
  return {
    type,
    symbol: own.symbol,
    header: own.shell?.symbol ?? own.symbol,
    shell: own.shell?.symbol,
    frame: own.frame,
    places: places.map(({ text }) => text),
    actuation: places.some(({ isActuation }) => isActuation),
    purpose: own.purpose,
    comment: wrapped(commentText(own.purpose), WIDTH),
    sizes: [y, yd, ydd, own.outputs.length],
    commands: listed(
      own.outputs.map(({ name }) => quoted(name)),
      WIDTH,
    ),
    // Whether a member of one number is an array in C, the interface does not say: both have an address of the same number.
    gains: own.parameters.map(({ name, size }) => ({
      name,
      size,
      pointer: `reinterpret_cast<const kg_real *>(&${own.symbol}_defaults.${name})`,
      target: `reinterpret_cast<kg_real *>(&${within}${name})`,
    })),
  };
}

const quoted = (text: string): string => `"${commentText(text).replace(/["\\]/g, '_')}"`;
