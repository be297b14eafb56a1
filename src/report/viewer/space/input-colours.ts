/** Colours of tendons and chambers by their inputs, those of one unit on one scale. */
import type { Structure } from '../animation-data.ts';
import { loadColour } from './surface-strain.ts';

interface Input {
  readonly name: string;
  readonly unit: string;
}

export class InputColours {
  private readonly inputs: readonly Input[];
  /** By SI unit the largest size. */
  readonly most: ReadonlyMap<string, number>;

  /** @param reach of every input, the largest size that it may have. */
  constructor(
    { tendons, chambers }: Pick<Structure, 'tendons' | 'chambers'>,
    inputs: readonly Input[],
    reach: readonly number[],
  ) {
    // prettier-ignore
    this.inputs = inputs;
    const shown = new Set([...tendons.map(({ name }) => name), ...chambers.flatMap(({ actuator }) => actuator ?? [])]);
    const most = new Map<string, number>();
    inputs.forEach(({ name, unit }, i) => {
      if (shown.has(name) && reach[i]! > 0) most.set(unit, Math.max(most.get(unit) ?? 0, reach[i]!));
    });
    this.most = most;
  }

  /** Undefined where an actuator shows nothing. */
  colourOf(values: readonly number[]): (actuator: string) => string | undefined {
    return (actuator) => {
      const index = this.inputs.findIndex(({ name }) => name === actuator);
      const most = this.most.get(this.inputs[index]?.unit ?? '');
      return most === undefined ? undefined : loadColour(Math.abs(values[index]!) / most);
    };
  }
}

/** The largest size of every input. @param inputs by time. */
export function reachOf(inputs: readonly (readonly number[])[]): number[] {
  return (inputs[0] ?? []).map((_, i) => Math.max(...inputs.map((own) => Math.abs(own[i]!))));
}
