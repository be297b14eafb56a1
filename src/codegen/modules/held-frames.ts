/**
 * Frames of loops as the tree leaves them: entries of their poses, of their places on links and of the motions of these that are zero or
 * one in every state. Loops over frames that are alike there share their code, in which nothing else is left.
 */
import { heldSymbols } from '../../description/model/frame-terms.ts';
import { baseMotions, motionOfFrame, wrenchOnLink } from '../../kane/equations/base-and-frames.ts';
import { ratesOf, type FrameTerm } from '../../kane/equations/frame-terms.ts';
import type { OutputBuffer } from '../../kane/kernels/link-functions.ts';
import { one, symbols, zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { substitute } from '../../symbolic/graph/traverse.ts';
import { composeFrames, frameEntries, frameFromEntries, transpose, vector3 } from '../../symbolic/graph/vector.ts';
import { loopTime, type RobotModel } from './robot-model.ts';

/**
 * What is read of frame k, 12 numbers each: the pose of its link in world axes, its offset there (rotation row-major, origin in m), and the
 * motion of its link in own axes without accelerations of coordinates (ω, v, α, a).
 */
const PARTS = ['pose', 'offset', 'drift'] as const;
type Entries = Readonly<Record<(typeof PARTS)[number], readonly Expr[]>>;

const named = (name: string, count: number): readonly SymbolExpr[] => symbols(`held.${name}`, count);

/** Rows over the same frames. */
export interface ClosureForm {
  readonly closure: readonly FrameTerm[];
  readonly residuals: readonly Expr[];
  /** Rates of all rows, then their second derivatives where coordinates do not accelerate. */
  readonly rates: readonly Expr[];
  /** Of unit multipliers on the links of the frames: frame by frame, row by row, about the origins of links in their axes. */
  readonly wrenches: readonly Expr[];
  /** Buffers `pose0`, `offset0`, `drift0`, `pose1`, … */
  readonly inputs: readonly { readonly buffer: string; readonly symbols: readonly SymbolExpr[] }[];
}

export interface ClosureForms {
  readonly forms: readonly ClosureForm[];
  /** Of loops, in their order: indices of forms. */
  readonly ofLoops: readonly number[];
}

export function closureForms(model: RobotModel): ClosureForms {
  const { reaching } = model;
  const time = loopTime(model);
  const known = new Map<string, number>();
  const forms: ClosureForm[] = [];
  const ofLoops = (reaching?.loops ?? []).map((loop) => {
    const frames = loop.places.map((place, k) => entriesOf(model, place, k));
    const ids = frames.flatMap((entries) => PARTS.flatMap((part) => entries[part].map(({ id }) => id)));
    const key = [loop.closure, ...ids].join(' ');
    const index = known.get(key) ?? forms.push(formOf(reaching!.closures[loop.closure]!, frames, time)) - 1;
    known.set(key, index);
    return index;
  });
  return { forms, ofLoops };
}

function entriesOf({ robot, instances, reaching }: RobotModel, place: number, frame: number): Entries {
  const { link, offset } = reaching!.places[place]!;
  const ofBase = baseMotions(robot.base, vector3(named('gravity', 3)), robot.current);
  const outputs = instances[link]?.link.type.kernels.flatMap((kernel) => kernel.outputs);
  const written = (buffer: OutputBuffer): readonly Expr[] =>
    outputs?.find((output) => output.buffer === buffer)?.values ?? [];
  const found: Entries = {
    pose: outputs ? written('ownPose') : ofBase.pose,
    offset: frameEntries(offset),
    drift: outputs ? written('ownBiasMotion') : ofBase.biasMotion,
  };
  const left = (part: keyof Entries): readonly Expr[] =>
    named(`${part}${frame}`, 12).map((s, i) => {
      const value = found[part][i];
      return value === zero || value === one ? value : s;
    });
  return { pose: left('pose'), offset: left('offset'), drift: left('drift') };
}

function formOf(closure: ClosureForm['closure'], frames: readonly Entries[], time?: SymbolExpr): ClosureForm {
  const made = new Map<Expr, Expr>();
  const twists = frames.map((_, k) => named(`twist${k}`, 6));
  const biases = frames.map((_, k) => named(`bias${k}`, 6));
  const links = frames.map(({ pose, offset, drift }, k) => {
    const [ofLink, onLink] = [frameFromEntries(pose), frameFromEntries(offset)];
    const motion = motionOfFrame(ofLink.rotation, onLink.translation, drift);
    const put = (symbols: readonly Expr[], values: readonly Expr[]): void =>
      symbols.forEach((s, i) => made.set(s, values[i]!));
    put(heldSymbols(k), frameEntries(composeFrames(ofLink, onLink)));
    put(twists[k]!, motion.velocity);
    put(biases[k]!, motion.bias);
    return { axes: transpose(ofLink.rotation), origin: onLink.translation };
  });
  const rates = closure.map((row) =>
    ratesOf(
      row,
      frames.map((_, k) => ({ twist: twists[k]!, bias: biases[k]! })),
      time,
    ),
  );
  const seen = (values: readonly Expr[]): readonly Expr[] => substitute(values, made);
  return {
    closure,
    residuals: seen(closure.map(({ value }) => value)),
    rates: seen([...rates.map(({ rate }) => rate), ...rates.map(({ bias }) => bias)]),
    wrenches: links.flatMap(({ axes, origin }, k) =>
      closure.flatMap((row) => wrenchOnLink(axes, origin, seen(row.wrenches[k]!))),
    ),
    inputs: frames.flatMap((_, k) =>
      PARTS.map((part) => ({ buffer: `${part}${k}`, symbols: named(`${part}${k}`, 12) })),
    ),
  };
}
