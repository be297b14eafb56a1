/** Tables of measurements as CSV: a line of names, which may carry units (`tip x [mm]`), then lines of numbers; every mistake with its place. */
import { KanegenError } from '../common/error.ts';
import { collected } from '../description/source/diagnostics.ts';
import {
  columnName,
  COMMAS,
  inSI,
  isWithoutCommas,
  missingColumnRemedy,
  wrongUnit,
  type ColumnName,
} from '../description/values/column-name.ts';
import { parseUnit } from '../description/values/units.ts';

/** Without them splines have too little to go by. */
const FEWEST_INSTANTS = 20;
/** Steps of time beyond this multiple of the usual one are gaps, where derivatives are made of them. */
const LONGEST_STEP = 3.5;

interface Cell {
  readonly text: string;
  /** 1-based. */
  readonly column: number;
}

/** A table with the place of every cell. */
export class CsvTable {
  private readonly file: string;
  private readonly header: readonly (Cell & { readonly own: ColumnName })[];
  private readonly lines: readonly {
    readonly cells: readonly Cell[];
    readonly line: number;
    readonly length: number;
  }[];
  private readonly problems: KanegenError[] = [];
  /** Names of columns that were found. */
  private readonly taken: string[] = [];
  /** Columns that were not, with what to write; told once all others are known. */
  private readonly absent: { readonly name: string; readonly remedy: string | undefined }[] = [];

  constructor(text: string, file: string) {
    this.file = file;
    const [first = '', ...rest] = text.replace(/^\uFEFF/, '').split(/\r?\n/);
    this.header = cellsOf(first).map((cell) => ({ ...cell, own: columnName(cell.text) }));
    this.lines = rest.flatMap((line, i) =>
      line.trim() === '' || line.startsWith('#') ? [] : [{ cells: cellsOf(line), line: i + 2, length: line.length }],
    );
    if (isWithoutCommas(this.header.map((cell) => cell.text)))
      this.problem(1, 1, 'no-commas', 'the first line has no commas', COMMAS);
    this.header.forEach(({ own: { name }, column }, i) => {
      if (name !== '' && this.header.findIndex((cell) => cell.own.name === name) < i)
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
    const header = this.header.map(({ text }) => text);
    for (const { name, remedy } of this.absent.splice(0))
      this.problem(
        1,
        1,
        'missing-column',
        `the column \`${name}\` is missing`,
        remedy ?? missingColumnRemedy(name, header, this.taken),
      );
    if (this.problems.length > 0) throw collected(this.problems);
  }

  /** Index of the first of some names. */
  find(names: readonly string[]): number | undefined {
    const index = this.header.findIndex(({ own }) => names.includes(own.name));
    if (index < 0) return undefined;
    this.taken.push(this.header[index]!.own.name);
    return index;
  }

  /** Names of columns that were not found, so far. */
  get others(): string[] {
    return this.header.map(({ own }) => own.name).filter((name) => !this.taken.includes(name));
  }

  /** How many lines of numbers there are. */
  get count(): number {
    return this.lines.length;
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
    this.absent.push({ name, remedy });
  }

  /**
   * In SI units.
   * @param unit of what the column holds.
   * @param empty what stands where nothing is written; missing: a mistake.
   */
  numbers(index: number, unit: string, empty?: number): number[] {
    const { own, column: at } = this.header[index]!;
    const wrong = wrongUnit(own, parseUnit(unit).dimension);
    if (wrong) this.problem(1, at, wrong.code, wrong.message, wrong.remedy!);
    return this.lines.map(({ cells, line }) => {
      const { text, column } = cells[index]!;
      if (text === '' && empty !== undefined) return empty;
      const value = text === '' ? NaN : inSI(own, Number(text));
      if (Number.isFinite(value)) return value;
      const { name } = own;
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
