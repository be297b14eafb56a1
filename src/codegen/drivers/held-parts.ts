/** Poses, motions and loads of the frames that a term or a loop holds: their buffers, and the calls that fill these. */
import { heldSymbols, MOST_FRAMES } from '../../description/model/frame-terms.ts';
import { sees } from '../../kane/equations/frame-terms.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import type { RobotModel } from '../modules/robot-model.ts';
import { heldPart, type HeldPart } from '../modules/workspace.ts';
import type { DriverFunction, DriverLanguage } from './driver-language.ts';
import type { Target } from '../printing/print-arithmetic.ts';
import type { Program } from '../programs/program.ts';
import { motionChangeProgram, named, type Buffer } from './robot-programs.ts';

const FRAME_NUMBERS = Array.from({ length: MOST_FRAMES }, (_, k) => k);

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

/** Changes of motions of frames along a direction; of robots without loops, contacts between links or derivatives none. */
export function motionTangents(
  printer: { program(program: Program, target: Partial<Target>): string[] },
  language: DriverLanguage,
  { robot, derivatives }: RobotModel,
): readonly DriverFunction[] {
  if (!derivatives || !(robot.loops ?? robot.touching)) return [];
  const row = language.row('link');
  const moved = printer.program(motionChangeProgram(), {
    read: ({ buffer, index }) => {
      if (buffer === 'pose') return language.value(row.number('own', 'pose', index));
      if (buffer === 'poseTangent') return language.value(row.number('ownTangent', 'pose', index));
      return language.value(`${buffer}[${index}]`);
    },
    write: ({ buffer, index }) => `${buffer}[${index}]`,
  });
  const offset = language.declareRead('offset', language.frameOffset('index'));
  return [
    {
      name: 'frameMotionTangent',
      purpose: 'Changes of the twist and of the acceleration of a frame from those of pose and motion of its link.',
      parameters: [
        ['index', 'index'],
        ['link', 'index'],
        ['drift', 'read'],
        ['change', 'read'],
        ['twist', 'written'],
        ['acceleration', 'written'],
      ],
      lines: [
        language.clear('twist', 6),
        language.clear('acceleration', 6),
        ...language.branch('link >= 0', [offset, ...row.declarations, ...moved]),
      ],
    },
    {
      name: 'keepDriftTangent',
      purpose: 'The change of the motion of a link, whose place that of its pose will take.',
      parameters: [
        ['link', 'index'],
        ['to', 'written'],
      ],
      lines: [
        language.clear('to', 12),
        ...language.branch('link >= 0', [
          ...row.declarations,
          language.loop('k', 0, 12, false),
          `  to[k] = ${language.value(row.number('ownTangent', 'biasMotion', 'k'))};`,
          '}',
        ]),
      ],
    },
  ];
}
