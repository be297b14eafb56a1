/** What the base hands to the links on it, as far as the robot says it, and what it reads of what they hand to it: all else is zero, or is not computed. */
import type { Robot } from '../../description/model/robot.ts';
import { directionalDerivative } from '../../symbolic/graph/differentiate.ts';
import { symbol, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { vector3 } from '../../symbolic/graph/vector.ts';
import { baseMotions } from '../equations/base-and-frames.ts';
import { QUANTITY_RECORDS } from './quantities.ts';
import type { BaseNeeds, BaseValues } from './specialise.ts';

type Base = Pick<Robot, 'base' | 'current' | 'parameters'>;

/** Gravity is known at run time. */
export function baseValues({ base, current, parameters }: Base): BaseValues {
  const gravity = vector3(['x', 'y', 'z'].map((axis) => symbol(`gravity_${axis}`)));
  const motions = baseMotions(base, gravity, current);
  const along = new Map<Expr, Expr>(parameters.map((p) => [p.symbol, symbol(`change of ${p.name}`)]));
  return Object.fromEntries(
    QUANTITY_RECORDS.flatMap((record) => {
      if (record.to === 'parent') return [];
      const values = motions[record.base].slice(Math.max(0, record.from ?? 0));
      const changes = record.tangent ? [[`${record.read}Tangent`, directionalDerivative(values, along)]] : [];
      return [[record.read, values], ...changes];
    }),
  ) as BaseValues;
}

/** Gradients by run-time parameters read derivatives by those entries of the motion of the base that depend on them. */
export function baseNeeds(robot: Base): BaseNeeds {
  const values: Partial<Record<string, readonly Expr[]>> = baseValues(robot);
  return Object.fromEntries(
    QUANTITY_RECORDS.flatMap((record): (readonly [string, readonly number[]])[] => {
      if (record.to === 'children') {
        const changes = values[`${record.read}Tangent`] ?? [];
        return record.adjoint
          ? [[`${record.read}Adjoint`, [...changes.keys()].filter((i) => changes[i] !== zero)]]
          : [];
      }
      const read = record.base === 'reads all' ? [...record.entries.keys()] : [];
      return [[record.written, read], ...(record.tangent ? [[`${record.written}Tangent`, []] as const] : [])];
    }),
  ) as unknown as BaseNeeds;
}
