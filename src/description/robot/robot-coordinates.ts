/** The coordinates of a robot, in the order of q. */
import { nearest } from '../../common/nearest.ts';
import type { DriveLimits, Quantity, RobotCoordinate } from '../model/robot.ts';
import type { Problems } from '../source/diagnostics.ts';
import type { Place } from '../source/source.ts';
import { constantNumber } from '../values/scope.ts';

export class RobotCoordinates {
  readonly list: RobotCoordinate[] = [];
  /** By their names in generated code. */
  private readonly spellings = new Map<string, RobotCoordinate>();
  private readonly problems: Problems;

  constructor(problems: Problems) {
    this.problems = problems;
  }

  /** @param link - index of the link that has it. */
  add(
    link: number,
    at: Place,
    part: 'joint' | 'body',
    quantity: Quantity,
    name: string,
    driveLimits?: DriveLimits,
  ): void {
    const spelling = identifierOf(name);
    const clash = this.spellings.get(spelling);
    if (clash)
      this.problems.add(
        at.error(
          'duplicate-name',
          `the coordinates \`${clash.name}\` and \`${name}\` have the same name in generated code`,
          clash.link === link
            ? 'rename that of the joint: `joint: { revolute: z, names: [pan] }`'
            : 'rename one of the links',
        ),
      );
    const bounds = {
      ...(quantity.lower === undefined ? {} : { lower: quantity.lower }),
      ...(quantity.upper === undefined ? {} : { upper: quantity.upper }),
    };
    const coordinate: RobotCoordinate = {
      name,
      link,
      part,
      unit: quantity.unit,
      summary: quantity.summary ?? '',
      value: constantNumber(at, quantity.value),
      ...bounds,
      ...(driveLimits && { driveLimits }),
    };
    this.spellings.set(spelling, coordinate);
    this.list.push(coordinate);
  }

  /** @throws KanegenError when no coordinate has the name. */
  index(at: Place, name: string): number {
    const known = this.list.map((coordinate) => coordinate.name);
    const index = known.indexOf(name);
    if (index >= 0) return index;
    const close = nearest(name, known);
    throw at.keyError(
      'unknown-coordinate',
      `unknown coordinate \`${name}\``,
      close ? `did you mean \`${close}\`?` : `coordinates: ${known.slice(0, 30).join(', ')}`,
    );
  }
}

/** How names look in generated code, where only this is left of them. */
export function identifierOf(name: string): string {
  return name.replace(/[.-]/g, '_').toUpperCase();
}
