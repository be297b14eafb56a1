/** Generated code compared with D'Alembert's principle: terms, frames, and forces of materials and water. */
import { takeTime } from '../codegen/modules/evaluation.ts';
import type { LoadedRobot } from '../codegen/typescript/load.ts';
import type { Robot } from '../description/model/robot.ts';
import { forcesOf, waterOf } from '../description/model/what-acts.ts';
import type { Accuracy } from './independent/accuracy.ts';
import type { Alembert } from './independent/alembert.ts';
import type { AlembertResult } from './independent/alembert-result.ts';
import {
  columnSizes,
  deviations,
  relative,
  type ComparedQuantity,
  type Expected,
  type PassiveMatrix,
  type PassiveQuantity,
  type RowScales,
} from './generated/deviation.ts';
import { rows, type Evaluation } from './generated/evaluation.ts';
import {
  LEAST_FORCE,
  LEAST_INERTIA,
  scalesWithLeast,
  TOLERANCE,
  type MeasuredState,
  type TypicalSizes,
} from './laws/laws.ts';
import type { Ledger } from './laws/ledger.ts';
import { checkPrescribedForces } from './laws/prescribed-check.ts';
import type { RobotScale } from './independent/robot-scale.ts';
import type { SampledState } from './independent/sample-states.ts';

/** What the errors of quantities may be of the error of the integrals that they are made of. */
export const OF_INTEGRALS = 10;

/** Integrals that are known no better than this are not worth a comparison. */
const WORST_RULE = 1e-4;

/** Elastic and viscous forces that count as none, of the weight of the robot. */
const NO_FORCE = 1e-25;
/** Elastic energies that count as none where nothing has weight, of the largest at any state. */
const NO_ENERGY = 1e-12;

/** In place of `LEAST_FORCE`. */
const LEAST_FORCE_OF_SOLIDS = 0.1;

export interface IndependentResults {
  readonly robot: Robot;
  readonly states: readonly MeasuredState[];
  readonly scale: RobotScale;
  readonly accuracy: Accuracy;
  /** A text where it could not be prepared, why. */
  readonly alembert: Alembert | string;
  /** What columns of Jacobians are compared on at least, rad per unit: a small turn over the range of the coordinate. */
  readonly leastTurns: readonly number[];
  /** Per state; a text where there is no result, why. */
  readonly expected: readonly (AlembertResult | string)[];
}

export class IndependentComparison {
  private readonly known: IndependentResults;

  constructor(known: IndependentResults) {
    this.known = known;
  }

  /** Of all quantities, at all states. */
  check(ledger: Ledger, dynamics: LoadedRobot, results: readonly Evaluation[], typical: TypicalSizes): void {
    const { robot, states, scale, alembert } = this.known;
    const hasCoordinates = robot.coordinates.length > 0;
    const names = QUANTITIES.filter((quantity) => hasCoordinates || quantity === 'energies').map(nameOf);
    const offered = forcesOf(robot);
    ledger.expect(...names, POSES, MOMENTA, ...(hasCoordinates ? [JACOBIANS] : []));
    if (offered.elastic) ledger.expect(ELASTIC, STORED);
    if (offered.damping) ledger.expect(DAMPING);
    const fluid = fluidCheck(robot);
    if (waterOf(robot).forces) ledger.expect(fluid);
    const all = [...names, POSES, MOMENTA, JACOBIANS, ELASTIC, STORED, DAMPING, fluid].filter((name) =>
      ledger.isExpected(name),
    );
    const cannot = (reason: string): void => all.forEach((name) => ledger.cannot(name, reason));
    if (![scale.length, scale.energy].every(Number.isFinite))
      return cannot('length or weight of the robot are not finite');
    if (typeof alembert === 'string') return cannot(alembert);
    if (!(alembert.ruleError <= WORST_RULE))
      return cannot(`integrals over the bodies did not settle (${alembert.ruleError.toExponential(0)})`);
    const asked = this.known.accuracy.hasSums ? this.known.accuracy.worst : 0;
    const tolerance = Math.max(TOLERANCE.identity, OF_INTEGRALS * asked, OF_INTEGRALS * alembert.ruleError);
    const ofForces = Math.max(tolerance, OF_INTEGRALS * (this.known.accuracy.solids ?? 0));
    const stored = this.known.expected.map((e) => (typeof e === 'string' ? 0 : Math.abs(Number(e.elasticEnergy))));
    const energy = Math.max(scale.energy, NO_ENERGY * Math.max(...stored));
    states.forEach((state, i) => {
      const expected = this.known.expected[i]!;
      if (expected === NOT_VISITED) return;
      if (typeof expected === 'string') return cannot(`${state.name}: ${expected}`);
      const result = results[i]!;
      const rowScales = scalesOf(numbersOf(expected), state, typical);
      const found = deviations(result, expectedOf(expected), state, scale.length, energy, rowScales);
      for (const { quantity, entry, error } of found)
        if (isNamed(quantity)) ledger.note(nameOf(quantity), tolerance, error, `${entry}, ${state.name}`);
        // Without anything that stores energy there must be none; that needs no line of its own.
        else if (quantity === 'stored' && (offered.elastic || error > 0))
          ledger.note(STORED, ofForces, error, `${entry}, ${state.name}`);
      this.checkFrames(ledger, dynamics, state, expected, tolerance);
      this.checkMomentum(ledger, dynamics, state, expected, rowScales, tolerance);
      checkPrescribedForces({ robot, dynamics, ledger }, state, expected, tolerance);
    });
    // A state that could not be evaluated has said why.
    if (this.known.expected.every((e) => typeof e === 'string')) cannot('there is no state to compare at');
    this.checkForces(ledger, 'elastic', results, offered.elastic, ofForces);
    this.checkForces(ledger, 'damping', results, offered.damping, ofForces);
    this.checkForces(ledger, 'fluid', results, waterOf(robot).forces, ofForces);
  }

  private checkFrames(
    ledger: Ledger,
    dynamics: LoadedRobot,
    state: SampledState,
    expected: AlembertResult,
    tolerance: number,
  ): void {
    const { robot, scale } = this.known;
    const n = robot.coordinates.length;
    const [R, t, J] = [new Float64Array(9), new Float64Array(3), new Float64Array(6 * n)] as const;
    takeTime(dynamics.parameters, state);
    dynamics.update(state.q, state.qd);
    robot.frames.forEach(({ name }, index) => {
      const frame = expected.frames[index];
      if (!frame) {
        for (const check of [POSES, ...(n > 0 ? [JACOBIANS] : [])])
          ledger.absent(check, `${name} hangs on a body without distal frame`);
        return;
      }
      dynamics.frame(index, R, t, J);
      const note = (check: string, entry: string, error: number): void =>
        ledger.note(check, tolerance, error, `${entry} of ${name}, ${state.name}`);
      frame.position.forEach((p, i) => note(POSES, `position[${i}]`, relative(t[i]!, p, scale.length)));
      frame.rotation.forEach((r, i) => note(POSES, `rotation[${i}]`, relative(R[i]!, r, 1)));
      const sizes = columnSizes(frame, scale.length, n).map((size, a) => size + this.known.leastTurns[a]!);
      rows(J, n).forEach((row, i) =>
        row.forEach((x, a) => {
          const size = i < 3 ? sizes[a]! : sizes[a]! * scale.length;
          note(JACOBIANS, `J[${i}][${a}]`, relative(x, frame.jacobian[i]![a]!, size));
        }),
      );
    });
  }

  /** Of the last state that was staged. */
  private checkMomentum(
    ledger: Ledger,
    dynamics: LoadedRobot,
    { name, qd }: SampledState,
    expected: AlembertResult,
    { inertia }: RowScales,
    tolerance: number,
  ): void {
    const { robot, scale } = this.known;
    const n = robot.coordinates.length;
    if (!dynamics.momentum || !dynamics.momentumMatrix || !dynamics.centreOfMass)
      return ledger.absent(MOMENTA, 'a body depends on the time');
    const weight = Number(expected.mass);
    const sizes = momentumSizes(expected, inertia, scale.length);
    const note = (entry: string, error: number): void => ledger.note(MOMENTA, tolerance, error, `${entry}, ${name}`);
    const [h, mass, centre] = [new Float64Array(6), new Float64Array(1), new Float64Array(3)] as const;
    const [A, J] = [new Float64Array(6 * n), new Float64Array(3 * n)] as const;
    const sizeOf = (i: number, a: number): number => sizes[a]![i < 3 ? 'angular' : 'linear'];
    dynamics.momentum(new Float64Array(3), h);
    h.forEach((x, i) => {
      const size = qd.reduce((sum, rate, a) => sum + Math.abs(rate) * sizeOf(i, a), 0);
      note(`h[${i}]`, relative(x, expected.momentum[i]!, size));
    });
    dynamics.momentumMatrix(new Float64Array(3), A);
    rows(A, n).forEach((row, i) =>
      row.forEach((x, a) => note(`A[${i}][${a}]`, relative(x, expected.momentumColumns[a]![i]!, sizeOf(i, a)))),
    );
    if (weight === 0) return;
    dynamics.centreOfMass(mass, centre, J);
    note('mass', relative(mass[0]!, expected.mass, weight));
    const place = expected.firstMoment.map((x) => x.div(expected.mass));
    const reach = scale.length + Math.hypot(...place.map(Number));
    centre.forEach((x, i) => note(`centre[${i}]`, relative(x, place[i]!, reach)));
    rows(J, n).forEach((row, i) =>
      row.forEach((x, a) =>
        note(`J of the centre[${i}][${a}]`, relative(x * weight, expected.momentumColumns[a]![3 + i]!, sizeOf(3, a))),
      ),
    );
  }

  /**
   * Of the largest force, what forces are compared on at least: the strain of a solid is what is left of C − 1, and its
   * rounding errors are those of 1.
   */
  get leastShare(): number {
    return this.known.accuracy.solids === null ? LEAST_FORCE : LEAST_FORCE_OF_SOLIDS;
  }

  private checkForces(
    ledger: Ledger,
    quantity: 'elastic' | 'damping' | 'fluid',
    results: readonly Evaluation[],
    isThere: boolean,
    tolerance: number,
  ): void {
    const name = { elastic: ELASTIC, damping: DAMPING, fluid: fluidCheck(this.known.robot) }[quantity];
    const largest = (values: readonly number[]): number => Math.max(0, ...values.map(Math.abs));
    const expected = this.known.expected.map((e) => (typeof e === 'string' ? undefined : e[quantity]));
    const most = largest(expected.flatMap((e) => (e ?? []).map(Number)));
    const size = most < NO_FORCE * (this.known.scale.energy || 1) ? 0 : most;
    results.forEach((result, i) => {
      const state = this.known.states[i]!;
      // Without a material there must be no force; that needs no line of its own.
      const found = result[quantity] ?? [];
      if (!isThere && found.every((x) => x === 0)) return;
      const independent = this.known.expected[i]!;
      const kinks = quantity === 'fluid' && typeof independent !== 'string' ? largest(independent.unsettled) : 0;
      expected[i]?.forEach((x, a) => {
        const own = Math.max(largest(expected[i]!.map(Number)), this.leastShare * size);
        const allowed = Math.max(tolerance, own > 0 ? (OF_KINKS * kinks) / own : 0);
        ledger.note(name, allowed, relative(found[a] ?? NaN, x, own), `${quantity}[${a}], ${state.name}`);
      });
    });
  }
}

/** What momenta of unit rates are compared on: what moves has a momentum of its size wherever that cancels. */
function momentumSizes(
  { momentumColumns, massMatrix, mass }: AlembertResult,
  inertia: RowScales['inertia'],
  length: number,
): readonly Readonly<Record<'angular' | 'linear', number>>[] {
  const found = momentumColumns.map((column, a) => {
    const moving = (Math.sqrt(Math.abs(Number(massMatrix[a]![a]))) + inertia[a]!) * Math.sqrt(Number(mass));
    const linear = Math.hypot(...column.slice(3).map(Number)) + moving;
    return { linear, angular: Math.hypot(...column.slice(0, 3).map(Number)) + linear * length };
  });
  const least = (part: 'angular' | 'linear'): number => LEAST_MOMENTUM * Math.max(...found.map((own) => own[part]));
  const [angular, linear] = [least('angular'), least('linear')];
  return found.map((own) => ({ angular: own.angular + angular, linear: own.linear + linear }));
}

/** Of the largest momentum of a unit rate, what those are compared on at least that move hardly any mass. */
const LEAST_MOMENTUM = 1e-3;

/** Times what a sum of few points along rods misses of drag that has kinks. */
const OF_KINKS = 3;

type NamedQuantity = Exclude<
  ComparedQuantity,
  'tip' | 'qdd' | 'stored' | 'actuation' | 'fluid' | 'loops' | PassiveQuantity | PassiveMatrix
>;

const QUANTITIES: readonly NamedQuantity[] = ['tau', 'c', 'g', 'M', 'energies'];

const isNamed = (quantity: ComparedQuantity): quantity is NamedQuantity => quantity in NAMES;

const NAMES: Record<NamedQuantity, string> = {
  tau: 'generalized forces tau',
  c: 'Coriolis and centrifugal terms c',
  g: 'gravity terms g',
  M: 'mass matrix M',
  energies: 'kinetic and potential energy',
};

const nameOf = (quantity: NamedQuantity): string => `D'Alembert's principle gives the same ${NAMES[quantity]}`;

const POSES = 'formulas as they were written give the same poses of all frames';
const JACOBIANS = 'difference quotients of poses give the same Jacobians of all frames';
const MOMENTA = 'sums over mass points give the same momenta and centre of mass';
const ELASTIC = 'difference quotients of the stored energy give the same elastic forces';
const STORED = 'elastic energy is that of the formulas as they were written';
const FLUID = 'forces of water at points of the centreline give the same drag and buoyancy';
const FIELDS = 'virtual work at points of the centreline gives the same fields along rods, drag and buoyancy';
const DAMPING = 'difference quotients of the dissipation give the same damping forces';

const CONTACTS = 'virtual work at nearest points gives the same contacts, with fields, drag and buoyancy';

const fluidCheck = (robot: Robot): string =>
  robot.touching || robot.links.some(({ contacts }) => contacts) ? CONTACTS : waterOf(robot).placed ? FIELDS : FLUID;

export const NOT_VISITED = 'not visited';

function expectedOf(result: AlembertResult): Expected {
  return {
    M: result.massMatrix,
    c: result.coriolis,
    g: result.gravity,
    tau: result.torque,
    kinetic_energy: result.kineticEnergy,
    potential_energy: result.potentialEnergy,
    elastic_energy: result.elasticEnergy,
  };
}

export function numbersOf({ massMatrix, coriolis, gravity }: AlembertResult): Pick<Evaluation, 'M' | 'c' | 'g'> {
  return { M: massMatrix.map((row) => row.map(Number)), c: coriolis.map(Number), g: gravity.map(Number) };
}

export const scalesOf = (
  result: Pick<Evaluation, 'M' | 'c' | 'g'>,
  state: MeasuredState,
  typical: TypicalSizes,
): RowScales => ({
  inertia: typical.inertia.map((m) => LEAST_INERTIA * Math.sqrt(m)),
  forces: scalesWithLeast(result, state, typical),
});
