/** `drive-limits:` of a joint: what the drive of its coordinate can do, either way. */
import { nearest } from '../../common/nearest.ts';
import { DRIVE_LIMITS, type DriveLimits, type Quantity } from '../model/robot.ts';
import type { Place } from '../source/source.ts';
import { constantNumber, readScalar } from '../values/scope.ts';
import { dimensionPower, multiplyDimensions, parseUnit, type Dimension } from '../values/units.ts';
import type { LinkContext } from '../bodies/rigid-body.ts';

type DriveLimit = keyof DriveLimits;

const ENERGY: Dimension = [1, 2, -2, 0, 0];
const SECOND: Dimension = [0, 0, 1, 0, 0];

/** By how many seconds the coordinate is divided; the effort is what gives energy with it. */
const DERIVATIVES: Readonly<Record<Exclude<DriveLimit, 'effort'>, number>> = {
  velocity: 1,
  acceleration: 2,
  deceleration: 2,
  jerk: 3,
};

const EXAMPLE = 'write `drive-limits: { effort: 20 N m, velocity: 3 rad/s }`';

/**
 * @param coordinates - of the joint: it must have one.
 * @throws KanegenError `wrong-shape`, `unknown-key`, `wrong-value`, or what reading values throws.
 */
export function readDriveLimits(
  coordinates: readonly Quantity[],
  { raw, place }: { readonly raw: unknown; readonly place: Place },
  { scope }: LinkContext,
): DriveLimits {
  const [coordinate, another] = coordinates;
  if (!coordinate || another)
    throw place.keyError('wrong-value', '`drive-limits` need a joint with one axis', 'remove `drive-limits`');
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    throw place.error('wrong-shape', '`drive-limits` needs names', EXAMPLE);
  const { dimension } = parseUnit(coordinate.unit);
  return Object.fromEntries(
    Object.entries(raw as Record<string, unknown>).map(([key, value]) => {
      const at = place.at(key);
      const known = DRIVE_LIMITS.find((name) => name === key);
      if (!known) throw unknownKey(at, key);
      if (typeof value !== 'number' && typeof value !== 'string')
        throw at.error('wrong-shape', `\`${key}\` takes one value`, EXAMPLE);
      const due = { what: `\`${key}\``, dimension: dimensionOf(known, dimension) };
      const limit = constantNumber(at, readScalar(at, value, due, scope).value);
      if (!(limit > 0 && Number.isFinite(limit)))
        throw at.error('wrong-value', `\`${key}\` is ${limit}`, 'write a number above zero, or leave it out');
      return [key, limit];
    }),
  );
}

function dimensionOf(limit: DriveLimit, coordinate: Dimension): Dimension {
  if (limit === 'effort') return multiplyDimensions(ENERGY, dimensionPower(coordinate, -1));
  return multiplyDimensions(coordinate, dimensionPower(SECOND, -DERIVATIVES[limit]));
}

function unknownKey(place: Place, key: string): Error {
  const close = nearest(key, DRIVE_LIMITS);
  return place.keyError(
    'unknown-key',
    `unknown key \`${key}\``,
    close ? `did you mean \`${close}\`?` : `limits of a drive: ${DRIVE_LIMITS.join(', ')}`,
  );
}
