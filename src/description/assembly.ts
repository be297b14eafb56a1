/**
 * Putting a robot together: parameters, links, frames, attached masses, states → Robot.
 */
import { KanegenError } from '../symbolic/error.ts';
import { integer, symbol, zero, type Expr } from '../symbolic/expr.ts';
import { nearest } from '../symbolic/nearest.ts';
import { substitute } from '../symbolic/traverse.ts';
import { composeFrames, identityFrame, type Frame } from '../symbolic/vector.ts';
import type { ResolvedBodyType } from './bodies/body-type.ts';
import { readActuators } from './actuators/read-actuators.ts';
import type { Catalogue } from './catalogue.ts';
import type { Problems } from './source/diagnostics.ts';
import { fixedJoint, readJoint } from './bodies/joint.ts';
import { readPose } from './bodies/pose.ts';
import { checkBounds, readParameter, type ParameterReading } from './bodies/quantity.ts';
import { checkReferenceShape } from './bodies/reference-shape.ts';
import { checkRequirements, numberUnder } from './values/requirement.ts';
import { nameProblem } from './values/reserved-names.ts';
import { readRigidBody, type LinkContext } from './bodies/rigid-body.ts';
import {
  TIME,
  type DeformableBody,
  type Link,
  type NamedFrame,
  type Quantity,
  type RigidBody,
  type Robot,
  type RobotCoordinate,
  type Warning,
} from './model/robot.ts';
import type { RawLink, RawParameter, RobotFile } from './language/schema.ts';
import { constantNumber, dues, knownNumber, readScalar, readVector, Scope, type Due } from './values/scope.ts';
import { objectDocument, Place, type SourceDocument } from './source/source.ts';
import { dimensionless, parseUnit } from './values/units.ts';
import { UrdfParts } from './urdf/urdf-links.ts';
import { partOf } from './urdf/urdf-part.ts';
import { checkVolumes } from './bodies/volume-check.ts';

const MOST_LINKS = 10_000;
/** What `parent` calls the base of the robot. */
const BASE = 'base';

/** Everything of a robot but the hash of its sources. */
export type AssembledRobot = Omit<Robot, 'source'>;

export class Assembly {
  private readonly catalogue: Catalogue;
  private readonly problems: Problems;
  private readonly settings: ReadonlyMap<string, string>;
  private readonly kept: ReadonlySet<string>;
  private readonly file: RobotFile;
  private readonly place: Place;
  private readonly scope = new Scope();
  private readonly defaults = new Map<Expr, number>();
  private readonly parameters: Quantity[] = [];
  private readonly links: Link[] = [];
  /** Name → index of every link, without the attached masses. */
  private readonly linkIndices = new Map<string, number>();
  /** Common names of repeated links. */
  private readonly groups = new Map<string, number[]>();
  private readonly frames: NamedFrame[] = [];
  private readonly coordinates: RobotCoordinate[] = [];
  private readonly coordinateSpellings = new Map<string, RobotCoordinate>();
  private readonly warnings: Warning[] = [];
  private readonly notes: Warning[] = [];
  private readonly urdfParts = new UrdfParts();
  /** The link before, when it came out of a URDF file and has several ends. */
  private several: string | undefined;
  /** Frames that can be named and are not reported: links of URDF files within a rigid body. */
  private readonly references: NamedFrame[] = [];

  constructor(
    catalogue: Catalogue,
    document: SourceDocument,
    problems: Problems,
    settings: ReadonlyMap<string, string>,
    kept: readonly string[] = [],
  ) {
    this.catalogue = catalogue;
    this.problems = problems;
    this.settings = settings;
    this.kept = new Set(kept);
    this.file = catalogue.file;
    this.place = new Place(document);
  }

  /** @returns undefined when something is wrong; the problems are noted. */
  build(): AssembledRobot | undefined {
    const name = this.robotName();
    this.readParameters();
    const gravity = this.problems.attempt(() => this.gravity());
    const base = this.problems.attempt(() => this.base());
    this.catalogue.readAll();
    this.readLinks();
    const isComplete = !this.problems.any;
    this.keepTime();
    this.readFrames();
    const tip = this.problems.attempt(() => this.tip());
    this.attachMasses();
    const states = this.states(isComplete);
    const actuators = isComplete ? this.actuators() : [];
    if (this.problems.any || !gravity || !base || tip === undefined) return undefined;
    return {
      name,
      summary: this.file.summary ?? '',
      gravity,
      base,
      parameters: this.parameters,
      links: this.links,
      coordinates: this.coordinates,
      frames: this.frames,
      tip,
      actuators,
      states,
      warnings: [...this.warnings, ...this.urdfParts.leftOut],
      notes: this.notes,
      provenance: this.scope.provenance,
    };
  }

  private context(scope: Scope): LinkContext {
    const warn = (place: Place, message: string): void => {
      this.warnings.push({ location: place.location, message });
    };
    const note = (entry: Warning): void => void this.notes.push(entry);
    return { scope, defaults: this.defaults, warn, note };
  }

  private check(problem: ReturnType<typeof nameProblem>): boolean {
    if (problem) this.problems.add(problem);
    return problem === undefined;
  }

  // -------------------------------------------------------------------------------------------- the robot itself

  private robotName(): string {
    const { name } = this.file;
    if (name === undefined)
      this.problems.add(
        this.place.error(
          'missing-key',
          'the robot has no `name`',
          'write for example `name: soft-arm`: generated files are called after it',
        ),
      );
    else this.check(nameProblem(this.place.at('name'), name, 'a robot', 'robot', 'value'));
    return name ?? '';
  }

  private gravity(): readonly [number, number, number] {
    const at = this.place.at('gravity');
    const vector = readVector(at, this.file.gravity ?? [0, 0, -9.81], dues.acceleration, this.scope);
    return vector.map((entry) => constantNumber(at, entry)) as [number, number, number];
  }

  private base(): Frame {
    const at = this.place.at('base');
    const frame = readPose(at, this.file.base, this.scope);
    for (const entry of [...frame.rotation, ...frame.translation]) constantNumber(at, entry);
    return frame;
  }

  private readParameters(): void {
    const given = Object.entries(this.file.parameters ?? {});
    for (const name of [...this.settings.keys(), ...this.kept]) {
      if (given.some(([own]) => own === name)) continue;
      const close = nearest(
        name,
        given.map(([own]) => own),
      );
      const remedy = close
        ? `did you mean \`${close}\`?`
        : `parameters of the robot: ${given.map(([own]) => own).join(', ') || 'none'}`;
      this.problems.add(
        new Place(objectDocument({}), [`${this.settings.has(name) ? 'set' : 'keep'} ${name}`]).error(
          'unknown-parameter',
          `the robot has no parameter \`${name}\``,
          remedy,
        ),
      );
    }
    for (const [name, raw] of given) this.readParameter(name, raw);
  }

  private readParameter(name: string, written: RawParameter): void {
    const at = this.place.at('parameters', name);
    if (!this.check(nameProblem(at, name, 'a parameter', 'identifier', 'key'))) return;
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
        this.parameters.push({ ...read.bounds, name, symbol: own, unit: read.unit, value: read.value });
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

  // -------------------------------------------------------------------------------------------- links

  private readLinks(): void {
    const raws = this.file.links ?? [];
    if (raws.length === 0)
      this.problems.add(
        this.place
          .at('links')
          .error(
            'missing-key',
            'the robot has no links',
            'write for example `links: [ { body: planar-cc, repeat: 3 } ]`',
          ),
      );
    let total = 0;
    for (const [i, raw] of raws.entries()) {
      const at = this.place.at('links', i);
      const count = this.problems.attempt(() => this.repetitions(at, raw)) ?? 1;
      total += count;
      if (total > MOST_LINKS) {
        this.problems.add(at.error('too-many-links', `the robot has more than ${MOST_LINKS} links`, 'split it'));
        return;
      }
      if (raw.urdf !== undefined) this.problems.attempt(() => this.readUrdf(at, raw));
      else this.readRepeated(at, raw, count);
    }
    this.checkDistalFrames();
  }

  private readRepeated(at: Place, raw: RawLink, count: number): void {
    const start = this.problems.attempt(() => this.parentFrame(at, raw));
    if (!start) return;
    this.several = undefined;
    for (let index = 0; index < count; index++) {
      const name = linkName(raw, index, this.links.length);
      const carrier = index === 0 ? start : { link: this.links.length - 1, offset: identityFrame };
      // Problems of repeated links are the same each time: one is enough.
      const link = this.problems.attempt(() => this.readLink(at, raw, carrier, name, index));
      if (!link) break;
      const where = raw.name === undefined ? at : at.at('name');
      if (this.check(nameProblem(where, name, 'a link', 'identifier', 'value'))) this.addLink(at, where, link);
      if (raw.repeat !== undefined && raw.name !== undefined) this.addToGroup(raw.name, this.links.length - 1);
    }
  }

  private addToGroup(name: string, link: number): void {
    this.groups.set(name, [...(this.groups.get(name) ?? []), link]);
  }

  /** What a link sits on: the link before, or the one that `parent` names; −1 is the base. */
  private parentFrame(at: Place, raw: RawLink): Omit<NamedFrame, 'name'> {
    if (raw.parent === undefined && this.several !== undefined)
      throw at.error(
        'several-ends',
        `\`${this.several}\` has several ends, and nothing says on which this link sits`,
        `write for example \`parent: ${this.links.at(-1)!.name}\``,
      );
    if (raw.parent === undefined) return { link: this.links.length - 1, offset: identityFrame };
    const place = at.at('parent');
    if (raw.parent === BASE && !this.linkIndices.has(BASE)) return { link: -1, offset: identityFrame };
    const fixed = this.references.find(({ name, link }) => name === raw.parent && link < 0);
    return fixed ?? this.frameNamed(place, raw.parent, 'link');
  }

  /** `urdf: { file, from, to }`: rigid links of a chain or a tree. */
  private readUrdf(at: Place, raw: RawLink): void {
    const { file, from, to, 'unphysical-inertia': unphysical = false } = raw.urdf!;
    for (const key of ['repeat', 'mount', 'body', 'parameters', 'rigid'] as const)
      if (raw[key] !== undefined)
        throw at.at(key).keyError('unknown-key', `a link with \`urdf\` has no \`${key}\``, 'make it a link of its own');
    const name = linkName(raw, 0, this.links.length);
    const where = raw.name === undefined ? at : at.at('name');
    const problem = nameProblem(where, name, 'a link', 'identifier', 'value');
    if (problem) throw problem;
    const carrier = this.parentFrame(at, raw);
    const context = this.context(this.scope);
    const own = readPose(at.at('offset'), raw.offset, this.scope);
    const joint = readJoint(at.at('joint'), raw.joint, context);
    const place = at.at('urdf');
    const part = partOf(this.catalogue.urdf(place.at('file'), file), { place, from, to });
    const { links, references } = this.urdfParts.add({
      name,
      part,
      mounted: { link: carrier.link, offset: composeFrames(carrier.offset, own) },
      joint,
      links: [...this.links],
      place,
      context,
      unphysical,
    });
    for (const { link, coordinates: names } of links) this.addLink(at, where, link, names);
    this.references.push(...references);
    this.several = part.end === undefined ? name : undefined;
  }

  private repetitions(at: Place, raw: RawLink): number {
    if (raw.repeat === undefined) return 1;
    const place = at.at('repeat');
    const count =
      typeof raw.repeat === 'number'
        ? raw.repeat
        : constantNumber(place, readScalar(place, raw.repeat, { ...dues.plain, what: '`repeat`' }, this.scope).value);
    if (Number.isInteger(count) && count >= 1) return count;
    throw place.error('wrong-value', `a link cannot be repeated ${count} times`, 'write a whole number, 1 or more');
  }

  private readLink(at: Place, raw: RawLink, carrier: Omit<NamedFrame, 'name'>, name: string, index: number): Link {
    const scope = new Scope(this.scope);
    if (raw.repeat !== undefined) scope.define('index', integer(index), dimensionless);
    const context = this.context(scope);
    return {
      name,
      parent: carrier.link,
      offset: composeFrames(carrier.offset, readPose(at.at('offset'), raw.offset, scope)),
      joint: readJoint(at.at('joint'), raw.joint, context),
      mount: readPose(at.at('mount'), raw.mount, scope),
      body: this.readBody(at, raw, context),
      location: at.location,
    };
  }

  private readBody(at: Place, raw: RawLink, context: LinkContext): RigidBody | DeformableBody {
    if (raw.body !== undefined && raw.rigid !== undefined)
      throw at
        .at('rigid')
        .keyError(
          'several-bodies',
          'a link has one body, not `body` and `rigid`',
          'make it two links, or use `attach`',
        );
    if (raw.rigid !== undefined) {
      if (raw.parameters !== undefined)
        throw at
          .at('parameters')
          .keyError('unknown-key', 'a rigid body has no parameters', 'write the values into `rigid`');
      return readRigidBody(at.at('rigid'), raw.rigid, context);
    }
    if (raw.body === undefined)
      throw at.error(
        'missing-key',
        'this link has no body',
        'give `body: TYPE` or `rigid: { mass: … }`; `rigid: {}` is a joint alone',
      );
    const resolved = this.catalogue.bodyType(at.at('body'), raw.body);
    // A type with mistakes has been reported; anything does for the rest of this pass.
    if (!resolved)
      return {
        kind: 'rigid',
        mass: zero,
        centreOfMass: [zero, zero, zero],
        inertia: [zero, zero, zero, zero, zero, zero],
        distal: identityFrame,
      };
    return this.deformable(at, raw, resolved, context);
  }

  private deformable(
    at: Place,
    raw: RawLink,
    { type, defaults, requirements }: ResolvedBodyType,
    context: LinkContext,
  ): DeformableBody {
    const given = raw.parameters ?? {};
    for (const name of Object.keys(given)) {
      if (defaults.some((own) => own.name === name)) continue;
      const known = defaults.map((own) => own.name);
      const close = nearest(name, known);
      throw at
        .at('parameters', name)
        .keyError(
          'unknown-parameter',
          `the body type \`${raw.body!}\` has no parameter \`${name}\``,
          close ? `did you mean \`${close}\`?` : `its parameters: ${known.join(', ')}`,
        );
    }
    const values = new Map<Expr, Expr>();
    for (const [i, { name, due, value }] of defaults.entries()) {
      const { symbol: own, lower, upper } = type.parameters[i]!;
      const place = at.at('parameters', name);
      if (!Object.hasOwn(given, name) && !value)
        throw at.error(
          'missing-parameter',
          `the body type \`${raw.body!}\` needs the parameter \`${name}\``,
          `write \`parameters: { ${name}: … }\``,
        );
      const e = Object.hasOwn(given, name)
        ? readScalar(place, given[name]!, due, context.scope).value
        : substitute([value!], values)[0]!;
      checkBounds(place, knownNumber(e, this.defaults), {
        ...(lower === undefined ? {} : { lower }),
        ...(upper === undefined ? {} : { upper }),
      });
      values.set(own, e);
    }
    const numbers = new Map<Expr, number>();
    for (const [own, e] of values) {
      const number = knownNumber(e, this.defaults);
      if (number !== undefined) numbers.set(own, number);
    }
    checkVolumes(at.at(raw.parameters ? 'parameters' : 'body'), type, numbers);
    checkRequirements(requirements, numbers);
    checkReferenceShape(type, numbers);
    return { kind: 'deformable', type, parameters: type.parameters.map((quantity) => values.get(quantity.symbol)!) };
  }

  /**
   * @param where - where the name stands.
   * @param names - of the coordinates of its joint, where they are not called after the link.
   */
  private addLink(at: Place, where: Place, link: Link, names?: readonly string[]): void {
    if (this.linkIndices.has(link.name)) {
      this.problems.add(
        where.error('duplicate-name', `there are two links called \`${link.name}\``, 'choose another name'),
      );
      return;
    }
    this.linkIndices.set(link.name, this.links.length);
    this.frames.push({ name: link.name, link: this.links.length, offset: identityFrame });
    for (const [i, quantity] of link.joint.coordinates.entries())
      this.addCoordinate(at, 'joint', quantity, names?.[i] ?? `${link.name}.${quantity.name}`);
    if (link.body.kind === 'deformable')
      for (const quantity of this.limited(link.body))
        this.addCoordinate(at, 'body', quantity, `${link.name}.${quantity.name}`);
    this.links.push(link);
  }

  /** The coordinates of a body with the limits that its parameters give them. */
  private limited({ type, parameters }: DeformableBody): Quantity[] {
    const values = new Map<Expr, number>();
    type.parameters.forEach(({ symbol: own }, i) => {
      const number = knownNumber(parameters[i]!, this.defaults);
      if (number !== undefined) values.set(own, number);
    });
    return type.coordinates.map(({ limits, ...quantity }) => {
      const [lower, upper] = (limits ?? []).map((limit) => numberUnder(limit, values));
      return { ...quantity, ...(lower === undefined || upper === undefined ? {} : { lower, upper }) };
    });
  }

  private addCoordinate(at: Place, part: 'joint' | 'body', quantity: Quantity, name: string): void {
    const spelling = identifierOf(name);
    const clash = this.coordinateSpellings.get(spelling);
    if (clash)
      this.problems.add(
        at.error(
          'duplicate-name',
          `the coordinates \`${clash.name}\` and \`${name}\` have the same name in generated code`,
          clash.link === this.links.length
            ? 'rename that of the joint: `joint: { revolute: z, names: [pan] }`'
            : 'rename one of the links',
        ),
      );
    const bounds = {
      ...(quantity.lower === undefined ? {} : { lower: quantity.lower }),
      ...(quantity.upper === undefined ? {} : { upper: quantity.upper }),
    };
    const coordinate: RobotCoordinate = {
      name,
      link: this.links.length,
      part,
      unit: quantity.unit,
      summary: quantity.summary ?? '',
      value: constantNumber(at, quantity.value),
      ...bounds,
    };
    this.coordinateSpellings.set(spelling, coordinate);
    this.coordinates.push(coordinate);
  }

  /** Only bodies that carry no other may leave their distal frame open. */
  private checkDistalFrames(): void {
    for (const { name, parent, location } of this.links) {
      const carrier = this.links[parent];
      if (!carrier || hasDistalFrame(carrier)) continue;
      const message = `\`${name}\` follows \`${carrier.name}\`, whose body type has \`distal: none\``;
      const remedy = 'give the body type a distal frame';
      this.problems.add(new KanegenError('missing-distal-frame', message, { remedy, location }));
    }
  }

  /** Bodies that depend on the time make it a parameter of the robot. */
  private keepTime(): void {
    if (!this.links.some(({ body }) => body.kind === 'deformable' && body.type.time)) return;
    this.parameters.push(TIME);
    this.defaults.set(TIME.symbol, 0);
  }

  // -------------------------------------------------------------------------------------------- frames and masses

  private readFrames(): void {
    for (const [name, raw] of Object.entries(this.file.frames ?? {})) {
      const at = this.place.at('frames', name);
      this.problems.attempt(() => {
        const problem = nameProblem(at, name, 'a frame', 'identifier', 'key');
        if (problem) throw problem;
        if (this.frames.some((frame) => identifierOf(frame.name) === identifierOf(name)))
          throw at.keyError(
            'duplicate-name',
            `\`${name}\` is the name of a frame or link already`,
            'choose another name',
          );
        const parent = this.frameNamed(at.at('on'), raw.on, 'link');
        const offset = composeFrames(parent.offset, readPose(at.at('offset'), raw.offset, this.scope));
        this.frames.push({ name, link: parent.link, offset });
      });
    }
  }

  /** The frame that a name means: the distal frame of a link, or a named frame. */
  private frameNamed(at: Place, name: string, what: 'link' | 'frame'): NamedFrame {
    const fixed = this.references.find((reference) => reference.name === name && reference.link < 0);
    if (fixed)
      throw at.error('unknown-frame', `\`${name}\` is fixed to the base and never moves`, 'name a link behind a joint');
    const own = what === 'link' ? this.frames.filter((frame) => this.linkIndices.has(frame.name)) : this.frames;
    const candidates = [...own, ...this.references.filter(({ link }) => link >= 0)];
    const frame = candidates.find((candidate) => candidate.name === name);
    if (!frame) {
      const known = candidates.map((candidate) => candidate.name);
      const close = nearest(name, known);
      const numbered = known.find((other) => other.replace(/\d+$/, '') === name);
      const guess = numbered ?? close;
      throw at.error(
        `unknown-${what}`,
        `unknown ${what} \`${name}\``,
        guess ? `did you mean \`${guess}\`?` : `known here: ${known.slice(0, 30).join(', ')}`,
      );
    }
    if (!hasDistalFrame(this.links[frame.link]!))
      throw at.error(
        'missing-distal-frame',
        `the body of \`${name}\` has \`distal: none\``,
        'give its body type a distal frame',
      );
    return frame;
  }

  private tip(): number {
    if (this.file.tip === undefined) return this.links.length - 1;
    const frame = this.frameNamed(this.place.at('tip'), this.file.tip, 'frame');
    if (!this.frames.includes(frame)) this.frames.push(frame);
    return this.frames.indexOf(frame);
  }

  /** Attached masses are rigid links behind all others; no tip, frame or coordinate refers to them. */
  private attachMasses(): void {
    const names = new Set(this.linkIndices.keys());
    for (const [i, raw] of (this.file.attach ?? []).entries()) {
      const at = this.place.at('attach', i);
      this.problems.attempt(() => {
        const problem = nameProblem(at.at('name'), raw.name, 'an attached mass', 'identifier', 'value');
        if (problem) throw problem;
        if (names.has(raw.name))
          throw at
            .at('name')
            .error('duplicate-name', `there are two links called \`${raw.name}\``, 'choose another name');
        names.add(raw.name);
        const frame = this.frameNamed(at.at('to'), raw.to, 'frame');
        const body = readRigidBody(at.at('rigid'), raw.rigid, this.context(this.scope));
        this.links.push({
          name: raw.name,
          parent: frame.link,
          offset: frame.offset,
          joint: fixedJoint,
          mount: identityFrame,
          body,
          location: at.location,
        });
      });
    }
  }

  // -------------------------------------------------------------------------------------------- actuators and states

  private actuators(): Robot['actuators'] {
    const { scope, defaults, links, coordinates } = this;
    const named = new Map<string, readonly number[]>(this.groups);
    for (const [name, index] of this.linkIndices) named.set(name, [index]);
    const frameNamed = (place: Place, name: string): NamedFrame => this.frameNamed(place, name, 'frame');
    const context = { scope, defaults, links, coordinates, named, frameNamed };
    return readActuators(this.place.at('actuators'), this.file.actuators ?? {}, context, this.problems);
  }

  /** @param isComplete no link is missing for a mistake of its own: then a coordinate that is not there is another mistake. */
  private states(isComplete: boolean): Record<string, readonly number[]> {
    const states = new Map<string, readonly number[]>();
    for (const [name, raw] of Object.entries(this.file.states ?? {})) {
      const at = this.place.at('states', name);
      if (!this.check(nameProblem(at, name, 'a state', 'dashed', 'key'))) continue;
      const values = this.coordinates.map((coordinate) => coordinate.value);
      for (const [coordinate, value] of Object.entries(raw))
        this.problems.attempt(() => {
          if (!isComplete && !this.coordinates.some((c) => c.name === coordinate)) return;
          const i = this.coordinateIndex(at.at(coordinate), coordinate);
          const due: Due = { what: `\`${coordinate}\``, dimension: parseUnit(this.coordinates[i]!.unit).dimension };
          values[i] = constantNumber(at.at(coordinate), readScalar(at.at(coordinate), value, due, this.scope).value);
        });
      states.set(name, values);
    }
    return Object.fromEntries(states);
  }

  private coordinateIndex(at: Place, name: string): number {
    const known = this.coordinates.map((coordinate) => coordinate.name);
    const index = known.indexOf(name);
    if (index >= 0) return index;
    const close = nearest(name, known);
    throw at.keyError(
      'unknown-coordinate',
      `unknown coordinate \`${name}\``,
      close ? `did you mean \`${close}\`?` : `coordinates: ${known.slice(0, 30).join(', ')}`,
    );
  }
}

/** Given name, numbered from 1 when repeated; link1, link2, … along the chain without one. */
function linkName(raw: RawLink, index: number, position: number): string {
  if (raw.name === undefined) return `link${position + 1}`;
  return raw.repeat === undefined ? raw.name : `${raw.name}${index + 1}`;
}

/** How names look in generated code, where only this is left of them. */
function identifierOf(name: string): string {
  return name.replace(/[.-]/g, '_').toUpperCase();
}

function hasDistalFrame({ body }: Link): boolean {
  return (
    body.kind === 'rigid' || body.type.kinematics.kind !== 'position' || body.type.kinematics.distal.kind !== 'none'
  );
}
