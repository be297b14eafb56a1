/**
 * What a driver does for terms that hold frames: coordinates of actuators, forces, rates, changes of forces along directions, and wrenches
 * held for steps of Newton's method. All follow from one record per term, `kane/equations/frame-terms.ts`; frames lie behind those of
 * callers. Forces are wrenches on links, carried inwards to the base, or to the link where those of a term cancel.
 */
import { PAIR_SIZE, pairsBefore } from '../../description/model/contact.ts';
import { heldSymbols, heldTwist } from '../../description/model/frame-terms.ts';
import { ratesOf, sees, type FrameTerm } from '../../kane/equations/frame-terms.ts';
import { movingTerms, type PlacedTerm } from '../../kane/kernels/link-type.ts';
import { directionalDerivative } from '../../symbolic/graph/differentiate.ts';
import { times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import type { RobotModel } from '../modules/robot-model.ts';
import { heldPart } from '../modules/workspace.ts';
import type { Program } from '../programs/program.ts';
import type { Action } from '../sweeps/robot-function.ts';
import { REACHES, type ReachName } from '../sweeps/actuator-functions.ts';
import {
  added,
  perFrame,
  sum,
  type DriverFunction,
  type DriverLanguage,
  type DriverParameters,
} from './driver-language.ts';
import {
  applyTangentFunction,
  applyFunction,
  baseFunction,
  reachFunction,
  sweepFunction,
} from '../sweeps/function-names.ts';
import { pairLines } from './link-calls.ts';
import {
  AXES_TANGENTS,
  BIASES,
  changingDriftsOf,
  driftsOf,
  framesOf as frames,
  heldOf,
  HeldParts,
  ORIGIN_TANGENTS,
  placesOf,
  POSES,
  poseTangent,
  TWIST_TANGENTS,
  TWISTS,
} from './held-parts.ts';
import { named, programOf, type Buffer, type Result } from './robot-programs.ts';
import { DriverPart, type PrintedDriver } from './driver-part.ts';

/** Along a direction of the coordinates, or of the run-time parameters. */
export type ChangeKind = 'Tangent' | 'Variation';

/** Symbols of twists as wrenches that see motions have them. */
const SEEN_TWISTS = TWISTS.map(({ buffer }, k): Buffer => ({ buffer, symbols: heldTwist(k) }));
const INPUT: Buffer = { buffer: 'input', symbols: named('input', 1) };
const INPUT_PARAMETER: DriverParameters = { input: 'number' };
/** Run-time parameters of the bristles of a term, and their changes, from its place among those of formulas on. */
const HELD = { held: 'formulaParameters', heldTangent: 'formulaParametersTangent' } as const;
const isHeld = (buffer: string): buffer is keyof typeof HELD => buffer in HELD;

export class FrameTermPrinter extends DriverPart {
  /** Of actuators, and of forces between frames. */
  readonly terms: readonly PlacedTerm[];
  readonly forces: readonly PlacedTerm[];
  /** Of contacts between links. */
  readonly pushes: readonly PlacedTerm[];
  /** Those whose wrenches depend on motions: contacts between links, and tendons with friction among `terms`. */
  readonly moving: readonly PlacedTerm[];
  private readonly shapes: readonly FrameTerm[];
  private readonly parts: HeldParts;

  constructor(printer: PrintedDriver, language: DriverLanguage, model: RobotModel) {
    super(printer, language, model);
    this.parts = new HeldParts(language);
    this.terms = model.reaching?.terms ?? [];
    this.forces = model.reaching?.forces ?? [];
    this.pushes = model.reaching?.pushes ?? [];
    this.moving = movingTerms(model.reaching);
    this.shapes = model.reaching?.shapes ?? [];
  }

  // -------------------------------------------------------------------------------------------- what drivers have

  /** Of every robot with such terms. */
  functions(): readonly DriverFunction[] {
    return [
      ...this.shapes.flatMap((shape, index) => this.ofShape(shape, index)),
      ...this.ofActuators(),
      ...this.ofForces(),
      ...this.ofPushes(),
    ];
  }

  private ofActuators(): readonly DriverFunction[] {
    const { language, terms } = this;
    if (terms.length === 0) return [];
    return [
      this.function('values', [
        ...this.rubbing(this.motions()),
        ...this.poses(),
        ...language.branch(
          language.isGiven('y'),
          terms.flatMap((term) => this.value(term)),
        ),
        ...language.branch(
          language.isGiven('B'),
          terms.map((term) => this.addForces(term, language.target.number(1), 'B', term.actuator!, this.printer.u)),
        ),
      ]),
      this.function('rates', [...this.motions(), ...this.poses(), ...terms.flatMap((term) => this.rate(term))]),
      this.function('forces', [
        ...this.rubbing(this.motions()),
        ...this.poses(),
        ...terms.map((term) => this.addForces(term, this.input(term), 'tau', 0, 1)),
      ]),
    ];
  }

  private ofForces(): readonly DriverFunction[] {
    const { language, forces } = this;
    if (forces.length === 0) return [];
    const place = 'energy[2]';
    const energy = (term: PlacedTerm): string[] => [
      this.on('valueOf', term),
      added(language, place, language.sharedNumber('heldRates', 0)),
    ];
    return [
      {
        name: 'addForces',
        purpose: 'Adds what forces between frames take, or take off.',
        parameters: { sign: 'number', tau: 'written' },
        lines: [...this.poses(), ...forces.map((term) => this.on('forcesOf', term, term.stop, 'sign', 'tau', 0, 1))],
      },
      {
        name: 'addEnergies',
        purpose: 'Adds the energies of forces between frames.',
        parameters: { energy: 'written' },
        lines: [...this.poses(), ...forces.flatMap(energy)],
      },
    ];
  }

  private ofPushes(): readonly DriverFunction[] {
    const { pushes } = this;
    if (pushes.length === 0) return [];
    return [
      {
        name: 'addPushes',
        purpose: 'Adds what contacts between links take, or take off.',
        parameters: { sign: 'number', tau: 'written' },
        lines: [...this.motions(), ...this.poses(), ...pushes.map((term) => this.addForces(term, 'sign', 'tau', 0, 1))],
      },
    ];
  }

  /** Changes of forces along directions, added. */
  changes(kind: ChangeKind): readonly DriverFunction[] {
    const { language } = this;
    if (this.shapes.length === 0) return [];
    const direction = kind === 'Tangent' ? ['at', 'dq'] : [];
    const sweep = kind === 'Tangent' ? 'poseTangent' : 'poseVariation';
    const poses = (): string[] => [
      ...this.poses(),
      ...(this.printer.has(sweep) ? [language.call(sweepFunction(sweep), [String(this.lastLink), ...direction])] : []),
    ];
    const ofForces: DriverFunction = {
      name: `addForce${kind}s`,
      purpose: 'Changes of what forces between frames take, added or taken off.',
      parameters: {
        at: 'index',
        sign: 'number',
        ...(kind === 'Tangent' && { dq: 'direction' as const }),
        dtau: 'written',
      },
      lines: [...poses(), ...this.forces.map((term) => this.callChange(term, kind, 'sign'))],
    };
    const shapes = this.shapes.flatMap((shape, index) => this.changesOfShape(shape, index, kind));
    const common = [...shapes, ...(this.forces.length > 0 ? [ofForces] : [])];
    if (this.terms.length === 0) return common;
    const motions =
      kind === 'Tangent' ? this.call('alongFrames', 'at', 'dq', 'dqd') : this.call('alongParametersOfFrames');
    return [
      ...common,
      {
        name: `reach${kind}s`,
        purpose: 'Changes of generalized forces of actuators that reach from link to link, added.',
        parameters: {
          at: 'index',
          u: 'read',
          ...(kind === 'Tangent' && { dq: 'direction' as const, ...(this.rubs && { dqd: 'direction' as const }) }),
          dtau: 'written',
        },
        lines: [
          ...this.rubbing([motions]),
          ...poses(),
          ...this.terms.map((term) => this.callChange(term, kind, this.input(term))),
        ],
      },
    ];
  }

  /** In functions of the robot. */
  printPushes(action: Extract<Action, { readonly pushes: unknown }>): string[] {
    if (this.pushes.length === 0) return [];
    return action.pushes === 'change'
      ? [this.call('addPushTangents', 'at', 'dq', 'dqd', action.to)]
      : [this.call('weighPushes', action.at, action.weights, 'by_q', 'by_qd')];
  }

  /** What `answerLinks` takes. */
  get answerArguments(): string[] {
    return ['u', ...(this.moving.length > 0 ? ['rate'] : [])];
  }

  /** Wrenches that links are held with, and their changes, for the border of Newton's method. */
  held(): readonly DriverFunction[] {
    return this.shapes.flatMap((shape, index) => {
      const parameters = {
        ...placesOf(shape),
        ...changingDriftsOf(shape),
        ...perFrame(frames(shape), 'at', 'index'),
        ...INPUT_PARAMETER,
      };
      const keep = (k: number, name: string): string => this.call(name, `link${k}`, `at${k}`);
      const hold: DriverFunction = {
        name: `holdWrenchesOf${this.nameOf(index)}`,
        purpose: 'The wrenches of this term on its links.',
        parameters,
        lines: [
          ...this.driftLines(shape),
          ...this.loads(shape, index),
          ...frames(shape).flatMap((k) => [this.apply(shape, k), keep(k, 'keepWrench')]),
        ],
      };
      const turn: DriverFunction = {
        name: `holdWrenchesTangentOf${this.nameOf(index)}`,
        purpose: 'Their changes.',
        parameters,
        lines: [
          ...this.driftLines(shape),
          ...this.loads(shape, index),
          ...this.loadChanges(shape, index, 'Tangent'),
          ...frames(shape).flatMap((k) => [
            this.apply(shape, k),
            this.applyChange(shape, k, 'Tangent'),
            keep(k, 'keepWrenchTangent'),
          ]),
        ],
      };
      return shape.axes === 'world' ? [hold, turn] : [hold];
    });
  }

  /** @param rank of a link among those that are held. */
  callHeld(term: PlacedTerm, what: 'Wrenches' | 'WrenchesTangent', rank: (link: number) => string | number): string[] {
    if (what === 'WrenchesTangent' && this.shapes[term.shape]!.axes === 'frame') return [];
    const ranks = this.linksOf(term).map((link) => String(rank(link)));
    const input = this.pushes.includes(term) ? this.language.target.number(1) : this.input(term);
    return [this.on(`hold${what}Of`, term, ...this.changingDrifts(term), ...ranks, input)];
  }

  /** The change of the forces of a term at an input, added to dtau. */
  callChange(term: PlacedTerm, kind: ChangeKind, input: string): string {
    return this.on(`forces${kind}Of`, term, ...this.changingDrifts(term), term.stop, input, 'dtau', 'at');
  }

  private addForces(term: PlacedTerm, input: string, ...to: readonly (string | number)[]): string {
    const drifts = this.moving.includes(term) ? term.places.map((place) => this.language.placeDrift(place)) : [];
    return this.on('forcesOf', term, ...drifts, term.stop, input, ...to);
  }

  private changingDrifts(term: PlacedTerm): string[] {
    const { language } = this;
    const { places } = term;
    if (!this.moving.includes(term)) return [];
    return [...places.map((k) => language.placeDrift(k)), ...places.map((k) => language.placeDriftTangent(k))];
  }

  linksOf({ places }: PlacedTerm): number[] {
    return places.map((place) => this.model.reaching!.places[place]!.link);
  }

  /** Does any term, or a loop, ask for changes of axes of its frames? */
  get seesAxes(): boolean {
    const { reaching, derivatives } = this.model;
    if (derivatives && reaching && reaching.loops.length > 0) return true;
    return this.shapes.some((shape) => frames(shape).some((k) => sees(shape.wrenches.flat(), k).axes));
  }

  /** Does any of them change in its axes along directions of a kind? */
  changesWith(kind: ChangeKind): boolean {
    if (kind === 'Tangent' && this.model.reaching && this.model.reaching.loops.length > 0) return true;
    return this.shapes.some((shape) => this.changeProgram(shape, kind) !== undefined);
  }

  get axesOfShapes(): ReadonlySet<FrameTerm['axes']> {
    return new Set(this.shapes.map(({ axes }) => axes));
  }

  /** Do tendons rub, so that what actuators do depends on rates? */
  get rubs(): boolean {
    return this.moving.length > this.pushes.length;
  }

  /** Of robots whose tendons rub. */
  private rubbing<T>(own: readonly T[]): readonly T[] {
    return this.rubs ? own : [];
  }

  /** Are there actuators that hold frames? */
  get hasDrives(): boolean {
    return this.terms.length > 0;
  }

  get hasForces(): boolean {
    return this.forces.length > 0;
  }

  /** Does forward dynamics take forces off those of the caller? */
  get hasNetForce(): boolean {
    return this.hasForces || this.pushes.length > 0;
  }

  /** Changes of actuators that hold frames, along directions of the coordinates and of the rates. */
  callReachTangents(at: string, dq: string, dqd: string, to: string): string[] {
    return this.hasDrives ? [this.call('reachTangents', at, 'u', dq, ...this.rubbing([dqd]), to)] : [];
  }

  /** Changes of a wrench of the caller on a frame, or of actuators that hold frames, in a function of the robot. */
  callChanges(loads: 'world' | 'frame' | 'reaching' | 'rubbing'): string[] {
    const { language } = this;
    if (loads === 'reaching') return this.callReachTangents('at', 'dq', language.nothing, 'dtau');
    if (loads === 'rubbing') return this.callReachTangents('at', language.nothing, 'dqd', 'dtau');
    return [
      language.clearShared('heldLoadTangent0'),
      language.call(applyTangentFunction(loads), ['index', 'link', 'wrench', language.shared('heldLoadTangent0')]),
      language.call('transmitTangent', ['link', '-1', 'dtau', 'at']),
    ];
  }

  /** What forces between frames do in a function of the robot. */
  print(action: Extract<Action, { readonly forces: unknown }>): string[] {
    const { language } = this;
    const { n } = this.printer;
    if (!this.hasNetForce) return [];
    const [plus, minus] = [1, -1].map((sign) => language.target.number(sign)) as [string, string];
    switch (action.forces) {
      case 'net':
        return [
          ...language.loop('k', 0, n, [`${language.sharedNumber('netForce', 'k')} = ${language.value('tau[k]')};`]),
          ...this.add('addForces', minus, language.shared('netForce')),
          // Contacts take: on the left-hand side.
          ...this.add('addPushes', plus, language.shared('netForce')),
        ];
      case 'add':
        return this.add('addForces', plus, action.to);
      case 'push':
        return this.add('addPushes', minus, action.to);
      case 'pairs':
        return this.reportPairs();
      case 'energies':
        return this.hasForces ? [language.call('addEnergies', ['energy'])] : [];
      case 'changes':
        if (!this.hasForces) return [];
        return [language.call('addForceTangents', [action.at, plus, action.direction, action.to])];
      case 'variations':
        if (!this.model.moving) return [];
        return [
          ...(this.hasForces ? [language.call('addForceVariations', [action.at, plus, action.to])] : []),
          ...(this.pushes.length > 0 ? [language.call('addPushVariations', [action.at, minus, action.to])] : []),
        ];
    }
  }

  private reportPairs(): string[] {
    const { language, model, pushes } = this;
    if (pushes.length === 0) return [];
    let next = pairsBefore(model.robot, model.robot.links.length);
    const lines = pushes.flatMap((term) => {
      const first = next;
      const count = this.shapes[term.shape]!.pairs!.length / PAIR_SIZE;
      next += count;
      const drifts = term.places.map((place) => language.placeDrift(place));
      return [this.on('pairsOf', term, ...drifts), ...pairLines(language, count, first)];
    });
    return [...this.motions(), ...this.poses(), ...lines];
  }

  private add(name: 'addForces' | 'addPushes', sign: string, array: string): string[] {
    const terms = name === 'addForces' ? this.forces : this.pushes;
    return terms.length > 0 ? [this.language.call(name, [sign, array])] : [];
  }

  // -------------------------------------------------------------------------------------------- terms

  private function(name: ReachName, lines: readonly string[]): DriverFunction {
    return { name: reachFunction(name), ...REACHES[name], lines };
  }

  /** A function of the shape of a term, on its frames. */
  private on(name: string, term: PlacedTerm, ...parameters: readonly (string | number)[]): string {
    const places = term.places.map((place) => this.printer.frames + place);
    const held = term.held ? [this.model.held.indexOf(term.held[0]!)] : [];
    return this.call(`${name}${this.nameOf(term.shape)}`, ...places, ...this.linksOf(term), ...held, ...parameters);
  }

  private input({ actuator }: PlacedTerm): string {
    return actuator === undefined ? this.language.target.number(-1) : this.language.value(`u[${actuator}]`);
  }

  private nameOf(shape: number): string {
    return `Term${this.shapes.length > 1 ? shape + 1 : ''}`;
  }

  private get lastLink(): number {
    return Math.max(...this.model.reaching!.places.map(({ link }) => link));
  }

  /** Poses of all links that have a place. */
  private poses(): string[] {
    return [this.call(baseFunction('pose')), ...this.sweep('pose')];
  }

  private sweep(name: 'pose' | 'biasMotion'): string[] {
    return this.printer.has(name) ? [this.call(sweepFunction(name), this.lastLink)] : [];
  }

  /** Motions of the links of all places, set aside. */
  private motions(): string[] {
    return [
      this.call(baseFunction('biasMotion')),
      ...this.sweep('biasMotion'),
      ...this.model.reaching!.places.map(({ link }, k) => this.call('keepDrift', link, this.language.placeDrift(k))),
    ];
  }

  private value(term: PlacedTerm): string[] {
    const { language } = this;
    if (this.shapes[term.shape]!.value === zero) return [];
    const place = `y[${term.actuator}]`;
    return [this.on('valueOf', term), added(language, place, language.sharedNumber('heldRates', 0))];
  }

  private rate(term: PlacedTerm): string[] {
    const { language } = this;
    const drifts = term.places.map((place) => language.placeDrift(place));
    const share = (array: string, k: number): string[] => {
      const place = `${array}[${term.actuator}]`;
      const own = language.value(language.sharedNumber('heldRates', k));
      return language.branch(language.isGiven(array), [`${place} = ${language.value(place)} + ${own};`]);
    };
    return [this.on('ratesOf', term, ...drifts), ...share('yd', 0), ...share('ydd0', 1)];
  }

  // -------------------------------------------------------------------------------------------- shapes

  private ofShape(shape: FrameTerm, index: number): DriverFunction[] {
    const name = this.nameOf(index);
    const value: DriverFunction = {
      name: `valueOf${name}`,
      purpose: 'The coordinate of this term.',
      parameters: placesOf(shape),
      lines: [
        ...this.parts.poses(shape, [shape.value]),
        ...this.program(this.programOf(shape, [], [{ buffer: 'heldRates', values: [shape.value] }])),
      ],
    };
    const { rate, bias } = ratesOf(
      shape,
      frames(shape).map((k) => ({ twist: SEEN_TWISTS[k]!.symbols, bias: BIASES[k]!.symbols })),
    );
    const motions = frames(shape).flatMap((k) => [SEEN_TWISTS[k]!, BIASES[k]!]);
    const rates: DriverFunction = {
      name: `ratesOf${name}`,
      purpose: 'Its rate, and its second derivative where coordinates do not accelerate.',
      parameters: { ...placesOf(shape), ...driftsOf(shape) },
      lines: [
        ...this.parts.poses(shape, [rate, bias]),
        ...frames(shape).map((k) => this.parts.motion(k)),
        ...this.program(this.programOf(shape, motions, [{ buffer: 'heldRates', values: [rate, bias] }])),
      ],
    };
    const forces: DriverFunction = {
      name: `forcesOf${name}`,
      purpose: 'Adds the generalized forces of this term at an input.',
      parameters: {
        ...placesOf(shape),
        ...(shape.isMoving && driftsOf(shape)),
        stop: 'index',
        ...INPUT_PARAMETER,
        tau: 'written',
        at: 'index',
        stride: 'index',
      },
      lines: [
        ...this.driftLines(shape),
        ...this.loads(shape, index),
        ...frames(shape).flatMap((k) => [
          this.apply(shape, k),
          this.call('transmit', `link${k}`, 'stop', 'tau', 'at', 'stride'),
        ]),
      ],
    };
    const wrenches: DriverFunction = {
      name: `wrenchesOf${name}`,
      purpose: `Its wrenches on its frames, in axes of the ${shape.axes}.`,
      parameters: { ...heldOf(shape), ...INPUT_PARAMETER },
      lines: this.program(this.loadProgram(shape)),
    };
    const isDriven = this.terms.some((term) => term.shape === index);
    const { pairs = [] } = shape;
    const twists = frames(shape).map((k) => SEEN_TWISTS[k]!);
    const report: DriverFunction = {
      name: `pairsOf${name}`,
      purpose: 'What is reported of its pairs.',
      parameters: { ...placesOf(shape), ...driftsOf(shape) },
      lines: [
        ...frames(shape).map((k) => this.parts.motion(k)),
        ...this.parts.poses(shape, pairs),
        ...this.program(this.programOf(shape, twists, [{ buffer: 'contactPairs', values: pairs }])),
      ],
    };
    return [
      ...(pairs.length > 0 ? [report] : []),
      wrenches,
      ...(shape.value === zero ? [] : [value]),
      ...(isDriven ? [rates] : []),
      forces,
    ];
  }

  private changesOfShape(shape: FrameTerm, index: number, kind: ChangeKind): DriverFunction[] {
    const name = this.nameOf(index);
    const change = this.changeProgram(shape, kind);
    const own: DriverFunction[] = change
      ? [
          {
            name: `wrenches${kind}Of${name}`,
            purpose: 'Changes of its wrenches.',
            parameters: { ...heldOf(shape), ...INPUT_PARAMETER },
            lines: this.program(change),
          },
        ]
      : [];
    return [
      ...own,
      {
        name: `forces${kind}Of${name}`,
        purpose: 'Adds the change of its generalized forces at an input.',
        parameters: {
          ...placesOf(shape),
          ...changingDriftsOf(shape),
          stop: 'index',
          ...INPUT_PARAMETER,
          tau: 'written',
          at: 'index',
        },
        lines: [
          ...this.driftLines(shape),
          ...this.loads(shape, index),
          ...this.loadChanges(shape, index, kind),
          ...frames(shape).flatMap((k) => [
            this.apply(shape, k),
            this.applyChange(shape, k, kind),
            this.call(`transmit${kind}`, `link${k}`, 'stop', 'tau', 'at'),
          ]),
        ],
      },
    ];
  }

  private loads(shape: FrameTerm, index: number): string[] {
    return [...this.parts.poses(shape, shape.wrenches.flat()), this.callWrenches('', shape, index)];
  }

  private loadChanges(shape: FrameTerm, index: number, kind: ChangeKind): string[] {
    const { language } = this;
    if (!this.changeProgram(shape, kind))
      return frames(shape).map((k) => language.clearShared(heldPart('LoadTangent', k)));
    const { nothing } = language;
    const changes = frames(shape).flatMap((k) => {
      const seen = sees(shape.wrenches.flat(), k);
      const axes = this.seesAxes ? [seen.axes ? this.parts.of('AxesTangent', k) : nothing] : [];
      const origin = seen.origin ? this.parts.of('OriginTangent', k) : nothing;
      return [this.call(`frame${kind}`, `frame${k}`, `link${k}`, ...axes, origin)];
    });
    return [...changes, ...this.twistChanges(shape, kind), this.callWrenches(kind, shape, index)];
  }

  private callWrenches(kind: ChangeKind | '', shape: FrameTerm, index: number): string {
    const held = Object.keys(heldOf(shape));
    return this.call(`wrenches${kind}Of${this.nameOf(index)}`, ...held, 'input');
  }

  /** Motions of the frames of a contact, from those of their links. */
  private driftLines(shape: FrameTerm): string[] {
    return shape.isMoving ? frames(shape).map((k) => this.parts.motion(k)) : [];
  }

  private twistChanges(shape: FrameTerm, kind: ChangeKind): string[] {
    if (!shape.isMoving) return [];
    const to = (['TwistTangent', 'BiasTangent'] as const).map((part) => (k: number) => this.parts.of(part, k));
    return frames(shape).map((k) =>
      this.call(
        ...([`frameMotion${kind}`, `frame${k}`, `link${k}`, `drift${k}`, `change${k}`] as const),
        ...to.map((part) => part(k)),
      ),
    );
  }

  private apply({ axes }: FrameTerm, k: number): string {
    return this.call(applyFunction(axes), `frame${k}`, this.parts.of('Load', k));
  }

  private applyChange({ axes }: FrameTerm, k: number, kind: ChangeKind): string {
    const [load, change] = [this.parts.of('Load', k), this.parts.of('LoadTangent', k)];
    return this.call(applyTangentFunction(axes, kind), `frame${k}`, `link${k}`, load, change);
  }

  // -------------------------------------------------------------------------------------------- programs

  private program(program: Program): string[] {
    const { language } = this;
    return this.printer.program(program, {
      read: (place) =>
        isHeld(place.buffer)
          ? language.value(language.sharedNumber(HELD[place.buffer], sum('held', place.index)))
          : language.target.read(place),
    });
  }

  private programOf(shape: FrameTerm, inputs: readonly Buffer[], results: readonly Result[]): Program {
    const parameters = { buffer: 'formulaParameters', symbols: this.model.held };
    const poses = frames(shape).flatMap((k) => POSES[k]!);
    const held = shape.held ? [{ buffer: 'held', symbols: shape.held }] : [];
    return programOf('term', [...poses, ...inputs, parameters, ...held], results);
  }

  private loadProgram(shape: FrameTerm): Program {
    const values = scaled(shape);
    const results = frames(shape).map((k) => ({ buffer: heldPart('Load', k), values: values[k]! }));
    return this.programOf(
      shape,
      [INPUT, ...(shape.isMoving ? frames(shape).map((k) => SEEN_TWISTS[k]!) : [])],
      results,
    );
  }

  /** Undefined where wrenches do not change in their axes. */
  private changeProgram(shape: FrameTerm, kind: ChangeKind): Program | undefined {
    const direction = new Map<Expr, Expr>();
    for (const k of frames(shape)) {
      heldSymbols(k).forEach((s, i) => direction.set(s, poseTangent(k)[i]!));
      if (shape.isMoving) heldTwist(k).forEach((s, i) => direction.set(s, TWIST_TANGENTS[k]!.symbols[i]!));
    }
    const { held } = this.model;
    const ofParameters: Buffer = { buffer: 'formulaParametersTangent', symbols: named('dp', held.length) };
    const { held: ofBristles = [] } = shape;
    const ofHeld: Buffer = { buffer: 'heldTangent', symbols: named('dheld', ofBristles.length) };
    if (kind === 'Variation') {
      held.forEach((s, i) => direction.set(s, ofParameters.symbols[i]!));
      ofBristles.forEach((s, i) => direction.set(s, ofHeld.symbols[i]!));
    }
    const values = scaled(shape).map((own) => directionalDerivative(own, direction));
    if (values.flat().every((e) => e === zero)) return undefined;
    const ofMotion = (k: number): Buffer[] => (shape.isMoving ? [SEEN_TWISTS[k]!, TWIST_TANGENTS[k]!] : []);
    const inputs = frames(shape).flatMap((k) => [AXES_TANGENTS[k]!, ORIGIN_TANGENTS[k]!, ...ofMotion(k)]);
    const results = frames(shape).map((k) => ({ buffer: heldPart('LoadTangent', k), values: values[k]! }));
    const further = kind === 'Variation' ? [ofParameters, ofHeld] : [];
    return this.programOf(shape, [INPUT, ...inputs, ...further], results);
  }
}

/** Wrenches at an input. */
const scaled = ({ wrenches }: FrameTerm): Expr[][] =>
  wrenches.map((wrench) => wrench.map((e) => times(INPUT.symbols[0]!, e)));
