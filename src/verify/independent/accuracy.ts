/** How well the integrals of bodies are asked to be known: what the generated code may differ by, and verification with it. */
import type { BodyType, Robot } from '../../description/model/robot.ts';
import { compileBodies } from '../../kane/compile.ts';

/** Of closed forms: a few roundings of terms that cancel. */
const EXACT = 1e-13;

export interface Accuracy {
  /** Relative error that integrals of a body of this type may have. */
  of(type: BodyType): number;
  /** Is any integral a sum at run time? Long sums round more than formulas do. */
  readonly hasSums: boolean;
  /** The largest of all bodies. */
  readonly worst: number;
  /** Of elastic and viscous forces of solids, which are sums whatever way the body is had; null without solids. */
  readonly solids: number | null;
  /** Of motions along rods that are integrated: 0 without such rods. */
  readonly rods: number;
}

/** Of closed forms the accuracy of numbers, of all others the tolerance that they were chosen for. */
export function accuracyOf(robot: Robot): Accuracy {
  const bodies = compileBodies(robot);
  const isClosed = (type: BodyType): boolean => bodies.get(type)?.chosen.method === 'closed form';
  const of = (type: BodyType): number => (isClosed(type) ? EXACT : Math.max(EXACT, type.integration.tolerance));
  const types = [...bodies.keys()];
  const solids = types.filter((type) => type.solids !== undefined);
  const rods = types.filter((type) => type.kinematics.kind === 'strain' && !isClosed(type));
  return {
    of,
    hasSums: types.some((type) => !isClosed(type)),
    worst: Math.max(EXACT, ...types.map(of)),
    rods: Math.max(0, ...rods.map(of)),
    solids: solids.length > 0 ? Math.max(EXACT, ...solids.map((type) => type.integration.tolerance)) : null,
  };
}
