/** `loops:` of a robot file: joints between frames of the tree, and formulas that stay zero. */
import { frameEntries, identityFrame, type Frame } from '../../symbolic/graph/vector.ts';
import { negate, plus, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { freeSymbols } from '../../symbolic/graph/traverse.ts';
import { nearest } from '../../common/nearest.ts';
import type { ActuatorContext } from '../actuators/actuator-context.ts';
import { readPlaced } from '../actuators/anchor.ts';
import { FrameFunctions } from '../actuators/frame-functions.ts';
import { summandsOfFormula, requireFinite } from '../actuators/formula.ts';
import { TIME, TIME_OF_BODY } from '../bodies/quantity.ts';
import type { RawLoop, RawLoopEnd } from '../language/loops.ts';
import { refuseCorners } from '../joints/prescribed.ts';
import { coordinateSymbol, inputUnit, rubs, type Actuator } from '../model/actuator.ts';
import type { Anchor } from '../model/frame-terms.ts';
import {
  distanceValue,
  hasAxis,
  jointRows,
  LOOP_AXES,
  LOOP_JOINTS,
  MOST_ROWS,
  rowsOf,
  type Loop,
  type LoopJoint,
  type LoopPart,
} from '../model/loop.ts';
import type { Problems } from '../source/diagnostics.ts';
import { within, type Place } from '../source/source.ts';
import { nameProblem } from '../values/reserved-names.ts';
import { constantNumber, dues, readScalar, Scope } from '../values/scope.ts';
import {
  dimensionless,
  dimensionPower,
  dimensionText,
  equalDimensions,
  multiplyDimensions,
  parseUnit,
  type Dimension,
} from '../values/units.ts';

/** Everything of a loop but its name. */
type LoopReading = Pick<Loop, 'kind' | 'rows' | 'parts' | 'formula' | 'actuator' | 'time'>;

/**
 * In the order of the file; problems are noted.
 * @param base of the robot.
 * @param actuators of the robot, without those that have problems of their own.
 * @param written names of all actuators of the file.
 */
export function readLoops(
  place: Place,
  raws: Readonly<Record<string, RawLoop>>,
  base: Frame,
  context: ActuatorContext,
  actuators: readonly Actuator[],
  written: ReadonlySet<string>,
  problems: Problems,
): readonly Loop[] {
  const loops = Object.entries(raws).flatMap(([name, raw]) => {
    const at = place.at(name);
    const held = raw['length-of']?.actuator;
    // What is wrong with it is told there.
    if (held !== undefined && written.has(held) && !actuators.some((own) => own.name === held)) return [];
    const loop = problems.attempt((): Loop => {
      const problem = nameProblem(at, name, 'a loop', 'prefixed', 'key');
      if (problem) throw problem;
      if (freeSymbols(frameEntries(base)).length > 0)
        throw at.keyError(
          'not-supported',
          'loops need a base that does not depend on run-time parameters',
          'put the part that changes into the `offset` of the first link',
        );
      const reading = readLoop(at, name, raw, context, actuators);
      const rows = readYields(at, raw, reading, context.scope);
      return { name, summary: raw.summary ?? '', location: at.location, ...reading, rows };
    });
    return loop ? [loop] : [];
  });
  const total = rowsOf({ loops });
  if (total > MOST_ROWS)
    problems.add(
      place.keyError(
        'not-supported',
        `the loops have ${total} rows, at most ${MOST_ROWS} are possible`,
        'their cost grows with the third power: close fewer, or name the `rows` that count',
      ),
    );
  return loops;
}

function readLoop(
  place: Place,
  name: string,
  raw: RawLoop,
  context: ActuatorContext,
  actuators: readonly Actuator[],
): LoopReading {
  const kinds = [...LOOP_JOINTS, 'distance', 'length-of', 'constraint'] as const;
  const [kind, ...others] = kinds.filter((own) => raw[own] !== undefined);
  if (kind === undefined)
    throw place.keyError('missing-key', 'this loop does not say what it closes', `write one of ${kinds.join(', ')}`);
  if (others.length > 0)
    throw place
      .at(others[0]!)
      .keyError('several-kinds', `a loop is \`${kind}\` or \`${others[0]!}\`, not both`, 'make it a loop of its own');
  if (kind !== 'constraint' && raw.frames !== undefined)
    throw place.at('frames').keyError('unknown-key', 'only `constraint` takes `frames`', 'remove it');
  if (kind === 'length-of') return readLengthOf(place, name, raw, context, actuators);
  if (kind === 'constraint') return readConstraint(place, name, raw, context);
  return kind === 'distance' ? readDistance(place, name, raw, context) : readJointLoop(place, name, kind, raw, context);
}

function readJointLoop(
  place: Place,
  name: string,
  kind: LoopJoint,
  raw: RawLoop,
  context: ActuatorContext,
): LoopReading {
  const at = place.at(kind);
  const own: {
    a: RawLoopEnd;
    b: RawLoopEnd;
    axis?: string;
    axes?: readonly string[];
    rows?: readonly string[] | undefined;
  } = raw[kind]!;
  const frames = readEnds(at, own, context);
  const indexOf = (axis: string): 0 | 1 | 2 => LOOP_AXES.indexOf(axis as (typeof LOOP_AXES)[number]) as 0 | 1 | 2;
  const [first, second] = own.axes ?? [hasAxis(kind) ? own.axis! : 'x', 'y'];
  const all = jointRows(kind, indexOf(first!), indexOf(second!));
  const known = all.map((row) => row.name);
  own.rows?.forEach((row, i) => {
    const here = at.at('rows', i);
    if (!known.includes(row)) {
      const close = nearest(row, known);
      throw here.error(
        'wrong-value',
        `\`${row}\` is not a row of this loop`,
        close ? `did you mean \`${close}\`?` : `its rows: ${known.join(', ')}`,
      );
    }
    if (own.rows!.indexOf(row) < i) throw here.error('wrong-value', `\`${row}\` stands here twice`, 'remove one');
  });
  const chosen = all.filter((row) => own.rows?.includes(row.name) ?? true);
  return {
    kind,
    rows: chosen.map((row) => ({
      name: `${name}.${row.name}`,
      ...(row.kind === 'place' ? { unit: 'm', forceUnit: 'N' } : { unit: 'rad', forceUnit: 'N m' }),
    })),
    parts: [{ frames, values: chosen.map(({ value }) => value) }],
  };
}

function readDistance(place: Place, name: string, raw: RawLoop, context: ActuatorContext): LoopReading {
  const at = place.at('distance');
  const own = raw.distance!;
  const frames = readEnds(at, own, context);
  const where = at.at('length');
  const length = readScalar(where, own.length, dues.length, context.scope).value;
  const [number] = freeSymbols([length]).length === 0 ? [constantNumber(where, length)] : [];
  if (number !== undefined && !(number > 0))
    throw where.error(
      'wrong-value',
      `the length is ${number} m`,
      'write a length above zero; two origins that are one are `spherical`',
    );
  return {
    kind: 'distance',
    rows: [{ name: `${name}.length`, unit: 'm', forceUnit: 'N', ...(own.unilateral && { isRope: true as const }) }],
    parts: [{ frames, values: [distanceValue(length)] }],
  };
}

/** Its row is y less a formula of t: the multiplier is an input of the actuator. */
function readLengthOf(
  place: Place,
  name: string,
  raw: RawLoop,
  context: ActuatorContext,
  actuators: readonly Actuator[],
): LoopReading {
  const at = place.at('length-of');
  const own = raw['length-of']!;
  const known = actuators.map((other) => other.name);
  const index = known.indexOf(own.actuator);
  if (index < 0) {
    const close = nearest(own.actuator, known);
    const remedy = close ? `did you mean \`${close}\`?` : `actuators: ${known.slice(0, 30).join(', ') || 'none'}`;
    throw at.at('actuator').error('unknown-actuator', `unknown actuator \`${own.actuator}\``, remedy);
  }
  const { kind, coordinateUnit, unit, terms } = actuators[index]!;
  if (terms.some((term) => term.kind === 'reaching' && term.action.kind === 'wrench'))
    throw at
      .at('actuator')
      .error(
        'wrong-value',
        `\`${own.actuator}\` has a rate, and no coordinate that could be held`,
        'name another actuator',
      );
  if (rubs(actuators[index]!))
    throw at
      .at('actuator')
      .error(
        'not-supported',
        `\`${own.actuator}\` has friction: what holds its length is known at its first point alone`,
        'remove the `friction` of the tendon, or drive it by its tension',
      );
  const isTendon = kind === 'tendon' || kind === 'drives';
  const [due, other] = isTendon ? (['length', 'value'] as const) : (['value', 'length'] as const);
  const given = own[due];
  if (own[other] !== undefined)
    throw at
      .at(other)
      .keyError('unknown-key', `the coordinate of \`${own.actuator}\` is given by \`${due}\``, `write \`${due}\``);
  if (given === undefined)
    throw at.keyError('missing-key', `\`length-of\` does not say what is held`, `add \`${due}\`, a formula of t`);
  const scope = withTime(context.scope);
  const { dimension } = parseUnit(coordinateUnit);
  const where = at.at(due);
  const { value } = readScalar(where, given, { what: `the coordinate of \`${own.actuator}\``, dimension }, scope);
  refuseCorners(where, value, context);
  return {
    kind: 'length-of',
    rows: [{ name, unit: coordinateUnit, forceUnit: unit }],
    parts: [],
    formula: isTendon ? value : negate(value),
    actuator: index,
    ...timeOf([value]),
  };
}

const ENERGY: Dimension = [1, 2, -2, 0, 0];
const TIMES: Dimension = [0, 0, 1, 0, 0];

/** The rows, with what they give way by. */
function readYields(place: Place, raw: RawLoop, { kind, rows }: LoopReading, scope: Scope): Loop['rows'] {
  const isJoint = LOOP_JOINTS.some((own) => own === kind);
  const partOf = (unit: string): 'translation' | 'rotation' => (unit === 'm' ? 'translation' : 'rotation');
  const read = (key: 'compliance' | 'damping', unit: string): Expr | undefined => {
    const given = raw[key];
    if (given === undefined) return undefined;
    const isOne = typeof given !== 'object';
    if (isOne === isJoint) {
      const remedy = isJoint ? `${key}: { translation: VALUE, rotation: VALUE }` : `${key}: VALUE`;
      const what = isJoint ? `the rows of \`${kind}\` are places and turns` : `\`${kind}\` has one row`;
      throw place.at(key).error('wrong-value', `${what}, which give way in units of their own`, `write \`${remedy}\``);
    }
    const part = isOne ? undefined : given[partOf(unit)];
    const value = isOne ? given : part;
    if (value === undefined) return undefined;
    const where = isOne ? place.at(key) : place.at(key, partOf(unit));
    // Per unit of force: rows of one unit share a number.
    const own = parseUnit(unit).dimension;
    const square = multiplyDimensions(own, own);
    const dimension =
      key === 'compliance'
        ? multiplyDimensions(square, dimensionPower(ENERGY, -1))
        : multiplyDimensions(multiplyDimensions(ENERGY, TIMES), dimensionPower(square, -1));
    const read = readScalar(where, value, { what: `this ${key}`, dimension }, scope).value;
    const number = freeSymbols([read]).length === 0 ? constantNumber(where, read) : undefined;
    if (number === undefined || number >= (key === 'damping' ? 0 : Number.MIN_VALUE)) return read;
    throw where.error(
      'wrong-value',
      `this ${key} is ${number}`,
      key === 'damping' ? 'write zero or more' : 'write more than zero; a row without `compliance` is rigid',
    );
  };
  for (const key of ['compliance', 'damping'] as const) {
    const given = raw[key];
    if (typeof given !== 'object' || !isJoint) continue;
    for (const part of ['translation', 'rotation'] as const)
      if (given[part] !== undefined && !rows.some(({ unit }) => partOf(unit) === part))
        throw place
          .at(key, part)
          .keyError('wrong-value', `this loop has no row that is a ${part}`, 'remove it, or add such a row to `rows`');
  }
  return rows.map((row) => {
    const [compliance, damping] = [read('compliance', row.unit), read('damping', row.unit)];
    if (compliance) return { ...row, yields: { compliance, damping: damping ?? zero } };
    if (!damping) return row;
    throw place
      .at('damping')
      .keyError(
        'missing-key',
        `\`${row.name}\` is rigid: nothing moves in it that could be damped`,
        'add a `compliance`, or remove the `damping`',
      );
  });
}

/** A number of seconds: `2*pi*t` is an angle. */
function withTime(scope: Scope): Scope {
  const own = new Scope(scope);
  if (!own.find(TIME)) own.imply(TIME, TIME_OF_BODY, undefined);
  return own;
}

function timeOf(values: readonly Expr[]): Pick<Loop, 'time'> {
  return freeSymbols(values).includes(TIME_OF_BODY) ? { time: TIME_OF_BODY } : {};
}

function readConstraint(place: Place, name: string, raw: RawLoop, context: ActuatorContext): LoopReading {
  const frames = new FrameFunctions(place, raw.frames ?? {}, context);
  const scope = new Scope(withTime(context.scope), frames);
  for (const { name: own, unit } of context.coordinates)
    scope.define(own, coordinateSymbol(own), parseUnit(unit).dimension);
  const at = place.at('constraint');
  const { value, dimension } = readScalar(at, raw.constraint!, { what: 'a constraint' }, scope);
  const coordinates = new Set<Expr>(context.coordinates.map((own) => coordinateSymbol(own.name)));
  const isOfTime = (e: Expr): boolean => freeSymbols([e]).includes(TIME_OF_BODY);
  const isOfCoordinates = (e: Expr): boolean => freeSymbols([e]).some((s) => coordinates.has(s));
  if (!isOfCoordinates(value) && !frames.mentions(value))
    throw at.error(
      'wrong-value',
      'this constraint depends on no coordinate and no frame',
      'name one, such as `arm.q1` or `distance(base, hand)`',
    );
  within(at, () => requireFinite(at, value, context));
  const summands = summandsOfFormula(value, (e) => isOfCoordinates(e) || frames.mentions(e) || isOfTime(e));
  for (const own of summands) if (!isOfCoordinates(own) && !frames.mentions(own)) refuseCorners(at, own, context);
  const ofFrames = summands.filter((e) => frames.mentions(e));
  if (ofFrames.some(isOfCoordinates))
    throw at.error(
      'not-supported',
      'one summand of this constraint depends on both frames and coordinates',
      'express the coordinate by frames, or move it to a summand of its own',
    );
  const rest = summands.filter((e) => !frames.mentions(e));
  const parts = frames.terms(ofFrames, at).map(({ frames: held, action }): LoopPart => {
    if (action.kind !== 'formula') throw new Error('a constraint is a formula');
    return { frames: held, values: [action.value] };
  });
  const world: Anchor = { kind: 'frame', link: -1, offset: identityFrame };
  if (!isOfCoordinates(value) && !areMoved([...parts.flatMap((part) => part.frames), world], context))
    throw at.error('wrong-value', 'the frames of this constraint follow the time: no coordinate closes it', OF_FREE);
  const known = dimension ?? dimensionless;
  const unit = equalDimensions(known, dimensionless) ? '1' : dimensionText(known);
  return {
    kind: 'constraint',
    rows: [{ name, unit, forceUnit: inputUnit(unit) }],
    parts,
    ...(rest.length > 0 && { formula: plus(...rest) }),
    ...timeOf([value]),
  };
}

// ---------------------------------------------------------------------------------------------- ends

function readEnds(place: Place, { a, b }: { a: RawLoopEnd; b: RawLoopEnd }, context: ActuatorContext): Anchor[] {
  const ends = [readEnd(place.at('a'), a, context), readEnd(place.at('b'), b, context)];
  const [first, second] = ends as [Anchor, Anchor];
  if (
    first.kind === 'frame' &&
    second.kind === 'frame' &&
    ridesOn(first.link, context) === ridesOn(second.link, context)
  )
    throw place.keyError(
      'wrong-value',
      'both ends of this loop ride on the same rigid part: nothing can close it, and nothing opens it',
      'name frames of links that move against each other',
    );
  if (first.kind === 'frame' && second.kind === 'frame' && !areMoved([first, second], context))
    throw place.keyError('wrong-value', 'both ends of this loop follow the time: no coordinate closes it', OF_FREE);
  return ends;
}

const OF_FREE = 'name a frame behind a joint that is not `prescribed`, or behind a body with coordinates';

/** Is there a coordinate that moves one of these frames and not all of them? The base is there, too. */
function areMoved(anchors: readonly Anchor[], { links, coordinates }: ActuatorContext): boolean {
  const path = (link: number): number[] => (link < 0 ? [] : [link, ...path(links[link]!.parent)]);
  const paths = anchors.map(({ link }) => new Set(path(link)));
  return coordinates.some(({ link }) => {
    const count = paths.filter((own) => own.has(link)).length;
    return count > 0 && count < paths.length;
  });
}

/** The link, or −1 for the base, with which a distal frame moves as one. */
function ridesOn(link: number, context: Pick<ActuatorContext, 'links'>): number {
  const { links } = context;
  const own = links[link];
  if (!own || own.body.kind !== 'rigid' || own.joint.motions.length > 0) return link;
  return ridesOn(own.parent, context);
}

const readEnd = (place: Place, raw: RawLoopEnd, context: ActuatorContext): Anchor =>
  readPlaced(place, typeof raw === 'string' ? { on: raw } : raw, context);
