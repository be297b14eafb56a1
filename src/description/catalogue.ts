/**
 * Where body types come from: the file itself, its imports, the library; and what they inherit from each other.
 */
import { KanegenError } from '../common/error.ts';
import type { Warning } from './model/warnings.ts';
import { checkMacro, type Macro } from '../symbolic/formulas/formula.ts';
import { nearest } from '../common/nearest.ts';
import { KNOWN_FUNCTIONS, parseFormula } from '../symbolic/formulas/parse.ts';
import { library } from '../library/index.ts';
import { mergeBody, readBodyType, type BodySource, type ResolvedBodyType } from './bodies/body-type.ts';
import type { Problems } from './source/diagnostics.ts';
import { SourceFiles } from './source/files.ts';
import { nameProblem } from './values/reserved-names.ts';
import type { RobotFile } from './language/schema.ts';
import { Place, yamlDocument, type SourceDocument } from './source/source.ts';
import { checkStructure } from './language/structure.ts';
import { readUrdf } from './urdf/urdf-model.ts';
import type { UrdfRobot } from './urdf/urdf-contents.ts';

/** What all files of one robot share. */
interface Shelf {
  readonly problems: Problems;
  readonly files: SourceFiles;
  readonly imported: Map<string, Catalogue>;
  readonly fromLibrary: Map<string, Catalogue>;
  readonly urdf: Map<string, UrdfRobot>;
}

const MACRO = /^\s*([A-Za-z][A-Za-z0-9_]*)\s*\(\s*([A-Za-z][A-Za-z0-9_]*(?:\s*,\s*[A-Za-z][A-Za-z0-9_]*)*)\s*\)\s*$/;

/** The body types that one file can name. */
export class Catalogue {
  readonly file: RobotFile;
  private readonly place: Place;
  private readonly shelf: Shelf;
  private readonly spaces = new Map<string, Catalogue | undefined>();
  private readonly resolved = new Map<string, ResolvedBodyType | undefined>();
  /** Types of this file with what they inherit. */
  private readonly sources = new Map<string, BodySource>();
  /** Prefix of the types of this file in generated code. */
  private readonly prefix: string;

  /**
   * @param within - folder that the files that it names must lie in.
   * @throws KanegenError when the structure of the file is wrong.
   */
  static forRobot(
    document: SourceDocument,
    problems: Problems,
    within?: string,
  ): { catalogue: Catalogue; files: SourceFiles } {
    const files = new SourceFiles(within);
    const shelf: Shelf = { problems, files, imported: new Map(), fromLibrary: new Map(), urdf: new Map() };
    return { catalogue: new Catalogue(document, shelf, '', []), files };
  }

  private constructor(document: SourceDocument, shelf: Shelf, prefix: string, chain: readonly string[]) {
    shelf.files.add(document.text);
    this.file = checkStructure(document);
    this.place = new Place(document);
    this.shelf = shelf;
    this.prefix = prefix;
    this.readFunctions();
    for (const name of Object.keys(this.file['body-types'] ?? {})) {
      const problem = nameProblem(this.place.at('body-types', name), name, 'a body type', 'dashed', 'key');
      if (problem) shelf.problems.add(problem);
    }
    for (const [name, file] of Object.entries(this.file.import ?? {})) {
      const at = this.place.at('import', name);
      const problem = nameProblem(at, name, 'an import', 'dashed', 'key');
      if (problem) shelf.problems.add(problem);
      this.spaces.set(
        name,
        shelf.problems.attempt(() => this.open(at, name, file, chain)),
      );
    }
  }

  private readFunctions(): void {
    const { macros } = this.place.document;
    for (const [signature, raw] of Object.entries(this.file.functions ?? {})) {
      const at = this.place.at('functions', signature);
      this.shelf.problems.attempt(() => {
        const { name, macro } = readFunction(at, signature, raw, (other) => macros.get(other));
        macros.set(name, macro);
      });
    }
  }

  private open(at: Place, name: string, file: string, chain: readonly string[]): Catalogue {
    const { shown, path } = this.shelf.files.find(at, file);
    if (chain.includes(path))
      throw at.error('import-cycle', `${file} imports itself`, 'move the shared body types to a third file');
    const known = this.shelf.imported.get(path);
    if (known) return known;
    const text = this.shelf.files.text(at, file);
    const prefix = this.prefix === '' ? `${name}-` : `${this.prefix}${name}-`;
    const catalogue = new Catalogue(yamlDocument(text, shown), this.shelf, prefix, [...chain, path]);
    this.shelf.imported.set(path, catalogue);
    return catalogue;
  }

  /**
   * The URDF file that `at` names, read once; its text is part of the sources of the robot.
   * @throws KanegenError `missing-file`, `not-supported` for addresses, or what reading URDF throws.
   */
  urdf(at: Place, file: string): UrdfRobot {
    const { files } = this.shelf;
    const { shown, path } = files.find(at, file);
    const known = this.shelf.urdf.get(path);
    if (known) return known;
    const urdf = readUrdf(files.text(at, file, 'urdf'), shown);
    files.add(urdf.document.text);
    this.shelf.urdf.set(path, urdf);
    return urdf;
  }

  /** Names that `body:` and `extends:` may use here. */
  private get names(): string[] {
    const own = Object.keys(this.file['body-types'] ?? {});
    const imported = [...this.spaces].flatMap(([space, catalogue]) =>
      Object.keys(catalogue?.file['body-types'] ?? {}).map((name) => `${space}.${name}`),
    );
    return [...own, ...imported, ...library.bodyNames()];
  }

  /** The catalogue and the bare name behind `TYPE`, `lab.TYPE` or the name of a library type. */
  private holder(at: Place, name: string): { catalogue: Catalogue; type: string } | undefined {
    if (Object.hasOwn(this.file['body-types'] ?? {}, name)) return { catalogue: this, type: name };
    const dot = name.indexOf('.');
    if (dot > 0) {
      const space = name.slice(0, dot);
      if (!this.spaces.has(space)) throw this.unknownType(at, name);
      const catalogue = this.spaces.get(space);
      if (!catalogue) return undefined; // the import failed and was reported
      const type = name.slice(dot + 1);
      if (!Object.hasOwn(catalogue.file['body-types'] ?? {}, type)) throw this.unknownType(at, name);
      return { catalogue, type };
    }
    const catalogue = this.fromLibrary(name);
    if (!catalogue) throw this.unknownType(at, name);
    return { catalogue, type: name };
  }

  private fromLibrary(name: string): Catalogue | undefined {
    const known = this.shelf.fromLibrary.get(name);
    if (known) return known;
    const file = library.body(name);
    if (!file) return undefined;
    const catalogue = new Catalogue(yamlDocument(file.text, file.file), this.shelf, '', []);
    this.shelf.fromLibrary.set(name, catalogue);
    return catalogue;
  }

  private unknownType(at: Place, name: string): KanegenError {
    const close = nearest(name, this.names);
    return at.error(
      'unknown-body-type',
      `unknown body type \`${name}\``,
      close ? `did you mean \`${close}\`?` : `body types: ${this.names.join(', ')}`,
    );
  }

  /**
   * The body type that `at` names; the same object for the same type.
   * @returns undefined when the type is known but has mistakes, which are reported where they are.
   * @throws KanegenError `unknown-body-type`.
   */
  bodyType(at: Place, name: string): ResolvedBodyType | undefined {
    const found = this.holder(at, name);
    return found?.catalogue.resolve(found.type);
  }

  /** Reads every type of this file, so that mistakes in unused ones are reported too. */
  readAll(): void {
    for (const name of Object.keys(this.file['body-types'] ?? {})) this.resolve(name);
  }

  /** Of all types of this file. @param read what formulas outside of body types read. */
  warnings(read: ReadonlySet<unknown>): Warning[] {
    return [...this.resolved.values()].flatMap((type) => [
      ...(type?.warnings ?? []),
      ...(type?.unread ?? []).flatMap(({ symbol, warning }) => (read.has(symbol) ? [] : [warning])),
    ]);
  }

  private resolve(name: string): ResolvedBodyType | undefined {
    if (this.resolved.has(name)) return this.resolved.get(name);
    this.resolved.set(name, undefined);
    const source = this.shelf.problems.attempt(() => this.source(name));
    const type = source && readBodyType(source, this.shelf.files, this.shelf.problems);
    this.resolved.set(name, type);
    return type;
  }

  /** The type with all that it inherits, each type of a chain of any length merged once. */
  private source(name: string): BodySource {
    const chain: { catalogue: Catalogue; type: string; place: Place }[] = [];
    let next: { catalogue: Catalogue; type: string } | undefined = { catalogue: this, type: name };
    while (next && !next.catalogue.sources.has(next.type)) {
      const { catalogue, type }: { catalogue: Catalogue; type: string } = next;
      const place = catalogue.place.at('body-types', type);
      if (chain.some((seen) => seen.catalogue === catalogue && seen.type === type))
        throw place
          .at('extends')
          .error('extends-cycle', `\`${type}\` extends itself`, 'remove one `extends` from the circle');
      chain.push({ catalogue, type, place });
      next = catalogue.parentOf(type, place.at('extends'));
    }
    let inherited = next && next.catalogue.sources.get(next.type)!;
    for (const { catalogue, type, place } of chain.reverse()) {
      const raw = catalogue.file['body-types']![type]!;
      inherited = mergeBody(`${catalogue.prefix}${type}`, place, raw, inherited);
      catalogue.sources.set(type, inherited);
    }
    return inherited!;
  }

  /** What the type extends, if anything. */
  private parentOf(type: string, at: Place): { catalogue: Catalogue; type: string } | undefined {
    const name = this.file['body-types']![type]!.extends;
    if (name === undefined) return undefined;
    const found = name === type ? this.outer(at, type) : this.holder(at, name);
    if (!found) throw at.error('unknown-body-type', `\`${name}\` could not be read`);
    return found;
  }

  /** `pcs: { extends: pcs }` means the library's type of that name. */
  private outer(at: Place, name: string): { catalogue: Catalogue; type: string } {
    const catalogue = this.fromLibrary(name);
    if (!catalogue || catalogue === this)
      throw at.error('extends-cycle', `\`${name}\` extends itself`, 'name another body type');
    return { catalogue, type: name };
  }
}

function readFunction(
  at: Place,
  signature: string,
  raw: string | number,
  earlier: (name: string) => Macro | undefined,
): { name: string; macro: Macro } {
  const match = MACRO.exec(signature);
  if (!match)
    throw at.keyError(
      'malformed-function',
      `\`${signature}\` is not a function with arguments`,
      'write for example `smooth(t): 3*t^2 - 2*t^3`',
    );
  const name = match[1]!;
  const parameters = match[2]!.split(',').map((parameter) => parameter.trim());
  if (KNOWN_FUNCTIONS.has(name) || earlier(name))
    throw at.keyError('duplicate-name', `the function \`${name}\` already exists`, 'choose another name');
  for (const [what, own] of [['a function', name], ...parameters.map((p) => ['an argument', p])] as [
    string,
    string,
  ][]) {
    const problem = nameProblem(at, own, what, 'identifier', 'key');
    if (problem) throw problem;
  }
  if (new Set(parameters).size !== parameters.length)
    throw at.keyError('duplicate-name', 'two arguments of this function have the same name', 'rename one of them');
  try {
    const macro: Macro = { parameters, body: parseFormula(String(raw)) };
    checkMacro(macro, earlier);
    return { name, macro };
  } catch (error) {
    throw error instanceof KanegenError ? at.located(error) : error;
  }
}
