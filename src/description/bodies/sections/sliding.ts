/**
 * Rods that slide out of their base: `slides-out` names the coordinate that is the free length. What is still inside is straight and moves along the
 * axis of the base; strains act on the rest.
 */
import { randomNumbers } from '../../../common/random.ts';
import { evaluate } from '../../../symbolic/evaluation/evaluate.ts';
import { differentiateAll } from '../../../symbolic/graph/differentiate.ts';
import { compare, minus, one, plus, select, zero, type Expr, type SymbolExpr } from '../../../symbolic/graph/expr.ts';
import { freeSymbols, substituteOne } from '../../../symbolic/graph/traverse.ts';
import type { RodVolume } from '../../model/reference-volume.ts';
import type { BodyCoordinate, SlidingRod } from '../../model/robot.ts';
import type { Place } from '../../source/source.ts';
import { dues, type Scope } from '../../values/scope.ts';
import { equalDimensions } from '../../values/units.ts';
import type { Requirement } from '../../values/requirement.ts';

/** (κ, ν) of a rod that is straight and unstretched. */
const STRAIGHT: readonly Expr[] = [zero, zero, zero, zero, zero, one];

export interface SlidingContext {
  readonly rod: RodVolume;
  readonly coordinates: readonly BodyCoordinate[];
  readonly scope: Scope;
}

export interface SlidingReading {
  readonly slides: SlidingRod;
  /** That of the rod: straight inside. */
  readonly strain: readonly Expr[];
  readonly requirements: readonly Requirement[];
}

/**
 * @param place of `slides-out`.
 * @param strains as they are written, rest included, with the places where they are.
 * @throws KanegenError `unknown-coordinate`, `wrong-value`, `missing-key`, `strain-at-base`.
 */
export function readSliding(
  place: Place,
  name: string,
  strains: readonly { readonly value: Expr; readonly place: Place }[],
  { rod, coordinates, scope }: SlidingContext,
): SlidingReading {
  const coordinate = coordinates.find((own) => own.name === name);
  if (!coordinate)
    throw place.error(
      'unknown-coordinate',
      `this body has no coordinate \`${name}\``,
      `name the coordinate that is the free length: ${coordinates.map((own) => own.name).join(', ') || 'none is given under `coordinates`'}`,
    );
  const dimension = scope.find(name)?.dimension;
  if (dimension && !equalDimensions(dimension, dues.length.dimension))
    throw place.error(
      'wrong-value',
      `the free length \`${name}\` is a length, and its unit is ${coordinate.unit}`,
      `write \`${name}: { unit: m, limits: [0.05 m, 0.3 m], default: 0.1 m }\``,
    );
  const { limits } = coordinate;
  if (!limits)
    throw place.error(
      'missing-key',
      `the free length \`${name}\` has no limits`,
      `write \`${name}: { unit: m, limits: [0.05 m, 0.3 m], default: 0.1 m }\`, within the length of the rod`,
    );
  const border = minus(rod.end, coordinate.symbol);
  strains.forEach((strain, i) =>
    requireSmooth(strain, STRAIGHT[i] === one ? 1 : 0, { name, axial: rod.axial, border }),
  );
  const isInside = compare('<', rod.axial, border);
  return {
    slides: { coordinate: coordinate.symbol, border },
    strain: strains.map(({ value }, i) => select(isInside, STRAIGHT[i]!, value)),
    requirements: [
      {
        place,
        value: limits[0],
        holds: (number) => number > 0,
        code: 'wrong-value',
        message: (number) => `the free length \`${name}\` goes down to ${number} m`,
        remedy: 'write limits above zero: nothing is left to bend',
      },
      {
        place,
        value: minus(minus(rod.end, rod.start), limits[1]),
        holds: (number) => number >= 0,
        code: 'wrong-value',
        message: (number) => `the free length \`${name}\` goes ${-number} m beyond the length of the rod`,
        remedy: 'write limits within the length of the rod',
      },
    ],
  };
}

const TRIALS = 5;
/** Of strains and slopes in relation to others of the formula. */
const NOTHING = 1e-9;

/**
 * Sections that come out begin to turn without a jolt: the strain is that of a straight rod at the border, and so is its slope there.
 * @throws KanegenError `strain-at-base` at the formula.
 */
function requireSmooth(
  { value, place }: { readonly value: Expr; readonly place: Place },
  due: number,
  { name, axial, border }: { readonly name: string; readonly axial: SymbolExpr; readonly border: Expr },
): void {
  const slope = differentiateAll([value], axial)[0]!;
  const random = randomNumbers(11);
  const at = (place: Expr): readonly Expr[] => [value, slope].map((e) => substituteOne(e, new Map([[axial, place]])));
  const own = at(border);
  const other = at(plus(border, one));
  const symbols = freeSymbols([...own, ...other]);
  for (let trial = 0; trial < TRIALS; trial++) {
    const values = new Map(symbols.map((s) => [s as Expr, 0.3 + random()]));
    const [strain, turn] = evaluate(own, values) as [number, number];
    const [far, farSlope] = evaluate(other, values) as [number, number];
    if (![strain, turn, far, farSlope].every(Number.isFinite)) continue;
    const straight = Math.abs(strain - due) <= NOTHING * (1 + Math.abs(far));
    if (straight && Math.abs(turn) <= NOTHING * (1 + Math.abs(farSlope))) continue;
    throw place.error(
      'strain-at-base',
      `where the rod leaves its base, this strain ${straight ? 'has a slope' : 'is not that of a straight rod'}: sections that come out would turn with a jolt`,
      `multiply what bends by a function that begins with its square, such as ((s - (L - ${name}))/${name})^2, and leave out what \`rest\` has there`,
    );
  }
}
