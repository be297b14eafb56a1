/** Scenarios sampled once a period, for environments of other languages. */
import type { ScenarioTable } from '../../codegen/doors/python/scenario-table.ts';
import { KanegenError } from '../../common/error.ts';
import { referencesOf } from '../../description/model/controller.ts';
import type { Reference } from '../scenario/reference.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { Signal } from '../scenario/signal.ts';

/**
 * A period is that of the controller, or the time between two outputs.
 * @param name of the scenario, for people.
 * @throws KanegenError `no-environment` at what environments do not have.
 */
export function scenarioTable(name: string, scenario: Scenario): ScenarioTable {
  demandMotion(name, scenario);
  const { robot, start, end, control } = scenario;
  const period = control?.period ?? scenario.every;
  const periods = Math.max(1, Math.round((end - start) / period));
  const times = Array.from({ length: periods }, (_, k) => start + k * period);
  const at = (signal: Signal | undefined, t: number): number => signal?.(t) ?? 0;
  const goal = goalOf(scenario);
  return {
    name,
    summary: scenario.summary,
    period,
    periods,
    q: [...scenario.q],
    qd: [...scenario.qd],
    inputs: times.map((t) => robot.actuators.map((_, i) => at(scenario.inputs[i], t))),
    forces: times.map((t) => robot.coordinates.map((_, i) => at(scenario.forces[i], t))),
    loads: scenario.loads.map(({ frame, force, moment }) => ({
      frame,
      wrenches: times.map((t) => [...moment, ...force].map((own) => own(t))),
    })),
    ...(goal && {
      goal: {
        kind: goal.kind,
        indices: goal.indices,
        values: times.map((t) => goal.references.map((own, i) => positionAt(own, t + period) ?? goal.starts[i]!)),
      },
    }),
  };
}

function demandMotion(name: string, { robot, statics, phases, loads, observer, equilibrium }: Scenario): void {
  const because = statics
    ? 'is an equilibrium'
    : phases
      ? 'has `phases`'
      : observer
        ? 'has an `observer`'
        : equilibrium
          ? 'begins in an equilibrium that is sought'
          : loads.some(({ follows }) => follows)
            ? 'has loads that follow a frame'
            : robot.actuators.length === 0
              ? 'has a robot without actuators: there is nothing to act with'
              : undefined;
  if (because !== undefined)
    throw new KanegenError('no-environment', `the scenario \`${name}\` ${because}, which environments do not have`, {
      remedy: 'name a scenario of a motion from given coordinates, with `loads` in world axes',
    });
}

interface Goal {
  readonly kind: 'coordinates' | 'position';
  readonly indices: readonly number[];
  readonly references: readonly (Reference | undefined)[];
  readonly starts: readonly number[];
}

/** References of coordinates, or of the place of a frame; those of other things are no goal. */
function goalOf({ robot, control, q }: Scenario): Goal | undefined {
  const controller = control && robot.controllers?.[control.controller];
  if (!control || !controller) return undefined;
  const { law } = controller;
  if (law.kind === 'task-space') {
    const references = control.references.slice(0, 3);
    if (references.some((own) => own === undefined)) return undefined;
    return { kind: 'position', indices: [law.frame], references, starts: [0, 0, 0] };
  }
  const indices = referencesOf(robot, controller).map(({ name }) =>
    robot.coordinates.findIndex((own) => own.name === name),
  );
  if (indices.includes(-1)) return undefined;
  const starts = indices.map((i) => q[i]!);
  return { kind: 'coordinates', indices, references: control.references, starts };
}

function positionAt(reference: Reference | undefined, t: number): number | undefined {
  if (!reference) return undefined;
  const out = new Float64Array(3);
  reference(t, out);
  return out[0];
}
