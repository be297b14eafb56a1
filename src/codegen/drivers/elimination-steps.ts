/**
 * What drivers do to solve with the whole tangent of inverse dynamics: a link in sweeps, its coordinates eliminated, right-hand sides
 * through what is left; the tangent as a matrix.
 */
import type { LinkFunctionName } from '../../kane/kernels/link-functions.ts';
import type { Quantity } from '../../kane/kernels/quantities.ts';
import { borderOf, type Border } from '../modules/border.ts';
import { linksOf, type RobotModel } from '../modules/robot-model.ts';
import { eliminationOf, idleNumbers, idleWrenches, type Elimination } from '../modules/newton-step.ts';
import { multiple, sum, type DriverLanguage, type Index } from './driver-language.ts';
import { hasFunction, invocation, type LinkPlace } from './link-calls.ts';
import type { StateArray } from '../sweeps/sweep-steps.ts';

/** Of a robot with n coordinates. */
export class EliminationPrinter {
  private readonly language: DriverLanguage;
  private readonly elimination: Elimination;
  private readonly border: Border | undefined;
  private readonly model: RobotModel;

  constructor(language: DriverLanguage, model: RobotModel) {
    this.language = language;
    this.model = model;
    this.elimination = eliminationOf(model);
    this.border = borderOf(model);
  }

  /** Where the motion of a frame begins beside its angular velocity. */
  private get motion(): Quantity {
    return this.model.placed ? 'placement' : 'acceleration';
  }

  /** Where the factors of a link begin. */
  private factorsOf({ access, index }: LinkPlace): Index {
    const { link, coordinate } = this.elimination.factors;
    return sum(multiple(link, index), multiple(coordinate, access.first));
  }

  /** Is it known to carry no other link? */
  private isLeaf({ index }: LinkPlace): boolean {
    return typeof index === 'number' && linksOf(this.model).every(({ parent }) => parent !== index);
  }

  /**
   * Column by column what changes of the link and of its parent's motion change; then the coordinates go.
   * @param isUnderLoad with a wrench of the caller.
   */
  eliminate(isUnderLoad: boolean, place: LinkPlace): string[] {
    const { language, border } = this;
    const { run, access, index } = place;
    const count = run.link.type.coordinates.length;
    const { own, parent, q, qd, qdd } = changesOf(place);
    const [velocity, motion, wrench] = (['velocity', this.motion, 'wrench'] as const).map(access.placeOf) as [
      Index,
      Index,
      Index,
    ];
    const [loads, tableau, factors] = (['loads', 'tableau', 'factors'] as const).map(language.shared) as [
      string,
      string,
      string,
    ];
    const force = access.placeOf('generalizedForce');
    const { motion: motions, loads: perLink, stride } = this.elimination;
    const runTime = (name: string, ...parameters: readonly Index[]): string => `${language.runTime(name, parameters)};`;
    const invoke = (name: LinkFunctionName): string => invocation(language, name, place);
    const at = [own, q, qd, qdd, parent, velocity, motion, wrench];
    const lines = [
      runTime('seedTangent', 'column', count, motions, 'rate', 'acceleration', ...at),
      invoke('forwardTangent'),
      runTime('loadTangent', motions, own, velocity, motion, wrench, loads, multiple(perLink, sum(index, 1))),
      invoke('backwardTangent'),
      runTime('gatherTangent', 'column', count, motions, own, force, velocity, motion, parent, wrench, tableau),
      ...(hasFunction(run.link, 'actuateTangent')
        ? [invoke('actuateTangent'), runTime('subtractTangent', 'column', count, motions, own, force, tableau)]
        : []),
      ...(isUnderLoad || (border && border.held.length > 0)
        ? [
            runTime(
              'addLoadTangent',
              ...['column', count, motions, language.shared('borne'), stride, access.first, tableau],
            ),
          ]
        : []),
    ];
    const idle = idleNumbers(run.link, this.model, motions).map((k) => `column ${language.equal} ${count + k}`);
    const guarded = idle.length > 0 ? language.branch(`!(${idle.join(' || ')})`, lines) : lines;
    const toParent = multiple(perLink, sum(access.parentIndex, 1));
    const given = [count, motions, tableau, factors, this.factorsOf(place), loads, toParent];
    const isSolved = language.runTime('factorLink', given);
    const refused = language.sharedNumber('refused', 0);
    return [
      ...(idle.length > 0 ? [language.clearShared('tableau')] : []),
      language.loop('column', 0, count + motions, false),
      ...guarded.map((line) => `  ${line}`),
      '}',
      ...language.branch(`!${isSolved} && ${language.value(refused)} <= ${language.target.number(0)}`, [
        `${refused} = ${language.asNumber(sum(index, 1))};`,
      ]),
      ...this.carriedWrenches(place),
    ];
  }

  /** What unit wrenches on the frame of a link do there and at its parent; of links that carry others. */
  private carriedWrenches(place: LinkPlace): string[] {
    const { language } = this;
    const { run, access } = place;
    const { link } = run;
    if (this.isLeaf(place) || !hasFunction(link, 'transmit') || link.isIdle('transmit')) return [];
    const [own, parent, share] = [access.array('own'), access.array('parentTangent'), language.shared('share')];
    const wrench = access.placeOf('applied');
    const sizes = [link.type.coordinates.length, this.elimination.motion];
    const to = [language.shared('factors'), this.factorsOf(place)];
    const lines = [
      `${language.runTime('seedWrench', ['column', own, wrench, parent, wrench])};`,
      language.callLink(link, 'transmit', [access.array('constants'), parent, own, share]),
      `${language.runTime('gatherWrench', ['column', ...sizes, share, parent, wrench, ...to])};`,
    ];
    const idle = idleWrenches(link).map((k) => `column ${language.equal} ${k}`);
    const guarded = idle.length > 0 ? language.branch(`!(${idle.join(' || ')})`, lines) : lines;
    return [language.loop('column', 0, 6, false), ...guarded.map((line) => `  ${line}`), '}'];
  }

  /** A change of one coordinate of the robot. */
  unit(place: LinkPlace): string[] {
    const { run, access, start } = place;
    const count = run.link.type.coordinates.length;
    const { own, q, qd, qdd } = changesOf(place);
    const given = [start, access.first, count, 'rate', 'acceleration', own, q, qd, qdd];
    return count === 0 ? [] : [`${this.language.runTime('seedCoordinate', given)};`];
  }

  /** A right-hand side through the factors of a link; `start` is the column of the border that it is, below zero none. */
  reduce(place: LinkPlace): string[] {
    const { language, elimination } = this;
    const { run, access, index, start } = place;
    const count = run.link.type.coordinates.length;
    const [solved, wrenches] = [language.shared('solved'), language.shared('answerWrenches')];
    const [own, parent] = [index, access.parentIndex].map((k) => multiple(6, sum(k, 1))) as [Index, Index];
    const { stride, motion } = elimination;
    const fed = [start, count, language.shared('fed'), stride, index, solved, access.first, wrenches, parent];
    const factors = [language.shared('factors'), this.factorsOf(place)];
    return [
      ...language.branch(`${start} >= 0`, [`${language.runTime('addBorderColumn', fed)};`]),
      `${language.runTime('reduceLink', [count, motion, ...factors, solved, access.first, wrenches, own, parent])};`,
    ];
  }

  /** Changes of its coordinates from that of the parent's motion, to an array; and that of its own motion, where others ask. */
  restore(array: string, place: LinkPlace): string[] {
    const { language, elimination } = this;
    const { run, access, index, start } = place;
    const count = run.link.type.coordinates.length;
    const [solved, moved] = [language.shared('solved'), language.shared('answerMotions')];
    const { motion } = elimination;
    const [own, parent] = [index, access.parentIndex].map((k) => multiple(motion, sum(k, 1))) as [Index, Index];
    const sizes = [count, motion, language.shared('factors'), this.factorsOf(place)];
    const restored = [...sizes, solved, access.first, moved, parent, array, start];
    const changes = [...sizes, array, sum(start, access.first), moved, own, parent];
    return [
      ...(count > 0 ? [`${language.runTime('restoreLink', restored)};`] : []),
      ...(this.isLeaf(place) ? [] : [`${language.runTime('moveLink', changes)};`]),
    ];
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

/** Factors of the matrix; the link of a coordinate without pivot is named. */
export function factorMatrix(language: DriverLanguage, model: RobotModel): string[] {
  const n = model.robot.coordinates.length;
  const row = language.row('link');
  const isHere = `pivot >= ${row.first} && pivot < ${row.first} + ${row.count}`;
  const named = language.branch(isHere, [
    `${language.sharedNumber('refused', 0)} = ${language.asNumber(sum('link', 1))};`,
  ]);
  const given = [n, language.shared('tangentMatrix'), language.shared('pivotRows')];
  return [
    language.declareIndex('pivot', language.runTime('factorMatrix', given)),
    ...language.branch('pivot >= 0', [
      language.loop('link', 0, linksOf(model).length, false),
      ...[...row.declarations, ...named].map((line) => `  ${line}`),
      '}',
      language.refuse('KG_SINGULAR'),
    ]),
  ];
}

/** The answer dq of the matrix to the residual. */
export function solveMatrix(language: DriverLanguage, model: RobotModel): string[] {
  const n = model.robot.coordinates.length;
  const entry = language.sharedNumber('tangentMatrix', 'k');
  const each = (line: string): string[] => [language.loop('k', 0, n, false), `  ${line}`, '}'];
  const given = [n, language.shared('tangentMatrix'), language.shared('pivotRows')];
  return [
    ...each(`${entry} = ${language.value('residual[k]')};`),
    `${language.runTime('solveMatrix', given)};`,
    ...each(`dq[k] = ${language.value(entry)};`),
  ];
}
