/**
 * What a driver computes itself, beside calling links: motions of the base, poses of frames, columns of Jacobians. Programs
 * like those of links, from `kane/equations/ends.ts`.
 */
import { baseMotions, columnAtPoint, motionOfFrame, wrenchOnLink, type BaseMotion } from '../../kane/equations/ends.ts';
import { symbol, type Expr, type SymbolExpr } from '../../symbolic/expr.ts';
import { freeSymbols } from '../../symbolic/traverse.ts';
import { composeFrames, frameEntries, frameFromEntries, transpose, type Vector3 } from '../../symbolic/vector.ts';
import type { RobotModel } from '../modules/robot-model.ts';
import { FRAME_PLACES } from '../modules/workspace.ts';
import { OperationGraph } from '../programs/operation-graph.ts';
import { buildProgram, type Program } from '../programs/program.ts';

const named = (name: string, count: number): readonly SymbolExpr[] =>
  Array.from({ length: count }, (_, i) => symbol(`driver.${name}_${i}`));

interface Buffer {
  readonly buffer: string;
  readonly symbols: readonly SymbolExpr[];
}

interface Result {
  readonly buffer: string;
  readonly values: readonly Expr[];
  /** Place of the first number. */
  readonly from?: number;
  readonly optional?: true;
}

function programOf(name: string, inputs: readonly Buffer[], results: readonly Result[]): Program {
  const declarations = inputs.flatMap(({ buffer, symbols }) =>
    symbols.map((own, index) => ({ symbol: own, place: { buffer, index }, stage: 1 as const })),
  );
  const graph = new OperationGraph(
    results.flatMap(({ values }) => [...values]),
    declarations,
  );
  const source = {
    name,
    reads: inputs.map(({ buffer }) => buffer),
    writes: results.map(({ buffer }) => buffer),
    outputs: results.flatMap(({ buffer, values, from = 0, optional }) =>
      values.map((value, index) => ({
        place: { buffer, index: from + index },
        value: graph.of(value),
        ...(optional && { optional }),
      })),
    ),
    ready: new Map(),
  };
  return buildProgram(source, graph);
}

const gravity: Buffer = { buffer: 'gravity', symbols: named('gravity', 3) };
const basePose: Buffer = { buffer: 'basePose', symbols: named('base', 12) };

/** `gravity` and, where it depends on run-time parameters, `basePose` → the `base`'s block. */
export function baseProgram({ robot }: RobotModel, motion: BaseMotion): Program {
  const isFixed = freeSymbols(frameEntries(robot.base)).length === 0;
  const base = isFixed ? robot.base : frameFromEntries(basePose.symbols);
  const values = baseMotions(base, gravity.symbols as unknown as Vector3)[motion];
  const from = motion === 'velocity' ? FRAME_PLACES.velocity : FRAME_PLACES.motion;
  return programOf(motion, [gravity, basePose], [{ buffer: 'base', values, from }]);
}

/** `pose` of a link, `offset` of a frame on it → `R` and `t` where they are wanted, `point`: the frame's origin again. */
export function frameProgram(): Program {
  const [pose, offset] = [named('pose', 12), named('offset', 12)];
  const { rotation, translation } = composeFrames(frameFromEntries(pose), frameFromEntries(offset));
  const inputs = [
    { buffer: 'pose', symbols: pose },
    { buffer: 'offset', symbols: offset },
  ];
  return programOf('frame', inputs, [
    { buffer: 'point', values: translation },
    { buffer: 'R', values: rotation, optional: true },
    { buffer: 't', values: translation, optional: true },
  ]);
}

/** `pose` of a link, `offset` of a frame on it, `wrench` on the frame → `own`: that on the link, in its block. */
export function wrenchProgram(axes: 'world' | 'frame'): Program {
  const [pose, offset, wrench] = [named('pose', 12), named('offset', 12), named('wrench', 6)];
  const frame = frameFromEntries(offset);
  const turn = axes === 'world' ? transpose(frameFromEntries(pose).rotation) : frame.rotation;
  const inputs = [
    { buffer: 'pose', symbols: pose },
    { buffer: 'offset', symbols: offset },
    { buffer: 'wrench', symbols: wrench },
  ];
  const values = wrenchOnLink(turn, frame.translation, wrench);
  return programOf('wrench', inputs, [{ buffer: 'own', values }]);
}

/** `pose` of a link, `offset` of a frame on it, `drift` of the link → `velocity` and `bias` of the frame, where wanted. */
export function motionProgram(): Program {
  const [pose, offset, drift] = [named('pose', 12), named('offset', 12), named('drift', 12)];
  const { velocity, bias } = motionOfFrame(
    frameFromEntries(pose).rotation,
    frameFromEntries(offset).translation,
    drift,
  );
  const inputs = [
    { buffer: 'pose', symbols: pose },
    { buffer: 'offset', symbols: offset },
    { buffer: 'drift', symbols: drift },
  ];
  return programOf('motion', inputs, [
    { buffer: 'velocity', values: velocity, optional: true },
    { buffer: 'bias', values: bias, optional: true },
  ]);
}

/** `column` of a link's Jacobian, `point` → column of `J`. */
export function columnProgram(): Program {
  const [column, point] = [named('column', 6), named('point', 3)];
  const inputs = [
    { buffer: 'column', symbols: column },
    { buffer: 'point', symbols: point },
  ];
  return programOf('column', inputs, [{ buffer: 'J', values: columnAtPoint(column, point as unknown as Vector3) }]);
}
