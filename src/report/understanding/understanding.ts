/** What a robot file says, as a reader would sum it up before trusting any number: to be compared with what was meant. */
import { coordinateSymbol, type Actuator, type ActuatorTerm } from '../../description/model/actuator.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { differentiate } from '../../symbolic/graph/differentiate.ts';
import { freeSymbols } from '../../symbolic/graph/traverse.ts';
import type { LoadedRobot } from '../../codegen/typescript/load.ts';
import { forcesOf } from '../../description/model/what-acts.ts';
import type { Robot, RobotCoordinate } from '../../description/model/robot.ts';
import type { Warning } from '../../description/model/warnings.ts';
import { parametersAtDefaults, suspectBodies, understoodLinks, type UnderstoodLink } from './bodies.ts';
import { idleForces } from './idle-forces.ts';
import { suspectOverlaps } from './overlaps.ts';
import { suspectSizes } from './sizes.ts';
import { idleActuators } from '../../simulation/equilibria/idle-actuators.ts';
import { unseenMotions } from '../../simulation/small-motions/observability.ts';
import { smallMotions, suspectMasses, type SmallMotions } from '../../simulation/small-motions/small-motions.ts';

export interface Understanding {
  readonly robot: string;
  readonly summary: string;
  /** kg */
  readonly mass: number;
  readonly links: readonly UnderstoodLink[];
  readonly coordinates: readonly RobotCoordinate[];
  /** Coordinates of joints that follow the time, which are none of the robot's: values and rates at 0 s. */
  readonly following: readonly {
    readonly name: string;
    readonly unit: string;
    readonly value: number;
    readonly rate: number;
    readonly summary: string;
  }[];
  readonly tip: { readonly frame: string; readonly at: readonly number[] };
  /** Straight from the base to the tip at the defaults, m. */
  readonly reach: number;
  readonly elastic?: SmallMotions['elastic'];
  /** Gravity (world axes, m/s²), inputs and what else acts. */
  readonly acting: {
    readonly gravity: readonly number[];
    readonly actuators: readonly UnderstoodActuator[];
    readonly controllers: readonly string[];
    readonly elasticity: boolean;
    readonly damping: boolean;
    readonly water: boolean;
    /** What closes the tree of links. */
    readonly loops: readonly { readonly name: string; readonly kind: string; readonly rows: readonly string[] }[];
    /** Names of those along rods. */
    readonly fields: readonly string[];
    readonly contacts: readonly string[];
  };
  /** Those of the file first; none of kinds that are silenced. */
  readonly warnings: readonly Warning[];
}

interface UnderstoodActuator {
  readonly name: string;
  readonly kind: string;
  readonly unit: string;
  readonly lower?: number;
  readonly upper?: number;
  /** That it acts on by terms of their own. */
  readonly links: readonly string[];
}

/** @param dynamics of `robot`, as it was generated; run-time parameters at their defaults. */
export function understand(robot: Robot, dynamics: LoadedRobot): Understanding {
  const links = understoodLinks(robot);
  const mass = links.reduce((sum, link) => sum + link.mass, 0);
  const base = baseOf(robot);
  const { frame, tip, elastic } = smallMotions(robot, dynamics, base);
  const { elastic: elasticity, damping } = forcesOf(robot);
  return {
    robot: robot.name,
    summary: robot.summary,
    mass,
    links,
    coordinates: robot.coordinates,
    following: followingOf(robot),
    tip: { frame: robot.frames[frame]!.name, at: tip },
    reach: Math.hypot(...tip.map((x, i) => x - base[i]!)),
    ...(elastic && { elastic }),
    acting: {
      gravity: robot.gravity,
      actuators: robot.actuators.map((own) => actuatorOf(robot, own)),
      controllers: (robot.controllers ?? []).map(({ name }) => name),
      elasticity,
      damping,
      water: robot.links.some(({ water }) => water !== undefined),
      loops: (robot.loops ?? []).map(({ name, kind, rows }) => ({ name, kind, rows: rows.map((row) => row.name) })),
      fields: [...new Set(robot.links.flatMap(({ fields = [] }) => fields.map(({ name }) => name)))],
      contacts: [
        ...new Set(
          [...robot.links.flatMap(({ contacts = [] }) => contacts), ...(robot.touching ?? [])].map(({ name }) => name),
        ),
      ],
    },
    warnings: [
      ...robot.warnings,
      ...suspectBodies(robot),
      ...suspectSizes(robot),
      ...suspectMasses(robot, dynamics, mass),
      ...suspectOverlaps(robot, dynamics, mass),
      ...idleActuators(robot, dynamics),
      ...unseenMotions(robot, dynamics),
      ...idleForces(robot),
    ],
  };
}

function baseOf(robot: Robot): readonly number[] {
  return evaluate(robot.base.translation, parametersAtDefaults(robot));
}

function followingOf(robot: Robot): Understanding['following'] {
  const defaults = parametersAtDefaults(robot);
  return robot.links.flatMap(({ name, joint: { prescribed } }) =>
    (prescribed?.coordinates ?? []).map(({ quantity, value }) => {
      const { time } = prescribed!;
      const [now, rate] = evaluate([value, differentiate(value, time)], new Map([...defaults, [time, 0]]));
      return {
        name: `${name}.${quantity.name}`,
        unit: quantity.unit,
        value: now!,
        rate: rate!,
        summary: quantity.summary ?? '',
      };
    }),
  );
}

function actuatorOf(robot: Robot, { name, kind, unit, lower, upper, terms }: Actuator): UnderstoodActuator {
  const found = new Set(terms.flatMap((term) => linksOf(robot, term)));
  const links = robot.links.flatMap((link, i) => (found.has(i) ? [link.name] : []));
  return { name, kind, unit, ...(lower !== undefined && { lower }), ...(upper !== undefined && { upper }), links };
}

/** Indices; those that a wrench is carried to towards the base are not told. */
function linksOf({ coordinates }: Robot, term: ActuatorTerm): number[] {
  switch (term.kind) {
    case 'formula':
    case 'route':
    case 'chamber':
    case 'field':
      return [term.link];
    case 'robot-formula': {
      const symbols = new Set<Expr>(freeSymbols([term.value]));
      return coordinates.flatMap(({ name, link }) => (symbols.has(coordinateSymbol(name)) ? [link] : []));
    }
    case 'reaching':
      return term.frames.map(({ link }) => link);
  }
}
