/** What the page of `kanegen view` asks for, and what it is told; SI units, vectors in world axes. */
import type { Arrow, Bounds, Structure, Triple } from './animation-data.ts';

/** Something that a slider moves. */
export interface Slider {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
}

/** A robot as the page shows it at first. */
export interface Description {
  readonly name: string;
  readonly summary: string;
  readonly file: string;
  readonly structure: Structure;
  readonly bounds: Bounds;
  readonly coordinates: readonly Slider[];
  readonly inputs: readonly Slider[];
  readonly parameters: readonly Slider[];
  readonly gravity: Triple;
  /** Of the water, m/s; missing: it rests. */
  readonly current?: Triple;
  /** Scenarios of the folder that run this robot, and a log that was given, by their names. */
  readonly recordings: readonly string[];
  /** Named states, the defaults first. */
  readonly states: readonly { readonly name: string; readonly q: readonly number[] }[];
  /** What is not shown as it is, and why. */
  readonly notes: readonly string[];
}

/** What acts: inputs by actuator, values of run-time parameters, and gravity. */
export interface Acting {
  readonly inputs: readonly number[];
  readonly parameters: readonly number[];
  readonly gravity: Triple;
}

export type Question =
  | { readonly ask: 'robot' }
  /** Loops close near q, but for coordinates that are held, by index. */
  | ({ readonly ask: 'place'; readonly q: readonly number[]; readonly held?: readonly number[] | undefined } & Acting)
  /** The search begins at q. */
  | ({ readonly ask: 'statics'; readonly q: readonly number[] } & Acting)
  /** At the equilibrium, or where the robot is. */
  | ({ readonly ask: 'modes'; readonly q: readonly number[] } & Acting)
  /** Moves on from a state by some seconds. @see Moved */
  | ({
      readonly ask: 'move';
      readonly q: readonly number[];
      readonly qd: readonly number[];
      readonly seconds: number;
      /** Acceleration that the tip would have by a force on it alone, m/s². */
      readonly push: Triple;
    } & Acting)
  /** Runs a scenario, or reads a log. */
  | { readonly ask: 'play'; readonly name: string };

export interface Placed {
  readonly q: readonly number[];
  /** A picture, in the order of the structure: 32-bit numbers, little-endian, in base 64. */
  readonly points: string;
  readonly arrows?: readonly Arrow[];
  /** Once the robot is compiled. */
  readonly tip?: Triple;
}

export interface Balanced extends Placed {
  readonly stable: boolean;
  readonly smallestEigenvalue: number;
}

export interface Moved extends Placed {
  readonly qd: readonly number[];
  /** s that went by; fewer than asked for where the robot takes longer. */
  readonly seconds: number;
  /** Kinetic, potential and elastic, J. */
  readonly energy: number;
}

export interface Modes {
  readonly modes: readonly {
    readonly frequency: number;
    readonly damping: number;
    /** Points over one period. */
    readonly pictures: readonly string[];
  }[];
}

/** By time. */
export interface Played {
  /** s */
  readonly times: readonly number[];
  readonly pictures: readonly string[];
  readonly arrows: readonly (readonly Arrow[])[];
  readonly q: readonly (readonly number[])[];
  readonly inputs: readonly (readonly number[])[];
  /** How it went. */
  readonly text: string;
}

/** Why a question has no answer. */
export interface Refusal {
  readonly refused: string;
}

/** The answer to each question. */
export interface Answers {
  readonly robot: Description;
  readonly place: Placed;
  readonly statics: Balanced;
  readonly modes: Modes;
  readonly move: Moved;
  readonly play: Played;
}

/** What a page is told without asking. */
export type News =
  | { readonly news: 'robot' }
  /** The file has mistakes: the last good robot stays. */
  | { readonly news: 'mistake'; readonly text: string }
  | { readonly news: 'busy'; readonly text: string }
  /** Compiled. */
  | { readonly news: 'ready' };

/** A page that needs nobody to ask: pictures of what its sliders can show, one of them away from its place at a time. */
export interface KeptView {
  readonly description: Description;
  /** By state. */
  readonly states: readonly string[];
  /** By coordinate, from the lower to the upper end of its slider. */
  readonly coordinates: readonly (readonly string[])[];
  /** The same by input, in equilibrium; empty where there is none. */
  readonly inputs: readonly (readonly string[])[];
}
