/** `water:` of a robot file: which links are in it, and what it does to them. */
import type { KanegenError } from '../../common/error.ts';
import { zero, type Expr } from '../../symbolic/graph/expr.ts';
import { nearest } from '../../common/nearest.ts';
import type { Vector3 } from '../../symbolic/graph/vector.ts';
import type { RawWater } from '../language/water.ts';
import type { BodyType, Link } from '../model/robot.ts';
import type { DragCoefficients, RigidWater, Water } from '../model/surroundings.ts';
import type { Place } from '../source/source.ts';
import { readRigidWater } from './rigid-water.ts';
import { MOST_POINTS } from './integration-choice.ts';
import { dues, knownNumber, readScalar, readVector, type Due, type RawValue, type Scope } from '../values/scope.ts';

export interface WaterContext {
  readonly scope: Scope;
  readonly defaults: ReadonlyMap<Expr, number>;
  readonly links: readonly Link[];
  /** Indices of the links that a name means. */
  readonly named: ReadonlyMap<string, readonly number[]>;
}

export interface WaterReading {
  /** By link. */
  readonly immersed: ReadonlyMap<number, Water>;
  readonly rigid: ReadonlyMap<number, RigidWater>;
  /** World axes, m/s. */
  readonly current?: Vector3;
}

/** @throws KanegenError `unknown-link`, `no-centreline`, `wrong-value`, `missing-key`, or what reading values throws. */
export function readWater(place: Place, given: RawWater | readonly RawWater[], context: WaterContext): WaterReading {
  const entries = isList(given) ? given.map((raw, i) => ({ raw, at: place.at(i) })) : [{ raw: given, at: place }];
  const immersed = new Map<number, Water>();
  const rigid = new Map<number, RigidWater>();
  for (const { raw, at } of entries) {
    if (entries.length > 1 && raw.on === undefined)
      throw at.keyError('missing-key', 'one of several waters has no `on`', 'name the links that are in it');
    if (raw.rigid !== undefined) {
      for (const [link, own] of new WaterReader(at, raw, context).rigid()) {
        if (rigid.has(link)) throw inTwoWaters(at, link, context);
        rigid.set(link, own);
      }
      continue;
    }
    for (const [link, own] of new WaterReader(at, raw, context).immersed()) {
      if (immersed.has(link)) throw inTwoWaters(at, link, context);
      immersed.set(link, own);
    }
  }
  const [flowing, other] = entries.filter(({ raw }) => raw.current !== undefined);
  if (other)
    throw other.at
      .at('current')
      .keyError('wrong-value', 'all water moves with one `current`', 'keep that of the first one');
  if (!flowing) return { immersed, rigid };
  const due = { ...dues.velocity, what: '`current`' };
  return { immersed, rigid, current: readVector(flowing.at.at('current'), flowing.raw.current!, due, context.scope) };
}

function inTwoWaters(at: Place, link: number, { links }: WaterContext): KanegenError {
  return at.at('on').error('wrong-value', `\`${links[link]!.name}\` is in two waters`, 'name it in one of them');
}

function isList(given: RawWater | readonly RawWater[]): given is readonly RawWater[] {
  return Array.isArray(given);
}

class WaterReader {
  private readonly place: Place;
  private readonly raw: RawWater;
  private readonly context: WaterContext;

  constructor(place: Place, raw: RawWater, context: WaterContext) {
    this.place = place;
    this.raw = raw;
    this.context = context;
  }

  immersed(): ReadonlyMap<number, Water> {
    const { raw } = this;
    const own = this.water();
    const links = raw.on === undefined ? this.deformable() : this.named(raw.on);
    const isDry = !own.drag && !own.linearDrag && !own.buoyancy && !own.addedMass;
    if (isDry)
      throw this.place.error(
        'missing-key',
        '`water` has no drag, buoyancy or added mass',
        'write `drag`, `linear-drag` or `added-mass`, or remove `buoyancy: false`',
      );
    return new Map(links.map((link) => [link, own]));
  }

  /** Of rigid links, which are named. */
  rigid(): ReadonlyMap<number, RigidWater> {
    const { place, raw, context } = this;
    for (const key of ['drag', 'linear-drag', 'added-mass', 'radius', 'points', 'buoyancy'] as const)
      if (raw[key] !== undefined)
        throw place
          .at(key)
          .keyError('unknown-key', `\`${key}\` is of rods`, 'write what is of rigid bodies within `rigid`, and rods in a water of their own');
    if (raw.on === undefined)
      throw place.error('missing-key', 'this water has no `on`', 'name the rigid links that are in it: `on: shell`');
    const density = this.number(place.at('density'), raw.density, dues.density, 'the density of the water', true);
    const own = readRigidWater(place.at('rigid'), raw.rigid!, density, context);
    return new Map(this.named(raw.on).map((link) => [link, own]));
  }

  private deformable(): readonly number[] {
    const { links } = this.context;
    const found = links.flatMap(({ body }, i) => (body.kind === 'deformable' ? [i] : []));
    for (const i of found) this.requireCentreline(this.place, i);
    if (found.length > 0) return found;
    throw this.place.error(
      'no-centreline',
      'water acts on the centrelines of deformable rods, and this robot has none',
      'leave `water` out',
    );
  }

  private named(on: string | readonly string[]): readonly number[] {
    const at = this.place.at('on');
    const names = typeof on === 'string' ? [on] : on;
    const found = names.flatMap((name, i) => {
      const where = typeof on === 'string' ? at : at.at(i);
      const own = this.context.named.get(name);
      if (!own) throw unknownLink(where, name, [...this.context.named.keys()]);
      for (const link of own) this.requireCentreline(where, link);
      return own;
    });
    const twice = found.findIndex((link, i) => found.indexOf(link) < i);
    if (twice < 0) return found;
    const { name } = this.context.links[found[twice]!]!;
    throw at.error('wrong-value', `\`${name}\` appears twice in this list`, 'name it once');
  }

  private requireCentreline(where: Place, index: number): void {
    const { body, name } = this.context.links[index]!;
    if (this.raw.rigid !== undefined) {
      if (body.kind === 'rigid') return;
      throw where.error('wrong-value', `\`${name}\` is deformable`, 'give it a water without `rigid`');
    }
    if (body.kind === 'rigid')
      throw where.error(
        'no-centreline',
        `\`${name}\` is rigid: this water acts on the centrelines of deformable rods`,
        'leave it out, or give it a water of its own with `rigid: { volume: …, drag: […], added-mass: […] }`',
      );
    const problem = centrelineProblem(body.type, this.raw.radius !== undefined);
    if (problem) throw where.error('no-centreline', `\`${name}\` ${problem.what}`, problem.remedy);
  }

  private water(): Water {
    const { place, raw } = this;
    const { drag, 'linear-drag': linear, 'added-mass': mass, radius, points } = raw;
    const added = typeof mass === 'object' ? mass : mass === undefined ? undefined : { coefficient: mass };
    const addedAt = place.at('added-mass');
    const coefficientAt = typeof mass === 'object' ? addedAt.at('coefficient') : addedAt;
    return {
      density: this.number(place.at('density'), raw.density, dues.density, 'the density of the water', true),
      ...(drag && {
        drag: {
          form: drag.form ?? 'separate',
          ...this.coefficients(place.at('drag'), drag, dues.plain, 'a drag coefficient'),
          ...(drag.lift !== undefined && { lift: this.lift(place.at('drag', 'lift'), drag.lift) }),
        },
      }),
      ...(linear && {
        linearDrag: this.coefficients(place.at('linear-drag'), linear, dues.viscosity, 'a coefficient of linear drag'),
      }),
      buoyancy: raw.buoyancy ?? true,
      ...(added && {
        addedMass: {
          form: this.form('form' in added ? added.form : undefined),
          coefficient: this.number(
            coefficientAt,
            added.coefficient,
            dues.plain,
            'the coefficient of added mass',
            false,
          ),
        },
      }),
      ...(radius !== undefined && {
        radius: this.number(place.at('radius'), radius, dues.length, 'the radius', true),
      }),
      ...(points !== undefined && { points: this.points(points) }),
      location: place.location,
    };
  }

  /** Of either sign: it does no work. */
  private lift(at: Place, raw: RawValue): Expr {
    return readScalar(at, raw, { ...dues.plain, what: 'the coefficient of lift' }, this.context.scope).value;
  }

  private points(points: number): number {
    if (points >= 1 && points <= MOST_POINTS) return points;
    throw this.place
      .at('points')
      .error(
        'wrong-value',
        `a rod cannot have ${points} points in water`,
        `write a whole number from 1 to ${MOST_POINTS}`,
      );
  }

  private form(form = 'lagrange'): 'lagrange' | 'normal-acceleration' {
    if (form === 'lagrange' || form === 'normal-acceleration') return form;
    throw this.place
      .at('added-mass', 'form')
      .error('wrong-value', `\`${form}\` is not a form of added mass`, 'write lagrange or normal-acceleration');
  }

  private coefficients(
    at: Place,
    { normal, tangential }: { readonly normal: RawValue; readonly tangential?: RawValue | undefined },
    due: Due,
    what: string,
  ): DragCoefficients {
    return {
      normal: this.number(at.at('normal'), normal, due, what, false),
      tangential: tangential === undefined ? zero : this.number(at.at('tangential'), tangential, due, what, false),
    };
  }

  /** @param positive zero is wrong, too. */
  private number(at: Place, raw: RawValue, due: Due, what: string, positive: boolean): Expr {
    const { value } = readScalar(at, raw, { ...due, what }, this.context.scope);
    const known = knownNumber(value, this.context.defaults);
    if (known !== undefined && (known < 0 || (positive && known === 0)))
      throw at.error(
        'wrong-value',
        `${what} is ${known}`,
        positive ? 'write a value above zero' : 'write zero or more: forces of the water oppose motion',
      );
    return value;
  }
}

/** Why water, or a field, cannot act on a body. @param hasRadius no section need be round. */
export function centrelineProblem(
  { volumes, kinematics }: BodyType,
  hasRadius: boolean,
): { readonly what: string; readonly remedy: string } | undefined {
  const rods = volumes.flatMap((volume) => (volume.kind === 'rod' ? [volume] : []));
  const [first] = rods;
  if (!first || rods.length < volumes.length)
    return { what: 'has no centreline: it is not a rod', remedy: 'remove it, or describe its volume as a `rod`' };
  const isOne = rods.every((rod) => rod.axial === first.axial && rod.start === first.start && rod.end === first.end);
  if (!isOne) return { what: 'has several volumes that are not rods over one length', remedy: 'leave it out' };
  if (kinematics.kind === 'strain' && kinematics.sectionPosition)
    return { what: 'has sections that deform', remedy: 'leave it out' };
  const isRound = first.shape.shape === 'disc' || first.shape.shape === 'annulus';
  if ((isRound && rods.length === 1) || hasRadius) return undefined;
  const what = isRound ? 'has several volumes' : 'has no round section';
  return { what, remedy: 'write a `radius` for the water' };
}

function unknownLink(at: Place, name: string, known: readonly string[]): KanegenError {
  const close = nearest(name, known);
  const remedy = close ? `did you mean \`${close}\`?` : `links: ${known.slice(0, 30).join(', ')}`;
  return at.error('unknown-link', `unknown link \`${name}\``, remedy);
}
