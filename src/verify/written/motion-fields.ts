/** Where the material points of a body go, and how they move, by difference quotients of their places in double-double arithmetic. */
import type { Decimal } from 'decimal.js';
import type { BodyType } from '../../description/model/robot.ts';
import { decimalOfPrecision, exactDecimal } from '../../symbolic/evaluation/evaluate.ts';
import {
  combineRow,
  differenceQuotient,
  FIRST_DERIVATIVE,
  OFFSETS,
  SECOND_DERIVATIVE,
  STEP,
} from '../arithmetic/columns.ts';
import { result } from '../arithmetic/double-double.ts';
import { displaced, type MaterialField, type Placement } from './material-field.ts';
import type { Scalars } from './material-points.ts';

const Coarse = decimalOfPrecision(40);

/** Numbers of a placement after a difference quotient: points per volume (3 arrays each), distal frame. */
export interface Difference {
  readonly points: readonly (readonly Float64Array[])[];
  readonly distal: readonly Decimal[] | undefined;
}

/** Positions, ∂/∂q_a, ṗ and p̈ with accelerations zero, of all points. */
export function motionFields(
  type: BodyType,
  parameters: Scalars,
  field: Pick<MaterialField, 'place'>,
  q: readonly Decimal[],
  qd: readonly Decimal[],
  time: number,
): readonly Difference[] {
  const at = (direction: readonly number[], seconds: number, factor: number): Placement =>
    field.place(displaced(type, parameters, q, direction, time, seconds, factor * STEP));
  const still = q.map(() => 0);
  const value = at(still, 0, 0);
  const around = (direction: readonly number[], seconds: number): Placement[] =>
    OFFSETS.map((factor) => at(direction, seconds, factor));
  const partials = q.map((_, a) => {
    const unit = q.map((__, b) => (a === b ? 1 : 0));
    return quotient(around(unit, 0), FIRST_DERIVATIVE, STEP);
  });
  const velocity = qd.map((x) => x.toNumber());
  const path = around(velocity, 1);
  return [
    quotient([value], [12], 1),
    ...partials,
    quotient(path, FIRST_DERIVATIVE, STEP),
    quotient([...path, value], SECOND_DERIVATIVE, STEP * STEP),
  ];
}

/** Σ weights · placements / (12 divisor), formed in double-double. */
function quotient(placements: readonly Placement[], twelfths: readonly number[], divisor: number): Difference {
  const [model] = placements as readonly [Placement];
  const points = model.points.map((axes, volume) =>
    axes.map((_, axis) =>
      differenceQuotient(
        placements.map((placement) => placement.points[volume]![axis]!),
        twelfths,
        divisor,
      ),
    ),
  );
  const distal = model.distal?.map((_, i) => {
    combineRow(
      placements.map((placement) => placement.distal![i]!),
      twelfths,
      0,
    );
    const { high, low } = result;
    if (!Number.isFinite(high)) return new Coarse(NaN);
    return exactDecimal(high, Coarse).plus(exactDecimal(low, Coarse)).div(divisor);
  });
  return { points, distal };
}
