/**
 * What generated code says of frames, held against their Jacobians (which the independent evaluation checks): the work of wrenches,
 * the twist, and its derivative along a path of constant rates.
 */
import { alongPath, derivative, TOLERANCE, type LawContext, type MeasuredState } from './laws.ts';
import { takeTime } from '../../codegen/modules/evaluation.ts';
import type { LoadedRobot } from '../../codegen/typescript/load.ts';

export const FRAME_LAWS = {
  loads: 'wrenches on frames do the work Jᵀw',
  twist: 'frames move by J q̇',
  bias: 'd/dt of the motion of frames at q̈ = 0',
} as const;

/** Frames beyond are as many times the same. */
const MOST_FRAMES = 12;
/** About the size of what is compared; no two entries are alike. */
const WRENCH = [0.7, -0.4, 0.9, 1.1, 0.6, -0.8];

const vector = (size: number): Float64Array => new Float64Array(size);

function frames({ robot }: Pick<LawContext, 'robot'>): number[] {
  const count = robot.frames.length;
  const every = Math.ceil(count / MOST_FRAMES);
  return robot.frames.flatMap((_, i) => (i % every === 0 || i === robot.tip ? [i] : []));
}

function stage(dynamics: LoadedRobot, q: readonly number[], qd: readonly number[], t: number | undefined): void {
  takeTime(dynamics.parameters, t === undefined ? {} : { t });
  dynamics.update(q, qd);
}

/** At a state: the work of wrenches, and without explicit time the twist. */
export function checkFrames(context: LawContext, state: MeasuredState): void {
  const { ledger, dynamics, robot, rounding } = context;
  const { q, qd, t } = state;
  const n = q.length;
  stage(dynamics, q, qd, t);
  for (const index of frames(context)) {
    const [R, place, J, twist] = [vector(9), vector(3), vector(6 * n), vector(6)];
    dynamics.frame(index, R, place, J);
    const turned = [0, 3].flatMap((part) =>
      [0, 1, 2].map((i) => [0, 1, 2].reduce((sum, j) => sum + R[3 * i + j]! * WRENCH[part + j]!, 0)),
    );
    const name = `${robot.frames[index]!.name}, ${state.name}`;
    for (const [call, world] of [
      ['external', WRENCH],
      ['externalInFrame', turned],
    ] as const) {
      const tau = vector(n);
      dynamics[call](index, WRENCH, tau);
      for (let a = 0; a < n; a++) {
        const parts = world.map((w, i) => J[n * i + a]! * w);
        const difference = parts.reduce((sum, part) => sum - part, tau[a]!);
        const scale = parts.reduce((sum, part) => sum + Math.abs(part), LEAST);
        ledger.note(
          FRAME_LAWS.loads,
          rounding * TOLERANCE.identity,
          Math.abs(difference) / scale,
          `${call} ${a}, ${name}`,
        );
      }
    }
    if (t !== undefined) continue;
    dynamics.frameMotion(index, twist, null);
    const parts = Array.from(twist, (_, i) => qd.map((rate, a) => J[n * i + a]! * rate));
    const sizes = parts.map((own) => own.reduce((sum, part) => sum + Math.abs(part), LEAST));
    // Entries that cancel, or vanish about a turned axis, are sums and differences of products of this size.
    const [turning, moving] = [Math.max(...sizes.slice(0, 3)), Math.max(...sizes.slice(3))];
    const scales = [turning, moving + turning * Math.max(...place.map(Math.abs))];
    for (let i = 0; i < 6; i++) {
      const difference = parts[i]!.reduce((sum, part) => sum - part, twist[i]!);
      const scale = scales[i < 3 ? 0 : 1]!;
      ledger.note(FRAME_LAWS.twist, rounding * TOLERANCE.identity, Math.abs(difference) / scale, `entry ${i}, ${name}`);
    }
  }
}

/** m, or rad: smaller motions of frames are rounding. */
const LEAST = 1e-3;

/** Along the path through a state at constant rates, which must stay within limits and domains. */
export function checkFrameBias(context: LawContext, state: MeasuredState): void {
  const { ledger, dynamics, robot, rounding, quotient } = context;
  const { qd, t: time } = state;
  const steady = { ...state, qdd: qd.map(() => 0) };
  for (const index of frames(context)) {
    const bias = vector(6);
    stage(dynamics, state.q, qd, time);
    dynamics.frameMotion(index, null, bias);
    const known = new Map<number, Float64Array>();
    const twistAt = (seconds: number): Float64Array => {
      const before = known.get(seconds);
      if (before) return before;
      stage(dynamics, alongPath(steady, seconds), qd, time === undefined ? undefined : time + seconds);
      const twist = vector(6);
      dynamics.frameMotion(index, twist, null);
      known.set(seconds, twist);
      return twist;
    };
    const speed = Math.max(...twistAt(0).map(Math.abs));
    const scale = Math.max(...bias.map(Math.abs)) + speed + LEAST;
    for (let i = 0; i < 6; i++) {
      const difference = derivative((seconds) => twistAt(seconds)[i]!) - bias[i]!;
      const tolerance = Math.max(quotient, rounding * 1e-10);
      const where = `entry ${i}, ${robot.frames[index]!.name}, ${state.name}`;
      ledger.note(FRAME_LAWS.bias, tolerance, Math.abs(difference) / scale, where);
    }
  }
}
