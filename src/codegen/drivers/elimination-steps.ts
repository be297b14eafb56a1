/**
 * What drivers do to solve with the whole tangent of inverse dynamics: a link in sweeps, its coordinates eliminated and found again; the
 * tangent as a matrix.
 */
import type { LinkFunctionName } from '../../kane/kernels/link-functions.ts';
import type { Quantity } from '../../kane/kernels/quantities.ts';
import { borderOf, type Border } from '../modules/border.ts';
import { linksOf, type RobotModel } from '../modules/robot-model.ts';
import { eliminationOf, idleNumbers, type Elimination } from '../modules/newton-step.ts';
import { multiple, sum, type DriverLanguage, type Index } from './driver-language.ts';
import { hasFunction, invocation, type LinkPlace } from './link-calls.ts';
import type { StateArray } from '../sweeps/sweep-steps.ts';

/** Of a robot with n coordinates. */
export class EliminationPrinter {
  private readonly language: DriverLanguage;
  private readonly n: number;
  private readonly elimination: Elimination;
  private readonly border: Border | undefined;
  private readonly model: RobotModel;

  constructor(language: DriverLanguage, model: RobotModel, n: number) {
    this.language = language;
    this.n = n;
    this.model = model;
    this.elimination = eliminationOf(model);
    this.border = borderOf(model);
  }

  /** Where the motion of a frame begins beside its angular velocity. */
  private get motion(): Quantity {
    return this.model.placed ? 'placement' : 'acceleration';
  }

  /**
   * Column by column what changes of the link, of its parent's motion and of right-hand sides change; then the coordinates go.
   * @param isUnderLoad with a wrench of the caller.
   */
  eliminate(array: string, isUnderLoad: boolean, place: LinkPlace): string[] {
    const { language, border } = this;
    const { run, access, index } = place;
    const count = run.link.type.coordinates.length;
    const { own, parent, q, qd, qdd } = changesOf(place);
    const [velocity, motion, wrench] = (['velocity', this.motion, 'wrench'] as const).map(access.placeOf) as [
      Index,
      Index,
      Index,
    ];
    const [loads, tableau] = [language.shared('loads'), language.shared('tableau')];
    const force = access.placeOf('generalizedForce');
    const { motion: motions, loads: perLink, stride } = this.elimination;
    const rightHandSides = this.elimination[isUnderLoad ? 'underLoad' : 'rightHandSides'];
    const width = count + motions + rightHandSides;
    const runTime = (name: string, ...parameters: readonly Index[]): string =>
      `${language.runTime(name, ['column', count, ...parameters])};`;
    const invoke = (name: LinkFunctionName): string => invocation(language, name, place);
    const lines = [
      runTime('seedTangent', motions, 'rate', 'acceleration', own, q, qd, qdd, parent, velocity, motion, wrench),
      // Nothing moves on right-hand sides: what the first of them leaves is true of all.
      ...(rightHandSides > 1
        ? language.branch(`column <= ${count + motions}`, [invoke('forwardTangent')])
        : [invoke('forwardTangent')]),
      runTime('loadTangent', motions, own, velocity, motion, wrench, loads, multiple(perLink, sum(index, 1))),
      invoke('backwardTangent'),
      runTime('gatherTangent', width, own, force, parent, wrench, tableau),
      ...(hasFunction(run.link, 'actuateTangent')
        ? [invoke('actuateTangent'), runTime('subtractTangent', width, own, force, tableau)]
        : []),
      ...(isUnderLoad || (border && border.held.length > 0)
        ? [runTime('addLoadTangent', width, language.shared('borne'), stride, access.first, tableau)]
        : []),
      ...(isUnderLoad || (border && border.columns > 0)
        ? [runTime('addBorderTangent', motions, width, language.shared('fed'), stride, index, tableau)]
        : []),
    ];
    const idle = idleNumbers(run.link, this.model, motions).map((k) => `column ${language.equal} ${count + k}`);
    const guarded = idle.length > 0 ? language.branch(`!(${idle.join(' || ')})`, lines) : lines;
    const right = sum(access.first, motions * this.n);
    const solved = [language.shared('solved'), multiple(motions, access.first), right, this.n];
    const toParent = multiple(perLink, sum(access.parentIndex, 1));
    const given = [count, motions, width, array, access.first, tableau, ...solved, loads, toParent];
    const isSolved = language.runTime('eliminate', given);
    const refused = language.sharedNumber('refused', 0);
    return [
      ...(idle.length > 0 ? [language.clearShared('tableau')] : []),
      language.loop('column', 0, width, false),
      ...guarded.map((line) => `  ${line}`),
      '}',
      ...language.branch(`!${isSolved} && ${language.value(refused)} <= ${language.target.number(0)}`, [
        `${refused} = ${language.asNumber(sum(index, 1))};`,
      ]),
    ];
  }

  /** A change of one coordinate of the robot. */
  unit(place: LinkPlace): string[] {
    const { run, access, start } = place;
    const count = run.link.type.coordinates.length;
    const { own, q, qd, qdd } = changesOf(place);
    const given = [start, access.first, count, 'rate', 'acceleration', own, q, qd, qdd];
    return count === 0 ? [] : [`${this.language.runTime('seedCoordinate', given)};`];
  }

  /** Changes of the coordinates from those of the parent's motion. */
  backSubstitute(place: LinkPlace): string[] {
    const { language } = this;
    const { run, access, start } = place;
    const count = run.link.type.coordinates.length;
    const { own, parent, q, qd, qdd } = changesOf(place);
    const [velocity, motion] = (['velocity', this.motion] as const).map(access.placeOf) as [Index, Index];
    const { motion: motions } = this.elimination;
    const right = sum(sum(start, access.first), motions * this.n);
    const solved = [language.shared('solved'), multiple(motions, access.first), right];
    const to = [own, q, qd, qdd, parent, velocity, motion, ...solved];
    return count === 0
      ? []
      : [`${language.runTime('backSubstitute', [count, motions, 'rate', 'acceleration', ...to])};`];
  }
}

/** Places of the changes of a link, and of its parent, for functions of the run time. */
function changesOf({ access }: LinkPlace): Record<'own' | 'parent', string> & Record<StateArray, Index> {
  const place = (buffer: StateArray): Index => access.placeOf(buffer);
  return {
    own: access.array('ownTangent'),
    parent: access.array('parentTangent'),
    ...{ q: place('q'), qd: place('qd'), qdd: place('qdd') },
  };
}

/** Once for every coordinate, the last first. @param lines of one: `coordinate` of `link`, its column of the matrix from `at` on. */
export function eachCoordinate(language: DriverLanguage, model: RobotModel, lines: readonly string[]): string[] {
  const row = language.row('link');
  const each = [
    language.declareIndex('coordinate', String(sum(row.first, 'a'))),
    language.declareIndex('at', `${model.robot.coordinates.length} * (coordinate + 1)`),
    ...lines,
  ];
  return [
    language.loop('link', 0, linksOf(model).length, true),
    ...row.declarations.map((line) => `  ${line}`),
    `  ${language.loop('a', 0, row.count, true)}`,
    ...each.map((line) => `    ${line}`),
    '  }',
    '}',
  ];
}

/** The answer dq of the matrix to the residual; the link of a coordinate without pivot is named. */
export function solveMatrix(language: DriverLanguage, model: RobotModel): string[] {
  const n = model.robot.coordinates.length;
  const row = language.row('link');
  const entry = language.sharedNumber('tangentMatrix', 'k');
  const isHere = `pivot >= ${row.first} && pivot < ${row.first} + ${row.count}`;
  const named = language.branch(isHere, [
    `${language.sharedNumber('refused', 0)} = ${language.asNumber(sum('link', 1))};`,
  ]);
  return [
    language.loop('k', 0, n, false),
    `  ${entry} = ${language.value('residual[k]')};`,
    '}',
    language.declareIndex('pivot', language.runTime('solveMatrix', [n, language.shared('tangentMatrix')])),
    ...language.branch('pivot >= 0', [
      language.loop('link', 0, linksOf(model).length, false),
      ...[...row.declarations, ...named].map((line) => `  ${line}`),
      '}',
      language.refuse('KG_SINGULAR'),
    ]),
    language.loop('k', 0, n, false),
    `  dq[k] = ${language.value(entry)};`,
    '}',
  ];
}
