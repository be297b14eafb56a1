/** Programs of a driver for terms of actuators between frames, from `kane/equations/segments.ts`; buffers are shared parts. */
import {
  lengthOfSegment,
  pullOfSegment,
  ratesOfSegment,
  ratesOfWrench,
  type PointMotion,
} from '../../kane/equations/segments.ts';
import { directionalDerivative } from '../../symbolic/graph/differentiate.ts';
import { negate, type Expr } from '../../symbolic/graph/expr.ts';
import { type Vector3, vector3, matrix3 } from '../../symbolic/graph/vector.ts';
import type { ParameterKind } from './actuator-functions.ts';
import type { Program } from '../programs/program.ts';
import { named, programOf, type Buffer } from './robot-programs.ts';

const buffer = (name: string, count: number): Buffer => ({ buffer: name, symbols: named(name, count) });
const vectorIn = ({ symbols }: Buffer, from = 0): Vector3 => vector3(symbols.slice(from, from + 3));

const startPoint = buffer('startPoint', 3);
const endPoint = buffer('endPoint', 3);
const [startTwist, startBias] = [buffer('startTwist', 6), buffer('startBias', 6)];
const [endTwist, endBias] = [buffer('endTwist', 6), buffer('endBias', 6)];
const [startChange, endChange] = [buffer('startChange', 3), buffer('endChange', 3)];
const change = buffer('heldChange', 6);
const load = buffer('heldLoad', 6);
const axes = buffer('heldAxes', 9);
const tension = buffer('tension', 1);

const ends = [vectorIn(startPoint), vectorIn(endPoint)] as const;
const motionOf = (twist: Buffer, bias: Buffer): PointMotion => ({
  velocity: vectorIn(twist, 3),
  bias: vectorIn(bias, 3),
});

const rates = ({ rate, bias }: { readonly rate: Expr; readonly bias: Expr }): readonly Expr[] => [rate, bias];

function wrenchRates(turning: boolean): Program {
  const own = ratesOfWrench(
    turning ? matrix3(axes.symbols) : undefined,
    load.symbols,
    startTwist.symbols,
    startBias.symbols,
  );
  const inputs = [...(turning ? [axes] : []), load, startTwist, startBias];
  return programOf('wrenchRates', inputs, [{ buffer: 'heldRates', values: rates(own) }]);
}

interface ProgramRecord {
  readonly purpose: string;
  readonly program: () => Program;
  /** What it reads beside shared parts. */
  readonly reads?: readonly (readonly [string, ParameterKind])[];
}

export type SegmentProgram =
  | 'segmentPullChange'
  | 'oppositeChange'
  | 'segmentPull'
  | 'oppositeLoad'
  | 'segmentLength'
  | 'segmentRates'
  | 'followingWrenchRates'
  | 'worldWrenchRates';

export const SEGMENT_PROGRAMS: Readonly<Record<SegmentProgram, ProgramRecord>> = {
  segmentPull: {
    purpose: 'The wrench of a tension between two points on the first of them.',
    reads: [['tension', 'number']],
    program: () =>
      programOf(
        'pull',
        [startPoint, endPoint, tension],
        [{ buffer: 'heldLoad', values: pullOfSegment(...ends, tension.symbols[0]!) }],
      ),
  },
  oppositeLoad: {
    purpose: 'The opposite wrench.',
    program: () => programOf('opposite', [load], [{ buffer: 'heldLoad', values: load.symbols.map(negate) }]),
  },
  segmentPullChange: {
    purpose: 'The change of this wrench by that of the points.',
    reads: [['tension', 'number']],
    program: () =>
      programOf(
        'pullChange',
        [startPoint, endPoint, startChange, endChange, tension],
        [
          {
            buffer: 'heldChange',
            values: directionalDerivative(
              pullOfSegment(...ends, tension.symbols[0]!),
              new Map<Expr, Expr>([
                ...startPoint.symbols.map((s, i): [Expr, Expr] => [s, startChange.symbols[i]!]),
                ...endPoint.symbols.map((s, i): [Expr, Expr] => [s, endChange.symbols[i]!]),
              ]),
            ),
          },
        ],
      ),
  },
  oppositeChange: {
    purpose: 'The opposite change.',
    program: () =>
      programOf('oppositeChange', [change], [{ buffer: 'heldChange', values: change.symbols.map(negate) }]),
  },
  segmentLength: {
    purpose: 'Distance of two points.',
    program: () =>
      programOf('length', [startPoint, endPoint], [{ buffer: 'heldRates', values: [lengthOfSegment(...ends)] }]),
  },
  segmentRates: {
    purpose: 'Its rate, and its second derivative where coordinates do not accelerate.',
    program: () =>
      programOf(
        'segmentRates',
        [startPoint, endPoint, startTwist, startBias, endTwist, endBias],
        [
          {
            buffer: 'heldRates',
            values: rates(ratesOfSegment(ends, [motionOf(startTwist, startBias), motionOf(endTwist, endBias)])),
          },
        ],
      ),
  },
  followingWrenchRates: {
    purpose:
      'Rate of the work of a wrench that follows a frame, and its derivative where coordinates do not accelerate.',
    program: () => wrenchRates(true),
  },
  worldWrenchRates: {
    purpose: 'The same of a wrench that keeps its direction.',
    program: () => wrenchRates(false),
  },
};
