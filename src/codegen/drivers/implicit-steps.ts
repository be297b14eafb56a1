/**
 * What implicit steps ask of a link in a sweep: h D + h² K beside its mass, right-hand sides, changes of all that and the transpose; and
 * derivatives of what steps ask of loops.
 */
import { divide, one } from '../../symbolic/graph/expr.ts';
import type { PlacedLoop } from '../../kane/kernels/link-type.ts';
import type { Buffer } from '../../kane/kernels/buffers.ts';
import { added, matrixIndex, sum, type DriverFunction, type DriverLanguage, type Index } from './driver-language.ts';
import { addendOf, blockOf, callOf, countOf, each, hasFunction, whereHas, type LinkPlace } from './link-calls.ts';
import { changesLoopSteps, weighsLoopSteps, type RobotModel } from '../modules/robot-model.ts';
import { blockPlaceOf, type SharedPart } from '../modules/workspace.ts';
import type { LinkAddend } from '../sweeps/sweep-steps.ts';
import type { LoopPrinter } from './loop-closure.ts';
import { curvaturesOfFormulas, formulaForces, type PrintedDriver } from './loop-formulas.ts';
import { named } from './robot-programs.ts';

/**
 * h D + h² K to the addend. `step`: h K q̇ off the load, forces at the end of a step to first order; `linear`: K is kept
 * for right-hand sides to come.
 */
export function addendLines(language: DriverLanguage, of: LinkAddend, { run, access }: LinkPlace): string[] {
  const count = countOf(language, run.link);
  const size = addendOf(language, run.link);
  if (size === 0) return [];
  const own = (buffer: Buffer, a: Index): string => access.number('own', buffer, a);
  const cleared = each(language, 'a', size, (a) => [`${own('addend', a)} = ${language.target.number(0)};`]);
  if (of === 'nothing') return cleared;
  const keeps =
    of === 'linear' ? each(language, 'a', size, (a) => [`${own('springs', a)} = ${language.target.number(0)};`]) : [];
  const ofForces = (name: 'dissipation' | 'stiffness'): string[] => [
    ...callOf(language, name, { run, access }),
    ...each(language, 'a', count, (a) =>
      each(language, 'b', count, (b) => {
        const index = matrixIndex(a, b, count);
        const entry = language.value(language.sharedNumber('forceMatrix', index));
        const [total, rest] = [own('addend', index), own('load', a)];
        const share = `${name === 'stiffness' ? 'h * h' : 'h'} * ${entry}`;
        const force = `h * ${entry} * ${language.value(own('qd', b))}`;
        const ofStiffness =
          of === 'step' ? `${rest} = ${language.value(rest)} - ${force};` : `${own('springs', index)} = ${entry};`;
        return [`${total} = ${language.value(total)} + ${share};`, ...(name === 'stiffness' ? [ofStiffness] : [])];
      }),
    ),
  ];
  const matrices = (['dissipation', 'stiffness'] as const).flatMap((name) =>
    whereHas(language, run.link, name, () => ofForces(name)),
  );
  return [...cleared, ...keeps, ...matrices];
}

/**
 * −h ((h D + h² K) rv + h K rq) as load: M + h D + h² K times what is missing from h rv to the rates of
 * (1 − h J) x = h r.
 */
export function implicitLoadLines(
  language: DriverLanguage,
  { run, access }: LinkPlace,
  place: (a: Index) => { rq: string; rv: string },
): string[] {
  const count = countOf(language, run.link);
  const own = (buffer: Buffer, a: Index): string => access.number('own', buffer, a);
  const cleared = each(language, 'a', count, (a) => [`${own('load', a)} = ${language.target.number(0)};`]);
  const size = addendOf(language, run.link);
  if (size === 0) return cleared;
  const loaded = each(language, 'a', count, (a) =>
    each(language, 'b', count, (b) => {
      const index = matrixIndex(a, b, count);
      const load = own('load', a);
      const { rq, rv } = place(b);
      const [ofRate, ofPosition] = [own('addend', index), own('springs', index)].map((x) => language.value(x));
      const force = `${ofRate!} * ${language.value(rv)} + h * ${ofPosition!} * ${language.value(rq)}`;
      return [`${load} = ${language.value(load)} - h * (${force});`];
    }),
  );
  return [...cleared, ...(typeof size === 'number' ? loaded : language.branch(`${size} > 0`, loaded))];
}

/** Of weights · (D h q̈ + K h (q̇ + h q̈)), by coordinates and rates; K is kept where the step was factored. */
export function stepAdjointLines(
  language: DriverLanguage,
  { run, access }: LinkPlace,
  place: (array: 'qdd' | 'q' | 'qd', a: Index) => string,
): string[] {
  const count = countOf(language, run.link);
  if (run.link.type.inputs.addend.length === 0) return [];
  const own = (buffer: Buffer, a: Index): string => access.number(blockOf(buffer), blockPlaceOf(buffer), a);
  const value = (buffer: Buffer, a: Index): string => language.value(own(buffer, a));
  const byRates = each(language, 'a', count, (a) =>
    each(language, 'b', count, (b) => {
      const force = `h * ${value('springs', matrixIndex(a, b, count))} * ${value('generalizedForceAdjoint', b)}`;
      return [`${place('qd', a)} = ${language.value(place('qd', a))} + ${force};`];
    }),
  );
  if (!hasFunction(run.link, 'stepAdjoint')) return byRates;
  return [
    ...byRates,
    ...repeatStepLines(language, { run, access }, 'qdd', (a) => place('qdd', a)),
    ...callOf(language, 'stepAdjoint', { run, access }),
    ...each(language, 'a', count, (a) => [
      added(language, place('q', a), own('qAdjoint', a)),
      added(language, place('qd', a), own('qdAdjoint', a)),
    ]),
  ];
}

/** What a step of h adds to rates, and h times rates after it as load: what D and K are multiplied by. */
export function repeatStepLines(
  language: DriverLanguage,
  { run, access }: Pick<LinkPlace, 'run' | 'access'>,
  gain: 'qdd' | 'qddTangent',
  qdd: (a: Index) => string,
): string[] {
  const own = (buffer: Buffer, a: Index): string => access.number(blockOf(buffer), blockPlaceOf(buffer), a);
  return each(language, 'a', countOf(language, run.link), (a) => [
    `${own(gain, a)} = h * ${language.value(qdd(a))};`,
    `${own('load', a)} = h * (${language.value(own('qd', a))} + ${language.value(own(gain, a))});`,
  ]);
}

/** The change of D h q̈ + K h (q̇ + h q̈) along changes of coordinates and rates of the link; K is kept where the step was factored. */
export function stepTangentLines(
  language: DriverLanguage,
  { run, access }: LinkPlace,
  qdd: (a: Index) => string,
  place: (a: Index) => string,
): string[] {
  const count = countOf(language, run.link);
  if (run.link.type.inputs.addend.length === 0) return [];
  const own = (buffer: Buffer, a: Index): string => access.number(blockOf(buffer), blockPlaceOf(buffer), a);
  const value = (buffer: Buffer, a: Index): string => language.value(own(buffer, a));
  const alongRates = each(language, 'a', count, (a) =>
    each(language, 'b', count, (b) => {
      const force = `h * ${value('springs', matrixIndex(a, b, count))} * ${value('qdTangent', b)}`;
      return [`${place(a)} = ${language.value(place(a))} + ${force};`];
    }),
  );
  if (!hasFunction(run.link, 'stepTangent')) return alongRates;
  return [
    ...alongRates,
    ...repeatStepLines(language, { run, access }, 'qdd', qdd),
    ...callOf(language, 'stepTangent', { run, access }),
    ...each(language, 'a', count, (a) => [added(language, place(a), own('generalizedForceTangent', a))]),
  ];
}

/** Takes the change of what multipliers of a loop do off an array, from a place on, along a direction of which poses know. */
type LoopForces = (loop: PlacedLoop, lambda: string, to: string, at: Index, passing?: string) => string;

/**
 * A step finds M x + … − Jᵀλ = τ and J x + (φ/h + φ̇)/h = 0 with the mean acceleration x; what it asks of rows is J (x + q̇/h) + …, whose
 * derivative by the coordinates at fixed x is J/h² and the change of J along x + q̇/h, and of ∂φ/∂t in h: second derivatives of φ are symmetric.
 */
export class LoopStepPrinter {
  private readonly printer: PrintedDriver;
  private readonly language: DriverLanguage;
  private readonly model: RobotModel;
  private readonly closing: LoopPrinter;
  private readonly forces: LoopForces;

  constructor(
    printer: PrintedDriver,
    language: DriverLanguage,
    model: RobotModel,
    closing: LoopPrinter,
    forces: LoopForces,
  ) {
    this.printer = printer;
    this.language = language;
    this.model = model;
    this.closing = closing;
    this.forces = forces;
  }

  functions(): readonly DriverFunction[] {
    const { model } = this;
    const [changes, weighs] = [changesLoopSteps(model), weighsLoopSteps(model)];
    return [
      ...(changes || weighs ? [this.rates()] : []),
      ...(changes ? [this.slopes(), this.change()] : []),
      ...(weighs ? [this.weigh()] : []),
    ];
  }

  private shared<P extends readonly SharedPart[]>(...parts: P): { readonly [K in keyof P]: string } {
    return parts.map((part) => this.language.shared(part)) as { readonly [K in keyof P]: string };
  }

  private rates(): DriverFunction {
    return {
      name: 'keepRatesOfLoops',
      purpose: 'Rates of all coordinates.',
      parameters: [['rates', 'written']],
      lines: this.printer.sweep('keepRates'),
    };
  }

  private along(dq: string, at: Index): string[] {
    const { closing } = this;
    return closing.loops.length > 0 ? [closing.call('changePosesOfLoops', at, dq)] : [];
  }

  private placed(): string[] {
    const { closing } = this;
    return closing.loops.length > 0 ? [closing.call('placeLoops')] : [];
  }

  /** How poses change along x + q̇/h, which becomes the direction. */
  private alongStep(): string[] {
    const { closing, language, printer } = this;
    const [direction] = this.shared('loopDirection');
    const further = language.sharedNumber('loopDirection', 'a');
    return [
      closing.call('keepRatesOfLoops', direction),
      language.loop('a', 0, printer.n, false),
      `  ${further} = ${language.value('qdd[a]')} + ${language.value(further)} / h;`,
      '}',
      ...this.along(direction, 0),
    ];
  }

  private get passing(): string {
    return `${this.language.target.number(1)} / h`;
  }

  /** Stiffness and damping of rows, read where some give way. */
  private yields(): readonly string[] {
    const { closing, language } = this;
    const [stiffness, damping, gradients] = this.shared('loopStiffness', 'loopDamping', 'loopGradients');
    return [language.flag(closing.isYielding), ...(closing.isYielding ? [stiffness, damping] : [gradients, gradients])];
  }

  private slopes(): DriverFunction {
    const { closing, language, model, printer } = this;
    const { n } = printer;
    const [gradients, curvatures, multipliers] = this.shared('loopGradients', 'loopCurvatures', 'loopMultipliers');
    const ofRows = closing.loops.flatMap((loop) => {
      const multiplier = language.sharedNumber('loopMultipliers', sum(loop.row, 'j'));
      const place = loop.row === 0 ? 'j' : `(${sum(loop.row, 'j')})`;
      return [
        language.loop('j', 0, model.reaching!.closures[loop.closure]!.length, false),
        `  ${multiplier} = ${language.target.number(1)};`,
        `  ${this.forces(loop, multipliers, curvatures, `${n} * ${place}`, this.passing)}`,
        `  ${multiplier} = ${language.target.number(0)};`,
        '}',
      ];
    });
    return {
      name: 'slopeStepOfLoops',
      purpose: 'Derivatives of what rows ask in a step, by coordinates and by rates.',
      parameters: [
        ['h', 'number'],
        ['qdd', 'read'],
      ],
      lines: [
        ...this.placed(),
        ...this.alongStep(),
        language.clearShared('loopCurvatures'),
        language.clearShared('loopMultipliers'),
        ...ofRows,
        ...curvaturesOfFormulas(printer, language, model, divide(one, named('h', 1)[0]!)),
        closing.call('jacobianOfLoops', gradients),
        ...(closing.isYielding ? [closing.call('yieldsOfLoops')] : []),
        `${language.runTime('slopeSteps', [closing.rows, n, 'h', ...this.yields(), gradients, curvatures])};`,
      ],
    };
  }

  private change(): DriverFunction {
    const { closing, language, model, printer } = this;
    const { rows } = closing;
    const [gradients, curvatures] = this.shared('loopGradients', 'loopCurvatures');
    const first = `${rows} * column`;
    const add = (slopes: string, direction: string): string[] =>
      language.branch(language.isGiven(direction), [
        `${language.runTime('addSlopes', [rows, printer.n, slopes, direction, 'at', 'dlambda', first])};`,
      ]);
    return {
      name: 'changeStepOfLoops',
      purpose: 'Changes of what rows ask in a step, and those of what multipliers do taken off, along a direction.',
      parameters: [
        ['column', 'index'],
        ['at', 'index'],
        ['lambda', 'read'],
        ['dq', 'direction'],
        ['dqd', 'direction'],
        ['tau', 'written'],
        ['dlambda', 'written'],
      ],
      lines: [
        ...closing.each([`dlambda[${sum(first, 'j')}] = ${language.target.number(0)};`]),
        ...add(curvatures, 'dq'),
        ...add(gradients, 'dqd'),
        ...this.along('dq', 'at'),
        ...closing.loops.map((loop) => this.forces(loop, 'lambda', 'tau', 'at')),
        ...formulaForces(printer, language, model, {
          lambda: (row) => language.value(`lambda[${row}]`),
          direction: (a) => printer.coordinate('qTangent', a),
          result: (a) => `tau[${sum('at', a)}]`,
        }),
      ],
    };
  }

  /**
   * Both, weighed by by_tau and the opposite of the multipliers μ that it came with: changes of Jᵀλ along by_tau, and of Jᵀμ along x + q̇/h
   * and the time that passes, taken off; then J as it is.
   */
  private weigh(): DriverFunction {
    const { closing, language, model, printer } = this;
    const [gradients, multipliers] = this.shared('loopGradients', 'loopMultipliers');
    const result = (a: Index): string => `by_q[${a}]`;
    const given = [closing.rows, printer.n, 'h', ...this.yields(), gradients, multipliers, 'by_q', 'by_qd'];
    return {
      name: 'weighStepOfLoops',
      purpose:
        'Derivatives of what by_tau weighs of forces of multipliers in a step, and of what rows ask in it, added to by_q and by_qd.',
      parameters: [
        ['h', 'number'],
        ['qdd', 'read'],
        ['lambda', 'read'],
        ['by_tau', 'direction'],
        ['by_q', 'written'],
        ['by_qd', 'written'],
      ],
      lines: [
        ...this.placed(),
        ...this.along('by_tau', 0),
        ...closing.loops.map((loop) => this.forces(loop, 'lambda', 'by_q', 0)),
        ...formulaForces(printer, language, model, {
          lambda: (row) => language.value(`lambda[${row}]`),
          direction: (a) => language.value(`by_tau[${a}]`),
          result,
        }),
        ...this.alongStep(),
        ...closing.loops.map((loop) => this.forces(loop, multipliers, 'by_q', 0, this.passing)),
        ...formulaForces(
          printer,
          language,
          model,
          {
            lambda: (row) => language.value(language.sharedNumber('loopMultipliers', row)),
            direction: (a) => language.value(language.sharedNumber('loopDirection', a)),
            result,
          },
          divide(one, named('h', 1)[0]!),
        ),
        closing.call('jacobianOfLoops', gradients),
        `${language.runTime('weighSteps', given)};`,
      ],
    };
  }
}
