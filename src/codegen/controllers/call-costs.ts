/** What calls of a robot's functions cost by the programs of its links, without sequencing. */
import type { LinkFunctionName } from '../../kane/kernels/link-functions.ts';
import type { Action } from '../sweeps/robot-function.ts';
import { robotFunction, ROBOT_FUNCTION_NAMES, type RobotFunctionName } from '../sweeps/robot-functions.ts';
import { sweepOf } from '../sweeps/sweeps.ts';
import { coordinateSymbol } from '../../description/model/actuator.ts';
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { programOf } from '../drivers/robot-programs.ts';
import { closureForms } from '../modules/held-frames.ts';
import { massEntriesCounts } from '../modules/mass-entries.ts';
import type { Program } from '../programs/program.ts';
import type { InstanceModel, RobotModel } from '../modules/robot-model.ts';
import { eliminationOf, formsTangent } from '../modules/newton-step.ts';
import { addCounts } from '../programs/statement.ts';
import type { ForeignCost } from './worst-case.ts';
import { type OperationCounts, NO_OPERATIONS } from '../operations/operation-counts.ts';

/** Counts of a program that is run. */
type CountOf = (program: Program) => OperationCounts;

interface Context {
  readonly model: RobotModel;
  readonly countOf: CountOf;
}

/** Programs of the links that a function of the robot runs, each as often as it does. */
export function programsCalled(model: RobotModel, name: RobotFunctionName): readonly Program[] {
  const found: Program[] = [];
  robotCallCosts(model, (program) => (found.push(program), program.counts))(`robot.${name}`, [], []);
  return found;
}

/**
 * Of `robot.NAME(…)`; other calls cost nothing.
 * @param countOf a program that is run.
 */
export function robotCallCosts(model: RobotModel, countOf: CountOf = ({ counts }) => counts): ForeignCost {
  return (called, numbers, isNull) => {
    const name = called.replace(/^robot\./, '') as RobotFunctionName;
    if (!called.startsWith('robot.') || !ROBOT_FUNCTION_NAMES.includes(name)) return NO_OPERATIONS;
    const { outputs, actions, ofFrame } = robotFunction(name);
    const absent = outputs.filter((_, i) => isNull[isNull.length - outputs.length + i]).map((output) => output.name);
    const context = { model, countOf };
    return addCounts(actions.map((action) => costOf(context, action, absent, numbers[0]!, ofFrame === true)));
  };
}

function costOf(
  context: Context,
  action: Action,
  absent: readonly string[],
  first: number,
  ofFrame: boolean,
): OperationCounts {
  const all = (actions: readonly Action[]): OperationCounts =>
    addCounts(actions.map((inner) => costOf(context, inner, absent, first, ofFrame)));
  if ('eachColumn' in action) return addCounts(Array.from({ length: first }, () => all(action.eachColumn)));
  if ('wanted' in action)
    return [action.wanted].flat().every((output) => absent.includes(output)) ? NO_OPERATIONS : all(action.actions);
  const { model } = context;
  const { instances } = model;
  if ('afloat' in action) {
    const { afloat, actions, otherwise = [] } = action;
    const isAfloat =
      afloat === 'wet' || afloat === 'placed' ? model[afloat] : instances.some(({ link }) => link.has.has(afloat));
    return all(isAfloat ? actions : otherwise);
  }
  if ('tangent' in action) return all(formsTangent(model) ? action.actions : action.otherwise);
  if ('eachCoordinate' in action) return addCounts(model.robot.coordinates.map(() => all(action.eachCoordinate)));
  if ('sweep' in action) {
    const { steps, upTo } = sweepOf(action.sweep);
    const links = upTo ? instances.slice(0, linkOf(model, first) + 1) : instances;
    const names = steps.flatMap((step) => (step.step === 'call' || step.step === 'subtract' ? [step.function] : []));
    const hasLinks = names.every((name) => links.some(({ link }) => link.has.has(name)));
    const once = names.flatMap((name) => links.map((link) => programCost(context, link, name)));
    return addCounts([
      ...once,
      ...(hasLinks && steps.some(({ step }) => step === 'entries') ? [massEntriesCounts(model)] : []),
      ...(steps.some(({ step }) => step === 'eliminateTangent') ? links.map((link) => columnsCost(context, link)) : []),
    ]);
  }
  if ('frame' in action && action.frame === 'jacobian') return wayCost(context, first, 'jacobian');
  if ('transmit' in action) return wayCost(context, first, 'transmit');
  if ('loops' in action && action.loops === 'jacobian') return loopsCost(context);
  return NO_OPERATIONS;
}

/** Of all columns of a link whose coordinates are eliminated from the tangent of inverse dynamics. */
function columnsCost(context: Context, instance: InstanceModel): OperationCounts {
  const each = addCounts(
    (['forwardTangent', 'backwardTangent', 'actuateTangent'] as const).map((name) =>
      programCost(context, instance, name),
    ),
  );
  const columns = instance.link.type.coordinates.length + eliminationOf(context.model).motion;
  const ofWrench = programCost(context, instance, 'transmit');
  return addCounts([...Array.from({ length: columns }, () => each), ...Array.from({ length: 6 }, () => ofWrench)]);
}

function linkOf({ frames }: RobotModel, frame: number): number {
  return frames[frame]?.link ?? -1;
}

/** Of the links from that of a frame to the base. */
const wayCost = (context: Context, frame: number, name: LinkFunctionName): OperationCounts =>
  inwardsCost(context, linkOf(context.model, frame), name);

function inwardsCost(context: Context, from: number, name: LinkFunctionName): OperationCounts {
  const { instances } = context.model;
  const costs: OperationCounts[] = [];
  for (let link = from; link >= 0; link = instances[link]!.parent)
    costs.push(programCost(context, instances[link]!, name));
  return addCounts(costs);
}

/** Of the Jacobian of all loops: poses, wrenches of each row, and their way to the base; rows that are formulas of coordinates differentiated. */
function loopsCost(context: Context): OperationCounts {
  const { model, countOf } = context;
  const { robot, reaching, instances, held } = model;
  const { forms, ofLoops } = closureForms(model);
  const ofFrames = (reaching?.loops ?? []).flatMap(({ places }, i) => {
    const { closure, inputs, wrenches } = forms[ofLoops[i]!]!;
    const given = [...inputs, { buffer: 'formulaParameters', symbols: held }];
    const ways = places.map((place) => inwardsCost(context, reaching!.places[place]!.link, 'transmit'));
    return [
      countOf(programOf('loop', given, [{ buffer: 'loopWrenches', values: wrenches }])),
      ...closure.flatMap(() => ways),
    ];
  });
  const q = robot.coordinates.map(({ name }) => coordinateSymbol(name));
  const given = [
    { buffer: 'q', symbols: q },
    { buffer: 'formulaParameters', symbols: held },
  ];
  const ofCoordinates = (robot.loops ?? []).flatMap(({ formula }) =>
    formula
      ? [
          countOf(
            programOf('loops', given, [{ buffer: 'J', values: q.flatMap((s) => differentiateAll([formula], s)) }]),
          ),
        ]
      : [],
  );
  return addCounts([
    ...instances.map((instance) => programCost(context, instance, 'pose')),
    ...ofFrames,
    ...ofCoordinates,
  ]);
}

function programCost({ countOf }: Context, { link }: InstanceModel, name: LinkFunctionName): OperationCounts {
  const program = link.programOf(name);
  return program ? countOf(program) : NO_OPERATIONS;
}
