/**
 * What the arms of ten tendons do behind their tip while operational-space control holds its pose: eigenvalues of the linear motion about the
 * straight arm, by the law with (J inv(M) B)^+ that leads the tip exactly, and by the printed one, B^+ J^T inv(J inv(M) J^T). Minutes.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { EigenvalueDecomposition, inverse, Matrix, pseudoInverse } from 'ml-matrix';
import { describe, expect, it } from 'vitest';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { startRobot } from '../../src/verify/generated/evaluation.ts';

const FULL = process.env['KANEGEN_FULL'] === '1';
/** 1/s² and 1/s, of the error of the tip. */
const [KP, KD] = [10_000, 1_000];

interface Growth {
  readonly exact: number;
  readonly printed: number;
}

/** Largest real parts. */
async function growth(size: number): Promise<Growth> {
  const file = `arm-${size}.robot.yaml`;
  const text = readFileSync(path.join(import.meta.dirname, '../../examples/scenarios', file), 'utf8');
  const robot = loadRobotText(text.replace(/integration: \{[^}]*\}/, 'integration: { points: 12 }'), file);
  const running = await startRobot(robot, compileRobot(robot), { target: 'ts', precision: 'double' });
  const still = Array.from({ length: size }, () => 0);
  const [at] = await running.evaluateAll([{ q: still, qd: still, qdd: still }]);
  await running.dispose();
  const { M, B, stiffness, dissipation } = at!.terms;
  const [mass, K, D, drive] = [M, stiffness, dissipation, B].map((e) => new Matrix(e!)) as [
    Matrix,
    Matrix,
    Matrix,
    Matrix,
  ];
  const J = new Matrix(at!.further.tipJacobian);
  const mobility = inverse(mass);
  const fastest = (distribution: Matrix): number => {
    // u = distribution [-kp J q - kd J q̇ + J inv(M) (K q + D q̇)]
    const part = (gain: number, resisting: Matrix): Matrix =>
      mobility.mmul(
        drive
          .mmul(distribution)
          .mmul(Matrix.add(Matrix.mul(J, -gain), J.mmul(mobility).mmul(resisting)))
          .sub(resisting),
      );
    const system = Matrix.zeros(2 * size, 2 * size);
    system.setSubMatrix(Matrix.eye(size), 0, size);
    system.setSubMatrix(part(KP, K), size, 0);
    system.setSubMatrix(part(KD, D), size, size);
    return Math.max(...new EigenvalueDecomposition(system).realEigenvalues);
  };
  const task = inverse(J.mmul(mobility).mmul(J.transpose()));
  return {
    exact: fastest(pseudoInverse(J.mmul(mobility).mmul(drive))),
    printed: fastest(pseudoInverse(drive).mmul(J.transpose()).mmul(task)),
  };
}

describe.skipIf(!FULL)('tip-pose control of an arm with ten tendons', { timeout: 900_000 }, () => {
  it('leaves ten coordinates stable behind the tip', async () => {
    const { exact } = await growth(10);
    expect(exact).toBeLessThan(-2.5);
  });

  it('drives sixteen apart behind a tip that it holds; the printed law does not', async () => {
    const { exact, printed } = await growth(16);
    expect(exact).toBeGreaterThan(1_000);
    expect(printed).toBeLessThan(-3.5);
  });
});
