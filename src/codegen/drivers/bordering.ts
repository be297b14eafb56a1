/**
 * What a driver does for steps of Newton's method about actuators that reach from link to link (modules/border.ts): the wrenches
 * that they hold now, as if they stood still in their links, and what they do so as coordinates change, before the elimination;
 * after it how they turn and change with every answer, which the columns of the border stand for.
 */
import { borderOf, OF_LOAD, type Border } from '../modules/border.ts';
import type { RobotModel } from '../modules/robot-model.ts';
import { eliminationOf } from '../modules/newton-step.ts';
import { added, sum, type DriverFunction, type DriverLanguage, type DriverParameters } from './driver-language.ts';
import {
  applyFunction,
  baseFunction,
  formulaFunction,
  holdLoadFunction,
  sweepFunction,
  applyTangentFunction,
} from '../sweeps/function-names.ts';
import { DriverPart } from './driver-part.ts';
import { FrameTermPrinter } from './frame-terms.ts';
import type { PlacedTerm } from '../../kane/kernels/link-type.ts';
import type { DriverPrinter } from './print-driver.ts';
import { deductions, loadTangentFunctions } from './load-changes.ts';
import { loopFunctions } from './loops/loop-derivatives.ts';

/** What a driver has for all that acts between links. */
export function functionsBetweenLinks(
  printer: DriverPrinter,
  language: DriverLanguage,
  model: RobotModel,
): readonly DriverFunction[] {
  return [
    ...new FrameTermPrinter(printer, language, model).functions(),
    ...loadTangentFunctions(printer, language, model),
    ...loopFunctions(printer, language, model),
    ...borderFunctions(printer, language, model),
    ...printer.alongParameters,
    ...deductions(printer, language, model),
    ...printer.located,
  ];
}

/** Of robots with derivatives: those of actuators where links do not tell each other all, and those of a wrench of the caller. */
function borderFunctions(
  printer: DriverPrinter,
  language: DriverLanguage,
  model: RobotModel,
): readonly DriverFunction[] {
  if (!model.derivatives) return [];
  const border = borderOf(model);
  return new BorderPrinter(printer, language, model, border ?? NO_BORDER).functions(border !== undefined);
}

/** Right-hand sides: the residual, then columns of the border. */
const COLUMNS = { from: 'index', to: 'index' } as const;

const NO_BORDER: Border = { held: [], turning: 0, pulled: [], columns: 0 };

class BorderPrinter extends DriverPart<DriverPrinter> {
  private readonly border: Border;
  private readonly frameTerms: FrameTermPrinter;

  constructor(printer: DriverPrinter, language: DriverLanguage, model: RobotModel, border: Border) {
    super(printer, language, model);
    this.border = border;
    this.frameTerms = new FrameTermPrinter(printer, language, model);
  }

  functions(hasActuators: boolean): readonly DriverFunction[] {
    const { held, columns } = this.border;
    return [
      this.bear(),
      this.keep('ownTangent'),
      this.feed(),
      ...(held.length > 0 ? [this.keep('own'), this.put()] : []),
      ...this.frameTerms.held(),
      ...(hasActuators ? [this.hold()] : []),
      ...(columns > 0 ? [this.answer(columns), this.answer(columns + OF_LOAD)] : [this.clearAnswers()]),
      this.holdLoad('world'),
      this.holdLoad('frame'),
      this.answerLoad(),
    ];
  }

  /** Where a link stands among those that are held; of the base, which is not, a number that nobody asks for. */
  private rankOf(link: number): number {
    return this.border.held.findIndex(({ instance }) => instance === link);
  }

  /** Poses of all links that have a place, and of a direction their changes. */
  private poses(name: 'pose' | 'poseTangent', ...direction: readonly string[]): string[] {
    if (!this.model.reaching || !this.printer.has(name)) return [];
    const last = Math.max(...this.model.reaching.places.map(({ link }) => link));
    return [this.call(sweepFunction(name), last, ...direction)];
  }

  // -------------------------------------------------------------------------------------------- wrenches that are held

  /** What a frame's wrench came to on its link, or its change, added to that of others. */
  private keep(block: 'own' | 'ownTangent'): DriverFunction {
    const { language } = this;
    const row = language.row('link');
    const total = language.sharedNumber(block === 'own' ? 'heldWrenches' : 'border', 'at + k');
    const share = row.number(block, 'applied', 'k');
    const acting = language.sharedNumber('acting', 'link');
    const square = `${language.value(share)} * ${language.value(share)}`;
    const lines = [
      ...row.declarations,
      ...language.loop('k', 0, 6, [
        added(language, total, share),
        ...(block === 'own' && this.seesMotions ? [`${acting} = ${language.value(acting)} + ${square};`] : []),
      ]),
    ];
    return {
      name: block === 'own' ? 'keepWrench' : 'keepWrenchTangent',
      purpose: `Adds the ${block === 'own' ? 'wrench' : 'change of the wrench'} on a link to what it is held with, none of the base.`,
      parameters: { link: 'index', at: 'index' },
      lines: language.branch('link >= 0', lines),
    };
  }

  private bear(): DriverFunction {
    return {
      name: 'bear',
      purpose: 'Adds what the wrench on a link does, carried inwards, as each of the coordinates changes.',
      parameters: { link: 'index' },
      lines: this.printer.walks.bear(eliminationOf(this.model).stride),
    };
  }

  private put(): DriverFunction {
    const { language } = this;
    const row = language.row('link');
    const own = row.number('own', 'applied', 'k');
    return {
      name: 'putWrench',
      purpose: 'The wrench that a link is held with.',
      parameters: { link: 'index', at: 'index' },
      lines: [
        ...row.declarations,
        ...language.loop('k', 0, 6, [`${own} = ${language.value(language.sharedNumber('heldWrenches', 'at + k'))};`]),
      ],
    };
  }

  private feed(): DriverFunction {
    return {
      name: 'feed',
      purpose: 'Columns of the border of unit wrenches on a link.',
      parameters: { link: 'index', host: 'index', at: 'index' },
      lines: this.printer.walks.feed(eliminationOf(this.model).stride),
    };
  }

  private hold(): DriverFunction {
    const { language } = this;
    const { held, turning, pulled } = this.border;
    const stride = eliminationOf(this.model).stride + 1;
    const fed = (column: number, k: number): string => language.sharedNumber('fed', stride * column + k);
    const ofFormulas = pulled.flatMap(({ coordinate, host }, i) => [
      `${fed(6 * turning + i, 0)} = ${language.target.number(host + 1)};`,
      `${fed(6 * turning + i, 1 + coordinate - this.model.instances[host]!.first)} = ${language.target.number(1)};`,
    ]);
    return {
      name: 'holdWrenches',
      purpose: 'Wrenches that links are held with by these inputs, and what they do as coordinates change.',
      parameters: { u: 'read' },
      lines: [
        ...(held.length > 0
          ? [
              language.clearShared('heldWrenches'),
              language.clearShared('borne'),
              this.call(baseFunction('pose')),
              ...(this.seesMotions ? [this.call('alongFrames', 0, language.nothing, language.nothing)] : []),
              ...this.poses('pose'),
              ...(this.seesMotions ? [language.clearShared('acting'), ...this.actAlways()] : []),
              ...this.loading.flatMap((term) =>
                this.frameTerms.callHeld(term, 'Wrenches', (link) => 6 * this.rankOf(link)),
              ),
              ...held.flatMap(({ instance }, i) => [
                this.call('putWrench', instance, 6 * i),
                this.call('bear', instance),
              ]),
            ]
          : []),
        ...(pulled.length > 0 || this.seesMotions ? [language.clearShared('fed')] : []),
        ...held.slice(0, turning).flatMap(({ instance, host }, i) => {
          const feed = [this.call('feed', instance, host, 6 * i)];
          if (!this.seesMotions) return feed;
          return this.printer.whereActing(instance, feed);
        }),
        ...ofFormulas,
      ],
    };
  }

  /** Links that more than contacts act on: their wrenches may be zero and change. */
  private actAlways(): string[] {
    const { language, frameTerms } = this;
    const links = new Set([...frameTerms.terms, ...frameTerms.forces].flatMap((term) => frameTerms.linksOf(term)));
    return this.border.held.flatMap(({ instance }) =>
      links.has(instance) ? [`${language.sharedNumber('acting', instance)} = ${language.target.number(1)};`] : [],
    );
  }

  // -------------------------------------------------------------------------------------------- answers

  private get seesMotions(): boolean {
    return this.frameTerms.moving.length > 0;
  }

  /** Does `alongActing` find all changes of poses that are needed? */
  private get seesMotionsAlone(): boolean {
    return this.seesMotions && this.loading.length === this.frameTerms.moving.length;
  }

  private get loading(): readonly PlacedTerm[] {
    const { terms, forces, pushes } = this.frameTerms;
    return [...terms, ...forces, ...pushes];
  }

  /** Motions of frames along an answer, whose rates are `rate` times as large. */
  private motionsAlong(at: string): string[] {
    const { language, printer } = this;
    if (!this.seesMotions) return [];
    const [change, rate] = [language.sharedNumber('unitChange', 'k'), language.sharedNumber('rateChange', 'k')];
    return [
      ...language.loop('k', 0, printer.n, [
        `${change} = ${language.value(language.sharedNumber('answers', sum(at, 'k')))};`,
        `${rate} = rate * ${language.value(change)};`,
      ]),
      this.call('alongActing', 0, language.shared('unitChange'), language.shared('rateChange')),
    ];
  }

  /** @param columns of the border, those of a wrench of the caller included where it acts. */
  private answer(columns: number): DriverFunction {
    const { language, printer } = this;
    const { turning, pulled } = this.border;
    const at = `${printer.n} * column`;
    const answers = language.shared('answers');
    const after = (offset: number): string => String(sum(`${columns} * column`, offset));
    const entry = (i: number): string => language.sharedNumber('border', after(6 * turning + i));
    const lines = [
      ...this.motionsAlong(at),
      ...(turning > 0 && !this.seesMotionsAlone ? this.poses('poseTangent', at, answers) : []),
      ...this.loading.flatMap((term) => {
        const lines = this.frameTerms.callHeld(term, 'WrenchesTangent', (link) => after(6 * this.rankOf(link)));
        if (!this.frameTerms.pushes.includes(term)) return lines;
        // Both links of a pair that touches are acted on; material points have one pair each.
        const held = this.frameTerms.linksOf(term).filter((link) => link >= 0);
        const point = held.find((link) => this.model.instances[link]!.pointOf !== undefined);
        return this.printer.whereActing(point ?? held[0]!, lines);
      }),
      ...(pulled.length > 0
        ? [
            this.call(sweepFunction('takeDirection'), at, answers),
            language.clearShared('pulled'),
            this.call(formulaFunction('changes'), 0, 'u', language.shared('pulled')),
            ...pulled.map(
              ({ coordinate }, i) => `${entry(i)} = ${language.value(language.sharedNumber('pulled', coordinate))};`,
            ),
          ]
        : []),
    ];
    return {
      name: columns > this.border.columns ? 'answerLinksUnderLoad' : 'answerLinks',
      purpose: 'What loads change by on the answers to some right-hand sides; poses are found with the first column.',
      parameters: { u: 'read', ...(this.seesMotions && { rate: 'number' as const }), ...COLUMNS },
      lines: [
        ...this.clear(columns),
        // The elimination has moved the base.
        ...(this.seesMotions ? [language.clearShared('baseTangent')] : []),
        ...(turning > 0 && !this.seesMotionsAlone
          ? language.branch('from > 0', [this.call(baseFunction('pose')), ...this.poses('pose')])
          : []),
        ...language.loop('column', 'from', 'to', [...this.printer.whereFed(lines)]),
      ],
    };
  }

  /** Nothing changes on some answers. */
  private clear(columns: number): string[] {
    const { language } = this;
    return language.loop('k', `${columns} * from`, `${columns} * to`, [
      `${language.sharedNumber('border', 'k')} = ${language.target.number(0)};`,
    ]);
  }

  /** Of robots on which nothing acts between links. */
  private clearAnswers(): DriverFunction {
    return {
      name: 'clearAnswers',
      purpose: 'No load changes on the answers to some right-hand sides.',
      parameters: COLUMNS,
      lines: this.clear(OF_LOAD),
    };
  }

  // -------------------------------------------------------------------------------------------- a wrench of the caller

  private ofLoad(
    name: string,
    purpose: string,
    lines: readonly string[],
    further: DriverParameters = {},
  ): DriverFunction {
    return {
      name,
      purpose,
      parameters: { index: 'index', link: 'index', wrench: 'read', ...further },
      lines,
    };
  }

  private poseOfLink(): string[] {
    const { printer } = this;
    return [
      this.call(baseFunction('pose')),
      ...(printer.has('pose') ? [this.call(sweepFunction('pose'), 'link')] : []),
    ];
  }

  /** What follows its frame has no columns. */
  private holdLoad(axes: 'world' | 'frame'): DriverFunction {
    const { language, model } = this;
    const { held, columns } = this.border;
    const stride = eliminationOf(model).stride + 1;
    const none = [0, 1, 2, 3, 4, 5].map(
      (c) => `${language.sharedNumber('fed', stride * (columns + c))} = ${language.target.number(0)};`,
    );
    const links = model.robot.links.length;
    const feed = [
      ...language.branch(`link < ${links}`, [this.call('feed', 'link', 'link', columns)]),
      ...model.instances.flatMap(({ pointOf }, point) =>
        pointOf === undefined
          ? []
          : language.branch(`link ${language.equal} ${point}`, [this.call('feed', 'link', pointOf, columns)]),
      ),
    ];
    return this.ofLoad(
      holdLoadFunction(axes),
      `What a wrench on a frame, in axes of the ${axes}, does as coordinates change${axes === 'world' ? ', and its columns of the border' : ''}.`,
      [
        ...(held.length > 0 ? [] : [language.clearShared('borne')]),
        ...none,
        ...language.branch('link >= 0', [
          ...this.poseOfLink(),
          this.call(applyFunction(axes), 'index', 'wrench'),
          this.call('bear', 'link'),
          ...(axes === 'world' ? feed : []),
        ]),
      ],
    );
  }

  private answerLoad(): DriverFunction {
    const { language, printer } = this;
    const columns = this.border.columns + OF_LOAD;
    const change = language.shared('heldLoadTangent0');
    const lines = [
      ...(printer.has('poseTangent')
        ? [this.call(sweepFunction('poseTangent'), 'link', `${printer.n} * column`, language.shared('answers'))]
        : []),
      this.call(applyFunction('world'), 'index', 'wrench'),
      this.call(applyTangentFunction('world'), 'index', 'link', 'wrench', change),
      this.call('keepWrenchTangent', 'link', `${columns} * column + ${this.border.columns}`),
    ];
    return this.ofLoad(
      'answerLoad',
      'What a wrench on a frame changes by on the answers to some right-hand sides.',
      [
        ...language.branch('link >= 0', [
          ...language.branch('from > 0', this.poseOfLink()),
          language.clearShared('heldLoadTangent0'),
          ...language.loop('column', 'from', 'to', [...this.printer.whereFed(lines)]),
        ]),
      ],
      COLUMNS,
    );
  }
}
