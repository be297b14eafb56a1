/** Numbers of contacts as parameters of the link type, and what tells types apart that touch in different ways. */
import { KanegenError } from '../common/error.ts';
import type { Bristle, Contact, Shape } from '../description/model/contact.ts';
import { vector3, type Vector3 } from '../symbolic/graph/vector.ts';
import { AXES, type ParameterTable } from './parameter-table.ts';
import { BARE_UNIT } from '../description/values/units.ts';

/** With symbols of the table in place of numbers. */
export function placeContacts(contacts: readonly Contact[] = [], table: ParameterTable): readonly Contact[] {
  return contacts.map((contact, k) => {
    const { name, law, touching } = contact;
    // One entry of the file may have several obstacles.
    const own = contacts.filter((other) => other.name === name);
    const stem = `contact_${name}${own.length > 1 ? `_${own.indexOf(contact) + 1}` : ''}`;
    const place = (e: Contact['law']['stiffness'], what: string, unit: string, summary: string) =>
      table.place(e, `${stem}_${what}`, unit, `${summary} of the contact ${name}${own.length > 1 ? `, ${k + 1}` : ''}`);
    const { stiffness, damping, friction } = law;
    const held = (k: number, bristle: Bristle): Bristle => {
      const stemOfPair = `bristle${contact.bristles!.length > 1 ? `_${k + 1}` : ''}`;
      const at = (v: Vector3, side: string): Vector3 =>
        vector3(v.map((e, i) => place(e, `${stemOfPair}_${side}_${AXES[i]}`, 'm', 'place of the bristle')));
      return {
        isHeld: place(bristle.isHeld, `${stemOfPair}_held`, '1', 'does the bristle have a place,'),
        own: at(bristle.own!, 'own'),
        other: at(bristle.other, 'other'),
      };
    };
    return {
      ...contact,
      obstacle: placeShape(contact.obstacle, `${stem}_obstacle`, name, table),
      touching:
        touching.kind === 'rod'
          ? {
              ...touching,
              ...(touching.radius && { radius: place(touching.radius, 'radius', 'm', 'radius of the rod') }),
            }
          : {
              ...touching,
              shapes: touching.shapes.map((shape, i) =>
                placeShape(shape, `${stem}_shape${touching.shapes.length > 1 ? `_${i + 1}` : ''}`, name, table),
              ),
            },
      law: {
        ...law,
        stiffness: place(stiffness, 'stiffness', BARE_UNIT, 'stiffness'),
        damping: place(damping, 'damping', BARE_UNIT, 'damping'),
        ...(friction && {
          friction: {
            ...friction,
            coefficient: place(friction.coefficient, 'friction', '1', 'coefficient of friction'),
            ...(friction.kind === 'smooth'
              ? { speed: place(friction.speed, 'speed', 'm/s', 'speed up to which friction is smooth') }
              : {
                  stiffness: place(friction.stiffness, 'bristle_stiffness', 'N/m', 'stiffness of the bristle'),
                  damping: place(friction.damping, 'bristle_damping', 'N s/m', 'damping of the bristle'),
                }),
          },
        }),
      },
      ...(contact.bristles && { bristles: contact.bristles.map((bristle, i) => held(i, bristle)) }),
    };
  });
}

function placeShape(shape: Shape, stem: string, name: string, table: ParameterTable): Shape {
  const vector = (v: Vector3, what: string, unit: string): Vector3 =>
    vector3(
      v.map((e, i) =>
        table.place(e, `${stem}_${what}_${AXES[i]}`, unit, `${what} of a shape of ${name}`, unit === '1'),
      ),
    );
  const { place, axis, half, radius } = shape;
  return {
    ...shape,
    place: vector(place, 'place', 'm'),
    ...(axis && { axis: vector(axis, 'axis', '1') }),
    ...(half && { half: table.place(half, `${stem}_half`, 'm', `half of the length of a shape of ${name}`) }),
    ...(radius && { radius: table.place(radius, `${stem}_radius`, 'm', `radius of a shape of ${name}`) }),
  };
}

/** What the type depends on beside the pattern of its parameters. */
export function contactsKey(contacts: readonly Contact[]): string {
  if (contacts.length === 0) return '';
  const shapeKey = ({ kind, axis, half, radius }: Shape): unknown => [kind, !!axis, !!half, !!radius];
  const keys = contacts.map(({ name, touching, obstacle, law }) => [
    name,
    touching.kind === 'rod' ? [!!touching.radius, touching.points, touching.perPoint] : touching.shapes.map(shapeKey),
    shapeKey(obstacle),
    law.kind,
    law.friction?.kind,
  ]);
  return `contacts ${JSON.stringify(keys)}`;
}

/** Along a rod, on every panel between its breaks. */
export function contactPoints(contacts: readonly Contact[]): number {
  return Math.max(0, ...contacts.map(({ touching }) => (touching.kind === 'rod' ? touching.points : 0)));
}

/** @param points that the rod has. @throws KanegenError `wrong-value` where a law of each point asks for another number of them. */
export function requirePoints(contacts: readonly Contact[], points: number): void {
  for (const { touching, name, location } of contacts)
    if (touching.kind === 'rod' && touching.perPoint && touching.points !== points)
      throw new KanegenError(
        'wrong-value',
        `the law of \`${name}\` is that of each point, and the rod has ${points} points between its breaks`,
        { location, remedy: `write \`points: ${points}\`, or more` },
      );
}
