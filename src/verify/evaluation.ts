/**
 * Generated code run at states, in either target: what `kanegen evaluate` prints and what every comparison reads.
 */
import { buildEvaluator } from '../codegen/build-c.ts';
import type { State, StateResult } from '../codegen/evaluation.ts';
import type { TargetName } from '../codegen/folder.ts';
import { loadGenerated, type LoadedRobot } from '../codegen/load.ts';
import { generateTypeScript } from '../codegen/typescript.ts';
import type { Robot } from '../description/robot.ts';
import type { CompiledRobot } from '../kane/link-type.ts';

export type { State } from '../codegen/evaluation.ts';

/** Terms of τ = M q̈ + c + g at one state; SI units, world axes, matrices by rows. */
export type Evaluation = StateResult;

export type Precision = 'double' | 'single';

export interface EvaluationOptions {
  readonly target: TargetName;
  /** `single` for the target `c` only. */
  readonly precision: Precision;
}

/**
 * Generates, builds and runs the code of a robot: TypeScript imported in memory, C by the system's compiler.
 * @throws CompilerError when there is no C compiler.
 */
export async function evaluateRobot(
  robot: Robot,
  compiled: CompiledRobot,
  states: readonly State[],
  { target, precision }: EvaluationOptions,
): Promise<Evaluation[]> {
  if (target === 'ts') {
    const create = await loadGenerated(await generateTypeScript(robot, compiled));
    const dynamics = create();
    return states.map((state) => evaluateState(dynamics, robot.tip, state));
  }
  const program = await buildEvaluator(robot, compiled, { precision });
  try {
    return await program.evaluate(states);
  } finally {
    await program.dispose();
  }
}

/** One state through the staged interface of a loaded robot. @param tip index of the frame to report. */
export function evaluateState(dynamics: LoadedRobot, tip: number, state: State): Evaluation {
  const n = dynamics.coordinates;
  const vector = (): Float64Array => new Float64Array(n);
  const [tau, c, g, elastic, damping] = [vector(), vector(), vector(), vector(), vector()] as const;
  const M = new Float64Array(n * n);
  const [R, t, energies] = [new Float64Array(9), new Float64Array(3), new Float64Array(2)] as const;
  dynamics.update(state.q, state.qd);
  dynamics.terms(c, g, elastic, damping);
  dynamics.inverseDynamicsAndMassMatrix(state.qdd, tau, M);
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

/** A row-major array as a matrix of `width` columns. */
export function rows(values: ArrayLike<number>, width: number): number[][] {
  return Array.from({ length: values.length / Math.max(width, 1) }, (_, r) =>
    Array.from({ length: width }, (__, c) => values[r * width + c]!),
  );
}
