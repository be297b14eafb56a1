/** Poses, motions and loads of the frames that a term or a loop holds: their buffers, and the calls that fill these. */
import { heldSymbols, MOST_POINTS } from '../../description/model/frame-terms.ts';
import { sees, type FrameTerm } from '../../kane/equations/frame-terms.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { heldPart, type HeldPart } from '../modules/workspace.ts';
import { perFrame, type DriverLanguage, type DriverParameters } from './driver-language.ts';
import { named, type Buffer } from './robot-programs.ts';

const FRAME_NUMBERS = Array.from({ length: MOST_POINTS }, (_, k) => k);

/** Of one frame after the other. */
const buffersOf = (part: HeldPart, count: number): readonly Buffer[] =>
  FRAME_NUMBERS.map((k) => ({ buffer: heldPart(part, k), symbols: named(heldPart(part, k), count) }));

export const POSES: readonly (readonly Buffer[])[] = FRAME_NUMBERS.map((k) => [
  { buffer: heldPart('Axes', k), symbols: heldSymbols(k).slice(0, 9) },
  { buffer: heldPart('Origin', k), symbols: heldSymbols(k).slice(9) },
]);
/** As formulas of rates have them; contacts see `heldTwist`s there. */
export const TWISTS = buffersOf('Twist', 6);
export const BIASES = buffersOf('Bias', 6);
export const AXES_TANGENTS = buffersOf('AxesTangent', 9);
export const ORIGIN_TANGENTS = buffersOf('OriginTangent', 3);
export const TWIST_TANGENTS = buffersOf('TwistTangent', 6);
export const BIAS_TANGENTS = buffersOf('BiasTangent', 6);

/** Changes of the entries of `heldSymbols`. */
export const poseTangent = (k: number): readonly Expr[] => [
  ...AXES_TANGENTS[k]!.symbols,
  ...ORIGIN_TANGENTS[k]!.symbols,
];

export const framesOf = ({ count }: { readonly count: number }): readonly number[] => FRAME_NUMBERS.slice(0, count);

/** Frames of a term by their indices, and the links that carry them. */
export const placesOf = (shape: FrameTerm): DriverParameters => ({
  ...perFrame(framesOf(shape), 'frame', 'index'),
  ...perFrame(framesOf(shape), 'link', 'index'),
  ...heldOf(shape),
});

/** Where the run-time parameters of its bristles begin among those of formulas. */
export const heldOf = ({ held }: FrameTerm): DriverParameters => (held ? { held: 'index' } : {});

/** Of terms that see motions: those of the links of its frames, and their changes. */
export const changingDriftsOf = (shape: FrameTerm): DriverParameters =>
  shape.isMoving ? { ...driftsOf(shape), ...perFrame(framesOf(shape), 'change', 'read') } : {};

export const driftsOf = (shape: FrameTerm): DriverParameters => perFrame(framesOf(shape), 'drift', 'read');

/** How a driver spells them. Frames and their motions are parameters `frame0`, `drift0`, … of the function around. */
export class HeldParts {
  private readonly language: DriverLanguage;

  constructor(language: DriverLanguage) {
    this.language = language;
  }

  of(part: HeldPart, k: number): string {
    return this.language.shared(heldPart(part, k));
  }

  /** Poses of the frames as far as values see them. */
  poses(term: { readonly count: number }, values: readonly Expr[]): string[] {
    const { nothing } = this.language;
    return framesOf(term).flatMap((k) => {
      const { axes, origin } = sees(values, k);
      const wanted = [axes ? this.of('Axes', k) : nothing, origin ? this.of('Origin', k) : nothing];
      return axes || origin ? [this.language.call('framePose', [`frame${k}`, ...wanted])] : [];
    });
  }

  /** Twist of a frame, and what velocities cause of its accelerations. */
  motion(k: number): string {
    return this.language.call('frameMotion', [`frame${k}`, `drift${k}`, this.of('Twist', k), this.of('Bias', k)]);
  }
}
