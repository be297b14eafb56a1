/** What stands beside laws with a step of its own, as both languages have it: a record that the program keeps, and the step. */
import type { RobotModel } from '../modules/robot-model.ts';
import type { Type } from '../translation/subset.ts';
import type { RunTimeModule } from './run-time.ts';

/** A record that lies within another one: of the run time, or of a controller. */
interface RecordPart {
  readonly name: string;
  /** In TypeScript. */
  readonly type: string;
  readonly summary: string;
}

/** An array of numbers, or one number, or a whole number. */
export interface RecordField {
  readonly name: string;
  readonly type: Type;
  readonly size?: number;
  readonly summary: string;
  /** After a reset; zero when missing. */
  readonly values?: readonly number[];
}

export interface SteppedRecord {
  readonly robot: RobotModel;
  /** File name without its end, and of the record in C. */
  readonly name: string;
  /** Prefixes of its names in TypeScript. */
  readonly camel: string;
  readonly pascal: string;
  /** What the step calls it. */
  readonly variable: string;
  readonly parts: readonly RecordPart[];
  /** What may change from step to step. */
  readonly settings: readonly RecordField[];
  readonly memory: readonly RecordField[];
  readonly text: string;
  /** Functions and constants of the run time, and of the robot, that the text names. */
  readonly calls: Readonly<Partial<Record<RunTimeModule, readonly string[]>>>;
  readonly robotCalls: readonly string[];
  /** Camel case of the controllers whose steps it calls. */
  readonly steps: readonly string[];
}

/** What a reset leaves in its mark. */
export const BEGUN = 11059261;
