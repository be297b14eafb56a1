/**
 * Linear elasticity and Kelvin–Voigt damping of rods given by their strain, by virtual work:
 *   elastic_a = ∫ ξ_aᵀ Σ (ξ − ξ*) ds,   damping_a = ∫ ξ_aᵀ Υ ξ̇ ds,
 *   Σ = diag(E I_xx, E I_yy, G J, k G A, k G A, E A) with J the polar moment, because sections stay plane.
 * and their derivatives ∂elastic_a/∂q_b = ∫ ξ_aᵀ Σ ξ_b + ξ_abᵀ Σ (ξ − ξ*) ds, ∂damping_a/∂q̇_b = ∫ ξ_aᵀ Υ ξ_b ds.
 * Where the strain is linear in q both matrices are known with the parameters, and the forces are products with them.
 */
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { KanegenError } from '../../common/error.ts';
import { half, integer, minus, plus, square, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { dependsOn, substitute } from '../../symbolic/graph/traverse.ts';
import type { BodyType, RodMaterial, StrainKinematics } from '../../description/model/robot.ts';
import { loopsNeeded, type Loop, type LoopStage } from '../loops/loop.ts';
import { symmetricMatrix, type ForceKind, type ForceTerm } from '../link/force-terms.ts';
import { simplest, type CoordinateSymbols } from '../equations/rates.ts';
import { panelEnds, sectionPoints } from './rod-points.ts';
import { RodLoops, type KeptValues } from './rod-rows.ts';
import { rodVolumes, sectionArea } from './rod-section.ts';
import { twistEntries } from './rod-twist.ts';

/** Stiffness and damping per length of the six strains. */
function sectionStiffness(
  type: BodyType,
  material: RodMaterial,
): { stiffness: readonly Expr[]; damping: readonly Expr[] } {
  const { area, xx, yy } = sectionArea(type);
  const polar = plus(xx, yy);
  const { youngsModulus: E, shearModulus: G, shearFactor, damping } = material;
  const shear = times(shearFactor, G, area);
  const stiffness = [times(E, yy), times(E, xx), times(G, polar), shear, shear, times(E, area)];
  if (!damping) return { stiffness, damping: [] };
  const { value } = damping;
  if (damping.kind === 'retardation-time') return { stiffness, damping: stiffness.map((e) => times(value, e)) };
  const three = integer(3);
  const viscous = [times(three, yy), times(three, xx), polar, area, area, times(three, area)];
  return { stiffness, damping: viscous.map((e) => times(value, e)) };
}

/**
 * @param points on every panel of the rod, for strains and sections that vary along it.
 * @throws KanegenError `not-supported` for bodies that are not given by their strain.
 */
export function rodElasticity(type: BodyType, symbols: CoordinateSymbols, points = 20): readonly ForceTerm[] {
  const { material, kinematics, locations } = type;
  if (!material) return [];
  if (kinematics.kind !== 'strain')
    throw new KanegenError('not-supported', 'rod elasticity needs a body given by its strain', {
      remedy: 'give the body as `strain:`',
    }).at(locations.kinematics);
  return new StrainEnergy(type, kinematics, material, symbols, points).forces();
}

class StrainEnergy {
  private readonly symbols: CoordinateSymbols;
  private readonly strain: readonly Expr[];
  private readonly rest: readonly Expr[];
  private readonly section: { readonly stiffness: readonly Expr[]; readonly damping: readonly Expr[] };
  /** ∂ξ/∂q_a, and ∂ξ/∂time. */
  private readonly partial: readonly (readonly Expr[])[];
  private readonly explicit: readonly Expr[];
  private readonly line: LineIntegrals;
  private readonly isLinear: boolean;

  constructor(
    type: BodyType,
    kinematics: StrainKinematics,
    material: RodMaterial,
    symbols: CoordinateSymbols,
    points: number,
  ) {
    this.symbols = symbols;
    this.strain = twistEntries(kinematics);
    this.rest = twistEntries(kinematics.rest);
    this.section = sectionStiffness(type, material);
    this.partial = symbols.q.map((q) => differentiateAll(this.strain, q).map(simplest));
    this.explicit = symbols.time ? differentiateAll(this.strain, symbols.time) : this.strain.map(() => zero);
    const moving = new Set<Expr>([...symbols.q, ...(symbols.time ? [symbols.time] : [])]);
    this.isLinear = !symbols.time && this.partial.every((list) => list.every((e) => !dependsOn(e, moving)));
    this.line = new LineIntegrals(type, points);
  }

  forces(): readonly ForceTerm[] {
    const { stiffness, damping } = this.section;
    const term = (
      name: string,
      kind: ForceKind,
      own: Pick<ForceTerm, 'generalized' | 'matrix' | 'energy'>,
    ): ForceTerm => {
      const { generalized, matrix, energy } = own;
      const loops = loopsNeeded(this.line.loops(), [...generalized, ...matrix, ...(energy ? [energy] : [])], []);
      return { name, kind, ...own, loops };
    };
    return [
      term('rod elasticity', 'elastic', this.isLinear ? this.linearElasticity() : this.elasticity(stiffness)),
      ...(damping.length > 0 ? [term('viscosity of the rod', 'damping', this.viscosity(damping))] : []),
    ];
  }

  /** ξ − ξ* */
  private departure(): readonly Expr[] {
    return this.strain.map((e, c) => minus(e, this.rest[c]!));
  }

  /** K q + ∫ ξ_aᵀ Σ (ξ_0 − ξ*) ds with ξ_0 the strain at q = 0. */
  private linearElasticity(): ElasticParts {
    const { stiffness } = this.section;
    const atZero = substitute(this.departure(), new Map(this.symbols.q.map((q) => [q, zero])));
    const start = this.project('prestress', 0, atZero, stiffness);
    const matrix = this.matrix('stiffness', 0, stiffness);
    const generalized = product(matrix, this.symbols.q).map((e, a) => plus(start[a]!, e));
    // V_0 + ½ (Q(0) + Q(q)) · q
    const work = this.symbols.q.map((q, a) => times(half, plus(start[a]!, generalized[a]!), q));
    return { generalized, matrix, energy: plus(this.stored('stored_at_zero', 0, atZero, stiffness), ...work) };
  }

  private elasticity(stiffness: readonly Expr[]): ElasticParts {
    const departure = this.departure();
    return {
      generalized: this.project('elastic', 1, departure, stiffness),
      matrix: this.matrix('stiffness', 3, stiffness, departure),
      energy: this.stored('stored', 3, departure, stiffness),
    };
  }

  /** ½ ∫ wᵀ S w ds */
  private stored(name: string, stage: LoopStage, w: readonly Expr[], perLength: readonly Expr[]): Expr {
    const term = plus(...perLength.map((s, c) => times(half, s, square(w[c]!))));
    return this.line.integrate(name, stage, [{ label: 'energy', term }])[0]!;
  }

  private viscosity(damping: readonly Expr[]): Pick<ForceTerm, 'generalized' | 'matrix'> {
    if (this.isLinear) {
      const matrix = this.matrix('damping', 0, damping);
      return { generalized: product(matrix, this.symbols.qd), matrix };
    }
    const rates = this.strain.map((_, c) =>
      plus(this.explicit[c]!, ...this.symbols.qd.map((qd, a) => times(this.partial[a]![c]!, qd))),
    );
    return {
      generalized: this.project('damping', 2, rates, damping),
      matrix: this.matrix('dissipation', 3, damping),
    };
  }

  /** ∫ ξ_aᵀ S ξ_b + ξ_abᵀ S w ds, the second part where there is a w. In the last stage it is formed when it is asked for. */
  private matrix(
    name: string,
    stage: LoopStage,
    perLength: readonly Expr[],
    w: readonly Expr[] = this.strain.map(() => zero),
  ): readonly Expr[] {
    const terms = this.partial.flatMap((left, a) =>
      this.partial.slice(0, a + 1).map((right, b) => {
        const bend = differentiateAll(left, this.symbols.q[b]!);
        const entries = perLength.flatMap((s, c) => [times(left[c]!, s, right[c]!), times(bend[c]!, s, w[c]!)]);
        return { label: `${a + 1}_${b + 1}`, term: plus(...entries) };
      }),
    );
    const values = this.line.integrate(name, stage, terms);
    return symmetricMatrix(this.partial.length, (a, b) => values[(a * (a + 1)) / 2 + b]!);
  }

  /** ∫ ξ_aᵀ S w ds */
  private project(name: string, stage: LoopStage, w: readonly Expr[], perLength: readonly Expr[]): readonly Expr[] {
    const terms = this.partial.map((partial, a) => ({
      label: `on_${a + 1}`,
      term: plus(...perLength.map((s, c) => times(partial[c]!, s, w[c]!))),
    }));
    return this.line.integrate(name, stage, terms);
  }
}

type ElasticParts = Required<Pick<ForceTerm, 'generalized' | 'matrix' | 'energy'>>;

function product(matrix: readonly Expr[], v: readonly Expr[]): readonly Expr[] {
  return v.map((_, a) => plus(...v.map((e, b) => times(matrix[a * v.length + b]!, e))));
}

/** ∫ … ds along a rod: a product with its length where the integrand is the same everywhere, a sum over points elsewhere. */
class LineIntegrals {
  private readonly axial: Expr;
  private readonly length: Expr;
  private readonly rows: RodLoops;
  private readonly kept: KeptValues;
  private readonly section: Expr;
  private readonly weight: Expr;

  constructor(type: BodyType, points: number) {
    const [volume] = rodVolumes(type);
    this.axial = volume.axial;
    this.length = minus(volume.end, volume.start);
    const { table, section, weight } = sectionPoints(panelEnds(type, volume), points, 'material');
    this.rows = new RodLoops(table);
    this.kept = this.rows.keeper('material', 0);
    this.section = this.kept.keep('s', section);
    this.weight = this.kept.keep('length', weight);
  }

  integrate(
    name: string,
    stage: LoopStage,
    terms: readonly { readonly label: string; readonly term: Expr }[],
  ): readonly Expr[] {
    const own = new Set([this.axial]);
    const varying = terms.filter(({ term }) => dependsOn(term, own));
    const at = new Map([[this.axial, this.section]]);
    const sums =
      varying.length === 0
        ? []
        : this.rows.add({
            name,
            stage,
            sums: varying.map(({ label, term }) => ({ label, term: times(this.weight, substitute([term], at)[0]!) })),
          }).sums;
    const results = new Map(varying.map(({ label }, i) => [label, sums[i]! as Expr]));
    return terms.map(({ label, term }) => results.get(label) ?? times(this.length, term));
  }

  loops(): readonly Loop[] {
    return this.rows.loops();
  }
}
