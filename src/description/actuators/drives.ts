/**
 * `drives:`: the tendon whose tension is a coordinate of a body, as an actuator along the same route, y minus its length; or the pressure or stress
 * that is one, as a field along the rod.
 */
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { zero, type Expr } from '../../symbolic/graph/expr.ts';
import { dependsOn } from '../../symbolic/graph/traverse.ts';
import { nearest } from '../../common/nearest.ts';
import type { FieldTerm, RouteTerm } from '../model/actuator.ts';
import type { RodVolume } from '../model/reference-volume.ts';
import type { RawActuator } from '../language/actuators.ts';
import type { Place } from '../source/source.ts';
import { linksNamed, type ActuatorContext, type ActuatorReading } from './actuator-context.ts';

/** @throws KanegenError `unknown-link`, `unknown-coordinate`, `wrong-value`, `not-supported`. */
export function readDrives(place: Place, raw: RawActuator, context: ActuatorContext): ActuatorReading {
  const at = place.at('drives');
  const text = raw.drives!;
  const dot = text.lastIndexOf('.');
  const ofJoint = context.coordinates.find(
    ({ part, name: own }) => part === 'joint' && (own === text || own.startsWith(`${text}.`)),
  );
  if (dot <= 0 || ofJoint)
    throw at.error(
      'wrong-value',
      `\`${text}\` is not a tension of a link`,
      ofJoint ? `motors drive joints: write \`motor: ${ofJoint.name}\`` : 'write `LINK.COORDINATE`, such as `arm.T1`',
    );
  const [linkName, name] = [text.slice(0, dot), text.slice(dot + 1)];
  const links = linksNamed(at, linkName, context);
  const terms = links.map((link) => termOf(at, { link, linkName, name }, context));
  const drives = context.coordinates.flatMap(({ link, part, name: own }, i) =>
    part === 'body' && links.includes(link) && own.endsWith(`.${name}`) ? [i] : [],
  );
  const unit = context.coordinates[drives[0]!]!.unit;
  return { coordinateUnit: COORDINATE_UNITS[unit]!, terms, drives };
}

/** Of what an input does work on, by its own unit. */
const COORDINATE_UNITS: Readonly<Record<string, string>> = { N: 'm', 'N m': 'rad', Pa: 'm^3' };

interface Driven {
  readonly link: number;
  readonly linkName: string;
  readonly name: string;
}

function termOf(at: Place, { link, linkName, name }: Driven, { links }: ActuatorContext): RouteTerm | FieldTerm {
  const { body } = links[link]!;
  const type = body.kind === 'rigid' ? undefined : body.type;
  const equilibrium = type?.kinematics.kind === 'strain' ? type.kinematics.equilibrium : undefined;
  const { tendons = [], formulas } = equilibrium ?? {};
  const coordinate = type?.coordinates.find((own) => own.name === name);
  const stress = equilibrium && coordinate ? differentiateAll(equilibrium.stress, coordinate.symbol) : [];
  const isStress = stress.some((e) => e !== zero) && formulas?.kind !== 'equations';
  const tendon = tendons.find((own) => own.coordinate === coordinate?.symbol);
  if (!type || !coordinate || !(tendon || isStress)) {
    const known = tendons.map((own) => own.coordinate.name.replace(/^body\./, ''));
    const close = nearest(name, known);
    throw at.error(
      'unknown-coordinate',
      `the body of \`${linkName}\` has no tendon, pressure or stress \`${name}\` in its equilibrium`,
      close
        ? `did you mean \`${linkName}.${close}\`?`
        : known.length > 0
          ? `its tendons: ${known.join(', ')}`
          : 'write `tendon: { through: …, route: … }`, or give the body `strain: { equilibrium: { tendons: … } }`',
    );
  }
  const [volume] = type.volumes as readonly [RodVolume];
  if (tendon && !isStress) {
    const { across, from, to, location } = tendon;
    const [x, y] = volume.section;
    const route = {
      axial: volume.axial,
      across: new Map([
        [x, across[0]],
        [y, across[1]],
      ]),
      ...{ from, to, location },
      share: { start: zero, slope: zero },
    };
    return { kind: 'route', link, route };
  }
  const moving = new Set<Expr>(type.coordinates.map((own) => own.symbol));
  if (tendon || stress.some((e) => dependsOn(e, moving)) || !(coordinate.unit in COORDINATE_UNITS))
    throw at.error(
      'not-supported',
      tendon
        ? `\`${name}\` is both a tension and a stress, and no single actuator is both`
        : `no actuator is the stress \`${name}\`: it is not proportional to it, or its unit is none of N, N m and Pa`,
      'write an actuator of its own: `field: { through: …, moment: … }`',
    );
  return { kind: 'field', link, field: { components: stress, location: at.location } };
}
