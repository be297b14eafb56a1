/** What a driver does for rows of loops that give way, and for ropes: their stiffness, kinds and multipliers. */
import { divide, one, zero } from '../../../symbolic/graph/expr.ts';
import { loopRows, yieldsLoops, type RobotModel } from '../../modules/robot-model.ts';
import type { DriverFunction, DriverLanguage } from '../driver-language.ts';
import { DriverPart, type PrintedDriver } from '../driver-part.ts';
import { programOf, type Result } from '../robot-programs.ts';

export class GivingRows extends DriverPart {
  private readonly rows: number;
  readonly isYielding: boolean;

  constructor(printer: PrintedDriver, language: DriverLanguage, model: RobotModel) {
    super(printer, language, model);
    this.rows = loopRows(model);
    this.isYielding = yieldsLoops(model);
  }

  /** Multipliers of rows that give way, and what is asked of them otherwise; `yieldLoops` of the run time says when by `what`. */
  yields(what: number): string[] {
    const { language, rows } = this;
    if (!this.isYielding) return [];
    const parts = ['loopStiffness', 'loopDamping', 'loopRopes', 'loopTaut', 'loopResiduals', 'loopRates'] as const;
    const results = ['loopKinds', 'loopSoftness', 'loopTargets', 'loopMultipliers'] as const;
    const given = this.shared(...parts, ...results);
    const h = what === 1 || what === 2 ? 'h' : language.target.number(0);
    return [language.call('yieldsOfLoops', []), `${language.runTime('yieldLoops', [rows, what, h, ...given])};`];
  }

  /** The same for derivatives at `lambda`, with changes of what rows ask as targets. */
  changes(isTranspose: boolean): string[] {
    const { language, rows } = this;
    if (!this.isYielding) return [];
    const given = [
      ...[rows, ...this.shared('loopStiffness', 'loopRopes'), 'lambda', ...this.shared('loopTargets')],
      ...[language.flag(isTranspose), ...this.shared('loopKinds', 'loopSoftness', 'loopMultipliers')],
    ];
    return [language.call('yieldsOfLoops', []), `${language.runTime('yieldChanges', given)};`];
  }

  /** For derivatives of an implicit step. */
  ofStep(): string[] {
    const { language, rows } = this;
    if (!this.isYielding) return [];
    const given = [
      ...[rows, 'h', ...this.shared('loopStiffness', 'loopDamping', 'loopRopes'), 'lambda'],
      ...this.shared('loopKinds', 'loopSoftness', 'loopMultipliers'),
    ];
    return [language.call('yieldsOfLoops', []), `${language.runTime('stepYields', given)};`];
  }

  /** After a solution of the transpose. */
  weights(): string[] {
    const { language, rows, printer } = this;
    if (!this.isYielding) return [];
    const parts = ['loopColumns', 'loopPivots', 'freeQuotients', 'loopTargets', 'loopKinds'] as const;
    const given = [...this.shared(...parts, 'loopStiffness', 'loopRopes'), 'lambda', ...this.shared('loopMultipliers')];
    return [`${language.runTime('weighYielding', [rows, printer.n, ...given])};`];
  }

  stiffTargets(): string[] {
    const { language, rows, printer } = this;
    const given = [
      ...[rows, printer.n, 'h', ...this.shared('loopStiffness', 'loopDamping', 'loopGradients')],
      ...['rq', 'rv', language.shared('loopTargets')],
    ];
    return [`${language.runTime('stiffTargets', given)};`];
  }

  stiffnesses(): DriverFunction {
    const { robot, held } = this.model;
    const all = (robot.loops ?? []).flatMap((loop) => loop.rows);
    const parameters = { buffer: 'formulaParameters', symbols: held };
    const results: Result[] = [
      { buffer: 'loopStiffness', values: all.map(({ yields }) => (yields ? divide(one, yields.compliance) : zero)) },
      { buffer: 'loopDamping', values: all.map(({ yields }) => yields?.damping ?? zero) },
      { buffer: 'loopRopes', values: all.map(({ isRope }) => (isRope ? one : zero)) },
    ];
    return {
      name: 'yieldsOfLoops',
      purpose: 'Stiffness and damping of rows, zero of rigid ones, and 1 for those of ropes.',
      parameters: {},
      lines: this.printer.program(programOf('yields', [parameters], results), {}),
    };
  }

  distribute(): string[] {
    const { language, rows, printer } = this;
    const { isYielding } = this;
    const gradients = language.shared('loopGradients');
    const given = [
      ...[rows, printer.n, gradients, 'capacity', language.flag(isYielding)],
      ...[isYielding ? language.shared('loopKinds') : gradients, language.shared('loopEfforts'), 'tau'],
      language.shared('loopMultipliers'),
    ];
    return [
      language.call('jacobianOfLoops', [gradients]),
      ...(isYielding
        ? [
            language.call('ratesOfLoops', [language.shared('loopRates'), language.nothing]),
            language.call('residualsOfLoops', [language.shared('loopResiduals')]),
            ...this.yields(0),
          ]
        : []),
      `${language.runTime('distributeForces', given)};`,
    ];
  }
}
