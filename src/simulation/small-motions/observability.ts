/**
 * What the measurements of an observer tell of the coordinates: how much of their uncertainty at the start is left after
 * measurements within a thousand periods, by the linear motion about a state and the noise of the file; and which
 * directions nothing is learnt of.
 */
import { EigenvalueDecomposition, inverse, Matrix, SingularValueDecomposition } from 'ml-matrix';
import type { LoadedRobot } from '../../codegen/typescript/load.ts';
import { randomNumbers } from '../../common/random.ts';
import type { Observer } from '../../description/model/controller.ts';
import type { Robot } from '../../description/model/robot.ts';
import type { Warning } from '../../description/model/warnings.ts';
import { KG_OK } from '../../runtime/driver.ts';
import { accelerationDerivatives, UndefinedMotion } from '../equilibria/derivatives.ts';

/** Measurements are at 0, 1, 2, 4, … periods. */
const DOUBLINGS = 10;
/** Of the standard deviation at the start: what is left where nothing is learnt. */
const UNSEEN = 0.95;
/** Of the largest part of a direction: what is not told. */
const SMALL = 0.05;
/** Beside the start of the observer, where symmetry may hide what is seen elsewhere. */
const ASIDE = 2;

/** A direction in which the measurements tell nothing. */
export interface BlindDirection {
  /** Coordinates that move together in it, with their shares in SI units, the first one 1. */
  readonly coordinates: readonly { readonly name: string; readonly share: number }[];
  /** What the motion of the robot leaves of it after a thousand periods, at rest at first; 0 or so: it dies out by itself. */
  readonly left: number;
}

/** About one state. */
interface Observability {
  /** Of each coordinate: standard deviation afterwards over that at the start; 1: nothing is learnt. */
  readonly left: readonly number[];
  readonly blind: readonly BlindDirection[];
}

export interface ObserverReport {
  readonly name: string;
  /** s */
  readonly period: number;
  readonly measurements: readonly { readonly name: string; readonly noise: number; readonly unit: string }[];
  /** At the state that it starts from; none where that has no linear motion. */
  readonly atStart?: Observability;
  /** The same at other states: what is blind here is so wherever the robot is. */
  readonly aside: readonly Observability[];
}

/** @param dynamics of `robot`, as it was generated. */
export function observability(robot: Robot, dynamics: LoadedRobot): readonly ObserverReport[] {
  return (robot.observers ?? []).map((observer) => {
    const at = (q: readonly number[]): Observability | undefined => about(robot, dynamics, observer, q);
    const atStart = at(observer.start);
    return {
      name: observer.name,
      period: observer.period,
      measurements: observer.measurements.map(({ name, noise, unit }) => ({ name, noise, unit })),
      ...(atStart && { atStart }),
      aside: statesAside(robot, observer).flatMap((q) => at(q) ?? []),
    };
  });
}

/** A warning for each observer with measurements that tell nothing of some motion, wherever the robot is. */
export function unseenMotions(robot: Robot, dynamics: LoadedRobot): readonly Warning[] {
  if (robot.silenced?.includes('unseen-motion')) return [];
  return observability(robot, dynamics).flatMap(({ name, aside }, i): Warning[] => {
    const [first] = aside;
    if (!first || aside.some(({ blind }) => blind.length === 0)) return [];
    const told = first.blind.map((own) => `${directionText(own)} (${fateText(own)})`).join('; ');
    return [
      {
        name: 'unseen-motion',
        location: robot.observers![i]!.location,
        message: `the measurements of the observer \`${name}\` tell nothing of ${told}: add a measurement, or leave it to the model`,
      },
    ];
  });
}

/** `seg2.q`, or `seg2.q with -0.5 seg3.q`. */
export function directionText({ coordinates: [first, ...others] }: BlindDirection): string {
  const shares = others.map(({ name, share }) => `${Number(share.toPrecision(2))} \`${name}\``);
  return `\`${first!.name}\`${shares.length > 0 ? ` with ${shares.join(', ')}` : ''}`;
}

export const fateText = ({ left }: BlindDirection): string =>
  left < 0.1 ? 'which dies out by itself, so that the model finds it' : 'which nothing leads back: the estimate drifts';

/** The start, with deviations of the size of its uncertainty, within the limits. */
function statesAside({ coordinates }: Robot, { start, uncertainty }: Observer): readonly (readonly number[])[] {
  const random = randomNumbers(1);
  return Array.from({ length: ASIDE }, () =>
    coordinates.map(({ lower = -Infinity, upper = Infinity }, i) => {
      const aside = start[i]! + (random() < 0.5 ? -1 : 1) * (0.5 + 0.5 * random()) * uncertainty[i]!;
      return Math.min(upper, Math.max(lower, aside));
    }),
  );
}

function about(
  robot: Robot,
  dynamics: LoadedRobot,
  observer: Observer,
  q: readonly number[],
): Observability | undefined {
  const n = q.length;
  const { period, uncertainty, rateUncertainty } = observer;
  const step = periodMap(dynamics, q, period);
  const H = step && measurementRows(robot, dynamics, observer, q);
  if (!step || !H) return undefined;
  const scale = Matrix.diag([...uncertainty, ...rateUncertainty]);
  const rows: Matrix[] = [H.mmul(scale)];
  let map = step;
  for (let k = 0; k <= DOUBLINGS; k++) {
    rows.push(H.mmul(map).mmul(scale));
    if (k < DOUBLINGS) map = map.mmul(map);
  }
  // Singular values, not a sum of squares: what is learnt of one direction does not hide how little is learnt of another.
  const stacked = new Matrix(rows.flatMap((own) => own.to2DArray()));
  if (stacked.to1DArray().some((x) => !Number.isFinite(x))) return undefined;
  const padded = Matrix.zeros(Math.max(stacked.rows, 2 * n), 2 * n).setSubMatrix(stacked, 0, 0);
  const { diagonal, rightSingularVectors: V } = new SingularValueDecomposition(padded);
  const after = V.mmul(Matrix.diag(diagonal.map((s) => 1 / (1 + s * s)))).mmul(V.transpose());
  const own = after.subMatrix(0, n - 1, 0, n - 1);
  const known = uncertainty.map((sigma) => !(sigma > 0));
  const { realEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(own, { assumeSymmetric: true });
  const unseen = realEigenvalues.flatMap((value, k) =>
    Math.sqrt(Math.max(0, value)) > UNSEEN ? [eigenvectorMatrix.getColumn(k)] : [],
  );
  const directions = reduced(unseen, known);
  return {
    left: uncertainty.map((_, i) => (known[i] ? 0 : Math.sqrt(Math.max(0, own.get(i, i))))),
    blind: directions.map((w) => blindDirection(robot, uncertainty, w, map)),
  };
}

/** A basis of these rows with as few coordinates in each as elimination finds, the largest share first. */
function reduced(vectors: readonly (readonly number[])[], known: readonly boolean[]): number[][] {
  // A coordinate that is known from the start has no direction.
  const left = vectors.map((v) => v.map((x, i) => (known[i] ? 0 : x))).filter((v) => Math.hypot(...v) > 0.5);
  const done: number[][] = [];
  while (left.length > 0) {
    const best = left.flatMap((v, row) => v.map((x, i) => ({ row, i, size: Math.abs(x) })));
    const { row, i } = best.reduce((a, b) => (b.size > a.size ? b : a));
    const pivot = left.splice(row, 1)[0]!;
    if (Math.abs(pivot[i]!) < 1e-6) break;
    const unit = pivot.map((x) => x / pivot[i]!);
    for (const rows of [left, done])
      rows.forEach((v, k) => {
        rows[k] = v.map((x, j) => x - v[i]! * unit[j]!);
      });
    done.push(unit);
  }
  return done;
}

/** @param w in units of the uncertainty. @param map of the state over the last of the times. */
function blindDirection(
  { coordinates }: Robot,
  uncertainty: readonly number[],
  w: readonly number[],
  map: Matrix,
): BlindDirection {
  const n = w.length;
  const largest = Math.max(...w.map(Math.abs));
  const told = w
    .flatMap((x, i) => (Math.abs(x) > SMALL * largest ? [i] : []))
    .sort((a, b) => Math.abs(w[b]!) - Math.abs(w[a]!));
  const first = w[told[0]!]! * uncertainty[told[0]!]!;
  const moved = map.mmul(Matrix.columnVector([...w.map((x, i) => x * uncertainty[i]!), ...w.map(() => 0)]));
  const size = Math.hypot(...w.map((_, i) => (uncertainty[i]! > 0 ? moved.get(i, 0) / uncertainty[i]! : 0)));
  return {
    coordinates: told.map((i) => ({ name: coordinates[i]!.name, share: (w[i]! * uncertainty[i]!) / first })),
    left: size / Math.hypot(...w.slice(0, n)),
  };
}

/** The linear map of (q, q̇) over a period, implicit as that of the filter; no inputs. */
function periodMap(dynamics: LoadedRobot, q: readonly number[], h: number): Matrix | undefined {
  const n = q.length;
  const accelerations = (at: readonly number[], qd: readonly number[]): number[] => {
    const qdd = new Float64Array(n);
    if (dynamics.update(at, qd) !== KG_OK || dynamics.forwardDynamics(new Float64Array(n), qdd) !== KG_OK)
      throw new UndefinedMotion('no accelerations');
    return [...qdd];
  };
  try {
    const rest = q.map(() => 0);
    const { byCoordinates, byRates } = accelerationDerivatives(dynamics, q, rest, {}, accelerations);
    const A = Matrix.zeros(2 * n, 2 * n);
    A.setSubMatrix(Matrix.eye(n), 0, n);
    A.setSubMatrix(byCoordinates, n, 0);
    A.setSubMatrix(byRates, n, n);
    return inverse(Matrix.sub(Matrix.eye(2 * n), A.mul(h)));
  } catch (error) {
    if (error instanceof UndefinedMotion) return undefined;
    throw error;
  }
}

/** Changes of all measured numbers with (q, q̇), over their noise. */
function measurementRows(
  { actuators }: Robot,
  dynamics: LoadedRobot,
  { measurements }: Observer,
  q: readonly number[],
): Matrix | undefined {
  const n = q.length;
  const [B, J] = [new Float64Array(n * actuators.length), new Float64Array(6 * n)];
  const rest = new Float64Array(n);
  if (dynamics.update(q, rest) !== KG_OK || dynamics.actuation(null, null, null, B) !== KG_OK) return undefined;
  const rows: number[][] = [];
  for (const measurement of measurements) {
    const { of, noise } = measurement;
    const row = (at: number, value: (i: number) => number): number[] =>
      Array.from({ length: 2 * n }, (_, i) => (i >= at && i < at + n ? value(i - at) / noise : 0));
    if (of.kind === 'position' || of.kind === 'rotation') {
      if (dynamics.frame(of.frame, null, null, J) !== KG_OK) return undefined;
      const axes = of.kind === 'position' ? of.axes.map((axis) => 3 + axis) : [0, 1, 2];
      rows.push(...axes.map((axis) => row(0, (i) => J[axis * n + i]!)));
    } else if (of.kind === 'actuator') rows.push(row(0, (i) => B[i * actuators.length + of.index]!));
    else rows.push(row(of.kind === 'rate' ? n : 0, (i) => (i === of.index ? 1 : 0)));
  }
  return new Matrix(rows);
}
