/**
 * Verification of a robot's generated code: against the independent D'Alembert evaluation, against laws that every
 * mechanical system obeys, and between languages.
 */
import { takeTime, type FurtherFunctions } from '../codegen/modules/evaluation.ts';
import type { LoadedRobot } from '../codegen/typescript/load.ts';
import { withLoads } from '../kane/loaded/loads-in-balance.ts';
import { contactPairs } from '../description/model/contact.ts';
import type { Robot } from '../description/model/robot.ts';
import { hasBalance, isConservative, waterOf } from '../description/model/what-acts.ts';
import type { KanegenError } from '../common/error.ts';
import { demandOptions } from '../common/options.ts';
import { processorTime, secondsAllowed } from '../common/work-limit.ts';
import { accuracyOf, type Accuracy } from './independent/accuracy.ts';
import { ACTUATION, checkActuation, checkActuatorForces } from './laws/actuation-check.ts';
import { prepareAlembert, type Alembert } from './independent/alembert.ts';
import type { AlembertResult } from './independent/alembert-result.ts';
import { columnSizes, deviations, relative, type Deviation, type PassiveQuantity } from './generated/deviation.ts';
import { loopRows } from '../codegen/modules/robot-model.ts';
import { evaluateState, tipJacobian, type Evaluation, type State } from './generated/evaluation.ts';
import {
  alongPath,
  checkLaws,
  checkPower,
  forceScales,
  LAWS,
  LEAST_FORCE,
  PATH_ENDS,
  smallestPivot,
  TOLERANCE,
  type MeasuredState,
  type LawContext,
  type TypicalSizes,
} from './laws/laws.ts';
import { checkDerivatives, expectDerivatives } from './laws/derivative-check.ts';
import type { StraightDerivatives } from './laws/directional-quotients.ts';
import { checkLoops } from './laws/loop-check.ts';
import { checkFrameBias, checkFrames, FRAME_LAWS } from './laws/frame-laws.ts';
import { checkPrescribedPower } from './laws/prescribed-check.ts';
import { Ledger, type Check } from './laws/ledger.ts';
import { independent, independently, inTime, OverTime } from './independent/in-time.ts';
import { robotScale, type RobotScale } from './independent/robot-scale.ts';
import { pathWithin, rangeOf, sampleStates, type SampledState } from './independent/sample-states.ts';
import type { Gaps } from './independent/touching-states.ts';
import { OF_INTEGRALS, NOT_VISITED, numbersOf, scalesOf, IndependentComparison } from './independent-comparison.ts';

/** Generated code of the robot in another language or form, ready to run. */
export interface Evaluator {
  /** For reports: `C`, `C, single precision`, `straight-line C`. */
  readonly name: string;
  readonly precision: 'double' | 'single';
  /** Other operations than those of the TypeScript it is compared with: more differs than library functions. */
  readonly isOtherForm?: boolean;
  evaluate(states: readonly State[]): Promise<readonly Evaluated[]>;
}

interface Evaluated extends Evaluation {
  readonly further?: FurtherFunctions;
}

export interface VerificationReport {
  readonly robot: string;
  readonly states: readonly string[];
  readonly checks: readonly Check[];
  /** How bodies with many points were sampled for the independent evaluation. */
  readonly notes: readonly string[];
  /** Was everything checked, and did it pass? */
  readonly passed: boolean;
}

/** Something that cannot be checked on this machine. */
export interface MissingCheck {
  readonly name: string;
  readonly reason: string;
}

export interface VerificationOptions {
  readonly seed?: number;
  /** Number of random states. */
  readonly states?: number;
  /** Code in other languages and forms, compared with TypeScript. */
  readonly others?: readonly Evaluator[];
  readonly missing?: readonly MissingCheck[];
  /** The independent evaluation at every state and with as many points as it takes, however long: no limit of time. */
  readonly thorough?: boolean;
  /** Gaps of pairs of contacts, by which states are found in which bodies touch. */
  readonly gaps?: Gaps;
  /** Straight-line derivatives, which are compared like those of the driver. */
  readonly straight?: StraightDerivatives;
  /** Called before each state of the slow independent evaluation. */
  readonly progress?: (message: string) => void;
}

/** In single precision. */
const SINGLE = 2e-5;

/** Sums over hundreds of points round in their last digits as the operations are ordered, by this factor more than others. */
const MANY_POINTS = 10;

/**
 * Runs all checks on generated TypeScript (`dynamics`, with the default run-time parameters) and on `others`.
 * Nothing is thrown for a check that fails.
 * @throws KanegenError `wrong-shape` where options are none.
 */
export async function verifyRobot(
  robot: Robot,
  dynamics: LoadedRobot,
  options: VerificationOptions = {},
): Promise<VerificationReport> {
  demandOptions(options);
  const gaps = gapsOf(robot, dynamics);
  return new Verification(robot, { ...(gaps && { gaps }), ...options }).of(dynamics);
}

/** What a verification compares with, made once for any number of versions of the generated code. */
export class Verification {
  readonly states: readonly MeasuredState[];
  private readonly robot: Robot;
  private readonly options: VerificationOptions;
  private readonly scale: RobotScale;
  private readonly accuracy: Accuracy;
  /** Of a link, m. */
  private readonly typicalLength: number;
  /** A text where it could not be prepared, why. */
  private readonly alembert: Alembert | string;
  /** See `IndependentResults`. */
  private readonly leastTurns: readonly number[];
  /** Per state; a text where there is no result, why. */
  private readonly expected: readonly (AlembertResult | string)[];
  private readonly comparison: IndependentComparison;

  /** @throws KanegenError `wrong-shape` where options are none. */
  constructor(given: Robot, options: VerificationOptions = {}) {
    demandOptions(options);
    const robot = withLoads(given);
    const { seed = 1, states = 3, thorough = false, gaps, progress = () => undefined } = options;
    this.robot = robot;
    this.options = options;
    this.scale = robotScale(robot);
    this.accuracy = accuracyOf(robot);
    const { length } = this.scale;
    const typical = (Number.isFinite(length) ? length : 0) / Math.max(1, robot.links.length) || 1;
    this.typicalLength = typical;
    const sampled = sampleStates(robot, states, seed, typical, gaps);
    this.leastTurns = robot.coordinates.map((c) => {
      const [low, high] = rangeOf(c, c.value, typical);
      return high > low ? LEAST_FORCE / (high - low) : 0;
    });
    progress('independent evaluation, points of the bodies');
    const prepared = thorough
      ? this.prepare(sampled)
      : inTime('sampling the bodies for the independent evaluation', () => this.prepareAffordable(sampled));
    const alembert = prepared instanceof OverTime ? prepared.message : prepared;
    this.alembert = alembert;
    this.expected = typeof alembert === 'string' ? sampled.map(() => alembert) : this.evaluated(alembert, sampled);
    const known = this.expected.flatMap((e) => (typeof e === 'string' ? [] : [e.terms]));
    const largest = robot.coordinates.map((_, a) => ({
      motion: Math.max(0, ...known.map((terms) => terms[a]!.motion)),
      gravity: Math.max(0, ...known.map((terms) => terms[a]!.gravity)),
    }));
    // Where there is no result, the largest of the others: rates are of the same size everywhere.
    this.states = sampled.map((state, i) => {
      const expected = this.expected[i]!;
      return { ...state, terms: typeof expected === 'string' ? largest : expected.terms };
    });
    const { accuracy, expected, leastTurns, scale } = this;
    this.comparison = new IndependentComparison({
      robot,
      states: this.states,
      scale,
      accuracy,
      alembert,
      leastTurns,
      expected,
    });
  }

  private prepare(visits: readonly SampledState[], mostPoints?: number): Alembert {
    const settled = (type: Parameters<Accuracy['of']>[0]): number => this.accuracy.of(type);
    return prepareAlembert(this.robot, {}, { settled, visits, ...(mostPoints !== undefined && { mostPoints }) });
  }

  /** With fewer points of meshes where two states would be too much work. */
  private prepareAffordable(visits: readonly SampledState[]): Alembert {
    const alembert = this.prepare(visits);
    const share = MOST_WORK / (FEWEST_STATES * alembert.work);
    return share < 1 ? this.prepare(visits, alembert.rows * share) : alembert;
  }

  /**
   * At the states that there is time for, one of every kind before more of the same: once the fewest are done, no further
   * one begins after the time that a piece of work may take.
   */
  private evaluated(alembert: Alembert, sampled: readonly SampledState[]): (AlembertResult | string)[] {
    const { thorough = false, progress = () => undefined } = this.options;
    const fewest = more(FEWEST_STATES, sampled);
    const affordable = thorough ? Infinity : Math.max(fewest, Math.floor(MOST_WORK / alembert.work));
    const [begin, allowed] = [processorTime(), thorough ? Infinity : 1e6 * secondsAllowed()];
    const found = new Map<SampledState, AlembertResult | string>();
    let late: string | undefined;
    for (const state of byImportance(sampled).slice(0, affordable)) {
      if (found.size >= fewest && processorTime() - begin > allowed) break;
      progress(`independent evaluation, ${state.name} (${found.size + 1} of ${sampled.length})`);
      const result =
        late ??
        (thorough
          ? independent(alembert, state)
          : inTime('the independent evaluation of a state', () => independent(alembert, state)));
      if (result instanceof OverTime) late = result.message;
      found.set(state, result instanceof OverTime ? result.message : result);
    }
    return sampled.map((state) => found.get(state) ?? NOT_VISITED);
  }

  async of(dynamics: LoadedRobot): Promise<VerificationReport> {
    const { robot, states, scale, options } = this;
    const { others = [], missing = [], progress = () => undefined } = options;
    const ledger = new Ledger();
    const rounding = this.accuracy.hasSums ? MANY_POINTS : 1;
    const inWater = waterOf(robot).forces;
    const results = states.map((state) => evaluateState(dynamics, robot.tip, state, inWater, [], loopRows({ robot })));
    const typical = this.typicalSizes(results);
    this.comparison.check(ledger, dynamics, results, typical);
    const limited = <T>(work: () => T): T | KanegenError =>
      options.thorough ? work() : inTime('the independent coordinate of an actuator', work);
    const actuation = checkActuation(ledger, robot, states, results, limited, this.accuracy.worst);
    if (robot.actuators.length > 0) {
      ledger.expect(ACTUATION.forces);
      checkActuatorForces(ledger, states, results, actuation, rounding);
    }
    const quotient = Math.max(TOLERANCE.quotient, OF_INTEGRALS * this.accuracy.rods);
    const context: LawContext = { ledger, dynamics, robot, typical, energy: scale.energy, rounding, quotient };
    if (robot.coordinates.length > 0)
      ledger.expect(
        LAWS.definite,
        LAWS.parts,
        LAWS.functions,
        LAWS.kinetic,
        ...(isConservative(robot) ? [LAWS.power] : []),
        FRAME_LAWS.loads,
        FRAME_LAWS.bias,
      );
    states.forEach((state, i) => {
      const expected = this.expected[i]!;
      checkLaws(context, state, results[i]!, typeof expected === 'string' ? undefined : pivotOf(expected, typical));
      checkFrames(context, state);
    });
    checkLoops(context, states, results, limited, this.accuracy.worst);
    if (robot.coordinates.length > 0) this.checkPaths(context);
    const derivativeNotes = this.checkDerivatives(context);
    const identity = rounding * TOLERANCE.identity;
    const passive = leastPassive(results, this.comparison.leastShare);
    const jacobians = states.map((state) => tipJacobian(dynamics, robot.tip, state));
    for (const other of others) {
      progress(`comparison with ${other.name}`);
      const tolerance =
        other.precision === 'single' ? rounding * SINGLE : other.isOtherForm ? identity : rounding * TOLERANCE.order;
      await checkOther(ledger, other, states, (found, i) => {
        const [expected, state] = [results[i]!, states[i]!];
        const fluid = this.steepnessAt(i);
        const rowScales = { ...scalesOf(expected, state, typical), passive, fluid, actuation: actuation[i]! };
        const { phi, phi_rate, bias, J, rank } = expected;
        const loops = robot.loops && { phi, phi_rate, bias, J, rank };
        const compared = (own: Evaluation): Deviation[] =>
          deviations(own, { ...expected, loops }, state, scale.length, scale.energy, rowScales);
        const further = found.further ? this.furtherDeviations(found, found.further, compared, jacobians[i]!) : [];
        return [...compared(found), ...further].map((deviation) => [deviation, tolerance]);
      });
    }
    for (const { name, reason } of missing) ledger.cannot(name, reason);
    const checks = ledger.checks();
    const isRight = checks.every((check) => check.passed);
    return {
      robot: robot.name,
      states: states.map((s) => s.name),
      checks,
      notes: [...this.notes(), ...derivativeNotes, ...(isRight ? [] : this.fewPoints())],
      passed: checks.length > 0 && isRight,
    };
  }

  /** What may be missed because the file says so. */
  private fewPoints(): string[] {
    return this.robot.links.flatMap(({ name, water }) =>
      water?.points === undefined
        ? []
        : [
            `water around ${name} as summed at ${water.points} points, which \`points\` states: what so few miss of its forces and added mass fails as well`,
          ],
    );
  }

  /** The functions without an update in place of the others, and the Jacobian of the tip. */
  private furtherDeviations(
    found: Evaluation,
    { massMatrixAt, gravityAt, tipJacobian: turned }: FurtherFunctions,
    compared: (own: Evaluation) => Deviation[],
    jacobian: readonly (readonly number[])[],
  ): Deviation[] {
    const again = compared({ ...found, M: massMatrixAt, g: gravityAt })
      .filter(({ quantity }) => quantity === 'M' || quantity === 'g')
      .map((deviation) => ({ ...deviation, entry: `${deviation.entry} without update` }));
    const { length } = this.scale;
    const sizes = columnSizes({ jacobian }, length, this.robot.coordinates.length);
    const turns = jacobian.flatMap((row, i) =>
      row.map((x, a): Deviation => {
        const size = (sizes[a]! + this.leastTurns[a]!) * (i < 3 ? 1 : length);
        return { quantity: 'tip', entry: `J[${i}][${a}] of the tip`, error: relative(turned[i]![a]!, x, size) };
      }),
    );
    return [...again, ...turns];
  }

  /** Of contacts, where something touches. */
  private steepnessAt(state: number): number {
    const expected = this.expected[state]!;
    return typeof expected === 'string' ? 0 : Math.max(0, ...expected.steepness);
  }

  /** From the independent evaluation where there is one. */
  private typicalSizes(results: readonly Evaluation[]): TypicalSizes {
    const known = this.expected.flatMap((e, i) => (typeof e === 'string' ? [] : [{ ...numbersOf(e), i }]));
    const used = known.length > 0 ? known : results.map((result, i) => ({ ...result, i }));
    const scales = used.map((result) => forceScales(result, this.states[result.i]!.qdd, this.states[result.i]!.terms));
    const largest = (values: readonly number[]): number => Math.max(0, ...values.filter(Number.isFinite));
    return {
      inertia: this.robot.coordinates.map((_, a) => largest(used.map(({ M }) => M[a]![a]!))),
      force: this.robot.coordinates.map((_, a) => ({
        tau: largest(scales.map((own) => own[a]!.tau)),
        c: largest(scales.map((own) => own[a]!.c)),
        g: largest(scales.map((own) => own[a]!.g)),
      })),
    };
  }

  /** Of functions for derivatives, where there are any: at the first states that the independent evaluation visits. */
  private checkDerivatives({ ledger, dynamics, robot, typical }: LawContext): string[] {
    const { alembert, accuracy, typicalLength: length } = this;
    const { straight, progress, thorough } = this.options;
    const asked = accuracy.hasSums ? Math.max(accuracy.worst, accuracy.solids ?? 0) : 0;
    const rule = typeof alembert === 'string' ? 0 : alembert.ruleError;
    const tolerance = OF_INTEGRALS ** 2 * Math.max(asked, rule);
    const context = { ledger, dynamics, robot, typical, length, tolerance, straight };
    const names = expectDerivatives(context);
    const affordable = thorough || typeof alembert === 'string' ? Infinity : MOST_WORK / (OF_QUOTIENTS * alembert.work);
    const count = Math.max(1, Math.min(more(DERIVATIVE_STATES, this.states), Math.floor(affordable)));
    const states = byImportance(this.states.filter((_, i) => typeof this.expected[i] !== 'string')).slice(0, count);
    if (names.length === 0) return [];
    progress?.('difference quotients of the independent evaluation');
    const nothing =
      typeof alembert === 'string' ? alembert : states.length > 0 ? undefined : 'there is no state to compare at';
    const evaluate = independently(alembert as Alembert, thorough);
    const outcomes =
      nothing === undefined ? states.map((state) => checkDerivatives(context, state, evaluate)) : [nothing];
    for (const failed of outcomes) if (failed !== undefined) names.forEach((name) => ledger.cannot(name, failed));
    const where = states.map(({ name }) => name).join(', ');
    return [`derivatives in TypeScript${where ? `, at ${where}` : ''}: those of C by the self-test beside it`];
  }

  private checkPaths(context: LawContext): void {
    for (const state of this.states) {
      const reached = pathWithin(this.robot, state, (own) => PATH_ENDS.map((t) => alongPath(own, t)));
      const isBalanced = isConservative(this.robot);
      if (reached && hasBalance(this.robot))
        checkPrescribedPower(context, reached, context.energy, Math.max(context.quotient, context.rounding * 1e-10));
      if (reached && isBalanced) checkPower(context, reached);
      else if (isBalanced)
        context.ledger.cannot(LAWS.power, `limits and formulas leave no room for a path at ${state.name}`);
      const still = { ...state, qdd: state.qdd.map(() => 0) };
      const steady = pathWithin(this.robot, still, (own) => PATH_ENDS.map((t) => alongPath(own, t)));
      if (steady) checkFrameBias(context, steady);
    }
  }

  /** Pairs of contacts whose forces no state shows. */
  private untouched(visited: readonly SampledState[]): string[] {
    const { gaps } = this.options;
    if (!gaps) return [];
    const all = visited.map(({ q }) => gaps(q));
    const names = contactPairs(this.robot).filter((_, k) => all.every((own) => own[k]! >= 0));
    if (names.length === 0) return [];
    const some = `${names.slice(0, 3).join(', ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}`;
    return [`forces of contacts not compared, as nothing touches at these states: ${some}`];
  }

  private notes(): string[] {
    const visited = this.states.filter((_, i) => this.expected[i] !== NOT_VISITED);
    const isPart = visited.length < this.states.length;
    const names = visited.map(({ name }) => name).join(', ');
    return [
      ...(typeof this.alembert === 'string' ? [] : this.alembert.notes),
      ...this.untouched(visited),
      ...(isPart
        ? [`D'Alembert's principle at ${visited.length} of these states (${names}): at all of them with --thorough`]
        : []),
    ];
  }
}

/** Operations in double-double arithmetic that a verification may take: a minute or two. */
const MOST_WORK = 2e9;
const FEWEST_STATES = 2;

/** At most, and evaluations that the quotients of one of them take, with room for all else. */
const DERIVATIVE_STATES = 2;
const OF_QUOTIENTS = 30;

/** Kinds of states, those first that are left out last. */
const KINDS = [/^random 1$/, /^straight(?! within)/, /^touching/, /^straight within 1e-9/, /^straight/];
const TOUCHING = /^touching/;

/** One state of every kind before more of the same. */
function byImportance<S extends SampledState>(states: readonly S[]): S[] {
  const rank = ({ name }: S): number => {
    const kind = KINDS.findIndex((own) => own.test(name));
    return kind < 0 ? KINDS.length : kind;
  };
  return [...states].sort((a, b) => rank(a) - rank(b));
}

/** A state more than the fewest where bodies touch. */
const more = (fewest: number, states: readonly SampledState[]): number =>
  fewest + (states.some(({ name }) => TOUCHING.test(name)) ? 1 : 0);

/** What generated code says of contacts, where there are any. */
function gapsOf(robot: Robot, dynamics: LoadedRobot): Gaps | undefined {
  const gaps = new Float64Array(contactPairs(robot).length);
  if (gaps.length === 0) return undefined;
  const still = robot.coordinates.map(() => 0);
  return (q) => {
    takeTime(dynamics.parameters, { t: 0 });
    dynamics.update(q, still);
    dynamics.contact!(gaps, null, null, null, null, null, null, null);
    return [...gaps];
  };
}

/** Of what a coordinate moves elsewhere: below, what it moves at a state is rounding of difference quotients, squared. */
const NOTHING_MOVED = 1e-36;

function pivotOf(result: AlembertResult, typical: TypicalSizes): number {
  const { M } = numbersOf(result);
  const moves = M.map((row, a) => row[a]! > NOTHING_MOVED * typical.inertia[a]!);
  return smallestPivot(M.map((row, a) => row.map((m, b) => (moves[a]! && moves[b]! ? m : 0))));
}

/** Some of the largest elastic and viscous forces of all states. */
function leastPassive(results: readonly Evaluation[], share: number): Record<PassiveQuantity, number> {
  const least = (quantity: PassiveQuantity): number =>
    share * Math.max(0, ...results.flatMap((result) => result[quantity].map(Math.abs)).filter(Number.isFinite));
  return { elastic: least('elastic'), damping: least('damping') };
}

async function checkOther(
  ledger: Ledger,
  other: Evaluator,
  states: readonly MeasuredState[],
  compare: (found: Evaluated, i: number) => readonly (readonly [Deviation, number])[],
): Promise<void> {
  const name = `${other.name} agrees with TypeScript`;
  ledger.expect(name);
  const found = await other.evaluate(states).catch((error: unknown) => String(error));
  if (typeof found === 'string') return ledger.note(name, 0, Infinity, found);
  states.forEach((state, i) => {
    const own = found[i];
    if (!own) return ledger.cannot(name, `no result for ${state.name}`);
    for (const [{ entry, error }, tolerance] of compare(own, i))
      ledger.note(name, tolerance, error, `${entry}, ${state.name}`);
  });
}
