/**
 * Generated code run at states, in either target: what `kanegen evaluate` prints and what every comparison reads.
 */
import { loadGenerated, type LoadedRobot } from '../codegen/load.ts';
import { generateTypeScript } from '../codegen/typescript.ts';
import type { Robot } from '../description/robot.ts';
import type { CompiledRobot } from '../kane/link-type.ts';

export interface State {
  readonly q: readonly number[];
  readonly qd: readonly number[];
  readonly qdd: readonly number[];
}

/** Terms of τ = M q̈ + c + g at one state; SI units, world axes, matrices by rows. */
export interface Evaluation {
  readonly M: readonly (readonly number[])[];
  readonly c: readonly number[];
  readonly g: readonly number[];
  readonly tau: readonly number[];
  readonly elastic: readonly number[];
  readonly damping: readonly number[];
  /** J */
  readonly kinetic_energy: number;
  /** J, zero for mass at the world origin. */
  readonly potential_energy: number;
  readonly tip_position: readonly number[];
  readonly tip_rotation: readonly (readonly number[])[];
}

/** Runs the generated TypeScript, imported in memory. */
export async function evaluateTypeScript(
  robot: Robot,
  compiled: CompiledRobot,
  states: readonly State[],
): Promise<Evaluation[]> {
  const create = await loadGenerated(await generateTypeScript(robot, compiled));
  const dynamics = create();
  return states.map((state) => evaluateState(dynamics, robot.tip, state));
}

/** One state through the staged interface of a loaded robot. */
export function evaluateState(dynamics: LoadedRobot, tip: number, state: State): Evaluation {
  const n = dynamics.coordinates;
  const vector = (): Float64Array => new Float64Array(n);
  const [tau, c, g, elastic, damping] = [vector(), vector(), vector(), vector(), vector()] as const;
  const M = new Float64Array(n * n);
  const [R, t, energies] = [new Float64Array(9), new Float64Array(3), new Float64Array(2)] as const;
  dynamics.update(state.q, state.qd);
  dynamics.terms(c, g, elastic, damping);
  dynamics.inverseDynamicsAndMassMatrix(state.qdd as number[], tau, M);
  dynamics.frame(tip, R, t, null);
  dynamics.energies(energies);
  return {
    M: rows(M, n),
    c: [...c],
    g: [...g],
    tau: [...tau],
    elastic: [...elastic],
    damping: [...damping],
    kinetic_energy: energies[0]!,
    potential_energy: energies[1]!,
    tip_position: [...t],
    tip_rotation: rows(R, 3),
  };
}

export function rows(values: ArrayLike<number>, width: number): number[][] {
  return Array.from({ length: values.length / Math.max(width, 1) }, (_, r) =>
    Array.from({ length: width }, (__, c) => values[r * width + c]!),
  );
}
