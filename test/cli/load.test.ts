/** What commands say about a robot file before they work on it. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { loadRobot, reportNotes } from '../../src/cli/load.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('robots out of URDF files', () => {
  it('report the angles that were made exact and what was left out, with their places', () => {
    let text = '';
    vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
      text += String(chunk);
      return true;
    });
    const robot = loadRobot('examples/iiwa.robot.yaml');
    expect(text).toBe('');
    reportNotes(robot);
    expect(text).toMatch(/examples\/iiwa\.urdf:\d+:\d+: note: joint iiwa_joint_2: 1\.570796326794897 is read as pi\/2/);
    expect(text).toMatch(/damping and friction are left out: iiwa_joint_1, /);
    expect(text.trim().split('\n')).toHaveLength(7);
  });
});
