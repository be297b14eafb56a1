/**
 * Functions of frames in formulas of actuators, forces and loops: `position(tool)`, `distance(hand, hook)`, `rotate(tool, [0, 0, 1])`. Frames are
 * those of the robot, `base`, and those that the formula brings with it. What they mean stands for poses until the formula is a term.
 */
import { KanegenError } from '../../common/error.ts';
import { nearest } from '../../common/nearest.ts';
import { isVector, type FormulaValue } from '../../symbolic/formulas/formula.ts';
import type { Formula } from '../../symbolic/formulas/parse.ts';
import { divide, plus, sqrt, symbols, zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { freeSymbols, substitute } from '../../symbolic/graph/traverse.ts';
import {
  dot,
  frameFromEntries,
  mapVector,
  multiplyVector,
  subtractVectors,
  vector3,
  zeroVector,
  type Frame,
  type Vector3,
} from '../../symbolic/graph/vector.ts';
import { heldSymbols, lengthAround, MOST_FRAMES, type Anchor, type ReachingTerm } from '../model/frame-terms.ts';
import type { RawPlaced } from '../language/actuators.ts';
import type { Place } from '../source/source.ts';
import type { FurtherDimensions, MaybeDimension } from '../values/dimensions.ts';
import { dues } from '../values/scope.ts';
import { dimensionless, dimensionName, equalDimensions, type Dimension } from '../values/units.ts';
import { readAnchor, readPlaced } from './anchor.ts';
import type { ActuatorContext } from './actuator-context.ts';

type Call = Formula & { readonly kind: 'call' };

/** What stands behind the frames; what a function does not take is zero. */
interface Operands {
  readonly vector: Vector3;
  /** m. */
  readonly radius: Expr;
}

interface FrameFunction {
  /** How it is written: frames, and what stands behind them. */
  readonly usage: string;
  /** How many, no two of them the same. */
  readonly frames: number;
  readonly takes?: keyof Operands;
  /** Of its value; `vector`: that of the vector. */
  readonly dimension: Dimension | 'vector';
  readonly value: (frames: readonly [Frame, ...Frame[]], operands: Operands) => FormulaValue;
}

const apart = ([a, b]: readonly Frame[]): Vector3 => subtractVectors(b!.translation, a!.translation);
const length = (v: Vector3): Expr => sqrt(dot(v, v));

export const FRAME_FUNCTIONS: Readonly<Record<string, FrameFunction>> = {
  position: {
    usage: 'position(FRAME)',
    frames: 1,
    dimension: dues.position.dimension,
    value: ([a]) => a.translation,
  },
  distance: {
    usage: 'distance(FRAME, FRAME)',
    frames: 2,
    dimension: dues.position.dimension,
    value: (frames) => length(apart(frames)),
  },
  direction: {
    usage: 'direction(FRAME, FRAME)',
    frames: 2,
    dimension: dimensionless,
    value: (frames) => {
      const [v, size] = [apart(frames), length(apart(frames))];
      return mapVector(v, (e) => divide(e, size));
    },
  },
  rotate: {
    usage: 'rotate(FRAME, [x, y, z])',
    frames: 1,
    takes: 'vector',
    dimension: 'vector',
    value: ([a], { vector }) => multiplyVector(a.rotation, vector),
  },
  around: {
    usage: 'around(FRAME, FRAME, DRUM, RADIUS)',
    frames: 3,
    takes: 'radius',
    dimension: dues.position.dimension,
    value: ([a, b, drum], { radius }) => lengthAround(a, b!, drum!, radius),
  },
};

/** Frames of formulas by name, each with symbols of its own. */
export class FrameFunctions implements FurtherDimensions {
  readonly names = Object.keys(FRAME_FUNCTIONS);
  private readonly known: (name: string) => Anchor | undefined;
  private readonly found = new Map<string, { readonly anchor: Anchor; readonly symbols: readonly SymbolExpr[] }>();
  private readonly candidates: readonly string[];

  /** @param place of what has the formula; `own`: frames that it brings with it. */
  constructor(place: Place, own: Readonly<Record<string, RawPlaced>>, context: ActuatorContext) {
    const anchors = new Map(
      Object.entries(own).map(([name, raw]) => [name, readPlaced(place.at('frames', name), raw, context)]),
    );
    this.candidates = [...anchors.keys(), ...context.frameNames, 'base'];
    this.known = (name) =>
      anchors.get(name) ?? (this.candidates.includes(name) ? readAnchor(place, { on: name }, context) : undefined);
  }

  value(formula: Call, valueOf: (operand: Formula) => FormulaValue): FormulaValue | undefined {
    const { name, operands } = formula;
    const own = FRAME_FUNCTIONS[name];
    if (!own) return undefined;
    const due = own.frames + (own.takes ? 1 : 0);
    if (operands.length !== due)
      throw problem(
        'wrong-argument-count',
        `${name} takes ${due} argument${due > 1 ? 's' : ''}`,
        formula,
        `write ${own.usage}`,
      );
    const frames = operands.slice(0, own.frames).map((operand) => this.frame(operand, own.usage)) as [
      Frame,
      ...Frame[],
    ];
    if (frames.some((a, i) => frames.slice(0, i).some((b) => apart([a, b]).every((e) => e.kind === 'rational'))))
      throw problem('wrong-value', `${name} of one frame twice`, formula, 'name different frames');
    const last = operands[own.frames]!;
    return own.value(frames, {
      vector: own.takes === 'vector' ? vectorOf(name, own.usage, last, valueOf) : zeroVector,
      radius: own.takes === 'radius' ? numberOf(name, own.usage, last, valueOf) : zero,
    });
  }

  dimension(
    { name, operands }: Call,
    dimensionOf: (operand: Formula) => MaybeDimension,
  ): { readonly is: MaybeDimension } | undefined {
    const own = FRAME_FUNCTIONS[name];
    if (!own) return undefined;
    const last = operands[own.frames];
    const given = last && own.takes ? dimensionOf(last) : undefined;
    if (own.takes === 'radius' && given && !equalDimensions(given, dues.position.dimension))
      throw problem(
        'wrong-unit',
        `the radius of ${name} must be a length, not ${dimensionName(given)}`,
        last!,
        'give it a name under parameters (`r: 10 mm`) and use the name',
      );
    return { is: own.dimension === 'vector' ? given : own.dimension };
  }

  /** Does an expression depend on a frame? */
  mentions(e: Expr): boolean {
    const free = new Set<Expr>(freeSymbols([e]));
    return [...this.found.values()].some(({ symbols }) => symbols.some((s) => free.has(s)));
  }

  /** The summands of a formula, as terms: those of the same frames are one. */
  terms(summands: readonly Expr[], place: Place): readonly ReachingTerm[] {
    const groups = new Map<string, { readonly names: readonly string[]; readonly parts: Expr[] }>();
    for (const part of summands) {
      const free = new Set<Expr>(freeSymbols([part]));
      const names = [...this.found].flatMap(([name, { symbols }]) => (symbols.some((s) => free.has(s)) ? [name] : []));
      if (names.length > MOST_FRAMES)
        throw place.error(
          'not-supported',
          `one summand of this formula depends on ${names.length} frames, at most ${MOST_FRAMES} are possible`,
          'write it as a sum of formulas of fewer frames',
        );
      const key = names.join(' ');
      const group = groups.get(key) ?? { names, parts: [] };
      group.parts.push(part);
      groups.set(key, group);
    }
    return [...groups.values()].map(({ names, parts }): ReachingTerm => {
      const held = names.map((name) => this.found.get(name)!);
      const standIns = new Map<Expr, Expr>(
        held.flatMap(({ symbols }, k) => symbols.map((s, i): [Expr, Expr] => [s, heldSymbols(k)[i]!])),
      );
      const value = substitute([parts.reduce((sum, part) => plus(sum, part))], standIns)[0]!;
      const frames = held.map(({ anchor }) => anchor);
      return { kind: 'reaching', frames, action: { kind: 'formula', value }, location: place.location };
    });
  }

  private frame(operand: Formula, usage: string): Frame {
    if (operand.kind !== 'name')
      throw problem('unknown-frame', 'expected the name of a frame', operand, `write ${usage}`);
    const { name } = operand;
    const known = this.found.get(name);
    if (known) return frameFromEntries(known.symbols);
    const anchor = this.known(name);
    if (!anchor) {
      const close = nearest(name, this.candidates);
      const remedy = close ? `did you mean \`${close}\`?` : `frames: ${this.candidates.slice(0, 30).join(', ')}`;
      throw problem('unknown-frame', `unknown frame \`${name}\``, operand, remedy);
    }
    const own = symbols(`frame.${name}`, 12);
    this.found.set(name, { anchor, symbols: own });
    return frameFromEntries(own);
  }
}

function numberOf(name: string, usage: string, operand: Formula, valueOf: (operand: Formula) => FormulaValue): Expr {
  const value = valueOf(operand);
  if (isVector(value))
    throw problem('wrong-shape', `${name} ends with a radius, not a vector`, operand, `write ${usage}`);
  return value;
}

function vectorOf(name: string, usage: string, operand: Formula, valueOf: (operand: Formula) => FormulaValue): Vector3 {
  const v = valueOf(operand);
  if (!isVector(v) || v.length !== 3)
    throw problem('wrong-shape', `${name} turns a vector of three entries`, operand, `write ${usage}`);
  return vector3(v);
}

function problem(code: string, message: string, { at }: Formula, remedy: string): KanegenError {
  return new KanegenError(code, message, { offset: at, remedy });
}
