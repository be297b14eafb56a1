/**
 * Loads of a scenario as actuators of its robot: `newton_step` has what these do as they turn with their links, so that generalised α
 * takes steps of Newton's method that are exact about loads, too.
 */
import type { Actuator } from '../../description/model/actuator.ts';
import { unitWrench, type Anchor } from '../../description/model/frame-terms.ts';
import type { NamedFrame, Robot } from '../../description/model/robot.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { Signal } from '../scenario/signal.ts';

/** A component of a load that is not always zero. */
interface LoadComponent {
  /** Index into the loads. */
  readonly load: number;
  /** 0, 1, 2 of the moment, 3, 4, 5 of the force. */
  readonly component: number;
  readonly signal: Signal;
}

/** What the inputs of the robot's actuators are followed by, in this order, where its loads are actuators. */
export function loadComponents({ loads }: Pick<Scenario, 'loads'>): LoadComponent[] {
  return loads.flatMap(({ moment, force }, load) =>
    [...moment, ...force].flatMap((signal, component) => (isZero(signal) ? [] : [{ load, component, signal }])),
  );
}

function isZero({ form }: Signal): boolean {
  return form !== undefined && 'values' in form && form.values.every((value) => value === 0);
}

/**
 * The robot that is compiled for runs of a scenario: by generalised α with the loads as actuators behind its own, but where controllers
 * act, which would take them for theirs.
 */
export function robotOf(scenario: Scenario): Robot {
  const { robot, loads, integrator, control, phases = [] } = scenario;
  const isControlled = [control, ...phases.map((phase) => phase.control)].some((one) => one);
  const components = loadComponents(scenario);
  if (integrator.method !== 'generalized-alpha' || isControlled || components.length === 0) return robot;
  const taken = new Set(robot.actuators.map(({ name }) => name));
  const actuators = components.map(({ load, component }, i): Actuator => {
    const { frame, follows } = loads[load]!;
    const isForce = component > 2;
    return {
      name: freeName(`load_${i + 1}`, taken),
      kind: 'wrench',
      summary: `${isForce ? 'force' : 'moment'} on ${robot.frames[frame]!.name}`,
      unit: isForce ? 'N' : 'N m',
      coordinateUnit: isForce ? 'm' : 'rad',
      terms: [
        unitWrench(
          anchorOf(robot.frames[frame]!),
          follows ? 'frame' : 'world',
          [0, 1, 2, 3, 4, 5].map((k) => (k === component ? 1 : 0)),
        ),
      ],
      location: { file: '', line: 0, column: 0, path: '' },
    };
  });
  return { ...robot, controllers: [], actuators: [...robot.actuators, ...actuators] };
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  return taken.has(name) ? freeName(`${name}_`, taken) : name;
}

function anchorOf({ link, offset, within }: NamedFrame): Anchor {
  return within ? { kind: 'material', link, ...within, offset } : { kind: 'frame', link, offset };
}
