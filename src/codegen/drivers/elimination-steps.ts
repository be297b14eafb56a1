/**
 * What drivers do to solve with the whole tangent of inverse dynamics: a link in sweeps, its coordinates eliminated, right-hand sides
 * through what is left; the tangent as a matrix.
 */
import type { LinkFunctionName } from '../../kane/kernels/link-functions.ts';
import type { Quantity } from '../../kane/kernels/quantities.ts';
import { borderOf, OF_LOAD, type Border } from '../modules/border.ts';
import { linksOf, type RobotModel } from '../modules/robot-model.ts';
import { eliminationOf, idleNumbers, idleWrenches, type Elimination } from '../modules/newton-step.ts';
import { multiple, sum, type DriverLanguage, type Index } from './driver-language.ts';
import type { FrameTermPrinter } from './frame-terms.ts';
import { hasFunction, invocation, type LinkPlace } from './link-calls.ts';
import { holdLoadFunction, sweepFunction } from '../sweeps/function-names.ts';
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
      ...language.loop('column', 0, count + motions, guarded),
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
    return language.loop('column', 0, 6, guarded);
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
  const coordinates = language.loop('a', 0, row.count, each, true);
  return language.loop('link', 0, linksOf(model).length, [...row.declarations, ...coordinates], true);
}

/** Stands in the workspace while factors are complete; memory that nobody has written has other numbers. */
const FACTORED = 20011;

/** What functions of the driver do for steps of Newton's method beside sweeps: the matrix, the border, factors that are kept. */
export class NewtonPrinter {
  private readonly language: DriverLanguage;
  private readonly model: RobotModel;
  private readonly n: Index;
  private readonly terms: Pick<FrameTermPrinter, 'moving' | 'answerArguments'>;

  /** @param terms that reach from link to link, of a robot with n coordinates. */
  constructor(
    language: DriverLanguage,
    model: RobotModel,
    n: Index,
    terms: Pick<FrameTermPrinter, 'moving' | 'answerArguments'>,
  ) {
    this.language = language;
    this.model = model;
    this.n = n;
    this.terms = terms;
  }

  matrix(what: 'factor' | 'solve'): string[] {
    return (what === 'factor' ? factorMatrix : solveMatrix)(this.language, this.model);
  }

  factors(what: 'forget' | 'keep' | 'require'): string[] {
    const { language } = this;
    const factored = language.sharedNumber('factored', 0);
    const number = language.target.number(what === 'forget' ? 0 : FACTORED);
    if (what !== 'require') return [`${factored} = ${number};`];
    const value = language.value(factored);
    return language.branch(`!(${value} >= ${number} && ${value} <= ${number})`, [language.refuse('KG_NO_STATE')]);
  }

  /** Of robots with terms that links do not exchange along the chain; others have the first right-hand side alone. */
  border(what: 'hold' | 'factor' | 'reach' | 'solve' | 'solve by factors'): string[] {
    const { language, n } = this;
    const border = borderOf(this.model);
    if (what === 'hold') return border ? [language.call('holdWrenches', ['u'])] : [];
    const columns = border?.columns ?? 0;
    const answer = (from: Index, to: Index): string =>
      language.call('answerLinks', [...this.terms.answerArguments, String(from), String(to)]);
    switch (what) {
      case 'factor':
        return columns > 0 ? this.factorBorder(columns, [answer(1, columns + 1)]) : [];
      case 'reach':
        return columns > 0 ? this.keepReach(columns, answer(0, 1)) : [];
      case 'solve':
        return this.solveBorder(columns, [answer(0, 1)]);
      case 'solve by factors': {
        const given = [n, columns, language.shared('reach'), language.shared('answers'), language.shared('border')];
        return this.solveBorder(columns, [`${language.runTime('reachBorder', given)};`]);
      }
    }
  }

  load(what: 'hold' | 'factor' | 'solve', axes: 'world' | 'frame'): string[] {
    const { language } = this;
    if (what === 'hold') return [language.call(holdLoadFunction(axes), ['index', 'link', 'wrench'])];
    const ofActuators = borderOf(this.model)?.columns ?? 0;
    const columns = ofActuators + OF_LOAD;
    const answered = (from: Index, to: Index): string[] => {
      const between = [String(from), String(to)];
      return [
        ...(ofActuators > 0
          ? [language.call('answerLinksUnderLoad', [...this.terms.answerArguments, ...between])]
          : [language.call('clearAnswers', between)]),
        ...(axes === 'world' ? [language.call('answerLoad', ['index', 'link', 'wrench', ...between])] : []),
      ];
    };
    return what === 'factor'
      ? this.factorBorder(columns, answered(1, columns + 1))
      : this.solveBorder(columns, answered(0, 1));
  }

  /** A right-hand side, or a column of the border, to an array that begins at an index. */
  private throughLinks(column: Index, to: string, at: Index): string[] {
    const { language } = this;
    return [
      language.clearShared('answerWrenches'),
      language.clearShared('answerMotions'),
      language.call(sweepFunction('reduceFactored'), [String(column)]),
      language.call(sweepFunction('restoreFactored'), [String(at), to]),
    ];
  }

  /** @param answered what fills the columns of the border once their answers are known. */
  private factorBorder(columns: number, answered: readonly string[]): string[] {
    const { language, n } = this;
    const lines = [
      language.clearShared('solved'),
      ...this.throughLinks('column - 1', language.shared('answers'), `${n} * column`),
    ];
    const given = [columns, language.shared('border'), language.shared('pivotRows')];
    return [
      ...(this.terms.moving.length > 0 ? [language.clearShared('answers')] : []),
      ...language.loop('column', 1, columns + 1, this.whereFed(lines)),
      ...answered,
      ...language.branch(`!${language.runTime('factorBorder', given)}`, [language.refuse('KG_SINGULAR')]),
    ];
  }

  /** What loads of the border change by along each coordinate. @param answer of the first column. */
  private keepReach(columns: number, answer: string): string[] {
    const { language, n } = this;
    const change = (i: Index): string => language.sharedNumber('answers', i);
    const kept = language.sharedNumber('reach', `${columns} * i + j`);
    return [
      ...language.loop('i', 0, n, [`${change('i')} = ${language.target.number(0)};`]),
      ...language.loop('i', 0, n, [
        `${change('i')} = ${language.target.number(1)};`,
        answer,
        `${change('i')} = ${language.target.number(0)};`,
        ...language.loop('j', 0, columns, [`${kept} = ${language.value(language.sharedNumber('border', 'j'))};`]),
      ]),
    ];
  }

  /** @param answered what fills the border once the answer to the residual is known. */
  private solveBorder(columns: number, answered: readonly string[]): string[] {
    const { language, n } = this;
    const given = language.loop('k', 0, n, [
      `${language.sharedNumber('solved', 'k')} = ${language.value('residual[k]')};`,
    ]);
    if (columns === 0) return [...given, ...this.throughLinks(-1, 'dq', 0)];
    const [answers, border, pivots] = (['answers', 'border', 'pivotRows'] as const).map((part) =>
      language.shared(part),
    ) as [string, string, string];
    return [
      ...given,
      ...this.throughLinks(-1, answers, 0),
      ...answered,
      `${language.runTime('solveMatrix', [columns, border, pivots])};`,
      `${language.runTime('combineAnswers', [n, columns, answers, border, 'dq'])};`,
    ];
  }

  /**
   * What is done for a column of the border: of robots with terms that see motions, for those alone that something feeds. The answers
   * to the others are zero, and nothing changes on them.
   */
  whereFed(lines: readonly string[]): readonly string[] {
    const { language } = this;
    if (this.terms.moving.length === 0) return lines;
    const stride = eliminationOf(this.model).stride + 1;
    const host = language.value(language.sharedNumber('fed', `${stride} * (column - 1)`));
    return language.branch(`column ${language.equal} 0 || ${host} > 0`, lines);
  }
}

/** Factors of the matrix; the link of a coordinate without pivot is named. */
function factorMatrix(language: DriverLanguage, model: RobotModel): string[] {
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
      ...language.loop('link', 0, linksOf(model).length, [...row.declarations, ...named]),
      language.refuse('KG_SINGULAR'),
    ]),
  ];
}

/** The answer dq of the matrix to the residual. */
function solveMatrix(language: DriverLanguage, model: RobotModel): string[] {
  const n = model.robot.coordinates.length;
  const entry = language.sharedNumber('tangentMatrix', 'k');
  const each = (line: string): string[] => language.loop('k', 0, n, [line]);
  const given = [n, language.shared('tangentMatrix'), language.shared('pivotRows')];
  return [
    ...each(`${entry} = ${language.value('residual[k]')};`),
    `${language.runTime('solveMatrix', given)};`,
    ...each(`dq[k] = ${language.value(entry)};`),
  ];
}
