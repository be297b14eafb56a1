/** What is said when a body type takes more time than it may. */
import { formulasOf, type BodyType } from '../description/model/robot.ts';
import { KanegenError } from '../common/error.ts';

/** @param what takes so long, for the message. @returns the error at the largest formula of the kinematics. */
export function tooSlow(type: BodyType, what: string): (seconds: number) => KanegenError {
  return (seconds) => {
    const largest = formulasOf(type.kinematics).reduce((most, e) => (e.size > most.size ? e : most));
    const name = type.provenance.nameOf(largest) ?? 'the kinematics';
    const error = new KanegenError(
      'too-slow',
      `${what} takes more than ${seconds} s of the processor; the largest formula of \`${type.name}\` is ${name}`,
      { remedy: 'make this formula shorter or smoother, allow a larger `tolerance`, or more time with --max-seconds' },
    );
    return type.provenance.locate(error, largest, type.locations.kinematics);
  };
}
