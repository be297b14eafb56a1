/**
 * What a driver does for loops: residuals of all rows, their rates and second derivatives, the Jacobian, and multipliers by which
 * accelerations, steps or corrections keep the rows (runtime/loops.ts). A row goes through the coordinates of the links between its
 * frames and the base as any other right-hand side of M. Rows over the same frames are one function.
 */
import { coordinateSymbol, type Actuator } from '../../../description/model/actuator.ts';
import type { PlacedLoop, PlacedTerm } from '../../../kane/kernels/link-type.ts';
import { differentiateAll, directionalDerivative } from '../../../symbolic/graph/differentiate.ts';
import { one, plus, zero, type Expr } from '../../../symbolic/graph/expr.ts';
import { loopRows, loopTime, type RobotModel } from '../../modules/robot-model.ts';
import { closureForms, type ClosureForm, type ClosureForms } from '../../modules/held-frames.ts';
import type { SharedPart } from '../../modules/workspace.ts';
import type { LoopAction } from '../../sweeps/robot-function.ts';
import {
  added,
  matrixIndex,
  perFrame,
  sum,
  within,
  type DriverFunction,
  type DriverLanguage,
  type Index,
} from '../driver-language.ts';
import { baseFunction } from '../../sweeps/function-names.ts';
import { named, programOf, timeBuffer, type Buffer, type Result } from '../robot-programs.ts';
import { GivingRows } from './giving-rows.ts';
import { DriverPart, type PrintedDriver } from '../driver-part.ts';
import { wayFrom, type Among } from '../equal-links.ts';
import { freeSymbols } from '../../../symbolic/graph/traverse.ts';

/** Rows of a loop, and the links between its frames or coordinates and the base. */
interface RowGroup extends Among {
  readonly first: number;
  readonly count: number;
  readonly parts: readonly PlacedLoop[];
  readonly formula: Expr | undefined;
  /** By its index. */
  readonly actuator: number | undefined;
}

/** Frames that rows hold. */
const framesOf = ({ closure: [first] }: ClosureForm): readonly number[] => [...Array(first!.count).keys()];

const HELD_LENGTHS = ['heldLengths', 'heldLengthRates', 'heldLengthBiases', 'heldLengthGradients'] as const;

export class LoopPrinter extends DriverPart {
  readonly rows: number;
  readonly isYielding: boolean;
  readonly giving: GivingRows;
  readonly loops: readonly PlacedLoop[];
  private readonly forms: ClosureForms;
  private readonly groups: readonly RowGroup[];

  constructor(printer: PrintedDriver, language: DriverLanguage, model: RobotModel) {
    super(printer, language, model);
    this.rows = loopRows(model);
    this.giving = new GivingRows(printer, language, model);
    this.isYielding = this.giving.isYielding;
    this.loops = model.reaching?.loops ?? [];
    this.forms = closureForms(model);
    this.groups = this.grouped();
  }

  private grouped(): RowGroup[] {
    const { robot, instances } = this.model;
    let next = 0;
    return (robot.loops ?? []).map(({ rows, formula, actuator }): RowGroup => {
      const first = next;
      next += rows.length;
      const parts = this.loops.filter(({ row }) => row === first);
      const held = [...parts, ...this.termsOf(actuator)].flatMap(({ places }) => places.map((own) => this.linkOf(own)));
      const mixed = actuator === undefined ? [] : mixedFormulas(robot.actuators[actuator]!);
      const seen = new Set(freeSymbols([...(formula ? [formula] : []), ...mixed]));
      const moved = robot.coordinates.flatMap(({ name }, a) =>
        seen.has(coordinateSymbol(name))
          ? [instances.findLastIndex((own) => own.pointOf === undefined && own.first <= a)]
          : [],
      );
      const acting = instances.flatMap(({ actuators }, index) =>
        actuator !== undefined && actuators.includes(actuator) ? [index] : [],
      );
      const ways = [...held.map((index) => instances[index]?.pointOf ?? index), ...moved, ...acting];
      const links = new Set(ways.flatMap((index) => wayFrom(this.model, index)));
      const isDirect =
        parts.length === 1 &&
        !formula &&
        actuator === undefined &&
        held.every((index, k) => instances[index]?.pointOf === undefined && held.indexOf(index) === k);
      return {
        first,
        count: rows.length,
        parts,
        formula,
        actuator,
        links,
        laden: new Set(isDirect ? held.filter((index) => index >= 0) : []),
      };
    });
  }

  private termsOf(actuator: number | undefined): readonly PlacedTerm[] {
    const { terms = [] } = this.model.reaching ?? {};
    return actuator === undefined ? [] : terms.filter((term) => term.actuator === actuator);
  }

  /** Links of all rows, and material points that frames of theirs ride on. */
  get touched(): Among {
    const held = this.loops.flatMap(({ places }) => places.map((place) => this.linkOf(place)));
    const all = [
      ...this.groups.flatMap(({ links }) => [...links]),
      ...held.flatMap((index) => wayFrom(this.model, index)),
    ];
    return { links: new Set(all), laden: new Set() };
  }

  /** Of robots with loops. */
  functions(): readonly DriverFunction[] {
    if (this.rows === 0) return [];
    return [...this.forms.forms.flatMap((form, index) => this.ofForm(form, index)), ...this.ways(), ...this.ofRobot()];
  }

  // -------------------------------------------------------------------------------------------- in functions of the robot

  print({ loops, target = '', moving }: LoopAction): string[] {
    const { language, rows } = this;
    if (rows === 0) return [];
    switch (loops) {
      case 'residuals':
        return [...this.placed(false), this.call('residualsOfLoops', 'phi')];
      case 'rates':
        return [...this.placed(true), this.call('ratesOfLoops', 'rate', 'bias')];
      case 'jacobian':
        return [...this.placed(false), this.call('jacobianOfLoops', 'J')];
      case 'reduce':
        return [...this.placed(moving === true), this.call('reduceRowsOfLoops')];
      case 'accelerate':
        return [
          ...(this.isYielding
            ? [
                this.call('ratesOfLoops', language.shared('loopRates'), language.shared('loopTargets')),
                this.call('residualsOfLoops', language.shared('loopResiduals')),
              ]
            : [this.call('ratesOfLoops', language.nothing, language.shared('loopTargets'))]),
          ...this.giving.yields(0),
          ...this.solve('loopTargets', true),
          ...this.give(target),
        ];
      case 'stabilise': {
        const at = (part: 'loopTargets' | 'loopRates' | 'loopResiduals'): string => language.sharedNumber(part, 'j');
        const value = (part: 'loopTargets' | 'loopRates' | 'loopResiduals'): string => language.value(at(part));
        const feedback = `2 * alpha * ${value('loopRates')} + beta * beta * ${value('loopResiduals')}`;
        return [
          this.call('ratesOfLoops', language.shared('loopRates'), language.shared('loopTargets')),
          this.call('residualsOfLoops', language.shared('loopResiduals')),
          ...this.each([`${at('loopTargets')} = ${value('loopTargets')} + ${feedback};`]),
          ...this.giving.yields(0),
          ...this.solve('loopTargets', false),
          ...this.give(target),
        ];
      }
      case 'step': {
        const at = (part: 'loopTargets' | 'loopRates' | 'loopResiduals'): string => language.sharedNumber(part, 'j');
        const value = (part: 'loopRates' | 'loopResiduals'): string => language.value(at(part));
        return [
          this.call('ratesOfLoops', language.shared('loopRates'), language.nothing),
          this.call('residualsOfLoops', language.shared('loopResiduals')),
          ...this.each([`${at('loopTargets')} = (${value('loopResiduals')} / h + ${value('loopRates')}) / h;`]),
          ...this.giving.yields(1),
          ...this.solve('loopTargets', false),
          ...this.give(target),
        ];
      }
      case 'factor':
        return this.isYielding
          ? [
              this.call('residualsOfLoops', language.shared('loopResiduals')),
              this.call('jacobianOfLoops', language.shared('loopGradients')),
              ...this.giving.yields(2),
            ]
          : [];
      case 'solve':
        return [
          this.keep(),
          ...(this.isYielding ? this.giving.stiffTargets() : [language.clearShared('loopTargets')]),
          ...this.solve('loopTargets', false),
        ];
      case 'distribute':
        return [...this.placed(this.isYielding), ...this.giving.distribute(), ...this.give(target)];
      case 'ropes':
        return [`${language.runTime('keepRopes', [rows, 'taut', language.shared('loopTaut')])};`];
      case 'place':
        return [
          this.call('residualsOfLoops', language.shared('loopResiduals')),
          language.clearShared('freeQuotients'),
          ...this.giving.yields(3),
          ...this.solve('loopResiduals', false),
        ];
      case 'turn':
        // Poses have gone where coordinates moved.
        return [
          ...this.placed(false),
          this.call('ratesOfLoops', language.shared('loopRates'), language.nothing),
          language.clearShared('freeQuotients'),
          ...this.giving.yields(4),
          ...this.solve('loopRates', false),
        ];
    }
  }

  each(lines: readonly string[]): string[] {
    return this.language.loop('j', 0, this.rows, lines);
  }

  keep(): string {
    const { language } = this;
    return this.call('keepQuotientsOfLoops', language.shared('freeQuotients'), language.shared('loopPivots'));
  }

  /** Where the frames of loops are, and how they move where that is asked for. */
  private placed(isMoving: boolean): string[] {
    if (this.loops.length === 0) return [];
    return [...(isMoving ? [this.call('moveLoops')] : []), this.call('placeLoops')];
  }

  /** Rows as right-hand sides through the coordinates of links; quotients and pivots of these set aside before. */
  private reduction(): DriverFunction {
    const { language, printer } = this;
    const columns = language.shared('loopColumns');
    const each = ({ first, count }: RowGroup, lines: (row: string) => readonly string[]): string[] =>
      language.loop('j', 0, count, [...lines(first === 0 ? 'j' : `${first} + j`)]);
    const place = (row: string): string => (/ /.test(row) ? `${printer.n} * (${row})` : `${printer.n} * ${row}`);
    const byJacobian = this.groups.filter(({ laden }) => laden.size === 0);
    return {
      name: 'reduceRowsOfLoops',
      purpose: 'Rows as right-hand sides through the coordinates of links.',
      parameters: {},
      lines: [
        this.keep(),
        language.clear(columns, this.numbers),
        ...byJacobian.flatMap(({ parts }) =>
          parts.map((loop) => this.on('gradients', loop, -1, columns, Number(printer.n) * loop.row)),
        ),
        ...this.formula('jacobian', columns, byJacobian),
        ...this.heldLengths('gradients', columns),
        ...this.groups.flatMap((group) => {
          const reduce = (row: string): string => this.call(this.wayOf(group), place(row), columns);
          if (group.laden.size === 0) return each(group, (row) => [reduce(row)]);
          const [loop] = group.parts;
          const frames = loop!.places.map((own) => this.printer.frames + own);
          return [
            this.call(this.nameOf('wrenches', this.formOf(loop!)), ...frames),
            ...each(group, (row) => [
              ...loop!.places.flatMap((own, k) => {
                const link = this.linkOf(own);
                return link < 0
                  ? []
                  : this.apply(group.count, k, (i) => language.link(link).number('own', 'applied', i), '-');
              }),
              reduce(row),
            ]),
          ];
        }),
      ],
    };
  }

  /** Groups that lead over the same links share a sweep. */
  private wayOf(group: RowGroup): string {
    const key = ({ links, laden }: RowGroup): string => [[...links].sort(), [...laden].sort()].join(';');
    const ways = [...new Set(this.groups.map(key))];
    return `reduceRowAlong${ways.length > 1 ? `Way${ways.indexOf(key(group)) + 1}` : 'Way'}`;
  }

  /** Sweeps: of rows over links of loops alone. What is left of right-hand sides is that of all links: others move along. */
  private ways(): readonly DriverFunction[] {
    const { printer } = this;
    const named = new Map(this.groups.map((group) => [this.wayOf(group), group]));
    return [
      ...[...named].map(([name, group]): DriverFunction => ({
        name,
        purpose: 'A row through the coordinates of links: what is left of it takes its place.',
        parameters: { at: 'index', rhs: 'written' },
        lines: printer.sweep('reduceRow', group),
      })),
      {
        name: 'keepQuotientsOfLoops',
        purpose:
          'What is left of a right-hand side on the coordinates of all links, over their pivots, and the pivots.',
        parameters: { quotients: 'written', pivots: 'written' },
        lines: printer.sweep('keepQuotients'),
      },
      {
        name: 'putQuotientsOfLoops',
        purpose: 'The first of these back to the links.',
        parameters: { rhs: 'read' },
        lines: printer.sweep('putQuotients'),
      },
    ];
  }

  private get numbers(): Index {
    const {
      printer: { n },
      rows,
    } = this;
    return typeof n === 'number' ? rows * n : `${rows} * ${n}`;
  }

  /** Multipliers, and their part of the quotients of links; a row that contradicts others ends the function. */
  solve(targets: 'loopTargets' | 'loopRates' | 'loopResiduals', isStrict: boolean): string[] {
    const { language, rows } = this;
    const parts = ['loopColumns', 'loopPivots', 'freeQuotients'] as const;
    const given = [
      rows,
      this.printer.n,
      ...parts.map((part) => language.shared(part)),
      language.shared(targets),
      language.flag(isStrict),
      language.flag(this.isYielding),
      ...(['loopKinds', 'loopSoftness'] as const).map((part) =>
        this.isYielding ? language.shared(part) : language.shared(targets),
      ),
      language.shared('loopWork'),
      language.shared('loopMultipliers'),
    ];
    const rank = language.sharedNumber('loopRank', 0);
    const refused = isStrict
      ? language.branch(`${language.value(rank)} < 0`, [language.refuse('KG_CONTRADICTORY')])
      : [];
    return [
      `${rank} = ${language.asNumber(language.runTime('closeLoops', given))};`,
      ...refused,
      this.call('putQuotientsOfLoops', language.shared('freeQuotients')),
    ];
  }

  private give(target: string): string[] {
    const { language } = this;
    if (target === '') return [];
    return this.each([`${target}[j] = ${language.value(language.sharedNumber('loopMultipliers', 'j'))};`]);
  }

  // -------------------------------------------------------------------------------------------- of the robot

  private ofRobot(): readonly DriverFunction[] {
    const { language, printer, rows } = this;
    const places = this.loops.map(({ places: own }) => own);
    const add = (array: string, loop: PlacedLoop, from: number): string[] =>
      this.rowsOf(loop).map((_, j) => {
        const total = `${array}[${loop.row + j}]`;
        return added(language, total, language.sharedNumber('loopValues', from + j));
      });
    const wanted = (array: string, lines: readonly string[]): string[] =>
      language.branch(language.isGiven(array), lines);
    const drifts = [...new Set(places.flat())];
    const along = (name: 'pose' | 'biasMotion'): string[] =>
      printer.has(name) ? printer.sweep(name, this.touched) : [];
    return [
      this.reduction(),
      ...(this.isYielding ? [this.giving.stiffnesses()] : []),
      {
        name: 'moveLoops',
        purpose: 'Motions of the frames of loops where coordinates do not accelerate, set aside.',
        parameters: {},
        lines: [
          this.call(baseFunction('biasMotion')),
          ...along('biasMotion'),
          ...drifts.map((place) => this.call('keepDrift', this.linkOf(place), language.placeDrift(place))),
        ],
      },
      {
        name: 'placeLoops',
        purpose: 'Poses of the frames of loops.',
        parameters: {},
        lines: [this.call(baseFunction('pose')), ...along('pose')],
      },
      {
        name: 'residualsOfLoops',
        purpose: 'Residuals of all rows of loops.',
        parameters: { phi: 'written' },
        lines: [
          language.clear('phi', rows),
          ...this.loops.flatMap((loop) => [this.on('residuals', loop), ...add('phi', loop, 0)]),
          ...this.formula('residuals', 'phi', this.groups),
          ...this.heldLengths('values', 'phi'),
        ],
      },
      {
        name: 'ratesOfLoops',
        purpose: 'Their rates, and their second derivatives where coordinates do not accelerate; where wanted.',
        parameters: { rate: 'wanted', bias: 'wanted' },
        lines: [
          ...wanted('rate', [language.clear('rate', rows)]),
          ...wanted('bias', [language.clear('bias', rows)]),
          ...this.loops.flatMap((loop) => [
            this.on('rates', loop, ...loop.places.map((place) => language.placeDrift(place))),
            ...wanted('rate', add('rate', loop, 0)),
            ...wanted('bias', add('bias', loop, this.rowsOf(loop).length)),
          ]),
          ...this.formula('rates', 'rate', this.groups),
          ...this.heldLengths('rates', 'rate'),
        ],
      },
      {
        name: 'jacobianOfLoops',
        purpose: 'Derivatives of all residuals by the coordinates, row by row.',
        parameters: { J: 'written' },
        lines: [
          language.clear('J', this.numbers),
          ...this.loops.map((loop) => this.on('gradients', loop, loop.stop, 'J', Number(printer.n) * loop.row)),
          ...this.formula('jacobian', 'J', this.groups),
          ...this.heldLengths('gradients', 'J'),
        ],
      },
    ];
  }

  /** Of an array of the caller, or of the rows that go through the links. */
  private entry(array: string, index: Index): string {
    const { language } = this;
    return array === language.shared('loopColumns')
      ? language.sharedNumber('loopColumns', index)
      : `${array}[${index}]`;
  }

  linkOf(place: number): number {
    return this.model.reaching!.places[place]!.link;
  }

  /** Rows that hold coordinates of actuators: these of all actuators are found at once. */
  private heldLengths(what: 'values' | 'rates' | 'gradients', array: string): string[] {
    const { language, printer } = this;
    const driven = this.groups.flatMap(({ first, actuator }) => (actuator === undefined ? [] : [{ first, actuator }]));
    if (driven.length === 0) return [];
    const add = (to: string, from: string): string => added(language, to, from);
    const addRows = (to: string, part: SharedPart): string[] =>
      driven.map(({ first, actuator }) => add(`${to}[${first}]`, language.sharedNumber(part, actuator)));
    const { nothing } = language;
    const [lengths, rates, biases, slopes] = HELD_LENGTHS.map((part) => language.shared(part)) as [
      string,
      string,
      string,
      string,
    ];
    switch (what) {
      case 'values':
        return [
          language.clearShared('heldLengths'),
          ...printer.actuation('values', [lengths, nothing]),
          ...addRows(array, 'heldLengths'),
        ];
      case 'rates':
        return [
          language.clearShared('heldLengthRates'),
          language.clearShared('heldLengthBiases'),
          ...printer.actuation('rates', [rates, biases]),
          ...language.branch(language.isGiven('rate'), addRows('rate', 'heldLengthRates')),
          ...language.branch(language.isGiven('bias'), addRows('bias', 'heldLengthBiases')),
        ];
      case 'gradients':
        return [
          language.clearShared('heldLengthGradients'),
          ...printer.actuation('values', [nothing, slopes]),
          ...driven.flatMap(({ first, actuator }) => {
            const slope = language.sharedNumber('heldLengthGradients', matrixIndex('k', actuator, printer.u));
            const to = this.entry(array, sum(Number(printer.n) * first, 'k'));
            return language.loop('k', 0, printer.n, [add(to, slope)]);
          }),
        ];
    }
  }

  /** Rows, or parts of them, that are formulas of coordinates and the time. */
  private formula(what: 'residuals' | 'rates' | 'jacobian', array: string, groups: readonly RowGroup[]): string[] {
    const { robot, held } = this.model;
    const n = robot.coordinates.length;
    const formulas = groups.flatMap(({ formula, first }) => (formula ? [{ row: first, formula }] : []));
    if (formulas.length === 0) return [];
    const q = robot.coordinates.map(({ name }) => coordinateSymbol(name));
    const qd = named('qd', n);
    const arrays = {
      phi: named('phi', this.rows),
      rate: named('rate', this.rows),
      bias: named('bias', this.rows),
      J: named('J', this.rows * n),
    };
    const time = loopTime(this.model);
    const moving = new Map<Expr, Expr>([
      ...q.map((s, a): [Expr, Expr] => [s, qd[a]!]),
      ...(time ? [[time, one] as const] : []),
    ]);
    const added = (buffer: keyof typeof arrays, from: number, value: Expr): Result[] =>
      value === zero
        ? []
        : [{ buffer, from, values: [plus(arrays[buffer][from]!, value)], ...(what === 'rates' && { optional: true }) }];
    const results = formulas.flatMap(({ row: own, formula }): Result[] => {
      if (what === 'residuals') return added('phi', own, formula);
      if (what === 'jacobian') return q.flatMap((s, a) => added('J', n * own + a, differentiateAll([formula], s)[0]!));
      const [rate] = directionalDerivative([formula], moving);
      const [bias] = directionalDerivative([rate!], moving);
      return [...added('rate', own, rate!), ...added('bias', own, bias!)];
    });
    const inputs: Buffer[] = [
      { buffer: 'q', symbols: q },
      { buffer: 'qd', symbols: qd },
      { buffer: 'formulaParameters', symbols: held },
      ...timeBuffer(this.model),
      ...Object.entries(arrays).map(([buffer, symbols]) => ({ buffer, symbols })),
    ];
    const { target } = this.language;
    // The Jacobian may go to another array.
    const element = ({ buffer, index }: { buffer: string; index: number }): string =>
      buffer === 'J' ? this.entry(array, index) : `${buffer}[${index}]`;
    const lines = this.printer.program(programOf('loops', inputs, results), {
      read: (place) => {
        if (place.buffer === 'q' || place.buffer === 'qd') return this.printer.coordinate(place.buffer, place.index);
        return place.buffer === 'J' ? this.language.value(element(place)) : target.read(place);
      },
      write: (place) => (place.buffer === 'J' ? element(place) : target.write(place)),
    });
    return within('{', lines);
  }

  // -------------------------------------------------------------------------------------------- rows over the same frames

  private formOf(loop: PlacedLoop): number {
    return this.forms.ofLoops[this.loops.indexOf(loop)]!;
  }

  private rowsOf(loop: PlacedLoop): ClosureForm['closure'] {
    return this.forms.forms[this.formOf(loop)]!.closure;
  }

  private ofForm(form: ClosureForm, index: number): readonly DriverFunction[] {
    const { language } = this;
    const frames = framesOf(form);
    const { length: rows } = form.closure;
    const places = perFrame(frames, 'frame', 'index');
    return [
      {
        name: this.nameOf('residuals', index),
        purpose: 'Residuals of these rows.',
        parameters: places,
        lines: this.program(form, 'loopValues', form.residuals),
      },
      {
        name: this.nameOf('rates', index),
        purpose: 'Their rates, then their second derivatives where coordinates do not accelerate.',
        parameters: { ...places, ...perFrame(frames, 'drift', 'read') },
        lines: this.program(form, 'loopValues', form.rates),
      },
      {
        name: this.nameOf('wrenches', index),
        purpose: 'Wrenches of unit multipliers of these rows on the links of the frames, in axes of these.',
        parameters: places,
        lines: this.program(form, 'loopWrenches', form.wrenches),
      },
      {
        name: this.nameOf('gradients', index),
        purpose: 'Rows of the Jacobian: these wrenches carried inwards.',
        parameters: {
          ...places,
          ...perFrame(frames, 'link', 'index'),
          stop: 'index',
          J: 'written',
          at: 'index',
        },
        lines: [
          this.call(this.nameOf('wrenches', index), ...frames.map((k) => `frame${k}`)),
          ...frames.map((k) => language.declareFrameBlock(`block${k}`, `frame${k}`)),
          ...language.loop('j', 0, rows, [
            ...frames.flatMap((k) => [
              ...this.apply(rows, k, (i) => language.inBlock(`block${k}`, 'applied', i), ''),
              this.call('transmit', `link${k}`, 'stop', 'J', `at + ${this.printer.n} * j`, 1),
            ]),
          ]),
        ],
      },
    ];
  }

  /** The wrench of row j of so many, or its opposite, on the link of their frame k. */
  private apply(rows: number, k: number, to: (index: Index) => string, sign: '' | '-'): string[] {
    const { language } = this;
    const from = language.sharedNumber('loopWrenches', `${6 * rows * k} + 6 * j + k`);
    return language.loop('k', 0, 6, [`${to('k')} = ${sign}${language.value(from)};`]);
  }

  private nameOf(what: 'residuals' | 'rates' | 'wrenches' | 'gradients', form: number): string {
    return `${what}OfLoop${this.forms.forms.length > 1 ? form + 1 : ''}`;
  }

  /** A function of the rows of a loop, on its frames. */
  private on(
    what: 'residuals' | 'rates' | 'gradients',
    loop: PlacedLoop,
    ...parameters: readonly (string | number)[]
  ): string {
    const frames = loop.places.map((place) => this.printer.frames + place);
    const links = what === 'gradients' ? loop.places.map((place) => this.linkOf(place)) : [];
    return this.call(this.nameOf(what, this.formOf(loop)), ...frames, ...links, ...parameters);
  }

  private program(form: ClosureForm, buffer: string, values: readonly Expr[]): string[] {
    const { language } = this;
    const parameters = { buffer: 'formulaParameters', symbols: this.model.held };
    const program = programOf('loop', [...form.inputs, parameters, ...timeBuffer(this.model)], [{ buffer, values }]);
    const lines = this.printer.program(program, {
      read: (place) => {
        const [, k] = /^pose(\d)$/.exec(place.buffer) ?? [];
        return k ? language.value(language.inBlock(`block${k}`, 'pose', place.index)) : language.target.read(place);
      },
    });
    const uses = (name: string): boolean => lines.some((line) => new RegExp(`\\b${name}\\b`).test(line));
    return [
      ...framesOf(form).flatMap((k) => [
        ...(uses(`block${k}`) ? [language.declareFrameBlock(`block${k}`, `frame${k}`)] : []),
        ...(uses(`offset${k}`) ? [language.declareRead(`offset${k}`, language.frameOffset(`frame${k}`))] : []),
      ]),
      ...lines,
    ];
  }
}

/** What mixes coordinates of several links. */
const mixedFormulas = ({ terms }: Actuator): readonly Expr[] =>
  terms.flatMap((term) => (term.kind === 'robot-formula' ? [term.value] : []));
