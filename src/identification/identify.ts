/**
 * Parameters of a robot from measured motion and forces: base parameters by weighted least squares with standard deviations,
 * and values of all parameters that are physically possible (docs/identification.md).
 */
import type { Robot } from '../description/model/robot.ts';
import { KanegenError } from '../common/error.ts';
import { demandOptions } from '../common/options.ts';
import {
  baseFormula,
  baseName,
  baseParameters,
  baseValue,
  combinationsAt,
  type BaseParameters,
  type NamedFormula,
} from './base-parameters.ts';
import {
  estimatedMotionFit,
  exactMotionFit,
  measuredRows,
  motionOf,
  statesOf,
  type BaseFit,
  type Doubt,
  type MeasuredRows,
} from './base-fit.ts';
import { BaseForces } from './base-forces.ts';
import { consistentFit } from './consistent-fit.ts';
import { marginalRows, undetermined, type TriangularRows } from './least-squares.ts';
import type { Measurements } from './measurements.ts';
import type { ParameterChoice } from './parameters.ts';
import { compileRegressor, type Regressor } from './regressor.ts';
import { withRest } from './motion/resting.ts';
import type { SmoothMotion } from './motion/smooth-motion.ts';
import type { MotionState } from './exciting-states.ts';

/** A combination that forces tell. */
export interface BaseEstimate {
  /** `link2.Izz + 0.09 link3.m`. */
  readonly name: string;
  readonly unit: string;
  /** By the values in the robot file. */
  readonly inFile: number;
  readonly estimate: number;
  /** Standard deviation of the estimate. */
  readonly deviation: number;
  /** When not, the file is no further from the estimate than its deviation lets it be, and that is large for a parameter: the value of the file stays. */
  readonly told: boolean;
  /** The combination by the geometry, of rigid robots: `link2.Izz + link2_distal_x^2 link3.m`. */
  readonly formula?: NamedFormula;
}

export interface ParameterEstimate {
  readonly name: string;
  readonly unit: string;
  readonly inFile: number;
  /** Physically possible, and as good as any such values. */
  readonly value: number;
  /** Is it a base parameter by itself, part of one or several, or in none that the data tell? */
  readonly told: 'alone' | 'in combination' | 'not at all';
}

interface CoordinateFit {
  readonly name: string;
  /** Root mean square of the forces, of what base parameters leave of them, and of what physical values leave. */
  readonly force: number;
  readonly residual: number;
  readonly physicalResidual: number;
}

export interface Identification {
  /** Was the best of all physical values found? When not, they are physical but fit worse than others would. */
  readonly converged: boolean;
  readonly samples: number;
  /** Of the weighted regressor of base parameters, columns scaled to length 1. */
  readonly condition: number;
  readonly base: readonly BaseEstimate[];
  readonly parameters: readonly ParameterEstimate[];
  readonly coordinates: readonly CoordinateFit[];
  readonly notes: readonly string[];
  /** Why these numbers should not be trusted. */
  readonly warnings: readonly string[];
}

export interface IdentificationSettings {
  /** Instants per piece of the splines that motion is, where it is estimated; chosen by the data when missing. */
  readonly window?: number;
  /** Of the search for physical values. */
  readonly mostSteps?: number;
}

/** Of what a base parameter makes at exciting states: less than this in the data is no excitation. */
const LEAST_EXCITATION = 1e-6;
/** Of a column of the regressor at the data: what is less beside others is an angle that was meant to be zero. */
const LEAST_SHOWN = 1e-3;
/** Of the data, where what they tell is looked for: more show nothing else. */
const MOST_STATES = 400;
/** In deviations: values of the file that are nearer to an estimate may be as true. */
const AS_GOOD = 2;
/** What physical values leave in units of what estimates leave, and as a share of the forces: above, the data are not physical. */
const CLEARLY_MORE = 1.2;
const LEAST_SHARE = 1e-5;

/**
 * @throws KanegenError of the choice of parameters, or `too-little-excitation` naming what the data do not tell.
 */
export async function identify(
  robot: Robot,
  data: Measurements,
  choice: ParameterChoice = {},
  settings: IdentificationSettings = {},
): Promise<Identification> {
  demandOptions(settings, 'settings');
  const regressor = await compileRegressor(robot, choice);
  return identifyWith(regressor, baseParameters(regressor), data, settings);
}

/** The same with a regressor and its base parameters that are there already. */
export function identifyWith(
  regressor: Regressor,
  structure: BaseParameters,
  data: Measurements,
  settings: IdentificationSettings = {},
): Identification {
  demandOptions(settings, 'settings');
  if (structure.base.length === 0)
    throw new KanegenError('nothing-to-identify', 'no force of this robot depends on any of the parameters', {
      remedy: 'choose others with --parameters, or those of rigid links with --inertial',
    });
  const log = new Log(regressor, data, settings);
  const measured = log.measured(structure);
  const hidden = hiddenIn(regressor, structure, measured);
  if (hidden.length === 0) return identified(log, structure, measured, settings);
  const spread = Math.ceil(log.states.length / MOST_STATES);
  const told = combinationsAt(
    regressor,
    log.states.filter((_s, i) => i % spread === 0),
    LEAST_SHOWN,
  );
  const few =
    data.times.length * regressor.coordinates < structure.base.length ? ` in ${data.times.length} instants` : '';
  const what = `the data excite too little${few} to tell: ${hidden.join('; ')}`;
  const less = told.base.length > 0 ? log.measured(told) : undefined;
  if (!less || hiddenIn(regressor, told, less).length > 0) throw tooLittle(what);
  const found = identified(log, told, less, settings);
  if (found.base.every(({ deviation, estimate, inFile }) => deviation > Math.max(Math.abs(estimate), Math.abs(inFile))))
    throw tooLittle(what);
  return { ...found, notes: [what, ...found.notes] };
}

function tooLittle(what: string): KanegenError {
  return new KanegenError('too-little-excitation', what, {
    remedy: 'move all coordinates further, faster and in more ways, or leave these parameters out',
  });
}

/** Measurements with the motion that they are of. */
class Log {
  readonly regressor: Regressor;
  readonly states: readonly MotionState[];
  readonly notes: readonly string[];
  private readonly data: Measurements;
  /** Where it has to be estimated. */
  private readonly smooth?: { readonly motion: SmoothMotion; readonly window: number };

  constructor(regressor: Regressor, given: Measurements, { window }: IdentificationSettings) {
    const { data, names } = withRest(regressor.robot, given);
    const { times, q, qd, qdd } = data;
    const notes = names.length > 0 ? [`at rest but for noise of the sensors: ${names.join(', ')}`] : [];
    this.regressor = regressor;
    this.data = data;
    if (qd && qdd) {
      this.states = times.map((_, i) => ({ q: q[i]!, qd: qd[i]!, qdd: qdd[i]! }));
      this.notes = notes;
      return;
    }
    this.smooth = motionOf(data, window);
    this.states = statesOf(this.smooth.motion);
    this.notes = [...notes, motionNote(regressor.robot, data, this.smooth, window === undefined)];
  }

  get samples(): number {
    return this.data.times.length;
  }

  measured(structure: BaseParameters): MeasuredRows {
    return measuredRows(new BaseForces(this.regressor, structure, this.data), this.data, this.states);
  }

  fit(structure: BaseParameters, measured: MeasuredRows, scales: readonly number[]): BaseFit {
    if (!this.smooth) return exactMotionFit(measured, scales);
    return estimatedMotionFit(this.regressor, structure, this.data, { ...this.smooth, measured }, scales);
  }
}

/** How motion was found. */
function motionNote(
  { coordinates }: Robot,
  { times, qd, qdd }: Measurements,
  { motion: { noise }, window }: { motion: SmoothMotion; window: number },
  isChosen: boolean,
): string {
  const made = [...(qd ? [] : ['rates']), ...(qdd ? [] : ['accelerations'])].join(' and ');
  const length = (window * (times.at(-1)! - times[0]!)) / (times.length - 1);
  const ofSensors = coordinates.flatMap(({ name, unit }, a) =>
    noise[0]![a]! > 0 ? [`${name} ${noise[0]![a]!.toPrecision(2)} ${unit}`] : [],
  );
  return `${made} are not measured: motion is estimated together with the parameters, as splines over pieces of ${window} instants (${Number(length.toPrecision(2))} s${isChosen ? ', by the data' : ''}); noise of the sensors: ${ofSensors.join(', ')}`;
}

function identified(
  log: Log,
  structure: BaseParameters,
  along: MeasuredRows,
  { mostSteps }: IdentificationSettings,
): Identification {
  const { parameters, robot } = log.regressor;
  const { base, without } = structure;
  const sizes = base.map(({ index }) => parameters[index]!.size);
  const inFile = parameters.map(({ value }) => value);
  const baseInFile = base.map((own, j) => baseValue(own, inFile) / sizes[j]!);
  const { values, deviations, condition, rows, measured, doubts } = log.fit(
    structure,
    along,
    forceScales(structure, along.squares),
  );
  const isTold = values.map(
    (value, j) => deviations[j]! <= 1 || Math.abs(value - baseInFile[j]!) > AS_GOOD * deviations[j]!,
  );
  const told = base.filter((_, j) => isTold[j]);
  const names = base.map((own) => baseName(own, parameters));
  if (told.length === 0) throw tooLittle(`the noise of the data is too large to determine: ${names.join('; ')}`);
  const kept = isTold.flatMap((is, j) => (is ? [j] : []));
  const { values: physical, converged } = consistentFit(
    marginalRows(rows, kept),
    parameters,
    { ...structure, base: told },
    mostSteps,
  );
  const physicalBase = base.map((own, j) => baseValue(own, physical) / sizes[j]!);
  const combined = new Set(told.flatMap(({ others }) => others.map(({ index }) => index)));
  const heads = new Set(told.map(({ index }) => index));
  const alone = new Set(told.filter(({ others }) => others.length === 0).map(({ index }) => index));
  const toldHow = (i: number): ParameterEstimate['told'] => {
    if (without.includes(i) || !(heads.has(i) || combined.has(i))) return 'not at all';
    return alone.has(i) && !combined.has(i) ? 'alone' : 'in combination';
  };
  const rms = (stack: TriangularRows, x: readonly number[]): number =>
    Math.sqrt(stack.squaredResidual(x) / stack.count);
  const fits = robot.coordinates.map(({ name }, k) => ({
    name,
    force: Math.sqrt(measured.squares[k]!),
    residual: rms(measured.stacks[k]!, values),
    physicalResidual: rms(measured.stacks[k]!, physicalBase),
  }));
  const untold = names.filter((_, j) => !isTold[j]);
  const asInFile =
    untold.length > 0 ? [`not told by the data beyond their noise, as in the file: ${untold.join('; ')}`] : [];
  return {
    converged,
    samples: log.samples,
    condition,
    base: base.map((own, j) => {
      const formula = baseFormula(own, structure, parameters);
      return {
        name: names[j]!,
        unit: parameters[own.index]!.unit,
        inFile: baseValue(own, inFile),
        estimate: values[j]! * sizes[j]!,
        deviation: deviations[j]! * sizes[j]!,
        told: isTold[j]!,
        ...(formula && { formula }),
      };
    }),
    parameters: parameters.map(({ name, unit, value }, i) => ({
      name,
      unit,
      inFile: value,
      value: physical[i]!,
      told: toldHow(i),
    })),
    coordinates: fits,
    notes: [...log.notes, ...asInFile, ...unphysicalForces(fits)],
    warnings: doubts.map((doubt) => doubtText(doubt, names, sizes)),
  };
}

/** Why estimates should not be trusted, and what would help. */
function doubtText(doubt: Doubt, names: readonly string[], sizes: readonly number[]): string {
  if (doubt.kind === 'unsettled')
    return 'motion and parameters did not come to rest together: look for signs, units and frames of the data';
  const apart = doubt.unknowns.map(({ index, values }) => {
    const [own, other] = values.map((x) => Number((x * sizes[index]!).toPrecision(4)));
    return `${names[index]!} ${own!} and ${other!}`;
  });
  return `the motion that was found depends on how smooth it is taken to be: pieces of ${doubt.windows[0]} and of ${doubt.windows[1]} instants give values more than three deviations apart for ${apart.join('; ')}; shorter pieces (--window), more instants per second, slower motion or measured rates help`;
}

/** What is said of forces that no physical values make. */
function unphysicalForces(coordinates: readonly CoordinateFit[]): string[] {
  const worst = coordinates.filter(
    ({ force, residual, physicalResidual }) =>
      physicalResidual > CLEARLY_MORE * residual && physicalResidual > LEAST_SHARE * force,
  );
  if (worst.length === 0) return [];
  const names = worst.map(({ name }) => name).join(', ');
  return [
    `no physical values make these forces: they leave more than the estimates do on ${names}; look for signs, units and frames of the data, and for forces that the file does not have, such as friction`,
  ];
}

/** A force that is large for each coordinate: of the data, and where they have none of the robot. */
function forceScales({ forces }: BaseParameters, squares: Float64Array): number[] {
  return forces.map((force, k) => Math.sqrt(squares[k]!) || force || 1);
}

/** Names of base parameters that the data do not excite. */
function hiddenIn(
  { parameters }: Regressor,
  { base, effects, forces }: BaseParameters,
  { stacks }: MeasuredRows,
): string[] {
  return undetermined(stacks, {
    scales: forces.map((force) => force || 1),
    effects: base.map(({ index }) => effects[index]!),
    least: LEAST_EXCITATION,
  }).map((j) => baseName(base[j]!, parameters));
}
