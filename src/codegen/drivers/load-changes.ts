/**
 * What a driver does for changes of generalized forces along a direction of the coordinates, of wrenches on frames and of actuators
 * that reach from link to link: J changes, and with it what acts in world axes turns in those of the links. Poses and their
 * changes are those that sweeps left in the blocks of the links. Variations are the same along a direction of the run-time parameters,
 * where these move what actuators hold on to.
 */
import type { PlacedTerm } from '../../kane/link/link-type.ts';
import { movesActuators, type RobotModel } from '../modules/robot-model.ts';
import { FRAME_PLACES } from '../modules/workspace.ts';
import type { Place } from '../operations/operation.ts';
import type { Program } from '../programs/program.ts';
import { type DriverFunction, type DriverLanguage, type RowAccess } from './driver-language.ts';
import { applyFunction, baseFunction, sweepFunction, applyChangeFunction } from './function-names.ts';
import type { DriverPrinter } from './print-driver.ts';
import { originChangeProgram, wrenchChangeProgram } from './robot-programs.ts';
import { SEGMENT_PROGRAMS } from './segment-programs.ts';

type Kind = 'Change' | 'Variation';

/** Functions of a robot that is compiled with derivatives; of others none. */
export function loadChangeFunctions(
  printer: DriverPrinter,
  language: DriverLanguage,
  model: RobotModel,
): readonly DriverFunction[] {
  const of = (kind: Kind): readonly DriverFunction[] =>
    new LoadChangePrinter(printer, language, model, kind).functions();
  return [...(model.derivatives ? of('Change') : []), ...(movesActuators(model) ? of('Variation') : [])];
}

class LoadChangePrinter {
  private readonly printer: DriverPrinter;
  private readonly language: DriverLanguage;
  private readonly model: RobotModel;
  private readonly kind: Kind;

  constructor(printer: DriverPrinter, language: DriverLanguage, model: RobotModel, kind: Kind) {
    this.printer = printer;
    this.language = language;
    this.model = model;
    this.kind = kind;
  }

  functions(): readonly DriverFunction[] {
    const terms = this.model.reaching?.terms ?? [];
    const hasSegments = terms.some(({ kind }) => kind === 'segment');
    const varies = this.kind === 'Variation';
    const isFollowed = terms.some((term) => term.kind === 'wrench' && term.axes === 'frame');
    const isTurned = terms.some((term) => term.kind === 'segment' || term.axes === 'world');
    return [
      ...(isTurned || !varies ? [this.applyChange('world')] : []),
      ...(isFollowed || !varies ? [this.applyChange('frame')] : []),
      {
        name: `transmit${this.kind}`,
        purpose:
          'Adds the change of what a wrench on a link does on its coordinates, and on those of all that carry it.',
        parameters: [
          ['link', 'index'],
          ['stop', 'index'],
          ['tau', 'written'],
          ['at', 'index'],
        ],
        lines: this.printer.walks.transmitChange(varies ? 'varyApplied' : 'perturbApplied'),
      },
      ...(hasSegments ? this.ofSegments() : []),
      ...(terms.length > 0 ? [this.reach(terms)] : []),
    ];
  }

  private call(name: string, ...parameters: readonly (string | number)[]): string {
    return this.language.call(name, parameters.map(String));
  }

  private shared(name: Parameters<DriverLanguage['shared']>[0]): string {
    return this.language.shared(name);
  }

  /** A program on the pose of `link` and its change, and the offset of the frame `index` on it; none of the base. */
  private ofFrame(program: Program, write: (row: RowAccess, place: Place) => string): string[] {
    const { language } = this;
    const row = language.row('link');
    const lines = this.printer.program(program, {
      read: ({ buffer, index }) => {
        const place = FRAME_PLACES.motion + index;
        if (buffer === 'pose') return language.value(row.number('own', place));
        if (buffer === 'poseChange') return language.value(row.number('ownTangent', place));
        return this.offsetOr(buffer, index);
      },
      write: (place) => write(row, place),
    });
    return [language.declareRead('offset', language.frameOffset('index')), ...row.declarations, ...lines];
  }

  private offsetOr(buffer: string, index: number): string {
    const { language } = this;
    if (buffer !== 'offsetChange') return language.value(`${buffer}[${index}]`);
    const at = `12 * (index - ${this.printer.frames}) + ${index}`;
    return language.value(language.sharedNumber('placeOffsetsTangent', at));
  }

  /** The change of the origin of a frame on the base, which stands still itself. */
  private originOnBase(): string[] {
    const { language } = this;
    const lines = this.printer.program(originChangeProgram('Variation', true), {
      read: ({ buffer, index }) =>
        buffer === 'pose'
          ? language.value(language.sharedNumber('base', FRAME_PLACES.motion + index))
          : this.offsetOr(buffer, index),
      write: ({ index }) => `to[${index}]`,
    });
    return language.branch('link < 0', lines);
  }

  private applyChange(axes: 'world' | 'frame'): DriverFunction {
    const lines = this.ofFrame(wrenchChangeProgram(axes, this.kind), (row, { index }) =>
      row.number('ownTangent', FRAME_PLACES.wrench + index),
    );
    return {
      name: applyChangeFunction(axes, this.kind),
      purpose: `The change of a wrench on a frame, in axes of the ${axes}, as its link sees it.`,
      parameters: [
        ['index', 'index'],
        ['link', 'index'],
        ['wrench', 'read'],
        ['change', 'read'],
      ],
      lines: this.language.branch('link >= 0', lines),
    };
  }

  private ofSegments(): DriverFunction[] {
    const { language, kind } = this;
    const programs = kind === 'Change' ? (['segmentPullChange', 'oppositeChange'] as const) : [];
    const own = programs.map((name): DriverFunction => {
      const { purpose, program, reads = [] } = SEGMENT_PROGRAMS[name];
      return { name, purpose, parameters: reads, lines: this.printer.program(program(), {}) };
    });
    const moved = this.ofFrame(originChangeProgram(this.kind), (_, { index }) => `to[${index}]`);
    const ofBase = kind === 'Variation' ? this.originOnBase() : [];
    const origin: DriverFunction = {
      name: `origin${this.kind}`,
      purpose: 'The change of the origin of a frame.',
      parameters: [
        ['index', 'index'],
        ['link', 'index'],
        ['to', 'written'],
      ],
      lines: [language.clear('to', 3), ...ofBase, ...language.branch('link >= 0', moved)],
    };
    const onLink = (frame: string, link: string): string[] => [
      this.call(applyFunction('world'), frame, this.shared('heldLoad')),
      this.call(applyChangeFunction('world', kind), frame, link, this.shared('heldLoad'), this.shared('heldChange')),
      this.call(`transmit${kind}`, link, 'stop', 'tau', 'at'),
    ];
    const pull: DriverFunction = {
      name: `pullSegment${kind}`,
      purpose: 'Adds the change of the generalized forces of a tension between two frames.',
      parameters: [
        ['from', 'index'],
        ['to', 'index'],
        ['fromLink', 'index'],
        ['toLink', 'index'],
        ['stop', 'index'],
        ['tension', 'number'],
        ['tau', 'written'],
        ['at', 'index'],
      ],
      lines: [
        this.call('framePose', 'from', language.nothing, this.shared('startPoint')),
        this.call('framePose', 'to', language.nothing, this.shared('endPoint')),
        this.call(`origin${kind}`, 'from', 'fromLink', this.shared('startChange')),
        this.call(`origin${kind}`, 'to', 'toLink', this.shared('endChange')),
        this.call('segmentPull', 'tension'),
        this.call('segmentPullChange', 'tension'),
        ...onLink('from', 'fromLink'),
        this.call('oppositeLoad'),
        this.call('oppositeChange'),
        ...onLink('to', 'toLink'),
      ],
    };
    return [...own, origin, pull];
  }

  private poseChanges(last: number): string[] {
    if (this.kind === 'Variation')
      return this.printer.has('poseVariation') ? [this.call(sweepFunction('poseVariation'), last)] : [];
    return this.printer.has('poseChange') ? [this.call(sweepFunction('poseChange'), last, 'at', 'dq')] : [];
  }

  private reach(terms: readonly PlacedTerm[]): DriverFunction {
    const { language, printer, kind } = this;
    const { places } = this.model.reaching!;
    const linkOf = (place: number): number => places[place]!.link;
    const last = Math.max(...places.map(({ link }) => link));
    const sweeps = [
      ...(printer.has('pose') ? [this.call(sweepFunction('pose'), last)] : []),
      ...this.poseChanges(last),
    ];
    const lines = terms.flatMap((term): string[] => {
      const input = language.value(`u[${term.actuator}]`);
      if (term.kind === 'segment') {
        const ends = [printer.frames + term.from, printer.frames + term.to, linkOf(term.from), linkOf(term.to)];
        return [this.call(`pullSegment${kind}`, ...ends, term.stop, input, 'dtau', 'at')];
      }
      const [frame, link] = [printer.frames + term.on, linkOf(term.on)];
      const load = term.unit.map((value, i) => {
        const scaled = value === 0 ? language.target.number(0) : `${language.target.number(value)} * ${input}`;
        return `${language.sharedNumber('heldLoad', i)} = ${scaled};`;
      });
      return [
        ...load,
        language.clearShared('heldChange'),
        this.call(applyFunction(term.axes), frame, this.shared('heldLoad')),
        this.call(
          applyChangeFunction(term.axes, kind),
          frame,
          link,
          this.shared('heldLoad'),
          this.shared('heldChange'),
        ),
        this.call(`transmit${kind}`, link, -1, 'dtau', 'at'),
      ];
    });
    return {
      name: `reach${kind}s`,
      purpose: 'Changes of generalized forces of actuators that reach from link to link, added.',
      parameters: [
        ['at', 'index'],
        ['u', 'read'],
        ...(kind === 'Change' ? [['dq', 'direction'] as const] : []),
        ['dtau', 'written'],
      ],
      lines: [this.call(baseFunction('pose')), ...sweeps, ...lines],
    };
  }
}
