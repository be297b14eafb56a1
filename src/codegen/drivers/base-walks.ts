/** Ways from a link to the base, as statements: the function of every link is chosen by its type. */
import type { LinkFunctionName } from '../../kane/kernels/link-functions.ts';
import type { LinkModel, RobotModel } from '../modules/robot-model.ts';
import { printProgram, type Target } from '../printing/print-arithmetic.ts';
import type { Program } from '../programs/program.ts';
import {
  added,
  matrixIndex,
  sum,
  within,
  type DriverFunction,
  type DriverLanguage,
  type DriverParameters,
  type Index,
  type RowAccess,
} from './driver-language.ts';
import { product } from '../sweeps/indices.ts';
import { hasFunction } from './link-calls.ts';
import { columnProgram, entryProgram, gatherProgram } from './robot-programs.ts';

const ENTRY_PARAMETERS: DriverParameters = {
  link: 'index',
  wrench: 'handed',
  column: 'index',
  M: 'written',
};

export type Reached = (name: LinkFunctionName) => ReadonlySet<LinkModel> | undefined;

/** Types of the links that ways to the base lead over: from links below which there are coordinates, and from those with frames. */
export function reachedBy(model: RobotModel, { atRunTime }: DriverLanguage): Reached {
  if (atRunTime) return () => undefined;
  const { instances, frames, places, points } = model;
  const wayFrom = (starts: readonly number[]): ReadonlySet<LinkModel> => {
    const found = new Set<LinkModel>();
    for (const start of starts) for (let i = start; i >= 0; i = instances[i]!.parent) found.add(instances[i]!.link);
    return found;
  };
  const moving = instances.filter(({ link }) => link.type.coordinates.length > 0);
  const ofColumns = wayFrom(moving.map(({ parent }) => parent));
  const ofFrames = points ? undefined : wayFrom([...frames, ...places].map(({ link }) => link));
  return (name) => {
    if (name === 'propagate') return ofColumns;
    return name === 'transmit' || name === 'jacobian' ? ofFrames : undefined;
  };
}

/** Of a robot with n coordinates and links of these types. */
export class WalkPrinter {
  private readonly language: DriverLanguage;
  private readonly n: Index;
  private readonly types: readonly LinkModel[];

  private readonly reached: Reached;

  /** @param reached types of the links that ways lead over; all where it gives none. */
  constructor(language: DriverLanguage, n: Index, types: readonly LinkModel[], reached: Reached) {
    this.language = language;
    this.n = n;
    this.types = types;
    this.reached = reached;
  }

  /** A wrench at the distal frame of `link` carried to the base: entries of column and row `column` of M. */
  carry(): DriverFunction {
    const { language, n } = this;
    const row = language.row('link');
    const share = language.value(language.sharedNumber('share', 'a'));
    return {
      name: 'carry',
      purpose: 'Carries a wrench at the distal frame of a link to the base: entries of one column and row of M.',
      parameters: ENTRY_PARAMETERS,
      lines: [
        language.declareRead('from', 'wrench'),
        language.declareWritten('to', language.shared('wrenchA')),
        ...this.walk([
          ...row.declarations,
          ...this.dispatch(row, 'propagate', (link) =>
            language.callLink(link, 'propagate', [
              row.array('constants'),
              row.array('own'),
              'from',
              language.shared('share'),
              'to',
            ]),
          ),
          ...language.loop('a', 0, row.count, [
            `M[${matrixIndex(sum(row.first, 'a'), 'column', n)}] = ${share};`,
            `M[${matrixIndex('column', sum(row.first, 'a'), n)}] = ${share};`,
          ]),
          'from = to;',
          `to = to ${language.equal} ${language.shared('wrenchA')} ? ${language.shared('wrenchB')} : ${language.shared('wrenchA')};`,
        ]),
      ],
    };
  }

  /**
   * The same by the motions of all coordinates in the first link of the tree, which stand in `motions`.
   * @param isChain no link has two children: all that carry a link come before it.
   */
  gather(isChain: boolean): DriverFunction {
    const { language, n } = this;
    const { value } = language;
    const row = language.row('link');
    const moved = (index: number): string => language.sharedNumber('wrenchA', index);
    const move = this.program(
      gatherProgram(),
      ({ buffer, index }) => value(buffer === 'pose' ? row.number('own', 'pose', index) : `wrench[${index}]`),
      ({ index }) => moved(index),
    );
    const entry = this.program(
      entryProgram(),
      ({ buffer, index }) =>
        buffer === 'motion' ? value(language.sharedNumber('motions', sum('a', product(index, n)))) : `moved_${index}`,
      () => `M[${matrixIndex('column', 'a', n)}]`,
    );
    const stretch = (lines: readonly string[]): string[] =>
      language.loop('a', isChain ? 0 : row.first, `${row.first} + ${row.count}`, lines);
    const entries = [
      ...row.declarations,
      ...stretch(entry),
      ...stretch([`M[${matrixIndex('a', 'column', n)}] = ${value(`M[${matrixIndex('column', 'a', n)}]`)};`]),
    ];
    return {
      name: 'gather',
      purpose: 'Entries of one column and row of M from a wrench at the distal frame of a link.',
      parameters: ENTRY_PARAMETERS,
      lines: [
        ...within('{', [...row.declarations, ...move]),
        ...[0, 1, 2, 3, 4, 5].map((k) => language.target.declare(`moved_${k}`, value(moved(k)))),
        ...(isChain ? within('{', entries) : this.walk(entries)),
      ],
    };
  }

  private program(program: Program, read: Target['read'], write: Target['write']): readonly string[] {
    return printProgram(program, { ...this.language.target, read, write }, Infinity).parts[0]!;
  }

  /** Columns of the Jacobian of the point that stands in `point`: those of a link and of all that carry it. */
  jacobian(part: 'all' | 'linear' = 'all'): string[] {
    const { language, n } = this;
    const row = language.row('link');
    const columns = this.program(
      columnProgram(part),
      ({ buffer, index }) =>
        language.value(
          buffer === 'point'
            ? language.sharedNumber('point', index)
            : language.sharedNumber('jacobianColumns', sum('6 * a', index)),
        ),
      ({ index }) => `J[${sum(sum(row.first, 'a'), product(index, n))}]`,
    );
    return this.walk([
      ...row.declarations,
      ...this.dispatch(row, 'jacobian', (link) =>
        language.callLink(link, 'jacobian', [
          row.array('constants'),
          row.array('parent'),
          row.array('own'),
          language.shared('jacobianColumns'),
        ]),
      ),
      ...language.loop('a', 0, row.count, columns),
    ]);
  }

  /**
   * The wrench that acts on a link, and at its parent what it does there: added to generalized forces up to the link `stop`,
   * which stand in `tau` from `at` on, `stride` apart.
   */
  transmit(): string[] {
    const { language } = this;
    const row = language.row('link');
    const total = `tau[at + stride * (${sum(row.first, 'a')})]`;
    return this.walk(
      [
        ...row.declarations,
        ...this.transmitted(row),
        ...language.loop('a', 0, row.count, [added(language, total, language.sharedNumber('share', 'a'))]),
      ],
      'stop',
    );
  }

  /**
   * Changes of what a wrench on a link does there and, carried inwards, at all that carry it, where a column of tau begins: along
   * coordinates, or along parameters.
   */
  transmitTangent(along: 'transmitTangent' | 'transmitVariation'): string[] {
    const { language } = this;
    const row = language.row('link');
    const total = `tau[at + ${row.first} + a]`;
    const [constants, own] = [row.array('constants'), row.array('own')];
    const share = language.shared('share');
    const changes = [row.array('parentTangent'), row.array('ownTangent')];
    const parameters = along === 'transmitVariation' ? [row.array('parametersTangent')] : [];
    return this.walk(
      [
        ...row.declarations,
        ...this.transmitted(row),
        ...this.dispatch(row, along, (link) =>
          language.callLink(link, along, [constants, own, ...changes, ...parameters, share]),
        ),
        ...language.loop('a', 0, row.count, [added(language, total, language.sharedNumber('share', 'a'))]),
      ],
      'stop',
    );
  }

  /**
   * Of a wrench that is held on a link: what it does, there and on all that carry it, as a coordinate of such a link changes, to the
   * row of that coordinate.
   */
  bear(stride: number): string[] {
    const { language } = this;
    const row = language.row('link');
    const [constants, own] = [row.array('constants'), row.array('own')];
    const share = language.shared('share');
    const changes = [row.array('parentTangent'), row.array('ownTangent')];
    const borne = (k: string): string => language.sharedNumber('borne', `${stride} * (${sum(row.first, 'a')}) + ${k}`);
    const add = (k: string, from: string): string => added(language, borne(k), from);
    const zero = language.target.number(0);
    return this.walk([
      ...row.declarations,
      ...language.loop('k', 0, 6, [`${row.number('ownTangent', 'applied', 'k')} = ${zero};`]),
      ...language.loop('a', 0, row.count, [`${row.number('ownTangent', 'q', 'a')} = ${zero};`]),
      ...language.loop('a', 0, row.count, [
        `${row.number('ownTangent', 'q', 'a')} = ${language.target.number(1)};`,
        ...this.dispatch(row, 'transmitTangent', (link) =>
          language.callLink(link, 'transmitTangent', [constants, own, ...changes, share]),
        ),
        `${row.number('ownTangent', 'q', 'a')} = ${zero};`,
        ...language.loop('k', 0, row.count, [add('k', language.sharedNumber('share', 'k'))]),
        ...language.loop('k', 0, 6, [add(`${row.count} + k`, row.number('parentTangent', 'applied', 'k'))]),
      ]),
      ...this.transmitted(row),
    ]);
  }

  /** Unit wrenches on a link as columns of the border, from `at` on: the link that they end at, its forces, the wrench at its parent. */
  feed(stride: number): string[] {
    const { language } = this;
    const row = language.row('link');
    const fed = (k: string): string => language.sharedNumber('fed', `${stride + 1} * (at + c) + ${k}`);
    const own = (k: Index): string => row.number('own', 'applied', k);
    return [
      ...row.declarations,
      ...language.loop('k', 0, 6, [`${own('k')} = ${language.target.number(0)};`]),
      ...language.loop('c', 0, 6, [
        `${own('c')} = ${language.target.number(1)};`,
        ...this.transmitted(row),
        `${own('c')} = ${language.target.number(0)};`,
        `${fed('0')} = ${language.asNumber('host + 1')};`,
        ...language.loop('k', 0, row.count, [
          `${fed('1 + k')} = ${language.value(language.sharedNumber('share', 'k'))};`,
        ]),
        ...language.loop('k', 0, 6, [
          `${fed(`1 + ${row.count} + k`)} = ${language.value(row.number('parent', 'applied', 'k'))};`,
        ]),
      ]),
    ];
  }

  /** From `link` on over all that carry it, of those beyond a link where one is given. */
  private walk(lines: readonly string[], beyond?: string): string[] {
    const condition = `link ${beyond ? `> ${beyond}` : '>= 0'}`;
    return within(`for (; ${condition}; link = ${this.language.parentOfLink}) {`, lines);
  }

  /** What the wrench on the link of a row does there and at its parent. */
  private transmitted(row: RowAccess): string[] {
    const arrays = (['constants', 'parent', 'own'] as const).map((region) => row.array(region));
    const { language } = this;
    return this.dispatch(row, 'transmit', (link) =>
      language.callLink(link, 'transmit', [...arrays, language.shared('share')]),
    );
  }

  /** A call that depends on the type of a link; types without the function stand on no way where it is called. */
  dispatch(row: RowAccess, name: LinkFunctionName, call: (link: LinkModel) => string): string[] {
    const onWay = this.reached(name);
    const types = this.types
      .map((link, index) => ({ link, index }))
      .filter(({ link }) => hasFunction(link, name) && (onWay?.has(link) ?? true));
    const busy = types.filter(({ link }) => !link.isIdle(name));
    const hasIdle = busy.length < types.length;
    if (busy.length === 0) return [];
    if (busy.length === 1 && !hasIdle) return [call(busy[0]!.link)];
    if (busy.length === 1)
      return this.language.branch(`${row.type} ${this.language.equal} ${busy[0]!.index}`, [call(busy[0]!.link)]);
    const cases = busy.flatMap(({ link, index }, i) => [
      i === busy.length - 1 && !hasIdle ? '  default:' : `  case ${index}:`,
      `    ${call(link)}`,
      '    break;',
    ]);
    if (hasIdle) cases.push('  default:', '    break;');
    return [`switch (${row.type}) {`, ...cases, '}'];
  }
}
