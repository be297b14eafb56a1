/** Loops of generated code held against what the file says, and accelerations against the saddle system of M and J. */
import { takeTime } from '../../codegen/modules/evaluation.ts';
import { KanegenError } from '../../common/error.ts';
import type { Actuator } from '../../description/model/actuator.ts';
import type { Robot } from '../../description/model/robot.ts';
import { yieldNumbers, type Loop } from '../../description/model/loop.ts';
import { KG_OK, type Loops } from '../../runtime/driver.ts';
import { expectedActuation } from '../independent/actuation.ts';
import { relative } from '../generated/deviation.ts';
import { rows, type Evaluation } from '../generated/evaluation.ts';
import { TOLERANCE, type LawContext, type MeasuredState } from './laws.ts';

const LOOPS = {
  residuals: 'residuals of loops agree with the file',
  rates: 'their rates and second derivatives are difference quotients of it',
  gradients: 'J has the difference quotients of residuals',
  accelerations: 'forward dynamics solves the saddle system of M and J',
  correction: 'corrections close the loops, and their rates',
  power: 'multipliers do no work along the loops',
} as const;

/** States that are looked at: among them a straight one. */
const STATES = 4;
/** Feedback of the accelerations that are compared, 1/s: states of a verification are not on the loops. */
const [ALPHA, BETA] = [3, 5];
const MOST_CORRECTIONS = 30;
/** Saddle systems lose digits that J M⁻¹ Jᵀ has lost. */
const OF_SYSTEM = 100;

/** A closed state, the rank of J there, and what is compared. */
interface Closing {
  readonly rank: number;
  note(): void;
}

/** A row as an actuation coordinate, with the derivatives that the independent check has of those. */
function asCoordinates(
  { actuators }: Robot,
  { parts, formula, actuator, rows: own, location, name }: Loop,
): Actuator[] {
  return own.map((row, j) => ({
    name: row.name,
    kind: 'along',
    summary: name,
    unit: row.forceUnit,
    coordinateUnit: row.unit,
    location,
    terms: [
      ...parts.map(({ frames, values }) => ({
        kind: 'reaching' as const,
        frames,
        action: { kind: 'formula' as const, value: values[j]! },
      })),
      ...(formula ? [{ kind: 'robot-formula' as const, value: formula }] : []),
      ...(actuator === undefined ? [] : actuators[actuator]!.terms),
    ],
  }));
}

/**
 * @param inTime runs a piece of work, to an error where it takes too long.
 * @param worst relative error that integrals of bodies may have: poses are made of them.
 */
export function checkLoops(
  { ledger, dynamics, robot, rounding }: LawContext,
  states: readonly MeasuredState[],
  results: readonly Evaluation[],
  inTime: <T>(work: () => T) => T | KanegenError,
  worst: number,
): void {
  const due = (robot.loops ?? []).flatMap((loop) => asCoordinates(robot, loop));
  if (due.length === 0) return;
  const laws = (robot.loops ?? []).flatMap(({ rows: own, time }) => own.map((row) => ({ ...row, time })));
  const isRigid = laws.map(({ yields, isRope }) => !yields && !isRope);
  // Rows that follow the time do work, and so do springs and ropes.
  const isWorking = laws.map(({ time }, j) => time !== undefined || !isRigid[j]!);
  // Nothing closes springs, and what works has no power to be without.
  const [hasRigid, hasIdle] = [isRigid.some((own) => own), isWorking.some((own) => !own)];
  const closed = [...(hasRigid ? [LOOPS.correction] : []), ...(hasIdle ? [LOOPS.power] : [])];
  ledger.expect(LOOPS.residuals, LOOPS.rates, LOOPS.gradients, LOOPS.accelerations, ...closed);
  /** Is a row where it should be? Springs are anywhere, ropes at any smaller length. */
  const isClosed = (x: number, j: number, within: number): boolean =>
    laws[j]!.yields !== undefined || (laws[j]!.isRope ? x : Math.abs(x)) < within;
  const n = robot.coordinates.length;
  const r = due.length;
  const loops = dynamics as Loops & typeof dynamics;
  const tolerance = Math.max(TOLERANCE.identity, 10 * worst);
  const closings: Closing[] = [];
  const vector = (count: number): Float64Array => new Float64Array(count).fill(NaN);
  states.slice(0, STATES).forEach((state, i) => {
    if (i === 2) return;
    takeTime(dynamics.parameters, state);
    dynamics.update(state.q, state.qd);
    const [phi, rate, bias, J] = [vector(r), vector(r), vector(r), vector(r * n)] as const;
    loops.constraint(phi, rate, bias);
    loops.constraintJacobian(J);
    const gradients = rows(J, n);
    due.forEach((coordinate, j) => {
      const expected = inTime(() => expectedActuation(robot, coordinate, state, 0));
      if (typeof expected === 'string' || expected instanceof KanegenError) {
        const reason = typeof expected === 'string' ? expected : expected.message;
        for (const name of [LOOPS.residuals, LOOPS.rates, LOOPS.gradients])
          ledger.cannot(name, `${coordinate.name}, ${state.name}: ${reason}`);
        return;
      }
      const { scale } = expected;
      const note = (name: string, what: string, found: number, value: number, size: number): void =>
        ledger.note(name, tolerance, relative(found, value, size), `${what} of ${coordinate.name}, ${state.name}`);
      // Residuals are differences of places, and vanish where loops are closed.
      note(LOOPS.residuals, 'residual', phi[j]!, expected.y, Math.max(scale.y, scale.gradient));
      note(LOOPS.rates, 'rate', rate[j]!, expected.yd, scale.yd);
      note(LOOPS.rates, 'bias', bias[j]!, expected.ydd0, scale.ydd0);
      expected.gradient.forEach((slope, a) =>
        note(LOOPS.gradients, `derivative by ${robot.coordinates[a]!.name}`, gradients[j]![a]!, slope, scale.gradient),
      );
    });
    checkAccelerations(state, results[i]!, { phi, rate, bias, J: gradients });
    closings.push(...closingFrom(state));
  });
  // Samples are made without the loops: what the file names is nearer to closed ones.
  const [{ qd } = { qd: [] }] = states;
  const named = { 'the defaults': robot.coordinates.map(({ value }) => value), ...robot.states };
  for (const [name, q] of Object.entries(named)) closings.push(...closingFrom({ name, q, qd }));
  // Where the rank drops, closed states are singular: rates along some rows are left to the second derivatives.
  const rank = Math.max(...closings.map((own) => own.rank));
  for (const own of closings) if (own.rank === rank) own.note();
  if (closings.length === 0)
    for (const name of closed)
      ledger.cannot(name, 'corrections lead from no state to closed loops: name one in `states`');

  function checkAccelerations(
    state: MeasuredState,
    { M, tau, elastic, damping, fluid }: Evaluation,
    { phi, rate, bias, J }: { phi: Float64Array; rate: Float64Array; bias: Float64Array; J: number[][] },
  ): void {
    const load = tau.map((x, a) => x + elastic[a]! + damping[a]! + (fluid?.[a] ?? 0));
    const [qdd, lambda] = [vector(n), vector(r)];
    const status = loops.constrainedForwardDynamics(ALPHA, BETA, load, qdd, lambda);
    const where = (what: string): string => `${what}, ${state.name}`;
    if (status !== KG_OK) return ledger.note(LOOPS.accelerations, 0, Infinity, where(`status ${status}`));
    const system = OF_SYSTEM * rounding * TOLERANCE.identity;
    M.forEach((row, a) => {
      let [sum, size] = [0, Math.abs(load[a]!)];
      row.forEach((m, b) => {
        sum += m * (qdd[b]! - state.qdd[b]!);
        size += Math.sqrt(M[a]![a]! * M[b]![b]!) * (Math.abs(qdd[b]!) + Math.abs(state.qdd[b]!));
      });
      for (let j = 0; j < r; j++) {
        sum -= J[j]![a]! * lambda[j]!;
        size += Math.abs(J[j]![a]! * lambda[j]!);
      }
      ledger.note(LOOPS.accelerations, system, relative(sum, 0, size), where(`force on ${robot.coordinates[a]!.name}`));
    });
    const numbers = yieldNumbers(robot, dynamics.parameters);
    numbers.forEach(({ compliance, damping }, j) => {
      if (compliance === 0) return;
      const [spring, damper] = [phi[j]! / compliance, damping * rate[j]!];
      const force = laws[j]!.isRope ? (phi[j]! > 0 ? Math.min(0, -spring - damper) : 0) : -spring - damper;
      const size = Math.abs(spring) + Math.abs(damper);
      ledger.note(LOOPS.accelerations, system, relative(lambda[j]!, force, size), where(`force of ${due[j]!.name}`));
    });
    lambda.forEach((x, j) => {
      if (laws[j]!.isRope && x > 0)
        ledger.note(LOOPS.accelerations, system, relative(x, 0, x), where(`push of ${due[j]!.name}`));
    });
    // Dependent rows are met where the state is on the loops.
    if (loops.constraintRank() < isRigid.filter(Boolean).length) return;
    due.forEach(({ name }, j) => {
      if (!isRigid[j]) return;
      const feedback = [2 * ALPHA * rate[j]!, BETA ** 2 * phi[j]!, bias[j]!];
      const moved = J[j]!.map((e, a) => e * qdd[a]!);
      const parts = [...feedback, ...moved];
      const size = parts.reduce((sum, x) => sum + Math.abs(x), 0);
      const left = parts.reduce((sum, x) => sum + x, 0);
      ledger.note(LOOPS.accelerations, system, relative(left, 0, size), where(`acceleration of ${name}`));
    });
  }

  /** From the state to a closed one, where there is one near by. */
  function closingFrom(state: Pick<MeasuredState, 'name' | 'q' | 'qd'>): Closing[] {
    const [q, qd] = [Float64Array.from(state.q), Float64Array.from(state.qd)];
    const [dq, dqd, phi, rate, J] = [vector(n), vector(n), vector(r), vector(r), vector(r * n)] as const;
    let size = Infinity;
    for (let k = 0; k < MOST_CORRECTIONS && size > 1e-15; k++) {
      if (dynamics.update(q, qd) !== KG_OK || loops.constraintCorrection(dq, dqd) !== KG_OK) break;
      size = Math.max(...dq.map((x, a) => Math.abs(x) / (1 + Math.abs(q[a]!))));
      dq.forEach((x, a) => (q[a]! += x));
    }
    dynamics.update(q, qd);
    loops.constraint(phi, null, null);
    // Residuals follow the square of the last step, or its size: at closed loops none is left.
    if (size > 1e-3 && phi.every((x, j) => isClosed(x, j, 1e-12)))
      ledger.note(LOOPS.correction, 1e-12, size, `a step at closed loops from ${state.name}`);
    // Newton's method from a state that was made without the loops may lead nowhere.
    if (!(size <= 1e-12 && phi.every((x, j) => isClosed(x, j, 1e-6)))) return [];
    dqd.forEach((x, a) => (qd[a]! += x));
    dynamics.update(q, qd);
    loops.constraint(phi, rate, null);
    loops.constraintJacobian(J);
    const [qdd, lambda] = [vector(n), vector(r)];
    const still = new Float64Array(n);
    const status = loops.forwardDynamics(still, qdd) || loops.constrainedForwardDynamics(0, 0, still, qdd, lambda);
    const gradients = rows(J, n);
    const largest = Math.max(...J.map(Math.abs));
    const rank = loops.constraintRank();
    const note = (): void => {
      due.forEach(({ name }, j) => {
        if (!isRigid[j]) return;
        const where = `${name} from ${state.name}`;
        // Rates that are corrected away leave rounding of what they were.
        const moved = gradients[j]!.reduce(
          (sum, e, a) => sum + Math.abs(e) * (Math.abs(qd[a]!) + Math.abs(state.qd[a]!)),
          0,
        );
        ledger.note(LOOPS.correction, 1e-12, relative(phi[j]!, 0, Math.max(1e-3, largest)), `residual of ${where}`);
        ledger.note(LOOPS.correction, 1e-11, relative(rate[j]!, 0, Math.max(moved, 1e-3)), `rate of ${where}`);
      });
      if (status !== KG_OK) ledger.note(LOOPS.power, 0, Infinity, `status ${status}, ${state.name}`);
      if (!hasIdle) return;
      const forces = vector(n).map((_, a) =>
        gradients.reduce((sum, row, j) => (isWorking[j] ? sum : sum + row[a]! * lambda[j]!), 0),
      );
      const powers = qd.map((v, a) => forces[a]! * v);
      const exchanged = forces.reduce(
        (sum, f, a) => sum + Math.abs(f) * (Math.abs(qd[a]!) + Math.abs(state.qd[a]!)),
        0,
      );
      ledger.note(
        LOOPS.power,
        1e-11,
        relative(
          powers.reduce((sum, x) => sum + x, 0),
          0,
          Math.max(exchanged, 1e-9),
        ),
        state.name,
      );
    };
    return [{ rank, note }];
  }
}
