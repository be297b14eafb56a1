/**
 * What a driver does for terms of actuators that reach from link to link, or act on one from the world: their ends are frames
 * behind those of callers; forces are wrenches on links, carried inwards until opposite ones meet.
 */
import type { PlacedTerm, Reaching } from '../../kane/link/link-type.ts';
import { REACHES, type ReachName } from './actuator-functions.ts';
import { SEGMENT_PROGRAMS, type SegmentProgram } from './segment-programs.ts';
import type { DriverFunction, DriverLanguage } from './driver-language.ts';
import { applyFunction, baseFunction, reachFunction, sweepFunction } from './function-names.ts';
import { type DriverPrinter } from './print-driver.ts';

type Segment = Extract<PlacedTerm, { kind: 'segment' }>;
type Wrench = Extract<PlacedTerm, { kind: 'wrench' }>;

/** @param frames of callers: places come behind them. */
export function reachingFunctions(
  printer: DriverPrinter,
  language: DriverLanguage,
  reaching: Reaching,
  frames: number,
): readonly DriverFunction[] {
  return new ReachingPrinter(printer, language, reaching, frames).functions();
}

const wrenchProgram = (axes: Wrench['axes']): SegmentProgram =>
  axes === 'frame' ? 'followingWrenchRates' : 'worldWrenchRates';

class ReachingPrinter {
  private readonly printer: DriverPrinter;
  private readonly language: DriverLanguage;
  private readonly reaching: Reaching;
  private readonly frames: number;

  constructor(printer: DriverPrinter, language: DriverLanguage, reaching: Reaching, frames: number) {
    this.printer = printer;
    this.language = language;
    this.reaching = reaching;
    this.frames = frames;
  }

  functions(): readonly DriverFunction[] {
    const { terms } = this.reaching;
    const segments = terms.filter((term): term is Segment => term.kind === 'segment');
    const ofSegments = ['segmentPull', 'oppositeLoad', 'segmentLength', 'segmentRates'] as const;
    const own =
      segments.length > 0
        ? [...ofSegments.map((name) => this.program(name)), this.pull(), this.length(), this.segmentRates()]
        : [];
    const turns = new Set(terms.flatMap((term) => (term.kind === 'wrench' ? [term.axes] : [])));
    return [
      ...own,
      ...[...turns].map((axes) => this.program(wrenchProgram(axes))),
      this.function('values', [
        ...this.poses(),
        ...this.language.branch(
          this.language.isGiven('y'),
          terms.flatMap((term) => this.value(term)),
        ),
        ...this.language.branch(
          this.language.isGiven('B'),
          terms.flatMap((term) => this.force(term, 'B')),
        ),
      ]),
      this.function('rates', [...this.motions(), ...this.poses(), ...terms.flatMap((term) => this.rate(term))]),
      this.function('forces', [...this.poses(), ...terms.flatMap((term) => this.force(term, 'tau'))]),
    ];
  }

  private function(name: ReachName, lines: readonly string[]): DriverFunction {
    return { name: reachFunction(name), ...REACHES[name], lines };
  }

  private call(name: string, ...parameters: readonly (string | number)[]): string {
    return this.language.call(name, parameters.map(String));
  }

  private linkOf(place: number): number {
    return this.reaching.places[place]!.link;
  }

  /** Poses of all links that have a place. */
  private poses(): string[] {
    return [this.call(baseFunction('pose')), ...this.sweep('pose')];
  }

  private sweep(name: 'pose' | 'drift'): string[] {
    const last = Math.max(...this.reaching.places.map(({ link }) => link));
    return this.printer.has(name) ? [this.call(sweepFunction(name), last)] : [];
  }

  /** Motions of the links of all places, set aside. */
  private motions(): string[] {
    return [
      this.call(baseFunction('still')),
      ...this.sweep('drift'),
      ...this.reaching.places.map(({ link }, k) => this.call('keepDrift', link, this.language.placeDrift(k))),
    ];
  }

  /** A program is a function of its own: its variables meet no others. */
  private program(name: SegmentProgram): DriverFunction {
    const { purpose, program, reads = [] } = SEGMENT_PROGRAMS[name];
    return { name, purpose, parameters: reads, lines: this.printer.program(program(), {}) };
  }

  private shared(...names: readonly Parameters<DriverLanguage['shared']>[0][]): string[] {
    return names.map((name) => this.language.shared(name));
  }

  // -------------------------------------------------------------------------------------------- segments

  private endPoses(): string[] {
    const { nothing } = this.language;
    const [start, end] = this.shared('startPoint', 'endPoint');
    return [this.call('framePose', 'from', nothing, start!), this.call('framePose', 'to', nothing, end!)];
  }

  private pull(): DriverFunction {
    const [load] = this.shared('heldLoad');
    const onLink = (frame: string, link: string): string[] => [
      this.call(applyFunction('world'), frame, load!),
      this.call('transmit', link, 'stop', 'tau', 'at', 'stride'),
    ];
    return {
      name: 'pullSegment',
      purpose: 'Adds the generalized forces of a tension between two frames.',
      parameters: [
        ['from', 'index'],
        ['to', 'index'],
        ['fromLink', 'index'],
        ['toLink', 'index'],
        ['stop', 'index'],
        ['tension', 'number'],
        ['tau', 'written'],
        ['at', 'index'],
        ['stride', 'index'],
      ],
      lines: [
        ...this.endPoses(),
        this.call('segmentPull', 'tension'),
        ...onLink('from', 'fromLink'),
        this.call('oppositeLoad'),
        ...onLink('to', 'toLink'),
      ],
    };
  }

  private length(): DriverFunction {
    const { language } = this;
    const length = language.value(language.sharedNumber('heldRates', 0));
    return {
      name: 'shortenBySegment',
      purpose: 'Takes the distance of two frames from a coordinate.',
      parameters: [
        ['from', 'index'],
        ['to', 'index'],
        ['y', 'written'],
        ['at', 'index'],
      ],
      lines: [...this.endPoses(), this.call('segmentLength'), `y[at] = ${language.value('y[at]')} - ${length};`],
    };
  }

  private segmentRates(): DriverFunction {
    const motion = (
      frame: string,
      drift: string,
      ...parts: readonly ('startTwist' | 'startBias' | 'endTwist' | 'endBias')[]
    ) => this.call('frameMotion', frame, drift, ...this.shared(...parts));
    return {
      name: 'moveSegment',
      purpose: 'Rate of the distance of two frames, and its second derivative at qdd = 0.',
      parameters: [
        ['from', 'index'],
        ['to', 'index'],
        ['fromDrift', 'read'],
        ['toDrift', 'read'],
      ],
      lines: [
        ...this.endPoses(),
        motion('from', 'fromDrift', 'startTwist', 'startBias'),
        motion('to', 'toDrift', 'endTwist', 'endBias'),
        this.call('segmentRates'),
      ],
    };
  }

  // -------------------------------------------------------------------------------------------- terms

  private force(term: PlacedTerm, array: 'tau' | 'B'): string[] {
    const { language, printer } = this;
    const input = array === 'tau' ? language.value(`u[${term.actuator}]`) : language.target.number(1);
    const place = array === 'tau' ? ['tau', 0, 1] : ['B', term.actuator, printer.u];
    if (term.kind === 'segment') {
      const { from, to, stop } = term;
      const ends = [this.frames + from, this.frames + to, this.linkOf(from), this.linkOf(to)];
      return [this.call('pullSegment', ...ends, stop, input, ...place)];
    }
    return [
      ...this.unit(term, input),
      this.call(applyFunction(term.axes), this.frames + term.on, ...this.shared('heldLoad')),
      this.call('transmit', this.linkOf(term.on), -1, ...place),
    ];
  }

  private unit({ unit }: Wrench, input?: string): string[] {
    const { language } = this;
    return unit.map((value, i) => {
      const entry = language.target.number(value);
      const scaled = input === undefined || value === 0 ? entry : value === 1 ? input : `${entry} * ${input}`;
      return `${language.sharedNumber('heldLoad', i)} = ${scaled};`;
    });
  }

  private value(term: PlacedTerm): string[] {
    const { language } = this;
    const j = term.actuator;
    if (term.kind === 'segment')
      return [this.call('shortenBySegment', this.frames + term.from, this.frames + term.to, 'y', j)];
    const force = term.unit.slice(3);
    if (term.axes === 'frame' || force.every((e) => e === 0)) return [];
    const along = force.flatMap((e, i) =>
      e === 0 ? [] : [`${language.target.number(e)} * ${language.value(language.sharedNumber('startPoint', i))}`],
    );
    return [
      this.call('framePose', this.frames + term.on, language.nothing, ...this.shared('startPoint')),
      `y[${j}] = ${[language.value(`y[${j}]`), ...along].join(' + ')};`,
    ];
  }

  private rate(term: PlacedTerm): string[] {
    const { language } = this;
    const sign = term.kind === 'segment' ? '-' : '+';
    const lines =
      term.kind === 'segment'
        ? [
            this.call(
              'moveSegment',
              this.frames + term.from,
              this.frames + term.to,
              language.placeDrift(term.from),
              language.placeDrift(term.to),
            ),
          ]
        : this.wrenchRates(term);
    const share = (array: string, k: number): string[] => {
      const place = `${array}[${term.actuator}]`;
      const own = language.value(language.sharedNumber('heldRates', k));
      return language.branch(language.isGiven(array), [`${place} = ${language.value(place)} ${sign} ${own};`]);
    };
    return [...lines, ...share('yd', 0), ...share('ydd0', 1)];
  }

  private wrenchRates(term: Wrench): string[] {
    const frame = this.frames + term.on;
    const { nothing } = this.language;
    const isTurning = term.axes === 'frame';
    return [
      ...(isTurning ? [this.call('framePose', frame, ...this.shared('heldAxes'), nothing)] : []),
      this.call('frameMotion', frame, this.language.placeDrift(term.on), ...this.shared('startTwist', 'startBias')),
      ...this.unit(term),
      this.call(wrenchProgram(term.axes)),
    ];
  }
}
