/**
 * Verification of a robot's generated code: against the independent D'Alembert evaluation, against laws that every
 * mechanical system obeys, and between languages.
 */
import type { LoadedRobot } from '../codegen/load.ts';
import { dependsOnTime, rodOf, type BodyType, type Robot } from '../description/robot.ts';
import { dependsOn } from '../symbolic/traverse.ts';
import { prepareAlembert, type Alembert, type AlembertResult } from './alembert.ts';
import { deviations, type ComparedQuantity, type Deviation, type Expected } from './deviation.ts';
import { evaluateState, rows, type Evaluation, type State } from './evaluation.ts';
import { isSampledInDecimals } from './local-kinematics.ts';
import { materialSymbols } from './material-field.ts';
import { robotScale, type RobotScale } from './robot-scale.ts';
import { sampleStates, type SampledState } from './sample-states.ts';

/** Generated code of the robot in another language or form, ready to run. */
export interface Evaluator {
  /** For reports: `C`, `C, single precision`, `straight-line C`. */
  readonly name: string;
  readonly precision: 'double' | 'single';
  /** Other operations than those of the TypeScript it is compared with: more differs than library functions. */
  readonly isOtherForm?: boolean;
  evaluate(states: readonly State[]): Promise<readonly Evaluation[]>;
}

export interface Check {
  /** What was checked, as a statement. */
  readonly name: string;
  /** Worst relative error over all states. */
  readonly error: number;
  readonly tolerance: number;
  /** State and entry of the worst error. */
  readonly where: string;
  readonly passed: boolean;
  /** The figure to show: `4e-16 of 1e-13`, or what the check measures instead of an error. */
  readonly figure: string;
}

export interface VerificationReport {
  readonly robot: string;
  readonly states: readonly string[];
  readonly checks: readonly Check[];
  /** How bodies with many points were sampled for the independent evaluation. */
  readonly notes: readonly string[];
  /** What could not be checked on this machine, and why. */
  readonly skipped: readonly string[];
  readonly passed: boolean;
}

export interface VerificationOptions {
  readonly seed?: number;
  /** Number of random states. */
  readonly states?: number;
  /** Code in other languages and forms, compared with TypeScript. */
  readonly others?: readonly Evaluator[];
  readonly skipped?: readonly string[];
  /** Called before each state of the slow independent evaluation. */
  readonly progress?: (message: string) => void;
}

/** Largest errors that pass. Difference quotients in double precision are good to about nine digits. */
const TOLERANCE = { independent: 1e-13, identity: 1e-13, quotient: 1e-7, languages: 1e-14, single: 2e-5 } as const;

/** Sums over hundreds of points round in their last digits as the operations are ordered, by this factor more than others. */
const MANY_POINTS = 10;

/** Elastic and viscous forces that count as none, of the weight of the robot. */
const NO_FORCE = 1e-25;

/** Collects the worst error of each named check, in the order of first mention. */
class Ledger {
  private readonly worst = new Map<string, Omit<Check, 'name' | 'passed'>>();

  note(name: string, tolerance: number, error: number, where: string, figure?: string): void {
    const value = Number.isNaN(error) ? Infinity : error;
    const before = this.worst.get(name);
    if (before && value <= before.error) return;
    const shown = figure ?? `${value === 0 ? '0' : value.toExponential(1)} of ${tolerance.toExponential(0)}`;
    this.worst.set(name, { error: value, tolerance, where, figure: shown });
  }

  checks(): Check[] {
    return [...this.worst].map(([name, entry]) => ({ name, ...entry, passed: entry.error <= entry.tolerance }));
  }
}

/**
 * Runs all checks on generated TypeScript (`dynamics`, with the default run-time parameters) and on `others`.
 * Nothing is thrown for a check that fails.
 */
export async function verifyRobot(
  robot: Robot,
  dynamics: LoadedRobot,
  options: VerificationOptions = {},
): Promise<VerificationReport> {
  const { seed = 1, states: count = 3, others = [], skipped = [], progress = () => undefined } = options;
  const scale = robotScale(robot);
  const typical = scale.length / Math.max(1, robot.links.length) || 1;
  const states = sampleStates(robot, count, seed, typical);
  const ledger = new Ledger();
  const results = states.map((state) => evaluateState(dynamics, robot.tip, state));
  const alembert = prepareAlembert(robot);
  const independent = independentTolerance(robot, alembert);
  states.forEach((state, i) => {
    progress(`independent evaluation, ${state.name} (${i + 1} of ${states.length})`);
    checkIndependent(ledger, alembert, state, results[i]!, scale, independent);
  });
  const moves = dependsOnTime(robot);
  states.forEach((state, i) => checkLaws(ledger, dynamics, robot, state, results[i]!, moves));
  if (!moves) states.forEach((state) => checkQuotients(ledger, dynamics, robot, state, scale));
  for (const other of others) {
    progress(`comparison with ${other.name}`);
    const found = await other.evaluate(states);
    const { single, languages, identity } = TOLERANCE;
    const basis = other.precision === 'single' ? single : other.isOtherForm ? identity : languages;
    const tolerance = roundingOfSums(robot) * basis;
    states.forEach((state, i) => checkLanguage(ledger, other, found[i]!, results[i]!, state, scale, tolerance));
  }
  const checks = ledger.checks();
  return {
    robot: robot.name,
    states: states.map((s) => s.name),
    checks,
    notes: alembert.notes,
    skipped: moves ? [...skipped, 'energy balance and Jacobian: the robot moves with the time by itself'] : skipped,
    passed: checks.every((check) => check.passed),
  };
}

// ------------------------------------------------------------------------------------ independent evaluation

const NAMES: Record<ComparedQuantity, string> = {
  tau: 'generalized forces tau',
  c: 'Coriolis and centrifugal terms c',
  g: 'gravity terms g',
  M: 'mass matrix M',
  energies: 'kinetic and potential energy',
  tip: 'pose of the tip',
};

function expectedOf(result: AlembertResult): Expected {
  return {
    M: result.massMatrix,
    c: result.coriolis,
    g: result.gravity,
    tau: result.torque,
    kinetic_energy: result.kineticEnergy,
    potential_energy: result.potentialEnergy,
    tip_position: result.tip?.position,
    tip_rotation: result.tip && [0, 3, 6].map((i) => result.tip!.rotation.slice(i, i + 3)),
  };
}

/**
 * What the generated code may differ by: what its own integrals were asked to be good to, where they are numerical, and
 * what the rules of the independent evaluation are good to.
 */
function independentTolerance(robot: Robot, alembert: Alembert): number {
  const asked = robot.links.flatMap(({ body }) =>
    body.kind === 'deformable' && mayBeSummed(body.type) ? [10 * body.type.integration.tolerance] : [],
  );
  return Math.max(TOLERANCE.independent, 10 * alembert.ruleError, ...asked);
}

/** May integrals of the body be sums over points, rather than closed forms? */
function mayBeSummed(type: BodyType): boolean {
  if (!isSampledInDecimals(type) || type.integration.method === 'quadrature') return true;
  return dependsOn(rodOf(type).density, new Set(materialSymbols(rodOf(type))));
}

function checkIndependent(
  ledger: Ledger,
  alembert: Alembert,
  state: SampledState,
  result: Evaluation,
  scale: RobotScale,
  tolerance: number,
): void {
  const expected = alembert.evaluate(state);
  const found = deviations(result, expectedOf(expected), state, scale.length, scale.energy);
  for (const { quantity, entry, error } of found)
    ledger.note(
      `D'Alembert's principle gives the same ${NAMES[quantity]}`,
      tolerance,
      error,
      `${entry}, ${state.name}`,
    );
  for (const quantity of ['elastic', 'damping'] as const) {
    const largest = Math.max(...expected[quantity].map((x) => Math.abs(x.toNumber())), 0);
    // Beside a configuration where formulas read 0/0, forces are not quite zero.
    const size = largest < NO_FORCE * (scale.energy || 1) ? 0 : largest;
    if (size === 0 && result[quantity].every((x) => x === 0)) continue;
    expected[quantity].forEach((x, a) =>
      ledger.note(
        quantity === 'elastic'
          ? 'difference quotients of the stored energy give the same elastic forces'
          : 'the power of viscous stresses gives the same damping forces',
        tolerance,
        ratioOf(result[quantity][a]! - x.toNumber(), size),
        `${quantity}[${a}], ${state.name}`,
      ),
    );
  }
}

function checkLanguage(
  ledger: Ledger,
  language: Evaluator,
  found: Evaluation,
  expected: Evaluation,
  state: SampledState,
  scale: RobotScale,
  tolerance: number,
): void {
  const worst = deviations(found, expected, state, scale.length, scale.energy).reduce<Deviation>(
    (most, d) => (d.error > most.error ? d : most),
    { quantity: 'tau', entry: 'all entries', error: 0 },
  );
  ledger.note(`${language.name} agrees with TypeScript`, tolerance, worst.error, `${worst.entry}, ${state.name}`);
}

// ------------------------------------------------------------------------------------ laws

/**
 * Σ_b √(M_aa M_bb) |q̈_b| + |c_a| + |g_a|: by Cauchy and Schwarz the first bounds Σ_b |M_ab q̈_b|, and it is what the sums
 * over material points consist of, however much of them cancels.
 */
function forceScale(result: Evaluation, qdd: readonly number[], a: number): number {
  const { M, c, g } = result;
  const inertia = M.reduce((sum, row, b) => sum + Math.sqrt(M[a]![a]! * row[b]!) * Math.abs(qdd[b]!), 0);
  return inertia + Math.abs(c[a]!) + Math.abs(g[a]!);
}

const ratioOf = (difference: number, scale: number): number => (difference === 0 ? 0 : Math.abs(difference) / scale);

function checkLaws(
  ledger: Ledger,
  dynamics: LoadedRobot,
  robot: Robot,
  state: SampledState,
  result: Evaluation,
  movesWithTime: boolean,
): void {
  const { M, c, g, tau } = result;
  const n = tau.length;
  const identity = roundingOfSums(robot) * TOLERANCE.identity;
  const where = (entry: string): string => `${entry}, ${state.name}`;
  for (let a = 0; a < n; a++)
    for (let b = 0; b < a; b++)
      ledger.note(
        'M is symmetric',
        1e-15,
        ratioOf(M[a]![b]! - M[b]![a]!, Math.sqrt(M[a]![a]! * M[b]![b]!)),
        where(`M[${a}][${b}]`),
      );
  const pivot = smallestPivot(M);
  ledger.note(
    'M is positive definite',
    -Number.MIN_VALUE,
    -pivot,
    state.name,
    `smallest scaled pivot ${pivot.toExponential(1)}`,
  );
  for (let a = 0; a < n; a++) {
    const sum = M[a]!.reduce((total, m, b) => total + m * state.qdd[b]!, c[a]! + g[a]!);
    const error = ratioOf(tau[a]! - sum, forceScale(result, state.qdd, a));
    ledger.note('tau = M q̈ + c + g, each from its own sweep', identity, error, where(`tau[${a}]`));
  }
  checkOneCallFunctions(ledger, dynamics, robot, state, result);
  if (movesWithTime) return;
  let quadratic = 0;
  let size = 0;
  M.forEach((row, a) =>
    row.forEach((m, b) => {
      quadratic += (state.qd[a]! * m * state.qd[b]!) / 2;
      size += Math.abs(state.qd[a]! * m * state.qd[b]!) / 2;
    }),
  );
  ledger.note('½ q̇ᵀ M q̇ is the kinetic energy', identity, ratioOf(result.kinetic_energy - quadratic, size), where('T'));
}

/** What equal sums may differ by, as a multiple of what other formulas may. */
function roundingOfSums(robot: Robot): number {
  return robot.links.some(({ body }) => body.kind === 'deformable' && mayBeSummed(body.type)) ? MANY_POINTS : 1;
}

function checkOneCallFunctions(
  ledger: Ledger,
  dynamics: LoadedRobot,
  robot: Robot,
  state: SampledState,
  result: Evaluation,
): void {
  const n = robot.coordinates.length;
  const name = 'one-call functions agree with the staged ones';
  const tau = new Float64Array(n);
  const g = new Float64Array(n);
  const M = new Float64Array(n * n);
  if (state.t !== undefined) dynamics.parameters['time'] = state.t;
  dynamics.inverseDynamicsAt(state.q, state.qd, state.qdd, tau);
  dynamics.massMatrixAt(state.q, M);
  dynamics.gravityAt(state.q, g);
  const oneCall = rows(M, n);
  const tolerance = roundingOfSums(robot) * TOLERANCE.languages;
  for (let a = 0; a < n; a++) {
    const scale = forceScale(result, state.qdd, a);
    ledger.note(name, tolerance, ratioOf(tau[a]! - result.tau[a]!, scale), `tau[${a}], ${state.name}`);
    ledger.note(name, tolerance, ratioOf(g[a]! - result.g[a]!, scale), `g[${a}], ${state.name}`);
    for (let b = 0; b < n; b++) {
      const size = Math.sqrt(result.M[a]![a]! * result.M[b]![b]!);
      ledger.note(name, tolerance, ratioOf(oneCall[a]![b]! - result.M[a]![b]!, size), `M[${a}][${b}], ${state.name}`);
    }
  }
}

/** Smallest pivot of the Cholesky factorisation of M scaled to a unit diagonal; not positive when M is not definite. */
export function smallestPivot(M: readonly (readonly number[])[]): number {
  const n = M.length;
  const scale = M.map((row, a) => Math.sqrt(row[a]!));
  const A = M.map((row, a) => row.map((m, b) => m / (scale[a]! * scale[b]!)));
  let smallest = 1;
  for (let k = 0; k < n; k++) {
    const pivot = A[k]![k]!;
    if (!(pivot > 0)) return Number.isNaN(pivot) ? -Infinity : Math.min(pivot, -Number.MIN_VALUE);
    smallest = Math.min(smallest, pivot);
    for (let i = k + 1; i < n; i++) {
      const factor = A[i]![k]! / pivot;
      for (let j = k + 1; j < n; j++) A[i]![j]! -= factor * A[k]![j]!;
    }
  }
  return smallest;
}

// ------------------------------------------------------------------------------------ difference quotients

/** d/dt at 0 of a function of time, to sixth order: (45 Δ_1 − 9 Δ_2 + Δ_3)/(60 h) with Δ_k = f(kh) − f(−kh). */
function derivative(f: (t: number) => readonly number[]): number[] {
  const h = 2e-3;
  const [one, two, three] = [1, 2, 3].map((k) => {
    const [after, before] = [f(k * h), f(-k * h)];
    return after.map((x, i) => x - before[i]!);
  }) as [number[], number[], number[]];
  return one.map((d, i) => (45 * d - 9 * two[i]! + three[i]!) / (60 * h));
}

function checkQuotients(
  ledger: Ledger,
  dynamics: LoadedRobot,
  robot: Robot,
  state: SampledState,
  scale: RobotScale,
): void {
  const { q, qd, qdd } = state;
  const path = (t: number) => ({
    q: q.map((x, i) => x + qd[i]! * t + (qdd[i]! * t * t) / 2),
    qd: qd.map((v, i) => v + qdd[i]! * t),
    qdd,
  });
  const at = (t: number): Evaluation => evaluateState(dynamics, robot.tip, path(t));
  const result = at(0);
  const rates = derivative((t) => {
    const e = at(t);
    return [e.kinetic_energy + e.potential_energy, ...e.tip_position, ...e.tip_rotation.flat()];
  });
  const power = result.tau.reduce((sum, force, a) => sum + force * qd[a]!, 0);
  const powerScale = qd.reduce(
    (sum, v, a) => sum + Math.abs(v) * forceScale(result, qdd, a),
    result.kinetic_energy + scale.energy,
  );
  ledger.note(
    'd(T + V)/dt = q̇ᵀ tau along a path',
    TOLERANCE.quotient,
    ratioOf(rates[0]! - power, powerScale),
    `power, ${state.name}`,
  );
  checkJacobian(ledger, dynamics, robot, state, result, rates.slice(1), scale);
}

/** J q̇ against the rates of the tip: velocity of its origin, and Ṙ Rᵀ for its angular velocity. */
function checkJacobian(
  ledger: Ledger,
  dynamics: LoadedRobot,
  robot: Robot,
  state: SampledState,
  result: Evaluation,
  rates: readonly number[],
  scale: RobotScale,
): void {
  const n = robot.coordinates.length;
  const J = new Float64Array(6 * n);
  dynamics.update(state.q, state.qd);
  dynamics.frame(robot.tip, null, null, J);
  const twist = rows(J, n).map((row) => row.reduce((sum, x, a) => sum + x * state.qd[a]!, 0));
  const R = result.tip_rotation;
  const Rd = rows(rates.slice(3), 3);
  const spin = (i: number, j: number): number => [0, 1, 2].reduce((sum, k) => sum + Rd[i]![k]! * R[j]![k]!, 0);
  const quotient = [spin(2, 1), spin(0, 2), spin(1, 0), ...rates.slice(0, 3)];
  const speed = Math.max(...state.qd.map(Math.abs), 1e-300);
  quotient.forEach((value, i) => {
    const size = Math.max(...twist.map(Math.abs), speed * Math.max(1, scale.length));
    ledger.note(
      'the Jacobian of the tip gives its velocity',
      TOLERANCE.quotient,
      ratioOf(value - twist[i]!, size),
      `row ${i}, ${state.name}`,
    );
  });
}
