/** What parts of the driver of a robot have in common: the driver around them, the language, the robot. */
import type { RobotModel } from '../modules/robot-model.ts';
import type { SharedPart } from '../modules/workspace.ts';
import type { Target } from '../printing/print-arithmetic.ts';
import type { Program } from '../programs/program.ts';
import type { SweepName } from '../sweeps/sweeps.ts';
import type { DriverLanguage, Index } from './driver-language.ts';
import type { Among } from './equal-links.ts';

/** The driver around a part of it. */
export interface PrintedDriver {
  readonly n: Index;
  readonly u: Index;
  readonly frames: number;
  has(name: SweepName): boolean;
  program(program: Program, target: Partial<Target>): string[];
  /** A coordinate of the robot, or its rate, in the block of its link. */
  coordinate(buffer: 'q' | 'qd' | 'qdd' | 'qTangent' | 'qdTangent', index: number): string;
  /** Coordinates of all actuators and their gradients, or rates and second derivatives, added to two arrays. */
  actuation(what: 'values' | 'rates', arrays: readonly string[]): string[];
  /** Statements of a sweep over all links, or some. */
  sweep(name: SweepName, among?: Among): string[];
}

export abstract class DriverPart<Printer extends PrintedDriver = PrintedDriver> {
  protected readonly printer: Printer;
  protected readonly language: DriverLanguage;
  protected readonly model: RobotModel;

  constructor(printer: Printer, language: DriverLanguage, model: RobotModel) {
    this.printer = printer;
    this.language = language;
    this.model = model;
  }

  /** A call of a function of the driver. */
  call(name: string, ...parameters: readonly Index[]): string {
    return this.language.call(name, parameters);
  }

  /** Parts of the workspace. */
  protected shared<P extends readonly SharedPart[]>(...parts: P): { readonly [K in keyof P]: string } {
    return parts.map((part) => this.language.shared(part)) as { readonly [K in keyof P]: string };
  }
}
