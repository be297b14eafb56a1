/** Measurements that count operations: exact, and guarded by baseline.json. */
import { controllerCounts } from './controllers.ts';
import { derivativeCounts } from './derivatives.ts';
import { dualityCounts } from './duality.ts';
import { forceCounts } from './forces.ts';
import { forwardDynamicsCounts, massMatrixCounts } from './forward-dynamics.ts';
import { growthCounts } from './growth.ts';
import { implicitCounts } from './implicit-strains.ts';
import { loopCounts } from './loops.ts';
import { operationCounts } from './operations.ts';
import type { Measurement, RowName } from './row.ts';
import { termCounts } from './terms-between-links.ts';

/** @param wanted rows. */
export function countMeasurements(wanted: (name: RowName) => boolean): readonly Measurement[] {
  const counts = [
    operationCounts,
    derivativeCounts,
    forwardDynamicsCounts,
    massMatrixCounts,
    growthCounts,
    forceCounts,
    controllerCounts,
    termCounts,
    loopCounts,
    implicitCounts,
    dualityCounts,
  ];
  return counts.map((measurement) => measurement(wanted));
}
