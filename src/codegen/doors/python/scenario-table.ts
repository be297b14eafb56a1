/** A scenario as numbers, sampled once a period: what an environment of another language runs. */
export interface ScenarioTable {
  readonly name: string;
  readonly summary: string;
  /** Time of a period, s. */
  readonly period: number;
  /** How many. */
  readonly periods: number;
  /** At the start. */
  readonly q: readonly number[];
  readonly qd: readonly number[];
  /** Of each period, by actuator and by coordinate: what the scenario itself does. */
  readonly inputs: readonly (readonly number[])[];
  readonly forces: readonly (readonly number[])[];
  /** Wrenches in world axes, moment first, by frame. */
  readonly loads: readonly { readonly frame: number; readonly wrenches: readonly (readonly number[])[] }[];
  /** Where the reference is at the end of each period. */
  readonly goal?: {
    readonly kind: 'coordinates' | 'position';
    /** Of coordinates, or of the frame. */
    readonly indices: readonly number[];
    readonly values: readonly (readonly number[])[];
  };
}
