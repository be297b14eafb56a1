/**
 * Comparison with reference files: for each, the robot built from its `parameters`, compiled, evaluated at its states, and
 * held against its numbers (decimal strings, subtracted before rounding). What errors are relative to: see deviation.ts.
 */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { loadRobotObject } from '../../description/load.ts';
import { MOST_BYTES, readRegularText } from '../../description/source/read-file.ts';
import { generatedCost } from '../../codegen/whole-robot/straight-cost.ts';
import type { TargetName } from '../../codegen/folder.ts';
import { compileRobot } from '../../kane/compile.ts';
import type { CompiledRobot } from '../../kane/kernels/link-type.ts';
import type { Robot } from '../../description/model/robot.ts';
import { compileStraight } from '../../straight/compile.ts';
import type { StraightRobot } from '../../straight/straight-robot.ts';
import { SingularValueDecomposition } from 'ml-matrix';
import { KanegenError } from '../../common/error.ts';
import { locationText } from '../../description/source/diagnostics.ts';
import {
  deviations,
  type ComparedQuantity,
  type Deviation,
  type Expected,
  type RowScales,
} from '../generated/deviation.ts';
import {
  startRobot,
  termFunctions,
  type Evaluation,
  type Precision,
  type RunningRobot,
  type State,
} from '../generated/evaluation.ts';
import { equilibriumDeviations } from './reference-equilibria.ts';
import { hasLoops, loopNumbers, loopState } from './reference-loops.ts';
import { referenceLaws, referenceRobot } from './reference-robot.ts';
import { expectedNumbers, stateOf, type ReferenceState } from './reference-state.ts';
import { robotScale } from '../independent/robot-scale.ts';

export interface ReferenceFile {
  readonly file: string;
  readonly parameters: unknown;
  readonly states: readonly ReferenceState[];
  /** Of loops: not compared. */
  readonly equilibria?: readonly unknown[];
  /** Why it cannot be read; it has no states then. */
  readonly problem?: KanegenError;
}

export type ReferenceResult =
  | { readonly file: string; readonly outcome: 'skipped' | 'refused'; readonly reason: string }
  | {
      readonly file: string;
      readonly outcome: 'passed' | 'failed';
      /** Largest relative error, and the state and entry it occurs in. */
      readonly error: number;
      readonly where: string;
      readonly tolerance: number;
      /** Of the file, not compared. */
      readonly equilibria?: number;
    };

export interface ReferenceOptions {
  readonly target: TargetName;
  readonly precision: Precision;
  /** M, c, g and tau from straight-line functions. */
  readonly straight?: boolean;
  /** Integrals without a closed form to the last digits, and the comparison to `TIGHT_TOLERANCE`. */
  readonly tight?: boolean;
  /** Integrals without a closed form to this tolerance, and the comparison to ten times as much. */
  readonly integrals?: number;
  /** Along rods in water, in place of as many as their bodies take. */
  readonly points?: number;
}

const REFERENCE_TOLERANCE: Readonly<Record<Precision, number>> = { double: 1e-13, single: 2e-5 };

/**
 * Forward dynamics returns the accelerations of which inverse dynamics has the forces, relative to the largest; no closer than
 * rounding of M allows any method: by its condition, 2e10 where Gaussian curvatures of two bodies share a length.
 */
const ACCELERATION_TOLERANCE = 1e-10;

/** Of quadratic drag whose tangential part has a kink within a rod, where no rule for smooth functions keeps all digits. */
const KINKS_TOLERANCE = 1e-6;

function accelerationTolerance({ M }: Pick<Evaluation, 'M'>): number {
  const { condition } = new SingularValueDecomposition(M.map((row) => [...row]));
  return Math.max(ACCELERATION_TOLERANCE, Number.EPSILON * condition);
}

function accelerationError(found: readonly number[] | undefined, expected: readonly number[]): number {
  const scale = Math.max(...expected.map(Math.abs));
  if (!found || scale === 0) return found ? Math.max(...found.map(Math.abs)) : Infinity;
  return Math.max(...found.map((x, a) => Math.abs(x - expected[a]!))) / scale;
}

/** What quadrature is held to when its tolerance is `TIGHT_INTEGRALS`; by default each body says what it is held to. */
const TIGHT_TOLERANCE = 1e-11;
const TIGHT_INTEGRALS = 1e-12;

/**
 * Every reference file of a directory whose name begins with one of `prefixes` (all when there are none), with what is wrong where
 * one cannot be read. Other JSON files are passed over.
 * @throws KanegenError `cannot-read` when the directory cannot be read.
 */
export function readReferenceDirectory(directory: string, prefixes: readonly string[] = []): ReferenceFile[] {
  let names: string[];
  try {
    names = readdirSync(directory).sort();
  } catch {
    throw new KanegenError('cannot-read', `${directory} is not a directory that can be read`, {
      remedy: 'give a directory of reference files',
    });
  }
  const wanted = (name: string): boolean => prefixes.length === 0 || prefixes.some((prefix) => name.startsWith(prefix));
  return names
    .filter((name) => name.endsWith('.json') && wanted(name))
    .flatMap((file) => {
      let data: unknown;
      try {
        data = parse(path.join(directory, file));
      } catch (problem) {
        if (problem instanceof KanegenError) return [{ file, parameters: undefined, states: [], problem }];
        throw problem;
      }
      const isReference = typeof data === 'object' && data !== null && 'parameters' in data && 'states' in data;
      return isReference ? [{ ...(data as Omit<ReferenceFile, 'file'>), file }] : [];
    });
}

/** Tendons that a file has no numbers for (in statics they may run outside of their bodies) are left out. */
function withoutUnknownTendons(reference: ReferenceFile): ReferenceFile {
  const { parameters, states } = reference;
  if (typeof parameters !== 'object' || states.some(({ length }) => length)) return reference;
  return {
    ...reference,
    parameters: { ...parameters, tendons: undefined },
    states: states.map((state) => ({ ...state, tension: undefined })),
  };
}

/** Velocity terms of inertia alone, where there is no weight beside them: by M and the square of the rates. */
function inertialScales(M: NonNullable<Expected['M']>, { qd }: State): RowScales {
  const largest = Math.max(...M.flatMap((row) => row.map((m) => Math.abs(Number(m)))));
  const scale = largest * qd.reduce((sum, rate) => sum + rate * rate, 0);
  return { inertia: M.map(() => 0), forces: M.map(() => ({ tau: scale, c: scale, g: scale })) };
}

/** What loops make of the forces, of the largest of its kind: J M⁻¹J' has a condition. */
const LOOP_TOLERANCE = 1e-12;
const LOOP_QUANTITIES: ReadonlySet<ComparedQuantity> = new Set(['loops', 'qdd']);

type NearestDeviation = Pick<Deviation, 'entry' | 'error'> & { readonly tolerance: number };

/**
 * Repeated corrections of q, and of the way back to where they started: they end on the loops, hardly further away than the
 * nearest point is, in the metric of M at the start. They go by the metric at each point, so they do not end at that one.
 */
async function nearestDeviations(
  running: RunningRobot,
  state: State,
  { nearest_q: nearest }: ReferenceState,
): Promise<readonly NearestDeviation[]> {
  if (!nearest) return [];
  const back = (q: readonly number[]): number[] => q.map((x, a) => state.q[a]! - x);
  const at = async (q: readonly number[]): Promise<Evaluation> =>
    (await running.evaluate([{ ...state, q, qd: back(q) }]))[0]!;
  const open = ({ phi = [NaN] }: Evaluation): number => Math.max(...phi.map(Math.abs));
  const first = await at(state.q);
  let [q, found] = [state.q, first];
  for (let step = 0; step < MOST_STEPS && open(found) >= CLOSED; step++) {
    const { position_correction: onto = [], rate_correction: along = [] } = found;
    const way = back(q);
    q = q.map((x, a) => x + (onto[a] ?? NaN) + way[a]! + (along[a] ?? NaN));
    found = await at(q);
  }
  const distance = (x: readonly number[]): number => {
    const way = back(x);
    const forces = first.M.map((row) => row.reduce((sum, m, b) => sum + m * way[b]!, 0));
    return Math.sqrt(way.reduce((sum, own, a) => sum + own * forces[a]!, 0));
  };
  const further = distance(q) / distance(nearest.map(Number)) - 1;
  const error = (value: number): number => (Number.isNaN(value) ? Infinity : Math.max(0, value));
  return [
    { entry: 'phi after corrections', error: error(open(found)), tolerance: CLOSED },
    { entry: 'distance of corrections', error: error(further), tolerance: FURTHER },
  ];
}

const MOST_STEPS = 20;
const FURTHER = 1e-3;
/** Residuals of closed loops, in their units. */
const CLOSED = 1e-13;

const NO_ROWS: RowScales = { inertia: [], forces: [] };

/** Of the largest elastic and viscous forces of the file, where all of a state vanish: terms cancel in them. */
const CANCELLED = 1e-3;

/** What passive forces are compared on at least: nothing where some do not vanish. */
function passiveScales(all: readonly Expected[], state: Expected): NonNullable<RowScales['passive']> {
  const largest = (forces: Expected['elastic'] = []): number => Math.max(0, ...forces.map((x) => Math.abs(Number(x))));
  const scale = (quantity: 'elastic' | 'damping'): number =>
    largest(state[quantity]) > 0 ? 0 : CANCELLED * Math.max(...all.map((own) => largest(own[quantity])));
  return { elastic: scale('elastic'), damping: scale('damping') };
}

function parse(file: string): unknown {
  try {
    return JSON.parse(readRegularText(file, MOST_BYTES.states));
  } catch (error) {
    throw new KanegenError('malformed-reference', `${file}: ${(error as Error).message}`, {
      remedy: 'reference files are JSON',
    });
  }
}

function robotName(file: string): string {
  return file
    .replace(/\.json$/, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
}

/** A robot with what was compiled of it. */
interface CompiledReference {
  readonly robot: Robot;
  readonly compiled: CompiledRobot;
  readonly straight: () => StraightRobot;
}

/** By the parameters of their files, as long as those are held, and by what was made of them. */
const references = new WeakMap<object, Map<string, CompiledReference>>();

function compiledOnce(parameters: object, source: object): CompiledReference {
  const known = references.get(parameters) ?? new Map<string, CompiledReference>();
  references.set(parameters, known);
  const key = JSON.stringify(source);
  const found = known.get(key) ?? compiledReference(source);
  known.set(key, found);
  return found;
}

function compiledReference(source: object): CompiledReference {
  const robot = loadRobotObject(source);
  let straight: StraightRobot | undefined;
  return {
    robot,
    compiled: compileRobot(robot),
    straight: () => (straight ??= compileStraight(robot, { functions: termFunctions(robot), count: generatedCost })),
  };
}

/** The same where nothing that is wrong with a file, its robot or the code of it ends what follows. */
export async function triedReference(reference: ReferenceFile, options: ReferenceOptions): Promise<ReferenceResult> {
  const { file } = reference;
  try {
    return await compareReference(reference, options);
  } catch (error) {
    if (error instanceof KanegenError) return { file, outcome: 'refused', reason: oneLine(error) };
    return { file, outcome: 'refused', reason: `internal error: ${(error as Error).message.split('\n')[0]!}` };
  }
}

function oneLine({ location, message, problems }: KanegenError): string {
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  return `${location ? `${locationText(location)}: ` : ''}${message}${more}`.replace(/\s+/g, ' ');
}

/** What equilibria of rods without coordinates are held to. */
const EQUILIBRIA_TOLERANCE = 1e-11;

/** Of rods under loads at their tip: by generated statics of the rod. */
async function comparedEquilibria(
  { file, parameters, states }: ReferenceFile,
  target: TargetName,
): Promise<ReferenceResult> {
  const source = referenceRobot(parameters, robotName(file));
  if ('unsupported' in source) return { file, outcome: 'skipped', reason: source.unsupported };
  const { stations = [] } = parameters as { readonly stations?: readonly number[] };
  const all = await equilibriumDeviations(source.robot, states, stations, target);
  const worst = all.reduce((furthest, own) => (own.error > furthest.error ? own : furthest));
  const outcome = worst.error <= EQUILIBRIA_TOLERANCE ? 'passed' : 'failed';
  const where = `${worst.state}, ${worst.entry}`;
  return { file, outcome, error: worst.error, where, tolerance: EQUILIBRIA_TOLERANCE };
}

/**
 * Body types with equal formulas are compiled once per process, however many files use them, and robots however many targets
 * they are compared in. Files that have numbers for several laws of damping are compared law by law.
 */
export async function compareReference(reference: ReferenceFile, options: ReferenceOptions): Promise<ReferenceResult> {
  if (reference.problem) throw reference.problem;
  const { file, states, parameters, equilibria = [] } = withoutUnknownTendons(reference);
  const laws = referenceLaws(parameters);
  const isClosed = hasLoops(parameters);
  if (states.some((state) => state.tip_jacobian_tension)) return comparedEquilibria(reference, options.target);
  const integrals = options.tight ? TIGHT_INTEGRALS : options.integrals;
  const all = (laws.length > 0 ? laws : [undefined]).map((kind) => ({
    kind,
    source: referenceRobot(parameters, robotName(file), integrals, kind, options.points),
  }));
  let worst: (NearestDeviation & { readonly state: string }) | undefined;
  let inverted = { error: 0, where: '', tolerance: Infinity };
  for (const { kind, source } of all) {
    if ('unsupported' in source) return { file, outcome: 'skipped', reason: source.unsupported };
    const expected = states.map((state) => (isClosed ? loopNumbers(state) : expectedNumbers(state, kind)));
    if (expected.every((own) => Object.values(own).every((value) => value === undefined))) continue;
    const { target, precision } = options;
    const { robot, compiled, straight: inStraightLine } = compiledOnce(reference.parameters as object, source.robot);
    const straight = options.straight ? inStraightLine() : undefined;
    const at = states.map(isClosed ? loopState : stateOf);
    const running = await startRobot(robot, compiled, { target, precision, straight });
    const nearest: (readonly NearestDeviation[])[] = [];
    let evaluations: readonly (Evaluation & { readonly tip_jacobian: readonly (readonly number[])[] })[];
    try {
      evaluations = (await running.evaluateAll(at)).map(({ terms, further }) => ({
        ...terms,
        tip_jacobian: further.tipJacobian,
      }));
      if (precision === 'double')
        for (const [i, own] of at.entries()) nearest.push(await nearestDeviations(running, own, states[i]!));
    } finally {
      await running.dispose();
    }
    const scale = robotScale(robot);
    const asked = options.integrals === undefined ? source.tolerance : 10 * options.integrals;
    const usual = Math.max(
      REFERENCE_TOLERANCE[options.precision],
      options.tight ? Math.min(asked, TIGHT_TOLERANCE) : asked,
    );
    const isExact = precision === 'double' && options.integrals === undefined;
    evaluations.forEach((evaluation, i) => {
      const { sign_changes_of_v_t: kinks = [] } = states[i]!;
      const tolerance = kind === 'drag_separate' && kinks.length > 0 ? Math.max(usual, KINKS_TOLERANCE) : usual;
      const ofLoops = isExact ? LOOP_TOLERANCE : Math.max(tolerance, LOOP_TOLERANCE);
      const own = accelerationError(evaluation.qdd, at[i]!.qdd);
      const allowed = expected[i]!.tau ? accelerationTolerance(evaluation) : Infinity;
      if (own / allowed > inverted.error / inverted.tolerance)
        inverted = { error: own, where: `${states[i]!.name}, qdd`, tolerance: allowed };
      const isLight = expected[i]!.M && !expected[i]!.tau && !isClosed;
      const inertial = isLight ? inertialScales(expected[i]!.M!, at[i]!) : NO_ROWS;
      const rows = { ...inertial, passive: passiveScales(expected, expected[i]!) };
      const found = deviations(evaluation, expected[i]!, at[i]!, scale.length, scale.energy, rows).map((deviation) => ({
        ...deviation,
        tolerance: isClosed && LOOP_QUANTITIES.has(deviation.quantity) ? ofLoops : tolerance,
      }));
      for (const deviation of [...found, ...(nearest[i] ?? [])])
        if (!worst || deviation.error / deviation.tolerance > worst.error / worst.tolerance)
          worst = { ...deviation, state: states[i]!.name };
    });
  }
  if (!worst) return { file, outcome: 'skipped', reason: 'it has no numbers that are compared yet' };
  // By the condition of M, accelerations keep fewer digits than the forces that they take.
  if (options.precision === 'double' && inverted.error > inverted.tolerance)
    return { file, outcome: 'failed', ...inverted };
  const { entry, state, tolerance, error } = worst;
  const where = `${state}, ${entry}`;
  const left = equilibria.length > 0 && { equilibria: equilibria.length };
  return { file, outcome: error <= tolerance ? 'passed' : 'failed', error, where, tolerance, ...left };
}
