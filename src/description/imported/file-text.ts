/** Pieces of robot files that are written out: names, numbers, axes, poses. */
import { originOf, quaternionOf, type Pose, type Rotation } from '../../common/poses.ts';
import { DRIVE_LIMITS, type DriveLimits } from '../model/robot.ts';
import { reservedReason } from '../values/reserved-names.ts';

/** Small letters and digits, joined by dashes. */
export function robotName(name: string): string {
  const dashed = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 50);
  const robot = /^[a-z]/.test(dashed) ? dashed.replace(/-$/, '') : `robot${dashed && `-${dashed}`}`.replace(/-$/, '');
  return reservedReason(robot) === undefined ? robot : `${robot}-robot`;
}

/** Text of an imported file in a comment. */
export const shown = (text: string): string => text.replace(/[^ -~]/g, '?').slice(0, 80);

export function numberText(value: number): string {
  return String(value === 0 ? 0 : value);
}

export const numbersText = (values: readonly number[]): string => `[${values.map(numberText).join(', ')}]`;

/** @param values a unit vector. */
export function axisText(values: readonly number[]): string {
  const only = values.findIndex((value) => Math.abs(value) === 1);
  if (only < 0) return numbersText(values);
  return `${values[only]! < 0 ? '-' : ''}${'xyz'[only]!}`;
}

/** `drive-limits:` of a joint, or nothing. */
export function driveEntries(limits: DriveLimits): readonly string[] {
  const entries = DRIVE_LIMITS.flatMap((key) =>
    limits[key] === undefined ? [] : [`${key}: ${numberText(limits[key])}`],
  );
  return entries.length === 0 ? [] : [`drive-limits: { ${entries.join(', ')} }`];
}

/** Radians, or degrees where the angle is a multiple of a right one. */
function angleText(angle: number): string {
  const turns = Math.round(angle / (Math.PI / 2));
  const isRight = turns !== 0 && Math.abs(angle - turns * (Math.PI / 2)) <= 1e-15 * Math.abs(turns) * 2;
  return isRight ? `${90 * turns} deg` : numberText(withoutDust(angle));
}

/** Rounding of composed poses, m at a distance of up to 1 m, and rad. */
const DUST = 1e-15;

/** The number of up to 12 decimals that rounding has left: 0.1 for 0.09999999999999998. */
export function withoutDust(x: number): number {
  const decimals = Number(x.toFixed(12));
  return Math.abs(x - decimals) <= DUST * Math.max(1, Math.abs(x)) ? decimals : x;
}

/** `offset:` and the like; `{}` for none. */
export const poseText = (pose: Pose): string => placeText(originOf(pose).map(withoutDust), rotationText(pose));

/** @param rotation as rpyText and rotationText write it. */
export function placeText(translation: readonly number[], rotation: string): string {
  const parts = [
    ...(translation.every((x) => x === 0) ? [] : [`xyz: ${numbersText(translation)}`]),
    ...(rotation ? [rotation] : []),
  ];
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
}

/** @param angles roll, pitch and yaw. */
export function rpyText(angles: readonly number[]): string {
  return angles.every((angle) => angle === 0) ? '' : `rpy: [${angles.map(angleText).join(', ')}]`;
}

/** Roll, pitch and yaw of a rotation by rows, or near their pole a quaternion. */
export function rotationText(R: Rotation): string {
  const across = Math.hypot(R[0]!, R[3]!);
  if (across > 1e-15 && across < 0.01) return `quaternion: ${numbersText(quaternionOf(R))}`;
  const pitch = Math.atan2(-R[6]!, across);
  const [roll, yaw] =
    across > 1e-15 ? [Math.atan2(R[7]!, R[8]!), Math.atan2(R[3]!, R[0]!)] : [Math.atan2(-R[5]!, R[4]!), 0];
  return rpyText([roll, pitch, yaw].map((angle) => (Math.abs(angle) < 1e-16 ? 0 : angle)));
}
