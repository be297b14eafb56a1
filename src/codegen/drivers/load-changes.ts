/**
 * What a driver does for changes of generalized forces along a direction of the coordinates, of wrenches on frames and of actuators
 * that reach from link to link: J changes, and with it what acts in world axes turns in those of the links. Poses and their
 * changes are those that sweeps left in the blocks of the links. Variations are the same along a direction of the run-time parameters,
 * where these move what actuators hold on to. Deductions take such changes off of derivatives that weigh generalized forces.
 */
import { borderOf } from '../modules/border.ts';
import { drivesBetweenLinks, movesActuators, variesPlaces, type RobotModel } from '../modules/robot-model.ts';
import type { Place } from '../operations/operation.ts';
import type { Program } from '../programs/program.ts';
import {
  sum,
  type DriverFunction,
  type DriverLanguage,
  type DriverParameters,
  type Index,
  type RowAccess,
} from './driver-language.ts';
import { wayFrom } from './equal-links.ts';
import { DriverPart } from './driver-part.ts';
import { FrameTermPrinter, type ChangeKind } from './frame-terms.ts';
import { applyTangentFunction, baseFunction, formulaFunction, sweepFunction } from '../sweeps/function-names.ts';
import type { DriverPrinter } from './print-driver.ts';
import { frameChangeProgram, hasFormulas, motionChangeProgram, wrenchChangeProgram } from './robot-programs.ts';

/** Functions of a robot that is compiled with derivatives; of others none. */
export function loadTangentFunctions(
  printer: DriverPrinter,
  language: DriverLanguage,
  model: RobotModel,
): readonly DriverFunction[] {
  const of = (kind: ChangeKind): readonly DriverFunction[] =>
    new LoadChangePrinter(printer, language, model, kind).functions();
  return [
    ...(model.derivatives ? of('Tangent') : []),
    ...(variesPlaces(model) ? of('Variation') : []),
    ...(model.derivatives ? pushChanges(printer, language, model, new FrameTermPrinter(printer, language, model)) : []),
  ];
}

class LoadChangePrinter extends DriverPart<DriverPrinter> {
  private readonly kind: ChangeKind;
  private readonly frameTerms: FrameTermPrinter;

  constructor(printer: DriverPrinter, language: DriverLanguage, model: RobotModel, kind: ChangeKind) {
    super(printer, language, model);
    this.kind = kind;
    this.frameTerms = new FrameTermPrinter(printer, language, model);
  }

  functions(): readonly DriverFunction[] {
    const { frameTerms, kind } = this;
    const varies = kind === 'Variation';
    const axes = frameTerms.axesOfShapes;
    return [
      ...this.ofMotions(),
      ...this.framesAlong(),
      ...(axes.has('world') || !varies ? [this.applyChange('world')] : []),
      ...(axes.has('frame') || !varies ? [this.applyChange('frame')] : []),
      {
        name: `transmit${kind}`,
        purpose:
          'Adds the change of what a wrench on a link does on its coordinates, and on those of all that carry it.',
        parameters: { link: 'index', stop: 'index', tau: 'written', at: 'index' },
        lines: this.printer.walks.transmitTangent(varies ? 'transmitVariation' : 'transmitTangent'),
      },
      ...(frameTerms.changesWith(kind) ? [this.frameTangent()] : []),
      ...frameTerms.changes(kind),
    ];
  }

  /** Changes of the frames whose motions terms see: along a direction, where a border is also of those on which something acts. */
  private framesAlong(): readonly DriverFunction[] {
    const { kind, printer, language, model } = this;
    const { moving } = this.frameTerms;
    if (moving.length === 0) return [];
    const { places } = model.reaching!;
    const all = [...new Set(moving.flatMap((term) => term.places))];
    const links = new Set(all.flatMap((place) => wayFrom(model, places[place]!.link)));
    type Sweep = 'biasMotion' | `motion${ChangeKind}` | 'pose' | `pose${ChangeKind}`;
    const sweepOver = (name: Sweep, acting?: true): string[] =>
      printer.has(name) ? printer.sweep(name, { links, laden: new Set(), ...(acting && { acting }) }) : [];
    const along = (acting: true | undefined, motions: readonly string[]): string[] => {
      const keep = (name: 'keepDrift' | 'keepDriftTangent', to: (place: number) => string): string[] =>
        all.flatMap((place) => {
          const { link } = places[place]!;
          const lines = [this.call(name, link, to(place))];
          return acting && model.instances[link]?.pointOf !== undefined ? printer.whereActing(link, lines) : lines;
        });
      return [
        this.call(baseFunction('biasMotion')),
        ...sweepOver('biasMotion', acting),
        ...keep('keepDrift', (place) => language.placeDrift(place)),
        ...motions,
        ...keep('keepDriftTangent', (place) => language.placeDriftTangent(place)),
        this.call(baseFunction('pose')),
        ...sweepOver('pose', acting),
        ...sweepOver(`pose${kind}`, acting),
      ];
    };
    if (kind === 'Variation')
      return [
        {
          name: 'alongParametersOfFrames',
          purpose:
            'Changes of motions and poses of the frames whose motions terms see along a direction of the parameters.',
          parameters: {},
          lines: along(undefined, sweepOver('motionVariation')),
        },
      ];
    return [undefined, ...(borderOf(model) ? ([true] as const) : [])].flatMap((acting) => {
      const motions = acting ? 'alongActingMotions' : 'alongMotions';
      const which = acting ? ' on which something acts' : '';
      return [
        {
          name: motions,
          purpose: `Changes of motions of the links of these frames${which} along a direction.`,
          parameters: { ...DIRECTION, dqdd: 'direction' },
          lines: sweepOver('motionTangent', acting),
        },
        {
          name: acting ? 'alongActing' : 'alongFrames',
          purpose: `Changes of motions and poses of the frames whose motions terms see${which} along a direction.`,
          parameters: DIRECTION,
          lines: along(acting, [this.call(motions, 'at', 'dq', 'dqd', language.nothing)]),
        },
      ];
    });
  }

  /** What loops, contacts between links and tendons with friction see of motions. */
  private ofMotions(): readonly DriverFunction[] {
    const { robot } = this.model;
    const isSeen = this.frameTerms.moving.length > 0;
    if (this.kind === 'Variation') return isSeen ? [this.frameMotion()] : [];
    return robot.loops || isSeen ? [this.frameMotion(), this.keepDrift()] : [];
  }

  private frameMotion(): DriverFunction {
    const { language, kind } = this;
    const moved = this.ofFrame(motionChangeProgram(kind), (_, { buffer, index }) => `${buffer}[${index}]`);
    return {
      name: `frameMotion${kind}`,
      purpose: 'Changes of the twist and of the acceleration of a frame from those of pose and motion of its link.',
      parameters: {
        index: 'index',
        link: 'index',
        drift: 'read',
        change: 'read',
        twist: 'written',
        acceleration: 'written',
      },
      lines: [language.clear('twist', 6), language.clear('acceleration', 6), ...language.branch('link >= 0', moved)],
    };
  }

  private keepDrift(): DriverFunction {
    const { language } = this;
    const row = language.row('link');
    return {
      name: 'keepDriftTangent',
      purpose: 'The change of the motion of a link, whose place that of its pose will take.',
      parameters: { link: 'index', to: 'written' },
      lines: [
        language.clear('to', 12),
        ...language.branch('link >= 0', [
          ...row.declarations,
          ...language.loop('k', 0, 12, [`to[k] = ${language.value(row.number('ownTangent', 'biasMotion', 'k'))};`]),
        ]),
      ],
    };
  }

  /** A program on the pose of `link` and its change, and the offset of the frame `index` on it; none of the base. */
  private ofFrame(program: Program, write: (row: RowAccess, place: Place) => string): string[] {
    const { language } = this;
    const row = language.row('link');
    const lines = this.printer.program(program, {
      read: ({ buffer, index }) => {
        if (buffer === 'pose') return language.value(row.number('own', 'pose', index));
        if (buffer === 'poseTangent') return language.value(row.number('ownTangent', 'pose', index));
        return this.offsetOr(buffer, index);
      },
      write: (place) => write(row, place),
    });
    return [language.declareRead('offset', language.frameOffset('index')), ...row.declarations, ...lines];
  }

  private offsetOr(buffer: string, index: number): string {
    const { language } = this;
    if (buffer !== 'offsetTangent') return language.value(`${buffer}[${index}]`);
    const at = `12 * (index - ${this.printer.frames}) + ${index}`;
    return language.value(language.sharedNumber('placeOffsetsTangent', at));
  }

  /** The change of a frame on the base, which stands still itself. */
  private changeOnBase(): string[] {
    const { language } = this;
    const lines = this.printer.program(frameChangeProgram('Variation', this.frameTerms.seesAxes, true), {
      read: ({ buffer, index }) =>
        buffer === 'pose' ? language.value(language.baseNumber('pose', index)) : this.offsetOr(buffer, index),
      write: ({ buffer, index }) => `${buffer}[${index}]`,
    });
    return language.branch('link < 0', lines);
  }

  private applyChange(axes: 'world' | 'frame'): DriverFunction {
    const lines = this.ofFrame(wrenchChangeProgram(axes, this.kind), (row, { index }) =>
      row.number('ownTangent', 'applied', index),
    );
    return {
      name: applyTangentFunction(axes, this.kind),
      purpose: `The change of a wrench on a frame, in axes of the ${axes}, as its link sees it.`,
      parameters: { index: 'index', link: 'index', wrench: 'read', change: 'read' },
      lines: this.language.branch('link >= 0', lines),
    };
  }

  private frameTangent(): DriverFunction {
    const { language, kind } = this;
    const { seesAxes } = this.frameTerms;
    const moved = this.ofFrame(frameChangeProgram(kind, seesAxes), (_, { buffer, index }) => `${buffer}[${index}]`);
    const cleared = (array: string, size: number): string[] =>
      seesAxes
        ? language.branch(language.isGiven(array), [language.clear(array, size)])
        : [language.clear(array, size)];
    return {
      name: `frame${kind}`,
      purpose: `The change of the origin of a frame${seesAxes ? ', and of its axes; where wanted' : ''}.`,
      parameters: {
        index: 'index',
        link: 'index',
        ...(seesAxes && { axes: 'wanted' as const }),
        origin: seesAxes ? 'wanted' : 'written',
      },
      lines: [
        ...(seesAxes ? cleared('axes', 9) : []),
        ...cleared('origin', 3),
        ...(kind === 'Variation' ? this.changeOnBase() : []),
        ...language.branch('link >= 0', moved),
      ],
    };
  }
}

const DIRECTION: DriverParameters = { at: 'index', dq: 'direction', dqd: 'direction' };

/** Changes of what contacts between links take, and their transpose, a coordinate and a rate at a time. */
function pushChanges(
  printer: DriverPrinter,
  language: DriverLanguage,
  model: RobotModel,
  frameTerms: FrameTermPrinter,
): readonly DriverFunction[] {
  const { pushes } = frameTerms;
  if (pushes.length === 0) return [];
  const call = (name: string, ...parameters: readonly (string | number)[]): string => language.call(name, parameters);
  const unit = language.shared('unitChange');
  const pulled = language.shared('pulled');
  const along = (q: string, qd: string, to: string): string[] => {
    const entry = `${to}[${sum('at', 'a')}]`;
    const product = `${language.value(language.sharedNumber('pulled', 'b'))} * ${language.value(`weights[${sum('at', 'b')}]`)}`;
    return [
      language.clearShared('pulled'),
      call('addPushTangents', 0, q, qd, pulled),
      ...language.loop('b', 0, printer.n, [`${entry} = ${language.value(entry)} + ${product};`]),
    ];
  };
  const transpose: DriverFunction = {
    name: 'weighPushes',
    purpose: 'Derivatives of what weights have of the forces that contacts between links take, added.',
    parameters: { at: 'index', weights: 'read', by_q: 'written', by_qd: 'written' },
    lines: language.loop('a', 0, printer.n, [
      language.clearShared('unitChange'),
      `${language.sharedNumber('unitChange', 'a')} = ${language.target.number(1)};`,
      ...along(unit, language.nothing, 'by_q'),
      ...along(language.nothing, unit, 'by_qd'),
    ]),
  };
  const varied: DriverFunction = {
    name: 'addPushVariations',
    purpose: 'Changes of what contacts between links take along a direction of the parameters, added or taken off.',
    parameters: { at: 'index', sign: 'number', dtau: 'written' },
    lines: [call('alongParametersOfFrames'), ...pushes.map((term) => frameTerms.callChange(term, 'Variation', 'sign'))],
  };
  const changed: DriverFunction = {
    name: 'addPushTangents',
    purpose: 'Changes of what contacts between links take along a direction, added.',
    parameters: { ...DIRECTION, dtau: 'written' },
    lines: [
      call('alongFrames', 'at', 'dq', 'dqd'),
      ...pushes.map((term) => frameTerms.callChange(term, 'Tangent', language.target.number(-1))),
    ],
  };
  return [changed, ...(model.adjoints ? [transpose] : []), ...(variesPlaces(model) ? [varied] : [])];
}

/** Of actuators between links, for derivatives by run-time parameters. */
export function deductions(
  printer: DriverPrinter,
  language: DriverLanguage,
  model: RobotModel,
): readonly DriverFunction[] {
  const frameTerms = new FrameTermPrinter(printer, language, model);
  return [...ofLinks(language, model, frameTerms, printer.n), ...ofPlaces(language, model, frameTerms, printer)];
}

function ofPlaces(
  language: DriverLanguage,
  model: RobotModel,
  frameTerms: FrameTermPrinter,
  { n, p }: { readonly n: Index; readonly p: Index },
): readonly DriverFunction[] {
  if (!movesActuators(model)) return [];
  const [unit, pulled] = [language.shared('unitParameter'), language.shared('pulled')];
  return [
    {
      name: 'deductPlaces',
      purpose: 'What by_tau weighs of changes of B u as run-time parameters move actuators between links, taken off.',
      parameters: { u: 'read', by_tau: 'read', by_p: 'written' },
      lines: deducted(language, { unit: 'unitParameter', from: 'by_p', index: 'k', count: p }, n, [
        language.call('alongParameters', ['0', unit]),
        language.clearShared('baseTangent'),
        ...(frameTerms.hasDrives ? [language.call('reachVariations', ['0', 'u', pulled])] : []),
        ...(frameTerms.hasForces
          ? [language.call('addForceVariations', ['0', language.target.number(-1), pulled])]
          : []),
        // Forces of a unit input push, those between frames take.
        ...(frameTerms.pushes.length > 0
          ? [language.call('addPushVariations', ['0', language.target.number(1), pulled])]
          : []),
      ]),
    },
  ];
}

function ofLinks(
  language: DriverLanguage,
  model: RobotModel,
  frameTerms: FrameTermPrinter,
  n: Index,
): readonly DriverFunction[] {
  if (!model.gradients || !drivesBetweenLinks(model)) return [];
  const [unit, pulled] = [language.shared('unitChange'), language.shared('pulled')];
  const off = (from: string, changes: readonly string[]): string[] =>
    deducted(language, { unit: 'unitChange', from, index: 'a', count: n }, n, changes);
  return [
    {
      name: 'deductLinks',
      purpose: 'What by_tau weighs of changes of B u by actuators between links, taken off, column by column.',
      parameters: {
        u: 'read',
        by_tau: 'read',
        by_q: 'written',
        ...(frameTerms.rubs && { by_qd: 'written' as const }),
      },
      lines: [
        ...off('by_q', [
          ...(hasFormulas(model)
            ? [
                language.call(sweepFunction('takeDirection'), ['0', unit]),
                language.call(formulaFunction('changes'), ['0', 'u', pulled]),
              ]
            : []),
          ...frameTerms.callReachTangents('0', unit, language.nothing, pulled),
        ]),
        ...(frameTerms.rubs ? off('by_qd', frameTerms.callReachTangents('0', language.nothing, unit, pulled)) : []),
      ],
    },
  ];
}

/** One unit direction after the other: what it changes of `pulled`, by `changes`, weighed by by_tau and taken off of an entry. */
function deducted(
  language: DriverLanguage,
  along: {
    readonly unit: 'unitParameter' | 'unitChange';
    readonly from: string;
    readonly index: string;
    readonly count: Index;
  },
  n: Index,
  changes: readonly string[],
): string[] {
  const { unit, from, index, count } = along;
  const entry = `${from}[${index}]`;
  const product = `${language.value(language.sharedNumber('pulled', 'b'))} * ${language.value('by_tau[b]')}`;
  const lines = [
    language.clearShared(unit),
    language.clearShared('pulled'),
    `${language.sharedNumber(unit, index)} = ${language.target.number(1)};`,
    ...changes,
    ...language.loop('b', 0, n, [`${entry} = ${language.value(entry)} - ${product};`]),
  ];
  return language.loop(index, 0, count, lines);
}
