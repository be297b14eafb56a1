/**
 * Magnus steps: the twist Ω whose exponential carries the frame of a rod, g' = g ξ^, across one step, with its derivatives.
 * ξ enters by weighted differences over the Gauss nodes of the step:
 *   order 4: α_1 = h (ξ_1 + ξ_2)/2, α_2 = √3 h (ξ_2 − ξ_1);
 *   order 6: α_1 = h ξ_2, α_2 = √15 h (ξ_3 − ξ_1)/3, α_3 = 10 h (ξ_3 − 2 ξ_2 + ξ_1)/3.
 * Source: S. Blanes, F. Casas, J. A. Oteo, J. Ros, "The Magnus expansion and some of its applications", Physics Reports 470
 * (2009), section 5.5; their brackets are reversed here because ξ stands to the right of the frame.
 */
import { fraction, integer } from '../../symbolic/expr.ts';
import { addTwists, bracket, bracketAdjoint, scaleTwist, zeroTwist, type Twist } from './rod-twist.ts';

export type MagnusOrder = 4 | 6;

/** Gives the entries of a twist that several loops need a name and a place. */
export type KeepTwist = (label: string, twist: Twist) => Twist;

const two = integer(2);
const minusOne = integer(-1);
const minusTwenty = integer(-20);
const twelfth = fraction(1, 12);
const minusTwelfth = fraction(-1, 12);
const minusSixtieth = fraction(-1, 60);
const inverse240 = fraction(1, 240);

/** What the brackets of order 6 are made of: C = [α_1, α_2], X = 2 α_3 + C, Y = −20 α_1 − α_3 + C, Z = α_2 − [α_1, X]/60. */
interface Nested {
  readonly C: Twist;
  readonly X: Twist;
  readonly Y: Twist;
  readonly Z: Twist;
}

/** [b, a]: the bracket of Lie series in which later factors stand on the left. */
function reversed(a: Twist, b: Twist): Twist {
  return bracket(b, a);
}

export class MagnusStep {
  private readonly alpha: readonly Twist[];
  private readonly nested: Nested | undefined;
  readonly value: Twist;

  /** @param alpha two twists for order 4, three for order 6. */
  constructor(alpha: readonly Twist[], keep: KeepTwist) {
    this.alpha = alpha;
    const [a1, a2, a3] = alpha as [Twist, Twist, Twist | undefined];
    if (!a3) {
      this.value = keep('omega', addTwists(a1, scaleTwist(minusTwelfth, reversed(a1, a2))));
      return;
    }
    const C = keep('bracket', reversed(a1, a2));
    const { X, Y } = linearParts(alpha, C);
    const Z = keep('nested', addTwists(a2, scaleTwist(minusSixtieth, reversed(a1, X))));
    this.nested = { C, X, Y, Z };
    this.value = keep('omega', addTwists(a1, scaleTwist(twelfth, a3), scaleTwist(inverse240, reversed(Y, Z))));
  }

  /** Derivative of Ω along a change of the α. */
  tangent(change: readonly Twist[]): Twist {
    return this.first(change).value;
  }

  /** Second derivative of Ω along a motion of the α with given first and second derivatives. */
  curvature(rate: readonly Twist[], acceleration: readonly Twist[]): Twist {
    const [a1, a2] = this.alpha as [Twist, Twist];
    const [r1, r2] = rate as [Twist, Twist];
    const [s1, s2, s3] = acceleration as [Twist, Twist, Twist | undefined];
    const second = (a: Twist, ra: Twist, sa: Twist, b: Twist, rb: Twist, sb: Twist): Twist =>
      addTwists(reversed(sa, b), scaleTwist(two, reversed(ra, rb)), reversed(a, sb));
    const C = second(a1, r1, s1, a2, r2, s2);
    if (!this.nested || !s3) return addTwists(s1, scaleTwist(minusTwelfth, C));
    const { nested } = this;
    const moving = this.first(rate);
    const { X, Y } = linearParts(acceleration, C);
    const Z = addTwists(s2, scaleTwist(minusSixtieth, second(a1, r1, s1, nested.X, moving.X, X)));
    const YZ = second(nested.Y, moving.Y, Y, nested.Z, moving.Z, Z);
    return addTwists(s1, scaleTwist(twelfth, s3), scaleTwist(inverse240, YZ));
  }

  /** For a form y on Ω, the forms on the α with Σ_j adjoint_j · δα_j = y · tangent(δα). */
  adjoint(y: Twist): readonly Twist[] {
    const [a1, a2, a3] = this.alpha as [Twist, Twist, Twist | undefined];
    if (!this.nested || !a3) {
      const scaled = scaleTwist(minusTwelfth, y);
      return [addTwists(y, onFirst(scaled, a2)), onSecond(scaled, a1)];
    }
    const { X, Y, Z } = this.nested;
    const outer = scaleTwist(inverse240, y);
    const onY = onFirst(outer, Z);
    const onZ = onSecond(outer, Y);
    const inner = scaleTwist(minusSixtieth, onZ);
    const onX = onSecond(inner, a1);
    const onC = addTwists(onX, onY);
    return [
      addTwists(y, scaleTwist(minusTwenty, onY), onFirst(inner, X), onFirst(onC, a2)),
      addTwists(onZ, onSecond(onC, a1)),
      addTwists(scaleTwist(twelfth, y), scaleTwist(minusOne, onY), scaleTwist(two, onX)),
    ];
  }

  private first(change: readonly Twist[]): Nested & { readonly value: Twist } {
    const [a1, a2] = this.alpha as [Twist, Twist];
    const [d1, d2, d3] = change as [Twist, Twist, Twist | undefined];
    const C = addTwists(reversed(d1, a2), reversed(a1, d2));
    if (!this.nested || !d3)
      return { C, X: zeroTwist, Y: zeroTwist, Z: zeroTwist, value: addTwists(d1, scaleTwist(minusTwelfth, C)) };
    const { nested } = this;
    const { X, Y } = linearParts(change, C);
    const Z = addTwists(d2, scaleTwist(minusSixtieth, addTwists(reversed(d1, nested.X), reversed(a1, X))));
    const YZ = addTwists(reversed(Y, nested.Z), reversed(nested.Y, Z));
    return { C, X, Y, Z, value: addTwists(d1, scaleTwist(twelfth, d3), scaleTwist(inverse240, YZ)) };
  }
}

/** X = 2 α_3 + C and Y = −20 α_1 − α_3 + C, and their derivatives. */
function linearParts(alpha: readonly Twist[], C: Twist): { X: Twist; Y: Twist } {
  const [a1, , a3] = alpha as [Twist, Twist, Twist];
  return {
    X: addTwists(scaleTwist(two, a3), C),
    Y: addTwists(scaleTwist(minusTwenty, a1), scaleTwist(minusOne, a3), C),
  };
}

/** y·[b, a] as a form on a, and on b. */
function onFirst(y: Twist, b: Twist): Twist {
  return scaleTwist(minusOne, bracketAdjoint(y, b));
}
function onSecond(y: Twist, a: Twist): Twist {
  return bracketAdjoint(y, a);
}
