/** A robot as a program has it: loaded from a file, a text or an object, with a verb for each thing that can be done with it. */
import { host } from '#host';
import { KanegenError } from '../common/error.ts';
import { demandOptions } from '../common/options.ts';
import type { LoadOptions } from '../description/load.ts';
import type { LoadedRobot } from '../codegen/typescript/load.ts';
import type { Robot } from '../description/model/robot.ts';
import type { Warning } from '../description/model/warnings.ts';
import type { LoadedRod } from '../kane/loaded/loaded-rod.ts';
import type { BaseParameters } from '../identification/base-parameters.ts';
import type { Identification } from '../identification/identify.ts';
import type { MarkerFit } from '../identification/markers/marker-fit.ts';
import type { MarkerTable } from '../identification/markers/marker-table.ts';
import type { Measurements } from '../identification/measurements.ts';
import type { LinkTermValues } from '../report/body-term-values.ts';
import type { Comparison } from '../report/comparison.ts';
import type { Explanation } from '../report/explain.ts';
import type { FormulationName } from '../report/formulation.ts';
import type { Understanding } from '../report/understanding/understanding.ts';
import type { InverseKinematicsResult } from '../simulation/equilibria/inverse-kinematics.ts';
import type { InverseStaticsResult } from '../simulation/equilibria/inverse-statics.ts';
import type { ObserverReport } from '../simulation/small-motions/observability.ts';
import type { Linearisation } from '../simulation/small-motions/linearise.ts';
import type { PoseSearchOptions } from '../simulation/equilibria/pose-search.ts';
import type { Assembly } from '../simulation/equilibria/assembly.ts';
import type { Equilibrium } from '../simulation/equilibria/equilibrium.ts';
import type { Evaluation } from '../verify/generated/evaluation.ts';
import type { VerificationReport } from '../verify/verify.ts';
import {
  configurationOf,
  goalsOf,
  numbersOf,
  refusalOf,
  staticLoadsOf,
  type Configuration,
  type FramePose,
  type Loads,
} from './by-name.ts';
import { RobotCode, type CodeSource, type CompileOptions } from './code.ts';
import type { EvaluateOptions } from './evaluation.ts';
import type { RodStaticsOptions } from './rod-statics.ts';
import type { GivenState } from './states.ts';
import type { VerifyOptions } from './verification.ts';

/** What acts, and where the search for an equilibrium begins. */
/** Of `assemble`. */
export type AssembleOptions = Pick<StaticsOptions, 'start' | 'held'>;

export interface StaticsOptions extends Loads {
  /** The defaults of the coordinates when missing. */
  readonly start?: Configuration;
}

/** About which state small motions are looked at. */
export interface LineariseOptions extends StaticsOptions {
  /** A configuration at rest in place of the equilibrium. */
  readonly at?: Configuration;
}

/** Small motions about a configuration. */
export interface SmallMotionsAbout extends Linearisation {
  /** The configuration, in the order of the coordinates. */
  readonly q: readonly number[];
}

/** How coordinates are searched. */
export interface InverseKinematicsOptions extends PoseSearchOptions {
  /** Where the first search begins; the defaults of the coordinates when missing. */
  readonly start?: Configuration;
}

/** How inputs are searched; `inputs` is where the first search begins. */
export interface InverseStaticsOptions extends PoseSearchOptions, StaticsOptions {}

/** How a file of places of markers is read. */
export interface MarkerOptions {
  /** Its lines are instants of one motion, by the column `t`; equilibria when missing. */
  readonly moving?: boolean;
}

/** What is identified. */
export interface IdentifyOptions {
  /** Parameters of the robot; those with `runtime: true` when missing. */
  readonly parameters?: readonly string[];
  /** The ten inertial parameters of all rigid links, or of those named. */
  readonly inertial?: boolean | readonly string[];
  /** Instants per piece of the splines of an estimated motion; chosen by the data when missing. */
  readonly window?: number;
}

/** What formulations are compared, and how. */
export interface CompareOptions {
  /** Length of a chain made from the robot; the robot itself when missing. */
  readonly links?: number;
  /** All when missing. */
  readonly formulations?: readonly FormulationName[];
  /** Random states at which results are compared; 100 when missing. */
  readonly states?: number;
  /** Of the random states; 1 when missing. */
  readonly seed?: number;
  /** Measurements of each time, of which the median counts; 15 when missing. */
  readonly rounds?: number;
  /** Limit of processor time of each derivation, s; 60 when missing. */
  readonly maxSeconds?: number;
  /** Limit of operations of inverse dynamics for which code is made; 20,000 when missing. */
  readonly maxOperations?: number;
  /** Is told what is at work. */
  readonly progress?: (message: string) => void;
}

/** Terms as mathematics, and as numbers where states are given. */
export interface RobotExplanation extends Explanation {
  /** What the measurements of observers tell, where the robot has some. */
  readonly observers?: readonly ObserverReport[];
  /** By state and deformable link. */
  readonly values?: readonly (readonly LinkTermValues[])[];
}

function demandCoordinates({ coordinates, name, links }: Robot): void {
  if (coordinates.length > 0) return;
  throw new KanegenError('nothing-moves', `${name} has no coordinates: nothing moves but by the time`, {
    location: links[0]!.location,
    remedy: 'give a link a joint or a deformable body',
  });
}

/** Among choices of options, code of the robot as it stands. */
const STANDING = 'standing';

/** A robot: its model, and what can be done with it. What was compiled is kept, by its options. */
export class SymbolicRobot {
  /** Coordinates, frames, links, actuators, parameters and states, with names, units and limits. */
  readonly model: Robot;
  /** Path of the file, or the name of the robot. */
  readonly file: string;
  private readonly codes = new Map<string, Promise<RobotCode>>();
  /** The code of derivatives takes longer than is allowed. */
  private isTooSlow = false;
  private readonly again: (options: LoadOptions) => SymbolicRobot;
  private readonly beside: CodeSource;

  /**
   * `load` makes robots.
   * @internal
   */
  constructor(
    model: Robot,
    file: string,
    again: (options: LoadOptions) => SymbolicRobot,
    beside: CodeSource = { from: model },
  ) {
    this.model = model;
    this.file = file;
    this.again = again;
    this.beside = beside;
  }

  get name(): string {
    return this.model.name;
  }

  /** Names of the coordinates, in the order of q. */
  get coordinates(): readonly string[] {
    return this.model.coordinates.map(({ name }) => name);
  }

  /** Names of the frames, in the order of their indices in generated code. */
  get frames(): readonly string[] {
    return this.model.frames.map(({ name }) => name);
  }

  /** Names of the actuators, in the order of u. */
  get actuators(): readonly string[] {
    return this.model.actuators.map(({ name }) => name);
  }

  /** What the file says and hardly means, each with its place. */
  get warnings(): readonly Warning[] {
    return this.model.warnings;
  }

  /** Loads the same robot again with further options: `robot.with({ set: { E: '2 MPa' } })`. @throws KanegenError as `load` does. */
  with(options: LoadOptions): SymbolicRobot {
    demandOptions(options);
    return this.again(options);
  }

  /**
   * Compiles the robot; the same options compile once.
   * @throws KanegenError with the place in the robot file of what cannot be compiled.
   */
  async compile<const Options extends CompileOptions>(options: Options = {} as Options): Promise<RobotCode<Options>> {
    demandOptions(options);
    const { derivatives = false, points = false, functions, cache } = options;
    if (cache !== undefined && typeof cache !== 'string')
      throw new KanegenError('wrong-shape', '`cache` takes the path of a folder');
    const key = JSON.stringify([Boolean(derivatives), Boolean(points), functions, cache]);
    const known = this.codes.get(key) ?? new RobotCode<CompileOptions>(this.model, options, this.beside).prepare();
    this.codes.set(key, known);
    // A failure is tried again.
    known.catch(() => this.codes.delete(key));
    // Equal keys are equal options.
    return (await known) as RobotCode<Options>;
  }

  /**
   * Checks the generated code against independent computations: a table of checks, and whether all passed.
   * @throws KanegenError of the compilation; nothing for a check that fails.
   */
  async verify(options: VerifyOptions = {}): Promise<VerificationReport> {
    demandOptions(options);
    const { verification } = await import('./verification.ts');
    return verification(await this.compile({ derivatives: options.derivatives ?? false }), options);
  }

  /** Sums the file up for comparison with what is meant: masses (kg), lengths (m), stiffness, sag, limits; and warns of likely mistakes. */
  async check(): Promise<Understanding> {
    const { understand } = await import('../report/understanding/understanding.ts');
    return understand(this.model, await (await this.compile()).run());
  }

  /** Terms as mathematics, how each integral was obtained and how exact it is, operation counts. */
  async explain(
    options: { readonly format?: 'text' | 'latex'; readonly states?: readonly GivenState[] } = {},
  ): Promise<RobotExplanation> {
    demandOptions(options);
    const { explainRobot } = await import('../report/explain.ts');
    const observers =
      this.model.observers &&
      (await import('../simulation/small-motions/observability.ts')).observability(
        this.model,
        await (await this.compile()).run(),
      );
    const explanation = { ...explainRobot(this.model, options.format), ...(observers && { observers }) };
    if (!options.states) return explanation;
    const { bodyTermValues } = await import('../report/body-term-values.ts');
    const { statesOf } = await import('./states.ts');
    const states = statesOf(options.states, 'explain', this.model);
    return { ...explanation, values: states.map((state) => bodyTermValues(this.model, state)) };
  }

  /**
   * Terms of τ = M q̈ + c + g and of the forces beside them at states; SI units, world axes, matrices by rows.
   * @param states the defaults and the named states of the file, at rest, when missing.
   * @throws KanegenError `bad-states` naming what is wrong with a state, `undefined-result` where a result is not finite.
   */
  async evaluate(states?: readonly GivenState[], options: EvaluateOptions = {}): Promise<Evaluation[]> {
    demandOptions(options);
    const [{ evaluate }, { ownStates, statesOf }] = await Promise.all([
      import('./evaluation.ts'),
      import('./states.ts'),
    ]);
    const own = ownStates(this.model);
    const given = states ? statesOf(states, 'evaluate', this.model) : Object.values(own);
    const labels = states ? undefined : Object.keys(own).map((name) => `state ${name}`);
    return evaluate(await this.compile(), given, options, labels);
  }

  /**
   * The configuration nearest to a start, in the metric of the mass matrix, at which loops are closed; within the limits of coordinates.
   * @throws KanegenError `open-loops` with the rows that stay open, `no-loops`, `wrong-argument`.
   */
  async assemble(options: AssembleOptions = {}): Promise<Assembly> {
    demandOptions(options);
    const refuse = refusalOf('assemble');
    if (!this.model.loops)
      throw new KanegenError('no-loops', `${this.file}: the robot has no loops`, {
        remedy: 'see `loops` of robot files',
      });
    const { held = [] } = staticLoadsOf(refuse, this.model, options);
    const start = configurationOf(refuse, this.model, 'start', options.start);
    const dynamics = await (await this.compile()).run();
    const { assemble, OpenLoops, openText } = await import('../simulation/equilibria/assembly.ts');
    try {
      return assemble(this.model, dynamics, start ?? this.model.coordinates.map(({ value }) => value), held);
    } catch (error) {
      if (!(error instanceof OpenLoops)) throw error;
      throw new KanegenError('open-loops', `${this.file}: ${openText(error)}`, {
        remedy: 'begin nearer to a closed state (--state), hold less, or correct the loops',
      });
    }
  }

  /**
   * The equilibrium under gravity, inputs and loads, and its stability.
   * @throws KanegenError `no-equilibrium` with the share of the loads that was reached, `wrong-argument`.
   */
  async statics(options: StaticsOptions = {}): Promise<Equilibrium> {
    demandOptions(options);
    const refuse = refusalOf('statics');
    demandCoordinates(this.model);
    const loads = staticLoadsOf(refuse, this.model, options);
    const start = configurationOf(refuse, this.model, 'start', options.start);
    const dynamics = await this.standing();
    const { equilibrium } = await import('../simulation/equilibria/statics.ts');
    return atEquilibrium(this.file, () => equilibrium(this.model, dynamics, loads, start));
  }

  /**
   * The end of a rod under its actuators, its weight and dead loads, and its derivatives: what its coordinates approximate.
   * @throws KanegenError `not-supported` at what such a rod cannot have, `no-equilibrium`, `wrong-argument`.
   */
  async rodStatics(options: RodStaticsOptions = {}): Promise<LoadedRod> {
    demandOptions(options);
    const { rodStatics } = await import('./rod-statics.ts');
    return rodStatics(this.model, this.file, options);
  }

  /**
   * Modes, frequencies (Hz) and damping, and the matrices of small motions, about the equilibrium or the configuration `at`, nearest
   * to which loops are closed.
   * @throws KanegenError as `statics` and `assemble` do.
   */
  async linearise(options: LineariseOptions = {}): Promise<SmallMotionsAbout> {
    demandOptions(options);
    const refuse = refusalOf('linearise');
    demandCoordinates(this.model);
    const loads = staticLoadsOf(refuse, this.model, options);
    const at = options.at === undefined ? undefined : configurationOf(refuse, this.model, 'at', options.at);
    const closed = at && this.model.loops ? (await this.assemble({ ...options, start: at })).q : at;
    const q = closed ?? (await this.statics(options)).q;
    const dynamics = await this.standing();
    const { linearise } = await import('../simulation/small-motions/linearise.ts');
    return { q, ...linearise(this.model, dynamics, { q, qd: q.map(() => 0) }, loads) };
  }

  /**
   * Coordinates at which frames have poses, within the limits of the coordinates, or the closest ones.
   * @throws KanegenError `wrong-argument`; RangeError of goals and options out of their range.
   */
  async inverseKinematics(
    goal: FramePose | readonly FramePose[],
    options: InverseKinematicsOptions = {},
  ): Promise<InverseKinematicsResult> {
    demandOptions(options);
    const refuse = refusalOf('inverseKinematics');
    const goals = goalsOf(refuse, this.model, goal);
    const start = configurationOf(refuse, this.model, 'start', options.start);
    const dynamics = await (await this.compile()).run();
    const { inverseKinematics } = await import('../simulation/equilibria/inverse-kinematics.ts');
    return inverseKinematics(this.model, dynamics, goals, { ...options, start });
  }

  /**
   * Inputs of actuators, within their limits, at whose equilibrium frames have poses, or the closest ones.
   * @throws KanegenError as `statics` does; RangeError of goals and options out of their range, and without actuators.
   */
  async inverseStatics(
    goal: FramePose | readonly FramePose[],
    options: InverseStaticsOptions = {},
  ): Promise<InverseStaticsResult> {
    demandOptions(options);
    const refuse = refusalOf('inverseStatics');
    const goals = goalsOf(refuse, this.model, goal);
    const { inputs, start, ...search } = options;
    const { forces, wrenches, held } = staticLoadsOf(refuse, this.model, search);
    const begin = {
      ...(start !== undefined && { start: configurationOf(refuse, this.model, 'start', start) }),
      ...(inputs && { inputs: numbersOf(refuse, 'inputs', inputs, this.model.actuators, { what: 'actuator' }) }),
    };
    const dynamics = await this.standing();
    const { inverseStatics } = await import('../simulation/equilibria/inverse-statics.ts');
    return atEquilibrium(this.file, () =>
      inverseStatics(this.model, dynamics, goals, { ...search, ...begin, loads: { forces, wrenches, held } }),
    );
  }

  /**
   * Parameters from measured motion and forces, with standard deviations.
   * @param data path of a CSV file, or the measurements.
   * @throws KanegenError with all problems of the file at file:line:column, of the choice of parameters, and
   * `too-little-excitation` naming what the data do not tell.
   */
  async identify(data: string | Measurements, options: IdentifyOptions = {}): Promise<Identification> {
    demandOptions(options);
    const { parameters, inertial = false, window } = options;
    const model = this.keeping(parameters);
    const [{ identify }, { readMeasurements }, { readText }] = await Promise.all([
      import('../identification/identify.ts'),
      import('../identification/measurements.ts'),
      import('../files/read.ts'),
    ]);
    const measured = typeof data === 'string' ? readMeasurements(model, readText(data), data) : data;
    const choice = { inertial, ...(parameters && { only: parameters }) };
    return identify(model, measured, choice, window === undefined ? {} : { window });
  }

  /**
   * Parameters from places of markers, with standard deviations, by least squares over equilibria or along a motion.
   * @param data the name of a CSV file, or a table (of a motion where it has times): columns `NAME x`, `NAME y`, `NAME z` of frames in m, inputs by name.
   * @throws KanegenError of the table at file:line:column, `too-few-markers`, `too-little-excitation` naming what markers do not tell apart,
   * `no-equilibrium` and `no-motion`.
   */
  async identifyMarkers(
    data: string | MarkerTable,
    parameters: readonly string[],
    options: MarkerOptions = {},
  ): Promise<MarkerFit> {
    demandOptions(options);
    const model = this.keeping(parameters);
    const own = model === this.model ? this : this.with({ keep: parameters });
    const [{ fitMarkers }, { readMarkers }, { readText }] = await Promise.all([
      import('../identification/markers/marker-fit.ts'),
      import('../identification/markers/marker-table.ts'),
      import('../files/read.ts'),
    ]);
    const table = typeof data === 'string' ? readMarkers(own.model, readText(data), data, options.moving) : data;
    const dynamics = table.times ? await (await own.compile({ derivatives: true })).run() : await own.standing();
    return fitMarkers(own.model, dynamics, table, parameters);
  }

  /**
   * Combinations of parameters that forces tell, and the regressor that they belong to.
   * @throws KanegenError of the choice of parameters.
   */
  async baseParameters(options: Omit<IdentifyOptions, 'window'> = {}): Promise<BaseParameters> {
    demandOptions(options);
    const { parameters, inertial = false } = options;
    const model = this.keeping(parameters);
    const { baseParameters } = await import('../identification/base-parameters.ts');
    const { compileRegressor } = await import('../identification/regressor.ts');
    return baseParameters(await compileRegressor(model, { inertial, ...(parameters && { only: parameters }) }));
  }

  /**
   * Running code for equilibria: of the robot as it stands at one instant, with derivatives unless their code takes too long; then equilibria are found by
   * difference quotients.
   * @internal
   */
  async standing(): Promise<LoadedRobot> {
    if (!this.isTooSlow)
      try {
        return await this.standingCode({ derivatives: true });
      } catch (error) {
        if (!(error instanceof KanegenError) || error.code !== 'too-slow') throw error;
        this.isTooSlow = true;
      }
    return this.standingCode({});
  }

  private async standingCode(options: Pick<CompileOptions, 'derivatives'>): Promise<LoadedRobot> {
    const { standing } = await import('../simulation/equilibria/standing.ts');
    const stands = standing(this.model);
    if (stands === this.model) return (await this.compile(options)).run();
    const { from, kept } = this.beside;
    const key = `${STANDING} ${JSON.stringify(options)}`;
    const known =
      this.codes.get(key) ?? new RobotCode(stands, options, { from: standing(from), ...(kept && { kept }) }).prepare();
    this.codes.set(key, known);
    known.catch(() => this.codes.delete(key));
    return (await known).run();
  }

  /** The model in which these parameters are known at run time only. */
  private keeping(names: readonly string[] = []): Robot {
    const { parameters } = this.model;
    const areKept = names.every((name) => parameters.some((parameter) => parameter.name === name));
    return areKept ? this.model : this.with({ keep: names }).model;
  }

  /**
   * The recursion against the Euler–Lagrange equations on this robot: time of derivation, operations, size, speed.
   * @throws KanegenError where the robot has no coordinates or no closed form.
   */
  async compare(options: CompareOptions = {}): Promise<Comparison> {
    demandOptions(options);
    const { links, states = 100, seed = 1, rounds = 15, maxSeconds = 60, maxOperations = 20_000, progress } = options;
    const [{ compareFormulations }, { FORMULATIONS }, { chainOf }] = await Promise.all([
      import('../report/comparison.ts'),
      import('../report/formulation.ts'),
      import('../report/chain-of-links.ts'),
    ]);
    const { formulations = Object.keys(FORMULATIONS) as FormulationName[] } = options;
    const megabytes = MEMORY_SHARE * host.memory().limit;
    return compareFormulations(links === undefined ? this.model : chainOf(this.model, links), {
      ...{ formulations, states, seed, rounds },
      limits: { seconds: maxSeconds, operations: maxOperations, megabytes },
      ...(progress && { progress }),
    });
  }
}

/** Share of the memory that Node may use. */
const MEMORY_SHARE = 0.85;

/** @throws KanegenError `no-equilibrium` saying at which share of the loads the search ended, and why. */
async function atEquilibrium<Result>(file: string, search: () => Result): Promise<Result> {
  const { NoEquilibrium, noEquilibriumText } = await import('../simulation/equilibria/equilibrium.ts');
  try {
    return search();
  } catch (error) {
    if (!(error instanceof NoEquilibrium)) throw error;
    throw new KanegenError('no-equilibrium', `${file}: ${noEquilibriumText(error)}`, {
      remedy:
        'hold coordinates, add a spring, an input or a force, reduce the loads, or start from another state (--hold, --input, --force, --from)',
    });
  }
}
