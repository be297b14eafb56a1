/** What a page asks the worker that compiles for it, and what it is told. */
import type { CallEstimate, Processor } from '../report/call-estimate.ts';
import type { Explanation } from '../report/explain.ts';
import type { GeneratedFile } from '../codegen/modules/robot-model.ts';
import type { Answers, News, Question } from '../report/viewer/live-messages.ts';

/** A robot file: its text, or where it is. */
export interface RobotSource {
  readonly text?: string;
  /** Files that it names are beside it, those of a text too. */
  readonly url?: string;
  readonly fileName?: string;
  /** Files that a text names, by their paths relative to its own. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
}

type Request =
  /** Becomes the robot of the worker, unless it has mistakes: then the last good one stays. */
  | ({ readonly ask: 'open' } & RobotSource)
  | { readonly ask: 'code'; readonly target: 'c' | 'ts' }
  | { readonly ask: 'explain' }
  /** What calls cost, about, on a small processor. */
  | { readonly ask: 'estimate' }
  /** Operations of inverse dynamics by the recursion and by Lagrange's equations; takes seconds. */
  | { readonly ask: 'compare' }
  /** The page of the view, whose script is at an address. */
  | { readonly ask: 'page'; readonly script: string }
  | { readonly ask: 'schema' };

/** Something that a robot file says wrongly, or hardly means; places count from 1, and are 0 where there is none. */
export interface Diagnostic {
  readonly severity: 'error' | 'warning';
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly remedy?: string | undefined;
}

/** A line of generated code that comes from a line of the robot file; both count from 1. */
export interface CodePlace {
  /** Path of the generated file. */
  readonly file: string;
  readonly line: number;
  /** Of the robot file. */
  readonly of: number;
  /** `omega_z, for angular velocity; from strain`. */
  readonly text: string;
}

/** Inverse dynamics as straight-line code. */
export interface ComparedFormulation {
  readonly name: string;
  /** Executed; missing where a limit was passed. */
  readonly operations?: number;
  /** Of the derivation. */
  readonly seconds?: number;
  /** Which limit, and what had been reached. */
  readonly stopped?: string;
}

export interface Replies extends Answers {
  readonly open: { readonly name: string | undefined; readonly diagnostics: readonly Diagnostic[] };
  readonly code: { readonly files: readonly GeneratedFile[]; readonly places: readonly CodePlace[] };
  readonly explain: Explanation;
  readonly estimate: { readonly processor: Processor; readonly calls: readonly CallEstimate[] };
  readonly compare: readonly ComparedFormulation[];
  readonly page: string;
  readonly schema: object;
}

export type Asked = Request | Question;

/** A question by its number; the answer has the same. */
export interface Numbered {
  readonly id: number;
  readonly asked: Asked;
}

export type Told =
  | { readonly id: number; readonly answer: Replies[keyof Replies] }
  | { readonly id: number; readonly refused: string }
  | News;
