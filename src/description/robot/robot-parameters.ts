/**
 * Parameters of a robot: each is known to those after it, values set from outside take the place of those in the file. Parameters of
 * body types can be chosen in the same way, link by link: `LINK.PARAMETER`.
 */
import { decimal, symbol, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { nearest } from '../../common/nearest.ts';
import { checkBounds, readParameter, type ParameterReading } from '../bodies/quantity.ts';
import type { RawParameter } from '../language/schema.ts';
import type { Quantity } from '../model/robot.ts';
import type { WarningName } from '../model/warnings.ts';
import type { Problems } from '../source/diagnostics.ts';
import { objectDocument, Place } from '../source/source.ts';
import { nameProblem } from '../values/reserved-names.ts';
import { constantNumber, knownNumber, readScalar, type Due, type Scope } from '../values/scope.ts';

/** What is said of a robot's parameters outside of its file. */
export interface ParameterChoices {
  /** Values in place of those of the file. */
  readonly settings: ReadonlyMap<string, string>;
  /** Names of those that stay open until the generated code runs, beside those that the file marks; `LINK.PARAMETER` of bodies. */
  readonly kept: ReadonlySet<string>;
}

const OF_LINK = /\./;

/** The value that a file gives to a parameter of a body, and where. */
export interface ParameterOfLink {
  readonly value: Expr | undefined;
  readonly place: Place;
}

export class RobotParameters {
  private readonly place: Place;
  private readonly problems: Problems;
  private readonly scope: Scope;
  private readonly defaults: Map<Expr, number>;
  private readonly settings: ReadonlyMap<string, string>;
  private readonly kept: ReadonlySet<string>;
  /** `LINK.PARAMETER` of all links. */
  private readonly known = new Set<string>();
  private written: readonly (readonly [string, RawParameter])[] = [];
  /** Those that generated code reads. */
  readonly quantities: Quantity[] = [];

  /**
   * @param place - the robot file.
   * @param scope - where names are defined.
   * @param defaults - where values of run-time parameters are noted.
   */
  constructor(
    place: Place,
    problems: Problems,
    { scope, defaults }: { scope: Scope; defaults: Map<Expr, number> },
    { settings, kept }: ParameterChoices,
  ) {
    this.place = place;
    this.problems = problems;
    this.scope = scope;
    this.defaults = defaults;
    this.settings = settings;
    this.kept = kept;
  }

  /** Reads the `parameters:` of the file; mistakes are noted. */
  readAll(written: Readonly<Record<string, RawParameter>>): void {
    const given = Object.entries(written);
    this.written = given;
    for (const name of [...this.settings.keys(), ...this.kept]) {
      if (OF_LINK.test(name) || given.some(([own]) => own === name)) continue;
      const close = nearest(
        name,
        given.map(([own]) => own),
      );
      const remedy = close
        ? `did you mean \`${close}\`?`
        : `parameters of the robot: ${given.map(([own]) => own).join(', ') || 'none'}`;
      this.problems.add(this.option(name).error('unknown-parameter', `the robot has no parameter \`${name}\``, remedy));
    }
    for (const [name, raw] of given) this.readParameter(name, raw);
  }

  /** Where a choice from outside stands, for messages. */
  private option(name: string): Place {
    return new Place(objectDocument({}), [`${this.settings.has(name) ? 'set' : 'parameter'} ${name}`]);
  }

  /**
   * The value of a parameter of the body of a link: that of the file, or what was chosen for it from outside.
   * @param names - of the link, and of those that are repeated with it.
   * @param written - the value in the file.
   */
  ofLink(names: readonly string[], parameter: Quantity, due: Due, written: ParameterOfLink): Expr | undefined {
    const keys = names.map((name) => `${name}.${parameter.name}`);
    for (const key of keys) this.known.add(key);
    const setting = keys.find((key) => this.settings.has(key));
    const value =
      setting === undefined
        ? written.value
        : readScalar(this.option(setting), this.settings.get(setting)!, due, this.scope).value;
    const key = keys.find((own) => this.kept.has(own));
    return key === undefined || !value ? value : this.keep(key, parameter, constantNumber(written.place, value));
  }

  /** A parameter of the generated code, the same for all links that share the key. */
  private keep(key: string, { summary, lower, upper, unit }: Quantity, value: number): Expr {
    const name = key.replace('.', '_');
    const own = symbol(`robot.${name}`);
    const before = this.defaults.get(own);
    if (before === value) return own;
    if (before !== undefined)
      throw this.option(key).error(
        'wrong-value',
        `\`${key}\` is ${before} in one link and ${value} in another`,
        'use its name in each link, or give all links one value',
      );
    if (this.written.some(([own]) => own === name))
      throw this.option(key).error(
        'duplicate-name',
        `generated code has this name, \`${name}\`, for a parameter of the robot`,
        'rename that one',
      );
    this.defaults.set(own, value);
    this.quantities.push({
      name,
      symbol: own,
      unit,
      value: decimal(value),
      ...(summary !== undefined && { summary }),
      ...(lower !== undefined && { lower }),
      ...(upper !== undefined && { upper }),
    });
    return own;
  }

  /** A parameter of the generated code that the file does not name, zero at first. @param at of what needs it. */
  own(at: Place, name: string, unit: string, summary: string): Expr {
    if (this.quantities.some((other) => other.name === name) || this.written.some(([other]) => other === name))
      throw at.keyError(
        'duplicate-name',
        `generated code has a parameter \`${name}\` of this entry, and the robot has one of this name`,
        'rename one of them',
      );
    const own = symbol(`robot.${name}`);
    this.defaults.set(own, 0);
    this.quantities.push({ name, symbol: own, unit, value: zero, summary });
    return own;
  }

  /** Says which parameters nothing reads; refuses choices of their values. To be asked when everything has been read. */
  checkUse(warn: (place: Place, name: WarningName, message: string) => void): void {
    for (const [name] of this.written) {
      if (this.scope.isRead(name)) continue;
      if (this.settings.has(name) || this.kept.has(name))
        this.problems.add(
          this.option(name).error('unused-parameter', `nothing reads the parameter \`${name}\``, 'leave this out'),
        );
      else warn(this.place.at('parameters', name), 'unused-parameter', `nothing reads the parameter \`${name}\``);
    }
  }

  /** Notes choices for links that are not there, or have no such parameter. */
  checkLinks(): void {
    for (const name of [...this.settings.keys(), ...this.kept]) {
      if (!OF_LINK.test(name) || this.known.has(name)) continue;
      const close = nearest(name, [...this.known]);
      this.problems.add(
        this.option(name).error(
          'unknown-parameter',
          `no body has the parameter \`${name}\``,
          close ? `did you mean \`${close}\`?` : `parameters of bodies: ${[...this.known].join(', ') || 'none'}`,
        ),
      );
    }
  }

  private readParameter(name: string, written: RawParameter): void {
    const at = this.place.at('parameters', name);
    const problem = nameProblem(at, name, 'a parameter', 'identifier', 'key');
    if (problem) {
      this.problems.add(problem);
      return;
    }
    const setting = this.settings.get(name);
    const own = symbol(`robot.${name}`);
    const reading = this.problems.attempt(() => {
      const read =
        setting === undefined ? readParameter(at, written, this.scope) : this.readSetting(name, setting, at, written);
      const where = typeof written === 'object' ? at.at('value') : at;
      if (!read.value)
        throw at.error('missing-parameter', `the parameter \`${name}\` has no value`, 'give it a `value:`');
      checkBounds(where, knownNumber(read.value, this.defaults), read.bounds);
      const runtime = this.kept.has(name) || (typeof written === 'object' && written.runtime === true);
      if (runtime) {
        this.defaults.set(own, constantNumber(where, read.value));
        this.quantities.push({ ...read.bounds, name, symbol: own, unit: read.unit, value: read.value });
      }
      return { value: runtime ? own : read.value, dimension: read.dimension };
    });
    // After a mistake the name stays known, so that it is reported once.
    this.scope.define(name, reading?.value ?? own, reading?.dimension);
  }

  /** A value set from outside takes the place of the one in the file and keeps its unit and bounds. */
  private readSetting(name: string, text: string, at: Place, written: RawParameter): ParameterReading {
    const inFile = readParameter(at, written, this.scope);
    const place = new Place(objectDocument({}), [`set ${name}`]);
    const due: Due = {
      what: `the parameter \`${name}\``,
      ...(inFile.dimension ? { dimension: inFile.dimension } : {}),
    };
    return { ...inFile, value: readScalar(place, text, due, this.scope).value };
  }
}
