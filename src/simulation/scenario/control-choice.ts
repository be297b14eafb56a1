/** Which controller and observer are at work in a scenario, and how. Users of the library see these types. */
import type { Reference } from './reference.ts';

export interface ControlChoice {
  /** Index among the controllers of the robot. */
  readonly controller: number;
  /** Time between two steps in s, inputs held in between; asked all the time when missing. */
  readonly period: number | undefined;
  /** In the order of what the controller refers to; undefined: what it is at the start. */
  readonly references: readonly (Reference | undefined)[];
  /** Bits of encoders per turn, of coordinates that are angles; exact when missing. */
  readonly encoders?: number;
  /** When measurements of a coordinate, by its index, are lost: are no numbers. */
  readonly lost?: readonly { readonly coordinate: number; readonly from: number; readonly to: number }[];
}

/** What finds the state that controllers compute with. */
export interface ObserverChoice {
  /** Index among the observers of the robot. */
  readonly observer: number;
  /** Coordinates that its estimate begins with. */
  readonly start: readonly number[];
  /** Of the noise. */
  readonly seed: number;
}
