/**
 * Closed forms for rods outside the Stumpff class: the position in separated form (`integration/general-form.ts`), its
 * Gram integrals with the help of nerdamer, and derivatives of integrals as integrals of derivatives.
 *
 * Nothing is taken on trust: every integral must agree with quadrature, in double precision, at configurations that
 * include zero and its neighbourhood. A pole that does not cancel, or one that cancels digits away, shows there, and then
 * the body has no closed form; quadrature takes over.
 */
import { differentiate } from '../../symbolic/graph/differentiate.ts';
import { KanegenError } from '../../common/error.ts';
import { decimalOfPrecision, evaluate, evaluateDecimal, exactDecimal } from '../../symbolic/evaluation/evaluate.ts';
import { one, symbol, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { toText } from '../../symbolic/formulas/print.ts';
import { freeSymbols, substituteOne } from '../../symbolic/graph/traverse.ts';
import type { Vector3 } from '../../symbolic/graph/vector.ts';
import { toGeneralForm, type GeneralForm } from '../../integration/exact/general-form.ts';
import { GeneralIntegrals } from '../../integration/exact/general-integrals.ts';
import type { IntegralReport } from '../../integration/exact/gram.ts';
import { describeOutcome } from '../../integration/exact/nerdamer-integral.ts';
import { rodsOf, type BodyType } from '../../description/model/robot.ts';
import { BodyFields, ContractionModel, type FieldFamily, type FunctionScalar } from './contraction.ts';
import { spinMatrix, type CoordinateSymbols, type Motion } from '../equations/recursion.ts';
import { coordinateRanges, sampleConfigurations, type ParameterValues } from '../kinematics/sample-configurations.ts';

/** What came of the attempt, and all that `explain` has to say about it. */
export interface GeneralClosedForm {
  /** Null where quadrature has to take over. */
  readonly fields: BodyFields | null;
  /** Why there is no closed form; null where there is one. */
  readonly rejected: string | null;
  readonly reports: readonly IntegralReport[];
  /** What nerdamer was asked, one sentence each: confirmed, wrong and discarded, not solved, stopped. */
  readonly questions: readonly string[];
}

/** Material functions as expressions, with derivatives as they are needed. */
class GeneralFamily implements FieldFamily {
  readonly form: GeneralForm['terms'];
  private readonly parameters: GeneralForm['scalars'];
  /** 0: the constant function; then those of the form; then derivatives. */
  private readonly functions: Expr[];
  private readonly integrals: GeneralIntegrals;
  private readonly gram = new Map<Expr, Expr>();

  constructor({ terms, scalars }: GeneralForm, integrals: GeneralIntegrals) {
    this.form = terms;
    this.parameters = scalars;
    this.functions = [one, ...terms.map((t) => t.function)];
    this.integrals = integrals;
  }

  scalars(index: number): readonly FunctionScalar[] {
    return [...this.parameters].flatMap(([name, value]) => {
      const derivative = differentiate(this.functions[index]!, name);
      return derivative === zero ? [] : [{ value, derivative: this.indexOf(derivative) }];
    });
  }

  private indexOf(f: Expr): number {
    const known = this.functions.indexOf(f);
    return known >= 0 ? known : this.functions.push(f) - 1;
  }

  product(i: number, j: number): Expr {
    const integrand = times(this.functions[i]!, this.functions[j]!);
    const known = this.gram.get(integrand) ?? this.integrals.integrate(integrand);
    this.gram.set(integrand, known);
    return known;
  }

  /** All integrals that were asked for, by integrand. */
  get integrated(): ReadonlyMap<Expr, Expr> {
    return this.gram;
  }
}

/**
 * The closed form of a body over one rod with Cartesian section coordinates.
 * @param position of a material point, over material coordinates, parameters and coordinates.
 * @param parameters numbers for the type's parameters, of different links, for the comparison with quadrature.
 */
export function closedFormByNerdamer(
  type: BodyType,
  position: Vector3,
  symbols: CoordinateSymbols,
  parameters: readonly ParameterValues[],
): GeneralClosedForm {
  const rods = rodsOf(type);
  const rod = { ...rods[0], sections: rods };
  let integrals = new GeneralIntegrals(rod);
  const outcome = (fields: BodyFields | null, rejected: string | null): GeneralClosedForm => ({
    fields,
    rejected,
    reports: integrals.reports,
    questions: integrals.questions.map(describeOutcome),
  });
  try {
    const moving = new Set<Expr>([...type.coordinates.map((c) => c.symbol), ...(type.time ? [type.time] : [])]);
    const form = toGeneralForm(position, rod, moving);
    integrals = new GeneralIntegrals(rod, form.scalars);
    const family = new GeneralFamily(form, integrals);
    const fields = new BodyFields(family, symbols);
    const groups = demands(fields);
    const candidate = { type, form, groups, integrated: family.integrated, integrals };
    const flaws = parameters.map((values) => findFlaw(candidate, values));
    const flaw = flaws.find((found) => found !== undefined);
    return flaw === undefined ? outcome(fields, null) : outcome(null, flaw);
  } catch (error) {
    if (error instanceof KanegenError) return outcome(null, error.message);
    throw error;
  }
}

/** Everything that the equations of motion will need of the integrals, in groups of one dimension. */
function demands(fields: BodyFields): readonly (readonly Expr[])[] {
  const model = new ContractionModel(fields);
  const vector = (name: string): Vector3 => [
    symbol(`frame.${name}x`),
    symbol(`frame.${name}y`),
    symbol(`frame.${name}z`),
  ];
  const motion: Motion = {
    angularVelocity: vector('w'),
    angularAcceleration: vector('alpha'),
    acceleration: vector('a'),
  };
  const { moments, unitWrenches } = model;
  const inertial = model.wrench(motion, spinMatrix(motion));
  return [
    [moments.mass],
    moments.first,
    moments.inertia,
    ...unitWrenches.flatMap((w) => [w.force, w.moment, w.generalized]),
    inertial.force,
    inertial.moment,
    inertial.generalized,
    [model.kineticEnergy(motion.angularVelocity, motion.acceleration)],
  ];
}

interface Candidate {
  readonly type: BodyType;
  readonly form: GeneralForm;
  readonly groups: readonly (readonly Expr[])[];
  readonly integrated: ReadonlyMap<Expr, Expr>;
  readonly integrals: GeneralIntegrals;
}

/** A closed form is taken for exact, whatever error its body may have. */
const LARGEST_LOSS = 1e-11;

/** Distances from special configurations at which digits would be lost. */
const CLOSE = [0, 1e-6, 1e-3];
const GENERIC = 8;

/** Configurations where a closed form must be as good as quadrature: generic, zero, each coordinate zero, and close to these. */
function testConfigurations(type: BodyType, parameters: ParameterValues): number[][] {
  const generic = sampleConfigurations(coordinateRanges(type, parameters), GENERIC);
  const [start] = generic as [number[]];
  const partly = generic[1]!.flatMap((_, a) => CLOSE.map((d) => generic[1]!.map((x, i) => (i === a ? d * x : x))));
  const close = CLOSE.flatMap((d) => [
    generic[2]!.map((x) => d * x),
    start.map((x, i) => x + d * (generic[2]![i]! - x)),
  ]);
  return [...generic, ...partly, ...close];
}

/** Why the closed form cannot be used: where it is not finite, contradicted by quadrature, or short of digits. */
function findFlaw(
  { type, form, groups, integrated, integrals }: Candidate,
  parameters: ParameterValues,
): string | undefined {
  const coefficients = form.terms.flatMap((t) => [...t.coefficient]);
  const motion = freeSymbols(groups.flat()).filter((s) => /^(frame|rate|acceleration)\./.test(s.name));
  const scales: number[] = [];
  const tolerance = Math.min(LARGEST_LOSS, type.integration.tolerance);
  for (const q of testConfigurations(type, parameters)) {
    const values = new Map<Expr, number>(parameters);
    type.coordinates.forEach((c, i) => values.set(c.symbol, q[i]!));
    if (type.time) values.set(type.time, 0);
    const place = `at ${type.coordinates.map((c, i) => `${c.name} = ${Number(q[i]!.toPrecision(3))}`).join(', ')}`;
    if (!evaluate(coefficients, values).every(Number.isFinite)) return `the separated kinematics has a pole ${place}`;
    for (const [name, value] of form.scalars) values.set(name, evaluate([value], values)[0]!);
    const wrong = contradictedIntegral(integrated, integrals, values, tolerance);
    if (wrong) return `the closed form of ∫ ${toText(substituteOne(wrong, form.scalars))} dm is not good ${place}`;
    motion.forEach((s, i) => values.set(s, Math.sin(3 * i + 1)));
    const loss = lostDigits(groups, values, scales);
    if (!(loss <= tolerance)) return `the closed form cancels ${place} (relative error ${loss.toExponential(0)})`;
  }
  return undefined;
}

/** An integrand whose closed form differs from quadrature, both in double precision. */
function contradictedIntegral(
  integrated: ReadonlyMap<Expr, Expr>,
  integrals: GeneralIntegrals,
  values: ReadonlyMap<Expr, number>,
  tolerance: number,
): Expr | undefined {
  const found = evaluate([...integrated.values()], values);
  return [...integrated.keys()].find((integrand, i) => {
    if (!Number.isFinite(found[i])) return true;
    const expected = integrals.integrateNumerically(integrand, values);
    return expected !== undefined && Math.abs(found[i]! - expected.value) > tolerance * expected.magnitude;
  });
}

const Wide = decimalOfPrecision(50);

/**
 * Largest error of double precision, on the scale of each group.
 * @param scales largest magnitudes met so far, raised here: a group may vanish at special configurations.
 */
function lostDigits(groups: readonly (readonly Expr[])[], values: ReadonlyMap<Expr, number>, scales: number[]): number {
  const exact = new Map([...values].map(([s, value]) => [s, exactDecimal(value, Wide)] as const));
  let worst = 0;
  for (const [k, group] of groups.entries()) {
    const [rough, fine] = [evaluate(group, values), evaluateDecimal(group, exact, Wide)];
    const scale = Math.max(scales[k] ?? 0, ...fine.map((x) => x.abs().toNumber()));
    scales[k] = scale;
    rough.forEach((x, i) => {
      const error = Number.isFinite(x) ? fine[i]!.minus(x).abs().toNumber() : Infinity;
      if (!(error === 0)) worst = Math.max(worst, Number.isNaN(error) ? Infinity : error / scale);
    });
  }
  return worst;
}
