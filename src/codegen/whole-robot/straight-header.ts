/**
 * What stands at the head of straight-line modules, and the same for machines: where the code comes from, what goes in
 * and out, in which units and order, what it costs.
 */
import type { Robot } from '../../description/model/robot.ts';
import { packageVersion } from '../modules/assets.ts';
import { grouped, kindsText } from '../printing/cost-text.ts';
import { pairText, provenance } from '../modules/header.ts';
import { camelCase, commentText, wrapped } from '../naming/identifiers.ts';
import { forceUnit } from '../../description/model/robot.ts';
import type { GeneratedFile } from '../modules/robot-model.ts';
import { closingOperations } from './straight-cost.ts';
import { countsOf, inputSize, operationsOf, type StraightFunctionModel, type StraightModel } from './straight-model.ts';

/** `inverseDynamics` → `inverse_dynamics`. */
export function functionCName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** `232 operations: 31 +, 40 *, 2 functions, 3 Stumpff c0..c7; 12 slots`. */
export function straightCostText(f: StraightFunctionModel): string {
  const { program, parts, closing } = f;
  const pieces = parts > 1 ? `, ${parts} parts` : '';
  const closed = closing
    ? `, ${grouped(closingOperations(closing.rows, closing.arrays.get('loopPivots')!))} of the rows of loops`
    : '';
  return `${grouped(operationsOf(f))} operations: ${kindsText(countsOf(f))}${closed}; ${program.slots} slots${pieces}`;
}

/** What a robot has that none of its straight-line functions knows; empty where there is nothing of the kind. */
export function onlyInDriver({ actuators }: Robot, functions: readonly { readonly name: string }[]): string {
  if (actuators.length === 0 || functions.some(({ name }) => name === 'actuation' || name === 'actuate')) return '';
  const names = actuators.map(({ name }) => commentText(name)).join(', ');
  return `What actuators do (${names}) is in the driver only: actuation, actuate.`;
}

const NAMES =
  'Names of values: omega, alpha and a of a link are angular velocity, angular acceleration and acceleration (gravity subtracted) of a frame on it; force and moment about ' +
  'its origin are needed by all beyond; first_moment and inertia are of all beyond. These frames lie where they take the fewest operations, with inertia that no ' +
  'torque shows moved towards the base. A name that ends in _part is an operand of the quantity before it.';

/** Header of a straight-line module. @param spelled how the target spells the name of a function. */
export function straightHeader(model: StraightModel, spelled: (name: string) => string): string[] {
  const { robot, summary } = { robot: model.robot.robot, summary: commentText(model.robot.robot.summary) };
  const kept = model.parameters.map((p) => p.name).join(', ');
  const names = model.functions.map((f) => spelled(f.name));
  const width = Math.max(...names.map((name) => name.length));
  return [
    ...wrapped(`Robot ${commentText(robot.name)}${summary ? `, ${summary}` : ''}: straight-line functions.`, 100),
    ...provenance(model.robot),
    '',
    ...wrapped(commentText(model.method), 100),
    ...wrapped(
      kept === '' ? 'All parameters are folded, gravity included.' : `Read at run time: ${kept}. All else is folded.`,
      100,
    ),
    ...wrapped(onlyInDriver(robot, model.functions), 100),
    '',
    ...(names.includes(spelled('forwardDynamics')) ? wrapped(straightPairText(model, spelled), 100) : []),
    `n = ${robot.coordinates.length} coordinates; SI units; matrices row-major. Outputs overlap neither inputs nor each other.`,
    'Coordinates q (rates qd, accelerations qdd) with their units, and the unit of their generalized forces:',
    ...robot.coordinates.map((c, i) => `  [${i}] ${commentText(c.name)} [${commentText(c.unit)}] ${forceUnit(c.unit)}`),
    ...inputLines(model),
    '',
    ...(model.namesQuantities ? [...wrapped(NAMES, 100), ''] : []),
    'Cost (operations as executed, Stumpff functions below half a turn; slots: values alive at once):',
    ...model.functions.flatMap((f, i) =>
      wrapped(straightCostText(f), 96 - width).map(
        (line, row) => `  ${(row === 0 ? names[i]! : '').padEnd(width)}  ${line}`,
      ),
    ),
  ];
}

/** Where the module has no inverse dynamics with passive forces, what it has makes it up. */
function straightPairText({ robot: { robot }, functions }: StraightModel, spelled: (name: string) => string): string {
  const has = (name: string): boolean => functions.some((f) => f.name === name);
  const sum = `${spelled('inverseDynamics')} + ${spelled('passiveForces')}`;
  const isSum = !has('activeInverseDynamics') && has('inverseDynamics') && has('passiveForces');
  return pairText(robot, (name) => (isSum && name === 'activeInverseDynamics' ? sum : spelled(name)));
}

/** Inputs of functions of actuators. */
function inputLines({ robot: { robot }, functions }: StraightModel): string[] {
  if (!functions.some(({ reads }) => reads.includes('u'))) return [];
  const lines = robot.actuators.map(
    ({ name, unit, coordinateUnit }, j) => `  [${j}] ${commentText(name)} [${unit}] y in ${coordinateUnit}`,
  );
  return ['Inputs u of the actuators with their units, and the unit of their coordinates y:', ...lines];
}

/** What a function's comment says of its outputs. */
export function outputLines(f: StraightFunctionModel, absent: string): string[] {
  return f.outputs.map(
    ({ name, size, summary, optional }) =>
      `${name}[${size}]: ${commentText(summary)}${optional ? `; ${absent} leaves it out` : ''}`,
  );
}

/** What the table of the columns of the regressor says of itself. */
export function columnsAbout({ columns }: StraightModel): string[] {
  const about =
    'Parameters pi by columns of the regressor, with units and their values in the robot file: tau = offset + Y pi.';
  const combined = columns.flatMap(({ name, formula }, i) => (formula && / /.test(name) ? [{ i, ...formula }] : []));
  if (combined.length === 0) return [about];
  return [
    about,
    `Combinations as formulas of the geometry${constantsText(combined.flatMap((own) => own.constants))}:`,
    // Names have no spaces, and any length.
    ...combined.map(({ i, text }) => `  ${i}: ${commentText(text).replace(/\S{100}/g, '$& ')}`),
  ];
}

/** `, with elbow_distal_x = 0.3 m`, each once. */
function constantsText(constants: readonly { name: string; unit: string; value: number }[]): string {
  const told = new Set(constants.map(({ name, unit, value }) => `${name} = ${value} ${unit}`));
  return told.size > 0 ? `, with ${[...told].join(', ')}` : '';
}

/** Combinations of many parameters have long names: pieces that fit a line, one after the other. */
export function brokenName(name: string): string[] {
  return name.match(/.{1,80}/gsu)!;
}

/** What formulas of columns name. */
function geometryOf({ columns }: StraightModel): Record<string, number> {
  const constants = columns.flatMap(({ formula }) => formula?.constants ?? []);
  return Object.fromEntries(constants.map(({ name, value }) => [name, value]));
}

/** `straight.json`: the functions of the robot, their buffers and their cost. */
export function straightManifest(model: StraightModel): GeneratedFile {
  const { robot } = model.robot;
  const manifest = {
    robot: robot.name,
    kanegen: packageVersion(),
    source: { file: robot.source.file, sha256: robot.source.hash },
    method: model.method,
    coordinates: robot.coordinates.map(({ name, unit }) => ({ name, unit, forceUnit: forceUnit(unit) })),
    parameters: model.parameters.map(({ name, unit, value }) => ({ name, unit, value })),
    ...(model.columns.length > 0 && {
      columns: model.columns.map(({ name, unit, value, formula }) => ({
        name,
        unit,
        value,
        ...(formula && { formula: formula.text }),
      })),
      geometry: geometryOf(model),
    }),
    functions: model.functions.map((f) => ({
      name: f.name,
      c: `${model.robot.name}_straight_${functionCName(f.name)}`,
      typescript: camelCase(functionCName(f.name)),
      summary: f.summary,
      inputs: f.reads.map((buffer) => ({ name: buffer, size: inputSize(model, buffer) })),
      outputs: f.outputs,
      operations: { ...countsOf(f), executed: operationsOf(f) },
      slots: f.program.slots,
      parts: f.parts,
    })),
  };
  return { path: 'straight.json', text: `${JSON.stringify(manifest, null, 2)}\n` };
}
