/**
 * Bodies integrated over points, with or without anything left to sum when the robot moves.
 */
import type { KanegenError } from '../../common/error.ts';
import { RowProgram } from '../../symbolic/evaluation/evaluate-rows.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import type { Vector3 } from '../../symbolic/graph/vector.ts';
import type { StateSample } from '../../integration/rules/compress.ts';
import type { ChosenRule } from '../../integration/rules/point-rule.ts';
import type { ToleranceNotMet } from '../../integration/choice/tolerance-not-met.ts';
import type { BodyType } from '../../description/model/robot.ts';
import type { Volume } from '../../description/model/reference-volume.ts';
import { withAffordableRange } from '../kinematics/affordable-range.ts';
import type { BodyPart } from '../body/body-part.ts';
import { ClosedPart } from '../closed/closed-part.ts';
import type { BodyWay } from '../link/body-way.ts';
import { ConstantSums } from './constant-sums.ts';
import { ConstantTensorModel, modeProducts, separateModes } from './constant-tensors.ts';
import { materialSymbolsOf } from '../kinematics/distal-frame.ts';
import { linkCoordinate } from '../link/link-coordinate.ts';
import { FormulaField } from '../kinematics/point-field.ts';
import { Orientation } from './orientation.ts';
import { pointField, pointKinematics } from '../kinematics/point-kinematics.ts';
import { PointModel } from './point-model.ts';
import { boundRule, choosePointRules, dynamicIntegrands, forConstants, movingStates } from './point-rules.ts';
import type { CoordinateSymbols } from '../equations/rates.ts';
import { operationsPerRow } from '../loops/row-constants.ts';
import { coordinateRanges, widestRange, type ParameterValues } from '../kinematics/sample-configurations.ts';
import { atUndefinedPart, irregular } from '../kinematics/smooth-kinematics.ts';

/** States at which rules are chosen and checked, in all and for each link with other parameters. */
const STATES = 18;
const STATES_PER_LINK = 6;
/** Wide limits take more of them, up to so many times as many: a rule knows the functions that it was made for. */
const MOST_TIMES = 4;

type Way = Omit<BodyWay, 'cost' | 'forces' | 'point' | 'frame' | 'centreline'>;

/**
 * Sums over points.
 * @param parameters numbers of different links.
 * @param isWorthwhile asked with the operations per point before a rule is chosen.
 */
export function pointWay(
  type: BodyType,
  symbols: CoordinateSymbols,
  parameters: readonly [ParameterValues, ...ParameterValues[]],
  isWorthwhile: (operationsPerPoint: number) => boolean,
): Way | string {
  const kinematics = pointKinematics(type, parameters[0]);
  const { position, distal } = kinematics;
  const field = pointField(type, kinematics, symbols);
  const integrands = dynamicIntegrands(new FormulaField(position, symbols));
  const material = materialSymbolsOf(type.volumes);
  const forces = integrands.slice(-(6 + symbols.q.length));
  const perPoint = operationsPerRow(forces, material);
  if (!isWorthwhile(perPoint)) return `at ${perPoint} operations per point no rule could be cheaper`;
  const samples = statesOf(type, position, symbols, parameters, statesFor(type, parameters));
  requireRegular(type, integrands, samples[0]!);
  const chosen = choosePointRules(type, integrands, samples, spreadOf(type, parameters));
  const rules = chosen.map((c) => c.rule);
  const coordinates = type.coordinates.map(linkCoordinate);
  const part = (): BodyPart =>
    new ClosedPart({
      step: distal,
      model: new PointModel({
        field,
        rules,
        coordinates,
        parameters: type.parameters.map((p) => p.symbol),
        time: type.time,
      }),
      coordinates,
      time: type.time,
    });
  return { method: 'sums over points', ...summary(chosen), part };
}

/** Why no rule met the tolerance, and over which range one would. */
export function unmetByPoints(
  problem: ToleranceNotMet,
  type: BodyType,
  symbols: CoordinateSymbols,
  parameters: readonly [ParameterValues, ...ParameterValues[]],
): KanegenError {
  const uncompressed = { ...type.integration, compress: false };
  return withAffordableRange(problem, {
    type,
    ranges: coordinateRanges(type, parameters[0]),
    formulas: pointKinematics(type, parameters[0]).position,
    pointsFor: (narrower) => {
      const { position } = pointKinematics(narrower, parameters[0]);
      const samples = statesOf(narrower, position, symbols, parameters, statesFor(narrower, parameters));
      const integrands = dynamicIntegrands(new FormulaField(position, symbols));
      const spread = spreadOf(narrower, parameters);
      const chosen = choosePointRules({ ...narrower, integration: uncompressed }, integrands, samples, spread);
      return chosen.reduce((sum, { rule }) => sum + rule.rows, 0);
    },
  });
}

/** Constant tensors; the reason when the position has no such form. */
export function constantTensorWay(
  type: BodyType,
  symbols: CoordinateSymbols,
  parameters: readonly [ParameterValues, ...ParameterValues[]],
): Way | string {
  if (type.kinematics.kind === 'network') return 'learned kinematics';
  const { position, distal } = pointKinematics(type, parameters[0]);
  const material = materialSymbolsOf(type.volumes);
  const moving = new Set<Expr>([...symbols.q, ...(symbols.time ? [symbols.time] : [])]);
  const modes = separateModes(position, material, moving, new Set(type.volumes.flatMap(modesOf)));
  if (!modes) return 'the position is not a sum of modes times functions of the coordinates';
  const samples = statesOf(type, position, symbols, parameters, 3 * parameters.length);
  requireRegular(type, dynamicIntegrands(new FormulaField(position, symbols)), samples[0]!);
  const chosen = choosePointRules(forConstants(type), modeProducts(modes), samples);
  const rules = chosen.map((c) => c.rule);
  const coordinates = type.coordinates.map(linkCoordinate);
  const part = (): BodyPart =>
    new ClosedPart({
      step: distal,
      model: new ConstantTensorModel(modes, new ConstantSums(type, rules, 'gram'), symbols),
      coordinates,
      time: type.time,
    });
  return { method: 'constant tensors', ...summary(chosen), part };
}

const modesOf = (volume: Volume): readonly Expr[] => (volume.kind === 'mesh' ? (volume.fields?.formulas ?? []) : []);

/** How many. */
export function statesFor(type: BodyType, parameters: readonly [ParameterValues, ...ParameterValues[]]): number {
  const times = Math.min(MOST_TIMES, Math.ceil(widestRange(type, parameters[0]) / 2));
  return Math.max(STATES * times, STATES_PER_LINK * parameters.length);
}

/**
 * The further a body may bend, the more its terms differ over the range: along a body that is bent far, integrands change
 * their sign often, and inertia is less there than where it is straight.
 */
function spreadOf(type: BodyType, parameters: readonly [ParameterValues, ...ParameterValues[]]): number {
  return widestRange(type, parameters[0]);
}

/**
 * Three states of one link, three of the next, …: every third state is kept for checks, and all links are among these.
 * @param position of the material points; none of rods by strain whose sections deform.
 */
export function statesOf(
  type: BodyType,
  position: Vector3 | undefined,
  symbols: CoordinateSymbols,
  parameters: readonly [ParameterValues, ...ParameterValues[]],
  count: number,
): StateSample[] {
  const states = parameters.map((values) =>
    movingStates(
      new Orientation(type, position, values).configurations(count),
      symbols,
      values,
      coordinateRanges(type, values),
    ),
  );
  return Array.from({ length: count }, (_, k) => states[Math.floor(k / 3) % states.length]![k]!);
}

function summary(chosen: readonly ChosenRule[]): Pick<Way, 'description' | 'error' | 'trials'> {
  return {
    description: chosen.map((c) => `${c.rule.rows} points (${c.rule.description})`).join(' and '),
    error: Math.max(...chosen.map((c) => c.error)),
    trials: chosen.flatMap((c) => c.trials),
  };
}

/**
 * Whatever is integrated must be finite at the default configuration.
 * @throws KanegenError `irregular-kinematics` at the kinematics.
 */
function requireRegular(type: BodyType, integrands: readonly Expr[], state: StateSample): void {
  // Any points of the volumes will do: the rule that integrates nothing but the mass.
  const rules = choosePointRules({ ...type, integration: { ...type.integration, compress: false } }, [], [state]);
  rules.forEach(({ rule }) => {
    const { columns } = boundRule(rule, state);
    new RowProgram(integrands, [...columns.keys()]).run(columns, state, rule.rows, (_, count, registers) => {
      for (const register of registers)
        if (!register.subarray(0, count).every(Number.isFinite))
          throw atUndefinedPart(irregular('the kinematics'), type, state);
    });
  });
}
