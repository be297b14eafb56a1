/** `drives:`: the tendon whose tension is a coordinate of a body, as an actuator along the same route; y is minus its length. */
import { zero } from '../../symbolic/graph/expr.ts';
import { nearest } from '../../common/nearest.ts';
import type { RouteTerm } from '../model/actuator.ts';
import type { RodVolume } from '../model/reference-volume.ts';
import type { SectionTendon } from '../model/robot.ts';
import type { RawActuator } from '../language/actuators.ts';
import type { Place } from '../source/source.ts';
import { linksNamed, type ActuatorContext, type ActuatorReading } from './actuator-context.ts';

/** @throws KanegenError `unknown-link`, `unknown-coordinate`, `wrong-value`. */
export function readDrives(place: Place, raw: RawActuator, context: ActuatorContext): ActuatorReading {
  const at = place.at('drives');
  const text = raw.drives!;
  const dot = text.lastIndexOf('.');
  if (dot <= 0)
    throw at.error(
      'wrong-value',
      `\`${text}\` is not a tension of a link`,
      'write `LINK.COORDINATE`, such as `arm.T1`',
    );
  const [linkName, name] = [text.slice(0, dot), text.slice(dot + 1)];
  const links = linksNamed(at, linkName, context);
  const terms = links.map((link): RouteTerm => {
    const { body } = context.links[link]!;
    const kinematics = body.kind === 'rigid' ? undefined : body.type.kinematics;
    const tendons = (kinematics?.kind === 'strain' && kinematics.equilibrium?.tendons) || [];
    const nameOf = (own: SectionTendon): string => own.coordinate.name.replace(/^body\./, '');
    const tendon = tendons.find((own) => nameOf(own) === name);
    if (!tendon) {
      const close = nearest(name, tendons.map(nameOf));
      throw at.error(
        'unknown-coordinate',
        `the body of \`${linkName}\` has no tendon \`${name}\` in its equilibrium`,
        close
          ? `did you mean \`${linkName}.${close}\`?`
          : tendons.length > 0
            ? `its tendons: ${tendons.map(nameOf).join(', ')}`
            : 'write `tendon: { through: …, route: … }`, or give the body `strain: { equilibrium: { tendons: … } }`',
      );
    }
    const [volume] = (body.kind === 'deformable' ? body.type.volumes : []) as readonly [RodVolume];
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
  });
  const drives = context.coordinates.flatMap(({ link, part, name: own }, i) =>
    part === 'body' && links.includes(link) && own.endsWith(`.${name}`) ? [i] : [],
  );
  return { coordinateUnit: 'm', terms, drives };
}
