/**
 * Bodies integrated over points, with or without anything left to sum when the robot moves.
 */
import { KanegenError } from '../symbolic/error.ts';
import { evaluate } from '../symbolic/evaluate.ts';
import { RowProgram } from '../symbolic/evaluate-rows.ts';
import { differentiateAll } from '../symbolic/differentiate.ts';
import { power, type Expr } from '../symbolic/expr.ts';
import { Rational } from '../symbolic/rational.ts';
import { cross, dot, type Vector3 } from '../symbolic/vector.ts';
import type { StateSample } from '../integration/compress.ts';
import type { ChosenRule } from '../integration/point-rule.ts';
import type { BodyType, Volume } from '../description/robot.ts';
import type { BodyPart } from './body-part.ts';
import { ClosedPart } from './closed-part.ts';
import type { BodyWay } from './compile-body.ts';
import { ConstantTensorModel, modeProducts, separateModes } from './constant-tensors.ts';
import { materialCoordinates } from './distal-frame.ts';
import { linkCoordinate } from './link-coordinate.ts';
import { FormulaField } from './point-field.ts';
import { irregular, pointField, pointKinematics } from './point-kinematics.ts';
import { PointModel } from './point-model.ts';
import { boundRule, choosePointRules, dynamicIntegrands, sampleStates } from './point-rules.ts';
import type { CoordinateSymbols } from './rates.ts';
import { operationsPerRow } from './row-constants.ts';
import type { ParameterValues } from './sample-configurations.ts';

type Way = Omit<BodyWay, 'cost'>;

/** Sums over points. @param isWorthwhile asked with the operations per point before a rule is chosen. */
export function pointWay(
  type: BodyType,
  symbols: CoordinateSymbols,
  parameters: ParameterValues,
  isWorthwhile: (operationsPerPoint: number) => boolean,
): Way | string {
  const kinematics = pointKinematics(type, parameters);
  const { position, distal } = kinematics;
  const field = pointField(type, kinematics, symbols);
  const integrands = dynamicIntegrands(new FormulaField(position, symbols));
  const material = new Set<Expr>(type.volumes.flatMap(materialCoordinates));
  const forces = integrands.slice(-(6 + symbols.q.length));
  const perPoint = operationsPerRow(forces, material);
  if (!isWorthwhile(perPoint)) return `at ${perPoint} operations per point no rule could be cheaper`;
  const samples = sampleStates(type, symbols, parameters);
  requireRegular(type, integrands, samples[0]!);
  const chosen = choosePointRules(type, integrands, samples);
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

/** Constant tensors; the reason when the position has no such form. */
export function constantTensorWay(
  type: BodyType,
  symbols: CoordinateSymbols,
  parameters: ParameterValues,
): Way | string {
  if (type.kinematics.kind === 'network') return 'learned kinematics';
  const { position, distal } = pointKinematics(type, parameters);
  const material = new Set<Expr>(type.volumes.flatMap(materialCoordinates));
  const moving = new Set<Expr>([...symbols.q, ...(symbols.time ? [symbols.time] : [])]);
  const modes = separateModes(position, material, moving);
  if (!modes) return 'the position is no sum of modes times functions of the coordinates';
  const samples = sampleStates(type, symbols, parameters).slice(0, 3);
  requireRegular(type, dynamicIntegrands(new FormulaField(position, symbols)), samples[0]!);
  const chosen = choosePointRules(type, modeProducts(modes), samples);
  const rules = chosen.map((c) => c.rule);
  const coordinates = type.coordinates.map(linkCoordinate);
  const part = (): BodyPart =>
    new ClosedPart({
      step: distal,
      model: new ConstantTensorModel(
        modes,
        rules,
        symbols,
        type.parameters.map((p) => p.symbol),
      ),
      coordinates,
      time: type.time,
    });
  return { method: 'constant tensors', ...summary(chosen), part };
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
          throw irregular('the kinematics').at(type.locations.kinematics);
    });
  });
}

/**
 * The map of the body must keep the orientation of the material everywhere at the default configuration.
 * @throws KanegenError `folded-body`, `irregular-kinematics` at the kinematics.
 */
export function requireUnfolded(type: BodyType, parameters: ParameterValues): void {
  if (type.kinematics.kind === 'network') return;
  const { position } = pointKinematics(type, parameters);
  const scalars = new Map<Expr, number>(parameters);
  const defaults = evaluate(type.coordinates.map((c) => c.value));
  type.coordinates.forEach((c, i) => scalars.set(c.symbol, defaults[i]!));
  if (type.time) scalars.set(type.time, 0);
  for (const volume of type.volumes) {
    const [a, b, c] = materialCoordinates(volume).map((s) => differentiateAll(position, s)) as unknown as [
      Vector3,
      Vector3,
      Vector3,
    ];
    const determinant = dot(cross(a, b), c);
    if (determinant.kind !== 'rational' || !(Rational.toNumber(determinant.value) > 0))
      requirePositive(type, volume, determinant, scalars);
  }
}

/** A high power of a function asks for a rule that looks at it closely. */
const CLOSELY = 12;

function requirePositive(type: BodyType, volume: Volume, determinant: Expr, scalars: ReadonlyMap<Expr, number>): void {
  const integration = { ...type.integration, compress: false, tolerance: 1e-3 };
  const [chosen] = choosePointRules(
    { ...type, volumes: [volume], integration },
    [power(determinant, CLOSELY)],
    [scalars],
  );
  const { rule } = chosen!;
  const { columns } = boundRule(rule, scalars);
  const axes = materialCoordinates(volume);
  new RowProgram([determinant], [...columns.keys()]).run(columns, scalars, rule.rows, (first, count, [values]) => {
    for (let k = 0; k < count; k++) {
      const value = values![k]!;
      if (value > 0) continue;
      const at = (s: Expr): number => Number(columns.get(s)![first + k]!.toPrecision(4));
      const place = axes.map((s) => `${s.name.replace(/^.*\./, '')} = ${at(s)}`).join(', ');
      if (!Number.isFinite(value)) throw irregular(`the kinematics at ${place}`).at(type.locations.kinematics);
      throw new KanegenError(
        'folded-body',
        `the body is folded at its default configuration: det ∂f/∂x = ${Number(value.toPrecision(3))} at ${place}`,
        {
          remedy:
            'material must keep its orientation: check the formula and the default coordinates there, and that the section coordinates and the axial one are right-handed in this order',
        },
      ).at(type.locations.kinematics);
    }
  });
}
