/**
 * Measured motion and forces from CSV: a line of names, then numbers. Columns: `t`, per coordinate NAME, its rate NAME_d (or
 * `rate of NAME`, as `simulate` writes), its acceleration NAME_dd, the generalized force `tau NAME`, and inputs of actuators by name.
 */
import type { Robot } from '../description/model/robot.ts';
import { collected } from '../description/source/diagnostics.ts';
import { KanegenError } from '../common/error.ts';
import { nearest } from '../common/nearest.ts';

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

/** Without them splines have too little to go by. */
const FEWEST_INSTANTS = 20;
/** Steps of time beyond this multiple of the usual one are gaps, where derivatives are made of them. */
const LONGEST_STEP = 3.5;

/**
 * @param fileName shown in messages.
 * @throws KanegenError with all problems of the text, at file:line:column.
 */
export function readMeasurements(robot: Robot, text: string, fileName: string): Measurements {
  const table = new CsvTable(text, fileName);
  const columns = chooseColumns(robot, table);
  const times = table.numbers(columns.time);
  const group = (indices: readonly number[]): number[][] => {
    const all = indices.map((index) => table.numbers(index));
    return times.map((_, sample) => all.map((column) => column[sample]!));
  };
  const q = group(columns.q);
  const qd = columns.qd && group(columns.qd);
  const qdd = columns.qdd && group(columns.qdd);
  const forces = columns.tau.map((index) => (index === undefined ? undefined : table.numbers(index)));
  const tau = times.map((_, sample) => forces.map((column) => column?.[sample] ?? 0));
  const inputs = columns.inputs && group(columns.inputs);
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

interface Cell {
  readonly text: string;
  /** 1-based. */
  readonly column: number;
}

/** A table with the place of every cell. */
class CsvTable {
  private readonly file: string;
  private readonly header: readonly Cell[];
  private readonly lines: readonly {
    readonly cells: readonly Cell[];
    readonly line: number;
    readonly length: number;
  }[];
  private readonly problems: KanegenError[] = [];

  constructor(text: string, file: string) {
    this.file = file;
    const [first = '', ...rest] = text.replace(/^\uFEFF/, '').split(/\r?\n/);
    this.header = cellsOf(first);
    this.lines = rest.flatMap((line, i) =>
      line.trim() === '' || line.startsWith('#') ? [] : [{ cells: cellsOf(line), line: i + 2, length: line.length }],
    );
    this.header.forEach(({ text: name, column }, i) => {
      if (name !== '' && this.header.findIndex((cell) => cell.text === name) < i)
        this.problem(1, column, 'duplicate-column', `two columns have the name \`${name}\``, 'remove one of them');
    });
    if (this.lines.length === 0)
      this.problem(
        1,
        1,
        'no-data',
        'the file has no lines of numbers',
        'write a line of names, then a line per instant',
      );
    for (const { cells, line, length } of this.lines)
      if (cells.length !== this.header.length)
        this.problem(
          line,
          cells[this.header.length]?.column ?? length + 1,
          'wrong-length',
          `${cells.length} values, but ${this.header.length} names in the first line`,
          'give every line a value for every name',
        );
    this.finish();
  }

  private problem(line: number, column: number, code: string, message: string, remedy: string): void {
    const location = { file: this.file, line, column, path: '' };
    this.problems.push(new KanegenError(code, message, { remedy, location }));
  }

  /** @throws KanegenError with what was found wrong so far. */
  finish(): void {
    if (this.problems.length > 0) throw collected(this.problems);
  }

  /** Index of the first of some names. */
  find(names: readonly string[]): number | undefined {
    const index = this.header.findIndex(({ text }) => names.includes(text));
    return index < 0 ? undefined : index;
  }

  /** Index of a column that must be there; −1 after noting that it is not. */
  column(name: string): number {
    const index = this.find([name]);
    if (index === undefined) this.missing(name);
    return index ?? -1;
  }

  /** Columns by any of their names, undefined where the file has none of them; some only are a mistake. */
  allOrNone(names: readonly (readonly string[])[]): number[] | undefined {
    const found = names.map((own) => this.find(own));
    if (found.every((index) => index === undefined)) return undefined;
    names.forEach((own, i) => found[i] === undefined && this.missing(own[0]!));
    return found.map((index) => index ?? -1);
  }

  missing(name: string, remedy?: string): void {
    const known = this.header.map(({ text }) => text);
    const close = nearest(name, known);
    const listed = `columns of the file: ${known.slice(0, 20).join(', ')}`;
    const said = close !== undefined && remedy === undefined ? `did you mean \`${close}\`?` : (remedy ?? listed);
    this.problem(1, 1, 'missing-column', `the column \`${name}\` is missing`, said);
  }

  numbers(index: number): number[] {
    return this.lines.map(({ cells, line }) => {
      const { text, column } = cells[index]!;
      const value = text === '' ? NaN : Number(text);
      if (Number.isFinite(value)) return value;
      const name = this.header[index]!.text;
      const message = text === '' ? `\`${name}\` has no value here` : `\`${text}\` is not a finite number`;
      this.problem(line, column, 'wrong-value', message, `write a number for \`${name}\`, or leave out the line`);
      return NaN;
    });
  }

  demandIncreasing(index: number, times: readonly number[]): void {
    times.forEach((t, i) => {
      if (i === 0 || t > times[i - 1]!) return;
      const { cells, line } = this.lines[i]!;
      const message = `${t} s does not come after ${times[i - 1]!} s`;
      this.problem(
        line,
        cells[index]!.column,
        'wrong-time',
        message,
        'sort the lines by time, and keep one of each instant',
      );
    });
    this.finish();
  }

  /** Derivatives need instants without gaps. */
  demandEvenSteps(index: number, times: readonly number[]): void {
    if (times.length < FEWEST_INSTANTS)
      this.problem(
        1,
        1,
        'no-data',
        `${times.length} instants are too few to make derivatives of: ${FEWEST_INSTANTS} are the least`,
        'give rates and accelerations, or more instants',
      );
    const steps = times.slice(1).map((t, i) => t - times[i]!);
    const usual = [...steps].sort((a, b) => a - b)[Math.floor(steps.length / 2)]!;
    steps.forEach((step, i) => {
      if (step <= LONGEST_STEP * usual) return;
      const { cells, line } = this.lines[i + 1]!;
      const message = `a gap of ${Number(step.toPrecision(4))} s, where steps are ${Number(usual.toPrecision(4))} s`;
      this.problem(
        line,
        cells[index]!.column,
        'gap',
        message,
        'give rates and accelerations, or only one side of the gap',
      );
    });
    this.finish();
  }
}

/** Cells may stand in double quotes. */
function cellsOf(line: string): Cell[] {
  let column = 1;
  return line.split(',').map((part) => {
    const cell = {
      text: part.trim().replace(/^"(.*)"$/, '$1'),
      column: column + (part.length - part.trimStart().length),
    };
    column += part.length + 1;
    return cell;
  });
}
