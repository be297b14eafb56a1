/**
 * Bodies in closed form: separated kinematics, integrals by table or by nerdamer, and the cheaper of two models.
 */
import { KanegenError } from '../../common/error.ts';
import { foldConstants } from '../../symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { freeSymbols } from '../../symbolic/graph/traverse.ts';
import { frameEntries, type Vector3 } from '../../symbolic/graph/vector.ts';
import { RodIntegrals, type IntegralReport } from '../../integration/exact/gram.ts';
import type { MaterialForm } from '../../integration/exact/material-form.ts';
import { rodsOf, type BodyType } from '../../description/model/robot.ts';
import type { BodyModel } from '../body/body-model.ts';
import { bodyKinematics } from '../kinematics/body-kinematics.ts';
import { ClosedPart } from './closed-part.ts';
import { BodyFields, ContractionModel, MaterialFamily } from './contraction.ts';
import { closedFormByNerdamer } from './general-closed-form.ts';
import { linkCoordinate } from '../link/link-coordinate.ts';
import { costOfPart } from '../link/part-cost.ts';
import { pointKinematics } from '../kinematics/point-kinematics.ts';
import { simplest, type CoordinateSymbols } from '../equations/rates.ts';
import type { FrameStep } from '../equations/recursion.ts';
import { defaultParameters, type ParameterValues } from '../kinematics/sample-configurations.ts';
import { atUndefinedPart, irregular } from '../kinematics/smooth-kinematics.ts';
import { mapIntegrals, ShapeIntegralModel, type ShapeIntegrals } from './shape-integrals.ts';

export interface ClosedBody {
  /** Proximal → distal, moved by the body's coordinates. */
  readonly distal: FrameStep;
  /** Coefficients b_i of p = Σ β_i b_i. */
  readonly coefficients: readonly Vector3[];
  /** With the functions β_i, where these are of the Stumpff class; null for others. */
  readonly form: MaterialForm | null;
  readonly fields: BodyFields;
  readonly model: BodyModel;
  /** Shape integrals in their shortest form; computed on demand. */
  readonly integrals: () => ShapeIntegrals;
  readonly reports: readonly IntegralReport[];
  /** What nerdamer was asked and what became of it. */
  readonly questions: readonly string[];
  /** Operations of inverse dynamics under each model. */
  readonly costs: Readonly<Record<'shapeIntegrals' | 'contraction', number>>;
}

/**
 * By the Stumpff calculus.
 * @throws KanegenError `no-closed-form`, `irregular-kinematics`, `singular-contact`, located in the robot file.
 */
export function stumpffClosedBody(type: BodyType, symbols: CoordinateSymbols): ClosedBody {
  const { form, distal } = bodyKinematics(type);
  try {
    const rods = rodsOf(type);
    const integrals = new RodIntegrals({ ...rods[0], sections: rods });
    const fields = new BodyFields(new MaterialFamily(form, integrals), symbols);
    const favoured = mayFavourShapeIntegrals(type, form);
    const body = withModel(type, symbols, { distal, fields, favoured });
    const closed = { ...body, form, coefficients: form.map((t) => t.coefficient), reports: integrals.reports };
    requireFinite(type, closed);
    return { ...closed, questions: [] };
  } catch (error) {
    if (error instanceof KanegenError) throw error.at(type.locations.kinematics);
    throw error;
  }
}

/**
 * With the help of nerdamer.
 * @param parameters numbers of different links, for the comparison with quadrature.
 * @throws KanegenError `no-closed-form` with the reason.
 */
export function nerdamerClosedBody(
  type: BodyType,
  symbols: CoordinateSymbols,
  parameters: readonly [ParameterValues, ...ParameterValues[]],
): ClosedBody {
  const { position, distal } = pointKinematics(type, parameters[0]);
  const { fields, rejected, reports, questions } = closedFormByNerdamer(type, position, symbols, parameters);
  if (!fields)
    throw new KanegenError('no-closed-form', `no closed form with nerdamer's help either: ${rejected ?? 'unknown'}`, {
      remedy: 'leave out `integration: closed-form`',
    }).at(type.locations.kinematics);
  const coefficients = fields.family.form.map((t) => t.coefficient);
  return {
    ...withModel(type, symbols, { distal, fields, favoured: false }),
    form: null,
    coefficients,
    reports,
    questions,
  };
}

/**
 * Are shape integrals worth forming, to compare their cost? They win where products of coefficients collapse by the
 * Stumpff relations: few coordinates and one of them alone in each bending angle. With an angle made of several
 * coordinates (|κ| in space) they were three times as expensive at three coordinates and take seconds to form at four.
 * They leave explicit time out.
 */
function mayFavourShapeIntegrals(type: BodyType, form: MaterialForm): boolean {
  if (type.time) return false;
  const own = new Set<Expr>(type.coordinates.map((c) => c.symbol));
  const angles = new Set(form.flatMap((t) => (t.function.argument ? [t.function.argument] : [])));
  const planar = [...angles].every((angle) => freeSymbols([angle]).filter((s) => own.has(s)).length <= 1);
  return type.coordinates.length <= (planar ? 4 : 2);
}

function withModel(
  type: BodyType,
  symbols: CoordinateSymbols,
  { distal, fields, favoured }: { distal: FrameStep; fields: BodyFields; favoured: boolean },
): Pick<ClosedBody, 'distal' | 'fields' | 'model' | 'integrals' | 'costs'> {
  const coordinates = type.coordinates.map(linkCoordinate);
  const parameters = type.parameters.map((p) => p.symbol);
  const cost = (model: BodyModel): number =>
    costOfPart(new ClosedPart({ step: distal, model, coordinates, time: type.time }), coordinates, parameters)
      .operations;
  let shape: ShapeIntegrals | undefined;
  const integrals = (): ShapeIntegrals => (shape ??= mapIntegrals(fields.shapeIntegrals(), simplest));
  const contraction = new ContractionModel(fields);
  const costs = { shapeIntegrals: Infinity, contraction: cost(contraction) };
  let model: BodyModel = contraction;
  if (favoured) {
    const byShape = new ShapeIntegralModel(integrals(), symbols);
    costs.shapeIntegrals = cost(byShape);
    if (costs.shapeIntegrals <= costs.contraction) model = byShape;
  }
  return { distal, fields, model, integrals, costs };
}

/** The straight configuration (every default) must give finite integrals and projectors. */
function requireFinite(type: BodyType, body: Pick<ClosedBody, 'distal' | 'coefficients'>): void {
  const entries = [...frameEntries(body.distal.frame), ...body.coefficients.flat()];
  const known = new Map<Expr, Expr>(
    [...type.parameters, ...type.coordinates].map((quantity) => [quantity.symbol, quantity.value]),
  );
  if (freeSymbols(entries).some((s) => !known.has(s))) return; // parameters without defaults: checked per link
  const values = foldConstants(entries, known);
  if (!values.every(Number.isFinite)) throw atUndefinedPart(irregular('the kinematics'), type, defaultParameters(type));
}
