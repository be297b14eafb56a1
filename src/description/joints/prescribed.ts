/**
 * `prescribed:` of a joint: coordinates that follow formulas of the time. They are no coordinates of the robot: the joint moves by
 * itself, and what it takes is an output of generated code.
 */
import { nearest } from '../../common/nearest.ts';
import type { KanegenError } from '../../common/error.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import { differentiate } from '../../symbolic/graph/differentiate.ts';
import { minus, type Expr } from '../../symbolic/graph/expr.ts';
import { dependsOn, freeSymbols, postorder } from '../../symbolic/graph/traverse.ts';
import { TIME, TIME_OF_BODY } from '../bodies/quantity.ts';
import type { LinkContext } from '../bodies/rigid-body.ts';
import { substitutedJoint, type Joint, type PrescribedCoordinate, type Quantity } from '../model/robot.ts';
import type { Place } from '../source/source.ts';
import { readScalar, Scope } from '../values/scope.ts';
import { parseUnit } from '../values/units.ts';

interface Entry {
  readonly raw: unknown;
  readonly place: Place;
}

/** Times up to which corners of formulas are looked for whose place is not that of a linear condition, and steps between them, s. */
const [HORIZON, LOOK] = [60, 0.02];
/** Either side of a corner, s. */
const NEAR = 1e-7;
/** Changes of this share of a number are rounding errors. */
const ROUNDING = 1e-12;

/**
 * @param coordinates of the joint, in order.
 * @returns by name, those that are prescribed.
 * @throws KanegenError `wrong-shape`, `unknown-key`, `wrong-value`, `not-smooth`, or what reading formulas throws.
 */
export function readPrescribed(
  coordinates: readonly Quantity[],
  { raw, place }: Entry,
  context: LinkContext,
): ReadonlyMap<string, PrescribedCoordinate> {
  const names = coordinates.map(({ name }) => name);
  const [only, another] = names;
  if (only === undefined)
    throw place.keyError('wrong-value', 'a fixed joint has no coordinate to prescribe', 'remove `prescribed`');
  const isMap = typeof raw === 'object' && raw !== null && !Array.isArray(raw);
  if (!isMap && another !== undefined)
    throw place.error(
      'wrong-shape',
      'the joint has several coordinates',
      `write \`prescribed: { ${only}: "sin(t)" }\`: each by its name`,
    );
  const entries = isMap ? Object.entries(raw) : [[only, raw] as const];
  return new Map(
    entries.map(([name, value]) => {
      const at = isMap ? place.at(name) : place;
      const quantity = coordinates.find((own) => own.name === name);
      if (!quantity) throw unknownCoordinate(at, name, names);
      return [name, readCoordinate(at, quantity, value, context)];
    }),
  );
}

/** The joint with the formulas in the place of these coordinates. */
export function prescribe(joint: Joint, prescribed: ReadonlyMap<string, PrescribedCoordinate>): Joint {
  const values = new Map<Expr, Expr>([...prescribed.values()].map(({ quantity, value }) => [quantity.symbol, value]));
  return {
    ...substitutedJoint(joint, values),
    coordinates: joint.coordinates.filter(({ name }) => !prescribed.has(name)),
    prescribed: { coordinates: [...prescribed.values()], released: joint.motions, time: TIME_OF_BODY },
  };
}

/** What a coordinate that follows the time cannot have. */
export function refuseBeside(prescribed: ReadonlyMap<string, PrescribedCoordinate>, name: string, at: Place): void {
  if (prescribed.has(name))
    throw at.error(
      'wrong-value',
      `\`${name}\` follows the time`,
      'remove this entry: nothing holds a prescribed coordinate back, and what moves it is an output',
    );
}

function unknownCoordinate(at: Place, name: string, names: readonly string[]): KanegenError {
  const close = nearest(name, names);
  const remedy = close ? `did you mean \`${close}\`?` : `coordinates: ${names.join(', ')}`;
  return at.keyError('unknown-key', `the joint has no coordinate \`${name}\``, remedy);
}

function readCoordinate(at: Place, quantity: Quantity, raw: unknown, context: LinkContext): PrescribedCoordinate {
  if (typeof raw !== 'number' && typeof raw !== 'string')
    throw at.error(
      'wrong-shape',
      'a prescribed coordinate is one formula of t',
      'write for example `prescribed: "0.1*sin(2*pi*t)"`',
    );
  const scope = new Scope(context.scope);
  // A number of seconds, as in scenario files: `2*pi*t` is an angle.
  if (!scope.find(TIME)) scope.imply(TIME, TIME_OF_BODY, undefined);
  const { dimension } = parseUnit(quantity.unit);
  const due = { what: `the coordinate \`${quantity.name}\``, dimension };
  const { value } = readScalar(at, raw, due, scope);
  refuseCorners(at, value, context);
  return { quantity, value, location: at.location };
}

/**
 * @param value a formula of t; others are left to their readers.
 * @throws KanegenError `not-smooth` where the rate of a formula jumps: accelerations of the robot are not defined there.
 */
export function refuseCorners(at: Place, value: Expr, { defaults }: Pick<LinkContext, 'defaults'>): void {
  const known = (t: number): Map<Expr, number> => new Map([...defaults, [TIME_OF_BODY, t]]);
  if (freeSymbols([value]).some((own) => own !== TIME_OF_BODY && !defaults.has(own))) return;
  const rate = differentiate(value, TIME_OF_BODY);
  const numbers = (t: number): readonly [number, number] => {
    const [s, v] = evaluate([value, rate], known(t));
    return [s!, v!];
  };
  for (const t of [0, 1]) {
    const [s, v] = numbers(t);
    if (!Number.isFinite(s) || !Number.isFinite(v))
      throw at.error(
        'not-finite',
        `the formula or its rate is ${Number.isFinite(s) ? v : s} at t = ${t} s`,
        'write it without the pole',
      );
  }
  for (const t of switches(value, known)) {
    const width = NEAR * Math.max(1, Math.abs(t));
    const across = (k: 0 | 1, by: number): number => Math.abs(numbers(t + by)[k] - numbers(t - by)[k]);
    const size = (k: 0 | 1): number => Math.max(...[-1, -0.3, 0.3, 1].map((by) => Math.abs(numbers(t + by)[k])));
    // What is continuous changes by less over a shorter time.
    const isJump = (k: 0 | 1): boolean =>
      across(k, width) > ROUNDING * size(k) && across(k, width / 16) > across(k, width) / 4;
    const jumps = isJump(0);
    if (!jumps && !isJump(1)) continue;
    throw at.error(
      'not-smooth',
      `${jumps ? 'the formula' : 'its rate'} jumps at t = ${Number(t.toPrecision(6))} s: there is no acceleration`,
      'round the corner: in place of max(0, x) write (x + sqrt(x^2 + w^2))/2, in place of abs(x) sqrt(x^2 + w^2), with a small width w',
    );
  }
}

/** Times at which a formula may change from one expression to another. */
function switches(value: Expr, known: (t: number) => Map<Expr, number>): readonly number[] {
  const differences = postorder([value]).flatMap((e) => {
    if (e.kind === 'compare') return [minus(e.left, e.right)];
    return e.kind === 'call' && (e.name === 'abs' || e.name === 'sign') ? e.arguments : [];
  });
  return differences
    .filter((e) => dependsOn(e, new Set([TIME_OF_BODY])))
    .flatMap((difference) => {
      const at = (t: number): number => evaluate([difference], known(t))[0]!;
      const slope = differentiate(difference, TIME_OF_BODY);
      if (!dependsOn(slope, new Set([TIME_OF_BODY]))) return [-at(0) / evaluate([slope], known(0))[0]!];
      const found: number[] = [];
      for (let t = 0; t < HORIZON; t += LOOK) {
        let [low, high] = [t, t + LOOK];
        if (Math.sign(at(low)) === Math.sign(at(high)) && at(low) !== 0) continue;
        const side = Math.sign(at(low));
        for (let k = 0; k < 60 && side !== 0; k++) {
          const middle = (low + high) / 2;
          if (Math.sign(at(middle)) === side) low = middle;
          else high = middle;
        }
        found.push(side === 0 ? low : high);
      }
      return found;
    });
}
