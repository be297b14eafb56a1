/**
 * Parameters of a robot from measured motion and forces: base parameters by weighted least squares with standard deviations,
 * and values of all parameters that are physically possible (docs/identification.md).
 */
import type { Robot } from '../description/model/robot.ts';
import { KanegenError } from '../common/error.ts';
import {
  baseFormula,
  baseName,
  baseParameters,
  baseValue,
  combinationsAt,
  type BaseParameters,
  type NamedFormula,
} from './base-parameters.ts';
import { consistentFit } from './consistent-fit.ts';
import { TriangularRows, undetermined, weightedFit, weightedRows } from './least-squares.ts';
import type { Measurements } from './measurements.ts';
import type { ParameterChoice } from './parameters.ts';
import { compileRegressor, type MotionState, type Regressor } from './regressor.ts';
import { withRest } from './resting.ts';

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
  /** The combination by the geometry, of rigid robots: `link2.Izz + link2_distal_x^2 link3.m`. */
  readonly formula?: NamedFormula;
}

export interface ParameterEstimate {
  readonly name: string;
  readonly unit: string;
  readonly inFile: number;
  /** Physically possible, and as good as any such values. */
  readonly value: number;
  /** Is it a base parameter by itself, part of one or several, or without any effect on forces? */
  readonly told: 'alone' | 'in combination' | 'not at all';
}

export interface CoordinateFit {
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
}

/** Of what a base parameter makes at exciting states: less than this in the data is no excitation. */
const LEAST_EXCITATION = 1e-6;
/** Of a column of the regressor at the data: what is less beside others is an angle that was meant to be zero. */
const LEAST_SHOWN = 1e-3;
/** Of the data, where what they tell is looked for: more show nothing else. */
const MOST_STATES = 400;
/** Of the forces: physical values are not fitted closer than that to data without noise. */
const LEAST_ERROR = 1e-7;
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
): Promise<Identification> {
  const regressor = await compileRegressor(robot, choice);
  return identifyWith(regressor, baseParameters(regressor), data);
}

/**
 * The same with a regressor and its base parameters that are there already.
 * @param mostSteps of the search for physical values.
 */
export function identifyWith(
  regressor: Regressor,
  structure: BaseParameters,
  data: Measurements,
  mostSteps?: number,
): Identification {
  const rested = withRest(regressor.robot, data);
  const rows = rowsOf(regressor, structure, rested);
  const hidden = hiddenIn(regressor, structure, rows);
  if (hidden.length === 0) return fitted(regressor, structure, rows, mostSteps);
  const states = rested.times.map((_, sample) => stateAt(rested, sample));
  const spread = Math.ceil(states.length / MOST_STATES);
  const told = combinationsAt(
    regressor,
    states.filter((_s, i) => i % spread === 0),
    LEAST_SHOWN,
  );
  const few =
    data.times.length * regressor.coordinates < structure.base.length ? ` in ${data.times.length} instants` : '';
  const what = `the data excite too little${few} to tell: ${hidden.join('; ')}`;
  const less = told.base.length > 0 ? rowsOf(regressor, told, rested) : undefined;
  if (!less || hiddenIn(regressor, told, less).length > 0) throw tooLittle(what);
  const found = fitted(regressor, told, { ...less, notes: [...less.notes, what] }, mostSteps);
  if (found.base.every(({ deviation, estimate, inFile }) => deviation > Math.max(Math.abs(estimate), Math.abs(inFile))))
    throw tooLittle(what);
  return found;
}

function tooLittle(what: string): KanegenError {
  return new KanegenError('too-little-excitation', what, {
    remedy: 'move all coordinates further, faster and in more ways, or leave these parameters out',
  });
}

/** What data say of combinations of parameters, by coordinate. */
interface MeasuredRows {
  readonly stacks: readonly TriangularRows[];
  /** Mean squares of forces less the offset. */
  readonly squares: Float64Array;
  readonly samples: number;
  readonly notes: readonly string[];
}

function stateAt({ times, q, qd, qdd, inputs }: Measurements, sample: number): MotionState {
  const u = inputs?.[sample];
  return { t: times[sample]!, q: q[sample]!, qd: qd[sample]!, qdd: qdd[sample]!, ...(u && { u }) };
}

/** @throws KanegenError `nothing-to-identify`, `undefined-forces`. */
function rowsOf(regressor: Regressor, { base }: BaseParameters, data: Measurements): MeasuredRows {
  const { parameters, coordinates: n } = regressor;
  if (base.length === 0)
    throw new KanegenError('nothing-to-identify', 'no force of this robot depends on any of the parameters', {
      remedy: 'choose others with --parameters, or those of rigid links with --inertial',
    });
  const stacks = Array.from({ length: n }, () => new TriangularRows(base.length));
  const squares = new Float64Array(n);
  const sizes = parameters.map(({ size }) => size);
  data.times.forEach((t, sample) => {
    const forces = regressor.at(stateAt(data, sample));
    if (!forces)
      throw new KanegenError('undefined-forces', `the robot has no finite forces at t = ${t} s`, {
        remedy: 'leave out this instant, or check the units: SI, angles in rad',
      });
    for (let k = 0; k < n; k++) {
      const right = data.tau[sample]![k]! - forces.offset[k]!;
      const row = base.map(({ index }) => forces.Y[k * sizes.length + index]! * sizes[index]!);
      squares[k]! += right ** 2 / data.times.length;
      stacks[k]!.add([...row, right]);
    }
  });
  return { stacks, squares, samples: data.times.length, notes: data.notes };
}

function fitted(
  regressor: Regressor,
  structure: BaseParameters,
  { stacks, squares, samples, notes }: MeasuredRows,
  mostSteps: number | undefined,
): Identification {
  const { parameters, robot } = regressor;
  const { base, without } = structure;
  const sizes = parameters.map(({ size }) => size);
  const scales = forceScales(structure, squares);
  const { values, deviations, noise, condition } = weightedFit(stacks, scales);
  const felt = noise.map((own, k) => Math.max(own, LEAST_ERROR * scales[k]!));
  const { values: physical, converged } = consistentFit(weightedRows(stacks, felt), parameters, structure, mostSteps);
  const physicalBase = base.map((own) => baseValue(own, physical) / sizes[own.index]!);
  const inFile = parameters.map(({ value }) => value);
  const combined = new Set(base.flatMap(({ others }) => others.map(({ index }) => index)));
  const alone = new Set(base.filter(({ others }) => others.length === 0).map(({ index }) => index));
  const rms = (rows: TriangularRows, x: readonly number[]): number => Math.sqrt(rows.squaredResidual(x) / rows.count);
  const fits = robot.coordinates.map(({ name }, k) => ({
    name,
    force: Math.sqrt(squares[k]!),
    residual: rms(stacks[k]!, values),
    physicalResidual: rms(stacks[k]!, physicalBase),
  }));
  const remarks = unphysicalForces(fits);
  return {
    converged,
    samples,
    condition,
    base: base.map((own, j) => {
      const formula = baseFormula(own, structure, parameters);
      return {
        name: baseName(own, parameters),
        unit: parameters[own.index]!.unit,
        inFile: baseValue(own, inFile),
        estimate: values[j]! * sizes[own.index]!,
        deviation: deviations[j]! * sizes[own.index]!,
        ...(formula && { formula }),
      };
    }),
    parameters: parameters.map(({ name, unit, value }, i) => ({
      name,
      unit,
      inFile: value,
      value: physical[i]!,
      told: without.includes(i) ? 'not at all' : alone.has(i) && !combined.has(i) ? 'alone' : 'in combination',
    })),
    coordinates: fits,
    notes: [...notes, ...remarks],
  };
}

/** A force that is large for each coordinate: of the data, and where they have none of the robot. */
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
