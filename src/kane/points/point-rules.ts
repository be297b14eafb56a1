/**
 * Rules of points for a body: what is to be integrated, at which states, and which rule of each volume suffices.
 */
import { KanegenError } from '../../common/error.ts';
import { RowProgram } from '../../symbolic/evaluation/evaluate-rows.ts';
import { symbol, type Expr } from '../../symbolic/graph/expr.ts';
import {
  addVectors,
  cross,
  dot,
  multiplyVector,
  pointInertia,
  type Vector3,
  vector3,
} from '../../symbolic/graph/vector.ts';
import { chooseRule } from '../../integration/choice/choose-rule.ts';
import { compressRule, type StateSample } from '../../integration/rules/compress.ts';
import { meshRule } from '../../integration/rules/mesh-rule.ts';
import type { ChosenRule, PointRule } from '../../integration/rules/point-rule.ts';
import { ToleranceNotMet } from '../../integration/choice/tolerance-not-met.ts';
import { TETRAHEDRON_DEGREES } from '../../integration/rules/tetrahedron-rules.ts';
import type { BodyType } from '../../description/model/robot.ts';
import { isSound } from '../../description/volumes/reference-shape.ts';
import type { MeshVolume, Volume } from '../../description/model/reference-volume.ts';
import { xyz } from '../equations/names.ts';
import type { PointField } from '../kinematics/point-field.ts';
import type { CoordinateSymbols } from '../equations/rates.ts';
import { spinMatrix, type Motion } from '../equations/recursion.ts';
import { placeText, type CoordinateRange, type ParameterValues } from '../kinematics/sample-configurations.ts';

/** Points of the largest rule over a mesh that is tried. */
const MOST_POINTS = 400_000;

const vector = (stem: string): Vector3 => vector3(xyz(stem).map((name) => symbol(`sample.${name}`)));
const motion: Motion = {
  angularVelocity: vector('omega'),
  angularAcceleration: vector('alpha'),
  acceleration: vector('a'),
};

/** Integrands of the inertial moments and of the forces of a moving body. */
export function dynamicIntegrands(field: PointField): Expr[] {
  const still = field.at({ partials: true });
  const { position: p, partials } = still;
  const moving = field.at({ velocity: true, acceleration: 'driven', projection: true });
  const w = motion.angularVelocity;
  const total = addVectors(
    motion.acceleration,
    multiplyVector(spinMatrix(motion), p),
    cross(addVectors(w, w), moving.velocity),
    moving.acceleration,
  );
  return [
    ...p,
    ...pointInertia(p),
    ...partials.flatMap((partial) => [...partial, ...cross(p, partial)]),
    ...partials.flatMap((partial, a) => partials.slice(a).map((other) => dot(partial, other))),
    ...total,
    ...cross(p, total),
    ...moving.project(total),
  ];
}

/**
 * States of a body in motion: values of parameters, coordinates, their rates and accelerations, the frame's, the time.
 * Coordinates pass through half of their ranges in about a second, so that every one of them counts.
 */
export function movingStates(
  configurations: readonly (readonly number[])[],
  symbols: CoordinateSymbols,
  parameters: ParameterValues,
  ranges: readonly CoordinateRange[],
): StateSample[] {
  const moved: readonly Expr[] = [
    ...symbols.qd,
    ...symbols.qdd,
    ...(Object.values(motion) as (readonly Expr[])[]).flat(),
  ];
  const speeds = ranges.map(({ low, high }) => (high - low) / 2);
  const sizes = [...speeds, ...speeds];
  return configurations.map((q, k) => {
    const sample = new Map<Expr, number>(parameters);
    symbols.q.forEach((s, i) => sample.set(s, q[i]!));
    moved.forEach((s, i) => sample.set(s, (sizes[i] ?? 1) * Math.sin(1.7 * (i + 1) + 2.3 * (k + 1) + 0.11 * i * k)));
    if (symbols.time) sample.set(symbols.time, 0.37 * k);
    return sample;
  });
}

/**
 * One rule per volume.
 * @param integrands functions over material coordinates and what the samples give values of.
 * @param spread by how much integrals may be smaller at some samples than at others, see `chooseRule`.
 * @throws KanegenError `tolerance-not-met` at the volume.
 */
export function choosePointRules(
  type: BodyType,
  integrands: readonly Expr[],
  samples: readonly StateSample[],
  spread = 1,
): ChosenRule[] {
  try {
    return type.volumes.map((volume) => chooseFor(type, volume, { integrands, samples, spread }));
  } catch (error) {
    if (!(error instanceof ToleranceNotMet) || Number.isFinite(error.reached)) throw error;
    throw unsound(type, samples) ?? error;
  }
}

/** Why integrals do not settle at any number of points: formulas such as log(J) have no value where the position is none of a body. */
function unsound(type: BodyType, samples: readonly StateSample[]): ToleranceNotMet | undefined {
  const placesAt = (sample: StateSample): number[] => type.coordinates.map(({ symbol: q }) => sample.get(q)!);
  const sample = samples.find((own) => !isSound(type, own, placesAt(own)));
  if (!sample) return undefined;
  const places = placesAt(sample).map((x, i) => placeText(type.coordinates[i]!, x));
  return new ToleranceNotMet(
    `material of \`${type.name}\` is turned inside out, or beyond the domain of its position, at ${places.join(', ')}: formulas have no value there`,
    Infinity,
    { remedy: 'state `limits` of the coordinates that end before', location: type.locations.kinematics },
  );
}

/**
 * For integrals that are constants. What is summed once over a mesh with modes is summed over all of its points: constants then have
 * every digit of the matrices of the mesh.
 */
export function forConstants(type: BodyType): BodyType {
  const hasModes = type.volumes.some((volume) => volume.kind === 'mesh' && volume.fields);
  return hasModes ? { ...type, integration: { ...type.integration, compress: false } } : type;
}

interface PointRequest {
  readonly integrands: readonly Expr[];
  readonly samples: readonly StateSample[];
  readonly spread: number;
}

function chooseFor({ integration, locations }: BodyType, volume: Volume, request: PointRequest): ChosenRule {
  const { compress, tolerance } = integration;
  if (volume.kind !== 'mesh')
    return chooseRule({ volume, ...request, tolerance, compress, location: locations.volume });
  const { integrands, samples } = request;
  try {
    return chooseMeshRule(volume, { integrands, samples, tolerance, compress });
  } catch (error) {
    if (error instanceof KanegenError) throw error.at(locations.volume);
    throw error;
  }
}

export interface MeshRequest {
  readonly integrands: readonly Expr[];
  readonly samples: readonly StateSample[];
  readonly tolerance: number;
  readonly compress: boolean;
}

/** The lowest degree per tetrahedron at which the integrals stand still, then as few of its points as do the same. */
export function chooseMeshRule(
  volume: MeshVolume,
  { integrands, samples, tolerance, compress }: MeshRequest,
): ChosenRule {
  const few = samples.slice(1, 4);
  const integralsOf = (rule: PointRule): Integrals[] => few.map((sample) => integrals(rule, integrands, sample));
  const trials: ChosenRule['trials'][number][] = [];
  let rule = meshRule(volume, TETRAHEDRON_DEGREES[0]!);
  let coarse = integralsOf(rule);
  let error = Infinity;
  for (const degree of TETRAHEDRON_DEGREES.slice(1)) {
    const finer = meshRule(volume, degree);
    if (finer.rows > MOST_POINTS) break;
    const fine = integralsOf(finer);
    error = difference(coarse, fine);
    trials.push({ points: rule.rows, error, description: rule.description });
    if (error <= 0.5 * tolerance) break;
    rule = finer;
    coarse = fine;
  }
  if (!(error <= tolerance))
    throw new ToleranceNotMet(
      `integrals over the mesh are not known better than to ${error.toExponential(1)} with ${rule.rows} points, ${tolerance} is asked for`,
      error,
      { remedy: 'raise `integration: { tolerance }`, or refine the mesh where the kinematics varies most' },
    );
  if (!compress) return { rule, error, trials };
  const compressed = compressRule(rule, {
    integrands,
    samples: samples.filter((_, i) => i % 3 !== 2),
    fresh: samples.filter((_, i) => i % 3 === 2),
    tolerance,
  });
  const all = [...trials, ...compressed.trials];
  return compressed.error <= tolerance
    ? { rule: compressed.rule, error: Math.max(error, compressed.error), trials: all }
    : { rule, error, trials: all };
}

/** By integrand: ∫ f dm and ∫ |f| dm. */
interface Integrals {
  readonly values: Float64Array;
  readonly magnitudes: Float64Array;
}

/** Largest change of an integral between two rules at any state, relative to the largest ∫ |f| dm of the function. */
function difference(coarse: readonly Integrals[], fine: readonly Integrals[]): number {
  const scales = new Float64Array(fine[0]?.values.length ?? 0);
  const changes = new Float64Array(scales.length);
  fine.forEach(({ values, magnitudes }, sample) => {
    values.forEach((value, i) => {
      scales[i] = Math.max(scales[i]!, magnitudes[i]!);
      changes[i] = Math.max(changes[i]!, Math.abs(coarse[sample]!.values[i]! - value));
    });
  });
  return Math.max(...Array.from(changes, (change, i) => (change === 0 ? 0 : change / scales[i]!)));
}

function integrals(rule: PointRule, integrands: readonly Expr[], sample: StateSample): Integrals {
  const values = new Float64Array(integrands.length);
  const magnitudes = new Float64Array(integrands.length);
  const { columns, scalars } = boundRule(rule, sample);
  const program = new RowProgram(
    integrands,
    [...columns.keys()].filter((s) => s !== MASS),
  );
  const mass = columns.get(MASS)!;
  program.run(columns, scalars, rule.rows, (first, count, registers) =>
    registers.forEach((register, i) => {
      let [value, magnitude] = [values[i]!, magnitudes[i]!];
      for (let k = 0; k < count; k++) {
        const term = register[k]! * mass[first + k]!;
        value += term;
        magnitude += Math.abs(term);
      }
      values[i] = value;
      magnitudes[i] = magnitude;
    }),
  );
  return { values, magnitudes };
}

const MASS = symbol('sample.mass');

/** Material coordinates and mass of every row as columns of numbers. */
export function boundRule(
  rule: PointRule,
  scalars: StateSample,
): { columns: Map<Expr, Float64Array>; scalars: StateSample } {
  const raw = new Map<Expr, Float64Array>(rule.columns.map((c) => [c.symbol, Float64Array.from(c.values)]));
  const names = [...rule.material.keys(), MASS];
  const columns = new Map<Expr, Float64Array>();
  const values = [...rule.material.values(), rule.mass];
  const rows = names.map(() => new Float64Array(rule.rows));
  new RowProgram(values, [...raw.keys()]).run(raw, scalars, rule.rows, (first, count, registers) =>
    registers.forEach((register, i) => rows[i]!.set(register.subarray(0, count), first)),
  );
  names.forEach((name, i) => columns.set(name, rows[i]!));
  return { columns, scalars };
}
