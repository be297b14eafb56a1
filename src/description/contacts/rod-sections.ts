/** Sections of rods as shapes of contacts with what moves: balls at the middles of equal lengths, and pieces about the same places. */
import { fraction, half, minus, plus, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { substitute } from '../../symbolic/graph/traverse.ts';
import { identityFrame, unitVectors, zeroVector } from '../../symbolic/graph/vector.ts';
import type { ContactLaw, Shape } from '../model/contact.ts';
import type { MaterialAnchor } from '../model/frame-terms.ts';
import type { RodVolume } from '../model/reference-volume.ts';
import type { DeformableBody } from '../model/robot.ts';
import type { SourceLocation } from '../../common/error.ts';

export interface RodSections {
  /** That each stands for, m. */
  readonly length: Expr;
  readonly sections: readonly RodSection[];
}

export interface RodSection {
  /** Along the rod from its start, m. */
  readonly place: Expr;
  readonly radius: Expr;
  /** Its middle. */
  readonly anchor: MaterialAnchor;
}

/** @param radius in place of that of its round section. @param link that has the body. */
export function sectionsOf(
  { type, parameters }: DeformableBody,
  link: number,
  points: number,
  radius: Expr | undefined,
  location: SourceLocation,
): RodSections {
  const [rod] = type.volumes as readonly [RodVolume];
  const { axial, section, start, end, shape } = rod;
  const own = new Map<Expr, Expr>(type.parameters.map(({ symbol }, i) => [symbol, parameters[i]!]));
  const round = shape.shape === 'disc' ? shape.radius : shape.shape === 'annulus' ? shape.outerRadius : zero;
  const whole = minus(end, start);
  const sections = Array.from({ length: points }, (_, k): RodSection => {
    const from = times(fraction(2 * k + 1, 2 * points), whole);
    const at = plus(start, from);
    const [place, ownRadius] = substitute(substitute([from, round], new Map([[axial, at]])), own) as [Expr, Expr];
    const anchor = {
      ...({ kind: 'material', link, location } as const),
      at: new Map([...section.map((axis) => [axis, zero] as const), [axial, at]]),
    };
    return { place, radius: radius ?? ownRadius, anchor };
  });
  const [length] = substitute([times(fraction(1, points), whole)], own) as [Expr];
  return { length, sections };
}

/** Of a section, in a frame at its middle. */
export const ballOf = ({ radius }: RodSection): Shape => ({ kind: 'sphere', place: zeroVector, radius });

/** The straight piece about the middle of the k-th section, in the frame that the material carries there. */
export function pieceOf({ length, sections }: RodSections, k: number): { anchor: MaterialAnchor; shape: Shape } {
  const { anchor, radius } = sections[k]!;
  return {
    anchor: { ...anchor, offset: identityFrame },
    shape: {
      ...{ kind: 'piece', place: zeroVector, axis: unitVectors[2], half: times(half, length), radius },
      ends: [k === 0, k === sections.length - 1],
    },
  };
}

/** What the law of a length is for one section. */
export function lawOfSection(law: ContactLaw, length: Expr): ContactLaw {
  const { kind, stiffness, damping, friction } = law;
  const ofLength = (e: Expr): Expr => times(length, e);
  return {
    ...law,
    stiffness: ofLength(stiffness),
    damping: kind === 'spring-damper' ? ofLength(damping) : damping,
    ...(friction?.kind === 'bristle' && {
      friction: { ...friction, stiffness: ofLength(friction.stiffness), damping: ofLength(friction.damping) },
    }),
  };
}
