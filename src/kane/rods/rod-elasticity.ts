/**
 * Linear elasticity and Kelvin–Voigt damping of rods whose sections stay rigid, by virtual work on the strain of their centreline:
 *   elastic_a = ∫ ξ_aᵀ Σ (ξ − ξ*) ds,   damping_a = ∫ ξ_aᵀ Υ ξ̇ ds,
 * where ξ* has the natural strain, which may depend on the time, beside that at rest,
 * with Σ and Υ from `section-stiffness.ts`, and their derivatives ∂elastic_a/∂q_b = ∫ ξ_aᵀ Σ ξ_b + ξ_abᵀ Σ (ξ − ξ*) ds, ∂damping_a/∂q̇_b = ∫ ξ_aᵀ Υ ξ_b ds.
 * Σ may vary along the rod. Where the strain is linear in q both matrices are known with the parameters, and the forces are products with them.
 */
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { KanegenError } from '../../common/error.ts';
import { half, minus, plus, times, zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { exactIntegral } from '../../integration/exact/exact-integral.ts';
import { dependsOn, substitute } from '../../symbolic/graph/traverse.ts';
import type { BodyType, StrainKinematics } from '../../description/model/robot.ts';
import { materialFormulas, type RodMaterial } from '../../description/model/material.ts';
import {
  coordinateRanges,
  defaultParameters,
  sampleConfigurations,
  type ParameterValues,
} from '../kinematics/sample-configurations.ts';
import { loopsNeeded, type Loop, type LoopStage } from '../loops/loop.ts';
import { symmetricMatrix, type ForceKind, type ForceTerm } from '../body/force-terms.ts';
import { simplest, type CoordinateSymbols } from '../equations/rates.ts';
import { linePoints, lineSamples } from '../rod-points/line-points.ts';
import { panelEnds, placesKnown, sectionPoints, slidingOf } from '../rod-points/rod-points.ts';
import { RodLoops, type KeptValues } from '../rod-points/rod-rows.ts';
import { rodVolumes } from './rod-section.ts';
import { productTerms, sectionMatrices, type SectionMatrices, type StrainMatrix } from './section-stiffness.ts';
import { sectionStrain } from '../kinematics/section-strain.ts';
import { twistEntries } from '../rod-points/rod-twist.ts';

/**
 * @param parameters of the links that share the type.
 * @param points that the rod has on every panel for its inertial terms: strains, sections and materials that vary along it get as
 *   many, or more.
 * @throws KanegenError `not-supported` for volumes that are no rods over the same length, `tolerance-not-met`.
 */
export function rodElasticity(
  type: BodyType,
  symbols: CoordinateSymbols,
  parameters: readonly ParameterValues[] = [defaultParameters(type)],
  points = 20,
): readonly ForceTerm[] {
  const { materials } = type;
  if (!materials) return [];
  const kinematics = sectionStrain(type, parameters[0]!);
  return new StrainEnergy({ ...type, materials, kinematics }, symbols, parameters, points).forces();
}

type ElasticRod = BodyType & { readonly materials: readonly RodMaterial[]; readonly kinematics: StrainKinematics };

class StrainEnergy {
  private readonly symbols: CoordinateSymbols;
  private readonly strain: readonly Expr[];
  private readonly rest: readonly Expr[];
  private readonly section: SectionMatrices;
  /** ∂ξ/∂q_a, and ∂ξ/∂time. */
  private readonly partial: readonly (readonly Expr[])[];
  private readonly explicit: readonly Expr[];
  private readonly line: RodSums;
  private readonly isLinear: boolean;

  constructor(type: ElasticRod, symbols: CoordinateSymbols, parameters: readonly ParameterValues[], points: number) {
    const { kinematics } = type;
    this.symbols = symbols;
    this.strain = twistEntries(kinematics);
    const { natural } = type;
    this.rest = twistEntries(kinematics.rest).map((e, c) => (natural ? plus(e, natural[c]!) : e));
    this.partial = symbols.q.map((q) => differentiateAll(this.strain, q).map(simplest));
    this.explicit = symbols.time ? differentiateAll(this.strain, symbols.time) : this.strain.map(() => zero);
    const moving = new Set<Expr>([...symbols.q, ...(symbols.time ? [symbols.time] : [])]);
    this.isLinear =
      !slidingOf(type) &&
      this.partial.every((list) => list.every((e) => !dependsOn(e, moving))) &&
      !this.isTimed(this.strain);
    const perLength = sectionMatrices(type, type.materials);
    const along = new Set<Expr>([rodVolumes(type)[0].axial]);
    const varies = (list: readonly Expr[]): boolean => list.some((e) => dependsOn(e, along));
    const needed = pointsFor(type, this.integrands(perLength), parameters, points);
    const line = new LineIntegrals(type, needed);
    // Of a rod whose strain is the same all along the stiffness is a number of the whole rod.
    const isUniform =
      !varies([...this.strain, ...this.rest]) && varies([...perLength.stiffness, ...(perLength.damping ?? [])]);
    this.section = isUniform ? wholeStiffness(perLength, line) : perLength;
    this.line = isUniform ? new UniformRod(line) : line;
  }

  private isTimed(strain: readonly Expr[]): boolean {
    const { time } = this.symbols;
    return time !== undefined && strain.some((e) => dependsOn(e, new Set([time])));
  }

  /** What is summed along the rod is as smooth as these. */
  private integrands({ stiffness, damping }: SectionMatrices): readonly Expr[] {
    const quadratic = (perLength: StrainMatrix, w: readonly Expr[]): Expr => plus(...productTerms(perLength, w, w));
    return [
      quadratic(stiffness, this.departure()),
      ...this.partial.flatMap((w) => [quadratic(stiffness, w), ...(damping ? [quadratic(damping, w)] : [zero])]),
    ];
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
      ...(damping ? [term('viscosity of the rod', 'damping', this.viscosity(damping))] : []),
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
    // A natural strain may move with the time.
    const [ofForces, ofEnergy]: [LoopStage, LoopStage] = this.isTimed(atZero) ? [1, 3] : [0, 0];
    const start = this.project('prestress', ofForces, atZero, stiffness);
    const matrix = this.matrix('stiffness', 0, stiffness);
    const generalized = product(matrix, this.symbols.q).map((e, a) => plus(start[a]!, e));
    // V_0 + ½ (Q(0) + Q(q)) · q
    const work = this.symbols.q.map((q, a) => times(half, plus(start[a]!, generalized[a]!), q));
    return { generalized, matrix, energy: plus(this.stored('stored_at_zero', ofEnergy, atZero, stiffness), ...work) };
  }

  private elasticity(stiffness: StrainMatrix): ElasticParts {
    const departure = this.departure();
    return {
      generalized: this.project('elastic', 1, departure, stiffness),
      matrix: this.matrix('stiffness', 3, stiffness, departure),
      energy: this.stored('stored', 3, departure, stiffness),
    };
  }

  /** ½ ∫ wᵀ S w ds */
  private stored(name: string, stage: LoopStage, w: readonly Expr[], perLength: StrainMatrix): Expr {
    const term = plus(...productTerms(perLength, w, w).map((e) => times(half, e)));
    return this.line.integrate(name, stage, [{ label: 'energy', term }])[0]!;
  }

  private viscosity(damping: StrainMatrix): Pick<ForceTerm, 'generalized' | 'matrix'> {
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
    perLength: StrainMatrix,
    w: readonly Expr[] = this.strain.map(() => zero),
  ): readonly Expr[] {
    const terms = this.partial.flatMap((left, a) =>
      this.partial.slice(0, a + 1).map((right, b) => {
        const bend = differentiateAll(left, this.symbols.q[b]!);
        const entries = [...productTerms(perLength, left, right), ...productTerms(perLength, bend, w)];
        return { label: `${a + 1}_${b + 1}`, term: plus(...entries) };
      }),
    );
    const values = this.line.integrate(name, stage, terms);
    return symmetricMatrix(this.partial.length, (a, b) => values[(a * (a + 1)) / 2 + b]!);
  }

  /** ∫ ξ_aᵀ S w ds */
  private project(name: string, stage: LoopStage, w: readonly Expr[], perLength: StrainMatrix): readonly Expr[] {
    const terms = this.partial.map((partial, a) => ({
      label: `on_${a + 1}`,
      term: plus(...productTerms(perLength, partial, w)),
    }));
    return this.line.integrate(name, stage, terms);
  }
}

type ElasticParts = Required<Pick<ForceTerm, 'generalized' | 'matrix' | 'energy'>>;

function product(matrix: readonly Expr[], v: readonly Expr[]): readonly Expr[] {
  return v.map((_, a) => plus(...v.map((e, b) => times(matrix[a * v.length + b]!, e))));
}

/** What integrals along a rod are asked of. */
interface RodSums {
  integrate(
    name: string,
    stage: LoopStage,
    terms: readonly { readonly label: string; readonly term: Expr }[],
  ): readonly Expr[];
  loops(): readonly Loop[];
}

/** Of terms over stiffness of the whole rod: nothing is left to integrate. */
class UniformRod implements RodSums {
  private readonly line: RodSums;

  constructor(line: RodSums) {
    this.line = line;
  }

  integrate(_name: string, _stage: LoopStage, terms: readonly { readonly term: Expr }[]): readonly Expr[] {
    return terms.map(({ term }) => term);
  }

  loops(): readonly Loop[] {
    return this.line.loops();
  }
}

/** ∫ Σ ds: in closed form where there is one, by a sum that parameters decide elsewhere. */
function wholeStiffness({ stiffness, damping }: SectionMatrices, line: LineIntegrals): SectionMatrices {
  const whole = (name: string, perLength: StrainMatrix): StrainMatrix => {
    const exact = new Map(perLength.map((e) => [e, line.exactly(e)]));
    const summed = [...exact].flatMap(([term, value]) =>
      value ? [] : [{ label: labelOf(perLength.indexOf(term)), term }],
    );
    line.integrate(name, 0, summed).forEach((sum, k) => exact.set(summed[k]!.term, sum));
    return perLength.map((e) => exact.get(e)!);
  };
  return {
    stiffness: whole('section_stiffness', stiffness),
    damping: damping && whole('section_damping', damping),
  };
}

/** The number of a strain, or of two of them. */
function labelOf(entry: number): string {
  const [row, column] = [Math.floor(entry / 6) + 1, (entry % 6) + 1];
  return row === column ? String(row) : `${row}_${column}`;
}

/** Of all links with different parameters that are looked at. */
const MOST_LINKS = 6;
const CONFIGURATIONS = 12;

/** Points on every panel by which the integrals are within the tolerance. */
function pointsFor(
  type: ElasticRod,
  integrands: readonly Expr[],
  parameters: readonly ParameterValues[],
  least: number,
): number {
  const { integration, materials, provenance, locations } = type;
  const [volume] = rodVolumes(type);
  const along = new Set<Expr>([volume.axial]);
  if (integration.points !== undefined || !integrands.some((e) => dependsOn(e, along))) return least;
  const ends = panelEnds(type, volume);
  const samples = parameters
    .slice(0, MOST_LINKS)
    .flatMap((numbers) =>
      lineSamples(type, ends, numbers, sampleConfigurations(coordinateRanges(type, numbers), CONFIGURATIONS)),
    );
  const { points, error } = linePoints(integrands, volume.axial, samples, integration.tolerance, least);
  if (error <= integration.tolerance) return points;
  const problem = new KanegenError(
    'tolerance-not-met',
    `${points} points along the rod leave a relative error of ${error.toExponential(1)} in its elastic energy where ${integration.tolerance} is asked for`,
    { remedy: 'write a smoother material, give the volume `breaks` where it has kinks, or a larger `tolerance`' },
  );
  const formula = materials.flatMap(materialFormulas).find((e) => dependsOn(e, along));
  throw formula ? provenance.locate(problem, formula, locations.kinematics) : problem.at(locations.kinematics);
}

/** ∫ … ds along a rod: a product with its length where the integrand is the same everywhere, a sum over points elsewhere. */
class LineIntegrals implements RodSums {
  private readonly type: BodyType;
  private readonly axial: SymbolExpr;
  private readonly length: Expr;
  private readonly rows: RodLoops;
  private readonly kept: KeptValues;
  private readonly section: Expr;
  private readonly weight: Expr;

  constructor(type: BodyType, points: number) {
    const [volume] = rodVolumes(type);
    this.type = type;
    this.axial = volume.axial;
    this.length = minus(volume.end, volume.start);
    const { table, section, weight } = sectionPoints(panelEnds(type, volume), points, 'material');
    this.rows = new RodLoops(table);
    this.kept = this.rows.keeper('material', placesKnown(type));
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

  /** ∫ e ds without a sum, where the formula has an integral that is known. */
  exactly(e: Expr): Expr | undefined {
    const [{ start, end, axial }] = rodVolumes(this.type);
    return exactIntegral(e, axial, start, end);
  }

  loops(): readonly Loop[] {
    return this.rows.loops();
  }
}
