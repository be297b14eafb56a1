/** Pictures for a page that nobody answers: states, and what each slider does alone. */
import type { Acting, KeptView, Slider } from '../../report/viewer/live-messages.ts';
import { NotNow } from './not-now.ts';
import type { ViewedRobot } from './viewed-robot.ts';

/** Pictures of a slider, and of all sliders together. */
const ALONG = 9;
const LEAST = 3;
const MOST = 200;

export function keptView(robot: ViewedRobot): KeptView {
  const description = robot.answer({ ask: 'robot' });
  const { coordinates, inputs, parameters, gravity, states } = description;
  const acting: Acting = {
    inputs: inputs.map(({ value }) => value),
    parameters: parameters.map(({ value }) => value),
    gravity,
  };
  const rest = states[0]!.q;
  const along = Math.max(LEAST, Math.min(ALONG, Math.floor(MOST / Math.max(1, coordinates.length + inputs.length))));
  const steps = ({ lower, upper }: Slider): number[] =>
    Array.from({ length: along }, (_, k) => lower + ((upper - lower) * k) / (along - 1));
  const at = (values: readonly number[], index: number, value: number): number[] =>
    values.map((x, i) => (i === index ? value : x));
  return {
    description,
    states: states.map(({ q }) => robot.answer({ ask: 'place', q, ...acting }).points),
    coordinates: coordinates.map((slider, i) => {
      // Where loops do not close, the last picture stays.
      let shown = robot.answer({ ask: 'place', q: rest, ...acting }).points;
      return steps(slider).map((value) => {
        try {
          shown = robot.answer({ ask: 'place', q: at(rest, i, value), held: [i], ...acting }).points;
        } catch (error) {
          if (!(error instanceof NotNow)) throw error;
        }
        return shown;
      });
    }),
    inputs: inputs.map((slider, i) => {
      let q = rest;
      try {
        return steps(slider).map((value) => {
          const found = robot.answer({ ask: 'statics', q, ...acting, inputs: at(acting.inputs, i, value) });
          q = found.q;
          return found.points;
        });
      } catch (error) {
        if (error instanceof NotNow) return [];
        throw error;
      }
    }),
  };
}
