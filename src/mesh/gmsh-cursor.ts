/**
 * Reading the numbers of a Gmsh file one after the other. The text and the binary form have the same numbers in the same
 * order, so that the reader of the format is written once over this.
 */
import { badMesh } from './check.ts';

export interface GmshCursor {
  /** 32-bit signed. */
  integer(what: string): number;
  /** Count or tag, at least zero. */
  size(what: string): number;
  real(what: string): number;
  /** A count of things that take at least so many numbers each: refused when the file is too short for it. */
  count(what: string, numbersEach: number): number;
  skipSizes(count: number, what: string): void;
  /** The rest of the current line, or the next one with something on it. */
  line(what: string): string;
  /** Moves behind `$EndNAME`, over anything in between when `anything` is set. */
  end(section: string, anything?: boolean): void;
  /** Name of the section that begins here; undefined at the end of the file. */
  section(): string | undefined;
  /** For messages: `body.msh, line 12`. */
  where(): string;
}

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/** Shared by both forms: everything between the numbers is text. */
abstract class Cursor {
  protected position = 0;
  protected readonly text: string;
  protected readonly file: string;

  constructor(text: string, position: number, file: string) {
    this.text = text;
    this.position = position;
    this.file = file;
  }

  abstract where(): string;

  line(what: string): string {
    const match = this.matchHere(/\s*([^\n]*)/y);
    const found = match?.[1]!.trim();
    if (!found) throw badMesh(`${this.where()}: the file ends where ${what} should be`);
    return found;
  }

  section(): string | undefined {
    if (this.matchHere(/\s*$/y)) return undefined;
    const match = this.matchHere(/\s*\$(\w+)[^\S\n]*\r?\n/y);
    if (!match) throw badMesh(`${this.where()}: expected a section such as $Nodes, found ${this.glimpse()}`);
    return match[1];
  }

  end(section: string, anything = false): void {
    const mark = `$End${section}`;
    const found = anything ? this.text.indexOf(mark, this.position) : this.matchHere(/\s*/y)!.index;
    const at = anything ? found : this.position;
    if (at < 0 || !this.text.startsWith(mark, at))
      throw badMesh(
        `${this.where()}: expected ${mark}, found ${this.glimpse()}`,
        'the numbers of the section do not match its counts, or the file is cut off: export it again',
      );
    this.position = at + mark.length;
  }

  protected matchHere(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.position;
    const match = pattern.exec(this.text);
    if (match) this.position = pattern.lastIndex;
    return match;
  }

  /** What stands here, shortened and fit to print. */
  protected glimpse(): string {
    const here = this.text
      .slice(this.position, this.position + 24)
      .trim()
      .split(/\s/)[0]!;
    return here === '' ? 'the end of the file' : `'${here.replace(/[^\x20-\x7e]/g, '·')}'`;
  }
}

export class TextCursor extends Cursor implements GmshCursor {
  where(): string {
    let line = 1;
    for (let i = this.text.indexOf('\n'); i >= 0 && i < this.position; i = this.text.indexOf('\n', i + 1)) line++;
    return `${this.file}, line ${line}`;
  }

  private token(what: string, form: RegExp): number {
    const before = this.position;
    const found = this.matchHere(/\s*(\S+)/y)?.[1];
    if (found !== undefined && form.test(found)) {
      const value = Number(found);
      if (Number.isFinite(value)) return value;
    }
    this.position = before + (/^\s*/.exec(this.text.slice(before, before + 64))?.[0].length ?? 0);
    throw badMesh(
      `${this.where()}: expected ${what}, found ${found === undefined ? 'the end of the file' : `'${found.slice(0, 24)}'`}`,
    );
  }

  integer(what: string): number {
    return this.token(what, /^[+-]?\d{1,10}$/);
  }

  size(what: string): number {
    return this.token(what, /^\d{1,15}$/);
  }

  real(what: string): number {
    return this.token(what, DECIMAL);
  }

  count(what: string, numbersEach: number): number {
    const where = this.where();
    const count = this.size(what);
    if (count * numbersEach * 2 > this.text.length - this.position + 1)
      throw badMesh(`${where}: ${what} is ${count}, and the file is too short for that`);
    return count;
  }

  skipSizes(count: number, what: string): void {
    for (let i = 0; i < count; i++) this.size(what);
  }
}

export class BinaryCursor extends Cursor implements GmshCursor {
  private readonly view: DataView;
  private readonly littleEndian: boolean;

  /** @param text the same bytes, one character each. */
  constructor(bytes: Uint8Array, text: string, position: number, file: string, littleEndian: boolean) {
    super(text, position, file);
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.littleEndian = littleEndian;
  }

  where(): string {
    return `${this.file}, byte ${this.position}`;
  }

  private advance(bytes: number, what: string): number {
    const at = this.position;
    if (at + bytes > this.view.byteLength)
      throw badMesh(`${this.where()}: the file ends where ${what} should be`, 'the file is cut off: export it again');
    this.position += bytes;
    return at;
  }

  integer(what: string): number {
    return this.view.getInt32(this.advance(4, what), this.littleEndian);
  }

  size(what: string): number {
    const at = this.advance(8, what);
    const value = Number(this.view.getBigUint64(at, this.littleEndian));
    if (value <= Number.MAX_SAFE_INTEGER) return value;
    this.position = at;
    throw badMesh(`${this.where()}: ${value} cannot be ${what}`, 'the counts before do not match the data');
  }

  real(what: string): number {
    return this.view.getFloat64(this.advance(8, what), this.littleEndian);
  }

  count(what: string, numbersEach: number): number {
    const where = this.where();
    const count = this.size(what);
    if (count * numbersEach * 4 > this.view.byteLength - this.position)
      throw badMesh(`${where}: ${what} is ${count}, and the file is too short for that`);
    return count;
  }

  skipSizes(count: number, what: string): void {
    this.advance(8 * count, what);
  }
}
