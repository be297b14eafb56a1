/** The law of a contact: the force normal to the surfaces by their overlap and its rate, and friction. */
import { zero, type Expr } from '../../symbolic/graph/expr.ts';
import type { ActuatorContext } from '../actuators/actuator-context.ts';
import type { RawContact } from '../language/contacts.ts';
import type { ContactLaw, Friction } from '../model/contact.ts';
import type { Place } from '../source/source.ts';
import { dues, knownNumber, readScalar, type Due, type RawValue } from '../values/scope.ts';
import type { Dimension } from '../values/units.ts';

/** By which values are read, and what is known of them. */
type Numbers = Pick<ActuatorContext, 'scope' | 'defaults'>;

const LAWS = ['spring-damper', 'hunt-crossley'] as const;

/** @param place of the contact. @param isPerLength of a force per length of a rod. */
export function readContactLaw(place: Place, raw: RawContact, isPerLength: boolean, numbers: Numbers): ContactLaw {
  const at = place.at('law');
  const [kind, ...others] = LAWS.filter((own) => raw.law[own] !== undefined);
  if (kind === undefined || others.length > 0)
    throw at.error(
      kind === undefined ? 'missing-key' : 'several-kinds',
      kind === undefined ? 'this contact has no law' : 'this contact has two laws',
      `write one of ${LAWS.join(', ')}, such as { hunt-crossley: { stiffness: 5 kN/m, damping: 0.5 s/m } }`,
    );
  const own = raw.law[kind]!;
  const unit = isPerLength ? 'm^2' : 'm';
  // Of a force over a length or an area, times a power of time.
  const dimension = (seconds: number): Dimension => [1, isPerLength ? -1 : 0, seconds, 0, 0];
  const stiffness = readPositive(
    at.at(kind, 'stiffness'),
    own.stiffness,
    { what: 'the stiffness', dimension: dimension(-2), unit: `N/${unit}` },
    'the stiffness',
    numbers,
  );
  const due: Due =
    kind === 'spring-damper'
      ? { what: 'the damping', dimension: dimension(-1), unit: `N s/${unit}` }
      : { what: 'the damping', dimension: [0, -1, 1, 0, 0], unit: 's/m' };
  const damping =
    own.damping === undefined
      ? zero
      : readNotNegative(at.at(kind, 'damping'), own.damping, due, 'the damping', numbers);
  return {
    kind,
    stiffness,
    damping,
    ...(raw.friction && { friction: readFriction(place.at('friction'), raw.friction, isPerLength, numbers) }),
  };
}

function readFriction(
  place: Place,
  raw: NonNullable<RawContact['friction']>,
  isPerLength: boolean,
  numbers: Numbers,
): Friction {
  const { at, stiffness, damping } = raw;
  if ((at === undefined) === (stiffness === undefined))
    throw place.keyError(
      at === undefined ? 'missing-key' : 'several-kinds',
      at === undefined
        ? 'this friction neither sticks nor is smooth'
        : 'this friction is smooth, or it sticks, not both',
      'write `at: 1 mm/s`, the speed up to which it is smooth, or `stiffness: 100 kN/m` of a bristle that sticks',
    );
  const coefficient = readNotNegative(
    place.at('coefficient'),
    raw.coefficient,
    dues.plain,
    'the coefficient of friction',
    numbers,
  );
  if (at !== undefined) {
    if (damping !== undefined)
      throw place.at('damping').keyError('unknown-key', 'smooth friction has no `damping`', 'remove it');
    const speed = readPositive(place.at('at'), at, dues.velocity, 'the speed up to which friction is smooth', numbers);
    return { kind: 'smooth', coefficient, speed };
  }
  if (damping === undefined)
    throw place.keyError(
      'missing-key',
      'this bristle has no `damping`, by which it comes to rest',
      'write one, such as a hundredth of a second times its stiffness: { stiffness: 20 kN/m, damping: 50 N s/m }',
    );
  const [metres, unit] = isPerLength ? [-1, 'm^2'] : [0, 'm'];
  const due = (seconds: number, force: string): Due => ({
    what: '',
    dimension: [1, metres, seconds, 0, 0],
    unit: `${force}/${unit}`,
  });
  return {
    kind: 'bristle',
    coefficient,
    stiffness: readPositive(place.at('stiffness'), stiffness!, due(-2, 'N'), 'the stiffness of the bristle', numbers),
    damping: readPositive(place.at('damping'), damping, due(-1, 'N s'), 'the damping of the bristle', numbers),
  };
}

function readNotNegative(at: Place, raw: RawValue, due: Due, what: string, { scope, defaults }: Numbers): Expr {
  const { value } = readScalar(at, raw, { ...due, what }, scope);
  const known = knownNumber(value, defaults);
  if (known !== undefined && !(known >= 0)) throw at.error('wrong-value', `${what} is ${known}`, 'write zero or more');
  return value;
}

export function readPositive(at: Place, raw: RawValue, due: Due, what: string, { scope, defaults }: Numbers): Expr {
  const { value } = readScalar(at, raw, { ...due, what }, scope);
  const known = knownNumber(value, defaults);
  if (known !== undefined && !(known > 0))
    throw at.error('wrong-value', `${what} is ${known}`, 'write a value above zero');
  return value;
}
