/**
 * Where expressions were written: every formula of a robot file and every part of one, by the expression that it became.
 * The graph itself knows no places, since equal formulas are one object; who reads formulas keeps a `Provenance` beside it,
 * and whoever finds an expression to be wrong later asks where that, or the part of it that is to blame, stands.
 */
import type { KanegenError, SourceLocation } from '../../common/error.ts';
import { children, power, splitCoefficient, type Expr } from '../../symbolic/graph/expr.ts';
import { postorder } from '../../symbolic/graph/traverse.ts';
import type { Place } from '../source/source.ts';

interface Origin {
  readonly place: Place;
  /** Characters into the text of the formula. */
  readonly offset: number;
}

export class Provenance {
  private readonly origins = new Map<Expr, Origin>();
  private readonly whole: { readonly formula: Expr; readonly place: Place }[] = [];

  /** Notes where a part of a formula stands; of equal parts the first one that was read counts. */
  note(part: Expr, place: Place, offset = 0): void {
    // Sums and products keep the numbers before their operands to themselves: what is left of the part is found as well.
    for (const e of [part, splitCoefficient(part).term])
      if (e.kind !== 'symbol' && !this.origins.has(e)) this.origins.set(e, { place, offset });
  }

  /** Notes a whole formula. */
  noteFormula(formula: Expr, place: Place): void {
    this.note(formula, place);
    this.whole.push({ formula, place });
  }

  /** All whole formulas, in the order in which they were read. */
  get formulas(): readonly Expr[] {
    return this.whole.map(({ formula }) => formula);
  }

  /** Where the value of a parameter was written. */
  locationOfParameter(name: string): SourceLocation | undefined {
    const isIts = ({ path }: Place): boolean => {
      const keys = path.at(-1) === 'value' ? path.slice(0, -1) : path;
      return keys.at(-1) === name && keys.at(-2) === 'parameters';
    };
    return this.whole.find(({ place }) => isIts(place))?.place.location;
  }

  /** Where a value within `outer` was written, by its keys there. */
  locationWithin({ file, path }: SourceLocation, keys: string): SourceLocation | undefined {
    const places = this.whole.map(({ place }) => place.location);
    return places.find((own) => own.file === file && own.path === `${path}.${keys}`);
  }

  /** Where `e` was written as the value of this key: numbers are one expression wherever they stand. */
  locationOfValue(e: Expr, key: string): SourceLocation | undefined {
    return this.whole.find(({ formula, place }) => formula === e && place.path.at(-1) === key)?.place.location;
  }

  /** Where `e` was written, as an expression or as part of one. */
  locationOf(e: Expr): SourceLocation | undefined {
    const origin = this.origins.get(e);
    return origin && origin.place.document.locate(origin.place.path, 'value', origin.offset);
  }

  /** `position[2]`, `let.k`: the formula that `e` is, or is a part of, by its keys within the body type. */
  nameOf(e: Expr): string | undefined {
    const keys = this.origins.get(e)?.place.path;
    if (!keys) return undefined;
    const own = keys[0] === 'body-types' ? keys.slice(2) : keys;
    return own.map((key, i) => (typeof key === 'number' ? `[${key}]` : i === 0 ? key : `.${key}`)).join('');
  }

  /**
   * The smallest part of `root`, as far as it was written, that is wrong by itself; `root` where no part is.
   * Of parts that are wrong, one comes before those that it is a part of.
   */
  culprit(root: Expr, isWrong: (part: Expr) => boolean): Expr {
    return partsBelow(root).find((e) => this.origins.has(e) && children(e).length > 0 && isWrong(e)) ?? root;
  }

  /** The error at `e`, where that was written, else at `otherwise`. */
  locate(error: KanegenError, e: Expr, otherwise: SourceLocation): KanegenError {
    return error.at(this.locationOf(e) ?? otherwise);
  }
}

/** Everything that `root` is made of, operands first; products have lost the powers that they were made of. */
function partsBelow(root: Expr): Expr[] {
  return postorder([root]).flatMap((e) => [...powersIn(e), e]);
}

/** The powers that a product is made of. */
export function powersIn(e: Expr): readonly Expr[] {
  return e.kind === 'product' && e.factors.length > 1 ? e.factors.map((f) => power(f.base, f.exponent)) : [];
}
