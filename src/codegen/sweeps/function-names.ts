/** Names of the driver's own functions, in camel case. */
import type { BaseMotion } from '../../kane/equations/base-and-frames.ts';
import type { FormulaName, ReachName } from './actuator-functions.ts';
import type { SweepName } from './sweeps.ts';

export const sweepFunction = (name: SweepName): string => `${name}Links`;
export const baseFunction = (motion: BaseMotion): string =>
  `setBase${motion.charAt(0).toUpperCase()}${motion.slice(1)}`;

export const reachFunction = (name: ReachName): string => `reach${name.charAt(0).toUpperCase()}${name.slice(1)}`;

export const applyFunction = (axes: 'world' | 'frame'): string => (axes === 'world' ? 'applyInWorld' : 'applyInFrame');

export const applyTangentFunction = (axes: 'world' | 'frame', kind: 'Tangent' | 'Variation' = 'Tangent'): string =>
  applyFunction(axes).replace('apply', `apply${kind}`);

export const formulaFunction = (name: FormulaName): string => `formula${name.charAt(0).toUpperCase()}${name.slice(1)}`;

export const holdLoadFunction = (axes: 'world' | 'frame'): string =>
  axes === 'world' ? 'holdLoadInWorld' : 'holdLoadInFrame';
