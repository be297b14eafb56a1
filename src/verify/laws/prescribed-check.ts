/** Joints that follow the time: what moves them, by D'Alembert's principle and by the balance of energy along a path. */
import { takeTime } from '../../codegen/modules/evaluation.ts';
import type { LoadedRobot } from '../../codegen/typescript/load.ts';
import { prescribedNames, type Robot } from '../../description/model/robot.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import type { AlembertResult } from '../independent/alembert-result.ts';
import { evaluateState, type State } from '../generated/evaluation.ts';
import { alongPath, derivative, type MeasuredState } from './laws.ts';
import type { Ledger } from './ledger.ts';

const FORCES = "D'Alembert's principle gives the same forces on coordinates that follow the time";
const POWER = 'd(T + V)/dt = q̇ᵀ tau + power of the coordinates that follow the time';

/** Times what a sum of few points along rods misses of drag that has kinks. */
const OF_KINKS = 3;

interface Context {
  readonly robot: Robot;
  readonly dynamics: LoadedRobot;
  readonly ledger: Ledger;
}

/** @returns undefined where none follow the time. */
function forcesOf({ robot, dynamics }: Context, state: State): { force: Float64Array; fluid: Float64Array } | undefined {
  const count = prescribedNames(robot).length;
  if (count === 0 || !dynamics.prescribedForces) return undefined;
  takeTime(dynamics.parameters, state);
  dynamics.update(state.q, state.qd);
  const [force, fluid] = [new Float64Array(count), new Float64Array(count)];
  dynamics.prescribedForces(state.qdd, force, fluid);
  return { force, fluid };
}

export function checkPrescribedForces(
  context: Context,
  state: MeasuredState,
  expected: AlembertResult,
  tolerance: number,
): void {
  const { ledger, robot } = context;
  const names = prescribedNames(robot);
  if (names.length === 0) return;
  ledger.expect(FORCES);
  const found = forcesOf(context, state);
  if (!found) return ledger.absent(FORCES, 'this code has no prescribed_forces');
  expected.followed.forEach(({ force, fluid, unsettled, size }, k) => {
    const error = (value: number, due: number): number => (value === due ? 0 : Math.abs(value - due) / size);
    const allowed = Math.max(tolerance, size > 0 ? (OF_KINKS * unsettled) / size : 0);
    ledger.note(FORCES, allowed, error(found.force[k]!, Number(force)), `force on ${names[k]!}, ${state.name}`);
    ledger.note(FORCES, allowed, error(found.fluid[k]!, Number(fluid)), `water on ${names[k]!}, ${state.name}`);
  });
}

/** @param energy J, of the weight of the robot at its length. @param tolerance of quotients. */
export function checkPrescribedPower(context: Context, state: MeasuredState, energy: number, tolerance: number): void {
  const { robot, dynamics, ledger } = context;
  const found = forcesOf(context, state);
  if (!found || state.t === undefined) return;
  ledger.expect(POWER);
  const { q, qd, qdd, t: time } = state;
  const total = (t: number): number => {
    const moved: State = { q: alongPath(state, t), qd: qd.map((v, i) => v + qdd[i]! * t), qdd, t: time + t };
    const { kinetic_energy: kinetic, potential_energy: potential } = evaluateState(dynamics, robot.tip, moved);
    return kinetic + potential;
  };
  const coordinates = robot.links.flatMap(({ joint }) =>
    joint.prescribed ? joint.prescribed.coordinates.map((own) => ({ ...own, time: joint.prescribed!.time })) : [],
  );
  const defaults = evaluate(
    robot.parameters.map(({ value }) => value),
    new Map(),
  );
  const held = robot.parameters.map(({ symbol, name }, i): [Expr, number] => {
    const given = dynamics.parameters[name];
    return [symbol, typeof given === 'number' ? given : defaults[i]!];
  });
  const powers = coordinates.map(({ value, time: symbol }, k) => {
    const rate = derivative((t) => evaluate([value], new Map<Expr, number>([...held, [symbol, time + t]]))[0]!);
    return (found.force[k]! - found.fluid[k]!) * rate;
  });
  const { tau } = evaluateState(dynamics, robot.tip, { q, qd, qdd, t: time });
  const terms = [...tau.map((force, a) => force * qd[a]!), ...powers];
  const power = terms.reduce((sum, own) => sum + own, 0);
  const size = terms.reduce((sum, own) => sum + Math.abs(own), energy);
  ledger.note(POWER, tolerance, Math.abs(derivative(total) - power) / size, `power, ${state.name}`);
}
