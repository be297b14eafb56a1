/**
 * What the compiler needs of the machine that it runs on, and nothing else of it: files, time, other programs. `#host` is the one of Node, or that of
 * a page where a bundler builds for browsers (`imports` in package.json).
 */
import type { ts } from 'ts-morph';

/** Why a file was not read, in words that follow its name: `there is no such file`. */
export class UnreadableFile extends Error {
  /** `file-too-large` or `missing-file`. */
  readonly code: string;

  constructor(code: string, reason: string) {
    super(reason);
    this.code = code;
  }

  static tooLarge(most: number): UnreadableFile {
    return new UnreadableFile('file-too-large', `it has more than ${(most / 1e6).toLocaleString('en')} million bytes`);
  }
}

/** Names of files, of the kind that the machine has. */
export interface Paths {
  readonly sep: string;
  basename(path: string): string;
  dirname(path: string): string;
  isAbsolute(path: string): boolean;
  join(...parts: readonly string[]): string;
  relative(from: string, to: string): string;
  /** Absolute. */
  resolve(...parts: readonly string[]): string;
}

/** SHA-256. */
export interface Hash {
  update(part: string | Uint8Array): Hash;
  /** In hexadecimal. */
  digest(encoding: 'hex'): string;
}

/**
 * What nerdamer answers: the text of an antiderivative, or why there is none; with the time that it took, of the
 * processor where it says so, of the clock where it was killed.
 */
export type NerdamerAnswer =
  | { readonly kind: 'answered'; readonly text: string; readonly milliseconds: number }
  | { readonly kind: 'killed'; readonly milliseconds: number }
  | { readonly kind: 'failed'; readonly reason: string; readonly milliseconds: number };

export type Shelf = 'bodies' | 'joints' | 'materials';

export interface Host {
  readonly paths: Paths;
  /** Of a file by its address. */
  pathOf(url: URL): string;
  /**
   * The bytes of a regular file, behind symbolic links or not.
   * @param most bytes that it may have.
   * @throws UnreadableFile
   */
  readFile(path: string, most: number): Uint8Array;
  exists(path: string): boolean;
  /** Where symbolic links lead to: one file has one path, and folders that hold themselves no end of them. */
  realPath(path: string): string;
  sha256(): Hash;
  /** Texts of the library by their names. */
  library(shelf: Shelf): ReadonlyMap<string, string>;
  /** Text of a file of the package, by its path from the package's root. */
  packageFile(path: string): string;
  /** A C header that is translated from the run time, where it was when kanegen was built. */
  translated(name: string): string | undefined;
  /** Processor time so far, µs; of the clock where nobody tells. */
  processorTime(): number;
  /** Of the heap, MB. */
  memory(): { readonly used: number; readonly limit: number };
  /** An antiderivative in nerdamer's words; it ends after so many milliseconds. */
  askNerdamer(integrand: string, variable: string, milliseconds: number): NerdamerAnswer;
  /** A function with these parameters and this body, which kanegen generated; stack traces name the file, whose first line is the second one of the body. */
  functionOf(body: string, parameters: readonly string[], file: string): (...given: readonly unknown[]) => unknown;
  /** Lays TypeScript out for readers, where a formatter is at hand. */
  format(text: string): Promise<string>;
  /** Loads the TypeScript compiler, where it is not at hand. @throws KanegenError `no-typescript` where there is none. */
  loadTypescript(): Promise<void>;
  /** The TypeScript compiler, once it is loaded: it translates controllers and parts of the run time. */
  typescript(): typeof ts;
}
