/**
 * The drivers printed: sweeps and functions over the links of one robot, with direct calls, as statements that TypeScript and
 * C share.
 */
import { BASE_MOTIONS, type BaseMotion } from '../../kane/equations/base-and-frames.ts';
import { gathersMass } from '../modules/mass-entries.ts';
import { formsTangent } from '../modules/newton-step.ts';
import {
  drivesBetweenLinks,
  formulaSymbols,
  linksOf,
  type InstanceModel,
  type RobotModel,
  movesActuators,
} from '../modules/robot-model.ts';
import { blockPlaceOf, placeOf, startOfFrame, type DriverLayout } from '../modules/workspace.ts';
import { printProgram, type Target } from '../printing/print-arithmetic.ts';
import { commentText } from '../naming/identifiers.ts';
import type { Program } from '../programs/program.ts';
import { formulaArrays, FORMULAS, REACHES, type FormulaName } from '../sweeps/actuator-functions.ts';
import { sizeOf, type Output } from '../sweeps/arrays.ts';
import { reachedBy, WalkPrinter } from './base-walks.ts';
import {
  sum,
  type DriverFunction,
  type DriverLanguage,
  type Index,
  type LinkAccess,
  type LinkRegion,
} from './driver-language.ts';
import {
  applyFunction,
  baseFunction,
  formulaFunction,
  reachFunction,
  sweepFunction,
} from '../sweeps/function-names.ts';
import { product } from '../sweeps/indices.ts';
import { handedBy, hasFunction, UNROLLED, type Left } from './link-calls.ts';
import { eachCoordinate, NewtonPrinter } from './elimination-steps.ts';
import { loopOverLinks, LinkStepPrinter } from './link-steps.ts';
import { LoopPrinter } from './loops/loop-closure.ts';
import { LoopDerivativePrinter } from './loops/loop-derivatives.ts';
import { FrameTermPrinter } from './frame-terms.ts';
import { NET_FORCE, NOTHING, type Action } from '../sweeps/robot-function.ts';
import { hasKind, hasRobotFunction, robotFunction, type RobotFunctionName } from '../sweeps/robot-functions.ts';
import {
  formulaProgram,
  hasFormulas,
  momentumProgram,
  unitMomentumProgram,
  parameterChangeProgram,
  parameterGradientProgram,
} from './robot-programs.ts';
import { leavesOf, runsAmong, runsOf, typesUsed, wayFrom, type Among, type Run } from './equal-links.ts';
import type { LinkStep } from '../sweeps/sweep-steps.ts';
import { sweepOf, type SweepName } from '../sweeps/sweeps.ts';

/** Steps of sweeps in which material points take part: they move, and nothing else is asked of them. */
const MOVING: ReadonlySet<LinkStep['step']> = new Set(['put', 'time', 'direct', 'call']);

export class DriverPrinter {
  protected readonly model: RobotModel;
  private readonly layout: DriverLayout;
  protected readonly language: DriverLanguage;
  private readonly runs: readonly Run[];
  protected readonly steps: LinkStepPrinter;
  /** Ways from a link to the base. */
  readonly walks: WalkPrinter;
  readonly n: Index;
  readonly u: Index;
  readonly p: Index;
  /** Rows of loops. */
  readonly r: Index;
  /** Coordinates that follow the time. */
  readonly s: Index;
  /** Pairs of contacts. */
  readonly k: Index;
  /** Those that callers know. */
  readonly frames: number;
  readonly links: number;

  constructor(model: RobotModel, layout: DriverLayout, language: DriverLanguage) {
    this.model = model;
    this.layout = layout;
    this.language = language;
    this.runs = runsOf(model);
    this.n = language.atRunTime?.coordinates ?? layout.n;
    this.u = layout.u;
    this.p = layout.p;
    this.r = layout.r;
    this.s = layout.s;
    this.k = layout.k;
    this.steps = new LinkStepPrinter(language, model, this);
    this.walks = new WalkPrinter(language, this.n, typesUsed(model), reachedBy(model, language));
    this.frames = model.frames.length;
    this.links = model.robot.links.length;
  }

  /** What the base is asked for. */
  get baseMotions(): readonly BaseMotion[] {
    const { derivatives, wet, placed } = this.model;
    const isAsked = (motion: BaseMotion): boolean => {
      if (motion === 'motionInWater') return this.has('addedMassWrench');
      if (motion === 'velocityInWater') return wet;
      if (motion === 'placement') return placed;
      return motion !== 'accelerationInWater' || (wet && derivatives);
    };
    return (Object.keys(BASE_MOTIONS) as BaseMotion[]).filter(isAsked);
  }

  private get hasAddends(): boolean {
    return this.language.atRunTime !== undefined || this.model.links.some(({ type }) => type.inputs.addend.length > 0);
  }

  /** Does code stage states? */
  get stages(): boolean {
    return hasRobotFunction(this.model, 'update');
  }

  /** Does the robot have links that take part? */
  has(name: SweepName): boolean {
    return this.runsOf(name).length > 0;
  }

  /** Is there a coordinate with another below it, whose unit wrench is carried there? */
  get carries(): boolean {
    if (this.language.atRunTime) return true;
    const { instances } = this.model;
    const moves = ({ link }: InstanceModel): boolean => link.type.coordinates.length > 0;
    return instances.some(
      (own) => moves(own) && wayFrom(this.model, own.parent).some((index) => moves(instances[index]!)),
    );
  }

  /** Are entries of the mass matrix gathered in the first link of each tree? */
  get gathers(): boolean {
    return !this.language.atRunTime && gathersMass(this.model);
  }

  /** Do steps of Newton's method form the tangent as a matrix? */
  get formsTangent(): boolean {
    return formsTangent(this.model);
  }

  /** The function of the driver that finds entries of the mass matrix beside its diagonal blocks; none where there are none. */
  get entries(): readonly DriverFunction[] {
    if (!this.carries) return [];
    const isChain = !this.language.atRunTime && linksOf(this.model).every(({ parent }, index) => parent === index - 1);
    return [this.gathers ? this.walks.gather(isChain) : this.walks.carry()];
  }

  /** The function of the driver for momenta of unit rates: the links' own, moved to world axes. */
  get momenta(): readonly DriverFunction[] {
    if (!this.has('momenta') || this.n === 0) return [];
    const { language, n } = this;
    return [
      {
        name: 'unitMomentum',
        purpose: 'Momentum of a unit rate of coordinate a of a link, world axes.',
        parameters: { parent: 'handed', a: 'index', column: 'index', A: 'wanted', J: 'wanted' },
        lines: this.program(unitMomentumProgram(), {
          read: ({ buffer, index }) => {
            if (buffer === 'pose') return language.value(language.inBlock('parent', 'pose', index));
            if (buffer === 'about') return language.value(language.sharedNumber('point', index));
            return language.value(language.sharedNumber('unitMomenta', sum('6 * a', index)));
          },
          write: ({ buffer, index }) => `${buffer}[${sum('column', product(index, n))}]`,
        }),
      },
    ];
  }

  program(program: Program, target: Partial<Target>): string[] {
    return printProgram(program, { ...this.language.target, ...target }, Infinity).parts[0]!;
  }

  // -------------------------------------------------------------------------------------------- sweeps

  /** The statements of a sweep over the links, or over some of them. */
  sweep(name: SweepName, among?: Among): string[] {
    const { direction } = sweepOf(name);
    const runs = among ? runsAmong(this.model, this.runsOf(name), among) : this.runsOf(name);
    if (this.language.atRunTime)
      return runs.flatMap((run) => loopOverLinks(this.language, this.steps, name, run, this.handed(name)));
    const of = (run: Run): string[] => this.run(name, run, among);
    if (direction === 'outwards') return runs.flatMap(of);
    return [...this.clearLeaves(name, among), ...[...runs].reverse().flatMap(of)];
  }

  private runsOf(name: SweepName): readonly Run[] {
    const {
      steps,
      with: needed,
      without,
      timed,
      timeless,
      ofLoops,
      ofPoints,
      holding,
      derivative,
      gathers,
      formsTangent,
    } = sweepOf(name);
    if (!hasKind(this.model, derivative) || (gathers && !this.gathers)) return [];
    if ((timeless && !this.model.momentum) || (ofLoops && this.r === 0)) return [];
    if (holding && this.s === 0) return [];
    if (formsTangent !== undefined && formsTangent !== this.formsTangent) return [];
    const calls = steps.flatMap((step) => (step.step === 'call' ? [step.function] : []));
    const called = needed ? [...calls, needed] : calls;
    return this.runs.filter(
      ({ link, isFolded }) =>
        !(without && hasFunction(link, without)) &&
        !(timed && link.type.inputs.time.length === 0) &&
        (hasFunction(link, 'backward') || ofPoints || steps.every(({ step }) => MOVING.has(step))) &&
        called.every((f) => (f === 'prepare' ? !isFolded : hasFunction(link, f))),
    );
  }

  /** @param among where it is given, all links of the run, wherever callers would end. */
  private run(name: SweepName, run: Run, among?: Among): string[] {
    const { direction, steps, from, at, ...sweep } = sweepOf(name);
    const upTo = sweep.upTo && !among;
    const inwards = direction === 'inwards';
    const isPassedOver = among?.acting && this.model.instances[run.from]!.pointOf !== undefined;
    const of = (access: LinkAccess, index: Index): string[] => {
      const lines = steps.flatMap((step) => this.steps.print(step, { run, access, index, start: at ? 'at' : 0 }));
      return isPassedOver && lines.length > 0 ? this.whereActing(index, lines) : lines;
    };
    const names = this.model.instances.slice(run.from, run.to).map((instance) => commentText(instance.name));
    if (names.length <= UNROLLED) {
      const each = names.map((about, i) => {
        const lines = of(this.language.link(run.from + i), run.from + i);
        const [bound] = [...(upTo ? ['last >='] : []), ...(from ? ['start <='] : [])];
        const guarded = bound ? this.language.branch(`${bound} ${run.from + i}`, lines) : lines;
        return this.language.about(about, guarded);
      });
      return (inwards ? each.reverse() : each).flat();
    }
    const row = this.language.row('i', run.link);
    const condition = upTo ? 'i <= last' : undefined;
    const own = of(row, 'i');
    if (own.length === 0) return [];
    const lines = from ? this.language.branch('start <= i', own) : own;
    return this.language.about(
      `${names[0]!} … ${names.at(-1)!}`,
      this.language.loop('i', run.from, run.to, [...row.declarations, ...lines], inwards, condition),
    );
  }

  /** Only where something acts on a link, by `holdWrenches`. */
  whereActing(link: Index, lines: readonly string[]): string[] {
    const { language } = this;
    return language.branch(`${language.value(language.sharedNumber('acting', link))} > 0`, lines);
  }

  /** Nothing hangs on the leaves: what other links find there from their children is zero. */
  private clearLeaves(name: SweepName, among?: Among): string[] {
    return leavesOf(this.model, among).flatMap((leaf) =>
      this.handed(name).map(({ place, size, block }) => this.language.clearBlock(leaf, place, size, block)),
    );
  }

  /** What links find in their blocks from their children. */
  private handed(name: SweepName): readonly Left[] {
    const found = new Map<string, Left>();
    for (const step of sweepOf(name).steps)
      if (step.step === 'call')
        for (const { place, size, block } of handedBy(this.language, this.model.links, step.function))
          found.set(`${block} ${placeOf(place)}`, { place, size, block: block === 'parent' ? 'own' : 'ownTangent' });
    return [...found.values()];
  }

  // -------------------------------------------------------------------------------------------- functions of the robot

  private momentum(of: 'about' | 'whole' | 'centre' | 'jacobian'): string[] {
    const { language, n } = this;
    const share = language.sharedNumber('share', 0);
    const entry = 'J[k]';
    switch (of) {
      case 'about':
        return [0, 1, 2].map((k) => `${language.sharedNumber('point', k)} = ${language.value(`about[${k}]`)};`);
      case 'whole':
      case 'centre':
        return this.program(momentumProgram(this.model, of), {});
      case 'jacobian':
        if (n === 0) return [];
        return [
          ...this.program(momentumProgram(this.model, of), { write: () => share }),
          ...language.loop('k', 0, product(3, n), [`${entry} = ${language.value(entry)} * ${language.value(share)};`]),
        ];
    }
  }

  /**
   * What a function of the robot does once its inputs are accepted; what it does to outputs is theirs to check.
   * @throws Error where an output would stay as the caller left it.
   */
  actions(name: RobotFunctionName): string[] {
    const { outputs, actions, adds } = robotFunction(name);
    const size = (output: string): Index => sizeOf(outputs.find((o) => o.name === output)!.size, this);
    const { language } = this;
    const of = (action: Action): string[] => {
      if ('base' in action) return [language.call(baseFunction(action.base), [])];
      if ('formulas' in action)
        return hasFormulas(this.model) && this.formulaNames.includes(action.formulas)
          ? [language.call(formulaFunction(action.formulas), [...formulaArrays(action.formulas)])]
          : [];
      if ('loads' in action) return this.frameTerms.callChanges(action.loads);
      if ('reach' in action) {
        const arrays = Object.keys(REACHES[action.reach].parameters);
        return this.frameTerms.hasDrives ? [language.call(reachFunction(action.reach), arrays)] : [];
      }
      if ('afloat' in action) {
        const { afloat, actions: own, otherwise = [] } = action;
        const isAfloat = afloat === 'wet' || afloat === 'placed' ? this.model[afloat] : this.has(afloat);
        return (isAfloat ? own : otherwise).flatMap(of);
      }
      if ('clear' in action) return [language.clear(action.clear, size(action.clear))];
      if ('section' in action) return [-1, 0].map((e, k) => `${action.to}[${k}] = ${language.target.number(e)};`);
      if ('along' in action) return [language.call('alongParameters', ['column', 'dp'])];
      if ('by' in action) return this.program(parameterGradientProgram(this.model), {});
      if ('deduct' in action) return this.deduct(action.deduct);
      if ('blank' in action) return this.blank(action.blank);
      if ('tangent' in action) return (this.formsTangent ? action.actions : action.otherwise).flatMap(of);
      if ('eachCoordinate' in action) return eachCoordinate(language, this.model, action.eachCoordinate.flatMap(of));
      if ('matrix' in action) return this.newton.matrix(action.matrix);
      if ('factors' in action) return this.newton.factors(action.factors);
      if ('forces' in action) return this.frameTerms.print(action);
      if ('pushes' in action) return this.frameTerms.printPushes(action);
      if ('loops' in action) return new LoopPrinter(this, language, this.model).print(action);
      if ('loopDerivatives' in action) return new LoopDerivativePrinter(this, language, this.model).print(action);
      if ('varied' in action) return this.frameTerms.hasNetForce && this.model.moving ? action.varied.flatMap(of) : [];
      if ('border' in action) return this.newton.border(action.border);
      if ('load' in action) return this.newton.load(action.load, action.axes);
      if ('pivots' in action) return this.pivots(action.pivots);
      if ('eachColumn' in action) {
        const own = action.eachColumn.flatMap(of);
        if (own.length === 0) return [];
        const lines = [language.declareIndex('at', `${this.n} * column`), ...own];
        return language.loop('column', 0, 'columns', lines);
      }
      if ('wanted' in action) {
        const lines = action.actions.flatMap(of);
        return lines.length > 0 ? language.branch(this.isWanted(action.wanted), lines) : [];
      }
      if ('frame' in action)
        return [
          action.frame === 'pose'
            ? language.call('framePose', ['index', 'R', 't'])
            : language.call('jacobian', ['link', 'J']),
        ];
      if ('motion' in action)
        return [
          action.motion === 'keep'
            ? language.call('keepDrift', ['link', language.shared('drift')])
            : language.call('frameMotion', ['index', language.shared('drift'), 'velocity', 'bias']),
        ];
      if ('apply' in action) return [language.call(applyFunction(action.apply), ['index', 'wrench'])];
      if ('point' in action)
        return [
          action.point === 'locate'
            ? language.call('locate', ['link', 'x', 'position', 'J'])
            : language.call('track', ['link', 'x', 'velocity', 'bias']),
        ];
      if ('momentum' in action) return this.momentum(action.momentum);
      if ('transmit' in action) return [language.call('transmit', ['link', '-1', action.transmit, '0', '1'])];
      // Without springs and dampers an implicit step eliminates what forward dynamics does.
      const sweep = action.sweep === 'eliminateStep' && !this.hasAddends ? 'eliminate' : action.sweep;
      const { upTo, from, at, numbers = [], arrays } = sweepOf(sweep);
      if (!this.has(sweep)) return [];
      const places = [...(upTo || from ? ['link'] : []), ...(at ? [action.at!] : []), ...numbers];
      const spelled = (array: string): string => {
        if (array === NET_FORCE) return this.frameTerms.hasNetForce ? language.shared('netForce') : 'tau';
        return array === 'S' ? language.shared('tangentMatrix') : array;
      };
      const given = (action.arrays ?? arrays).map((array) => (array === NOTHING ? language.nothing : spelled(array)));
      return [language.call(sweepFunction(sweep), [...places, ...given])];
    };
    const lines = actions.flatMap(of);
    if (!adds) this.demandWritten(name, outputs, lines);
    return lines;
  }

  /** A sweep that no link takes part in is nothing, and so is what no action takes. @throws Error */
  private demandWritten(name: string, outputs: readonly Output[], lines: readonly string[]): void {
    for (const { name: output, size } of outputs)
      if (sizeOf(size, this, 1) !== 0 && !lines.some((line) => new RegExp(`\\b${output}\\b`).test(line)))
        throw new Error(`nothing writes ${output} of ${name}: no action takes it, or no link has what its sweeps call`);
  }

  /** What places of material points take, of robots that are compiled with them. */
  get located(): readonly DriverFunction[] {
    if (!this.model.points) return [];
    const { language, walks, n } = this;
    const row = language.row('link');
    const [material, point, columns] = (['material', 'point', 'pointColumns'] as const).map((part) =>
      language.shared(part),
    ) as [string, string, string];
    const numbers = (to: (k: number) => string, from: (k: number) => string): string[] =>
      [0, 1, 2].map((k) => `${to(k)} = ${language.value(from(k))};`);
    const parent = String(row.parentIndex);
    const regions = ['constants', 'parent', 'own'].map((region) => row.array(region as LinkRegion));
    const given = numbers(
      (k) => language.sharedNumber('material', k),
      (k) => `x[${k}]`,
    );
    const motion = (array: string, from: number): string[] =>
      language.branch(
        language.isGiven(array),
        numbers(
          (k) => `${array}[${k}]`,
          (k) => language.sharedNumber('pointMotion', from + k),
        ),
      );
    const upToParent = (sweep: 'pose' | 'biasMotion'): string[] =>
      this.has(sweep) ? [language.call(sweepFunction(sweep), [parent])] : [];
    const ownColumns = numbers(
      (k) => `J[${sum(sum(row.first, 'a'), product(k, n))}]`,
      (k) => language.sharedNumber('pointColumns', sum('3 * a', k)),
    );
    return [
      {
        name: 'pointJacobian',
        purpose: 'Columns of the Jacobian of a point, of a link and of all that carry it.',
        parameters: { link: 'index', J: 'written' },
        lines: walks.jacobian('linear'),
      },
      {
        name: 'locate',
        purpose: 'Place of a material point of a link, and its Jacobian; where wanted.',
        parameters: { link: 'index', x: 'read', position: 'wanted', J: 'wanted' },
        lines: [
          ...row.declarations,
          ...given,
          language.call(baseFunction('pose'), []),
          ...upToParent('pose'),
          ...walks.dispatch(row, 'locate', (link) =>
            language.callLink(link, 'locate', [...regions, material, point, columns]),
          ),
          ...language.branch(
            language.isGiven('position'),
            numbers(
              (k) => `position[${k}]`,
              (k) => language.sharedNumber('point', k),
            ),
          ),
          ...language.branch(language.isGiven('J'), [
            language.clear('J', product(3, n)),
            ...language.loop('a', 0, row.count, ownColumns),
            language.call('pointJacobian', [parent, 'J']),
          ]),
        ],
      },
      {
        name: 'track',
        purpose: 'Motion of a material point of a link; where wanted.',
        parameters: { link: 'index', x: 'read', velocity: 'wanted', bias: 'wanted' },
        lines: [
          ...row.declarations,
          ...given,
          language.call(baseFunction('biasMotion'), []),
          ...upToParent('biasMotion'),
          language.call('keepDrift', [parent, language.shared('drift')]),
          language.call(baseFunction('pose'), []),
          ...upToParent('pose'),
          ...walks.dispatch(row, 'track', (link) =>
            language.callLink(link, 'track', [
              ...regions,
              ...[language.shared('drift'), material, language.shared('pointMotion')],
            ]),
          ),
          ...motion('velocity', 0),
          ...motion('bias', 3),
        ],
      },
    ];
  }

  /** What actuators have within links, of several and between them; added to arrays, either of which may be nothing. */
  actuation(what: 'values' | 'rates', arrays: readonly string[]): string[] {
    const { language } = this;
    const sweep = what === 'values' ? 'actuation' : 'actuationRates';
    const call = (name: string): string => language.call(name, arrays);
    return [
      ...(hasFormulas(this.model) ? [call(formulaFunction(what))] : []),
      ...(this.has(sweep) ? [call(sweepFunction(sweep))] : []),
      ...(this.frameTerms.hasDrives ? [call(reachFunction(what))] : []),
    ];
  }

  private deduct(what: 'links' | 'places'): string[] {
    const isThere = what === 'links' ? drivesBetweenLinks(this.model) : movesActuators(this.model);
    const ofLinks = ['by_q', ...(this.frameTerms.rubs ? ['by_qd'] : [])];
    const arrays = ['u', 'by_tau', ...(what === 'links' ? ofLinks : ['by_p'])];
    return isThere ? [this.language.call(`deduct${what === 'links' ? 'Links' : 'Places'}`, arrays)] : [];
  }

  /** A direction of the run-time parameters, of robots that have changes along them. */
  get alongParameters(): readonly DriverFunction[] {
    const { model, language } = this;
    if (!model.parametric) return [];
    const { target } = language;
    const lines = this.program(parameterChangeProgram(model), {
      read: (place) => (place.buffer === 'dp' ? language.value(`dp[${sum('from', place.index)}]`) : target.read(place)),
    });
    return [
      {
        name: 'alongParameters',
        purpose: 'What a direction of the run-time parameters changes of links and of the base.',
        parameters: { column: 'index', dp: 'read' },
        lines: [language.declareIndex('from', `${this.p} * column`), ...lines],
      },
    ];
  }

  private get frameTerms(): FrameTermPrinter {
    return new FrameTermPrinter(this, this.language, this.model);
  }

  /** What functions of the driver print themselves and links do not. */
  get ownPrograms(): readonly Program[] {
    const { model } = this;
    const along = model.parametric ? [parameterChangeProgram(model)] : [];
    return [...this.formulaPrograms, ...along, ...(model.gradients ? [parameterGradientProgram(model)] : [])];
  }

  private pivots(what: 'forget' | 'require'): string[] {
    const { language } = this;
    const refused = language.sharedNumber('refused', 0);
    if (what === 'forget') return [`${refused} = ${language.target.number(0)};`];
    return language.branch(`${language.value(refused)} > ${language.target.number(0)}`, [
      language.refuse('KG_SINGULAR'),
    ]);
  }

  private blank(what: 'baseTangent' | 'tangents' | 'loads'): string[] {
    if (what !== 'tangents') return [this.language.clearShared(what)];
    const from = this.model.placed ? 'placement' : 'motion';
    return this.layout.links.flatMap(({ tangent }, i) =>
      hasFunction(this.model.instances[i]!.link, 'backwardTangent')
        ? [this.language.clearBlock(i, from, tangent.size - startOfFrame(from)!, 'ownTangent')]
        : [],
    );
  }

  private get newton(): NewtonPrinter {
    return new NewtonPrinter(this.language, this.model, this.n, this.frameTerms);
  }

  /** See `NewtonPrinter`. */
  whereFed(lines: readonly string[]): readonly string[] {
    return this.newton.whereFed(lines);
  }

  private get formulaNames(): readonly FormulaName[] {
    const names = Object.keys(FORMULAS) as FormulaName[];
    const { derivatives, gradients, robot } = this.model;
    const isThere: Partial<Record<FormulaName, boolean>> = {
      changes: derivatives,
      gradients: gradients && formulaSymbols(robot).length > 0,
    };
    return names.filter((name) => isThere[name] ?? true);
  }

  get formulaPrograms(): readonly Program[] {
    return hasFormulas(this.model) ? this.formulaNames.map((name) => formulaProgram(this.model, name)) : [];
  }

  /** Functions for formulas that mix coordinates of several links; none without such. */
  get formulas(): readonly {
    readonly name: string;
    readonly purpose: string;
    readonly arrays: readonly string[];
    readonly lines: readonly string[];
  }[] {
    const { target } = this.language;
    const names = this.formulaNames;
    return this.formulaPrograms.map((program, i) => {
      const name = names[i]!;
      const lines = this.program(program, {
        read: ({ buffer, index }) => {
          if (buffer === 'q' || buffer === 'qd') return this.coordinate(buffer, index);
          if (buffer === 'dq') return this.coordinate('qTangent', index);
          return buffer === 'dtau' ? this.language.value(`dtau[${sum('at', index)}]`) : target.read({ buffer, index });
        },
        write: ({ buffer, index }) =>
          buffer === 'dtau' ? `dtau[${sum('at', index)}]` : target.write({ buffer, index }),
      });
      return { name: formulaFunction(name), purpose: FORMULAS[name].purpose, arrays: formulaArrays(name), lines };
    });
  }

  /** A coordinate of the robot or its rate in the block of its link. */
  coordinate(buffer: 'q' | 'qd' | 'qdd' | 'qTangent' | 'qdTangent', index: number): string {
    const { instances } = this.model;
    const at = instances.findIndex(({ first, link }) => index < first + link.type.coordinates.length);
    const { first } = instances[at]!;
    const block = buffer === 'qTangent' || buffer === 'qdTangent' ? 'ownTangent' : 'own';
    const place = this.language.link(at).number(block, blockPlaceOf(buffer), index - first);
    return this.language.value(place);
  }

  private isWanted(outputs: string | readonly string[]): string {
    return [outputs]
      .flat()
      .map((output) => this.language.isGiven(output))
      .join(' || ');
  }
}
