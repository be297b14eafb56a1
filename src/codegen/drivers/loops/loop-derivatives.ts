/**
 * What a driver does for derivatives of constrained forward dynamics, M q̈ + h − Jᵀλ = τ and a = −2α φ̇ − β² φ with a = φ̈ at q̈: by the
 * implicit function theorem changes of (q̈, λ) solve the same system. Its right-hand sides are changes of Jᵀλ and of a + 2α φ̇ + β² φ along a
 * direction, at fixed q̈ and λ, and its transpose takes their transposes. Rows over the same frames are one function.
 */
import { heldSymbols } from '../../../description/model/frame-terms.ts';
import { gradientByPose, ratesOf, sees, type FrameTerm } from '../../../kane/equations/frame-terms.ts';
import type { PlacedLoop } from '../../../kane/kernels/link-type.ts';
import { adjoints, directionalDerivative } from '../../../symbolic/graph/differentiate.ts';
import { negate, one, plus, times, type Expr } from '../../../symbolic/graph/expr.ts';
import { freeSymbols } from '../../../symbolic/graph/traverse.ts';
import { addVectors, cross, vector3 } from '../../../symbolic/graph/vector.ts';
import { loopTime, type RobotModel } from '../../modules/robot-model.ts';
import { heldPart } from '../../modules/workspace.ts';
import type { LoopDerivativeAction } from '../../sweeps/robot-function.ts';
import type { Among } from '../equal-links.ts';
import {
  added,
  perFrame,
  sum,
  type DriverFunction,
  type DriverLanguage,
  type DriverParameters,
  type Index,
} from '../driver-language.ts';
import { applyFunction, applyTangentFunction, baseFunction } from '../../sweeps/function-names.ts';
import {
  AXES_TANGENTS,
  BIAS_TANGENTS,
  BIASES,
  framesOf as framesOfTerm,
  HeldParts,
  ORIGIN_TANGENTS,
  POSES,
  poseTangent,
  TWIST_TANGENTS,
  TWISTS,
} from '../held-parts.ts';
import { motionWeightsProgram, named, programOf, timeBuffer, type Buffer, type Result } from '../robot-programs.ts';
import { DriverPart, type PrintedDriver } from '../driver-part.ts';
import { LoopPrinter } from './loop-closure.ts';
import { LoopStepPrinter } from './loop-steps.ts';
import { demand, FEEDBACK, formulaChanges, isFeedback, ofColumn } from './loop-formulas.ts';

type Closure = readonly FrameTerm[];

const FEEDBACK_PARAMETERS: DriverParameters = { alpha: 'number', beta: 'number' };

/** How much of time passes along a direction. */
const PASSING: Buffer = { buffer: 'passing', symbols: named('passing', 1) };

const framesOf = ([first]: Closure): readonly number[] => framesOfTerm(first!);
const indices = (closure: Closure, name: string): DriverParameters => perFrame(framesOf(closure), name, 'index');
/** Motions of the links of all frames, each with its change. */
const alternating = (closure: Closure): DriverParameters =>
  Object.assign(
    {},
    ...framesOf(closure).map((k) => ({ ...perFrame([k], 'drift', 'read'), ...perFrame([k], 'change', 'read') })),
  ) as DriverParameters;
const reads = (closure: Closure, name: string): DriverParameters => perFrame(framesOf(closure), name, 'read');

export class LoopDerivativePrinter extends DriverPart {
  private readonly closing: LoopPrinter;
  private readonly held: HeldParts;
  private readonly steps: LoopStepPrinter;

  constructor(printer: PrintedDriver, language: DriverLanguage, model: RobotModel) {
    super(printer, language, model);
    this.held = new HeldParts(language);
    this.closing = new LoopPrinter(printer, language, model);
    this.steps = new LoopStepPrinter(printer, language, model, this.closing, (...given) => this.forces(...given));
  }

  // -------------------------------------------------------------------------------------------- in functions of the robot

  /** In a function of the robot that goes column by column, from `at` on. */
  print({ loopDerivatives, arrays = [] }: LoopDerivativeAction): string[] {
    const { closing, language } = this;
    if (closing.rows === 0) return [];
    const [given = '', taken = ''] = arrays;
    switch (loopDerivatives) {
      case 'change':
        return [
          closing.call('changeLoops', 'column', 'at', 'alpha', 'beta', 'qdd', 'lambda', 'dq', 'dqd', 'dqdd', 'dlambda'),
        ];
      case 'weigh':
        return [
          closing.call(
            'weighLoops',
            'column',
            'at',
            'alpha',
            'beta',
            'qdd',
            'lambda',
            'by_tau',
            'by_bias',
            'by_q',
            'by_qd',
          ),
        ];
      case 'solve': {
        const target = language.sharedNumber('loopTargets', 'j');
        const put = closing.each([`${target} = ${language.value(this.ofColumn(given, 'j'))};`]);
        const lines =
          given === taken
            ? put
            : [language.clearShared('loopTargets'), ...language.branch(language.isGiven(given), put)];
        const isTranspose = given !== taken;
        return [
          closing.keep(),
          ...lines,
          ...closing.giving.changes(isTranspose),
          ...closing.solve('loopTargets', false),
          ...(isTranspose ? closing.giving.weights() : []),
          ...closing.each([
            `${this.ofColumn(taken, 'j')} = ${language.value(language.sharedNumber('loopMultipliers', 'j'))};`,
          ]),
        ];
      }
      case 'slopeStep':
        return [closing.call('slopeStepOfLoops', 'h', 'qdd')];
      case 'changeStep':
        return [closing.call('changeStepOfLoops', 'column', 'at', 'lambda', 'dq', 'dqd', 'dqdd', 'dlambda')];
      case 'solveStep': {
        const target = language.sharedNumber('loopTargets', 'j');
        const entry = this.ofColumn(given, 'j');
        const multiplier = language.value(language.sharedNumber('loopMultipliers', 'j'));
        return [
          closing.keep(),
          ...(given ? closing.each([`${target} = ${language.value(entry)};`]) : [language.clearShared('loopTargets')]),
          ...closing.giving.ofStep(),
          ...closing.solve('loopTargets', false),
          ...(given ? closing.each([`${entry} = ${multiplier};`]) : []),
        ];
      }
      case 'weighStep':
        return [closing.call('weighStepOfLoops', 'h', 'qdd', 'lambda', 'by_tau', 'by_q', 'by_qd')];
      case 'negate':
        return language.loop(
          'a',
          0,
          this.printer.n,
          arrays.map((array) => `${array}[${sum('at', 'a')}] = -${language.value(`${array}[${sum('at', 'a')}]`)};`),
        );
    }
  }

  private ofColumn(array: string, row: Index): string {
    return ofColumn(array, this.closing.rows, row);
  }

  // -------------------------------------------------------------------------------------------- what drivers have

  /** Of robots with loops and derivatives. */
  functions(): readonly DriverFunction[] {
    const { closing, model } = this;
    if (closing.rows === 0 || !model.derivatives) return [];
    const { closures } = this;
    return [
      ...this.sweeps(),
      ...closures.flatMap((closure, index) => [this.demandTangent(closure, index), this.forcesTangent(closure, index)]),
      this.change(),
      ...(model.adjoints
        ? [
            this.motionWeights(),
            this.addDriftTangent(),
            ...closures.map((closure, index) => this.weights(closure, index)),
            this.weigh(),
          ]
        : []),
      ...this.steps.functions(),
    ];
  }

  private get closures(): readonly Closure[] {
    return this.model.reaching?.closures ?? [];
  }

  private nameOf(what: string, closure: number): string {
    return `${what}OfLoop${this.closures.length > 1 ? closure + 1 : ''}`;
  }

  private get loops(): readonly PlacedLoop[] {
    return this.closing.loops;
  }

  /** Places of frames, by index, with the instances that they ride on. */
  private get places(): readonly { readonly place: number; readonly link: number }[] {
    const all = [...new Set(this.loops.flatMap(({ places }) => places))];
    return all.map((place) => ({ place, link: this.closing.linkOf(place) }));
  }

  private sweep(name: 'motion' | 'motionTangent' | 'motionAdjoint' | 'poseTangent', laden: Among['laden']): string[] {
    const { printer, closing } = this;
    return printer.has(name) ? printer.sweep(name, { links: closing.touched.links, laden }) : [];
  }

  private indexed(name: string, { closure, places }: PlacedLoop, ...further: readonly (string | number)[]): string {
    const frames = places.map((place) => this.printer.frames + place);
    return this.closing.call(this.nameOf(name, closure), ...frames, ...further);
  }

  /** The change of what multipliers of a loop do, off an array. @param passing how much of time passes along the direction. */
  private forces(loop: PlacedLoop, lambda: string, to: string, at: Index, passing?: string): string {
    const time = this.follows(this.closures[loop.closure]!) ? [passing ?? this.language.target.number(0)] : [];
    return this.indexed('forcesTangent', loop, ...this.linksOf(loop), loop.stop, lambda, loop.row, to, at, ...time);
  }

  /** Do wrenches of these rows change while nothing moves? */
  private follows(closure: Closure): boolean {
    const time = loopTime(this.model);
    return time !== undefined && freeSymbols(closure.flatMap(({ wrenches }) => wrenches.flat())).includes(time);
  }

  private linksOf({ places }: PlacedLoop): number[] {
    return places.map((place) => this.closing.linkOf(place));
  }

  /** Statements that the frame `index` on `link` needs of its pose. */
  private onLink(lines: (row: ReturnType<DriverLanguage['row']>) => readonly string[]): string[] {
    const { language } = this;
    const row = language.row('link');
    return language.branch('link >= 0', [
      language.declareRead('offset', language.frameOffset('index')),
      ...row.declarations,
      ...lines(row),
    ]);
  }

  private motionWeights(): DriverFunction {
    const { language, printer } = this;
    const lines = this.onLink((row) =>
      printer.program(motionWeightsProgram(), {
        read: ({ buffer, index }) =>
          language.value(buffer === 'pose' ? row.number('own', 'pose', index) : `${buffer}[${index}]`),
        write: ({ buffer, index }) => `${buffer}[${index}]`,
      }),
    );
    return {
      name: 'frameMotionWeights',
      purpose:
        'Derivatives by the motion of a link from those by the twist and the acceleration of a frame on it, added.',
      parameters: {
        index: 'index',
        link: 'index',
        drift: 'read',
        twist: 'read',
        acceleration: 'read',
        seeds: 'written',
      },
      lines,
    };
  }

  private change(): DriverFunction {
    const { closing, language, loops, places } = this;
    return {
      name: 'changeLoops',
      purpose:
        'Changes of what rows ask of accelerations, and those of what multipliers do taken off, along a direction.',
      parameters: {
        column: 'index',
        at: 'index',
        ...FEEDBACK_PARAMETERS,
        qdd: 'read',
        lambda: 'read',
        dq: 'direction',
        dqd: 'direction',
        tau: 'written',
        dlambda: 'written',
      },
      lines: [
        ...closing.each([`${this.ofColumn('dlambda', 'j')} = ${language.target.number(0)};`]),
        ...this.motions(),
        closing.call('changeMotionsOfLoops', 'at', 'dq', 'dqd', language.nothing),
        ...places.map(({ place, link }) => closing.call('keepDriftTangent', link, language.placeDriftTangent(place))),
        closing.call('placeLoops'),
        closing.call('changePosesOfLoops', 'at', 'dq'),
        ...loops.flatMap((loop) => {
          const own = loop.places.flatMap((place) => [language.placeDrift(place), language.placeDriftTangent(place)]);
          const links = this.linksOf(loop);
          return [
            this.indexed('demandTangent', loop, ...links, ...own, 'alpha', 'beta'),
            ...this.closures[loop.closure]!.map((_, j) => {
              const entry = this.ofColumn('dlambda', loop.row + j);
              return added(language, entry, language.sharedNumber('loopValues', j));
            }),
            this.forces(loop, 'lambda', 'tau', 'at'),
          ];
        }),
        ...formulaChanges(this.printer, language, this.model, 'change'),
      ],
    };
  }

  /** Motions of the links of all places at accelerations of the caller, set aside. */
  private motions(): string[] {
    const { closing, language, places } = this;
    return [
      closing.call('accelerateLoops', 'qdd'),
      ...places.map(({ place, link }) => closing.call('keepDrift', link, language.placeDrift(place))),
    ];
  }

  private sweeps(): readonly DriverFunction[] {
    const direction: DriverParameters = { at: 'index', dq: 'direction' };
    return [
      {
        name: 'accelerateLoops',
        purpose: 'Motions of the links of loops.',
        parameters: { qdd: 'read' },
        lines: [this.closing.call(baseFunction('biasMotion')), ...this.sweep('motion', new Set())],
      },
      {
        name: 'changeMotionsOfLoops',
        purpose: 'Their changes along a direction.',
        parameters: { ...direction, dqd: 'direction', dqdd: 'direction' },
        lines: this.sweep('motionTangent', new Set()),
      },
      {
        name: 'changePosesOfLoops',
        purpose: 'Changes of poses of the links of loops along a direction.',
        parameters: direction,
        lines: this.sweep('poseTangent', new Set()),
      },
    ];
  }

  // -------------------------------------------------------------------------------------------- rows over the same frames

  private demandsOf(closure: Closure): readonly Expr[] {
    const motions = framesOf(closure).map((k) => ({ twist: TWISTS[k]!.symbols, bias: BIASES[k]!.symbols }));
    return closure.map((row) => {
      const { rate, bias } = ratesOf(row, motions, loopTime(this.model));
      return demand(row.value, rate, bias, row.yields);
    });
  }

  private demandTangent(closure: Closure, index: number): DriverFunction {
    const { closing } = this;
    const frames = framesOf(closure);
    const demands = this.demandsOf(closure);
    const direction = new Map<Expr, Expr>();
    const changing = (of: readonly Expr[], changes: readonly Expr[]): void =>
      of.forEach((s, i) => direction.set(s, changes[i]!));
    for (const k of frames) {
      changing(heldSymbols(k), poseTangent(k));
      changing(TWISTS[k]!.symbols, TWIST_TANGENTS[k]!.symbols);
      changing(BIASES[k]!.symbols, BIAS_TANGENTS[k]!.symbols);
    }
    const values = directionalDerivative(demands, direction);
    const inputs = frames.flatMap((k) => [
      ...[TWISTS[k]!, BIASES[k]!, AXES_TANGENTS[k]!],
      ...[ORIGIN_TANGENTS[k]!, TWIST_TANGENTS[k]!, BIAS_TANGENTS[k]!],
    ]);
    return {
      name: this.nameOf('demandTangent', index),
      purpose: 'Changes of what these rows ask of accelerations: of their second derivatives, and of feedback.',
      parameters: {
        ...indices(closure, 'frame'),
        ...indices(closure, 'link'),
        ...alternating(closure),
        ...FEEDBACK_PARAMETERS,
      },
      lines: [
        ...this.held.poses(closure[0]!, values),
        ...this.frameTangents(closure, demands),
        ...frames.flatMap((k) => [
          this.held.motion(k),
          closing.call(
            ...(['frameMotionTangent', `frame${k}`, `link${k}`, `drift${k}`, `change${k}`] as const),
            this.held.of('TwistTangent', k),
            this.held.of('BiasTangent', k),
          ),
        ]),
        ...this.program(closure, [...inputs, ...FEEDBACK], [{ buffer: 'loopValues', values }]),
      ],
    };
  }

  /** Changes of poses of the frames as far as values see them. */
  private frameTangents(closure: Closure, values: readonly Expr[]): string[] {
    const { closing, language } = this;
    return framesOf(closure).flatMap((k) => {
      const { axes, origin } = sees(values, k);
      const wanted = [
        axes ? this.held.of('AxesTangent', k) : language.nothing,
        origin ? this.held.of('OriginTangent', k) : language.nothing,
      ];
      return axes || origin ? [closing.call('frameTangent', `frame${k}`, `link${k}`, ...wanted)] : [];
    });
  }

  private forcesTangent(closure: Closure, index: number): DriverFunction {
    const { closing } = this;
    const frames = framesOf(closure);
    const lambda: Buffer = { buffer: 'lambda', symbols: named('lambda', closure.length) };
    const direction = new Map<Expr, Expr>(
      frames.flatMap((k) => heldSymbols(k).map((s, i): [Expr, Expr] => [s, poseTangent(k)[i]!])),
    );
    const loads = frames.map((k) =>
      [0, 1, 2, 3, 4, 5].map((i) =>
        negate(plus(...closure.map(({ wrenches }, j) => times(lambda.symbols[j]!, wrenches[k]![i]!)))),
      ),
    );
    const follows = this.follows(closure);
    if (follows) direction.set(loopTime(this.model)!, PASSING.symbols[0]!);
    const results = frames.flatMap((k): Result[] => [
      { buffer: heldPart('Load', k), values: loads[k]! },
      { buffer: heldPart('LoadTangent', k), values: directionalDerivative(loads[k]!, direction) },
    ]);
    const inputs = [...frames.flatMap((k) => [AXES_TANGENTS[k]!, ORIGIN_TANGENTS[k]!]), lambda, PASSING];
    return {
      name: this.nameOf('forcesTangent', index),
      purpose: 'Changes of what multipliers of these rows do, taken off.',
      parameters: {
        ...indices(closure, 'frame'),
        ...indices(closure, 'link'),
        stop: 'index',
        lambda: 'read',
        row: 'index',
        tau: 'written',
        at: 'index',
        ...(follows && { passing: 'number' as const }),
      },
      lines: [
        ...this.held.poses(closure[0]!, loads.flat()),
        ...this.frameTangents(closure, loads.flat()),
        ...this.program(closure, inputs, results, 'row'),
        ...frames.flatMap((k) => [
          closing.call(applyFunction('world'), `frame${k}`, this.held.of('Load', k)),
          closing.call(
            ...([applyTangentFunction('world'), `frame${k}`, `link${k}`] as const),
            ...(['Load', 'LoadTangent'] as const).map((part) => this.held.of(part, k)),
          ),
          closing.call('transmitTangent', `link${k}`, 'stop', 'tau', 'at'),
        ]),
      ],
    };
  }

  /** Weights of what rows ask, by_bias, taken off; by motions of links, which wait for their sweep, and by poses. */
  private weights(closure: Closure, index: number): DriverFunction {
    const { closing } = this;
    const frames = framesOf(closure);
    const weights: Buffer = { buffer: 'weights', symbols: named('weights', closure.length) };
    const demands = this.demandsOf(closure);
    const total = negate(plus(...demands.map((own, j) => times(weights.symbols[j]!, own))));
    const motions = frames.flatMap((k) => [...TWISTS[k]!.symbols, ...BIASES[k]!.symbols]);
    const byMotion = adjoints([total], [one], motions);
    const byPose = adjoints([total], [one], frames.flatMap(heldSymbols));
    const results = frames.flatMap((k): Result[] => {
      const own = byMotion.slice(12 * k, 12 * k + 12);
      const [moment, force] = gradientByPose(byPose, k);
      // Twists and accelerations turn with the frame.
      const turned = [0, 3, 6, 9].map((from) =>
        cross(vector3(motions.slice(12 * k + from, 12 * k + from + 3)), vector3(own.slice(from, from + 3))),
      );
      return [
        { buffer: heldPart('Load', k), values: [...addVectors(moment, ...turned), ...force] },
        { buffer: heldPart('TwistTangent', k), values: own.slice(0, 6) },
        { buffer: heldPart('BiasTangent', k), values: own.slice(6) },
      ];
    });
    const inputs = [...frames.flatMap((k) => [TWISTS[k]!, BIASES[k]!]), weights, ...FEEDBACK];
    return {
      name: this.nameOf('weights', index),
      purpose:
        'Derivatives of what these rows ask of accelerations, weighed and taken off: by poses, and by motions of links.',
      parameters: {
        ...indices(closure, 'frame'),
        ...indices(closure, 'link'),
        ...reads(closure, 'drift'),
        ...perFrame(framesOf(closure), 'seeds', 'written'),
        stop: 'index',
        ...FEEDBACK_PARAMETERS,
        weights: 'read',
        row: 'index',
        by_q: 'written',
        at: 'index',
      },
      lines: [
        ...this.held.poses(
          closure[0]!,
          results.flatMap(({ values }) => [...values]),
        ),
        ...frames.map((k) => this.held.motion(k)),
        ...this.program(closure, inputs, results, 'row'),
        ...frames.flatMap((k) => [
          closing.call(
            ...(['frameMotionWeights', `frame${k}`, `link${k}`, `drift${k}`] as const),
            this.held.of('TwistTangent', k),
            this.held.of('BiasTangent', k),
            `seeds${k}`,
          ),
          closing.call(applyFunction('world'), `frame${k}`, this.held.of('Load', k)),
          closing.call('transmit', `link${k}`, 'stop', 'by_q', 'at', 1),
        ]),
      ],
    };
  }

  /** @param row where the numbers of these rows begin in arrays of the caller. */
  private program(closure: Closure, inputs: readonly Buffer[], results: readonly Result[], row: Index = 0): string[] {
    const parameters = { buffer: 'formulaParameters', symbols: this.model.held };
    const poses = framesOf(closure).flatMap((k) => POSES[k]!);
    return this.printer.program(
      programOf('loop', [...poses, ...inputs, parameters, ...timeBuffer(this.model)], results),
      {
        read: (place) => {
          if (isFeedback(place) || place.buffer === PASSING.buffer) return place.buffer;
          const isOfRow = place.buffer === 'lambda' || place.buffer === 'weights';
          const { language } = this;
          return isOfRow ? language.value(`${place.buffer}[${sum(row, place.index)}]`) : language.target.read(place);
        },
      },
    );
  }

  // -------------------------------------------------------------------------------------------- the transpose

  private weigh(): DriverFunction {
    const { closing, language, loops, places } = this;
    const laden = new Set(places.flatMap(({ link }) => (link >= 0 ? [link] : [])));
    const seeds = (place: number): string => language.placeDriftTangent(place);
    return {
      name: 'weighLoops',
      purpose:
        'The transpose: derivatives of what by_tau weighs of forces of multipliers and by_bias of what rows ask, taken off.',
      parameters: {
        column: 'index',
        at: 'index',
        ...FEEDBACK_PARAMETERS,
        qdd: 'read',
        lambda: 'read',
        by_tau: 'direction',
        by_bias: 'read',
        by_q: 'written',
        by_qd: 'written',
      },
      lines: [
        ...this.motions(),
        language.clearShared('placeDriftTangents'),
        closing.call('placeLoops'),
        closing.call('changePosesOfLoops', 'at', 'by_tau'),
        ...loops.flatMap((loop) => {
          const links = this.linksOf(loop);
          const drifts = loop.places.map((place) => language.placeDrift(place));
          const row = String(sum(`${closing.rows} * column`, loop.row));
          return [
            // Second derivatives of residuals are symmetric.
            this.forces(loop, 'lambda', 'by_q', 'at'),
            this.indexed(
              ...(['weights', loop, ...links, ...drifts, ...loop.places.map(seeds)] as const),
              ...[loop.stop, 'alpha', 'beta', 'by_bias', row, 'by_q', 'at'],
            ),
          ];
        }),
        closing.call('accelerateLoops', 'qdd'),
        ...[...laden].map((link) => language.clearBlock(link, 'biasMotion', 12, 'ownTangent')),
        ...places.flatMap(({ place, link }) => (link < 0 ? [] : [closing.call('addDriftTangent', link, seeds(place))])),
        ...this.sweep('motionAdjoint', laden),
        ...formulaChanges(this.printer, language, this.model, 'weigh'),
      ],
    };
  }

  private addDriftTangent(): DriverFunction {
    const { language } = this;
    const row = language.row('link');
    const total = row.number('ownTangent', 'biasMotion', 'k');
    return {
      name: 'addDriftTangent',
      purpose: 'Derivatives by the motion of a link, added to those that it has.',
      parameters: { link: 'index', from: 'read' },
      lines: [...row.declarations, ...language.loop('k', 0, 12, [added(language, total, 'from[k]')])],
    };
  }
}

/** What drivers of robots with loops have for them. */
export function loopFunctions(
  printer: PrintedDriver,
  language: DriverLanguage,
  model: RobotModel,
): readonly DriverFunction[] {
  return [LoopPrinter, LoopDerivativePrinter].flatMap((Own) => new Own(printer, language, model).functions());
}
