/** Generalized forces as linear functions of base parameters, these in units of their sizes, all other parameters zero. */
import { KanegenError } from '../common/error.ts';
import type { BaseParameters } from './base-parameters.ts';
import type { ForceModel } from './motion/errors-in-variables.ts';
import type { Measurements } from './measurements.ts';
import type { Regressor } from './regressor.ts';
import type { MotionState } from './exciting-states.ts';

export class BaseForces implements ForceModel {
  readonly coordinates: number;
  readonly unknowns: number;
  private readonly regressor: Regressor;
  private readonly indices: readonly number[];
  private readonly sizes: readonly number[];
  private readonly data: Measurements;

  /** @param data with the times and inputs of the instants. */
  constructor(regressor: Regressor, { base }: BaseParameters, data: Measurements) {
    this.regressor = regressor;
    this.coordinates = regressor.coordinates;
    this.unknowns = base.length;
    this.indices = base.map(({ index }) => index);
    this.sizes = base.map(({ index }) => regressor.parameters[index]!.size);
    this.data = data;
  }

  /** @throws KanegenError `undefined-forces`. */
  forces(state: MotionState, sample: number, values: readonly number[]): Float64Array {
    const all = this.regressor.parameters.map(() => 0);
    this.indices.forEach((index, j) => (all[index] = values[j]! * this.sizes[j]!));
    return this.demandFinite(this.regressor.forces(this.at(state, sample), all), sample);
  }

  /** @throws KanegenError `undefined-forces`. */
  linear(state: MotionState, sample: number): { offset: Float64Array; Y: Float64Array } {
    const { sizes } = this;
    const { offset, Y } = this.demandFinite(this.regressor.at(this.at(state, sample), this.indices), sample);
    return { offset, Y: Y.map((factor, x) => factor * sizes[x % sizes.length]!) };
  }

  private at({ q, qd, qdd }: MotionState, sample: number): MotionState {
    const u = this.data.inputs?.[sample];
    return { q, qd, qdd, t: this.data.times[sample]!, ...(u && { u }) };
  }

  private demandFinite<T>(found: T | undefined, sample: number): T {
    if (found) return found;
    throw new KanegenError('undefined-forces', `the robot has no finite forces at t = ${this.data.times[sample]!} s`, {
      remedy: 'leave out this instant, or check the units: SI, angles in rad',
    });
  }
}
