/** The motion that a tangent stiffness resists least: what says whether an equilibrium is stable, and which way it is left. */
import { EigenvalueDecomposition, Matrix } from 'ml-matrix';
import type { Robot, RobotCoordinate } from '../../description/model/robot.ts';
import { INDIFFERENT, largest } from './balance.ts';
import type { Equilibrium } from './equilibrium.ts';

/** Beside the largest change of a motion, changes below this share are not named. */
const NAMED = 0.1;

/** Coordinates of which a softest motion mostly is, with their changes, the largest first. */
export function movingCoordinates(
  { coordinates }: Robot,
  softest: readonly number[],
): (RobotCoordinate & { readonly change: number })[] {
  return softest
    .map((change, i) => ({ ...coordinates[i]!, change }))
    .filter(({ change }) => Math.abs(change) > NAMED * largest(softest))
    .sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
}

/**
 * @param stiffness of the motions that there are, square, N m/rad, N/m or what coordinates take.
 * @param spread a motion as changes of all coordinates.
 */
export function softestMotion(
  stiffness: Matrix,
  spread: (motion: readonly number[]) => readonly number[],
): Pick<Equilibrium, 'smallestEigenvalue' | 'softest'> {
  if (stiffness.rows === 0) return { smallestEigenvalue: Infinity, softest: spread([]) };
  const symmetric = Matrix.add(stiffness, stiffness.transpose()).mul(0.5);
  const { realEigenvalues: values, eigenvectorMatrix } = new EigenvalueDecomposition(symmetric, {
    assumeSymmetric: true,
  });
  const smallest = Math.min(...values);
  const motion = spread(eigenvectorMatrix.getColumn(values.indexOf(smallest)));
  const largestChange = motion[motion.findIndex((x) => Math.abs(x) === largest(motion))]!;
  const unit = Math.sign(largestChange) / Math.hypot(...motion);
  return {
    smallestEigenvalue: Math.abs(smallest) < INDIFFERENT * largest(values) ? 0 : smallest,
    softest: motion.map((x) => unit * x),
  };
}
