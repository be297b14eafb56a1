/**
 * Putting a robot together: parameters, links, frames, attached masses, states → Robot.
 */
import { KanegenError } from '../common/error.ts';
import { nearest } from '../common/nearest.ts';
import { integer, type Expr } from '../symbolic/graph/expr.ts';
import { composeFrames, identityFrame, type Frame } from '../symbolic/graph/vector.ts';
import type { ActuatorContext } from './actuators/actuator-context.ts';
import { readForces } from './actuators/forces.ts';
import type { PlacedField } from './actuators/rod-fields.ts';
import { readActuators } from './actuators/read-actuators.ts';
import { readContacts, type PlacedContact } from './contacts/read-contacts.ts';
import { readLoops } from './loops/read-loops.ts';
import { readObservers } from './controllers/observers.ts';
import { readControllers } from './controllers/read-controllers.ts';
import { fixedJoint, readJoint } from './joints/joint.ts';
import { readPose } from './bodies/pose.ts';
import { readRigidBody, type LinkContext } from './bodies/rigid-body.ts';
import { readWater, type WaterReading } from './robot/water.ts';
import type { Catalogue } from './catalogue.ts';
import type { RawLink, RobotFile } from './language/schema.ts';
import { refuseLoops, type Loop } from './model/loop.ts';
import { TIME, type Link, type NamedFrame, type Robot, type RobotCoordinate, type UrdfPlace } from './model/robot.ts';
import { WARNINGS, type Remark, type Warning, type WarningName } from './model/warnings.ts';
import { limitedCoordinates, readLinkBody } from './robot/link-body.ts';
import { RobotCoordinates } from './robot/robot-coordinates.ts';
import { hasDistalFrame, RobotFrames } from './robot/robot-frames.ts';
import { RobotParameters, type ParameterChoices } from './robot/robot-parameters.ts';
import type { Problems } from './source/diagnostics.ts';
import { objectDocument, Place, within, type SourceDocument } from './source/source.ts';
import { UrdfParts } from './urdf/urdf-links.ts';
import { partOf } from './urdf/urdf-part.ts';
import { nameProblem } from './values/reserved-names.ts';
import { constantNumber, dues, readScalar, readVector, Scope, type Due } from './values/scope.ts';
import { dimensionless, parseUnit } from './values/units.ts';

const MOST_LINKS = 10_000;
/** What `parent` calls the base of the robot. */
const BASE = 'base';

/** Everything of a robot but the hash of its sources. */
export type AssembledRobot = Omit<Robot, 'source'>;

/** m/s²: between the gravity of small moons and four times that of Jupiter; none at all is meant. */
const [LEAST_GRAVITY, MOST_GRAVITY] = [0.01, 100];

export class Assembly {
  private readonly catalogue: Catalogue;
  private readonly problems: Problems;
  private readonly silence: readonly string[];
  private readonly file: RobotFile;
  private readonly place: Place;
  private readonly scope = new Scope();
  private readonly defaults = new Map<Expr, number>();
  private readonly parameters: RobotParameters;
  private readonly links: Link[] = [];
  /** Name → index of every link, without the attached masses. */
  private readonly linkIndices = new Map<string, number>();
  /** Common names of repeated links. */
  private readonly groups = new Map<string, number[]>();
  private readonly frames: RobotFrames;
  private readonly coordinates: RobotCoordinates;
  private readonly warnings: Warning[] = [];
  private readonly notes: Remark[] = [];
  private readonly urdfParts = new UrdfParts();
  private readonly urdfPlaces: UrdfPlace[] = [];
  /** The link before, when it came out of a URDF file and has several ends. */
  private several: string | undefined;

  constructor(
    catalogue: Catalogue,
    document: SourceDocument,
    problems: Problems,
    choices: ParameterChoices,
    silence: readonly string[] = [],
  ) {
    this.silence = silence;
    this.catalogue = catalogue;
    this.problems = problems;
    this.file = catalogue.file;
    this.place = new Place(document);
    const known = { scope: this.scope, defaults: this.defaults };
    this.parameters = new RobotParameters(this.place, problems, known, choices);
    this.coordinates = new RobotCoordinates(problems);
    this.frames = new RobotFrames(this.place, problems, known, this.links);
  }

  /** @returns undefined when something is wrong; the problems are noted. */
  build(): AssembledRobot | undefined {
    const name = this.robotName();
    this.parameters.readAll(this.file.parameters ?? {});
    const gravity = this.problems.attempt(() => this.gravity());
    const base = this.problems.attempt(() => this.base());
    this.catalogue.readAll();
    this.readLinks();
    if (!this.problems.any) this.parameters.checkLinks();
    const isComplete = !this.problems.any;
    this.frames.readAll(this.file.frames ?? {});
    const tip = this.problems.attempt(() => this.frames.tip(this.file.tip));
    this.attachMasses();
    const states = this.states(isComplete);
    const actuators = isComplete
      ? readActuators(this.place.at('actuators'), this.file.actuators ?? {}, this.actuatorContext(), this.problems)
      : [];
    const forces =
      isComplete && base
        ? readForces(this.place.at('forces'), this.file.forces ?? {}, base, this.actuatorContext(), this.problems)
        : { betweenFrames: [], alongRods: [] };
    const loops =
      isComplete && base
        ? readLoops(
            this.place.at('loops'),
            this.file.loops ?? {},
            base,
            this.actuatorContext(),
            actuators,
            new Set(Object.keys(this.file.actuators ?? {})),
            this.problems,
          )
        : [];
    const { controllers, observers } = isComplete
      ? this.controllers(actuators, states, loops)
      : { controllers: [], observers: [] };
    const water = isComplete ? this.problems.attempt(() => this.water()) : undefined;
    const contacts =
      isComplete && base
        ? readContacts(
            this.place.at('contacts'),
            this.file.contacts ?? {},
            base,
            water?.current !== undefined,
            { ...this.actuatorContext(), parameters: this.parameters },
            this.problems,
          )
        : { withObstacles: [], mutual: [] };
    const silenced = this.silenced();
    if (!this.problems.any) this.parameters.checkUse(this.warn);
    if (this.problems.any || !gravity || !base || tip === undefined) return undefined;
    return {
      name,
      summary: this.file.summary ?? '',
      gravity,
      base,
      parameters: this.parameters.quantities,
      ...(water?.current && { current: water.current }),
      links: this.links.map((link, i) => surrounded(link, i, water, forces.alongRods, contacts.withObstacles)),
      coordinates: this.coordinates.list,
      frames: this.frames.list,
      tip,
      ...(this.urdfPlaces.length > 0 && { urdf: this.urdfPlaces }),
      ...((this.links.some(
        ({ joint, body }) => joint.prescribed !== undefined || (body.kind === 'deformable' && body.type.time),
      ) ||
        actuators.some(({ terms }) => terms.some((term) => term.kind === 'field' && term.field.time)) ||
        forces.alongRods.some(({ field }) => field.time) ||
        loops.some((loop) => loop.time)) && {
        time: TIME,
      }),
      actuators,
      ...(forces.betweenFrames.length > 0 && { forces: forces.betweenFrames }),
      ...(loops.length > 0 && { loops }),
      ...(contacts.mutual.length > 0 && { touching: contacts.mutual }),
      controllers,
      ...(observers.length > 0 && { observers }),
      states,
      warnings: this.allWarnings().filter(({ name: kind }) => !silenced.includes(kind)),
      silenced,
      notes: this.notes,
      provenance: this.scope.provenance,
    };
  }

  private readonly warn = (place: Place, name: WarningName, message: string): void => {
    this.warnings.push({ name, location: place.location, message });
  };

  private context(scope: Scope): LinkContext {
    const note = (entry: Remark): void => void this.notes.push(entry);
    return { scope, defaults: this.defaults, warn: this.warn, note };
  }

  private allWarnings(): Warning[] {
    const angles = this.scope.suspicions.map((own): Warning => ({ name: 'bare-angle', ...own }));
    const all = [
      ...this.warnings,
      ...this.urdfParts.leftOut,
      ...this.catalogue.warnings(this.scope.readValues),
      ...angles,
    ];
    // What is said of repeated links is the same each time.
    const key = ({ location: { file, line, column, path }, message }: Warning): string =>
      JSON.stringify([file, line, column, path, message]);
    return [...new Map(all.map((own) => [key(own), own])).values()];
  }

  /** Kinds of warnings that the file, or whoever reads it, says are meant so. */
  private silenced(): WarningName[] {
    const all = Object.keys(WARNINGS);
    const isKnown = (name: string): name is WarningName => all.includes(name);
    const given = (this.file.silence ?? []).map((name, i) => [name, this.place.at('silence', i)] as const);
    const outside = [...this.silence].map(
      (name) => [name, new Place(objectDocument({}), [`silence ${name}`])] as const,
    );
    return [...given, ...outside].flatMap(([name, at]) => {
      if (isKnown(name)) return [name];
      const close = nearest(name, all);
      const remedy = close === undefined ? `kinds: ${all.join(', ')}` : `did you mean \`${close}\`?`;
      this.problems.add(at.error('unknown-warning', `unknown kind of warning \`${name}\``, remedy));
      return [];
    });
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
          'write for example `name: soft-arm`: generated files have this name',
        ),
      );
    else this.check(nameProblem(this.place.at('name'), name, 'a robot', 'robot', 'value'));
    return name ?? '';
  }

  private gravity(): readonly [number, number, number] {
    const at = this.place.at('gravity');
    const vector = readVector(at, this.file.gravity ?? [0, 0, -9.81], dues.acceleration, this.scope);
    const gravity = vector.map((entry) => constantNumber(at, entry)) as [number, number, number];
    const size = Math.hypot(...gravity);
    if (size !== 0 && !(size >= LEAST_GRAVITY && size <= MOST_GRAVITY))
      this.warn(
        at,
        'unusual-size',
        `gravity is ${Number(size.toPrecision(4))} m/s^2, and 9.81 m/s^2 on earth: is another unit intended?`,
      );
    return gravity;
  }

  private base(): Frame {
    return readPose(this.place.at('base'), this.file.base, this.scope);
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
      const link = this.problems.attempt(() => within(at, () => this.readLink(at, raw, carrier, name, index)));
      if (!link) break;
      const where = raw.name === undefined ? at : at.at('name');
      if (this.check(nameProblem(where, name, 'a link', 'frame', 'value'))) this.addLink(at, where, link);
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
        `\`${this.several}\` has several ends; this link does not name its parent`,
        `write for example \`parent: ${this.links.at(-1)!.name}\``,
      );
    if (raw.parent === undefined) return { link: this.links.length - 1, offset: identityFrame };
    const place = at.at('parent');
    if (raw.parent === BASE) return { link: -1, offset: identityFrame };
    const fixed = this.frames.references.find(({ name, link }) => name === raw.parent && link < 0);
    return fixed ?? this.frames.named(place, raw.parent, 'link');
  }

  /** `urdf: { file, from, to }`: rigid links of a chain or a tree. */
  private readUrdf(at: Place, raw: RawLink): void {
    const { file, from, to, 'unphysical-inertia': unphysical = false } = raw.urdf!;
    for (const key of ['repeat', 'mount', 'body', 'parameters', 'rigid'] as const)
      if (raw[key] !== undefined)
        throw at.at(key).keyError('unknown-key', `a link with \`urdf\` has no \`${key}\``, 'make it a link of its own');
    const name = linkName(raw, 0, this.links.length);
    const where = raw.name === undefined ? at : at.at('name');
    const problem = nameProblem(where, name, 'a link', 'frame', 'value');
    if (problem) throw problem;
    const carrier = this.parentFrame(at, raw);
    const context = this.context(this.scope);
    const own = readPose(at.at('offset'), raw.offset, this.scope);
    const joint = readJoint(at.at('joint'), raw.joint, context);
    const place = at.at('urdf');
    const part = partOf(this.catalogue.urdf(place.at('file'), file), { place, from, to });
    const { links, references, places } = this.urdfParts.add({
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
    this.frames.references.push(...references);
    this.urdfPlaces.push(...places);
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
    const names = raw.name === undefined || raw.name === name ? [name] : [name, raw.name];
    return {
      name,
      parent: carrier.link,
      offset: composeFrames(carrier.offset, readPose(at.at('offset'), raw.offset, scope)),
      joint: readJoint(at.at('joint'), raw.joint, context),
      mount: readPose(at.at('mount'), raw.mount, scope),
      body: readLinkBody(at, raw, context, {
        bodyType: (place, type) => this.catalogue.bodyType(place, type),
        chosen: (...choice) => this.parameters.ofLink(names, ...choice),
      }),
      location: at.location,
    };
  }

  /**
   * @param where - where the name stands.
   * @param names - of the coordinates of its joint, where they are not called after the link.
   */
  private addLink(at: Place, where: Place, link: Link, names?: readonly string[]): void {
    if (this.linkIndices.has(link.name)) {
      this.problems.add(
        where.error('duplicate-name', `two links have the name \`${link.name}\``, 'choose another name'),
      );
      return;
    }
    this.linkIndices.set(link.name, this.links.length);
    const index = this.links.length;
    this.frames.addDistal(link.name, index);
    for (const [i, quantity] of link.joint.coordinates.entries())
      this.coordinates.add(
        index,
        at,
        'joint',
        quantity,
        names?.[i] ?? `${link.name}.${quantity.name}`,
        link.joint.driveLimits,
      );
    if (link.body.kind === 'deformable')
      for (const quantity of limitedCoordinates(link.body, this.defaults))
        this.coordinates.add(index, at, 'body', quantity, `${link.name}.${quantity.name}`);
    this.links.push(link);
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

  // -------------------------------------------------------------------------------------------- frames and masses

  /** Attached masses are rigid links behind all others; no tip, frame or coordinate refers to them. */
  private attachMasses(): void {
    const names = new Set(this.linkIndices.keys());
    for (const [i, raw] of (this.file.attach ?? []).entries()) {
      const at = this.place.at('attach', i);
      this.problems.attempt(() => {
        const problem = nameProblem(at.at('name'), raw.name, 'an attached mass', 'frame', 'value');
        if (problem) throw problem;
        if (names.has(raw.name))
          throw at.at('name').error('duplicate-name', `two links have the name \`${raw.name}\``, 'choose another name');
        names.add(raw.name);
        const frame = this.frames.named(at.at('to'), raw.to, 'frame');
        if (frame.within)
          throw at
            .at('to')
            .error(
              'not-supported',
              `masses sit on distal frames, and \`${raw.to}\` is a frame within a body`,
              'make it one of the `volumes` of the body, or end a link there',
            );
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

  private actuatorContext(): ActuatorContext {
    const { scope, defaults, links } = this;
    const coordinates = this.coordinates.list;
    const named = this.named();
    const frameNamed = (place: Place, name: string): NamedFrame => this.frames.named(place, name, 'frame');
    const frameNames = this.frames.list.map(({ name }) => name);
    return { scope, defaults, links, coordinates, named, frameNames, frameNamed, warn: this.warn };
  }

  private controllers(
    actuators: Robot['actuators'],
    states: Robot['states'],
    loops: readonly Loop[],
  ): Required<Pick<Robot, 'controllers' | 'observers'>> {
    const context = {
      scope: this.scope,
      links: this.links,
      coordinates: this.coordinates.list,
      frames: this.frames.list,
      actuators,
      states,
      loops,
      warn: this.warn,
    };
    // After a mistake in actuators, what a controller asks of them would be another one.
    if (this.problems.any) return { controllers: [], observers: [] };
    const { controllers: laws = {}, observers: filters = {} } = this.file;
    if (Object.keys(filters).length > 0) this.problems.attempt(() => refuseLoops({ loops }, 'observers'));
    const controllers = readControllers(this.place.at('controllers'), laws, context, this.problems);
    const observers = readObservers(this.place.at('observers'), filters, context, controllers, this.problems);
    return { controllers, observers };
  }

  private named(): ReadonlyMap<string, readonly number[]> {
    const named = new Map<string, readonly number[]>(this.groups);
    for (const [name, index] of this.linkIndices) named.set(name, [index]);
    return named;
  }

  private water(): WaterReading | undefined {
    if (!this.file.water) return undefined;
    const { scope, defaults, links } = this;
    return readWater(this.place.at('water'), this.file.water, { scope, defaults, links, named: this.named() });
  }

  /** @param isComplete no link is missing for a mistake of its own: then a coordinate that is not there is another mistake. */
  private states(isComplete: boolean): Record<string, readonly number[]> {
    const states = new Map<string, readonly number[]>();
    for (const [name, raw] of Object.entries(this.file.states ?? {})) {
      const at = this.place.at('states', name);
      if (!this.check(nameProblem(at, name, 'a state', 'dashed', 'key'))) continue;
      const values = this.coordinates.list.map((coordinate) => coordinate.value);
      for (const [coordinate, value] of Object.entries(raw))
        this.problems.attempt(() => {
          if (!isComplete && !this.coordinates.list.some((c) => c.name === coordinate)) return;
          const i = this.coordinates.index(at.at(coordinate), coordinate);
          const due: Due = {
            what: `\`${coordinate}\``,
            dimension: parseUnit(this.coordinates.list[i]!.unit).dimension,
            ...(this.coordinates.list[i]!.unit === 'rad' && { isAngle: true }),
          };
          values[i] = constantNumber(at.at(coordinate), readScalar(at.at(coordinate), value, due, this.scope).value);
          this.checkLimits(at.at(coordinate), this.coordinates.list[i]!, values[i]);
        });
      states.set(name, values);
    }
    return Object.fromEntries(states);
  }

  /** Rounding of a limit that is the same angle is none beyond it. */
  private checkLimits(at: Place, { lower = -Infinity, upper = Infinity, unit }: RobotCoordinate, value: number): void {
    const limit = value < lower ? lower : value > upper ? upper : undefined;
    if (limit === undefined || Math.abs(value - limit) <= 1e-9 * Math.abs(limit)) return;
    const [has, ends] = [value, limit].map((x) => Number(x.toPrecision(5)));
    const side = value < limit ? 'lower' : 'upper';
    this.warn(
      at,
      'state-beyond-limits',
      `${has} ${unit} is beyond the ${side} limit of the coordinate, ${ends} ${unit}: the accuracy of the model is stated within the limits`,
    );
  }
}

/** Given name, numbered from 1 when repeated; link1, link2, … along the chain without one. */
function linkName(raw: RawLink, index: number, position: number): string {
  if (raw.name === undefined) return `link${position + 1}`;
  return raw.repeat === undefined ? raw.name : `${raw.name}${index + 1}`;
}

function surrounded(
  link: Link,
  index: number,
  waters: WaterReading | undefined,
  alongRods: readonly PlacedField[],
  touching: readonly PlacedContact[],
): Link {
  const water = waters?.immersed.get(index);
  const rigidWater = waters?.rigid.get(index);
  const fields = alongRods.flatMap((own) => (own.link === index ? [own.field] : []));
  const contacts = touching.flatMap((own) => (own.link === index ? [own.contact] : []));
  return {
    ...link,
    ...(water && { water }),
    ...(rigidWater && { rigidWater }),
    ...(fields.length > 0 && { fields }),
    ...(contacts.length > 0 && { contacts }),
  };
}
