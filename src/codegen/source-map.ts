/**
 * `source-map.json`: from statements of generated code to the quantities that they are for and the places of the robot
 * file that they come from, and back. Statements are told by the value that they name or the number that they store, and
 * by their lines in every language; what a value is for follows from the programs, not from their text.
 */
import { placeName } from './c/place-names.ts';
import { sum } from './sweeps/indices.ts';
import type { SourceLocation } from '../common/error.ts';
import type { BodyType, Link, Robot } from '../description/model/robot.ts';
import { LINK_FUNCTIONS, type LinkFunctionName } from '../kane/kernels/link-functions.ts';
import { bufferStarts } from './modules/workspace.ts';
import { linksOf, type GeneratedFile, type LinkModel, type RobotModel } from './modules/robot-model.ts';
import { operandsOf, type Operation, type Place } from './operations/operation.ts';
import { snakeCaseOf } from './naming/identifiers.ts';
import type { Program } from './programs/program.ts';
import { namesDefined, namesIn } from './programs/slots.ts';
import { blocksOf, type Statement } from './programs/statement.ts';
import { programsOf, type StraightModel } from './whole-robot/straight-model.ts';

/** Where something stands in a robot file: `file:line:column`. */
type At = string;

export interface MappedStatement {
  /** `omega_z`, `slot[3]`. */
  readonly value: string;
  /** The nearest quantities that it is a part of; of entries of tables, the functions that read them. */
  readonly for?: readonly string[];
  /** What it comes from, where one key of the robot file says it. */
  readonly from?: string;
  readonly at?: At;
  /** In the order of the files of its function; null where a language has no such statement. */
  readonly lines: readonly (number | null)[];
}

export interface MappedFunction {
  readonly type?: string;
  readonly name: string;
  readonly purpose: string;
  readonly files: readonly string[];
  readonly statements: readonly MappedStatement[];
}

/** A function whose program is known, with what its values come from. */
interface Source {
  readonly type?: string;
  /** Its files in both languages, without folder and ending, and what precedes its name in C. */
  readonly stem: { readonly c: string; readonly ts: string };
  readonly prefix: string;
  readonly purpose: string;
  readonly program: Program;
  readonly originOf: (name: string, operation: Operation | undefined) => Pick<MappedStatement, 'from' | 'at'>;
  /** What the number in a place is for. */
  readonly labelOf: (place: Place) => readonly string[];
  /** How languages spell the place, C first. */
  readonly spellings: (place: Place) => readonly string[];
}

/** @param files all that were generated. */
export function sourceMap(
  model: RobotModel,
  straight: StraightModel | undefined,
  files: readonly GeneratedFile[],
): GeneratedFile {
  const { robot } = model;
  const links = linksOf(model).map(({ name, link }, i) => {
    const { body, location } = robot.links[i]!;
    const places = body.kind === 'deformable' ? { body: placesOf(body.type) } : {};
    return { name, type: link.name, at: at(location), ...places };
  });
  const functions = mappedFunctions(model, straight, files);
  const lines = (list: readonly object[], indent: string): string =>
    list.map((entry) => `${indent}${JSON.stringify(entry)}`).join(',\n');
  const functionText = ({ statements, ...head }: MappedFunction): string =>
    `    ${JSON.stringify(head).slice(0, -1)},"statements":[\n${lines(statements, '      ')}\n    ]}`;
  const text = `{\n  "robot": ${JSON.stringify(robot.name)},\n  "links": [\n${lines(links, '    ')}\n  ],\n  "functions": [\n${functions.map(functionText).join(',\n')}\n  ]\n}\n`;
  return { path: 'source-map.json', text };
}

/** Functions of link types and straight-line functions, statement by statement. */
export function mappedFunctions(
  model: RobotModel,
  straight: StraightModel | undefined,
  files: readonly GeneratedFile[],
): readonly MappedFunction[] {
  const sources = [...model.links.flatMap((link) => linkSources(model, link)), ...straightSources(straight)];
  return sources.map((source) => mapped(source, files));
}

function at({ file, line, column, path }: SourceLocation): At {
  return file === '' ? path : `${file}:${line}:${column}`;
}

function placesOf({ name, locations }: BodyType): object {
  const { whole, kinematics, distal, volume } = locations;
  return { name, at: at(whole), kinematics: at(kinematics), distal: at(distal), volume: at(volume) };
}

// ---------------------------------------------------------------------------------------------- functions

/** By what body types say them: names of quantities as bodies propose them begin like this. */
const OF_BODY: readonly (readonly [RegExp, 'distal' | 'volume' | 'kinematics'])[] = [
  [/^(minus_)?(distal_[Rt]|linear|angular)_/, 'distal'],
  [/^(minus_)?(mass|first_moment_[xyz]|inertia_[xyz]{2})$/, 'volume'],
  [/^(minus_)?(force|moment)_[xyz]$/, 'kinematics'],
];

function linkSources(model: RobotModel, link: LinkModel): Source[] {
  const { robot } = model;
  const instance = model.instances.findIndex((own) => own.link === link);
  const owner = robot.links[model.instances[instance]!.pointOf ?? instance]!;
  const written = writtenIn(robot, owner, link);
  const readers = readersOf(link);
  return link.programs.map((program) => {
    const starts = bufferStarts(link.staged, program.name as LinkFunctionName);
    return {
      type: link.name,
      stem: { c: `${model.name}_link_${link.name}`, ts: `link_${link.name}` },
      prefix: `${model.name}_link_${link.name}_`,
      purpose: LINK_FUNCTIONS[program.name as LinkFunctionName].purpose,
      program,
      originOf: written,
      labelOf: (place) => readers.get(`${place.buffer}[${place.index}]`) ?? [snakeCaseOf(place.buffer)],
      spellings: ({ buffer, index }) => {
        const start = starts.get(buffer as Parameters<typeof starts.get>[0]);
        if (!start?.place) return [`${snakeCaseOf(buffer)}[${index}]`, `${buffer}[${index}]`];
        const inC = `${snakeCaseOf(start.region)}[${sum(placeName(start.place), index)}]`;
        return [inC, `${start.region}[${start.index + index}]`];
      },
    };
  });
}

/** The functions that find an entry of a table ready, by the entry. */
function readersOf({ programs }: LinkModel): Map<string, string[]> {
  const readers = new Map<string, string[]>();
  for (const program of programs)
    for (const { place } of program.loads) {
      const key = `${place.buffer}[${place.index}]`;
      if (place.buffer === 'constants' || place.buffer === 'slot')
        readers.set(key, [...(readers.get(key) ?? []), snakeCaseOf(program.name)]);
    }
  return readers;
}

function writtenIn(robot: Robot, { body, location }: Link, { staged }: LinkModel): Source['originOf'] {
  const type = body.kind === 'deformable' ? body.type : undefined;
  const formulas = new Map<Operation, { readonly from: string; readonly at: At }>();
  for (const provenance of [...(type ? [type.provenance] : []), robot.provenance])
    for (const [e, operation] of staged.graph.operations) {
      const found = operation.kind === 'input' ? undefined : provenance.locationOf(e);
      if (found && !formulas.has(operation)) formulas.set(operation, { from: provenance.nameOf(e)!, at: at(found) });
    }
  const parameters = new Map<string, At>();
  for (const { name } of type?.parameters ?? []) {
    const found = type!.provenance.locationOfParameter(name);
    if (found) parameters.set(name, at(found));
  }
  return (name, operation) => {
    const formula = operation && formulaOf(operation, formulas);
    if (formula) return formula;
    const parameter = operation === undefined ? parameters.get(name) : undefined;
    if (parameter !== undefined) return { from: `parameters.${name}`, at: parameter };
    const [, key] = OF_BODY.find(([pattern]) => pattern.test(name)) ?? [];
    if (key && type) return { from: key, at: at(type.locations[key]) };
    return key || /^(minus_)?(sin|cos|omega|alpha|a)_(proximal|angle)/.test(name)
      ? { from: 'link', at: at(location) }
      : {};
  };
}

/** The formula that an operation is, or that an operand of it is. */
function formulaOf<T>(operation: Operation, formulas: ReadonlyMap<Operation, T>): T | undefined {
  const own = formulas.get(operation);
  if (own) return own;
  return operandsOf(operation)
    .map((operand) => formulas.get(operand))
    .find((found) => found !== undefined);
}

function straightSources(straight: StraightModel | undefined): Source[] {
  if (!straight) return [];
  const { name, robot } = straight.robot;
  const halves = straight.functions.flatMap((f) => programsOf(f).map((program) => ({ ...f, program })));
  return halves.map(({ name: own, summary, program, outputs }) => ({
    stem: { c: `${name}_straight`, ts: `${name}_straight` },
    prefix: `${name}_straight_`,
    purpose: summary,
    program: { ...program, name: own },
    originOf: (value) => linkNamed(robot, value),
    labelOf: ({ buffer, index }) => {
      const size = outputs.find((output) => output.name === buffer)?.size ?? 0;
      const n = robot.coordinates.length;
      const row = robot.coordinates[size === n * n ? Math.floor(index / n) : index]?.name;
      return [row !== undefined && size % n === 0 ? `${buffer} of ${row}` : buffer];
    },
    spellings: ({ buffer, index }) => [`${buffer}[${index}]`, `${snakeCaseOf(buffer)}[${index}]`],
  }));
}

/** The link after which a quantity of straight-line code is named. */
function linkNamed({ links }: Robot, value: string): Pick<MappedStatement, 'from' | 'at'> {
  const named = links.find(({ name }) => value.endsWith(`_${name.replace(/[^A-Za-z0-9_]/g, '_')}`));
  return named ? { from: `link ${named.name}`, at: at(named.location) } : {};
}

// ---------------------------------------------------------------------------------------------- statements

function mapped(source: Source, files: readonly GeneratedFile[]): MappedFunction {
  const { type, program, purpose, stem } = source;
  const found = files.flatMap(({ path, text }) => {
    const isIts = [`${stem.c}.c`, `${stem.ts}.ts`, `${stem.ts}.js`].some((file) => path.endsWith(`/${file}`));
    const lines = isIts ? statementLines(text, program.name, source.prefix) : undefined;
    return lines && lines.size > 0 ? [{ path, lines }] : [];
  });
  const flat = flatten(program.statements);
  const purposes = purposesOf(flat, source);
  const line = (spelled: readonly string[]): (number | null)[] =>
    found.map(({ lines }) => spelled.map((one) => lines.get(one)).find((number) => number !== undefined) ?? null);
  const value = (name: string): MappedStatement => {
    const wanted = purposes.get(name);
    return {
      value: name,
      ...(wanted && wanted.size > 0 && { for: [...wanted] }),
      ...source.originOf(name, program.values?.get(name)),
      lines: line([name]),
    };
  };
  const statements = [
    ...program.loads.map(({ name }) => value(name)),
    ...flat.flatMap((statement): MappedStatement[] => {
      if (statement.kind !== 'store') return namesDefined(statement).map(value);
      const spelled = source.spellings(statement.place);
      return [{ value: spelled[0]!, for: source.labelOf(statement.place), lines: line(spelled) }];
    }),
  ];
  return {
    ...(type !== undefined && { type }),
    name: program.name,
    purpose,
    files: found.map((f) => f.path),
    statements,
  };
}

function flatten(statements: readonly Statement[]): Statement[] {
  return statements.flatMap((statement) => [...blocksOf(statement).flatMap(flatten), statement]);
}

/** Values that the program counts instead of naming them. */
const isUnnamed = (name: string): boolean => /^t\d+$/.test(name);

function storedBy(statement: Statement): readonly Place[] {
  if (statement.kind === 'loop') return statement.writes.map(({ place }) => place);
  return statement.kind === 'store' ? [statement.place] : [];
}

/** More quantities than these are not told apart. */
const MOST_PURPOSES = 6;

/** The nearest quantities that each value is a part of. */
function purposesOf(flat: readonly Statement[], { labelOf }: Source): ReadonlyMap<string, ReadonlySet<string>> {
  const purposes = new Map<string, Set<string>>();
  for (const statement of [...flat].reverse()) {
    const own = [...storedBy(statement).flatMap(labelOf), ...namesDefined(statement)];
    const wanted = own.flatMap((name) => (isUnnamed(name) ? [...(purposes.get(name) ?? [])] : [name]));
    for (const name of namesIn([statement])) {
      const known = purposes.get(name) ?? new Set();
      purposes.set(name, known);
      for (const purpose of wanted) if (known.size < MOST_PURPOSES && purpose !== name) known.add(purpose);
    }
  }
  return purposes;
}

/**
 * The first line in a function, or in a part of it, on which each value is declared or each number is stored. Heads of
 * functions stand at the beginnings of lines in all languages.
 */
function statementLines(text: string, name: string, prefix: string): Map<string, number> {
  const found = new Map<string, number>();
  let isInside = false;
  text.split('\n').forEach((line, i) => {
    const [, head] = /^(?:export )?(?:static )?(?:function|void|kg_status) (\w+)\(/.exec(line) ?? [];
    if (head !== undefined) {
      const own = (head.startsWith(prefix) ? head.slice(prefix.length) : head).replace(/_?[Pp]art\d+$/, '');
      isInside = snakeCaseOf(own) === snakeCaseOf(name);
    } else if (line.startsWith('}')) isInside = false;
    if (!isInside) return;
    const reads = /^ +const kg_real (?:\w+ = [^ ,]+\[[^\]]+\](?:, |;$)){2,}/.test(line);
    for (const [, one = ''] of reads ? line.matchAll(/(\w+) = /g) : []) if (!found.has(one)) found.set(one, i + 1);
    const [left = ''] = line.split(/ =(?: |$)/);
    const [, declared] = /^\s+(?:const kg_real|kg_real|const|let) (.*?);?$/.exec(left) ?? [];
    for (const one of declared?.split(', ') ?? [left.trim()]) if (!found.has(one)) found.set(one, i + 1);
  });
  return found;
}
