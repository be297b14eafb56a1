/**
 * How a robot stands at its defaults, asked of its generated dynamics: where its tip is, how far it sags under its weight and how fast it
 * swings, by the linear estimate there; and what has no mass to move.
 */
import { CholeskyDecomposition, EigenvalueDecomposition, Matrix, inverse } from 'ml-matrix';
import type { LoadedRobot } from '../../codegen/typescript/load.ts';
import type { Link, Robot } from '../../description/model/robot.ts';
import type { Warning } from '../../description/model/warnings.ts';
import { KG_OK, KG_SINGULAR } from '../../runtime/driver.ts';
import { tangentStiffness } from '../equilibria/derivatives.ts';

export interface SmallMotions {
  /** Index of the frame that is looked at: the robot's tip, of several branches the end that is farthest from the base. */
  readonly frame: number;
  /** Where it is, world axes, m. */
  readonly tip: readonly number[];
  /** Of the coordinates with stiffness, others held; none where there are none, or no finite numbers. */
  readonly elastic?: ElasticMotion;
}

interface ElasticMotion {
  /** Displacement of the tip under the weight: K δq = −(g + elastic) at the defaults; world axes, m. */
  readonly sag: readonly number[];
  /** The lowest of K x = (2π f)² M x, Hz; 0 where the robot does not stand: K is not positive definite. */
  readonly frequency: number;
  /** The coordinate that moves most in it, by its share of the energy. */
  readonly coordinate: string;
  /** Are there coordinates without stiffness, which are taken to be held? */
  readonly holdsOthers: boolean;
}

/** Share of the mass of a robot, at the length of a metre, below which what moves is rounding. */
const NO_MASS = 1e-18;
/** From the defaults, where directions may happen to be without mass. */
const ASIDE = 0.1;

/**
 * @param dynamics of `robot`, run-time parameters at their defaults.
 * @param base where it stands, world axes, m.
 */
export function smallMotions(robot: Robot, dynamics: LoadedRobot, base: readonly number[]): SmallMotions {
  const n = dynamics.coordinates;
  const q = robot.coordinates.map(({ value }) => value);
  const tip = new Float64Array(3);
  const jacobian = new Float64Array(6 * n);
  const status = dynamics.update(q, new Float64Array(n));
  const reach = (frame: number): number =>
    dynamics.frame(frame, null, tip, null) === KG_OK ? Math.hypot(...tip.map((x, i) => x - base[i]!)) : -1;
  const frame = endsOf(robot).reduce((best, own) => (reach(own) > reach(best) ? own : best), robot.tip);
  if (status !== KG_OK || dynamics.frame(frame, null, tip, jacobian) !== KG_OK) return { frame, tip: [NaN, NaN, NaN] };
  // Of a tree whose loops are open at the defaults, motions are not those of the robot.
  const elastic = robot.loops ? undefined : elasticMotion(robot, dynamics, q, jacobian);
  return { frame, tip: [...tip], ...(elastic && { elastic }) };
}

/** Frames of the links that others do not hang on, where there are several. */
function endsOf({ links, frames }: Robot): readonly number[] {
  const held = new Set(links.map(({ parent }) => parent));
  const ends = links.flatMap(({ name }, i) => (held.has(i) ? [] : [frames.findIndex((own) => own.name === name)]));
  const known = ends.filter((frame) => frame >= 0);
  return known.length > 1 ? known : [];
}

class NoNumbers extends Error {}

function demand(status: number): void {
  if (status !== KG_OK) throw new NoNumbers('no finite numbers at the defaults');
}

function elasticMotion(
  robot: Robot,
  dynamics: LoadedRobot,
  q: readonly number[],
  jacobian: Float64Array,
): ElasticMotion | undefined {
  const n = q.length;
  const still = new Float64Array(n);
  const forces = (at: readonly number[]): number[] => {
    const tau = new Float64Array(n);
    demand(dynamics.update(at, still));
    demand(dynamics.activeInverseDynamics(still, tau));
    return [...tau];
  };
  try {
    const resting = forces(q);
    const [own, mass] = [new Float64Array(n * n), new Float64Array(n * n)];
    demand(dynamics.stiffness(own));
    demand(dynamics.massMatrix(mass));
    const free = q.flatMap((_, i) => (own[i * n + i]! > 0 && mass[i * n + i]! > 0 ? [i] : []));
    if (free.length === 0) return undefined;
    const whole = tangentStiffness(dynamics, q, {}, forces, demand);
    const K = new Matrix(free.map((i) => free.map((j) => (whole.get(i, j) + whole.get(j, i)) / 2)));
    const M = new Matrix(free.map((i) => free.map((j) => mass[i * n + j]!)));
    const mode = lowestMode(K, M);
    const displaced = inverse(K, true)
      .mul(-1)
      .mmul(Matrix.columnVector(free.map((i) => resting[i]!)));
    const sag = [3, 4, 5].map((row) =>
      free.reduce((sum, i, k) => sum + jacobian[row * n + i]! * displaced.get(k, 0), 0),
    );
    return {
      sag,
      frequency: Math.sqrt(Math.max(0, mode.square)) / (2 * Math.PI),
      coordinate: robot.coordinates[free[mode.index]!]!.name,
      holdsOthers: free.length < n,
    };
  } catch (error) {
    if (error instanceof NoNumbers) return undefined;
    throw error;
  }
}

/** The smallest λ of K x = λ M x, and which entry of x has the most of xᵀ M x. */
function lowestMode(K: Matrix, M: Matrix): { readonly square: number; readonly index: number } {
  const cholesky = new CholeskyDecomposition(M);
  if (!cholesky.isPositiveDefinite()) throw new NoNumbers('M is singular');
  const L = cholesky.lowerTriangularMatrix;
  const lower = inverse(L);
  const { realEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(lower.mmul(K).mmul(lower.transpose()), {
    assumeSymmetric: true,
  });
  const first = realEigenvalues.indexOf(Math.min(...realEigenvalues));
  const x = lower.transpose().mmul(eigenvectorMatrix.getColumnVector(first));
  const energies = x.to1DArray().map((value, i) => value * M.getRow(i).reduce((sum, m, j) => sum + m * x.get(j, 0), 0));
  return { square: realEigenvalues[first]!, index: energies.indexOf(Math.max(...energies)) };
}

const isOfBody = ({ name: link, body }: Link, name: string): boolean =>
  body.kind === 'deformable' && body.type.coordinates.some((own) => name === `${link}.${own.name}`);

/**
 * Coordinates that move no mass at all, or else a link whose coordinates have no acceleration at the defaults. None of kinds that are
 * silenced.
 */
export function suspectMasses(robot: Robot, dynamics: LoadedRobot, mass: number): readonly Warning[] {
  return massesInDoubt(robot, dynamics, mass).filter(({ name }) => !(robot.silenced ?? []).includes(name));
}

function massesInDoubt(robot: Robot, dynamics: LoadedRobot, mass: number): Warning[] {
  const n = dynamics.coordinates;
  const still = new Float64Array(n);
  const q = robot.coordinates.map(({ value }) => value);
  const aside = robot.coordinates.map(({ value, lower = -Infinity, upper = Infinity }, i) =>
    Math.min(upper, Math.max(lower, value + ASIDE * (1 + (i % 3)) * (upper - value > ASIDE ? 1 : -1))),
  );
  const diagonals = [q, aside].map((at) => {
    const M = new Float64Array(n * n);
    const isKnown = dynamics.update(at, still) === KG_OK && dynamics.massMatrix(M) === KG_OK;
    return q.map((_, i) => (isKnown ? M[i * n + i]! : Infinity));
  });
  const idle = robot.coordinates.flatMap((coordinate, i) =>
    diagonals.every((diagonal) => Math.abs(diagonal[i]!) <= NO_MASS * mass) ? [coordinate] : [],
  );
  if (idle.length > 0)
    return [...new Set(idle.map(({ link }) => link))].map((link) => {
      const own = idle.flatMap((coordinate) => (coordinate.link === link ? [coordinate.name] : []));
      const [moves, them] = own.length === 1 ? ['moves', 'it'] : ['move', 'them'];
      const remedy = own.every((name) => isOfBody(robot.links[link]!, name))
        ? `use ${them} in the formulas that place the material, or leave ${them} out`
        : 'give the bodies behind a mass, or make the joint fixed';
      return {
        name: 'moves-no-mass',
        location: robot.links[link]!.location,
        message: `${own.map((name) => `\`${name}\``).join(', ')} ${moves} no mass: forces determine no accelerations there; ${remedy}`,
      };
    });
  if (dynamics.update(q, still) !== KG_OK || dynamics.forwardDynamics(still, new Float64Array(n)) !== KG_SINGULAR)
    return [];
  const link = robot.links[dynamics.singularLink()]!;
  return [
    {
      name: 'singular-mass-matrix',
      location: link.location,
      message: `the mass matrix is singular at the defaults, by the coordinates of \`${link.name}\`: forces determine no accelerations there; start runs from another state`,
    },
  ];
}
