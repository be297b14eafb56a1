/** Ways from a link to the base, as statements: the function of every link is chosen by its type. */
import type { LinkFunctionName } from '../../kane/link/kernels.ts';
import type { LinkModel } from '../modules/robot-model.ts';
import { printProgram } from '../printing/print-arithmetic.ts';
import { matrixIndex, sum, type DriverLanguage, type RowAccess } from './driver-language.ts';
import { hasFunction } from './link-steps.ts';
import { columnProgram } from './robot-programs.ts';

/** Of a robot with n coordinates and links of these types. */
export class WalkPrinter {
  private readonly language: DriverLanguage;
  private readonly n: number;
  private readonly types: readonly LinkModel[];

  constructor(language: DriverLanguage, n: number, types: readonly LinkModel[]) {
    this.language = language;
    this.n = n;
    this.types = types;
  }

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
        ...this.dispatch(row, 'propagate', (link) =>
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

  /** Columns of the Jacobian of the point that stands in `point`: those of a link and of all that carry it. */
  jacobian(part: 'all' | 'linear' = 'all'): string[] {
    const { language, n } = this;
    const row = language.row('link');
    const columns = printProgram(
      columnProgram(part),
      {
        ...language.target,
        read: ({ buffer, index }) =>
          language.value(
            buffer === 'point'
              ? language.sharedNumber('point', index)
              : language.sharedNumber('jacobianColumns', sum('6 * a', index)),
          ),
        write: ({ index }) => `J[${sum(sum(row.first, 'a'), index * n)}]`,
      },
      Infinity,
    ).parts[0]!;
    return [
      language.walk('link', 'link'),
      ...[
        ...row.declarations,
        ...this.dispatch(row, 'jacobian', (link) =>
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
        ...this.dispatch(row, 'transmit', (link) =>
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

  /** Changes of what a wrench on a link does there and, carried inwards, at all that carry it, where a column of tau begins. */
  transmitChange(): string[] {
    const { language } = this;
    const row = language.row('link');
    const total = `tau[at + ${row.first} + a]`;
    const [constants, own] = [row.array('constants'), row.array('own')];
    const share = language.shared('share');
    const changes = [row.array('parentTangent'), row.array('ownTangent')];
    return [
      language.walk('link', 'link', 'stop'),
      ...[
        ...row.declarations,
        ...this.dispatch(row, 'transmit', (link) =>
          language.callLink(link, 'transmit', [constants, row.array('parent'), own, share]),
        ),
        ...this.dispatch(row, 'perturbApplied', (link) =>
          language.callLink(link, 'perturbApplied', [constants, own, ...changes, share]),
        ),
        language.loop('a', 0, row.count, false),
        `  ${total} = ${language.value(total)} + ${language.value(language.sharedNumber('share', 'a'))};`,
        '}',
      ].map((line) => `  ${line}`),
      '}',
    ];
  }

  /** A call that depends on the type of a link; types without the function stand on no way where it is called. */
  dispatch(row: RowAccess, name: LinkFunctionName, call: (link: LinkModel) => string): string[] {
    const types = this.types.map((link, index) => ({ link, index })).filter(({ link }) => hasFunction(link, name));
    if (types.length === 1) return [call(types[0]!.link)];
    const cases = types.flatMap(({ link, index }, i) => [
      i === types.length - 1 ? '  default:' : `  case ${index}:`,
      `    ${call(link)}`,
      '    break;',
    ]);
    return [`switch (${row.type}) {`, ...cases, '}'];
  }
}
