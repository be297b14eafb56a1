/** Energy of loops of a run: what those that give way store and lose, and the work of those that follow the time. */
import type { YieldNumbers } from '../../description/model/loop.ts';
import type { Robot } from '../../description/model/robot.ts';

const rowsOf = ({ loops = [] }: Pick<Robot, 'loops'>): readonly NonNullable<Robot['loops']>[number]['rows'][number][] =>
  loops.flatMap(({ rows }) => rows);

/** Do loops store or lose energy, or do work? */
export function exchangesEnergy(robot: Pick<Robot, 'loops'>): boolean {
  return (robot.loops ?? []).some(({ time, rows }) => time ?? rows.some(({ yields }) => yields));
}

/** @param phi residuals of all rows. @returns J. */
export function storedInLoops(
  robot: Pick<Robot, 'loops'>,
  numbers: readonly YieldNumbers[],
  phi: ArrayLike<number>,
): number {
  return rowsOf(robot).reduce((sum, { isRope }, j) => {
    const open = isRope ? Math.max(0, phi[j]!) : phi[j]!;
    return numbers[j]!.compliance > 0 ? sum + (open * open) / (2 * numbers[j]!.compliance) : sum;
  }, 0);
}

/**
 * W: multipliers take −λ φ̇ of the motion and of what leads the loops; what is not stored is lost. Loops that follow the time
 * put in −λ ∂φ/∂t.
 * @param own a number a row: residuals, their rates, the part J q̇ of these, multipliers.
 */
export function powerOfLoops(
  robot: Pick<Robot, 'loops'>,
  numbers: readonly YieldNumbers[],
  own: Readonly<Record<'phi' | 'rate' | 'moved' | 'lambda', ArrayLike<number>>>,
): { readonly work: number; readonly dissipated: number } {
  const { phi, rate, moved, lambda } = own;
  let [work, dissipated] = [0, 0];
  rowsOf(robot).forEach(({ isRope }, j) => {
    const compliance = numbers[j]!.compliance;
    const open = isRope ? Math.max(0, phi[j]!) : phi[j]!;
    if (compliance > 0) dissipated -= (lambda[j]! + open / compliance) * rate[j]!;
    work += lambda[j]! * (moved[j]! - (compliance > 0 ? rate[j]! : 0));
  });
  return { work, dissipated };
}
