/**
 * Measured motion and forces from CSV: a line of names, then numbers. Columns: `t`, per coordinate NAME, its rate NAME_d (or
 * `rate of NAME`, as `simulate` writes), its acceleration NAME_dd, the generalized force `tau NAME`, and inputs of actuators by name.
 */
import { rateUnit, forceUnit, type Robot } from '../description/model/robot.ts';
import { CsvTable } from './csv-table.ts';

/** A row per instant; arrays in the order of the coordinates, SI units. */
export interface Measurements {
  readonly times: readonly number[];
  readonly q: readonly (readonly number[])[];
  /** Where not both are measured, all that is measured counts as noisy (smooth-motion.ts); else motion is taken as exact. */
  readonly qd?: readonly (readonly number[])[];
  readonly qdd?: readonly (readonly number[])[];
  /** Generalized forces beside those of the actuators. */
  readonly tau: readonly (readonly number[])[];
  /** Inputs of the actuators; none act when missing. */
  readonly inputs?: readonly (readonly number[])[];
}

/**
 * @param fileName shown in messages.
 * @throws KanegenError with all problems of the text, at file:line:column.
 */
export function readMeasurements(robot: Robot, text: string, fileName: string): Measurements {
  const table = new CsvTable(text, fileName);
  const columns = chooseColumns(robot, table);
  const times = table.numbers(columns.time, 's');
  const units = robot.coordinates.map(({ unit }) => unit);
  const group = (indices: readonly number[], of: readonly string[]): number[][] => {
    const all = indices.map((index, i) => table.numbers(index, of[i]!));
    return times.map((_, sample) => all.map((column) => column[sample]!));
  };
  const q = group(columns.q, units);
  const qd =
    columns.qd &&
    group(
      columns.qd,
      units.map((unit) => rateUnit(unit)),
    );
  const qdd =
    columns.qdd &&
    group(
      columns.qdd,
      units.map((unit) => rateUnit(unit, 's^2')),
    );
  const forces = columns.tau.map((index, i) =>
    index === undefined ? undefined : table.numbers(index, forceUnit(units[i]!)),
  );
  const tau = times.map((_, sample) => forces.map((column) => column?.[sample] ?? 0));
  const inputs =
    columns.inputs &&
    group(
      columns.inputs,
      robot.actuators.map(({ unit }) => unit),
    );
  table.finish();
  table.demandIncreasing(columns.time, times);
  if (!qd || !qdd) table.demandEvenSteps(columns.time, times);
  return { times, q, ...(qd && { qd }), ...(qdd && { qdd }), tau, ...(inputs && { inputs }) };
}

interface Columns {
  readonly time: number;
  readonly q: readonly number[];
  readonly qd: readonly number[] | undefined;
  readonly qdd: readonly number[] | undefined;
  /** Undefined: nothing acts there. */
  readonly tau: readonly (number | undefined)[];
  readonly inputs: readonly number[] | undefined;
}

function chooseColumns({ coordinates, actuators }: Robot, table: CsvTable): Columns {
  const names = coordinates.map(({ name }) => name);
  const ofInputs = actuators.map(({ name }) => name);
  const time = table.column('t');
  const q = names.map((name) => table.column(name));
  const qd = table.allOrNone(names.map((name) => [`${name}_d`, `rate of ${name}`]));
  const qdd = table.allOrNone(names.map((name) => [`${name}_dd`]));
  const inputs = table.allOrNone(ofInputs.map((name) => [name]));
  const forces = names.map((name) => table.find([`tau ${name}`]));
  const isDriven = inputs !== undefined && inputs.length > 0;
  // Where actuators are known, a coordinate without a column is one on which nothing else acts.
  if (!isDriven)
    names.forEach((name, i) => forces[i] === undefined && table.missing(`tau ${name}`, forceRemedy(ofInputs)));
  table.finish();
  return { time, q, qd, qdd, tau: forces, inputs: isDriven ? inputs : undefined };
}

function forceRemedy(actuators: readonly string[]): string {
  const inputs = actuators.length > 0 ? `, or the inputs of all actuators: ${actuators.slice(0, 10).join(', ')}` : '';
  return `give the generalized forces on all coordinates, zeros where nothing acts${inputs}`;
}
