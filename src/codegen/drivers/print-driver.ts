/**
 * The drivers printed: the sweeps and functions of `description.ts` over the links of one robot, with direct calls, as
 * statements that TypeScript and C share; a language says how it spells links, loops, calls and the workspace.
 */
import { BUFFERS, type Buffer, type FrameQuantity, FRAME_QUANTITIES } from '../../kane/link/buffers.ts';
import { linkFunction, type LinkFunctionName } from '../../kane/link/kernels.ts';
import type { LinkModel, RobotModel } from '../modules/robot-model.ts';
import {
  BLOCK,
  FRAME_PLACES,
  ownBuffers,
  regionSignature,
  type Region,
  type SharedPart,
  type WorkspaceLayout,
} from '../modules/workspace.ts';
import { printProgram, type Target } from '../printing/print-arithmetic.ts';
import type { Program } from '../programs/program.ts';
import { commentText } from '../programs/names.ts';
import {
  FORMULAS,
  REACHES,
  robotFunction,
  sizeOf,
  sweepOf,
  type Action,
  type FormulaName,
  type LinkStep,
  type ReachName,
  type RobotFunctionName,
  type SweepName,
} from './description.ts';
import { leavesOf, runsOf, typesUsed, type Run } from './runs.ts';
import { columnProgram, formulaProgram, hasFormulas } from './robot-programs.ts';

/** An index: known now, or an expression. */
export type Index = number | string;

/** How a language spells what belongs to one link. */
export interface LinkAccess {
  array(region: 'constants' | 'parameters' | 'parent' | 'own'): string;
  /** A number in the link's block, or in that of its parent. */
  number(region: 'parent' | 'own', index: Index): string;
  readonly first: Index;
  readonly parentIndex: Index;
  /** Index among the robot's actuators of a term that acts within the link. */
  actuator(term: Index): Index;
}

/** Of a link that is known when the driver runs only. */
export interface RowAccess extends LinkAccess {
  /** Statements before the first use. */
  readonly declarations: readonly string[];
  readonly type: string;
  readonly count: string;
}

export interface DriverLanguage {
  readonly target: Target;
  /** The value of an element of an array. */
  value(element: string): string;
  link(index: number): LinkAccess;
  row(index: string): RowAccess;
  /** A part of the workspace, a number in it, and the wrench of unit acceleration of a coordinate. */
  shared(part: SharedPart): string;
  sharedNumber(part: SharedPart, index: Index): string;
  unitWrench(coordinate: Index): string;
  /** The function of a link type. */
  callLink(link: LinkModel, name: LinkFunctionName, parameters: readonly string[]): string;
  /** A function of the driver, see `functionName`. */
  call(name: string, parameters: readonly string[]): string;
  /** Zeros in an array of the caller, in the workspace, in the block of a link that is known now. */
  clear(array: string, size: number): string;
  clearBlock(index: number, from: number, size: number): string;
  loop(variable: string, from: Index, to: Index, inwards: boolean, condition?: string): string;
  /** Head of a loop over a link and all that carry it, of those beyond a link where one is given. */
  walk(variable: string, from: string, beyond?: string): string;
  branch(condition: string, lines: readonly string[]): string[];
  isGiven(output: string): string;
  /** Leaves the function with a status. */
  refuse(status: string): string;
  /** Stands for an output that is not wanted. */
  readonly nothing: string;
  /** The motion of the link of a place, set aside. */
  placeDrift(place: number): string;
  /** A variable for an array that is read, and one for an array that is written. */
  declareRead(name: string, array: string): string;
  declareWritten(name: string, array: string): string;
  /** An index as a number of the scalar type. */
  asNumber(index: Index): string;
  declareIndex(name: string, value: string): string;
  readonly equal: string;
}

/** A link in a sweep. */
interface LinkPlace {
  readonly run: Run;
  readonly access: LinkAccess;
  readonly index: Index;
  /** Where arrays begin. */
  readonly start: Index;
}

/** Statements that follow each other rather than stand in a loop, at most. */
const UNROLLED = 3;

/** `sum(3, 'i')` → `i + 3`; numbers are added. */
export function sum(a: Index, b: Index): Index {
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  if (a === 0) return b;
  return b === 0 ? a : `${a} + ${b}`;
}

function matrixIndex(row: Index, column: Index, width: number): Index {
  if (typeof row === 'number') return sum(row * width, column);
  return `${/ /.test(row) ? `(${row})` : row} * ${width} + ${column}`;
}

export class DriverPrinter {
  private readonly model: RobotModel;
  private readonly language: DriverLanguage;
  private readonly runs: readonly Run[];
  private readonly types: readonly LinkModel[];
  readonly n: number;
  readonly u: number;
  /** Those that callers know. */
  readonly frames: number;

  constructor(model: RobotModel, layout: WorkspaceLayout, language: DriverLanguage) {
    this.model = model;
    this.language = language;
    this.runs = runsOf(model);
    this.types = typesUsed(model);
    this.n = layout.n;
    this.u = layout.u;
    this.frames = model.frames.length;
  }

  /** Does the robot have links that take part? */
  has(name: SweepName): boolean {
    return this.runsOf(name).length > 0;
  }

  /** Is there a coordinate with another below it, whose unit wrench is carried there? */
  get carries(): boolean {
    return this.model.instances.some(({ link, parent }) => parent >= 0 && link.type.coordinates.length > 0);
  }

  program(program: Program, target: Partial<Target>): string[] {
    return printProgram(program, { ...this.language.target, ...target }, Infinity).parts[0]!;
  }

  // -------------------------------------------------------------------------------------------- sweeps

  /** The statements of a sweep over the links. */
  sweep(name: SweepName): string[] {
    const { direction } = sweepOf(name);
    const runs = this.runsOf(name);
    if (direction === 'outwards') return runs.flatMap((run) => this.run(name, run));
    return [...this.clearLeaves(name), ...[...runs].reverse().flatMap((run) => this.run(name, run))];
  }

  private runsOf(name: SweepName): readonly Run[] {
    const called = sweepOf(name).steps.flatMap((step) => (step.step === 'call' ? [step.function] : []));
    return this.runs.filter(({ link, isFolded }) =>
      called.every((f) => (f === 'prepare' ? !isFolded : hasFunction(link, f))),
    );
  }

  private run(name: SweepName, run: Run): string[] {
    const { direction, steps, upTo, at } = sweepOf(name);
    const inwards = direction === 'inwards';
    const of = (access: LinkAccess, index: Index): string[] =>
      steps.flatMap((step) => this.step(step, { run, access, index, start: at ? 'at' : 0 }));
    const names = this.model.instances.slice(run.from, run.to).map((instance) => commentText(instance.name));
    if (names.length <= UNROLLED) {
      const each = names.map((about, i) => {
        const lines = of(this.language.link(run.from + i), run.from + i);
        const guarded = upTo ? this.language.branch(`last >= ${run.from + i}`, lines) : lines;
        return [`/* ${about} */`, ...guarded];
      });
      return (inwards ? each.reverse() : each).flat();
    }
    const row = this.language.row('i');
    const condition = upTo ? 'i <= last' : undefined;
    return [
      `/* ${names[0]!} … ${names.at(-1)!} */`,
      this.language.loop('i', run.from, run.to, inwards, condition),
      ...[...row.declarations, ...of(row, 'i')].map((line) => `  ${line}`),
      '}',
    ];
  }

  /** Nothing hangs on the leaves: what other links find there from their children is zero. */
  private clearLeaves(name: SweepName): string[] {
    const found = new Set<FrameQuantity>();
    for (const step of sweepOf(name).steps)
      if (step.step === 'call') for (const quantity of this.handedInwards(step.function)) found.add(quantity);
    return leavesOf(this.model).flatMap((leaf) =>
      [...found].map((quantity) => this.language.clearBlock(leaf, FRAME_PLACES[quantity], FRAME_QUANTITIES[quantity])),
    );
  }

  /** What a function leaves at the parent's frame. */
  private handedInwards(name: LinkFunctionName): FrameQuantity[] {
    const { writes, apart = [] } = linkFunction(name);
    return writes.flatMap((buffer) => {
      const [frame, quantity] = BUFFERS[buffer].place.split('.');
      return frame === 'parent' && !apart.includes(buffer) ? [quantity as FrameQuantity] : [];
    });
  }

  // -------------------------------------------------------------------------------------------- steps of a link

  private step(step: LinkStep, { run, access, index, start }: LinkPlace): string[] {
    const { language } = this;
    const count = run.link.type.coordinates.length;
    const terms = run.link.type.inputs.inputs.length;
    const own = (buffer: Buffer, a: Index): string => access.number('own', sum(a, startOf(run.link, buffer)));
    const place = (array: string, a: Index): string => `${array}[${sum(start, sum(access.first, a))}]`;
    switch (step.step) {
      case 'put':
        return this.each('a', count, (a) => [`${own(step.buffer, a)} = ${language.value(place(step.array, a))};`]);
      case 'clear':
        return this.each('a', count, (a) => [`${own(step.buffer, a)} = ${language.target.number(0)};`]);
      case 'take':
        return this.each('a', count, (a) => [`${place(step.array, a)} = ${language.value(own(step.buffer, a))};`]);
      case 'resist':
        if (!hasFunction(run.link, step.function)) return [];
        return [
          ...this.callStep(step.function, run, access),
          ...this.each('a', count, (a) => {
            const rest = own('load', a);
            return [`${rest} = ${language.value(rest)} - ${language.value(own('generalizedForce', a))};`];
          }),
        ];
      case 'addend':
        return this.addend(step.of, run, access);
      case 'advance':
        return this.each('a', count, (a) => [
          `${place(step.qd, a)} = ${language.value(own('qd', a))} + h * ${language.value(own('accelerations', a))};`,
          `${place(step.q, a)} = ${language.value(own('q', a))} + h * ${language.value(place(step.qd, a))};`,
        ]);
      case 'require': {
        const refused = language.sharedNumber('refused', 0);
        const isBelow = (number: string): string => `${language.value(number)} <= ${language.target.number(0)}`;
        return this.each('a', count, (a) =>
          language.branch(`${isBelow(own('pivots', a))} && ${isBelow(refused)}`, [
            `${refused} = ${language.asNumber(sum(index, 1))};`,
          ]),
        );
      }
      case 'add':
        return this.each('a', count, (a) => [added(language, place(step.array, a), own('generalizedForce', a))]);
      case 'inputs':
        return this.each('k', terms, (k) => [
          `${language.sharedNumber('inputs', k)} = ${language.value(`${step.array}[${access.actuator(k)}]`)};`,
        ]);
      case 'shares': {
        const shares = this.each('k', terms, (k) => {
          const share = language.sharedNumber(step.buffer, sum(step.part * terms, k));
          return [added(language, `${step.array}[${access.actuator(k)}]`, share)];
        });
        return language.branch(language.isGiven(step.array), shares);
      }
      case 'columns': {
        const columns = this.each('k', terms, (k) =>
          this.each('a', count, (a) => {
            const entry = matrixIndex(sum(access.first, a), access.actuator(k), this.u);
            return [
              added(language, `${step.array}[${entry}]`, language.sharedNumber(step.buffer, matrixIndex(k, a, count))),
            ];
          }),
        );
        return language.branch(language.isGiven(step.array), columns);
      }
      case 'total':
        return [0, 1, 2].map((k) => {
          const all = `${step.array}[${k}]`;
          return `${all} = ${language.value(all)} + ${language.value(language.sharedNumber('energy', k))};`;
        });
      case 'call':
        return this.callStep(step.function, run, access);
      case 'block':
        return this.block(step.array, 'forceMatrix', count, access);
      case 'entries':
        return this.entries(step.array, count, access);
    }
  }

  private callStep(name: LinkFunctionName, run: Run, access: LinkAccess): string[] {
    const { language } = this;
    const handed = this.handedInwards(name);
    const adds = handed.length > 0 && !run.writesFirst;
    const argument = (region: Region): string => {
      if (region === 'parent' && adds) return language.shared('addend');
      if (region === 'constants' || region === 'parameters' || region === 'parent' || region === 'own')
        return access.array(region);
      return language.shared(region as SharedPart);
    };
    const { regions } = regionSignature(name);
    const call = language.callLink(run.link, name, regions.map(argument));
    if (!adds) return [call];
    const additions = handed.flatMap((quantity) => {
      const from = FRAME_PLACES[quantity];
      const total = access.number('parent', 'k');
      const part = language.sharedNumber('addend', 'k');
      return [
        language.loop('k', from, from + FRAME_QUANTITIES[quantity], false),
        `  ${total} = ${language.value(total)} + ${language.value(part)};`,
        '}',
      ];
    });
    return [call, ...additions];
  }

  /** Rows and columns of the mass matrix that belong to a link. */
  private entries(array: string, count: number, access: LinkAccess): string[] {
    const { language } = this;
    const block = this.block(array, 'massBlock', count, access);
    if (access.parentIndex === -1 || !this.carries) return block;
    const carried = this.each('a', count, (a) => [
      language.call('carry', [String(access.parentIndex), language.unitWrench(a), String(sum(access.first, a)), array]),
    ]);
    return [...block, ...carried];
  }

  /** A matrix between the coordinates of a link to its place on the diagonal. */
  private block(array: string, from: 'massBlock' | 'forceMatrix', count: number, access: LinkAccess): string[] {
    const { language, n } = this;
    return this.each('a', count, (a) =>
      this.each('b', count, (b) => {
        const entry = language.sharedNumber(from, matrixIndex(a, b, count));
        return [`${array}[${matrixIndex(sum(access.first, a), sum(access.first, b), n)}] = ${language.value(entry)};`];
      }),
    );
  }

  /** h D + h² K to the addend, h K q̇ off the load: forces at the end of a step, to first order. */
  private addend(of: 'nothing' | 'step', run: Run, access: LinkAccess): string[] {
    const { language } = this;
    const count = run.link.type.coordinates.length;
    const size = run.link.type.inputs.addend.length;
    if (size === 0) return [];
    const own = (buffer: Buffer, a: Index): string => access.number('own', sum(a, startOf(run.link, buffer)));
    const cleared = this.each('a', size, (a) => [`${own('addend', a)} = ${language.target.number(0)};`]);
    if (of === 'nothing') return cleared;
    const matrices = (['dissipation', 'stiffness'] as const).filter((name) => hasFunction(run.link, name));
    const added = matrices.flatMap((name) => [
      ...this.callStep(name, run, access),
      ...this.each('a', count, (a) =>
        this.each('b', count, (b) => {
          const index = matrixIndex(a, b, count);
          const entry = language.value(language.sharedNumber('forceMatrix', index));
          const [total, rest] = [own('addend', index), own('load', a)];
          const share = `${name === 'stiffness' ? 'h * h' : 'h'} * ${entry}`;
          const force = `h * ${entry} * ${language.value(own('qd', b))}`;
          return [
            `${total} = ${language.value(total)} + ${share};`,
            ...(name === 'stiffness' ? [`${rest} = ${language.value(rest)} - ${force};`] : []),
          ];
        }),
      ),
    ]);
    return [...cleared, ...added];
  }

  private each(variable: string, count: number, lines: (index: Index) => readonly string[]): string[] {
    if (count <= UNROLLED) return Array.from({ length: count }, (_, a) => lines(a)).flat();
    const head = this.language.loop(variable, 0, count, false);
    return [head, ...lines(variable).map((line) => `  ${line}`), '}'];
  }

  // -------------------------------------------------------------------------------------------- ways to the base

  /** A wrench at the distal frame of `link` carried to the base: entries of column and row `column` of M. */
  carry(): string[] {
    const { language, n } = this;
    const row = language.row('link');
    const entry = language.value(language.sharedNumber('share', 'a'));
    return [
      language.declareRead('from', 'wrench'),
      language.declareWritten('to', language.shared('wrenchA')),
      language.walk('link', 'link'),
      ...[
        ...row.declarations,
        ...this.dispatch(row, (link) =>
          language.callLink(link, 'propagate', [
            row.array('constants'),
            row.array('own'),
            'from',
            language.shared('share'),
            'to',
          ]),
        ),
        language.loop('a', 0, row.count, false),
        `  M[${matrixIndex(sum(row.first, 'a'), 'column', n)}] = ${entry};`,
        `  M[${matrixIndex('column', sum(row.first, 'a'), n)}] = ${entry};`,
        '}',
        'from = to;',
        `to = to ${language.equal} ${language.shared('wrenchA')} ? ${language.shared('wrenchB')} : ${language.shared('wrenchA')};`,
      ].map((line) => `  ${line}`),
      '}',
    ];
  }

  /** Columns of the Jacobian of the point that `framePose` left: those of a link and of all that carry it. */
  jacobian(): string[] {
    const { language, n } = this;
    const row = language.row('link');
    const columns = this.program(columnProgram(), {
      read: ({ buffer, index }) =>
        language.value(
          buffer === 'point'
            ? language.sharedNumber('point', index)
            : language.sharedNumber('jacobianColumns', sum('6 * a', index)),
        ),
      write: ({ index }) => `J[${sum(sum(row.first, 'a'), index * n)}]`,
    });
    return [
      language.walk('link', 'link'),
      ...[
        ...row.declarations,
        ...this.dispatch(row, (link) =>
          language.callLink(link, 'jacobian', [
            row.array('constants'),
            row.array('parent'),
            row.array('own'),
            language.shared('jacobianColumns'),
          ]),
        ),
        language.loop('a', 0, row.count, false),
        ...columns.map((line) => `  ${line}`),
        '}',
      ].map((line) => `  ${line}`),
      '}',
    ];
  }

  /**
   * The wrench that acts on a link, and at its parent what it does there: added to generalized forces up to the link `stop`,
   * which stand in `tau` from `at` on, `stride` apart.
   */
  transmit(): string[] {
    const { language } = this;
    const row = language.row('link');
    const total = `tau[at + stride * (${sum(row.first, 'a')})]`;
    return [
      language.walk('link', 'link', 'stop'),
      ...[
        ...row.declarations,
        ...this.dispatch(row, (link) =>
          language.callLink(link, 'transmit', [
            row.array('constants'),
            row.array('parent'),
            row.array('own'),
            language.shared('share'),
          ]),
        ),
        language.loop('a', 0, row.count, false),
        `  ${total} = ${language.value(total)} + ${language.value(language.sharedNumber('share', 'a'))};`,
        '}',
      ].map((line) => `  ${line}`),
      '}',
    ];
  }

  /** A call that depends on the type of a link. */
  private dispatch(row: RowAccess, call: (link: LinkModel) => string): string[] {
    if (this.types.length === 1) return [call(this.types[0]!)];
    const cases = this.types.flatMap((link, index) => [
      index === this.types.length - 1 ? '  default:' : `  case ${index}:`,
      `    ${call(link)}`,
      '    break;',
    ]);
    return [`switch (${row.type}) {`, ...cases, '}'];
  }

  // -------------------------------------------------------------------------------------------- functions of the robot

  /** What a function of the robot does once its inputs are accepted; what it does to outputs is theirs to check. */
  actions(name: RobotFunctionName): string[] {
    const { outputs, actions } = robotFunction(name);
    const size = (output: string): number => sizeOf(outputs.find((o) => o.name === output)!.size, this) as number;
    const { language } = this;
    const of = (action: Action): string[] => {
      if ('base' in action) return [language.call(baseFunction(action.base), [])];
      if ('formulas' in action)
        return hasFormulas(this.model)
          ? [language.call(formulaFunction(action.formulas), [...formulaArrays(action.formulas)])]
          : [];
      if ('reach' in action) {
        const arrays = REACHES[action.reach].parameters.map(([array]) => array);
        return this.model.reaching ? [language.call(reachFunction(action.reach), arrays)] : [];
      }
      if ('clear' in action) return [language.clear(action.clear, size(action.clear))];
      if ('pivots' in action) return this.pivots(action.pivots);
      if ('eachColumn' in action) {
        const lines = [language.declareIndex('at', `${this.n} * column`), ...action.eachColumn.flatMap(of)];
        return [language.loop('column', 0, 'columns', false), ...lines.map((line) => `  ${line}`), '}'];
      }
      if ('wanted' in action) {
        const lines = action.actions.flatMap(of);
        return lines.length > 0 ? language.branch(this.isWanted(action.wanted), lines) : [];
      }
      if ('frame' in action)
        return [
          action.frame === 'pose'
            ? language.call('framePose', ['index', 'R', 't'])
            : language.call('jacobian', ['link', 'J']),
        ];
      if ('motion' in action)
        return [
          action.motion === 'keep'
            ? language.call('keepDrift', ['link', language.shared('drift')])
            : language.call('frameMotion', ['index', language.shared('drift'), 'velocity', 'bias']),
        ];
      if ('apply' in action) return [language.call(applyFunction(action.apply), ['index', 'wrench'])];
      if ('transmit' in action) return [language.call('transmit', ['link', '-1', action.transmit, '0', '1'])];
      const { upTo, at, ofTime, arrays } = sweepOf(action.sweep);
      if (!this.has(action.sweep)) return [];
      const places = [...(upTo ? ['link'] : []), ...(at ? [action.at!] : []), ...(ofTime ? ['h'] : [])];
      return [language.call(sweepFunction(action.sweep), [...places, ...(action.arrays ?? arrays)])];
    };
    return actions.flatMap(of);
  }

  private pivots(what: 'forget' | 'require'): string[] {
    const { language } = this;
    const refused = language.sharedNumber('refused', 0);
    if (what === 'forget') return [`${refused} = ${language.target.number(0)};`];
    const isRefused = `${language.value(refused)} > ${language.target.number(0)}`;
    return language.branch(isRefused, [language.refuse('KG_SINGULAR')]);
  }

  get formulaPrograms(): readonly Program[] {
    if (!hasFormulas(this.model)) return [];
    return (Object.keys(FORMULAS) as FormulaName[]).map((name) => formulaProgram(this.model, name));
  }

  /** Functions for formulas that mix coordinates of several links; none without such. */
  get formulas(): readonly {
    readonly name: string;
    readonly purpose: string;
    readonly arrays: readonly string[];
    readonly lines: readonly string[];
  }[] {
    const { target } = this.language;
    const names = Object.keys(FORMULAS) as FormulaName[];
    return this.formulaPrograms.map((program, i) => {
      const name = names[i]!;
      const lines = this.program(program, {
        read: ({ buffer, index }) =>
          buffer === 'q' || buffer === 'qd' ? this.coordinate(buffer, index) : target.read({ buffer, index }),
      });
      return { name: formulaFunction(name), purpose: FORMULAS[name].purpose, arrays: formulaArrays(name), lines };
    });
  }

  /** A coordinate of the robot or its rate in the block of its link. */
  private coordinate(buffer: 'q' | 'qd', index: number): string {
    const { instances } = this.model;
    const at = instances.findIndex(({ first, link }) => index < first + link.type.coordinates.length);
    const { first, link } = instances[at]!;
    const place = this.language.link(at).number('own', startOf(link, buffer) + index - first);
    return this.language.value(place);
  }

  private isWanted(outputs: string | readonly string[]): string {
    return [outputs]
      .flat()
      .map((output) => this.language.isGiven(output))
      .join(' || ');
  }
}

/** The statement that adds an element to another. */
function added({ value }: DriverLanguage, to: string, from: string): string {
  return `${to} = ${value(to)} + ${value(from)};`;
}

/** Names of the driver's own functions, in camel case. */
export const sweepFunction = (name: SweepName): string => `${name}Links`;
export const baseFunction = (motion: string): string => `setBase${motion.charAt(0).toUpperCase()}${motion.slice(1)}`;

export const reachFunction = (name: ReachName): string => `reach${name.charAt(0).toUpperCase()}${name.slice(1)}`;

export const applyFunction = (axes: 'world' | 'frame'): string => (axes === 'world' ? 'applyInWorld' : 'applyInFrame');

function hasFunction(link: LinkModel, name: LinkFunctionName): boolean {
  return link.programs.some((program) => program.name === name);
}

const formulaFunction = (name: FormulaName): string => `formula${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** Arrays of the caller that the function takes. */
function formulaArrays(name: FormulaName): readonly string[] {
  const { reads, writes } = FORMULAS[name];
  return [...new Set<string>([...reads, ...writes])].filter((array) => !/^qd?$/.test(array));
}

/** Where a buffer that is laid out by link type begins in the block. */
function startOf({ staged }: LinkModel, wanted: Buffer): number {
  let next = BLOCK;
  for (const { buffer, size } of ownBuffers(staged)) {
    if (buffer === wanted) return next;
    next += size;
  }
  throw new Error(`${wanted} is no buffer of a block`);
}
