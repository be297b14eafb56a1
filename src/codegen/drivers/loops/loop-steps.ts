/** What a driver does for derivatives of what implicit steps ask of loops. */
import type { PlacedLoop } from '../../../kane/kernels/link-type.ts';
import { divide, one } from '../../../symbolic/graph/expr.ts';
import { changesLoopSteps, weighsLoopSteps, type RobotModel } from '../../modules/robot-model.ts';
import { sum, type DriverFunction, type DriverLanguage, type Index } from '../driver-language.ts';
import { DriverPart, type PrintedDriver } from '../driver-part.ts';
import { named } from '../robot-programs.ts';
import type { LoopPrinter } from './loop-closure.ts';
import { curvaturesOfFormulas, formulaForces } from './loop-formulas.ts';

/** Takes the change of what multipliers of a loop do off an array, from a place on, along a direction of which poses know. */
type LoopForces = (loop: PlacedLoop, lambda: string, to: string, at: Index, passing?: string) => string;

/**
 * A step finds M x + … − Jᵀλ = τ and J x + (φ/h + φ̇)/h = 0 with the mean acceleration x; what it asks of rows is J (x + q̇/h) + …, whose
 * derivative by the coordinates at fixed x is J/h² and the change of J along x + q̇/h, and of ∂φ/∂t in h: second derivatives of φ are symmetric.
 */
export class LoopStepPrinter extends DriverPart {
  private readonly closing: LoopPrinter;
  private readonly forces: LoopForces;

  constructor(
    printer: PrintedDriver,
    language: DriverLanguage,
    model: RobotModel,
    closing: LoopPrinter,
    forces: LoopForces,
  ) {
    super(printer, language, model);
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

  private rates(): DriverFunction {
    return {
      name: 'keepRatesOfLoops',
      purpose: 'Rates of all coordinates.',
      parameters: { rates: 'written' },
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
      ...language.loop('a', 0, printer.n, [
        `${further} = ${language.value('qdd[a]')} + ${language.value(further)} / h;`,
      ]),
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
      return language.loop('j', 0, model.reaching!.closures[loop.closure]!.length, [
        `${multiplier} = ${language.target.number(1)};`,
        this.forces(loop, multipliers, curvatures, `${n} * ${place}`, this.passing),
        `${multiplier} = ${language.target.number(0)};`,
      ]);
    });
    return {
      name: 'slopeStepOfLoops',
      purpose: 'Derivatives of what rows ask in a step, by coordinates and by rates.',
      parameters: { h: 'number', qdd: 'read' },
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
      parameters: {
        column: 'index',
        at: 'index',
        lambda: 'read',
        dq: 'direction',
        dqd: 'direction',
        tau: 'written',
        dlambda: 'written',
      },
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
      parameters: { h: 'number', qdd: 'read', lambda: 'read', by_tau: 'direction', by_q: 'written', by_qd: 'written' },
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
