/** `pressure:`: what acts in a chamber of a body, y = its volume; in those of all links of a repeated name, the sum of them. */
import { nearest } from '../../common/nearest.ts';
import type { ChamberTerm } from '../model/actuator.ts';
import type { RawActuator } from '../language/actuators.ts';
import type { Place } from '../source/source.ts';
import { linksNamed, type ActuatorContext, type ActuatorReading } from './actuator-context.ts';

/** @throws KanegenError `unknown-link`, `unknown-chamber`, `wrong-value`. */
export function readPressure(place: Place, raw: RawActuator, context: ActuatorContext): ActuatorReading {
  const at = place.at('pressure');
  const text = raw.pressure!;
  const dot = text.lastIndexOf('.');
  if (dot <= 0)
    throw at.error(
      'wrong-value',
      `\`${text}\` is not a chamber of a link`,
      'write `LINK.CHAMBER`, such as `wrist.upper`',
    );
  const [linkName, name] = [text.slice(0, dot), text.slice(dot + 1)];
  const terms = linksNamed(at, linkName, context).map((link): ChamberTerm => {
    const { body } = context.links[link]!;
    const chambers = body.kind === 'rigid' ? [] : (body.type.chambers ?? []);
    const chamber = chambers.find((own) => own.name === name);
    if (chamber) return { kind: 'chamber', link, chamber };
    const names = chambers.map((own) => own.name);
    const close = nearest(name, names);
    throw at.error(
      'unknown-chamber',
      `the body of \`${linkName}\` has no chamber \`${name}\``,
      close
        ? `did you mean \`${linkName}.${close}\`?`
        : names.length > 0
          ? `its chambers: ${names.join(', ')}`
          : body.kind === 'rigid'
            ? 'chambers are cavities of deformable bodies'
            : 'give its body type `chambers:` by name',
    );
  });
  return { coordinateUnit: 'm^3', terms };
}
