/**
 * Elastic, viscous and tendon forces of a rod whose sections are in balance (solved-strain.ts), by sums over its own rows:
 *   elastic_a = ∫ ξ_aᵀ Λ ds with Λ = Σ (ξ − ξ*),   damping_a = ∫ ξ_aᵀ Υ ξ̇ ds,   ℓ = ∫ |ρ'| ds,   ∂ℓ/∂q_a = ∫ g · ξ_a ds,
 * and ∂elastic_a/∂q_b = ∫ ξ_aᵀ Σ ξ_b + ξ_abᵀ Λ ds, where H ξ_ab is what the balance has of second order: with H λ = Λ
 *   ξ_abᵀ Λ = −ξ_aᵀ φ_ξξ ξ_b − φ_ξa · ξ_b − φ_ξb · ξ_a − φ_ab with φ = f · λ, Hᵀ λ = Λ.
 */
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { KanegenError } from '../../common/error.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import {
  compare,
  half,
  minus,
  negate,
  one,
  plus,
  power,
  select,
  times,
  zero,
  type Expr,
} from '../../symbolic/graph/expr.ts';
import { substitute } from '../../symbolic/graph/traverse.ts';
import type { ActuationTerm, FieldRequest, RouteRequest } from '../body/actuation-terms.ts';
import type { SolvedTerms } from '../body/body-part.ts';
import { symmetricMatrix, type ForceTerm } from '../body/force-terms.ts';
import type { CoordinateSymbols } from '../equations/rates.ts';
import type { ParameterValues } from '../kinematics/sample-configurations.ts';
import type { LoopStage } from '../loops/loop.ts';
import type { RodLoops } from '../rod-points/rod-rows.ts';
import { twistEntries } from '../rod-points/rod-twist.ts';
import { speedBias, tendonTangent, tendonTurn, type TendonAtSection } from './section-balance.ts';
import { solveTransposed } from './section-factor.ts';
import type { SolvedStrain } from './solved-strain.ts';

/** Where the sections are. */
export interface AlongRod {
  readonly axial: Expr;
  /** Of the current row. */
  readonly section: Expr;
  /** Of panels, rising. */
  readonly ends: readonly Expr[];
  /** Keeps what only parameters decide. */
  keep(label: string, e: Expr): Expr;
}

/** A route ends at a break where it is as near as this, relative to the length of the rod. */
const NEAR = 1e-9;

/** Loops are those of the body that has the strain. */
export class SolvedForces implements SolvedTerms {
  private readonly along: AlongRod;
  private readonly strain: SolvedStrain;
  private readonly loops: RodLoops;
  private readonly isElastic: boolean;
  /** Υ at the section, 6 × 6 by rows. */
  private readonly damping: readonly Expr[] | undefined;
  private readonly partial: readonly (readonly Expr[])[];

  constructor(
    strain: SolvedStrain,
    loops: RodLoops,
    symbols: CoordinateSymbols,
    along: AlongRod,
    damping: readonly Expr[] | undefined,
  ) {
    this.along = along;
    this.strain = strain;
    this.loops = loops;
    this.damping = damping;
    this.isElastic = strain.strain.some((_, row) =>
      strain.strain.some((__, c) => strain.balance.entry(row, c) !== zero),
    );
    this.partial = symbols.q.map((_, a) => twistEntries(strain.partial[a]!));
  }

  forces(): readonly ForceTerm[] {
    const { damping } = this;
    if (!this.isElastic) return [];
    return [
      { name: 'rod elasticity', kind: 'elastic', ...this.elasticity(), loops: [] },
      ...(damping
        ? [{ name: 'viscosity of the rod', kind: 'damping' as const, ...this.viscosity(damping), loops: [] }]
        : []),
    ];
  }

  unsolved(): readonly Expr[] | undefined {
    const { settled, section } = this.strain;
    return settled === one ? undefined : this.loops.least('unsolved', 3, settled, [section]);
  }

  private sums(name: string, stage: LoopStage, terms: readonly Expr[]): readonly Expr[] {
    const moving = terms.flatMap((term, i) => (term === zero ? [] : [{ label: String(i + 1), term }]));
    const { sums } = this.loops.add({ name, stage, sums: moving });
    let next = 0;
    return terms.map((term) => (term === zero ? zero : sums[next++]!));
  }

  /** Of symmetric matrices with entries per length, where both vectors are times the length of the row. */
  private matrix(name: string, entry: (a: number, b: number) => Expr): readonly Expr[] {
    const pairs = this.partial.flatMap((_, a) => this.partial.slice(0, a + 1).map((__, b) => [a, b] as const));
    const values = this.sums(
      name,
      3,
      pairs.map(([a, b]) => entry(a, b)),
    );
    return symmetricMatrix(this.partial.length, (a, b) => values[(a * (a + 1)) / 2 + b]!);
  }

  private elasticity(): Pick<ForceTerm, 'generalized' | 'matrix' | 'energy'> {
    const { strain, partial } = this;
    const { balance, length } = strain;
    const { departure } = strain;
    const stress = balance.elastic(departure);
    const generalized = this.sums(
      'elastic',
      1,
      partial.map((own) => product(own, stress)),
    );
    const energy = this.sums('stored', 3, [times(half, length, product(departure, stress))])[0]!;
    const load = balance.whole(
      solveTransposed(strain.factor, balance.restricted(stress)),
      stress.map(() => zero),
    );
    const { bySection, mixed, byCoordinates } = balance.second(strain.state, load);
    const { inverse } = strain;
    const bent = partial.map((own) =>
      own.map((_, row) =>
        plus(...own.map((e, column) => times(minus(balance.entry(row, column), bySection[row]![column]!), e))),
      ),
    );
    const matrix = this.matrix('stiffness', (a, b) =>
      plus(
        times(inverse, product(partial[b]!, bent[a]!)),
        negate(product(mixed[a]!, partial[b]!)),
        negate(product(mixed[b]!, partial[a]!)),
        negate(times(length, byCoordinates(a, b))),
      ),
    );
    return { generalized, matrix, energy };
  }

  private viscosity(damping: readonly Expr[]): Pick<ForceTerm, 'generalized' | 'matrix'> {
    const { strain, partial } = this;
    const { inverse } = strain;
    const stressOf = (v: readonly Expr[]): readonly Expr[] =>
      v.map((_, row) => times(inverse, plus(...v.map((e, column) => times(damping[6 * row + column]!, e)))));
    const stress = stressOf(twistEntries(strain.rate()));
    return {
      generalized: this.sums(
        'damping',
        2,
        partial.map((own) => product(own, stress)),
      ),
      matrix: this.matrix('dissipation', (a, b) => product(partial[a]!, stressOf(partial[b]!))),
    };
  }

  /** The curve at the section of the current row. */
  private tendon(request: RouteRequest, parameters: readonly ParameterValues[]): TendonAtSection {
    const { axial, section, ends, keep } = this.along;
    const { from, to, name } = request;
    for (const numbers of parameters) {
      const [first, last, ...places] = evaluate([from, to, ...ends], numbers) as [number, number, ...number[]];
      const slack = NEAR * (places.at(-1)! - places[0]!);
      const loose = [first, last].find((end) => places.every((place) => Math.abs(place - end) > slack));
      if (loose !== undefined)
        throw new KanegenError('not-supported', `this route ends at ${loose}, where the rod has no break`, {
          remedy: `add it to \`breaks\` of the volume: { ${request.axial.name.replace(/^.*\./, '')}: [${loose}] }`,
        }).at(request.location);
    }
    const at = new Map([[axial, section]]);
    const here = (label: string, e: Expr): Expr => keep(`${name}_${label}`, substitute([e], at)[0]!);
    const before = to === ends.at(-1) ? one : select(compare('<', axial, to), one, zero);
    const passes = from === ends[0] ? before : select(compare('<', axial, from), zero, before);
    const across = [...request.across.values()] as [Expr, Expr];
    const slope = differentiateAll(across, axial) as [Expr, Expr];
    return {
      coordinate: -1,
      tension: zero,
      passes: here('passes', passes),
      place: [here('x', across[0]), here('y', across[1])],
      slope: [here('slope_x', slope[0]), here('slope_y', slope[1])],
      squares: [zero, zero, zero, zero],
    };
  }

  /** Minus the length of a curve. */
  route(request: RouteRequest, parameters: readonly ParameterValues[]): ActuationTerm {
    const { strain, partial } = this;
    const { name } = request;
    const tendon = this.tendon(request, parameters);
    const { length } = strain;
    const tangent = tendonTangent(tendon, strain.strain);
    const { gradient, inverse } = tangent;
    const own = (e: Expr): Expr => negate(times(tendon.passes, e));
    const rate = twistEntries(strain.rate());
    const speed = strain.inverse;
    const { turn } = tendonTurn(
      tendon,
      tangent,
      rate.map((e) => times(speed, e)),
    );
    const [value, ...slopes] = this.sums(`${name}_length`, 3, [
      own(times(length, power(inverse, -1))),
      ...partial.map((column) => own(product(gradient, column))),
    ]);
    const [grown, accelerated] = this.sums(`${name}_rates`, 3, [
      own(product(gradient, rate)),
      own(plus(product(gradient, twistEntries(strain.bias)), times(length, speedBias(tangent, turn)))),
    ]);
    return {
      name: 'tendon route',
      method: 'points of the body',
      value: value!,
      gradient: slopes,
      rate: grown!,
      bias: accelerated!,
      loops: [],
    };
  }

  /** The work of moments and forces on the strain. */
  field({ name, components, time, location }: FieldRequest): ActuationTerm {
    const { strain, partial } = this;
    const { axial, section, keep } = this.along;
    if (time)
      throw new KanegenError('not-supported', 'a field that depends on the time on a rod whose strain is solved for', {
        remedy: 'write what depends on the time as the input of the actuator',
      }).at(location);
    const at = new Map([[axial, section]]);
    const own = components.map((e, c) => keep(`${name}_${c + 1}`, substitute([e], at)[0]!));
    const { departure } = strain;
    const [value, ...gradient] = this.sums(`${name}_work`, 3, [
      times(strain.length, product(own, departure)),
      ...partial.map((column) => product(own, column)),
    ]);
    const [rate, bias] = this.sums(`${name}_rates`, 3, [
      product(own, twistEntries(strain.rate())),
      product(own, twistEntries(strain.bias)),
    ]);
    return {
      ...{ name: 'field', method: 'points of the body', value: value!, gradient, rate: rate!, bias: bias!, loops: [] },
    };
  }
}

function product(a: readonly Expr[], b: readonly Expr[]): Expr {
  return plus(...a.map((e, c) => times(e, b[c]!)));
}
