/**
 * What one call of inverse dynamics by the driver costs, as generated, and a rough idea of the time that takes; and which costs less,
 * the driver or straight-line functions.
 */
import type { Robot } from '../description/model/robot.ts';
import { laneLoopsOf } from '../codegen/c-language/lane-loops.ts';
import { programsCalled, robotCallCosts } from '../codegen/controllers/call-costs.ts';
import { operationsInAll } from '../codegen/printing/cost-text.ts';
import type { Program } from '../codegen/programs/program.ts';
import { robotModel } from '../codegen/modules/robot-model.ts';
import { countOperations } from '../codegen/programs/statement.ts';
import { executedOperations } from '../codegen/whole-robot/straight-cost.ts';
import { compileBodies } from '../kane/compile.ts';
import type { CompiledBody } from '../kane/compile-body.ts';
import type { StraightModel } from '../codegen/whole-robot/straight-model.ts';
import type { CompiledRobot } from '../kane/kernels/link-type.ts';

export interface CallCost {
  /** Points of rules and along rods, of all links together. */
  readonly points: number;
  /** Executed by all links. */
  readonly operations: number;
  /** An estimate for C in double precision with vectors of four on a desktop processor. */
  readonly microseconds: number;
  /** The body that needs the most points, where these are many: of a sum for inertia or for forces of its material. */
  readonly dearest: DearBody | null;
}

interface DearBody {
  readonly type: string;
  readonly points: number;
  readonly tolerance: number;
  /** Coordinates whose range is assumed. */
  readonly withoutLimits: readonly string[];
}

/** Points of one body from which on it is worth asking what makes it dear. */
const MANY_POINTS = 400;

/**
 * Operations in a nanosecond, about: measured for the bodies of the library by `npm run bench` on a processor of 2.5 GHz,
 * 3 to 5 in straight-line code and along rods, 8 to 19 where rows run side by side as lanes.
 */
const PER_NANOSECOND = { plain: 4, inLanes: 12 };

export function callCost(robot: Robot, compiled: CompiledRobot): CallCost {
  const bodies = compileBodies(robot);
  const model = robotModel(robot, compiled);
  let points = 0;
  for (const { body } of robot.links) if (body.kind === 'deformable') points += bodies.get(body.type)!.chosen.cost.rows;
  let operations = 0;
  let nanoseconds = 0;
  for (const program of programsCalled(model, 'inverseDynamicsAt')) {
    const all = executedOperations(program);
    const inLanes = operationsInLanes(program);
    operations += all;
    nanoseconds += (all - inLanes) / PER_NANOSECOND.plain + inLanes / PER_NANOSECOND.inLanes;
  }
  return { points, operations, microseconds: nanoseconds / 1000, dearest: dearestOf([...bodies.values()]) };
}

function dearestOf(bodies: readonly CompiledBody[]): DearBody | null {
  const all = bodies.map(({ type, chosen }): DearBody => {
    const ofForces = chosen
      .forces()
      .flatMap(({ loops }) => loops.map((loop) => (loop.stage > 0 ? loop.table.rows : 0)));
    return {
      type: type.name,
      points: Math.max(chosen.cost.rows, ...ofForces),
      tolerance: type.integration.tolerance,
      withoutLimits: type.coordinates.filter(({ limits }) => !limits).map(({ name }) => name),
    };
  });
  return all.filter(({ points }) => points >= MANY_POINTS).sort((a, b) => b.points - a.points)[0] ?? null;
}

function operationsInLanes(program: Program): number {
  const statements = laneLoopsOf(program);
  return executedOperations({ statements, counts: countOperations(statements) });
}

/** What makes a body dear and what would make it cheaper; undefined where none is. */
export function dearText({ dearest }: CallCost): string | undefined {
  if (!dearest) return undefined;
  const { type, points, tolerance, withoutLimits } = dearest;
  const shown = withoutLimits.slice(0, 6).join(', ') + (withoutLimits.length > 6 ? ', …' : '');
  const limits =
    withoutLimits.length > 0 ? `\`limits\` for ${shown} where they move less than is assumed` : 'narrower `limits`';
  return `\`${type}\` needs ${points.toLocaleString('en-US')} points for its tolerance of ${tolerance}: ${limits}, or a larger \`integration: { tolerance }\`, cost less (\`kanegen explain\`)`;
}

/** `inverse dynamics: 72 points, 28,554 operations, about 2.4 µs a call in C (estimated)` */
export function callCostText({ points, operations, microseconds }: CallCost): string {
  const whole = (value: number): string => Math.round(value).toLocaleString('en-US');
  const time = microseconds < 0.1 ? 'less than 0.1' : `about ${Number(microseconds.toPrecision(2))}`;
  const summed = points > 0 ? `${whole(points)} points, ` : '';
  return `inverse dynamics: ${summed}${whole(operations)} operations, ${time} µs a call in C (estimated)`;
}

/** Executed operations of a function in both forms. */
export interface FormCost {
  readonly name: string;
  readonly straight: number;
  readonly driver: number;
}

/** Those that the driver has in one call, with nothing staged before, as straight-line functions do. */
const IN_ONE_CALL = { inverseDynamics: 'inverse dynamics', massMatrix: 'mass matrix', gravity: 'gravity' } as const;

export function formCosts({ robot, functions }: StraightModel): readonly FormCost[] {
  const driver = robotCallCosts(robot);
  return functions.flatMap(({ name, program }): FormCost[] => {
    if (!(name in IN_ONE_CALL)) return [];
    const own = IN_ONE_CALL[name as keyof typeof IN_ONE_CALL];
    return [
      { name: own, straight: executedOperations(program), driver: operationsInAll(driver(`robot.${name}At`, [], [])) },
    ];
  });
}

/** What an instruction cache of 32 kB holds: compilers make about ten bytes of an operation. */
const CACHED = 3200;

/** Which form costs less, function by function, and why. */
export function formText(costs: readonly FormCost[]): string {
  const whole = (value: number): string => value.toLocaleString('en-US');
  return costs
    .map(({ name, straight, driver }) => {
      const head = `${name} as straight-line code: ${whole(straight)} operations, by the driver ${whole(driver)}`;
      if (straight >= driver) return `${head}: call the driver`;
      const isLong = straight > CACHED;
      return `${head}: ${isLong ? 'its code is larger than an instruction cache of 32 kB, so measure before you choose' : 'call it'}`;
    })
    .join('\n');
}
