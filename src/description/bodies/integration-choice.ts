/**
 * `integration:` of a body type: how the integrals over it are to be computed, and to which accuracy.
 */
import type { Expr } from '../../symbolic/graph/expr.ts';
import { dependsOn } from '../../symbolic/graph/traverse.ts';
import { alignedRods, type BodyType } from '../model/robot.ts';
import { defaultIntegration, type IntegrationChoice } from '../model/reference-volume.ts';
import type { RawIntegration } from '../language/schema.ts';
import type { Place } from '../source/source.ts';

type Moved = Pick<BodyType, 'kinematics' | 'volumes'>;

const LEAST_TOLERANCE = 1e-15;
const LARGEST_TOLERANCE = 1e-2;
/** Along a rod. */
export const MOST_POINTS = 10_000;
const OF_RODS = ['magnus', 'points', 'recursion'] as const;

/** @throws KanegenError `wrong-value`, `unknown-key` or, where a closed form cannot exist, `no-closed-form`. */
export function readIntegration(place: Place, written: RawIntegration, body: Moved): IntegrationChoice {
  const raw = typeof written === 'string' ? { method: written } : written;
  const isRod = body.kinematics.kind === 'strain';
  const foreign = isRod ? undefined : OF_RODS.find((key) => raw[key] !== undefined);
  if (foreign)
    throw place
      .at(foreign)
      .keyError('unknown-key', `\`${foreign}\` belongs to rods given by \`strain\``, `remove \`${foreign}\``);
  const { tolerance, points } = raw;
  if (tolerance !== undefined && !(tolerance >= LEAST_TOLERANCE && tolerance <= LARGEST_TOLERANCE))
    throw place
      .at('tolerance')
      .error(
        'wrong-value',
        `the tolerance of integrals cannot be ${tolerance}`,
        `write a number between ${LEAST_TOLERANCE} and ${LARGEST_TOLERANCE}, such as 1e-9`,
      );
  if (points !== undefined && !(points >= 1 && points <= MOST_POINTS))
    throw place
      .at('points')
      .error('wrong-value', `a rod cannot have ${points} points`, `write a whole number from 1 to ${MOST_POINTS}`);
  const at = typeof written === 'string' ? place : place.at('method');
  const obstacle = raw.method === 'closed-form' ? obstacleTo(body) : undefined;
  if (obstacle)
    throw at.error('no-closed-form', `${obstacle} has no closed form`, 'write `auto` or `quadrature`, or leave it out');
  const given = Object.entries(raw).filter(([, value]) => value !== undefined);
  return { ...defaultIntegration(body.volumes), ...Object.fromEntries(given) };
}

/** What rules out closed forms whatever the formulas are. */
function obstacleTo(body: Moved): string | undefined {
  const { kinematics, volumes } = body;
  const [rod] = alignedRods(body) ?? [];
  if (kinematics.kind === 'network') return 'a learned kinematics';
  if (!rod) {
    if (volumes.length > 1) return 'a body of several volumes that are not rods of one length';
    return volumes[0]!.kind === 'rod' ? 'a body with polar coordinates' : `a ${volumes[0]!.kind}`;
  }
  if (kinematics.kind !== 'strain') return undefined;
  if (kinematics.sectionPosition) return 'a rod whose sections deform';
  const along = new Set<Expr>([rod.axial]);
  const varies = [...kinematics.angular, ...kinematics.linear].some((e) => dependsOn(e, along));
  return varies ? 'a strain that varies along the rod' : undefined;
}
