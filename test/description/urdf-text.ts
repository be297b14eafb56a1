/** URDF files for tests, as short texts: written to a temporary directory, which goes with the process: files of tests may share one. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { KanegenError } from '../../src/description/source/diagnostics.ts';
import { loadRobotObject } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'kanegen-urdf-'));
process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
let files = 0;

/** Writes a URDF file. @returns its path. */
export function write(urdf: string): string {
  const file = path.join(directory, `robot${files++}.urdf`);
  writeFileSync(file, urdf);
  return file;
}

export const robotOf = (...content: string[]): string =>
  `<?xml version="1.0"?>\n<robot name="r">\n${content.join('\n')}\n</robot>`;
export const link = (name: string, mass?: number, com = '0 0 0', rpy = '0 0 0', diagonal = [0.1, 0.1, 0.1]): string =>
  mass === undefined
    ? `<link name="${name}"/>`
    : `<link name="${name}"><inertial><origin xyz="${com}" rpy="${rpy}"/><mass value="${mass}"/>` +
      `<inertia ixx="${diagonal[0]}" iyy="${diagonal[1]}" izz="${diagonal[2]}" ixy="0.01" ixz="-0.02" iyz="0.03"/></inertial></link>`;
export const joint = (name: string, type: string, parent: string, child: string, more = ''): string =>
  `<joint name="${name}" type="${type}"><parent link="${parent}"/><child link="${child}"/>${more}</joint>`;
export const INERTIA = { xx: 0.1, yy: 0.1, zz: 0.1, xy: 0.01, xz: -0.02, yz: 0.03 };

export const loadUrdf = (urdf: string, more: object = {}, rest: object = {}): Robot =>
  loadRobotObject({ kanegen: 1, name: 't', links: [{ name: 'arm', urdf: { file: write(urdf), ...more } }], ...rest });
export const loadLinks = (links: object[], rest: object = {}): Robot =>
  loadRobotObject({ kanegen: 1, name: 't', links, ...rest });

export const TWO_JOINTS = robotOf(
  link('world'),
  link('base', 50),
  link('upper', 2, '0.1 0 0.05'),
  link('camera', 0.25, '0 0.02 0', '0.4 -0.2 0.1'),
  link('slide', 1.5, '0 0.01 0.2', '0 1.5707963267948966 0'),
  link('flange'),
  link('tool', 0.5, '0 0 0.03'),
  joint('mounting', 'fixed', 'world', 'base', '<origin xyz="0 0 0.3"/>'),
  joint(
    'pan',
    'revolute',
    'base',
    'upper',
    '<origin xyz="0.1 0 0.2" rpy="0.3 0 -0.7"/><axis xyz="0 3 4"/><limit lower="-1" upper="2.5"/>',
  ),
  joint('lens', 'fixed', 'upper', 'camera', '<origin xyz="0 0.05 0.3" rpy="0.1 0.2 0.3"/>'),
  joint(
    'lift',
    'prismatic',
    'upper',
    'slide',
    '<origin xyz="0 0 0.4" rpy="3.141592653589793 0 0"/><axis xyz="0 0 -1"/>',
  ),
  joint('bolt', 'fixed', 'slide', 'flange', '<origin xyz="0 0 0.3" rpy="0 1.5707963 0"/>'),
  joint('grip', 'fixed', 'flange', 'tool', '<origin xyz="0.01 0 0.1"/>'),
);

export function failure(work: () => unknown): KanegenError {
  try {
    work();
  } catch (error) {
    if (error instanceof KanegenError) return error;
    throw error;
  }
  throw new Error('the robot was accepted');
}
